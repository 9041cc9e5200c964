// Where a list of pairs is made every vertex gets a straight path, as far ahead as it stays short; the list holds for a
// vertex while it stays within a slack of its path. Those that stray, or whose path ends, get a new one, and the pairs
// of theirs are looked for again. Paths are those against the mean of all vertices: a displacement that is common to
// all changes nothing between them.
#include "contact/proximity.h"

#define SLACK 0.06     // edges: the least slack of a path,
#define STRAY 0.04     //   and of its length
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

// ---- paths ----------------------------------------------------------------------------------------------------------

static Vec3 middleOf(const Proximity *p, const double *x)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int v = 0; v < p->vertexCount; ++v)
        sum = vecAdd(sum, vecLoad(x + 3 * (ptrdiff_t)v));
    return vecScale(1.0 / p->vertexCount, sum);
}

// `time`: s, before the end of the step
static bool follows(const NearPath *path, Vec3 at, double time)
{
    Vec3 off = vecSub(vecSub(at, path->from), vecScale(path->begin - time, path->rate));
    return time <= path->begin && time >= path->end && vecDot(off, off) <= path->slack * path->slack;
}

int nearStrays(Proximity *p, const ProximityView *view)
{
    Vec3 start = middleOf(p, view->x), end = middleOf(p, view->to);
    int count = 0;
    if (!p->known)
        return p->vertexCount;
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        for (int i = 0; i < body->mesh->surfaceCount; ++i)
        {
            int v = body->offset + body->mesh->vertex[i];
            Vec3 x = vecSub(vecLoad(view->x + 3 * (ptrdiff_t)v), start);
            Vec3 to = vecSub(vecLoad(view->to + 3 * (ptrdiff_t)v), end);
            bool stays = follows(&p->path[v], x, view->ahead) && follows(&p->path[v], to, view->ahead - view->h);
            p->crossed[v] = (unsigned char)((p->crossed[v] & ~STRAY_VERTEX) | (stays ? 0 : STRAY_VERTEX));
            count += !stays;
        }
    }
    return count;
}

// `x`, `to`: against the means of all
static NearPath pathOf(const ProximityView *view, Vec3 x, Vec3 to, double edge, double reach, bool loosely)
{
    Vec3 move = vecSub(to, x);
    NearPath path = { .from = x, .begin = view->ahead };
    double ahead = loosely ? view->h : view->ahead, length = vecLength(move);
    if (view->h > 0)
    {
        path.rate = vecScale(1 / view->h, move);
        ahead = minReal(ahead, maxReal(1, PATH * edge / length) * view->h);
        path.slack = STRAY * ahead * length / view->h;
    }
    else
        path.slack = FORESEEN * length;
    path.slack += SLACK * edge + (loosely ? reach : 0);
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

static void makePaths(Proximity *p, const ProximityView *view, bool loosely, bool strays)
{
    Vec3 start = middleOf(p, view->x), end = middleOf(p, view->to);
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        Features *features = body->mesh->features;
        double range = 0.5 * NEAR_AROUND * largestRadius(p, body);
        for (int i = 0; i < body->mesh->surfaceCount; ++i)
        {
            int own = body->mesh->vertex[i], v = body->offset + own;
            if (strays && !(p->crossed[v] & STRAY_VERTEX))
                continue;
            Vec3 x = vecSub(vecLoad(view->x + 3 * (ptrdiff_t)v), start);
            Vec3 to = vecSub(vecLoad(view->to + 3 * (ptrdiff_t)v), end);
            p->path[v] = pathOf(view, x, to, features->length, p->reach[v], loosely);
            boxPath(features, own, &p->path[v], range);
        }
        if (strays)
            featuresRefitMarked(features, p->crossed + body->offset, STRAY_VERTEX);
        else
            featuresRefit(features);
    }
    p->known = true;
}

void nearPathsMake(Proximity *p, const ProximityView *view, bool loosely)
{
    makePaths(p, view, loosely, false);
}

void nearPathsMend(Proximity *p, const ProximityView *view)
{
    makePaths(p, view, false, true);
}
