// Handles: a point of a body's surface on a spring, to drag it by.
//
// A point between vertices is held by an attachment of each, with its share of the stiffness and its own offset from
// the target: the forces add up to k (target - point) at every moment, and the work is booked by the attachments. The
// triangle is held as it is turned, too, with the little that k times its size^2 comes to.
#include "world/world.h"

#define RATE 3600.0 // 1/s^2: default stiffness over the body's mass; sags 2.7 mm under gravity

vvHandleDef vvDefaultHandleDef(void)
{
    return (vvHandleDef){ .vertices = { -1, -1, -1 }, .weights = { 1, 0, 0 }, .cookie = HANDLE_COOKIE };
}

double handleStiffness(const vvSoftBodyDef *def, double mass)
{
    bool solid = def->mesh->matter == MATTER_SOLID;
    double young = def->material.young, thickness = def->material.thickness;
    return minReal(RATE * mass, young * (solid ? def->mesh->size : thickness));
}

// ---- creation -------------------------------------------------------------------------------------------------------

static vvResult checkHandle(const Body *body, const vvHandleDef *def)
{
    if (def->weights[0] == 0 && def->weights[1] == 0 && def->weights[2] == 0)
        return resultMake(VV_BAD_INPUT, "make handles of picks whose kind is VV_PICK_BODY",
                          "all weights are 0, as those of a pick that hit no body");
    vvResult result = checkShares(body, def->vertices, def->weights, HANDLE_CORNERS, 0);
    if (result.code == VV_OK && (!(def->stiffness >= 0) || !isModest(def->stiffness)))
        return resultMake(VV_BAD_INPUT, "0 takes one that suits the body",
                          "stiffness is %g N/m, must be 0, or 1e-30 to 1e30", def->stiffness);
    return result;
}

bool handleIsUsed(const Handle *handle)
{
    World *world;
    return handle->count > 0 && attachmentFind(handle->attachment[0], &world) != NULL; // it goes with its body
}

static int reserveSlot(World *world)
{
    for (int i = 0; i < world->handleSlotCount; ++i)
    {
        if (!handleIsUsed(&world->handle[i]))
            return i;
    }
    int slot = world->handleSlotCount, grown = maxInt(8, 2 * slot);
    void *slots = world->handle;
    if (!memoryGrow(&world->memory, &slots, (size_t)slot, (size_t)grown, sizeof(Handle)))
        return -1;
    world->handle = slots;
    world->handleSlotCount = grown;
    return slot;
}

static Vec3 vertexAt(const Body *body, int callerVertex)
{
    int vertex = body->first + body->mesh->vertexFromCaller[callerVertex];
    return vecLoad(body->world->state.start + 3 * (ptrdiff_t)vertex);
}

static void release(Handle *handle)
{
    for (int k = 0; k < handle->count; ++k)
        vvDestroyAttachment(handle->attachment[k]);
    handle->count = 0;
}

static vvResult createHandle(World *world, const vvHandleDef *def, int *slot)
{
    vvResult result = checkDef(def != NULL && def->cookie == HANDLE_COOKIE, "handle", "vvDefaultHandleDef()");
    if (result.code != VV_OK)
        return result;
    if (def->body.index1 == 0)
        return resultMake(VV_BAD_INPUT, "make handles of picks whose kind is VV_PICK_BODY",
                          "the body is null, as that of a pick that hit no body");
    const Body *body = bodyFind(def->body);
    if (body == NULL)
        return badId("body");
    if (body->world != world)
        return resultMake(VV_BAD_INPUT, "name a body of this world", "the body belongs to another world");
    result = checkHandle(body, def);
    *slot = result.code == VV_OK ? reserveSlot(world) : -1;
    if (*slot < 0)
        return result.code == VV_OK ? resultOutOfMemory("a handle") : result;
    Handle *handle = &world->handle[*slot];
    *handle = (Handle){ .generation = nextGeneration(world) };
    Vec3 point = vec3(0, 0, 0);
    for (int k = 0; k < HANDLE_CORNERS; ++k)
    {
        if (def->weights[k] > 0)
            point = vecAdd(point, vecScale(def->weights[k], vertexAt(body, def->vertices[k])));
    }
    vvAttachmentDef ties[HANDLE_CORNERS];
    int tied[HANDLE_CORNERS], count = 0;
    for (int k = 0; k < HANDLE_CORNERS; ++k)
    {
        if (!(def->weights[k] > 0))
            continue;
        vvAttachmentDef *tie = &ties[count];
        *tie = vvDefaultAttachmentDef();
        tie->bodyA = def->body;
        tie->vertexA = def->vertices[k];
        tie->target = vertexAt(body, def->vertices[k]);
        tie->stiffness = def->weights[k] * (def->stiffness > 0 ? def->stiffness : body->handleStiffness);
        handle->offset[count++] = vecSub(tie->target, point);
    }
    result = attachmentsCreate(world, ties, count, tied);
    handle->count = result.code == VV_OK ? count : 0;
    for (int k = 0; k < handle->count; ++k)
    {
        handle->attachment[k] = ID_OF(vvAttachmentId, world, tied[k], world->attachment[tied[k]].generation);
        world->attachment[tied[k]].tie = true;
    }
    return result;
}

vvHandleId vvCreateHandle(vvWorldId id, const vvHandleDef *def, vvResult *result)
{
    World *world = worldOpen(id);
    int slot = -1;
    vvResult outcome = world ? createHandle(world, def, &slot) : refused("world");
    if (!resultPass(result, &outcome))
        return (vvHandleId){ 0, 0, 0 };
    return ID_OF(vvHandleId, world, slot, world->handle[slot].generation);
}

void vvDestroyHandle(vvHandleId id)
{
    World *world;
    Handle *handle = handleOpen(id, &world);
    if (handle != NULL)
        release(handle);
}

bool vvHandle_IsValid(vvHandleId id)
{
    World *world;
    return handleFind(id, &world) != NULL;
}

vvSoftBodyId vvHandle_GetBody(vvHandleId id)
{
    World *world;
    const Handle *handle = handleFind(id, &world);
    if (handle == NULL)
        return (vvSoftBodyId){ 0, 0, 0 };
    return bodyId(attachmentFind(handle->attachment[0], &world)->body[0]);
}

// ---- use ------------------------------------------------------------------------------------------------------------

vvResult vvHandle_MoveTo(vvHandleId id, vvVec3 target)
{
    World *world;
    const Handle *handle = handleOpen(id, &world);
    if (handle == NULL)
        return refused("handle");
    vvResult result = checkVector("target", target);
    for (int k = 0; k < handle->count && result.code == VV_OK; ++k)
        result = vvAttachment_MoveTarget(handle->attachment[k], vecAdd(target, handle->offset[k]));
    return result;
}

vvVec3 vvHandle_GetTarget(vvHandleId id)
{
    World *world;
    const Handle *handle = handleFind(id, &world);
    if (handle == NULL)
        return vec3(0, 0, 0);
    return vecSub(attachmentFind(handle->attachment[0], &world)->target, handle->offset[0]);
}

vvVec3 vvHandle_GetForce(vvHandleId id)
{
    World *world;
    const Handle *handle = handleFind(id, &world);
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; handle != NULL && k < handle->count; ++k)
    {
        const Attachment *tie = attachmentFind(handle->attachment[k], &world);
        sum = vecAdd(sum, vecScale(tie->stiffness, vecSub(tie->start, attachmentEnd(world, tie, 0))));
    }
    return sum;
}
