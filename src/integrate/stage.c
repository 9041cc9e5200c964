// One implicit step, a table of stages: every implicit integrator minimises the same function (solve.h) with its own
// sigma, theta and y, and takes its velocity from the result.
#include "integrate/integrate.h"

static const Integrator *const integrators[] = {
    &smallMidpoint,
    &stabilized,
    &smallSteps,
    &implicitMidpoint,
    &backwardEuler,
    &symplecticEuler,
    &forwardEuler,
    &explicitMidpoint,
    &rk4,
    &rk23,
    &rk45,
    &rungeKutta,
    &verlet,
    &adamsBashforth2,
    &adamsBashforth3,
    &adamsBashforth4,
    &adamsMoulton3,
    &adamsMoulton4,
    &linearImplicitEuler,
    &trapezoid,
    &newmark,
    &generalizedAlpha,
    &bdf2,
    &bdf3,
    &bdf4,
    &bdf5,
    &bdf6,
    &bdf2Variable,
    &stabilizedExplicit,
    &energyBudget,
    &energyMultiplier,
    &pbd,
    &pdJacobi,
};

int integratorCount(void)
{
    return (int)(sizeof integrators / sizeof integrators[0]);
}

const Integrator *integratorAt(int index)
{
    return integrators[index];
}

Matrices methodMatrices(const Method *method)
{
    const Integrator *integrator = method->integrator;
    if (integrator->prefactored)
        return MATRICES_PREFACTORS;
    if (integrator->isExplicit || integrator->sweeps || integrator->ownSolver)
        return MATRICES_NONE;
    return method->solver->prefactored ? MATRICES_PREFACTORS : MATRICES_NEWTON;
}

const char *methodSlideObstacle(const Method *method)
{
    const Integrator *integrator = method->integrator;
    if (integrator->isExplicit || integrator->sweeps || integrator->prefactored)
        return integrator->name;
    return method->solver->prefactored ? method->solver->name : NULL; // its matrix is one for x, y and z
}

void slideFilter(State *s, double *vectors)
{
    Filter filter = stateFilter(s);
    for (int v = 0; v < s->count; ++v)
    {
        if (slides(s, v))
            filterVertex(&filter, v, vectors + 3 * (ptrdiff_t)v);
    }
}

static bool mayDivide(const Method *method)
{
    const Integrator *integrator = method->integrator;
    return method->settings.stepTolerance > 0 && !integrator->isExplicit && !integrator->hasControl;
}

int methodVectors(const Method *method)
{
    const Integrator *integrator = method->integrator;
    bool divides = mayDivide(method) || integrator->pastCount > 0;   // also where rigid bodies are near
    int spare = divides ? DIVISION_ROOM + integrator->pastCount : 0; // the past as it was, behind the room
    return integrator->pastCount + integrator->roomCount + maxInt(spare, integrator->divides ? DIVISION_ROOM : 0);
}

StepReport integratorStep(System *system, double h, const Method *method)
{
    // methods with substeps freeze dampers in each of them
    beginEnergies(system, method->integrator->hasSubsteps ? isNotViscous : NULL, system->state.start);
    bool divides = method->integrator->divides && !method->settings.stabilized.printed,
         blends = divides && method->settings.stabilized.momentum != VV_MOMENTUM_FREE;
    int substeps = divides ? impactSubsteps(system, h, method->settings.energyTolerance) : 1;
    if (blends)
        substeps = maxInt(substeps, spinSubsteps(system, h, method));
    bool waits = movablesWait(system, method->integrator);
    if (waits)
        substeps = maxInt(substeps, movablesSubsteps(system, h));
    int ruled = substeps;
    if (blends)
        substeps = maxInt(substeps, resolveSubsteps(system));
    StepReport report =
        substeps > 1 ? divideInto(system, h, method, substeps) : method->integrator->step(system, h, method);
    if (blends)
        resolveWatch(system, report.alpha);
    if (!waits && mayDivide(method) && !(report.solve.converged && report.solve.finite))
        report = divideStep(system, h, method);
    report.ruled = maxInt(report.ruled, ruled);
    integratorFinish(system, h, method);
    return report;
}

void integratorFinish(System *system, double h, const Method *method)
{
    // planes and lines do not move, whatever a method makes of rounding
    slideBack(&system->state);
    slideFilter(&system->state, system->state.velocity);
    if (!method->integrator->flows)
    {
        dampNonRigid(system, h);
        systemFlow(system, h);
    }
    systemFollow(system);
    ASSERT_CHEAP(system->state.scratchTaken == 0, "a step gives back its scratch vectors");
}

void stageInertia(System *system, double h)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
        s->inertial[i] = s->start[i] + h * s->startVelocity[i];
}

SolveReport stageMinimise(System *system, const Stage *stage, const Method *method)
{
    systemSetTime(system, stage);
    beginRates(system, stage);
    double since = clockSeconds();
    stageGuess(system, stage);
    double guess = clockLap(&since);
    SolveReport report = method->solver->minimise(system, stage, &method->solving);
    report.profile.gradient += guess;
    systemSetStage(system, stage);
    return report;
}

SolveReport stageSolve(System *system, const Stage *stage, const Method *method)
{
    SolveReport report = stageMinimise(system, stage, method);
    double since = clockSeconds();
    bookStep(system);
    report.profile.ledger += clockLap(&since);
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
    for (int p = 0; p < system->memberCount; ++p)
    {
        Member *member = system->member[p];
        if (member->tree == NULL || member->prefactor[MEMBER_FACTORS - 1].factor != NULL)
            continue;
        State slice = { .mass = system->state.mass + member->offset, .pinned = system->state.pinned + member->offset };
        const double *coupling = system->couplingDiagonal ? system->couplingDiagonal + member->offset : NULL;
        memberPrefactor(member, system->memory, &slice, stage->sigma * stage->theta * stage->theta,
                        stage->sigma * stage->theta / stage->h, coupling, system->isa, system->workers, report);
        if (report->starved)
            system->trouble = TROUBLE_MEMORY;
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
    sum->profile.ledger += more->profile.ledger;
}

void stageAcceleration(System *system, const double *point, const double *velocity, double fraction, double *out)
{
    State *s = &system->state;
    systemSetFraction(system, fraction);
    for (int i = 0; i < 3 * s->count && system->dissipates; ++i)
        s->rate[i] = velocity[i];
    beginRatesAt(system, point);
    systemForces(system, NULL, point);
    for (int i = 0; i < 3 * s->count; ++i)
        out[i] = s->pinned[i / 3] ? 0 : -s->gradient[i] / s->mass[i / 3];
    slideFilter(s, out);
}

void stagePinRate(System *system, double *from, double h, double step)
{
    State *s = &system->state;
    for (int i = 0; i < 3 * s->count; ++i)
    {
        if (s->pinned[i / 3])
            from[i] = s->pinTarget[i] - h / step * (s->pinTarget[i] - s->start[i]);
    }
}

void reportAddSubstep(StepReport *sum, const StepReport *substep)
{
    SolveReport *solve = &sum->solve;
    reportAdd(solve, &substep->solve);
    solve->linearIterations += substep->solve.linearIterations;
    solve->residual = maxReal(solve->residual, substep->solve.residual);
    solve->correction = maxReal(solve->correction, substep->solve.correction);
    if (substep->solve.softness.factor > solve->softness.factor)
        solve->softness = substep->solve.softness;
    solve->converged = solve->converged && substep->solve.converged;
    solve->finite = solve->finite && substep->solve.finite;
    sum->alpha = fabs(substep->alpha) > fabs(sum->alpha) ? substep->alpha : sum->alpha;
    sum->failures += substep->failures;
    sum->share = substep->share;
    sum->spectrum = substep->spectrum;
}
