// Machines: rigid bodies that hard joints hold together, with soft bodies attached to some of them.
//
// All bodies of a machine have stand-ins (proxy.c), and its joints are springs between these in the island: points that
// a joint holds together are points of two stand-ins, or of one and a body that stands for the world and is pinned. So
// what soft bodies pull moves the whole machine within the step. What joints bear anyway is in the forces that are
// foreseen (rigidsForesee); the springs bear what differs from that, and begin each step without a stretch. What they
// bore at the end of a step is an inner force of the machine: a part of it is taken out of the reactions, so that the
// joints themselves bear it from then on, whatever it is; momenta are kept to rounding.
// A slider holds points of B to lines of A: its springs pull across the line, from where the point is (energy/link.h).
#include "world/machine.h"
#include "base/quaternion.h"
#include "world/proxy.h"

#define STIFF 50.0   // radians by which the whole machine on one of the springs vibrates in a step
#define POINTS 4     // of a joint, at most
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

// points that springs can hold together for it: hard ones, or the spring that it is
static bool isLinkable(const vvJointDef *def)
{
    bool free = def->damping == 0 && def->angularDamping == 0, hard = def->compliance == 0;
    bool turns = def->kind == VV_JOINT_HINGE || def->kind == VV_JOINT_FIXED;
    if (hard && def->angularCompliance == 0 && (turns || def->kind == VV_JOINT_SLIDER))
        return true; // what is hard does not damp; hinges and sliders have a spring for their motor or damper
    bool driven = def->motor != VV_MOTOR_NONE && def->kind != VV_JOINT_CONE_TWIST;
    if (!free || driven)
        return false;
    if (def->kind == VV_JOINT_BALL || (def->kind == VV_JOINT_DISTANCE && !jointIsRope(def)))
        return true;
    if (!hard || def->angularCompliance != 0)
        return false;
    return def->kind == VV_JOINT_DISTANCE || def->kind == VV_JOINT_CONE_TWIST;
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
        item[item[end].machine].barred |= !isLinkable(&joint->def);
        item[item[end].machine].jointed = true;
    }
}

static bool isMachine(const World *world, int slot)
{
    const Rigid *root = &world->rigids.item[world->rigids.item[slot].machine];
    return root->wanted && root->jointed && !root->barred;
}

static bool isWanted(const World *world, const WorldJoint *joint)
{
    int end = joint->used && machineMoves(world, joint->bodyB) ? joint->bodyB : joint->bodyA;
    return joint->used && machineMoves(world, end) && isMachine(world, end);
}

// ---- springs --------------------------------------------------------------------------------------------------------

// unit, in the frame of a joint: how many points it holds together
static int pointsOf(const vvJointDef *def, Vec3 *point)
{
    static const Vec3 corner[POINTS] = { { 1, 1, 1 }, { -1, 1, -1 }, { 1, -1, -1 }, { -1, -1, 1 } };
    if (def->kind == VV_JOINT_FIXED || def->kind == VV_JOINT_SLIDER)
    {
        for (int k = 0; k < POINTS; ++k)
            point[k] = corner[k];
        return POINTS;
    }
    if (def->kind == VV_JOINT_HINGE)
    {
        point[0] = vec3(1, 0, 0);
        point[1] = vec3(-1, 0, 0);
        return 2;
    }
    point[0] = vec3(0, 0, 0);
    return jointIsRope(def) ? 0 : 1;
}

double machineSize(const World *world, const WorldJoint *joint)
{
    double a = machineMoves(world, joint->bodyA) ? world->rigids.item[joint->bodyA].body.radius : INFINITY;
    double b = machineMoves(world, joint->bodyB) ? world->rigids.item[joint->bodyB].body.radius : INFINITY;
    return 0.5 * minReal(a, b);
}

double machineNow(World *world, const WorldJoint *joint)
{
    double measure[JOINT_AXES];
    if (jointFreeAxis(&joint->def) == 3)
        return joint->joint.axis[3].now;
    jointMeasure(&joint->joint, jointBody(world, joint->bodyA), jointBody(world, joint->bodyB), measure);
    return measure[0];
}

static Body *standInOf(World *world, WorldJoint *joint, int slot, int other, vvResult *result)
{
    if (slot >= 0)
        return proxyAcquire(world, slot, result);
    if (joint->ground == NULL)
        joint->ground = proxyGround(world, other, joint->joint.anchorA, machineSize(world, joint), result);
    return joint->ground;
}

Endpoint machineEnd(const World *world, const WorldJoint *joint, Body *body, bool second, Vec3 point)
{
    const Joint *j = &joint->joint;
    double size = machineSize(world, joint);
    Vec3 at = second ? vecAdd(j->anchorB, vecScale(size, quatRotate(j->frameB, point)))
                     : vecAdd(j->anchorA, vecScale(size, quatRotate(j->frameA, point)));
    return second || joint->bodyA >= 0 ? proxyEndpoint(body, at) : groundAt(body, j->anchorA, size, at);
}

// the point of A slides along x of its frame
static void laySlider(const World *world, const WorldJoint *joint, Attachment *a, Vec3 point)
{
    Vec3 further = vecAdd(point, vec3(1 / machineSize(world, joint), 0, 0));
    Endpoint ahead = machineEnd(world, joint, a->body[1], false, further);
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

static bool link(World *world, int slot, vvResult *result)
{
    WorldJoint *joint = &world->joints.item[slot];
    Vec3 point[POINTS];
    int count = pointsOf(&joint->def, point);
    Body *a = standInOf(world, joint, joint->bodyA, joint->bodyB, result);
    Body *b = a != NULL ? standInOf(world, joint, joint->bodyB, joint->bodyA, result) : NULL;
    joint->linked = true;
    bool done = b != NULL;
    for (int k = 0; k < count && done; ++k)
    {
        int made = attachmentLink(world, b, machineEnd(world, joint, b, true, point[k]), a,
                                  machineEnd(world, joint, a, false, point[k]), slot + 1, result);
        done = made >= 0;
        if (done && joint->def.kind == VV_JOINT_SLIDER)
            laySlider(world, joint, &world->attachment[made], point[k]);
    }
    done = done && machineLimitsLink(world, slot, a, b, result) && machineMotorLink(world, slot, a, b, result);
    return done;
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

vvResult machinesRefit(World *world)
{
    vvResult result = resultOk();
    if (world->rigids.slotCount == 0 || (world->proxyCount == 0 && world->attachmentCount == 0) || world->refitting)
        return result;
    world->refitting = true;
    label(world);
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
static double storedBy(const World *world, const WorldJoint *joint, const Attachment *spring)
{
    return joint->def.compliance > 0 ? 0 : attachmentEnergy(world, spring);
}

void machineLetGo(World *world, const WorldJoint *joint, Attachment *spring)
{
    jointAccount(world, joint)->dissipated += storedBy(world, joint, spring);
    attachmentLetGo(world, spring);
}

// The stand-in has a book too, of its island.
static void retune(World *world, const WorldJoint *joint, Attachment *spring, double stiffness, double restLength)
{
    Account *own = &spring->body[0]->account, *rigid = jointAccount(world, joint);
    own->added -= attachmentEnergy(world, spring);
    rigid->added -= storedBy(world, joint, spring);
    spring->stiffness = stiffness;
    spring->restLength = restLength;
    own->added += attachmentEnergy(world, spring);
    rigid->added += storedBy(world, joint, spring);
    attachmentChanged(world, spring);
}

// Of a spring that slides: at the end of a long arm it turns its body the more, and is softer. It hardens again only
// where that adds next to nothing.
static double armShare(World *world, const WorldJoint *joint, const Attachment *a, double hard)
{
    if (!a->slides || !machineMoves(world, joint->bodyA))
        return 1;
    double arm = machineNow(world, joint) / machineSize(world, joint), share = exp2(-floor(log2(1 + arm * arm)));
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
        double stiffness = joint->def.compliance > 0 ? 1 / joint->def.compliance : hard;
        for (int k = 0; k < world->attachmentSlotCount; ++k)
        {
            Attachment *a = &world->attachment[k];
            int own = k + 1; // limits and motors have springs of their own stiffness
            if (!a->used || a->joint != i + 1 || own == joint->stop || own == joint->lean || own == joint->drive)
                continue;
            double length = joint->def.kind == VV_JOINT_DISTANCE ? joint->def.lower : 0;
            double wanted = stiffness * armShare(world, joint, a, stiffness);
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
        double reach = pitch * (1 + ceil(fabs(machineMeasure(world, joint, a).rate) * dt / pitch));
        if (slid == a->slid && reach == a->reach)
            continue;
        a->slid = slid;
        a->reach = reach;
        attachmentChanged(world, a);
    }
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
        if (joint->drives)
            machineMotorBegin(world, joint, dt);
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
        joint->joint.energy = jointEnergy(&joint->joint, a, b);
        machineMotorEnd(world, joint, dt);
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
        if (!world->joints.item[i].used || !world->joints.item[i].drives)
            continue;
        machineMotorRest(world, &world->joints.item[i]);
        machineMotorStand(&world->joints.item[i], false);
    }
}
