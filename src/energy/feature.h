// Loops shared by the potentials of z = A x, a few vectors ("rows") that depend linearly on the corners: the
// deformation gradient of a triangle (2) or tet (3), an edge or a curvature vector (1). A kind supplies the law W(z);
// all else follows: gradient A^T dW/dz, projection w A^T p = A^T (w z - dW/dz) (Bouaziz 2014, Eq 7 and 10; p is a
// minimiser, so it has no derivative of its own), majorizer w A^T A. Rows of A sum to zero: it is stored without corner
// 0, as coefficients of the edges x_c - x_0, which costs no digits far from the origin.
#ifndef ENERGY_FEATURE_H
#define ENERGY_FEATURE_H

#include "energy/kernels.h"
#include "energy/wide.h"

#define FEATURE_ROWS 4

// How a kind lays out its params: number 0 is the weight w, J; then `extra` numbers of its own; then A, row by row.
// Instead of a number: FEATURE_EDGES, z are the edges x_c - x_0 themselves, and no A is stored; FEATURE_ELASTIC, as of
// strain.h and tet.h: weight, mu and lambda, then A corner by corner.
typedef struct FeatureShape
{
    int rows, corners, extra;
} FeatureShape;

#define FEATURE_EDGES (-1)
#define FEATURE_ELASTIC (-2)

// Value (J) and slope dW/dz of WIDE elements; params of the first of them. Everything is proportional to the weight.
typedef DoubleWide (*FeatureLaw)(const double *params, const Vec3Wide *z, Vec3Wide *slope);

SIMD_INLINE const double *featureCoefficient(const double *params, FeatureShape shape, int row, int corner)
{
    if (shape.extra == FEATURE_ELASTIC)
        return params + (TET_INVERSE + (corner - 1) * shape.rows + row) * LANES;
    return params + (1 + shape.extra + row * (shape.corners - 1) + corner - 1) * LANES;
}

SIMD_INLINE void featureRows(const Energy *energy, int block, int lane, const double *x, FeatureShape shape,
                             Vec3Wide *z)
{
    const int *vertices = laneVertices(energy, block) + lane;
    const double *params = laneParams(energy, block) + lane;
    Vec3Wide origin = vecWideGather(x, vertices);
    for (int r = 0; r < shape.rows; ++r)
        z[r] = (Vec3Wide){ wideSet(0), wideSet(0), wideSet(0) };
    for (int c = 1; c < shape.corners; ++c)
    {
        Vec3Wide edge = vecWideSub(vecWideGather(x, vertices + c * LANES), origin);
        if (shape.extra == FEATURE_EDGES)
            z[c - 1] = edge;
        for (int r = 0; r < shape.rows && shape.extra != FEATURE_EDGES; ++r)
            z[r] = vecWideAdd(z[r], vecWideScale(wideLoad(featureCoefficient(params, shape, r, c)), edge));
    }
}

// slots of the corners: A^T t; corner 0 is minus the others, so the sum is zero
SIMD_INLINE void featureStore(Energy *energy, int block, int lane, FeatureShape shape, const Vec3Wide *t)
{
    const double *params = laneParams(energy, block) + lane;
    double *slots = elementSlots(energy, block * LANES + lane);
    DoubleWide f[3 * MAX_CORNERS + 1];
    f[0] = f[1] = f[2] = wideSet(0);
    for (int c = 1; c < shape.corners; ++c)
    {
        Vec3Wide force = t[shape.extra == FEATURE_EDGES ? c - 1 : 0];
        if (shape.extra != FEATURE_EDGES)
            force = vecWideScale(wideLoad(featureCoefficient(params, shape, 0, c)), force);
        for (int r = 1; r < shape.rows && shape.extra != FEATURE_EDGES; ++r)
            force = vecWideAdd(force, vecWideScale(wideLoad(featureCoefficient(params, shape, r, c)), t[r]));
        f[3 * c] = force.x;
        f[3 * c + 1] = force.y;
        f[3 * c + 2] = force.z;
        f[0] -= force.x;
        f[1] -= force.y;
        f[2] -= force.z;
    }
    int count = 3 * shape.corners, i = 0;
    for (; i + 1 < count; i += 2)
        wideStorePairs(slots + i, count, f[i], f[i + 1]);
    for (int l = 0; l < WIDE && i < count; ++l)
        slots[i + l * count] = f[i][l];
}

SIMD_INLINE void featureValues(Energy *energy, const double *x, int begin, int end, FeatureShape shape, FeatureLaw law)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            Vec3Wide z[FEATURE_ROWS], slope[FEATURE_ROWS];
            featureRows(energy, block, lane, x, shape, z);
            wideStore(energy->value + block * LANES + lane, law(laneParams(energy, block) + lane, z, slope));
        }
    }
}

SIMD_INLINE void featureGradient(Energy *energy, const double *x, int begin, int end, FeatureShape shape,
                                 FeatureLaw law)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            Vec3Wide z[FEATURE_ROWS], slope[FEATURE_ROWS];
            featureRows(energy, block, lane, x, shape, z);
            law(laneParams(energy, block) + lane, z, slope);
            featureStore(energy, block, lane, shape, slope);
        }
    }
}

SIMD_INLINE void featureProject(Energy *energy, const double *x, int begin, int end, FeatureShape shape, FeatureLaw law)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            Vec3Wide z[FEATURE_ROWS], slope[FEATURE_ROWS];
            const double *params = laneParams(energy, block) + lane;
            featureRows(energy, block, lane, x, shape, z);
            law(params, z, slope);
            for (int r = 0; r < shape.rows; ++r)
                slope[r] = vecWideSub(vecWideScale(wideLoad(params), z[r]), slope[r]);
            featureStore(energy, block, lane, shape, slope);
        }
    }
}

// the line: z, then its change
SIMD_INLINE void featureLineStart(Energy *energy, const double *x, const double *d, int begin, int end,
                                  FeatureShape shape)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            Vec3Wide z[FEATURE_ROWS];
            double *line = laneLine(energy, block) + lane;
            featureRows(energy, block, lane, x, shape, z);
            for (int r = 0; r < shape.rows; ++r)
                vecWideStore(line + 3 * r * LANES, z[r]);
            featureRows(energy, block, lane, d, shape, z);
            for (int r = 0; r < shape.rows; ++r)
                vecWideStore(line + 3 * (shape.rows + r) * LANES, z[r]);
        }
    }
}

SIMD_INLINE void featureLineValues(Energy *energy, double alpha, int begin, int end, FeatureShape shape, FeatureLaw law)
{
    DoubleWide a = wideSet(alpha);
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            Vec3Wide z[FEATURE_ROWS], slope[FEATURE_ROWS];
            const double *line = laneLine(energy, block) + lane;
            for (int r = 0; r < shape.rows; ++r)
                z[r] = vecWideAdd(vecWideLoad(line + 3 * r * LANES),
                                  vecWideScale(a, vecWideLoad(line + 3 * (shape.rows + r) * LANES)));
            wideStore(energy->value + block * LANES + lane, law(laneParams(energy, block) + lane, z, slope));
        }
    }
}

// ---- frozen rates ---------------------------------------------------------------------------------------------------

// w/2 r^2 of a rate r = sum of s.z over three rows, their slopes s frozen in the params from number `frozen` on
SIMD_INLINE DoubleWide frozenLaw(const double *params, int frozen, const Vec3Wide *z, Vec3Wide *slope)
{
    DoubleWide weight = wideLoad(params), rate = wideSet(0);
    for (int r = 0; r < 3; ++r)
    {
        slope[r] = vecWideLoad(params + (frozen + 3 * r) * LANES);
        rate += vecWideDot(slope[r], z[r]);
    }
    for (int r = 0; r < 3; ++r)
        slope[r] = vecWideScale(weight * rate, slope[r]);
    return 0.5 * weight * rate * rate;
}

// ---- the sweep ------------------------------------------------------------------------------------------------------

// How far the corners go, see below: `more` are the constants behind the params, `along` is r.Sr, `square` |Sr|^2.
//
// One sweep (SweepMass): O is how far this step's D, square / along, lies above the part of along / r.(z - p) that is
// not overlap. r.(z - p) is twice the value: less than |r|^2 by what the law is softer than w in this direction.
SIMD_INLINE DoubleWide featureLength(const double *more, DoubleWide value, DoubleWide along, DoubleWide square)
{
    DoubleWide inverse = wideLoad(more), compliance = wideLoad(more + LANES), zero = wideSet(0);
    DoubleWide overlap = wideLoad(more + 2 * LANES), twice = 2 * inverse * value, soft = compliance * along;
    LongWide sharp = (overlap > zero) & (twice > zero) & (soft > zero);
    DoubleWide above = square - (1 - overlap) * along * along / wideSelect(sharp, twice, wideSet(1));
    sharp &= above > zero; // but for rounding
    soft = wideSelect(sharp, soft * soft / wideSelect(sharp, soft + above, wideSet(1)), soft);
    DoubleWide bottom = square + soft;
    LongWide acts = bottom > zero;
    return wideSelect(acts, along / wideSelect(acts, bottom, wideSet(1)), zero);
}

// One constraint an element, all rows of z - p at once, compliance 1/w (sweep.h). With r = slope / w + compliance x
// multiplier the corners go along -M^-1 A^T r, as far as lowers 1/2 |dx|^2 / h^2 + w/2 |z - p|^2 most: by
// t = r.Sr / (|Sr|^2 + compliance r.Sr), S = A M^-1 A^T. One row: XPBD's own step (Macklin 2019, Eq 4). More: that step
// by Rayleigh's quotient overshoots where S has eigenvalues apart by 6 (slivers, pins), and the inverse of S +
// compliance turns elements by its anisotropy; this never raises what it lowers, and keeps the angular momentum that
// the law keeps. One sweep a substep goes further, but less than twice as far: it does not raise it either.
SIMD_INLINE void featureSolve(SweepPlan *plan, const SweepContext *context, int batch, int lane, FeatureShape shape,
                              FeatureLaw law)
{
    const int *vertices = batchVertices(plan, batch) + lane;
    const double *constants = batchConstants(plan, batch) + lane;
    const double *more = constants + plan->energy->kind->paramCount * LANES;
    double *lambda = batchLambda(plan, batch) + lane;
    DoubleWide x[MAX_CORNERS][4], inverse = wideLoad(more), compliance = wideLoad(more + LANES), zero = wideSet(0);
    Vec3Wide z[FEATURE_ROWS], r[FEATURE_ROWS], s[FEATURE_ROWS], u[MAX_CORNERS];
    for (int c = 0; c < shape.corners; ++c)
        wideLoadRows(context->row, vertices + c * LANES, x[c]);
    for (int k = 0; k < shape.rows; ++k)
        z[k] = s[k] = (Vec3Wide){ zero, zero, zero };
    for (int c = 1; c < shape.corners; ++c)
    {
        Vec3Wide edge = { x[c][0] - x[0][0], x[c][1] - x[0][1], x[c][2] - x[0][2] };
        for (int k = 0; k < shape.rows; ++k)
            z[k] = vecWideAdd(z[k], vecWideScale(wideLoad(featureCoefficient(constants, shape, k, c)), edge));
    }
    DoubleWide value = law(constants, z, r);
    for (int k = 0; k < shape.rows; ++k)
    {
        r[k] = vecWideScale(inverse, r[k]);
        if (context->again)
            r[k] = vecWideAdd(r[k], vecWideScale(compliance, vecWideLoad(lambda + 3 * k * LANES)));
    }
    u[0] = (Vec3Wide){ zero, zero, zero };
    for (int c = 1; c < shape.corners; ++c)
    {
        Vec3Wide push = vecWideScale(wideLoad(featureCoefficient(constants, shape, 0, c)), r[0]);
        for (int k = 1; k < shape.rows; ++k)
            push = vecWideAdd(push, vecWideScale(wideLoad(featureCoefficient(constants, shape, k, c)), r[k]));
        u[0] = vecWideSub(u[0], push);
        u[c] = vecWideScale(x[c][3], push);
    }
    u[0] = vecWideScale(x[0][3], u[0]);
    for (int c = 1; c < shape.corners; ++c)
    {
        Vec3Wide edge = vecWideSub(u[c], u[0]);
        for (int k = 0; k < shape.rows; ++k)
            s[k] = vecWideAdd(s[k], vecWideScale(wideLoad(featureCoefficient(constants, shape, k, c)), edge));
    }
    DoubleWide along = zero, square = zero;
    for (int k = 0; k < shape.rows; ++k)
    {
        along += vecWideDot(r[k], s[k]);
        square += vecWideDot(s[k], s[k]);
    }
    DoubleWide t = featureLength(more, value, along, square);
    for (int k = 0; k < shape.rows && context->keep; ++k)
    {
        Vec3Wide before = context->again ? vecWideLoad(lambda + 3 * k * LANES) : (Vec3Wide){ zero, zero, zero };
        vecWideStore(lambda + 3 * k * LANES, vecWideSub(before, vecWideScale(t, r[k])));
    }
    // corner 0 last: corners that are left over repeat it
    for (int c = shape.corners - 1; c >= 0; --c)
    {
        x[c][0] -= t * u[c].x;
        x[c][1] -= t * u[c].y;
        x[c][2] -= t * u[c].z;
        wideStoreRows(context->row, vertices + c * LANES, x[c]);
    }
}

SIMD_INLINE void featureBatches(SweepPlan *plan, const SweepContext *context, int begin, int end, FeatureShape shape,
                                FeatureLaw law)
{
    for (int i = begin; i < end; ++i)
    {
        int batch = context->backward ? begin + end - 1 - i : i;
        for (int lane = 0; lane < plan->used[batch]; lane += WIDE)
            featureSolve(plan, context, batch, lane, shape, law);
    }
}

// The functions of a kernel source, from a law and the shape, an expression that may look at `energy`; then the table
// `name` of them alone, and of a projection with a sweep.
#define FEATURE_LOOPS(name, law, shape)                                                                                \
    static void name##Values(Energy *energy, const double *x, int begin, int end)                                      \
    {                                                                                                                  \
        featureValues(energy, x, begin, end, shape, law);                                                              \
    }                                                                                                                  \
    static void name##Gradient(Energy *energy, const double *x, int begin, int end)                                    \
    {                                                                                                                  \
        featureGradient(energy, x, begin, end, shape, law);                                                            \
    }                                                                                                                  \
    static void name##LineStart(Energy *energy, const double *x, const double *d, int begin, int end)                  \
    {                                                                                                                  \
        featureLineStart(energy, x, d, begin, end, shape);                                                             \
    }                                                                                                                  \
    static void name##LineValues(Energy *energy, double alpha, int begin, int end)                                     \
    {                                                                                                                  \
        featureLineValues(energy, alpha, begin, end, shape, law);                                                      \
    }

#define FEATURE_TABLE(name, law, shape)                                                                                \
    FEATURE_LOOPS(name, law, shape)                                                                                    \
    const ElementKernels KERNEL(name) = { name##Values, name##Gradient, name##LineStart, name##LineValues, NULL, NULL };

#define FEATURE_KERNELS(name, law, shape)                                                                              \
    FEATURE_LOOPS(name, law, shape)                                                                                    \
    static void name##Project(Energy *energy, const double *x, int begin, int end)                                     \
    {                                                                                                                  \
        featureProject(energy, x, begin, end, shape, law);                                                             \
    }                                                                                                                  \
    static void name##Batches(SweepPlan *plan, const SweepContext *context, int begin, int end)                        \
    {                                                                                                                  \
        const Energy *energy = plan->energy;                                                                           \
        (void)energy;                                                                                                  \
        featureBatches(plan, context, begin, end, shape, law);                                                         \
    }                                                                                                                  \
    const ElementKernels KERNEL(name) = { name##Values,     name##Gradient, name##LineStart,                           \
                                          name##LineValues, name##Project,  name##Batches };

#endif
