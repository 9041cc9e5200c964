// Elements that yield: beyond a stress their rest shape moves for good (plasticity). The rest shape is a range of
// params that a kind names, state of a batch that yields and constants of one that does not; kernels, Hessians and
// sweeps read them as they are.
//
// Flow follows the step (operator split): a (sub)step is elastic, with the rest shape as it was; then every element
// whose stress lies beyond its yield stress returns to it where it is (return mapping). Positions and velocities stay,
// so momenta do; what the energy falls by is dissipated.
#ifndef ENERGY_YIELD_H
#define ENERGY_YIELD_H

#include "energy/energy.h"

struct YieldKind
{
    int first, count; // params that move; of tets and triangles the inverse of the rest edges

    // The majorizer hangs on them, by their product with their transpose: it is made of YIELD_BOUND params instead,
    // which follow in leaps.
    bool bounds;

    // fills threshold, hardening and limit
    void (*prepare)(Energy *energy, const Recipe *recipe);

    // whether an element of this energy, J, may be beyond its threshold: a quick bound. NULL: any may
    bool (*may)(const Energy *energy, int element, double value);

    // one element after a (sub)step that ended at x: moves its params by this share of what takes it back to its
    // threshold; false: it does not flow
    bool (*flow)(Energy *energy, const double *x, int element, double share);

    // tets and triangles: derivatives of the energy of an element by its principal stretches, Pa, given its params
    void (*slopes)(const double *params, const double *stretch, double *out);
};

struct Yield
{
    Memory *memory;
    double rate;       // 1/s, at which what is beyond the threshold flows; INFINITY: at once
    double hardening;  // of the threshold, by the accumulated flow
    double limit;      // of the flow away from the rest shape, in the unit of flow; INFINITY: none
    double ratio;      // of kinds with two thresholds: the second over the first
    double thickness;  // m, of triangles
    double *threshold; // blockCount x LANES: Pa of tets and triangles, strain of springs, angle of hinges and rods
    double *strain;    // blockCount x LANES: accumulated flow: log strain, of hinges and rods the angle. State
    double *rest;      // blockCount x count x LANES: the params as they were made
    double *bound;     // the same: those that the majorizer is made of. State; NULL: it does not hang on them
    double *marked;    // blockCount x (count + 1) x LANES: params and strain at the mark
    unsigned flows;    // counts changes of the params
    unsigned checked;  // flows when yieldFollow last looked
};

// in energyCreate, after `prepare`; false: out of memory
bool yieldCreate(Energy *energy, const Recipe *recipe);
void yieldDestroy(Yield *yield);
void yieldMark(Energy *energy);
void yieldRewind(Energy *energy);
void yieldAssign(Energy *energy, const Energy *other);   // constants
uint64_t yieldHash(const Energy *energy, uint64_t hash); // of the state

// Blocks [begin, end) after a (sub)step of so many seconds that ended at x: J that each element lost into
// energy->value. After all of them, yieldBook: their sum. After a whole step the majorizer follows.
void yieldFlowBlocks(Energy *energy, const double *x, double seconds, int begin, int end);
double yieldBook(Energy *energy);
void yieldFollow(Energy *energy);

double *yieldParams(const Energy *energy, int block); // those that move: count x LANES

// The params that move of one block, as they were made, for as long as something is asked of the rest shape; `room`:
// YIELD_MOST x LANES.
#define YIELD_MOST 9
void yieldEnterRest(Energy *energy, int block, double *room);
void yieldLeaveRest(Energy *energy, int block, const double *room);

static inline bool yieldMoves(const Energy *energy, int param) // it is state, of this batch
{
    const YieldKind *kind = energy->kind->yields;
    return energy->yield != NULL && param >= kind->first && param < kind->first + kind->count;
}

static inline double yieldNow(const Yield *yield, int element) // threshold with hardening
{
    return yield->threshold[element] + yield->hardening * yield->strain[element];
}

// ---- inside the room ------------------------------------------------------------------------------------------------

double *yieldBound(const Energy *energy, int block); // params that the majorizer is made of: count x LANES

static inline double growthOver(double x) // exp(x), without libm
{
    return x > 0 ? 1 / decayOver(x) : decayOver(-x);
}

extern const YieldKind corotatedYield, neoHookeanYield, triangleYield, springYield, hingeYield, rodYield;

#endif
