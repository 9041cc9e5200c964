// The sweep of XPBD (Macklin 2019, Algorithm 1): every element is a constraint with a compliance, solved one after the
// other at once (Gauss-Seidel). A plan says in which order, and holds what kernels read in that order.
//
// Order. A body's vertices are cut into ranges (patches); elements within one range are the first phase, those across a
// cut the second, where ranges are shifted by half. Patches of a phase share no vertex: they may run at the same time,
// and the bits do not depend on who runs them. Within a patch elements are sorted by colour: elements of a colour share
// no vertex, LANES of them are one batch. The order is the same on one thread: mesh order feeds energy into stiff
// cloth.
#ifndef ENERGY_SWEEP_H
#define ENERGY_SWEEP_H

#include "energy/energy.h"

struct SweepContext
{
    double h;             // s, the substep
    double share;         // 1: of the world's step, h over it; moving targets go so far
    double part;          // 1: likewise, of the step that is taken; pins go so far
    double clear;         // m: how much of the overlap at the start of the step contacts have pushed out by now
    double slow;          // m/s: slower than this nothing rebounds
    Vec3 origin;          // m: rows are relative to it, so that they round little far away
    double *row;          // vertexCount x 4: x y z, 1/kg (0: cannot move)
    const double *before; // vertexCount x 4: rows when the substep began
    bool once;            // one sweep a substep, and multipliers are not forgotten
    bool again;           // not the first iteration of the substep: multipliers go on
    bool forgets;         // multipliers do not: they begin at 0 in every iteration (pbd)
    bool keep;            // multipliers are needed later
    bool backward;        // the other way round
    bool jacobi;          // plans that can: all elements from the same rows, what they do into slots
};

// J, summed over substeps
typedef struct SweepWork
{
    double added, dissipated;
} SweepWork;

// Of the corners of an element, 1/kg.
//
// One sweep leaves a material soft. At rest under a load, with multipliers l and A = J M^-1 J^T = D + L + L^T in the
// order of the sweep, (D + compliance + L) l = -C(x~) and J^T l = -h^2 f give C(x) = -compliance l + L^T l, exactly:
// what elements later in the order undo. Where no load acts A l = 0, so that on the whole L^T l is -D l / 2: an element
// is softer by half of its own D, the square of the Courant number. So it is swept with K' = K + K O K instead of its
// stiffness K (over h^2), O being D by the masses of `overlap`: softness of the fourth order is left, and K' is harder
// than K but never hard, so that it is as stable as any stiffness is. Corners that nothing else holds are undone by
// none.
typedef struct SweepMass
{
    double inverse[MAX_CORNERS];
    double overlap[MAX_CORNERS]; // half the inverse; 0: nothing else holds it, or there are more sweeps
} SweepMass;

struct SweepKind
{
    int rows;          // multipliers of an element
    int constantCount; // numbers that kernels read of an element; 0: there is no plan

    bool pairs;  // springs: constants as of PairConstant, kernels read PairBatch
    bool splits; // can be swept by Jacobi's iteration: kernels read no masses but to push with

    // what depends on step, masses and params
    void (*constants)(const Energy *energy, int element, const SweepMass *mass, double h, double *out);

    const struct SweepKernels *const *kernels; // by instruction set, for functions of kernels.c; NULL: none

    // batches [begin, end) of a plan
    void (*batches)(SweepPlan *plan, const SweepContext *context, int begin, int end);

    // Batches [begin, end) after the sweeps of a substep: J that the damping of their constraints took over the
    // displacement of the whole substep, beta h dC/dt K dC/dt, added to `taken`. Not over the displacement that is left
    // when an element is solved: what later ones undo is no motion, and of a body at rest under its weight it would be
    // a loss without end. NULL: has no damping
    void (*losses)(SweepPlan *plan, const SweepContext *context, int begin, int end);

    // kinds without a plan, whose elements come and go: one after the other
    void (*begin)(Energy *energy); // before the substeps of a step; NULL: nothing to do
    void (*elements)(Energy *energy, const SweepContext *context, SweepWork *work);

    // Kinds without a plan, before a substep of one sweep, when rows have gone ahead: half of what they did in the last
    // one. The sweep finds them last, so that other elements know nothing of what they do, and are softer by half of
    // it, while they are harder themselves (SweepMass: L has no mean of zero where one kind is always the last). With
    // half ahead both are what they mean. NULL: nothing
    void (*start)(Energy *energy, const SweepContext *context, bool first);

    // kinds without a plan: N on the corners in the last substep. NULL: one corner, and its multipliers are the force
    void (*forces)(const Energy *energy, int element, Vec3 *out);

    // at the end of a substep, when velocities are (row - before) / h: changes `before`. NULL: does not
    void (*rebound)(Energy *energy, const SweepContext *context, double *before, SweepWork *work);
};

#define SWEEP_PHASES 2

struct SweepPlan
{
    Energy *energy;
    int batchCount;
    int patchCount[SWEEP_PHASES];
    int length;               // vertices of a patch of the first phase: patch k has those from k length on
    int *patch;               // sum of patchCount + 1: first batch of each, the second phase behind the first
    int *element;             // batchCount x LANES; unused lanes repeat the last: in its vector they store what it does
    unsigned char *used;      // batchCount: lanes that are not such; vectors without any are left out
    int *vertex;              // batchCount x corners x LANES
    double *constant;         // batchCount x constantCount x LANES
    struct PairBatch *pair;   // batchCount; NULL: not springs
    double *kept;             // batchCount x keptCount x LANES: of the energy, in this order
    double *lambda;           // batchCount x rows x LANES, times h^2
    double *taken;            // batchCount x LANES, J: by damping, in the step under way
    double *held;             // elementCount x corners x 3, N: on the corners in the last substep; NULL: not asked for
    double h, damping;        // what the constants were made for: s, of the damping 0 or not
    unsigned version, masses; //
    unsigned flows;           // of what yields
    unsigned joined;          // of vertices that something else holds
    bool jacobi, once;        //
    float *single;            // batchCount x SINGLE_CONSTANTS x LANES, in single precision; NULL: not asked for yet
};

SweepPlan *sweepPlanCreate(Energy *energy); // NULL: out of memory
void sweepPlanDestroy(Memory *memory, SweepPlan *plan);

// How the elements of a step are swept.
typedef struct SweepManner
{
    double h;        // s, that compliances are made for
    unsigned masses; // counts changes of the inverse masses, above 0
    bool once;       // one sweep a substep, see SweepMass
    bool damped;     // by the energy's own damping
    const double
        *joined; // vertexCount: above 0 where something between bodies holds the vertex too; NULL: nothing does
    // Jacobi's iteration splits masses: a vertex with n elements counts n w in the denominators and moves by w;
    // averaging the moves instead would divide the stiffness by n at every step
    bool jacobi;
} SweepManner;

// Before the substeps of a step: constants, if something they depend on changed, and what the energy keeps. Then after
// them: back into the energy. Returns J that damping took.
void sweepPlanLoad(SweepPlan *plan, const double *row, const SweepManner *manner);
double sweepPlanStore(SweepPlan *plan);

// after all elements of a plan under `jacobi`: rows of the vertices [begin, end) take what is in the slots
void sweepGather(const SweepPlan *plan, double *row, int begin, int end);

// Springs in single precision: rows are displacements since the start of the step, see spring_single_kernels.c. Load:
// after sweepPlanLoad, with the rows of the start.
typedef struct SweepSingle
{
    float *row; // vertexCount x 4: m, 1/kg
    bool again, keep, backward;
} SweepSingle;

bool sweepSingleReserve(SweepPlan *plan); // false: out of memory
void sweepSingleLoad(SweepPlan *plan, const double *row);
void sweepSingleBatches(SweepPlan *plan, const SweepSingle *context, int begin, int end);

// Numbers of rows as a substep begins, whole rows: row, before = 2 row - before + pull, row
void sweepAhead(Isa isa, double *row, double *before, const double *pull, ptrdiff_t count);
void sweepSingleAhead(Isa isa, float *row, float *before, const float *pull, ptrdiff_t count);

// batches [begin, end) of a plan; everything once in its order, by the calling thread
void sweepPlanBatches(SweepPlan *plan, const SweepContext *context, int begin, int end);
void sweepAll(SweepPlan *plan, const SweepContext *context);

// Forces of single elements. Multipliers do not tell them: they acted along gradients of the moment when they were
// found. Reserve or let go the room in which sweeps leave them; false: out of memory.
bool sweepHold(SweepPlan *plan, bool hold);
void sweepForces(const Energy *energy, int element, Vec3 *out); // of a kind with a sweep; 0 where nothing was held

// ---- inside the room ------------------------------------------------------------------------------------------------

typedef struct SweepKernels
{
    void (*batches)(SweepPlan *plan, const SweepContext *context, int begin, int end);
    void (*losses)(SweepPlan *plan, const SweepContext *context, int begin, int end); // NULL: not by a kernel
} SweepKernels;

typedef struct SingleKernels
{
    void (*batches)(SweepPlan *plan, const SweepSingle *context, int begin, int end);
} SingleKernels;

typedef struct RowKernels
{
    void (*ahead)(double *row, double *before, const double *pull, ptrdiff_t count);
    void (*aheadSingle)(float *row, float *before, const float *pull, ptrdiff_t count);
} RowKernels;

static inline const int *batchVertices(const SweepPlan *plan, int batch)
{
    return plan->vertex + (ptrdiff_t)batch * plan->energy->kind->corners * LANES;
}

static inline const double *batchConstants(const SweepPlan *plan, int batch)
{
    return plan->constant + (ptrdiff_t)batch * plan->energy->kind->sweep->constantCount * LANES;
}

static inline double *batchLambda(const SweepPlan *plan, int batch)
{
    return plan->lambda + (ptrdiff_t)batch * plan->energy->kind->sweep->rows * LANES;
}

static inline double *batchKept(const SweepPlan *plan, int batch)
{
    return plan->kept + (ptrdiff_t)batch * plan->energy->kind->keptCount * LANES;
}

// multipliers of one element of the energy: row r at [r * LANES]
static inline double *elementLambda(const Energy *energy, int element)
{
    return energy->lambda + (ptrdiff_t)(element / LANES) * energy->kind->sweep->rows * LANES + element % LANES;
}

// compliance of a stiffness over h^2; none for an infinite one
static inline double sweepCompliance(double stiffness, double h)
{
    return isinf(stiffness) ? 0 : 1 / (stiffness * h * h);
}

// 1, over the substep: the damping of a constraint, of which `time` s are asked for. The substep is backward Euler's,
// which damps by as much as h s of it would, so that this much is taken off.
static inline double sweepGamma(double time, double h)
{
    return time > h ? time / h - 1 : 0;
}

// compliance with which one sweep is as stiff as `compliance` means: 1/K' of SweepMass; `overlap`: O
static inline double sweepSharpened(double compliance, double overlap)
{
    return compliance > 0 ? compliance * compliance / (compliance + overlap) : compliance;
}

#endif
