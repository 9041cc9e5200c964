// Rigid and soft bodies in fluids: what one gains the other loses, and what is lighter floats.
#include "refuse.h"
#include "vessel.h"
#include "undamped.h"

#include <limits.h>
#include <stdlib.h>

#define STEP (1 / 60.0)
#define SPACING 0.02 // m

static vvShape *makeShape(vvShapeKind kind, vvVec3 size)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = kind;
    def.size = size;
    def.radius = size.x / 2;
    return vvCreateShape(&def, NULL);
}

static vvRigidBodyId addBody(vvWorldId world, vvShapeKind kind, vvVec3 size, double density, vvVec3 position)
{
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = makeShape(kind, size);
    def.density = density;
    def.position = position;
    def.spin = (vvVec3){ 0, 0, 0 };
    vvResult result;
    vvRigidBodyId body = vvCreateRigidBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    return body;
}

static vvWorldId makeWorld(double gravity, int threads)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.gravity = (vvVec3){ 0, -gravity, 0 };
    def.threads = threads;
    return vvCreateWorld(&def, NULL);
}

// from 0 to `edge` in x and z, filled up to `height`
static vvFluidId addPool(vvWorldId world, double edge, double height)
{
    const vvVec3 normal[5] = { { 0, 1, 0 }, { 1, 0, 0 }, { -1, 0, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    for (int i = 0; i < 5; ++i)
    {
        vvShapeDef shapeDef = vvDefaultShapeDef();
        shapeDef.kind = VV_SHAPE_PLANE;
        shapeDef.normal = normal[i];
        shapeDef.offset = i == 2 || i == 4 ? -edge : 0;
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = vvCreateShape(&shapeDef, NULL);
        vvCreateCollider(world, &def, NULL);
        vvDestroyShape(def.shape);
    }
    vvFluidDef def = vvDefaultFluidDef();
    def.spacing = SPACING;
    vvFluidId fluid = vvCreateFluid(world, &def, NULL);
    CHECK_OK(vvFluid_AddBox(fluid, (vvBox){ { 0, 0, 0 }, { edge, height, edge } }, (vvVec3){ 0, 0, 0 }));
    return fluid;
}

static double apart(vvVec3 a, vvVec3 b)
{
    return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z);
}

// ---- momenta --------------------------------------------------------------------------------------------------------

// Particles too far from each other to meet: all that changes is what they and the body give each other.
static void testDropsKeepBothMomenta(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(0, 1);
    vvFluidDef def = vvDefaultFluidDef();
    vvFluidId fluid = vvCreateFluid(world, &def, NULL);
    vvRigidBodyId body = addBody(world, VV_SHAPE_BOX, (vvVec3){ 0.3, 0.06, 0.2 }, 500, (vvVec3){ 1, 0.03, -0.02 });
    CHECK_OK(vvRigidBody_SetSpin(body, (vvVec3){ 1, -2, 3 }));
    for (int i = 0; i < 30; ++i)
    {
        double x = 0.88 + 0.05 * (i % 6), z = -0.1 + 0.05 * (i / 6);
        vvBox box = { { x, 0.09, z }, { x + 0.02, 0.11, z + 0.02 } };
        CHECK_OK(vvFluid_AddBox(fluid, box, (vvVec3){ 0.2, -0.8, 0.1 }));
    }
    assert_int_equal(vvFluid_GetCount(fluid), 30);
    vvLedger before = vvWorld_GetLedger(world);
    for (int step = 0; step < 22; ++step) // from step 23 on some drops meet
        CHECK_OK(vvWorld_Step(world, STEP));
    vvLedger after = vvWorld_GetLedger(world);
    double mass = vvRigidBody_GetMass(body),
           exchanged = mass * apart(vvRigidBody_GetVelocity(body), (vvVec3){ 0, 0, 0 });
    CHECK_BELOW(0.05, exchanged);
    CHECK_BELOW(apart(after.momentum, before.momentum), 1e-12 * exchanged);
    CHECK_BELOW(apart(after.angularMomentum, before.angularMomentum), 1e-12 * exchanged);
    CHECK_BELOW(0, after.dissipated);
    vvDestroyWorld(world);
}

// A block of water hits plates, down to what weighs a tenth of the layer that hits it: momentum stays (fields of the
// fluid are floats), and nothing
// gains energy.
static void testPlatesOfAllWeights(void **state)
{
    (void)state;
    const double densities[] = { 20, 100, 1000, 8000 };
    for (int i = 0; i < 4; ++i)
    {
        vvWorldId world = makeWorld(0, 1);
        vvFluidDef def = vvDefaultFluidDef();
        vvFluidId fluid = vvCreateFluid(world, &def, NULL);
        vvBox box = { { -0.06, 0.04, -0.06 }, { 0.06, 0.12, 0.06 } };
        CHECK_OK(vvFluid_AddBox(fluid, box, (vvVec3){ 0.1, -0.6, 0 }));
        vvVec3 size = { 0.16, 0.04, 0.1 };
        vvRigidBodyId body = addBody(world, VV_SHAPE_BOX, size, densities[i], (vvVec3){ 0.02, 0, 0.01 });
        vvLedger before = vvWorld_GetLedger(world);
        for (int step = 0; step < 20; ++step)
            CHECK_OK(vvWorld_Step(world, STEP));
        vvLedger after = vvWorld_GetLedger(world);
        CHECK_BELOW(vvRigidBody_GetVelocity(body).y, -0.01);
        CHECK_BELOW(apart(after.momentum, before.momentum), 3e-8 * before.kinetic);
        CHECK_BELOW(after.kinetic, before.kinetic);
        vvDestroyWorld(world);
    }
}

// ---- buoyancy -------------------------------------------------------------------------------------------------------

// height of the middle of a body that is put on the water, mean of the last half of a second
static double restingHeight(vvShapeKind kind, vvVec3 size, double density, double edge, double depth)
{
    vvWorldId world = makeWorld(9.81, 1);
    addPool(world, edge, depth);
    vvVec3 at = { edge / 2, depth + size.y / 2, edge / 2 };
    vvRigidBodyId body = addBody(world, kind, size, density, at);
    double sum = 0;
    for (int step = 0; step < 70; ++step)
    {
        CHECK_OK(vvWorld_Step(world, STEP));
        sum += step >= 40 ? vvRigidBody_GetPose(body).position.y / 30 : 0;
    }
    vvDestroyWorld(world);
    return sum;
}

// to a tenth of the height; light ones to a tenth of a spacing more
static void testBoxesFloatAtTheirDensity(void **state)
{
    (void)state;
    double edge = 0.18, depth = 0.1;
    vvVec3 size = { 0.12, 0.06, 0.12 };
    const double densities[] = { 100, 600 };
    for (int i = 0; i < 2; ++i)
    {
        double share = densities[i] / 1000, y = restingHeight(VV_SHAPE_BOX, size, densities[i], edge, depth);
        double level = depth + share * size.x * size.y * size.z / (edge * edge), draught = level - y + size.y / 2;
        CHECK_NEAR(draught / size.y, share, 0.1);
    }
}

static void testBallFloats(void **state)
{
    (void)state;
    double edge = 0.18, depth = 0.12, d = 0.12, volume = 3.14159265358979 / 6 * d * d * d;
    double y = restingHeight(VV_SHAPE_SPHERE, (vvVec3){ d, d, d }, 500, edge, depth);
    CHECK_NEAR(y, depth + volume / 2 / (edge * edge), 0.1 * d);
}

// N, what a joint carries of a body under water
static double heldWeight(double density)
{
    vvWorldId world = makeWorld(9.81, 1);
    addPool(world, 0.24, 0.2);
    vvVec3 at = { 0.12, 0.1, 0.12 }, size = { 0.1, 0.1, 0.1 };
    vvRigidBodyId body = addBody(world, VV_SHAPE_BOX, size, density, at);
    vvJointDef def = vvDefaultJointDef();
    def.kind = VV_JOINT_FIXED;
    def.bodyB = body;
    vvJointDef_Place(&def, at, (vvVec3){ 0, 1, 0 });
    vvJointId joint = vvCreateJoint(world, &def, NULL);
    double sum = 0;
    for (int step = 0; step < 70; ++step)
    {
        CHECK_OK(vvWorld_Step(world, STEP));
        sum += step >= 30 ? vvJoint_GetForce(joint).y / 40 : 0;
    }
    vvDestroyWorld(world);
    return sum;
}

// water brakes what spins, of half and of twice its density: nothing else would
static void testBallsStopSpinning(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(9.81, 1);
    addPool(world, 0.24, 0.16);
    vvRigidBodyId ball[2];
    for (int i = 0; i < 2; ++i)
    {
        vvVec3 place = { 0.07 + 0.1 * i, 0.08, 0.12 };
        ball[i] = addBody(world, VV_SHAPE_SPHERE, (vvVec3){ 0.06, 0.06, 0.06 }, i ? 2000 : 500, place);
        CHECK_OK(vvRigidBody_SetSpin(ball[i], (vvVec3){ 20, 30, -50 }));
    }
    for (int step = 0; step < 20; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    for (int i = 0; i < 2; ++i)
        CHECK_BELOW(apart(vvRigidBody_GetSpin(ball[i]), (vvVec3){ 0, 0, 0 }), 15);
    vvDestroyWorld(world);
}

static void testWeightUnderWater(void **state)
{
    (void)state;
    CHECK_NEAR(heldWeight(2000) / (9.81 * 0.001 * 2000), 0.5, 0.1);
}

// ---- soft solids ----------------------------------------------------------------------------------------------------

static vvSoftBodyId addSoft(vvWorldId world, vvVec3 size, double density, vvVec3 position)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = vvCreateBoxMesh(size, 3, 2, 3);
    def.material.density = density;
    def.material.young = 1e5;
    def.position = position;
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
    return body;
}

static void testSoftBoxFloats(void **state)
{
    (void)state;
    double edge = 0.18, depth = 0.1, sum = 0;
    vvWorldId world = makeWorld(9.81, 1);
    addPool(world, edge, depth);
    vvVec3 size = { 0.12, 0.06, 0.12 };
    vvSoftBodyId body = addSoft(world, size, 500, (vvVec3){ edge / 2, depth + size.y / 2, edge / 2 });
    for (int step = 0; step < 90; ++step)
    {
        CHECK_OK(vvWorld_Step(world, STEP));
        sum += step >= 50 ? vvSoftBody_GetCentreOfMass(body).y / 40 : 0;
    }
    double level = depth + 0.5 * size.x * size.y * size.z / (edge * edge);
    CHECK_NEAR((level - sum + size.y / 2) / size.y, 0.5, 0.1);
    vvDestroyWorld(world);
}

// Water and a soft box in the void hit each other and part: momentum stays, to the floats of the fluid.
static void testSoftBoxKeepsMomentum(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(0, 1);
    vvFluidDef def = vvDefaultFluidDef();
    vvFluidId fluid = vvCreateFluid(world, &def, NULL);
    vvBox box = { { -0.06, -0.1, -0.06 }, { 0.06, -0.02, 0.06 } };
    CHECK_OK(vvFluid_AddBox(fluid, box, (vvVec3){ 0, 0.6, 0.1 }));
    vvSoftBodyId body = addSoft(world, (vvVec3){ 0.12, 0.06, 0.12 }, 500, (vvVec3){ 0.01, 0.04, 0 });
    vvLedger before = vvWorld_GetLedger(world);
    for (int step = 0; step < 30; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    vvLedger after = vvWorld_GetLedger(world);
    CHECK_BELOW(0.1, vvSoftBody_GetMomentum(body).y);
    CHECK_BELOW(apart(after.momentum, before.momentum), 3e-8 * vvSoftBody_GetMomentum(body).y);
    CHECK_BELOW(after.kinetic, before.kinetic);
    vvDestroyWorld(world);
}

// ---- the same for everyone ------------------------------------------------------------------------------------------

static vvWorldId makeCrowd(int threads)
{
    vvWorldId world = makeWorld(9.81, threads);
    vvFluidId fluid = addPool(world, 0.24, 0.16);
    assert_true(vvFluid_GetCount(fluid) > 1024);
    for (int i = 0; i < 4; ++i)
    {
        vvVec3 size = { 0.08, 0.05, 0.06 }, at = { 0.07 + 0.1 * (i % 2), 0.17, 0.07 + 0.1 * (i / 2) };
        if (i < 3)
            addBody(world, i % 3 == 0 ? VV_SHAPE_BOX : VV_SHAPE_SPHERE, size, 300 + 400 * i, at);
        else
            addSoft(world, size, 300, at);
    }
    return world;
}

static void testSameBitsForAnyNumberOfWorkers(void **state)
{
    (void)state;
    uint64_t first = 0;
    const int threads[] = { 1, 2, 3, 7 };
    for (int t = 0; t < 4; ++t)
    {
        vvWorldId world = makeCrowd(threads[t]);
        for (int step = 0; step < 4; ++step)
            CHECK_OK(vvWorld_Step(world, STEP));
        uint64_t hash = vvWorld_GetHash(world);
        first = t == 0 ? hash : first;
        assert_true(hash == first);
        vvDestroyWorld(world);
    }
}

// A state that is loaded goes on with the same bits.
static void testSavedState(void **state)
{
    (void)state;
    vvWorldId world = makeCrowd(1), other = makeCrowd(2);
    for (int step = 0; step < 4; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    size_t size = vvWorld_GetStateSize(world);
    void *bytes = malloc(size);
    CHECK_OK(vvWorld_SaveState(world, bytes, size));
    CHECK_OK(vvWorld_RestoreState(other, bytes, size));
    assert_true(vvWorld_GetHash(world) == vvWorld_GetHash(other));
    for (int step = 0; step < 2; ++step)
    {
        CHECK_OK(vvWorld_Step(world, STEP));
        CHECK_OK(vvWorld_Step(other, STEP));
    }
    assert_true(vvWorld_GetHash(world) == vvWorld_GetHash(other));
    free(bytes);
    vvDestroyWorld(world);
    vvDestroyWorld(other);
}

// a fluid that is made and stepped among a rigid and a soft body, with so many requests for memory granted
static vvResult makeAndStep(vvWorldId world, int *left, int granted)
{
    vvFluidDef def = vvDefaultFluidDef();
    vvResult result;
    *left = granted;
    vvFluidId fluid = vvCreateFluid(world, &def, &result);
    if (result.code == VV_OK)
        result = vvFluid_AddBox(fluid, (vvBox){ { 0, 0, 0 }, { 0.1, 0.06, 0.1 } }, (vvVec3){ 0, 0, 0 });
    uint64_t hash = vvWorld_GetHash(world);
    if (result.code == VV_OK)
    {
        result = vvWorld_Step(world, STEP);
        if (result.code != VV_OK)
            assert_true(vvWorld_GetHash(world) == hash);
    }
    *left = INT_MAX;
    if (result.code != VV_OK)
        vvDestroyFluid(fluid);
    return result;
}

// Requests for memory refused, one at a time (every 13th; all in make soak): nothing is left half done, and it goes
// on as if nothing had been.
static void testWithoutMemory(void **state)
{
    (void)state;
    int left = INT_MAX, apartBy = sliceOf(13);
    uint64_t want = 0;
    for (int granted = INT_MAX;; granted = granted == INT_MAX ? 0 : granted + apartBy)
    {
        vvWorldDef def = vvDefaultWorldDef();
        def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
        vvWorldId world = vvCreateWorld(&def, NULL);
        addBody(world, VV_SHAPE_BOX, (vvVec3){ 0.04, 0.04, 0.04 }, 500, (vvVec3){ 0.02, 0.09, 0.02 });
        addSoft(world, (vvVec3){ 0.04, 0.04, 0.04 }, 500, (vvVec3){ 0.07, 0.09, 0.07 });
        vvResult result = makeAndStep(world, &left, granted);
        bool done = result.code == VV_OK && granted < INT_MAX;
        if (result.code != VV_OK)
        {
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
            CHECK_OK(makeAndStep(world, &left, INT_MAX));
        }
        want = granted == INT_MAX ? vvWorld_GetHash(world) : want;
        assert_true(vvWorld_GetHash(world) == want);
        vvDestroyWorld(world);
        if (done)
            break;
    }
}

// A body made where there is water drives it out without throwing it.
static void testNothingExplodes(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(9.81, 1);
    vvFluidId fluid = addPool(world, 0.2, 0.16);
    addBody(world, VV_SHAPE_BOX, (vvVec3){ 0.08, 0.08, 0.08 }, 1000, (vvVec3){ 0.1, 0.08, 0.1 });
    for (int step = 0; step < 30; ++step)
        CHECK_OK(vvWorld_Step(world, STEP));
    const double *x = vvFluid_GetPositions(fluid);
    for (int i = 0; i < vvFluid_GetCount(fluid); ++i)
        CHECK_BELOW(x[3 * i + 1], 0.5);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testDropsKeepBothMomenta),
        cmocka_unit_test(testPlatesOfAllWeights),
        cmocka_unit_test(testBoxesFloatAtTheirDensity),
        cmocka_unit_test(testBallFloats),
        cmocka_unit_test(testBallsStopSpinning),
        cmocka_unit_test(testWeightUnderWater),
        cmocka_unit_test(testSoftBoxFloats),
        cmocka_unit_test(testSoftBoxKeepsMomentum),
        cmocka_unit_test(testSameBitsForAnyNumberOfWorkers),
        cmocka_unit_test(testSavedState),
        cmocka_unit_test(testWithoutMemory),
        cmocka_unit_test(testNothingExplodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
