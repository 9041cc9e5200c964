// Newton's method. The full Hessian is tried first: it is positive definite in nearly every step of a real scene and
// converges quadratically; where its Cholesky factor does not exist, the element-wise semidefinite form takes over for
// that iteration, and after failures in a row for the next one and then three without another trial: cloth that
// crumples has no other for tens of iterations. A factor costs as much as five to ten solves with it: it is kept from
// one iteration to the next as long as each takes most of what is left (Shamanskii 1967), so that a step of a few
// digits needs one.
#include "solve/descent.h"

#define DEFAULT_ITERATIONS 100
#define LONGEST_WAIT 3
#define SLOWEST 0.3 // reduction of the residual in one iteration, of a factor that is kept

bool newtonDirection(Descent *descent, SolveReport *report)
{
    static const HessianMode modes[] = { HESSIAN_EXACT, HESSIAN_SEMIDEFINITE };
    System *system = descent->system;
    int first = descent->without > 0;
    descent->without -= first;
    for (int k = first; k < 2; ++k)
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
        descent->curved = modes[k] == HESSIAN_EXACT;
        if (descent->curved)
            descent->without = descent->wait = ok ? 0 : minInt(2 * descent->wait + 1, LONGEST_WAIT);
        if (ok)
            return true;
    }
    return false;
}

bool keptDirection(Descent *descent, double slowest, SolveReport *report)
{
    bool fast = report->residual <= slowest * descent->lastResidual;
    bool last = descent->lastSize <= descent->settings->tolerance; // what is left is hardly worth a factor
    bool keep = descent->factored && (fast || last);
    descent->lastResidual = report->residual;
    descent->factored = true;
    descent->linear = keep; // a fresh one is a step of Newton's
    if (!keep)
        return newtonDirection(descent, report);
    double since = clockSeconds();
    bool ok = systemSolve(descent->system, report);
    report->profile.solve += clockLap(&since);
    return ok || newtonDirection(descent, report);
}

static bool findDirection(Descent *descent, SolveReport *report)
{
    return keptDirection(descent, SLOWEST, report);
}

SolveReport newtonMinimise(System *system, const Stage *stage, const SolverSettings *settings)
{
    Descent descent = { .system = system,
                        .stage = stage,
                        .settings = settings,
                        .find = findDirection,
                        .ahead = true,
                        .lengthens = true,
                        .curved = settings->again,
                        .factored = settings->again };
    return descend(&descent, DEFAULT_ITERATIONS);
}
