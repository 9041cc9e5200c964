// Verve: methods and solvers, by one word each: how time advances and how an implicit step is solved.
//
// METHODS: how time advances. vvGetMethodName lists the words; the default is "small-midpoint". A name in `backquotes`
// is a setting: of vvWorldDef, or of the method's or solver's own struct in vvMethodSettings.
//
//   "small-midpoint"     Verve's own. It divides a step into substeps and solves each once with a matrix that is
//                        factored in advance; made for real time. It keeps the energy, corrects it
//                        once a step and does not blow up. It uses no `solver`. Rigid motion of free bodies and the
//                        lowest modes of solids are exact; the first step computes these modes. Motion that is far too
//                        fast for the substeps is slowed; a warning then says so. See `substeps`, `energyReturn` and
//                        docs/small-midpoint.md
//   "stabilized"         implicit-midpoint where that keeps the energy; elsewhere it is blended with an Euler step
//                        until the energy meets its target (Dinev 2018). Vivid, and does not blow up. See `momentum`
//                        and docs/stabilized.md
//   "small-steps"        XPBD (Macklin 2019): many substeps, each with one sweep over the constraints. It factors
//                        nothing and its contacts are hard. Too few substeps make stiff bodies soft.
//                        docs/small-steps.md
//   "implicit-midpoint"  second order; keeps the energy of small motions and all momentum; can blow up when the step is
//                        too large for violent motion
//   "backward-euler"     first order; never blows up; numerical damping makes motion die
//   "symplectic-euler"   first order, explicit and cheap; keeps energy on average below its step limit (about 2 /
//                        highest frequency); above the limit the run diverges and vvWorld_Step reports it
// For comparison with "stabilized":
//   "stabilized-explicit"  blends with a step of symplectic Euler
//   "energy-budget"        scales velocities (Su 2013)
//   "energy-multiplier"    has a Lagrange multiplier for the energy (Hughes 1978)
// Implicit textbook methods:
//   "linear-implicit-euler"  one Newton iteration of backward Euler (Baraff and Witkin 1998): first order, cheap,
//                        damps. With solvers that form no Hessian, one iteration of that solver.
//   "trapezoid"          second order, no numerical damping; large steps of rotating bodies may gain energy
//   "newmark"            has the coefficients `gamma` and `beta`: 1/2 and 1/4 is the trapezoid, gamma above 1/2 damps
//                        and is of first order, beta = 0 is explicit
//   "generalized-alpha"  second order; damps what is too fast for the step, by `spectralRadius`, and little else
//   "bdf2" to "bdf6"     order 2 to 6 from the positions of 2 to 6 steps. bdf2 damps less than backward-euler and is as
//                        calm. From bdf3 on, undamped motion in a band of frequencies grows, so that stiff bodies need
//                        damping or short steps
//   "bdf2-variable"      bdf2 for steps of varying length; with a `stepTolerance` it chooses them
//   "adams-moulton-3", "adams-moulton-4"  order 3 and 4; accurate, but undamped motion grows at any step
// Explicit methods, each with a limit of its step (vvMethod_GetLimit):
//   "verlet"             second order also with damping; keeps energy on average; the one to prefer
//   "forward-euler", "explicit-midpoint", "adams-bashforth-2"  order 1, 2, 2; undamped motion grows at any step
//   "rk4"                fourth order, four force evaluations a step
//   "rk23", "rk45"       order 3 and 5 with an estimate of the error for `stepTolerance`
//   "runge-kutta"        has the coefficients of your `tableau`
//   "adams-bashforth-3", "adams-bashforth-4"  order 3 and 4 at one force evaluation a step; short limits
// For comparison with Projective Dynamics:
//   "pbd"                position-based dynamics (Mueller 2007): projects onto one constraint after the other. Bodies
//                        get stiffer with more iterations and shorter steps, whatever their material
//   "pd-jacobi"          backward-euler by the Jacobi solver of Projective Dynamics, section 4.2; uses no other solver
//
// Methods with a history (bdf, adams, generalized-alpha) start anew when positions, velocities, pins, attachments,
// gravity or the method are changed by a call; all but bdf2-variable and generalized-alpha also when dt changes.
//
// SOLVERS: how an implicit step is minimised. vvGetSolverName lists the words; the default is "newton".
//
//   "newton"             exact Newton with line search; converges to the tolerance. Factors a matrix, and another one
//                        where iterations with it become slow: one a step of smooth motion
//   "local-global"       Projective Dynamics in gradient form: one matrix is factored in advance, and a fixed number of
//                        cheap iterations follows; real time. vvStatistics.residual reports what is left
//   "newton-cg"          inexact Newton by conjugate gradients; factors nothing, so that memory grows in proportion to
//                        the mesh; for large solids. See `forcing` and `preconditioner`
//   "simplified-newton"  Newton with one Jacobian for many iterations; see `jacobian`
#ifndef VERVE_METHOD_H
#define VERVE_METHOD_H

#include <verve/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VV_MAX_SUBSTEPS 10000 // substeps of a step, or steps of a frame
#define VV_MAX_STAGES 8       // stages of a vvTableau

// An explicit Runge-Kutta method: stage i is taken at x + h sum_{j<i} a[i][j] k_j, the step is h sum b[i] k_i.
typedef struct vvTableau
{
    int stages;                             // 1 to VV_MAX_STAGES
    double a[VV_MAX_STAGES][VV_MAX_STAGES]; // strictly lower: a[i][j] is 0 for j >= i
    double b[VV_MAX_STAGES];                // sum 1
    bool hasEmbedded;                       // a second row of weights, for `stepTolerance`
    double embedded[VV_MAX_STAGES];         // sum 1
} vvTableau;

// ---- settings of one method or solver -------------------------------------------------------------------------------
//
// vvDefaultWorldDef fills them in. A value that the chosen method and solver do not use has no effect: where it is not
// the default, vvCreateWorld and the setters of vvWorld say so in the log (VV_LOG_INFO).

// Whether momenta follow the external forces after a blend.
typedef enum vvMomentum
{
    VV_MOMENTUM_AUTO,  // "auto": exact for bodies that nothing holds or can touch during the step
    VV_MOMENTUM_EXACT, // "exact": linear and angular momentum are corrected
    VV_MOMENTUM_FREE,  // "free": as the blend made them
} vvMomentum;

// Which Jacobian simplified-newton keeps.
typedef enum vvJacobian
{
    VV_JACOBIAN_FROZEN, // "frozen": the one at the start of a step, formed anew where iterations converge too slowly
    VV_JACOBIAN_LINEAR, // "linear": Hauth's constant one (2004, Eq 50). Where bodies rotate or buckle it needs hundreds
                        // of iterations, and then reports that it has not converged
} vvJacobian;

// In which precision the substeps of small-steps compute.
typedef enum vvPrecision
{
    VV_PRECISION_DOUBLE, // "double"
    VV_PRECISION_SINGLE, // "single": displacements since the start of the step; positions stay in double, so that no
                         // digits are lost far from the origin. It serves islands of undamped springs and constant
                         // forces; steps in which anything else acts (a contact, drag) are taken in double
} vvPrecision;

// Settings of the method "small-midpoint".
typedef struct vvSmallMidpointDef
{
    bool energyReturn; // the energy that the substeps lost is returned to the motion. Default true

    // Rolling friction of solids that touch each other or colliders that stand still, [0, 1]: the moment that resists
    // turning against each other, over the normal force times half the size of a cube (the root of half the trace of
    // the inertia over the mass). It brings what rocks to rest: a slope on which a ball begins to roll is about as
    // steep. By this share of the normal force such solids also resist that they move as a whole against the points
    // that press and do not slip, which brings to rest what bounces in place: a bounce loses about twice the share of
    // its energy. Both keep both momenta and are booked as dissipated. Default 0.005; 0 is none.
    double rollingFriction;
} vvSmallMidpointDef;

// Settings of the method "stabilized".
typedef struct vvStabilizedDef
{
    vvMomentum momentum; // whether blends keep momenta. Default VV_MOMENTUM_AUTO
    // Algorithm 1 of Dinev 2018 as printed, for its figures; `momentum` has no effect. Default false
    bool printed;
} vvStabilizedDef;

// Settings of the method "small-steps"; "pbd" uses them too.
typedef struct vvSmallStepsDef
{
    // Every second sweep of a substep runs backward; there are then at least two sweeps. Default false.
    bool symmetric;

    // A sweep evaluates all springs and tets at the same positions (Jacobi's iteration with split masses) instead of
    // one after the other, except squared-spring and stable-neo-hookean. For comparison: bodies are four times as soft.
    // Default false.
    bool jacobi;

    // Strain rates (`damping.stiffness`, `damping.spring` of a body) are damped by an implicit solve for the velocities
    // after the sweeps of each substep (Macklin 2019, section 7) instead of inside the constraints. It is meant for
    // viscous matter, where a damper is stiffer than its spring. It is slower: conjugate gradients in every substep.
    // Default false.
    bool viscousPass;

    vvPrecision precision; // default VV_PRECISION_DOUBLE

    // m/s, [0, 1e6]: how fast contact removes the penetration that a step begins with. Default 1.
    double recoverySpeed;
} vvSmallStepsDef;

// Settings of the method "newmark".
typedef struct vvNewmarkDef
{
    double gamma; // weight of the new acceleration in the velocity, [0, 1]. Default 0.5
    double beta;  // half its weight in the position, [0, 0.5]. Default 0.25
} vvNewmarkDef;

// Settings of the method "generalized-alpha".
typedef struct vvGeneralizedAlphaDef
{
    // The factor by which one step damps motion that is far too fast for it, [0, 1]. Default 0.8.
    double spectralRadius;
} vvGeneralizedAlphaDef;

// Settings of the method "runge-kutta".
typedef struct vvRungeKuttaDef
{
    const vvTableau *tableau; // the coefficients; they are copied. Default NULL: those of rk4
} vvRungeKuttaDef;

// Settings of the solver "local-global".
typedef struct vvLocalGlobalDef
{
    // Anderson acceleration from the last five iterations. After ten iterations the error is two to a thousand times
    // smaller; each costs 1.2 to 1.6 times as much. It never raises the objective. Default false.
    bool accelerate;

    // The lowest modes of solids get their own stiffness in every iteration. Ten iterations are otherwise another
    // material where the body is slender or poisson is above 0.4: bending is many times too soft, or creeps. Not while
    // a body is joined to others or touches one. Default true; false: Projective Dynamics as published.
    bool modes;

    // s of wall clock, [0, 1000]: the solver stops the step of an island after the iteration in which this time ran
    // out. It is the only setting that makes the bits of a run depend on the machine. Default 0: no limit.
    double budget;
} vvLocalGlobalDef;

// Settings of the solver "newton-cg".
typedef struct vvNewtonCgDef
{
    // Conjugate gradients stop when their residual is below this fraction of the gradient, [1e-12, 0.9]. Default 0.02
    // (Hauth 2004, section 3.4).
    double forcing;

    // The preconditioner, by one word: "none", "diagonal", "block" (the 3x3 blocks of vertices), "ssor" or "ic"
    // (incomplete Cholesky). Default "ic", which needs the fewest iterations.
    const char *preconditioner;
} vvNewtonCgDef;

// Settings of the solver "simplified-newton".
typedef struct vvSimplifiedNewtonDef
{
    vvJacobian jacobian; // which one it keeps. Default VV_JACOBIAN_FROZEN
} vvSimplifiedNewtonDef;

// The settings of all methods and solvers; those of the chosen ones have an effect.
typedef struct vvMethodSettings
{
    // Methods that control the energy (small-midpoint, stabilized and those for comparison with it): the allowed error
    // of the total energy, as a fraction of the energy of motion, [1e-9, 1]. Default 0.01.
    double energyTolerance;

    // m, [0, 1e6]. Above 0, methods that estimate the error of a step (rk23, rk45, explicit-midpoint, bdf2-variable,
    // runge-kutta with `embedded`) halve steps until the error of each is below this; other implicit methods divide
    // steps whose solver does not converge, into at most 64. vvStatistics.substeps reports the count. Default 0: steps
    // are never divided.
    double stepTolerance;

    // Rigid bodies: sweeps over the joints, then over the contacts, in each of the rigidSubsteps, [0, 10000]. Default
    // 0: one sweep, after which all joints are solved as one system, so that chains and loops of hard joints keep their
    // energy and do not give way. 1 and more are for comparison with solvers that only sweep: the same work in
    // substeps is stiffer.
    int rigidIterations;

    // Each has the name of its method or solver.
    vvSmallMidpointDef smallMidpoint;
    vvStabilizedDef stabilized;
    vvSmallStepsDef smallSteps;
    vvNewmarkDef newmark;
    vvGeneralizedAlphaDef generalizedAlpha;
    vvRungeKuttaDef rungeKutta;
    vvLocalGlobalDef localGlobal;
    vvNewtonCgDef newtonCg;
    vvSimplifiedNewtonDef simplifiedNewton;
} vvMethodSettings;

// ---- words and traits -----------------------------------------------------------------------------------------------

// The words of each setting; NULL past the last. Those of enums are in the order of the enum.
VV_API const char *vvGetMethodName(int index);
VV_API const char *vvGetSolverName(int index);
VV_API const char *vvGetMomentumName(int index);
VV_API const char *vvGetPreconditionerName(int index);
VV_API const char *vvGetJacobianName(int index);
VV_API const char *vvGetPrecisionName(int index);
VV_API const char *vvGetInstructionSetName(int index); // those that this machine and build have

// Traits of a method; false and 0 for a word that is none.
VV_API bool vvMethod_IsExplicit(const char *method);  // It solves nothing, and its step has a limit.
VV_API bool vvMethod_HasSubsteps(const char *method); // It divides a step by itself, see `substeps`.
VV_API bool vvMethod_HasSolver(const char *method);   // It uses a solver, see `solver`.

// The largest product of step and angular frequency, in rad, at which undamped motion does not grow. 0: it always
// grows. INFINITY: there is no limit. runge-kutta: depends on your tableau; returns 2.
VV_API double vvMethod_GetLimit(const char *method);

#ifdef __cplusplus
}
#endif

#endif
