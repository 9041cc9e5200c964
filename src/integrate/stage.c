// One implicit step, a table of stages: every implicit integrator minimises the same function (solve.h) with its own
// sigma, theta and y, and takes its velocity from the result.
#include "integrate/integrate.h"

static const Integrator *const integrators[] = {
    &implicitMidpoint,   &backwardEuler, &symplecticEuler,  &stabilized,
    &stabilizedExplicit, &energyBudget,  &energyMultiplier, &smallMidpoint,
};

int integratorCount(void)
{
    return (int)(sizeof integrators / sizeof integrators[0]);
}

const Integrator *integratorAt(int index)
{
    return integrators[index];
}

bool methodIsPrefactored(const Method *method)
{
    return method->integrator->prefactored || method->solver->prefactored;
}

SolveReport integratorStep(System *system, double h, const Method *method)
{
    systemBegin(system);
    SolveReport report = method->integrator->step(system, h, method);
    dampNonRigid(system, h);
    return report;
}

void stageInertia(System *system, double h)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
        s->inertial[i] = s->start[i] + h * s->startVelocity[i];
}

SolveReport stageSolve(System *system, const Stage *stage, const Method *method)
{
    systemSetFraction(system, stage->theta);
    double since = clockSeconds();
    stageGuess(system, stage);
    double guess = clockLap(&since);
    SolveReport report = method->solver->minimise(system, stage, &method->solving);
    report.profile.gradient += guess;
    systemSetStage(system, stage);
    since = clockSeconds();
    bookStep(system);
    report.profile.books += clockLap(&since);
    return report;
}

void stageVelocity(System *system, double a, double b, double h)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
        s->velocity[i] = a * (s->position[i] - s->start[i]) + b * s->startVelocity[i];
    for (int v = 0; v < s->count; ++v)
    {
        for (int i = 3 * v; i < 3 * v + 3 && s->pinned[v]; ++i)
            s->velocity[i] = (s->position[i] - s->start[i]) / h;
    }
}

void stageReady(System *system, const Stage *stage, SolveReport *report)
{
    for (int p = 0; p < system->partCount; ++p)
    {
        Part *part = system->part[p];
        if (part->tree == NULL || part->prefactor[PART_FACTORS - 1].factor != NULL)
            continue;
        State slice = { .mass = system->state.mass + part->offset, .pinned = system->state.pinned + part->offset };
        const double *coupling = system->couplingDiagonal ? system->couplingDiagonal + part->offset : NULL;
        partPrefactor(part, system->memory, &slice, stage->sigma * stage->theta * stage->theta,
                      stage->sigma * stage->theta / stage->h, coupling, system->isa, system->workers, report);
    }
}

void reportAdd(SolveReport *sum, const SolveReport *more)
{
    sum->iterations += more->iterations;
    sum->factorizations += more->factorizations;
    sum->semidefinite += more->semidefinite;
    sum->lineSearchSteps += more->lineSearchSteps;
    sum->profile.gradient += more->profile.gradient;
    sum->profile.matrix += more->profile.matrix;
    sum->profile.factor += more->profile.factor;
    sum->profile.solve += more->profile.solve;
    sum->profile.line += more->profile.line;
    sum->profile.books += more->profile.books;
}
