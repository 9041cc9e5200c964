// What the ledger says of bodies, islands and the world, measured from the state when asked.
#include "world/world.h"

static double *ledgerColumn(vvLedger *ledger, EnergyColumn column)
{
    switch (column)
    {
    case COLUMN_ELASTIC:
        return &ledger->elastic;
    case COLUMN_GRAVITY:
        return &ledger->gravity;
    case COLUMN_CONTACT:
        return &ledger->contact;
    case COLUMN_NONE:
        break;
    }
    return NULL;
}

void bodyAddLedger(const Body *body, vvLedger *ledger)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    // sweeps have contact without a spring: overlap that a rigid body makes in its own step holds no energy
    bool springs = !body->world->method.integrator->sweeps;
    ledgerAddMotion(ledger, body->count, s.mass, s.pinned, s.start, s.startVelocity);
    for (int e = 0; e < body->member.energyCount; ++e)
    {
        Energy *energy = body->member.energy[e];
        double *column = ledgerColumn(ledger, energy->kind->column);
        if (column != NULL && (springs || !contactIsKind(energy->kind)))
            *column += energyValue(energy, s.start);
    }
}

double bodyTotal(const Body *body)
{
    vvLedger ledger = { 0 };
    bodyAddLedger(body, &ledger);
    const World *world = body->world;
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *attachment = &world->attachment[i];
        if (attachmentLinks(attachment) && (attachment->body[0] == body || attachment->body[1] == body))
            ledger.elastic += attachmentEnergy(world, attachment);
    }
    ledger.contact += softEnergyOf(body);
    ledgerClose(&ledger);
    return ledger.total;
}

#define ALL_ISLANDS (-1)

static vvLedger ledgerOf(const World *world, int island)
{
    vvLedger ledger = { 0 };
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        // rigid bodies are counted themselves
        bool counts = body != NULL && (island == ALL_ISLANDS ? body->proxyOf == 0 : body->island == island);
        if (!counts)
            continue;
        bodyAddLedger(body, &ledger);
        ledger.contact += softEnergy(body);
        ledgerAddAccount(&ledger, &body->account);
    }
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        bool counted = a->joint > 0 && a->compliant; // as energy of the joint
        if (attachmentLinks(a) && (island == ALL_ISLANDS ? !counted : a->body[0]->island == island))
            ledger.elastic += attachmentEnergy(world, a);
    }
    if (island == ALL_ISLANDS)
    {
        rigidsAddLedger(world, &ledger);
        fluidsAddLedger(world, &ledger);
    }
    ledgerClose(&ledger);
    return ledger;
}

vvLedger vvWorld_GetIslandLedger(vvWorldId id, int island)
{
    const World *world = worldFind(id);
    if (world == NULL || island < 0 || island >= world->islandCount)
        return (vvLedger){ 0 };
    return ledgerOf(world, island);
}

vvLedger vvWorld_GetLedger(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? ledgerOf(world, ALL_ISLANDS) : (vvLedger){ 0 };
}

int vvWorld_GetIslandCount(vvWorldId id)
{
    const World *world = worldFind(id);
    return world ? world->islandCount : 0;
}

void islandTargets(World *world)
{
    for (int i = 0; i < world->systemCount; ++i)
        world->system[i].step->target = 0;
    for (int i = 0; i < world->bodySlotCount; ++i)
    {
        const Body *body = world->body[i].body;
        if (body != NULL)
            world->system[body->island].step->target += accountTarget(&body->account);
    }
}
