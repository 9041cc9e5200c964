// Corotated linear elasticity on tetrahedra, V (mu |F - R|^2 + lambda/2 tr(R^T F - I)^2), R the rotation nearest to F
// (Dinev 2018, section 3, for lambda = 0; Stomakhin 2012 for the two terms in R). For poisson = 0, mu = E/2 and
// lambda = 0: exactly w/2 V |F - R|^2 with w = E, the tet strain constraint of Bouaziz 2014, Eq 9.
#include "energy/tet.h"
#include "energy/yield.h"

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(corotatedKernels);

static void prepare(Energy *energy, const Recipe *recipe)
{
    tetPrepare(energy, recipe);
    if (energyGetParam(energy, 0, TET_LAMBDA) != 0)
        energy->traits &= ~(unsigned)TRAIT_PROJECTIVE;
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    static const HessianKernels *const hessians[ISA_COUNT] = KERNELS_BY_ISA(corotatedHessians);
    hessians[energy->isa]->hessian(energy, x, block, mode, out);
}

static const SweepKernels *const sweeps[ISA_COUNT] = KERNELS_BY_ISA(corotatedSweeps);
static const SweepKind sweep = TET_SWEEP(sweeps);

const EnergyKind corotatedKind = {
    .name = "corotated",
    .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 4,
    .paramCount = TET_PARAMS,
    .lineCount = TET_LINE,
    .keptCount = TET_ROTATION,
    .finds = true,
    .damps = true,
    .local = true,
    .prepare = prepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = tetMajorizer,
    .project = kernelProject,
    .sweep = &sweep,
    .yields = &corotatedYield,
    .describe = tetDescribe,
};
