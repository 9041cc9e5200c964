// The Jacobi solver of Bouaziz 2014, section 4.2, a comparator: backward Euler whose global step reaches a consensus
// vertex by vertex, Eq 14 (solve/jacobi.c). Its minimum is local-global's; it only takes far more iterations to get
// there.
#include "integrate/integrate.h"

static const Solver jacobi = { .name = "jacobi", .minimise = jacobiMinimise };

static StepReport step(System *system, double h, const Method *method)
{
    Method own = *method;
    own.solver = &jacobi;
    Stage stage = stageBackward(h);
    stageInertia(system, h);
    StepReport report = { .solve = stageSolve(system, &stage, &own) };
    stageVelocity(system, 1 / h, 0, h);
    return report;
}

const Integrator pdJacobi = { .name = "pd-jacobi", .ownSolver = true, .step = step };
