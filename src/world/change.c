// Bodies whose mesh changes: state goes over by parents, and what the change takes is booked.
#include "world/remake.h"

#include <string.h>

// ---- state by parents -----------------------------------------------------------------------------------------------

// Two vertices of the old mesh and the share of the second, in the library's order.
typedef struct Between
{
    int a, b;
    double weight;
} Between;

static Between parentsOf(const MeshChange *change, const vvMesh *before, int caller)
{
    const int *parent = change->vertexParent + 2 * (ptrdiff_t)caller;
    double weight = change->vertexWeight[caller];
    int a = before->vertexFromCaller[parent[weight >= 1]], b = before->vertexFromCaller[parent[weight > 0]];
    return (Between){ a, b, a == b ? 0 : weight };
}

static void lerp(const double *from, Between between, double *to)
{
    Vec3 a = vecLoad(from + 3 * (ptrdiff_t)between.a), b = vecLoad(from + 3 * (ptrdiff_t)between.b);
    vecStore(to, between.weight > 0 ? vecAdd(a, vecScale(between.weight, vecSub(b, a))) : a);
}

static void copyThree(const double *from, int a, double *to, int v)
{
    memcpy(to + 3 * (ptrdiff_t)v, from + 3 * (ptrdiff_t)a, 3 * sizeof(double));
}

// a new vertex lies between two old ones
static void placeBetween(const State *old, Between between, State *now, int v)
{
    lerp(old->start, between, now->start + 3 * (ptrdiff_t)v);
    lerp(old->startVelocity, between, now->startVelocity + 3 * (ptrdiff_t)v);
    lerp(old->previous, between, now->previous + 3 * (ptrdiff_t)v);
    lerp(old->pinTarget, between, now->pinTarget + 3 * (ptrdiff_t)v);
    bool alike = old->hold[between.a] == old->hold[between.b];
    now->pinned[v] = old->pinned[between.a] && old->pinned[between.b];
    now->hold[v] = alike ? old->hold[between.a] : HOLD_FREE;
    copyThree(old->holdAxis, between.a, now->holdAxis, v);
    vecStore(now->reaction + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
}

// old ones stay, and keep their numbers
static void carryOld(const State *old, State *now)
{
    size_t vector = 3 * (size_t)old->count * sizeof(double);
    memcpy(now->start, old->start, vector);
    memcpy(now->startVelocity, old->startVelocity, vector);
    memcpy(now->previous, old->previous, vector);
    memcpy(now->pinTarget, old->pinTarget, vector);
    memcpy(now->holdAxis, old->holdAxis, vector);
    memcpy(now->reaction, old->reaction, vector);
    memcpy(now->pinned, old->pinned, (size_t)old->count);
    memcpy(now->hold, old->hold, (size_t)old->count);
}

void bodyCarryPlaces(const Body *body, const Body *fresh, const MeshChange *change)
{
    const State *state = &body->world->state;
    State old = stateSlice(state, body->first, body->count), now = stateSlice(state, fresh->first, fresh->count);
    carryOld(&old, &now);
    for (int v = body->count; v < fresh->count; ++v)
        placeBetween(&old, parentsOf(change, body->mesh, fresh->mesh->vertexToCaller[v]), &now, v);
    for (int i = 0; i < change->orphanCount; ++i)
    {
        int v = fresh->mesh->vertexFromCaller[change->orphan[i]];
        now.pinned[v] = 1;
        now.hold[v] = HOLD_FIXED;
        vecStore(now.startVelocity + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
        memcpy(now.pinTarget + 3 * (ptrdiff_t)v, now.start + 3 * (ptrdiff_t)v, 3 * sizeof(double));
    }
}

// forces on vertices that stay
static void carryForces(Energy *energy, const Energy *from)
{
    const EnergyKind *kind = energy->kind;
    int whole = from->elementCount / LANES, first = kind->stateFirst * LANES;
    for (int block = 0; block < whole; ++block)
        memcpy(laneParams(energy, block) + first, laneParams(from, block) + first,
               (size_t)kind->stateCount * LANES * sizeof(double));
    for (int v = whole * LANES; v < from->elementCount; ++v)
        energyCopyState(energy, v, from, v);
}

static const Energy *counterpart(const Body *body, const Energy *energy)
{
    for (int e = 0; e < body->definedEnergies; ++e)
    {
        if (body->member.energy[e]->kind == energy->kind)
            return body->member.energy[e];
    }
    return NULL;
}

// of energies over the cells of the mesh: `room`, tetCount of the old mesh
static void carryElements(const Body *body, const Body *fresh, const MeshChange *change, int *room)
{
    const vvMesh *old = body->mesh, *mesh = fresh->mesh;
    bool tets = mesh->tetCount > 0;
    int corners = tets ? 4 : 3, count = tets ? mesh->tetCount : mesh->surfaceCount;
    int before = tets ? old->tetCount : old->surfaceCount;
    for (int t = 0; t < old->tetCount; ++t)
        room[old->tetToCaller[t]] = t;
    for (int k = 0; k < fresh->definedEnergies && mesh->matter != MATTER_ROPE; ++k)
    {
        Energy *energy = fresh->member.energy[k];
        const Energy *from = counterpart(body, energy);
        bool cells = energy->kind->corners == corners && energy->elementCount == count && from != NULL;
        if (!cells || from->elementCount != before || energy->kind->stateCount + energy->kind->keptCount == 0)
            continue;
        for (int e = 0; e < count; ++e)
        {
            int parent = change->elementParent[tets ? mesh->tetToCaller[e] : e];
            if (parent >= 0)
                energyCopyState(energy, e, from, tets ? room[parent] : parent);
        }
    }
}

// what a vertex keeps of the collider that it touches
static void carryContact(const Body *body, const Body *fresh, const MeshChange *change)
{
    const ContactBody *old = body->contactBody, *now = fresh->contactBody;
    if (fresh->contact == NULL || body->contactDef.samples > 0 || body->contactDef.carried > 0)
        return;
    double *place = body->callerNormal; // of each vertex in the list of its surface, 1 and up
    for (int v = 0; v < body->count; ++v)
        place[v] = 0;
    for (int i = 0; i < old->surfaceCount; ++i)
        place[old->vertex[i]] = i + 1;
    for (int i = 0; i < now->surfaceCount; ++i)
    {
        Between between = parentsOf(change, body->mesh, fresh->mesh->vertexToCaller[now->vertex[i]]);
        double kept[CONTACT_KEPT];
        if (between.weight > 0 || place[between.a] == 0)
            continue;
        int slot = contactGetKept(body->contact, (int)place[between.a] - 1, kept);
        if (slot >= 0)
            contactSetKept(fresh->contact, i, slot, kept);
    }
}

// ---- motion ---------------------------------------------------------------------------------------------------------

static vvLedger motionOf(const Body *body)
{
    vvLedger ledger = { 0 };
    State s = stateSlice(&body->world->state, body->first, body->count);
    ledgerAddMotion(&ledger, s.count, s.mass, s.pinned, s.start, s.startVelocity);
    return ledger;
}

// Masses that went to other places have other momenta: a rigid motion gives them back.
static void keepMomenta(Body *body, const vvLedger *before)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    Filter filter = stateFilter(&s);
    for (int round = 0; round < 2; ++round) // the second takes rounding away
    {
        vvLedger now = motionOf(body);
        RigidMotion motion = rigidMotion(&s, s.start, s.startVelocity, 0, body->count);
        if (motion.count == 0)
            return;
        Vec3 linear = vecSub(before->momentum, now.momentum);
        Vec3 angular = vecSub(before->angularMomentum, now.angularMomentum);
        angular = vecSub(angular, vecCross(motion.centre, linear));
        Vec3 spin = vecFinite(angular) ? spinOf(&motion.inertia, angular) : vec3(0, 0, 0);
        for (int v = 0; v < body->count; ++v)
        {
            double *velocity = s.startVelocity + 3 * (ptrdiff_t)v, more[3];
            Vec3 arm = vecSub(vecLoad(s.start + 3 * (ptrdiff_t)v), motion.centre);
            vecStore(more, vecAdd(vecScale(1 / motion.mass, linear), vecCross(spin, arm)));
            filterVertex(&filter, v, more);
            vecStore(velocity, vecAdd(vecLoad(velocity), vecLoad(more)));
        }
    }
}

// ---- events ---------------------------------------------------------------------------------------------------------

static bool meshEventsReserve(World *world)
{
    MeshEvents *events = &world->meshEvents;
    if (events->count < events->room)
        return true;
    int grown = maxInt(8, 2 * events->room);
    void *items = events->item;
    if (!memoryGrow(&world->memory, &items, (size_t)events->room, (size_t)grown, sizeof(MeshEvent)))
        return false;
    events->item = items;
    events->room = grown;
    return true;
}

void meshEventsClear(World *world)
{
    MeshEvents *events = &world->meshEvents;
    for (int i = 0; i < events->count; ++i)
        meshChangeRelease(events->item[i].change);
    for (int i = 0; i < events->count; ++i)
        memoryRelease(&world->memory, events->item[i].change);
    events->count = 0;
}

void meshEventsDestroy(World *world)
{
    meshEventsClear(world);
    memoryRelease(&world->memory, world->meshEvents.item);
}

static void tell(Body *body, MeshChange *change, int vertexCountBefore, double energy)
{
    World *world = body->world;
    bool sheet = body->mesh->matter == MATTER_SHEET;
    vvMeshEvent event = { .body = bodyId(body),
                          .vertexCountBefore = vertexCountBefore,
                          .vertexCount = body->count,
                          .triangleCount = body->mesh->surfaceCount,
                          .vertexParents = change->vertexParent,
                          .vertexWeights = change->vertexWeight,
                          .triangleParents = change->surfaceParent,
                          .area = change->openedArea * (sheet ? body->def.material.thickness : 1),
                          .energy = energy };
    world->meshEvents.item[world->meshEvents.count++] = (MeshEvent){ event, change };
}

int vvWorld_GetMeshEvents(vvWorldId id, vvMeshEvent *events, int capacity)
{
    const World *world = worldFind(id);
    for (int i = 0; world != NULL && events != NULL && i < minInt(capacity, world->meshEvents.count); ++i)
        events[i] = world->meshEvents.item[i].event;
    return world != NULL ? world->meshEvents.count : 0;
}

// ---- the change -----------------------------------------------------------------------------------------------------

#define MOST_GROWTH 1.25 // vertices over those that the order was made for: beyond, it is made anew

// The body beside it with the new mesh, in the order of the old one as long as that is good.
static vvResult create(Remake *remake, Body *body, const vvSoftBodyDef *def, const MeshChange *change, MeshStep *step)
{
    Memory *memory = &body->world->memory;
    Blueprint *blueprint = body->blueprint, *base = blueprint->base != NULL ? blueprint->base : blueprint;
    int *origin = ALLOCATE(memory, int, def->mesh->vertexCount);
    if (origin == NULL)
        return resultOutOfMemory("the order of a body");
    originsFollow(body->mesh, change, blueprint->origin, origin);
    bool grown = def->mesh->vertexCount > MOST_GROWTH * base->mesh->vertexCount;
    Heritage heritage = {
        .base = base, .origin = origin, .former = body, .change = change, .touched = change->touched
    };
    vvResult result = remakeCreate(remake, body, def, grown ? NULL : &heritage);
    if (result.code == VV_OK && grown)
        bodyCarryPlaces(body, remake->other, change);
    if (result.code == VV_OK)
        step->ordered = remake->other->blueprint->base == NULL;
    memoryRelease(memory, origin);
    return result;
}

// former factors have fronts that serve again
static void inherit(Body *fresh, Body *body, const bool *touched)
{
    if (fresh->blueprint->base == NULL || fresh->member.majorizer == NULL || body->member.majorizer == NULL)
        return;
    if (touched != NULL)
        memberInheritMajorizer(&fresh->member, &body->member, &body->world->memory, touched);
    bool own = memberInheritPrefactors(&fresh->member, &body->member);
    fresh->former = own ? body->blueprint : body->former;
    if (own)
        body->blueprint->references += 1;
    else
        body->former = NULL;
}

// J, of the pressure in a surface that is no longer closed: it is the caller's, as its work was
static double escapes(const Body *body, const Body *fresh)
{
    const State *state = &body->world->state;
    for (int e = 0; e < body->definedEnergies; ++e)
    {
        Energy *energy = body->member.energy[e];
        if (energy->kind == &pressureKind && counterpart(fresh, energy) == NULL)
            return energyValue(energy, state->start + 3 * (ptrdiff_t)body->first);
    }
    return 0;
}

// the body takes the place that is ready beside it
static double install(Remake *remake, const MeshChange *change, bool cut, int *room)
{
    Body *body = remake->body;
    World *world = body->world;
    double before = bodyTotal(body), escaped = escapes(body, remake->other);
    vvLedger motion = cut ? motionOf(body) : (vvLedger){ 0 };
    carryForces(remake->other->force, body->force);
    if (remake->other->press != NULL && body->press != NULL)
        carryForces(remake->other->press, body->press);
    carryElements(body, remake->other, change, room);
    carryContact(body, remake->other, change);
    inherit(remake->other, body, change->touched);
    bodyWake(body);
    softForget(world, body);
    remakeExchange(remake);
    remakeRelease(remake);
    if (cut)
        keepMomenta(body, &motion);
    for (int v = 0; v < body->count; ++v)
        body->callerMass[body->mesh->vertexToCaller[v]] = world->state.mass[body->first + v];
    bodyWake(body);
    (void)attachmentsBond(world); // there is room: vertices have other numbers
    bodySearch(body, 0);
    pastForget(body);
    modesWait(body);
    double taken = before - bodyTotal(body) - escaped;
    body->account.dissipated += taken;
    body->account.added -= escaped;
    double found = softRenew(body);
    body->account.dissipated -= found;
    world->events.stale = true;
    return taken - found;
}

vvResult bodyChange(Body *body, MeshStep *step)
{
    World *world = body->world;
    Memory *memory = &world->memory;
    Remake remake = { .body = NULL };
    MeshArrays arrays = { .vertexMass = NULL };
    vvSoftBodyDef def = body->def;
    MeshChange *change = ALLOCATE(memory, MeshChange, 1);
    int *room = ALLOCATE(memory, int, body->mesh->tetCount + 1), vertices = body->count;
    vvResult result = change && room ? meshStepApply(body->mesh, step, change) : resultOutOfMemory("a mesh");
    bool made = result.code == VV_OK;
    if (made && !(facetsKeep(memory, step, change) && originCreate(body) && originReserve(body) &&
                  meshEventsReserve(world) && defArraysFollow(memory, &def, change, &arrays)))
        result = resultOutOfMemory("the definition of a body");
    if (result.code == VV_OK)
    {
        def.mesh = change->mesh;
        defArraysInto(&arrays, &def);
        result = create(&remake, body, &def, change, step);
    }
    if (made)
    {
        meshRelease(change->mesh); // the body keeps its own
        change->mesh = NULL;
    }
    if (result.code == VV_OK)
    {
        double taken = install(&remake, change, step->kind == MESH_CUT, room);
        originTake(body, step);
        tell(body, change, vertices, taken);
        change = NULL;
    }
    if (change != NULL && made)
        meshChangeRelease(change);
    memoryRelease(memory, change);
    defArraysRelease(memory, &arrays);
    memoryRelease(memory, room);
    if (body->origin != NULL && body->origin->stepCount == 0)
        originRelease(body);
    return result;
}

// ---- the calls ------------------------------------------------------------------------------------------------------

static vvResult checkList(const Body *body, const char *what, const int *items, int count)
{
    if (body == NULL)
        return refused("soft body");
    if (count < 1 || items == NULL || count > VV_MAX_VERTICES)
        return resultMake(VV_BAD_INPUT, "pass an array and how many it names", "count is %d and %s is %s", count, what,
                          items ? "given" : "NULL");
    return resultOk();
}

// `kept`: facets that go with them
static vvResult changeBy(Body *body, MeshStepKind kind, const int *items, int count, const int *kept, int keptCount)
{
    Memory *memory = &body->world->memory;
    MeshStep step = { .kind = kind, .itemCount = keptCount + count, .item = ALLOCATE(memory, int, keptCount + count) };
    if (step.item == NULL)
        return resultOutOfMemory("a change of a mesh");
    if (keptCount > 0)
        memcpy(step.item, kept, (size_t)keptCount * sizeof(int));
    memcpy(step.item + keptCount, items, (size_t)count * sizeof(int));
    vvResult result = bodyChange(body, &step);
    meshStepRelease(memory, &step);
    return result;
}

vvResult bodySplit(Body *body, const int *vertices, int count)
{
    int keptCount = 0;
    const int *kept = facetsKept(body, &keptCount);
    return changeBy(body, MESH_SPLIT, vertices, count, kept, keptCount);
}

vvResult vvSoftBody_Split(vvSoftBodyId id, const int *vertices, int count)
{
    Body *body = bodyOpen(id);
    vvResult result = checkList(body, "vertices", vertices, count);
    if (result.code != VV_OK)
        return result;
    return bodySplit(body, vertices, facetCorners(body->mesh) * count);
}

vvResult vvSoftBody_Remove(vvSoftBodyId id, const int *elements, int count)
{
    Body *body = bodyOpen(id);
    vvResult result = checkList(body, "elements", elements, count);
    return result.code == VV_OK ? changeBy(body, MESH_REMOVE, elements, count, NULL, 0) : result;
}

vvResult vvSoftBody_Cut(vvSoftBodyId id, const vvBlade *blade)
{
    Body *body = bodyOpen(id);
    vvResult result = body ? resultOk() : refused("soft body");
    if (result.code == VV_OK && blade == NULL)
        result = resultMake(VV_BAD_INPUT, "pass one", "the blade is NULL");
    const vvVec3 *corner[4] = { 0 };
    for (int k = 0; k < 4 && result.code == VV_OK; ++k)
    {
        corner[k] = k < 2 ? &blade->before[k] : &blade->after[k - 2];
        result = checkVector("a corner of the blade", *corner[k]);
    }
    if (result.code != VV_OK)
        return result;
    Memory *memory = &body->world->memory;
    int count = 12 + 3 * body->count;
    MeshStep step = { .kind = MESH_CUT, .numberCount = count, .number = ALLOCATE(memory, double, count) };
    if (step.number == NULL)
        return resultOutOfMemory("a change of a mesh");
    for (int k = 0; k < 4; ++k)
        vecStore(step.number + 3 * k, *corner[k]);
    memcpy(step.number + 12, vvSoftBody_GetPositions(id), 3 * (size_t)body->count * sizeof(double));
    result = bodyChange(body, &step);
    meshStepRelease(memory, &step);
    return result;
}

int vvSoftBody_GetChangeCount(vvSoftBodyId id)
{
    const Body *body = bodyFind(id);
    return body != NULL && body->origin != NULL ? body->origin->stepCount : 0;
}
