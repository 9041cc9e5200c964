#include "shape/hull.h"

#define GRID 549755813888.0 // 2^39 steps over the longest side: a determinant fits 126 bits
#define RING 64             // neighbours of a corner that are looked at

static void snapPoints(Hull *hull, const double *points)
{
    Vec3 lower = vecLoad(points), upper = lower;
    for (int i = 1; i < hull->pointCount; ++i)
    {
        Vec3 p = pointAt(points, i);
        lower = vec3(minReal(lower.x, p.x), minReal(lower.y, p.y), minReal(lower.z, p.z));
        upper = vec3(maxReal(upper.x, p.x), maxReal(upper.y, p.y), maxReal(upper.z, p.z));
    }
    Vec3 size = vecSub(upper, lower);
    double longest = maxReal(size.x, maxReal(size.y, size.z));
    double scale = longest > 0 ? GRID / longest : 0;
    for (int i = 0; i < hull->pointCount; ++i)
    {
        Vec3 p = vecScale(scale, vecSub(pointAt(points, i), lower));
        vecStore(hull->grid + 3 * (size_t)i, vec3(floor(p.x + 0.5), floor(p.y + 0.5), floor(p.z + 0.5)));
    }
    hull->center = vecScale(0.5 * scale, size);
}

// the corners around a corner; -1: more than there is room for
static int cornersAround(const Hull *hull, int point, int *ring)
{
    int start = hull->started[point], f = start, count = 0;
    do
    {
        const Face *face = hull->face + f;
        int c = face->corner[0] == point ? 0 : face->corner[1] == point ? 1 : 2;
        if (count == RING)
            return -1;
        ring[count++] = face->corner[(c + 1) % 3];
        f = face->neighbour[(c + 2) % 3];
    } while (f != start);
    return count;
}

// whether a corner lies between two of its neighbours, or in one plane with all of them
static bool cornerNeedless(const Hull *hull, int point)
{
    int ring[RING], count = cornersAround(hull, point, ring);
    Vec3 p = gridPoint(hull, point), normal = vec3(0, 0, 0);
    for (int i = 0; i < count; ++i)
    {
        Vec3 u = vecSub(gridPoint(hull, ring[i]), p);
        for (int k = 0; k < i; ++k)
        {
            Vec3 v = vecSub(gridPoint(hull, ring[k]), p), along = vecSub(v, u);
            if (vecDot(u, v) < 0 && vecLength(vecCross(u, v)) <= 2 * THICKNESS * vecLength(along))
                return true;
        }
        normal = vecAdd(normal, vecCross(u, vecSub(gridPoint(hull, ring[(i + 1) % count]), p)));
    }
    double length = vecLength(normal);
    for (int i = 0; i < count; ++i)
        if (fabs(vecDot(normal, vecSub(gridPoint(hull, ring[i]), p))) > 2 * THICKNESS * length)
            return false;
    return count > 0;
}

// Needless corners leave slivers: they came before the true corners beside them. True: the hull is to be made again
// from its corners, these last.
static bool delayNeedless(Hull *hull)
{
    bool found = false;
    for (int i = 0; i < hull->pointCount; ++i)
        hull->turn[i] = TURN_NEVER;
    for (int f = 0; f < hull->faceCount; ++f)
        for (int c = 0; c < 3 && hull->face[f].alive; ++c)
        {
            hull->started[hull->face[f].corner[c]] = f;
            hull->turn[hull->face[f].corner[c]] = TURN_FIRST;
        }
    for (int i = 0; i < hull->pointCount; ++i)
    {
        if (hull->turn[i] == TURN_FIRST && cornerNeedless(hull, i))
        {
            hull->turn[i] = TURN_LATE;
            found = true;
        }
    }
    return found;
}

static vvResult runHull(Hull *hull, int **triangles, int *triangleCount)
{
    vvResult result = hullMake(hull);
    if (result.code == VV_OK && delayNeedless(hull) && hullMake(hull).code != VV_OK)
    {
        // almost flat: what seemed needless was not
        for (int i = 0; i < hull->pointCount; ++i)
            hull->turn[i] = TURN_FIRST;
        result = hullMake(hull);
    }
    if (result.code != VV_OK)
        return result;
    int count = 0;
    *triangles = ALLOCATE(hull->memory, int, 3 * (size_t)hull->faceCount);
    if (*triangles == NULL)
        return resultOutOfMemory("a convex hull");
    for (int f = 0; f < hull->faceCount; ++f)
    {
        for (int c = 0; c < 3 && hull->face[f].alive; ++c)
            (*triangles)[3 * count + c] = hull->face[f].corner[c];
        count += hull->face[f].alive;
    }
    *triangleCount = count;
    return resultOk();
}

vvResult hullBuild(Memory *memory, const double *points, int pointCount, int **triangles, int *triangleCount)
{
    Hull hull = { .memory = memory, .pointCount = pointCount };
    hull.grid = ALLOCATE(memory, double, 3 * (size_t)pointCount);
    hull.next = ALLOCATE(memory, int, pointCount);
    hull.started = ALLOCATE(memory, int, pointCount);
    hull.turn = ALLOCATE(memory, Turn, pointCount);
    vvResult result = resultOutOfMemory("a convex hull");
    if (hull.grid != NULL && hull.next != NULL && hull.started != NULL && hull.turn != NULL)
    {
        snapPoints(&hull, points);
        result = runHull(&hull, triangles, triangleCount);
    }
    void *blocks[] = { hull.turn, hull.grid,         hull.next,      hull.started,    hull.face,
                       hull.rim,  hull.pending.item, hull.gone.item, hull.fresh.item, hull.spare.item };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(memory, blocks[i]);
    return result;
}
