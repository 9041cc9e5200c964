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
        gain -= shrinkBy(system, shrinkBodies, gain - held, 1);
        gain -= shrinkBy(system, shrinkIsland, minReal(gain - held, gainOfWholes(system)), 1);
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
