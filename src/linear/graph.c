#include "linear/linear.h"

#include <limits.h>

// Scratch for the two counting sorts: `line` has one number per vertex, `column` one per pair.
typedef struct PairSort
{
    int *rowStart; // count + 1
    int *column;   // pairCount, grouped by row
    int *line;     // count
} PairSort;

static void pairSortFree(Memory *memory, PairSort *sort)
{
    memoryRelease(memory, sort->rowStart);
    memoryRelease(memory, sort->column);
    memoryRelease(memory, sort->line);
}

static bool pairSortMake(Memory *memory, int count, const int *pairs, int pairCount, PairSort *sort)
{
    sort->rowStart = ALLOCATE(memory, int, (size_t)count + 1);
    sort->column = ALLOCATE(memory, int, pairCount);
    sort->line = ALLOCATE(memory, int, count);
    if (sort->rowStart == NULL || sort->column == NULL || sort->line == NULL)
        return false;
    for (int p = 0; p < pairCount; ++p)
    {
        int a = pairs[2 * (size_t)p], b = pairs[2 * (size_t)p + 1];
        ASSERT_CHEAP(a >= 0 && a < count && b >= 0 && b < count && a != b, "a pair names two different vertices");
        sort->rowStart[maxInt(a, b) + 1] += 1;
    }
    for (int i = 0; i < count; ++i)
    {
        sort->rowStart[i + 1] += sort->rowStart[i];
        sort->line[i] = sort->rowStart[i];
    }
    for (int p = 0; p < pairCount; ++p)
    {
        int a = pairs[2 * (size_t)p], b = pairs[2 * (size_t)p + 1];
        sort->column[sort->line[maxInt(a, b)]++] = minInt(a, b);
    }
    return true;
}

// Sizes of the columns without repetitions, then the columns; rows are met in ascending order.
static bool fillColumns(Graph *graph, const PairSort *sort)
{
    int count = graph->count;
    int *last = sort->line; // the row met last in each column
    for (int j = 0; j < count; ++j)
    {
        graph->start[j + 1] = 1;
        last[j] = j;
    }
    for (int i = 0; i < count; ++i)
    {
        for (int p = sort->rowStart[i]; p < sort->rowStart[i + 1]; ++p)
        {
            int j = sort->column[p];
            graph->start[j + 1] += last[j] != i;
            last[j] = i;
        }
    }
    for (int j = 0; j < count; ++j)
        graph->start[j + 1] += graph->start[j];
    graph->row = ALLOCATE(graph->memory, int, graph->start[count]);
    if (graph->row == NULL)
        return false;

    int *end = sort->line; // where the next row of each column goes
    for (int j = 0; j < count; ++j)
    {
        graph->row[graph->start[j]] = j;
        end[j] = graph->start[j] + 1;
    }
    for (int i = 0; i < count; ++i)
    {
        for (int p = sort->rowStart[i]; p < sort->rowStart[i + 1]; ++p)
        {
            int j = sort->column[p];
            if (graph->row[end[j] - 1] != i)
                graph->row[end[j]++] = i;
        }
    }
    return true;
}

Graph *graphCreate(Memory *memory, int count, const int *pairs, int pairCount)
{
    ASSERT_CHEAP(count >= 0 && pairCount >= 0, "a graph has no negative counts");
    if ((long long)count + pairCount > INT_MAX)
        return NULL;
    Graph *graph = ALLOCATE(memory, Graph, 1);
    if (graph == NULL)
        return NULL;
    graph->memory = memory;
    graph->count = count;
    graph->start = ALLOCATE(memory, int, (size_t)count + 1);
    PairSort sort = { 0 };
    bool fine = graph->start != NULL && pairSortMake(memory, count, pairs, pairCount, &sort);
    fine = fine && fillColumns(graph, &sort);
    pairSortFree(memory, &sort);
    if (fine)
        return graph;
    graphDestroy(graph);
    return NULL;
}

void graphDestroy(Graph *graph)
{
    if (graph == NULL)
        return;
    Memory *memory = graph->memory;
    memoryRelease(memory, graph->start);
    memoryRelease(memory, graph->row);
    memoryRelease(memory, graph);
}

int graphFind(const Graph *graph, int row, int column)
{
    ASSERT(column >= 0 && row >= column && row < graph->count, "the lower triangle holds row >= column");
    int low = graph->start[column], high = graph->start[column + 1];
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        if (graph->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < graph->start[column + 1] && graph->row[low] == row ? low : -1;
}

void neighboursFree(Memory *memory, Neighbours *neighbours)
{
    memoryRelease(memory, neighbours->start);
    memoryRelease(memory, neighbours->vertex);
    *neighbours = (Neighbours){ 0 };
}

bool neighboursMake(Memory *memory, const Graph *graph, Neighbours *neighbours)
{
    int count = graph->count;
    long long total = 2LL * (graph->start[count] - count);
    *neighbours = (Neighbours){ 0 };
    if (total > INT_MAX)
        return false;
    neighbours->start = ALLOCATE(memory, int, (size_t)count + 2);
    neighbours->vertex = ALLOCATE(memory, int, total);
    if (neighbours->start == NULL || neighbours->vertex == NULL)
    {
        neighboursFree(memory, neighbours);
        return false;
    }
    // two places ahead: filling moves every start to its end, which is the next one's start
    int *end = neighbours->start + 1;
    for (int j = 0; j < count; ++j)
    {
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            neighbours->start[j + 2] += 1;
            neighbours->start[graph->row[k] + 2] += 1;
        }
    }
    for (int j = 0; j < count; ++j)
        neighbours->start[j + 2] += neighbours->start[j + 1];
    for (int j = 0; j < count; ++j)
    {
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            neighbours->vertex[end[j]++] = graph->row[k];
            neighbours->vertex[end[graph->row[k]]++] = j;
        }
    }
    return true;
}
