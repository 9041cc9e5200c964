// What is seen of a scene: which vertices are sent, how they make triangles and lines, what stands in which pose.
#include "live/session.h"

#include "base/quaternion.h"

#include <string.h>

// ---- bodies ---------------------------------------------------------------------------------------------------------

static void bodyFree(Live *live, Drawn *drawn)
{
    memoryRelease(&live->memory, drawn->vertex);
    memoryRelease(&live->memory, drawn->slot);
    memoryRelease(&live->memory, drawn->corner);
    memoryRelease(&live->memory, drawn->points);
    drawn->vertex = drawn->slot = drawn->corner = NULL;
    drawn->points = NULL;
}

static bool isRope(const vvMesh *mesh)
{
    return vvMesh_GetTetCount(mesh) == 0 && vvMesh_GetSurfaceCount(mesh) == 0;
}

// triangles of the surface, or the structural edges of a rope
static int gatherCorners(const vvMesh *mesh, int *corner)
{
    int count = 0;
    if (!isRope(mesh))
    {
        count = vvMesh_GetSurfaceCount(mesh);
        if (corner != NULL)
            memcpy(corner, vvMesh_GetSurface(mesh), 3 * (size_t)count * sizeof *corner);
        return count;
    }
    for (int e = 0; e < vvMesh_GetEdgeCount(mesh); ++e)
    {
        if (vvMesh_GetEdgeKinds(mesh)[e] != VV_EDGE_STRUCTURAL)
            continue;
        if (corner != NULL)
            memcpy(corner + 2 * (ptrdiff_t)count, vvMesh_GetEdges(mesh) + 2 * (ptrdiff_t)e, 2 * sizeof *corner);
        count += 1;
    }
    return count;
}

// only vertices that a triangle or line uses are sent: of a solid those of its surface
static void compact(Drawn *drawn)
{
    int width = drawn->lines ? 2 : 3;
    memset(drawn->slot, 0xff, (size_t)drawn->bodyCount * sizeof *drawn->slot);
    for (ptrdiff_t k = 0; k < (ptrdiff_t)width * drawn->elementCount; ++k)
        drawn->slot[drawn->corner[k]] = 0;
    drawn->vertexCount = 0;
    for (int v = 0; v < drawn->bodyCount; ++v)
    {
        if (drawn->slot[v] < 0)
            continue;
        drawn->vertex[drawn->vertexCount] = v;
        drawn->slot[v] = drawn->vertexCount++;
    }
    for (ptrdiff_t k = 0; k < (ptrdiff_t)width * drawn->elementCount; ++k)
        drawn->corner[k] = drawn->slot[drawn->corner[k]];
}

static bool bodyMake(Live *live, Drawn *drawn)
{
    const vvMesh *mesh = vvSoftBody_GetMesh(drawn->body);
    drawn->changes = vvSoftBody_GetChangeCount(drawn->body);
    drawn->bodyCount = vvSoftBody_GetVertexCount(drawn->body);
    drawn->lines = isRope(mesh);
    drawn->embedding = drawn->changes == 0 ? vvMesh_GetEmbedding(mesh) : NULL;
    if (drawn->embedding != NULL && vvEmbedding_GetTriangleCount(drawn->embedding) > 0)
    {
        drawn->vertexCount = vvEmbedding_GetPointCount(drawn->embedding);
        drawn->points = ALLOCATE(&live->memory, double, 3 * (size_t)(drawn->vertexCount + drawn->bodyCount));
        return drawn->points != NULL;
    }
    drawn->embedding = NULL;
    drawn->elementCount = gatherCorners(mesh, NULL);
    drawn->corner = ALLOCATE(&live->memory, int, 3 * (size_t)drawn->elementCount + 1);
    drawn->vertex = ALLOCATE(&live->memory, int, drawn->bodyCount);
    drawn->slot = ALLOCATE(&live->memory, int, drawn->bodyCount);
    drawn->points = ALLOCATE(&live->memory, double, 3 * (size_t)drawn->bodyCount);
    if (!drawn->corner || !drawn->vertex || !drawn->slot || !drawn->points)
        return false;
    gatherCorners(mesh, drawn->corner);
    compact(drawn);
    return true;
}

// ---- shapes ---------------------------------------------------------------------------------------------------------

static bool shapeMake(Live *live, Drawn *drawn, const vvShape *shape)
{
    drawn->isPlane = shapeIsPlane(shape, NULL, NULL);
    drawn->deforms = drawn->kind == DRAWN_COLLIDER && sceneColliderPoints(live->built, drawn->index, 0, NULL) > 0;
    if (!drawn->deforms)
        drawn->pose = live->poseCount++;
    if (!shapeTriangulate(shape, &live->memory, &drawn->shape))
        return false;
    drawn->points = ALLOCATE(&live->memory, double, 3 * (size_t)drawn->shape.pointCount + 1);
    return drawn->points != NULL;
}

static const vvShape *shapeOf(const Live *live, const Drawn *drawn)
{
    return drawn->kind == DRAWN_RIGID ? sceneRigidShape(live->built, drawn->index)
                                      : sceneColliderShape(live->built, drawn->index);
}

// ---- all of them ----------------------------------------------------------------------------------------------------

static vvResult makeAll(Live *live)
{
    vvFluidId fluid[64];
    int bodies = sceneBodyCount(live->built), colliders = sceneColliderCount(live->built),
        rigids = sceneRigidCount(live->built), fluids = vvWorld_GetFluids(sceneWorldId(live->built), fluid, 64);
    bool good = true;
    live->drawn = ALLOCATE(&live->memory, Drawn, bodies + colliders + rigids + fluids + 1);
    if (live->drawn == NULL)
        return resultOutOfMemory("the picture");
    for (int i = 0; i < bodies + colliders + rigids + fluids && good; ++i)
    {
        Drawn *drawn = &live->drawn[live->drawnCount++];
        drawn->pose = -1;
        drawn->kind = i < bodies                        ? DRAWN_BODY
                      : i < bodies + colliders          ? DRAWN_COLLIDER
                      : i < bodies + colliders + rigids ? DRAWN_RIGID
                                                        : DRAWN_FLUID;
        drawn->index = i < bodies                        ? i
                       : i < bodies + colliders          ? i - bodies
                       : i < bodies + colliders + rigids ? i - bodies - colliders
                                                         : i - bodies - colliders - rigids;
        if (drawn->kind == DRAWN_FLUID)
            drawn->fluid = fluid[drawn->index];
        else if (drawn->kind == DRAWN_BODY)
        {
            drawn->body = sceneBody(live->built, drawn->index);
            good = bodyMake(live, drawn);
        }
        else
            good = shapeMake(live, drawn, shapeOf(live, drawn));
    }
    return good ? resultOk() : resultOutOfMemory("the picture");
}

vvResult drawnMake(Live *live)
{
    drawnFree(live);
    return makeAll(live);
}

void drawnFree(Live *live)
{
    for (int i = 0; i < live->drawnCount; ++i)
    {
        bodyFree(live, &live->drawn[i]);
        shapeTrianglesFree(&live->memory, &live->drawn[i].shape);
    }
    memoryRelease(&live->memory, live->drawn);
    live->drawn = NULL;
    live->drawnCount = live->poseCount = 0;
}

bool drawnRenew(Live *live)
{
    bool changed = false;
    for (int i = 0; i < live->drawnCount; ++i)
    {
        Drawn *drawn = &live->drawn[i];
        if (drawn->kind != DRAWN_BODY || (vvSoftBody_GetChangeCount(drawn->body) == drawn->changes &&
                                          vvSoftBody_GetVertexCount(drawn->body) == drawn->bodyCount))
            continue;
        bodyFree(live, drawn);
        if (!bodyMake(live, drawn))
        {
            drawn->vertexCount = drawn->elementCount = 0; // it is not seen, and goes on
            vvResult result = resultOutOfMemory("the picture");
            liveError(live, "frame", NULL, &result);
        }
        changed = true;
    }
    return changed;
}

int drawnOf(const Live *live, DrawnKind kind, int index)
{
    for (int i = 0; i < live->drawnCount; ++i)
    {
        if (live->drawn[i].kind == kind && live->drawn[i].index == index)
            return i;
    }
    return -1;
}

// ---- messages -------------------------------------------------------------------------------------------------------

static double radiusOf(const Live *live, const Drawn *drawn)
{
    if (drawn->kind == DRAWN_FLUID)
        return 0.5 * vvFluid_GetSpacing(drawn->fluid);
    if (drawn->kind != DRAWN_BODY)
        return 0;
    (void)live;
    return 0.5 * vvSoftBody_GetMaterial(drawn->body).thickness;
}

static const char *formOf(const Drawn *drawn)
{
    if (drawn->kind == DRAWN_FLUID)
        return "points";
    if (drawn->isPlane)
        return "plane";
    return drawn->lines ? "lines" : "surface";
}

void drawnDescribe(const Live *live, Json *list)
{
    static const char *const kinds[] = { "body", "collider", "rigid", "fluid" };
    for (int i = 0; i < live->drawnCount; ++i)
    {
        const Drawn *drawn = &live->drawn[i];
        Json *object = jsonAdd(list, NULL, JSON_OBJECT);
        bool sheet = drawn->kind == DRAWN_BODY && vvMesh_GetTetCount(vvSoftBody_GetMesh(drawn->body)) == 0;
        jsonAddString(object, "kind", kinds[drawn->kind]);
        jsonAddNumber(object, "index", drawn->index);
        jsonAddString(object, "name",
                      drawn->kind == DRAWN_BODY       ? vvSoftBody_GetName(drawn->body)
                      : drawn->kind == DRAWN_COLLIDER ? sceneColliderKind(live->built, drawn->index)
                                                      : kinds[drawn->kind]);
        jsonAddString(object, "form", formOf(drawn));
        jsonAdd(object, "sheet", sheet ? JSON_TRUE : JSON_FALSE);
        jsonAddNumber(object, "radius", radiusOf(live, drawn));
        jsonAddNumber(object, "pose", drawn->pose);
        if (!drawn->isPlane)
            continue;
        Vec3 normal;
        double offset;
        shapeIsPlane(shapeOf(live, drawn), &normal, &offset);
        Json *direction = jsonAdd(object, "normal", JSON_LIST);
        jsonAddNumber(direction, NULL, normal.x);
        jsonAddNumber(direction, NULL, normal.y);
        jsonAddNumber(direction, NULL, normal.z);
        jsonAddNumber(object, "offset", offset);
    }
}

static void putCorners(Live *live, int object, const int *corner, int count, bool lines)
{
    int width = lines ? 2 : 3;
    uint32_t *to = packSection(live, &live->pack, lines ? SECTION_LINES : SECTION_TRIANGLES, object, count,
                               (size_t)width * sizeof *to);
    for (ptrdiff_t k = 0; to != NULL && k < (ptrdiff_t)width * count; ++k)
        to[k] = (uint32_t)corner[k];
}

void drawnSendShapes(Live *live)
{
    packBegin(live, &live->pack, PACK_SHAPES, live->frame, liveTime(live), 2 * live->drawnCount);
    for (int i = 0; i < live->drawnCount; ++i)
    {
        const Drawn *drawn = &live->drawn[i];
        if (drawn->kind == DRAWN_BODY && drawn->embedding != NULL)
            putCorners(live, i, vvEmbedding_GetTriangles(drawn->embedding),
                       vvEmbedding_GetTriangleCount(drawn->embedding), false);
        else if (drawn->kind == DRAWN_BODY)
            putCorners(live, i, drawn->corner, drawn->elementCount, drawn->lines);
        else if (drawn->kind != DRAWN_FLUID && !drawn->isPlane)
        {
            const ShapeTriangles *shape = &drawn->shape;
            putCorners(live, i, shape->triangle, shape->triangleCount, false);
            if (drawn->deforms)
                continue;
            float *to = packSection(live, &live->pack, SECTION_POSITIONS, i, shape->pointCount, 3 * sizeof *to);
            for (ptrdiff_t k = 0; to != NULL && k < 3 * (ptrdiff_t)shape->pointCount; ++k)
                to[k] = (float)shape->point[k];
        }
    }
    packSend(live, &live->pack);
}
