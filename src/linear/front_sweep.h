// Kernels of the solve, included by front_kernels.c after front_dense.h for each precision. A vector has 4 reals per
// vertex (x, y, z and one that nobody reads): a quad. The factor comes in tiles of 4 x 4 entries, row by row, that both
// sweeps read from the first to the last. A tile times three right-hand sides leaves 4 partial sums per entry of the
// product in every instruction set.

#define QUAD TYPED(Quad)
#define QUADS (WIDTH / 4)                // of a register
#define TILE (4 * 4)                     // reals
#define AHEAD (4096 / (int)sizeof(REAL)) // a page: the processor does not look beyond its end by itself
#define PLANES (3 * WIDTH)               // reals of the planes of 4 vertices
// groups of 4 rows or 4 columns whose sums fit in the registers
#define MOST_GROUPS (LANES == 1 ? FRONT_PANEL : LANES == 2 ? 2 : 1)
#define ROW_GROUPS (LANES == 1 ? 4 : 1)

// shuffles inside each quad of two registers: every second one or every second pair stays, or comes to the other's place
#if WIDTH == 16
#define STAY 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31
#define SWAP 1, 16, 3, 18, 5, 20, 7, 22, 9, 24, 11, 26, 13, 28, 15, 30
#define STAY_PAIR 0, 1, 18, 19, 4, 5, 22, 23, 8, 9, 26, 27, 12, 13, 30, 31
#define SWAP_PAIR 2, 3, 16, 17, 6, 7, 20, 21, 10, 11, 24, 25, 14, 15, 28, 29
#define EACH(c) c, c, c, c, c + 4, c + 4, c + 4, c + 4, c + 8, c + 8, c + 8, c + 8, c + 12, c + 12, c + 12, c + 12
#elif WIDTH == 8
#define STAY 0, 9, 2, 11, 4, 13, 6, 15
#define SWAP 1, 8, 3, 10, 5, 12, 7, 14
#define STAY_PAIR 0, 1, 10, 11, 4, 5, 14, 15
#define SWAP_PAIR 2, 3, 8, 9, 6, 7, 12, 13
#define EACH(c) c, c, c, c, c + 4, c + 4, c + 4, c + 4
#else
#define STAY 0, 5, 2, 7
#define SWAP 1, 4, 3, 6
#define STAY_PAIR 0, 1, 6, 7
#define SWAP_PAIR 2, 3, 4, 5
#define EACH(c) c, c, c, c
#endif

// call(tiles, columns, ...) with a constant number of column groups, so that all sums stay in registers
#define FOR_COLUMNS(columns, call, tiles, ...)                                                                         \
    switch (columns)                                                                                                   \
    {                                                                                                                  \
    case 1:                                                                                                            \
        call(tiles, 1, __VA_ARGS__);                                                                                   \
        break;                                                                                                         \
    case 2:                                                                                                            \
        call(tiles, 2, __VA_ARGS__);                                                                                   \
        break;                                                                                                         \
    case 3:                                                                                                            \
        call(tiles, 3, __VA_ARGS__);                                                                                   \
        break;                                                                                                         \
    case 4:                                                                                                            \
        call(tiles, 4, __VA_ARGS__);                                                                                   \
        break;                                                                                                         \
    case 5:                                                                                                            \
        call(tiles, 5, __VA_ARGS__);                                                                                   \
        break;                                                                                                         \
    case 6:                                                                                                            \
        call(tiles, 6, __VA_ARGS__);                                                                                   \
        break;                                                                                                         \
    case 7:                                                                                                            \
        call(tiles, 7, __VA_ARGS__);                                                                                   \
        break;                                                                                                         \
    default:                                                                                                           \
        call(tiles, FRONT_PANEL, __VA_ARGS__);                                                                         \
    }

typedef REAL QUAD __attribute__((vector_size(4 * sizeof(REAL))));
typedef REAL TYPED(Half) __attribute__((vector_size(8 * sizeof(REAL))));

SIMD_INLINE QUAD TYPED(loadQuad)(const REAL *p)
{
    QUAD v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE void TYPED(storeQuad)(REAL *p, QUAD v)
{
    memcpy(p, &v, sizeof v);
}

// the rows of a 4 x 4 matrix become its columns
SIMD_INLINE void TYPED(transpose)(QUAD m[4])
{
    QUAD a = __builtin_shufflevector(m[0], m[1], 0, 4, 1, 5), b = __builtin_shufflevector(m[2], m[3], 0, 4, 1, 5);
    QUAD c = __builtin_shufflevector(m[0], m[1], 2, 6, 3, 7), d = __builtin_shufflevector(m[2], m[3], 2, 6, 3, 7);
    m[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    m[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    m[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    m[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

// ---- in and out ------------------------------------------------------------------------------------------------------

// largest magnitude; NaN does not count
static double TYPED(largestOf)(const double *values, int count)
{
    Double8 most[4] = { 0 };
    int k = 0;
    for (; k + 32 <= count; k += 32)
    {
        UNROLL for (int i = 0; i < 4; ++i)
        {
            Double8 v = (Double8)((Long8)double8Load(values + k + 8 * i) & INT64_MAX);
            most[i] = double8Select(v > most[i], v, most[i]);
        }
    }
    double largest = 0;
    for (int i = 0; i < 32; ++i)
        largest = most[i / 8][i % 8] > largest ? most[i / 8][i % 8] : largest;
    for (; k < count; ++k)
        largest = fabs(values[k]) > largest ? fabs(values[k]) : largest;
    return largest;
}

static void TYPED(load)(const double *right, const int *order, int count, int last, double scale, void *vector)
{
    REAL *to = vector;
    for (int k = 0; k < count; ++k, to += 4)
    {
        if (order[k] == FRONT_NONE)
        {
            TYPED(storeQuad)(to, (QUAD){ 0 });
            continue;
        }
        const double *from = right + 3 * (size_t)order[k];
        // one real too many is read and dropped, but not behind the end
        Double4 v = { from[0], from[1], from[2], 0 };
        if (order[k] != last)
            memcpy(&v, from, sizeof v);
        QUAD q = __builtin_convertvector(v * scale, QUAD);
        TYPED(storeQuad)(to, __builtin_shufflevector(q, (QUAD){ 0 }, 0, 1, 2, 4));
    }
}

static void TYPED(store)(const void *vector, const int *order, int count, double scale, double *result)
{
    const REAL *from = vector;
    for (int k = 0; k < count; ++k, from += 4)
    {
        if (order[k] == FRONT_NONE)
            continue;
        Double4 v = __builtin_convertvector(TYPED(loadQuad)(from), Double4) * scale;
        Double2 xy = __builtin_shufflevector(v, v, 0, 1);
        double *to = result + 3 * (size_t)order[k];
        memcpy(to, &xy, sizeof xy);
        to[2] = v[2];
    }
}

static void TYPED(addTouched)(const void *task, const int *touch, int count, void *top)
{
    const REAL *from = task;
    REAL *to = top;
    for (int k = 0; k < count; ++k, from += 4)
    {
        REAL *target = to + 4 * (size_t)touch[k];
        TYPED(storeQuad)(target, TYPED(loadQuad)(target) + TYPED(loadQuad)(from));
    }
}

static void TYPED(copyTouched)(const void *top, const int *touch, int count, void *task)
{
    const REAL *from = top;
    REAL *to = task;
    for (int k = 0; k < count; ++k, to += 4)
        TYPED(storeQuad)(to, TYPED(loadQuad)(from + 4 * (size_t)touch[k]));
}

// ---- four vertices ---------------------------------------------------------------------------------------------------

SIMD_INLINE void TYPED(loadTile)(const REAL *p, LANE m[LANES])
{
    UNROLL for (int v = 0; v < LANES; ++v) m[v] = TYPED(loadLane)(p + v * WIDTH);
}

SIMD_INLINE void TYPED(storeTile)(REAL *p, LANE m[LANES])
{
    UNROLL for (int v = 0; v < LANES; ++v) TYPED(storeLane)(p + v * WIDTH, m[v]);
}

SIMD_INLINE void TYPED(flushTile)(LANE m[LANES])
{
    UNROLL for (int v = 0; v < LANES; ++v) m[v] = TYPED(flushLane)(m[v]);
}

// four quads become the x of all, the y of all, the z of all, and back
SIMD_INLINE void TYPED(turn)(LANE m[LANES])
{
#if WIDTH == 16
    m[0] = __builtin_shufflevector(m[0], m[0], 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
#elif WIDTH == 8
    LANE a = m[0], b = m[1];
    m[0] = __builtin_shufflevector(a, b, 0, 4, 8, 12, 1, 5, 9, 13);
    m[1] = __builtin_shufflevector(a, b, 2, 6, 10, 14, 3, 7, 11, 15);
#else
    TYPED(transpose)(m);
#endif
}

// four quads to planes: a register with the x of all, again and again, one of the y, one of the z
SIMD_INLINE void TYPED(toPlanes)(LANE m[LANES], LANE planes[3])
{
    TYPED(turn)(m);
#if WIDTH == 16
    planes[0] = __builtin_shufflevector(m[0], m[0], 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
    planes[1] = __builtin_shufflevector(m[0], m[0], 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7);
    planes[2] = __builtin_shufflevector(m[0], m[0], 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11, 8, 9, 10, 11);
#elif WIDTH == 8
    planes[0] = __builtin_shufflevector(m[0], m[0], 0, 1, 2, 3, 0, 1, 2, 3);
    planes[1] = __builtin_shufflevector(m[0], m[0], 4, 5, 6, 7, 4, 5, 6, 7);
    planes[2] = __builtin_shufflevector(m[1], m[1], 0, 1, 2, 3, 0, 1, 2, 3);
#else
    UNROLL for (int p = 0; p < 3; ++p) planes[p] = m[p];
#endif
}

// QUADS vertices of a vector
SIMD_INLINE LANE TYPED(gather)(const REAL *vector, const int *slot)
{
    QUAD q[4] = { 0 };
    UNROLL for (int i = 0; i < QUADS; ++i) q[i] = TYPED(loadQuad)(vector + 4 * (size_t)slot[i]);
#if WIDTH == 16
    TYPED(Half) low = __builtin_shufflevector(q[0], q[1], 0, 1, 2, 3, 4, 5, 6, 7);
    TYPED(Half) high = __builtin_shufflevector(q[2], q[3], 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#elif WIDTH == 8
    return __builtin_shufflevector(q[0], q[1], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return q[0];
#endif
}

SIMD_INLINE void TYPED(subtractAt)(REAL *vector, const int *slot, LANE m)
{
    QUAD q[4];
    q[0] = __builtin_shufflevector(m, m, 0, 1, 2, 3);
#if WIDTH >= 8
    q[1] = __builtin_shufflevector(m, m, 4, 5, 6, 7);
#endif
#if WIDTH == 16
    q[2] = __builtin_shufflevector(m, m, 8, 9, 10, 11);
    q[3] = __builtin_shufflevector(m, m, 12, 13, 14, 15);
#endif
    UNROLL for (int i = 0; i < QUADS; ++i)
    {
        REAL *to = vector + 4 * (size_t)slot[i];
        TYPED(storeQuad)(to, TYPED(loadQuad)(to) - q[i]);
    }
}

// 4 partial sums of x, of y and of z to (x, y, z, z), (s0 + s1) + (s2 + s3), in every quad
SIMD_INLINE LANE TYPED(foldQuads)(LANE x, LANE y, LANE z)
{
    LANE xy = __builtin_shufflevector(x, y, STAY) + __builtin_shufflevector(x, y, SWAP);
    LANE zz = z + __builtin_shufflevector(z, z, SWAP);
    return __builtin_shufflevector(xy, zz, STAY_PAIR) + __builtin_shufflevector(xy, zz, SWAP_PAIR);
}

// 4 partial sums of x, of y and of z for each of four vertices, by quads, to the four vertices: (s0 + s2) + (s1 + s3)
SIMD_INLINE void TYPED(foldRows)(LANE sum[3][LANES], LANE out[LANES])
{
#if WIDTH == 16
    LANE x = sum[0][0], y = sum[1][0], z = sum[2][0];
    LANE xz = __builtin_shufflevector(x, z, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31) +
              __builtin_shufflevector(x, z, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
    LANE yz = __builtin_shufflevector(y, z, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31) +
              __builtin_shufflevector(y, z, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
    out[0] = __builtin_shufflevector(xz, yz, 0, 1, 2, 3, 20, 21, 22, 23, 8, 9, 10, 11, 28, 29, 30, 31) +
             __builtin_shufflevector(xz, yz, 4, 5, 6, 7, 16, 17, 18, 19, 12, 13, 14, 15, 24, 25, 26, 27);
#elif WIDTH == 8
    LANE x = sum[0][0] + sum[0][1], y = sum[1][0] + sum[1][1], z = sum[2][0] + sum[2][1];
    out[0] = __builtin_shufflevector(x, y, 0, 1, 2, 3, 12, 13, 14, 15) +
             __builtin_shufflevector(x, y, 4, 5, 6, 7, 8, 9, 10, 11);
    out[1] = z + __builtin_shufflevector(z, z, 4, 5, 6, 7, 0, 1, 2, 3);
#else
    UNROLL for (int p = 0; p < 3; ++p) out[p] = (sum[p][0] + sum[p][2]) + (sum[p][1] + sum[p][3]);
    out[3] = out[2];
#endif
    TYPED(turn)(out);
}

// ---- forward ---------------------------------------------------------------------------------------------------------

// sum(rows) += tile times four columns in planes
SIMD_INLINE void TYPED(addTile)(const REAL *tile, LANE y[3], LANE sum[3][LANES])
{
    __builtin_prefetch(tile + AHEAD);
    UNROLL for (int v = 0; v < LANES; ++v)
    {
        LANE left = TYPED(loadLane)(tile + v * WIDTH);
        UNROLL for (int p = 0; p < 3; ++p) sum[p][v] += left * y[p];
    }
}

// y = D^-1 y for the columns of a panel, and the same in planes
SIMD_INLINE void TYPED(forwardTriangle)(const REAL *tiles, const int columns, REAL *own, REAL *planes)
{
    LANE y[FRONT_PANEL][3];
    UNROLL for (int g = 0; g < columns; ++g)
    {
        LANE m[LANES];
        TYPED(loadTile)(own + TILE * g, m);
        TYPED(flushTile)(m);
        TYPED(toPlanes)(m, y[g]);
    }
    UNROLL for (int g = 0; g < columns; ++g)
    {
        LANE sum[3][LANES] = { 0 }, m[LANES], t[3];
        // the end is constant, or the compiler would keep y in memory
        UNROLL for (int j = 0; j < FRONT_PANEL; ++j) if (j <= g)
            TYPED(addTile)(tiles + TILE * (g * (g + 1) / 2 + j), y[j], sum);
        UNROLL for (int v = 0; v < LANES; ++v) m[v] = TYPED(foldQuads)(sum[0][v], sum[1][v], sum[2][v]);
        TYPED(flushTile)(m);
        TYPED(storeTile)(own + TILE * g, m);
        TYPED(toPlanes)(m, t);
        UNROLL for (int p = 0; p < 3; ++p) TYPED(storeLane)(planes + PLANES * g + WIDTH * p, t[p]);
    }
}

// y(rows) -= B y(columns) for `groups` x 4 rows
SIMD_INLINE void TYPED(forwardRows)(const REAL *tiles, const int groups, int columns, const REAL *planes, REAL *vector,
                                    const int *slot)
{
    LANE sum[ROW_GROUPS][3][LANES];
    UNROLL for (int i = 0; i < groups; ++i) UNROLL for (int p = 0; p < 3; ++p) UNROLL for (int v = 0; v < LANES; ++v)
        sum[i][p][v] = (LANE){ 0 };
    for (int g = 0; g < columns; ++g)
    {
        LANE y[3];
        UNROLL for (int p = 0; p < 3; ++p) y[p] = TYPED(loadLane)(planes + PLANES * g + WIDTH * p);
        UNROLL for (int i = 0; i < groups; ++i) TYPED(addTile)(tiles + TILE * (i * columns + g), y, sum[i]);
    }
    UNROLL for (int i = 0; i < groups; ++i) UNROLL for (int v = 0; v < LANES; ++v)
        TYPED(subtractAt)(vector, slot + 4 * i + v * QUADS, TYPED(foldQuads)(sum[i][0][v], sum[i][1][v], sum[i][2][v]));
}

// the same for what is left, less than ROW_GROUPS; returns the end of the tiles
SIMD_INLINE const REAL *TYPED(forwardRest)(const REAL *tiles, int groups, int columns, const REAL *planes, REAL *vector,
                                           const int *slot)
{
#if LANES == 1
    if (groups == 3)
        TYPED(forwardRows)(tiles, 3, columns, planes, vector, slot);
    else if (groups == 2)
        TYPED(forwardRows)(tiles, 2, columns, planes, vector, slot);
    else if (groups == 1)
#else
    if (groups == 1)
#endif
        TYPED(forwardRows)(tiles, 1, columns, planes, vector, slot);
    return tiles + TILE * groups * columns;
}

// y = D^-1 y, then y(rows below) -= B y, panel by panel
static void TYPED(forward)(const SolveFront *f)
{
    const REAL *tiles = f->tiles;
    const int *slot = f->slot;
    int left = f->columnGroups, below = f->columnGroups + f->rowGroups;
    for (REAL *own = f->own; left > 0; left -= FRONT_PANEL, own += TILE * FRONT_PANEL)
    {
        REAL planes[PLANES * FRONT_PANEL];
        int columns = minInt(left, FRONT_PANEL), r = 0;
        FOR_COLUMNS(columns, TYPED(forwardTriangle), tiles, own, planes);
        tiles += TILE * columns * (columns + 1) / 2;
        slot += 4 * columns;
        below -= columns;
        for (; r + ROW_GROUPS <= below; r += ROW_GROUPS, tiles += TILE * ROW_GROUPS * columns)
            TYPED(forwardRows)(tiles, ROW_GROUPS, columns, planes, f->vector, slot + 4 * r);
        tiles = TYPED(forwardRest)(tiles, below - r, columns, planes, f->vector, slot + 4 * r);
    }
}

// ---- backward --------------------------------------------------------------------------------------------------------

// sum(columns) += B^T y for 4 rows. The loop has a constant end, or the compiler would keep the sums in memory.
SIMD_INLINE void TYPED(columnSums)(const REAL *tiles, LANE m[LANES], const int groups, LANE sum[MOST_GROUPS][3][LANES])
{
    LANE y[3][LANES];
    UNROLL for (int v = 0; v < LANES; ++v)
    {
        y[0][v] = __builtin_shufflevector(m[v], m[v], EACH(0));
        y[1][v] = __builtin_shufflevector(m[v], m[v], EACH(1));
        y[2][v] = __builtin_shufflevector(m[v], m[v], EACH(2));
    }
    UNROLL for (int g = 0; g < MOST_GROUPS; ++g) if (g < groups)
    {
        const REAL *tile = tiles + TILE * g;
        __builtin_prefetch(tile - AHEAD);
        UNROLL for (int v = 0; v < LANES; ++v)
        {
            LANE left = TYPED(loadLane)(tile + v * WIDTH);
            UNROLL for (int p = 0; p < 3; ++p) sum[g][p][v] += left * y[p][v];
        }
    }
}

SIMD_INLINE void TYPED(clearSums)(LANE sum[MOST_GROUPS][3][LANES])
{
    UNROLL for (int g = 0; g < MOST_GROUPS; ++g) UNROLL for (int p = 0; p < 3; ++p)
        UNROLL for (int v = 0; v < LANES; ++v) sum[g][p][v] = (LANE){ 0 };
}

// t = y(columns) - B^T y(rows) for `groups` x 4 of the columns, from the last row to the first
SIMD_INLINE void TYPED(backwardRows)(const REAL *tiles, const int groups, int columns, const REAL *vector,
                                     const int *slot, int rows, const REAL *own, REAL *t)
{
    LANE sum[MOST_GROUPS][3][LANES];
    TYPED(clearSums)(sum);
    for (int r = rows - 1; r >= 0; --r)
    {
        LANE m[LANES];
        UNROLL for (int v = 0; v < LANES; ++v) m[v] = TYPED(gather)(vector, slot + 4 * r + v * QUADS);
        TYPED(flushTile)(m);
        TYPED(columnSums)(tiles + TILE * r * columns, m, groups, sum);
    }
    UNROLL for (int g = 0; g < groups; ++g)
    {
        LANE m[LANES], y[LANES];
        TYPED(foldRows)(sum[g], m);
        TYPED(loadTile)(own + TILE * g, y);
        UNROLL for (int v = 0; v < LANES; ++v) m[v] = TYPED(flushLane)(y[v] - m[v]);
        TYPED(storeTile)(t + TILE * g, m);
    }
}

// y(columns) = D^-T t for `groups` x 4 columns of a panel, from column group `first` on
SIMD_INLINE void TYPED(backwardTriangle)(const REAL *tiles, const int groups, int columns, int first, const REAL *t,
                                         REAL *own)
{
    LANE sum[MOST_GROUPS][3][LANES];
    TYPED(clearSums)(sum);
    tiles += TILE * (first * (first + 1) / 2 + first);
    // the corner, then whole rows
    LANE m[LANES];
    UNROLL for (int r = 0; r < groups; ++r)
    {
        TYPED(loadTile)(t + TILE * (first + r), m);
        TYPED(columnSums)(tiles, m, r + 1, sum);
        tiles += TILE * (first + r + 1);
    }
    for (int r = first + groups; r < columns; ++r)
    {
        TYPED(loadTile)(t + TILE * r, m);
        TYPED(columnSums)(tiles, m, groups, sum);
        tiles += TILE * (r + 1);
    }
    UNROLL for (int g = 0; g < groups; ++g)
    {
        TYPED(foldRows)(sum[g], m);
        TYPED(storeTile)(own + TILE * (first + g), m);
    }
}

// a panel of `groups` x 4 columns, as many of them at a time as the registers hold
SIMD_INLINE void TYPED(backwardPanel)(const REAL *tiles, const int groups, REAL *own, const REAL *vector,
                                      const int *slot, int rows)
{
    REAL t[TILE * FRONT_PANEL];
    const REAL *square = tiles + TILE * groups * (groups + 1) / 2;
#if LANES == 1
    TYPED(backwardRows)(square, groups, groups, vector, slot, rows, own, t);
    TYPED(backwardTriangle)(tiles, groups, groups, 0, t, own);
#else
    int g = 0;
    for (; g + MOST_GROUPS <= groups; g += MOST_GROUPS)
        TYPED(backwardRows)(square + TILE * g, MOST_GROUPS, groups, vector, slot, rows, own + TILE * g, t + TILE * g);
    for (; g < groups; ++g)
        TYPED(backwardRows)(square + TILE * g, 1, groups, vector, slot, rows, own + TILE * g, t + TILE * g);
    for (g = 0; g + MOST_GROUPS <= groups; g += MOST_GROUPS)
        TYPED(backwardTriangle)(tiles, MOST_GROUPS, groups, g, t, own);
    for (; g < groups; ++g)
        TYPED(backwardTriangle)(tiles, 1, groups, g, t, own);
#endif
}

// y = D^-T (y - B^T y(rows below)), from the last panel to the first
static void TYPED(backward)(const SolveFront *f)
{
    const REAL *tiles = f->tilesEnd;
    int first = (f->columnGroups - 1) / FRONT_PANEL * FRONT_PANEL, columns = f->columnGroups - first,
        below = f->rowGroups;
    for (; first >= 0; first -= FRONT_PANEL, columns = FRONT_PANEL)
    {
        REAL *own = (REAL *)f->own + TILE * first;
        const int *slot = f->slot + 4 * (first + columns);
        tiles -= frontPanelReals(columns, below);
        FOR_COLUMNS(columns, TYPED(backwardPanel), tiles, own, f->vector, slot, below);
        below += columns;
    }
}

#undef LANE
#undef MASK
#undef QUAD
#undef QUADS
#undef LANES
#undef TILE
#undef PLANES
#undef AHEAD
#undef MOST_GROUPS
#undef ROW_GROUPS
#undef STAY
#undef SWAP
#undef STAY_PAIR
#undef SWAP_PAIR
#undef EACH
#undef FOR_COLUMNS
