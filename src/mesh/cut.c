// Cuts: edges that go through the swept surface are divided there, with all elements around them, one edge after the
// other in an order that depends on the edges alone, so that neighbours agree about the diagonals. Afterwards no
// element is on both sides, and separate.c opens the facets between them. A crossing that is too near to a vertex moves
// to it.
#include "mesh/blade.h"
#include "mesh/pieces.h"

// Of an edge: a crossing that is nearer to its end moves there. A piece has at least SNAP^2 of the area of its triangle
// or SNAP^3 of the volume of its tet, whose longest edge is not shorter.
#define SNAP 0.2
#define MOST_EDGES 6   // of an element
#define MOST_PIECES 16 // of an element: at most four of its edges are divided

static const int edgeCorner[MOST_EDGES][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };

typedef struct Cut
{
    Pieces *p;
    Sweep sweep;
    const double *position; // of the old vertices, now
    double snap;
    int edges; // of an element

    // elements on both sides
    int *list, listCount;
    bool *within;  // listCount: its part of the surface is within the blade's reach
    int *crossing; // listCount x edges: its divided edges, -1: none

    // edges through the surface, each once
    int (*end)[2]; // the lower vertex first
    double *share; // where, from the first
    double *rank;  // m at rest from there to the nearer end: the longest is divided first (docs/notes/meshes.md)
    bool *divided; // within reach
    int *vertex;   // that divides it, -1: none
    int edgeCount;
} Cut;

// ---- which edges ----------------------------------------------------------------------------------------------------

static Vec3 positionOf(const Cut *cut, int vertex)
{
    return cornerPoint(cut->position, vertex);
}

static Vec3 crossingOf(const Cut *cut, int edge)
{
    Vec3 a = positionOf(cut, cut->end[edge][0]), b = positionOf(cut, cut->end[edge][1]);
    return vecAdd(a, vecScale(cut->share[edge], vecSub(b, a)));
}

static bool isThrough(const Cut *cut, int element, int edge)
{
    const Pieces *p = cut->p;
    int a = pieceCorner(p, element, edgeCorner[edge][0]), b = pieceCorner(p, element, edgeCorner[edge][1]);
    return p->cut.side[a] != p->cut.side[b];
}

static bool isBetween(const Cut *cut, int element)
{
    for (int c = 1; c < cut->p->width; ++c)
    {
        if (cut->p->cut.side[pieceCorner(cut->p, element, c)] != cut->p->cut.side[pieceCorner(cut->p, element, 0)])
            return true;
    }
    return false;
}

static bool takeSides(Cut *cut)
{
    Pieces *p = cut->p;
    p->cut.side = ALLOCATE(p->memory, signed char, p->vertexRoom);
    p->cut.height = ALLOCATE(p->memory, double, p->vertexRoom);
    p->cut.active = ALLOCATE(p->memory, bool, p->vertexRoom);
    if (p->cut.side == NULL || p->cut.height == NULL || p->cut.active == NULL)
        return false;
    for (int v = 0; v < p->vertexCount; ++v)
    {
        p->cut.height[v] = sweepHeight(&cut->sweep, positionOf(cut, v));
        p->cut.side[v] = p->cut.height[v] < 0 ? -1 : 1;
    }
    for (int e = 0; e < p->elementCount; ++e)
        cut->listCount += isBetween(cut, e);
    cut->list = ALLOCATE(p->memory, int, cut->listCount);
    cut->within = ALLOCATE(p->memory, bool, cut->listCount);
    cut->crossing = ALLOCATE(p->memory, int, (size_t)cut->listCount *(size_t)cut->edges);
    if (cut->list == NULL || cut->within == NULL || cut->crossing == NULL)
        return false;
    for (int e = 0, n = 0; e < p->elementCount; ++e)
    {
        if (isBetween(cut, e))
            cut->list[n++] = e;
    }
    return true;
}

// rows of the edges through the surface, `at`: list place x edges + edge
static int fillRows(const Cut *cut, int *key, int *at)
{
    const Pieces *p = cut->p;
    int rows = 0;
    for (int i = 0; i < cut->listCount * cut->edges; ++i)
    {
        int element = cut->list[i / cut->edges], edge = i % cut->edges;
        cut->crossing[i] = -1;
        if (!isThrough(cut, element, edge))
            continue;
        int a = pieceCorner(p, element, edgeCorner[edge][0]), b = pieceCorner(p, element, edgeCorner[edge][1]);
        key[2 * rows] = minInt(a, b);
        key[2 * rows + 1] = maxInt(a, b);
        at[rows++] = i;
    }
    return rows;
}

static bool joinEdges(Cut *cut)
{
    Memory *memory = cut->p->memory;
    size_t most = (size_t)cut->listCount * (size_t)cut->edges;
    int *key = ALLOCATE(memory, int, 2 * most), *at = ALLOCATE(memory, int, most), *order = ALLOCATE(memory, int, most);
    cut->end = memoryAllocate(memory, most, sizeof *cut->end);
    cut->share = ALLOCATE(memory, double, most);
    cut->rank = ALLOCATE(memory, double, most);
    cut->divided = ALLOCATE(memory, bool, most);
    cut->vertex = ALLOCATE(memory, int, most);
    bool ok = key != NULL && at != NULL && order != NULL && cut->end != NULL && cut->share != NULL &&
              cut->rank != NULL && cut->divided != NULL && cut->vertex != NULL;
    int rows = ok ? fillRows(cut, key, at) : 0;
    ok = ok && sortTuples(memory, key, rows, 2, cut->p->vertexCount, order);
    for (int i = 0; i < rows && ok; ++i)
    {
        const int *end = key + 2 * (size_t)order[i];
        int last = cut->edgeCount - 1;
        if (last < 0 || cut->end[last][0] != end[0] || cut->end[last][1] != end[1])
        {
            last = cut->edgeCount++;
            cut->end[last][0] = end[0];
            cut->end[last][1] = end[1];
            cut->share[last] = sweepCrossing(&cut->sweep, positionOf(cut, end[0]), positionOf(cut, end[1]));
            cut->rank[last] =
                edgeLength(cut->p->point, end[0], end[1]) * minReal(cut->share[last], 1 - cut->share[last]);
            cut->vertex[last] = -1;
        }
        cut->crossing[at[order[i]]] = last;
    }
    memoryRelease(memory, key);
    memoryRelease(memory, at);
    memoryRelease(memory, order);
    return ok;
}

// ---- reach and snapping ---------------------------------------------------------------------------------------------

// An element is cut where the middle of its part of the surface is within reach: a cut that ends inside an element goes
// on to its next facet, or ends at the last.
static bool reachElements(Cut *cut)
{
    bool ends = false;
    for (int i = 0; i < cut->listCount; ++i)
    {
        Vec3 sum = vec3(0, 0, 0);
        int count = 0, reached = 0;
        for (int e = 0; e < cut->edges; ++e)
        {
            int edge = cut->crossing[i * cut->edges + e];
            if (edge < 0)
                continue;
            Vec3 point = crossingOf(cut, edge);
            sum = vecAdd(sum, point);
            reached += sweepReaches(&cut->sweep, point);
            ++count;
        }
        cut->within[i] = sweepReaches(&cut->sweep, vecScale(1.0 / count, sum));
        ends = ends || (reached > 0 ? reached < count : cut->within[i]);
        for (int e = 0; e < cut->edges && cut->within[i]; ++e)
        {
            if (cut->crossing[i * cut->edges + e] >= 0)
                cut->divided[cut->crossing[i * cut->edges + e]] = true;
        }
    }
    return ends;
}

static void snapVertices(Cut *cut)
{
    CutSides *sides = &cut->p->cut;
    for (int e = 0; e < cut->edgeCount; ++e)
    {
        double share = cut->share[e];
        if (!cut->divided[e] || (share > cut->snap && share < 1 - cut->snap))
            continue;
        sides->active[cut->end[e][share > 0.5]] = true;
    }
    for (int e = 0; e < cut->edgeCount; ++e)
        cut->divided[e] = cut->divided[e] && !sides->active[cut->end[e][0]] && !sides->active[cut->end[e][1]];
    for (int v = 0; v < cut->p->old->vertexCount; ++v)
        sides->side[v] = sides->active[v] ? 0 : sides->side[v];
}

static bool addVertices(Cut *cut)
{
    Pieces *p = cut->p;
    for (int e = 0; e < cut->edgeCount; ++e)
    {
        if (!cut->divided[e])
            continue;
        int vertex = piecesAddVertex(p, cut->end[e][0], cut->end[e][1], cut->share[e]);
        if (vertex < 0)
            return false;
        cut->vertex[e] = vertex;
        p->cut.side[vertex] = 0;
        p->cut.height[vertex] = 0;
        p->cut.active[vertex] = true;
    }
    for (int v = 0; v < p->vertexCount; ++v)
        p->touched[v] = p->cut.active[v];
    return true;
}

// ---- dividing elements ----------------------------------------------------------------------------------------------

static int placeOf(const int *corner, int width, int vertex)
{
    for (int i = 0; i < width; ++i)
    {
        if (corner[i] == vertex)
            return i;
    }
    return -1;
}

// Every piece with both ends of an edge becomes two; returns how many there are.
static int divideEdge(int piece[MOST_PIECES][MOST_CORNERS], int count, int width, const int *end, int vertex)
{
    for (int i = 0, before = count; i < before; ++i)
    {
        int a = placeOf(piece[i], width, end[0]), b = placeOf(piece[i], width, end[1]);
        if (a < 0 || b < 0)
            continue;
        for (int c = 0; c < width; ++c)
            piece[count][c] = piece[i][c];
        piece[i][b] = vertex;
        piece[count++][a] = vertex;
    }
    return count;
}

static bool comesBefore(const Cut *cut, int a, int b)
{
    return cut->rank[a] > cut->rank[b] || (cut->rank[a] == cut->rank[b] && a < b);
}

static bool divideElement(const Cut *cut, int place)
{
    Pieces *p = cut->p;
    int element = cut->list[place], piece[MOST_PIECES][MOST_CORNERS], count = 1, edge[MOST_EDGES], edges = 0;
    for (int c = 0; c < p->width; ++c)
        piece[0][c] = pieceCorner(p, element, c);
    for (int e = 0; e < cut->edges; ++e)
    {
        int number = cut->crossing[place * cut->edges + e], k = edges;
        if (number < 0 || cut->vertex[number] < 0)
            continue;
        for (; k > 0 && comesBefore(cut, number, edge[k - 1]); --k)
            edge[k] = edge[k - 1];
        edge[k] = number;
        ++edges;
    }
    for (int k = 0; k < edges; ++k)
        count = divideEdge(piece, count, p->width, cut->end[edge[k]], cut->vertex[edge[k]]);
    for (int c = 0; c < p->width; ++c)
        p->corner[(size_t)element * (size_t)p->width + (size_t)c] = piece[0][c];
    for (int i = 1; i < count; ++i)
    {
        if (piecesAddElement(p, piece[i], p->parent[element]) < 0)
            return false;
    }
    return true;
}

// ---- all together ---------------------------------------------------------------------------------------------------

vvResult piecesCut(Pieces *p, const double *positions, const Blade *blade, MeshChange *change)
{
    // the vertices beside a rod cannot follow a new segment
    Cut cut = { .p = p,
                .position = positions,
                .snap = p->old->edgeSide != NULL ? 0.5 : SNAP,
                .edges = p->width * (p->width - 1) / 2 };
    vvResult result = sweepMake(&cut.sweep, blade);
    if (result.code != VV_OK)
        return result;
    bool ok = takeSides(&cut) && joinEdges(&cut);
    if (ok)
    {
        change->snapped = reachElements(&cut);
        snapVertices(&cut);
        ok = addVertices(&cut);
    }
    for (int i = 0; i < cut.listCount && ok; ++i)
        ok = divideElement(&cut, i);
    void *const blocks[] = {
        cut.list, cut.within, cut.crossing, cut.end, cut.share, cut.rank, cut.divided, cut.vertex
    };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(p->memory, blocks[i]);
    return ok ? piecesSeparate(p, NULL, 0, change) : resultOutOfMemory("the pieces of a cut");
}
