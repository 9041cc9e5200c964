// Edges that pass through triangles where a step begins. There are none unless a state was made so, or pins went
// through. They are untangled by shortening the curve along which surfaces cross (Volino and Magnenat-Thalmann 2006):
// where it leaves a facet by an edge, the edge moves so that its end does along the curve. In a straight curve what
// both facets of an edge want cancels, so that only its ends move.
#include "contact/proximity.h"

#include <string.h>

// six times the volume of a tet
static double volumeOf(Vec3 a, Vec3 b, Vec3 c, Vec3 d)
{
    return vecDot(vecCross(vecSub(b, a), vecSub(c, a)), vecSub(d, a));
}

static bool crosses(const Vec3 edge[2], const Vec3 t[3])
{
    double above = volumeOf(t[0], t[1], t[2], edge[0]), below = volumeOf(t[0], t[1], t[2], edge[1]);
    if (!(above > 0 && below < 0) && !(above < 0 && below > 0))
        return false;
    double side[3];
    for (int k = 0; k < 3; ++k)
        side[k] = volumeOf(edge[0], edge[1], t[k], t[(k + 1) % 3]);
    return (side[0] > 0 && side[1] > 0 && side[2] > 0) || (side[0] < 0 && side[1] < 0 && side[2] < 0);
}

// ---- where to go ----------------------------------------------------------------------------------------------------

#define LEAST_ANGLE 0.1 // sine of an edge and a triangle: flatter ones move as if they were no flatter
#define LEAST_WISH 0.05 // 1: what both facets of an edge want cancels

static Vec3 unit(Vec3 a)
{
    double length = vecLength(a);
    return length > 0 ? vecScale(1 / length, a) : a;
}

// of a facet: along the curve from its edge inward
static Vec3 inward(const ProximityBody *body, const double *x, int facet, const int *edge, Vec3 across)
{
    const int *corner = body->mesh->features->corner + 3 * (ptrdiff_t)facet;
    if (corner[2] < 0)
        return vec3(0, 0, 0);
    Vec3 at[3], a = vecLoad(x + 3 * ((ptrdiff_t)body->offset + edge[0])), third = a;
    for (int k = 0; k < 3; ++k)
    {
        at[k] = vecLoad(x + 3 * ((ptrdiff_t)body->offset + corner[k]));
        if (corner[k] != edge[0] && corner[k] != edge[1])
            third = at[k];
    }
    Vec3 along = unit(vecCross(vecCross(vecSub(at[1], at[0]), vecSub(at[2], at[0])), across));
    Vec3 e = unit(vecSub(vecLoad(x + 3 * ((ptrdiff_t)body->offset + edge[1])), a)), in = vecSub(third, a);
    in = vecSub(in, vecScale(vecDot(in, e), e));
    return vecDot(along, in) < 0 ? vecScale(-1, along) : along;
}

// along which an edge has to move against a triangle of unit normal `across`; 0: nowhere
static Vec3 wayOut(const ProximityBody *body, const double *x, int number, Vec3 across)
{
    const Features *f = body->mesh->features;
    const int *edge = f->edge + 2 * (ptrdiff_t)number, *facet = f->beside + 2 * (ptrdiff_t)number;
    Vec3 a = vecLoad(x + 3 * ((ptrdiff_t)body->offset + edge[0]));
    Vec3 e = unit(vecSub(vecLoad(x + 3 * ((ptrdiff_t)body->offset + edge[1])), a)), sum = vec3(0, 0, 0);
    double steep = vecDot(e, across);
    steep = steep < 0 ? minReal(steep, -LEAST_ANGLE) : maxReal(steep, LEAST_ANGLE);
    for (int k = 0; k < 2 && facet[k] >= 0; ++k)
    {
        Vec3 in = inward(body, x, facet[k], edge, across);
        sum = vecAdd(sum, vecSub(in, vecScale(vecDot(e, in) / steep, across)));
    }
    return vecLength(sum) > LEAST_WISH ? unit(sum) : vec3(0, 0, 0);
}

// A solid leaves a sheet on the side on which most of it is: along which an edge moves against a triangle, one of them
// the sheet's. `facet`: of the sheet
static Vec3 offSheet(const ProximityBody *sheet, const ProximityBody *solid, const double *x, int facet,
                     bool edgeOfSolid)
{
    const int *corner = sheet->mesh->features->corner + 3 * (ptrdiff_t)facet;
    Vec3 at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = vecLoad(x + 3 * ((ptrdiff_t)sheet->offset + corner[k]));
    Vec3 normal = unit(vecCross(vecSub(at[1], at[0]), vecSub(at[2], at[0])));
    bool above = vecDot(vecSub(solid->centre, at[0]), normal) > 0;
    return above == edgeOfSolid ? normal : vecScale(-1, normal);
}

// the two corners with the largest shares stand for the triangle
static void addTangle(Proximity *p, const ProximityBody *const body[2], const int corner[5], const Vec3 at[5],
                      Vec3 normal)
{
    if (p->tangleCount == p->tangleRoom)
    {
        int grown = maxInt(64, 2 * p->tangleRoom);
        void *tangle = p->tangle;
        if (!memoryGrow(p->memory, &tangle, (size_t)p->tangleRoom, (size_t)grown, sizeof(Tangle)))
            return; // it is found again in the next step
        p->tangle = tangle;
        p->tangleRoom = grown;
    }
    double above = fabs(volumeOf(at[2], at[3], at[4], at[0])), below = fabs(volumeOf(at[2], at[3], at[4], at[1]));
    double share[3], along = above / (above + below);
    int least = 0;
    for (int k = 0; k < 3; ++k)
    {
        share[k] = fabs(volumeOf(at[0], at[1], at[2 + (k + 1) % 3], at[2 + (k + 2) % 3]));
        least = share[k] < share[least] ? k : least;
    }
    int i = (least + 1) % 3, j = (least + 2) % 3;
    double part = share[i] / (share[i] + share[j]);
    p->tangle[p->tangleCount++] = (Tangle){ .vertex = { corner[0], corner[1], corner[2 + i], corner[2 + j] },
                                            .weight = { 1 - along, along, -part, part - 1 },
                                            .member = { body[0]->member, body[1]->member },
                                            .normal = normal };
}

// ---- the search -----------------------------------------------------------------------------------------------------

typedef struct CrossingSearch
{
    Proximity *proximity;
    const ProximityBody *a, *b;
    const double *x;
} CrossingSearch;

// `which`: the facet of the edge, that of the triangle, the edge
static void untangle(const CrossingSearch *search, const ProximityBody *a, const ProximityBody *b, const int which[3],
                     const int corner[5], const Vec3 at[5])
{
    bool rope = a->mesh->triangleCount == 0;
    Vec3 out = vec3(0, 0, 0);
    if (a->mesh->closed && b->mesh->closed) // pair contacts part them
        return;
    if (a->mesh->closed)
        out = offSheet(b, a, search->x, which[1], true);
    else if (b->mesh->closed && !rope)
        out = offSheet(a, b, search->x, which[0], false);
    else if (!rope)
        out = wayOut(a, search->x, which[2], unit(vecCross(vecSub(at[3], at[2]), vecSub(at[4], at[2]))));
    if (out.x != 0 || out.y != 0 || out.z != 0)
        addTangle(search->proximity, (const ProximityBody *const[2]){ a, b }, corner, at, out);
}

// an edge of one and a triangle of the other
static void loadPair(const CrossingSearch *search, const ProximityBody *a, const ProximityBody *b, BoxPair pair,
                     int corner[5], Vec3 at[5])
{
    const Features *own = a->mesh->features, *other = b->mesh->features;
    for (int c = 0; c < 5; ++c)
    {
        int v = c < 2 ? own->edge[2 * pair.a + c] : other->corner[3 * pair.b + c - 2];
        corner[c] = (c < 2 ? a : b)->offset + v;
        at[c] = vecLoad(search->x + 3 * (ptrdiff_t)corner[c]);
    }
}

static void crossPair(const CrossingSearch *search, const ProximityBody *a, const ProximityBody *b, BoxPair pair)
{
    Proximity *p = search->proximity;
    const Features *own = a->mesh->features;
    int corner[5];
    Vec3 at[5];
    loadPair(search, a, b, pair, corner, at);
    if (!crosses(at, at + 2) || bondedFeatures(a->mesh->bonded, a->mesh->slot, own->edge + 2 * (ptrdiff_t)pair.a, 2,
                                               b->mesh->slot, b->mesh->features->corner + 3 * (ptrdiff_t)pair.b, 3))
        return;
    p->crossings += 1;
    untangle(search, a, b, (const int[3]){ own->beside[2 * pair.a], pair.b, pair.a }, corner, at);
    for (int c = 0; c < 5; ++c)
        p->crossed[corner[c]] |= CROSSED_VERTEX;
}

static void crossEdges(const CrossingSearch *search, const ProximityBody *a, const ProximityBody *b, int leafA,
                       int leafB)
{
    BoxPair pair[3 * FEATURES_LEAF * FEATURES_LEAF];
    if (b->mesh->triangleCount == 0)
        return;
    int count =
        featuresPairs(a->mesh->features, leafA, FEATURE_EDGE, b->mesh->features, leafB, FEATURE_FACET, false, 0, pair);
    for (int i = 0; i < count; ++i)
        crossPair(search, a, b, pair[i]);
}

// ---- all leaves -----------------------------------------------------------------------------------------------------

#define LEAVES 1024    // pairs of leaves that are looked at together
#define TASK_LEAVES 16 // of one task

typedef struct LeafNames
{
    int a, b;
} LeafNames;

// Pairs of leaves are looked at in tasks; in those with a crossing, which are few, once more.
typedef struct CrossingRun
{
    CrossingSearch search;
    Workers *workers;
    int count;
    LeafNames leaves[LEAVES];
    bool crosses[LEAVES];
} CrossingRun;

static bool edgesCross(const CrossingSearch *search, const ProximityBody *a, const ProximityBody *b, int leafA,
                       int leafB)
{
    BoxPair pair[3 * FEATURES_LEAF * FEATURES_LEAF];
    int corner[5];
    Vec3 at[5];
    if (b->mesh->triangleCount == 0)
        return false;
    int count =
        featuresPairs(a->mesh->features, leafA, FEATURE_EDGE, b->mesh->features, leafB, FEATURE_FACET, false, 0, pair);
    for (int i = 0; i < count; ++i)
    {
        loadPair(search, a, b, pair[i], corner, at);
        if (crosses(at, at + 2))
            return true;
    }
    return false;
}

static void crossTask(void *context, int task)
{
    CrossingRun *run = context;
    const CrossingSearch *search = &run->search;
    for (int i = task * TASK_LEAVES; i < minInt((task + 1) * TASK_LEAVES, run->count); ++i)
    {
        LeafNames leaf = run->leaves[i];
        run->crosses[i] =
            edgesCross(search, search->a, search->b, leaf.a, leaf.b) ||
            ((search->a != search->b || leaf.a != leaf.b) && edgesCross(search, search->b, search->a, leaf.b, leaf.a));
    }
}

static void crossBatch(CrossingRun *run)
{
    const CrossingSearch *search = &run->search;
    workersRun(run->workers, (run->count + TASK_LEAVES - 1) / TASK_LEAVES, crossTask, run);
    for (int i = 0; i < run->count; ++i)
    {
        LeafNames leaf = run->leaves[i];
        if (!run->crosses[i])
            continue;
        crossEdges(search, search->a, search->b, leaf.a, leaf.b);
        if (search->a != search->b || leaf.a != leaf.b)
            crossEdges(search, search->b, search->a, leaf.b, leaf.a);
    }
    run->count = 0;
}

static bool addLeaves(void *context, int leafA, int leafB)
{
    CrossingRun *run = context;
    run->leaves[run->count++] = (LeafNames){ leafA, leafB };
    if (run->count == LEAVES)
        crossBatch(run);
    return false;
}

static Vec3 centreOf(const ProximityBody *body, const double *x)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int v = 0; v < body->mesh->vertexCount; ++v)
        sum = vecAdd(sum, vecLoad(x + 3 * ((ptrdiff_t)body->offset + v)));
    return vecScale(1.0 / body->mesh->vertexCount, sum);
}

static void markBody(Proximity *p, const ProximityBody *body)
{
    unsigned char any = body->mesh->closed;
    for (int v = 0; v < body->mesh->vertexCount; ++v)
        any |= p->crossed[body->offset + v];
    for (int v = 0; v < body->mesh->vertexCount && any; ++v)
        p->crossed[body->offset + v] |= (unsigned char)(CROSSED_BODY | (body->mesh->closed ? SOLID_VERTEX : 0));
}

// where sheets keep apart from themselves as they are
static void findParted(Proximity *p, const double *x, Workers *workers)
{
    ProximityView view = { .x = x, .to = x, .workers = workers };
    nearFieldStill(p, &view);
    flatLook(p, &view, true);
}

void proximityFindCrossings(Proximity *p, const double *x, Workers *workers)
{
    CrossingRun run;
    run.workers = workers;
    run.count = 0;
    p->crossings = p->tangleCount = 0;
    p->known = false; // boxes are for this now
    memset(p->crossed, 0, (size_t)p->vertexCount);
    Vec3 origin = vecLoad(x);
    for (int b = 0; b < p->bodyCount; ++b)
    {
        Features *features = p->body[b].mesh->features;
        p->body[b].centre = centreOf(&p->body[b], x);
        for (int v = 0; v < features->vertexCount; ++v)
        {
            double at[3];
            vecStore(at, vecSub(vecLoad(x + 3 * ((ptrdiff_t)p->body[b].offset + v)), origin));
            featuresSetBox(features, v, at, at);
        }
        featuresRefit(features, workers);
    }
    findParted(p, x, workers);
    for (int i = 0; i < p->bodyCount; ++i)
    {
        for (int k = i; k < p->bodyCount; ++k)
        {
            run.search = (CrossingSearch){ p, &p->body[i], &p->body[k], x };
            if (!collisionMeshesCollide(run.search.a->mesh, run.search.b->mesh))
                continue;
            featuresMeet(run.search.a->mesh->features, run.search.b->mesh->features, false, true, addLeaves, &run);
            crossBatch(&run);
        }
    }
    for (int b = 0; b < p->bodyCount; ++b)
        markBody(p, &p->body[b]);
}
