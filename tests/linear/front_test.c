#include "linear/front_cases.h"

// ---- matrices -------------------------------------------------------------------------------------------------------

static const Patterns patterns = {
    .count = { 1, 40, 400, 500, 300, 70, 512, 512, 200, 120, 700 }, .chance = 0.02, .core = 500, .width = 1
};

// Symmetric, dominated by its diagonal: condition number about 10. Scaled by `size`.
static void fillValues(const Graph *graph, double *values, uint64_t seed, double size)
{
    TestRandom random = { seed };
    static double weight[LARGEST];
    memset(weight, 0, sizeof weight);
    for (int j = 0; j < graph->count; ++j)
    {
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            values[k] = size * randomBetween(&random, -1, 1);
            weight[j] += fabs(values[k]);
            weight[graph->row[k]] += fabs(values[k]);
        }
    }
    for (int j = 0; j < graph->count; ++j)
        values[graph->start[j]] = 1.2 * weight[j] + size * randomBetween(&random, 0.5, 1);
}

static void caseMake(Case *c, int kind, double size)
{
    caseOpen(c, &patterns, kind);
    fillValues(c->graph, c->values, 5 + (uint64_t)kind, size);
}

// |A x - b| / |b|, largest entries
static double residual(const Case *c, const double *x, const double *b)
{
    const Graph *graph = c->graph;
    double *r = calloc(3 * (size_t)graph->count, sizeof(double));
    for (int j = 0; j < graph->count; ++j)
    {
        for (int k = graph->start[j]; k < graph->start[j + 1]; ++k)
        {
            int i = graph->row[k];
            for (int d = 0; d < 3; ++d)
            {
                r[3 * i + d] += c->values[k] * x[3 * j + d];
                r[3 * j + d] += i != j ? c->values[k] * x[3 * i + d] : 0;
            }
        }
    }
    double most = 0;
    for (int k = 0; k < 3 * graph->count; ++k)
        most = maxReal(most, fabs(r[k] - b[k]));
    free(r);
    return most / largestMagnitude(b, 3 * graph->count);
}

static void denseSolve(const Case *c, double *x)
{
    size_t n = (size_t)c->graph->count;
    double *l = calloc(n * n, sizeof(double));
    for (size_t j = 0; j < n; ++j)
        for (int k = c->graph->start[j]; k < c->graph->start[j + 1]; ++k)
            l[(size_t)c->graph->row[k] * n + j] = c->values[k];
    denseFactor(l, n);
    memcpy(x, c->right, 3 * n * sizeof(double));
    for (size_t d = 0; d < 3; ++d)
        denseSubstitute(l, n, x + d, 3);
    free(l);
}

// ---- same memory ----------------------------------------------------------------------------------------------------

// D^-T, B and the lower triangles of C
static void assertSameFactor(const FrontFactor *a, const FrontFactor *b)
{
    const FrontTree *tree = a->tree;
    size_t real = a->kernels->realSize;
    for (int f = 0; f < tree->frontCount; ++f)
    {
        const Front *front = &tree->front[f];
        assert_memory_equal(a->panels[f], b->panels[f], (front[1].tiles - front->tiles) * a->sweeps->realSize);
        size_t stride = (size_t)frontPad(front->rows), rows = (size_t)front->rows;
        for (size_t j = 0; j < rows; ++j)
        {
            size_t offset = (j * stride + j) * real;
            assert_memory_equal((char *)a->remainder[f] + offset, (char *)b->remainder[f] + offset, (rows - j) * real);
        }
    }
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static void testTree(void **state)
{
    (void)state;
    int tasks = 0;
    for (int kind = 0; kind < PATTERNS; ++kind)
    {
        Case c;
        caseMake(&c, kind, 1);
        const FrontTree *tree = c.tree;
        int columns = 0, entries = 0;
        double stored = 0;
        for (int f = 0; f < tree->frontCount; ++f)
        {
            const Front *front = &tree->front[f];
            assert_int_equal(front->first, columns);
            assert_true(front->parent == FRONT_NONE ? front->rows == 0 : front->parent > f);
            columns += front->columns;
            entries += front[1].entryStart - front->entryStart;
            stored += front->columns * (front->rows + 0.5 * (front->columns + 1));
            for (int k = 1; k < front->rows; ++k)
                assert_true(tree->relative[front->rowStart + k - 1] < tree->relative[front->rowStart + k]);
            if (front->rows > 0)
                assert_true(front->parentRows > 0);
        }
        assert_int_equal(columns, c.graph->count);
        assert_int_equal(entries, c.graph->start[c.graph->count]);
        assert_true(stored >= (double)frontTreeEntries(tree));
        assert_true(frontTreeFlops(tree) >= (double)frontTreeEntries(tree));
        tasks = maxInt(tasks, tree->taskCount);
        caseFree(&c);
    }
    assert_true(tasks > 1);
}

static void testCountsOfKnownPatterns(void **state)
{
    (void)state;
    Case chain, clique, star, alone;
    caseMake(&chain, CHAIN, 1);
    caseMake(&clique, CLIQUE, 1);
    caseMake(&star, STAR, 1);
    caseMake(&alone, ALONE, 1);
    assert_int_equal(frontTreeEntries(chain.tree), 2 * 500 - 1);
    assert_int_equal(frontTreeEntries(star.tree), 2 * 300 - 1);
    assert_int_equal(frontTreeEntries(clique.tree), 70 * 71 / 2);
    assert_int_equal(frontTreeEntries(alone.tree), 40);
    assert_int_equal(frontTreeFlops(clique.tree), 70 * 71 * 141 / 6);
    assert_int_equal(clique.tree->frontCount, 1);
    caseFree(&chain);
    caseFree(&clique);
    caseFree(&star);
    caseFree(&alone);
}

static void testSolveAgainstDense(void **state)
{
    (void)state;
    // condition 10: a few roundings of each precision
    const double tolerance[] = { 3e-6, 3e-6, 1e-13 };
    for (int kind = 0; kind < PATTERNS; ++kind)
    {
        Case c;
        caseMake(&c, kind, 1);
        double *want = calloc(3 * (size_t)c.graph->count, sizeof(double));
        denseSolve(&c, want);
        for (int precision = FRONT_SINGLE; precision <= FRONT_DOUBLE; ++precision)
        {
            FrontFactor *factor = makeFactor(&c, (FrontPrecision)precision, ISA_BASE);
            assert_true(frontFactorCompute(factor, c.values, NULL));
            frontFactorSolve(factor, c.right, c.result, NULL);
            CHECK_BELOW(difference(c.result, want, 3 * c.graph->count), tolerance[precision]);
            CHECK_BELOW(residual(&c, c.result, c.right), 3 * tolerance[precision]);
            assert_true(frontFactorBytes(factor) > 0);
            // in place
            memcpy(c.result, c.right, 3 * (size_t)c.graph->count * sizeof(double));
            frontFactorSolve(factor, c.result, c.result, NULL);
            CHECK_BELOW(difference(c.result, want, 3 * c.graph->count), tolerance[precision]);
            frontFactorDestroy(factor);
        }
        free(want);
        caseFree(&c);
    }
}

// units must not matter: the matrix and the right-hand side far outside of float32
static void testScale(void **state)
{
    (void)state;
    const double sizes[] = { 1e-100, 1e-30, 1e-12, 1e12, 1e30, 1e100 };
    for (int m = 0; m < 6; ++m)
    {
        for (int r = 0; r < 6; ++r)
        {
            Case c;
            caseMake(&c, GRID7, sizes[m]);
            FrontFactor *factor = makeFactor(&c, FRONT_SINGLE, isaBest());
            for (int k = 0; k < 3 * c.graph->count; ++k)
                c.right[k] *= sizes[r];
            assert_true(frontFactorCompute(factor, c.values, NULL));
            frontFactorSolve(factor, c.right, c.result, NULL);
            CHECK_BELOW(residual(&c, c.result, c.right), 1e-5);
            frontFactorDestroy(factor);
            caseFree(&c);
        }
    }
    // nothing pushes: exactly zero
    Case c;
    caseMake(&c, GRID7, 1);
    FrontFactor *factor = makeFactor(&c, FRONT_SINGLE, isaBest());
    assert_true(frontFactorCompute(factor, c.values, NULL));
    memset(c.right, 0, 3 * (size_t)c.graph->count * sizeof(double));
    frontFactorSolve(factor, c.right, c.result, NULL);
    for (int k = 0; k < 3 * c.graph->count; ++k)
        assert_true(c.result[k] == 0);
    frontFactorDestroy(factor);
    caseFree(&c);
}

// The same factor, whose tiles both solves read: a column by itself is that of the three to a few roundings.
static void testOneColumn(void **state)
{
    (void)state;
    const double tolerance[] = { 3e-6, 3e-6, 1e-13 };
    for (int kind = 0; kind < PATTERNS; ++kind)
    {
        Case c;
        caseMake(&c, kind, 1);
        int count = c.graph->count;
        double *right = calloc((size_t)count, sizeof(double)), *result = calloc((size_t)count, sizeof(double)),
               *first = calloc((size_t)count, sizeof(double)), *want = calloc((size_t)count, sizeof(double));
        for (int i = 0; i < ISA_COUNT * (FRONT_DOUBLE + 1); ++i)
        {
            Isa isa = (Isa)(i / (FRONT_DOUBLE + 1));
            int precision = i % (FRONT_DOUBLE + 1);
            if (!isaAvailable(isa))
                continue;
            FrontFactor *factor = makeFactor(&c, (FrontPrecision)precision, isa);
            assert_true(frontFactorCompute(factor, c.values, NULL));
            frontFactorSolve(factor, c.right, c.result, NULL);
            for (int v = 0; v < count; ++v)
            {
                right[v] = c.right[3 * v + 1];
                want[v] = c.result[3 * v + 1];
            }
            frontFactorSolveLine(factor, right, result, NULL);
            CHECK_BELOW(difference(result, want, count), tolerance[precision]);
            if (isa == ISA_BASE && precision == FRONT_SINGLE)
                memcpy(first, result, (size_t)count * sizeof(double));
            if (precision == FRONT_SINGLE)
                assert_memory_equal(result, first, (size_t)count * sizeof(double));
            frontFactorDestroy(factor);
        }
        free(right);
        free(result);
        free(first);
        free(want);
        caseFree(&c);
    }
}

static void testSameBitsForAllInstructionSets(void **state)
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
            for (int isa = ISA_AVX2; isa < ISA_COUNT; ++isa)
            {
                if (!isaAvailable((Isa)isa))
                    continue;
                FrontFactor *factor = makeFactor(&c, (FrontPrecision)precision, (Isa)isa);
                assert_true(frontFactorCompute(factor, c.values, NULL));
                assertSameFactor(factor, base);
                frontFactorSolve(factor, c.right, c.result, NULL);
                assert_memory_equal(c.result, first, bytes);
                frontFactorDestroy(factor);
            }
            frontFactorDestroy(base);
            free(first);
            caseFree(&c);
        }
    }
}

static void testSameBitsForAnyWorkers(void **state)
{
    (void)state;
    for (int kind = 0; kind < PATTERNS; ++kind)
    {
        Case c;
        caseMake(&c, kind, 1);
        size_t bytes = 3 * (size_t)c.graph->count * sizeof(double);
        double *first = malloc(bytes);
        FrontFactor *alone = makeFactor(&c, FRONT_SINGLE, isaBest());
        assert_true(frontFactorCompute(alone, c.values, NULL));
        frontFactorSolve(alone, c.right, first, NULL);
        for (int threads = 1; threads <= 7; ++threads)
        {
            Workers *workers = workersCreate(&c.memory, threads, NULL);
            assert_non_null(workers);
            FrontFactor *factor = makeFactor(&c, FRONT_SINGLE, isaBest());
            long long requests = c.memory.requests;
            for (int repeat = 0; repeat < 5; ++repeat)
            {
                assert_true(frontFactorCompute(factor, c.values, workers));
                assertSameFactor(factor, alone);
                frontFactorSolve(factor, c.right, c.result, workers);
                assert_memory_equal(c.result, first, bytes);
            }
            assert_int_equal(c.memory.requests, requests);
            frontFactorDestroy(factor);
            workersDestroy(workers);
        }
        frontFactorDestroy(alone);
        free(first);
        caseFree(&c);
    }
}

// a random share of the vertices, in random order
static int choose(TestRandom *random, int count, double share, int *vertex)
{
    int chosen = 0;
    for (int v = 0; v < count; ++v)
    {
        if (randomUnit(random) >= share)
            continue;
        int at = (int)(randomUnit(random) * (chosen + 1));
        vertex[chosen] = vertex[at];
        vertex[at] = v;
        chosen += 1;
    }
    return chosen;
}

// the rows of these vertices alone differ from zero; what the solve may not read is not a number
static void keepAt(const Case *c, const FrontFactor *factor, const int *vertex, int count, double *all, double *few)
{
    const FrontTree *tree = factor->tree;
    memset(all, 0, 3 * (size_t)c->graph->count * sizeof(double));
    for (int k = 0; k < count; ++k)
        memcpy(all + 3 * vertex[k], c->right + 3 * vertex[k], 3 * sizeof(double));
    for (int v = 0; v < c->graph->count; ++v)
    {
        for (int d = 0; d < 3; ++d)
            few[3 * v + d] = factor->onPath[tree->entryFront[tree->columnStart[v]]] ? all[3 * v + d] : NAN;
    }
}

// the whole right-hand side, the result at these vertices, and right^T A^-1 right
static void assertSolvesOnto(Case *c, FrontFactor *factor, const int *vertex, int count, double *want, Workers *workers)
{
    double product[3][3];
    frontFactorSolve(factor, c->right, want, workers);
    frontFactorSolveOnto(factor, c->right, c->result, product, workers);
    for (int k = 0; k < 3 * count; ++k)
        assert_true(c->result[3 * vertex[k / 3] + k % 3] == want[3 * vertex[k / 3] + k % 3]);
    for (int i = 0; i < 9; ++i)
    {
        double sum = 0, size = 0;
        for (int v = 0; v < c->graph->count; ++v)
        {
            sum += c->right[3 * v + i / 3] * want[3 * v + i % 3];
            size += fabs(c->right[3 * v + i / 3] * want[3 * v + i % 3]);
        }
        CHECK_NEAR(product[i / 3][i % 3], sum, 1e-5 * size);
    }
}

static void testSolveAtVertices(void **state)
{
    (void)state;
    TestRandom random = { 31 };
    for (int kind = 0; kind < PATTERNS; ++kind)
    {
        Case c;
        caseMake(&c, kind, 1);
        int *vertex = calloc((size_t)c.graph->count, sizeof(int));
        double *all = calloc(3 * (size_t)c.graph->count, sizeof(double)),
               *few = calloc(3 * (size_t)c.graph->count, sizeof(double)),
               *want = calloc(3 * (size_t)c.graph->count, sizeof(double));
        for (int trial = 0; trial < 60; ++trial)
        {
            Isa isa = (Isa)(trial % ((int)isaBest() + 1));
            FrontPrecision precision = (FrontPrecision)(trial / 3 % 3);
            Workers *workers = workersCreate(&c.memory, 1 + trial % 4, NULL);
            FrontFactor *factor = makeFactor(&c, precision, isa);
            int count = choose(&random, c.graph->count, pow(0.003, randomUnit(&random)), vertex);
            assert_true(frontFactorCompute(factor, c.values, workers));
            double share = frontFactorFollow(factor, vertex, count);
            assert_true(share >= 0 && share <= 1 && (share > 0) == (count > 0));
            keepAt(&c, factor, vertex, count, all, few);
            frontFactorSolve(factor, all, want, NULL);
            long long requests = c.memory.requests;
            for (int repeat = 0; repeat < 2; ++repeat) // what the vectors hold from before does not matter
            {
                frontFactorSolveAt(factor, vertex, count, few, c.result, workers);
                for (int k = 0; k < 3 * count; ++k)
                    assert_true(c.result[3 * vertex[k / 3] + k % 3] == want[3 * vertex[k / 3] + k % 3]);
            }
            assert_int_equal(c.memory.requests, requests);
            assertSolvesOnto(&c, factor, vertex, count, want, workers);
            frontFactorDestroy(factor);
            workersDestroy(workers);
        }
        free(vertex);
        free(all);
        free(few);
        free(want);
        caseFree(&c);
    }
}

// changed vertices get a weight on the diagonal, every third also other couplings
static void change(const Case *c, const double *from, double *to, const int *vertex, int count, double weight)
{
    memcpy(to, from, (size_t)c->graph->start[c->graph->count] * sizeof(double));
    for (int k = 0; k < count; ++k)
    {
        int begin = c->graph->start[vertex[k]], end = c->graph->start[vertex[k] + 1];
        to[begin] = from[begin] * weight;
        for (int e = begin + 1; k % 3 == 0 && e < end; ++e)
            to[e] = 0.5 * from[e];
    }
}

static void testUpdateIsCompute(void **state)
{
    (void)state;
    TestRandom random = { 4 };
    for (int kind = 0; kind < PATTERNS; ++kind)
    {
        for (int precision = FRONT_SINGLE; precision <= FRONT_DOUBLE; ++precision)
        {
            Case c;
            caseMake(&c, kind, 1);
            Workers *workers = workersCreate(&c.memory, 3, NULL);
            FrontFactor *updated = makeFactor(&c, (FrontPrecision)precision, isaBest());
            FrontFactor *fresh = makeFactor(&c, (FrontPrecision)precision, isaBest());
            double *values = malloc((size_t)c.graph->start[c.graph->count] * sizeof(double));
            static int vertex[LARGEST];
            assert_true(frontFactorCompute(updated, c.values, workers));
            for (int round = 0; round < 4; ++round)
            {
                int count = round == 0 ? 0 : 1 + (int)(randomUnit(&random) * randomUnit(&random) * c.graph->count);
                for (int k = 0; k < count; ++k)
                    vertex[k] = (int)(randomUnit(&random) * c.graph->count);
                // the last weights move the scale of the whole matrix when everything is changed
                change(&c, c.values, values, vertex, count, round < 3 ? 1000 : 1e30);
                assert_true(frontFactorUpdate(updated, values, vertex, count, workers));
                assert_true(frontFactorCompute(fresh, values, NULL));
                assertSameFactor(updated, fresh);
                // and off again
                assert_true(frontFactorUpdate(updated, c.values, vertex, count, NULL));
                assert_true(frontFactorCompute(fresh, c.values, NULL));
                assertSameFactor(updated, fresh);
            }
            free(values);
            frontFactorDestroy(fresh);
            frontFactorDestroy(updated);
            workersDestroy(workers);
            caseFree(&c);
        }
    }
}

static void testUpdateTouchesOnlyThePath(void **state)
{
    (void)state;
    Case c;
    caseMake(&c, GRID7, 1);
    FrontFactor *factor = makeFactor(&c, FRONT_SINGLE, isaBest());
    assert_true(frontFactorCompute(factor, c.values, NULL));
    // a front that is not on the path of the changed vertex must keep what was scribbled into it
    const FrontTree *tree = c.tree;
    int vertex = tree->order[0], other = 1;
    while (other == tree->front[0].parent)
        other += 1;
    float *panels = factor->panels[other], kept = *panels;
    *panels = 12345;
    c.values[c.graph->start[vertex]] *= 2;
    assert_true(frontFactorUpdate(factor, c.values, &vertex, 1, NULL));
    assert_true(*panels == 12345);
    *panels = kept;
    frontFactorSolve(factor, c.right, c.result, NULL);
    CHECK_BELOW(residual(&c, c.result, c.right), 1e-5);
    frontFactorDestroy(factor);
    caseFree(&c);
}

static void testIndefiniteIsRefused(void **state)
{
    (void)state;
    const double bad[] = { 0, -1, (double)NAN, (double)INFINITY };
    for (int kind = 0; kind < PATTERNS; ++kind)
    {
        for (int precision = FRONT_SINGLE; precision <= FRONT_DOUBLE; ++precision)
        {
            Case c;
            caseMake(&c, kind, 1);
            FrontFactor *factor = makeFactor(&c, (FrontPrecision)precision, isaBest());
            for (int b = 0; b < 4; ++b)
            {
                int vertex = c.graph->count / 2;
                double *diagonal = &c.values[c.graph->start[vertex]], good = *diagonal;
                assert_true(frontFactorCompute(factor, c.values, NULL));
                *diagonal = bad[b];
                assert_false(frontFactorUpdate(factor, c.values, &vertex, 1, NULL));
                assert_false(frontFactorCompute(factor, c.values, NULL));
                *diagonal = good;
                // after a refusal an update is a whole computation
                assert_true(frontFactorUpdate(factor, c.values, &vertex, 1, NULL));
                frontFactorSolve(factor, c.right, c.result, NULL);
                CHECK_BELOW(residual(&c, c.result, c.right), 1e-5);
            }
            frontFactorDestroy(factor);
            caseFree(&c);
        }
    }
}

// A free chain of stiff springs, 1e9 x stiffer than mass/h^2: the smallest eigenvalue drowns in float32.
static void testIllConditioned(void **state)
{
    (void)state;
    Case c;
    caseMake(&c, GRID27, 1);
    int lost = 0;
    for (int seed = 0; seed < 8; ++seed)
    {
        TestRandom random = { 7 + (uint64_t)seed };
        for (int j = 0; j < c.graph->count; ++j)
            c.values[c.graph->start[j]] = 1;
        for (int j = 0; j < c.graph->count; ++j)
        {
            for (int k = c.graph->start[j] + 1; k < c.graph->start[j + 1]; ++k)
            {
                double stiffness = 1e9 * randomBetween(&random, 0.1, 1);
                c.values[k] = -stiffness;
                c.values[c.graph->start[j]] += stiffness;
                c.values[c.graph->start[c.graph->row[k]]] += stiffness;
            }
        }
        FrontFactor *single = makeFactor(&c, FRONT_SINGLE, isaBest());
        FrontFactor *rounded = makeFactor(&c, FRONT_ROUNDED, isaBest());
        lost += !frontFactorCompute(single, c.values, NULL);
        assert_true(frontFactorCompute(rounded, c.values, NULL));
        // a translation: A times it is the mass alone, so the solve must give it back
        for (int k = 0; k < 3 * c.graph->count; ++k)
            c.right[k] = 1;
        frontFactorSolve(rounded, c.right, c.result, NULL);
        for (int k = 0; k < 3 * c.graph->count; ++k)
            CHECK_NEAR(c.result[k], 1, 0.3);
        frontFactorDestroy(single);
        frontFactorDestroy(rounded);
    }
    assert_true(lost > 0);
    caseFree(&c);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static void testEveryAllocationMayFail(void **state)
{
    (void)state;
    Case c;
    caseMake(&c, GRID7, 1);
    assertAllocationsMayFail(c.graph, 1, FRONT_ROUNDED);
    frontFactorDestroy(NULL);
    frontTreeDestroy(NULL);
    caseFree(&c);
}

static void testNoVertices(void **state)
{
    (void)state;
    assertNoVertices(1, FRONT_SINGLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testTree),
        cmocka_unit_test(testCountsOfKnownPatterns),
        cmocka_unit_test(testSolveAgainstDense),
        cmocka_unit_test(testScale),
        cmocka_unit_test(testOneColumn),
        cmocka_unit_test(testSameBitsForAllInstructionSets),
        cmocka_unit_test(testSameBitsForAnyWorkers),
        cmocka_unit_test(testSolveAtVertices),
        cmocka_unit_test(testUpdateIsCompute),
        cmocka_unit_test(testUpdateTouchesOnlyThePath),
        cmocka_unit_test(testIndefiniteIsRefused),
        cmocka_unit_test(testIllConditioned),
        cmocka_unit_test(testEveryAllocationMayFail),
        cmocka_unit_test(testNoVertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
