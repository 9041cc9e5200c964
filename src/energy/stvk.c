// St. Venant-Kirchhoff tetrahedra, V (mu |E|^2 + lambda/2 tr(E)^2) with Green's strain E = (F^T F - I) / 2: Hooke's law
// of the change of the metric. It stiffens when stretched. Compressed along one axis, its nominal stress E/2 s (s^2 -
// 1) is largest at s = 1/sqrt(3) = 0.577 and vanishes at 0, and it does not tell inside from outside: for large
// compression it needs a limit of strain or volume beside it (docs/materials.md).
#include "energy/stretch.h"

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(stvkKernels);

static void prepare(Energy *energy, const Recipe *recipe)
{
    stretchPrepare(energy, recipe, 1.5); // the curvature (3 s^2 - 1) / 2 is 1.5 at 15 % of stretch
}

static void stretchLaw(const double *params, const double *sigma, double *g, double h[3][3])
{
    double w = params[0], ratio = params[STRETCH_RATIO * LANES], strain[3], trace = 0;
    for (int i = 0; i < 3; ++i)
        trace += strain[i] = 0.5 * (sigma[i] * sigma[i] - 1);
    for (int i = 0; i < 3; ++i)
    {
        double stress = strain[i] + ratio * trace;
        g[i] = w * sigma[i] * stress;
        for (int j = 0; j < 3; ++j)
            h[i][j] = w * (sigma[i] * sigma[j] * (ratio + (i == j)) + (i == j) * stress);
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    stretchHessian(energy, x, block, mode, out, stretchLaw);
}

static const SweepKind sweep = STRETCH_SWEEP(STVK_EXTRA);
const EnergyKind stvkKind = STRETCH_KIND("stvk", STVK_EXTRA, sweep, kernels);
