// The pairs of a list in one substep: planes between those that may meet, and the contacts of these.
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

// the distance of two boxes is not above that of what is in them
static bool areBoxesApart(const Vec3 *at, int first, double reach)
{
    Vec3 lower[2] = { at[0], at[first] }, upper[2] = { at[0], at[first] };
    for (int k = 1; k < 4; ++k)
    {
        int side = k >= first;
        lower[side] =
            vec3(minReal(lower[side].x, at[k].x), minReal(lower[side].y, at[k].y), minReal(lower[side].z, at[k].z));
        upper[side] =
            vec3(maxReal(upper[side].x, at[k].x), maxReal(upper[side].y, at[k].y), maxReal(upper[side].z, at[k].z));
    }
    return lower[0].x - upper[1].x >= reach || lower[1].x - upper[0].x >= reach || lower[0].y - upper[1].y >= reach ||
           lower[1].y - upper[0].y >= reach || lower[0].z - upper[1].z >= reach || lower[1].z - upper[0].z >= reach;
}

// false: they cannot meet, or have met
static bool planeOf(const Proximity *p, const double *x, int number, Plane *plane)
{
    const NearPair *pair = &p->pair[number];
    Vec3 at[4];
    for (int k = 0; k < 4; ++k)
        at[k] = vecLoad(x + 3 * (ptrdiff_t)pair->vertex[k]);
    double reachA = reachOf(p, pair, 0, pair->first), reachB = reachOf(p, pair, pair->first, 4);
    if (areBoxesApart(at, pair->first, reachA + reachB) || (p->crossings > 0 && isCrossed(p, pair)))
        return false;
    Closest closest = pair->first == 1 ? closestVertexTriangle(at) : closestEdges(at);
    if (!(closest.distance > 0 && closest.distance < reachA + reachB))
        return false;
    *plane = (Plane){ .pair = number, .at = closest };
    Vec3 foot = vec3(0, 0, 0); // of the second, from its first corner
    for (int k = pair->first; k < 4; ++k)
        foot = vecAdd(foot, vecScale(-closest.weight[k], vecSub(at[k], at[pair->first])));
    double level = minReal(maxReal(reachB / (reachA + reachB), 0.1), 0.9) * closest.distance;
    for (int k = 0; k < 4; ++k)
    {
        double above = vecDot(closest.normal, vecSub(vecSub(at[k], at[pair->first]), foot)) - level;
        plane->slack[k] = maxReal(k < pair->first ? above : -above, 0);
    }
    return true;
}

typedef struct PlaneTasks
{
    Proximity *proximity;
    const double *x;
    int first;                     // number of the first task of this run
    int found[WORKERS_MOST_TASKS]; // planes of each task, behind each other where its pairs begin
} PlaneTasks;

static void planeTask(void *context, int task)
{
    PlaneTasks *tasks = context;
    Proximity *p = tasks->proximity;
    int begin = (tasks->first + task) * TASK, end = minInt(begin + TASK, p->count), found = 0;
    for (int i = begin; i < end; ++i)
        found += planeOf(p, tasks->x, i, &p->plane[begin + found]);
    tasks->found[task] = found;
}

void nearPlanes(Proximity *p, const ProximityView *view)
{
    PlaneTasks tasks = { .proximity = p, .x = view->x };
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

static Contact contactAt(const Proximity *p, const Plane *plane, const ContactView *view)
{
    const NearPair *pair = &p->pair[plane->pair];
    Contact entry = { .count = 4,
                      .normal = plane->at.normal,
                      .friction = pair->friction,
                      .impulse = pair->impulse,
                      .term = view->term,
                      .element = plane->pair,
                      .near = true };
    Vec3 apart = vec3(0, 0, 0);
    for (int k = 0; k < 4; ++k)
    {
        entry.vertex[k] = pair->vertex[k];
        entry.weight[k] = plane->at.weight[k];
        apart = vecAdd(apart, vecScale(entry.weight[k], vecLoad(view->z + 3 * (ptrdiff_t)pair->vertex[k])));
    }
    entry.gap = vecDot(entry.normal, apart) - pair->radius;
    return entry;
}

bool proximityCollect(Proximity *p, const ContactView *view, ContactList *list)
{
    if (!reserveContacts(p, list, list->count + p->planeCount))
        return false;
    for (int i = 0; i < p->planeCount; ++i)
    {
        Contact entry = contactAt(p, &p->plane[i], view);
        if (entry.gap <= view->reach + view->h * vecLength(contactRate(&entry, view->velocity)))
            *contactListAdd(list) = entry;
    }
    return true;
}

void proximityForgetImpulses(Proximity *p)
{
    for (int i = 0; i < p->count; ++i)
        p->pair[i].impulse = vec3(0, 0, 0);
}

void proximityKeepImpulse(Proximity *p, const Contact *from, double h)
{
    NearPair *pair = &p->pair[from->element];
    double pressed = vecDot(from->impulse, from->normal);
    pair->impulse = from->impulse;
    if (pair->held == NULL || (p->crossed[pair->vertex[0]] & p->crossed[pair->vertex[1]] & CROSSED_BODY))
        return;
    pair->held->force = pressed / h;
    vecStore(pair->held->normal, from->normal);
    vecStore(pair->held->offset, vecScale(1 / h, vecSub(from->impulse, vecScale(pressed, from->normal))));
    for (int k = 0; k < 3; ++k)
        pair->held->share[k] = -from->weight[k + 1];
}
