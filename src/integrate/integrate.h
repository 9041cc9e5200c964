// The integrate room: one integrator per file. An integrator takes an island from (x_n, v_n) to (x_{n+1}, v_{n+1}) and
// books what the step did to the energy. Implicit ones are rows of one table of stages (stage.c).
#ifndef INTEGRATE_INTEGRATE_H
#define INTEGRATE_INTEGRATE_H

#include "solve/solve.h"

typedef struct Integrator
{
    const char *name;
    bool isExplicit; // no system is solved, and the step has a limit
    SolveReport (*step)(System *system, double h, Minimiser minimise, const SolverSettings *settings);
} Integrator;

extern const Integrator backwardEuler, implicitMidpoint, symplecticEuler;

int integratorCount(void);
const Integrator *integratorAt(int index);

// One step of an island: the integrator, then what all of them share, the damping of motion that is not rigid.
SolveReport integratorStep(const Integrator *integrator, System *system, double h, Minimiser minimise,
                           const SolverSettings *settings);

// ---- inside the room ---------------------------------------------------------------------------------------------------

// y = x_n + h v_n
void stageInertia(System *system, double h);

// where the solver starts, into state->position
void stageGuess(System *system, const Stage *stage);

// the first guess, the minimiser, then the books
SolveReport stageSolve(System *system, const Stage *stage, Minimiser minimise, const SolverSettings *settings);

// v = a (x - x_n) + b v_n; pinned vertices: (x - x_n) / h
void stageVelocity(System *system, double a, double b, double h);

// Books into the parts what the caller added and damping took, given the point where forces were taken (state->stage)
// and the velocity where damping was (state->rate).
void bookStep(System *system);

// Damps what is not rigid motion of each part, over h, and books it; once the velocity of the step is known.
void dampNonRigid(System *system, double h);

#endif
