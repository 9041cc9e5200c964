// Position-based dynamics (Mueller 2007; Bouaziz 2014, section 4.1), a comparator: one explicit Euler step without inner
// forces, then Gauss-Seidel projections of the constraints, each by a share k' of the way, then velocities from positions.
// It is the sweep of small-steps with one substep whose multipliers are forgotten between iterations. What is forgotten is
// the compliance: more iterations make a stiffer body, whatever its material says.
//
// The share. One projection of a spring K between inverse masses w takes the share k = w K h^2 / (1 + w K h^2) of its error;
// Mueller's k' = 1 - (1 - k)^(1/n) lets n of them take as much together. That is the same projection for a shorter step,
// 1 + w K h'^2 = (1 + w K h^2)^(1/n); h' is found for the mean of the island, each constraint has its own K. With one
// iteration the method is small-steps with one substep, bit by bit; K without bound gives k = 1.
#include "integrate/integrate.h"

#define DEFAULT_ITERATIONS 10

static SolveReport step(System *system, double h, const Method *method)
{
    int sweeps = method->solving.iterations > 0 ? method->solving.iterations : DEFAULT_ITERATIONS;
    systemSetFraction(system, 0);
    systemSweepBegin(system);
    // w K of the mean constraint; (1 + wK h^2)^(1/n) by Newton's method from above: no libm within a step
    double mean = system->sweep.rate * system->sweep.rate, whole = 1 + mean * h * h;
    double root = 1 + mean * h * h / sweeps;
    for (int i = 0; i < 200 && sweeps > 1; ++i)
    {
        double power = 1;
        for (int k = 1; k < sweeps; ++k)
            power *= root;
        double next = root - (root - whole / power) / sweeps;
        if (!(next < root))
            break;
        root = next;
    }
    double weakened = sweeps > 1 && mean > 0 ? sqrt((root - 1) / mean) : h;
    return sweepStep(system, h, method, 1, sweeps, weakened > 0 ? weakened : h);
}

const Integrator pbd = { .name = "pbd", .hasSubsteps = true, .reserve = systemSweepReserve, .step = step };
