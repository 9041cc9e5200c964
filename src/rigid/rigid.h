// The rigid room: bodies of six degrees of freedom, their contacts and joints, stepped by substeps of one sweep (Müller
// et al. 2020, "Detailed rigid body simulation with extended position based dynamics"; Macklin et al. 2019, section
// 6.5).
//
// A substep of h seconds, for all bodies of an island (step.c):
//   1. predict    velocity += h/2 gravity, angular momentum += h/2 torque; position += h velocity; the rotation by the
//                 midpoint rule of Euler's equations (flight.c), which keeps angular momentum and energy
//   2. joints     each once, in the order in which they were made: positional impulses (rigidPush, rigidTwist)
//   3. contacts   positions: the gaps that would close, and friction (contact.c). Contacts are found once a step with a
//                 speculative margin, and anew between substeps where bodies have moved too far for it (renew.c); their
//                 points are fixed in the bodies, the normal is fixed in the world, and each is an inequality that
//                 every substep decides anew
//   4. velocities velocity += (sum of positional impulses of joints) / (h mass), and the same for the angular momentum;
//                 then the second half of gravity and torque
//   5. impulses   of the contacts that pushed: no approach, friction within the cone, restitution
// Velocities follow from the impulses and not from differences of poses: positions are the same to first order, and a
// rotation loses nothing by it. Gravity acts in two halves, so that free flight is the exact parabola.
//
// Units of a positional impulse: kg m (a displacement of 1 m for 1 kg), of its angular counterpart kg m^2. Divided by h
// it is an impulse in N s, divided by h^2 a force in N.
#ifndef RIGID_RIGID_H
#define RIGID_RIGID_H

#include "base/quaternion.h"
#include "contact/movable.h"
#include "shape/mass.h"
#include "shape/shape.h"

// A shape of a body, in the body's principal frame.
typedef struct RigidShape
{
    vvShape *shape; // retained by the body
    Vec3 position;  // m
    vvQuat rotation;
} RigidShape;

#define RIGID_MEMORY 24 // contacts that a body remembers

// What a contact remembers from step to step (memory.c).
typedef struct RigidMemory
{
    int partner;        // id of the other body
    int shapeA, shapeB; // of the two bodies, in their order
    uint32_t feature;   // of the manifold
    Vec3 place;         // m, local, on a
    Vec3 force, couple; // N on a, and N m of rolling friction, of the last substep
    double sum;         // N, of RigidRow
    Vec3 slip, turn;    // m, rad: what friction and rolling friction have not taken back
} RigidMemory;

// Coordinates with `local` in their name are in the principal frame: its origin is the centre of mass, and the inertia
// is diagonal in it.
typedef struct RigidBody
{
    Vec3 position;        // m, of the centre of mass
    vvQuat rotation;      // unit, of the principal frame
    Vec3 velocity;        // m/s, of the centre of mass
    Vec3 angularMomentum; // kg m^2/s about the centre of mass, world; 0 where the inverse inertia is 0
    Vec3 spin;            // rad/s, world: follows from the angular momentum (rigidRefresh)

    // within a substep
    Vec3 startPosition; // at its start
    vvQuat startRotation;
    Vec3 impulse;       // kg m, sum of the positional impulses of joints
    Vec3 couple;        // kg m^2, sum of their moments about the centre of mass
    Vec3 pull, pulled;  // m/s^2 and rad/s^2: what gravity, forces and torques give it
    Mat3 inverseTensor; // 1/(kg m^2), inverse inertia in the world: of the prediction, later of the end (rigidRefresh)
    int index;          // its place among the bodies of the step
    int cluster;        // of the step: the smallest index of those that contacts and joints connect it to
    int id;             // 2 x slot; scenery 2 x slot of the collider + 1
    Vec3 force, torque; // N and N m about the centre of mass, world: of the caller, for the whole step

    // What soft bodies and fluids push with, means over the step: N, and N m about `reactionPoint` (m, world, where the
    // centre of mass was when the step began), so that what is exchanged has the same angular momentum on both sides
    // wherever the body goes. It is no work of the caller, and 0 when a step begins.
    Vec3 reaction, reactionTorque, reactionPoint;
    const double (*pulse)[6];  // MOVABLE_PULSES: when, as impulses of equal parts of the step; NULL: all the time
    const Movable *carried;    // its island moved it through the step: it takes over how it ends; NULL: it is pushed
    Vec3 acting, actingTorque; // N, N m about that point: of the substep under way
    double reactionWork;       // J, that it did in the step
    Vec3 flow, flowTorque;     // the part of it that fluids push with
    double flowWork;           // J, of that

    bool asleep;         // it rests with its whole island, and steps pass it by (island.c)
    bool stands;         // its island has its contacts in this step
    bool stirred;        // something pushes it in this step, or is about to
    double calm;         // s, that it has been slow for
    Vec3 calmPosition;   // m: where it was when that began
    vvQuat calmRotation; //

    double added, dissipated; // J, of the step under way
    double yielded;           // J, likewise: what hard joints took, and displacements that turned it without a spin

    RigidMemory *memory; // RIGID_MEMORY; NULL: scenery
    int memoryCount;
    uint32_t recalled; // bits: which of them contacts of this step have claimed

    double mass, inverseMass;     // kg; inverse 0: nothing moves it (kinematic or static)
    Vec3 inertia, inverseInertia; // kg m^2, principal; 0 inverse: nothing turns it about that axis

    RigidShape *shape; // shapeCount: a compound where there are several
    int shapeCount;
    double radius;           // m, of a ball about the centre of mass that holds all shapes; INFINITY with a plane
    Vec3 origin;             // m, local: the origin of the caller's frame
    vvQuat frame;            // the caller's frame within the principal one
    double friction;         // Coulomb's coefficient; the pair takes the geometric mean
    double restitution;      // [0, 1]; the pair takes the larger
    double rollingFriction;  // share of the radius; the pair takes the larger
    uint32_t category, mask; // bits, as for soft bodies
} RigidBody;

static inline void rigidWake(RigidBody *body) // its island follows at the next step
{
    body->asleep = false;
    body->calm = 0;
}

// ---- points and directions ------------------------------------------------------------------------------------------

static inline Vec3 rigidPoint(const RigidBody *body, Vec3 local) // m, world, now
{
    return vecAdd(body->position, quatRotate(body->rotation, local));
}

static inline Vec3 rigidStartPoint(const RigidBody *body, Vec3 local) // m, world, when the substep began
{
    return vecAdd(body->startPosition, quatRotate(body->startRotation, local));
}

static inline Vec3 rigidLocal(const RigidBody *body, Vec3 point) // m, local, of a point in the world
{
    return quatRotateBack(body->rotation, vecSub(point, body->position));
}

static inline Vec3 rigidPointVelocity(const RigidBody *body, Vec3 point) // m/s, of the matter at a point in the world
{
    return vecAdd(body->velocity, vecCross(body->spin, vecSub(point, body->position)));
}

static inline Pose rigidShapePose(const RigidBody *body, int shape) // of a shape's frame in the world
{
    const RigidShape *part = &body->shape[shape];
    return poseMake(rigidPoint(body, part->position), quatNormalized(quatMultiply(body->rotation, part->rotation)));
}

// ---- inverse masses -------------------------------------------------------------------------------------------------

// 1/kg: the displacement of the point along the unit direction by a unit positional impulse along it (Müller 2020,
// Eq 2).
static inline double rigidInverseMass(const RigidBody *body, Vec3 point, Vec3 direction)
{
    Vec3 moment = vecCross(vecSub(point, body->position), direction);
    return body->inverseMass + vecDot(moment, matApply(&body->inverseTensor, moment));
}

// 1/(kg m^2): the rotation about a unit axis by a unit angular impulse about it (Eq 11).
static inline double rigidInverseInertia(const RigidBody *body, Vec3 axis)
{
    return vecDot(axis, matApply(&body->inverseTensor, axis));
}

// out += the inverse mass of a point as a matrix: its displacement by a positional impulse, 1/kg. For constraints of
// two or three directions at a point.
static inline void rigidAddInverseMass(const RigidBody *body, Vec3 point, Mat3 *out)
{
    Vec3 r = vecSub(point, body->position);
    Mat3 cross = { { { 0, -r.z, r.y }, { r.z, 0, -r.x }, { -r.y, r.x, 0 } } };
    Mat3 half = matMultiply(&cross, &body->inverseTensor);
    Mat3 whole = matMultiplyTransposed(&half, &cross); // [r] I^-1 [r]^T
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->m[i][j] += whole.m[i][j] + (i == j ? body->inverseMass : 0);
}

// ---- positional impulses --------------------------------------------------------------------------------------------

// A positional impulse (kg m) at a point of the world: moves and turns the body at once, and is remembered for its
// velocities (Eqs 6-9).
static inline void rigidPush(RigidBody *body, Vec3 point, Vec3 impulse)
{
    if (!(body->inverseMass > 0))
        return;
    Vec3 moment = vecCross(vecSub(point, body->position), impulse);
    body->impulse = vecAdd(body->impulse, impulse);
    body->couple = vecAdd(body->couple, moment);
    body->position = vecAdd(body->position, vecScale(body->inverseMass, impulse));
    body->rotation = quatTurned(body->rotation, matApply(&body->inverseTensor, moment));
}

// An angular one (kg m^2; Eqs 15, 16).
static inline void rigidTwist(RigidBody *body, Vec3 couple)
{
    if (!(body->inverseMass > 0))
        return;
    body->couple = vecAdd(body->couple, couple);
    body->rotation = quatTurned(body->rotation, matApply(&body->inverseTensor, couple));
}

// Of both bodies of a pair, in opposite directions. The orbital momentum that a push makes is about where its body was
// when the substep began; the couples take up the difference, half each, so that the pair keeps its angular momentum.
static inline void rigidPushPair(RigidBody *a, Vec3 pointA, RigidBody *b, Vec3 pointB, Vec3 impulse)
{
    bool both = a->inverseMass > 0 && b->inverseMass > 0;
    Vec3 armA = vecSub(pointA, vecSub(a->position, a->startPosition));
    Vec3 armB = vecSub(pointB, vecSub(b->position, b->startPosition));
    Vec3 excess = vecScale(both ? 0.5 : 0, vecCross(vecSub(armA, armB), impulse));
    rigidPush(a, pointA, impulse);
    rigidPush(b, pointB, vecScale(-1, impulse));
    a->couple = vecSub(a->couple, excess);
    b->couple = vecSub(b->couple, excess);
}

static inline void rigidTwistPair(RigidBody *a, RigidBody *b, Vec3 couple)
{
    rigidTwist(a, couple);
    rigidTwist(b, vecScale(-1, couple));
}

// The multiplier that XPBD adds in one sweep (Müller 2020, Eq 4, with the multiplier 0 before): `error` in m or rad,
// `inverseMass` of the pair, `compliance` in m/N or rad/(N m). 0 where nothing can move.
static inline double rigidMultiplier(double error, double inverseMass, double compliance, double h)
{
    double sum = inverseMass + compliance / (h * h);
    return sum > 0 ? -error / sum : 0;
}

// ---- impulses, after the velocities ---------------------------------------------------------------------------------

static inline void rigidImpulse(RigidBody *body, Vec3 point, Vec3 impulse) // N s
{
    if (!(body->inverseMass > 0))
        return;
    Vec3 moment = vecCross(vecSub(point, body->position), impulse);
    body->velocity = vecAdd(body->velocity, vecScale(body->inverseMass, impulse));
    body->angularMomentum = vecAdd(body->angularMomentum, moment);
    body->spin = vecAdd(body->spin, matApply(&body->inverseTensor, moment));
}

static inline void rigidAngularImpulse(RigidBody *body, Vec3 moment) // N m s
{
    if (!(body->inverseMass > 0))
        return;
    body->angularMomentum = vecAdd(body->angularMomentum, moment);
    body->spin = vecAdd(body->spin, matApply(&body->inverseTensor, moment));
}

// ---- flight.c -------------------------------------------------------------------------------------------------------

// The inverse inertia in the world for the present rotation, and the spin of the angular momentum.
void rigidRefresh(RigidBody *body);
void rigidRespin(RigidBody *body);             // the spin alone: it has not turned since
void rigidSetSpin(RigidBody *body, Vec3 spin); // rad/s, world
double rigidKinetic(const RigidBody *body);    // J

// Steps 1 and 4 of the substep above.
void rigidPredict(RigidBody *body, Vec3 gravity, double h);
void rigidTakeOver(RigidBody *body, Vec3 gravity); // pose and velocities of `carried`
void rigidAdopt(RigidBody *body, Vec3 gravity, double h);

// ---- principal.c ----------------------------------------------------------------------------------------------------

// kg m^2, the principal moments of inertia, and the rotation from the principal axes to the frame of `of`.
void rigidPrincipal(const MassProperties *of, Vec3 *inertia, vvQuat *rotation);

// ---- manifold.c: narrow phase ---------------------------------------------------------------------------------------

#define MANIFOLD_LIMIT 8 // points of two shapes

// A point in which two shapes touch or may touch within the step.
typedef struct ManifoldPoint
{
    Vec3 onA, onB;    // m, on the surface of each shape, in its own frame
    Vec3 normal;      // unit, world, from b to a
    double distance;  // m, (onA - onB) . normal when found; negative: penetration
    uint32_t feature; // the same number for the same pair of features in the next step
} ManifoldPoint;

// The points of two shapes that are nearer than `margin` (m), at most MANIFOLD_LIMIT. The order and the bits depend on
// the arguments alone. Returns how many.
int rigidManifold(const vvShape *a, Pose poseA, const vvShape *b, Pose poseB, double margin, ManifoldPoint *points);

#endif
