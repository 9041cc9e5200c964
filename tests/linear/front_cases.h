// Matrices for tests of the fronts: patterns from a single vertex to a large core, and a dense Cholesky in plain loops.
#ifndef TESTS_LINEAR_FRONT_CASES_H
#define TESTS_LINEAR_FRONT_CASES_H

#include "check.h"
#include "linear/front_factor.h"
#include "refuse.h"

#include <stdlib.h>

#define LARGEST 700 // vertices

typedef enum Pattern
{
    ONE,
    ALONE, // no couplings
    ISLANDS,
    CHAIN,
    STAR,
    CLIQUE,
    GRID7,
    GRID27,
    RANDOM,
    FULL_ROWS,
    CORE, // its top front is wide: panels and threads share it
    PATTERNS
} Pattern;

// How large the graphs of a test are.
typedef struct Patterns
{
    int count[PATTERNS]; // vertices
    double chance;       // of a random coupling
    int core;            // the first vertex of the core
    int width;           // unknowns of a vertex: 1 or 3
} Patterns;

typedef struct Case
{
    Memory memory;
    Graph *graph;
    double *values; // entries of the graph x width^2
    FrontTree *tree;
    double *right;  // count x 3
    double *result; // count x 3
} Case;

static bool coupled(const Patterns *patterns, int kind, int a, int b, bool chance)
{
    int dx = abs(a % 8 - b % 8), dy = abs(a / 8 % 8 - b / 8 % 8), dz = abs(a / 64 - b / 64);
    switch (kind)
    {
    case ISLANDS:
        return a / 7 == b / 7;
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
    case FULL_ROWS:
        return chance || b == 3 || a == 64;
    case CORE:
        return chance || (b >= patterns->core && a >= patterns->core);
    default:
        return false;
    }
}

static Graph *makeGraph(Memory *memory, const Patterns *patterns, int kind)
{
    static int pairs[LARGEST * LARGEST];
    int used = 0;
    TestRandom random = { 17 };
    for (int a = 0; a < patterns->count[kind]; ++a)
    {
        for (int b = 0; b < a; ++b)
        {
            bool chance = randomUnit(&random) < patterns->chance;
            if (!coupled(patterns, kind, a, b, chance))
                continue;
            pairs[2 * used] = a;
            pairs[2 * used + 1] = b;
            used += 1;
        }
    }
    return graphCreate(memory, patterns->count[kind], pairs, used);
}

// without values
static void caseOpen(Case *c, const Patterns *patterns, int kind)
{
    c->memory = memoryMake(NULL);
    c->graph = makeGraph(&c->memory, patterns, kind);
    assert_non_null(c->graph);
    size_t count = (size_t)c->graph->count, width = (size_t)patterns->width;
    c->values = calloc(width * width * (size_t)c->graph->start[count], sizeof(double));
    c->right = calloc(3 * count, sizeof(double));
    c->result = calloc(3 * count, sizeof(double));
    TestRandom random = { 99 };
    for (size_t k = 0; k < 3 * count; ++k)
        c->right[k] = randomBetween(&random, -1, 1);
    c->tree = patterns->width == 1 ? frontTreeCreate(&c->memory, c->graph, NULL)
                                   : frontTreeCreateBlocks(&c->memory, c->graph, NULL);
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

// largest entry of a - b over the largest of b
static inline double difference(const double *a, const double *b, int count)
{
    double most = 0;
    for (int k = 0; k < count; ++k)
        most = maxReal(most, fabs(a[k] - b[k]));
    return most / largestMagnitude(b, count);
}

// ---- the reference: dense Cholesky, column by column ----------------------------------------------------------------

// l: n x n, the lower triangle of the matrix; becomes its factor
static inline void denseFactor(double *l, size_t n)
{
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
}

// x: n numbers, `stride` apart; the right-hand side becomes the solution
static inline void denseSubstitute(const double *l, size_t n, double *x, size_t stride)
{
    for (size_t i = 0; i < n; ++i)
    {
        for (size_t k = 0; k < i; ++k)
            x[stride * i] -= l[i * n + k] * x[stride * k];
        x[stride * i] /= l[i * n + i];
    }
    for (size_t i = n; i-- > 0;)
    {
        for (size_t k = i + 1; k < n; ++k)
            x[stride * i] -= l[k * n + i] * x[stride * k];
        x[stride * i] /= l[i * n + i];
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// A tree and a factor with every number of granted requests, until all are granted: nothing is leaked.
static inline void assertAllocationsMayFail(const Graph *graph, int width, FrontPrecision precision)
{
    bool made = false;
    for (int limit = 0; !made; ++limit)
    {
        assert_true(limit < 200);
        int left = limit;
        Memory memory = memoryMake(&(vvAllocator){ refuseAfter, giveBack, &left });
        FrontTree *tree =
            width == 1 ? frontTreeCreate(&memory, graph, NULL) : frontTreeCreateBlocks(&memory, graph, NULL);
        FrontFactor *factor = tree == NULL ? NULL : frontFactorCreate(&memory, tree, precision, ISA_BASE);
        made = factor != NULL;
        frontFactorDestroy(factor);
        frontTreeDestroy(tree);
        assert_int_equal(memory.blocks, 0);
        assert_int_equal(memory.bytes, 0);
    }
}

static inline void assertNoVertices(int width, FrontPrecision precision)
{
    Memory memory = memoryMake(NULL);
    Graph graph = { .memory = &memory, .count = 0, .start = (int[]){ 0 }, .row = NULL };
    FrontTree *tree =
        width == 1 ? frontTreeCreate(&memory, &graph, NULL) : frontTreeCreateBlocks(&memory, &graph, NULL);
    assert_non_null(tree);
    FrontFactor *factor = frontFactorCreate(&memory, tree, precision, ISA_BASE);
    assert_non_null(factor);
    assert_true(frontFactorCompute(factor, NULL, NULL));
    assert_true(frontFactorUpdate(factor, NULL, NULL, 0, NULL));
    frontFactorSolve(factor, NULL, NULL, NULL);
    frontFactorDestroy(factor);
    frontTreeDestroy(tree);
    assert_int_equal(memory.blocks, 0);
}

#endif
