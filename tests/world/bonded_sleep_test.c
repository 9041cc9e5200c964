// Islands in which soft bodies are bonded to rigid ones fall asleep as a whole, and wake as a whole.
#include "machines.h"

typedef struct Hanging
{
    vvWorldId world;
    vvRigidBodyId box;
    vvSoftBodyId block;
    vvJointId joint;
} Hanging;

// A damped block under a box on a joint.
static Hanging hang(vvJointKind kind, bool driven, int threads)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.sleepEnergy = 1e-4;
    def.sleepTime = 0.4;
    def.threads = threads;
    vvResult result;
    Hanging h = { .world = vvCreateWorld(&def, &result) };
    CHECK_OK(result);
    h.box = machineBox(h.world, (vvVec3){ 0, 0, 0 }, 1);
    vvJointDef joint = vvDefaultJointDef();
    joint.kind = kind;
    joint.bodyB = h.box;
    joint.motor = driven ? VV_MOTOR_POSITION : VV_MOTOR_NONE;
    joint.motorLimit = 100;
    if (kind == VV_JOINT_DISTANCE)
    {
        joint.lower = joint.upper = 0.5;
        joint.frameA.position.y = 0.5;
        joint.compliance = 1e-4;
    }
    else
        CHECK_OK(vvJointDef_Place(&joint, (vvVec3){ 0, 0.06, 0 }, (vvVec3){ 0, 0, 1 }));
    h.joint = vvCreateJoint(h.world, &joint, &result);
    CHECK_OK(result);
    vvSoftBodyDef block = elasticDef(1000, 1e5, 0.3);
    block.position = (vvVec3){ 0, -0.101, 0 };
    block.damping.stiffness = 0.02;
    block.damping.mass = 1;
    block.category = 0;
    vvBondDef bond = vvDefaultBondDef();
    bond.bodyA = h.block = makeBody(h.world, vvCreateBoxMesh((vvVec3){ 0.1, 0.1, 0.1 }, 2, 2, 2), block);
    bond.rigidB = h.box;
    bond.distance = 0.002;
    assert_int_equal(vvCreateBonds(h.world, &bond, NULL, 0, &result), 9);
    return h;
}

static bool sleeps(const Hanging *h)
{
    bool box = vvRigidBody_IsAwake(h->box), block = vvSoftBody_IsAwake(h->block);
    return !box && !block;
}

static void run(const Hanging *h, int steps)
{
    for (int k = 0; k < steps; ++k)
        CHECK_OK(vvWorld_Step(h->world, 1.0 / 60));
}

static void runToSleep(const Hanging *h)
{
    for (int k = 0; k < 600 && !sleeps(h); ++k)
        run(h, 1);
    assert_true(sleeps(h));
}

// Not a bit moves any more; what touches one wakes both; and the joint goes on with the force that it had.
static void wholeIslandsSleepAndWake(void **state)
{
    (void)state;
    static const vvJointKind kinds[] = { VV_JOINT_HINGE, VV_JOINT_HINGE, VV_JOINT_FIXED, VV_JOINT_DISTANCE };
    for (int i = 0; i < 4; ++i)
    {
        Hanging h = hang(kinds[i], i == 1, 1);
        runToSleep(&h);
        vvVec3 at = vvRigidBody_GetPose(h.box).position, centre = vvSoftBody_GetCentreOfMass(h.block);
        double up = vvJoint_GetForce(h.joint).y, total = vvWorld_GetLedger(h.world).total;
        CHECK_NEAR(up, 2 * 9.81, 9.81); // that of the last step, in which the joint still trembles
        run(&h, 60);
        assert_true(sleeps(&h));
        assert_true(machineApart(vvRigidBody_GetPose(h.box).position, at) == 0);
        assert_true(machineApart(vvSoftBody_GetCentreOfMass(h.block), centre) == 0);
        assert_true(vvJoint_GetForce(h.joint).y == up && vvWorld_GetLedger(h.world).total == total);
        // by a push on the rigid one
        vvRigidBody_ApplyImpulse(h.box, (vvVec3){ 0.03, 0, 0 }, at);
        run(&h, 2);
        assert_true(vvRigidBody_IsAwake(h.box) && vvSoftBody_IsAwake(h.block));
        runToSleep(&h);
        // by the soft one
        vvSoftBody_Wake(h.block);
        run(&h, 2);
        assert_true(vvRigidBody_IsAwake(h.box) && vvSoftBody_IsAwake(h.block));
        double mean = 0;
        for (int k = 0; k < 20; ++k)
        {
            run(&h, 1);
            mean += vvJoint_GetForce(h.joint).y / 20;
        }
        CHECK_NEAR(mean, 2 * 9.81, 0.15 * 9.81);
        vvDestroyWorld(h.world);
    }
}

// A motor that is given another target wakes what it drives, and what a joint no longer holds falls.
static void motorsAndJointsWake(void **state)
{
    (void)state;
    Hanging h = hang(VV_JOINT_HINGE, true, 1);
    runToSleep(&h);
    CHECK_OK(vvJoint_SetMotor(h.joint, VV_MOTOR_POSITION, 0.3, 100));
    run(&h, 60);
    CHECK_NEAR(vvJoint_GetMeasure(h.joint, 3), 0.3, 0.02);
    runToSleep(&h);
    CHECK_NEAR(vvJoint_GetMeasure(h.joint, 3), 0.3, 0.01);
    vvDestroyJoint(h.joint);
    run(&h, 12);
    assert_true(vvRigidBody_GetPose(h.box).position.y < -0.15);
    vvDestroyWorld(h.world);
}

static void sameBits(void **state)
{
    (void)state;
    static const int threads[] = { 1, 2, 3, 7 };
    uint64_t hash = 0;
    for (int i = 0; i < 4; ++i)
    {
        Hanging h = hang(VV_JOINT_HINGE, true, threads[i]);
        runToSleep(&h);
        size_t size = vvWorld_GetStateSize(h.world);
        void *bytes = test_malloc(size);
        CHECK_OK(vvWorld_SaveState(h.world, bytes, size));
        run(&h, 5);
        vvSoftBody_Wake(h.block);
        run(&h, 20);
        uint64_t now = vvWorld_GetHash(h.world);
        hash = i == 0 ? now : hash;
        assert_true(now == hash);
        Hanging other = hang(VV_JOINT_HINGE, true, 1);
        CHECK_OK(vvWorld_RestoreState(other.world, bytes, size));
        assert_true(sleeps(&other));
        run(&other, 5);
        vvSoftBody_Wake(other.block);
        run(&other, 20);
        assert_true(vvWorld_GetHash(other.world) == hash);
        test_free(bytes);
        vvDestroyWorld(other.world);
        vvDestroyWorld(h.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wholeIslandsSleepAndWake),
        cmocka_unit_test(motorsAndJointsWake),
        cmocka_unit_test(sameBits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
