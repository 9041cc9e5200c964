// Nothing passes through a collider, however thin and fast: a point that would leave a substep on the far side of a
// shape stays on the side that it came from. The law of contact has the rest: what ends inside on its own side is
// pushed out.
#include "contact/element.h"

#define STEPS 64      // of a path, at most
#define CLOSE 1e-4    // of a path: as near as it is followed
#define FLIPPED -0.05 // cosine of the normals at both ends: beyond, they are of opposite sides

// The path of a point in the frame of its collider.
typedef struct Passage
{
    Vec3 from, to;
    Vec3 entry, normal; // where it meets the surface, and the surface there
} Passage;

// whether it meets the surface, or begins inside
static bool enters(const vvShape *shape, double radius, int feature, Passage *path)
{
    Vec3 way = vecSub(path->to, path->from);
    double length = vecLength(way), passed = 0;
    for (int k = 0; k < STEPS; ++k)
    {
        Vec3 at = vecAdd(path->from, vecScale(passed, way));
        ShapeSample sample = shapeSample(shape, at, radius + (1 - passed) * length, feature);
        if (!(sample.distance < radius + (1 - passed) * length))
            return false;
        path->entry = at;
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
    const ContactSpot *known = &body->spot[element];
    double length = vecLength(vecSub(path->to, path->from));
    if ((known->distance - vecLength(vecSub(path->from, known->point))) * (1 - 1e-9) > body->radius + length)
        return false;
    if (!(length > 0) || !enters(shape, body->radius, body->feature[element], path))
        return false;
    ShapeSample end = shapeSample(shape, path->to, INFINITY, body->feature[element]);
    return vecDot(end.normal, path->normal) < FLIPPED;
}

static Vec3 localOf(const Pose *pose, Vec3 point)
{
    Mat3 back = matTranspose(&pose->turn);
    return matApply(&back, vecSub(point, pose->position));
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
    Vec3 rate = vecSub(contactPoint(contact, element, s->velocity), drift);
    Vec3 change = vecScale(maxReal(-vecDot(rate, normal), 0), normal);
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
    }
}

bool contactStayOutside(const Energy *contact, const OutsideState *s)
{
    bool any = false;
    for (int e = 0; e < contact->elementCount; ++e)
    {
        if (contactKept(contact, e, KEPT_COLLIDER) < 0)
            continue;
        const Collider *collider = contactCollider(contact, e);
        Pose start = colliderPose(collider, contact->from), end = colliderPose(collider, contact->to);
        Passage path = { .from = localOf(&start, contactPoint(contact, e, s->start)),
                         .to = localOf(&end, contactPoint(contact, e, s->position)) };
        if (!isPassed(contact, e, &path))
            continue;
        double back = vecDot(path.normal, vecSub(path.entry, path.to));
        Vec3 normal = matApply(&end.turn, path.normal);
        Vec3 drift = vecScale(1 / s->h, colliderDisplacement(collider, contact->from, &end, path.entry));
        holdBack(contact, e, vecScale(maxReal(back, 0), normal), normal, drift, s);
        *s->pushed |= collider->moves;
        any = true;
    }
    return any;
}
