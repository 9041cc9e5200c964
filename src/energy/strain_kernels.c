// Membranes and dampers of strain rates, WIDE at a time (the energies are in membrane.c and damper.c).
#include "energy/feature.h"
#include "energy/strain.h"

#define SHAPE(m) ((FeatureShape){ m, (m) + 1, FEATURE_ELASTIC })

// weight (mu e:e + lambda/2 tr(e)^2) of a symmetric e, and its slope weight frame (2 mu e + lambda tr(e)) where e comes
// from sym(frame^T z), or from half of it where the frame is z itself
SIMD_INLINE DoubleWide strainLaw(const double *params, DoubleWide e[STRAIN_MOST][STRAIN_MOST], int m,
                                 const Vec3Wide *frame, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), mu = wideLoad(params + STRAIN_MU * LANES);
    DoubleWide lambda = wideLoad(params + STRAIN_LAMBDA * LANES), square = wideSet(0), trace = wideSet(0);
    for (int i = 0; i < m; ++i)
    {
        trace += e[i][i];
        for (int j = 0; j < m; ++j)
            square += e[i][j] * e[i][j];
    }
    for (int j = 0; j < m; ++j)
    {
        slope[j] = vecWideScale(weight * lambda * trace, frame[j]);
        for (int i = 0; i < m; ++i)
            slope[j] = vecWideAdd(slope[j], vecWideScale(2 * weight * mu * e[i][j], frame[i]));
    }
    return weight * (mu * square + 0.5 * lambda * trace * trace);
}

// half the change of the metric
SIMD_INLINE DoubleWide membraneLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    DoubleWide e[STRAIN_MOST][STRAIN_MOST];
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            e[i][j] = 0.5 * (vecWideDot(z[i], z[j]) - (i == j));
    return strainLaw(params, e, 2, z, slope);
}

// the rate of strain seen from the frozen frame
SIMD_INLINE DoubleWide rateLaw(const double *params, const Vec3Wide *z, int m, Vec3Wide *slope)
{
    Vec3Wide frame[STRAIN_MOST];
    DoubleWide e[STRAIN_MOST][STRAIN_MOST];
    for (int j = 0; j < m; ++j)
        frame[j] = vecWideLoad(params + (STRAIN_FROZEN(m) + 3 * j) * LANES);
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j)
            e[i][j] = 0.5 * (vecWideDot(frame[i], z[j]) + vecWideDot(z[i], frame[j]));
    return strainLaw(params, e, m, frame, slope);
}

SIMD_INLINE DoubleWide springLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    return rateLaw(params, z, 1, slope);
}

SIMD_INLINE DoubleWide sheetLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    return rateLaw(params, z, 2, slope);
}

SIMD_INLINE DoubleWide tetLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    return rateLaw(params, z, 3, slope);
}

FEATURE_TABLE(membraneKernels, membraneLaw, SHAPE(2))
FEATURE_TABLE(springDamperKernels, springLaw, SHAPE(1))
FEATURE_TABLE(membraneDamperKernels, sheetLaw, SHAPE(2))
FEATURE_TABLE(corotatedDamperKernels, tetLaw, SHAPE(3))
