// The list of pairs that may come near each other while all vertices follow their paths (near_paths.c): facets whose
// boxes overlap, and of these the pairs that could come into range, by their distance and the paths of one against the
// other: what moves alike stays apart. The order is that of the trees, whatever the boxes are; where vertices stray,
// pairs that are new come behind.
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
    void *pair = p->pair, *name = p->name, *pressed = p->pressed;
    Plane *plane = ALLOCATE(p->memory, Plane, grown);
    bool ok = plane != NULL;
    ok = ok && memoryGrow(p->memory, &pair, (size_t)p->capacity, (size_t)grown, sizeof(NearPair));
    p->pair = pair;
    ok = ok && memoryGrow(p->memory, &name, (size_t)p->capacity, (size_t)grown, sizeof(NearName));
    p->name = name;
    ok = ok && memoryGrow(p->memory, &pressed, (size_t)p->capacity, (size_t)grown, sizeof(int));
    p->pressed = pressed;
    if (!ok)
    {
        memoryRelease(p->memory, plane);
        return false;
    }
    memoryRelease(p->memory, p->plane);
    p->plane = plane;
    p->capacity = grown;
    return true;
}

// ---- pairs of what strays -------------------------------------------------------------------------------------------

static bool isStray(const Proximity *p, const NearName *pair)
{
    const unsigned char *marks = p->crossed;
    const int *v = pair->vertex;
    return ((marks[v[0]] | marks[v[1]] | marks[v[2]] | marks[v[3]]) & STRAY_VERTEX) != 0;
}

// where a pair is in the table, or would be
static int placeOf(const Proximity *p, const NearName *pair)
{
    unsigned hash = (unsigned)pair->first;
    for (int k = 0; k < 4; ++k)
        hash = (hash ^ (unsigned)pair->vertex[k]) * 2654435761u;
    int place = (int)((hash >> 8) & (unsigned)(p->seenRoom - 1));
    while (p->seen[place] >= 0)
    {
        const NearName *other = &p->name[p->seen[place]];
        if (other->first == pair->first && memcmp(other->vertex, pair->vertex, sizeof pair->vertex) == 0)
            break;
        place = (place + 1) & (p->seenRoom - 1);
    }
    return place;
}

// those that are in the list; false: out of memory
static bool seeStrays(Proximity *p)
{
    int count = 0, room = 64;
    for (int i = 0; i < p->count; ++i)
        count += isStray(p, &p->name[i]);
    while (room < 2 * count)
        room *= 2;
    if (room > p->seenRoom)
    {
        memoryRelease(p->memory, p->seen);
        p->seen = ALLOCATE(p->memory, int, room);
        p->seenRoom = p->seen != NULL ? room : 0;
        if (p->seen == NULL)
            return false;
    }
    memset(p->seen, -1, (size_t)p->seenRoom * sizeof(int));
    for (int i = 0; i < p->count; ++i)
    {
        if (isStray(p, &p->name[i]))
            p->seen[placeOf(p, &p->name[i])] = i;
    }
    return true;
}

// ---- candidates -----------------------------------------------------------------------------------------------------

typedef enum NearKind
{
    NEAR_VERTEX, // a vertex of the first body and a facet of the second
    NEAR_TURNED, // a vertex of the second and a facet of the first
    NEAR_EDGES,
} NearKind;

#define TASKS 8        // that look for candidates at once
#define TASK_LEAVES 32 // pairs of leaves, at most
#define TASK_ROOM (2 * FEATURES_PAIRS)

// What a task finds: features of two bodies that may come into range.
typedef struct NearFound
{
    int begin, end; // pairs of leaves that it has not looked at yet: there was no room for more
    int count;
    int place;   // where they go in the list
    int pressed; // of them, with an impulse from the step before: then their numbers in the list replace pairs
    BoxPair pair[TASK_ROOM];
    unsigned char kind[TASK_ROOM]; // NearKind
    bool passes[TASK_ROOM];        // the sieve
} NearFound;

typedef struct LeafNames
{
    int a, b;
} LeafNames;

typedef struct NearBatch
{
    int count;
    LeafNames leaves[TASKS * TASK_LEAVES]; // whose boxes overlap
    NearFound found[TASKS];
} NearBatch;

typedef struct Choice
{
    Proximity *proximity;
    const ProximityView *view;
    const ProximityBody *a, *b;
    bool inner;       // as of pairs, of edges
    double radius[2]; // m, of vertices, of edges
    double closer;    // m, than boxes: that edges have to be
    double friction;  // Coulomb's coefficient
    bool mending;     // only what strays, and is not in the list
    bool loosely;     // as of nearListMake
    int first;        // task whose pairs are listed first
} Choice;

static Closest closestOf(const Vec3 at[4], int first)
{
    return first == 1 ? closestVertexTriangle(at) : closestEdges(at);
}

// Which pair a candidate is, by its vertices and its range.
static NearName nameOf(const Choice *choice, BoxPair names, NearKind kind)
{
    const ProximityBody *a = kind == NEAR_TURNED ? choice->b : choice->a;
    const ProximityBody *b = kind == NEAR_TURNED ? choice->a : choice->b;
    float range = (float)(NEAR_AROUND * choice->radius[kind == NEAR_EDGES]);
    if (kind == NEAR_EDGES)
    {
        const int *i = a->mesh->features->edge + 2 * (ptrdiff_t)names.a;
        const int *k = b->mesh->features->edge + 2 * (ptrdiff_t)names.b;
        return (
            NearName){ { a->offset + i[0], a->offset + i[1], b->offset + k[0], b->offset + k[1] }, range, .first = 2 };
    }
    const int *k = b->mesh->features->corner + 3 * (ptrdiff_t)names.b;
    return (
        NearName){ { a->offset + names.a, b->offset + k[0], b->offset + k[1], b->offset + k[2] }, range, .first = 1 };
}

// an attachment holds them together
static bool isBonded(const Choice *choice, BoxPair names, NearKind kind)
{
    const ProximityBody *a = kind == NEAR_TURNED ? choice->b : choice->a;
    const ProximityBody *b = kind == NEAR_TURNED ? choice->a : choice->b;
    const Features *own = a->mesh->features, *other = b->mesh->features;
    if (kind == NEAR_EDGES)
        return bondedFeatures(a->mesh->bonded, a->mesh->slot, own->edge + 2 * (ptrdiff_t)names.a, 2, b->mesh->slot,
                              other->edge + 2 * (ptrdiff_t)names.b, 2);
    const int *corner = other->corner + 3 * (ptrdiff_t)names.b;
    return bondedFeatures(a->mesh->bonded, a->mesh->slot, &names.a, 1, b->mesh->slot, corner, corner[2] < 0 ? 2 : 3);
}

// whether a pair of what strays was there before
static bool isListed(const Choice *choice, BoxPair names, NearKind kind)
{
    NearName name = nameOf(choice, names, kind);
    return choice->proximity->seen[placeOf(choice->proximity, &name)] >= 0;
}

// features of one kind of two leaves whose boxes overlap, behind those that there are
static void gather(const Choice *choice, LeafNames leaf, NearKind kind, NearFound *found)
{
    const Features *a = choice->a->mesh->features, *b = choice->b->mesh->features;
    BoxPair *pair = found->pair + found->count;
    int count = 0;
    if (kind == NEAR_EDGES)
        count = featuresPairs(a, leaf.a, FEATURE_EDGE, b, leaf.b, FEATURE_EDGE, choice->mending, choice->closer, pair);
    else if (kind == NEAR_VERTEX)
        count = featuresPairs(a, leaf.a, FEATURE_VERTEX, b, leaf.b, FEATURE_FACET, choice->mending, 0, pair);
    else
        count = featuresPairs(b, leaf.b, FEATURE_VERTEX, a, leaf.a, FEATURE_FACET, choice->mending, 0, pair);
    memset(found->kind + found->count, (int)kind, (size_t)count);
    found->count += count;
}

// from a number on, keeps those that may come into range
static void choose(const Choice *choice, NearFound *found, int from)
{
    const unsigned char *pinned = choice->view->pinned;
    NearSieve sieve = { .proximity = choice->proximity, .passes = found->passes };
    for (int i = from; i < found->count; ++i)
    {
        NearName name = nameOf(choice, found->pair[i], found->kind[i]);
        const int *v = name.vertex;
        found->passes[i] = false;
        if (!(pinned[v[0]] && pinned[v[1]] && pinned[v[2]] && pinned[v[3]]))
            nearSieveAdd(&sieve, i, &name);
    }
    nearSieveEnd(&sieve);
    int kept = from;
    for (int i = from; i < found->count; ++i)
    {
        if (!found->passes[i] || isBonded(choice, found->pair[i], found->kind[i]) ||
            (choice->mending && isListed(choice, found->pair[i], found->kind[i])))
            continue;
        found->pair[kept] = found->pair[i];
        found->kind[kept++] = found->kind[i];
    }
    found->count = kept;
}

// in the pairs of leaves of a task, as many as there is room for
static void find(const Choice *choice, NearFound *found)
{
    bool ropeA = choice->a->mesh->triangleCount == 0, ropeB = choice->b->mesh->triangleCount == 0;
    int chosen = 0;
    found->count = 0;
    while (found->begin < found->end && chosen + FEATURES_PAIRS <= TASK_ROOM)
    {
        for (; found->begin < found->end && found->count + FEATURES_PAIRS <= TASK_ROOM; ++found->begin)
        {
            LeafNames leaf = choice->proximity->batch->leaves[found->begin];
            if (!ropeB)
                gather(choice, leaf, NEAR_VERTEX, found);
            if (!ropeA && (choice->a != choice->b || leaf.a != leaf.b))
                gather(choice, leaf, NEAR_TURNED, found);
            gather(choice, leaf, NEAR_EDGES, found);
        }
        choose(choice, found, chosen);
        chosen = found->count;
    }
}

static void findTask(void *context, int task)
{
    const Choice *choice = context;
    find(choice, &choice->proximity->batch->found[task]);
}

// ---- the list -------------------------------------------------------------------------------------------------------

// what parts of one body have at rest is no contact
static double radiusAtRest(const ProximityBody *body, const NearName *pair)
{
    if (collisionMeshCameOff(body->mesh, pair->vertex[0] - body->offset, pair->vertex[3] - body->offset))
        return pair->radius;
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

// puts a pair at a place of the list; true: it has an impulse from the step before
static bool fillPair(Proximity *p, const Choice *choice, BoxPair names, NearKind kind, int place)
{
    NearName name = nameOf(choice, names, kind);
    const ProximityBody *a = kind == NEAR_TURNED ? choice->b : choice->a;
    const ProximityBody *b = kind == NEAR_TURNED ? choice->a : choice->b;
    NearPair pair = { .member = { a->member, b->member },
                      .friction = choice->friction,
                      .told = -1,
                      .feature = { names.a, names.b },
                      .triangle = -1 };
    if (b->mesh->triangleCount > 0)
        pair.triangle = kind == NEAR_EDGES ? b->mesh->features->beside[2 * (ptrdiff_t)names.b] : names.b;
    name.inner = kind == NEAR_EDGES && choice->inner;
    name.radius = choice->radius[kind == NEAR_EDGES];
    if (a == b)
        name.radius = radiusAtRest(a, &name);
    if (name.first == 1)
        pair.held = heldOf(a->mesh, b->mesh, name.vertex[0] - a->offset, names.b);
    p->name[place] = name;
    p->pair[place] = pair;
    Vec3 force = nearHeld(p, place);
    if (pair.held != NULL && pair.held->force > 0)
        force = vecAdd(vecScale(pair.held->force, vecLoad(pair.held->normal)), vecLoad(pair.held->offset));
    p->pair[place].impulse = vecScale(choice->view->h, force);
    p->name[place].pressed = vecDot(force, force) > 0;
    return p->name[place].pressed;
}

static void fillTask(void *context, int task)
{
    const Choice *choice = context;
    Proximity *p = choice->proximity;
    NearFound *found = &p->batch->found[choice->first + task];
    found->pressed = 0;
    for (int i = 0; i < found->count; ++i)
    {
        int place = found->place + i;
        if (fillPair(p, choice, found->pair[i], found->kind[i], place))
            found->pair[found->pressed++].a = place;
    }
}

// what the tasks [begin, end) have found, in their order
static void listFound(Choice *choice, int begin, int end)
{
    Proximity *p = choice->proximity;
    NearFound *found = p->batch->found;
    int count = p->count;
    for (int t = begin; t < end; count += found[t++].count)
        found[t].place = count;
    if (!reserve(p, count))
    {
        p->incomplete = true;
        return;
    }
    choice->first = begin;
    workersRun(choice->view->workers, end - begin, fillTask, choice);
    p->count = count;
    for (int t = begin; t < end; ++t)
    {
        for (int i = 0; i < found[t].pressed; ++i)
            p->pressed[p->pressedCount++] = found[t].pair[i].a;
    }
}

// what there is in the leaves so far, in their order; tasks that had no room for all of it go on one by one
static void listBatch(Choice *choice)
{
    NearBatch *batch = choice->proximity->batch;
    int tasks = (batch->count + TASK_LEAVES - 1) / TASK_LEAVES, listed = 0;
    for (int t = 0; t < tasks; ++t)
    {
        batch->found[t].begin = t * TASK_LEAVES;
        batch->found[t].end = minInt((t + 1) * TASK_LEAVES, batch->count);
    }
    workersRun(choice->view->workers, tasks, findTask, choice);
    for (int t = 0; t < tasks; ++t)
    {
        for (; batch->found[t].begin < batch->found[t].end; listed = t)
        {
            listFound(choice, listed, t + 1);
            find(choice, &batch->found[t]);
        }
    }
    listFound(choice, listed, tasks);
    batch->count = 0;
}

static bool addLeaves(void *context, int leafA, int leafB)
{
    Choice *choice = context;
    NearBatch *batch = choice->proximity->batch;
    batch->leaves[batch->count++] = (LeafNames){ leafA, leafB };
    if (batch->count == TASKS * TASK_LEAVES)
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
    choice->closer = NEAR_AROUND * (choice->radius[0] - choice->radius[1]); // boxes have the range of vertices
    choice->friction = frictionMix(a->mesh->friction, b->mesh->friction);
    choice->proximity->room = minReal(choice->proximity->room, CHANGE * radius);
    featuresMeet(a->mesh->features, b->mesh->features, choice->mending, !choice->loosely, addLeaves, choice);
    listBatch(choice);
}

static void listAll(Proximity *p, const ProximityView *view, bool mending, bool loosely)
{
    Choice choice = { .proximity = p, .view = view, .mending = mending, .loosely = loosely };
    nearFieldPaths(p, view);
    for (int i = 0; i < p->bodyCount; ++i)
    {
        for (int k = i; k < p->bodyCount; ++k)
        {
            if (nearMayMeet(p->body[i].mesh, p->body[k].mesh))
                listBodies(&choice, &p->body[i], &p->body[k]);
        }
    }
}

void nearListMake(Proximity *p, const ProximityView *view, bool loosely)
{
    if (p->known)
        proximityHold(p);
    nearPathsMake(p, view, loosely);
    p->room = INFINITY;
    p->count = p->pressedCount = 0;
    p->pressedFor = view->h;
    if (p->batch == NULL)
        p->batch = ALLOCATE(p->memory, NearBatch, 1);
    p->incomplete |= p->batch == NULL;
    if (p->batch != NULL)
        listAll(p, view, false, loosely);
}

void nearListMend(Proximity *p, const ProximityView *view)
{
    nearPathsMend(p, view);
    if (p->batch == NULL || !seeStrays(p))
        p->incomplete = true;
    else
        listAll(p, view, true, false);
}
