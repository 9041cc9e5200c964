#include "linear/front_tree.h"

#include <limits.h>
#include <string.h>

// What the walks over the entries need of a front, in half a cache line.
typedef struct Filling
{
    int parent;
    int seen;          // the last row that met it
    int first;         // column
    int rows;          // counted, then filled
    int inside, below; // entries of D and of B: counted, then where the next ones go
    uint32_t stride, strideBelow;
} Filling;

// Scratch of the analysis, freed at its end.
typedef struct Building
{
    const Graph *graph;
    Columns columns;
    Groups groups;
    int *number;      // groups.count: front of a supernode
    int *line;        // count + 1
    int *front;       // count: front of each column
    Filling *filling; // groups.count
    int *met;         // row by row, the fronts in which it is below; columns.other says how many
    size_t metCount, metRoom;
} Building;

static void buildingFree(Memory *memory, Building *b)
{
    columnsFree(memory, &b->columns);
    groupsFree(memory, &b->groups);
    memoryRelease(memory, b->number);
    memoryRelease(memory, b->line);
    memoryRelease(memory, b->front);
    memoryRelease(memory, b->filling);
    memoryRelease(memory, b->met);
}

static int taskOf(const Building *b, int group)
{
    return b->groups.task[group];
}

// Fronts task by task, the top last: sizes, columns and parents; then the order of the columns follows.
static bool makeFronts(FrontTree *tree, Building *b)
{
    const Groups *g = &b->groups;
    tree->frontCount = g->count;
    tree->taskCount = g->taskCount;
    tree->front = ALLOCATE(tree->memory, Front, (size_t)g->count + 1);
    tree->task = ALLOCATE(tree->memory, FrontTask, (size_t)g->taskCount + 1);
    b->number = ALLOCATE_BARE(tree->memory, int, g->count);
    b->line = ALLOCATE_BARE(tree->memory, int, (size_t)tree->count + 1);
    b->front = ALLOCATE_BARE(tree->memory, int, tree->count);
    b->filling = ALLOCATE_BARE(tree->memory, Filling, g->count);
    if (tree->front == NULL || tree->task == NULL || b->number == NULL || b->line == NULL || b->front == NULL ||
        b->filling == NULL)
        return false;
    int front = 0, column = 0;
    for (int p = 0; p <= g->taskCount; ++p)
    {
        FrontTask *task = &tree->task[p];
        task->front = front;
        task->column = column;
        for (int s = 0; s < g->count; ++s)
        {
            if (taskOf(b, s) != p)
                continue;
            tree->front[front] = (Front){ .first = column, .columns = g->columns[s] };
            b->number[s] = front++;
            column += g->columns[s];
        }
        task->frontEnd = front;
    }
    for (int s = 0; s < g->count; ++s)
        tree->front[b->number[s]].parent = g->parent[s] == FRONT_NONE ? FRONT_NONE : b->number[g->parent[s]];
    return true;
}

static void placeColumns(FrontTree *tree, Building *b)
{
    int *end = b->line; // next column of each front
    for (int f = 0; f < tree->frontCount; ++f)
        end[f] = tree->front[f].first;
    for (int k = 0; k < tree->count; ++k)
    {
        int f = b->number[b->groups.owner[k]];
        b->front[end[f]] = f;
        tree->order[end[f]++] = b->columns.order[k];
    }
    for (int k = 0; k < tree->count; ++k)
        b->columns.order[k] = tree->order[k];
    columnsPermute(b->graph, &b->columns);
}

static bool meetFront(Memory *memory, Building *b, int front)
{
    if (b->metCount == b->metRoom)
    {
        size_t grown = 2 * b->metRoom + (size_t)b->graph->start[b->graph->count];
        void *block = b->met;
        if (b->metRoom > INT_MAX || !memoryGrow(memory, &block, b->metRoom, grown, sizeof(int)))
            return false;
        b->met = block;
        b->metRoom = grown;
    }
    b->met[b->metCount++] = front;
    return true;
}

// Row i is below in every front on the paths from the entries of row i up to the front of column i. Lists these fronts
// and counts what each one holds: rows, entries of D in entryStart, of B in entryBelow. False: fronts that do not suit
// the graph, or out of memory.
static bool walkRows(FrontTree *tree, Building *b)
{
    const Columns *c = &b->columns;
    Filling *filling = b->filling;
    for (int f = 0; f < tree->frontCount; ++f)
        filling[f] = (Filling){ .parent = tree->front[f].parent, .seen = FRONT_NONE };
    for (int i = 0; i < tree->count; ++i)
    {
        int own = b->front[i];
        size_t before = b->metCount;
        filling[own].seen = i;
        filling[own].inside += 1; // its diagonal
        for (int p = c->rowStart[i]; p < c->rowStart[i + 1]; ++p)
        {
            int f = b->front[c->column[p]];
            *(f == own ? &filling[f].inside : &filling[f].below) += 1;
            for (; f == FRONT_NONE || filling[f].seen != i; f = filling[f].parent)
            {
                if (f == FRONT_NONE || !meetFront(tree->memory, b, f))
                    return false;
                filling[f].seen = i;
                filling[f].rows += 1;
            }
        }
        c->other[i] = (int)(b->metCount - before);
    }
    for (int f = 0; f < tree->frontCount; ++f)
    {
        tree->front[f].rows = filling[f].rows;
        tree->front[f].entryStart = filling[f].inside;
        tree->front[f].entryBelow = filling[f].below;
    }
    return true;
}

static bool findRows(FrontTree *tree, Building *b)
{
    if (!walkRows(tree, b))
        return false;
    long long total = 0;
    for (int f = 0; f < tree->frontCount; ++f)
    {
        Front *front = &tree->front[f];
        front->rowStart = (int)total;
        total += front->rows;
        size_t columns = (size_t)frontPad(tree->width * front->columns),
               rows = (size_t)frontPad(tree->width * front->rows);
        if (total > INT_MAX / tree->width || columns * columns > UINT32_MAX || columns * rows > UINT32_MAX)
            return false;
    }
    tree->front[tree->frontCount].rowStart = (int)total;
    tree->row = ALLOCATE_BARE(tree->memory, int, total);
    tree->relative = ALLOCATE(tree->memory, int, total); // of a root it stays zero
    return tree->row != NULL && tree->relative != NULL;
}

static void findChildren(FrontTree *tree, int *end)
{
    int total = 0;
    for (int f = 0; f <= tree->frontCount; ++f)
        tree->front[f].childStart = 0;
    for (int f = 0; f < tree->frontCount; ++f)
        if (tree->front[f].parent != FRONT_NONE)
            tree->front[tree->front[f].parent].childStart += 1;
    for (int f = 0; f <= tree->frontCount; ++f)
    {
        int children = tree->front[f].childStart;
        tree->front[f].childStart = total;
        if (f < tree->frontCount)
            end[f] = total;
        total += children;
    }
    for (int f = 0; f < tree->frontCount; ++f)
        if (tree->front[f].parent != FRONT_NONE)
            tree->child[end[tree->front[f].parent]++] = f;
}

// Where a row is in front f: its columns, then its rows below.
static void markPositions(const FrontTree *tree, const Front *front, int *position)
{
    for (int k = 0; k < front->columns; ++k)
        position[front->first + k] = k;
    for (int k = 0; k < front->rows; ++k)
        position[tree->row[front->rowStart + k]] = front->columns + k;
}

static void findRelative(FrontTree *tree, int *position)
{
    for (int f = 0; f < tree->frontCount; ++f)
    {
        const Front *parent = &tree->front[f];
        markPositions(tree, parent, position);
        for (int c = parent->childStart; c < tree->front[f + 1].childStart; ++c)
        {
            Front *child = &tree->front[tree->child[c]];
            for (int k = 0; k < child->rows; ++k)
            {
                int relative = position[tree->row[child->rowStart + k]];
                tree->relative[child->rowStart + k] = relative;
                child->parentRows += relative < parent->columns;
            }
        }
    }
}

// from counts of entries to places: those of the diagonal block first
static void placeEntries(FrontTree *tree)
{
    int total = 0;
    for (int f = 0; f <= tree->frontCount; ++f)
    {
        Front *front = &tree->front[f];
        int inside = front->entryStart, below = front->entryBelow;
        front->entryStart = total;
        front->entryBelow = total + inside;
        total += inside + below;
    }
}

// `row`: among those of D or B
static FrontEntry entryAt(int width, const Filling *front, int column, int row, bool below, int source)
{
    uint32_t stride = below ? front->strideBelow : front->stride;
    uint32_t position = (uint32_t)(width * row) + (uint32_t)(width * (column - front->first)) * stride;
    return (FrontEntry){ position, width > 1 || source >= 0 ? source : ~source };
}

static void beginFilling(const FrontTree *tree, Filling *filling)
{
    for (int f = 0; f < tree->frontCount; ++f)
    {
        const Front *front = &tree->front[f];
        filling[f] = (Filling){ .first = front->first,
                                .inside = front->entryStart,
                                .below = front->entryBelow,
                                .stride = (uint32_t)frontPad(tree->width * front->columns),
                                .strideBelow = (uint32_t)frontPad(tree->width * front->rows) };
    }
}

// Row by row: the rows of the fronts, in ascending order, and the entries of the matrix.
static void fillFronts(FrontTree *tree, Building *b)
{
    const Columns *c = &b->columns;
    Filling *filling = b->filling;
    beginFilling(tree, filling);
    memcpy(tree->columnStart, b->graph->start, ((size_t)tree->count + 1) * sizeof(int));
    const int *met = b->met;
    for (int i = 0; i < tree->count; ++i)
    {
        int own = b->front[i], diagonal = b->graph->start[tree->order[i]];
        Filling *mine = &filling[own];
        for (int k = 0; k < c->other[i]; ++k, ++met)
            tree->row[tree->front[*met].rowStart + filling[*met].rows++] = i;
        tree->entry[mine->inside++] = entryAt(tree->width, mine, i, i - mine->first, false, diagonal);
        tree->entryFront[diagonal] = own;
        for (int p = c->rowStart[i]; p < c->rowStart[i + 1]; ++p)
        {
            int column = c->column[p], source = c->source[p], f = b->front[column];
            Filling *front = &filling[f];
            bool below = f != own;
            tree->entry[below ? front->below++ : front->inside++] =
                entryAt(tree->width, front, column, below ? front->rows - 1 : i - mine->first, below, source);
            tree->entryFront[source < 0 ? ~source : source] = f;
        }
    }
}

// in the order of `like`, or the best one
static bool makeColumns(Memory *memory, const Graph *graph, const double *points, const FrontTree *like,
                        Columns *columns)
{
    if (!columnsAllocate(memory, graph, columns))
        return false;
    if (like != NULL)
        memcpy(columns->order, like->order, (size_t)graph->count * sizeof(int));
    else if (!orderBest(memory, graph, points, columns->order))
        return false;
    columnsAnalyse(graph, columns);
    return columnsCount(columns);
}

static void countColumn(FrontTree *tree, int below)
{
    for (int a = 1; a <= tree->width; ++a)
    {
        long long size = (long long)tree->width * below + a;
        tree->entries += size;
        tree->flops += (double)size * (double)size;
    }
}

// order and fronts, of the graph alone
static bool analyse(FrontTree *tree, const double *points, const FrontTree *like, Building *b)
{
    Memory *memory = tree->memory;
    if (!makeColumns(memory, b->graph, points, like, &b->columns) ||
        !groupsMake(memory, &b->columns, tree->width, &b->groups) ||
        !groupsSplit(memory, tree->width, b->columns.order, tree->count, &b->groups))
        return false;
    for (int k = 0; k < tree->count; ++k)
        countColumn(tree, b->columns.below[k]);
    return true;
}

// order and fronts, of an analysis: see front.h
static bool inherit(const FrontTree *tree, const FrontTree *base, const int *origin, Building *b)
{
    Memory *memory = tree->memory;
    Groups *g = &b->groups;
    size_t fronts = (size_t)base->frontCount;
    if (!columnsAllocate(memory, b->graph, &b->columns))
        return false;
    g->owner = ALLOCATE_BARE(memory, int, tree->count);
    g->columns = ALLOCATE_BARE(memory, int, fronts);
    g->parent = ALLOCATE_BARE(memory, int, fronts);
    g->task = ALLOCATE_BARE(memory, int, fronts);
    if (g->owner == NULL || g->columns == NULL || g->parent == NULL || g->task == NULL)
        return false;
    // the vertices of each one of the base, in their order
    int *place = b->columns.place, *next = b->columns.rowStart, *byOrigin = b->columns.other;
    for (int k = 0; k < base->count; ++k)
        place[base->order[k]] = k;
    for (int v = 0; v < tree->count; ++v)
        next[place[origin[v]] + 1] += 1;
    for (int k = 0; k < base->count; ++k)
        next[k + 1] += next[k];
    for (int v = 0; v < tree->count; ++v)
        byOrigin[v] = next[place[origin[v]]]++;
    for (int v = 0; v < tree->count; ++v)
        b->columns.order[byOrigin[v]] = v;
    g->count = base->frontCount;
    g->taskCount = base->taskCount;
    for (int p = 0, column = 0; p <= base->taskCount; ++p)
    {
        for (int f = base->task[p].front; f < base->task[p].frontEnd; ++f)
        {
            const Front *front = &base->front[f];
            int last = (front->first + front->columns) / base->width - 1; // next[] is now where the next one begins
            g->columns[f] = next[last] - column;
            g->parent[f] = front->parent;
            g->task[f] = p;
            for (; column < next[last]; ++column)
                g->owner[column] = f;
        }
    }
    next[0] = 0; // rows start there
    return true;
}

static void countFronts(FrontTree *tree)
{
    for (int f = 0; f < tree->frontCount; ++f)
    {
        const Front *front = &tree->front[f];
        for (int k = 1; k <= front->columns; ++k)
            countColumn(tree, front->columns - k + front->rows);
    }
}

// the fronts, what they hold and where it lies
static bool build(FrontTree *tree, Building *b)
{
    Memory *memory = tree->memory;
    int entries = b->graph->start[tree->count];
    tree->order = ALLOCATE_BARE(memory, int, tree->count);
    tree->child = ALLOCATE(memory, int, b->groups.count);
    tree->columnStart = ALLOCATE_BARE(memory, int, (size_t)tree->count + 1);
    tree->entryFront = ALLOCATE_BARE(memory, int, entries);
    tree->entry = ALLOCATE_BARE(memory, FrontEntry, entries);
    if (tree->order == NULL || tree->child == NULL || tree->columnStart == NULL || tree->entryFront == NULL ||
        tree->entry == NULL || !makeFronts(tree, b))
        return false;
    placeColumns(tree, b);
    if (!findRows(tree, b))
        return false;
    if (tree->entries == 0)
        countFronts(tree);
    placeEntries(tree);
    fillFronts(tree, b);
    findChildren(tree, b->line);
    findRelative(tree, b->columns.other);
    return frontsPlace(tree) && vectorsMake(tree);
}

static FrontTree *create(Memory *memory, const Graph *graph, const double *points, const FrontTree *like,
                         const int *origin, int width)
{
    if (graph->count > INT_MAX / 4 / width)
        return NULL;
    FrontTree *tree = ALLOCATE(memory, FrontTree, 1);
    if (tree == NULL)
        return NULL;
    tree->memory = memory;
    tree->count = graph->count;
    tree->width = width;
    tree->unknowns = width * graph->count;
    Building scratch = { .graph = graph };
    bool fine = origin != NULL ? inherit(tree, like, origin, &scratch) : analyse(tree, points, like, &scratch);
    fine = fine && build(tree, &scratch);
    buildingFree(memory, &scratch);
    if (fine)
        return tree;
    frontTreeDestroy(tree);
    return NULL;
}

FrontTree *frontTreeCreate(Memory *memory, const Graph *graph, const double *points)
{
    return create(memory, graph, points, NULL, NULL, 1);
}

FrontTree *frontTreeCreateBlocks(Memory *memory, const Graph *graph, const double *points)
{
    return create(memory, graph, points, NULL, NULL, 3);
}

FrontTree *frontTreeCreateBlocksLike(Memory *memory, const Graph *graph, const FrontTree *tree)
{
    return create(memory, graph, NULL, tree, NULL, 3);
}

FrontTree *frontTreeInherit(Memory *memory, const Graph *graph, const FrontTree *base, const int *origin)
{
    return create(memory, graph, NULL, base, origin, base->width);
}

void frontTreeDestroy(FrontTree *tree)
{
    if (tree == NULL)
        return;
    Memory *memory = tree->memory;
    memoryRelease(memory, tree->order);
    memoryRelease(memory, tree->front);
    memoryRelease(memory, tree->task);
    memoryRelease(memory, tree->row);
    memoryRelease(memory, tree->slot);
    memoryRelease(memory, tree->vertex);
    memoryRelease(memory, tree->relative);
    memoryRelease(memory, tree->child);
    memoryRelease(memory, tree->touch);
    memoryRelease(memory, tree->columnStart);
    memoryRelease(memory, tree->entryFront);
    memoryRelease(memory, tree->entry);
    memoryRelease(memory, tree);
}

long long frontTreeEntries(const FrontTree *tree)
{
    return tree->entries;
}

double frontTreeFlops(const FrontTree *tree)
{
    return tree->flops;
}
