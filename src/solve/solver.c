// The table of solvers: one line each.
#include "solve/solve.h"

static const Solver solvers[] = {
    { .name = "newton", .minimise = newtonMinimise },
    { .name = "local-global", .minimise = localGlobalMinimise, .prefactored = true },
    { .name = "newton-cg", .minimise = newtonCgMinimise, .iterative = true },
    { .name = "simplified-newton", .minimise = simplifiedNewtonMinimise },
};

int solverCount(void)
{
    return (int)(sizeof solvers / sizeof solvers[0]);
}

const Solver *solverAt(int index)
{
    return &solvers[index];
}
