// Damping of strain rates under small steps. Springs and solids have it in the compliance of their sweep (Macklin 2019,
// Eq 8) as far as a substep resolves it, beta h omega^2 < 1: beyond, one sweep leaves most of each constraint to the
// next, the material gets softer instead of more viscous, and the motion that is left to be undone is taken for
// damping. From there on, and for models whose sweep has none or that have no sweep, the velocities are damped by an
// implicit solve after the substep, as section 7 advises for viscous matter.
#include "solve/solve.h"

#define RESOLVED 0.25 // beta h omega^2, of the stiffest motion between neighbours
#define EXACT 200     // iterations of the solve, of the viscous pass that a caller asked for
#define QUICK 4       // and else: what they leave of the fastest motion the next substeps take

// damping over stiffness, s: of springs with a dashpot the largest
static double dampingTime(const Energy *energy)
{
    double most = 0;
    for (int e = 0; e < energy->elementCount && energy->dashpot > 0; ++e)
    {
        double k = energyGetParam(energy, e, 0);
        most = k > 0 ? maxReal(most, energy->dashpot / k) : most;
    }
    return energy->viscosity + most;
}

bool systemSweepDampsApart(const System *system, double h)
{
    for (int p = 0; p < system->memberCount && system->dissipates; ++p)
    {
        const Member *member = system->member[p];
        bool viscous = false, swept = false;
        double time = 0;
        for (int e = 0; e < member->energyCount; ++e)
        {
            const Energy *energy = member->energy[e];
            viscous |= energyIsViscous(energy);
            swept |= energy->plan != NULL && energy->viscosity + energy->dashpot > 0;
            time = maxReal(time, dampingTime(energy));
        }
        if (viscous && (!swept || time * h * system->sweep.rate * system->sweep.rate > RESOLVED))
            return true;
    }
    return false;
}

void systemSweepDamp(System *system, double h, bool exact)
{
    State *s = &system->state;
    for (int v = 0; v < s->count; ++v)
    {
        const double *row = system->sweep.row + 4 * (ptrdiff_t)v, *before = system->sweep.before + 4 * (ptrdiff_t)v;
        Vec3 now = vecLoad(row);
        vecStore(s->position + 3 * (ptrdiff_t)v, now);
        vecStore(s->velocity + 3 * (ptrdiff_t)v, vecScale(1 / h, vecSub(now, vecLoad(before))));
    }
    systemFreezeRates(system, s->position);
    Damping damping = { .h = h, .theta = 1, .most = exact ? EXACT : QUICK, .left = exact ? 1e-10 : 1e-3 };
    systemDampRates(system, &damping, s->velocity);
    for (int v = 0; v < s->count; ++v)
    {
        const double *row = system->sweep.row + 4 * (ptrdiff_t)v;
        Vec3 velocity = vecLoad(s->velocity + 3 * (ptrdiff_t)v);
        if (!s->pinned[v])
            vecStore(system->sweep.before + 4 * (ptrdiff_t)v, vecSub(vecLoad(row), vecScale(h, velocity)));
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        system->member[p]->added += system->member[p]->viscousWork;
        system->member[p]->dissipated += system->member[p]->viscousLoss;
    }
}
