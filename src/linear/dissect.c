#include "linear/dissect.h"

#include <string.h>

// Nested dissection (George 1973): cut the graph in two halves and a thin separator, cut the halves again. Candidates
// are planes in 13 directions of the mesh's own lattice, at three positions each, and level sets of distances in the
// graph; the best few are refined by moving vertices through the separator (Fiduccia, Mattheyses 1982, for vertex
// separators: Ashcraft, Liu 1997). No randomness: the result depends on the graph and the points alone.

// ---- distances in the graph -----------------------------------------------------------------------------------------

// Breadth first over the inside of the piece (side below OUTSIDE), `distance` NONE where not yet seen. Appends to the
// queue from `end` on and returns its new end.
static int walk(Dissection *d, int from, int *distance, int end)
{
    int begin = end;
    distance[from] = 0;
    d->queue[end++] = from;
    for (int k = begin; k < end; ++k)
    {
        int v = d->queue[k];
        for (int p = d->near.start[v]; p < d->near.start[v + 1]; ++p)
        {
            int u = d->near.vertex[p];
            if (d->side[u] == OUTSIDE || distance[u] != NONE)
                continue;
            distance[u] = distance[v] + 1;
            d->queue[end++] = u;
        }
    }
    return end;
}

// Distances from a vertex of a connected piece; returns one that is farthest.
static int measure(Dissection *d, Piece piece, int from, int *distance)
{
    for (int k = piece.begin; k < piece.end; ++k)
        distance[d->list[k]] = NONE;
    return d->queue[walk(d, from, distance, 0) - 1];
}

// Seed 0 is at an end of the piece (three sweeps), every other one as far as possible from those before it.
static void plantSeeds(Dissection *d, Piece piece)
{
    int seed = d->list[piece.begin];
    for (int sweep = 0; sweep < 3; ++sweep)
        seed = measure(d, piece, seed, d->distance[0]);
    measure(d, piece, seed, d->distance[0]);
    for (int s = 1; s < SEEDS; ++s)
    {
        int farthest = -1;
        for (int k = piece.begin; k < piece.end; ++k)
        {
            int v = d->list[k], nearest = d->distance[0][v];
            for (int t = 1; t < s; ++t)
                nearest = minInt(nearest, d->distance[t][v]);
            if (nearest > farthest)
            {
                farthest = nearest;
                seed = v;
            }
        }
        measure(d, piece, seed, d->distance[s]);
    }
}

// ---- candidates -----------------------------------------------------------------------------------------------------

// The values the vertices are compared by, the smallest and the largest in `range`.
static void fillValues(Dissection *d, Piece piece, int key, double range[2])
{
    static const int pair[PAIRS][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int k = piece.begin; k < piece.end; ++k)
    {
        int v = d->list[k], other = key - DIRECTIONS - 1;
        double value;
        if (key < DIRECTIONS)
            value = vecDot(d->direction[key], vecLoad(d->points + 3 * (size_t)v));
        else if (other < 0)
            value = d->distance[0][v];
        else
            value = d->distance[pair[other][0]][v] - d->distance[pair[other][1]][v];
        d->value[v] = value;
        range[0] = minReal(range[0], value);
        range[1] = maxReal(range[1], value);
    }
}

// A bound between two bins, in units of bins, with about that share of the vertices below. Wide gaps count for more
// than the exact share: planes of a lattice stay on one side even if rounding has blurred them.
static double chooseBound(const Dissection *d, int bins, int vertices, double share)
{
    double chosen = 0, most = 0;
    int below = d->bin[0], last = 0;
    for (int i = 1; i < bins; ++i)
    {
        if (d->bin[i] == 0)
            continue;
        double off = 50 * ((double)below / vertices - share), worth = (i - last) / (1 + off * off);
        if (worth > most)
        {
            most = worth;
            chosen = 0.5 * (last + 1 + i);
        }
        last = i;
        below += d->bin[i];
    }
    return chosen;
}

static int findBounds(Dissection *d, Piece piece, const double range[2], double bound[CUTS])
{
    int vertices = piece.end - piece.begin, bins = minInt(BINS, vertices), found = 0;
    double width = range[1] - range[0], scale = bins / width;
    if (!(width > 0 && width < INFINITY && scale < INFINITY))
        return 0;
    memset(d->bin, 0, sizeof d->bin);
    for (int k = piece.begin; k < piece.end; ++k)
        d->bin[minInt((int)((d->value[d->list[k]] - range[0]) * scale), bins - 1)] += 1;
    for (int c = 0; c < CUTS; ++c)
    {
        double next = range[0] + chooseBound(d, bins, vertices, 0.5 + 0.08 * (c - 1)) / scale;
        if (found == 0 || next > bound[found - 1])
            bound[found++] = next;
    }
    return found;
}

double dissectScore(int separator, int lower, int upper)
{
    double uneven = lower > upper ? lower - upper : upper - lower;
    return separator * (1 + 0.5 * uneven / (separator + lower + upper));
}

static void offer(Candidate *best, Candidate candidate)
{
    for (int k = 0; k < REFINED; ++k)
    {
        if (best[k].score >= 0 && best[k].score <= candidate.score)
            continue;
        Candidate worse = best[k];
        best[k] = candidate;
        candidate = worse;
        if (candidate.score < 0)
            return;
    }
}

// All cuts by one key in one pass over the edges: the vertices go to the buckets between the bounds.
static void compareCuts(Dissection *d, Piece piece, int key, Candidate *best)
{
    double range[2], bound[CUTS];
    int boundary[2][CUTS] = { { 0 } }, below[CUTS] = { 0 };
    fillValues(d, piece, key, range);
    int cuts = findBounds(d, piece, range, bound);
    for (int k = piece.begin; k < piece.end && cuts > 0; ++k)
    {
        int v = d->list[k], bucket = 0;
        for (int c = 0; c < cuts; ++c)
            bucket += d->value[v] >= bound[c];
        d->side[v] = (unsigned char)bucket;
    }
    for (int k = piece.begin; k < piece.end && cuts > 0; ++k)
    {
        int v = d->list[k], bucket = d->side[v], low = bucket, high = bucket;
        for (int p = d->near.start[v]; p < d->near.start[v + 1]; ++p)
        {
            int other = d->side[d->near.vertex[p]];
            low = minInt(low, other);
            high = other != OUTSIDE ? maxInt(high, other) : high;
        }
        for (int c = 0; c < cuts; ++c)
        {
            below[c] += bucket <= c;
            boundary[LOWER][c] += bucket <= c && high > c;
            boundary[UPPER][c] += bucket > c && low <= c;
        }
    }
    for (int c = 0; c < cuts; ++c)
    {
        enum Side thick = boundary[LOWER][c] <= boundary[UPPER][c] ? LOWER : UPPER;
        int separator = boundary[thick][c];
        int lower = below[c] - (thick == LOWER ? separator : 0);
        int upper = piece.end - piece.begin - separator - lower;
        if (lower > 0 && upper > 0)
            offer(best, (Candidate){ dissectScore(separator, lower, upper), key, bound[c], thick });
    }
}

static void applyCut(Dissection *d, Piece piece, const Candidate *cut)
{
    double range[2];
    enum Side thin = cut->thick == LOWER ? UPPER : LOWER;
    fillValues(d, piece, cut->key, range);
    for (int k = piece.begin; k < piece.end; ++k)
        d->side[d->list[k]] = d->value[d->list[k]] < cut->bound ? LOWER : UPPER;
    memset(d->size, 0, sizeof d->size);
    for (int k = piece.begin; k < piece.end; ++k)
    {
        int v = d->list[k];
        for (int p = d->near.start[v]; p < d->near.start[v + 1] && d->side[v] == cut->thick; ++p)
            if (d->side[d->near.vertex[p]] == thin)
                d->side[v] = SEPARATOR;
        d->size[d->side[v]] += 1;
    }
}

// ---- recursion ------------------------------------------------------------------------------------------------------

// Finds a separator for a connected piece and leaves it in `best`; false if there is none.
static bool separate(Dissection *d, Piece piece)
{
    Candidate best[REFINED];
    double least = -1;
    for (int k = 0; k < REFINED; ++k)
        best[k].score = -1;
    plantSeeds(d, piece);
    for (int key = d->points != NULL ? 0 : DIRECTIONS; key < DIRECTIONS + 1 + PAIRS; ++key)
        compareCuts(d, piece, key, best);
    for (int k = 0; k < REFINED && best[k].score >= 0; ++k)
    {
        applyCut(d, piece, &best[k]);
        double score = best[k].score;
        for (int pass = 0; pass < MOST_PASSES && dissectRefine(d, piece, &score); ++pass)
            ;
        if (least >= 0 && score >= least)
            continue;
        least = score;
        for (int p = piece.begin; p < piece.end; ++p)
            d->best[d->list[p]] = d->side[d->list[p]];
    }
    return least >= 0;
}

static void push(Dissection *d, Piece piece)
{
    if (piece.end - piece.begin > LEAF && piece.depth < DEEPEST)
        d->stack[d->waiting++] = piece;
}

// Cuts a connected piece: its halves are filed one after the other and wait for their own cuts.
static void cutPiece(Dissection *d, Piece piece)
{
    int end[3] = { 0 };
    for (int k = piece.begin; k < piece.end; ++k)
        d->side[d->list[k]] = LOWER;
    bool found = separate(d, piece);
    for (int k = piece.begin; k < piece.end; ++k)
    {
        d->side[d->list[k]] = OUTSIDE;
        d->queue[k - piece.begin] = d->list[k];
        end[d->best[d->list[k]]] += 1;
    }
    if (!found)
        return;
    int lower = piece.begin + end[LOWER], upper = lower + end[UPPER];
    int at[3] = { piece.begin, lower, upper };
    for (int k = 0; k < piece.end - piece.begin; ++k)
    {
        int v = d->queue[k];
        d->list[at[d->best[v]]++] = v;
        if (d->best[v] == SEPARATOR)
            d->class[v] = DEEPEST - piece.depth;
    }
    push(d, (Piece){ piece.begin, lower, piece.depth + 1, false });
    push(d, (Piece){ lower, upper, piece.depth + 1, false });
}

// Files the components of a piece one after the other.
static void splitPiece(Dissection *d, Piece piece)
{
    int *distance = d->distance[0], end = 0;
    for (int k = piece.begin; k < piece.end; ++k)
    {
        d->side[d->list[k]] = LOWER;
        distance[d->list[k]] = NONE;
    }
    for (int k = piece.begin; k < piece.end; ++k)
    {
        if (distance[d->list[k]] != NONE)
            continue;
        int begin = end;
        end = walk(d, d->list[k], distance, end);
        push(d, (Piece){ piece.begin + begin, piece.begin + end, piece.depth, true });
    }
    for (int k = piece.begin; k < piece.end; ++k)
    {
        d->list[k] = d->queue[k - piece.begin];
        d->side[d->list[k]] = OUTSIDE;
    }
}

static void dissect(Dissection *d)
{
    if (d->points != NULL)
        dissectDirections(d);
    for (int v = 0; v < d->count; ++v)
    {
        d->list[v] = v;
        d->class[v] = 0;
        d->side[v] = OUTSIDE;
    }
    push(d, (Piece){ 0, d->count, 0, false });
    while (d->waiting > 0)
    {
        Piece piece = d->stack[--d->waiting];
        if (piece.connected)
            cutPiece(d, piece);
        else
            splitPiece(d, piece);
    }
}

bool dissectGraph(Memory *memory, const Graph *graph, const double *points, int *class)
{
    Dissection d = { .count = graph->count, .points = points, .class = class };
    int **arrays[] = { &d.list,        &d.queue,       &d.distance[0], &d.distance[1], &d.distance[2],
                       &d.distance[3], &d.cost[0],     &d.cost[1],     &d.next[0],     &d.next[1],
                       &d.previous[0], &d.previous[1], &d.log };
    size_t count = (size_t)d.count, arrayCount = sizeof arrays / sizeof arrays[0];
    int *block = ALLOCATE(memory, int, count *(arrayCount + 2)); // the log is three times as long
    unsigned char *bytes = ALLOCATE(memory, unsigned char, 5 * count);
    d.value = ALLOCATE(memory, double, count);
    d.locked = ALLOCATE(memory, bool, count);
    d.stack = ALLOCATE(memory, Piece, count / LEAF + 1);
    bool fine = block != NULL && bytes != NULL && d.value != NULL && d.locked != NULL && d.stack != NULL &&
                neighboursMake(memory, graph, &d.near);
    if (fine)
    {
        for (size_t k = 0; k < arrayCount; ++k)
            *arrays[k] = block + k * count;
        d.side = bytes;
        d.best = bytes + count;
        d.logSide = bytes + 2 * count;
        dissect(&d);
    }
    neighboursFree(memory, &d.near);
    memoryRelease(memory, d.stack);
    memoryRelease(memory, d.locked);
    memoryRelease(memory, d.value);
    memoryRelease(memory, bytes);
    memoryRelease(memory, block);
    return fine;
}

// Replaces the order by the one of the classes if that costs less.
static bool takeBetter(Memory *memory, const Graph *graph, const int *class, int *other, int *order)
{
    bool cut = false;
    for (int v = 0; v < graph->count; ++v)
        cut = cut || class[v] > 0;
    if (!cut)
        return true;
    if (!orderByClass(memory, graph, class, other))
        return false;
    double flops = orderFlops(memory, graph, order, NULL), otherFlops = orderFlops(memory, graph, other, NULL);
    if (otherFlops < flops)
        memcpy(order, other, sizeof(int) * (size_t)graph->count);
    return flops >= 0 && otherFlops >= 0;
}

bool orderBest(Memory *memory, const Graph *graph, const double *points, int *order)
{
    int *class = ALLOCATE(memory, int, graph->count), *other = ALLOCATE(memory, int, graph->count);
    bool fine = class != NULL && other != NULL && orderMinimumDegree(memory, graph, order) &&
                dissectGraph(memory, graph, points, class) && takeBetter(memory, graph, class, other, order);
    memoryRelease(memory, class);
    memoryRelease(memory, other);
    return fine;
}
