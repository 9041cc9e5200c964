#include "linear/aggregate.h"

#include <math.h>
#include <string.h>

#define MOST_AGGREGATES 600 // above it they reach one vertex further
#define NEAR_SIZE 20        // vertices of one that reaches one vertex far; every further one multiplies it by 4
#define DEPENDENT 1e-6      // of a motion's length: what is left below it is another's

void invertBlock(const double *m, double *inverse)
{
    double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
    double det = 1 / (m[0] * a + m[1] * b + m[2] * c);
    inverse[0] = a * det;
    inverse[1] = inverse[3] = b * det;
    inverse[2] = inverse[6] = c * det;
    inverse[4] = (m[0] * m[8] - m[2] * m[6]) * det;
    inverse[5] = inverse[7] = (m[2] * m[3] - m[0] * m[5]) * det;
    inverse[8] = (m[0] * m[4] - m[1] * m[3]) * det;
}

// ---- aggregates -----------------------------------------------------------------------------------------------------

typedef struct Grouping
{
    Neighbours neighbours;
    int vertices, count;
    int *of;    // vertices: the aggregate, or -1
    int *mark;  // vertices
    int *queue; // vertices
    int *start; // count + 1, once they are known
    int *member;
} Grouping;

// the vertices around one, as far as `radius`, in queue; returns how many
static int gatherBall(Grouping *g, int centre, int radius)
{
    int count = 1, begin = 0;
    g->queue[0] = centre;
    g->mark[centre] = centre;
    for (int ring = 0; ring < radius; ++ring)
    {
        int end = count;
        for (; begin < end; ++begin)
        {
            int v = g->queue[begin];
            for (int k = g->neighbours.start[v]; k < g->neighbours.start[v + 1]; ++k)
            {
                int other = g->neighbours.vertex[k];
                if (g->mark[other] == centre)
                    continue;
                g->mark[other] = centre;
                g->queue[count++] = other;
            }
        }
    }
    return count;
}

static void seedAggregates(Grouping *g, int radius)
{
    for (int v = 0; v < g->vertices; ++v)
        g->of[v] = g->mark[v] = -1;
    for (int v = 0; v < g->vertices; ++v)
    {
        if (g->of[v] >= 0)
            continue;
        int count = gatherBall(g, v, radius);
        bool open = true;
        for (int i = 0; i < count && open; ++i)
            open = g->of[g->queue[i]] < 0;
        for (int i = 0; i < count && open; ++i)
            g->of[g->queue[i]] = g->count;
        g->count += open;
    }
}

// what lies between aggregates goes to the one beside it, ring by ring; what has none is one
static void joinRest(Grouping *g)
{
    for (int left = 1; left > 0;)
    {
        int joined = 0;
        left = 0;
        for (int v = 0; v < g->vertices; ++v)
        {
            g->mark[v] = g->of[v];
            for (int k = g->neighbours.start[v]; k < g->neighbours.start[v + 1] && g->mark[v] < 0; ++k)
                g->mark[v] = g->of[g->neighbours.vertex[k]];
        }
        for (int v = 0; v < g->vertices; ++v)
        {
            joined += g->of[v] != g->mark[v];
            g->of[v] = g->mark[v];
            left += g->of[v] < 0;
        }
        for (int v = 0; v < g->vertices && joined == 0 && left > 0; ++v)
        {
            if (g->of[v] >= 0)
                continue;
            g->of[v] = g->count++;
            left = 1; // its neighbours follow
            break;
        }
    }
}

static bool listMembers(Memory *memory, Grouping *g)
{
    g->start = ALLOCATE(memory, int, (size_t)g->count + 1);
    g->member = ALLOCATE(memory, int, g->vertices);
    if (g->start == NULL || g->member == NULL)
        return false;
    memset(g->start, 0, ((size_t)g->count + 1) * sizeof(int));
    for (int v = 0; v < g->vertices; ++v)
        g->start[g->of[v] + 1] += 1;
    for (int a = 0; a < g->count; ++a)
        g->start[a + 1] += g->start[a];
    memcpy(g->queue, g->start, (size_t)minInt(g->count, g->vertices) * sizeof(int));
    for (int v = 0; v < g->vertices; ++v)
        g->member[g->queue[g->of[v]]++] = v;
    return true;
}

static bool groupVertices(Memory *memory, const Graph *graph, Grouping *g)
{
    int radius = 1;
    for (double size = NEAR_SIZE; graph->count / size > MOST_AGGREGATES; size *= 4)
        radius += 1;
    g->vertices = graph->count;
    g->of = ALLOCATE(memory, int, graph->count);
    g->mark = ALLOCATE(memory, int, graph->count);
    g->queue = ALLOCATE(memory, int, graph->count);
    if (g->of == NULL || g->mark == NULL || g->queue == NULL || !neighboursMake(memory, graph, &g->neighbours))
        return false;
    seedAggregates(g, radius);
    joinRest(g);
    return listMembers(memory, g);
}

static void groupingFree(Memory *memory, Grouping *g)
{
    neighboursFree(memory, &g->neighbours);
    memoryRelease(memory, g->of);
    memoryRelease(memory, g->mark);
    memoryRelease(memory, g->queue);
    memoryRelease(memory, g->start);
    memoryRelease(memory, g->member);
}

// ---- rigid motions --------------------------------------------------------------------------------------------------

static double overlapOf(const CoarseRecipe *recipe, const int *member, int count, const double *motion, int a, int b)
{
    double sum = 0;
    for (int i = 0; i < 3 * count; ++i)
    {
        const double *row = motion + 18 * (ptrdiff_t)member[i / 3] + i % 3 * 6;
        sum += recipe->mass[member[i / 3]] * row[a] * row[b];
    }
    return sum;
}

// `motion` (vertices x 18) of one aggregate: along and about x, y and z, orthonormal in the masses; 0 where one depends
// on those before it
static void rigidMotionsOf(const CoarseRecipe *recipe, const int *member, int count, double *centre, double *motion)
{
    double mass = 0;
    memset(centre, 0, 3 * sizeof(double));
    for (int i = 0; i < count; ++i)
    {
        mass += recipe->mass[member[i]];
        for (int a = 0; a < 3; ++a)
            centre[a] += recipe->mass[member[i]] * recipe->points[3 * (ptrdiff_t)member[i] + a];
    }
    for (int a = 0; a < 3; ++a)
        centre[a] /= mass;
    for (int i = 0; i < count; ++i)
    {
        double *row = motion + 18 * (ptrdiff_t)member[i], r[3], open = recipe->fixed[member[i]] ? 0 : 1;
        for (int a = 0; a < 3; ++a)
            r[a] = open * (recipe->points[3 * (ptrdiff_t)member[i] + a] - centre[a]);
        const double full[18] = { open, 0, 0, 0, r[2], -r[1], 0, open, 0, -r[2], 0, r[0], 0, 0, open, r[1], -r[0], 0 };
        memcpy(row, full, sizeof full);
    }
    for (int column = 0; column < 6; ++column)
    {
        double before = overlapOf(recipe, member, count, motion, column, column);
        for (int other = 0; other < 2 * column; ++other)
        {
            double overlap = overlapOf(recipe, member, count, motion, column, other % column);
            for (int i = 0; i < 3 * count; ++i)
            {
                double *row = motion + 18 * (ptrdiff_t)member[i / 3] + i % 3 * 6;
                row[column] -= overlap * row[other % column];
            }
        }
        double square = overlapOf(recipe, member, count, motion, column, column);
        double scale = square > DEPENDENT * DEPENDENT * before ? 1 / sqrt(square) : 0;
        for (int i = 0; i < 3 * count; ++i)
            motion[18 * (ptrdiff_t)member[i / 3] + i % 3 * 6 + column] *= scale;
    }
}

// ---- rows of blocks -------------------------------------------------------------------------------------------------

// Rows over aggregates, of 3 x 6 blocks.
typedef struct Rows
{
    int *start;
    int *aggregate;
    double *value;
} Rows;

static void rowsFree(Memory *memory, Rows *rows)
{
    memoryRelease(memory, rows->start);
    memoryRelease(memory, rows->aggregate);
    memoryRelease(memory, rows->value);
}

static double *findBlock(const Rows *rows, int vertex, int aggregate)
{
    int k = rows->start[vertex];
    while (rows->aggregate[k] != aggregate)
        k += 1;
    return rows->value + 18 * (ptrdiff_t)k;
}

// the aggregates of `source` at a vertex and its neighbours, each once; source NULL: the vertices' own. target NULL:
// only counts
static int unite(Grouping *g, const Rows *source, int vertex, int stamp, int *target)
{
    int count = 0;
    for (int k = g->neighbours.start[vertex] - 1; k < g->neighbours.start[vertex + 1]; ++k)
    {
        int v = k < g->neighbours.start[vertex] ? vertex : g->neighbours.vertex[k];
        int begin = source ? source->start[v] : 0, end = source ? source->start[v + 1] : 1;
        for (int i = begin; i < end; ++i)
        {
            int a = source ? source->aggregate[i] : g->of[v];
            if (g->mark[a] == stamp)
                continue;
            g->mark[a] = stamp;
            if (target != NULL)
                target[count] = a;
            count += 1;
        }
    }
    return count;
}

static bool rowsShape(Memory *memory, Grouping *g, const Rows *source, Rows *rows)
{
    rows->start = ALLOCATE(memory, int, (size_t)g->vertices + 1);
    if (rows->start == NULL)
        return false;
    for (int a = 0; a < g->count; ++a)
        g->mark[a] = -1;
    rows->start[0] = 0;
    for (int v = 0; v < g->vertices; ++v)
        rows->start[v + 1] = rows->start[v] + unite(g, source, v, 2 * v, NULL);
    size_t blocks = (size_t)rows->start[g->vertices];
    rows->aggregate = ALLOCATE(memory, int, blocks);
    rows->value = ALLOCATE(memory, double, 18 * blocks);
    if (rows->aggregate == NULL || rows->value == NULL)
        return false;
    memset(rows->value, 0, 18 * blocks * sizeof(double));
    for (int v = 0; v < g->vertices; ++v)
        unite(g, source, v, 2 * v + 1, rows->aggregate + rows->start[v]);
    return true;
}

// y += a x, or a^T x; a: 3x3, x: 3 x 6
static void addBlockTimes(const double *a, bool transposed, const double *x, double *y)
{
    for (int i = 0; i < 3; ++i)
    {
        double a0 = a[transposed ? i : 3 * i], a1 = a[transposed ? 3 + i : 3 * i + 1];
        double a2 = a[transposed ? 6 + i : 3 * i + 2];
        for (int j = 0; j < 6; ++j)
            y[6 * i + j] += a0 * x[j] + a1 * x[6 + j] + a2 * x[12 + j];
    }
}

// target = A source
static void multiplyRows(const BlockMatrix *matrix, const Rows *source, const Rows *target)
{
    const Graph *graph = matrix->graph;
    for (int column = 0; column < graph->count; ++column)
    {
        for (int k = graph->start[column]; k < graph->start[column + 1]; ++k)
        {
            const double *block = matrix->value + 9 * (ptrdiff_t)k;
            int row = graph->row[k];
            for (int i = source->start[column]; i < source->start[column + 1]; ++i)
                addBlockTimes(block, false, source->value + 18 * (ptrdiff_t)i,
                              findBlock(target, row, source->aggregate[i]));
            for (int i = source->start[row]; i < source->start[row + 1] && row != column; ++i)
                addBlockTimes(block, true, source->value + 18 * (ptrdiff_t)i,
                              findBlock(target, column, source->aggregate[i]));
        }
    }
}

// P = (1 - omega D^-1 A) motion
static void smoothRows(const CoarseRecipe *recipe, const Grouping *g, const double *motion, const Rows *rows)
{
    for (int v = 0; v < g->vertices; ++v)
    {
        for (int k = rows->start[v]; k < rows->start[v + 1]; ++k)
        {
            double *value = rows->value + 18 * (ptrdiff_t)k, product[18] = { 0 };
            addBlockTimes(recipe->inverse + 9 * (ptrdiff_t)v, false, value, product);
            for (int i = 0; i < 18; ++i)
                value[i] =
                    -recipe->omega * product[i] + (rows->aggregate[k] == g->of[v] ? motion[18 * (ptrdiff_t)v + i] : 0);
        }
    }
}

// ---- the coarse matrix ----------------------------------------------------------------------------------------------

static Graph *coarseGraph(Memory *memory, const Grouping *g, const Rows *p, const Rows *product)
{
    size_t most = (size_t)g->count;
    for (int v = 0; v < g->vertices; ++v)
        most += 4 * (size_t)(p->start[v + 1] - p->start[v]) * (size_t)(product->start[v + 1] - product->start[v]);
    int *pairs = most < INT32_MAX / 2 ? ALLOCATE(memory, int, 2 * most) : NULL, count = 0;
    if (pairs == NULL)
        return NULL;
    for (int a = 0; a < g->count; ++a, ++count)
    {
        pairs[2 * count] = 2 * a;
        pairs[2 * count + 1] = 2 * a + 1;
    }
    for (int v = 0; v < g->vertices; ++v)
    {
        for (int i = p->start[v]; i < p->start[v + 1]; ++i)
        {
            for (int j = product->start[v]; j < product->start[v + 1]; ++j)
            {
                int a = p->aggregate[i], b = product->aggregate[j];
                for (int k = 0; k < 4 && a > b; ++k, ++count)
                {
                    pairs[2 * count] = 2 * a + k / 2;
                    pairs[2 * count + 1] = 2 * b + k % 2;
                }
            }
        }
    }
    Graph *graph = graphCreate(memory, 2 * g->count, pairs, count);
    memoryRelease(memory, pairs);
    return graph;
}

// the lower triangle of p^T product at an aggregate pair a >= b
static void addCoarse(BlockMatrix *matrix, int a, int b, const double *p, const double *product)
{
    for (int k = 0; k < 4; ++k)
    {
        int row = 2 * a + k / 2, column = 2 * b + k % 2;
        if (row < column)
            continue;
        double *block = matrix->value + 9 * (ptrdiff_t)graphFind(matrix->graph, row, column);
        const double *left = p + k / 2 * 3, *right = product + k % 2 * 3;
        for (int i = 0; i < 9; ++i)
            block[i] +=
                left[i / 3] * right[i % 3] + left[6 + i / 3] * right[6 + i % 3] + left[12 + i / 3] * right[12 + i % 3];
    }
}

// motions that do not exist have no row: as stiff as the stiffest
static void fillMissing(BlockMatrix *matrix)
{
    double most = 0;
    for (int turn = 0; turn < 2; ++turn)
    {
        for (int i = 0; i < 3 * matrix->graph->count; ++i)
        {
            double *diagonal = matrix->value + 9 * (ptrdiff_t)matrix->graph->start[i / 3] + 4 * (i % 3);
            most = *diagonal > most ? *diagonal : most;
            *diagonal = turn == 1 && *diagonal == 0 ? most : *diagonal;
        }
    }
}

static bool makeMatrix(Memory *memory, const Grouping *g, const Rows *p, const Rows *product, Coarse *coarse)
{
    coarse->graph = coarseGraph(memory, g, p, product);
    coarse->matrix = coarse->graph ? matrixCreate(memory, coarse->graph) : NULL;
    if (coarse->matrix == NULL)
        return false;
    matrixClear(coarse->matrix);
    for (int v = 0; v < g->vertices; ++v)
    {
        for (int i = p->start[v]; i < p->start[v + 1]; ++i)
        {
            for (int j = product->start[v]; j < product->start[v + 1]; ++j)
            {
                if (p->aggregate[i] >= product->aggregate[j])
                    addCoarse(coarse->matrix, p->aggregate[i], product->aggregate[j], p->value + 18 * (ptrdiff_t)i,
                              product->value + 18 * (ptrdiff_t)j);
            }
        }
    }
    fillMissing(coarse->matrix);
    return true;
}

static bool makeRows(Memory *memory, const CoarseRecipe *recipe, Grouping *g, const double *motion, Rows *p)
{
    int *start = ALLOCATE(memory, int, (size_t)g->vertices + 1);
    bool ok = start != NULL && rowsShape(memory, g, NULL, p);
    for (int v = 0; v <= g->vertices && ok; ++v)
        start[v] = v;
    Rows own = { .start = start, .aggregate = g->of, .value = (double *)motion };
    if (ok)
    {
        multiplyRows(recipe->matrix, &own, p);
        smoothRows(recipe, g, motion, p);
    }
    memoryRelease(memory, start);
    return ok;
}

bool coarseMake(Memory *memory, const CoarseRecipe *recipe, Coarse *coarse)
{
    Grouping g = { 0 };
    Rows p = { 0 }, product = { 0 };
    double *motion = NULL;
    *coarse = (Coarse){ .vertices = recipe->matrix->graph->count };
    bool ok = groupVertices(memory, recipe->matrix->graph, &g);
    if (ok)
    {
        motion = ALLOCATE(memory, double, 18 * (size_t)g.vertices);
        coarse->points = ALLOCATE(memory, double, 6 * (size_t)g.count);
        ok = motion != NULL && coarse->points != NULL;
    }
    for (int a = 0; a < g.count && ok; ++a)
    {
        double *centre = coarse->points + 6 * (ptrdiff_t)a;
        rigidMotionsOf(recipe, g.member + g.start[a], g.start[a + 1] - g.start[a], centre, motion);
        memcpy(centre + 3, centre, 3 * sizeof(double));
    }
    ok = ok && makeRows(memory, recipe, &g, motion, &p) && rowsShape(memory, &g, &p, &product);
    if (ok)
    {
        multiplyRows(recipe->matrix, &p, &product);
        ok = makeMatrix(memory, &g, &p, &product, coarse);
    }
    coarse->count = g.count;
    coarse->start = p.start;
    coarse->aggregate = p.aggregate;
    coarse->value = p.value;
    memoryRelease(memory, motion);
    rowsFree(memory, &product);
    groupingFree(memory, &g);
    return ok;
}

void coarseFree(Memory *memory, Coarse *coarse)
{
    matrixDestroy(coarse->matrix);
    graphDestroy(coarse->graph);
    memoryRelease(memory, coarse->points);
    memoryRelease(memory, coarse->start);
    memoryRelease(memory, coarse->aggregate);
    memoryRelease(memory, coarse->value);
}
