// Islands: bodies joined by attachments are accounted for and solved together.
#include "world/world.h"

#include <string.h>

#define SERIAL_VERTICES 500 // smaller islands are done before a second thread has woken

// ---- the partition ---------------------------------------------------------------------------------------------------

static int countOfIsland(const World *world, int island)
{
    int count = 0;
    for (int i = 0; i < world->bodySlotCount; ++i)
        count += world->body[i].body != NULL && world->body[i].body->island == island;
    return count;
}

// bodies that may touch are one island, touching or not; true: something changed
static bool joinMeeting(World *world)
{
    bool changed = false;
    for (int i = 0; i < world->bodySlotCount && world->softContact; ++i)
    {
        for (int k = 0; k < i; ++k)
        {
            Body *a = world->body[i].body, *b = world->body[k].body;
            if (a == NULL || b == NULL || a->island == b->island || !bodiesMeet(a, b))
                continue;
            a->island = b->island = minInt(a->island, b->island);
            changed = true;
        }
    }
    return changed;
}

// numbers islands by their first body: repeated passes of "take the smaller slot" over the links until nothing changes
void islandsNumber(World *world)
{
    for (int i = 0, ordinal = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body == NULL)
            continue;
        body->island = i;
        body->ordinal = ordinal++;
    }
    for (bool changed = true; changed;)
    {
        changed = joinMeeting(world);
        for (int i = 0; i < world->attachmentSlotCount; ++i)
        {
            const Attachment *a = &world->attachment[i];
            if (!a->used || a->body[1] == NULL || a->body[0]->island == a->body[1]->island)
                continue;
            int least = minInt(a->body[0]->island, a->body[1]->island);
            a->body[0]->island = a->body[1]->island = least;
            changed = true;
        }
    }
    // the smallest slot of an island is its own label: turn labels into 0, 1, 2 ... in place, in slot order
    world->islandCount = 0;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body != NULL)
            body->island = body->island == i ? world->islandCount++ : world->body[body->island].body->island;
    }
}

// The books of an island that falls apart. Energy flowed between its bodies, so no body's own account means anything:
// each gets its present energy as target, less its share by mass of what the numerics lost so far. The sum stays.
static void settle(World *world, int island, double numerical)
{
    double mass = 0;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        mass += body != NULL && body->island == island ? body->mass : 0;
    }
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body == NULL || body->island != island)
            continue;
        vvLedger ledger = { 0 };
        bodyAddLedger(body, &ledger);
        // springs to other bodies count half for each end
        for (int k = 0; k < world->attachmentSlotCount; ++k)
        {
            const Attachment *a = &world->attachment[k];
            if (a->used && a->body[1] != NULL)
                ledger.elastic += 0.5 * ((a->body[0] == body) + (a->body[1] == body)) * attachmentEnergy(world, a);
        }
        ledger.contact += softEnergy(body);
        ledgerClose(&ledger);
        body->account.opening += ledger.total - numerical * body->mass / mass - accountTarget(&body->account);
    }
}

void islandsUpdate(World *world)
{
    // settle first, while `island` still tells who belonged together; it changes nothing for islands that stay whole
    for (int island = 0; island < world->islandCount; ++island)
    {
        if (countOfIsland(world, island) > 1)
            settle(world, island, islandLedger(world, island).numerical);
    }
    islandsNumber(world);
}

void pastForget(Body *body)
{
    const World *world = body->world;
    for (Body *other = world->firstBody; other != NULL && world->method.integrator->pastCount > 0; other = other->next)
    {
        if (other->island == body->island)
            memset(other->part.recall, 0, sizeof other->part.recall);
    }
}

// ---- what a step solves ----------------------------------------------------------------------------------------------

void systemsDestroy(World *world)
{
    for (int i = 0; i < world->systemCount; ++i)
    {
        System *system = &world->system[i];
        energyDestroy(system->joint[0]);
        memoryRelease(&world->memory, system->coupling[0]);
        systemDestroyPairs(world, system);
        memoryRelease(&world->memory, system->work);
        memoryRelease(&world->memory, system->couplingDiagonal);
        memoryRelease(&world->memory, system->linkDiagonal);
        memoryRelease(&world->memory, system->coarse);
        memoryRelease(&world->memory, system->anchor);
        memoryRelease(&world->memory, system->history);
        systemSweepRelease(system);
        memoryRelease(&world->memory, system->residual);
        memoryRelease(&world->memory, system->part);
    }
    memoryRelease(&world->memory, world->system);
    world->system = NULL;
    world->systemCount = 0;
}

static bool isLinkOf(const Attachment *attachment, int island)
{
    return attachment->used && attachment->body[1] != NULL && attachment->body[0]->island == island;
}

static bool createLinks(World *world, System *system, int island, int count)
{
    Memory *memory = &world->memory;
    int *pairs = ALLOCATE(memory, int, 2 * count);
    double *stiffness = ALLOCATE(memory, double, count);
    system->coupling[0] = ALLOCATE(memory, Coupling, count);
    if (pairs && stiffness && system->coupling[0])
    {
        for (int i = 0, n = 0; i < world->attachmentSlotCount; ++i)
        {
            const Attachment *a = &world->attachment[i];
            if (!isLinkOf(a, island))
                continue;
            for (int end = 0; end < 2; ++end)
            {
                pairs[2 * n + end] = a->body[end]->part.offset + a->vertex[end];
                system->coupling[0][n].part[end] = a->body[end]->place;
                system->coupling[0][n].share[end] = end == 0 ? 1 : -1;
                // k [1 -1; -1 1] lies below 2 k on the diagonal
                system->linkDiagonal[pairs[2 * n + end]] += 2 * a->stiffness;
                system->couplingDiagonal[pairs[2 * n + end]] += 2 * a->stiffness;
            }
            stiffness[n++] = a->stiffness;
        }
        Recipe recipe = { .rest = system->state.start, .strength = stiffness, .isa = world->isa };
        system->joint[0] = energyCreate(memory, &linkKind, system->state.count, count, pairs, &recipe);
    }
    memoryRelease(memory, pairs);
    memoryRelease(memory, stiffness);
    if (system->joint[0] == NULL)
        return false;
    // rest lengths are the attachments' own, not the present distances
    for (int i = 0, n = 0; i < world->attachmentSlotCount; ++i)
    {
        if (isLinkOf(&world->attachment[i], island))
            energySetParam(system->joint[0], n++, 1, world->attachment[i].restLength);
    }
    return true;
}

static bool createSystem(World *world, int island, Body *const *body, int bodyCount)
{
    System *system = &world->system[island];
    int count = 0, links = 0;
    system->part = ALLOCATE(&world->memory, Part *, bodyCount);
    if (system->part == NULL)
        return false;
    system->partCount = bodyCount;
    system->to = 1;
    for (int i = 0; i < bodyCount; ++i)
    {
        system->part[i] = &body[i]->part;
        system->dissipates |= body[i]->drag != NULL || body[i]->damper != NULL || body[i]->contactDamping != NULL;
        body[i]->part.offset = count;
        body[i]->place = i;
        body[i]->part.pinVersion += 1; // couplings may have changed
        count += body[i]->count;
    }
    system->state = stateSlice(&world->state, body[0]->first, count);
    system->memory = &world->memory;
    system->workers = count > SERIAL_VERTICES ? world->workers : NULL;
    system->isa = world->isa;
    system->residual = ALLOCATE(&world->memory, double, systemPieces(count));
    if (system->residual == NULL)
        return false;
    if (world->method.solving.accelerate)
    {
        system->history = ALLOCATE(&world->memory, double, (size_t)count * 3 * 2 * HISTORY);
        if (system->history == NULL)
            return false;
    }
    for (int i = 0; i < world->attachmentSlotCount; ++i)
        links += isLinkOf(&world->attachment[i], island);
    bool joined = links > 0 || world->softContact;
    if (joined || world->method.solver->iterative)
    {
        system->work = ALLOCATE(&world->memory, double, 12 * (size_t)count);
        if (system->work == NULL)
            return false;
    }
    if (!joined)
        return true;
    system->couplingDiagonal = ALLOCATE(&world->memory, double, count);
    system->linkDiagonal = ALLOCATE(&world->memory, double, count);
    if (!system->couplingDiagonal || !system->linkDiagonal)
        return false;
    if (methodIsPrefactored(&world->method) && bodyCount > 1 && bodyCount <= COARSE_MOST)
    {
        system->coarse = ALLOCATE(&world->memory, double, (size_t)bodyCount *((size_t)bodyCount + 3));
        system->anchor = ALLOCATE(&world->memory, double, count);
        if (system->coarse == NULL || system->anchor == NULL)
            return false;
    }
    return (links == 0 || createLinks(world, system, island, links)) &&
           (!world->softContact || systemCreatePairs(world, system));
}

// bodies by island, within an island by slot
static Body **sortBodies(World *world)
{
    Body **order = ALLOCATE(&world->memory, Body *, world->bodyCount);
    for (int island = 0, n = 0; order != NULL && island < world->islandCount; ++island)
    {
        for (int i = 0; i < world->bodySlotCount; ++i)
        {
            if (world->body[i].body != NULL && world->body[i].body->island == island)
                order[n++] = world->body[i].body;
        }
    }
    return order;
}

bool systemsPrepare(World *world)
{
    if (!world->systemsStale)
        return true;
    systemsDestroy(world);
    if (world->bodyCount == 0)
    {
        world->systemsStale = false;
        return true;
    }
    Body **order = sortBodies(world);
    world->system = ALLOCATE(&world->memory, System, world->islandCount);
    bool ok = order != NULL && world->system != NULL;
    if (ok)
    {
        stateOrder(world, order);
        world->systemCount = world->islandCount;
    }
    for (int island = 0, first = 0; ok && island < world->islandCount; ++island)
    {
        int count = countOfIsland(world, island);
        ok = createSystem(world, island, order + first, count);
        first += count;
    }
    memoryRelease(&world->memory, order);
    if (!ok)
        systemsDestroy(world);
    world->systemsStale = !ok;
    return ok;
}
