#include "check.h"

#include "base/system.h"
#include "linear/linear.h"

#include <stdlib.h>

// A hook that refuses request number `refused` and counts what is not given back.
typedef struct Hook
{
    int requests, refused, alive;
} Hook;

static void *hookAllocate(size_t size, size_t alignment, void *userData)
{
    Hook *hook = userData;
    if (hook->requests++ == hook->refused)
        return NULL;
    hook->alive += 1;
    return systemAllocate(size, alignment);
}

static void hookRelease(void *block, size_t size, void *userData)
{
    (void)size;
    ((Hook *)userData)->alive -= 1;
    systemRelease(block);
}

// columns are the lower triangle, rows strictly ascending from the diagonal, whatever the pairs looked like
static void graph_sorts_and_merges_pairs(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    const int pairs[] = { 3, 1, 1, 3, 0, 4, 4, 0, 2, 1, 4, 3, 1, 3 };
    Graph *graph = graphCreate(&memory, 5, pairs, 7);
    assert_non_null(graph);
    const int start[] = { 0, 2, 5, 6, 8, 9 }, row[] = { 0, 4, 1, 2, 3, 2, 3, 4, 4 };
    assert_int_equal(graph->count, 5);
    assert_memory_equal(graph->start, start, sizeof start);
    assert_memory_equal(graph->row, row, sizeof row);
    graphDestroy(graph);
    assert_int_equal(memory.blocks, 0);
}

static void graph_may_be_empty_or_lonely(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Graph *empty = graphCreate(&memory, 0, NULL, 0);
    Graph *one = graphCreate(&memory, 1, NULL, 0);
    assert_int_equal(empty->start[0], 0);
    assert_int_equal(one->start[1], 1);
    assert_int_equal(one->row[0], 0);
    graphDestroy(empty);
    graphDestroy(one);
    graphDestroy(NULL);
    assert_int_equal(memory.blocks, 0);
}

// graphFind agrees with a table of all pairs
static void graph_finds_exactly_its_entries(void **state)
{
    (void)state;
    enum
    {
        COUNT = 40,
        PAIRS = 200
    };
    Memory memory = memoryMake(NULL);
    TestRandom random = { 7 };
    bool coupled[COUNT][COUNT] = { { false } };
    int pairs[2 * PAIRS];
    for (int p = 0; p < PAIRS; ++p)
    {
        int a = (int)(randomUnit(&random) * COUNT), b = (int)(randomUnit(&random) * (COUNT - 1));
        b += b >= a;
        pairs[2 * p] = a;
        pairs[2 * p + 1] = b;
        coupled[a][b] = coupled[b][a] = true;
    }
    Graph *graph = graphCreate(&memory, COUNT, pairs, PAIRS);
    int found = 0;
    for (int j = 0; j < COUNT; ++j)
    {
        for (int i = j; i < COUNT; ++i)
        {
            int k = graphFind(graph, i, j);
            assert_int_equal(k >= 0, i == j || coupled[i][j]);
            assert_true(k < 0 || (graph->row[k] == i && k >= graph->start[j] && k < graph->start[j + 1]));
            found += k >= 0;
        }
    }
    assert_int_equal(found, graph->start[COUNT]);
    graphDestroy(graph);
}

static void graph_survives_every_refused_allocation(void **state)
{
    (void)state;
    const int pairs[] = { 3, 1, 0, 4, 2, 1 };
    int refusals = 0;
    for (Graph *graph = NULL; graph == NULL; ++refusals)
    {
        Hook hook = { .refused = refusals };
        Memory memory = memoryMake(&(vvAllocator){ hookAllocate, hookRelease, &hook });
        graph = graphCreate(&memory, 5, pairs, 3);
        assert_true(graph != NULL || hook.alive == 0);
        if (graph != NULL)
        {
            graphDestroy(graph);
            assert_int_equal(hook.alive, 0);
        }
    }
    assert_true(refusals > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graph_sorts_and_merges_pairs),
        cmocka_unit_test(graph_may_be_empty_or_lonely),
        cmocka_unit_test(graph_finds_exactly_its_entries),
        cmocka_unit_test(graph_survives_every_refused_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
