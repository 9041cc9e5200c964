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

typedef struct Inside
{
    const char *method, *solver, *model;
    double pressure, shapeStiffness;
    bool joined;
    double tolerance; // of the sum of all momenta
    bool wild;        // stiff, and ten times the spin
} Inside;

// a lopsided pair or one of it; returns by how much its momentum misses that of gravity, as a share
static double missOf(const Inside *inside)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = inside->method;
    worldDef.solver = inside->solver;
    vvResult result;
    vvWorldId world = vvCreateWorld(&worldDef, &result);
    CHECK_OK(result);
    vvSoftBodyId body[2];
    double mass = 0;
    for (int i = 0; i < 1 + inside->joined; ++i)
    {
        vvSoftBodyDef def = elasticDef(100, inside->wild ? 1e6 : 1e4, 0.3);
        def.model = inside->model;
        def.pressure = inside->pressure;
        def.shapeStiffness = inside->shapeStiffness;
        def.position = (vvVec3){ i, 0.1 * i, 0 };
        def.spin = inside->wild ? (vvVec3){ 30, -20, 10 } : (vvVec3){ 3, -2, 1 };
        body[i] = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.3, 0.2 + 0.1 * i }, 2, 1 + i, 1), def);
        CHECK_OK(vvSoftBody_SetForce(body[i], 0, (vvVec3){ 20, 10 * i, 0 })); // off its middle
        mass += vvSoftBody_GetMass(body[i]);
    }
    vvAttachmentDef link = vvDefaultAttachmentDef();
    link.bodyA = body[0];
    link.bodyB = body[1];
    link.stiffness = 100;
    if (inside->joined)
        vvCreateAttachment(world, &link, &result);
    CHECK_OK(result);
    vvVec3 before = vvWorld_GetLedger(world).momentum;
    for (int n = 0; n < 30; ++n)
        CHECK_OK(vvWorld_Step(world, 0.01));
    vvVec3 after = vvWorld_GetLedger(world).momentum;
    double fall = 0.3 * 9.81 * mass, push = 0.3 * 20 * (1 + inside->joined), up = inside->joined ? 0.3 * 10 : 0;
    vvDestroyWorld(world);
    return (fabs(after.x - before.x - push) + fabs(after.y - before.y - up + fall) + fabs(after.z - before.z)) / fall;
}

// Forces from inside have no sum, whatever the matrix of a solver says of them: pressure, linear elasticity and shapes
// stand in it as if they held vertices where they are.
static void forcesFromInsideHaveNoSum(void **unused)
{
    (void)unused;
    static const Inside cases[] = {
        { "small-midpoint", NULL, NULL, 300, 0, false, 1e-9, false },
        { "small-midpoint", NULL, "linear", 300, 0, false, 1e-9, false },
        { "small-midpoint", NULL, NULL, 0, 1e3, true, 1e-9, false },
        { "stabilized", "local-global", NULL, 300, 0, false, 1e-9, false },
        { "stabilized", "local-global", "linear", 0, 0, false, 1e-9, false },
        { "stabilized", "newton", NULL, 300, 0, false, 1e-9, false },
        { "backward-euler", "local-global", NULL, 300, 1e3, true, 1e-9, false },
        { "linear-implicit-euler", "newton-cg", NULL, 300, 0, false, 1e-6,
          false }, // what its conjugate gradient leaves
        { "linear-implicit-euler", "newton-cg", NULL, 0, 0, false, 1e-6, true },
        { "linear-implicit-euler", "local-global", NULL, 0, 0, false, 1e-9, true },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        Inside inside = cases[i];
        inside.solver = inside.solver ? inside.solver : "newton";
        double miss = missOf(&inside);
        if (!(miss <= inside.tolerance))
            fail_msg("%s, %s, case %d: momentum misses by %g", inside.method, inside.solver, (int)i, miss);
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
        cmocka_unit_test(forcesFromInsideHaveNoSum),
        cmocka_unit_test(midpointKeepsAngularMomentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
