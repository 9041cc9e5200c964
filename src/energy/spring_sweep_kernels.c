// The sweep over springs, WIDE at a time: Macklin 2019, Eq 4 (Eq 8 where there is damping). Lanes of a batch share no
// vertex and never look at each other.
#include "energy/kernels.h"
#include "energy/wide.h"

typedef struct Ends
{
    Vec3Wide a, b;     // m
    DoubleWide wa, wb; // 1/kg
} Ends;

SIMD_INLINE Ends endsAt(const double *row, const int *vertices)
{
    DoubleWide p[4], q[4];
    wideLoadRows(row, vertices, p);
    wideLoadRows(row, vertices + LANES, q);
    return (Ends){ { p[0], p[1], p[2] }, { q[0], q[1], q[2] }, p[3], q[3] };
}

SIMD_INLINE void storeEnds(double *row, const int *vertices, Ends e)
{
    DoubleWide p[4] = { e.a.x, e.a.y, e.a.z, e.wa }, q[4] = { e.b.x, e.b.y, e.b.z, e.wb };
    wideStoreRows(row, vertices, p);
    wideStoreRows(row, vertices + LANES, q);
}

// C and its gradient by the second end, d factor
typedef struct Law
{
    DoubleWide value, factor;
    Vec3Wide gradient;
    DoubleWide square; // of the gradient: 1, or |d|^2 / l^2
} Law;

SIMD_INLINE Law hooke(Vec3Wide d, DoubleWide length)
{
    DoubleWide zero = wideSet(0), r = wideSqrt(vecWideDot(d, d)), inverse = 1 / r;
    Vec3Wide n = vecWideScale(inverse, d);
    LongWide collapsed = r == zero; // pushes along x
    if (wideAny(collapsed))
        n = vecWideSelect(collapsed, (Vec3Wide){ wideSet(1), zero, zero }, n);
    return (Law){ .value = r - length, .gradient = n, .square = wideSet(1) };
}

SIMD_INLINE Law squared(Vec3Wide d, DoubleWide length)
{
    DoubleWide inverse = 1 / length, square = vecWideDot(d, d);
    return (Law){ .value = 0.5 * (square - length * length) * inverse,
                  .gradient = vecWideScale(inverse, d),
                  .square = square * inverse * inverse };
}

typedef Law (*LawOf)(Vec3Wide d, DoubleWide length);

// Jacobi: slots hold what the elements push with, per 1/kg
SIMD_INLINE void storeSlots(const SweepPlan *plan, int batch, int lane, Vec3Wide push)
{
    for (int l = 0; l < WIDE; ++l)
    {
        double *slot = elementSlots(plan->energy, plan->element[batch * LANES + lane + l]);
        Vec3 p = vec3(push.x[l], push.y[l], push.z[l]);
        vecStore(slot, vecScale(-1, p));
        vecStore(slot + 3, p);
    }
}

SIMD_INLINE void solve(SweepPlan *plan, const SweepContext *context, int batch, int lane, LawOf law, bool damped,
                       bool isSquared)
{
    const int *vertices = batchVertices(plan, batch) + lane;
    const double *constants = batchConstants(plan, batch) + lane;
    double *lambda = batchLambda(plan, batch) + lane;
    Ends e = endsAt(context->row, vertices);
    Law c = law(vecWideSub(e.b, e.a), wideLoad(constants + PAIR_LENGTH * LANES));
    DoubleWide inverse = wideLoad(constants + PAIR_INVERSE * LANES), error = c.value, before = wideSet(0);
    DoubleWide gamma = damped ? wideLoad(constants + PAIR_GAMMA * LANES) : before;
    if (isSquared) // the gradient is not of length 1
    {
        DoubleWide sum = (1 + gamma) * (e.wa + e.wb) * c.square + wideLoad(constants + PAIR_COMPLIANCE * LANES);
        inverse = wideSelect(inverse > before, 1 / sum, before);
    }
    if (context->again)
    {
        before = wideLoad(lambda);
        error = error + wideLoad(constants + PAIR_COMPLIANCE * LANES) * before;
    }
    if (damped)
    {
        Ends s = endsAt(context->before, vertices);
        error = error + gamma * vecWideDot(c.gradient, vecWideSub(vecWideSub(e.b, s.b), vecWideSub(e.a, s.a)));
    }
    DoubleWide change = -error * inverse;
    if (context->keep)
        wideStore(lambda, before + change);
    e.a = vecWideSub(e.a, vecWideScale(e.wa * change, c.gradient));
    e.b = vecWideAdd(e.b, vecWideScale(e.wb * change, c.gradient));
    if (plan->jacobi)
        storeSlots(plan, batch, lane, vecWideScale(change, c.gradient));
    else
        storeEnds(context->row, vertices, e);
}

SIMD_INLINE void solveBatches(SweepPlan *plan, const SweepContext *context, int begin, int end, LawOf law, bool damped,
                              bool isSquared)
{
    for (int i = begin; i < end; ++i)
    {
        int batch = context->backward ? begin + end - 1 - i : i;
        for (int lane = 0; lane < plan->used[batch]; lane += WIDE)
            solve(plan, context, batch, lane, law, damped, isSquared);
    }
}

static void springs(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    if (plan->damping > 0)
        solveBatches(plan, context, begin, end, hooke, true, false);
    else
        solveBatches(plan, context, begin, end, hooke, false, false);
}

static void squaredSprings(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    if (plan->damping > 0)
        solveBatches(plan, context, begin, end, squared, true, true);
    else
        solveBatches(plan, context, begin, end, squared, false, true);
}

const SweepKernels KERNEL(springSweeps) = { springs, NULL };
const SweepKernels KERNEL(squaredSpringSweeps) = { squaredSprings, NULL };
