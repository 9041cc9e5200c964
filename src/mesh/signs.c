// Which vertices of the lattice are inside a surface, and which parts of the surface it is too coarse for.
#include "mesh/solid.h"

#define SMALLEST 1e-9          // m, of a surface
#define MARGIN 2               // cells around the box, all outside
#define MOST_VERTICES 20000000 // of the lattice
#define BETWEEN 4096           // vertices between two calls of the progress callback
#define MOST_SAMPLES 1000      // along one edge of a triangle
#define MOST_CROSSINGS 16
#define HALVINGS 16

// ---- the boundary of triangles --------------------------------------------------------------------------------------

static bool isInside(const void *of, Vec3 point)
{
    return windingNumber(of, point) > 0.5;
}

static double bisect(const Winding *winding, Vec3 from, Vec3 along)
{
    double low = 0, high = 1;
    for (int i = 0; i < HALVINGS; ++i)
    {
        double middle = 0.5 * (low + high);
        if (isInside(winding, vecAdd(from, vecScale(middle, along))))
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

// at a triangle, or in a hole of the surface
static double cutPlace(const void *of, Vec3 from, Vec3 to)
{
    Vec3 along = vecSub(to, from);
    double place[MOST_CROSSINGS];
    int sign[MOST_CROSSINGS];
    int count = windingCrossings(of, from, to, place, sign, MOST_CROSSINGS);
    if (count == 0 || count > MOST_CROSSINGS)
        return bisect(of, from, along);
    // the stretch before crossing `low` is inside, that before crossing `high` is not
    int low = 0, high = count;
    while (high - low > 1)
    {
        int middle = (low + high) / 2;
        double at = 0.5 * (place[middle - 1] + place[middle]);
        if (isInside(of, vecAdd(from, vecScale(at, along))))
            low = middle;
        else
            high = middle;
    }
    return place[low];
}

Boundary windingBoundary(const Winding *winding)
{
    return (Boundary){ isInside, cutPlace, winding };
}

// ---- the lattice ----------------------------------------------------------------------------------------------------

vvResult fillingProgress(const Filling *filling, double share)
{
    const vvSolidDef *def = filling->def;
    if (def->progress == NULL || def->progress(share, def->userData))
        return resultOk();
    return resultMake(VV_LIMIT, "let the progress callback return true to go on", "the callback stopped the filling");
}

// the lattice is symmetric about the middle of the box, and a whole number of cells along its longest side
vvResult fillingMake(Filling *filling, const vvBox *box)
{
    Lattice *lattice = &filling->lattice;
    const vvSolidDef *def = filling->def;
    Vec3 extent = vecSub(box->upper, box->lower), middle = vecScale(0.5, vecAdd(box->lower, box->upper));
    const double side[3] = { extent.x, extent.y, extent.z };
    double longest = maxReal(side[0], maxReal(side[1], side[2])), corners = 1, centres = 1;
    if (!(longest >= SMALLEST))
        return resultMake(VV_BAD_INPUT, "scale it to metres", "the surface is %g m large, must be at least %g m",
                          longest, SMALLEST);
    lattice->spacing = def->edge > 0 ? def->edge : longest / def->cells;
    double count[3];
    for (int a = 0; a < 3; ++a)
    {
        count[a] = ceil(side[a] / lattice->spacing - 1e-9) + 2 * MARGIN;
        centres *= count[a];
        corners *= count[a] + 1;
    }
    if (!(corners + centres <= MOST_VERTICES))
        return resultMake(VV_BAD_INPUT, "use fewer cells, or a longer edge",
                          "edges of %g m over a box of %g x %g x %g m are a lattice of %.3g vertices, at most %d fit",
                          lattice->spacing, side[0], side[1], side[2], corners + centres, MOST_VERTICES);
    for (int a = 0; a < 3; ++a)
        lattice->cells[a] = (int)count[a];
    lattice->origin = vecSub(middle, vecScale(0.5 * lattice->spacing, vec3(count[0], count[1], count[2])));
    lattice->cornerCount = (int)corners;
    lattice->vertexCount = (int)(corners + centres);
    filling->sign = ALLOCATE(filling->memory, signed char, lattice->vertexCount);
    return filling->sign != NULL ? resultOk() : resultOutOfMemory("the lattice of a solid");
}

vvResult fillingSigns(Filling *filling)
{
    const Lattice *lattice = &filling->lattice;
    vvResult result = resultOk();
    for (int v = 0; v < lattice->vertexCount && result.code == VV_OK; ++v)
    {
        LatticePlace place = latticePlace(lattice, v);
        bool far = false;
        for (int a = 0; a < 3; ++a)
            far = far || place.at[a] < MARGIN || place.at[a] > lattice->cells[a] - MARGIN - place.centre;
        bool inside = !far && filling->boundary.isInside(filling->boundary.of, latticePoint(lattice, v));
        filling->sign[v] = inside ? INSIDE : OUTSIDE;
        if (v % BETWEEN == 0)
            result = fillingProgress(filling, 0.1 + 0.5 * v / lattice->vertexCount);
    }
    return result;
}

// ---- parts that are too thin ----------------------------------------------------------------------------------------

static bool isUsed(const Filling *filling, int vertex)
{
    if (vertex < 0 || filling->sign[vertex] != SURFACE)
        return vertex >= 0 && filling->sign[vertex] > 0;
    bool used = false;
    for (int k = 0; k < LATTICE_NEIGHBOURS && !used; ++k)
    {
        int other = latticeNeighbour(&filling->lattice, vertex, k);
        used = other >= 0 && filling->sign[other] > 0;
    }
    return used;
}

// samples of the face, half a cell apart at most
static void coverTriangle(Filling *filling, const double *corners, bool mark, double *missed)
{
    Vec3 a = vecLoad(corners), ab = vecSub(vecLoad(corners + 3), a), ac = vecSub(vecLoad(corners + 6), a);
    double area = 0.5 * vecLength(vecCross(ab, ac));
    double longest = maxReal(vecLength(ab), maxReal(vecLength(ac), vecLength(vecSub(ac, ab))));
    int steps = (int)minReal(MOST_SAMPLES, ceil(2 * longest / filling->lattice.spacing));
    steps = maxInt(steps, 1);
    for (int i = 0; i < steps; ++i)
    {
        for (int j = 0; j < 2 * (steps - i) - 1; ++j)
        {
            // the middles of steps^2 equal triangles
            double third = j % 2 == 0 ? 1.0 / 3 : 2.0 / 3;
            double u = (i + third) / steps, v = (j / 2 + third) / steps;
            int tet[4], nearest;
            latticeFind(&filling->lattice, vecAdd(a, vecAdd(vecScale(u, ab), vecScale(v, ac))), tet, &nearest);
            if (isUsed(filling, tet[0]) || isUsed(filling, tet[1]) || isUsed(filling, tet[2]) ||
                isUsed(filling, tet[3]))
                continue;
            *missed += area / ((double)steps * steps);
            if (mark)
                filling->sign[nearest] = THIN;
        }
    }
}

double fillingCover(Filling *filling)
{
    // measured before any vertex is marked
    double missed = 0, left = 0;
    if (filling->winding == NULL)
        return 0;
    for (int t = 0; t < filling->winding->triangleCount; ++t)
        coverTriangle(filling, filling->winding->corners + 9 * (size_t)t, false, &missed);
    bool mark = missed > 0 && filling->def->kind == VV_SOLID_CAGE;
    for (int t = 0; t < filling->winding->triangleCount && mark; ++t)
        coverTriangle(filling, filling->winding->corners + 9 * (size_t)t, true, &left);
    return missed;
}
