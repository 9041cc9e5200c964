// The squared spring of Dinev 2018, Eq 7: smooth everywhere and not convex. The paper writes k/2 (|d|^2 - 1)^2 with
// l = 1; here it is k/(8 l^2) (|d|^2 - l^2)^2, so that k is the stiffness at rest in N/m at every length (the paper's
// k is a quarter of ours).
#include "energy/pair.h"
#include "energy/yield.h"

static PairPoint squaredLaw(const double *param, double r)
{
    double l2 = param[LANES] * param[LANES];
    double scale = param[0] / (2 * l2), stretch = r * r - l2;
    double ratio = scale * stretch;
    return (PairPoint){ 0.25 * scale * stretch * stretch, ratio * r, ratio, scale * (3 * r * r - l2) };
}

static void squaredValues(Energy *energy, const double *x, int begin, int end)
{
    pairValues(energy, x, begin, end, squaredLaw);
}

static void squaredGradient(Energy *energy, const double *x, int begin, int end)
{
    pairGradient(energy, x, begin, end, squaredLaw);
}

static void squaredHessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    pairHessian(energy, x, block, mode, out, squaredLaw);
}

static void squaredLineValues(Energy *energy, double alpha, int begin, int end)
{
    pairLineValues(energy, alpha, begin, end, squaredLaw);
}

// the curvature (3 r^2 - l^2) / (2 l^2) k is 1.5 k at 15 % of stretch
static void squaredMajorizer(const Energy *energy, int block, double *out)
{
    pairMajorizer(energy, block, out, 1.5);
}

static const SweepKernels *const sweeps[ISA_COUNT] = KERNELS_BY_ISA(squaredSpringSweeps);

// k/2 C^2 with C = (|d|^2 - l^2) / (2 l)
static void squaredBatches(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    sweeps[plan->energy->isa]->batches(plan, context, begin, end);
}

static void squaredLosses(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    pairLosses(plan, context, begin, end, true);
}

static const SweepKind squaredSweep = {
    .rows = 1,
    .pairs = true,
    .constantCount = PAIR_CONSTANTS,
    .constants = pairConstants,
    .batches = squaredBatches,
    .losses = squaredLosses,
};

const EnergyKind squaredSpringKind = {
    .name = "squared-spring",
    .traits = TRAIT_INTERNAL | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 2,
    .paramCount = PAIR_PARAMS,
    .lineCount = PAIR_LINE,
    .prepare = pairPrepare,
    .values = squaredValues,
    .gradient = squaredGradient,
    .lineStart = pairLineStart,
    .lineValues = squaredLineValues,
    .hessian = squaredHessian,
    .majorizer = squaredMajorizer,
    .sweep = &squaredSweep,
    .yields = &springYield,
    .describe = pairDescribe,
};
