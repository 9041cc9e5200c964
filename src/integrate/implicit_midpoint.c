// Implicit midpoint: x = x_n + h (v_n + v)/2, v = v_n - h M^-1 grad E((x_n + x)/2). Second order, symplectic; keeps
// quadratic energies, linear and angular momentum exactly (Dinev 2018, Eq 10 and 30; Hauth 2004, section 2.3).
#include "integrate/integrate.h"

static StepReport step(System *system, double h, const Method *method)
{
    Stage stage = stageMidpoint(h);
    stageInertia(system, h);
    StepReport report = { .solve = stageSolve(system, &stage, method) };
    stageVelocity(system, 2 / h, -1, h);
    return report;
}

const Integrator implicitMidpoint = { .name = "implicit-midpoint", .step = step };
