#include "check.h"
#include "linear/linear.h"
#include "refuse.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST 216

// One of a family of awkward graphs: empty, islands, chain, star, clique, grid, random.
#define KINDS 7
static Graph *makeGraph(Memory *memory, int kind)
{
    static int pairs[2 * LARGEST * LARGEST];
    const int counts[KINDS] = { 1, 40, 50, 150, 30, 216, 90 };
    int count = counts[kind], used = 0;
    TestRandom random = { 17 };
    for (int a = 0; a < count; ++a)
    {
        for (int b = 0; b < a; ++b)
        {
            int distance = abs(a % 6 - b % 6) + abs(a / 6 % 6 - b / 6 % 6) + abs(a / 36 - b / 36);
            bool coupled[KINDS] = {
                false, a / 7 == b / 7, a - b == 1, b == 0 || a == 9, true, distance == 1, randomUnit(&random) < 0.04
            };
            if (!coupled[kind])
                continue;
            pairs[2 * used] = a;
            pairs[2 * used + 1] = b;
            used += 1;
        }
    }
    return graphCreate(memory, count, pairs, used);
}

// the pattern of L by plain elimination in the order of the analysis
static void eliminate(const Graph *graph, const int *order, bool (*lower)[LARGEST])
{
    int count = graph->count, place[LARGEST];
    memset(lower, 0, sizeof(bool) * LARGEST * LARGEST);
    for (int k = 0; k < count; ++k)
        place[order[k]] = k;
    for (int j = 0; j < count; ++j)
    {
        for (int k = graph->start[j]; k < graph->start[j + 1]; ++k)
        {
            int p = place[j], q = place[graph->row[k]];
            lower[maxInt(p, q)][minInt(p, q)] = true;
        }
    }
    for (int k = 0; k < count; ++k)
        for (int i = k + 1; i < count; ++i)
            for (int j = k + 1; j <= i && lower[i][k]; ++j)
                lower[i][j] = lower[i][j] || lower[j][k];
}

static void pattern_is_that_of_elimination(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    static bool lower[LARGEST][LARGEST];
    for (int kind = 0; kind < KINDS; ++kind)
    {
        Graph *graph = makeGraph(&memory, kind);
        Symbolic *s = symbolicCreate(&memory, graph);
        assert_non_null(s);
        eliminate(graph, s->order, lower);
        int blocks = 0;
        double work = 0;
        for (int j = 0; j < s->count; ++j)
        {
            int p = s->start[j];
            for (int i = j; i < s->count; ++i)
            {
                if (!lower[i][j])
                    continue;
                assert_true(p < s->start[j + 1]);
                assert_int_equal(s->row[p++], i);
            }
            assert_int_equal(p, s->start[j + 1]);
            // one entry scales, and meets every entry from itself on: counted one by one
            for (int below = 3 * (p - s->start[j]) - 1, c = 0; c < 3; ++c, --below)
                for (int i = 0; i < below; ++i)
                    work += 1 + below - i;
            blocks = p;
        }
        assert_int_equal(symbolicBlocks(s), blocks);
        assert_true(symbolicFlops(s) == work);
        symbolicDestroy(s);
        graphDestroy(graph);
    }
    assert_int_equal(memory.blocks, 0);
}

// the parent is the first row below the diagonal, and in a postorder the next number is the parent or a leaf
static void tree_is_postordered(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    for (int kind = 0; kind < KINDS; ++kind)
    {
        Graph *graph = makeGraph(&memory, kind);
        Symbolic *s = symbolicCreate(&memory, graph);
        bool inner[LARGEST] = { false };
        for (int k = 0; k < s->count; ++k)
        {
            bool root = s->start[k + 1] - s->start[k] == 1;
            assert_int_equal(s->parent[k], root ? -1 : s->row[s->start[k] + 1]);
            if (!root)
                inner[s->parent[k]] = true;
        }
        for (int k = 0; k + 1 < s->count; ++k)
            assert_true(s->parent[k] == k + 1 || !inner[k + 1]);
        symbolicDestroy(s);
        graphDestroy(graph);
    }
}

// every block of the matrix goes to the block of L of the same two vertices, turned if they have changed places
static void gather_reaches_every_block_once(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    for (int kind = 0; kind < KINDS; ++kind)
    {
        Graph *graph = makeGraph(&memory, kind);
        Symbolic *s = symbolicCreate(&memory, graph);
        int blocks = graph->start[graph->count];
        bool *seen = calloc((size_t)blocks, sizeof *seen);
        assert_int_equal(s->gatherStart[s->count], blocks);
        for (int k = 0; k < s->count; ++k)
        {
            for (int g = s->gatherStart[k]; g < s->gatherStart[k + 1]; ++g)
            {
                int source = s->gather[g].source, target = s->gather[g].target;
                bool turned = target < 0;
                int position = turned ? ~target : target;
                assert_false(seen[source]);
                seen[source] = true;
                assert_in_range(position, s->start[k], s->start[k + 1] - 1);
                int row = s->order[s->row[position]], column = s->order[k];
                assert_int_equal(row < column, turned);
                assert_int_equal(graphFind(graph, maxInt(row, column), minInt(row, column)), source);
            }
        }
        free(seen);
        symbolicDestroy(s);
        graphDestroy(graph);
    }
}

static void symbolic_survives_every_refused_allocation(void **state)
{
    (void)state;
    Memory plain = memoryMake(NULL);
    Graph *graph = makeGraph(&plain, 6);
    int granted = 0;
    for (bool fine = false; !fine; ++granted)
    {
        int left = granted;
        Memory memory = memoryMake(&(vvAllocator){ refuseAfter, giveBack, &left });
        Symbolic *s = symbolicCreate(&memory, graph);
        fine = s != NULL;
        symbolicDestroy(s);
        assert_int_equal(memory.blocks, 0);
    }
    assert_true(granted > 10);
    graphDestroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern_is_that_of_elimination),
        cmocka_unit_test(tree_is_postordered),
        cmocka_unit_test(gather_reaches_every_block_once),
        cmocka_unit_test(symbolic_survives_every_refused_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
