// Separating planes: both simplices of a pair stay on their side of one plane that moves evenly through the substep, so
// they cannot meet in it. Displacements lose what would pass a plane, and no more: the component along its normal.
#include "contact/proximity.h"

#define LOOSE 0.025    // of its distance: by which a corner may be beyond what it should in the end,
#define TIGHT 1e-6     //   and below the floor
#define ROUNDS 4       // over all planes
#define PASSES 8       // in which planes that were passed become fixed
#define SWEEPS 100     // over the planes that were reached, for impulses: what is light passes them on slowly
#define STOPPED 1e-3   // of the fastest approach: slower ones count as stopped
#define IMPULSES 20000 // in all sweeps

static Vec3 moveOf(const Proximity *p, int vertex)
{
    return vecLoad(p->move + 3 * (ptrdiff_t)vertex);
}

// m, along the normal: how far a corner is beyond what it may
static double beyond(const Proximity *p, const Plane *plane, int corner)
{
    double along = vecDot(plane->at.normal, moveOf(p, plane->vertex[corner])) - plane->shift;
    double slack = plane->slack[corner],
           kept = minReal(slack, maxReal(PLANE_KEPT * slack, PLANE_FLOOR * plane->radius));
    return (corner < plane->first ? -along : along) - (slack - kept);
}

static bool isPassed(const Proximity *p, const Plane *plane, int corner)
{
    double slack = plane->slack[corner];
    return beyond(p, plane, corner) > (slack > PLANE_FLOOR * plane->radius ? LOOSE : TIGHT) * slack;
}

// pins go where they are told: the plane gives way to them
static void giveWay(const Proximity *p, Plane *plane, const unsigned char *pinned)
{
    for (int k = 0; k < 4; ++k)
    {
        if (!pinned[plane->vertex[k]])
            continue;
        double over = beyond(p, plane, k);
        if (over > 0)
            plane->shift += k < plane->first ? -over : over;
    }
}

static void placePlane(const Proximity *p, Plane *plane, const unsigned char *pinned)
{
    double sum = 0;
    for (int k = 0; k < 4; ++k)
        sum += fabs(plane->at.weight[k]) * vecDot(plane->at.normal, moveOf(p, plane->vertex[k]));
    plane->shift = 0.5 * sum;
    giveWay(p, plane, pinned);
}

// false: nothing passed
static bool clipRound(Proximity *p, const unsigned char *pinned)
{
    bool any = false;
    for (int i = 0; i < p->planeCount; ++i)
    {
        Plane *plane = &p->plane[i];
        for (int k = 0; k < 4; ++k)
        {
            int v = plane->vertex[k];
            double over = beyond(p, plane, k);
            if (!(over > 0) || pinned[v])
                continue;
            Vec3 back = vecScale(k < plane->first ? over : -over, plane->at.normal);
            vecStore(p->move + 3 * (ptrdiff_t)v, vecAdd(moveOf(p, v), back));
            plane->clipped = any = true;
        }
    }
    return any;
}

// ---- colliders ------------------------------------------------------------------------------------------------------

// of one vertex, with a collider that stands still
static bool isFloor(const Contact *contact, const unsigned char *pinned)
{
    return contact->count == 1 && contact->movable == NULL && vecDot(contact->drift, contact->drift) == 0 &&
           !contact->near && !pinned[contact->vertex[0]];
}

static double floorGap(const PlaneState *s, const Contact *floor) // m, where the substep starts
{
    Vec3 ahead = vecScale(s->half, vecLoad(s->startVelocity + 3 * (ptrdiff_t)floor->vertex[0]));
    return floor->gap - vecDot(floor->normal, ahead);
}

// planes push nobody into a collider, or deeper into one than the law left it
static void holdFloors(Proximity *p, const PlaneState *s)
{
    for (int i = 0; i < s->floorCount; ++i)
    {
        const Contact *floor = &s->floor[i];
        ptrdiff_t v = floor->vertex[0];
        if (!isFloor(floor, s->pinned))
            continue;
        Vec3 was = vecSub(vecLoad(s->position + 3 * v), vecLoad(s->start + 3 * v)), move = moveOf(p, (int)v);
        double least = minReal(vecDot(floor->normal, was), -floorGap(s, floor));
        double over = least - vecDot(floor->normal, vecAdd(move, p->common));
        if (over > 0)
            vecStore(p->move + 3 * v, vecAdd(move, vecScale(over, floor->normal)));
    }
}

// The same of a velocity, which leads to where the next gap is measured. Returns how much too fast it was, m/s.
static double stopFloor(const PlaneState *s, const Contact *floor)
{
    ptrdiff_t v = floor->vertex[0];
    if (!isFloor(floor, s->pinned))
        return 0;
    Vec3 moved = vecSub(vecLoad(s->position + 3 * v), vecLoad(s->start + 3 * v));
    double gap = maxReal(floorGap(s, floor) + vecDot(floor->normal, moved), 0);
    Vec3 u = vecLoad(s->velocity + 3 * v);
    double rate = vecDot(floor->normal, u), by = -gap / s->half - rate;
    if (!(by > 0))
        return 0;
    vecStore(s->velocity + 3 * v, vecAdd(u, vecScale(by, floor->normal)));
    *s->lost -= s->mass[v] * by * (rate + 0.5 * by);
    return by;
}

// ---- displacements --------------------------------------------------------------------------------------------------

// no farther than was foreseen: planes that pushed may ask for more
static void capMoves(Proximity *p)
{
    for (int i = 0; i < p->planeCount; ++i)
    {
        const Plane *plane = &p->plane[i];
        for (int k = 0; k < 4; ++k)
        {
            Vec3 move = moveOf(p, plane->vertex[k]);
            double length = vecLength(move), reach = p->reach[plane->vertex[k]];
            if (length > reach)
                vecStore(p->move + 3 * (ptrdiff_t)plane->vertex[k], vecScale(reach / length, move));
        }
    }
}

// planes that are still passed do not move any more; false: none is
static bool fixPassed(Proximity *p, const unsigned char *pinned)
{
    bool any = false;
    for (int i = 0; i < p->planeCount; ++i)
    {
        Plane *plane = &p->plane[i];
        bool passed = false;
        for (int k = 0; k < 4; ++k)
            passed |= isPassed(p, plane, k) && !pinned[plane->vertex[k]];
        if (!passed)
            continue;
        any = true;
        if (!plane->fixed)
        {
            plane->fixed = true;
            plane->shift = 0;
            giveWay(p, plane, pinned);
        }
    }
    return any;
}

static void loadMoves(Proximity *p, const PlaneState *s)
{
    for (int i = 0; i < 3 * p->vertexCount; ++i)
        p->move[i] = s->position[i] - s->start[i];
    for (int v = 0; v < p->vertexCount; ++v)
        vecStore(p->move + 3 * (ptrdiff_t)v, vecSub(moveOf(p, v), p->common));
}

static bool isCarried(const Proximity *p, int vertex) // or a pin
{
    return p->group[vertex] >= 0;
}

// All planes stand still, but where carried vertices pass them, and each other vertex goes as far as all of its planes
// allow on its straight way.
static void scaleOthers(Proximity *p, const PlaneState *s)
{
    for (int v = 0; v < p->vertexCount; ++v)
    {
        if (isCarried(p, v) && !s->pinned[v])
            vecStore(p->move + 3 * (ptrdiff_t)v, vecSub(vecLoad(p->carried + 3 * (ptrdiff_t)v), p->common));
    }
    for (int i = 0; i < p->planeCount; ++i)
    {
        Plane *plane = &p->plane[i];
        plane->shift = 0;
        for (int k = 0; k < 4; ++k)
        {
            double over = isCarried(p, plane->vertex[k]) ? beyond(p, plane, k) : 0;
            plane->shift += over <= 0 ? 0 : k < plane->first ? -over : over;
        }
    }
    for (int i = 0; i < p->planeCount; ++i)
    {
        Plane *plane = &p->plane[i];
        for (int k = 0; k < 4; ++k)
        {
            int v = plane->vertex[k];
            Vec3 move = moveOf(p, v);
            double over = beyond(p, plane, k), along = fabs(vecDot(plane->at.normal, move));
            if (!(over > 0) || isCarried(p, v))
                continue;
            vecStore(p->move + 3 * (ptrdiff_t)v, vecScale(along > over ? 1 - over / along : 0, move));
            plane->clipped = true;
        }
    }
}

// who is pressed by a plane that went along with pins goes along too; false: nobody is
static bool carryPressed(Proximity *p, const PlaneState *s)
{
    bool any = false;
    for (int i = 0; i < p->planeCount; ++i)
    {
        const Plane *plane = &p->plane[i];
        int group = -1;
        bool pressed = false;
        for (int k = 0; k < 4; ++k)
        {
            group = group < 0 ? p->group[plane->vertex[k]] : group;
            pressed |= isPassed(p, plane, k);
        }
        for (int k = 0; k < 4 && pressed && group >= 0; ++k)
        {
            if (isCarried(p, plane->vertex[k]))
                continue;
            carryWith(p, s, plane->vertex[k], group);
            any = true;
        }
    }
    return any;
}

// always possible, but between pins that close on each other
static void scaleMoves(Proximity *p, const PlaneState *s)
{
    carryBegin(p, s->pinned);
    do
    {
        loadMoves(p, s);
        scaleOthers(p, s);
    } while (carryPressed(p, s));
}

// ---- velocities -----------------------------------------------------------------------------------------------------

static void addCouple(Proximity *p, int member, Vec3 couple)
{
    p->body[member].couple = vecAdd(p->body[member].couple, couple);
}

// An impulse along the normal that stops the nearest points from approaching; the moment that it has where both are at
// the end is for both to take back. Returns how fast they approached, m/s.
static double stopApproach(Proximity *p, const Plane *plane, const PlaneState *s)
{
    const NearPair *pair = &p->pair[plane->pair];
    Vec3 n = plane->at.normal, apart = vec3(0, 0, 0);
    double rate = 0, inverse = 0, unpinned = 0;
    for (int k = 0; k < 4; ++k)
    {
        int v = plane->vertex[k];
        double w = plane->at.weight[k], along = w * vecDot(n, vecLoad(s->velocity + 3 * (ptrdiff_t)v));
        rate += along;
        unpinned += s->pinned[v] ? 0 : along;
        inverse += s->pinned[v] ? 0 : w * w / s->mass[v];
        apart = vecAdd(apart, vecScale(w, vecLoad(s->position + 3 * (ptrdiff_t)v)));
    }
    if (!(rate < 0) || !(inverse > 0))
        return 0;
    double impulse = -rate / inverse;
    for (int k = 0; k < 4; ++k)
    {
        int v = plane->vertex[k];
        double *u = s->velocity + 3 * (ptrdiff_t)v, w = plane->at.weight[k];
        if (!s->pinned[v])
            vecStore(u, vecAdd(vecLoad(u), vecScale(impulse * w / s->mass[v], n)));
    }
    *s->lost -= impulse * (unpinned + 0.5 * impulse * inverse);
    Vec3 half = vecScale(-0.5 * impulse, vecCross(apart, n));
    addCouple(p, pair->member[0], half);
    addCouple(p, pair->member[1], half);
    return -rate;
}

// between all that reached a plane, until nothing approaches: no impulse adds energy
static void stopAll(Proximity *p, const PlaneState *s)
{
    double first = 0;
    int reached = 0, impulses = 0;
    for (int i = 0; i < p->planeCount; ++i)
    {
        const NearPair *pair = &p->pair[p->plane[i].pair];
        if (!p->plane[i].clipped)
            continue;
        p->body[pair->member[0]].reached = p->body[pair->member[1]].reached = true;
        p->plane[reached++] = p->plane[i];
    }
    p->planeCount = reached;
    for (int sweep = 0; sweep < SWEEPS && impulses <= IMPULSES; ++sweep, impulses += reached)
    {
        double fastest = 0;
        for (int i = 0; i < reached; ++i)
            fastest = maxReal(fastest, stopApproach(p, &p->plane[i], s));
        for (int i = 0; i < s->floorCount; ++i)
            fastest = maxReal(fastest, stopFloor(s, &s->floor[i]));
        first = sweep == 0 ? fastest : first;
        if (!(fastest > STOPPED * first))
            break;
    }
}

// ---- all ------------------------------------------------------------------------------------------------------------

static void storeMoves(Proximity *p, const PlaneState *s)
{
    for (int i = 0; i < p->planeCount; ++i)
    {
        const Plane *plane = &p->plane[i];
        const int *member = p->pair[plane->pair].member;
        for (int k = 0; k < 4; ++k)
        {
            ptrdiff_t v = plane->vertex[k];
            Vec3 start = vecLoad(s->start + 3 * v), end = vecLoad(s->position + 3 * v);
            Vec3 was = vecSub(vecSub(end, start), p->common), move = moveOf(p, (int)v);
            if (s->pinned[v] || (was.x == move.x && was.y == move.y && was.z == move.z))
                continue;
            Vec3 clipped = vecAdd(start, vecAdd(p->common, move));
            if (s->velocity != NULL)
                addCouple(p, member[k >= plane->first],
                          vecScale(s->mass[v], vecCross(vecSub(end, clipped), vecLoad(s->velocity + 3 * v))));
            vecStore(s->position + 3 * v, clipped);
            // what is stored differs by rounding: once is enough
            vecStore(p->move + 3 * v, vecSub(vecSub(vecLoad(s->position + 3 * v), start), p->common));
            p->clips += 1;
        }
    }
}

#define GRAIN 1024 // planes of one task

typedef struct PassTasks
{
    Proximity *proximity;
    const unsigned char *pinned;
    int first; // number of the first task of this run
    bool passed[WORKERS_MOST_TASKS];
} PassTasks;

static bool isBeyond(const Proximity *p, const Plane *plane, const unsigned char *pinned)
{
    const int *vertex = plane->vertex;
    bool beyondIt = false;
    for (int k = 0; k < 4; ++k)
        beyondIt |= beyond(p, plane, k) > 0 && !pinned[vertex[k]];
    return beyondIt;
}

static void passTask(void *context, int task)
{
    PassTasks *tasks = context;
    Proximity *p = tasks->proximity;
    int begin = (tasks->first + task) * GRAIN, end = minInt(begin + GRAIN, p->planeCount);
    bool passed = false;
    for (int i = begin; i < end; i += PLANE_LANES)
    {
        int count = minInt(PLANE_LANES, end - i);
        if (planesPlace(p, p->plane + i, count, tasks->pinned, &passed))
            continue;
        for (int k = i; k < i + count; ++k)
        {
            placePlane(p, &p->plane[k], tasks->pinned);
            passed |= isBeyond(p, &p->plane[k], tasks->pinned);
        }
    }
    tasks->passed[task] = passed;
}

// places all planes
static bool anyIsPassed(Proximity *p, const PlaneState *s)
{
    PassTasks tasks = { .proximity = p, .pinned = s->pinned };
    int count = (p->planeCount + GRAIN - 1) / GRAIN;
    bool passed = false;
    for (tasks.first = 0; tasks.first < count; tasks.first += WORKERS_MOST_TASKS)
    {
        int now = minInt(count - tasks.first, WORKERS_MOST_TASKS);
        workersRun(s->workers, now, passTask, &tasks);
        for (int t = 0; t < now; ++t)
            passed |= tasks.passed[t];
    }
    return passed;
}

bool planesArePassed(Proximity *p, const PlaneState *s)
{
    if (p->planeCount == 0)
        return false;
    loadMoves(p, s);
    if (!anyIsPassed(p, s))
        return false;
    for (int v = 0; v < p->vertexCount; ++v)
        p->crossed[v] &= (unsigned char)~LOOSE_VERTEX;
    for (int i = 0; i < p->planeCount; ++i)
    {
        const int *vertex = p->plane[i].vertex;
        bool here = isBeyond(p, &p->plane[i], s->pinned);
        for (int k = 0; k < 4 && here; ++k)
            p->crossed[vertex[k]] |= LOOSE_VERTEX;
    }
    return true;
}

bool planesClip(Proximity *p, const PlaneState *s)
{
    p->carries = false;
    if (p->planeCount == 0)
        return false;
    loadMoves(p, s);
    for (int i = 0; i < p->planeCount; ++i)
        placePlane(p, &p->plane[i], s->pinned);
    bool passed = false, left = true;
    for (int pass = 0; pass < PASSES && left; ++pass)
    {
        bool clipped = false;
        for (int round = 0; round < ROUNDS; ++round)
        {
            if (!clipRound(p, s->pinned))
                break;
            holdFloors(p, s);
            clipped = true;
        }
        passed |= clipped;
        if (!clipped)
            left = false;
        else
        {
            capMoves(p);
            left = fixPassed(p, s->pinned);
        }
    }
    if (!passed)
        return false;
    if (left)
        scaleMoves(p, s);
    for (int b = 0; b < p->bodyCount; ++b)
        p->body[b].couple = vec3(0, 0, 0);
    storeMoves(p, s);
    if (s->velocity != NULL)
        stopAll(p, s);
    return true;
}
