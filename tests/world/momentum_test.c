// Momentum of free bodies: linear for every method, angular for the converged midpoint rule.
#include "methods.h"
#include "world/scenes.h"

// a lopsided free body in violent motion: spin, stretch and a push
static vvSoftBodyId tumbler(vvWorldId world, vvMesh *mesh, double poisson)
{
    vvSoftBodyDef def = elasticDef(1000, 2e4, poisson);
    def.spin = (vvVec3){ 3, -2, 6 };
    def.velocity = (vvVec3){ 1, 2, -0.5 };
    def.position = (vvVec3){ 5, -3, 2 };
    vvSoftBodyId body = makeBody(world, mesh, def);
    int count = vvSoftBody_GetVertexCount(body);
    double *x = test_malloc((size_t)count * 3 * sizeof(double));
    const double *now = vvSoftBody_GetPositions(body);
    TestRandom random = { 7 };
    for (int i = 0; i < 3 * count; ++i)
        x[i] = now[i] + randomBetween(&random, -0.03, 0.03);
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    test_free(x);
    return body;
}

static double momentumScale(vvSoftBodyId body)
{
    const double *v = vvSoftBody_GetVelocities(body), *m = vvSoftBody_GetMasses(body);
    double sum = 0;
    for (int i = 0; i < vvSoftBody_GetVertexCount(body); ++i)
        sum += m[i] * sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]);
    return sum;
}

static void linearMomentumHolds(void **unused)
{
    (void)unused;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        if (!keepsMomentum(vvGetMethodName(m)))
            continue;
        vvWorldId world = makeWorld(vvGetMethodName(m), (vvVec3){ 0, 0, 0 });
        vvSoftBodyId body = tumbler(world, vvCreateBoxMesh((vvVec3){ 1, 0.5, 0.3 }, 4, 2, 2), 0.3);
        double h = stepFor(vvGetMethodName(m), 0.02, 1e-3);
        vvLedger before = vvWorld_GetLedger(world);
        double scale = momentumScale(body);
        for (int n = 0; n < 100; ++n)
            CHECK_OK(vvWorld_Step(world, h));
        vvLedger after = vvWorld_GetLedger(world);
        CHECK_NEAR(after.momentum.x, before.momentum.x, 1e-9 * scale);
        CHECK_NEAR(after.momentum.y, before.momentum.y, 1e-9 * scale);
        CHECK_NEAR(after.momentum.z, before.momentum.z, 1e-9 * scale);
        vvDestroyWorld(world);
    }
}

// momentum follows gravity exactly: dP = m g t for every method
static void gravityIsTheOnlyForce(void **unused)
{
    (void)unused;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        if (!keepsMomentum(vvGetMethodName(m)))
            continue;
        vvWorldId world = makeWorld(vvGetMethodName(m), (vvVec3){ 0.5, -9.81, 0 });
        vvSoftBodyId body = tumbler(world, vvCreateSphereMesh(0.5, 2), 0.45);
        vvLedger before = vvWorld_GetLedger(world);
        double scale = momentumScale(body), mass = vvSoftBody_GetMass(body);
        for (int n = 0; n < 50; ++n)
            CHECK_OK(vvWorld_Step(world, 1e-3));
        vvLedger after = vvWorld_GetLedger(world);
        CHECK_NEAR(after.momentum.x - before.momentum.x, 0.5 * mass * 0.05, 1e-9 * scale);
        CHECK_NEAR(after.momentum.y - before.momentum.y, -9.81 * mass * 0.05, 1e-9 * scale);
        vvDestroyWorld(world);
    }
}

static void midpointKeepsAngularMomentum(void **unused)
{
    (void)unused;
    for (int kind = 0; kind < 2; ++kind)
    {
        vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
        vvMesh *mesh = kind == 0 ? vvCreateBoxMesh((vvVec3){ 1, 0.5, 0.3 }, 4, 2, 2) : vvCreateSheetMesh(1, 1, 5, 5);
        tumbler(world, mesh, 0.3);
        vvLedger before = vvWorld_GetLedger(world);
        vvVec3 l = before.angularMomentum;
        double scale = sqrt(l.x * l.x + l.y * l.y + l.z * l.z);
        for (int n = 0; n < 100; ++n)
        {
            CHECK_OK(vvWorld_Step(world, kind == 0 ? 0.02 : 1e-4));
            assert_true(vvWorld_GetStatistics(world).converged);
        }
        vvLedger after = vvWorld_GetLedger(world);
        CHECK_NEAR(after.angularMomentum.x, l.x, 1e-8 * scale);
        CHECK_NEAR(after.angularMomentum.y, l.y, 1e-8 * scale);
        CHECK_NEAR(after.angularMomentum.z, l.z, 1e-8 * scale);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linearMomentumHolds),
        cmocka_unit_test(gravityIsTheOnlyForce),
        cmocka_unit_test(midpointKeepsAngularMomentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
