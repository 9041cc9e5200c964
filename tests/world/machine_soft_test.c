// Machines with soft bodies on joints that give way, damp, are driven along a rope or hold six measures: periods,
// decay, forces, and the random machines of machines.h.
#include "machines.h"

#include <string.h>

static void quiet(vvLogLevel level, const char *message, void *user)
{
    if (level == VV_LOG_WARNING && strstr(message, "pulley") != NULL)
        *(int *)user += 1;
}

// A body on a joint that is a spring, and a stiff block on it: steps of 1/120 s until its measure has crossed `about`
// three times upwards, and the measures at the tops before.
typedef struct Swing
{
    double period;      // s
    double first, next; // m or rad, from `about`: of two tops, one period apart
} Swing;

static Swing swing(vvWorldId world, vvJointId joint, int axis, double about)
{
    double last = vvJoint_GetMeasure(joint, axis) - about, top = 0, at[4] = { 0 }, tops[4] = { 0 };
    int count = 0;
    for (int k = 0; k < 600 && count < 4; ++k)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 120));
        double now = vvJoint_GetMeasure(joint, axis) - about;
        if (last < 0 && now >= 0)
        {
            tops[count] = top;
            at[count++] = (k + last / (last - now)) / 120;
            top = 0;
        }
        top = fmax(top, now);
        last = now;
    }
    assert_int_equal(count, 4);
    return (Swing){ (at[3] - at[1]) / 2, tops[2], tops[3] };
}

// 1.5 kg on 1000 N/m: the period of the spring within 1 %, and what a damper of 4 N s/m leaves of a swing within 5 % of
// its decay.
static void lengthsAreSprings(void **state)
{
    (void)state;
    static const vvJointKind kinds[] = { VV_JOINT_FIXED, VV_JOINT_BALL, VV_JOINT_SIX_DEGREE };
    for (int i = 0; i < 6; ++i)
    {
        double damping = i < 3 ? 0 : 4;
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
        vvJointDef def = vvDefaultJointDef();
        def.kind = kinds[i % 3];
        def.bodyB = machineBox(world, (vvVec3){ 0, 0, 0 }, 0.5);
        def.compliance = 1e-3;
        def.damping = damping;
        CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0.05, 0 }, (vvVec3){ 0, 1, 0 }));
        vvJointId joint = machineJoint(world, &def);
        machineBlock(world, def.bodyB, (vvVec3){ 0, -0.101, 0 }, 1e6, 0.002, (vvVec3){ 0, 0, 0 });
        Swing s = swing(world, joint, 0, -1.5 * 9.81 * 1e-3);
        CHECK_NEAR(s.period, 2 * PI * sqrt(1.5e-3), 0.01 * 0.243);
        double decay = log(s.first / s.next), wanted = damping / 3 * s.period;
        print_message("kind %d: period %.5g s, decay %.4g of %.4g\n", kinds[i % 3], s.period, decay, wanted);
        CHECK_NEAR(decay, wanted, 0.05 * wanted + 0.01);
        vvDestroyWorld(world);
    }
}

// A box on 2 N m/rad with a block beside it, without gravity: as above, with the inertia of both about the joint (that
// of the block is of masses at its vertices).
static void anglesAreSprings(void **state)
{
    (void)state;
    static const vvJointKind kinds[] = { VV_JOINT_FIXED, VV_JOINT_SIX_DEGREE, VV_JOINT_SLIDER };
    for (int i = 0; i < 6; ++i)
    {
        double damping = i < 3 ? 0 : 0.02, inertia = 0.5 * 0.01 / 6 + 0.01 / 4 + 0.101 * 0.101;
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
        vvJointDef def = vvDefaultJointDef();
        def.kind = kinds[i % 3];
        def.bodyB = machineBox(world, (vvVec3){ 0, 0, 0 }, 0.5);
        def.angularCompliance = 0.5;
        def.angularDamping = damping;
        CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, 0, 1 }));
        vvJointId joint = machineJoint(world, &def);
        machineBlock(world, def.bodyB, (vvVec3){ 0.101, 0, 0 }, 1e7, 0.0002, (vvVec3){ 0, 0.1, 0 });
        Swing s = swing(world, joint, 3, 0);
        print_message("kind %d: period %.5g s of %.5g\n", kinds[i % 3], s.period, 2 * PI * sqrt(0.5 * inertia));
        CHECK_NEAR(s.period, 2 * PI * sqrt(0.5 * inertia), 0.01 * 0.5);
        double decay = log(s.first / s.next), wanted = damping / (2 * inertia) * s.period;
        CHECK_NEAR(decay, wanted, 0.06 * wanted + 0.01);
        vvDestroyWorld(world);
    }
}

// An elastic rope of 300 N/m that is slack by 0.1 m: what falls goes down until m g (0.1 + x) = 300 x^2 / 2 within 2 %,
// and comes back to where it was within 3 %.
static void ropesThrowBack(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_DISTANCE;
    def.bodyB = machineBox(world, (vvVec3){ 0, 0, 0 }, 0.5);
    def.frameA.position = (vvVec3){ 0, 0.12, 0 };
    def.lower = 0;
    def.upper = 0.22;
    def.compliance = 1.0 / 300;
    vvJointId joint = machineJoint(world, &def);
    machineBlock(world, def.bodyB, (vvVec3){ 0, -0.101, 0 }, 1e6, 0, (vvVec3){ 0, 0, 0 });
    double most = 0, back = INFINITY, weight = 1.5 * 9.81, begins = vvWorld_GetLedger(world).total;
    for (int k = 0; k < 100; ++k)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        double now = vvJoint_GetMeasure(joint, 0);
        back = now < most && most > 0.3 ? fmin(back, now) : back;
        most = fmax(most, now);
        CHECK_NEAR(vvWorld_GetLedger(world).total, begins, 0.02 * weight * 0.2);
    }
    double x = (weight + sqrt(weight * weight + 2 * 300 * weight * 0.1)) / 300;
    print_message("rope: %.4g of %.4g m, and back to %.4g\n", most, 0.22 + x, back);
    CHECK_NEAR(most, 0.22 + x, 0.02 * (0.1 + x));
    CHECK_NEAR(back, 0.12, 0.03 * (0.1 + x));
    vvDestroyWorld(world);
}

// A rope that is wound up at 0.1 m/s lifts 1.5 kg: its speed within 2 %, its force the weight within 3 %, its work what
// the height is worth within 3 %.
static void winchesLift(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_DISTANCE;
    def.bodyB = machineBox(world, (vvVec3){ 0, 0, 0 }, 0.5);
    def.frameA.position = (vvVec3){ 0, 1, 0 };
    def.motor = VV_MOTOR_SPEED;
    def.motorTarget = -0.1;
    def.motorLimit = 1000;
    vvJointId joint = machineJoint(world, &def);
    machineBlock(world, def.bodyB, (vvVec3){ 0, -0.101, 0 }, 1e6, 0.002, (vvVec3){ 0, 0, 0 });
    for (int k = 0; k < 60; ++k)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    double was = vvJoint_GetMeasure(joint, 0), did = vvWorld_GetLedger(world).added, force = 0;
    for (int k = 0; k < 60; ++k)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        force += vvJoint_GetForce(joint).y / 60;
    }
    double way = was - vvJoint_GetMeasure(joint, 0), work = vvWorld_GetLedger(world).added - did;
    print_message("winch: %.4g m in a second, %.4g N, %.4g J\n", way, force, work);
    CHECK_NEAR(way, 0.1, 0.002);
    CHECK_NEAR(force, 1.5 * 9.81, 0.03 * 1.5 * 9.81);
    CHECK_NEAR(work, 1.5 * 9.81 * way, 0.03 * 1.5 * 9.81 * way);
    vvDestroyWorld(world);
}

// Six measures of which the turn about x is free are a hinge, and those of which a length is free are a slider.
static void sixDegreesAreOtherJoints(void **state)
{
    (void)state;
    for (int i = 0; i < 2; ++i)
    {
        vvVec3 at[2];
        for (int six = 0; six < 2; ++six)
        {
            vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
            vvJointDef def = vvDefaultJointDef();
            def.kind = six ? VV_JOINT_SIX_DEGREE : i == 0 ? VV_JOINT_HINGE : VV_JOINT_SLIDER;
            *(i == 0 ? &def.angularUpper.x : &def.linearUpper.x) = INFINITY;
            *(i == 0 ? &def.angularLower.x : &def.linearLower.x) = -INFINITY;
            def.bodyB = machineBox(world, (vvVec3){ 0.05, 0, 0 }, 0.5);
            CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0, 0 }, (vvVec3){ 0, i, 1 }));
            machineJoint(world, &def);
            machineBlock(world, def.bodyB, (vvVec3){ 0.151, 0, 0 }, 1e5, 0, (vvVec3){ 0, 0, 0 });
            for (int k = 0; k < 30; ++k)
                CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            at[six] = vvRigidBody_GetPose(def.bodyB).position;
            vvDestroyWorld(world);
        }
        CHECK_NEAR(machineApart(at[0], at[1]), 0, 1e-9);
    }
}

// Energy rises by 2 % at most, closed machines keep their momenta to 1e-9, steps ask for no memory once they are warm,
// and a saved state goes on with the same bits in a world built anew, with other threads.
static void machinesKeepTheirEnergy(void **state)
{
    (void)state;
    static const int seeds[] = { 3, 6, 8, 10, 13, 2 };
    for (int i = 0; i < 6; ++i)
    {
        machineClass = i < 3 ? MACHINE_SOFT : MACHINE_SOFT_DRIVEN;
        Machine machine = machineMake(seeds[i], "small-midpoint", 1),
                other = machineMake(seeds[i], "small-midpoint", 3);
        MachineRun run = machineRun(&machine, 0.75);
        print_message("seed %d: rises by %.3g, momenta %.2g, %.2g\n", seeds[i], run.rise, run.momentum, run.angular);
        assert_true(run.rise < 0.02);
        assert_true(!machine.flies || (run.momentum < 1e-9 && run.angular < 1e-9));
        size_t size = vvWorld_GetStateSize(machine.world);
        void *bytes = test_malloc(size);
        CHECK_OK(vvWorld_SaveState(machine.world, bytes, size));
        CHECK_OK(vvWorld_RestoreState(other.world, bytes, size));
        long long asked = vvWorld_GetStatistics(machine.world).allocationCount;
        for (int k = 0; k < 10; ++k)
        {
            CHECK_OK(vvWorld_Step(machine.world, machine.h));
            CHECK_OK(vvWorld_Step(other.world, machine.h));
        }
        assert_true(vvWorld_GetHash(machine.world) == vvWorld_GetHash(other.world));
        assert_true(vvWorld_GetStatistics(machine.world).allocationCount == asked);
        test_free(bytes);
        vvDestroyWorld(machine.world);
        vvDestroyWorld(other.world);
    }
    machineClass = MACHINE_LINKS;
}

// What is not solved in one step with soft bodies is said, once.
static void pulleysAreSaid(void **state)
{
    (void)state;
    int said = 0;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.logger = (vvLogger){ quiet, &said };
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_PULLEY;
    def.bodyA = machineBox(world, (vvVec3){ -0.5, 0, 0 }, 1);
    def.bodyB = machineBox(world, (vvVec3){ 0.5, 0, 0 }, 1);
    def.pulleyA = (vvVec3){ -0.5, 1, 0 };
    def.pulleyB = (vvVec3){ 0.5, 1, 0 };
    def.upper = 2;
    machineJoint(world, &def);
    assert_int_equal(said, 0);
    machineBlock(world, def.bodyB, (vvVec3){ 0.5, -0.101, 0 }, 1e5, 0.01, (vvVec3){ 0, 0, 0 });
    machineBlock(world, def.bodyA, (vvVec3){ -0.5, -0.101, 0 }, 1e5, 0.01, (vvVec3){ 0, 0, 0 });
    assert_int_equal(said, 1);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengthsAreSprings),        cmocka_unit_test(anglesAreSprings),
        cmocka_unit_test(ropesThrowBack),           cmocka_unit_test(winchesLift),
        cmocka_unit_test(sixDegreesAreOtherJoints), cmocka_unit_test(machinesKeepTheirEnergy),
        cmocka_unit_test(pulleysAreSaid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
