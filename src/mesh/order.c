#include "mesh/build.h"

// The order of Cuthill and McKee 1969: breadth-first from a vertex of lowest degree, neighbours by rising degree. Used
// for locality only (the linear room orders its factor itself), so the start is not searched for further.

// neighbours of v: neighbour[start[v] .. start[v + 1])
typedef struct Adjacency
{
    int *start;     // vertexCount + 1
    int *neighbour; // pairCount x 2
    int *next;      // vertexCount: where the next neighbour of a vertex goes
} Adjacency;

static bool adjacencyAllocate(Memory *memory, Adjacency *adjacency, int vertexCount, int pairCount)
{
    adjacency->start = ALLOCATE(memory, int, vertexCount + 1);
    adjacency->neighbour = ALLOCATE(memory, int, 2 * (size_t)pairCount);
    adjacency->next = ALLOCATE(memory, int, vertexCount);
    return adjacency->start != NULL && adjacency->neighbour != NULL && adjacency->next != NULL;
}

static void adjacencyRelease(Memory *memory, Adjacency *adjacency)
{
    memoryRelease(memory, adjacency->start);
    memoryRelease(memory, adjacency->neighbour);
    memoryRelease(memory, adjacency->next);
}

static void adjacencyFill(Adjacency *adjacency, const int *pair, int pairCount, int vertexCount)
{
    for (int i = 0; i < 2 * pairCount; ++i)
        adjacency->start[pair[i] + 1] += 1;
    for (int v = 0; v < vertexCount; ++v)
    {
        adjacency->start[v + 1] += adjacency->start[v];
        adjacency->next[v] = adjacency->start[v];
    }
    for (int i = 0; i < pairCount; ++i)
    {
        int a = pair[2 * i], b = pair[2 * i + 1];
        adjacency->neighbour[adjacency->next[a]++] = b;
        adjacency->neighbour[adjacency->next[b]++] = a;
    }
}

// the same lists, each in the order in which `sequence` names the vertices: no list is sorted by itself
static void adjacencySort(const Adjacency *from, Adjacency *to, const int *sequence, int vertexCount)
{
    for (int v = 0; v <= vertexCount; ++v)
        to->start[v] = from->start[v];
    for (int v = 0; v < vertexCount; ++v)
        to->next[v] = from->start[v];
    for (int k = 0; k < vertexCount; ++k)
    {
        int v = sequence[k];
        for (int i = from->start[v]; i < from->start[v + 1]; ++i)
            to->neighbour[to->next[from->neighbour[i]]++] = v;
    }
}

// every component from its first vertex in `sequence`; `order` is the queue
static void walkBreadthFirst(const Adjacency *adjacency, const int *sequence, int vertexCount, bool *seen, int *order)
{
    int head = 0, tail = 0;
    for (int k = 0; k < vertexCount; ++k)
    {
        if (seen[sequence[k]])
            continue;
        seen[sequence[k]] = true;
        order[tail++] = sequence[k];
        while (head < tail)
        {
            int v = order[head++];
            for (int i = adjacency->start[v]; i < adjacency->start[v + 1]; ++i)
            {
                int u = adjacency->neighbour[i];
                if (!seen[u])
                {
                    seen[u] = true;
                    order[tail++] = u;
                }
            }
        }
    }
}

bool orderVertices(Memory *memory, const int *pair, int pairCount, int vertexCount, int *toCaller)
{
    Adjacency plain = { 0 }, sorted = { 0 };
    int *degree = ALLOCATE(memory, int, vertexCount);
    int *byDegree = ALLOCATE(memory, int, vertexCount);
    bool *seen = ALLOCATE(memory, bool, vertexCount);
    bool ok = degree != NULL && byDegree != NULL && seen != NULL &&
              adjacencyAllocate(memory, &plain, vertexCount, pairCount) &&
              adjacencyAllocate(memory, &sorted, vertexCount, pairCount);
    if (ok)
    {
        // vertices by degree, ties by the caller's index
        adjacencyFill(&plain, pair, pairCount, vertexCount);
        for (int v = 0; v < vertexCount; ++v)
            degree[v] = plain.start[v + 1] - plain.start[v];
        ok = sortTuples(memory, degree, vertexCount, 1, vertexCount, byDegree);
    }
    if (ok)
    {
        adjacencySort(&plain, &sorted, byDegree, vertexCount);
        walkBreadthFirst(&sorted, byDegree, vertexCount, seen, toCaller);
    }
    adjacencyRelease(memory, &plain);
    adjacencyRelease(memory, &sorted);
    memoryRelease(memory, degree);
    memoryRelease(memory, byDegree);
    memoryRelease(memory, seen);
    return ok;
}
