#include "base/vec.h"

// One-sided Jacobi (Hestenes): rotate pairs of columns of F until all are orthogonal, F V = U diag(sigma). Only sqrt is
// needed, small singular values keep their relative accuracy, and it cannot fail: it converges in 3 to 5 sweeps.
#define SWEEP_LIMIT 30

// Cosine between columns that counts as orthogonal: two roundings (tried 1e-16: 2 % of matrices ran all sweeps).
#define ORTHOGONAL 4.5e-16

static void rotateColumns(Mat3 *a, int p, int q, double c, double s)
{
    for (int i = 0; i < 3; ++i)
    {
        double ap = a->m[i][p], aq = a->m[i][q];
        a->m[i][p] = c * ap - s * aq;
        a->m[i][q] = s * ap + c * aq;
    }
}

static double columnDot(const Mat3 *a, int p, int q)
{
    return a->m[0][p] * a->m[0][q] + a->m[1][p] * a->m[1][q] + a->m[2][p] * a->m[2][q];
}

// one pass over the three pairs; false when every pair was orthogonal already
static bool jacobiSweep(Mat3 *b, Mat3 *v)
{
    bool rotated = false;
    for (int p = 0; p < 2; ++p)
    {
        for (int q = p + 1; q < 3; ++q)
        {
            double alpha = columnDot(b, p, p), beta = columnDot(b, q, q), gamma = columnDot(b, p, q);
            if (fabs(gamma) <= ORTHOGONAL * sqrt(alpha * beta) || gamma == 0)
                continue;
            rotated = true;
            double zeta = (beta - alpha) / (2 * gamma);
            double t = (zeta >= 0 ? 1.0 : -1.0) / (fabs(zeta) + sqrt(1 + zeta * zeta));
            double c = 1 / sqrt(1 + t * t);
            rotateColumns(b, p, q, c, c * t);
            rotateColumns(v, p, q, c, c * t);
        }
    }
    return rotated;
}

// exchanges columns p and q and flips one of them, so that the determinant stays
static void swapColumns(Mat3 *a, int p, int q)
{
    for (int i = 0; i < 3; ++i)
    {
        double ap = a->m[i][p];
        a->m[i][p] = a->m[i][q];
        a->m[i][q] = -ap;
    }
}

static Vec3 column(const Mat3 *a, int j)
{
    return vec3(a->m[0][j], a->m[1][j], a->m[2][j]);
}

static void setColumn(Mat3 *a, int j, Vec3 c)
{
    a->m[0][j] = c.x;
    a->m[1][j] = c.y;
    a->m[2][j] = c.z;
}

// a unit vector orthogonal to the unit vector n: cross it with the axis it is least aligned with
static Vec3 orthogonalTo(Vec3 n)
{
    double ax = fabs(n.x), ay = fabs(n.y), az = fabs(n.z);
    Vec3 axis = ax <= ay && ax <= az ? vec3(1, 0, 0) : ay <= az ? vec3(0, 1, 0) : vec3(0, 0, 1);
    Vec3 c = vecCross(n, axis);
    return vecScale(1 / vecLength(c), c);
}

Svd3 svd3(const Mat3 *f)
{
    Svd3 svd = { .v = matIdentity() };

    // scale by a power of two near the largest entry: squares neither overflow nor vanish, and no bit is lost
    double largest = largestMagnitude(&f->m[0][0], 9);
    if (!(largest > 0) || !isfinite(largest))
    {
        svd.u = matIdentity();
        return svd; // F = 0 (or not finite: the caller's checks speak): the identity is as near as any rotation
    }
    int exponent;
    frexp(largest, &exponent);
    Mat3 b;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            b.m[i][j] = ldexp(f->m[i][j], -exponent);

    for (int sweep = 0; sweep < SWEEP_LIMIT && jacobiSweep(&b, &svd.v); ++sweep)
        ;

    // sort the columns by length, longest first
    double length[3];
    for (int j = 0; j < 3; ++j)
        length[j] = vecLength(column(&b, j));
    static const int pairs[3][2] = { { 0, 1 }, { 1, 2 }, { 0, 1 } };
    for (int k = 0; k < 3; ++k)
    {
        int p = pairs[k][0], q = pairs[k][1];
        if (length[p] < length[q])
        {
            swapColumns(&b, p, q);
            swapColumns(&svd.v, p, q);
            double swap = length[p];
            length[p] = length[q];
            length[q] = swap;
        }
    }

    // U: the first two directions are the columns, the third their cross product; sigma[2] takes the sign
    Vec3 u0 = vecScale(1 / length[0], column(&b, 0));
    Vec3 u1 = length[1] > 1e-300 ? vecScale(1 / length[1], column(&b, 1)) : orthogonalTo(u0);
    u1 = vecSub(u1, vecScale(vecDot(u0, u1), u0)); // tiny columns: clean up what rounding left of u0
    double rest = vecLength(u1);
    u1 = rest > 0.5 ? vecScale(1 / rest, u1) : orthogonalTo(u0);
    Vec3 u2 = vecCross(u0, u1);
    setColumn(&svd.u, 0, u0);
    setColumn(&svd.u, 1, u1);
    setColumn(&svd.u, 2, u2);
    svd.sigma[0] = ldexp(length[0], exponent);
    svd.sigma[1] = ldexp(length[1], exponent);
    double third = vecDot(u2, column(&b, 2)); // rounding must not break the order of equal values
    svd.sigma[2] = ldexp(maxReal(-length[1], minReal(length[1], third)), exponent);
    return svd;
}

Mat3 matPseudoinverse(const Mat3 *symmetric, double flat)
{
    Svd3 svd = svd3(symmetric);
    Mat3 scaled = svd.v;
    for (int i = 0; i < 9; ++i)
    {
        double sigma = svd.sigma[i % 3];
        scaled.m[i / 3][i % 3] *= sigma > flat * svd.sigma[0] ? 1 / sigma : 0;
    }
    return matMultiplyTransposed(&scaled, &svd.u);
}

Mat3 nearestRotation(const Mat3 *f)
{
    Svd3 svd = svd3(f);
    return matMultiplyTransposed(&svd.u, &svd.v);
}
