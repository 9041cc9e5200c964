// Laws of the principal stretches of tets, WIDE at a time (the energies are in stvk.c, mooney_rivlin.c and ogden.c).
#include "energy/stretch.h"

#include "energy/feature.h"
#include "energy/spectral_wide.h"

#define SHAPE(extra) ((FeatureShape){ 3, 4, extra })

// Green's strain of F = I + D, (D + D^T + D^T D) / 2: nothing cancels near rest
SIMD_INLINE void greenStrain(const Vec3Wide *f, Vec3Wide *d, DoubleWide e[3][3])
{
    d[0] = (Vec3Wide){ f[0].x - 1, f[0].y, f[0].z };
    d[1] = (Vec3Wide){ f[1].x, f[1].y - 1, f[1].z };
    d[2] = (Vec3Wide){ f[2].x, f[2].y, f[2].z - 1 };
    e[0][0] = d[0].x + 0.5 * vecWideDot(d[0], d[0]);
    e[1][1] = d[1].y + 0.5 * vecWideDot(d[1], d[1]);
    e[2][2] = d[2].z + 0.5 * vecWideDot(d[2], d[2]);
    e[0][1] = e[1][0] = 0.5 * (d[0].y + d[1].x + vecWideDot(d[0], d[1]));
    e[0][2] = e[2][0] = 0.5 * (d[0].z + d[2].x + vecWideDot(d[0], d[2]));
    e[1][2] = e[2][1] = 0.5 * (d[1].z + d[2].y + vecWideDot(d[1], d[2]));
}

// |e|^2
SIMD_INLINE DoubleWide squareOf(DoubleWide e[3][3])
{
    DoubleWide square = wideSet(0);
    for (int i = 0; i < 9; ++i)
        square += e[i / 3][i % 3] * e[i / 3][i % 3];
    return square;
}

// slope += scale F (e + diagonal I)
SIMD_INLINE void addStress(const Vec3Wide *f, DoubleWide scale, DoubleWide e[3][3], DoubleWide diagonal,
                           Vec3Wide *slope)
{
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            slope[k] = vecWideAdd(slope[k], vecWideScale(scale * (i == k ? e[i][k] + diagonal : e[i][k]), f[i]));
}

SIMD_INLINE DoubleWide stvkLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    DoubleWide w = wideLoad(params), ratio = wideLoad(params + STRETCH_RATIO * LANES), e[3][3];
    Vec3Wide d[3];
    greenStrain(f, d, e);
    DoubleWide trace = e[0][0] + e[1][1] + e[2][2];
    for (int k = 0; k < 3; ++k)
        slope[k] = (Vec3Wide){ wideSet(0), wideSet(0), wideSet(0) };
    addStress(f, w, e, ratio * trace, slope);
    return w * (0.5 * squareOf(e) + 0.5 * ratio * trace * trace);
}

// In D: with t = tr E and J - 1 = j, I1 - 3 = 2 t and I2 - 3 = 4 t + 2 t^2 - 2 |E|^2, and t - j has no first order. j
// and `turned`, the cofactor of F less I, are those of neoHookeanLaw (tet_kernels.c).
SIMD_INLINE DoubleWide mooneyRivlinLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    DoubleWide w = wideLoad(params), share = wideLoad(params + MOONEY_SHARE * LANES), e[3][3], square = wideSet(0);
    DoubleWide c10 = 0.25 * w * (1 - share), c01 = 0.25 * w * share, m = 2 * c10 + 4 * c01;
    DoubleWide bulk = w * wideLoad(params + STRETCH_RATIO * LANES) + 2 * c10;
    Vec3Wide d[3], turned[3];
    greenStrain(f, d, e);
    const Vec3Wide cofactor[3] = { vecWideCross(d[1], d[2]), vecWideCross(d[2], d[0]), vecWideCross(d[0], d[1]) };
    const Vec3Wide row[3] = { { d[0].x, d[1].x, d[2].x }, { d[0].y, d[1].y, d[2].y }, { d[0].z, d[1].z, d[2].z } };
    DoubleWide first = d[0].x + d[1].y + d[2].z, minors = cofactor[0].x + cofactor[1].y + cofactor[2].z;
    DoubleWide bent = minors + vecWideDot(d[0], cofactor[0]), j = first + bent, press = bulk * j;
    DoubleWide trace = e[0][0] + e[1][1] + e[2][2];
    for (int k = 0; k < 3; ++k)
        turned[k] = vecWideSub(cofactor[k], row[k]);
    turned[0].x += first;
    turned[1].y += first;
    turned[2].z += first;
    for (int k = 0; k < 3; ++k)
    {
        square += vecWideDot(d[k], d[k]);
        slope[k] = vecWideAdd(vecWideScale(m, vecWideSub(d[k], turned[k])), vecWideScale(press, turned[k]));
    }
    slope[0].x += press;
    slope[1].y += press;
    slope[2].z += press;
    addStress(f, -4 * c01, e, -trace, slope);
    return m * (0.5 * square - bent) + 2 * c01 * (trace * trace - squareOf(e)) + 0.5 * bulk * j * j;
}

// the terms of all three stretches, their slopes into g
SIMD_INLINE DoubleWide ogdenTerms(const double *params, const DoubleWide *sigma, DoubleWide *g)
{
    DoubleWide value = wideSet(0);
    for (int i = 0; i < 3; ++i)
        g[i] = wideSet(0);
    for (int l = 0; l < WIDE; ++l)
    {
        for (int p = 0; p < MAX_TERMS; ++p)
        {
            double share = params[(OGDEN_SHARE + p) * LANES + l], exponent = params[(OGDEN_EXPONENT + p) * LANES + l];
            for (int i = 0; i < 3 && share != 0; ++i)
            {
                Power power = powerAt(sigma[i][l], exponent);
                value[l] += share * power.value;
                g[i][l] += share * power.slope;
            }
        }
    }
    return value;
}

SIMD_INLINE DoubleWide ogdenLaw(const double *params, const Vec3Wide *f, Vec3Wide *slope)
{
    DoubleWide w = wideLoad(params), m = wideLoad(params + OGDEN_PRESSURE * LANES), g[3];
    DoubleWide bulk = wideLoad(params + STRETCH_RATIO * LANES) + m;
    SpectrumWide s = spectrumOfTet(f);
    DoubleWide value = ogdenTerms(params, s.sigma, g), a = s.sigma[0] - 1, b = s.sigma[1] - 1, c = s.sigma[2] - 1;
    DoubleWide bent = a * b + b * c + c * a + a * b * c, j = a + b + c + bent;
    for (int i = 0; i < 3; ++i)
        g[i] = w * (g[i] + (bulk * j - m) * s.sigma[(i + 1) % 3] * s.sigma[(i + 2) % 3]);
    spectrumCompose(&s, g, 3, slope);
    return w * (value - m * bent + 0.5 * bulk * j * j);
}

FEATURE_KERNELS(stvkKernels, stvkLaw, SHAPE(STVK_EXTRA))
FEATURE_KERNELS(mooneyRivlinKernels, mooneyRivlinLaw, SHAPE(MOONEY_EXTRA))
FEATURE_KERNELS(ogdenKernels, ogdenLaw, SHAPE(OGDEN_EXTRA))
