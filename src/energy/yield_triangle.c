// Triangles that yield, in plane stress: F = Fe Fp, the rows of the rest frame times Fp^-1 in place of them. Von Mises'
// stress of the two principal Kirchhoff stresses against the yield stress; flow along its normal, found by cutting
// planes (Simo and Ortiz 1985). What flows out of the plane makes the sheet thinner: matter, and with it the weight of
// an element, stays.
#include "energy/kernels.h"
#include "energy/spectral.h"
#include "energy/yield.h"

#include <math.h>

#define LEAST_STRETCH 0.02
#define CUTS 60
#define CLOSE 1e-13 // of the threshold

static const Rows shape = { 2, 3, TRIANGLE_EXTRA };

// m^3, from the rows as they were made
static double matterOf(const Energy *energy, int element)
{
    const double *b = energy->yield->rest + (size_t)(element / LANES) * 4 * LANES + element % LANES;
    return energy->yield->thickness / (2 * fabs(b[0] * b[3 * LANES] - b[LANES] * b[2 * LANES]));
}

// von Mises' stress and its slopes by the principal stresses; stress: Kirchhoff's, Pa
static double misesOf(const double stress[2], double normal[2])
{
    double q = sqrt(stress[0] * stress[0] - stress[0] * stress[1] + stress[1] * stress[1]);
    normal[0] = q > 0 ? (2 * stress[0] - stress[1]) / (2 * q) : 0;
    normal[1] = q > 0 ? (2 * stress[1] - stress[0]) / (2 * q) : 0;
    return q;
}

// equivalent strain of a flow whose logarithms in the plane are a and b
static double equivalent(double a, double b)
{
    return sqrt((a * a + b * b + (a + b) * (a + b)) / 1.5);
}

// The logarithms of the stretches after a full return, in place; returns the flow, 0: none
static double returnLogs(const Yield *yield, int element, const double *params, double scale, double logs[2])
{
    double flow = 0, ratio = params[TRIANGLE_RATIO * LANES], threshold = yieldNow(yield, element);
    double mu = 0.5 * scale * params[0], lambda = 2 * mu * ratio;
    for (int k = 0; k < CUTS; ++k)
    {
        double s[2] = { growthOver(logs[0]), growthOver(logs[1]) }, stress[2], normal[2];
        for (int i = 0; i < 2; ++i)
            stress[i] = s[i] * (2 * mu * (s[i] - 1) + lambda * (s[0] + s[1] - 2));
        double q = misesOf(stress, normal), beyond = q - threshold - yield->hardening * flow;
        if (beyond <= CLOSE * threshold)
            return flow;
        double stiffness = 2 * mu * (normal[0] * normal[0] + normal[1] * normal[1]) +
                           lambda * (normal[0] + normal[1]) * (normal[0] + normal[1]);
        double step = beyond / (stiffness + yield->hardening);
        logs[0] -= step * normal[0];
        logs[1] -= step * normal[1];
        flow += step;
    }
    return flow;
}

// rows times V diag(exp(change)) V^T, V of the spectrum
static void flownRows(const Spectrum *s, const double *change, const double *rows, double *out)
{
    double m[2][2] = { { 0 } };
    for (int k = 0; k < 2; ++k)
    {
        const double v[2] = { s->v[k].x, s->v[k].y };
        for (int i = 0; i < 4; ++i)
            m[i / 2][i % 2] += growthOver(change[k]) * v[i / 2] * v[i % 2];
    }
    for (int r = 0; r < 2; ++r)
    {
        for (int c = 0; c < 2; ++c)
            out[2 * r + c] = m[r][0] * rows[c] + m[r][1] * rows[2 + c];
    }
}

// equivalent strain of Fp: of rest^-1 rows
static double flowMeasure(const double *rest, const double *rows)
{
    double det = rest[0] * rest[3] - rest[1] * rest[2];
    const double back[4] = { rest[3] / det, -rest[1] / det, -rest[2] / det, rest[0] / det };
    double m[4];
    for (int r = 0; r < 2; ++r)
    {
        for (int c = 0; c < 2; ++c)
            m[2 * r + c] = rows[2 * r] * back[c] + rows[2 * r + 1] * back[2 + c];
    }
    double sum = vecLength(vec3(m[0] + m[3], m[1] - m[2], 0));
    double difference = vecLength(vec3(m[0] - m[3], m[1] + m[2], 0));
    double large = 0.5 * (sum + difference), small = 0.5 * fabs(sum - difference);
    return equivalent(logarithm(large), logarithm(maxReal(small, 1e-300)));
}

// the part of a change that stays within the limit
static double limitedPart(const Yield *yield, const Spectrum *s, const double *change, const double *rest,
                          const double *rows)
{
    double low = 0, high = 1;
    for (int k = 0; k < 30; ++k)
    {
        double part = k == 0 ? 1 : 0.5 * (low + high), after[4];
        const double shorter[2] = { part * change[0], part * change[1] };
        flownRows(s, shorter, rows, after);
        bool within = flowMeasure(rest, after) <= yield->limit;
        if (within && k == 0)
            return 1;
        *(within ? &low : &high) = part;
    }
    return low;
}

static bool flowElement(Energy *energy, const double *x, int element, double share)
{
    Yield *yield = energy->yield;
    int block = element / LANES, lane = element % LANES;
    double *params = laneParams(energy, block) + lane, rows[4], rest[4], after[4];
    Vec3 f[2];
    rowsAt(energy, element, x, shape, f);
    Spectrum s = spectrumOf(f, 2);
    if (!(s.sigma[1] > LEAST_STRETCH) || !(s.sigma[0] < 1 / LEAST_STRETCH))
        return false;
    double logs[2] = { logarithm(s.sigma[0]), logarithm(s.sigma[1]) };
    double change[2] = { logs[0], logs[1] };
    double flow = returnLogs(yield, element, params, 1 / matterOf(energy, element), logs);
    if (!(flow > 0))
        return false;
    for (int k = 0; k < 2; ++k)
        change[k] = share * (logs[k] - change[k]);
    for (int k = 0; k < 4; ++k)
    {
        rows[k] = params[(1 + TRIANGLE_EXTRA + k) * LANES];
        rest[k] = yield->rest[((size_t)block * 4 + (size_t)k) * LANES + (size_t)lane];
    }
    double part = isfinite(yield->limit) ? limitedPart(yield, &s, change, rest, rows) : 1;
    if (!(part > 0))
        return false;
    change[0] *= part;
    change[1] *= part;
    flownRows(&s, change, rows, after);
    for (int k = 0; k < 4; ++k)
        params[(1 + TRIANGLE_EXTRA + k) * LANES] = after[k];
    yield->strain[element] += part * share * flow;
    return true;
}

// |s - 1|^2 is at most 2 W / w; with a margin
static bool mayYield(const Energy *energy, int element, double value)
{
    const double *params = laneParams(energy, element / LANES) + element % LANES;
    double size = sqrt(2 * maxReal(value, 0) / params[0]), stiff = params[0] / matterOf(energy, element);
    double stress = 1.5 * stiff * size * (1 + size) * (1 + 2 * fabs(params[TRIANGLE_RATIO * LANES]));
    return stress > yieldNow(energy->yield, element);
}

static void prepare(Energy *energy, const Recipe *recipe)
{
    for (int i = 0; i < energy->blockCount * LANES; ++i)
        energy->yield->threshold[i] = recipe->yield;
    energy->yield->hardening = recipe->hardening;
    energy->yield->thickness = recipe->thickness;
}

const YieldKind triangleYield = {
    .first = 1 + TRIANGLE_EXTRA, .count = 4, .bounds = true, .prepare = prepare, .may = mayYield, .flow = flowElement
};
