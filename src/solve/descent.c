// What the methods of Newton's kind share: a direction from somewhere, a line search on g, and when to stop (Dinev
// 2018, section 5; Hauth 2004, section 3.3).
#include "solve/descent.h"

#define HALVINGS 40
#define ARMIJO 1e-4
#define LEVEL 0.5      // of the slope at the start of a step: one at its end that is small
#define RATE_MARGIN 2  // the step before may have been of Newton's: then the rate is twice what two steps show
#define ROUNDING 1e-13 // decreases below this share of the terms of g are not visible in their sum

static double dot(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += a[i] * b[i];
    return sum;
}

// the longest step of 1, 1/2, 1/4 ... that decreases g enough; 0 if there is none. `slope`: of g at the start of the
// line
static double lineSearch(System *system, const Stage *stage, double slope, SolveReport *report)
{
    double magnitude, ignored;
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

// gradient . direction
static double slopeOf(const System *system)
{
    return dot(system->state.gradient, system->state.direction, 3 * system->state.count);
}

static void evaluate(Descent *descent, SolveReport *report)
{
    double since = clockSeconds();
    systemSetStage(descent->system, descent->stage);
    systemGradient(descent->system, descent->stage);
    report->profile.gradient += clockLap(&since);
}

// A step of Newton's that is as long as the tolerance leaves its square. What must be left otherwise: well below the
// tolerance too, so that who asks for many digits gets them to rounding.
static double strictly(const Descent *descent)
{
    double tolerance = descent->settings->tolerance;
    return maxReal(tolerance * sqrt(tolerance), 1e-15);
}

static bool tookNewtons(const Descent *descent)
{
    return !descent->linear && (descent->curved || !descent->ahead);
}

// residual where the gradient was evaluated, in the report; true when it is small enough to stop
static bool judge(Descent *descent, SolveReport *report)
{
    System *system = descent->system;
    settingsWatch(descent->settings, system, descent->stage, report->iterations);
    report->residual = systemResidual(system);
    report->finite = isfinite(report->residual);
    report->converged = report->residual <= descent->limit * systemSize(system);
    if (descent->settings->reduction > 0)
    {
        double norm = sqrt(dot(system->state.gradient, system->state.gradient, 3 * system->state.count));
        descent->start = report->iterations == 0 ? norm : descent->start;
        report->converged |= norm <= descent->settings->reduction * descent->start;
    }
    return report->converged || !report->finite;
}

// ---- the start ------------------------------------------------------------------------------------------------------

// The displacement from the given start to where the body is if it goes on accelerating as in the step before, x_{n-1}
// + 2 h v_n: exact to third order in h for the midpoint rule, where the given start leaves out what resists.
static void aimAhead(System *system)
{
    State *s = &system->state;
    Filter filter = stateFilter(s);
    for (int i = 0; i < 3 * s->count; ++i)
        s->direction[i] = s->previous[i] + 2 * (s->inertial[i] - s->start[i]) - s->position[i];
    filterApply(&filter, s->direction);
}

// Evaluates at the better of both starts. The change of g between them by the trapezoidal rule: exact for quadratics.
static void chooseStart(Descent *descent, SolveReport *report)
{
    System *system = descent->system;
    State *s = &system->state;
    size_t bytes = 3 * (size_t)s->count * sizeof(double);
    evaluate(descent, report);
    aimAhead(system);
    double slope = slopeOf(system);
    if (systemResidual(system) <= descent->limit * systemSize(system) || !(slope < 0))
        return; // a body at rest stays where it is
    double *given = scratchTake(s);
    memcpy(given, s->position, bytes);
    moveAlong(system, 1);
    evaluate(descent, report);
    if (!(slope + slopeOf(system) <= 0))
    {
        memcpy(s->position, given, bytes);
        evaluate(descent, report);
    }
    else
    {
        descent->limit = strictly(descent);
    }
    scratchGive(s, given);
}

// ---- iterations -----------------------------------------------------------------------------------------------------

// A step along the direction, and the gradient at its end; returns its length, 0: there is none that goes down. Along a
// direction from the exact Hessian, g curves upwards where it begins: if the slope at the end of the whole step is
// small beside that at the start, it went down, and its values need not be asked for.
static double advance(Descent *descent, SolveReport *report)
{
    System *system = descent->system;
    State *s = &system->state;
    size_t bytes = 3 * (size_t)s->count * sizeof(double);
    double since = clockSeconds(), slope = slopeOf(system);
    if (descent->curved && !descent->settings->whole)
    {
        double *before = scratchTake(s);
        memcpy(before, s->position, bytes);
        moveAlong(system, 1);
        report->profile.line += clockLap(&since);
        evaluate(descent, report);
        bool down = slope < 0 && fabs(slopeOf(system)) <= LEVEL * -slope;
        if (!down)
        {
            memcpy(s->position, before, bytes);
            systemSetStage(system, descent->stage);
        }
        scratchGive(s, before);
        if (down)
            return 1;
        clockLap(&since);
    }
    double step = descent->settings->whole ? 1 : lineSearch(system, descent->stage, slope, report);
    moveAlong(system, step);
    report->profile.line += clockLap(&since);
    evaluate(descent, report);
    return step;
}

// Whether the minimum is near enough after a step of this size, over that of the body, that came after one of that
// size. Where it is not of Newton's it leaves a part of it, the rate.
static bool isNear(const Descent *descent, double size, double before)
{
    double tolerance = descent->settings->tolerance, rate = RATE_MARGIN * size / before;
    if (tookNewtons(descent) || rate >= 1) // or it is rounding, which does not shrink any more
        return size <= tolerance;
    return size * rate / (1 - rate) <= strictly(descent);
}

SolveReport descend(Descent *descent, int iterations)
{
    SolveReport report = { 0 };
    System *system = descent->system;
    const SolverSettings *settings = descent->settings;
    int limit = settings->iterations > 0 ? settings->iterations : iterations;
    double before = 0;
    descent->limit = settings->tolerance;

    // stop on the size of the step as well as of the gradient: in stiff bodies the gradient has a rounding floor that
    // no iteration gets below
    if (descent->ahead && descent->stage->mean && !settings->whole && !settings->again)
        chooseStart(descent, &report);
    else
        evaluate(descent, &report);
    while (!judge(descent, &report) && report.iterations < limit)
    {
        if (!descent->find(descent, &report))
            return report;
        double step = advance(descent, &report);
        report.iterations += 1;
        descent->limit = descent->ahead ? strictly(descent) : settings->tolerance;
        double size = systemStepSize(system, step);
        if (step == 0 || isNear(descent, size, before))
        {
            judge(descent, &report);
            report.converged = step > 0 && report.finite;
            if (step == 0)
                report.correction = systemStepSize(system, 1); // that it found nowhere lower
            return report;
        }
        before = descent->lastSize = size;
    }
    if (!report.converged)
        report.correction = before;
    return report;
}
