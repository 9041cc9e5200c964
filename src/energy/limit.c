// Strain limits of triangles and tets, w/2 |F - T|^2 with T the nearest matrix whose singular values lie within [low,
// high] (Bouaziz 2014, Eq 15, 16 and 22, 23): free inside the limits, stiff outside. Beside a soft material this is a
// nonlinear one, as of cloth. Of inverted tets the last singular value is negative, so that they are turned right.
#include "energy/limit.h"

static const ElementKernels *const triangleTable[ISA_COUNT] = KERNELS_BY_ISA(triangleLimitKernels);
static const ElementKernels *const tetTable[ISA_COUNT] = KERNELS_BY_ISA(tetLimitKernels);
static const SweepKind triangleSweep = LIMIT_SWEEP(3), tetSweep = LIMIT_SWEEP(4);

static void prepare(Energy *energy, const Recipe *recipe)
{
    limitPrepare(energy, recipe, 1);
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    Rows shape = limitShape(energy);
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

const EnergyKind triangleLimitKind = LIMIT_KIND("triangle-limit", 3, triangleSweep, triangleTable);
const EnergyKind tetLimitKind = LIMIT_KIND("tet-limit", 4, tetSweep, tetTable);
