// The sweep over springs in single precision, LANES at a time, in the delta form: rows are displacements d = x - x_n
// since the start of the step, and the error of a spring is what it was there and its change, both small, so that
// nothing large is ever rounded: |e0 + d| - l = (|e0| - l) + d.(e0 + e) / (|e| + |e0|). In the plain form 1e-7 of the
// length is lost, which is the stretch of one substep (Macklin 2019, section 7: "limits of single precision").
#include "energy/kernels.h"

#include "base/simd.h"

typedef struct Ends
{
    Float8 a[4], b[4]; // m, 1/kg
} Ends;

// one batch; `again` and `keep` as of the context, known where a loop is compiled
SIMD_INLINE void solve(float *row, const int *vertices, const float *constants, double *lambda, bool again, bool keep)
{
    Float8 zero = float8Set(0), one = float8Set(1), d[3], e[3], square = zero, change = zero;
    Ends ends;
    float8LoadRows(row, vertices, ends.a);
    float8LoadRows(row, vertices + LANES, ends.b);
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
    if (again)
    {
        before = float8From(lambda);
        error += float8Load(constants + SINGLE_COMPLIANCE * LANES) * before;
    }
    Float8 push = -error * float8Load(constants + SINGLE_INVERSE * LANES);
    if (keep)
        float8To(lambda, before + push);
    push = push * (sum * inverse);
    SIMD_UNROLL
    for (int i = 0; i < 3; ++i)
    {
        ends.a[i] -= ends.a[3] * (push * e[i]);
        ends.b[i] += ends.b[3] * (push * e[i]);
    }
    float8StoreRows(row, vertices, ends.a);
    float8StoreRows(row, vertices + LANES, ends.b);
}

SIMD_INLINE void solveBatches(SweepPlan *plan, const SweepSingle *context, int begin, int end, bool again, bool keep)
{
    // by value: for all a compiler knows, stores to rows could change what pointers lead to
    const SweepSingle own = *context;
    const int *vertices = plan->vertex;
    const float *constants = plan->single;
    double *lambda = plan->lambda;
    for (int i = begin; i < end; ++i)
    {
        ptrdiff_t batch = own.backward ? begin + end - 1 - i : i;
        solve(own.row, vertices + batch * 2 * LANES, constants + batch * SINGLE_CONSTANTS * LANES,
              lambda + batch * LANES, again, keep);
    }
}

static void springs(SweepPlan *plan, const SweepSingle *context, int begin, int end)
{
    if (context->again || context->keep)
        solveBatches(plan, context, begin, end, context->again, context->keep);
    else
        solveBatches(plan, context, begin, end, false, false);
}

const SingleKernels KERNEL(springSingles) = { springs };
