// Every method on every problem it fits: its order, what the start of a multistep method costs, and step control.
#include "check.h"

#include "lab/ode.h"

// where an order shows before rounding hides it, it is the nominal one; every method shows it on three problems or
// more, one of them nonlinear
static void methodsHaveTheirOrder(void **unused)
{
    (void)unused;
    for (int m = 0; m < odeMethodCount(); ++m)
    {
        OdeMethod method = odeMethodAt(m);
        int seen = 0, nonlinear = 0;
        for (int p = 0; p < odeProblemCount(); ++p)
        {
            OdeProblem problem = odeProblemAt(p);
            if (!odeFits(&problem, &method))
                continue;
            OdeOrder order = odeOrder(&problem, &method, false);
            print_message("%-22s %-12s %6.3f at %d\n", method.name, problem.name, order.order, order.steps);
            if (!order.found)
                continue;
            seen += 1;
            nonlinear += !problem.linear;
            CHECK_NEAR(order.order, order.before, 0.05);
            CHECK_NEAR(order.order, odeNominalOrder(&problem, &method), 0.1);
        }
        assert_true(seen >= 3);
        assert_true(nonlinear >= 1);
    }
}

static double errorOf(const char *problemName, const OdeMethod *method, OdeOptions options, OdeReport *report)
{
    OdeProblem problem;
    double y[ODE_SIZE];
    assert_true(odeProblemFind(problemName, &problem));
    vvResult result = odeSolve(&problem, method, &options, y, report);
    assert_int_equal(result.code, VV_OK);
    return report->error;
}

// notes, section 7: BDF3 and BDF6 from backward Euler on example 1a, N = 320: 3.6e-4 and 8.0e-4, order 2
static void aPoorStartCostsTheOrder(void **unused)
{
    (void)unused;
    static const struct
    {
        const char *name;
        double error;
    } rows[] = { { "bdf3", 3.6e-4 }, { "bdf6", 8.0e-4 } };
    for (int i = 0; i < 2; ++i)
    {
        OdeMethod method;
        OdeReport report;
        assert_true(odeMethodFind(rows[i].name, &method));
        double fine = errorOf("hauth-1a", &method, (OdeOptions){ .steps = 320, .eulerStart = true }, &report);
        double coarse = errorOf("hauth-1a", &method, (OdeOptions){ .steps = 160, .eulerStart = true }, &report);
        CHECK_CLOSE(fine, rows[i].error, 0.02);
        CHECK_NEAR(log2(coarse / fine), 2, 0.1);
        // our start is as good as exact values
        double ours = errorOf("hauth-1a", &method, (OdeOptions){ .steps = 160 }, &report);
        double exact = errorOf("hauth-1a", &method, (OdeOptions){ .steps = 160, .exactStart = true }, &report);
        CHECK_CLOSE(ours, exact, 0.02);
    }
}

// the error follows the tolerance, and costs less than equal steps of the same error where the solution changes its
// pace
static void stepsFollowTheEstimate(void **unused)
{
    (void)unused;
    static const char *const names[] = { "explicit-midpoint", "rk23", "rk45", "bdf2-variable" };
    for (int i = 0; i < 4; ++i)
    {
        OdeMethod method;
        OdeReport report;
        double last = INFINITY;
        assert_true(odeMethodFind(names[i], &method));
        for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100)
        {
            double error = errorOf("hauth-1b", &method, (OdeOptions){ .steps = 100, .tolerance = tolerance }, &report);
            print_message("%s: tolerance %g, error %.2e, %lld steps, %lld rejected\n", names[i], tolerance, error,
                          report.steps, report.rejected);
            CHECK_BELOW(error, 100 * tolerance);
            assert_true(error < last);
            last = error;
        }
    }
    // a first step far beyond the limit is refused and repeated, not taken
    OdeMethod rk45;
    OdeReport report;
    assert_true(odeMethodFind("rk45", &rk45));
    CHECK_BELOW(errorOf("hauth-3", &rk45, (OdeOptions){ .steps = 1, .tolerance = 1e-8 }, &report), 1e-6);
    assert_true(report.rejected > 0);
}

// Hauth 2004, section 3.4: where Newton's method fails at the step asked for, a shorter one is taken
static void stepsFollowNewton(void **unused)
{
    (void)unused;
    OdeProblem problem;
    OdeMethod method;
    OdeReport watched;
    double y[ODE_SIZE];
    assert_true(odeMethodFind("implicit-midpoint", &method));
    assert_true(odeProblemFind("kepler", &problem));
    vvResult result = odeSolve(&problem, &method, &(OdeOptions){ .steps = 4 }, y, &watched);
    assert_int_equal(result.code, VV_DIVERGED);
    assert_non_null(strstr(result.message, "did not converge"));
    errorOf("kepler", &method, (OdeOptions){ .steps = 4, .watchNewton = true }, &watched);
    assert_true(watched.rejected > 0 && watched.steps > 4);
    // linear equations take one iteration whatever the step: it grows to the bound of 4 times the first
    errorOf("hauth-1b", &method, (OdeOptions){ .steps = 100, .watchNewton = true }, &watched);
    assert_true(watched.steps < 50);
}

static void badInputIsRefused(void **unused)
{
    (void)unused;
    OdeProblem problem;
    OdeMethod method;
    OdeReport report;
    double y[ODE_SIZE];
    assert_true(odeProblemFind("hauth-1b", &problem));
    assert_true(odeMethodFind("verlet", &method));
    vvResult result = odeSolve(&problem, &method, &(OdeOptions){ .steps = 10 }, y, &report);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_true(odeMethodFind("rk4", &method));
    result = odeSolve(&problem, &method, &(OdeOptions){ .steps = 10, .tolerance = 1e-3 }, y, &report);
    assert_int_equal(result.code, VV_BAD_INPUT);
    result = odeSolve(&problem, &method, &(OdeOptions){ .steps = 0 }, y, &report);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_true(odeMethodFind("adams-bashforth-4", &method));
    problem.time = 100;
    result = odeSolve(&problem, &method, &(OdeOptions){ .steps = 4000 }, y, &report);
    assert_int_equal(result.code, VV_DIVERGED);
    assert_non_null(strstr(result.remedy, "at least 5000 steps")); // h = 0.02
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methodsHaveTheirOrder),  cmocka_unit_test(aPoorStartCostsTheOrder),
        cmocka_unit_test(stepsFollowTheEstimate), cmocka_unit_test(stepsFollowNewton),
        cmocka_unit_test(badInputIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
