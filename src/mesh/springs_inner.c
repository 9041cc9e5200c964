// Edges inside elements that were divided: springs where all edges of the element are.
#include "mesh/pieces.h"

typedef struct Inner
{
    const Pieces *p;
    Memory *memory;
    int count, room;
    int *key;     // room x 2, the lower vertex first
    int *kind;    // room
    double *give; // room: what one piece gives to its stiffness
} Inner;

// its place in the library's order, -1: no edge
static int findEdge(const vvMesh *mesh, int a, int b)
{
    int x = mesh->vertexFromCaller[a], y = mesh->vertexFromCaller[b];
    int low = minInt(x, y), high = maxInt(x, y), first = 0, last = mesh->edgeCount - 1;
    while (first <= last)
    {
        int middle = first + (last - first) / 2;
        const int *end = mesh->edge + 2 * (ptrdiff_t)middle;
        int lower = minInt(end[0], end[1]), upper = maxInt(end[0], end[1]);
        if (lower == low && upper == high)
            return middle;
        if (lower < low || (lower == low && upper < high))
            first = middle + 1;
        else
            last = middle - 1;
    }
    return -1;
}

// the kind of edges inside an element, -1: not all of its own are springs
static int innerKind(const vvMesh *mesh, int element)
{
    const int *corner = meshElementCorners(mesh, element);
    int width = meshElementWidth(mesh), kind = VV_EDGE_STRUCTURAL;
    for (int i = 0; i < width * width; ++i)
    {
        if (i / width >= i % width)
            continue;
        int edge = findEdge(mesh, corner[i / width], corner[i % width]);
        if (edge < 0)
            return -1;
        kind = mesh->edgeKind[edge] == VV_EDGE_STRUCTURAL ? kind : VV_EDGE_SHEAR;
    }
    return kind;
}

// two vertices that no old edge joins: together they came from three old ones or more
static bool isInner(const Pieces *p, int a, int b)
{
    const int *from[2] = { p->vertexParent + 2 * (ptrdiff_t)a, p->vertexParent + 2 * (ptrdiff_t)b };
    int first = from[0][0], second = -1;
    for (int i = 0; i < 4; ++i)
    {
        int old = from[i / 2][i % 2];
        if (old == first || old == second)
            continue;
        if (second >= 0)
            return true;
        second = old;
    }
    return false;
}

static bool addRow(Inner *inner, int a, int b, int kind, double give)
{
    if (inner->count == inner->room)
    {
        size_t before = (size_t)inner->room, room = 2 * before + 64;
        void *key = inner->key, *kinds = inner->kind, *gives = inner->give;
        bool ok = memoryGrow(inner->memory, &key, 2 * before, 2 * room, sizeof(int)) &&
                  memoryGrow(inner->memory, &kinds, before, room, sizeof(int)) &&
                  memoryGrow(inner->memory, &gives, before, room, sizeof(double));
        inner->key = key;
        inner->kind = kinds;
        inner->give = gives;
        if (!ok)
            return false;
        inner->room = (int)room;
    }
    int n = inner->count++;
    inner->key[2 * n] = minInt(a, b);
    inner->key[2 * n + 1] = maxInt(a, b);
    inner->kind[n] = kind;
    inner->give[n] = give;
    return true;
}

static bool addPiece(Inner *inner, int piece, int kind)
{
    const Pieces *p = inner->p;
    const int *corner = p->corner + (size_t)piece * (size_t)p->width;
    double measure = p->width == 4 ? tetVolume(p->point, corner) : triangleArea(p->point, corner);
    bool ok = true;
    for (int i = 0; i < p->width * p->width && ok; ++i)
    {
        int a = corner[i / p->width], b = corner[i % p->width];
        if (i / p->width >= i % p->width || !isInner(p, a, b))
            continue;
        double length = edgeLength(p->point, a, b);
        ok = addRow(inner, a, b, kind, measure / (length * length));
    }
    return ok;
}

static bool collect(Inner *inner)
{
    const Pieces *p = inner->p;
    int *kind = ALLOCATE(inner->memory, int, meshElementCount(p->old)); // 0: not asked yet; else kind + 2
    bool ok = kind != NULL;
    for (int e = 0; e < p->elementCount && ok; ++e)
    {
        int parent = p->parent[e];
        bool divided = false;
        for (int c = 0; c < p->width; ++c)
        {
            const int *from = p->vertexParent + 2 * (ptrdiff_t)pieceCorner(p, e, c);
            divided = divided || from[0] != from[1];
        }
        if (!divided)
            continue;
        if (kind[parent] == 0)
            kind[parent] = innerKind(p->old, parent) + 2;
        ok = kind[parent] == 1 || addPiece(inner, e, kind[parent] - 2);
    }
    memoryRelease(inner->memory, kind);
    return ok;
}

// some new vertex lies between two old ones
static bool divides(const Pieces *p)
{
    bool found = false;
    for (int v = p->old->vertexCount; v < p->vertexCount && !found; ++v)
        found = p->vertexParent[2 * v] != p->vertexParent[2 * v + 1];
    return found;
}

bool springsAddInner(const Pieces *pieces, Springs *springs)
{
    Inner inner = { .p = pieces, .memory = pieces->memory };
    if (pieces->width == 2 || !divides(pieces))
        return true;
    bool ok = collect(&inner);
    int *order = ok ? ALLOCATE(inner.memory, int, inner.count) : NULL;
    ok = ok && order != NULL && sortTuples(inner.memory, inner.key, inner.count, 2, pieces->vertexCount, order);
    for (int i = 0, end; i < inner.count && ok; i = end)
    {
        const int *key = inner.key + 2 * (size_t)order[i];
        double sum = 0;
        for (end = i; end < inner.count; ++end)
        {
            const int *other = inner.key + 2 * (size_t)order[end];
            if (other[0] != key[0] || other[1] != key[1])
                break;
            sum += inner.give[order[end]];
        }
        ok = springsAdd(inner.memory, springs, key, inner.kind[order[i]], -1, sum, -1);
    }
    memoryRelease(inner.memory, order);
    memoryRelease(inner.memory, inner.key);
    memoryRelease(inner.memory, inner.kind);
    memoryRelease(inner.memory, inner.give);
    return ok;
}
