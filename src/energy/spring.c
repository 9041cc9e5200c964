// Hooke's spring, k/2 (|d| - l)^2 with d = x1 - x0. It is the projective energy k/2 |d - p|^2 with p the nearest point
// of the sphere of radius l (Bouaziz 2014, section 3; Liu 2013): the minimum over p is Hooke's law exactly.
#include "energy/kernels.h"
#include "energy/pair.h"
#include "energy/yield.h"

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(springKernels);

static PairPoint springLaw(const double *param, double r)
{
    double k = param[0], l = param[LANES];
    double stretch = r - l;
    double ratio = r > 0 ? k * (1 - l / r) : l > 0 ? 0 : k;
    return (PairPoint){ 0.5 * k * stretch * stretch, k * stretch, ratio, k };
}

static void springValues(Energy *energy, const double *x, int begin, int end)
{
    kernels[energy->isa]->values(energy, x, begin, end);
}

static void springGradient(Energy *energy, const double *x, int begin, int end)
{
    kernels[energy->isa]->gradient(energy, x, begin, end);
}

static void springHessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    pairHessian(energy, x, block, mode, out, springLaw);
}

static void springLineValues(Energy *energy, double alpha, int begin, int end)
{
    kernels[energy->isa]->lineValues(energy, alpha, begin, end);
}

static void springMajorizer(const Energy *energy, int block, double *out)
{
    pairMajorizer(energy, block, out, 1);
}

static void springLineStart(Energy *energy, const double *x, const double *d, int begin, int end)
{
    kernels[energy->isa]->lineStart(energy, x, d, begin, end);
}

static void springProject(Energy *energy, const double *x, int begin, int end)
{
    kernels[energy->isa]->project(energy, x, begin, end);
}

static const SweepKernels *const sweeps[ISA_COUNT] = KERNELS_BY_ISA(springSweeps);

// C = |d| - l with compliance 1/k
static void springBatches(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    sweeps[plan->energy->isa]->batches(plan, context, begin, end);
}

static void springLosses(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    pairLosses(plan, context, begin, end, false);
}

// ---- in single precision --------------------------------------------------------------------------------------------

static const SingleKernels *const singles[ISA_COUNT] = KERNELS_BY_ISA(springSingles);

bool sweepSingleReserve(SweepPlan *plan)
{
    size_t count = (size_t)plan->batchCount * SINGLE_CONSTANTS * LANES;
    if (plan->single == NULL)
        plan->single = ALLOCATE(plan->energy->memory, float, count);
    return plan->single != NULL;
}

void sweepSingleLoad(SweepPlan *plan, const double *row)
{
    for (int i = 0; i < plan->batchCount * LANES; ++i)
    {
        int batch = i / LANES, lane = i % LANES;
        const int *vertices = batchVertices(plan, batch) + lane;
        const double *constants = batchConstants(plan, batch) + lane;
        float *out = plan->single + (ptrdiff_t)batch * SINGLE_CONSTANTS * LANES + lane;
        Vec3 edge = vecSub(vecLoad(row + 4 * (ptrdiff_t)vertices[LANES]), vecLoad(row + 4 * (ptrdiff_t)vertices[0]));
        double length = vecLength(edge);
        out[SINGLE_EDGE * LANES] = (float)edge.x;
        out[(SINGLE_EDGE + 1) * LANES] = (float)edge.y;
        out[(SINGLE_EDGE + 2) * LANES] = (float)edge.z;
        out[SINGLE_LENGTH * LANES] = (float)length;
        out[SINGLE_ERROR * LANES] = (float)(length - constants[PAIR_LENGTH * LANES]);
        out[SINGLE_INVERSE * LANES] = (float)constants[PAIR_INVERSE * LANES];
        out[SINGLE_COMPLIANCE * LANES] = (float)constants[PAIR_COMPLIANCE * LANES];
    }
}

void sweepSingleBatches(SweepPlan *plan, const SweepSingle *context, int begin, int end)
{
    singles[plan->energy->isa]->batches(plan, context, begin, end);
}

static const SweepKind springSweep = {
    .rows = 1,
    .pairs = true,
    .splits = true,
    .constantCount = PAIR_CONSTANTS,
    .constants = pairConstants,
    .batches = springBatches,
    .losses = springLosses,
};

const EnergyKind springKind = {
    .name = "spring",
    .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 2,
    .paramCount = PAIR_PARAMS,
    .lineCount = PAIR_LINE,
    .fills = true,
    .prepare = pairPrepare,
    .values = springValues,
    .gradient = springGradient,
    .lineStart = springLineStart,
    .lineValues = springLineValues,
    .hessian = springHessian,
    .majorizer = springMajorizer,
    .project = springProject,
    .sweep = &springSweep,
    .yields = &springYield,
    .describe = pairDescribe,
};
