// Islands: bodies joined by attachments, or that may touch each other in a step, are accounted for and solved together.
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

// Bodies that may touch in the step under way, or that did in the last one: pair contacts are part of a state, and so
// are islands.
static void joinTouching(World *world)
{
    for (int slot = 0; slot < world->collisionMeshSlotCount; ++slot)
    {
        const CollisionMesh *mesh = world->collisionMesh[slot];
        if (mesh != NULL && mesh->together >= 0)
            join(world, slot, mesh->together);
        for (int i = 0; mesh != NULL && mesh->contactCount > 0 && i < mesh->surfaceCount * PAIR_CONTACTS; ++i)
        {
            if (mesh->partner[i] >= 0)
                join(world, slot, mesh->partner[i]);
        }
    }
}

// numbers islands by their first body
static void numberIslands(World *world)
{
    for (int i = 0, ordinal = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body == NULL)
            continue;
        body->island = i;
        body->ordinal = ordinal++;
    }
    joinTouching(world);
    for (Body *body = world->firstBody; body != NULL && world->rigids.count > 0; body = body->next)
        join(world, body->slot, body->meets);
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        if (attachmentLinks(a))
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

// The ledger of an island that falls apart. Energy flowed between its bodies, so no body's own account means anything:
// each gets its present energy as target, less its share by mass of what the numerics lost so far. The sum stays.
static void settle(World *world, int former)
{
    double mass[2] = { 0, 0 }, numerical[2] = { 0, 0 }; // of stand-ins by themselves: rigid bodies have a book too
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        Body *body = world->body[i].body;
        if (body == NULL || body->formerIsland != former)
            continue;
        vvLedger ledger = { 0 };
        bodyAddLedger(body, &ledger);
        ledger.contact += softEnergy(body);
        ledgerClose(&ledger);
        body->present = ledger.total;
        mass[body->proxyOf > 0] += body->mass;
    }
    // springs to other bodies count half for each end
    for (int k = 0; k < world->attachmentSlotCount; ++k)
    {
        const Attachment *a = &world->attachment[k];
        if (!attachmentLinks(a) || a->body[0]->formerIsland != former || a->body[1]->formerIsland != former)
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
            if (body == NULL || body->formerIsland != former)
                continue;
            double own = body->present - accountTarget(&body->account);
            bool unseen = body->proxyOf > 0;
            if (pass == 0)
                numerical[unseen] += own;
            else
                body->account.opening += own - numerical[unseen] * body->mass / mass[unseen];
        }
    }
}

// What became of the islands: of those before, which fell apart, and of those now, which are made of several. Kept in
// the slots of bodies, by the number of an island. Returns whether anything changed.
static bool compareIslands(World *world, int formerCount)
{
    bool changed = formerCount != world->islandCount;
    for (int i = 0; i < world->bodySlotCount; ++i)
        world->body[i].fate = (IslandFate){ .into = -1, .from = -1 };
    for (const Body *body = world->firstBody; body != NULL; body = body->next)
    {
        IslandFate *former = &world->body[body->formerIsland].fate, *now = &world->body[body->island].fate;
        former->split |= former->into >= 0 && former->into != body->island;
        former->into = body->island;
        now->merged |= now->from >= 0 && now->from != body->formerIsland;
        now->from = body->formerIsland;
        changed |= body->island != body->formerIsland;
    }
    return changed;
}

// what methods remember of the energy of an island is not that of another: they measure it anew
static void forgetEnergies(const World *world)
{
    for (Body *body = world->firstBody; body != NULL && world->method.integrator->pastSlots == 0; body = body->next)
    {
        if (world->body[body->formerIsland].fate.split || world->body[body->island].fate.merged)
            body->step.recall.energy.stored = body->step.recall.energy.moving = 0;
    }
}

void islandsNumber(World *world)
{
    numberIslands(world);
    world->systemsMoved = true;
}

void islandsRefresh(World *world)
{
    int formerCount = world->islandCount;
    for (Body *body = world->firstBody; body != NULL; body = body->next)
        body->formerIsland = body->island;
    numberIslands(world);
    if (!compareIslands(world, formerCount))
        return;
    for (int k = 0; k < formerCount && k < world->bodySlotCount; ++k)
    {
        if (world->body[k].fate.split)
            settle(world, k);
    }
    forgetEnergies(world);
    world->systemsMoved = true;
}

// ---- a step that fails ----------------------------------------------------------------------------------------------

void islandsMark(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        body->markedAccount = body->account;
        body->markedRecall = body->step.recall;
        body->markedMeets = body->meets;
    }
}

void islandsRestore(World *world)
{
    for (Body *body = world->firstBody; body != NULL; body = body->next)
    {
        body->account = body->markedAccount;
        body->step.recall = body->markedRecall;
        body->meets = body->markedMeets;
    }
    islandsNumber(world);
}

void pastForget(Body *body)
{
    const World *world = body->world;
    for (Body *other = world->firstBody; other != NULL && world->method.integrator->pastCount > 0; other = other->next)
    {
        if (other->island != body->island)
            continue;
        double waits = minReal(other->step.recall.number[RECALL_MODES], 0);
        other->step.recall = (Recall){ .number = { [RECALL_MODES] = waits } };
    }
}
