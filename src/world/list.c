// Lists of what is in a world.
#include "world/world.h"

// slot after slot, as long as there is room
#define LIST(Type, target, capacity, count, world, slot, generation)                                                   \
    do                                                                                                                 \
    {                                                                                                                  \
        if ((target) != NULL && (count) < (capacity))                                                                  \
            (target)[count] = ID_OF(Type, world, slot, generation);                                                    \
        (count) += 1;                                                                                                  \
    } while (0)

int vvWorld_GetBodies(vvWorldId id, vvSoftBodyId *bodies, int capacity)
{
    const World *world = worldFind(id);
    int count = 0;
    for (const Body *body = bodySeen(world ? world->firstBody : NULL); body != NULL; body = bodySeen(body->next))
        LIST(vvSoftBodyId, bodies, capacity, count, world, body->slot, world->body[body->slot].generation);
    return count;
}

int vvWorld_GetAttachments(vvWorldId id, vvAttachmentId *attachments, int capacity)
{
    const World *world = worldFind(id);
    int count = 0;
    for (int i = 0; world != NULL && i < world->attachmentSlotCount; ++i)
    {
        if (world->attachment[i].used && !world->attachment[i].tie && world->attachment[i].joint == 0)
            LIST(vvAttachmentId, attachments, capacity, count, world, i, world->attachment[i].generation);
    }
    return count;
}

int vvWorld_GetHandles(vvWorldId id, vvHandleId *handles, int capacity)
{
    const World *world = worldFind(id);
    int count = 0;
    for (int i = 0; world != NULL && i < world->handleSlotCount; ++i)
    {
        if (handleIsUsed(&world->handle[i]))
            LIST(vvHandleId, handles, capacity, count, world, i, world->handle[i].generation);
    }
    return count;
}

int vvWorld_GetColliders(vvWorldId id, vvColliderId *colliders, int capacity)
{
    const World *world = worldFind(id);
    int count = 0;
    for (int i = 0; world != NULL && i < world->colliders.slotCount; ++i)
    {
        if (world->colliders.item[i].used)
            LIST(vvColliderId, colliders, capacity, count, world, i, world->colliders.item[i].generation);
    }
    return count;
}

int vvWorld_GetRigidBodies(vvWorldId id, vvRigidBodyId *bodies, int capacity)
{
    const World *world = worldFind(id);
    int count = 0;
    for (int i = 0; world != NULL && i < world->rigids.slotCount; ++i)
    {
        if (world->rigids.item[i].used)
            LIST(vvRigidBodyId, bodies, capacity, count, world, i, world->rigids.item[i].generation);
    }
    return count;
}

int vvWorld_GetJoints(vvWorldId id, vvJointId *joints, int capacity)
{
    const World *world = worldFind(id);
    int count = 0;
    for (int i = 0; world != NULL && i < world->joints.slotCount; ++i)
    {
        if (world->joints.item[i].used)
            LIST(vvJointId, joints, capacity, count, world, i, world->joints.item[i].generation);
    }
    return count;
}

int vvWorld_GetFluids(vvWorldId id, vvFluidId *fluids, int capacity)
{
    const World *world = worldFind(id);
    int count = 0;
    for (int i = 0; world != NULL && i < world->fluids.slotCount; ++i)
    {
        if (world->fluids.item[i].fluid != NULL)
            LIST(vvFluidId, fluids, capacity, count, world, i, world->fluids.item[i].generation);
    }
    return count;
}

int vvWorld_GetHinges(vvWorldId id, vvHingeId *hinges, int capacity)
{
    const World *world = worldFind(id);
    int count = 0;
    for (int i = 0; world != NULL && i < world->addedSlotCount; ++i)
    {
        if (addedIsHinge(&world->added[i]))
            LIST(vvHingeId, hinges, capacity, count, world, i, world->added[i].generation);
    }
    return count;
}

int vvWorld_GetConstraints(vvWorldId id, vvConstraintId *constraints, int capacity)
{
    const World *world = worldFind(id);
    int count = 0;
    for (int i = 0; world != NULL && i < world->addedSlotCount; ++i)
    {
        if (addedIsConstraint(&world->added[i]))
            LIST(vvConstraintId, constraints, capacity, count, world, i, world->added[i].generation);
    }
    return count;
}
