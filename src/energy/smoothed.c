// Corotated elasticity of smoothed strains on tetrahedra: V mu |F - R|^2 of the mean F around each edge, V lambda/2
// tr(R^T F - I)^2 of the mean F around each vertex (edge-based smoothing for shear, node-based for pressure: Onishi and
// Amaya
// 2014; Liu and Nguyen-Thoi 2010; each law as in corotated.c). A single tet cannot bend, so that tets by themselves are
// too stiff in bending and torsion wherever few of them lie across, and lock near incompressibility. Means are right
// for any uniform strain, and let neighbours bend together.
//
// An element is a tet, with the params and the majorizer of corotated.c: a mean of squares is not below the square of a
// mean, so that what bounds each tet by itself bounds the means. Its Hessian by elements is that of tets by themselves,
// again a bound; the rest of it reaches beyond them (EnergyKind.beyondTimes). Sweeps take tets by themselves.
#include "energy/patches.h"
#include "energy/tet.h"

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(smoothedKernels);
static const BeyondKernels *const beyonds[ISA_COUNT] = KERNELS_BY_ISA(smoothedBeyonds);
static const SweepKernels *const sweeps[ISA_COUNT] = KERNELS_BY_ISA(corotatedSweeps);
static const SweepKind sweep = TET_SWEEP(sweeps);

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    static const HessianKernels *const hessians[ISA_COUNT] = KERNELS_BY_ISA(corotatedHessians);
    hessians[energy->isa]->hessian(energy, x, block, mode, out);
}

static void beyondStart(Energy *energy, const double *x, HessianMode mode)
{
    beyonds[energy->isa]->start(energy, x, mode);
}

static void beyondTimes(Energy *energy, const double *d)
{
    beyonds[energy->isa]->times(energy, d);
}

const EnergyKind smoothedKind = {
    .name = "smoothed",
    .traits = TRAIT_INTERNAL | TRAIT_SWEEP | TRAIT_WHOLE,
    .column = COLUMN_ELASTIC,
    .corners = 4,
    .paramCount = TET_PARAMS,
    .lineCount = TET_LINE,
    .keptCount = TET_ROTATION,
    .patched = true,
    .prepare = tetPrepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .beyondStart = beyondStart,
    .beyondTimes = beyondTimes,
    .majorizer = tetMajorizer,
    .sweep = &sweep,
    .describe = tetDescribe,
};
