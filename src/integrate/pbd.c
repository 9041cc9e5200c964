// Position-based dynamics (Mueller 2007; Bouaziz 2014, section 4.1), a comparator: one explicit Euler step without
// inner forces, then Gauss-Seidel projections onto the constraints, Eq 13, then velocities from positions. It is the
// sweep of small-steps with one substep, compliances of zero and multipliers that are forgotten between iterations.
// Stiffness is that of k = 1, for which Mueller's k' = 1 - (1 - k)^(1/n) is 1 for any number n of iterations: what a
// material says is not looked at, and how stiff a body is depends on n and the step. Where something has touched, the
// energy of motion does not rise (pbd_energy.c), which the method does not have by itself.
//
// Tried: k from the material, w K h^2 / (1 + w K h^2), with k' by a shorter step for compliances. One constraint alone
// then does not depend on n; a cloth of 81 x 81 vertices still sags 1.9 times as much after 2 iterations as after 20,
// and several times as far as with k = 1.
#include "integrate/integrate.h"

#define DEFAULT_ITERATIONS 10
#define RIGID 1e4 // compliances are 1e-8 of the inverse masses: cells with pinned corners stay solvable

static StepReport step(System *system, double h, const Method *method)
{
    int sweeps = method->solving.iterations > 0 ? method->solving.iterations : DEFAULT_ITERATIONS;
    systemSetFraction(system, 0);
    systemSweepBegin(system);
    double rate = system->sweep.rate;
    StepReport report = sweepStep(system, h, method, 1, sweeps, rate > 0 ? RIGID / rate : h);
    pbdKeepEnergy(system, h);
    return report;
}

const Integrator pbd = { .name = "pbd",
                         .hasSubsteps = true,
                         .sweeps = true,
                         .listsPairs = true,
                         .answers = true,
                         .reserve = sweepTouchReserve,
                         .step = step };
