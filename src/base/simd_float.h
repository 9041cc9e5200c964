// Vectors of single precision as wide as the instruction set, for kernels whose lanes never look at each other but in
// halves of eight, so that bits do not depend on the width. FLOATS divides 16.
#ifndef BASE_SIMD_FLOAT_H
#define BASE_SIMD_FLOAT_H

#include "base/simd.h"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define FLOATS 16
typedef Float16 FloatFull;
typedef Int16 IntFull; // the result of comparing: 0 or -1 per lane
#else
#define FLOATS 8
typedef Float8 FloatFull;
typedef Int8 IntFull;
#endif

SIMD_INLINE FloatFull floatFullLoad(const float *p)
{
    FloatFull v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE void floatFullStore(float *p, FloatFull v)
{
    memcpy(p, &v, sizeof v);
}

SIMD_INLINE FloatFull floatFullSet(float x)
{
    return x - (FloatFull){ 0 };
}

SIMD_INLINE FloatFull floatFullSelect(IntFull mask, FloatFull a, FloatFull b)
{
    return (FloatFull)((mask & (IntFull)a) | (~mask & (IntFull)b));
}

#if FLOATS == 16
SIMD_INLINE Float8 floatFullHalf(FloatFull v, int half)
{
    return (Float8)(half == 0 ? _mm512_castps512_ps256((__m512)v) : _mm512_extractf32x8_ps((__m512)v, 1));
}

SIMD_INLINE FloatFull floatFullJoin(Float8 low, Float8 high)
{
    return (FloatFull)_mm512_insertf32x8(_mm512_castps256_ps512((__m256)low), (__m256)high, 1);
}

SIMD_INLINE FloatFull floatFullSqrt(FloatFull v)
{
    return (FloatFull)_mm512_sqrt_ps((__m512)v);
}

SIMD_INLINE FloatFull floatFullFrom(const double *p)
{
    return floatFullJoin(float8From(p), float8From(p + 8));
}

SIMD_INLINE FloatFull floatFullFromShort(const int16_t *p)
{
    return (FloatFull)_mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)p)));
}

SIMD_INLINE int floatFullAny(IntFull mask) // any lane set
{
    return _mm512_movepi32_mask((__m512i)mask) != 0;
}

// rows and triples as of eight
SIMD_INLINE void floatFullLoadRows(const float *x, const int *row, FloatFull out[4])
{
    __m512 r[4];
    SIMD_UNROLL
    for (int l = 0; l < 4; ++l)
    {
        __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(x + 4 * (intptr_t)row[l]));
        v = _mm512_insertf32x4(v, _mm_loadu_ps(x + 4 * (intptr_t)row[l + 4]), 1);
        v = _mm512_insertf32x4(v, _mm_loadu_ps(x + 4 * (intptr_t)row[l + 8]), 2);
        r[l] = _mm512_insertf32x4(v, _mm_loadu_ps(x + 4 * (intptr_t)row[l + 12]), 3);
    }
    __m512 xy0 = _mm512_unpacklo_ps(r[0], r[1]), zw0 = _mm512_unpackhi_ps(r[0], r[1]);
    __m512 xy1 = _mm512_unpacklo_ps(r[2], r[3]), zw1 = _mm512_unpackhi_ps(r[2], r[3]);
    out[0] = (FloatFull)_mm512_shuffle_ps(xy0, xy1, 0x44);
    out[1] = (FloatFull)_mm512_shuffle_ps(xy0, xy1, 0xee);
    out[2] = (FloatFull)_mm512_shuffle_ps(zw0, zw1, 0x44);
    out[3] = (FloatFull)_mm512_shuffle_ps(zw0, zw1, 0xee);
}

SIMD_INLINE void floatFullStoreRows(float *x, const int *row, const FloatFull in[4])
{
    SIMD_UNROLL
    for (int half = 0; half < 2; ++half)
    {
        const Float8 part[4] = { floatFullHalf(in[0], half), floatFullHalf(in[1], half), floatFullHalf(in[2], half),
                                 floatFullHalf(in[3], half) };
        float8StoreRows(x, row + 8 * half, part);
    }
}

SIMD_INLINE void floatFullFromTriples(const double *p, FloatFull out[3])
{
    FloatFull a = floatFullFrom(p), b = floatFullFrom(p + 16), c = floatFullFrom(p + 32);
    FloatFull x = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
    FloatFull y = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0);
    FloatFull z = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0);
    out[0] = __builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29);
    out[1] = __builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30);
    out[2] = __builtin_shufflevector(z, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31);
}

SIMD_INLINE void floatFullAddTriples(double *p, const FloatFull in[3])
{
    FloatFull a = __builtin_shufflevector(in[0], in[1], 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
    FloatFull b = __builtin_shufflevector(in[0], in[1], 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
    FloatFull c = __builtin_shufflevector(in[0], in[1], 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
    const FloatFull part[3] = {
        __builtin_shufflevector(a, in[2], 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15),
        __builtin_shufflevector(b, in[2], 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15),
        __builtin_shufflevector(c, in[2], 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31),
    };
    SIMD_UNROLL
    for (int k = 0; k < 6; ++k)
    {
        Float8 half = floatFullHalf(part[k / 2], k % 2);
        double8Store(p + 8 * k, double8Load(p + 8 * k) + __builtin_convertvector(half, Double8));
    }
}
#else
SIMD_INLINE Float8 floatFullHalf(FloatFull v, int half)
{
    (void)half;
    return v;
}

SIMD_INLINE FloatFull floatFullSqrt(FloatFull v)
{
    return float8Sqrt(v);
}

SIMD_INLINE FloatFull floatFullFrom(const double *p)
{
    return float8From(p);
}

SIMD_INLINE FloatFull floatFullFromShort(const int16_t *p)
{
    return float8FromShort(p);
}

SIMD_INLINE int floatFullAny(IntFull mask)
{
    return float8Any(mask);
}

SIMD_INLINE void floatFullLoadRows(const float *x, const int *row, FloatFull out[4])
{
    float8LoadRows(x, row, out);
}

SIMD_INLINE void floatFullStoreRows(float *x, const int *row, const FloatFull in[4])
{
    float8StoreRows(x, row, in);
}

SIMD_INLINE void floatFullFromTriples(const double *p, FloatFull out[3])
{
    float8FromTriples(p, out);
}

SIMD_INLINE void floatFullAddTriples(double *p, const FloatFull in[3])
{
    float8AddTriples(p, in);
}
#endif

#endif
