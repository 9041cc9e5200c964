// Where an island's energy is at a state: the columns of the ledger, for methods that watch their own energy.
#include "integrate/integrate.h"

static void addEnergy(Balance *balance, const Energy *energy)
{
    switch (energy->kind->column)
    {
    case COLUMN_ELASTIC:
        balance->elastic += energySum(energy);
        break;
    case COLUMN_GRAVITY:
        balance->gravity += energySum(energy);
        break;
    case COLUMN_CONTACT:
        balance->contact += energySum(energy);
        break;
    case COLUMN_NONE:
        break;
    }
}

Balance balanceStored(System *system, const double *position)
{
    Balance balance = { 0 };
    systemValues(system, energyIsStored, position);
    for (int t = 0; t < system->termCount; ++t)
        addEnergy(&balance, system->term[t].energy);
    return balance;
}

void balanceAdopt(System *system)
{
    for (int t = 0; t < system->termCount; ++t)
        energyAdopt(system->term[t].energy);
}

Balance balanceAt(System *system, const double *position, const double *velocity)
{
    const State *s = &system->state;
    Balance balance = balanceStored(system, position);
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 u = vecLoad(velocity + 3 * (ptrdiff_t)v);
        balance.kinetic += s->pinned[v] ? 0 : 0.5 * s->mass[v] * vecDot(u, u);
    }
    return balance;
}
