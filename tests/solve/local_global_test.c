// Local/global: it solves the same problem as Newton, it is the papers' iteration, it never raises the objective, and
// neither threads nor instruction sets change a bit.
#include "world/scenes.h"

#include "base/system.h"
#include "world/world.h"

static vvWorldDef solverDef(const char *method, const char *solver, int iterations, double tolerance)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = method;
    def.solver = solver;
    def.iterations = iterations;
    def.tolerance = tolerance;
    return def;
}

static vvWorldId createFrom(const vvWorldDef *def)
{
    vvResult result;
    vvWorldId world = vvCreateWorld(def, &result);
    CHECK_OK(result);
    return world;
}

// a bar that is pinned, attached, pushed, damped and linked to a ball: everything an island can have
static void furnish(vvWorldId world, double poisson, const char *model)
{
    vvSoftBodyDef def = elasticDef(1000, 4e4, poisson);
    def.damping.mass = 0.4;
    def.model = model;
    vvSoftBodyId bar = makeBody(world, vvCreateBarMesh(1, 0.3, 6, 2), def);
    int pins[9];
    assert_int_equal(vvSoftBody_FindVertices(bar, planeBox(0, -0.5, 1e-6), pins, 9), 9);
    CHECK_OK(vvSoftBody_Pin(bar, pins, 9));
    int end = vvSoftBody_FindNearestVertex(bar, (vvVec3){ 0.5, 0.15, 0.15 });
    CHECK_OK(vvSoftBody_SetForce(bar, end, (vvVec3){ 0, 20, 10 }));
    attachToPoint(world, bar, vvSoftBody_FindNearestVertex(bar, (vvVec3){ 0, 0.15, 0 }), 300);
    def.position = (vvVec3){ 0.9, 0, 0 };
    def.spin = (vvVec3){ 0, 3, 2 };
    vvSoftBodyId ball = makeBody(world, vvCreateSphereMesh(0.4, 2), def);
    vvAttachmentDef link = vvDefaultAttachmentDef();
    link.bodyA = bar;
    link.vertexA = end;
    link.bodyB = ball;
    link.vertexB = 4;
    link.stiffness = 500;
    link.restLength = 0.2;
    vvResult result;
    vvCreateAttachment(world, &link, &result);
    CHECK_OK(result);
}

static double largestDifference(vvWorldId a, vvWorldId b)
{
    const State *x = &worldFind(a)->state, *y = &worldFind(b)->state;
    assert_int_equal(x->count, y->count);
    double largest = 0;
    for (int i = 0; i < 3 * x->count; ++i)
        largest = fmax(largest, fabs(x->start[i] - y->start[i]));
    return largest;
}

// ten steps, both solvers to convergence
static void agreesWithNewton(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "backward-euler", "implicit-midpoint" };
    static const struct
    {
        double poisson;
        const char *model;
    } rows[] = { { 0, NULL }, { 0.3, NULL }, { 0.45, NULL }, { 0, "spring" }, { 0, "squared-spring" } };
    for (int m = 0; m < 2; ++m)
    {
        for (int i = 0; i < 5; ++i)
        {
            vvWorldDef exact = solverDef(methods[m], "newton", 0, 1e-12);
            vvWorldDef local = solverDef(methods[m], "local-global", 5000, 1e-11);
            vvWorldId a = createFrom(&exact), b = createFrom(&local);
            furnish(a, rows[i].poisson, rows[i].model);
            furnish(b, rows[i].poisson, rows[i].model);
            for (int n = 0; n < 10; ++n)
            {
                CHECK_OK(vvWorld_Step(a, 0.01));
                CHECK_OK(vvWorld_Step(b, 0.01));
                assert_true(vvWorld_GetStatistics(b).converged);
            }
            CHECK_BELOW(largestDifference(a, b), 1e-8);
            vvDestroyWorld(a);
            vvDestroyWorld(b);
        }
    }
}

// ---- the papers' form -----------------------------------------------------------------------------------------------

// x = A^-1 (M y + s (sum of w A^T p) - sigma theta grad E_ext), with a dense double solve (Bouaziz 2014, Eq 10)
static void isThePapersIteration(void **unused)
{
    (void)unused;
    vvWorldDef def = solverDef("backward-euler", "local-global", 3, 1e-15);
    vvWorldId id = createFrom(&def);
    vvSoftBodyDef bodyDef = elasticDef(1000, 4e4, 0);
    vvSoftBodyId cube = makeBody(id, vvCreateBoxMesh((vvVec3){ 0.5, 0.5, 0.5 }, 2, 2, 2), bodyDef);
    attachToPoint(id, cube, 3, 2000);
    CHECK_OK(vvWorld_Step(id, 0.02));
    World *world = worldFind(id);
    System *system = &world->system[0];
    State *s = &system->state;
    Member *member = system->member[0];
    enum
    {
        N = 27
    };
    assert_int_equal(s->count, N);
    Stage stage = stageBackward(0.02);
    TestRandom random = { 9 };
    for (int i = 0; i < 3 * N; ++i)
    {
        s->inertial[i] = s->start[i] + 0.02 * s->startVelocity[i];
        s->position[i] = s->start[i] + randomBetween(&random, -0.1, 0.1);
    }
    systemSetExternal(system);
    systemSetStage(system, &stage);
    systemGradient(system, &stage);

    // A from the prefactor, in full; both right-hand sides beside it
    static double a[N][N + 6];
    const Graph *graph = member->graph;
    for (int column = 0; column < N; ++column)
    {
        for (int k = graph->start[column]; k < graph->start[column + 1]; ++k)
            a[graph->row[k]][column] = a[column][graph->row[k]] = member->prefactor[0].value[k];
    }
    double projected[3 * N] = { 0 };
    for (int e = 0; e < member->energyCount; ++e)
    {
        if (member->energy[e]->traits & TRAIT_PROJECTIVE)
            energyAddProjection(member->energy[e], s->stage, projected);
    }
    for (int v = 0; v < N; ++v)
    {
        for (int k = 0; k < 3; ++k)
        {
            int i = 3 * v + k;
            a[v][N + k] = s->gradient[i];
            a[v][N + 3 + k] = s->mass[v] * s->inertial[i] + stage.sigma * (projected[i] - s->external[i]);
        }
    }
    // gauss, no pivoting: the matrix is positive definite
    for (int c = 0; c < N; ++c)
    {
        for (int r = 0; r < N; ++r)
        {
            double factor = r == c ? 0 : a[r][c] / a[c][c];
            for (int k = c; k < N + 6; ++k)
                a[r][k] -= factor * a[c][k];
        }
    }
    for (int v = 0; v < N; ++v)
    {
        for (int k = 0; k < 3; ++k)
        {
            double gradientForm = s->position[3 * v + k] - a[v][N + k] / a[v][v];
            CHECK_NEAR(gradientForm, a[v][N + 3 + k] / a[v][v], 1e-13);
        }
    }
    // and the library's own iterate is that to float32
    SolverSettings one = { .iterations = 1, .tolerance = 1e-15 };
    double before[3 * N];
    memcpy(before, s->position, sizeof before);
    localGlobalMinimise(system, &stage, &one);
    for (int v = 0; v < N; ++v)
    {
        for (int k = 0; k < 3; ++k)
            CHECK_NEAR(s->position[3 * v + k], a[v][N + 3 + k] / a[v][v], 1e-6);
    }
    vvDestroyWorld(id);
}

// ---- the objective --------------------------------------------------------------------------------------------------

static double objective(System *system, const Stage *stage, double *magnitude)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
        s->direction[i] = 0;
    systemSetStage(system, stage);
    systemLineStart(system, stage);
    return systemLineValue(system, stage, 0, magnitude);
}

// one iteration at a time, from wild states
static void neverRaisesTheObjective(void **unused)
{
    (void)unused;
    static const struct
    {
        double poisson;
        const char *model;
    } rows[] = { { 0, NULL }, { 0.3, NULL }, { 0.45, NULL }, { -0.3, NULL }, { 0, "spring" }, { 0, "squared-spring" } };
    for (int i = 0; i < 12; ++i)
    {
        vvWorldDef def = solverDef("implicit-midpoint", "local-global", 10, 1e-15);
        def.settings.localGlobal.accelerate = i >= 6;
        vvWorldId id = createFrom(&def);
        furnish(id, rows[i % 6].poisson, rows[i % 6].model);
        CHECK_OK(vvWorld_Step(id, 0.02));
        World *world = worldFind(id);
        System *system = &world->system[0];
        State *s = &system->state;
        TestRandom random = { 4 };
        for (int v = 0; v < s->count; ++v)
        {
            for (int k = 3 * v; k < 3 * v + 3; ++k)
                s->position[k] = s->pinned[v] ? s->pinTarget[k] : s->start[k] + randomBetween(&random, -0.08, 0.08);
        }
        Stage stage = stageMidpoint(0.02);
        SolverSettings settings = { .iterations = def.settings.localGlobal.accelerate ? 4 : 1,
                                    .tolerance = 1e-15,
                                    .accelerate = def.settings.localGlobal.accelerate };
        double magnitude, last = objective(system, &stage, &magnitude), first = last;
        for (int n = 0; n < 60; ++n)
        {
            localGlobalMinimise(system, &stage, &settings);
            double now = objective(system, &stage, &magnitude);
            CHECK_BELOW(now - last, 1e-12 * magnitude);
            last = now;
        }
        assert_true(last < first);
        vvDestroyWorld(id);
    }
}

// distance to the exact solution after one step of a stiff, nearly incompressible bar
static void accelerationPaysOff(void **unused)
{
    (void)unused;
    double error[3][2];
    for (int row = 0; row < 3; ++row)
    {
        vvWorldId worlds[3];
        for (int k = 0; k < 3; ++k)
        {
            vvWorldDef def =
                solverDef("backward-euler", k < 2 ? "local-global" : "newton", k < 2 ? 10 << row : 0, 1e-12);
            def.settings.localGlobal.accelerate = k == 1;
            worlds[k] = createFrom(&def);
            vvSoftBodyId bar = makeBody(worlds[k], vvCreateBarMesh(1, 0.2, 10, 2), elasticDef(1000, 1e5, 0.45));
            int pins[9];
            assert_int_equal(vvSoftBody_FindVertices(bar, planeBox(0, -0.5, 1e-6), pins, 9), 9);
            CHECK_OK(vvSoftBody_Pin(bar, pins, 9));
            CHECK_OK(vvWorld_Step(worlds[k], 0.033));
        }
        for (int k = 0; k < 2; ++k)
            error[row][k] = largestDifference(worlds[k], worlds[2]);
        print_message("%d iterations: error %.3e m, accelerated %.3e m\n", 10 << row, error[row][0], error[row][1]);
        for (int k = 0; k < 3; ++k)
            vvDestroyWorld(worlds[k]);
        CHECK_BELOW(error[row][1], error[row][0]);
    }
    CHECK_BELOW(error[2][1], 0.1 * error[2][0]);
}

// ---- settings -------------------------------------------------------------------------------------------------------

static void stopsWhenTold(void **unused)
{
    (void)unused;
    vvWorldDef def = solverDef("backward-euler", "local-global", 500, 1e-5);
    vvWorldId id = createFrom(&def);
    furnish(id, 0.3, NULL);
    CHECK_OK(vvWorld_Step(id, 0.02));
    vvStatistics statistics = vvWorld_GetStatistics(id);
    assert_true(statistics.converged && statistics.iterations > 1 && statistics.iterations < 500);
    CHECK_BELOW(statistics.residual, 1e-5);
    vvDestroyWorld(id);

    def = solverDef("backward-euler", "local-global", 10000, 1e-15);
    def.settings.localGlobal.budget = 1e-4;
    id = createFrom(&def);
    furnish(id, 0.3, NULL);
    CHECK_OK(vvWorld_Step(id, 0.02));
    assert_true(vvWorld_GetStatistics(id).iterations < 2000);
    vvDestroyWorld(id);

    def = solverDef("backward-euler", "local-global", 0, 1e-15);
    id = createFrom(&def);
    furnish(id, 0, NULL);
    CHECK_OK(vvWorld_Step(id, 0.02));
    assert_int_equal(vvWorld_GetStatistics(id).iterations, 10);
    vvDestroyWorld(id);
}

static void keepsLinearMomentum(void **unused)
{
    (void)unused;
    for (int iterations = 1; iterations <= 10; iterations += 3)
    {
        vvWorldDef def = solverDef("implicit-midpoint", "local-global", iterations, 1e-15);
        def.gravity = (vvVec3){ 0, 0, 0 };
        vvWorldId id = createFrom(&def);
        vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.3);
        bodyDef.spin = (vvVec3){ 3, 2, 6 };
        bodyDef.velocity = (vvVec3){ 1, 2, 3 };
        vvSoftBodyId a = makeBody(id, vvCreateBoxMesh((vvVec3){ 1, 0.5, 0.5 }, 4, 2, 2), bodyDef);
        bodyDef.position = (vvVec3){ 2, 0, 0 };
        vvSoftBodyId b = makeBody(id, vvCreateSphereMesh(0.5, 2), bodyDef);
        vvAttachmentDef link = vvDefaultAttachmentDef();
        link.bodyA = a;
        link.vertexA = 7;
        link.bodyB = b;
        link.vertexB = 3;
        vvCreateAttachment(id, &link, NULL);
        vvLedger before = vvWorld_GetLedger(id);
        double scale = sqrt(2 * before.kinetic * (vvSoftBody_GetMass(a) + vvSoftBody_GetMass(b))); // >= sum m|v|
        for (int n = 0; n < 100; ++n)
            CHECK_OK(vvWorld_Step(id, 0.01));
        vvLedger after = vvWorld_GetLedger(id);
        CHECK_NEAR(after.momentum.x, before.momentum.x, 1e-9 * scale);
        CHECK_NEAR(after.momentum.y, before.momentum.y, 1e-9 * scale);
        CHECK_NEAR(after.momentum.z, before.momentum.z, 1e-9 * scale);
        vvDestroyWorld(id);
    }
}

// pins and attachments come and go: the kept factor must follow
static void followsPinsAndWeights(void **unused)
{
    (void)unused;
    vvWorldDef exact = solverDef("backward-euler", "newton", 0, 1e-12);
    vvWorldDef local = solverDef("backward-euler", "local-global", 5000, 1e-11);
    vvWorldId worlds[2] = { createFrom(&exact), createFrom(&local) };
    for (int w = 0; w < 2; ++w)
    {
        vvSoftBodyId bar = makeBody(worlds[w], vvCreateBarMesh(1, 0.2, 10, 2), elasticDef(1000, 4e4, 0.3));
        int pins[9];
        vvSoftBody_FindVertices(bar, planeBox(0, -0.5, 1e-6), pins, 9);
        vvAttachmentId handle = { 0 };
        for (int n = 0; n < 24; ++n)
        {
            if (n % 6 == 0)
                CHECK_OK(vvSoftBody_Pin(bar, pins, 9 - n / 6));
            if (n % 6 == 3)
                CHECK_OK(vvSoftBody_Unpin(bar, pins, 5));
            if (n % 8 == 1)
                handle = attachToPoint(worlds[w], bar, 40 + n, 700 + 50 * n);
            if (n % 8 == 5)
                vvDestroyAttachment(handle);
            CHECK_OK(vvWorld_Step(worlds[w], n % 5 == 4 ? 0.02 : 0.01)); // two factors in turn
            assert_true(vvWorld_GetStatistics(worlds[w]).converged);
        }
    }
    CHECK_BELOW(largestDifference(worlds[0], worlds[1]), 1e-8);
    vvDestroyWorld(worlds[0]);
    vvDestroyWorld(worlds[1]);
}

// ---- the same bits --------------------------------------------------------------------------------------------------

// tests/threads/run.sh: a race shows in the first steps, whatever the instruction set
#ifdef __SANITIZE_THREAD__
enum
{
    STEPS = 2,
    SIDE = 7,
    FIRST_SET = 2
};
#else
enum
{
    STEPS = 8,
    SIDE = 10,
    FIRST_SET = 0
};
#endif

static uint64_t runHash(const vvWorldDef *def)
{
    vvWorldId id = createFrom(def);
    furnish(id, 0, NULL);
    vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.3);
    bodyDef.position = (vvVec3){ 0, 3, 0 };
    bodyDef.spin = (vvVec3){ 1, 2, 3 };
    makeBody(id, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, SIDE, SIDE, SIDE), bodyDef);
    bodyDef.position = (vvVec3){ 0, 6, 0 };
    bodyDef.springStiffness[VV_EDGE_STRUCTURAL] = bodyDef.springStiffness[VV_EDGE_SHEAR] = 1000;
    makeBody(id, vvCreateSheetMesh(1, 1, 30, 30), bodyDef);
    for (int n = 0; n < STEPS; ++n)
        CHECK_OK(vvWorld_Step(id, 0.01));
    uint64_t hash = vvWorld_GetHash(id);
    vvDestroyWorld(id);
    return hash;
}

// the caller's task system: a thread per item, joined at the end
typedef struct Crew
{
    Thread thread[64];
    int count;
    void (*run)(void *, int);
    void *context;
} Crew;

typedef struct Errand
{
    Crew *crew;
    int index;
} Errand;

static Crew crew;
static Errand errands[64];

static void runErrand(void *userData)
{
    Errand *errand = userData;
    errand->crew->run(errand->crew->context, errand->index);
}

static void *crewEnqueue(void (*run)(void *context, int index), void *context, int count, void *userData)
{
    (void)userData;
    crew.run = run;
    crew.context = context;
    crew.count = count < 64 ? count : 64;
    for (int i = 0; i < crew.count; ++i)
    {
        errands[i] = (Errand){ &crew, i };
        assert_true(threadStart(&crew.thread[i], runErrand, &errands[i]));
    }
    return &crew;
}

static void crewFinish(void *handle, void *userData)
{
    (void)userData;
    assert_ptr_equal(handle, &crew);
    for (int i = 0; i < crew.count; ++i)
        threadJoin(&crew.thread[i]);
}

static void threadsAndSetsChangeNoBit(void **unused)
{
    (void)unused;
    vvWorldDef def = solverDef("implicit-midpoint", "local-global", 6, 1e-15);
    uint64_t expected = runHash(&def);
    static const int threads[] = { 2, 3, 4, 7 };
    for (int i = 0; i < 4; ++i)
    {
        def.threads = threads[i];
        assert_true(runHash(&def) == expected);
    }
    for (int i = FIRST_SET; vvGetInstructionSetName(i) != NULL; ++i)
    {
        def.threads = 1 + i % 2;
        def.instructionSet = vvGetInstructionSetName(i);
        assert_true(runHash(&def) == expected);
    }
    def.threads = 3;
    def.tasks = (vvTaskHooks){ crewEnqueue, crewFinish, NULL };
    assert_true(runHash(&def) == expected);
}

static void allocatesNothingOnceWarm(void **unused)
{
    (void)unused;
    vvWorldDef def = solverDef("implicit-midpoint", "local-global", 6, 1e-15);
    def.threads = 2;
    def.settings.localGlobal.accelerate = true;
    vvWorldId id = createFrom(&def);
    furnish(id, 0.3, NULL);
    CHECK_OK(vvWorld_Step(id, 0.01));
    long long before = vvWorld_GetStatistics(id).allocationCount;
    for (int n = 0; n < 20; ++n)
        CHECK_OK(vvWorld_Step(id, 0.01));
    assert_true(vvWorld_GetStatistics(id).allocationCount == before);
    vvDestroyWorld(id);
}

// Steps that are shortened change no matrix: without contacts, pins or weights that come and go one factor serves them
// all.
static void shorteningKeepsTheFactor(void **unused)
{
    (void)unused;
    vvWorldDef def = solverDef("backward-euler", "local-global", 10, 1e-10);
    vvWorldId id = createFrom(&def);
    vvSoftBodyDef bar = elasticDef(1020, 1e4, 0.45);
    bar.model = "stable-neo-hookean"; // not below its majorizer
    bar.velocity = (vvVec3){ 0, 3, 0 };
    vvSoftBodyId body = makeBody(id, vvCreateBoxMesh((vvVec3){ 1, 0.2, 0.2 }, 10, 2, 2), bar);
    int held[9], factorizations = 0, shortened = 0;
    assert_int_equal(vvSoftBody_FindVertices(body, planeBox(0, -0.5, 1e-6), held, 9), 9);
    CHECK_OK(vvSoftBody_Pin(body, held, 9));
    for (int n = 0; n < 100; ++n)
    {
        CHECK_OK(vvWorld_Step(id, 1.0 / 30));
        factorizations += vvWorld_GetStatistics(id).factorizations;
        shortened += vvWorld_GetStatistics(id).lineSearchSteps;
    }
    assert_true(shortened > 0);
    assert_int_equal(factorizations, 1);
    vvDestroyWorld(id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifndef __SANITIZE_THREAD__ // tests/threads/run.sh: the others take one thread
        cmocka_unit_test(agreesWithNewton),
        cmocka_unit_test(isThePapersIteration),
        cmocka_unit_test(neverRaisesTheObjective),
        cmocka_unit_test(accelerationPaysOff),
        cmocka_unit_test(stopsWhenTold),
        cmocka_unit_test(keepsLinearMomentum),
        cmocka_unit_test(followsPinsAndWeights),
        cmocka_unit_test(shorteningKeepsTheFactor),
#endif
        cmocka_unit_test(threadsAndSetsChangeNoBit),
        cmocka_unit_test(allocatesNothingOnceWarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
