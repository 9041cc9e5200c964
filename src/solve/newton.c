// Newton's method with a line search on g (Dinev 2018, section 5; Hauth 2004, section 3.3). The full Hessian is tried
// first: it is positive definite in nearly every step of a real scene and converges quadratically; where its Cholesky
// factor does not exist, the element-wise semidefinite form takes over for that iteration.
#include "solve/solve.h"

#define DEFAULT_ITERATIONS 50
#define HALVINGS 40
#define ARMIJO 1e-4
#define ROUNDING 1e-13 // decreases below this share of the terms of g are not visible in their sum

static const Solver solvers[] = {
    { "newton", newtonMinimise, false },
    { "local-global", localGlobalMinimise, true },
};

int solverCount(void)
{
    return (int)(sizeof solvers / sizeof solvers[0]);
}

const Solver *solverAt(int index)
{
    return &solvers[index];
}

static bool newtonDirection(System *system, const Stage *stage, SolveReport *report)
{
    static const HessianMode modes[] = { HESSIAN_EXACT, HESSIAN_SEMIDEFINITE };
    for (int k = 0; k < 2; ++k)
    {
        double since = clockSeconds();
        systemAssemble(system, stage, modes[k]);
        report->profile.matrix += clockLap(&since);
        report->factorizations += 1;
        report->semidefinite += modes[k] == HESSIAN_SEMIDEFINITE;
        bool ok = systemFactor(system);
        report->profile.factor += clockLap(&since);
        ok = ok && systemSolve(system);
        report->profile.solve += clockLap(&since);
        if (ok)
            return true;
    }
    return false;
}

// gradient . direction: the slope of g at the start of the line
static double slopeAlong(const System *system)
{
    double slope = 0;
    for (int i = 0; i < 3 * system->state.count; ++i)
        slope += system->state.gradient[i] * system->state.direction[i];
    return slope;
}

// the longest step of 1, 1/2, 1/4 ... that decreases g enough; 0 if there is none
static double lineSearch(System *system, const Stage *stage, SolveReport *report)
{
    double slope = slopeAlong(system), magnitude, ignored;
    systemLineStart(system, stage);
    double start = systemLineValue(system, stage, 0, &magnitude);
    if (-slope <= ROUNDING * magnitude)
        return 1; // at the rounding floor of g: its values cannot tell, Newton's own step is the best there is
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
static bool measure(System *system, const Stage *stage, double limit, SolveReport *report)
{
    double since = clockSeconds();
    systemSetStage(system, stage);
    systemGradient(system, stage);
    report->profile.gradient += clockLap(&since);
    report->residual = systemResidual(system);
    report->finite = isfinite(report->residual);
    report->converged = report->residual <= limit;
    return report->converged || !report->finite;
}

SolveReport newtonMinimise(System *system, const Stage *stage, const SolverSettings *settings)
{
    SolveReport report = { 0 };
    int limit = settings->iterations > 0 ? settings->iterations : DEFAULT_ITERATIONS;
    double residualLimit = settings->tolerance * systemSize(system);

    // stop on the size of the step as well as of the gradient: in stiff bodies the gradient has a rounding floor that no
    // iteration gets below
    while (!measure(system, stage, residualLimit, &report) && report.iterations < limit)
    {
        if (!newtonDirection(system, stage, &report))
            return report;
        double since = clockSeconds();
        double step = lineSearch(system, stage, &report);
        moveAlong(system, step);
        report.profile.line += clockLap(&since);
        report.iterations += 1;
        double size = systemStepSize(system, step);
        if (step == 0 || size <= settings->tolerance)
        {
            measure(system, stage, residualLimit, &report);
            report.converged = step > 0 && report.finite;
            return report;
        }
    }
    return report;
}
