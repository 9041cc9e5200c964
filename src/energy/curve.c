// Springs whose stress follows a measured curve (Hauth 2004, section 1.1): w phi(s), s = |d| / l - 1 the strain and
// phi' the stress over young (curve.h). w = k l^2 with k the stiffness of a spring of modulus young in N/m.
#include "energy/curve.h"
#include "energy/spectral.h"

#include <stdio.h>

static const ElementKernels *const kernels[ISA_COUNT] = KERNELS_BY_ISA(curveKernels);
static const Rows shape = { 1, 2, CURVE_EXTRA };

static void prepare(Energy *energy, const Recipe *recipe)
{
    Knot knot[CURVE_POINTS];
    int count = curveKnots(recipe->law, recipe->young, knot);
    double steep = curveSteepest(knot, count);
    for (int e = 0; e < energy->blockCount * LANES; ++e)
    {
        double *params = laneParams(energy, e / LANES) + e % LANES;
        double length = cellPrepare(energy, e, recipe, shape);
        params[0] = recipeStrength(energy, e, recipe) * length * length;
        params[CURVE_STEEP * LANES] = steep;
        curveStore(knot, count, params + CURVE_KNOTS * LANES);
    }
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    for (int lane = 0; lane < LANES; ++lane)
    {
        const double *params = laneParams(energy, block) + lane;
        Vec3 f;
        rowsAt(energy, block * LANES + lane, x, shape, &f);
        double length = vecLength(f), stress, slope, inner[9], n[3];
        curveStressAt(params + CURVE_KNOTS * LANES, length - 1, &stress, &slope);
        double along = params[0] * slope, across = length > 0 ? params[0] * stress / length : 0;
        across = mode == HESSIAN_SEMIDEFINITE ? maxReal(across, 0) : across;
        vecStore(n, length > 0 ? vecScale(1 / length, f) : vec3(1, 0, 0));
        for (int i = 0; i < 9; ++i)
            inner[i] = (along - across) * n[i / 3] * n[i % 3] + (i % 4 == 0 ? across : 0);
        rowsHessian(energy, block * LANES + lane, shape, inner, out + lane * 36);
    }
}

static void majorizer(const Energy *energy, int block, double *out)
{
    rowsMajorizer(energy, block, shape, laneParams(energy, block)[CURVE_STEEP * LANES], out);
}

static void describe(const Energy *energy, const double *x, int element, char *text, size_t size)
{
    const int *vertex = laneVertices(energy, element / LANES) + element % LANES;
    Vec3 f;
    rowsAt(energy, element, x, shape, &f);
    snprintf(text, size, "curve %d: vertices %d and %d, strain %.4g", element, vertex[0], vertex[LANES],
             vecLength(f) - 1);
}

static void constants(const Energy *energy, int element, const SweepMass *mass, double h, double *out)
{
    featureConstants(energy, element, energyGetParam(energy, element, CURVE_STEEP), mass, h, out);
}

static const SweepKind sweep = FEATURE_SWEEP(1, 1 + CURVE_EXTRA + 1, constants);

const EnergyKind curveKind = {
    .name = "curve",
    .traits = TRAIT_INTERNAL | TRAIT_SWEEP,
    .column = COLUMN_ELASTIC,
    .corners = 2,
    .paramCount = 1 + CURVE_EXTRA + 1,
    .lineCount = 6,
    .prepare = prepare,
    KERNEL_FUNCTIONS(kernels),
    .hessian = hessian,
    .majorizer = majorizer,
    .sweep = &sweep,
    .describe = describe,
};
