// Example-based elasticity with a blend for every tet, WIDE at a time (the energy is in example.c).
//
// Rotation and blend by Newton's method from those kept (example_wide.h). A lane whose start is too far away, or where
// the step would not go down, is done from no blend at all by plain code, and so does not depend on what is kept. Each
// lane stops by its own test, so its bits do not depend on its neighbours.
#include "energy/example_wide.h"

// Lanes on their way: in memory, because vectors do not cross functions
typedef struct Fit
{
    _Alignas(64) double f[9 * WIDE]; // F, column major
    double kept[EXAMPLE_KEPT * WIDE];
} Fit;

SIMD_INLINE Vec3Wide columnLoad(const double *p)
{
    return (Vec3Wide){ wideLoad(p), wideLoad(p + WIDE), wideLoad(p + 2 * WIDE) };
}

SIMD_INLINE Quaternion fitTurn(const Fit *fit)
{
    return (Quaternion){ wideLoad(fit->kept), columnLoad(fit->kept + WIDE) };
}

SIMD_INLINE void fitBlend(const Fit *fit, int count, DoubleWide *c)
{
    for (int k = 0; k < count; ++k)
        c[k] = wideLoad(fit->kept + (EXAMPLE_BLEND + k) * WIDE);
}

// dc by L D L^T, in place of the right side; the smallest pivot over its diagonal
SIMD_INLINE DoubleWide solveBlend(Stand *at, const double *params, int count)
{
    DoubleWide *a = at->matrix, *x = at->right, least = wideSet(1);
    for (int k = 0; k < count; ++k)
    {
        DoubleWide *row = a + k * (k + 1) / 2;
        for (int l = 0; l < k; ++l) // row k of L D, then of L
        {
            for (int m = 0; m < l; ++m)
                row[l] -= row[m] * a[l * (l + 1) / 2 + m];
        }
        for (int l = 0; l < k; ++l)
        {
            DoubleWide product = row[l];
            row[l] *= a[l * (l + 1) / 2 + l];
            row[k] -= row[l] * product;
            x[k] -= row[l] * x[l];
        }
        DoubleWide share = row[k] / gramLoad(params, k, k);
        least = wideSelect(share < least, share, least);
        LongWide ok = row[k] > wideSet(0);
        row[k] = 1 / wideSelect(ok, row[k], wideSet(1)); // the inverse of the pivot
    }
    for (int k = count - 1; k >= 0; --k)
    {
        x[k] *= a[k * (k + 1) / 2 + k];
        for (int l = k + 1; l < count; ++l)
            x[k] -= a[l * (l + 1) / 2 + k] * x[l];
    }
    return least;
}

// the other lanes from no blend at all
static void repairFit(Fit *fit, const double *params, const int64_t *arrived)
{
    for (int lane = 0; lane < WIDE; ++lane)
    {
        if (arrived[lane])
            continue;
        double f[9], c[MAX_EXAMPLES], q[4];
        for (int k = 0; k < 9; ++k)
            f[k] = fit->f[k * WIDE + lane];
        Mat3 r = exampleTurns(params + lane, f, c);
        quaternionOf(&r, q);
        for (int k = 0; k < EXAMPLE_KEPT; ++k)
            fit->kept[k * WIDE + lane] = k < EXAMPLE_BLEND ? q[k] : c[k - EXAMPLE_BLEND];
    }
}

SIMD_INLINE void solveFit(Fit *fit, const double *params, int count)
{
    Matrix f = { columnLoad(fit->f), columnLoad(fit->f + 3 * WIDE), columnLoad(fit->f + 6 * WIDE) };
    Quaternion q = fitTurn(fit);
    DoubleWide c[MAX_EXAMPLES];
    LongWide done = wideSet(1) < wideSet(0), lost = done;
    fitBlend(fit, count, c);
    for (int i = 0; i < FIT_ITERATIONS && wideAny(~(done | lost)); ++i)
    {
        Stand at = standAt(params, f, q, c, count);
        DoubleWide least = solveBlend(&at, params, count);
        Vec3Wide w = at.turn;
        DoubleWide size = wideSet(0);
        for (int k = 0; k < count; ++k)
        {
            w = vecWideAdd(w, vecWideScale(at.right[k], at.response[k]));
            size += gramLoad(params, k, k) * at.right[k] * at.right[k];
        }
        size += vecWideDot(w, w);
        LongWide ok = at.definite & (least > wideSet(0)) & (size <= wideSet(FIT_FAR)), open = ~(done | lost);
        DoubleWide sure = at.gap * least;
        lost |= open & ~ok;
        open &= ok;
        LongWide still = open & (size * sure * sure <= wideSet(FIT_STILL));
        done |= still;
        open &= ~still;
        q = quaternionSelect(open, turnedBy(q, w), q);
        for (int k = 0; k < count; ++k)
            c[k] = wideSelect(open, c[k] + at.right[k], c[k]);
        done |= open & (size <= FIT_NEAR * sure);
    }
    wideStore(fit->kept, q.w);
    wideStore(fit->kept + WIDE, q.v.x);
    wideStore(fit->kept + 2 * WIDE, q.v.y);
    wideStore(fit->kept + 3 * WIDE, q.v.z);
    for (int k = 0; k < count; ++k)
        wideStore(fit->kept + (EXAMPLE_BLEND + k) * WIDE, c[k]);
    if (wideAny(~done))
    {
        int64_t arrived[WIDE];
        memcpy(arrived, &done, sizeof arrived);
        repairFit(fit, params, arrived);
    }
}

// a function for each number of examples, so that the loops over them are none
#define FIT_OF(count)                                                                                                  \
    static void fit##count(Fit *fit, const double *params)                                                             \
    {                                                                                                                  \
        solveFit(fit, params, count);                                                                                  \
    }
FIT_OF(1)
FIT_OF(2)
FIT_OF(3)
FIT_OF(4)
_Static_assert(MAX_EXAMPLES == 4, "a function for each number of examples");

// F, and rotation and blend nearest to it; the number of examples
SIMD_INLINE int fitLanes(const Energy *energy, int block, int lane, const ExampleSource *source, Vec3Wide *f, Fit *fit)
{
    static void (*const fits[])(Fit *, const double *) = { fit1, fit2, fit3, fit4 };
    const double *params = laneParams(energy, block) + lane, *kept = laneKept(energy, block) + lane;
    int count = (int)laneParams(energy, 0)[EXAMPLE_COUNT * LANES]; // of one body
    sourceRows(energy, block, lane, source, f);
    for (int k = 0; k < 3; ++k)
    {
        wideStore(fit->f + 3 * k * WIDE, f[k].x);
        wideStore(fit->f + (3 * k + 1) * WIDE, f[k].y);
        wideStore(fit->f + (3 * k + 2) * WIDE, f[k].z);
    }
    for (int k = 0; k < EXAMPLE_KEPT; ++k)
        wideStore(fit->kept + k * WIDE, wideLoad(kept + k * LANES));
    fits[count - 1](fit, params);
    return count;
}

SIMD_INLINE void keep(const Fit *fit, double *kept)
{
    for (int k = 0; k < EXAMPLE_KEPT; ++k)
        wideStore(kept + k * LANES, wideLoad(fit->kept + k * WIDE));
}

SIMD_INLINE void storeValues(Energy *energy, const ExampleSource *source, int begin, int end)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            Fit fit;
            Vec3Wide f[3];
            DoubleWide c[MAX_EXAMPLES];
            int count = fitLanes(energy, block, lane, source, f, &fit);
            fitBlend(&fit, count, c);
            wideStore(energy->value + block * LANES + lane,
                      blendValue(laneParams(energy, block) + lane, f, fitTurn(&fit), c, count));
        }
    }
}

SIMD_INLINE void storeSlots(Energy *energy, const double *x, int begin, int end, bool difference)
{
    for (int block = begin; block < end; ++block)
    {
        for (int lane = 0; lane < LANES; lane += WIDE)
        {
            Fit fit;
            Vec3Wide f[3];
            DoubleWide c[MAX_EXAMPLES];
            int count = fitLanes(energy, block, lane, &(ExampleSource){ .x = x }, f, &fit);
            fitBlend(&fit, count, c);
            keep(&fit, laneKept(energy, block) + lane);
            blendStore(energy, block, lane, f, fitTurn(&fit), c, count, difference);
        }
    }
}

static void fitBlock(const Energy *energy, const double *x, int block, double *kept)
{
    for (int lane = 0; lane < LANES; lane += WIDE)
    {
        Fit fit;
        Vec3Wide f[3];
        fitLanes(energy, block, lane, &(ExampleSource){ .x = x }, f, &fit);
        keep(&fit, kept + lane);
    }
}

EXAMPLE_TABLES(exampleKernels, exampleFits)
