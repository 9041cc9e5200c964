#include "linear/columns.h"

#include <limits.h>
#include <string.h>

// Walks the pattern of L by rows: row i holds every node on the paths from its matrix entries up to i. Counts the blocks
// of each column in `end`, or, with `row`, appends i at the end of each. Rows come in ascending order.
static void walkRows(const Symbolic *s, const Columns *a, int *end, int *row)
{
    int *seen = a->other;
    for (int i = 0; i < s->count; ++i)
        seen[i] = COLUMNS_NONE;
    for (int i = 0; i < s->count; ++i)
    {
        seen[i] = i;
        if (row != NULL)
            row[end[i]] = i;
        end[i] += 1;
        for (int p = a->rowStart[i]; p < a->rowStart[i + 1]; ++p)
        {
            for (int k = a->column[p]; seen[k] != i; k = s->parent[k])
            {
                seen[k] = i;
                if (row != NULL)
                    row[end[k]] = i;
                end[k] += 1;
            }
        }
    }
}

// Columns of L and the work they cost. A scalar column with l entries below the diagonal is scaled (l) and updates
// l (l + 1) / 2 others.
static bool findColumns(Symbolic *s, const Columns *a)
{
    int *end = a->line;
    for (int k = 0; k < s->count; ++k)
        end[k] = 0;
    walkRows(s, a, end, NULL);
    long long total = 0;
    for (int k = 0; k < s->count; ++k)
    {
        int blocks = end[k];
        s->start[k] = end[k] = (int)total;
        total += blocks;
        if (total > INT_MAX)
            return false;
        for (int below = 3 * blocks - 3; below < 3 * blocks; ++below)
            s->flops += below + 0.5 * below * (below + 1.0);
    }
    s->start[s->count] = (int)total;
    s->row = ALLOCATE(s->memory, int, total);
    if (s->row == NULL)
        return false;
    walkRows(s, a, end, s->row);
    return true;
}

// Files the blocks of the matrix by their column of L and looks up their places in it.
static void findGather(Symbolic *s, const Graph *graph, const Columns *a)
{
    int *end = a->line, *position = a->other;
    for (int k = 0; k < s->count; ++k)
        s->gatherStart[k + 1] = 0;
    for (int j = 0; j < s->count; ++j)
        for (int k = graph->start[j]; k < graph->start[j + 1]; ++k)
            s->gatherStart[minInt(a->place[j], a->place[graph->row[k]]) + 1] += 1;
    for (int k = 0; k < s->count; ++k)
    {
        s->gatherStart[k + 1] += s->gatherStart[k];
        end[k] = s->gatherStart[k];
    }
    // the target holds the row of L for now, ~row if the block lies above the diagonal of L
    for (int j = 0; j < s->count; ++j)
    {
        for (int k = graph->start[j]; k < graph->start[j + 1]; ++k)
        {
            int row = a->place[graph->row[k]], column = a->place[j];
            Gather gather = { .source = k, .target = row >= column ? row : ~column };
            s->gather[end[minInt(row, column)]++] = gather;
        }
    }
    for (int k = 0; k < s->count; ++k)
    {
        for (int p = s->start[k]; p < s->start[k + 1]; ++p)
            position[s->row[p]] = p;
        for (int g = s->gatherStart[k]; g < s->gatherStart[k + 1]; ++g)
        {
            int target = s->gather[g].target;
            s->gather[g].target = target >= 0 ? position[target] : ~position[~target];
        }
    }
}

static bool analyse(Symbolic *s, const Graph *graph, Columns *a)
{
    size_t count = (size_t)s->count;
    s->order = ALLOCATE(s->memory, int, count);
    s->parent = ALLOCATE(s->memory, int, count);
    s->start = ALLOCATE(s->memory, int, count + 1);
    s->gatherStart = ALLOCATE(s->memory, int, count + 1);
    s->gather = ALLOCATE(s->memory, Gather, graph->start[s->count]);
    if (s->order == NULL || s->parent == NULL || s->start == NULL || s->gatherStart == NULL || s->gather == NULL)
        return false;
    if (!columnsAllocate(s->memory, graph, a) || !orderMinimumDegree(s->memory, graph, a->order))
        return false;
    columnsAnalyse(graph, a);
    memcpy(s->order, a->order, count * sizeof(int));
    memcpy(s->parent, a->parent, count * sizeof(int));
    if (!findColumns(s, a))
        return false;
    findGather(s, graph, a);
    return true;
}

Symbolic *symbolicCreate(Memory *memory, const Graph *graph)
{
    Symbolic *symbolic = ALLOCATE(memory, Symbolic, 1);
    if (symbolic == NULL)
        return NULL;
    symbolic->memory = memory;
    symbolic->count = graph->count;
    Columns scratch = { 0 };
    bool fine = analyse(symbolic, graph, &scratch);
    columnsFree(memory, &scratch);
    if (fine)
        return symbolic;
    symbolicDestroy(symbolic);
    return NULL;
}

void symbolicDestroy(Symbolic *symbolic)
{
    if (symbolic == NULL)
        return;
    Memory *memory = symbolic->memory;
    memoryRelease(memory, symbolic->order);
    memoryRelease(memory, symbolic->parent);
    memoryRelease(memory, symbolic->start);
    memoryRelease(memory, symbolic->row);
    memoryRelease(memory, symbolic->gatherStart);
    memoryRelease(memory, symbolic->gather);
    memoryRelease(memory, symbolic);
}

long long symbolicBlocks(const Symbolic *symbolic)
{
    return symbolic->start[symbolic->count];
}

double symbolicFlops(const Symbolic *symbolic)
{
    return symbolic->flops;
}
