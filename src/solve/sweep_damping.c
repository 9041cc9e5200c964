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

// without the viscous pass the material's own sweep damps: then its damper has nothing to do
static bool damperActs(const Part *part, bool viscousPass)
{
    bool damper = false;
    for (int e = 0; e < part->energyCount; ++e)
    {
        const Energy *energy = part->energy[e];
        damper |= isStrainDamper(energy);
        if (!viscousPass && energy->plan != NULL && energy->viscosity + energy->dashpot > 0)
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

static void addRates(const System *system, Part *part, const double *rate)
{
    State s = system->state;
    ptrdiff_t base = 3 * (ptrdiff_t)part->offset;
    for (int i = 3 * part->offset; i < 3 * (part->offset + part->count); ++i)
        s.gradient[i] = 0;
    for (int e = 0; e < part->energyCount; ++e)
    {
        if (isStrainDamper(part->energy[e]))
            energyAddGradient(part->energy[e], rate + base, s.gradient + base);
    }
}

#define MOST_ITERATIONS 200
#define LEFT 1e-20 // of the square of the residual

// (M + h K) v' = M v over the free vertices by conjugate gradient with M as preconditioner: backward Euler of the
// velocities alone, as Macklin 2019, section 7, advises for viscous matter. No multiplier limits it: Eq 8 is capped by the
// compliance, for a soft spring cannot hold a hard damper. What it takes is exact, T before less T after and the pins' work.
static void dampImplicitly(System *system, Part *part, double h)
{
    const State *s = &system->state;
    int begin = 3 * part->offset, end = 3 * (part->offset + part->count);
    double *x = s->rate, *r = s->scratch, *p = s->direction, *kp = s->gradient, energy = 0, rz = 0, work = 0;
    findForces(system, part, h);
    for (int i = begin; i < end; ++i)
    {
        double m = s->mass[i / 3];
        r[i] = s->pinned[i / 3] ? 0 : -h * kp[i];
        p[i] = r[i] / m;
        rz += r[i] * p[i];
        energy += s->pinned[i / 3] ? 0 : 0.5 * m * x[i] * x[i];
    }
    double stop = LEFT * rz;
    for (int k = 0; k < MOST_ITERATIONS && rz > stop; ++k)
    {
        double curve = 0, next = 0;
        addRates(system, part, p);
        for (int i = begin; i < end; ++i)
        {
            kp[i] = s->pinned[i / 3] ? 0 : s->mass[i / 3] * p[i] + h * kp[i];
            curve += p[i] * kp[i];
        }
        for (int i = begin; i < end; ++i)
        {
            x[i] += rz / curve * p[i];
            r[i] -= rz / curve * kp[i];
            next += r[i] * r[i] / s->mass[i / 3];
        }
        for (int i = begin; i < end; ++i)
            p[i] = r[i] / s->mass[i / 3] + next / rz * p[i];
        rz = next;
    }
    addRates(system, part, x);
    for (int i = begin; i < end; ++i)
    {
        ptrdiff_t k = 4 * (ptrdiff_t)(i / 3) + i % 3;
        energy -= s->pinned[i / 3] ? 0 : 0.5 * s->mass[i / 3] * x[i] * x[i];
        work += s->pinned[i / 3] ? h * kp[i] * x[i] : 0;
        if (!s->pinned[i / 3])
            system->sweep.before[k] = system->sweep.row[k] - h * x[i];
    }
    part->added += work;
    part->dissipated += energy + work;
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

void systemSweepDamp(System *system, double h, bool viscousPass)
{
    for (int p = 0; p < system->partCount && system->dissipates; ++p)
    {
        if (!damperActs(system->part[p], viscousPass))
            continue;
        if (viscousPass)
            dampImplicitly(system, system->part[p], h);
        else
            dampPart(system, system->part[p], h);
    }
}
