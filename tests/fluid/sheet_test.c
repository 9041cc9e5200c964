// Sheets and ropes in fluids: they hold water, what one gains the other loses, and nothing passes.
#include "bag.h"
#include "refuse.h"
#include "undamped.h"

#include <limits.h>
#include <stdlib.h>

static const char *const methods[] = { "small-midpoint", "small-steps", "backward-euler", "stabilized", "pbd" };
#define METHODS (int)(sizeof methods / sizeof *methods)

static double lengthOf(vvVec3 a)
{
    return hypot(hypot(a.x, a.y), a.z);
}

static vvVec3 minus(vvVec3 a, vvVec3 b)
{
    return (vvVec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

// ---- momentum -------------------------------------------------------------------------------------------------------

// A block of water that weighs a hundred times as much hits a free sheet: momentum stays, to the floats of the fluid,
// and nothing is gained.
static void testMomentumStays(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; ++m)
    {
        vvWorldId world = makeWorld(0, methods[m], 1);
        vvSoftBodyId sheet = addSheet(world, 0.2, 6, 1e5, (vvVec3){ 0, 0, 0 });
        vvBox box = { { -0.08, 0.02, -0.06 }, { 0.04, 0.08, 0.06 } };
        addWater(world, 0.02, box, (vvVec3){ 0.1, -0.6, 0 });
        vvLedger before = vvWorld_GetLedger(world);
        for (int step = 0; step < 9; ++step)
            CHECK_OK(vvWorld_Step(world, STEP));
        vvLedger after = vvWorld_GetLedger(world);
        double exchanged = lengthOf(vvSoftBody_GetMomentum(sheet));
        CHECK_BELOW(4e-3, exchanged);
        CHECK_BELOW(lengthOf(minus(after.momentum, before.momentum)), 1e-6 * exchanged);
        CHECK_BELOW(after.kinetic + after.elastic, before.kinetic);
        vvDestroyWorld(world);
    }
}

// a ball strikes the sheet from the other side: it has all that the parts of the sheet's step gave it
static void testBallBehindTheSheet(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; ++m)
    {
        vvWorldId world = makeWorld(0, methods[m], 1);
        addSheet(world, 0.2, 6, 1e5, (vvVec3){ 0, 0, 0 });
        vvBox box = { { -0.08, 0.02, -0.06 }, { 0.04, 0.06, 0.06 } };
        addWater(world, 0.02, box, (vvVec3){ 0.1, -0.6, 0 });
        vvShapeDef shape = vvDefaultShapeDef();
        shape.kind = VV_SHAPE_SPHERE;
        shape.radius = 0.04;
        vvRigidBodyDef def = vvDefaultRigidBodyDef();
        def.shape = vvCreateShape(&shape, NULL);
        def.mass = 0.1;
        def.position = (vvVec3){ 0.01, -0.05, 0 };
        def.velocity = (vvVec3){ 0, 0.4, 0.1 }; // slow: no particle meets its limit of speed
        vvRigidBodyId ball = vvCreateRigidBody(world, &def, NULL);
        vvDestroyShape(def.shape);
        vvLedger before = vvWorld_GetLedger(world);
        for (int step = 0; step < 9; ++step)
            CHECK_OK(vvWorld_Step(world, STEP));
        vvLedger after = vvWorld_GetLedger(world);
        double exchanged = def.mass * lengthOf(minus(vvRigidBody_GetVelocity(ball), def.velocity));
        CHECK_BELOW(0.02, exchanged);
        CHECK_BELOW(lengthOf(minus(after.momentum, before.momentum)), 1e-6 * exchanged);
        CHECK_BELOW(after.kinetic + after.elastic, before.kinetic);
        assert_true(vvRigidBody_GetPose(ball).position.y < 0.02);
        vvDestroyWorld(world);
    }
}

// A solid that lies on the sheet takes its step in the substeps of the fluid too: what the water loses in a step it has
// at the end of that step, not of the next one.
static void testSolidOnTheSheet(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; ++m)
    {
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.gravity = (vvVec3){ 0, 0, 0 };
        worldDef.method = methods[m];
        worldDef.softContact = true;
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        addSheet(world, 0.2, 6, 1e5, (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = undampedDef();
        def.mesh = vvCreateBoxMesh((vvVec3){ 0.1, 0.03, 0.1 }, 2, 1, 2);
        def.material.density = 500;
        def.material.young = 1e5;
        def.position = (vvVec3){ 0, 0.018, 0 };
        vvSoftBodyId solid = vvCreateSoftBody(world, &def, NULL);
        vvDestroyMesh(def.mesh);
        addWater(world, 0.02, (vvBox){ { -0.04, 0.035, -0.04 }, { 0.04, 0.095, 0.04 } }, (vvVec3){ 0.05, -0.5, 0 });
        vvLedger before = vvWorld_GetLedger(world);
        double exchanged = 0;
        for (int step = 0; step < 4; ++step)
        {
            CHECK_OK(vvWorld_Step(world, STEP));
            vvLedger after = vvWorld_GetLedger(world);
            exchanged = fmax(exchanged, lengthOf(vvSoftBody_GetMomentum(solid)));
            CHECK_BELOW(lengthOf(minus(after.momentum, before.momentum)), 1e-6 * exchanged + 1e-12);
            CHECK_BELOW(after.total, before.total);
        }
        CHECK_BELOW(0.02, exchanged);
        vvDestroyWorld(world);
    }
}

// ---- a bag ----------------------------------------------------------------------------------------------------------

// its pins hold sheet and water, nothing is below it, and it comes to rest
static void testBagHoldsItsWater(void **state)
{
    (void)state;
    for (int m = 0; m < 1; ++m)
    {
        Bag bag = makeBag(methods[m], 1, false);
        double sum = 0;
        for (int step = 0; step < 75; ++step)
        {
            CHECK_OK(vvWorld_Step(bag.world, STEP));
            sum += step >= 35 ? pinForce(bag.sheet) / 40 : 0;
        }
        CHECK_NEAR(sum / weightOf(&bag), 1, 0.05);
        assert_int_equal(countLeaks(bag.fluid, bag.sheet), 0);
        vvLedger ledger = vvWorld_GetLedger(bag.world);
        CHECK_BELOW(ledger.kinetic, 0.02);
        CHECK_BELOW(ledger.numerical, 0.02);
        vvDestroyWorld(bag.world);
    }
}

// ---- under water ----------------------------------------------------------------------------------------------------

static void addTank(vvWorldId world, double edge)
{
    const vvVec3 normal[5] = { { 0, 1, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    for (int i = 0; i < 5; ++i)
    {
        vvShapeDef shapeDef = vvDefaultShapeDef();
        shapeDef.kind = VV_SHAPE_PLANE;
        shapeDef.normal = normal[i];
        shapeDef.offset = i == 0 ? 0 : -edge / 2;
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = vvCreateShape(&shapeDef, NULL);
        vvCreateCollider(world, &def, NULL);
        vvDestroyShape(def.shape);
    }
}

static vvSoftBodyId addRope(vvWorldId world, double length, vvVec3 position)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = vvCreateRopeMesh(length, 12);
    def.material.density = 500;
    def.material.young = 1e6;
    def.position = position;
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
    return body;
}

// A sheet amid water and a rope on its bottom stay calm, under all methods.
static void testNothingExplodesUnderWater(void **state)
{
    (void)state;
    for (int m = 0; m < METHODS; ++m)
    {
        vvWorldId world = makeWorld(9.81, methods[m], 1);
        addTank(world, 0.2);
        vvSoftBodyId sheet = addSheet(world, 0.14, 6, 1e5, (vvVec3){ 0, 0.045, 0 });
        vvSoftBodyId rope = addRope(world, 0.15, (vvVec3){ 0, 0.02, 0.01 });
        addWater(world, 0.02, (vvBox){ { -0.1, 0, -0.1 }, { 0.1, 0.1, 0.1 } }, (vvVec3){ 0, 0, 0 });
        for (int step = 0; step < 8; ++step)
            CHECK_OK(vvWorld_Step(world, STEP));
        vvLedger ledger = vvWorld_GetLedger(world);
        CHECK_BELOW(ledger.kinetic, 0.2);
        vvVec3 at = vvSoftBody_GetCentreOfMass(sheet), end = vvSoftBody_GetCentreOfMass(rope);
        CHECK_BELOW(fabs(at.y - 0.05), 0.06);
        CHECK_BELOW(fabs(end.y - 0.05), 0.06);
        vvDestroyWorld(world);
    }
}

// ---- the same again -------------------------------------------------------------------------------------------------

static void testSameBitsForAnyNumberOfWorkers(void **state)
{
    (void)state;
    uint64_t first = 0;
    const int threads[] = { 1, 3 };
    for (int t = 0; t < 2; ++t)
    {
        Bag bag = makeBag("small-midpoint", threads[t], true);
        CHECK_OK(
            vvFluid_AddBox(bag.fluid, (vvBox){ { -0.15, 0.2, -0.15 }, { 0.15, 0.41, 0.15 } }, (vvVec3){ 0, -3, 0 }));
        assert_true(vvFluid_GetCount(bag.fluid) > 512); // two tasks
        for (int step = 0; step < 6; ++step)
            CHECK_OK(vvWorld_Step(bag.world, STEP));
        uint64_t hash = vvWorld_GetHash(bag.world);
        first = t == 0 ? hash : first;
        assert_true(hash == first);
        vvDestroyWorld(bag.world);
    }
}

// A state that is loaded goes on with the same bits, steps do not ask for memory, and bodies may go in between.
static void testStatesAndMemory(void **state)
{
    (void)state;
    Bag bag = makeBag("small-midpoint", 1, false), other = makeBag("small-midpoint", 1, false);
    for (int step = 0; step < 12; ++step)
        CHECK_OK(vvWorld_Step(bag.world, STEP));
    size_t size = vvWorld_GetStateSize(bag.world);
    void *bytes = malloc(size);
    CHECK_OK(vvWorld_SaveState(bag.world, bytes, size));
    CHECK_OK(vvWorld_RestoreState(other.world, bytes, size));
    free(bytes);
    long long asked = (long long)vvWorld_GetStatistics(bag.world).allocationCount;
    for (int step = 0; step < 6; ++step)
    {
        CHECK_OK(vvWorld_Step(bag.world, STEP));
        CHECK_OK(vvWorld_Step(other.world, STEP));
    }
    assert_true(vvWorld_GetHash(bag.world) == vvWorld_GetHash(other.world));
    assert_true((long long)vvWorld_GetStatistics(bag.world).allocationCount == asked);
    vvDestroySoftBody(bag.sheet);
    vvDestroyFluid(other.fluid);
    for (int step = 0; step < 2; ++step)
    {
        CHECK_OK(vvWorld_Step(bag.world, STEP));
        CHECK_OK(vvWorld_Step(other.world, STEP));
    }
    vvDestroyWorld(bag.world);
    vvDestroyWorld(other.world);
}

// a step of a sheet in water with so many requests for memory granted
static vvResult stepWithout(vvWorldId world, int *left, int granted)
{
    uint64_t hash = vvWorld_GetHash(world);
    *left = granted;
    vvResult result = vvWorld_Step(world, STEP);
    *left = INT_MAX;
    if (result.code != VV_OK)
    {
        assert_int_equal(result.code, VV_OUT_OF_MEMORY);
        assert_true(vvWorld_GetHash(world) == hash);
    }
    return result;
}

// Requests for memory refused, one at a time: nothing is left half done, and it goes on as if nothing had been.
static void testWithoutMemory(void **state)
{
    (void)state;
    int left = INT_MAX;
    uint64_t want = 0;
    for (int granted = INT_MAX;; granted = granted == INT_MAX ? 0 : granted + 1)
    {
        vvWorldDef def = vvDefaultWorldDef();
        def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
        vvWorldId world = vvCreateWorld(&def, NULL);
        addSheet(world, 0.1, 3, 1e5, (vvVec3){ 0, 0, 0 });
        addWater(world, 0.02, (vvBox){ { -0.02, 0.005, -0.02 }, { 0.02, 0.045, 0.02 } }, (vvVec3){ 0, -1, 0 });
        bool done = stepWithout(world, &left, granted).code == VV_OK;
        if (!done)
            CHECK_OK(vvWorld_Step(world, STEP));
        want = granted == INT_MAX ? vvWorld_GetHash(world) : want;
        assert_true(vvWorld_GetHash(world) == want);
        vvDestroyWorld(world);
        if (done && granted < INT_MAX)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testMomentumStays),
        cmocka_unit_test(testBallBehindTheSheet),
        cmocka_unit_test(testSolidOnTheSheet),
        cmocka_unit_test(testBagHoldsItsWater),
        cmocka_unit_test(testNothingExplodesUnderWater),
        cmocka_unit_test(testSameBitsForAnyNumberOfWorkers),
        cmocka_unit_test(testStatesAndMemory),
        cmocka_unit_test(testWithoutMemory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
