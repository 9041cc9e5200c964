// Islands: bodies joined by attachments are accounted for and solved together.
#include "world/world.h"

#include <string.h>

// ---- the partition --------------------------------------------------------------------------------------------------

// While it is made, `island` of a body is a slot not above its own in the same island: a tree whose root is its first
// body.
static int rootOf(World *world, int slot)
{
    while (world->body[slot].body->island != slot)
    {
        Body *body = world->body[slot].body;
        body->island = world->body[body->island].body->island;
        slot = body->island;
    }
    return slot;
}

static void join(World *world, int a, int b)
{
    a = rootOf(world, a);
    b = rootOf(world, b);
    world->body[maxInt(a, b)].body->island = minInt(a, b);
}

#define BITS 32 // of categories and masks

// Bodies that may touch are one island, touching or not. Those of category p that mind q meet those of category q that
// mind p, all of them: for each such pair of bits its bodies are joined, instead of looking at all pairs of bodies.
static void joinTouching(World *world)
{
    uint32_t minds[BITS] = { 0 }; // bit q of p: a body of category p minds q
    int first[BITS][BITS];        // slot + 1 of the first body of a pair of bits
    memset(first, 0, sizeof first);
    for (int i = 0; i < world->collisionMeshSlotCount; ++i)
    {
        const CollisionMesh *collisionMesh = world->collisionMesh[i];
        for (int p = 0; collisionMesh != NULL && p < BITS; ++p)
            minds[p] |= collisionMesh->category >> p & 1 ? collisionMesh->mask : 0;
    }
    for (int i = 0; i < world->collisionMeshSlotCount * BITS; ++i)
    {
        int slot = i / BITS, p = i % BITS;
        const CollisionMesh *collisionMesh = world->collisionMesh[slot];
        if (collisionMesh == NULL || !(collisionMesh->category >> p & 1))
            continue;
        for (int q = 0; q < BITS; ++q)
        {
            if (!(collisionMesh->mask >> q & 1) || !(minds[q] >> p & 1))
                continue;
            int *place = &first[minInt(p, q)][maxInt(p, q)];
            if (*place == 0)
                *place = slot + 1;
            else
                join(world, *place - 1, slot);
        }
    }
}

// numbers islands by their first body
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
    if (world->softContact)
        joinTouching(world);
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        if (a->used && a->body[1] != NULL)
            join(world, a->body[0]->slot, a->body[1]->slot);
    }
    // roots first, for slots only point downwards; then their labels become 0, 1, 2 ... in place, in slot order
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL)
            world->body[i].body->island = rootOf(world, i);
    }
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
static void settle(World *world, int island)
{
    double mass = 0, numerical = 0;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body == NULL || body->island != island)
            continue;
        vvLedger ledger = { 0 };
        bodyAddLedger(body, &ledger);
        ledger.contact += softEnergy(body);
        ledgerClose(&ledger);
        body->present = ledger.total;
        mass += body->mass;
    }
    // springs to other bodies count half for each end
    for (int k = 0; k < world->attachmentSlotCount; ++k)
    {
        const Attachment *a = &world->attachment[k];
        if (!a->used || a->body[1] == NULL || a->body[0]->island != island)
            continue;
        double half = 0.5 * attachmentEnergy(world, a);
        a->body[0]->present += half;
        a->body[1]->present += half;
    }
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int i = 0; i < world->bodySlotCount; ++i)
        {
            Body *body = world->body[i].body;
            if (body == NULL || body->island != island)
                continue;
            double own = body->present - accountTarget(&body->account);
            if (pass == 0)
                numerical += own;
            else
                body->account.opening += own - numerical * body->mass / mass;
        }
    }
}

static int countOfIsland(const World *world, int island)
{
    int count = 0;
    for (int i = 0; i < world->bodySlotCount; ++i)
        count += world->body[i].body != NULL && world->body[i].body->island == island;
    return count;
}

void islandsUpdate(World *world, int island)
{
    // settle first, while `island` still tells who belonged together; it changes nothing where the island stays whole
    if (countOfIsland(world, island) > 1)
        settle(world, island);
    islandsNumber(world);
}

void pastForget(Body *body)
{
    const World *world = body->world;
    for (Body *other = world->firstBody; other != NULL && world->method.integrator->pastCount > 0; other = other->next)
    {
        if (other->island == body->island)
            other->step.recall = (Recall){ .number = { 0 } };
    }
}

// ---- what a step solves ---------------------------------------------------------------------------------------------

void jointDestroy(World *world, Term *joint)
{
    if (joint->energy->kind == &pairKind)
        pairsDestroy(world, joint->energy->context);
    energyDestroy(joint->energy);
    memoryRelease(&world->memory, joint->coupling);
}

void systemsDestroy(World *world)
{
    for (int i = 0; i < world->systemCount; ++i)
    {
        System *system = &world->system[i];
        for (int t = system->jointStart; t < system->termCount; ++t)
            jointDestroy(world, &system->term[t]);
        memoryRelease(&world->memory, system->term);
        memoryRelease(&world->memory, system->work);
        memoryRelease(&world->memory, system->couplingDiagonal);
        memoryRelease(&world->memory, system->linkDiagonal);
        memoryRelease(&world->memory, system->coarse);
        memoryRelease(&world->memory, system->anchor);
        memoryRelease(&world->memory, system->history);
        systemSweepRelease(system);
        contactListRelease(&system->contacts, &world->memory);
        memoryRelease(&world->memory, system->residual);
        memoryRelease(&world->memory, system->member);
    }
    memoryRelease(&world->memory, world->system);
    memoryRelease(&world->memory, world->steps);
    memoryRelease(&world->memory, world->runs);
    world->system = NULL;
    world->steps = NULL;
    world->runs = NULL;
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
    Coupling *coupling = ALLOCATE(memory, Coupling, count);
    Energy *joint = NULL;
    if (pairs && stiffness && coupling)
    {
        for (int i = 0, n = 0; i < world->attachmentSlotCount; ++i)
        {
            const Attachment *a = &world->attachment[i];
            if (!isLinkOf(a, island))
                continue;
            for (int end = 0; end < 2; ++end)
            {
                pairs[2 * n + end] = a->body[end]->member.offset + a->vertex[end];
                coupling[n].member[end] = a->body[end]->place;
                coupling[n].share[end] = end == 0 ? 1 : -1;
                // k [1 -1; -1 1] lies below 2 k on the diagonal
                system->linkDiagonal[pairs[2 * n + end]] += 2 * a->stiffness;
                system->couplingDiagonal[pairs[2 * n + end]] += 2 * a->stiffness;
            }
            stiffness[n++] = a->stiffness;
        }
        Recipe recipe = { .rest = system->state.start, .strength = stiffness, .isa = world->isa };
        joint = energyCreate(memory, &linkKind, system->state.count, count, pairs, &recipe);
    }
    memoryRelease(memory, pairs);
    memoryRelease(memory, stiffness);
    if (joint == NULL)
    {
        memoryRelease(memory, coupling);
        return false;
    }
    systemAddJoint(system, joint, coupling);
    // rest lengths are the attachments' own, not the present distances
    for (int i = 0, n = 0; i < world->attachmentSlotCount; ++i)
    {
        if (isLinkOf(&world->attachment[i], island))
            energySetParam(joint, n++, 1, world->attachment[i].restLength);
    }
    return true;
}

// its members, one behind the other, and the terms of their energies; false: out of memory
static bool enterMembers(World *world, System *system, Body *const *body, int bodyCount)
{
    int count = 0;
    system->member = ALLOCATE(&world->memory, Member *, bodyCount);
    if (system->member == NULL)
        return false;
    system->memberCount = bodyCount;
    for (int i = 0; i < bodyCount; ++i)
    {
        system->member[i] = &body[i]->member;
        body[i]->member.offset = count;
        body[i]->place = i;
        body[i]->member.pinVersion += 1; // couplings may have changed
        count += body[i]->count;
    }
    system->state = stateSlice(&world->state, body[0]->first, count);
    *system->step = stepSlice(&world->step, body[0]->first);
    system->term = ALLOCATE(&world->memory, Term, membersTerms(system->member, bodyCount) + JOINTS);
    if (system->term == NULL)
        return false;
    systemListTerms(system, true);
    return true;
}

static bool createSystem(World *world, int island, Body *const *body, int bodyCount, int links)
{
    System *system = &world->system[island];
    system->step = &world->steps[island];
    if (!enterMembers(world, system, body, bodyCount))
        return false;
    int count = system->state.count;
    system->memory = &world->memory;
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
    bool joined = links > 0 || world->softContact;
    bool reaches = world->method.solver->iterative || systemReaches(system);
    if (joined || (reaches && methodMatrices(&world->method) == MATRICES_NEWTON))
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
    if (methodMatrices(&world->method) == MATRICES_PREFACTORS && bodyCount > 1 && bodyCount <= COARSE_MOST)
    {
        system->coarse = ALLOCATE(&world->memory, double, (size_t)bodyCount *((size_t)bodyCount + 3));
        system->anchor = ALLOCATE(&world->memory, double, count);
        if (system->coarse == NULL || system->anchor == NULL)
            return false;
    }
    return (links == 0 || createLinks(world, system, island, links)) &&
           (!world->softContact || systemCreatePairs(world, system));
}

// Bodies by island, within an island by slot.
typedef struct Order
{
    Body **body; // bodyCount
    int *end;    // islandCount: past the last body of each
    int *links;  // islandCount: springs between its bodies
} Order;

static bool orderCreate(World *world, Order *order)
{
    order->body = ALLOCATE(&world->memory, Body *, world->bodyCount);
    order->end = ALLOCATE(&world->memory, int, world->islandCount);
    order->links = ALLOCATE(&world->memory, int, world->islandCount);
    if (!order->body || !order->end || !order->links)
        return false;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL)
            order->end[world->body[i].body->island] += 1;
    }
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        if (a->used && a->body[1] != NULL)
            order->links[a->body[0]->island] += 1;
    }
    // counts become starts, and starts ends while bodies are laid down
    for (int island = 0, sum = 0; island < world->islandCount; ++island)
    {
        int count = order->end[island];
        order->end[island] = sum;
        sum += count;
    }
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        if (world->body[i].body != NULL)
            order->body[order->end[world->body[i].body->island]++] = world->body[i].body;
    }
    return true;
}

static void orderDestroy(World *world, Order *order)
{
    memoryRelease(&world->memory, order->body);
    memoryRelease(&world->memory, order->end);
    memoryRelease(&world->memory, order->links);
}

bool systemsPrepare(World *world)
{
    if (!world->systemsStale)
        return true;
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        if (body->matricesStale && !bodyRenewMatrices(body))
            return false;
    }
    systemsDestroy(world);
    if (world->bodyCount == 0)
    {
        world->systemsStale = false;
        return true;
    }
    Order order = { 0 };
    bool ok = orderCreate(world, &order);
    if (ok)
    {
        world->system = ALLOCATE(&world->memory, System, world->islandCount);
        world->steps = ALLOCATE(&world->memory, IslandStep, world->islandCount);
        world->runs = ALLOCATE(&world->memory, IslandRun, world->islandCount);
    }
    ok = ok && world->system != NULL && world->steps != NULL && world->runs != NULL;
    if (ok)
    {
        stateOrder(world, order.body);
        world->systemCount = world->islandCount;
    }
    for (int island = 0, first = 0; ok && island < world->islandCount; first = order.end[island++])
        ok = createSystem(world, island, order.body + first, order.end[island] - first, order.links[island]);
    orderDestroy(world, &order);
    if (!ok)
        systemsDestroy(world);
    world->systemsStale = !ok;
    return ok;
}
