// Free bodies under the stabilized method with every solver move as converged ones do: both momenta, energy, the share
// of it that is elastic, the time of the first flip. A slice; free_body_soak.c has the table.
#include "integrate/free_body.h"

#include "world/vibration.h"

#include <stdlib.h>

#define WAVES 3

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
                          .h = 1.0 / 22, // at 1/20 s frames always meet the rod's first stretching at the same phase
                          .seconds = 1.5,
                          .parts = 1 };
        FreeMotion truth = spinTruly(&body), got = spinFreeBody(&body);
        wrong += !isTrueMotion(&body, &got, &truth);
    }
    assert_int_equal(wrong, 0);
}

// frequency of mode `mode` in steps of h that is h w = `angle`, over its own
static double paceOf(const char *shape, const char *solver, int mode, double angle)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "stabilized";
    def.solver = solver;
    def.gravity = (vvVec3){ 0, 0, 0 };
    vvResult result;
    Body3 made = { .world = vvCreateWorld(&def, &result) };
    CHECK_OK(result);
    made.body = makeBody(made.world, freeMesh(shape, 1), elasticDef(1000, 1e6, 0.3));
    made.count = vvSoftBody_GetVertexCount(made.body);
    size_t size = 3 * (size_t)made.count;
    double frequency[WAVES], *u = malloc(WAVES * size * sizeof(double)), series[400];
    double *rest = malloc(size * sizeof(double)), *velocity = malloc(size * sizeof(double));
    assert_int_equal(vibrationModes(made.body, WAVES, frequency, u), WAVES);
    const double *own = u + (size_t)mode * size, *x = vvSoftBody_GetPositions(made.body);
    const double *mass = vvSoftBody_GetMasses(made.body);
    memcpy(rest, x, size * sizeof(double));
    for (size_t i = 0; i < size; ++i)
        velocity[i] = 1e-3 * frequency[mode] * own[i];
    CHECK_OK(vvSoftBody_SetVelocities(made.body, velocity));
    double total = totalEnergy(made.world), h = angle / frequency[mode];
    int frames = (int)fmin(400, 10 * 6.3 / angle);
    for (int n = 0; n < frames; ++n)
    {
        CHECK_OK(vvWorld_Step(made.world, h));
        x = vvSoftBody_GetPositions(made.body);
        series[n] = 0;
        for (size_t i = 0; i < size; ++i)
            series[n] += mass[i / 3] * own[i] * (x[i] - rest[i]);
    }
    CHECK_NEAR(totalEnergy(made.world), total, 1e-3 * total);
    vvDestroyWorld(made.world);
    free(velocity);
    free(rest);
    free(u);
    return frequencyOf(series, frames, h) * 6.283185307179586 / frequency[mode];
}

// The midpoint rule has .967, .858 of a frequency of h w = .6, 1.5.
static void vibrationsKeepTheirPace(void **unused)
{
    (void)unused;
    static const char *const shapes[] = { "plate", "rod", "torus", "ellipsoid" };
    for (int i = 0; i < 16; ++i)
    {
        double angle = i % 2 ? 1.5 : 0.6, pace = paceOf(shapes[i / 4], solvers[i % 4], i % WAVES, angle);
        print_message("%s, %s, mode %d, h w = %.1f: %.4f of its frequency\n", shapes[i / 4], solvers[i % 4], i % WAVES,
                      angle, pace);
        CHECK_NEAR(pace, 1, 0.005);
    }
}

// what is left of a smooth motion's error when the step is halved three times: a plate that spins, and one that is held
// and falls
static void convergesAtSecondOrder(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4; ++i)
    {
        double error[2];
        Body3 truth = { 0 };
        for (int k = 0; k < 3; ++k)
        {
            vvWorldDef def = vvDefaultWorldDef();
            def.method = k == 0 ? "verlet" : "stabilized";
            def.solver = i / 2 ? "local-global" : "newton";
            def.iterations = i / 2 ? 200 : 0;
            def.gravity = (vvVec3){ 0, i % 2 ? -9.81 : 0, 0 };
            vvResult result;
            Body3 made = { .world = vvCreateWorld(&def, &result) };
            CHECK_OK(result);
            vvSoftBodyDef body = elasticDef(1000, 3e4, 0.3);
            body.spin = i % 2 ? (vvVec3){ 0, 0, 0 } : (vvVec3){ 0.3, 4, 0.5 };
            made.body = makeBody(made.world, vvCreateBoxMesh((vvVec3){ 1, 0.5, 0.2 }, 4, 2, 1), body);
            made.count = vvSoftBody_GetVertexCount(made.body);
            if (i % 2)
                pinPlane(made, 0, -0.5);
            int steps = k == 0 ? 3000 : k == 1 ? 60 : 480;
            for (int n = 0; n < steps; ++n)
                CHECK_OK(vvWorld_Step(made.world, 0.5 / steps));
            if (k == 0)
            {
                truth = made;
                continue;
            }
            error[k - 1] = distance(made, vvSoftBody_GetPositions(made.body), vvSoftBody_GetPositions(truth.body));
            vvDestroyWorld(made.world);
        }
        print_message("%s, %s: off by %.1e m, with an eighth of the step %.1e m\n", i / 2 ? "local-global" : "newton",
                      i % 2 ? "held" : "free", error[0], error[1]);
        CHECK_BELOW(error[1], error[0] / 32);
        vvDestroyWorld(truth.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(spinsAreTrue), cmocka_unit_test(thinAndStiff),
                                        cmocka_unit_test(vibrationsKeepTheirPace),
                                        cmocka_unit_test(convergesAtSecondOrder) };
    return cmocka_run_group_tests_name("free bodies", tests, NULL, NULL);
}
