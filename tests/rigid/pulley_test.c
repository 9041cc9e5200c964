// Pulleys: what hangs over a wheel falls as Atwood's machine does, a tackle multiplies forces, a winch lifts.
#include "rigid_scenes.h"

#define DT (1.0 / 60)
#define G 9.81

// two balls below two points of space at height 0, on a rope of 2 (1 + ratio) m
static vvJointId hang(vvWorldId world, vvRigidBodyId a, vvRigidBodyId b, double ratio)
{
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_PULLEY;
    def.bodyA = a;
    def.bodyB = b;
    def.pulleyA = (vvVec3){ -0.3, 0, 0 };
    def.pulleyB = (vvVec3){ 0.3, 0, 0 };
    def.ratio = ratio;
    def.upper = 2 + 2 * ratio;
    vvResult result;
    vvJointId joint = vvCreateJoint(world, &def, &result);
    CHECK_OK(result);
    return joint;
}

static vvRigidBodyId ball(vvWorldId world, double x, double mass)
{
    return addRigid(world, sphereShape(0.1), (vvVec3){ x, -2, 0 }, mass);
}

static void run(vvWorldId world, int steps)
{
    for (int i = 0; i < steps; ++i)
        CHECK_OK(vvWorld_Step(world, DT));
}

// a = (m1 - m2) / (m1 + m2) g, and the tension 2 m1 m2 / (m1 + m2) g on both sides
static void atwoodsMachineFalls(void **state)
{
    (void)state;
    static const double mass[][2] = { { 3, 2 }, { 1, 1 }, { 100, 1 } };
    for (int i = 0; i < 3; ++i)
    {
        double m1 = mass[i][0], m2 = mass[i][1], a = (m1 - m2) / (m1 + m2) * G, t = 0.5;
        vvWorldId world = makeWorld((vvVec3){ 0, -G, 0 });
        vvRigidBodyId first = ball(world, -0.3, m1), second = ball(world, 0.3, m2);
        vvJointId joint = hang(world, first, second, 1);
        run(world, 30);
        CHECK_NEAR(vvRigidBody_GetPose(first).position.y, -2 - 0.5 * a * t * t, 1e-3 * G * t * t / 2);
        CHECK_NEAR(vvRigidBody_GetPose(second).position.y, -2 + 0.5 * a * t * t, 1e-3 * G * t * t / 2);
        CHECK_NEAR(vvRigidBody_GetVelocity(second).y, a * t, 2e-3 * G * t); // known to a substep's worth of g
        CHECK_CLOSE(vvJoint_GetForce(joint).y, 2 * m1 * m2 / (m1 + m2) * G, 1e-3);
        CHECK_NEAR(vvJoint_GetMeasure(joint, 0), 4, 1e-4);
        CHECK_NEAR(vvWorld_GetLedger(world).numerical, 0, 1e-3 * (1 + vvWorld_GetLedger(world).kinetic));
        vvDestroyWorld(world);
    }
}

// a ratio of 2 holds 2 kg by 1 kg; pushed up, a rope is slack
static void tackleBalances(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, -G, 0 });
    vvRigidBodyId light = ball(world, -0.3, 1), heavy = ball(world, 0.3, 2);
    vvJointId joint = hang(world, light, heavy, 2);
    run(world, 60);
    CHECK_NEAR(vvRigidBody_GetPose(light).position.y, -2, 1e-3);
    CHECK_NEAR(vvRigidBody_GetPose(heavy).position.y, -2, 1e-3);
    CHECK_CLOSE(vvJoint_GetForce(joint).y, 2 * G, 1e-3);
    CHECK_OK(vvRigidBody_SetVelocity(heavy, (vvVec3){ 0, 1, 0 }));
    run(world, 3);
    CHECK_NEAR(vvRigidBody_GetVelocity(heavy).y, 1 - G * 3 * DT, 1e-9);
    CHECK_NEAR(vvJoint_GetForce(joint).y, 0, 1e-12);
    vvDestroyWorld(world);
}

// A winch: the motor shortens the rope, and its work is booked.
static void winchLifts(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, -G, 0 });
    vvRigidBodyId load = ball(world, 0.3, 5);
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_PULLEY;
    def.bodyB = load;
    def.pulleyB = (vvVec3){ 0.3, 0, 0 };
    def.motor = VV_MOTOR_SPEED;
    def.motorTarget = -0.5;
    def.motorLimit = 1000;
    vvResult result;
    vvJointId joint = vvCreateJoint(world, &def, &result);
    CHECK_OK(result);
    run(world, 60);
    CHECK_NEAR(vvRigidBody_GetPose(load).position.y, -1.5, 2e-3);
    CHECK_CLOSE(vvJoint_GetForce(joint).y, 5 * G, 1e-3);
    CHECK_CLOSE(vvWorld_GetLedger(world).added, 5 * G * 0.5 + 0.5 * 5 * 0.25, 0.02);
    vvDestroyWorld(world);
}

static void refusals(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, -G, 0 });
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_PULLEY;
    def.bodyB = ball(world, 0, 1);
    def.ratio = 0;
    vvResult result;
    vvCreateJoint(world, &def, &result);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_non_null(strstr(result.message, "ratio is 0"));
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(atwoodsMachineFalls),
        cmocka_unit_test(tackleBalances),
        cmocka_unit_test(winchLifts),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
