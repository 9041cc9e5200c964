// Halving the time step on smooth motion: the default step with fixed substeps and `stabilized` fall at second order;
// with automatic substeps the default's error does not grow, and falls at second order where a frame has a single
// substep.
#include "integrate/truth.h"

#define LOOKS 15   // of 1/30 s each
#define STEPS 8    // each half of the one before
#define MOST 1000  // vertices
#define FLOOR 1e-5 // corrections of local-global end at 1e-10 of the size in each step, and add up

typedef struct Path
{
    double x[LOOKS][3 * MOST];
} Path;

// Where a bar rests under its weight: let go from there without weight it moves in its lowest modes, and what no
// substep resolves gets next to nothing.
static void loadBar(Bar bar, double *x)
{
    bar.plan.method = "backward-euler";
    bar.plan.damping = 0.3;
    bar.plan.gravity = (vvVec3){ 0, -bar.size, 0.3 * bar.size };
    Body3 made = makeBar(bar.plan, bar.thickness, 2);
    assert_true(made.count <= MOST);
    for (int n = 0; n < 400; ++n)
        CHECK_OK(vvWorld_Step(made.world, 0.1));
    memcpy(x, vvSoftBody_GetPositions(made.body), (size_t)made.count * 3 * sizeof(double));
    vvDestroyWorld(made.world);
}

// let go from `start`; `parts` steps in 1/30 s
static void letGo(Bar bar, Plan plan, const double *start, int parts, Path *path)
{
    plan.young = bar.plan.young;
    plan.poisson = bar.plan.poisson;
    Body3 made = makeBar(plan, bar.thickness, 2);
    CHECK_OK(vvSoftBody_SetPositions(made.body, start));
    for (int k = 0; k < LOOKS; ++k)
    {
        frame(made, 1.0 / 30, parts);
        memcpy(path->x[k], vvSoftBody_GetPositions(made.body), (size_t)made.count * 3 * sizeof(double));
    }
    vvDestroyWorld(made.world);
}

// the largest distance at any look, over the travel
static double errorOf(Bar bar, const Path *path, const Path *truth, const double *start)
{
    Body3 made = makeBar(bar.plan, bar.thickness, 2);
    double error = 0, travel = 0;
    for (int k = 0; k < LOOKS; ++k)
    {
        error = fmax(error, distance(made, path->x[k], truth->x[k]));
        travel = fmax(travel, distance(made, truth->x[k], start));
    }
    vvDestroyWorld(made.world);
    return error / travel;
}

static const struct
{
    const char *name;
    Plan plan;
    int resolved;  // halvings of 1/30 s after which its error falls at second order
    int end;       // and before which: local-global's iterations and the truth end somewhere
    double growth; // by which a halving may raise it: what is not resolved has another phase in other steps
} rows[] = {
    { "automatic", { .method = "small-midpoint" }, 6, STEPS, 1.4 },
    { "8 substeps", { .method = "small-midpoint", .substeps = 8 }, 3, STEPS - 1, 1.4 },
    { "newton", { .method = "stabilized", .solver = "newton" }, 3, STEPS, 1 },
    { "local-global", { .method = "stabilized", .solver = "local-global" }, 3, 5, 1 },
};

static void errorsFallWithTheStep(void **state)
{
    (void)state;
    static const Bar bars[] = {
        { .plan = { .young = 1e5, .poisson = 0.3 }, .size = 0.5, .thickness = 0.2 },
        { .plan = { .young = 1e5, .poisson = 0.3 }, .size = 0.3, .thickness = 0.1 },
    };
    static Path truth, path;
    static double start[3 * MOST];
    for (int b = 0; b < 2; ++b)
    {
        loadBar(bars[b], start);
        letGo(bars[b], (Plan){ .method = "verlet" }, start, 512, &truth); // within 6e-8 of half as many
        for (int i = 0; i < (int)(sizeof rows / sizeof rows[0]); ++i)
        {
            double error[STEPS];
            for (int k = 0; k < STEPS; ++k)
            {
                letGo(bars[b], rows[i].plan, start, 1 << k, &path);
                error[k] = errorOf(bars[b], &path, &truth, start);
                print_message("%g m, %s, h 1/%d: %.2e of the travel\n", bars[b].thickness, rows[i].name, 30 << k,
                              error[k]);
                for (int before = 0; before < k; ++before)
                    CHECK_BELOW(error[k], fmax(rows[i].growth * error[before], FLOOR));
                if (k > rows[i].resolved && k < rows[i].end)
                    CHECK_NEAR(log2(error[k - 1] / error[k]), 2, 0.3); // the next order is in it
            }
            CHECK_BELOW(error[0], i < 2 ? 5e-4 : 1e-2);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(errorsFallWithTheStep) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
