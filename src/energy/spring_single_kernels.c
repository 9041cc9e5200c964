// The sweep over springs in single precision, LANES at a time, in the delta form: rows are ways d = x - x_n since the start
// of the step, and the error of a spring is what it was there and its change, both small, so that nothing large is ever
// rounded: |e0 + d| - l = (|e0| - l) + d.(e0 + e) / (|e| + |e0|). In the plain form 1e-7 of the length is lost, which
// is the stretch of one substep (Macklin 2019, section 7: "limits of single precision").
#include "energy/kernels.h"

#include "base/simd.h"

typedef struct Ends
{
    Float8 a[4], b[4]; // m, 1/kg
} Ends;

SIMD_INLINE void solve(SweepPlan *plan, const SweepSingle *context, int batch)
{
    const int *vertices = batchVertices(plan, batch);
    const float *constants = plan->single + (ptrdiff_t)batch * SINGLE_CONSTANTS * LANES;
    double *lambda = batchLambda(plan, batch);
    Float8 zero = float8Set(0), one = float8Set(1), d[3], e[3], square = zero, change = zero;
    Ends ends;
    float8LoadRows(context->row, vertices, ends.a);
    float8LoadRows(context->row, vertices + LANES, ends.b);
    SIMD_UNROLL
    for (int i = 0; i < 3; ++i)
    {
        Float8 start = float8Load(constants + (SINGLE_EDGE + i) * LANES);
        d[i] = ends.b[i] - ends.a[i];
        e[i] = start + d[i];
        square += e[i] * e[i];
        change += d[i] * (start + e[i]);
    }
    // one division for both, 1 / (|e| + |e0|) and 1 / |e|; collapsed: along x
    Float8 length = float8Sqrt(square), sum = length + float8Load(constants + SINGLE_LENGTH * LANES);
    Int8 collapsed = length <= zero;
    length = float8Select(collapsed, one, length);
    sum = float8Select(sum > zero, sum, one);
    e[0] = float8Select(collapsed, one, e[0]);
    Float8 inverse = one / (sum * length);
    Float8 error = float8Load(constants + SINGLE_ERROR * LANES) + change * (length * inverse);
    Float8 before = zero;
    if (context->again)
    {
        before = float8From(lambda);
        error += float8Load(constants + SINGLE_COMPLIANCE * LANES) * before;
    }
    Float8 push = -error * float8Load(constants + SINGLE_INVERSE * LANES);
    if (context->keep)
        float8To(lambda, before + push);
    push = push * (sum * inverse);
    SIMD_UNROLL
    for (int i = 0; i < 3; ++i)
    {
        ends.a[i] -= ends.a[3] * (push * e[i]);
        ends.b[i] += ends.b[3] * (push * e[i]);
    }
    float8StoreRows(context->row, vertices, ends.a);
    float8StoreRows(context->row, vertices + LANES, ends.b);
}

static void springs(SweepPlan *plan, const SweepSingle *context, int begin, int end)
{
    for (int i = begin; i < end; ++i)
        solve(plan, context, context->backward ? begin + end - 1 - i : i);
}

const SingleKernels KERNEL(springSingles) = { springs };
