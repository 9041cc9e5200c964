// The list of pairs that may come near each other while all vertices follow their paths (near_paths.c): facets whose
// boxes overlap, and of these the pairs that could come into range, by their distance and the paths of one against the
// other: what moves alike stays apart. The order is that of the trees, whatever the boxes are.
#include "contact/friction.h"
#include "contact/proximity.h"

#include <string.h>

#define APART 0.5  // of the distance at rest: parts of one body keep no more
#define EDGES 0.5  // of the radius: edges of surfaces keep that, for vertices and triangles keep the radius
#define CHANGE 0.3 // of the radius: by which displacements may change in a substep; twice it is in range

// ---- room -----------------------------------------------------------------------------------------------------------

static bool reserve(Proximity *p, int capacity)
{
    if (capacity <= p->capacity)
        return true;
    int grown = maxInt(64, capacity + capacity / 2);
    void *pair = p->pair;
    Plane *plane = ALLOCATE(p->memory, Plane, grown);
    int *pressed = ALLOCATE(p->memory, int, grown);
    if (plane == NULL || pressed == NULL ||
        !memoryGrow(p->memory, &pair, (size_t)p->capacity, (size_t)grown, sizeof(NearPair)))
    {
        memoryRelease(p->memory, plane);
        memoryRelease(p->memory, pressed);
        return false;
    }
    memoryRelease(p->memory, p->plane);
    memoryRelease(p->memory, p->pressed);
    p->plane = plane;
    p->pressed = pressed;
    p->pair = pair;
    p->capacity = grown;
    return true;
}

// ---- candidates -----------------------------------------------------------------------------------------------------

typedef enum NearKind
{
    NEAR_VERTEX, // a vertex of the first body and a facet of the second
    NEAR_TURNED, // a vertex of the second and a facet of the first
    NEAR_EDGES,
} NearKind;

#define BATCH 32768 // candidates that are looked at together
#define ROOM (BATCH + FEATURES_PAIRS)
#define TASK 512 // of candidates

// Features of two bodies whose boxes overlap.
typedef struct NearBatch
{
    int count;
    BoxPair pair[ROOM];
    unsigned char kind[ROOM]; // NearKind
    bool chosen[ROOM];        // they may come into range
} NearBatch;

typedef struct Choice
{
    Proximity *proximity;
    const ProximityView *view;
    const ProximityBody *a, *b;
    bool inner;       // as of pairs, of edges
    double radius[2]; // m, of vertices, of edges
    double friction;  // Coulomb's coefficient
    int first;        // number of the first task of this run
} Choice;

static Closest closestOf(const Vec3 at[4], int first)
{
    return first == 1 ? closestVertexTriangle(at) : closestEdges(at);
}

// Which pair a candidate is, by its vertices and its range.
static void namePair(const Choice *choice, BoxPair names, NearKind kind, NearPair *pair)
{
    const ProximityBody *a = kind == NEAR_TURNED ? choice->b : choice->a;
    const ProximityBody *b = kind == NEAR_TURNED ? choice->a : choice->b;
    int *v = pair->vertex;
    if (kind == NEAR_EDGES)
    {
        const int *i = a->mesh->features->edge + 2 * (ptrdiff_t)names.a;
        const int *k = b->mesh->features->edge + 2 * (ptrdiff_t)names.b;
        v[0] = a->offset + i[0];
        v[1] = a->offset + i[1];
        v[2] = b->offset + k[0];
        v[3] = b->offset + k[1];
    }
    else
    {
        const int *k = b->mesh->features->corner + 3 * (ptrdiff_t)names.b;
        v[0] = a->offset + names.a;
        v[1] = b->offset + k[0];
        v[2] = b->offset + k[1];
        v[3] = b->offset + k[2];
    }
    pair->first = kind == NEAR_EDGES ? 2 : 1;
    pair->inner = kind == NEAR_EDGES && choice->inner;
    pair->radius = choice->radius[kind == NEAR_EDGES];
    pair->range = NEAR_AROUND * pair->radius;
}

static void chooseTask(void *context, int task)
{
    const Choice *choice = context;
    NearBatch *batch = choice->proximity->batch;
    const unsigned char *pinned = choice->view->pinned;
    int begin = (choice->first + task) * TASK, end = minInt(begin + TASK, batch->count);
    NearSieve sieve = { .proximity = choice->proximity, .passes = batch->chosen };
    for (int i = begin; i < end; ++i)
    {
        NearPair pair;
        namePair(choice, batch->pair[i], batch->kind[i], &pair);
        const int *v = pair.vertex;
        batch->chosen[i] = false;
        if (!(pinned[v[0]] && pinned[v[1]] && pinned[v[2]] && pinned[v[3]]))
            nearSieveAdd(&sieve, i, &pair);
    }
    nearSieveEnd(&sieve);
}

// ---- the list -------------------------------------------------------------------------------------------------------

// what parts of one body have at rest is no contact
static double radiusAtRest(const ProximityBody *body, const NearPair *pair)
{
    const Vec3 still[4] = { vec3(0, 0, 0), vec3(0, 0, 0), vec3(0, 0, 0), vec3(0, 0, 0) };
    Vec3 at[4];
    for (int k = 0; k < 4; ++k)
        at[k] = vecLoad(body->mesh->rest + 3 * (ptrdiff_t)(pair->vertex[k] - body->offset));
    if (nearApart(at, still, pair->first, pair->radius / APART))
        return pair->radius;
    return minReal(pair->radius, APART * closestOf(at, pair->first).distance);
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

static void listPair(Proximity *p, const Choice *choice, BoxPair names, NearKind kind)
{
    if (!reserve(p, p->count + 1))
    {
        p->incomplete = true;
        return;
    }
    NearPair pair = { .held = NULL };
    namePair(choice, names, kind, &pair);
    const ProximityBody *a = kind == NEAR_TURNED ? choice->b : choice->a;
    const ProximityBody *b = kind == NEAR_TURNED ? choice->a : choice->b;
    pair.member[0] = a->member;
    pair.member[1] = b->member;
    pair.friction = choice->friction;
    if (a == b)
        pair.radius = radiusAtRest(a, &pair);
    if (pair.first == 1)
        pair.held = heldOf(a->mesh, b->mesh, pair.vertex[0] - a->offset, names.b);
    if (pair.held != NULL && pair.held->force > 0)
    {
        Vec3 force = vecAdd(vecScale(pair.held->force, vecLoad(pair.held->normal)), vecLoad(pair.held->offset));
        pair.impulse = vecScale(choice->view->h, force);
        p->pressed[p->pressedCount++] = p->count;
    }
    p->pair[p->count++] = pair;
}

// chooses among the candidates so far
static void listBatch(Choice *choice)
{
    NearBatch *batch = choice->proximity->batch;
    int count = (batch->count + TASK - 1) / TASK;
    for (choice->first = 0; choice->first < count; choice->first += WORKERS_MOST_TASKS)
        workersRun(choice->view->workers, minInt(count - choice->first, WORKERS_MOST_TASKS), chooseTask, choice);
    for (int i = 0; i < batch->count; ++i)
    {
        if (batch->chosen[i])
            listPair(choice->proximity, choice, batch->pair[i], batch->kind[i]);
    }
    batch->count = 0;
}

static void gather(const Choice *choice, int leafA, int leafB, NearKind kind)
{
    NearBatch *batch = choice->proximity->batch;
    const Features *a = choice->a->mesh->features, *b = choice->b->mesh->features;
    BoxPair *pair = batch->pair + batch->count;
    int found = 0;
    if (kind == NEAR_EDGES)
        found = featuresPairs(a, leafA, FEATURE_EDGE, b, leafB, FEATURE_EDGE, pair);
    else if (kind == NEAR_VERTEX)
        found = featuresPairs(a, leafA, FEATURE_VERTEX, b, leafB, FEATURE_FACET, pair);
    else
        found = featuresPairs(b, leafB, FEATURE_VERTEX, a, leafA, FEATURE_FACET, pair);
    memset(batch->kind + batch->count, (int)kind, (size_t)found);
    batch->count += found;
}

static bool gatherLeaves(void *context, int leafA, int leafB)
{
    Choice *choice = context;
    bool ropeA = choice->a->mesh->triangleCount == 0, ropeB = choice->b->mesh->triangleCount == 0;
    if (!ropeB)
        gather(choice, leafA, leafB, NEAR_VERTEX);
    if (!ropeA && (choice->a != choice->b || leafA != leafB))
        gather(choice, leafA, leafB, NEAR_TURNED);
    gather(choice, leafA, leafB, NEAR_EDGES);
    if (choice->proximity->batch->count > BATCH)
        listBatch(choice);
    return false;
}

static void listBodies(Choice *choice, const ProximityBody *a, const ProximityBody *b)
{
    double radius = nearRadius(a->mesh, b->mesh);
    choice->a = a;
    choice->b = b;
    choice->inner = a->mesh->triangleCount > 0 && b->mesh->triangleCount > 0;
    choice->radius[0] = radius;
    choice->radius[1] = radius * (choice->inner ? EDGES : 1);
    choice->friction = frictionMix(a->mesh->friction, b->mesh->friction);
    choice->proximity->room = minReal(choice->proximity->room, CHANGE * radius);
    featuresMeet(a->mesh->features, b->mesh->features, gatherLeaves, choice);
    listBatch(choice);
}

void nearListMake(Proximity *p, const ProximityView *view, bool loosely)
{
    Choice choice = { .proximity = p, .view = view };
    nearFieldPaths(p, nearPathsMake(p, view, loosely));
    p->room = INFINITY;
    p->count = p->pressedCount = 0;
    if (p->batch == NULL)
        p->batch = ALLOCATE(p->memory, NearBatch, 1);
    if (p->batch == NULL)
    {
        p->incomplete = true;
        return;
    }
    for (int i = 0; i < p->bodyCount; ++i)
    {
        for (int k = i; k < p->bodyCount; ++k)
        {
            if (nearMayMeet(p->body[i].mesh, p->body[k].mesh))
                listBodies(&choice, &p->body[i], &p->body[k]);
        }
    }
}
