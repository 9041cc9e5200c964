// Edges after a change. Those of elements follow their elements; springs over elements (the second diagonal of a cell,
// springs over two cells) stay where the elements that they span still hang together.
#include "mesh/pieces.h"

#include <string.h>

typedef struct Follow
{
    const Pieces *p;
    Memory *memory;
    int *start, *at;           // old elements at an old vertex: at[start[v] .. start[v + 1])
    int *pieceStart, *pieceAt; // pieces of an old element
    bool *near;                // old vertices of elements that changed
    bool *used;                // new vertices that an element has; NULL: nobody asked yet
    int *owner;                // of a rod: old vertices, the segment they are beside, -1: none
    double *share;             // of the old edges, in the caller's order as all here
    int *side;                 // of the old edges of rods, or NULL
    Springs extra;             // further pieces
    int *patch, patchCount, patchRoom;
    int *found, foundCount, foundRoom; // pairs of one spring
} Follow;

// ---- lists ----------------------------------------------------------------------------------------------------------

static bool push(Memory *memory, int **list, int *count, int *room, int value)
{
    if (*count == *room)
    {
        int more = 2 * *room + 16;
        void *block = *list;
        if (!memoryGrow(memory, &block, (size_t)*room, (size_t)more, sizeof(int)))
            return false;
        *list = block;
        *room = more;
    }
    (*list)[(*count)++] = value;
    return true;
}

// as memoryGrow, and what comes is not cleared
static bool grow(Memory *memory, void **block, size_t before, size_t after, size_t size)
{
    void *grown = memoryAllocateBare(memory, after, size);
    if (grown == NULL)
        return false;
    if (before > 0)
        memcpy(grown, *block, before * size);
    memoryRelease(memory, *block);
    *block = grown;
    return true;
}

static bool springsGrow(Memory *memory, Springs *s, int room)
{
    int before = s->room;
    size_t old = (size_t)before, more = (size_t)room;
    void *end = s->end, *kind = s->kind, *parent = s->parent, *share = s->share, *side = s->side;
    bool ok = grow(memory, &end, 2 * old, 2 * more, sizeof(int)) && grow(memory, &kind, old, more, sizeof(int)) &&
              grow(memory, &parent, old, more, sizeof(int)) && grow(memory, &share, old, more, sizeof(double)) &&
              (!s->sided || grow(memory, &side, old, more, sizeof(int)));
    *s = (Springs){ s->count, ok ? room : before, end, kind, parent, share, side, s->sided };
    return ok;
}

bool springsAdd(Memory *memory, Springs *s, const int *end, int kind, int parent, double share, int side)
{
    if (s->count == s->room && !springsGrow(memory, s, 2 * s->room + 64))
        return false;
    int n = s->count++;
    s->end[2 * n] = end[0];
    s->end[2 * n + 1] = end[1];
    s->kind[n] = kind;
    s->parent[n] = parent;
    s->share[n] = share;
    if (s->sided)
        s->side[n] = side;
    return true;
}

void springsRelease(Memory *memory, Springs *s)
{
    memoryRelease(memory, s->end);
    memoryRelease(memory, s->kind);
    memoryRelease(memory, s->parent);
    memoryRelease(memory, s->share);
    memoryRelease(memory, s->side);
}

// ---- who is where ---------------------------------------------------------------------------------------------------

static bool has(const int *corner, int width, int vertex)
{
    for (int i = 0; i < width; ++i)
    {
        if (corner[i] == vertex)
            return true;
    }
    return false;
}

static bool fillIncidence(Follow *f)
{
    const vvMesh *old = f->p->old;
    int width = f->p->width, count = meshElementCount(old);
    f->start = ALLOCATE(f->memory, int, old->vertexCount + 2);
    f->at = ALLOCATE_BARE(f->memory, int, (size_t)count *(size_t)width);
    if (f->start == NULL || f->at == NULL)
        return false;
    const int *corner = meshElementCorners(old, 0);
    int *next = f->start + 1; // counts sit two places up, so that filling leaves every start where it belongs
    for (int e = 0, i = 0; e < count; ++e)
    {
        bool matter = width > 2 || meshElementIsMatter(old, e);
        for (int c = 0; c < width; ++c)
            next[corner[i++] + 1] += matter;
    }
    for (int v = 0; v < old->vertexCount; ++v)
        next[v + 1] += next[v];
    for (int e = 0, i = 0; e < count; ++e)
    {
        bool matter = width > 2 || meshElementIsMatter(old, e);
        for (int c = 0; c < width; ++c, ++i)
        {
            if (matter)
                f->at[next[corner[i]]++] = e;
        }
    }
    return true;
}

static bool fillPieces(Follow *f)
{
    const Pieces *p = f->p;
    int count = meshElementCount(p->old), width = p->width;
    f->pieceStart = ALLOCATE(f->memory, int, count + 2);
    f->pieceAt = ALLOCATE_BARE(f->memory, int, p->elementCount);
    f->near = ALLOCATE(f->memory, bool, p->old->vertexCount);
    if (f->pieceStart == NULL || f->pieceAt == NULL || f->near == NULL)
        return false;
    int *next = f->pieceStart + 1;
    for (int e = 0; e < p->elementCount; ++e)
        next[p->parent[e] + 1] += 1;
    for (int e = 0; e < count; ++e)
        next[e + 1] += next[e];
    for (int e = 0; e < p->elementCount; ++e)
        f->pieceAt[next[p->parent[e]]++] = e;
    const int *corner = meshElementCorners(p->old, 0);
    for (int e = 0; e < count; ++e, corner += width)
    {
        int first = f->pieceStart[e];
        bool whole = f->pieceStart[e + 1] == first + 1 &&
                     sameCorners(corner, p->corner + (size_t)f->pieceAt[first] * (size_t)width, width);
        for (int c = 0; c < width && !whole && meshElementIsMatter(p->old, e); ++c)
            f->near[corner[c]] = true;
    }
    return true;
}

static bool fillOwners(Follow *f)
{
    const vvMesh *old = f->p->old;
    if (old->edgeSide == NULL)
        return true;
    f->owner = ALLOCATE(f->memory, int, old->vertexCount);
    for (int v = 0; f->owner != NULL && v < old->vertexCount; ++v)
        f->owner[v] = -1;
    for (int e = 0; f->owner != NULL && e < old->edgeCount; ++e)
    {
        if (old->edgeSide[e] >= 0)
            f->owner[old->vertexToCaller[old->edgeSide[e]]] = old->edgeToCaller[e];
    }
    return f->owner != NULL;
}

// ---- pairs of a spring ----------------------------------------------------------------------------------------------

static bool addFound(Follow *f, int a, int b)
{
    for (int i = 0; i < f->foundCount; i += 2)
    {
        if ((f->found[i] == a && f->found[i + 1] == b) || (f->found[i] == b && f->found[i + 1] == a))
            return true;
    }
    return push(f->memory, &f->found, &f->foundCount, &f->foundRoom, a) &&
           push(f->memory, &f->found, &f->foundCount, &f->foundRoom, b);
}

static bool liesOn(const Pieces *p, int vertex, int a, int b)
{
    int first = p->vertexParent[2 * vertex], second = p->vertexParent[2 * vertex + 1];
    return (first == a || first == b) && (second == a || second == b);
}

static bool isCopyOf(const Pieces *p, int vertex, int old)
{
    return liesOn(p, vertex, old, old);
}

// pairs of corners of the pieces that lie on the edge from a to b, in its direction
static bool findAlong(Follow *f, int a, int b)
{
    const Pieces *p = f->p;
    bool ok = true;
    for (int i = 0; i < f->patchCount; ++i)
    {
        for (int k = f->pieceStart[f->patch[i]]; k < f->pieceStart[f->patch[i] + 1]; ++k)
        {
            const int *corner = p->corner + (size_t)f->pieceAt[k] * (size_t)p->width;
            for (int c = 0; c < p->width * p->width && ok; ++c)
            {
                int x = corner[c / p->width], y = corner[c % p->width];
                if (x == y || !liesOn(p, x, a, b) || !liesOn(p, y, a, b))
                    continue;
                if (isCopyOf(p, x, a) || isCopyOf(p, y, b))
                    ok = addFound(f, x, y);
            }
        }
    }
    return ok;
}

// ---- springs over elements ------------------------------------------------------------------------------------------

static bool share(const Follow *f, int a, int b)
{
    for (int i = f->start[a]; i < f->start[a + 1]; ++i)
    {
        if (has(meshElementCorners(f->p->old, f->at[i]), f->p->width, b))
            return true;
    }
    return false;
}

// The elements that a spring spans: those of the vertices between its ends that are nearest to its middle.
static bool findPatch(Follow *f, int a, int b)
{
    const vvMesh *old = f->p->old;
    const double *point = old->callerPoint;
    int width = f->p->width, tie[8], ties = 0;
    Vec3 middle = vecScale(0.5, vecAdd(cornerPoint(point, a), cornerPoint(point, b)));
    double best = INFINITY;
    for (int i = f->start[a] * width; i < f->start[a + 1] * width; ++i)
    {
        int m = meshElementCorners(old, f->at[i / width])[i % width];
        Vec3 d = vecSub(cornerPoint(point, m), middle);
        double square = vecDot(d, d), length = edgeLength(point, a, b);
        if (m == a || has(tie, ties, m) || square > best + 1e-9 * length * length || !share(f, m, b))
            continue;
        if (square < best - 1e-9 * length * length)
            ties = 0;
        best = minReal(best, square);
        if (ties < 8)
            tie[ties++] = m;
    }
    bool ok = true;
    for (int all = 1; all >= 0 && f->patchCount == 0; --all)
    {
        for (int t = 0; t < (all ? minInt(ties, 1) : ties); ++t)
        {
            for (int i = f->start[tie[t]]; i < f->start[tie[t] + 1] && ok; ++i)
            {
                const int *corner = meshElementCorners(old, f->at[i]);
                bool fits = !has(f->patch, f->patchCount, f->at[i]);
                for (int k = 0; k < ties && all; ++k)
                    fits = fits && has(corner, width, tie[k]);
                ok = !fits || push(f->memory, &f->patch, &f->patchCount, &f->patchRoom, f->at[i]);
            }
        }
    }
    return ok;
}

static int shared(const int *a, const int *b, int width)
{
    int count = 0;
    for (int i = 0; i < width; ++i)
        count += has(b, width, a[i]);
    return count;
}

// copies of both ends in pieces of the patch that facets join
static bool findOver(Follow *f, int a, int b)
{
    const Pieces *p = f->p;
    int width = p->width, count = 0;
    for (int i = 0; i < f->patchCount; ++i)
        count += f->pieceStart[f->patch[i] + 1] - f->pieceStart[f->patch[i]];
    int *piece = ALLOCATE(f->memory, int, count), *group = ALLOCATE(f->memory, int, count), filled = 0;
    bool ok = piece != NULL && group != NULL;
    for (int i = 0; i < f->patchCount && ok; ++i)
    {
        for (int k = f->pieceStart[f->patch[i]]; k < f->pieceStart[f->patch[i] + 1]; ++k, ++filled)
        {
            const int *own = p->corner + (size_t)f->pieceAt[k] * (size_t)width;
            piece[filled] = f->pieceAt[k];
            group[filled] = filled;
            for (int n = 0; n < filled; ++n)
            {
                int other = group[n];
                if (other == group[filled] ||
                    shared(own, p->corner + (size_t)piece[n] * (size_t)width, width) < width - 1)
                    continue;
                for (int g = 0; g <= filled; ++g)
                    group[g] = group[g] == other ? group[filled] : group[g];
            }
        }
    }
    for (int i = 0; i < filled * filled && ok; ++i)
    {
        int from = i / filled, to = i % filled;
        for (int c = 0; c < width * width && group[from] == group[to] && ok; ++c)
        {
            int x = pieceCorner(p, piece[from], c / width), y = pieceCorner(p, piece[to], c % width);
            if (isCopyOf(p, x, a) && isCopyOf(p, y, b))
                ok = addFound(f, x, y);
        }
    }
    memoryRelease(f->memory, piece);
    memoryRelease(f->memory, group);
    return ok;
}

// ---- stiffness ------------------------------------------------------------------------------------------------------

static double elementMeasure(const double *point, const int *corner, int width)
{
    return width == 4 ? tetVolume(point, corner) : width == 3 ? triangleArea(point, corner) : 0;
}

// what elements give to an edge between two of their vertices: share.c
static double oldShare(const Follow *f, int a, int b)
{
    const vvMesh *old = f->p->old;
    double sum = 0, length = edgeLength(old->callerPoint, a, b);
    for (int i = 0; i < f->patchCount; ++i)
        sum += elementMeasure(old->callerPoint, meshElementCorners(old, f->patch[i]), f->p->width);
    return sum / (length * length);
}

static double newShare(const Follow *f, int a, int b)
{
    const Pieces *p = f->p;
    double sum = 0, length = edgeLength(p->point, a, b);
    for (int i = 0; i < f->patchCount; ++i)
    {
        for (int k = f->pieceStart[f->patch[i]]; k < f->pieceStart[f->patch[i] + 1]; ++k)
        {
            const int *corner = p->corner + (size_t)f->pieceAt[k] * (size_t)p->width;
            if (has(corner, p->width, a) && has(corner, p->width, b))
                sum += elementMeasure(p->point, corner, p->width);
        }
    }
    return sum / (length * length);
}

// ---- one spring -----------------------------------------------------------------------------------------------------

static int sideOf(const Follow *f, int edge)
{
    return f->side != NULL ? f->side[edge] : -1;
}

// The pairs that were found for an edge. `before`: what its old elements gave it; 0: the pairs share its stiffness.
static bool emit(Follow *f, Springs *springs, int edge, double before)
{
    const vvMesh *old = f->p->old;
    double given = f->share[edge];
    int beside = sideOf(f, edge);
    bool ok = true;
    for (int i = 0; i < f->foundCount && ok; i += 2)
    {
        const int *pair = f->found + i;
        double stiffness = before > 0 ? given * newShare(f, pair[0], pair[1]) / before : given * 2 / f->foundCount;
        ok = springsAdd(f->memory, i == 0 ? springs : &f->extra, pair, old->callerEdgeKind[edge], edge, stiffness,
                        beside);
    }
    return ok;
}

// the spring from a vertex of a rod's segment to the vertex beside it
static bool findBeside(Follow *f, int a, int b)
{
    const Pieces *p = f->p;
    int beside = f->owner[a] >= 0 ? a : b, end = a + b - beside, segment = f->owner[beside];
    bool ok = true;
    for (int k = f->pieceStart[segment]; k < f->pieceStart[segment + 1] && ok; ++k)
    {
        for (int c = 0; c < 2 && ok; ++c)
        {
            int x = pieceCorner(p, f->pieceAt[k], c);
            if (isCopyOf(p, x, end))
                ok = addFound(f, beside == a ? a : x, beside == a ? x : b);
        }
    }
    return ok;
}

// false: out of memory
static bool markUsed(Follow *f)
{
    const Pieces *p = f->p;
    if (f->used != NULL)
        return true;
    f->used = ALLOCATE(f->memory, bool, p->vertexCount);
    for (int i = 0; f->used != NULL && i < p->elementCount * p->width; ++i)
        f->used[p->corner[i]] = true;
    return f->used != NULL;
}

static bool followSpring(Follow *f, Springs *springs, int edge)
{
    const vvMesh *old = f->p->old;
    int a = old->callerEdge[2 * edge], b = old->callerEdge[2 * edge + 1];
    f->patchCount = f->foundCount = 0;
    if (f->owner != NULL && (f->owner[a] >= 0 || f->owner[b] >= 0))
        return findBeside(f, a, b) && emit(f, springs, edge, 0);
    if (!f->near[a] && !f->near[b])
        return springsAdd(f->memory, springs, old->callerEdge + 2 * (ptrdiff_t)edge, old->callerEdgeKind[edge], edge,
                          f->share[edge], sideOf(f, edge));
    bool ok = true;
    for (int i = f->start[a]; i < f->start[a + 1] && ok; ++i)
    {
        if (has(meshElementCorners(old, f->at[i]), f->p->width, b))
            ok = push(f->memory, &f->patch, &f->patchCount, &f->patchRoom, f->at[i]);
    }
    if (f->patchCount > 0)
        return ok && findAlong(f, a, b) && emit(f, springs, edge, f->p->width > 2 ? oldShare(f, a, b) : 0);
    ok = ok && findPatch(f, a, b);
    if (ok && f->patchCount > 0)
        ok = findOver(f, a, b);
    else
    {
        ok = ok && markUsed(f);
        if (ok && f->used[a] && f->used[b])
            ok = addFound(f, a, b);
    }
    return ok && emit(f, springs, edge, 0);
}

static bool fillShares(Follow *f)
{
    const vvMesh *old = f->p->old;
    f->share = ALLOCATE_BARE(f->memory, double, old->edgeCount);
    f->side = old->edgeSide != NULL ? ALLOCATE_BARE(f->memory, int, old->edgeCount) : NULL;
    if (f->share == NULL || (old->edgeSide != NULL && f->side == NULL))
        return false;
    for (int e = 0; e < old->edgeCount; ++e)
        f->share[old->edgeToCaller[e]] = old->edgeShare[e];
    for (int e = 0; f->side != NULL && e < old->edgeCount; ++e)
        f->side[old->edgeToCaller[e]] = old->edgeSide[e] >= 0 ? old->vertexToCaller[old->edgeSide[e]] : -1;
    return true;
}

// ---- all together ---------------------------------------------------------------------------------------------------

static bool isKept(const Follow *f, int edge)
{
    const vvMesh *old = f->p->old;
    const int *end = old->callerEdge + 2 * (ptrdiff_t)edge;
    return old->edgeSide == NULL && !f->near[end[0]] && !f->near[end[1]];
}

// `count` from `edge` on, away from all changes; false: out of memory
static bool keep(const Follow *f, Springs *springs, int edge, int count)
{
    const vvMesh *old = f->p->old;
    int first = springs->count;
    if (first + count > springs->room && !springsGrow(f->memory, springs, 2 * (first + count)))
        return false;
    memcpy(springs->end + 2 * (ptrdiff_t)first, old->callerEdge + 2 * (ptrdiff_t)edge, 2 * sizeof(int) * (size_t)count);
    memcpy(springs->kind + first, old->callerEdgeKind + edge, sizeof(int) * (size_t)count);
    memcpy(springs->share + first, f->share + edge, sizeof(double) * (size_t)count);
    for (int i = 0; i < count; ++i)
        springs->parent[first + i] = edge + i;
    springs->count += count;
    return true;
}

static bool followAll(Follow *f, Springs *springs)
{
    const vvMesh *old = f->p->old;
    bool ok = springsGrow(f->memory, springs, old->edgeCount + old->edgeCount / 16 + 64);
    const bool *dropped = f->p->dropped;
    for (int e = 0, next = 0; e < old->edgeCount && ok; e = next)
    {
        while (next < old->edgeCount && !(dropped != NULL && dropped[next]) && isKept(f, next))
            next += 1;
        if (next > e)
        {
            ok = keep(f, springs, e, next - e);
            continue;
        }
        next += 1;
        if (dropped == NULL || !dropped[e])
            ok = followSpring(f, springs, e);
    }
    for (int e = 0; e < f->extra.count && ok; ++e)
        ok = springsAdd(f->memory, springs, f->extra.end + 2 * e, f->extra.kind[e], f->extra.parent[e],
                        f->extra.share[e], f->extra.sided ? f->extra.side[e] : -1);
    return ok;
}

bool springsFollow(const Pieces *pieces, Springs *springs)
{
    bool sided = pieces->old->edgeSide != NULL;
    Follow f = { .p = pieces, .memory = pieces->memory, .extra.sided = sided };
    *springs = (Springs){ .sided = sided };
    bool ok = fillIncidence(&f) && fillPieces(&f) && fillOwners(&f) && fillShares(&f) && followAll(&f, springs) &&
              springsAddInner(pieces, springs);
    void *const blocks[] = { f.start, f.at,    f.pieceStart, f.pieceAt, f.near, f.used,
                             f.owner, f.share, f.side,       f.patch,   f.found };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(f.memory, blocks[i]);
    springsRelease(f.memory, &f.extra);
    return ok;
}
