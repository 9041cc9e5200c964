// How a body gives way with all that holds it: the inverse of its mass in six directions, less what contacts that
// press and joints that hold take away. Each is a row j whose partner has a softness d of its own,
//
//   W <- W - (W j) (W j)^T / (j W j + d),
//
// which is exact for any number of rows on a partner that stays. What stands on others sees how these give way in the
// pass before. Contacts count as if they could pull: who asks looks at what happened afterwards.
#include "rigid/system.h"

#define PASSES 4      // bodies between one that is asked for and the ground
#define FIRM 1e-4     // of the free inverse mass along a row: what a contact gives way by at least
#define STICKS 0.98   // of the cone of friction: beyond, it slides
#define AT_LIMIT 0.98 // of the force of a motor, likewise
#define OF_STEP 0.25  // of the square of a step: time that a spring has to answer

typedef struct SupportRow
{
    double j[6]; // motion of the body along it: three of the velocity, three of the spin
} SupportRow;

static SupportRow rowAt(Vec3 arm, Vec3 direction)
{
    SupportRow row;
    vecStore(row.j, direction);
    vecStore(row.j + 3, vecCross(arm, direction));
    return row;
}

static double along(const RigidEase *ease, const SupportRow *row)
{
    double sum = 0;
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k)
            sum += row->j[i] * ease->m[i][k] * row->j[k];
    return sum;
}

static void hold(RigidEase *ease, const SupportRow *row, double softness)
{
    double way[6], sum = 0;
    for (int i = 0; i < 6; ++i)
    {
        way[i] = 0;
        for (int k = 0; k < 6; ++k)
            way[i] += ease->m[i][k] * row->j[k];
        sum += row->j[i] * way[i];
    }
    if (!(sum > 0))
        return;
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k)
            ease->m[i][k] -= way[i] * way[k] / (sum + softness);
}

static void addStiffness(RigidEase *sum, const SupportRow *row, double stiffness)
{
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k)
            sum->m[i][k] += stiffness * row->j[i] * row->j[k];
}

static RigidEase freeEase(const RigidBody *body)
{
    RigidEase ease = { { { 0 } } };
    for (int i = 0; i < 3 && body->inverseMass > 0; ++i)
    {
        ease.m[i][i] = body->inverseMass;
        for (int k = 0; k < 3; ++k)
            ease.m[3 + i][3 + k] = body->inverseTensor.m[i][k];
    }
    return ease;
}

static RigidHold freeHold(const RigidBody *body)
{
    RigidEase ease = freeEase(body);
    return (RigidHold){ .ease = ease, .firm = ease, .clear = body->inverseMass > 0, .alone = body->inverseMass > 0 };
}

// ---- what holds -----------------------------------------------------------------------------------------------------

typedef struct Pass
{
    const RigidSystem *system;
    double dt;
} Pass;

// of a body by a row against its partner
static void holdBy(const Pass *pass, const RigidBody *body, SupportRow row, const RigidBody *partner, SupportRow other,
                   double spring)
{
    double softness = 0;
    const RigidSystem *system = pass->system;
    if (!(body->inverseMass > 0) || !system->asked[body->index])
        return;
    RigidEase free = freeEase(body);
    double least = FIRM * along(&free, &row);
    if (partner->inverseMass > 0)
    {
        RigidEase unknown = freeEase(partner);
        softness += along(system->asked[partner->index] ? &system->hold[partner->index].ease : &unknown, &other);
    }
    RigidHold *next = &system->next[body->index];
    hold(&next->ease, &row, maxReal(softness + spring / (OF_STEP * pass->dt * pass->dt), least));
    if (spring > 0)
        addStiffness(&next->stiffness, &row, 1 / spring);
    else
        hold(&next->firm, &row, maxReal(softness, least));
}

static void holdPair(const Pass *pass, const RigidContact *c, Vec3 direction)
{
    Vec3 armB = vecSub(vecAdd(c->armA, c->a->position), c->b->position);
    SupportRow a = rowAt(c->armA, direction), b = rowAt(armB, direction);
    holdBy(pass, c->a, a, c->b, b, 0);
    holdBy(pass, c->b, b, c->a, a, 0);
}

static bool presses(const RigidContact *c)
{
    return vecDot(c->whole, c->normal) > 0;
}

static void holdContact(const Pass *pass, const RigidContact *c)
{
    if (!presses(c))
        return;
    holdPair(pass, c, c->normal);
    double normal = vecDot(c->whole, c->normal);
    double across = vecLength(vecSub(c->whole, vecScale(normal, c->normal)));
    if (!(c->friction > 0) || (normal > 0 && across > STICKS * c->friction * normal))
        return;
    Vec3 side = fabs(c->normal.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    Vec3 first = vecCross(c->normal, side);
    first = vecScale(1 / vecLength(first), first);
    holdPair(pass, c, first);
    holdPair(pass, c, vecCross(c->normal, first));
}

static bool holdsAxis(const JointAxis *axis, double h)
{
    if (axis->state == AXIS_LOCKED)
        return true;
    if (axis->state == AXIS_LIMITED && axis->multiplier != 0)
        return true;
    return axis->motor != MOTOR_NONE && fabs(axis->driven) < AT_LIMIT * axis->limit * h * h;
}

static void holdLink(const Pass *pass, const RigidLink *link, double h)
{
    const Joint *joint = link->joint;
    for (int k = 0; k < JOINT_AXES; ++k)
    {
        const JointAxis *axis = &joint->axis[k];
        if (!holdsAxis(axis, h) || !(vecDot(axis->direction, axis->direction) > 0))
            continue;
        SupportRow a = rowAt(joint->armA, axis->direction), b = rowAt(joint->armB, axis->direction);
        if (k >= 3)
        {
            a = b = (SupportRow){ { 0 } };
            vecStore(a.j + 3, axis->direction);
            b = a;
        }
        holdBy(pass, link->a, a, link->b, b, axis->compliance);
        holdBy(pass, link->b, b, link->a, a, axis->compliance);
    }
}

// ---- who is asked for -----------------------------------------------------------------------------------------------

static void spread(RigidSystem *system, const RigidBody *a, const RigidBody *b, unsigned char hops)
{
    if (!(a->inverseMass > 0) || !(b->inverseMass > 0))
        return;
    unsigned char *first = &system->asked[a->index], *second = &system->asked[b->index];
    if (*first == hops && *second == 0)
        *second = (unsigned char)(hops + 1);
    else if (*second == hops && *first == 0)
        *first = (unsigned char)(hops + 1);
}

static void accompany(const RigidSystem *system, const RigidBody *body, bool touches)
{
    if (!(body->inverseMass > 0))
        return;
    system->hold[body->index].clear &= !touches;
    system->hold[body->index].alone = false;
}

void rigidSupport(RigidSystem *system, double dt)
{
    for (unsigned char hops = 1; hops < PASSES; ++hops)
    {
        for (int i = 0; i < system->contactCount; ++i)
        {
            if (presses(&system->contact[i]))
                spread(system, system->contact[i].a, system->contact[i].b, hops);
        }
        for (int i = 0; i < system->linkCount; ++i)
            spread(system, system->link[i].a, system->link[i].b, hops);
    }
    for (int i = 0; i < system->bodyCount; ++i)
        system->hold[i] = freeHold(system->body[i]);
    Pass pass = { system, dt };
    for (int p = 0; p < PASSES; ++p)
    {
        for (int i = 0; i < system->bodyCount; ++i)
            system->next[i] = freeHold(system->body[i]);
        for (int i = 0; i < system->contactCount; ++i)
            holdContact(&pass, &system->contact[i]);
        for (int i = 0; i < system->linkCount; ++i)
            holdLink(&pass, &system->link[i], dt / system->substeps);
        for (int i = 0; i < system->bodyCount; ++i)
            system->hold[i] = system->next[i];
    }
    for (int i = 0; i < system->contactCount; ++i)
    {
        accompany(system, system->contact[i].a, true);
        accompany(system, system->contact[i].b, true);
    }
    for (int i = 0; i < system->linkCount; ++i)
    {
        accompany(system, system->link[i].a, false);
        accompany(system, system->link[i].b, false);
    }
}
