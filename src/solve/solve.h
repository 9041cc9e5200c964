// The solve room: minimisers of one implicit step,
//
//   g(x) = 1/2 (x - y)^T M (x - y) + sigma E(theta x + (1 - theta) x_n) + sigma theta h R((x - x_r) / h)
//
// with E the potentials, R the dissipation potentials of the bodies of one island, x_r = x_n unless the integrator's
// velocity is measured from elsewhere. A minimiser does not know which
// integrator called it; it starts from state->position and leaves the minimiser there.
#ifndef SOLVE_SOLVE_H
#define SOLVE_SOLVE_H

#include "contact/list.h"
#include "energy/energy.h"
#include "energy/sweep.h"
#include "ledger/ledger.h"
#include "linear/front.h"
#include "linear/linear.h"
#include "linear/precondition.h"
#include "solve/modal.h"
#include "solve/smooth.h"

#include <string.h>

#define MEMBER_ENERGIES 24
#define SCRATCH_VECTORS 12 // most that functions which call each other take: energy control 4, a substep 5, damping 3
#define MEMBER_FACTORS 2   // prefactored matrices kept per body: the stabilized method needs two

// The arrays of a world, or the slice of them that belongs to an island: bodies one behind the other, islands in one
// piece, every body in its mesh's own order.
typedef struct State
{
    int count;             // vertices
    double *mass;          // count
    unsigned char *pinned; // count
    unsigned char *hold;   // count: HoldKind; fixed where pinned, planes and lines are slides
    double *holdAxis;      // count x 3: of planes and lines, through pinTarget
    double *start;         // count x 3: x_n, the accepted state
    double *startVelocity; // count x 3: v_n
    double *previous;      // count x 3: x_{n-1}, for rendering in between
    double *pinTarget;     // count x 3: where pinned vertices are at the end of the step
    double *position;      // count x 3: x_{n+1}, being computed
    double *velocity;      // count x 3: v_{n+1}
    double *inertial;      // count x 3: y
    double *blend;         // count x 3: room for a stage between start and end
    const double *stage;   // z = theta x + (1 - theta) x_n: `blend`, or `position` or `start` itself
    double *rate;          // count x 3: u = (x - x_n) / h; kept only where something dissipates
    double *gradient;      // count x 3
    double *direction;     // count x 3
    double *reaction;      // count x 3: N, what held the vertex in the directions it is not free in; else 0
    double *external;      // count x 3: derivative of the external energies, constant within a step

    double *scratch[SCRATCH_VECTORS]; // count x 3 each, see scratchTake
    int scratchTaken;                 // of them, in use
} State;

// Vectors (count x 3) to work in, given back in the opposite order: what one holds is its taker's until then.
static inline double *scratchTake(State *s)
{
    ASSERT_CHEAP(s->scratchTaken < SCRATCH_VECTORS, "functions that call each other take few scratch vectors");
    return s->scratch[s->scratchTaken++];
}

static inline void scratchGive(State *s, const double *vector)
{
    s->scratchTaken -= 1;
    ASSERT_CHEAP(s->scratchTaken >= 0 && vector == s->scratch[s->scratchTaken], "the vector that was taken last");
}

// A prefactored M + s L of one body, and what it was made for.
typedef struct Prefactor
{
    FrontFactor *factor;
    FrontPrecision precision;
    double *value;       // entries of the graph: what the factor holds
    double s;            // sigma theta^2
    double margin;       // by which the elastic majorizer was multiplied
    double viscous;      // by which that of damping between vertices was
    double drag;         // sigma theta / h
    unsigned version;    // of pins and weights
    bool bare;           // without contacts
    unsigned lastUse;    //
    bool ready;          // the factor matches `value`
    uint64_t content;    // hash of `value` and precision: equal ones make equal factors
    FrontFactor *former; // of the body before its mesh changed: has fronts that serve again; NULL: none
} Prefactor;

// what a saved state keeps of a prefactor, which can be made again from it
typedef struct PrefactorUse
{
    FrontPrecision precision;
    double s, drag;
    unsigned lastUse;
} PrefactorUse;

typedef struct Touching Touching;

// One body: its range of the island, its energies, its matrices: `matrix` and `factor` serve Newton's method, the
// prefactored ones local/global. A body has what its world's solver needs.
typedef struct Member
{
    int offset, count;               // vertices [offset, offset + count) of the island
    double size;                     // m, scale of tolerances
    double pressed;                  // J, of what contact took of it in the last steps: it may give it back
    struct StepState *step;          // what integrators keep of it (integrate/step_state.h); NULL: it takes no steps
    int energyCount;                 //
    Energy *energy[MEMBER_ENERGIES]; //
    int *scatter[MEMBER_ENERGIES];   // elementCount x corners^2: block of the matrix, or -1; NULL for one corner
    BlockMatrix *matrix;             //
    FrontFactor *factor;             // NULL: the solver is iterative and has the next
    Preconditioner *preconditioner;  //
    const Graph *graph;              // which vertices are coupled: of the matrix, or of the arrays below
    const FrontTree *tree;           //
    double *majorizer;               // entries of the graph: sum of the energies that are not diagonal
    double *viscosity;               // the same of dissipation; NULL: none but diagonal
    double *assembled;               // entries of the graph: scratch for the matrix being made
    unsigned majorizerVersion;       // of the energies it was made from; 0: never
    unsigned pinVersion;             // counts changes of the pins
    unsigned clock;                  // counts uses of prefactors
    Prefactor prefactor[MEMBER_FACTORS];
    PrefactorUse used[MEMBER_FACTORS]; // which there were before the step under way
    unsigned usedClock;                // likewise
    int factors; // prefactors that the method under way keeps; 0: all. A method that needs one asks for no more memory
                 //   when the step changes
    double margin;                   // by which prefactors multiply the elastic majorizer; 0: 1
    Modal *modal;                    // NULL: no modes are known
    Smooth *smooth;                  // NULL: no smooth functions are
    FrontFactor *current;            // the one the step under way uses
    bool bare;                       // it is to be without contacts, which touching.c adds
    Touching *touching;              // NULL: no contacts, or not asked for yet
    bool keepsForces;                // of single elements, under sweeps
    bool touched;                    // a contact of the substep is at it
    int touchedStart, touchedEnd;    // into System.touched.vertex
    bool held;                       // by pins or attachments, in the step under way
    int *changed;                    // count: scratch for partial refactorisation
    bool dampedApart;                // damping between vertices is a pass of its own (viscous.c): not in matrices
    double viscousShare;             // by which prefactors multiply the majorizer of this damping; 0: 1
    double viscousTime;              // s, of this damping over stiffness, where it is in the matrix of the step
    double viscousLeft;              // 1: of this damping for such a pass; the rest is what the step does by itself
    double viscousWork, viscousLoss; // J: what pins did against it and what it took, in the last such pass;
    double viscousOwn;               //   of that, what the step is thought to take by itself
    double sweptLoss;                // J, of `dissipated` by damping in constraints that are swept
    double added, dissipated;        // J, booked by the (sub)step under way
} Member;

// With a tree of blocks for a factor, or else with a preconditioner. False: out of memory.
bool memberCreateMatrix(Member *member, Memory *memory, const Graph *graph, const FrontTree *blocks, Isa isa,
                        const PreconditionerKind *preconditioner);
bool memberScatter(Member *member, Memory *memory, int index); // of an energy that came later; false: out of memory
void memberDestroyMatrix(Member *member, Memory *memory);

bool memberCreatePrefactors(Member *member, Memory *memory, const Graph *graph,
                            const FrontTree *tree); // false: out of memory
void memberDestroyPrefactors(Member *member, Memory *memory);
// The prefactors of a body whose mesh changed: their uses, and factors as former ones, which it takes over. True: they
// stand on the tree of `from`; false: on the tree that its own former ones stand on, or there are none.
bool memberInheritPrefactors(Member *member, Member *from);
// The majorizers of a body whose mesh changed, from those before it: entries beside vertices that are `touched` (by
// their numbers in the new graph; elements without one are the same in both, in the same order) and their neighbours
// are made, others copied. The bits are those of making all. False: nothing fits, or no memory; then they are made.
bool memberInheritMajorizer(Member *member, const Member *from, Memory *memory, const bool *touched);

// majorizer.c, inside the room: which energies are in the matrix, a count of their changes, and their sum; `renewed`:
// where both row and column are such vertices. NULL: all
bool memberEnters(const Member *member, const Energy *energy);
unsigned memberMajorizerVersion(const Member *member);
void memberAddMajorizers(Member *member, const bool *renewed);
const double *
memberMajorizer(Member *member); // entries of the graph, of the energies that are not diagonal, as they are now

// A joint: an element over vertices of two bodies whose energy depends on sum c_a x_a alone, a spring between two
// points or a vertex in contact with a triangle. Exact in the gradient; in the bodies' matrices only its diagonal, the
// rest by conjugate gradient.
#define JOINT_CORNERS 8
typedef struct Coupling
{
    int member[JOINT_CORNERS];   // index of the members; the first two are those of the two sides
    double share[JOINT_CORNERS]; // c: of one side sum 1, of the other -1 (or 0: directions); the first is not 0
    double live[JOINT_CORNERS];  // c, 0 for pinned corners, of the last assembly
    double block[9];             // scaled Hessian by sum c_a x_a, of the last assembly
    double held[9], soft[9];     // kg and N/m, by sum c_a x_a: joint_directions.c
} Coupling;

#define JOINTS 2 // most joints of an island: links and pairs

// One energy of an island: a member's, or a joint.
typedef struct Term
{
    Energy *energy;
    int first;          // vertex of the island that its own count from
    Member *member;     // in whose ledger it is; of a joint the first of the island, for the ledger is the island's
    int place;          // among the energies of its member
    Coupling *coupling; // elementCount, of a joint; NULL: it is none
    int task;           // number of its first task in the evaluation under way
} Term;

// What a sweep works on, see sweep.c. Rows of four, so that one load fetches a vertex.
typedef struct SweepRows
{
    double *row, *before; // count x 4: x y z and 1/kg; now, and when the substep began
    double *pull;         // count x 4: h^2 x acceleration of what is not swept
    double *still;        // count x 4: the part of it that does not change within a step
    double *spare;        // count x 4
    Vec3 origin;          // m: what rows are relative to
    unsigned masses;      // counts changes of the inverse masses; 0: rows are not filled
    double rate;          // 1/s: how fast the stiffest motion between neighbours is, on average
    unsigned rateVersion; // of the energies it was found for
    bool behind;          // rows have not gone ahead yet: the first patches take theirs along
    bool explicitForces;  // some energy has no sweep: its forces are taken where substeps begin
    double slow;          // m/s
    float *single;        // count x 4 x 3: displacements, before, pull in single precision; NULL: not asked for yet
    bool lent;            // the rows are another's
} SweepRows;

// Why a prefactored solver could not step; world/step.c turns it into a vvResult.
typedef enum Trouble
{
    TROUBLE_NONE,
    TROUBLE_MEMORY, // none for the factor
    TROUBLE_FACTOR, // the matrix has none in double precision either
} Trouble;

#define HISTORY 5 // pairs kept by the accelerated local/global

// Its last steps s and the changes y of the gradient along them, which are in the system's `history`.
typedef struct Acceleration
{
    int pairs, newest;
    double along[HISTORY];              // s . gradient
    double curvature[HISTORY][HISTORY]; // s . y of two pairs, the y of the younger
} Acceleration;

// One island: what is solved together.
// The vertices that contacts of a law act on, for an inverse mass at these alone (touched.c).
typedef struct Touched
{
    int *vertex;    // by members, each counted from its first; room for all of the island. NULL: never these alone
    bool *mark;     // count: it is one of them; only while they are gathered
    double *answer; // count x 3, m: of a member that nothing ties, B^-1 M r; only while `alone`
    bool alone;     // the law under way asks for velocities at these alone
} Touched;

typedef struct System System;

// Contacts of rigid bodies that members stand for: of no energy of the island, but found by the world
// (world/proxy_touch.c).
typedef struct StandContacts
{
    void *context;
    int room; // contacts at a time, at most; 0: there are none
    void (*collect)(const System *system, const ContactView *view, ContactList *list);
    void (*forget)(const System *system, bool anew); // the last substep; `anew`: and all of the step
    void (*keep)(const System *system, const Contact *contact, double h);
} StandContacts;

struct System
{
    State state;             // the island's slice of the world's arrays
    struct IslandStep *step; // what integrators keep of it (integrate/step_state.h); NULL: it takes no steps
    int memberCount;
    Member **member;
    int termCount,
        jointStart; // terms [jointStart, termCount) are joints: springs between bodies, then pairs in contact
    Term *term;     // of the members, one behind the other, each in the order of its energies; then the joints
    // count x 3 x 4, for the conjugate gradient; only with joints, an iterative solver or systemReaches
    double *work;
    double beyond;    // s^2: scale of the second derivatives that reach beyond elements, in the matrices; 0: none do
    Memory *memory;   // of the world
    Workers *workers; // NULL: the calling thread alone
    Isa isa;          //
    double *couplingDiagonal; // count: majorizer of the joints on the diagonal; only with joints
    double *linkDiagonal;     // count: the part of it that is of springs
    double *coarse;           // memberCount x memberCount, then memberCount x 3: translations of bodies; NULL: none
    double *anchor;           // count: what resists a translation, with `coarse`
    double *joined;           // room for the small matrices of joined members (integrate/joined_mass.c); NULL: none
    const Term *links;        // the springs between bodies, in the step of a method that has such matrices; NULL: none
    double *history; // count x 3 x 2 x HISTORY: steps and gradient changes of the accelerated local/global, or NULL
    Acceleration acceleration;
    bool dissipates;   // some energy depends on the rate
    bool dampedApart;  // damping between vertices is a pass of its own in this step: not in gradients, matrices, ledger
    bool dampedInside; // with it: but in the matrices, forces beside the gradient (integrate/midpoint_damping.c)
    int dampedTurns;   // then: in so many substeps of the step, dampedTimes as strong
    double dampedTimes;
    SweepRows sweep;             // of methods that sweep
    ContactList contacts;        // of the substep under way, of methods with hard contact
    Touched touched;             // by these
    struct Movable *movable;     // movableCount: rigid bodies near its members (contact/movable.h)
    int movableCount;            //
    struct Proximity *proximity; // what of its bodies is near (contact/proximity.h); NULL: they do not touch each other
    struct ProximityBody *near;  // memberCount: their surfaces; NULL: its bodies do not touch each other
    struct RidgePair *ridge;     // ridgeCount: sharp edges of its solids that may meet (contact/ridge.h)
    int ridgeCount;              //
    StandContacts stands;        // of rigid bodies that members stand for
    Trouble trouble;             // why there is no step, though the numbers are numbers
    double *residual;            // systemPieces(count): largest |gradient|^2 / mass^2 of each piece of vertices
    double inertia[3];           // the quadratic of the inertial term along the search line
};

// Something for every member by itself: side by side where they are many, each by the calling thread of its task
// (`workers` NULL), else one after the other with all threads.
typedef void (*MemberFunction)(void *context, Member *member, Workers *workers);
void systemEachMember(System *system, MemberFunction function, void *context);

// Terms are made with the island: of the members first, into room for all of their energies and JOINTS more; then each
// joint. A member whose energies change needs a new list. For one step it may leave out the energies that are off.
int membersTerms(Member *const *member, int memberCount);               // how many energies they have
void systemListTerms(System *system, bool all);                         // joints stay
void systemAddJoint(System *system, Energy *joint, Coupling *coupling); // taken over, as every joint is by its maker

typedef struct Stage
{
    double h;           // s, what the dissipation's rate is measured over
    double sigma;       // s^2
    double theta;       // 1
    bool mean;          // contact forces are means over the step: the midpoint rule
    const double *from; // count x 3: and from where, u = (x - from) / h; NULL: x_n
    double ahead;       // s, after x_n: with `from`, the moment that the rate is of
} Stage;

static inline Stage stageMidpoint(double h)
{
    return (Stage){ .h = h, .sigma = h * h, .theta = 0.5, .mean = true };
}

static inline Stage stageBackward(double h) // backward Euler
{
    return (Stage){ .h = h, .sigma = h * h, .theta = 1 };
}

typedef struct SolverSettings
{
    int iterations;                           // 0: the solver's own limit
    double tolerance;                         // of the body's size
    double budget;                            // s of wall clock for one island's step; 0: none
    bool accelerate;                          // local/global with Anderson acceleration
    bool modes;                               // local/global with the lowest modes exact
    bool majorized;                           // local/global with near contacts as if they were tight
    double forcing;                           // newton-cg: the linear solver stops at this share of the gradient
    const PreconditionerKind *preconditioner; // newton-cg: what bodies were made with
    bool exactHessian;                        // newton-cg: tries the exact Hessian before the semidefinite one
    bool linearJacobian;                      // simplified-newton: Hauth's constant one
    bool whole;                               // Newton's kin: takes every step whole, without a line search
    bool again;       // Newton's kin: the minimisation before was of nearly the same g; its end and its factor serve
    double reduction; // Newton's kin: also converged at this share of the gradient at the start; 0: not

    // called at the start of a minimisation (iteration 0) and after each of its iterations, stage and rate set: for
    // tests of the objective. May use the line of the system, and nothing else of it. NULL: none
    void (*watch)(void *watcher, System *system, const Stage *stage, int iteration);
    void *watcher;
} SolverSettings;

static inline void settingsWatch(const SolverSettings *settings, System *system, const Stage *stage, int iteration)
{
    if (settings->watch != NULL)
        settings->watch(settings->watcher, system, stage, iteration);
}

// Up to how many times too soft a body is at these iterations (softness.c), and how many bring it within 5 %.
typedef struct Softness
{
    double factor;
    int iterations;
} Softness;

typedef struct SolveReport
{
    int iterations, factorizations, semidefinite, lineSearchSteps;
    int linearIterations; // of conjugate gradients, in all iterations
    double residual;      // m, max |M^-1 grad g|
    double correction;    // 1, of the body's size: the last one, of a solver that stopped before it converged; else 0
    bool converged;       // within the tolerance
    bool finite;          // false: the numbers ran away
    double slope;         // kg m^2: derivative of g along the last iteration's step, where it began; local/global
    bool starved;         // there was no memory for a factor
    Softness softness;    // of the worst body; factor 0: not known
    vvProfile profile;    // s: what the phases took; `step`, `prepare` and `other` are the world's
} SolveReport;

// The factor of M + s (majorizers) + drag (dissipation) for these masses and pins (the member's slice of the state),
// refactored only where something changed. `coupling`: count, times s added to the diagonal, or NULL. NULL: out of
// memory.
FrontFactor *memberPrefactor(Member *member, Memory *memory, const State *slice, double s, double drag,
                             const double *coupling, Isa isa, Workers *workers, SolveReport *report);

// Makes prefactor `index` what a saved state says it was; where it is not, it is made again when it is next used.
void memberRecallPrefactor(Member *member, int index, PrefactorUse use);
void memberMarkPrefactors(Member *member);   // before a step
void memberRewindPrefactors(Member *member); // after one that failed

typedef SolveReport (*Minimiser)(System *system, const Stage *stage, const SolverSettings *settings);

typedef struct Solver
{
    const char *name;
    Minimiser minimise;
    bool prefactored; // bodies need prefactors instead of a matrix
    bool iterative;   // bodies need a preconditioner instead of a factor
} Solver;

int solverCount(void);
const Solver *solverAt(int index);

SolveReport localGlobalMinimise(System *system, const Stage *stage, const SolverSettings *settings);
SolveReport newtonMinimise(System *system, const Stage *stage, const SolverSettings *settings);
SolveReport newtonCgMinimise(System *system, const Stage *stage, const SolverSettings *settings);
SolveReport jacobiMinimise(System *system, const Stage *stage, const SolverSettings *settings); // of pd-jacobi alone
SolveReport simplifiedNewtonMinimise(System *system, const Stage *stage, const SolverSettings *settings);

// ---- global_step.c: one global step, for methods that take nothing else ---------------------------------------------

// The factors of all members for a stage, member->current; once per step. False: out of memory.
bool prefactorsPrepare(System *system, const Stage *stage, SolveReport *report);

// result = B right with B near A^-1, A = M + s (majorizer) + drag. Exact but for rounding where nothing joins bodies.
void globalStep(System *system, const Stage *stage, const double *right, double *result);

// The same of one member, where nothing joins bodies. `stage` NULL: its translation is left to the factor.
void globalStepMember(const System *system, const Stage *stage, const Member *member, Workers *workers,
                      const double *right, double *result);

// The same with a B that is symmetric where bodies are joined: translations of bodies first, then what is left of them
// by the factors, then translations again (a balancing preconditioner). B^-1 is not below A: A_0 is not, and
// translations are exact.
void globalStepSymmetric(System *system, const Stage *stage, const double *right, double *result);

// result = A_0^-1 right of one number for each vertex, without what globalStep does for translations: for bounds. Of
// systems that have it, those that nothing joins or touches as rows of the matrix.
bool globalStepHasLine(const System *system);
void globalStepLine(System *system, const double *right, double *result);

// The same exact in the lowest modes of bodies: modal_step.c. Once per step, after the stage was set; false: no body
// has any
bool modalStepBegin(System *system, const Stage *stage);
void modalStep(System *system, const Stage *stage, const double *right, double *result);
// of a body whose iterations are plain; 1 where its modes are not known
Softness memberSoftness(const Member *member, const Stage *stage, int iterations, bool accelerated);
// What bodies that are held or touched need beside their modes: the matrix of these; false: out of memory
bool modalShapeBind(ModalShape *shape, const Modes *modes, const ModesRecipe *recipe);
bool modalShapeFlat(ModalShape *shape, const ModesRecipe *recipe); // and its flat tets (modal_flat.h), likewise

// ---- contacts in a global step: touching.c --------------------------------------------------------------------------

bool energyIsTouching(const Energy *energy);                // it can be left out of the matrix and added as it is
bool memberReserveTouching(Member *member, Memory *memory); // false: out of memory
void memberReleaseTouching(Member *member, Memory *memory); //
// it has contacts, and what touches at the stage is not too much
bool memberFitsTouching(const System *system, const Stage *stage, Member *member);
void memberForgetTouching(Member *member);                     // before the first iteration with a factor
void touchingUpdate(const System *system, const Stage *stage); // contacts that touch at the stage, of all bare members
void memberCorrectTouching(const System *system, const Member *member, double *result); // after a solve by the factor

// ---- the objective, for minimisers and tests ------------------------------------------------------------------------

// The second level of local/global, coarse.c: once per step; then z of every global step, A z = right.
#define COARSE_MOST 128 // bodies
void coarsePrepare(System *system, const Stage *stage);
void coarseCorrect(const System *system, const Stage *stage, const double *right, double *z);
// left = right - A z, of a z that moves each body as a whole
void coarseResidual(const System *system, const Stage *stage, const double *right, const double *z, double *left);

// touched.c: the vertices of these contacts, and their paths in the factors. False: they are no reason to solve at them
// alone, which costs nearly as much
bool touchedGather(System *system, const ContactList *list);
// result = A^-1 right at these of a member; right has to be zero at others, where the result means nothing
void touchedSolve(const System *system, const Member *member, Workers *workers, const double *right, double *result);

bool systemIsJoined(const System *system);                    // something acts between bodies in this step
void systemSetFraction(System *system, double fraction);      // where moving targets stand; forces are of this moment
void systemSetMidpoint(System *system);                       // half way; contact forces are means over the (sub)step
void systemSetTime(System *system, const Stage *stage);       // one of both, as the stage takes its forces
void systemSetWindow(System *system, double from, double to); // of their energies: fractions of the whole step
void systemSetStage(System *system, const Stage *stage);      // stage and rate from position

void systemDescend(System *system, const Stage *stage, const double *descent); // position -= descent, then the same
int systemPieces(int vertexCount);                                             // tasks that vertices are cut into
void systemSetExternal(System *system); // external, from the energies linear in x; once per step

static inline Filter stateFilter(const State *s)
{
    return (Filter){ .count = s->count, .kind = s->hold, .axis = s->holdAxis };
}

// the first pinned vertex of [begin, end), or `end`: pins are few, and most bodies have none
static inline int nextPin(const State *s, int begin, int end)
{
    const unsigned char *pin = begin < end ? memchr(s->pinned + begin, 1, (size_t)(end - begin)) : NULL;
    return pin ? (int)(pin - s->pinned) : end;
}

static inline bool stateHasPins(const State *s)
{
    return nextPin(s, 0, s->count) < s->count;
}

static inline bool slides(const State *s, int vertex) // held in some directions, free in others
{
    return s->hold[vertex] == HOLD_PLANE || s->hold[vertex] == HOLD_LINE;
}

// gradient = M (x - y) + sigma theta (grad E + grad R), zero where vertices are held; what is left out there is the
// reaction. Needs systemSetStage
void systemGradient(System *system, const Stage *stage);

// gradient = the derivative of the energies that pass the filter (NULL: all) alone at `point` (count x 3), pinned
// vertices included
typedef bool (*EnergyFilter)(const Energy *energy);
bool isNotExternal(const Energy *energy); // the filter that leaves to State.external what it holds
void systemForces(System *system, EnergyFilter filter, const double *point);
void systemFreeze(System *system, EnergyFilter filter, const double *point); // EnergyKind.freeze
void systemValues(System *system, EnergyFilter filter, const double *point); // of their elements, for energySum

double systemSize(const System *system);                  // m, of the smallest member
double systemResidual(const System *system);              // m, max |M^-1 gradient| of the last systemGradient
double systemStepSize(const System *system, double step); // max |step x direction| over the members' sizes
double systemMotion(const System *system);                // max |x - x_n| over the members' sizes

// matrices of all members: M + sigma theta^2 Hess E + (sigma theta / h) Hess R; rows and columns are filtered where
// vertices are held, and keep their mass there
void systemAssemble(System *system, const Stage *stage, HessianMode mode);
bool systemReaches(const System *system); // some energy has second derivatives beyond its elements
bool systemFactor(System *system);
bool systemSolve(System *system, SolveReport *report); // direction = -A^-1 gradient; false: negative curvature

// the same matrices from the constant majorizers, joints on the diagonal
void systemAssembleLinear(System *system, const Stage *stage);

// direction = -A^-1 gradient to a share of the gradient, in at most so many steps of the conjugate gradient; false:
// negative curvature. Needs systemPrecondition after an assembly (false: not positive definite)
bool systemPrecondition(System *system);
bool systemSolveInexact(System *system, double share, int limit, SolveReport *report);

// g along position + alpha direction
void systemLineStart(System *system, const Stage *stage);
double systemLineValue(System *system, const Stage *stage, double alpha, double *magnitude);

// ---- damping between vertices as a pass of its own: viscous.c -------------------------------------------------------

bool energyIsViscous(const Energy *energy);                  // dissipation between vertices
bool energyBendsViscous(const Energy *energy);               // of bending and twist of sheets and rods
bool energyStretchesViscous(const Energy *energy);           // of other strains
bool systemIsViscous(const System *system);                  // some energy is
void systemFreezeRates(System *system, const double *point); // it, at these positions (count x 3)

// result = A^-1 right, A the mass of a method, symmetric and positive; zero where right is zero at a pin
typedef void (*InverseMass)(System *system, const Stage *stage, double *right, double *result);
typedef struct Damping
{
    EnergyFilter filter;  // what K has
    double h, theta;      // s, 1
    int most;             // iterations
    double left;          // 1: of velocities and of what damping changes of them, where iterations may end
    const double *before; // count x 3: v; theta 1: not needed
    InverseMass inverse;  // NULL: A are the masses
    const Stage *stage;   // handed to it
    double *guess;        // count x 3, m/s: a change of v' like the one wanted, of which the solve takes what fits
                          //   first, where A are the masses; NULL: none, as where they are not
    bool shared;          // members have viscousLeft of K alone, but all that K takes is booked
} Damping;

// A (v'' - v') + h K (theta v'' + (1 - theta) v) = 0 over the free vertices, K as it was frozen; pins keep their
// velocity. Leaves what is booked in viscousWork and viscousLoss of the members. Takes position, inertial, rate,
// gradient and direction of the state. Leaves its impulses, less their sign, in `direction`: what damping took is
// `direction` . u.
void systemDampRates(System *system, const Damping *damping, double *velocity);

// ---- small steps: sweep.c -------------------------------------------------------------------------------------------

// Rows and plans of an island, if it has none; false: out of memory. Released with the island.
bool systemSweepReserve(System *system);
#define SWEEP_ROW_REALS 20                          // of a vertex, in all rows
void systemSweepLend(System *system, double *rows); // SWEEP_ROW_REALS x count, instead of its own
void systemSweepRelease(System *system);

void systemSweepBegin(System *system); // rows of the start of a step, and what resists: `rate`

// Before the first of the substeps of h s each, in a manner whose `masses` are found here; then every substep: rows
// ahead, sweeps, velocities; at the end position and velocity of the state and the ledger of the members.
void systemSweepLoad(System *system, double h, SweepManner manner);
void systemSweepAhead(System *system, const SweepContext *context, bool first);
void systemSweepOnce(System *system, const SweepContext *context);
void systemSweepLosses(System *system, const SweepContext *context); // of damping in the constraints, after the sweeps
void systemSweepVelocities(System *system, const SweepContext *context);
double systemSweepForceRate(System *system); // sweep_force.c, 1/s: no motion under forces that are not swept is faster
// sweep_single.c: all substeps of a step in single precision, ends as they would. False: nothing was done, take them in
// double
bool systemSweepSingle(System *system, const SweepContext *whole, int substeps, int sweeps, bool symmetric);
void systemSweepEnd(System *system, double h, double step);

#endif
