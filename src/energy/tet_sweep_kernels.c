// The sweep over tetrahedra, WIDE at a time. Lanes of a batch share no vertex and never look at each other.
//
// Corotated: six strains, the symmetric part of R^T F less the identity with engineering shear, whose compliance is the
// inverse elasticity over the volume: one block solve per tet (notes: the two scalar constraints of Macklin 2019 need a
// guard at rest). Its matrix, sum over corners of w B B^T and the compliance, does not turn with R, so the inverse is a
// constant. Linear: the same with R = 1.
#include "energy/kernels.h"
#include "energy/wide_rotation.h"

typedef struct Corners
{
    DoubleWide p[4][4]; // corner, x y z w
} Corners;

SIMD_INLINE Corners cornersAt(const double *row, const int *vertices)
{
    Corners k;
    SIMD_UNROLL
    for (int c = 0; c < 4; ++c)
        wideLoadRows(row, vertices + c * LANES, k.p[c]);
    return k;
}

SIMD_INLINE void storeCorners(double *row, const int *vertices, const Corners *k)
{
    SIMD_UNROLL
    for (int c = 0; c < 4; ++c)
        wideStoreRows(row, vertices + c * LANES, k->p[c]);
}

SIMD_INLINE Vec3Wide edgeOf(const Corners *k, int c)
{
    return (Vec3Wide){ k->p[c][0] - k->p[0][0], k->p[c][1] - k->p[0][1], k->p[c][2] - k->p[0][2] };
}

SIMD_INLINE Matrix deformationOf(const Corners *k, const double *inverse)
{
    Matrix edges = { edgeOf(k, 1), edgeOf(k, 2), edgeOf(k, 3) };
    return (Matrix){ deformedColumn(edges, inverse), deformedColumn(edges, inverse + LANES),
                     deformedColumn(edges, inverse + 2 * LANES) };
}

SIMD_INLINE Vec3Wide times(Matrix m, Vec3Wide v)
{
    Vec3Wide sum = vecWideScale(v.x, m.a);
    sum = vecWideAdd(sum, vecWideScale(v.y, m.b));
    return vecWideAdd(sum, vecWideScale(v.z, m.c));
}

SIMD_INLINE void push(Corners *k, int c, DoubleWide scale, Vec3Wide direction)
{
    k->p[c][0] = k->p[c][0] + scale * direction.x;
    k->p[c][1] = k->p[c][1] + scale * direction.y;
    k->p[c][2] = k->p[c][2] + scale * direction.z;
}

// P g of the corners 1 to 3, and of corner 0, whose g is less their sum
SIMD_INLINE void gradientsOf(Matrix p, const double *inverse, Vec3Wide out[4])
{
    SIMD_UNROLL
    for (int c = 1; c < 4; ++c)
        out[c] = times(p, vecWideLoad(inverse + 3 * (c - 1) * LANES));
    out[0] = vecWideScale(wideSet(-1), vecWideAdd(vecWideAdd(out[1], out[2]), out[3]));
}

// Jacobi: slots hold what the elements push with, per 1/kg
SIMD_INLINE void storeSlots(const SweepPlan *plan, int batch, int lane, const Vec3Wide push[4])
{
    for (int l = 0; l < WIDE; ++l)
    {
        double *slot = elementSlots(plan->energy, plan->element[batch * LANES + lane + l]);
        SIMD_UNROLL
        for (int c = 0; c < 4; ++c)
            vecStore(slot + 3 * c, vec3(push[c].x[l], push[c].y[l], push[c].z[l]));
    }
}

// ---- six strains ----------------------------------------------------------------------------------------------------

#define TURNS 8      // Newton steps towards the nearest rotation at most: warm, one or two do
#define SETTLED 1e-6 // |w|^2 after which the next error, of third order, is far below the rounding of a substep

// from the rotation of the substep before
SIMD_INLINE Quaternion turned(Matrix f, Quaternion q)
{
    LongWide done = wideSet(0) != wideSet(0);
    for (int i = 0; i < TURNS && wideAny(~done); ++i)
    {
        Slope s = slopeAt(f, q);
        q = quaternionSelect(done, q, farStep(&s, q));
        done |= s.definite & (vecWideDot(s.step, s.step) <= SETTLED * s.det * s.det);
    }
    return q;
}

// xx yy zz yz xz xy of sym(R^T F), shear doubled
SIMD_INLINE void stretches(Matrix r, Matrix f, DoubleWide e[6])
{
    e[0] = vecWideDot(r.a, f.a);
    e[1] = vecWideDot(r.b, f.b);
    e[2] = vecWideDot(r.c, f.c);
    e[3] = vecWideDot(r.b, f.c) + vecWideDot(r.c, f.b);
    e[4] = vecWideDot(r.a, f.c) + vecWideDot(r.c, f.a);
    e[5] = vecWideDot(r.a, f.b) + vecWideDot(r.b, f.a);
}

// out = M in, M symmetric, its upper triangle by rows
SIMD_INLINE void blockTimes(const double *block, const DoubleWide in[6], DoubleWide out[6])
{
    DoubleWide m[21];
    SIMD_UNROLL
    for (int n = 0; n < 21; ++n)
        m[n] = wideLoad(block + n * LANES);
    out[0] = m[0] * in[0] + m[1] * in[1] + m[2] * in[2] + m[3] * in[3] + m[4] * in[4] + m[5] * in[5];
    out[1] = m[1] * in[0] + m[6] * in[1] + m[7] * in[2] + m[8] * in[3] + m[9] * in[4] + m[10] * in[5];
    out[2] = m[2] * in[0] + m[7] * in[1] + m[11] * in[2] + m[12] * in[3] + m[13] * in[4] + m[14] * in[5];
    out[3] = m[3] * in[0] + m[8] * in[1] + m[12] * in[2] + m[15] * in[3] + m[16] * in[4] + m[17] * in[5];
    out[4] = m[4] * in[0] + m[9] * in[1] + m[13] * in[2] + m[16] * in[3] + m[18] * in[4] + m[19] * in[5];
    out[5] = m[5] * in[0] + m[10] * in[1] + m[14] * in[2] + m[17] * in[3] + m[19] * in[4] + m[20] * in[5];
}

// e += compliance lambda
SIMD_INLINE void addCompliance(const double *compliance, const DoubleWide lambda[6], DoubleWide e[6])
{
    DoubleWide normal = wideLoad(compliance), cross = wideLoad(compliance + LANES),
               shear = wideLoad(compliance + 2 * LANES);
    DoubleWide sum = lambda[0] + lambda[1] + lambda[2];
    SIMD_UNROLL
    for (int i = 0; i < 3; ++i)
    {
        e[i] = e[i] + (normal - cross) * lambda[i] + cross * sum;
        e[i + 3] = e[i + 3] + shear * lambda[i + 3];
    }
}

// beta / h V rate^T K rate: J that damping takes over a displacement of `rate`
SIMD_INLINE DoubleWide viscousWork(const double *taken, const DoubleWide rate[6])
{
    DoubleWide sum = rate[0] + rate[1] + rate[2];
    DoubleWide normal = rate[0] * rate[0] + rate[1] * rate[1] + rate[2] * rate[2];
    DoubleWide shear = rate[3] * rate[3] + rate[4] * rate[4] + rate[5] * rate[5];
    return wideLoad(taken) * sum * sum + wideLoad(taken + LANES) * (2 * normal + shear);
}

SIMD_INLINE void solveStrains(SweepPlan *plan, const SweepContext *context, int batch, int lane, bool turns,
                              bool damped)
{
    const int *vertices = batchVertices(plan, batch) + lane;
    const double *constants = batchConstants(plan, batch) + lane, *inverse = constants + CELL_INVERSE * LANES;
    double *lambda = batchLambda(plan, batch) + lane;
    DoubleWide zero = wideSet(0), one = wideSet(1), e[6], change[6], before[6];
    Corners k = cornersAt(context->row, vertices);
    Matrix f = deformationOf(&k, inverse), r = { { one, zero, zero }, { zero, one, zero }, { zero, zero, one } };
    if (turns)
    {
        Quaternion q = turned(f, quaternionLoad(batchKept(plan, batch) + lane));
        quaternionStore(batchKept(plan, batch) + lane, q);
        r = rotationOf(q);
    }
    stretches(r, f, e);
    SIMD_UNROLL
    for (int i = 0; i < 6; ++i)
        before[i] = context->again ? wideLoad(lambda + i * LANES) : zero;
    if (damped) // Macklin 2019, Eq 8: gamma B (x - x_n)
    {
        DoubleWide gamma = wideLoad(constants + CELL_GAMMA * LANES);
        DoubleWide start[6];
        Corners s = cornersAt(context->before, vertices);
        stretches(r, deformationOf(&s, inverse), start);
        SIMD_UNROLL
        for (int i = 0; i < 6; ++i)
            e[i] = e[i] + gamma * (e[i] - start[i]);
    }
    SIMD_UNROLL
    for (int i = 0; i < 3; ++i)
        e[i] = e[i] - 1;
    if (context->again)
        addCompliance(constants + CELL_COMPLIANCE * LANES, before, e);
    blockTimes(constants + CELL_BLOCK * LANES, e, change);
    SIMD_UNROLL
    for (int i = 0; i < 6; ++i)
    {
        change[i] = -change[i];
        if (context->keep)
            wideStore(lambda + i * LANES, before[i] + change[i]);
    }
    Matrix p = { times(r, (Vec3Wide){ change[0], change[5], change[4] }),
                 times(r, (Vec3Wide){ change[5], change[1], change[3] }),
                 times(r, (Vec3Wide){ change[4], change[3], change[2] }) };
    Vec3Wide correction[4];
    gradientsOf(p, inverse, correction);
    SIMD_UNROLL
    for (int c = 0; c < 4; ++c)
        push(&k, c, k.p[c][3], correction[c]);
    if (plan->jacobi)
        storeSlots(plan, batch, lane, correction);
    else
        storeCorners(context->row, vertices, &k);
}

// in the frame of the sweep: rates of F less than the angle of a substep off
SIMD_INLINE void loseStrains(SweepPlan *plan, const SweepContext *context, int batch, int lane, bool turns)
{
    const int *vertices = batchVertices(plan, batch) + lane;
    const double *constants = batchConstants(plan, batch) + lane, *inverse = constants + CELL_INVERSE * LANES;
    double *taken = plan->taken + batch * LANES + lane;
    DoubleWide zero = wideSet(0), one = wideSet(1), now[6], start[6];
    Corners k = cornersAt(context->row, vertices), s = cornersAt(context->before, vertices);
    Matrix r = { { one, zero, zero }, { zero, one, zero }, { zero, zero, one } };
    if (turns)
        r = rotationOf(quaternionLoad(batchKept(plan, batch) + lane));
    stretches(r, deformationOf(&k, inverse), now);
    stretches(r, deformationOf(&s, inverse), start);
    SIMD_UNROLL
    for (int i = 0; i < 6; ++i)
        now[i] = now[i] - start[i];
    wideStore(taken, wideLoad(taken) + viscousWork(constants + CELL_TAKEN * LANES, now));
}

SIMD_INLINE void lossBatches(SweepPlan *plan, const SweepContext *context, int begin, int end, bool turns)
{
    for (int batch = begin; batch < end; ++batch)
    {
        for (int lane = 0; lane < plan->used[batch]; lane += WIDE)
            loseStrains(plan, context, batch, lane, turns);
    }
}

static void corotatedLosses(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    lossBatches(plan, context, begin, end, true);
}

static void linearLosses(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    lossBatches(plan, context, begin, end, false);
}

SIMD_INLINE void strainBatches(SweepPlan *plan, const SweepContext *context, int begin, int end, bool turns,
                               bool damped)
{
    for (int i = begin; i < end; ++i)
    {
        int batch = context->backward ? begin + end - 1 - i : i;
        for (int lane = 0; lane < plan->used[batch]; lane += WIDE)
            solveStrains(plan, context, batch, lane, turns, damped);
    }
}

static void corotated(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    if (plan->damping > 0)
        strainBatches(plan, context, begin, end, true, true);
    else
        strainBatches(plan, context, begin, end, true, false);
}

static void linear(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    if (plan->damping > 0)
        strainBatches(plan, context, begin, end, false, true);
    else
        strainBatches(plan, context, begin, end, false, false);
}

// ---- stable neo-Hookean ---------------------------------------------------------------------------------------------
// Two constraints (Macklin and Mueller 2021): det F - (1 + mu / lambda') with compliance 1 / (lambda' V), and |F| with
// 1 / (mu V). |F| is sqrt 3 at rest, not 0: the two multipliers cancel there. Solved one after the other, as the paper
// does, they leave what they do not cancel as strain: 16 kJ in the beam of the tests, and a locked beam in large steps.
// So both are solved at once, which leaves a tet at rest at rest.

SIMD_INLINE Vec3Wide crossWide(Vec3Wide a, Vec3Wide b)
{
    return (Vec3Wide){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

SIMD_INLINE void solveHookean(SweepPlan *plan, const SweepContext *context, int batch, int lane)
{
    const int *vertices = batchVertices(plan, batch) + lane;
    const double *constants = batchConstants(plan, batch) + lane, *inverse = constants + HOOKEAN_INVERSE * LANES;
    double *lambda = batchLambda(plan, batch) + lane;
    DoubleWide zero = wideSet(0), soft = wideLoad(constants + HOOKEAN_VOLUME_COMPLIANCE * LANES);
    DoubleWide shear = wideLoad(constants + HOOKEAN_SHEAR_COMPLIANCE * LANES);
    Corners k = cornersAt(context->row, vertices);
    Matrix f = deformationOf(&k, inverse);
    Matrix cofactor = { crossWide(f.b, f.c), crossWide(f.c, f.a), crossWide(f.a, f.b) };
    DoubleWide volume = vecWideDot(f.a, cofactor.a) - wideLoad(constants + HOOKEAN_REST * LANES);
    DoubleWide norm = wideSqrt(vecWideDot(f.a, f.a) + vecWideDot(f.b, f.b) + vecWideDot(f.c, f.c));
    DoubleWide scale = wideSelect(norm > zero, 1 / norm, zero);
    Matrix unit = { vecWideScale(scale, f.a), vecWideScale(scale, f.b), vecWideScale(scale, f.c) };
    Vec3Wide g[4], s[4];
    gradientsOf(cofactor, inverse, g);
    gradientsOf(unit, inverse, s);
    DoubleWide gg = soft, gs = zero, ss = shear;
    SIMD_UNROLL
    for (int c = 0; c < 4; ++c)
    {
        gg = gg + k.p[c][3] * vecWideDot(g[c], g[c]);
        gs = gs + k.p[c][3] * vecWideDot(g[c], s[c]);
        ss = ss + k.p[c][3] * vecWideDot(s[c], s[c]);
    }
    DoubleWide first = zero, second = zero;
    if (context->again)
    {
        first = wideLoad(lambda);
        second = wideLoad(lambda + LANES);
        volume = volume + soft * first;
        norm = norm + shear * second;
    }
    DoubleWide det = gg * ss - gs * gs;
    DoubleWide over = wideSelect(wideLoad(constants + HOOKEAN_ACTS * LANES) > zero, -1 / det, zero);
    DoubleWide p = over * (ss * volume - gs * norm), q = over * (gg * norm - gs * volume);
    if (context->keep)
    {
        wideStore(lambda, first + p);
        wideStore(lambda + LANES, second + q);
    }
    SIMD_UNROLL
    for (int c = 0; c < 4; ++c)
        push(&k, c, k.p[c][3], vecWideAdd(vecWideScale(p, g[c]), vecWideScale(q, s[c])));
    storeCorners(context->row, vertices, &k);
}

static void neoHookean(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        int batch = context->backward ? begin + end - 1 - i : i;
        for (int lane = 0; lane < plan->used[batch]; lane += WIDE)
            solveHookean(plan, context, batch, lane);
    }
}

const SweepKernels KERNEL(corotatedSweeps) = { corotated, corotatedLosses };
const SweepKernels KERNEL(linearTetSweeps) = { linear, linearLosses };
const SweepKernels KERNEL(neoHookeanSweeps) = { neoHookean, NULL };
