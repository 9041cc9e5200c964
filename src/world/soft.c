// Bodies against bodies: what each brings, the pairs of a step, and what the books and records say of them.
#include "world/world.h"

// ---- skins -------------------------------------------------------------------------------------------------------------

static vvResult reserveSkins(World *world)
{
    if (world->skinSlotCount >= world->bodySlotCount)
        return resultOk();
    void *slots = world->skin;
    if (!memoryGrow(&world->memory, &slots, (size_t)world->skinSlotCount, (size_t)world->bodySlotCount, sizeof(Skin *)))
        return resultOutOfMemory("the surfaces of bodies");
    world->skin = slots;
    world->skinSlotCount = world->bodySlotCount;
    return resultOk();
}

vvResult bodyCreateSkin(Body *body)
{
    World *world = body->world;
    const vvMesh *mesh = body->mesh;
    vvResult result = reserveSkins(world);
    if (result.code != VV_OK)
        return result;
    if (bodyCreateSurface(body))
        body->skin =
            skinCreate(&world->memory, body->contactBody, body->count, mesh->surfaceCount, mesh->surface, mesh->point);
    if (body->skin == NULL)
        return resultOutOfMemory("the surface of a body");
    Skin *skin = body->skin;
    skin->slot = body->slot;
    skin->closed = mesh->matter == MATTER_SOLID;
    skin->self = body->contactDef.self;
    skin->category = body->contactDef.category;
    skin->mask = body->contactDef.mask;
    bodyLoadSurface(body);
    world->skin[body->slot] = skin;
    return result;
}

void bodyDestroySkin(Body *body)
{
    if (body->skin == NULL)
        return;
    body->world->skin[body->slot] = NULL;
    skinDestroy(&body->world->memory, body->skin);
}

static Body *bodyAt(const World *world, int slot)
{
    return slot < world->bodySlotCount ? world->body[slot].body : NULL;
}

int softSearch(World *world, double dt)
{
    for (int i = 0; i < world->skinSlotCount; ++i)
    {
        Skin *skin = world->skin[i];
        if (skin == NULL)
            continue;
        State s = stateSlice(&world->state, bodyAt(world, i)->first, skin->vertexCount);
        skin->x = s.start;
        skin->v = s.startVelocity;
        skin->pinTarget = s.pinTarget;
        skin->pinned = s.pinned;
    }
    return pairsSearch(world->skin, world->skinSlotCount, world->gravity, dt);
}

#define DEEP 0.01 // of a body's size: what is less is a stack that touches

static void warnOverlap(World *world, const Body *body)
{
    double depth = DEEP * body->member.size;
    const Body *in = NULL, *deepest = NULL;
    for (int i = 0; i < world->skinSlotCount && !world->warnedOverlap; ++i)
    {
        const Body *other = bodyAt(world, i);
        if (world->skin[i] == NULL || other == body)
            continue;
        double ours = pairsDepth(body->skin, other->skin), theirs = pairsDepth(other->skin, body->skin);
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
             "%s begins %.3g m inside %s: contact pushes them apart, and what it stores for that is booked as added; "
             "place them apart, or give them collision masks that do not meet (said once)",
             deepest->name, depth, in->name);
}

double softRenew(Body *body)
{
    if (body->skin == NULL)
        return 0;
    double before = softEnergyApart(body) + softEnergyOf(body);
    softSearch(body->world, 0); // others look around too, and what they find is no loss of theirs
    return softEnergyApart(body) + softEnergyOf(body) - before;
}

double softPlace(Body *body)
{
    double more = softRenew(body);
    if (body->skin != NULL)
        warnOverlap(body->world, body);
    return more;
}

static void eachSkin(World *world, void (*act)(Skin *))
{
    for (int i = 0; i < world->skinSlotCount; ++i)
    {
        if (world->skin[i] != NULL)
            act(world->skin[i]);
    }
}

void softMark(World *world)
{
    eachSkin(world, skinMark);
}

void softRewind(World *world)
{
    eachSkin(world, skinRewind);
}

void softAccept(World *world)
{
    for (int i = 0; i < world->skinSlotCount; ++i)
    {
        if (world->skin[i] != NULL)
            bodyAt(world, i)->account.dissipated += world->skin[i]->released;
    }
}

void softForget(World *world, const Body *body)
{
    if (body->skin == NULL)
        return;
    skinForget(body->skin);
    for (int i = 0; i < world->skinSlotCount; ++i)
    {
        Skin *skin = world->skin[i];
        for (int g = 0; skin != NULL && g < skin->surfaceCount * GRIPS; ++g)
        {
            if (skin->grip[g].other == body->slot)
                skin->grip[g] = (Grip){ .other = -1, .triangle = -1 };
        }
    }
}

// ---- the pairs of a step -------------------------------------------------------------------------------------------------

void pairsDestroy(World *world, Pairs *pairs)
{
    if (pairs == NULL)
        return;
    memoryRelease(&world->memory, pairs->grip);
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
                          .grip = ALLOCATE(memory, Grip *, capacity) };
    if (pairs != NULL && pairs->vertex != NULL && pairs->grip != NULL && coupling != NULL)
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

static int countGrips(const Skin *skin)
{
    int count = 0;
    for (int i = 0; i < skin->surfaceCount * GRIPS; ++i)
        count += skin->grip[i].other >= 0;
    return count;
}

// names the corners of a body's grips, over the island's vertices
static int namePairs(const World *world, const Term *joint, const Body *body, int count)
{
    Pairs *pairs = joint->energy->context;
    for (int i = 0; i < body->skin->surfaceCount * GRIPS; ++i)
    {
        Grip *grip = &body->skin->grip[i];
        if (grip->other < 0)
            continue;
        const Body *other = bodyAt(world, grip->other);
        Coupling *coupling = &joint->coupling[count];
        pairs->grip[count] = grip;
        pairs->vertex[4 * count] = body->member.offset + body->skin->vertex[i / GRIPS];
        coupling->member[0] = body->place;
        coupling->share[0] = 1;
        for (int k = 0; k < 3; ++k)
        {
            int corner = other->skin->triangle[3 * (ptrdiff_t)grip->triangle + k];
            pairs->vertex[4 * count + k + 1] = other->member.offset + corner;
            coupling->member[k + 1] = other->place;
            coupling->share[k + 1] = -grip->share[k];
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
        double value = system->linkDiagonal[i] + body->skin->held[v];
        changed |= value != system->couplingDiagonal[i];
        system->couplingDiagonal[i] = value;
    }
    body->member.pinVersion += changed;
}

static bool loadIsland(World *world, int island)
{
    System *system = &world->system[island];
    int count = 0, named = 0;
    for (int i = 0; i < world->skinSlotCount; ++i)
    {
        if (world->skin[i] != NULL && bodyAt(world, i)->island == island)
            count += countGrips(world->skin[i]);
    }
    if (!reservePairs(world, system, count))
        return false;
    Term *joint = pairsOf(system);
    for (int i = 0; i < world->skinSlotCount; ++i)
    {
        if (world->skin[i] == NULL || bodyAt(world, i)->island != island)
            continue;
        named = namePairs(world, joint, bodyAt(world, i), named);
        loadDiagonal(system, bodyAt(world, i));
    }
    Pairs *pairs = joint->energy->context;
    energyReindex(joint->energy, count, pairs->vertex);
    for (int e = 0; e < count; ++e)
        pairLoad(joint->energy, e, pairs->grip[e], system->state.start);
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

// ---- books and records -----------------------------------------------------------------------------------------------------

static Vec3 placeOf(const Body *body, int vertex)
{
    return vecLoad(body->world->state.start + 3 * ((ptrdiff_t)body->first + vertex));
}

static void placesOf(const Body *body, int index, Vec3 *vertex, Vec3 corner[3])
{
    const Grip *grip = &body->skin->grip[index];
    const Body *other = bodyAt(body->world, grip->other);
    *vertex = placeOf(body, body->skin->vertex[index / GRIPS]);
    for (int k = 0; k < 3; ++k)
        corner[k] = placeOf(other, other->skin->triangle[3 * (ptrdiff_t)grip->triangle + k]);
}

// of the grips on a certain slot, or all for -1
static double energyOn(const Body *body, int slot)
{
    double sum = 0;
    for (int i = 0; body->skin != NULL && i < body->skin->surfaceCount * GRIPS; ++i)
    {
        const Grip *grip = &body->skin->grip[i];
        if (grip->other < 0 || (slot >= 0 && grip->other != slot))
            continue;
        Vec3 vertex, corner[3];
        placesOf(body, i, &vertex, corner);
        sum += gripEnergy(grip, vertex, corner);
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
    for (int i = 0; body->skin != NULL && i < body->world->skinSlotCount; ++i)
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
    for (int i = 0; i < world->skinSlotCount; ++i)
        sum += bodyAt(world, i) != NULL ? softEnergy(bodyAt(world, i)) : 0;
    return sum - softEnergyOf(body);
}

uint64_t softHash(const Body *body, uint64_t hash)
{
    const Skin *skin = body->skin;
    for (int i = 0; skin != NULL && i < skin->surfaceCount * GRIPS; ++i)
    {
        Grip grip = skin->grip[i];
        if (grip.other < 0)
            continue;
        grip.other = bodyAt(body->world, grip.other)->ordinal;
        hash = hashBytes(hash, &i, sizeof i);
        hash = hashBytes(hash, &grip, sizeof grip);
    }
    if (skin != NULL)
    {
        hash = hashBytes(hash, skin->held, (size_t)skin->vertexCount * sizeof(double));
        hash = hashBytes(hash, skin->patience, (size_t)skin->vertexCount);
    }
    return hash;
}

int softGripCount(const Body *body)
{
    return body->skin != NULL ? body->skin->surfaceCount * GRIPS : 0;
}

bool softTouch(const Body *body, int index, vvContact *contact)
{
    const Grip *grip = &body->skin->grip[index];
    if (grip->other < 0)
        return false;
    Vec3 vertex, corner[3];
    placesOf(body, index, &vertex, corner);
    double distance = gripDistance(grip, vertex, corner);
    if (!(distance < 0))
        return false;
    *contact = (vvContact){ .body = bodyId(body),
                            .vertex = body->mesh->vertexToCaller[body->skin->vertex[index / GRIPS]],
                            .other = bodyId(bodyAt(body->world, grip->other)),
                            .triangle = grip->triangle,
                            .point = vertex,
                            .normal = vecLoad(grip->normal),
                            .force = gripForce(grip, vertex, corner),
                            .overlap = -distance };
    return true;
}

int softContacts(const Body *body, vvContact *contacts, int capacity, int count)
{
    for (int i = 0; i < softGripCount(body); ++i)
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
