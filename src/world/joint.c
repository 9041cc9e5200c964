// Joints of rigid bodies: their definition, creation and destruction.
#include "world/world.h"

#include <string.h>

vvJointDef vvDefaultJointDef(void)
{
    vvPose none = { .rotation = { 1, 0, 0, 0 } };
    return (vvJointDef){ .kind = VV_JOINT_BALL,
                         .frameA = none,
                         .frameB = none,
                         .lower = -INFINITY,
                         .upper = INFINITY,
                         .swing = PI,
                         .ratio = 1,
                         .breakForce = INFINITY,
                         .breakTorque = INFINITY,
                         .cookie = JOINT_COOKIE };
}

static bool isNull(vvRigidBodyId id)
{
    return id.index1 == 0 && id.world1 == 0;
}

// ---- checks ---------------------------------------------------------------------------------------------------------

static vvResult checkAtLeast0(const char *what, const char *unit, double value)
{
    if (value >= 0 && isModest(value))
        return resultOk();
    return resultMake(VV_BAD_INPUT, "0 means none", "%s is %g %s, must be at least 0", what, value, unit);
}

static vvResult checkRange(const char *what, double lower, double upper)
{
    bool finite = (isinf(lower) || isModest(lower)) && (isinf(upper) || isModest(upper));
    if (lower <= upper && finite && lower < INFINITY && upper > -INFINITY)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "-INFINITY and INFINITY mean no limit; equal ones lock",
                      "the limits of %s are %g and %g, must ascend", what, lower, upper);
}

static vvResult checkSix(const vvJointDef *def)
{
    const Vec3 *lower[2] = { &def->linearLower, &def->angularLower },
               *upper[2] = { &def->linearUpper, &def->angularUpper };
    vvResult result = resultOk();
    for (int k = 0; k < 2 && result.code == VV_OK; ++k)
    {
        const char *what = k == 0 ? "a length" : "an angle";
        result = checkRange(what, lower[k]->x, upper[k]->x);
        if (result.code == VV_OK)
            result = checkRange(what, lower[k]->y, upper[k]->y);
        if (result.code == VV_OK)
            result = checkRange(what, lower[k]->z, upper[k]->z);
    }
    if (result.code == VV_OK && (def->motorAxis < 0 || def->motorAxis >= JOINT_AXES))
        result = resultMake(VV_BAD_INPUT, "0 to 2 are lengths, 3 to 5 angles", "motorAxis is %d, must be 0 to 5",
                            def->motorAxis);
    return result;
}

static bool isLength(const vvJointDef *def) // between two points, or of a rope
{
    return def->kind == VV_JOINT_DISTANCE || def->kind == VV_JOINT_PULLEY;
}

static vvResult checkMotor(const vvJointDef *def, vvMotorKind motor, double target, double limit)
{
    if ((int)motor < VV_MOTOR_NONE || (int)motor > VV_MOTOR_POSITION)
        return resultMake(VV_BAD_INPUT, "use a vvMotorKind", "motor is %d, must be 0 to 2", (int)motor);
    bool free = def->kind == VV_JOINT_HINGE || def->kind == VV_JOINT_SLIDER || def->kind == VV_JOINT_CONE_TWIST ||
                isLength(def) || def->kind == VV_JOINT_SIX_DEGREE;
    if (motor != VV_MOTOR_NONE && !free)
        return resultMake(VV_BAD_INPUT,
                          "hinges, sliders, cone-twists, distance and six-degree joints and pulleys have motors",
                          "a joint of kind %d has no measure for a motor", (int)def->kind);
    if (!isModest(target))
        return resultMake(VV_BAD_INPUT, "use m/s, rad/s, m or rad", "motorTarget is %g, must be finite", target);
    return checkAtLeast0("motorLimit", "N or N m", limit);
}

static vvResult checkPulley(const vvJointDef *def)
{
    vvResult result = checkVector("pulleyA", def->pulleyA);
    if (result.code == VV_OK)
        result = checkVector("pulleyB", def->pulleyB);
    if (result.code == VV_OK && (!(def->ratio > 0) || !isModest(def->ratio)))
        result = resultMake(VV_BAD_INPUT, "1 is a rope over a wheel", "ratio is %g, must be above 0", def->ratio);
    return result;
}

static vvResult checkKind(const vvJointDef *def)
{
    if ((int)def->kind < VV_JOINT_FIXED || (int)def->kind > VV_JOINT_PULLEY)
        return resultMake(VV_BAD_INPUT, "use a vvJointKind", "kind is %d, must be 0 to %d", (int)def->kind,
                          VV_JOINT_PULLEY);
    if (!(def->swing > 0) || !(def->swing <= PI))
        return resultMake(VV_BAD_INPUT, "pi means no limit", "swing is %g rad, must be above 0 and at most pi",
                          def->swing);
    if (isLength(def) && !(def->lower >= 0) && !isinf(def->lower))
        return resultMake(VV_BAD_INPUT, "set lower and upper to the length of a rod",
                          "lower is %g m, must be at least 0", def->lower);
    vvResult result = def->kind == VV_JOINT_PULLEY ? checkPulley(def) : resultOk();
    if (result.code == VV_OK)
        result = checkRange("the free measure", def->lower, def->upper);
    if (result.code == VV_OK)
        result = checkMotor(def, def->motor, def->motorTarget, def->motorLimit);
    return result.code == VV_OK && def->kind == VV_JOINT_SIX_DEGREE ? checkSix(def) : result;
}

static vvResult checkSoftness(const vvJointDef *def)
{
    vvResult result = checkAtLeast0("compliance", "m/N", def->compliance);
    if (result.code == VV_OK)
        result = checkAtLeast0("angularCompliance", "rad/(N m)", def->angularCompliance);
    if (result.code == VV_OK)
        result = checkAtLeast0("damping", "N s/m", def->damping);
    if (result.code == VV_OK)
        result = checkAtLeast0("angularDamping", "N m s/rad", def->angularDamping);
    if (result.code == VV_OK && (!(def->breakForce > 0) || !(def->breakTorque > 0)))
        result =
            resultMake(VV_BAD_INPUT, "INFINITY never breaks",
                       "breakForce is %g N and breakTorque %g N m, must be above 0", def->breakForce, def->breakTorque);
    return result;
}

// the bodies; A is NULL for the world
static vvResult checkEnds(const World *world, const vvJointDef *def, Rigid *end[2])
{
    World *of[2] = { NULL, NULL };
    end[0] = isNull(def->bodyA) ? NULL : rigidFind(def->bodyA, &of[0]);
    end[1] = rigidFind(def->bodyB, &of[1]);
    if (end[1] == NULL || (end[0] == NULL && !isNull(def->bodyA)))
        return badId(end[1] == NULL ? "bodyB" : "bodyA");
    if (of[1] != world || (end[0] != NULL && of[0] != world))
        return resultMake(VV_BAD_INPUT, "create both bodies in this world", "a body belongs to another world");
    if (end[0] == end[1])
        return resultMake(VV_BAD_INPUT, "join two bodies, or one and the world", "bodyA and bodyB are the same");
    if (!(end[1]->body.inverseMass > 0) && (end[0] == NULL || !(end[0]->body.inverseMass > 0)))
        return resultMake(VV_BAD_INPUT, "join at least one body that can move",
                          "nothing that the joint holds can move");
    return resultOk();
}

static vvResult checkJoint(const World *world, const vvJointDef *def, Rigid *end[2])
{
    vvResult result = checkDef(def != NULL && def->cookie == JOINT_COOKIE, "joint", "vvDefaultJointDef()");
    if (result.code == VV_OK)
        result = checkEnds(world, def, end);
    if (result.code == VV_OK)
        result = checkPose(def->frameA.position, def->frameA.rotation);
    if (result.code == VV_OK)
        result = checkPose(def->frameB.position, def->frameB.rotation);
    if (result.code == VV_OK)
        result = checkKind(def);
    return result.code == VV_OK ? checkSoftness(def) : result;
}

// ---- from a definition to measures ----------------------------------------------------------------------------------

static void hold(JointAxis *axis, double lower, double upper)
{
    axis->state = lower == upper ? AXIS_LOCKED : isinf(lower) && isinf(upper) ? AXIS_FREE : AXIS_LIMITED;
    axis->lower = lower;
    axis->upper = upper;
}

static void holdLengths(const vvJointDef *def, Joint *joint)
{
    const double lower[3] = { def->linearLower.x, def->linearLower.y, def->linearLower.z },
                 upper[3] = { def->linearUpper.x, def->linearUpper.y, def->linearUpper.z };
    for (int k = 0; k < 3; ++k)
    {
        bool six = def->kind == VV_JOINT_SIX_DEGREE;
        hold(&joint->axis[k], six ? lower[k] : 0, six ? upper[k] : 0);
        joint->axis[k].compliance = def->compliance;
        joint->axis[k].damping = def->damping;
    }
    if (def->kind == VV_JOINT_SLIDER || isLength(def))
        hold(&joint->axis[0], def->lower, def->upper);
    joint->isDistance = isLength(def);
    joint->isPulley = def->kind == VV_JOINT_PULLEY;
    joint->wheelA = def->pulleyA;
    joint->wheelB = def->pulleyB;
    joint->ratio = def->ratio;
    for (int k = 1; k < 3 && joint->isDistance; ++k)
        joint->axis[k] = (JointAxis){ .state = AXIS_FREE };
}

static void holdAngles(const vvJointDef *def, Joint *joint)
{
    const double lower[3] = { def->angularLower.x, def->angularLower.y, def->angularLower.z },
                 upper[3] = { def->angularUpper.x, def->angularUpper.y, def->angularUpper.z };
    bool free = def->kind == VV_JOINT_BALL || isLength(def);
    for (int k = 0; k < 3; ++k)
    {
        JointAxis *axis = &joint->axis[3 + k];
        bool six = def->kind == VV_JOINT_SIX_DEGREE;
        hold(axis, six ? lower[k] : free ? -INFINITY : 0, six ? upper[k] : free ? INFINITY : 0);
        axis->compliance = def->angularCompliance;
        axis->damping = isLength(def) ? 0 : def->angularDamping;
    }
    joint->angles = free && !(joint->axis[3].damping > 0) ? ANGLES_NONE
                    : def->kind == VV_JOINT_HINGE         ? ANGLES_HINGE
                    : def->kind == VV_JOINT_CONE_TWIST    ? ANGLES_CONE
                                                          : ANGLES_VECTOR;
    if (def->kind == VV_JOINT_HINGE || def->kind == VV_JOINT_CONE_TWIST)
        hold(&joint->axis[3], def->lower, def->upper);
    if (def->kind == VV_JOINT_CONE_TWIST)
    {
        hold(&joint->axis[4], -INFINITY, def->swing < PI ? def->swing : INFINITY);
        joint->axis[5] = (JointAxis){ .state = AXIS_FREE };
    }
}

int jointMotorAxis(const vvJointDef *def)
{
    if (def->kind == VV_JOINT_SIX_DEGREE)
        return def->motorAxis;
    if (def->kind == VV_JOINT_HINGE || def->kind == VV_JOINT_CONE_TWIST)
        return 3;
    return def->kind == VV_JOINT_FIXED || def->kind == VV_JOINT_BALL ? -1 : 0;
}

void jointTakeMotor(WorldJoint *of)
{
    const vvJointDef *def = &of->def;
    Joint *joint = &of->joint;
    int driven = jointMotorAxis(def);
    if (driven < 0)
        return;
    JointAxis *axis = &joint->axis[driven];
    axis->motor = def->motor == VV_MOTOR_SPEED      ? MOTOR_SPEED
                  : def->motor == VV_MOTOR_POSITION ? MOTOR_POSITION
                                                    : MOTOR_NONE;
    axis->target = def->motorTarget;
    axis->limit = def->motorLimit;
}

// a frame of the caller's, in the principal frame
static void takeFrame(const RigidBody *body, vvPose frame, Vec3 *anchor, vvQuat *rotation)
{
    quatUnit(&frame.rotation);
    *anchor = vecAdd(body->origin, quatRotate(body->frame, frame.position));
    *rotation = quatNormalized(quatMultiply(body->frame, frame.rotation));
}

// ---- creation -------------------------------------------------------------------------------------------------------

static int reserveSlot(World *world)
{
    Joints *joints = &world->joints;
    for (int i = 0; i < joints->slotCount && joints->count < joints->slotCount; ++i)
    {
        if (!joints->item[i].used)
            return i;
    }
    int slot = joints->slotCount, grown = maxInt(8, 2 * slot);
    void *items = joints->item, *order = joints->order, *links = joints->link;
    bool done = memoryGrow(&world->memory, &order, (size_t)slot, (size_t)grown, sizeof(int));
    joints->order = order;
    done = done && memoryGrow(&world->memory, &links, (size_t)slot, (size_t)grown, sizeof(RigidLink));
    joints->link = links;
    done = done && memoryGrow(&world->memory, &items, (size_t)slot, (size_t)grown, sizeof(WorldJoint));
    joints->item = items;
    if (!done)
        return -1;
    joints->slotCount = grown;
    return slot;
}

static void destroyJoint(World *world, int slot)
{
    Joints *joints = &world->joints;
    WorldJoint *joint = &joints->item[slot];
    if (!joint->broken)
        jointAccount(world, joint)->added -= joint->joint.energy;
    joint->used = false;
    jointWake(world, joint);
    int place = 0;
    while (joints->order[place] != slot)
        ++place;
    joints->count -= 1;
    memmove(joints->order + place, joints->order + place + 1, (size_t)(joints->count - place) * sizeof(int));
    vvResult result = machinesRefit(world);
    (void)result; // without memory a machine is not solved as one
}

static vvResult createJoint(World *world, const vvJointDef *def, int *slot)
{
    Rigid *end[2];
    vvResult result = checkJoint(world, def, end);
    if (result.code == VV_OK)
        result = checkCount("joints", world->joints.count);
    if (result.code != VV_OK)
        return result;
    *slot = reserveSlot(world);
    if (*slot < 0)
        return resultOutOfMemory("a joint");
    Joints *joints = &world->joints;
    joints->ground = (RigidBody){
        .index = -1, .rotation = { 1, 0, 0, 0 }, .startRotation = { 1, 0, 0, 0 }, .frame = { 1, 0, 0, 0 }
    };
    WorldJoint *joint = &joints->item[*slot];
    *joint = (WorldJoint){ .used = true, .generation = nextGeneration(world), .def = *def };
    joint->bodyA = end[0] ? (int)def->bodyA.index1 - 1 : -1;
    joint->bodyB = (int)def->bodyB.index1 - 1;
    takeFrame(end[0] ? &end[0]->body : &joints->ground, def->frameA, &joint->joint.anchorA, &joint->joint.frameA);
    takeFrame(&end[1]->body, def->frameB, &joint->joint.anchorB, &joint->joint.frameB);
    holdLengths(def, &joint->joint);
    holdAngles(def, &joint->joint);
    jointTakeMotor(joint);
    joints->order[joints->count++] = *slot;
    double measure[JOINT_AXES];
    jointMeasure(&joint->joint, jointBody(world, joint->bodyA), jointBody(world, joint->bodyB), measure);
    for (int k = 0; k < JOINT_AXES; ++k)
        joint->joint.axis[k].now = measure[k];
    joint->joint.energy = jointEnergy(&joint->joint, jointBody(world, joint->bodyA), jointBody(world, joint->bodyB));
    jointAccount(world, joint)->added += joint->joint.energy;
    jointYield(&joint->joint, jointBody(world, joint->bodyA), jointBody(world, joint->bodyB));
    jointWake(world, joint);
    result = machinesRefit(world);
    if (result.code != VV_OK)
        destroyJoint(world, *slot);
    return result;
}

vvJointId vvCreateJoint(vvWorldId id, const vvJointDef *def, vvResult *result)
{
    World *world = worldOpen(id);
    int slot = -1;
    vvResult outcome = world ? createJoint(world, def, &slot) : refused("world");
    if (!resultPass(result, &outcome))
        return (vvJointId){ 0, 0, 0 };
    return ID_OF(vvJointId, world, slot, world->joints.item[slot].generation);
}

// any two directions across x
static vvQuat frameAlong(Vec3 x)
{
    Vec3 side = fabs(x.x) <= fabs(x.y) && fabs(x.x) <= fabs(x.z) ? vec3(1, 0, 0)
                : fabs(x.y) <= fabs(x.z)                         ? vec3(0, 1, 0)
                                                                 : vec3(0, 0, 1);
    Vec3 z = vecCross(x, side);
    z = vecScale(1 / vecLength(z), z);
    Vec3 y = vecCross(z, x);
    Mat3 turn = { { { x.x, y.x, z.x }, { x.y, y.y, z.y }, { x.z, y.z, z.z } } };
    return quatOfMatrix(&turn);
}

vvResult vvJointDef_Place(vvJointDef *def, vvVec3 point, vvVec3 axis)
{
    vvResult result = checkDef(def != NULL && def->cookie == JOINT_COOKIE, "joint", "vvDefaultJointDef()");
    if (result.code == VV_OK)
        result = checkVector("point", point);
    if (result.code == VV_OK)
        result = checkVector("axis", axis);
    double length = result.code == VV_OK ? vecLength(axis) : 0;
    if (result.code == VV_OK && !(length > 1e-150))
        result = resultMake(VV_BAD_INPUT, "give a direction", "axis is %g %g %g, its length must be above 0", axis.x,
                            axis.y, axis.z);
    if (result.code != VV_OK)
        return result;
    if (!isNull(def->bodyA) && !vvRigidBody_IsValid(def->bodyA))
        return badId("bodyA");
    if (!vvRigidBody_IsValid(def->bodyB))
        return badId("bodyB");
    vvQuat turn = frameAlong(vecScale(1 / length, axis));
    vvPose none = { .rotation = { 1, 0, 0, 0 } };
    vvPose pose[2] = { isNull(def->bodyA) ? none : vvRigidBody_GetPose(def->bodyA), vvRigidBody_GetPose(def->bodyB) };
    vvPose *frame[2] = { &def->frameA, &def->frameB };
    for (int k = 0; k < 2; ++k)
    {
        frame[k]->position = quatRotateBack(pose[k].rotation, vecSub(point, pose[k].position));
        frame[k]->rotation = quatMultiply(quatConjugate(pose[k].rotation), turn);
    }
    return result;
}

// ---- destruction ----------------------------------------------------------------------------------------------------

void vvDestroyJoint(vvJointId id)
{
    World *world;
    if (jointOpen(id, &world) != NULL)
        destroyJoint(world, (int)id.index1 - 1);
}

void jointsOfRigidMoved(World *world, int slot)
{
    for (int i = 0; i < world->joints.count; ++i)
    {
        WorldJoint *joint = &world->joints.item[world->joints.order[i]];
        if ((joint->bodyA != slot && joint->bodyB != slot) || joint->broken)
            continue;
        const RigidBody *a = jointBody(world, joint->bodyA), *b = jointBody(world, joint->bodyB);
        double before = joint->joint.energy;
        joint->joint.energy = jointEnergy(&joint->joint, a, b);
        jointAccount(world, joint)->added += joint->joint.energy - before;
        jointYield(&joint->joint, a, b);
    }
}

void jointsOfRigidDestroy(World *world, int slot)
{
    for (int i = 0; i < world->joints.slotCount; ++i)
    {
        const WorldJoint *joint = &world->joints.item[i];
        if (joint->used && (joint->bodyA == slot || joint->bodyB == slot))
            destroyJoint(world, i);
    }
}

void jointsDestroy(World *world)
{
    memoryRelease(&world->memory, world->joints.item);
    memoryRelease(&world->memory, world->joints.order);
    memoryRelease(&world->memory, world->joints.link);
}

// ---- questions ------------------------------------------------------------------------------------------------------

bool vvJoint_IsValid(vvJointId id)
{
    World *world;
    return jointFind(id, &world) != NULL;
}

void *vvJoint_GetUserData(vvJointId id)
{
    World *world;
    const WorldJoint *joint = jointFind(id, &world);
    return joint ? joint->def.userData : NULL;
}

vvResult vvJoint_GetDef(vvJointId id, vvJointDef *def)
{
    World *world;
    const WorldJoint *joint = jointFind(id, &world);
    if (joint == NULL)
        return badId("joint");
    if (def == NULL)
        return resultMake(VV_BAD_INPUT, "pass room for a vvJointDef", "def is NULL");
    *def = joint->def;
    return resultOk();
}

vvVec3 vvJoint_GetForce(vvJointId id)
{
    World *world;
    const WorldJoint *joint = jointFind(id, &world);
    return joint ? joint->force : vec3(0, 0, 0);
}

vvVec3 vvJoint_GetTorque(vvJointId id)
{
    World *world;
    const WorldJoint *joint = jointFind(id, &world);
    return joint ? joint->torque : vec3(0, 0, 0);
}

double vvJoint_GetMeasure(vvJointId id, int axis)
{
    World *world;
    const WorldJoint *joint = jointFind(id, &world);
    if (joint == NULL || axis < 0 || axis >= JOINT_AXES)
        return 0;
    double measure[JOINT_AXES];
    jointMeasure(&joint->joint, jointBody(world, joint->bodyA), jointBody(world, joint->bodyB), measure);
    return measure[axis];
}

bool vvJoint_IsBroken(vvJointId id)
{
    World *world;
    const WorldJoint *joint = jointFind(id, &world);
    return joint != NULL && joint->broken;
}

vvResult vvJoint_SetMotor(vvJointId id, vvMotorKind motor, double target, double limit)
{
    World *world;
    WorldJoint *joint = jointOpen(id, &world);
    vvResult result = joint ? checkMotor(&joint->def, motor, target, limit) : refused("joint");
    if (result.code != VV_OK)
        return result;
    vvJointDef before = joint->def;
    joint->def.motor = motor;
    joint->def.motorTarget = target;
    joint->def.motorLimit = limit;
    bool switched = (before.motor == VV_MOTOR_NONE) != (motor == VV_MOTOR_NONE);
    result = switched ? machinesRefit(world) : result;
    if (result.code != VV_OK)
        joint->def = before;
    jointTakeMotor(joint);
    jointWake(world, joint);
    return result;
}
