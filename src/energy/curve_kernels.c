// Springs, triangles and tets with a measured curve of stress, WIDE at a time (the energies are in curve.c,
// triangle_curve.c and tet_curve.c).
#include "energy/stretch.h"

#include "energy/feature.h"
#include "energy/spectral_wide.h"

#include "energy/curve_wide.h"

#define EDGE ((FeatureShape){ 1, 2, CURVE_EXTRA })
#define TRIANGLE ((FeatureShape){ 2, 3, TRIANGLE_CURVE_EXTRA })
#define TET ((FeatureShape){ 3, 4, TET_CURVE_EXTRA })

// w phi(s), s = |d| / l - 1
SIMD_INLINE DoubleWide edgeLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), stretch = wideSqrt(vecWideDot(f[0], f[0])), stress;
    DoubleWide value = curveAt(params + CURVE_KNOTS * LANES, stretch - 1, &stress);
    LongWide flat = stretch <= wideSet(0); // an edge of length zero pushes along x
    DoubleWide ratio = weight * stress / wideSelect(flat, wideSet(1), stretch);
    slope[0] = vecWideScale(ratio, f[0]);
    slope[0].x = wideSelect(flat, ratio, slope[0].x);
    return weight * value;
}

// w (sum phi(s_i - 1) + ratio/2 (sum (s_i - 1))^2)
SIMD_INLINE DoubleWide triangleLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), ratio = wideLoad(params + TRIANGLE_CURVE_RATIO * LANES), g[2];
    SpectrumWide s = spectrumOfTriangle(f);
    DoubleWide a = s.sigma[0] - 1, b = s.sigma[1] - 1, trace = a + b;
    DoubleWide value = curveAt(params + CURVE_KNOTS * LANES, a, &g[0]);
    value += curveAt(params + CURVE_KNOTS * LANES, b, &g[1]);
    for (int i = 0; i < 2; ++i)
        g[i] = weight * (g[i] + ratio * trace);
    spectrumCompose(&s, g, 2, slope);
    return weight * (value + 0.5 * ratio * trace * trace);
}

// w (sum phi(s_i - 1) + ratio/2 (J - 1)^2)
SIMD_INLINE DoubleWide tetLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), ratio = wideLoad(params + STRETCH_RATIO * LANES), g[3], value = wideSet(0);
    SpectrumWide s = spectrumOfTet(f);
    DoubleWide a = s.sigma[0] - 1, b = s.sigma[1] - 1, c = s.sigma[2] - 1;
    DoubleWide j = a + b + c + a * b + b * c + c * a + a * b * c;
    for (int i = 0; i < 3; ++i)
    {
        value += curveAt(params + TET_CURVE_KNOTS * LANES, s.sigma[i] - 1, &g[i]);
        g[i] = weight * (g[i] + ratio * j * s.sigma[(i + 1) % 3] * s.sigma[(i + 2) % 3]);
    }
    spectrumCompose(&s, g, 3, slope);
    return weight * (value + 0.5 * ratio * j * j);
}

FEATURE_KERNELS(curveKernels, edgeLaw, EDGE)
FEATURE_KERNELS(triangleCurveKernels, triangleLaw, TRIANGLE)
FEATURE_KERNELS(tetCurveKernels, tetLaw, TET)
