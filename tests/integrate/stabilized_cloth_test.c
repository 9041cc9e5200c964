// Cloth that is shaken by one corner (Dinev 2018, Fig 10) under the stabilized method: waves go on, with nearly the
// kinetic energy that small steps have. Where they blend, steps are divided: whole ones keep less than half of it.
#include "integrate/small_midpoint.h"

static double meanKinetic(const char *method, int parts, double seconds)
{
    Cloth cloth = makeCloth((Setting){ .method = method, .iterations = 10 }, 31, 1e3, 0);
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

static void shakenClothMoves(void **unused)
{
    (void)unused;
    double truth = meanKinetic("verlet", 140, 3), got = meanKinetic("stabilized", 1, 3);
    print_message("kinetic energy %.2f J, of small steps %.2f J\n", got, truth);
    CHECK_CLOSE(got, truth, 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(shakenClothMoves) };
    return cmocka_run_group_tests_name("stabilized cloth", tests, NULL, NULL);
}
