// Boxes of the features of a surface, and which of two surfaces overlap: a walk through two trees, then eight boxes at
// once. Boxes are rounded to single precision, which keeps the order of numbers: what overlapped does so still.
#include "contact/proximity.h"

#define ROUNDED 1e-6 // of the largest number of two boxes: what single precision leaves of their overlap, and more
#define STACK 256    // pairs of nodes: three for each of the 31 levels of two trees

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &boxKernels_avx2
#else
#define TABLE_AVX2 &boxKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &boxKernels_avx512
#else
#define TABLE_AVX512 &boxKernels_base
#endif

static const BoxKernels *const kernels[ISA_COUNT] = { &boxKernels_base, TABLE_AVX2, TABLE_AVX512 };

// ---- boxes ----------------------------------------------------------------------------------------------------------

void featuresSetBox(Features *f, int vertex, const double lower[3], const double upper[3])
{
    float *box = f->box + 8 * (ptrdiff_t)vertex;
    for (int a = 0; a < 3; ++a)
    {
        box[a] = (float)lower[a];
        box[4 + a] = (float)upper[a];
    }
}

void featuresBoxPath(CollisionMesh *mesh, int vertex, Vec3 x, Vec3 displacement)
{
    const double from[3] = { x.x, x.y, x.z }, way[3] = { displacement.x, displacement.y, displacement.z };
    double pad = broadPad(mesh) + BROAD_TURN * vecLength(displacement), lower[3], upper[3];
    for (int a = 0; a < 3; ++a)
    {
        lower[a] = minReal(from[a], from[a] + way[a]) - pad;
        upper[a] = maxReal(from[a], from[a] + way[a]) + pad;
    }
    featuresSetBox(mesh->features, vertex, lower, upper);
}

static void refitNode(const Features *f, FeatureNode *node)
{
    for (int a = 0; a < 3; ++a)
    {
        node->lower[a] = INFINITY;
        node->upper[a] = -INFINITY;
        for (int i = 0; i < node->lanes[FEATURE_FACET]; ++i)
        {
            const BoxPack *pack = &f->pack[node->pack[FEATURE_FACET] + i / BOX_LANES];
            node->lower[a] = minReal(node->lower[a], (double)pack->lower[a][i % BOX_LANES]);
            node->upper[a] = maxReal(node->upper[a], (double)pack->upper[a][i % BOX_LANES]);
        }
        for (int k = 0; k < 2 && node->count == 0; ++k)
        {
            const FeatureNode *child = &f->node[k ? node->right : node->left];
            node->lower[a] = minReal(node->lower[a], child->lower[a]);
            node->upper[a] = maxReal(node->upper[a], child->upper[a]);
        }
    }
}

// packs of a leaf are side by side
static int packsAt(const Features *f, int node)
{
    return (node + 1 < f->nodeCount ? f->node[node + 1].pack[0] : f->packCount) - f->node[node].pack[0];
}

static unsigned marksOf(const BoxPack *pack, const unsigned char *marks, unsigned char mark)
{
    unsigned bits = 0;
    for (int k = 0; k < 3 * BOX_LANES; ++k)
    {
        int v = pack->corner[k / BOX_LANES][k % BOX_LANES];
        bits |= (unsigned)(v >= 0 && (marks[v] & mark) != 0) << k % BOX_LANES;
    }
    return bits;
}

static bool hasMark(const Features *f, const FeatureNode *leaf, const unsigned char *marks, unsigned char mark)
{
    unsigned char all = 0;
    for (int i = 3 * leaf->first; i < 3 * (leaf->first + leaf->count); ++i)
    {
        int v = f->corner[3 * f->order[i / 3] + i % 3];
        all |= v >= 0 ? marks[v] : 0;
    }
    return (all & mark) != 0;
}

// of the features of a leaf; false: none has one
static bool markLeaf(Features *f, int leaf, const unsigned char *marks, unsigned char mark)
{
    BoxPack *pack = f->pack + f->node[leaf].pack[0];
    bool any = hasMark(f, &f->node[leaf], marks, mark);
    for (int i = 0; i < packsAt(f, leaf) && (any || f->node[leaf].marked); ++i)
        pack[i].marks = any ? marksOf(&pack[i], marks, mark) : 0;
    return any;
}

#define NODES 64 // of one task

// Leaves side by side, then the forks above them.
typedef struct Refit
{
    Features *features;
    const unsigned char *marks; // of vertices; NULL: all leaves
    unsigned char mark;
    int first; // number of the first task of this run
} Refit;

static void refitTask(void *context, int task)
{
    const Refit *refit = context;
    Features *f = refit->features;
    int begin = (refit->first + task) * NODES, end = minInt(begin + NODES, f->nodeCount);
    for (int i = begin; i < end; ++i)
    {
        FeatureNode *node = &f->node[i];
        if (node->count == 0)
            continue;
        if (refit->marks != NULL)
            node->marked = markLeaf(f, i, refit->marks, refit->mark);
        if (refit->marks != NULL && !node->marked)
            continue;
        kernels[f->isa]->refit(f->box, f->pack + node->pack[0], packsAt(f, i));
        refitNode(f, node);
    }
}

static void refitAll(Refit *refit, Workers *workers)
{
    Features *f = refit->features;
    int tasks = (f->nodeCount + NODES - 1) / NODES;
    for (refit->first = 0; refit->first < tasks; refit->first += WORKERS_MOST_TASKS)
        workersRun(workers, minInt(tasks - refit->first, WORKERS_MOST_TASKS), refitTask, refit);
    for (int i = f->nodeCount - 1; i >= 0; --i)
    {
        FeatureNode *node = &f->node[i];
        if (node->count > 0)
            continue;
        if (refit->marks != NULL)
            node->marked = f->node[node->left].marked || f->node[node->right].marked;
        if (refit->marks == NULL || node->marked)
            refitNode(f, node);
    }
}

void featuresRefit(Features *f, Workers *workers)
{
    refitAll(&(Refit){ .features = f }, workers);
}

void featuresRefitMarked(Features *f, const unsigned char *marks, unsigned char mark, Workers *workers)
{
    refitAll(&(Refit){ .features = f, .marks = marks, .mark = mark }, workers);
}

// ---- meeting --------------------------------------------------------------------------------------------------------

static bool overlap(const FeatureNode *p, const FeatureNode *q)
{
    return p->lower[0] <= q->upper[0] && q->lower[0] <= p->upper[0] && p->lower[1] <= q->upper[1] &&
           q->lower[1] <= p->upper[1] && p->lower[2] <= q->upper[2] && q->lower[2] <= p->upper[2];
}

typedef struct NodePair
{
    int a, b;
} NodePair;

// the pairs of nodes that a pair of nodes falls into
static int split(const Features *a, const Features *b, NodePair at, NodePair *stack, int height)
{
    const FeatureNode *p = &a->node[at.a], *q = &b->node[at.b];
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

bool featuresMeet(const Features *a, const Features *b, bool marked, bool parted, LeafPair pair, void *context)
{
    NodePair stack[STACK];
    int height = 0;
    if (a->nodeCount > 0 && b->nodeCount > 0)
        stack[height++] = (NodePair){ 0, 0 };
    while (height > 0)
    {
        NodePair at = stack[--height];
        const FeatureNode *p = &a->node[at.a], *q = &b->node[at.b];
        if ((marked && !p->marked && !q->marked) || !overlap(p, q))
            continue;
        if (parted && a == b && flatParts(a, at.a, at.b))
            continue;
        if (p->count > 0 && q->count > 0)
        {
            if (pair(context, at.a, at.b))
                return true;
        }
        else
            height = split(a, b, at, stack, height);
    }
    return false;
}

static int packsOf(const FeatureNode *leaf, FeatureKind kind)
{
    return (leaf->lanes[kind] + BOX_LANES - 1) / BOX_LANES;
}

static double sizeOf(const FeatureNode *leaf) // m, the largest number of its box
{
    double size = 0;
    for (int k = 0; k < 3; ++k)
        size = maxReal(size, maxReal(fabs(leaf->lower[k]), fabs(leaf->upper[k])));
    return size;
}

int featuresPairs(const Features *a, int leafA, FeatureKind kindA, const Features *b, int leafB, FeatureKind kindB,
                  bool marked, double closer, BoxPair *pair)
{
    const FeatureNode *p = &a->node[leafA], *q = &b->node[leafB];
    BoxQuery query = { .a = a->pack + p->pack[kindA],
                       .b = b->pack + q->pack[kindB],
                       .countA = packsOf(p, kindA),
                       .countB = packsOf(q, kindB),
                       .closer = (float)maxReal(closer - ROUNDED * maxReal(sizeOf(p), sizeOf(q)), 0),
                       .within = a == b,
                       .marked = marked };
    for (int k = 0; k < 3; ++k)
    {
        query.lowerB[k] = (float)q->lower[k];
        query.upperB[k] = (float)q->upper[k];
    }
    return kernels[a->isa]->meet(&query, pair);
}
