// Contact of rigid bodies in a substep. Positions: the gap along the normal is closed to no less than 0, then friction
// takes back the sliding within Coulomb's cone (Macklin et al. 2019, section 4.3, with both signs). Velocities: a sweep
// of impulses that continues from those of the positions; the sums stay within the same cone, so that a contact never
// pulls. Sliding then loses what Coulomb says in both halves of the substep, and a resting body has no velocity.
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

static double inverseMassOf(const RigidContact *c, Vec3 point, Vec3 direction)
{
    return rigidInverseMass(c->a, point, direction) + rigidInverseMass(c->b, point, direction);
}

static Vec3 acrossNormal(const RigidContact *c, Vec3 v)
{
    return vecSub(v, vecScale(vecDot(v, c->normal), c->normal));
}

static Vec3 relativeVelocity(const RigidContact *c, Vec3 point)
{
    return vecSub(rigidPointVelocity(c->a, point), vecAdd(rigidPointVelocity(c->b, point), c->belt));
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
        Vec3 kept = c->hits ? vec3(0, 0, 0) : vecScale(KEPT * h, c->whole);
        c->before = relativeVelocity(c, pointOf(c));
        c->hits = vecDot(c->before, c->normal) < -slowest;
        c->lambda = maxReal(vecDot(kept, c->normal), 0);
        c->slide = within(acrossNormal(c, kept), c->friction * c->lambda);
        c->push = 0;
        c->drag = c->whole = vec3(0, 0, 0);
    }
}

// ---- positions ------------------------------------------------------------------------------------------------------

static void pushKept(const RigidContact *c)
{
    if (!(c->lambda > 0))
        return;
    Vec3 point = pointOf(c);
    rigidPushPair(c->a, point, c->b, point, vecAdd(vecScale(c->lambda, c->normal), c->slide));
}

static void pushNormal(RigidContact *c, double recovered)
{
    Vec3 apart = vecSub(pointOnA(c), pointOnB(c));
    double gap = vecDot(apart, c->normal) + maxReal(c->depth - recovered, 0);
    if (gap >= 0 && c->lambda == 0)
        return;
    Vec3 point = pointOf(c);
    double next = maxReal(c->lambda - gap / inverseMassOf(c, point, c->normal), 0);
    rigidPushPair(c->a, point, c->b, point, vecScale(next - c->lambda, c->normal));
    c->lambda = next;
}

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

static void pushFriction(RigidContact *c, double h)
{
    Vec3 point = pointOf(c), slip = slipOf(c, point, h), wanted = acrossNormal(c, c->slide);
    double length = vecLength(slip);
    if (length > 0)
        wanted = vecSub(wanted, vecScale(1 / inverseMassOf(c, point, vecScale(1 / length, slip)), slip));
    Vec3 next = within(wanted, c->friction * c->lambda);
    rigidPushPair(c->a, point, c->b, point, vecSub(next, c->slide));
    c->slide = next;
}

// no more than friction could take back
static void keepSlip(RigidContact *c, double h)
{
    Vec3 point = pointOf(c), slip = slipOf(c, point, h);
    double length = vecLength(slip);
    if (length > 0 && c->lambda > 0)
        slip = within(slip, c->friction * c->lambda * inverseMassOf(c, point, vecScale(1 / length, slip)));
    c->slip = c->lambda > 0 ? slip : vec3(0, 0, 0);
}

void rigidContactsPush(RigidSystem *system, double h, double recovered)
{
    RigidContact *contact = system->contact;
    int count = system->contactCount;
    for (int i = 0; i < count; ++i)
        pushKept(&contact[i]);
    for (int i = 0; i < count; ++i)
        pushNormal(&contact[i], recovered);
    for (int i = count - 1; i >= 0; --i)
        pushNormal(&contact[i], recovered);
    for (int i = 0; i < count; ++i)
    {
        if (contact[i].lambda > 0 || vecDot(contact[i].slide, contact[i].slide) > 0)
            pushFriction(&contact[i], h);
    }
    for (int i = 0; i < count; ++i)
    {
        if (contact[i].rolling > 0)
            rigidRollingPush(&contact[i]);
    }
    for (int i = 0; i < count; ++i)
        keepSlip(&contact[i], h);
}

// ---- velocities -----------------------------------------------------------------------------------------------------

static void impulsePair(const RigidContact *c, Vec3 point, Vec3 impulse)
{
    rigidImpulse(c->a, point, impulse);
    rigidImpulse(c->b, point, vecScale(-1, impulse));
}

static void settleNormal(RigidContact *c, double h)
{
    Vec3 point = pointOf(c);
    double speed = vecDot(relativeVelocity(c, point), c->normal);
    double target = c->hits ? -c->restitution * vecDot(c->before, c->normal) : 0;
    double next = maxReal(c->push + (target - speed) / inverseMassOf(c, point, c->normal), -c->lambda / h);
    impulsePair(c, point, vecScale(next - c->push, c->normal));
    c->push = next;
}

static void settleFriction(RigidContact *c, double h)
{
    Vec3 point = pointOf(c), velocity = acrossNormal(c, relativeVelocity(c, point));
    Vec3 had = vecScale(1 / h, c->slide), wanted = had;
    double sliding = vecLength(velocity);
    if (sliding > 0)
        wanted = vecSub(had, vecScale(1 / inverseMassOf(c, point, vecScale(1 / sliding, velocity)), velocity));
    c->drag = vecSub(within(wanted, c->friction * (c->lambda / h + c->push)), had);
    impulsePair(c, point, c->drag);
}

void rigidContactsSettle(RigidSystem *system, double h)
{
    RigidContact *contact = system->contact;
    int count = system->contactCount, sweeps = 1;
    for (int i = 0; i < count; ++i)
        sweeps = contact[i].lambda > 0 && contact[i].hits ? IMPACT_SWEEPS : sweeps;
    for (int sweep = 0; sweep < sweeps; ++sweep)
    {
        for (int i = 0; i < count; ++i)
        {
            if (contact[i].lambda > 0)
                settleNormal(&contact[i], h);
        }
    }
    for (int i = 0; i < count; ++i)
    {
        RigidContact *c = &contact[i];
        if (!(c->lambda > 0))
            continue;
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
    Vec3 point = pointOf(c), mean = vecScale(0.5, vecAdd(c->before, relativeVelocity(c, point)));
    double lost = -vecDot(c->whole, c->hits ? mean : acrossNormal(c, mean));
    bool both = c->a->inverseMass > 0 && c->b->inverseMass > 0;
    RigidBody *first = c->a->inverseMass > 0 ? c->a : c->b, *other = first == c->a ? c->b : c->a;
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
