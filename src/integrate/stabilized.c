// The stabilized integrator (Dinev 2018, Algorithm 1), made robust. A midpoint step; where it missed the energy that the
// accounts say by more than the tolerance, a blend of it with backward Euler (too much energy) or forward Euler (too little).
// Departures from the paper, with the numbers that decided them in docs/stabilized.md:
//  - the tolerance is a share of the energy of motion of the accepted state, not of the total, which depends on where height
//    is counted from; inside it the midpoint's own bits are kept;
//  - the search ends well inside the tolerance, so that the next steps need no blend;
//  - backward Euler is iterated until its energy is below the target, at most 20 times; where forward Euler has not enough
//    energy the midpoint is kept;
//  - after it, momentum is what the outer forces make it (momentum.c);
//  - alpha, target and search belong to an island.
#include "integrate/integrate.h"

#include <string.h>

#define INSIDE 0.1      // of the tolerance: where the search for alpha ends
#define BACKWARD_MOST 5 // iterations towards backward Euler

static const double theta = 0.5;

// ---- starts ----------------------------------------------------------------------------------------------------------

typedef SolveReport (*StartStep)(System *system, double h, const Method *method, Blend *blend);

static SolveReport startMidpoint(System *system, double h, const Method *method, Blend *blend)
{
    Stage stage = { .h = h, .sigma = h * h, .theta = theta };
    blend->a = 2 / h;
    blend->b = -1;
    stageInertia(system, h);
    systemSetFraction(system, theta);
    double since = clockSeconds();
    stageGuess(system, &stage);
    double guess = clockLap(&since);
    SolveReport report = method->solver->minimise(system, &stage, &method->solving);
    report.profile.gradient += guess;
    return report;
}

// forces at x_n: for forward Euler and the explicit start
static void forcesAtStart(System *system)
{
    State *s = &system->state;
    systemSetFraction(system, 0);
    for (int i = 0; i < 3 * s->count && system->dissipates; ++i)
        s->rate[i] = s->startVelocity[i];
    systemForces(system, NULL, s->start);
    slideFilter(s, s->gradient);
}

// symplectic Euler (Dinev 2018, Fig 6)
static SolveReport startExplicit(System *system, double h, const Method *method, Blend *blend)
{
    (void)method;
    State *s = &system->state;
    SolveReport report = { .converged = true, .finite = true };
    blend->a = 1 / h;
    blend->b = 0;
    double since = clockSeconds();
    stageInertia(system, h);
    systemSetExternal(system);
    forcesAtStart(system);
    report.profile.gradient = clockLap(&since);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double moved = s->start[i] + h * (s->startVelocity[i] - h / s->mass[i / 3] * s->gradient[i]);
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : moved;
    }
    return report;
}

// ---- the other ends --------------------------------------------------------------------------------------------------

static Watch iterateBackward(System *system, double h, const Method *method, const SolverSettings *settings,
                             SolveReport *report)
{
    Stage stage = { .h = h, .sigma = h * h, .theta = 1 };
    systemSetFraction(system, 1);
    SolveReport more = method->solver->minimise(system, &stage, settings);
    reportAdd(report, &more);
    stageVelocity(system, 1 / h, 0, h);
    double since = clockSeconds();
    Watch watch = energyWatch(system, h, system->state.velocity);
    report->profile.line += clockLap(&since);
    return watch;
}

// Backward Euler from where the step is: few iterations of local/global, as many as bring its energy down to the target;
// other solvers converge. From x_n + h v_n instead, one iteration explodes; from x_n it destroys rotation.
// But where many iterations do not help, one from x_n does: it is backward Euler for the majorizer's quadratic, which
// touches the energy at x_n and lies above it everywhere, and backward Euler never raises a quadratic (Dinev 2018, Eq 45):
// K_1 + E(x_1) <= K_1 + Q(x_1) <= K_n + E(x_n). This end cannot fail, as far as energies are below their majorizers.
static Watch moveBackward(System *system, double h, const Method *method, SolveReport *report)
{
    State *s = &system->state;
    SolverSettings settings = method->solving;
    if (!method->solver->prefactored)
        return iterateBackward(system, h, method, &settings, report);
    settings.iterations = 1;
    for (int k = 0; k < BACKWARD_MOST; ++k)
    {
        Watch watch = iterateBackward(system, h, method, &settings, report);
        if (!(watch.error > 0))
            return watch;
    }
    for (int i = 0; i < 3 * s->count; ++i)
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : s->start[i];
    return iterateBackward(system, h, method, &settings, report);
}

static Watch moveForward(System *system, double h, SolveReport *report)
{
    State *s = &system->state;
    double since = clockSeconds();
    forcesAtStart(system);
    report->profile.gradient += clockLap(&since);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        double moved = s->start[i] + h * s->startVelocity[i];
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : moved;
        double faster = s->startVelocity[i] - h / s->mass[i / 3] * s->gradient[i];
        s->velocity[i] = s->pinned[i / 3] ? (s->pinTarget[i] - s->start[i]) / h : faster;
    }
    Watch watch = energyWatch(system, h, s->velocity);
    report->profile.line += clockLap(&since);
    return watch;
}

// ---- the step --------------------------------------------------------------------------------------------------------

// Moves position and velocity to the blend that meets the target, if there is one.
static void blendStep(System *system, double h, const Method *method, Blend *blend, Watch *watch, double tolerance,
                      SolveReport *report)
{
    State *s = &system->state;
    size_t vectors = (size_t)s->count * 3 * sizeof(double);
    double *start = s->blend; // free where the stage is the end of the step
    bool backward = watch->error > 0;
    memcpy(start, s->position, vectors);
    Watch end = backward ? moveBackward(system, h, method, report) : moveForward(system, h, report);
    double since = clockSeconds(), alpha;
    bool brackets = isfinite(end.error) && (backward ? end.error <= 0 : end.error >= 0);
    if (brackets)
    {
        blendStart(blend, system, start, watch->added, end.added);
        alpha = blendSearch(blend, system, watch->error, end.error, INSIDE * tolerance);
        watch->balance = blend->balance;
        blendTake(blend, system, start, alpha);
    }
    else if (backward && end.error < watch->error)
    {
        alpha = 1; // the best there is
        watch->balance = end.balance;
        report->failures += end.error > tolerance;
    }
    else
    {
        alpha = 0;
        memcpy(s->position, start, vectors);
        stageVelocity(system, blend->a, blend->b, h);
        report->failures += 1;
    }
    report->alpha = backward ? alpha : -alpha;
    report->profile.line += clockLap(&since);
}

// backward Euler alone, where the start ran away
static void rescue(System *system, double h, const Method *method, Watch *watch, SolveReport *report)
{
    Stage stage = { .h = h, .sigma = h * h, .theta = 1 };
    stageInertia(system, h);
    systemSetFraction(system, 1);
    stageGuess(system, &stage);
    SolveReport again = method->solver->minimise(system, &stage, &method->solving);
    reportAdd(report, &again);
    report->residual = again.residual;
    report->converged = again.converged;
    report->finite = again.finite;
    report->alpha = 1;
    report->failures += 1;
    stageVelocity(system, 1 / h, 0, h);
    *watch = energyWatch(system, h, system->state.velocity);
}

static SolveReport take(System *system, double h, const Method *method, StartStep startStep)
{
    State *s = &system->state;
    Stage middle = { .h = h, .sigma = h * h, .theta = theta }, backward = { .h = h, .sigma = h * h, .theta = 1 };
    Blend blend = { .h = h };
    SolveReport prepared = { 0 };
    stageReady(system, &backward, &prepared);
    beginRates(system, &middle);
    SolveReport report = startStep(system, h, method, &blend);
    reportAdd(&report, &prepared);
    double since = clockSeconds(), scale = motionScale(system, h);
    stageVelocity(system, blend.a, blend.b, h);
    Watch watch = energyWatch(system, h, s->velocity);
    report.profile.books += clockLap(&since);
    double tolerance = maxReal(method->settings.energyTolerance * scale, energyRounding(system, &watch.balance));
    if (!report.finite || !isfinite(watch.error))
        rescue(system, h, method, &watch, &report);
    else if (fabs(watch.error) > tolerance)
        blendStep(system, h, method, &blend, &watch, tolerance, &report);
    since = clockSeconds();
    systemSetFraction(system, theta);
    systemSetStage(system, &middle);
    correctMomentum(system, h, method->settings.momentum);
    bookStep(system);
    watchClose(system, &watch.balance, &report);
    report.profile.books += clockLap(&since);
    return report;
}

static SolveReport step(System *system, double h, const Method *method)
{
    return take(system, h, method, startMidpoint);
}

static SolveReport stepExplicit(System *system, double h, const Method *method)
{
    return take(system, h, method, startExplicit);
}

const Integrator stabilized = { .name = "stabilized", .step = step };

// comparator: the same from symplectic Euler, which blends all the time where steps are long (Dinev 2018, Fig 6)
const Integrator stabilizedExplicit = { .name = "stabilized-explicit", .step = stepExplicit };
