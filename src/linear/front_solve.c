#include "linear/front_factor.h"

#include <math.h>
#include <string.h>

typedef struct Solve
{
    const FrontFactor *factor;
    const double *right;
    double *result;
    double scale; // of the right-hand side on the way in
    double back;  // of the result on the way out
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

static void forwardTask(void *context, int p)
{
    const Solve *solve = context;
    const FrontFactor *factor = solve->factor;
    const FrontTree *tree = factor->tree;
    const FrontTask *task = &tree->task[p];
    factor->sweeps->load(solve->right, tree->vertex + task->vector, task->own, tree->count - 1, solve->scale,
                         vectorOf(factor, task));
    memset(touchedOf(factor, task), 0, (size_t)(task->touchEnd - task->touchStart + 1) * factor->sweeps->placeSize);
    // the top begins with what the tasks have done to it, always in the same order
    for (int q = 0; p == tree->taskCount && q < p; ++q)
        factor->sweeps->addTouched(touchedOf(factor, &tree->task[q]), tree->touch + tree->task[q].touchStart,
                                   tree->task[q].touchEnd - tree->task[q].touchStart, vectorOf(factor, task));
    for (int f = task->front; f < task->frontEnd; ++f)
    {
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
    factor->sweeps->copyTouched(vectorOf(factor, &tree->task[tree->taskCount]), tree->touch + task->touchStart,
                                task->touchEnd - task->touchStart, touchedOf(factor, task));
    for (int f = task->frontEnd - 1; f >= task->front; --f)
    {
        SolveFront front = solveFront(factor, p, f);
        factor->sweeps->backward(&front);
    }
    factor->sweeps->store(vectorOf(factor, task), tree->vertex + task->vector, task->own, solve->back, solve->result);
}

void frontFactorSolve(FrontFactor *factor, const double *right, double *result, Workers *workers)
{
    const FrontTree *tree = factor->tree;
    // by a power of two that brings the largest entry near 1: nothing is lost, nothing overflows or vanishes in float
    double largest = factor->kernels->largest(right, 3 * tree->count);
    int exponent = 0;
    if (largest > 0 && isfinite(largest))
        frexp(largest, &exponent);
    exponent = maxInt(exponent, -1000);
    Solve solve = { factor, right, result, ldexp(1, -exponent), ldexp(1, exponent - factor->shift) };
    workersRun(workers, tree->taskCount, forwardTask, &solve);
    forwardTask(&solve, tree->taskCount);
    backwardTask(&solve, tree->taskCount);
    workersRun(workers, tree->taskCount, backwardTask, &solve);
}
