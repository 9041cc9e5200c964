// Reference numbers of an independent implementation: whole scenes, to the digits it printed.
#include "world/scenes.h"
#include "undamped.h"

static const vvVec3 none = { 0, 0, 0 };

// kinetic energy and angular momentum of the spinning cube with lumped masses: printed to 4 decimals
static void cubeStartsWithItsEnergy(void **unused)
{
    (void)unused;
    static const struct
    {
        int cells;
        double energy, angular;
    } rows[] = {
        { 2, 19738.0445, 0 }, { 3, 16082.8511, 0 }, { 4, 14803.5334, 2356.1250 }, { 6, 13889.7350, 2210.6852 }
    };
    for (int i = 0; i < 4; ++i)
    {
        vvWorldId world = makeWorld("implicit-midpoint", none);
        spinningCube(world, rows[i].cells, 1e4, 12.566);
        vvLedger ledger = vvWorld_GetLedger(world);
        CHECK_NEAR(ledger.total, rows[i].energy, 6e-5); // half a unit of the last digit, and a little
        CHECK_CLOSE(ledger.kinetic, ledger.total, 1e-12);
        if (rows[i].angular > 0)
            CHECK_NEAR(ledger.angularMomentum.z, rows[i].angular, 6e-5);
        vvDestroyWorld(world);
    }
}

// backward Euler, 4 cells, 100 steps of 0.033 s: smooth and reproducible, +-2 %
static void backwardEulerCheckpoints(void **unused)
{
    (void)unused;
    static const struct
    {
        double young, energy, angular;
    } rows[] = { { 1e4, 0.0465, 0.2231 }, { 1e5, 0.0301, 0.1738 }, { 1e6, 0.0285, 0.1687 } };
    for (int i = 0; i < 3; ++i)
    {
        vvWorldId world = makeWorld("backward-euler", none);
        spinningCube(world, 4, rows[i].young, 12.566);
        vvLedger before = vvWorld_GetLedger(world);
        for (int n = 0; n < 100; ++n)
            CHECK_OK(vvWorld_Step(world, 0.033));
        vvLedger after = vvWorld_GetLedger(world);
        CHECK_CLOSE(after.total / before.total, rows[i].energy, 0.02);
        CHECK_CLOSE(after.angularMomentum.z / before.angularMomentum.z, rows[i].angular, 0.02);
        CHECK_NEAR(after.numerical, after.total - before.total, 1e-9 * before.total); // nothing was added
        vvDestroyWorld(world);
    }
}

// bar .5 x 2 x .5 hanging by springs from its top face, released at rest: mean displacement of the bottom face
static void hangingBar(const char *method, int count, const int *frames, const double *displacements, double tolerance,
                       double *numerical)
{
    vvWorldId world = makeWorld(method, (vvVec3){ 0, -9.81, 0 });
    vvSoftBodyId bar = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.5, 2, 0.5 }, 3, 12, 3), elasticDef(1000, 1.6e4, 0));
    int top[16], bottom[16];
    assert_int_equal(vvSoftBody_FindVertices(bar, planeBox(1, 1, 1e-6), top, 16), 16);
    assert_int_equal(vvSoftBody_FindVertices(bar, planeBox(1, -1, 1e-6), bottom, 16), 16);
    for (int i = 0; i < 16; ++i)
        attachToPoint(world, bar, top[i], 1e6);
    double start = meanCoordinate(bar, bottom, 16, 1);
    for (int frame = 1, next = 0; next < count; ++frame)
    {
        CHECK_OK(vvWorld_Step(world, 0.033));
        if (frame == frames[next])
        {
            CHECK_NEAR(meanCoordinate(bar, bottom, 16, 1) - start, displacements[next], tolerance);
            next += 1;
        }
    }
    *numerical = vvWorld_GetLedger(world).numerical;
    vvDestroyWorld(world);
}

static void hangingBarKeepsSwinging(void **unused)
{
    (void)unused;
    static const int frames[] = { 30, 61, 91, 121, 181, 242 };
    static const double displacements[] = { -2.4505, 0.0012, -2.4418, -0.0099, 0.0071, 0.0302 };
    double numerical;
    hangingBar("implicit-midpoint", 6, frames, displacements, 1.5e-4, &numerical);
    CHECK_BELOW(fabs(numerical), 5e-7 * 8000); // of the 8 kJ that are exchanged
}

static void hangingBarDiesUnderBackwardEuler(void **unused)
{
    (void)unused;
    static const int frames[] = { 30, 60, 91, 121, 182, 243 };
    static const double displacements[] = { -2.2925, -0.3131, -2.0041, -0.5647, -0.748, -0.8805 };
    double numerical;
    hangingBar("backward-euler", 6, frames, displacements, 6e-4, &numerical);
    CHECK_BELOW(numerical, -1000);
}

// squared spring of Dinev 2018, Figs 2 and 3: first five midpoint states at h = 0.033, chaotic afterwards
static void squaredSpringUnderMidpoint(void **unused)
{
    (void)unused;
    static const double lengths[] = { 0.539181, 2.366845, 0.342994, 1.695823, 3.695290 };
    static const double energies[] = { 0.33382958, 13.58749, 0.73603233, 2.3673865, 102.52453 };
    vvWorldId world = makeWorld("implicit-midpoint", none);
    vvSoftBodyDef def = undampedDef();
    def.model = "squared-spring";
    def.springStiffness[VV_EDGE_STRUCTURAL] = 4e5; // the paper's k is a quarter of the stiffness at rest
    def.material.density = 1 / (3.14159265358979323846 / 4 * 0.01 * 0.01); // 1 kg for the two ends of the metre
    def.material.thickness = 0.01;
    vvSoftBodyId spring = makeBody(world, vvCreateRopeMesh(1, 1), def);
    int pinned = 0;
    CHECK_OK(vvSoftBody_Pin(spring, &pinned, 1));
    CHECK_OK(vvSoftBody_SetPositions(spring, (const double[]){ 0, 0, 0, 1.5, 0, 0 }));
    CHECK_OK(vvSoftBody_SetVelocities(spring, (const double[]){ 0, 0, 0, 0, 10, 0 }));
    vvLedger start = vvWorld_GetLedger(world);
    CHECK_CLOSE(start.total, 78150, 1e-12);
    for (int n = 0; n < 5; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 0.033));
        vvVec3 x = vertexPosition(spring, 1);
        CHECK_NEAR(sqrt(x.x * x.x + x.y * x.y), lengths[n], 1e-5);
        vvLedger ledger = vvWorld_GetLedger(world);
        CHECK_CLOSE(ledger.total / start.total, energies[n], 1e-5);
        CHECK_NEAR(ledger.angularMomentum.z, 7.5, 7.5e-8);
        if (n == 0)
        {
            const double *v = vvSoftBody_GetVelocities(spring) + 3;
            CHECK_NEAR(x.x, 0.492618, 1e-5);
            CHECK_NEAR(x.y, 0.219188, 1e-5);
            CHECK_NEAR(v[0], -61.05346, 1e-4);
            CHECK_NEAR(v[1], 3.28412, 1e-4);
        }
    }
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubeStartsWithItsEnergy),    cmocka_unit_test(backwardEulerCheckpoints),
        cmocka_unit_test(hangingBarKeepsSwinging),    cmocka_unit_test(hangingBarDiesUnderBackwardEuler),
        cmocka_unit_test(squaredSpringUnderMidpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
