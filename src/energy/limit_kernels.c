// Strain limits of triangles and tets, WIDE at a time (the energy is in limit.c).
#include "energy/feature.h"
#include "energy/spectral_wide.h"

#define TRIANGLE ((FeatureShape){ 2, 3, LIMIT_EXTRA })
#define TET ((FeatureShape){ 3, 4, LIMIT_EXTRA })

// w/2 sum (sigma - clamp(sigma))^2
SIMD_INLINE DoubleWide limit(const double *params, const SpectrumWide *s, int columns, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), g[3], sum = wideSet(0);
    DoubleWide low = wideLoad(params + LIMIT_LOW * LANES), high = wideLoad(params + LIMIT_HIGH * LANES);
    for (int i = 0; i < columns; ++i)
    {
        DoubleWide beyond = s->sigma[i] - wideMax(low, wideMin(high, s->sigma[i]));
        g[i] = weight * beyond;
        sum += beyond * beyond;
    }
    spectrumCompose(s, g, columns, slope);
    return 0.5 * weight * sum;
}

SIMD_INLINE DoubleWide triangleLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    SpectrumWide s = spectrumOfTriangle(f);
    return limit(params, &s, 2, slope);
}

SIMD_INLINE DoubleWide tetLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    SpectrumWide s = spectrumOfTet(f);
    return limit(params, &s, 3, slope);
}

FEATURE_KERNELS(triangleLimitKernels, triangleLaw, TRIANGLE)
FEATURE_KERNELS(tetLimitKernels, tetLaw, TET)
