#include "mesh/pieces.h"

#include <string.h>

// ---- elements of a mesh ---------------------------------------------------------------------------------------------

int meshElementCount(const vvMesh *mesh)
{
    return mesh->matter == MATTER_SOLID   ? mesh->tetCount
           : mesh->matter == MATTER_SHEET ? mesh->surfaceCount
                                          : mesh->edgeCount;
}

int meshElementWidth(const vvMesh *mesh)
{
    return mesh->matter == MATTER_SOLID ? 4 : mesh->matter == MATTER_SHEET ? 3 : 2;
}

const int *meshElementCorners(const vvMesh *mesh, int element)
{
    const int *corner = mesh->matter == MATTER_SOLID   ? mesh->callerTet
                        : mesh->matter == MATTER_SHEET ? mesh->callerSurface
                                                       : mesh->callerEdge;
    return corner + (size_t)element * (size_t)meshElementWidth(mesh);
}

bool meshElementIsMatter(const vvMesh *mesh, int element)
{
    return mesh->matter != MATTER_ROPE || mesh->callerEdgeKind[element] == VV_EDGE_STRUCTURAL;
}

#define MORE 8 // a share of the vertices: room for new ones

// ---- pieces ---------------------------------------------------------------------------------------------------------

bool piecesBegin(Pieces *pieces, Memory *memory, const vvMesh *mesh)
{
    int elements = meshElementCount(mesh), width = meshElementWidth(mesh), vertices = mesh->vertexCount;
    int room = vertices + vertices / MORE + 64;
    *pieces = (Pieces){ .memory = memory,
                        .old = mesh,
                        .width = width,
                        .vertexCount = vertices,
                        .vertexRoom = room,
                        .elementRoom = elements,
                        .point = ALLOCATE_BARE(memory, double, 3 * (size_t)room),
                        .vertexParent = ALLOCATE_BARE(memory, int, 2 * (size_t)room),
                        .vertexWeight = ALLOCATE(memory, double, room),
                        .touched = ALLOCATE(memory, bool, room),
                        .corner = ALLOCATE_BARE(memory, int, (size_t)elements *(size_t)width),
                        .parent = ALLOCATE_BARE(memory, int, elements) };
    if (pieces->point == NULL || pieces->vertexParent == NULL || pieces->vertexWeight == NULL ||
        pieces->touched == NULL || pieces->corner == NULL || pieces->parent == NULL)
        return false;
    memcpy(pieces->point, mesh->callerPoint, sizeof(double) * 3 * (size_t)vertices);
    for (int i = 0; i < 2 * vertices; ++i)
        pieces->vertexParent[i] = i / 2;
    if (width > 2)
    {
        memcpy(pieces->corner, meshElementCorners(mesh, 0), sizeof(int) * (size_t)elements * (size_t)width);
        for (int e = 0; e < elements; ++e)
            pieces->parent[e] = e;
        pieces->elementCount = elements;
        return true;
    }
    for (int e = 0; e < elements; ++e)
    {
        if (!meshElementIsMatter(mesh, e))
            continue;
        int number = pieces->elementCount++;
        memcpy(pieces->corner + (size_t)number * (size_t)width, meshElementCorners(mesh, e),
               sizeof(int) * (size_t)width);
        pieces->parent[number] = e;
    }
    return true;
}

void piecesRelease(Pieces *pieces)
{
    void *const blocks[] = { pieces->point,      pieces->vertexParent, pieces->vertexWeight, pieces->touched,
                             pieces->corner,     pieces->parent,       pieces->cut.side,     pieces->cut.height,
                             pieces->cut.active, pieces->dropped };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(pieces->memory, blocks[i]);
}

static bool grow(Memory *memory, void *block, int before, int after, size_t size)
{
    void *old;
    memcpy(&old, block, sizeof old);
    bool ok = memoryGrow(memory, &old, (size_t)before, (size_t)after, size);
    memcpy(block, &old, sizeof old);
    return ok;
}

static bool growVertices(Pieces *p)
{
    int before = p->vertexRoom, room = before + before / MORE + 64;
    Memory *memory = p->memory;
    bool cut = p->cut.side != NULL;
    bool ok = grow(memory, &p->point, before, room, 3 * sizeof(double)) &&
              grow(memory, &p->vertexParent, before, room, 2 * sizeof(int)) &&
              grow(memory, &p->vertexWeight, before, room, sizeof(double)) &&
              grow(memory, &p->touched, before, room, sizeof(bool)) &&
              (!cut || (grow(memory, &p->cut.side, before, room, 1) &&
                        grow(memory, &p->cut.height, before, room, sizeof(double)) &&
                        grow(memory, &p->cut.active, before, room, sizeof(bool))));
    if (ok)
        p->vertexRoom = room;
    return ok;
}

int piecesAddVertex(Pieces *p, int first, int second, double weight)
{
    if (p->vertexCount == p->vertexRoom && !growVertices(p))
        return -1;
    int number = p->vertexCount++;
    Vec3 a = cornerPoint(p->point, first), b = cornerPoint(p->point, second);
    vecStore(p->point + 3 * (size_t)number, vecAdd(vecScale(1 - weight, a), vecScale(weight, b)));
    p->vertexParent[2 * number] = first;
    p->vertexParent[2 * number + 1] = second;
    p->vertexWeight[number] = weight;
    return number;
}

int piecesCopyVertex(Pieces *p, int vertex)
{
    int first = p->vertexParent[2 * vertex], second = p->vertexParent[2 * vertex + 1];
    int number = piecesAddVertex(p, first, second, p->vertexWeight[vertex]);
    if (number >= 0)
        vecStore(p->point + 3 * (size_t)number, cornerPoint(p->point, vertex)); // the same bits
    return number;
}

int piecesAddElement(Pieces *p, const int *corner, int parent)
{
    if (p->elementCount == p->elementRoom)
    {
        int before = p->elementRoom, room = before + before / 8 + 64;
        if (!grow(p->memory, &p->corner, before, room, sizeof(int) * (size_t)p->width) ||
            !grow(p->memory, &p->parent, before, room, sizeof(int)))
            return -1;
        p->elementRoom = room;
    }
    int number = p->elementCount++;
    memcpy(p->corner + (size_t)number * (size_t)p->width, corner, sizeof(int) * (size_t)p->width);
    p->parent[number] = parent;
    return number;
}
