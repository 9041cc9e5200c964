// Inside the solve room: the iteration that Newton's method and its relatives share.
#ifndef SOLVE_DESCENT_H
#define SOLVE_DESCENT_H

#include "solve/solve.h"

typedef struct Descent Descent;

struct Descent
{
    System *system;
    const Stage *stage;
    const SolverSettings *settings;
    bool (*find)(Descent *descent, SolveReport *report); // direction, downhill from the gradient; false: there is none
    bool linear;         // converges by a factor an iteration: a small step does not say that the minimum is near
    bool factored;       // of a Jacobian that is kept: it has been made
    double lastResidual; // m, of a Jacobian that is kept: the residual when it was last used
    double start;        // |gradient| at the start, with settings->reduction
};

SolveReport descend(Descent *descent, int iterations /* at most, unless the settings say */);

// The direction by Cholesky: assembles and factors the exact Hessian, else the semidefinite one.
bool newtonDirection(Descent *descent, SolveReport *report);

#endif
