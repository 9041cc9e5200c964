#include "rigid/joint.h"

#define DEPENDENT 1e-12 // of the diagonal: what is left of a row that the others hold already
#define ROUNDING 1e-9   // m or rad: gaps of a joint that are none
#define BRAKING 0.8     // of the largest force: what a motor counts on to stop at its target

// m or rad: how far a measure is beyond its lock or limits
static double beyond(const JointAxis *axis, double now)
{
    if (axis->state == AXIS_LOCKED)
        return now - axis->lower;
    if (axis->state == AXIS_LIMITED)
        return minReal(now - axis->lower, 0) + maxReal(now - axis->upper, 0);
    return 0;
}

// m or rad: where a lock or limit is, with what is left of its gap
static double lowerOf(const JointAxis *axis)
{
    return axis->lower + (axis->state == AXIS_LOCKED ? axis->gap : minReal(axis->gap, 0));
}

static double upperOf(const JointAxis *axis)
{
    return axis->upper + maxReal(axis->gap, 0);
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static JointRow spring(JointAxis *axis, double rest, double now, double h)
{
    JointRow row = { .error = now - rest, .least = -INFINITY, .most = INFINITY, .total = &axis->multiplier };
    if (axis->compliance > 0)
    {
        double pull = h * h / axis->compliance, drag = h * axis->damping;
        row.softness = 1 / (pull + drag);
        row.error = (pull * (now - rest) + drag * (now - axis->start)) / (pull + drag);
    }
    return row;
}

// a speed that the largest force can stop before the target
static double approach(const JointAxis *axis, double inverseMass, double h)
{
    double way = axis->target - axis->start, far = fabs(way);
    double speed = minReal(0.5 * far / h, sqrt(2 * BRAKING * axis->limit * inverseMass * far));
    return way < 0 ? -speed : speed;
}

static JointRow motor(JointAxis *axis, double now, double inverseMass, double h)
{
    double speed = axis->motor == MOTOR_SPEED ? axis->target : approach(axis, inverseMass, h);
    double most = axis->limit * h * h;
    return (JointRow){ .error = now - axis->start - speed * h, .least = -most, .most = most, .total = &axis->driven };
}

// false: nothing holds this measure now
static bool rowOf(JointAxis *axis, double now, double inverseMass, double h, JointRow *row)
{
    bool limited = axis->state == AXIS_LIMITED;
    if (axis->state == AXIS_LOCKED)
        *row = spring(axis, lowerOf(axis), now, h);
    else if (limited && (now < lowerOf(axis) || axis->multiplier > 0))
    {
        *row = spring(axis, lowerOf(axis), now, h);
        row->least = 0;
    }
    else if (limited && (now > upperOf(axis) || axis->multiplier < 0))
    {
        *row = spring(axis, upperOf(axis), now, h);
        row->most = 0;
    }
    else if (axis->motor != MOTOR_NONE)
        *row = motor(axis, now, inverseMass, h);
    else if (axis->damping > 0 && fabs(now - axis->start) < 2) // a rotation vector may jump by 2 pi
        *row = (JointRow){ .error = now - axis->start,
                           .softness = 1 / (h * axis->damping),
                           .least = -INFINITY,
                           .most = INFINITY,
                           .total = &axis->multiplier };
    else
        return false;
    return true;
}

static double dotInverse(const RigidBody *body, Vec3 u, Vec3 v)
{
    return vecDot(u, matApply(&body->inverseTensor, v));
}

static double coupling(const RigidBody *a, const RigidBody *b, const JointRow *i, const JointRow *k)
{
    double linear = (a->inverseMass + b->inverseMass) * vecDot(i->linear, k->linear);
    if (i->apart)
        linear = a->inverseMass * vecDot(i->linearA, k->linearA) + b->inverseMass * vecDot(i->linear, k->linear);
    return linear + dotInverse(a, i->angularA, k->angularA) + dotInverse(b, i->angularB, k->angularB);
}

int jointRows(Joint *joint, const RigidBody *a, const RigidBody *b, double h, JointRow *row)
{
    double now[JOINT_AXES];
    jointMeasure(joint, a, b, now);
    int count = 0;
    for (int k = 0; k < JOINT_AXES; ++k)
    {
        JointAxis *axis = joint->axis + k;
        JointRow along = { .linear = vec3(0, 0, 0), .angularA = axis->direction, .angularB = axis->direction };
        if (k < 3)
            along = (JointRow){ .linear = axis->direction,
                                .angularA = vecCross(joint->armA, axis->direction),
                                .angularB = vecCross(joint->armB, axis->direction) };
        if (k < 3 && joint->isPulley)
        {
            along.apart = true;
            along.linearA = joint->directionA;
            along.angularA = vecCross(joint->armA, joint->directionA);
        }
        if (!rowOf(axis, now[k], coupling(a, b, &along, &along), h, row + count))
            continue;
        row[count].linear = along.linear;
        row[count].apart = along.apart;
        row[count].linearA = along.linearA;
        row[count].angularA = along.angularA;
        row[count].angularB = along.angularB;
        ++count;
    }
    return count;
}

void jointYield(Joint *joint, const RigidBody *a, const RigidBody *b)
{
    double now[JOINT_AXES];
    jointMeasure(joint, a, b, now);
    for (int k = 0; k < JOINT_AXES; ++k)
    {
        JointAxis *axis = joint->axis + k;
        double gap = beyond(axis, now[k]);
        axis->gap = axis->compliance > 0 || fabs(gap) < ROUNDING ? 0 : gap;
    }
}

// ---- the system -----------------------------------------------------------------------------------------------------

typedef struct System
{
    int count;
    double matrix[JOINT_AXES][JOINT_AXES], right[JOINT_AXES], step[JOINT_AXES];
    bool fixed[JOINT_AXES]; // at a bound: its step is known
} System;

// L D L^T of the rows that are free, in place; rows that depend on others take no part.
static void solveFree(System *s)
{
    double l[JOINT_AXES][JOINT_AXES], d[JOINT_AXES], y[JOINT_AXES];
    int n = s->count;
    for (int i = 0; i < n; ++i)
    {
        d[i] = 0;
        y[i] = s->right[i];
        for (int k = 0; k < n && !s->fixed[i]; ++k)
            y[i] -= s->fixed[k] ? s->matrix[i][k] * s->step[k] : 0;
        double pivot = s->matrix[i][i];
        for (int k = 0; k < i; ++k)
        {
            double sum = s->matrix[i][k];
            for (int m = 0; m < k; ++m)
                sum -= l[i][m] * l[k][m] * d[m];
            l[i][k] = d[k] > 0 ? sum / d[k] : 0;
            pivot -= l[i][k] * l[i][k] * d[k];
            y[i] -= l[i][k] * y[k];
        }
        if (!s->fixed[i] && pivot > DEPENDENT * s->matrix[i][i])
            d[i] = pivot;
        else
            y[i] = 0;
    }
    for (int i = n - 1; i >= 0; --i)
    {
        if (s->fixed[i])
            continue;
        double sum = d[i] > 0 ? y[i] / d[i] : 0;
        for (int k = i + 1; k < n && d[i] > 0; ++k)
            sum -= d[k] > 0 ? l[k][i] * s->step[k] : 0;
        s->step[i] = sum;
    }
}

// The row that leaves its bounds by most is fixed there, and the rest solved again.
static void solveBounded(System *s, const JointRow *row)
{
    for (int pass = 0; pass <= s->count; ++pass)
    {
        solveFree(s);
        int worst = -1;
        double most = 0, bound = 0;
        for (int i = 0; i < s->count; ++i)
        {
            double total = *row[i].total + s->step[i], kept = minReal(maxReal(total, row[i].least), row[i].most);
            if (s->fixed[i] || !(fabs(total - kept) > most))
                continue;
            most = fabs(total - kept);
            worst = i;
            bound = kept;
        }
        if (worst < 0)
            return;
        s->fixed[worst] = true;
        s->step[worst] = bound - *row[worst].total;
    }
}

static void push(RigidBody *body, Vec3 impulse, Vec3 couple)
{
    if (!(body->inverseMass > 0))
        return;
    body->impulse = vecAdd(body->impulse, impulse);
    body->couple = vecAdd(body->couple, couple);
    body->position = vecAdd(body->position, vecScale(body->inverseMass, impulse));
    body->rotation = quatTurned(body->rotation, matApply(&body->inverseTensor, couple));
}

static Vec3 directionOf(const Joint *joint, int k, bool first)
{
    return first && joint->isPulley && k < 3 ? joint->directionA : joint->axis[k].direction;
}

// m/s or rad/s: of one of the bodies along a measure, without what outer forces gave it in the last `after` s
static double speedOf(const Joint *joint, int k, const RigidBody *body, bool first, double after)
{
    double back = body->inverseMass > 0 ? -after : 0;
    Vec3 spin = vecAdd(body->spin, vecScale(back, body->pulled)), direction = directionOf(joint, k, first);
    if (k >= 3)
        return vecDot(direction, spin);
    Vec3 velocity = vecAdd(body->velocity, vecScale(back, body->pull));
    return vecDot(direction, vecAdd(velocity, vecCross(spin, first ? joint->armA : joint->armB)));
}

void jointApply(Joint *joint, RigidBody *a, RigidBody *b, const JointRow *row, const double *step, int count, double h)
{
    Vec3 impulse = vec3(0, 0, 0), coupleA = impulse, coupleB = impulse, twist = impulse, apart = impulse;
    for (int i = 0; i < count; ++i)
    {
        *row[i].total += step[i];
        impulse = vecAdd(impulse, vecScale(step[i], row[i].linear));
        apart = vecAdd(apart, vecScale(step[i], row[i].linearA));
        coupleA = vecAdd(coupleA, vecScale(step[i], row[i].angularA));
        coupleB = vecAdd(coupleB, vecScale(step[i], row[i].angularB));
        if (vecDot(row[i].linear, row[i].linear) == 0)
            twist = vecAdd(twist, vecScale(step[i], row[i].angularB));
    }
    for (int k = 0; k < JOINT_AXES; ++k)
        joint->axis[k].speed = speedOf(joint, k, b, false, 0) - speedOf(joint, k, a, true, 0);
    push(a, vecScale(-1, joint->isPulley ? apart : impulse), vecScale(-1, coupleA));
    push(b, impulse, coupleB);
    joint->impulse = vecAdd(joint->impulse, vecScale(1 / h, impulse));
    joint->couple = vecAdd(joint->couple, vecScale(1 / h, twist));
}

void jointSolve(Joint *joint, RigidBody *a, RigidBody *b, double turn, double h)
{
    jointFollow(joint, a, b, turn);
    JointRow row[JOINT_AXES];
    System s = { .count = jointRows(joint, a, b, h, row) };
    for (int i = 0; i < s.count; ++i)
    {
        for (int k = 0; k <= i; ++k)
            s.matrix[i][k] = s.matrix[k][i] = coupling(a, b, row + i, row + k);
        s.matrix[i][i] += row[i].softness;
        s.right[i] = -row[i].error - row[i].softness * *row[i].total;
    }
    solveBounded(&s, row);
    jointApply(joint, a, b, row, s.step, s.count, h);
}

// ---- books ----------------------------------------------------------------------------------------------------------

// what acts on it is a lock or limit that gives way nowhere, and no damper
static bool beyondHard(const JointAxis *axis)
{
    bool stops = axis->state == AXIS_LOCKED || (axis->state == AXIS_LIMITED && !(axis->damping > 0));
    return stops && !(axis->compliance > 0);
}

static double heldBy(const JointAxis *axis, double now)
{
    double far = beyond(axis, now);
    return axis->compliance > 0 ? 0.5 * far * far / axis->compliance : 0;
}

double jointEnergy(const Joint *joint, const RigidBody *a, const RigidBody *b)
{
    double now[JOINT_AXES], sum = 0;
    jointMeasure(joint, a, b, now);
    for (int k = 0; k < JOINT_AXES; ++k)
        sum += heldBy(joint->axis + k, now[k]);
    return sum;
}

// m/s^2: what outer forces give one of the bodies along a measure
static double pullAlong(const Joint *joint, int k, const RigidBody *body, bool first)
{
    return k < 3 && body->inverseMass > 0 ? vecDot(directionOf(joint, k, first), body->pull) : 0;
}

// m or rad: what a positional impulse does work along, which is exactly what it changes of the energy. An impulse has
// the mean of the speeds before and after it; what it displaces has moved along outer forces without their speed.
static double wayOf(const Joint *joint, int k, const RigidBody *a, const RigidBody *b, double h)
{
    double after = speedOf(joint, k, b, false, 0.5 * h) - speedOf(joint, k, a, true, 0.5 * h);
    double pull = pullAlong(joint, k, b, false) - pullAlong(joint, k, a, true);
    return 0.5 * h * (joint->axis[k].speed + after - h * pull);
}

// m or rad: the way of a kinematic body along a measure
static double drivenWay(const Joint *joint, int k, const RigidBody *a, const RigidBody *b, double h)
{
    double way = a->inverseMass > 0 ? 0 : speedOf(joint, k, a, true, 0);
    return h * (way - (b->inverseMass > 0 ? 0 : speedOf(joint, k, b, false, 0)));
}

bool jointCloses(const Joint *joint)
{
    for (int k = 0; k < JOINT_AXES; ++k)
    {
        if (joint->axis[k].closed != 0)
            return true;
    }
    return false;
}

// A hard joint does no work but while a gap of it closes, as a motor does: what it does nevertheless is an error of the
// substep.
void jointEnd(Joint *joint, RigidBody *a, RigidBody *b, double h)
{
    double now[JOINT_AXES], lost = 0;
    bool closing = jointCloses(joint);
    jointMeasure(joint, a, b, now);
    joint->energy = 0;
    for (int k = 0; k < JOINT_AXES; ++k)
    {
        JointAxis *axis = joint->axis + k;
        double way = now[k] - axis->start, mean = 0.5 * (way + axis->predicted - axis->start);
        axis->now = now[k];
        bool soft = axis->state == AXIS_LOCKED ? axis->compliance > 0 : axis->multiplier != 0;
        bool hard = axis->multiplier != 0 && beyondHard(axis);
        double acted = axis->driven != 0 || closing || hard ? wayOf(joint, k, a, b, h) : 0;
        double pushed = axis->driven + axis->multiplier;
        joint->work += (axis->driven + (closing ? axis->multiplier : 0)) * acted / (h * h);
        joint->work += pushed != 0 ? pushed * drivenWay(joint, k, a, b, h) / (h * h) : 0;
        lost -= hard && !closing ? axis->multiplier * acted / (h * h) : 0;
        joint->dissipated += soft && !hard ? axis->damping * way * mean / h : 0;
        joint->energy += heldBy(axis, now[k]);
    }
    RigidBody *moved = b->inverseMass > 0 ? b : a;
    moved->yielded += lost;
}

// ---- all of them ----------------------------------------------------------------------------------------------------

void linksBegin(const RigidLink *links, int count, double h)
{
    for (int i = 0; i < count; ++i)
        jointBegin(links[i].joint, links[i].a, links[i].b, h);
}

void linksSolve(const RigidLink *links, int count, double turn, double h)
{
    for (int i = 0; i < count; ++i)
        jointSolve(links[i].joint, links[i].a, links[i].b, turn, h);
}

void linksEnd(const RigidLink *links, int count, double h)
{
    for (int i = 0; i < count; ++i)
        jointEnd(links[i].joint, links[i].a, links[i].b, h);
}
