// Tets whose stress in a pull follows a measured curve: V 2 mu (sum phi(s_i - 1) + ratio/2 (J - 1)^2), s_i the
// principal stretches (a sum over stretches as Valanis and Landel 1967 have it, with a term of the volume). phi' is
// chosen such that a bar that is pulled has the stress and the slope of the curve at its points (curve_points.c). At
// small strain it is Hooke's law with the slope of the curve in the place of young. Compressed beyond the points, and
// turned inside out, phi' goes on straight.
#include "energy/stretch.h"

#include "energy/curve.h"

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(tetCurveKernels);

#define MARGIN 1.25 // of the majorizer, over the law at rest: for stretches around it, as of the other laws

static Pull pullAt(double e, double q)
{
    double a = 1 + e, b = 1 + q, j = a * b * b - 1;
    return (Pull){ .along = j * b * b,
                   .across = j * a * b,
                   .alongByE = b * b * b * b,
                   .alongByQ = 2 * b * (a * b * b + j),
                   .acrossByE = b * (a * b * b + j),
                   .acrossByQ = a * (2 * a * b * b + j),
                   .free = 1 / sqrt(a) - 1 };
}

bool tetCurve(const Recipe *recipe, Knot *knot, int *count, double *ratio)
{
    double nu = recipe->poisson;
    *count = curveKnots(recipe->law, recipe->young, knot);
    *ratio = curveInitial(knot, *count) * nu / (1 - 2 * nu);
    return curveFit(knot, *count, 1 + nu, *ratio, pullAt);
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    Knot knot[CURVE_POINTS];
    int count;
    double ratio;
    tetCurve(recipe, knot, &count, &ratio);
    stretchPrepare(energy, recipe, 1);
    double steep = MARGIN * (curveSteepest(knot, count) + 3 * ratio);
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES;
        params[STRETCH_RATIO * LANES] = ratio;
        params[STRETCH_STEEP * LANES] = steep;
        curveStore(knot, count, params + TET_CURVE_KNOTS * LANES);
    }
}

static void stretchLaw(const double *params, const double *sigma, double *g, double h[3][3])
{
    double w = params[0], bulk = w * params[STRETCH_RATIO * LANES];
    double press = bulk * (sigma[0] * sigma[1] * sigma[2] - 1);
    for (int i = 0; i < 3; ++i)
    {
        double a = sigma[(i + 1) % 3], b = sigma[(i + 2) % 3], stress, slope;
        curveStressAt(params + TET_CURVE_KNOTS * LANES, sigma[i] - 1, &stress, &slope);
        g[i] = w * stress + press * a * b;
        for (int j = 0; j < 3; ++j)
        {
            double other = sigma[(j + 1) % 3] * sigma[(j + 2) % 3];
            h[i][j] = (i == j ? w * slope : press * sigma[3 - i - j]) + bulk * a * b * other;
        }
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    stretchHessian(energy, x, block, mode, out, stretchLaw);
}

static const SweepKind sweep = STRETCH_SWEEP(TET_CURVE_EXTRA);
const EnergyKind tetCurveKind = STRETCH_KIND("tet-curve", TET_CURVE_EXTRA, sweep, kernels);
