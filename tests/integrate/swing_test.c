// A slice of what sheets and ropes must be true in under the default step; swing_soak.c has the whole tables.
#include "integrate/swing.h"

// swing and waves: within 1 % of Verlet's
static void frequencies(void **state)
{
    (void)state;
    static const struct
    {
        Swinging plan;
        double h;
        int parts;
    } rows[] = {
        { { HANG_EDGE, 8, 1e3, 0, 0, 0.2, 1 }, 1.0 / 60, 60 },   { { HANG_EDGE, 8, 1e5, 0, 0, 0.2, 1 }, 1.0 / 60, 150 },
        { { HANG_EDGE, 8, 1e6, 0.5, 2, 1, 1 }, 1.0 / 30, 200 },  { { HANG_EDGE, 8, 1e5, 0, 0, 0.2, 2 }, 1.0 / 30, 300 },
        { { HANG_ROPE, 20, 1e6, 0, 0, 0.2, 1 }, 1.0 / 30, 600 }, { { HANG_ROPE, 20, 1e6, 0, 0, 0.2, 3 }, 1.0 / 60, 300 }
    };
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); ++i)
    {
        const Swinging *plan = &rows[i].plan;
        Swung got = runSwinging(NULL, 0, plan, rows[i].h, 3.0 / plan->mode, rows[i].parts);
        print_message("%d, %g N/m, mode %d, h 1/%.0f: %.4f Hz of %.4f, %.1f substeps\n", plan->hanging, plan->stiffness,
                      plan->mode, 1 / rows[i].h, got.frequency, got.truth, got.substeps);
        CHECK_CLOSE(got.frequency, got.truth, 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
