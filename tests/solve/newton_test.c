// The objective of an implicit step and Newton's method on it: derivatives against differences, convergence, fallback.
#include "world/scenes.h"

#include "world/world.h"
#include "undamped.h"

// two bodies joined by a spring, pins, attachments, damping: everything an island can have
typedef struct Island
{
    vvWorldId id;
    World *world;
    System *system;
    Stage stage;
} Island;

static Island makeIsland(Stage stage)
{
    Island island = { .stage = stage, .id = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 }) };
    vvSoftBodyDef def = elasticDef(1000, 5e4, 0.3);
    def.damping.mass = 1.5;
    vvSoftBodyId box = makeBody(island.id, vvCreateBoxMesh((vvVec3){ 0.4, 0.4, 0.4 }, 2, 2, 2), def);
    def.position = (vvVec3){ 0.6, 0, 0 };
    def.spin = (vvVec3){ 1, 2, 3 };
    vvSoftBodyId ball = makeBody(island.id, vvCreateSphereMesh(0.3, 1), def);
    attachToPoint(island.id, ball, 3, 800);
    int pins[2] = { 0, 5 };
    CHECK_OK(vvSoftBody_Pin(box, pins, 2));
    vvAttachmentDef link = vvDefaultAttachmentDef();
    link.bodyA = box;
    link.vertexA = 20;
    link.bodyB = ball;
    link.vertexB = 1;
    link.stiffness = 900;
    link.restLength = 0.1;
    vvResult result;
    vvCreateAttachment(island.id, &link, &result);
    CHECK_OK(result);
    CHECK_OK(vvWorld_Step(island.id, 0.01));
    island.world = worldFind(island.id);
    assert_int_equal(island.world->systemCount, 1);
    island.system = &island.world->system[0];

    // a point that is far from the minimum
    State *s = &island.system->state;
    TestRandom random = { 5 };
    for (int i = 0; i < 3 * s->count; ++i)
    {
        s->inertial[i] = s->start[i] + 0.02 * s->startVelocity[i];
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : s->start[i] + randomBetween(&random, -0.02, 0.02);
        s->direction[i] = s->pinned[i / 3] ? 0 : randomBetween(&random, -1, 1);
    }
    systemSetTime(island.system, &island.stage);
    systemSetStage(island.system, &island.stage);
    return island;
}

static double along(const Island *island, const double *vector)
{
    const State *s = &island->system->state;
    double sum = 0;
    for (int i = 0; i < 3 * s->count; ++i)
        sum += vector[i] * s->direction[i];
    return sum;
}

static void gradientIsTheSlopeOfTheLine(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; ++k)
    {
        Island island = makeIsland(k ? stageBackward(0.02) : stageMidpoint(0.02));
        systemGradient(island.system, &island.stage);
        double slope = along(&island, island.system->state.gradient), ignored, step = 1e-5;
        systemLineStart(island.system, &island.stage);
        double forward = systemLineValue(island.system, &island.stage, step, &ignored);
        double backward = systemLineValue(island.system, &island.stage, -step, &ignored);
        CHECK_CLOSE((forward - backward) / (2 * step), slope, 1e-7);
        for (int v = 0; v < island.system->state.count; ++v)
        {
            if (island.system->state.pinned[v])
                assert_true(island.system->state.gradient[3 * v] == 0);
        }
        vvDestroyWorld(island.id);
    }
}

// A d = (grad g(x + e d) - grad g(x - e d)) / 2e: solve with it instead, A^-1 (A d) = d
static void matrixIsTheDerivativeOfTheGradient(void **unused)
{
    (void)unused;
    Island island = makeIsland(stageMidpoint(0.02));
    State *s = &island.system->state;
    int size = 3 * s->count;
    double *product = test_calloc((size_t)size, sizeof(double)), *d = test_malloc((size_t)size * sizeof(double));
    memcpy(d, s->direction, (size_t)size * sizeof(double));
    static const double step = 1e-6;
    for (int side = 1; side >= -1; side -= 2)
    {
        for (int i = 0; i < size; ++i)
            s->position[i] += side * step * d[i];
        systemSetStage(island.system, &island.stage);
        systemGradient(island.system, &island.stage);
        for (int i = 0; i < size; ++i)
        {
            product[i] += side * s->gradient[i] / (2 * step);
            s->position[i] -= side * step * d[i];
        }
    }
    systemSetStage(island.system, &island.stage);
    systemAssemble(island.system, &island.stage, HESSIAN_EXACT);
    assert_true(systemFactor(island.system));
    memcpy(s->gradient, product, (size_t)size * sizeof(double));
    SolveReport report = { 0 };
    assert_true(systemSolve(island.system, &report)); // direction = -A^-1 product
    for (int i = 0; i < size; ++i)
        CHECK_NEAR(-s->direction[i], d[i], 1e-6);
    test_free(product);
    test_free(d);
    vvDestroyWorld(island.id);
}

static void newtonFindsTheMinimum(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; ++k)
    {
        Island island = makeIsland(k ? stageBackward(0.02) : stageMidpoint(0.02));
        SolverSettings settings = { .tolerance = 1e-10 };
        SolveReport report = newtonMinimise(island.system, &island.stage, &settings);
        assert_true(report.converged && report.finite);
        CHECK_BELOW(report.iterations, 25); // most of them with a factor that is kept
        CHECK_BELOW(report.factorizations, 5);
        CHECK_BELOW(report.residual, 1e-10);
        // it is a minimum: g rises to both sides of every direction tried
        State *s = &island.system->state;
        TestRandom random = { 11 };
        for (int trial = 0; trial < 20; ++trial)
        {
            for (int i = 0; i < 3 * s->count; ++i)
                s->direction[i] = s->pinned[i / 3] ? 0 : randomBetween(&random, -1, 1);
            double ignored;
            systemLineStart(island.system, &island.stage);
            double here = systemLineValue(island.system, &island.stage, 0, &ignored);
            assert_true(systemLineValue(island.system, &island.stage, 1e-4, &ignored) > here);
            assert_true(systemLineValue(island.system, &island.stage, -1e-4, &ignored) > here);
        }
        vvDestroyWorld(island.id);
    }
}

// iteration limits are kept, and what is reported is true
static void unconvergedIsReported(void **unused)
{
    (void)unused;
    Island island = makeIsland(stageBackward(0.02));
    SolverSettings settings = { .iterations = 1, .tolerance = 1e-12 };
    SolveReport report = newtonMinimise(island.system, &island.stage, &settings);
    assert_int_equal(report.iterations, 1);
    assert_false(report.converged);
    systemSetStage(island.system, &island.stage);
    systemGradient(island.system, &island.stage);
    CHECK_CLOSE(report.residual, systemResidual(island.system), 1e-12);
    vvDestroyWorld(island.id);
}

// a rope squeezed to a third: its Hessian is indefinite across the springs, the semidefinite form must step in
static void squeezedSpringsNeedTheFallback(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = undampedDef();
    def.springStiffness[VV_EDGE_STRUCTURAL] = 1e4;
    def.material.thickness = 0.05;
    vvSoftBodyId rope = makeBody(world, vvCreateRopeMesh(1, 10), def);
    double x[33];
    TestRandom random = { 3 };
    for (int i = 0; i < 33; ++i)
        x[i] = i % 3 == 0 ? vvSoftBody_GetPositions(rope)[i] / 3 : randomBetween(&random, -1e-3, 1e-3);
    CHECK_OK(vvSoftBody_SetPositions(rope, x));
    vvLedger before = vvWorld_GetLedger(world);
    CHECK_OK(vvWorld_Step(world, 0.02));
    vvStatistics statistics = vvWorld_GetStatistics(world);
    assert_true(statistics.semidefinite > 0);
    assert_true(statistics.converged);
    CHECK_BELOW(vvWorld_GetLedger(world).total, before.total);
    vvDestroyWorld(world);
}

// A bar that swings under its weight: every step is within the tolerance of the same step to 1e-10, and needs few
// factors.
static void errorOfAStepIsBelowTheTolerance(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "implicit-midpoint", "backward-euler", "bdf2" };
    static const double tolerances[] = { 1e-3, 1e-4, 1e-6 };
    for (int k = 0; k < 3 * 3 * 4; ++k)
    {
        vvWorldId world[2];
        vvSoftBodyId bar[2];
        for (int exact = 0; exact < 2; ++exact)
        {
            vvWorldDef def = vvDefaultWorldDef();
            def.method = methods[k % 3];
            def.solver = "newton";
            def.tolerance = exact ? 1e-10 : tolerances[k / 3 % 3];
            world[exact] = vvCreateWorld(&def, NULL);
            vvSoftBodyDef body = elasticDef(1000, k / 9 % 2 ? 1e7 : 2e5, k / 18 ? 0.45 : 0.3);
            bar[exact] = makeBody(world[exact], vvCreateBarMesh(1, 0.2, 10, 2), body);
            for (int v = 0; v < vvSoftBody_GetVertexCount(bar[exact]); ++v)
            {
                if (vertexPosition(bar[exact], v).x < -0.49)
                    CHECK_OK(vvSoftBody_Pin(bar[exact], &v, 1));
            }
        }
        size_t bytes = vvWorld_GetStateSize(world[0]);
        void *saved = test_malloc(bytes);
        int factors = 0;
        for (int n = 0; n < 12; ++n)
        {
            CHECK_OK(vvWorld_SaveState(world[0], saved, bytes));
            CHECK_OK(vvWorld_RestoreState(world[1], saved, bytes));
            CHECK_OK(vvWorld_Step(world[0], 1.0 / 60));
            CHECK_OK(vvWorld_Step(world[1], 1.0 / 60));
            factors += vvWorld_GetStatistics(world[0]).factorizations;
            for (int i = 0; i < 3 * vvSoftBody_GetVertexCount(bar[0]); ++i)
                CHECK_NEAR(vvSoftBody_GetPositions(bar[0])[i], vvSoftBody_GetPositions(bar[1])[i],
                           tolerances[k / 3 % 3]);
        }
        CHECK_BELOW(factors, 12 * 1.5);
        test_free(saved);
        vvDestroyWorld(world[0]);
        vvDestroyWorld(world[1]);
    }
}

// all vertices at random: a hundred inverted tets, and the step still has a minimum that Newton finds
static void scrambledCubeConverges(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId cube = spinningCube(world, 3, 1e5, 0);
    int count = vvSoftBody_GetVertexCount(cube);
    double x[3 * 64];
    TestRandom random = { 1 };
    for (int i = 0; i < 3 * count; ++i)
        x[i] = randomBetween(&random, -0.5, 0.5);
    CHECK_OK(vvSoftBody_SetPositions(cube, x));
    double before = vvWorld_GetLedger(world).total;
    int unconverged = 0;
    for (int n = 0; n < 60; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 0.033));
        unconverged += !vvWorld_GetStatistics(world).converged;
    }
    CHECK_BELOW(unconverged, 5); // where the nearest rotation jumps g has kinks, and a kink can be the minimum
    CHECK_BELOW(vvWorld_GetLedger(world).total, 1e-3 * before);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradientIsTheSlopeOfTheLine),    cmocka_unit_test(matrixIsTheDerivativeOfTheGradient),
        cmocka_unit_test(newtonFindsTheMinimum),          cmocka_unit_test(unconvergedIsReported),
        cmocka_unit_test(squeezedSpringsNeedTheFallback), cmocka_unit_test(errorOfAStepIsBelowTheTolerance),
        cmocka_unit_test(scrambledCubeConverges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
