// The volume that a surface encloses, how thin it is, and tets with just that volume.
#include "mesh/solid.h"

#define MOST_CROSSINGS 64
#define MOST_PROBES 4000          // of the thickness
#define SMALLEST_COSINE 0.9832549 // of 10.5 degrees: no angle may become smaller by a correction
#define LARGEST_COSINE -0.9659258 // of 165 degrees
#define LONGEST_SHIFT 0.5         // of a correction, in the distance of a point from the middle of its neighbours

// ---- of the surface -------------------------------------------------------------------------------------------------

static double pick(Vec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

// how much of a line is inside; the winding number is constant enough between two crossings
static double lengthInside(const Winding *winding, Vec3 from, Vec3 to)
{
    double place[MOST_CROSSINGS + 1], length = 0, last = 0;
    int sign[MOST_CROSSINGS];
    Vec3 along = vecSub(to, from);
    int count = windingCrossings(winding, from, to, place, sign, MOST_CROSSINGS);
    count = minInt(count, MOST_CROSSINGS);
    place[count] = 1;
    for (int i = 0; i <= count; ++i)
    {
        double middle = 0.5 * (last + place[i]);
        if (place[i] > last && windingNumber(winding, vecAdd(from, vecScale(middle, along))) > 0.5)
            length += place[i] - last;
        last = place[i];
    }
    return length * vecLength(along);
}

vvResult windingVolume(Memory *memory, const Winding *winding, const vvBox *box, int lines, double *volume)
{
    const double low[3] = { box->lower.x, box->lower.y, box->lower.z };
    Vec3 extent = vecSub(box->upper, box->lower);
    int axis = extent.x <= extent.y && extent.x <= extent.z ? 0 : extent.y <= extent.z ? 1 : 2;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double cell = sqrt(pick(extent, u) * pick(extent, v)) / lines;
    *volume = 0;
    if (!(cell > 0))
        return resultOk();
    double most = (double)lines * lines;
    int nu = (int)minReal(most, ceil(pick(extent, u) / cell)), nv = (int)minReal(most, ceil(pick(extent, v) / cell));
    double du = pick(extent, u) / nu, dv = pick(extent, v) / nv;
    double *sum = ALLOCATE(memory, double, (size_t)nu *(size_t)nv);
    if (sum == NULL)
        return resultOutOfMemory("the volume of a surface");
    for (int i = 0; i < nu * nv; ++i)
    {
        double from[3] = { low[0], low[1], low[2] };
        from[u] += (i / nv + 0.5) * du;
        from[v] += (i % nv + 0.5) * dv;
        double to[3] = { from[0], from[1], from[2] };
        from[axis] -= 0.01 * cell;
        to[axis] += pick(extent, axis) + 0.01 * cell;
        sum[i] = lengthInside(winding, vecLoad(from), vecLoad(to));
    }
    *volume = du * dv * sumPairwise(sum, nu * nv);
    memoryRelease(memory, sum);
    return resultOk();
}

double windingThinnest(const Winding *winding, double farthest)
{
    double thinnest = farthest;
    int stride = 1 + (winding->triangleCount - 1) / MOST_PROBES;
    for (int t = 0; t < winding->triangleCount; t += stride)
    {
        const double *c = winding->corners + 9 * (size_t)t;
        Vec3 a = vecLoad(c), b = vecLoad(c + 3), d = vecLoad(c + 6);
        Vec3 normal = vecCross(vecSub(b, a), vecSub(d, a));
        double length = vecLength(normal);
        if (!(length > 0))
            continue;
        Vec3 inward = vecScale(-farthest / length, normal);
        Vec3 middle = vecScale(1.0 / 3, vecAdd(a, vecAdd(b, d)));
        Vec3 from = vecAdd(middle, vecScale(1e-6, inward));
        double place[MOST_CROSSINGS];
        int sign[MOST_CROSSINGS];
        int count = minInt(MOST_CROSSINGS,
                           windingCrossings(winding, from, vecAdd(middle, inward), place, sign, MOST_CROSSINGS));
        int k = 0;
        while (k < count && sign[k] < 0)
            ++k;
        if (k < count && place[k] * farthest < thinnest && windingNumber(winding, from) > 0.5)
            thinnest = place[k] * farthest;
    }
    return thinnest < farthest ? thinnest : 0;
}

// ---- of the tets ----------------------------------------------------------------------------------------------------

typedef struct Correction
{
    MeshArrays *arrays;
    int *face; // faceCount x 3
    int faceCount;
    double *shift;  // pointCount x 3: away from the middle of the neighbours, along the normal
    double *normal; // pointCount x 3: sums of area x normal
    double *before; // pointCount x 3
    int *count;     // pointCount: neighbours
} Correction;

static double volumeOf(const MeshArrays *arrays)
{
    double volume = 0;
    for (int t = 0; t < arrays->tetCount; ++t)
        volume += tetVolume(arrays->point, arrays->tet + 4 * (size_t)t);
    return volume;
}

static void findShifts(Correction *c)
{
    const double *point = c->arrays->point;
    for (int i = 0; i < 3 * c->faceCount; ++i)
    {
        int v = c->face[i];
        const int *corner = c->face + 3 * (size_t)(i / 3);
        Vec3 p = cornerPoint(point, corner[0]), q = cornerPoint(point, corner[1]), r = cornerPoint(point, corner[2]);
        Vec3 at = cornerPoint(point, v), normal = vecScale(0.5, vecCross(vecSub(q, p), vecSub(r, p)));
        Vec3 away = vecSub(vecScale(3, at), vecAdd(p, vecAdd(q, r)));
        vecStore(c->shift + 3 * (size_t)v, vecAdd(vecLoad(c->shift + 3 * (size_t)v), away));
        vecStore(c->normal + 3 * (size_t)v, vecAdd(vecLoad(c->normal + 3 * (size_t)v), normal));
        c->count[v] += 2;
    }
    for (int v = 0; v < c->arrays->pointCount; ++v)
    {
        Vec3 normal = vecLoad(c->normal + 3 * (size_t)v), shift = vecLoad(c->shift + 3 * (size_t)v);
        double square = vecDot(normal, normal);
        bool moves = c->count[v] > 0 && square > 0;
        shift = moves ? vecScale(vecDot(shift, normal) / (square * c->count[v]), normal) : vec3(0, 0, 0);
        vecStore(c->shift + 3 * (size_t)v, shift);
    }
}

// points of tets that became too flat go back, until none is
static void takeBack(Correction *c)
{
    MeshArrays *arrays = c->arrays;
    for (bool again = true; again;)
    {
        again = false;
        for (int t = 0; t < arrays->tetCount; ++t)
        {
            const int *corner = arrays->tet + 4 * (size_t)t;
            double least, largest;
            tetCosines(arrays->point, corner, &least, &largest);
            if (tetVolume(arrays->point, corner) > 0 && largest < SMALLEST_COSINE && least > LARGEST_COSINE)
                continue;
            for (int i = 0; i < 4; ++i)
            {
                double *p = arrays->point + 3 * (size_t)corner[i], *q = c->before + 3 * (size_t)corner[i];
                again = again || p[0] != q[0] || p[1] != q[1] || p[2] != q[2];
                vecStore(p, vecLoad(q));
            }
        }
    }
}

static void shiftPoints(Correction *c, double volume)
{
    MeshArrays *arrays = c->arrays;
    size_t count = 3 * (size_t)arrays->pointCount;
    double moved = 0; // so far, as a factor of the shifts
    for (int round = 0; round < 3; ++round)
    {
        double gain = 0;
        for (size_t i = 0; i < count; ++i)
            gain += c->shift[i] * c->normal[i] / 3;
        double factor = gain != 0 ? (volume - volumeOf(arrays)) / gain : 0;
        factor = minReal(LONGEST_SHIFT, maxReal(-LONGEST_SHIFT, moved + factor)) - moved;
        for (size_t i = 0; i < count; ++i)
            arrays->point[i] += factor * c->shift[i];
        moved += factor;
    }
    takeBack(c);
}

vvResult correctVolume(MeshArrays *arrays, double volume)
{
    Memory *memory = arrays->memory;
    Correction c = { .arrays = arrays };
    size_t count = 3 * (size_t)arrays->pointCount;
    c.shift = ALLOCATE(memory, double, count);
    c.normal = ALLOCATE(memory, double, count);
    c.before = ALLOCATE(memory, double, count);
    c.count = ALLOCATE(memory, int, arrays->pointCount);
    vvResult result = c.shift != NULL && c.normal != NULL && c.before != NULL && c.count != NULL
                          ? collectBoundary(memory, arrays->tet, arrays->tetCount, arrays->pointCount, &arrays->naming,
                                            &c.face, &c.faceCount)
                          : resultOutOfMemory("the volume of a solid");
    if (result.code == VV_OK)
    {
        for (size_t i = 0; i < count; ++i)
            c.before[i] = arrays->point[i];
        findShifts(&c);
        shiftPoints(&c, volume);
    }
    void *const blocks[] = { c.shift, c.normal, c.before, c.count, c.face };
    for (int i = 0; i < 5; ++i)
        memoryRelease(memory, blocks[i]);
    return result;
}
