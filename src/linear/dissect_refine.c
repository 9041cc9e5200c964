// Refinement of a separator by moving its vertices to one side or the other (Fiduccia, Mattheyses 1982; for vertex
// separators Ashcraft, Liu 1997).
#include "linear/dissect.h"

#include <string.h>

static void costInsert(Dissection *d, int to, int v)
{
    int *head = &d->head[to][minInt(d->cost[to][v], MOST_COST)];
    d->next[to][v] = *head;
    d->previous[to][v] = NONE;
    if (*head != NONE)
        d->previous[to][*head] = v;
    *head = v;
}

static void costRemove(Dissection *d, int to, int v)
{
    int next = d->next[to][v], previous = d->previous[to][v];
    if (next != NONE)
        d->previous[to][next] = previous;
    if (previous != NONE)
        d->next[to][previous] = next;
    else
        d->head[to][minInt(d->cost[to][v], MOST_COST)] = next;
}

static void costChange(Dissection *d, int to, int v, int change)
{
    if (d->locked[v])
        return;
    costRemove(d, to, v);
    d->cost[to][v] += change;
    costInsert(d, to, v);
}

// A separator vertex becomes free to move.
static void enlist(Dissection *d, int v)
{
    int count[4] = { 0 };
    for (int p = d->near.start[v]; p < d->near.start[v + 1]; ++p)
        count[minInt(d->side[d->near.vertex[p]], 3)] += 1;
    for (int to = LOWER; to <= UPPER; ++to)
    {
        d->cost[to][v] = count[1 - to];
        costInsert(d, to, v);
    }
}

static void changeSide(Dissection *d, int v, int side)
{
    d->log[d->logged] = v;
    d->logSide[d->logged++] = d->side[v];
    d->size[d->side[v]] -= 1;
    d->size[side] += 1;
    d->side[v] = (unsigned char)side;
}

// Moves v out of the separator; its neighbours on the other side take its place.
static void moveOut(Dissection *d, int v, int to)
{
    int from = 1 - to, swallowed = 0;
    costRemove(d, LOWER, v);
    costRemove(d, UPPER, v);
    d->locked[v] = true;
    changeSide(d, v, to);
    for (int p = d->near.start[v]; p < d->near.start[v + 1]; ++p)
    {
        int u = d->near.vertex[p];
        if (d->side[u] == SEPARATOR)
            costChange(d, from, u, 1);
        if (d->side[u] != from)
            continue;
        for (int q = d->near.start[u]; q < d->near.start[u + 1]; ++q)
            if (d->side[d->near.vertex[q]] == SEPARATOR)
                costChange(d, to, d->near.vertex[q], -1);
        changeSide(d, u, SEPARATOR);
        swallowed += 1;
        if (!d->locked[u])
            enlist(d, u);
    }
    ASSERT(swallowed == d->cost[to][v], "a move costs what it swallows");
}

// The cheapest move, towards the smaller side if both cost the same; false if there is none.
static bool chooseMove(const Dissection *d, int total, int *vertex, int *to)
{
    int smaller = d->size[LOWER] <= d->size[UPPER] ? LOWER : UPPER;
    for (int cost = 0; cost < MOST_COST; ++cost)
    {
        for (int k = 0; k < 2; ++k)
        {
            int side = k == 0 ? smaller : 1 - smaller;
            if (d->head[side][cost] == NONE || (k == 1 && d->size[side] + 1 > HEAVIEST * total))
                continue;
            *vertex = d->head[side][cost];
            *to = side;
            return true;
        }
    }
    return false;
}

// One pass: each vertex moves at most once, uphill too; then back to the best state met. True if it got better.
bool dissectRefine(Dissection *d, Piece piece, double *score)
{
    int total = piece.end - piece.begin, patience = maxInt(50, d->size[SEPARATOR] / 2), bestLogged = 0;
    int vertex, to;
    bool better = false;
    memset(d->head, 0xff, sizeof d->head);
    d->logged = 0;
    for (int k = piece.begin; k < piece.end; ++k)
    {
        d->locked[d->list[k]] = false;
        if (d->side[d->list[k]] == SEPARATOR)
            enlist(d, d->list[k]);
    }
    // a vertex enters the log at most three times: into the separator, out of it, and in again for good
    for (int bad = 0; bad < patience && chooseMove(d, total, &vertex, &to); ++bad)
    {
        moveOut(d, vertex, to);
        double now = dissectScore(d->size[SEPARATOR], d->size[LOWER], d->size[UPPER]);
        if (now < *score && d->size[LOWER] > 0 && d->size[UPPER] > 0)
        {
            *score = now;
            bestLogged = d->logged;
            better = true;
            bad = -1;
        }
    }
    while (d->logged > bestLogged)
    {
        int v = d->log[--d->logged];
        d->size[d->side[v]] -= 1;
        d->side[v] = d->logSide[d->logged];
        d->size[d->side[v]] += 1;
    }
    return better;
}
