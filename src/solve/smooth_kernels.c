#include "solve/smooth_kernels.h"

#include "energy/wide.h"

typedef float FloatWide __attribute__((vector_size(4 * WIDE)));

SIMD_INLINE DoubleWide wideFromFloat(const float *p)
{
    FloatWide v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, DoubleWide);
}

#define VECTORS (SMOOTH_BLOCK / WIDE) // of a block

// ---- functions -------------------------------------------------------------------------------------------------------

// y of the vertices of a block, times their masses if there are any; 0 beyond the last vertex
SIMD_INLINE void loadBlock(const Smooth *smooth, const double *y, const double *mass, int block,
                           double out[3][SMOOTH_BLOCK])
{
    int first = block * SMOOTH_BLOCK, count = minInt(SMOOTH_BLOCK, smooth->vertices - first);
    memset(out, 0, 3 * SMOOTH_BLOCK * sizeof(double));
    for (int lane = 0; lane < count; ++lane)
    {
        const double *at = y + 3 * (ptrdiff_t)(first + lane);
        double m = mass ? mass[first + lane] : 1;
        out[0][lane] = m * at[0];
        out[1][lane] = m * at[1];
        out[2][lane] = m * at[2];
    }
}

SIMD_INLINE double sumLanes(const DoubleWide *part)
{
    double lane[SMOOTH_BLOCK];
    for (int vector = 0; vector < VECTORS; ++vector)
        wideStore(lane + vector * WIDE, part[vector]);
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

#define GROUP 4 // functions at once

// GROUP functions over all blocks; sums by lane, then over the lanes
SIMD_INLINE void projectGroup(const Smooth *smooth, double (*y)[3][SMOOTH_BLOCK], int group, int begin, int end,
                              double *q)
{
    DoubleWide sum[GROUP][3][VECTORS];
    SIMD_UNROLL
    for (int i = 0; i < GROUP * 3 * VECTORS; ++i)
        sum[i / (3 * VECTORS)][i / VECTORS % 3][i % VECTORS] = wideSet(0);
    for (int block = begin; block < end; ++block)
    {
        const float *u = smooth->shape + ((ptrdiff_t)block * smooth->count + group) * SMOOTH_BLOCK;
        SIMD_UNROLL
        for (int i = 0; i < GROUP * VECTORS; ++i)
        {
            int k = i / VECTORS, vector = i % VECTORS;
            DoubleWide part = wideFromFloat(u + k * SMOOTH_BLOCK + vector * WIDE);
            SIMD_UNROLL
            for (int axis = 0; axis < 3; ++axis)
                sum[k][axis][vector] += part * wideLoad(y[block - begin][axis] + vector * WIDE);
        }
    }
    for (int i = 0; i < GROUP * 3; ++i)
        q[i % 3 * smooth->count + group + i / 3] = sumLanes(sum[i / 3][i % 3]);
}

static void project(const Smooth *smooth, const double *y, const double *mass, int begin, int end, double *q)
{
    double in[SMOOTH_TASK][3][SMOOTH_BLOCK];
    for (int block = begin; block < end; ++block)
        loadBlock(smooth, y, mass, block, in[block - begin]);
    for (int group = 0; group < smooth->count; group += GROUP)
        projectGroup(smooth, in, group, begin, end, q);
}

static void expand(const Smooth *smooth, const double *r, int begin, int end, double *y)
{
    int count = smooth->count;
    for (int block = begin; block < end; ++block)
    {
        double out[3][SMOOTH_BLOCK];
        const float *u = smooth->shape + (ptrdiff_t)block * count * SMOOTH_BLOCK;
        for (int lane = 0; lane < SMOOTH_BLOCK; lane += WIDE)
        {
            DoubleWide sum[3] = { wideSet(0), wideSet(0), wideSet(0) };
            for (int k = 0; k < count; ++k)
            {
                DoubleWide part = wideFromFloat(u + k * SMOOTH_BLOCK + lane);
                SIMD_UNROLL
                for (int axis = 0; axis < 3; ++axis)
                    sum[axis] += part * wideSet(r[axis * count + k]);
            }
            for (int axis = 0; axis < 3; ++axis)
                wideStore(out[axis] + lane, sum[axis]);
        }
        int first = block * SMOOTH_BLOCK, last = minInt(SMOOTH_BLOCK, smooth->vertices - first);
        for (int lane = 0; lane < last; ++lane)
        {
            double *at = y + 3 * (ptrdiff_t)(first + lane);
            at[0] += out[0][lane];
            at[1] += out[1][lane];
            at[2] += out[2][lane];
        }
    }
}

// ---- stiffness -------------------------------------------------------------------------------------------------------

// sum over the edges of a patch of k dX dX^T (x) [n n^T + t (1 - n n^T)], t the share of its length that is stretch
static void tensors(const Smooth *smooth, const double *x, int begin, int end)
{
    for (int patch = begin; patch < end; ++patch)
    {
        double sum[SMOOTH_TENSORS] = { 0 };
        for (int e = smooth->patchStart[patch]; e < smooth->patchStart[patch + 1]; ++e)
        {
            const SmoothEdge *edge = &smooth->edge[e];
            Vec3 d = vecSub(vecLoad(x + 3 * (ptrdiff_t)edge->vertex[1]), vecLoad(x + 3 * (ptrdiff_t)edge->vertex[0]));
            double square = vecDot(d, d), length = sqrt(square);
            double tension = length > edge->rest ? 1 - edge->rest / length : 0;
            double along = square > 0 ? (1 - tension) / square : 0;
            double all = square > 0 ? tension : 1;
            double k[6] = { along * d.x * d.x + all, along * d.y * d.y + all, along * d.z * d.z + all,
                            along * d.x * d.y,       along * d.x * d.z,       along * d.y * d.z };
            for (int i = 0; i < SMOOTH_TENSORS; ++i)
                sum[i] += edge->weight[i / 6] * k[i % 6];
        }
        memcpy(smooth->tensor + (ptrdiff_t)patch * SMOOTH_TENSORS, sum, sizeof sum);
    }
}

// part (count x count) = sum over patches of slope^T (t00 t01; t01 t11) slope + (t00 + t11) uneven, t of one of xx yy zz xy xz yz
static void stiffness(const Smooth *smooth, int which, double *part)
{
    int count = smooth->count;
    memset(part, 0, (size_t)(count * count) * sizeof(double));
    for (int p = 0; p < smooth->patchCount; ++p)
    {
        const double *t = smooth->tensor + (ptrdiff_t)p * SMOOTH_TENSORS + which;
        const double *g0 = smooth->slope + (ptrdiff_t)p * 2 * count, *g1 = g0 + count;
        const double *uneven = smooth->uneven + (ptrdiff_t)p * count * count;
        DoubleWide mean = wideSet(t[0] + t[12]);
        for (int a = 0; a < count; ++a)
        {
            DoubleWide y0 = wideSet(t[0] * g0[a] + t[6] * g1[a]), y1 = wideSet(t[6] * g0[a] + t[12] * g1[a]);
            double *row = part + a * count;
            for (int b = 0; b <= a; b += WIDE)
                wideStore(row + b, wideLoad(row + b) + (y0 * wideLoad(g0 + b) + y1 * wideLoad(g1 + b) +
                                                        mean * wideLoad(uneven + a * count + b)));
        }
    }
}

const SmoothKernels KERNEL(smoothKernels) = { project, expand, tensors, stiffness };
