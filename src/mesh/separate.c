// Where elements come apart: the corners of touched vertices are joined across closed facets, and every further part
// gets a copy of the vertex.
#include "mesh/pieces.h"

typedef struct Separation
{
    Pieces *pieces;
    int *list, listCount; // elements with a touched vertex
    int *joined;          // listCount x width: forest of corners that stay together
    int *number;          // listCount x width: vertex of the corners of a root, -1: none yet

    // facets, and after them the given ones
    int *key;   // rowCount x (width - 1), ascending
    int *code;  // rowCount: place in the list x width + the corner across; given: -1 - its number
    int *order; // rowCount, by key
    int rowCount, givenCount;
} Separation;

static int findRoot(int *joined, int node)
{
    while (joined[node] != node)
        node = joined[node] = joined[joined[node]];
    return node;
}

// the lower root stays, so that roots do not depend on the order of joins
static void join(int *joined, int a, int b)
{
    a = findRoot(joined, a);
    b = findRoot(joined, b);
    joined[maxInt(a, b)] = minInt(a, b);
}

static void sortFew(int *value, int count)
{
    for (int i = 1; i < count; ++i)
    {
        int v = value[i], k = i;
        for (; k > 0 && value[k - 1] > v; --k)
            value[k] = value[k - 1];
        value[k] = v;
    }
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static bool isTouched(const Pieces *p, const int *corner, int count)
{
    for (int i = 0; i < count; ++i)
    {
        if (p->touched[corner[i]])
            return true;
    }
    return false;
}

static bool allocate(Separation *s, int givenCount)
{
    const Pieces *p = s->pieces;
    size_t width = (size_t)p->width;
    for (int e = 0; e < p->elementCount; ++e)
        s->listCount += isTouched(p, p->corner + (size_t)e * width, p->width);
    size_t corners = (size_t)s->listCount * width, rows = corners + (size_t)givenCount;
    s->list = ALLOCATE(p->memory, int, s->listCount);
    s->joined = ALLOCATE(p->memory, int, corners);
    s->number = ALLOCATE(p->memory, int, corners);
    s->key = ALLOCATE(p->memory, int, rows *(width - 1));
    s->code = ALLOCATE(p->memory, int, rows);
    s->order = ALLOCATE(p->memory, int, rows);
    return s->list != NULL && s->joined != NULL && s->number != NULL && s->key != NULL && s->code != NULL &&
           s->order != NULL;
}

static void release(Separation *s)
{
    void *const blocks[] = { s->list, s->joined, s->number, s->key, s->code, s->order };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(s->pieces->memory, blocks[i]);
}

static void fillRows(Separation *s, const int *facets, int givenCount)
{
    const Pieces *p = s->pieces;
    int width = p->width, place = 0;
    for (int e = 0; e < p->elementCount; ++e)
    {
        const int *corner = p->corner + (size_t)e * (size_t)width;
        if (!isTouched(p, corner, width))
            continue;
        s->list[place] = e;
        for (int c = 0; c < width; ++c)
        {
            s->joined[place * width + c] = place * width + c;
            s->number[place * width + c] = -1;
            int *key = s->key + (size_t)s->rowCount * (size_t)(width - 1);
            for (int i = 0, k = 0; i < width; ++i)
            {
                if (i != c)
                    key[k++] = corner[i];
            }
            sortFew(key, width - 1);
            s->code[s->rowCount] = place * width + c;
            s->rowCount += isTouched(p, key, width - 1);
        }
        ++place;
    }
    for (int g = 0; g < givenCount; ++g)
    {
        int *key = s->key + (size_t)s->rowCount * (size_t)(width - 1);
        for (int i = 0; i < width - 1; ++i)
            key[i] = facets[g * (width - 1) + i];
        sortFew(key, width - 1);
        s->code[s->rowCount++] = -1 - g;
    }
}

// ---- facets ---------------------------------------------------------------------------------------------------------

// Rows [first, end) of `order` that are one facet; the sort is stable, so that given ones come last.
typedef struct Facet
{
    const int *key;
    int first, end, members; // members: the elements among them
    bool open;
} Facet;

static Facet facetAt(const Separation *s, int first)
{
    const Pieces *p = s->pieces;
    int size = p->width - 1;
    Facet facet = { s->key + (size_t)s->order[first] * (size_t)size, first, first, 0, p->cut.side != NULL };
    for (; facet.end < s->rowCount; ++facet.end)
    {
        const int *key = s->key + (size_t)s->order[facet.end] * (size_t)size;
        bool same = true;
        for (int i = 0; i < size; ++i)
            same = same && key[i] == facet.key[i];
        if (!same)
            break;
        if (s->code[s->order[facet.end]] >= 0)
            ++facet.members;
        else
            facet.open = true;
    }
    for (int i = 0; i < size && p->cut.side != NULL; ++i)
        facet.open = facet.open && p->cut.active[facet.key[i]];
    return facet;
}

static int memberAt(const Separation *s, const Facet *facet, int member)
{
    return s->code[s->order[facet->first + member]];
}

// the side of an element across a facet of the cut; an element all of whose corners are on it has one side
static int sideOf(const Separation *s, int code)
{
    const Pieces *p = s->pieces;
    int element = s->list[code / p->width], side = p->cut.side[pieceCorner(p, element, code % p->width)];
    if (side != 0)
        return side;
    double height = 0;
    for (int c = 0; c < p->width; ++c)
        height += p->cut.height[pieceCorner(p, element, c)];
    return height < 0 ? -1 : 1;
}

// the node of a vertex in the element of a row
static int nodeOf(const Separation *s, int code, int vertex)
{
    const Pieces *p = s->pieces;
    int place = code / p->width, c = 0;
    while (pieceCorner(p, s->list[place], c) != vertex)
        ++c;
    return place * p->width + c;
}

static bool stayTogether(const Separation *s, const Facet *facet, int a, int b)
{
    return !facet->open || (s->pieces->cut.side != NULL && sideOf(s, a) == sideOf(s, b));
}

static void joinFacet(Separation *s, const Facet *facet)
{
    for (int m = 1; m < facet->members; ++m)
    {
        int code = memberAt(s, facet, m), other = -1;
        for (int n = 0; n < m && other < 0; ++n)
            other = stayTogether(s, facet, code, memberAt(s, facet, n)) ? memberAt(s, facet, n) : -1;
        for (int i = 0; i < s->pieces->width - 1 && other >= 0; ++i)
            join(s->joined, nodeOf(s, code, facet->key[i]), nodeOf(s, other, facet->key[i]));
    }
}

// ---- copies ---------------------------------------------------------------------------------------------------------

// vertices that were not touched keep their number, the first part of a touched one too
static bool numberCorners(Separation *s, bool *taken)
{
    Pieces *p = s->pieces;
    for (int i = 0; i < s->listCount * p->width; ++i)
    {
        int vertex = pieceCorner(p, s->list[i / p->width], i % p->width), root = findRoot(s->joined, i);
        if (!p->touched[vertex])
            s->number[i] = vertex;
        else if (s->number[root] < 0)
        {
            s->number[root] = taken[vertex] ? piecesCopyVertex(p, vertex) : vertex;
            taken[vertex] = true;
            if (s->number[root] < 0)
                return false;
        }
    }
    return true;
}

static int numberOf(const Separation *s, int node)
{
    int own = s->number[node];
    return own >= 0 ? own : s->number[findRoot(s->joined, node)];
}

static bool sameNumbers(const Separation *s, const Facet *facet, int a, int b)
{
    for (int i = 0; i < s->pieces->width - 1; ++i)
    {
        if (numberOf(s, nodeOf(s, a, facet->key[i])) != numberOf(s, nodeOf(s, b, facet->key[i])))
            return false;
    }
    return true;
}

static double facetMeasure(const Pieces *p, const int *key)
{
    return p->width == 4 ? triangleArea(p->point, key) : p->width == 3 ? edgeLength(p->point, key[0], key[1]) : 0;
}

// how often a facet is there now, and which given ones are there once
static void countOpened(const Separation *s, const Facet *facet, MeshChange *change)
{
    int different = 0;
    for (int m = 0; m < facet->members; ++m)
    {
        bool seen = false;
        for (int n = 0; n < m && !seen; ++n)
            seen = sameNumbers(s, facet, memberAt(s, facet, m), memberAt(s, facet, n));
        different += !seen;
    }
    change->openedCount += maxInt(different - 1, 0);
    change->openedArea += maxInt(different - 1, 0) * facetMeasure(s->pieces, facet->key);
    for (int i = facet->first + facet->members; i < facet->end && different == 1 && facet->members > 1; ++i)
        change->kept[change->keptCount++] = -1 - s->code[s->order[i]];
}

static void renameCorners(const Separation *s)
{
    Pieces *p = s->pieces;
    for (int i = 0; i < s->listCount * p->width; ++i)
        p->corner[(size_t)s->list[i / p->width] * (size_t)p->width + (size_t)(i % p->width)] = numberOf(s, i);
}

// ---- all together ---------------------------------------------------------------------------------------------------

static vvResult noFacet(const Separation *s, const Facet *facet)
{
    const int *v = facet->key;
    int given = -1 - s->code[s->order[facet->first]];
    const char *remedy = "give facets of elements of this mesh, in the caller's numbers";
    if (s->pieces->width == 4)
        return resultMake(VV_BAD_INPUT, remedy, "face %d, of vertices %d, %d and %d, belongs to no tet", given, v[0],
                          v[1], v[2]);
    if (s->pieces->width == 3)
        return resultMake(VV_BAD_INPUT, remedy, "edge %d, of vertices %d and %d, belongs to no triangle", given, v[0],
                          v[1]);
    return resultMake(VV_BAD_INPUT, remedy, "point %d, vertex %d, belongs to no structural edge", given, v[0]);
}

static vvResult separate(Separation *s, bool *taken, MeshChange *change)
{
    for (int i = 0; i < s->rowCount;)
    {
        Facet facet = facetAt(s, i);
        if (facet.members == 0)
            return noFacet(s, &facet);
        joinFacet(s, &facet);
        i = facet.end;
    }
    if (!numberCorners(s, taken))
        return resultOutOfMemory("the copies of vertices");
    for (int i = 0; i < s->rowCount;)
    {
        Facet facet = facetAt(s, i);
        if (facet.open)
            countOpened(s, &facet, change);
        i = facet.end;
    }
    renameCorners(s);
    return resultOk();
}

vvResult piecesSeparate(Pieces *pieces, const int *facets, int count, MeshChange *change)
{
    Separation s = { .pieces = pieces, .givenCount = count };
    Memory *memory = pieces->memory;
    bool *taken = ALLOCATE(memory, bool, pieces->vertexCount);
    change->kept = ALLOCATE(&change->memory, int, count);
    vvResult result = resultOutOfMemory("what a change separates");
    if (taken != NULL && change->kept != NULL && allocate(&s, count))
    {
        fillRows(&s, facets, count);
        if (sortTuples(memory, s.key, s.rowCount, pieces->width - 1, pieces->vertexCount, s.order))
            result = separate(&s, taken, change);
    }
    release(&s);
    memoryRelease(memory, taken);
    return result;
}
