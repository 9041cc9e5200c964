// Vertices and edges of a surface, each with the facet that it belongs to, and a tree of boxes over the facets. The
// tree's shape is decided once, at rest.
#include "contact/proximity.h"

#include <stdlib.h>

#define LEAF 4    // facets
#define STACK 256 // pairs of nodes: three for each of the 31 levels of two trees

// ---- edges ----------------------------------------------------------------------------------------------------------

typedef struct Spoke
{
    int a, b;  // a < b
    int place; // 3 x facet + side
} Spoke;

static int bySpoke(const void *left, const void *right)
{
    const Spoke *p = left, *q = right;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return p->place < q->place ? -1 : p->place > q->place;
}

static bool listEdges(Memory *memory, Features *f)
{
    Spoke *spoke = ALLOCATE(memory, Spoke, 3 * (size_t)f->count);
    f->edge = ALLOCATE(memory, int, 6 * (size_t)f->count);
    f->beside = ALLOCATE(memory, int, 6 * (size_t)f->count);
    if (spoke == NULL || f->edge == NULL || f->beside == NULL)
    {
        memoryRelease(memory, spoke);
        return false;
    }
    int spokes = 0;
    for (int i = 0; i < 3 * f->count; ++i)
    {
        int a = f->corner[i], b = f->corner[i / 3 * 3 + (i + 1) % 3];
        f->ownEdge[i] = -1;
        if (a >= 0 && b >= 0)
            spoke[spokes++] = (Spoke){ minInt(a, b), maxInt(a, b), i };
    }
    qsort(spoke, (size_t)spokes, sizeof *spoke, bySpoke);
    for (int i = 0; i < spokes; ++i)
    {
        if (i > 0 && spoke[i].a == spoke[i - 1].a && spoke[i].b == spoke[i - 1].b)
        {
            f->beside[2 * f->edgeCount - 1] = spoke[i].place / 3;
            continue;
        }
        f->beside[2 * f->edgeCount] = spoke[i].place / 3;
        f->beside[2 * f->edgeCount + 1] = -1;
        f->ownEdge[spoke[i].place] = f->edgeCount;
        f->edge[2 * f->edgeCount] = spoke[i].a;
        f->edge[2 * f->edgeCount + 1] = spoke[i].b;
        f->edgeCount += 1;
    }
    memoryRelease(memory, spoke);
    f->edgeBox = ALLOCATE(memory, double, 6 * (size_t)f->edgeCount);
    return f->edgeBox != NULL || f->edgeCount == 0;
}

// ---- the tree -------------------------------------------------------------------------------------------------------

static int plantNode(Features *f, const double *middle, int first, int end)
{
    int number = f->nodeCount++;
    CollisionNode *node = &f->node[number];
    if (end - first <= LEAF)
    {
        *node = (CollisionNode){ .first = first, .count = end - first };
        return number;
    }
    int cut = splitAtMedian(middle, f->order, first, end);
    int left = plantNode(f, middle, first, cut), right = plantNode(f, middle, cut, end);
    node->left = left;
    node->right = right;
    return number;
}

static bool plant(Memory *memory, Features *f, const double *rest)
{
    double *middle = ALLOCATE(memory, double, 3 * (size_t)f->count);
    if (middle == NULL)
        return false;
    for (int t = 0; t < f->count; ++t)
    {
        f->order[t] = t;
        for (int k = 0; k < 3; ++k)
        {
            int v = f->corner[3 * t + k] >= 0 ? f->corner[3 * t + k] : f->corner[3 * t];
            for (int a = 0; a < 3; ++a)
                middle[3 * t + a] += rest[3 * (ptrdiff_t)v + a] / 3;
        }
    }
    if (f->count > 0)
        plantNode(f, middle, 0, f->count);
    memoryRelease(memory, middle);
    return true;
}

// ---- making ---------------------------------------------------------------------------------------------------------

static void ownVertices(Features *f)
{
    // `surface` tells who is taken until it is set
    for (int i = 0; i < 3 * f->count; ++i)
    {
        int v = f->corner[i];
        bool own = v >= 0 && f->surface[v] == 0;
        f->ownVertex[i] = own ? v : -1;
        if (own)
            f->surface[v] = 1;
    }
}

static void measure(Features *f, const double *rest)
{
    for (int e = 0; e < f->edgeCount; ++e)
    {
        Vec3 a = vecLoad(rest + 3 * (ptrdiff_t)f->edge[2 * e]), b = vecLoad(rest + 3 * (ptrdiff_t)f->edge[2 * e + 1]);
        f->length += vecLength(vecSub(b, a)) / f->edgeCount;
    }
}

static bool reserve(Memory *memory, Features *f)
{
    size_t facets = (size_t)maxInt(f->count, 1), vertices = (size_t)f->vertexCount;
    f->corner = ALLOCATE(memory, int, 3 * facets);
    f->ownVertex = ALLOCATE(memory, int, 3 * facets);
    f->ownEdge = ALLOCATE(memory, int, 3 * facets);
    f->surface = ALLOCATE(memory, int, vertices);
    f->box = ALLOCATE(memory, double, 6 * vertices);
    f->facet = ALLOCATE(memory, double, 6 * facets);
    f->node = ALLOCATE(memory, CollisionNode, facets);
    f->order = ALLOCATE(memory, int, facets);
    return f->corner && f->ownVertex && f->ownEdge && f->surface && f->box && f->facet && f->node && f->order;
}

Features *featuresCreate(Memory *memory, const CollisionMesh *mesh, int corners, int count, const int *facet)
{
    Features *f = ALLOCATE(memory, Features, 1);
    if (f == NULL)
        return NULL;
    f->count = count;
    f->vertexCount = mesh->vertexCount;
    bool ok = reserve(memory, f);
    for (int i = 0; ok && i < 3 * count; ++i)
        f->corner[i] = i % 3 < corners ? facet[i / 3 * corners + i % 3] : -1;
    if (ok)
        ownVertices(f);
    ok = ok && listEdges(memory, f) && plant(memory, f, mesh->rest);
    if (!ok)
    {
        featuresDestroy(memory, f);
        return NULL;
    }
    measure(f, mesh->rest);
    for (int v = 0; v < f->vertexCount; ++v)
        f->surface[v] = -1;
    for (int i = 0; i < mesh->surfaceCount; ++i)
        f->surface[mesh->vertex[i]] = i;
    return f;
}

void featuresDestroy(Memory *memory, Features *f)
{
    if (f == NULL)
        return;
    memoryRelease(memory, f->corner);
    memoryRelease(memory, f->ownVertex);
    memoryRelease(memory, f->ownEdge);
    memoryRelease(memory, f->edge);
    memoryRelease(memory, f->beside);
    memoryRelease(memory, f->surface);
    memoryRelease(memory, f->box);
    memoryRelease(memory, f->edgeBox);
    memoryRelease(memory, f->facet);
    memoryRelease(memory, f->node);
    memoryRelease(memory, f->order);
    memoryRelease(memory, f);
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

static void include(double *lower, double *upper, const double *box)
{
    for (int a = 0; a < 3; ++a)
    {
        lower[a] = minReal(lower[a], box[a]);
        upper[a] = maxReal(upper[a], box[3 + a]);
    }
}

static void empty(double *lower, double *upper)
{
    for (int a = 0; a < 3; ++a)
    {
        lower[a] = INFINITY;
        upper[a] = -INFINITY;
    }
}

void featuresBoxPath(CollisionMesh *mesh, int vertex, Vec3 x, Vec3 displacement)
{
    const double from[3] = { x.x, x.y, x.z }, way[3] = { displacement.x, displacement.y, displacement.z };
    double pad = broadPad(mesh) + BROAD_TURN * vecLength(displacement);
    double *box = mesh->features->box + 6 * (ptrdiff_t)vertex;
    for (int a = 0; a < 3; ++a)
    {
        box[a] = minReal(from[a], from[a] + way[a]) - pad;
        box[3 + a] = maxReal(from[a], from[a] + way[a]) + pad;
    }
}

void featuresRefit(Features *f)
{
    for (int t = 0; t < f->count; ++t)
    {
        double *box = f->facet + 6 * (ptrdiff_t)t;
        empty(box, box + 3);
        for (int k = 0; k < 3 && f->corner[3 * t + k] >= 0; ++k)
            include(box, box + 3, f->box + 6 * (ptrdiff_t)f->corner[3 * t + k]);
    }
    for (int i = f->nodeCount - 1; i >= 0; --i)
    {
        CollisionNode *node = &f->node[i];
        empty(node->lower, node->upper);
        for (int k = node->first; k < node->first + node->count; ++k)
            include(node->lower, node->upper, f->facet + 6 * (ptrdiff_t)f->order[k]);
        for (int k = 0; k < 2 && node->count == 0; ++k)
        {
            const CollisionNode *child = &f->node[k ? node->right : node->left];
            for (int a = 0; a < 3; ++a)
            {
                node->lower[a] = minReal(node->lower[a], child->lower[a]);
                node->upper[a] = maxReal(node->upper[a], child->upper[a]);
            }
        }
    }
}

static bool overlap(const double *lowerA, const double *upperA, const double *lowerB, const double *upperB)
{
    return lowerA[0] <= upperB[0] && lowerB[0] <= upperA[0] && lowerA[1] <= upperB[1] && lowerB[1] <= upperA[1] &&
           lowerA[2] <= upperB[2] && lowerB[2] <= upperA[2];
}

typedef struct NodePair
{
    int a, b;
} NodePair;

static bool meetLeaves(const Features *a, const Features *b, const CollisionNode *p, const CollisionNode *q,
                       FacetPair pair, void *context)
{
    for (int i = p->first; i < p->first + p->count; ++i)
    {
        const double *box = a->facet + 6 * (ptrdiff_t)a->order[i];
        for (int k = p == q ? i + 1 : q->first; k < q->first + q->count; ++k)
        {
            const double *other = b->facet + 6 * (ptrdiff_t)b->order[k];
            if (overlap(box, box + 3, other, other + 3) && pair(context, a->order[i], b->order[k]))
                return true;
        }
    }
    return false;
}

// the pairs of nodes that a pair of nodes falls into
static int split(const Features *a, const Features *b, NodePair at, NodePair *stack, int height)
{
    const CollisionNode *p = &a->node[at.a], *q = &b->node[at.b];
    if (p == q)
    {
        stack[height++] = (NodePair){ p->left, p->left };
        stack[height++] = (NodePair){ p->right, p->right };
        stack[height++] = (NodePair){ p->left, p->right };
    }
    else if (q->count > 0 || (p->count == 0 && at.a <= at.b))
    {
        stack[height++] = (NodePair){ p->left, at.b };
        stack[height++] = (NodePair){ p->right, at.b };
    }
    else
    {
        stack[height++] = (NodePair){ at.a, q->left };
        stack[height++] = (NodePair){ at.a, q->right };
    }
    return height;
}

bool featuresMeet(const Features *a, const Features *b, FacetPair pair, void *context)
{
    NodePair stack[STACK];
    int height = 0;
    if (a->nodeCount > 0 && b->nodeCount > 0)
        stack[height++] = (NodePair){ 0, 0 };
    while (height > 0)
    {
        NodePair at = stack[--height];
        const CollisionNode *p = &a->node[at.a], *q = &b->node[at.b];
        if (!overlap(p->lower, p->upper, q->lower, q->upper))
            continue;
        if (p->count > 0 && q->count > 0)
        {
            if (meetLeaves(a, b, p, q, pair, context))
                return true;
        }
        else
            height = split(a, b, at, stack, height);
    }
    return false;
}
