// The table of free bodies: every solver of the stabilized method against converged motion, at 1/60 and 1/30 s, and
// some of them for 10,000 frames.
#include "integrate/free_body.h"

static const char *const solvers[] = { "newton", "newton-cg", "simplified-newton", "local-global" };

static void spinsAreTrue(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (int i = 0; i < 96; ++i)
    {
        FreeBody body = randomFreeBody(i);
        body.h = i < 48 ? 1.0 / 60 : 1.0 / 30;
        body.seconds = 6;
        FreeMotion truth = spinTruly(&body);
        for (int k = 0; k < 4; ++k)
        {
            body.method = "stabilized";
            body.solver = solvers[k];
            FreeMotion got = spinFreeBody(&body);
            wrong += !isTrueMotion(&body, &got, &truth);
        }
    }
    assert_int_equal(wrong, 0);
}

// the truth's share after 20 s is that of later: what vibrates goes on
static void forLong(void **unused)
{
    (void)unused;
    int wrong = 0;
    for (int i = 0; i < 12; ++i)
    {
        FreeBody body = randomFreeBody(i);
        body.seconds = 20;
        FreeMotion truth = spinTruly(&body);
        body.seconds = 10000 * body.h;
        body.method = "stabilized";
        body.solver = solvers[i / 6 ? 3 : 0];
        FreeMotion got = spinFreeBody(&body);
        wrong += !isTrueMotion(&body, &got, &truth);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(spinsAreTrue), cmocka_unit_test(forLong) };
    return cmocka_run_group_tests_name("free bodies, the table", tests, NULL, NULL);
}
