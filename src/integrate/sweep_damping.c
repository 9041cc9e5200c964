// Damping of strain rates under small steps. Springs and solids have it in the compliance of their sweep (Macklin 2019,
// Eq 8) as far as a substep resolves it, beta h omega^2 < 1: beyond, one sweep leaves most of each constraint to the
// next, the material gets softer instead of more viscous, and the motion that is left to be undone is taken for
// damping. From there on, and for models whose sweep has none or that have no sweep, the velocities are damped by an
// implicit solve after the substep, as section 7 advises for viscous matter.
//
// Such a solve gives bodies a free surface where something else holds them: the stress of damping, which a bond carries
// on, runs off there. So what damping changed of the velocities in the last substep, c, acts ahead of the sweeps, and
// what holds the body knows of it. It is taken off again after them, and found anew:
//
//   v1 = sweep(v + c),   M (v' - v1 + c) + h K v' = 0,   c' = v' - v1 + c.
//
// For one mode the determinant is 1/((1 + z)(1 + q^2)), z = beta h omega^2, q = h omega: stable for any of both. K is
// that of the shape in the middle of the substep, where the chord of a vertex that turns is a rigid motion. At the end
// it stretches, and c would make as much of a contraction, beta/h times as large.
#include "integrate/integrate.h"

#include <string.h>

#define RESOLVED 0.25 // beta h omega^2, of the stiffest motion between neighbours
#define EXACT 200     // iterations of the solve, of the viscous pass that a caller asked for, and of the first substep
#define QUICK 24      // then, at least: few need so many
#define MOST 60       // and at most,
#define SHARE 0.5     //   for this share of the root of the condition number
#define SMALL 0.5     // of the motion: what damping takes of it in a substep, at most, where it has damped it already

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

static Vec3 moved(const System *system, int vertex)
{
    const double *row = system->sweep.row + 4 * (ptrdiff_t)vertex,
                 *before = system->sweep.before + 4 * (ptrdiff_t)vertex;
    return vecSub(vecLoad(row), vecLoad(before));
}

// so much of the substep before its end
static void setPositions(System *system, double back)
{
    for (int v = 0; v < system->state.count; ++v)
    {
        Vec3 end = vecLoad(system->sweep.row + 4 * (ptrdiff_t)v);
        vecStore(system->state.position + 3 * (ptrdiff_t)v, vecSub(end, vecScale(back, moved(system, v))));
    }
}

// what the sweeps left of the velocity of a free vertex, without what acted ahead
static Vec3 velocityLeft(const System *system, const SweepDamping *how, int vertex)
{
    Vec3 ahead = !how->ahead ? vec3(0, 0, 0) : vecLoad(how->change + 3 * (ptrdiff_t)vertex);
    return vecSub(vecScale(1 / how->h, moved(system, vertex)), ahead);
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

// J, that a change of the velocities takes of their energy
static double takenBy(const State *s, const Member *member, const double *velocity, const double *change)
{
    double taken = 0;
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        Vec3 u = vecLoad(change + 3 * (ptrdiff_t)v), now = vecLoad(velocity + 3 * (ptrdiff_t)v);
        taken -= s->pinned[v] ? 0 : s->mass[v] * vecDot(u, vecAdd(now, vecScale(0.5, u)));
    }
    return taken;
}

// `before` after a change of the velocities, which are (row - before) / h; J that it took of their energy
static double changeVelocities(System *system, const Member *member, double h, const double *change)
{
    const State *s = &system->state;
    double taken = 0;
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        double *before = system->sweep.before + 4 * (ptrdiff_t)v;
        Vec3 u = vecLoad(change + 3 * (ptrdiff_t)v), now = vecScale(1 / h, moved(system, v));
        if (s->pinned[v])
            continue;
        taken -= s->mass[v] * vecDot(u, vecAdd(now, vecScale(0.5, u)));
        vecStore(before, vecSub(vecLoad(before), vecScale(h, u)));
    }
    return taken;
}

void sweepDampAhead(System *system, const SweepDamping *how)
{
    for (int p = 0; p < system->memberCount; ++p)
        system->member[p]->dissipated += changeVelocities(system, system->member[p], how->h, how->change);
}

static double leftOf(const SweepDamping *how, double time)
{
    return how->all || !(time > 0) ? 1 : maxReal(1 - how->h / time, 0);
}

// of motion that is not rigid, kg m^2/s^2, but for vertices that bonds hold: these carry on what damping does there
static double squareOf(const System *system, const Member *member, const double *velocity)
{
    const State *s = &system->state;
    const double *joined = system->linkDiagonal;
    RigidMotion rigid = { 0 };
    double sum = 0;
    if (!memberIsPinned(s, member))
        rigid = rigidMotion(s, s->position, velocity, member->offset, member->offset + member->count);
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), rigid.centre);
        Vec3 u = vecSub(vecLoad(velocity + 3 * (ptrdiff_t)v), vecAdd(rigid.velocity, vecCross(rigid.spin, r)));
        sum += s->pinned[v] || (joined != NULL && joined[v] > 0) ? 0 : s->mass[v] * vecDot(u, u);
    }
    return sum;
}

// What damping changed in the last substep of the step before is what its force changes at the velocity that was left.
// Where that is too much no damping left it: someone set the velocity, or something was hit. Then nothing acts ahead.
bool sweepDampBegin(System *system, const SweepDamping *how)
{
    State *s = &system->state;
    for (int v = 0; v < s->count; ++v) // in the middle of that substep
    {
        Vec3 start = vecLoad(system->sweep.before + 4 * (ptrdiff_t)v), u = vecLoad(s->startVelocity + 3 * (ptrdiff_t)v);
        vecStore(s->position + 3 * (ptrdiff_t)v, vecSub(start, vecScale(0.5 * how->h, u)));
    }
    systemFreezeRates(system, s->position);
    memcpy(s->rate, s->startVelocity, 3 * (size_t)s->count * sizeof(double));
    systemForces(system, energyIsViscous, s->position);
    bool small = true;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        double left = leftOf(how, sweepTime(member));
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
            how->change[i] = s->pinned[i / 3] ? 0 : -how->h * left / s->mass[i / 3] * s->gradient[i];
    }
    setPositions(system, 1);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        keepShape(s, member, how->change);
        double square = squareOf(system, member, s->startVelocity), own = squareOf(system, member, how->change);
        small &= own <= SMALL * SMALL * square;
    }
    for (int v = 0; v < s->count && small; ++v)
    {
        double *row = system->sweep.row + 4 * (ptrdiff_t)v;
        vecStore(row, vecAdd(vecLoad(row), vecScale(how->h, vecLoad(how->change + 3 * (ptrdiff_t)v))));
    }
    for (int p = 0; p < system->memberCount && small; ++p)
        system->member[p]->dissipated += takenBy(s, system->member[p], s->startVelocity, how->change);
    return small;
}

// All that damping changed, and `before` without what acted ahead and with it.
static void setDamped(System *system, const SweepDamping *how)
{
    State *s = &system->state;
    double *total = scratchTake(s);
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 left = velocityLeft(system, how, v), now = vecLoad(s->velocity + 3 * (ptrdiff_t)v);
        vecStore(total + 3 * (ptrdiff_t)v, s->pinned[v] ? vec3(0, 0, 0) : vecSub(now, left));
    }
    setPositions(system, 0);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        keepShape(s, member, total);
        for (int i = 3 * member->offset; i < 3 * (member->offset + member->count); ++i)
            s->direction[i] = total[i] - (how->ahead ? how->change[i] : 0);
        member->viscousLoss = member->viscousWork + member->viscousOwn;
        member->viscousLoss += changeVelocities(system, member, how->h, s->direction);
    }
    memcpy(how->change, total, 3 * (size_t)s->count * sizeof(double));
    scratchGive(s, total);
}

// Few iterations from a guess may leave more energy than there was. Of the motion w that is not rigid the best multiple
// is taken, of which that is never true: with it damping takes exactly what its force at v takes over the mean of v and
// the velocity before. state->gradient is K v, all of it; pins stand still.
static void settleMember(System *system, const SweepDamping *how, Member *member)
{
    State *s = &system->state;
    double h = how->h;
    double along = 0, square = 0, power = 0;
    int begin = member->offset, end = member->offset + member->count;
    RigidMotion rigid = { 0 };
    if (!memberIsPinned(s, member))
        rigid = rigidMotion(s, s->position, s->velocity, begin, end);
    for (int pass = 0; pass < 2; ++pass)
    {
        double scale = square + member->viscousLeft * power > 0 ? along / (square + member->viscousLeft * power) : 1;
        for (int v = begin; v < end; ++v)
        {
            Vec3 now = vecLoad(s->velocity + 3 * (ptrdiff_t)v), was = velocityLeft(system, how, v);
            Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), rigid.centre);
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
            vecStore(s->velocity + 3 * (ptrdiff_t)v, vecAdd(whole, vecScale(scale, w)));
        }
        member->viscousOwn = (1 - member->viscousLeft) * scale * scale * power;
    }
}

// Iterations grow with the root of the condition number
static int iterationsFor(const System *system, const SweepDamping *how, double time)
{
    double wanted = SHARE * system->sweep.rate * sqrt(time * how->h);
    return how->exact || !how->ahead ? EXACT : wanted > MOST ? MOST : maxInt(QUICK, (int)wanted);
}

void sweepDamp(System *system, const SweepDamping *how)
{
    State *s = &system->state;
    double h = how->h, longest = 0;
    setPositions(system, 0); // where the change keeps momenta
    for (int p = 0; p < system->memberCount && how->ahead; ++p)
        keepShape(s, system->member[p], how->change);
    for (int v = 0; v < s->count; ++v)
    {
        Vec3 velocity = s->pinned[v] ? vecScale(1 / h, moved(system, v)) : velocityLeft(system, how, v);
        vecStore(s->velocity + 3 * (ptrdiff_t)v, velocity);
    }
    setPositions(system, 0.5);
    systemFreezeRates(system, s->position);
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        double time = sweepTime(member);
        longest = maxReal(longest, time);
        member->viscousLeft = leftOf(how, time);
    }
    Damping damping = { .filter = energyIsViscous,
                        .h = h,
                        .theta = 1,
                        .most = iterationsFor(system, how, longest),
                        .left = how->exact ? 1e-10 : 1e-3,
                        .guess = how->ahead ? how->change : NULL,
                        .shared = true };
    systemDampRates(system, &damping, s->velocity);
    if (!pinsMove(s) && !how->exact)
    {
        setPositions(system, 0.5);
        for (int p = 0; p < system->memberCount; ++p)
            settleMember(system, how, system->member[p]);
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
