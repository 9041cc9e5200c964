// How frame B of a joint stands in frame A, and the directions in which that changes.
#include "rigid/joint.h"

#define STEADY 0.9       // cosine of the turn of a direction in a substep
#define CLOSING 1.0      // m/s, at which gaps of hard joints close
#define CLOSING_TURN 3.0 // rad/s

typedef struct Frames
{
    Vec3 anchorA, anchorB; // m
    vvQuat a, b;           // of the frames, in the world
    Vec3 axisA[3], axisB[3];
} Frames;

static Frames framesOf(const Joint *joint, Vec3 positionA, vvQuat rotationA, Vec3 positionB, vvQuat rotationB)
{
    Frames f;
    f.anchorA = vecAdd(positionA, quatRotate(rotationA, joint->anchorA));
    f.anchorB = vecAdd(positionB, quatRotate(rotationB, joint->anchorB));
    f.a = quatMultiply(rotationA, joint->frameA);
    f.b = quatMultiply(rotationB, joint->frameB);
    Mat3 a = quatMatrix(f.a), b = quatMatrix(f.b);
    for (int k = 0; k < 3; ++k)
    {
        f.axisA[k] = vec3(a.m[0][k], a.m[1][k], a.m[2][k]);
        f.axisB[k] = vec3(b.m[0][k], b.m[1][k], b.m[2][k]);
    }
    return f;
}

// the rotation of B in A, by the shorter way
static vvQuat relative(const Frames *f)
{
    vvQuat q = quatMultiply(quatConjugate(f->a), f->b);
    return q.w < 0 ? (vvQuat){ -q.w, -q.x, -q.y, -q.z } : q;
}

static Vec3 rotationVector(vvQuat q)
{
    Vec3 v = vec3(q.x, q.y, q.z);
    double sine = vecLength(v);
    double scale = sine > 1e-8 ? 2 * angleOf(sine, q.w) / sine : 2 / q.w;
    return vecScale(scale, v);
}

// rad in (-pi, pi], about x: of the rotation that is left when the lean of the axis is taken away
static double twistOf(vvQuat q)
{
    double angle = 2 * angleOf(q.x, q.w);
    return angle > PI ? angle - 2 * PI : angle <= -PI ? angle + 2 * PI : angle;
}

static void anglesOf(const Joint *joint, const Frames *f, double *angle)
{
    vvQuat q = relative(f);
    if (joint->angles == ANGLES_VECTOR)
        vecStore(angle, rotationVector(q));
    else if (joint->angles == ANGLES_HINGE || joint->angles == ANGLES_CONE)
    {
        double twist = twistOf(q);
        double before = joint->axis[3].now; // the turn next to the last one known
        angle[0] = twist + 2 * PI * floor((before - twist) / (2 * PI) + 0.5);
        if (joint->angles == ANGLES_HINGE)
        {
            angle[1] = -vecDot(f->axisB[0], f->axisA[2]);
            angle[2] = vecDot(f->axisB[0], f->axisA[1]);
        }
        else
            angle[1] = angleOf(vecLength(vecCross(f->axisA[0], f->axisB[0])), vecDot(f->axisA[0], f->axisB[0]));
    }
}

static double ropeLength(const Joint *joint, const Frames *f)
{
    return vecLength(vecSub(f->anchorA, joint->wheelA)) + joint->ratio * vecLength(vecSub(f->anchorB, joint->wheelB));
}

static void measuresOf(const Joint *joint, const Frames *f, double *measure)
{
    Vec3 gap = vecSub(f->anchorB, f->anchorA);
    for (int k = 0; k < 3; ++k)
    {
        measure[k] = joint->isDistance ? (k == 0 ? vecLength(gap) : 0) : vecDot(gap, f->axisA[k]);
        measure[3 + k] = 0;
    }
    if (joint->isPulley)
        measure[0] = ropeLength(joint, f);
    anglesOf(joint, f, measure + 3);
}

void jointMeasure(const Joint *joint, const RigidBody *a, const RigidBody *b, double *measure)
{
    Frames f = framesOf(joint, a->position, a->rotation, b->position, b->rotation);
    measuresOf(joint, &f, measure);
}

// ---- directions -----------------------------------------------------------------------------------------------------

// d(component k of the rotation vector) / d(turn of B against A), in frame A: the row of the inverse left Jacobian
static Vec3 vectorRow(Vec3 v, int k)
{
    Vec3 e = vec3(k == 0, k == 1, k == 2), once = vecCross(v, e), twice = vecCross(v, once);
    double angle = vecLength(v), sine, cosine, scale = 1.0 / 12;
    if (angle > 1e-3)
    {
        sineCosine(0.5 * angle, &sine, &cosine);
        scale = (1 - 0.5 * angle * cosine / sine) / (angle * angle);
    }
    return vecAdd(e, vecAdd(vecScale(0.5, once), vecScale(scale, twice)));
}

static Vec3 inWorld(const Frames *f, Vec3 v)
{
    return vecAdd(vecScale(v.x, f->axisA[0]), vecAdd(vecScale(v.y, f->axisA[1]), vecScale(v.z, f->axisA[2])));
}

static void angleDirections(Joint *joint, const Frames *f)
{
    if (joint->angles == ANGLES_VECTOR)
    {
        Vec3 v = rotationVector(relative(f));
        for (int k = 0; k < 3; ++k)
            joint->axis[3 + k].direction = inWorld(f, vectorRow(v, k));
        return;
    }
    if (joint->angles == ANGLES_NONE)
        return;
    // the twist: a turn about either axis counts
    Vec3 sum = vecAdd(f->axisA[0], f->axisB[0]);
    double square = 0.5 * vecDot(sum, sum); // 1 + cosine
    joint->axis[3].direction = square > 1e-6 ? vecScale(1 / square, sum) : vec3(0, 0, 0);
    if (joint->angles == ANGLES_HINGE)
    {
        joint->axis[4].direction = vecCross(f->axisA[2], f->axisB[0]);
        joint->axis[5].direction = vecCross(f->axisB[0], f->axisA[1]);
        return;
    }
    Vec3 lean = vecCross(f->axisA[0], f->axisB[0]);
    double sine = vecLength(lean);
    joint->axis[4].direction = sine > 1e-12 ? vecScale(1 / sine, lean) : vec3(0, 0, 0);
}

static void setDirections(Joint *joint, const Frames *f, Vec3 centreA, Vec3 centreB)
{
    Vec3 gap = vecSub(f->anchorB, f->anchorA);
    for (int k = 0; k < 3; ++k)
        joint->axis[k].direction = f->axisA[k];
    if (joint->isDistance && vecLength(gap) > 0)
        joint->axis[0].direction = vecScale(1 / vecLength(gap), gap);
    angleDirections(joint, f);
    // axes that turn with A: what pushes B at its anchor pushes A there too
    joint->armA = vecSub(f->anchorB, centreA);
    joint->armB = vecSub(f->anchorB, centreB);
    if (!joint->isPulley)
        return;
    // the rope pulls each body at its own anchor
    Vec3 sideA = vecSub(joint->wheelA, f->anchorA), sideB = vecSub(f->anchorB, joint->wheelB);
    double a = vecLength(sideA), b = vecLength(sideB);
    joint->directionA = a > 0 ? vecScale(1 / a, sideA) : vec3(0, 0, 0);
    joint->axis[0].direction = b > 0 ? vecScale(joint->ratio / b, sideB) : vec3(0, 0, 0);
    joint->armA = vecSub(f->anchorA, centreA);
}

void jointBegin(Joint *joint, const RigidBody *a, const RigidBody *b, double h)
{
    Frames f = framesOf(joint, a->startPosition, a->startRotation, b->startPosition, b->startRotation);
    double measure[JOINT_AXES];
    measuresOf(joint, &f, measure);
    for (int k = 0; k < JOINT_AXES; ++k)
    {
        JointAxis *axis = joint->axis + k;
        axis->start = axis->now = measure[k];
        axis->multiplier = axis->driven = 0;
        double most = (k < 3 ? CLOSING : CLOSING_TURN) * h;
        axis->closed = minReal(maxReal(axis->gap, -most), most);
        axis->gap -= axis->closed;
    }
    setDirections(joint, &f, a->startPosition, b->startPosition);
    jointMeasure(joint, a, b, measure);
    for (int k = 0; k < JOINT_AXES; ++k)
        joint->axis[k].predicted = measure[k];
}

// whether the body has turned since the start of the substep by more than an angle whose half has this sine
static bool hasTurned(const RigidBody *body, double sine)
{
    vvQuat q = quatMultiply(quatConjugate(body->startRotation), body->rotation);
    return q.x * q.x + q.y * q.y + q.z * q.z > sine * sine;
}

void jointFollow(Joint *joint, const RigidBody *a, const RigidBody *b, double turn)
{
    for (int k = 0; k < JOINT_AXES; ++k) // a gap that closes on bodies that whirl
        turn = joint->axis[k].closed != 0 ? minReal(turn, JOINT_FOLLOW) : turn;
    if (!hasTurned(a, turn) && !hasTurned(b, turn))
        return;
    Frames f = framesOf(joint, a->position, a->rotation, b->position, b->rotation);
    setDirections(joint, &f, a->position, b->position);
}

// two directions of any length
static bool isAlong(Vec3 u, Vec3 v)
{
    double length = vecLength(u) * vecLength(v);
    return length > 0 && vecDot(u, v) > STEADY * length;
}

bool jointIsSteady(const Joint *joint, const RigidBody *a, const RigidBody *b, int *axis)
{
    Frames f = framesOf(joint, a->position, a->rotation, b->position, b->rotation);
    *axis = joint->angles == ANGLES_CONE ? 4 : 0;
    if (joint->angles == ANGLES_CONE)
        return isAlong(joint->axis[4].direction, vecCross(f.axisA[0], f.axisB[0]));
    if (joint->isPulley)
        return isAlong(joint->axis[0].direction, vecSub(f.anchorB, joint->wheelB)) &&
               isAlong(joint->directionA, vecSub(joint->wheelA, f.anchorA));
    return !joint->isDistance || isAlong(joint->axis[0].direction, vecSub(f.anchorB, f.anchorA));
}
