#include "linear/front_factor.h"

#include <math.h>
#include <string.h>

typedef struct Solve
{
    const FrontFactor *factor;
    const double *right;
    double *result;
    double scale;       // of the right-hand side on the way in
    double back;        // of the result on the way out
    const bool *onPath; // of each front: it takes part; NULL: all do
} Solve;

static void *vectorOf(const FrontFactor *factor, const FrontTask *task)
{
    return (char *)factor->vector + (size_t)task->vector * factor->sweeps->placeSize;
}

static void *touchedOf(const FrontFactor *factor, const FrontTask *task)
{
    return (char *)vectorOf(factor, task) + (size_t)task->own * factor->sweeps->placeSize;
}

static SolveFront solveFront(const FrontFactor *factor, int p, int f)
{
    const Front *front = &factor->tree->front[f];
    size_t size = factor->sweeps->realSize;
    char *storage = factor->storage, *vector = vectorOf(factor, &factor->tree->task[p]);
    return (SolveFront){ .columnGroups = frontGroups(front->columns),
                         .rowGroups = frontGroups(front->rows),
                         .tiles = storage + front->tiles * size,
                         .tilesEnd = storage + front[1].tiles * size,
                         .slot = factor->tree->slot + front->slotStart,
                         .own = vector + (size_t)front->vertex * factor->sweeps->placeSize,
                         .vector = vector };
}

// a front's rows of the right-hand side into the vector of its task, or back from there to the result
static void loadFront(const Solve *solve, int p, const Front *front)
{
    const FrontFactor *factor = solve->factor;
    const FrontTree *tree = factor->tree;
    const FrontTask *task = &tree->task[p];
    factor->sweeps->load(solve->right, tree->vertex + task->vector + front->vertex, 4 * frontGroups(front->columns),
                         tree->count - 1, solve->scale,
                         (char *)vectorOf(factor, task) + (size_t)front->vertex * factor->sweeps->placeSize);
}

static void storeFront(const Solve *solve, int p, const Front *front)
{
    const FrontFactor *factor = solve->factor;
    const FrontTask *task = &factor->tree->task[p];
    factor->sweeps->store((char *)vectorOf(factor, task) + (size_t)front->vertex * factor->sweeps->placeSize,
                          factor->tree->vertex + task->vector + front->vertex, 4 * frontGroups(front->columns),
                          solve->back, solve->result);
}

static bool takesPart(const Solve *solve, int p)
{
    return solve->onPath == NULL || solve->factor->taskOnPath[p];
}

static void forwardTask(void *context, int p)
{
    const Solve *solve = context;
    const FrontFactor *factor = solve->factor;
    const FrontTree *tree = factor->tree;
    const FrontTask *task = &tree->task[p];
    if (!takesPart(solve, p))
        return;
    if (solve->onPath == NULL)
        factor->sweeps->load(solve->right, tree->vertex + task->vector, task->own, tree->count - 1, solve->scale,
                             vectorOf(factor, task));
    for (int f = task->front; f < task->frontEnd && solve->onPath != NULL; ++f)
    {
        if (solve->onPath[f])
            loadFront(solve, p, &tree->front[f]);
    }
    memset(touchedOf(factor, task), 0, (size_t)(task->touchEnd - task->touchStart + 1) * factor->sweeps->placeSize);
    // the top begins with what the tasks have done to it, always in the same order
    for (int q = 0; p == tree->taskCount && q < p; ++q)
    {
        if (takesPart(solve, q))
            factor->sweeps->addTouched(touchedOf(factor, &tree->task[q]), tree->touch + tree->task[q].touchStart,
                                       tree->task[q].touchEnd - tree->task[q].touchStart, vectorOf(factor, task));
    }
    for (int f = task->front; f < task->frontEnd; ++f)
    {
        if (solve->onPath != NULL && !solve->onPath[f])
            continue;
        SolveFront front = solveFront(factor, p, f);
        factor->sweeps->forward(&front);
    }
}

static void backwardTask(void *context, int p)
{
    const Solve *solve = context;
    const FrontFactor *factor = solve->factor;
    const FrontTree *tree = factor->tree;
    const FrontTask *task = &tree->task[p];
    if (!takesPart(solve, p))
        return;
    factor->sweeps->copyTouched(vectorOf(factor, &tree->task[tree->taskCount]), tree->touch + task->touchStart,
                                task->touchEnd - task->touchStart, touchedOf(factor, task));
    for (int f = task->frontEnd - 1; f >= task->front; --f)
    {
        if (solve->onPath != NULL && !solve->onPath[f])
            continue;
        SolveFront front = solveFront(factor, p, f);
        factor->sweeps->backward(&front);
        if (solve->onPath != NULL)
            storeFront(solve, p, &tree->front[f]);
    }
    if (solve->onPath == NULL)
        factor->sweeps->store(vectorOf(factor, task), tree->vertex + task->vector, task->own, solve->back,
                              solve->result);
}

// by a power of two that brings the largest entry near 1: nothing is lost, nothing overflows or vanishes in float
static void sweepAll(FrontFactor *factor, double largest, const double *right, double *result, const bool *onPath,
                     Workers *workers)
{
    const FrontTree *tree = factor->tree;
    int exponent = 0;
    if (largest > 0 && isfinite(largest))
        frexp(largest, &exponent);
    exponent = maxInt(exponent, -1000);
    Solve all = { factor, right, result, ldexp(1, -exponent), ldexp(1, exponent - factor->shift), onPath };
    workersRun(workers, tree->taskCount, forwardTask, &all);
    forwardTask(&all, tree->taskCount);
    backwardTask(&all, tree->taskCount);
    workersRun(workers, tree->taskCount, backwardTask, &all);
}

void frontFactorSolve(FrontFactor *factor, const double *right, double *result, Workers *workers)
{
    sweepAll(factor, factor->kernels->largest(right, 3 * factor->tree->count), right, result, NULL, workers);
}

// ---- at some vertices -----------------------------------------------------------------------------------------------

double frontFactorFollow(FrontFactor *factor, const int *vertex, int count)
{
    const FrontTree *tree = factor->tree;
    size_t reals = 0;
    memset(factor->onPath, 0, (size_t)tree->frontCount * sizeof *factor->onPath);
    for (int k = 0; k < count; ++k)
    {
        // of a vertex, that of its entry on the diagonal
        for (int f = tree->entryFront[tree->columnStart[vertex[k]]]; f != FRONT_NONE && !factor->onPath[f];
             f = tree->front[f].parent)
        {
            factor->onPath[f] = true;
            reals += tree->front[f + 1].tiles - tree->front[f].tiles;
        }
    }
    for (int p = 0; p <= tree->taskCount; ++p)
    {
        factor->taskOnPath[p] = false;
        for (int f = tree->task[p].front; f < tree->task[p].frontEnd; ++f)
            factor->taskOnPath[p] |= factor->onPath[f];
    }
    return tree->storage > 0 ? (double)reals / (double)tree->storage : 0;
}

void frontFactorSolveAt(FrontFactor *factor, const int *vertex, int count, const double *right, double *result,
                        Workers *workers)
{
    double largest = 0;
    for (int k = 0; k < 3 * count; ++k)
        largest = maxReal(largest, fabs(right[3 * (ptrdiff_t)vertex[k / 3] + k % 3]));
    sweepAll(factor, largest, right, result, factor->onPath, workers);
}
