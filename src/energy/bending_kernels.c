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

// ---- the damper -----------------------------------------------------------------------------------------------------

#define RATE_SHAPE ((FeatureShape){ 3, energy->kind->corners, RATE_EXTRA })

SIMD_INLINE DoubleWide rateLaw(const double *params, const Vec3Wide *z, Vec3Wide *slope)
{
    return frozenLaw(params, RATE_FROZEN, z, slope);
}

FEATURE_TABLE(bendingDamperKernels, rateLaw, RATE_SHAPE)

// Slopes of the curvature in the rows of a ring at x (bending.c), divided by their norm where its square is above
// RATE_BOUND, so that the majorizer bounds rings that are torn too. Where the ring has no normal there is none.
static void freezeRings(Energy *energy, const double *x, int begin, int end)
{
    DoubleWide zero = wideSet(0), one = wideSet(1);
    Vec3Wide none = { zero, zero, zero };
    for (int i = begin * LANES; i < end * LANES; i += WIDE)
    {
        Vec3Wide z[3], slope[3];
        double *params = laneParams(energy, i / LANES) + i % LANES;
        featureRows(energy, i / LANES, i % LANES, x, RATE_SHAPE, z);
        Vec3Wide across = vecWideCross(z[1], z[2]);
        DoubleWide square = vecWideDot(across, across), inverse;
        LongWide flat = square > 1e-20 * vecWideDot(z[1], z[1]) * vecWideDot(z[2], z[2]);
        inverse = 1 / wideSqrt(wideSelect(flat, square, one));
        slope[0] = vecWideScale(inverse, across);
        Vec3Wide within = vecWideSub(z[0], vecWideScale(vecWideDot(z[0], slope[0]), slope[0]));
        slope[1] = vecWideScale(inverse, vecWideCross(z[2], within));
        slope[2] = vecWideScale(inverse, vecWideCross(within, z[1]));
        // curved at rest
        LongWide curved = wideLoad(params + BENDING_REST * LANES) > zero;
        DoubleWide length;
        Vec3Wide direction = vecWideDirection(z[0], zero, none, &length);
        slope[0] = vecWideSelect(curved, direction, vecWideSelect(flat, slope[0], none));
        DoubleWide sum = vecWideDot(slope[0], slope[0]);
        for (int r = 1; r < 3; ++r)
        {
            slope[r] = vecWideSelect(flat & ~curved, slope[r], none);
            sum += vecWideDot(slope[r], slope[r]);
        }
        DoubleWide most = wideSet(RATE_BOUND), scale = wideSqrt(most / wideSelect(sum > most, sum, most));
        for (int r = 0; r < 3; ++r)
            vecWideStore(params + (RATE_FROZEN + 3 * r) * LANES, vecWideScale(scale, slope[r]));
    }
}

const FreezeKernels KERNEL(bendingFreezes) = { freezeRings };
