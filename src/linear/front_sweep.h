// Kernels of the solve, included by front_kernels.c after front_dense.h for each precision. A vector has 4 reals per
// vertex (x, y, z and one that nobody reads); inside a front it is turned into planes of x, of y and of z. Sums over rows have 16 partial sums
// in every instruction set.

#define QUAD TYPED(Quad)
#define QUADS (WIDTH / 4)               // of a register; a sweep takes so many columns at a time
#define MOST_TILES (LANES == 1 ? 4 : LANES == 2 ? 2 : 1) // of 16 rows whose 3 sums fit in the registers

// shuffles inside each quad of two registers: interleave the lower or upper two, or join them; every second one or
// every second pair stays, or comes to the other's place
#if WIDTH == 16
#define LOW 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define HIGH 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define LOW_PAIR 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define HIGH_PAIR 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define STAY 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31
#define SWAP 1, 16, 3, 18, 5, 20, 7, 22, 9, 24, 11, 26, 13, 28, 15, 30
#define STAY_PAIR 0, 1, 18, 19, 4, 5, 22, 23, 8, 9, 26, 27, 12, 13, 30, 31
#define SWAP_PAIR 2, 3, 16, 17, 6, 7, 20, 21, 10, 11, 24, 25, 14, 15, 28, 29
#elif WIDTH == 8
#define LOW 0, 8, 1, 9, 4, 12, 5, 13
#define HIGH 2, 10, 3, 11, 6, 14, 7, 15
#define LOW_PAIR 0, 1, 8, 9, 4, 5, 12, 13
#define HIGH_PAIR 2, 3, 10, 11, 6, 7, 14, 15
#define STAY 0, 9, 2, 11, 4, 13, 6, 15
#define SWAP 1, 8, 3, 10, 5, 12, 7, 14
#define STAY_PAIR 0, 1, 10, 11, 4, 5, 14, 15
#define SWAP_PAIR 2, 3, 8, 9, 6, 7, 12, 13
#else
#define LOW 0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#define LOW_PAIR 0, 1, 4, 5
#define HIGH_PAIR 2, 3, 6, 7
#define STAY 0, 5, 2, 7
#define SWAP 1, 4, 3, 6
#define STAY_PAIR 0, 1, 6, 7
#define SWAP_PAIR 2, 3, 4, 5
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

// quad i of four registers are the rows of a 4 x 4 matrix: they become its columns, for every i
SIMD_INLINE void TYPED(transpose)(LANE m[4])
{
    LANE a = __builtin_shufflevector(m[0], m[1], LOW), b = __builtin_shufflevector(m[2], m[3], LOW);
    LANE c = __builtin_shufflevector(m[0], m[1], HIGH), d = __builtin_shufflevector(m[2], m[3], HIGH);
    m[0] = __builtin_shufflevector(a, b, LOW_PAIR);
    m[1] = __builtin_shufflevector(a, b, HIGH_PAIR);
    m[2] = __builtin_shufflevector(c, d, LOW_PAIR);
    m[3] = __builtin_shufflevector(c, d, HIGH_PAIR);
}

// ---- in and out ------------------------------------------------------------------------------------------------------

// largest magnitude; NaN does not count
static double TYPED(largestOf)(const double *values, int count)
{
    Double8 most = double8Set(0);
    int k = 0;
    for (; k + 8 <= count; k += 8)
    {
        Double8 v = double8Load(values + k);
        v = (Double8)((Long8)v & INT64_MAX);
        most = double8Select(v > most, v, most);
    }
    double largest = 0;
    for (int i = 0; i < 8; ++i)
        largest = most[i] > largest ? most[i] : largest;
    for (; k < count; ++k)
        largest = fabs(values[k]) > largest ? fabs(values[k]) : largest;
    return largest;
}

static void TYPED(load)(const double *right, const int *order, int count, int last, double scale, void *vector)
{
    REAL *to = vector;
    for (int k = 0; k < count; ++k, to += 4)
    {
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
        Double4 v = __builtin_convertvector(TYPED(loadQuad)(from), Double4) * scale;
        memcpy(result + 3 * (size_t)order[k], &v, 3 * sizeof(double));
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

// ---- planes ----------------------------------------------------------------------------------------------------------

// a register of the vertices k, k + 4, ... of a vector, given by `row` or in order
SIMD_INLINE LANE TYPED(gather)(const REAL *vector, const int *row, int k)
{
    QUAD q[4] = { 0 };
    UNROLL for (int i = 0; i < QUADS; ++i)
        q[i] = TYPED(loadQuad)(vector + 4 * (size_t)(row == NULL ? k + 4 * i : row[k + 4 * i]));
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

// WIDTH vertices to planes
SIMD_INLINE void TYPED(toPlane)(const REAL *vector, const int *row, REAL *planes, size_t stride)
{
    LANE m[4];
    UNROLL for (int i = 0; i < 4; ++i)
        m[i] = TYPED(gather)(vector, row, i);
    TYPED(transpose)(m);
    UNROLL for (size_t c = 0; c < 3; ++c)
        TYPED(storeLane)(planes + c * stride, TYPED(flushLane)(m[c]));
}

// `count` vertices of a vector, `row` or the first ones, to planes of frontPad(count), zero at the end
SIMD_INLINE void TYPED(toPlanes)(const REAL *vector, const int *row, int count, REAL *planes)
{
    size_t stride = (size_t)frontPad(count);
    int k = 0;
    for (; k + WIDTH <= count; k += WIDTH)
        TYPED(toPlane)(row == NULL ? vector + 4 * k : vector, row == NULL ? NULL : row + k, planes + k, stride);
    for (; k < (int)stride; k += WIDTH)
    {
        REAL last[4 * WIDTH] = { 0 };
        for (int i = 0; i < count - k; ++i)
            TYPED(storeQuad)(last + 4 * i, TYPED(loadQuad)(vector + 4 * (size_t)(row == NULL ? k + i : row[k + i])));
        TYPED(toPlane)(last, NULL, planes + k, stride);
    }
}

// 16 rows of three planes to 4 reals per row
SIMD_INLINE void TYPED(fromPlanes)(LANE planes[3][LANES], REAL *out)
{
    UNROLL for (int v = 0; v < LANES; ++v)
    {
        LANE m[4] = { planes[0][v], planes[1][v], planes[2][v], { 0 } };
        TYPED(transpose)(m);
        UNROLL for (int i = 0; i < 4; ++i)
        {
            REAL *to = out + 4 * (v * WIDTH + i);
            TYPED(storeQuad)(to, __builtin_shufflevector(m[i], m[i], 0, 1, 2, 3));
#if WIDTH >= 8
            TYPED(storeQuad)(to + 16, __builtin_shufflevector(m[i], m[i], 4, 5, 6, 7));
#endif
#if WIDTH == 16
            TYPED(storeQuad)(to + 32, __builtin_shufflevector(m[i], m[i], 8, 9, 10, 11));
            TYPED(storeQuad)(to + 48, __builtin_shufflevector(m[i], m[i], 12, 13, 14, 15));
#endif
        }
    }
}

// ---- products --------------------------------------------------------------------------------------------------------

// 16 partial sums to 4, (s0 + s8) + (s4 + s12) and so on, for one column per quad of the result. Two registers fold
// into one: half of each stays, the other halves change places.
SIMD_INLINE LANE TYPED(fold)(LANE sum[QUADS][3][LANES], const int plane)
{
#if WIDTH == 16
    LANE a = sum[0][plane][0], b = sum[1][plane][0], c = sum[2][plane][0], d = sum[3][plane][0];
    LANE ac = __builtin_shufflevector(a, c, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31) +
              __builtin_shufflevector(a, c, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
    LANE bd = __builtin_shufflevector(b, d, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31) +
              __builtin_shufflevector(b, d, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
    return __builtin_shufflevector(ac, bd, 0, 1, 2, 3, 20, 21, 22, 23, 8, 9, 10, 11, 28, 29, 30, 31) +
           __builtin_shufflevector(ac, bd, 4, 5, 6, 7, 16, 17, 18, 19, 12, 13, 14, 15, 24, 25, 26, 27);
#elif WIDTH == 8
    LANE a = sum[0][plane][0] + sum[0][plane][1], b = sum[1][plane][0] + sum[1][plane][1];
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 12, 13, 14, 15) +
           __builtin_shufflevector(a, b, 4, 5, 6, 7, 8, 9, 10, 11);
#else
    return (sum[0][plane][0] + sum[0][plane][2]) + (sum[0][plane][1] + sum[0][plane][3]);
#endif
}

// 4 partial sums of x, of y and of z to (x, y, z, z), (s0 + s1) + (s2 + s3), in every quad
SIMD_INLINE LANE TYPED(foldQuads)(LANE x, LANE y, LANE z)
{
    LANE xy = __builtin_shufflevector(x, y, STAY) + __builtin_shufflevector(x, y, SWAP);
    LANE zz = z + __builtin_shufflevector(z, z, SWAP);
    return __builtin_shufflevector(xy, zz, STAY_PAIR) + __builtin_shufflevector(xy, zz, SWAP_PAIR);
}

// 4 reals per column, for QUADS columns: `columns` columns of a times the planes, over `rows` rows
SIMD_INLINE LANE TYPED(dotTile)(const REAL *a, size_t stride, const REAL *planes, size_t planeStride, int rows,
                                const int columns)
{
    LANE sum[QUADS][3][LANES];
    UNROLL for (int c = 0; c < QUADS; ++c)
        UNROLL for (int p = 0; p < 3; ++p)
            UNROLL for (int v = 0; v < LANES; ++v)
                sum[c][p][v] = (LANE){ 0 };
    for (int r = 0; r < rows; r += FRONT_PAD)
    {
        UNROLL for (int v = 0; v < LANES; ++v)
        {
            LANE y[3];
            UNROLL for (size_t p = 0; p < 3; ++p)
                y[p] = TYPED(loadLane)(planes + p * planeStride + r + v * WIDTH);
            UNROLL for (int c = 0; c < columns; ++c)
            {
                LANE left = TYPED(loadLane)(a + (size_t)c * stride + r + v * WIDTH);
                UNROLL for (int p = 0; p < 3; ++p)
                    sum[c][p][v] += left * y[p];
            }
        }
    }
    return TYPED(foldQuads)(TYPED(fold)(sum, 0), TYPED(fold)(sum, 1), TYPED(fold)(sum, 2));
}

// t = from - a^T planes, or a^T planes without `from`: 4 reals per column. Column j has rows up to `rows`, or, with
// rows 0, up to the tile of its diagonal.
SIMD_INLINE void TYPED(dotColumns)(const REAL *a, size_t stride, int columns, const REAL *planes, size_t planeStride,
                                   const int rows, const REAL *from, REAL *t)
{
    int j = 0;
    for (; j + QUADS <= columns; j += QUADS)
    {
        int end = from != NULL ? rows : frontPad(j + QUADS);
        LANE s = TYPED(dotTile)(a + (size_t)j * stride, stride, planes, planeStride, end, QUADS);
        if (from != NULL)
            s = TYPED(loadLane)(from + 4 * j) - s;
        TYPED(storeLane)(t + 4 * j, TYPED(flushLane)(s));
    }
    for (; j < columns; ++j)
    {
        int end = from != NULL ? rows : frontPad(j + 1);
        LANE s = TYPED(dotTile)(a + (size_t)j * stride, stride, planes, planeStride, end, 1);
        QUAD q = __builtin_shufflevector(s, s, 0, 1, 2, 3);
        if (from != NULL)
            q = TYPED(loadQuad)(from + 4 * j) - q;
        for (int c = 0; c < 4; ++c)
            t[4 * j + c] = q[c] > -FLUSH && q[c] < FLUSH ? 0 : q[c];
    }
}

// sum over columns from `from` to `to` of a times 4 reals per column, for `tiles` x 16 rows
SIMD_INLINE void TYPED(axpyTile)(const REAL *a, size_t stride, const REAL *t, int from, int to, REAL *out,
                                 const int tiles)
{
    LANE sum[MOST_TILES][3][LANES];
    UNROLL for (int i = 0; i < tiles; ++i)
        UNROLL for (int p = 0; p < 3; ++p)
            UNROLL for (int v = 0; v < LANES; ++v)
                sum[i][p][v] = (LANE){ 0 };
    for (int k = from; k < to; ++k)
    {
        UNROLL for (int i = 0; i < tiles; ++i)
            UNROLL for (int v = 0; v < LANES; ++v)
            {
                LANE left = TYPED(loadLane)(a + (size_t)k * stride + i * FRONT_PAD + v * WIDTH);
                UNROLL for (int p = 0; p < 3; ++p)
                    sum[i][p][v] += left * t[4 * k + p];
            }
    }
    UNROLL for (int i = 0; i < tiles; ++i)
        TYPED(fromPlanes)(sum[i], out + 4 * FRONT_PAD * i);
}

// the same for up to MOST_TILES tiles of the rows that are left; returns how many rows it did
SIMD_INLINE int TYPED(axpyRows)(const REAL *a, size_t stride, const REAL *t, int from, int to, int rows, REAL *out)
{
#if WIDTH == 16
    if (rows > 2 * FRONT_PAD)
    {
        if (rows > 3 * FRONT_PAD)
            TYPED(axpyTile)(a, stride, t, from, to, out, 4);
        else
            TYPED(axpyTile)(a, stride, t, from, to, out, 3);
        return minInt(rows, 4 * FRONT_PAD);
    }
#endif
#if WIDTH >= 8
    if (rows > FRONT_PAD)
    {
        TYPED(axpyTile)(a, stride, t, from, to, out, MOST_TILES < 2 ? 1 : 2);
        return minInt(rows, 2 * FRONT_PAD);
    }
#endif
    TYPED(axpyTile)(a, stride, t, from, to, out, 1);
    return minInt(rows, FRONT_PAD);
}

// ---- the two sweeps ----------------------------------------------------------------------------------------------------

// y = D^-1 y, then y(rows below) -= B y
static void TYPED(forward)(const SolveFront *f)
{
    REAL *own = f->own, *vector = f->vector, *planes = f->work, out[4 * FRONT_PAD * MOST_TILES];
    size_t n = (size_t)frontPad(f->columns), stride = (size_t)frontPad(f->rows);
    TYPED(toPlanes)(own, NULL, f->columns, planes);
    TYPED(dotColumns)(f->upper, n, f->columns, planes, n, 0, NULL, own);
    for (int r = 0, rows = 0; r < f->rows; r += rows)
    {
        rows = TYPED(axpyRows)((const REAL *)f->below + r, stride, own, 0, f->columns, f->rows - r, out);
        for (int i = 0; i < rows; ++i)
        {
            REAL *target = vector + 4 * (size_t)f->row[r + i];
            TYPED(storeQuad)(target, TYPED(loadQuad)(target) - TYPED(loadQuad)(out + 4 * i));
        }
    }
}

// y = D^-T (y - B^T y(rows below))
static void TYPED(backward)(const SolveFront *f)
{
    REAL *own = f->own, *t = f->work, out[4 * FRONT_PAD * MOST_TILES];
    size_t n = (size_t)frontPad(f->columns), stride = (size_t)frontPad(f->rows);
    REAL *planes = t + 4 * n;
    TYPED(toPlanes)(f->vector, f->row, f->rows, planes);
    TYPED(dotColumns)(f->below, stride, f->columns, planes, stride, (int)stride, own, t);
    for (int r = 0, rows = 0; r < f->columns; r += rows)
    {
        rows = TYPED(axpyRows)((const REAL *)f->upper + r, n, t, r, f->columns, f->columns - r, out);
        for (int i = 0; i < rows; ++i)
            TYPED(storeQuad)(own + 4 * (r + i), TYPED(loadQuad)(out + 4 * i));
    }
}

#undef LANE
#undef MASK
#undef QUAD
#undef QUADS
#undef LANES
#undef MOST_TILES
#undef LOW
#undef HIGH
#undef LOW_PAIR
#undef HIGH_PAIR
#undef STAY
#undef SWAP
#undef STAY_PAIR
#undef SWAP_PAIR
