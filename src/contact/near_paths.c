// Where a list of pairs is made every vertex gets a straight path, as far ahead as it stays short; the list holds for a
// vertex while it stays within a slack of its path. Those that stray, or whose path ends, get a new one, and the pairs
// of theirs are looked for again. Paths are those against the mean of all vertices: a displacement that is common to
// all changes nothing between them.
#include "contact/proximity.h"

#define SLACK 0.06     // edges: the least slack of a path,
#define STRAY 0.04     //   and of its length;
#define CALM 0.02      // edges: less, of what lies on another and has not strayed in the step, so that edges of sheets
#define CALM_STRAY 0.3 //   that lie on each other do not come into range; and of its length
#define SOON 0.5       // of the slack: where some stray, those that used as much get new paths along with them
#define PATH 3         // edges: how far ahead a path is followed
#define LATE 1e-9      // of the length of a path: by which its end may be missed
#define FORESEEN 1.5   // of a displacement that takes no time
#define SHEET_ROOM 0.2 // edges: the least thickness of sheets, as of pair contacts (pairs.c)

// ---- who meets ------------------------------------------------------------------------------------------------------

double nearRadius(const CollisionMesh *a, const CollisionMesh *b)
{
    double edge =
        maxReal(a->closed || a->triangleCount == 0 ? 0 : a->edge, b->closed || b->triangleCount == 0 ? 0 : b->edge);
    return maxReal(a->radius + b->radius, SHEET_ROOM * edge);
}

bool nearMayMeet(const CollisionMesh *a, const CollisionMesh *b)
{
    return collisionMeshesCollide(a, b) && !(a->closed && b->closed);
}

// ---- vertices in tasks ----------------------------------------------------------------------------------------------

#define SLICE 1024 // vertices of one task

typedef struct SliceRun
{
    NearSlice slice;
    NearSliceTask task;
    bool surfaces;
    int first; // number of the first task of this run
    int count[WORKERS_MOST_TASKS];
    double largest[WORKERS_MOST_TASKS];
} SliceRun;

static int slicesOf(int count)
{
    return (count + SLICE - 1) / SLICE;
}

static void sliceTask(void *context, int task)
{
    SliceRun *run = context;
    const Proximity *p = run->slice.proximity;
    NearSlice slice = run->slice;
    int number = run->first + task, count = p->vertexCount, body = 0;
    for (; run->surfaces && number >= slicesOf(p->body[body].mesh->surfaceCount); ++body)
        number -= slicesOf(p->body[body].mesh->surfaceCount);
    if (run->surfaces)
    {
        slice.body = &p->body[body];
        count = slice.body->mesh->surfaceCount;
    }
    slice.begin = number * SLICE;
    slice.end = minInt(slice.begin + SLICE, count);
    run->count[task] = run->task(&slice);
    run->largest[task] = slice.largest;
}

static int runSlices(SliceRun *run, int tasks, double *largest)
{
    int count = 0;
    for (run->first = 0; run->first < tasks; run->first += WORKERS_MOST_TASKS)
    {
        int now = minInt(tasks - run->first, WORKERS_MOST_TASKS);
        workersRun(run->slice.view->workers, now, sliceTask, run);
        for (int t = 0; t < now; ++t)
        {
            count += run->count[t];
            *largest = maxReal(*largest, run->largest[t]);
        }
    }
    return count;
}

int nearEachVertex(Proximity *p, const ProximityView *view, NearSliceTask task, const void *context, double *largest)
{
    SliceRun run = { .slice = { .proximity = p, .view = view, .context = context }, .task = task };
    *largest = 0;
    return runSlices(&run, slicesOf(p->vertexCount), largest);
}

int nearEachSurface(Proximity *p, const ProximityView *view, NearSliceTask task, const void *context)
{
    SliceRun run = { .slice = { .proximity = p, .view = view, .context = context }, .task = task, .surfaces = true };
    double largest = 0;
    int tasks = 0;
    for (int b = 0; b < p->bodyCount; ++b)
        tasks += slicesOf(p->body[b].mesh->surfaceCount);
    return runSlices(&run, tasks, &largest);
}

// ---- paths ----------------------------------------------------------------------------------------------------------

// m: the means of all vertices where a substep starts and ends
typedef struct Middles
{
    Vec3 start, end;
} Middles;

static Vec3 middleOf(const Proximity *p, const double *x)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int v = 0; v < p->vertexCount; ++v)
        sum = vecAdd(sum, vecLoad(x + 3 * (ptrdiff_t)v));
    return vecScale(1.0 / p->vertexCount, sum);
}

static Middles middlesOf(const Proximity *p, const ProximityView *view)
{
    return (Middles){ middleOf(p, view->x), middleOf(p, view->to) };
}

// the share of its slack that a vertex is off its path; `time`: s, before the end of the step
static double shareOff(const NearPath *path, Vec3 at, double time)
{
    Vec3 off = vecSub(vecSub(at, path->from), vecScale(path->begin - time, path->rate));
    bool within = time <= path->begin && time >= path->end;
    return within ? vecDot(off, off) / (path->slack * path->slack) : INFINITY;
}
// those that have left their slack, and those that have used much of it
static int markStrays(NearSlice *slice)
{
    const Proximity *p = slice->proximity;
    const ProximityView *view = slice->view;
    const Middles *middles = slice->context;
    int count = 0;
    for (int i = slice->begin; i < slice->end; ++i)
    {
        int v = slice->body->offset + slice->body->mesh->vertex[i];
        Vec3 x = vecSub(vecLoad(view->x + 3 * (ptrdiff_t)v), middles->start);
        Vec3 to = vecSub(vecLoad(view->to + 3 * (ptrdiff_t)v), middles->end);
        double off = maxReal(shareOff(&p->path[v], x, view->ahead), shareOff(&p->path[v], to, view->ahead - view->h));
        int mark = (off <= 1 ? 0 : STRAY_VERTEX) | (off <= SOON * SOON ? 0 : SOON_VERTEX);
        p->crossed[v] = (unsigned char)((p->crossed[v] & ~(STRAY_VERTEX | SOON_VERTEX)) | mark);
        count += !(off <= 1);
    }
    return count;
}

static int markSoon(NearSlice *slice)
{
    int count = 0;
    for (int i = slice->begin; i < slice->end; ++i)
    {
        unsigned char *mark = &slice->proximity->crossed[slice->body->offset + slice->body->mesh->vertex[i]];
        *mark |= *mark & SOON_VERTEX ? STRAY_VERTEX : 0;
        count += (*mark & STRAY_VERTEX) != 0;
    }
    return count;
}

int nearStrays(Proximity *p, const ProximityView *view)
{
    if (!p->known)
        return p->vertexCount;
    Middles middles = middlesOf(p, view);
    int count = nearEachSurface(p, view, markStrays, &middles);
    return count > 0 ? nearEachSurface(p, view, markSoon, NULL) : 0;
}

// it had something near it where the step began
static bool hasPartner(const CollisionMesh *mesh, int surface)
{
    bool any = false;
    for (int k = 0; k < PAIR_CONTACTS && mesh->contactCount > 0; ++k)
        any |= mesh->partner[surface * PAIR_CONTACTS + k] >= 0;
    return any;
}

// `x`, `to`: against the means of all
static NearPath pathOf(const ProximityView *view, Vec3 x, Vec3 to, double edge, double reach, bool loosely, bool calm)
{
    Vec3 move = vecSub(to, x);
    NearPath path = { .from = x, .begin = view->ahead };
    double ahead = loosely ? view->h : view->ahead, length = vecLength(move);
    if (view->h > 0)
    {
        path.rate = vecScale(1 / view->h, move);
        ahead = minReal(ahead, maxReal(1, PATH * edge / length) * view->h);
        double way = ahead * length / view->h;
        path.slack = minReal(SLACK * edge + STRAY * way, calm ? CALM * edge + CALM_STRAY * way : INFINITY);
    }
    else
        path.slack = FORESEEN * length + SLACK * edge;
    path.slack += loosely ? reach : 0;
    path.end = view->ahead - ahead * (1 + LATE);
    return path;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

// m: the largest that a body keeps with another, or itself
static double largestRadius(const Proximity *p, const ProximityBody *body)
{
    double radius = 0;
    for (int b = 0; b < p->bodyCount; ++b)
    {
        if (nearMayMeet(body->mesh, p->body[b].mesh))
            radius = maxReal(radius, nearRadius(body->mesh, p->body[b].mesh));
    }
    return radius;
}

static void boxPath(Features *features, int vertex, const NearPath *path, double range)
{
    double from[3], way[3], lower[3], upper[3], pad = path->slack + range;
    vecStore(from, path->from);
    vecStore(way, vecScale(path->begin - path->end, path->rate));
    for (int a = 0; a < 3; ++a)
    {
        lower[a] = from[a] + minReal(way[a], 0) - pad;
        upper[a] = from[a] + maxReal(way[a], 0) + pad;
    }
    featuresSetBox(features, vertex, lower, upper);
}

typedef struct Making
{
    Middles middles;
    bool loosely, strays; // as of nearListMake; only of those that stray
} Making;

static int makePaths(NearSlice *slice)
{
    const Proximity *p = slice->proximity;
    const ProximityView *view = slice->view;
    const ProximityBody *body = slice->body;
    const Making *making = slice->context;
    Features *features = body->mesh->features;
    double range = 0.5 * NEAR_AROUND * largestRadius(p, body);
    for (int i = slice->begin; i < slice->end; ++i)
    {
        int own = body->mesh->vertex[i], v = body->offset + own;
        if (making->strays && !(p->crossed[v] & STRAY_VERTEX))
            continue;
        Vec3 x = vecSub(vecLoad(view->x + 3 * (ptrdiff_t)v), making->middles.start);
        Vec3 to = vecSub(vecLoad(view->to + 3 * (ptrdiff_t)v), making->middles.end);
        bool calm = !making->strays && hasPartner(body->mesh, i);
        p->path[v] = pathOf(view, x, to, features->length, p->reach[v], making->loosely, calm);
        boxPath(features, own, &p->path[v], range);
    }
    return 0;
}

static void makeAll(Proximity *p, const ProximityView *view, bool loosely, bool strays)
{
    Making making = { middlesOf(p, view), loosely, strays };
    nearEachSurface(p, view, makePaths, &making);
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        if (strays)
            featuresRefitMarked(body->mesh->features, p->crossed + body->offset, STRAY_VERTEX, view->workers);
        else
            featuresRefit(body->mesh->features, view->workers);
    }
    p->known = true;
}

void nearPathsMake(Proximity *p, const ProximityView *view, bool loosely)
{
    makeAll(p, view, loosely, false);
}

void nearPathsMend(Proximity *p, const ProximityView *view)
{
    makeAll(p, view, false, true);
}
