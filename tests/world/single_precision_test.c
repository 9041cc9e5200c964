// Small steps in single precision: cloth goes where it goes in double, with the bits of any number of threads and
// instruction set, and what single precision cannot take is taken in double.
#include "world/scenes.h"

#include <string.h>
#include <time.h>

#define SIDE 100
#define COUNT (3 * (SIDE + 1) * (SIDE + 1))

static vvWorldId clothWorld(vvPrecision precision, int threads, const char *set, double drag, vvSoftBodyId *body)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "small-steps";
    def.settings.smallSteps.precision = precision;
    def.substeps = 30;
    def.threads = threads;
    def.instructionSet = set;
    vvResult result;
    vvWorldId world = vvCreateWorld(&def, &result);
    CHECK_OK(result);
    vvSoftBodyDef cloth = elasticDef(1000, 1e6, 0.3);
    cloth.model = "spring";
    cloth.material.thickness = 1e-3;
    cloth.damping.mass = drag;
    *body = makeBody(world, vvCreateSheetMesh(1, 1, SIDE, SIDE), cloth);
    CHECK_OK(vvSoftBody_Pin(*body, (const int[]){ 0, SIDE }, 2));
    assert_int_equal(3 * vvSoftBody_GetVertexCount(*body), COUNT);
    return world;
}

static double stepCloth(vvWorldId world, int steps) // s of work
{
    clock_t since = clock();
    for (int n = 0; n < steps; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    return (double)(clock() - since) / CLOCKS_PER_SEC;
}

// rounding, 6e-8, of ways of 10 mm a step, over 10 steps of 30 substeps; momentum and energies likewise
static void clothGoesWhereItGoesInDouble(void **state)
{
    (void)state;
    vvSoftBodyId one, two;
    vvWorldId single = clothWorld(VV_PRECISION_SINGLE, 1, NULL, 0, &one),
              exact = clothWorld(VV_PRECISION_DOUBLE, 1, NULL, 0, &two);
    stepCloth(single, 1);
    stepCloth(exact, 1); // plans are made
    double quick = stepCloth(single, 9), slow = stepCloth(exact, 9), off = 0, moved = 0;
    for (int i = 0; i < COUNT; ++i)
    {
        off = fmax(off, fabs(vvSoftBody_GetPositions(one)[i] - vvSoftBody_GetPositions(two)[i]));
        moved = fmax(moved, fabs(vvSoftBody_GetVelocities(two)[i]));
    }
    print_message("9 steps: single %.3f s, double %.3f s, ratio %.2f; positions differ by %.2e m\n", quick, slow,
                  slow / quick, off);
    assert_true(moved > 0.1 && off > 0); // it fell, and not in double
    CHECK_BELOW(off, 1e-5);
    vvLedger a = vvWorld_GetLedger(single), b = vvWorld_GetLedger(exact);
    CHECK_CLOSE(a.kinetic, b.kinetic, 1e-4);
    CHECK_CLOSE(a.elastic, b.elastic, 1e-3);
    CHECK_CLOSE(a.momentum.y, b.momentum.y, 1e-4);
    vvDestroyWorld(single);
    vvDestroyWorld(exact);
}

static void bitsDoNotDependOnThreadsNorSets(void **state)
{
    (void)state;
    static const int threads[] = { 1, 2, 3, 4, 7, 1 };
    double *first = test_malloc(COUNT * sizeof(double));
    for (int k = 0; k < 6; ++k)
    {
        vvSoftBodyId body;
        vvWorldId world = clothWorld(VV_PRECISION_SINGLE, threads[k], k == 5 ? "base" : NULL, 0, &body);
        stepCloth(world, 2);
        if (k == 0)
            memcpy(first, vvSoftBody_GetPositions(body), COUNT * sizeof(double));
        assert_memory_equal(first, vvSoftBody_GetPositions(body), COUNT * sizeof(double));
        vvDestroyWorld(world);
    }
    test_free(first);
}

static void whatItCannotTakeIsTakenInDouble(void **state)
{
    (void)state;
    vvSoftBodyId one, two;
    vvWorldId single = clothWorld(VV_PRECISION_SINGLE, 1, NULL, 0.5, &one),
              exact = clothWorld(VV_PRECISION_DOUBLE, 1, NULL, 0.5, &two);
    stepCloth(single, 2);
    stepCloth(exact, 2);
    assert_memory_equal(vvSoftBody_GetPositions(one), vvSoftBody_GetPositions(two), COUNT * sizeof(double));
    vvDestroyWorld(single);
    vvDestroyWorld(exact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clothGoesWhereItGoesInDouble),
        cmocka_unit_test(bitsDoNotDependOnThreadsNorSets),
        cmocka_unit_test(whatItCannotTakeIsTakenInDouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
