// Joints in a step, in the hash of a world and in saved states.
#include "world/archive.h"
#include "world/world.h"

RigidBody *jointBody(World *world, int slot)
{
    return slot < 0 ? &world->joints.ground : &world->rigids.item[slot].body;
}

void jointWake(World *world, const WorldJoint *joint)
{
    rigidWake(jointBody(world, joint->bodyA));
    rigidWake(jointBody(world, joint->bodyB));
}

// the book of the body that can move
Account *jointAccount(World *world, const WorldJoint *joint)
{
    bool second = jointBody(world, joint->bodyB)->inverseMass > 0;
    return &world->rigids.item[second ? joint->bodyB : joint->bodyA].account;
}

void jointsMark(World *world)
{
    Joints *joints = &world->joints;
    joints->linkCount = 0;
    for (int i = 0; i < joints->count; ++i)
    {
        WorldJoint *joint = &joints->item[joints->order[i]];
        joint->joint.impulse = joint->joint.couple = vec3(0, 0, 0);
        joint->joint.work = joint->joint.dissipated = 0;
        joint->marked = joint->joint;
        if (!joint->broken)
            joints->link[joints->linkCount++] = (RigidLink){ &joint->joint, jointBody(world, joint->bodyA),
                                                             jointBody(world, joint->bodyB), joint->def.collide };
    }
}

void jointsRewind(World *world)
{
    for (int i = 0; i < world->joints.count; ++i)
    {
        WorldJoint *joint = &world->joints.item[world->joints.order[i]];
        joint->joint = joint->marked;
    }
}

void jointsAccept(World *world, double dt)
{
    machinesEnd(world);
    for (int i = 0; i < world->joints.count; ++i)
    {
        WorldJoint *joint = &world->joints.item[world->joints.order[i]];
        Account *account = jointAccount(world, joint);
        if (jointBody(world, joint->bodyA)->asleep || jointBody(world, joint->bodyB)->asleep)
            continue; // it holds what it held
        // the spring or damper that a joint is pulls in the island: what it does in the step of its bodies alone is no
        // force
        bool soft = joint->def.compliance > 0 || joint->def.angularCompliance > 0 || joint->def.damping > 0 ||
                    joint->def.angularDamping > 0;
        bool leads = joint->linked && machineLeads(world, joint);
        double share = leads && soft ? 0 : 1 / dt;
        joint->force = vecAdd(vecScale(share, joint->joint.impulse), joint->borne);
        joint->torque = vecAdd(vecScale(share, joint->joint.couple), joint->borneTorque);
        if (!leads) // else the island books what its springs do
        {
            account->added += joint->joint.work;
            account->dissipated += joint->joint.dissipated;
        }
        if (vecLength(joint->force) > joint->def.breakForce || vecLength(joint->torque) > joint->def.breakTorque)
        {
            joint->broken = true;
            joint->brokeAt = world->statistics.stepCount + 1;
            account->dissipated += joint->joint.energy;
            joint->joint.energy = 0;
            machineBreak(world, world->joints.order[i]);
        }
    }
}

double jointsEnergy(const World *world)
{
    double sum = 0;
    for (int i = 0; i < world->joints.count; ++i)
        sum += world->joints.item[world->joints.order[i]].joint.energy;
    return sum;
}

// ---- hash and saved states ------------------------------------------------------------------------------------------

static const JointAxis *turning(const WorldJoint *joint) // whose whole turns no pose tells
{
    return &joint->joint.axis[3];
}

uint64_t jointsHash(const World *world, uint64_t hash)
{
    for (int i = 0; i < world->joints.count; ++i)
    {
        const WorldJoint *joint = &world->joints.item[world->joints.order[i]];
        hash = hashBytes(hash, &world->joints.order[i], sizeof(int));
        hash = hashBytes(hash, &joint->broken, sizeof joint->broken);
        hash = hashBytes(hash, &turning(joint)->now, sizeof(double));
        for (int k = 0; k < JOINT_AXES; ++k)
            hash = hashBytes(hash, &joint->joint.axis[k].gap, sizeof(double));
        hash = hashBytes(hash, &joint->def.motorTarget, sizeof joint->def.motorTarget);
        const int held[2] = { joint->stop, joint->lean };
        for (int k = 0; k < 2; ++k)
        {
            if (held[k] > 0)
                hash = hashBytes(hash, &world->attachment[held[k] - 1].broken, sizeof(bool));
        }
        const double driven[2] = { joint->hold, joint->pace };
        if (joint->drive > 0)
            hash = hashBytes(hash, driven, sizeof driven);
    }
    return hash;
}

static uint64_t mixJoint(uint64_t hash, const WorldJoint *joint)
{
    const Joint *j = &joint->joint;
    hash = mixWord(mixWord(mixWord(hash, joint->def.kind), (uint64_t)joint->bodyA), (uint64_t)joint->bodyB);
    const Vec3 *anchor[2] = { &j->anchorA, &j->anchorB };
    for (int k = 0; k < 2; ++k)
        hash = mixReal(mixReal(mixReal(hash, anchor[k]->x), anchor[k]->y), anchor[k]->z);
    const Vec3 *wheel[2] = { &j->wheelA, &j->wheelB };
    for (int k = 0; k < 2 && j->isPulley; ++k)
        hash = mixReal(mixReal(mixReal(mixReal(hash, wheel[k]->x), wheel[k]->y), wheel[k]->z), j->ratio);
    for (int k = 0; k < JOINT_AXES; ++k)
    {
        hash = mixWord(hash, j->axis[k].state);
        hash = mixReal(mixReal(hash, j->axis[k].lower), j->axis[k].upper);
        hash = mixReal(mixReal(hash, j->axis[k].compliance), j->axis[k].damping);
    }
    return hash;
}

uint64_t mixJoints(uint64_t hash, const World *world)
{
    for (int i = 0; i < world->joints.count; ++i)
        hash = mixJoint(mixWord(hash, (uint64_t)world->joints.order[i]), &world->joints.item[world->joints.order[i]]);
    return hash;
}

static void walkJoint(Archive *archive, World *world, WorldJoint *joint)
{
    double number[9] = { joint->force.x,      joint->force.y,         joint->force.z,
                         joint->torque.x,     joint->torque.y,        joint->torque.z,
                         turning(joint)->now, joint->def.motorTarget, joint->def.motorLimit };
    bool broken = archiveFlag(archive, joint->broken);
    long long motor = archiveCount(archive, (long long)joint->def.motor, VV_MOTOR_POSITION);
    archiveReals(archive, number, 9);
    double gap[JOINT_AXES];
    for (int k = 0; k < JOINT_AXES; ++k)
        gap[k] = joint->joint.axis[k].gap;
    archiveReals(archive, gap, JOINT_AXES);
    double driven[2] = { joint->hold, joint->pace };
    if (joint->drive > 0)
        archiveReals(archive, driven, 2);
    if (archive->mode != ARCHIVE_LOAD)
        return;
    for (int k = 0; k < JOINT_AXES; ++k)
        joint->joint.axis[k].gap = gap[k];
    joint->hold = driven[0];
    joint->pace = driven[1];
    joint->broken = broken;
    joint->brokeAt = 0;
    joint->force = vecLoad(number);
    joint->torque = vecLoad(number + 3);
    joint->joint.axis[3].now = number[6];
    joint->def.motor = (vvMotorKind)motor;
    joint->def.motorTarget = number[7];
    joint->def.motorLimit = number[8];
    jointTakeMotor(joint);
    joint->joint.energy =
        broken ? 0 : jointEnergy(&joint->joint, jointBody(world, joint->bodyA), jointBody(world, joint->bodyB));
}

void walkJoints(Archive *archive, World *world)
{
    for (int i = 0; i < world->joints.count; ++i)
        walkJoint(archive, world, &world->joints.item[world->joints.order[i]]);
}
