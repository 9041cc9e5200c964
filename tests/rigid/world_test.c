// Rigid bodies in a world: flight, forces, books, states, hashes.
#include "check.h"
#include "rigid/rigid_scenes.h"

// ---- flight ---------------------------------------------------------------------------------------------------------

// A thrown wrench: the centre of mass on its parabola, energy and momenta kept, the same bits under every method.
static void testThrown(void **state)
{
    (void)state;
    uint64_t first = 0;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.method = vvGetMethodName(m);
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvRigidBodyId body = addWrench(world, (vvVec3){ 1, 2, 3 });
        vvVec3 start = vvRigidBody_GetCentreOfMass(body);
        CHECK_OK(vvRigidBody_SetVelocity(body, (vvVec3){ 2, 7, -1 }));
        CHECK_OK(vvRigidBody_SetSpin(body, (vvVec3){ 3, 20, -6 }));
        vvLedger before = vvWorld_GetLedger(world);
        vvVec3 spinning = vvRigidBody_GetAngularMomentum(body);
        for (int step = 0; step < 60; ++step)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        vvVec3 end = vvRigidBody_GetCentreOfMass(body), after = vvRigidBody_GetAngularMomentum(body);
        CHECK_NEAR(end.x, start.x + 2, 1e-11);
        CHECK_NEAR(end.y, start.y + 7 - 9.81 / 2, 1e-11);
        CHECK_NEAR(end.z, start.z - 1, 1e-11);
        CHECK_BELOW(vecLength(vecSub(after, spinning)), 1e-10 * vecLength(spinning));
        vvLedger ledger = vvWorld_GetLedger(world);
        CHECK_BELOW(fabs(ledger.numerical), 1e-9 * before.kinetic);
        CHECK_NEAR(ledger.target, before.total, 1e-12 * before.kinetic);
        uint64_t hash = vvWorld_GetHash(world);
        first = m == 0 ? hash : first;
        assert_true(hash == first);
        vvDestroyWorld(world);
    }
}

// The frame that a caller gives is the frame that he gets, wherever the centre of mass is.
static void testFrames(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, 0, 0 });
    vvRigidBodyId body = addWrench(world, (vvVec3){ 0.3, -2, 5 });
    vvPose pose = vvRigidBody_GetPose(body);
    CHECK_NEAR(pose.position.x, 0.3, 1e-14);
    CHECK_NEAR(pose.position.z, 5, 1e-14);
    CHECK_NEAR(fabs(pose.rotation.w), 1, 1e-14);
    vvPose given = { { 4, 1, -1 }, vvQuat_FromDegrees((vvVec3){ 30, 50, -20 }) };
    CHECK_OK(vvRigidBody_SetPose(body, given));
    pose = vvRigidBody_GetPose(body);
    double same = pose.rotation.w * given.rotation.w + pose.rotation.x * given.rotation.x +
                  pose.rotation.y * given.rotation.y + pose.rotation.z * given.rotation.z;
    CHECK_NEAR(fabs(same), 1, 1e-14);
    CHECK_NEAR(pose.position.x, 4, 1e-14);
    CHECK_NEAR(pose.position.y, 1, 1e-14);

    // the handle is a box of 4 kg at x 0.5, the head one of 12 kg at the origin
    CHECK_CLOSE(vvRigidBody_GetMass(body), 16, 1e-13);
    vvVec3 arm = vecSub(vvRigidBody_GetCentreOfMass(body), pose.position);
    CHECK_NEAR(vecLength(arm), 0.5 * 4 / 16, 1e-14);

    // the inertia of the whole in the world turns with it, and its smallest axis is the handle's
    double inertia[9];
    CHECK_OK(vvRigidBody_CopyInertia(body, inertia));
    Vec3 along = quatRotate(given.rotation, vec3(1, 0, 0));
    Vec3 image = { vecDot(vecLoad(inertia), along), vecDot(vecLoad(inertia + 3), along),
                   vecDot(vecLoad(inertia + 6), along) };
    double about = vecDot(image, along);
    CHECK_BELOW(vecLength(vecSub(image, vecScale(about, along))), 1e-13);
    CHECK_BELOW(about, 0.5 * (inertia[0] + inertia[4] + inertia[8] - about));
    vvDestroyWorld(world);
}

// ---- what callers do ------------------------------------------------------------------------------------------------

static void testForces(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, 0, 0 });
    vvRigidBodyId body = addBox(world, (vvVec3){ 1, 1, 1 }, (vvVec3){ 0, 0, 0 }); // 1000 kg
    // a force at a corner for one step
    CHECK_OK(vvRigidBody_ApplyForce(body, (vvVec3){ 0, 6000, 0 }, (vvVec3){ 0.5, 0, 0 }));
    CHECK_OK(vvWorld_Step(world, 0.1));
    CHECK_NEAR(vvRigidBody_GetVelocity(body).y, 0.6, 1e-13);
    CHECK_NEAR(vvRigidBody_GetAngularMomentum(body).z, 300, 1e-10);
    CHECK_NEAR(vvRigidBody_GetPose(body).position.y, 0.03, 1e-13);
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_NEAR(ledger.added, ledger.kinetic, 1e-9);
    // and no longer
    CHECK_OK(vvWorld_Step(world, 0.1));
    CHECK_NEAR(vvRigidBody_GetVelocity(body).y, 0.6, 1e-13);

    // impulses are the same at once
    vvVec3 at = vvRigidBody_GetCentreOfMass(body);
    CHECK_OK(vvRigidBody_ApplyImpulse(body, (vvVec3){ 0, -600, 0 }, (vvVec3){ at.x + 0.5, at.y, at.z }));
    CHECK_NEAR(vvRigidBody_GetVelocity(body).y, 0, 1e-13);
    CHECK_NEAR(vvRigidBody_GetAngularMomentum(body).z, 0, 1e-10);
    CHECK_OK(vvRigidBody_ApplyAngularImpulse(body, (vvVec3){ 10, 0, 0 }));
    CHECK_NEAR(vvRigidBody_GetAngularMomentum(body).x, 10, 1e-12);
    CHECK_OK(vvRigidBody_ApplyTorque(body, (vvVec3){ -100, 0, 0 }));
    CHECK_OK(vvWorld_Step(world, 0.1));
    CHECK_NEAR(vvRigidBody_GetAngularMomentum(body).x, 0, 1e-12);
    ledger = vvWorld_GetLedger(world);
    CHECK_NEAR(ledger.numerical, 0, 1e-9);

    // gravity that changes is booked
    CHECK_OK(vvWorld_SetGravity(world, (vvVec3){ 0, -5, 0 }));
    CHECK_OK(vvRigidBody_SetPose(body, (vvPose){ { 0, 10, 0 }, { 1, 0, 0, 0 } }));
    CHECK_OK(vvWorld_SetGravity(world, (vvVec3){ 0, -1, 0 }));
    CHECK_OK(vvWorld_Step(world, 0.1));
    ledger = vvWorld_GetLedger(world);
    CHECK_NEAR(ledger.numerical, 0, 1e-9);
    CHECK_NEAR(ledger.gravity, 1000 * vvRigidBody_GetPose(body).position.y, 1e-9);
    vvDestroyWorld(world);
}

static void testKinematic(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, -9.81, 0 });
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    vvShapeDef plane = vvDefaultShapeDef();
    def.shape = vvCreateShape(&plane, NULL);
    def.kinematic = true;
    def.velocity = (vvVec3){ 0, 0.5, 0 };
    def.spin = (vvVec3){ 0, 0, 2 };
    vvRigidBodyId body = vvCreateRigidBody(world, &def, NULL);
    vvDestroyShape(def.shape);
    CHECK_OK(vvRigidBody_ApplyForce(body, (vvVec3){ 1e6, 0, 0 }, (vvVec3){ 0, 0, 0 }));
    CHECK_OK(vvRigidBody_ApplyImpulse(body, (vvVec3){ 1e6, 0, 0 }, (vvVec3){ 0, 0, 0 }));
    for (int step = 0; step < 10; ++step)
        CHECK_OK(vvWorld_Step(world, 0.1));
    vvPose pose = vvRigidBody_GetPose(body);
    CHECK_NEAR(pose.position.y, 0.5, 1e-13);
    CHECK_NEAR(quatRotate(pose.rotation, vec3(1, 0, 0)).y, sin(2), 1e-12);
    assert_true(vvRigidBody_GetMass(body) == 0 && vvWorld_GetLedger(world).total == 0);
    vvDestroyWorld(world);
}

static void testRefusals(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, 0, 0 });
    vvShapeDef plane = vvDefaultShapeDef(), box = vvDefaultShapeDef();
    box.kind = VV_SHAPE_BOX;
    vvShape *flat = vvCreateShape(&plane, NULL), *cube = vvCreateShape(&box, NULL);
    vvRigidBodyDef good = vvDefaultRigidBodyDef();
    good.shape = cube;
    vvRigidShape part = { .shape = NULL };
    for (int k = 0; k < 12; ++k)
    {
        vvRigidBodyDef def = good;
        switch (k)
        {
        case 0:
            def.shape = NULL;
            break;
        case 1:
            def.shape = flat;
            break;
        case 2:
            def.density = 0;
            break;
        case 3:
            def.density = NAN;
            break;
        case 4:
            def.mass = -1;
            break;
        case 5:
            def.rotation = (vvQuat){ 0, 0, 0, 0 };
            break;
        case 6:
            def.position.x = INFINITY;
            break;
        case 7:
            def.spin.x = NAN;
            break;
        case 8:
            def.restitution = 1.5;
            break;
        case 9:
            def.shapeCount = 1;
            break;
        case 10:
            def.shapes = &part;
            def.shapeCount = 1;
            break;
        default:
            def.cookie = 0;
            break;
        }
        vvResult result = { 0 };
        vvRigidBodyId body = vvCreateRigidBody(world, &def, &result);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_true(result.remedy[0] != 0);
        assert_false(vvRigidBody_IsValid(body));
    }
    vvRigidBodyId body = vvCreateRigidBody(world, &good, NULL);
    assert_true(vvRigidBody_IsValid(body));
    uint64_t hash = vvWorld_GetHash(world);
    assert_int_equal(vvRigidBody_SetVelocity(body, (vvVec3){ NAN, 0, 0 }).code, VV_BAD_INPUT);
    assert_int_equal(vvRigidBody_ApplyImpulse(body, (vvVec3){ 1e60, 0, 0 }, (vvVec3){ 0, 1e60, 0 }).code, VV_BAD_INPUT);
    assert_true(vvWorld_GetHash(world) == hash);
    assert_int_equal(vvWorld_GetStatistics(world).rigidBodyCount, 1);
    vvRigidBodyId listed;
    assert_int_equal(vvWorld_GetRigidBodies(world, &listed, 1), 1);
    assert_true(vvStoreRigidBodyId(listed) == vvStoreRigidBodyId(body));
    listed = vvLoadRigidBodyId(vvStoreRigidBodyId(body));
    assert_true(vvRigidBody_IsValid(listed));
    vvDestroyRigidBody(body);
    assert_false(vvRigidBody_IsValid(body));
    assert_int_equal(vvRigidBody_SetSpin(body, (vvVec3){ 0, 0, 0 }).code, VV_BAD_ID);
    vvDestroyShape(flat);
    vvDestroyShape(cube);
    vvDestroyWorld(world);
}

// ---- states ---------------------------------------------------------------------------------------------------------

// A step that leaves the numbers leaves the world as it was.
static void testRunsAway(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, 0, 0 });
    vvRigidBodyId calm = addBox(world, (vvVec3){ 1, 1, 1 }, (vvVec3){ 5, 0, 0 });
    vvRigidBodyId body = addBox(world, (vvVec3){ 1, 1, 1 }, (vvVec3){ 0, 0, 0 });
    CHECK_OK(vvRigidBody_SetVelocity(body, (vvVec3){ 9e59, 0, 0 }));
    CHECK_OK(vvRigidBody_SetSpin(calm, (vvVec3){ 1, 2, 3 }));
    uint64_t hash = vvWorld_GetHash(world);
    vvResult result = vvWorld_Step(world, 10);
    assert_int_equal(result.code, VV_DIVERGED);
    assert_true(vvWorld_GetHash(world) == hash);
    CHECK_OK(vvRigidBody_SetVelocity(body, (vvVec3){ 1, 0, 0 }));
    CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    vvDestroyWorld(world);
}

static void testSavedState(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, -9.81, 0 }), other = makeWorld((vvVec3){ 0, -9.81, 0 });
    vvWorldId worlds[2] = { world, other };
    for (int w = 0; w < 2; ++w)
    {
        vvRigidBodyId body = addWrench(worlds[w], (vvVec3){ 0, 1, 0 });
        CHECK_OK(vvRigidBody_SetSpin(body, (vvVec3){ 1, 20, 3 }));
        addBox(worlds[w], (vvVec3){ 1, 2, 3 }, (vvVec3){ 4, 4, 4 });
        for (int step = 0; step < 5 && w == 0; ++step)
            CHECK_OK(vvWorld_Step(worlds[w], 1.0 / 60));
    }
    vvRigidBodyId body;
    vvWorld_GetRigidBodies(world, &body, 1);
    CHECK_OK(vvRigidBody_ApplyForce(body, (vvVec3){ 10, 20, 30 }, (vvVec3){ 1, 1, 1 })); // part of the state
    size_t size = vvWorld_GetStateSize(world);
    unsigned char *bytes = malloc(size);
    CHECK_OK(vvWorld_SaveState(world, bytes, size));
    CHECK_OK(vvWorld_RestoreState(other, bytes, size));
    for (int step = 0; step < 5; ++step)
    {
        assert_true(vvWorld_GetHash(world) == vvWorld_GetHash(other));
        CHECK_NEAR(vvWorld_GetLedger(world).added, vvWorld_GetLedger(other).added, 0);
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        CHECK_OK(vvWorld_Step(other, 1.0 / 60));
    }
    // a world with another body is another world
    addBox(other, (vvVec3){ 1, 2, 3 }, (vvVec3){ 9, 4, 4 });
    assert_int_equal(vvWorld_RestoreState(other, bytes, size).code, VV_BAD_INPUT);
    free(bytes);
    vvDestroyWorld(world);
    vvDestroyWorld(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testThrown),     cmocka_unit_test(testFrames),   cmocka_unit_test(testForces),
        cmocka_unit_test(testKinematic),  cmocka_unit_test(testRefusals), cmocka_unit_test(testRunsAway),
        cmocka_unit_test(testSavedState),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
