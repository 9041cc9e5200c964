// Tets that yield: F = Fe Fp with the inverse of the rest edges times Fp^-1 in place of it (Irving 2004, Bargteil
// 2007). Von Mises' stress of the principal Kirchhoff stresses s dW/ds against the yield stress; flow along the
// deviator of the logarithms of the principal stretches, so that it keeps the volume and the rotation of Fe.
#include "energy/tet.h"
#include "energy/yield.h"

#include <math.h>

#define LEAST_STRETCH 0.02 // inverted and flat tets do not flow
#define SEARCHES 60
#define CLOSE 1e-13 // of the threshold

// what is known of a tet that may flow
typedef struct Flow
{
    Svd3 svd;
    double log[3], along[3]; // of the stretches; per unit of flow, minus what they change by
    double most;             // of the flow: no deviator is left
    const double *params;
    void (*slopes)(const double *params, const double *stretch, double *out);
    double threshold, hardening;
} Flow;

static void corotatedSlopes(const double *params, const double *s, double *out)
{
    double mu = params[TET_MU * LANES], press = params[TET_LAMBDA * LANES] * (s[0] + s[1] + s[2] - 3);
    for (int k = 0; k < 3; ++k)
        out[k] = 2 * mu * (s[k] - 1) + press;
}

static void neoHookeanSlopes(const double *params, const double *s, double *out)
{
    double mu = params[TET_MU * LANES], bulk = params[TET_LAMBDA * LANES] + mu, j = s[0] * s[1] * s[2];
    for (int k = 0; k < 3; ++k)
        out[k] = mu * s[k] + (bulk * (j - 1) - mu) * j / s[k];
}

// von Mises' stress after a flow, less the threshold then, Pa
static double beyond(const Flow *f, double flow)
{
    double stretch[3], stress[3], mean = 0, square = 0;
    for (int k = 0; k < 3; ++k)
        stretch[k] = growthOver(f->log[k] - flow * f->along[k]);
    f->slopes(f->params, stretch, stress);
    for (int k = 0; k < 3; ++k)
    {
        stress[k] *= stretch[k];
        mean += stress[k] / 3;
    }
    for (int k = 0; k < 3; ++k)
        square += (stress[k] - mean) * (stress[k] - mean);
    return sqrt(1.5 * square) - f->threshold - f->hardening * flow;
}

// the root between 0 and `most` (Illinois)
static double searchFlow(const Flow *f, double first)
{
    double low = 0, high = f->most, f0 = first, f1 = beyond(f, f->most), flow = high;
    int side = 0;
    for (int k = 0; k < SEARCHES && high - low > 1e-15 * f->most; ++k)
    {
        flow = (low * f1 - high * f0) / (f1 - f0);
        double at = beyond(f, flow);
        if (fabs(at) <= CLOSE * f->threshold)
            return flow;
        if (at < 0)
        {
            high = flow;
            f1 = at;
            f0 *= side < 0 ? 0.5 : 1;
            side = -1;
        }
        else
        {
            low = flow;
            f0 = at;
            f1 *= side > 0 ? 0.5 : 1;
            side = 1;
        }
    }
    return flow;
}

// inverse V diag(exp(-flow along)) V^T
static Mat3 flownInverse(const Flow *f, const Mat3 *inverse, double flow)
{
    Mat3 scaled = f->svd.v, change;
    for (int i = 0; i < 9; ++i)
        scaled.m[i / 3][i % 3] *= growthOver(-flow * f->along[i % 3]);
    change = matMultiplyTransposed(&scaled, &f->svd.v);
    return matMultiply(inverse, &change);
}

// equivalent strain of Fp
static double flowMeasure(const Mat3 *restInverse, const Mat3 *inverse)
{
    Mat3 rest = matInverse(restInverse), back = matMultiply(&rest, inverse);
    Svd3 svd = svd3(&back);
    double logs[3], mean = 0, square = 0;
    for (int k = 0; k < 3; ++k)
    {
        logs[k] = logarithm(maxReal(svd.sigma[k], 1e-300));
        mean += logs[k] / 3;
    }
    for (int k = 0; k < 3; ++k)
        square += (logs[k] - mean) * (logs[k] - mean);
    return sqrt(square / 1.5);
}

// the part of a flow that stays within the limit
static double limitedFlow(const Energy *energy, int element, const Flow *f, double flow)
{
    const Yield *yield = energy->yield;
    Mat3 rest, now = tetInverse(laneParams(energy, element / LANES), element % LANES);
    const double *made = yield->rest + (size_t)(element / LANES) * 9 * LANES + element % LANES;
    for (int k = 0; k < 9; ++k)
        rest.m[k / 3][k % 3] = made[k * LANES];
    Mat3 after = flownInverse(f, &now, flow);
    if (flowMeasure(&rest, &after) <= yield->limit)
        return flow;
    double low = 0, high = flow;
    for (int k = 0; k < 30; ++k)
    {
        double middle = 0.5 * (low + high);
        after = flownInverse(f, &now, middle);
        *(flowMeasure(&rest, &after) <= yield->limit ? &low : &high) = middle;
    }
    return low;
}

static bool flowElement(Energy *energy, const double *x, int element, double share)
{
    Yield *yield = energy->yield;
    int block = element / LANES, lane = element % LANES;
    double *params = laneParams(energy, block);
    Mat3 deformation = tetDeformation(laneVertices(energy, block), params, lane, x);
    Flow f = { .svd = svd3(&deformation),
               .params = params + lane,
               .slopes = energy->kind->yields->slopes,
               .threshold = yieldNow(yield, element),
               .hardening = yield->hardening };
    if (!(f.svd.sigma[2] > LEAST_STRETCH) || !(f.svd.sigma[0] < 1 / LEAST_STRETCH))
        return false;
    double mean = 0, square = 0;
    for (int k = 0; k < 3; ++k)
    {
        f.log[k] = logarithm(f.svd.sigma[k]);
        mean += f.log[k] / 3;
    }
    for (int k = 0; k < 3; ++k)
        square += (f.log[k] - mean) * (f.log[k] - mean);
    f.most = sqrt(square / 1.5);
    if (!(f.most > 0))
        return false;
    for (int k = 0; k < 3; ++k)
        f.along[k] = (f.log[k] - mean) / f.most;
    double first = beyond(&f, 0);
    if (!(first > 0))
        return false;
    double flow = share * searchFlow(&f, first);
    if (isfinite(yield->limit))
        flow = limitedFlow(energy, element, &f, flow);
    if (!(flow > 0))
        return false;
    Mat3 inverse = tetInverse(params, lane);
    inverse = flownInverse(&f, &inverse, flow);
    for (int k = 0; k < 9; ++k)
        params[(TET_INVERSE + k) * LANES + lane] = inverse.m[k / 3][k % 3];
    yield->strain[element] += flow;
    return true;
}

// Whether a tet of so much energy may yield at all: |s - 1|^2 is at most W / mu, which bounds the stresses. With a
// margin, for laws that are less stiff than Hooke's at some strain.
static bool mayYield(const Energy *energy, int element, double value)
{
    const double *params = laneParams(energy, element / LANES) + element % LANES;
    double mu = params[TET_MU * LANES], density = value / params[TET_VOLUME * LANES];
    double size = sqrt(2 * maxReal(density, 0) / mu);
    double press = sqrt(2 * maxReal(params[TET_LAMBDA * LANES], 0) * maxReal(density, 0));
    return sqrt(1.5) * size * (2 * mu * (1 + size) + press) > yieldNow(energy->yield, element);
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        energy->yield->threshold[i] = recipe->yield;
    energy->yield->hardening = recipe->hardening;
}

const YieldKind corotatedYield = { .first = TET_INVERSE,
                                   .count = 9,
                                   .bounds = true,
                                   .prepare = prepare,
                                   .may = mayYield,
                                   .flow = flowElement,
                                   .slopes = corotatedSlopes };
const YieldKind neoHookeanYield = { .first = TET_INVERSE,
                                    .count = 9,
                                    .bounds = true,
                                    .prepare = prepare,
                                    .may = mayYield,
                                    .flow = flowElement,
                                    .slopes = neoHookeanSlopes };
