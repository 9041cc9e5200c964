// The start of a step: what energies freeze for it.
#include "integrate/integrate.h"

// energies that the filter accepts (NULL: all) cache what must stay constant during the solve
void beginEnergies(System *system, EnergyFilter filter, const double *point)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        Energy *energy = system->term[t].energy;
        if (energy->kind->begin != NULL && (filter == NULL || filter(energy)))
            energy->kind->begin(energy, point + 3 * (ptrdiff_t)system->term[t].first);
    }
    systemFreeze(system, filter, point);
}

bool isNotViscous(const Energy *energy)
{
    return !energyIsViscous(energy);
}

void beginRatesAt(System *system, const double *point)
{
    if (system->dissipates)
        beginEnergies(system, energyIsDissipative, point);
}

// The rate of an implicit step is its mean velocity (x - x_n)/h, which belongs to the middle of its displacement:
// damping frozen at x_n would see the chord of a turn as a shortening, by h/2 omega^2, and damp it. With v_n the middle
// is known to second order, and exactly in steady rotation under the midpoint rule. Rates that are measured from
// elsewhere are those of the moment where the stage stands. Known to second order: methods of higher order have order 2
// where strains are damped.
void beginRates(System *system, const Stage *stage)
{
    State *s = &system->state;
    double share = stage->from ? stage->theta : 0.5, seconds = stage->from ? stage->ahead : 0.5 * stage->h;
    double *point = scratchTake(s);
    for (int i = 0; i < 3 * s->count && system->dissipates; ++i)
        point[i] =
            s->start[i] + (s->pinned[i / 3] ? share * (s->pinTarget[i] - s->start[i]) : seconds * s->startVelocity[i]);
    beginRatesAt(system, point);
    scratchGive(s, point);
}
