// Soft and rigid bodies touch each other: what one side gives the other gets, under every method.
#include "rigid/soft_scenes.h"

#include <stdio.h>
#include <string.h>

static const vvVec3 none = { 0, 0, 0 }, earth = { 0, -9.81, 0 };
static const char *const methods[] = { "small-midpoint", "small-steps", "backward-euler", "implicit-midpoint", "bdf2",
                                       "newmark",        "pbd",         "stabilized" };
#define METHODS (int)(sizeof methods / sizeof *methods)

// ---- closed systems -------------------------------------------------------------------------------------------------

typedef struct Kept
{
    double momentum, angular; // of their scale, off by so much at most
    double gained;            // share of the energy
    double exchanged;         // of the scale
} Kept;

static Kept run(const char *method, uint32_t seed, double times, int count)
{
    vvWorldId world = makeWorldOf(method, none, 1);
    addCollision(world, seed, times);
    vvLedger before = vvWorld_GetLedger(world);
    double scale = sqrt(2 * before.kinetic * JELLY_MASS);
    vvRigidBodyId rigid;
    vvWorld_GetRigidBodies(world, &rigid, 1);
    vvVec3 velocity = vvRigidBody_GetVelocity(rigid);
    Kept kept = { 0 };
    for (int i = 0; i < count; ++i)
    {
        CHECK_OK(vvWorld_Step(world, STEP));
        vvLedger now = vvWorld_GetLedger(world);
        kept.momentum = fmax(kept.momentum, away(now.momentum, before.momentum) / scale);
        kept.angular = fmax(kept.angular, away(now.angularMomentum, before.angularMomentum) / scale);
        kept.gained = fmax(kept.gained, now.total / before.total - 1);
    }
    kept.exchanged = away(vvRigidBody_GetVelocity(rigid), velocity) * vvRigidBody_GetMass(rigid) / scale;
    vvDestroyWorld(world);
    return kept;
}

static void testMomenta(void **state)
{
    (void)state;
    double exchanged = 0;
    for (uint32_t seed = 1; seed <= 4; ++seed)
    {
        Kept kept = run("small-midpoint", seed, 10, 16);
        CHECK_BELOW(kept.momentum, 1e-9);
        CHECK_BELOW(kept.angular, 1e-9);
        CHECK_BELOW(kept.gained, 1e-3);
        exchanged += kept.exchanged;
    }
    assert_true(exchanged > 0.5);
}

// a corner that slides along triangles of the jelly while it overlaps them is not pushed: it would gain 1.8 %
static void testCorner(void **state)
{
    (void)state;
    Kept kept = run("small-steps", 116, 10, 4);
    CHECK_BELOW(kept.gained, 1e-3);
    assert_true(kept.exchanged > 0.1);
}

static void testMethods(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; ++m)
    {
        Kept kept = run(methods[m], 3 + (uint32_t)m, 100, 10);
        CHECK_BELOW(kept.momentum, 1e-9);
        if (strcmp(methods[m], "pbd") != 0) // which has no energy of its own to speak of
            CHECK_BELOW(kept.gained, m < 2 ? 1e-3 : 0.1);
        assert_true(kept.exchanged > 1e-3);
    }
}

// ---- on the ground --------------------------------------------------------------------------------------------------

static double lowest(vvSoftBodyId body)
{
    static float x[3 * 1000];
    int count = vvSoftBody_GetVertexCount(body);
    assert_true(count <= 1000);
    CHECK_OK(vvSoftBody_CopyPositions(body, 0, x, 3 * (int)sizeof *x));
    double least = INFINITY;
    for (int i = 0; i < count; ++i)
        least = fmin(least, x[3 * i + 1]);
    return least;
}

// A box between a jelly and the ground carries it, however light it is.
static void testCarries(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; ++m)
    {
        vvWorldId world = makeWorldOf(methods[m], earth, 1);
        addGround(world, 0.5, 0);
        addRigid(world, boxShape((vvVec3){ 0.4, 0.2, 0.4 }), (vvVec3){ 0, 0.1, 0 }, m % 2 ? JELLY_MASS : 0.27);
        vvSoftBodyId jelly = addJelly(world, (vvVec3){ 0, 0.351, 0 }, (vvVec3){ 0, -1, 0 }, 1e5, 0.3);
        double least = INFINITY;
        for (int i = 0; i < 8; ++i)
        {
            steps(world, 1);
            least = fmin(least, lowest(jelly));
        }
        CHECK_NEAR(least, 0.2, strcmp(methods[m], "pbd") == 0 ? 0.03 : 0.005);
        vvDestroyWorld(world);
    }
}

// A box that lies on a cube: what trembles takes and gives, and hardly anything of it is `added` (0.55 J before).
static void testLiesStill(void **state)
{
    (void)state;
    vvWorldId world = makeWorldOf("small-midpoint", earth, 1);
    addGround(world, 0.5, 0);
    vvSoftBodyDef def = vvDefaultSoftBodyDef();
    def.mesh = vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 3, 3, 3);
    def.material.young = 1e5;
    def.material.density = 1500;
    def.position.y = 0.101;
    vvResult result;
    vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
    addRigid(world, boxShape((vvVec3){ 0.2, 0.12, 0.2 }), (vvVec3){ 0, 0.27, 0 }, 14.4);
    steps(world, 20);
    double added = vvWorld_GetLedger(world).added;
    steps(world, 80);
    CHECK_NEAR(vvWorld_GetLedger(world).added, added, 0.3);
    vvDestroyWorld(world);
}

// ---- a plate on springs ---------------------------------------------------------------------------------------------

// Hz, of a plate of `mass` kg that a stiff jelly stands on; the springs hold both with `wanted` Hz
static double plateFrequency(const char *method, double mass, double wanted)
{
    vvWorldId world = makeWorldOf(method, earth, 1);
    double whole = JELLY_MASS + mass, stiffness = whole * pow(2 * 3.14159265358979 * wanted, 2);
    addJelly(world, (vvVec3){ 0, 0.15, 0 }, (vvVec3){ 0, -0.1, 0 }, 1e6, 0.3);
    vvRigidBodyId plate = addRigid(world, boxShape((vvVec3){ 0.5, 0.05, 0.5 }), (vvVec3){ 0, -0.025, 0 }, mass);
    CHECK_OK(vvRigidBody_SetVelocity(plate, (vvVec3){ 0, -0.1, 0 }));
    vvJointDef slider = vvDefaultJointDef();
    slider.kind = VV_JOINT_SLIDER;
    slider.bodyB = plate;
    CHECK_OK(vvJointDef_Place(&slider, (vvVec3){ 0, -0.025, 0 }, (vvVec3){ 0, 1, 0 }));
    vvResult result;
    vvCreateJoint(world, &slider, &result);
    CHECK_OK(result);
    vvJointDef spring = vvDefaultJointDef();
    spring.kind = VV_JOINT_DISTANCE;
    spring.bodyB = plate;
    spring.frameA.position = (vvVec3){ 0, 5, 0 };
    spring.compliance = 1 / stiffness;
    spring.lower = spring.upper = 5.025 - whole * 9.81 / stiffness;
    vvCreateJoint(world, &spring, &result);
    CHECK_OK(result);
    double first = 0, last = 0, before = 0;
    int crossings = 0;
    for (int i = 0; i < 66; ++i)
    {
        steps(world, 1);
        double now = vvRigidBody_GetCentreOfMass(plate).y + 0.025;
        if (before < 0 && now >= 0)
        {
            last = STEP * (i + now / (before - now));
            first = crossings++ == 0 ? last : first;
        }
        before = now;
    }
    vvDestroyWorld(world);
    return (crossings - 1) / (last - first);
}

// Hz, of a mass with the jelly on it as a rod of the same modulus, whose matter moves with tan(k) / k times its mass
// for k radians of a wave along it
static double rodFrequency(double mass, double wanted)
{
    const double twice = 2 * 3.14159265358979;
    double stiffness = (JELLY_MASS + mass) * pow(twice * wanted, 2), rate = twice * wanted;
    for (int i = 0; i < 20; ++i)
    {
        double k = rate * 0.3 / sqrt(1e6 / 1000);
        rate = sqrt(stiffness / (mass + JELLY_MASS * tan(k) / k));
    }
    return rate / twice;
}

// also where the plate alone would swing once in a step
static void testPlate(void **state)
{
    (void)state;
    CHECK_CLOSE(plateFrequency("small-midpoint", 20, 3), rodFrequency(20, 3), 0.01);
    CHECK_CLOSE(plateFrequency("small-midpoint", 3, 6), rodFrequency(3, 6), 0.01);
    CHECK_CLOSE(plateFrequency("small-midpoint", 0.3, 6), rodFrequency(0.3, 6), 0.01);
    CHECK_CLOSE(plateFrequency("small-steps", 20, 3), rodFrequency(20, 3), 0.01);
}

// ---- the same bits --------------------------------------------------------------------------------------------------

static vvWorldId makeMixed(int threads)
{
    vvWorldId world = makeWorldOf("small-midpoint", earth, threads);
    addGround(world, 0.5, 0);
    addCollision(world, 7, 10);
    addJelly(world, (vvVec3){ 3, 0.151, 0 }, none, 1e4, 0.3);
    addRigid(world, boxShape((vvVec3){ 0.2, 0.2, 0.2 }), (vvVec3){ 3, 0.42, 0 }, 5);
    return world;
}

static void testThreads(void **state)
{
    (void)state;
    uint64_t hash = 0;
    static const int threads[] = { 1, 2, 3, 7 };
    for (int k = 0; k < 4; ++k)
    {
        vvWorldId world = makeMixed(threads[k]);
        steps(world, 10);
        assert_true(k == 0 || vvWorld_GetHash(world) == hash);
        hash = vvWorld_GetHash(world);
        vvDestroyWorld(world);
    }
}

static void testSavedState(void **state)
{
    (void)state;
    vvWorldId world = makeMixed(1), other = makeMixed(1);
    steps(world, 12);
    size_t size = vvWorld_GetStateSize(world);
    void *saved = malloc(size);
    CHECK_OK(vvWorld_SaveState(world, saved, size));
    CHECK_OK(vvWorld_RestoreState(other, saved, size));
    assert_true(vvWorld_GetHash(world) == vvWorld_GetHash(other));
    for (int i = 0; i < 8; ++i)
    {
        steps(world, 1);
        steps(other, 1);
        assert_true(vvWorld_GetHash(world) == vvWorld_GetHash(other));
    }
    free(saved);
    vvDestroyWorld(world);
    vvDestroyWorld(other);
}

// ---- and else -------------------------------------------------------------------------------------------------------

static void testAllocation(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(earth);
    addGround(world, 0.5, 0);
    addJelly(world, (vvVec3){ 0, 0.151, 0 }, none, 1e4, 0.3);
    addRigid(world, boxShape((vvVec3){ 0.2, 0.2, 0.2 }), (vvVec3){ 0, 0.41, 0 }, 5);
    steps(world, 10);
    long long before = vvWorld_GetStatistics(world).allocationCount;
    steps(world, 20);
    assert_int_equal(vvWorld_GetStatistics(world).allocationCount, before);
    vvDestroyWorld(world);
}

// A sleeping jelly wakes when a rigid body comes, and is pushed.
static void testWakes(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.sleepEnergy = 1e-3;
    def.sleepTime = 0.1;
    vvWorldId world = vvCreateWorld(&def, NULL);
    addGround(world, 0.5, 0);
    vvSoftBodyId jelly = addJelly(world, (vvVec3){ 0, 0.15, 0 }, none, 1e6, 0.3);
    vvRigidBodyId ball = addRigid(world, sphereShape(0.1), (vvVec3){ -2, 0.2, 0 }, 10);
    steps(world, 60);
    assert_false(vvSoftBody_IsAwake(jelly));
    CHECK_OK(vvRigidBody_SetPose(ball, (vvPose){ { -0.6, 0.2, 0 }, { 1, 0, 0, 0 } }));
    CHECK_OK(vvRigidBody_SetVelocity(ball, (vvVec3){ 4, 0, 0 }));
    steps(world, 12);
    assert_true(vvSoftBody_IsAwake(jelly));
    assert_true(vvRigidBody_GetVelocity(ball).x < 3);
    vvDestroyWorld(world);
}

// A fast ball does not pass through.
static void testSpeed(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m)
    {
        vvWorldId world = makeWorldOf(methods[m], none, 1);
        vvSoftBodyId jelly = addJelly(world, none, none, 1e6, 0.3);
        vvRigidBodyId ball = addRigid(world, sphereShape(0.1), (vvVec3){ 0.02, 1, 0.01 }, 1);
        CHECK_OK(vvRigidBody_SetVelocity(ball, (vvVec3){ 0, -60, 0 }));
        steps(world, 12);
        assert_true(vvRigidBody_GetCentreOfMass(ball).y > lowest(jelly) + 0.3);
        assert_true(vvRigidBody_GetVelocity(ball).y > 0);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testMomenta), cmocka_unit_test(testCorner),     cmocka_unit_test(testMethods),
        cmocka_unit_test(testCarries), cmocka_unit_test(testLiesStill),  cmocka_unit_test(testPlate),
        cmocka_unit_test(testThreads), cmocka_unit_test(testSavedState), cmocka_unit_test(testAllocation),
        cmocka_unit_test(testWakes),   cmocka_unit_test(testSpeed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
