// Sheets that are flat and convex at rest: where nothing of such a sheet can come near something else of it. Take two
// points a and b of the plane, and the segment between them. With F the gradient of where the sheet is, and any R of two
// unit columns at right angles,
//
//   (x(b) - x(a)) . R (b - a) = integral of (b - a)^T R^T F (b - a) >= m |b - a|^2
//
// where m is the least eigenvalue of sym(R^T F) on the way, so that |x(b) - x(a)| >= m |b - a|. What has no corner in
// common is at least D apart in the plane, the least distance of a corner from the side that faces it: where m D is more
// than the range, no two features of the window come into range. The least eigenvalue is concave, and positions are linear
// in time: what holds where a substep starts and ends does so in between. Around each leaf of the tree there is a
// window, with an R that is near the mean of its F.
#include "contact/proximity.h"

#include <math.h>
#include <string.h>

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &flatKernels_avx2
#else
#define TABLE_AVX2 &flatKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &flatKernels_avx512
#else
#define TABLE_AVX512 &flatKernels_base
#endif

static const FlatKernels *const kernels[ISA_COUNT] = { &flatKernels_base, TABLE_AVX2, TABLE_AVX512 };

#define FLATNESS 1e-6 // of the size at rest, by which a flat sheet may leave its plane; rad, by which its rim is concave
#define ANEW 1.2      // of what is needed: windows that held no more must have it
#define ROUNDED 1e-3  // of what is needed, for single precision
#define DOUBT 8       // of the doubt about places, in what is needed
#define PACKS (FEATURES_LEAF / FLAT_LANES)
#define WINDOW 256 // facets of a node, at most
#define LEAVES 64  // of one task
#define TOPS 4

// Around a node of the tree.
typedef struct FlatWindow
{
    int node;
    int leaf;                  // its number; -1: a fork, with
    int left, right;           //   windows of its own
    double lower[2], upper[2]; // m, at rest, of the node, in the plane
    int nearBegin, nearEnd;    // leaves that the window meets
    double least;              // m: D, of these
    int cover;                 // the largest window around it that holds, itself or that of a node above; -1: none
    bool lost;                 // that was larger, or around more
} FlatWindow;

// Of a leaf.
typedef struct FlatLeaf
{
    int node;
    double least;  // m: D, of its facets
    float mean[6]; // 1, the sum of F
} FlatLeaf;

struct Flat
{
    int *number;             // nodes: of windows; -1: it is too large for one
    int windowCount;         //
    FlatWindow *window;      // windowCount, children behind their parents
    int topCount, leafCount; //
    int *top;                // topCount: windows that are in no other
    FlatLeaf *leaf;          // leafCount
    FlatPack *pack;          // leafCount x PACKS
    bool *busy;              // leafCount: something of the sheet may be in range, where the step begins
    int *home;               // vertices: the leaf that they belong to; -1: none
    float *row;              // vertices x 8: room for where they are
    int *near;               // as of windows
    double margin;           // m, of windows around nodes
};

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
    int sides = 0, inner = 0, rim = 0;
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
        inner += beside[1] >= 0;
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
    packLeaf(plan, node, flat->pack + (ptrdiff_t)window->leaf * PACKS);
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
        *window = (FlatWindow){ .node = n,
                                .leaf = -1,
                                .lower = { rect[0], rect[1] },
                                .upper = { rect[2], rect[3] },
                                .cover = -1 };
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
    flat->pack = ALLOCATE(memory, FlatPack, flat->leafCount * PACKS);
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

// ---- a substep ------------------------------------------------------------------------------------------------------

typedef struct Look
{
    Proximity *proximity;
    bool anew; // windows that do not hold may do so again
    int first; // number of the first task of this run
} Look;

static bool takesPart(const ProximityBody *body)
{
    return body->mesh->features->flat != NULL && nearMayMeet(body->mesh, body->mesh);
}

// tasks of a body: of leaves, or of windows
static int slicesOf(const ProximityBody *body, bool leaves)
{
    const Flat *flat = body->mesh->features->flat;
    if (!takesPart(body))
        return 0;
    return leaves ? (flat->leafCount + LEAVES - 1) / LEAVES : (flat->topCount + TOPS - 1) / TOPS;
}

// the body of a task, and which of its tasks that is
static const ProximityBody *bodyOf(const Look *look, int *task, bool leaves)
{
    const ProximityBody *body = look->proximity->body;
    for (*task += look->first; *task >= slicesOf(body, leaves); ++body)
        *task -= slicesOf(body, leaves);
    return body;
}

static void gradientTask(void *context, int task)
{
    const Look *look = context;
    const ProximityBody *body = bodyOf(look, &task, true);
    Flat *flat = body->mesh->features->flat;
    const float *row = look->proximity->field + 8 * (ptrdiff_t)body->offset;
    for (int i = task * LEAVES; i < minInt((task + 1) * LEAVES, flat->leafCount); ++i)
    {
        memset(flat->leaf[i].mean, 0, sizeof flat->leaf[i].mean);
        for (int k = 0; k < PACKS; ++k)
            kernels[body->mesh->features->isa]->gradient(row, &flat->pack[i * PACKS + k], flat->leaf[i].mean);
    }
}

static Vec3 unit(Vec3 a)
{
    double length = vecLength(a);
    return length > 0 ? vecScale(1 / length, a) : a;
}

// Two unit columns at right angles, near the mean of a window; others where there are none, and tell less.
static void frameOf(const Flat *flat, const FlatWindow *window, float frame[6])
{
    float sum[6] = { 0 };
    for (int k = window->nearBegin; k < window->nearEnd; ++k)
    {
        for (int i = 0; i < 6; ++i)
            sum[i] += flat->leaf[flat->near[k]].mean[i];
    }
    Vec3 r = unit(vec3((double)sum[0], (double)sum[1], (double)sum[2]));
    Vec3 s = unit(vec3((double)sum[3], (double)sum[4], (double)sum[5]));
    Vec3 both = vecScale(sqrt(0.5), unit(vecAdd(r, s))), apart = vecScale(sqrt(0.5), unit(vecSub(r, s)));
    double numbers[6];
    vecStore(numbers, vecAdd(both, apart));
    vecStore(numbers + 3, vecSub(both, apart));
    for (int i = 0; i < 6; ++i)
        frame[i] = (float)numbers[i];
}

// `more`: times what is needed
static bool windowHolds(const Look *look, const ProximityBody *body, const FlatWindow *window, double more)
{
    const Features *f = body->mesh->features;
    const Flat *flat = f->flat;
    double range = NEAR_AROUND * nearRadius(body->mesh, body->mesh);
    double least = (1 + ROUNDED) * (more * range + DOUBT * look->proximity->doubt) / window->least;
    FlatQuestion question = { .least = (float)least };
    bool holds = least < 1;
    if (holds)
        frameOf(flat, window, question.frame);
    for (int k = window->nearBegin; k < window->nearEnd && holds; ++k)
        holds = kernels[f->isa]->holds(&question, flat->pack + (ptrdiff_t)flat->near[k] * PACKS, PACKS);
    return holds;
}

// all in a window that holds have it as their cover; -1: those that had one do not any more
static void coverAll(Flat *flat, int number, int cover)
{
    FlatWindow *window = &flat->window[number];
    window->lost |= cover < 0;
    window->cover = cover;
    if (window->leaf < 0)
    {
        coverAll(flat, window->left, cover);
        coverAll(flat, window->right, cover);
    }
}

// from large windows to small ones, until they hold; `anew`: also where they did not
static void settle(const Look *look, const ProximityBody *body, int number, bool anew)
{
    Flat *flat = body->mesh->features->flat;
    FlatWindow *window = &flat->window[number];
    bool held = window->cover == number;
    if ((held || anew) && windowHolds(look, body, window, held ? 1 : ANEW))
    {
        if (!held)
            coverAll(flat, number, number);
        return;
    }
    if (held)
        coverAll(flat, number, -1);
    if (window->leaf >= 0)
        return;
    settle(look, body, window->left, held || anew);
    settle(look, body, window->right, held || anew);
}

static void windowTask(void *context, int task)
{
    const Look *look = context;
    const ProximityBody *body = bodyOf(look, &task, false);
    const Flat *flat = body->mesh->features->flat;
    for (int i = task * TOPS; i < minInt((task + 1) * TOPS, flat->topCount); ++i)
    {
        if (!look->proximity->known)
            coverAll(body->mesh->features->flat, flat->top[i], -1);
        settle(look, body, flat->top[i], look->anew);
    }
}

static void runTasks(Look *look, const ProximityView *view, TaskFunction function, bool leaves)
{
    int count = 0;
    for (int b = 0; b < look->proximity->bodyCount; ++b)
        count += slicesOf(&look->proximity->body[b], leaves);
    for (look->first = 0; look->first < count; look->first += WORKERS_MOST_TASKS)
        workersRun(view->workers, minInt(count - look->first, WORKERS_MOST_TASKS), function, look);
}

// vertices of a leaf whose window became smaller stray: pairs of theirs are not in the list
static int markLost(Proximity *p, const ProximityBody *body, const FlatWindow *window)
{
    const Features *f = body->mesh->features;
    const FeatureNode *node = &f->node[window->node];
    int count = 0;
    for (int i = 3 * node->first; i < 3 * (node->first + node->count); ++i)
    {
        unsigned char *mark = &p->crossed[body->offset + f->corner[3 * f->order[i / 3] + i % 3]];
        count += (*mark & STRAY_VERTEX) == 0;
        *mark |= STRAY_VERTEX;
    }
    return count;
}

int flatLook(Proximity *p, const ProximityView *view, bool anew)
{
    Look look = { .proximity = p, .anew = anew };
    int strays = 0;
    runTasks(&look, view, gradientTask, true);
    runTasks(&look, view, windowTask, false);
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        const Flat *flat = takesPart(body) ? body->mesh->features->flat : NULL;
        for (int i = 0; flat != NULL && i < flat->windowCount; ++i)
        {
            if (flat->window[i].lost && flat->window[i].leaf >= 0 && p->known)
                strays += markLost(p, body, &flat->window[i]);
            flat->window[i].lost = false;
        }
    }
    return strays;
}

static bool covers(const Flat *flat, const FlatWindow *window, const FlatWindow *other)
{
    const FlatWindow *cover = window->cover >= 0 ? &flat->window[window->cover] : NULL;
    bool in = cover != NULL;
    for (int a = 0; a < 2 && in; ++a)
        in = other->lower[a] >= cover->lower[a] - flat->margin && other->upper[a] <= cover->upper[a] + flat->margin;
    return in;
}

bool flatParts(const Features *features, int nodeA, int nodeB)
{
    const Flat *flat = features->flat;
    if (flat == NULL || flat->number[nodeA] < 0 || flat->number[nodeB] < 0)
        return false;
    const FlatWindow *a = &flat->window[flat->number[nodeA]], *b = &flat->window[flat->number[nodeB]];
    return covers(flat, a, b) || covers(flat, b, a);
}

// ---- before a step --------------------------------------------------------------------------------------------------

static bool markBusy(void *context, int nodeA, int nodeB)
{
    const Flat *flat = context;
    flat->busy[flat->window[flat->number[nodeA]].leaf] = true;
    flat->busy[flat->window[flat->number[nodeB]].leaf] = true;
    return false;
}

// Where a sheet is thicker than its edges are long, boxes do not tell.
void flatFindAlone(CollisionMesh *mesh)
{
    Features *f = mesh->features;
    ProximityBody body = { .mesh = mesh };
    Proximity p = { .bodyCount = 1, .vertexCount = mesh->vertexCount, .body = &body };
    ProximityView view = { .x = mesh->x, .to = mesh->x };
    if (f->flat == NULL || !takesPart(&body))
        return;
    bool told = 2 * broadPad(mesh) > NEAR_AROUND * nearRadius(mesh, mesh);
    p.field = f->flat->row;
    for (int i = 0; i < f->flat->leafCount; ++i)
        f->flat->busy[i] = !told;
    nearFieldStill(&p, &view);
    flatLook(&p, &view, true);
    if (told)
        featuresMeet(f, f, false, true, markBusy, f->flat);
}

bool flatIsAlone(const Features *features, int vertex)
{
    const Flat *flat = features->flat;
    return flat != NULL && flat->home[vertex] >= 0 && !flat->busy[flat->home[vertex]];
}
