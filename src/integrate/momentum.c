// Momentum after a blend. Blending with Euler's methods takes angular momentum, and so does a solver that did not
// converge; the paper counts it as a limitation (Dinev 2018, section 5). Internal forces cannot change either momentum,
// so what they must be is known: P_n + h sum f and L_n + h sum z x f of the outer forces f, z the middle of the
// displacement. What is missing is added to the velocity as a rigid motion, the least change that has it, and positions
// are turned by what they lacked of it. Blends are searched with the energy that they have then (turning.c). Not
// corrected towards the midpoint's own L, which drifts where it did not converge.
//
// The rule of "auto": bodies that nothing holds and nothing can touch in this step. Measured where something does, 10
// iterations of local/global: a cube falling on spheres of 1e7 N/m stays within .003 M g h of its energy with and
// without the correction (integrate_stabilized_soak). A stiff bar (1e6 Pa) swinging from springs, 3 s: the centre of
// mass is off by 5.0 cm without it and 1.3 with it, but one that spins gains .009 and .52 of its energy: "exact" is for
// whoever looks at that run. With a converged solver there is no difference (0.9 cm).
#include "contact/movable.h"
#include "integrate/integrate.h"

#define MOST_SETTLED 0.01 // of the velocity of vibrations that a step may change for its energy

// beside the external ones, whose derivative the state has; damping between vertices is inner, though its moment about
// the middle of the displacement is not quite zero
static bool isOuter(const Energy *energy)
{
    return (energy->traits & (TRAIT_INTERNAL | TRAIT_EXTERNAL)) == 0 && !energyIsViscous(energy);
}

bool memberIsPinned(const State *s, const Member *member)
{
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        if (s->hold[v] != HOLD_FREE)
            return true;
    }
    return false;
}

// pins aside, what can hold a body: attachments and contacts that may touch in this step
bool memberIsHeld(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        bool holds = (energy->traits & (TRAIT_INTERNAL | TRAIT_EXTERNAL | TRAIT_DISSIPATIVE | TRAIT_FREE)) == 0;
        if (holds && !energyIsIdle(energy))
            return true;
    }
    return false;
}

// something between it and other bodies
static bool isJoined(const System *system, int member)
{
    for (int t = system->jointStart; t < system->termCount; ++t)
    {
        const Energy *joint = system->term[t].energy;
        if (joint->off)
            continue;
        for (int i = 0; i < joint->elementCount * joint->kind->corners; ++i)
        {
            int element = i / joint->kind->corners, corner = i % joint->kind->corners;
            if (system->term[t].coupling[element].member[corner] == member && energyGetParam(joint, element, 0) != 0)
                return true;
        }
    }
    return false;
}

bool memberIsFree(const System *system, int member)
{
    return !memberIsPinned(&system->state, system->member[member]) && !memberIsHeld(system->member[member]) &&
           !isJoined(system, member);
}

RigidMotion looseMotion(const System *system, int first, const double *position, const double *velocity)
{
    const State *s = &system->state;
    RigidMotion sum = { 0 };
    int group = system->member[first]->step->joined.group;
    bool loose = group < 0 ? memberIsFree(system, first) : group == first && !system->member[first]->step->joined.tied;
    for (int p = first; p < system->memberCount && loose; ++p)
    {
        const Member *member = system->member[p];
        if (p != first && member->step->joined.group != first)
            continue;
        RigidMotion one = rigidMotion(s, position, velocity, member->offset, member->offset + member->count);
        sum = sum.count > 0 ? rigidMotionWith(&sum, &one) : one;
    }
    return sum;
}

typedef enum Who
{
    TOUCHING, // members that are not free
    ALL,
    CLOSED, // all, and what touches them is known
} Who;

static RigidMotion motionOf(const System *system, Who who, const double *position, const double *velocity)
{
    const State *s = &system->state;
    RigidMotion sum = { 0 };
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (who == TOUCHING && memberIsFree(system, p))
            continue;
        if (who != CLOSED && (memberIsPinned(s, member) || memberIsHeld(member)))
            return (RigidMotion){ 0 };
        RigidMotion one = rigidMotion(s, position, velocity, member->offset, member->offset + member->count);
        sum = sum.count > 0 ? rigidMotionWith(&sum, &one) : one;
    }
    return sum;
}

RigidMotion touchingMotion(const System *system, const double *position, const double *velocity)
{
    return motionOf(system, TOUCHING, position, velocity);
}

bool momentumBegin(System *system, vvMomentum momentum)
{
    bool any = false;
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        member->step->loose = momentum == VV_MOMENTUM_AUTO
                                  ? memberIsFree(system, p)
                                  : momentum == VV_MOMENTUM_EXACT && !memberIsPinned(&system->state, member);
        any |= member->step->loose;
    }
    return any;
}

// P_n + h sum f and L_n + h sum z x f, about where the first vertex was; the outer forces beside the external ones are
// in the gradient
static void wantedOf(const State *s, Member *member, double h, const double *middle, int end)
{
    Vec3 origin = vecLoad(s->start + 3 * (ptrdiff_t)member->offset);
    RigidMotion motion = rigidMotion(s, s->start, s->startVelocity, member->offset, member->offset + member->count);
    motion.spin = vecAdd(motion.spin, member->step->frameSpin);
    Vec3 linear = vecScale(motion.mass, motion.velocity), angular = matApply(&motion.inertia, motion.spin);
    Vec3 push = vec3(0, 0, 0), moment = vec3(0, 0, 0), centre = vec3(0, 0, 0);
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        Vec3 impulse = vecScale(-h, vecAdd(vecLoad(s->gradient + i), vecLoad(s->external + i)));
        Vec3 z = vecSub(vecLoad(middle + i), origin);
        push = vecAdd(push, impulse);
        moment = vecAdd(moment, vecCross(z, impulse));
        centre = vecAdd(centre, vecScale(s->mass[v] / motion.mass, z));
    }
    // what is about the centre turns with the frame
    moment = vecSub(moment, vecCross(centre, push));
    angular = spinFrameBack(member, vecAdd(spinFrameBack(member, angular), moment));
    angular = vecAdd(angular, vecAdd(vecCross(vecSub(motion.centre, origin), linear), vecCross(centre, push)));
    linear = vecAdd(linear, push);
    member->step->turning.wantedLinear[end] = linear;
    member->step->turning.wantedAngular[end] = angular;
}

void momentumWanted(System *system, double h, int end)
{
    State *s = &system->state;
    double *middle = scratchTake(s);
    systemSetMidpoint(system);
    watchMiddle(system, h, middle);
    systemForces(system, isOuter, s->stage);
    double *from = scratchTake(s), *to = scratchTake(s);
    memcpy(from, s->start, (size_t)s->count * 3 * sizeof(double));
    memcpy(to, s->position, (size_t)s->count * 3 * sizeof(double));
    spinFrameWorld(system, from, to);
    for (int i = 0; i < 3 * s->count; ++i)
        middle[i] = 0.5 * (from[i] + to[i]);
    scratchGive(s, to);
    scratchGive(s, from);
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (system->member[p]->step->loose)
            wantedOf(s, system->member[p], h, middle, end);
    }
    scratchGive(s, middle);
}

// the rigid motion that is missing
typedef struct Missing
{
    Vec3 centre, velocity, spin;
} Missing;

static Missing missingOf(const State *s, const Member *member, int end)
{
    double mass = 0, second[6] = { 0 };
    Vec3 origin = vecLoad(s->start + 3 * (ptrdiff_t)member->offset), moment = vec3(0, 0, 0);
    Vec3 linear = member->step->turning.wantedLinear[end],
         angular = member->step->turning.wantedAngular[end]; // less what there is
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        Vec3 after = vecScale(s->mass[v], vecLoad(s->velocity + i));
        Vec3 r = vecSub(vecLoad(s->position + i), origin);
        mass += s->mass[v];
        moment = vecAdd(moment, vecScale(s->mass[v], r));
        linear = vecSub(linear, after);
        angular = vecSub(angular, vecCross(r, after));
        momentsAdd(second, s->mass[v], r);
    }
    Vec3 off = vecScale(1 / mass, moment);
    angular = vecSub(angular, vecCross(off, linear));
    momentsAdd(second, -mass, off);
    Mat3 inertia = inertiaOf(second);
    return (Missing){ .centre = vecAdd(origin, off),
                      .velocity = vecScale(1 / mass, linear),
                      .spin = spinOf(&inertia, angular) };
}

void correctMomentum(System *system, double h)
{
    State *s = &system->state;
    momentumWanted(system, h, 0);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (!member->step->loose)
            continue;
        Missing missing = missingOf(s, member, 0);
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            ptrdiff_t i = 3 * (ptrdiff_t)v;
            Vec3 r = vecSub(vecLoad(s->position + i), missing.centre);
            Vec3 more = vecAdd(missing.velocity, vecCross(missing.spin, r));
            vecStore(s->velocity + i, vecAdd(vecLoad(s->velocity + i), more));
        }
    }
}

static bool isDrag(const Energy *energy)
{
    return energyIsDissipative(energy) && !energyIsViscous(energy);
}

// N s, and N m s about a point: what bodies got from others in the step.
typedef struct Given
{
    Vec3 linear, angular;
} Given;

// The rigid motion that bodies which touch only each other, and what gave them that, lack together.
static Missing missingTogether(System *system, double h, Who who, const RigidMotion *now, const Given *given)
{
    State *s = &system->state;
    RigidMotion before = motionOf(system, who, s->start, s->startVelocity);
    Vec3 linear = vecAdd(given->linear, vecScale(before.mass, before.velocity));
    Vec3 angular = vecAdd(given->angular, matApply(&before.inertia, before.spin));
    angular = vecSub(angular, vecCross(before.centre, given->linear));
    double *middle = scratchTake(s);
    watchMiddle(system, h, middle);
    systemForces(system, isDrag, middle);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        bool counts = who != TOUCHING || !memberIsFree(system, p);
        for (int v = member->offset; v < member->offset + member->count && counts; ++v)
        {
            ptrdiff_t i = 3 * (ptrdiff_t)v;
            Vec3 impulse = vecScale(-h, vecAdd(vecLoad(s->gradient + i), vecLoad(s->external + i)));
            linear = vecAdd(linear, impulse);
            angular = vecAdd(angular, vecCross(vecSub(vecLoad(middle + i), before.centre), impulse));
        }
    }
    scratchGive(s, middle);
    angular = vecSub(angular, vecCross(vecSub(now->centre, before.centre), linear));
    return (Missing){ .centre = now->centre,
                      .velocity = vecSub(vecScale(1 / now->mass, linear), now->velocity),
                      .spin = vecSub(spinOf(&now->inertia, angular), now->spin) };
}

static double correctTogether(System *system, double h, Who who, const Given *given)
{
    State *s = &system->state;
    RigidMotion now = motionOf(system, who, s->position, s->velocity);
    double gained = 0;
    if (now.count == 0)
        return 0;
    Missing missing = missingTogether(system, h, who, &now, given);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (who == TOUCHING && memberIsFree(system, p))
            continue;
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            double *velocity = s->velocity + 3 * (ptrdiff_t)v;
            Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), missing.centre);
            Vec3 u = vecLoad(velocity), more = vecAdd(missing.velocity, vecCross(missing.spin, r));
            gained += s->mass[v] * (vecDot(u, more) + 0.5 * vecDot(more, more));
            vecStore(velocity, vecAdd(u, more));
        }
    }
    return gained;
}

double correctTouching(System *system, double h)
{
    return correctTogether(system, h, TOUCHING, &(Given){ { 0, 0, 0 }, { 0, 0, 0 } });
}

double correctIsland(System *system, double h)
{
    return correctTogether(system, h, ALL, &(Given){ { 0, 0, 0 }, { 0, 0, 0 } });
}

// what rigid bodies gave a contact, about the origin; false: another collider touched it
static bool addGiven(const Energy *contact, Given *sum)
{
    const ContactBody *body = contact->context;
    bool alone = true;
    for (int e = contactNextHeld(contact, 0); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        const ContactImpulse *impulse = &body->impulse[e];
        const Movable *movable = contactColliderOf(contact, e)->movable;
        if (!(vecDot(impulse->impulse, impulse->impulse) > 0))
            continue;
        alone &= movable != NULL;
        if (movable == NULL)
            continue;
        sum->linear = vecAdd(sum->linear, impulse->impulse);
        sum->angular = vecAdd(sum->angular, vecAdd(impulse->moment, vecCross(movable->position, impulse->impulse)));
    }
    return alone;
}

double correctMet(System *system, double h)
{
    Given given = { { 0, 0, 0 }, { 0, 0, 0 } };
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (memberIsTied(&system->state, member))
            return 0;
        for (int e = 0; e < member->energyCount; ++e)
        {
            const Energy *energy = member->energy[e];
            if (contactIsKind(energy->kind) && !energy->off && !addGiven(energy, &given))
                return 0;
        }
    }
    return correctTogether(system, h, CLOSED, &given);
}

static Vec3 angularOf(const State *s, const Member *member) // about the origin
{
    Vec3 sum = vec3(0, 0, 0);
    for (int v = member->offset; v < member->offset + member->count; ++v)
    {
        ptrdiff_t i = 3 * (ptrdiff_t)v;
        sum = vecAdd(sum, vecScale(s->mass[v], vecCross(vecLoad(s->position + i), vecLoad(s->velocity + i))));
    }
    return sum;
}

// What rigid bodies gave in the step so far. One that is alone ends its substep as if its impulses acted where it
// began, with the arms that they have where it arrives.
static Vec3 givenAngular(const Member *member)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *contact = member->energy[e];
        Given given = { { 0, 0, 0 }, { 0, 0, 0 } };
        if (!contactIsKind(contact->kind) || contact->off)
            continue;
        addGiven(contact, &given);
        sum = vecAdd(sum, given.angular);
        for (int i = contactNextHeld(contact, 0); i < contact->elementCount; i = contactNextHeld(contact, i + 1))
        {
            const Movable *m = contactColliderOf(contact, i)->movable;
            if (m != NULL && m->flight.alone)
                sum = vecAdd(sum, vecCross(vecSub(m->at, movableArrival(m)),
                                           ((const ContactBody *)contact->context)->impulse[i].impulse));
        }
    }
    return sum;
}

void metBegin(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        member->step->turning.wantedAngular[0] = vecSub(angularOf(&system->state, member), givenAngular(member));
    }
}

void metGiven(System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        Vec3 *wanted = &system->member[p]->step->turning.wantedAngular[0];
        *wanted = vecAdd(*wanted, givenAngular(system->member[p]));
    }
}

void metEnd(System *system)
{
    State *s = &system->state;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        int begin = member->offset, end = begin + member->count;
        if (memberIsPinned(s, member))
            continue;
        RigidMotion motion = rigidMotion(s, s->position, s->velocity, begin, end);
        Vec3 spin = spinOf(&motion.inertia, vecSub(member->step->turning.wantedAngular[0], angularOf(s, member)));
        for (int v = begin; v < end; ++v)
        {
            double *velocity = s->velocity + 3 * (ptrdiff_t)v;
            Vec3 r = vecSub(vecLoad(s->position + 3 * (ptrdiff_t)v), motion.centre);
            vecStore(velocity, vecAdd(vecLoad(velocity), vecCross(spin, r)));
        }
    }
}

// by the angle 2 atan |q|
static Vec3 turned(Vec3 q, Vec3 r)
{
    Vec3 across = vecCross(q, r);
    return vecAdd(r, vecScale(2 / (1 + vecDot(q, q)), vecAdd(across, vecCross(q, across))));
}

// Dampers between vertices are frozen where the step foresaw its middle: a further turn would be a rate of strain to
// them.
static bool hasDampers(const Member *member)
{
    for (int e = 0; e < member->energyCount; ++e)
    {
        const Energy *energy = member->energy[e];
        if ((energy->traits & TRAIT_DISSIPATIVE) && !energyIsDiagonal(energy) && !energyIsIdle(energy))
            return true;
    }
    return false;
}

double turnPositions(System *system, double h, int end, double seconds)
{
    State *s = &system->state;
    double most = 0;
    momentumWanted(system, h, end);
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        if (!member->step->loose || (hasDampers(member) && !member->step->turns))
            continue;
        Missing missing = missingOf(s, member, end);
        Vec3 q = vecScale(0.5 * seconds, missing.spin);
        most = maxReal(most, 2 * vecLength(q));
        Vec3 centre = vecAdd(missing.centre, vecScale(seconds, missing.velocity));
        for (int v = member->offset; v < member->offset + member->count; ++v)
        {
            double *x = s->position + 3 * (ptrdiff_t)v;
            vecStore(x, vecAdd(centre, turned(q, vecSub(vecLoad(x), missing.centre))));
        }
    }
    return most;
}

// Velocities of loose members less so much of what is not rigid motion; returns its kinetic energy before.
static double shrinkVibration(System *system, double share)
{
    State *s = &system->state;
    double kinetic = 0;
    for (int p = 0; p < system->memberCount; ++p)
    {
        const Member *member = system->member[p];
        int begin = member->offset, end = member->offset + member->count;
        if (!member->step->loose)
            continue;
        RigidMotion motion = rigidMotion(s, s->position, s->velocity, begin, end);
        kinetic += shrinkBeside(s, begin, end, &motion, share);
    }
    return kinetic;
}

double trimVibration(System *system, double most)
{
    return shrinkBy(system, shrinkVibration, most, 1);
}

// What the midpoint rule is off by in a step is small, but adds up, and a hundredth of a spin is more than all the
// vibration of a stiff body. It is vibration that the rule has not resolved, so that takes or gives it. What contacts
// or dampers left behind is not part of it.
void settleVibration(System *system, Watch *watch, bool kept)
{
    EnergyRecall *recall = &system->member[0]->step->recall.energy;
    bool alone =
        system->memberCount == 1 && !system->dissipates && system->member[0]->step->loose && memberIsFree(system, 0);
    bool begins = alone && (recall->alone == 0 || !kept);
    for (int p = 0; p < system->memberCount && !alone; ++p)
        system->member[p]->step->recall.energy.alone = system->member[p]->step->recall.energy.adrift = 0;
    recall->alone = alone;
    recall->adrift = begins ? watch->error : recall->adrift;
    double kinetic = alone && !begins ? shrinkVibration(system, 0) : 0;
    if (!(kinetic > 0))
        return;
    double factor = sqrt(maxReal(1 - (watch->error - recall->adrift) / kinetic, 0));
    factor = minReal(maxReal(factor, 1 - MOST_SETTLED), 1 + MOST_SETTLED);
    shrinkVibration(system, 1 - factor);
    double taken = (1 - factor * factor) * kinetic;
    watch->balance.kinetic -= taken;
    watch->error -= taken;
}
