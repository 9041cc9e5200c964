// Bodies that yield. Over all methods and solvers and everything that can yield: what flows is booked to rounding and
// leaves momenta alone, a state saved while it flows goes on bit for bit, and nothing is allocated.
#include "methods.h"
#include "refuse.h"
#include "scenes.h"

#include <stdlib.h>

#define SHAPES 7

static vvMesh *ropeMesh(bool rod)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ROPE;
    def.size.x = 0.6;
    def.cells[0] = 6;
    def.rod = rod;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    CHECK_OK(result);
    return mesh;
}

static vvSoftBodyDef yieldingDef(int shape, double yield)
{
    static const char *const models[SHAPES] = { "corotated", "stable-neo-hookean", "corotated", "triangle",
                                                "spring",    "squared-spring",     NULL };
    vvSoftBodyDef def = elasticDef(900, 5e4, shape == 2 ? 0 : 0.3);
    def.model = models[shape];
    def.material.thickness = 0.02;
    def.mesh = shape < 3    ? vvCreateBoxMesh((vvVec3){ 0.6, 0.3, 0.3 }, 3, 2, 1)
               : shape == 4 ? vvCreateSheetMesh(0.5, 0.5, 3, 3)
               : shape < 5  ? vvCreateSheetMesh(0.5, 0.4, 4, 3)
                            : ropeMesh(shape == 6);
    def.spin = (vvVec3){ 1, 2, 0.5 };
    def.plasticity = (vvPlasticity){ .yield = yield, .hardening = shape % 2 ? 5e3 : 0, .limit = shape % 3 ? 0 : 0.2 };
    return def;
}

static vvSoftBodyId makeYielding(vvWorldId world, int shape, double yield)
{
    vvSoftBodyDef def = yieldingDef(shape, yield);
    return makeBody(world, def.mesh, def);
}

// pulled, bent and shaken
static void deform(vvSoftBodyId body, double much)
{
    TestRandom numbers = { 7 };
    int count = vvSoftBody_GetVertexCount(body);
    double *x = malloc(3 * (size_t)count * sizeof(double));
    memcpy(x, vvSoftBody_GetPositions(body), 3 * (size_t)count * sizeof(double));
    for (int v = 0; v < count; ++v)
    {
        double *p = x + 3 * (size_t)v;
        p[1] += much * (2 * p[0] * p[0] + 0.3 * p[2] * p[2]) + randomBetween(&numbers, -0.01, 0.01) * much;
        p[2] += much * 0.5 * p[0] * p[0];
        p[0] *= 1 + 0.4 * much;
    }
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    free(x);
}

static double sizeOf(vvVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static double apart(vvVec3 a, vvVec3 b)
{
    return sizeOf((vvVec3){ a.x - b.x, a.y - b.y, a.z - b.z });
}

// What flow may move, of two ledgers that differ by it alone: 1e-9 of what flowed, beside 1e-14 of the energies, which
// is what their sums are rounded by.
#define ALLOWED_SHARE 1e-9
#define ALLOWED_ROUNDING 1e-14

static bool booksAgree(const vvLedger *still, const vvLedger *flowed)
{
    double flown = flowed->dissipated - still->dissipated;
    double whole = fabs(still->elastic) + fabs(still->kinetic) + fabs(still->gravity) + fabs(still->dissipated);
    double allowed = ALLOWED_SHARE * flown + ALLOWED_ROUNDING * whole;
    return fabs(flowed->elastic + flown - still->elastic) <= allowed &&
           fabs(flowed->numerical - still->numerical) <= allowed &&
           fabs(flowed->kinetic - still->kinetic) <= ALLOWED_ROUNDING * whole;
}

static bool momentaAgree(const vvLedger *still, const vvLedger *flowed)
{
    return apart(still->momentum, flowed->momentum) <= 1e-10 * sizeOf(still->momentum) &&
           apart(still->angularMomentum, flowed->angularMomentum) <= 1e-10 * sizeOf(still->angularMomentum);
}

// the same step with and without flow: where it ends is the same, and the books differ by what became dissipated
static void bookOne(const char *method, const char *solver, int shape)
{
    vvLedger ledger[2];
    vvWorldId world[2];
    for (int i = 0; i < 2; ++i)
    {
        world[i] = makeWorld(method, (vvVec3){ 0, -1, 0 });
        CHECK_OK(vvWorld_SetSolver(world[i], solver));
        if (vvMethod_HasSubsteps(method))
            CHECK_OK(vvWorld_SetSubsteps(world[i], 1));
        vvSoftBodyId body = makeYielding(world[i], shape, i == 0 ? 1e15 : 2e3);
        deform(body, 0.3);
        CHECK_OK(vvWorld_Step(world[i], stepFor(method, 2e-3, 1e-4)));
        ledger[i] = vvWorld_GetLedger(world[i]);
    }
    double flown = ledger[1].dissipated - ledger[0].dissipated;
    // position-based dynamics leave no strain at the end of a step
    if (!(flown > 0) && strcmp(method, "pbd") != 0)
        fail_msg("%s, %s, shape %d: nothing flows (%g J)", method, solver, shape, flown);
    if (!booksAgree(&ledger[0], &ledger[1]) || !momentaAgree(&ledger[0], &ledger[1]))
        fail_msg("%s, %s, shape %d: %.17g J flowed, elastic %.17g and %.17g, numerical %.17g and %.17g", method, solver,
                 shape, flown, ledger[0].elastic, ledger[1].elastic, ledger[0].numerical, ledger[1].numerical);
    for (int i = 0; i < 2; ++i)
        vvDestroyWorld(world[i]);
}

static void whatFlowsIsBooked(void **state)
{
    (void)state;
    for (int method = 0; vvGetMethodName(method) != NULL; ++method)
    {
        const char *word = vvGetMethodName(method);
        for (int solver = 0; solver < (vvMethod_HasSolver(word) ? 2 : 1); ++solver)
        {
            for (int shape = 0; shape < SHAPES; ++shape)
            {
                // without poisson the plain material is a projection and the one that yields is not
                if (shape != 2 || solver == 0)
                    bookOne(word, solver ? "local-global" : "newton", shape);
            }
        }
    }
}

// ---- random bodies --------------------------------------------------------------------------------------------------

#define RANDOM_BODIES 2000

// any shape, material, hardening, rate and limit, under any method
static void bookRandom(int seed)
{
    TestRandom numbers = { (uint64_t)seed + 1 };
    int methods = 0;
    while (vvGetMethodName(methods) != NULL)
        methods += 1;
    const char *method = vvGetMethodName((int)randomBetween(&numbers, 0, methods - 1e-9));
    const char *solver = randomBetween(&numbers, 0, 1) < 0.5 ? "newton" : "local-global";
    int shape = (int)randomBetween(&numbers, 0, SHAPES - 1e-9);
    shape = shape == 2 ? 3 : shape; // which without poisson is another solver's
    double young = pow(10, randomBetween(&numbers, 3, 7)), strain = pow(10, randomBetween(&numbers, -3, -1));
    double poisson = randomBetween(&numbers, 0.05, 0.45), density = pow(10, randomBetween(&numbers, 1, 4));
    double thickness = pow(10, randomBetween(&numbers, -3, -1.5)), much = randomBetween(&numbers, 0.05, 0.5);
    vvPlasticity plasticity = { .yield = strain * young,
                                .hardening = randomBetween(&numbers, -1, 1) > 0 ? young / 10 : 0,
                                .rate = randomBetween(&numbers, -1, 1) > 0 ? pow(10, randomBetween(&numbers, 0, 3)) : 0,
                                .limit = randomBetween(&numbers, -1, 1) > 0 ? randomBetween(&numbers, 0.01, 0.3) : 0 };
    vvVec3 velocity = { randomBetween(&numbers, -2, 2), 1, 2 };
    double wave = sqrt(young / density), step = stepFor(method, fmin(2e-3, 0.02 / wave), 0.002 / wave);
    vvLedger ledger[2];
    for (int i = 0; i < 2; ++i)
    {
        // the control of small-midpoint acts after flow, by shares of what is in motion: it is left out
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.method = method;
        worldDef.solver = solver;
        worldDef.gravity = (vvVec3){ 0, -1, 0 };
        worldDef.substeps = vvMethod_HasSubsteps(method) ? 1 : 0;
        worldDef.settings.energyTolerance = 1;
        worldDef.settings.smallMidpoint.energyReturn = false;
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvSoftBodyDef def = yieldingDef(shape, 1);
        def.material.young = young;
        def.material.poisson = poisson;
        def.material.density = density;
        def.material.thickness = thickness;
        def.velocity = velocity;
        def.plasticity = plasticity;
        def.plasticity.yield = i == 0 ? 1e15 : plasticity.yield;
        deform(makeBody(world, def.mesh, def), much);
        CHECK_OK(vvWorld_Step(world, step));
        ledger[i] = vvWorld_GetLedger(world);
        vvDestroyWorld(world);
    }
    if (!booksAgree(&ledger[0], &ledger[1]) || !momentaAgree(&ledger[0], &ledger[1]))
        fail_msg("body %d (%s, %s, shape %d, young %g): %.17g J flowed, elastic %.17g and %.17g, numerical %.17g and "
                 "%.17g, momenta apart by %g of %g, %g of %g",
                 seed, method, solver, shape, young, ledger[1].dissipated - ledger[0].dissipated, ledger[0].elastic,
                 ledger[1].elastic, ledger[0].numerical, ledger[1].numerical,
                 apart(ledger[0].momentum, ledger[1].momentum), sizeOf(ledger[0].momentum),
                 apart(ledger[0].angularMomentum, ledger[1].angularMomentum), sizeOf(ledger[0].angularMomentum));
}

static void randomFlowIsBooked(void **state)
{
    (void)state;
    for (int seed = 0; seed < RANDOM_BODIES; seed += sliceOf(20))
        bookRandom(seed);
}

// ---- whole runs -----------------------------------------------------------------------------------------------------

static uint64_t playOn(vvWorldId world, const char *method, int from, int to)
{
    for (int frame = from; frame < to; ++frame)
        CHECK_OK(vvWorld_Step(world, stepFor(method, 5e-3, 2e-4)));
    return vvWorld_GetHash(world);
}

static vvWorldId makeRun(const char *method)
{
    vvWorldId world = makeWorld(method, (vvVec3){ 0, 0, 0 });
    for (int shape = 0; shape < SHAPES; ++shape)
        deform(makeYielding(world, shape, 1e3), 0.5);
    return world;
}

static void runOne(const char *method)
{
    vvWorldId world = makeRun(method);
    vvLedger start = vvWorld_GetLedger(world);
    playOn(world, method, 0, 4);
    long long allocations = vvWorld_GetStatistics(world).allocationCount;
    size_t size = vvWorld_GetStateSize(world);
    unsigned char *saved = malloc(size);
    CHECK_OK(vvWorld_SaveState(world, saved, size));
    double dissipated = vvWorld_GetLedger(world).dissipated;
    uint64_t want = playOn(world, method, 4, 12);
    vvLedger end = vvWorld_GetLedger(world);
    if (vvWorld_GetStatistics(world).allocationCount != allocations)
        fail_msg("%s allocates while bodies yield", method);
    if (!(dissipated > 0) || !(end.dissipated >= dissipated))
        fail_msg("%s: %g J dissipated, then %g J", method, dissipated, end.dissipated);
    if (keepsMomentum(method))
    {
        double most = 1e-9 * sizeOf(start.angularMomentum);
        CHECK_NEAR(end.momentum.x, start.momentum.x, 1e-10);
        CHECK_NEAR(end.momentum.y, start.momentum.y, 1e-10);
        if (strcmp(method, "small-midpoint") == 0 || strcmp(method, "implicit-midpoint") == 0)
            CHECK_NEAR(end.angularMomentum.y, start.angularMomentum.y, 1e3 * most);
    }
    vvWorldId fresh = makeRun(method);
    vvWorldId worlds[2] = { world, fresh };
    for (int w = 0; w < 2; ++w)
    {
        CHECK_OK(vvWorld_RestoreState(worlds[w], saved, size));
        if (playOn(worlds[w], method, 4, 12) != want)
            fail_msg("%s: a state saved while bodies yield goes on otherwise in %s world", method,
                     w ? "a new" : "its own");
        vvDestroyWorld(worlds[w]);
    }
    free(saved);
}

static void runsGoOn(void **state)
{
    (void)state;
    static const char *const methods[] = { "small-midpoint", "small-steps",       "stabilized",
                                           "backward-euler", "implicit-midpoint", "symplectic-euler" };
    for (int i = 0; i < 6; ++i)
        runOne(methods[i]);
}

// ---- refusals -------------------------------------------------------------------------------------------------------

static void whatCannotYieldIsRefused(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
    static const char *const models[] = { "linear", "smoothed", "membrane" };
    for (int i = 0; i < 3; ++i)
    {
        vvSoftBodyDef def = yieldingDef(i == 2 ? 4 : 0, 1e3);
        def.model = models[i];
        vvResult result;
        vvCreateSoftBody(world, &def, &result);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, "does not yield"));
        vvDestroyMesh(def.mesh);
    }
    vvSoftBodyDef def = yieldingDef(3, 1e3);
    def.bendingModel = "mean-curvature";
    vvResult result;
    vvCreateSoftBody(world, &def, &result);
    assert_int_equal(result.code, VV_BAD_INPUT);
    def.bendingModel = NULL;
    def.plasticity.rate = -1;
    vvCreateSoftBody(world, &def, &result);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_non_null(strstr(result.message, "plasticity.rate is -1"));
    vvDestroyMesh(def.mesh);
    vvDestroyWorld(world);
}

// a dent stays while plasticity changes, and goes with it
static void dentsStayWhilePlastic(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = makeYielding(world, 0, 1e3);
    deform(body, 0.5);
    playOn(world, "backward-euler", 0, 20);
    double stored = vvWorld_GetLedger(world).elastic;
    CHECK_OK(vvSoftBody_SetPlasticity(body, (vvPlasticity){ .yield = 1e9, .limit = 1 }));
    assert_true(vvSoftBody_GetPlasticity(body).yield == 1e9);
    CHECK_NEAR(vvWorld_GetLedger(world).elastic, stored, 1e-12 * stored);
    CHECK_OK(vvSoftBody_SetPlasticity(body, (vvPlasticity){ 0 }));
    assert_true(vvWorld_GetLedger(world).elastic > 2 * stored);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatFlowsIsBooked),        cmocka_unit_test(randomFlowIsBooked),    cmocka_unit_test(runsGoOn),
        cmocka_unit_test(whatCannotYieldIsRefused), cmocka_unit_test(dentsStayWhilePlastic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
