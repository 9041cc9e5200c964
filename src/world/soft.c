// Bodies against bodies: what each brings, the pairs of a step, and what the books and records say of them.
#include "world/world.h"

// ---- collision meshes -----------------------------------------------------------------------------------------------

static vvResult reserveCollisionMeshes(World *world)
{
    if (world->collisionMeshSlotCount >= world->bodySlotCount)
        return resultOk();
    void *slots = world->collisionMesh;
    if (!memoryGrow(&world->memory, &slots, (size_t)world->collisionMeshSlotCount, (size_t)world->bodySlotCount,
                    sizeof(CollisionMesh *)))
        return resultOutOfMemory("the surfaces of bodies");
    world->collisionMesh = slots;
    world->collisionMeshSlotCount = world->bodySlotCount;
    return resultOk();
}

vvResult bodyCreateCollisionMesh(Body *body)
{
    World *world = body->world;
    const vvMesh *mesh = body->mesh;
    vvResult result = reserveCollisionMeshes(world);
    if (result.code != VV_OK)
        return result;
    if (bodyCreateSurface(body))
        body->collisionMesh = collisionMeshCreate(&world->memory, body->contactBody, body->count, mesh->surfaceCount,
                                                  mesh->surface, mesh->point);
    if (body->collisionMesh == NULL)
        return resultOutOfMemory("the surface of a body");
    CollisionMesh *collisionMesh = body->collisionMesh;
    collisionMesh->slot = body->slot;
    collisionMesh->closed = mesh->matter == MATTER_SOLID;
    collisionMesh->self = body->contactDef.self;
    collisionMesh->category = body->contactDef.category;
    collisionMesh->mask = body->contactDef.mask;
    bodyLoadSurface(body);
    world->collisionMesh[body->slot] = collisionMesh;
    return result;
}

void bodyDestroyCollisionMesh(Body *body)
{
    if (body->collisionMesh == NULL)
        return;
    body->world->collisionMesh[body->slot] = NULL;
    collisionMeshDestroy(&body->world->memory, body->collisionMesh);
}

static Body *bodyAt(const World *world, int slot)
{
    return slot < world->bodySlotCount ? world->body[slot].body : NULL;
}

int softSearch(World *world, double dt)
{
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
    {
        CollisionMesh *collisionMesh = world->collisionMesh[i];
        if (collisionMesh == NULL)
            continue;
        State s = stateSlice(&world->state, bodyAt(world, i)->first, collisionMesh->vertexCount);
        collisionMesh->x = s.start;
        collisionMesh->v = s.startVelocity;
        collisionMesh->pinTarget = s.pinTarget;
        collisionMesh->pinned = s.pinned;
    }
    return pairsSearch(world->collisionMesh, world->collisionMeshSlotCount, world->gravity, dt);
}

#define DEEP 0.01 // of a body's size: what is less is a stack that touches

static void warnOverlap(World *world, const Body *body)
{
    double depth = DEEP * body->member.size;
    const Body *in = NULL, *deepest = NULL;
    for (int i = 0; i < world->collisionMeshSlotCount && !world->warnedOverlap; ++i)
    {
        const Body *other = bodyAt(world, i);
        if (world->collisionMesh[i] == NULL || other == body)
            continue;
        double ours = pairsDepth(body->collisionMesh, other->collisionMesh),
               theirs = pairsDepth(other->collisionMesh, body->collisionMesh);
        if (maxReal(ours, theirs) > depth)
        {
            depth = maxReal(ours, theirs);
            in = ours > theirs ? other : body;
            deepest = ours > theirs ? body : other;
        }
    }
    if (deepest == NULL)
        return;
    world->warnedOverlap = true;
    logWrite(&world->memory, &world->logger, VV_LOG_WARNING,
             "%s begins %.3g m inside %s: contact pushes them apart, which is booked as added; "
             "place them apart, or give them collision masks that do not meet (said once)",
             deepest->name, depth, in->name);
}

double softRenew(Body *body)
{
    if (body->collisionMesh == NULL)
        return 0;
    double before = softEnergyApart(body) + softEnergyOf(body);
    softSearch(body->world, 0); // others look around too, and what they find is no loss of theirs
    return softEnergyApart(body) + softEnergyOf(body) - before;
}

double softPlace(Body *body)
{
    double more = softRenew(body);
    if (body->collisionMesh != NULL)
        warnOverlap(body->world, body);
    return more;
}

static void eachCollisionMesh(World *world, void (*act)(CollisionMesh *))
{
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
    {
        if (world->collisionMesh[i] != NULL)
            act(world->collisionMesh[i]);
    }
}

void softMark(World *world)
{
    eachCollisionMesh(world, collisionMeshMark);
}

void softRewind(World *world)
{
    eachCollisionMesh(world, collisionMeshRewind);
}

void softAccept(World *world)
{
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
    {
        if (world->collisionMesh[i] != NULL)
            bodyAt(world, i)->account.dissipated += world->collisionMesh[i]->released;
    }
}

void softForget(World *world, const Body *body)
{
    if (body->collisionMesh == NULL)
        return;
    collisionMeshForget(body->collisionMesh);
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
    {
        CollisionMesh *collisionMesh = world->collisionMesh[i];
        for (int g = 0; collisionMesh != NULL && g < collisionMesh->surfaceCount * PAIR_CONTACTS; ++g)
        {
            if (collisionMesh->pairContact[g].other == body->slot)
                collisionMesh->pairContact[g] = (PairContact){ .other = -1, .triangle = -1 };
        }
    }
}

// ---- the pairs of a step --------------------------------------------------------------------------------------------

void pairsDestroy(World *world, Pairs *pairs)
{
    if (pairs == NULL)
        return;
    memoryRelease(&world->memory, pairs->pairContact);
    memoryRelease(&world->memory, pairs->vertex);
    memoryRelease(&world->memory, pairs);
}

// room for so many; nothing where there is no memory
static Term createPairs(World *world, const System *system, int capacity)
{
    Memory *memory = &world->memory;
    Recipe recipe = { .isa = world->isa };
    Pairs *pairs = ALLOCATE(memory, Pairs, 1);
    Coupling *coupling = ALLOCATE(memory, Coupling, capacity);
    Energy *energy = NULL;
    if (pairs != NULL)
        *pairs = (Pairs){ .capacity = capacity,
                          .vertex = ALLOCATE(memory, int, 4 * (size_t)capacity),
                          .pairContact = ALLOCATE(memory, PairContact *, capacity) };
    if (pairs != NULL && pairs->vertex != NULL && pairs->pairContact != NULL && coupling != NULL)
        energy = energyCreate(memory, &pairKind, system->state.count, capacity, pairs->vertex, &recipe);
    if (energy == NULL)
    {
        pairsDestroy(world, pairs);
        memoryRelease(memory, coupling);
        return (Term){ 0 };
    }
    energyReindex(energy, 0, NULL);
    energy->context = pairs;
    return (Term){ .energy = energy, .coupling = coupling };
}

bool systemCreatePairs(World *world, System *system)
{
    Term pairs = createPairs(world, system, maxInt(64, system->state.count / 4));
    if (pairs.energy == NULL)
        return false;
    systemAddJoint(system, pairs.energy, pairs.coupling);
    return true;
}

// the last joint of an island whose bodies may touch
static Term *pairsOf(const System *system)
{
    ASSERT(system->termCount > system->jointStart && system->term[system->termCount - 1].energy->kind == &pairKind,
           "the pairs are a joint");
    return &system->term[system->termCount - 1];
}

// more room, and half as much again, so that it is not asked for in every step
static bool reservePairs(World *world, System *system, int count)
{
    Term *joint = pairsOf(system);
    int capacity = ((const Pairs *)joint->energy->context)->capacity;
    if (count <= capacity)
        return true;
    int grown = count + count / 2;
    Term pairs = createPairs(world, system, grown);
    if (pairs.energy == NULL)
        return false;
    jointDestroy(world, joint);
    joint->energy = pairs.energy;
    joint->coupling = pairs.coupling;
    logWrite(&world->memory, &world->logger, VV_LOG_DEBUG,
             "step %lld: room for contacts between bodies grew from %d to %d; a step that needs no more allocates "
             "nothing",
             world->statistics.stepCount + 1, capacity, grown);
    return true;
}

static int countPairContacts(const CollisionMesh *collisionMesh)
{
    int count = 0;
    for (int i = 0; i < collisionMesh->surfaceCount * PAIR_CONTACTS; ++i)
        count += collisionMesh->pairContact[i].other >= 0;
    return count;
}

// names the corners of a body's pair contacts, over the island's vertices
static int namePairs(const World *world, const Term *joint, const Body *body, int count)
{
    Pairs *pairs = joint->energy->context;
    for (int i = 0; i < body->collisionMesh->surfaceCount * PAIR_CONTACTS; ++i)
    {
        PairContact *pairContact = &body->collisionMesh->pairContact[i];
        if (pairContact->other < 0)
            continue;
        const Body *other = bodyAt(world, pairContact->other);
        Coupling *coupling = &joint->coupling[count];
        pairs->pairContact[count] = pairContact;
        pairs->vertex[4 * count] = body->member.offset + body->collisionMesh->vertex[i / PAIR_CONTACTS];
        coupling->member[0] = body->place;
        coupling->share[0] = 1;
        for (int k = 0; k < 3; ++k)
        {
            int corner = other->collisionMesh->triangle[3 * (ptrdiff_t)pairContact->triangle + k];
            pairs->vertex[4 * count + k + 1] = other->member.offset + corner;
            coupling->member[k + 1] = other->place;
            coupling->share[k + 1] = -pairContact->share[k];
        }
        count += 1;
    }
    return count;
}

// what matrices hold of the pairs; only bodies in which it changed are factored again
static void loadDiagonal(const System *system, Body *body)
{
    bool changed = false;
    for (int v = 0; v < body->count; ++v)
    {
        int i = body->member.offset + v;
        double value = system->linkDiagonal[i] + body->collisionMesh->held[v];
        changed |= value != system->couplingDiagonal[i];
        system->couplingDiagonal[i] = value;
    }
    body->member.pinVersion += changed;
}

static bool loadIsland(World *world, int island)
{
    System *system = &world->system[island];
    int count = 0, named = 0;
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
    {
        if (world->collisionMesh[i] != NULL && bodyAt(world, i)->island == island)
            count += countPairContacts(world->collisionMesh[i]);
    }
    if (!reservePairs(world, system, count))
        return false;
    Term *joint = pairsOf(system);
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
    {
        if (world->collisionMesh[i] == NULL || bodyAt(world, i)->island != island)
            continue;
        named = namePairs(world, joint, bodyAt(world, i), named);
        loadDiagonal(system, bodyAt(world, i));
    }
    Pairs *pairs = joint->energy->context;
    energyReindex(joint->energy, count, pairs->vertex);
    for (int e = 0; e < count; ++e)
        pairLoad(joint->energy, e, pairs->pairContact[e], system->state.start);
    return true;
}

bool softLoad(World *world)
{
    for (int i = 0; i < world->systemCount && world->softContact; ++i)
    {
        if (!loadIsland(world, i))
            return false;
    }
    return true;
}

// ---- books and records ----------------------------------------------------------------------------------------------

static Vec3 placeOf(const Body *body, int vertex)
{
    return vecLoad(body->world->state.start + 3 * ((ptrdiff_t)body->first + vertex));
}

static void placesOf(const Body *body, int index, Vec3 *vertex, Vec3 corner[3])
{
    const PairContact *pairContact = &body->collisionMesh->pairContact[index];
    const Body *other = bodyAt(body->world, pairContact->other);
    *vertex = placeOf(body, body->collisionMesh->vertex[index / PAIR_CONTACTS]);
    for (int k = 0; k < 3; ++k)
        corner[k] = placeOf(other, other->collisionMesh->triangle[3 * (ptrdiff_t)pairContact->triangle + k]);
}

// of the pair contacts on a certain slot, or all for -1
static double energyOn(const Body *body, int slot)
{
    double sum = 0;
    for (int i = 0; body->collisionMesh != NULL && i < body->collisionMesh->surfaceCount * PAIR_CONTACTS; ++i)
    {
        const PairContact *pairContact = &body->collisionMesh->pairContact[i];
        if (pairContact->other < 0 || (slot >= 0 && pairContact->other != slot))
            continue;
        Vec3 vertex, corner[3];
        placesOf(body, i, &vertex, corner);
        sum += pairContactEnergy(pairContact, vertex, corner);
    }
    return sum;
}

double softEnergy(const Body *body)
{
    return energyOn(body, -1);
}

double softEnergyOf(const Body *body)
{
    double sum = softEnergy(body);
    for (int i = 0; body->collisionMesh != NULL && i < body->world->collisionMeshSlotCount; ++i)
    {
        const Body *other = bodyAt(body->world, i);
        sum += other != NULL && other != body ? energyOn(other, body->slot) : 0;
    }
    return sum;
}

double softEnergyApart(const Body *body)
{
    const World *world = body->world;
    double sum = 0;
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
        sum += bodyAt(world, i) != NULL ? softEnergy(bodyAt(world, i)) : 0;
    return sum - softEnergyOf(body);
}

uint64_t softHash(const Body *body, uint64_t hash)
{
    const CollisionMesh *collisionMesh = body->collisionMesh;
    for (int i = 0; collisionMesh != NULL && i < collisionMesh->surfaceCount * PAIR_CONTACTS; ++i)
    {
        PairContact pairContact = collisionMesh->pairContact[i];
        if (pairContact.other < 0)
            continue;
        pairContact.other = bodyAt(body->world, pairContact.other)->ordinal;
        hash = hashBytes(hash, &i, sizeof i);
        hash = hashBytes(hash, &pairContact, sizeof pairContact);
    }
    if (collisionMesh != NULL)
    {
        hash = hashBytes(hash, collisionMesh->held, (size_t)collisionMesh->vertexCount * sizeof(double));
        hash = hashBytes(hash, collisionMesh->patience, (size_t)collisionMesh->vertexCount);
    }
    return hash;
}

int softPairContactCount(const Body *body)
{
    return body->collisionMesh != NULL ? body->collisionMesh->surfaceCount * PAIR_CONTACTS : 0;
}

bool softTouch(const Body *body, int index, vvContact *contact)
{
    const PairContact *pairContact = &body->collisionMesh->pairContact[index];
    if (pairContact->other < 0)
        return false;
    Vec3 vertex, corner[3];
    placesOf(body, index, &vertex, corner);
    double distance = pairContactDistance(pairContact, vertex, corner);
    if (body->collisionMesh->hard ? !(pairContact->force > 0) : !(distance < 0))
        return false;
    *contact = (vvContact){ .body = bodyId(body),
                            .vertex = body->mesh->vertexToCaller[body->collisionMesh->vertex[index / PAIR_CONTACTS]],
                            .other = bodyId(bodyAt(body->world, pairContact->other)),
                            .triangle = pairContact->triangle,
                            .point = vertex,
                            .normal = vecLoad(pairContact->normal),
                            .force = pairContactForce(pairContact, vertex, corner),
                            .overlap = maxReal(-distance, 0) };
    return true;
}

int softContacts(const Body *body, vvContact *contacts, int capacity, int count)
{
    for (int i = 0; i < softPairContactCount(body); ++i)
    {
        vvContact contact;
        if (!softTouch(body, i, &contact))
            continue;
        if (contacts != NULL && count < capacity)
            contacts[count] = contact;
        count += 1;
    }
    return count;
}
