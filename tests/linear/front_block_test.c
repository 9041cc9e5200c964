// Matrices of 3x3 blocks through the fronts: against a dense Cholesky in plain loops, in every precision, instruction
// set and number of threads.
#include "linear/front_cases.h"

static const Patterns patterns = {
    .count = { 1, 30, 140, 200, 150, 41, 320, 250, 150, 90, 400 }, .chance = 0.01, .core = 310, .width = 3
};

// A sum of u u^T over the pairs, u of 6 entries, and a mass: positive definite. Blocks below the diagonal have no
// symmetry.
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

static void caseMake(Case *c, int kind, double size)
{
    caseOpen(c, &patterns, kind);
    fillValues(c->graph, c->values, size);
}

static void denseSolve(const Case *c, double *x)
{
    size_t n = 3 * (size_t)c->graph->count;
    double *l = calloc(n * n, sizeof(double));
    for (size_t j = 0; j < n / 3; ++j)
        for (int k = c->graph->start[j]; k < c->graph->start[j + 1]; ++k)
            for (size_t i = 0; i < 9; ++i)
                l[(3 * (size_t)c->graph->row[k] + i / 3) * n + 3 * j + i % 3] = c->values[9 * (size_t)k + i];
    denseFactor(l, n);
    memcpy(x, c->right, n * sizeof(double));
    denseSubstitute(l, n, x, 1);
    free(l);
}

// ---- tests ----------------------------------------------------------------------------------------------------------

// Every unknown is a column once; remainders that are in memory at the same time do not overlap.
static void testTree(void **state)
{
    (void)state;
    int tasks = 0;
    for (int kind = 0; kind < PATTERNS; ++kind)
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
    for (int kind = 0; kind < PATTERNS; ++kind)
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
    for (int kind = 0; kind < PATTERNS; ++kind)
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
                    // side by side, without a former factor
                    assert_memory_equal(factor->panels[0], base->panels[0], c.tree->storage * base->sweeps->realSize);
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
    for (int kind = 0; kind < PATTERNS; ++kind)
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

// ---- memory ---------------------------------------------------------------------------------------------------------

static void testEveryAllocationMayFail(void **state)
{
    (void)state;
    Case c;
    caseMake(&c, GRID7, 1);
    assertAllocationsMayFail(c.graph, 3, FRONT_DOUBLE);
    caseFree(&c);
}

static void testNoVertices(void **state)
{
    (void)state;
    assertNoVertices(3, FRONT_DOUBLE);
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
