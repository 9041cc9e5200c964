// Limits along directions of the material, WIDE at a time (the energy is in fibre.c).
#include "energy/feature.h"
#include "energy/spectral_wide.h"

// w/2 sum over the directions of (|z| - clamp(|z|))^2; a direction without length is opened along x
SIMD_INLINE DoubleWide fibres(const double *params, const Vec3Wide *z, int rows, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), sum = wideSet(0);
    for (int r = 0; r < rows; ++r)
    {
        DoubleWide low = wideLoad(params + (1 + 2 * r) * LANES), high = wideLoad(params + (2 + 2 * r) * LANES), length;
        Vec3Wide x = { wideSet(1), wideSet(0), wideSet(0) };
        Vec3Wide n = vecWideDirection(z[r], wideSet(0), x, &length);
        DoubleWide beyond = length - wideMax(low, wideMin(high, length));
        slope[r] = vecWideScale(weight * beyond, n);
        sum += beyond * beyond;
    }
    return 0.5 * weight * sum;
}

SIMD_INLINE DoubleWide edgeLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    return fibres(params, z, 1, slope);
}

SIMD_INLINE DoubleWide triangleLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    return fibres(params, z, 2, slope);
}

SIMD_INLINE DoubleWide tetLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    return fibres(params, z, 3, slope);
}

#define SHAPE(rows) ((FeatureShape){ rows, (rows) + 1, 2 * (rows) })

FEATURE_KERNELS(edgeLimitKernels, edgeLaw, SHAPE(1))
FEATURE_KERNELS(triangleFibreKernels, triangleLaw, SHAPE(2))
FEATURE_KERNELS(tetFibreKernels, tetLaw, SHAPE(3))
