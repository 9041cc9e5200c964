// The books of damping that small-steps has in its constraints (Macklin 2019, Eq 8): what is dissipated is what the
// damping of the material takes over the motion there was, and what is left to the numerics goes to nothing as substeps
// grow.
#include "world/scenes.h"

typedef struct Case
{
    const char *model;
    bool rope;
} Case;

static const Case cases[] = {
    { "corotated", false }, { "linear", false }, { "spring", true }, { "squared-spring", true }
};

#define CASES ((int)(sizeof cases / sizeof cases[0]))
#define DAMPING 2e-3 // s
#define SUBSTEPS 400

static vvWorldId makeCase(const Case *c, const char *method, int substeps, int threads)
{
    vvWorldDef world = vvDefaultWorldDef();
    world.method = method;
    world.solver = "newton";
    world.tolerance = 1e-10;
    world.iterations = substeps > 0 ? 1 : 50;
    world.substeps = substeps;
    world.threads = threads;
    world.gravity = (vvVec3){ 9.81, 0, 0 }; // along the body: nothing swings
    vvResult result;
    vvWorldId id = vvCreateWorld(&world, &result);
    CHECK_OK(result);
    vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
    def.model = c->model;
    def.damping.stiffness = DAMPING;
    def.material.thickness = 0.02;
    vvSoftBodyId body =
        makeBody(id, c->rope ? vvCreateRopeMesh(0.5, 10) : vvCreateBoxMesh((vvVec3){ 0.5, 0.1, 0.1 }, 10, 2, 2), def);
    int held[16], count = vvSoftBody_FindVertices(body, planeBox(0, -0.25, 1e-6), held, 16);
    assert_true(count > 0 && count <= 16);
    CHECK_OK(vvSoftBody_Pin(body, held, count));
    // stretched by 2 %, and let go
    double x[3 * 128];
    count = vvSoftBody_GetVertexCount(body);
    assert_true(count <= 128);
    for (int i = 0; i < 3 * count; ++i)
        x[i] = vvSoftBody_GetPositions(body)[i] + (i % 3 == 0 ? 0.02 * (vvSoftBody_GetPositions(body)[i] + 0.25) : 0);
    CHECK_OK(vvSoftBody_SetPositions(body, x));
    return id;
}

static vvLedger runCase(const Case *c, const char *method, int substeps, int frames)
{
    vvWorldId world = makeCase(c, method, substeps, 1);
    for (int n = 0; n < frames; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60 * 12 / frames));
    vvLedger ledger = vvWorld_GetLedger(world);
    vvDestroyWorld(world);
    return ledger;
}

// What substeps damp by themselves is taken off and booked as damping as far as it is lost, so that next to nothing is
// left to the numerics. What damping takes is what small steps of the midpoint rule book
static void booksCloseAsSubstepsGrow(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; ++i)
    {
        vvLedger exact = runCase(&cases[i], "implicit-midpoint", 0, 600);
        double left[2];
        for (int k = 0; k < 2; ++k)
        {
            vvLedger l = runCase(&cases[i], "small-steps", SUBSTEPS << k, 12);
            left[k] = fabs(l.numerical);
            print_message("%s, %d substeps: dissipated %.5g J of %.5g, numerical %.4g\n", cases[i].model, SUBSTEPS << k,
                          l.dissipated, exact.dissipated, l.numerical);
            CHECK_NEAR(l.kinetic + l.elastic + l.gravity + l.dissipated - l.numerical, l.added, 1e-9);
            if (k == 1)
                CHECK_CLOSE(l.dissipated, exact.dissipated, 0.002);
        }
        CHECK_BELOW(left[0], 0.002 * exact.dissipated);
        CHECK_BELOW(left[1], left[0]);
    }
}

// a body that hangs still loses nothing, however its elements push each other about within a sweep
static void restLosesNothing(void **state)
{
    (void)state;
    for (int i = 0; i < CASES; ++i)
    {
        vvWorldId world = makeCase(&cases[i], "small-steps", 20, 1);
        for (int n = 0; n < 1200; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        double before = vvWorld_GetLedger(world).dissipated;
        for (int n = 0; n < 60; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        vvLedger l = vvWorld_GetLedger(world);
        print_message("%s: %.3g J of %.3g in the last second\n", cases[i].model, l.dissipated - before, l.dissipated);
        assert_true(l.dissipated > 0);
        CHECK_BELOW(l.dissipated - before, 1e-3 * l.dissipated);
        vvDestroyWorld(world);
    }
}

static void booksDoNotDependOnThreads(void **state)
{
    (void)state;
    double first = 0;
    for (int threads = 1; threads <= 4; ++threads)
    {
        vvWorldDef def = vvDefaultWorldDef();
        def.method = "small-steps";
        def.substeps = 10;
        def.threads = threads;
        vvResult result;
        vvWorldId world = vvCreateWorld(&def, &result);
        CHECK_OK(result);
        vvSoftBodyDef body = elasticDef(1000, 1e5, 0.3);
        body.damping.stiffness = DAMPING;
        body.spin = (vvVec3){ 0, 3, 1 };
        makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 12, 12, 12), body);
        for (int n = 0; n < 3; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        double dissipated = vvWorld_GetLedger(world).dissipated;
        first = threads == 1 ? dissipated : first;
        assert_true(dissipated > 0 && dissipated == first);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(booksCloseAsSubstepsGrow),
        cmocka_unit_test(restLosesNothing),
        cmocka_unit_test(booksDoNotDependOnThreads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
