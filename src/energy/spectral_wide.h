// Singular values of WIDE deformation gradients at once, F = U diag(sigma) V^T with two columns (triangles) or three
// (tets). Without branches: every lane does the same operations, so its bits do not depend on its neighbours.
#ifndef ENERGY_SPECTRAL_WIDE_H
#define ENERGY_SPECTRAL_WIDE_H

#include "energy/wide.h"

// sigma[0] >= sigma[1] >= |sigma[2]|; the last of a tet has the sign of det F, those of a triangle are not negative
typedef struct SpectrumWide
{
    Vec3Wide u[3], v[3]; // of a triangle the last components of v are 0 and u[2] is not set
    DoubleWide sigma[3];
} SpectrumWide;

#define FLAT 1e-12 // share of the first singular value below which the second has no direction of its own

SIMD_INLINE DoubleWide wideMax(DoubleWide a, DoubleWide b)
{
    return wideSelect(a > b, a, b);
}

SIMD_INLINE DoubleWide wideMin(DoubleWide a, DoubleWide b)
{
    return wideSelect(a < b, a, b);
}

SIMD_INLINE Vec3Wide vecWideCross(Vec3Wide a, Vec3Wide b)
{
    return (Vec3Wide){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

// a / |a|, or `otherwise` where |a| is not above `least`; |a| in *length
SIMD_INLINE Vec3Wide vecWideDirection(Vec3Wide a, DoubleWide least, Vec3Wide otherwise, DoubleWide *length)
{
    *length = wideSqrt(vecWideDot(a, a));
    LongWide ok = *length > least;
    return vecWideSelect(ok, vecWideScale(1 / wideSelect(ok, *length, wideSet(1)), a), otherwise);
}

// some unit vector across the unit vector a, always the same one
SIMD_INLINE Vec3Wide vecWideAcross(Vec3Wide a)
{
    DoubleWide zero = wideSet(0);
    Vec3Wide byZ = { a.y, -a.x, zero }, byX = { zero, a.z, -a.y };
    Vec3Wide across = vecWideSelect(a.z * a.z < wideSet(0.5), byZ, byX);
    return vecWideScale(1 / wideSqrt(vecWideDot(across, across)), across);
}

// from the right singular vectors, in falling order, to the rest: columns F v made orthogonal in turn
SIMD_INLINE void spectrumComplete(const Vec3Wide *f, int columns, SpectrumWide *s)
{
    Vec3Wide image[3], x = { wideSet(1), wideSet(0), wideSet(0) };
    for (int i = 0; i < columns; ++i)
    {
        image[i] = vecWideAdd(vecWideScale(s->v[i].x, f[0]), vecWideScale(s->v[i].y, f[1]));
        if (columns == 3)
            image[i] = vecWideAdd(image[i], vecWideScale(s->v[i].z, f[2]));
    }
    s->u[0] = vecWideDirection(image[0], wideSet(0), x, &s->sigma[0]);
    DoubleWide along = vecWideDot(s->u[0], image[1]);
    Vec3Wide rest = vecWideSub(image[1], vecWideScale(along, s->u[0]));
    s->u[1] = vecWideDirection(rest, FLAT * s->sigma[0], vecWideAcross(s->u[0]), &s->sigma[1]);
    if (columns == 3)
    {
        s->u[2] = vecWideCross(s->u[0], s->u[1]);
        s->sigma[2] = vecWideDot(s->u[2], image[2]);
    }
}

// the rotation by which C = F^T F becomes diagonal: cos and sin of half the angle of ((a - c) / 2, b)
SIMD_INLINE SpectrumWide spectrumOfTriangle(const Vec3Wide *f)
{
    SpectrumWide s;
    DoubleWide a = vecWideDot(f[0], f[0]), b = vecWideDot(f[0], f[1]), c = vecWideDot(f[1], f[1]);
    DoubleWide zero = wideSet(0), one = wideSet(1), half = 0.5 * (a - c), radius = wideSqrt(half * half + b * b);
    // cosine and sine by the longer of two equal expressions
    LongWide right = half >= zero;
    DoubleWide sum = radius + wideSelect(right, half, -half);
    LongWide round = sum <= zero; // a circle: any axes
    DoubleWide length = wideSqrt(sum * sum + b * b), inverse = 1 / wideSelect(round, one, length);
    DoubleWide lead = sum * inverse, side = b * inverse;
    DoubleWide cosine = wideSelect(right, lead, side), sine = wideSelect(right, side, lead);
    cosine = wideSelect(round, one, cosine);
    sine = wideSelect(round, zero, sine);
    s.v[0] = (Vec3Wide){ cosine, sine, zero };
    s.v[1] = (Vec3Wide){ -sine, cosine, zero };
    spectrumComplete(f, 2, &s);
    return s;
}

#define JACOBI_SWEEPS 5 // quadratic convergence: four do for 1e-15, one for safety

#define JACOBI_STILL 1e-33 // square of a cosine between columns of F V

// zero the entry (p, q) of the symmetric c by a rotation, which v follows
SIMD_INLINE void jacobiTurn(DoubleWide c[3][3], DoubleWide v[3][3], int p, int q)
{
    DoubleWide zero = wideSet(0), one = wideSet(1), off = c[p][q];
    // lanes that have arrived stay as they are, so that it makes no difference whether their neighbours go on
    LongWide still = off * off <= JACOBI_STILL * c[p][p] * c[q][q];
    if (!wideAny(~still))
        return;
    off = wideSelect(still, zero, off);
    DoubleWide theta = (c[q][q] - c[p][p]) / (2 * wideSelect(still, one, off));
    DoubleWide size = wideSelect(theta < zero, -theta, theta);
    DoubleWide t = 1 / (size + wideSqrt(theta * theta + 1));
    t = wideSelect(still, zero, wideSelect(theta < zero, -t, t));
    DoubleWide cosine = 1 / wideSqrt(t * t + 1), sine = t * cosine;
    int r = 3 - p - q;
    DoubleWide rp = c[r][p], rq = c[r][q];
    c[p][p] -= t * off;
    c[q][q] += t * off;
    c[p][q] = c[q][p] = wideSelect(still, c[p][q], zero);
    c[r][p] = c[p][r] = cosine * rp - sine * rq;
    c[r][q] = c[q][r] = sine * rp + cosine * rq;
    for (int i = 0; i < 3; ++i)
    {
        DoubleWide ip = v[i][p], iq = v[i][q];
        v[i][p] = cosine * ip - sine * iq;
        v[i][q] = sine * ip + cosine * iq;
    }
}

SIMD_INLINE void spectrumSort(DoubleWide *value, Vec3Wide *v, int a, int b)
{
    LongWide swap = value[a] < value[b];
    DoubleWide larger = wideSelect(swap, value[b], value[a]), smaller = wideSelect(swap, value[a], value[b]);
    Vec3Wide first = vecWideSelect(swap, v[b], v[a]), second = vecWideSelect(swap, v[a], v[b]);
    value[a] = larger;
    value[b] = smaller;
    v[a] = first;
    v[b] = second;
}

SIMD_INLINE SpectrumWide spectrumOfTet(const Vec3Wide *f)
{
    SpectrumWide s;
    DoubleWide c[3][3], v[3][3], value[3];
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            c[i][j] = vecWideDot(f[i], f[j]);
            v[i][j] = wideSet(i == j);
        }
    }
    for (int sweep = 0; sweep < JACOBI_SWEEPS; ++sweep)
    {
        jacobiTurn(c, v, 0, 1);
        jacobiTurn(c, v, 0, 2);
        jacobiTurn(c, v, 1, 2);
    }
    for (int i = 0; i < 3; ++i)
    {
        value[i] = c[i][i];
        s.v[i] = (Vec3Wide){ v[0][i], v[1][i], v[2][i] };
    }
    spectrumSort(value, s.v, 0, 1);
    spectrumSort(value, s.v, 0, 2);
    spectrumSort(value, s.v, 1, 2);
    s.v[2] = vecWideCross(s.v[0], s.v[1]); // swaps mirrored it
    spectrumComplete(f, 3, &s);
    return s;
}

// the columns of U diag(g) V^T
SIMD_INLINE void spectrumCompose(const SpectrumWide *s, const DoubleWide *g, int columns, Vec3Wide *out)
{
    for (int c = 0; c < columns; ++c)
    {
        out[c] = (Vec3Wide){ wideSet(0), wideSet(0), wideSet(0) };
        for (int i = 0; i < columns; ++i)
        {
            DoubleWide component = c == 0 ? s->v[i].x : c == 1 ? s->v[i].y : s->v[i].z;
            out[c] = vecWideAdd(out[c], vecWideScale(g[i] * component, s->u[i]));
        }
    }
}

#endif
