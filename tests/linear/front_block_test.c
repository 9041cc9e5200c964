// Matrices of 3x3 blocks through the fronts: against a dense Cholesky in plain loops, in every precision, instruction set
// and number of threads.
#include "check.h"

#include "base/system.h"
#include "linear/front_factor.h"

#include <stdlib.h>

#define LARGEST 400

enum
{
    ONE,
    ALONE,
    CHAIN,
    STAR,
    CLIQUE,
    GRID7,
    GRID27,
    RANDOM,
    CORE, // its top front is wide: panels and threads share it
    KINDS
};

static bool coupled(int kind, int a, int b, bool chance)
{
    int dx = abs(a % 8 - b % 8), dy = abs(a / 8 % 8 - b / 8 % 8), dz = abs(a / 64 - b / 64);
    switch (kind)
    {
    case CHAIN:
        return a - b == 1;
    case STAR:
        return b == 0;
    case CLIQUE:
        return true;
    case GRID7:
        return dx + dy + dz == 1;
    case GRID27:
        return maxInt(dx, maxInt(dy, dz)) == 1;
    case RANDOM:
        return chance;
    case CORE:
        return chance || (b >= 310 && a >= 310);
    default:
        return false;
    }
}

static Graph *makeGraph(Memory *memory, int kind)
{
    static int pairs[LARGEST * LARGEST];
    const int counts[KINDS] = { 1, 30, 200, 150, 41, 320, 250, 150, 400 };
    int used = 0;
    TestRandom random = { 17 };
    for (int a = 0; a < counts[kind]; ++a)
    {
        for (int b = 0; b < a; ++b)
        {
            bool chance = randomUnit(&random) < 0.01;
            if (!coupled(kind, a, b, chance))
                continue;
            pairs[2 * used] = a;
            pairs[2 * used + 1] = b;
            used += 1;
        }
    }
    return graphCreate(memory, counts[kind], pairs, used);
}

// A sum of u u^T over the pairs, u of 6 entries, and a mass: positive definite. Blocks below the diagonal have no symmetry.
static void fillValues(const Graph *graph, double *values, double size)
{
    TestRandom random = { 5 };
    memset(values, 0, 9 * (size_t)graph->start[graph->count] * sizeof(double));
    for (int j = 0; j < graph->count; ++j)
    {
        for (int i = 0; i < 3; ++i)
            values[9 * graph->start[j] + 4 * i] += size * randomBetween(&random, 0.5, 1);
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            double u[6];
            for (int i = 0; i < 6; ++i)
                u[i] = randomBetween(&random, -1, 1);
            double *column = values + 9 * graph->start[j], *row = values + 9 * graph->start[graph->row[k]];
            for (int i = 0; i < 9; ++i)
            {
                column[i] += size * u[i / 3] * u[i % 3];
                row[i] += size * u[3 + i / 3] * u[3 + i % 3];
                values[9 * k + i] += size * u[3 + i / 3] * u[i % 3];
            }
        }
    }
}

typedef struct Case
{
    Memory memory;
    Graph *graph;
    double *values; // entries of the graph x 9
    FrontTree *tree;
    double *right, *result; // count x 3
} Case;

static void caseMake(Case *c, int kind, double size)
{
    c->memory = memoryMake(NULL);
    c->graph = makeGraph(&c->memory, kind);
    assert_non_null(c->graph);
    size_t count = (size_t)c->graph->count;
    c->values = calloc(9 * (size_t)c->graph->start[count], sizeof(double));
    c->right = calloc(3 * count, sizeof(double));
    c->result = calloc(3 * count, sizeof(double));
    fillValues(c->graph, c->values, size);
    TestRandom random = { 99 };
    for (size_t k = 0; k < 3 * count; ++k)
        c->right[k] = randomBetween(&random, -1, 1);
    c->tree = frontTreeCreateBlocks(&c->memory, c->graph, NULL);
    assert_non_null(c->tree);
}

static void caseFree(Case *c)
{
    frontTreeDestroy(c->tree);
    graphDestroy(c->graph);
    free(c->values);
    free(c->right);
    free(c->result);
    assert_int_equal(c->memory.blocks, 0);
}

static FrontFactor *makeFactor(Case *c, FrontPrecision precision, Isa isa)
{
    FrontFactor *factor = frontFactorCreate(&c->memory, c->tree, precision, isa);
    assert_non_null(factor);
    return factor;
}

// reference: dense Cholesky, column by column
static void denseSolve(const Case *c, double *x)
{
    size_t n = 3 * (size_t)c->graph->count;
    double *l = calloc(n * n, sizeof(double));
    for (size_t j = 0; j < n / 3; ++j)
        for (int k = c->graph->start[j]; k < c->graph->start[j + 1]; ++k)
            for (size_t i = 0; i < 9; ++i)
                l[(3 * (size_t)c->graph->row[k] + i / 3) * n + 3 * j + i % 3] = c->values[9 * (size_t)k + i];
    for (size_t j = 0; j < n; ++j)
    {
        for (size_t i = j; i < n; ++i)
        {
            double sum = l[i * n + j];
            for (size_t k = 0; k < j; ++k)
                sum -= l[i * n + k] * l[j * n + k];
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
    }
    memcpy(x, c->right, n * sizeof(double));
    for (size_t i = 0; i < n; ++i)
    {
        for (size_t k = 0; k < i; ++k)
            x[i] -= l[i * n + k] * x[k];
        x[i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;)
    {
        for (size_t k = i + 1; k < n; ++k)
            x[i] -= l[k * n + i] * x[k];
        x[i] /= l[i * n + i];
    }
    free(l);
}

static double difference(const double *a, const double *b, int count)
{
    double most = 0;
    for (int k = 0; k < count; ++k)
        most = maxReal(most, fabs(a[k] - b[k]));
    return most / largestMagnitude(b, count);
}

// ---- tests -----------------------------------------------------------------------------------------------------------

// Every unknown is a column once; remainders that are in memory at the same time do not overlap.
static void testTree(void **state)
{
    (void)state;
    int tasks = 0;
    for (int kind = 0; kind < KINDS; ++kind)
    {
        Case c;
        caseMake(&c, kind, 1);
        const FrontTree *tree = c.tree;
        int columns = 0;
        for (int f = 0; f < tree->frontCount; ++f)
        {
            const Front *front = &tree->front[f];
            assert_int_equal(front->first, columns);
            assert_int_equal(front->columns % 3 + front->rows % 3 + front->parentRows % 3, 0);
            columns += front->columns;
            size_t end = front->remainder + (size_t)front->rows * (size_t)frontPad(front->rows);
            assert_true(end <= tree->remainders);
            for (int g = f + 1; g < tree->frontCount && (front->parent == FRONT_NONE || g <= front->parent); ++g)
            {
                const Front *other = &tree->front[g];
                size_t otherEnd = other->remainder + (size_t)other->rows * (size_t)frontPad(other->rows);
                assert_true(front->rows == 0 || other->rows == 0 || otherEnd <= front->remainder ||
                            end <= other->remainder);
            }
        }
        assert_int_equal(columns, 3 * c.graph->count);
        tasks = maxInt(tasks, tree->taskCount);
        caseFree(&c);
    }
    assert_true(tasks > 1);
    Case clique;
    caseMake(&clique, CLIQUE, 1);
    assert_int_equal(frontTreeEntries(clique.tree), 123 * 124 / 2);
    assert_int_equal(frontTreeFlops(clique.tree), 123 * 124 * 247 / 6);
    caseFree(&clique);
}

static void testSolveAgainstDense(void **state)
{
    (void)state;
    const double tolerance[] = { 1e-4, 1e-5, 1e-12 };
    for (int kind = 0; kind < KINDS; ++kind)
    {
        Case c;
        caseMake(&c, kind, 1);
        int reals = 3 * c.graph->count;
        double *want = calloc((size_t)reals, sizeof(double));
        denseSolve(&c, want);
        for (int precision = FRONT_SINGLE; precision <= FRONT_DOUBLE; ++precision)
        {
            FrontFactor *factor = makeFactor(&c, (FrontPrecision)precision, ISA_BASE);
            assert_true(frontFactorCompute(factor, c.values, NULL));
            frontFactorSolve(factor, c.right, c.result, NULL);
            CHECK_BELOW(difference(c.result, want, reals), tolerance[precision]);
            memcpy(c.result, c.right, (size_t)reals * sizeof(double)); // in place
            frontFactorSolve(factor, c.result, c.result, NULL);
            CHECK_BELOW(difference(c.result, want, reals), tolerance[precision]);
            frontFactorDestroy(factor);
        }
        free(want);
        caseFree(&c);
    }
}

// units must not matter
static void testScale(void **state)
{
    (void)state;
    const double sizes[] = { 1e-100, 1e-12, 1e12, 1e100 };
    for (int m = 0; m < 4; ++m)
    {
        Case c, plain;
        caseMake(&c, GRID7, sizes[m]);
        caseMake(&plain, GRID7, 1);
        int reals = 3 * c.graph->count;
        double *want = calloc((size_t)reals, sizeof(double));
        denseSolve(&plain, want);
        FrontFactor *factor = makeFactor(&c, FRONT_SINGLE, isaBest());
        for (int k = 0; k < reals; ++k)
            c.right[k] *= sizes[3 - m];
        assert_true(frontFactorCompute(factor, c.values, NULL));
        frontFactorSolve(factor, c.right, c.result, NULL);
        for (int k = 0; k < reals; ++k)
            c.result[k] *= sizes[m] / sizes[3 - m];
        CHECK_BELOW(difference(c.result, want, reals), 1e-4);
        frontFactorDestroy(factor);
        free(want);
        caseFree(&c);
        caseFree(&plain);
    }
}

// of every instruction set and number of threads, without a request for memory
static void testSameBits(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind)
    {
        for (int precision = FRONT_SINGLE; precision <= FRONT_DOUBLE; ++precision)
        {
            Case c;
            caseMake(&c, kind, 1);
            size_t bytes = 3 * (size_t)c.graph->count * sizeof(double);
            double *first = malloc(bytes);
            FrontFactor *base = makeFactor(&c, (FrontPrecision)precision, ISA_BASE);
            assert_true(frontFactorCompute(base, c.values, NULL));
            frontFactorSolve(base, c.right, first, NULL);
            for (int isa = ISA_BASE; isa < ISA_COUNT; ++isa)
            {
                if (!isaAvailable((Isa)isa))
                    continue;
                Workers *workers = workersCreate(&c.memory, 2 + isa, NULL);
                FrontFactor *factor = makeFactor(&c, (FrontPrecision)precision, (Isa)isa);
                long long requests = c.memory.requests;
                for (int repeat = 0; repeat < 3; ++repeat)
                {
                    assert_true(frontFactorCompute(factor, c.values, repeat < 2 ? workers : NULL));
                    assert_memory_equal(factor->storage, base->storage, c.tree->storage * base->sweeps->realSize);
                    frontFactorSolve(factor, c.right, c.result, repeat < 2 ? workers : NULL);
                    assert_memory_equal(c.result, first, bytes);
                }
                assert_int_equal(c.memory.requests, requests);
                frontFactorDestroy(factor);
                workersDestroy(workers);
            }
            frontFactorDestroy(base);
            free(first);
            caseFree(&c);
        }
    }
}

static void testIndefiniteIsRefused(void **state)
{
    (void)state;
    const double bad[] = { 0, -1, (double)NAN, (double)INFINITY };
    for (int kind = 0; kind < KINDS; ++kind)
    {
        Case c;
        caseMake(&c, kind, 1);
        size_t reals = 3 * (size_t)c.graph->count;
        double *first = malloc(reals * sizeof(double));
        FrontFactor *factor = makeFactor(&c, FRONT_DOUBLE, isaBest());
        assert_true(frontFactorCompute(factor, c.values, NULL));
        frontFactorSolve(factor, c.right, first, NULL);
        for (int b = 0; b < 12; ++b)
        {
            int vertex = c.graph->count / 2;
            double *diagonal = &c.values[9 * c.graph->start[vertex] + 4 * (b % 3)], good = *diagonal;
            *diagonal = bad[b / 3];
            assert_false(frontFactorCompute(factor, c.values, NULL));
            *diagonal = good;
            assert_true(frontFactorUpdate(factor, c.values, &vertex, 1, NULL));
            frontFactorSolve(factor, c.right, c.result, NULL);
            assert_memory_equal(c.result, first, reals * sizeof(double));
        }
        frontFactorDestroy(factor);
        free(first);
        caseFree(&c);
    }
}

// ---- memory ----------------------------------------------------------------------------------------------------------

static int allocationsLeft;

static void *failingAllocate(size_t size, size_t alignment, void *user)
{
    (void)user;
    return allocationsLeft-- > 0 ? systemAllocate(size, alignment) : NULL;
}

static void failingRelease(void *block, size_t size, void *user)
{
    (void)size;
    (void)user;
    systemRelease(block);
}

static void testEveryAllocationMayFail(void **state)
{
    (void)state;
    Case c;
    caseMake(&c, GRID7, 1);
    vvAllocator hook = { failingAllocate, failingRelease, NULL };
    Memory memory = memoryMake(&hook);
    bool made = false;
    for (int limit = 0; !made; ++limit)
    {
        assert_true(limit < 200);
        allocationsLeft = limit;
        FrontTree *tree = frontTreeCreateBlocks(&memory, c.graph, NULL);
        FrontFactor *factor = tree == NULL ? NULL : frontFactorCreate(&memory, tree, FRONT_DOUBLE, ISA_BASE);
        made = factor != NULL;
        frontFactorDestroy(factor);
        frontTreeDestroy(tree);
        assert_int_equal(memory.blocks, 0);
        assert_int_equal(memory.bytes, 0);
    }
    caseFree(&c);
}

static void testNoVertices(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Graph graph = { .memory = &memory, .count = 0, .start = (int[]){ 0 }, .row = NULL };
    FrontTree *tree = frontTreeCreateBlocks(&memory, &graph, NULL);
    assert_non_null(tree);
    FrontFactor *factor = frontFactorCreate(&memory, tree, FRONT_DOUBLE, ISA_BASE);
    assert_non_null(factor);
    assert_true(frontFactorCompute(factor, NULL, NULL));
    frontFactorSolve(factor, NULL, NULL, NULL);
    frontFactorDestroy(factor);
    frontTreeDestroy(tree);
    assert_int_equal(memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testTree),
        cmocka_unit_test(testSolveAgainstDense),
        cmocka_unit_test(testScale),
        cmocka_unit_test(testSameBits),
        cmocka_unit_test(testIndefiniteIsRefused),
        cmocka_unit_test(testEveryAllocationMayFail),
        cmocka_unit_test(testNoVertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
