// A run from 0 to T, with equal or controlled steps, and the order that runs show.
#include "lab/ode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BEYOND 1e8 // times the size of start and end: the run is lost

static vvResult diverged(const OdeRun *run, const OdeOptions *options)
{
    const OdeProblem *p = run->problem;
    const OdeMethod *m = run->method;
    char remedy[152] = "take smaller steps or an implicit method";
    if (run->stuck)
        return resultMake(VV_DIVERGED, "take smaller steps",
                          "%s on %s: Newton's method did not converge at t = %g, h = %.6g", m->name, p->name, run->t,
                          run->step[0]);
    bool limited = m->isExplicit || (m->kind == ODE_MULTISTEP && m->multistep->family == ADAMS_MOULTON);
    if (p->linear && limited && odeCompanion(p, m, 1, NULL) <= ODE_SIZE) // larger ones take too long for a message
    {
        double limit = odeStepLimit(p, m);
        if (limit > 0 && p->time / options->steps > limit)
            snprintf(remedy, sizeof remedy, "it is stable up to h = %.6g: take at least %.0f steps", limit,
                     ceil(p->time / limit * (1 - 1e-7)));
        else if (limit == 0)
            snprintf(remedy, sizeof remedy, "it is stable at no step here: take another method");
    }
    return resultMake(VV_DIVERGED, remedy, "%s on %s left all bounds at t = %g, step %lld of h = %.6g", m->name,
                      p->name, run->t, run->report.steps, run->step[0]);
}

static void show(const OdeRun *run, const OdeOptions *options, double t)
{
    if (options->visit != NULL)
        options->visit(options->context, t, run->y[0]);
}

static vvResult equalSteps(OdeRun *run, const OdeOptions *options, double bound)
{
    const OdeProblem *p = run->problem;
    double h = p->time / options->steps;
    bool alternate = run->method->kind == ODE_BDF2_VARIABLE && options->steps % 2 == 0;
    for (int i = 0; i < options->steps; ++i)
    {
        // the variable method gets variable steps, ratios 2 and 1/2, or its coefficients would not matter
        double step = !alternate ? h : i % 2 == 0 ? 4 * h / 3 : 2 * h / 3;
        run->t = alternate && i % 2 == 1 ? (i + 1.0 / 3) * h : i * h;
        if (!odeStartStep(run, step, options))
            odeStep(run, step);
        run->report.steps += 1;
        show(run, options, alternate && i % 2 == 0 ? (i + 4.0 / 3) * h : (i + 1) * h);
        if (run->stuck || !(odeNorm(p->size, run->y[0]) <= bound))
            return diverged(run, options);
    }
    return resultOk();
}

// largest error of the step in units of what is allowed, relative for numbers above 1
static double weigh(const OdeRun *run, double tolerance)
{
    double worst = 0;
    for (int i = 0; i < run->problem->size; ++i)
        worst = fmax(worst, fabs(run->estimate[i]) / (tolerance * (1 + fabs(run->y[0][i]))));
    return isfinite(worst) && allFinite(run->y[0], run->problem->size) ? worst : INFINITY;
}

static int estimateOrder(const OdeMethod *m)
{
    return m->kind == ODE_TABLEAU ? m->tableau->embeddedOrder : m->kind == ODE_BDF2_VARIABLE ? 2 : 0;
}

// What the last step says of the next: its factor, below 1 and `again` when it must be repeated.
static double judge(const OdeRun *run, const OdeOptions *options, bool *again)
{
    double factor = 2; // the zero-stability of BDF2 allows 2.41
    *again = run->stuck;
    if (options->tolerance > 0)
    {
        double e = weigh(run, options->tolerance);
        *again = *again || e > 1;
        factor = e > 0 ? 0.9 * pow(e, -1.0 / (estimateOrder(run->method) + 1)) : factor;
        factor = fmin(2, fmax(0.2, factor));
    }
    // Hauth 2004, section 3.4: many iterations shorten the step, few lengthen it; one that does not converge is
    // repeated. Linear equations always take one, so there it sees nothing
    if (options->watchNewton)
        factor = fmin(factor, run->iterations <= 3 ? 1.25 : run->iterations <= 5 ? 1 : 0.7);
    return *again ? fmin(factor, 0.5) : factor;
}

static vvResult controlledSteps(OdeRun *run, const OdeOptions *options, double bound)
{
    const OdeProblem *p = run->problem;
    double first = p->time / options->steps, h = first;
    while (run->t < p->time * (1 - 1e-14))
    {
        OdeRun before = *run;
        double step = p->time - run->t <= h * (1 + 1e-9) ? p->time - run->t : h;
        bool again;
        if (!odeStartStep(run, step, options))
            odeStep(run, step);
        double factor = judge(run, options, &again);
        if (again)
        {
            OdeReport spent = run->report;
            *run = before;
            run->report = spent;
            run->report.rejected += 1;
        }
        else
        {
            run->report.steps += 1;
            show(run, options, run->t);
        }
        h = step * factor;
        // without an estimate there is no word on accuracy: stay near the step that was asked for
        if (options->tolerance <= 0)
            h = fmin(h, 4 * first);
        if (!(h > 1e-13 * p->time) || !(odeNorm(p->size, run->y[0]) <= bound) ||
            run->report.steps + run->report.rejected > ODE_MOST_STEPS)
            return diverged(run, options);
    }
    return resultOk();
}

static vvResult check(const OdeProblem *p, const OdeMethod *m, const OdeOptions *options)
{
    if (!odeFits(p, m))
        return resultMake(VV_BAD_INPUT, "take a problem x'' = f(x, x'), or another method",
                          "%s moves positions and velocities, and %s has none", m->name, p->name);
    if (options->steps < 1 || options->steps > ODE_MOST_STEPS)
        return resultMake(VV_BAD_INPUT, "take a number in that range", "steps is %d, must be 1 to %d", options->steps,
                          ODE_MOST_STEPS);
    if (options->tolerance > 0 && estimateOrder(m) == 0)
        return resultMake(VV_BAD_INPUT, "take explicit-midpoint, rk23, rk45 or bdf2-variable, or equal steps",
                          "%s has no estimate of its error", m->name);
    if (options->watchNewton && (m->isExplicit || m->kind == ODE_MULTISTEP || m->kind == ODE_LINEAR))
        return resultMake(
            VV_BAD_INPUT,
            "take backward-euler, implicit-midpoint, trapezoid, newmark, generalized-alpha or bdf2-variable",
            "%s has no Newton iterations that could choose its steps", m->name);
    return resultOk();
}

vvResult odeSolve(const OdeProblem *p, const OdeMethod *m, const OdeOptions *options, double *y, OdeReport *report)
{
    *report = (OdeReport){ 0 };
    vvResult result = check(p, m, options);
    if (result.code != VV_OK)
        return result;
    OdeRun run;
    double exact[ODE_SIZE], difference[ODE_SIZE];
    odeBegin(&run, p, m);
    odeExact(p, p->time, exact);
    double since = clockSeconds();
    show(&run, options, 0);
    double bound = BEYOND * (1 + fmax(odeNorm(p->size, p->start), odeNorm(p->size, exact)));
    if (options->tolerance > 0 || options->watchNewton)
        result = controlledSteps(&run, options, bound);
    else
        result = equalSteps(&run, options, bound);
    run.report.seconds = clockLap(&since);
    for (int i = 0; i < p->size; ++i)
        difference[i] = run.y[0][i] - exact[i];
    run.report.error = odeNorm(p->size, difference);
    memcpy(y, run.y[0], (size_t)p->size * sizeof(double));
    *report = run.report;
    return result;
}

// ---- orders ---------------------------------------------------------------------------------------------------------

#define AGREE 0.05
#define LEAST_STEPS 10
#define MOST_HALVINGS 16

OdeOrder odeOrder(const OdeProblem *p, const OdeMethod *m, bool exactStart)
{
    OdeOrder best = { 0 };
    int settled = 0;
    double exact[ODE_SIZE], y[ODE_SIZE], last = 0, before = 0;
    odeExact(p, p->time, exact);
    // below lies rounding
    double floor = 1e-14 * odeNorm(p->size, exact);
    for (int k = 0; k < MOST_HALVINGS; ++k)
    {
        OdeOptions options = { .steps = LEAST_STEPS << k, .exactStart = exactStart };
        OdeReport report;
        vvResult result = odeSolve(p, m, &options, y, &report);
        if (result.code != VV_OK)
            report.error = 0; // beyond its limit: begin again
        if (k > 0 && report.error > 0 && report.error < floor)
            break;
        double order = last > 0 && report.error > 0 ? log2(last / report.error) : 0;
        if (order > 0.5 && before > 0.5 && fabs(order - before) <= AGREE)
            best = (OdeOrder){ order, before, report.error, options.steps, true };
        // enough: three estimates have settled
        settled = best.steps == options.steps && fabs(order - before) <= 0.005 ? settled + 1 : 0;
        if (settled == 2)
            break;
        last = report.error;
        before = order;
    }
    return best;
}
