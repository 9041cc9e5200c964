// The energy room: one potential, one file. An Energy is a batch of elements of one kind, stored in lane blocks; a kind
// is a table of traits and functions. A new material is a new file here and four edits elsewhere
// (docs/materials-own.md); the generic tests then run over it as its traits declare.
//
// Storage. Element e sits in block e / LANES, lane e % LANES; the last block is padded with copies of the last element
// whose weight is 0. The logical width is the same on every machine, so the bits are too. Elements write their gradient
// to slots of their own and vertices gather them in a fixed order: no two elements ever add to the same number, ranges
// of blocks and then ranges of vertices may run as parallel tasks, and the bits do not depend on how they are cut.
#ifndef ENERGY_ENERGY_H
#define ENERGY_ENERGY_H

#include "base/base.h"
#include "base/isa.h"
#include "base/vec.h"

#include <verve/material.h>

#define LANES 8
#define MAX_CORNERS 16 // a vertex and its neighbours

#define MAX_EXAMPLES 4
#define MAX_TERMS VV_MAX_TERMS // of Ogden's law

typedef enum EnergyTrait
{
    TRAIT_INTERNAL = 1,    // zero and force-free at rest, invariant under rigid motion
    TRAIT_PROJECTIVE = 2,  // w/2 |A x - p|^2 with p the nearest point of a set: has `project`
    TRAIT_SWEEP = 4,       // has `sweep` (XPBD)
    TRAIT_DISSIPATIVE = 8, // a potential of the velocity: every `x` below is a velocity
    TRAIT_EXTERNAL = 16,   // linear in x: enters the first guess of an implicit step
    TRAIT_DIAGONAL = 32,   // several corners, but a diagonal majorizer: cheap to change, for elements that come and go
    TRAIT_FREE = 64,   // no force on the whole, though it may not be at rest there (pressure) or resist turns (linear)
    TRAIT_WHOLE = 128, // every range of blocks looks at all of them first: ask for all in one range, not for several
                       //   at the same time
} EnergyTrait;

// Where the ledger puts the value.
typedef enum EnergyColumn
{
    COLUMN_ELASTIC,
    COLUMN_GRAVITY,
    COLUMN_CONTACT,
    COLUMN_NONE, // external forces are booked as work, dissipation as loss
} EnergyColumn;

typedef enum HessianMode
{
    HESSIAN_EXACT,
    HESSIAN_SEMIDEFINITE, // not below the exact one, without negative eigenvalues, element by element
} HessianMode;

typedef struct Energy Energy;

// What elements are made of; each kind reads what it needs.
// The batches of a body before its mesh changed. Elements without a touched corner are the same ones in the same order
// before and after, over vertices that keep their numbers.
typedef struct Former
{
    Energy *const *energy; // count
    int count;
    const bool *touched; // by vertex
} Former;

typedef struct Recipe
{
    const double *rest;           // vertexCount x 3, m
    const double *strength;       // elementCount: spring N/m, attachment N/m, gravity kg, drag kg/s, membrane m
                                  // (thickness), dampers N s/m, s (solids), m s (membranes), tets, triangles and
                                  // bending 1 (a factor of young), dampers of bending s; NULL: 1
    double young, poisson;        // Pa, 1
    double thickness;             // m, of triangles
    const vvLaw *law;             // of large strain; NULL: its defaults
    double bend, twist;           // N m^2, of rods
    double low, high;             // 1: what a limit lets pass; with a direction, along it
    double lowAcross, highAcross; // 1: and across it
    Vec3 direction;               // of the material at rest, any length above 0
    const double *directions;     // elementCount x 3, of each element instead; NULL: the same for all
    Vec3 gravity;                 // m/s^2
    int exampleCount;             // 0 to MAX_EXAMPLES
    const double *const *example; // exampleCount shapes, vertexCount x 3, m
    double viscosity;             // s: damping by this times the stiffness, Macklin 2019, Eq 8; of sweeps alone
    double dashpot;               // N s/m beside every spring, likewise
    // Of kinds that yield (yield.h): Pa, 0: never; Pa; 1/s, INFINITY: at once; 1, INFINITY: none
    double yield, hardening, flowRate, flowLimit;
    const double *yieldFactor; // elementCount, of yield: INFINITY: never; NULL: 1
    const int *unit;           // elementCount, copied; NULL: each element by itself. Of muscles: their groups
    const Energy *twin;        // over the same elements, whose indices serve again; NULL: none. Speed only
    const Former *former;      // whose constants serve again; NULL: none. Speed only, the bits are the same
    Isa isa;                   // instruction set of the kernels: speed only, the bits are the same
} Recipe;

// What an XPBD sweep works on (Macklin 2019, Algorithm 1), see sweep.h.
typedef struct SweepContext SweepContext;
typedef struct SweepKind SweepKind;
typedef struct SweepPlan SweepPlan;

typedef struct Yield Yield;         // what elements that yield have besides their params: yield.h
typedef struct YieldKind YieldKind; // how they do

typedef struct EnergyKind
{
    const char *name;
    unsigned traits;
    EnergyColumn column;
    int corners;    // vertices per element
    int paramCount; // constants per element; number 0 is the weight and 0 switches the element off
    int lineCount;  // numbers cached per element by lineStart
    int stateFirst; // params [stateFirst, stateFirst + stateCount) change while running: snapshots and hashes hold
    int stateCount; //   them
    bool switches;  // steps switch its elements on and off: the state of one that is off counts too
    // numbers per element that gradient and project leave as a start for the next call: state too. At first 1, 0, 0,
    // ...: the identity as a quaternion, then what each kind adds
    int keptCount;
    const struct ElementKernels *const *kernels; // by instruction set, for functions of kernels.c; NULL: none
    bool damps;                                  // gradients can be with damping: Energy.rate
    bool patched;                                // tets whose strains are smoothed over patches (patches.h)
    bool finds;                                  // values and those along lines find the same numbers, for energyAdopt

    bool fills; // prepare writes every constant, values and gradients all of theirs, of whole blocks: none is cleared
    bool local; // prepare looks at each element by itself and fills params and traits alone (inherit.c)

    // fills the params of all elements from rest shape and material
    void (*prepare)(Energy *energy, const Recipe *recipe);

    // at the start of a step or substep, before anything is asked: what depends on where it starts, and what must not
    // follow the unknowns is frozen there (of the rates of an implicit step: in the middle of the displacement ahead).
    // What it writes is no state. NULL: nothing of it
    void (*begin)(Energy *energy, const double *start);
    // the same of blocks [begin, end), of kinds that freeze every element by itself: they have no `begin`
    void (*freeze)(Energy *energy, const double *start, int begin, int end);

    // blocks [begin, end): value per element (J; dissipation W) into energy->value, gradient into energy->slot. Values
    // read what gradient and project keep but leave it alone: asking for the energy never changes a run
    void (*values)(Energy *energy, const double *x, int begin, int end);
    void (*gradient)(Energy *energy, const double *x, int begin, int end);

    // value along x + alpha d: what can be cached first, then one number per element and alpha
    void (*lineStart)(Energy *energy, const double *x, const double *d, int begin, int end);
    void (*lineValues)(Energy *energy, double alpha, int begin, int end);

    // one block: LANES matrices of (3 corners)^2, row major. NULL: the energy is linear
    void (*hessian)(const Energy *energy, const double *x, int block, HessianMode mode, double *out);

    // Second derivatives that reach beyond elements, of kinds whose elements look at each other: after beyondStart,
    // beyondTimes leaves in energy->slot what the whole matrix at x is times d, less what those of the elements by
    // `hessian` are. NULL: elements are all there is, or a bound
    void (*beyondStart)(Energy *energy, const double *x, HessianMode mode);
    void (*beyondTimes)(Energy *energy, const double *d);

    // one block: LANES constant matrices of corners^2; times the 3x3 identity not below the Hessian near rest
    // (projective: w A^T A). NULL: the energy is linear. Diagonal: LANES x corners numbers
    void (*majorizer)(const Energy *energy, int block, double *out);

    // projective: the local step, w A^T p into energy->slot, so that gradient = majorizer x - slot
    void (*project)(Energy *energy, const double *x, int begin, int end);

    // Gauss-Seidel over the elements, multipliers in energy->lambda. NULL: none
    const SweepKind *sweep;

    // J that the caller put in over a step: stage point, displacement of the free vertices. NULL: never any
    double (*work)(const Energy *energy, const double *stage, const double *displacement);

    // once per step, after it: J that the elements took for good, given where the step began, where its forces were
    // taken (NULL: in substeps, while what is kept stood still) and where it ended; moves what is kept from step to
    // step. NULL: nothing of either
    double (*settle)(Energy *energy, const double *start, const double *stage, const double *end);

    const YieldKind *yields; // NULL: its elements never do

    // W that a dissipative energy takes at a velocity; NULL: it is quadratic, twice its value
    double (*power)(const Energy *energy, const double *velocity);

    // one line for an autopsy: vertices, strain, what is odd about this element
    void (*describe)(const Energy *energy, const double *x, int element, char *text, size_t size);
} EnergyKind;

struct Energy
{
    Memory *memory;
    const EnergyKind *kind;
    unsigned traits;  // of the kind, less what these params do not have (corotated is projective for lambda = 0 only)
    int vertexCount;  // of the arrays it is evaluated on
    int elementCount; //
    int blockCount;   // elementCount / LANES, rounded up
    Isa isa;          // of the kernels
    double fraction;  // where moving targets stand within the (sub)step: 0 its start, 1 its end
    bool mean;        // forces are means over the (sub)step instead of those of that moment (contact/press.c)
    double from,
        to; // the fractions of the whole step at which the (sub)step begins and ends: 0 and 1 where it is not divided
    void *context; // of kinds that look beyond their params, or NULL
    // vertexCount x 3, m/s: gradients of kinds that `damps` are with those of their dampers at these velocities, frozen
    // where the gradient is taken and rateTime (s) times as strong as the stiffness; values are then W. NULL: without
    const double *rate;
    double rateTime;
    double viscosity; // s, of sweeps
    double dashpot;   // N s/m, likewise
    unsigned version; // counts changes of weights and constants, for cached matrices; not of state like targets
    bool off;         // its owner knows that no element takes part in the step under way, which leaves it out
    bool idle;        // energyIsIdle at the last look of a system, which leaves it out then
    bool unarmed;     // its maker knows that every element is switched off, as of contacts under the hard law

    int *vertex;      // blockCount x corners x LANES
    double *param;    // blockCount x paramCount x LANES
    double *weight;   // blockCount x LANES: param 0 of the active elements, kept while one is switched off
    double *value;    // blockCount x LANES
    double *slot;     // blockCount x LANES x corners x 3: element by element, a vertex reads 3 numbers in a row
    double *line;     // blockCount x lineCount x LANES
    double *kept;     // blockCount x keptCount x LANES; NULL: keptCount is 0
    double *marked;   // blockCount x keptCount x LANES: kept, as it was at energyMark
    double *found;    // blockCount x keptCount x LANES: what the last values found; NULL: the kind finds nothing
    double *lambda;   // blockCount x rows of the sweep x LANES: multipliers over h^2 of the last substep
    SweepPlan *plan;  // how elements are swept, made when they first are
    int *unit;        // elementCount: elements of one number are swept in a row by one lane; NULL: each by itself
    double *matrices; // LANES x (3 corners)^2: room for a block of second derivatives, for one caller at a time; NULL:
                      // the energy is linear. Not on the stack: a block of 16 corners has 147 KB
    struct Patches *patches; // NULL: the kind has none
    Yield *yield;            // NULL: its elements do not yield
    int *incidenceStart;     // vertexCount + 1; NULL: element i is vertex i
    int *incidence;          // elementCount x corners: (element x corners + corner) of a vertex, elements ascending
};

extern const EnergyKind springKind, squaredSpringKind, corotatedKind, attachmentKind, gravityKind, forceKind, dragKind;
extern const EnergyKind wovenKind, wovenDamperKind, curveKind, triangleCurveKind, tetCurveKind;
extern const EnergyKind membraneKind, springDamperKind, membraneDamperKind, corotatedDamperKind;
extern const EnergyKind bendingDamperKind, wideBendingDamperKind, dihedralDamperKind;
extern const EnergyKind rodKind, rodDamperKind;
extern const EnergyKind triangleKind, bendingKind, wideBendingKind, edgeLimitKind, triangleLimitKind, tetLimitKind;
extern const EnergyKind triangleFibreKind, tetFibreKind, areaKind, volumeKind, dihedralKind, pressureKind, exampleKind;
extern const EnergyKind shapeMatchingKind, exampleBlendKind; // not in the list: they have no exact Hessians
extern const EnergyKind linearKind, neoHookeanKind, stvkKind, mooneyRivlinKind, ogdenKind, muscleKind;
extern const EnergyKind smoothedKind; // not in the list: its second derivatives reach beyond elements
extern const EnergyKind linkKind;     // not in the list: its elements are set by its maker (link.h)

int energyKindCount(void);
const EnergyKind *energyKindAt(int index);
const EnergyKind *energyKindFind(const char *name); // NULL if there is none

// NULL when out of memory. `vertices`: elementCount x corners; NULL for a kind with one corner: element i is vertex i.
Energy *energyCreate(Memory *memory, const EnergyKind *kind, int vertexCount, int elementCount, const int *vertices,
                     const Recipe *recipe);
void energyDestroy(Energy *energy);

// Whether triangles or tets of this law and ratio of Poisson can follow its curve (curve.h).
bool energyHasCurve(const EnergyKind *kind, const Recipe *recipe);

// Other elements for a batch that has room for them (the elementCount it was created with), for kinds whose elements
// come and go. The params of padding are cleared, those of elements are the caller's to set. elementCount may be 0.
void energyReindex(Energy *energy, int elementCount, const int *vertices);

// A batch of its own, still without elements, in the room of another from this block and this vertex on: for batches
// that change their size from step to step. It owns nothing. Of kinds that keep no plan of sweeps, and not for
// energyAddHessianTimes.
Energy energySlice(const Energy *whole, int block, int vertex, int vertexCount);

// inherit.c: the params of all elements from those of recipe->former. False: there is none that fits, or no memory.
bool energyInheritParams(Energy *energy, const Recipe *recipe);

// The constants of another batch of the same kind over the same elements, for a material that changes; what is state
// stays.
void energyAssign(Energy *energy, const Energy *other);

// over.c: the same elements, constants and state over other vertices (`to`: the number of each of the old ones),
// without its context; NULL: out of memory. And the state of one element of a batch of the same kind.
Energy *energyOver(const Energy *energy, int vertexCount, const int *to, const double *rest);
void energyCopyState(Energy *energy, int element, const Energy *other, int source);

double energyValue(Energy *energy, const double *x);                       // J, pairwise sum of the elements
void energyAddGradient(Energy *energy, const double *x, double *gradient); // gradient += dE/dx
void energyAddProjection(Energy *energy, const double *x, double *right);  // right += w A^T p (projective kinds)
void energyLineStart(Energy *energy, const double *x, const double *d);
double energyLineValue(Energy *energy, double alpha);

// The same in pieces, for parallel tasks: blocks [begin, end) of [0, blockCount), then vertices [begin, end) of [0,
// vertexCount) or the sum. Ranges that do not overlap may run at the same time.
void energyGradientBlocks(Energy *energy, const double *x, int begin, int end);
void energyProjectionBlocks(Energy *energy, const double *x, int begin, int end);
void energyGather(const Energy *energy, double *target, int begin, int end); // target += what vertices find in slots
void energyValueBlocks(Energy *energy, const double *x, int begin, int end);
void energyLineStartBlocks(Energy *energy, const double *x, const double *d, int begin, int end);
void energyLineValueBlocks(Energy *energy, double alpha, int begin, int end);
double energySum(const Energy *energy);      // J, pairwise sum of the element values, its shape fixed by blockCount
double energySumLanes(const Energy *energy); // the same lane by lane: a third of the time, and some digits less

void energyAddHessianTimes(Energy *energy, const double *x, HessianMode mode, const double *d, double *result);
void energyAddBlockDiagonal(Energy *energy, const double *x, HessianMode mode, double *blocks /* vertexCount x 9 */);
void energyAddMajorizerTimes(Energy *energy, const double *d, double *result);
double energyWork(const Energy *energy, const double *stage, const double *displacement);
void energyDescribe(const Energy *energy, const double *x, int element, char *text, size_t size);

double energyGetParam(const Energy *energy, int element, int index);
void energySetParam(Energy *energy, int element, int index, double value);
void energySetActive(Energy *energy, int element, bool active);
bool energyIsIdle(const Energy *energy);   // every element is switched off
bool energyIsStored(const Energy *energy); // the ledger's total holds it: pins work against it
bool energyIsDissipative(const Energy *energy);
void energyStartKept(Energy *energy, int block); // what is kept becomes as in a new energy
// Remembers what is kept between calls, and how far elements have yielded: at the start of a step; then back to the
// mark: when a step is undone.
void energyMark(Energy *energy);
void energyRewind(Energy *energy);

// Keeps what the last values found: for whoever goes on from that point. Once for each time that all values were asked
// for.
void energyAdopt(Energy *energy);
uint64_t energyHashState(const Energy *energy, uint64_t hash);

// An element of dihedralKind as a hinge: stiffness in N m; phi = 2 sin(angle/2) is free between low and high.
void hingeSet(Energy *energy, int element, double stiffness, double low, double high);

// ---- inside the room: lane addresses --------------------------------------------------------------------------------

static inline const int *laneVertices(const Energy *energy, int block) // corner c, lane l at [c * LANES + l]
{
    return energy->vertex + (ptrdiff_t)block * energy->kind->corners * LANES;
}

static inline double *laneParams(const Energy *energy, int block) // param p, lane l at [p * LANES + l]
{
    return energy->param + (ptrdiff_t)block * energy->kind->paramCount * LANES;
}

static inline double *elementSlots(const Energy *energy, int element) // corner c, axis a at [3 * c + a]
{
    return energy->slot + (ptrdiff_t)element * energy->kind->corners * 3;
}

static inline double *laneKept(const Energy *energy, int block)
{
    return energy->kept + (ptrdiff_t)block * energy->kind->keptCount * LANES;
}

static inline double *laneFound(const Energy *energy, int block)
{
    return energy->found + (ptrdiff_t)block * energy->kind->keptCount * LANES;
}

static inline double *laneLine(const Energy *energy, int block)
{
    return energy->line + (ptrdiff_t)block * energy->kind->lineCount * LANES;
}

// of an element or of the padding behind the last
static inline double recipeStrength(const Energy *energy, int element, const Recipe *recipe)
{
    return recipe->strength ? recipe->strength[minInt(element, energy->elementCount - 1)] : 1;
}

static inline double energyMoment(const Energy *energy, double fraction) // of a (sub)step, within the whole step
{
    return energy->from + fraction * (energy->to - energy->from);
}

static inline bool energyIsDiagonal(const Energy *energy) // its majorizer: LANES x corners numbers
{
    return energy->kind->corners == 1 || (energy->kind->traits & TRAIT_DIAGONAL);
}

static inline Vec3 laneLoad(const int *vertices, int corner, int lane, const double *x)
{
    return vecLoad(x + 3 * (ptrdiff_t)vertices[corner * LANES + lane]);
}

static inline void laneStore(double *line, int index, int lane, Vec3 value) // numbers [3 index, 3 index + 3) of a line
{
    line[(index * 3 + 0) * LANES + lane] = value.x;
    line[(index * 3 + 1) * LANES + lane] = value.y;
    line[(index * 3 + 2) * LANES + lane] = value.z;
}

#endif
