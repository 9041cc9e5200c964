// Soft bodies bonded to machines of rigid ones: energy, momenta, forces of joints, threads, saved states, breaking.
#include "machines.h"

// The same of machines on sliders, with limits, motors and dampers. What they travel is many times their size, and the
// rounding of moments with it.
static void slidersKeepTheirEnergy(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i)
    {
        machineClass = i < 2 ? MACHINE_SLIDERS : MACHINE_DRIVEN_SLIDERS;
        Machine machine = machineMake(i % 2 == 0 ? 6 : 16, "small-midpoint", 1);
        MachineRun run = machineRun(&machine, 0.75);
        assert_true(run.rise < 0.02);
        assert_true(!machine.flies || (run.momentum < 1e-9 && run.angular < 1e-8));
        vvDestroyWorld(machine.world);
    }
    machineClass = MACHINE_LINKS;
}

// A box of 0.1 kg with an undamped block of 1 kg on a slider. Without gravity a motor of 0.55 N gives it the momentum
// of 0.55 N times the time within 2 %, and one of 1 m/s keeps that within 2 % in the mean of ten steps. Upright it
// holds the weight at its place, and gives what momentum there is, within 5 %: the block swings within a step, and
// forces are those of its start and its end.
static void sliderMotorsDrive(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
    {
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, i == 2 ? -9.81 : 0, 0 });
        vvJointDef def = vvDefaultJointDef();
        def.kind = VV_JOINT_SLIDER;
        def.bodyB = machineBox(world, (vvVec3){ 0, 0, 0 }, 0.1);
        def.motor = i == 2 ? VV_MOTOR_POSITION : VV_MOTOR_SPEED;
        def.motorTarget = i == 0 ? 5 : i == 1 ? 1 : 0;
        def.motorLimit = i == 0 ? 0.55 : 1000;
        CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 1, 0 }));
        vvJointId joint = machineJoint(world, &def);
        machineBlock(world, def.bodyB, (vvVec3){ 0, 0.101, 0 }, 1e5, 0, (vvVec3){ 0, 0, 0 });
        double momentum = 0, force = 0, gains = 0, was = 0, h = 1.0 / 60;
        for (int k = 0; k < 60; ++k)
        {
            CHECK_OK(vvWorld_Step(world, h));
            momentum = vvWorld_GetLedger(world).momentum.y;
            gains = k < 30 ? momentum : gains;
            force += k < 30 ? 0 : vvJoint_GetForce(joint).y / 30;
            was = k == 49 ? vvJoint_GetMeasure(joint, 0) : was;
        }
        double now = vvJoint_GetMeasure(joint, 0);
        print_message("motor %d: %.5g N s, %.5g m/s, at %.4g m, %.5g N\n", i, momentum, (now - was) / (10 * h), now,
                      force);
        if (i == 0)
            CHECK_NEAR(momentum, 0.55 * 60 * h, 0.02 * 0.55);
        else if (i == 1)
            CHECK_NEAR((now - was) / (10 * h), 1, 0.02);
        else
        {
            CHECK_NEAR(force, 1.1 * 9.81 + (momentum - gains) / (30 * h), 0.05 * 1.1 * 9.81);
            CHECK_NEAR(now, 0, 0.005);
        }
        vvDestroyWorld(world);
    }
}

// A slider that falls on its end: it goes beyond by the way of a step before the limit is touched (21 mm at 1.25 m/s),
// and by 0.7 of that while its spring gives way, swinging 1.4 radians in a step. It rests within the way of one.
static void slidersStop(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_SLIDER;
    def.bodyB = machineBox(world, (vvVec3){ 0, 0, 0 }, 0.1);
    def.lower = -0.08;
    def.upper = 0.08;
    CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 1, 0 }));
    vvJointId joint = machineJoint(world, &def);
    machineBlock(world, def.bodyB, (vvVec3){ 0, 0.101, 0 }, 1e5, 0.01, (vvVec3){ 0, 0, 0 });
    double before = vvWorld_GetLedger(world).total, least = 0;
    for (int k = 0; k < 120; ++k)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        least = fmin(least, vvJoint_GetMeasure(joint, 0));
        assert_true(vvWorld_GetLedger(world).total < before + 0.01);
    }
    print_message("slider: %.4g at most, %.4g at the end\n", least, vvJoint_GetMeasure(joint, 0));
    assert_true(least > -0.08 - 0.021 - 0.015);
    CHECK_NEAR(vvJoint_GetMeasure(joint, 0), -0.08, 0.021);
    vvDestroyWorld(world);
}

// Energy rises by 2 % at most, and closed machines keep their momenta to 1e-9. The classes are those of the soak test.
static void machinesKeepTheirEnergy(void **state)
{
    (void)state;
    static const int seeds[] = { 3, 6, 11, 15 };
    for (int i = 0; i < 4; ++i)
    {
        Machine machine = machineMake(seeds[i], "small-midpoint", 1);
        MachineRun run = machineRun(&machine, 0.75);
        assert_true(run.rise < 0.02);
        assert_true(!machine.flies || (run.momentum < 1e-9 && run.angular < 1e-9));
        vvDestroyWorld(machine.world);
    }
}

// A damped block hangs on two links: the upper joint bears all, the lower one its own link and the block, within 1 % in
// the mean of a second.
static void jointsBearWhatHangsOnThem(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvRigidBodyId link[2];
    vvJointId joint[2];
    for (int i = 0; i < 2; ++i)
    {
        link[i] = machineBox(world, (vvVec3){ 0, -0.12 * i, 0 }, 0.2);
        vvJointDef def = vvDefaultJointDef();
        def.kind = i == 0 ? VV_JOINT_HINGE : VV_JOINT_BALL;
        def.bodyB = link[i];
        if (i > 0)
            def.bodyA = link[0];
        CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0.06 - 0.12 * i, 0 }, (vvVec3){ 0, 0, 1 }));
        joint[i] = machineJoint(world, &def);
    }
    machineBlock(world, link[1], (vvVec3){ 0, -0.221, 0 }, 1e5, 0.01, (vvVec3){ 0, 0, 0 });
    double sum[2] = { 0, 0 };
    for (int k = 0; k < 90; ++k)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        for (int i = 0; i < 2 && k >= 30; ++i)
            sum[i] += vvJoint_GetForce(joint[i]).y / 60;
    }
    CHECK_NEAR(sum[0], 9.81 * 1.4, 0.01 * 9.81 * 1.4);
    CHECK_NEAR(sum[1], 9.81 * 1.2, 0.01 * 9.81 * 1.2);
    // what a joint's springs are made of is not the caller's
    assert_int_equal(vvWorld_GetAttachments(world, NULL, 0), 9);
    assert_int_equal(vvWorld_GetBodies(world, NULL, 0), 1);
    assert_int_equal(vvWorld_GetStatistics(world).bodyCount, 1);
    // without the joint they fall
    vvDestroyJoint(joint[0]);
    double falls = vvWorld_GetLedger(world).momentum.y;
    for (int k = 0; k < 6; ++k)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    CHECK_NEAR(vvWorld_GetLedger(world).momentum.y - falls, -9.81 * 1.4 * 0.1, 1e-6);
    vvDestroyWorld(world);
}

// A hinge that stops: the spring that stands for its limit gives way by 0.15 rad at 6 rad/s, and at rest the angle is
// within a third of the way of a step of the limit.
static void limitsStop(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvRigidBodyId arm = machineBox(world, (vvVec3){ 0.05, 0, 0 }, 0.1);
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_HINGE;
    def.bodyB = arm;
    def.lower = -0.3;
    def.upper = 0.3;
    CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0, 1 }));
    vvJointId hinge = machineJoint(world, &def);
    machineBlock(world, arm, (vvVec3){ 0.151, 0, 0 }, 1e5, 0.01, (vvVec3){ 0, 0, 0 });
    double before = vvWorld_GetLedger(world).total;
    for (int k = 0; k < 120; ++k)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        assert_true(vvJoint_GetMeasure(hinge, 3) > -0.3 - 0.2);
        assert_true(vvWorld_GetLedger(world).total < before + 0.01);
    }
    CHECK_NEAR(vvJoint_GetMeasure(hinge, 3), -0.3, 0.035);
    vvDestroyWorld(world);
}

// A box of 0.1 kg with a block of 1 kg on a rope that is slack by 0.08 m, or on a cone, falls to its limit: it goes
// beyond it by the way of one step (21 mm at 1.25 m/s, 0.1 rad at 6 rad/s), before the limit is touched, and by what
// its spring gives way; it stays within the way of a step; nothing is gained, and what stops is lost.
static void ropesAndConesStop(void **state)
{
    (void)state;
    for (int cone = 0; cone < 2; ++cone)
    {
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
        vvJointDef def = vvDefaultJointDef();
        def.kind = cone ? VV_JOINT_CONE_TWIST : VV_JOINT_DISTANCE;
        def.bodyB = machineBox(world, cone ? (vvVec3){ 0.05, 0, 0 } : (vvVec3){ 0, 0, 0 }, 0.1);
        def.lower = cone ? -0.2 : 0;
        def.upper = 0.2;
        def.swing = 0.3;
        def.frameA.position = (vvVec3){ 0, 0.12, 0 };
        if (cone)
            CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0, 0 }, (vvVec3){ 1, 0, 0 }));
        vvJointId joint = machineJoint(world, &def);
        machineBlock(world, def.bodyB, (cone ? (vvVec3){ 0.151, 0, 0 } : (vvVec3){ 0, -0.101, 0 }), 1e5, 0.01,
                     (vvVec3){ 0, 0, 0 });
        double before = vvWorld_GetLedger(world).total, most = 0, now = 0;
        for (int k = 0; k < 120; ++k)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            double y = vvJoint_GetMeasure(joint, 4), z = vvJoint_GetMeasure(joint, 5);
            vvVec3 at = vvRigidBody_GetPose(def.bodyB).position;
            now = cone ? sqrt(y * y + z * z) : machineApart(at, def.frameA.position);
            most = fmax(most, now);
            assert_true(vvWorld_GetLedger(world).total < before + 0.01);
        }
        print_message("%s: %.4g at most, %.4g at the end\n", cone ? "cone" : "rope", most, now);
        assert_true(most < (cone ? 0.3 + 0.2 : 0.2 + 0.03));
        CHECK_NEAR(now, cone ? 0.3 : 0.2, cone ? 0.1 : 0.021);
        vvDestroyWorld(world);
    }
}

// A motor that is switched on drives its machine, and off again it is a machine as before.
static void motorsAreSwitched(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_HINGE;
    def.bodyB = machineBox(world, (vvVec3){ 0.05, 0, 0 }, 1);
    CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0, 1 }));
    vvJointId joint = machineJoint(world, &def);
    machineBlock(world, def.bodyB, (vvVec3){ 0.151, 0, 0 }, 1e5, 0.01, (vvVec3){ 0, 0, 0 });
    size_t size = vvWorld_GetStateSize(world);
    CHECK_OK(vvJoint_SetMotor(joint, VV_MOTOR_SPEED, 0.5, 100));
    for (int k = 0; k < 60; ++k)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    CHECK_NEAR(vvJoint_GetMeasure(joint, 3), 0.5, 0.05);
    CHECK_OK(vvJoint_SetMotor(joint, VV_MOTOR_NONE, 0, 0));
    assert_true(vvWorld_GetStateSize(world) == size);
    CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    vvDestroyWorld(world);
}

static void sameBits(void **state)
{
    (void)state;
    static const int threads[] = { 1, 2, 3, 7 };
    uint64_t hash = 0;
    for (int i = 0; i < 16; ++i)
    {
        machineClass = i < 4    ? MACHINE_LINKS
                       : i < 8  ? MACHINE_LIMITS
                       : i < 12 ? MACHINE_MOTORS
                                : MACHINE_DRIVEN_SLIDERS;
        Machine machine = machineMake(i < 8 ? 4 : 6, "small-midpoint", threads[i % 4]);
        for (int k = 0; k < 20; ++k)
            CHECK_OK(vvWorld_Step(machine.world, machine.h));
        hash = i % 4 == 0 ? vvWorld_GetHash(machine.world) : hash;
        assert_true(vvWorld_GetHash(machine.world) == hash);
        vvDestroyWorld(machine.world);
    }
    machineClass = MACHINE_LINKS;
}

// A machine of cones and ropes whose limits are struck: it rose by 1.3 of what it exchanges while their springs were
// stiffer than a step follows.
static void whatStrikesLimitsGainsNothing(void **state)
{
    (void)state;
    machineClass = MACHINE_LIMITS;
    Machine machine = machineMake(2006, "small-midpoint", 1);
    MachineRun run = machineRun(&machine, 4);
    assert_true(run.rise < 0.02);
    vvDestroyWorld(machine.world);
    machineClass = MACHINE_LINKS;
}

// in the same world, and in one built anew, also while a limit holds or a motor drives
static void savedStatesGoOn(void **state)
{
    (void)state;
    for (int i = 0; i < 13; ++i)
    {
        machineClass = i < 2 ? MACHINE_LINKS : i < 6 ? MACHINE_LIMITS : i < 9 ? MACHINE_MOTORS : MACHINE_DRIVEN_SLIDERS;
        int seed = i < 2 ? 15 * i : i < 6 ? 2000 + i : i < 9 ? 4 * i - 18 : i;
        Machine machine = machineMake(seed, "small-midpoint", 1), other = machineMake(seed, "small-midpoint", 1);
        for (int k = 0; k < 25; ++k)
            CHECK_OK(vvWorld_Step(machine.world, machine.h));
        size_t size = vvWorld_GetStateSize(machine.world);
        void *bytes = test_malloc(size);
        CHECK_OK(vvWorld_SaveState(machine.world, bytes, size));
        CHECK_OK(vvWorld_RestoreState(other.world, bytes, size));
        for (int k = 0; k < 10; ++k)
        {
            CHECK_OK(vvWorld_Step(machine.world, machine.h));
            CHECK_OK(vvWorld_Step(other.world, machine.h));
        }
        assert_true(vvWorld_GetHash(machine.world) == vvWorld_GetHash(other.world));
        test_free(bytes);
        vvDestroyWorld(machine.world);
        vvDestroyWorld(other.world);
    }
    machineClass = MACHINE_LINKS;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machinesKeepTheirEnergy),
        cmocka_unit_test(slidersKeepTheirEnergy),
        cmocka_unit_test(sliderMotorsDrive),
        cmocka_unit_test(slidersStop),
        cmocka_unit_test(jointsBearWhatHangsOnThem),
        cmocka_unit_test(limitsStop),
        cmocka_unit_test(ropesAndConesStop),
        cmocka_unit_test(motorsAreSwitched),
        cmocka_unit_test(sameBits),
        cmocka_unit_test(whatStrikesLimitsGainsNothing),
        cmocka_unit_test(savedStatesGoOn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
