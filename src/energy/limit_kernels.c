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

// Within the limits, and not by less than rounding could change: C - low^2 and high^2 - C are positive definite, C =
// F^T F. Where that is so of all lanes there is nothing to decompose. Other vectors have the same zeros from the whole
// way, so that lanes do not depend on their neighbours
typedef struct Square
{
    DoubleWide low, high; // of the limits
} Square;

SIMD_INLINE Square squaresOf(const double *params)
{
    DoubleWide low = (1 + 1e-7) * wideLoad(params + LIMIT_LOW * LANES), most = wideSet(1e50);
    DoubleWide high = (1 - 1e-7) * wideMin(wideLoad(params + LIMIT_HIGH * LANES), most);
    return (Square){ low * low, high * high };
}

SIMD_INLINE LongWide isDefinite(Vec3Wide d, Vec3Wide o) // xx, yy, zz and yz, xz, xy
{
    DoubleWide zero = wideSet(0), minor = d.x * d.y - o.z * o.z;
    DoubleWide det = d.z * minor - o.x * (d.x * o.x - o.z * o.y) + o.y * (o.z * o.x - d.y * o.y);
    return (d.x > zero) & (minor > zero) & (det > zero);
}

SIMD_INLINE LongWide isInsideTet(const double *params, const Vec3Wide *f)
{
    Square square = squaresOf(params);
    Vec3Wide d = { vecWideDot(f[0], f[0]), vecWideDot(f[1], f[1]), vecWideDot(f[2], f[2]) };
    Vec3Wide o = { vecWideDot(f[1], f[2]), vecWideDot(f[0], f[2]), vecWideDot(f[0], f[1]) };
    Vec3Wide above = { d.x - square.low, d.y - square.low, d.z - square.low };
    Vec3Wide below = { square.high - d.x, square.high - d.y, square.high - d.z }, across = { -o.x, -o.y, -o.z };
    return isDefinite(above, o) & isDefinite(below, across) & (vecWideDot(f[0], vecWideCross(f[1], f[2])) > wideSet(0));
}

SIMD_INLINE LongWide isInsideTriangle(const double *params, const Vec3Wide *f)
{
    Square square = squaresOf(params);
    DoubleWide a = vecWideDot(f[0], f[0]), b = vecWideDot(f[0], f[1]), c = vecWideDot(f[1], f[1]), zero = wideSet(0);
    DoubleWide aLow = a - square.low, cLow = c - square.low, aHigh = square.high - a, cHigh = square.high - c;
    return (aLow > zero) & (aLow * cLow > b * b) & (aHigh > zero) & (aHigh * cHigh > b * b);
}

SIMD_INLINE DoubleWide nothing(int columns, Vec3Wide *slope)
{
    for (int k = 0; k < columns; ++k)
        slope[k] = (Vec3Wide){ wideSet(0), wideSet(0), wideSet(0) };
    return wideSet(0);
}

SIMD_INLINE DoubleWide triangleLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    if (!wideAny(~isInsideTriangle(params, f)))
        return nothing(2, slope);
    SpectrumWide s = spectrumOfTriangle(f);
    return limit(params, &s, 2, slope);
}

SIMD_INLINE DoubleWide tetLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    if (!wideAny(~isInsideTet(params, f)))
        return nothing(3, slope);
    SpectrumWide s = spectrumOfTet(f);
    return limit(params, &s, 3, slope);
}

FEATURE_KERNELS(triangleLimitKernels, triangleLaw, TRIANGLE)
FEATURE_KERNELS(tetLimitKernels, tetLaw, TET)
