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

// ---- rotations ------------------------------------------------------------------------------------------------------

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

// the unit quaternion of a rotation matrix: the largest of the four components first (Shepperd 1978)
static inline void quaternionOf(const Mat3 *r, double q[4])
{
    double trace = r->m[0][0] + r->m[1][1] + r->m[2][2];
    if (trace > 0)
    {
        double root = sqrt(1 + trace), scale = 0.5 / root;
        q[0] = 0.5 * root;
        q[1] = scale * (r->m[2][1] - r->m[1][2]);
        q[2] = scale * (r->m[0][2] - r->m[2][0]);
        q[3] = scale * (r->m[1][0] - r->m[0][1]);
        return;
    }
    int i = r->m[1][1] > r->m[0][0] ? 1 : 0;
    i = r->m[2][2] > r->m[i][i] ? 2 : i;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double root = sqrt(1 + r->m[i][i] - r->m[j][j] - r->m[k][k]), scale = 0.5 / root;
    q[0] = scale * (r->m[k][j] - r->m[j][k]);
    q[1 + i] = 0.5 * root;
    q[1 + j] = scale * (r->m[j][i] + r->m[i][j]);
    q[1 + k] = scale * (r->m[k][i] + r->m[i][k]);
}

// where one quaternion stands: the Newton step is step / det
typedef struct Slope
{
    Vec3Wide g;               // gradient
    Vec3Wide diagonal, other; // H: xx, yy, zz and yz, xz, xy
    Vec3Wide minor, cross;    // its adjugate, likewise
    Vec3Wide step;            // adjugate of H times g
    DoubleWide det, cube;     // det H, tr(S)^3
    LongWide definite;        // H is positive definite
} Slope;

// adjugate of H times a vector
SIMD_INLINE Vec3Wide adjugateTimes(const Slope *s, Vec3Wide g)
{
    return (Vec3Wide){ s->minor.x * g.x + s->cross.z * g.y + s->cross.y * g.z,
                       s->cross.z * g.x + s->minor.y * g.y + s->cross.x * g.z,
                       s->cross.y * g.x + s->cross.x * g.y + s->minor.z * g.z };
}

// from the rows of S
SIMD_INLINE Slope slopeOf(Vec3Wide x, Vec3Wide y, Vec3Wide z)
{
    Slope s;
    s.g = (Vec3Wide){ z.y - y.z, x.z - z.x, y.x - x.y };
    s.diagonal = (Vec3Wide){ y.y + z.z, x.x + z.z, x.x + y.y };
    s.other = (Vec3Wide){ -0.5 * (y.z + z.y), -0.5 * (x.z + z.x), -0.5 * (x.y + y.x) };
    Vec3Wide d = s.diagonal, o = s.other;
    s.minor = (Vec3Wide){ d.y * d.z - o.x * o.x, d.x * d.z - o.y * o.y, d.x * d.y - o.z * o.z };
    s.cross = (Vec3Wide){ o.y * o.z - o.x * d.x, o.z * o.x - o.y * d.y, o.x * o.y - o.z * d.z };
    s.det = d.x * s.minor.x + o.z * s.cross.z + o.y * s.cross.y;
    s.step = adjugateTimes(&s, s.g);
    DoubleWide trace = x.x + d.x;
    s.cube = trace * trace * trace;
    DoubleWide zero = wideSet(0);
    s.definite = (d.x > zero) & (s.minor.z > zero) & (s.det > zero);
    return s;
}

// S = R^T F by rows
SIMD_INLINE void turnedBack(Matrix f, Quaternion q, Vec3Wide s[3])
{
    Matrix r = rotationOf(q);
    s[0] = (Vec3Wide){ vecWideDot(r.a, f.a), vecWideDot(r.a, f.b), vecWideDot(r.a, f.c) };
    s[1] = (Vec3Wide){ vecWideDot(r.b, f.a), vecWideDot(r.b, f.b), vecWideDot(r.b, f.c) };
    s[2] = (Vec3Wide){ vecWideDot(r.c, f.a), vecWideDot(r.c, f.b), vecWideDot(r.c, f.c) };
}

SIMD_INLINE Slope slopeAt(Matrix f, Quaternion q)
{
    Vec3Wide s[3];
    turnedBack(f, q, s);
    return slopeOf(s[0], s[1], s[2]);
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
