// Linear and neo-Hookean tets, WIDE at a time (the energies are in linear.c and neo_hookean.c).
#include "energy/feature.h"
#include "energy/spectral_wide.h"

#define SHAPE ((FeatureShape){ 3, 4, FEATURE_ELASTIC })

// D = F - I by columns, and its rows
SIMD_INLINE void awayFromRest(const Vec3Wide *f, Vec3Wide *column, Vec3Wide *row)
{
    column[0] = (Vec3Wide){ f[0].x - 1, f[0].y, f[0].z };
    column[1] = (Vec3Wide){ f[1].x, f[1].y - 1, f[1].z };
    column[2] = (Vec3Wide){ f[2].x, f[2].y, f[2].z - 1 };
    row[0] = (Vec3Wide){ column[0].x, column[1].x, column[2].x };
    row[1] = (Vec3Wide){ column[0].y, column[1].y, column[2].y };
    row[2] = (Vec3Wide){ column[0].z, column[1].z, column[2].z };
}

// a + s I, by columns
SIMD_INLINE void addDiagonal(Vec3Wide *a, DoubleWide s)
{
    a[0].x += s;
    a[1].y += s;
    a[2].z += s;
}

// V (mu |e|^2 + lambda/2 tr(e)^2), e = sym D
SIMD_INLINE DoubleWide linearLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    DoubleWide volume = wideLoad(params + TET_VOLUME * LANES), mu = wideLoad(params + TET_MU * LANES);
    DoubleWide lambda = wideLoad(params + TET_LAMBDA * LANES), square = wideSet(0);
    Vec3Wide d[3], row[3];
    awayFromRest(f, d, row);
    DoubleWide trace = d[0].x + d[1].y + d[2].z;
    for (int k = 0; k < 3; ++k)
    {
        Vec3Wide twice = vecWideAdd(d[k], row[k]);
        square += 0.25 * vecWideDot(twice, twice);
        slope[k] = vecWideScale(volume * mu, twice);
    }
    addDiagonal(slope, volume * lambda * trace);
    return volume * (mu * square + 0.5 * lambda * trace * trace);
}

// V (mu/2 (|F|^2 - 3) + l/2 (J - 1 - mu/l)^2) less its value at rest, l = lambda + mu (Smith 2018). In D, so that
// nothing cancels near rest: J - 1 = tr D + m + det D with m the sum of its second minors, and the cofactor of F is I
// plus tr(D) I - D^T + that of D, here `turned`
SIMD_INLINE DoubleWide neoHookeanLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    DoubleWide volume = wideLoad(params + TET_VOLUME * LANES), mu = wideLoad(params + TET_MU * LANES);
    DoubleWide bulk = wideLoad(params + TET_LAMBDA * LANES) + mu, square = wideSet(0);
    Vec3Wide d[3], row[3], turned[3];
    awayFromRest(f, d, row);
    const Vec3Wide cofactor[3] = { vecWideCross(d[1], d[2]), vecWideCross(d[2], d[0]), vecWideCross(d[0], d[1]) };
    DoubleWide trace = d[0].x + d[1].y + d[2].z, minors = cofactor[0].x + cofactor[1].y + cofactor[2].z;
    DoubleWide bent = minors + vecWideDot(d[0], cofactor[0]), j = trace + bent, press = volume * bulk * j;
    for (int k = 0; k < 3; ++k)
        turned[k] = vecWideSub(cofactor[k], row[k]);
    addDiagonal(turned, trace);
    for (int k = 0; k < 3; ++k)
    {
        square += vecWideDot(d[k], d[k]);
        slope[k] = vecWideAdd(vecWideScale(volume * mu, vecWideSub(d[k], turned[k])), vecWideScale(press, turned[k]));
    }
    addDiagonal(slope, press);
    return volume * (mu * (0.5 * square - bent) + 0.5 * bulk * j * j);
}

FEATURE_TABLE(linearTetKernels, linearLaw, SHAPE)
FEATURE_TABLE(neoHookeanKernels, neoHookeanLaw, SHAPE)
