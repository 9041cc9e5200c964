// Strain limits of triangles and tets, w/2 |F - T|^2 with T the nearest matrix whose singular values lie within [low,
// high] (Bouaziz 2014, Eq 15, 16 and 22, 23): free inside the limits, stiff outside. Beside a soft material this is a
// nonlinear one, as of cloth. Of inverted tets the last singular value is negative, so that they are turned right.
#include "energy/spectral.h"

#include "energy/kernels.h"

#include <stdio.h>

static const ElementKernels *const triangleKernels[ISA_COUNT] = KERNELS_BY_ISA(triangleLimitKernels);
static const ElementKernels *const tetKernels[ISA_COUNT] = KERNELS_BY_ISA(tetLimitKernels);

#define kernels (energy->kind->corners == 3 ? triangleKernels : tetKernels)
KERNELS_CALL(kernels)
FEATURE_SWEEP(kernels, 1)
#undef kernels

static Rows shapeOf(const Energy *energy)
{
    return (Rows){ energy->kind->corners - 1, energy->kind->corners, LIMIT_EXTRA };
}

// the weight is recipe->young times the matter of the cell
static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
    {
        double *params = laneParams(energy, i / LANES) + i % LANES;
        params[0] = recipe->young * cellPrepare(energy, i, recipe, shapeOf(energy));
        params[LIMIT_LOW * LANES] = recipe->low;
        params[LIMIT_HIGH * LANES] = recipe->high;
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    Rows shape = shapeOf(energy);
    for (int lane = 0; lane < LANES; ++lane)
    {
        const double *params = laneParams(energy, block) + lane;
        Vec3 f[3];
        rowsAt(energy, block * LANES + lane, x, shape, f);
        Spectrum s = spectrumOf(f, shape.rows);
        double g[3], h[3][3] = { 0 }, inner[81];
        for (int i = 0; i < shape.rows; ++i)
        {
            double beyond =
                s.sigma[i] - maxReal(params[LIMIT_LOW * LANES], minReal(params[LIMIT_HIGH * LANES], s.sigma[i]));
            g[i] = params[0] * beyond;
            h[i][i] = beyond != 0 ? params[0] : 0;
        }
        spectralHessian(&s, shape.rows, g, h, mode, inner);
        rowsHessian(energy, block * LANES + lane, shape, inner, out + lane * 9 * shape.corners * shape.corners);
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, shapeOf(energy), 1, out);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    cellDescribe(energy, x, element, shapeOf(energy), text, size);
}

static const SweepKind triangleSweep = FEATURE_SWEEP_KIND(2, 1 + LIMIT_EXTRA + 4);
static const SweepKind tetSweep = FEATURE_SWEEP_KIND(3, 1 + LIMIT_EXTRA + 9);

#define LIMIT_KIND(word, count, its)                                                                                   \
    {                                                                                                                  \
        .name = word, .traits = TRAIT_INTERNAL | TRAIT_PROJECTIVE | TRAIT_SWEEP, .column = COLUMN_ELASTIC,             \
        .corners = count, .paramCount = 1 + LIMIT_EXTRA + ((count)-1) * ((count)-1), .lineCount = 6 * ((count)-1),     \
        .prepare = prepare, .values = values, .gradient = gradient, .lineStart = lineStart, .lineValues = lineValues,  \
        .hessian = hessian, .majorizer = majorizer, .project = project, .sweep = &(its), .describe = describe          \
    }

const EnergyKind triangleLimitKind = LIMIT_KIND("triangle-limit", 3, triangleSweep);
const EnergyKind tetLimitKind = LIMIT_KIND("tet-limit", 4, tetSweep);
