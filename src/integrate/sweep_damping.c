// Damping of strain rates under small steps. Springs and solids have it in the compliance of their sweep (Macklin 2019,
// Eq 8) as far as a substep resolves it, beta h omega^2 < 1: beyond, one sweep leaves most of each constraint to the
// next, the material gets softer instead of more viscous, and the motion that is left to be undone is taken for
// damping. From there on, and for models whose sweep has none or that have no sweep, the velocities are damped by an
// implicit solve after the substep, as section 7 advises for viscous matter.
#include "integrate/integrate.h"

#define RESOLVED 0.25 // beta h omega^2, of the stiffest motion between neighbours
#define EXACT 200     // iterations of the solve, of the viscous pass that a caller asked for, and of the first substep
#define QUICK 4       // then, at least: what they leave of the fastest motion the next substeps take
#define MOST 24       // and at most,
#define SHARE 0.125   //   for this share of the root of the condition number

// damping over stiffness, s: of springs with a dashpot the largest
static double elementsTime(const Energy *energy)
{
    double most = 0;
    for (int e = 0; e < energy->elementCount && energy->dashpot > 0; ++e)
    {
        double k = energyGetParam(energy, e, 0);
        most = k > 0 ? maxReal(most, energy->dashpot / k) : most;
    }
    return energy->viscosity + most;
}

double sweepTime(const Member *member)
{
    double time = 0;
    for (int e = 0; e < member->energyCount; ++e)
        time = maxReal(time, elementsTime(member->energy[e]));
    return time;
}

double sweepLeastDamping(const System *system)
{
    double least = INFINITY;
    for (int p = 0; p < system->memberCount && system->dissipates; ++p)
    {
        double time = sweepTime(system->member[p]);
        least = time > 0 ? minReal(least, time) : least;
    }
    return least;
}

bool sweepDampsApart(const System *system, double h)
{
    for (int p = 0; p < system->memberCount && system->dissipates; ++p)
    {
        const Member *member = system->member[p];
        int viscous = 0, swept = 0; // bending has no damping in its sweep
        for (int e = 0; e < member->energyCount; ++e)
        {
            const Energy *energy = member->energy[e];
            viscous += energyIsViscous(energy);
            swept += energy->plan != NULL && energy->viscosity + energy->dashpot > 0;
        }
        if (viscous > 0 &&
            (swept < viscous || sweepTime(member) * h * system->sweep.rate * system->sweep.rate > RESOLVED))
            return true;
    }
    return false;
}

// where the sweeps ended
static void setPositions(System *system)
{
    for (int v = 0; v < system->state.count; ++v)
        vecStore(system->state.position + 3 * (ptrdiff_t)v, vecLoad(system->sweep.row + 4 * (ptrdiff_t)v));
}

static void setVelocities(System *system, double h)
{
    for (int v = 0; v < system->state.count; ++v)
    {
        const double *row = system->sweep.row + 4 * (ptrdiff_t)v, *before = system->sweep.before + 4 * (ptrdiff_t)v;
        vecStore(system->state.velocity + 3 * (ptrdiff_t)v, vecScale(1 / h, vecSub(vecLoad(row), vecLoad(before))));
    }
}

// Damping changes no momentum of a body that no pin holds, so that a change which it made at another shape has no part
// of it at this one.
static void keepShape(const State *s, const Member *member, double *change)
{
    int begin = member->offset, end = member->offset + member->count;
    if (memberIsPinned(s, member))
        return;
    RigidMotion rigid = rigidMotion(s, s->position, change, begin, end);
    for (int v = begin; v < end; ++v)
    {
        double *u = change + 3 * (ptrdiff_t)v;
        Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), rigid.centre);
        vecStore(u, vecSub(vecLoad(u), vecAdd(rigid.velocity, vecCross(rigid.spin, r))));
    }
}

// `before` of the damped velocity, and the change of it
static void setDamped(System *system, const SweepDamping *how)
{
    const State *s = &system->state;
    for (int v = 0; v < s->count; ++v)
    {
        const double *row = system->sweep.row + 4 * (ptrdiff_t)v;
        double *before = system->sweep.before + 4 * (ptrdiff_t)v;
        Vec3 velocity = vecLoad(s->velocity + 3 * (ptrdiff_t)v);
        Vec3 was = vecScale(1 / how->h, vecSub(vecLoad(row), vecLoad(before)));
        vecStore(how->change + 3 * (ptrdiff_t)v, s->pinned[v] ? vec3(0, 0, 0) : vecSub(velocity, was));
        if (!s->pinned[v])
            vecStore(before, vecSub(vecLoad(row), vecScale(how->h, velocity)));
    }
}

// Few iterations from a guess may leave more energy than there was. Of the motion w that is not rigid the best multiple
// is taken, of which that is never true: with it damping takes exactly what its force at v takes over the mean of v and
// the velocity before. state->gradient is K v, all of it; pins stand still.
static void settleMember(System *system, double h, Member *member)
{
    State *s = &system->state;
    double along = 0, square = 0, power = 0, lost = 0;
    int begin = member->offset, end = member->offset + member->count;
    RigidMotion rigid = { 0 };
    if (!memberIsPinned(s, member))
        rigid = rigidMotion(s, s->position, s->velocity, begin, end);
    for (int pass = 0; pass < 2; ++pass)
    {
        double scale = square + member->viscousLeft * power > 0 ? along / (square + member->viscousLeft * power) : 1;
        for (int v = begin; v < end; ++v)
        {
            const double *row = system->sweep.row + 4 * (ptrdiff_t)v, *before = system->sweep.before + 4 * (ptrdiff_t)v;
            Vec3 now = vecLoad(s->velocity + 3 * (ptrdiff_t)v), r = vecSub(vecLoad(row), rigid.centre);
            Vec3 was = vecScale(1 / h, vecSub(vecLoad(row), vecLoad(before)));
            Vec3 whole = vecAdd(rigid.velocity, vecCross(rigid.spin, r)), w = vecSub(now, whole);
            if (s->pinned[v])
                continue;
            if (pass == 0)
            {
                along += s->mass[v] * vecDot(w, vecSub(was, whole));
                square += s->mass[v] * vecDot(w, w);
                power += h * vecDot(now, vecLoad(s->gradient + 3 * (ptrdiff_t)v));
                continue;
            }
            now = vecAdd(whole, vecScale(scale, w));
            vecStore(s->velocity + 3 * (ptrdiff_t)v, now);
            lost += 0.5 * s->mass[v] * vecDot(vecSub(was, now), vecAdd(was, now));
        }
        member->viscousOwn = (1 - member->viscousLeft) * scale * scale * power;
        member->viscousLoss = lost + member->viscousOwn;
    }
}

// Iterations grow with the root of the condition number
static int iterationsFor(const System *system, const SweepDamping *how, double time)
{
    double wanted = SHARE * system->sweep.rate * sqrt(time * how->h);
    return how->exact || how->first ? EXACT : wanted > MOST ? MOST : maxInt(QUICK, (int)wanted);
}

void sweepDamp(System *system, const SweepDamping *how)
{
    State *s = &system->state;
    double h = how->h, longest = 0;
    setPositions(system);
    setVelocities(system, h);
    systemFreezeRates(system, s->position);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double time = sweepTime(member);
        longest = maxReal(longest, time);
        member->viscousLeft = how->all || !(time > 0) ? 1 : maxReal(1 - h / time, 0);
        if (!how->first)
            keepShape(s, member, how->change);
    }
    Damping damping = { .filter = energyIsViscous,
                        .h = h,
                        .theta = 1,
                        .most = iterationsFor(system, how, longest),
                        .left = how->exact ? 1e-10 : 1e-3,
                        .guess = how->first ? NULL : how->change,
                        .shared = true };
    systemDampRates(system, &damping, s->velocity);
    if (!pinsMove(s) && !how->exact)
    {
        setPositions(system);
        for (int p = 0; p < system->memberCount; ++p)
            settleMember(system, h, system->member[p]);
    }
    setDamped(system, how);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->added += member->viscousWork;
        member->dissipated += member->viscousLoss - 0.5 * member->viscousOwn;
        member->step->stored += 0.5 * member->viscousOwn;
    }
}

// ---- the ledger of a step -------------------------------------------------------------------------------------------

// Backward Euler of a substep loses half of h^2 v^T K v and of m |dv|^2, dv what forces changed of the velocity. As far
// as damping was asked for this stands for it: the first half is known with what damping takes, the second is found
// here. Forces of no stiffness lose nothing to damping, `pull` of them is left out.
void sweepLedgerSubstep(System *system, const SweepDamping *how)
{
    const State *s = &system->state;
    const double *earlier = how->first ? s->startVelocity : how->earlier;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double share = minReal(sweepTime(member) / how->h, 1), sum = 0;
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            ptrdiff_t i = 4 * (ptrdiff_t)v, k = 3 * (ptrdiff_t)v;
            Vec3 displacement = vecSub(vecLoad(system->sweep.row + i), vecLoad(system->sweep.before + i));
            Vec3 now = vecScale(1 / how->h, displacement), was = vecLoad(earlier + k);
            Vec3 turned = vecSub(how->apart ? vecSub(now, vecLoad(how->change + k)) : now, was);
            Vec3 pulled = vecScale(1 / how->h, vecLoad(system->sweep.pull + i));
            sum += s->pinned[v] ? 0 : 0.5 * s->mass[v] * vecDot(turned, vecSub(turned, pulled));
            vecStore(how->earlier + k, now);
        }
        member->step->stored += share * maxReal(sum, 0);
        member->dissipated += share * maxReal(sum, 0);
    }
}

static bool isCounted(const Energy *energy)
{
    return energyIsStored(energy) && energy->kind->column != COLUMN_CONTACT; // it has no spring here
}

static double energyAt(System *system, const double *position, const double *velocity)
{
    const State *s = &system->state;
    double sum = 0;
    systemValues(system, isCounted, position);
    for (int t = 0; t < system->termCount; ++t)
        sum += isCounted(system->term[t].energy) ? energySum(system->term[t].energy) : 0;
    for (int i = 0; i < 3 * s->count; ++i)
        sum += s->pinned[i / 3] ? 0 : 0.5 * s->mass[i / 3] * velocity[i] * velocity[i];
    return sum;
}

double sweepLedgerBegin(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->step->stored = 0;
    return energyAt(system, system->state.start, system->state.startVelocity);
}

void sweepLedgerEnd(System *system, double h, double before)
{
    const State *s = &system->state;
    double excess = energyAt(system, s->position, s->velocity) - before, sure = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double time = sweepTime(member);
        double own = time > 0 ? 0.5 * minReal(h / time, 1) * member->sweptLoss : 0;
        member->step->stored += own;
        member->dissipated -= own;
        excess += member->dissipated - member->added;
        sure += member->step->stored;
    }
    double less = minReal(excess, sure);
    for (int p = 0; p < system->memberCount && less > 0; ++p)
        system->member[p]->dissipated -= less * (system->member[p]->step->stored / sure);
}
