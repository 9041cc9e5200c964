// The graph of a mesh that changed in a few places, from the one before.
#include "linear/linear.h"

#include <string.h>

void graphMarkNeighbours(const Graph *graph, const bool *marked, bool *beside)
{
    for (int j = 0; j < graph->count; ++j)
    {
        const int *row = graph->row + graph->start[j];
        int count = graph->start[j + 1] - graph->start[j];
        unsigned near = 0;
        for (int k = 0; k < count; ++k)
            near |= marked[row[k]];
        beside[j] |= near != 0;
        for (int k = 0; k < count && marked[j]; ++k)
            beside[row[k]] = true;
    }
}

// the column of the new graph, `row` NULL: its length alone
static int mergeColumn(const Graph *former, const Graph *part, const bool *renewed, int column, int *row)
{
    int count = 0, a = part->start[column], aEnd = part->start[column + 1];
    int b = column < former->count ? former->start[column] : 0;
    int bEnd = column < former->count ? former->start[column + 1] : 0;
    while (a < aEnd || b < bEnd)
    {
        if (b < bEnd && renewed[former->row[b]])
            b += 1; // if it is still there, `part` has it
        else
        {
            bool takesPart = b >= bEnd || (a < aEnd && part->row[a] < former->row[b]);
            int next = takesPart ? part->row[a++] : former->row[b++];
            if (row != NULL)
                row[count] = next;
            count += 1;
        }
    }
    return count;
}

Graph *graphInherit(Memory *memory, const Graph *former, const bool *renewed, int count, const int *pairs,
                    int pairCount)
{
    Graph *part = graphCreate(memory, count, pairs, pairCount), *graph = ALLOCATE(memory, Graph, 1);
    if (graph != NULL)
        *graph = (Graph){ .memory = memory, .count = count };
    if (graph != NULL && part != NULL)
        graph->start = ALLOCATE_BARE(memory, int, (size_t)count + 1);
    if (graph != NULL && graph->start != NULL)
        graph->start[0] = 0;
    for (int j = 0; j < count && graph != NULL && graph->start != NULL; ++j)
    {
        bool kept = j < former->count && !renewed[j];
        int length = kept ? former->start[j + 1] - former->start[j] : mergeColumn(former, part, renewed, j, NULL);
        graph->start[j + 1] = graph->start[j] + length;
    }
    if (graph != NULL && graph->start != NULL)
        graph->row = ALLOCATE_BARE(memory, int, graph->start[count]);
    for (int j = 0; j < count && graph != NULL && graph->row != NULL; ++j)
    {
        int *row = graph->row + graph->start[j];
        if (j < former->count && !renewed[j])
            memcpy(row, former->row + former->start[j], (size_t)(graph->start[j + 1] - graph->start[j]) * sizeof(int));
        else
            mergeColumn(former, part, renewed, j, row);
    }
    graphDestroy(part);
    if (graph != NULL && graph->row != NULL)
        return graph;
    graphDestroy(graph);
    return NULL;
}
