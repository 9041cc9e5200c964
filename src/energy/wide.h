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

// WIDE vertices side by side: whole loads and a transpose
SIMD_INLINE Vec3Wide vecWideRows(const double *x, int first)
{
#if WIDE == 8 && (defined(__clang__) || __GNUC__ >= 12)
    const double *p = x + 3 * (ptrdiff_t)first;
    DoubleWide a = wideLoad(p), b = wideLoad(p + 8), c = wideLoad(p + 16);
    DoubleWide ax = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 0, 0);
    DoubleWide ay = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 0, 0, 0);
    DoubleWide az = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 0, 0, 0);
    return (Vec3Wide){ __builtin_shufflevector(ax, c, 0, 1, 2, 3, 4, 5, 10, 13),
                       __builtin_shufflevector(ay, c, 0, 1, 2, 3, 4, 8, 11, 14),
                       __builtin_shufflevector(az, c, 0, 1, 2, 3, 4, 9, 12, 15) };
#else
    int row[8];
    for (int i = 0; i < WIDE; ++i)
        row[i] = first + i;
    return vecWideGather(x, row);
#endif
}

// x of them += a
SIMD_INLINE void vecWideAddRows(double *x, int first, Vec3Wide a)
{
    double *p = x + 3 * (ptrdiff_t)first;
#if WIDE == 8 && (defined(__clang__) || __GNUC__ >= 12)
    DoubleWide b = __builtin_shufflevector(a.x, a.y, 0, 8, 0, 1, 9, 0, 2, 10);
    DoubleWide c = __builtin_shufflevector(a.x, a.y, 0, 3, 11, 0, 4, 12, 0, 5);
    DoubleWide d = __builtin_shufflevector(a.x, a.y, 13, 0, 6, 14, 0, 7, 15, 0);
    wideStore(p, wideLoad(p) + __builtin_shufflevector(b, a.z, 0, 1, 8, 3, 4, 9, 6, 7));
    wideStore(p + 8, wideLoad(p + 8) + __builtin_shufflevector(c, a.z, 10, 1, 2, 11, 4, 5, 12, 7));
    wideStore(p + 16, wideLoad(p + 16) + __builtin_shufflevector(d, a.z, 0, 13, 2, 3, 14, 5, 6, 15));
#else
    for (int i = 0; i < WIDE; ++i)
    {
        p[3 * i] += a.x[i];
        p[3 * i + 1] += a.y[i];
        p[3 * i + 2] += a.z[i];
    }
#endif
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
