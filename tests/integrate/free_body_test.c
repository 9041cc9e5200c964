// Free bodies under the stabilized method with every solver move as converged ones do: both momenta, energy, the share
// of it that is elastic, the time of the first flip. A slice; free_body_soak.c has the table.
#include "integrate/free_body.h"

#include <stdlib.h>

static const char *const solvers[] = { "newton", "newton-cg", "simplified-newton", "local-global" };

static void spinsAreTrue(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (int i = 0; i < 6; ++i)
    {
        FreeBody body = randomFreeBody(i);
        body.seconds = i == 5 ? 2.3 : 1.2;
        FreeMotion truth = spinTruly(&body);
        for (int k = 0; k < 4; ++k)
        {
            body.method = "stabilized";
            body.solver = solvers[k];
            if (k % 3 != 0 && i % 3 != k) // those of Newton's kin agree
                continue;
            FreeMotion got = spinFreeBody(&body);
            wrong += !isTrueMotion(&body, &got, &truth);
        }
    }
    assert_int_equal(wrong, 0);
}

// Bodies for which few iterations of local/global gained energy without bound: thin, stiff and fast, in long steps.
// There the one blend that such a run may need takes the vibrations with it.
static void thinAndStiff(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (int i = 0; i < 4; ++i)
    {
        FreeBody body = { .method = "stabilized",
                          .solver = i / 2 ? "local-global" : "newton",
                          .shape = i % 2 ? "rod" : "plate",
                          .young = 1e7,
                          .poisson = 0.3,
                          .rate = 20,
                          .axis = 2,
                          .h = 1.0 / 20,
                          .seconds = 1.5,
                          .parts = 1 };
        FreeMotion truth = spinTruly(&body), got = spinFreeBody(&body);
        bool same = isTrueMotion(&body, &got, &truth);
        bool kept = got.angular < 1e-9 && got.most < 1.01 && got.least > 0.99 && got.share < 2 * truth.share;
        wrong += !(i / 2 ? kept : same);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(spinsAreTrue), cmocka_unit_test(thinAndStiff) };
    return cmocka_run_group_tests_name("free bodies", tests, NULL, NULL);
}
