// Limits of the joints of a machine (machine.c): springs of its island too.
//
// A limit holds its measure where it was touched, for whole steps, while its spring presses: an angle by a direction
// beside the axis, a rope by its length, a cone by the length between the ends of its axes, and its twist by a rod
// along the way of a direction beside the axis, a travel by a rod along it. What a spring still has when it lets go is
// dissipated. It is as stiff as what strikes it is heavy, so that a step follows the blow.
//
// A limit that gives way is a spring that acts on one side of it alone, and is there before it is reached: nothing of
// it is lost. While it is slack it is laid anew in every step, so that it begins to pull where the limit is.
#include "base/quaternion.h"
#include "world/machine.h"
#include "world/proxy.h"

#define FIRM 1.4 // rad by which what strikes a limit swings on its spring in a step
#define ROD 4.0  // sizes of a joint: how long the rod is that holds a twist or a travel
#define NEAR 1.0 // rad: from where on an angle is near a limit that gives way

// ---- their springs --------------------------------------------------------------------------------------------------

static bool opensWide(const vvJointDef *def)
{
    return def->swing > 0.5 * PI;
}

// the measure that has limits, -1: none
static int stopAxis(const Joint *joint)
{
    for (int k = 0; k < JOINT_AXES; ++k)
    {
        bool leans = joint->angles == ANGLES_CONE && k > 3; // by a spring of its own
        bool twists = joint->angles == ANGLES_CONE && k == 3 && joint->axis[k].state == AXIS_LOCKED;
        if (twists || (joint->axis[k].state == AXIS_LIMITED && !leans))
            return k;
    }
    return -1;
}

// returns 1 + slot; 0: out of memory
static int add(World *world, int slot, const MachineSpring *spring, vvResult *result)
{
    const WorldJoint *joint = &world->joints.item[slot];
    Attachment *made = machineAdd(world, slot, spring, result);
    if (made == NULL)
        return 0;
    made->broken = true;
    made->compliant = (spring->turns ? joint->def.angularCompliance : joint->def.compliance) > 0;
    return 1 + (int)(made - world->attachment);
}

bool machineLimitsLink(World *world, int slot, Body *a, Body *b, vvResult *result)
{
    WorldJoint *joint = &world->joints.item[slot];
    const vvJointDef *def = &joint->def;
    int axis = stopAxis(&joint->joint);
    bool stops = axis >= 0, leans = def->kind == VV_JOINT_CONE_TWIST && def->swing < PI;
    MachineSpring stop = { SPRING_STOP, axis >= 3, a, b, vec3(0, 0, 0), vec3(0, 0, 0) }, lean = stop;
    if (axis >= 3)
        stop.onA = stop.onB = machineAxis(axis + 1);
    lean.turns = true;
    lean.onB = vec3(1, 0, 0);
    lean.onA = vec3(opensWide(def) ? -1 : 1, 0, 0);
    joint->stop = stops ? add(world, slot, &stop, result) : 0;
    joint->lean = leans && (!stops || joint->stop > 0) ? add(world, slot, &lean, result) : 0;
    return (!stops || joint->stop > 0) && (!leans || joint->lean > 0);
}

// the end on A, or in the world
static void place(const World *world, const WorldJoint *joint, Attachment *a)
{
    a->end[1] = machineOn(world, joint, a->body[1], false, a->point, a->turns);
}

void machinePlaceAt(World *world, const WorldJoint *joint, Attachment *a, Vec3 at)
{
    const RigidBody *first = jointBody(world, joint->bodyA);
    a->point = a->turns ? quatRotateBack(first->rotation, at) : rigidLocal(first, at);
    place(world, joint, a);
}

void machineRestore(const World *world, Attachment *a)
{
    const WorldJoint *joint = &world->joints.item[a->joint - 1];
    int slot = 1 + (int)(a - world->attachment);
    if (!a->broken && !joint->joint.isDistance && joint->stop == slot)
        place(world, joint, a);
}

// ---- how a joint moves ----------------------------------------------------------------------------------------------

Vec3 machineWorldAxis(World *world, const WorldJoint *joint, int axis)
{
    const RigidBody *a = jointBody(world, joint->bodyA), *b = jointBody(world, joint->bodyB);
    const Joint *j = &joint->joint;
    Vec3 onA = quatRotate(a->rotation, quatRotate(j->frameA, machineAxis(axis))), x = onA;
    if (j->isDistance)
        x = vecSub(rigidPoint(b, j->anchorB), rigidPoint(a, j->anchorA));
    else if (axis >= 3)
        x = quatRotate(b->rotation, quatRotate(j->frameB, machineAxis(axis)));
    if (j->angles == ANGLES_CONE && axis >= 3) // between both, where a lean does not twist
        x = vecAdd(x, onA);
    double length = vecLength(x);
    return length > 0 ? vecScale(1 / length, x) : vec3(1, 0, 0);
}

static Vec3 velocityAt(const RigidBody *body, Vec3 at)
{
    return vecAdd(body->velocity, vecCross(body->spin, vecSub(at, body->position)));
}

// of its end on B against that on A: directions turn
static Vec3 partingOf(World *world, const WorldJoint *joint, const Attachment *a)
{
    const RigidBody *first = jointBody(world, joint->bodyA), *second = jointBody(world, joint->bodyB);
    Vec3 onB = attachmentEnd(world, a, 0), onA = attachmentEnd(world, a, 1);
    if (a->turns)
        return vecSub(vecCross(second->spin, onB), vecCross(first->spin, onA));
    return vecSub(velocityAt(second, onB), velocityAt(first, onA));
}

static Measure lengthOf(World *world, const WorldJoint *joint, const Attachment *a)
{
    Vec3 apart = vecSub(attachmentEnd(world, a, 0), attachmentEnd(world, a, 1));
    Measure m = { .now = vecLength(apart) };
    if (!(m.now > 0))
        return m;
    Vec3 n = vecScale(1 / m.now, apart);
    m.rate = vecDot(n, partingOf(world, joint, a));
    m.pressed = a->broken ? 0 : vecDot(n, attachmentPull(world, a));
    return m;
}

Vec3 machineArm(World *world, const WorldJoint *joint, const Attachment *a)
{
    Vec3 end = attachmentEnd(world, a, 0);
    return a->turns ? end : vecSub(end, rigidPoint(jointBody(world, joint->bodyB), joint->joint.anchorB));
}

static Measure travelOf(World *world, const WorldJoint *joint, int axis, const Attachment *a)
{
    const RigidBody *first = jointBody(world, joint->bodyA), *second = jointBody(world, joint->bodyB);
    Vec3 at = rigidPoint(second, joint->joint.anchorB);
    Measure m = { .now = machineNow(world, joint, axis), .axis = machineWorldAxis(world, joint, axis) };
    m.rate = vecDot(m.axis, vecSub(velocityAt(second, at), velocityAt(first, at)));
    m.pressed = a->broken ? 0 : vecDot(m.axis, attachmentPull(world, a));
    return m;
}

Measure machineMeasure(World *world, const WorldJoint *joint, int axis, const Attachment *a)
{
    if (axis < 3)
        return travelOf(world, joint, axis, a);
    Vec3 turning = vecSub(jointBody(world, joint->bodyB)->spin, jointBody(world, joint->bodyA)->spin);
    Measure m = { .now = machineNow(world, joint, axis), .axis = machineWorldAxis(world, joint, axis) };
    m.rate = vecDot(m.axis, turning);
    m.pressed = a->broken ? 0 : vecDot(m.axis, vecCross(machineArm(world, joint, a), attachmentPull(world, a)));
    return m;
}

// unit: where a point beside the axis goes when the angle grows
static Vec3 alongTurn(World *world, const WorldJoint *joint, const Attachment *a, Vec3 axis)
{
    Vec3 way = vecCross(axis, machineArm(world, joint, a));
    double length = vecLength(way);
    return length > 0 ? vecScale(1 / length, way) : vec3(0, 0, 0);
}

// ---- limits ---------------------------------------------------------------------------------------------------------

// N/m: by which what strikes the limit swings FIRM radians in a step
static double firmness(World *world, const WorldJoint *joint, Vec3 axis, double arm, double dt)
{
    bool turns = arm > 0;
    double inertia = machineInertia(world, joint, axis, turns);
    return FIRM * FIRM * inertia / (dt * dt * (turns ? arm * arm : 1));
}

// True: it holds from now on, and did not.
static bool holds(World *world, const WorldJoint *joint, Attachment *a, const Measure *m, double lower, double upper)
{
    int side = m->now <= lower ? 1 : m->now >= upper ? -1 : 0;
    bool held = side != 0 && (side * m->rate <= 0 || (!a->broken && side * m->pressed >= 0));
    if (held != a->broken)
        return false;
    if (!held)
        machineLetGo(world, joint, a);
    a->broken = !held;
    attachmentChanged(world, a);
    return held;
}

// an angle or a travel
static void decideFree(World *world, const WorldJoint *joint, Attachment *a, double dt)
{
    int stops = stopAxis(&joint->joint);
    Measure m = machineMeasure(world, joint, stops, a);
    const JointAxis *axis = &joint->joint.axis[stops];
    if (!holds(world, joint, a, &m, axis->lower, axis->upper))
        return;
    bool turns = stops >= 3, leans = joint->joint.angles == ANGLES_CONE;
    double rod = turns && !leans ? 0 : ROD * machineSize(world, joint);
    Vec3 way = m.axis, arm = machineArm(world, joint, a);
    if (turns)
        way = rod > 0 ? alongTurn(world, joint, a, m.axis) : vec3(0, 0, 0);
    else if (m.now >= axis->upper) // its rod is drawn
        way = vecScale(-1, way);
    a->stiffness = firmness(world, joint, m.axis, turns ? vecLength(vecCross(m.axis, arm)) : 0, dt);
    a->restLength = rod;
    machinePlaceAt(world, joint, a, vecAdd(attachmentEnd(world, a, 0), vecScale(rod, way)));
}

static void decideLength(World *world, const WorldJoint *joint, Attachment *a, double lower, double upper, double dt)
{
    Measure m = lengthOf(world, joint, a);
    if (!holds(world, joint, a, &m, lower, upper))
        return;
    Vec3 apart = vecSub(attachmentEnd(world, a, 0), attachmentEnd(world, a, 1)), arm = machineArm(world, joint, a);
    Vec3 across = vecCross(arm, apart); // a lean turns about it
    double length = vecLength(across);
    bool leans = vecLength(arm) > 0 && length > 0;
    Vec3 axis = leans ? vecScale(1 / length, across) : vec3(1, 0, 0);
    a->restLength = m.now;
    a->stiffness = firmness(world, joint, axis, leans ? vecLength(arm) : 0, dt);
}

static void decideLean(World *world, const WorldJoint *joint, Attachment *a, double dt)
{
    double sine, cosine, size = 2 * machineSize(world, joint);
    sineCosine(0.5 * joint->def.swing, &sine, &cosine);
    bool wide = opensWide(&joint->def);
    decideLength(world, joint, a, wide ? size * cosine : -1, wide ? INFINITY : size * sine, dt);
}

// ---- limits that give way -------------------------------------------------------------------------------------------

// slack, of this side, stiffness and rest length
static void lay(World *world, Attachment *a, double stiffness, double restLength, double side)
{
    if (!a->broken && a->stiffness == stiffness && a->restLength == restLength && a->side == side)
        return;
    double before = attachmentEnergy(world, a);
    a->broken = false;
    a->stiffness = stiffness;
    a->restLength = restLength;
    a->side = side;
    a->body[0]->account.added += attachmentEnergy(world, a) - before;
    attachmentChanged(world, a);
}

static void giveLength(World *world, const WorldJoint *joint, Attachment *a)
{
    const JointAxis *axis = &joint->joint.axis[0];
    double now = machineNow(world, joint, 0);
    bool upper = now - axis->lower > axis->upper - now || isinf(axis->lower);
    lay(world, a, 1 / axis->compliance, upper ? axis->upper : axis->lower, upper ? 1 : -1);
}

static void giveLean(World *world, const WorldJoint *joint, Attachment *a)
{
    double sine, cosine, size = machineSize(world, joint);
    sineCosine(0.5 * joint->def.swing, &sine, &cosine);
    bool wide = opensWide(&joint->def);
    double lever = size * (wide ? sine : cosine);
    lay(world, a, 1 / (joint->def.angularCompliance * lever * lever), 2 * size * (wide ? cosine : sine), wide ? -1 : 1);
}

// an angle or a travel: a rod from behind, that pulls beyond the limit which is nearer
static void giveFree(World *world, const WorldJoint *joint, Attachment *a)
{
    int stops = stopAxis(&joint->joint);
    const JointAxis *axis = &joint->joint.axis[stops];
    if (!a->broken && attachmentEnergy(world, a) > 0)
        return;
    Measure m = machineMeasure(world, joint, stops, a);
    double rod = ROD * machineSize(world, joint), radius = 1;
    double above = m.now - axis->upper, below = axis->lower - m.now, beyond = maxReal(above, below);
    double side = above > below ? 1 : -1;
    Vec3 way = m.axis;
    if (a->turns)
    {
        radius = vecLength(vecCross(m.axis, machineArm(world, joint, a)));
        way = alongTurn(world, joint, a, m.axis);
    }
    if (beyond < (a->turns ? -NEAR : -0.5 * rod) || !(radius > 0))
    {
        a->broken = true;
        attachmentChanged(world, a);
        return;
    }
    Vec3 back = vecScale(-side * (rod + radius * beyond), way);
    machinePlaceAt(world, joint, a, vecAdd(attachmentEnd(world, a, 0), back));
    a->broken = true;
    lay(world, a, 1 / (axis->compliance * radius * radius), rod, 1);
}

static void giveWay(World *world, const WorldJoint *joint, Attachment *a, int slot)
{
    if (slot == joint->lean)
        giveLean(world, joint, a);
    else if (joint->joint.isDistance)
        giveLength(world, joint, a);
    else
        giveFree(world, joint, a);
}

void machineLimitsBegin(World *world, const WorldJoint *joint, double dt)
{
    Attachment *item = world->attachment;
    const int slot[2] = { joint->stop, joint->lean };
    for (int k = 0; k < 2; ++k)
    {
        if (slot[k] > 0 && item[slot[k] - 1].compliant)
            giveWay(world, joint, &item[slot[k] - 1], slot[k]);
    }
    if ((joint->stop > 0 && item[joint->stop - 1].compliant) || (joint->lean > 0 && item[joint->lean - 1].compliant))
        return;
    if (joint->stop > 0 && joint->joint.isDistance)
        decideLength(world, joint, &item[joint->stop - 1], joint->def.lower, joint->def.upper, dt);
    else if (joint->stop > 0)
        decideFree(world, joint, &item[joint->stop - 1], dt);
    if (joint->lean > 0)
        decideLean(world, joint, &item[joint->lean - 1], dt);
}
