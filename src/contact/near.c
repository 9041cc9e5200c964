// The pairs of a list in one substep: planes between those that may meet, and the contacts of these.
#include "base/simd.h"
#include "contact/proximity.h"

#include <string.h>

#define TASK 512        // pairs
#define SLACK 0.02      // of the radius: less overlap stays, for parting it stirs what rests;
#define SLACK_EDGES 0.2 //   of edges, which is all that ropes have
#define TURNED 0.7      // cosine: a normal that turns by more in half a substep is not trusted

// ---- planes ---------------------------------------------------------------------------------------------------------

static double reachOf(const Proximity *p, const NearName *pair, int begin, int end)
{
    double reach = 0;
    for (int k = begin; k < end; ++k)
        reach = maxReal(reach, p->reach[pair->vertex[k]]);
    return reach;
}

static bool isCrossed(const Proximity *p, const NearName *pair)
{
    bool crossed[2] = { false, false };
    for (int k = 0; k < 4; ++k)
        crossed[k >= pair->first] |= (p->crossed[pair->vertex[k]] & CROSSED_VERTEX) != 0;
    return crossed[0] && crossed[1];
}

static bool isLoose(const Proximity *p, const NearName *pair)
{
    return ((p->crossed[pair->vertex[0]] | p->crossed[pair->vertex[1]] | p->crossed[pair->vertex[2]] |
             p->crossed[pair->vertex[3]]) &
            LOOSE_VERTEX) != 0;
}

// m, along one axis: how far apart the intervals of both stay, at least
SIMD_INLINE double gapAlong(const Vec3 *points, const Vec3 *moves, int axis, const int first)
{
    const double *at = (const double *)points + axis, *by = (const double *)moves + axis;
    double lowerA = at[0], upperA = at[0], leastA = by[0], mostA = by[0];
    double lowerB = at[9], upperB = at[9], leastB = by[9], mostB = by[9];
    for (int k = 1; k < first; ++k)
    {
        lowerA = minReal(lowerA, at[3 * k]);
        upperA = maxReal(upperA, at[3 * k]);
        leastA = minReal(leastA, by[3 * k]);
        mostA = maxReal(mostA, by[3 * k]);
    }
    for (int k = first; k < 3; ++k)
    {
        lowerB = minReal(lowerB, at[3 * k]);
        upperB = maxReal(upperB, at[3 * k]);
        leastB = minReal(leastB, by[3 * k]);
        mostB = maxReal(mostB, by[3 * k]);
    }
    double above = lowerA - upperB - maxReal(mostB - leastA, 0), below = lowerB - upperA - maxReal(mostA - leastB, 0);
    return maxReal(above, below);
}

SIMD_INLINE bool isApart(const Vec3 *at, const Vec3 *by, const int first, double least)
{
    return gapAlong(at, by, 0, first) > least || gapAlong(at, by, 1, first) > least ||
           gapAlong(at, by, 2, first) > least;
}

bool nearApart(const Vec3 at[4], const Vec3 by[4], int first, double least)
{
    return first == 1 ? isApart(at, by, 1, least) : isApart(at, by, 2, least);
}

static Closest closestOf(const Vec3 at[4], int first)
{
    return first == 1 ? closestVertexTriangle(at) : closestEdges(at);
}

// false: they cannot meet, or have met
static bool loosePlaneOf(const Proximity *p, const double *x, int number, Plane *plane)
{
    const Vec3 still[4] = { vec3(0, 0, 0), vec3(0, 0, 0), vec3(0, 0, 0), vec3(0, 0, 0) };
    const NearName *pair = &p->name[number];
    if (!isLoose(p, pair) || (p->crossings > 0 && isCrossed(p, pair)))
        return false;
    Vec3 at[4];
    for (int k = 0; k < 4; ++k)
        at[k] = vecLoad(x + 3 * (ptrdiff_t)pair->vertex[k]);
    double reachA = reachOf(p, pair, 0, pair->first), reachB = reachOf(p, pair, pair->first, 4);
    if (nearApart(at, still, pair->first, reachA + reachB))
        return false;
    Closest closest = closestOf(at, pair->first);
    if (!(closest.distance > 0 && closest.distance < reachA + reachB))
        return false;
    *plane = planeBetween(p, number, at, &closest, minReal(maxReal(reachB / (reachA + reachB), 0.1), 0.9));
    return true;
}

bool nearGrow(Proximity *p, const ProximityView *view)
{
    bool grown = false;
    for (int i = 0; i < p->count; ++i)
    {
        const int *v = p->name[i].vertex;
        Plane plane;
        if ((p->crossed[v[0]] & p->crossed[v[1]] & p->crossed[v[2]] & p->crossed[v[3]] & LOOSE_VERTEX) ||
            !loosePlaneOf(p, view->x, i, &plane))
            continue;
        for (int k = 0; k < 4; ++k)
            p->crossed[v[k]] |= LOOSE_VERTEX;
        grown = true;
    }
    return grown;
}

typedef struct PlaneTasks
{
    Proximity *proximity;
    const double *x;
    double reach;                  // m: as of ProximityView
    bool loose;                    // else displacements are as they are
    int first;                     // number of the first task of this run
    int found[WORKERS_MOST_TASKS]; // planes of each task, behind each other where its pairs begin
} PlaneTasks;

static void planeTask(void *context, int task)
{
    PlaneTasks *tasks = context;
    Proximity *p = tasks->proximity;
    int begin = (tasks->first + task) * TASK, end = minInt(begin + TASK, p->count), found = 0;
    if (!tasks->loose)
    {
        bool passes[TASK];
        NearSieve sieve = { .proximity = p, .reach = tasks->reach, .passes = passes };
        for (int i = begin; i < end; ++i)
            nearSieveAdd(&sieve, i - begin, &p->name[i]);
        nearSieveEnd(&sieve);
        for (int i = begin; i < end && p->crossings > 0; ++i)
            passes[i - begin] = passes[i - begin] && !isCrossed(p, &p->name[i]);
        found = planesMake(p, tasks->x, begin, end - begin, passes, p->plane + begin);
    }
    for (int i = begin; i < end && tasks->loose; ++i)
        found += loosePlaneOf(p, tasks->x, i, &p->plane[begin + found]);
    tasks->found[task] = found;
}

static void findAll(Proximity *p, const ProximityView *view, bool loose)
{
    PlaneTasks tasks = { .proximity = p, .x = view->x, .reach = view->reach, .loose = loose };
    int count = (p->count + TASK - 1) / TASK;
    p->planeCount = 0;
    for (tasks.first = 0; tasks.first < count; tasks.first += WORKERS_MOST_TASKS)
    {
        int now = minInt(count - tasks.first, WORKERS_MOST_TASKS);
        workersRun(view->workers, now, planeTask, &tasks);
        for (int t = 0; t < now; ++t)
        {
            memmove(p->plane + p->planeCount, p->plane + (ptrdiff_t)(tasks.first + t) * TASK,
                    (size_t)tasks.found[t] * sizeof(Plane));
            p->planeCount += tasks.found[t];
        }
    }
}

void nearPlanes(Proximity *p, const ProximityView *view)
{
    findAll(p, view, false);
}

void nearPlanesLoose(Proximity *p, const ProximityView *view)
{
    findAll(p, view, true);
}

// ---- contacts -------------------------------------------------------------------------------------------------------

static bool reserveContacts(Proximity *p, ContactList *list, int count)
{
    if (count <= list->capacity)
        return true;
    if (count > p->contactRoom)
    {
        int grown = maxInt(64, count + count / 2);
        Contact *contact = ALLOCATE(p->memory, Contact, grown);
        if (contact == NULL)
            return false;
        if (list->count > 0)
            memcpy(contact, list->item, (size_t)list->count * sizeof(Contact));
        memoryRelease(p->memory, p->contact);
        p->contact = contact;
        p->contactRoom = grown;
    }
    else if (list->count > 0)
        memcpy(p->contact, list->item, (size_t)list->count * sizeof(Contact));
    list->item = p->contact;
    list->capacity = p->contactRoom;
    return true;
}

static double lessSlack(const Plane *plane, double gap)
{
    double slack = (plane->first == 1 ? SLACK : SLACK_EDGES) * plane->radius;
    return gap < 0 ? minReal(gap + slack, 0) : gap;
}

static void planeContact(const Proximity *p, const Plane *plane, const ContactView *view, Contact *entry)
{
    const NearPair *pair = &p->pair[plane->pair];
    *entry = (Contact){ .normal = plane->at.normal,
                        .gap = lessSlack(plane, plane->gap),
                        .friction = pair->friction,
                        .impulse = pair->impulse,
                        .count = 4,
                        .term = view->term,
                        .element = plane->pair,
                        .near = true,
                        .pair = { pair->member[0], pair->member[1] } };
    memcpy(entry->vertex, plane->vertex, sizeof plane->vertex);
    memcpy(entry->weight, plane->at.weight, sizeof plane->at.weight);
}

// A plane is made where the substep starts and holds for all of it. Edges, whose normal turns with their motion, act
// along the normal where forces are taken: along that of the start, which lags behind, a force F at a distance r gives
// to a mass m that passes F h / (m r) of its energy in a second, and taut ropes trembled on each other for ever. To
// vertices on triangles it made no difference, and took 3 % of the time of ten layers.
static void moveToMiddle(const Plane *plane, const Closest *middle, Contact *entry)
{
    if (vecDot(middle->normal, plane->at.normal) < TURNED)
        return;
    entry->normal = middle->normal;
    entry->gap = lessSlack(plane, middle->distance - plane->radius);
    memcpy(entry->weight, middle->weight, sizeof middle->weight);
}

// A pair that pressed goes on, so that what lies on the line between two triangles does not begin anew.
static void leaveOutRims(const Proximity *p, const ContactView *view, Plane *plane, int count)
{
    for (int i = 0; i < count && p->crossings == 0; ++i)
        plane[i].reaches = plane[i].reaches && (plane[i].pressed || !nearIsElsewhere(p, view->start, &plane[i]));
}

// Planes in tasks: which are within reach, then their contacts, where those of earlier tasks end.
typedef struct CollectTasks
{
    Proximity *proximity;
    const ContactView *view;
    Contact *item;
    int first; // number of the first task of this run
    int place[WORKERS_MOST_TASKS + 1];
    bool filling;
} CollectTasks;

static void fill(const Proximity *p, const ContactView *view, int begin, int end, Contact *item)
{
    int edges[PLANES_AT_ONCE], count = 0;
    Contact *entry[PLANES_AT_ONCE];
    Closest middle[PLANES_AT_ONCE];
    for (int i = begin; i < end; ++i)
    {
        if (p->plane[i].reaches)
        {
            planeContact(p, &p->plane[i], view, item);
            edges[count] = i;
            entry[count] = item++;
            count += p->plane[i].first == 2;
        }
        if (count < PLANES_AT_ONCE && i + 1 < end)
            continue;
        planesNearest(p, view->z, edges, count, middle);
        for (int k = 0; k < count; ++k)
            moveToMiddle(&p->plane[edges[k]], &middle[k], entry[k]);
        count = 0;
    }
}

static void collectTask(void *context, int task)
{
    CollectTasks *tasks = context;
    const Proximity *p = tasks->proximity;
    int begin = (tasks->first + task) * TASK, end = minInt(begin + TASK, p->planeCount), found = 0;
    if (tasks->filling)
    {
        fill(p, tasks->view, begin, end, tasks->item + tasks->place[task]);
        return;
    }
    planesReach(p, tasks->view, p->plane + begin, end - begin);
    leaveOutRims(p, tasks->view, p->plane + begin, end - begin);
    for (int i = begin; i < end; ++i)
        found += p->plane[i].reaches;
    tasks->place[task + 1] = found;
}

static void collectPlanes(Proximity *p, const ContactView *view, ContactList *list)
{
    CollectTasks tasks = { .proximity = p, .view = view, .item = list->item };
    int count = (p->planeCount + TASK - 1) / TASK;
    for (tasks.first = 0; tasks.first < count; tasks.first += WORKERS_MOST_TASKS)
    {
        int now = minInt(count - tasks.first, WORKERS_MOST_TASKS);
        tasks.filling = false;
        workersRun(view->workers, now, collectTask, &tasks);
        tasks.place[0] = list->count;
        for (int t = 0; t < now; ++t)
            tasks.place[t + 1] += tasks.place[t];
        tasks.filling = true;
        workersRun(view->workers, now, collectTask, &tasks);
        list->count = tasks.place[now];
    }
}

#define UNTANGLED 1 // m/s, before the law caps it as the recovery of overlap

// edges that pass through triangles: elements behind all pairs
static void collectTangles(const Proximity *p, const ContactView *view, ContactList *list)
{
    for (int i = 0; i < p->tangleCount; ++i)
    {
        const Tangle *tangle = &p->tangle[i];
        Contact entry = { .count = 4,
                          .normal = tangle->normal,
                          .gap = -UNTANGLED * view->h,
                          .term = view->term,
                          .element = p->count + i,
                          .near = true,
                          .pair = { tangle->member[0], tangle->member[1] } };
        memcpy(entry.vertex, tangle->vertex, sizeof tangle->vertex);
        memcpy(entry.weight, tangle->weight, sizeof tangle->weight);
        *contactListAdd(list) = entry;
    }
}

bool proximityCollect(Proximity *p, const ContactView *view, ContactList *list)
{
    if (!reserveContacts(p, list, list->count + p->planeCount + p->tangleCount))
        return false;
    collectTangles(p, view, list);
    collectPlanes(p, view, list);
    return true;
}

void proximityForgetImpulses(Proximity *p)
{
    for (int i = 0; i < p->pressedCount; ++i)
    {
        p->pair[p->pressed[i]].impulse = vec3(0, 0, 0);
        p->name[p->pressed[i]].pressed = false;
    }
    p->pressedCount = 0;
}

bool proximityKeepImpulse(const Proximity *p, const Contact *from, double h)
{
    if (from->element >= p->count)
        return false;
    NearPair *pair = &p->pair[from->element];
    double pressed = vecDot(from->impulse, from->normal);
    if (vecDot(from->impulse, from->impulse) > 0)
    {
        pair->impulse = from->impulse;
        p->name[from->element].pressed = true;
    }
    if (pair->held == NULL || (p->crossed[from->vertex[0]] & p->crossed[from->vertex[1]] & CROSSED_BODY))
        return pair->held == NULL && pressed > 0;
    pair->held->force = pressed / h;
    vecStore(pair->held->impulse, vecAdd(vecLoad(pair->held->impulse), from->impulse));
    vecStore(pair->held->normal, from->normal);
    vecStore(pair->held->offset, vecScale(1 / h, vecSub(from->impulse, vecScale(pressed, from->normal))));
    for (int k = 0; k < 3; ++k)
        pair->held->share[k] = -from->weight[k + 1];
    return false;
}

void proximityListImpulse(Proximity *p, const Contact *from, double h)
{
    if (from->element >= p->count)
        return;
    p->pressedFor = h;
    if (vecDot(from->impulse, from->impulse) > 0)
        p->pressed[p->pressedCount++] = from->element;
    if (!from->untold)
        return;
    NearPair *pair = &p->pair[from->element];
    const NearName *name = &p->name[from->element];
    EdgeContact about = { .first = name->first, .triangle = pair->triangle, .radius = name->radius };
    edgeContactKeep(&p->body[pair->member[0]], &p->body[pair->member[1]], p->memory, from, h, about, &pair->told);
}
