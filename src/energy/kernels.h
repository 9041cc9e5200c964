// What a kind and its vector kernels share: the table of functions that is compiled once per instruction set and the
// params it reads. In a kernel a lane never looks at its neighbours, so an element has the same bits in every block, at
// every width of the vectors and however blocks are cut into ranges.
#ifndef ENERGY_KERNELS_H
#define ENERGY_KERNELS_H

#include "energy/sweep.h"

typedef struct ElementKernels
{
    void (*values)(Energy *energy, const double *x, int begin, int end);
    void (*gradient)(Energy *energy, const double *x, int begin, int end);
    void (*lineStart)(Energy *energy, const double *x, const double *d, int begin, int end);
    void (*lineValues)(Energy *energy, double alpha, int begin, int end);
    void (*project)(Energy *energy, const double *x, int begin, int end);
    void (*batches)(SweepPlan *plan, const SweepContext *context, int begin, int end); // NULL: in a table of its own
} ElementKernels;

// one block, as EnergyKind.hessian
typedef struct HessianKernels
{
    void (*hessian)(const Energy *energy, const double *x, int block, HessianMode mode, double *out);
} HessianKernels;

// as EnergyKind.freeze
typedef struct FreezeKernels
{
    void (*freeze)(Energy *energy, const double *x, int begin, int end);
} FreezeKernels;

// as EnergyKind.beyondStart and beyondTimes
typedef struct BeyondKernels
{
    void (*start)(Energy *energy, const double *x, HessianMode mode);
    void (*times)(Energy *energy, const double *d);
} BeyondKernels;

// what an element keeps (keptCount numbers at distance LANES), for places that do not move what is kept
typedef struct FitKernels
{
    void (*fit)(const Energy *energy, const double *x, int block, double *kept);
} FitKernels;

// every table of kernels, once per instruction set
#define KERNELS_DECLARE(isa)                                                                                           \
    extern const ElementKernels corotatedKernels_##isa, springKernels_##isa;                                           \
    extern const ElementKernels triangleKernels_##isa, bendingKernels_##isa, edgeLimitKernels_##isa;                   \
    extern const ElementKernels triangleLimitKernels_##isa, tetLimitKernels_##isa;                                     \
    extern const ElementKernels triangleFibreKernels_##isa, tetFibreKernels_##isa;                                     \
    extern const ElementKernels areaKernels_##isa, volumeKernels_##isa;                                                \
    extern const ElementKernels dihedralKernels_##isa, pressureKernels_##isa;                                          \
    extern const ElementKernels exampleKernels_##isa, exampleBlendKernels_##isa;                                       \
    extern const ElementKernels membraneKernels_##isa, springDamperKernels_##isa;                                      \
    extern const ElementKernels membraneDamperKernels_##isa, corotatedDamperKernels_##isa;                             \
    extern const ElementKernels bendingDamperKernels_##isa, dihedralDamperKernels_##isa;                               \
    extern const ElementKernels linearTetKernels_##isa, neoHookeanKernels_##isa;                                       \
    extern const ElementKernels stvkKernels_##isa, mooneyRivlinKernels_##isa, ogdenKernels_##isa;                      \
    extern const ElementKernels muscleKernels_##isa, wovenKernels_##isa, wovenDamperKernels_##isa;                     \
    extern const ElementKernels curveKernels_##isa, triangleCurveKernels_##isa, tetCurveKernels_##isa;                 \
    extern const FitKernels exampleFits_##isa, exampleBlendFits_##isa;                                                 \
    extern const HessianKernels corotatedHessians_##isa;                                                               \
    extern const FreezeKernels springFreezes_##isa, membraneFreezes_##isa, corotatedFreezes_##isa;                     \
    extern const FreezeKernels bendingFreezes_##isa, dihedralFreezes_##isa, rodFreezes_##isa;                          \
    extern const ElementKernels rodKernels_##isa, rodDamperKernels_##isa;                                              \
    extern const ElementKernels smoothedKernels_##isa;                                                                 \
    extern const BeyondKernels smoothedBeyonds_##isa;                                                                  \
    extern const SweepKernels springSweeps_##isa, squaredSpringSweeps_##isa, corotatedSweeps_##isa,                    \
        linearTetSweeps_##isa, neoHookeanSweeps_##isa;                                                                 \
    extern const SingleKernels springSingles_##isa;                                                                    \
    extern const RowKernels rowKernels_##isa;

KERNELS_DECLARE(base)
#if defined(VERVE_ISA_AVX2)
KERNELS_DECLARE(avx2)
#define KERNELS_AVX2(name) &name##_avx2
#else
#define KERNELS_AVX2(name) &name##_base
#endif
#if defined(VERVE_ISA_AVX512)
KERNELS_DECLARE(avx512)
#define KERNELS_AVX512(name) &name##_avx512
#else
#define KERNELS_AVX512(name) &name##_base
#endif

// initialiser of an array by Isa
#define KERNELS_BY_ISA(name)                                                                                           \
    {                                                                                                                  \
        &name##_base, KERNELS_AVX2(name), KERNELS_AVX512(name)                                                         \
    }

// kernels.c: functions of a kind that hand over to its kernels
void kernelValues(Energy *energy, const double *x, int begin, int end);
void kernelGradient(Energy *energy, const double *x, int begin, int end);
void kernelLineStart(Energy *energy, const double *x, const double *d, int begin, int end);
void kernelLineValues(Energy *energy, double alpha, int begin, int end);
void kernelProject(Energy *energy, const double *x, int begin, int end);
void kernelBatches(SweepPlan *plan, const SweepContext *context, int begin, int end);
void sweepKernelBatches(SweepPlan *plan, const SweepContext *context, int begin, int end); // by SweepKind.kernels
void sweepKernelLosses(SweepPlan *plan, const SweepContext *context, int begin, int end);

// fields of a kind that has nothing to add to its kernels, an array by Isa
#define KERNEL_FUNCTIONS(table)                                                                                        \
    .kernels = (table), .values = kernelValues, .gradient = kernelGradient, .lineStart = kernelLineStart,              \
    .lineValues = kernelLineValues

// The sweep of a kind of features, by the batches of its kernels. Multipliers of a row of features: 3; constants: the
// params, 1 / (steep w), compliance over h^2, overlap (SweepMass) as a part of the whole; its majorizer is `steep`
// times w A^T A
#define FEATURE_SWEEP(rowCount, params, itsConstants)                                                                  \
    {                                                                                                                  \
        .rows = 3 * (rowCount), .constantCount = (params) + 3, .constants = (itsConstants), .batches = kernelBatches   \
    }

void featureConstantsPlain(const Energy *energy, int element, const SweepMass *mass, double h, double *out); // steep 1
void featureConstants(const Energy *energy, int element, double steep, const SweepMass *mass, double h, double *out);

// ---- params and what is kept, by kind -------------------------------------------------------------------------------

enum CorotatedParam
{
    TET_VOLUME,
    TET_MU,
    TET_LAMBDA,
    TET_INVERSE, // of the rest edge matrix, 9 numbers row major
    TET_PARAMS = TET_INVERSE + 9,
    TET_LINE = 18,    // F and its change along the line, 9 numbers column major each
    TET_ROTATION = 4, // kept: the quaternion w, x, y, z of the rotation found last
};

enum TriangleParam
{
    TRIANGLE_RATIO = 1, // lambda / 2 mu
    TRIANGLE_EXTRA = 1, // numbers between the weight and the rows
};

enum BendingParam
{
    BENDING_REST = 1, // 1/m, |v| at rest
    BENDING_EXTRA = 1,
    RATE_FROZEN = 2, // of its damper: 9 numbers, the slopes of the rate of curvature in its three rows
    RATE_EXTRA = BENDING_EXTRA + 9,
};

#define RATE_BOUND 1.1 // of the majorizer of the damper over what it bounds at rest

enum LimitParam
{
    LIMIT_LOW = 1, // 1: of a stretch, or of a determinant
    LIMIT_HIGH = 2,
    LIMIT_EXTRA = 2,
};

#define CURVE_POINTS (VV_MAX_CURVE + 1) // with the origin

enum CurveParam
{
    CURVE_STEEP = 1, // 1: the largest slope of stress over young
    CURVE_KNOTS,     // CURVE_POINTS x (strain, stress over young, slope, area under the curve)
    CURVE_EXTRA = CURVE_KNOTS + 4 * CURVE_POINTS - 1,
    TRIANGLE_CURVE_RATIO = CURVE_EXTRA + 1, // lambda / 2 mu; the steepness is over 2 mu, and is that of the majorizer
    TRIANGLE_CURVE_EXTRA = TRIANGLE_CURVE_RATIO,
};

enum MuscleParam
{
    MUSCLE_ACTIVATION = 1, // [0, 1], state
    MUSCLE_GROUP,          // which elements are activated together
    MUSCLE_EXTRA = MUSCLE_GROUP,
};

#define MUSCLE_ROUND 0.04 // e^2: of a stretch, below whose root the force of fibres falls to zero

enum HingeParam
{
    HINGE_STIFFNESS, // J
    HINGE_LOW,       // phi that costs nothing, at least
    HINGE_HIGH,      // and at most
    HINGE_ROWS,      // for the majorizer: two rows of 4 coefficients, and what is added in all directions
    HINGE_PARAMS = HINGE_ROWS + 9,
    HINGE_FROZEN = HINGE_PARAMS, // of its damper: 9 numbers, d phi by the edges
};

enum RodParam
{
    ROD_STIFFNESS,             // J: the larger of bending and twisting stiffness over the length
    ROD_BEND,                  // 1: of bending, over ROD_STIFFNESS
    ROD_TWIST,                 // 1: of twisting
    ROD_TURN,                  // half the turn from the first frame to the second at rest: 9 numbers, row major
    ROD_BOUND = ROD_TURN + 9,  // for the majorizer: 4 rows of 5 coefficients
    ROD_SUMS = ROD_BOUND + 20, // 1: of its rows of sums, over those of differences
    ROD_SIZES,                 // m, at rest: lengths of the segments, distances of the vertices beside them
    ROD_PARAMS = ROD_SIZES + 4,
    ROD_FROZEN = ROD_PARAMS, // of its damper: the rates of the three strains by the edges, 3 x 4 vectors
};

enum PressureParam
{
    PRESSURE,       // Pa
    PRESSURE_REST,  // m^3, the element's volume at rest
    PRESSURE_BOUND, // m, sum of the medians at rest
    PRESSURE_PARAMS,
};

enum ExampleParam
{
    EXAMPLE_COUNT = 1,                                  // examples
    EXAMPLE_STRAINS,                                    // S_k - I, symmetric: xx, yy, zz, yz, xz, xy each
    EXAMPLE_DECAY = EXAMPLE_STRAINS + 6 * MAX_EXAMPLES, // eps
    EXAMPLE_GRAM,                                       // (S_k - I).(S_l - I) + eps (k == l), l <= k, row by row
    EXAMPLE_EXTRA = EXAMPLE_GRAM + MAX_EXAMPLES * (MAX_EXAMPLES + 1) / 2 - 1, // numbers between the weight and the rows
    EXAMPLE_PARAMS = 1 + EXAMPLE_EXTRA + 9,
    EXAMPLE_BLEND = 4,                           // kept: the quaternion of R, then the coefficients
    EXAMPLE_KEPT = EXAMPLE_BLEND + MAX_EXAMPLES, //
    EXAMPLE_LINE = 18,                           // F and its change along the line
    BLEND_TURN = EXAMPLE_LINE,                   // of one blend, where its fit stands: the quaternion, the turn of the
    BLEND_STEP = BLEND_TURN + 4,                 //   next step with c as it is, and by each coefficient
    BLEND_LINE = BLEND_STEP + 3 + 3 * MAX_EXAMPLES,
};

#define VOLUME_ITERATIONS 40 // at most; near rest 4 to 6
#define VOLUME_STILL 2e-16

extern const SweepKind linkSweep; // link_sweep.c

double hingePhi(const Energy *energy, int element, const double *x); // dihedral.c: 2 sin(angle / 2)

// rod.c: the turn from the first frame to the second, false: something has collapsed; and S with S S = turn
bool rodTurn(const Energy *energy, int element, const double *x, Mat3 *turn);
Mat3 rodHalf(const Mat3 *turn);

#define PAIR_PARAMS 2 // weight N/m, rest length m
#define PAIR_LINE 6   // x1 - x0 at the start, and its change

// ---- constants of sweeps --------------------------------------------------------------------------------------------

enum PairConstant
{
    PAIR_LENGTH,     // m
    PAIR_INVERSE,    // kg: 1 / ((1 + gamma) sum of w + compliance)
    PAIR_COMPLIANCE, // 1/kg, over h^2
    PAIR_GAMMA,      // 1, see sweepGamma
    PAIR_TAKEN,      // N/m: damping over the substep, for the ledger
    PAIR_CONSTANTS,
};

// what every sweep reads of a batch, side by side: three lines of the cache
struct PairBatch
{
    double length[LANES], inverse[LANES]; // as above
    int place[2][LANES];                  // of the rows of the ends: 4 x vertex
};

enum SingleConstant
{
    SINGLE_EDGE,                     // 3, m: at the start of the step
    SINGLE_LENGTH = SINGLE_EDGE + 3, // m, of it
    SINGLE_ERROR,                    // m, less the length at rest
    SINGLE_INVERSE,                  // as of pairs
    SINGLE_COMPLIANCE,               //
    SINGLE_CONSTANTS,
};

enum HingeConstant // stiffness, low and high first, as params
{
    HINGE_COMPLIANCE = HINGE_ROWS, // 1 / J, over h^2; below 0: off
    HINGE_OVERLAP,                 // 1, part of the whole (SweepMass)
    HINGE_CONSTANTS,

    ROD_COMPLIANCE = ROD_BOUND, // 1 / J, over h^2, of bending and of twisting; below 0: off
    ROD_OVERLAP = ROD_COMPLIANCE + 2,
    ROD_CONSTANTS,
};

enum TetConstant
{
    CELL_INVERSE,                      // 9: of the rest edge matrix, row major
    CELL_BLOCK = CELL_INVERSE + 9,     // 21: inverse of the 6x6 block, upper triangle by rows
    CELL_COMPLIANCE = CELL_BLOCK + 21, // 3: normal, between normals, shear; over V h^2
    CELL_GAMMA = CELL_COMPLIANCE + 3,  // 1, see sweepGamma
    CELL_TAKEN,                        // 2: V lambda, V mu, times damping over the substep: for the ledger
    CELL_CONSTANTS = CELL_TAKEN + 2,   //
};

enum NeoHookeanConstant
{
    HOOKEAN_INVERSE,                    // 9
    HOOKEAN_REST = HOOKEAN_INVERSE + 9, // 1 + mu / lambda'
    HOOKEAN_VOLUME_COMPLIANCE,          // over V h^2
    HOOKEAN_SHEAR_COMPLIANCE,           //
    HOOKEAN_ACTS,                       // 0: off, or nothing can move
    HOOKEAN_CONSTANTS,
};

#endif
