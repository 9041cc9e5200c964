// A mesh whose points move within a step, each on a straight line: distances at a moment are those of the triangles at
// that moment. Nothing is stored per moment, so that any number of threads may ask about different ones.
#include "shape/kinds.h"

#include <string.h>

// ---- creation -------------------------------------------------------------------------------------------------------

static bool copySurface(Memory *memory, const Surface *from, Surface *to)
{
    size_t count = (size_t)from->triangleCount;
    to->triangleCount = from->triangleCount;
    to->pointCount = from->pointCount;
    to->tree = (Tree){ .nodeCount = from->tree.nodeCount, .center = from->tree.center };
    to->corners = ALLOCATE(memory, double, 9 * count);
    to->triangle = ALLOCATE(memory, int, 3 * count);
    to->neighbour = ALLOCATE(memory, int, 3 * count);
    to->tree.node = ALLOCATE(memory, TreeNode, from->tree.nodeCount);
    if (!to->corners || !to->triangle || !to->neighbour || !to->tree.node)
        return false;
    memcpy(to->corners, from->corners, 9 * count * sizeof(double));
    memcpy(to->triangle, from->triangle, 3 * count * sizeof(int));
    memcpy(to->neighbour, from->neighbour, 3 * count * sizeof(int));
    memcpy(to->tree.node, from->tree.node, (size_t)from->tree.nodeCount * sizeof(TreeNode));
    return true;
}

// which corners each point is
static void findUses(const Surface *surface, Moving *moving)
{
    int count = 3 * surface->triangleCount;
    for (int i = 0; i < count; ++i)
        moving->firstUse[surface->triangle[i] + 1] += 1;
    for (int p = 0; p < surface->pointCount; ++p)
        moving->firstUse[p + 1] += moving->firstUse[p];
    for (int i = count - 1; i >= 0; --i) // each list ascends; ends become starts again
        moving->use[--moving->firstUse[surface->triangle[i] + 1]] = i;
    for (int p = 0; p < surface->pointCount; ++p)
        moving->firstUse[p] = moving->firstUse[p + 1];
    moving->firstUse[surface->pointCount] = count;
}

static bool createMoving(Memory *memory, const Surface *surface, Moving *moving)
{
    size_t count = (size_t)surface->triangleCount, points = (size_t)surface->pointCount;
    moving->start = ALLOCATE(memory, double, 3 * points);
    moving->end = ALLOCATE(memory, double, 3 * points);
    moving->endCorners = ALLOCATE(memory, double, 9 * count);
    moving->firstUse = ALLOCATE(memory, int, points + 1);
    moving->use = ALLOCATE(memory, int, 3 * count);
    moving->box = ALLOCATE(memory, double, 6 * (size_t)surface->tree.nodeCount);
    if (!moving->start || !moving->end || !moving->endCorners || !moving->firstUse || !moving->use || !moving->box)
        return false;
    findUses(surface, moving);
    for (size_t i = 0; i < 3 * count; ++i)
        memcpy(moving->start + 3 * (size_t)surface->triangle[i], surface->corners + 3 * i, 3 * sizeof(double));
    memcpy(moving->end, moving->start, 3 * points * sizeof(double));
    memcpy(moving->endCorners, surface->corners, 9 * count * sizeof(double));
    return true;
}

vvShape *shapeCreateMoving(const vvShape *from, const vvAllocator *allocator, vvResult *result)
{
    vvResult outcome = resultOk();
    if (!shapeIs(from, TAG_MESH))
        outcome = resultMake(VV_BAD_INPUT, "make the shape a VV_SHAPE_MESH with sampling 0",
                             "only a mesh with exact distances can deform");
    Memory memory = memoryMake(allocator);
    vvShape *shape = outcome.code == VV_OK ? ALLOCATE(&memory, vvShape, 1) : NULL;
    if (outcome.code == VV_OK && shape == NULL)
        outcome = resultOutOfMemory("a deforming shape");
    if (!resultPass(result, &outcome))
        return NULL;
    shape->memory = memory;
    shape->kind = from->kind;
    shape->bounds = from->bounds;
    atomic_init(&shape->references, 1);
    bool made = copySurface(&shape->memory, &from->surface, &shape->surface) &&
                createMoving(&shape->memory, &shape->surface, &shape->moving);
    shape->moving.swept = shape->bounds;
    outcome = made ? outcome : resultOutOfMemory("a deforming shape");
    if (resultPass(result, &outcome))
        return shape;
    shapeRelease(shape);
    return NULL;
}

void movingFree(Memory *memory, Moving *moving)
{
    memoryRelease(memory, moving->start);
    memoryRelease(memory, moving->end);
    memoryRelease(memory, moving->endCorners);
    memoryRelease(memory, moving->firstUse);
    memoryRelease(memory, moving->use);
    memoryRelease(memory, moving->box);
    *moving = (Moving){ 0 };
}

// ---- motion ---------------------------------------------------------------------------------------------------------

vvResult shapeCheckPoints(const vvShape *shape, const double *points, int count)
{
    int wanted = shape->surface.pointCount;
    if (points == NULL || count != wanted)
        return resultMake(VV_BAD_INPUT, "give every point of the mesh, in the order in which the shape got them",
                          "%s %d points, must be the mesh's %d", points == NULL ? "points is NULL with" : "there are",
                          count, wanted);
    vvShapeDef def = { .points = points, .pointCount = count };
    return checkShapePoints(&def, 4);
}

static void setCorners(const Surface *surface, const double *points, double *corners)
{
    for (int i = 0; i < 3 * surface->triangleCount; ++i)
        vecStore(corners + 3 * (size_t)i, pointAt(points, surface->triangle[i]));
}

static void setPath(vvShape *shape)
{
    Moving *moving = &shape->moving;
    double most = 0;
    for (int p = 0; p < shape->surface.pointCount; ++p)
        most = maxReal(most, vecLength(vecSub(pointAt(moving->end, p), pointAt(moving->start, p))));
    moving->farthest = most;
    moving->moves = most > 0;
    setCorners(&shape->surface, moving->end, moving->endCorners);
    treeRefit(&shape->surface.tree, shape->surface.corners, moving->endCorners, shape->surface.triangleCount,
              moving->box);
    moving->swept = shape->bounds;
    for (int i = 0; i < 3 * shape->surface.triangleCount; ++i)
        boxInclude(&moving->swept, pointAt(moving->endCorners, i));
}

void shapeMovePoints(vvShape *shape, const double *points)
{
    memcpy(shape->moving.end, points, 3 * (size_t)shape->surface.pointCount * sizeof(double));
    setPath(shape);
}

// boxes that hold the path hold its end
void shapeArrive(vvShape *shape)
{
    Moving *moving = &shape->moving;
    if (!moving->moves)
        return;
    memcpy(moving->start, moving->end, 3 * (size_t)shape->surface.pointCount * sizeof(double));
    memcpy(shape->surface.corners, moving->endCorners, 9 * (size_t)shape->surface.triangleCount * sizeof(double));
    shape->bounds = moving->swept = surfaceBounds(&shape->surface);
    moving->farthest = 0;
    moving->moves = false;
}

void shapeReload(vvShape *shape)
{
    setCorners(&shape->surface, shape->moving.start, shape->surface.corners);
    shape->bounds = surfaceBounds(&shape->surface);
    setPath(shape);
}

bool shapeIsMoving(const vvShape *shape)
{
    return shape->moving.moves;
}

double shapeFarthest(const vvShape *shape)
{
    return shape->moving.farthest;
}

vvBox shapeSweptBounds(const vvShape *shape)
{
    return shape->moving.moves ? shape->moving.swept : shape->bounds;
}

int shapeMovingPoints(const vvShape *shape, double **start, double **end)
{
    *start = shape->moving.start;
    *end = shape->moving.end;
    return shape->moving.start != NULL ? shape->surface.pointCount : 0;
}

uint64_t shapeTopologyHash(const vvShape *shape)
{
    const Surface *surface = &shape->surface;
    uint64_t hash = hashBytes(HASH_SEED, &surface->pointCount, sizeof surface->pointCount);
    return hashBytes(hash, surface->triangle, 3 * (size_t)surface->triangleCount * sizeof(int));
}

// ---- at a moment ----------------------------------------------------------------------------------------------------

static void triangleAt(const vvShape *shape, int triangle, double moment, double *out)
{
    cornersAt(shape->surface.corners + 9 * (size_t)triangle, shape->moving.endCorners + 9 * (size_t)triangle, moment,
              out);
}

static bool isSliver(const double *corners, double longest)
{
    return !(0.5 * vecLength(triangleCross(corners)) > SHAPE_FLATNESS * longest);
}

// as findNormals of surface.c has it
static Vec3 faceNormalAt(const vvShape *shape, int triangle, double moment)
{
    double own[9];
    triangleAt(shape, triangle, moment, own);
    double longest = triangleLongest(own);
    for (int e = 0; e < 3 && isSliver(own, longest); ++e)
    {
        Vec3 along = vecSub(pointAt(own, (e + 1) % 3), pointAt(own, e));
        if (vecDot(along, along) != longest)
            continue;
        triangleAt(shape, shape->surface.neighbour[3 * triangle + e], moment, own);
        break;
    }
    return unitOr(triangleCross(own), vec3(0, 1, 0));
}

static Vec3 cornerNormalAt(const vvShape *shape, int point, double moment)
{
    const Moving *moving = &shape->moving;
    Vec3 sum = vec3(0, 0, 0);
    for (int i = moving->firstUse[point]; i < moving->firstUse[point + 1]; ++i)
    {
        double own[9];
        int triangle = moving->use[i] / 3;
        triangleAt(shape, triangle, moment, own);
        sum = vecAdd(sum, vecScale(triangleAngle(own, moving->use[i] % 3), faceNormalAt(shape, triangle, moment)));
    }
    return sum;
}

static double sideAt(const vvShape *shape, int t, Region region, double moment, Vec3 faceNormal, Vec3 gap)
{
    const Surface *surface = &shape->surface;
    Vec3 normal = faceNormal;
    if (region >= REGION_CORNER0)
        normal = cornerNormalAt(shape, surface->triangle[3 * t + (int)region - REGION_CORNER0], moment);
    else if (region >= REGION_EDGE0)
        normal = vecAdd(normal, faceNormalAt(shape, surface->neighbour[3 * t + (int)region - REGION_EDGE0], moment));
    return vecDot(gap, normal) < 0 ? -1 : 1;
}

// What is next to a point at a moment.
typedef struct Beside
{
    ShapeSample sample;
    double corners[9];
    Region region;
    Vec3 faceNormal;
} Beside;

static Beside besideAt(const vvShape *shape, double moment, Vec3 point, int hint)
{
    const Surface *surface = &shape->surface;
    int start = hint < 0 || hint >= surface->triangleCount ? -1 : hint;
    int t = treeNearestAt(&surface->tree, surface->corners, shape->moving.endCorners, moment, point, start);
    Beside b;
    triangleAt(shape, t, moment, b.corners);
    Vec3 nearest = triangleNearest(b.corners, point, &b.region);
    b.faceNormal = faceNormalAt(shape, t, moment);
    double side = sideAt(shape, t, b.region, moment, b.faceNormal, vecSub(point, nearest));
    b.sample = triangleSample(b.corners, b.faceNormal, point, nearest, side);
    b.sample.feature = t;
    return b;
}

ShapeSample movingSample(const vvShape *shape, double moment, Vec3 point, double limit, int hint)
{
    double gap = boxGap(&shape->moving.swept, point);
    if (gap > 0 && gap >= limit)
        return (ShapeSample){ .distance = gap, .feature = -1 };
    return besideAt(shape, moment, point, hint).sample;
}

void movingCurvature(const vvShape *shape, double moment, Vec3 point, double *out)
{
    Beside b = besideAt(shape, moment, point, -1);
    triangleCurvature(b.corners, b.region, &b.sample, b.faceNormal, out);
}

// shares of the corners in a point of a triangle; of a sliver all of the nearest corner
static void sharesOf(const double *corners, Vec3 point, double *share)
{
    Vec3 a = vecLoad(corners), u = vecSub(vecLoad(corners + 3), a), v = vecSub(vecLoad(corners + 6), a);
    Vec3 w = vecSub(point, a);
    double uu = vecDot(u, u), uv = vecDot(u, v), vv = vecDot(v, v), wu = vecDot(w, u), wv = vecDot(w, v);
    double area = uu * vv - uv * uv;
    if (area > 1e-18 * (uu + vv) * (uu + vv))
    {
        share[1] = (vv * wu - uv * wv) / area;
        share[2] = (uu * wv - uv * wu) / area;
        share[0] = 1 - share[1] - share[2];
        return;
    }
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < 3; ++i)
    {
        double d = vecLength(vecSub(point, pointAt(corners, i)));
        nearest = d < least ? i : nearest;
        least = minReal(least, d);
        share[i] = 0;
    }
    share[nearest] = 1;
}

Vec3 shapeCarry(const vvShape *shape, double moment, Vec3 point, int feature)
{
    if (!shape->moving.moves)
        return vec3(0, 0, 0);
    if (feature < 0)
        feature = besideAt(shape, moment, point, -1).sample.feature;
    double own[9], share[3];
    Region region;
    triangleAt(shape, feature, moment, own);
    sharesOf(own, triangleNearest(own, point, &region), share);
    const double *start = shape->surface.corners + 9 * (size_t)feature;
    const double *end = shape->moving.endCorners + 9 * (size_t)feature;
    Vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < 3; ++i)
        sum = vecAdd(sum, vecScale(share[i], vecSub(pointAt(end, i), pointAt(start, i))));
    return sum;
}

// the smallest rotation from one normal of the triangle to the other
Vec3 shapeTurn(const vvShape *shape, int feature, double from, double to, Vec3 direction)
{
    if (!shape->moving.moves || feature < 0)
        return direction;
    Vec3 a = faceNormalAt(shape, feature, from), b = faceNormalAt(shape, feature, to), sum = vecAdd(a, b);
    double cosine = vecDot(a, b);
    if (!(cosine > -0.9))
        return b;
    Vec3 turned = vecSub(direction, vecScale(vecDot(sum, direction) / (1 + cosine), sum));
    return vecAdd(turned, vecScale(2 * vecDot(a, direction), b));
}
