// Where a mesh has changed: all that is made from elements away from there can stay as it was.
#include "mesh/pieces.h"

#include <limits.h>
#include <string.h>

// the number of a vertex in the library's order, where old ones keep theirs
static int ours(const vvMesh *old, int vertex)
{
    return vertex < old->vertexCount ? old->vertexFromCaller[vertex] : vertex;
}

static void touch(const vvMesh *old, const int *corner, int width, bool *touched)
{
    for (int c = 0; c < width; ++c)
        touched[ours(old, corner[c])] = true;
}

// `alike`: elements of the old mesh that stayed as they are, all false at first
static void compareElements(const Pieces *p, bool *alike, bool *touched)
{
    const vvMesh *old = p->old;
    const int *before = p->width == 4 ? old->callerTet : old->callerSurface;
    for (int e = 0; e < p->elementCount; ++e)
    {
        const int *corner = p->corner + (ptrdiff_t)e * p->width, *parent = before + (ptrdiff_t)p->parent[e] * p->width;
        if (sameCorners(corner, parent, p->width))
            alike[p->parent[e]] = true;
        else
            touch(old, corner, p->width, touched);
    }
    for (int e = 0; e < meshElementCount(old); ++e)
    {
        if (!alike[e])
            touch(old, before + (ptrdiff_t)e * p->width, p->width, touched);
    }
}

// shares are in the library's order, each a copy where it stayed
static void compareSprings(const Pieces *p, const Springs *springs, bool *alike, bool *touched)
{
    const vvMesh *old = p->old;
    for (int e = 0; e < springs->count; ++e)
    {
        int parent = springs->parent[e];
        const int *end = springs->end + 2 * (ptrdiff_t)e;
        if (parent >= 0 && sameCorners(end, old->callerEdge + 2 * (ptrdiff_t)parent, 2))
            alike[parent] = true;
        else
            touch(old, end, 2, touched);
    }
    for (int e = 0; e < old->edgeCount; ++e)
    {
        if (!alike[e])
            touch(old, old->callerEdge + 2 * (ptrdiff_t)e, 2, touched);
    }
}

bool piecesTouched(const Pieces *p, const Springs *springs, MeshChange *change)
{
    const vvMesh *old = p->old;
    if (p->width == 2)
        return true;
    bool *alike = ALLOCATE(p->memory, bool, maxInt(meshElementCount(old), old->edgeCount) + 1);
    bool *touched = ALLOCATE(&change->memory, bool, p->vertexCount);
    if (alike != NULL && touched != NULL)
    {
        for (int v = old->vertexCount; v < p->vertexCount; ++v)
            touched[v] = true;
        for (int v = 0; v < old->vertexCount; ++v)
        {
            size_t at = 3 * (size_t)v;
            if (memcmp(p->point + at, old->callerPoint + at, 3 * sizeof(double)) != 0)
                touched[ours(old, v)] = true;
        }
        compareElements(p, alike, touched);
        memset(alike, 0, (size_t)meshElementCount(old) * sizeof(bool));
        compareSprings(p, springs, alike, touched);
    }
    memoryRelease(p->memory, alike);
    change->touched = touched;
    return alike != NULL && touched != NULL;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

// Pairs of touched vertices, lower first; how many numbers they are, -1: out of memory. `touched` is in the caller's
// order.
static int listTouched(Memory *memory, const ElementSet *sets, int setCount, const vvMesh *mesh, const bool *touched,
                       int **list)
{
    int count = 0, room = 0;
    for (int s = 0; s < setCount; ++s)
    {
        int width = sets[s].width;
        for (int e = 0; e < sets[s].count; ++e)
        {
            const int *corner = sets[s].corner + (ptrdiff_t)e * width;
            int near[MOST_CORNERS], found = 0;
            for (int c = 0; c < width; ++c)
                found += touched[corner[c]];
            if (found < 2)
                continue;
            found = 0;
            for (int c = 0; c < width; ++c)
            {
                near[found] = mesh->vertexFromCaller[corner[c]];
                found += touched[corner[c]];
            }
            if (count + found * found > room)
            {
                void *block = *list;
                int grown = 2 * room + 4096;
                if (!memoryGrow(memory, &block, (size_t)room, (size_t)grown, sizeof(int)))
                    return -1;
                *list = block;
                room = grown;
            }
            for (int i = 1; i < found; ++i)
            {
                for (int k = 0; k < i; ++k, count += 2)
                {
                    (*list)[count] = minInt(near[i], near[k]);
                    (*list)[count + 1] = maxInt(near[i], near[k]);
                }
            }
        }
    }
    return count;
}

// Sorted, each once: old ones with an untouched vertex, and those of `list` in `order`. A vertex that was not touched
// has no others than its old ones.
static void merge(const vvMesh *old, const bool *touched, const int *list, const int *order, int count, vvMesh *mesh)
{
    int written = 0, a = 0;
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        int b = v < old->vertexCount ? old->pairStart[v] : 0, end = v < old->vertexCount ? old->pairStart[v + 1] : 0;
        int *pair = mesh->pair + 2 * (ptrdiff_t)written, found = 0;
        if (!touched[v])
        {
            found = end - b;
            memcpy(pair, old->pair + 2 * (ptrdiff_t)b, 2 * sizeof(int) * (size_t)found);
        }
        while (touched[v] && (b < end || (a < count && list[2 * order[a]] == v)))
        {
            int before = b < end ? old->pair[2 * (ptrdiff_t)b + 1] : INT_MAX;
            int fresh = a < count && list[2 * order[a]] == v ? list[2 * order[a] + 1] : INT_MAX;
            bool takes = fresh < before;
            a += takes;
            b += !takes;
            int other = takes ? fresh : before;
            if ((!takes && touched[other]) || (found > 0 && pair[2 * found - 1] == other))
                continue;
            pair[2 * found] = v;
            pair[2 * found++ + 1] = other;
        }
        written += found;
        mesh->pairStart[v + 1] = written;
    }
    mesh->pairCount = written;
}

bool inheritPairs(Memory *memory, const ElementSet *sets, int setCount, const vvMesh *old, const bool *touched,
                  vvMesh *mesh)
{
    bool *near = ALLOCATE_BARE(memory, bool, mesh->vertexCount); // touched, in the caller's order
    for (int v = 0; near != NULL && v < mesh->vertexCount; ++v)
        near[mesh->vertexToCaller[v]] = touched[v];
    int *list = NULL, numbers = near != NULL ? listTouched(memory, sets, setCount, mesh, near, &list) : -1;
    int count = maxInt(numbers, 0) / 2;
    memoryRelease(memory, near);
    int *order = ALLOCATE(memory, int, count + 1);
    mesh->pair = ALLOCATE_BARE(memory, int, 2 * ((size_t)count + (size_t)old->pairCount) + 1);
    mesh->pairStart = ALLOCATE(memory, int, mesh->vertexCount + 1);
    bool ok = numbers >= 0 && order != NULL && mesh->pair != NULL && mesh->pairStart != NULL;
    ok = ok && sortTuples(memory, list, count, 2, mesh->vertexCount, order);
    if (ok)
        merge(old, touched, list, order, count, mesh);
    memoryRelease(memory, list);
    memoryRelease(memory, order);
    return ok;
}
