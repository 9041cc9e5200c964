// Mooney-Rivlin tetrahedra, V (C10 (I1 - 3) + C01 (I2 - 3) + D/2 (J - 1)^2 - (2 C10 + 4 C01) (J - 1)), with I1 = |F|^2,
// I2 = |cof F|^2 and J = det F: a polynomial, smooth everywhere, inverted tets included, as the stable neo-Hookean law
// that it is for C01 = 0. C10 + C01 = mu / 2 and D = lambda + 2 C10 make it agree with Hooke's law of (lambda, mu) for
// small strain. D must be above 0, or it has no lower bound.
#include "energy/stretch.h"

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(mooneyRivlinKernels);

static void prepare(Energy *energy, const Recipe *recipe)
{
    stretchPrepare(energy, recipe, 1.25); // as the neo-Hookean one
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        laneParams(energy, i / LANES)[MOONEY_SHARE * LANES + i % LANES] = recipe->law ? recipe->law->secondShare : 0;
}

static void stretchLaw(const double *params, const double *sigma, double *g, double h[3][3])
{
    double w = params[0], share = params[MOONEY_SHARE * LANES], c10 = w * (1 - share) / 4, c01 = w * share / 4;
    double bulk = w * params[STRETCH_RATIO * LANES] + 2 * c10;
    double press = bulk * (sigma[0] * sigma[1] * sigma[2] - 1) - 2 * c10 - 4 * c01;
    for (int i = 0; i < 3; ++i)
    {
        double a = sigma[(i + 1) % 3], b = sigma[(i + 2) % 3], squares = a * a + b * b;
        g[i] = 2 * sigma[i] * (c10 + c01 * squares) + press * a * b;
        for (int j = 0; j < 3; ++j)
        {
            double other = sigma[(j + 1) % 3] * sigma[(j + 2) % 3];
            double own = i == j ? 2 * (c10 + c01 * squares) : 4 * c01 * sigma[i] * sigma[j] + press * sigma[3 - i - j];
            h[i][j] = own + bulk * a * b * other;
        }
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    stretchHessian(energy, x, block, mode, out, stretchLaw);
}

static const SweepKind sweep = STRETCH_SWEEP(MOONEY_EXTRA);
const EnergyKind mooneyRivlinKind = STRETCH_KIND("mooney-rivlin", MOONEY_EXTRA, sweep, kernels);
