// Hooke's spring, k/2 (|d| - l)^2 with d = x1 - x0. It is the projective energy k/2 |d - p|^2 with p the nearest point
// of the sphere of radius l (Bouaziz 2014, section 3; Liu 2013): the minimum over p is Hooke's law exactly.
#include "energy/kernels.h"
#include "energy/pair.h"

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

// Macklin 2019, Algorithm 1 with C = |d| - l and compliance 1/k; lambda accumulates within a step
static void springSweep(Energy *energy, const SweepContext *context)
{
    for (int e = 0; e < energy->elementCount; ++e)
    {
        const int *vertices = laneVertices(energy, e / LANES) + e % LANES;
        double k = energyGetParam(energy, e, 0), l = energyGetParam(energy, e, 1);
        int a = vertices[0], b = vertices[LANES];
        double wa = context->inverseMass[a], wb = context->inverseMass[b];
        if (!(k > 0) || !(wa + wb > 0))
            continue;
        // differences of starts and of deltas apart: no cancellation far from the origin
        Vec3 d = vecAdd(vecSub(vecLoad(context->start + 3 * b), vecLoad(context->start + 3 * a)),
                        vecSub(vecLoad(context->delta + 3 * b), vecLoad(context->delta + 3 * a)));
        double r = vecLength(d), compliance = 1 / (k * context->h * context->h);
        double change = -(r - l + compliance * energy->lambda[e]) / (wa + wb + compliance);
        Vec3 n = pairDirection(d, r);
        energy->lambda[e] += change;
        vecStore(context->delta + 3 * a, vecSub(vecLoad(context->delta + 3 * a), vecScale(wa * change, n)));
        vecStore(context->delta + 3 * b, vecAdd(vecLoad(context->delta + 3 * b), vecScale(wb * change, n)));
    }
}

const EnergyKind springKind = {
    .name = "spring",
    .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 2,
    .paramCount = PAIR_PARAMS,
    .lineCount = PAIR_LINE,
    .prepare = pairPrepare,
    .values = springValues,
    .gradient = springGradient,
    .lineStart = springLineStart,
    .lineValues = springLineValues,
    .hessian = springHessian,
    .majorizer = springMajorizer,
    .project = springProject,
    .sweep = springSweep,
    .describe = pairDescribe,
};
