// Momentum after a blend. Blending with Euler's methods takes angular momentum, and so does a solver that did not converge;
// the paper counts it as a limitation (Dinev 2018, section 5). Internal forces cannot change either momentum, so what they
// must be is known: P_n + h sum f and L_n + h sum z x f of the outer forces f, z the middle of the way. What is missing is
// added to the velocity as a rigid motion, the least change that has it. The energy it brings is seen by the next step.
#include "integrate/integrate.h"

static bool isOuter(const Energy *energy)
{
    return (energy->traits & TRAIT_INTERNAL) == 0;
}

// pins aside, what can hold a body: attachments, contact, springs to other bodies
static bool isHolding(const Energy *energy)
{
    return (energy->traits & (TRAIT_INTERNAL | TRAIT_EXTERNAL | TRAIT_DISSIPATIVE)) == 0;
}

static bool isFree(const State *s, const Part *part)
{
    for (int i = 3 * part->offset; i < 3 * (part->offset + part->count); ++i)
    {
        if (s->gradient[i] != 0)
            return false;
    }
    return true;
}

static bool hasPin(const State *s, const Part *part)
{
    for (int v = part->offset; v < part->offset + part->count; ++v)
    {
        if (s->pinned[v])
            return true;
    }
    return false;
}

// needs outer forces in the gradient
static void correctPart(State *s, const Part *part, double h)
{
    int begin = part->offset, end = part->offset + part->count;
    RigidMotion now = rigidMotion(s, s->position, s->velocity, begin, end);
    Vec3 linear = vec3(0, 0, 0), angular = vec3(0, 0, 0); // missing, the second about the centre of the end
    for (int v = begin; v < end; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        Vec3 push = vecScale(-h, vecLoad(s->gradient + i));
        Vec3 before = vecScale(s->mass[v], vecLoad(s->startVelocity + i));
        Vec3 after = vecScale(s->mass[v], vecLoad(s->velocity + i));
        linear = vecAdd(linear, vecSub(vecAdd(before, push), after));
        angular = vecAdd(angular, vecCross(vecSub(vecLoad(s->start + i), now.centre), before));
        angular = vecAdd(angular, vecCross(vecSub(vecLoad(s->stage + i), now.centre), push));
        angular = vecSub(angular, vecCross(vecSub(vecLoad(s->position + i), now.centre), after));
    }
    Vec3 velocity = vecScale(1 / now.mass, linear), spin = spinOf(&now.inertia, angular);
    for (int v = begin; v < end; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        Vec3 r = vecSub(vecLoad(s->position + i), now.centre);
        Vec3 more = vecAdd(velocity, vecCross(spin, r));
        vecStore(s->velocity + i, vecAdd(vecLoad(s->velocity + i), more));
    }
}

void correctMomentum(System *system, double h, Momentum momentum)
{
    State *s = &system->state;
    if (momentum == MOMENTUM_FREE)
        return;
    bool any = false;
    if (momentum == MOMENTUM_AUTO)
        systemForces(system, isHolding, s->stage);
    for (int p = 0; p < system->partCount; ++p)
    {
        Part *part = system->part[p];
        part->loose = !hasPin(s, part) && (momentum == MOMENTUM_EXACT || isFree(s, part));
        any |= part->loose;
    }
    if (!any)
        return;
    systemForces(system, isOuter, s->stage);
    for (int p = 0; p < system->partCount; ++p)
    {
        if (system->part[p]->loose)
            correctPart(s, system->part[p], h);
    }
}
