// Sheets that are flat and convex at rest: where nothing of such a sheet can come near something else of it. Take two
// points a and b of the plane, and the segment between them. With F the gradient of where the sheet is, and any R of
// two unit columns at right angles,
//
//   (x(b) - x(a)) . R (b - a) = integral of (b - a)^T R^T F (b - a) >= m |b - a|^2
//
// where m is the least eigenvalue of sym(R^T F) on the way, so that |x(b) - x(a)| >= m |b - a|. What has no corner in
// common is at least D apart in the plane, the least distance of a corner from the side that faces it: where m D is
// more than the range, no two features of the window come into range. The least eigenvalue is concave, and positions
// are linear in time: what holds where a substep starts and ends does so in between. Around each node of the tree there
// is a window, with an R that is near the mean of its F.
#include "contact/flat.h"

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

#define ANEW 1.2     // of what is needed: windows that held no more must have it
#define ROUNDED 1e-3 // of what is needed, for single precision
#define DOUBT 8      // of the doubt about places, in what is needed
#define LEAVES 64    // of one task
#define TOPS 4       // windows that are in no other, of one task

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
        float *mean = look->anew ? flat->leaf[i].mean : NULL;
        if (mean != NULL)
            memset(mean, 0, sizeof flat->leaf[i].mean);
        for (int k = 0; k < FLAT_PACKS; ++k)
            kernels[body->mesh->features->isa]->gradient(row, &flat->pack[i * FLAT_PACKS + k], mean);
    }
}

static Vec3 unit(Vec3 a)
{
    double length = vecLength(a);
    return length > 0 ? vecScale(1 / length, a) : a;
}

// Two unit columns at right angles, near the mean of a window; others where there are none, and tell less.
static void findFrame(const Flat *flat, FlatWindow *window)
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
        window->frame[i] = (float)numbers[i];
}

static bool holdsIn(const Features *f, const FlatWindow *window, double least)
{
    const Flat *flat = f->flat;
    FlatQuestion question = { .least = (float)least };
    bool holds = true;
    memcpy(question.frame, window->frame, sizeof question.frame);
    for (int k = window->nearBegin; k < window->nearEnd && holds; ++k)
        holds = kernels[f->isa]->holds(&question, flat->pack + (ptrdiff_t)flat->near[k] * FLAT_PACKS, FLAT_PACKS);
    return holds;
}

// What held is asked in the frame that it had, which turns little within a step; `more`: times what is needed
static bool windowHolds(const Look *look, const ProximityBody *body, FlatWindow *window, bool held, double more)
{
    const Features *f = body->mesh->features;
    double range = NEAR_AROUND * nearRadius(body->mesh, body->mesh);
    double least = (1 + ROUNDED) * (more * range + DOUBT * look->proximity->doubt) / window->least;
    if (!(least < 1))
        return false;
    if (held && holdsIn(f, window, least))
        return true;
    if (held && !look->anew)
        return false;
    findFrame(f->flat, window);
    return holdsIn(f, window, least);
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
    if ((held || anew) && windowHolds(look, body, window, held, held ? 1 : ANEW))
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
