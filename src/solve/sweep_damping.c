// Damping of strain rates under small steps, of models whose sweep does not have it in its compliance (Macklin 2019,
// Eq 8) or that have no sweep: at the end of a substep the velocities lose
//
//   M dv = -s h K v,   s = (1 - exp(-q)) / q,   q = h (K v)^T M^-1 K v / v^T K v
//
// of each body. Where one mode moves, q is its rate times h and this is its decay, exactly; where several do, energy falls
// all the same for any K and h, for s q < 1. Forces of K have no sum: momentum stays.
#include "solve/solve.h"

static bool isStrainDamper(const Energy *energy)
{
    return (energy->traits & TRAIT_DISSIPATIVE) != 0 && !energyIsDiagonal(energy);
}

// the material's own sweep damps: then its damper has nothing to do
static bool damperActs(const Part *part)
{
    bool damper = false;
    for (int e = 0; e < part->energyCount; ++e)
    {
        const Energy *energy = part->energy[e];
        damper |= isStrainDamper(energy);
        if (energy->plan != NULL && energy->viscosity + energy->dashpot > 0)
            return false;
    }
    return damper;
}

// velocities of a part, of pinned vertices too: what was frozen where it is now, and K v into the gradient
static void findForces(System *system, const Part *part, double h)
{
    State *s = &system->state;
    ptrdiff_t base = 3 * (ptrdiff_t)part->offset;
    for (int v = part->offset; v < part->offset + part->count; ++v)
    {
        const double *row = system->sweep.row + 4 * (ptrdiff_t)v, *before = system->sweep.before + 4 * (ptrdiff_t)v;
        Vec3 now = vecLoad(row), way = vecSub(now, vecLoad(before));
        vecStore(s->position + 3 * (ptrdiff_t)v, now);
        vecStore(s->rate + 3 * (ptrdiff_t)v, vecScale(1 / h, way));
        vecStore(s->gradient + 3 * (ptrdiff_t)v, vec3(0, 0, 0));
    }
    for (int e = 0; e < part->energyCount; ++e)
    {
        Energy *energy = part->energy[e];
        if (!isStrainDamper(energy))
            continue;
        if (energy->kind->begin != NULL)
            energy->kind->begin(energy, s->position + base);
        energyAddGradient(energy, s->rate + base, s->gradient + base);
    }
}

static void dampPart(System *system, Part *part, double h)
{
    const State *s = &system->state;
    double power = 0, pinPower = 0, square = 0;
    findForces(system, part, h);
    for (int v = part->offset; v < part->offset + part->count; ++v)
    {
        Vec3 force = vecLoad(s->gradient + 3 * (ptrdiff_t)v);
        double given = vecDot(force, vecLoad(s->rate + 3 * (ptrdiff_t)v));
        power += given;
        pinPower += s->pinned[v] ? given : 0;
        square += s->pinned[v] ? 0 : vecDot(force, force) / s->mass[v];
    }
    if (!(power > 0))
        return;
    double q = h * square / power, push = h * (q > 1e-4 ? (1 - decayOver(q)) / q : 1 - 0.5 * q);
    for (int v = part->offset; v < part->offset + part->count; ++v)
    {
        double *before = system->sweep.before + 4 * (ptrdiff_t)v;
        Vec3 force = vecLoad(s->gradient + 3 * (ptrdiff_t)v);
        if (!s->pinned[v])
            vecStore(before, vecAdd(vecLoad(before), vecScale(h * push / s->mass[v], force)));
    }
    part->added += push * pinPower;
    part->dissipated += push * (power - 0.5 * push * square);
}

void systemSweepDamp(System *system, double h)
{
    for (int p = 0; p < system->partCount && system->dissipates; ++p)
    {
        if (damperActs(system->part[p]))
            dampPart(system, system->part[p], h);
    }
}
