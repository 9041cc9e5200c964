// A rigid body within the step of an island of soft bodies: shapes of it are colliders whose velocity answers impulses.
// What else acts on it, its own joints and contacts with rigid bodies among it, is an acceleration of the step; how it
// moves in the end is for the rigid room to say, which is told the impulses. A body that nothing else touches or holds
// is integrated here to the end, and the rigid room takes over pose and velocities.
#ifndef CONTACT_MOVABLE_H
#define CONTACT_MOVABLE_H

#include "contact/contact.h"

// How a velocity goes on in a step: by a + b t.
typedef struct MovablePath
{
    Vec3 a, b; // m/s^2 and m/s^3, or rad
} MovablePath;

// that has gained so much velocity after `dt` s, and gone so far beyond what the first one alone leads to
MovablePath movablePath(Vec3 gained, Vec3 beyond, double dt);

#define MOVABLE_PULSES 16 // parts of a step, by which impulses are told to the rigid room

// Where a part of a step begins, for when it is taken again.
typedef struct MovableBegin
{
    Vec3 at, rate, rotating, momentum;
    double added, reached;
    vvQuat turned;
    double way[6];
    double pulse[MOVABLE_PULSES][6];
} MovableBegin;

// A body that only soft ones touch, on a slider that stands still, with springs along it.
typedef struct MovableRail
{
    bool on;          // it is one
    Vec3 along;       // unit
    double mass;      // kg
    double pull;      // N, along it, of all but soft bodies, where the step begins
    double stiffness; // N/m, of the springs
} MovableRail;

// A body that only soft ones touch in the step.
typedef struct MovableFlight
{
    bool alone;                   // it is one
    double inverseMass;           // 1/kg
    Vec3 inertia, inverseInertia; // kg m^2, principal
    Vec3 gain;                    // m/s^2, by gravity and the caller's force
    Vec3 torque;                  // N m, of the caller
    Vec3 start;                   // kg m^2/s, angular momentum about the centre where the step begins
} MovableFlight;

typedef struct Movable
{
    // of the step
    Vec3 position;            // m, of the centre of mass where it begins
    vvQuat rotation;          // of the principal axes
    Vec3 velocity;            // m/s
    Vec3 spin;                // rad/s
    MovablePath foreseen;     // of the step with the reaction of the last one, of the centre
    MovablePath foreseenTurn; // likewise, of the rotation
    double held[6];           // N, N m about its centre: that reaction
    double firm[6][6];        // 1/kg, 1/(kg m), 1/(kg m^2): what an impulse and its moment change, if springs were not
    double stiffness[6][6];   // N/m, N/rad, N m/rad, of the springs
    MovableFlight flight;     // alone: the path above and what holds it do not count
    MovableRail rail;         // on: likewise
    double dt;                // s
    int island;               // that it is part of
    Colliders *colliders;
    int firstShape; // slot of its first shape among them

    // of the substep
    double from, to;   // moments of the step
    double theta;      //
    double eased;      // s, of the substeps that the next is of
    double ease[6][6]; // as `firm`, with springs: what impulses of the substep change
    double way[6];     // m, rad: by which it is not where it was foreseen
    Vec3 acceleration; // m/s^2, of the substep, by all but soft bodies
    Vec3 turning;      // rad/s^2, likewise
    Vec3 at;           // m, where it begins
    vvQuat turned;     //
    Vec3 rate;         // m/s, there
    Vec3 rotating;     // rad/s; within a substep of one that is alone, in its middle
    vvQuat halfway;    // of one that is alone: its rotation in the middle of the substep (theta 0.5), else `turned`
    Vec3 momentum;     // kg m^2/s, likewise, about its centre
    double added;      // J, so far in the step: by the caller's torque
    double reached;    // moment of the step that it has come to; a method need not know that it is there
    Vec3 change;       // m/s, by impulses so far
    Vec3 changeSpin;   // rad/s
    Vec3 push;         // N s, of the last step of the law: their sum, then m/s
    Vec3 twist;        // N m s, about the centre; then rad/s
    double given;      // J: work of impulses on it, so far in the substep of a sweep
    double reach;      // m, sum of the arms of its contacts
    int contactCount;  //

    double pulse[MOVABLE_PULSES][6]; // N s, N m s about `position`: what it took in each part of the step
    MovableBegin begin;              // of the part of the step that is being taken
} Movable;

void movableStart(Movable *movable); // at the start of the step, and of each time it is taken
// a part of the step begins that is not the first; `again`: where it began before
void movablePart(Movable *movable, bool again);
// A substep. theta 0.5: it goes by the mean of both velocities, and contacts see it where that of the start leads (the
// midpoint rule); 1: by the velocity of its end, and contacts see it where that leads without impulses
void movableBegin(Movable *movable, double from, double to, double theta);
// N s and N m s about `position`, evenly between two moments
void movablePulse(Movable *movable, Vec3 impulse, Vec3 moment, double from, double to);
// Of one that is alone, where a substep ended. J: kinetic energy beside a motion about a centre, of which a share is
// taken by an impulse
double movableShrink(Movable *movable, Vec3 centre, Vec3 velocity, Vec3 spin, double share);
Mat3 movableInertia(const Movable *movable); // kg m^2, there
// kg m^2/s: about a point, what it has lost since the step began, less the moment of what the caller has act on it
Vec3 movableLost(const Movable *movable, Vec3 about);
void movableEnd(Movable *movable); // what impulses changed: its colliders end there, and the next substep begins

static inline double movableSeconds(const Movable *movable) // of the substep
{
    return (movable->to - movable->from) * movable->dt;
}

// where forces are taken: the middle of the substep, by the velocity that it begins with
static inline Vec3 movableMiddle(const Movable *movable)
{
    return vecAdd(movable->at, vecScale(0.5 * movableSeconds(movable), movable->rate));
}

// m/s: a point at `arm` from the centre where the substep begins, and where it ends without impulses
static inline Vec3 movableRate(const Movable *movable, Vec3 arm)
{
    return vecAdd(movable->rate, vecCross(movable->rotating, arm));
}

static inline Vec3 movableAhead(const Movable *movable, Vec3 arm)
{
    Vec3 gain = vecAdd(movable->acceleration, vecCross(movable->turning, arm));
    return vecAdd(movableRate(movable, arm), vecScale(movableSeconds(movable), gain));
}

// m, the centre where the substep ends without impulses
static inline Vec3 movableArrival(const Movable *movable)
{
    double h = movableSeconds(movable);
    return vecAdd(movable->at, vecScale(h, vecAdd(movable->rate, vecScale(h, movable->acceleration))));
}

// m/s, by an impulse (N s) and its moment about the centre (N m s); then rad/s
static inline Vec3 movableVelocity(const Movable *movable, Vec3 impulse, Vec3 moment)
{
    const double p[6] = { impulse.x, impulse.y, impulse.z, moment.x, moment.y, moment.z };
    double sum[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 6; ++k)
            sum[i] += movable->ease[i][k] * p[k];
    return vecLoad(sum);
}

static inline Vec3 movableSpin(const Movable *movable, Vec3 impulse, Vec3 moment)
{
    const double p[6] = { impulse.x, impulse.y, impulse.z, moment.x, moment.y, moment.z };
    double sum[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 6; ++k)
            sum[i] += movable->ease[3 + i][k] * p[k];
    return vecLoad(sum);
}

// 1/kg, along a unit direction
static inline double movableInverse(const Movable *movable, Vec3 arm, Vec3 direction)
{
    Vec3 moment = vecCross(arm, direction);
    return vecDot(direction, movableVelocity(movable, direction, moment)) +
           vecDot(moment, movableSpin(movable, direction, moment));
}

// m/s, by impulses so far
static inline Vec3 movableChange(const Movable *movable, Vec3 arm)
{
    return vecAdd(movable->change, vecCross(movable->changeSpin, arm));
}

static inline double movablePush(Movable *movable, Vec3 arm, Vec3 impulse) // N s; J, the work of it
{
    Vec3 moment = vecCross(arm, impulse), before = vecAdd(movableAhead(movable, arm), movableChange(movable, arm));
    movable->change = vecAdd(movable->change, movableVelocity(movable, impulse, moment));
    movable->changeSpin = vecAdd(movable->changeSpin, movableSpin(movable, impulse, moment));
    Vec3 after = vecAdd(movableAhead(movable, arm), movableChange(movable, arm));
    double work = 0.5 * vecDot(impulse, vecAdd(before, after));
    movable->given += work;
    return work;
}

// after a substep
static inline double movableKick(Movable *movable, Vec3 arm, Vec3 impulse) // N s; J, the work of it
{
    Vec3 moment = vecCross(arm, impulse), before = movableRate(movable, arm);
    movable->rate = vecAdd(movable->rate, movableVelocity(movable, impulse, moment));
    movable->rotating = vecAdd(movable->rotating, movableSpin(movable, impulse, moment));
    movable->momentum = vecAdd(movable->momentum, moment);
    double work = 0.5 * vecDot(impulse, vecAdd(before, movableRate(movable, arm)));
    movable->given += work;
    return work;
}

// by the last step of the law
static inline Vec3 movableAnswer(const Movable *movable, Vec3 arm)
{
    return vecAdd(movable->push, vecCross(movable->twist, arm));
}

#endif
