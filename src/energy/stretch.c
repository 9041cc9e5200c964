#include "energy/stretch.h"

static Rows shapeOf(const Energy *energy)
{
    return (Rows){ 3, 4, energy->kind->paramCount - 10 };
}

void stretchPrepare(Energy *energy, const Recipe *recipe, double steep)
{
    double e = recipe->young, nu = recipe->poisson, ratio = nu / (1 - 2 * nu), mu = e / (2 * (1 + nu));
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES;
        params[0] = recipeStrength(energy, i, recipe) * (2 * mu * cellPrepare(energy, i, recipe, shapeOf(energy)));
        params[STRETCH_RATIO * LANES] = ratio;
        // uniform dilation is the stiffest mode at rest, of auxetic materials shear
        params[STRETCH_STEEP * LANES] = steep * maxReal(1 + 3 * ratio, 1);
    }
}

void stretchHessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out, StretchLaw law)
{
    Rows shape = shapeOf(energy);
    for (int lane = 0; lane < LANES; ++lane)
    {
        double g[3], h[3][3], inner[81];
        Vec3 f[3];
        rowsAt(energy, block * LANES + lane, x, shape, f);
        Spectrum s = spectrumOf(f, 3);
        law(laneParams(energy, block) + lane, s.sigma, g, h);
        spectralHessian(&s, 3, g, h, mode, inner);
        rowsHessian(energy, block * LANES + lane, shape, inner, out + lane * 144);
    }
}

void stretchMajorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, shapeOf(energy), laneParams(energy, block)[STRETCH_STEEP * LANES], out);
}

void stretchDescribe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    cellDescribe(energy, x, element, shapeOf(energy), text, size);
}

void stretchConstants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    featureConstants(energy, element, energyGetParam(energy, element, STRETCH_STEEP), mass, h, out);
}

// exp(x) - 1, with all digits near 0
static double growth(double x)
{
    if (fabs(x) > 0.3)
        return decayOver(-maxReal(-700, minReal(700, x))) - 1;
    double sum = 0;
    for (int k = 14; k > 0; --k)
        sum = x / k * (1 + sum);
    return sum;
}

Power powerAt(double stretch, double exponent)
{
    double s = maxReal(stretch, OGDEN_FLOOR), below = stretch - s, more = growth(exponent * logarithm(s));
    Power p = { .value = (more - exponent * (s - 1)) / (exponent * exponent),
                .slope = (1 + more) / (exponent * s),
                .curvature = (exponent - 1) * (1 + more) / (exponent * s * s) };
    p.value += below * (p.slope - 1 / exponent + 0.5 * below * p.curvature);
    p.slope += below * p.curvature;
    return p;
}
