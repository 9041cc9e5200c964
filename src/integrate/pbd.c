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

// x with x^n = whole, at least 1, by halving: no libm within a step, and Newton's method takes n steps per digit
static double rootOf(double whole, int n)
{
    double low = 1, high = 1 + (whole - 1) / n; // Bernoulli
    for (int i = 0; i < 60; ++i)
    {
        double middle = 0.5 * (low + high), power = 1;
        for (int k = 0; k < n && power <= whole; ++k)
            power *= middle;
        if (power <= whole)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static SolveReport step(System *system, double h, const Method *method)
{
    int sweeps = method->solving.iterations > 0 ? method->solving.iterations : DEFAULT_ITERATIONS;
    systemSetFraction(system, 0);
    systemSweepBegin(system);
    double mean = system->sweep.rate * system->sweep.rate, weakened = h; // w K of the mean constraint
    if (sweeps > 1 && mean > 0)
        weakened = sqrt((rootOf(1 + mean * h * h, sweeps) - 1) / mean);
    return sweepStep(system, h, method, 1, sweeps, weakened > 0 ? weakened : h);
}

const Integrator pbd = { .name = "pbd", .hasSubsteps = true, .reserve = systemSweepReserve, .step = step };
