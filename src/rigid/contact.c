// Contact of rigid bodies in a substep. Positions: the gap along the normal is closed to no less than 0, then friction
// takes back the sliding within Coulomb's cone (Macklin et al. 2019, section 4.3, with both signs). Velocities: a sweep
// of impulses that continues from those of the positions; the sums stay within the same cone, so that a contact never
// pulls. Sliding then loses what Coulomb says in both halves of the substep, and a resting body has no velocity.
//
// Sweeps work on displacements of the bodies that are linear in the impulses, with arms of the prediction; poses follow
// at the end.
//
// One sweep leaves an error, and a heap must not creep by it:
// - all normals come before all friction, and the normals are swept forward and backward. With friction right behind
//   each normal a tower of ten boxes drifted by 0.6 m/s;
// - what friction has not taken back yet is remembered as slip until the end of the step. Without: 8 mm/s;
// - a substep starts from half the impulses of the last one. All of them: towers shake; none: twice the drift.
#include "rigid/system.h"

#define REBOUND 2.0      // of what gravity adds in a substep: slower approaches do not rebound
#define KEPT 0.5         // of the impulses of the last substep
#define IMPACT_SWEEPS 10 // of the velocities in a substep with an impact: corners of a box share it
#define PARALLEL 0.1     // sine of the angle between axes of capsules that do not cross

// ---- where they touch -----------------------------------------------------------------------------------------------

static Vec3 pointOnA(const RigidContact *c)
{
    return vecSub(rigidPoint(c->a, c->localA), vecScale(c->radiusA, c->normal));
}

static Vec3 pointOnB(const RigidContact *c)
{
    return vecAdd(rigidPoint(c->b, c->localB), vecScale(c->radiusB, c->normal));
}

// capsules touch where their axes cross, seen along the normal
static Vec3 crossing(const RigidContact *c, Vec3 onA, Vec3 onB)
{
    Vec3 axisA = quatRotate(c->a->rotation, c->axisA), axisB = quatRotate(c->b->rotation, c->axisB);
    double turn = vecDot(vecCross(axisA, axisB), c->normal);
    if (!(fabs(turn) > PARALLEL))
        return vecScale(0.5, vecAdd(onA, onB));
    double way = vecDot(vecCross(vecSub(onB, onA), axisB), c->normal) / turn;
    return vecAdd(onA, vecScale(way, axisA));
}

// Where both feel the impulse: one point, so that angular momentum is kept. It goes along with what is round: a roller
// whose load lags behind by half its way in a step is driven by it.
static Vec3 pointOf(const RigidContact *c)
{
    Vec3 onA = pointOnA(c), onB = pointOnB(c);
    if (c->radiusA > 0 && c->radiusB > 0)
        return crossing(c, onA, onB);
    if (c->radiusA > 0 || (c->radiusB == 0 && !(c->b->inverseMass > 0)))
        return onA;
    return c->radiusB > 0 || !(c->a->inverseMass > 0) ? onB : vecScale(0.5, vecAdd(onA, onB));
}

// where it acts, and what a unit along the normal does there, for the poses of now
static void placeContact(RigidContact *c)
{
    Vec3 point = pointOf(c);
    c->armA = vecSub(point, c->a->position);
    c->armB = vecSub(point, c->b->position);
    c->crossA = vecCross(c->armA, c->normal);
    c->crossB = vecCross(c->armB, c->normal);
    c->turnA = matApply(&c->a->inverseTensor, c->crossA);
    c->turnB = matApply(&c->b->inverseTensor, c->crossB);
    c->ease = c->a->inverseMass + c->b->inverseMass + vecDot(c->crossA, c->turnA) + vecDot(c->crossB, c->turnB);
}

// 1/kg, in a unit direction
static double easeAlong(const RigidContact *c, Vec3 direction)
{
    Vec3 crossA = vecCross(c->armA, direction), crossB = vecCross(c->armB, direction);
    return c->a->inverseMass + c->b->inverseMass + vecDot(crossA, matApply(&c->a->inverseTensor, crossA)) +
           vecDot(crossB, matApply(&c->b->inverseTensor, crossB));
}

static Vec3 acrossNormal(const RigidContact *c, Vec3 v)
{
    return vecSub(v, vecScale(vecDot(v, c->normal), c->normal));
}

static Vec3 relativeVelocity(const RigidContact *c)
{
    Vec3 ofA = vecAdd(c->a->velocity, vecCross(c->a->spin, c->armA));
    Vec3 ofB = vecAdd(c->b->velocity, vecCross(c->b->spin, c->armB));
    return vecSub(ofA, vecAdd(ofB, c->belt));
}

// `wanted`, shortened to `most`
static Vec3 within(Vec3 wanted, double most)
{
    double length = vecLength(wanted);
    return length > most ? vecScale(most / length, wanted) : wanted;
}

void rigidContactsBegin(RigidSystem *system, double h)
{
    double slowest = REBOUND * vecLength(system->gravity) * h;
    for (int i = 0; i < system->contactCount; ++i)
    {
        RigidContact *c = &system->contact[i];
        // an impact is over
        Vec3 kept = c->hits ? vec3(0, 0, 0) : vecScale(KEPT * h, c->whole), point = pointOf(c);
        c->armA = vecSub(point, c->a->position);
        c->armB = vecSub(point, c->b->position);
        c->before = relativeVelocity(c);
        c->hits = vecDot(c->before, c->normal) < -slowest;
        c->lambda = maxReal(vecDot(kept, c->normal), 0);
        c->slide = within(acrossNormal(c, kept), c->friction * c->lambda);
        c->push = 0;
        c->drag = c->whole = vec3(0, 0, 0);
    }
}

// ---- positions ------------------------------------------------------------------------------------------------------

// m: what the matter at a point has moved by since the substep began
static Vec3 moved(const RigidBody *body, Vec3 point)
{
    return vecSub(point, rigidStartPoint(body, rigidLocal(body, point)));
}

// m: the sliding of the substep, and what is left from those before
static Vec3 slipOf(const RigidContact *c, Vec3 point, double h)
{
    Vec3 way = vecSub(moved(c->a, point), vecAdd(moved(c->b, point), vecScale(h, c->belt)));
    return acrossNormal(c, vecAdd(way, c->slip));
}

// any impulse, kg m, on the displacements
static void shiftPair(const RigidContact *c, Vec3 impulse)
{
    RigidBody *a = c->a, *b = c->b;
    a->shift = vecAdd(a->shift, vecScale(a->inverseMass, impulse));
    a->twirl = vecAdd(a->twirl, matApply(&a->inverseTensor, vecCross(c->armA, impulse)));
    b->shift = vecSub(b->shift, vecScale(b->inverseMass, impulse));
    b->twirl = vecSub(b->twirl, matApply(&b->inverseTensor, vecCross(c->armB, impulse)));
}

static void beginPush(RigidContact *c, double h, double recovered)
{
    placeContact(c);
    Vec3 point = vecAdd(c->a->position, c->armA), apart = vecSub(pointOnA(c), pointOnB(c));
    c->gap = vecDot(apart, c->normal) + maxReal(c->depth - recovered, 0);
    c->ahead = c->friction > 0 ? slipOf(c, point, h) : vec3(0, 0, 0);
    if (c->lambda > 0)
        shiftPair(c, vecAdd(vecScale(c->lambda, c->normal), c->slide));
}

static void pushNormal(RigidContact *c)
{
    RigidBody *a = c->a, *b = c->b;
    double gap = c->gap + vecDot(c->normal, vecSub(a->shift, b->shift)) + vecDot(c->crossA, a->twirl) -
                 vecDot(c->crossB, b->twirl);
    double next = maxReal(c->lambda - gap / c->ease, 0), step = next - c->lambda;
    if (step == 0)
        return;
    a->shift = vecAdd(a->shift, vecScale(step * a->inverseMass, c->normal));
    a->twirl = vecAdd(a->twirl, vecScale(step, c->turnA));
    b->shift = vecSub(b->shift, vecScale(step * b->inverseMass, c->normal));
    b->twirl = vecSub(b->twirl, vecScale(step, c->turnB));
    c->lambda = next;
}

static Vec3 slipNow(const RigidContact *c)
{
    Vec3 ofA = vecAdd(c->a->shift, vecCross(c->a->twirl, c->armA));
    Vec3 ofB = vecAdd(c->b->shift, vecCross(c->b->twirl, c->armB));
    return vecAdd(c->ahead, acrossNormal(c, vecSub(ofA, ofB)));
}

static void pushFriction(RigidContact *c)
{
    Vec3 slip = slipNow(c), wanted = c->slide;
    double length = vecLength(slip);
    if (length > 0)
        wanted = vecSub(wanted, vecScale(1 / easeAlong(c, vecScale(1 / length, slip)), slip));
    Vec3 next = within(wanted, c->friction * c->lambda);
    shiftPair(c, vecSub(next, c->slide));
    c->slide = next;
}

// Sums of impulses and moments; the couples take up what orbital momentum lacks, as rigidPushPair says.
static void endPush(const RigidContact *c)
{
    RigidBody *a = c->a, *b = c->b;
    Vec3 impulse = vecAdd(vecScale(c->lambda, c->normal), c->slide);
    Vec3 apart = vecSub(vecSub(b->position, b->startPosition), vecSub(a->position, a->startPosition));
    Vec3 excess = vecScale(a->inverseMass > 0 && b->inverseMass > 0 ? 0.5 : 0, vecCross(apart, impulse));
    a->impulse = vecAdd(a->impulse, impulse);
    b->impulse = vecSub(b->impulse, impulse);
    a->couple = vecAdd(a->couple, vecSub(vecCross(c->armA, impulse), excess));
    b->couple = vecSub(b->couple, vecAdd(vecCross(c->armB, impulse), excess));
}

// no more than friction could take back; poses are those of the end, and so is a slip that rolling friction changed
static void keepSlip(RigidContact *c, double h)
{
    if (!(c->lambda > 0))
    {
        c->slip = vec3(0, 0, 0);
        return;
    }
    Vec3 slip = c->rolling > 0 ? slipOf(c, vecAdd(c->a->position, c->armA), h) : slipNow(c);
    double length = vecLength(slip);
    if (length > 0)
        slip = within(slip, c->friction * c->lambda * easeAlong(c, vecScale(1 / length, slip)));
    c->slip = slip;
}

static void sweepPush(RigidContact *contact, int count)
{
    for (int i = 0; i < count; ++i)
        pushNormal(&contact[i]);
    for (int i = count - 1; i >= 0; --i)
        pushNormal(&contact[i]);
    for (int i = 0; i < count; ++i)
    {
        if (contact[i].lambda > 0 || vecDot(contact[i].slide, contact[i].slide) > 0)
            pushFriction(&contact[i]);
    }
}

void rigidContactsPush(RigidSystem *system, double h, double recovered)
{
    RigidContact *contact = system->contact;
    int count = system->contactCount;
    for (int i = 0; i < system->bodyCount + system->sceneryCount; ++i)
        system->body[i]->shift = system->body[i]->twirl = vec3(0, 0, 0);
    for (int i = 0; i < count; ++i)
        beginPush(&contact[i], h, recovered);
    sweepPush(contact, count);
    for (int i = 0; i < count; ++i)
    {
        if (contact[i].lambda > 0)
            endPush(&contact[i]);
        if (contact[i].friction > 0 && contact[i].rolling == 0)
            keepSlip(&contact[i], h);
    }
    for (int i = 0; i < system->bodyCount; ++i)
    {
        RigidBody *body = system->body[i];
        if (!(body->inverseMass > 0) || vecDot(body->impulse, body->impulse) + vecDot(body->couple, body->couple) == 0)
            continue;
        body->position = vecAdd(body->position, body->shift);
        body->rotation = quatTurned(body->rotation, body->twirl);
    }
    for (int i = 0; i < count; ++i)
    {
        if (contact[i].rolling > 0)
            rigidRollingPush(&contact[i]);
        if (contact[i].friction > 0 && contact[i].rolling > 0)
            keepSlip(&contact[i], h);
    }
}

// ---- velocities -----------------------------------------------------------------------------------------------------

static void impulsePair(const RigidContact *c, Vec3 impulse)
{
    rigidImpulse(c->a, vecAdd(c->a->position, c->armA), impulse);
    rigidImpulse(c->b, vecAdd(c->b->position, c->armB), vecScale(-1, impulse));
}

static void settleNormal(RigidContact *c, double h)
{
    double speed = vecDot(relativeVelocity(c), c->normal);
    double target = c->hits ? -c->restitution * vecDot(c->before, c->normal) : 0;
    double next = maxReal(c->push + (target - speed) / c->ease, -c->lambda / h);
    impulsePair(c, vecScale(next - c->push, c->normal));
    c->push = next;
}

static void settleFriction(RigidContact *c, double h)
{
    Vec3 velocity = acrossNormal(c, relativeVelocity(c)), had = vecScale(1 / h, c->slide), wanted = had;
    double sliding = vecLength(velocity);
    if (sliding > 0)
        wanted = vecSub(had, vecScale(1 / easeAlong(c, vecScale(1 / sliding, velocity)), velocity));
    c->drag = vecSub(within(wanted, c->friction * (c->lambda / h + c->push)), had);
    impulsePair(c, c->drag);
}

static bool isStruck(const RigidContact *c)
{
    return (c->a->struck && c->a->inverseMass > 0) || (c->b->struck && c->b->inverseMass > 0);
}

void rigidContactsSettle(RigidSystem *system, double h)
{
    RigidContact *contact = system->contact;
    int count = system->contactCount, sweeps = 1;
    for (int i = 0; i < system->bodyCount; ++i)
        system->body[i]->struck = false;
    for (int i = 0; i < count; ++i)
    {
        RigidContact *c = &contact[i];
        if (!(c->lambda > 0))
            continue;
        placeContact(c);
        settleNormal(c, h);
        if (!c->hits)
            continue;
        c->a->struck = c->b->struck = true;
        sweeps = IMPACT_SWEEPS;
    }
    for (int sweep = 1; sweep < sweeps; ++sweep)
    {
        for (int i = 0; i < count; ++i)
        {
            if (contact[i].lambda > 0 && isStruck(&contact[i]))
                settleNormal(&contact[i], h);
        }
    }
    for (int i = 0; i < count; ++i)
    {
        RigidContact *c = &contact[i];
        if (!(c->lambda > 0))
            continue;
        if (c->friction > 0)
            settleFriction(c, h);
        if (c->rolling > 0)
            rigidRollingSettle(c, h);
        Vec3 friction = vecAdd(vecScale(1 / h, c->slide), c->drag);
        c->whole = vecAdd(vecScale(c->lambda / h + c->push, c->normal), friction);
        c->impulse = vecAdd(c->impulse, c->whole);
    }
}

// ---- books ----------------------------------------------------------------------------------------------------------

// An impulse times the mean of the velocities before and after is the change of kinetic energy: what the bodies lose
// against each other by friction and by impacts is dissipated, what scenery gives is added.
static void book(const RigidContact *c)
{
    Vec3 mean = vecScale(0.5, vecAdd(c->before, relativeVelocity(c)));
    double lost = -vecDot(c->whole, c->hits ? mean : acrossNormal(c, mean));
    bool both = c->a->inverseMass > 0 && c->b->inverseMass > 0;
    RigidBody *first = c->a->inverseMass > 0 ? c->a : c->b, *other = first == c->a ? c->b : c->a;
    Vec3 point = vecAdd(c->a->position, c->armA);
    first->dissipated += both ? 0.5 * lost : lost;
    if (both)
        other->dissipated += 0.5 * lost;
    else if (other == c->b)
        first->added += vecDot(c->whole, vecAdd(rigidPointVelocity(other, point), c->belt));
    else
        first->added -= vecDot(c->whole, rigidPointVelocity(other, point));
}

void rigidContactsBook(RigidSystem *system)
{
    for (int i = 0; i < system->contactCount; ++i)
    {
        if (system->contact[i].lambda > 0)
            book(&system->contact[i]);
    }
}
