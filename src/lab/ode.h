// Small first-order problems y' = f(t, y), where orders, limits and costs of the classical methods are measured (Hauth
// 2004, section 2). The coefficients are those of tables.h, which scenes read too. Everything is dense.
#ifndef INTEGRATE_ODE_H
#define INTEGRATE_ODE_H

#include "base/base.h"
#include "integrate/tables.h"

#define ODE_SIZE 64                       // unknowns
#define ODE_MEMORY (MULTISTEP_STEPS)      // old values a method may read
#define ODE_STATE (ODE_SIZE * ODE_MEMORY) // numbers that decide the next step
#define ODE_MOST_STEPS 100000000          // of a run

// ---- problems (ode_problem.c) ---------------------------------------------------------------------------------------

typedef struct OdeProblem
{
    const char *name;
    const char *about; // the equation and where the exact solution comes from
    int size;          // of y
    bool mechanical;   // y = (x, v), halves of equal size, x' = v
    bool damped;       // mechanical, and v' depends on v
    double time;       // the end, T; the start is 0
    double flops;      // of one evaluation
    double start[ODE_SIZE];
    bool linear;                        // y' = matrix y + constant; rate and jacobian are not called
    double matrix[ODE_SIZE * ODE_SIZE]; // size x size, by rows
    double constant[ODE_SIZE];          // size
    void (*rate)(double t, const double *y, double *f);
    void (*jacobian)(double t, const double *y, double *matrix); // NULL: by differences
    void (*exact)(double t, double *y);                          // NULL: linear without constant, by the exponential
} OdeProblem;

int odeProblemCount(void);
const char *odeProblemName(int index);
OdeProblem odeProblemAt(int index);
bool odeProblemFind(const char *name, OdeProblem *problem);

// y' = matrix y with rows of `size` numbers. Mechanical where its upper half says x' = v.
vvResult odeProblemLinear(int size, const double *matrix, const double *start, double time, OdeProblem *problem);

void odeRate(const OdeProblem *problem, double t, const double *y, double *f);
void odeExact(const OdeProblem *problem, double t, double *y);

// ---- methods (ode_method.c) -----------------------------------------------------------------------------------------

typedef enum OdeKind
{
    ODE_TABLEAU,
    ODE_MULTISTEP,
    ODE_THETA,  // y' = y + h f(t + theta h, theta y' + (1 - theta) y): backward Euler, implicit midpoint
    ODE_LINEAR, // backward Euler with one Newton step from y (Baraff and Witkin 1998)
    ODE_TRAPEZOID,
    ODE_BDF2_VARIABLE,
    ODE_SYMPLECTIC_EULER, // from here on: mechanical problems only
    ODE_VERLET,           // damping at the mean of the half-step velocities
    ODE_VERLET_LAGGED, // damping at the older one, as Hauth 2004, section 2.5, suggests: first order. For the lab only
    ODE_NEWMARK,       // with alpha_m and alpha_f: generalised-alpha
} OdeKind;

typedef struct OdeMethod
{
    const char *name;
    OdeKind kind;
    int order;
    bool isExplicit; // no system is solved but for the damping of Verlet's method
    const Tableau *tableau;
    const Multistep *multistep;
    double theta;
    double gamma, beta, alphaM, alphaF; // Newmark and generalised-alpha
} OdeMethod;

int odeMethodCount(void);
OdeMethod odeMethodAt(int index);
bool odeMethodFind(const char *name, OdeMethod *method);
OdeMethod odeMethodTableau(const Tableau *tableau);
OdeMethod odeMethodNewmark(double gamma, double beta);      // order 2 where gamma = 1/2
OdeMethod odeMethodGeneralizedAlpha(double spectralRadius); // Chung and Hulbert 1993; at infinity, 0 to 1
bool odeFits(const OdeProblem *problem, const OdeMethod *method);
int odeNominalOrder(const OdeProblem *problem,
                    const OdeMethod *method); // lagging costs an order where there is damping

// ---- runs (ode.c) ---------------------------------------------------------------------------------------------------

typedef struct OdeOptions
{
    int steps;        // equal ones; with step control the first has T / steps
    double tolerance; // above 0: steps follow the embedded estimate (Runge-Kutta) or the third difference (BDF2)
    bool watchNewton; // steps follow the iterations of Newton's method (Hauth 2004, section 3.4)
    bool exactStart;  // multistep methods begin with exact values
    bool eulerStart;  // or with backward Euler, to see what that costs: order 2 whatever the method's
    void (*visit)(void *context, double t, const double *y); // sees the start and the end of every step; NULL: none
    void *context;
} OdeOptions;

typedef struct OdeReport
{
    long long steps, rejected;
    long long evaluations, jacobians, factorisations, solves; // jacobians by differences also count their evaluations
    double flops;                                             // estimated: evaluations, sums of vectors, elimination
    double seconds;
    double error; // 2-norm of y - exact at T
} OdeReport;

// Fails with VV_BAD_INPUT (method and problem do not fit) or VV_DIVERGED (y left all bounds).
vvResult odeSolve(const OdeProblem *problem, const OdeMethod *method, const OdeOptions *options, double *y,
                  OdeReport *report);

typedef struct OdeOrder
{
    double order, before; // the finest two successive estimates that agree to 0.05, the last first
    double error;         // at `steps`
    int steps;
    bool found;
} OdeOrder;

// Halves the step until rounding shows. Multistep methods from exact values if asked.
OdeOrder odeOrder(const OdeProblem *problem, const OdeMethod *method, bool exactStart);

// ---- stability (ode_stability.c) ------------------------------------------------------------------------------------

// Linear problems: the matrix that one step of length h applies to all that decides the next (y and its memory, size x
// size), by steps of the method itself, and the size. `matrix` has room for ODE_STATE squared, or is NULL.
int odeCompanion(const OdeProblem *problem, const OdeMethod *method, double h, double *matrix);
double odeSpectralRadius(int size, double *matrix);                             // destroyed
double odeGrowth(const OdeProblem *problem, const OdeMethod *method, double h); // spectral radius of the companion

// The largest h so that the spectral radius stays at 1 from 0 to h, to 1e-8 relative (2e-7 where two eigenvalues meet
// there, as in Verlet's method, and rounding counts by its root); 0: grows at every h, however small;
// infinite: none found up to 1000 / |lambda|.
double odeStepLimit(const OdeProblem *problem, const OdeMethod *method);

// The test equation y' = lambda y, Re = re, Im = im, as a real problem of size 2; for mechanical methods
// x'' = -|lambda|^2 x + 2 re x', which has the same eigenvalues.
OdeProblem odeTestEquation(double re, double im, bool mechanical);

// A(alpha) in degrees: the largest sector about the negative axis in which a multistep method is stable.
double odeSectorAngle(const Multistep *method);

// Points h lambda of the boundary of the region of stability, in the upper half plane; returns how many (at most
// `most`). Multistep methods by their root locus, tableaus by following R(z) = exp(i phi) from 0; others along rays
// from 0 in the left half plane, where they have a limit.
int odeBoundary(const OdeMethod *method, double (*points)[2], int most);

// ---- inside the room ------------------------------------------------------------------------------------------------

typedef struct OdeRun
{
    const OdeProblem *problem;
    const OdeMethod *method;
    double t;
    double y[ODE_MEMORY][ODE_SIZE];      // newest first
    double f[ODE_MEMORY][ODE_SIZE];      // rates there, of Adams' methods
    double step[ODE_MEMORY];             // lengths of the steps that led to y[i]
    double extra[ODE_SIZE];              // acceleration, or the velocity half a step ago
    double change[ODE_MEMORY][ODE_SIZE]; // y[i] - y[i + 1]
    double lost[ODE_SIZE];               // what y[0] lacks by rounding
    int known;                           // of y
    bool ready;                          // `extra` is set
    double estimate[ODE_SIZE];           // of the step's error, where the method has one
    int iterations;                      // of Newton's method in the last step
    bool stuck;                          // it did not converge
    double lu[ODE_SIZE * ODE_SIZE];      // of I - factor f', or what Newmark's and Verlet's methods solve
    double factor;                       // 0: none; a linear problem keeps it
    int pivot[ODE_SIZE];
    OdeReport report;
} OdeRun;

void odeBegin(OdeRun *run, const OdeProblem *problem, const OdeMethod *method);
void odeEvaluate(OdeRun *run, double t, const double *y, double *f); // counts

// ode_step.c. A multistep method takes odeStartStep until that returns false: steps that give it its memory without
// loss of order.
void odeStep(OdeRun *run, double h);
bool odeStartStep(OdeRun *run, double h, const OdeOptions *options);

// ode_newton.c: delta = base + c f(t, old + theta delta) from the delta given; at most `most` iterations
void odeImplicit(OdeRun *run, double t, const double *old, const double *base, double c, double theta, double *delta,
                 int most);
bool odeSettled(double moved, double before, double size); // at rounding: the steps of Newton's method no longer shrink
void odeJacobian(OdeRun *run, double t, const double *y, double *matrix);
bool odeFactorise(OdeRun *run, int size, double *matrix, int *pivot);
void odeSubstitute(OdeRun *run, int size, const double *matrix, const int *pivot, double *x);
double odeNorm(int size, const double *x);

#endif
