// The sweep over springs, WIDE at a time: Macklin 2019, Eq 4 (Eq 8 where there is damping). Lanes of a batch share no
// vertex and never look at each other.
#include "energy/kernels.h"
#include "energy/wide.h"

typedef struct Ends
{
    Vec3Wide a, b;     // m
    DoubleWide wa, wb; // 1/kg
} Ends;

SIMD_INLINE Ends endsAt(const double *row, const int *place)
{
    DoubleWide p[4], q[4];
    wideLoadPlaces(row, place, p);
    wideLoadPlaces(row, place + LANES, q);
    return (Ends){ { p[0], p[1], p[2] }, { q[0], q[1], q[2] }, p[3], q[3] };
}

SIMD_INLINE void storeEnds(double *row, const int *place, Ends e)
{
    DoubleWide p[4] = { e.a.x, e.a.y, e.a.z, e.wa }, q[4] = { e.b.x, e.b.y, e.b.z, e.wb };
    wideStorePlaces(row, place, p);
    wideStorePlaces(row, place + LANES, q);
}

// C and its gradient by the second end, factor times along
typedef struct Law
{
    DoubleWide value, factor;
    Vec3Wide along;
    DoubleWide square; // of the gradient: 1, or |d|^2 / l^2
} Law;

SIMD_INLINE Law hooke(Vec3Wide d, DoubleWide length)
{
    DoubleWide zero = wideSet(0), one = wideSet(1), r = wideSqrt(vecWideDot(d, d));
    Law law = { .value = r - length, .factor = 1 / r, .along = d, .square = one };
    if (wideAnyZero(r)) // pushes along x
    {
        LongWide collapsed = r == zero;
        law.factor = wideSelect(collapsed, one, law.factor);
        law.along.x = wideSelect(collapsed, one, d.x);
    }
    return law;
}

SIMD_INLINE Law squared(Vec3Wide d, DoubleWide length)
{
    DoubleWide inverse = 1 / length, square = vecWideDot(d, d);
    return (Law){ .value = 0.5 * (square - length * length) * inverse,
                  .factor = inverse,
                  .along = d,
                  .square = square * inverse * inverse };
}

// what is known where a loop is compiled, so that the common one, all of it false, asks nothing
typedef struct Mode
{
    bool squared, damped;
    bool again, keep, jacobi; // as of the context and the plan
} Mode;

// one vector of a batch
typedef struct Springs
{
    const double *length, *inverse, *constants;
    const int *place;
    int at; // its first lane among all of the plan
} Springs;

SIMD_INLINE DoubleWide constantOf(const Springs *s, enum PairConstant which)
{
    return wideLoad(s->constants + (int)which * LANES);
}

// Jacobi: slots hold what the elements push with, per 1/kg
SIMD_INLINE void storeSlots(const SweepPlan *plan, int at, Vec3Wide push)
{
    for (int l = 0; l < WIDE; ++l)
    {
        double *slot = elementSlots(plan->energy, plan->element[at + l]);
        Vec3 p = vec3(push.x[l], push.y[l], push.z[l]);
        vecStore(slot, vecScale(-1, p));
        vecStore(slot + 3, p);
    }
}

SIMD_INLINE void solve(SweepPlan *plan, const SweepContext *context, Springs s, Mode mode)
{
    DoubleWide zero = wideSet(0), length = wideLoad(s.length), inverse = wideLoad(s.inverse);
    Ends e = endsAt(context->row, s.place);
    Vec3Wide d = vecWideSub(e.b, e.a);
    Law c = mode.squared ? squared(d, length) : hooke(d, length);
    DoubleWide error = c.value, before = zero, gamma = mode.damped ? constantOf(&s, PAIR_GAMMA) : zero;
    if (mode.squared) // the gradient is not of length 1
    {
        DoubleWide sum = (1 + gamma) * (e.wa + e.wb) * c.square + constantOf(&s, PAIR_COMPLIANCE);
        inverse = wideSelect(inverse > zero, 1 / sum, zero);
    }
    if (mode.again)
    {
        before = wideLoad(plan->lambda + s.at);
        error = error + constantOf(&s, PAIR_COMPLIANCE) * before;
    }
    if (mode.damped)
    {
        Ends start = endsAt(context->before, s.place);
        Vec3Wide displacement = vecWideSub(vecWideSub(e.b, start.b), vecWideSub(e.a, start.a));
        error = error + gamma * c.factor * vecWideDot(c.along, displacement);
    }
    DoubleWide less = error * inverse, push = less * c.factor; // the multiplier becomes less by this
    if (mode.keep)
        wideStore(plan->lambda + s.at, before - less);
    if (mode.jacobi)
        storeSlots(plan, s.at, vecWideScale(-push, c.along));
    else
    {
        e.a = vecWideAdd(e.a, vecWideScale(e.wa * push, c.along));
        e.b = vecWideSub(e.b, vecWideScale(e.wb * push, c.along));
        storeEnds(context->row, s.place, e);
    }
}

SIMD_INLINE Springs springsAt(const struct PairBatch *pair, const double *constants, int batch, int lane)
{
    return (Springs){ .length = pair[batch].length + lane,
                      .inverse = pair[batch].inverse + lane,
                      .constants = constants + (ptrdiff_t)batch * PAIR_CONSTANTS * LANES + lane,
                      .place = pair[batch].place[0] + lane,
                      .at = batch * LANES + lane };
}

SIMD_INLINE void solveBatches(SweepPlan *plan, const SweepContext *context, int begin, int end, Mode mode)
{
    // by value: for all a compiler knows, stores to rows could change what pointers lead to
    const SweepContext own = *context;
    const struct PairBatch *pair = plan->pair;
    const double *constants = plan->constant;
    const unsigned char *used = plan->used;
    for (int i = begin; i < end; ++i)
    {
        int batch = own.backward ? begin + end - 1 - i : i;
        solve(plan, &own, springsAt(pair, constants, batch, 0), mode);
        for (int lane = WIDE; lane < LANES && lane < used[batch]; lane += WIDE)
            solve(plan, &own, springsAt(pair, constants, batch, lane), mode);
    }
}

// A batch of eight on a core of Ice Lake, cycles. The floor with AVX-512: 40 of the divider for root and inverse, 90
// operations and shuffles for two ports, 16 stores. Taken, rows in the first cache: 72, 101 with AVX2, 147 with SSE2;
// what is missing is that the window of the processor holds less than two batches. Tried: roots by Newton's iteration
// from a halved exponent (30 % slower, 10 % with two batches at once, and a third with SSE2) or from single precision
// (20 %).
SIMD_INLINE void sweep(SweepPlan *plan, const SweepContext *context, int begin, int end, bool isSquared)
{
    Mode mode = { isSquared, plan->damping > 0, context->again, context->keep, plan->jacobi };
    if (mode.damped)
        solveBatches(plan, context, begin, end, (Mode){ isSquared, true, mode.again, mode.keep, mode.jacobi });
    else if (mode.again || mode.keep || mode.jacobi)
        solveBatches(plan, context, begin, end, (Mode){ isSquared, false, mode.again, mode.keep, mode.jacobi });
    else
        solveBatches(plan, context, begin, end, (Mode){ .squared = isSquared });
}

static void springs(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    sweep(plan, context, begin, end, false);
}

static void squaredSprings(SweepPlan *plan, const SweepContext *context, int begin, int end)
{
    sweep(plan, context, begin, end, true);
}

const SweepKernels KERNEL(springSweeps) = { springs, NULL };
const SweepKernels KERNEL(squaredSpringSweeps) = { squaredSprings, NULL };
