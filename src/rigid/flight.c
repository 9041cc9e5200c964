// Free flight. The rotation follows the midpoint rule of Euler's equations: with P the angular momentum in the body's
// frame, J the inverse inertia and m = (P_n + P_n+1) / 2,
//     P_n+1 - P_n = k m x J m.
// Its product with m is 0, so |P| is kept; its product with J m is 0, so the energy P . J P / 2 is kept; and the same
// P_n+1 is P_n seen from a frame turned by Cayley's map of k J m, so that the rotation with that increment keeps the
// angular momentum in the world. All three hold for any k. k = h is the plain rule; k = tan(h w / 2) / (w / 2), with
// w = |J m|, turns a steady rotation by exactly h w.
#include "rigid/rigid.h"

#define NEWTON_LIMIT 12
#define CONVERGED 4e-16  // of the angular momentum
#define SMALL_TURN 0.05  // rad
#define LARGEST_TURN 2.0 // rad, in a substep, up to which k follows the tangent

static Vec3 scaled(Vec3 diagonal, Vec3 v)
{
    return vec3(diagonal.x * v.x, diagonal.y * v.y, diagonal.z * v.z);
}

// s: the k above for a spin of this size
static double turnScale(double speed, double h)
{
    double angle = minReal(h * speed, LARGEST_TURN);
    if (angle < SMALL_TURN) // the series of tan(x) / x, to rounding
    {
        double s = 0.25 * angle * angle;
        return h * (1 + s * (1 / 3.0 + s * (2 / 15.0 + s * (17 / 315.0 + s * 62 / 2835.0))));
    }
    double sine, cosine;
    sineCosine(0.5 * angle, &sine, &cosine);
    return h * sine / (cosine * 0.5 * angle);
}

// m above, by Newton's iteration. A spin too fast for it (more than about 1 rad in a substep) keeps the last iterate:
// the angular momentum in the world is kept for any.
static Vec3 middleMomentum(Vec3 inverseInertia, Vec3 start, double h)
{
    Vec3 m = start;
    double smallest = CONVERGED * vecLength(start);
    for (int i = 0; i < NEWTON_LIMIT; ++i)
    {
        Vec3 spin = scaled(inverseInertia, m);
        double half = 0.5 * turnScale(vecLength(spin), h);
        Vec3 residual = vecSub(vecSub(m, start), vecScale(half, vecCross(m, spin)));
        Vec3 j = inverseInertia;
        Mat3 slope = { { { 1, -half * (spin.z - m.z * j.y), -half * (m.y * j.z - spin.y) },
                         { -half * (m.z * j.x - spin.z), 1, -half * (spin.x - m.x * j.z) },
                         { -half * (spin.y - m.y * j.x), -half * (m.x * j.y - spin.x), 1 } } };
        Mat3 inverse = matInverse(&slope);
        Vec3 step = matApply(&inverse, residual);
        Vec3 next = vecSub(m, step);
        if (!vecFinite(next))
            break;
        m = next;
        if (vecLength(step) <= smallest)
            break;
    }
    return m;
}

static void turn(RigidBody *body, double h)
{
    Vec3 spin; // in the body's frame
    if (body->inverseMass > 0)
    {
        Vec3 momentum = quatRotateBack(body->rotation, body->angularMomentum);
        spin = scaled(body->inverseInertia, middleMomentum(body->inverseInertia, momentum, h));
    }
    else
        spin = quatRotateBack(body->rotation, body->spin);
    Vec3 by = vecScale(0.5 * turnScale(vecLength(spin), h), spin);
    body->rotation = quatNormalized(quatMultiply(body->rotation, (vvQuat){ 1, by.x, by.y, by.z }));
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

// by the way of the substep: velocities within it are not those of a body that is held
static void bookReaction(RigidBody *body)
{
    Vec3 way = vecSub(body->position, body->startPosition);
    Vec3 middle = vecSub(vecAdd(body->startPosition, vecScale(0.5, way)), body->reactionPoint);
    Vec3 couple = vecSub(body->actingTorque, vecCross(middle, body->acting));
    vvQuat turn = quatMultiply(body->rotation, quatConjugate(body->startRotation));
    Vec3 angle = vecScale(turn.w != 0 ? 2 / turn.w : 0, vec3(turn.x, turn.y, turn.z));
    body->reactionWork += vecDot(body->acting, way) + vecDot(couple, angle);
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
