// Active fibres, WIDE at a time (the energy is in muscle.c).
#include "energy/feature.h"

#define SHAPE ((FeatureShape){ 1, 4, MUSCLE_EXTRA })

SIMD_INLINE DoubleWide muscleLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params) * wideLoad(params + MUSCLE_ACTIVATION * LANES);
    DoubleWide least = wideSet(1 + MUSCLE_ROUND), square = vecWideDot(z[0], z[0]), whole = wideSqrt(least);
    DoubleWide length = wideSqrt(square + MUSCLE_ROUND);
    slope[0] = vecWideScale(weight * whole / length, z[0]);
    return weight * whole * ((square - 1) / (length + whole)); // the difference of the roots
}

FEATURE_TABLE(muscleKernels, muscleLaw, SHAPE)
