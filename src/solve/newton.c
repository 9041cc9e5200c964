// Newton's method. The full Hessian is tried first: it is positive definite in nearly every step of a real scene and
// converges quadratically; where its Cholesky factor does not exist, the element-wise semidefinite form takes over for that
// iteration.
#include "solve/descent.h"

#define DEFAULT_ITERATIONS 50

bool newtonDirection(Descent *descent, SolveReport *report)
{
    static const HessianMode modes[] = { HESSIAN_EXACT, HESSIAN_SEMIDEFINITE };
    System *system = descent->system;
    for (int k = 0; k < 2; ++k)
    {
        double since = clockSeconds();
        systemAssemble(system, descent->stage, modes[k]);
        report->profile.matrix += clockLap(&since);
        report->factorizations += 1;
        report->semidefinite += modes[k] == HESSIAN_SEMIDEFINITE;
        bool ok = systemFactor(system);
        report->profile.factor += clockLap(&since);
        ok = ok && systemSolve(system, report);
        report->profile.solve += clockLap(&since);
        if (ok)
            return true;
    }
    return false;
}

SolveReport newtonMinimise(System *system, const Stage *stage, const SolverSettings *settings)
{
    Descent descent = { .system = system, .stage = stage, .settings = settings, .find = newtonDirection };
    return descend(&descent, DEFAULT_ITERATIONS);
}
