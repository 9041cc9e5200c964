// Dampers of the joints of a machine (machine.c): springs of its island that begin without a stretch in every step.
//
// Of such a spring S the mean pull in a step is S/2 times the way of its ends against each other: with S = 2 c/dt that
// of a damper c. What it has stored at the end of the step is dissipated, so that it takes energy whatever it damps.
// The one between the anchors damps what a joint lets them do in any direction (of a distance joint, along its line),
// three between directions damp all turns; what is hard does not move them.
#include "world/machine.h"

#define FIRMEST 2.5 // of inertia / dt^2: as stiff at most, so that it brings to rest what it damps and no further

static bool isDamped(const JointAxis *axis)
{
    for (int k = 0; k < 3; ++k)
    {
        bool gives = axis[k].state != AXIS_LOCKED || axis[k].compliance > 0;
        if (axis[k].damping > 0 && gives)
            return true;
    }
    return false;
}

static bool add(World *world, int slot, const MachineSpring *spring, int *damper, vvResult *result)
{
    Attachment *made = machineAdd(world, slot, spring, result);
    if (made == NULL)
        return false;
    made->broken = true;
    *damper = 1 + (int)(made - world->attachment);
    return true;
}

bool machineDampersLink(World *world, int slot, Body *a, Body *b, vvResult *result)
{
    WorldJoint *joint = &world->joints.item[slot];
    MachineSpring spring = { .role = SPRING_DAMP, .a = a, .b = b };
    bool done = !isDamped(joint->joint.axis) || add(world, slot, &spring, &joint->damper[0], result);
    spring.turns = true;
    for (int k = 0; k < 3 && joint->joint.angles != ANGLES_NONE && isDamped(joint->joint.axis + 3) && done; ++k)
    {
        spring.onA = spring.onB = machineAxis(k);
        done = add(world, slot, &spring, &joint->damper[1 + k], result);
    }
    return done;
}

// kg, or kg m^2: the least that it damps. At the end of a long arm it turns its body the more.
static double dampedInertia(World *world, const WorldJoint *joint, bool turns)
{
    const Joint *j = &joint->joint;
    Vec3 arm = vecSub(rigidPoint(jointBody(world, joint->bodyB), j->anchorB),
                      rigidPoint(jointBody(world, joint->bodyA), j->anchorA));
    double far = machineMoves(world, joint->bodyA) && !j->isDistance ? vecLength(arm) / machineSize(world, joint) : 0;
    if (!turns)
        return machineInertia(world, joint, machineWorldAxis(world, joint, 0), false) / (1 + far * far);
    if (j->angles == ANGLES_HINGE)
        return machineInertia(world, joint, machineWorldAxis(world, joint, 3), true);
    double least = INFINITY;
    for (int k = 3; k < JOINT_AXES; ++k)
        least = minReal(least, machineInertia(world, joint, machineWorldAxis(world, joint, k), true));
    return least;
}

void machineDampersBegin(World *world, WorldJoint *joint, double dt)
{
    for (int k = 0; k < DAMPERS; ++k)
    {
        if (joint->damper[k] == 0)
            continue;
        Attachment *a = &world->attachment[joint->damper[k] - 1];
        int driven = jointMotorAxis(&joint->def);
        if (joint->drives && (driven >= 3) == a->turns) // a motor takes the place of the damper
            continue;
        double size = machineSize(world, joint), damping = joint->def.damping;
        if (a->turns) // three springs of directions as long as the size
            damping = joint->def.angularDamping / (2 * size * size);
        double most = FIRMEST * dampedInertia(world, joint, a->turns) / (dt * dt * (a->turns ? 2 * size * size : 1));
        double soft = 2 * damping / dt;
        if (!joint->joint.isDistance)
            machinePlaceAt(world, joint, a, attachmentEnd(world, a, 0));
        a->restLength =
            joint->joint.isDistance ? vecLength(vecSub(attachmentEnd(world, a, 0), attachmentEnd(world, a, 1))) : 0;
        a->stiffness = soft / (1 + soft / most);
        a->broken = false;
        attachmentChanged(world, a);
    }
}

void machineDampersRest(World *world, const WorldJoint *joint)
{
    for (int k = 0; k < DAMPERS; ++k)
    {
        Attachment *a = joint->damper[k] > 0 ? &world->attachment[joint->damper[k] - 1] : NULL;
        if (a == NULL || a->broken)
            continue;
        a->broken = true;
        attachmentChanged(world, a);
    }
}

void machineDampersEnd(World *world, const WorldJoint *joint)
{
    for (int k = 0; k < DAMPERS; ++k)
    {
        const Attachment *a = joint->damper[k] > 0 ? &world->attachment[joint->damper[k] - 1] : NULL;
        if (a == NULL || a->broken)
            continue;
        double left = attachmentEnergy(world, a);
        a->body[0]->account.added -= left;
        jointAccount(world, joint)->dissipated += left;
    }
    machineDampersRest(world, joint);
}
