// Elements of contact in the list of the hard law: points of a body against colliders. Under this law an element that
// is on has no weight, so that it is no energy, and keeps the force of the last substep where the potential keeps an
// anchor.
#include "contact/element.h"
#include "contact/list.h"
#include "contact/movable.h"
#include "contact/sift.h"

// the first element at or after one that is on, and no sensor; or the end
static int nextPushing(const Energy *contact, int element)
{
    element = contactNextHeld(contact, element);
    while (element < contact->elementCount && contactCollider(contact, element)->sensor)
        element = contactNextHeld(contact, element + 1);
    return element;
}

int contactCountOn(const Energy *contact)
{
    int count = 0;
    for (int e = nextPushing(contact, 0); e < contact->elementCount; e = nextPushing(contact, e + 1))
        count += 1;
    return count;
}

// where an element's point is in the middle of the substep, seen from its collider
typedef struct Spot
{
    const Collider *collider;
    Pose pose;
    ColliderPlace place;
} Spot;

static Spot spotOf(const Energy *contact, int element, Vec3 point)
{
    Spot spot = { .collider = contactCollider(contact, element) };
    double moment = energyMoment(contact, 0.5);
    spot.pose = colliderPose(spot.collider, moment);
    Mat3 back = matTranspose(&spot.pose.turn);
    Vec3 local = matApply(&back, vecSub(point, spot.pose.position));
    spot.place = (ColliderPlace){ local, moment, -1 };
    return spot;
}

// m/s, of the collider at the point
static Vec3 driftOf(const Energy *contact, const Spot *spot, double h)
{
    if (!spot->collider->moves)
        return vec3(0, 0, 0);
    return vecScale(1 / h, colliderDisplacement(spot->collider, contact->from, contact->to, &spot->place));
}

// m, at least what a point and the surface of its collider near each other by in the substep
static double approach(const Energy *contact, const Spot *spot, Vec3 velocity, double h)
{
    if (!spot->collider->deforms)
        return h * vecLength(vecSub(velocity, driftOf(contact, spot, h)));
    Pose from = colliderPose(spot->collider, contact->from), to = colliderPose(spot->collider, contact->to);
    Vec3 carried = poseCarry(&from, &to, spot->place.local);
    return vecLength(vecSub(vecScale(h, velocity), carried)) + shapeFarthest(spot->collider->shape);
}

static void meetMovable(Movable *movable, Vec3 point, Contact *entry)
{
    entry->movable = movable;
    entry->point = point;
    entry->arm = vecSub(point, movableMiddle(movable));
    entry->begin = movableRate(movable, entry->arm);
    entry->drift = movableAhead(movable, entry->arm);
}

// where points that travel find their triangles
static FaceView faceView(const Energy *contact, const ContactView *view)
{
    return (FaceView){ .x = view->z + 3 * (ptrdiff_t)view->first, .stride = 3, .moment = energyMoment(contact, 0.5) };
}

// An element, its collider and the surface there.
typedef struct Reached
{
    Vec3 point;
    Spot spot;
    ShapeSample sample;
} Reached;

// false: it is not within reach
static bool reaches(const Energy *contact, int element, const ContactView *view, Reached *reached)
{
    const ContactBody *body = contact->context;
    ptrdiff_t base = 3 * (ptrdiff_t)view->first;
    Vec3 point = contactPoint(contact, element, view->z + base);
    Vec3 velocity = contactPoint(contact, element, view->velocity + base);
    if (contactIsBeyond(contact, element, point, body->radius + view->reach + view->h * vecLength(velocity)))
        return false;
    Spot spot = spotOf(contact, element, point);
    double limit = body->radius + view->reach + approach(contact, &spot, velocity, view->h);
    if (contactLeast(contact, element, spot.place.local) * (1 - 1e-9) > limit)
        return false;
    ShapeSample sample =
        shapeSampleAt(spot.collider->shape, spot.place.moment, spot.place.local, limit, body->feature[element]);
    *reached = (Reached){ point, spot, sample };
    return sample.distance < limit;
}

// into the list if it is within reach
static void collectElement(const Energy *contact, int element, const ContactView *view, ContactList *list)
{
    const ContactBody *body = contact->context;
    Reached reached;
    if (!reaches(contact, element, view, &reached))
        return;
    Spot spot = reached.spot;
    ShapeSample sample = reached.sample;
    body->feature[element] = spot.place.feature = sample.feature;
    Vec3 drift = driftOf(contact, &spot, view->h);
    Contact *entry = contactListAdd(list);
    ASSERT(entry != NULL, "there is room for all elements that are on");
    const int *vertices = laneVertices(contact, element / LANES) + element % LANES;
    const double *share = contactShares(contact, element);
    for (int c = 0; c < contact->kind->corners; ++c)
    {
        entry->vertex[c] = view->first + vertices[c * LANES];
        entry->weight[c] = share[c];
    }
    entry->count = contact->kind->corners;
    entry->normal = matApply(&spot.pose.turn, sample.normal);
    if (contactTravels(contact))
    {
        FaceView face = faceView(contact, view);
        entry->normal = contactFaceNormal(contact, element, &face, entry->normal);
    }
    entry->gap = sample.distance - body->radius;
    if (entry->gap < contactStickRange(contact, element))
        entry->hold = view->h * contactHold(contact, element);
    entry->friction = energyGetParam(contact, element, CONTACT_FRICTION);
    entry->restitution = spot.collider->restitution;
    entry->drift = vecAdd(drift, vecScale(1 / body->step, contactBelt(spot.collider, &spot.pose, entry->normal)));
    entry->begin = entry->drift;
    if (spot.collider->movable != NULL)
        meetMovable(spot.collider->movable, reached.point, entry);
    entry->term = view->term;
    entry->element = element;
    if (contactKept(contact, element, KEPT_FORCE) != 0)
        entry->impulse = vecScale(view->h, contactKeptVector(contact, element, KEPT_ANCHOR));
}

typedef struct Collecting
{
    const Energy *contact;
    const ContactView *view;
} Collecting;

static void siftReached(const void *context, int begin, int end, uint64_t *passes)
{
    const Collecting *collecting = context;
    const Energy *contact = collecting->contact;
    for (int e = begin; e < end; ++e)
    {
        Reached reached;
        bool held = contactKept(contact, e, KEPT_COLLIDER) >= 0;
        if (!held || contactCollider(contact, e)->sensor || contactHasRest(contact, e))
            continue;
        if (reaches(contact, e, collecting->view, &reached))
            siftPass(passes, e - begin);
    }
}

// Of a run, the contacts of the tasks that found some, each into room of its own: in the order of the elements.
typedef struct Filling
{
    const Collecting *collecting;
    const Sift *sift;
    ContactList *list;
    int part[SIFT_TASKS]; // tasks that found some
    int begin[SIFT_TASKS + 1];
} Filling;

static void fillTask(void *context, int task)
{
    const Filling *filling = context;
    const Collecting *collecting = filling->collecting;
    int begin = filling->sift->begin + filling->part[task] * SIFT_TASK, room = filling->begin[task];
    ContactList own = { .item = filling->list->item + room, .capacity = filling->begin[task + 1] - room };
    for (int e = siftNext(filling->sift, begin); own.count < own.capacity; e = siftNext(filling->sift, e + 1))
        collectElement(collecting->contact, e, collecting->view, &own);
}

static void fill(const Collecting *collecting, const Sift *sift, ContactList *list)
{
    Filling filling = { .collecting = collecting, .sift = sift, .list = list };
    int tasks = (sift->end - sift->begin + SIFT_TASK - 1) / SIFT_TASK, parts = 0;
    filling.begin[0] = list->count;
    for (int t = 0; t < tasks; ++t)
    {
        int found = siftCount(sift, t);
        if (found == 0)
            continue;
        filling.part[parts] = t;
        filling.begin[parts + 1] = filling.begin[parts] + found;
        parts += 1;
    }
    ASSERT(filling.begin[parts] <= list->capacity, "there is room for all elements that are on");
    workersRun(collecting->view->workers, parts, fillTask, &filling);
    list->count = filling.begin[parts];
}

// few of many elements are within reach
static void collectSifted(const Energy *contact, const ContactView *view, ContactList *list)
{
    Sift sift = { .end = 0 };
    Collecting collecting = { contact, view };
    while (sift.end < contact->elementCount)
    {
        siftRun(&sift, view->workers, sift.end, contact->elementCount, siftReached, &collecting);
        fill(&collecting, &sift, list);
    }
}

void contactCollect(const Energy *contact, const ContactView *view, ContactList *list)
{
    if (contactTravels(contact) && !contact->off)
    {
        FaceView face = faceView(contact, view);
        contactFollow(contact, &face);
    }
    if (siftPays(view->workers, contact->elementCount))
    {
        collectSifted(contact, view, list);
        return;
    }
    for (int e = nextPushing(contact, 0); e < contact->elementCount; e = nextPushing(contact, e + 1))
    {
        if (!contactHasRest(contact, e))
            collectElement(contact, e, view, list);
    }
}

void contactCollectLate(const Energy *contact, const ContactView *view, int had, ContactList *list)
{
    int next = 0;
    for (int e = nextPushing(contact, 0); e < contact->elementCount; e = nextPushing(contact, e + 1))
    {
        while (next < had && (list->item[next].term < view->term ||
                              (list->item[next].term == view->term && list->item[next].element < e)))
            next += 1;
        bool known = next < had && list->item[next].term == view->term && list->item[next].element == e;
        if (!known && !contactHasRest(contact, e))
            collectElement(contact, e, view, list);
    }
}

void contactKeepImpulse(Energy *contact, const Contact *from, double h)
{
    double pressed = maxReal(vecDot(from->impulse, from->normal), 0);
    contactKeep(contact, from->element, KEPT_FORCE, pressed / h);
    contactKeepVector(contact, from->element, KEPT_ANCHOR, vecScale(1 / h, from->impulse));
    contactKeepVector(contact, from->element, KEPT_NORMAL, from->normal);
    ContactPush push = { from->impulse, from->point, contact->from, contact->to };
    contactImpulseAdd(contact, from->element, &push);
}

void contactTellImpulse(Energy *contact, const Contact *from, Vec3 impulse)
{
    ContactPush push = { impulse, from->point, contact->from, contact->to };
    contactImpulseAdd(contact, from->element, &push);
}

void contactForgetImpulses(Energy *contact)
{
    contactForget(contact);
    if (contact->from == 0)
        contactImpulseClear(contact);
}

bool contactImpulseTouch(const Energy *contact, const double *x, int element, Touch *touch)
{
    const ContactBody *body = contact->context;
    if (!(contactKept(contact, element, KEPT_COLLIDER) >= 0 && contactKept(contact, element, KEPT_FORCE) != 0))
        return false;
    Vec3 point = contactPoint(contact, element, x);
    const Collider *collider = contactCollider(contact, element);
    Mat3 back = matTranspose(&collider->start.turn);
    Vec3 local = matApply(&back, vecSub(point, collider->start.position));
    double distance = shapeSample(collider->shape, local, INFINITY, body->feature[element]).distance - body->radius;
    *touch = (Touch){ .vertex = contactVertex(contact, element),
                      .collider = (int)contactKept(contact, element, KEPT_COLLIDER),
                      .point = point,
                      .normal = contactKeptVector(contact, element, KEPT_NORMAL),
                      .force = contactKeptVector(contact, element, KEPT_ANCHOR),
                      .impulse = contactImpulse(contact, element),
                      .overlap = maxReal(-distance, 0) };
    return true;
}
