#include "contact/ridge.h"

#include "contact/friction.h"
#include "contact/sift.h"

#include <string.h>

#define PARALLEL 0.05 // sine: edges that enclose less have vertices that touch
#define ROUND 0.05    // of the height of a facet: by which the plane of contact may cut into it
#define HELD 0.2      // of it, of edges that press: what begins and ends at the same angle stirs what rests on it
#define DEPTH 0.1     // of the shorter edge: overlap that can come about in a step or two
#define PARTED 0.1    // of the overlap that the law sees: parted as fast as that of vertices, a heap of a hundred shook

// ---- the pairs of a step --------------------------------------------------------------------------------------------

typedef struct Finding
{
    const ProximityBody *a, *b;
    RidgePair *pair;
    int count, room;
} Finding;

// the corner of a facet that is not of an edge
static int thirdCorner(const Features *f, int facet, const int *edge)
{
    const int *corner = f->corner + 3 * (ptrdiff_t)facet;
    int k = 0;
    while (corner[k] == edge[0] || corner[k] == edge[1])
        k += 1;
    return corner[k];
}

static void listRidges(Finding *finding, int edgeA, int edgeB)
{
    const ProximityBody *body[2] = { finding->a, finding->b };
    const int name[2] = { edgeA, edgeB };
    const int *own = body[0]->mesh->features->edge + 2 * (ptrdiff_t)edgeA,
              *other = body[1]->mesh->features->edge + 2 * (ptrdiff_t)edgeB;
    if (bondedFeatures(body[0]->mesh->bonded, body[0]->mesh->slot, own, 2, body[1]->mesh->slot, other, 2))
        return;
    if (finding->count >= finding->room)
    {
        finding->count += 1;
        return;
    }
    RidgePair pair = { .member = { body[0]->member, body[1]->member },
                       .radius = pairsRadius(body[0]->mesh, body[1]->mesh),
                       .depth = DEPTH * minReal(body[0]->mesh->edge, body[1]->mesh->edge),
                       .friction = frictionMix(body[0]->mesh->friction, body[1]->mesh->friction),
                       .triangle = body[1]->mesh->features->beside[2 * (ptrdiff_t)edgeB],
                       .told = -1,
                       .edge = { edgeA, edgeB } };
    const FeatureHold *hold = &body[0]->mesh->hold[edgeA];
    if (hold->other == body[1]->mesh->slot && hold->feature == edgeB)
        pair.force = hold->force;
    for (int k = 0; k < 2; ++k)
    {
        const Features *f = body[k]->mesh->features;
        const int *edge = f->edge + 2 * (ptrdiff_t)name[k], *beside = f->beside + 2 * (ptrdiff_t)name[k];
        for (int i = 0; i < 2; ++i)
        {
            pair.vertex[2 * k + i] = body[k]->offset + edge[i];
            pair.beside[2 * k + i] = body[k]->offset + thirdCorner(f, beside[i], edge);
        }
    }
    finding->pair[finding->count++] = pair;
}

static bool findInLeaves(void *context, int leafA, int leafB)
{
    Finding *finding = context;
    const Features *a = finding->a->mesh->features, *b = finding->b->mesh->features;
    BoxPair pair[FEATURES_PAIRS];
    int count = featuresPairs(a, leafA, FEATURE_RIDGE, b, leafB, FEATURE_RIDGE, false, 0, pair);
    for (int i = 0; i < count; ++i)
        listRidges(finding, pair[i].a, pair[i].b);
    return false;
}

int ridgesFind(const ProximityBody *a, const ProximityBody *b, RidgePair *pair, int room)
{
    Finding finding = { .a = a, .b = b, .pair = pair, .room = room };
    featuresMeet(a->mesh->features, b->mesh->features, false, false, findInLeaves, &finding);
    return finding.count;
}

// ---- a substep ------------------------------------------------------------------------------------------------------

static Vec3 pointAt(const double *z, int vertex)
{
    return vecLoad(z + 3 * (ptrdiff_t)vertex);
}

// Whether a facet beside an edge lies below the plane through that edge with an outward normal.
static bool liesBelow(Vec3 normal, Vec3 from, Vec3 third, double round)
{
    Vec3 across = vecSub(third, from);
    return vecDot(normal, across) <= round * vecLength(across);
}

// Where the lines of two edges are nearest, within both: weights and normal as of Closest, out of the second body. The
// distance is negative where they have passed each other. False: other features are nearer.
static bool nearestRidges(const RidgePair *pair, const double *z, Closest *closest)
{
    Vec3 at[4], third[4];
    for (int k = 0; k < 4; ++k)
        at[k] = pointAt(z, pair->vertex[k]);
    Vec3 a = vecSub(at[1], at[0]), b = vecSub(at[3], at[2]), apart = vecSub(at[2], at[0]), n = vecCross(a, b);
    double square = vecDot(n, n), s = vecDot(vecCross(apart, b), n), t = vecDot(vecCross(apart, a), n);
    if (!(s > 0 && s < square && t > 0 && t < square)) // as of most
        return false;
    s /= square;
    t /= square;
    if (!(square > PARALLEL * PARALLEL * vecDot(a, a) * vecDot(b, b)) || !(s < 1 && t < 1))
        return false;
    for (int k = 0; k < 4; ++k)
        third[k] = pointAt(z, pair->beside[k]);
    n = vecScale(1 / sqrt(square), n);
    // out of the second body, whose facets lie behind it
    if (vecDot(n, vecAdd(vecSub(third[2], at[2]), vecSub(third[3], at[2]))) > 0)
        n = vecScale(-1, n);
    Vec3 back = vecScale(-1, n);
    double round = vecDot(pair->force, pair->force) > 0 ? HELD : ROUND;
    if (!liesBelow(n, at[2], third[2], round) || !liesBelow(n, at[2], third[3], round) ||
        !liesBelow(back, at[0], third[0], round) || !liesBelow(back, at[0], third[1], round))
        return false;
    const double weight[4] = { 1 - s, s, -(1 - t), -t };
    memcpy(closest->weight, weight, sizeof weight);
    closest->normal = n;
    closest->distance = -vecDot(n, apart); // of any two points of the lines
    return true;
}

// false: it is not within reach
static bool ridgesReach(const RidgePair *pair, const ContactView *view, Closest *at, double *gap)
{
    if (!nearestRidges(pair, view->z, at))
        return false;
    Vec3 rate = vec3(0, 0, 0);
    for (int k = 0; k < 4; ++k)
        rate = vecAdd(rate, vecScale(at->weight[k], pointAt(view->velocity, pair->vertex[k])));
    double approach = minReal(vecDot(at->normal, rate), 0);
    bool pressed = vecDot(pair->force, at->normal) > 0;
    *gap = at->distance - pair->radius;
    return !(*gap < -pair->depth + view->h * approach) && (pressed || !(*gap + view->h * approach > view->reach));
}

typedef struct Looking
{
    const RidgePair *pair;
    const ContactView *view;
} Looking;

static void siftRidges(const void *context, int begin, int end, uint64_t *passes)
{
    const Looking *looking = context;
    for (int i = begin; i < end; ++i)
    {
        Closest at;
        double gap;
        if (ridgesReach(&looking->pair[i], looking->view, &at, &gap))
            siftPass(passes, i - begin);
    }
}

static void collectRidge(const RidgePair *pairs, int i, const ContactView *view, ContactList *list)
{
    const RidgePair *pair = &pairs[i];
    Closest at;
    double gap;
    if (!ridgesReach(pair, view, &at, &gap))
        return;
    Contact *entry = contactListAdd(list);
    ASSERT(entry != NULL, "there is room for all ridges");
    entry->count = 4;
    memcpy(entry->vertex, pair->vertex, sizeof pair->vertex);
    memcpy(entry->weight, at.weight, sizeof at.weight);
    entry->normal = at.normal;
    entry->gap = gap < 0 ? PARTED * gap : gap;
    entry->friction = pair->friction;
    entry->impulse = vecScale(view->h, pair->force);
    entry->term = view->term;
    entry->element = i;
    entry->ridge = true;
}

void ridgesCollect(const RidgePair *pairs, int count, const ContactView *view, ContactList *list)
{
    bool sifts = siftPays(view->workers, count);
    Sift sift = { .end = 0 };
    Looking looking = { pairs, view };
    for (int i = 0; i < count && !sifts; ++i)
        collectRidge(pairs, i, view, list);
    while (sift.end < count && sifts)
    {
        siftRun(&sift, view->workers, sift.end, count, siftRidges, &looking);
        for (int i = siftNext(&sift, sift.begin); i < sift.end; i = siftNext(&sift, i + 1))
            collectRidge(pairs, i, view, list);
    }
}

void ridgesForgetImpulses(RidgePair *pair, int count, const ProximityBody *body)
{
    for (int i = 0; i < count; ++i)
    {
        pair[i].force = vec3(0, 0, 0);
        body[pair[i].member[0]].mesh->hold[pair[i].edge[0]].other = -1;
    }
}

void ridgeKeepImpulse(RidgePair *pair, const ProximityBody *body, Memory *memory, const Contact *from, double h)
{
    EdgeContact about = { .first = 2, .triangle = pair->triangle, .radius = pair->radius };
    CollisionMesh *mesh = body[pair->member[0]].mesh;
    const FeatureHold *hold = &mesh->hold[pair->edge[0]];
    pair->force = vecScale(1 / h, from->impulse);
    if (!(vecDot(from->impulse, from->normal) > 0))
        return;
    if (hold->other < 0 || vecDot(pair->force, pair->force) > vecDot(hold->force, hold->force))
        featureHoldSet(mesh, pair->edge[0],
                       (FeatureHold){ body[pair->member[1]].mesh->slot, pair->edge[1], pair->force });
    edgeContactKeep(&body[pair->member[0]], &body[pair->member[1]], memory, from, h, about, &pair->told);
}

void ridgeTellImpulse(const RidgePair *pair, const ProximityBody *body, Vec3 impulse)
{
    CollisionMesh *mesh = body[pair->member[0]].mesh;
    if (pair->told < 0 || pair->told >= mesh->edgeContactCount) // there was no memory for it
        return;
    EdgeContact *told = &mesh->edgeContact[pair->told];
    told->impulse = vecAdd(told->impulse, impulse);
}
