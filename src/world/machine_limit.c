// Limits of the joints of a machine (machine.c): springs of its island too.
//
// A limit holds its measure where it was touched, for whole steps, while its spring presses: of a hinge a point beside
// its axis, of a rope its length, of a cone the length between two points of the axes, and its twist by a rod along the
// way of a point beside the axis, of a slider its travel by a rod along it. What a spring still has when it lets go is
// dissipated. It is as stiff as what strikes it is heavy, so that a step follows the blow.
#include "base/quaternion.h"
#include "world/machine.h"
#include "world/proxy.h"

#define FIRM 1.4 // rad by which what strikes a limit swings on its spring in a step
#define ROD 4.0  // sizes of a joint: how long the rod is that holds a twist or a travel

bool jointIsLimited(const vvJointDef *def)
{
    return isfinite(def->lower) || isfinite(def->upper);
}

int jointFreeAxis(const vvJointDef *def)
{
    return def->kind == VV_JOINT_SLIDER ? 0 : 3;
}

bool jointIsRope(const vvJointDef *def)
{
    return def->kind == VV_JOINT_DISTANCE && def->lower < def->upper;
}

// ---- their springs --------------------------------------------------------------------------------------------------

static bool opensWide(const vvJointDef *def)
{
    return def->swing > 0.5 * PI;
}

// returns 1 + slot; 0: out of memory
static int add(World *world, int slot, Body *a, Body *b, Vec3 onB, Vec3 onA, vvResult *result)
{
    const WorldJoint *joint = &world->joints.item[slot];
    int made = attachmentLink(world, b, machineEnd(world, joint, b, true, onB), a,
                              machineEnd(world, joint, a, false, onA), slot + 1, result);
    if (made >= 0)
        world->attachment[made].broken = true;
    return made + 1;
}

bool machineLimitsLink(World *world, int slot, Body *a, Body *b, vvResult *result)
{
    WorldJoint *joint = &world->joints.item[slot];
    const vvJointDef *def = &joint->def;
    bool turns = def->kind == VV_JOINT_HINGE || def->kind == VV_JOINT_CONE_TWIST;
    bool stops = jointIsRope(def) || ((turns || def->kind == VV_JOINT_SLIDER) && jointIsLimited(def));
    bool leans = def->kind == VV_JOINT_CONE_TWIST && def->swing < PI;
    Vec3 aside = turns ? vec3(0, 1, 0) : vec3(0, 0, 0);
    joint->stop = stops ? add(world, slot, a, b, aside, aside, result) : 0;
    joint->lean = leans ? add(world, slot, a, b, vec3(1, 0, 0), vec3(opensWide(def) ? -1 : 1, 0, 0), result) : 0;
    return (!stops || joint->stop > 0) && (!leans || joint->lean > 0);
}

// the end on A, or in the world
static void place(const World *world, const WorldJoint *joint, Attachment *a)
{
    a->end[1] = joint->bodyA >= 0 ? proxyEndpoint(a->body[1], a->point)
                                  : groundAt(a->body[1], joint->joint.anchorA, machineSize(world, joint), a->point);
}

void machinePlaceAt(World *world, const WorldJoint *joint, Attachment *a, Vec3 at)
{
    a->point = rigidLocal(jointBody(world, joint->bodyA), at);
    place(world, joint, a);
}

void machineRestore(const World *world, Attachment *a)
{
    const WorldJoint *joint = &world->joints.item[a->joint - 1];
    int slot = 1 + (int)(a - world->attachment);
    bool turns = joint->def.kind != VV_JOINT_DISTANCE;
    if (!a->broken && turns && joint->stop == slot)
        place(world, joint, a);
}

// ---- how a joint moves ----------------------------------------------------------------------------------------------

static Vec3 axisOf(World *world, const WorldJoint *joint)
{
    const RigidBody *a = jointBody(world, joint->bodyA), *b = jointBody(world, joint->bodyB);
    if (joint->def.kind == VV_JOINT_SLIDER)
        return quatRotate(a->rotation, quatRotate(joint->joint.frameA, vec3(1, 0, 0)));
    Vec3 x = quatRotate(b->rotation, quatRotate(joint->joint.frameB, vec3(1, 0, 0)));
    if (joint->def.kind == VV_JOINT_CONE_TWIST) // between both, where a lean does not twist
        x = vecAdd(x, quatRotate(a->rotation, quatRotate(joint->joint.frameA, vec3(1, 0, 0))));
    double length = vecLength(x);
    return length > 0 ? vecScale(1 / length, x) : vec3(1, 0, 0);
}

static Vec3 velocityAt(const RigidBody *body, Vec3 at)
{
    return vecAdd(body->velocity, vecCross(body->spin, vecSub(at, body->position)));
}

static Measure lengthOf(World *world, const WorldJoint *joint, const Attachment *a)
{
    Vec3 b = attachmentEnd(world, a, 0), first = attachmentEnd(world, a, 1), apart = vecSub(b, first);
    Measure m = { .now = vecLength(apart) };
    if (!(m.now > 0))
        return m;
    Vec3 n = vecScale(1 / m.now, apart);
    m.rate = vecDot(
        n, vecSub(velocityAt(jointBody(world, joint->bodyB), b), velocityAt(jointBody(world, joint->bodyA), first)));
    m.pressed = a->broken ? 0 : vecDot(n, attachmentPull(world, a));
    return m;
}

Vec3 machineArm(World *world, const WorldJoint *joint, const Attachment *a)
{
    return vecSub(attachmentEnd(world, a, 0), rigidPoint(jointBody(world, joint->bodyB), joint->joint.anchorB));
}

static Measure travelOf(World *world, const WorldJoint *joint, const Attachment *a)
{
    const RigidBody *first = jointBody(world, joint->bodyA), *second = jointBody(world, joint->bodyB);
    Vec3 at = rigidPoint(second, joint->joint.anchorB);
    Measure m = { .now = machineNow(world, joint), .axis = axisOf(world, joint) };
    m.rate = vecDot(m.axis, vecSub(velocityAt(second, at), velocityAt(first, at)));
    m.pressed = a->broken ? 0 : vecDot(m.axis, attachmentPull(world, a));
    return m;
}

Measure machineMeasure(World *world, const WorldJoint *joint, const Attachment *a)
{
    if (joint->def.kind == VV_JOINT_SLIDER)
        return travelOf(world, joint, a);
    Vec3 turning = vecSub(jointBody(world, joint->bodyB)->spin, jointBody(world, joint->bodyA)->spin);
    Measure m = { .now = joint->joint.axis[3].now, .axis = axisOf(world, joint) };
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
    Measure m = machineMeasure(world, joint, a);
    const JointAxis *axis = &joint->joint.axis[jointFreeAxis(&joint->def)];
    if (!holds(world, joint, a, &m, axis->lower, axis->upper))
        return;
    bool turns = jointFreeAxis(&joint->def) == 3;
    double rod = joint->def.kind == VV_JOINT_HINGE ? 0 : ROD * machineSize(world, joint);
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

void machineLimitsBegin(World *world, const WorldJoint *joint, double dt)
{
    Attachment *item = world->attachment;
    if (joint->stop > 0 && joint->def.kind == VV_JOINT_DISTANCE)
        decideLength(world, joint, &item[joint->stop - 1], joint->def.lower, joint->def.upper, dt);
    else if (joint->stop > 0)
        decideFree(world, joint, &item[joint->stop - 1], dt);
    if (joint->lean > 0)
        decideLean(world, joint, &item[joint->lean - 1], dt);
}
