// Motors of the joints of a machine (machine.c): springs of its island too, made anew in every step.
//
// In a step a motor is a spring between points of both bodies that pulls with what holds its load (`hold`) in the
// middle of the way at the wanted speed, and with less or more ahead of it and behind: a damper with that speed, whose
// force is linear in the way. In every step it begins anew, and `hold` has changed by no more than a softer spring
// would have given way on the same way of the same points. So it takes energy of all motion beside the wanted speed,
// whatever is driven and however fast that vibrates: a spring of the stiffness of `hold` and one that loses in each
// step what it stores. Where it would pull with more than the largest force it is softer, the secant of a damper that
// is saturated.
// The work of a motor is added energy; between steps it stores nothing.
#include "base/quaternion.h"
#include "world/machine.h"
#include "world/proxy.h"

#define ROD 4.0     // sizes of a joint: how long the rod is at least, by which it pulls
#define FIRM 1.0    // square of the radians by which what is driven swings on its spring in a step
#define EVEN 0.35   // the same of one that keeps a speed: its pull falls by stiffness x way in each step, which shakes
#define HOLD 0.06   // likewise of the softer spring: by which `hold` grows
#define REACH 0.2   // of the way to its target, that a motor wants to go in a step
#define BRAKING 0.8 // of the largest force: what it counts on to stop there
#define TURN 0.5    // rad: as far as a half step is foreseen

bool machineMotorLink(World *world, int slot, Body *a, Body *b, vvResult *result)
{
    WorldJoint *joint = &world->joints.item[slot];
    int axis = jointMotorAxis(&joint->def);
    if (axis < 0 || joint->joint.axis[axis].state == AXIS_LOCKED)
        return true;
    MachineSpring spring = { SPRING_DRIVE, axis >= 3, a, b, vec3(0, 0, 0), vec3(0, 0, 0) };
    if (axis >= 3)
        spring.onA = spring.onB = machineAxis(axis + 1);
    Attachment *made = machineAdd(world, slot, &spring, result);
    if (made == NULL)
        return false;
    made->broken = true;
    joint->drive = 1 + (int)(made - world->attachment);
    return true;
}

static bool isTouched(const World *world, int slot)
{
    return machineMoves(world, slot) && proxyMeetsRigid(&world->rigids.item[slot]);
}

void machineMotorTune(World *world, WorldJoint *joint)
{
    int measured = jointMotorAxis(&joint->def);
    // rigid contacts are not in the island: there the joint itself has its motor and its dampers
    joint->touched = isTouched(world, joint->bodyA) || isTouched(world, joint->bodyB);
    joint->drives = false;
    if (joint->drive == 0)
        return;
    const JointAxis *axis = &joint->joint.axis[measured];
    joint->begun = machineNow(world, joint, measured);
    joint->drives = axis->motor != MOTOR_NONE && axis->limit > 0 && !joint->broken && !joint->touched;
}

void machineMotorStand(WorldJoint *joint, bool stands)
{
    jointTakeMotor(joint);
    if (stands)
        joint->joint.axis[jointMotorAxis(&joint->def)].motor = MOTOR_NONE;
}

// ---- what it drives -------------------------------------------------------------------------------------------------

// Marks the bodies on the side of `from`. True: those of the other side are among them.
static bool markSide(World *world, const WorldJoint *joint, int from, int other)
{
    Rigid *item = world->rigids.item;
    for (int i = 0; i < world->rigids.slotCount; ++i)
        item[i].beyond = i == from;
    for (bool grows = true; grows;)
    {
        grows = false;
        for (int i = 0; i < world->joints.slotCount; ++i)
        {
            const WorldJoint *link = &world->joints.item[i];
            if (!link->used || link->broken || link == joint || !machineMoves(world, link->bodyA) ||
                !machineMoves(world, link->bodyB) || item[link->bodyA].beyond == item[link->bodyB].beyond)
                continue;
            item[link->bodyA].beyond = item[link->bodyB].beyond = grows = true;
        }
    }
    return machineMoves(world, other) && item[other].beyond;
}

// kg, or kg m^2 about the axis: of vertices
static double softInertia(const Body *body, Vec3 at, Vec3 axis, bool turns)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    double sum = 0;
    for (int v = 0; v < s.count && turns; ++v)
    {
        Vec3 across = vecCross(axis, vecSub(vecLoad(s.start + 3 * (ptrdiff_t)v), at));
        sum += s.mass[v] * vecDot(across, across);
    }
    return turns ? sum : body->mass;
}

static double rigidInertia(const RigidBody *body, Vec3 at, Vec3 axis, bool turns)
{
    Vec3 across = vecCross(axis, vecSub(body->position, at)), own = quatRotateBack(body->rotation, axis);
    Vec3 i = body->inertia;
    return turns ? body->mass * vecDot(across, across) + i.x * own.x * own.x + i.y * own.y * own.y + i.z * own.z * own.z
                 : body->mass;
}

// of the marked bodies and of what is attached to them
static double sideInertia(const World *world, Vec3 at, Vec3 axis, bool turns)
{
    double sum = 0;
    const Body *last = NULL;
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        if (world->rigids.item[i].used && world->rigids.item[i].beyond)
            sum += rigidInertia(&world->rigids.item[i].body, at, axis, turns);
    }
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        int of = a->used && a->joint == 0 && a->body[1] != NULL ? a->body[1]->proxyOf - 1 : -1;
        if (of < 0 || !world->rigids.item[of].beyond || a->body[0] == last)
            continue;
        last = a->body[0];
        sum += softInertia(last, at, axis, turns);
    }
    return sum;
}

double machineInertia(World *world, const WorldJoint *joint, Vec3 axis, bool turns)
{
    bool second = machineMoves(world, joint->bodyB);
    int from = second ? joint->bodyB : joint->bodyA, other = second ? joint->bodyA : joint->bodyB;
    Vec3 at = rigidPoint(jointBody(world, joint->bodyB), joint->joint.anchorB);
    bool loop = markSide(world, joint, from, other);
    double near = sideInertia(world, at, axis, turns);
    if (loop || !machineMoves(world, other))
        return near;
    markSide(world, joint, other, from);
    double far = sideInertia(world, at, axis, turns);
    return near * far / (near + far);
}

// ---- its spring -----------------------------------------------------------------------------------------------------

// Of a step: N or N m in the middle of the way that is foreseen, and N/m or N m/rad about that.
typedef struct Drive
{
    double mean, stiffness;
} Drive;

// a speed that the largest force can stop before the target
static double approach(const JointAxis *axis, double now, double inertia, double dt)
{
    double way = axis->target - now, far = fabs(way);
    double speed = minReal(REACH * far / dt, sqrt(2 * BRAKING * axis->limit * far / inertia));
    return way < 0 ? -speed : speed;
}

// it drives nothing through a limit, and what is beyond one back
static double withinLimits(const JointAxis *axis, double now, double dt, double speed)
{
    if (axis->state != AXIS_LIMITED)
        return speed;
    return minReal(maxReal(speed, REACH * (axis->lower - now) / dt), REACH * (axis->upper - now) / dt);
}

static Drive motorOf(WorldJoint *joint, const JointAxis *axis, const Measure *m, double inertia, double dt)
{
    double hard = (axis->motor == MOTOR_SPEED ? EVEN : FIRM) * inertia / (dt * dt), limit = axis->limit;
    joint->leads =
        withinLimits(axis, m->now, dt, axis->motor == MOTOR_SPEED ? axis->target : approach(axis, m->now, inertia, dt));
    joint->hold = minReal(maxReal(joint->hold, -limit), limit);
    double gap = 0.5 * dt * (joint->leads - m->rate), wanted = joint->hold + hard * gap;
    joint->firm = HOLD * inertia / (dt * dt);
    joint->saturated = fabs(wanted) > limit;
    if (!joint->saturated)
        return (Drive){ wanted, hard };
    double mean = wanted > 0 ? limit : -limit, stiffness = (mean - joint->hold) / gap;
    if (stiffness >= joint->firm)
        return (Drive){ mean, stiffness };
    // what holds may always become less, and must be no stiffer than the spring of the step
    double rest = mean - joint->firm * gap;
    joint->hold = rest * mean > 0 ? rest : 0;
    if (joint->hold != 0)
        return (Drive){ mean, joint->firm };
    joint->firm = 0;
    return (Drive){ mean, mean / gap };
}

static double lengthOf(const World *world, const Attachment *a)
{
    return vecLength(vecSub(attachmentEnd(world, a, 0), attachmentEnd(world, a, 1)));
}

// Pulls along the way of its end on B, by a rod that is across the arm in the middle of the step and is never pressed
// together: what lies across it then takes no energy.
static void place(World *world, WorldJoint *joint, Attachment *a, const Measure *m, Drive drive, double dt)
{
    bool turns = a->turns;
    Vec3 arm = machineArm(world, joint, a), at = vecSub(attachmentEnd(world, a, 0), arm), way = m->axis;
    double radius = 1, foreseen = 0.5 * dt * m->rate, side = drive.mean < 0 ? -1 : 1;
    if (turns)
    {
        Vec3 across = vecSub(arm, vecScale(vecDot(arm, m->axis), m->axis)), beside = vecCross(m->axis, across);
        double sine, cosine;
        radius = vecLength(across);
        sineCosine(minReal(maxReal(foreseen, -TURN), TURN), &sine, &cosine);
        at = vecAdd(at, vecAdd(vecSub(arm, across), vecAdd(vecScale(cosine, across), vecScale(sine, beside))));
        way = vecScale(1 / radius, vecSub(vecScale(cosine, beside), vecScale(sine, across)));
    }
    else
        at = vecAdd(vecAdd(at, arm), vecScale(foreseen, way));
    // at the start: what is pulled with in the middle, and gives way until then
    double begins = side * (drive.mean + drive.stiffness * foreseen), stretch = radius * begins / drive.stiffness;
    double rod = ROD * machineSize(world, joint) + maxReal(stretch, 0);
    machinePlaceAt(world, joint, a, vecAdd(at, vecScale(side * rod, way)));
    joint->from = lengthOf(world, a);
    joint->lever = -side / radius;
    a->stiffness = drive.stiffness / (radius * radius);
    a->restLength = joint->from - stretch;
}

void machineMotorBegin(World *world, WorldJoint *joint, double dt)
{
    Attachment *a = &world->attachment[joint->drive - 1];
    int measured = jointMotorAxis(&joint->def);
    const JointAxis *axis = &joint->joint.axis[measured];
    Measure m = machineMeasure(world, joint, measured, a);
    m.rate = joint->pace;
    Drive drive = motorOf(joint, axis, &m, machineInertia(world, joint, m.axis, a->turns), dt);
    if (!(drive.stiffness > 0))
        return;
    place(world, joint, a, &m, drive, dt);
    a->broken = false;
    joint->lent = attachmentEnergy(world, a);
    a->body[0]->account.added += joint->lent;
    attachmentChanged(world, a);
}

void machineMotorRest(World *world, WorldJoint *joint)
{
    if (joint->drive == 0 || world->attachment[joint->drive - 1].broken)
        return;
    world->attachment[joint->drive - 1].broken = true;
    attachmentChanged(world, &world->attachment[joint->drive - 1]);
}

void machineMotorEnd(World *world, WorldJoint *joint, double dt)
{
    if (joint->drive == 0)
        return;
    Attachment *a = &world->attachment[joint->drive - 1];
    int measured = jointMotorAxis(&joint->def);
    double moved = joint->joint.axis[measured].now - joint->begun;
    if (joint->joint.angles == ANGLES_VECTOR && measured >= 3) // it may jump by a whole turn
        moved -= 2 * PI * floor(moved / (2 * PI) + 0.5);
    joint->pace = moved / dt;
    if (a->broken)
        return;
    double left = attachmentEnergy(world, a), way = joint->lever * (lengthOf(world, a) - joint->from);
    a->body[0]->account.added -= left;
    jointAccount(world, joint)->added += joint->lent - left;
    double more = joint->firm * (joint->leads * dt - way);
    joint->hold += joint->saturated && more * joint->hold > 0 ? 0 : more;
    machineMotorRest(world, joint);
}
