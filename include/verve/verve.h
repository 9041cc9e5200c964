// Verve: soft bodies that keep their energy.
//
//   vvWorldDef worldDef = vvDefaultWorldDef();
//   vvWorldId world = vvCreateWorld(&worldDef, NULL);
//   vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 8, 8, 8);
//   vvSoftBodyDef bodyDef = vvDefaultSoftBodyDef();
//   bodyDef.mesh = mesh;
//   bodyDef.material = vvMaterial_Rubber();
//   vvSoftBodyId jelly = vvCreateSoftBody(world, &bodyDef, NULL);
//   for (int frame = 0; frame < 600; ++frame)
//       vvWorld_Step(world, 1.0 / 60.0);
//   vvLedger ledger = vvWorld_GetLedger(world);
//
// Read <verve/base.h> for the conventions: SI units, errors as values, threads, lifetimes.
// Reading order: world, material, soft body, pins and attachments, constraints of your own, colliders, picking and handles, ledger and statistics,
// examination, saved states.
// Beside this header: <verve/mesh.h> meshes and their files, <verve/shape.h> shapes of colliders, <verve/record.h> what
// other programs can open.
#ifndef VERVE_VERVE_H
#define VERVE_VERVE_H

#include <verve/base.h>
#include <verve/mesh.h>
#include <verve/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VV_MAX_WORLDS 128         // at the same time in one process
#define VV_MAX_NAME 63            // bytes of a body's name
#define VV_MAX_EXAMPLES 4         // shapes that a body is drawn to
#define VV_MAX_CLUSTERS 64        // shapes that a body is cut into
#define VV_MAX_CONTACT_SAMPLES 16 // points along an edge of a surface
#define VV_MAX_SUBSTEPS 10000     // that a step or a frame is divided into

#define VV_MAX_OBJECTS 16000000 // attachments of one world; also colliders

// Ids: 8 bytes, zero is null. A stale one (its object or its world was destroyed) is recognised from any thread, whatever
// worlds other threads have made since, until two billion more objects have been created in one slot of the table of worlds.
typedef struct vvWorldId
{
    uint32_t index1;     // slot + 1
    uint32_t generation; //
} vvWorldId;

typedef struct vvSoftBodyId
{
    uint32_t index1 : 24; // slot + 1
    uint32_t world1 : 8;  // slot of the world + 1
    uint32_t generation;  //
} vvSoftBodyId;

typedef struct vvAttachmentId
{
    uint32_t index1 : 24;
    uint32_t world1 : 8;
    uint32_t generation;
} vvAttachmentId;

typedef struct vvColliderId
{
    uint32_t index1 : 24;
    uint32_t world1 : 8;
    uint32_t generation;
} vvColliderId;

typedef struct vvHandleId
{
    uint32_t index1 : 24;
    uint32_t world1 : 8;
    uint32_t generation;
} vvHandleId;

// ======================================================================================================================
// World
// ======================================================================================================================

#define VV_MAX_STAGES 8

// An explicit Runge-Kutta method: stage i is taken at x + h sum_{j<i} a[i][j] k_j, the step is h sum b[i] k_i.
typedef struct vvTableau
{
    int stages;                             // 1 to VV_MAX_STAGES
    double a[VV_MAX_STAGES][VV_MAX_STAGES]; // strictly lower: a[i][j] is 0 for j >= i
    double b[VV_MAX_STAGES];                // sum 1
    bool hasEmbedded;                       // a second row of weights, for `stepTolerance`
    double embedded[VV_MAX_STAGES];         // sum 1
} vvTableau;

// Air that moves. Each triangle of a surface feels 1/2 density drag area |u.n| (u.n) along its normal n, a third at each corner,
// with u the velocity of the air less that of the triangle at the start of the step: held for the step, its work booked as
// added. Sheets feel it from both sides, solids where they face the wind; ropes do not. A vertex never feels more than what
// takes its motion against the air from it within the step.
typedef struct vvWind
{
    vvVec3 velocity; // m/s
    double density;  // kg/m^3: air has 1.2. Default 0: none, as in a vacuum. At least 0
    double drag;     // 1: a square plate across the wind has 1.17, the default. At least 0
} vvWind;

typedef struct vvWorldDef
{
    // m/s^2. Default 0 -9.81 0.
    vvVec3 gravity;

    // Default none. Can be changed: vvWorld_SetWind.
    vvWind wind;

    // How time advances, by one word; vvGetMethodName lists them. Default "small-midpoint".
    //   "small-midpoint"     our own: the step in substeps with one solve each over a matrix factored in advance, so that real
    //                        time is built in; keeps the energy, corrects it once a step, and does not blow up. `solver` is
    //                        not asked. Bodies far too stiff for the substeps turn and wave too slowly, which a warning says.
    //                        See `substeps` and `energyReturn`; docs/small-midpoint.md
    //   "stabilized"         implicit-midpoint where it keeps the energy, else blended with an Euler step until the energy
    //                        is the target's (Dinev 2018): vivid and does not blow up; see `momentum`; docs/stabilized.md
    //   "small-steps"        XPBD (Macklin 2019): many substeps of one sweep over the constraints; nothing is factored,
    //                        contacts are hard. Too few substeps make stiff bodies soft. docs/small-steps.md
    //   "implicit-midpoint"  second order; keeps the energy of small motions and all momentum; can blow up when the
    //                        step is too large for violent motion
    //   "backward-euler"     first order; never blows up; numerical damping makes motion die
    //   "symplectic-euler"   first order, explicit and cheap; keeps energy on average, but only below its step limit
    //                        (about 2 / highest frequency); above it the run diverges and Step says so
    // For comparison with `stabilized`:
    //   "stabilized-explicit", "energy-budget", "energy-multiplier"  blends from symplectic Euler, scaled velocities (Su
    //                        2013), a Lagrange multiplier (Hughes 1978)
    // Implicit, of the textbooks:
    //   "linear-implicit-euler"  one Newton step of backward Euler (Baraff and Witkin 1998): first order, cheap, damps;
    //                        one iteration of their own with solvers that keep no Hessian
    //   "trapezoid"          second order, no numerical damping; large steps of turning bodies may gain energy
    //   "newmark"            with `gamma` and `beta`; 1/2 and 1/4 is the trapezoid, gamma above 1/2 damps and is of first
    //                        order, beta = 0 is explicit
    //   "generalized-alpha"  second order; damps what is too fast for the step, as `spectralRadius` says, and little else
    //   "bdf2" to "bdf6"     order 2 to 6 from the positions of 2 to 6 steps; bdf2 damps less than backward-euler and is as
    //                        calm; from bdf3 on undamped motion in a band of frequencies grows, so that stiff bodies
    //                        need damping or short steps
    //   "bdf2-variable"      bdf2 for steps of any lengths; with a `stepTolerance` it chooses them
    //   "adams-moulton-3", "adams-moulton-4"  order 3 and 4; accurate, but undamped motion grows at any step
    // Explicit, each with its own limit (vvGetMethodLimit):
    //   "verlet"             second order also with damping; keeps energy on average; the one to take
    //   "forward-euler", "explicit-midpoint", "adams-bashforth-2"  order 1, 2, 2: undamped motion grows at any step
    //   "rk4"                fourth order, four force evaluations a step
    //   "rk23", "rk45"       order 3 and 5 with an estimate of the error: `stepTolerance`
    //   "runge-kutta"        with the `tableau` you give
    //   "adams-bashforth-3", "adams-bashforth-4"  order 3 and 4 at one force evaluation a step; short limits
    // Methods with a memory (bdf, adams, generalized-alpha) start over where something jumps: positions, velocities, pins,
    // attachments, gravity, the method, and all but bdf2-variable and generalized-alpha where dt changes.
    // For comparison with Projective Dynamics:
    //   "pbd"                position-based dynamics (Mueller 2007): projections onto constraints one after the other; stiffer
    //                        with more iterations and shorter steps, whatever the material says
    //   "pd-jacobi"          backward-euler by the Jacobi solver of Projective Dynamics, section 4.2; asks no other solver
    const char *method;

    // runge-kutta: its coefficients, copied. Default NULL: those of rk4.
    const vvTableau *tableau;

    // How an implicit step is solved, by one word. Default "newton".
    //   "newton"        exact Newton with line search: converges to the tolerance, factors a matrix in every iteration
    //   "local-global"  Projective Dynamics in gradient form: one matrix factored in advance, a fixed number of cheap
    //                   iterations; real time. What is left of the residual is in the statistics
    //   "newton-cg"     inexact Newton by conjugate gradient: factors nothing, so that memory grows with the mesh and not
    //                   faster; for large solids. See `forcing` and `preconditioner`
    //   "simplified-newton"  Newton with one Jacobian for many iterations, see `jacobian`
    const char *solver;

    // Iterations of the solver in one step, at most. Default 0: the solver's own (newton 50, local-global 10, newton-cg and
    // simplified-newton 100). Range 0 to 10000. small-steps: sweeps of a substep, 0 is 1.
    int iterations;

    // local-global: Anderson acceleration from the last five iterations. Two to a thousand times less error after ten
    // iterations, each 1.2 to 1.6 times as dear; never raises the objective. Default false.
    bool accelerate;

    // newton-cg: the conjugate gradient stops when what is left is below this share of the gradient. Default 0.02 (Hauth
    // 2004, section 3.4). Range 1e-12 to 0.9.
    double forcing;

    // newton-cg, by one word; vvGetPreconditionerName lists them: "none", "diagonal", "block" (the 3x3 blocks of vertices),
    // "ssor", "ic" (incomplete Cholesky). Default "ic": the fewest iterations.
    const char *preconditioner;

    // simplified-newton: "frozen" takes the Jacobian at the start of a step and makes it anew only where it converges too
    // slowly; "linear" is Hauth's constant one (2004, Eq 50), which needs hundreds of iterations where things turn or
    // buckle and then reports that it has not converged. Default "frozen".
    const char *jacobian;

    // Methods that watch the energy: by how much of the energy of motion they may miss the target. Default 0.01. Range 1e-9
    // to 1.
    double energyTolerance;

    // stabilized: "exact" makes linear and angular momentum follow the external forces after every blend, "free" leaves them
    // as the blend does (Dinev 2018), "auto" is exact for bodies that nothing holds or can touch in the step. Default "auto".
    const char *momentum;

    // small-midpoint: gives back to the motion what its substeps lost. Default true.
    bool energyReturn;

    // Substeps inside a step, of the methods that have their own (small-midpoint, small-steps). Default 0: by the method's
    // rule. Range 0 to 10000.
    int substeps;

    // small-steps: every second sweep of a substep goes backward; there are at least two then. Default false.
    bool symmetric;

    // small-steps: springs and tets (but squared-spring and stable-neo-hookean) all from the same positions, Jacobi's
    // iteration with split masses, instead of one after the other. For comparison: four times as soft. Default false.
    bool jacobi;

    // small-steps: damping of strain rates (`stiffnessDamping`, `springDamping`) by an implicit solve over the velocities after
    // the sweeps of each substep (Macklin 2019, section 7), instead of inside the constraints: for viscous matter, where a
    // damper is harder than its spring. A conjugate gradient per substep: slower. Default false.
    bool viscousPass;

    // small-steps: "double", or "single": positions stay in double, the substeps move in single precision by what has changed
    // since the start of the step, which costs no digits far from the origin. For islands of undamped springs and constant
    // forces; steps in which something else acts, a contact or drag too, are taken in double. Default "double".
    const char *precision;

    // m/s, small-steps: how fast contact pushes out the overlap that a step begins with. Default 1. Range 0 to 1e6.
    double recoverySpeed;

    // newmark. Defaults 0.5 and 0.25. Ranges 0 to 1 and 0 to 0.5.
    double gamma, beta;

    // generalized-alpha: what is left after a step of motion far too fast for it. Default 0.8. Range 0 to 1.
    double spectralRadius;

    // m: above 0, methods that can measure the error of a step (rk23, rk45, explicit-midpoint, bdf2-variable, runge-kutta with
    // `embedded`) divide it by powers of 2 until the error of each part is below; other implicit methods divide steps whose
    // solver does not converge, into 64 at most. vvStatistics.substeps tells. Default 0: they do not.
    double stepTolerance;

    // s of wall clock that the solver may use for one island's step; it stops after the iteration in which they ran out.
    // The one setting under which the bits of a run depend on the machine. Default 0: none. At least 0.
    double budget;

    // The solver stops when the last correction, or the residual max |M^-1 grad g|, is below this fraction of the body's
    // size. Default 1e-10: the error of the solver is then far below that of the step. Range 1e-15 to 1.
    double tolerance;

    // J/kg: an island whose bodies all stay below this kinetic energy per mass for `sleepTime` seconds falls asleep. Its
    // velocities become zero (booked as dissipated) and steps pass it by until a moving collider comes near, or one of its
    // pins, attachments, handles, forces, positions or velocities, the colliders or gravity are changed. 1e-5 is 4 mm/s:
    // what still swings in it is not seen. Default 0: never. At least 0.
    double sleepEnergy;
    double sleepTime; // s, at least 0. Default 0.5

    // s, the fixed step of vvWorld_Advance. Default 1/60. Range 1e-15 to 10.
    double timestep;

    // Threads that work on a step, the caller included; 0: as many as the machine has cores, at most 64. Default 1. Where
    // the system grants fewer, or has none (WebAssembly without pthreads), those it has. On a busy machine, or for short
    // tasks, some of them rest while fewer are faster. The bits do not depend on it.
    int threads;

    // Your own task system instead of the library's threads (`threads` then only says how many may run). Default none.
    vvTaskHooks tasks;

    // "base", "avx2" or "avx512": the instruction set of the kernels. Default NULL: the best the machine has. The bits of a
    // run do not depend on it.
    const char *instructionSet;

    // vvWorld_Advance takes at most so many steps in one call and drops the rest of the time. Default 8.
    int maxStepsPerAdvance;

    // Bodies meet each other, and themselves where `selfContact` says so. Default false: they pass through each other.
    // Vertices against triangles, pressed apart by springs (from `contactStiffness` of both), with friction. All bodies
    // whose categories and masks let them meet are solved as one island, touching or not. local-global: 10 iterations do
    // for games, 30 for piles and for the energy of implicit-midpoint.
    // Limits: two edges that cross without a vertex near are not seen, so that sharp edges sink in until a vertex meets;
    // solids push out through the nearest face: a wall thinner than twice the way of one step can be passed, and a vertex
    // that got deeper than two edges of the surface is let go; sheets keep a fifth of an edge apart and are followed along
    // the way of a step, but those that have crossed stay crossed; ropes meet surfaces, not ropes.
    bool softContact;

    vvAllocator allocator; // default malloc and free
    vvLogger logger;       // default none
    void *userData;        // yours
    int cookie;            // set by vvDefaultWorldDef; catches a definition that was not initialised
} vvWorldDef;

VV_API vvWorldDef vvDefaultWorldDef(void);

// A null id on failure; `result` (may be NULL) says why.
VV_API vvWorldId vvCreateWorld(const vvWorldDef *def, vvResult *result);
VV_API void vvDestroyWorld(vvWorldId world); // with all its bodies and attachments; null and stale ids are fine
VV_API bool vvWorld_IsValid(vvWorldId world);

// One step of `dt` seconds (1e-15 to 10). On VV_DIVERGED the world keeps the state before the step; the remedy
// names what would work. After the first step with the same bodies (methods with a memory: when their past is full), a step
// allocates nothing; where bodies meet, room for more contacts than ever before is asked for once, with a warning in the log.
VV_API vvResult vvWorld_Step(vvWorldId world, double dt);

// Adds `seconds` (0 to 1e6) to a store of time and takes as many fixed steps of `timestep` as it holds. What is left
// over, as a fraction of a step in [0, 1), is the interpolation factor for rendering between the last two states. When a
// step fails, the steps before it stay taken and the time of those after it is dropped.
VV_API vvResult vvWorld_Advance(vvWorldId world, double seconds);
VV_API double vvWorld_GetInterpolation(vvWorldId world);

VV_API double vvWorld_GetTime(vvWorldId world); // s, simulated so far
VV_API vvVec3 vvWorld_GetGravity(vvWorldId world);
VV_API vvResult vvWorld_SetGravity(vvWorldId world, vvVec3 gravity); // the jump of potential energy is booked as added
VV_API vvWind vvWorld_GetWind(vvWorldId world);
VV_API vvResult vvWorld_SetWind(vvWorldId world, vvWind wind);          // from the next step on
VV_API vvResult vvWorld_SetMethod(vvWorldId world, const char *method); // from the next step on
VV_API const char *vvWorld_GetMethod(vvWorldId world);
VV_API void *vvWorld_GetUserData(vvWorldId world);

// 64-bit hash of the whole state (positions, velocities, targets, forces, time): equal hashes mean equal bits.
VV_API uint64_t vvWorld_GetHash(vvWorldId world);

// All bodies, in the order of their creation: writes at most `capacity` ids, returns how many there are.
VV_API int vvWorld_GetBodies(vvWorldId world, vvSoftBodyId *bodies, int capacity);

// The words a method, a solver or a model may be; NULL past the last.
VV_API const char *vvGetMethodName(int index);
VV_API const char *vvGetSolverName(int index);
VV_API const char *vvGetModelName(int index);
VV_API const char *vvGetMomentumName(int index);
VV_API const char *vvGetPreconditionerName(int index);
VV_API const char *vvGetJacobianName(int index);
VV_API const char *vvGetPrecisionName(int index);
VV_API bool vvIsMethodExplicit(const char *method);    // it solves nothing, and its step has a limit
VV_API double vvGetMethodLimit(const char *method);    // largest h omega for undamped motion; 0: none; INFINITY: any;
                                                       // of runge-kutta, which it depends on, 2
VV_API bool vvHasMethodSubsteps(const char *method);   // it divides a step by itself, see `substeps`
VV_API bool vvHasMethodSolver(const char *method);     // it asks a solver, see `solver`
VV_API const char *vvGetInstructionSetName(int index); // those this machine and build have

// ======================================================================================================================
// Material
// ======================================================================================================================

typedef struct vvMaterial
{
    double density;   // kg/m^3, above 0
    double young;     // Pa, Young's modulus, above 0
    double poisson;   // 1, Poisson's ratio, above -1 and below 0.5. Linear tets lock from about 0.49 on
    double thickness; // m, of a sheet, or the diameter of a rope; above 0; unused by solids
} vvMaterial;

// Small-strain values; docs/materials.md has the ranges found and their sources. Soft tissue and rubber are nearly
// incompressible; their presets stop at a ratio of 0.45, which linear tets can follow without locking.
VV_API vvMaterial vvMaterial_Rubber(void);   // natural rubber, unfilled:  930 kg/m^3, 1.5 MPa
VV_API vvMaterial vvMaterial_Silicone(void); // soft casting silicone:    1070 kg/m^3, 125 kPa
VV_API vvMaterial vvMaterial_Jelly(void);    // gelatine, about 8 %:      1020 kg/m^3, 10 kPa
VV_API vvMaterial vvMaterial_Muscle(void);   // skeletal, relaxed:        1060 kg/m^3, 12 kPa
VV_API vvMaterial vvMaterial_Liver(void);    // healthy:                  1060 kg/m^3, 4.5 kPa
VV_API vvMaterial vvMaterial_Foam(void);     // flexible polyurethane:      30 kg/m^3, 60 kPa, ratio 0.1
VV_API vvMaterial vvMaterial_Cotton(void);   // shirt cloth: 0.12 kg/m^2 at 0.30 mm
VV_API vvMaterial vvMaterial_Silk(void);     // crepe:       0.06 kg/m^2 at 0.15 mm
VV_API vvMaterial vvMaterial_Denim(void);    // jeans:       0.40 kg/m^2 at 0.80 mm

// ======================================================================================================================
// Soft body
// ======================================================================================================================

// Stretches that a body moves within freely; outside it is stiff. Beside a soft material this is one that hardens, as cloth
// does.
typedef struct vvStrainLimit
{
    double min, max;  // 1: shortest and longest, 0 to 1 and at least 1. Default 0 and 0: no limit
    double stiffness; // Pa, of what lies beyond. Default 0: 100 young

    // Limits that are not the same in all directions: min and max then hold along this direction of the mesh at rest (of
    // triangles: its part in their plane), the next two across it. Default 0: the same in all directions.
    vvVec3 direction;
    double acrossMin, acrossMax; // as min and max
} vvStrainLimit;

typedef struct vvSoftBodyDef
{
    vvMesh *mesh; // required; shared, not copied: the body keeps it alive

    // What holds the body together, by one word. Default NULL: "corotated" for tets, "spring" for sheets and ropes.
    //   "corotated"       linear elasticity in the rotated frame, from young and poisson
    //   "stable-neo-hookean"  the same for small strain; resists being squeezed to nothing and turned inside out (Smith 2018)
    //   "linear"          linear elasticity: right while nothing turns
    //   "spring"          Hooke's springs along the edges of the mesh
    //   "squared-spring"  springs of Dinev 2018, Eq 7: smooth and not convex
    //   "membrane"        finite differences of the metric on the grid of a sheet with both diagonals (vvCreateSheetMesh),
    //                     from young, poisson and thickness; resists no bending
    //   "triangle"        strain of the triangles of a sheet, from young, poisson and thickness: the same cloth on every
    //                     mesh
    const char *model;

    vvMaterial material; // default vvMaterial_Rubber()

    // N/m for each vvEdgeKind of the spring models. Default all negative: from young, thickness and the edge's share of
    // the matter (skip springs have no such share and then get none). 0 leaves a kind out.
    double springStiffness[VV_EDGE_KINDS];

    // Constraints beside the model; docs/constraints.md has the equations. Each is a stiffness of the material, so that it
    // means the same on every mesh.

    // Sheets: resistance to bending, as a multiple of what a plate of this material has, young thickness^3 / 12 (1 -
    // poisson^2). By mean curvature at the inner vertices, which may have at most 15 neighbours. At least 0. Default -1: 1
    // with the model "triangle", 0 with springs (whose skip springs are another way).
    double bending;

    // How bending is measured, by one word. Default NULL: "mean-curvature".
    //   "mean-curvature"  at vertices (Bouaziz 2014, Eq 21); a projection, so that local-global is at its best. Blind to the
    //                     side: a curved shell that snaps through keeps its energy
    //   "dihedral"        by the angle at edges; knows the side, and bends rims too
    const char *bendingModel;

    // Limits of the stretch of tets, of triangles of a sheet, of segments of a rope. Default none.
    vvStrainLimit strainLimit;

    // Pa: what resists a change of the volume of each tet, beside the material; of the area of each triangle of a sheet. A
    // bulk modulus, K/2 (J - 1)^2 for small changes. Inverted, flat and vanished cells recover. At least 0. Default 0.
    double volumeStiffness;
    double areaStiffness;

    // 1/s^2: pulls every vertex, in proportion to its mass, to its place in the rest shape moved rigidly to where it fits
    // best; the shape comes back with the angular frequency whose square this is. Not with linear-implicit-euler. At least
    // 0. Default 0.
    double shapeStiffness;

    // That shape as several, each fitted for itself: overlapping regions of the mesh, so that the body bends between them. 0
    // to VV_MAX_CLUSTERS. Default 0: one, the whole body.
    int shapeClusters;

    // Pa: pressure inside a closed surface, constant; its work is booked as elastic energy -p (V - V at rest). Below 0:
    // suction. Default 0.
    double pressure;

    // Shapes beside the rest shape in which the body is at rest too, and all blends of them: exampleCount (0 to
    // VV_MAX_EXAMPLES) arrays of vertexCount x 3 m in the mesh's order, copied. The model still pulls to the rest shape:
    // make it soft. exampleStiffness: Pa; default 0: young. exampleWeights, by one word, default NULL: "local".
    //   "local"   each tet has a blend of its own: a bar may bend at one end alone
    //   "global"  one blend for the whole body, which then moves as its examples do; not with linear-implicit-euler
    const double *const *examples;
    int exampleCount;
    double exampleStiffness;
    const char *exampleWeights;

    vvVec3 position;    // m, added to the mesh's points. Default 0
    vvVec3 velocity;    // m/s. Default 0
    vvVec3 spin;        // rad/s, about the centre of mass. Default 0
    double massDamping; // 1/s, drag proportional to mass and velocity (Rayleigh's alpha), at least 0. Default 0

    // s, damping proportional to stiffness (Rayleigh's beta) of the rate of strain: a vibration of frequency w has the
    // damping ratio beta w / 2. Rigid motion is free of it, both momenta stay. At least 0. Default 0.
    double stiffnessDamping;

    // N s/m, of every spring, against the rate of its length; spring models alone. At least 0. Default 0.
    double springDamping;

    double rigidDamping; // 1/s, the rate at which velocities other than those of the body as a rigid whole die away (a
                         // vibration at half of it); keeps both momenta; at least 0. Default 0

    // Contact. Stiffness is pressure per depth, N/m^3, so that it means the same on every mesh; default 0: from the
    // material, 10 young / size of the body (sheets and ropes: at most 1e6/s^2 times their mass per area). Friction:
    // Coulomb's coefficient, at least 0; default -1: the other side's alone, else the root of the product of both.
    // A body meets what has a category that its mask has, if its own category is in the other's mask; default 1, all.
    // Between two bodies that both say -1 it is 0.5.
    double contactStiffness;
    double friction;
    uint32_t category, mask;

    // Points between the vertices that meet colliders too, for bodies whose triangles are larger than what they meet: so
    // many along every edge of the surface, and the lattice of that order within each triangle. Each point stands for its
    // share of the triangle, so that the stiffness per area is the same for any number. The cost of contact grows with
    // their square. 0 to VV_MAX_CONTACT_SAMPLES; default 0: vertices alone. Ropes have none, and bodies meet each other
    // without them.
    int contactSamples;

    // The body meets itself; needs softContact. Parts that are closer than two edges at rest do not. Default false.
    bool selfContact;

    const char *name; // copied, at most VV_MAX_NAME bytes; for messages and records. Default NULL: "body" and a number
    void *userData;   // yours
    int cookie;       // set by vvDefaultSoftBodyDef
} vvSoftBodyDef;

VV_API vvSoftBodyDef vvDefaultSoftBodyDef(void);
VV_API vvSoftBodyId vvCreateSoftBody(vvWorldId world, const vvSoftBodyDef *def, vvResult *result);
VV_API void vvDestroySoftBody(vvSoftBodyId body); // with its attachments
VV_API bool vvSoftBody_IsValid(vvSoftBodyId body);

VV_API const char *vvSoftBody_GetName(vvSoftBodyId body);  // "" for a bad id; lives as long as the body
VV_API const char *vvSoftBody_GetModel(vvSoftBodyId body); // one of vvGetModelName; "" for a bad id
VV_API int vvSoftBody_GetVertexCount(vvSoftBodyId body);
VV_API double vvSoftBody_GetMass(vvSoftBodyId body);             // kg, pinned vertices included
VV_API double vvSoftBody_GetContactStiffness(vvSoftBodyId body); // N/m^3, its own or the default from the material
VV_API const vvMesh *vvSoftBody_GetMesh(vvSoftBodyId body);
VV_API void *vvSoftBody_GetUserData(vvSoftBodyId body);

// State in the caller's vertex order, vertexCount x 3; valid until the next step or change of this body.
VV_API const double *vvSoftBody_GetPositions(vvSoftBodyId body);
VV_API const double *vvSoftBody_GetVelocities(vvSoftBodyId body);
VV_API const double *vvSoftBody_GetMasses(vvSoftBodyId body); // vertexCount, kg

// Put the body elsewhere. The jump of energy is booked as added; pins and their targets move along with the vertices.
VV_API vvResult vvSoftBody_SetPositions(vvSoftBodyId body, const double *positions);
VV_API vvResult vvSoftBody_SetVelocities(vvSoftBodyId body, const double *velocities);

// Float copies for renderers: vertex i at (char *)target + i * strideBytes (at least 12). `interpolation` 1 is the
// present state, 0 the one before the last step. Normals are area-weighted over the surface; inner vertices get 0 0 0.
VV_API vvResult vvSoftBody_CopyPositions(vvSoftBodyId body, double interpolation, float *target, int strideBytes);
VV_API vvResult vvSoftBody_CopyNormals(vvSoftBodyId body, float *target, int strideBytes);

// What the body feels at its present state, for pictures and analysis.
// Forces: N, vertexCount x 3: elastic, gravity, attachments and the caller's, pinned vertices included (what the pin must
// hold). Energy densities: J/m^3, vertexCount: each element's elastic energy, in equal shares to its vertices, over
// the volume of matter at the vertex. Stretches: 1, one number per cell, rest 1: det F of a tet (0 flat, negative
// inverted); without tets the area ratio of a triangle; without both the length ratio of an edge.
VV_API vvResult vvSoftBody_CopyForces(vvSoftBodyId body, double *target);
VV_API vvResult vvSoftBody_CopyEnergyDensities(vvSoftBodyId body, double *target);
VV_API vvResult vvSoftBody_CopyStretches(vvSoftBodyId body, double *target);

// What the elements held in the last substep of small-steps, from the multipliers of its constraints; 0 before the first.
// Springs: N, one number per edge of the mesh, above 0 where it pulls, 0 where an edge is no spring. Tets: Pa, six numbers per
// tet: stress xx yy zz yz xz xy in the tet's own frame; stable-neo-hookean: what resists a change of volume, what resists
// stretch (the two cancel at rest), and four zeros. Triangles: N/m, three numbers per triangle: tension xx yy xy in its own
// plane, x along its first edge. Not with the model "membrane", whose elements are no triangles.
VV_API vvResult vvSoftBody_CopyElementForces(vvSoftBodyId body, double *target);

// What single constraints held with in the last substep of small-steps, of every kind it sweeps. They stand in sets: the
// body's material, what its definition adds (bending, limits, fibres, area, volume, shape) and what was added later (hinges,
// constraints of your own), attachments to points, contact with colliders; then of the whole island springs between bodies and
// contact between bodies. Sets that have nothing, and forces that small-steps takes as such (pressure, examples), are left out.
// Forces of all elements of all sets on a vertex are m a - f, f being weight, the caller's forces and what is left out.
#define VV_MAX_CONSTRAINT_VERTICES 16 // of one element
#define VV_MAX_MULTIPLIERS 48         // of one element

typedef struct vvElement
{
    const char *kind;                       // "spring", "corotated", "dihedral", "attachment", "contact" ...; constant
    int vertexCount;                        // 1 to VV_MAX_CONSTRAINT_VERTICES
    int vertex[VV_MAX_CONSTRAINT_VERTICES]; // in the body's order; -1: of another body
    vvVec3 force[VV_MAX_CONSTRAINT_VERTICES]; // N, on each; 0 on pinned ones
    int multiplierCount;                      // 1 to VV_MAX_MULTIPLIERS

    // Over h^2: N of a distance, three coordinates or a contact (normal, then friction), J of an angle 2 sin(angle/2), J of a
    // strain; of "membrane" and constraints of your own the forces again.
    double multiplier[VV_MAX_MULTIPLIERS];
} vvElement;

// From the next step on all elements of the body keep their forces; without it attachments, shape and contact alone do, and
// `force` of others is 0. The last substep of each step then takes about twice its time, and all are taken in double
// precision. Default false.
VV_API vvResult vvSoftBody_KeepForces(vvSoftBodyId body, bool keep);
VV_API int vvSoftBody_GetElementSetCount(vvSoftBodyId body);                                      // 0 for a bad id
VV_API int vvSoftBody_GetElementCount(vvSoftBodyId body, int set);                                // -1: no such set
VV_API vvResult vvSoftBody_GetElement(vvSoftBodyId body, int set, int index, vvElement *element); // both from 0 on

// A force in N on a vertex, until it is set again. Its work is booked as added.
VV_API vvResult vvSoftBody_SetForce(vvSoftBodyId body, int vertex, vvVec3 force);
VV_API vvResult vvSoftBody_ClearForces(vvSoftBodyId body);

// Sleeping (sleepEnergy of the world).
VV_API bool vvSoftBody_IsAwake(vvSoftBodyId body); // false for a bad id
VV_API void vvSoftBody_Wake(vvSoftBodyId body);    // with its island

// Vertices whose rest position (mesh coordinates) lies in a box: writes at most `capacity` of them in ascending order,
// returns how many there are. `vertices` may be NULL.
VV_API int vvSoftBody_FindVertices(vvSoftBodyId body, vvBox restBox, int *vertices, int capacity);
VV_API int vvSoftBody_FindNearestVertex(vvSoftBodyId body, vvVec3 point); // by present positions; -1 for a bad id

// ======================================================================================================================
// Pins and attachments
// ======================================================================================================================

// A hard pin: the vertex leaves the unknowns and stands where it is told. Moving it does work, which is booked.
VV_API vvResult vvSoftBody_Pin(vvSoftBodyId body, const int *vertices, int count); // where they are now
VV_API vvResult vvSoftBody_Unpin(vvSoftBodyId body, const int *vertices, int count);
VV_API vvResult vvSoftBody_MovePin(vvSoftBodyId body, int vertex, vvVec3 target); // arrives at the end of the next step
VV_API bool vvSoftBody_IsPinned(vvSoftBodyId body, int vertex);

// A slide: the vertex moves freely in a plane or along a line through where it is now, and not out of it. Unpin lets it go,
// Pin holds it for good. Not with the solver "local-global" nor with small-midpoint, small-steps or explicit methods
// (VV_BAD_INPUT).
typedef enum vvSlideKind
{
    VV_SLIDE_PLANE, // `axis` is its normal
    VV_SLIDE_LINE,  // `axis` is its direction
} vvSlideKind;

VV_API vvResult vvSoftBody_Slide(vvSoftBodyId body, const int *vertices, int count, vvSlideKind kind, vvVec3 axis);

// N, vertexCount x 3: what pins and slides held their vertices with in the last step, the vertex's own inertia included; 0
// at free vertices and before the first step. Of implicit methods; with local-global as good as the last iteration but one.
VV_API vvResult vvSoftBody_CopyConstraintForces(vvSoftBodyId body, double *target);

// A spring from a vertex to a point of space, or to a vertex of another body, which makes the two one island.
typedef struct vvAttachmentDef
{
    vvSoftBodyId bodyA;
    int vertexA;
    vvSoftBodyId bodyB; // default null: to the point `target`
    int vertexB;        //
    vvVec3 target;      // m; without bodyB
    double restLength;  // m, at least 0; with bodyB. Default 0
    double stiffness;   // N/m, above 0. Default 1e4
    int cookie;         // set by vvDefaultAttachmentDef
} vvAttachmentDef;

VV_API vvAttachmentDef vvDefaultAttachmentDef(void);

// The energy the new spring starts with is booked as added; what it holds when destroyed, as removed (negative added).
VV_API vvAttachmentId vvCreateAttachment(vvWorldId world, const vvAttachmentDef *def, vvResult *result);
VV_API void vvDestroyAttachment(vvAttachmentId attachment);
VV_API bool vvAttachment_IsValid(vvAttachmentId attachment);

// Moves the point; it travels in a straight line during the next step and its work is booked.
VV_API vvResult vvAttachment_MoveTarget(vvAttachmentId attachment, vvVec3 target);

// ======================================================================================================================
// Constraints of your own
// ======================================================================================================================

#define VV_CONSTRAINT_LANES 8 // elements that projectLanes sees at once

// Elements that keep a few vertices of a body near a set that you describe (docs/constraints.md walks through one). Their
// energy is w/2 |A x - p|^2 with x the positions of the vertices and p the point of the set nearest to z = A x. Either
// `project` or `projectLanes` finds it, or `function` describes the set as C(x) = 0 and the library finds it (then A is
// the identity). They run with every method and solver. Callbacks see vertices in the order of the element, must depend on
// their arguments alone, and may be called from several threads at the same time.
typedef struct vvConstraintDef
{
    const int *vertices; // count x corners, in the body's order; copied
    int count;           // elements, at least 1
    int corners;         // vertices of each, 1 to VV_MAX_CONSTRAINT_VERTICES

    // w, above 0: N/m where A x is a length. Default 1e4, or one for each element (copied).
    double weight;
    const double *weights; // count, or NULL

    // A: count x rows x corners (copied); default NULL: the identity, rows = corners. Differences instead of positions
    // converge faster, and where all rows sum to 0 the constraint takes no momentum.
    const double *matrix;
    int rows; // 1 to VV_MAX_CONSTRAINT_VERTICES

    // z and p: rows x 3. p (with a matrix B, B p) must be the point of the set nearest to z: then forces are the slope of
    // the energy.
    void (*project)(void *userData, int element, const double *z, double *p);

    // The same for many elements: VV_CONSTRAINT_LANES of them at once, number i of lane l at [i * VV_CONSTRAINT_LANES + l],
    // i below 3 rows. With loops over the lanes innermost the compiler makes vectors of them. `elements` has one number
    // for each lane; the last lanes may repeat an element. Default NULL.
    void (*projectLanes)(void *userData, const int *elements, const double *z, double *p);

    // x and gradient: corners x 3. Returns C(x) and writes its gradient.
    double (*function)(void *userData, int element, const double *x, double *gradient);
    bool unilateral; // C below 0 alone is corrected: C is at least 0. Default false

    void *userData; // handed to the callbacks
    int cookie;     // set by vvDefaultConstraintDef
} vvConstraintDef;

VV_API vvConstraintDef vvDefaultConstraintDef(void);

// Until the body is destroyed. The energy it starts with is booked as added. Vertices that share no cell make the body's
// matrix larger; many far apart make it slow.
VV_API vvResult vvSoftBody_AddConstraint(vvSoftBodyId body, const vvConstraintDef *def);

// Hinges: the angle at an edge moves freely between two limits and is stiff beyond. For lids, fingers, folds that are kept:
// the triangles need not be of the mesh. (A hinge that only turns needs no constraint: pin or attach two points of an axis.)
typedef struct vvHingeDef
{
    const int *vertices; // count x 4: the edge, then a vertex on either side of it; copied
    int count;           // at least 1
    // degrees, -180 to 180: 0 is flat; above 0 where the edge is a ridge seen from the side from which the first three
    // vertices run counterclockwise. Default 0 and 0
    double minAngle, maxAngle;
    double stiffness; // N m per radian, above 0. Default 1
    int cookie;       // set by vvDefaultHingeDef
} vvHingeDef;

VV_API vvHingeDef vvDefaultHingeDef(void);
VV_API vvResult vvSoftBody_AddHinge(vvSoftBodyId body, const vvHingeDef *def); // as vvSoftBody_AddConstraint

// ======================================================================================================================
// Colliders: rigid shapes that bodies meet
// ======================================================================================================================

typedef struct vvColliderDef
{
    vvShape *shape;     // required; shared, not copied: the collider keeps it alive
    vvVec3 position;    // m, of the shape's frame. Default 0
    vvVec3 rotate;      // degrees about x, then y, then z. Default 0
    double friction;    // Coulomb's coefficient, at least 0. Default 0.5
    double restitution; // share of the speed of approach that a hard mass would leave with, 0 to 1. Default 1: contact
                        // takes no energy, only friction and the body's own vibration do
    double stiffness;   // N/m^3. Default 0: the body's contactStiffness
    double
        vertexStiffness; // N/m for every vertex, whatever area it stands for; shared between samples. Default 0: by area
    uint32_t category, mask; // as for bodies. Default 1, all
    void *userData;          // yours
    int cookie;              // set by vvDefaultColliderDef
} vvColliderDef;

VV_API vvColliderDef vvDefaultColliderDef(void);

// The overlap a new collider starts with is booked as added energy; what is left when it goes, as removed.
VV_API vvColliderId vvCreateCollider(vvWorldId world, const vvColliderDef *def, vvResult *result);
VV_API void vvDestroyCollider(vvColliderId collider);
VV_API bool vvCollider_IsValid(vvColliderId collider);
VV_API void *vvCollider_GetUserData(vvColliderId collider);

// The collider travels there during the next step (a straight line, the shorter turn) and its work is booked.
VV_API vvResult vvCollider_MoveTo(vvColliderId collider, vvVec3 position, vvVec3 rotate);

// Where bodies touch colliders, other bodies or themselves at the present state: writes at most `capacity`, returns how
// many there are, in a fixed order.
typedef struct vvContact
{
    vvSoftBodyId body;
    int vertex;            // in the caller's order
    vvColliderId collider; // null: a body
    vvSoftBodyId other;    // the body that has the triangle; null: a collider
    int triangle;          // of its surface; -1: a collider
    vvVec3 point;          // m
    vvVec3 normal;         // out of the collider or the triangle
    vvVec3 force;          // N on the body
    double overlap;        // m, how deep
} vvContact;

VV_API int vvWorld_GetContacts(vvWorldId world, vvContact *contacts, int capacity);

typedef enum vvContactEventKind
{
    VV_CONTACT_BEGIN, // touches at the end of the last step, not at its start
    VV_CONTACT_STAY,  // both
    VV_CONTACT_END,   // touched at its start; ids may be stale, the rest is 0
} vvContactEventKind;

// One for every body and what it touches, all its vertices together.
typedef struct vvContactEvent
{
    vvContactEventKind kind;
    vvSoftBodyId body;
    vvColliderId collider; // null: `other` is what it touches
    vvSoftBodyId other;    // null: a collider
    vvVec3 point;          // m, mean of the touching vertices, weighted by force
    vvVec3 normal;         // unit, towards the body; mean likewise
    vvVec3 force;          // N on the body, in total
    int vertexCount;       // how many touch
} vvContactEvent;

// Of the last step, valid until the next one: writes at most `capacity`, returns how many there are, in a fixed order (by
// body, then collider). `events` may be NULL.
VV_API int vvWorld_GetContactEvents(vvWorldId world, vvContactEvent *events, int capacity);

// ======================================================================================================================
// Picking and handles: take hold of what is seen
// ======================================================================================================================

typedef enum vvPickKind
{
    VV_PICK_NOTHING,
    VV_PICK_BODY,
    VV_PICK_COLLIDER,
} vvPickKind;

typedef struct vvPick
{
    vvPickKind kind;
    vvSoftBodyId body;     // null: not a body
    vvColliderId collider; // null: not a collider
    int triangle;          // of vvMesh_GetSurface; of a rope the edge of vvMesh_GetEdges; -1: no body
    int vertex;            // of the triangle or edge, the nearest to the point; -1: no body
    int vertices[3];       // of the triangle; of an edge the third is -1
    double weights[3]; // barycentric, at least 0, sum 1: the point is the sum of weight x vertex (a rope: on its axis)
    vvVec3 point;      // m
    vvVec3 normal;     // out of the body or collider; of a sheet, towards where the ray came from
    double distance;   // m
} vvPick;

// What a ray from `origin` along `direction` (any length above 0) hits first, up to `farthest` m (may be infinite).
// Surfaces of bodies are hit from both sides, ropes as thick as their material says; from inside a collider the distance
// is 0. Looks at every triangle of the world: for picking, not for thousands of rays a frame.
VV_API vvPick vvWorld_CastRay(vvWorldId world, vvVec3 origin, vvVec3 direction, double farthest);

// A point of a body on a spring, to drag it by. From a pick: body, vertices and weights.
typedef struct vvHandleDef
{
    vvSoftBodyId body;
    int vertices[3];   // those with a weight above 0 are used. Default -1 -1 -1
    double weights[3]; // at least 0, sum 1. Default 1 0 0: the first vertex alone
    double
        stiffness; // N/m. Default 0: 3600/s^2 x mass of the body (it hangs through by 3 mm), but at most young x size
                   // (sheets and ropes: x thickness), so that the spring is not harder than the body
    int cookie;    // set by vvDefaultHandleDef
} vvHandleDef;

VV_API vvHandleDef vvDefaultHandleDef(void);

// Holds the point where it is: takes no work. What the spring holds when it is destroyed is booked as removed.
VV_API vvHandleId vvCreateHandle(vvWorldId world, const vvHandleDef *def, vvResult *result);
VV_API void vvDestroyHandle(vvHandleId handle); // a body takes its handles along
VV_API bool vvHandle_IsValid(vvHandleId handle);

// The end of the spring travels there in a straight line during the next step; its work is booked.
VV_API vvResult vvHandle_MoveTo(vvHandleId handle, vvVec3 target);
VV_API vvVec3 vvHandle_GetTarget(vvHandleId handle); // m; 0 0 0 for a bad id
VV_API vvVec3 vvHandle_GetForce(vvHandleId handle);  // N on the body at the present state; 0 0 0 for a bad id

// ======================================================================================================================
// Ledger and statistics
// ======================================================================================================================

// Where the energy is, in joules. Every integrator keeps it.
typedef struct vvLedger
{
    double kinetic;    // of free vertices (pinned ones carry none)
    double elastic;    // materials, springs and attachments
    double gravity;    // -sum m g.x
    double contact;    // of contact springs
    double added;      // what the caller put in: forces, moved pins and targets, teleports, changed parameters
    double dissipated; // what damping took
    double total;      // kinetic + elastic + gravity + contact
    double target;     // initial total + added - dissipated: what physics says
    double numerical;  // total - target: what the integrator lost (negative) or invented (positive)

    vvVec3 momentum;        // kg m/s, of free vertices
    vvVec3 angularMomentum; // kg m^2/s, about the origin
} vvLedger;

VV_API vvLedger vvWorld_GetLedger(vvWorldId world); // all islands together; zeros for a bad id

// Bodies coupled by attachments form an island; energy is accounted for per island. Islands are numbered 0 to count - 1
// by their first body; numbers may change when bodies or attachments come and go.
VV_API int vvWorld_GetIslandCount(vvWorldId world);
VV_API vvLedger vvWorld_GetIslandLedger(vvWorldId world, int island);
VV_API int vvSoftBody_GetIsland(vvSoftBodyId body); // -1 for a bad id

typedef struct vvStatistics
{
    // the world
    int bodyCount, vertexCount, elementCount, attachmentCount, colliderCount, islandCount;
    size_t memoryBytes;        // in use through the allocator
    long long allocationCount; // calls of the allocator so far
    long long stepCount;       // steps so far
    // the last step, over all islands
    int iterations;       // of the solver, the most of any island
    int factorizations;   // matrices factored
    int semidefinite;     // of them, those that needed the positive-semidefinite fallback
    int lineSearchSteps;  // times a step was shortened, or a blend tried
    int linearIterations; // of conjugate gradients: newton-cg, and between bodies that are joined
    double residual;      // m, max |M^-1 grad g| at the end
    bool converged;       // every island met the tolerance
    double correction; // 1: the last correction of a solver that stopped before it converged, over the largest motion
                       // of the step, the most of any island; 0: all converged
    double alpha; // of methods that blend: the largest over islands by size, towards backward Euler above 0, towards
                  // forward Euler below; 0: none
    int blendFailures;   // islands whose energy no blend brought to its target
    double elasticShare; // 1, of methods that watch the energy: elastic over elastic and kinetic, the largest
    double spectrum;     // 1, likewise: share of the kinetic energy in motion as short as the mesh, the largest
    double unresolved;   // J, small-midpoint: motion that the substeps do not resolve; included in `numerical`
    int substeps;        // that `stepTolerance` or a hit on something stiff (stabilized) divided the step into, the
                         // most of any island; else 1
    int nearCount;       // contacts that could have happened: the rest was culled
    int sleepingCount;   // bodies asleep after it
    // the last Advance
    int advanceSteps;      // steps it took
    double droppedSeconds; // time it dropped because of maxStepsPerAdvance
} vvStatistics;

VV_API vvStatistics vvWorld_GetStatistics(vvWorldId world);

// s of wall clock, summed over all steps so far; phases do not overlap and `other` is the rest of `step`.
typedef struct vvProfile
{
    double step;
    double prepare;  // islands, orderings, first allocations
    double gradient; // elements: forces and projections
    double matrix;   // assembly of matrices
    double factor;   // factoring them
    double solve;    // solving with them
    double line;     // line search and objective
    double books;    // the ledger
    double other;
} vvProfile;

VV_API vvProfile vvWorld_GetProfile(vvWorldId world);

// ======================================================================================================================
// Examination: what a body can bear. Slow (iterations over its matrix); for set-up, pre-flight reports and autopsies.
// ======================================================================================================================

// Frequencies are those of small motion about the present state: from the positive-semidefinite Hessian there, lumped
// masses, pins and attachments to points as they are; to about 0.1 %.
typedef struct vvExamination
{
    int stiffestElement;     // a tet of models of tets, a triangle of "triangle", else an edge, in the caller's order;
                             // -1: all are pinned
    double elementFrequency; // rad/s, the highest frequency of that element alone with its vertices' masses
    double highestFrequency; // rad/s, of the whole body; springs to other bodies count with a bound
    double lowestFrequency;  // rad/s, of the first mode that is not rigid motion; 0: none, or some motion costs nothing
                             // (springs at rest do not resist bending). Springs to other bodies are left out
    double stableStep;       // s, 2 / highestFrequency: the limit of explicit methods without damping. Infinite where
                             // nothing can vibrate
    int worstElement;        // the most deformed one at the present state, likewise
    double worstStretch; // its det F, ratio of areas or of lengths: the furthest from 1 by its logarithm, or the most
                         // negative
    int invertedCount;   // tets with negative det F
} vvExamination;

VV_API vvResult vvSoftBody_Examine(vvSoftBodyId body, vvExamination *examination); // asks for memory, and gives it back

// ======================================================================================================================
// Saved states: rewind, resume, rollback
// ======================================================================================================================

// A saved state goes back into a world with the same bodies and attachments, made from the same meshes and definitions in
// the same order: the one it came from, or one built again by another process. From there on both take the same steps,
// bit for bit. The bytes are the same on every machine. Settings of the world (solver, iterations, threads) are not part of
// a state; under others it goes on with other steps. The first step after a restore may allocate.
VV_API size_t vvWorld_GetStateSize(vvWorldId world); // bytes; changes only with bodies and attachments
VV_API vvResult vvWorld_SaveState(vvWorldId world, void *target, size_t size); // exactly that size; allocates nothing
VV_API vvResult vvWorld_RestoreState(vvWorldId world, const void *source, size_t size); // checked before it is used

#ifdef __cplusplus
}
#endif

#endif
