// Energy as a constraint with a Lagrange multiplier (Hughes, Caughey and Liu 1978), the comparator of Dinev 2018, Fig 1: the
// minimiser of the midpoint's g among the states whose energy is the target's, grad g + lambda grad H = 0 with v = 2 (x - x_n)/h
// - v_n. One step of it: from the midpoint solution along A^-1 grad H, A the matrix of g, to where the energy is met, which
// takes a search along that line and no second linearisation. Energy is kept by force; nothing says that the motion is.
#include "integrate/integrate.h"

#include <string.h>

#define DOUBLINGS 12

// position += -A^-1 (h^2/4) grad H, by one iteration of the solver on a problem that has this gradient here: y = x - h/2 v
// in the trapezoid's row, M (x - y) + h^2/4 grad E(x)
static void descendEnergy(System *system, const Stage *stage, double h, const Method *method, SolveReport *report)
{
    State *s = &system->state;
    SolverSettings once = method->solving;
    once.iterations = 1;
    once.tolerance = 0;
    for (int i = 0; i < 3 * s->count; ++i)
        s->inertial[i] = s->position[i] - 0.5 * h * s->velocity[i];
    systemSetFraction(system, 1);
    SolveReport more = method->solver->minimise(system, stage, &once);
    reportAdd(report, &more);
}

// from state->blend along the way to state->position, forwards or backwards until the error changes its sign
static void meetTarget(System *system, double h, Blend *blend, Watch *watch, double tolerance, SolveReport *report)
{
    State *s = &system->state;
    const double *start = s->blend;
    bool high = watch->error > 0;
    double length = 1, best = 0, least = fabs(watch->error);
    for (int i = 0; i < 3 * s->count && !high; ++i)
        s->position[i] = s->pinned[i / 3] ? s->position[i] : 2 * start[i] - s->position[i];
    for (int k = 0; k < DOUBLINGS; ++k)
    {
        stageVelocity(system, blend->a, blend->b, h);
        Watch end = energyWatch(system, h, s->velocity);
        if (isfinite(end.error) && (end.error > 0) != high)
        {
            blendStart(blend, system, start, (double[2]){ watch->error, end.error },
                       (double[2]){ watch->added, end.added });
            double alpha = blendSearch(blend, system, tolerance);
            watch->balance = blend->balance;
            blendTake(blend, system, alpha);
            return;
        }
        if (fabs(end.error) < least)
        {
            least = fabs(end.error);
            best = length;
            watch->balance = end.balance;
        }
        length *= 2;
        for (int i = 0; i < 3 * s->count; ++i)
            s->position[i] = s->pinned[i / 3] ? s->position[i] : 2 * s->position[i] - start[i];
    }
    // there is no such state: the nearest that was seen
    for (int i = 0; i < 3 * s->count; ++i)
        s->position[i] = s->pinned[i / 3] ? s->position[i] : start[i] + best / length * (s->position[i] - start[i]);
    stageVelocity(system, blend->a, blend->b, h);
    report->failures += 1;
}

static SolveReport step(System *system, double h, const Method *method)
{
    State *s = &system->state;
    Stage middle = { .h = h, .sigma = h * h, .theta = 0.5 }, rule = { .h = h, .sigma = 0.25 * h * h, .theta = 1 };
    Blend blend = { .h = h, .a = 2 / h, .b = -1 };
    SolveReport prepared = { 0 };
    stageReady(system, &rule, &prepared);
    stageInertia(system, h);
    systemSetFraction(system, middle.theta);
    beginRates(system, &middle);
    stageGuess(system, &middle);
    SolveReport report = method->solver->minimise(system, &middle, &method->solving);
    reportAdd(&report, &prepared);
    stageVelocity(system, blend.a, blend.b, h);
    double scale = motionScale(system, h);
    Watch watch = energyWatch(system, h, s->velocity);
    // the constraint is exact in the papers: here to a hundredth of the tolerance
    double tolerance = maxReal(0.01 * method->settings.energyTolerance * scale, energyRounding(system, &watch.balance));
    if (isfinite(watch.error) && fabs(watch.error) > tolerance)
    {
        memcpy(s->blend, s->position, (size_t)s->count * 3 * sizeof(double));
        descendEnergy(system, &rule, h, method, &report);
        meetTarget(system, h, &blend, &watch, tolerance, &report);
    }
    double since = clockSeconds();
    systemSetFraction(system, middle.theta);
    systemSetStage(system, &middle);
    bookStep(system);
    watchClose(system, &watch.balance, &report);
    report.profile.books += clockLap(&since);
    return report;
}

const Integrator energyMultiplier = { .name = "energy-multiplier", .step = step };
