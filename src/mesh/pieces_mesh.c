// From pieces to the new mesh, with what came from what.
#include "mesh/embed.h"
#include "mesh/pieces.h"

#include <string.h>

// ---- arrays ---------------------------------------------------------------------------------------------------------

static vvResult fillArrays(MeshArrays *arrays, const Pieces *p, const Springs *springs)
{
    const vvMesh *old = p->old;
    Memory *memory = arrays->memory;
    int tets = p->width == 4 ? p->elementCount : 0, triangles = p->width == 3 ? p->elementCount : 0;
    vvResult result = arraysAllocate(arrays, p->vertexCount, tets, triangles, springs->count);
    if (result.code != VV_OK)
        return result;
    size_t edges = (size_t)springs->count, corners = (size_t)p->elementCount * (size_t)p->width;
    arrays->particles = old->particles;
    arrays->toCaller = ALLOCATE(memory, int, p->vertexCount);
    arrays->edgeShare = p->width > 2 ? ALLOCATE(memory, double, edges) : NULL; // of a rope from its lengths
    arrays->edgeSide = old->edgeSide != NULL ? ALLOCATE(memory, int, edges) : NULL;
    if (arrays->toCaller == NULL || (p->width > 2 && arrays->edgeShare == NULL) ||
        (old->edgeSide != NULL && arrays->edgeSide == NULL))
        return resultOutOfMemory("a changed mesh");
    memcpy(arrays->point, p->point, sizeof(double) * 3 * (size_t)p->vertexCount);
    memcpy(arrays->edge, springs->end, sizeof(int) * 2 * edges);
    memcpy(arrays->edgeKind, springs->kind, sizeof(int) * edges);
    if (p->width > 2)
    {
        memcpy(p->width == 4 ? arrays->tet : arrays->triangle, p->corner, sizeof(int) * corners);
        memcpy(arrays->edgeShare, springs->share, sizeof(double) * edges);
    }
    if (arrays->edgeSide != NULL)
        memcpy(arrays->edgeSide, springs->side, sizeof(int) * edges);
    memcpy(arrays->toCaller, old->vertexToCaller, sizeof(int) * (size_t)old->vertexCount);
    for (int v = old->vertexCount; v < p->vertexCount; ++v)
        arrays->toCaller[v] = v;
    // cells of a box have their tets in a row
    arrays->cellTets = p->elementCount == old->tetCount ? old->cellTets : 0;
    return result;
}

// ---- what came from what --------------------------------------------------------------------------------------------

static int *copyInts(Memory *memory, const int *from, int count)
{
    int *to = ALLOCATE(memory, int, count);
    if (to != NULL && count > 0)
        memcpy(to, from, sizeof(int) * (size_t)count);
    return to;
}

static int compareFaces(const int *a, const int *b)
{
    for (int i = 0; i < 3; ++i)
    {
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

static void sortThree(const int *from, int *to)
{
    to[0] = minInt(from[0], minInt(from[1], from[2]));
    to[2] = maxInt(from[0], maxInt(from[1], from[2]));
    to[1] = from[0] + from[1] + from[2] - to[0] - to[2];
}

// the triangle of the surface of a solid with these vertices, ascending; the surface is sorted
static int findTriangle(const vvMesh *mesh, const int *key)
{
    int low = 0, high = mesh->surfaceCount;
    while (low < high)
    {
        int middle = low + (high - low) / 2, found[3];
        sortThree(mesh->callerSurface + 3 * (ptrdiff_t)middle, found);
        int order = compareFaces(found, key);
        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

// A triangle of the new surface lies in an old one if its vertices came from three old ones that were one.
static int triangleParent(const Pieces *p, const int *corner)
{
    int from[6], count = 0, key[3];
    for (int i = 0; i < 6; ++i)
    {
        int old = p->vertexParent[2 * corner[i / 2] + i % 2];
        bool known = false;
        for (int k = 0; k < count; ++k)
            known = known || from[k] == old;
        if (!known)
            from[count++] = old;
    }
    if (count != 3)
        return -1;
    sortThree(from, key);
    return findTriangle(p->old, key);
}

static bool fillParents(const Pieces *p, const Springs *springs, MeshChange *change)
{
    Memory *memory = &change->memory;
    const vvMesh *mesh = change->mesh;
    change->edgeParent = copyInts(memory, springs->parent, springs->count);
    change->elementParent = p->width == 2 ? copyInts(memory, springs->parent, springs->count)
                                          : copyInts(memory, p->parent, p->elementCount);
    change->surfaceParent =
        p->width == 3 ? copyInts(memory, p->parent, p->elementCount) : ALLOCATE(memory, int, mesh->surfaceCount);
    for (int t = 0; p->width == 4 && change->surfaceParent != NULL && t < mesh->surfaceCount; ++t)
        change->surfaceParent[t] = triangleParent(p, mesh->callerSurface + 3 * (ptrdiff_t)t);
    return change->edgeParent != NULL && change->elementParent != NULL && change->surfaceParent != NULL;
}

static bool fillOrphans(const Pieces *p, const Springs *springs, MeshChange *change)
{
    bool *used = ALLOCATE(p->memory, bool, p->vertexCount);
    for (int i = 0; used != NULL && i < p->elementCount * p->width; ++i)
        used[p->corner[i]] = true;
    for (int e = 0; used != NULL && e < springs->count; ++e)
    {
        if (springs->side[e] >= 0)
            used[springs->side[e]] = true;
    }
    for (int v = 0; used != NULL && v < p->vertexCount; ++v)
        change->orphanCount += !used[v];
    change->orphan = used != NULL ? ALLOCATE(&change->memory, int, change->orphanCount) : NULL;
    for (int v = 0, n = 0; change->orphan != NULL && v < p->vertexCount; ++v)
    {
        if (!used[v])
            change->orphan[n++] = v;
    }
    memoryRelease(p->memory, used);
    return change->orphan != NULL;
}

// ---- the surface of a cage ------------------------------------------------------------------------------------------

// points hang on the pieces they are in
static vvResult followEmbedding(const vvMesh *old, vvMesh *mesh)
{
    const vvEmbedding *skin = old->embedding;
    if (skin == NULL)
        return resultOk();
    vvResult result = resultOk();
    vvEmbeddingDef def = vvDefaultEmbeddingDef();
    def.mesh = mesh;
    def.points = skin->rest;
    def.pointCount = skin->pointCount;
    def.triangles = skin->triangle;
    def.triangleCount = skin->triangleCount;
    def.faces = skin->faces;
    def.allocator = old->memory.hook;
    mesh->embedding = embeddingMake(&def, true, &result);
    return result;
}

// ---- all together ---------------------------------------------------------------------------------------------------

static vvResult makeMesh(const Pieces *p, const Springs *springs, MeshChange *change)
{
    const vvMesh *old = p->old;
    Memory memory = memoryMake(&old->memory.hook);
    MeshArrays arrays = { .memory = &memory, .old = change->touched ? old : NULL, .touched = change->touched };
    vvResult result = fillArrays(&arrays, p, springs);
    if (result.code == VV_OK && old->faces != NULL)
    {
        bool ok = piecesFaces(p, &memory, &arrays.faces);
        result = ok ? result : resultOutOfMemory("the faces of a changed mesh");
    }
    if (result.code != VV_OK)
    {
        arraysRelease(&arrays);
        return result;
    }
    change->mesh = meshFromArrays(&arrays, &result);
    if (change->mesh == NULL)
        return result;
    change->mesh->origin = old->origin;
    change->mesh->changed = true;
    change->mesh->reorientedCount = old->reorientedCount;
    return followEmbedding(old, change->mesh);
}

vvResult piecesFinish(Pieces *p, MeshChange *change)
{
    Springs springs;
    if (!springsFollow(p, &springs))
    {
        springsRelease(p->memory, &springs);
        return resultOutOfMemory("the edges of a changed mesh");
    }
    bool known = piecesTouched(p, &springs, change);
    vvResult result = known ? makeMesh(p, &springs, change) : resultOutOfMemory("where a mesh changed");
    if (result.code == VV_OK && !(fillParents(p, &springs, change) && fillOrphans(p, &springs, change)))
        result = resultOutOfMemory("what a changed mesh came from");
    springsRelease(p->memory, &springs);
    if (result.code != VV_OK)
        return result;
    change->vertexParent = p->vertexParent;
    change->vertexWeight = p->vertexWeight;
    p->vertexParent = NULL;
    p->vertexWeight = NULL;
    return result;
}
