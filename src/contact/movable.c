#include "contact/movable.h"

#include "base/quaternion.h"

#include <math.h>
#include <string.h>

#define RESOLVED 1.0 // rad, of a free flight at once
#define MOST_PARTS 100

static Pose shapePose(const Collider *collider, Vec3 position, vvQuat rotation)
{
    Vec3 place = vecAdd(position, quatRotate(rotation, collider->place));
    return poseMake(place, quatNormalized(quatMultiply(rotation, collider->placeTurn)));
}

// the path of its shapes between two moments of the step
static void lay(const Movable *movable, Vec3 to, vvQuat turned)
{
    Collider *item = movable->colliders->item;
    for (int slot = movable->firstShape; slot >= 0; slot = item[slot].sibling)
    {
        Collider *collider = &item[slot];
        collider->start = shapePose(collider, movable->at, movable->turned);
        collider->target = shapePose(collider, to, turned);
        collider->from = movable->from;
        collider->to = movable->to;
        collider->moves = true;
    }
}

static void layAlong(const Movable *movable, Vec3 rate, Vec3 rotating)
{
    double h = movableSeconds(movable);
    lay(movable, vecAdd(movable->at, vecScale(h, rate)), quatTurned(movable->turned, vecScale(h, rotating)));
}

// ---- springs --------------------------------------------------------------------------------------------------------

// x = a^-1 b in place of b, by elimination with pivots; the matrix is not singular
static void solveSix(double a[6][6], double b[6][6])
{
    for (int i = 0; i < 6; ++i)
    {
        int pivot = i;
        for (int k = i + 1; k < 6; ++k)
            pivot = fabs(a[k][i]) > fabs(a[pivot][i]) ? k : pivot;
        for (int c = 0; c < 6; ++c)
        {
            double x = a[i][c], y = b[i][c];
            a[i][c] = a[pivot][c];
            a[pivot][c] = x;
            b[i][c] = b[pivot][c];
            b[pivot][c] = y;
        }
        for (int k = 0; k < 6; ++k)
        {
            double share = k != i && a[i][i] != 0 ? a[k][i] / a[i][i] : 0;
            for (int c = 0; c < 6; ++c)
            {
                a[k][c] -= share * a[i][c];
                b[k][c] -= share * b[i][c];
            }
        }
    }
    for (int i = 0; i < 6; ++i)
        for (int c = 0; c < 6; ++c)
            b[i][c] = a[i][i] != 0 ? b[i][c] / a[i][i] : 0;
}

// (1 + h^2/4 firm stiffness)^-1 firm: the mass of the midpoint rule, which is stable for any spring
static void easeFor(Movable *movable, double h)
{
    if (movable->eased == h)
        return;
    double matrix[6][6];
    bool springs = false;
    for (int i = 0; i < 6; ++i)
    {
        for (int k = 0; k < 6; ++k)
        {
            double sum = 0;
            for (int c = 0; c < 6; ++c)
                sum += movable->firm[i][c] * movable->stiffness[c][k];
            matrix[i][k] = (i == k) + 0.25 * h * h * sum;
            springs |= sum != 0;
            movable->ease[i][k] = movable->firm[i][k];
        }
    }
    if (springs)
        solveSix(matrix, movable->ease);
    movable->eased = h;
}

MovablePath movablePath(Vec3 gained, Vec3 beyond, double dt)
{
    Vec3 far = vecScale(6 / (dt * dt), beyond), fast = vecScale(2 / dt, gained);
    return (MovablePath){ vecSub(far, fast), vecScale(1 / dt, vecSub(vecScale(3, fast), vecScale(2, far))) };
}

static Vec3 gainOf(const MovablePath *path, double t)
{
    return vecAdd(vecScale(t, path->a), vecScale(0.5 * t * t, path->b));
}

// its mean between two moments
static Vec3 meanGain(const Movable *movable, const MovablePath *path)
{
    double from = movable->from * movable->dt, to = movable->to * movable->dt;
    return vecScale(1 / (to - from), vecSub(gainOf(path, to), gainOf(path, from)));
}

// what it has beyond what was foreseen, at a moment
static void beyond(const Movable *movable, double moment, double rate[6])
{
    double t = moment * movable->dt;
    Vec3 velocity = vecAdd(movable->velocity, gainOf(&movable->foreseen, t));
    Vec3 spin = vecAdd(movable->spin, gainOf(&movable->foreseenTurn, t));
    vecStore(rate, vecSub(movable->rate, velocity));
    vecStore(rate + 3, vecSub(movable->rotating, spin));
}

// what acts in the substep: what was foreseen, less the reaction that was part of it, and what springs have more
static void accelerate(Movable *movable, double h)
{
    double rate[6], force[6];
    easeFor(movable, h);
    beyond(movable, movable->from, rate);
    for (int i = 0; i < 6; ++i)
    {
        force[i] = -movable->held[i];
        for (int k = 0; k < 6; ++k)
            force[i] -= movable->stiffness[i][k] * (movable->way[k] + 0.5 * h * rate[k]);
    }
    Vec3 push = vecLoad(force), twist = vecLoad(force + 3);
    movable->acceleration = vecAdd(meanGain(movable, &movable->foreseen), movableVelocity(movable, push, twist));
    movable->turning = vecAdd(meanGain(movable, &movable->foreseenTurn), movableSpin(movable, push, twist));
}

// ---- one that is alone ----------------------------------------------------------------------------------------------

// The angular momentum, and the energy of the rotation between impulses, are kept to rounding: free flight to where
// impulses act, these with the inertia that the body has there, and free flight on.

static Vec3 scaled(Vec3 diagonal, Vec3 v)
{
    return vec3(diagonal.x * v.x, diagonal.y * v.y, diagonal.z * v.z);
}

static Vec3 spinOf(const Movable *movable, vvQuat rotation, Vec3 momentum)
{
    return quatRotate(rotation, scaled(movable->flight.inverseInertia, quatRotateBack(rotation, momentum)));
}

static Vec3 momentumOf(const Movable *movable, vvQuat rotation, Vec3 spin)
{
    return quatRotate(rotation, scaled(movable->flight.inertia, quatRotateBack(rotation, spin)));
}

// what is diagonal in the principal axes
static Mat3 inWorld(vvQuat rotation, Vec3 diagonal)
{
    Mat3 r = quatMatrix(rotation), sum;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            sum.m[i][k] = r.m[i][0] * diagonal.x * r.m[k][0] + r.m[i][1] * diagonal.y * r.m[k][1] +
                          r.m[i][2] * diagonal.z * r.m[k][2];
    return sum;
}

// inverse mass and inertia of a rotation
static void easeFree(Movable *movable, vvQuat rotation)
{
    Mat3 inverse = inWorld(rotation, movable->flight.inverseInertia);
    memset(movable->ease, 0, sizeof movable->ease);
    for (int i = 0; i < 3; ++i)
    {
        movable->ease[i][i] = movable->flight.inverseMass;
        for (int k = 0; k < 3; ++k)
            movable->ease[3 + i][3 + k] = inverse.m[i][k];
    }
}

// in parts of RESOLVED rad, by which the energy of the rotation is kept: a method with one substep has ways of several
static vvQuat flown(const Movable *movable, vvQuat rotation, Vec3 momentum, double h)
{
    double turn = h * vecLength(spinOf(movable, rotation, momentum));
    int parts = turn < RESOLVED * MOST_PARTS ? (int)(turn / RESOLVED) + 1 : MOST_PARTS;
    for (int k = 0; k < parts; ++k)
        rotation = quatFlown(rotation, movable->flight.inverseInertia, momentum, h / parts);
    return rotation;
}

static void beginAlone(Movable *movable)
{
    double h = movableSeconds(movable), before = (1 - movable->theta) * h;
    movable->halfway = flown(movable, movable->turned, movable->momentum, before);
    movable->rotating = spinOf(movable, movable->halfway, movable->momentum);
    easeFree(movable, movable->halfway);
    movable->acceleration = movable->flight.gain;
    movable->turning = movableSpin(movable, vec3(0, 0, 0), movable->flight.torque);
    double ahead = (2 * movable->theta - 1) * h;
    lay(movable, vecAdd(movable->at, vecScale(h, vecAdd(movable->rate, vecScale(ahead, movable->acceleration)))),
        flown(movable, movable->halfway, movable->momentum, h - before));
}

static void endAlone(Movable *movable)
{
    double h = movableSeconds(movable), after = movable->theta * h;
    Vec3 rate = vecAdd(movable->rate, vecAdd(movable->change, vecScale(h, movable->acceleration)));
    Vec3 rotating = vecAdd(movable->rotating, vecAdd(movable->changeSpin, vecScale(h, movable->turning)));
    Vec3 mean = vecAdd(vecScale(1 - movable->theta, movable->rate), vecScale(movable->theta, rate));
    Vec3 pushed = momentumOf(movable, movable->halfway, vecAdd(movable->changeSpin, vecScale(h, movable->turning)));
    movable->added += 0.5 * h * vecDot(movable->flight.torque, vecAdd(movable->rotating, rotating));
    movable->momentum = vecAdd(movable->momentum, pushed);
    Vec3 to = vecAdd(movable->at, vecScale(h, mean));
    vvQuat turned = flown(movable, movable->halfway, movable->momentum, after);
    lay(movable, to, turned);
    movable->at = to;
    movable->turned = turned;
    movable->rate = rate;
    movable->rotating = spinOf(movable, turned, movable->momentum);
    movable->reached = movable->to;
    easeFree(movable, turned);
}

static void startAlone(Movable *movable)
{
    double t = movable->dt;
    movable->momentum = movable->flight.start;
    movable->added = movable->reached = 0;
    easeFree(movable, movable->turned);
    lay(movable, vecAdd(movable->at, vecScale(t, vecAdd(movable->rate, vecScale(0.5 * t, movable->flight.gain)))),
        flown(movable, movable->turned, movable->momentum, t));
}

Mat3 movableInertia(const Movable *movable)
{
    return inWorld(movable->turned, movable->flight.inertia);
}

double movableShrink(Movable *movable, Vec3 centre, Vec3 velocity, Vec3 spin, double share)
{
    Vec3 own = vecAdd(velocity, vecCross(spin, vecSub(movable->at, centre)));
    Vec3 rate = vecSub(movable->rate, own), rotating = vecSub(movable->rotating, spin);
    double mass = movable->flight.inverseMass > 0 ? 1 / movable->flight.inverseMass : 0;
    Vec3 momentum = momentumOf(movable, movable->turned, rotating);
    double kinetic = 0.5 * (mass * vecDot(rate, rate) + vecDot(momentum, rotating));
    Vec3 impulse = vecScale(-share * mass, rate), moment = vecScale(-share, momentum);
    movable->rate = vecSub(movable->rate, vecScale(share, rate));
    movable->rotating = vecSub(movable->rotating, vecScale(share, rotating));
    movable->momentum = vecAdd(movable->momentum, moment);
    moment = vecAdd(moment, vecCross(vecSub(movable->at, movable->position), impulse));
    movablePulse(movable, impulse, moment, movable->from, movable->to);
    return kinetic;
}

static Vec3 lostAlone(const Movable *movable, Vec3 about)
{
    double mass = movable->flight.inverseMass > 0 ? 1 / movable->flight.inverseMass : 0;
    Vec3 before = vecCross(vecSub(movable->position, about), vecScale(mass, movable->velocity));
    Vec3 after = vecCross(vecSub(movable->at, about), vecScale(mass, movable->rate));
    Vec3 middle = vecScale(0.5, vecAdd(movable->position, movable->at));
    Vec3 acting = vecCross(vecSub(middle, about), vecScale(mass, movable->flight.gain));
    acting = vecScale(movable->dt, vecAdd(acting, movable->flight.torque));
    before = vecAdd(vecAdd(before, movable->flight.start), acting);
    return vecSub(before, vecAdd(after, movable->momentum));
}

Vec3 movableLost(const Movable *movable, Vec3 about)
{
    if (movable->flight.alone)
        return lostAlone(movable, about);
    Vec3 impulse = vec3(0, 0, 0), moment = vec3(0, 0, 0);
    for (int k = 0; k < MOVABLE_PULSES; ++k)
    {
        impulse = vecAdd(impulse, vecLoad(movable->pulse[k]));
        moment = vecAdd(moment, vecLoad(movable->pulse[k] + 3));
    }
    moment = vecAdd(moment, vecCross(vecSub(movable->position, about), impulse));
    return vecScale(-1, moment);
}

// ---- one on a slider ------------------------------------------------------------------------------------------------

// By the midpoint rule, or the implicit one (theta 1): m (v' - v) = h (pull - k (way + theta h (v + theta (v' - v))))
// and impulses. What a contact feels is the mass m + theta^2 h^2 k.
static void beginOnRail(Movable *movable)
{
    const MovableRail *rail = &movable->rail;
    double h = movableSeconds(movable), reach = movable->theta * h, a[3];
    double inverse = 1 / (rail->mass + reach * reach * rail->stiffness);
    double way = vecDot(rail->along, vecSub(movable->at, movable->position));
    double force = rail->pull - rail->stiffness * (way + reach * vecDot(rail->along, movable->rate));
    vecStore(a, rail->along);
    memset(movable->ease, 0, sizeof movable->ease);
    for (int i = 0; i < 9; ++i)
        movable->ease[i / 3][i % 3] = inverse * a[i / 3] * a[i % 3];
    movable->acceleration = vecScale(inverse * force, rail->along);
    movable->turning = vec3(0, 0, 0);
    double ahead = (2 * movable->theta - 1) * h;
    lay(movable, vecAdd(movable->at, vecScale(h, vecAdd(movable->rate, vecScale(ahead, movable->acceleration)))),
        movable->turned);
}

static void endOnRail(Movable *movable)
{
    double h = movableSeconds(movable);
    Vec3 rate = vecAdd(movable->rate, vecAdd(movable->change, vecScale(h, movable->acceleration)));
    Vec3 mean = vecAdd(vecScale(1 - movable->theta, movable->rate), vecScale(movable->theta, rate));
    Vec3 to = vecAdd(movable->at, vecScale(h, mean));
    lay(movable, to, movable->turned);
    movable->at = to;
    movable->rate = rate;
    movable->reached = movable->to;
}

static void startOnRail(Movable *movable)
{
    const MovableRail *rail = &movable->rail;
    double t = movable->dt, inverse = 1 / (rail->mass + 0.25 * t * t * rail->stiffness);
    movable->rate = vecScale(vecDot(rail->along, movable->rate), rail->along);
    movable->rotating = vec3(0, 0, 0);
    movable->added = movable->reached = 0;
    Vec3 gain = vecScale(0.5 * t * inverse * rail->pull, rail->along);
    lay(movable, vecAdd(movable->at, vecScale(t, vecAdd(movable->rate, gain))), movable->turned);
}

// ---- substeps -------------------------------------------------------------------------------------------------------

// the whole step, as it was foreseen
void movableStart(Movable *movable)
{
    movable->from = 0;
    movable->to = 1;
    movable->at = movable->position;
    movable->turned = movable->rotation;
    movable->rate = movable->velocity;
    movable->rotating = movable->spin;
    movable->change = movable->changeSpin = vec3(0, 0, 0);
    for (int i = 0; i < 6; ++i)
        movable->way[i] = 0;
    memset(movable->pulse, 0, sizeof movable->pulse);
    if (movable->flight.alone || movable->rail.on)
    {
        (movable->rail.on ? startOnRail : startAlone)(movable);
        return;
    }
    double t = movable->dt;
    Vec3 mean = vecAdd(vecScale(t / 2, movable->foreseen.a), vecScale(t * t / 6, movable->foreseen.b));
    Vec3 turn = vecAdd(vecScale(t / 2, movable->foreseenTurn.a), vecScale(t * t / 6, movable->foreseenTurn.b));
    layAlong(movable, vecAdd(movable->rate, mean), vecAdd(movable->rotating, turn));
}

void movablePart(Movable *movable, bool again)
{
    MovableBegin *begin = &movable->begin;
    if (!again)
    {
        *begin = (MovableBegin){ .at = movable->at,
                                 .rate = movable->rate,
                                 .rotating = movable->rotating,
                                 .momentum = movable->momentum,
                                 .added = movable->added,
                                 .reached = movable->reached,
                                 .turned = movable->turned };
        memcpy(begin->way, movable->way, sizeof begin->way);
        memcpy(begin->pulse, movable->pulse, sizeof begin->pulse);
        return;
    }
    movable->at = begin->at;
    movable->rate = begin->rate;
    movable->rotating = begin->rotating;
    movable->momentum = begin->momentum;
    movable->added = begin->added;
    movable->reached = begin->reached;
    movable->turned = begin->turned;
    memcpy(movable->way, begin->way, sizeof begin->way);
    memcpy(movable->pulse, begin->pulse, sizeof begin->pulse);
}

void movablePulse(Movable *movable, Vec3 impulse, Vec3 moment, double from, double to)
{
    double part = 1.0 / MOVABLE_PULSES, numbers[6];
    vecStore(numbers, impulse);
    vecStore(numbers + 3, moment);
    for (int k = 0; k < MOVABLE_PULSES; ++k)
    {
        double share = maxReal(minReal(to, (k + 1) * part) - maxReal(from, k * part), 0) / (to - from);
        for (int i = 0; i < 6; ++i)
            movable->pulse[k][i] += share * numbers[i];
    }
}

void movableBegin(Movable *movable, double from, double to, double theta)
{
    movable->from = from;
    movable->to = to;
    movable->theta = theta;
    movable->change = movable->changeSpin = vec3(0, 0, 0);
    movable->given = 0;
    if (movable->flight.alone || movable->rail.on)
    {
        (movable->rail.on ? beginOnRail : beginAlone)(movable);
        return;
    }
    accelerate(movable, movableSeconds(movable));
    double ahead = (2 * theta - 1) * movableSeconds(movable);
    layAlong(movable, vecAdd(movable->rate, vecScale(ahead, movable->acceleration)),
             vecAdd(movable->rotating, vecScale(ahead, movable->turning)));
}

void movableEnd(Movable *movable)
{
    if (movable->flight.alone || movable->rail.on)
    {
        (movable->rail.on ? endOnRail : endAlone)(movable);
        return;
    }
    double h = movableSeconds(movable);
    Vec3 rate = vecAdd(movable->rate, vecAdd(movable->change, vecScale(h, movable->acceleration)));
    Vec3 rotating = vecAdd(movable->rotating, vecAdd(movable->changeSpin, vecScale(h, movable->turning)));
    double theta = movable->theta;
    Vec3 mean = vecAdd(vecScale(1 - theta, movable->rate), vecScale(theta, rate));
    Vec3 turn = vecAdd(vecScale(1 - theta, movable->rotating), vecScale(theta, rotating));
    layAlong(movable, mean, turn);
    movable->at = vecAdd(movable->at, vecScale(h, mean));
    movable->turned = quatTurned(movable->turned, vecScale(h, turn));
    double before[6], after[6];
    beyond(movable, movable->from, before);
    movable->rate = rate;
    movable->rotating = rotating;
    beyond(movable, movable->to, after);
    for (int i = 0; i < 6; ++i)
        movable->way[i] += 0.5 * h * (before[i] + after[i]);
}
