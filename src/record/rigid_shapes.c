// What is seen of rigid bodies: the triangles of their shapes in each body's own frame. Planes are left out.
#include "record/record.h"
#include "world/world.h"

#include <stdio.h>

// adds a shape, whose points go from its frame into that of the caller
static bool addShape(Memory *memory, const RigidBody *from, const RigidShape *shape, RecordBody *body)
{
    ShapeTriangles part;
    if (shapeIsPlane(shape->shape, NULL, NULL))
        return true;
    if (!shapeTriangulate(shape->shape, memory, &part))
        return false;
    void *point = body->point, *triangle = body->triangle;
    int points = body->pointCount, triangles = body->triangleCount;
    bool enough = memoryGrow(memory, &point, 3 * (size_t)points, 3 * (size_t)(points + part.pointCount), sizeof(float));
    body->point = point;
    enough = enough && memoryGrow(memory, &triangle, 3 * (size_t)triangles,
                                  3 * (size_t)(triangles + part.triangleCount), sizeof(int));
    body->triangle = triangle;
    for (int i = 0; enough && i < part.pointCount; ++i)
    {
        Vec3 local = vecAdd(shape->position, quatRotate(shape->rotation, vecLoad(part.point + 3 * (size_t)i)));
        Vec3 own = quatRotateBack(from->frame, vecSub(local, from->origin));
        float *to = body->point + 3 * (size_t)(points + i);
        to[0] = toFloat(own.x);
        to[1] = toFloat(own.y);
        to[2] = toFloat(own.z);
    }
    for (int i = 0; enough && i < 3 * part.triangleCount; ++i)
        body->triangle[3 * (size_t)triangles + (size_t)i] = points + part.triangle[i];
    body->pointCount += enough ? part.pointCount : 0;
    body->triangleCount += enough ? part.triangleCount : 0;
    shapeTrianglesFree(memory, &part);
    return enough;
}

vvResult rigidsFind(vvRecorder *recorder)
{
    Memory *memory = &recorder->memory;
    int count = vvWorld_GetRigidBodies(recorder->world, NULL, 0);
    vvRigidBodyId *ids = ALLOCATE(memory, vvRigidBodyId, count);
    recorder->rigid = ALLOCATE(memory, RecordBody, count);
    bool enough = ids != NULL && recorder->rigid != NULL;
    if (enough)
    {
        vvWorld_GetRigidBodies(recorder->world, ids, count);
        recorder->rigidCount = count;
    }
    for (int i = 0; enough && i < count; ++i)
    {
        World *world;
        RecordBody *body = &recorder->rigid[i];
        const Rigid *rigid = rigidFind(ids[i], &world);
        snprintf(body->name, sizeof body->name, "rigid_%d", i);
        for (int k = 0; enough && k < rigid->body.shapeCount; ++k)
            enough = addShape(memory, &rigid->body, &rigid->body.shape[k], body);
    }
    memoryRelease(memory, ids);
    return enough ? resultOk() : resultOutOfMemory("the rigid bodies of a record");
}

void rigidsRelease(vvRecorder *recorder)
{
    for (int i = 0; recorder->rigid != NULL && i < recorder->rigidCount; ++i)
    {
        memoryRelease(&recorder->memory, recorder->rigid[i].point);
        memoryRelease(&recorder->memory, recorder->rigid[i].triangle);
    }
    memoryRelease(&recorder->memory, recorder->rigid);
    recorder->rigid = NULL;
    recorder->rigidCount = 0;
}
