// A factor with the fronts of a former one, of a matrix whose graph lost couplings and whose vertices split.
#include "linear/front_factor.h"

#include <string.h>

#define COPY_COST 1.0 // multiply-adds in the time in which a real is copied: from memory to memory

// Both hold the same columns, rows and values.
static bool isSame(const FrontFactor *factor, const FrontFactor *former, int f)
{
    const FrontTree *tree = factor->tree, *before = former->tree;
    const Front *a = &tree->front[f], *b = &before->front[f];
    int entries = a[1].entryStart - a->entryStart;
    if (a->columns != b->columns || a->rows != b->rows ||
        a->entryBelow - a->entryStart != b->entryBelow - b->entryStart || entries != b[1].entryStart - b->entryStart)
        return false;
    for (int k = 0; k < a->columns; ++k)
    {
        if (tree->order[a->first + k] != before->order[b->first + k])
            return false;
    }
    for (int k = 0; k < a->rows; ++k)
    {
        if (tree->order[tree->row[a->rowStart + k]] != before->order[before->row[b->rowStart + k]])
            return false;
    }
    for (int e = 0; e < entries; ++e)
    {
        FrontEntry now = tree->entry[a->entryStart + e], then = before->entry[b->entryStart + e];
        if (now.position != then.position ||
            memcmp(&factor->values[now.source], &former->values[then.source], sizeof(double)) != 0)
            return false;
    }
    return true;
}

static bool isDearer(const FrontTree *tree, int f)
{
    const Front *front = &tree->front[f];
    double reals = (double)(front[1].tiles - front->tiles) + (double)front->rows * frontPad(front->rows);
    return frontWork(front) > COPY_COST * reals;
}

static void copyFront(FrontFactor *factor, const FrontFactor *former, int f)
{
    const Front *to = &factor->tree->front[f], *from = &former->tree->front[f];
    size_t solving = factor->sweeps->realSize, making = factor->kernels->realSize;
    memcpy((char *)factor->storage + to->tiles * solving, (const char *)former->storage + from->tiles * solving,
           (to[1].tiles - to->tiles) * solving);
    memcpy((char *)factor->remainder + to->remainder * making,
           (const char *)former->remainder + from->remainder * making,
           (size_t)to->rows * (size_t)frontPad(to->rows) * making);
}

bool frontFactorComputeFrom(FrontFactor *factor, const double *values, const FrontFactor *former, Workers *workers)
{
    const FrontTree *tree = factor->tree;
    bool alike = former->valid && tree->count > 0 && tree->width == 1 && former->tree->width == 1 &&
                 tree->frontCount == former->tree->frontCount && factor->kernels == former->kernels &&
                 factor->sweeps == former->sweeps && factor->rounded == former->rounded;
    if (alike)
        frontFactorBegin(factor, values);
    if (!alike || factor->shift != former->shift)
        return frontFactorCompute(factor, values, workers);
    // a front changes with those below it; what is cheap is made anew
    bool *changed = factor->marked;
    for (int f = 0; f < tree->frontCount; ++f)
        changed[f] = changed[f] || !isSame(factor, former, f);
    for (int f = 0; f < tree->frontCount; ++f)
    {
        if (changed[f] && tree->front[f].parent != FRONT_NONE)
            changed[tree->front[f].parent] = true;
    }
    for (int f = 0; f < tree->frontCount; ++f)
    {
        if (changed[f])
            continue;
        if (isDearer(tree, f))
            copyFront(factor, former, f);
        else
            changed[f] = true;
    }
    return frontFactorRun(factor, values, workers);
}
