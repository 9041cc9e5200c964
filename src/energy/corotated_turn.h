// How the turns of an element bend its energy: H^-1 of second derivatives (corotated_hessian_kernels.c), WIDE at a
// time.
#ifndef ENERGY_COROTATED_TURN_H
#define ENERGY_COROTATED_TURN_H

#include "energy/corotated_wide.h"

#define LEAST_SUM 1e-9 // of two singular values: they vanish where the nearest rotation jumps
#define SWEEPS 5       // of Jacobi's method for 3x3: two more than the worst case met

// symmetric 3x3
typedef struct Symmetric
{
    Vec3Wide diagonal, other; // xx, yy, zz and yz, xz, xy
} Symmetric;

// One turn of Jacobi's method in the plane of p and q: `off` becomes zero, u and w are their entries with the third
// axis, a and b the columns of the eigenvectors.
SIMD_INLINE void turnPlane(DoubleWide *p, DoubleWide *q, DoubleWide *off, DoubleWide *u, DoubleWide *w, Vec3Wide *a,
                           Vec3Wide *b)
{
    DoubleWide gap = *q - *p, twice = 2 * *off;
    DoubleWide size = wideSelect(gap < wideSet(0), -gap, gap), root = wideSqrt(gap * gap + twice * twice);
    DoubleWide sum = size + root,
               t = wideSelect(sum > wideSet(0), twice / wideSelect(sum > wideSet(0), sum, wideSet(1)), wideSet(0));
    t = wideSelect(gap < wideSet(0), -t, t);
    DoubleWide c = 1 / wideSqrt(1 + t * t), s = c * t;
    *p -= t * *off;
    *q += t * *off;
    *off = wideSet(0);
    DoubleWide before = *u;
    *u = c * before - s * *w;
    *w = s * before + c * *w;
    Vec3Wide old = *a;
    *a = vecWideSub(vecWideScale(c, old), vecWideScale(s, *b));
    *b = vecWideAdd(vecWideScale(s, old), vecWideScale(c, *b));
}

SIMD_INLINE void addOuter(Symmetric *m, DoubleWide scale, Vec3Wide v)
{
    Vec3Wide t = vecWideScale(scale, v);
    m->diagonal.x += t.x * v.x;
    m->diagonal.y += t.y * v.y;
    m->diagonal.z += t.z * v.z;
    m->other.x += t.y * v.z;
    m->other.y += t.x * v.z;
    m->other.z += t.x * v.y;
}

// the inverse of H with its eigenvalues raised to at least `least`
static Symmetric raisedInverse(Symmetric h, DoubleWide least)
{
    DoubleWide zero = wideSet(0), one = wideSet(1);
    Vec3Wide x = { one, zero, zero }, y = { zero, one, zero }, z = { zero, zero, one };
    Vec3Wide *d = &h.diagonal, *o = &h.other;
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
    {
        turnPlane(&d->x, &d->y, &o->z, &o->y, &o->x, &x, &y);
        turnPlane(&d->x, &d->z, &o->y, &o->z, &o->x, &x, &z);
        turnPlane(&d->y, &d->z, &o->x, &o->z, &o->y, &y, &z);
    }
    Symmetric inverse = { { zero, zero, zero }, { zero, zero, zero } };
    addOuter(&inverse, 1 / wideSelect(d->x > least, d->x, least), x);
    addOuter(&inverse, 1 / wideSelect(d->y > least, d->y, least), y);
    addOuter(&inverse, 1 / wideSelect(d->z > least, d->z, least), z);
    return inverse;
}

SIMD_INLINE Symmetric symmetricSelect(LongWide mask, Symmetric a, Symmetric b)
{
    return (Symmetric){ vecWideSelect(mask, a.diagonal, b.diagonal), vecWideSelect(mask, a.other, b.other) };
}

// H^-1; semidefinite: raised where the turns would be unstable
SIMD_INLINE Symmetric turnCompliance(const Slope *slope, DoubleWide bend, DoubleWide mu, HessianMode mode)
{
    Symmetric h = { slope->diagonal, slope->other };
    DoubleWide scale = 1 / slope->det, least = wideSet(LEAST_SUM), edge = -bend / mu;
    Symmetric inverse = { vecWideScale(scale, slope->minor), vecWideScale(scale, slope->cross) };
    LongWide plain = slope->definite & (slope->det >= GAP * slope->cube);
    if (mode == HESSIAN_SEMIDEFINITE)
    {
        // H - edge is definite: nothing to raise
        Vec3Wide d = { h.diagonal.x - edge, h.diagonal.y - edge, h.diagonal.z - edge }, o = h.other;
        DoubleWide minor = d.x * d.y - o.z * o.z;
        DoubleWide det = d.z * minor + o.y * (o.z * o.x - d.y * o.y) - o.x * (d.x * o.x - o.z * o.y);
        DoubleWide zero = wideSet(0);
        plain &= (edge <= zero) | ((d.x > zero) & (minor > zero) & (det > zero));
        least = wideSelect(edge > least, edge, least);
    }
    if (wideAny(~plain))
        inverse = symmetricSelect(plain, inverse, raisedInverse(h, least));
    return inverse;
}

#endif
