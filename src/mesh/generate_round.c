#include "mesh/build.h"

// Cylinder and torus: a disc of concentric rings, repeated in layers; the prisms between two layers are 3 tets each.
// The disc: its centre is point 0, ring k = 1 .. n has 6 k points from number 1 + 3 k (k - 1) on. The points of layer l
// follow those of layer l - 1.

static int discPoints(int rings)
{
    return 1 + 3 * rings * (rings + 1);
}

static int discPoint(int ring, int step)
{
    return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1) + step % (6 * ring);
}

// in the unit disc
static void discPosition(int ring, int step, int rings, double *x, double *y)
{
    double sine = 0, cosine = 0;
    if (ring > 0)
        sineCosine(2 * PI * step / (6.0 * ring), &sine, &cosine);
    double radius = (double)ring / rings;
    *x = radius * cosine;
    *y = radius * sine;
}

// the prism over triangle a < b < c of the disc: the diagonal of each side starts at the lower number in the lower
// layer, so that neighbours agree (Dompierre et al. 1999, "How to subdivide pyramids, prisms and hexahedra")
static int *splitPrism(int lower, int upper, int a, int b, int c, int *tet)
{
    int low = minInt(a, minInt(b, c)), high = maxInt(a, maxInt(b, c));
    int middle = a ^ b ^ c ^ low ^ high;
    int column[6] = { lower + low, lower + middle, lower + high, upper + low, upper + middle, upper + high };
    const int pick[12] = { 0, 1, 2, 5, 0, 1, 4, 5, 0, 3, 4, 5 };
    for (int i = 0; i < 12; ++i)
        tet[i] = column[pick[i]];
    return tet + 12;
}

// all prisms between the layers whose first points are `lower` and `upper`
static int *splitLayer(int rings, int lower, int upper, int *tet)
{
    for (int ring = 1; ring <= rings; ++ring)
    {
        for (int sector = 0; sector < 6; ++sector)
        {
            int outer = sector * ring, inner = sector * (ring - 1);
            for (int i = 0; i < ring; ++i)
            {
                int p = discPoint(ring, outer + i), q = discPoint(ring, outer + i + 1);
                int r = discPoint(ring - 1, inner + i);
                tet = splitPrism(lower, upper, p, q, r, tet);
                if (i + 1 < ring)
                    tet = splitPrism(lower, upper, r, discPoint(ring - 1, inner + i + 1), q, tet);
            }
        }
    }
    return tet;
}

// `layers` of points with `gaps` of tets between them: gaps = layers closes the stack
static vvResult allocateStack(MeshArrays *arrays, int rings, double layers, double gaps)
{
    double disc = 1 + 3 * (double)rings * (rings + 1.0);
    return arraysAllocate(arrays, disc * layers, 18 * (double)rings * rings * gaps, 0, 0);
}

static void splitStack(MeshArrays *arrays, int rings, int layers, int gaps)
{
    int disc = discPoints(rings);
    int *tet = arrays->tet;
    for (int gap = 0; gap < gaps; ++gap)
        tet = splitLayer(rings, gap * disc, (gap + 1) % layers * disc, tet);
    ASSERT(tet == arrays->tet + 4 * arrays->tetCount, "the tets of a stack of discs are counted right");
    arraysOrient(arrays);
}

vvResult generateCylinder(MeshArrays *arrays, const vvMeshDef *def)
{
    int rings = def->cells[0], layers = def->cells[1];
    vvResult result = allocateStack(arrays, rings, layers + 1.0, layers);
    if (result.code != VV_OK)
        return result;
    double *point = arrays->point;
    for (int layer = 0; layer <= layers; ++layer)
    {
        double y = def->size.y * ((double)layer / layers - 0.5);
        for (int ring = 0; ring <= rings; ++ring)
        {
            for (int step = 0; step < maxInt(1, 6 * ring); ++step, point += 3)
            {
                double a, b;
                discPosition(ring, step, rings, &a, &b);
                vecStore(point, vec3(def->size.x / 2 * a, y, def->size.x / 2 * b));
            }
        }
    }
    splitStack(arrays, rings, layers + 1, layers);
    return result;
}

vvResult generateTorus(MeshArrays *arrays, const vvMeshDef *def)
{
    int rings = def->cells[0], around = def->cells[1];
    vvResult result = allocateStack(arrays, rings, around, around);
    if (result.code != VV_OK)
        return result;
    double tube = def->size.y / 2, middle = (def->size.x - def->size.y) / 2;
    double *point = arrays->point;
    for (int turn = 0; turn < around; ++turn)
    {
        double sine, cosine;
        sineCosine(2 * PI * turn / around, &sine, &cosine);
        for (int ring = 0; ring <= rings; ++ring)
        {
            for (int step = 0; step < maxInt(1, 6 * ring); ++step, point += 3)
            {
                double a, b;
                discPosition(ring, step, rings, &a, &b);
                double radius = middle + tube * a;
                vecStore(point, vec3(radius * cosine, tube * b, radius * sine));
            }
        }
    }
    splitStack(arrays, rings, around, around);
    return result;
}
