// Random machines: chains and loops of up to four rigid bodies on fixed, ball and hinge joints and rods, half of the
// hinges with limits, with one or two undamped soft blocks of 1 kg bonded to them: 1e4 to 1e7 Pa, bodies of a hundredth
// to a hundred times their mass. They hang on the world, or fly without gravity.
#ifndef TESTS_WORLD_MACHINES_H
#define TESTS_WORLD_MACHINES_H

#include "base/vec.h"
#include "world/scenes.h"

#include <math.h>

#define MACHINE_BODIES 4
#define MACHINE_JOINTS 5
#define MACHINE_PITCH 0.12 // m, from one body to the next

typedef enum MachineClass
{
    MACHINE_LINKS,   // fixed, ball and hinge joints and rods, half of the hinges with limits
    MACHINE_LIMITS,  // ropes of up to 1.3 times their length, and cones with limits of lean and twist, among them
    MACHINE_MOTORS,  // seven in ten hinges are driven, at up to 3 rad/s or to an angle, or damped
    MACHINE_SLIDERS, // six in ten joints are sliders, half of them with limits of 0.02 to 0.2 m
    MACHINE_DRIVEN_SLIDERS, // of these seven in ten are driven, at up to 1 m/s or to a place, or damped
    MACHINE_SOFT,           // of any kind, with compliance and damping of lengths and angles
    MACHINE_SOFT_DRIVEN,    // the same, with limits of ropes, cones, angles and travels, and motors of all kinds
} MachineClass;

typedef struct Machine
{
    vvWorldId world;
    vvRigidBodyId body[MACHINE_BODIES];
    vvJointId joint[MACHINE_JOINTS];
    int bodyCount, jointCount;
    bool flies;
    double h; // s
} Machine;

static unsigned long long machineSeed;
static MachineClass machineClass; // of the next that is made

static inline double machineDraw(double from, double to)
{
    machineSeed = machineSeed * 6364136223846793005ULL + 1442695040888963407ULL;
    return from + (to - from) * (double)(machineSeed >> 11) / 9007199254740992.0;
}

static inline double machineDrawLog(double from, double to)
{
    return exp(machineDraw(log(from), log(to)));
}

static inline vvRigidBodyId machineBox(vvWorldId world, vvVec3 position, double mass)
{
    vvShapeDef shape = vvDefaultShapeDef();
    shape.kind = VV_SHAPE_BOX;
    shape.size = (vvVec3){ 0.1, 0.1, 0.1 };
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    vvResult result;
    def.shape = vvCreateShape(&shape, &result);
    CHECK_OK(result);
    def.position = position;
    def.mass = mass;
    def.category = def.mask = 0; // meets nothing
    vvRigidBodyId body = vvCreateRigidBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    return body;
}

// an undamped or damped block of 1 kg and 0.1 m, bonded to what its side touches
static inline void machineBlock(vvWorldId world, vvRigidBodyId on, vvVec3 at, double young, double damping, vvVec3 goes)
{
    vvSoftBodyDef block = elasticDef(1000, young, 0.3);
    block.position = at;
    block.velocity = goes;
    block.damping.stiffness = damping;
    block.category = 0;
    vvBondDef bond = vvDefaultBondDef();
    bond.bodyA = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.1, 0.1, 0.1 }, 2, 2, 2), block);
    bond.rigidB = on;
    bond.distance = 0.002;
    vvResult result;
    assert_int_equal(vvCreateBonds(world, &bond, NULL, 0, &result), 9);
}

static inline vvJointId machineJoint(vvWorldId world, const vvJointDef *def)
{
    vvResult result;
    vvJointId joint = vvCreateJoint(world, def, &result);
    CHECK_OK(result);
    return joint;
}

static inline void machineLimit(vvJointDef *def)
{
    if (machineClass != MACHINE_LIMITS || machineDraw(0, 1) < 0.4)
        return;
    bool rope = machineDraw(0, 1) < 0.5;
    def->kind = rope ? VV_JOINT_DISTANCE : VV_JOINT_CONE_TWIST;
    def->lower = rope ? 0 : -machineDraw(0.05, 0.6);
    def->upper = rope ? MACHINE_PITCH * machineDraw(1, 1.3) : machineDraw(0.05, 0.6);
    def->swing = machineDrawLog(0.05, 3);
}

static inline void machineDrive(vvJointDef *def)
{
    if (machineClass != MACHINE_MOTORS || def->kind != VV_JOINT_HINGE || machineDraw(0, 1) < 0.3)
        return;
    double kind = machineDraw(0, 1);
    def->motor = kind < 0.5 ? VV_MOTOR_SPEED : kind < 0.8 ? VV_MOTOR_POSITION : VV_MOTOR_NONE;
    def->angularDamping = kind < 0.8 ? 0 : machineDrawLog(0.001, 10);
    def->motorLimit = machineDrawLog(0.1, 300);
    def->motorTarget = machineDraw(0, 1) < 0.3 ? 0 : machineDraw(-3, 3) * (def->motor == VV_MOTOR_SPEED ? 1 : 0.3);
}

static inline bool machineHasSliders(void)
{
    return machineClass == MACHINE_SLIDERS || machineClass == MACHINE_DRIVEN_SLIDERS;
}

static inline void machineSlide(vvJointDef *def)
{
    if (!machineHasSliders() || machineDraw(0, 1) < 0.4)
        return;
    def->kind = VV_JOINT_SLIDER;
    def->lower = -INFINITY;
    def->upper = INFINITY;
    if (machineDraw(0, 1) < 0.5)
    {
        def->lower = -machineDrawLog(0.02, 0.2);
        def->upper = machineDrawLog(0.02, 0.2);
    }
    double kind = machineDraw(0, 1);
    if (machineClass != MACHINE_DRIVEN_SLIDERS || kind > 0.7)
        return;
    def->motor = kind < 0.35 ? VV_MOTOR_SPEED : kind < 0.55 ? VV_MOTOR_POSITION : VV_MOTOR_NONE;
    def->damping = kind < 0.55 ? 0 : machineDrawLog(0.1, 1000);
    def->motorLimit = machineDrawLog(1, 3000);
    def->motorTarget = machineDraw(0, 1) < 0.3 ? 0 : machineDraw(-1, 1) * (def->motor == VV_MOTOR_SPEED ? 1 : 0.1);
}

// six measures of which one angle, or one length, or all angles, or all lengths, or none are free
static inline void machineSix(vvJointDef *def, bool flies)
{
    int free = (int)machineDraw(0, 5), axis = (int)machineDraw(0, 3);
    if (free == 3 && !flies) // it would fall for ever
        free = 4;
    double open[3] = { axis == 0 ? INFINITY : 0, axis == 1 ? INFINITY : 0, axis == 2 ? INFINITY : 0 };
    vvVec3 one = vecLoad(open), all = { INFINITY, INFINITY, INFINITY };
    def->kind = VV_JOINT_SIX_DEGREE;
    def->angularUpper = free == 0 ? one : free == 2 ? all : (vvVec3){ 0, 0, 0 };
    def->linearUpper = free == 1 ? one : free == 3 ? all : (vvVec3){ 0, 0, 0 };
    def->angularLower = vecScale(-1, def->angularUpper);
    def->linearLower = vecScale(-1, def->linearUpper);
    def->motorAxis = free == 0 ? 3 + axis : axis;
    if (free == 0 || free == 2)
        def->motorAxis = 3 + axis;
}

// three in four joints give way, by a millimetre to a metre under the weight of a kilogram, or damp, or both
static inline void machineSoften(vvJointDef *def, bool flies)
{
    if (machineClass != MACHINE_SOFT && machineClass != MACHINE_SOFT_DRIVEN)
        return;
    double kind = machineDraw(0, 1);
    if (kind < 0.6)
    {
        def->lower = -INFINITY;
        def->upper = INFINITY;
    }
    if (kind < 0.3)
        machineSix(def, flies);
    else if (kind < 0.5)
        def->kind = VV_JOINT_SLIDER;
    else if (kind < 0.6 && machineClass == MACHINE_SOFT_DRIVEN)
    {
        def->kind = VV_JOINT_CONE_TWIST;
        def->swing = machineDrawLog(0.05, 3);
    }
    def->compliance = machineDraw(0, 1) < 0.5 ? machineDrawLog(1e-5, 1e-2) : 0;
    def->angularCompliance = machineDraw(0, 1) < 0.5 ? machineDrawLog(1e-3, 1) : 0;
    def->damping = machineDraw(0, 1) < 0.4 ? machineDrawLog(0.1, 1000) : 0;
    def->angularDamping = machineDraw(0, 1) < 0.4 ? machineDrawLog(1e-4, 1) : 0;
}

static inline void machineSoftDrive(vvJointDef *def)
{
    bool drivable = def->kind != VV_JOINT_FIXED && def->kind != VV_JOINT_BALL;
    if (machineClass != MACHINE_SOFT_DRIVEN)
        return;
    bool limited = machineDraw(0, 1) < 0.5, driven = machineDraw(0, 1) < 0.5 && drivable,
         speed = machineDraw(0, 1) < 0.5;
    if (limited && (def->kind == VV_JOINT_HINGE || def->kind == VV_JOINT_SLIDER || def->kind == VV_JOINT_CONE_TWIST))
    {
        def->lower = -machineDraw(0.05, 0.6);
        def->upper = machineDraw(0.05, 0.6);
    }
    if (limited && def->kind == VV_JOINT_DISTANCE)
    {
        def->lower = 0.5 * MACHINE_PITCH;
        def->upper = MACHINE_PITCH * machineDraw(1, 1.3);
    }
    if (!driven)
        return;
    def->motor = speed ? VV_MOTOR_SPEED : VV_MOTOR_POSITION;
    def->motorLimit = machineDrawLog(0.1, 300);
    def->motorTarget = machineDraw(-1, 1) * (speed ? 1 : 0.1);
    if (def->kind == VV_JOINT_DISTANCE)
        def->motorTarget = speed ? def->motorTarget : MACHINE_PITCH * machineDraw(0.5, 1.3);
}

// from body i - 1, or the world, to body i, or from the last body back to the world
static inline void machineJoin(Machine *machine, vvVec3 along, int i)
{
    static const vvJointKind kinds[] = { VV_JOINT_FIXED, VV_JOINT_BALL, VV_JOINT_HINGE, VV_JOINT_HINGE,
                                         VV_JOINT_DISTANCE };
    static const vvVec3 axes[] = { { 0, 0, 1 }, { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } };
    bool back = i == machine->bodyCount;
    vvJointDef def = vvDefaultJointDef();
    def.kind = back ? VV_JOINT_BALL : kinds[(int)machineDraw(0, 5)];
    def.bodyB = machine->body[back ? i - 1 : i];
    if (i > 0 && !back)
        def.bodyA = machine->body[i - 1];
    vvVec3 axis = axes[(int)machineDraw(0, 4)];
    if (def.kind == VV_JOINT_DISTANCE)
        def.lower = def.upper = MACHINE_PITCH;
    if (!back)
    {
        machineLimit(&def);
        machineSlide(&def);
        machineSoften(&def, machine->flies);
    }
    if (def.kind == VV_JOINT_DISTANCE)
        def.frameA.position = i > 0 ? (vvVec3){ 0, 0, 0 } : vecScale(-MACHINE_PITCH, along);
    else
        CHECK_OK(vvJointDef_Place(&def, vecScale(MACHINE_PITCH * (i - 0.5), along), axis));
    if (def.kind == VV_JOINT_HINGE && machineClass < MACHINE_SOFT && machineDraw(0, 1) < 0.5)
    {
        def.lower = -machineDraw(0.05, 0.6);
        def.upper = machineDraw(0.05, 0.6);
    }
    machineDrive(&def);
    machineSoftDrive(&def);
    machine->joint[machine->jointCount++] = machineJoint(machine->world, &def);
}

static inline void machineBond(Machine *machine, vvVec3 along, int on, bool ahead, double young)
{
    vvVec3 at = vecScale(MACHINE_PITCH * on, along), side = ahead ? along : (vvVec3){ 0, 0, 1 };
    double goes[3];
    for (int k = 0; k < 3; ++k)
        goes[k] = machineDraw(-1, 1);
    machineBlock(machine->world, machine->body[on], vecAdd(at, vecScale(0.101, side)), young, 0, vecLoad(goes));
}

static inline Machine machineMake(int seed, const char *method, int threads)
{
    machineSeed = 7919ULL * (unsigned)seed + 12345;
    for (int i = 0; i < 10; ++i)
        machineDraw(0, 1);
    Machine machine = { .bodyCount = 1 + (int)machineDraw(0, MACHINE_BODIES), .flies = machineDraw(0, 1) < 0.3 };
    if (machine.flies && machine.bodyCount < 2)
        machine.bodyCount = 2;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.threads = threads;
    def.gravity = (vvVec3){ 0, machine.flies ? 0 : -9.81, 0 };
    vvResult result;
    machine.world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    double ratio = machineDrawLog(0.01, 100), young = machineDrawLog(1e4, 1e7);
    vvVec3 along = machineDraw(0, 1) < 0.5 ? (vvVec3){ 1, 0, 0 } : (vvVec3){ 0, -1, 0 };
    for (int i = 0; i < machine.bodyCount; ++i)
        machine.body[i] = machineBox(machine.world, vecScale(MACHINE_PITCH * i, along), ratio * machineDrawLog(0.5, 2));
    bool loop = !machine.flies && machine.bodyCount > 2 && machineDraw(0, 1) < 0.5;
    for (int i = machine.flies; i < machine.bodyCount + loop; ++i)
        machineJoin(&machine, along, i);
    machineBond(&machine, along, machine.bodyCount - 1, !loop && machineDraw(0, 1) < 0.5, young);
    if (machine.bodyCount > 1 && machineDraw(0, 1) < 0.5)
        machineBond(&machine, along, (int)machineDraw(0, machine.bodyCount - 1), false, young);
    machine.h = machineDraw(0, 1) < 0.5 ? 1.0 / 60 : 1.0 / 120;
    return machine;
}

// What a run has shown, of what may be exchanged: kinetic energy at the start and what gravity gives.
typedef struct MachineRun
{
    double rise, ends;        // of the energy above the start: the most, and at the end
    double momentum, angular; // errors of what flies, of sqrt(2 m E), and that times 0.3 m
} MachineRun;

static inline double machineApart(vvVec3 a, vvVec3 b)
{
    return vecLength(vecSub(a, b));
}

static inline MachineRun machineRun(const Machine *machine, double seconds)
{
    vvLedger before = vvWorld_GetLedger(machine->world), now = before;
    double most = 0, gravity = before.gravity, linear = 0, angular = 0, mass = 2, work = 0, worked = 0;
    for (int i = 0; i < machine->bodyCount; ++i)
        mass += vvRigidBody_GetMass(machine->body[i]);
    for (int k = 0; k < seconds / machine->h; ++k)
    {
        CHECK_OK(vvWorld_Step(machine->world, machine->h));
        now = vvWorld_GetLedger(machine->world);
        double did = now.added - before.added - work;
        work += did;
        worked += fabs(did);
        most = fmax(most, now.total - before.total - work);
        gravity = fmin(gravity, now.gravity);
        linear = fmax(linear, machineApart(now.momentum, before.momentum));
        angular = fmax(angular, machineApart(now.angularMomentum, before.angularMomentum));
    }
    double exchanged = before.kinetic + before.gravity - gravity + worked, scale = sqrt(2 * mass * before.kinetic);
    return (MachineRun){ most / exchanged, (now.total - before.total - work) / exchanged, linear / scale,
                         angular / (0.3 * scale) };
}

#endif
