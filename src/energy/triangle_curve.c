// Triangles whose stress in a pull follows a measured curve: A t 2 mu (sum phi(s_i - 1) + ratio/2 (s_1 + s_2 - 2)^2),
// s_i the principal stretches. A strip that is pulled has f(e) = phi'(e) - phi'(q) over 2 mu, q the strain across: phi'
// is chosen such that f and its slope are those of the curve at its points (curve_points.c). At small strain it is
// triangle.c with the slope of the curve in the place of young.
#include "energy/curve.h"
#include "energy/spectral.h"

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(triangleCurveKernels);
static const Rows shape = { 2, 3, TRIANGLE_CURVE_EXTRA };

static Pull pullAt(double e, double q)
{
    return (Pull){ e + q, e + q, 1, 1, 1, 1, -e };
}

bool triangleCurve(const Recipe *recipe, Knot *knot, int *count, double *ratio)
{
    double nu = recipe->poisson;
    *count = curveKnots(recipe->law, recipe->young, knot);
    *ratio = curveInitial(knot, *count) * nu / (1 - nu);
    return curveFit(knot, *count, 1 + nu, *ratio, pullAt);
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    Knot knot[CURVE_POINTS];
    int count;
    double ratio, mu = recipe->young / (2 * (1 + recipe->poisson));
    triangleCurve(recipe, knot, &count, &ratio);
    double steep = curveSteepest(knot, count) + 2 * ratio;
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES;
        params[0] = recipeStrength(energy, i, recipe) * (2 * mu * cellPrepare(energy, i, recipe, shape));
        params[CURVE_STEEP * LANES] = steep;
        params[TRIANGLE_CURVE_RATIO * LANES] = ratio;
        curveStore(knot, count, params + CURVE_KNOTS * LANES);
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        const double *params = laneParams(energy, block) + lane;
        double w = params[0], ratio = params[TRIANGLE_CURVE_RATIO * LANES], g[2], h[3][3] = { { 0 } }, inner[36];
        Vec3 f[2];
        rowsAt(energy, block * LANES + lane, x, shape, f);
        Spectrum s = spectrumOf(f, 2);
        for (int i = 0; i < 2; ++i)
        {
            double stress, slope;
            curveStressAt(params + CURVE_KNOTS * LANES, s.sigma[i] - 1, &stress, &slope);
            g[i] = w * (stress + ratio * (s.sigma[0] + s.sigma[1] - 2));
            h[i][i] = w * (slope + ratio);
            h[i][1 - i] = w * ratio;
        }
        spectralHessian(&s, 2, g, h, mode, inner);
        rowsHessian(energy, block * LANES + lane, shape, inner, out + lane * 81);
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, shape, laneParams(energy, block)[CURVE_STEEP * LANES], out);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    cellDescribe(energy, x, element, shape, text, size);
}

static void constants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    featureConstants(energy, element, energyGetParam(energy, element, CURVE_STEEP), mass, h, out);
}

static const SweepKind sweep = FEATURE_SWEEP(2, 1 + TRIANGLE_CURVE_EXTRA + 4, constants);

const EnergyKind triangleCurveKind = {
    .name = "triangle-curve",
    .traits = TRAIT_INTERNAL | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 3,
    .paramCount = 1 + TRIANGLE_CURVE_EXTRA + 4,
    .lineCount = 12,
    .local = true,
    .prepare = prepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = majorizer,
    .sweep = &sweep,
    .describe = describe,
};
