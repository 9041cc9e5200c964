#include "linear/columns.h"

#include <limits.h>

void columnsFree(Memory *memory, Columns *columns)
{
    memoryRelease(memory, columns->order);
    memoryRelease(memory, columns->place);
    memoryRelease(memory, columns->rowStart);
    memoryRelease(memory, columns->column);
    memoryRelease(memory, columns->source);
    memoryRelease(memory, columns->parent);
    memoryRelease(memory, columns->below);
    memoryRelease(memory, columns->line);
    memoryRelease(memory, columns->other);
}

bool columnsAllocate(Memory *memory, const Graph *graph, Columns *c)
{
    int count = graph->count;
    c->count = count;
    c->order = ALLOCATE_BARE(memory, int, count);
    c->place = ALLOCATE_BARE(memory, int, count);
    c->rowStart = ALLOCATE(memory, int, (size_t)count + 1);
    c->column = ALLOCATE_BARE(memory, int, graph->start[count] - count);
    c->source = ALLOCATE_BARE(memory, int, graph->start[count] - count);
    c->parent = ALLOCATE_BARE(memory, int, count);
    c->below = ALLOCATE_BARE(memory, int, count);
    c->line = ALLOCATE_BARE(memory, int, count);
    c->other = ALLOCATE_BARE(memory, int, count);
    return c->order != NULL && c->place != NULL && c->rowStart != NULL && c->column != NULL && c->source != NULL &&
           c->parent != NULL && c->below != NULL && c->line != NULL && c->other != NULL;
}

void columnsPermute(const Graph *graph, Columns *c)
{
    int count = c->count, *end = c->line;
    for (int k = 0; k < count; ++k)
    {
        c->place[c->order[k]] = k;
        c->rowStart[k + 1] = 0;
    }
    for (int j = 0; j < count; ++j)
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
            c->rowStart[maxInt(c->place[j], c->place[graph->row[k]]) + 1] += 1;
    for (int i = 0; i < count; ++i)
    {
        c->rowStart[i + 1] += c->rowStart[i];
        end[i] = c->rowStart[i];
    }
    for (int j = 0; j < count; ++j)
    {
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            int p = c->place[j], q = c->place[graph->row[k]];
            int at = end[maxInt(p, q)]++;
            c->column[at] = minInt(p, q);
            c->source[at] = q < p ? ~k : k;
        }
    }
}

// Elimination tree (Liu 1990): climb from each entry of a row to its root, compressing the paths.
static void findParents(Columns *c)
{
    int *ancestor = c->line;
    for (int i = 0; i < c->count; ++i)
    {
        c->parent[i] = ancestor[i] = COLUMNS_NONE;
        for (int p = c->rowStart[i]; p < c->rowStart[i + 1]; ++p)
        {
            int k = c->column[p];
            while (ancestor[k] != COLUMNS_NONE && ancestor[k] != i)
            {
                int next = ancestor[k];
                ancestor[k] = i;
                k = next;
            }
            if (ancestor[k] == COLUMNS_NONE)
                c->parent[k] = ancestor[k] = i;
        }
    }
}

// Renumbers so that every subtree is contiguous and ends with its root: the sizes of the subtrees give their ranges.
static void postorder(Columns *c)
{
    int count = c->count, *size = c->line, *taken = c->other, *begin = c->place, roots = 0;
    for (int k = 0; k < count; ++k)
    {
        size[k] = 1;
        taken[k] = 0;
    }
    for (int k = 0; k < count; ++k)
        if (c->parent[k] != COLUMNS_NONE)
            size[c->parent[k]] += size[k];
    for (int k = 0; k < count; ++k)
    {
        int *claimed = c->parent[k] != COLUMNS_NONE ? &taken[c->parent[k]] : &roots;
        begin[k] = *claimed;
        *claimed += size[k];
    }
    for (int k = count - 1; k >= 0; --k)
        if (c->parent[k] != COLUMNS_NONE)
            begin[k] += begin[c->parent[k]];
    for (int k = 0; k < count; ++k)
        taken[begin[k] + size[k] - 1] = c->order[k];
    for (int k = 0; k < count; ++k)
        c->order[k] = taken[k];
}

// Row i of L holds every node on the paths from the matrix entries of the row up to i. False: L has 2^31 entries.
bool columnsCount(Columns *c)
{
    int *seen = c->other;
    long long total = c->count;
    for (int i = 0; i < c->count; ++i)
    {
        seen[i] = i;
        c->below[i] = 0;
        for (int p = c->rowStart[i]; p < c->rowStart[i + 1]; ++p)
        {
            for (int k = c->column[p]; seen[k] != i; k = c->parent[k])
            {
                seen[k] = i;
                c->below[k] += 1;
                total += 1;
            }
        }
    }
    return total <= INT_MAX;
}

void columnsAnalyse(const Graph *graph, Columns *c)
{
    // the tree of the first order gives the postorder, whose tree is the final one
    columnsPermute(graph, c);
    findParents(c);
    postorder(c);
    columnsPermute(graph, c);
    findParents(c);
}
