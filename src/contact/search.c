// The broad phase: which points may touch what within a step. It only culls. Elements stay on for some steps after they
// left, since one too many only costs time, and one missing is found when it is deep inside.
#include "contact/element.h"

#include <math.h>

#define PATIENCE 3     // steps an element stays on after it was last near
#define PATH_STEPS 24  // in which a path is followed; what is not settled then counts as near
#define PATH_SHARE 0.9 // of the reach: by which steps go beyond it, so that they do not shrink to nothing
#define ROUNDED 1e-9   // of lengths: by which distances may be off
#define LIES_ON 0.5    // share of corners that are bonded to a rigid body, from which a point lies on it
#define MARGIN 0.25    // of the mean distance of points: near, beside what `unlike` adds
#define POINTS 64      // of one task

// ---- one point ------------------------------------------------------------------------------------------------------

// A plane that stays where it is, as it lies in the world.
typedef struct Level
{
    bool known; // it is one
    Vec3 normal;
    double offset, doubt; // m; by which rounding may be wrong where points are within as much of the origin
} Level;

#define LEVELS 4 // candidates of which that is known

typedef struct Search
{
    Energy *contact, *damping;
    ContactBody *body;
    double h, margin;
    int candidateCount; // of colliders
    const double *x;    // m, vertices x 3
    const double *v;    // m/s, likewise
    const unsigned char *pinned;
    Vec3 gravity;
    Level level[LEVELS];
} Search;

typedef struct Traveller
{
    int point;        // its number
    Vec3 x, v, y;     // now, and where it would be after the step without contact
    unsigned changed; // bits: of its elements, those that hold another collider now, or are weighed anew
    bool senses;      // it is in or near a sensor
} Traveller;

// a collider seen from a point, as the step begins
typedef struct View
{
    Vec3 local; // the point in the collider's frame
    double distance;
    double closest; // m, along the path, as far as it was tested
    int feature;    // hint, and then what was found
    bool exact;     // the distance
    Vec3 normal;    // in the collider's frame
} View;

static double distanceTo(const Collider *collider, double moment, Vec3 x, double limit, View *view)
{
    Pose pose = colliderPose(collider, moment);
    Mat3 back = matTranspose(&pose.turn);
    view->local = matApply(&back, vecSub(x, pose.position));
    ShapeSample sample = shapeSampleAt(collider->shape, moment, view->local, limit, view->feature);
    view->feature = sample.feature;
    view->exact = sample.shortfall == 0;
    view->normal = sample.normal;
    return sample.distance;
}

// The path of a step as the collider sees it, as far as its distance from the surface needs: distances cannot change by
// more than the path is long. Returns the least, m
static double closestOnPath(const Collider *collider, Vec3 from, Vec3 to, double reach, View *view)
{
    Vec3 way = vecSub(to, from);
    double length = vecLength(way) + shapeFarthest(collider->shape), passed = 0, closest = INFINITY;
    for (int k = 0; k < PATH_STEPS && passed < 1; ++k)
    {
        double limit = reach + (1 - passed) * length;
        Vec3 at = vecAdd(from, vecScale(passed, way));
        ShapeSample sample = shapeSampleAt(collider->shape, passed, at, limit, view->feature);
        closest = minReal(closest, sample.distance);
        if (sample.distance < reach || !(sample.distance < limit))
            return closest;
        passed += (sample.distance - PATH_SHARE * reach) / length;
    }
    return passed < 1 ? minReal(closest, 0) : closest;
}

// could it touch within the step?
static bool isNear(const Search *search, const Collider *collider, const Traveller *t, View *view)
{
    double reach = search->body->radius + search->margin;
    double travel = vecLength(vecSub(t->y, t->x));
    if (collider->moves)
    {
        Pose end = colliderPose(collider, 1);
        Mat3 back = matTranspose(&collider->start.turn);
        Vec3 local = matApply(&back, vecSub(t->x, collider->start.position));
        travel +=
            vecLength(vecSub(vecAdd(matApply(&end.turn, local), end.position), t->x)) + shapeFarthest(collider->shape);
    }
    double limit = reach + travel;
    view->distance = view->closest = distanceTo(collider, 0, t->x, limit, view);
    if (view->distance < reach || view->distance >= limit)
        return view->distance < reach;
    View later = *view;
    distanceTo(collider, 1, t->y, reach, &later);
    view->closest = closestOnPath(collider, view->local, later.local, reach, view);
    return view->closest < reach;
}

// the slot of a point that holds this collider; -1: none
static int findSlot(const Search *search, int point, int collider)
{
    for (int e = point * CONTACT_SLOTS; e < (point + 1) * CONTACT_SLOTS; ++e)
    {
        if ((int)contactKept(search->contact, e, KEPT_COLLIDER) == collider)
            return e;
    }
    return -1;
}

// Its weight is for weighPoint: energies count how often their weights changed, so that tasks must not.
static void noteChange(const Search *search, int element, Traveller *t)
{
    search->body->spot[element].distance = -INFINITY; // may be of another collider
    t->changed |= 1u << (element - t->point * CONTACT_SLOTS);
}

static void switchOn(const Search *search, int element, int slot, Traveller *t)
{
    contactKeep(search->contact, element, KEPT_COLLIDER, slot);
    contactKeep(search->contact, element, KEPT_FORCE, 0);
    contactKeep(search->contact, element, KEPT_FACING, contactArea(search->body, element / CONTACT_SLOTS));
    noteChange(search, element, t);
}

static void switchOff(const Search *search, int element, Traveller *t)
{
    contactKeep(search->contact, element, KEPT_COLLIDER, -1);
    contactKeep(search->contact, element, KEPT_FORCE, 0);
    contactKeep(search->contact, element, KEPT_REST, 0);
    search->body->feature[element] = -1;
    noteChange(search, element, t);
}

static void weighPoint(const Search *search, int point, unsigned changed)
{
    for (int k = 0; k < CONTACT_SLOTS; ++k)
    {
        if (changed >> k & 1)
            contactWeigh(search->contact, point * CONTACT_SLOTS + k);
    }
}

// ---- the search -----------------------------------------------------------------------------------------------------

// most of what a point stands for is held to the rigid body of a collider
static bool isBonded(const Search *search, int point, int collider)
{
    const ContactBody *body = search->body;
    int corners = search->contact->kind->corners, other = bondedRigid(body->colliders->item[collider].rigid);
    if (body->corner == NULL)
        return bondedShare(body->bonded, body->slot, &body->vertex[point], NULL, 1, other) > 0;
    ptrdiff_t first = (ptrdiff_t)corners * point;
    return bondedShare(body->bonded, body->slot, body->corner + first, body->share + first, corners, other) > LIES_ON;
}

// lets go of colliders that are gone, or that were not near for long
static void releaseSlots(const Search *search, Traveller *t)
{
    int point = t->point;
    for (int e = point * CONTACT_SLOTS; e < (point + 1) * CONTACT_SLOTS; ++e)
    {
        int slot = (int)contactKept(search->contact, e, KEPT_COLLIDER);
        if (slot < 0)
            continue;
        double rest = contactKept(search->contact, e, KEPT_REST) + 1;
        contactKeep(search->contact, e, KEPT_REST, rest);
        if (rest > PATIENCE || !contactMayTouch(search->body, &search->body->colliders->item[slot]) ||
            isBonded(search, point, slot))
            switchOff(search, e, t);
    }
}

// how far outside the point stands now
static void setStart(const Search *search, int element, const Traveller *t, const View *view)
{
    const ContactBody *body = search->body;
    body->feature[element] = view->feature;
    body->spot[element] = (ContactSpot){ view->local, view->exact ? view->distance : -INFINITY, t->x };
    contactKeep(search->contact, element, KEPT_START, view->distance - body->radius);
    body->outside[element] = maxReal(view->distance - body->radius, 0);
}

// an element that stays on though it is not near now
static void lookAgain(const Search *search, int element, const Traveller *t)
{
    View view = { .feature = search->body->feature[element] };
    int slot = (int)contactKept(search->contact, element, KEPT_COLLIDER);
    const Collider *collider = &search->body->colliders->item[slot];
    view.distance = distanceTo(collider, 0, t->x, INFINITY, &view);
    setStart(search, element, t, &view);
}

// what the surface under the anchor of an element moves in the step
static void carryAnchor(const Search *search, int element)
{
    const ContactBody *body = search->body;
    const Collider *collider = contactCollider(search->contact, element);
    if (!collider->deforms || body->hard)
        return;
    Vec3 anchor = contactKeptVector(search->contact, element, KEPT_ANCHOR);
    bool tied = contactKept(search->contact, element, KEPT_FORCE) != 0;
    body->carried[element] = tied ? shapeCarry(collider->shape, 0, anchor, -1) : vec3(0, 0, 0);
}

// The slot of the collider that a point gets least close to, if that is farther than `closest`; -1: none. Otherwise one
// that is merely near would keep one out that the point falls into, found when it is deep inside. Sensors give way.
static int farthestSlot(const Search *search, const Traveller *t, bool sensor, double closest)
{
    int farthest = -1;
    for (int e = t->point * CONTACT_SLOTS; e < (t->point + 1) * CONTACT_SLOTS; ++e)
    {
        View view = { .feature = search->body->feature[e] };
        const Collider *collider = contactCollider(search->contact, e);
        if (collider->sensor != sensor)
        {
            if (collider->sensor)
                return e;
            continue;
        }
        isNear(search, collider, t, &view);
        if (view.closest > closest)
        {
            closest = view.closest;
            farthest = e;
        }
    }
    return farthest;
}

// The area that faces the collider, where that depends on directions. It is part of the energy of an element that
// presses, so that it changes only while there is none.
static void setFacing(const Search *search, int element, const View *view, bool fresh, Traveller *t)
{
    const ContactBody *body = search->body;
    int point = element / CONTACT_SLOTS;
    const Collider *collider = contactCollider(search->contact, element);
    bool asked = body->hard ? collider->adhesion > 0 : collider->vertexStiffness == 0 || collider->adhesion > 0;
    bool stores =
        !body->hard && (contactKept(search->contact, element, KEPT_FORCE) != 0 || view->distance < body->radius);
    if (!asked || !contactFaces(body, point) || (stores && !fresh))
        return;
    Vec3 normal = matApply(&collider->start.turn, view->normal);
    contactKeep(search->contact, element, KEPT_FACING, contactFacingNow(body, point, search->x, normal));
    noteChange(search, element, t);
}

static void testCollider(const Search *search, Traveller *t, int slot)
{
    const Collider *collider = &search->body->colliders->item[slot];
    int element = findSlot(search, t->point, slot);
    View view = { .feature = element >= 0 ? search->body->feature[element] : -1 };
    if (!isNear(search, collider, t, &view))
        return;
    if (!contactIsHeld(collider, element >= 0, view.distance - search->body->radius, view.normal))
    {
        if (element >= 0)
            switchOff(search, element, t);
        return;
    }
    bool fresh = element < 0;
    if (fresh)
    {
        element = findSlot(search, t->point, -1);
        if (element < 0)
            element = farthestSlot(search, t, collider->sensor, view.closest);
        if (element < 0)
            return; // all slots are taken by what is closer
        switchOn(search, element, slot, t);
    }
    contactKeep(search->contact, element, KEPT_REST, 0);
    setFacing(search, element, &view, fresh, t);
    setStart(search, element, t, &view);
}

static Level levelOf(const Collider *collider)
{
    Level level = { .known = false };
    Vec3 normal;
    if (collider->moves || !shapeIsPlane(collider->shape, &normal, &level.offset))
        return level;
    level.normal = matApply(&collider->start.turn, normal);
    level.doubt = ROUNDED * (vecLength(collider->start.position) + fabs(level.offset));
    level.offset += vecDot(level.normal, collider->start.position);
    level.known = true;
    return level;
}

// told without asking its shape: it is not near
static bool isFarAbove(const Search *search, int candidate, const Traveller *t)
{
    const Level *level = &search->level[candidate < LEVELS ? candidate : 0];
    if (candidate >= LEVELS || !level->known)
        return false;
    double reach = search->body->radius + search->margin + vecLength(vecSub(t->y, t->x));
    double doubt = level->doubt + ROUNDED * (fabs(t->x.x) + fabs(t->x.y) + fabs(t->x.z) + reach);
    return vecDot(level->normal, t->x) - level->offset > reach + doubt;
}

static bool holdsNone(const Search *search, int point)
{
    for (int e = point * CONTACT_SLOTS; e < (point + 1) * CONTACT_SLOTS; ++e)
    {
        if (contactKept(search->contact, e, KEPT_COLLIDER) >= 0)
            return false;
    }
    return true;
}

// its box meets that of the candidate, to which nothing holds it
static bool comesBy(const Search *search, int candidate, const Traveller *t)
{
    if (isFarAbove(search, candidate, t))
        return false;
    const Candidate *other = &contactCandidates(search->body)[candidate];
    vvBox swept = sweptBox(t->x, t->y, search->body->radius + search->margin);
    return boxesOverlap(&swept, &other->box) && !isBonded(search, t->point, other->slot);
}

static void touchNothing(const Search *search, int point)
{
    for (int e = point * CONTACT_SLOTS; e < (point + 1) * CONTACT_SLOTS; ++e)
        search->body->touching[e] = 0;
}

static int searchPoint(const Search *search, Traveller *t)
{
    int on = 0;
    for (int k = 0; k < search->candidateCount; ++k)
    {
        if (comesBy(search, k, t))
            testCollider(search, t, contactCandidates(search->body)[k].slot);
    }
    if (holdsNone(search, t->point))
    {
        touchNothing(search, t->point);
        return 0;
    }
    releaseSlots(search, t);
    if (!search->body->hard) // forces of dampers ask for weights
        weighPoint(search, t->point, t->changed);
    for (int e = t->point * CONTACT_SLOTS; e < (t->point + 1) * CONTACT_SLOTS; ++e)
    {
        bool used = contactKept(search->contact, e, KEPT_COLLIDER) >= 0;
        bool sensor = used && contactCollider(search->contact, e)->sensor;
        t->senses |= sensor;
        used = used && !sensor;
        on += used;
        if (used && contactKept(search->contact, e, KEPT_REST) > 1)
            lookAgain(search, e, t);
        if (used)
            carryAnchor(search, e);
        bool aims = used && !search->body->hard;
        search->body->touching[e] = aims ? dashpotAim(search->contact, search->damping, e, &t->x, &t->y, search->h) : 0;
    }
    return on;
}

double contactSpacing(const ContactBody *body)
{
    double sum = 0;
    for (int i = 0; i < body->pointCount; ++i)
        sum += contactArea(body, i);
    return sqrt(sum / body->pointCount);
}

// m/s, the most by which the velocity of a point differs from the mean of all. What joins two points can turn that
// difference round within a step, so that a point ends up to 2 h of it from where its own velocity leads.
static double unlike(const Energy *contact, const double *v)
{
    const ContactBody *body = contact->context;
    Vec3 mean = vec3(0, 0, 0);
    double most = 0;
    for (int i = 0; i < body->pointCount; ++i)
        mean = vecAdd(mean, vecScale(1.0 / body->pointCount, contactPoint(contact, i * CONTACT_SLOTS, v)));
    for (int i = 0; i < body->pointCount; ++i)
    {
        Vec3 u = vecSub(contactPoint(contact, i * CONTACT_SLOTS, v), mean);
        most = maxReal(most, vecDot(u, u));
    }
    return sqrt(most);
}

// no corner that has a share can move
static bool isPinned(const Energy *contact, int element, const unsigned char *pinned)
{
    const int *vertices = laneVertices(contact, element / LANES) + element % LANES;
    const double *share = contactShares(contact, element);
    for (int c = 0; c < contact->kind->corners; ++c)
    {
        if (share[c] != 0 && !pinned[vertices[c * LANES]])
            return false;
    }
    return true;
}

// true: none acts, as ever under the hard law
static bool setDashpots(const Search *search, const double *mass)
{
    Energy *damping = search->damping;
    if (search->body->hard && damping->unarmed)
        return true;
    dashpotsSet(search->contact, damping, mass);
    damping->unarmed = false;
    bool idle = energyIsIdle(damping);
    damping->unarmed = search->body->hard && idle;
    return idle;
}

static int searchOne(const Search *search, Traveller *t)
{
    int first = t->point * CONTACT_SLOTS;
    if (isPinned(search->contact, first, search->pinned))
    {
        for (int e = first; e < first + CONTACT_SLOTS; ++e)
            switchOff(search, e, t);
        touchNothing(search, t->point);
        return 0;
    }
    t->x = contactPoint(search->contact, first, search->x);
    t->v = contactPoint(search->contact, first, search->v);
    t->y = vecAdd(t->x, vecAdd(vecScale(search->h, t->v), vecScale(search->h * search->h, search->gravity)));
    return searchPoint(search, t);
}

// Points in tasks, under the hard law: what they find changes no weight that other points ask for.
typedef struct PointRun
{
    const Search *search;
    int first; // number of the first task of this run
    int on[WORKERS_MOST_TASKS];
    bool senses[WORKERS_MOST_TASKS];
    uint64_t changed[WORKERS_MOST_TASKS][CONTACT_SLOTS]; // a bit for each point
} PointRun;

static void pointTask(void *context, int task)
{
    PointRun *run = context;
    int begin = (run->first + task) * POINTS, end = minInt(begin + POINTS, run->search->body->pointCount);
    run->on[task] = 0;
    run->senses[task] = false;
    for (int k = 0; k < CONTACT_SLOTS; ++k)
        run->changed[task][k] = 0;
    for (int i = begin; i < end; ++i)
    {
        Traveller t = { .point = i };
        run->on[task] += searchOne(run->search, &t);
        run->senses[task] |= t.senses;
        for (int k = 0; k < CONTACT_SLOTS; ++k)
            run->changed[task][k] |= (uint64_t)(t.changed >> k & 1) << (i - begin);
    }
}

static void endTask(PointRun *run, int task)
{
    run->search->body->senses |= run->senses[task];
    for (int k = 0; k < CONTACT_SLOTS; ++k)
    {
        for (uint64_t left = run->changed[task][k]; left != 0; left &= left - 1)
            weighPoint(run->search, (run->first + task) * POINTS + __builtin_ctzll(left), 1u << k);
    }
}

static int searchInTasks(const Search *search, Workers *workers)
{
    PointRun run;
    int on = 0, count = (search->body->pointCount + POINTS - 1) / POINTS, now;
    run.search = search;
    for (run.first = 0; run.first < count; run.first += now)
    {
        now = minInt(count - run.first, WORKERS_MOST_TASKS);
        workersRun(workers, now, pointTask, &run);
        for (int task = 0; task < now; ++task)
        {
            endTask(&run, task);
            on += run.on[task];
        }
    }
    return on;
}

static int searchAll(const Search *search, Workers *workers)
{
    int on = 0;
    if (search->body->hard && workersCount(workers) > 1)
        return searchInTasks(search, workers);
    for (int i = 0; i < search->body->pointCount; ++i)
    {
        Traveller t = { .point = i };
        on += searchOne(search, &t);
        weighPoint(search, i, t.changed);
        search->body->senses |= t.senses;
    }
    return on;
}

int contactSearch(Energy *contact, Energy *damping, const ContactMotion *motion, double h, Workers *workers)
{
    ContactBody *body = contact->context;
    const double *x = motion->x, *v = motion->v;
    Search search = { .contact = contact,
                      .damping = damping,
                      .body = body,
                      .h = h,
                      .x = x,
                      .v = v,
                      .pinned = motion->pinned,
                      .gravity = motion->gravity };
    search.margin = MARGIN * contactSpacing(body) + 2 * h * unlike(contact, v);
    search.candidateCount = contactCull(body, x, v, motion->gravity, h, body->radius + search.margin);
    for (int k = 0; k < minInt(search.candidateCount, LEVELS); ++k)
        search.level[k] = levelOf(&body->colliders->item[contactCandidates(body)[k].slot]);
    body->step = h;
    if (search.candidateCount == 0 && contact->off && damping->off && !body->senses)
        return 0;
    body->senses = false;
    contactPutBy(contact);
    if (!body->hard)
        hardForget(contact);
    contactImpulseClear(contact);
    int on = searchAll(&search, workers);
    contact->off = on == 0;
    damping->off = setDashpots(&search, motion->mass) || on == 0;
    return on;
}

// ---- what is coming -------------------------------------------------------------------------------------------------

double contactImpact(const Energy *contact, const double *mass, const double *x, const double *v, double h)
{
    const ContactBody *body = contact->context;
    double sum = 0;
    for (int e = 0; e < contact->elementCount; ++e)
    {
        if (energyGetParam(contact, e, CONTACT_WEIGHT) == 0)
            continue;
        const Collider *collider = &body->colliders->item[(int)contactKept(contact, e, KEPT_COLLIDER)];
        Vec3 there = vecAdd(contactPoint(contact, e, x), vecScale(h, contactPoint(contact, e, v)));
        View view = { .feature = body->feature[e] };
        double start = contactKept(contact, e, KEPT_START);
        double later = distanceTo(collider, 1, there, INFINITY, &view) - body->radius, speed = (later - start) / h;
        sum += start < 0 || later < 0 ? 0.5 * contactMass(contact, e, mass) * speed * speed : 0;
    }
    return sum;
}
