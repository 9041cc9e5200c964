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
    bool ahead;          // of the midpoint rule: may start from where the last acceleration leads
    bool curved;         // the direction is from the exact Hessian of some iteration, which has a factor
    bool lengthens;      // steps along other directions are lengthened as far as g falls
    bool linear;         // converges by a factor an iteration: a small step does not say that the minimum is near
    bool factored;       // of a Jacobian that is kept: it has been made
    double lastResidual; // m, of a Jacobian that is kept: the residual when it was last used
    int without;         // assemblies for which the exact Hessian is not tried,
    int wait;            //   after the last failure of its factor
    double limit;        // of the residual, over the size of the body
    double lastSize;     // of the last step, over the body's
    double start;        // |gradient| at the start, with settings->reduction
};

SolveReport descend(Descent *descent, int iterations /* at most, unless the settings say */);

// The direction by Cholesky: assembles and factors the exact Hessian, else the semidefinite one.
bool newtonDirection(Descent *descent, SolveReport *report);

// The same by the factor there is, as long as an iteration leaves no more than `slowest` of the residual.
bool keptDirection(Descent *descent, double slowest, SolveReport *report);

#endif
