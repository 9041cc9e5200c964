// Rolling friction: round bodies roll against a couple of at most the coefficient times radius times normal impulse, as
// all real ones do. Like friction it takes back the turn of the substep and what is left from those before, then that
// of the velocities, in the same sweeps.
#include "rigid/system.h"

static Vec3 across(const RigidContact *c, Vec3 v)
{
    return vecSub(v, vecScale(vecDot(v, c->normal), c->normal));
}

static Vec3 within(Vec3 wanted, double most)
{
    double length = vecLength(wanted);
    return length > most ? vecScale(most / length, wanted) : wanted;
}

static double armOf(const RigidContact *c) // m: of the normal impulse
{
    return c->rolling * maxReal(c->radiusA, c->radiusB);
}

// rad, since the substep began, to first order
static Vec3 turned(const RigidBody *body)
{
    vvQuat turn = quatMultiply(body->rotation, quatConjugate(body->startRotation));
    return vecScale(turn.w < 0 ? -2 : 2, vec3(turn.x, turn.y, turn.z));
}

static Vec3 twirlOf(const RigidContact *c, RigidTurns t) // rad or rad/s, of a against b
{
    return across(c, vecSub(vecLoad(t.a + MOTION_TWIRL), vecLoad(t.b + MOTION_TWIRL)));
}

// rad or rad/s by a unit couple along v
static double easeOf(const RigidContact *c, Vec3 v, double length)
{
    Vec3 axis = vecScale(1 / length, v);
    return rigidInverseInertia(c->a, axis) + rigidInverseInertia(c->b, axis);
}

static void addTo(double *motion, int at, Vec3 v)
{
    vecStore(motion + at, vecAdd(vecLoad(motion + at), v));
}

static void twirlPair(const RigidContact *c, RigidTurns t, Vec3 couple)
{
    addTo(t.a, MOTION_TWIRL, matApply(&c->a->inverseTensor, couple));
    addTo(t.b, MOTION_TWIRL, vecScale(-1, matApply(&c->b->inverseTensor, couple)));
}

// what stops the turn beside what acts already, within a bound
static Vec3 stopping(const RigidContact *c, Vec3 had, Vec3 turn, double most)
{
    double length = vecLength(turn);
    if (length > 0)
        had = vecSub(had, vecScale(1 / easeOf(c, turn, length), turn));
    return within(had, most);
}

// ---- positions ------------------------------------------------------------------------------------------------------

void rigidRollingBegin(RigidContact *c, RigidTurns t, double h)
{
    if (c->rolling == 0)
        return;
    c->turning = across(c, vecAdd(vecSub(turned(c->a), turned(c->b)), c->turn));
    c->twist = within(vecScale(0.5 * h, c->couple), armOf(c) * t.lambda);
    twirlPair(c, t, c->twist);
}

void rigidRollingPush(RigidContact *c, RigidTurns t)
{
    Vec3 next = stopping(c, c->twist, vecAdd(c->turning, twirlOf(c, t)), armOf(c) * t.lambda);
    twirlPair(c, t, vecSub(next, c->twist));
    c->twist = next;
}

void rigidRollingKeep(RigidContact *c, RigidTurns t)
{
    Vec3 turn = vecAdd(c->turning, twirlOf(c, t));
    double angle = vecLength(turn);
    c->turn = angle > 0 ? within(turn, armOf(c) * t.lambda * easeOf(c, turn, angle)) : turn;
}

// ---- velocities -----------------------------------------------------------------------------------------------------

void rigidRollingStart(RigidContact *c, RigidTurns t)
{
    double *first = c->a->inverseMass > 0 ? t.a : t.b;
    c->base = twirlOf(c, t);
    c->couple = within(c->couple, armOf(c) * t.push);
    addTo(t.a, MOTION_STARTED, c->couple);
    addTo(t.b, MOTION_STARTED, vecScale(-1, c->couple));
    first[MOTION_START + 3] += vecDot(c->couple, c->base);
}

void rigidRollingShare(RigidContact *c, RigidTurns t)
{
    c->couple = vecScale((c->a->inverseMass > 0 ? t.a : t.b)[MOTION_STARTED + 3], c->couple);
}

void rigidRollingSettle(RigidContact *c, RigidTurns t)
{
    Vec3 next = stopping(c, c->couple, twirlOf(c, t), armOf(c) * t.push);
    twirlPair(c, t, vecSub(next, c->couple));
    c->couple = next;
}

// The sums, and the work: that of the couple over the mean of the spins without and with it, and what torques give back
// along the displacement.
void rigidRollingEnd(RigidContact *c, RigidTurns t)
{
    RigidBody *first = c->a->inverseMass > 0 ? c->a : c->b;
    Vec3 pulled = vecSub(vecLoad(t.a + MOTION_PULLED), vecLoad(t.b + MOTION_PULLED));
    addTo(t.a, MOTION_COUPLE, c->couple);
    addTo(t.b, MOTION_COUPLE, vecScale(-1, c->couple));
    first->dissipated += vecDot(c->twist, pulled) - 0.5 * vecDot(c->couple, vecAdd(c->base, twirlOf(c, t)));
}
