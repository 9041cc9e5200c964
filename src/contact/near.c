// The pairs of a list in one substep: planes between those that may meet, and the contacts of these.
#include "base/simd.h"
#include "contact/proximity.h"

#include <string.h>

#define TASK 512 // pairs

// ---- planes ---------------------------------------------------------------------------------------------------------

static double reachOf(const Proximity *p, const NearPair *pair, int begin, int end)
{
    double reach = 0;
    for (int k = begin; k < end; ++k)
        reach = maxReal(reach, p->reach[pair->vertex[k]]);
    return reach;
}

static bool isCrossed(const Proximity *p, const NearPair *pair)
{
    bool crossed[2] = { false, false };
    for (int k = 0; k < 4; ++k)
        crossed[k >= pair->first] |= (p->crossed[pair->vertex[k]] & CROSSED_VERTEX) != 0;
    return crossed[0] && crossed[1];
}

static bool isLoose(const Proximity *p, const NearPair *pair)
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

// `share` of the distance: where the plane is, from the second
static Plane planeAt(int number, const NearPair *pair, const Vec3 at[4], const Closest *closest, double share)
{
    Plane plane = { .pair = number, .at = *closest };
    Vec3 foot = vec3(0, 0, 0); // of the second, from its first corner
    for (int k = pair->first; k < 4; ++k)
        foot = vecAdd(foot, vecScale(-closest->weight[k], vecSub(at[k], at[pair->first])));
    double level = share * closest->distance;
    for (int k = 0; k < 4; ++k)
    {
        double above = vecDot(closest->normal, vecSub(vecSub(at[k], at[pair->first]), foot)) - level;
        plane.slack[k] = maxReal(k < pair->first ? above : -above, 0);
    }
    return plane;
}

static Closest closestOf(const Vec3 at[4], int first)
{
    return first == 1 ? closestVertexTriangle(at) : closestEdges(at);
}

// false: they have met
static bool planeOf(const Proximity *p, const double *x, int number, Plane *plane)
{
    const NearPair *pair = &p->pair[number];
    if (p->crossings > 0 && isCrossed(p, pair))
        return false;
    Vec3 at[4];
    for (int k = 0; k < 4; ++k)
        at[k] = vecLoad(x + 3 * (ptrdiff_t)pair->vertex[k]);
    Closest closest = closestOf(at, pair->first);
    if (!(closest.distance > 0))
        return false;
    *plane = planeAt(number, pair, at, &closest, 0.5);
    return true;
}

// false: they cannot meet, or have met
static bool loosePlaneOf(const Proximity *p, const double *x, int number, Plane *plane)
{
    const Vec3 still[4] = { vec3(0, 0, 0), vec3(0, 0, 0), vec3(0, 0, 0), vec3(0, 0, 0) };
    const NearPair *pair = &p->pair[number];
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
    *plane = planeAt(number, pair, at, &closest, minReal(maxReal(reachB / (reachA + reachB), 0.1), 0.9));
    return true;
}

bool nearGrow(Proximity *p, const ProximityView *view)
{
    bool grown = false;
    for (int i = 0; i < p->count; ++i)
    {
        const int *v = p->pair[i].vertex;
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
    bool loose;                    // else displacements are as they are
    int first;                     // number of the first task of this run
    int found[WORKERS_MOST_TASKS]; // planes of each task, behind each other where its pairs begin
} PlaneTasks;

static void planeTask(void *context, int task)
{
    PlaneTasks *tasks = context;
    Proximity *p = tasks->proximity;
    int begin = (tasks->first + task) * TASK, end = minInt(begin + TASK, p->count), found = 0;
    bool passes[TASK];
    NearSieve sieve = { .proximity = p, .passes = passes };
    for (int i = begin; i < end && !tasks->loose; ++i)
        nearSieveAdd(&sieve, i - begin, &p->name[i]);
    nearSieveEnd(&sieve);
    for (int i = begin; i < end; ++i)
    {
        Plane *plane = &p->plane[begin + found];
        if (tasks->loose)
            found += loosePlaneOf(p, tasks->x, i, plane);
        else if (passes[i - begin])
            found += planeOf(p, tasks->x, i, plane);
    }
    tasks->found[task] = found;
}

static void findAll(Proximity *p, const ProximityView *view, bool loose)
{
    PlaneTasks tasks = { .proximity = p, .x = view->x, .loose = loose };
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

static bool planeReaches(const Proximity *p, const Plane *plane, const ContactView *view, double *gap)
{
    const NearPair *pair = &p->pair[plane->pair];
    const double *w = plane->at.weight;
    Vec3 n = plane->at.normal, apart = vec3(0, 0, 0), rate = vec3(0, 0, 0);
    if (pair->inner && w[0] * w[1] * w[2] * w[3] == 0)
        return false;
    for (int k = 0; k < 4; ++k)
    {
        ptrdiff_t v = 3 * (ptrdiff_t)pair->vertex[k];
        apart = vecAdd(apart, vecScale(w[k], vecLoad(view->z + v)));
        rate = vecAdd(rate, vecScale(w[k], vecLoad(view->velocity + v)));
    }
    double approach = minReal(vecDot(n, rate), 0);
    *gap = vecDot(n, apart) - pair->radius;
    return vecDot(pair->impulse, n) > 0 || !(*gap + view->h * approach > view->reach);
}

static Contact planeContact(const Proximity *p, const Plane *plane, const ContactView *view)
{
    const NearPair *pair = &p->pair[plane->pair];
    Contact entry = { .count = 4,
                      .normal = plane->at.normal,
                      .gap = plane->gap,
                      .friction = pair->friction,
                      .impulse = pair->impulse,
                      .term = view->term,
                      .element = plane->pair,
                      .near = true };
    memcpy(entry.vertex, pair->vertex, sizeof pair->vertex);
    memcpy(entry.weight, plane->at.weight, sizeof plane->at.weight);
    return entry;
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

static void collectTask(void *context, int task)
{
    CollectTasks *tasks = context;
    const Proximity *p = tasks->proximity;
    int begin = (tasks->first + task) * TASK, end = minInt(begin + TASK, p->planeCount), found = 0;
    for (int i = begin; i < end; ++i)
    {
        Plane *plane = &p->plane[i];
        if (!tasks->filling)
            plane->reaches = planeReaches(p, plane, tasks->view, &plane->gap);
        else if (plane->reaches)
            tasks->item[tasks->place[task] + found] = planeContact(p, plane, tasks->view);
        found += plane->reaches;
    }
    if (!tasks->filling)
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
                          .near = true };
        memcpy(entry.vertex, tangle->vertex, sizeof tangle->vertex);
        memcpy(entry.weight, tangle->weight, sizeof tangle->weight);
        *contactListAdd(list) = entry;
    }
}

const int *proximityMembers(const Proximity *p, const Contact *contact)
{
    return contact->element < p->count ? p->pair[contact->element].member
                                       : p->tangle[contact->element - p->count].member;
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
        p->pair[p->pressed[i]].impulse = vec3(0, 0, 0);
    p->pressedCount = 0;
}

void proximityKeepImpulse(Proximity *p, const Contact *from, double h)
{
    if (from->element >= p->count)
        return;
    NearPair *pair = &p->pair[from->element];
    double pressed = vecDot(from->impulse, from->normal);
    pair->impulse = from->impulse;
    p->pressed[p->pressedCount++] = from->element;
    if (pair->held == NULL || (p->crossed[pair->vertex[0]] & p->crossed[pair->vertex[1]] & CROSSED_BODY))
        return;
    pair->held->force = pressed / h;
    vecStore(pair->held->impulse, vecAdd(vecLoad(pair->held->impulse), from->impulse));
    vecStore(pair->held->normal, from->normal);
    vecStore(pair->held->offset, vecScale(1 / h, vecSub(from->impulse, vecScale(pressed, from->normal))));
    for (int k = 0; k < 3; ++k)
        pair->held->share[k] = -from->weight[k + 1];
}
