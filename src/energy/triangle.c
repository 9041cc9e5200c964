// Strain of triangles, A t (mu |F - R|^2 + lambda/2 tr(R^T F - I)^2) with F the 3x2 deformation gradient and R the
// isometry nearest to it (Bouaziz 2014, Eq 15 and 16, M the rotations). mu = E / 2(1 + nu) and the lambda of plane
// stress, E nu / (1 - nu^2): a membrane of Young's modulus E and ratio nu on every mesh. Projective for nu = 0, as the
// tets of corotated.c. A triangle with two corners in one place, or all three, has finite forces that open it.
#include "energy/spectral.h"

#include "energy/kernels.h"
#include "energy/yield.h"

#include <stdio.h>

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(triangleKernels);
static const Rows shape = { 2, 3, TRIANGLE_EXTRA };

static void prepare(Energy *energy, const Recipe *recipe)
{
    double e = recipe->young, nu = recipe->poisson;
    double mu = e / (2 * (1 + nu)), lambda = e * nu / (1 - nu * nu);
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES);
        params[i % LANES] = recipeStrength(energy, i, recipe) * (2 * mu * cellPrepare(energy, i, recipe, shape));
        params[TRIANGLE_RATIO * LANES + i % LANES] = lambda / (2 * mu);
    }
    if (lambda != 0)
        energy->traits &= ~(unsigned)TRAIT_PROJECTIVE;
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        double w = laneParams(energy, block)[lane], ratio = laneParams(energy, block)[TRIANGLE_RATIO * LANES + lane];
        Vec3 f[2];
        rowsAt(energy, block * LANES + lane, x, shape, f);
        Spectrum s = spectrumOf(f, 2);
        double trace = s.sigma[0] + s.sigma[1] - 2, inner[36];
        double g[2] = { w * (s.sigma[0] - 1 + ratio * trace), w * (s.sigma[1] - 1 + ratio * trace) };
        double h[3][3] = { { w * (1 + ratio), w * ratio, 0 }, { w * ratio, w * (1 + ratio), 0 }, { 0, 0, 0 } };
        spectralHessian(&s, 2, g, h, mode, inner);
        rowsHessian(energy, block * LANES + lane, shape, inner, out + lane * 81);
    }
}

// the largest eigenvalue at rest is that of uniform dilation, or for auxetic materials that of shear
static double steepness(const Energy *energy)
{
    double ratio = laneParams(energy, 0)[TRIANGLE_RATIO * LANES]; // of one material
    return maxReal(1 + 2 * ratio, 1);
}

static void majorizer(const Energy *energy, int block, double *out)
{
    double factor = steepness(energy);
    if (energy->yield == NULL)
    {
        rowsMajorizer(energy, block, shape, factor, out);
        return;
    }
    const double *row = yieldBound(energy, block);
    for (int i = 0; i < LANES * 9; ++i)
    {
        int lane = i / 9, corner[2] = { i % 9 / 3, i % 3 };
        double sum = 0, a[2];
        for (int r = 0; r < 2; ++r)
        {
            for (int k = 0; k < 2; ++k)
            {
                const double *at = row + 2 * r * LANES + lane;
                a[k] = corner[k] > 0 ? at[(corner[k] - 1) * LANES] : -at[0] - at[LANES];
            }
            sum += a[0] * a[1];
        }
        out[i] = factor * laneParams(energy, block)[lane] * sum;
    }
}

static void sweepConstants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    featureConstants(energy, element, steepness(energy), mass, h, out);
}

static const SweepKind sweep = FEATURE_SWEEP(2, 1 + TRIANGLE_EXTRA + 4, sweepConstants);

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *v = laneVertices(energy, element / LANES) + element % LANES;
    Vec3 f[2];
    rowsAt(energy, element, x, shape, f);
    Spectrum s = spectrumOf(f, 2);
    snprintf(text, size, "triangle %d: vertices %d %d %d, stretches %.4g %.4g", element, v[0], v[LANES], v[2 * LANES],
             s.sigma[0], s.sigma[1]);
}

const EnergyKind triangleKind = {
    .name = "triangle",
    .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 3,
    .paramCount = 1 + TRIANGLE_EXTRA + 4,
    .lineCount = 12,
    .local = true,
    .prepare = prepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = majorizer,
    .project = kernelProject,
    .sweep = &sweep,
    .yields = &triangleYield,
    .describe = describe,
};
