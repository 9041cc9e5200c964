// The solve room: minimisers of one implicit step,
//
//   g(x) = 1/2 (x - y)^T M (x - y) + sigma E(theta x + (1 - theta) x_n) + sigma theta h R((x - x_n) / h)
//
// with E the potentials, R the dissipation potentials of the bodies of one island. A minimiser does not know which
// integrator called it; it starts from state->position and leaves the minimiser there.
#ifndef SOLVE_SOLVE_H
#define SOLVE_SOLVE_H

#include "energy/energy.h"
#include "ledger/ledger.h"
#include "linear/linear.h"

#define PART_ENERGIES 8

// The arrays of a world, or the slice of them that belongs to an island: bodies one behind the other, islands in one
// piece, every body in its mesh's own order.
typedef struct State
{
    int count;             // vertices
    double *mass;          // count
    unsigned char *pinned; // count
    double *start;         // count x 3: x_n, the accepted state
    double *startVelocity; // count x 3: v_n
    double *previous;      // count x 3: x_{n-1}, for rendering in between
    double *pinTarget;     // count x 3: where pinned vertices are at the end of the step
    double *position;      // count x 3: x_{n+1}, being computed
    double *velocity;      // count x 3: v_{n+1}
    double *inertial;      // count x 3: y
    double *stage;         // count x 3: z = theta x + (1 - theta) x_n
    double *rate;          // count x 3: u = (x - x_n) / h
    double *gradient;      // count x 3
    double *direction;     // count x 3
    double *scratch;       // count x 3
} State;

// One body: its range of the island, its energies, its matrix.
typedef struct Part
{
    int offset, count;             // vertices [offset, offset + count) of the island
    double size;                   // m, scale of tolerances
    int energyCount;               //
    Energy *energy[PART_ENERGIES]; //
    int *scatter[PART_ENERGIES];   // elementCount x corners^2: block of the matrix, or -1; NULL for one corner
    BlockMatrix *matrix;           //
    Factor *factor;                //
    double added, dissipated;      // J, booked by the step under way
} Part;

bool partCreateMatrix(Part *part, Memory *memory, const Graph *graph, const Symbolic *symbolic); // false: out of memory
void partDestroyMatrix(Part *part, Memory *memory);

// A spring between vertices of two bodies: exact in the gradient; in the bodies' matrices only its diagonal, the rest by
// conjugate gradient.
typedef struct Coupling
{
    int part[2];     // index of the parts
    double block[9]; // scaled Hessian between the two ends, of the last assembly
} Coupling;

// One island: what is solved together.
typedef struct System
{
    State state; // the island's slice of the world's arrays
    int partCount;
    Part **part;
    Energy *links;      // springs between bodies, over the island's vertices; NULL: none
    Coupling *coupling; // links->elementCount
    double *work;       // count x 3 x 4, for the conjugate gradient; only with links
    double inertia[3];  // the quadratic of the inertial term along the search line
} System;

typedef struct Stage
{
    double h;     // s, what the dissipation's rate is measured over
    double sigma; // s^2
    double theta; // 1
} Stage;

typedef struct SolverSettings
{
    int iterations;   // 0: the solver's own limit
    double tolerance; // of the body's size
} SolverSettings;

typedef struct SolveReport
{
    int iterations, factorizations, semidefinite, lineSearchSteps;
    double residual; // m, max |M^-1 grad g|
    bool converged;  // within the tolerance
    bool finite;     // false: the numbers ran away
} SolveReport;

typedef SolveReport (*Minimiser)(System *system, const Stage *stage, const SolverSettings *settings);

typedef struct Solver
{
    const char *name;
    Minimiser minimise;
} Solver;

int solverCount(void);
const Solver *solverAt(int index);

SolveReport newtonMinimise(System *system, const Stage *stage, const SolverSettings *settings);

// ---- the objective, for minimisers and tests -------------------------------------------------------------------------

void systemSetFraction(System *system, double fraction); // where moving targets stand
void systemSetStage(System *system, const Stage *stage); // stage and rate from position

// gradient = M (x - y) + sigma theta (grad E + grad R), zero at pinned vertices; needs systemSetStage
void systemGradient(System *system, const Stage *stage);

// gradient = the derivative of the energies that pass the filter (NULL: all) alone at `point` (count x 3), pinned vertices included
typedef bool (*EnergyFilter)(const Energy *energy);
void systemForces(System *system, EnergyFilter filter, const double *point);

double systemResidual(const System *system);              // m, max |M^-1 gradient|
double systemStepSize(const System *system, double step); // max |step x direction| over the parts' sizes

// matrices of all parts: M + sigma theta^2 Hess E + (sigma theta / h) Hess R; pinned rows are the identity
void systemAssemble(System *system, const Stage *stage, HessianMode mode);
bool systemFactor(System *system);
bool systemSolve(System *system); // direction = -A^-1 gradient; false: negative curvature

// g along position + alpha direction
void systemLineStart(System *system, const Stage *stage);
double systemLineValue(System *system, const Stage *stage, double alpha, double *magnitude);

#endif
