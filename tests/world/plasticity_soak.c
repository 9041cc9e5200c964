// A pull under the default method, and springback over curvature, mesh and step: tables of docs/notes/materials.md.
#include "world/pulled.h"
#include "world/springback.h"

static void barsSpringBack(void **state)
{
    (void)state;
    static const struct
    {
        int along, across;
        double h, most; // s; largest relative error of the curvature that stays
    } rows[] = { { 16, 4, 0.025, 0.35 },  { 24, 6, 0.025, 0.12 },   { 48, 12, 0.05, 0.05 },
                 { 48, 12, 0.025, 0.05 }, { 48, 12, 0.0125, 0.05 }, { 64, 16, 0.025, 0.05 } };
    static const char *const models[] = { "corotated", "stable-neo-hookean" };
    for (int run = 0; run < 36; ++run)
    {
        int m = run / 18, r = run / 3 % 6, times = 2 << run % 3;
        double want = bentStays(times * BENT_FIRST);
        double got = bentMeasure(models[m], times * BENT_FIRST, rows[r].along, rows[r].across, rows[r].h);
        print_message("%s, %d x %d, %g s, %d times the first yield: %.4f stays, closed form %.4f, %+.1f %%; springs "
                      "back by %.4f, %+.1f %%\n",
                      models[m], rows[r].along, rows[r].across, rows[r].h, times, got, want, 100 * (got / want - 1),
                      1 - got, 100 * ((1 - got) / (1 - want) - 1));
        CHECK_NEAR(got, want, rows[r].most * want);
    }
}

static void defaultFollowsThePull(void **state)
{
    (void)state;
    checkSlopes("small-midpoint");
    checkLimit("small-midpoint");
    checkCreep("small-midpoint");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(defaultFollowsThePull), cmocka_unit_test(barsSpringBack) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
