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

static void *vectorOf(const FrontFactor *factor, const FrontPart *part)
{
    return (char *)factor->vector + (size_t)part->vector * 4 * factor->sweeps->realSize;
}

static void *touchedOf(const FrontFactor *factor, const FrontPart *part)
{
    return (char *)vectorOf(factor, part) + (size_t)part->own * 4 * factor->sweeps->realSize;
}

static SolveFront solveFront(const FrontFactor *factor, int p, int f)
{
    const Front *front = &factor->tree->front[f];
    size_t size = factor->sweeps->realSize;
    char *storage = factor->storage, *vector = vectorOf(factor, &factor->tree->part[p]);
    return (SolveFront){ .columnGroups = frontGroups(front->columns),
                         .rowGroups = frontGroups(front->rows),
                         .tiles = storage + front->tiles * size,
                         .tilesEnd = storage + front[1].tiles * size,
                         .slot = factor->tree->slot + front->slotStart,
                         .own = vector + (size_t)front->vertex * 4 * size,
                         .vector = vector };
}

static void forwardPart(void *context, int p)
{
    const Solve *solve = context;
    const FrontFactor *factor = solve->factor;
    const FrontTree *tree = factor->tree;
    const FrontPart *part = &tree->part[p];
    factor->sweeps->load(solve->right, tree->vertex + part->vector, part->own, tree->count - 1, solve->scale,
                         vectorOf(factor, part));
    memset(touchedOf(factor, part), 0, (size_t)(part->touchEnd - part->touchStart + 1) * 4 * factor->sweeps->realSize);
    // the top begins with what the parts have done to it, always in the same order
    for (int q = 0; p == tree->partCount && q < p; ++q)
        factor->sweeps->addTouched(touchedOf(factor, &tree->part[q]), tree->touch + tree->part[q].touchStart,
                                   tree->part[q].touchEnd - tree->part[q].touchStart, vectorOf(factor, part));
    for (int f = part->front; f < part->frontEnd; ++f)
    {
        SolveFront front = solveFront(factor, p, f);
        factor->sweeps->forward(&front);
    }
}

static void backwardPart(void *context, int p)
{
    const Solve *solve = context;
    const FrontFactor *factor = solve->factor;
    const FrontTree *tree = factor->tree;
    const FrontPart *part = &tree->part[p];
    factor->sweeps->copyTouched(vectorOf(factor, &tree->part[tree->partCount]), tree->touch + part->touchStart,
                                part->touchEnd - part->touchStart, touchedOf(factor, part));
    for (int f = part->frontEnd - 1; f >= part->front; --f)
    {
        SolveFront front = solveFront(factor, p, f);
        factor->sweeps->backward(&front);
    }
    factor->sweeps->store(vectorOf(factor, part), tree->vertex + part->vector, part->own, solve->back, solve->result);
}

void frontFactorSolve(FrontFactor *factor, const double *right, double *result, Workers *workers)
{
    const FrontTree *tree = factor->tree;
    // by a power of two that brings the largest entry near 1: nothing is lost, nothing overflows or vanishes in float
    double largest = factor->sweeps->largest(right, 3 * tree->count);
    int exponent = 0;
    if (largest > 0 && isfinite(largest))
        frexp(largest, &exponent);
    exponent = maxInt(exponent, -1000);
    Solve solve = { factor, right, result, ldexp(1, -exponent), ldexp(1, exponent - factor->shift) };
    workersRun(workers, tree->partCount, forwardPart, &solve);
    forwardPart(&solve, tree->partCount);
    backwardPart(&solve, tree->partCount);
    workersRun(workers, tree->partCount, backwardPart, &solve);
}
