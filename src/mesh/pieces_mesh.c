// From pieces to the new mesh, with what came from what.
#include "mesh/embed.h"
#include "mesh/pieces.h"

#include <string.h>

// ---- arrays ---------------------------------------------------------------------------------------------------------

// a block of the pieces goes to the mesh
static void *give(const Pieces *p, MeshArrays *arrays, void *block)
{
    memoryGive(p->memory, arrays->memory, block);
    return block;
}

// points, corners and edges go over: neither pieces nor springs have them afterwards
static vvResult fillArrays(MeshArrays *arrays, Pieces *p, Springs *springs)
{
    const vvMesh *old = p->old;
    Memory *memory = arrays->memory;
    arrays->pointCount = p->vertexCount;
    arrays->tetCount = p->width == 4 ? p->elementCount : 0;
    arrays->triangleCount = p->width == 3 ? p->elementCount : 0;
    arrays->edgeCount = springs->count;
    vvResult result = arraysFit(arrays);
    if (result.code != VV_OK)
        return result;
    arrays->particles = old->particles;
    arrays->toCaller = ALLOCATE_BARE(memory, int, p->vertexCount);
    arrays->tet = p->width == 4 ? give(p, arrays, p->corner) : ALLOCATE(memory, int, 0);
    arrays->triangle = p->width == 3 ? give(p, arrays, p->corner) : ALLOCATE(memory, int, 0);
    p->corner = p->width > 2 ? NULL : p->corner;
    arrays->point = give(p, arrays, p->point);
    arrays->edge = give(p, arrays, springs->end);
    arrays->edgeKind = give(p, arrays, springs->kind);
    p->point = NULL;
    springs->end = springs->kind = NULL;
    if (p->width > 2) // of a rope from its lengths
    {
        arrays->edgeShare = give(p, arrays, springs->share);
        springs->share = NULL;
    }
    if (old->edgeSide != NULL)
    {
        arrays->edgeSide = give(p, arrays, springs->side);
        springs->side = NULL;
    }
    if (arrays->toCaller == NULL || arrays->tet == NULL || arrays->triangle == NULL)
        return resultOutOfMemory("a changed mesh");
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
    int *to = ALLOCATE_BARE(memory, int, count);
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

// the parents of pieces and springs go over
static bool fillParents(Pieces *p, Springs *springs, MeshChange *change)
{
    Memory *memory = &change->memory;
    const vvMesh *mesh = change->mesh;
    change->surfaceParent =
        p->width == 3 ? copyInts(memory, p->parent, p->elementCount) : ALLOCATE(memory, int, mesh->surfaceCount);
    change->elementParent = p->width == 2 ? copyInts(memory, springs->parent, springs->count) : p->parent;
    p->parent = p->width == 2 ? p->parent : NULL;
    change->edgeParent = springs->parent;
    springs->parent = NULL;
    for (int t = 0; p->width == 4 && change->surfaceParent != NULL && t < mesh->surfaceCount; ++t)
        change->surfaceParent[t] = triangleParent(p, mesh->callerSurface + 3 * (ptrdiff_t)t);
    return change->edgeParent != NULL && change->elementParent != NULL && change->surfaceParent != NULL;
}

static bool fillOrphans(const Pieces *p, const Springs *springs, MeshChange *change)
{
    bool *used = ALLOCATE(p->memory, bool, p->vertexCount);
    for (int i = 0; used != NULL && i < p->elementCount * p->width; ++i)
        used[p->corner[i]] = true;
    for (int e = 0; used != NULL && springs->sided && e < springs->count; ++e)
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

static vvResult makeMesh(Pieces *p, Springs *springs, MeshChange *change)
{
    const vvMesh *old = p->old;
    Memory memory = memoryMake(&old->memory.hook);
    MeshArrays arrays = { .memory = &memory, .old = change->touched ? old : NULL, .touched = change->touched };
    arrays.edgeParent = change->touched != NULL && springs->count > 0 ? springs->parent : NULL;
    vvResult result = resultOk();
    if (old->faces != NULL && !piecesFaces(p, &memory, &arrays.faces))
        result = resultOutOfMemory("the faces of a changed mesh");
    if (result.code == VV_OK)
        result = fillArrays(&arrays, p, springs);
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
    bool known = piecesTouched(p, &springs, change) && fillOrphans(p, &springs, change);
    vvResult result = known ? makeMesh(p, &springs, change) : resultOutOfMemory("where a mesh changed");
    if (result.code == VV_OK && !fillParents(p, &springs, change))
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
