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

// weight/2 more e^2 along warp and weft, and its slope along the frame
SIMD_INLINE DoubleWide weaveLaw(const double *params, int first, const DoubleWide *e, const Vec3Wide *frame,
                                Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), value = wideSet(0);
    for (int j = 0; j < WEAVE_PARAMS; ++j)
    {
        DoubleWide stress = weight * wideLoad(params + (first + j) * LANES) * e[j];
        slope[j] = vecWideAdd(slope[j], vecWideScale(stress, frame[j]));
        value += 0.5 * stress * e[j];
    }
    return value;
}

SIMD_INLINE DoubleWide wovenLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    DoubleWide value = membraneLaw(params, z, slope);
    const DoubleWide e[2] = { 0.5 * (vecWideDot(z[0], z[0]) - 1), 0.5 * (vecWideDot(z[1], z[1]) - 1) };
    return value + weaveLaw(params, WEAVE_ELASTIC, e, z, slope);
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

SIMD_INLINE DoubleWide wovenRateLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    DoubleWide value = rateLaw(params, z, 2, slope);
    const Vec3Wide frame[2] = { vecWideLoad(params + STRAIN_FROZEN(2) * LANES),
                                vecWideLoad(params + (STRAIN_FROZEN(2) + 3) * LANES) };
    const DoubleWide e[2] = { vecWideDot(frame[0], z[0]), vecWideDot(frame[1], z[1]) };
    return value + weaveLaw(params, WEAVE_RATE, e, frame, slope);
}

SIMD_INLINE DoubleWide tetLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    return rateLaw(params, z, 3, slope);
}

FEATURE_TABLE(membraneKernels, membraneLaw, SHAPE(2))
FEATURE_TABLE(springDamperKernels, springLaw, SHAPE(1))
FEATURE_TABLE(membraneDamperKernels, sheetLaw, SHAPE(2))
FEATURE_TABLE(wovenKernels, wovenLaw, SHAPE(2))
FEATURE_TABLE(wovenDamperKernels, wovenRateLaw, SHAPE(2))
FEATURE_TABLE(corotatedDamperKernels, tetLaw, SHAPE(3))

// ---- where rates are frozen -----------------------------------------------------------------------------------------

// F at x, scaled as damper.c says, into the params
SIMD_INLINE void freezeBlocks(Energy *energy, const double *x, int begin, int end, int m)
{
    DoubleWide zero = wideSet(0), one = wideSet(1);
    for (int i = begin * LANES; i < end * LANES; i += WIDE)
    {
        Vec3Wide f[STRAIN_MOST];
        double *frozen = laneParams(energy, i / LANES) + i % LANES + STRAIN_FROZEN(m) * LANES;
        featureRows(energy, i / LANES, i % LANES, x, SHAPE(m), f);
        DoubleWide bound = zero; // of the largest eigenvalue of F^T F: the largest sum of a row
        for (int a = 0; a < m; ++a)
        {
            DoubleWide sum = zero;
            for (int b = 0; b < m; ++b)
            {
                DoubleWide dot = vecWideDot(f[a], f[b]);
                sum += wideSelect(dot < zero, -dot, dot);
            }
            bound = wideSelect(bound > sum, bound, sum);
        }
        // a spring needs its direction alone; of length zero it has none and damps nothing
        LongWide some = bound > zero;
        DoubleWide square = m == 1 ? wideSelect(some, bound, one) : wideSelect(bound > one, bound, one);
        DoubleWide scale = one / wideSqrt(square);
        for (int j = 0; j < m; ++j)
            vecWideStore(frozen + 3 * j * LANES, vecWideScale(m == 1 ? wideSelect(some, scale, zero) : scale, f[j]));
    }
}

static void freezeSprings(Energy *energy, const double *x, int begin, int end)
{
    freezeBlocks(energy, x, begin, end, 1);
}

static void freezeSheets(Energy *energy, const double *x, int begin, int end)
{
    freezeBlocks(energy, x, begin, end, 2);
}

static void freezeTets(Energy *energy, const double *x, int begin, int end)
{
    freezeBlocks(energy, x, begin, end, 3);
}

const FreezeKernels KERNEL(springFreezes) = { freezeSprings };
const FreezeKernels KERNEL(membraneFreezes) = { freezeSheets };
const FreezeKernels KERNEL(corotatedFreezes) = { freezeTets };
