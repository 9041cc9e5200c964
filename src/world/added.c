// Hinges and constraints that come to a body and go again: their ids, and the graph and matrices that change with them.
#include "world/world.h"

#include <string.h>

// ---- the graph ------------------------------------------------------------------------------------------------------

static bool graphHolds(const Graph *graph, const Energy *energy)
{
    int corners = energy->kind->corners;
    for (int k = 0; k < energy->elementCount * corners * corners; ++k)
    {
        int e = k / corners / corners;
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        int row = vertex[k / corners % corners * LANES], column = vertex[k % corners * LANES];
        if (row >= column && graphFind(graph, row, column) < 0)
            return false;
    }
    return true;
}

static void writeStencils(const Energy *energy, int *corner)
{
    int corners = energy->kind->corners;
    for (int k = 0; k < energy->elementCount * MAX_CORNERS; ++k)
    {
        int e = k / MAX_CORNERS, c = k % MAX_CORNERS;
        const int *vertex = laneVertices(energy, e / LANES) + e % LANES;
        corner[k] = vertex[(c < corners ? c : 0) * LANES];
    }
}

// The stencils of the definition and of what was added, as far as the graph does not hold it. False: out of memory.
static bool createStencils(const Body *body, const Graph *graph, Stencils *stencils)
{
    const Stencils *defined = &body->stencils;
    *stencils = (Stencils){ .reach = defined->reach, .count = defined->count };
    for (int k = body->definedCount; k < body->constraintCount; ++k)
        stencils->count += graphHolds(graph, body->constraint[k]) ? 0 : body->constraint[k]->elementCount;
    if (stencils->count == defined->count)
        return true;
    stencils->corner = ALLOCATE(&body->world->memory, int, (size_t)stencils->count *MAX_CORNERS);
    if (stencils->corner == NULL)
        return false;
    int *next = stencils->corner;
    if (defined->count > 0)
        memcpy(next, defined->corner, (size_t)defined->count * MAX_CORNERS * sizeof(int));
    next += (ptrdiff_t)defined->count * MAX_CORNERS;
    for (int k = body->definedCount; k < body->constraintCount; ++k)
    {
        if (graphHolds(graph, body->constraint[k]))
            continue;
        writeStencils(body->constraint[k], next);
        next += (ptrdiff_t)body->constraint[k]->elementCount * MAX_CORNERS;
    }
    return true;
}

// What bodies on this mesh share, or one of its own where something added couples more.
Blueprint *bodyAcquireBlueprint(Body *body, const Heritage *heritage)
{
    World *world = body->world;
    Blueprint *shared = blueprintAcquire(world, body->mesh, &body->stencils, heritage);
    Stencils stencils;
    if (shared == NULL || !createStencils(body, shared->graph, &stencils))
    {
        blueprintRelease(world, shared);
        return NULL;
    }
    if (stencils.corner == NULL)
        return shared;
    Blueprint *own = blueprintAcquire(world, body->mesh, &stencils, heritage);
    blueprintRelease(world, shared);
    memoryRelease(&world->memory, stencils.corner);
    return own;
}

// ---- the matrices ---------------------------------------------------------------------------------------------------

// a member like the body's, with no matrices yet
static Member bareFrom(const Member *member)
{
    Member bare = *member;
    memset(bare.scatter, 0, sizeof bare.scatter);
    memset(bare.prefactor, 0, sizeof bare.prefactor);
    bare.matrix = NULL;
    bare.factor = NULL;
    bare.preconditioner = NULL;
    bare.graph = NULL;
    bare.tree = NULL;
    bare.majorizer = bare.viscosity = bare.assembled = NULL;
    bare.changed = NULL;
    bare.touching = NULL;
    bare.smooth = NULL;
    bare.current = NULL;
    bare.majorizerVersion = 0;
    return bare;
}

bool bodyRenewMatrices(Body *body)
{
    World *world = body->world;
    Member old = body->member;
    Blueprint *before = body->blueprint;
    Heritage heritage = { .base = before->base, .origin = before->origin };
    Blueprint *after = bodyAcquireBlueprint(body, before->base != NULL ? &heritage : NULL);
    if (after == NULL)
        return false;
    body->member = bareFrom(&old);
    body->blueprint = after;
    if (!bodyCreateMatrix(body))
    {
        blueprintRelease(world, after);
        body->member = old;
        body->blueprint = before;
        return false;
    }
    memberDestroyMatrix(&old, &world->memory);
    memberDestroyPrefactors(&old, &world->memory);
    blueprintRelease(world, before);
    body->matricesStale = false;
    world->systemsStale = true;
    return true;
}

// ---- coming ---------------------------------------------------------------------------------------------------------

static int reserveSlot(World *world)
{
    for (int i = 0; i < world->addedSlotCount; ++i)
    {
        if (world->added[i].body == NULL)
            return i;
    }
    int slot = world->addedSlotCount, grown = maxInt(8, 2 * slot);
    void *slots = world->added;
    if (!memoryGrow(&world->memory, &slots, (size_t)slot, (size_t)grown, sizeof(Added)))
        return -1;
    world->added = slots;
    world->addedSlotCount = grown;
    return slot;
}

static bool join(Body *body, Energy *energy)
{
    body->member.energy[body->member.energyCount++] = energy;
    body->constraint[body->constraintCount++] = energy;
    if (bodyRenewMatrices(body))
        return true;
    body->member.energyCount -= 1;
    body->constraintCount -= 1;
    return false;
}

vvResult bodyJoin(Body *body, Energy *energy, int *slot)
{
    World *world = body->world;
    *slot = energy != NULL ? reserveSlot(world) : -1;
    if (*slot < 0 || !join(body, energy))
    {
        constraintDestroy(energy);
        return resultOutOfMemory("a constraint");
    }
    world->added[*slot] = (Added){ .generation = nextGeneration(world), .body = body, .energy = energy };
    world->addedCount += 1;
    body->fingerprint = bodyFingerprint(body);
    body->account.added += energyValue(energy, world->state.start + 3 * (ptrdiff_t)body->first);
    pastForget(body);
    bodyWake(body);
    return resultOk();
}

// ---- going ----------------------------------------------------------------------------------------------------------

// The list without one item; those behind it keep their order.
static void strike(Energy **list, int count, const Energy *energy)
{
    int place = 0;
    while (list[place] != energy)
        place += 1;
    memmove(list + place, list + place + 1, (size_t)(count - place - 1) * sizeof *list);
}

// needs no memory: matrices without it are made by the next step
static void removeAdded(World *world, Added *added)
{
    Body *body = added->body;
    Member *member = &body->member;
    body->account.added -= energyValue(added->energy, world->state.start + 3 * (ptrdiff_t)body->first);
    pastForget(body);
    bodyWake(body);
    memberDestroyMatrix(member, &world->memory);
    memberDestroyPrefactors(member, &world->memory);
    strike(member->energy, member->energyCount--, added->energy);
    strike(body->constraint, body->constraintCount--, added->energy);
    added->body = NULL; // before memory goes back: the allocator may look at the world
    world->addedCount -= 1;
    constraintDestroy(added->energy);
    body->fingerprint = bodyFingerprint(body);
    body->matricesStale = world->systemsStale = true;
}

void addedOfBodyRelease(Body *body)
{
    World *world = body->world;
    for (int i = 0; i < world->addedSlotCount; ++i)
    {
        if (world->added[i].body != body)
            continue;
        world->added[i].body = NULL;
        world->addedCount -= 1;
    }
}

// ---- by id ----------------------------------------------------------------------------------------------------------

// one table for both: their ids differ by type
bool addedIsHinge(const Added *added)
{
    return added->body != NULL && added->energy->kind == &dihedralKind;
}

bool addedIsConstraint(const Added *added)
{
    return added->body != NULL && added->energy->kind != &dihedralKind;
}

static Added *hingeFind(vvHingeId id, World **world)
{
    Added *added = addedFind(id.world1, id.index1, id.generation, world);
    return added != NULL && addedIsHinge(added) ? added : NULL;
}

static Added *constraintFind(vvConstraintId id, World **world)
{
    Added *added = addedFind(id.world1, id.index1, id.generation, world);
    return added != NULL && addedIsConstraint(added) ? added : NULL;
}

void vvDestroyHinge(vvHingeId id)
{
    World *world;
    Added *added = hingeFind(id, &world);
    if (added != NULL && !memoryIsCalling(&world->memory))
        removeAdded(world, added);
}

void vvDestroyConstraint(vvConstraintId id)
{
    World *world;
    Added *added = constraintFind(id, &world);
    if (added != NULL && !memoryIsCalling(&world->memory))
        removeAdded(world, added);
}

bool vvHinge_IsValid(vvHingeId id)
{
    World *world;
    return hingeFind(id, &world) != NULL;
}

bool vvConstraint_IsValid(vvConstraintId id)
{
    World *world;
    return constraintFind(id, &world) != NULL;
}

vvSoftBodyId vvHinge_GetBody(vvHingeId id)
{
    World *world;
    const Added *added = hingeFind(id, &world);
    return added ? bodyId(added->body) : (vvSoftBodyId){ 0, 0, 0 };
}

vvSoftBodyId vvConstraint_GetBody(vvConstraintId id)
{
    World *world;
    const Added *added = constraintFind(id, &world);
    return added ? bodyId(added->body) : (vvSoftBodyId){ 0, 0, 0 };
}
