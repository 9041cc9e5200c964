// Nothing happens to a body at rest: methods that control the energy do not mistake rounding errors for motion.
// (stabilized-explicit starts from an explicit step, which amplifies them.)
#include "world/scenes.h"

static const char *const CONTROLLED[] = { "small-midpoint", "stabilized", "energy-budget", "energy-multiplier" };
static const vvVec3 NONE = { 0, 0, 0 };

// a bar, a sheet and a rope, free or held at vertex 0, none of them where numbers are exact
static vvSoftBodyId makeResting(vvWorldId world, int shape, double away, bool pinned)
{
    vvSoftBodyDef def = elasticDef(1000, 2e5, 0.4);
    def.material.thickness = 0.01;
    def.position = (vvVec3){ away + 0.3, 0.7, -away / 3 };
    if (shape == 1)
        def.model = "triangle";
    vvMesh *mesh = shape == 0   ? vvCreateBarMesh(1, 0.2, 7, 3)
                   : shape == 1 ? vvCreateSheetMesh(1.2, 0.7, 7, 5)
                                : vvCreateRopeMesh(0.7, 9);
    vvSoftBodyId body = makeBody(world, mesh, def);
    int vertex = 0;
    if (pinned)
        CHECK_OK(vvSoftBody_Pin(body, &vertex, 1));
    return body;
}

static void restIsNotBlended(void **state)
{
    (void)state;
    const int methods = sizeof CONTROLLED / sizeof CONTROLLED[0];
    for (int i = 0; i < methods * 3 * 2 * 2; ++i)
    {
        const char *method = CONTROLLED[i / 12];
        double away = i % 2 == 0 ? 0 : 1000; // m
        vvWorldId world = makeWorld(method, NONE);
        makeResting(world, i / 4 % 3, away, i / 2 % 2 == 1);
        for (int step = 0; step < 40; ++step)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            vvStatistics now = vvWorld_GetStatistics(world);
            if (now.alpha != 0 || now.blendFailures != 0)
                fail_msg("%s, case %d, step %d: alpha %g, %d failures", method, i, step, now.alpha, now.blendFailures);
        }
        vvDestroyWorld(world);
    }
}

// a change of the energy by rounding asks for no more substeps
static void restIsNotDivided(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", NONE);
    for (int i = 0; i < 8; ++i)
    {
        vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
        def.position = (vvVec3){ 3 * i, 5, 0 };
        makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.3, 0.5 }, 4, 3, 4), def);
    }
    for (int step = 0; step < 20; ++step)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        assert_int_equal(vvWorld_GetStatistics(world).substeps, 5);
    }
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(restIsNotBlended), cmocka_unit_test(restIsNotDivided) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
