// The one locked table of worlds, and ids into worlds.
#include "world/world.h"

#include "base/system.h"

typedef struct WorldSlot
{
    World *world; // NULL: free
    uint32_t generation;
    uint32_t objectGeneration; // outlives the world, so that ids into an earlier world of this slot stay stale
    uint32_t firstGeneration;  // objectGeneration when the world came: ids up to it are of earlier worlds
} WorldSlot;

static Lock tableLock = LOCK_INITIAL;
static WorldSlot table[VV_MAX_WORLDS];

vvResult badId(const char *what)
{
    return resultMake(VV_BAD_ID, "keep ids only as long as the object lives; IsValid tells",
                      "the %s id is null, or its %s was destroyed", what, what);
}

vvResult refused(const char *what)
{
    return resultMake(VV_BAD_ID,
                      "IsValid tells whether the object lives; callbacks may read their world, not change it",
                      "the %s id is null, its %s was destroyed, or its world is calling you back", what, what);
}

World *worldFind(vvWorldId id)
{
    if (id.index1 == 0 || id.index1 > VV_MAX_WORLDS)
        return NULL;
    lockTake(&tableLock);
    WorldSlot *slot = &table[id.index1 - 1];
    World *world = slot->generation == id.generation ? slot->world : NULL;
    lockGive(&tableLock);
    return world;
}

// The world of an object's id. Ids of earlier worlds are told apart here, under the lock: the world that has the slot
// now may be another thread's and is not looked into.
static World *worldAt(uint32_t world1, uint32_t generation)
{
    if (world1 == 0 || world1 > VV_MAX_WORLDS)
        return NULL;
    lockTake(&tableLock);
    const WorldSlot *slot = &table[world1 - 1];
    bool later = generation - slot->firstGeneration - 1 < UINT32_MAX / 2; // the count may have gone around
    World *world = later ? slot->world : NULL;
    lockGive(&tableLock);
    return world;
}

Body *bodyFind(vvSoftBodyId id)
{
    World *world = worldAt(id.world1, id.generation);
    if (world == NULL || id.index1 == 0 || id.index1 > (uint32_t)world->bodySlotCount)
        return NULL;
    BodySlot *slot = &world->body[id.index1 - 1];
    return slot->body != NULL && slot->generation == id.generation ? slot->body : NULL;
}

Attachment *attachmentFind(vvAttachmentId id, World **world)
{
    *world = worldAt(id.world1, id.generation);
    if (*world == NULL || id.index1 == 0 || id.index1 > (uint32_t)(*world)->attachmentSlotCount)
        return NULL;
    Attachment *attachment = &(*world)->attachment[id.index1 - 1];
    return attachment->used && attachment->generation == id.generation ? attachment : NULL;
}

Handle *handleFind(vvHandleId id, World **world)
{
    *world = worldAt(id.world1, id.generation);
    if (*world == NULL || id.index1 == 0 || id.index1 > (uint32_t)(*world)->handleSlotCount)
        return NULL;
    Handle *handle = &(*world)->handle[id.index1 - 1];
    return handleIsUsed(handle) && handle->generation == id.generation ? handle : NULL;
}

Collider *colliderFind(vvColliderId id, World **world)
{
    *world = worldAt(id.world1, id.generation);
    if (*world == NULL || id.index1 == 0 || id.index1 > (uint32_t)(*world)->colliders.slotCount)
        return NULL;
    Collider *collider = &(*world)->colliders.item[id.index1 - 1];
    return collider->used && collider->generation == id.generation ? collider : NULL;
}

Rigid *rigidFind(vvRigidBodyId id, World **world)
{
    *world = worldAt(id.world1, id.generation);
    if (*world == NULL || id.index1 == 0 || id.index1 > (uint32_t)(*world)->rigids.slotCount)
        return NULL;
    Rigid *rigid = &(*world)->rigids.item[id.index1 - 1];
    return rigid->used && rigid->generation == id.generation ? rigid : NULL;
}

WorldJoint *jointFind(vvJointId id, World **world)
{
    *world = worldAt(id.world1, id.generation);
    if (*world == NULL || id.index1 == 0 || id.index1 > (uint32_t)(*world)->joints.slotCount)
        return NULL;
    WorldJoint *joint = &(*world)->joints.item[id.index1 - 1];
    return joint->used && joint->generation == id.generation ? joint : NULL;
}

WorldFluid *fluidFind(vvFluidId id, World **world)
{
    *world = worldAt(id.world1, id.generation);
    if (*world == NULL || id.index1 == 0 || id.index1 > (uint32_t)(*world)->fluids.slotCount)
        return NULL;
    WorldFluid *item = &(*world)->fluids.item[id.index1 - 1];
    return item->fluid != NULL && item->generation == id.generation ? item : NULL;
}

Added *addedFind(uint32_t world1, uint32_t index1, uint32_t generation, World **world)
{
    *world = worldAt(world1, generation);
    if (*world == NULL || index1 == 0 || index1 > (uint32_t)(*world)->addedSlotCount)
        return NULL;
    Added *added = &(*world)->added[index1 - 1];
    return added->body != NULL && added->generation == generation ? added : NULL;
}

World *worldOpen(vvWorldId id)
{
    World *world = worldFind(id);
    return world != NULL && !memoryIsCalling(&world->memory) ? world : NULL;
}

Body *bodyOpen(vvSoftBodyId id)
{
    Body *body = bodyFind(id);
    return body != NULL && !memoryIsCalling(&body->world->memory) ? body : NULL;
}

Attachment *attachmentOpen(vvAttachmentId id, World **world)
{
    Attachment *attachment = attachmentFind(id, world);
    return attachment != NULL && !memoryIsCalling(&(*world)->memory) ? attachment : NULL;
}

Handle *handleOpen(vvHandleId id, World **world)
{
    Handle *handle = handleFind(id, world);
    return handle != NULL && !memoryIsCalling(&(*world)->memory) ? handle : NULL;
}

Collider *colliderOpen(vvColliderId id, World **world)
{
    Collider *collider = colliderFind(id, world);
    return collider != NULL && !memoryIsCalling(&(*world)->memory) ? collider : NULL;
}

WorldJoint *jointOpen(vvJointId id, World **world)
{
    WorldJoint *joint = jointFind(id, world);
    return joint != NULL && !memoryIsCalling(&(*world)->memory) ? joint : NULL;
}

Rigid *rigidOpen(vvRigidBodyId id, World **world)
{
    Rigid *rigid = rigidFind(id, world);
    return rigid != NULL && !memoryIsCalling(&(*world)->memory) ? rigid : NULL;
}

WorldFluid *fluidOpen(vvFluidId id, World **world)
{
    WorldFluid *item = fluidFind(id, world);
    return item != NULL && !memoryIsCalling(&(*world)->memory) ? item : NULL;
}

uint32_t nextGeneration(World *world)
{
    return ++*world->generation;
}

vvResult worldInsert(World *world, vvWorldId *id)
{
    lockTake(&tableLock);
    int slot = 0;
    while (slot < VV_MAX_WORLDS && table[slot].world != NULL)
        slot += 1;
    if (slot < VV_MAX_WORLDS)
    {
        table[slot].world = world;
        table[slot].generation += 1;
        world->slot = slot;
        table[slot].firstGeneration = table[slot].objectGeneration;
        world->generation = &table[slot].objectGeneration;
        *id = (vvWorldId){ (uint32_t)slot + 1, table[slot].generation };
    }
    lockGive(&tableLock);
    if (slot == VV_MAX_WORLDS)
        return resultMake(VV_LIMIT, "destroy worlds that are no longer needed", "all %d worlds are in use",
                          VV_MAX_WORLDS);
    return resultOk();
}

void worldRemove(const World *world)
{
    lockTake(&tableLock);
    table[world->slot].world = NULL;
    lockGive(&tableLock);
}

bool vvWorld_IsValid(vvWorldId id)
{
    return worldFind(id) != NULL;
}

vvWorldId worldId(const World *world)
{
    lockTake(&tableLock);
    vvWorldId id = { (uint32_t)world->slot + 1, table[world->slot].generation };
    lockGive(&tableLock);
    return id;
}

// ---- ids as integers ------------------------------------------------------------------------------------------------

uint64_t vvStoreWorldId(vvWorldId id)
{
    return (uint64_t)id.generation << 32 | id.index1;
}

vvWorldId vvLoadWorldId(uint64_t integer)
{
    return (vvWorldId){ (uint32_t)integer, (uint32_t)(integer >> 32) };
}

// the generation above, then the slot of the world, then that of the object
#define STORE_AND_LOAD(Type, store, load)                                                                              \
    uint64_t store(Type id)                                                                                            \
    {                                                                                                                  \
        return (uint64_t)id.generation << 32 | (uint64_t)id.world1 << 22 | id.index1;                                  \
    }                                                                                                                  \
    Type load(uint64_t integer)                                                                                        \
    {                                                                                                                  \
        return (Type){ (uint32_t)integer & 0x3fffff, (uint32_t)(integer >> 22) & 0x3ff, (uint32_t)(integer >> 32) };   \
    }

STORE_AND_LOAD(vvSoftBodyId, vvStoreSoftBodyId, vvLoadSoftBodyId)
STORE_AND_LOAD(vvAttachmentId, vvStoreAttachmentId, vvLoadAttachmentId)
STORE_AND_LOAD(vvColliderId, vvStoreColliderId, vvLoadColliderId)
STORE_AND_LOAD(vvRigidBodyId, vvStoreRigidBodyId, vvLoadRigidBodyId)
STORE_AND_LOAD(vvFluidId, vvStoreFluidId, vvLoadFluidId)
STORE_AND_LOAD(vvJointId, vvStoreJointId, vvLoadJointId)
STORE_AND_LOAD(vvHandleId, vvStoreHandleId, vvLoadHandleId)
STORE_AND_LOAD(vvHingeId, vvStoreHingeId, vvLoadHingeId)
STORE_AND_LOAD(vvConstraintId, vvStoreConstraintId, vvLoadConstraintId)
