#include "integrate/integrate.h"
static SolveReport step(System *system, double h, const Method *method)
{
    return energyBudget.step(system, h, method);
}
const Integrator energyMultiplier = { .name = "energy-multiplier", .step = step };
