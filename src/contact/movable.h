// A rigid body within the step of an island of soft bodies: shapes of it are colliders whose velocity answers impulses.
// What else acts on it, its own joints and contacts with rigid bodies among it, is an acceleration of the step; how it
// moves in the end is for the rigid room to say, which is told the impulses.
#ifndef CONTACT_MOVABLE_H
#define CONTACT_MOVABLE_H

#include "contact/contact.h"

typedef struct Movable
{
    // of the step
    Vec3 position;      // m, of the centre of mass where it begins
    vvQuat rotation;    // of the principal axes
    Vec3 velocity;      // m/s
    Vec3 spin;          // rad/s
    Vec3 acceleration;  // m/s^2, by all but soft bodies
    Vec3 turning;       // rad/s^2, likewise
    double inverseMass; // 1/kg, as far as what holds it lets it give way; 0: nothing moves it
    Mat3 inverseTensor; // 1/(kg m^2), world, likewise
    double dt;          // s
    int island;         // that it is part of
    Colliders *colliders;
    int firstShape; // slot of its first shape among them

    // of the substep
    double from, to;  // moments of the step
    double theta;     //
    Vec3 at;          // m, where it begins
    vvQuat turned;    //
    Vec3 rate;        // m/s, there
    Vec3 rotating;    // rad/s
    Vec3 change;      // m/s, by impulses so far
    Vec3 changeSpin;  // rad/s
    Vec3 push;        // N s, of the last step of the law: their sum, then m/s
    Vec3 twist;       // N m s, about the centre; then rad/s
    double reach;     // m, sum of the arms of its contacts
    int contactCount; //
} Movable;

void movableStart(Movable *movable); // at the start of the step, and of each time it is taken
// A substep. theta 0.5: it goes by the mean of both velocities, and contacts see it where that of the start leads (the
// midpoint rule); 1: by the velocity of its end, and contacts see it where that leads without impulses
void movableBegin(Movable *movable, double from, double to, double theta);
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

// 1/kg, along a unit direction
static inline double movableInverse(const Movable *movable, Vec3 arm, Vec3 direction)
{
    Vec3 moment = vecCross(arm, direction);
    return movable->inverseMass + vecDot(moment, matApply(&movable->inverseTensor, moment));
}

// m/s, by impulses so far
static inline Vec3 movableChange(const Movable *movable, Vec3 arm)
{
    return vecAdd(movable->change, vecCross(movable->changeSpin, arm));
}

static inline void movablePush(Movable *movable, Vec3 arm, Vec3 impulse) // N s
{
    Vec3 turn = matApply(&movable->inverseTensor, vecCross(arm, impulse));
    movable->change = vecAdd(movable->change, vecScale(movable->inverseMass, impulse));
    movable->changeSpin = vecAdd(movable->changeSpin, turn);
}

// by the last step of the law
static inline Vec3 movableAnswer(const Movable *movable, Vec3 arm)
{
    return vecAdd(movable->push, vecCross(movable->twist, arm));
}

#endif
