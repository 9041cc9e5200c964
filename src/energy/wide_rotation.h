// Rotations of WIDE elements at once: quaternions, and Newton's step towards the rotation nearest to F.
//
// The nearest rotation maximises tr(R^T F). With S = R^T F, turning R by exp([w]) in its own frame gives
//   tr S + g.w - 1/2 w^T H w + O(|w|^2 g.w),   g = axis of S - S^T,   H = tr(S) I - sym(S),
// so the Newton step is H^-1 g and its error is of third order, |w|^3 cond(H).
#ifndef ENERGY_WIDE_ROTATION_H
#define ENERGY_WIDE_ROTATION_H

#include "energy/wide.h"

typedef struct Matrix
{
    Vec3Wide a, b, c; // columns
} Matrix;

typedef struct Quaternion
{
    DoubleWide w;
    Vec3Wide v;
} Quaternion;

// ---- rotations -------------------------------------------------------------------------------------------------------

SIMD_INLINE Quaternion quaternionLoad(const double *kept)
{
    return (Quaternion){ wideLoad(kept), vecWideLoad(kept + LANES) };
}

SIMD_INLINE void quaternionStore(double *kept, Quaternion q)
{
    wideStore(kept, q.w);
    vecWideStore(kept + LANES, q.v);
}

SIMD_INLINE Quaternion quaternionSelect(LongWide mask, Quaternion p, Quaternion q)
{
    return (Quaternion){ wideSelect(mask, p.w, q.w), vecWideSelect(mask, p.v, q.v) };
}

SIMD_INLINE Quaternion quaternionScale(DoubleWide s, Quaternion q)
{
    return (Quaternion){ s * q.w, vecWideScale(s, q.v) };
}

SIMD_INLINE DoubleWide quaternionSquare(Quaternion q)
{
    return q.w * q.w + vecWideDot(q.v, q.v);
}

SIMD_INLINE Quaternion quaternionMultiply(Quaternion p, Quaternion q)
{
    Quaternion r;
    r.w = p.w * q.w - vecWideDot(p.v, q.v);
    r.v.x = p.w * q.v.x + p.v.x * q.w + (p.v.y * q.v.z - p.v.z * q.v.y);
    r.v.y = p.w * q.v.y + p.v.y * q.w + (p.v.z * q.v.x - p.v.x * q.v.z);
    r.v.z = p.w * q.v.z + p.v.z * q.w + (p.v.x * q.v.y - p.v.y * q.v.x);
    return r;
}

SIMD_INLINE Matrix rotationOf(Quaternion q)
{
    Vec3Wide t = vecWideAdd(q.v, q.v);
    DoubleWide xx = q.v.x * t.x, yy = q.v.y * t.y, zz = q.v.z * t.z;
    DoubleWide xy = q.v.x * t.y, xz = q.v.x * t.z, yz = q.v.y * t.z;
    DoubleWide wx = q.w * t.x, wy = q.w * t.y, wz = q.w * t.z;
    return (Matrix){ { 1 - (yy + zz), xy + wz, xz - wy },
                     { xy - wz, 1 - (xx + zz), yz + wx },
                     { xz + wy, yz - wx, 1 - (xx + yy) } };
}

// where one quaternion stands: the Newton step is step / det
typedef struct Slope
{
    Vec3Wide g;               // gradient
    Vec3Wide diagonal, other; // H: xx, yy, zz and yz, xz, xy
    Vec3Wide step;            // adjugate of H times g
    DoubleWide det, cube;     // det H, tr(S)^3
    LongWide definite;        // H is positive definite
} Slope;

SIMD_INLINE Slope slopeAt(Matrix f, Quaternion q)
{
    Slope s;
    Matrix r = rotationOf(q);
    DoubleWide xx = vecWideDot(r.a, f.a), yy = vecWideDot(r.b, f.b), zz = vecWideDot(r.c, f.c);
    DoubleWide xy = vecWideDot(r.a, f.b), yx = vecWideDot(r.b, f.a), xz = vecWideDot(r.a, f.c);
    DoubleWide zx = vecWideDot(r.c, f.a), yz = vecWideDot(r.b, f.c), zy = vecWideDot(r.c, f.b);
    s.g = (Vec3Wide){ zy - yz, xz - zx, yx - xy };
    s.diagonal = (Vec3Wide){ yy + zz, xx + zz, xx + yy };
    s.other = (Vec3Wide){ -0.5 * (yz + zy), -0.5 * (xz + zx), -0.5 * (xy + yx) };
    Vec3Wide d = s.diagonal, o = s.other;
    DoubleWide cxx = d.y * d.z - o.x * o.x, cyy = d.x * d.z - o.y * o.y, czz = d.x * d.y - o.z * o.z;
    DoubleWide cyz = o.y * o.z - o.x * d.x, cxz = o.z * o.x - o.y * d.y, cxy = o.x * o.y - o.z * d.z;
    s.det = d.x * cxx + o.z * cxy + o.y * cxz;
    s.step = (Vec3Wide){ cxx * s.g.x + cxy * s.g.y + cxz * s.g.z, cxy * s.g.x + cyy * s.g.y + cyz * s.g.z,
                         cxz * s.g.x + cyz * s.g.y + czz * s.g.z };
    DoubleWide trace = xx + d.x;
    s.cube = trace * trace * trace;
    DoubleWide zero = wideSet(0);
    s.definite = (d.x > zero) & (czz > zero) & (s.det > zero);
    return s;
}

// Where H is not definite: along the gradient n = g/|g| the function is a sinusoid with slope b = |g| and curvature
// c = n^T H n; its maximum is at tan(angle/2) = b / (sqrt(b^2 + c^2) + c). Never downhill, and across saddles
SIMD_INLINE Quaternion climbingTurn(const Slope *s)
{
    Vec3Wide g = s->g, d = s->diagonal, o = s->other;
    DoubleWide square = vecWideDot(g, g);
    DoubleWide c =
        d.x * g.x * g.x + d.y * g.y * g.y + d.z * g.z * g.z + 2 * (o.x * g.y * g.z + o.y * g.x * g.z + o.z * g.x * g.y);
    return (Quaternion){ wideSqrt(square * square * square + c * c) + c, vecWideScale(square, g) };
}

// A full step. The sinusoid along w has its maximum at atan|w|, half of it has the tangent |w| / (2 + |w|^2/2) but for
// O(|w|^5); all times det^2, to divide only once
SIMD_INLINE Quaternion farStep(const Slope *s, Quaternion q)
{
    Quaternion turn = { 2 * s->det * s->det + 0.5 * vecWideDot(s->step, s->step), vecWideScale(s->det, s->step) };
    if (wideAny(~s->definite))
        turn = quaternionSelect(s->definite, turn, climbingTurn(s));
    q = quaternionMultiply(q, turn);
    return quaternionScale(1 / wideSqrt(quaternionSquare(q)), q);
}

// column c of Ds B = sum over k of edge k times B[k][c]; `column` points to B[0][c]
SIMD_INLINE Vec3Wide deformedColumn(Matrix edges, const double *column)
{
    Vec3Wide sum = vecWideScale(wideLoad(column), edges.a);
    sum = vecWideAdd(sum, vecWideScale(wideLoad(column + 3 * LANES), edges.b));
    return vecWideAdd(sum, vecWideScale(wideLoad(column + 6 * LANES), edges.c));
}

#endif
