// The cantilever of Macklin 2019, section 6.3, at full size: 12,800 tets, 100 substeps. References: a direct solve of
// the same mesh (linear -0.5598 m) and Newton's method (neo-Hookean -0.5526 m).
#include "world/scenes.h"

static double tipOf(const char *model, int substeps, int iterations, double damping, int frames, double *lowest)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "small-steps";
    worldDef.solver = "local-global";
    worldDef.substeps = substeps;
    worldDef.iterations = iterations;
    worldDef.threads = 2;
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef def = elasticDef(1000, 1e7, 0.45);
    def.damping.mass = damping;
    def.model = model;
    vvSoftBodyId beam = makeBody(world, vvCreateBoxMesh((vvVec3){ 4, 0.8, 0.8 }, 40, 8, 8), def);
    int held[81], tip[81];
    assert_int_equal(vvSoftBody_FindVertices(beam, planeBox(0, -2, 1e-6), held, 81), 81);
    assert_int_equal(vvSoftBody_FindVertices(beam, planeBox(0, 2, 1e-6), tip, 81), 81);
    CHECK_OK(vvSoftBody_Pin(beam, held, 81));
    *lowest = 0;
    for (int n = 0; n < frames; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        *lowest = fmin(*lowest, meanCoordinate(beam, tip, 81, 1));
    }
    double way = meanCoordinate(beam, tip, 81, 1);
    print_message("%s, %d x %d: tip %.4f m, lowest %.4f m\n", model, substeps, iterations, way, *lowest);
    vvDestroyWorld(world);
    return way;
}

static void fullSizeBendsAsItShould(void **unused)
{
    (void)unused;
    double lowest;
    CHECK_CLOSE(tipOf("corotated", 100, 1, 10, 180, &lowest), -0.5598, 0.02);
    CHECK_CLOSE(tipOf("stable-neo-hookean", 100, 1, 10, 180, &lowest), -0.5526, 0.02);
    CHECK_CLOSE(tipOf("linear", 100, 1, 10, 180, &lowest), -0.5598, 0.03);
    assert_true(tipOf("corotated", 1, 100, 3, 180, &lowest) < 1.5 * -0.5598);
    // no damping: twice as deep
    tipOf("corotated", 100, 1, 0, 60, &lowest);
    CHECK_CLOSE(lowest, 2 * -0.5598, 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fullSizeBendsAsItShould) };
    return cmocka_run_group_tests_name("cantilever", tests, NULL, NULL);
}
