// Cloth that is shaken by one corner (Dinev 2018, Fig 10) under the stabilized method: waves go on, with nearly the
// kinetic energy that small steps have. Where they blend, steps are divided: whole ones keep less than half of it, and
// plain iterations are too soft.
#include "integrate/small_midpoint.h"

static double meanKinetic(const char *method, int parts, double seconds, double stiffness)
{
    Cloth cloth = makeCloth((Setting){ .method = method, .iterations = 10 }, 31, stiffness, 0);
    double sum = 0;
    int count = 0;
    for (int frame = 0; frame * 0.033 < seconds; ++frame)
    {
        for (int k = 1; k <= parts; ++k)
        {
            shakeCloth(&cloth, (frame + (double)k / parts) * 0.033);
            CHECK_OK(vvWorld_Step(cloth.world, 0.033 / parts));
        }
        if (frame * 0.033 < 1)
            continue; // until then it falls
        sum += vvWorld_GetLedger(cloth.world).kinetic;
        count += 1;
    }
    vvDestroyWorld(cloth.world);
    return sum / count;
}

// 1e3 N/m in make test
static void shakenClothMoves(void **unused)
{
    (void)unused;
    static const struct
    {
        double stiffness;
        int parts; // of Verlet's method
    } rows[] = { { 1e3, 140 }, { 1e2, 140 }, { 1e4, 440 } };
    for (int i = 0; i < 3; i += sliceOf(3))
    {
        double truth = meanKinetic("verlet", rows[i].parts, 3, rows[i].stiffness);
        double got = meanKinetic("stabilized", 1, 3, rows[i].stiffness);
        print_message("%g N/m: kinetic energy %.2f J, of small steps %.2f J\n", rows[i].stiffness, got, truth);
        CHECK_CLOSE(got, truth, rows[i].stiffness < 1e4 ? 0.1 : 0.25);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(shakenClothMoves) };
    return cmocka_run_group_tests_name("stabilized cloth", tests, NULL, NULL);
}
