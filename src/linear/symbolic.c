#include "linear/linear.h"

#include <limits.h>

#define NONE (-1)

// Scratch of the analysis, freed at its end.
typedef struct Analysis
{
    int *place;    // count: column of L of each vertex
    int *rowStart; // count + 1
    int *column;   // blocks below the diagonal: the permuted matrix by rows
    int *line;     // count
    int *other;    // count
} Analysis;

static void analysisFree(Memory *memory, Analysis *a)
{
    memoryRelease(memory, a->place);
    memoryRelease(memory, a->rowStart);
    memoryRelease(memory, a->column);
    memoryRelease(memory, a->line);
    memoryRelease(memory, a->other);
}

static bool analysisMake(Memory *memory, const Graph *graph, Analysis *a)
{
    a->place = ALLOCATE(memory, int, graph->count);
    a->rowStart = ALLOCATE(memory, int, (size_t)graph->count + 1);
    a->column = ALLOCATE(memory, int, graph->start[graph->count] - graph->count);
    a->line = ALLOCATE(memory, int, graph->count);
    a->other = ALLOCATE(memory, int, graph->count);
    return a->place != NULL && a->rowStart != NULL && a->column != NULL && a->line != NULL && a->other != NULL;
}

// The pattern of P A P^T by rows, the diagonal left out.
static void permuteRows(const Graph *graph, const int *order, Analysis *a)
{
    int count = graph->count, *end = a->line;
    for (int k = 0; k < count; ++k)
    {
        a->place[order[k]] = k;
        a->rowStart[k + 1] = 0;
    }
    for (int j = 0; j < count; ++j)
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
            a->rowStart[maxInt(a->place[j], a->place[graph->row[k]]) + 1] += 1;
    for (int i = 0; i < count; ++i)
    {
        a->rowStart[i + 1] += a->rowStart[i];
        end[i] = a->rowStart[i];
    }
    for (int j = 0; j < count; ++j)
    {
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            int p = a->place[j], q = a->place[graph->row[k]];
            a->column[end[maxInt(p, q)]++] = minInt(p, q);
        }
    }
}

// Elimination tree (Liu 1990, by path compression): climb from each entry of a row to its root, compressing paths.
static void findParents(int count, const Analysis *a, int *parent)
{
    int *ancestor = a->line;
    for (int i = 0; i < count; ++i)
    {
        parent[i] = ancestor[i] = NONE;
        for (int p = a->rowStart[i]; p < a->rowStart[i + 1]; ++p)
        {
            int k = a->column[p];
            while (ancestor[k] != NONE && ancestor[k] != i)
            {
                int next = ancestor[k];
                ancestor[k] = i;
                k = next;
            }
            if (ancestor[k] == NONE)
                parent[k] = ancestor[k] = i;
        }
    }
}

// Renumbers the order so that every subtree is contiguous and children come in their old order. No stack: from the sizes
// of the subtrees follows the range of each.
static void postorder(int count, const int *parent, const Analysis *a, int *order)
{
    int *size = a->line, *taken = a->other, *begin = a->place, roots = 0;
    for (int k = 0; k < count; ++k)
    {
        size[k] = 1;
        taken[k] = 0;
    }
    for (int k = 0; k < count; ++k)
        if (parent[k] != NONE)
            size[parent[k]] += size[k];
    // where the range of a subtree begins inside its parent's, then, from the roots down, in the whole order
    for (int k = 0; k < count; ++k)
    {
        int *claimed = parent[k] != NONE ? &taken[parent[k]] : &roots;
        begin[k] = *claimed;
        *claimed += size[k];
    }
    for (int k = count - 1; k >= 0; --k)
        if (parent[k] != NONE)
            begin[k] += begin[parent[k]];
    // a node comes last in its own range
    for (int k = 0; k < count; ++k)
        taken[begin[k] + size[k] - 1] = order[k];
    for (int k = 0; k < count; ++k)
        order[k] = taken[k];
}

// Walks the pattern of L by rows: row i holds every node on the paths from its matrix entries up to i. Counts the blocks
// of each column in `end`, or, with `row`, appends i at the end of each. Rows come in ascending order.
static void walkRows(const Symbolic *s, const Analysis *a, int *end, int *row)
{
    int *seen = a->other;
    for (int i = 0; i < s->count; ++i)
        seen[i] = NONE;
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
static bool findColumns(Symbolic *s, const Analysis *a)
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
static void findGather(Symbolic *s, const Graph *graph, const Analysis *a)
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

static bool analyse(Symbolic *s, const Graph *graph, Analysis *a)
{
    size_t count = (size_t)s->count;
    s->order = ALLOCATE(s->memory, int, count);
    s->parent = ALLOCATE(s->memory, int, count);
    s->start = ALLOCATE(s->memory, int, count + 1);
    s->gatherStart = ALLOCATE(s->memory, int, count + 1);
    s->gather = ALLOCATE(s->memory, Gather, graph->start[s->count]);
    if (s->order == NULL || s->parent == NULL || s->start == NULL || s->gatherStart == NULL || s->gather == NULL)
        return false;
    if (!orderMinimumDegree(s->memory, graph, s->order) || !analysisMake(s->memory, graph, a))
        return false;
    // the tree of the first order gives the postorder, whose tree is the final one
    permuteRows(graph, s->order, a);
    findParents(s->count, a, s->parent);
    postorder(s->count, s->parent, a, s->order);
    permuteRows(graph, s->order, a);
    findParents(s->count, a, s->parent);
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
    Analysis scratch = { 0 };
    bool fine = analyse(symbolic, graph, &scratch);
    analysisFree(memory, &scratch);
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
