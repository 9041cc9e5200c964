// Bending by mean curvature, WIDE vertices at a time (the energy is in bending.c).
#include "energy/feature.h"
#include "energy/spectral_wide.h"

#define SHAPE ((FeatureShape){ 1, energy->kind->corners, BENDING_EXTRA })

// w/2 (|v| - rest)^2; w (|v| - rest) v/|v|. Where |v| = 0 the nearest point of the sphere is any: along x (appendix A
// leaves this case out); a plane at rest has no such point and v itself remains
SIMD_INLINE DoubleWide bendingLaw(const double *params, const Vec3Wide *v, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), rest = wideLoad(params + BENDING_REST * LANES), length;
    Vec3Wide x = { wideSet(1), wideSet(0), wideSet(0) };
    Vec3Wide n = vecWideDirection(v[0], wideSet(0), x, &length);
    DoubleWide more = length - rest;
    slope[0] = vecWideSelect(rest == wideSet(0), vecWideScale(weight, v[0]), vecWideScale(weight * more, n));
    return 0.5 * weight * more * more;
}

FEATURE_KERNELS(bendingKernels, bendingLaw, SHAPE)
