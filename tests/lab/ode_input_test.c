// What the equations of the lab refuse, and what they say of methods that cannot be stable.
#include "check.h"

#include "lab/ode.h"

#include <math.h>

static void expectRefusal(vvResult result, vvCode code, const char *words)
{
    assert_int_equal(result.code, code);
    assert_true(strlen(result.remedy) > 5);
    if (strstr(result.message, words) == NULL && strstr(result.remedy, words) == NULL)
        fail_msg("'%s; %s' does not say '%s'", result.message, result.remedy, words);
}

static OdeMethod methodOf(const char *name)
{
    OdeMethod method;
    assert_true(odeMethodFind(name, &method));
    return method;
}

static void badSystemsAreNamed(void **state)
{
    (void)state;
    const double matrix[4] = { 0, 1, -1, 0 }, start[2] = { 1, 0 }, broken[4] = { 0, 1, NAN, 0 };
    OdeProblem p;
    expectRefusal(odeProblemLinear(0, matrix, start, 1, &p), VV_BAD_INPUT, "0 unknowns, must have 1");
    expectRefusal(odeProblemLinear(ODE_SIZE + 1, matrix, start, 1, &p), VV_BAD_INPUT, "unknowns, must have 1");
    expectRefusal(odeProblemLinear(2, broken, start, 1, &p), VV_BAD_INPUT, "not finite");
    expectRefusal(odeProblemLinear(2, matrix, broken + 1, 1, &p), VV_BAD_INPUT, "not finite");
    expectRefusal(odeProblemLinear(2, matrix, start, 0, &p), VV_BAD_INPUT, "time is 0");
    expectRefusal(odeProblemLinear(2, matrix, start, INFINITY, &p), VV_BAD_INPUT, "time is inf");
    assert_int_equal(odeProblemLinear(2, matrix, start, 1, &p).code, VV_OK);
}

static void badOptionsAreNamed(void **state)
{
    (void)state;
    double y[ODE_SIZE];
    OdeReport report;
    for (int i = 0; i < odeProblemCount(); ++i)
    {
        OdeProblem p;
        assert_true(odeProblemFind(odeProblemName(i), &p));
        for (int m = 0; m < odeMethodCount(); ++m)
        {
            OdeMethod method = odeMethodAt(m);
            OdeOptions none = { .steps = 0 }, watch = { .steps = 1, .watchNewton = true };
            vvResult result = odeSolve(&p, &method, &none, y, &report);
            expectRefusal(result, VV_BAD_INPUT, odeFits(&p, &method) ? "steps is 0" : "has none");
            if (method.isExplicit && odeFits(&p, &method))
                expectRefusal(odeSolve(&p, &method, &watch, y, &report), VV_BAD_INPUT, "no Newton iterations");
        }
    }
}

// forward Euler grows on y'' = -y whatever the step; a step control that cannot succeed ends
static void hopelessRunsSaySo(void **state)
{
    (void)state;
    const double matrix[4] = { 0, 1, -1, 0 }, start[2] = { 1, 0 };
    double y[ODE_SIZE];
    OdeProblem p;
    OdeReport report;
    assert_int_equal(odeProblemLinear(2, matrix, start, 4000, &p).code, VV_OK);
    OdeMethod forward = methodOf("forward-euler");
    expectRefusal(odeSolve(&p, &forward, &(OdeOptions){ .steps = 4000 }, y, &report), VV_DIVERGED, "stable at no step");
    OdeMethod pair = methodOf("rk23");
    expectRefusal(odeSolve(&p, &pair, &(OdeOptions){ .steps = 10, .tolerance = 1e-300 }, y, &report), VV_DIVERGED,
                  "left all bounds");
}

// Points of the boundary are finite and in the left half plane or on its edge; those of the symplectic Euler and Verlet
// methods reach i times 2.
static void boundariesAreWhereTheyBelong(void **state)
{
    (void)state;
    for (int m = 0; m < odeMethodCount(); ++m)
    {
        OdeMethod method = odeMethodAt(m);
        double points[256][2];
        int count = odeBoundary(&method, points, 256);
        assert_in_range(count, 0, 256);
        for (int k = 0; k < count; ++k)
            assert_true(isfinite(points[k][0]) && isfinite(points[k][1]));
        if (method.kind != ODE_SYMPLECTIC_EULER && method.kind != ODE_VERLET)
            continue;
        assert_true(count > 0);
        assert_true(fabs(points[0][0]) < 1e-9 && fabs(points[0][1] - 2) < 1e-6);
        for (int k = 0; k < count; ++k)
            assert_true(points[k][0] <= 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(badSystemsAreNamed),
        cmocka_unit_test(badOptionsAreNamed),
        cmocka_unit_test(hopelessRunsSaySo),
        cmocka_unit_test(boundariesAreWhereTheyBelong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
