// Colliders of a scene: their shapes, and where their keyframes put them.
#include "scene/built.h"

#include <stdio.h>
#include <string.h>

// ---- shapes ---------------------------------------------------------------------------------------------------------

// numbers of a list of rows, one row behind the other; the caller releases them
static double *flatten(Memory *memory, const Json *rows, int *rowCount, int *width)
{
    *rowCount = jsonCount(rows);
    *width = jsonCount(rows->first);
    double *values = ALLOCATE(memory, double, (size_t)*rowCount *(size_t)*width), *next = values;
    TREE_EACH(row, rows)
    {
        for (const Json *number = row->first; number != NULL && values != NULL; number = number->next)
            *next++ = number->number;
    }
    return values;
}

// of points: the hull; of rows: a heightfield
static vvShape *shapeOfRows(Memory *memory, const Json *rows, vvShapeDef *def, vvResult *result)
{
    int rowCount, width;
    double *values = flatten(memory, rows, &rowCount, &width);
    if (values == NULL)
    {
        *result = resultOutOfMemory("the points of a collider");
        return NULL;
    }
    def->points = def->heights = values;
    def->pointCount = def->rows = rowCount;
    def->columns = width;
    vvShape *shape = vvCreateShape(def, result);
    memoryRelease(memory, values);
    return shape;
}

// the surface of a mesh file, or the hull of its points
static vvShape *shapeOfFile(const Json *collider, vvShapeDef *def, vvResult *result)
{
    vvMeshDef meshDef = vvDefaultMeshDef();
    meshDef.shape = VV_MESH_FILE;
    meshDef.allocator = def->allocator;
    meshDef.file = treeString(collider, "file");
    meshDef.format = treeString(collider, "format");
    meshDef.scale = treeNumber(collider, "scale", 1);
    vvMesh *mesh = vvCreateMesh(&meshDef, result);
    if (mesh == NULL)
        return NULL;
    def->points = vvMesh_GetPoints(mesh);
    def->pointCount = vvMesh_GetVertexCount(mesh);
    def->triangles = vvMesh_GetSurface(mesh);
    def->triangleCount = vvMesh_GetSurfaceCount(mesh);
    vvShape *shape = vvCreateShape(def, result);
    vvDestroyMesh(mesh);
    return shape;
}

// the points of the surface alone, in `points`; corners are renumbered. Returns how many there are
static int keepSurface(const vvMesh *mesh, int *place, double *points, int *triangle)
{
    const int *corner = vvMesh_GetSurface(mesh);
    int count = 0;
    for (int v = 0; v < vvMesh_GetVertexCount(mesh); ++v)
        place[v] = -1;
    for (int i = 0; i < 3 * vvMesh_GetSurfaceCount(mesh); ++i)
    {
        if (place[corner[i]] < 0)
        {
            memcpy(points + 3 * (size_t)count, vvMesh_GetPoints(mesh) + 3 * (size_t)corner[i], 3 * sizeof(double));
            place[corner[i]] = count++;
        }
        triangle[i] = place[corner[i]];
    }
    return count;
}

// a person, who stands or walks
static vvShape *shapeOfFigure(SceneWorld *built, SceneCollider *out, const Json *collider, vvShapeDef *def,
                              vvResult *result)
{
    Memory *memory = &built->memory;
    vvMeshDef meshDef = vvDefaultMeshDef();
    meshDef.shape = VV_MESH_FIGURE;
    meshDef.allocator = def->allocator;
    meshDef.size.x = treeNumber(collider, "height", 1.8);
    meshDef.cells[0] = (int)treeNumber(collider, "cells", 4);
    vvMesh *mesh = vvCreateMesh(&meshDef, result);
    if (mesh == NULL)
        return NULL;
    int vertices = vvMesh_GetVertexCount(mesh), triangles = vvMesh_GetSurfaceCount(mesh);
    int *place = ALLOCATE(memory, int, vertices), *triangle = ALLOCATE(memory, int, 3 * (size_t)triangles);
    Animation *walk = &out->animation;
    walk->standing = ALLOCATE(memory, double, 3 * (size_t)vertices);
    out->point = ALLOCATE(memory, double, 3 * (size_t)vertices);
    vvShape *shape = NULL;
    if (place == NULL || triangle == NULL || walk->standing == NULL || out->point == NULL)
        *result = resultOutOfMemory("a figure");
    else
    {
        def->points = walk->standing;
        def->pointCount = walk->pointCount = keepSurface(mesh, place, walk->standing, triangle);
        def->triangles = triangle;
        def->triangleCount = triangles;
        walk->figure = treeSwitch(collider, "walk") ? meshDef.size.x : 0;
        shape = vvCreateShape(def, result);
    }
    memoryRelease(memory, place);
    memoryRelease(memory, triangle);
    vvDestroyMesh(mesh);
    return shape;
}

vvShape *sceneShape(SceneWorld *built, SceneCollider *out, const Json *collider, vvResult *result)
{
    static const int box[3] = { 0, 1, 2 }, plan[2] = { 0, 2 };
    vvShapeDef def = vvDefaultShapeDef();
    double size[3] = { 1, 1, 1 };
    def.kind = solidKind(treeString(collider, "shape"));
    def.allocator = built->memory.hook;
    def.offset = treeNumber(collider, "offset", 0);
    def.radius = treeNumber(collider, "radius", def.radius);
    def.sampling = treeNumber(collider, "sampling", 0);
    if (solidIsFigure(treeString(collider, "shape")))
        return shapeOfFigure(built, out, collider, &def, result);
    if (def.kind == VV_SHAPE_PLANE)
        def.normal = treeVector(collider, "normal");
    if (def.kind == VV_SHAPE_BOX)
        spreadNumbers(treeItem(collider, "size"), 3, box, size);
    if (def.kind == VV_SHAPE_HEIGHTFIELD)
        spreadNumbers(treeItem(collider, "size"), 2, plan, size);
    size[1] = treeNumber(collider, "length", size[1]);
    def.size = (vvVec3){ size[0], size[1], size[2] };
    const Json *rows = treeItem(collider, def.kind == VV_SHAPE_CONVEX ? "points" : "heights");
    if (rows != NULL)
        return shapeOfRows(&built->memory, rows, &def, result);
    return treeString(collider, "file") ? shapeOfFile(collider, &def, result) : vvCreateShape(&def, result);
}

// ---- colliders ------------------------------------------------------------------------------------------------------

static vvResult readPoses(SceneWorld *built, SceneCollider *out, const Json *collider)
{
    out->start = (Keyframe){ 0, treeVector(collider, "position"), treeVector(collider, "rotate") };
    int count = treeCount(collider, "keyframes");
    if (count == 0)
        return resultOk();
    out->keyframe = ALLOCATE(&built->memory, Keyframe, count);
    if (out->keyframe == NULL)
        return resultOutOfMemory("keyframes");
    TREE_EACH(pose, treeItem(collider, "keyframes"))
        out->keyframe[out->keyframeCount++] =
            (Keyframe){ treeNumber(pose, "time", 0), treeVector(pose, "position"), treeVector(pose, "rotate") };
    if (out->keyframe[0].time == 0)
        out->start = out->keyframe[0];
    return resultOk();
}

// its animation, which the mesh then begins with
static vvResult readAnimation(SceneWorld *built, SceneCollider *out, const Json *collider)
{
    const Json *tree = treeItem(collider, "animation");
    vvResult result = animationRead(built, tree, treeNumber(collider, "scale", 1), &out->animation);
    if (result.code == VV_OK)
        out->point = ALLOCATE(&built->memory, double, 3 * (size_t)out->animation.pointCount);
    if (result.code == VV_OK && out->point == NULL)
        result = resultOutOfMemory("an animation");
    return result.code == VV_OK ? result : resultMake(result.code, result.remedy, "animation: %s", result.message);
}

const double *colliderPointsAt(SceneCollider *collider, double time)
{
    if (collider->pointTime != time)
        animationAt(&collider->animation, time, collider->point);
    collider->pointTime = time;
    return collider->point;
}

static vvResult beginAnimation(SceneCollider *out)
{
    vvResult result = vvCollider_SetPoints(out->id, colliderPointsAt(out, 0), out->animation.pointCount);
    return result.code == VV_OK ? result : resultMake(result.code, result.remedy, "animation: %s", result.message);
}

static vvResult buildCollider(SceneWorld *built, const Json *collider)
{
    char path[40];
    snprintf(path, sizeof path, "colliders[%d]", built->colliderCount);
    SceneCollider *out = &built->collider[built->colliderCount++]; // counted, so that what it allocated is released
    out->pointTime = -1;
    vvResult result = readPoses(built, out, collider);
    if (result.code == VV_OK)
        out->shape = sceneShape(built, out, collider, &result);
    if (result.code == VV_OK && treeItem(collider, "animation") != NULL)
        result = readAnimation(built, out, collider);
    if (result.code == VV_OK)
    {
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = out->shape;
        def.position = out->start.move;
        def.rotation = vvQuat_FromDegrees(out->start.rotate);
        def.friction = treeNumber(collider, "friction", def.friction);
        def.restitution = treeNumber(collider, "restitution", def.restitution);
        def.stiffness = treeNumber(collider, "stiffness", 0);
        def.vertexStiffness = treeNumber(collider, "vertexStiffness", 0);
        def.deforms = animationIs(&out->animation);
        def.sensor = treeSwitch(collider, "sensor");
        def.adhesion = treeNumber(collider, "adhesion", 0);
        def.oneWay = treeVector(collider, "oneWay");
        def.surfaceVelocity = treeVector(collider, "surfaceVelocity");
        def.category = (uint32_t)treeNumber(collider, "category", 1);
        def.mask = (uint32_t)treeNumber(collider, "mask", UINT32_MAX);
        out->id = vvCreateCollider(built->world, &def, &result);
    }
    if (result.code == VV_OK && animationIs(&out->animation))
        result = beginAnimation(out);
    if (result.code == VV_OK)
        return result;
    return pathResult(path, &result);
}

vvResult buildColliders(SceneWorld *built)
{
    const Json *colliders = treeItem(built->scene->tree, "colliders");
    int count = treeCount(built->scene->tree, "colliders");
    vvResult result = resultOk();
    if (count == 0)
        return result;
    built->collider = ALLOCATE(&built->memory, SceneCollider, count);
    if (built->collider == NULL)
        return resultOutOfMemory("the scene's colliders");
    TREE_EACH(collider, colliders)
    {
        if (result.code == VV_OK)
            result = buildCollider(built, collider);
    }
    return result;
}

void releaseColliders(SceneWorld *built)
{
    for (int i = 0; i < built->colliderCount; ++i)
    {
        vvDestroyShape(built->collider[i].shape);
        memoryRelease(&built->memory, built->collider[i].keyframe);
        memoryRelease(&built->memory, built->collider[i].point);
        animationRelease(built, &built->collider[i].animation);
    }
    memoryRelease(&built->memory, built->collider);
}

// ---- what the program asks ------------------------------------------------------------------------------------------

int sceneColliderCount(const SceneWorld *built)
{
    return built->colliderCount;
}

vvColliderId sceneCollider(const SceneWorld *built, int index)
{
    return index >= 0 && index < built->colliderCount ? built->collider[index].id : (vvColliderId){ 0, 0, 0 };
}

const vvShape *sceneColliderShape(const SceneWorld *built, int index)
{
    return built->collider[index].shape;
}

static const Json *colliderAt(const SceneWorld *built, int index)
{
    return jsonEntry(treeItem(built->scene->tree, "colliders"), index);
}

const char *sceneColliderKind(const SceneWorld *built, int index)
{
    return treeString(colliderAt(built, index), "shape");
}

double sceneColliderNumber(const SceneWorld *built, int index, const char *key)
{
    return treeNumber(colliderAt(built, index), key, 0);
}

void sceneColliderPose(const SceneWorld *built, int index, double time, vvVec3 *position, vvVec3 *rotate)
{
    const SceneCollider *collider = &built->collider[index];
    Keyframe at = keyframeAt(collider->keyframe, collider->keyframeCount, &collider->start, time);
    *position = at.move;
    *rotate = at.rotate;
}

int sceneColliderPoints(const SceneWorld *built, int index, double time, double *points)
{
    const SceneCollider *collider = &built->collider[index];
    if (!animationIs(&collider->animation))
        return 0;
    if (points != NULL)
        animationAt(&collider->animation, time, points);
    return collider->animation.pointCount;
}
