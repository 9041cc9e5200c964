// The long run of apart_test.c: thousands of steps in which nothing may cross, in scenes of random size and speed.
#include "contact/ordeals.h"

#include <stdio.h>

#define FRAMES 10000

static void run(const ApartScene *scene, int frames, int *total)
{
    for (int n = 0; n < frames; ++n)
        assert_int_equal(apartStep(scene), 0);
    vvDestroyWorld(scene->world);
    *total += frames;
}

static void nothing_crosses(void **state)
{
    (void)state;
    TestRandom random = { 1 };
    const char *given = getenv("VERVE_APART_FRAMES");
    int total = 0, most = (given ? atoi(given) : FRAMES) / 5;
    for (int k = 0; total < most; ++k)
    {
        ApartScene scene;
        if (k % 4 == 0)
            scene = thrownSolids(2, &random);
        else if (k % 4 == 1)
            scene = foldingSheet(2, 16 + 4 * (k / 4 % 5));
        else if (k % 4 == 2)
            scene = droppedSheets(2, 10 + 3 * (k / 4 % 6));
        else
        {
            Twist twist = twistedSheet(2, 16 + 2 * (k / 4 % 5));
            for (int n = 0; n < 200; ++n)
            {
                twistOn(&twist,
                        fmin(0.06 + 0.02 * (k / 4 % 4), fmax(8 - twist.angle, 0))); // farther, pins press it flat
                assert_int_equal(apartStep(&twist.scene), 0);
            }
            total += 200;
            vvDestroyWorld(twist.scene.world);
            continue;
        }
        run(&scene, 150, &total);
    }
    printf("%d frames without a crossing\n", total);
}

// each kind a quarter of the frames
static void nothing_crosses_in_ordeals(void **state)
{
    (void)state;
    const char *given = getenv("VERVE_APART_FRAMES");
    int most = (given ? atoi(given) : FRAMES) / ORDEALS, sum = 0;
    for (int kind = 0; kind < ORDEALS; ++kind)
    {
        TestRandom random = { 5 };
        int total = 0, crossed = 0;
        for (int k = 0; total < most; ++k)
        {
            Ordeal ordeal = ordealBegin((OrdealKind)kind, &random);
            for (int n = 0; n < ordeal.frames; ++n, ++total)
            {
                int crossings = ordealStep(&ordeal);
                if (crossings > 0)
                    printf("%s %d, frame %d: %d crossings\n", ordealName[kind], k, n, crossings);
                crossed += crossings > 0;
            }
            vvDestroyWorld(ordeal.twist.scene.world);
        }
        printf("%s: %d of %d frames with crossings\n", ordealName[kind], crossed, total);
        fflush(stdout);
        sum += crossed;
    }
    assert_int_equal(sum, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_crosses_in_ordeals),
                                        cmocka_unit_test(nothing_crosses) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
