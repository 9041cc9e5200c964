// All joints of a step at once. One sweep over the joints of a chain leaves each with what the next one does to it: the
// chain gives way, loses a part of its motion in every substep, and loops gain. Here the rows of all joints are one
// system, J M^-1 J^T + softness, factored within its envelope in the order of the joints: no fill for chains whose
// joints were made one after the other, little for trees and loops. With what it solves to convergence the substep is
// SHAKE (Ryckaert 1977), which is symplectic: energy stays near its value.
//
// Bounds (limits, motors) are decided by a sweep before (jointSolve): rows at a bound stay there.
#include "rigid/system.h"

#define PASSES 5         // of Newton's method, with the directions of the substep
#define ROUNDS 12        // of what limits and motors hold
#define RISE 1.01        // of the kinetic energy of a cluster in a substep: that joints may raise it to
#define CONVERGES 0.5    // of the last errors: what a pass leaves of them, or it is the last
#define EXACT 1e-11      // m or rad: errors that are none
#define DEPENDENT 1e-4   // of the diagonal: what is left of a row that others hold already
#define WIDEST 400       // rows: of a mean envelope; joints that hang together more widely are left to the sweep
#define MOST_ROWS 100000 // likewise, of all

bool jointsReserve(RigidSystem *system, Memory *memory)
{
    JointsTogether *t = &system->together;
    int rows = JOINT_AXES * system->linkCount;
    if (rows <= t->room && system->room <= t->bodyRoom)
        return true;
    rows = maxInt(rows, t->room);
    jointsRelease(t, memory);
    t->row = ALLOCATE(memory, JointRow, rows);
    t->link = ALLOCATE(memory, int, rows);
    t->first = ALLOCATE(memory, int, rows);
    t->start = ALLOCATE(memory, int, rows + 1);
    t->diagonal = ALLOCATE(memory, double, rows);
    t->step = ALLOCATE(memory, double, rows);
    t->right = ALLOCATE(memory, double, rows);
    t->bounded = ALLOCATE(memory, double, rows);
    t->fixed = ALLOCATE(memory, bool, rows);
    t->kept = ALLOCATE(memory, Joint, rows / JOINT_AXES);
    t->swept = ALLOCATE(memory, JointsSwept, system->room);
    t->energy = ALLOCATE(memory, JointsEnergy, system->room);
    if (!t->right || !t->bounded || !t->fixed || !t->kept || !t->swept || !t->energy)
        return false;
    if (!t->row || !t->link || !t->first || !t->start || !t->diagonal || !t->step)
        return false;
    t->room = rows;
    t->bodyRoom = system->room;
    return true;
}

void jointsRelease(JointsTogether *t, Memory *memory)
{
    memoryRelease(memory, t->row);
    memoryRelease(memory, t->link);
    memoryRelease(memory, t->first);
    memoryRelease(memory, t->start);
    memoryRelease(memory, t->diagonal);
    memoryRelease(memory, t->step);
    memoryRelease(memory, t->right);
    memoryRelease(memory, t->bounded);
    memoryRelease(memory, t->fixed);
    memoryRelease(memory, t->kept);
    memoryRelease(memory, t->swept);
    memoryRelease(memory, t->energy);
    memoryRelease(memory, t->lower);
    *t = (JointsTogether){ .room = 0 };
}

// ---- the system -----------------------------------------------------------------------------------------------------

// what a row moves: B along it, A against it
typedef struct Moved
{
    Vec3 linear, angular;
} Moved;

static Moved movedOf(const JointRow *row, bool first)
{
    if (!first)
        return (Moved){ row->linear, row->angularB };
    return (Moved){ vecScale(-1, row->apart ? row->linearA : row->linear), vecScale(-1, row->angularA) };
}

static double dot(const RigidBody *body, Moved u, Moved v)
{
    return body->inverseMass * vecDot(u.linear, v.linear) +
           vecDot(u.angular, matApply(&body->inverseTensor, v.angular));
}

// 1/kg, 1/(kg m) or 1/(kg m^2): of two rows, over the bodies that both move
static double coupling(const RigidSystem *system, int i, int k)
{
    const JointsTogether *t = &system->together;
    const RigidLink *p = &system->link[t->link[i]], *q = &system->link[t->link[k]];
    double sum = 0;
    for (int side = 0; side < 4; ++side)
    {
        const RigidBody *body = side & 1 ? p->b : p->a, *other = side & 2 ? q->b : q->a;
        if (body == other && body->inverseMass > 0)
            sum += dot(body, movedOf(t->row + i, !(side & 1)), movedOf(t->row + k, !(side & 2)));
    }
    return sum;
}

static bool isHeld(const JointRow *row) // at a bound that it would leave, or no bound
{
    double total = *row->total;
    return (total > row->least || row->error < 0) && (total < row->most || row->error > 0);
}

// The rows of all joints as bodies stand now, and the largest error among them, m or rad.
static double gather(RigidSystem *system, double h)
{
    JointsTogether *t = &system->together;
    double worst = 0;
    t->count = 0;
    for (int i = 0; i < system->linkCount; ++i)
    {
        const RigidLink *link = &system->link[i];
        JointRow row[JOINT_AXES];
        if (jointCloses(link->joint)) // its bodies are being pulled together: the sweep does that
            continue;
        jointFollow(link->joint, link->a, link->b, JOINT_FOLLOW_TOGETHER);
        int count = jointRows(link->joint, link->a, link->b, h, row), turning;
        bool steady = jointIsSteady(link->joint, link->a, link->b, &turning);
        for (int k = 0; k < count; ++k)
        {
            if (!isHeld(row + k) || (!steady && row[k].total == &link->joint->axis[turning].multiplier))
                continue;
            double left = row[k].error + row[k].softness * *row[k].total;
            t->link[t->count] = i;
            t->row[t->count] = row[k];
            t->right[t->count++] = -left;
            worst = maxReal(worst, fabs(left));
        }
    }
    return worst;
}

// The first row that moves a body.
static int reach(RigidSystem *system, const RigidBody *body, int row)
{
    int *seen = system->level; // not in use while joints are solved
    if (!(body->inverseMass > 0))
        return row;
    if (seen[body->index] < 0)
        seen[body->index] = row;
    return seen[body->index];
}

// Where the envelope of each row begins; false: it is too wide, or there is no memory for it.
static bool outline(RigidSystem *system, Memory *memory)
{
    JointsTogether *t = &system->together;
    for (int i = 0; i < system->bodyCount; ++i)
        system->level[i] = -1;
    t->start[0] = 0;
    for (int i = 0; i < t->count; ++i)
    {
        const RigidLink *link = &system->link[t->link[i]];
        t->first[i] = minInt(reach(system, link->a, i), reach(system, link->b, i));
        t->start[i + 1] = t->start[i] + i - t->first[i];
        if (t->start[i + 1] > WIDEST * t->count)
            return false;
    }
    if (t->start[t->count] <= t->lowerRoom)
        return true;
    memoryRelease(memory, t->lower);
    t->lowerRoom = 2 * t->start[t->count];
    t->lower = ALLOCATE(memory, double, t->lowerRoom);
    t->lowerRoom = t->lower != NULL ? t->lowerRoom : 0;
    return t->lower != NULL;
}

// L D L^T within the envelope; rows that depend on others take no part (D = 0)
static void factor(RigidSystem *system)
{
    JointsTogether *t = &system->together;
    for (int i = 0; i < t->count; ++i)
    {
        double *l = t->lower + t->start[i] - t->first[i]; // l[k]: of column k
        double own = coupling(system, i, i) + t->row[i].softness, pivot = own;
        for (int k = t->first[i]; k < i; ++k)
        {
            const double *other = t->lower + t->start[k] - t->first[k];
            double sum = coupling(system, i, k);
            for (int m = maxInt(t->first[i], t->first[k]); m < k; ++m)
                sum -= l[m] * other[m]; // l is L D so far
            l[k] = sum;
        }
        for (int k = t->first[i]; k < i; ++k)
        {
            double scaled = t->diagonal[k] > 0 ? l[k] / t->diagonal[k] : 0;
            pivot -= scaled * l[k];
            l[k] = scaled;
        }
        t->diagonal[i] = !t->fixed[i] && pivot > DEPENDENT * own ? pivot : 0;
    }
}

static void solve(JointsTogether *t)
{
    for (int i = 0; i < t->count; ++i)
    {
        const double *l = t->lower + t->start[i] - t->first[i];
        for (int k = t->first[i]; k < i; ++k)
            t->step[i] -= l[k] * t->step[k];
        t->step[i] = t->diagonal[i] > 0 ? t->step[i] : 0;
    }
    for (int i = 0; i < t->count; ++i)
        t->step[i] = t->diagonal[i] > 0 ? t->step[i] / t->diagonal[i] : 0;
    for (int i = t->count - 1; i >= 0; --i)
    {
        const double *l = t->lower + t->start[i] - t->first[i];
        for (int k = t->first[i]; k < i; ++k)
            t->step[k] -= t->diagonal[k] > 0 ? l[k] * t->step[i] : 0;
    }
}

// Rows that would leave their bounds go to them, and the others are solved anew without them: fixed ones stay so.
static bool bound(JointsTogether *t)
{
    bool any = false;
    for (int i = 0; i < t->count; ++i)
    {
        const JointRow *row = t->row + i;
        double total = *row->total + t->step[i], kept = minReal(maxReal(total, row->least), row->most);
        if (t->fixed[i] || total == kept)
            continue;
        t->fixed[i] = any = true;
        t->bounded[i] = kept - *row->total;
    }
    return any;
}

// what is left of the errors with what fixed rows do
static void load(RigidSystem *system)
{
    JointsTogether *t = &system->together;
    for (int i = 0; i < t->count; ++i)
        t->step[i] = t->right[i];
    for (int k = 0; k < t->count; ++k)
    {
        for (int i = 0; i < t->count && t->fixed[k]; ++i)
            t->step[i] -= t->bounded[k] != 0 && i != k ? coupling(system, i, k) * t->bounded[k] : 0;
    }
}

// One system after the other until all rows are within their bounds.
static bool decide(RigidSystem *system)
{
    JointsTogether *t = &system->together;
    for (int i = 0; i < t->count; ++i)
        t->fixed[i] = false;
    for (int round = 0; round < ROUNDS; ++round)
    {
        load(system);
        factor(system);
        solve(t);
        for (int i = 0; i < t->count; ++i)
            t->step[i] = t->fixed[i] ? t->bounded[i] : t->step[i];
        if (!bound(t))
            return true;
    }
    return false;
}

static void apply(RigidSystem *system, double h)
{
    JointsTogether *t = &system->together;
    for (int first = 0, end = 0; first < t->count; first = end)
    {
        const RigidLink *link = &system->link[t->link[first]];
        for (end = first; end < t->count && t->link[end] == t->link[first];)
            ++end;
        jointApply(link->joint, link->a, link->b, t->row + first, t->step + first, end - first, h);
    }
}

// ---- what the sweep left --------------------------------------------------------------------------------------------

static void keep(RigidSystem *system)
{
    JointsTogether *t = &system->together;
    for (int i = 0; i < system->linkCount; ++i)
        t->kept[i] = *system->link[i].joint;
    for (int i = 0; i < system->activeCount; ++i)
    {
        const RigidBody *body = system->active[i];
        t->swept[i] = (JointsSwept){ body->position, body->impulse, body->couple, body->rotation };
    }
}

// J, with what joints have given it
static double kineticOf(const RigidBody *body, Vec3 impulse, Vec3 couple, double h)
{
    Vec3 velocity = vecAdd(body->velocity, vecScale(body->inverseMass / h, impulse));
    Vec3 momentum = vecAdd(body->angularMomentum, vecScale(1 / h, couple));
    return 0.5 * (body->mass * vecDot(velocity, velocity) + vecDot(momentum, matApply(&body->inverseTensor, momentum)));
}

// Joints that hold do not raise the energy of the prediction but by errors of the substep, and motors do it in the
// sweep. Where they would by more (a loop that cannot close, limits that exclude each other), or where gaps are larger
// than before, the sweep is what stays.
static void check(RigidSystem *system, bool worse, double h)
{
    JointsTogether *t = &system->together;
    const Vec3 none = { 0, 0, 0 };
    for (int i = 0; i < system->bodyCount; ++i)
        t->energy[i] = (JointsEnergy){ .free = 0 };
    for (int i = 0; i < system->activeCount; ++i)
    {
        const RigidBody *body = system->active[i];
        JointsEnergy *sum = &t->energy[body->cluster];
        if (!(body->inverseMass > 0))
            continue;
        sum->free += kineticOf(body, none, none, h);
        sum->swept += kineticOf(body, t->swept[i].impulse, t->swept[i].couple, h);
        sum->now += kineticOf(body, body->impulse, body->couple, h);
    }
    for (int i = 0; i < system->bodyCount; ++i)
    {
        JointsEnergy *sum = &t->energy[i];
        sum->undone = worse || !(sum->now <= RISE * maxReal(sum->free, sum->swept));
    }
    for (int i = 0; i < system->activeCount; ++i)
    {
        RigidBody *body = system->active[i];
        if (!(body->inverseMass > 0) || !t->energy[body->cluster].undone)
            continue;
        body->position = t->swept[i].position;
        body->rotation = t->swept[i].rotation;
        body->impulse = t->swept[i].impulse;
        body->couple = t->swept[i].couple;
    }
    for (int i = 0; i < system->linkCount; ++i)
    {
        const RigidLink *link = &system->link[i];
        const RigidBody *moved = link->b->inverseMass > 0 ? link->b : link->a;
        if (moved->inverseMass > 0 && t->energy[moved->cluster].undone)
            *link->joint = t->kept[i];
    }
}

bool jointsSolveTogether(RigidSystem *system, Memory *memory, double h)
{
    if (system->linkCount == 0 || JOINT_AXES * system->linkCount > MOST_ROWS)
        return true;
    double first = gather(system, h), last = INFINITY, worst = first;
    if (!(first > EXACT))
        return true;
    keep(system);
    for (int pass = 0; pass < PASSES && worst > EXACT && worst < CONVERGES * last; ++pass)
    {
        if (!outline(system, memory))
            return system->together.lower != NULL || system->together.count == 0; // too wide
        if (!decide(system))
            break;
        apply(system, h);
        last = worst;
        worst = gather(system, h);
    }
    check(system, !(worst <= first), h);
    return true;
}
