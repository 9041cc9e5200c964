// What the joints of a machine lock (machine.c): springs of its island, the same for every kind of joint.
//
// The anchor of B is held to a point of A, or to a line of A where one length is free, or by a rod where a distance is.
// Angles are held by directions of B that are held to directions of A: such a spring pulls by couples alone, so that it
// is the same wherever the anchors are. All three directions lock every turn, and one leaves the turn about itself.
// What is hard is as stiff as machinesTune says, what is compliant is the spring that the joint is. Of directions of
// length s three springs k have the energy 2 k s^2 (1 - cos a) of a turn by a, and one has half of it.
#include "base/quaternion.h"
#include "world/machine.h"

static int countOf(const JointAxis *axis, AxisState state)
{
    return (axis[0].state == state) + (axis[1].state == state) + (axis[2].state == state);
}

// the first of three measures that are so, -1: none
static int firstOf(const JointAxis *axis, AxisState state)
{
    for (int k = 0; k < 3; ++k)
    {
        if (axis[k].state == state)
            return k;
    }
    return -1;
}

// The three lengths: all locked, or all but one, or all free. Of a distance the first alone.
static bool holdsLengths(const Joint *joint)
{
    int locked = countOf(joint->axis, AXIS_LOCKED);
    return joint->isDistance || locked >= 2 || countOf(joint->axis, AXIS_FREE) == 3;
}

// The three angles: as of the lengths, where what is locked beside a free one is locked at 0.
static bool holdsAngles(const Joint *joint)
{
    const JointAxis *axis = joint->axis + 3;
    int locked = countOf(axis, AXIS_LOCKED);
    if (joint->angles != ANGLES_VECTOR || locked == 3 || countOf(axis, AXIS_FREE) == 3)
        return true;
    for (int k = 0; k < 3; ++k)
    {
        if (axis[k].state == AXIS_LOCKED && axis[k].lower != 0)
            return false;
    }
    return locked == 2;
}

bool machineHolds(const WorldJoint *joint)
{
    const Joint *j = &joint->joint;
    return !j->isPulley && holdsLengths(j) && holdsAngles(j);
}

int machineFreeAxis(const Joint *joint, int first)
{
    int limited = firstOf(joint->axis + first, AXIS_LIMITED);
    return first + (limited >= 0 ? limited : maxInt(firstOf(joint->axis + first, AXIS_FREE), 0));
}

static Vec3 unit(int k)
{
    return vec3(k == 0, k == 1, k == 2);
}

Vec3 machineAxis(int k)
{
    return unit(k % 3);
}

// ---- springs --------------------------------------------------------------------------------------------------------

Attachment *machineAdd(World *world, int slot, const MachineSpring *spring, vvResult *result)
{
    WorldJoint *joint = &world->joints.item[slot];
    Endpoint onB = machineEnd(world, joint, spring->b, true, spring->onB, spring->turns);
    Endpoint onA = machineEnd(world, joint, spring->a, false, spring->onA, spring->turns);
    int made = attachmentLink(world, spring->b, onB, spring->a, onA, slot + 1, result);
    if (made < 0)
        return NULL;
    Attachment *a = &world->attachment[made];
    a->role = spring->role;
    a->turns = spring->turns;
    return a;
}

// the point of A slides along an axis of its frame
static void laySlider(const World *world, const WorldJoint *joint, Attachment *a, Vec3 point, int axis)
{
    Vec3 further = vecAdd(point, vecScale(1 / machineSize(world, joint), unit(axis)));
    Endpoint ahead = machineEnd(world, joint, a->body[1], false, further, false);
    a->slides = true;
    a->along = a->end[1];
    for (int k = 0; k < a->along.count; ++k)
    {
        int same = 0;
        while (ahead.vertex[same] != a->along.vertex[k])
            same += 1;
        a->along.share[k] = ahead.share[same] - a->end[1].share[k];
    }
}

static bool holdLengths(World *world, int slot, Body *a, Body *b, vvResult *result)
{
    const WorldJoint *joint = &world->joints.item[slot];
    const JointAxis *axis = joint->joint.axis;
    int locked = countOf(axis, AXIS_LOCKED);
    MachineSpring spring = { .role = SPRING_POINT, .a = a, .b = b };
    if (locked == 0)
        return true;
    double at[3], size = machineSize(world, joint);
    for (int k = 0; k < 3; ++k)
        at[k] = axis[k].state == AXIS_LOCKED && !joint->joint.isDistance ? axis[k].lower / size : 0;
    spring.onA = vecLoad(at);
    Attachment *made = machineAdd(world, slot, &spring, result);
    if (made != NULL && !joint->joint.isDistance && locked == 2)
        laySlider(world, joint, made, spring.onA, machineFreeAxis(&joint->joint, 0));
    if (made != NULL)
        made->compliant = joint->def.compliance > 0;
    return made != NULL;
}

// of B in A where all angles are locked
static vvQuat lockedTurn(const Joint *joint)
{
    Vec3 v = vec3(joint->axis[3].lower, joint->axis[4].lower, joint->axis[5].lower);
    double angle = vecLength(v), sine, cosine;
    sineCosine(0.5 * angle, &sine, &cosine);
    Vec3 n = angle > 0 ? vecScale(sine / angle, v) : vec3(0, 0, 0);
    return (vvQuat){ cosine, n.x, n.y, n.z };
}

// bit k: direction k is held
static int heldDirections(const Joint *joint)
{
    const JointAxis *axis = joint->axis + 3;
    if (joint->angles == ANGLES_NONE || joint->angles == ANGLES_CONE || countOf(axis, AXIS_LOCKED) == 0)
        return 0;
    return countOf(axis, AXIS_LOCKED) == 3 ? 7 : 1 << (machineFreeAxis(joint, 3) - 3);
}

static bool holdAngles(World *world, int slot, Body *a, Body *b, vvResult *result)
{
    const WorldJoint *joint = &world->joints.item[slot];
    int held = heldDirections(&joint->joint);
    vvQuat turn = held == 7 ? lockedTurn(&joint->joint) : (vvQuat){ 1, 0, 0, 0 };
    bool done = true;
    for (int k = 0; k < 3 && done; ++k)
    {
        MachineSpring spring = { SPRING_TURN, true, a, b, quatRotate(turn, unit(k)), unit(k) };
        if (!(held & 1 << k))
            continue;
        Attachment *made = machineAdd(world, slot, &spring, result);
        done = made != NULL;
        if (done)
            made->compliant = joint->def.angularCompliance > 0;
    }
    return done;
}

bool machineHoldLink(World *world, int slot, Body *a, Body *b, vvResult *result)
{
    return holdLengths(world, slot, a, b, result) && holdAngles(world, slot, a, b, result);
}

// how many times as stiff as one spring of a joint: what turns less freely is held by more
static double sharesOf(const Joint *joint)
{
    int held = heldDirections(joint);
    return held == 7 ? 4 : held != 0 ? 2 : 1;
}

double machineHardness(World *world, const WorldJoint *joint, const Attachment *a, double hard)
{
    double soft = a->turns ? joint->def.angularCompliance : joint->def.compliance, size = machineSize(world, joint);
    if (!(soft > 0))
        return hard * sharesOf(&joint->joint);
    return a->turns ? 1 / (soft * size * size * (heldDirections(&joint->joint) == 7 ? 2 : 1)) : 1 / soft;
}
