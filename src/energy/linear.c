// Linear elasticity on tetrahedra, V (mu |e|^2 + lambda/2 tr(e)^2) with e = sym(F) - I: right for small turns alone.
// The reference that textbooks solve, and what corotated tets do within their frame.
#include "energy/tet.h"

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(linearTetKernels);

// V (mu (g_a.g_b I + g_b g_a^T) + lambda g_a g_b^T), convex
static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    (void)x;
    (void)mode;
    const double *params = laneParams(energy, block);
    for (int lane = 0; lane < LANES; ++lane)
    {
        double mu = params[TET_MU * LANES + lane], lambda = params[TET_LAMBDA * LANES + lane], v[4][3];
        Vec3 g[4];
        tetGradients(params, lane, g);
        for (int c = 0; c < 4; ++c)
            vecStore(v[c], g[c]);
        for (int row = 0; row < 12; ++row)
        {
            for (int column = 0; column < 12; ++column)
            {
                int a = row / 3, b = column / 3, i = row % 3, j = column % 3;
                double entry =
                    (i == j ? mu * vecDot(g[a], g[b]) : 0) + mu * v[b][i] * v[a][j] + lambda * v[a][i] * v[b][j];
                out[lane * 144 + row * 12 + column] = params[TET_VOLUME * LANES + lane] * entry;
            }
        }
    }
}

static const SweepKernels *const sweeps[ISA_COUNT] = KERNELS_BY_ISA(linearTetSweeps);
static const SweepKind sweep = TET_SWEEP(sweeps);

const EnergyKind linearKind = {
    .name = "linear",
    .traits = TRAIT_SWEEP | TRAIT_FREE,
    .column = COLUMN_ELASTIC,
    .corners = 4,
    .paramCount = TET_PARAMS,
    .lineCount = TET_LINE,
    .prepare = tetPrepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = tetMajorizer,
    .sweep = &sweep,
    .describe = tetDescribe,
};
