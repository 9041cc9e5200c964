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

// ---- functions ------------------------------------------------------------------------------------------------------

// y of the vertices of a block, times their masses if there are any; 0 beyond the last vertex
SIMD_INLINE void loadBlock(const Smooth *smooth, const double *y, const double *mass, int block,
                           double out[3][SMOOTH_BLOCK])
{
    int first = block * SMOOTH_BLOCK, count = minInt(SMOOTH_BLOCK, smooth->vertices - first);
    if (count == SMOOTH_BLOCK)
    {
        for (int lane = 0; lane < SMOOTH_BLOCK; lane += WIDE)
        {
            Vec3Wide at = vecWideRows(y, first + lane);
            if (mass != NULL)
                at = vecWideScale(wideLoad(mass + first + lane), at);
            wideStore(out[0] + lane, at.x);
            wideStore(out[1] + lane, at.y);
            wideStore(out[2] + lane, at.z);
        }
        return;
    }
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

#define GROUP (WIDE == 8 ? 8 : 4) // functions at once: their sums stay in registers

#define AHEAD 4 // blocks
#define LINE 16 // floats

// Shapes lie in a farther cache: the first group asks for all functions of a block that comes later, for the next ones
// come to it in leaps.
SIMD_INLINE void fetchAhead(const Smooth *smooth, int block, int group)
{
    if (group > 0 || block + AHEAD >= smooth->blocks)
        return;
    const float *u = smooth->shape + (ptrdiff_t)(block + AHEAD) * smooth->count * SMOOTH_BLOCK;
    for (int i = 0; i < smooth->count * SMOOTH_BLOCK; i += LINE)
        __builtin_prefetch(u + i);
}

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
        fetchAhead(smooth, block, group);
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
        int first = block * SMOOTH_BLOCK, last = minInt(SMOOTH_BLOCK, smooth->vertices - first);
        const float *u = smooth->shape + (ptrdiff_t)block * count * SMOOTH_BLOCK;
        for (int lane = 0; lane < last; lane += WIDE)
        {
            DoubleWide sum[3] = { wideSet(0), wideSet(0), wideSet(0) };
            for (int k = 0; k < count; ++k)
            {
                DoubleWide part = wideFromFloat(u + k * SMOOTH_BLOCK + lane);
                SIMD_UNROLL
                for (int axis = 0; axis < 3; ++axis)
                    sum[axis] += part * wideSet(r[axis * count + k]);
            }
            if (lane + WIDE <= last)
            {
                vecWideAddRows(y, first + lane, (Vec3Wide){ sum[0], sum[1], sum[2] });
                continue;
            }
            for (int i = 0; i < 3 * (last - lane); ++i)
                y[3 * (ptrdiff_t)(first + lane) + i] += sum[i % 3][i / 3];
        }
    }
}

// ---- stiffness ------------------------------------------------------------------------------------------------------

// SMOOTH_BLOCK edges side by side: vectors as they are, their rest lengths and weights; beyond the last edge all is 0
typedef struct EdgeBlock
{
    double x[3][SMOOTH_BLOCK], rest[SMOOTH_BLOCK], weight[3][SMOOTH_BLOCK];
} EdgeBlock;

SIMD_INLINE void loadEdges(const Smooth *smooth, const double *x, int first, int count, EdgeBlock *out)
{
    if (count < SMOOTH_BLOCK)
        memset(out, 0, sizeof *out);
    for (int lane = 0; lane < count; ++lane)
    {
        const SmoothEdge *edge = &smooth->edge[first + lane];
        const double *from = x + 3 * (ptrdiff_t)edge->vertex[0], *to = x + 3 * (ptrdiff_t)edge->vertex[1];
        for (int i = 0; i < 3; ++i)
        {
            out->x[i][lane] = to[i] - from[i];
            out->weight[i][lane] = edge->weight[i];
        }
        out->rest[lane] = edge->rest;
    }
}

// adds to the sums of WIDE lanes
SIMD_INLINE void addEdges(const EdgeBlock *e, int lane, DoubleWide sum[SMOOTH_TENSORS])
{
    DoubleWide x = wideLoad(e->x[0] + lane), y = wideLoad(e->x[1] + lane), z = wideLoad(e->x[2] + lane);
    DoubleWide square = x * x + y * y + z * z, length = wideSqrt(square), none = wideSet(0), one = wideSet(1);
    DoubleWide rest = wideLoad(e->rest + lane), some = wideSelect(square > none, square, one);
    DoubleWide tension = wideSelect(length > rest, one - rest / wideSelect(square > none, length, one), none);
    DoubleWide along = wideSelect(square > none, (one - tension) / some, none);
    DoubleWide all = wideSelect(square > none, tension, one);
    DoubleWide k[6] = { along * x * x + all, along * y * y + all, along * z * z + all,
                        along * x * y,       along * x * z,       along * y * z };
    SIMD_UNROLL
    for (int i = 0; i < SMOOTH_TENSORS; ++i)
        sum[i] += wideLoad(e->weight[i / 6] + lane) * k[i % 6];
}

// sum over the edges of a patch of k dX dX^T (x) [n n^T + t (1 - n n^T)], t the share of its length that is stretch
static void tensors(const Smooth *smooth, const double *x, int begin, int end)
{
    for (int patch = begin; patch < end; ++patch)
    {
        EdgeBlock block;
        DoubleWide sum[VECTORS][SMOOTH_TENSORS];
        for (int i = 0; i < VECTORS * SMOOTH_TENSORS; ++i)
            sum[i / SMOOTH_TENSORS][i % SMOOTH_TENSORS] = wideSet(0);
        int last = smooth->patchStart[patch + 1];
        for (int first = smooth->patchStart[patch]; first < last; first += SMOOTH_BLOCK)
        {
            loadEdges(smooth, x, first, minInt(SMOOTH_BLOCK, last - first), &block);
            for (int vector = 0; vector < VECTORS; ++vector)
                addEdges(&block, vector * WIDE, sum[vector]);
        }
        for (int i = 0; i < SMOOTH_TENSORS; ++i)
        {
            DoubleWide part[VECTORS];
            for (int vector = 0; vector < VECTORS; ++vector)
                part[vector] = sum[vector][i];
            smooth->tensor[(ptrdiff_t)patch * SMOOTH_TENSORS + i] = sumLanes(part);
        }
    }
}

// part (count x count) = sum over patches of slope^T (t00 t01; t01 t11) slope + (t00 + t11) uneven, t of one of xx yy
// zz xy xz yz
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
