// Rings: the neighbours of a vertex of a sheet, in the order in which its triangles lie around it.
#include "mesh/build.h"

#include <string.h>

// the corner of a triangle after `vertex`, and the one after that
static void others(const int *triangle, int vertex, int *a, int *b)
{
    int k = triangle[0] == vertex ? 0 : triangle[1] == vertex ? 1 : 2;
    *a = triangle[(k + 1) % 3];
    *b = triangle[(k + 2) % 3];
}

// Walks from triangle to triangle around a vertex, over the edges they share; windings may differ. Returns how many
// neighbours the closed ring has, 0: it is not closed, or there are several.
static int walkRing(const vvMesh *mesh, int vertex, const int *incident, int count, int *ring)
{
    int first, here, used = 1;
    others(mesh->surface + 3 * (ptrdiff_t)incident[0], vertex, &first, &here);
    ring[0] = first;
    int last = incident[0];
    while (here != first)
    {
        int next = -1, found = 0, triangle = -1;
        for (int i = 0; i < count; ++i)
        {
            int a, b;
            others(mesh->surface + 3 * (ptrdiff_t)incident[i], vertex, &a, &b);
            if (incident[i] == last || (a != here && b != here))
                continue;
            found += 1;
            triangle = incident[i];
            next = a == here ? b : a;
        }
        if (found != 1 || used == count)
            return 0;
        ring[used++] = here;
        here = next;
        last = triangle;
    }
    return used == count && count >= 3 ? used : 0;
}

bool meshRings(const vvMesh *mesh, Memory *memory, MeshRings *rings)
{
    int corners = 3 * mesh->surfaceCount, n = mesh->vertexCount;
    *rings = (MeshRings){ 0 };
    int *first = ALLOCATE(memory, int, n + 2), *triangle = ALLOCATE(memory, int, corners);
    rings->start = ALLOCATE(memory, int, n + 1);
    rings->neighbour = ALLOCATE(memory, int, corners); // a closed ring has as many neighbours as triangles
    bool ok = first && triangle && rings->start && rings->neighbour;
    if (ok)
    {
        // counts sit two places up, so that filling leaves every start where it belongs
        for (int i = 0; i < corners; ++i)
            first[mesh->surface[i] + 2] += 1;
        for (int v = 0; v < n; ++v)
            first[v + 2] += first[v + 1];
        for (int i = 0; i < corners; ++i)
            triangle[first[mesh->surface[i] + 1]++] = i / 3;
        for (int v = 0; v < n; ++v)
        {
            int count = first[v + 1] - first[v], place = rings->start[v];
            int length = count == 0 ? 0 : walkRing(mesh, v, triangle + first[v], count, rings->neighbour + place);
            rings->start[v + 1] = place + length;
        }
    }
    memoryRelease(memory, first);
    memoryRelease(memory, triangle);
    if (!ok)
        meshRingsRelease(memory, rings);
    return ok;
}

void meshRingsRelease(Memory *memory, MeshRings *rings)
{
    memoryRelease(memory, rings->start);
    memoryRelease(memory, rings->neighbour);
    *rings = (MeshRings){ 0 };
}

bool meshHinges(const vvMesh *mesh, Memory *memory, int **hinge, int *hingeCount)
{
    int sides = 3 * mesh->surfaceCount, count = 0;
    int *key = ALLOCATE(memory, int, 2 * (size_t)sides), *order = ALLOCATE(memory, int, sides);
    int *found = ALLOCATE(memory, int, 4 * (size_t)sides);
    bool ok = key && order && found;
    for (int k = 0; k < sides && ok; ++k)
    {
        int a = mesh->surface[k], b = mesh->surface[k / 3 * 3 + (k % 3 + 1) % 3];
        key[2 * k] = minInt(a, b);
        key[2 * k + 1] = maxInt(a, b);
    }
    ok = ok && sortTuples(memory, key, sides, 2, mesh->vertexCount, order);
    for (int i = 0, next; i < sides && ok; i = next)
    {
        const int *edge = key + 2 * (ptrdiff_t)order[i];
        next = i + 1;
        while (next < sides && memcmp(edge, key + 2 * (ptrdiff_t)order[next], 2 * sizeof(int)) == 0)
            next += 1;
        if (next != i + 2)
            continue; // the rim, or more than two triangles
        memcpy(found + 4 * (ptrdiff_t)count, edge, 2 * sizeof(int));
        for (int side = 0; side < 2; ++side)
        {
            int k = order[i + side];
            found[4 * count + 2 + side] = mesh->surface[k / 3 * 3 + (k % 3 + 2) % 3];
        }
        count += 1;
    }
    memoryRelease(memory, key);
    memoryRelease(memory, order);
    if (!ok)
        memoryRelease(memory, found);
    *hinge = ok ? found : NULL;
    *hingeCount = ok ? count : 0;
    return ok;
}

bool meshJoinedPairs(const vvMesh *mesh, Memory *memory, const int *corner, int count, int width, int **pair,
                     int *pairCount)
{
    ElementSet sets[2] = { { .corner = mesh->pair, .count = mesh->pairCount, .width = 2 },
                           { .corner = corner, .count = count, .width = width } };
    return collectPairs(memory, sets, 2, mesh->vertexCount, pair, pairCount);
}
