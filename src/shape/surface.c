#include "shape/kinds.h"

#include <string.h>

// ---- the check of a closed surface ----------------------------------------------------------------------------------

static vvResult checkCorners(const int *corner, int number, int pointCount)
{
    for (int i = 0; i < 3; ++i)
    {
        if (corner[i] < 0 || corner[i] >= pointCount)
            return resultMake(VV_BAD_INPUT, "indices count from 0; a file that counts from 1 needs 1 subtracted",
                              "triangle %d names point %d, must be 0 to %d", number, corner[i], pointCount - 1);
    }
    return resultOk();
}

static void loadCorners(const double *points, const int *corner, double *out /* 9 */)
{
    for (int i = 0; i < 3; ++i)
        vecStore(out + 3 * i, pointAt(points, corner[i]));
}

// Copies the triangles. One that names a point twice is dropped: its edges cancel, what is left is as closed as before.
static vvResult copyTriangles(Surface *surface, const double *points, const int *triangles, int count, int *caller,
                              bool lenient)
{
    for (int t = 0; t < count; ++t)
    {
        const int *corner = triangles + 3 * (size_t)t;
        vvResult result = checkCorners(corner, t, surface->pointCount);
        if (result.code != VV_OK)
            return result;
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
            continue;
        double *own = surface->corners + 9 * (size_t)surface->triangleCount;
        loadCorners(points, corner, own);
        double area = 0.5 * vecLength(triangleCross(own)), least = SHAPE_FLATNESS * triangleLongest(own);
        if (!(area > least) && !lenient)
            return resultMake(VV_BAD_INPUT, "weld points that coincide, remove the triangle and close the gap",
                              "triangle %d is flat: its area is %.3g m^2, must be above %.3g (1e-12 x longest edge^2)",
                              t, area, least);
        for (int i = 0; i < 3; ++i)
            surface->triangle[3 * (size_t)surface->triangleCount + (size_t)i] = corner[i];
        caller[surface->triangleCount++] = t;
    }
    return resultOk();
}

// the points of a half edge, in the direction of its triangle
static int halfEdgePoint(const Surface *surface, int half, int end)
{
    return surface->triangle[half - half % 3 + (half + end) % 3];
}

static int halfEdgeKey(const Surface *surface, int half, bool upper)
{
    int a = halfEdgePoint(surface, half, 0), b = halfEdgePoint(surface, half, 1);
    return upper ? maxInt(a, b) : minInt(a, b);
}

// one stable pass of a counting sort
static void sortPass(const Surface *surface, bool upper, int *bucket, const int *from, int *to)
{
    int count = 3 * surface->triangleCount;
    for (int v = 0; v <= surface->pointCount; ++v)
        bucket[v] = 0;
    for (int i = 0; i < count; ++i)
        bucket[halfEdgeKey(surface, from[i], upper) + 1] += 1;
    for (int v = 0; v < surface->pointCount; ++v)
        bucket[v + 1] += bucket[v];
    for (int i = 0; i < count; ++i)
        to[bucket[halfEdgeKey(surface, from[i], upper)]++] = from[i];
}

static bool sameEdge(const Surface *surface, int g, int h)
{
    return halfEdgeKey(surface, g, false) == halfEdgeKey(surface, h, false) &&
           halfEdgeKey(surface, g, true) == halfEdgeKey(surface, h, true);
}

// half edges in order of their points: equal ones are neighbours, and there must be two of each, one each way
static vvResult pairEdges(const Surface *surface, const int *order, const int *caller, int *twin)
{
    int count = 3 * surface->triangleCount;
    for (int i = 0; i < count;)
    {
        int end = i + 1, g = order[i];
        while (end < count && sameEdge(surface, g, order[end]))
            ++end;
        int a = halfEdgePoint(surface, g, 0), b = halfEdgePoint(surface, g, 1);
        if (end - i == 1)
            return resultMake(
                VV_BAD_INPUT, "close the hole; weld points that coincide (vertices split for texture or normals)",
                "the edge of points %d and %d belongs to triangle %d alone, must belong to 2", a, b, caller[g / 3]);
        if (end - i > 2)
            return resultMake(VV_BAD_INPUT, "separate the parts that touch there: give each its own points",
                              "the edge of points %d and %d belongs to %d triangles, must belong to 2", a, b, end - i);
        int h = order[i + 1];
        if (halfEdgePoint(surface, h, 0) == a)
            return resultMake(VV_BAD_INPUT, "swap two corners of one of them: neighbours must wind the same way",
                              "triangles %d and %d both run from point %d to point %d, must run opposite ways",
                              caller[g / 3], caller[h / 3], a, b);
        twin[g] = h;
        twin[h] = g;
        i = end;
    }
    return resultOk();
}

static vvResult findNeighbours(Memory *memory, Surface *surface, const int *caller)
{
    int count = 3 * surface->triangleCount;
    int *bucket = ALLOCATE(memory, int, surface->pointCount + 1);
    int *spare = ALLOCATE(memory, int, count), *order = ALLOCATE(memory, int, count);
    vvResult result = resultOutOfMemory("the edges of a shape");
    if (bucket != NULL && spare != NULL && order != NULL)
    {
        for (int i = 0; i < count; ++i)
            order[i] = i;
        sortPass(surface, true, bucket, order, spare);
        sortPass(surface, false, bucket, spare, order);
        result = pairEdges(surface, order, caller, spare);
        for (int i = 0; i < count && result.code == VV_OK; ++i)
            surface->neighbour[i] = spare[i] / 3;
    }
    memoryRelease(memory, bucket);
    memoryRelease(memory, spare);
    memoryRelease(memory, order);
    return result;
}

// ---- which side is inside -------------------------------------------------------------------------------------------

static void turnTriangle(Surface *surface, int t)
{
    int *corner = surface->triangle + 3 * (size_t)t, *neighbour = surface->neighbour + 3 * (size_t)t;
    double *own = surface->corners + 9 * (size_t)t;
    int swap = corner[1];
    corner[1] = corner[2];
    corner[2] = swap;
    // edges 0 and 2 change places, edge 1 only its direction
    swap = neighbour[0];
    neighbour[0] = neighbour[2];
    neighbour[2] = swap;
    for (int a = 3; a < 6; ++a)
    {
        double keep = own[a];
        own[a] = own[a + 3];
        own[a + 3] = keep;
    }
}

// inward winding all over is turned; no volume at all is refused
static vvResult turnOutward(Surface *surface)
{
    double volume = 0, size = 0;
    Vec3 origin = vecLoad(surface->corners);
    for (int t = 0; t < surface->triangleCount; ++t)
    {
        const double *own = surface->corners + 9 * (size_t)t;
        Vec3 a = vecSub(vecLoad(own), origin), b = vecSub(vecLoad(own + 3), origin),
             c = vecSub(vecLoad(own + 6), origin);
        volume += vecDot(a, vecCross(b, c)) / 6;
        size = maxReal(size, maxReal(fabs(a.x), maxReal(fabs(a.y), fabs(a.z))));
    }
    if (!(size >= SHAPE_SMALLEST))
        return resultMake(VV_BAD_INPUT, "coordinates are in metres; scale the points",
                          "the surface is %g m large, must be at least %g", size, SHAPE_SMALLEST);
    if (!(fabs(volume) > 1e-12 * size * size * size))
        return resultMake(VV_BAD_INPUT, "give the surface an inside: a sheet needs a thickness",
                          "the surface encloses %.3g m^3, must be above %.3g (1e-12 x size^3)", volume,
                          1e-12 * size * size * size);
    for (int t = 0; t < surface->triangleCount && volume < 0; ++t)
        turnTriangle(surface, t);
    return resultOk();
}

// ---- the order of the tree ------------------------------------------------------------------------------------------

// moves rows of ints or doubles into the order of the tree
static void permute(void *rows, void *spare, size_t size, const int *order, int count)
{
    char *from = rows, *to = spare;
    for (int i = 0; i < count; ++i)
        memcpy(to + (size_t)i * size, from + (size_t)order[i] * size, size);
    memcpy(from, to, (size_t)count * size);
}

static bool orderByTree(Memory *memory, Surface *surface)
{
    int count = surface->triangleCount;
    int *order = ALLOCATE(memory, int, count), *place = ALLOCATE(memory, int, count);
    double *spare = ALLOCATE(memory, double, 9 * (size_t)count);
    bool ok = order != NULL && place != NULL && spare != NULL &&
              treeBuild(memory, &surface->tree, surface->corners, count, order);
    if (ok)
    {
        permute(surface->corners, spare, 9 * sizeof(double), order, count);
        permute(surface->triangle, spare, 3 * sizeof(int), order, count);
        permute(surface->neighbour, spare, 3 * sizeof(int), order, count);
        for (int i = 0; i < count; ++i)
            place[order[i]] = i;
        for (int i = 0; i < 3 * count; ++i)
            surface->neighbour[i] = place[surface->neighbour[i]];
    }
    memoryRelease(memory, order);
    memoryRelease(memory, place);
    memoryRelease(memory, spare);
    return ok;
}

// ---- normals --------------------------------------------------------------------------------------------------------

// angle between unit vectors by sqrt alone: the angle is halved until the series of the arc tangent is short
static double angleBetween(Vec3 u, Vec3 v)
{
    double s = vecLength(vecSub(u, v)), c = vecLength(vecAdd(u, v));
    double x = s < c ? s / c : c / s, sum = 0;
    for (int i = 0; i < 2; ++i)
        x = x / (1 + sqrt(1 + x * x));
    for (int k = 11; k >= 0; --k)
        sum = 1.0 / (2 * k + 1) - x * x * sum;
    double angle = 8 * x * sum;
    return s < c ? angle : PI - angle;
}

double triangleAngle(const double *corners, int corner)
{
    Vec3 p = pointAt(corners, corner), zero = vec3(0, 0, 0);
    Vec3 u = unitOr(vecSub(pointAt(corners, (corner + 1) % 3), p), zero);
    Vec3 v = unitOr(vecSub(pointAt(corners, (corner + 2) % 3), p), zero);
    return angleBetween(u, v);
}

// a sliver has no normal of its own: that of the neighbour across its longest edge
static void borrowNormals(Surface *surface)
{
    for (int t = 0; t < surface->triangleCount; ++t)
    {
        const double *own = surface->corners + 9 * (size_t)t;
        double longest = triangleLongest(own);
        if (0.5 * vecLength(triangleCross(own)) > SHAPE_FLATNESS * longest)
            continue;
        for (int e = 0; e < 3; ++e)
        {
            Vec3 along = vecSub(pointAt(own, (e + 1) % 3), pointAt(own, e));
            if (vecDot(along, along) == longest)
                vecStore(surface->faceNormal + 3 * (size_t)t,
                         pointAt(surface->faceNormal, surface->neighbour[3 * t + e]));
        }
    }
}

static void findNormals(Surface *surface)
{
    for (int t = 0; t < surface->triangleCount; ++t)
    {
        Vec3 cross = triangleCross(surface->corners + 9 * (size_t)t);
        vecStore(surface->faceNormal + 3 * (size_t)t, unitOr(cross, vec3(0, 1, 0)));
    }
    borrowNormals(surface);
    for (int t = 0; t < surface->triangleCount; ++t)
    {
        const double *own = surface->corners + 9 * (size_t)t;
        for (int i = 0; i < 3; ++i)
        {
            double *sum = surface->cornerNormal + 3 * (size_t)surface->triangle[3 * (size_t)t + (size_t)i];
            vecStore(sum, vecAdd(vecLoad(sum), vecScale(triangleAngle(own, i), pointAt(surface->faceNormal, t))));
        }
    }
}

// ---- build and search -----------------------------------------------------------------------------------------------

vvResult surfaceBuild(Memory *memory, Surface *surface, const double *points, int pointCount, const int *triangles,
                      int triangleCount, bool lenient)
{
    size_t count = (size_t)triangleCount;
    surface->pointCount = pointCount;
    surface->corners = ALLOCATE(memory, double, 9 * count);
    surface->faceNormal = ALLOCATE(memory, double, 3 * count);
    surface->cornerNormal = ALLOCATE(memory, double, 3 * (size_t)pointCount);
    surface->triangle = ALLOCATE(memory, int, 3 * count);
    surface->neighbour = ALLOCATE(memory, int, 3 * count);
    int *caller = ALLOCATE(memory, int, count);
    vvResult result = resultOutOfMemory("the surface of a shape");
    if (surface->corners != NULL && surface->faceNormal != NULL && surface->cornerNormal != NULL &&
        surface->triangle != NULL && surface->neighbour != NULL && caller != NULL)
    {
        result = copyTriangles(surface, points, triangles, triangleCount, caller, lenient);
        if (result.code == VV_OK)
            result = findNeighbours(memory, surface, caller);
        if (result.code == VV_OK)
            result = turnOutward(surface);
        if (result.code == VV_OK && !orderByTree(memory, surface))
            result = resultOutOfMemory("the tree of a shape");
        if (result.code == VV_OK)
            findNormals(surface);
    }
    memoryRelease(memory, caller);
    return result;
}

void surfaceFree(Memory *memory, Surface *surface)
{
    memoryRelease(memory, surface->corners);
    memoryRelease(memory, surface->faceNormal);
    memoryRelease(memory, surface->cornerNormal);
    memoryRelease(memory, surface->triangle);
    memoryRelease(memory, surface->neighbour);
    memoryRelease(memory, surface->tree.node);
    *surface = (Surface){ 0 };
}

// The sign comes from the normal of the feature: of a face its own, of an edge the sum of both, of a corner the sum
// weighted by angle. Baerentzen and Aanaes 2005, "Signed distance computation using the angle weighted pseudonormal".
static double sideOf(const Surface *surface, int t, Region region, Vec3 gap)
{
    Vec3 normal = pointAt(surface->faceNormal, t);
    if (region >= REGION_CORNER0)
        normal = pointAt(surface->cornerNormal, surface->triangle[3 * t + (int)region - REGION_CORNER0]);
    else if (region >= REGION_EDGE0)
        normal = vecAdd(normal, pointAt(surface->faceNormal, surface->neighbour[3 * t + (int)region - REGION_EDGE0]));
    return vecDot(gap, normal) < 0 ? -1 : 1;
}

ShapeSample surfaceSample(const Surface *surface, Vec3 point, int hint)
{
    if (hint < 0 || hint >= surface->triangleCount)
        hint = -1;
    int t = treeNearest(&surface->tree, surface->corners, point, hint);
    const double *own = surface->corners + 9 * (size_t)t;
    Region region;
    Vec3 nearest = triangleNearest(own, point, &region);
    double side = sideOf(surface, t, region, vecSub(point, nearest));
    ShapeSample sample = triangleSample(own, pointAt(surface->faceNormal, t), point, nearest, side);
    sample.feature = t;
    return sample;
}
