// Nothing passes through a collider, however thin and fast: a point that would leave a substep on the far side of a
// shape stays on the side that it came from. The law of contact has the rest: what ends inside on its own side is
// pushed out.
#include "contact/element.h"
#include "contact/movable.h"
#include "contact/sift.h"

#define STEPS 64      // of a path, at most
#define CLOSE 1e-4    // of a path: as near as it is followed
#define FLIPPED -0.05 // cosine of the normals at both ends: beyond, they are of opposite sides

// The path of a point in the frame of its collider.
typedef struct Passage
{
    Vec3 from, to;
    double begin, end;   // moments of the step
    ColliderPlace entry; // where and when it meets the surface
    Vec3 normal;         // and the surface there
} Passage;

static double lengthOf(const vvShape *shape, const Passage *path) // m, as far as it and the surface can near each other
{
    return vecLength(vecSub(path->to, path->from)) + (path->end - path->begin) * shapeFarthest(shape);
}

// whether it meets the surface, or begins inside
static bool enters(const vvShape *shape, double radius, int feature, Passage *path)
{
    Vec3 way = vecSub(path->to, path->from);
    double length = lengthOf(shape, path), passed = 0;
    for (int k = 0; k < STEPS; ++k)
    {
        Vec3 at = vecAdd(path->from, vecScale(passed, way));
        double moment = path->begin + passed * (path->end - path->begin);
        ShapeSample sample = shapeSampleAt(shape, moment, at, radius + (1 - passed) * length, feature);
        if (!(sample.distance < radius + (1 - passed) * length))
            return false;
        path->entry = (ColliderPlace){ at, moment, sample.feature };
        path->normal = sample.normal;
        if (sample.distance - radius <= CLOSE * length)
            return true;
        passed += (sample.distance - radius) / length;
    }
    return true;
}

static bool isPassed(const Energy *contact, int element, Passage *path)
{
    const ContactBody *body = contact->context;
    const vvShape *shape = contactCollider(contact, element)->shape;
    double length = lengthOf(shape, path);
    if (contactLeast(contact, element, path->from) * (1 - 1e-9) > body->radius + length)
        return false;
    if (!(length > 0) || !enters(shape, body->radius, body->feature[element], path))
        return false;
    path->normal = shapeTurn(shape, path->entry.feature, path->entry.moment, path->end, path->normal);
    ShapeSample end = shapeSampleAt(shape, path->end, path->to, INFINITY, body->feature[element]);
    return vecDot(end.normal, path->normal) < FLIPPED;
}

// where the place of entry is when the substep ends
static Vec3 entryAtEnd(const Collider *collider, const Passage *path)
{
    if (!collider->deforms)
        return path->entry.local;
    Vec3 way = shapeCarry(collider->shape, path->entry.moment, path->entry.local, path->entry.feature);
    return vecAdd(path->entry.local, vecScale(path->end - path->entry.moment, way));
}

static Vec3 localOf(const Pose *pose, Vec3 point)
{
    Mat3 back = matTranspose(&pose->turn);
    return matApply(&back, vecSub(point, pose->position));
}

// of an approach, what is the body's to lose where a rigid one gives way
static double shareOf(const Energy *contact, int element, Vec3 point, Vec3 normal, const OutsideState *s)
{
    const Movable *movable = contactCollider(contact, element)->movable;
    if (movable == NULL)
        return 1;
    Vec3 arm = vecSub(point, movable->at);
    return 1 / (1 + contactMass(contact, element, s->mass) * movableInverse(movable, arm, normal));
}

// Moves the corners of an element so that its point moves by `by`; of the velocity of the point relative to the
// collider, what approaches is taken.
static void holdBack(const Energy *contact, int element, Vec3 by, Vec3 normal, Vec3 drift, const OutsideState *s)
{
    const int *vertices = laneVertices(contact, element / LANES) + element % LANES;
    const double *share = contactShares(contact, element);
    double square = 0;
    for (int c = 0; c < contact->kind->corners; ++c)
        square += s->pinned[vertices[c * LANES]] ? 0 : share[c] * share[c];
    if (!(square > 0))
        return;
    Movable *movable = contactCollider(contact, element)->movable;
    Vec3 point = vecAdd(contactPoint(contact, element, s->position), by); // where it will be
    if (movable != NULL)                                                  // others may have pushed it
        drift = movableRate(movable, vecSub(point, movable->at));
    Vec3 rate = vecSub(contactPoint(contact, element, s->velocity), drift);
    Vec3 change = vecScale(maxReal(-vecDot(rate, normal), 0) * shareOf(contact, element, point, normal, s), normal);
    Vec3 given = vec3(0, 0, 0);
    for (int c = 0; c < contact->kind->corners; ++c)
    {
        int v = vertices[c * LANES];
        if (s->pinned[v])
            continue;
        double *x = s->position + 3 * (ptrdiff_t)v, *u = s->velocity + 3 * (ptrdiff_t)v;
        Vec3 before = vecLoad(u), after = vecAdd(before, vecScale(share[c] / square, change));
        double work = s->mass[v] * vecDot(vecSub(after, before), drift);
        *s->added += work;
        *s->lost += 0.5 * s->mass[v] * (vecDot(before, before) - vecDot(after, after)) + work;
        vecStore(x, vecAdd(vecLoad(x), vecScale(share[c] / square, by)));
        vecStore(u, after);
        given = vecAdd(given, vecScale(s->mass[v], vecSub(after, before)));
    }
    if (movable == NULL)
        return;
    ContactPush push = { given, point, s->from, s->to };
    // it gave way: what it gives is less than with the velocity that it had
    double taken = movableKick(movable, vecSub(push.point, movable->at), vecScale(-1, given)) + vecDot(given, drift);
    *s->added -= taken;
    *s->lost -= taken;
    contactImpulseAdd(contact, element, &push);
}

// whether a point ends on the far side of its collider, which stands at `end` then
static bool passes(const Energy *contact, int element, const OutsideState *s, Passage *path, Pose *end)
{
    const Collider *collider = contactCollider(contact, element);
    if (shapeIsPlane(collider->shape, NULL, NULL)) // which has one side
        return false;
    Vec3 from = contactPoint(contact, element, s->start), to = contactPoint(contact, element, s->position);
    double radius = ((const ContactBody *)contact->context)->radius;
    if (contactIsBeyond(contact, element, from, radius + vecLength(vecSub(to, from))))
        return false;
    Pose start = colliderPose(collider, s->from);
    *end = colliderPose(collider, s->to);
    *path = (Passage){ .from = localOf(&start, from), .to = localOf(end, to), .begin = s->from, .end = s->to };
    return isPassed(contact, element, path);
}

typedef struct Looking
{
    const Energy *contact;
    const OutsideState *state;
} Looking;

// the first that passes
static void siftPassing(const void *context, int begin, int end, uint64_t *passing)
{
    const Looking *looking = context;
    const Energy *contact = looking->contact;
    for (int e = begin; e < end; ++e)
    {
        Passage path;
        Pose place;
        if (!(contactKept(contact, e, KEPT_COLLIDER) >= 0) || !passes(contact, e, looking->state, &path, &place))
            continue;
        siftPass(passing, e - begin);
        return;
    }
}

// the first element that passes while nothing is held back, or the end
static int firstPassing(const Energy *contact, const OutsideState *s)
{
    Sift sift = { .end = 0 };
    Looking looking = { contact, s };
    while (sift.end < contact->elementCount)
    {
        siftRun(&sift, s->workers, sift.end, contact->elementCount, siftPassing, &looking);
        int first = siftNext(&sift, sift.begin);
        if (first < sift.end)
            return first;
    }
    return contact->elementCount;
}

#define FEW 8 // colliders, of which it is asked at once whether all are planes

// planes have one side: nobody passes through them
static bool arePlanes(const Colliders *colliders)
{
    for (int k = 0; k < colliders->slotCount; ++k)
    {
        const Collider *collider = &colliders->item[k];
        bool there = collider->used || collider->rigid > 0;
        if (k == FEW || (there && !shapeIsPlane(collider->shape, NULL, NULL)))
            return false;
    }
    return true;
}

bool contactStayOutside(const Energy *contact, const OutsideState *s)
{
    if (arePlanes(((const ContactBody *)contact->context)->colliders))
        return false;
    int first = siftPays(s->workers, contact->elementCount) ? firstPassing(contact, s) : 0;
    bool any = false;
    for (int e = contactNextHeld(contact, first); e < contact->elementCount; e = contactNextHeld(contact, e + 1))
    {
        const Collider *collider = contactCollider(contact, e);
        Passage path;
        Pose end;
        if (!passes(contact, e, s, &path, &end))
            continue;
        double back = vecDot(path.normal, vecSub(entryAtEnd(collider, &path), path.to));
        Vec3 normal = matApply(&end.turn, path.normal);
        Vec3 drift = vecScale(1 / s->h, colliderDisplacement(collider, s->from, s->to, &path.entry));
        holdBack(contact, e, vecScale(maxReal(back, 0), normal), normal, drift, s);
        *s->pushed |= collider->moves;
        any = true;
    }
    return any;
}
