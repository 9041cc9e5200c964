// Free flight in a substep: gravity and forces in two halves, the rotation by base/flight.c.
#include "rigid/rigid.h"

static Vec3 scaled(Vec3 diagonal, Vec3 v)
{
    return vec3(diagonal.x * v.x, diagonal.y * v.y, diagonal.z * v.z);
}

static void turn(RigidBody *body, double h)
{
    body->rotation = body->inverseMass > 0 ? quatFlown(body->rotation, body->inverseInertia, body->angularMomentum, h)
                                           : quatSpun(body->rotation, quatRotateBack(body->rotation, body->spin), h);
}

void rigidRefresh(RigidBody *body)
{
    if (!(body->inverseMass > 0))
        return;
    Mat3 r = quatMatrix(body->rotation);
    Vec3 j = body->inverseInertia;
    Mat3 half = r;
    for (int i = 0; i < 3; ++i)
    {
        half.m[i][0] *= j.x;
        half.m[i][1] *= j.y;
        half.m[i][2] *= j.z;
    }
    body->inverseTensor = matMultiplyTransposed(&half, &r);
    rigidRespin(body);
}

void rigidRespin(RigidBody *body)
{
    if (body->inverseMass > 0)
        body->spin = matApply(&body->inverseTensor, body->angularMomentum);
}

void rigidSetSpin(RigidBody *body, Vec3 spin)
{
    body->spin = spin;
    if (body->inverseMass > 0)
    {
        Vec3 local = quatRotateBack(body->rotation, spin);
        body->angularMomentum = quatRotate(body->rotation, scaled(body->inertia, local));
    }
    rigidRefresh(body);
}

double rigidKinetic(const RigidBody *body)
{
    if (!(body->inverseMass > 0))
        return 0;
    return 0.5 * (body->mass * vecDot(body->velocity, body->velocity) + vecDot(body->angularMomentum, body->spin));
}

// half a substep of what acts from outside
static void kick(RigidBody *body, Vec3 gravity, double h)
{
    if (!(body->inverseMass > 0))
        return;
    Vec3 couple = vecSub(body->actingTorque, vecCross(vecSub(body->position, body->reactionPoint), body->acting));
    Vec3 force = vecAdd(body->force, body->acting), torque = vecAdd(body->torque, couple);
    body->pull = vecAdd(gravity, vecScale(body->inverseMass, force));
    body->pulled = matApply(&body->inverseTensor, torque);
    Vec3 momentum = vecAdd(body->angularMomentum, vecScale(0.5 * h, torque));
    // twice the mean of the spin, before and after
    Vec3 turning = matApply(&body->inverseTensor, vecAdd(body->angularMomentum, momentum));
    body->added += 0.25 * h * vecDot(body->torque, turning);
    body->velocity = vecAdd(body->velocity, vecScale(0.5 * h, body->pull));
    body->angularMomentum = momentum;
}

void rigidPredict(RigidBody *body, Vec3 gravity, double h)
{
    body->startPosition = body->position;
    body->startRotation = body->rotation;
    body->impulse = body->couple = vec3(0, 0, 0);
    kick(body, gravity, h);
    body->position = vecAdd(body->position, vecScale(h, body->velocity));
    turn(body, h);
    rigidRefresh(body);
}

void rigidTakeOver(RigidBody *body, Vec3 gravity)
{
    const Movable *end = body->carried;
    Vec3 way = vecSub(end->at, body->position);
    double before = rigidKinetic(body), work = vecDot(body->force, way) + end->added;
    body->position = end->at;
    body->rotation = end->turned;
    body->velocity = end->rate;
    body->angularMomentum = end->momentum;
    rigidRefresh(body);
    body->added += work;
    body->reactionWork = rigidKinetic(body) - before - body->mass * vecDot(gravity, way) - work;
}

// by the way of the substep: velocities within it are not those of a body that is held
static void bookReaction(RigidBody *body)
{
    Vec3 way = vecSub(body->position, body->startPosition);
    Vec3 middle = vecSub(vecAdd(body->startPosition, vecScale(0.5, way)), body->reactionPoint);
    Vec3 couple = vecSub(body->actingTorque, vecCross(middle, body->acting));
    vvQuat turn = quatMultiply(body->rotation, quatConjugate(body->startRotation));
    Vec3 angle = vecScale(turn.w != 0 ? 2 / turn.w : 0, vec3(turn.x, turn.y, turn.z));
    Vec3 flowing = vecSub(body->flowTorque, vecCross(middle, body->flow));
    body->reactionWork += vecDot(body->acting, way) + vecDot(couple, angle);
    body->flowWork += vecDot(body->flow, way) + vecDot(flowing, angle);
}

void rigidAdopt(RigidBody *body, Vec3 gravity, double h)
{
    if (!(body->inverseMass > 0))
        return;
    body->velocity = vecAdd(body->velocity, vecScale(body->inverseMass / h, body->impulse));
    Vec3 before = body->angularMomentum, spin = body->spin;
    body->angularMomentum = vecAdd(before, vecScale(1 / h, body->couple));
    rigidRefresh(body); // the torque acts on the body as it is turned now
    // what displacements turned without a spin: the same angular momentum has another energy
    body->yielded -= 0.5 * vecDot(body->angularMomentum, vecSub(matApply(&body->inverseTensor, before), spin));
    kick(body, gravity, h);
    bookReaction(body);
    body->added += vecDot(body->force, vecSub(body->position, body->startPosition));
    body->spin = matApply(&body->inverseTensor, body->angularMomentum);
}
