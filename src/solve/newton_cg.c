// Inexact Newton: the linear system of every iteration by conjugate gradient, stopped at a share eta of the gradient,
// the forcing term (Hauth 2004, section 3.4). No matrix is factored, so that memory and time grow with the mesh and not
// faster.
#include "solve/descent.h"

#define DEFAULT_ITERATIONS 100
#define LEAST_STEPS 100 // of the conjugate gradient, allowed

static bool findDirection(Descent *descent, SolveReport *report)
{
    System *system = descent->system;
    HessianMode first = descent->settings->exactHessian ? HESSIAN_EXACT : HESSIAN_SEMIDEFINITE;
    for (int mode = (int)first; mode <= HESSIAN_SEMIDEFINITE; ++mode)
    {
        double since = clockSeconds();
        systemAssemble(system, descent->stage, (HessianMode)mode);
        report->profile.matrix += clockLap(&since);
        report->semidefinite += mode == HESSIAN_SEMIDEFINITE;
        bool ok = systemPrecondition(system);
        report->profile.factor += clockLap(&since);
        ok = ok && systemSolveInexact(system, descent->settings->forcing, maxInt(3 * system->state.count, LEAST_STEPS),
                                      report);
        report->profile.solve += clockLap(&since);
        if (ok)
            return true;
    }
    return false;
}

SolveReport newtonCgMinimise(System *system, const Stage *stage, const SolverSettings *settings)
{
    Descent descent = { .system = system, .stage = stage, .settings = settings, .find = findDirection };
    return descend(&descent, DEFAULT_ITERATIONS);
}
