#include "linear/front_tree.h"

// Lists of children while supernodes merge.
typedef struct Merging
{
    int *firstChild; // of each supernode
    int *next;       // sibling
    int *into;       // the parent it was merged into, or FRONT_NONE
} Merging;

// in tiles of 16 entries: 6 to begin, 2 to gather and scatter 4 rows, 4 to turn 4 columns to planes and back; measured,
// the first is flat from 5 to 15
static double solveCost(int columns, int rows)
{
    double cost = 6;
    int left = frontGroups(columns), below = left + frontGroups(rows);
    for (; left > 0; left -= FRONT_PANEL)
    {
        int panel = minInt(left, FRONT_PANEL);
        below -= panel;
        cost += 0.5 * panel * (panel + 1) + (double)panel * below + 2.0 * below + 4.0 * panel;
    }
    return cost;
}

#define MOST_WORK 36.0   // multiply-adds of a factor in the time of a tile
#define MOST_ENTRIES 4.0 // entries of a remainder that are added to the parent's in it

// A matrix of blocks is factored nearly as often as it is solved with, a scalar one once.
double groupCost(int columns, int rows, int width)
{
    columns *= width;
    rows *= width;
    double solve = solveCost(columns, rows), c = columns, r = rows;
    return width == 1 ? solve : solve + c * (c * c / 3 + r * (c + r) / 2) / MOST_WORK + r * r / 2 / MOST_ENTRIES;
}

void groupsFree(Memory *memory, Groups *groups)
{
    memoryRelease(memory, groups->owner);
    memoryRelease(memory, groups->columns);
    memoryRelease(memory, groups->rows);
    memoryRelease(memory, groups->parent);
    memoryRelease(memory, groups->task);
}

// Maximal supernodes: a column joins its child if they have the same rows below.
static void findSupernodes(const Columns *c, Groups *g)
{
    for (int k = 0; k < c->count; ++k)
    {
        bool joins = k > 0 && c->parent[k - 1] == k && c->below[k - 1] == c->below[k] + 1;
        if (!joins)
            g->columns[g->count++] = 0;
        g->owner[k] = g->count - 1;
        g->columns[g->count - 1] += 1;
        g->rows[g->count - 1] = c->below[k];
        g->parent[g->count - 1] = c->parent[k]; // of its last column; owners are not all known yet
    }
    for (int s = 0; s < g->count; ++s)
        if (g->parent[s] != FRONT_NONE)
            g->parent[s] = g->owner[g->parent[s]];
}

// time saved by merging child c into its parent p: c's rows below are then all columns or rows of p
static double mergeGain(const Groups *g, int c, int p, int width)
{
    return groupCost(g->columns[c], g->rows[c], width) + groupCost(g->columns[p], g->rows[p], width) -
           groupCost(g->columns[c] + g->columns[p], g->rows[p], width);
}

// Merges children into p, the best first, as long as that saves time; grandchildren become children.
static void mergeChildren(Groups *g, Merging *m, int p, int width)
{
    for (;;)
    {
        int *best = NULL;
        double most = 0;
        for (int *link = &m->firstChild[p]; *link != FRONT_NONE; link = &m->next[*link])
        {
            double gain = mergeGain(g, *link, p, width);
            if (gain > most)
            {
                most = gain;
                best = link;
            }
        }
        if (best == NULL)
            return;
        int c = *best, *tail = &m->firstChild[c];
        while (*tail != FRONT_NONE)
            tail = &m->next[*tail];
        *tail = m->next[c];
        *best = m->firstChild[c];
        m->into[c] = p;
        g->columns[p] += g->columns[c];
    }
}

// Numbers what is left; a merged supernode keeps the place of its topmost one, so children still come before parents.
static void renumber(const Columns *c, Groups *g, int *into, int *number)
{
    int count = 0;
    for (int s = 0; s < g->count; ++s)
        if (into[s] == FRONT_NONE)
            number[s] = count++;
    for (int s = g->count - 1; s >= 0; --s)
        if (into[s] != FRONT_NONE)
            number[s] = number[into[s]];
    for (int k = 0; k < c->count; ++k)
        g->owner[k] = number[g->owner[k]];
    for (int s = 0; s < g->count; ++s)
    {
        if (into[s] != FRONT_NONE)
            continue;
        int f = number[s]; // <= s, so nothing that is still needed is overwritten
        g->columns[f] = g->columns[s];
        g->rows[f] = g->rows[s];
        g->parent[f] = g->parent[s] == FRONT_NONE ? FRONT_NONE : number[g->parent[s]];
    }
    g->count = count;
}

bool groupsMake(Memory *memory, const Columns *c, int width, Groups *g)
{
    int count = c->count;
    g->owner = ALLOCATE(memory, int, count);
    g->columns = ALLOCATE(memory, int, count);
    g->rows = ALLOCATE(memory, int, count);
    g->parent = ALLOCATE(memory, int, count);
    g->task = ALLOCATE(memory, int, count);
    Merging m = { ALLOCATE(memory, int, count), ALLOCATE(memory, int, count), ALLOCATE(memory, int, count) };
    bool fine = g->owner != NULL && g->columns != NULL && g->rows != NULL && g->parent != NULL && g->task != NULL &&
                m.firstChild != NULL && m.next != NULL && m.into != NULL;
    if (fine)
    {
        findSupernodes(c, g);
        for (int s = 0; s < g->count; ++s)
            m.firstChild[s] = m.into[s] = m.next[s] = FRONT_NONE;
        for (int s = g->count - 1; s >= 0; --s)
        {
            if (g->parent[s] == FRONT_NONE)
                continue;
            m.next[s] = m.firstChild[g->parent[s]];
            m.firstChild[g->parent[s]] = s;
        }
        for (int s = 0; s < g->count; ++s)
            mergeChildren(g, &m, s, width);
        renumber(c, g, m.into, m.next);
    }
    memoryRelease(memory, m.firstChild);
    memoryRelease(memory, m.next);
    memoryRelease(memory, m.into);
    return fine;
}
