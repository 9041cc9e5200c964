// Area preservation of triangles and volume preservation of tets, w/2 |F - T|^2 with T the nearest matrix whose
// determinant lies within [low, high] (Bouaziz 2014, section 5.2; Eq 24). With w = columns x K this is K/2 (J - 1)^2
// for small changes of volume: K is a bulk modulus.
//
// The nearest singular values s* of Eq 25. We do not iterate Eq 26, which needs dozens of steps and no longer moves
// where the gradient of the product vanishes (elements shrunk to a line or a point). At the minimum (s*_i - s_i) s*_i =
// t is the same for all i, so that s*_i = (s_i + sqrt(s_i^2 + 4t)) / 2, and with y = s* of the smallest, t = y (y - s):
// one equation in one unknown, whose product of s* grows with y. Newton's method comes from above: all s* are at least
// y, so that y <= max(1, want). Flat, inverted and vanished elements are no exception. Expanded ones start at y = s;
// the branch y < s/2, where the root changes its sign, is included. Up to a uniform expansion of 2 this is the nearest
// point; beyond, squashing one axis alone would be nearer in some cases, and it is only a stationary one.
#include "energy/limit.h"

static const ElementKernels *const triangleTable[ISA_COUNT] = KERNELS_BY_ISA(areaKernels);
static const ElementKernels *const tetTable[ISA_COUNT] = KERNELS_BY_ISA(volumeKernels);
static const SweepKind triangleSweep = LIMIT_SWEEP(3), tetSweep = LIMIT_SWEEP(4);

static void prepare(Energy *energy, const Recipe *recipe)
{
    limitPrepare(energy, recipe, limitShape(energy).rows);
}

// false: the product lies within the limits
static bool nearestProduct(const double *sigma, int count, double low, double high, double *out)
{
    double product = sigma[0] * sigma[1] * (count == 3 ? sigma[2] : 1), want = maxReal(low, minReal(high, product));
    if (want == product)
        return false;
    double least = sigma[count - 1], y = product > want ? least : maxReal(want, 1);
    double bottom = product > want ? 0 : maxReal(least, 0);
    for (int k = 0; k < VOLUME_ITERATIONS; ++k)
    {
        double t = y * (y - least), slope = 2 * y - least, f = y, df = 1;
        for (int i = 0; i < count - 1; ++i)
        {
            double root = sqrt(maxReal(sigma[i] * sigma[i] + 4 * t, 0)), a = 0.5 * (sigma[i] + root);
            df = df * a + f * (slope / maxReal(root, 1e-150));
            f *= a;
        }
        double next = y - (f - want) / df;
        next = next > bottom ? next : 0.5 * (y + bottom);
        bool still = fabs(next - y) <= VOLUME_STILL * y;
        y = next;
        if (still)
            break;
    }
    for (int i = 0; i < count; ++i)
        out[i] = i == count - 1 ? y : 0.5 * (sigma[i] + sqrt(maxReal(sigma[i] * sigma[i] + 4 * y * (y - least), 0)));
    return true;
}

// from the differential of (s* - s) s* = t and of the product: with q = 2 s* - s and D = sum 1 / (q s*),
// ds*_i / ds_j = (i == j) s*_i / q_i - 1 / (q_i q_j D)
static void stretchHessian(const double *sigma, const double *nearest, int count, double w, double h[3][3])
{
    double q[3], sum = 0;
    for (int i = 0; i < count; ++i)
    {
        q[i] = 2 * nearest[i] - sigma[i];
        q[i] = fabs(q[i]) > 1e-12 ? q[i] : 1e-12; // where the branches of the root meet
        sum += 1 / (q[i] * nearest[i]);
    }
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j)
            h[i][j] = w * ((i == j) * (1 - nearest[i] / q[i]) + 1 / (q[i] * q[j] * sum));
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
        double g[3] = { 0, 0, 0 }, h[3][3] = { 0 }, inner[81], nearest[3];
        if (nearestProduct(s.sigma, shape.rows, params[LIMIT_LOW * LANES], params[LIMIT_HIGH * LANES], nearest))
        {
            for (int i = 0; i < shape.rows; ++i)
                g[i] = params[0] * (s.sigma[i] - nearest[i]);
            stretchHessian(s.sigma, nearest, shape.rows, params[0], h);
        }
        spectralHessian(&s, shape.rows, g, h, mode, inner);
        rowsHessian(energy, block * LANES + lane, shape, inner, out + lane * 9 * shape.corners * shape.corners);
    }
}

const EnergyKind areaKind = LIMIT_KIND("area", 3, triangleSweep, triangleTable);
const EnergyKind volumeKind = LIMIT_KIND("volume", 4, tetSweep, tetTable);
