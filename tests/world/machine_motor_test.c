// Motors and dampers of machines with soft bodies: what they push with, the speed that is reached, what they hold.
#include "machines.h"

// A box on a hinge with an undamped block of 1 kg behind it, at rest, level.
typedef struct Arm
{
    vvWorldId world;
    vvJointId hinge;
    double mass;
} Arm;

static Arm makeArm(const char *method, double gravity, double mass, double young, double damping, double up)
{
    Arm arm = { .world = makeWorld(method, (vvVec3){ 0, -gravity, 0 }), .mass = mass };
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_HINGE;
    def.bodyB = machineBox(arm.world, (vvVec3){ 0.05, 0, 0 }, mass);
    def.angularDamping = damping;
    CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0, 1 }));
    arm.hinge = machineJoint(arm.world, &def);
    machineBlock(arm.world, def.bodyB, (vvVec3){ 0.151, 0, 0 }, young, 0, (vvVec3){ 0, up, 0 });
    return arm;
}

// Means of some steps of 1/60 s, and sums over all of them.
typedef struct Turning
{
    double speed, torque; // rad/s, N m
    double most;          // N m, of one step
    double work;          // J
} Turning;

static Turning turn(const Arm *arm, int steps)
{
    Turning sum = { 0 };
    double last = vvJoint_GetMeasure(arm->hinge, 3);
    for (int k = 0; k < steps; ++k)
    {
        CHECK_OK(vvWorld_Step(arm->world, 1.0 / 60));
        double torque = vvJoint_GetTorque(arm->hinge).z, now = vvJoint_GetMeasure(arm->hinge, 3);
        sum.speed += (now - last) * 60 / steps;
        sum.torque += torque / steps;
        sum.most = fmax(sum.most, fabs(torque));
        sum.work += torque * (now - last);
        last = now;
    }
    return sum;
}

// The largest torque gives angular momentum until the speed is reached, which then stays; its work is added energy.
static void speedIsReached(void **state)
{
    (void)state;
    static const char *const methods[] = { "small-midpoint", "implicit-midpoint" };
    for (int i = 0; i < 4; ++i)
    {
        Arm arm = makeArm(methods[i / 2], 0, i % 2 == 0 ? 1 : 0.1, i % 2 == 0 ? 1e5 : 1e6, 0, 0);
        CHECK_OK(vvJoint_SetMotor(arm.hinge, VV_MOTOR_SPEED, 2, 0.1));
        Turning first = turn(&arm, 20);
        CHECK_NEAR(first.torque, 0.1, 0.006);
        assert_true(first.most < 0.105);
        CHECK_NEAR(vvWorld_GetLedger(arm.world).angularMomentum.z, first.torque / 3, 0.01 * 0.1 / 3);
        Turning more = turn(&arm, 30), last = turn(&arm, 20);
        CHECK_NEAR(last.speed, 2, 0.02);
        CHECK_NEAR(last.torque, 0, 0.015);
        CHECK_NEAR(vvWorld_GetLedger(arm.world).added, first.work + more.work + last.work, 0.02 * 0.05);
        vvDestroyWorld(arm.world);
    }
}

// A position is held against weight: angle and torque are those of statics.
static void weightIsHeld(void **state)
{
    (void)state;
    Arm arm = makeArm("small-midpoint", 9.81, 1, 1e5, 0, 0);
    CHECK_OK(vvJoint_SetMotor(arm.hinge, VV_MOTOR_POSITION, 0.7, 100));
    turn(&arm, 90);
    Turning rest = turn(&arm, 30);
    CHECK_NEAR(vvJoint_GetMeasure(arm.hinge, 3), 0.7, 0.005);
    CHECK_NEAR(rest.torque, 9.81 * 0.201 * cos(0.7), 0.02 * 1.5);
    assert_true(rest.most < 1.1 * 1.51); // it does not chatter
    vvDestroyWorld(arm.world);
}

// What is too heavy for a motor falls as if the motor were a constant torque.
static void largestTorqueHolds(void **state)
{
    (void)state;
    Arm arm = makeArm("small-midpoint", 9.81, 0.1, 1e5, 0, 0);
    CHECK_OK(vvJoint_SetMotor(arm.hinge, VV_MOTOR_SPEED, 0, 1));
    turn(&arm, 6);
    Turning fall = turn(&arm, 18);
    CHECK_NEAR(fall.torque, 1, 0.1);
    assert_true(fall.most < 1.5 && fall.speed < -1);
    vvDestroyWorld(arm.world);
}

// A damper takes the angular momentum that there is: it comes to rest after the angle that this is worth. What it takes
// is dissipated.
static void dampersStop(void **state)
{
    (void)state;
    Arm arm = makeArm("small-midpoint", 0, 1, 1e5, 0.1, 1);
    double begins = vvWorld_GetLedger(arm.world).angularMomentum.z;
    Turning all = turn(&arm, 150);
    CHECK_NEAR(vvJoint_GetMeasure(arm.hinge, 3), begins / 0.1, 0.05 * begins / 0.1);
    vvLedger now = vvWorld_GetLedger(arm.world);
    assert_true(now.added == 0 || fabs(now.added) < 1e-9);
    CHECK_NEAR(now.dissipated, -all.work, 0.02 * now.dissipated);
    vvDestroyWorld(arm.world);
}

// The class of the soak test: of random machines with motors and dampers the energy rises by no more than what these
// add and 2 %, and closed ones keep their momenta to 1e-9.
static void machinesKeepTheirEnergy(void **state)
{
    (void)state;
    static const int seeds[] = { 6, 10, 14, 3004 };
    machineClass = MACHINE_MOTORS;
    for (int i = 0; i < 4; ++i)
    {
        Machine machine = machineMake(seeds[i], "small-midpoint", 1);
        MachineRun run = machineRun(&machine, 0.75);
        assert_true(run.rise < 0.02);
        assert_true(!machine.flies || (run.momentum < 1e-9 && run.angular < 1e-9));
        vvDestroyWorld(machine.world);
    }
    machineClass = MACHINE_LINKS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speedIsReached),          cmocka_unit_test(weightIsHeld),
        cmocka_unit_test(largestTorqueHolds),      cmocka_unit_test(dampersStop),
        cmocka_unit_test(machinesKeepTheirEnergy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
