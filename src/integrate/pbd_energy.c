// What contact leaves of pbd's energy. A sweep ends with the contacts, so that the constraints next to them are left
// strained, and stiffness is 1: the next step takes all of that strain back at once, and its displacement / h becomes
// velocity, whatever made it. Left alone, a soft body has 20 times the energy of a hit two steps after it.
//
// Constraints without compliance do no work. What they took (`held`) they may give back as far as the material could
// store it. Where there is more, once something has touched, the motion of every body that is not rigid is made
// smaller; if that is not enough, the motion of all, rigid bodies too, against their common one. Both keep momenta.
// Before that the angular momentum of bodies that touch only each other and rigid ones is put right: impulses act where
// a sweep finds the points, not where the step ends.
#include "contact/movable.h"
#include "contact/reach.h"
#include "integrate/integrate.h"

#include <math.h>

static double kineticOf(const State *s, const double *velocity)
{
    double sum = 0;
    for (int i = 0; i < 3 * s->count; ++i)
        sum += s->pinned[i / 3] ? 0 : 0.5 * s->mass[i / 3] * velocity[i] * velocity[i];
    return sum;
}

static bool isElastic(const Energy *energy)
{
    return energy->kind->column == COLUMN_ELASTIC;
}

static bool isWeight(const Energy *energy)
{
    return energy->kind->column == COLUMN_GRAVITY;
}

static double energyOf(System *system, EnergyFilter filter, const double *position)
{
    double sum = 0;
    systemValues(system, filter, position);
    for (int t = 0; t < system->termCount; ++t)
        sum += filter(system->term[t].energy) ? energySum(system->term[t].energy) : 0;
    return sum;
}

static bool anyPinned(const State *s)
{
    return nextPin(s, 0, s->count) < s->count;
}

static bool pinsAreMoved(const State *s)
{
    for (int v = nextPin(s, 0, s->count); v < s->count; v = nextPin(s, v + 1, s->count))
    {
        for (int i = 3 * v; i < 3 * v + 3; ++i)
        {
            if (s->pinTarget[i] != s->start[i])
                return true;
        }
    }
    return false;
}

// ---- angular momentum -----------------------------------------------------------------------------------------------

// a collider that is no rigid body's pushed in the step
static bool meetsScenery(const System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Energy *energy = system->term[t].energy;
        if (contactIsKind(energy->kind) && !energy->off && contactPushesScenery(energy))
            return true;
    }
    return false;
}

// only each other and rigid bodies touch the bodies, nothing holds them and nothing brakes them
static bool isClosed(const System *system)
{
    for (int t = 0; t < system->termCount; ++t)
    {
        const Energy *energy = system->term[t].energy;
        if (!energyIsIdle(energy) && (energy->kind == &dragKind || reachIsKind(energy->kind)))
            return false;
    }
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (memberIsTied(&system->state, system->member[p]))
            return false;
    }
    return !meetsScenery(system);
}

// what rigid bodies have lost of it since the step began, about a point, less the moment of their weight
static Vec3 givenAngular(const System *system, Vec3 about)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int m = 0; m < system->movableCount; ++m)
        sum = vecAdd(sum, movableLost(&system->movable[m], about));
    return sum;
}

static void correctAngular(System *system, double h)
{
    State *s = &system->state;
    RigidMotion before = rigidMotion(s, s->start, s->startVelocity, 0, s->count);
    RigidMotion now = rigidMotion(s, s->position, s->velocity, 0, s->count);
    Vec3 push = vec3(0, 0, 0), moment = vec3(0, 0, 0);
    for (int v = 0; v < s->count; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        Vec3 impulse = vecScale(-h, vecLoad(s->external + i));
        Vec3 middle = vecScale(0.5, vecAdd(vecLoad(s->start + i), vecLoad(s->position + i)));
        push = vecAdd(push, impulse);
        moment = vecAdd(moment, vecCross(vecSub(middle, before.centre), impulse));
    }
    Vec3 wanted = vecAdd(vecAdd(matApply(&before.inertia, before.spin), moment), givenAngular(system, before.centre));
    Vec3 orbital = vecCross(vecSub(now.centre, before.centre), vecScale(now.mass, now.velocity));
    Vec3 more = vecSub(spinOf(&now.inertia, vecSub(wanted, orbital)), now.spin);
    for (int v = 0; v < s->count; ++v)
    {
        double *velocity = s->velocity + 3 * (ptrdiff_t)v;
        Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), now.centre);
        vecStore(velocity, vecAdd(vecLoad(velocity), vecCross(more, r)));
    }
}

// ---- energy ---------------------------------------------------------------------------------------------------------

// Velocities of vertices less a share of what they are beside a rigid motion; returns the kinetic energy of that
// before.
static double shrinkVertices(State *s, int begin, int end, const RigidMotion *motion, double share)
{
    double kinetic = 0;
    for (int v = begin; v < end; ++v)
    {
        double *velocity = s->velocity + 3 * (ptrdiff_t)v;
        if (s->pinned[v])
            continue;
        Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), motion->centre);
        Vec3 u = vecSub(vecLoad(velocity), vecAdd(motion->velocity, vecCross(motion->spin, r)));
        kinetic += 0.5 * s->mass[v] * vecDot(u, u);
        vecStore(velocity, vecSub(vecLoad(velocity), vecScale(share, u)));
    }
    return kinetic;
}

// each body beside its own rigid motion; what is pinned has none
static double shrinkBodies(System *system, double share)
{
    State *s = &system->state;
    double kinetic = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        int begin = member->offset, end = member->offset + member->count;
        RigidMotion own = { 0 };
        if (!memberIsPinned(s, member))
            own = rigidMotion(s, s->position, s->velocity, begin, end);
        kinetic += shrinkVertices(s, begin, end, &own, share);
    }
    return kinetic;
}

static RigidMotion movableMotion(const Movable *movable)
{
    return (RigidMotion){ .count = 1,
                          .mass = movable->flight.inverseMass > 0 ? 1 / movable->flight.inverseMass : 0,
                          .centre = movable->at,
                          .velocity = movable->rate,
                          .spin = movable->rotating,
                          .inertia = movableInertia(movable) };
}

// All bodies, and the rigid ones that nothing else touches, beside the motion that they have together; where pins or
// scenery take momentum, beside these.
static double shrinkIsland(System *system, double share)
{
    State *s = &system->state;
    RigidMotion whole = { 0 };
    if (!anyPinned(s) && !meetsScenery(system))
        whole = rigidMotion(s, s->position, s->velocity, 0, s->count);
    for (int m = 0; m < system->movableCount && whole.count > 0; ++m)
    {
        RigidMotion one = movableMotion(&system->movable[m]);
        if (system->movable[m].flight.alone)
            whole = rigidMotionWith(&whole, &one);
    }
    double kinetic = shrinkVertices(s, 0, s->count, &whole, share);
    for (int m = 0; m < system->movableCount; ++m)
    {
        if (system->movable[m].flight.alone)
            kinetic += movableShrink(&system->movable[m], whole.centre, whole.velocity, whole.spin, share);
    }
    return kinetic;
}

// J, by which what the second pass shrinks has more than before: bodies as wholes, and rigid ones
static double gainOfWholes(const System *system)
{
    const State *s = &system->state;
    double gain = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        int begin = member->offset, end = member->offset + member->count;
        if (memberIsPinned(s, member))
            continue;
        RigidMotion before = rigidMotion(s, s->start, s->startVelocity, begin, end);
        RigidMotion now = rigidMotion(s, s->position, s->velocity, begin, end);
        gain += rigidMotionEnergy(&now) - rigidMotionEnergy(&before);
    }
    for (int m = 0; m < system->movableCount; ++m)
        gain += system->movable[m].given;
    return gain;
}

// as much of an excess as there is; returns how much it took
static double take(System *system, double (*shrink)(System *, double), double excess)
{
    double kinetic = excess > 0 ? shrink(system, 0) : 0, taken = minReal(excess, kinetic);
    if (!(taken > 0))
        return 0;
    shrink(system, 1 - sqrt(maxReal(1 - taken / kinetic, 0)));
    return taken;
}

// J, by which soft and rigid bodies have more energy of motion and height than they began with and were given: what
// rigid ones gave is `added` to soft ones, below 0 if they got it.
static double gainOf(System *system, double *lost)
{
    const State *s = &system->state;
    double gain = kineticOf(s, s->velocity) - kineticOf(s, s->startVelocity);
    gain += energyOf(system, isWeight, s->position) - energyOf(system, isWeight, s->start);
    *lost = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        gain -= system->member[p]->added;
        *lost += system->member[p]->dissipated;
    }
    return gain;
}

void pbdKeepEnergy(System *system, double h)
{
    State *s = &system->state;
    bool met = sweepTouches(system) || touchesColliders(system), begun = false;
    double held = 0, lost;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const ProjectedRecall *recall = &system->member[p]->step->recall.projected;
        begun |= recall->begun > 0;
        met |= recall->met > 0;
        held += recall->held;
    }
    held = begun ? held : energyOf(system, isElastic, s->start);
    bool whole = !(system->step->from > 0) && !(system->step->to < 1);
    if (system->movableCount > 0 && whole && isClosed(system))
        correctAngular(system, h);
    double gain = gainOf(system, &lost);
    if (met && !pinsAreMoved(s))
    {
        gain -= take(system, shrinkBodies, gain - held);
        gain -= take(system, shrinkIsland, minReal(gain - held, gainOfWholes(system)));
    }
    held = minReal(maxReal(held - gain - lost, 0), energyOf(system, isElastic, s->position));
    for (int p = 0; p < system->memberCount; ++p)
    {
        ProjectedRecall *recall = &system->member[p]->step->recall.projected;
        recall->begun = 1;
        recall->met = met;
        recall->held = held / system->memberCount;
    }
}
