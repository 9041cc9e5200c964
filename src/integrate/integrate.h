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
    double gamma, beta;     // Newmark
    double spectralRadius;  // generalized-alpha, at infinity
    double stepTolerance;   // m; above 0: steps are divided until their error is below
    const Tableau *tableau; // of "runge-kutta"; NULL: that of rk4
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
    bool isExplicit;  // no system is solved, and the step has a limit
    bool hasSubsteps; // divides a step by itself
    bool hasControl;  // chooses its own steps where there is a tolerance; else steps whose solver fails are halved
    bool hasLimit;    // implicit, but not for any step
    double limit;     // 1: of h omega for undamped motion, of explicit ones and of those; 0: it grows at any step
    int pastCount;    // vectors kept from step to step: state->past[0] to [pastCount - 1],
    int pastSlots;    // rings of so many, see history.c
    int roomCount;    // vectors behind them to work in
    SolveReport (*step)(System *system, double h, const Method *method);
} Integrator;

extern const Integrator backwardEuler, implicitMidpoint, symplecticEuler;
extern const Integrator forwardEuler, explicitMidpoint, rk4, rk23, rk45, rungeKutta, verlet;
extern const Integrator adamsBashforth2, adamsBashforth3, adamsBashforth4, adamsMoulton3, adamsMoulton4;
extern const Integrator linearImplicitEuler, trapezoid, newmark, generalizedAlpha;
extern const Integrator bdf2, bdf3, bdf4, bdf5, bdf6, bdf2Variable;

int integratorCount(void);
const Integrator *integratorAt(int index);

// One step of an island: the integrator, then what all of them share, the damping of motion that is not rigid.
SolveReport integratorStep(System *system, double h, const Method *method);

#define DIVISION_ROOM 3                  // vectors, behind those of the method, where steps may be divided
int methodVectors(const Method *method); // of State.past
bool historyHolds(const Integrator *integrator, const Part *part, int vector); // something in state->past[vector]

// ---- inside the room ---------------------------------------------------------------------------------------------------

// y = x_n + h v_n
void stageInertia(System *system, double h);

// where the solver starts, into state->position
void stageGuess(System *system, const Stage *stage);

// the first guess and the minimiser; then also the books
SolveReport stageMinimise(System *system, const Stage *stage, const Method *method);
SolveReport stageSolve(System *system, const Stage *stage, const Method *method);

// v = a (x - x_n) + b v_n; pinned vertices: (x - x_n) / h
void stageVelocity(System *system, double a, double b, double h);

// out = -M^-1 (grad E(point) + grad R(velocity)), zero where pinned; targets at `fraction` of the step
void stageAcceleration(System *system, const double *point, const double *velocity, double fraction, double *out);

// x_r of a stage whose velocity is (x - from) / h: what pinned vertices need there, given the step
void stagePinRate(System *system, double *from, double h, double step);

void reportAdd(SolveReport *sum, const SolveReport *report); // of substeps

// Books into the parts what the caller added and damping took, given the point where forces were taken (state->stage)
// and the velocity where damping was (state->rate).
void bookStep(System *system);

// The same for methods that take forces at several moments: work is one more unknown of the method, whose derivative is
// gain or loss. bookMoment asks for them, bookAdd books `seconds` of them, bookSettle lets friction move on, given `stage`.
void bookClear(System *system);
void bookMoment(System *system, const double *point, const double *velocity, double fraction, double h);
void bookAdd(System *system, double seconds);
void bookSettle(System *system);
void bookSettleBetween(System *system); // with forces taken half way between start and position

// history.c: a ring of `slots` entries of one vector or more in state->past (vector `which` of entry j, newest first, at
// which * slots + ring place), one slot of which is free for the step under way; what else is kept is in Part.recall.
enum
{
    RECALL_COUNT,                  // valid entries
    RECALL_STEP,                   // s between them
    RECALL_HEAD,                   // place of the newest
    RECALL_GAIN,                   // 5: numbers of the entries, newest first: of what was put in
    RECALL_LOSS = RECALL_GAIN + 5, // 5: of what was dissipated
    RECALL_END = RECALL_LOSS + 5,
};

int historyCount(const System *system, double h); // of the shortest part, with steps of h; 0 for h: of any
double *historyVector(const System *system, const Part *part, int slots, int entry, int which);
double *historyFree(const System *system, const Part *part, int slots, int which);
void historyPush(Part *part, int slots, double h, double gain, double loss);

// substep.c: a step in n parts, each with its own start, pins and targets
typedef struct Substeps
{
    double *start, *startVelocity, *pinTarget, passed, share; // of the whole
} Substeps;

Substeps substepsOpen(System *system, double *const room[3]);
void substepBegin(System *system, const Substeps *whole, int index, int count);
void substepEnd(System *system); // the next one starts where this one ended
void substepsClose(System *system, const Substeps *whole);

// One step by backward Euler in 1, 2 ... `columns` substeps, extrapolated to that order: how multistep methods start.
#define START_ROOM 5
int startColumns(const Multistep *table);
SolveReport startStep(System *system, double h, const Method *method, int columns, double *const room[START_ROOM]);

// Halves steps until the solver converges.
SolveReport divideStep(System *system, double h, const Method *method);

// One explicit Runge-Kutta step; room: 2 vectors a stage.
SolveReport rungeKuttaStep(System *system, double h, const Tableau *tableau, double tolerance, double *const *room);

// Newmark's explicit member, beta = 0; gamma = 1/2: Verlet.
SolveReport verletStep(System *system, double h, double gamma, double *acceleration);

// where moving targets stand; not quite half way, where contacts take it for the implicit midpoint (press.c)
static inline double momentFraction(double fraction)
{
    return fraction == 0.5 ? 0.5 + 0x1p-50 : fraction;
}

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
