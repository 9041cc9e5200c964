// A factor with the fronts of a former one, of a matrix whose graph lost couplings and whose vertices split. Panels and
// remainders that are needed again stay where they are: the new factor takes the blocks of memory over.
#include "linear/front_factor.h"

#include <string.h>

#define MOST_HELD 1.5 // blocks over what the factor needs: beyond, fronts are copied to a block of their own

// ---- places ---------------------------------------------------------------------------------------------------------

static size_t panelBytes(const FrontFactor *factor, int f)
{
    const Front *front = &factor->tree->front[f];
    return (front[1].tiles - front->tiles) * factor->sweeps->realSize;
}

static size_t remainderBytes(const FrontFactor *factor, int f)
{
    const Front *front = &factor->tree->front[f];
    return (size_t)front->rows * (size_t)frontPad(front->rows) * factor->kernels->realSize;
}

// both are of the same kind and have the same fronts, though not at the same vertices
static bool isAlike(const FrontFactor *factor, const FrontFactor *former)
{
    const FrontTree *tree = factor->tree, *before = former->tree;
    return former->valid && tree->count > 0 && tree->width == 1 && before->width == 1 &&
           tree->frontCount == before->frontCount && factor->memory == former->memory &&
           factor->kernels == former->kernels && factor->sweeps == former->sweeps && factor->rounded == former->rounded;
}

static bool hasSameVertices(const FrontTree *tree, const FrontTree *before, int f)
{
    const Front *a = &tree->front[f], *b = &before->front[f];
    if (a->columns != b->columns || a->rows != b->rows)
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
    return true;
}

// bytes of the fronts that the former factor does not have
static size_t ownBytes(const FrontFactor *factor)
{
    size_t bytes = 0;
    for (int f = 0; f < factor->tree->frontCount; ++f)
        bytes += factor->kept[f] ? 0 : panelBytes(factor, f) + remainderBytes(factor, f);
    return bytes;
}

// side by side in a block: all panels in order, as a solve reads them, then the remainders
static bool placeOwn(FrontFactor *factor, const FrontFactor *former)
{
    const FrontTree *tree = factor->tree;
    bool some = factor->tookOver;
    size_t panels = tree->storage * factor->sweeps->realSize,
           all = panels + tree->remainders * factor->kernels->realSize;
    if (some)
        all = ownBytes(factor);
    char *block = memoryAllocateBare(factor->memory, all, 1), *next = block;
    if (block == NULL)
        return false;
    factor->block[factor->blockCount++] = block;
    factor->held += all;
    for (int f = 0; f < tree->frontCount; ++f)
    {
        bool taken = some && factor->kept[f];
        factor->panels[f] = taken ? former->panels[f] : next;
        next += taken ? 0 : panelBytes(factor, f);
    }
    for (int f = 0; f < tree->frontCount; ++f)
    {
        bool taken = some && factor->kept[f];
        factor->remainder[f] = taken  ? former->remainder[f]
                               : some ? next
                                      : block + panels + tree->front[f].remainder * factor->kernels->realSize;
        next += taken ? 0 : remainderBytes(factor, f);
    }
    return true;
}

bool frontFactorPlace(FrontFactor *factor, FrontFactor *former)
{
    const FrontTree *tree = factor->tree;
    factor->panels = ALLOCATE_BARE(factor->memory, void *, tree->frontCount);
    factor->remainder = ALLOCATE_BARE(factor->memory, void *, tree->frontCount);
    if (factor->panels == NULL || factor->remainder == NULL)
        return false;
    if (former == NULL || !isAlike(factor, former))
        return placeOwn(factor, NULL);
    factor->kept = ALLOCATE_BARE(factor->memory, bool, tree->frontCount);
    if (factor->kept == NULL)
        return false;
    for (int f = 0; f < tree->frontCount; ++f)
        factor->kept[f] = hasSameVertices(tree, former->tree, f);
    size_t needed = tree->storage * factor->sweeps->realSize + tree->remainders * factor->kernels->realSize;
    factor->tookOver = former->blockCount < FRONT_MOST_BLOCKS &&
                       (double)(former->held + ownBytes(factor)) <= MOST_HELD * (double)needed;
    if (!placeOwn(factor, former))
        return false;
    for (int b = 0; b < former->blockCount && factor->tookOver; ++b)
        factor->block[factor->blockCount++] = former->block[b];
    if (factor->tookOver)
    {
        factor->held += former->held;
        former->blockCount = 0;
        former->valid = false;
    }
    factor->former = former;
    return true;
}

// ---- values ---------------------------------------------------------------------------------------------------------

// The same entries at the same places.
static bool hasSamePlaces(const FrontTree *tree, const FrontTree *before, int f)
{
    const Front *a = &tree->front[f], *b = &before->front[f];
    const FrontEntry *now = tree->entry + a->entryStart, *then = before->entry + b->entryStart;
    int entries = a[1].entryStart - a->entryStart;
    uint32_t differs = 0;
    if (a->entryBelow - a->entryStart != b->entryBelow - b->entryStart || entries != b[1].entryStart - b->entryStart)
        return false;
    for (int e = 0; e < entries; ++e)
        differs |= now[e].position ^ then[e].position;
    return differs == 0;
}

// Marks the fronts whose entries have other values. Where a vertex has couplings in other fronts than before, or more or
// fewer of them, all these fronts count as changed: else the entries of both matrices go in pairs, for those of a front
// with the same places are in the same order at each vertex.
static void markValues(FrontFactor *factor, const FrontFactor *former)
{
    const FrontTree *tree = factor->tree, *before = former->tree;
    for (int v = 0; v < tree->count; ++v)
    {
        int begin = tree->columnStart[v], count = tree->columnStart[v + 1] - begin;
        int then = v < before->count ? before->columnStart[v] : 0;
        bool same = v < before->count && before->columnStart[v + 1] - then == count;
        for (int k = 0; k < count && same; ++k)
            same = tree->entryFront[begin + k] == before->entryFront[then + k];
        bool alike = same && memcmp(factor->values + begin, former->values + then, (size_t)count * sizeof(double)) == 0;
        for (int k = 0; k < count && !alike; ++k)
        {
            if (!same || memcmp(&factor->values[begin + k], &former->values[then + k], sizeof(double)) != 0)
                factor->marked[tree->entryFront[begin + k]] = true;
        }
    }
}

// the bytes are the same as those that computing it would give
static void copyFront(FrontFactor *factor, const FrontFactor *former, int f)
{
    memcpy(factor->panels[f], former->panels[f], panelBytes(factor, f));
    memcpy(factor->remainder[f], former->remainder[f], remainderBytes(factor, f));
}

bool frontFactorComputeFrom(FrontFactor *factor, const double *values, const FrontFactor *former, Workers *workers)
{
    const FrontTree *tree = factor->tree;
    bool alike = factor->former != NULL && factor->former == former;
    factor->former = NULL;
    if (alike)
        frontFactorBegin(factor, values);
    if (!alike || factor->shift != former->shift)
        return frontFactorCompute(factor, values, workers);
    // a front changes with those below it
    bool *changed = factor->marked;
    markValues(factor, former);
    for (int f = 0; f < tree->frontCount; ++f)
    {
        changed[f] = changed[f] || !factor->kept[f] || !hasSamePlaces(tree, former->tree, f);
        if (changed[f] && tree->front[f].parent != FRONT_NONE)
            changed[tree->front[f].parent] = true;
        if (!changed[f] && !factor->tookOver)
            copyFront(factor, former, f);
    }
    return frontFactorRun(factor, values, workers);
}
