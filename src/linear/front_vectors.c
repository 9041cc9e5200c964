#include "linear/front_tree.h"

#include <limits.h>

// Where the columns of a task stand in its vector.
static void placeColumns(FrontTree *tree, FrontTask *task, int *local)
{
    task->own = 0;
    for (int f = task->front; f < task->frontEnd; ++f)
    {
        Front *front = &tree->front[f];
        front->vertex = task->own;
        for (int k = 0; k < front->columns; ++k)
            local[front->first + k] = task->own + k;
        task->own += 4 * frontGroups(front->columns);
    }
}

// The columns of the top that each task touches: counts them, or, with tree->touch, lists them. Then where the vectors
// are.
static void findTouched(FrontTree *tree, const int *local, int *seen)
{
    const FrontTask *top = &tree->task[tree->taskCount];
    tree->touchCount = tree->vectorCount = 0;
    for (int k = 0; k < tree->unknowns; ++k)
        seen[k] = FRONT_NONE;
    for (int p = 0; p <= tree->taskCount; ++p)
    {
        FrontTask *task = &tree->task[p];
        task->touchStart = tree->touchCount;
        for (int r = tree->front[task->front].rowStart; r < tree->front[task->frontEnd].rowStart; ++r)
        {
            int row = tree->row[r];
            if (p == tree->taskCount || row < top->column || seen[row] == p)
                continue;
            seen[row] = p;
            if (tree->touch != NULL)
                tree->touch[tree->touchCount] = local[row];
            tree->touchCount += 1;
        }
        task->touchEnd = tree->touchCount;
        task->vector = tree->vectorCount;
        tree->vectorCount += 4 * frontGroups(task->own + task->touchEnd - task->touchStart + 1);
    }
}

// From columns of L to places in the vector of the task. The touched ones come in the order in which they are met
// again.
static void placeSlots(FrontTree *tree, int *local, int *seen)
{
    const FrontTask *top = &tree->task[tree->taskCount];
    for (int k = 0; k < tree->unknowns; ++k)
        seen[k] = FRONT_NONE;
    for (int p = 0; p <= tree->taskCount; ++p)
    {
        FrontTask *task = &tree->task[p];
        placeColumns(tree, task, local); // the top's were overwritten
        int met = task->own, zero = task->own + task->touchEnd - task->touchStart;
        for (int f = task->front; f < task->frontEnd; ++f)
        {
            const Front *front = &tree->front[f];
            int *slot = tree->slot + front->slotStart;
            for (int k = 0; k < 4 * frontGroups(front->columns); ++k)
                *slot++ = front->vertex + k;
            for (int k = 0; k < 4 * frontGroups(front->rows); ++k)
            {
                int row = k < front->rows ? tree->row[front->rowStart + k] : FRONT_NONE;
                if (p < tree->taskCount && row >= top->column && seen[row] != p)
                {
                    seen[row] = p;
                    local[row] = met++;
                }
                *slot++ = row == FRONT_NONE ? zero : local[row];
            }
        }
    }
}

static void placeVertices(FrontTree *tree)
{
    for (int k = 0; k < tree->vectorCount; ++k)
        tree->vertex[k] = FRONT_NONE;
    for (int p = 0; p <= tree->taskCount; ++p)
    {
        const FrontTask *task = &tree->task[p];
        for (int f = task->front; f < task->frontEnd; ++f)
        {
            const Front *front = &tree->front[f];
            for (int k = 0; k < front->columns; ++k)
            {
                int column = front->first + k;
                tree->vertex[task->vector + front->vertex + k] =
                    tree->order[column / tree->width] * tree->width + column % tree->width;
            }
        }
    }
}

static bool makeVectors(FrontTree *tree, int *local, int *seen)
{
    long long slots = 0;
    for (int f = 0; f < tree->frontCount; ++f)
    {
        Front *front = &tree->front[f];
        front->slotStart = (int)slots;
        slots += 4 * (frontGroups(front->columns) + frontGroups(front->rows));
        if (slots > INT_MAX)
            return false;
    }
    tree->front[tree->frontCount].slotStart = (int)slots;
    for (int p = 0; p <= tree->taskCount; ++p)
        placeColumns(tree, &tree->task[p], local);
    findTouched(tree, local, seen);
    tree->touch = ALLOCATE_BARE(tree->memory, int, tree->touchCount);
    tree->slot = ALLOCATE_BARE(tree->memory, int, slots);
    tree->vertex = ALLOCATE_BARE(tree->memory, int, tree->vectorCount);
    if (tree->touch == NULL || tree->slot == NULL || tree->vertex == NULL)
        return false;
    findTouched(tree, local, seen);
    placeSlots(tree, local, seen);
    placeVertices(tree);
    return true;
}

bool vectorsMake(FrontTree *tree)
{
    int *local = ALLOCATE_BARE(tree->memory, int, tree->unknowns),
        *seen = ALLOCATE_BARE(tree->memory, int, tree->unknowns);
    bool fine = local != NULL && seen != NULL && makeVectors(tree, local, seen);
    memoryRelease(tree->memory, local);
    memoryRelease(tree->memory, seen);
    return fine;
}
