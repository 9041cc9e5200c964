// Kernels of the solve, included by front_kernels.c after front_dense.h for each precision. A vector has 4 reals per
// vertex (x, y, z and one that nobody reads): a quad. The factor comes in tiles of 4 x 4 entries, row by row, that both
// sweeps read from the first to the last. A tile times three right-hand sides leaves 4 partial sums per entry of the
// product in every instruction set.

#define QUAD TYPED(Quad)
#define QUADS (WIDTH / 4)  // of a register
#define TILE (4 * 4)       // reals
#define PLANES (3 * WIDTH) // reals of the planes of 4 vertices
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

static void TYPED(addTouched)(const void *part, const int *touch, int count, void *top)
{
    const REAL *from = part;
    REAL *to = top;
    for (int k = 0; k < count; ++k, from += 4)
    {
        REAL *target = to + 4 * (size_t)touch[k];
        TYPED(storeQuad)(target, TYPED(loadQuad)(target) + TYPED(loadQuad)(from));
    }
}

static void TYPED(copyTouched)(const void *top, const int *touch, int count, void *part)
{
    const REAL *from = top;
    REAL *to = part;
    for (int k = 0; k < count; ++k, to += 4)
        TYPED(storeQuad)(to, TYPED(loadQuad)(from + 4 * (size_t)touch[k]));
}

// ---- four vertices ---------------------------------------------------------------------------------------------------

SIMD_INLINE void TYPED(loadTile)(const REAL *p, LANE m[LANES])
{
    UNROLL for (int v = 0; v < LANES; ++v)
        m[v] = TYPED(loadLane)(p + v * WIDTH);
}

SIMD_INLINE void TYPED(storeTile)(REAL *p, LANE m[LANES])
{
    UNROLL for (int v = 0; v < LANES; ++v)
        TYPED(storeLane)(p + v * WIDTH, m[v]);
}

SIMD_INLINE void TYPED(flushTile)(LANE m[LANES])
{
    UNROLL for (int v = 0; v < LANES; ++v)
        m[v] = TYPED(flushLane)(m[v]);
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
SIMD_INLINE void TYPED(storePlanes)(REAL *planes, LANE m[LANES])
{
    TYPED(turn)(m);
#if WIDTH == 16
#define AGAIN(k) k, k + 1, k + 2, k + 3, k, k + 1, k + 2, k + 3, k, k + 1, k + 2, k + 3, k, k + 1, k + 2, k + 3
    TYPED(storeLane)(planes, __builtin_shufflevector(m[0], m[0], AGAIN(0)));
    TYPED(storeLane)(planes + WIDTH, __builtin_shufflevector(m[0], m[0], AGAIN(4)));
    TYPED(storeLane)(planes + 2 * WIDTH, __builtin_shufflevector(m[0], m[0], AGAIN(8)));
#undef AGAIN
#elif WIDTH == 8
    TYPED(storeLane)(planes, __builtin_shufflevector(m[0], m[0], 0, 1, 2, 3, 0, 1, 2, 3));
    TYPED(storeLane)(planes + WIDTH, __builtin_shufflevector(m[0], m[0], 4, 5, 6, 7, 4, 5, 6, 7));
    TYPED(storeLane)(planes + 2 * WIDTH, __builtin_shufflevector(m[1], m[1], 0, 1, 2, 3, 0, 1, 2, 3));
#else
    UNROLL for (int p = 0; p < 3; ++p)
        TYPED(storeLane)(planes + WIDTH * p, m[p]);
#endif
}

// QUADS vertices of a vector
SIMD_INLINE LANE TYPED(gather)(const REAL *vector, const int *slot)
{
    QUAD q[4] = { 0 };
    UNROLL for (int i = 0; i < QUADS; ++i)
        q[i] = TYPED(loadQuad)(vector + 4 * (size_t)slot[i]);
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
    UNROLL for (int p = 0; p < 3; ++p)
        out[p] = (sum[p][0] + sum[p][2]) + (sum[p][1] + sum[p][3]);
    out[3] = out[2];
#endif
    TYPED(turn)(out);
}

// ---- forward ---------------------------------------------------------------------------------------------------------

// sum += rows of `columns` tiles times what stands in planes; the tiles of the next 4 rows follow
SIMD_INLINE void TYPED(rowSums)(const REAL *tiles, const int groups, int columns, const REAL *planes,
                               LANE sum[ROW_GROUPS][3][LANES])
{
    UNROLL for (int i = 0; i < groups; ++i)
        UNROLL for (int p = 0; p < 3; ++p)
            UNROLL for (int v = 0; v < LANES; ++v)
                sum[i][p][v] = (LANE){ 0 };
    for (int g = 0; g < columns; ++g)
    {
        LANE y[3];
        UNROLL for (int p = 0; p < 3; ++p)
            y[p] = TYPED(loadLane)(planes + PLANES * g + WIDTH * p);
        UNROLL for (int i = 0; i < groups; ++i)
            UNROLL for (int v = 0; v < LANES; ++v)
            {
                LANE left = TYPED(loadLane)(tiles + TILE * (i * columns + g) + v * WIDTH);
                UNROLL for (int p = 0; p < 3; ++p)
                    sum[i][p][v] += left * y[p];
            }
    }
}

// y = D^-1 y for the columns of a panel, and the same in planes
SIMD_INLINE void TYPED(forwardTriangle)(const REAL *tiles, int columns, REAL *own, REAL *planes)
{
    REAL before[PLANES * FRONT_PANEL];
    for (int g = 0; g < columns; ++g)
    {
        LANE m[LANES];
        TYPED(loadTile)(own + TILE * g, m);
        TYPED(flushTile)(m);
        TYPED(storePlanes)(before + PLANES * g, m);
    }
    for (int g = 0; g < columns; tiles += TILE * ++g)
    {
        LANE sum[ROW_GROUPS][3][LANES], m[LANES];
        TYPED(rowSums)(tiles, 1, g + 1, before, sum);
        UNROLL for (int v = 0; v < LANES; ++v)
            m[v] = TYPED(foldQuads)(sum[0][0][v], sum[0][1][v], sum[0][2][v]);
        TYPED(flushTile)(m);
        TYPED(storeTile)(own + TILE * g, m);
        TYPED(storePlanes)(planes + PLANES * g, m);
    }
}

// y(rows) -= B y(columns) for `groups` x 4 rows
SIMD_INLINE void TYPED(forwardRows)(const REAL *tiles, const int groups, int columns, const REAL *planes, REAL *vector,
                                   const int *slot)
{
    LANE sum[ROW_GROUPS][3][LANES];
    TYPED(rowSums)(tiles, groups, columns, planes, sum);
    UNROLL for (int i = 0; i < groups; ++i)
        UNROLL for (int v = 0; v < LANES; ++v)
            TYPED(subtractAt)(vector, slot + 4 * i + v * QUADS,
                             TYPED(foldQuads)(sum[i][0][v], sum[i][1][v], sum[i][2][v]));
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
        TYPED(forwardTriangle)(tiles, columns, own, planes);
        tiles += TILE * columns * (columns + 1) / 2;
        slot += 4 * columns;
        below -= columns;
        for (; r + ROW_GROUPS <= below; r += ROW_GROUPS, tiles += TILE * ROW_GROUPS * columns)
            TYPED(forwardRows)(tiles, ROW_GROUPS, columns, planes, f->vector, slot + 4 * r);
        for (; r < below; ++r, tiles += TILE * columns)
            TYPED(forwardRows)(tiles, 1, columns, planes, f->vector, slot + 4 * r);
    }
}

// ---- backward --------------------------------------------------------------------------------------------------------

// sum(columns) += B^T y for 4 rows. The loop has a constant end, or the compiler would keep the sums in memory.
SIMD_INLINE void TYPED(columnSums)(const REAL *tiles, const REAL *quads, const int groups,
                                  LANE sum[MOST_GROUPS][3][LANES])
{
    LANE y[3][LANES];
    UNROLL for (int v = 0; v < LANES; ++v)
    {
        LANE m = TYPED(loadLane)(quads + v * WIDTH);
        y[0][v] = __builtin_shufflevector(m, m, EACH(0));
        y[1][v] = __builtin_shufflevector(m, m, EACH(1));
        y[2][v] = __builtin_shufflevector(m, m, EACH(2));
    }
    UNROLL for (int g = 0; g < MOST_GROUPS; ++g)
        if (g < groups)
            UNROLL for (int v = 0; v < LANES; ++v)
            {
                LANE left = TYPED(loadLane)(tiles + TILE * g + v * WIDTH);
                UNROLL for (int p = 0; p < 3; ++p)
                    sum[g][p][v] += left * y[p][v];
            }
}

SIMD_INLINE void TYPED(clearSums)(LANE sum[MOST_GROUPS][3][LANES])
{
    UNROLL for (int g = 0; g < MOST_GROUPS; ++g)
        UNROLL for (int p = 0; p < 3; ++p)
            UNROLL for (int v = 0; v < LANES; ++v)
                sum[g][p][v] = (LANE){ 0 };
}

// t = y(columns) - B^T y(rows) for `groups` x 4 of the columns; y(rows) stands in quads
SIMD_INLINE void TYPED(backwardRows)(const REAL *tiles, const int groups, int columns, const REAL *quads, int rows,
                                    const REAL *own, REAL *t)
{
    LANE sum[MOST_GROUPS][3][LANES];
    TYPED(clearSums)(sum);
    for (int r = 0; r < rows; ++r, tiles += TILE * columns, quads += TILE)
        TYPED(columnSums)(tiles, quads, groups, sum);
    UNROLL for (int g = 0; g < groups; ++g)
    {
        LANE m[LANES], y[LANES];
        TYPED(foldRows)(sum[g], m);
        TYPED(loadTile)(own + TILE * g, y);
        UNROLL for (int v = 0; v < LANES; ++v)
            m[v] = TYPED(flushLane)(y[v] - m[v]);
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
    UNROLL for (int r = 0; r < groups; ++r)
    {
        TYPED(columnSums)(tiles, t + TILE * (first + r), r + 1, sum);
        tiles += TILE * (first + r + 1);
    }
    for (int r = first + groups; r < columns; ++r)
    {
        TYPED(columnSums)(tiles, t + TILE * r, groups, sum);
        tiles += TILE * (r + 1);
    }
    UNROLL for (int g = 0; g < groups; ++g)
    {
        LANE m[LANES];
        TYPED(foldRows)(sum[g], m);
        TYPED(storeTile)(own + TILE * (first + g), m);
    }
}

// a panel of `groups` x 4 columns, as many of them at a time as the registers hold
SIMD_INLINE void TYPED(backwardPanel)(const REAL *tiles, const int groups, const REAL *quads, int rows, REAL *own)
{
    REAL t[TILE * FRONT_PANEL];
    const REAL *square = tiles + TILE * groups * (groups + 1) / 2;
#if LANES == 1
    TYPED(backwardRows)(square, groups, groups, quads, rows, own, t);
    TYPED(backwardTriangle)(tiles, groups, groups, 0, t, own);
#else
    int g = 0;
    for (; g + MOST_GROUPS <= groups; g += MOST_GROUPS)
        TYPED(backwardRows)(square + TILE * g, MOST_GROUPS, groups, quads, rows, own + TILE * g, t + TILE * g);
    for (; g < groups; ++g)
        TYPED(backwardRows)(square + TILE * g, 1, groups, quads, rows, own + TILE * g, t + TILE * g);
    for (g = 0; g + MOST_GROUPS <= groups; g += MOST_GROUPS)
        TYPED(backwardTriangle)(tiles, MOST_GROUPS, groups, g, t, own);
    for (; g < groups; ++g)
        TYPED(backwardTriangle)(tiles, 1, groups, g, t, own);
#endif
}

SIMD_INLINE void TYPED(backwardAny)(const REAL *tiles, int groups, const REAL *quads, int rows, REAL *own)
{
#if LANES == 1
    switch (groups)
    {
    case 1:
        TYPED(backwardPanel)(tiles, 1, quads, rows, own);
        break;
    case 2:
        TYPED(backwardPanel)(tiles, 2, quads, rows, own);
        break;
    case 3:
        TYPED(backwardPanel)(tiles, 3, quads, rows, own);
        break;
    case 4:
        TYPED(backwardPanel)(tiles, 4, quads, rows, own);
        break;
    case 5:
        TYPED(backwardPanel)(tiles, 5, quads, rows, own);
        break;
    case 6:
        TYPED(backwardPanel)(tiles, 6, quads, rows, own);
        break;
    case 7:
        TYPED(backwardPanel)(tiles, 7, quads, rows, own);
        break;
    default:
        TYPED(backwardPanel)(tiles, FRONT_PANEL, quads, rows, own);
    }
#else
    TYPED(backwardPanel)(tiles, groups, quads, rows, own);
#endif
}

// y = D^-T (y - B^T y(rows below)), from the last panel to the first
static void TYPED(backward)(const SolveFront *f)
{
    const REAL *tiles = f->tilesEnd;
    REAL *quads = f->work;
    int first = (f->columnGroups - 1) / FRONT_PANEL * FRONT_PANEL, columns = f->columnGroups - first,
        below = f->rowGroups;
    for (; first >= 0; first -= FRONT_PANEL)
    {
        const int *slot = f->slot + 4 * (first + columns);
        for (int r = 0; r < below; ++r)
            UNROLL for (int v = 0; v < LANES; ++v)
            {
                LANE m = TYPED(gather)(f->vector, slot + 4 * r + v * QUADS);
                TYPED(storeLane)(quads + TILE * r + v * WIDTH, TYPED(flushLane)(m));
            }
        tiles -= frontPanelReals(columns, below);
        TYPED(backwardAny)(tiles, columns, quads, below, (REAL *)f->own + TILE * first);
        below += columns;
        columns = FRONT_PANEL;
    }
}

#undef LANE
#undef MASK
#undef QUAD
#undef QUADS
#undef LANES
#undef TILE
#undef PLANES
#undef MOST_GROUPS
#undef ROW_GROUPS
#undef STAY
#undef SWAP
#undef STAY_PAIR
#undef SWAP_PAIR
#undef EACH
