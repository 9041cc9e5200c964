// The matrix behind a frame: order and symbolic factor, numeric factor, solve with three right-hand sides, and what it
// costs to change 100 vertices that lie together.
#include "bench/bench.h"

#include "linear/linear.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CLUSTER 100
#define CLUSTERS 20   // places where they lie
#define SLOW 0.4      // s: what takes longer is measured once
#define SHORTEST 2e-3 // s: what is shorter is repeated within one sample

typedef struct Matrix
{
    Memory memory;
    Graph *graph;
    double *value;   // entries: M + h^2 L
    double *heavier; // entries: the same with more on the diagonal of the cluster
    int cluster[CLUSTER];
    int clusterCount;
    double *right, *result, *check; // count x 3
} Matrix;

// ---- the matrix -----------------------------------------------------------------------------------------------------

static void addEntry(Matrix *m, int a, int b, double value)
{
    m->value[graphFind(m->graph, a > b ? a : b, a > b ? b : a)] += value;
}

double tetGradients(const double *rest, const int *t, Vec3 g[4])
{
    Mat3 edges;
    for (int c = 0; c < 3; ++c)
    {
        for (int a = 0; a < 3; ++a)
            edges.m[a][c] = rest[3 * t[c + 1] + a] - rest[3 * t[0] + a];
    }
    Mat3 inverse = matInverse(&edges);
    for (int c = 0; c < 3; ++c)
        g[c + 1] = vecLoad(inverse.m[c]);
    g[0] = vecScale(-1, vecAdd(g[1], vecAdd(g[2], g[3])));
    return matDeterminant(&edges) / 6;
}

// young x volume x (gradients of the shape functions), each pair once
static void addTet(Matrix *m, const Problem *p, const int *number, const int *t)
{
    Vec3 g[4];
    double weight = p->h * p->h * p->young * tetGradients(p->rest, t, g);
    for (int a = 0; a < 4; ++a)
    {
        for (int b = 0; b <= a; ++b)
            addEntry(m, number[t[a]], number[t[b]], weight * vecDot(g[a], g[b]));
    }
}

static void assemble(Matrix *m, const Problem *p, const int *number)
{
    double square = p->h * p->h;
    for (int v = 0; v < p->vertexCount; ++v)
        addEntry(m, number[v], number[v], p->mass[v]);
    for (int i = 0; i < p->tetCount; ++i)
        addTet(m, p, number, p->tets + 4 * i);
    for (int i = 0; i < p->springCount; ++i)
    {
        int a = number[p->springs[2 * i]], b = number[p->springs[2 * i + 1]];
        addEntry(m, a, a, square * p->springStiffness[i]);
        addEntry(m, b, b, square * p->springStiffness[i]);
        addEntry(m, a, b, -square * p->springStiffness[i]);
    }
    for (int i = 0; i < p->attachedCount; ++i)
        addEntry(m, number[p->attached[i]], number[p->attached[i]], square * p->attachedStiffness);
}

// vertices around one, breadth first, and the matrix in which they are heavier; false: out of memory
static bool placeCluster(Matrix *m, int centre)
{
    Neighbours near;
    unsigned char *seen = calloc((size_t)m->graph->count, 1);
    bool ok = seen != NULL && neighboursMake(&m->memory, m->graph, &near);
    if (ok)
    {
        seen[centre] = 1;
        m->cluster[0] = centre;
        m->clusterCount = 1;
        for (int at = 0; at < m->clusterCount; ++at)
        {
            for (int k = near.start[m->cluster[at]]; k < near.start[m->cluster[at] + 1]; ++k)
            {
                if (seen[near.vertex[k]] || m->clusterCount == CLUSTER)
                    continue;
                seen[near.vertex[k]] = 1;
                m->cluster[m->clusterCount++] = near.vertex[k];
            }
        }
        neighboursFree(&m->memory, &near);
        memcpy(m->heavier, m->value, (size_t)m->graph->start[m->graph->count] * sizeof(double));
        for (int i = 0; i < m->clusterCount; ++i)
            m->heavier[m->graph->start[m->cluster[i]]] *= 3;
    }
    free(seen);
    return ok;
}

static bool matrixMake(Matrix *m, const Problem *p)
{
    const vvMesh *mesh = p->mesh;
    m->memory = memoryMake(NULL);
    m->graph = graphCreate(&m->memory, mesh->vertexCount, mesh->pair, mesh->pairCount);
    if (m->graph == NULL)
        return false;
    size_t entries = (size_t)m->graph->start[m->graph->count], reals = (size_t)m->graph->count * 3;
    m->value = calloc(entries, sizeof(double));
    m->heavier = calloc(entries, sizeof(double));
    m->right = calloc(reals, sizeof(double));
    m->result = calloc(reals, sizeof(double));
    m->check = calloc(reals, sizeof(double));
    if (!m->value || !m->heavier || !m->right || !m->result || !m->check)
        return false;
    assemble(m, p, mesh->vertexFromCaller);
    for (size_t i = 0; i < reals; ++i)
        m->right[i] = 1 + (double)(i * 7919 % 1000) / 1000; // anything without a pattern
    return placeCluster(m, 0);
}

static void matrixFree(Matrix *m)
{
    graphDestroy(m->graph);
    free(m->value);
    free(m->heavier);
    free(m->right);
    free(m->result);
    free(m->check);
}

// |A x - b| / |b|
static double solveError(Matrix *m)
{
    const Graph *graph = m->graph;
    memset(m->check, 0, (size_t)graph->count * 3 * sizeof(double));
    for (int column = 0; column < graph->count; ++column)
    {
        for (int k = graph->start[column]; k < graph->start[column + 1]; ++k)
        {
            for (int a = 0; a < 3; ++a)
            {
                int row = graph->row[k];
                m->check[3 * row + a] += m->value[k] * m->result[3 * column + a];
                if (row != column)
                    m->check[3 * column + a] += m->value[k] * m->result[3 * row + a];
            }
        }
    }
    double largest = 0, scale = 0;
    for (int i = 0; i < 3 * graph->count; ++i)
    {
        double error = fabs(m->check[i] - m->right[i]);
        largest = error <= largest ? largest : error; // a NaN stays
        scale = fmax(scale, fabs(m->right[i]));
    }
    return largest / scale;
}

// ---- times ----------------------------------------------------------------------------------------------------------

typedef enum Operation
{
    ANALYSE,
    FACTOR,
    SOLVE,
    UPDATE,
} Operation;

static bool run(const LinearContender *contender, void *self, Operation operation, Matrix *m, int turn)
{
    if (operation == ANALYSE)
        return contender->analyse(self) != 0;
    if (operation == FACTOR)
        return contender->factor(self) != 0;
    if (operation == UPDATE)
        return contender->update(self, turn % 2 == 0 ? m->heavier : m->value, m->cluster, m->clusterCount) != 0;
    contender->solve(self, m->right, m->result);
    return true;
}

// one sample; what is short is repeated, an even number of times so that updates end where they began
static bool sample(const LinearContender *contender, void *self, Operation operation, Matrix *m, Samples *samples)
{
    if (samples->count > 0 && samples->value[0] > 1000 * SLOW)
        return true;
    double begin = seconds(), taken = 0;
    int turns = 0;
    while (turns == 0 || (operation != ANALYSE && (turns % 2 == 1 || taken < SHORTEST)))
    {
        if (!run(contender, self, operation, m, turns++))
            return false;
        taken = seconds() - begin;
        if (taken > SLOW && operation != UPDATE)
            break;
    }
    samplesAdd(samples, 1000 * taken / turns);
    return true;
}

static bool sampleAll(LinearEntry *entry, void *self, int which, Matrix *m)
{
    const LinearContender *c = entry->contender;
    if (which == 0 && !sample(c, self, ANALYSE, m, &entry->analyse))
        return false;
    if (which == 1 && entry->factor[1].count == 0 && !c->analyse(self))
        return false;
    if (!sample(c, self, FACTOR, m, &entry->factor[which]) || !sample(c, self, SOLVE, m, &entry->solve[which]))
        return false;
    entry->entries = c->entries(self);
    entry->error = solveError(m);
    return c->update == NULL || sample(c, self, UPDATE, m, &entry->update[which]);
}

// rounds over all contenders, like frames; each with one thread and with all
static bool measure(const BenchOptions *options, LinearReport *report, void *self[][2], Matrix *m)
{
    for (int round = 0; round < options->rounds; ++round)
    {
        for (int i = 0; i < report->entryCount; ++i)
        {
            for (int which = 0; which < (options->threads > 1 ? 2 : 1); ++which)
            {
                LinearEntry *entry = &report->entry[i];
                bool slow = round > 0 && entry->factor[which].value[0] > 1000 * SLOW;
                if (!slow && !sampleAll(entry, self[i][which], which, m))
                    return false;
            }
        }
    }
    return true;
}

// the least times of changes in many places, of the least time of a factor; one thread
static bool measureClusters(LinearEntry *entry, void *self, Matrix *m)
{
    for (int c = 0; c < CLUSTERS; ++c)
    {
        if (!placeCluster(m, (int)((long long)m->graph->count * (2 * c + 1) / (2 * CLUSTERS))))
            return false;
        Samples change = { 0 };
        for (int round = 0; round < 3; ++round)
        {
            if (!sample(entry->contender, self, UPDATE, m, &change))
                return false;
        }
        samplesAdd(&entry->clusters, samplesAt(&change, 0) / samplesAt(&entry->factor[0], 0));
    }
    return true;
}

bool measureLinear(const BenchOptions *options, const Row *row, const Problem *problem, const Rivals *rivals,
                   LinearReport *report, char *message, size_t size)
{
    Matrix m = { 0 };
    void *self[MOST_CONTENDERS][2] = { { NULL } };
    bool ok = matrixMake(&m, problem);
    LinearProblem linear = { .graph = m.graph, .value = m.value, .points = problem->mesh->point, .columns = 3 };
    if (ok)
    {
        linear.count = m.graph->count;
        linear.start = m.graph->start;
        linear.row = m.graph->row;
    }
    report->row = row;
    report->entryCount = 2 + (rivals != NULL ? rivals->linearCount : 0);
    for (int i = 0; i < report->entryCount; ++i)
    {
        const LinearContender *own = i == 0 ? &verveLinearSingle : &verveLinearDouble;
        report->entry[i].contender = i < 2 ? own : rivals->linear[i - 2];
        for (int which = 0; which < 2 && ok; ++which)
        {
            self[i][which] = report->entry[i].contender->create(&linear, which == 0 ? 1 : options->threads);
            ok = self[i][which] != NULL;
        }
    }
    ok = ok && measure(options, report, self, &m);
    for (int i = 0; i < 2 && ok; ++i)
        ok = measureClusters(&report->entry[i], self[i][0], &m);
    if (!ok)
        snprintf(message, size, "%s: the matrix could not be made or factored", row->name);
    for (int i = 0; i < report->entryCount; ++i)
    {
        for (int which = 0; which < 2; ++which)
        {
            if (self[i][which] != NULL)
                report->entry[i].contender->destroy(self[i][which]);
        }
    }
    matrixFree(&m);
    return ok;
}
