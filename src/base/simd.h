// Vectors of a fixed logical width over the compiler's vector types: the one place that knows about them. A kernel
// source (src/<room>/<noun>_kernels.c) is compiled once per instruction set; KERNEL(name) gives each copy its own name,
// and the room picks a table of functions by Isa. The compiler splits a logical vector into as many registers as the
// set needs.
#ifndef BASE_SIMD_H
#define BASE_SIMD_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if !defined(KERNEL_ISA)
#define KERNEL_ISA base
#endif
#define KERNEL_JOIN_(name, isa) name##_##isa
#define KERNEL_JOIN(name, isa) KERNEL_JOIN_(name, isa)
#define KERNEL(name) KERNEL_JOIN(name, KERNEL_ISA)

// vectors never cross a function boundary that is not inlined, so the warning about their calling convention is moot
// (gcc minds this only on the command line)
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpsabi"
#endif
// SIMD_UNROLL stands in front of a short loop over registers: as long as it is a loop, they are memory. Under gcc's
// sanitizers the compiler decides: what it is told to inline and unroll takes ten times as long to compile there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SIMD_INLINE static inline __attribute__((unused))
#define SIMD_UNROLL
#elif defined(__clang__)
#define SIMD_INLINE static inline __attribute__((always_inline))
#define SIMD_UNROLL _Pragma("clang loop unroll(full)")
#else
#define SIMD_INLINE static inline __attribute__((always_inline))
#define SIMD_UNROLL _Pragma("GCC unroll 21")
#endif

typedef float Float4 __attribute__((vector_size(16)));
typedef float Float16 __attribute__((vector_size(64)));
typedef int32_t Int16 __attribute__((vector_size(64)));
typedef double Double8 __attribute__((vector_size(64)));
typedef int64_t Long8 __attribute__((vector_size(64))); // also the result of comparing Double8: 0 or -1 per lane

// loads and stores from any address; the compiler makes one instruction of each
SIMD_INLINE Float4 float4Load(const float *p)
{
    Float4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE void float4Store(float *p, Float4 v)
{
    memcpy(p, &v, sizeof v);
}

SIMD_INLINE Float4 float4Set(float x)
{
    return (Float4){ x, x, x, x };
}

SIMD_INLINE Float16 float16Load(const float *p)
{
    Float16 v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE void float16Store(float *p, Float16 v)
{
    memcpy(p, &v, sizeof v);
}

SIMD_INLINE Float16 float16Set(float x)
{
    return (Float16){ x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x };
}

SIMD_INLINE Double8 double8Load(const double *p)
{
    Double8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE void double8Store(double *p, Double8 v)
{
    memcpy(p, &v, sizeof v);
}

SIMD_INLINE Double8 double8Set(double x)
{
    return (Double8){ x, x, x, x, x, x, x, x };
}

// where mask is -1 take a, where it is 0 take b
SIMD_INLINE Double8 double8Select(Long8 mask, Double8 a, Double8 b)
{
    return (Double8)((mask & (Long8)a) | (~mask & (Long8)b));
}

SIMD_INLINE Double8 double8Sqrt(Double8 v)
{
    Double8 r;
    for (int i = 0; i < 8; ++i)
        r[i] = __builtin_sqrt(v[i]);
    return r;
}

SIMD_INLINE int double8Any(Long8 mask) // any lane set
{
    int64_t any = 0;
    for (int i = 0; i < 8; ++i)
        any |= mask[i];
    return any != 0;
}

// ---- eight in single precision --------------------------------------------------------------------------------------

typedef float Float8 __attribute__((vector_size(32)));
typedef int32_t Int8 __attribute__((vector_size(32))); // the result of comparing: 0 or -1 per lane

SIMD_INLINE Float8 float8Load(const float *p)
{
    Float8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE Float8 float8Set(float x)
{
    return (Float8){ x, x, x, x, x, x, x, x };
}

SIMD_INLINE Float8 float8Select(Int8 mask, Float8 a, Float8 b)
{
    return (Float8)((mask & (Int8)a) | (~mask & (Int8)b));
}

SIMD_INLINE Float8 float8Sqrt(Float8 v)
{
#if defined(__AVX__)
    return (Float8)_mm256_sqrt_ps((__m256)v);
#elif defined(__SSE2__)
    Float8 r;
    _mm_storeu_ps((float *)&r, _mm_sqrt_ps(_mm_loadu_ps((const float *)&v)));
    _mm_storeu_ps((float *)&r + 4, _mm_sqrt_ps(_mm_loadu_ps((const float *)&v + 4)));
    return r;
#else
    Float8 r;
    for (int i = 0; i < 8; ++i)
        r[i] = __builtin_sqrtf(v[i]);
    return r;
#endif
}

SIMD_INLINE Float8 float8From(const double *p)
{
    return __builtin_convertvector(double8Load(p), Float8);
}

SIMD_INLINE void float8To(double *p, Float8 v)
{
    for (int i = 0; i < 8; ++i)
        p[i] = (double)v[i];
}

SIMD_INLINE Float8 float8FromShort(const int16_t *p)
{
#if defined(__AVX2__)
    return (Float8)_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
#else
    Float8 r;
    for (int i = 0; i < 8; ++i)
        r[i] = (float)p[i];
    return r;
#endif
}

SIMD_INLINE int float8Any(Int8 mask) // any lane set
{
#if defined(__AVX__)
    return _mm256_movemask_ps((__m256)mask) != 0;
#else
    int32_t any = 0;
    for (int i = 0; i < 8; ++i)
        any |= mask[i];
    return any != 0;
#endif
}

SIMD_INLINE unsigned float8Lanes(Int8 mask) // a bit for each lane that is set
{
#if defined(__AVX__)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    __m128 half[2];
    memcpy(half, &mask, sizeof half);
    return (unsigned)(_mm_movemask_ps(half[0]) | _mm_movemask_ps(half[1]) << 4);
#else
    unsigned lanes = 0;
    for (int i = 0; i < 8; ++i)
        lanes |= (unsigned)(mask[i] & 1) << i;
    return lanes;
#endif
}

SIMD_INLINE float float8Sum(Float8 v)
{
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

// the same of four at once
SIMD_INLINE Float4 float8Sums(const Float8 v[4])
{
#if defined(__AVX__)
    __m128 t[4];
    SIMD_UNROLL
    for (int k = 0; k < 4; ++k)
        t[k] = _mm_add_ps(_mm256_castps256_ps128((__m256)v[k]), _mm256_extractf128_ps((__m256)v[k], 1));
    _MM_TRANSPOSE4_PS(t[0], t[1], t[2], t[3]);
    return (Float4)_mm_add_ps(_mm_add_ps(t[0], t[2]), _mm_add_ps(t[1], t[3]));
#else
    return (Float4){ float8Sum(v[0]), float8Sum(v[1]), float8Sum(v[2]), float8Sum(v[3]) };
#endif
}

// rows x y z w as wideLoadRows and wideStoreRows have them
SIMD_INLINE void float8LoadRows(const float *x, const int *row, Float8 out[4])
{
#if defined(__AVX__)
    __m256 r[4];
    SIMD_UNROLL
    for (int l = 0; l < 4; ++l)
        r[l] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(x + 4 * (intptr_t)row[l])),
                                    _mm_loadu_ps(x + 4 * (intptr_t)row[l + 4]), 1);
    __m256 xy0 = _mm256_unpacklo_ps(r[0], r[1]), zw0 = _mm256_unpackhi_ps(r[0], r[1]);
    __m256 xy1 = _mm256_unpacklo_ps(r[2], r[3]), zw1 = _mm256_unpackhi_ps(r[2], r[3]);
    out[0] = (Float8)_mm256_shuffle_ps(xy0, xy1, 0x44);
    out[1] = (Float8)_mm256_shuffle_ps(xy0, xy1, 0xee);
    out[2] = (Float8)_mm256_shuffle_ps(zw0, zw1, 0x44);
    out[3] = (Float8)_mm256_shuffle_ps(zw0, zw1, 0xee);
#elif defined(__SSE2__)
    SIMD_UNROLL
    for (int half = 0; half < 2; ++half)
    {
        const int *at = row + 4 * half;
        __m128 r0 = _mm_loadu_ps(x + 4 * (intptr_t)at[0]), r1 = _mm_loadu_ps(x + 4 * (intptr_t)at[1]);
        __m128 r2 = _mm_loadu_ps(x + 4 * (intptr_t)at[2]), r3 = _mm_loadu_ps(x + 4 * (intptr_t)at[3]);
        _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
        memcpy((float *)&out[0] + 4 * half, &r0, sizeof r0);
        memcpy((float *)&out[1] + 4 * half, &r1, sizeof r1);
        memcpy((float *)&out[2] + 4 * half, &r2, sizeof r2);
        memcpy((float *)&out[3] + 4 * half, &r3, sizeof r3);
    }
#else
    for (int i = 0; i < 32; ++i)
        out[i % 4][i / 4] = x[4 * (intptr_t)row[i / 4] + i % 4];
#endif
}

SIMD_INLINE void float8StoreRows(float *x, const int *row, const Float8 in[4])
{
#if defined(__AVX__)
    __m256 xy0 = _mm256_unpacklo_ps((__m256)in[0], (__m256)in[1]),
           xy1 = _mm256_unpackhi_ps((__m256)in[0], (__m256)in[1]);
    __m256 zw0 = _mm256_unpacklo_ps((__m256)in[2], (__m256)in[3]),
           zw1 = _mm256_unpackhi_ps((__m256)in[2], (__m256)in[3]);
    __m256 r[4] = { _mm256_shuffle_ps(xy0, zw0, 0x44), _mm256_shuffle_ps(xy0, zw0, 0xee),
                    _mm256_shuffle_ps(xy1, zw1, 0x44), _mm256_shuffle_ps(xy1, zw1, 0xee) };
    SIMD_UNROLL
    for (int l = 0; l < 4; ++l)
    {
        _mm_storeu_ps(x + 4 * (intptr_t)row[l], _mm256_castps256_ps128(r[l]));
        _mm_storeu_ps(x + 4 * (intptr_t)row[l + 4], _mm256_extractf128_ps(r[l], 1));
    }
#elif defined(__SSE2__)
    SIMD_UNROLL
    for (int half = 0; half < 2; ++half)
    {
        const int *at = row + 4 * half;
        __m128 r0 = _mm_loadu_ps((const float *)&in[0] + 4 * half), r1 = _mm_loadu_ps((const float *)&in[1] + 4 * half);
        __m128 r2 = _mm_loadu_ps((const float *)&in[2] + 4 * half), r3 = _mm_loadu_ps((const float *)&in[3] + 4 * half);
        _MM_TRANSPOSE4_PS(r0, r1, r2, r3);
        _mm_storeu_ps(x + 4 * (intptr_t)at[0], r0);
        _mm_storeu_ps(x + 4 * (intptr_t)at[1], r1);
        _mm_storeu_ps(x + 4 * (intptr_t)at[2], r2);
        _mm_storeu_ps(x + 4 * (intptr_t)at[3], r3);
    }
#else
    for (int i = 0; i < 32; ++i)
        x[4 * (intptr_t)row[i / 4] + i % 4] = in[i % 4][i / 4];
#endif
}

// Eight rows of three numbers one behind the other: out[a] lane l = p[3 l + a], rounded; and the reverse, added to what
// is there. Through registers: a load that spans two stores before it waits until they are in memory.
SIMD_INLINE void float8FromTriples(const double *p, Float8 out[3])
{
#if defined(__AVX2__)
    __m256 a = (__m256)float8From(p), b = (__m256)float8From(p + 8), c = (__m256)float8From(p + 16);
    __m256 x = _mm256_blend_ps(_mm256_blend_ps(a, b, 0x92), c, 0x24); // numbers 0 9 18 3 12 21 6 15
    __m256 y = _mm256_blend_ps(_mm256_blend_ps(a, b, 0x24), c, 0x49); // 16 1 10 19 4 13 22 7
    __m256 z = _mm256_blend_ps(_mm256_blend_ps(a, b, 0x49), c, 0x92); // 8 17 2 11 20 5 14 23
    out[0] = (Float8)_mm256_permutevar8x32_ps(x, _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5));
    out[1] = (Float8)_mm256_permutevar8x32_ps(y, _mm256_setr_epi32(1, 4, 7, 2, 5, 0, 3, 6));
    out[2] = (Float8)_mm256_permutevar8x32_ps(z, _mm256_setr_epi32(2, 5, 0, 3, 6, 1, 4, 7));
#else
    for (int i = 0; i < 24; ++i)
        out[i % 3][i / 3] = (float)p[i];
#endif
}

SIMD_INLINE void float8AddTriples(double *p, const Float8 in[3])
{
#if defined(__AVX2__)
    __m256 x = _mm256_permutevar8x32_ps((__m256)in[0], _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5));
    __m256 y = _mm256_permutevar8x32_ps((__m256)in[1], _mm256_setr_epi32(5, 0, 3, 6, 1, 4, 7, 2));
    __m256 z = _mm256_permutevar8x32_ps((__m256)in[2], _mm256_setr_epi32(2, 5, 0, 3, 6, 1, 4, 7));
    Float8 part[3] = { (Float8)_mm256_blend_ps(_mm256_blend_ps(x, y, 0x92), z, 0x24),
                       (Float8)_mm256_blend_ps(_mm256_blend_ps(x, y, 0x24), z, 0x49),
                       (Float8)_mm256_blend_ps(_mm256_blend_ps(x, y, 0x49), z, 0x92) };
    SIMD_UNROLL
    for (int k = 0; k < 3; ++k)
        double8Store(p + 8 * k, double8Load(p + 8 * k) + __builtin_convertvector(part[k], Double8));
#else
    for (int i = 0; i < 24; ++i)
        p[i] += (double)in[i % 3][i / 3];
#endif
}

// ---- as wide as the instruction set ---------------------------------------------------------------------------------
// For kernels whose lanes never look at each other: each lane sees the same operations at every width, so the bits are
// the same too, and no logical vector has to be split over registers. WIDE divides 8.

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define WIDE 8
#elif defined(__AVX2__)
#define WIDE 4
#else
#define WIDE 2
#endif

typedef double Double2 __attribute__((vector_size(16)));
typedef double DoubleWide __attribute__((vector_size(8 * WIDE)));
typedef int64_t LongWide __attribute__((vector_size(8 * WIDE))); // also the result of comparing DoubleWide

SIMD_INLINE DoubleWide wideLoad(const double *p)
{
    DoubleWide v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE void wideStore(double *p, DoubleWide v)
{
    memcpy(p, &v, sizeof v);
}

SIMD_INLINE DoubleWide wideSet(double x)
{
    return x - (DoubleWide){ 0 };
}

SIMD_INLINE DoubleWide wideSelect(LongWide mask, DoubleWide a, DoubleWide b)
{
    return (DoubleWide)((mask & (LongWide)a) | (~mask & (LongWide)b));
}

// correctly rounded everywhere; written out because errno keeps the compiler from making one instruction of a loop
SIMD_INLINE DoubleWide wideSqrt(DoubleWide v)
{
#if WIDE == 8
    return (DoubleWide)_mm512_sqrt_pd((__m512d)v);
#elif WIDE == 4
    return (DoubleWide)_mm256_sqrt_pd((__m256d)v);
#elif defined(__SSE2__)
    return (DoubleWide)_mm_sqrt_pd((__m128d)v);
#else
    DoubleWide r;
    for (int i = 0; i < WIDE; ++i)
        r[i] = __builtin_sqrt(v[i]);
    return r;
#endif
}

SIMD_INLINE int wideAny(LongWide mask) // any lane set
{
#if WIDE == 8
    return _mm512_movepi64_mask((__m512i)mask) != 0;
#elif WIDE == 4
    return _mm256_movemask_pd((__m256d)mask) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_pd((__m128d)mask) != 0;
#else
    int64_t any = 0;
    for (int i = 0; i < WIDE; ++i)
        any |= mask[i];
    return any != 0;
#endif
}

SIMD_INLINE int wideAnyZero(DoubleWide v) // any lane 0; compilers take a detour over a vector from comparing to wideAny
{
#if WIDE == 8
    return _mm512_cmp_pd_mask((__m512d)v, _mm512_setzero_pd(), _CMP_EQ_OQ) != 0;
#else
    return wideAny(v == (DoubleWide){ 0 });
#endif
}

SIMD_INLINE Double2 double2Load(const double *p)
{
    Double2 v;
    memcpy(&v, p, sizeof v);
    return v;
}

// Rows of three numbers, out[a] lane l = x[3 * row[l] + a]. Pairs (x, y) and (y, z) are loaded and interleaved: half
// the loads of single numbers, and never one beyond a row.
#if WIDE == 8
SIMD_INLINE DoubleWide widePairs(const double *x, const int *row) // of lanes 0, 2, 4, 6
{
    __m256d low = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(x + 3 * (intptr_t)row[0])),
                                       _mm_loadu_pd(x + 3 * (intptr_t)row[2]), 1);
    __m256d high = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(x + 3 * (intptr_t)row[4])),
                                        _mm_loadu_pd(x + 3 * (intptr_t)row[6]), 1);
    return (DoubleWide)_mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1);
}
#define WIDE_EVEN(a, b) (DoubleWide) _mm512_unpacklo_pd((__m512d)(a), (__m512d)(b))
#define WIDE_ODD(a, b) (DoubleWide) _mm512_unpackhi_pd((__m512d)(a), (__m512d)(b))
#elif WIDE == 4
SIMD_INLINE DoubleWide widePairs(const double *x, const int *row) // of lanes 0, 2
{
    return (DoubleWide)_mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(x + 3 * (intptr_t)row[0])),
                                            _mm_loadu_pd(x + 3 * (intptr_t)row[2]), 1);
}
#define WIDE_EVEN(a, b) (DoubleWide) _mm256_unpacklo_pd((__m256d)(a), (__m256d)(b))
#define WIDE_ODD(a, b) (DoubleWide) _mm256_unpackhi_pd((__m256d)(a), (__m256d)(b))
#else
SIMD_INLINE DoubleWide widePairs(const double *x, const int *row)
{
    return double2Load(x + 3 * (intptr_t)row[0]);
}
#define WIDE_EVEN(a, b) ((DoubleWide){ (a)[0], (b)[0] })
#define WIDE_ODD(a, b) ((DoubleWide){ (a)[1], (b)[1] })
#endif

SIMD_INLINE void wideGather3(const double *x, const int *row, DoubleWide out[3])
{
    DoubleWide even = widePairs(x, row), odd = widePairs(x, row + 1);
    out[0] = WIDE_EVEN(even, odd);
    out[1] = WIDE_ODD(even, odd);
    out[2] = WIDE_ODD(widePairs(x + 1, row), widePairs(x + 1, row + 1));
}

// The reverse for pairs: p[l * stride] = a lane l, p[l * stride + 1] = b lane l.
SIMD_INLINE void wideStorePairs(double *p, int stride, DoubleWide a, DoubleWide b)
{
    DoubleWide even = WIDE_EVEN(a, b), odd = WIDE_ODD(a, b);
#if WIDE == 8
    _mm_storeu_pd(p, _mm512_castpd512_pd128((__m512d)even));
    _mm_storeu_pd(p + stride, _mm512_castpd512_pd128((__m512d)odd));
    _mm_storeu_pd(p + 2 * stride, _mm512_extractf64x2_pd((__m512d)even, 1));
    _mm_storeu_pd(p + 3 * stride, _mm512_extractf64x2_pd((__m512d)odd, 1));
    _mm_storeu_pd(p + 4 * stride, _mm512_extractf64x2_pd((__m512d)even, 2));
    _mm_storeu_pd(p + 5 * stride, _mm512_extractf64x2_pd((__m512d)odd, 2));
    _mm_storeu_pd(p + 6 * stride, _mm512_extractf64x2_pd((__m512d)even, 3));
    _mm_storeu_pd(p + 7 * stride, _mm512_extractf64x2_pd((__m512d)odd, 3));
#elif WIDE == 4
    _mm_storeu_pd(p, _mm256_castpd256_pd128((__m256d)even));
    _mm_storeu_pd(p + stride, _mm256_castpd256_pd128((__m256d)odd));
    _mm_storeu_pd(p + 2 * stride, _mm256_extractf128_pd((__m256d)even, 1));
    _mm_storeu_pd(p + 3 * stride, _mm256_extractf128_pd((__m256d)odd, 1));
#else
    memcpy(p, &even, sizeof even);
    memcpy(p + stride, &odd, sizeof odd);
#endif
}

// and for four in a row
SIMD_INLINE void wideStoreQuads(double *p, int stride, DoubleWide a, DoubleWide b, DoubleWide c, DoubleWide d)
{
#if WIDE == 8
    __m512d even0 = (__m512d)WIDE_EVEN(a, b), odd0 = (__m512d)WIDE_ODD(a, b);
    __m512d even1 = (__m512d)WIDE_EVEN(c, d), odd1 = (__m512d)WIDE_ODD(c, d);
    __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512d row02 = _mm512_permutex2var_pd(even0, low, even1), row46 = _mm512_permutex2var_pd(even0, high, even1);
    __m512d row13 = _mm512_permutex2var_pd(odd0, low, odd1), row57 = _mm512_permutex2var_pd(odd0, high, odd1);
    _mm256_storeu_pd(p, _mm512_castpd512_pd256(row02));
    _mm256_storeu_pd(p + stride, _mm512_castpd512_pd256(row13));
    _mm256_storeu_pd(p + 2 * stride, _mm512_extractf64x4_pd(row02, 1));
    _mm256_storeu_pd(p + 3 * stride, _mm512_extractf64x4_pd(row13, 1));
    _mm256_storeu_pd(p + 4 * stride, _mm512_castpd512_pd256(row46));
    _mm256_storeu_pd(p + 5 * stride, _mm512_castpd512_pd256(row57));
    _mm256_storeu_pd(p + 6 * stride, _mm512_extractf64x4_pd(row46, 1));
    _mm256_storeu_pd(p + 7 * stride, _mm512_extractf64x4_pd(row57, 1));
#elif WIDE == 4
    __m256d even0 = (__m256d)WIDE_EVEN(a, b), odd0 = (__m256d)WIDE_ODD(a, b);
    __m256d even1 = (__m256d)WIDE_EVEN(c, d), odd1 = (__m256d)WIDE_ODD(c, d);
    _mm256_storeu_pd(p, _mm256_permute2f128_pd(even0, even1, 0x20));
    _mm256_storeu_pd(p + stride, _mm256_permute2f128_pd(odd0, odd1, 0x20));
    _mm256_storeu_pd(p + 2 * stride, _mm256_permute2f128_pd(even0, even1, 0x31));
    _mm256_storeu_pd(p + 3 * stride, _mm256_permute2f128_pd(odd0, odd1, 0x31));
#else
    wideStorePairs(p, stride, a, b);
    wideStorePairs(p + 2, stride, c, d);
#endif
}

// ---- rows of four ---------------------------------------------------------------------------------------------------
// Rows x y z w at places: out[a] lane l = x[at[l] + a], and the reverse. Whole rows and a transpose: gather and scatter
// instructions are slower. `scale`: 4 where `at` are numbers of rows, 1 where they are multiplied already, which saves
// one operation in five.
SIMD_INLINE void wideLoadScaled(const double *x, const int *at, int scale, DoubleWide out[4])
{
#if WIDE == 8
    __m512d r[4];
    SIMD_UNROLL
    for (int l = 0; l < 4; ++l)
        r[l] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(x + scale * (intptr_t)at[l])),
                                  _mm256_loadu_pd(x + scale * (intptr_t)at[l + 4]), 1);
    __m512d xz0 = _mm512_unpacklo_pd(r[0], r[1]), yw0 = _mm512_unpackhi_pd(r[0], r[1]);
    __m512d xz1 = _mm512_unpacklo_pd(r[2], r[3]), yw1 = _mm512_unpackhi_pd(r[2], r[3]);
    __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    out[0] = (DoubleWide)_mm512_permutex2var_pd(xz0, low, xz1);
    out[1] = (DoubleWide)_mm512_permutex2var_pd(yw0, low, yw1);
    out[2] = (DoubleWide)_mm512_permutex2var_pd(xz0, high, xz1);
    out[3] = (DoubleWide)_mm512_permutex2var_pd(yw0, high, yw1);
#elif WIDE == 4
    __m256d r[4];
    SIMD_UNROLL
    for (int l = 0; l < 4; ++l)
        r[l] = _mm256_loadu_pd(x + scale * (intptr_t)at[l]);
    __m256d xz0 = _mm256_unpacklo_pd(r[0], r[1]), yw0 = _mm256_unpackhi_pd(r[0], r[1]);
    __m256d xz1 = _mm256_unpacklo_pd(r[2], r[3]), yw1 = _mm256_unpackhi_pd(r[2], r[3]);
    out[0] = (DoubleWide)_mm256_permute2f128_pd(xz0, xz1, 0x20);
    out[1] = (DoubleWide)_mm256_permute2f128_pd(yw0, yw1, 0x20);
    out[2] = (DoubleWide)_mm256_permute2f128_pd(xz0, xz1, 0x31);
    out[3] = (DoubleWide)_mm256_permute2f128_pd(yw0, yw1, 0x31);
#else
    const double *a = x + scale * (intptr_t)at[0], *b = x + scale * (intptr_t)at[1];
    SIMD_UNROLL
    for (int i = 0; i < 4; i += 2)
    {
        Double2 p = double2Load(a + i), q = double2Load(b + i);
        out[i] = WIDE_EVEN(p, q);
        out[i + 1] = WIDE_ODD(p, q);
    }
#endif
}

SIMD_INLINE void wideStoreScaled(double *x, const int *at, int scale, const DoubleWide in[4])
{
#if WIDE == 8
    __m512d xy0 = _mm512_unpacklo_pd((__m512d)in[0], (__m512d)in[1]); // lanes 0 2 4 6
    __m512d xy1 = _mm512_unpackhi_pd((__m512d)in[0], (__m512d)in[1]);
    __m512d zw0 = _mm512_unpacklo_pd((__m512d)in[2], (__m512d)in[3]);
    __m512d zw1 = _mm512_unpackhi_pd((__m512d)in[2], (__m512d)in[3]);
    __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512d r[4] = { _mm512_permutex2var_pd(xy0, low, zw0), _mm512_permutex2var_pd(xy1, low, zw1),
                     _mm512_permutex2var_pd(xy0, high, zw0), _mm512_permutex2var_pd(xy1, high, zw1) };
    SIMD_UNROLL
    for (int l = 0; l < 4; ++l)
    {
        _mm256_storeu_pd(x + scale * (intptr_t)at[l], _mm512_castpd512_pd256(r[l]));
        _mm256_storeu_pd(x + scale * (intptr_t)at[l + 4], _mm512_extractf64x4_pd(r[l], 1));
    }
#elif WIDE == 4
    __m256d xy0 = _mm256_unpacklo_pd((__m256d)in[0], (__m256d)in[1]),
            xy1 = _mm256_unpackhi_pd((__m256d)in[0], (__m256d)in[1]);
    __m256d zw0 = _mm256_unpacklo_pd((__m256d)in[2], (__m256d)in[3]),
            zw1 = _mm256_unpackhi_pd((__m256d)in[2], (__m256d)in[3]);
    _mm256_storeu_pd(x + scale * (intptr_t)at[0], _mm256_permute2f128_pd(xy0, zw0, 0x20));
    _mm256_storeu_pd(x + scale * (intptr_t)at[1], _mm256_permute2f128_pd(xy1, zw1, 0x20));
    _mm256_storeu_pd(x + scale * (intptr_t)at[2], _mm256_permute2f128_pd(xy0, zw0, 0x31));
    _mm256_storeu_pd(x + scale * (intptr_t)at[3], _mm256_permute2f128_pd(xy1, zw1, 0x31));
#else
    double *a = x + scale * (intptr_t)at[0], *b = x + scale * (intptr_t)at[1];
    SIMD_UNROLL
    for (int i = 0; i < 4; i += 2)
    {
        DoubleWide p = WIDE_EVEN(in[i], in[i + 1]), q = WIDE_ODD(in[i], in[i + 1]);
        wideStore(a + i, p);
        wideStore(b + i, q);
    }
#endif
}

SIMD_INLINE void wideLoadRows(const double *x, const int *row, DoubleWide out[4])
{
    wideLoadScaled(x, row, 4, out);
}

SIMD_INLINE void wideStoreRows(double *x, const int *row, const DoubleWide in[4])
{
    wideStoreScaled(x, row, 4, in);
}

SIMD_INLINE void wideLoadPlaces(const double *x, const int *place, DoubleWide out[4])
{
    wideLoadScaled(x, place, 1, out);
}

SIMD_INLINE void wideStorePlaces(double *x, const int *place, const DoubleWide in[4])
{
    wideStoreScaled(x, place, 1, in);
}

#endif
