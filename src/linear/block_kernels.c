#include "linear/block_kernels.h"

#include "base/simd.h"

#define CHUNK 64 // rows that stay close while vectors meet each other
#define TILE 4   // sums of products at once

// y += sign a x, a: 3x3, row major or transposed
SIMD_INLINE void addBlock(const double *a, bool transposed, double sign, int width, const double *x, double *y)
{
    int across = transposed ? 3 : 1, down = transposed ? 1 : 3;
    for (int k = 0; k < width; k += WIDE)
    {
        DoubleWide x0 = wideLoad(x + k), x1 = wideLoad(x + width + k), x2 = wideLoad(x + 2 * width + k);
        SIMD_UNROLL
        for (int i = 0; i < 3; ++i)
        {
            DoubleWide sum = a[i * down] * x0 + a[i * down + across] * x1 + a[i * down + 2 * across] * x2;
            wideStore(y + i * width + k, wideLoad(y + i * width + k) + sign * sum);
        }
    }
}

// y += sign A x
SIMD_INLINE void addProduct(const BlockMatrix *a, double sign, int width, const double *x, double *y)
{
    const Graph *graph = a->graph;
    for (int j = 0; j < graph->count; ++j)
    {
        const double *xj = x + (ptrdiff_t)j * 3 * width;
        double *yj = y + (ptrdiff_t)j * 3 * width;
        int k = graph->start[j];
        addBlock(a->value + 9 * (ptrdiff_t)k, false, sign, width, xj, yj);
        for (++k; k < graph->start[j + 1]; ++k)
        {
            const double *block = a->value + 9 * (ptrdiff_t)k;
            ptrdiff_t i = (ptrdiff_t)graph->row[k] * 3 * width;
            addBlock(block, false, sign, width, xj, y + i);
            addBlock(block, true, sign, width, x + i, yj);
        }
    }
}

static void multiply(const BlockMatrix *a, int width, const double *x, double *y)
{
    memset(y, 0, (size_t)a->graph->count * 3 * (size_t)width * sizeof(double));
    addProduct(a, 1, width, x, y);
}

static void lower(const BlockMatrix *a, int width, const double *x, double *y)
{
    addProduct(a, -1, width, x, y);
}

static void forward(const BlockMatrix *a, const double *inverse, int width, double *r, double *z)
{
    const Graph *graph = a->graph;
    memset(z, 0, (size_t)graph->count * 3 * (size_t)width * sizeof(double));
    for (int j = 0; j < graph->count; ++j)
    {
        double *zj = z + (ptrdiff_t)j * 3 * width;
        addBlock(inverse + 9 * (ptrdiff_t)j, false, 1, width, r + (ptrdiff_t)j * 3 * width, zj);
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
            addBlock(a->value + 9 * (ptrdiff_t)k, false, -1, width, zj, r + (ptrdiff_t)graph->row[k] * 3 * width);
    }
}

static void above(const BlockMatrix *a, int width, const double *z, double *y)
{
    const Graph *graph = a->graph;
    memset(y, 0, (size_t)graph->count * 3 * (size_t)width * sizeof(double));
    for (int j = 0; j < graph->count; ++j)
    {
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
            addBlock(a->value + 9 * (ptrdiff_t)k, true, -1, width, z + (ptrdiff_t)graph->row[k] * 3 * width,
                     y + (ptrdiff_t)j * 3 * width);
    }
}

// the change of z of each vertex replaces its r, which those above it then need
static void backward(const BlockMatrix *a, const double *inverse, int width, double *r, double *z)
{
    const Graph *graph = a->graph;
    double room[3 * BLOCK_WIDEST];
    for (int j = graph->count - 1; j >= 0; --j)
    {
        double *rj = r + (ptrdiff_t)j * 3 * width, *zj = z + (ptrdiff_t)j * 3 * width;
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
            addBlock(a->value + 9 * (ptrdiff_t)k, true, -1, width, r + (ptrdiff_t)graph->row[k] * 3 * width, rj);
        memset(room, 0, (size_t)width * 3 * sizeof(double));
        addBlock(inverse + 9 * (ptrdiff_t)j, false, 1, width, rj, room);
        for (int i = 0; i < 3 * width; ++i)
        {
            rj[i] = room[i];
            zj[i] += room[i];
        }
    }
}

// out += over some rows, for TILE vectors of a and 8 of b
SIMD_INLINE void gramTile(const double *a, const double *b, int rows, int width, double *out)
{
    DoubleWide sum[TILE][8 / WIDE];
    SIMD_UNROLL
    for (int i = 0; i < TILE * (8 / WIDE); ++i)
        sum[i % TILE][i / TILE] = wideLoad(out + i % TILE * width + i / TILE * WIDE);
    for (int row = 0; row < rows; ++row, a += width, b += width)
    {
        SIMD_UNROLL
        for (int i = 0; i < TILE * (8 / WIDE); ++i)
            sum[i % TILE][i / TILE] += a[i % TILE] * wideLoad(b + i / TILE * WIDE);
    }
    SIMD_UNROLL
    for (int i = 0; i < TILE * (8 / WIDE); ++i)
        wideStore(out + i % TILE * width + i / TILE * WIDE, sum[i % TILE][i / TILE]);
}

static void gram(const double *a, const double *b, const double *mass, int rows, int width, double *out)
{
    double heavy[CHUNK * BLOCK_WIDEST];
    memset(out, 0, (size_t)width * (size_t)width * sizeof(double));
    for (int first = 0; first < rows; first += CHUNK)
    {
        int count = minInt(CHUNK, rows - first);
        const double *left = a + (ptrdiff_t)first * width, *right = b + (ptrdiff_t)first * width;
        for (int i = 0; i < count * width && mass != NULL; ++i)
            heavy[i] = mass[(first + i / width) / 3] * right[i];
        for (int i = 0; i < width; i += TILE)
        {
            for (int j = 0; j < width; j += 8)
                gramTile(left + i, (mass ? heavy : right) + j, count, width, out + i * width + j);
        }
    }
}

SIMD_INLINE void mixRows(const double *in, const double *c, int width, double *out)
{
    for (int j = 0; j < width; j += 8)
    {
        DoubleWide sum[2][8 / WIDE];
        SIMD_UNROLL
        for (int i = 0; i < 2 * (8 / WIDE); ++i)
            sum[i % 2][i / 2] = wideLoad(out + i % 2 * width + j + i / 2 * WIDE);
        for (int k = 0; k < width; ++k)
        {
            SIMD_UNROLL
            for (int i = 0; i < 2 * (8 / WIDE); ++i)
                sum[i % 2][i / 2] += in[i % 2 * width + k] * wideLoad(c + k * width + j + i / 2 * WIDE);
        }
        SIMD_UNROLL
        for (int i = 0; i < 2 * (8 / WIDE); ++i)
            wideStore(out + i % 2 * width + j + i / 2 * WIDE, sum[i % 2][i / 2]);
    }
}

static void mix(const double *in, const double *c, int rows, int width, double *out)
{
    int row = 0;
    for (; row + 2 <= rows; row += 2)
        mixRows(in + (ptrdiff_t)row * width, c, width, out + (ptrdiff_t)row * width);
    if (row == rows)
        return;
    double last[2 * BLOCK_WIDEST] = { 0 }, sum[2 * BLOCK_WIDEST] = { 0 };
    memcpy(last, in + (ptrdiff_t)row * width, (size_t)width * sizeof(double));
    memcpy(sum, out + (ptrdiff_t)row * width, (size_t)width * sizeof(double));
    mixRows(last, c, width, sum);
    memcpy(out + (ptrdiff_t)row * width, sum, (size_t)width * sizeof(double));
}

static void spread(const double *a, int width, const double *x, double *y)
{
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < width; k += WIDE)
        {
            DoubleWide sum = wideLoad(y + i * width + k);
            SIMD_UNROLL
            for (int j = 0; j < 6; ++j)
                sum += a[6 * i + j] * wideLoad(x + j * width + k);
            wideStore(y + i * width + k, sum);
        }
    }
}

static void collect(const double *a, int width, const double *x, double *y)
{
    for (int k = 0; k < width; k += WIDE)
    {
        DoubleWide x0 = wideLoad(x + k), x1 = wideLoad(x + width + k), x2 = wideLoad(x + 2 * width + k);
        SIMD_UNROLL
        for (int j = 0; j < 6; ++j)
            wideStore(y + j * width + k, wideLoad(y + j * width + k) + (a[j] * x0 + a[6 + j] * x1 + a[12 + j] * x2));
    }
}

const BlockKernels KERNEL(blockKernels) = { multiply, forward, above, lower, backward, gram, mix, spread, collect };
