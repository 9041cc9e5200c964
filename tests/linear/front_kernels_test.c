#include "check.h"

#include "base/system.h"
#include "linear/front_kernels.h"

#include <stdlib.h>

// Every vector kernel against plain loops in double, on fronts of awkward sizes, for every table this machine can run.

#define TABLES 6
#define MOST 160 // columns or rows of a front, padded

static int tables(const FrontKernels *list[TABLES])
{
    int count = 0;
    list[count++] = &frontSingle_base;
    list[count++] = &frontDouble_base;
#if defined(VERVE_ISA_AVX2)
    if (isaAvailable(ISA_AVX2))
    {
        list[count++] = &frontSingle_avx2;
        list[count++] = &frontDouble_avx2;
    }
#endif
#if defined(VERVE_ISA_AVX512)
    if (isaAvailable(ISA_AVX512))
    {
        list[count++] = &frontSingle_avx512;
        list[count++] = &frontDouble_avx512;
    }
#endif
    return count;
}

static double tolerance(const FrontKernels *k)
{
    return k->realSize == sizeof(float) ? 2e-5 : 1e-13;
}

static double get(const FrontKernels *k, const void *array, size_t index)
{
    return k->realSize == sizeof(float) ? (double)((const float *)array)[index] : ((const double *)array)[index];
}

static void set(const FrontKernels *k, void *array, size_t index, double value)
{
    if (k->realSize == sizeof(float))
        ((float *)array)[index] = (float)value;
    else
        ((double *)array)[index] = value;
}

static void *reals(const FrontKernels *k, size_t count)
{
    size_t bytes = (count * k->realSize + 63) / 64 * 64 + 64;
    void *block = systemAllocate(bytes, 64);
    memset(block, 0, bytes);
    return block;
}

// ---- the front ------------------------------------------------------------------------------------------------------

typedef struct Plain // the same front in double, without padding
{
    double d[MOST][MOST]; // [row][column], lower triangle
    double b[MOST][MOST]; // [row][column]
    double c[MOST][MOST]; // [row][column], lower triangle
    double u[MOST][MOST]; // D^-T of the diagonal blocks, [row][column], upper triangle
} Plain;

static Plain plain; // too large for a stack

static DenseFront makeFront(const FrontKernels *k, int columns, int rows)
{
    DenseFront f = {
        .columns = columns, .rows = rows, .columnStride = (size_t)frontPad(columns), .rowStride = (size_t)frontPad(rows)
    };
    f.diagonal = reals(k, f.columnStride * f.columnStride);
    f.pivot = reals(k, f.columnStride);
    f.upper = reals(k, (size_t)columns * FRONT_BLOCK);
    f.below = reals(k, (size_t)columns * f.rowStride);
    f.remainder = reals(k, (size_t)rows * f.rowStride);
    return f;
}

static void freeFront(DenseFront *f)
{
    systemRelease(f->diagonal);
    systemRelease(f->pivot);
    systemRelease(f->upper);
    systemRelease(f->below);
    systemRelease(f->remainder);
}

// random entries through addEntries: a dominant diagonal, the rest in [-1, 1]
static void fillFront(const FrontKernels *k, const DenseFront *f, TestRandom *random)
{
    static FrontEntry entry[MOST * MOST * 2];
    static double values[MOST * MOST * 2];
    int used = 0;
    const double scale = 0.25;
    for (int j = 0; j < f->columns; ++j)
    {
        for (int i = j; i < f->columns; ++i, ++used)
        {
            values[used] = i == j ? 4.0 * (f->columns + f->rows) : 4 * randomBetween(random, -1, 1);
            entry[used] = (FrontEntry){ (uint32_t)((size_t)j * f->columnStride + (size_t)i), used };
            plain.d[i][j] = scale * values[used];
        }
    }
    int inside = used;
    for (int j = 0; j < f->columns; ++j)
    {
        for (int i = 0; i < f->rows; ++i, ++used)
        {
            values[used] = 4 * randomBetween(random, -1, 1);
            entry[used] = (FrontEntry){ (uint32_t)((size_t)j * f->rowStride + (size_t)i), used };
            plain.b[i][j] = scale * values[used];
        }
    }
    memset(plain.c, 0, sizeof plain.c);
    k->clear(f);
    k->addEntries(f, entry, inside, used, values, scale);
}

// a child over every second row of the front
static void addRandomChild(const FrontKernels *k, const DenseFront *f, TestRandom *random, bool remainder)
{
    static int relative[2 * MOST];
    DenseChild child = { .relative = relative };
    for (int r = 0; r < f->columns + f->rows; r += 2)
    {
        relative[child.rows++] = r;
        child.parentRows += r < f->columns;
    }
    size_t stride = (size_t)frontPad(child.rows);
    void *c = reals(k, (size_t)child.rows * stride);
    for (int j = 0; j < child.rows; ++j)
    {
        for (int i = j; i < child.rows; ++i)
        {
            double value = randomBetween(random, -0.5, 0.5);
            int row = relative[i], column = relative[j], n = f->columns;
            set(k, c, (size_t)j * stride + (size_t)i, value);
            if (remainder && column >= n)
                plain.c[row - n][column - n] += value;
            else if (!remainder && column < n)
                *(row < n ? &plain.d[row][column] : &plain.b[row - n][column]) += value;
        }
    }
    child.remainder = c;
    if (remainder)
        k->addRemainder(f, &child);
    else
        k->addChild(f, &child);
    systemRelease(c);
}

static void eliminatePlain(const DenseFront *f)
{
    int n = f->columns, m = f->rows;
    for (int j = 0; j < n; ++j)
    {
        for (int i = j; i < n; ++i)
        {
            for (int t = 0; t < j; ++t)
                plain.d[i][j] -= plain.d[i][t] * plain.d[j][t];
            plain.d[i][j] = i == j ? sqrt(plain.d[i][j]) : plain.d[i][j] / plain.d[j][j];
        }
        for (int i = 0; i < m; ++i)
        {
            for (int t = 0; t < j; ++t)
                plain.b[i][j] -= plain.b[i][t] * plain.d[j][t];
            plain.b[i][j] /= plain.d[j][j];
        }
        for (int i = 0; i <= j; ++i)
        {
            plain.u[i][j] = i == j;
            for (int t = i; t < j; ++t)
                plain.u[i][j] -= plain.u[i][t] * plain.d[j][t];
            plain.u[i][j] /= plain.d[j][j];
        }
    }
    for (int j = 0; j < m; ++j)
        for (int i = j; i < m; ++i)
            for (int t = 0; t < n; ++t)
                plain.c[i][j] -= plain.b[i][t] * plain.b[j][t];
}

static void checkFront(const FrontKernels *k, const DenseFront *f)
{
    double limit = tolerance(k) * 10;
    for (int j = 0; j < f->columns; ++j)
    {
        size_t d = (size_t)j * f->columnStride, b = (size_t)j * f->rowStride;
        for (int i = j; i < f->columns; ++i)
            CHECK_NEAR(get(k, f->diagonal, d + (size_t)i), plain.d[i][j], limit);
        for (int i = 0; i < f->rows; ++i)
            CHECK_NEAR(get(k, f->below, b + (size_t)i), plain.b[i][j], limit);
        int block = j / FRONT_BLOCK * FRONT_BLOCK;
        size_t u = (size_t)j * FRONT_BLOCK;
        for (int i = block; i <= j; ++i)
            CHECK_NEAR(get(k, f->upper, u + (size_t)(i - block)), plain.u[i][j], limit);
        // padding: exact zeros, the solve multiplies by them
        for (int i = j + 1; i < block + FRONT_BLOCK; ++i)
            assert_true(get(k, f->upper, u + (size_t)(i - block)) == 0);
        for (size_t i = (size_t)f->rows; i < f->rowStride; ++i)
            assert_true(get(k, f->below, b + i) == 0);
        CHECK_NEAR(get(k, f->pivot, (size_t)j) * plain.d[j][j], 1, limit);
    }
    for (int j = 0; j < f->rows; ++j)
        for (int i = j; i < f->rows; ++i)
            CHECK_NEAR(get(k, f->remainder, (size_t)j * f->rowStride + (size_t)i), plain.c[i][j], limit);
}

static const int sizes[][2] = { { 1, 0 },   { 1, 1 },   { 3, 17 },  { 7, 48 },  { 8, 5 },    { 15, 33 },  { 16, 16 },
                                { 17, 64 }, { 31, 79 }, { 49, 50 }, { 95, 31 }, { 130, 97 }, { 12, 144 }, { 64, 0 } };
#define SIZES ((int)(sizeof sizes / sizeof sizes[0]))

static void testElimination(void **state)
{
    (void)state;
    const FrontKernels *list[TABLES];
    for (int t = 0, count = tables(list); t < count; ++t)
    {
        const FrontKernels *k = list[t];
        for (int s = 0; s < SIZES; ++s)
        {
            TestRandom random = { 31 + (uint64_t)s };
            DenseFront f = makeFront(k, sizes[s][0], sizes[s][1]);
            // whatever stood there before must not matter
            for (size_t i = 0; i < (size_t)f.columns * FRONT_BLOCK; ++i)
                set(k, f.upper, i, 7);
            fillFront(k, &f, &random);
            addRandomChild(k, &f, &random, false);
            assert_true(k->factorDiagonal(&f));
            // rows in two ranges, the later first
            int rows = (int)f.rowStride, half = minInt(rows, 48);
            k->factorRows(&f, half, rows);
            k->factorRows(&f, 0, half);
            k->invertBlocks(&f);
            k->remainderRows(&f, half, rows);
            k->remainderRows(&f, 0, half);
            eliminatePlain(&f);
            addRandomChild(k, &f, &random, true);
            checkFront(k, &f);
            freeFront(&f);
        }
    }
}

static void testPivots(void **state)
{
    (void)state;
    const double bad[] = { 0, -1, (double)NAN, (double)INFINITY };
    const FrontKernels *list[TABLES];
    for (int t = 0, count = tables(list); t < count; ++t)
    {
        for (int b = 0; b < 4; ++b)
        {
            const FrontKernels *k = list[t];
            TestRandom random = { 3 };
            DenseFront f = makeFront(k, 40, 0);
            fillFront(k, &f, &random);
            set(k, f.diagonal, 29 * f.columnStride + 29, bad[b]);
            assert_false(k->factorDiagonal(&f));
            freeFront(&f);
        }
    }
}

// entries so small that their products would be denormal become zero
static void testFlush(void **state)
{
    (void)state;
    const FrontKernels *list[TABLES];
    for (int t = 0, count = tables(list); t < count; ++t)
    {
        const FrontKernels *k = list[t];
        double tiny = k->realSize == sizeof(float) ? 5e-20 : 1e-151,
               small = k->realSize == sizeof(float) ? 5e-19 : 1e-149;
        DenseFront f = makeFront(k, 1, 3);
        FrontEntry entry[] = { { 0, 0 }, { 0, 1 }, { 1, 2 }, { 2, 3 } };
        const double values[] = { 1, tiny, -small, -tiny };
        k->clear(&f);
        k->addEntries(&f, entry, 1, 4, values, 1);
        assert_true(k->factorDiagonal(&f));
        k->factorRows(&f, 0, 16);
        assert_true(get(k, f.below, 0) == 0);
        CHECK_CLOSE(get(k, f.below, 1), -small, 1e-6);
        assert_true(get(k, f.below, 2) == 0);
        freeFront(&f);
    }
}

// ---- tiles ----------------------------------------------------------------------------------------------------------

static size_t tileReals(const DenseFront *f)
{
    size_t total = 0;
    for (int first = 0; first < f->columns; first += FRONT_BLOCK)
    {
        int left = f->columns - first, columns = minInt(left, FRONT_BLOCK);
        total += frontPanelReals(frontGroups(columns), frontGroups(left) - frontGroups(columns) + frontGroups(f->rows));
    }
    return total;
}

// D, the inverses of its blocks and B: anything
static void randomPanels(const FrontKernels *k, const DenseFront *f, TestRandom *random)
{
    for (int j = 0; j < f->columns; ++j)
    {
        int block = j / FRONT_BLOCK * FRONT_BLOCK;
        for (int i = j + 1; i < f->columns; ++i)
            set(k, f->diagonal, (size_t)j * f->columnStride + (size_t)i,
                plain.d[i][j] = (float)randomBetween(random, -0.3, 0.3));
        for (int i = block; i <= j; ++i)
            set(k, f->upper, (size_t)(j * FRONT_BLOCK + i - block),
                plain.u[i][j] = (float)randomBetween(random, -0.3, 0.3));
        for (int i = 0; i < f->rows; ++i)
            set(k, f->below, (size_t)j * f->rowStride + (size_t)i, plain.b[i][j] = (float)randomBetween(random, -1, 1));
    }
}

// the entry of L, or of the inverse of a diagonal block, that belongs at (row, column) of a front; rows below D from
// 4 * frontGroups(columns) on
static double plainEntry(const DenseFront *f, int row, int column)
{
    int below = row - 4 * frontGroups(f->columns);
    if (column >= f->columns || below >= f->rows || (below < 0 && row >= f->columns))
        return 0;
    if (below >= 0)
        return plain.b[below][column];
    if (row / FRONT_BLOCK > column / FRONT_BLOCK)
        return plain.d[row][column];
    return column <= row ? plain.u[column][row] : 0;
}

static void checkTiles(const FrontKernels *k, const DenseFront *f, const void *tiles)
{
    int rows = 4 * (frontGroups(f->columns) + frontGroups(f->rows));
    size_t at = 0;
    for (int first = 0; first < f->columns; first += FRONT_BLOCK)
    {
        int end = minInt(first + FRONT_BLOCK, 4 * frontGroups(f->columns));
        for (int row = first; row < rows; row += 4)
            for (int column = first; column < end && column <= row; column += 4)
                for (int i = 0; i < 16; ++i, ++at)
                    assert_true(get(k, tiles, at) == plainEntry(f, row + i / 4, column + i % 4));
    }
    assert_int_equal(at, tileReals(f));
}

static void testPack(void **state)
{
    (void)state;
    const FrontKernels *list[TABLES];
    for (int t = 0, count = tables(list); t < count; ++t)
    {
        const FrontKernels *k = list[t];
        for (int s = 0; s < SIZES; ++s)
        {
            TestRandom random = { 77 + (uint64_t)s };
            DenseFront f = makeFront(k, sizes[s][0], sizes[s][1]);
            int panels = (f.columns + FRONT_BLOCK - 1) / FRONT_BLOCK, half = panels / 2;
            void *tiles = reals(k, tileReals(&f));
            randomPanels(k, &f, &random);
            memset(tiles, 7, tileReals(&f) * k->realSize);
            k->pack(&f, half, panels, tiles);
            k->pack(&f, 0, half, tiles);
            checkTiles(k, &f, tiles);
            // to float, which holds these numbers exactly
            memset(tiles, 7, tileReals(&f) * k->realSize);
            k->packRounded(&f, 0, panels, tiles);
            checkTiles(&frontSingle_base, &f, tiles);
            systemRelease(tiles);
            freeFront(&f);
        }
    }
}

static void testRounding(void **state)
{
    (void)state;
    const FrontKernels *list[TABLES];
    for (int t = 0, count = tables(list); t < count; ++t)
    {
        const FrontKernels *k = list[t];
        if (k->realSize == sizeof(float))
            continue;
        DenseFront f = makeFront(k, 1, 5);
        const double from[] = { 1.5 + 1e-12, 5e-20, -5e-20, -3e-19, 1e-300 };
        const float to[] = { 1.5f, 0, 0, -3e-19f, 0 };
        float tiles[48];
        set(k, f.upper, 0, 1);
        for (size_t i = 0; i < 5; ++i)
            set(k, f.below, i, from[i]);
        k->packRounded(&f, 0, 1, tiles);
        assert_true(tiles[0] == 1);
        for (size_t i = 0; i < 5; ++i)
            assert_true(tiles[16 + 4 * i] == to[i]);
        freeFront(&f);
    }
}

// ---- the sweeps -----------------------------------------------------------------------------------------------------

// a vector and where the columns and rows of a front stand in it: columns first, rows backwards after a gap, then the
// vertex that fills up
typedef struct Places
{
    int slot[3 * MOST];
    int zero;
    int count; // vertices
} Places;

static Places makePlaces(const DenseFront *f)
{
    Places p = { .count = 0 };
    int own = 4 * frontGroups(f->columns), below = 4 * frontGroups(f->rows);
    p.zero = own + 2 + f->rows;
    p.count = p.zero + 1;
    for (int i = 0; i < own; ++i)
        p.slot[i] = i;
    for (int i = 0; i < below; ++i)
        p.slot[own + i] = i < f->rows ? own + 2 + f->rows - 1 - i : p.zero;
    return p;
}

static void randomVector(const FrontKernels *k, const DenseFront *f, const Places *p, void *vector, double plainly[][3],
                         TestRandom *random)
{
    for (int v = 0; v < p->count; ++v)
    {
        bool fills = v == p->zero || (v >= f->columns && v < 4 * frontGroups(f->columns));
        for (int d = 0; d < 3; ++d)
            set(k, vector, 4 * (size_t)v + (size_t)d, plainly[v][d] = fills ? 0 : (float)randomBetween(random, -1, 1));
    }
}

// panel by panel: y = D^-1 y, then y -= L y below
static void forwardPlain(const DenseFront *f, const Places *p, double y[][3], int d)
{
    int rows = 4 * (frontGroups(f->columns) + frontGroups(f->rows));
    for (int first = 0; first < f->columns; first += FRONT_BLOCK)
    {
        double t[FRONT_BLOCK] = { 0 };
        int end = minInt(first + FRONT_BLOCK, f->columns),
            next = minInt(first + FRONT_BLOCK, 4 * frontGroups(f->columns));
        for (int i = first; i < end; ++i)
            for (int j = first; j <= i; ++j)
                t[i - first] += plainEntry(f, i, j) * y[j][d];
        for (int i = first; i < end; ++i)
            y[i][d] = t[i - first];
        for (int i = next; i < rows; ++i)
            for (int j = first; j < end; ++j)
                y[p->slot[i]][d] -= plainEntry(f, i, j) * y[j][d];
    }
}

static void backwardPlain(const DenseFront *f, const Places *p, double y[][3], int d)
{
    int rows = 4 * (frontGroups(f->columns) + frontGroups(f->rows));
    for (int first = (f->columns - 1) / FRONT_BLOCK * FRONT_BLOCK; first >= 0; first -= FRONT_BLOCK)
    {
        double t[FRONT_BLOCK] = { 0 };
        int end = minInt(first + FRONT_BLOCK, f->columns),
            next = minInt(first + FRONT_BLOCK, 4 * frontGroups(f->columns));
        for (int j = first; j < end; ++j)
            for (int i = next; i < rows; ++i)
                y[j][d] -= plainEntry(f, i, j) * y[p->slot[i]][d];
        for (int j = first; j < end; ++j)
            for (int i = j; i < end; ++i)
                t[j - first] += plainEntry(f, i, j) * y[i][d];
        for (int j = first; j < end; ++j)
            y[j][d] = t[j - first];
    }
}

static void checkVector(const FrontKernels *k, const Places *p, const void *vector, double plainly[][3])
{
    for (int v = 0; v < p->count; ++v)
        for (int d = 0; d < 3; ++d)
            CHECK_NEAR(get(k, vector, 4 * (size_t)v + (size_t)d), plainly[v][d], 50 * tolerance(k));
}

static void testSweeps(void **state)
{
    (void)state;
    const FrontKernels *list[TABLES];
    for (int t = 0, count = tables(list); t < count; ++t)
    {
        const FrontKernels *k = list[t];
        for (int s = 0; s < SIZES; ++s)
        {
            TestRandom random = { 8 + (uint64_t)s };
            DenseFront dense = makeFront(k, sizes[s][0], sizes[s][1]);
            Places places = makePlaces(&dense);
            static double plainly[3 * MOST][3];
            int columns = frontGroups(dense.columns), rows = frontGroups(dense.rows);
            size_t total = tileReals(&dense);
            void *tiles = reals(k, total), *vector = reals(k, 4 * (size_t)places.count);
            randomPanels(k, &dense, &random);
            k->pack(&dense, 0, (dense.columns + FRONT_BLOCK - 1) / FRONT_BLOCK, tiles);
            SolveFront f = { columns, rows, tiles, (char *)tiles + total * k->realSize, places.slot, vector, vector };

            randomVector(k, &dense, &places, vector, plainly, &random);
            k->points.forward(&f);
            for (int d = 0; d < 3; ++d)
                forwardPlain(&dense, &places, plainly, d);
            checkVector(k, &places, vector, plainly);

            randomVector(k, &dense, &places, vector, plainly, &random);
            k->points.backward(&f);
            for (int d = 0; d < 3; ++d)
                backwardPlain(&dense, &places, plainly, d);
            checkVector(k, &places, vector, plainly);
            systemRelease(tiles);
            systemRelease(vector);
            freeFront(&dense);
        }
    }
}

static void testInAndOut(void **state)
{
    (void)state;
    enum
    {
        COUNT = 21
    };
    const FrontKernels *list[TABLES];
    for (int t = 0, count = tables(list); t < count; ++t)
    {
        const FrontKernels *k = list[t];
        // at the very end of a block: reading too far is seen by the sanitizers
        double *right = malloc(3 * COUNT * sizeof(double)), *result = malloc(3 * COUNT * sizeof(double));
        int order[COUNT], touch[COUNT];
        TestRandom random = { 12 };
        for (int i = 0; i < COUNT; ++i)
        {
            order[i] = (i * 8 + 5) % COUNT;
            touch[i] = COUNT - 1 - i;
        }
        for (int i = 0; i < 3 * COUNT; ++i)
            right[i] = (float)randomBetween(&random, -1, 1);
        right[40] = -7;
        assert_true(k->largest(right, 3 * COUNT) == 7);
        right[62] = 9;
        assert_true(k->largest(right, 3 * COUNT) == 9);
        assert_true(k->largest(right, 0) == 0);

        // a place that belongs to no vertex gets zeros and gives nothing
        void *vector = reals(k, 4 * COUNT), *other = reals(k, 4 * COUNT);
        k->points.load(right, order, COUNT, COUNT - 1, 0.5, vector);
        for (size_t i = 0; i < COUNT; ++i)
            for (size_t d = 0; d < 3; ++d)
                assert_true(get(k, vector, 4 * i + d) == 0.5 * right[3 * (size_t)order[i] + d]);
        k->points.store(vector, order, COUNT, 2, result);
        assert_memory_equal(result, right, 3 * COUNT * sizeof(double));
        const int none = FRONT_NONE;
        set(k, other, 1, 5);
        k->points.load(right, &none, 1, COUNT - 1, 1, other);
        assert_true(get(k, other, 0) == 0 && get(k, other, 1) == 0 && get(k, other, 2) == 0);
        k->points.store(other, &none, 1, 1, result);
        assert_memory_equal(result, right, 3 * COUNT * sizeof(double));
        k->points.copyTouched(vector, touch, COUNT, other);
        k->points.addTouched(other, touch, COUNT, vector);
        for (size_t i = 0; i < COUNT; ++i)
        {
            for (size_t d = 0; d < 3; ++d)
            {
                assert_true(get(k, vector, 4 * i + d) == right[3 * (size_t)order[i] + d]);
                assert_true(get(k, other, 4 * i + d) == 0.5 * right[3 * (size_t)order[COUNT - 1 - i] + d]);
            }
        }
        systemRelease(vector);
        systemRelease(other);
        free(right);
        free(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testElimination), cmocka_unit_test(testPivots),   cmocka_unit_test(testFlush),
        cmocka_unit_test(testPack),        cmocka_unit_test(testRounding), cmocka_unit_test(testSweeps),
        cmocka_unit_test(testInAndOut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
