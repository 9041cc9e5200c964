// verve-blocks: matrices of 3x3 blocks, M + h^2 K with K the stiffness of an elastic body at rest, beside CHOLMOD.
//   verve-blocks [options of verve-bench]
// Contenders take turns, one thread and all of them; times are the least and the median of the rounds: of one thread
// the processor's, which other programs on the machine disturb less, of more the wall clock's.
#include "bench/bench.h"

#include "linear/front.h"
#include "linear/linear.h"
#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POISSON 0.3
#define SLOW 400.0 // ms: what takes longer is measured twice only
#define CONTENDERS 4
#define LARGE 10000 // vertices: above it a simplicial factor takes minutes and is left out

// ---- the matrix -----------------------------------------------------------------------------------------------------

typedef struct Blocks
{
    Memory memory;
    Graph *graph;
    double *value;          // entries x 9
    int *start, *row;       // the same as scalars: lower triangle by columns
    double *scalar;         //
    double *right, *result; // count x 3
} Blocks;

static void addBlock(Blocks *m, int a, int b, const double *block)
{
    double *to = m->value + 9 * (size_t)graphFind(m->graph, a > b ? a : b, a > b ? b : a);
    for (int i = 0; i < 9; ++i)
        to[i] += a >= b ? block[i] : block[i % 3 * 3 + i / 3];
}

static void addTet(Blocks *m, const Problem *p, const int *number, const int *t)
{
    Vec3 g[4];
    double weight = p->h * p->h * tetGradients(p->rest, t, g), mu = p->young / (2 + 2 * POISSON);
    double lambda = p->young * POISSON / ((1 + POISSON) * (1 - 2 * POISSON));
    for (int a = 0; a < 4; ++a)
    {
        for (int b = 0; b <= a; ++b)
        {
            double block[9], left[3], right[3];
            vecStore(left, g[a]);
            vecStore(right, g[b]);
            for (int i = 0; i < 9; ++i)
                block[i] = weight * (lambda * left[i / 3] * right[i % 3] + mu * left[i % 3] * right[i / 3] +
                                     (i % 4 == 0 ? mu * vecDot(g[a], g[b]) : 0));
            addBlock(m, number[t[a]], number[t[b]], block);
        }
    }
}

// the lower triangle as scalars
static void expand(Blocks *m)
{
    const Graph *graph = m->graph;
    int used = 0;
    for (int j = 0; j < 3 * graph->count; ++j)
    {
        m->start[j] = used;
        for (int k = graph->start[j / 3]; k < graph->start[j / 3 + 1]; ++k)
        {
            for (int i = 0; i < 3; ++i)
            {
                int row = 3 * graph->row[k] + i;
                if (row < j)
                    continue;
                m->row[used] = row;
                m->scalar[used++] = m->value[9 * (size_t)k + 3 * (size_t)i + (size_t)(j % 3)];
            }
        }
    }
    m->start[3 * graph->count] = used;
}

static bool blocksMake(Blocks *m, const Problem *p)
{
    const vvMesh *mesh = p->mesh;
    m->memory = memoryMake(NULL);
    m->graph = graphCreate(&m->memory, mesh->vertexCount, mesh->pair, mesh->pairCount);
    if (m->graph == NULL)
        return false;
    size_t entries = 9 * (size_t)m->graph->start[m->graph->count], reals = (size_t)m->graph->count * 3;
    m->value = calloc(entries, sizeof(double));
    m->scalar = calloc(entries, sizeof(double));
    m->row = calloc(entries, sizeof(int));
    m->start = calloc(reals + 1, sizeof(int));
    m->right = calloc(reals, sizeof(double));
    m->result = calloc(reals, sizeof(double));
    if (!m->value || !m->scalar || !m->row || !m->start || !m->right || !m->result)
        return false;
    const int *number = mesh->vertexFromCaller;
    for (int v = 0; v < p->vertexCount; ++v)
    {
        double mass[9] = { p->mass[v], 0, 0, 0, p->mass[v], 0, 0, 0, p->mass[v] };
        addBlock(m, number[v], number[v], mass);
    }
    for (int i = 0; i < p->tetCount; ++i)
        addTet(m, p, number, p->tets + 4 * i);
    expand(m);
    for (size_t i = 0; i < reals; ++i)
        m->right[i] = 1 + (double)(i * 7919 % 1000) / 1000; // anything without a pattern
    return true;
}

static void blocksFree(Blocks *m)
{
    graphDestroy(m->graph);
    free(m->value);
    free(m->scalar);
    free(m->row);
    free(m->start);
    free(m->right);
    free(m->result);
}

// |A x - b| / |b|
static double solveError(const Blocks *m)
{
    int n = 3 * m->graph->count;
    double *left = calloc((size_t)n, sizeof(double)), largest = 0, scale = 0;
    for (int j = 0; j < n && left != NULL; ++j)
    {
        for (int k = m->start[j]; k < m->start[j + 1]; ++k)
        {
            left[m->row[k]] += m->scalar[k] * m->result[j];
            if (m->row[k] != j)
                left[j] += m->scalar[k] * m->result[m->row[k]];
        }
    }
    for (int i = 0; i < n && left != NULL; ++i)
    {
        double error = fabs(left[i] - m->right[i]);
        largest = error <= largest ? largest : error;
        scale = fmax(scale, fabs(m->right[i]));
    }
    free(left);
    return largest / scale;
}

// ---- contenders -----------------------------------------------------------------------------------------------------

typedef struct Contender
{
    const char *name;
    FrontPrecision precision;     // Verve's
    const LinearContender *rival; // or NULL
    int threads;
    Workers *workers;
    FrontTree *tree;
    FrontFactor *factor;
    void *self;
    double analyse; // ms
    Samples compute, solve;
    double error, entries;
} Contender;

static bool contenderMake(Contender *c, Blocks *m, const Problem *p, const LinearProblem *linear)
{
    double since = seconds();
    if (c->rival != NULL)
    {
        c->self = c->rival->create(linear, c->threads);
        bool fine = c->self != NULL && c->rival->analyse(c->self);
        c->analyse = 1000 * (seconds() - since);
        c->entries = fine ? c->rival->entries(c->self) : 0;
        return fine;
    }
    c->workers = c->threads > 1 ? workersCreate(&m->memory, c->threads, NULL) : NULL;
    c->tree = frontTreeCreateBlocks(&m->memory, m->graph, p->mesh->point);
    c->analyse = 1000 * (seconds() - since);
    c->factor = c->tree ? frontFactorCreate(&m->memory, c->tree, c->precision, isaBest()) : NULL;
    c->entries = c->tree ? (double)frontTreeEntries(c->tree) : 0;
    return c->factor != NULL;
}

static void contenderFree(Contender *c)
{
    if (c->self != NULL)
        c->rival->destroy(c->self);
    frontFactorDestroy(c->factor);
    frontTreeDestroy(c->tree);
    workersDestroy(c->workers);
}

static double now(const Contender *c)
{
    return c->threads > 1 ? seconds() : (double)clock() / CLOCKS_PER_SEC;
}

static bool measure(Contender *c, Blocks *m)
{
    if (c->compute.count > 1 && c->compute.value[0] > SLOW)
        return true;
    double since = now(c);
    bool fine = c->rival ? c->rival->factor(c->self) : frontFactorCompute(c->factor, m->value, c->workers);
    double taken = 1000 * (now(c) - since);
    since = now(c);
    if (fine && c->rival)
        c->rival->solve(c->self, m->right, m->result);
    else if (fine)
        frontFactorSolve(c->factor, m->right, m->result, c->workers);
    samplesAdd(&c->compute, taken);
    samplesAdd(&c->solve, 1000 * (now(c) - since));
    c->error = solveError(m);
    return fine;
}

static bool runTeam(Blocks *m, const Problem *p, const BenchOptions *options, const char *row, int threads)
{
    LinearProblem linear = {
        .count = 3 * m->graph->count, .start = m->start, .row = m->row, .value = m->scalar, .columns = 1
    };
    const Rivals *rivals = rivalTable();
    int count = m->graph->count > LARGE ? CONTENDERS - 1 : CONTENDERS;
    Contender all[CONTENDERS] = { { .name = "verve f64", .precision = FRONT_DOUBLE },
                                  { .name = "verve f32", .precision = FRONT_SINGLE },
                                  { .name = rivals->linear[1]->name, .rival = rivals->linear[1] },
                                  { .name = rivals->linear[0]->name, .rival = rivals->linear[0] } };
    bool fine = true;
    for (int i = 0; i < count; ++i)
    {
        all[i].threads = threads;
        fine = fine && contenderMake(&all[i], m, p, &linear);
    }
    for (int round = 0; round < options->rounds && fine; ++round)
    {
        for (int i = 0; i < count; ++i)
            fine = fine && measure(&all[i], m);
    }
    double best =
        fine ? fmin(samplesAt(&all[2].compute, 0), count == CONTENDERS ? samplesAt(&all[3].compute, 0) : INFINITY) : 0;
    for (int i = 0; i < count && fine; ++i)
        printf("%-8s %-20s %7d %10.0f %8.1f %9.2f %9.2f %8.3f %8.3f %6.2f %8.0e\n", row, all[i].name, threads,
               all[i].entries, all[i].analyse, samplesAt(&all[i].compute, 0), samplesAt(&all[i].compute, 0.5),
               samplesAt(&all[i].solve, 0), samplesAt(&all[i].solve, 0.5), best / samplesAt(&all[i].compute, 0),
               all[i].error);
    for (int i = 0; i < count; ++i)
        contenderFree(&all[i]);
    return fine;
}

static bool runRow(const BenchOptions *options, const Row *row)
{
    char message[256] = "";
    Problem problem;
    bool file, fine = problemCreate(row, options->meshDir, &problem, &file, message, sizeof message);
    if (!fine)
    {
        fprintf(stderr, "verve-blocks: %s\n", message);
        return false;
    }
    Blocks m = { 0 };
    if (problem.tetCount > 0)
    {
        fine = blocksMake(&m, &problem) && runTeam(&m, &problem, options, row->name, 1) &&
               (options->threads == 1 || runTeam(&m, &problem, options, row->name, options->threads));
        if (!fine)
            fprintf(stderr, "verve-blocks: %s could not be made or factored\n", row->name);
        blocksFree(&m);
    }
    problemDestroy(&problem);
    return fine;
}

int main(int argc, char **argv)
{
    BenchOptions options;
    char message[256];
    if (!benchParse(argc - 1, argv + 1, &options, message, sizeof message))
    {
        fprintf(stderr, "verve-blocks: %s\n", message);
        return 2;
    }
    if (options.help)
    {
        benchHelp(stdout, "verve-blocks");
        return 0;
    }
    printf("%s, %s, load %s; rivals: %s\nms; best: CHOLMOD's better one / this, of the least times\n", machineCpu(),
           machineIsa(), machineLoad(), rivalTable()->describe());
    printf("%-8s %-20s %7s %10s %8s %9s %9s %8s %8s %6s %8s\n", "row", "contender", "threads", "entries L", "analyse",
           "factor", "median", "solve", "median", "best", "error");
    bool fine = true;
    for (int i = 0; i < rowCount(); ++i)
    {
        if (options.row == NULL || strcmp(options.row, rowAt(i)->name) == 0)
            fine = runRow(&options, rowAt(i)) && fine;
    }
    return fine ? 0 : 1;
}
