// What a picture of a world shows: its present state.
#include "studio/show.h"

#include "base/quaternion.h"

#include <string.h>

#define MOST_SPRINGS 256 // between bodies; more of them are a bond, which is not seen
#define MOST_SHAPES 1000 // of a rigid body

static vvResult noRoom(void)
{
    return resultOutOfMemory("a picture of a world");
}

// ---- bodies ---------------------------------------------------------------------------------------------------------

// where the vertices are, or the points of the surface that the body carries; `shift`: these many seconds back
static bool loadPoints(ShownBody *body, double seconds, double *target, Memory *memory)
{
    const vvEmbedding *carried = vvMesh_GetEmbedding(body->mesh);
    int count = vvMesh_GetVertexCount(body->mesh);
    const double *position = vvSoftBody_GetPositions(body->id), *velocity = vvSoftBody_GetVelocities(body->id);
    double *vertex = carried != NULL ? ALLOCATE(memory, double, 3 * (size_t)count) : target;
    if (vertex == NULL)
        return false;
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        vertex[i] = position[i] - seconds * velocity[i];
    bool good = carried == NULL || vvEmbedding_GetPositions(carried, vertex, target).code == VV_OK;
    if (carried != NULL)
        memoryRelease(memory, vertex);
    return good;
}

static vvResult showBodies(Show *show, vvWorldId world, vvColouring colouring)
{
    int count = vvWorld_GetBodies(world, NULL, 0);
    vvSoftBodyId *id = ALLOCATE(show->memory, vvSoftBodyId, count);
    show->body = ALLOCATE(show->memory, ShownBody, count);
    show->bodyCount = show->body != NULL ? count : 0;
    bool good = count == 0 || (id != NULL && show->body != NULL);
    if (good && count > 0)
        vvWorld_GetBodies(world, id, count);
    for (int i = 0; i < count && good; ++i)
    {
        ShownBody *body = &show->body[i];
        good = shownBodyStart(show->memory, body, id[i]) && loadPoints(body, 0, body->points, show->memory);
        if (good && colouring == VV_COLOUR_STRAIN)
            fieldStrain(body);
        if (!good || colouring != VV_COLOUR_SPEED)
            continue;
        good = loadPoints(body, 1, body->before, show->memory);
        fieldSpeed(body, 1);
    }
    memoryRelease(show->memory, id);
    return good ? resultOk() : noRoom();
}

static vvResult showSprings(Show *show, vvWorldId world)
{
    int count = vvWorld_GetAttachments(world, NULL, 0);
    vvAttachmentId *id = ALLOCATE(show->memory, vvAttachmentId, count);
    show->spring = ALLOCATE(show->memory, vvAttachmentDef, MOST_SPRINGS);
    bool good = show->spring != NULL && (count == 0 || id != NULL);
    if (good && count > 0)
        vvWorld_GetAttachments(world, id, count);
    for (int i = 0; i < count && good; ++i)
    {
        vvAttachmentDef def;
        bool between = vvAttachment_GetDef(id[i], &def).code == VV_OK && def.bodyB.index1 != 0;
        if (between && show->springCount == MOST_SPRINGS)
        {
            show->springCount = 0;
            break;
        }
        if (between)
            show->spring[show->springCount++] = def;
    }
    memoryRelease(show->memory, id);
    return good ? resultOk() : noRoom();
}

// ---- colliders and rigid bodies -------------------------------------------------------------------------------------

static bool addCollider(Show *show, vvColliderId id)
{
    ShownCollider *collider = &show->collider[show->colliderCount++];
    vvPose pose = vvCollider_GetPose(id);
    if (!shownColliderStart(show->memory, collider, vvCollider_GetShape(id), -1))
        return false;
    int moved = vvCollider_GetPoints(id, NULL, 0);
    double *points = moved > 0 ? ALLOCATE(show->memory, double, 3 * (size_t)moved) : NULL;
    if (moved > 0 && points == NULL)
        return false;
    if (moved > 0)
        vvCollider_GetPoints(id, points, moved);
    bool deforms = moved > 0 && moved == collider->shape.pointCount;
    shownColliderPlace(collider, poseMake(pose.position, pose.rotation), deforms ? points : NULL);
    memoryRelease(show->memory, points);
    return true;
}

static bool addRigid(Show *show, vvRigidBodyId id, int index, vvRigidShape *part)
{
    int count = minInt(vvRigidBody_GetShapes(id, part, MOST_SHAPES), MOST_SHAPES);
    vvPose pose = vvRigidBody_GetPose(id);
    Pose frame = poseMake(pose.position, pose.rotation);
    void *colliders = show->collider;
    if (!memoryGrow(show->memory, &colliders, (size_t)show->colliderCount, (size_t)(show->colliderCount + count),
                    sizeof(ShownCollider)))
        return false;
    show->collider = colliders;
    for (int i = 0; i < count; ++i)
    {
        ShownCollider *collider = &show->collider[show->colliderCount++];
        if (!shownColliderStart(show->memory, collider, part[i].shape, index))
            return false;
        Pose own = poseMake(vecAdd(frame.position, matApply(&frame.turn, part[i].position)),
                            quatMultiply(pose.rotation, part[i].rotation));
        shownColliderPlace(collider, own, NULL);
    }
    return true;
}

static vvResult showColliders(Show *show, vvWorldId world)
{
    int count = vvWorld_GetColliders(world, NULL, 0), rigids = vvWorld_GetRigidBodies(world, NULL, 0);
    vvColliderId *id = ALLOCATE(show->memory, vvColliderId, count);
    vvRigidBodyId *rigid = ALLOCATE(show->memory, vvRigidBodyId, rigids);
    vvRigidShape *part = rigids > 0 ? ALLOCATE(show->memory, vvRigidShape, MOST_SHAPES) : NULL;
    show->collider = ALLOCATE(show->memory, ShownCollider, count);
    bool good =
        (count == 0 || (id != NULL && show->collider != NULL)) && (rigids == 0 || (rigid != NULL && part != NULL));
    if (good && count > 0)
        vvWorld_GetColliders(world, id, count);
    if (good && rigids > 0)
        vvWorld_GetRigidBodies(world, rigid, rigids);
    for (int i = 0; i < count && good; ++i)
        good = addCollider(show, id[i]);
    for (int i = 0; i < rigids && good; ++i)
        good = addRigid(show, rigid[i], i, part);
    memoryRelease(show->memory, id);
    memoryRelease(show->memory, rigid);
    memoryRelease(show->memory, part);
    return good && ropesFind(show, world) ? resultOk() : noRoom();
}

// ---- fluids ---------------------------------------------------------------------------------------------------------

static vvResult showFluids(Show *show, vvWorldId world)
{
    vvFluidId id[MOST_FLUIDS];
    int count = minInt(vvWorld_GetFluids(world, id, MOST_FLUIDS), MOST_FLUIDS);
    for (int i = 0; i < count; ++i)
    {
        ShownFluid *fluid = &show->fluid[show->fluidCount++];
        fluid->spacing = vvFluid_GetSpacing(id[i]);
        fluid->count = fluid->room = vvFluid_GetCount(id[i]);
        if (fluid->count == 0)
            continue;
        fluid->points = ALLOCATE(show->memory, double, 3 * (size_t)fluid->count);
        if (fluid->points == NULL)
            return noRoom();
        memcpy(fluid->points, vvFluid_GetPositions(id[i]), 3 * (size_t)fluid->count * sizeof(double));
    }
    return resultOk();
}

vvResult showWorld(Show *show, Memory *memory, vvWorldId world, vvColouring colouring)
{
    *show = (Show){ .memory = memory };
    vvResult result = showBodies(show, world, colouring);
    if (result.code == VV_OK)
        result = showSprings(show, world);
    if (result.code == VV_OK)
        result = showColliders(show, world);
    return result.code == VV_OK ? showFluids(show, world) : result;
}
