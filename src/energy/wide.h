// Vectors and sums of WIDE elements at once, for the kernels of this room.
#ifndef ENERGY_WIDE_H
#define ENERGY_WIDE_H

#include "base/simd.h"
#include "energy/energy.h"

typedef struct Vec3Wide
{
    DoubleWide x, y, z;
} Vec3Wide;

SIMD_INLINE Vec3Wide vecWideLoad(const double *p) // x, y, z at distance LANES
{
    return (Vec3Wide){ wideLoad(p), wideLoad(p + LANES), wideLoad(p + 2 * LANES) };
}

SIMD_INLINE void vecWideStore(double *p, Vec3Wide a)
{
    wideStore(p, a.x);
    wideStore(p + LANES, a.y);
    wideStore(p + 2 * LANES, a.z);
}

SIMD_INLINE Vec3Wide vecWideGather(const double *x, const int *row)
{
    DoubleWide p[3];
    wideGather3(x, row, p);
    return (Vec3Wide){ p[0], p[1], p[2] };
}

SIMD_INLINE Vec3Wide vecWideAdd(Vec3Wide a, Vec3Wide b)
{
    return (Vec3Wide){ a.x + b.x, a.y + b.y, a.z + b.z };
}

SIMD_INLINE Vec3Wide vecWideSub(Vec3Wide a, Vec3Wide b)
{
    return (Vec3Wide){ a.x - b.x, a.y - b.y, a.z - b.z };
}

SIMD_INLINE Vec3Wide vecWideScale(DoubleWide s, Vec3Wide a)
{
    return (Vec3Wide){ s * a.x, s * a.y, s * a.z };
}

SIMD_INLINE DoubleWide vecWideDot(Vec3Wide a, Vec3Wide b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SIMD_INLINE Vec3Wide vecWideSelect(LongWide mask, Vec3Wide a, Vec3Wide b)
{
    return (Vec3Wide){ wideSelect(mask, a.x, b.x), wideSelect(mask, a.y, b.y), wideSelect(mask, a.z, b.z) };
}

#endif
