// Verve: ids of worlds and of what is in them.
#ifndef VERVE_ID_H
#define VERVE_ID_H

#include <verve/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VV_MAX_WORLDS 1000     // worlds in one process at a time
#define VV_MAX_OBJECTS 4000000 // bodies, attachments, colliders, ... in one world, each

// The id of a world. An id has 8 bytes; zero is null. An id is stale when its object or its world was destroyed. Every
// call recognises stale ids, on any thread, until two billion more objects have been created in one slot of the table
// of worlds.
typedef struct vvWorldId
{
    uint32_t index1;     // slot + 1
    uint32_t generation; // of the slot
} vvWorldId;

// The id of a soft body.
typedef struct vvSoftBodyId
{
    uint32_t index1 : 22; // slot + 1
    uint32_t world1 : 10; // slot of the world + 1
    uint32_t generation;  // of the slot
} vvSoftBodyId;

// The id of an attachment.
typedef struct vvAttachmentId
{
    uint32_t index1 : 22; // slot + 1
    uint32_t world1 : 10; // slot of the world + 1
    uint32_t generation;  // of the slot
} vvAttachmentId;

// The id of a collider.
typedef struct vvColliderId
{
    uint32_t index1 : 22; // slot + 1
    uint32_t world1 : 10; // slot of the world + 1
    uint32_t generation;  // of the slot
} vvColliderId;

// The id of a rigid body.
typedef struct vvRigidBodyId
{
    uint32_t index1 : 22; // slot + 1
    uint32_t world1 : 10; // slot of the world + 1
    uint32_t generation;  // of the slot
} vvRigidBodyId;

// The id of a joint.
typedef struct vvJointId
{
    uint32_t index1 : 22; // slot + 1
    uint32_t world1 : 10; // slot of the world + 1
    uint32_t generation;  // of the slot
} vvJointId;

// The id of a fluid.
typedef struct vvFluidId
{
    uint32_t index1 : 22; // slot + 1
    uint32_t world1 : 10; // slot of the world + 1
    uint32_t generation;  // of the slot
} vvFluidId;

// The id of a handle.
typedef struct vvHandleId
{
    uint32_t index1 : 22; // slot + 1
    uint32_t world1 : 10; // slot of the world + 1
    uint32_t generation;  // of the slot
} vvHandleId;

// The id of a set of hinges.
typedef struct vvHingeId
{
    uint32_t index1 : 22; // slot + 1
    uint32_t world1 : 10; // slot of the world + 1
    uint32_t generation;  // of the slot
} vvHingeId;

// The id of a set of constraints.
typedef struct vvConstraintId
{
    uint32_t index1 : 22; // slot + 1
    uint32_t world1 : 10; // slot of the world + 1
    uint32_t generation;  // of the slot
} vvConstraintId;

// Ids as 64-bit integers and back, for other languages and for tables keyed by id. The null id is 0; the integer of a
// stale id is stale too. They mean nothing to another process.
VV_API uint64_t vvStoreWorldId(vvWorldId id);
VV_API uint64_t vvStoreSoftBodyId(vvSoftBodyId id);
VV_API uint64_t vvStoreAttachmentId(vvAttachmentId id);
VV_API uint64_t vvStoreColliderId(vvColliderId id);
VV_API uint64_t vvStoreRigidBodyId(vvRigidBodyId id);
VV_API uint64_t vvStoreJointId(vvJointId id);
VV_API uint64_t vvStoreFluidId(vvFluidId id);
VV_API uint64_t vvStoreHandleId(vvHandleId id);
VV_API uint64_t vvStoreHingeId(vvHingeId id);
VV_API uint64_t vvStoreConstraintId(vvConstraintId id);
VV_API vvWorldId vvLoadWorldId(uint64_t integer);
VV_API vvSoftBodyId vvLoadSoftBodyId(uint64_t integer);
VV_API vvAttachmentId vvLoadAttachmentId(uint64_t integer);
VV_API vvColliderId vvLoadColliderId(uint64_t integer);
VV_API vvRigidBodyId vvLoadRigidBodyId(uint64_t integer);
VV_API vvJointId vvLoadJointId(uint64_t integer);
VV_API vvFluidId vvLoadFluidId(uint64_t integer);
VV_API vvHandleId vvLoadHandleId(uint64_t integer);
VV_API vvHingeId vvLoadHingeId(uint64_t integer);
VV_API vvConstraintId vvLoadConstraintId(uint64_t integer);

#ifdef __cplusplus
}
#endif

#endif
