// Strain of triangles, WIDE at a time (the energy is in triangle.c).
#include "energy/feature.h"
#include "energy/spectral_wide.h"

#define SHAPE ((FeatureShape){ 2, 3, TRIANGLE_EXTRA })

// w (1/2 sum (sigma - 1)^2 + ratio/2 (sum (sigma - 1))^2): its slope U diag(g) V^T needs no division by a singular
// value, so that collapsed triangles are pushed apart in a direction that is arbitrary, finite and always the same
SIMD_INLINE DoubleWide strainLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), ratio = wideLoad(params + TRIANGLE_RATIO * LANES);
    SpectrumWide s = spectrumOfTriangle(f);
    DoubleWide a = s.sigma[0] - 1, b = s.sigma[1] - 1, trace = a + b;
    DoubleWide g[2] = { weight * (a + ratio * trace), weight * (b + ratio * trace) };
    spectrumCompose(&s, g, 2, slope);
    return weight * (0.5 * (a * a + b * b) + 0.5 * ratio * trace * trace);
}

FEATURE_KERNELS(triangleKernels, strainLaw, SHAPE)
