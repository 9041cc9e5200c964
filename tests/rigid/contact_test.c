// Contact of rigid bodies: rebound, sliding, rolling, slopes, heaps; momenta; bits.
#include "rigid/rigid_scenes.h"

static const vvVec3 down = { 0, -9.81, 0 };

// ---- impacts --------------------------------------------------------------------------------------------------------

// A drop of 1 m comes back to e^2 m; what is lost is booked as dissipated.
static void checkRebound(vvShape *shape, double e)
{
    vvWorldId world = makeWorld(down);
    addGround(world, 0.5, e);
    vvRigidBodyId body = addRigid(world, shape, (vvVec3){ 0, 1.2, 0 }, 2);
    double apex = 0;
    bool hit = false;
    for (int i = 0; i < 70; ++i)
    {
        steps(world, 1);
        hit = hit || vvRigidBody_GetVelocity(body).y > -0.1;
        if (hit && vvRigidBody_GetVelocity(body).y < -0.2)
            break;
        apex = hit ? maxReal(apex, vvRigidBody_GetPose(body).position.y - 0.2) : 0;
    }
    CHECK_NEAR(apex, e * e, 0.01 * e + 1e-6); // 2 % of the speed is 4 % of the height
    CHECK_NEAR(vvWorld_GetLedger(world).dissipated, 2 * 9.81 * (1 - e * e), 0.03);
    CHECK_BELOW(fabs(vvWorld_GetLedger(world).numerical), 0.1);
    vvDestroyWorld(world);
}

static void testRebound(void **state)
{
    (void)state;
    static const double restitutions[] = { 0, 0.3, 0.7, 1 };
    for (int i = 0; i < 4; ++i)
    {
        checkRebound(sphereShape(0.2), restitutions[i]);
        checkRebound(boxShape((vvVec3){ 0.4, 0.4, 0.4 }), restitutions[i]);
    }
}

// A box that falls flat on several corners leaves with e of its speed and no spin, whatever its proportions.
static void testFlatRebound(void **state)
{
    (void)state;
    static const vvVec3 sizes[] = { { 0.4, 0.4, 0.4 }, { 1, 0.1, 0.5 }, { 0.2, 1, 0.2 }, { 0.1, 0.3, 2 } };
    static const double restitutions[] = { 0.2, 0.6, 1 };
    for (int i = 0; i < 24; ++i)
    {
        double e = restitutions[i % 3], height = 0.3;
        vvVec3 size = sizes[i / 3 % 4];
        vvWorldId world = makeWorld(down);
        CHECK_OK(vvWorld_SetRigidSubsteps(world, i < 12 ? 5 : 20));
        addGround(world, 0.5, e);
        vvRigidBodyId body = addRigid(world, boxShape(size), (vvVec3){ 0, 0.5 * size.y + height, 0 }, 2);
        do
            steps(world, 1);
        while (vvRigidBody_GetVelocity(body).y < 0);
        double speed = vvRigidBody_GetVelocity(body).y;
        double rise = vvRigidBody_GetPose(body).position.y - 0.5 * size.y + speed * speed / (2 * 9.81);
        CHECK_NEAR(sqrt(rise / height), e, 1e-4);
        CHECK_BELOW(vecLength(vvRigidBody_GetSpin(body)), 1e-9);
        vvDestroyWorld(world);
    }
}

// Two bodies that meet in space keep both momenta, whatever they are and however they meet.
static void testMomenta(void **state)
{
    (void)state;
    for (int k = 0; k < 6; ++k)
    {
        vvWorldId world = makeWorld((vvVec3){ 0, 0, 0 });
        vvRigidBodyId a = k % 3 == 0 ? addBox(world, (vvVec3){ 0.4, 0.3, 0.5 }, (vvVec3){ 0, 0, 0 })
                                     : addRigid(world, capsuleShape(0.1, 0.5), (vvVec3){ 0, 0.1, 0 }, 3);
        vvRigidBodyId b = k % 2 == 0 ? addWrench(world, (vvVec3){ 0.7, 0.1, 0.05 })
                                     : addRigid(world, sphereShape(0.2), (vvVec3){ 0.7, 0.2, 0.05 }, 1);
        CHECK_OK(vvRigidBody_SetVelocity(b, (vvVec3){ -3, 0, 0.5 }));
        CHECK_OK(vvRigidBody_SetSpin(a, (vvVec3){ 1, 5, 2 }));
        vvLedger before = vvWorld_GetLedger(world);
        steps(world, 30);
        vvLedger after = vvWorld_GetLedger(world);
        double size = vecLength(before.momentum);
        assert_true(vecLength(vecSub(vvRigidBody_GetVelocity(b), vec3(-3, 0, 0.5))) > 0.1); // they have met
        CHECK_BELOW(vecLength(vecSub(after.momentum, before.momentum)), 1e-12 * size);
        CHECK_BELOW(vecLength(vecSub(after.angularMomentum, before.angularMomentum)), 1e-12 * size);
        CHECK_BELOW(after.kinetic, before.kinetic * (1 + 1e-9));
        vvDestroyWorld(world);
    }
}

// ---- friction -------------------------------------------------------------------------------------------------------

static void testStops(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(down);
    addGround(world, 0.5, 0);
    vvRigidBodyId body = addBox(world, (vvVec3){ 0.4, 0.2, 0.4 }, (vvVec3){ 0, 0.1, 0 });
    double mass = vvRigidBody_GetMass(body), v = 3;
    CHECK_OK(vvRigidBody_SetVelocity(body, (vvVec3){ v, 0, 0 }));
    steps(world, 60);
    CHECK_CLOSE(vvRigidBody_GetPose(body).position.x, v * v / (2 * 0.5 * 9.81), 1e-3);
    CHECK_CLOSE(vvWorld_GetLedger(world).dissipated, 0.5 * mass * v * v, 5e-3);
    vvDestroyWorld(world);
}

// m along a slope after 1 s
static double slid(double degrees)
{
    double sine, cosine;
    sineCosine(degrees * PI / 180, &sine, &cosine);
    vvWorldId world = makeWorld((vvVec3){ 9.81 * sine, -9.81 * cosine, 0 });
    addGround(world, 0.5, 0);
    vvRigidBodyId body = addBox(world, (vvVec3){ 0.4, 0.1, 0.4 }, (vvVec3){ 0, 0.05, 0 });
    steps(world, 60);
    double x = vvRigidBody_GetPose(body).position.x;
    vvDestroyWorld(world);
    return x;
}

static void testSlopes(void **state)
{
    (void)state;
    CHECK_BELOW(fabs(slid(10)), 2e-5);
    CHECK_BELOW(fabs(slid(20)), 2e-5);
    CHECK_BELOW(fabs(slid(26)), 2e-5); // critical: 26.565 degrees
    for (int degrees = 28; degrees <= 40; degrees += 4)
    {
        double sine, cosine;
        sineCosine(degrees * PI / 180, &sine, &cosine);
        CHECK_CLOSE(slid(degrees), 0.5 * 9.81 * (sine - 0.5 * cosine), 2e-3);
    }
}

// A ball that slides begins to roll at 5/7 of its speed, and goes on for ever.
static void testRolls(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(down);
    addGround(world, 0.5, 0);
    vvRigidBodyId ball = addRigid(world, sphereShape(0.2), (vvVec3){ 0, 0.2, 0 }, 1);
    CHECK_OK(vvRigidBody_SetVelocity(ball, (vvVec3){ 7, 0, 0 }));
    steps(world, 240);
    CHECK_CLOSE(vvRigidBody_GetVelocity(ball).x, 5, 1e-6);
    CHECK_CLOSE(vvRigidBody_GetSpin(ball).z, -25, 1e-6);
    CHECK_NEAR(vvRigidBody_GetPose(ball).position.y, 0.2, 1e-9);
    CHECK_CLOSE(vvWorld_GetLedger(world).dissipated, 0.5 * 49 * 2 / 7, 1e-6);
    vvDestroyWorld(world);
}

// Rolling friction c: the couple c r N slows a ball by c g / 1.4 and brings it to rest; on a slope below it it holds.
static void testRollingFriction(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(down);
    addGround(world, 0.5, 0);
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = sphereShape(0.2);
    def.position.y = 0.2;
    def.velocity.x = 2;
    def.spin.z = -10;
    def.rollingFriction = 0.05;
    vvRigidBodyId ball = vvCreateRigidBody(world, &def, NULL);
    vvDestroyShape(def.shape);
    double energy = vvWorld_GetLedger(world).kinetic;
    steps(world, 60);
    CHECK_CLOSE(vvRigidBody_GetVelocity(ball).x, 2 - 0.05 * 9.81 / 1.4, 2e-3);
    steps(world, 360);
    CHECK_NEAR(vvRigidBody_GetVelocity(ball).x, 0, 1e-6);
    CHECK_CLOSE(vvRigidBody_GetPose(ball).position.x, 2 * 2 / (2 * 0.05 * 9.81 / 1.4), 2e-3);
    CHECK_CLOSE(vvWorld_GetLedger(world).dissipated, energy, 5e-3);
    double x = vvRigidBody_GetPose(ball).position.x;
    CHECK_OK(vvWorld_SetGravity(world, (vvVec3){ 0.4, -9.8, 0 })); // 0.041 of the normal force
    steps(world, 60);
    CHECK_NEAR(vvRigidBody_GetPose(ball).position.x, x, 2e-5); // free it would go 0.14 m
    vvDestroyWorld(world);
}

// A conveyor belt carries a box at its speed; a plate that rises lifts one, and its work is booked.
static void testDriven(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(down);
    vvColliderId ground = addGround(world, 0.5, 0);
    CHECK_OK(vvCollider_SetSurfaceVelocity(ground, (vvVec3){ 0.5, 0, 0 }));
    vvRigidBodyId body = addBox(world, (vvVec3){ 0.4, 0.2, 0.4 }, (vvVec3){ 0, 0.1, 0 });
    steps(world, 60);
    CHECK_NEAR(vvRigidBody_GetVelocity(body).x, 0.5, 1e-3);
    CHECK_OK(vvCollider_SetSurfaceVelocity(ground, (vvVec3){ 0, 0, 0 }));
    double added = vvWorld_GetLedger(world).added;
    for (int i = 1; i <= 60; ++i)
    {
        CHECK_OK(vvCollider_MoveTo(ground, (vvVec3){ 0, i / 120.0, 0 }, (vvQuat){ 1, 0, 0, 0 }));
        steps(world, 1);
    }
    CHECK_NEAR(vvRigidBody_GetPose(body).position.y, 0.6, 1e-4);
    // it rises at 0.5 m/s at once: as much again as the kinetic energy is lost in that impact
    CHECK_CLOSE(vvWorld_GetLedger(world).added - added, vvRigidBody_GetMass(body) * (9.81 * 0.5 + 0.25), 0.005);
    vvDestroyWorld(world);
}

// A kinematic body carries others: a lift, made before or after its load. It turns as it rises, and friction takes the
// load along.
static void testLift(void **state)
{
    (void)state;
    for (int first = 0; first < 2; ++first)
    {
        vvWorldId world = makeWorld(down);
        vvRigidBodyId load = { 0, 0, 0 };
        if (first == 0)
            load = addBox(world, (vvVec3){ 0.4, 0.2, 0.4 }, (vvVec3){ 0, 0.2, 0 });
        vvRigidBodyDef def = vvDefaultRigidBodyDef();
        def.shape = boxShape((vvVec3){ 2, 0.2, 2 });
        def.kinematic = true;
        def.velocity.y = 0.5;
        def.spin.y = 1;
        vvRigidBodyId lift = vvCreateRigidBody(world, &def, NULL);
        vvDestroyShape(def.shape);
        if (first == 1)
            load = addBox(world, (vvVec3){ 0.4, 0.2, 0.4 }, (vvVec3){ 0, 0.2, 0 });
        CHECK_OK(vvRigidBody_SetVelocity(load, (vvVec3){ 0, 0.5, 0 }));
        double added = vvWorld_GetLedger(world).added;
        steps(world, 60);
        CHECK_NEAR(vvRigidBody_GetPose(lift).position.y, 0.5, 1e-12);
        CHECK_NEAR(vvRigidBody_GetPose(load).position.y, 0.7, 1e-4);
        CHECK_NEAR(vvRigidBody_GetSpin(load).y, 1, 1e-3);
        CHECK_CLOSE(vvWorld_GetLedger(world).added - added, vvRigidBody_GetMass(load) * 9.81 * 0.5, 0.01);
        vvDestroyWorld(world);
    }
}

// ---- bits -----------------------------------------------------------------------------------------------------------

static vvWorldId heap(int threads)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.threads = threads;
    vvWorldId world = vvCreateWorld(&def, NULL);
    addGround(world, 0.4, 0.2);
    for (int i = 0; i < 8; ++i)
    {
        double y = 0.5 + 0.5 * i;
        vvShape *shape = i % 3 == 0   ? sphereShape(0.2)
                         : i % 3 == 1 ? boxShape((vvVec3){ 0.3, 0.4, 0.5 })
                                      : capsuleShape(0.1, 0.3);
        vvRigidBodyId body = addRigid(world, shape, (vvVec3){ 0.05 * (i % 2), y, 0.03 * i }, 1 + i);
        CHECK_OK(vvRigidBody_SetSpin(body, (vvVec3){ 1, i, -2 }));
    }
    return world;
}

static void testBits(void **state)
{
    (void)state;
    static const int threads[] = { 1, 2, 3, 7 };
    uint64_t first = 0;
    for (int i = 0; i < 4; ++i)
    {
        vvWorldId world = heap(threads[i]);
        steps(world, 60);
        uint64_t hash = vvWorld_GetHash(world);
        first = i == 0 ? hash : first;
        assert_true(hash == first);
        vvDestroyWorld(world);
    }
    // a state in the middle of the heap goes on as the run did
    vvWorldId world = heap(1), other = heap(1);
    steps(world, 30);
    size_t size = vvWorld_GetStateSize(world);
    unsigned char *bytes = malloc(size);
    CHECK_OK(vvWorld_SaveState(world, bytes, size));
    CHECK_OK(vvWorld_RestoreState(other, bytes, size));
    free(bytes);
    steps(other, 30);
    assert_true(vvWorld_GetHash(other) == first);
    // a heap at rest asks for no memory
    steps(world, 60);
    long long requests = vvWorld_GetStatistics(world).allocationCount;
    steps(world, 10);
    assert_true(vvWorld_GetStatistics(world).allocationCount == requests);
    vvDestroyWorld(world);
    vvDestroyWorld(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testRebound),
        cmocka_unit_test(testFlatRebound),
        cmocka_unit_test(testMomenta),
        cmocka_unit_test(testStops),
        cmocka_unit_test(testSlopes),
        cmocka_unit_test(testRolls),
        cmocka_unit_test(testRollingFriction),
        cmocka_unit_test(testDriven),
        cmocka_unit_test(testLift),
        cmocka_unit_test(testBits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
