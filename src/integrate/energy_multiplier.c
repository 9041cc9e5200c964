// Energy as a constraint with a Lagrange multiplier (Hughes, Caughey and Liu 1978), the comparator of Dinev 2018, Fig
// 1: the minimiser of the midpoint's g among the states whose energy is the target's, grad g + lambda grad H = 0 with v
// = 2 (x - x_n)/h
// - v_n. From the midpoint solution along A^-1 grad H, A the matrix of g, which is also that of H, to where the energy
// is met; where one such line does not reach it, along the next from its end. That is Newton's method for the least H,
// so that it ends only where no state near has less energy. Energy is kept by force; nothing says that the motion is.
#include "integrate/integrate.h"

#include <string.h>

#define DOUBLINGS 12
#define ROUNDS 200     // lines towards less energy, at most
#define TOLERANCE 1e-4 // of the energy tolerance: the constraint is exact in the papers

// position += -A^-1 (h^2/4) grad H, by one iteration of the solver on a problem that has this gradient here: y = x -
// h/2 v in the trapezoid's row, M (x - y) + h^2/4 grad E(x)
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

// between state->blend and state->position, on whose two sides the target is
static void meetBetween(System *system, Blend *blend, Watch *watch, const Watch *end, double tolerance)
{
    State *s = &system->state;
    double *velocity = scratchTake(s);
    for (int i = 0; i < 3 * s->count; ++i)
        velocity[i] = blend->a * (s->blend[i] - s->start[i]) + blend->b * s->startVelocity[i];
    blendStart(blend, system, s->blend, velocity, (double[2]){ watch->error, end->error },
               (double[2]){ watch->added, end->added });
    double alpha = blendSearch(blend, system, tolerance);
    watch->balance = blend->balance;
    watch->error = 0;
    blendTake(blend, system, alpha);
    scratchGive(s, velocity);
}

// state->position is the end of a line of descent: from state->blend the other way until the energy is reached
static bool raiseEnergy(System *system, double h, Blend *blend, Watch *watch, double tolerance)
{
    State *s = &system->state;
    const double *start = s->blend;
    for (int i = 0; i < 3 * s->count; ++i)
        s->position[i] = s->pinned[i / 3] ? s->position[i] : 2 * start[i] - s->position[i];
    for (int k = 0; k < DOUBLINGS; ++k)
    {
        stageVelocity(system, blend->a, blend->b, h);
        Watch end = energyWatch(system, h, s->velocity);
        if (isfinite(end.error) && end.error > 0)
        {
            meetBetween(system, blend, watch, &end, tolerance);
            return true;
        }
        for (int i = 0; i < 3 * s->count; ++i)
            s->position[i] = s->pinned[i / 3] ? s->position[i] : 2 * s->position[i] - start[i];
    }
    return false;
}

// There is no such state near: back where the step began with the velocity turned about, which has the same energy but
// for what moved pins and handles changed.
static void turnBack(System *system, double h, Watch *watch)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : s->start[i];
        s->velocity[i] = s->pinned[i / 3] ? (s->pinTarget[i] - s->start[i]) / h : -s->startVelocity[i];
    }
    *watch = energyWatch(system, h, s->velocity);
}

static void meetTarget(System *system, const Stage *rule, double h, const Method *method, Blend *blend, Watch *watch,
                       double tolerance, StepReport *report)
{
    State *s = &system->state;
    for (int k = 0; k < ROUNDS; ++k)
    {
        memcpy(s->blend, s->position, (size_t)s->count * 3 * sizeof(double));
        descendEnergy(system, rule, h, method, &report->solve);
        if (watch->error < 0)
        {
            if (raiseEnergy(system, h, blend, watch, tolerance))
                return;
            break;
        }
        stageVelocity(system, blend->a, blend->b, h);
        Watch end = energyWatch(system, h, s->velocity);
        if (end.error <= 0)
        {
            meetBetween(system, blend, watch, &end, tolerance);
            return;
        }
        bool falls = end.error < watch->error;
        *watch = end;
        if (!falls)
            break;
    }
    report->failures += 1;
    turnBack(system, h, watch);
}

static StepReport step(System *system, double h, const Method *method)
{
    State *s = &system->state;
    Stage middle = stageMidpoint(h), rule = { .h = h, .sigma = 0.25 * h * h, .theta = 1 };
    Blend blend = { .h = h, .a = 2 / h, .b = -1 };
    SolveReport prepared = { 0 };
    stageReady(system, &rule, &prepared);
    stageInertia(system, h);
    systemSetMidpoint(system);
    beginRates(system, &middle);
    stageGuess(system, &middle);
    StepReport report = { .solve = method->solver->minimise(system, &middle, &method->solving) };
    reportAdd(&report.solve, &prepared);
    stageVelocity(system, blend.a, blend.b, h);
    double scale = motionScale(system, h);
    Watch watch = energyWatch(system, h, s->velocity);
    double tolerance =
        maxReal(TOLERANCE * method->settings.energyTolerance * scale, energyRounding(system, h, &watch.balance));
    if (!isfinite(watch.error))
    {
        report.failures += 1;
        turnBack(system, h, &watch);
    }
    else if (fabs(watch.error) > tolerance)
        meetTarget(system, &rule, h, method, &blend, &watch, tolerance, &report);
    double since = clockSeconds();
    systemSetMidpoint(system);
    systemSetStage(system, &middle);
    bookStep(system);
    watchClose(system, &watch.balance, &report);
    report.solve.profile.ledger += clockLap(&since);
    return report;
}

const Integrator energyMultiplier = { .name = "energy-multiplier", .step = step };
