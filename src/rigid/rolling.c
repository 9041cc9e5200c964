// Rolling friction: round bodies roll against a couple of at most the coefficient times radius times normal impulse, as
// all real ones do. Like friction it takes back the turn of the substep and what is left from those before, then that
// of the velocities, within a bound for both.
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

// m: the arm of the normal impulse
static double armOf(const RigidContact *c)
{
    return c->rolling * maxReal(c->radiusA, c->radiusB);
}

// rad, since the substep began, to first order
static Vec3 turned(const RigidBody *body)
{
    vvQuat turn = quatMultiply(body->rotation, quatConjugate(body->startRotation));
    return vecScale(turn.w < 0 ? -2 : 2, vec3(turn.x, turn.y, turn.z));
}

static Vec3 turnOf(const RigidContact *c)
{
    return across(c, vecAdd(vecSub(turned(c->a), turned(c->b)), c->turn));
}

static double easeOf(const RigidContact *c, Vec3 axis)
{
    return rigidInverseInertia(c->a, axis) + rigidInverseInertia(c->b, axis);
}

void rigidRollingPush(RigidContact *c)
{
    Vec3 turn = turnOf(c);
    double angle = vecLength(turn), most = armOf(c) * c->lambda;
    c->twist = vec3(0, 0, 0);
    if (angle > 0)
    {
        c->twist = within(vecScale(-1 / easeOf(c, vecScale(1 / angle, turn)), turn), most);
        rigidTwistPair(c->a, c->b, c->twist);
    }
    // what is left, but no more than it could take back
    turn = turnOf(c);
    angle = vecLength(turn);
    c->turn = angle > 0 ? within(turn, most * easeOf(c, vecScale(1 / angle, turn))) : turn;
}

void rigidRollingSettle(RigidContact *c, double h)
{
    Vec3 spin = across(c, vecSub(c->a->spin, c->b->spin)), had = vecScale(1 / h, c->twist);
    double speed = vecLength(spin);
    if (!(speed > 0))
        return;
    Vec3 wanted = vecSub(had, vecScale(1 / easeOf(c, vecScale(1 / speed, spin)), spin));
    Vec3 couple = vecSub(within(wanted, armOf(c) * (c->lambda / h + c->push)), had);
    rigidAngularImpulse(c->a, couple);
    rigidAngularImpulse(c->b, vecScale(-1, couple));
    // work of the whole couple over the mean of the spins before and after
    Vec3 mean = vecScale(0.5, vecAdd(spin, across(c, vecSub(c->a->spin, c->b->spin))));
    double lost = -vecDot(vecAdd(had, couple), mean);
    RigidBody *first = c->a->inverseMass > 0 ? c->a : c->b;
    first->dissipated += maxReal(lost, 0);
}
