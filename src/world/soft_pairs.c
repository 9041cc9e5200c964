// The pairs of a step: what may touch, as one batch of elements for each island, in room for those of all islands.
#include "world/world.h"

// ---- room -----------------------------------------------------------------------------------------------------------

void pairsDestroy(World *world)
{
    SystemPool *pool = &world->pool;
    energyDestroy(pool->pair);
    memoryRelease(&world->memory, pool->pairCoupling);
    memoryRelease(&world->memory, pool->pairContact);
    memoryRelease(&world->memory, pool->pairVertex);
    pool->pair = NULL;
    pool->pairCoupling = NULL;
    pool->pairContact = NULL;
    pool->pairVertex = NULL;
    pool->pairRoom = 0;
}

static bool createRoom(World *world, int room)
{
    SystemPool *pool = &world->pool;
    Memory *memory = &world->memory;
    Recipe recipe = { .isa = world->isa };
    pool->pairCoupling = ALLOCATE(memory, Coupling, room);
    pool->pairContact = ALLOCATE(memory, PairContact *, room);
    pool->pairVertex = ALLOCATE(memory, int, 4 * (size_t)room);
    if (pool->pairVertex != NULL)
        pool->pair =
            energyCreate(memory, &pairKind, world->state.count + world->bodyCount, room, pool->pairVertex, &recipe);
    pool->pairRoom = room;
    if (pool->pairCoupling != NULL && pool->pairContact != NULL && pool->pair != NULL)
        return true;
    pairsDestroy(world);
    return false;
}

// half as much again, so that it is not asked for in every step; `count` in whole blocks
static bool reserveRoom(World *world, int count)
{
    int before = world->pool.pairRoom;
    if (before > 0 && count <= before)
        return true;
    int least = maxInt(64, world->state.count / 4), grown = before > 0 ? count + count / 2 : maxInt(least, count);
    grown = (grown + LANES - 1) / LANES * LANES;
    pairsDestroy(world);
    if (!createRoom(world, grown))
        return false;
    if (before > 0)
        logWrite(&world->memory, &world->logger, VV_LOG_DEBUG,
                 "step %lld: room for contacts between bodies grew from %d to %d; a step that needs no more allocates "
                 "nothing",
                 world->statistics.stepCount + 1, before, grown);
    return true;
}

// ---- elements -------------------------------------------------------------------------------------------------------

static Body *bodyAt(const World *world, int slot)
{
    return world->body[slot].body;
}

// names the corners of a body's pair contacts, over the island's vertices
static int namePairs(const World *world, const Pairs *pairs, Coupling *couplings, const Body *body, int count)
{
    const CollisionMesh *mesh = body->collisionMesh;
    for (int i = 0; mesh->contactCount > 0 && i < mesh->surfaceCount * PAIR_CONTACTS; ++i)
    {
        PairContact *pairContact = &mesh->pairContact[i];
        if (mesh->partner[i] < 0)
            continue;
        const Body *other = bodyAt(world, mesh->partner[i]);
        Coupling *coupling = &couplings[count];
        pairs->pairContact[count] = pairContact;
        pairs->vertex[4 * count] = body->member.offset + mesh->vertex[i / PAIR_CONTACTS];
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
    CollisionMesh *mesh = body->collisionMesh;
    bool changed = false;
    for (int v = 0; v < body->count; ++v)
    {
        int i = body->member.offset + v;
        changed |= mesh->applied[v] != mesh->held[v];
        mesh->applied[v] = mesh->held[v];
        system->couplingDiagonal[i] = system->linkDiagonal[i] + mesh->held[v];
    }
    body->member.pinVersion += changed;
}

// ---- islands --------------------------------------------------------------------------------------------------------

typedef struct Load
{
    World *world;
    int first; // number of the first task of this run
} Load;

static void loadTask(void *context, int task)
{
    const Load *load = context;
    World *world = load->world;
    int island = load->first + task, named = 0;
    System *system = &world->system[island];
    Pairs *pairs = &world->pool.pairs[island];
    Term *joint = &system->term[system->termCount - 1];
    int first = (int)(system->state.mass - world->state.mass),
        block = (int)(pairs->pairContact - world->pool.pairContact);
    *joint->energy = energySlice(world->pool.pair, block / LANES, first + island, system->state.count);
    joint->energy->context = pairs;
    joint->coupling = world->pool.pairCoupling + block;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Body *body = bodyOfMember(system->member[p]);
        named = namePairs(world, pairs, joint->coupling, body, named);
        loadDiagonal(system, body);
    }
    energyReindex(joint->energy, named, pairs->vertex);
    for (int e = 0; e < named; ++e)
        pairLoad(joint->energy, e, pairs->pairContact[e], system->state.start);
    joint->energy->off = energyIsIdle(joint->energy); // also pairs under the hard law
}

// each island has whole blocks; returns how many elements that are
static int countBlocks(const World *world, int island)
{
    const System *system = &world->system[island];
    int count = 0;
    for (int p = 0; p < system->memberCount; ++p)
        count += bodyOfMember(system->member[p])->collisionMesh->contactCount;
    return (count + LANES - 1) / LANES * LANES;
}

bool softLoad(World *world)
{
    int room = 0;
    for (int i = 0; i < world->systemCount && world->softContact; ++i)
        room += countBlocks(world, i);
    if (!world->softContact || world->systemCount == 0)
        return true;
    if (!reserveRoom(world, room))
        return false;
    for (int i = 0, place = 0; i < world->systemCount; ++i)
    {
        int count = countBlocks(world, i);
        world->pool.pairs[i] = (Pairs){ .capacity = count,
                                        .pairContact = world->pool.pairContact + place,
                                        .vertex = world->pool.pairVertex + 4 * (ptrdiff_t)place };
        place += count;
    }
    Load load = { .world = world };
    for (; load.first < world->systemCount; load.first += WORKERS_MOST_TASKS)
        workersRun(world->workers, minInt(world->systemCount - load.first, WORKERS_MOST_TASKS), loadTask, &load);
    return true;
}
