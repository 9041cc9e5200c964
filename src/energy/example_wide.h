// Rotation and blend of WIDE tets at once (the energies are in example.c and example_blend.c).
//
// With S = R^T F and H = I + sum c_k W_k, turning R by exp([w]) in its own frame, the energy over its weight is
//   psi(w, c) = 1/2 |S - exp([w]) H|^2 + eps/2 |c|^2.
// In w it is that of the nearest rotation of F H (wide_rotation.h) with M = S H: slope -g, second derivative K = tr(M)
// I - sym(M). In c it is a quadratic with the Gram matrix G of the W_k. Between them: -b_k, b_k the axis of S W_k - W_k
// S^T. So a step of Newton's method on both solves
//   (G - B^T K^-1 B) dc = rho + B^T K^-1 g,   w = K^-1 g + K^-1 B dc,   rho_k = (S - H).W_k - eps c_k.
#ifndef ENERGY_EXAMPLE_WIDE_H
#define ENERGY_EXAMPLE_WIDE_H

#include "energy/example.h"
#include "energy/feature.h"
#include "energy/wide_rotation.h"

#define EXAMPLE_SHAPE ((FeatureShape){ 3, 4, EXAMPLE_EXTRA })

#define FIT_ITERATIONS 10
#define FIT_FAR 0.25   // square of a step (1, or rad) that is too long to trust its end
#define FIT_NEAR 1e-15 // times how definite it is: the next step would be as long as this is
#define FIT_STILL                                                                                                      \
    1e-28 // over the square of that: a step that is rounding is not taken, so that asking twice gives the same
#define FIT_GAP 1e-7 // det K / tr(M)^3 below which the rotation is too uncertain

typedef struct SymmetricWide
{
    Vec3Wide d, o; // xx, yy, zz and yz, xz, xy
} SymmetricWide;

SIMD_INLINE SymmetricWide strainLoad(const double *params, int k)
{
    const double *strain = params + (EXAMPLE_STRAINS + 6 * k) * LANES;
    return (SymmetricWide){ vecWideLoad(strain), vecWideLoad(strain + 3 * LANES) };
}

SIMD_INLINE SymmetricWide blendedShape(const double *params, const DoubleWide *c, int count)
{
    DoubleWide zero = wideSet(0), one = wideSet(1);
    SymmetricWide h = { { one, one, one }, { zero, zero, zero } };
    for (int k = 0; k < count; ++k)
    {
        SymmetricWide strain = strainLoad(params, k);
        h.d = vecWideAdd(h.d, vecWideScale(c[k], strain.d));
        h.o = vecWideAdd(h.o, vecWideScale(c[k], strain.o));
    }
    return h;
}

SIMD_INLINE Matrix columnsOf(SymmetricWide h)
{
    return (Matrix){ { h.d.x, h.o.z, h.o.y }, { h.o.z, h.d.y, h.o.x }, { h.o.y, h.o.x, h.d.z } };
}

SIMD_INLINE DoubleWide gramLoad(const double *params, int k, int l) // l <= k
{
    return wideLoad(params + (EXAMPLE_GRAM + k * (k + 1) / 2 + l) * LANES);
}

SIMD_INLINE Slope slopeOfShape(const Vec3Wide *s, SymmetricWide h)
{
    Matrix m = columnsOf(h);
    Vec3Wide row[3];
    for (int i = 0; i < 3; ++i)
        row[i] = (Vec3Wide){ vecWideDot(s[i], m.a), vecWideDot(s[i], m.b), vecWideDot(s[i], m.c) };
    return slopeOf(row[0], row[1], row[2]);
}

// One step of Newton's method, but for dc
typedef struct Stand
{
    Vec3Wide turn;                                            // K^-1 g
    Vec3Wide response[MAX_EXAMPLES];                          // K^-1 b_k
    DoubleWide matrix[MAX_EXAMPLES * (MAX_EXAMPLES + 1) / 2]; // G - B^T K^-1 B, as the Gram matrix is stored
    DoubleWide right[MAX_EXAMPLES];                           // rho + B^T K^-1 g
    DoubleWide gap;                                           // det K / tr(M)^3
    LongWide definite;                                        // K is, and by enough
} Stand;

SIMD_INLINE Stand standAt(const double *params, Matrix f, Quaternion q, const DoubleWide *c, int count)
{
    Stand at;
    Vec3Wide s[3];
    SymmetricWide h = blendedShape(params, c, count);
    turnedBack(f, q, s);
    Slope slope = slopeOfShape(s, h);
    at.definite = slope.definite & (slope.det >= FIT_GAP * slope.cube);
    // where it is not, R stays and c is what it wants
    DoubleWide one = wideSet(1), eps = wideLoad(params + EXAMPLE_DECAY * LANES);
    DoubleWide inverse = wideSelect(at.definite, 1 / wideSelect(at.definite, slope.det, one), wideSet(0));
    at.gap = slope.det / wideSelect(at.definite, slope.cube, one);
    at.turn = vecWideScale(inverse, slope.step);
    // twice the symmetric part of S - H off the diagonal, as the product with W_k counts it
    Vec3Wide d = vecWideSub((Vec3Wide){ s[0].x, s[1].y, s[2].z }, h.d);
    Vec3Wide o = vecWideSub((Vec3Wide){ s[1].z + s[2].y, s[0].z + s[2].x, s[0].y + s[1].x }, vecWideAdd(h.o, h.o));
    Vec3Wide b[MAX_EXAMPLES];
    for (int k = 0; k < count; ++k)
    {
        SymmetricWide w = strainLoad(params, k);
        Matrix m = columnsOf(w);
        b[k] = (Vec3Wide){ vecWideDot(s[2], m.b) - vecWideDot(s[1], m.c), vecWideDot(s[0], m.c) - vecWideDot(s[2], m.a),
                           vecWideDot(s[1], m.a) - vecWideDot(s[0], m.b) };
        at.response[k] = vecWideScale(inverse, adjugateTimes(&slope, b[k]));
        at.right[k] = vecWideDot(d, w.d) + vecWideDot(o, w.o) - eps * c[k] + vecWideDot(at.response[k], slope.g);
        for (int l = 0; l <= k; ++l)
            at.matrix[k * (k + 1) / 2 + l] = gramLoad(params, k, l) - vecWideDot(at.response[k], b[l]);
    }
    return at;
}

// R turned by w: half of atan |w| has the tangent |w| / (2 + |w|^2/2) but for O(|w|^5)
SIMD_INLINE Quaternion turnedBy(Quaternion q, Vec3Wide w)
{
    q = quaternionMultiply(q, (Quaternion){ 2 + 0.5 * vecWideDot(w, w), w });
    return quaternionScale(1 / wideSqrt(quaternionSquare(q)), q);
}

// ---- what follows from R and c --------------------------------------------------------------------------------------

// p = R H, the point of the set
SIMD_INLINE void blendPoint(const double *params, Quaternion q, const DoubleWide *c, int count, Vec3Wide *p)
{
    Matrix r = rotationOf(q), h = columnsOf(blendedShape(params, c, count));
    const Vec3Wide column[3] = { h.a, h.b, h.c };
    for (int k = 0; k < 3; ++k)
        p[k] = vecWideAdd(vecWideAdd(vecWideScale(column[k].x, r.a), vecWideScale(column[k].y, r.b)),
                          vecWideScale(column[k].z, r.c));
}

// w/2 (|F - p|^2 + eps |c|^2)
SIMD_INLINE DoubleWide blendValue(const double *params, const Vec3Wide *f, Quaternion q, const DoubleWide *c, int count)
{
    Vec3Wide p[3];
    DoubleWide sum = wideSet(0), eps = wideLoad(params + EXAMPLE_DECAY * LANES);
    blendPoint(params, q, c, count, p);
    for (int k = 0; k < 3; ++k)
    {
        Vec3Wide off = vecWideSub(f[k], p[k]);
        sum += vecWideDot(off, off);
    }
    for (int k = 0; k < count; ++k)
        sum += eps * c[k] * c[k];
    return 0.5 * wideLoad(params) * sum;
}

// slots of w (F - p), or of w p
SIMD_INLINE void blendStore(Energy *energy, int block, int lane, const Vec3Wide *f, Quaternion q, const DoubleWide *c,
                            int count, bool difference)
{
    const double *params = laneParams(energy, block) + lane;
    Vec3Wide p[3];
    blendPoint(params, q, c, count, p);
    for (int k = 0; k < 3; ++k)
        p[k] = vecWideScale(wideLoad(params), difference ? vecWideSub(f[k], p[k]) : p[k]);
    featureStore(energy, block, lane, EXAMPLE_SHAPE, p);
}

// F of lanes at a source
SIMD_INLINE void sourceRows(const Energy *energy, int block, int lane, const ExampleSource *source, Vec3Wide *f)
{
    if (source->x != NULL)
    {
        featureRows(energy, block, lane, source->x, EXAMPLE_SHAPE, f);
        return;
    }
    const double *line = laneLine(energy, block) + lane;
    for (int k = 0; k < 3; ++k)
        f[k] = vecWideAdd(vecWideLoad(line + 3 * k * LANES),
                          vecWideScale(wideSet(source->alpha), vecWideLoad(line + (9 + 3 * k) * LANES)));
}

// The tables of a kernel source that has storeValues, storeSlots and fitBlock
#define EXAMPLE_TABLES(table, fits)                                                                                    \
    static void values(Energy *energy, const double *x, int begin, int end)                                            \
    {                                                                                                                  \
        storeValues(energy, &(ExampleSource){ .x = x }, begin, end);                                                   \
    }                                                                                                                  \
    static void lineValues(Energy *energy, double alpha, int begin, int end)                                           \
    {                                                                                                                  \
        storeValues(energy, &(ExampleSource){ .alpha = alpha }, begin, end);                                           \
    }                                                                                                                  \
    static void gradient(Energy *energy, const double *x, int begin, int end)                                          \
    {                                                                                                                  \
        storeSlots(energy, x, begin, end, true);                                                                       \
    }                                                                                                                  \
    static void project(Energy *energy, const double *x, int begin, int end)                                           \
    {                                                                                                                  \
        storeSlots(energy, x, begin, end, false);                                                                      \
    }                                                                                                                  \
    static void lineStart(Energy *energy, const double *x, const double *d, int begin, int end)                        \
    {                                                                                                                  \
        featureLineStart(energy, x, d, begin, end, EXAMPLE_SHAPE);                                                     \
    }                                                                                                                  \
    const ElementKernels KERNEL(table) = { values, gradient, lineStart, lineValues, project, NULL };                   \
    const FitKernels KERNEL(fits) = { fitBlock };

#endif
