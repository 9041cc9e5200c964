// Fluids in a world: walls, books, emitters and drains, hashes, saved states.
#include "vessel.h"

#include "base/vec.h"

#define STEP (1 / 60.0)

static vvShape *makeShape(vvShapeKind kind, vvVec3 normal, double offset, double size)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = kind;
    def.normal = normal;
    def.offset = offset;
    def.size = (vvVec3){ size, size, size };
    def.radius = size / 2;
    return vvCreateShape(&def, NULL);
}

static vvColliderId addCollider(vvWorldId world, vvShape *shape, vvVec3 position)
{
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = shape;
    def.position = position;
    vvColliderId collider = vvCreateCollider(world, &def, NULL);
    vvDestroyShape(shape);
    return collider;
}

// a box of planes, from 0 to `edge` in x and z, open above
static void addTank(vvWorldId world, double edge)
{
    const vvVec3 normal[5] = { { 0, 1, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    for (int i = 0; i < 5; ++i)
        addCollider(world, makeShape(VV_SHAPE_PLANE, normal[i], i == 2 || i == 4 ? -edge : 0, 1), (vvVec3){ 0, 0, 0 });
}

static vvWorldId makeWorld(const char *method, int threads)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method ? method : def.method;
    def.threads = threads;
    vvWorldId world = vvCreateWorld(&def, NULL);
    assert_true(vvWorld_IsValid(world));
    return world;
}

static vvFluidId addFluid(vvWorldId world, double spacing)
{
    vvFluidDef def = vvDefaultFluidDef();
    def.spacing = spacing;
    def.maxParticles = 4000;
    vvResult result;
    vvFluidId fluid = vvCreateFluid(world, &def, &result);
    CHECK_OK(result);
    return fluid;
}

// a block that falls past a ball into a tank, a jet and a drain
static vvFluidId makeScene(vvWorldId world)
{
    addTank(world, 0.3);
    addCollider(world, makeShape(VV_SHAPE_SPHERE, (vvVec3){ 0, 1, 0 }, 0, 0.12), (vvVec3){ 0.15, 0.06, 0.15 });
    vvFluidId fluid = addFluid(world, 0.02);
    CHECK_OK(vvFluid_AddBox(fluid, (vvBox){ { 0.04, 0.14, 0.04 }, { 0.2, 0.3, 0.2 } }, (vvVec3){ 0, 0, 0 }));
    vvFluidEmitter jet = { { 0.05, 0.5, 0.15 }, { 1, -1, 0 }, 0.03, 1.5, 0 };
    CHECK_OK(vvFluid_AddEmitter(fluid, &jet));
    CHECK_OK(vvFluid_AddDrain(fluid, (vvBox){ { 0.2, 0, 0 }, { 0.3, 0.02, 0.3 } }));
    return fluid;
}

static void testSameBitsUnderEveryMethodAndWorkerCount(void **state)
{
    (void)state;
    uint64_t first = 0;
    const int threads[] = { 1, 2, 3, 7 };
    for (int m = 0; m < 4 || vvGetMethodName(m) != NULL; ++m)
    {
        vvWorldId world = makeWorld(vvGetMethodName(m), m < 4 ? threads[m] : 1);
        vvFluidId fluid = makeScene(world);
        for (int step = 0; step < 3; ++step)
            CHECK_OK(vvWorld_Step(world, STEP));
        uint64_t hash = vvWorld_GetHash(world);
        first = m == 0 ? hash : first;
        assert_true(hash == first);
        assert_true(vvFluid_GetCount(fluid) > 512);
        vvDestroyWorld(world);
    }
}

static void testWallsKeepItIn(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL, 1);
    vvFluidId fluid = makeScene(world);
    for (int step = 0; step < 60; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    const double *x = vvFluid_GetPositions(fluid);
    for (int i = 0; i < vvFluid_GetCount(fluid); ++i)
    {
        double ball = hypot(hypot(x[3 * i] - 0.15, x[3 * i + 2] - 0.15), x[3 * i + 1] - 0.06);
        CHECK_BELOW(0.0099, x[3 * i + 1]);
        CHECK_BELOW(0.0099, fmin(x[3 * i], 0.3 - x[3 * i]));
        CHECK_BELOW(0.0099, fmin(x[3 * i + 2], 0.3 - x[3 * i + 2]));
        CHECK_BELOW(0.0699, ball);
    }
    vvDestroyWorld(world);
}

static void testNothingLeaksThroughAClosedMesh(void **state)
{
    (void)state;
    assert_int_equal(shakeVessel(3, 1000), 0);
}

// ---- books ----------------------------------------------------------------------------------------------------------

// Free fall: energy and momenta as physics has them, to the rounding of the substeps' sums.
static void testFreeFall(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL, 1);
    vvFluidId fluid = addFluid(world, 0.02);
    CHECK_OK(vvFluid_AddBox(fluid, (vvBox){ { 0, 1, 0 }, { 0.1, 1.1, 0.1 } }, (vvVec3){ 1, 0, 0.5 }));
    vvLedger before = vvWorld_GetLedger(world);
    double mass = vvFluid_GetParticleMass(fluid) * vvFluid_GetCount(fluid);
    CHECK_CLOSE(mass, 1, 1e-12);
    CHECK_NEAR(before.numerical, 0, 1e-12);
    for (int step = 0; step < 12; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    vvLedger after = vvWorld_GetLedger(world);
    CHECK_NEAR(after.momentum.x, mass, 1e-9);
    CHECK_NEAR(after.momentum.y, -mass * 9.81 * 0.2, 1e-9);
    // a substep falls g h^2 / 2 too far
    CHECK_NEAR(after.total, before.total, mass * 9.81 * 9.81 * 0.2 * STEP / 10);
    CHECK_NEAR(after.dissipated, 0, 1e-9);
    // gravity that changes is booked
    CHECK_OK(vvWorld_SetGravity(world, (vvVec3){ 0, 3, 0 }));
    vvLedger changed = vvWorld_GetLedger(world);
    CHECK_NEAR(changed.numerical, after.numerical, 1e-9);
    vvDestroyWorld(world);
}

// Energy only goes: what walls and smoothing take is dissipated, and the rest is what the numerics lose.
static void testEnergyOfASplash(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL, 1);
    addTank(world, 0.16);
    vvFluidId fluid = addFluid(world, 0.02);
    CHECK_OK(vvFluid_AddBox(fluid, (vvBox){ { 0, 0.2, 0 }, { 0.16, 0.4, 0.16 } }, (vvVec3){ 0, 0, 0 }));
    double mass = vvFluid_GetParticleMass(fluid) * vvFluid_GetCount(fluid), fall = mass * 9.81 * 0.2;
    for (int step = 0; step < 90; ++step)
    {
        CHECK_OK(vvWorld_Step(world, STEP));
        CHECK_BELOW(vvWorld_GetLedger(world).numerical, 0.05 * fall);
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_NEAR(ledger.gravity, mass * 9.81 * 0.1, 0.1 * fall);
    CHECK_BELOW(ledger.kinetic, 0.05 * fall);
    CHECK_BELOW(0, ledger.dissipated);
    vvDestroyWorld(world);
}

// No more is dissipated than is gone of the energy, and that is nearly all of it: of a block at rest on the floor, of
// one that collapses, and of one that nothing smooths. What the energy rises by above its lowest is numerical.
static void testNoMoreIsDissipatedThanIsGone(void **state)
{
    (void)state;
    for (int run = 0; run < 3; ++run)
    {
        vvWorldId world = makeWorld(NULL, 1);
        addTank(world, run == 1 ? 0.3 : 0.16);
        vvFluidDef def = vvDefaultFluidDef();
        def.spacing = 0.02;
        def.smoothing = run == 2 ? 0 : def.smoothing;
        vvFluidId fluid = vvCreateFluid(world, &def, NULL);
        CHECK_OK(vvFluid_AddBox(fluid, (vvBox){ { 0, 0, 0 }, { 0.16, 0.2, 0.16 } }, (vvVec3){ 0, 0, 0 }));
        double first = vvWorld_GetLedger(world).total, lowest = first, least = 0;
        for (int step = 0; step < 30; ++step)
        {
            CHECK_OK(vvWorld_Step(world, STEP));
            vvLedger ledger = vvWorld_GetLedger(world);
            lowest = fmin(lowest, ledger.total);
            CHECK_BELOW(ledger.dissipated, first - lowest + 1e-9 * first);
            least = fmin(least, ledger.numerical);
            CHECK_BELOW(ledger.total - lowest, ledger.numerical - least + 1e-9 * first);
        }
        // under its own weight it is compressed a little, which takes energy of gravity that nothing dissipates
        double squeezed = vvFluid_GetCompression(fluid) * first;
        CHECK_BELOW(0.9 * (first - lowest), vvWorld_GetLedger(world).dissipated + squeezed);
        vvDestroyWorld(world);
    }
}

// A wall that moves does work: the fluid that a piston carries along has its speed, and the books know from where.
static void testPiston(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = (vvVec3){ 0, 0, 0 };
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvColliderId piston = addCollider(world, makeShape(VV_SHAPE_BOX, (vvVec3){ 0, 1, 0 }, 0, 1), (vvVec3){ 0, 0, 0 });
    vvFluidId fluid = addFluid(world, 0.02);
    CHECK_OK(vvFluid_AddBox(fluid, (vvBox){ { 0.5, -0.1, -0.1 }, { 0.6, 0.1, 0.1 } }, (vvVec3){ 0, 0, 0 }));
    double mass = vvFluid_GetParticleMass(fluid) * vvFluid_GetCount(fluid), at = 0;
    for (int step = 0; step < 30; ++step)
    {
        at += 0.5 * STEP;
        CHECK_OK(vvCollider_MoveTo(piston, (vvVec3){ at, 0, 0 }, (vvQuat){ 1, 0, 0, 0 }));
        CHECK_OK(vvWorld_Step(world, STEP));
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_BELOW(0.45 * mass, ledger.momentum.x);
    // the work on what is taken along is p v
    CHECK_CLOSE(ledger.added, ledger.momentum.x * 0.5, 0.1);
    // what is not in the books is what smoothing took of the fluid that escapes to the sides
    CHECK_BELOW(fabs(ledger.numerical), 0.4 * ledger.added);
    vvDestroyWorld(world);
}

static void testEmittersAndDrains(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = (vvVec3){ 0, 0, 0 };
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvFluidId fluid = addFluid(world, 0.02);
    vvFluidEmitter jet = { { 0, 0, 0 }, { 2, 0, 0 }, 0.05, 1, 0 };
    CHECK_OK(vvFluid_AddEmitter(fluid, &jet));
    CHECK_OK(vvFluid_AddDrain(fluid, (vvBox){ { 0.5, -1, -1 }, { 2, 1, 1 } }));
    for (int step = 0; step < 30; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    // half a metre of a jet with 21 particles in a layer
    CHECK_NEAR(vvFluid_GetCount(fluid), 21 * 25, 25);
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_CLOSE(ledger.kinetic, vvFluid_GetCount(fluid) * vvFluid_GetParticleMass(fluid) / 2, 0.02);
    CHECK_NEAR(ledger.numerical, 0, 0.02 * ledger.kinetic);
    int before = vvFluid_GetCount(fluid);
    for (int step = 0; step < 60; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    CHECK_NEAR(vvFluid_GetCount(fluid), before, 45);
    // half the rate, then closed
    jet.rate = 21 * 0.02 * 0.02 * 0.5;
    CHECK_OK(vvFluid_SetEmitter(fluid, 0, &jet));
    for (int step = 0; step < 60; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    CHECK_NEAR(vvFluid_GetCount(fluid), before / 2, 45);
    jet.speed = 0;
    CHECK_OK(vvFluid_SetEmitter(fluid, 0, &jet));
    for (int step = 0; step < 60; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    // all but a few that collided and have nearly stopped
    CHECK_BELOW(vvFluid_GetCount(fluid), 20);
    assert_int_equal(vvFluid_GetEmitterCount(fluid), 1);
    assert_int_equal(vvFluid_GetDrainCount(fluid), 1);
    vvDestroyWorld(world);
}

// ---- states ---------------------------------------------------------------------------------------------------------

static void testSavedStateGoesOnWithTheSameBits(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL, 1), other = makeWorld(NULL, 2);
    vvFluidId fluid = makeScene(world), same = makeScene(other);
    for (int step = 0; step < 6; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    size_t size = vvWorld_GetStateSize(world);
    void *saved = test_malloc(size);
    CHECK_OK(vvWorld_SaveState(world, saved, size));
    for (int step = 0; step < 5; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    // into a world whose fluid has fewer particles, then into one that has more
    CHECK_OK(vvWorld_RestoreState(other, saved, size));
    for (int step = 0; step < 5; ++step)
        CHECK_OK(vvWorld_Step(other, STEP));
    assert_true(vvWorld_GetHash(other) == vvWorld_GetHash(world));
    assert_int_equal(vvFluid_GetCount(same), vvFluid_GetCount(fluid));
    CHECK_NEAR(vvWorld_GetLedger(other).target, vvWorld_GetLedger(world).target, 0);
    CHECK_OK(vvWorld_RestoreState(world, saved, size));
    for (int step = 0; step < 5; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    assert_true(vvWorld_GetHash(other) == vvWorld_GetHash(world));
    // one that is cut off is refused
    assert_int_equal(vvWorld_RestoreState(world, saved, size - 56).code, VV_BAD_INPUT);
    test_free(saved);
    vvDestroyWorld(world);
    vvDestroyWorld(other);
}

static void testFailedStepLeavesAllAsItWas(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL, 1);
    vvFluidId fluid = makeScene(world);
    CHECK_OK(vvWorld_Step(world, STEP));
    const double far[3] = { 1e40, 0, 0 };
    CHECK_OK(vvFluid_AddParticles(fluid, far, NULL, 1));
    uint64_t hash = vvWorld_GetHash(world);
    vvLedger before = vvWorld_GetLedger(world);
    assert_int_equal(vvWorld_Step(world, STEP).code, VV_DIVERGED);
    assert_true(vvWorld_GetHash(world) == hash);
    assert_true(vvWorld_GetLedger(world).target == before.target);
    vvDestroyWorld(world);
}

static void testNoAllocationAfterWarmUp(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL, 2);
    addTank(world, 0.3);
    vvFluidId fluid = addFluid(world, 0.02);
    CHECK_OK(vvFluid_AddBox(fluid, (vvBox){ { 0, 0, 0 }, { 0.2, 0.3, 0.2 } }, (vvVec3){ 0, 0, 0 }));
    CHECK_OK(vvWorld_Step(world, STEP));
    long long before = vvWorld_GetStatistics(world).allocationCount;
    for (int step = 0; step < 5; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    assert_true(vvWorld_GetStatistics(world).allocationCount == before);
    assert_int_equal(vvWorld_GetStatistics(world).particleCount, 1500);
    vvDestroyWorld(world);
}

// mean compression of a column at rest in its tank, after 0.5 s
static double compressionOf(int substeps, int iterations)
{
    vvWorldId world = makeWorld(NULL, 1);
    addTank(world, 0.12);
    vvFluidDef def = vvDefaultFluidDef();
    def.spacing = 0.02;
    def.substeps = def.maxSubsteps = substeps;
    def.iterations = iterations;
    def.maxDisplacement = 1;
    vvFluidId fluid = vvCreateFluid(world, &def, NULL);
    CHECK_OK(vvFluid_AddBox(fluid, (vvBox){ { 0, 0, 0 }, { 0.12, 0.4, 0.12 } }, (vvVec3){ 0, 0, 0 }));
    for (int step = 0; step < 30; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    double compression = vvFluid_GetCompression(fluid);
    vvDestroyWorld(world);
    return compression;
}

// Iterations make a fluid stiffer, substeps of the same work far stiffer (Macklin et al. 2019, section 6.4).
static void testIterations(void **state)
{
    (void)state;
    double once = compressionOf(1, 1), iterated = compressionOf(1, 10), divided = compressionOf(10, 1);
    print_message("compression 1 x 1 %.3g, 1 x 10 %.3g, 10 x 1 %.3g\n", once, iterated, divided);
    CHECK_BELOW(1.5 * iterated, once);
    CHECK_BELOW(2 * divided, iterated);
}

static void testBadInputIsRefused(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL, 1);
    vvFluidDef def = vvDefaultFluidDef();
    vvResult result;
    assert_int_equal(def.iterations, 1);
    def.iterations = 0;
    assert_false(vvFluid_IsValid(vvCreateFluid(world, &def, &result)));
    assert_int_equal(result.code, VV_BAD_INPUT);
    def = vvDefaultFluidDef();
    def.spacing = 0;
    assert_false(vvFluid_IsValid(vvCreateFluid(world, &def, &result)));
    assert_int_equal(result.code, VV_BAD_INPUT);
    def = (vvFluidDef){ 0 };
    assert_false(vvFluid_IsValid(vvCreateFluid(world, &def, &result)));
    vvFluidId fluid = addFluid(world, 0.02);
    vvBox turned = { { 1, 0, 0 }, { 0, 1, 1 } }, large = { { 0, 0, 0 }, { 1, 1, 1 } };
    assert_int_equal(vvFluid_AddBox(fluid, turned, (vvVec3){ 0, 0, 0 }).code, VV_BAD_INPUT);
    assert_int_equal(vvFluid_AddBox(fluid, large, (vvVec3){ NAN, 0, 0 }).code, VV_BAD_INPUT);
    assert_int_equal(vvFluid_AddBox(fluid, large, (vvVec3){ 0, 0, 0 }).code, VV_LIMIT);
    assert_int_equal(vvFluid_AddParticles(fluid, NULL, NULL, 1).code, VV_BAD_INPUT);
    assert_int_equal(vvFluid_SetEmitter(fluid, 0, NULL).code, VV_BAD_INPUT);
    assert_int_equal(vvFluid_GetCount(fluid), 0);
    CHECK_OK(vvWorld_Step(world, STEP));
    vvFluidId listed[2];
    assert_int_equal(vvWorld_GetFluids(world, listed, 2), 1);
    assert_true(vvStoreFluidId(listed[0]) == vvStoreFluidId(fluid));
    vvDestroyFluid(fluid);
    assert_false(vvFluid_IsValid(fluid));
    assert_int_equal(vvFluid_AddDrain(fluid, large).code, VV_BAD_ID);
    vvDestroyWorld(world);
}

static void testSurfaceOfAFluid(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(NULL, 1);
    vvFluidId fluid = addFluid(world, 0.02);
    vvFluidSurface surface;
    CHECK_OK(vvFluid_MakeSurface(fluid, &surface));
    assert_int_equal(surface.triangleCount, 0);
    CHECK_OK(vvFluid_AddBox(fluid, (vvBox){ { 0, 0, 0 }, { 0.2, 0.2, 0.2 } }, (vvVec3){ 0, 0, 0 }));
    uint64_t hash = vvWorld_GetHash(world);
    CHECK_OK(vvFluid_MakeSurface(fluid, &surface));
    double volume = 0;
    for (int t = 0; t < surface.triangleCount; ++t)
    {
        Vec3 x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = vecLoad(surface.points + 3 * (ptrdiff_t)surface.triangles[3 * t + k]);
        volume += vecDot(x[0], vecCross(x[1], x[2])) / 6;
    }
    CHECK_CLOSE(volume, 0.008, 0.05);
    assert_true(vvWorld_GetHash(world) == hash);
    assert_int_equal(vvFluid_MakeSurface(fluid, NULL).code, VV_BAD_INPUT);
    vvDestroyFluid(fluid);
    assert_true(vvFluid_MakeSurface(fluid, &surface).code != VV_OK && surface.points == NULL);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSameBitsUnderEveryMethodAndWorkerCount),
        cmocka_unit_test(testWallsKeepItIn),
        cmocka_unit_test(testNothingLeaksThroughAClosedMesh),
        cmocka_unit_test(testFreeFall),
        cmocka_unit_test(testEnergyOfASplash),
        cmocka_unit_test(testNoMoreIsDissipatedThanIsGone),
        cmocka_unit_test(testPiston),
        cmocka_unit_test(testEmittersAndDrains),
        cmocka_unit_test(testSavedStateGoesOnWithTheSameBits),
        cmocka_unit_test(testFailedStepLeavesAllAsItWas),
        cmocka_unit_test(testNoAllocationAfterWarmUp),
        cmocka_unit_test(testSurfaceOfAFluid),
        cmocka_unit_test(testIterations),
        cmocka_unit_test(testBadInputIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
