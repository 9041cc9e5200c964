#include "mesh/build.h"

#include <string.h>

// ---- taking the caller's arrays over --------------------------------------------------------------------------------

static void takeArrays(vvMesh *mesh, MeshArrays *arrays)
{
    mesh->matter = arraysMatter(arrays);
    mesh->particles = arrays->particles;
    mesh->cellTets = arrays->cellTets;
    mesh->vertexCount = arrays->pointCount;
    mesh->tetCount = arrays->tetCount;
    mesh->edgeCount = arrays->edgeCount;
    mesh->surfaceCount = arrays->triangleCount;
    mesh->callerPoint = arrays->point;
    mesh->callerTet = arrays->tet;
    mesh->callerEdge = arrays->edge;
    mesh->callerEdgeKind = arrays->edgeKind;
    mesh->callerSurface = arrays->triangle;
    mesh->faces = arrays->faces;
    arrays->faces = NULL;
    arrays->point = NULL;
    arrays->tet = arrays->edge = arrays->edgeKind = arrays->triangle = NULL;
}

// a mesh without springs has one along every edge of its elements
static bool deriveEdges(Memory *memory, vvMesh *mesh)
{
    if (mesh->edgeCount > 0)
        return true;
    ElementSet set = { mesh->callerTet, mesh->tetCount, 4 };
    if (mesh->matter == MATTER_SHEET)
        set = (ElementSet){ mesh->callerSurface, mesh->surfaceCount, 3 };
    memoryRelease(memory, mesh->callerEdge);
    memoryRelease(memory, mesh->callerEdgeKind);
    mesh->callerEdge = mesh->callerEdgeKind = NULL;
    if (!collectPairs(memory, &set, 1, mesh->vertexCount, &mesh->callerEdge, &mesh->edgeCount))
        return false;
    mesh->callerEdgeKind = ALLOCATE(memory, int, mesh->edgeCount); // zero: structural
    return mesh->callerEdgeKind != NULL;
}

static vvResult deriveSurface(Memory *memory, vvMesh *mesh, Naming *naming)
{
    if (mesh->matter != MATTER_SOLID)
        return resultOk();
    memoryRelease(memory, mesh->callerSurface);
    mesh->callerSurface = NULL;
    return collectBoundary(memory, mesh->callerTet, mesh->tetCount, mesh->vertexCount, naming, &mesh->callerSurface,
                           &mesh->surfaceCount);
}

// ---- our order ------------------------------------------------------------------------------------------------------

// the pairs come in the caller's numbers; they go back sorted, in ours
static bool renumberPairs(Memory *memory, vvMesh *mesh, int *callerPair)
{
    int *order = ALLOCATE(memory, int, mesh->pairCount);
    mesh->pair = ALLOCATE(memory, int, 2 * (size_t)mesh->pairCount);
    mesh->pairStart = ALLOCATE(memory, int, mesh->vertexCount + 1);
    bool ok = order != NULL && mesh->pair != NULL && mesh->pairStart != NULL;
    for (int i = 0; i < mesh->pairCount && ok; ++i)
    {
        int a = mesh->vertexFromCaller[callerPair[2 * i]], b = mesh->vertexFromCaller[callerPair[2 * i + 1]];
        callerPair[2 * i] = minInt(a, b);
        callerPair[2 * i + 1] = maxInt(a, b);
        mesh->pairStart[minInt(a, b) + 1] += 1;
    }
    ok = ok && sortTuples(memory, callerPair, mesh->pairCount, 2, mesh->vertexCount, order);
    for (int i = 0; i < mesh->pairCount && ok; ++i)
    {
        mesh->pair[2 * i] = callerPair[2 * order[i]];
        mesh->pair[2 * i + 1] = callerPair[2 * order[i] + 1];
    }
    for (int v = 0; v < mesh->vertexCount && ok; ++v)
        mesh->pairStart[v + 1] += mesh->pairStart[v];
    memoryRelease(memory, order);
    return ok;
}

// springs that were derived are the pairs already
static bool copyEdges(Memory *memory, const vvMesh *mesh, int **pair, int *pairCount)
{
    *pair = ALLOCATE(memory, int, 2 * (size_t)mesh->edgeCount);
    if (*pair == NULL)
        return false;
    memcpy(*pair, mesh->callerEdge, sizeof(int) * 2 * (size_t)mesh->edgeCount);
    *pairCount = mesh->edgeCount;
    return true;
}

// the pairs of elements and springs, which the order of the vertices follows
static bool orderVerticesByPairs(Memory *memory, vvMesh *mesh, const ElementSet *sets, bool derived,
                                 const int *toCaller)
{
    int *callerPair = NULL;
    bool ok = derived ? copyEdges(memory, mesh, &callerPair, &mesh->pairCount)
                      : collectPairs(memory, sets, 3, mesh->vertexCount, &callerPair, &mesh->pairCount);
    if (ok && toCaller != NULL)
        memcpy(mesh->vertexToCaller, toCaller, sizeof(int) * (size_t)mesh->vertexCount);
    else
        ok = ok && orderVertices(memory, callerPair, mesh->pairCount, mesh->vertexCount, mesh->vertexToCaller);
    for (int v = 0; v < mesh->vertexCount && ok; ++v)
        mesh->vertexFromCaller[mesh->vertexToCaller[v]] = v;
    ok = ok && renumberPairs(memory, mesh, callerPair);
    memoryRelease(memory, callerPair);
    return ok;
}

static bool orderMesh(Memory *memory, vvMesh *mesh, bool derived, const MeshArrays *arrays)
{
    // the surface of a solid adds no pairs to those of its tets
    const ElementSet sets[3] = { { mesh->callerTet, mesh->tetCount, 4 },
                                 { mesh->callerSurface, mesh->matter == MATTER_SHEET ? mesh->surfaceCount : 0, 3 },
                                 { mesh->callerEdge, mesh->edgeCount, 2 } };
    mesh->vertexToCaller = ALLOCATE_BARE(memory, int, mesh->vertexCount);
    mesh->vertexFromCaller = ALLOCATE_BARE(memory, int, mesh->vertexCount);
    if (mesh->vertexToCaller == NULL || mesh->vertexFromCaller == NULL)
        return false;
    if (arrays->old == NULL)
        return orderVerticesByPairs(memory, mesh, sets, derived, arrays->toCaller);
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        mesh->vertexToCaller[v] = arrays->toCaller[v];
        mesh->vertexFromCaller[arrays->toCaller[v]] = v;
    }
    return inheritPairs(memory, sets, 3, arrays->old, arrays->touched, mesh);
}

// elements in our numbers, sorted by their vertices (lowest first); each keeps the caller's order of corners
static bool orderElements(Memory *memory, const vvMesh *mesh, const int *caller, int count, int width, int **ours,
                          int **toCaller)
{
    size_t corners = (size_t)count * (size_t)width;
    int *key = ALLOCATE_BARE(memory, int, corners);
    *ours = ALLOCATE_BARE(memory, int, corners);
    *toCaller = ALLOCATE_BARE(memory, int, count);
    bool ok = key != NULL && *ours != NULL && *toCaller != NULL;
    for (int e = 0; e < count && ok; ++e)
    {
        // insertion sort of the few corners
        int *sorted = key + (size_t)e * (size_t)width;
        for (int c = 0; c < width; ++c)
        {
            int v = mesh->vertexFromCaller[caller[e * width + c]], i = c;
            for (; i > 0 && sorted[i - 1] > v; --i)
                sorted[i] = sorted[i - 1];
            sorted[i] = v;
        }
    }
    ok = ok && sortTuples(memory, key, count, width, mesh->vertexCount, *toCaller);
    for (int e = 0; e < count && ok; ++e)
    {
        for (int c = 0; c < width; ++c)
            (*ours)[e * width + c] = mesh->vertexFromCaller[caller[(*toCaller)[e] * width + c]];
    }
    memoryRelease(memory, key);
    return ok;
}

static uint64_t edgeKey(int a, int b)
{
    return (uint64_t)minInt(a, b) << 32 | (uint64_t)maxInt(a, b);
}

// Which edges of a changed mesh are those of the old one, `now`: old edges in the caller's order, -1: gone. The others
// go to `fresh`, which has room for all; how many.
static int matchEdges(const vvMesh *mesh, const MeshArrays *arrays, int *now, int *fresh)
{
    const vvMesh *old = arrays->old;
    int count = 0;
    for (int e = 0; e < old->edgeCount; ++e)
        now[e] = -1;
    for (int e = 0; e < mesh->edgeCount; ++e)
    {
        int parent = arrays->edgeParent[e];
        if (parent >= 0 && now[parent] < 0 &&
            memcmp(mesh->callerEdge + 2 * (size_t)e, old->callerEdge + 2 * (size_t)parent, 2 * sizeof(int)) == 0)
            now[parent] = e;
        else
            fresh[count++] = e;
    }
    return count;
}

// both lists in order, which old edges have among themselves: by their vertices, then as the caller has them
static void mergeEdges(vvMesh *mesh, const vvMesh *old, const int *now, const int *fresh, const int *order, int count)
{
    int written = 0, a = 0;
    for (int e = 0; e <= old->edgeCount; ++e)
    {
        int kept = e < old->edgeCount ? now[old->edgeToCaller[e]] : -1;
        if (kept < 0 && e < old->edgeCount)
            continue;
        uint64_t key = kept < 0 ? UINT64_MAX : edgeKey(old->edge[2 * e], old->edge[2 * e + 1]);
        for (; a < count; ++a)
        {
            int caller = fresh[order[a]], *ours = mesh->edge + 2 * (size_t)written;
            int first = mesh->vertexFromCaller[mesh->callerEdge[2 * caller]];
            int second = mesh->vertexFromCaller[mesh->callerEdge[2 * caller + 1]];
            uint64_t next = edgeKey(first, second);
            if (kept >= 0 && (next > key || (next == key && caller > kept)))
                break;
            ours[0] = first;
            ours[1] = second;
            mesh->edgeKind[written] = mesh->callerEdgeKind[caller];
            mesh->edgeToCaller[written++] = caller;
        }
        if (kept < 0)
            continue;
        memcpy(mesh->edge + 2 * (size_t)written, old->edge + 2 * (size_t)e, 2 * sizeof(int));
        mesh->edgeKind[written] = old->edgeKind[e]; // springs keep their kind
        mesh->edgeToCaller[written++] = kept;
    }
}

// as orderElements, of a changed mesh whose old vertices kept their numbers
static bool orderEdges(Memory *memory, vvMesh *mesh, const MeshArrays *arrays)
{
    const vvMesh *old = arrays->old;
    int *now = ALLOCATE_BARE(memory, int, old->edgeCount), *fresh = ALLOCATE_BARE(memory, int, mesh->edgeCount);
    mesh->edge = ALLOCATE_BARE(memory, int, 2 * (size_t)mesh->edgeCount);
    mesh->edgeToCaller = ALLOCATE_BARE(memory, int, mesh->edgeCount);
    bool ok = now != NULL && fresh != NULL && mesh->edge != NULL && mesh->edgeToCaller != NULL;
    int count = ok ? matchEdges(mesh, arrays, now, fresh) : 0;
    int *key = ALLOCATE_BARE(memory, int, 2 * (size_t)count + 1), *order = ALLOCATE_BARE(memory, int, count + 1);
    ok = ok && key != NULL && order != NULL;
    for (int i = 0; i < 2 * count && ok; i += 2)
    {
        const int *end = mesh->callerEdge + 2 * (size_t)fresh[i / 2];
        int a = mesh->vertexFromCaller[end[0]], b = mesh->vertexFromCaller[end[1]];
        key[i] = minInt(a, b);
        key[i + 1] = maxInt(a, b);
    }
    ok = ok && sortTuples(memory, key, count, 2, mesh->vertexCount, order);
    if (ok)
        mergeEdges(mesh, old, now, fresh, order, count);
    memoryRelease(memory, now);
    memoryRelease(memory, fresh);
    memoryRelease(memory, key);
    memoryRelease(memory, order);
    return ok;
}

static bool fillOurs(Memory *memory, vvMesh *mesh, const MeshArrays *arrays)
{
    const double *callerShare = arrays->edgeShare;
    mesh->point = ALLOCATE_BARE(memory, double, 3 * (size_t)mesh->vertexCount);
    mesh->surface = ALLOCATE_BARE(memory, int, 3 * (size_t)mesh->surfaceCount);
    mesh->edgeKind = ALLOCATE_BARE(memory, int, mesh->edgeCount);
    mesh->edgeShare = callerShare != NULL ? ALLOCATE_BARE(memory, double, mesh->edgeCount)
                                          : ALLOCATE(memory, double, mesh->edgeCount);
    if (mesh->point == NULL || mesh->surface == NULL || mesh->edgeKind == NULL || mesh->edgeShare == NULL ||
        !orderElements(memory, mesh, mesh->callerTet, mesh->tetCount, 4, &mesh->tet, &mesh->tetToCaller) ||
        !(arrays->edgeParent != NULL
              ? orderEdges(memory, mesh, arrays)
              : orderElements(memory, mesh, mesh->callerEdge, mesh->edgeCount, 2, &mesh->edge, &mesh->edgeToCaller)))
        return false;
    for (int v = 0; v < mesh->vertexCount; ++v)
        vecStore(mesh->point + 3 * (size_t)v, cornerPoint(mesh->callerPoint, mesh->vertexToCaller[v]));
    for (int i = 0; i < 3 * mesh->surfaceCount; ++i)
        mesh->surface[i] = mesh->vertexFromCaller[mesh->callerSurface[i]];
    for (int e = 0; e < mesh->edgeCount && arrays->edgeParent == NULL; ++e)
        mesh->edgeKind[e] = mesh->callerEdgeKind[mesh->edgeToCaller[e]];
    if (callerShare == NULL)
        return shareStiffness(memory, mesh);
    for (int e = 0; e < mesh->edgeCount; ++e)
        mesh->edgeShare[e] = callerShare[mesh->edgeToCaller[e]];
    return true;
}

// ---- measures -------------------------------------------------------------------------------------------------------

static double boundingSize(const vvMesh *mesh)
{
    double size = 0;
    for (int c = 0; c < 3; ++c)
    {
        double low = mesh->point[c], high = low;
        for (int v = 1; v < mesh->vertexCount; ++v)
        {
            low = minReal(low, mesh->point[3 * v + c]);
            high = maxReal(high, mesh->point[3 * v + c]);
        }
        size = maxReal(size, high - low);
    }
    return size;
}

static bool measure(Memory *memory, vvMesh *mesh)
{
    double *piece = ALLOCATE_BARE(memory, double, maxInt(mesh->tetCount, mesh->surfaceCount));
    if (piece == NULL)
        return false;
    for (int t = 0; t < mesh->tetCount; ++t)
        piece[t] = tetVolume(mesh->point, mesh->tet + 4 * t);
    mesh->volume = sumPairwise(piece, mesh->tetCount);
    for (int t = 0; t < mesh->surfaceCount; ++t)
        piece[t] = triangleArea(mesh->point, mesh->surface + 3 * t);
    mesh->area = sumPairwise(piece, mesh->surfaceCount);
    mesh->size = boundingSize(mesh);
    memoryRelease(memory, piece);
    return true;
}

vvResult buildMesh(vvMesh *mesh, MeshArrays *arrays)
{
    Memory *memory = arrays->memory;
    takeArrays(mesh, arrays);
    vvResult result = deriveSurface(memory, mesh, &arrays->naming);
    if (result.code != VV_OK)
        return result;
    bool derived = mesh->edgeCount == 0;
    bool ok = deriveEdges(memory, mesh) && orderMesh(memory, mesh, derived, arrays) && fillOurs(memory, mesh, arrays) &&
              fillSides(memory, mesh, arrays) && measure(memory, mesh);
    return ok ? result : resultOutOfMemory("a mesh");
}
