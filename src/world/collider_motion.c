// Colliders that move: as a whole by their pose, and those that deform by their points.
#include "world/world.h"

const vvShape *vvCollider_GetShape(vvColliderId id)
{
    World *world;
    const Collider *collider = colliderFind(id, &world);
    return collider ? collider->shape : NULL;
}

// ---- poses ----------------------------------------------------------------------------------------------------------

vvPose vvCollider_GetPose(vvColliderId id)
{
    World *world;
    const Collider *collider = colliderFind(id, &world);
    if (collider == NULL)
        return (vvPose){ { 0, 0, 0 }, { 1, 0, 0, 0 } };
    const double *q = collider->start.quaternion;
    return (vvPose){ collider->start.position, { q[0], q[1], q[2], q[3] } };
}

// what touched it lets go where it was, and looks around where it is
vvResult vvCollider_SetPose(vvColliderId id, vvPose pose)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    vvResult result = collider ? checkPose(pose.position, pose.rotation) : refused("collider");
    if (result.code != VV_OK)
        return result;
    collider->used = false;
    collidersBook(world);
    collider->used = true;
    collider->start = collider->target = poseOf(pose.position, pose.rotation);
    collider->moves = false;
    collidersBook(world);
    return result;
}

vvResult vvCollider_MoveTo(vvColliderId id, vvVec3 position, vvQuat rotation)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    if (collider == NULL)
        return refused("collider");
    vvResult result = checkPose(position, rotation);
    if (result.code != VV_OK)
        return result;
    collider->target = poseOf(position, rotation);
    collider->moves = true;
    return result;
}

// ---- points ---------------------------------------------------------------------------------------------------------

static vvResult checkMoved(const Collider *collider, const double *points, int pointCount)
{
    if (!collider->deforms)
        return resultMake(VV_BAD_INPUT, "set deforms in its vvColliderDef", "the points of this collider cannot move");
    return shapeCheckPoints(collider->shape, points, pointCount);
}

vvResult vvCollider_MovePoints(vvColliderId id, const double *points, int pointCount)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    vvResult result = collider ? checkMoved(collider, points, pointCount) : refused("collider");
    if (result.code != VV_OK)
        return result;
    shapeMovePoints(collider->shape, points);
    collider->moves = true;
    return result;
}

// what touched it lets go where it was, and looks around where it is
vvResult vvCollider_SetPoints(vvColliderId id, const double *points, int pointCount)
{
    World *world;
    Collider *collider = colliderOpen(id, &world);
    vvResult result = collider ? checkMoved(collider, points, pointCount) : refused("collider");
    if (result.code != VV_OK)
        return result;
    collider->used = false;
    collidersBook(world);
    collider->used = true;
    shapeMovePoints(collider->shape, points);
    shapeArrive(collider->shape);
    collidersBook(world);
    return result;
}

int vvCollider_GetPoints(vvColliderId id, double *points, int capacity)
{
    World *world;
    const Collider *collider = colliderFind(id, &world);
    double *start = NULL, *end = NULL;
    int count = collider ? shapeMovingPoints(collider->shape, &start, &end) : 0;
    for (int i = 0; points != NULL && i < 3 * minInt(count, capacity); ++i)
        points[i] = start[i];
    return count;
}

// ---- the end of a step ----------------------------------------------------------------------------------------------

void collidersArrive(World *world)
{
    bool drive = false;
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        const Collider *collider = &world->colliders.item[i];
        drive |= collider->drives || (collider->deforms && collider->moves);
    }
    for (const Body *body = world->firstBody; body != NULL && drive; body = body->next)
    {
        if (body->contact != NULL && !body->contact->off)
            contactArrive(body->contact);
    }
    collidersTravel(world, 0);
    for (int i = 0; i < world->colliders.slotCount; ++i)
    {
        Collider *collider = &world->colliders.item[i];
        collider->start = collider->target;
        collider->moves = false;
        if (collider->used && collider->deforms)
            shapeArrive(collider->shape);
    }
}
