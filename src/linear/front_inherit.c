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

// Which blocks of a former factor are taken over: all, or a single one.
typedef struct Taking
{
    const FrontFactor *former; // NULL: none
    int first, end;            // blocks
    size_t bytes;
} Taking;

static bool isTaken(const FrontFactor *factor, const Taking *taking, int f)
{
    bool found = false;
    for (int b = taking->first; b < taking->end && factor->kept[f] && !found; ++b)
    {
        const char *begin = taking->former->block[b], *at = taking->former->panels[f];
        found = at >= begin && at < begin + taking->former->blockBytes[b];
    }
    return found;
}

// what the fronts take that are not taken over
static size_t ownBytes(const FrontFactor *factor, const Taking *taking)
{
    size_t bytes = 0;
    for (int f = 0; f < factor->tree->frontCount; ++f)
        bytes += isTaken(factor, taking, f) ? 0 : panelBytes(factor, f) + remainderBytes(factor, f);
    return bytes;
}

// Side by side in a block: the panels in order, as a solve reads them, then the remainders.
static bool placeOwn(FrontFactor *factor, const Taking *taking)
{
    const FrontTree *tree = factor->tree;
    bool some = taking->first < taking->end; // else as the tree has them, where remainders may share their places
    size_t panels = tree->storage * factor->sweeps->realSize, making = factor->kernels->realSize;
    size_t bytes = some ? ownBytes(factor, taking) : panels + tree->remainders * making;
    char *block = memoryAllocateBare(factor->memory, bytes, 1), *next = block;
    if (block == NULL)
        return false;
    factor->block[factor->blockCount] = block;
    factor->blockBytes[factor->blockCount++] = bytes;
    for (int f = 0; f < tree->frontCount; ++f)
    {
        bool taken = some && isTaken(factor, taking, f);
        factor->panels[f] = taken ? taking->former->panels[f] : next;
        factor->remainder[f] = taken ? taking->former->remainder[f] : NULL;
        next += taken ? 0 : panelBytes(factor, f);
    }
    for (int f = 0; f < tree->frontCount; ++f)
    {
        if (factor->remainder[f] != NULL)
            continue;
        factor->remainder[f] = some ? next : block + panels + tree->front[f].remainder * making;
        next += remainderBytes(factor, f);
    }
    return true;
}

// the largest block has most fronts; copying those of the others makes room for further changes
static Taking chooseBlocks(const FrontFactor *factor, const FrontFactor *former)
{
    const FrontTree *tree = factor->tree;
    Taking taking = { .former = former, .end = former->blockCount };
    for (int b = 0; b < former->blockCount && former->blockCount == FRONT_MOST_BLOCKS; ++b)
    {
        if (b == 0 || former->blockBytes[b] > former->blockBytes[taking.first])
            taking.first = b;
        taking.end = taking.first + 1;
    }
    for (int b = taking.first; b < taking.end; ++b)
        taking.bytes += former->blockBytes[b];
    size_t needed = tree->storage * factor->sweeps->realSize + tree->remainders * factor->kernels->realSize;
    if ((double)(taking.bytes + ownBytes(factor, &taking)) > MOST_HELD * (double)needed)
        taking.end = taking.first = 0;
    return taking;
}

static void takeBlocks(FrontFactor *factor, FrontFactor *former, const Taking *taking)
{
    for (int b = taking->first; b < taking->end; ++b)
    {
        factor->block[factor->blockCount] = former->block[b];
        factor->blockBytes[factor->blockCount++] = former->blockBytes[b];
        former->block[b] = NULL;
        former->valid = false;
    }
}

bool frontFactorPlace(FrontFactor *factor, FrontFactor *former)
{
    const FrontTree *tree = factor->tree;
    Taking none = { .former = NULL };
    factor->panels = ALLOCATE_BARE(factor->memory, void *, tree->frontCount);
    factor->remainder = ALLOCATE_BARE(factor->memory, void *, tree->frontCount);
    if (factor->panels == NULL || factor->remainder == NULL)
        return false;
    if (former == NULL || !isAlike(factor, former))
        return placeOwn(factor, &none);
    factor->kept = ALLOCATE_BARE(factor->memory, bool, tree->frontCount);
    if (factor->kept == NULL)
        return false;
    for (int f = 0; f < tree->frontCount; ++f)
        factor->kept[f] = hasSameVertices(tree, former->tree, f);
    Taking taking = chooseBlocks(factor, former);
    if (!placeOwn(factor, &taking))
        return false;
    takeBlocks(factor, former, &taking);
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

// Marks the fronts whose entries have other values. Where a vertex has couplings in other fronts than before, or more
// or fewer of them, all these fronts count as changed: else the entries of both matrices go in pairs, for those of a
// front with the same places are in the same order at each vertex.
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

// a front of a block that was not taken over
static void copyFront(FrontFactor *factor, const FrontFactor *former, int f)
{
    if (factor->panels[f] == former->panels[f])
        return;
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
        if (!changed[f])
            copyFront(factor, former, f);
    }
    return frontFactorRun(factor, values, workers);
}
