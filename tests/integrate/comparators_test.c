// The comparators of Bouaziz 2014, section 4: pbd (Gauss-Seidel) and pd-jacobi; and of Dinev 2018, Fig 1: energy as a
// constraint.
#include "world/scenes.h"
#include "undamped.h"

static vvWorldId solverWorld(const char *method, int iterations, bool symmetric, double gravity)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.gravity = (vvVec3){ 0, gravity, 0 };
    def.method = method;
    def.solver = "local-global";
    def.iterations = iterations;
    def.settings.smallSteps.symmetric = symmetric;
    def.substeps = 1;
    def.tolerance = 1e-14;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
    return world;
}

static vvSoftBodyId addBody(vvWorldId world, vvMesh *mesh, double stiffness)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.material = vvMaterial_Cotton();
    def.material.loss = 0;
    for (int i = 0; i < VV_EDGE_KINDS; ++i)
        def.springStiffness[i] = stiffness;
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    vvDestroyMesh(mesh);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
    return body;
}

static void take(vvWorldId world, double h)
{
    vvResult result = vvWorld_Step(world, h);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
}

// Figure 3: the middle of a rope whose two rigid segments cannot both reach the ends. Where is it after a step?
static double middleOf(const char *method, int iterations, bool symmetric)
{
    vvWorldId world = solverWorld(method, iterations, symmetric, 0);
    vvSoftBodyId rope = addBody(world, vvCreateRopeMesh(2, 2), 1e12);
    const double apart[9] = { -1.5, 0, 0, 0.2, 0, 0, 1.5, 0, 0 };
    int ends[2] = { 0, 2 };
    CHECK_OK(vvSoftBody_SetPositions(rope, apart));
    CHECK_OK(vvSoftBody_Pin(rope, ends, 2));
    take(world, 0.02);
    double x = vvSoftBody_GetPositions(rope)[3];
    vvDestroyWorld(world);
    return x;
}

static void infeasiblePairsOscillateUnderGaussSeidel(void **state)
{
    (void)state;
    const int iterations[] = { 2, 4, 8 };
    for (int k = 0; k < 3; ++k)
    {
        // the last projection wins: which one is last decides, however many there are. Rigid
        double forward = middleOf("pbd", iterations[k], false), backward = middleOf("pbd", iterations[k], true);
        CHECK_BELOW(0.8, fabs(forward - backward));
        CHECK_BELOW(0.4, fabs(forward));
    }
    // Jacobi and the global solve agree on the middle
    for (int k = 0; k < 3; ++k)
        CHECK_NEAR(middleOf("pd-jacobi", 10 * iterations[k], false), 0, 1e-4);
    CHECK_NEAR(middleOf("backward-euler", 20, false), 0, 1e-4);
}

static vvSoftBodyId hangCloth(vvWorldId world, double stiffness)
{
    vvSoftBodyId cloth = addBody(world, vvCreateSheetMesh(1, 1, 6, 6), stiffness);
    int corners[2] = { 0, 6 };
    CHECK_OK(vvSoftBody_Pin(cloth, corners, 2));
    return cloth;
}

static double largestDifference(vvSoftBodyId a, vvSoftBodyId b)
{
    double most = 0;
    for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(a); ++i)
        most = fmax(most, fabs(vvSoftBody_GetPositions(a)[i] - vvSoftBody_GetPositions(b)[i]));
    return most;
}

// Eq 13 is exact for a distance: after a step the one spring there is has its length, whatever its stiffness says
static void aProjectionIsExactForOneSpring(void **state)
{
    (void)state;
    for (int n = 1; n < 4; ++n)
    {
        vvWorldId world = solverWorld("pbd", n, false, -9.81);
        vvSoftBodyId rope = addBody(world, vvCreateRopeMesh(1, 1), 5);
        const double stretched[6] = { -0.5, 0, 0, 0.9, 0.1, 0 };
        CHECK_OK(vvSoftBody_SetPositions(rope, stretched));
        double before = vvSoftBody_GetMasses(rope)[0] * -0.5 + vvSoftBody_GetMasses(rope)[1] * 0.9;
        take(world, 0.02);
        const double *x = vvSoftBody_GetPositions(rope);
        double length = sqrt(pow(x[3] - x[0], 2) + pow(x[4] - x[1], 2) + pow(x[5] - x[2], 2));
        CHECK_NEAR(length, 1, 1e-7); // compliance is 1e-8 of the masses
        // by the masses: the centre has fallen and not moved sideways
        CHECK_NEAR(vvSoftBody_GetMasses(rope)[0] * x[0] + vvSoftBody_GetMasses(rope)[1] * x[3], before,
                   1e-12 * vvSoftBody_GetMasses(rope)[0]);
        vvDestroyWorld(world);
    }
}

// a hanging rope: what a sweep leaves of the weight is stretch, so that it hangs shorter with more iterations; the
// implicit step does not care
static void pbdStiffensWithIterations(void **state)
{
    (void)state;
    double sag[2][2];
    const char *const method[2] = { "pbd", "backward-euler" };
    for (int m = 0; m < 2; ++m)
    {
        for (int k = 0; k < 2; ++k)
        {
            vvWorldId world = solverWorld(method[m], k == 0 ? 2 : 40, false, -9.81);
            vvSoftBodyId rope = addBody(world, vvCreateRopeMesh(1, 10), 300);
            int top = 0;
            CHECK_OK(vvSoftBody_Pin(rope, &top, 1));
            double hanging[33] = { 0 };
            for (int v = 0; v < 11; ++v)
                hanging[3 * v + 1] = -0.1 * v;
            CHECK_OK(vvSoftBody_SetPositions(rope, hanging));
            for (int n = 0; n < 400; ++n)
                take(world, 0.02);
            sag[m][k] = -vvSoftBody_GetPositions(rope)[31] - 1;
            vvDestroyWorld(world);
        }
    }
    CHECK_BELOW(2, sag[0][0] / sag[0][1]);
    CHECK_NEAR(sag[1][0] / sag[1][1], 1, 1e-3); // settled: each step starts from the answer
}

static void jacobiFindsTheMinimumOfLocalGlobal(void **state)
{
    (void)state;
    vvWorldId a = solverWorld("pd-jacobi", 10000, false, -9.81), b = solverWorld("backward-euler", 5000, false, -9.81);
    vvSoftBodyId one = hangCloth(a, 40), other = hangCloth(b, 40);
    for (int n = 0; n < 5; ++n)
    {
        take(a, 0.02);
        take(b, 0.02);
    }
    CHECK_BELOW(largestDifference(one, other), 1e-7); // both stop at a residual near 1e-14 m; 5 steps of a soft cloth
    CHECK_BELOW(1e-3, -vvSoftBody_GetPositions(one)[3 * 48 + 1]);
    vvLedger x = vvWorld_GetLedger(a), y = vvWorld_GetLedger(b);
    CHECK_CLOSE(x.elastic, y.elastic, 1e-5);
    CHECK_CLOSE(x.momentum.y, y.momentum.y, 1e-5);
    vvDestroyWorld(a);
    vvDestroyWorld(b);
}

// Dinev 2018, Fig 1: cloth on two corners at a long step. Its energy stays where it was, whatever the solver; steps
// without a solution are few and do not gain; the motion is stuck, with most of the energy in springs.
static void multiplierKeepsTheEnergyOfCloth(void **state)
{
    (void)state;
    static const struct
    {
        const char *solver;
        int iterations;
    } rows[] = { { "newton", 0 }, { "local-global", 10 }, { "local-global", 50 } };
    for (int i = 0; i < 3; ++i)
    {
        vvWorldDef def = vvDefaultWorldDef();
        def.method = "energy-multiplier";
        def.solver = rows[i].solver;
        def.iterations = rows[i].iterations;
        vvResult result;
        vvWorldId world = vvCreateWorld(&def, &result);
        CHECK_OK(result);
        vvSoftBodyId body = addBody(world, vvCreateSheetMesh(1, 1, 14, 14), 200);
        const int pins[2] = { 0, 14 * 15 };
        CHECK_OK(vvSoftBody_Pin(body, pins, 2));
        double moved = 0, share = 0, opening = vvWorld_GetLedger(world).gravity;
        int failures = 0;
        for (int n = 0; n < 80; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 0.033));
            vvLedger now = vvWorld_GetLedger(world);
            vvStatistics statistics = vvWorld_GetStatistics(world);
            moved = fmax(moved, opening - now.gravity);
            failures += statistics.blendFailures;
            share += statistics.elasticShare / 80;
            CHECK_BELOW(fabs(now.numerical), 2e-6 * moved);
        }
        print_message("%s %d: %d failed, elastic share %.2f\n", rows[i].solver, rows[i].iterations, failures, share);
        assert_true(failures <= 20 && share > 0.3);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(infeasiblePairsOscillateUnderGaussSeidel),
        cmocka_unit_test(aProjectionIsExactForOneSpring),
        cmocka_unit_test(pbdStiffensWithIterations),
        cmocka_unit_test(jacobiFindsTheMinimumOfLocalGlobal),
        cmocka_unit_test(multiplierKeepsTheEnergyOfCloth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
