// Example-based elasticity with one blend for all tets, WIDE at a time (the energy is in example_blend.c).
//
// Rotations and blend by Newton's method from those kept (example_wide.h): a pass over the tets takes the last step,
// then sums the parts of the system for dc. Tets too far from their rotation get it by SVD on the way; where the blend
// itself does not arrive, plain code finds it from none at all. Sums are taken lane by lane, LANES apart at every
// width.
#include "energy/example_wide.h"

#define MATRIX (MAX_EXAMPLES * (MAX_EXAMPLES + 1) / 2)

// over the tets, times their weights
typedef struct Sums
{
    _Alignas(64) double matrix[MATRIX][LANES];
    double right[MAX_EXAMPLES][LANES];
    double scale[MAX_EXAMPLES][LANES]; // diagonal of the Gram matrix
    double weight[LANES];
    double most[LANES]; // longest turn of the last step, squared and over how definite it is: not a sum
    double next[LANES]; // of the next one with c as it is, squared and times how definite it is, squared
} Sums;

// what a pass starts from: coefficients, and the step by which they came; NULL: from what is kept
typedef struct Pass
{
    const ExampleSource *source;
    const double *c, *step;
} Pass;

SIMD_INLINE void sumLanes(double *sum, DoubleWide value)
{
    wideStore(sum, wideLoad(sum) + value);
}

SIMD_INLINE void longest(double *most, DoubleWide value)
{
    DoubleWide before = wideLoad(most);
    wideStore(most, wideSelect(value > before, value, before));
}

// rotations by SVD for those lanes
static void repairLanes(const Energy *energy, int block, int lane, const Pass *pass, const int64_t *lanes, double *turn)
{
    for (int l = 0; l < WIDE; ++l)
    {
        if (!lanes[l])
            continue;
        double f[9], q[4];
        exampleGradientAt(energy, block * LANES + lane + l, pass->source, f);
        Mat3 r = exampleRotation(laneParams(energy, block) + lane + l, f, pass->c);
        quaternionOf(&r, q);
        for (int k = 0; k < 4; ++k)
            turn[k * LANES + l] = q[k];
    }
}

SIMD_INLINE void passLanes(const Energy *energy, int block, int lane, const Pass *pass, Sums *sums, int count)
{
    const double *params = laneParams(energy, block) + lane;
    double *turn = laneLine(energy, block) + lane + BLEND_TURN * LANES, *step = turn + 4 * LANES;
    Quaternion q = quaternionLoad(pass->step ? turn : laneKept(energy, block) + lane);
    DoubleWide c[MAX_EXAMPLES], size = wideSet(0), zero = wideSet(0), weight = wideLoad(params);
    Vec3Wide f[3];
    if (pass->step)
    {
        Vec3Wide w = vecWideLoad(step);
        for (int k = 0; k < count; ++k)
            w = vecWideAdd(w, vecWideScale(wideSet(pass->step[k]), vecWideLoad(step + 3 * (k + 1) * LANES)));
        q = turnedBy(q, w);
        size = vecWideDot(w, w);
    }
    for (int k = 0; k < count; ++k)
        c[k] = wideSet(pass->c[k]);
    sourceRows(energy, block, lane, pass->source, f);
    Matrix m = { f[0], f[1], f[2] };
    Stand at = standAt(params, m, q, c, count);
    LongWide far = ~(at.definite & (vecWideDot(at.turn, at.turn) <= wideSet(FIT_FAR)));
    quaternionStore(turn, q);
    if (wideAny(far))
    {
        int64_t lanes[WIDE];
        memcpy(lanes, &far, sizeof lanes);
        repairLanes(energy, block, lane, pass, lanes, turn);
        at = standAt(params, m, quaternionLoad(turn), c, count);
    }
    vecWideStore(step, at.turn);
    for (int k = 0; k < count; ++k)
    {
        vecWideStore(step + 3 * (k + 1) * LANES, at.response[k]);
        sumLanes(sums->right[k] + lane, weight * at.right[k]);
        sumLanes(sums->scale[k] + lane, weight * gramLoad(params, k, k));
        for (int l = 0; l <= k; ++l)
            sumLanes(sums->matrix[k * (k + 1) / 2 + l] + lane, weight * at.matrix[k * (k + 1) / 2 + l]);
    }
    sumLanes(sums->weight + lane, weight);
    LongWide counts = at.definite & (weight > zero);
    size = wideSelect(counts & ~far, size / wideSelect(at.definite, at.gap, wideSet(1)), zero);
    longest(sums->most + lane, size);
    longest(sums->next + lane, wideSelect(counts, vecWideDot(at.turn, at.turn) * at.gap * at.gap, zero));
}

// a function for each number of examples, so that the loops over them are none
#define PASS_OF(count)                                                                                                 \
    static void pass##count(const Energy *energy, const Pass *pass, Sums *sums)                                        \
    {                                                                                                                  \
        for (int block = 0; block < energy->blockCount; ++block)                                                       \
            for (int lane = 0; lane < LANES; lane += WIDE)                                                             \
                passLanes(energy, block, lane, pass, sums, count);                                                     \
    }
PASS_OF(1)
PASS_OF(2)
PASS_OF(3)
PASS_OF(4)
_Static_assert(MAX_EXAMPLES == 4, "a function for each number of examples");

static double mostOf(const double *lanes)
{
    double most = 0;
    for (int l = 0; l < LANES; ++l)
        most = maxReal(most, lanes[l]);
    return most;
}

static double sumOf(const double *lanes)
{
    double sum = 0;
    for (int l = 0; l < LANES; ++l)
        sum += lanes[l];
    return sum;
}

// dc from the sums; the smallest pivot over its diagonal
static double stepOf(const Sums *sums, int count, double *step)
{
    double a[MAX_EXAMPLES][MAX_EXAMPLES], least = 1;
    for (int k = 0; k < count; ++k)
    {
        step[k] = sumOf(sums->right[k]);
        for (int l = 0; l <= k; ++l)
        {
            a[k][l] = sumOf(sums->matrix[k * (k + 1) / 2 + l]);
            for (int m = 0; m < l; ++m) // a[k][m]: of L
                a[k][l] -= a[k][m] * a[m][m] * a[l][m];
            if (l < k)
                a[k][l] /= a[l][l];
        }
        double share = a[k][k] / sumOf(sums->scale[k]);
        if (!(share > 0))
            return 0;
        least = minReal(least, share);
        for (int l = 0; l < k; ++l)
            step[k] -= a[k][l] * step[l];
    }
    for (int k = count - 1; k >= 0; --k)
    {
        step[k] /= a[k][k];
        for (int l = k + 1; l < count; ++l)
            step[k] -= a[l][k] * step[l];
    }
    return least;
}

// from what is kept; rotations into the line. False: it did not arrive
static bool follow(const Energy *energy, const ExampleSource *source, int count, double *c)
{
    static void (*const passes[])(const Energy *, const Pass *, Sums *) = { pass1, pass2, pass3, pass4 };
    double step[MAX_EXAMPLES], size = 0, least = 0;
    for (int k = 0; k < count; ++k)
        c[k] = laneKept(energy, 0)[(EXAMPLE_BLEND + k) * LANES];
    for (int i = 0; i < FIT_ITERATIONS; ++i)
    {
        Sums sums = { .weight = { 0 } };
        passes[count - 1](energy, &(Pass){ source, c, i > 0 ? step : NULL }, &sums);
        if (i > 0 && maxReal(size, mostOf(sums.most)) <= FIT_NEAR * least)
            return true;
        least = stepOf(&sums, count, step);
        size = 0;
        for (int k = 0; k < count; ++k)
            size += sumOf(sums.scale[k]) * step[k] * step[k] / sumOf(sums.weight);
        if (!(least > 0 && size <= FIT_FAR))
            return false;
        if (maxReal(size * least * least, mostOf(sums.next)) <= FIT_STILL)
            return true;
        for (int k = 0; k < count; ++k)
            c[k] += step[k];
    }
    return false;
}

// the blend of the body, its rotations in the line; the number of examples
static int fitBody(const Energy *energy, const ExampleSource *source, double *c)
{
    int count = (int)laneParams(energy, 0)[EXAMPLE_COUNT * LANES];
    memset(c, 0, MAX_EXAMPLES * sizeof(double));
    if (follow(energy, source, count, c))
        return count;
    exampleFitBlend(energy, source, c);
    for (int i = 0; i < energy->blockCount * LANES; i += WIDE)
    {
        int64_t all[WIDE];
        memset(all, 0xff, sizeof all);
        double *turn = laneLine(energy, i / LANES) + i % LANES + BLEND_TURN * LANES;
        repairLanes(energy, i / LANES, i % LANES, &(Pass){ source, c, NULL }, all, turn);
    }
    return count;
}

// the same, and in every lane
SIMD_INLINE int fitLanes(const Energy *energy, const ExampleSource *source, double *body, DoubleWide *c)
{
    int count = fitBody(energy, source, body);
    for (int k = 0; k < count; ++k)
        c[k] = wideSet(body[k]);
    return count;
}

SIMD_INLINE Quaternion turnOf(const Energy *energy, int block, int lane)
{
    return quaternionLoad(laneLine(energy, block) + lane + BLEND_TURN * LANES);
}

SIMD_INLINE void storeValues(Energy *energy, const ExampleSource *source, int begin, int end)
{
    double body[MAX_EXAMPLES];
    DoubleWide c[MAX_EXAMPLES];
    int count = fitLanes(energy, source, body, c);
    for (int i = begin * LANES; i < end * LANES; i += WIDE)
    {
        int block = i / LANES, lane = i % LANES;
        Vec3Wide f[3];
        sourceRows(energy, block, lane, source, f);
        wideStore(energy->value + i,
                  blendValue(laneParams(energy, block) + lane, f, turnOf(energy, block, lane), c, count));
    }
}

SIMD_INLINE void keep(const Energy *energy, int block, int lane, const double *c, double *kept)
{
    quaternionStore(kept, turnOf(energy, block, lane));
    for (int k = 0; k < MAX_EXAMPLES; ++k)
        wideStore(kept + (EXAMPLE_BLEND + k) * LANES, wideSet(c[k]));
}

SIMD_INLINE void storeSlots(Energy *energy, const double *x, int begin, int end, bool difference)
{
    double body[MAX_EXAMPLES];
    ExampleSource source = { .x = x };
    DoubleWide c[MAX_EXAMPLES];
    int count = fitLanes(energy, &source, body, c);
    for (int i = begin * LANES; i < end * LANES; i += WIDE)
    {
        int block = i / LANES, lane = i % LANES;
        Vec3Wide f[3];
        sourceRows(energy, block, lane, &source, f);
        keep(energy, block, lane, body, laneKept(energy, block) + lane);
        blendStore(energy, block, lane, f, turnOf(energy, block, lane), c, count, difference);
    }
}

static void fitBlock(const Energy *energy, const double *x, int block, double *kept)
{
    double c[MAX_EXAMPLES];
    fitBody(energy, &(ExampleSource){ .x = x }, c);
    for (int lane = 0; lane < LANES; lane += WIDE)
        keep(energy, block, lane, c, kept + lane);
}

EXAMPLE_TABLES(exampleBlendKernels, exampleBlendFits)
