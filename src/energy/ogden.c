// Ogden's law on tetrahedra (Ogden 1972), V (sum over terms p of 2 mu c_p / a_p^2 sum (s_i^a_p - 1) + D/2 (J - 1)^2 - m
// (J - 1)), s_i the principal stretches. The shares c_p sum to 1, m = sum 2 mu c_p / a_p and D = lambda + m: Hooke's
// law of (lambda, mu) for small strain. One term with a = 2 is the neo-Hookean law. Powers of stretches below
// OGDEN_FLOOR go on as parabolas, so that flat and inverted tets have finite forces. D must be above 0, or it has no
// lower bound.
#include "energy/stretch.h"

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(ogdenKernels);

// how much steeper than at rest it is at 10 % of stretch or compression
static double steepness(const Recipe *recipe)
{
    double steep = 1;
    for (int side = -1; side <= 1 && recipe->law != NULL; side += 2)
    {
        double sum = 0;
        for (int p = 0; p < recipe->law->termCount; ++p)
        {
            double a = recipe->law->exponent[p];
            Power there = powerAt(1 + 0.1 * side, a);
            sum += recipe->law->share[p] * maxReal(there.curvature + there.slope, 0);
        }
        steep = maxReal(steep, sum);
    }
    return 1.25 * steep;
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    int terms = recipe->law ? recipe->law->termCount : 0;
    stretchPrepare(energy, recipe, steepness(recipe));
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES, sum = 0;
        for (int p = 0; p < MAX_TERMS; ++p)
        {
            double a = p < terms ? recipe->law->exponent[p] : 2;
            double share = p < terms ? recipe->law->share[p] : p == 0 && terms == 0;
            params[(OGDEN_EXPONENT + p) * LANES] = a;
            params[(OGDEN_SHARE + p) * LANES] = share;
            sum += share / a;
        }
        params[OGDEN_PRESSURE * LANES] = sum;
    }
}

static void stretchLaw(const double *params, const double *sigma, double *g, double h[3][3])
{
    double w = params[0], m = w * params[OGDEN_PRESSURE * LANES], bulk = w * params[STRETCH_RATIO * LANES] + m;
    double press = bulk * (sigma[0] * sigma[1] * sigma[2] - 1) - m;
    for (int i = 0; i < 3; ++i)
    {
        double a = sigma[(i + 1) % 3], b = sigma[(i + 2) % 3], slope = 0, curvature = 0;
        for (int p = 0; p < MAX_TERMS; ++p)
        {
            double share = w * params[(OGDEN_SHARE + p) * LANES];
            Power power = share != 0 ? powerAt(sigma[i], params[(OGDEN_EXPONENT + p) * LANES]) : (Power){ 0 };
            slope += share * power.slope;
            curvature += share * power.curvature;
        }
        g[i] = slope + press * a * b;
        for (int j = 0; j < 3; ++j)
        {
            double other = sigma[(j + 1) % 3] * sigma[(j + 2) % 3];
            h[i][j] = (i == j ? curvature : press * sigma[3 - i - j]) + bulk * a * b * other;
        }
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    stretchHessian(energy, x, block, mode, out, stretchLaw);
}

static const SweepKind sweep = STRETCH_SWEEP(OGDEN_EXTRA);
const EnergyKind ogdenKind = STRETCH_KIND("ogden", OGDEN_EXTRA, sweep, kernels);
