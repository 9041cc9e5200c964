// From the fronts of an analysis to their places: in unknowns, in the panels of the solve, in the remainders.
#include "linear/front_tree.h"

#include <limits.h>
#include <string.h>

// rows of vertices become rows of unknowns; where they are in the parent likewise
static bool widenRows(FrontTree *tree, int **rows)
{
    size_t total = (size_t)tree->front[tree->frontCount].rowStart, width = (size_t)tree->width;
    int *wide = ALLOCATE(tree->memory, int, total *width);
    if (wide == NULL)
        return false;
    for (size_t k = 0; k < total; ++k)
        for (size_t a = 0; a < width; ++a)
            wide[k * width + a] = (*rows)[k] * tree->width + (int)a;
    memoryRelease(tree->memory, *rows);
    *rows = wide;
    return true;
}

static bool widen(FrontTree *tree)
{
    if (tree->width == 1)
        return true;
    if (!widenRows(tree, &tree->row) || !widenRows(tree, &tree->relative))
        return false;
    for (int f = 0; f <= tree->frontCount; ++f)
    {
        Front *front = &tree->front[f];
        front->first *= tree->width;
        front->columns *= tree->width;
        front->rows *= tree->width;
        front->parentRows *= tree->width;
        front->rowStart *= tree->width;
    }
    for (int p = 0; p <= tree->taskCount; ++p)
        tree->task[p].column *= tree->width;
    return true;
}

static size_t frontReals(const Front *front)
{
    size_t reals = 0;
    int left = frontGroups(front->columns), rows = frontGroups(front->rows);
    for (; left > 0; left -= FRONT_PANEL)
        reals += frontPanelReals(minInt(left, FRONT_PANEL), rows + maxInt(left - FRONT_PANEL, 0));
    return reals;
}

static size_t remainderReals(const Front *front)
{
    return (size_t)front->rows * (size_t)frontPad(front->rows);
}

// all of them side by side: updates need those of fronts that did not change
static void keepRemainders(FrontTree *tree)
{
    for (int f = 0; f < tree->frontCount; ++f)
    {
        tree->front[f].remainder = tree->remainders;
        tree->remainders += remainderReals(&tree->front[f]);
    }
}

#define GAPS 64 // between remainders, the last ones, that are looked at: a star has as many as vertices

// Of one task: a remainder lies in the lowest gap between those that have not been added to their parent yet, so that
// few are in memory at a time. `live`: the fronts whose remainders they are, by place.
static size_t reuseRemainders(FrontTree *tree, const FrontTask *task, size_t begin, int *live)
{
    size_t most = begin;
    int count = 0;
    for (int f = task->front; f < task->frontEnd; ++f)
    {
        Front *front = &tree->front[f];
        size_t size = remainderReals(front), at = begin;
        int slot = maxInt(count - GAPS, 0);
        if (slot > 0)
            at = tree->front[live[slot - 1]].remainder + remainderReals(&tree->front[live[slot - 1]]);
        while (slot < count && tree->front[live[slot]].remainder < at + size)
        {
            at = tree->front[live[slot]].remainder + remainderReals(&tree->front[live[slot]]);
            slot += 1;
        }
        memmove(live + slot + 1, live + slot, (size_t)(count - slot) * sizeof(int));
        live[slot] = f;
        front->remainder = at;
        most = at + size > most ? at + size : most;
        count += 1;
        if (size > 0 && front[1].childStart == front->childStart)
            continue;
        int left = 0;
        for (int k = 0; k < count; ++k)
        {
            if (tree->front[live[k]].parent != f && remainderReals(&tree->front[live[k]]) > 0)
                live[left++] = live[k];
        }
        count = left;
    }
    return most;
}

static bool placeRemainders(FrontTree *tree)
{
    if (tree->width == 1)
    {
        keepRemainders(tree);
        return true;
    }
    int *live = ALLOCATE(tree->memory, int, (size_t)tree->frontCount + 1);
    if (live == NULL)
        return false;
    for (int p = 0; p <= tree->taskCount; ++p)
        tree->remainders = reuseRemainders(tree, &tree->task[p], tree->remainders, live);
    memoryRelease(tree->memory, live);
    return true;
}

static void findMost(FrontTree *tree)
{
    for (int p = 0; p <= tree->taskCount; ++p)
    {
        FrontTask *task = &tree->task[p];
        for (int f = task->front; f < task->frontEnd; ++f)
        {
            const Front *front = &tree->front[f];
            size_t below = (size_t)front->columns * (size_t)frontPad(front->rows);
            task->mostColumns = maxInt(task->mostColumns, frontPad(front->columns));
            task->mostBelow = below > task->mostBelow ? below : task->mostBelow;
        }
    }
}

bool frontsPlace(FrontTree *tree)
{
    if (!widen(tree) || !placeRemainders(tree))
        return false;
    for (int f = 0; f < tree->frontCount; ++f)
    {
        tree->front[f].tiles = tree->storage;
        tree->storage += frontReals(&tree->front[f]);
    }
    tree->front[tree->frontCount].tiles = tree->storage;
    findMost(tree);
    return true;
}
