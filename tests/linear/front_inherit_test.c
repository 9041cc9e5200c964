// Trees and factors that a changed graph inherits: vertices split, couplings go. The order is that of the base, a
// factor with the fronts of a former one is bit by bit the one that is made from scratch, and it solves.
#include "linear/front_cases.h"

static const Patterns patterns = {
    .count = { 1, 40, 400, 500, 300, 70, 512, 512, 200, 120, 600 }, .chance = 0.02, .core = 480, .width = 1
};

#define MOST 1000 // vertices
#define MOST_PAIRS 40000

// A graph as its pairs, and where its vertices came from.
typedef struct Changing
{
    int count, pairCount;
    int origin[MOST];
    int pair[2 * MOST_PAIRS];
} Changing;

static void changingOf(Changing *c, const Graph *graph)
{
    c->count = graph->count;
    c->pairCount = 0;
    for (int j = 0; j < graph->count; ++j)
    {
        c->origin[j] = j;
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            c->pair[2 * c->pairCount] = j;
            c->pair[2 * c->pairCount++ + 1] = graph->row[k];
        }
    }
}

// a copy of a vertex takes some of its couplings over, some are doubled, some go
static void split(Changing *c, TestRandom *random)
{
    int vertex = (int)(randomUnit(random) * c->count), copy = c->count++, pairs = c->pairCount, left = 0;
    c->origin[copy] = c->origin[vertex];
    for (int k = 0; k < pairs; ++k)
    {
        int a = c->pair[2 * k], b = c->pair[2 * k + 1], other = a == vertex ? b : a;
        double fate = randomUnit(random);
        if (a != vertex && b != vertex)
            other = -1;
        if (other >= 0 && fate < 0.1)
            continue;
        if (other >= 0 && fate < 0.6)
        {
            if (fate < 0.2 && c->pairCount < MOST_PAIRS)
            {
                c->pair[2 * c->pairCount] = other;
                c->pair[2 * c->pairCount++ + 1] = vertex;
            }
            a = other;
            b = copy;
        }
        c->pair[2 * left] = a;
        c->pair[2 * left++ + 1] = b;
    }
    for (int k = pairs; k < c->pairCount; ++k, ++left)
    {
        c->pair[2 * left] = c->pair[2 * k];
        c->pair[2 * left + 1] = c->pair[2 * k + 1];
    }
    c->pairCount = left;
}

// what couples two vertices does not depend on the others
static void fillValues(const Graph *graph, double *values)
{
    for (int j = 0; j < graph->count; ++j)
        values[graph->start[j]] = 1;
    for (int j = 0; j < graph->count; ++j)
    {
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            TestRandom random = { 1 + (uint64_t)j * MOST + (uint64_t)graph->row[k] };
            values[k] = randomBetween(&random, -1, 1);
            values[graph->start[j]] += 2;
            values[graph->start[graph->row[k]]] += 2;
        }
    }
}

static double residual(const Graph *graph, const double *values, const double *x, const double *b)
{
    static double r[3 * MOST];
    memcpy(r, b, 3 * (size_t)graph->count * sizeof(double));
    for (int j = 0; j < graph->count; ++j)
    {
        for (int k = graph->start[j]; k < graph->start[j + 1]; ++k)
        {
            int i = graph->row[k];
            for (int d = 0; d < 3; ++d)
            {
                r[3 * i + d] -= values[k] * x[3 * j + d];
                r[3 * j + d] -= i != j ? values[k] * x[3 * i + d] : 0;
            }
        }
    }
    return largestMagnitude(r, 3 * graph->count) / largestMagnitude(b, 3 * graph->count);
}

static void assertSame(const FrontFactor *a, const FrontFactor *b)
{
    const FrontTree *tree = a->tree;
    size_t real = a->kernels->realSize;
    for (int f = 0; f < tree->frontCount; ++f)
    {
        const Front *front = &tree->front[f];
        assert_memory_equal(a->panels[f], b->panels[f], (front[1].tiles - front->tiles) * a->sweeps->realSize);
        for (size_t j = 0; j < (size_t)front->rows; ++j)
        {
            size_t offset = (j * (size_t)frontPad(front->rows) + j) * real;
            assert_memory_equal((char *)a->remainder[f] + offset, (char *)b->remainder[f] + offset,
                                ((size_t)front->rows - j) * real);
        }
    }
}

// the columns of an inherited tree are those of the base, each with its copies behind it
static void checkOrder(const FrontTree *tree, const FrontTree *base, const int *origin)
{
    int at = -1;
    for (int k = 0; k < tree->count; ++k)
    {
        bool next = at < 0 || origin[tree->order[k]] != base->order[at];
        at += next;
        assert_true(at < base->count && origin[tree->order[k]] == base->order[at]);
    }
    assert_int_equal(at, base->count - 1);
}

static void testSameBits(void **state)
{
    (void)state;
    static Changing changing;
    for (int run = 0; run < 2 * PATTERNS; ++run)
    {
        int kind = run / 2;
        FrontPrecision precision = run % 2 ? FRONT_ROUNDED : FRONT_SINGLE;
        Case c;
        caseOpen(&c, &patterns, kind);
        fillValues(c.graph, c.values);
        FrontFactor *former = makeFactor(&c, precision, isaBest());
        Workers *workers = workersCreate(&c.memory, 1 + run % 3, NULL);
        assert_true(frontFactorCompute(former, c.values, workers));
        changingOf(&changing, c.graph);
        TestRandom random = { 3 + (uint64_t)kind };
        Graph *formerGraph = NULL;
        FrontTree *formerTree = NULL;
        for (int round = 0; round < 6; ++round)
        {
            for (int k = 0; k < 1 << round; ++k)
                split(&changing, &random);
            Graph *graph = graphCreate(&c.memory, changing.count, changing.pair, changing.pairCount);
            FrontTree *tree = frontTreeInherit(&c.memory, graph, c.tree, changing.origin);
            assert_non_null(tree);
            checkOrder(tree, c.tree, changing.origin);
            double *values = calloc((size_t)graph->start[graph->count], sizeof(double));
            fillValues(graph, values);
            FrontFactor *fresh = frontFactorCreate(&c.memory, tree, precision, isaBest());
            FrontFactor *next = frontFactorCreateFrom(&c.memory, tree, precision, isaBest(), former);
            assert_true(frontFactorCompute(fresh, values, NULL));
            assert_true(frontFactorComputeFrom(next, values, former, workers));
            assertSame(next, fresh);
            static double right[3 * MOST], result[3 * MOST];
            for (int k = 0; k < 3 * graph->count; ++k)
                right[k] = randomBetween(&random, -1, 1);
            frontFactorSolve(next, right, result, workers);
            CHECK_BELOW(residual(graph, values, result, right), 1e-4); // float32, condition number about 100
            free(values);
            frontFactorDestroy(fresh);
            frontFactorDestroy(former);
            frontTreeDestroy(formerTree);
            graphDestroy(formerGraph);
            former = next;
            formerTree = tree;
            formerGraph = graph;
        }
        frontFactorDestroy(former);
        frontTreeDestroy(formerTree);
        graphDestroy(formerGraph);
        workersDestroy(workers);
        caseFree(&c);
    }
}

// What is scribbled into a front of the former factor that the change does not reach is found in the next one.
static void testFrontsServeAgain(void **state)
{
    (void)state;
    Case c;
    caseOpen(&c, &patterns, GRID27);
    fillValues(c.graph, c.values);
    FrontFactor *former = makeFactor(&c, FRONT_SINGLE, isaBest());
    assert_true(frontFactorCompute(former, c.values, NULL));
    for (int f = 0; f < c.tree->frontCount; ++f)
        *(float *)former->panels[f] = 12345;
    FrontFactor *next = frontFactorCreateFrom(&c.memory, c.tree, FRONT_SINGLE, isaBest(), former);
    c.values[c.graph->start[c.tree->order[0]]] *= 2;
    assert_true(frontFactorComputeFrom(next, c.values, former, NULL));
    int kept = 0;
    for (int f = 0; f < c.tree->frontCount; ++f)
        kept += *(float *)next->panels[f] == 12345;
    for (int f = 0; f != FRONT_NONE; f = c.tree->front[f].parent)
        assert_true(*(float *)next->panels[f] != 12345);
    if (kept < 3)
        fail_msg("%d of %d fronts were kept", kept, c.tree->frontCount);
    frontFactorDestroy(former);
    frontFactorDestroy(next);
    caseFree(&c);
}

// Many small changes in a row: fronts stay where they are, until too much memory would be held; then they are copied.
// In between some columns change as they do where a vertex is pinned. Always the bits of a factor from scratch.
static void testManyChangesInARow(void **state)
{
    (void)state;
    static Changing changing;
    Case c;
    caseOpen(&c, &patterns, GRID27);
    fillValues(c.graph, c.values);
    FrontFactor *former = makeFactor(&c, FRONT_SINGLE, isaBest());
    assert_true(frontFactorCompute(former, c.values, NULL));
    changingOf(&changing, c.graph);
    TestRandom random = { 11 };
    FrontTree *trees[40] = { NULL };
    int alone = 0, merged = 0, inPlace = 0, blocks = 1;
    for (int round = 0; round < 40; ++round)
    {
        if (round < 20 || round % 4 == 0) // else values alone change
            split(&changing, &random);
        Graph *graph = graphCreate(&c.memory, changing.count, changing.pair, changing.pairCount);
        FrontTree *tree = trees[round] = frontTreeInherit(&c.memory, graph, c.tree, changing.origin);
        assert_non_null(tree);
        double *values = calloc((size_t)graph->start[graph->count], sizeof(double));
        fillValues(graph, values);
        FrontFactor *fresh = frontFactorCreate(&c.memory, tree, FRONT_SINGLE, isaBest());
        FrontFactor *next = frontFactorCreateFrom(&c.memory, tree, FRONT_SINGLE, isaBest(), former);
        assert_true(frontFactorComputeFrom(next, values, former, NULL));
        frontFactorDestroy(former);
        alone += next->blockCount == 1;
        merged += next->blockCount == 2 && blocks == FRONT_MOST_BLOCKS;
        inPlace += next->blockCount > 1;
        blocks = next->blockCount;
        size_t held = 0;
        for (int b = 0; b < blocks; ++b)
            held += next->blockBytes[b];
        CHECK_BELOW((double)held, 1.5 * (double)fresh->blockBytes[0]);
        assert_true(frontFactorCompute(fresh, values, NULL));
        assertSame(next, fresh);
        int vertex = (int)(randomUnit(&random) * graph->count);
        values[graph->start[vertex]] *= 3;
        assert_true(frontFactorCompute(fresh, values, NULL));
        assert_true(frontFactorUpdate(next, values, &vertex, 1, NULL));
        assertSame(next, fresh);
        free(values);
        frontFactorDestroy(fresh);
        graphDestroy(graph);
        former = next;
    }
    if (alone < 1 || merged < 1 || inPlace < 20)
        fail_msg("all fronts were copied %d times, those of small blocks %d times; some stayed %d times", alone, merged,
                 inPlace);
    frontFactorDestroy(former);
    for (int round = 0; round < 40; ++round)
        frontTreeDestroy(trees[round]);
    caseFree(&c);
}

// A coupling goes and nothing else, not even the diagonal, changes: the front that had it is made anew.
static void testCouplingsThatGo(void **state)
{
    (void)state;
    static Changing changing;
    Case c;
    caseOpen(&c, &patterns, GRID27);
    fillValues(c.graph, c.values);
    changingOf(&changing, c.graph);
    for (int gone = 0; gone < changing.pairCount; gone += 3)
    {
        FrontFactor *former = makeFactor(&c, FRONT_SINGLE, isaBest());
        assert_true(frontFactorCompute(former, c.values, NULL));
        int last = changing.pairCount - 1;
        int a = changing.pair[2 * gone], b = changing.pair[2 * gone + 1];
        memmove(changing.pair + 2 * gone, changing.pair + 2 * gone + 2, 2 * sizeof(int) * (size_t)(last - gone));
        Graph *graph = graphCreate(&c.memory, changing.count, changing.pair, last);
        FrontTree *tree = frontTreeInherit(&c.memory, graph, c.tree, changing.origin);
        double *values = calloc((size_t)graph->start[graph->count], sizeof(double));
        fillValues(graph, values);
        for (int v = 0; v < graph->count; ++v)
            values[graph->start[v]] = c.values[c.graph->start[v]];
        FrontFactor *next = frontFactorCreateFrom(&c.memory, tree, FRONT_SINGLE, isaBest(), former);
        FrontFactor *fresh = frontFactorCreate(&c.memory, tree, FRONT_SINGLE, isaBest());
        assert_true(frontFactorComputeFrom(next, values, former, NULL));
        assert_true(frontFactorCompute(fresh, values, NULL));
        assertSame(next, fresh);
        memmove(changing.pair + 2 * gone + 2, changing.pair + 2 * gone, 2 * sizeof(int) * (size_t)(last - gone));
        changing.pair[2 * gone] = a;
        changing.pair[2 * gone + 1] = b;
        frontFactorDestroy(former);
        frontFactorDestroy(next);
        frontFactorDestroy(fresh);
        frontTreeDestroy(tree);
        graphDestroy(graph);
        free(values);
    }
    caseFree(&c);
}

// Two leaves of the base that a new coupling joins have no place in its fronts.
static void testWhatDoesNotFit(void **state)
{
    (void)state;
    static Changing changing;
    Case c;
    caseOpen(&c, &patterns, GRID7);
    changingOf(&changing, c.graph);
    int first = c.tree->order[0], second = -1;
    for (int f = 1; f < c.tree->frontCount && second < 0; ++f)
    {
        bool above = false;
        for (int p = 0; p != FRONT_NONE; p = c.tree->front[p].parent)
            above |= p == f;
        second = above ? -1 : c.tree->order[c.tree->front[f].first];
    }
    assert_true(second >= 0);
    changing.pair[2 * changing.pairCount] = first;
    changing.pair[2 * changing.pairCount++ + 1] = second;
    Graph *graph = graphCreate(&c.memory, changing.count, changing.pair, changing.pairCount);
    assert_null(frontTreeInherit(&c.memory, graph, c.tree, changing.origin));
    graphDestroy(graph);
    caseFree(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSameBits),          cmocka_unit_test(testFrontsServeAgain),
        cmocka_unit_test(testManyChangesInARow), cmocka_unit_test(testCouplingsThatGo),
        cmocka_unit_test(testWhatDoesNotFit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
