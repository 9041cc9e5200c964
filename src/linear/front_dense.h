// Kernels of the numeric factorisation, included by front_kernels.c once for float and once for double (REAL, WIDTH, TYPED).
// Matrices are stored by columns. Tiles keep TILE_LANES x TILE_COLUMNS sums in registers; which tiles cover a matrix
// does not change what happens to an entry: products are subtracted by ascending column, then it is scaled.

#define LANE TYPED(Lane)
#define MASK TYPED(Mask)
#define LANES (FRONT_PAD / WIDTH) // registers that hold 16 rows

typedef REAL LANE __attribute__((vector_size(WIDTH * sizeof(REAL))));
typedef INTEGER MASK __attribute__((vector_size(WIDTH * sizeof(REAL))));

SIMD_INLINE LANE TYPED(loadLane)(const REAL *p)
{
    LANE v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE void TYPED(storeLane)(REAL *p, LANE v)
{
    memcpy(p, &v, sizeof v);
}

SIMD_INLINE LANE TYPED(flushLane)(LANE v)
{
    LANE size = (LANE)((MASK)v & ~SIGN);
    return (LANE)((MASK)v & ~(MASK)(size < FLUSH));
}

// ---- assembly --------------------------------------------------------------------------------------------------------

static void TYPED(clear)(const DenseFront *f)
{
    size_t n = f->columnStride, columns = (size_t)f->columns;
    REAL *d = f->diagonal, *upper = f->upper;
    for (size_t j = 0; j < n; ++j)
    {
        size_t tile = j / FRONT_PAD * FRONT_PAD;
        memset(d + j * n + tile, 0, (n - tile) * sizeof(REAL));
        // columns of padding eliminate nothing
        if (j >= columns)
        {
            d[j * n + j] = 1;
            continue;
        }
        memset(upper + j * FRONT_BLOCK, 0, FRONT_BLOCK * sizeof(REAL));
        upper[j * FRONT_BLOCK + j % FRONT_BLOCK] = 1;
    }
    memset(f->below, 0, columns * f->rowStride * sizeof(REAL));
}

static void TYPED(addEntries)(const DenseFront *f, const FrontEntry *entry, int inside, int total,
                              const double *values, double scale)
{
    REAL *d = f->diagonal, *below = f->below;
    for (int e = 0; e < inside; ++e)
        d[entry[e].position] = (REAL)(values[entry[e].source] * scale);
    for (int e = inside; e < total; ++e)
        below[entry[e].position] = (REAL)(values[entry[e].source] * scale);
}

// target[relative[k]] += source[k]; rows that lie together there too are added by whole registers
SIMD_INLINE void TYPED(scatter)(REAL *restrict target, const REAL *restrict source, const int *restrict relative,
                                int begin, int end)
{
    int k = begin;
    while (k + WIDTH <= end)
    {
        REAL *to = target + relative[k];
        if (relative[k + WIDTH - 1] - relative[k] == WIDTH - 1)
        {
            TYPED(storeLane)(to, TYPED(loadLane)(to) + TYPED(loadLane)(source + k));
            k += WIDTH;
            continue;
        }
        for (int stop = k + 4; k < stop; ++k)
            target[relative[k]] += source[k];
    }
    for (; k < end; ++k)
        target[relative[k]] += source[k];
}

// extend-add into D and B: the columns of the child's remainder that are columns here
static void TYPED(addChild)(const DenseFront *f, const DenseChild *child)
{
    REAL *d = f->diagonal, *below = f->below;
    const REAL *source = child->remainder;
    for (int j = 0; j < child->parentRows; ++j)
    {
        size_t column = (size_t)child->relative[j];
        TYPED(scatter)(d + column * f->columnStride, source, child->relative, j, child->parentRows);
        TYPED(scatter)(below + column * f->rowStride - f->columns, source, child->relative, child->parentRows, child->rows);
        source += frontPad(child->rows);
    }
}

// extend-add into C: the rest of the columns
static void TYPED(addRemainder)(const DenseFront *f, const DenseChild *child)
{
    REAL *target = f->remainder;
    const REAL *source = child->remainder;
    size_t stride = (size_t)frontPad(child->rows);
    for (int j = child->parentRows; j < child->rows; ++j)
    {
        size_t column = (size_t)(child->relative[j] - f->columns);
        TYPED(scatter)(target + column * f->rowStride - f->columns, source + (size_t)j * stride, child->relative, j, child->rows);
    }
}

// ---- register tiles --------------------------------------------------------------------------------------------------

// X = (X - Y D(j,:)^T) D(j,j)^-T for `columns` columns of X from j on and `lanes` registers of rows, where Y are the
// columns `from` to `to` of X. With pivot NULL only the product is subtracted.
SIMD_INLINE void TYPED(solveTile)(REAL *x, size_t stride, const REAL *d, size_t dStride, const REAL *pivot, int from, int to,
                                  int j, const int lanes, const int columns)
{
    LANE sum[TILE_COLUMNS][TILE_LANES];
    UNROLL for (int c = 0; c < columns; ++c)
        UNROLL for (int v = 0; v < lanes; ++v)
            sum[c][v] = TYPED(loadLane)(x + (size_t)(j + c) * stride + v * WIDTH);
    const REAL *a = x + (size_t)from * stride, *b = d + (size_t)from * dStride + j;
    for (int k = from; k < to; ++k, a += stride, b += dStride)
    {
        LANE left[TILE_LANES];
        UNROLL for (int v = 0; v < lanes; ++v)
            left[v] = TYPED(loadLane)(a + v * WIDTH);
        UNROLL for (int c = 0; c < columns; ++c)
            UNROLL for (int v = 0; v < lanes; ++v)
                sum[c][v] -= left[v] * b[c];
    }
    if (pivot != NULL)
    {
        UNROLL for (int c = 0; c < columns; ++c)
        {
            UNROLL for (int e = 0; e < c; ++e)
                UNROLL for (int v = 0; v < lanes; ++v)
                    sum[c][v] -= sum[e][v] * b[(size_t)e * dStride + (size_t)c];
            UNROLL for (int v = 0; v < lanes; ++v)
                sum[c][v] = TYPED(flushLane)(sum[c][v] * pivot[j + c]);
        }
    }
    UNROLL for (int c = 0; c < columns; ++c)
        UNROLL for (int v = 0; v < lanes; ++v)
            TYPED(storeLane)(x + (size_t)(j + c) * stride + v * WIDTH, sum[c][v]);
}

// the same for columns `begin` to `end`
SIMD_INLINE void TYPED(solveTiles)(REAL *x, size_t stride, const REAL *d, size_t dStride, const REAL *pivot, int from,
                                   int begin, int end, const int lanes)
{
    int j = begin;
    for (; j + 8 <= end; j += 8)
        TYPED(solveTile)(x, stride, d, dStride, pivot, from, j, j, lanes, 8);
    if (j + 4 <= end)
    {
        TYPED(solveTile)(x, stride, d, dStride, pivot, from, j, j, lanes, 4);
        j += 4;
    }
    if (j + 2 <= end)
    {
        TYPED(solveTile)(x, stride, d, dStride, pivot, from, j, j, lanes, 2);
        j += 2;
    }
    if (j < end)
        TYPED(solveTile)(x, stride, d, dStride, pivot, from, j, j, lanes, 1);
}

// `rows` rows, a multiple of 16
static void TYPED(solveRows)(REAL *x, size_t stride, int rows, const REAL *d, size_t dStride, const REAL *pivot, int from,
                             int begin, int end)
{
    int lanes = rows / WIDTH;
#if TILE_LANES > 1
    for (; lanes >= 3; lanes -= 3, x += 3 * WIDTH)
        TYPED(solveTiles)(x, stride, d, dStride, pivot, from, begin, end, 3);
    if (lanes == 2)
        TYPED(solveTiles)(x, stride, d, dStride, pivot, from, begin, end, 2);
    else if (lanes == 1)
        TYPED(solveTiles)(x, stride, d, dStride, pivot, from, begin, end, 1);
#else
    for (; lanes > 0; --lanes, x += WIDTH)
        TYPED(solveTiles)(x, stride, d, dStride, pivot, from, begin, end, 1);
#endif
}

// c = - a b^T over `depth` columns: `lanes` registers of rows, `columns` columns
SIMD_INLINE void TYPED(productTile)(REAL *c, const REAL *a, const REAL *b, size_t stride, int depth, const int lanes,
                                    const int columns)
{
    LANE sum[TILE_COLUMNS][TILE_LANES];
    UNROLL for (int j = 0; j < columns; ++j)
        UNROLL for (int v = 0; v < lanes; ++v)
            sum[j][v] = (LANE){ 0 };
    for (int k = 0; k < depth; ++k, a += stride, b += stride)
    {
        LANE left[TILE_LANES];
        UNROLL for (int v = 0; v < lanes; ++v)
            left[v] = TYPED(loadLane)(a + v * WIDTH);
        UNROLL for (int j = 0; j < columns; ++j)
            UNROLL for (int v = 0; v < lanes; ++v)
                sum[j][v] -= left[v] * b[j];
    }
    UNROLL for (int j = 0; j < columns; ++j)
        UNROLL for (int v = 0; v < lanes; ++v)
            TYPED(storeLane)(c + (size_t)j * stride + v * WIDTH, sum[j][v]);
}

SIMD_INLINE void TYPED(productTiles)(REAL *c, const REAL *a, const REAL *b, size_t stride, int depth, int end,
                                     const int lanes)
{
    int j = 0;
    for (; j + 8 <= end; j += 8)
        TYPED(productTile)(c + (size_t)j * stride, a, b + j, stride, depth, lanes, 8);
    for (; j < end; ++j)
        TYPED(productTile)(c + (size_t)j * stride, a, b + j, stride, depth, lanes, 1);
}

// ---- the steps of a front ----------------------------------------------------------------------------------------------

// Cholesky of `count` columns of a 16 x 16 block, right-looking by whole columns: above the diagonal stands what nobody
// reads, in the other columns too.
static bool TYPED(factorBlock)(REAL *d, size_t stride, REAL *pivot, size_t count)
{
    for (size_t j = 0; j < count; ++j)
    {
        REAL *column = d + j * stride;
        REAL square = column[j];
        // written so that NaN fails
        if (!(square > 0 && square < (REAL)INFINITY))
            return false;
        REAL root = SQRT(square);
        pivot[j] = 1 / root;
        LANE own[LANES];
        UNROLL for (int v = 0; v < LANES; ++v)
        {
            own[v] = TYPED(flushLane)(TYPED(loadLane)(column + v * WIDTH) * pivot[j]);
            TYPED(storeLane)(column + v * WIDTH, own[v]);
        }
        column[j] = root;
        for (size_t i = j + 1; i < count; ++i)
        {
            REAL *target = d + i * stride;
            UNROLL for (int v = 0; v < LANES; ++v)
                TYPED(storeLane)(target + v * WIDTH, TYPED(loadLane)(target + v * WIDTH) - own[v] * column[i]);
        }
    }
    return true;
}

static bool TYPED(factorDiagonal)(const DenseFront *f)
{
    REAL *d = f->diagonal, *pivot = f->pivot;
    size_t n = f->columnStride;
    for (int j = 0; j < (int)n; j += FRONT_PAD)
    {
        // what stands left of the block, then the block, then what is below it
        int count = minInt(FRONT_PAD, f->columns - j);
        for (int half = j; j > 0 && half < j + count; half += 8)
            for (int v = 0; v < FRONT_PAD; v += WIDTH)
                TYPED(solveTile)(d + j + v, n, d, n, NULL, 0, j, half, 1, 8);
        if (!TYPED(factorBlock)(d + (size_t)j * n + j, n, pivot + j, (size_t)count))
            return false;
        TYPED(solveRows)(d + j + FRONT_PAD, n, (int)n - j - FRONT_PAD, d, n, pivot, 0, j, j + FRONT_PAD);
    }
    return true;
}

// B D^-T, rows begin to end
static void TYPED(factorRows)(const DenseFront *f, int begin, int end)
{
    TYPED(solveRows)((REAL *)f->below + begin, f->rowStride, end - begin, f->diagonal, f->columnStride, f->pivot, 0, 0, f->columns);
}

// I D^-T for each block on the diagonal
static void TYPED(invertBlocks)(const DenseFront *f)
{
    size_t n = f->columnStride;
    for (int j = 0; j < f->columns; j += FRONT_BLOCK)
    {
        int columns = minInt(FRONT_BLOCK, f->columns - j);
        const REAL *d = (const REAL *)f->diagonal + (size_t)j * (n + 1), *pivot = (const REAL *)f->pivot + j;
        REAL *upper = (REAL *)f->upper + j * FRONT_BLOCK;
        // zero left of the diagonal
        for (int r = 0; r < columns; r += FRONT_PAD)
            TYPED(solveRows)(upper + r, FRONT_BLOCK, FRONT_PAD, d, n, pivot, r, r, columns);
    }
}

// C = - B B^T, rows begin to end and the columns up to there
static void TYPED(remainderRows)(const DenseFront *f, int begin, int end)
{
    const REAL *b = f->below;
    REAL *c = f->remainder;
    size_t stride = f->rowStride;
    for (int r = begin; r < end; r += STRIP)
    {
        int lanes = minInt(STRIP, end - r) / WIDTH, columns = minInt(r + STRIP, f->rows), v = 0;
#if TILE_LANES > 1
        for (; v + 3 <= lanes; v += 3)
            TYPED(productTiles)(c + r + v * WIDTH, b + r + v * WIDTH, b, stride, f->columns, columns, 3);
        if (v + 2 == lanes)
        {
            TYPED(productTiles)(c + r + v * WIDTH, b + r + v * WIDTH, b, stride, f->columns, columns, 2);
            v += 2;
        }
#endif
        for (; v < lanes; ++v)
            TYPED(productTiles)(c + r + v * WIDTH, b + r + v * WIDTH, b, stride, f->columns, columns, 1);
    }
}
