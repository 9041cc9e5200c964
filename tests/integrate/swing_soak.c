// The tables of docs/notes/small-midpoint.md on sheets and ropes: prints them, and fails where the default step misses
// the truth.
#include "integrate/swing.h"

static const double stiffnesses[] = { 1e2, 1e3, 1e4, 1e5, 1e6 };

// Verlet's limit goes with the root of the stiffness
static int partsOf(const Swinging *plan, double stiffness, double h)
{
    double most = plan->hanging == HANG_CORNERS ? 1e6 : 1e4;
    double k = fmin(stiffness, most) * (plan->hanging == HANG_ROPE ? plan->cells : 1);
    int vertices = plan->hanging == HANG_ROPE ? plan->cells : plan->cells * plan->cells;
    return (int)(3 * h * sqrt(8 * k * vertices / plan->mass)) + 20;
}

// `limit`: of the frequency, for stiffnesses from `least` on
static void runTable(const char *name, Swinging plan, int modes, double least, double limit)
{
    for (int i = 0; i < 10 * modes; ++i)
    {
        double h = i % 2 ? 1.0 / 30 : 1.0 / 60;
        plan.stiffness = stiffnesses[i / 2 % 5];
        plan.mode = 1 + i / 10;
        if (plan.hanging == HANG_CORNERS && plan.stiffness < least)
            continue; // see softSheetsByCorners
        Swung got = runSwinging(NULL, 0, &plan, h, 5.0 / plan.mode, partsOf(&plan, plan.stiffness, h));
        print_message("%s, %g N/m, mode %d, h 1/%.0f: %.4f Hz of %.4f (%.4f), H %.3f to %.3f, %.1f substeps\n", name,
                      plan.stiffness, plan.mode, 1 / h, got.frequency, got.truth, got.frequency / got.truth, got.least,
                      got.most, got.substeps);
        if (plan.stiffness >= least && plan.mode <= 2)
            CHECK_CLOSE(got.frequency, got.truth, limit);
    }
}

static void sheetsByAnEdge(void **state)
{
    (void)state;
    runTable("sheet by an edge", (Swinging){ HANG_EDGE, 10, 0, 0, 0, 0.2, 1 }, 3, 1e2, 0.01);
    runTable("the same, diagonals, bending", (Swinging){ HANG_EDGE, 12, 0, 0.5, 1, 0.2, 1 }, 1, 1e3, 0.01);
    runTable("the same, 2 kg", (Swinging){ HANG_EDGE, 12, 0, 0.5, 1, 2, 1 }, 1, 1e3, 0.01);
}

static void sheetsByCorners(void **state)
{
    (void)state;
    runTable("sheet by corners", (Swinging){ HANG_CORNERS, 10, 0, 0.5, 0, 0.2, 1 }, 1, 1e4, 0.01);
}

// Soft sheets by corners sag and buckle, and have no frequency: Verlet's method itself has .49, .66 and .66 Hz at 1e2
// N/m, in its parts, in a quarter of them, and with 1e-7 m/s beside its velocities. How far they swing in the first
// second it tells to .3 %.
static void softSheetsByCorners(void **state)
{
    (void)state;
    for (int i = 0; i < 4; ++i)
    {
        Swinging plan = { HANG_CORNERS, 10, stiffnesses[i / 2], 0.5, 0, 0.2, 1 };
        double h = i % 2 ? 1.0 / 30 : 1.0 / 60;
        Swung got = runSwinging(NULL, 0, &plan, h, 1, partsOf(&plan, plan.stiffness, h));
        print_message(
            "sheet by corners, %g N/m, h 1/%.0f: swing off by %.4f in a second, farthest vertex by %.3f of the "
            "travel, kinetic energy %.3f\n",
            plan.stiffness, 1 / h, got.along, got.error, got.kinetic);
        CHECK_BELOW(got.along, 0.05);
    }
}

static void ropes(void **state)
{
    (void)state;
    runTable("rope of 20 links", (Swinging){ HANG_ROPE, 20, 0, 0, 0, 0.2, 1 }, 3, 1e2, 0.01);
    runTable("rope of 100 links", (Swinging){ HANG_ROPE, 100, 0, 0, 0, 0.2, 1 }, 2, 1e2, 0.01);
    runTable("rope of 40 links, bending, 2 kg", (Swinging){ HANG_ROPE, 40, 0, 0, 1, 2, 1 }, 2, 1e3, 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheetsByAnEdge),
        cmocka_unit_test(sheetsByCorners),
        cmocka_unit_test(softSheetsByCorners),
        cmocka_unit_test(ropes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
