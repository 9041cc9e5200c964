// Simplified Newton (Hauth 2004, section 3.4): one Jacobian for many iterations. "frozen": that of the start of the
// step, made again where it converges too slowly. "linear": Hauth's constant one (Eq 50), every spring as if it pulled
// straight to the other end; here the majorizers of the energies. It is descent with the matrix of local/global, and
// where elements turn, or sheets buckle, it creeps; then the report says so.
#include "solve/descent.h"

#define DEFAULT_ITERATIONS 100
#define SLOWEST 0.5 // reduction of the residual in one iteration, of a Jacobian that is kept

static bool frozenDirection(Descent *descent, SolveReport *report)
{
    return keptDirection(descent, SLOWEST, report);
}

static bool linearDirection(Descent *descent, SolveReport *report)
{
    double since = clockSeconds();
    bool ok = true;
    if (!descent->factored)
    {
        systemAssembleLinear(descent->system, descent->stage);
        report->profile.matrix += clockLap(&since);
        ok = systemFactor(descent->system);
        report->profile.factor += clockLap(&since);
        report->factorizations += 1;
        descent->factored = true;
    }
    ok = ok && systemSolve(descent->system, report);
    report->profile.solve += clockLap(&since);
    return ok;
}

SolveReport simplifiedNewtonMinimise(System *system, const Stage *stage, const SolverSettings *settings)
{
    Descent descent = { .system = system,
                        .stage = stage,
                        .settings = settings,
                        .find = settings->linearJacobian ? linearDirection : frozenDirection,
                        .linear = true,
                        .factored = settings->again };
    return descend(&descent, DEFAULT_ITERATIONS);
}
