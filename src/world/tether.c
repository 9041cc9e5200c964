// Long-range tethers: a vertex stays as near to the pins as the mesh at rest has it (Kim, Chentanez and Müller 2012,
// "Long range attachments"). Distances are along the edges of the mesh, which is never less than the shortest way.
#include "world/limit.h"

#define MOST_GROUPS 16 // of pins; those beyond are one
#define MOST_TETHERS 4 // of a vertex, to the nearest groups

// Distances of all vertices from one group of pins.
typedef struct Walk
{
    double *distance; // count, m; infinite: not reached
    int *anchor;      // count: the pin that is nearest
    int *heap;        // count: vertices by distance, the nearest first
    int *place;       // count: in the heap, -1: not in it
    int heapCount;
} Walk;

// Who is next to whom.
typedef struct Ways
{
    int *start; // count + 1
    int *next;  // 2 x edges
} Ways;

// ---- the heap -------------------------------------------------------------------------------------------------------

static void put(Walk *walk, int at, int vertex)
{
    walk->heap[at] = vertex;
    walk->place[vertex] = at;
}

static void rise(Walk *walk, int at)
{
    int vertex = walk->heap[at];
    for (; at > 0 && walk->distance[vertex] < walk->distance[walk->heap[(at - 1) / 2]]; at = (at - 1) / 2)
        put(walk, at, walk->heap[(at - 1) / 2]);
    put(walk, at, vertex);
}

static int takeNearest(Walk *walk)
{
    int nearest = walk->heap[0], vertex = walk->heap[--walk->heapCount], at = 0;
    walk->place[nearest] = -1;
    for (int child = 1; child < walk->heapCount; child = 2 * at + 1)
    {
        if (child + 1 < walk->heapCount && walk->distance[walk->heap[child + 1]] < walk->distance[walk->heap[child]])
            child += 1;
        if (!(walk->distance[walk->heap[child]] < walk->distance[vertex]))
            break;
        put(walk, at, walk->heap[child]);
        at = child;
    }
    if (walk->heapCount > 0 && vertex != nearest)
        put(walk, at, vertex);
    return nearest;
}

static void reachVertex(Walk *walk, int vertex, double distance, int anchor)
{
    if (!(distance < walk->distance[vertex]))
        return;
    walk->distance[vertex] = distance;
    walk->anchor[vertex] = anchor;
    if (walk->place[vertex] < 0)
        put(walk, walk->heapCount++, vertex);
    rise(walk, walk->place[vertex]);
}

// ---- the mesh -------------------------------------------------------------------------------------------------------

static bool makeWays(Memory *memory, const vvMesh *mesh, int count, Ways *ways)
{
    ways->start = ALLOCATE(memory, int, count + 1);
    ways->next = ALLOCATE(memory, int, 2 * (size_t)mesh->edgeCount);
    if (ways->start == NULL || ways->next == NULL)
        return false;
    for (int i = 0; i < 2 * mesh->edgeCount; ++i)
        ways->start[mesh->edge[i]] += 1;
    for (int v = 0, sum = 0; v <= count; ++v)
    {
        int own = v < count ? ways->start[v] : 0;
        ways->start[v] = sum += own; // ends, until all are in
    }
    for (int i = 0; i < 2 * mesh->edgeCount; ++i)
        ways->next[--ways->start[mesh->edge[i]]] = mesh->edge[i ^ 1];
    return true;
}

static double restLength(const vvMesh *mesh, int a, int b)
{
    return vecLength(vecSub(vecLoad(mesh->point + 3 * (ptrdiff_t)a), vecLoad(mesh->point + 3 * (ptrdiff_t)b)));
}

// pins that are next to each other are one group; returns how many there are
static int findGroups(const State *s, const Ways *ways, int *group, int *room)
{
    int groups = 0;
    for (int v = 0; v < s->count; ++v)
        group[v] = -1;
    for (int v = 0; v < s->count; ++v)
    {
        int left = 0;
        if (!s->pinned[v] || group[v] >= 0)
            continue;
        int number = minInt(groups++, MOST_GROUPS - 1);
        group[v] = number;
        for (room[left++] = v; left > 0;)
        {
            int at = room[--left];
            for (int k = ways->start[at]; k < ways->start[at + 1]; ++k)
            {
                int other = ways->next[k];
                if (!s->pinned[other] || group[other] >= 0)
                    continue;
                group[other] = number;
                room[left++] = other;
            }
        }
    }
    return minInt(groups, MOST_GROUPS);
}

static void walkFrom(const Body *body, const Ways *ways, const int *group, int number, Walk *walk)
{
    walk->heapCount = 0;
    for (int v = 0; v < body->count; ++v)
    {
        walk->distance[v] = INFINITY;
        walk->place[v] = -1;
    }
    for (int v = 0; v < body->count; ++v)
    {
        if (group[v] == number)
            reachVertex(walk, v, 0, v);
    }
    while (walk->heapCount > 0)
    {
        int at = takeNearest(walk);
        for (int k = ways->start[at]; k < ways->start[at + 1]; ++k)
        {
            double distance = walk->distance[at] + restLength(body->mesh, at, ways->next[k]);
            reachVertex(walk, ways->next[k], distance, walk->anchor[at]);
        }
    }
}

// ---- tethers --------------------------------------------------------------------------------------------------------

// Arrays of the search, and the tethers that vertices have so far.
typedef struct Search
{
    Ways ways;
    Walk walk;
    int *group, *room; // count
    int *anchor;       // count x MOST_TETHERS, the nearest first; -1: none
    double *length;    // count x MOST_TETHERS, m
} Search;

static void keepNearest(Search *search, int vertex)
{
    double length = search->walk.distance[vertex];
    int anchor = search->walk.anchor[vertex];
    for (int k = 0; k < MOST_TETHERS && length < INFINITY; ++k)
    {
        double *own = &search->length[MOST_TETHERS * (ptrdiff_t)vertex + k];
        int *tied = &search->anchor[MOST_TETHERS * (ptrdiff_t)vertex + k];
        if (*tied >= 0 && !(length < *own))
            continue;
        double lastLength = *tied >= 0 ? *own : INFINITY;
        int lastAnchor = *tied;
        *own = length;
        *tied = anchor;
        length = lastLength;
        anchor = lastAnchor;
    }
}

static bool createSearch(Memory *memory, const Body *body, Search *search)
{
    size_t count = (size_t)body->count;
    search->walk.distance = ALLOCATE(memory, double, count);
    search->walk.anchor = ALLOCATE(memory, int, count);
    search->walk.heap = ALLOCATE(memory, int, count);
    search->walk.place = ALLOCATE(memory, int, count);
    search->group = ALLOCATE(memory, int, count);
    search->room = ALLOCATE(memory, int, count);
    search->anchor = ALLOCATE(memory, int, MOST_TETHERS *count);
    search->length = ALLOCATE(memory, double, MOST_TETHERS *count);
    return search->walk.distance && search->walk.anchor && search->walk.heap && search->walk.place && search->group &&
           search->room && search->anchor && search->length && makeWays(memory, body->mesh, body->count, &search->ways);
}

static void releaseSearch(Memory *memory, Search *search)
{
    void *const blocks[] = { search->walk.distance, search->walk.anchor, search->walk.heap, search->walk.place,
                             search->group,         search->room,        search->anchor,    search->length,
                             search->ways.start,    search->ways.next };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
        memoryRelease(memory, blocks[i]);
}

static vvResult listTethers(Body *body, const vvTetherDef *def, Search *search, LimitList *list)
{
    State s = stateSlice(&body->world->state, body->first, body->count);
    int groups = findGroups(&s, &search->ways, search->group, search->room);
    for (int i = 0; i < MOST_TETHERS * body->count; ++i)
        search->anchor[i] = -1;
    for (int g = 0; g < groups; ++g)
    {
        walkFrom(body, &search->ways, search->group, g, &search->walk);
        for (int v = 0; v < body->count; ++v)
            keepNearest(search, v);
    }
    for (int i = 0; i < MOST_TETHERS * body->count; ++i)
    {
        if (search->anchor[i] >= 0 && !s.pinned[i / MOST_TETHERS])
            limitListAdd(body, list, i / MOST_TETHERS, search->anchor[i], REACH_WITHIN, def->scale * search->length[i],
                         def->stiffness);
    }
    if (list->count > 0)
        return resultOk();
    return resultMake(VV_BAD_INPUT, "pin vertices first", "the body has %s",
                      groups == 0 ? "no pins" : "no free vertex");
}

vvTetherDef vvDefaultTetherDef(void)
{
    return (vvTetherDef){ .scale = 1, .cookie = TETHER_COOKIE };
}

static vvResult checkTethers(const Body *body, const vvTetherDef *def)
{
    vvResult result = checkDef(def != NULL && def->cookie == TETHER_COOKIE, "tether", "vvDefaultTetherDef()");
    if (result.code == VV_OK && !(def->scale >= 1 && def->scale <= 1e6))
        result = resultMake(VV_BAD_INPUT, "1 is the distance at rest, 1.05 lets it stretch by 5 %",
                            "scale is %g, must be 1 to 1e6", def->scale);
    if (result.code == VV_OK)
        result = limitCheckStiffness(def->stiffness);
    return result.code == VV_OK ? bodyCheckRoom(body) : result;
}

vvConstraintId vvCreateTethers(vvSoftBodyId id, const vvTetherDef *def, vvResult *result)
{
    Body *body = bodyOpen(id);
    int slot = -1;
    vvResult outcome = body ? checkTethers(body, def) : refused("body");
    if (outcome.code == VV_OK)
    {
        Memory *memory = &body->world->memory;
        Search search = { .group = NULL };
        LimitList list = { .count = 0 };
        bool enough =
            createSearch(memory, body, &search) && limitListReserve(memory, &list, MOST_TETHERS * body->count);
        outcome = enough ? listTethers(body, def, &search, &list) : resultOutOfMemory("tethers");
        releaseSearch(memory, &search);
        if (outcome.code == VV_OK)
            outcome = bodyJoin(body, limitCreate(body, &list, true), &slot);
        limitListRelease(memory, &list);
    }
    if (!resultPass(result, &outcome))
        return (vvConstraintId){ 0, 0, 0 };
    return ID_OF(vvConstraintId, body->world, slot, body->world->added[slot].generation);
}
