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

// Two facets whose boxes overlap.
struct NearFacets
{
    int body[2], facet[2];
};

typedef struct Gather
{
    Proximity *proximity;
    int body[2];
} Gather;

static bool gatherFacets(void *context, int facetA, int facetB)
{
    const Gather *gather = context;
    Proximity *p = gather->proximity;
    if (p->facetsCount == p->facetsRoom)
    {
        int grown = maxInt(256, 2 * p->facetsRoom);
        void *facets = p->facets;
        int *chosen = ALLOCATE(p->memory, int, grown);
        if (chosen == NULL || !memoryGrow(p->memory, &facets, (size_t)p->facetsRoom, (size_t)grown, sizeof(NearFacets)))
        {
            memoryRelease(p->memory, chosen);
            p->incomplete = true;
            return true;
        }
        memoryRelease(p->memory, p->chosen);
        p->chosen = chosen;
        p->facets = facets;
        p->facetsRoom = grown;
    }
    p->facets[p->facetsCount++] = (NearFacets){ { gather->body[0], gather->body[1] }, { facetA, facetB } };
    return false;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

// Pairs of two facets by number: vertices of the first on the second, of the second on the first, edges.
#define PAIRS 15
#define TASK 256 // of facets

typedef struct Choice
{
    const Proximity *proximity;
    const ProximityView *view;
    double ahead; // s, of the paths
} Choice;

static bool boxesOverlap(const double *a, const double *b)
{
    return a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] && a[2] <= b[5] && b[2] <= a[5];
}

static Closest closestOf(const Vec3 at[4], int first)
{
    return first == 1 ? closestVertexTriangle(at) : closestEdges(at);
}

// on their paths
static bool comesIntoRange(const Choice *choice, const NearPair *pair)
{
    const NearPath *path = choice->proximity->path;
    Vec3 at[4], by[4];
    double slack[2] = { 0, 0 };
    for (int k = 0; k < 4; ++k)
    {
        const NearPath *own = &path[pair->vertex[k]];
        at[k] = own->from;
        by[k] = vecScale(choice->ahead, own->rate);
        slack[k >= pair->first] = maxReal(slack[k >= pair->first], own->slack);
    }
    double near = pair->range + slack[0] + slack[1];
    if (nearApart(at, by, pair->first, near))
        return false;
    return closestOf(at, pair->first).distance <= near + nearRelative(by, pair->first);
}

static bool isAdjacent(const int *corner)
{
    return corner[0] == corner[1] || corner[0] == corner[2] || corner[0] == corner[3] || corner[1] == corner[2] ||
           corner[1] == corner[3];
}

// Which pair a number is, by its vertices and its range.
static void namePair(const Proximity *p, const NearFacets *facets, int number, NearPair *pair)
{
    bool edges = number >= 6, turned = number >= 3 && !edges;
    const ProximityBody *a = &p->body[facets->body[turned]], *b = &p->body[facets->body[!turned]];
    const Features *fa = a->mesh->features, *fb = b->mesh->features;
    int facetA = 3 * facets->facet[turned], facetB = 3 * facets->facet[!turned];
    if (edges)
    {
        const int *i = fa->edge + 2 * (ptrdiff_t)fa->ownEdge[facetA + (number - 6) / 3];
        const int *k = fb->edge + 2 * (ptrdiff_t)fb->ownEdge[facetB + number % 3];
        memcpy(pair->vertex, (int[4]){ i[0], i[1], k[0], k[1] }, sizeof pair->vertex);
    }
    else
    {
        const int *k = fb->corner + facetB;
        int i = fa->ownVertex[facetA + number % 3];
        memcpy(pair->vertex, (int[4]){ i, k[0], k[1], k[2] }, sizeof pair->vertex);
    }
    pair->first = edges ? 2 : 1;
    pair->inner = edges && a->mesh->triangleCount > 0 && b->mesh->triangleCount > 0;
    pair->radius = nearRadius(a->mesh, b->mesh) * (pair->inner ? EDGES : 1);
    pair->range = NEAR_AROUND * pair->radius;
    for (int k = 0; k < 4; ++k)
        pair->vertex[k] += (k < pair->first ? a : b)->offset;
}

static int choosePair(const Choice *choice, const NearFacets *facets, int number)
{
    NearPair pair;
    namePair(choice->proximity, facets, number, &pair);
    const unsigned char *pinned = choice->view->pinned;
    const int *v = pair.vertex;
    if (isAdjacent(v) || (pinned[v[0]] && pinned[v[1]] && pinned[v[2]] && pinned[v[3]]) ||
        !comesIntoRange(choice, &pair))
        return 0;
    return 1 << number;
}

// those of one facet on the other
static int chooseVertices(const Choice *choice, const NearFacets *facets, bool turned)
{
    const Proximity *p = choice->proximity;
    const Features *fa = p->body[facets->body[turned]].mesh->features;
    const Features *fb = p->body[facets->body[!turned]].mesh->features;
    const int *own = fa->ownVertex + 3 * (ptrdiff_t)facets->facet[turned];
    ptrdiff_t on = facets->facet[!turned];
    int chosen = 0;
    for (int k = 0; k < 3 && fb->corner[3 * on + 2] >= 0; ++k)
    {
        if (own[k] >= 0 && boxesOverlap(fa->box + 6 * (ptrdiff_t)own[k], fb->facet + 6 * on))
            chosen |= choosePair(choice, facets, (turned ? 3 : 0) + k);
    }
    return chosen;
}

static int chooseEdges(const Choice *choice, const NearFacets *facets)
{
    const Proximity *p = choice->proximity;
    const Features *fa = p->body[facets->body[0]].mesh->features, *fb = p->body[facets->body[1]].mesh->features;
    const int *a = fa->ownEdge + 3 * (ptrdiff_t)facets->facet[0], *b = fb->ownEdge + 3 * (ptrdiff_t)facets->facet[1];
    int chosen = 0;
    for (int i = 0; i < 3; ++i)
    {
        const double *box = fa->edgeBox + 6 * (ptrdiff_t)maxInt(a[i], 0);
        if (a[i] < 0 || !boxesOverlap(box, fb->facet + 6 * (ptrdiff_t)facets->facet[1]))
            continue;
        for (int k = 0; k < 3; ++k)
        {
            if (b[k] >= 0 && boxesOverlap(box, fb->edgeBox + 6 * (ptrdiff_t)b[k]))
                chosen |= choosePair(choice, facets, 6 + 3 * i + k);
        }
    }
    return chosen;
}

typedef struct ChoiceTasks
{
    const Choice *choice;
    int first; // number of the first task of this run
} ChoiceTasks;

// bits of `chosen`: the pairs of each two facets
static void chooseTask(void *context, int task)
{
    const ChoiceTasks *tasks = context;
    const Proximity *p = tasks->choice->proximity;
    int begin = (tasks->first + task) * TASK, end = minInt(begin + TASK, p->facetsCount);
    for (int i = begin; i < end; ++i)
        p->chosen[i] = chooseVertices(tasks->choice, &p->facets[i], false) |
                       chooseVertices(tasks->choice, &p->facets[i], true) | chooseEdges(tasks->choice, &p->facets[i]);
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

static void listPair(Proximity *p, const Choice *choice, const NearFacets *facets, int number)
{
    if (!reserve(p, p->count + 1))
    {
        p->incomplete = true;
        return;
    }
    NearPair pair = { .held = NULL };
    namePair(p, facets, number, &pair);
    bool turned = number >= 3 && number < 6;
    const ProximityBody *a = &p->body[facets->body[turned]], *b = &p->body[facets->body[!turned]];
    pair.member[0] = a->member;
    pair.member[1] = b->member;
    pair.friction = frictionMix(a->mesh->friction, b->mesh->friction);
    if (a == b)
        pair.radius = radiusAtRest(a, &pair);
    if (pair.first == 1)
        pair.held = heldOf(a->mesh, b->mesh, pair.vertex[0] - a->offset, facets->facet[!turned]);
    if (pair.held != NULL && pair.held->force > 0)
    {
        Vec3 force = vecAdd(vecScale(pair.held->force, vecLoad(pair.held->normal)), vecLoad(pair.held->offset));
        pair.impulse = vecScale(choice->view->h, force);
        p->pressed[p->pressedCount++] = p->count;
    }
    p->pair[p->count++] = pair;
}

static void findFacets(Proximity *p)
{
    p->facetsCount = 0;
    p->room = INFINITY;
    for (int i = 0; i < p->bodyCount; ++i)
    {
        for (int k = i; k < p->bodyCount; ++k)
        {
            const CollisionMesh *a = p->body[i].mesh, *b = p->body[k].mesh;
            Gather gather = { p, { i, k } };
            if (!nearMayMeet(a, b))
                continue;
            p->room = minReal(p->room, CHANGE * nearRadius(a, b));
            featuresMeet(a->features, b->features, gatherFacets, &gather);
        }
    }
}

void nearListMake(Proximity *p, const ProximityView *view, bool loosely)
{
    Choice choice = { p, view, nearPathsMake(p, view, loosely) };
    ChoiceTasks tasks = { .choice = &choice };
    findFacets(p);
    int count = (p->facetsCount + TASK - 1) / TASK;
    for (; tasks.first < count; tasks.first += WORKERS_MOST_TASKS)
        workersRun(view->workers, minInt(count - tasks.first, WORKERS_MOST_TASKS), chooseTask, &tasks);
    p->count = p->pressedCount = 0;
    for (int i = 0; i < p->facetsCount; ++i)
    {
        for (int k = 0; k < PAIRS && p->chosen[i] >> k; ++k)
        {
            if (p->chosen[i] >> k & 1)
                listPair(p, &choice, &p->facets[i], k);
        }
    }
}
