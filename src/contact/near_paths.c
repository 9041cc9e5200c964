// From where a list of pairs is made every vertex follows a straight path, as far ahead as paths stay short; the list
// holds while all stay within a slack of theirs. A displacement that is common to all vertices changes nothing between
// them, and does not count.
#include "contact/proximity.h"

#define SLACK 0.04     // edges: the least slack of a path,
#define STRAY 0.15     //   and of its length
#define PATH 0.7       // edges: how far ahead paths are followed
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

// `since`: s, after the list was made
static bool followsPaths(const Proximity *p, const double *x, double since)
{
    Vec3 shift = vecSub(vecSub(middleOf(p, x), p->middle), vecScale(since, p->drift));
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        for (int i = 0; i < body->mesh->surfaceCount; ++i)
        {
            int v = body->offset + body->mesh->vertex[i];
            const NearPath *path = &p->path[v];
            Vec3 off = vecSub(vecSub(vecLoad(x + 3 * (ptrdiff_t)v), path->from), vecScale(since, path->rate));
            off = vecSub(off, shift);
            if (!(vecDot(off, off) <= path->slack * path->slack))
                return false;
        }
    }
    return true;
}

bool nearListHolds(const Proximity *p, const ProximityView *view)
{
    double since = p->made - view->ahead, end = view->ahead - view->h;
    return p->known && end >= p->until && followsPaths(p, view->x, since) && followsPaths(p, view->to, since + view->h);
}

// s: so far ahead that no path is long, but a substep at least
static double horizon(const Proximity *p, const ProximityView *view)
{
    double ahead = view->ahead;
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        double longest = PATH * body->mesh->features->length;
        for (int i = 0; i < body->mesh->surfaceCount; ++i)
        {
            double rate = vecLength(vecSub(p->path[body->offset + body->mesh->vertex[i]].rate, p->drift));
            if (rate * ahead > longest)
                ahead = longest / rate;
        }
    }
    return maxReal(ahead, view->h);
}

// returns how long they are followed, s
static double findPaths(Proximity *p, const ProximityView *view, bool loosely)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int v = 0; v < p->vertexCount; ++v)
    {
        Vec3 x = vecLoad(view->x + 3 * (ptrdiff_t)v), move = vecSub(vecLoad(view->to + 3 * (ptrdiff_t)v), x);
        p->path[v] = (NearPath){ .from = x };
        if (view->h > 0)
            p->path[v].rate = vecScale(1 / view->h, move);
        else
            p->path[v].slack = FORESEEN * vecLength(move);
        sum = vecAdd(sum, p->path[v].rate);
    }
    p->middle = middleOf(p, view->x);
    p->drift = vecScale(1.0 / p->vertexCount, sum);
    double ahead = loosely ? view->h : horizon(p, view);
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        for (int i = 0; i < body->mesh->surfaceCount; ++i)
        {
            int v = body->offset + body->mesh->vertex[i];
            double length = ahead * vecLength(vecSub(p->path[v].rate, p->drift));
            p->path[v].slack += SLACK * body->mesh->features->length + STRAY * length + (loosely ? p->reach[v] : 0);
        }
    }
    return ahead;
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

// around the paths, `ahead` s long
static void boxPaths(Proximity *p, double ahead)
{
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        Features *features = body->mesh->features;
        double range = 0.5 * NEAR_AROUND * largestRadius(p, body);
        for (int i = 0; i < body->mesh->surfaceCount; ++i)
        {
            int own = body->mesh->vertex[i];
            const NearPath *path = &p->path[body->offset + own];
            double from[3], way[3], lower[3], upper[3], pad = path->slack + range;
            vecStore(from, vecSub(path->from, p->middle));
            vecStore(way, vecScale(ahead, vecSub(path->rate, p->drift)));
            for (int a = 0; a < 3; ++a)
            {
                lower[a] = from[a] + minReal(way[a], 0) - pad;
                upper[a] = from[a] + maxReal(way[a], 0) + pad;
            }
            featuresSetBox(features, own, lower, upper);
        }
        featuresRefit(features);
    }
}

double nearPathsMake(Proximity *p, const ProximityView *view, bool loosely)
{
    double ahead = findPaths(p, view, loosely);
    boxPaths(p, ahead);
    p->made = view->ahead;
    p->until = view->ahead - ahead * (1 + 1e-9);
    p->known = true;
    return ahead;
}
