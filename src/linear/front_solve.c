#include "linear/front_factor.h"

#include <math.h>
#include <string.h>

#define GRAM 6 // products of three right-hand sides with each other

typedef struct Solve
{
    const FrontFactor *factor;
    const FrontSweeps *sweeps;
    const double *right;
    double *result;
    double scale; // of the right-hand side on the way in
    double back;  // of the result on the way out
    // of each front: it takes part in this sweep; NULL: all do
    const bool *forward, *backward;
    double (*gram)[GRAM]; // of each task and the top, y^T y for y = L^-1 right; NULL: nobody asks
} Solve;

static void *vectorOf(const Solve *solve, const FrontTask *task)
{
    return (char *)solve->factor->vector + (size_t)task->vector * solve->sweeps->placeSize;
}

static void *touchedOf(const Solve *solve, const FrontTask *task)
{
    return (char *)vectorOf(solve, task) + (size_t)task->own * solve->sweeps->placeSize;
}

static SolveFront solveFront(const Solve *solve, int p, int f)
{
    const FrontFactor *factor = solve->factor;
    const Front *front = &factor->tree->front[f];
    size_t size = solve->sweeps->realSize;
    char *panels = factor->panels[f], *vector = vectorOf(solve, &factor->tree->task[p]);
    return (SolveFront){ .columnGroups = frontGroups(front->columns),
                         .rowGroups = frontGroups(front->rows),
                         .tiles = panels,
                         .tilesEnd = panels + (front[1].tiles - front->tiles) * size,
                         .slot = factor->tree->slot + front->slotStart,
                         .own = vector + (size_t)front->vertex * solve->sweeps->placeSize,
                         .vector = vector };
}

// a front's rows of the right-hand side into the vector of its task, or back from there to the result
static void loadFront(const Solve *solve, int p, const Front *front)
{
    const FrontFactor *factor = solve->factor;
    const FrontTree *tree = factor->tree;
    const FrontTask *task = &tree->task[p];
    solve->sweeps->load(solve->right, tree->vertex + task->vector + front->vertex, 4 * frontGroups(front->columns),
                        tree->count - 1, solve->scale,
                        (char *)vectorOf(solve, task) + (size_t)front->vertex * solve->sweeps->placeSize);
}

static void storeFront(const Solve *solve, int p, const Front *front)
{
    const FrontFactor *factor = solve->factor;
    const FrontTask *task = &factor->tree->task[p];
    solve->sweeps->store((char *)vectorOf(solve, task) + (size_t)front->vertex * solve->sweeps->placeSize,
                         factor->tree->vertex + task->vector + front->vertex, 4 * frontGroups(front->columns),
                         solve->back, solve->result);
}

static bool takesPart(const FrontFactor *factor, const bool *onPath, int p)
{
    return onPath == NULL || factor->taskOnPath[p];
}

// products of x, y and z of its own places
static void sumGram(const Solve *solve, const FrontTask *task, double sum[GRAM])
{
    const float *single = vectorOf(solve, task);
    const double *twice = vectorOf(solve, task);
    bool isSingle = solve->sweeps->realSize == sizeof(float);
    memset(sum, 0, GRAM * sizeof(double));
    for (int k = 0; k < 4 * task->own; k += 4)
    {
        double x = isSingle ? (double)single[k] : twice[k], y = isSingle ? (double)single[k + 1] : twice[k + 1],
               z = isSingle ? (double)single[k + 2] : twice[k + 2];
        sum[0] += x * x;
        sum[1] += x * y;
        sum[2] += x * z;
        sum[3] += y * y;
        sum[4] += y * z;
        sum[5] += z * z;
    }
}

static void forwardTask(void *context, int p)
{
    const Solve *solve = context;
    const FrontFactor *factor = solve->factor;
    const FrontTree *tree = factor->tree;
    const FrontTask *task = &tree->task[p];
    if (!takesPart(solve->factor, solve->forward, p))
        return;
    if (solve->forward == NULL)
        solve->sweeps->load(solve->right, tree->vertex + task->vector, task->own, tree->count - 1, solve->scale,
                            vectorOf(solve, task));
    for (int f = task->front; f < task->frontEnd && solve->forward != NULL; ++f)
    {
        if (solve->forward[f])
            loadFront(solve, p, &tree->front[f]);
    }
    memset(touchedOf(solve, task), 0, (size_t)(task->touchEnd - task->touchStart + 1) * solve->sweeps->placeSize);
    // the top begins with what the tasks have done to it, always in the same order
    for (int q = 0; p == tree->taskCount && q < p; ++q)
    {
        if (takesPart(solve->factor, solve->forward, q))
            solve->sweeps->addTouched(touchedOf(solve, &tree->task[q]), tree->touch + tree->task[q].touchStart,
                                      tree->task[q].touchEnd - tree->task[q].touchStart, vectorOf(solve, task));
    }
    for (int f = task->front; f < task->frontEnd; ++f)
    {
        if (solve->forward != NULL && !solve->forward[f])
            continue;
        SolveFront front = solveFront(solve, p, f);
        solve->sweeps->forward(&front);
    }
    if (solve->gram != NULL)
        sumGram(solve, task, solve->gram[p]);
}

static void backwardTask(void *context, int p)
{
    const Solve *solve = context;
    const FrontFactor *factor = solve->factor;
    const FrontTree *tree = factor->tree;
    const FrontTask *task = &tree->task[p];
    if (!takesPart(solve->factor, solve->backward, p))
        return;
    solve->sweeps->copyTouched(vectorOf(solve, &tree->task[tree->taskCount]), tree->touch + task->touchStart,
                               task->touchEnd - task->touchStart, touchedOf(solve, task));
    for (int f = task->frontEnd - 1; f >= task->front; --f)
    {
        if (solve->backward != NULL && !solve->backward[f])
            continue;
        SolveFront front = solveFront(solve, p, f);
        solve->sweeps->backward(&front);
        if (solve->backward != NULL)
            storeFront(solve, p, &tree->front[f]);
    }
    if (solve->backward == NULL)
        solve->sweeps->store(vectorOf(solve, task), tree->vertex + task->vector, task->own, solve->back, solve->result);
}

static void sweep(Solve *solve, Workers *workers)
{
    int tasks = solve->factor->tree->taskCount;
    workersRun(workers, tasks, forwardTask, solve);
    forwardTask(solve, tasks);
    backwardTask(solve, tasks);
    workersRun(workers, tasks, backwardTask, solve);
}

// by a power of two that brings the largest entry near 1: nothing is lost, nothing overflows or vanishes in float
static Solve solveOf(const FrontFactor *factor, double largest, const double *right, double *result)
{
    int exponent = 0;
    if (largest > 0 && isfinite(largest))
        frexp(largest, &exponent);
    exponent = maxInt(exponent, -1000);
    return (Solve){ .factor = factor,
                    .sweeps = factor->sweeps,
                    .right = right,
                    .result = result,
                    .scale = ldexp(1, -exponent),
                    .back = ldexp(1, exponent - factor->shift) };
}

void frontFactorSolve(FrontFactor *factor, const double *right, double *result, Workers *workers)
{
    Solve all = solveOf(factor, factor->kernels->largest(right, 3 * factor->tree->count), right, result);
    sweep(&all, workers);
}

void frontFactorSolveLine(FrontFactor *factor, const double *right, double *result, Workers *workers)
{
    Solve one = solveOf(factor, factor->kernels->largest(right, factor->tree->count), right, result);
    one.sweeps = factor->line;
    sweep(&one, workers);
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
    Solve few = solveOf(factor, largest, right, result);
    few.forward = few.backward = factor->onPath;
    sweep(&few, workers);
}

void frontFactorSolveOnto(FrontFactor *factor, const double *right, double *result, double products[3][3],
                          Workers *workers)
{
    double gram[FRONT_MOST_TASKS + 1][GRAM], sum[GRAM] = { 0 };
    Solve onto = solveOf(factor, factor->kernels->largest(right, 3 * factor->tree->count), right, result);
    onto.backward = factor->onPath;
    onto.gram = gram;
    sweep(&onto, workers);
    for (int p = 0; p <= factor->tree->taskCount; ++p)
    {
        for (int i = 0; i < GRAM; ++i)
            sum[i] += gram[p][i];
    }
    static const int place[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };
    for (int i = 0; i < 9; ++i)
        products[i / 3][i % 3] = onto.back / onto.scale * sum[place[i / 3][i % 3]];
}
