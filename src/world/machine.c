// Machines: rigid bodies that joints hold together, with soft bodies attached to some of them.
//
// All bodies of a machine have stand-ins (proxy.c), and its joints are springs between these in the island: points that
// a joint holds together are points of two stand-ins, or of one and a body that stands for the world and is pinned. So
// what soft bodies pull moves the whole machine within the step. What joints bear anyway is in the forces that are
// foreseen (rigidsForesee); the springs bear what differs from that, and begin each step without a stretch. What they
// bore at the end of a step is an inner force of the machine: a part of it is taken out of the reactions, so that the
// joints themselves bear it from then on, whatever it is; momenta are kept to rounding.
// machine_hold.c has what holds, machine_limit.c what stops, machine_motor.c and machine_damp.c what drives and damps.
#include "world/machine.h"
#include "base/quaternion.h"
#include "world/proxy.h"

#define STIFF 50.0   // radians by which the whole machine on one of the springs vibrates in a step
#define HARDENS 1e-4 // of the kinetic energy of its bodies: what a spring that hardens may add
#define SLIDE 0.5    // sizes of a joint: by which what slides is counted anew

// ---- which joints ---------------------------------------------------------------------------------------------------

bool machineMoves(const World *world, int slot)
{
    return slot >= 0 && world->rigids.item[slot].body.inverseMass > 0;
}

static bool acts(const WorldJoint *joint)
{
    return joint->used && !joint->broken;
}

static int rootOf(const World *world, int slot)
{
    while (world->rigids.item[slot].machine != slot)
        slot = world->rigids.item[slot].machine;
    return slot;
}

static bool isAttached(const World *world, const Rigid *rigid)
{
    for (int i = 0; i < world->attachmentSlotCount && rigid->proxy != NULL; ++i)
    {
        const Attachment *a = &world->attachment[i];
        if (a->used && a->joint == 0 && a->body[1] == rigid->proxy)
            return true;
    }
    return false;
}

// Labels the bodies that joints connect by the first of them; -1: of those that need or can be no machine.
static void label(World *world)
{
    Rigid *item = world->rigids.item;
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        item[i].machine = i;
        item[i].wanted = item[i].barred = item[i].jointed = false;
    }
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        const WorldJoint *joint = &world->joints.item[i];
        if (!joint->used || !machineMoves(world, joint->bodyA) || !machineMoves(world, joint->bodyB))
            continue;
        int a = rootOf(world, joint->bodyA), b = rootOf(world, joint->bodyB);
        item[maxInt(a, b)].machine = minInt(a, b);
    }
    for (int i = 0; i < world->rigids.slotCount; ++i)
        item[i].machine = rootOf(world, i);
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        bool holds = item[i].used && item[i].body.inverseMass > 0 && isAttached(world, &item[i]);
        item[item[i].machine].wanted |= holds;
    }
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        const WorldJoint *joint = &world->joints.item[i];
        int end = machineMoves(world, joint->bodyB) ? joint->bodyB : joint->bodyA;
        if (!joint->used || !machineMoves(world, end))
            continue;
        item[item[end].machine].barred |= !machineHolds(joint);
        item[item[end].machine].jointed = true;
    }
}

static bool isMachine(const World *world, int slot)
{
    const Rigid *root = &world->rigids.item[world->rigids.item[slot].machine];
    return root->wanted && !root->barred && (root->jointed || world->method.integrator->stands);
}

static bool isWanted(const World *world, const WorldJoint *joint)
{
    int end = joint->used && machineMoves(world, joint->bodyB) ? joint->bodyB : joint->bodyA;
    return joint->used && machineMoves(world, end) && isMachine(world, end);
}

// ---- springs --------------------------------------------------------------------------------------------------------

double machineSize(const World *world, const WorldJoint *joint)
{
    double a = machineMoves(world, joint->bodyA) ? world->rigids.item[joint->bodyA].body.radius : INFINITY;
    double b = machineMoves(world, joint->bodyB) ? world->rigids.item[joint->bodyB].body.radius : INFINITY;
    return 0.5 * minReal(a, b);
}

double machineNow(World *world, const WorldJoint *joint, int axis)
{
    double measure[JOINT_AXES];
    if (axis == 3)
        return joint->joint.axis[3].now;
    jointMeasure(&joint->joint, jointBody(world, joint->bodyA), jointBody(world, joint->bodyB), measure);
    return measure[axis];
}

static Body *standInOf(World *world, WorldJoint *joint, int slot, int other, vvResult *result)
{
    if (slot >= 0)
        return proxyAcquire(world, slot, result);
    if (joint->ground == NULL)
        joint->ground = proxyGround(world, other, joint->joint.anchorA, machineSize(world, joint), result);
    return joint->ground;
}

Endpoint machineEnd(const World *world, const WorldJoint *joint, Body *body, bool second, Vec3 point, bool turns)
{
    const Joint *j = &joint->joint;
    Vec3 way = vecScale(machineSize(world, joint), quatRotate(second ? j->frameB : j->frameA, point));
    return machineOn(world, joint, body, second, turns ? way : vecAdd(second ? j->anchorB : j->anchorA, way), turns);
}

Endpoint machineOn(const World *world, const WorldJoint *joint, const Body *body, bool second, Vec3 at, bool turns)
{
    double size = machineSize(world, joint);
    if (second || joint->bodyA >= 0)
        return turns ? proxyDirection(body, at) : proxyEndpoint(body, at);
    return turns ? groundDirection(body, size, at) : groundAt(body, joint->joint.anchorA, size, at);
}

static bool link(World *world, int slot, vvResult *result)
{
    WorldJoint *joint = &world->joints.item[slot];
    Body *a = standInOf(world, joint, joint->bodyA, joint->bodyB, result);
    Body *b = a != NULL ? standInOf(world, joint, joint->bodyB, joint->bodyA, result) : NULL;
    joint->linked = true;
    return b != NULL && machineHoldLink(world, slot, a, b, result) && machineLimitsLink(world, slot, a, b, result) &&
           machineMotorLink(world, slot, a, b, result) && machineDampersLink(world, slot, a, b, result);
}

static void unlink(World *world, int slot)
{
    WorldJoint *joint = &world->joints.item[slot];
    attachmentsOfJointDestroy(world, slot + 1);
    if (joint->ground != NULL)
    {
        world->proxyCount -= 1;
        bodyDestroy(joint->ground);
    }
    joint->ground = NULL;
    joint->linked = false;
    joint->stop = joint->lean = joint->drive = 0;
    for (int k = 0; k < DAMPERS; ++k)
        joint->damper[k] = 0;
    joint->drives = false;
    joint->hold = joint->pace = 0;
}

static int machineOf(const World *world, const WorldJoint *joint)
{
    return world->rigids.item[machineMoves(world, joint->bodyB) ? joint->bodyB : joint->bodyA].machine;
}

// all of a machine, for which there was no memory: its joints are solved by themselves, as those of rigid bodies alone
static void unlinkMachine(World *world, int machine)
{
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        if (world->joints.item[i].linked && machineOf(world, &world->joints.item[i]) == machine)
            unlink(world, i);
    }
    for (int i = 0; i < world->rigids.slotCount; ++i)
        world->rigids.item[i].linked &= world->rigids.item[i].machine != machine;
}

// of the joints that keep their bodies from being a machine
static void warn(World *world)
{
    for (int i = 0; i < world->joints.slotCount && !world->warnedMachine; ++i)
    {
        const WorldJoint *joint = &world->joints.item[i];
        bool moves = machineMoves(world, joint->bodyA) || machineMoves(world, joint->bodyB);
        if (!joint->used || !moves || !world->rigids.item[machineOf(world, joint)].wanted || machineHolds(joint))
            continue;
        world->warnedMachine = true;
        bool pulley = joint->joint.isPulley;
        logWrite(&world->memory, &world->logger, VV_LOG_WARNING,
                 "joint %d, %s, joins rigid bodies that carry bonded soft bodies, and is not solved in one step with "
                 "them: stiff undamped soft bodies may run away there; damp them, or %s (said once)",
                 i + 1, pulley ? "a pulley" : "of six degrees with two limited or free measures of a kind",
                 pulley ? "take ropes" : "take joints of other kinds");
    }
}

vvResult machinesRefit(World *world)
{
    vvResult result = resultOk();
    if (world->rigids.slotCount == 0 || (world->proxyCount == 0 && world->attachmentCount == 0) || world->refitting)
        return result;
    world->refitting = true;
    label(world);
    warn(world);
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        if (world->joints.item[i].linked && !isWanted(world, &world->joints.item[i]))
            unlink(world, i);
    }
    attachmentsReleaseIdle(world);
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        Rigid *rigid = &world->rigids.item[i];
        rigid->linked = rigid->used && rigid->body.inverseMass > 0 && isMachine(world, i);
        proxyRefit(world, i);
    }
    for (int i = 0; i < world->joints.slotCount && result.code == VV_OK; ++i)
    {
        if (!world->joints.item[i].linked && isWanted(world, &world->joints.item[i]) && !link(world, i, &result))
            unlink(world, i);
    }
    for (int i = 0; i < world->joints.slotCount && result.code != VV_OK; ++i)
    {
        if (!world->joints.item[i].linked && isWanted(world, &world->joints.item[i]))
            unlinkMachine(world, machineOf(world, &world->joints.item[i]));
    }
    world->refitting = false;
    return result;
}

// ---- in a step ------------------------------------------------------------------------------------------------------

// kg, of a machine and of what is attached to it
static double massOf(const World *world, int machine)
{
    double sum = 0;
    const Body *last = NULL;
    for (int i = 0; i < world->rigids.slotCount; ++i)
    {
        const Rigid *rigid = &world->rigids.item[i];
        if (rigid->used && rigid->linked && rigid->machine == machine)
            sum += rigid->body.mass;
    }
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        int of = a->used && a->joint == 0 && a->body[1] != NULL ? a->body[1]->proxyOf - 1 : -1;
        if (of < 0 || world->rigids.item[of].machine != machine || a->body[0] == last)
            continue;
        last = a->body[0];
        sum += last->mass;
    }
    return sum;
}

// J that the books of a joint do not have
static double storedBy(const World *world, const Attachment *spring)
{
    return spring->compliant ? 0 : attachmentEnergy(world, spring);
}

void machineLetGo(World *world, const WorldJoint *joint, Attachment *spring)
{
    jointAccount(world, joint)->dissipated += storedBy(world, spring);
    attachmentLetGo(world, spring);
}

// The stand-in has a book too, of its island.
static void retune(World *world, const WorldJoint *joint, Attachment *spring, double stiffness, double restLength)
{
    Account *own = &spring->body[0]->account, *rigid = jointAccount(world, joint);
    own->added -= attachmentEnergy(world, spring);
    rigid->added -= storedBy(world, spring);
    spring->stiffness = stiffness;
    spring->restLength = restLength;
    own->added += attachmentEnergy(world, spring);
    rigid->added += storedBy(world, spring);
    attachmentChanged(world, spring);
}

// Of a spring that slides: at the end of a long arm it turns its body the more, and is softer. It hardens again only
// where that adds next to nothing.
static double armShare(World *world, const WorldJoint *joint, const Attachment *a, double hard)
{
    if (!a->slides || !machineMoves(world, joint->bodyA))
        return 1;
    double now = machineNow(world, joint, machineFreeAxis(&joint->joint, 0));
    double arm = now / machineSize(world, joint), share = exp2(-floor(log2(1 + arm * arm)));
    if (!(a->stiffness > 0)) // a new one
        return share;
    double more = attachmentEnergy(world, a) * (share * hard / a->stiffness - 1);
    double moves = rigidKinetic(jointBody(world, joint->bodyA)) + rigidKinetic(jointBody(world, joint->bodyB));
    return more > HARDENS * moves ? a->stiffness / hard : share;
}

void machinesTune(World *world, double dt)
{
    double rate = STIFF / exp2(floor(log2(dt) + 0.5));
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        WorldJoint *joint = &world->joints.item[i];
        if (!joint->used || !joint->linked)
            continue;
        machineMotorTune(world, joint);
        double hard = rate * rate * massOf(world, machineOf(world, joint));
        for (int k = 0; k < world->attachmentSlotCount; ++k)
        {
            Attachment *a = &world->attachment[k];
            if (!a->used || a->joint != i + 1 || (a->role != SPRING_POINT && a->role != SPRING_TURN))
                continue; // others have a stiffness of their own
            double length = joint->joint.isDistance ? joint->joint.axis[0].lower : 0;
            double stiffness = machineHardness(world, joint, a, hard);
            double wanted = a->compliant ? stiffness : stiffness * armShare(world, joint, a, stiffness);
            if (a->stiffness != wanted)
                retune(world, joint, a, wanted, length);
        }
    }
}

// N, and N m about anchor B, on B: what springs bear at the present state.
static void bear(World *world, double share)
{
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        if (!attachmentActs(a) || a->joint == 0)
            continue;
        WorldJoint *joint = &world->joints.item[a->joint - 1];
        Vec3 pull = vecScale(share, attachmentPull(world, a)), at = attachmentEnd(world, a, 0);
        Vec3 anchor = rigidPoint(jointBody(world, joint->bodyB), joint->joint.anchorB);
        if (a->turns)
            anchor = vec3(0, 0, 0);
        else
            joint->borne = vecAdd(joint->borne, pull);
        joint->borneTorque = vecAdd(joint->borneTorque, vecCross(vecSub(at, anchor), pull));
    }
}

void machineBreak(World *world, int slot)
{
    for (int i = 0; i < world->attachmentSlotCount && world->joints.item[slot].linked; ++i)
    {
        Attachment *a = &world->attachment[i];
        if (!a->used || a->joint != slot + 1 || a->broken)
            continue;
        machineLetGo(world, &world->joints.item[slot], a);
        a->broken = true;
        attachmentChanged(world, a);
    }
    islandsRefresh(world);
}

bool machineLeads(const World *world, const WorldJoint *joint)
{
    return (!machineMoves(world, joint->bodyA) || proxyLeads(&world->rigids.item[joint->bodyA])) &&
           (!machineMoves(world, joint->bodyB) || proxyLeads(&world->rigids.item[joint->bodyB]));
}

static bool isAsleep(const World *world, const WorldJoint *joint)
{
    int end = machineMoves(world, joint->bodyB) ? joint->bodyB : joint->bodyA;
    return world->rigids.item[end].proxy->asleep;
}

// Shares of what slides are counted from near where it is.
static void placeSliders(World *world, double dt)
{
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        Attachment *a = &world->attachment[i];
        if (!attachmentActs(a) || !a->slides)
            continue;
        const WorldJoint *joint = &world->joints.item[a->joint - 1];
        double pitch = SLIDE * machineSize(world, joint), slid = pitch * floor(attachmentSlid(world, a) / pitch + 0.5);
        double reach =
            pitch *
            (1 + ceil(fabs(machineMeasure(world, joint, machineFreeAxis(&joint->joint, 0), a).rate) * dt / pitch));
        if (slid == a->slid && reach == a->reach)
            continue;
        a->slid = slid;
        a->reach = reach;
        attachmentChanged(world, a);
    }
}

// J: of the springs that a joint is, in the island while its bodies are where their stand-ins are
static double storedIn(World *world, int slot)
{
    WorldJoint *joint = &world->joints.item[slot];
    double sum = 0;
    if (!machineLeads(world, joint))
        return jointEnergy(&joint->joint, jointBody(world, joint->bodyA), jointBody(world, joint->bodyB));
    for (int i = 0; i < world->attachmentSlotCount; ++i)
    {
        const Attachment *a = &world->attachment[i];
        sum += attachmentActs(a) && a->joint == slot + 1 && a->compliant ? attachmentEnergy(world, a) : 0;
    }
    return sum;
}

void machinesBegin(World *world, double dt)
{
    if (world->proxyCount > 0)
        placeSliders(world, dt);
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        WorldJoint *joint = &world->joints.item[i];
        joint->borne = joint->borneTorque = vec3(0, 0, 0);
        if (!acts(joint) || !joint->linked || isAsleep(world, joint))
            continue;
        machineLimitsBegin(world, joint, dt);
        double stored = storedIn(world, i); // in the island now, or in the joint
        jointAccount(world, joint)->added += stored - joint->joint.energy;
        joint->joint.energy = stored;
        if (joint->drives)
            machineMotorBegin(world, joint, dt);
        if (!joint->touched)
            machineDampersBegin(world, joint, dt);
    }
    if (world->proxyCount > 0)
        bear(world, 0.5);
}

// where joints are
void machinesSettle(World *world, double dt)
{
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        WorldJoint *joint = &world->joints.item[i];
        if (!acts(joint) || !joint->linked)
            continue;
        const RigidBody *a = jointBody(world, joint->bodyA), *b = jointBody(world, joint->bodyB);
        double measure[JOINT_AXES];
        joint->joint.axis[3].now = joint->marked.axis[3].now; // from which whole turns are counted
        jointMeasure(&joint->joint, a, b, measure);
        for (int k = 0; k < JOINT_AXES; ++k)
            joint->joint.axis[k].now = measure[k];
        joint->joint.energy = storedIn(world, i);
        machineMotorEnd(world, joint, dt);
        machineDampersEnd(world, joint);
    }
}

void machinesEnd(World *world)
{
    if (world->proxyCount > 0)
        bear(world, 0.5);
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        if (world->joints.item[i].used && world->joints.item[i].drives)
            machineMotorStand(&world->joints.item[i], false);
    }
}

void machinesStand(World *world)
{
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        if (world->joints.item[i].used && world->joints.item[i].drives)
            machineMotorStand(&world->joints.item[i], true);
    }
}

void machinesFail(World *world)
{
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        WorldJoint *joint = &world->joints.item[i];
        if (joint->used && joint->linked)
            machineDampersRest(world, joint);
        if (!joint->used || !joint->drives)
            continue;
        machineMotorRest(world, joint);
        machineMotorStand(joint, false);
    }
}
