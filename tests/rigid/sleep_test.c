// Rigid bodies that rest fall asleep with their islands, cost nothing, wake when something is done to them, and neither
// bits nor energy depend on when.
#include "rigid/rigid_scenes.h"
#include "undamped.h"

#include <string.h>

#define TOWER 4

typedef struct Scene
{
    vvWorldId world;
    vvColliderId ground;
    vvRigidBodyId tower[TOWER], apart;
} Scene;

static vvWorldId sleepyWorld(double energy, int threads)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.sleepEnergy = energy;
    def.threads = threads;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    return world;
}

// a tower, and a box apart from it
static Scene makeScene(int threads)
{
    Scene scene = { .world = sleepyWorld(1e-5, threads) };
    scene.ground = addGround(scene.world, 0.5, 0);
    for (int i = 0; i < TOWER; ++i)
        scene.tower[i] = addRigid(scene.world, boxShape((vvVec3){ 0.4, 0.4, 0.4 }), (vvVec3){ 0, 0.2 + 0.4 * i, 0 }, 1);
    scene.apart = addRigid(scene.world, boxShape((vvVec3){ 0.4, 0.4, 0.4 }), (vvVec3){ 3, 0.2, 0 }, 1);
    return scene;
}

static int countAsleep(const Scene *scene)
{
    int count = !vvRigidBody_IsAwake(scene->apart);
    for (int i = 0; i < TOWER; ++i)
        count += !vvRigidBody_IsAwake(scene->tower[i]);
    return count;
}

static Scene sleepingScene(int threads)
{
    Scene scene = makeScene(threads);
    steps(scene.world, 60);
    assert_int_equal(countAsleep(&scene), TOWER + 1);
    assert_int_equal(vvWorld_GetStatistics(scene.world).sleepingCount, TOWER + 1);
    return scene;
}

static void testSleepChangesNothing(void **state)
{
    (void)state;
    Scene scene = sleepingScene(1);
    vvPose before = vvRigidBody_GetPose(scene.tower[TOWER - 1]);
    vvLedger ledger = vvWorld_GetLedger(scene.world);
    assert_true(fabs(ledger.numerical) < 1e-3);
    assert_true(ledger.kinetic == 0);
    steps(scene.world, 200);
    vvPose after = vvRigidBody_GetPose(scene.tower[TOWER - 1]);
    assert_memory_equal(&before, &after, sizeof before);
    vvLedger later = vvWorld_GetLedger(scene.world);
    assert_true(later.numerical == ledger.numerical && later.dissipated == ledger.dissipated);
    vvDestroyWorld(scene.world);
}

// ---- waking ---------------------------------------------------------------------------------------------------------

static void push(Scene *scene)
{
    CHECK_OK(vvRigidBody_ApplyForce(scene->tower[0], (vvVec3){ 1, 0, 0 }, (vvVec3){ 0, 0, 0 }));
}

static void hit(Scene *scene)
{
    CHECK_OK(vvRigidBody_ApplyImpulse(scene->tower[TOWER - 1], (vvVec3){ 1, 0, 0 }, (vvVec3){ 0, 1, 0 }));
}

static void hurry(Scene *scene)
{
    CHECK_OK(vvRigidBody_SetVelocity(scene->tower[0], (vvVec3){ 1, 0, 0 }));
}

static void call(Scene *scene)
{
    vvRigidBody_Wake(scene->tower[1]);
}

static void dropOn(Scene *scene)
{
    addBox(scene->world, (vvVec3){ 0.1, 0.1, 0.1 }, (vvVec3){ 0, 0.4 * TOWER + 0.06, 0 });
}

static void drag(Scene *scene)
{
    vvJointDef def = vvDefaultJointDef();
    def.bodyB = scene->tower[TOWER - 1];
    CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0, 0 }, (vvVec3){ 1, 0, 0 }));
    vvCreateJoint(scene->world, &def, NULL);
}

static void sweepBy(Scene *scene)
{
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.kinematic = true;
    def.shape = boxShape((vvVec3){ 0.2, 0.2, 0.2 });
    def.position = (vvVec3){ 0.32, 0.2, 0 };
    def.velocity = (vvVec3){ -1, 0, 0 };
    vvCreateRigidBody(scene->world, &def, NULL);
    vvDestroyShape(def.shape);
}

// from where it touches nothing
static void bringCollider(Scene *scene)
{
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = boxShape((vvVec3){ 0.2, 0.2, 0.2 });
    def.position = (vvVec3){ 0.6, 0.2, 0 };
    vvColliderId collider = vvCreateCollider(scene->world, &def, NULL);
    vvDestroyShape(def.shape);
    steps(scene->world, 60);
    assert_int_equal(countAsleep(scene), TOWER + 1); // that woke them
    CHECK_OK(vvCollider_MoveTo(collider, (vvVec3){ 0.29, 0.2, 0 }, (vvQuat){ 1, 0, 0, 0 }));
}

static void wakeRows(void (*act)(Scene *scene), int awake)
{
    Scene scene = sleepingScene(1);
    act(&scene);
    steps(scene.world, 1);
    assert_int_equal(countAsleep(&scene), TOWER + 1 - awake);
    vvDestroyWorld(scene.world);
}

static void testIslandsWake(void **state)
{
    (void)state;
    wakeRows(push, TOWER);
    wakeRows(hit, TOWER);
    wakeRows(hurry, TOWER);
    wakeRows(call, TOWER);
    wakeRows(dropOn, TOWER);
    wakeRows(drag, TOWER);
    wakeRows(sweepBy, TOWER);
    wakeRows(bringCollider, TOWER);
}

static void turnGravity(Scene *scene)
{
    CHECK_OK(vvWorld_SetGravity(scene->world, (vvVec3){ 1, -9.81, 0 }));
}

static void takeGround(Scene *scene)
{
    vvDestroyCollider(scene->ground);
}

static void takeOne(Scene *scene)
{
    vvDestroyRigidBody(scene->tower[0]);
    scene->tower[0] = scene->apart;
}

static void carryOff(Scene *scene)
{
    CHECK_OK(vvRigidBody_SetPose(scene->tower[0], (vvPose){ { 9, 0.2, 0 }, { 1, 0, 0, 0 } }));
}

static void testAllWake(void **state)
{
    (void)state;
    wakeRows(turnGravity, TOWER + 1);
    wakeRows(takeGround, TOWER + 1);
    wakeRows(takeOne, TOWER + 1);
    wakeRows(carryOff, TOWER + 1);
}

// what woke for nothing falls asleep again, where it was
static void testSleepAgain(void **state)
{
    (void)state;
    Scene scene = sleepingScene(1);
    vvPose before = vvRigidBody_GetPose(scene.tower[TOWER - 1]);
    call(&scene);
    steps(scene.world, 40);
    assert_int_equal(countAsleep(&scene), TOWER + 1);
    vvVec3 after = vvRigidBody_GetPose(scene.tower[TOWER - 1]).position;
    CHECK_BELOW(vecLength(vecSub(before.position, after)), 1e-4);
    vvDestroyWorld(scene.world);
}

// ---- state ----------------------------------------------------------------------------------------------------------

// saved before, in and after the sleep: the copy goes on with the same bits
static void testStates(void **state)
{
    (void)state;
    Scene scene = makeScene(1), copy = makeScene(3);
    size_t size = vvWorld_GetStateSize(scene.world);
    void *room = malloc(size);
    for (int k = 0; k < 6; ++k)
    {
        steps(scene.world, 11);
        if (k == 4)
        {
            hit(&scene);
            steps(scene.world, 2);
        }
        CHECK_OK(vvWorld_SaveState(scene.world, room, size));
        CHECK_OK(vvWorld_RestoreState(copy.world, room, size));
        assert_true(vvWorld_GetHash(scene.world) == vvWorld_GetHash(copy.world));
        assert_int_equal(countAsleep(&scene), countAsleep(&copy));
        steps(scene.world, 1);
        steps(copy.world, 1);
        assert_true(vvWorld_GetHash(scene.world) == vvWorld_GetHash(copy.world));
    }
    free(room);
    vvDestroyWorld(scene.world);
    vvDestroyWorld(copy.world);
}

// a joint between sleepers tells what it held, and they touch what they touched
static void testAsked(void **state)
{
    (void)state;
    vvWorldId world = sleepyWorld(1e-5, 1);
    addGround(world, 0.5, 0);
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_FIXED;
    def.bodyA = addRigid(world, boxShape((vvVec3){ 0.4, 0.4, 0.4 }), (vvVec3){ 0, 0.2, 0 }, 10);
    def.bodyB = addRigid(world, boxShape((vvVec3){ 0.4, 0.4, 0.4 }), (vvVec3){ 0, 0.7, 0 }, 1);
    CHECK_OK(vvJointDef_Place(&def, (vvVec3){ 0, 0.45, 0 }, (vvVec3){ 1, 0, 0 }));
    vvJointId joint = vvCreateJoint(world, &def, NULL);
    steps(world, 120);
    assert_false(vvRigidBody_IsAwake(def.bodyA));
    assert_false(vvRigidBody_IsAwake(def.bodyB));
    CHECK_BELOW(fabs(vvJoint_GetForce(joint).y - 9.81), 0.1);
    assert_int_equal(vvWorld_GetContacts(world, NULL, 0), 4);
    vvDestroyWorld(world);
}

// a soft body wakes what it falls on; both rest together, and wake together
static void testSoftOnRigid(void **state)
{
    (void)state;
    vvWorldId world = sleepyWorld(1e-5, 1);
    addGround(world, 0.5, 0);
    vvRigidBodyId box = addBox(world, (vvVec3){ 1, 0.4, 1 }, (vvVec3){ 0, 0.2, 0 });
    steps(world, 40);
    assert_false(vvRigidBody_IsAwake(box));
    vvSoftBodyDef def = undampedDef();
    def.mesh = vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 2, 2, 2);
    def.material.young = 1e5;
    def.damping.stiffness = 0.02;
    def.position = (vvVec3){ 0, 0.61, 0 };
    vvResult result;
    vvSoftBodyId soft = vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
    steps(world, 1);
    assert_true(vvRigidBody_IsAwake(box));
    int taken = 0;
    for (; taken < 300 && vvRigidBody_IsAwake(box); ++taken)
        steps(world, 1);
    assert_true(taken < 300);
    assert_false(vvSoftBody_IsAwake(soft));
    steps(world, 5);
    assert_int_equal(vvWorld_GetStatistics(world).sleepingCount, 2);
    CHECK_OK(vvRigidBody_ApplyImpulse(box, (vvVec3){ 300, 0, 0 }, (vvVec3){ 0, 0.2, 0 }));
    steps(world, 2);
    assert_true(vvRigidBody_IsAwake(box) && vvSoftBody_IsAwake(soft));
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSleepChangesNothing), cmocka_unit_test(testIslandsWake), cmocka_unit_test(testAllWake),
        cmocka_unit_test(testSleepAgain),          cmocka_unit_test(testStates),      cmocka_unit_test(testAsked),
        cmocka_unit_test(testSoftOnRigid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
