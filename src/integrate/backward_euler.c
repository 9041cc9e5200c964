// Backward Euler: x = x_n + h v, v = v_n - h M^-1 grad E(x). First order, stable at any step; each step loses
// 1/2 |dv|^2_M + 1/2 dx^T K dx of a quadratic energy (Dinev 2018, Eq 45; Hauth 2004, section 2.2).
#include "integrate/integrate.h"

static StepReport step(System *system, double h, const Method *method)
{
    Stage stage = stageBackward(h);
    stageInertia(system, h);
    StepReport report = { .solve = stageSolve(system, &stage, method) };
    stageVelocity(system, 1 / h, 0, h);
    return report;
}

const Integrator backwardEuler = { .name = "backward-euler", .step = step };
