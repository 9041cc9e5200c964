// Momentum after a blend. Blending with Euler's methods takes angular momentum, and so does a solver that did not converge;
// the paper counts it as a limitation (Dinev 2018, section 5). Internal forces cannot change either momentum, so what they
// must be is known: P_n + h sum f and L_n + h sum z x f of the outer forces f, z the middle of the way. What is missing is
// added to the velocity as a rigid motion, the least change that has it. The energy it brings is seen by the next step; not
// corrected towards the midpoint's own L, which drifts where it did not converge.
//
// The rule of "auto": bodies that nothing holds and nothing can touch in this step. Measured where something does, 10
// iterations of local/global: a cube falling on spheres of 1e7 N/m gains .003 M g h without it and 10.6 with it
// (integrate_stabilized_soak). A stiff bar (1e6 Pa) swinging from springs, 3 s: the centre of mass is off by 5.0 cm without it
// and 1.3 with it, but one that spins gains .009 and .52 of its energy: "exact" is for whoever looks at that run. With a
// converged solver there is no difference (0.9 cm).
#include "integrate/integrate.h"

// beside the external ones, whose derivative the state has
static bool isOuter(const Energy *energy)
{
    return (energy->traits & (TRAIT_INTERNAL | TRAIT_EXTERNAL)) == 0;
}

static bool hasPin(const State *s, const Part *part)
{
    for (int v = part->offset; v < part->offset + part->count; ++v)
    {
        if (s->hold[v] != HOLD_FREE)
            return true;
    }
    return false;
}

// pins aside, what can hold a body: attachments and contacts that may touch in this step
static bool isHeld(const Part *part)
{
    for (int e = 0; e < part->energyCount; ++e)
    {
        const Energy *energy = part->energy[e];
        bool holds = (energy->traits & (TRAIT_INTERNAL | TRAIT_EXTERNAL | TRAIT_DISSIPATIVE | TRAIT_FREE)) == 0;
        if (holds && !energyIsIdle(energy))
            return true;
    }
    return false;
}

// something between it and other bodies
static bool isJoined(const System *system, int part)
{
    for (int k = 0; k < JOINTS; ++k)
    {
        const Energy *joint = system->joint[k];
        for (int i = 0; joint != NULL && i < joint->elementCount * joint->kind->corners; ++i)
        {
            int element = i / joint->kind->corners, corner = i % joint->kind->corners;
            if (system->coupling[k][element].part[corner] == part && energyGetParam(joint, element, 0) != 0)
                return true;
        }
    }
    return false;
}

bool partIsFree(const System *system, int part)
{
    return !hasPin(&system->state, system->part[part]) && !isHeld(system->part[part]) && !isJoined(system, part);
}

// Needs the other outer forces in the gradient, and the stage in the middle of the way: then x_n x m v_n + z x h f - x x m v is
// x_n x (m v_n + h/2 f) - x x (m v - h/2 f). In one pass, about the first vertex; then about the centre.
static void correctPart(State *s, const Part *part, double h)
{
    int begin = part->offset, end = part->offset + part->count;
    double mass = 0, second[6] = { 0 };
    Vec3 origin = vecLoad(s->position + 3 * (ptrdiff_t)begin), moment = vec3(0, 0, 0);
    Vec3 linear = vec3(0, 0, 0), angular = vec3(0, 0, 0); // missing
    for (int v = begin; v < end; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        Vec3 half = vecScale(-0.5 * h, vecAdd(vecLoad(s->gradient + i), vecLoad(s->external + i)));
        Vec3 before = vecAdd(vecScale(s->mass[v], vecLoad(s->startVelocity + i)), half);
        Vec3 after = vecSub(vecScale(s->mass[v], vecLoad(s->velocity + i)), half);
        Vec3 r = vecSub(vecLoad(s->position + i), origin), from = vecSub(vecLoad(s->start + i), origin);
        mass += s->mass[v];
        moment = vecAdd(moment, vecScale(s->mass[v], r));
        linear = vecAdd(linear, vecSub(before, after));
        angular = vecAdd(angular, vecSub(vecCross(from, before), vecCross(r, after)));
        momentsAdd(second, s->mass[v], r);
    }
    Vec3 off = vecScale(1 / mass, moment), centre = vecAdd(origin, off);
    angular = vecSub(angular, vecCross(off, linear));
    momentsAdd(second, -mass, off);
    Mat3 inertia = inertiaOf(second);
    Vec3 velocity = vecScale(1 / mass, linear), spin = spinOf(&inertia, angular);
    for (int v = begin; v < end; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        Vec3 r = vecSub(vecLoad(s->position + i), centre);
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
    for (int p = 0; p < system->partCount; ++p)
    {
        Part *part = system->part[p];
        part->loose = momentum == MOMENTUM_AUTO ? partIsFree(system, p) : !hasPin(s, part);
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
