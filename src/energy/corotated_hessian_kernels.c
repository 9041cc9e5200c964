// Second derivatives of corotated tetrahedra, WIDE at a time.
//
// With R the rotation nearest to F, S = R^T F and H = tr(S) I - S, whose eigenvalues are sigma_i + sigma_j, a change dF
// bends the sum of the singular values by a^T H^-1 a, a the axis of R^T dF - dF^T R: only turns bend it (notes in Smith
// 2019, section 4). So the second derivative in F is 2 mu |dF|^2 + lambda (R . dF)^2 + c a^T H^-1 a, c = lambda tr(S -
// I) - 2 mu. A corner that moves by d has dF = d g^T and, with r = R g, a = R^T (r x d): between corners a and b stands
//   V (2 mu g_a.g_b I + lambda r_a r_b^T + [r_a]^T K [r_b]),   K = c R H^-1 R^T.
// The eigenvalues 2 mu + 2 c / (sigma_i + sigma_j) of turns are the only ones that can be negative. They are zero from
// sigma_i + sigma_j = -c / mu on downwards: H with its eigenvalues raised to that gives the semidefinite form.
#include "energy/corotated_turn.h"

// ---- blocks ---------------------------------------------------------------------------------------------------------

// c R m R^T
SIMD_INLINE Symmetric turnedMatrix(Matrix r, Symmetric m, DoubleWide c)
{
    Vec3Wide d = vecWideScale(c, m.diagonal), o = vecWideScale(c, m.other);
    // columns of R m
    Vec3Wide x = vecWideAdd(vecWideAdd(vecWideScale(d.x, r.a), vecWideScale(o.z, r.b)), vecWideScale(o.y, r.c));
    Vec3Wide y = vecWideAdd(vecWideAdd(vecWideScale(o.z, r.a), vecWideScale(d.y, r.b)), vecWideScale(o.x, r.c));
    Vec3Wide z = vecWideAdd(vecWideAdd(vecWideScale(o.y, r.a), vecWideScale(o.x, r.b)), vecWideScale(d.z, r.c));
    Symmetric k;
    k.diagonal.x = x.x * r.a.x + y.x * r.b.x + z.x * r.c.x;
    k.diagonal.y = x.y * r.a.y + y.y * r.b.y + z.y * r.c.y;
    k.diagonal.z = x.z * r.a.z + y.z * r.b.z + z.z * r.c.z;
    k.other.x = x.y * r.a.z + y.y * r.b.z + z.y * r.c.z;
    k.other.y = x.x * r.a.z + y.x * r.b.z + z.x * r.c.z;
    k.other.z = x.x * r.a.y + y.x * r.b.y + z.x * r.c.y;
    return k;
}

SIMD_INLINE Vec3Wide crossWide(Vec3Wide a, Vec3Wide b)
{
    return (Vec3Wide){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

// a block by rows
typedef struct Rows3
{
    Vec3Wide row[3];
} Rows3;

// shear r_a.r_b I + pressure r_a r_b^T + [r_a]^T K [r_b]; a row of [r_a]^T K is t, and t^T [r_b] is t x r_b
SIMD_INLINE Rows3 cornerBlock(Vec3Wide a, Vec3Wide b, const Symmetric *k, DoubleWide shear, DoubleWide pressure)
{
    Vec3Wide d = k->diagonal, o = k->other;
    Vec3Wide k0 = { d.x, o.z, o.y }, k1 = { o.z, d.y, o.x }, k2 = { o.y, o.x, d.z };
    Vec3Wide t0 = vecWideSub(vecWideScale(a.z, k1), vecWideScale(a.y, k2));
    Vec3Wide t1 = vecWideSub(vecWideScale(a.x, k2), vecWideScale(a.z, k0));
    Vec3Wide t2 = vecWideSub(vecWideScale(a.y, k0), vecWideScale(a.x, k1));
    DoubleWide plain = shear * vecWideDot(a, b);
    Vec3Wide p = vecWideScale(pressure, a);
    Rows3 block = { { vecWideAdd(crossWide(t0, b), vecWideScale(p.x, b)),
                      vecWideAdd(crossWide(t1, b), vecWideScale(p.y, b)),
                      vecWideAdd(crossWide(t2, b), vecWideScale(p.z, b)) } };
    block.row[0].x += plain;
    block.row[1].y += plain;
    block.row[2].z += plain;
    return block;
}

SIMD_INLINE Rows3 transposed(Rows3 m)
{
    return (Rows3){ { { m.row[0].x, m.row[1].x, m.row[2].x },
                      { m.row[0].y, m.row[1].y, m.row[2].y },
                      { m.row[0].z, m.row[1].z, m.row[2].z } } };
}

// symmetric to the last bit
SIMD_INLINE Rows3 mirrored(Rows3 m)
{
    m.row[0].y = m.row[1].x;
    m.row[0].z = m.row[2].x;
    m.row[1].z = m.row[2].y;
    return m;
}

// - (a + b + c): a change of all corners by the same changes nothing
SIMD_INLINE Rows3 negativeSum(Rows3 a, Rows3 b, Rows3 c)
{
    Rows3 sum;
    SIMD_UNROLL
    for (int i = 0; i < 3; ++i)
        sum.row[i] = vecWideScale(wideSet(-1), vecWideAdd(vecWideAdd(a.row[i], b.row[i]), c.row[i]));
    return sum;
}

// twelve rows of an element matrix: the blocks of one corner side by side
SIMD_INLINE void storeCorner(double *out, Rows3 b0, Rows3 b1, Rows3 b2, Rows3 b3)
{
    SIMD_UNROLL
    for (int i = 0; i < 3; ++i, out += 12)
    {
        wideStoreQuads(out, 144, b0.row[i].x, b0.row[i].y, b0.row[i].z, b1.row[i].x);
        wideStoreQuads(out + 4, 144, b1.row[i].y, b1.row[i].z, b2.row[i].x, b2.row[i].y);
        wideStoreQuads(out + 8, 144, b2.row[i].z, b3.row[i].x, b3.row[i].y, b3.row[i].z);
    }
}

SIMD_INLINE void storeBlocks(double *out, const Vec3Wide r[3], const Symmetric *k, DoubleWide shear,
                             DoubleWide pressure)
{
    Rows3 b11 = mirrored(cornerBlock(r[0], r[0], k, shear, pressure));
    Rows3 b22 = mirrored(cornerBlock(r[1], r[1], k, shear, pressure));
    Rows3 b33 = mirrored(cornerBlock(r[2], r[2], k, shear, pressure));
    Rows3 b21 = cornerBlock(r[1], r[0], k, shear, pressure), b12 = transposed(b21);
    Rows3 b31 = cornerBlock(r[2], r[0], k, shear, pressure), b13 = transposed(b31);
    Rows3 b32 = cornerBlock(r[2], r[1], k, shear, pressure), b23 = transposed(b32);
    Rows3 b10 = negativeSum(b11, b12, b13), b20 = negativeSum(b21, b22, b23), b30 = negativeSum(b31, b32, b33);
    Rows3 b00 = mirrored(negativeSum(b10, b20, b30));
    storeCorner(out, b00, transposed(b10), transposed(b20), transposed(b30));
    storeCorner(out + 36, b10, b11, b12, b13);
    storeCorner(out + 72, b20, b21, b22, b23);
    storeCorner(out + 108, b30, b31, b32, b33);
}

static void hessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    Group group;
    int count = turnBlocks(&group, energy, x, block, block + 1, NEAR);
    for (int vector = 0; vector < count; ++vector)
    {
        Place p = placeOf(block, vector);
        const double *params = laneParams(energy, p.block) + p.lane, *inverse = params + TET_INVERSE * LANES;
        Quaternion q = vectorQuaternion(&group, vector);
        Matrix f = vectorMatrix(&group, vector), r = rotationOf(q);
        Slope slope = slopeAt(f, q);
        DoubleWide volume = wideLoad(params + TET_VOLUME * LANES), mu = wideLoad(params + TET_MU * LANES);
        DoubleWide lambda = wideLoad(params + TET_LAMBDA * LANES), bend = lambda * volumetric(r, f) - 2 * mu;
        Symmetric k = turnedMatrix(r, turnCompliance(&slope, bend, mu, mode), volume * bend);
        Vec3Wide turned[3];
        SIMD_UNROLL
        for (int c = 0; c < 3; ++c)
            turned[c] = cornerForce(r, inverse + 3 * c * LANES);
        storeBlocks(out + p.lane * 144, turned, &k, volume * (2 * mu), volume * lambda);
    }
}

const HessianKernels KERNEL(corotatedHessians) = { hessian };
