// Springs with a measured curve of stress, WIDE at a time (the energy is in curve.c).
#include "energy/feature.h"

#define EDGE ((FeatureShape){ 1, 2, CURVE_EXTRA })

// One knot of the curve for all lanes.
typedef struct KnotWide
{
    DoubleWide strain, stress, slope, energy;
} KnotWide;

SIMD_INLINE KnotWide knotAt(const double *params, int k)
{
    const double *at = params + (CURVE_KNOTS + 4 * k) * LANES;
    return (KnotWide){ wideLoad(at), wideLoad(at + LANES), wideLoad(at + 2 * LANES), wideLoad(at + 3 * LANES) };
}

// w phi(s), s = |d| / l - 1: phi' is the cubic of its piece, a straight line beyond the first and the last knot
SIMD_INLINE DoubleWide edgeLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), stretch = wideSqrt(vecWideDot(f[0], f[0])), strain = stretch - 1;
    KnotWide before = knotAt(params, 0);
    DoubleWide beyond = strain - before.strain;
    DoubleWide stress = before.stress + before.slope * beyond;
    DoubleWide value = before.energy + beyond * (before.stress + 0.5 * before.slope * beyond);
    for (int k = 1; k < CURVE_POINTS; ++k)
    {
        KnotWide next = knotAt(params, k);
        LongWide past = strain >= before.strain;
        DoubleWide h = next.strain - before.strain, rise = next.stress - before.stress;
        DoubleWide d = h * (before.slope + next.slope) - 2 * rise;
        // Hermite's form from the end that is nearer to the origin, so that nothing cancels at rest
        LongWide left = next.strain <= wideSet(0);
        DoubleWide t = (strain - wideSelect(left, next.strain, before.strain)) / h;
        DoubleWide b = h * wideSelect(left, next.slope, before.slope);
        DoubleWide c = 3 * rise - h * (2 * before.slope + next.slope);
        c = wideSelect(left, c + 3 * d, c);
        DoubleWide at = wideSelect(left, next.stress, before.stress);
        DoubleWide sum = wideSelect(left, next.energy, before.energy);
        DoubleWide cubic = at + t * (b + t * (c + t * d));
        DoubleWide area = sum + h * t * (at + t * (0.5 * b + t * (c / 3 + 0.25 * t * d)));
        stress = wideSelect(past, cubic, stress);
        value = wideSelect(past, area, value);
        before = next;
    }
    LongWide past = strain >= before.strain;
    beyond = strain - before.strain;
    stress = wideSelect(past, before.stress + before.slope * beyond, stress);
    value = wideSelect(past, before.energy + beyond * (before.stress + 0.5 * before.slope * beyond), value);
    LongWide flat = stretch <= wideSet(0); // an edge of length zero pushes along x
    DoubleWide ratio = weight * stress / wideSelect(flat, wideSet(1), stretch);
    slope[0] = vecWideScale(ratio, f[0]);
    slope[0].x = wideSelect(flat, ratio, slope[0].x);
    return weight * value;
}

FEATURE_KERNELS(curveKernels, edgeLaw, EDGE)
