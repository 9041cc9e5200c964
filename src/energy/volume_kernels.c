// Area and volume preservation, WIDE at a time (the energy is in volume.c).
#include "energy/feature.h"
#include "energy/spectral_wide.h"

#define TRIANGLE ((FeatureShape){ 2, 3, LIMIT_EXTRA })
#define TET ((FeatureShape){ 3, 4, LIMIT_EXTRA })

// The nearest point with a product of `want`, as in volume.c; lanes in `inside` stay where they are
SIMD_INLINE void nearestProduct(const DoubleWide *sigma, int count, DoubleWide product, DoubleWide want,
                                LongWide inside, DoubleWide *out)
{
    DoubleWide zero = wideSet(0), least = sigma[count - 1], y = wideMax(want, wideSet(1)), floor = wideMax(least, zero);
    LongWide larger = product > want;
    y = wideSelect(larger, least, y);
    floor = wideSelect(larger, zero, floor);
    LongWide done = inside;
    for (int k = 0; k < VOLUME_ITERATIONS && wideAny(~done); ++k)
    {
        DoubleWide t = y * (y - least), slope = 2 * y - least, f = y, df = wideSet(1);
        for (int i = 0; i < count - 1; ++i)
        {
            DoubleWide root = wideSqrt(wideMax(sigma[i] * sigma[i] + 4 * t, zero));
            DoubleWide a = 0.5 * (sigma[i] + root);
            df = df * a + f * (slope / wideMax(root, wideSet(1e-150)));
            f *= a;
        }
        DoubleWide next = y - (f - want) / df;
        next = wideSelect(next > floor, next, 0.5 * (y + floor));
        DoubleWide change = next - y;
        LongWide still = wideMax(change, -change) <= VOLUME_STILL * y;
        y = wideSelect(done, y, next);
        done |= still;
    }
    DoubleWide t = y * (y - least);
    for (int i = 0; i < count; ++i)
    {
        DoubleWide root = wideSqrt(wideMax(sigma[i] * sigma[i] + 4 * t, zero));
        DoubleWide nearest = i == count - 1 ? y : 0.5 * (sigma[i] + root);
        out[i] = wideSelect(inside, sigma[i], nearest);
    }
}

SIMD_INLINE DoubleWide keep(const double *params, const SpectrumWide *s, int columns, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), g[3], nearest[3], sum = wideSet(0), product = s->sigma[0] * s->sigma[1];
    DoubleWide low = wideLoad(params + LIMIT_LOW * LANES), high = wideLoad(params + LIMIT_HIGH * LANES);
    if (columns == 3)
        product *= s->sigma[2];
    DoubleWide want = wideMax(low, wideMin(high, product));
    nearestProduct(s->sigma, columns, product, want, product == want, nearest);
    for (int i = 0; i < columns; ++i)
    {
        DoubleWide away = s->sigma[i] - nearest[i];
        g[i] = weight * away;
        sum += away * away;
    }
    spectrumCompose(s, g, columns, slope);
    return 0.5 * weight * sum;
}

SIMD_INLINE DoubleWide areaLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    SpectrumWide s = spectrumOfTriangle(f);
    return keep(params, &s, 2, slope);
}

SIMD_INLINE DoubleWide volumeLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    SpectrumWide s = spectrumOfTet(f);
    return keep(params, &s, 3, slope);
}

FEATURE_KERNELS(areaKernels, areaLaw, TRIANGLE)
FEATURE_KERNELS(volumeKernels, volumeLaw, TET)
