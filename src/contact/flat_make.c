// The plane of a sheet that is flat at rest, and windows around the nodes of its tree (flat.c says what they are for).
#include "contact/flat.h"

#include <math.h>

#define FLATNESS 1e-6 // of the size: by which a flat sheet may leave its plane; rad, by which its rim may be concave
#define WINDOW 256    // facets of a node, at most

// ---- the plane ------------------------------------------------------------------------------------------------------

// The rest shape in its plane, for the time of making.
typedef struct Plan
{
    const Features *features;
    double *at;   // vertexCount x 2, m
    double *rect; // nodes x 4, m: lower, upper
} Plan;

static Vec3 areaOf(const Features *f, const double *rest, int facet)
{
    Vec3 at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = vecLoad(rest + 3 * (ptrdiff_t)f->corner[3 * facet + k]);
    return vecCross(vecSub(at[1], at[0]), vecSub(at[2], at[0]));
}

// false: it is not flat
static bool layDown(Plan *plan, const double *rest)
{
    const Features *f = plan->features;
    Vec3 normal = vec3(0, 0, 0), origin = vecLoad(rest + 3 * (ptrdiff_t)f->corner[0]);
    double far = 0, off = 0;
    for (int t = 0; t < f->count; ++t)
        normal = vecAdd(normal, areaOf(f, rest, t));
    if (!(vecLength(normal) > 0))
        return false;
    normal = vecScale(1 / vecLength(normal), normal);
    Vec3 axis = fabs(normal.x) < 0.6 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    Vec3 u = vecSub(axis, vecScale(vecDot(axis, normal), normal));
    u = vecScale(1 / vecLength(u), u);
    Vec3 w = vecCross(normal, u);
    for (int i = 0; i < 3 * f->count; ++i)
    {
        ptrdiff_t v = f->corner[i];
        Vec3 r = vecSub(vecLoad(rest + 3 * v), origin);
        plan->at[2 * v] = vecDot(r, u);
        plan->at[2 * v + 1] = vecDot(r, w);
        far = maxReal(far, vecLength(r));
        off = maxReal(off, fabs(vecDot(r, normal)));
    }
    return off <= FLATNESS * far;
}

static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// of a facet: twice its area
static double spread(const Plan *plan, int facet)
{
    const int *corner = plan->features->corner + 3 * (ptrdiff_t)facet;
    return turn(plan->at + 2 * (ptrdiff_t)corner[0], plan->at + 2 * (ptrdiff_t)corner[1],
                plan->at + 2 * (ptrdiff_t)corner[2]);
}

// the rim, as what follows on each vertex; false: a vertex or an edge has more than one place in it
static bool findRim(const Features *f, int *next)
{
    int sides = 0, rim = 0;
    for (int v = 0; v < f->vertexCount; ++v)
        next[v] = -1;
    for (int e = 0; e < f->edgeCount; ++e)
    {
        const int *beside = f->beside + 2 * (ptrdiff_t)e, *edge = f->edge + 2 * (ptrdiff_t)e;
        bool ahead[2] = { false, false };
        for (int k = 0; k < 2 && beside[k] >= 0; ++k)
        {
            const int *corner = f->corner + 3 * (ptrdiff_t)beside[k];
            for (int c = 0; c < 3; ++c)
                ahead[k] |= corner[c] == edge[0] && corner[(c + 1) % 3] == edge[1];
        }
        sides += beside[1] < 0 ? 1 : 2;
        if (beside[1] >= 0 && ahead[0] == ahead[1])
            return false;
        if (beside[1] >= 0)
            continue;
        int from = edge[ahead[0] ? 0 : 1], to = edge[ahead[0] ? 1 : 0];
        if (next[from] >= 0)
            return false;
        next[from] = to;
        rim += 1;
    }
    return sides == 3 * f->count && rim > 2; // else an edge has more than two facets
}

// The rim is one convex polygon that goes around once, so that facets that all turn the same way cover it once.
static bool isConvex(const Plan *plan, const int *next)
{
    const double *at = plan->at;
    double middle[2] = { 0, 0 };
    int count = 0, first = -1, walked = 0, rounds = 0;
    for (int v = 0; v < plan->features->vertexCount; ++v)
    {
        if (next[v] < 0)
            continue;
        first = v;
        middle[0] += at[2 * v];
        middle[1] += at[2 * v + 1];
        count += 1;
    }
    middle[0] /= count;
    middle[1] /= count;
    int v = first;
    do
    {
        int w = next[v];
        if (w < 0 || next[w] < 0)
            return false;
        const double *a = at + 2 * (ptrdiff_t)v, *b = at + 2 * (ptrdiff_t)w, *c = at + 2 * (ptrdiff_t)next[w];
        double lengths = hypot(b[0] - a[0], b[1] - a[1]) * hypot(c[0] - b[0], c[1] - b[1]);
        if (turn(a, b, c) < -FLATNESS * lengths || !(turn(middle, a, b) > 0))
            return false;
        rounds += a[1] < middle[1] && b[1] >= middle[1];
        v = w;
        walked += 1;
    } while (v != first && walked <= count);
    return walked == count && rounds == 1;
}

static bool isFlat(Memory *memory, Plan *plan, const double *rest)
{
    const Features *f = plan->features;
    int *next = ALLOCATE(memory, int, f->vertexCount);
    bool flat = next != NULL && layDown(plan, rest);
    for (int t = 0; t < f->count && flat; ++t)
        flat = spread(plan, t) > 0;
    flat = flat && findRim(f, next) && isConvex(plan, next);
    memoryRelease(memory, next);
    return flat;
}

// ---- making ---------------------------------------------------------------------------------------------------------

// m: of the corners of a facet from the sides that face them, at least
static double leastHeight(const Plan *plan, int facet)
{
    const int *corner = plan->features->corner + 3 * (ptrdiff_t)facet;
    double least = INFINITY;
    for (int k = 0; k < 3; ++k)
    {
        const double *p = plan->at + 2 * (ptrdiff_t)corner[k];
        const double *a = plan->at + 2 * (ptrdiff_t)corner[(k + 1) % 3];
        const double *b = plan->at + 2 * (ptrdiff_t)corner[(k + 2) % 3];
        double side[2] = { b[0] - a[0], b[1] - a[1] }, to[2] = { p[0] - a[0], p[1] - a[1] };
        double share = (side[0] * to[0] + side[1] * to[1]) / (side[0] * side[0] + side[1] * side[1]);
        share = minReal(maxReal(share, 0), 1);
        double u = to[0] - share * side[0], w = to[1] - share * side[1];
        least = minReal(least, sqrt(u * u + w * w));
    }
    return least;
}

static void packLeaf(const Plan *plan, const FeatureNode *node, FlatPack *pack)
{
    const Features *f = plan->features;
    for (int i = 0; i < FEATURES_LEAF; ++i)
    {
        const int *corner = f->corner + 3 * (ptrdiff_t)f->order[node->first + (i < node->count ? i : 0)];
        FlatPack *to = &pack[i / FLAT_LANES];
        int lane = i % FLAT_LANES;
        const double *a = plan->at + 2 * (ptrdiff_t)corner[0];
        const double *b = plan->at + 2 * (ptrdiff_t)corner[1], *c = plan->at + 2 * (ptrdiff_t)corner[2];
        double det = turn(a, b, c);
        for (int k = 0; k < 3; ++k)
            to->corner[k][lane] = corner[k];
        to->inverse[0][lane] = (float)((c[1] - a[1]) / det);
        to->inverse[1][lane] = (float)((a[0] - c[0]) / det);
        to->inverse[2][lane] = (float)((a[1] - b[1]) / det);
        to->inverse[3][lane] = (float)((b[0] - a[0]) / det);
    }
}

static void boundNodes(const Plan *plan)
{
    const Features *f = plan->features;
    for (int n = f->nodeCount - 1; n >= 0; --n)
    {
        double *rect = plan->rect + 4 * (ptrdiff_t)n;
        const FeatureNode *node = &f->node[n];
        for (int a = 0; a < 2; ++a)
        {
            rect[a] = INFINITY;
            rect[2 + a] = -INFINITY;
            for (int k = 0; k < 2 && node->count == 0; ++k)
            {
                const double *child = plan->rect + 4 * (ptrdiff_t)(k ? node->right : node->left);
                rect[a] = minReal(rect[a], child[a]);
                rect[2 + a] = maxReal(rect[2 + a], child[2 + a]);
            }
            for (int i = 3 * node->first; i < 3 * (node->first + node->count); ++i)
            {
                double at = plan->at[2 * (ptrdiff_t)f->corner[3 * f->order[i / 3] + i % 3] + a];
                rect[a] = minReal(rect[a], at);
                rect[2 + a] = maxReal(rect[2 + a], at);
            }
        }
    }
}

// the leaves below a node that a window meets; returns how many
static int gatherNear(const Plan *plan, const Flat *flat, const FlatWindow *window, int node, int *near)
{
    const FeatureNode *at = &plan->features->node[node];
    const double *rect = plan->rect + 4 * (ptrdiff_t)node;
    for (int a = 0; a < 2; ++a)
    {
        if (rect[a] > window->upper[a] + flat->margin || rect[2 + a] < window->lower[a] - flat->margin)
            return 0;
    }
    if (at->count > 0)
    {
        if (near != NULL)
            *near = flat->window[flat->number[node]].leaf;
        return 1;
    }
    int count = gatherNear(plan, flat, window, at->left, near);
    return count + gatherNear(plan, flat, window, at->right, near != NULL ? near + count : NULL);
}

// false: out of memory
static bool findNear(Memory *memory, const Plan *plan, Flat *flat)
{
    int count = 0;
    for (int i = 0; i < flat->windowCount; ++i)
    {
        flat->window[i].nearBegin = count;
        count += gatherNear(plan, flat, &flat->window[i], 0, NULL);
        flat->window[i].nearEnd = count;
    }
    flat->near = ALLOCATE(memory, int, count);
    for (int i = 0; i < flat->windowCount && flat->near != NULL; ++i)
    {
        FlatWindow *window = &flat->window[i];
        gatherNear(plan, flat, window, 0, flat->near + window->nearBegin);
        window->least = INFINITY;
        for (int k = window->nearBegin; k < window->nearEnd; ++k)
            window->least = minReal(window->least, flat->leaf[flat->near[k]].least);
    }
    return flat->near != NULL;
}

// facets below a node; windows of it and what is below, if it is not too large
static int openWindows(const Plan *plan, Flat *flat, int node, int *facets)
{
    const FeatureNode *at = &plan->features->node[node];
    facets[node] = at->count;
    if (at->count == 0)
        facets[node] = openWindows(plan, flat, at->left, facets) + openWindows(plan, flat, at->right, facets);
    flat->windowCount += facets[node] <= WINDOW;
    flat->leafCount += at->count > 0;
    return facets[node];
}

static void openLeaf(const Plan *plan, Flat *flat, FlatWindow *window)
{
    const Features *f = plan->features;
    const FeatureNode *node = &f->node[window->node];
    FlatLeaf *leaf = &flat->leaf[window->leaf = flat->leafCount++];
    leaf->node = window->node;
    leaf->least = INFINITY;
    for (int i = node->first; i < node->first + node->count; ++i)
        leaf->least = minReal(leaf->least, leastHeight(plan, f->order[i]));
    for (int i = 3 * node->first; i < 3 * (node->first + node->count); ++i)
    {
        int vertex = f->ownVertex[3 * f->order[i / 3] + i % 3];
        if (vertex >= 0)
            flat->home[vertex] = window->leaf;
    }
    packLeaf(plan, node, flat->pack + (ptrdiff_t)window->leaf * FLAT_PACKS);
    for (int a = 0; a < 2; ++a)
        flat->margin = maxReal(flat->margin, window->upper[a] - window->lower[a]);
}

// of all nodes in their order, which has those below behind
static void fillWindows(const Plan *plan, Flat *flat, const int *facets)
{
    const Features *f = plan->features;
    flat->leafCount = flat->windowCount = 0;
    for (int n = 0; n < f->nodeCount; ++n)
        flat->number[n] = facets[n] <= WINDOW ? flat->windowCount++ : -1;
    for (int n = 0; n < f->nodeCount; ++n)
    {
        const double *rect = plan->rect + 4 * (ptrdiff_t)n;
        if (flat->number[n] < 0)
            continue;
        FlatWindow *window = &flat->window[flat->number[n]];
        *window = (FlatWindow){
            .node = n, .leaf = -1, .lower = { rect[0], rect[1] }, .upper = { rect[2], rect[3] }, .cover = -1
        };
        if (f->node[n].count > 0)
            openLeaf(plan, flat, window);
        else
        {
            window->left = flat->number[f->node[n].left];
            window->right = flat->number[f->node[n].right];
        }
    }
    bool none = flat->number[0] < 0;
    for (int n = 0; n < f->nodeCount; ++n)
    {
        const FeatureNode *node = &f->node[n];
        for (int k = 0; k < 2 && flat->number[n] < 0; ++k)
        {
            int child = flat->number[k ? node->right : node->left];
            if (child >= 0)
                flat->top[flat->topCount++] = child;
        }
    }
    if (!none)
        flat->top[flat->topCount++] = 0;
}

static bool build(Memory *memory, const Plan *plan, Flat *flat)
{
    const Features *f = plan->features;
    int *facets = ALLOCATE(memory, int, f->nodeCount);
    flat->number = ALLOCATE(memory, int, f->nodeCount);
    if (facets != NULL && flat->number != NULL)
        openWindows(plan, flat, 0, facets);
    flat->window = ALLOCATE(memory, FlatWindow, flat->windowCount);
    flat->top = ALLOCATE(memory, int, flat->windowCount);
    flat->leaf = ALLOCATE(memory, FlatLeaf, flat->leafCount);
    flat->pack = ALLOCATE(memory, FlatPack, flat->leafCount * FLAT_PACKS);
    flat->busy = ALLOCATE(memory, bool, flat->leafCount);
    flat->home = ALLOCATE(memory, int, f->vertexCount);
    flat->row = ALLOCATE(memory, float, 8 * (size_t)f->vertexCount);
    bool ok = facets && flat->number && flat->window && flat->top && flat->leaf && flat->pack && flat->busy &&
              flat->home && flat->row;
    if (ok)
    {
        for (int v = 0; v < f->vertexCount; ++v)
            flat->home[v] = -1;
        boundNodes(plan);
        fillWindows(plan, flat, facets);
    }
    memoryRelease(memory, facets);
    return ok && findNear(memory, plan, flat);
}

bool flatCreate(Memory *memory, Features *features, const double *rest)
{
    Plan plan = { .features = features };
    if (features->count == 0 || features->corner[2] < 0)
        return true;
    plan.at = ALLOCATE(memory, double, 2 * (size_t)features->vertexCount);
    plan.rect = ALLOCATE(memory, double, 4 * (size_t)features->nodeCount);
    bool ok = plan.at != NULL && plan.rect != NULL;
    if (ok && isFlat(memory, &plan, rest))
    {
        features->flat = ALLOCATE(memory, Flat, 1);
        ok = features->flat != NULL && build(memory, &plan, features->flat);
    }
    memoryRelease(memory, plan.at);
    memoryRelease(memory, plan.rect);
    return ok;
}

void flatDestroy(Memory *memory, Flat *flat)
{
    if (flat == NULL)
        return;
    memoryRelease(memory, flat->number);
    memoryRelease(memory, flat->window);
    memoryRelease(memory, flat->top);
    memoryRelease(memory, flat->leaf);
    memoryRelease(memory, flat->near);
    memoryRelease(memory, flat->pack);
    memoryRelease(memory, flat->busy);
    memoryRelease(memory, flat->home);
    memoryRelease(memory, flat->row);
    memoryRelease(memory, flat);
}
