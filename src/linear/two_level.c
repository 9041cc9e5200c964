#include "linear/two_level.h"

#include "linear/aggregate.h"
#include "linear/eigen.h"
#include "linear/front.h"

#include <math.h>
#include <string.h>

struct TwoLevel
{
    Memory *memory;
    TwoLevelRecipe recipe;
    const BlockKernels *kernels;
    Coarse coarse;
    FrontTree *tree;
    FrontFactor *factor;
    double *inverse;  // count x 9: of the diagonal blocks
    double *residual; // count x 3 x width
    double *change;   //
    double *small;    // 6 aggregates x width
    double *line[2];  // 6 aggregates: one of them
};

// ---- creation -------------------------------------------------------------------------------------------------------

static void invertDiagonal(TwoLevel *level)
{
    const BlockMatrix *matrix = level->recipe.matrix;
    for (int v = 0; v < matrix->graph->count; ++v)
        invertBlock(matrix->value + 9 * (ptrdiff_t)matrix->graph->start[v], level->inverse + 9 * (ptrdiff_t)v);
}

static bool prepare(TwoLevel *level)
{
    Memory *memory = level->memory;
    const TwoLevelRecipe *r = &level->recipe;
    size_t size = (size_t)r->matrix->graph->count * 3 * (size_t)r->width;
    level->inverse = ALLOCATE(memory, double, 9 * (size_t)r->matrix->graph->count);
    level->residual = ALLOCATE(memory, double, size);
    level->change = ALLOCATE(memory, double, size);
    if (level->inverse == NULL || level->residual == NULL || level->change == NULL)
        return false;
    invertDiagonal(level);
    CoarseRecipe coarse = { .matrix = r->matrix,
                            .inverse = level->inverse,
                            .points = r->points,
                            .mass = r->mass,
                            .fixed = r->fixed,
                            .omega = 4.0 / (3.0 * r->corners) }; // D times `corners` is above the matrix
    if (!coarseMake(memory, &coarse, &level->coarse))
        return false;
    size_t coarseSize = 6 * (size_t)level->coarse.count;
    level->small = ALLOCATE(memory, double, coarseSize *(size_t)r->width);
    level->line[0] = ALLOCATE(memory, double, coarseSize);
    level->line[1] = ALLOCATE(memory, double, coarseSize);
    level->tree = frontTreeCreateBlocks(memory, level->coarse.graph, level->coarse.points);
    if (level->small == NULL || level->line[0] == NULL || level->line[1] == NULL || level->tree == NULL)
        return false;
    level->factor = frontFactorCreate(memory, level->tree, FRONT_DOUBLE, r->isa);
    return level->factor != NULL && frontFactorCompute(level->factor, level->coarse.matrix->value, NULL);
}

TwoLevel *twoLevelCreate(Memory *memory, const TwoLevelRecipe *recipe)
{
    TwoLevel *level = ALLOCATE(memory, TwoLevel, 1);
    if (level == NULL)
        return NULL;
    *level = (TwoLevel){ .memory = memory, .recipe = *recipe, .kernels = blockKernels(recipe->isa) };
    if (prepare(level))
        return level;
    twoLevelDestroy(level);
    return NULL;
}

void twoLevelDestroy(TwoLevel *level)
{
    if (level == NULL)
        return;
    Memory *memory = level->memory;
    frontFactorDestroy(level->factor);
    frontTreeDestroy(level->tree);
    coarseFree(memory, &level->coarse);
    memoryRelease(memory, level->inverse);
    memoryRelease(memory, level->residual);
    memoryRelease(memory, level->change);
    memoryRelease(memory, level->small);
    memoryRelease(memory, level->line[0]);
    memoryRelease(memory, level->line[1]);
    memoryRelease(memory, level);
}

// ---- use ------------------------------------------------------------------------------------------------------------

// x = P small
static void spread(const TwoLevel *level, double *x)
{
    const Coarse *coarse = &level->coarse;
    int width = level->recipe.width;
    memset(x, 0, (size_t)coarse->vertices * 3 * (size_t)width * sizeof(double));
    for (int v = 0; v < coarse->vertices; ++v)
    {
        for (int k = coarse->start[v]; k < coarse->start[v + 1]; ++k)
            level->kernels->spread(coarse->value + 18 * (ptrdiff_t)k, width,
                                   level->small + (ptrdiff_t)coarse->aggregate[k] * 6 * width,
                                   x + (ptrdiff_t)v * 3 * width);
    }
}

// small = P^T r
static void collect(const TwoLevel *level, const double *r)
{
    const Coarse *coarse = &level->coarse;
    int width = level->recipe.width;
    memset(level->small, 0, (size_t)coarse->count * 6 * (size_t)width * sizeof(double));
    for (int v = 0; v < coarse->vertices; ++v)
    {
        for (int k = coarse->start[v]; k < coarse->start[v + 1]; ++k)
            level->kernels->collect(coarse->value + 18 * (ptrdiff_t)k, width, r + (ptrdiff_t)v * 3 * width,
                                    level->small + (ptrdiff_t)coarse->aggregate[k] * 6 * width);
    }
}

static void solveCoarse(const TwoLevel *level)
{
    int size = 6 * level->coarse.count, width = level->recipe.width;
    for (int k = 0; k < width; ++k)
    {
        for (int i = 0; i < size; ++i)
            level->line[0][i] = level->small[(ptrdiff_t)i * width + k];
        frontFactorSolve(level->factor, level->line[0], level->line[1], NULL);
        for (int i = 0; i < size; ++i)
            level->small[(ptrdiff_t)i * width + k] = level->line[1][i];
    }
}

void twoLevelApply(TwoLevel *level, const double *r, double *z)
{
    const BlockMatrix *matrix = level->recipe.matrix;
    const BlockKernels *kernels = level->kernels;
    int width = level->recipe.width;
    ptrdiff_t size = (ptrdiff_t)matrix->graph->count * 3 * width;
    double *residual = level->residual, *change = level->change;
    memcpy(change, r, (size_t)size * sizeof(double));
    kernels->forward(matrix, level->inverse, width, change, z);
    kernels->above(matrix, width, z, residual);
    collect(level, residual);
    solveCoarse(level);
    spread(level, change);
    for (ptrdiff_t i = 0; i < size; ++i)
        z[i] += change[i];
    kernels->lower(matrix, width, change, residual);
    kernels->backward(matrix, level->inverse, width, residual, z);
}

static void solveLine(void *user, const double *right, double *result)
{
    const TwoLevel *level = user;
    frontFactorSolve(level->factor, right, result, NULL);
}

bool twoLevelLowest(TwoLevel *level, int skipped, double *x)
{
    Memory *memory = level->memory;
    int nodes = 2 * level->coarse.count, width = level->recipe.width, wanted = width + skipped;
    double *mass = ALLOCATE(memory, double, nodes), *values = ALLOCATE(memory, double, wanted);
    double *vectors = ALLOCATE(memory, double, (size_t)wanted * 3 * (size_t)nodes);
    unsigned char *fixed = ALLOCATE(memory, unsigned char, nodes);
    int found = -1;
    if (mass != NULL && values != NULL && vectors != NULL && fixed != NULL)
    {
        memset(fixed, 0, (size_t)nodes);
        for (int i = 0; i < nodes; ++i)
            mass[i] = 1;
        EigenProblem problem = { .count = nodes,
                                 .mass = mass,
                                 .fixed = fixed,
                                 .precondition = solveLine,
                                 .user = level,
                                 .tolerance = 0.05,
                                 .isa = level->recipe.isa };
        found = eigenLowest(&problem, memory, 0, NULL, 0, wanted, values, vectors);
        memset(level->small, 0, (size_t)nodes * 3 * (size_t)width * sizeof(double));
        for (int k = skipped; k < found; ++k)
        {
            for (int i = 0; i < 3 * nodes; ++i)
                level->small[(ptrdiff_t)i * width + k - skipped] = vectors[(ptrdiff_t)k * 3 * nodes + i];
        }
        spread(level, x);
    }
    memoryRelease(memory, fixed);
    memoryRelease(memory, vectors);
    memoryRelease(memory, values);
    memoryRelease(memory, mass);
    return found >= 0;
}
