// Pairs are listed from boxes around the paths of all vertices, as far ahead as these stay short. A list holds as long as each
// vertex stays in its box; a displacement that is common to all vertices changes nothing between them, and does not count.
//
// In a substep no vertex moves farther than its reach beside the common displacement. Two simplices that are farther apart than both
// reach cannot meet; between others there is a plane (planes.c).
#include "contact/proximity.h"
#include "contact/friction.h"

#define PAD 0.1  // edges: room around paths
#define PATH 0.5 // edges: how far ahead paths are followed,
#define FASTER                                                                                                         \
    1.7 // of the displacement of a substep: forces are taken half a substep ahead, and contacts act a whole one before
#define SHEET_ROOM 0.2  // edges: the least thickness of sheets, as of pair contacts (pairs.c)
#define SOLID_ROOM 0.01 // edges: the distance that solids keep
#define APART 0.5       // of the distance at rest: parts of one body keep no more

// ---- room -----------------------------------------------------------------------------------------------------------

void proximityRelease(Proximity *p)
{
    memoryRelease(p->memory, p->pair);
    memoryRelease(p->memory, p->plane);
    memoryRelease(p->memory, p->contact);
    *p = (Proximity){ .memory = p->memory };
}

static bool reserve(Proximity *p, int capacity)
{
    if (capacity <= p->capacity)
        return true;
    int grown = maxInt(64, capacity + capacity / 2);
    void *pair = p->pair;
    Plane *plane = ALLOCATE(p->memory, Plane, grown);
    if (plane == NULL || !memoryGrow(p->memory, &pair, (size_t)p->capacity, (size_t)grown, sizeof(NearPair)))
    {
        memoryRelease(p->memory, plane);
        return false;
    }
    memoryRelease(p->memory, p->plane);
    p->plane = plane;
    p->pair = pair;
    p->capacity = grown;
    return true;
}

// ---- how far vertices may go ----------------------------------------------------------------------------------------

// m, that a body keeps on its side
static double roomOf(const CollisionMesh *mesh)
{
    if (mesh->closed)
        return 0.5 * SOLID_ROOM * mesh->edge;
    return mesh->triangleCount > 0 ? maxReal(mesh->radius, 0.5 * SHEET_ROOM * mesh->edge) : mesh->radius;
}

static double radiusOf(const CollisionMesh *a, const CollisionMesh *b)
{
    double edge =
        maxReal(a->closed || a->triangleCount == 0 ? 0 : a->edge, b->closed || b->triangleCount == 0 ? 0 : b->edge);
    return maxReal(a->radius + b->radius, SHEET_ROOM * edge);
}

// m: the mean displacement; none where something is pinned
static Vec3 commonMove(const Proximity *p, const ProximityView *view)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int v = 0; v < p->vertexCount; ++v)
    {
        if (view->pinned[v])
            return vec3(0, 0, 0);
        sum = vecAdd(sum, vecSub(vecLoad(view->to + 3 * (ptrdiff_t)v), vecLoad(view->x + 3 * (ptrdiff_t)v)));
    }
    return vecScale(1.0 / p->vertexCount, sum);
}

static void findReach(Proximity *p, const ProximityView *view)
{
    p->common = commonMove(p, view);
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        double room = roomOf(body->mesh);
        for (int i = 0; i < body->mesh->surfaceCount; ++i)
        {
            int v = body->offset + body->mesh->vertex[i];
            Vec3 x = vecLoad(view->x + 3 * (ptrdiff_t)v), to = vecLoad(view->to + 3 * (ptrdiff_t)v);
            Vec3 start = vecSub(vecScale(view->h, vecLoad(view->velocity + 3 * (ptrdiff_t)v)), p->common);
            Vec3 free = vecSub(vecSub(to, x), p->common);
            double moved = view->pinned[v] ? vecLength(free) : maxReal(vecLength(free), vecLength(start));
            p->reach[v] = FASTER * moved + room;
        }
    }
}

bool proximityIsExceeded(const Proximity *p, const double *x, const double *to)
{
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        for (int i = 0; i < body->mesh->surfaceCount; ++i)
        {
            ptrdiff_t v = body->offset + body->mesh->vertex[i];
            Vec3 move = vecSub(vecSub(vecLoad(to + 3 * v), vecLoad(x + 3 * v)), p->common);
            if (vecDot(move, move) > p->reach[v] * p->reach[v])
                return true;
        }
    }
    return false;
}

static Vec3 middleOf(const Proximity *p, const double *x)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int v = 0; v < p->vertexCount; ++v)
        sum = vecAdd(sum, vecLoad(x + 3 * (ptrdiff_t)v));
    return vecScale(1.0 / p->vertexCount, sum);
}

static bool isInBox(const double *box, Vec3 at, double reach)
{
    return at.x - reach >= box[0] && at.y - reach >= box[1] && at.z - reach >= box[2] && at.x + reach <= box[3] &&
           at.y + reach <= box[4] && at.z + reach <= box[5];
}

static bool holds(const Proximity *p, const double *x)
{
    if (!p->known)
        return false;
    Vec3 shift = vecSub(middleOf(p, x), p->middle);
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        for (int i = 0; i < body->mesh->surfaceCount; ++i)
        {
            int own = body->mesh->vertex[i];
            ptrdiff_t v = body->offset + own;
            if (!isInBox(body->mesh->features->box + 6 * (ptrdiff_t)own, vecSub(vecLoad(x + 3 * v), shift),
                         p->reach[v]))
                return false;
        }
    }
    return true;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

// s: so far ahead that no path is long
static double horizon(const Proximity *p, const ProximityView *view)
{
    double ahead = view->ahead;
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        double longest = PATH * body->mesh->features->length;
        for (int i = 0; i < body->mesh->surfaceCount; ++i)
        {
            ptrdiff_t v = body->offset + body->mesh->vertex[i];
            Vec3 way = vecSub(vecScale(view->h, vecLoad(view->velocity + 3 * v)), p->common);
            double length = vecLength(way);
            if (length * ahead > longest * view->h)
                ahead = longest * view->h / length;
        }
    }
    return ahead;
}

static void boxVertices(Proximity *p, const ProximityView *view)
{
    double steps = view->h > 0 ? horizon(p, view) / view->h : 0;
    for (int b = 0; b < p->bodyCount; ++b)
    {
        const ProximityBody *body = &p->body[b];
        Features *features = body->mesh->features;
        for (int i = 0; i < body->mesh->surfaceCount; ++i)
        {
            int own = body->mesh->vertex[i];
            ptrdiff_t v = body->offset + own;
            double *box = features->box + 6 * (ptrdiff_t)own, pad = PAD * features->length + p->reach[v];
            Vec3 way = vecScale(steps, vecSub(vecScale(view->h, vecLoad(view->velocity + 3 * v)), p->common));
            const double along[3] = { way.x, way.y, way.z };
            for (int a = 0; a < 3; ++a)
            {
                double from = view->x[3 * v + a], to = from + along[a];
                box[a] = minReal(from, to) - pad;
                box[3 + a] = maxReal(from, to) + pad;
            }
        }
        featuresRefit(features);
    }
}

// ---- the list -------------------------------------------------------------------------------------------------------

typedef struct Gather
{
    Proximity *proximity;
    const ProximityBody *a, *b;
    double radius, friction;
    const unsigned char *pinned;
    double h; // s, of the substep
} Gather;

static bool boxesOverlap(const double *a, const double *b)
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

static void hullOf(const double *a, const double *b, double *hull)
{
    for (int k = 0; k < 3; ++k)
    {
        hull[k] = minReal(a[k], b[k]);
        hull[3 + k] = maxReal(a[3 + k], b[3 + k]);
    }
}

// what parts of one body have at rest is no contact
static double radiusAtRest(const Gather *gather, const int *corner, int first)
{
    Vec3 at[4];
    for (int k = 0; k < 4; ++k)
        at[k] = vecLoad(gather->a->mesh->rest + 3 * (ptrdiff_t)corner[k]);
    Closest rest = first == 1 ? closestVertexTriangle(at) : closestEdges(at);
    return minReal(gather->radius, APART * rest.distance);
}

static void listPair(Gather *gather, const ProximityBody *a, const ProximityBody *b, const int *corner, int first,
                     PairContact *held)
{
    Proximity *p = gather->proximity;
    int pins = 0;
    for (int k = 0; k < 4; ++k)
    {
        for (int i = k + 1; i < 4 && a == b; ++i)
        {
            if (corner[k] == corner[i])
                return;
        }
        pins += gather->pinned[(k < first ? a : b)->offset + corner[k]] != 0;
    }
    if (pins == 4)
        return;
    if (!reserve(p, p->count + 1))
    {
        p->incomplete = true;
        return;
    }
    NearPair *pair = &p->pair[p->count++];
    *pair = (NearPair){ .first = first,
                        .member = { a->member, b->member },
                        .radius = a == b ? radiusAtRest(gather, corner, first) : gather->radius,
                        .friction = gather->friction,
                        .held = held };
    for (int k = 0; k < 4; ++k)
        pair->vertex[k] = (k < first ? a : b)->offset + corner[k];
    if (held != NULL && held->force > 0)
        pair->impulse =
            vecScale(gather->h, vecAdd(vecScale(held->force, vecLoad(held->normal)), vecLoad(held->offset)));
}

static PairContact *heldOf(const CollisionMesh *own, const CollisionMesh *other, int vertex, int triangle)
{
    PairContact *contact = own->pairContact + (ptrdiff_t)own->features->surface[vertex] * PAIR_CONTACTS;
    for (int k = 0; k < PAIR_CONTACTS; ++k)
    {
        if (contact[k].other == other->slot && contact[k].triangle == triangle)
            return &contact[k];
    }
    return NULL;
}

static void gatherVertices(Gather *gather, const ProximityBody *a, const ProximityBody *b, int from, int on)
{
    const Features *own = a->mesh->features, *other = b->mesh->features;
    const int *triangle = other->corner + 3 * (ptrdiff_t)on;
    if (triangle[2] < 0)
        return;
    for (int k = 0; k < 3; ++k)
    {
        int vertex = own->ownVertex[3 * from + k];
        if (vertex < 0 || !boxesOverlap(own->box + 6 * (ptrdiff_t)vertex, other->facet + 6 * (ptrdiff_t)on))
            continue;
        int corner[4] = { vertex, triangle[0], triangle[1], triangle[2] };
        listPair(gather, a, b, corner, 1, heldOf(a->mesh, b->mesh, vertex, on));
    }
}

static void gatherEdges(Gather *gather, int facetA, int facetB)
{
    const Features *fa = gather->a->mesh->features, *fb = gather->b->mesh->features;
    for (int k = 0; k < 9; ++k)
    {
        int a = fa->ownEdge[3 * facetA + k / 3], b = fb->ownEdge[3 * facetB + k % 3];
        if (a < 0 || b < 0)
            continue;
        const int corner[4] = { fa->edge[2 * a], fa->edge[2 * a + 1], fb->edge[2 * b], fb->edge[2 * b + 1] };
        double hull[2][6];
        hullOf(fa->box + 6 * (ptrdiff_t)corner[0], fa->box + 6 * (ptrdiff_t)corner[1], hull[0]);
        hullOf(fb->box + 6 * (ptrdiff_t)corner[2], fb->box + 6 * (ptrdiff_t)corner[3], hull[1]);
        if (boxesOverlap(hull[0], hull[1]))
            listPair(gather, gather->a, gather->b, corner, 2, NULL);
    }
}

static bool gatherFacets(void *context, int facetA, int facetB)
{
    Gather *gather = context;
    gatherVertices(gather, gather->a, gather->b, facetA, facetB);
    gatherVertices(gather, gather->b, gather->a, facetB, facetA);
    gatherEdges(gather, facetA, facetB);
    return false;
}

static void makeList(Proximity *p, const ProximityView *view)
{
    boxVertices(p, view);
    p->middle = middleOf(p, view->x);
    p->count = 0;
    p->known = true;
    for (int i = 0; i < p->bodyCount; ++i)
    {
        for (int k = i; k < p->bodyCount; ++k)
        {
            const CollisionMesh *a = p->body[i].mesh, *b = p->body[k].mesh;
            // solids meet by pair contacts: planes between them, and within one that turns, gained energy
            if (!collisionMeshesCollide(a, b) || (a->closed && b->closed))
                continue;
            Gather gather = { .proximity = p,
                              .a = &p->body[i],
                              .b = &p->body[k],
                              .radius = radiusOf(a, b),
                              .friction = frictionMix(a->friction, b->friction),
                              .pinned = view->pinned,
                              .h = view->h };
            featuresMeet(a->features, b->features, gatherFacets, &gather);
        }
    }
}

// ---- a substep ------------------------------------------------------------------------------------------------------

void proximityPlanes(Proximity *p, const ProximityView *view)
{
    findReach(p, view);
    if (!holds(p, view->x))
        makeList(p, view);
    nearPlanes(p, view);
}
