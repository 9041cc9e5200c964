// Contacts in lanes and over threads: the same bits for any number of workers and every instruction set.
#include "rigid/rigid_scenes.h"

#define BODIES 144
#define STEPS 12

// boxes, balls and capsules with rolling friction, some of them joined, fall on each other on a belt
static vvWorldId makeHeap(int threads, const char *instructions)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.threads = threads;
    worldDef.instructionSet = instructions;
    worldDef.rigidSubsteps = 4;
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    CHECK_OK(vvCollider_SetSurfaceVelocity(addGround(world, 0.5, 0.2), (vvVec3){ 0.5, 0, 0 }));
    vvShape *shape[3] = { boxShape((vvVec3){ 0.4, 0.3, 0.2 }), sphereShape(0.2), capsuleShape(0.1, 0.4) };
    vvJointDef joint = vvDefaultJointDef();
    for (int i = 0; i < BODIES; ++i)
    {
        vvRigidBodyDef def = vvDefaultRigidBodyDef();
        def.shape = shape[i % 7 == 0 ? 1 : i % 5 == 0 ? 2 : 0];
        def.position = (vvVec3){ 0.38 * (i % 5), 0.2 + 0.36 * (i / 25), 0.38 * (i / 5 % 5) };
        def.rotation = vvQuat_FromDegrees((vvVec3){ 10.0 * (i % 9), 7.0 * (i % 11), 0 });
        def.velocity = (vvVec3){ 0, -1, 0 };
        def.rollingFriction = i % 3 == 0 ? 0.01 : 0;
        joint.bodyA = joint.bodyB;
        joint.bodyB = vvCreateRigidBody(world, &def, &result);
        CHECK_OK(result);
        if (i % 25 != 24)
            continue;
        CHECK_OK(vvJointDef_Place(&joint, def.position, (vvVec3){ 1, 0, 0 }));
        vvCreateJoint(world, &joint, &result);
        CHECK_OK(result);
    }
    for (int k = 0; k < 3; ++k)
        vvDestroyShape(shape[k]);
    return world;
}

static uint64_t hashOf(int threads, const char *instructions)
{
    vvWorldId world = makeHeap(threads, instructions);
    steps(world, STEPS);
    uint64_t hash = vvWorld_GetHash(world);
    vvDestroyWorld(world);
    return hash;
}

static void testThreads(void **state)
{
    (void)state;
    uint64_t alone = hashOf(1, NULL);
    assert_true(hashOf(2, NULL) == alone);
    assert_true(hashOf(3, NULL) == alone);
    assert_true(hashOf(7, NULL) == alone);
}

static void testInstructionSets(void **state)
{
    (void)state;
    uint64_t base = hashOf(1, "base");
    for (int i = 1; vvGetInstructionSetName(i) != NULL; ++i)
        assert_true(hashOf(1, vvGetInstructionSetName(i)) == base);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testThreads), cmocka_unit_test(testInstructionSets) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
