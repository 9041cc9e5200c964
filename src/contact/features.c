// Vertices and edges of a surface, each with the facet that it belongs to, and a tree over the facets. Its shape is
// decided once, at rest; boxes are set in feature_boxes.c.
#include "contact/proximity.h"

#include <stdlib.h>
#include <string.h>

#define SHARP 0.8 // cosine: facets that turn less, by 37 degrees, have an edge that vertices stand for

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

// sides of two facets that are the same
static void pairSpokes(Features *f, const Spoke *spoke, int count)
{
    for (int i = 0; i < 3 * f->count; ++i)
        f->across[i] = -1;
    for (int i = 0, end; i < count; i = end)
    {
        for (end = i + 1; end < count && spoke[end].a == spoke[i].a && spoke[end].b == spoke[i].b;)
            end += 1;
        if (end - i != 2)
            continue;
        f->across[spoke[i].place] = spoke[i + 1].place / 3;
        f->across[spoke[i + 1].place] = spoke[i].place / 3;
    }
}

static bool listEdges(Memory *memory, Features *f)
{
    Spoke *spoke = ALLOCATE(memory, Spoke, 3 * (size_t)f->count);
    f->edge = ALLOCATE(memory, int, 6 * (size_t)f->count);
    f->beside = ALLOCATE(memory, int, 6 * (size_t)f->count);
    f->across = ALLOCATE(memory, int, 3 * (size_t)f->count);
    if (spoke == NULL || f->edge == NULL || f->beside == NULL || f->across == NULL)
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
    pairSpokes(f, spoke, spokes);
    memoryRelease(memory, spoke);
    return true;
}

// ---- the tree -------------------------------------------------------------------------------------------------------

static int plantNode(Features *f, const double *middle, int first, int end)
{
    int number = f->nodeCount++;
    FeatureNode *node = &f->node[number];
    if (end - first <= FEATURES_LEAF)
    {
        *node = (FeatureNode){ .first = first, .count = end - first };
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

// ---- packs ----------------------------------------------------------------------------------------------------------

// the next feature of a kind in a leaf
static void pack(Features *f, FeatureNode *leaf, FeatureKind kind, int number, const int *corner, int corners)
{
    int lane = leaf->lanes[kind] % BOX_LANES;
    if (lane == 0)
    {
        BoxPack *fresh = &f->pack[leaf->pack[kind] + leaf->lanes[kind] / BOX_LANES];
        for (int i = 0; i < BOX_LANES; ++i)
            fresh->number[i] = fresh->corner[0][i] = fresh->corner[1][i] = fresh->corner[2][i] = -1;
    }
    BoxPack *to = &f->pack[leaf->pack[kind] + leaf->lanes[kind]++ / BOX_LANES];
    to->number[lane] = number;
    for (int k = 0; k < corners && corner[k] >= 0; ++k)
        to->corner[k][lane] = corner[k];
}

// what a leaf has of each kind
static void countLanes(const Features *f, const FeatureNode *node, int count[FEATURE_KINDS])
{
    memset(count, 0, FEATURE_KINDS * sizeof(int));
    for (int i = node->first; i < node->first + node->count; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            int edge = f->ownEdge[3 * f->order[i] + k];
            count[FEATURE_VERTEX] += f->ownVertex[3 * f->order[i] + k] >= 0;
            count[FEATURE_EDGE] += edge >= 0;
            count[FEATURE_RIDGE] += edge >= 0 && f->sharp[edge];
        }
    }
    count[FEATURE_FACET] = node->count;
}

static bool packLeaves(Memory *memory, Features *f)
{
    for (int i = 0; i < f->nodeCount; ++i)
    {
        int count[FEATURE_KINDS];
        countLanes(f, &f->node[i], count);
        for (int kind = 0; kind < FEATURE_KINDS; ++kind)
        {
            f->node[i].pack[kind] = f->packCount;
            f->packCount += (count[kind] + BOX_LANES - 1) / BOX_LANES;
        }
    }
    f->pack = ALLOCATE(memory, BoxPack, maxInt(f->packCount, 1));
    if (f->pack == NULL)
        return false;
    for (int i = 0; i < f->nodeCount; ++i)
    {
        FeatureNode *node = &f->node[i];
        for (int k = 3 * node->first; k < 3 * (node->first + node->count); ++k)
        {
            int facet = f->order[k / 3], vertex = f->ownVertex[3 * facet + k % 3], edge = f->ownEdge[3 * facet + k % 3];
            if (vertex >= 0)
                pack(f, node, FEATURE_VERTEX, vertex, &vertex, 1);
            if (edge >= 0)
                pack(f, node, FEATURE_EDGE, edge, f->edge + 2 * (ptrdiff_t)edge, 2);
            if (edge >= 0 && f->sharp[edge])
                pack(f, node, FEATURE_RIDGE, edge, f->edge + 2 * (ptrdiff_t)edge, 2);
            if (k % 3 == 0)
                pack(f, node, FEATURE_FACET, facet, f->corner + 3 * (ptrdiff_t)facet, 3);
        }
    }
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

static Vec3 facetNormal(const Features *f, int facet, const double *rest)
{
    const int *corner = f->corner + 3 * (ptrdiff_t)facet;
    Vec3 a = vecLoad(rest + 3 * (ptrdiff_t)corner[0]), b = vecLoad(rest + 3 * (ptrdiff_t)corner[1]);
    Vec3 n = vecCross(vecSub(b, a), vecSub(vecLoad(rest + 3 * (ptrdiff_t)corner[2]), a));
    return vecScale(1 / vecLength(n), n);
}

static bool findSharp(Memory *memory, Features *f, const double *rest)
{
    f->sharp = ALLOCATE(memory, bool, maxInt(f->edgeCount, 1));
    for (int e = 0; f->sharp != NULL && e < f->edgeCount; ++e)
    {
        const int *beside = f->beside + 2 * (ptrdiff_t)e, *corner = f->corner + 3 * (ptrdiff_t)beside[0];
        if (beside[1] < 0 || corner[2] < 0) // a rim, or a segment of a rope
            continue;
        Vec3 n = facetNormal(f, beside[0], rest), other = facetNormal(f, beside[1], rest), middle = vec3(0, 0, 0);
        for (int k = 0; k < 3; ++k)
            middle = vecAdd(middle, vecScale(1.0 / 3, vecLoad(rest + 3 * (ptrdiff_t)f->corner[3 * beside[1] + k])));
        bool convex = vecDot(n, vecSub(middle, vecLoad(rest + 3 * (ptrdiff_t)corner[0]))) < 0;
        f->sharp[e] = convex && vecDot(n, other) < SHARP;
    }
    return f->sharp != NULL;
}

static bool reserve(Memory *memory, Features *f)
{
    size_t facets = (size_t)maxInt(f->count, 1), vertices = (size_t)f->vertexCount;
    f->corner = ALLOCATE(memory, int, 3 * facets);
    f->ownVertex = ALLOCATE(memory, int, 3 * facets);
    f->ownEdge = ALLOCATE(memory, int, 3 * facets);
    f->surface = ALLOCATE(memory, int, vertices);
    f->box = ALLOCATE(memory, float, 8 * vertices);
    f->node = ALLOCATE(memory, FeatureNode, facets / (FEATURES_LEAF / 4) + 1); // leaves are half full at least
    f->order = ALLOCATE(memory, int, facets);
    return f->corner && f->ownVertex && f->ownEdge && f->surface && f->box && f->node && f->order;
}

Features *featuresCreate(Memory *memory, const CollisionMesh *mesh, int corners, int count, const int *facet)
{
    Features *f = ALLOCATE(memory, Features, 1);
    if (f == NULL)
        return NULL;
    f->isa = isaBest();
    f->count = count;
    f->vertexCount = mesh->vertexCount;
    bool ok = reserve(memory, f);
    for (int i = 0; ok && i < 3 * count; ++i)
        f->corner[i] = i % 3 < corners ? facet[i / 3 * corners + i % 3] : -1;
    if (ok)
        ownVertices(f);
    ok = ok && listEdges(memory, f) && plant(memory, f, mesh->rest);
    ok = ok && findSharp(memory, f, mesh->rest) && packLeaves(memory, f) && flatCreate(memory, f, mesh->rest);
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
    memoryRelease(memory, f->across);
    memoryRelease(memory, f->sharp);
    memoryRelease(memory, f->surface);
    memoryRelease(memory, f->box);
    memoryRelease(memory, f->pack);
    memoryRelease(memory, f->node);
    memoryRelease(memory, f->order);
    flatDestroy(memory, f->flat);
    memoryRelease(memory, f);
}
