// What the methods of Newton's kind share: a direction from somewhere, a line search on g, and when to stop (Dinev 2018,
// section 5; Hauth 2004, section 3.3).
#include "solve/descent.h"

#define HALVINGS 40
#define ARMIJO 1e-4
#define ROUNDING 1e-13 // decreases below this share of the terms of g are not visible in their sum

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += a[i] * b[i];
    return sum;
}

// the longest step of 1, 1/2, 1/4 ... that decreases g enough; 0 if there is none
static double lineSearch(System *system, const Stage *stage, SolveReport *report)
{
    // gradient . direction: the slope of g at the start of the line
    double slope = dot(system->state.gradient, system->state.direction, 3 * system->state.count), magnitude, ignored;
    systemLineStart(system, stage);
    double start = systemLineValue(system, stage, 0, &magnitude);
    if (-slope <= ROUNDING * magnitude)
        return 1; // at the rounding floor of g: its values cannot tell, the direction's own step is the best there is
    double step = 1;
    for (int k = 0; k < HALVINGS; ++k)
    {
        if (systemLineValue(system, stage, step, &ignored) <= start + ARMIJO * step * slope)
            return step;
        report->lineSearchSteps += 1;
        step *= 0.5;
    }
    return 0;
}

static void moveAlong(System *system, double step)
{
    for (int i = 0; i < 3 * system->state.count; ++i)
        system->state.position[i] += step * system->state.direction[i];
}

// residual at the present position, in the report; true when it is small enough to stop
static bool measure(Descent *descent, SolveReport *report)
{
    System *system = descent->system;
    double since = clockSeconds();
    systemSetStage(system, descent->stage);
    systemGradient(system, descent->stage);
    report->profile.gradient += clockLap(&since);
    settingsWatch(descent->settings, system, descent->stage, report->iterations);
    report->residual = systemResidual(system);
    report->finite = isfinite(report->residual);
    report->converged = report->residual <= descent->settings->tolerance * systemSize(system);
    if (descent->settings->reduction > 0)
    {
        double norm = sqrt(dot(system->state.gradient, system->state.gradient, 3 * system->state.count));
        descent->start = report->iterations == 0 ? norm : descent->start;
        report->converged |= norm <= descent->settings->reduction * descent->start;
    }
    return report->converged || !report->finite;
}

// how far the minimum still is, over the size, after a step of this size that came after one of that
static double distanceLeft(const Descent *descent, double size, double before)
{
    if (!descent->linear)
        return size; // the next step would be far smaller
    double rate = size / before;
    return rate < 1 ? size * rate / (1 - rate) : INFINITY;
}

SolveReport descend(Descent *descent, int iterations)
{
    SolveReport report = { 0 };
    System *system = descent->system;
    const SolverSettings *settings = descent->settings;
    int limit = settings->iterations > 0 ? settings->iterations : iterations;
    double before = 0;

    // stop on the size of the step as well as of the gradient: in stiff bodies the gradient has a rounding floor that no
    // iteration gets below
    while (!measure(descent, &report) && report.iterations < limit)
    {
        if (!descent->find(descent, &report))
            return report;
        double since = clockSeconds();
        double step = settings->whole ? 1 : lineSearch(system, descent->stage, &report);
        moveAlong(system, step);
        report.profile.line += clockLap(&since);
        report.iterations += 1;
        double size = systemStepSize(system, step);
        if (step == 0 || distanceLeft(descent, size, before) <= settings->tolerance)
        {
            measure(descent, &report);
            report.converged = step > 0 && report.finite;
            if (step == 0)
                report.correction = systemStepSize(system, 1); // that it found nowhere lower
            return report;
        }
        before = size;
    }
    if (!report.converged)
        report.correction = before;
    return report;
}
