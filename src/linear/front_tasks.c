#include "linear/front_tree.h"

#include <string.h>

#define NOMINAL_THREADS 4 // the split is made for so many, and is the same for any number
#define LEAST_COST 6000.0 // of a solve, below it a second thread does not pay
#define MOST_SPLITS 64    // subtrees opened before the best split is taken
#define CLASSES 64        // of subtrees by the binary exponent of their cost

// Subtrees cut off below the top.
typedef struct Cut
{
    const Groups *groups;
    int width;
    double *cost; // of each supernode's subtree
    double *mean; // vertex of its columns, on average
    bool *opened; // belongs to the top
    double top;   // cost of the top
    double rest;  // of the subtrees
} Cut;

static bool isRootOfTask(const Cut *cut, int s)
{
    int parent = cut->groups->parent[s];
    return !cut->opened[s] && (parent == FRONT_NONE || cut->opened[parent]);
}

static int heaviestSubtree(const Cut *cut)
{
    int heaviest = FRONT_NONE;
    for (int s = cut->groups->count - 1; s >= 0; --s)
        if (isRootOfTask(cut, s) && (heaviest == FRONT_NONE || cut->cost[s] > cut->cost[heaviest]))
            heaviest = s;
    return heaviest;
}

static void openSubtree(Cut *cut, int s)
{
    double own = groupCost(cut->groups->columns[s], cut->groups->rows[s], cut->width);
    cut->opened[s] = true;
    cut->top += own;
    cut->rest -= own;
}

// Opens the heaviest subtree again and again; returns after how many openings top + busiest thread was least, or
// FRONT_NONE if one thread is as good.
static int bestOpenings(Cut *cut)
{
    double least = 0.9 * cut->rest;
    int best = FRONT_NONE;
    if (cut->rest < LEAST_COST)
        return best;
    for (int openings = 0; openings <= MOST_SPLITS; ++openings)
    {
        int s = heaviestSubtree(cut);
        if (s == FRONT_NONE)
            break;
        double busiest = maxReal(cut->cost[s], cut->rest / NOMINAL_THREADS);
        if (cut->top + busiest < least)
        {
            least = cut->top + busiest;
            best = openings;
        }
        openSubtree(cut, s);
    }
    return best;
}

// The vertex before which half of the work lies. Passes over the vertices give the first half of them to one thread of
// two, which then has them at hand.
static double halfway(const Cut *cut, int vertices)
{
    double low = 0, high = vertices;
    while (high - low > 0.5)
    {
        double middle = 0.5 * (low + high), before = 0;
        for (int s = 0; s < cut->groups->count; ++s)
            before += isRootOfTask(cut, s) && cut->mean[s] < middle ? cut->cost[s] : 0;
        *(before < 0.5 * cut->rest ? &low : &high) = middle;
    }
    return high;
}

// without the tasks that have nothing to do
static void numberTasks(const double load[FRONT_MOST_TASKS], Groups *g)
{
    int number[FRONT_MOST_TASKS];
    g->taskCount = 0;
    for (int p = 0; p < FRONT_MOST_TASKS; ++p)
        number[p] = load[p] > 0 ? g->taskCount++ : -1;
    for (int s = 0; s < g->count; ++s)
        g->task[s] = g->task[s] < FRONT_MOST_TASKS ? number[g->task[s]] : g->taskCount;
}

// Deals the subtrees out, the heavy ones first, each to the task of its half with the least to do.
static void dealSubtrees(const Cut *cut, int vertices, Groups *g)
{
    double load[FRONT_MOST_TASKS] = { 0 }, middle = halfway(cut, vertices);
    for (int class = CLASSES - 1; class >= 0; --class)
    {
        double low = class > 0 ? (double)(1ULL << class) : 0, high = 2 * (double)(1ULL << class);
        for (int s = 0; s < g->count; ++s)
        {
            if (!isRootOfTask(cut, s) || cut->cost[s] < low || cut->cost[s] >= high)
                continue;
            int begin = cut->mean[s] < middle ? 0 : FRONT_MOST_TASKS / 2, least = begin;
            for (int p = begin; p < begin + FRONT_MOST_TASKS / 2; ++p)
                if (load[p] < load[least])
                    least = p;
            load[least] += cut->cost[s];
            g->task[s] = least;
        }
    }
    for (int s = g->count - 1; s >= 0; --s)
    {
        if (cut->opened[s])
            g->task[s] = FRONT_MOST_TASKS;
        else if (!isRootOfTask(cut, s))
            g->task[s] = g->task[g->parent[s]];
    }
    numberTasks(load, g);
}

// from the columns of each supernode, children before parents
static void findMeans(const int *order, int vertices, Cut *cut, int *columns)
{
    const Groups *g = cut->groups;
    memset(cut->mean, 0, (size_t)g->count * sizeof(double));
    memset(columns, 0, (size_t)g->count * sizeof(int));
    for (int k = 0; k < vertices; ++k)
    {
        cut->mean[g->owner[k]] += order[k];
        columns[g->owner[k]] += 1;
    }
    for (int s = 0; s < g->count; ++s)
    {
        int parent = g->parent[s];
        if (parent != FRONT_NONE)
        {
            cut->mean[parent] += cut->mean[s];
            columns[parent] += columns[s];
        }
        cut->mean[s] /= columns[s];
    }
}

static void cutReset(Cut *cut)
{
    cut->top = cut->rest = 0;
    for (int s = 0; s < cut->groups->count; ++s)
    {
        cut->opened[s] = false;
        cut->rest += groupCost(cut->groups->columns[s], cut->groups->rows[s], cut->width);
    }
}

bool groupsSplit(Memory *memory, int width, const int *order, int vertices, Groups *g)
{
    Cut cut = { .groups = g,
                .width = width,
                .cost = ALLOCATE(memory, double, g->count),
                .mean = ALLOCATE(memory, double, g->count),
                .opened = ALLOCATE(memory, bool, g->count) };
    int *columns = ALLOCATE(memory, int, g->count);
    bool fine = cut.cost != NULL && cut.mean != NULL && cut.opened != NULL && columns != NULL;
    if (fine)
    {
        for (int s = 0; s < g->count; ++s)
        {
            cut.cost[s] += groupCost(g->columns[s], g->rows[s], width);
            if (g->parent[s] != FRONT_NONE)
                cut.cost[g->parent[s]] += cut.cost[s];
        }
        findMeans(order, vertices, &cut, columns);
        cutReset(&cut);
        int openings = bestOpenings(&cut);
        cutReset(&cut);
        for (int k = 0; k < openings; ++k)
            openSubtree(&cut, heaviestSubtree(&cut));
        for (int s = 0; openings == FRONT_NONE && s < g->count; ++s)
            cut.opened[s] = true;
        dealSubtrees(&cut, vertices, g);
    }
    memoryRelease(memory, cut.cost);
    memoryRelease(memory, cut.mean);
    memoryRelease(memory, cut.opened);
    memoryRelease(memory, columns);
    return fine;
}
