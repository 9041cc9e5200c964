// Cloth that is shaken by one corner (Dinev 2018, Fig 10) under the stabilized method: waves go on, with nearly the
// kinetic energy that small steps have. Where they blend, steps are divided: whole ones keep less than half of it, and
// plain iterations are too soft.
#include "integrate/small_midpoint.h"

#define WINDOWS 2 // 1 to 3 s, 3 to 5 s; until then it falls

typedef struct Kinetic
{
    double mean[WINDOWS]; // J
} Kinetic;

// `solver`: NULL has ten iterations of local/global
static Kinetic meanKinetic(const char *method, const char *solver, int parts, int windows, double stiffness)
{
    Cloth cloth = makeCloth((Setting){ .method = method, .iterations = 10 }, 31, stiffness, 0);
    if (solver != NULL)
    {
        CHECK_OK(vvWorld_SetSolver(cloth.world, solver));
        CHECK_OK(vvWorld_SetIterations(cloth.world, 0));
    }
    Kinetic sum = { 0 };
    int count[WINDOWS] = { 0 };
    for (int frame = 0; frame * 0.033 < 1 + 2 * windows; ++frame)
    {
        for (int k = 1; k <= parts; ++k)
        {
            shakeCloth(&cloth, (frame + (double)k / parts) * 0.033);
            CHECK_OK(vvWorld_Step(cloth.world, 0.033 / parts));
        }
        if (frame * 0.033 < 1)
            continue;
        int window = frame * 0.033 < 3 ? 0 : 1;
        sum.mean[window] += vvWorld_GetLedger(cloth.world).kinetic;
        count[window] += 1;
    }
    for (int w = 0; w < windows; ++w)
        sum.mean[w] /= count[w];
    vvDestroyWorld(cloth.world);
    return sum;
}

// 1e3 N/m with local/global until 3 s in make test
static void shakenClothMoves(void **unused)
{
    (void)unused;
    static const struct
    {
        double stiffness;
        int parts; // of Verlet's method
    } rows[] = { { 1e3, 140 }, { 1e2, 140 }, { 1e4, 440 } };
    int stride = sliceOf(3), windows = stride == 1 ? WINDOWS : 1, solvers = stride == 1 ? 2 : 1;
    for (int i = 0; i < 3; i += stride)
    {
        double k = rows[i].stiffness;
        Kinetic truth = meanKinetic("verlet", NULL, rows[i].parts, windows, k);
        for (int s = 0; s < solvers; ++s)
        {
            const char *solver = s == 0 ? NULL : "newton";
            Kinetic got = meanKinetic("stabilized", solver, 1, windows, k);
            for (int w = 0; w < windows; ++w)
            {
                print_message("%g N/m, %s, %d to %d s: kinetic energy %.2f J, of small steps %.2f J (%.2f)\n", k,
                              s == 0 ? "local-global" : solver, 1 + 2 * w, 3 + 2 * w, got.mean[w], truth.mean[w],
                              got.mean[w] / truth.mean[w]);
                CHECK_CLOSE(got.mean[w], truth.mean[w], k < 1e4 ? 0.1 : 0.25);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(shakenClothMoves) };
    return cmocka_run_group_tests_name("stabilized cloth", tests, NULL, NULL);
}
