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

// Hz, of a sheet of 1e6 N/m by two corners, in frames of h
static double swingByCorners(double mass, int cells, double h)
{
    Swinging plan = { HANG_CORNERS, cells, 1e6, 0.5, 0, mass, 1 };
    Body3 made = makeSwinging(NULL, 0, &plan, plan.stiffness);
    double *shape = malloc((size_t)made.count * sizeof(double)), series[301] = { 1e-12 };
    int frames = (int)(4.6 / h + 0.5);
    startSwinging(made, &plan, plan.stiffness, shape);
    for (int n = 1; n <= frames; ++n)
    {
        frame(made, h, 1);
        series[n] = alongShape(made, shape);
    }
    free(shape);
    vvDestroyWorld(made.world);
    return frequencyOf(series, frames + 1, h);
}

// The tension that a sheet swings by is not resolved where waves cross the whole in less than a substep: 1.017 and
// 1.014 of the frequencies in frames of 1/30 s.
static void stiffSheetsInLongFrames(void **state)
{
    (void)state;
    double light = swingByCorners(0.2, 10, 1.0 / 30), heavy = swingByCorners(0.5, 14, 1.0 / 30);
    print_message("by corners: %.4f Hz of 0.5916, %.4f Hz of 0.5891\n", light, heavy); // Verlet's method at h / 3300
    CHECK_CLOSE(light, 0.5916, 0.01);
    CHECK_CLOSE(heavy, 0.5891, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiffSheetsInLongFrames),
        cmocka_unit_test(frequencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
