// What is found out about runs before they are drawn: where they diverged, and which colliders hide bodies from the
// eye.
#include "tool/render.h"

#define EXPLODED 5    // times the size of the body at rest: such a frame has nothing to show
#define TORN 4        // times its length at rest, of an edge that is also longer than
#define TORN_SIZE 0.7 // of the size of its body
#define FRAMES_LOOKED_AT 16

// ---- divergence -----------------------------------------------------------------------------------------------------

static double extent(const ShownBody *body, int *finite)
{
    vvBox box = { { 1e300, 1e300, 1e300 }, { -1e300, -1e300, -1e300 } };
    *finite = pointsBounds(body->points, body->vertexCount, &box);
    return *finite > 0 ? vecLength(vecSub(box.upper, box.lower)) : 0;
}

// An edge many times as long as at rest, and as long as the whole body: no pull on the body does that to it, a step
// that is too large for it does.
static bool hasTornEdge(const ShownBody *body)
{
    const double *rest = body->rest;
    const int *edge = vvMesh_GetEdges(body->mesh);
    bool torn = false;
    int edges = body->embedded ? 0 : vvMesh_GetEdgeCount(body->mesh); // edges of a cage are not seen
    for (int e = 0; e < edges && !torn; ++e)
    {
        size_t a = 3 * (size_t)edge[2 * e], b = 3 * (size_t)edge[2 * e + 1];
        double now = vecLength(vecSub(vecLoad(body->points + a), vecLoad(body->points + b)));
        torn = now > TORN_SIZE * body->size && now > TORN * vecLength(vecSub(vecLoad(rest + a), vecLoad(rest + b)));
    }
    return torn;
}

void surveyStart(Run *run)
{
    for (int i = 0; i < run->show.bodyCount; ++i)
    {
        ShownBody *body = &run->show.body[i];
        ShownBody rest = { .points = (double *)body->rest, .vertexCount = body->vertexCount };
        int all;
        body->size = maxReal(extent(body, &body->finiteCount), extent(&rest, &all));
        body->startsTorn = hasTornEdge(body);
    }
}

static bool isSane(const Run *run)
{
    bool sane = true;
    for (int i = 0; i < run->show.bodyCount && sane; ++i)
    {
        int finite;
        const ShownBody *body = &run->show.body[i];
        double size = extent(body, &finite);
        if (body->changed || vvMesh_HasParticles(body->mesh)) // pieces and particles may be anywhere
            sane = finite == body->vertexCount;
        else
            sane = finite >= body->finiteCount && size <= EXPLODED * body->size &&
                   (body->startsTorn || !hasTornEdge(body));
    }
    return sane;
}

vvResult surveyDivergence(Run *run, int last)
{
    int good = 0, bad = -1;
    last = minInt(last, run->frameCount - 1);
    int step = maxInt(1, last / FRAMES_SAMPLED);
    vvResult result = resultOk();
    for (int frame = 0; bad < 0 && good < last && result.code == VV_OK; frame = good)
    {
        frame = minInt(good + step, last);
        result = runLoad(run, frame, VV_COLOUR_PLAIN);
        if (isSane(run))
            good = frame;
        else
            bad = frame;
    }
    // between a good frame and a bad one: the first bad one
    while (bad > good + 1 && result.code == VV_OK)
    {
        int middle = good + (bad - good) / 2;
        result = runLoad(run, middle, VV_COLOUR_PLAIN);
        if (isSane(run))
            good = middle;
        else
            bad = middle;
    }
    run->diverged = bad >= 0;
    run->saneCount = bad >= 0 ? bad : run->frameCount;
    return result;
}

// ---- colliders before bodies ----------------------------------------------------------------------------------------

vvResult surveyGlass(Run *run, const Look *look, int from, int to)
{
    vvResult result = resultOk();
    int step = maxInt(1, (to - from) / FRAMES_LOOKED_AT);
    for (int frame = from; frame <= to && run->show.colliderCount > 0 && result.code == VV_OK; frame += step)
    {
        result = runLoad(run, frame, VV_COLOUR_PLAIN);
        if (result.code == VV_OK)
            glassFind(&run->show, lookCamera(look, &run->show).eye);
    }
    return result;
}
