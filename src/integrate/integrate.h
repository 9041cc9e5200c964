// The integrate room: one integrator per file. An integrator takes an island from (x_n, v_n) to (x_{n+1}, v_{n+1}) and
// books what the step did to the energy. Implicit ones are rows of one table of stages (stage.c).
#ifndef INTEGRATE_INTEGRATE_H
#define INTEGRATE_INTEGRATE_H

#include "contact/proximity.h"
#include "integrate/step_state.h"
#include "integrate/tables.h"
#include "solve/solve.h"

#include <verve/method.h>

// What a step did, and how healthy it was.
typedef struct StepReport
{
    SolveReport solve;
    double alpha;      // of a blend: towards backward Euler above 0, forward Euler below; 0: none
    int failures;      // times that no blend met the target
    double share;      // 1: elastic over elastic and kinetic energy at the end, of methods that watch it
    double spectrum;   // 1: share of the kinetic energy in motion as short as the mesh, likewise
    double reach;      // 1: distance of a wave in one substep over the size of the body, of methods with substeps
    double unresolved; // J, kinetic energy of motion that the substeps do not resolve (small-midpoint's Q)
    int substeps;      // that the step was divided into; 0: it was not
    int ruled;         // that the rule has for it, before what the steps before it asked for; 0: there is no rule
} StepReport;

struct Integrator;

// How a world takes its steps.
typedef struct Method
{
    const struct Integrator *integrator;
    const Solver *solver;
    SolverSettings solving;
    int substeps;              // inside a step, of methods with their own; 0: by the method's rule
    const Tableau *tableau;    // of "runge-kutta"; NULL: that of rk4
    vvMethodSettings settings; // each method reads what it needs
} Method;

typedef struct Integrator
{
    const char *name;
    bool isExplicit;  // no system is solved, and the step has a limit
    bool hasSubsteps; // divides a step by itself
    bool prefactored; // needs prefactored matrices, whatever the solver is
    bool usesModes;   // the lowest modes of bodies
    bool keepsPace;   // the same, of free bodies (mode_pace.c)
    bool hasControl;  // chooses its own steps where there is a tolerance; else steps whose solver fails are halved
    bool linearizes;  // takes forces beyond x_n from the Hessian there alone
    bool divides;     // takes substeps while something stiff is hit
    bool answers;     // rigid bodies near an island answer within its step (movables.c)
    bool hardContact; // contacts are constraints of its substeps (solve/hard.h), not energies
    bool listsPairs;  // the same of contacts between bodies (contact/list.h)
    bool stands;      // rigid bodies that members stand for meet colliders in its substeps (StandContacts)
    bool flows;       // what yields does so in its substeps
    bool sweeps;      // moves vertices by sweeps over elements, without a system
    bool ownSolver;   // brings its own, which needs no matrix
    bool hasLimit;    // implicit, but not for any step
    double limit;     // 1: of h omega for undamped motion, of explicit ones and of those; 0: it grows at any step
    int pastCount;    // vectors kept from step to step: step->past[0] to [pastCount - 1],
    int pastSlots;    // rings of so many, see history.c
    int roomCount;    // vectors behind them to work in
    bool (*reserve)(System *system); // what a step needs beside the state, if it is not there; false: out of memory
    StepReport (*step)(System *system, double h, const Method *method);
} Integrator;

extern const Integrator smallMidpoint, smallSteps, stabilized, stabilizedExplicit, energyBudget, energyMultiplier;
extern const Integrator pbd, pdJacobi;
extern const Integrator backwardEuler, implicitMidpoint, symplecticEuler;
extern const Integrator forwardEuler, explicitMidpoint, rk4, rk23, rk45, rungeKutta, verlet;
extern const Integrator adamsBashforth2, adamsBashforth3, adamsBashforth4, adamsMoulton3, adamsMoulton4;
extern const Integrator linearImplicitEuler, trapezoid, newmark, generalizedAlpha;
extern const Integrator bdf2, bdf3, bdf4, bdf5, bdf6, bdf2Variable;

// What bodies need for a method: nothing where it asks no solver for anything.
typedef enum Matrices
{
    MATRICES_NONE,
    MATRICES_NEWTON,     // a matrix, with a factor or a preconditioner
    MATRICES_PREFACTORS, //
} Matrices;

Matrices methodMatrices(const Method *method);
const char *methodSlideObstacle(const Method *method); // NULL, or what of it cannot keep vertices on planes and lines

int integratorCount(void);
const Integrator *integratorAt(int index);

// One step of an island: the integrator, then what all of them share, the damping of motion that is not rigid.
StepReport integratorStep(System *system, double h, const Method *method);
void integratorFinish(System *system, double h, const Method *method); // its end, for steps that are taken in parts

#define DIVISION_ROOM 3                  // vectors, behind those of the method, where steps may be divided
int methodVectors(const Method *method); // of IslandStep.past
bool historyHolds(const Integrator *integrator, const Member *member, int vector); // something in step->past[vector]

// ---- inside the room ------------------------------------------------------------------------------------------------

// begin.c: energies that `filter` accepts (NULL: all) cache what must stay constant during the solve, at `point` (count
// x 3); the other two do so for dissipation alone, at a point or where the rate of a stage belongs. integratorStep,
// stageMinimise and stageAcceleration call them; a method that solves a stage or takes forces by itself does so too, or
// damping of strains limits it to first order and slows rotation.
void beginEnergies(System *system, EnergyFilter filter, const double *point);
bool isNotViscous(const Energy *energy); // the filter that leaves out damping between vertices
void beginRatesAt(System *system, const double *point);
void beginRates(System *system, const Stage *stage);

// slides: positions back onto their planes and lines; of vectors (count x 3), what lies in them
void slideBack(State *s);
void slideFilter(State *s, double *vectors);

// y = x_n + h v_n
void stageInertia(System *system, double h);

// where the solver starts, into state->position
void stageGuess(System *system, const Stage *stage);

// the first guess and the minimiser; then also the ledger
SolveReport stageMinimise(System *system, const Stage *stage, const Method *method);
SolveReport stageSolve(System *system, const Stage *stage, const Method *method);

// v = a (x - x_n) + b v_n; pinned vertices: (x - x_n) / h
void stageVelocity(System *system, double a, double b, double h);

// Makes the factors of a stage that a method solves only now and then, so that it asks for memory in its first step
// alone.
void stageReady(System *system, const Stage *stage, SolveReport *report);
void reportAdd(SolveReport *sum, const SolveReport *more); // counts and phases of a further solve within the step
// out = -M^-1 (grad E(point) + grad R(velocity)), zero where pinned; targets at `fraction` of the step
void stageAcceleration(System *system, const double *point, const double *velocity, double fraction, double *out);

// x_r of a stage whose velocity is (x - from) / h: what pinned vertices need there, given the step
void stagePinRate(System *system, double *from, double h, double step);

void reportAddSubstep(StepReport *sum, const StepReport *substep); // of a substep: also whether it converged

// Books into the members what the caller added and damping took, given the point where forces were taken (state->stage)
// and the velocity where damping was (state->rate).
void bookStep(System *system);
// J, the first of these alone, also in the members; may be asked for any number of times
double bookAdded(System *system);

// flow.c: elements that yield, where a (sub)step of h s ended; and after a whole step what matrices are made of. Into
// the members: methods that are not `flows` leave both to integratorStep.
void systemFlow(System *system, double h);
void systemFollow(System *system);

bool pinsMove(const State *s);   // a target is not where its vertex is
void bookForces(System *system); // of constant forces alone, over the whole step: after its substeps

// substep.c: substeps, one behind the other, each solved like a step of its own: state.start, startVelocity and
// pinTarget, moving attachments and colliders are those of the substep, contacts begin anew with it.
void setWindow(System *system, double from, double to); // 1: fractions of the whole step: the substep taken next
void substepBegin(System *system, int count);           // saves x_n, v_n and the pin targets
void substepNext(System *system, int index,
                 int count);                // substep [index, index + 1] / count: starts where the last ended
void substepEnd(System *system, int count); // restores them; the accounts are those of all substeps

// movables.c: rigid bodies near the island, at the start of a step or of one that is taken again, and around a substep
void movablesStart(System *system);
void movablesBegin(System *system, double from, double to, double theta); // as movableBegin
void movablesEnd(System *system);
// After the step of a method that does not answer: contacts with them, by positions and then velocities
void movablesMeet(System *system, double h);
bool movablesWait(const System *system, const Integrator *integrator); // may be met in this step
int movablesSubsteps(const System *system, double h);                  // of such a step

// midpoint_substeps.c: n substeps, one global solve each, forces at x + ahead h/2 v: 1 is the midpoint, 0 the start of
// the substep, from which the energy never rises
// factors for so many substeps; false: out of memory
bool smallMidpointPrepare(System *system, const Stage *stage, int count, SolveReport *report);
void smallMidpointSubsteps(System *system, const Stage *stage, int count, double ahead, SolveReport *report);

// midpoint_contact.c: contacts of the step, before it (false: out of memory); then, of velocities without contact at
// the end of a substep, those with contact, in one go or once more after damping; then what follows from the impulses,
// and the ledger. `exact`: by the whole inverse mass, or by B alone; `change` (count x 3): what contact does to
// velocities, the same both times
int touchRoom(System *system); // contacts that it may have in the step ahead
bool touchReserve(System *system);
bool touchesColliders(const System *system); // or may, in this step
void touchSolve(System *system, const Stage *stage, bool exact, double *change);
void touchAgain(System *system, const Stage *stage, bool exact, double *change);
void touchEnd(System *system, const Stage *stage);
void touchBook(System *system, const Stage *stage);
// rolling.c: where a substep ends, after the law; a share of the lever. Books what it takes
void rollingResist(System *system, double share);
// midpoint_planes.c
void touchBegin(System *system);                             // where the step starts
ProximityView touchView(const System *system, double h);     // of a substep of h s
void touchPlanes(System *system, const ProximityView *view); // those of a substep
// Shortens displacements to s->position that pass a plane, and takes what approaches from s->velocity, with the angular
// momentum that this leaves; `floors`: and pushes nobody into colliders, where the list has gaps in the middle of the
// substep. False: there are none; `added`: J, of that momentum
bool touchStayApart(System *system, const ProximityView *view, bool floors, double *added);
// The same where points would pass through colliders in a substep of h s from `start` (count x 3), between two moments
// of the step; `pushed`: by one that moves
bool touchStayOutside(System *system, const double *start, double h, double from, double to, bool *pushed);
// touch_collect.c: to where forces were taken, which is where gaps are measured; returns the fastest velocity, m/s.
// Then the contacts within reach there
double touchToMiddle(System *system, double h);
void touchCollect(System *system, double h);
// sharp edges of solids, sheets and ropes that are near, behind the contacts of the list; the planes of `near` first
void touchCollectBetween(System *system, ContactView *view, const ProximityView *near);
// impulses of contacts between bodies: those of a substep are forgotten (`anew`: those of the step too); one is kept
void touchForgetBetween(System *system, bool anew);
bool touchKeepBetween(System *system, Contact *contact, double h); // false: it is not between bodies
// Shortens the displacement of a substep where bodies would cross each other or themselves.
void touchApart(System *system, const Stage *stage);
// The same for positions that were changed afterwards; from: count x 3, near them, without crossings.
void touchApartFrom(System *system, const double *from);
void touchClearClipped(System *system); // before the substeps of a step
void touchBookClipped(System *system);  // what planes took or gave in them, at its end

// inverse_mass.c: what of a member is exact in the step under way: rigid motion of those that nothing ties, modes if
// they are wanted; once per step, then once per length of substeps, then where forces are taken, then any number of
// times
void inverseMassBegin(System *system, bool modes);
void inverseMassStage(System *system, const Stage *stage, int count);
void inverseMassTurn(System *system, const Stage *stage, int substep, const double *position);
void inverseMass(System *system, const Stage *stage, double *right, double *result); // overwrites right
// the same with forces of dampers (count x 3, N) beside `right`, for system->dampedInside
// acts: damping does, in this substep
void inverseMassDamped(System *system, const Stage *stage, double *right, const double *viscous, bool acts,
                       double *result);
void inverseMassKept(System *system, const Stage *stage, double *right, double *result); // leaves right as it is
// inverse_mass_touched.c: W at the touched vertices alone, of members whose modes and pieces are not in it. Prepared
// where forces were taken; false: it is not known. `right` has to be zero at others, where the result means nothing
bool inverseMassTouchedBegin(System *system, const Stage *stage);
void inverseMassTouched(System *system, const Stage *stage, double *right, double *result);
void inverseMassRest(System *system, double *rest); // count x 3: the velocity without exact modes and rigid motion
// J: kinetic energy of the mass that N adds, after substeps; `kept`: of sheets and ropes alone, whose control counts it
// as there
double unresolvedEnergy(System *system, const Stage *stage, bool kept);
bool systemUsesModes(const System *system);
bool systemMovesExactly(const System *system); // every member by its modes
bool systemIsTorn(const System *system);       // some member would, but for its shape
bool systemUsesSmooth(const System *system);   // some member moves by smooth functions in this step
// 1, by which drag resists more than the mass alone: the same for all vertices of a body
double inverseMassDrag(const State *s, const Member *member, const Stage *stage);
double inverseMassMargin(const Member *member); // 1: by which the prefactored majorizer is multiplied

// midpoint_damping.c: damping of strain rates within the solve of a substep
typedef struct ModeGain
{
    double undamped, force, damping; // 1: of forces without damping, with it, of the forces of damping
} ModeGain;
ModeGain modeGain(double square, double h, double beta);         // of w^2, 1/s^2, in a substep of h, damped by beta, s
bool dampingFits(System *system, const Stage *stage);            // false: it needs a pass of its own; sets viscousTime
bool dampingFuses(const System *system, double ahead);           // elements can have it in their gradients
void dampingGradient(System *system, const Stage *stage);        // systemGradient with it
int dampingTurns(System *system, const Stage *stage, int count); // in how many of so many substeps it has to act
bool dampingActs(const System *system, int substep, int count);
double dampingRate(const System *system, const Modal *modal, int mode); // 1/s, of a mode in a substep where it acts
// J, beside forces times displacement; fused: all
double dampingOfModes(const System *system, const Modal *modal, double h, bool fused);
double dampingShare(Member *member, const Stage *stage); // 1: by which the matrix takes the majorizer of damping
// J: v^T (what damping adds to the prefactored matrix) v / 2, of the free vertices
double dampingInMatrix(const System *system, const Stage *stage, const Member *member, const double *velocity);
// J: the same of the whole mass; room: count x 3
double dampingStored(System *system, const Stage *stage, Member *member, const double *velocity, double *room);
// In every substep: forces at the rate (count x 3, N; NULL: fused), with pins; then, where it ended, what they took.
// Around all of them:
void dampingForces(System *system, double *force);
void dampingTake(System *system, const Stage *stage, bool acts, const double *force);
bool dampingLingers(const System *system); // a free body turns much while its strain relaxes
// After the modes were turned for the first substep; returns whether velocities where it begins have changed.
bool dampingBegin(System *system, const Stage *stage);
void dampingEnd(System *system, const Stage *stage); // after the substeps were booked
// Where the energy at the end is known: by how much what was booked puts its target off, J; damping takes so much less.
double dampingSettle(System *system, double excess);

// centripetal.c: the turn of velocities (times h^2/2, count x 3) of bodies that nothing ties and damping in the matrix
// resists, half of it also into their rates; NULL: there are none. Then out of the forces, and into the result
double *centripetalFind(System *system, const Stage *stage);
void centripetalTake(const System *system, const double *field, double *right);
void centripetalGive(System *system, const double *field, double *result);

// damped_rest.c: damping of what is neither rigid nor a mode, in substeps where it acts
bool dampedRestFits(const System *system, const Stage *stage); // some member has so much of it that it needs a solve
// Velocities that no step left, as damping leaves them at once; returns whether there are any.
bool dampedRestStart(System *system, const Stage *stage);
// result = W right, both without exact motion; frozen: dampers are frozen where forces are taken
void dampedRestSolve(System *system, const Stage *stage, double *right, double *result, bool frozen);

// joined_mass.c: the same for members that springs join
void joinedBegin(System *system);
void joinedTurn(System *system, const Stage *stage, const double *position);
void joinedMass(System *system, const Stage *stage, double *right, double *result); // overwrites right
void joinedRest(System *system, double *rest);

// rigid_part.c: fields are count x 3 over the island; the twists are about the centre of the member's frame, made first
RigidFrame rigidFrame(const System *system, const Member *member, const double *position);
RigidFrame rigidFrameWith(const RigidFrame *a, const RigidFrame *b); // of two bodies as one
// momenta about a centre: of a field of forces, or of velocities if `massive`
RigidTwist rigidMomenta(const System *system, const Member *member, Vec3 centre, const double *position,
                        const double *field, bool massive);
RigidTwist rigidOfForces(const System *system, const Member *member, const double *position, const double *force);
RigidTwist rigidOfVelocity(const System *system, const Member *member, const double *position, const double *velocity);
// field += scale times a twist, times the masses if `massive`
void rigidAdd(const System *system, const Member *member, const double *position, double scale, RigidTwist twist,
              bool massive, double *field);
void rigidAddAbout(const System *system, const Member *member, Vec3 centre, const double *position, double scale,
                   RigidTwist twist, bool massive, double *field);

// apart.c: the same for every loose piece of a member that has fallen apart; nothing where `apart` is false
void apartBegin(const State *s, Member *member); // which are loose
void apartTurn(const System *system, Member *member, const double *position);
void apartTakeForces(const System *system, Member *member, double *right); // out of the forces; kept in the pieces
void apartGiveMotion(const System *system, Member *member, double drag, double *result);
void apartRemove(const System *system, const Member *member, const double *position, double *field);
// Velocities with the momenta that each piece has in this motion.
void apartRestore(const System *system, const Member *member, const double *position, const double *velocity);
void apartForgetCouples(Member *member);
// to the velocities; leaves in the member's `couple` what its pieces cannot take, and what giving took in `coupleLoss`
void apartGiveCouples(System *system, Member *member);

// couples.c: the part of a couple (N m s) that a body takes by a spin of its own
Vec3 coupleTaken(const Mat3 *inertia, Vec3 couple);
// What the others leave, as one spin of all bodies that nothing ties. Returns the work of it, J, at the mean of the
// velocities before (count x 3) and after.
double coupleShare(System *system, const double *position, const double *before, Vec3 couple);

// small_steps.c: the step in so many substeps of so many sweeps each, after systemSweepBegin. `weakened` above 0: s,
// the step that compliances are made for instead of a substep's, and multipliers are forgotten between sweeps (pbd.c)
StepReport sweepStep(System *system, double h, const Method *method, int count, int sweeps, double weakened);

// pbd_energy.c: after a step of pbd; what touches gains no energy by it
void pbdKeepEnergy(System *system, double h);

// sweep_contact.c: contacts between bodies in substeps of sweeps, by the same list as the hard law
bool sweepTouches(const System *system); // there may be some in the step
bool sweepTouchReserve(System *system);  // as `reserve`
typedef struct SweepTouch
{
    double from, to; // moments of the step: of the substep
    double recovery; // m/s, at which overlap is parted
    bool between;    // bodies may touch
} SweepTouch;
void sweepTouchStart(System *system, const SweepContext *context, bool first);                     // before the substep
void sweepTouch(System *system, const SweepContext *context, const SweepTouch *touch, bool first); // after a sweep
void sweepTouchEnd(System *system, const SweepContext *context, const SweepTouch *touch); // after velocities are known

// sweep_damping.c: damping between vertices is not for the constraints to take in substeps of h, but for the next,
// after the sweeps of each. Two vectors, count x 3, m/s, go from one substep to the next, what damping changed of the
// velocity and the velocity itself; `first`: they are not known yet
double sweepTime(const Member *member); // s, its damping over its stiffness
bool sweepDampsApart(const System *system, double h);
double sweepLeastDamping(const System *system); // s: in longer substeps some body is damped more; infinite: none is
typedef struct SweepDamping
{
    double h;   // s, the substep
    bool exact; // to rounding
    bool all;   // nothing is taken off for what the substep damps by itself
    bool apart; // damping is taken by this, not by the constraints
    bool first;
    bool ahead; // the change of the last substep acted ahead
    double *change, *earlier;
} SweepDamping;
// What damping changed in the last substep acts once more while constraints are solved: in the first substep, after its
// rows have gone ahead (false: nothing does), and in the others before they go. After a substep: takes that back, and
// damps.
bool sweepDampBegin(System *system, const SweepDamping *damping);
void sweepDampAhead(System *system, const SweepDamping *damping);
void sweepDamp(System *system, const SweepDamping *damping);
// J when the step begins; after every substep; then, when the step of substeps of h is booked: what substeps are
// thought to damp by themselves is dissipated as far as the energy is gone
double sweepLedgerBegin(System *system);
void sweepLedgerSubstep(System *system, const SweepDamping *damping);
void sweepLedgerEnd(System *system, double h, double before);

// energy_control.c: once the step is taken in substeps that took forces so far `ahead` (1: in their middle); may move
// position and velocity, or take it again in more of them
void controlEnergy(System *system, Stage *stage, int *count, double ahead, const Method *method, StepReport *report);
int controlLevel(const System *system);                  // doublings of substeps that it asks for, or WITHOUT_MODES
bool memberIsTied(const State *s, const Member *member); // pins or springs hold it in space
// lying.c: sheets lay still in the last steps; what is to be remembered of that when a step is done
bool systemLies(const System *system);
void lyingWatch(System *system);
// modal_control.c: J, by which it changed the energy of an island with modes; `excess` over the target
double controlGroups(System *system, double excess, double tolerance, bool returns);
double controlAhead(const System *system); // what the control asks of this step, 1 at first

// The same for methods that take forces at several moments: work is one more unknown of the method, whose derivative is
// gain or loss. bookMoment asks for them, bookAdd books `seconds` of them, bookSettle lets friction move on, given
// `stage`.
void bookClear(System *system);
void bookMoment(System *system, const double *point, const double *velocity, double fraction, double h);
void bookAdd(System *system, double seconds);
void bookSettle(System *system);
void bookSettleSubsteps(System *system); // after substeps in which it did not
void bookSettleBetween(System *system);  // with forces taken half way between start and position

// history.c: a ring of `slots` entries of one vector or more in step->past (vector `which` of entry j, newest first, at
// which * slots + ring place), one slot of which is free for the step under way; the rest is in HistoryRecall
int historyCount(const System *system, double h); // of the shortest member, with steps of h; 0 for h: of any
double *historyVector(const System *system, const Member *member, int slots, int entry, int which);
double *historyFree(const System *system, const Member *member, int slots, int which);
void historyPush(Member *member, int slots, double h, double gain, double loss);
void historyStore(System *system, int slots, const double *first, const double *second); // into the free slot
// x += weight times the first vector of an entry, v likewise the second
void historyAdd(System *system, const Member *member, int slots, int entry, double weight, double *x, double *v);
// the implicit stage x = from + c v, v = velocity + c a of a step of h, and the moment of booking at its end
SolveReport historySolve(System *system, double h, double c, const Method *method, double *from,
                         const double *velocity);

// division.c: substeps within substeps, with room of the caller's; friction waits until the whole is done
typedef struct Division
{
    double *start, *startVelocity, *pinTarget; // of the whole
    double from, to;
    bool unsettled;
} Division;

Division divisionOpen(System *system, double *const room[3]);
void divisionBegin(System *system, const Division *whole, int index, int count);
void divisionEnd(System *system); // the next one starts where this one ended
void divisionClose(System *system, const Division *whole);

// A whole step in parts, for callers who do something between them.
typedef struct Divided
{
    Division whole;
    StepReport sum;
    double target; // J, IslandStep.target of the whole
} Divided;

void dividedSpare(System *system, const Integrator *integrator); // before: the past of methods that have one
Divided dividedOpen(System *system, double *const room[3]);
void dividedPart(System *system, double h, const Method *method, Divided *divided, int index, int count); // h: of all
void dividedNext(System *system); // what the part did is booked, and the next one starts where it ended
void dividedClose(System *system, const Divided *divided);
// the whole step's velocities of pins, its stage, friction
void dividedSettle(System *system, double h, const Integrator *integrator);

// One step by backward Euler in 1, 2 ... `columns` substeps, extrapolated to that order: how multistep methods start.
#define START_ROOM 5
int startColumns(const Multistep *table);
StepReport extrapolatedStart(System *system, double h, const Method *method, int columns,
                             double *const room[START_ROOM]);

// energies keep what they kept when the step began
void rewindEnergies(System *system);

// Halves steps until the solver converges.
StepReport divideStep(System *system, double h, const Method *method);
void divisionRecall(System *system, const Integrator *integrator); // the past as before divideStep
// in so many substeps, whether solvers converge or not
StepReport divideInto(System *system, double h, const Method *method, int count);

// impact.c: 1/s, the fastest vertex on the springs of what it is near to, sqrt(k / m); vertices meet something with an
// energy that matters beside this share of the energy of motion (needs systemSetExternal); substeps that `divides`
double fastestContact(const System *system);
bool contactsHit(System *system, double h, double tolerance);
int impactSubsteps(System *system, double h, double tolerance);

// One explicit Runge-Kutta step; room: 2 vectors a stage.
StepReport rungeKuttaStep(System *system, double h, const Tableau *tableau, double tolerance, double *const *room);

// Newmark's explicit member, beta = 0; gamma = 1/2: Verlet.
StepReport verletStep(System *system, double h, double gamma, double *acceleration);

// rigid_motion.c: of the free vertices [begin, end) with these positions and velocities
RigidMotion rigidMotion(const State *s, const double *position, const double *velocity, int begin, int end);
RigidMotion rigidMotionWith(const RigidMotion *a, const RigidMotion *b); // of both together
double rigidMotionEnergy(const RigidMotion *motion);                     // J

// shrink.c: velocities less a share of what they are beside a rigid motion; return the kinetic energy of that before,
// J. Of some vertices; of each body beside its own, of what is pinned beside none; of the island with the rigid bodies
// that nothing else touches, beside that of all, or beside none where pins or scenery take momentum
double shrinkBeside(State *s, int begin, int end, const RigidMotion *motion, double share);
double shrinkBodies(System *system, double share);
double shrinkIsland(System *system, double share);
// by so much that an excess is gone, J, and by at most a share of its energy; returns what was taken
double shrinkBy(System *system, double (*shrink)(System *, double), double excess, double most);
bool meetsScenery(const System *system);        // a collider that is no rigid body's pushed in the step
Vec3 spinOf(const Mat3 *inertia, Vec3 angular); // the least one that has the angular momentum
Mat3 inertiaOf(const double moments[6]);        // from second moments of mass: xx yy zz xy xz yz, kg m^2

static inline void momentsAdd(double moments[6], double mass, Vec3 r)
{
    Vec3 m = vecScale(mass, r);
    moments[0] += m.x * r.x;
    moments[1] += m.y * r.y;
    moments[2] += m.z * r.z;
    moments[3] += m.x * r.y;
    moments[4] += m.x * r.z;
    moments[5] += m.y * r.z;
}

// balance.c: J, by the columns of the ledger, moving targets where systemSetFraction put them
typedef struct Balance
{
    double kinetic, elastic, gravity, contact;
} Balance;

Balance balanceAt(System *system, const double *position, const double *velocity);
Balance balanceStored(System *system, const double *position); // without the kinetic one
void balanceAdopt(System *system); // the step goes on from where the last of these was asked for: elements start there

static inline double balanceTotal(const Balance *b)
{
    return b->kinetic + b->elastic + b->gravity + b->contact;
}

double controlTarget(const System *system); // J, what the accounts of the step under way say
// modal_control.c
bool controlIsFree(const System *system); // nothing holds any body of the island, nothing can touch it in this step
// J, that the tolerance of controlGroups is a share of
double controlBand(const System *system, const Balance *balance, double swing);

// watch.c: for methods that watch their energy, between the solve and the ledger. state->position is the end of the
// step.

// J by which a state misses the target, if the step ended there: what the caller added and damping took on the way
// included. Overwrites rate and gradient of the state.
typedef struct Watch
{
    double error;    // J, total less target
    double added;    // J, by the caller
    Balance balance; //
} Watch;

Watch energyWatch(System *system, double h, const double *velocity);
// state->stage, at `middle` (count x 3), and rate, without touching the place where a stage keeps its own
void watchMiddle(System *system, double h, double *middle);
double addedBy(System *system, double h);      // J, of it what the caller added
double dissipatedBy(System *system, double h); // J, what damping took, by state->rate

// J, the energy of motion that tolerances are shares of: kinetic, elastic and contact energy where the step began, not
// below what external forces can do in a step, nor below a thousandth of the most that damping has left since it was
// there
double motionScale(System *system, double h);
double energyRounding(const System *system, double h,
                      const Balance *balance); // J, cannot be told from zero; h of a (sub)step
void watchClose(System *system, const Balance *end, StepReport *report); // keeps and reports what the step ended with

// printed.c: the paper's step as printed. Room: 4 vectors
StepReport printedStep(System *system, double h, const Method *method);

// energy_scale.c: what a step missed of the target, by scaling the motion of members that are not free; the first is
// false where they have too little of it
bool returnLoss(System *system, Watch *watch, StepReport *report);
void takeGain(System *system, Watch *watch);

// overdamped.c: stops what strain damping stops within a step, once it was booked; J, that it took. Room: 2 vectors
#define OVERDAMPED_SHARE 0.2
double memberKinetic(const State *s, const Member *member, const double *velocity); // J, of what is not pinned
double stopOverdamped(System *system, double h, double *const room[2]);
// free_directions.c: symmetric matrices of 3 x 3, one of a vertex, that take from a velocity what contacts or pins hold
#define FREE_ROOM 4 // vectors
typedef struct FreeDirections
{
    double *diagonal, *beside;         // count x 3: entries xx yy zz, and yz zx xy
    double *softDiagonal, *softBeside; // likewise, N/m: of contacts that hold nothing
    bool all;                          // only pins hold anything
    bool joined;                       // bodies hold each other
} FreeDirections;
void freeDirectionsFind(System *system, double h, FreeDirections *free); // and Krylov.held and .slides of the members
Vec3 freeDirectionsTake(const State *s, const FreeDirections *free, int v, Vec3 u);
// force += what soft contacts and joints do to displacements; all count x 3
void freeDirectionsPull(const System *system, const FreeDirections *free, const double *u, double *force);
// joint_directions.c: what holds bodies to each other, and the groups of members that are held so (Krylov); begins what
// freeDirectionsFind goes on with. Then of velocities (count x 3) what everything leaves free, and what soft joints do
// to displacements
void jointDirectionsFind(System *system, double h, FreeDirections *free);
void jointDirectionsTake(System *system, const FreeDirections *free, double *u);
void jointDirectionsPull(const System *system, const FreeDirections *free, const double *u, double *force);
// vibration_damping.c: what vibrations lose beyond what the mean velocity of the step loses, booked; J
double dampVibrations(System *system, double h, double *const room[VIBRATION_ROOM + FREE_ROOM]);

// resolve.c: substeps of methods that blend, and what the blend of a step says about the next ones
int resolveSubsteps(System *system);
bool resolveTouches(System *system, const double *position, double fraction); // something, with targets there
void resolveWatch(System *system, double alpha);

// spin_frame.c: the step of free bodies in a frame that turns with them
#define SPIN_FRAME_ROOM 4 // vectors
typedef struct SpinFrame
{
    double h;
    bool open;
    double *start, *startVelocity, *previous; // those of the world while it is open
} SpinFrame;

int spinSubsteps(System *system, double h, const Method *method); // in which free bodies turn little enough
// Needs momentumBegin; false: nothing turns.
bool spinFrameOpen(SpinFrame *frame, System *system, double h, double *const room[SPIN_FRAME_ROOM]);
void spinFrameClose(SpinFrame *frame, System *system); // position and velocity are the world's again
// velocity += sign x that of the frame at x; both count x 3
void spinFrameCarry(const System *system, const double *x, double sign, double *velocity);
// velocity += h x what the frame's turn does to a body, taken at start + share x displacement
void spinFrameDraw(const System *system, double h, double share, const double *displacement, double *velocity);
// the same and `extra` (count x 3) in state->inertial, of a stage at this share of the step; returns the largest
// change over the body's size
double spinFrameInertia(System *system, double h, double share, const double *displacement, const double *extra);

// mode_pace.c: the lowest modes of free bodies at their own frequencies. Needs momentumBegin; false: of none
bool modePaceBegin(System *system, double h, const Method *method);
bool modePaceStop(System *system); // in this step; false: there was none
// extra += what that adds to the inertial guess, count x 3 each; the displacement becomes the one foreseen
void modePaceInertia(System *system, double h, double *displacement, double *extra);
// velocity += scale x the same of the displacement to state->position
void modePaceVelocity(System *system, double scale);

Vec3 spinFrameBack(const Member *member, Vec3 a); // a vector as the frame sees it half a step later
void spinFrameWorld(const System *system, double *start, double *end); // x_n and x of members that turn; count x 3 each

// A step that began as a stage of its own, v_0 = a (x_0 - x_n) + b v_n, and may be taken towards another end.
typedef struct Blend
{
    double h, a, b;         // of the start: v = a (x - x_n) + b v_n, in the frame that a member turns with
    SpinFrame frame;        // of members that turn
    bool paced;             // modes of some member keep their pace
    bool keepsMomentum;     // of loose members: every place on the line counts with the momenta that it must have
    const double *start;    // count x 3
    const double *velocity; // count x 3: of the start
    double kinetic[3];      // J, by powers of alpha
    double inertia[2];      // kg m^2: (x_0 - y)^T M d and d^T M d, y the inertial guess, d the displacement
    double added[2];        // J, at both ends
    double error[2];        // J, at both ends; the second NaN: not known
    double slope, curve;    // J, foreseen: what the error has of alpha and alpha^2; NaN: nothing is
    Balance balance;        // where the error was last asked for
    int evaluations;        // of the error, so far
    bool keepsTouching;     // likewise both ends, of members that touch only each other
} Blend;

// The line from `start` (count x 3) and `velocity` there to state->position and state->velocity; of both ends, what the
// caller added on the way there and the errors. Leaves the displacement in state->direction, overwrites state->rate.
void blendStart(Blend *blend, System *system, const double *start, const double *velocity, const double error[2],
                const double added[2]);
void blendDisplacement(Blend *blend, const System *system,
                       const double *start); // `inertia` of the displacement to state->position
// J, what the potentials have of alpha and alpha^2, nearly
void blendPredict(Blend *blend, const System *system, double along, double bend);
// alpha with e near 0; NaN: there is none, then error[1] is known
double blendSearch(Blend *blend, System *system, double tolerance);
void blendTake(const Blend *blend, System *system, double alpha); // position, velocity

// momentum.c: linear and angular momentum of each member follow the outer forces, by a rigid motion added to the
// velocity
bool memberIsPinned(const State *s, const Member *member);
bool memberIsHeld(const Member *member);             // by attachments or contacts, pins aside
bool memberIsFree(const System *system, int member); // nothing holds it, nothing can touch it in this step
// of a member and those that springs join to it, as one rigid body; 0: it is not the first of them, or something holds
// or can touch one. Under small-midpoint alone
RigidMotion looseMotion(const System *system, int first, const double *position, const double *velocity);
// of members that are not free, as one rigid body; 0: something holds one of them in space
RigidMotion touchingMotion(const System *system, const double *position, const double *velocity);
// the same for the momenta of members that are not free, together; J, by which their kinetic energy grew
double correctTouching(System *system, double h);
double correctIsland(System *system, double h); // and of all members
// and of all members with rigid bodies, where these alone touched them: what they gave is known
double correctMet(System *system, double h);
// Around impulses of rigid bodies, and once they are known, before the bodies move on: in the end members that are not
// pinned have the angular momentum that these say.
void metBegin(System *system);
void metGiven(System *system);
void metEnd(System *system);
bool momentumBegin(System *system, vvMomentum momentum); // which members are loose in this step; false: none
// of loose members, what the momenta must be if the step ends at state->position; into turning, at this end of a blend
void momentumWanted(System *system, double h, int end);
void correctMomentum(System *system, double h); // of loose members; needs the momenta wanted at end 0
// of loose members: by the motion that is missing, for so long; returns the largest angle, rad
double turnPositions(System *system, double h, int end, double seconds);
double trimVibration(System *system,
                     double most); // J: takes up to so much from what is not rigid motion of loose members
// an error within the tolerance, out of the vibrations of a free body; `kept` false: the step was blended
void settleVibration(System *system, Watch *watch, bool kept);

// turning.c: the energy that a blend has once momenta are corrected
void turningStart(const Blend *blend, System *system);     // given state->direction
double turningKinetic(const System *system, double alpha); // J, what correcting adds to the kinetic energy there

// spectrum.c: the share of the kinetic energy in motion as short as the mesh, for StepReport.spectrum
double spectrumShare(System *system, const double *position, const double *velocity);

// Damps what is not rigid motion of each member, over h, and books it; once the velocity of the step is known.
void dampNonRigid(System *system, double h);

#endif
