// The integrate room: one integrator per file. An integrator takes an island from (x_n, v_n) to (x_{n+1}, v_{n+1}) and
// books what the step did to the energy. Implicit ones are rows of one table of stages (stage.c).
#ifndef INTEGRATE_INTEGRATE_H
#define INTEGRATE_INTEGRATE_H

#include "integrate/tables.h"
#include "solve/solve.h"

typedef enum Momentum
{
    MOMENTUM_AUTO,  // exact where it measured better: free bodies
    MOMENTUM_EXACT, // linear and angular momentum follow the external forces after a blend
    MOMENTUM_FREE,  // as the blend leaves them, Dinev 2018
} Momentum;

// What a method may be told; each reads what it needs.
typedef struct IntegratorSettings
{
    double energyTolerance; // 1: share of the energy of motion by which methods that watch it may miss the target
    Momentum momentum;      //
    bool energyReturn;      // small-midpoint gives back what it lost
    int substeps;           // inside a step, of methods with their own; 0: by the method's rule
    bool symmetric;         // small-steps: every other sweep of a substep goes backward, at least one
    bool jacobi;            // small-steps: elements of a kind all at once, masses split, instead of one after the other
    double recoverySpeed;   // m/s, small-steps: at which contact pushes out overlap that a step begins with
    double gamma, beta;     // Newmark
    double spectralRadius;  // generalized-alpha, at infinity
    double stepTolerance;   // m; above 0: steps are divided until their error is below
    const Tableau *tableau; // of "runge-kutta"; NULL: none was given
} IntegratorSettings;

struct Integrator;

// How a world takes its steps.
typedef struct Method
{
    const struct Integrator *integrator;
    const Solver *solver;
    SolverSettings solving;
    IntegratorSettings settings;
} Method;

typedef struct Integrator
{
    const char *name;
    bool isExplicit;                 // no system is solved, and the step has a limit
    bool hasSubsteps;                // divides a step by itself
    bool (*reserve)(System *system); // what a step needs beside the state, if it is not there; false: out of memory
    SolveReport (*step)(System *system, double h, const Method *method);
} Integrator;

extern const Integrator backwardEuler, implicitMidpoint, symplecticEuler, smallSteps;

int integratorCount(void);
const Integrator *integratorAt(int index);

// One step of an island: the integrator, then what all of them share, the damping of motion that is not rigid.
SolveReport integratorStep(System *system, double h, const Method *method);

// ---- inside the room ---------------------------------------------------------------------------------------------------

// y = x_n + h v_n
void stageInertia(System *system, double h);

// where the solver starts, into state->position
void stageGuess(System *system, const Stage *stage);

// the first guess, the minimiser, then the books
SolveReport stageSolve(System *system, const Stage *stage, const Method *method);

// v = a (x - x_n) + b v_n; pinned vertices: (x - x_n) / h
void stageVelocity(System *system, double a, double b, double h);

// Books into the parts what the caller added and damping took, given the point where forces were taken (state->stage)
// and the velocity where damping was (state->rate).
void bookStep(System *system);

// rigid_motion.c: of the free vertices [begin, end) with these positions and velocities
typedef struct RigidMotion
{
    int count;   // free vertices
    double mass; // kg
    Vec3 centre, velocity, spin;
    Mat3 inertia; // kg m^2, about the centre
} RigidMotion;

RigidMotion rigidMotion(const State *s, const double *position, const double *velocity, int begin, int end);
Vec3 spinOf(const Mat3 *inertia, Vec3 angular); // the least one that has the angular momentum

// balance.c: J, by the columns of the ledger, moving targets where systemSetFraction put them
typedef struct Balance
{
    double kinetic, elastic, gravity, contact;
} Balance;

Balance balanceAt(System *system, const double *position, const double *velocity);

static inline double balanceTotal(const Balance *b)
{
    return b->kinetic + b->elastic + b->gravity + b->contact;
}

// Damps what is not rigid motion of each part, over h, and books it; once the velocity of the step is known.
void dampNonRigid(System *system, double h);

#endif
