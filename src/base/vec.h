// Vectors and 3x3 matrices, the nearest rotation and the singular value decomposition.
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include "base/base.h"

#include <math.h>

typedef vvVec3 Vec3;

// Row major: m[row][column].
typedef struct Mat3
{
    double m[3][3];
} Mat3;

static inline Vec3 vec3(double x, double y, double z)
{
    return (Vec3){ x, y, z };
}

static inline Vec3 vecLoad(const double *p)
{
    return (Vec3){ p[0], p[1], p[2] };
}

static inline void vecStore(double *p, Vec3 a)
{
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}

static inline Vec3 vecAdd(Vec3 a, Vec3 b)
{
    return (Vec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static inline Vec3 vecSub(Vec3 a, Vec3 b)
{
    return (Vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static inline Vec3 vecScale(double s, Vec3 a)
{
    return (Vec3){ s * a.x, s * a.y, s * a.z };
}

static inline double vecDot(Vec3 a, Vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec3 vecCross(Vec3 a, Vec3 b)
{
    return (Vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static inline double vecLength(Vec3 a)
{
    return sqrt(vecDot(a, a));
}

static inline bool vecFinite(Vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline void boxInclude(vvBox *box, Vec3 p)
{
    box->lower = vec3(minReal(box->lower.x, p.x), minReal(box->lower.y, p.y), minReal(box->lower.z, p.z));
    box->upper = vec3(maxReal(box->upper.x, p.x), maxReal(box->upper.y, p.y), maxReal(box->upper.z, p.z));
}

static inline Mat3 matIdentity(void)
{
    return (Mat3){ { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
}

static inline Mat3 matMultiply(const Mat3 *a, const Mat3 *b)
{
    Mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return c;
}

// a times b transposed
static inline Mat3 matMultiplyTransposed(const Mat3 *a, const Mat3 *b)
{
    Mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            c.m[i][j] = a->m[i][0] * b->m[j][0] + a->m[i][1] * b->m[j][1] + a->m[i][2] * b->m[j][2];
    return c;
}

static inline Mat3 matTranspose(const Mat3 *a)
{
    Mat3 t;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            t.m[i][j] = a->m[j][i];
    return t;
}

static inline Vec3 matApply(const Mat3 *a, Vec3 v)
{
    return (Vec3){ a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                   a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                   a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z };
}

static inline double matDeterminant(const Mat3 *a)
{
    return a->m[0][0] * (a->m[1][1] * a->m[2][2] - a->m[1][2] * a->m[2][1]) -
           a->m[0][1] * (a->m[1][0] * a->m[2][2] - a->m[1][2] * a->m[2][0]) +
           a->m[0][2] * (a->m[1][0] * a->m[2][1] - a->m[1][1] * a->m[2][0]);
}

// The inverse by cofactors; the caller knows that the determinant is not zero.
static inline Mat3 matInverse(const Mat3 *a)
{
    double scale = 1 / matDeterminant(a);
    Mat3 inverse;
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            int r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;
            inverse.m[i][j] = scale * (a->m[r0][c0] * a->m[r1][c1] - a->m[r0][c1] * a->m[r1][c0]);
        }
    }
    return inverse;
}

// F = U diag(sigma) V^T with U and V rotations (determinant +1) and sigma[0] >= sigma[1] >= |sigma[2]|; sigma[2] has
// the sign of det F. Exact zeros and repeated values are fine.
typedef struct Svd3
{
    Mat3 u, v;
    double sigma[3];
} Svd3;

Svd3 svd3(const Mat3 *f);

// The pseudoinverse of a symmetric matrix without negative eigenvalues, as moments of inertia are: axes with at most
// `flat` of the greatest eigenvalue are left out.
Mat3 matPseudoinverse(const Mat3 *symmetric, double flat);

// Scales a rotation to length 1; false: it has none.
bool quatUnit(vvQuat *rotation);

// The rotation nearest to F in the Frobenius norm: U V^T of svd3. Right for inverted F (det < 0: the axis of least
// stretch is mirrored, Twigg and Kacic-Alesic 2010) and for singular F (one of the nearest, always the same one).
Mat3 nearestRotation(const Mat3 *f);

#endif
