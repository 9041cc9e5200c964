// Algorithm 1 of Dinev 2018 as it is printed: the setting `printed` of `stabilized`. A midpoint step, blended with
// backward or forward Euler by a binary search for the alpha whose energy error is below epsilon times H_total (Eq 21
// to 24). One iteration of local/global towards backward Euler, from the midpoint's result (section 4.2); other solvers
// converge. Where backward Euler has too much energy as well, alpha is 1; where forward Euler has too little as well it
// is 1 too, which there is the midpoint's result. None of what stabilized.c adds: it serves the figures.
//
// Where the paper leaves something open: a midpoint that meets the criterion is taken as it is; H_total is the target
// (Eq 37), what the caller adds to it is the ledger's; it counts contact (watch.c); the search ends after 60 halvings,
// for the criterion cannot be met where H_total is not positive.
#include "integrate/integrate.h"

#include <string.h>

#define HALVINGS 60

// One end of a blend.
typedef struct End
{
    double *position, *velocity; // count x 3 each
} End;

static void keepEnd(const State *s, End end)
{
    memcpy(end.position, s->position, (size_t)s->count * 3 * sizeof(double));
    memcpy(end.velocity, s->velocity, (size_t)s->count * 3 * sizeof(double));
}

static SolveReport takeMidpoint(System *system, double h, const Method *method)
{
    Stage stage = stageMidpoint(h);
    stageInertia(system, h);
    systemSetMidpoint(system);
    beginRates(system, &stage);
    stageGuess(system, &stage);
    SolveReport report = method->solver->minimise(system, &stage, &method->solving);
    stageVelocity(system, 2 / h, -1, h);
    return report;
}

// from state->position
static void takeBackward(System *system, double h, const Method *method, SolveReport *report)
{
    Stage stage = stageBackward(h);
    SolverSettings settings = method->solving;
    if (method->solver->prefactored)
        settings.iterations = 1;
    systemSetFraction(system, 1);
    SolveReport more = method->solver->minimise(system, &stage, &settings);
    reportAdd(report, &more);
    stageVelocity(system, 1 / h, 0, h);
}

static void takeForward(System *system, double h, double *acceleration)
{
    State *s = &system->state;
    stageAcceleration(system, s->start, s->startVelocity, 0, acceleration);
    for (int i = 0; i < 3 * s->count; ++i)
    {
        bool pinned = s->pinned[i / 3];
        s->position[i] = pinned ? s->pinTarget[i] : s->start[i] + h * s->startVelocity[i];
        s->velocity[i] = pinned ? (s->pinTarget[i] - s->start[i]) / h : s->startVelocity[i] + h * acceleration[i];
    }
}

// Eq 21 and 22: (1 - alpha) of the first, alpha of the second, which is the calmer one; and its energy
static Watch blendAt(System *system, double h, const End end[2], double alpha)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        s->position[i] = (1 - alpha) * end[0].position[i] + alpha * end[1].position[i];
        s->velocity[i] = (1 - alpha) * end[0].velocity[i] + alpha * end[1].velocity[i];
    }
    return energyWatch(system, h, s->velocity);
}

// The alpha of Eq 24 between an end that has too much energy and one that has too little; 1 where they do not.
static double search(System *system, double h, const End end[2], double tolerance, Watch *watch, SolveReport *report)
{
    double low = 0, high = 1;
    bool between = blendAt(system, h, end, 0).error > 0 && blendAt(system, h, end, 1).error < 0;
    for (int k = 0; k < HALVINGS && between; ++k)
    {
        double alpha = 0.5 * (low + high);
        *watch = blendAt(system, h, end, alpha);
        report->lineSearchSteps += 1;
        if (fabs(watch->error) < tolerance)
            return alpha;
        *(watch->error > 0 ? &low : &high) = alpha;
    }
    double alpha = between ? 0.5 * (low + high) : 1;
    *watch = blendAt(system, h, end, alpha);
    return alpha;
}

StepReport printedStep(System *system, double h, const Method *method)
{
    double *const *room = system->step->past;
    End midpoint = { room[0], room[1] }, euler = { room[2], room[3] };
    Stage stage = stageMidpoint(h), backward = stageBackward(h);
    SolveReport prepared = { 0 };
    stageReady(system, &backward, &prepared);
    systemSetExternal(system);
    StepReport report = { .solve = takeMidpoint(system, h, method) };
    reportAdd(&report.solve, &prepared);
    double since = clockSeconds(), tolerance = method->settings.energyTolerance * system->step->target;
    Watch watch = energyWatch(system, h, system->state.velocity);
    report.solve.profile.ledger += clockLap(&since);
    if (watch.error != 0 && isfinite(watch.error) && !(fabs(watch.error) < tolerance))
    {
        bool over = watch.error > 0;
        keepEnd(&system->state, midpoint);
        if (over)
            takeBackward(system, h, method, &report.solve);
        else
            takeForward(system, h, euler.position); // room that is filled below
        clockLap(&since);
        keepEnd(&system->state, euler);
        End end[2] = { over ? midpoint : euler, over ? euler : midpoint };
        double alpha = search(system, h, end, tolerance, &watch, &report.solve);
        report.alpha = over ? alpha : alpha - 1;
        report.failures = alpha == 1;
        report.solve.profile.line += clockLap(&since);
    }
    clockLap(&since);
    systemSetMidpoint(system);
    systemSetStage(system, &stage);
    bookStep(system);
    watchClose(system, &watch.balance, &report);
    report.solve.profile.ledger += clockLap(&since);
    return report;
}
