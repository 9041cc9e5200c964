// Every integrator: its order on a nonlinear scene, its closed form on the oscillator, and time reversal of midpoint.
#include "integrate/tables.h"
#include "methods.h"
#include "world/scenes.h"
#include "undamped.h"

// where a stretched, spinning, pinned body is after half a second
static void runScene(const char *method, int steps, double *x)
{
    vvWorldId world = makeWorld(method, (vvVec3){ 0, -9.81, 0 });
    vvSoftBodyDef def = elasticDef(1000, 3e4, 0.3);
    def.damping.mass = 0.3;
    vvSoftBodyId body = makeBody(world, vvCreateBarMesh(0.4, 0.2, 2, 1), def);
    int pins[4];
    assert_int_equal(vvSoftBody_FindVertices(body, planeBox(0, -0.2, 1e-6), pins, 4), 4);
    CHECK_OK(vvSoftBody_Pin(body, pins, 4));
    for (int n = 0; n < steps; ++n)
        CHECK_OK(vvWorld_Step(world, 0.5 / steps));
    memcpy(x, vvSoftBody_GetPositions(body), 36 * sizeof(double));
    vvDestroyWorld(world);
}

static double distance(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < 36; ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static void methodsHaveTheirOrder(void **unused)
{
    (void)unused;
    double exact[36], coarse[36], fine[36];
    runScene("verlet", 32000, exact); // within 3e-8 m of twice as many
    static const struct
    {
        const char *method;
        int order, steps;
    } rows[] = { { "implicit-midpoint", 2, 200 },
                 { "backward-euler", 1, 1600 },
                 { "symplectic-euler", 1, 800 },
                 { "small-midpoint", 2, 200 } };
    for (int i = 0; i < 4; ++i)
    {
        runScene(rows[i].method, rows[i].steps, coarse);
        runScene(rows[i].method, 2 * rows[i].steps, fine);
        double order = log2(distance(coarse, exact) / distance(fine, exact));
        print_message("%s: error %.3e, order %.2f\n", rows[i].method, distance(fine, exact), order);
        CHECK_NEAR(order, rows[i].order, 0.15);
    }
}

// one vertex on an attachment is the harmonic oscillator: compare with the closed forms of the three maps
static void oscillatorFollowsTheClosedForm(void **unused)
{
    (void)unused;
    const double k = 400, h = 0.02;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        static const char *const elsewhere[] = { "runge-kutta",   "verlet",  "linear-implicit-euler",
                                                 "trapezoid",     "newmark", "generalized-alpha",
                                                 "bdf2-variable", NULL };
        const char *method = vvGetMethodName(m);
        // a blend that changes from step to step; comparators_test.c: projections without stiffness, Jacobi cut short
        static const char *const without[] = { "stabilized-explicit", "pbd", "pd-jacobi", NULL };
        if (isOneOf(method, without))
            continue;
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.method = method;
        worldDef.gravity = (vvVec3){ 0, 0, 0 };
        worldDef.substeps = 20;
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvSoftBodyDef def = undampedDef();
        def.material.thickness = 0.05;
        vvSoftBodyId rope = makeBody(world, vvCreateRopeMesh(1, 1), def);
        int both[2] = { 0, 1 };
        for (int i = 0; i < 2; ++i)
            attachToPoint(world, rope, both[i], k);
        double x0[6], v0[6] = { 0, 0.1, 0, 0, 0.1, 0 }; // both ends alike: the spring between them stays slack
        memcpy(x0, vvSoftBody_GetPositions(rope), sizeof x0);
        x0[1] += 0.2;
        x0[4] += 0.2;
        CHECK_OK(vvSoftBody_SetPositions(rope, x0));
        CHECK_OK(vvSoftBody_SetVelocities(rope, v0));
        double w2 = k / vvSoftBody_GetMasses(rope)[1], x = 0.2, v = 0.1;
        for (int n = 0; n < 100; ++n)
        {
            CHECK_OK(vvWorld_Step(world, h));
            if (strcmp(method, "backward-euler") == 0)
            {
                v = (v - h * w2 * x) / (1 + h * h * w2);
                x += h * v;
            }
            else if (strcmp(method, "small-steps") == 0)
            {
                // one constraint: every substep is one of backward Euler
                for (int sub = 0; sub < 20; ++sub)
                {
                    v = (v - h / 20 * w2 * x) / (1 + h * h / 400 * w2);
                    x += h / 20 * v;
                }
            }
            else if (strcmp(method, "symplectic-euler") == 0)
            {
                v -= h * w2 * x;
                x += h * v;
            }
            else if (strcmp(method, "small-midpoint") == 0) // one solve is exact for attachments
            {
                for (int i = 0; i < 20; ++i)
                {
                    double q = h * h * w2 / 1600, before = v;
                    v = ((1 - q) * v - h / 20 * w2 * x) / (1 + q);
                    x += h / 40 * (before + v);
                }
            }
            else if (strcmp(method, "implicit-midpoint") == 0 || strcmp(method, "stabilized") == 0 ||
                     strncmp(method, "energy-", 7) == 0) // the midpoint keeps this energy: nothing is corrected
            {
                double q = h * h * w2 / 4, before = v;
                v = ((1 - q) * v - h * w2 * x) / (1 + q);
                x += h / 2 * (before + v);
            }
            else if (multistepFind(method) != NULL || tableauFind(method) != NULL || isOneOf(method, elsewhere))
                break; // classical_test.c
            else
                fail_msg("no closed form for %s: add it", method);
            // a hundred steps of rounding, of a float32 factor where there is one
            double rounding = strcmp(method, "small-midpoint") == 0 ? 1e-5 : 1e-12;
            CHECK_NEAR(vvSoftBody_GetPositions(rope)[4], x, rounding);
            CHECK_NEAR(vvSoftBody_GetVelocities(rope)[4], v, 10 * rounding);
        }
        vvDestroyWorld(world);
    }
}

// midpoint is its own inverse: turn the velocity around and the film runs backwards
static void midpointIsReversible(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvSoftBodyId body = spinningCube(world, 2, 1e4, 5);
    double x[81], v[81];
    memcpy(x, vvSoftBody_GetPositions(body), sizeof x);
    for (int half = 0; half < 2; ++half)
    {
        for (int n = 0; n < 50; ++n)
            CHECK_OK(vvWorld_Step(world, 0.01));
        for (int i = 0; i < 81; ++i)
            v[i] = -vvSoftBody_GetVelocities(body)[i];
        CHECK_OK(vvSoftBody_SetVelocities(body, v));
    }
    for (int i = 0; i < 81; ++i)
        CHECK_NEAR(vvSoftBody_GetPositions(body)[i], x[i], 1e-9);
    vvDestroyWorld(world);
}

// symplectic Euler is stable below h = 2 / omega and runs away above it
static void symplecticEulerHasItsLimit(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId world = makeWorld("symplectic-euler", (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef def = undampedDef();
        def.material.thickness = 0.05;
        def.springStiffness[VV_EDGE_STRUCTURAL] = 1000;
        vvSoftBodyId rope = makeBody(world, vvCreateRopeMesh(1, 1), def);
        double omega = sqrt(2 * 1000 / vvSoftBody_GetMasses(rope)[0]), h = (k ? 1.01 : 0.99) * 2 / omega;
        CHECK_OK(vvSoftBody_SetVelocities(rope, (const double[]){ 0.1, 0, 0, -0.1, 0, 0 }));
        double start = vvWorld_GetLedger(world).total, most = 0;
        vvResult result = { 0 };
        for (int n = 0; n < 2000 && result.code == VV_OK; ++n)
        {
            result = vvWorld_Step(world, h);
            most = fmax(most, vvWorld_GetLedger(world).total);
        }
        if (k == 0)
            CHECK_BELOW(most,
                        100 * start); // the modified energy is kept; the true one swings by 1 / (1 - (h omega / 2)^2)
        else
            assert_true(result.code == VV_DIVERGED || most > 1e6 * start);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methodsHaveTheirOrder),
        cmocka_unit_test(oscillatorFollowsTheClosedForm),
        cmocka_unit_test(midpointIsReversible),
        cmocka_unit_test(symplecticEulerHasItsLimit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
