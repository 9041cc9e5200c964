// Linearly implicit Euler: exactly one Newton step of backward Euler from x_n, (M + h C + h^2 K) dv = h (f - h K v_n)
// with everything taken at x_n (Baraff and Witkin 1998, Eq 6; what Joubert calls semi-implicit; symplectic Euler is
// another method). First order. What is left of the residual is reported, not worked on.
//
// With newton the matrix is the exact Hessian at x_n, without its negative part where it has no factor. Solvers that
// keep no such matrix take one iteration of their own from x_n: local-global its constant matrix (Hauth 2004, Eq 50),
// which is stable but follows large turns less. The step is taken whole: one that a line search shortens to lower g,
// which a turn from x_n raises, takes the same share of all motion, free fall too (a spinning box lost 3 % of its
// fall).
#include "integrate/integrate.h"

// no later iteration mends what a conjugate gradient leaves: at 0.02 a free body lost 10 % of its impulse
#define FORCING 1e-8

static bool hasMatrices(const System *system)
{
    for (int p = 0; p < system->memberCount; ++p)
    {
        if (system->member[p]->matrix == NULL || system->member[p]->factor == NULL)
            return false;
    }
    return true;
}

static SolveReport newtonStep(System *system, const Stage *stage)
{
    static const HessianMode modes[] = { HESSIAN_EXACT, HESSIAN_SEMIDEFINITE };
    State *s = &system->state;
    SolveReport report = { .iterations = 1 };
    double since = clockSeconds();
    systemSetStage(system, stage);
    systemGradient(system, stage);
    report.profile.gradient += clockLap(&since);
    bool solved = false;
    for (int k = 0; k < 2 && !solved; ++k)
    {
        systemAssemble(system, stage, modes[k]);
        report.profile.matrix += clockLap(&since);
        report.factorizations += 1;
        report.semidefinite += modes[k] == HESSIAN_SEMIDEFINITE;
        solved = systemFactor(system);
        report.profile.factor += clockLap(&since);
        solved = solved && systemSolve(system, &report);
        report.profile.solve += clockLap(&since);
    }
    for (int i = 0; i < 3 * s->count && solved; ++i)
        s->position[i] += s->direction[i];
    systemSetStage(system, stage);
    systemGradient(system, stage);
    report.residual = systemResidual(system);
    report.profile.gradient += clockLap(&since);
    report.finite = isfinite(report.residual);
    report.converged = solved && report.finite; // one step is the whole method
    return report;
}

static SolveReport oneIteration(System *system, const Stage *stage, const Method *method)
{
    SolverSettings settings = method->solving;
    settings.iterations = 1;
    settings.forcing = minReal(settings.forcing, FORCING);
    settings.exactHessian = true; // as newton: the other resists the translation of bodies under pressure
    settings.whole = true;
    SolveReport report = method->solver->minimise(system, stage, &settings);
    report.converged = report.finite;
    return report;
}

static StepReport step(System *system, double h, const Method *method)
{
    State *s = &system->state;
    Stage stage = stageBackward(h);
    systemSetFraction(system, 1);
    stageInertia(system, h);
    beginRates(system, &stage);
    systemSetExternal(system);
    for (int i = 0; i < 3 * s->count; ++i)
        s->position[i] = s->pinned[i / 3] ? s->pinTarget[i] : s->start[i];
    StepReport report = { .solve =
                              hasMatrices(system) ? newtonStep(system, &stage) : oneIteration(system, &stage, method) };
    systemSetStage(system, &stage);
    double since = clockSeconds();
    bookStep(system);
    report.solve.profile.ledger += clockLap(&since);
    stageVelocity(system, 1 / h, 0, h);
    return report;
}

const Integrator linearImplicitEuler = { .name = "linear-implicit-euler", .linearizes = true, .step = step };
