// Triangles of a soft surface against rigid bodies: what is smaller than the distance of the vertices does not sink in
// between them. Each triangle has CONTACT_SLOTS elements whose points travel on it: in every substep they are where the
// triangle is deepest in a shape and, where it lies flat on one, at the ends of what touches towards its corners. They
// have no energy, so that they can travel: methods without the hard law and sweeps meet rigid bodies after their steps.
// What a vertex has is left to its own element.
#include "contact/element.h"

#include <float.h>
#include <math.h>

#define STEPS 16       // of the descent to the deepest point
#define CLOSE 1e-4     // of the size of a shape: how well that is known
#define DEEPER 1e-3    // of the size of a triangle: by which it is deeper than its corners, else these do
#define FLAT 2e-3      // of the size of a shape: what is so near to the deepest point touches as well
#define APART 0.1      // likewise: nearer ends are one point
#define HALVINGS 8     // to find an end
#define MARGIN 0.25    // of the mean size: near, as in search.c
#define UPRIGHT 0.3    // cosine: the surface of a shape that stands steeper on the triangle keeps its own normal
#define ON_EDGE 1e-6   // share of a corner, below which a point is on the edge of the others
#define UNKNOWN 1.0e30 // m

// A triangle seen from a shape.
typedef struct Face
{
    const vvShape *shape;
    double moment;
    double corner[9]; // m, in the frame of the shape
    double size;      // m, its longest edge
    double inner;     // m, about half of the shape's least extent
    int hint;
} Face;

typedef struct FacePoint
{
    double share[3];
    Vec3 at;
    ShapeSample sample;
} FacePoint;

// m; 0: of a shape without end, which corners meet as well
static double innerSize(const vvShape *shape)
{
    vvBox box = vvShape_GetBounds(shape);
    Vec3 size = vecSub(box.upper, box.lower);
    double least = 0.5 * minReal(size.x, minReal(size.y, size.z));
    return vecFinite(box.lower) && vecFinite(box.upper) ? least : 0;
}

static Face faceOf(const Collider *collider, double moment, const Vec3 corner[3], int hint)
{
    Face face = { .shape = collider->shape, .moment = moment, .hint = hint };
    Pose pose = colliderPose(collider, moment);
    Mat3 back = matTranspose(&pose.turn);
    for (int c = 0; c < 3; ++c)
        vecStore(face.corner + 3 * c, matApply(&back, vecSub(corner[c], pose.position)));
    for (int c = 0; c < 3; ++c)
        face.size = maxReal(face.size, vecLength(vecSub(corner[c], corner[(c + 1) % 3])));
    face.inner = innerSize(collider->shape);
    return face;
}

static Vec3 cornerOf(const Face *face, int c)
{
    return vecLoad(face->corner + 3 * c);
}

static void sampleAt(const Face *face, FacePoint *point)
{
    point->at = vec3(0, 0, 0);
    for (int c = 0; c < 3; ++c)
        point->at = vecAdd(point->at, vecScale(point->share[c], cornerOf(face, c)));
    point->sample = shapeSampleAt(face->shape, face->moment, point->at, UNKNOWN, face->hint);
}

// the point of the triangle nearest to one of space
static FacePoint nearestTo(const Face *face, Vec3 place)
{
    Region region = REGION_CORNER0; // of places that are not finite
    FacePoint point = { .share = { 0, 0, 0 } };
    Vec3 p = triangleNearest(face->corner, place, &region), a = cornerOf(face, 0);
    if (region >= REGION_CORNER0)
    {
        point.share[region - REGION_CORNER0] = 1;
        return point;
    }
    if (region != REGION_FACE)
    {
        int from = (int)(region - REGION_EDGE0), to = (from + 1) % 3;
        Vec3 along = vecSub(cornerOf(face, to), cornerOf(face, from));
        double t = vecDot(vecSub(p, cornerOf(face, from)), along) / maxReal(vecDot(along, along), DBL_MIN);
        point.share[to] = t;
        point.share[from] = 1 - t;
        return point;
    }
    Vec3 ab = vecSub(cornerOf(face, 1), a), ac = vecSub(cornerOf(face, 2), a), n = vecCross(ab, ac), ap = vecSub(p, a);
    double square = vecDot(n, n);
    point.share[1] = minReal(maxReal(vecDot(n, vecCross(ap, ac)) / square, 0), 1);
    point.share[2] = minReal(maxReal(vecDot(n, vecCross(ab, ap)) / square, 0), 1 - point.share[1]);
    point.share[0] = 1 - point.share[1] - point.share[2];
    return point;
}

// by descent from a point; the distance of a convex shape is convex
static FacePoint deepestFrom(const Face *face, FacePoint best)
{
    sampleAt(face, &best);
    double step = maxReal(best.sample.distance + face->inner, 0.1 * face->inner);
    for (int k = 0; k < STEPS; ++k)
    {
        FacePoint next = nearestTo(face, vecSub(best.at, vecScale(step, best.sample.normal)));
        sampleAt(face, &next);
        bool arrived = vecLength(vecSub(next.at, best.at)) < CLOSE * face->inner;
        if (next.sample.distance < best.sample.distance)
            best = next;
        else
            step *= 0.5;
        if (arrived)
            break;
    }
    return best;
}

static double leastCorner(const Face *face) // m
{
    double least = INFINITY;
    for (int c = 0; c < 3; ++c)
        least =
            minReal(least, shapeSampleAt(face->shape, face->moment, cornerOf(face, c), UNKNOWN, face->hint).distance);
    return least;
}

// is the triangle deeper than its corners?
static bool isDeeper(const Face *face, const FacePoint *deepest)
{
    for (int c = 0; c < 3; ++c)
    {
        if (deepest->share[c] > 1 - ON_EDGE)
            return false;
    }
    return deepest->sample.distance < leastCorner(face) - DEEPER * face->size;
}

// where what touches ends, from the deepest point towards a corner
static FacePoint endTowards(const Face *face, const FacePoint *deepest, int corner)
{
    double most = deepest->sample.distance + FLAT * face->inner, low = 0, high = 1;
    FacePoint end = *deepest;
    for (int k = 0; k < HALVINGS; ++k)
    {
        FacePoint next;
        double t = 0.5 * (low + high);
        for (int c = 0; c < 3; ++c)
            next.share[c] = (1 - t) * deepest->share[c] + (c == corner ? t : 0);
        sampleAt(face, &next);
        bool touches = next.sample.distance <= most;
        *(touches ? &low : &high) = t;
        end = touches ? next : end;
    }
    return end;
}

// does what touches reach farther than APART towards any corner? The distance is convex along the way: one place tells.
static bool isWide(const Face *face, const FacePoint *deepest)
{
    double most = deepest->sample.distance + FLAT * face->inner;
    for (int corner = 0; corner < 3; ++corner)
    {
        FacePoint next;
        double t = APART * face->inner / maxReal(vecLength(vecSub(cornerOf(face, corner), deepest->at)), DBL_MIN);
        if (t >= 1)
            continue;
        for (int c = 0; c < 3; ++c)
            next.share[c] = (1 - t) * deepest->share[c] + (c == corner ? t : 0);
        sampleAt(face, &next);
        if (next.sample.distance <= most)
            return true;
    }
    return false;
}

// ---- elements -------------------------------------------------------------------------------------------------------

static void cornersOf(const Energy *contact, int triangle, const FaceView *view, Vec3 corner[3])
{
    int element = triangle * CONTACT_SLOTS;
    const int *vertices = laneVertices(contact, element / LANES) + element % LANES;
    for (int c = 0; c < 3; ++c)
        corner[c] = vecAdd(view->origin, vecLoad(view->x + view->stride * (ptrdiff_t)vertices[c * LANES]));
}

static void setShare(const ContactBody *body, int element, const FacePoint *point)
{
    for (int c = 0; c < 3; ++c)
        body->share[3 * (ptrdiff_t)element + c] = point->share[c];
    body->feature[element] = point->sample.feature;
}

// the elements of a triangle that hold a collider, `first` on; those that are not needed rest
static void followOne(const Energy *contact, int first, int count, const Face *face)
{
    const ContactBody *body = contact->context;
    FacePoint start = { .share = { 0, 0, 0 } };
    for (int i = 0; i < 3 * count; ++i)
        start.share[i % 3] += body->share[3 * (ptrdiff_t)first + i] / count;
    FacePoint deepest = deepestFrom(face, start), end[CONTACT_SLOTS];
    bool acts = isDeeper(face, &deepest), wide = acts && count > 1 && isWide(face, &deepest);
    for (int k = 0; k < count && wide; ++k)
        end[k] = endTowards(face, &deepest, k);
    for (int k = 0; k < count; ++k)
    {
        setShare(body, first + k, wide ? &end[k] : &deepest);
        body->rests[first + k] = !acts || (!wide && k > 0);
    }
}

void contactFollow(const Energy *contact, const FaceView *view)
{
    const ContactBody *body = contact->context;
    for (int e = contactNextHeld(contact, 0); body->rests != NULL && e < contact->elementCount;)
    {
        Vec3 corner[3];
        int triangle = e / CONTACT_SLOTS, end = (triangle + 1) * CONTACT_SLOTS, count = 1;
        const Collider *collider = contactCollider(contact, e);
        while (e + count < end &&
               contactKept(contact, e + count, KEPT_COLLIDER) == contactKept(contact, e, KEPT_COLLIDER))
            ++count;
        cornersOf(contact, triangle, view, corner);
        Face face = faceOf(collider, view->moment, corner, body->feature[e]);
        followOne(contact, e, count, &face);
        e = contactNextHeld(contact, e + count);
    }
}

// A point within a triangle is met along the normal of the triangle, one on an edge across the edge: so it is outside
// of a shape, and inside the nearest side of a corner says something else.
Vec3 contactFaceNormal(const Energy *contact, int element, const FaceView *view, Vec3 normal)
{
    Vec3 corner[3], direction;
    const double *share = contactShares(contact, element);
    cornersOf(contact, element / CONTACT_SLOTS, view, corner);
    int edge = -1;
    for (int c = 0; c < 3; ++c)
        edge = share[c] < ON_EDGE ? c : edge;
    if (edge >= 0)
    {
        Vec3 along = vecSub(corner[(edge + 2) % 3], corner[(edge + 1) % 3]);
        double square = vecDot(along, along);
        direction = vecSub(normal, vecScale(square > 0 ? vecDot(normal, along) / square : 0, along));
    }
    else
    {
        Vec3 n = vecCross(vecSub(corner[1], corner[0]), vecSub(corner[2], corner[0]));
        double square = vecDot(n, n);
        direction = vecScale(square > 0 ? vecDot(normal, n) / square : 0, n);
    }
    double length = vecLength(direction);
    return length > UPRIGHT ? vecScale(1 / length, direction) : normal;
}

// ---- the search -----------------------------------------------------------------------------------------------------

typedef struct Found
{
    int slot;        // of the collider
    double distance; // m
    FacePoint point;
} Found;

typedef struct FaceSearch
{
    Energy *contact;
    const ContactBody *body;
    double reach; // m
    int candidateCount;
} FaceSearch;

// whether a triangle may meet a shape within the step other than by its corners
static bool mayMeet(const FaceSearch *search, int slot, const Vec3 now[3], const Vec3 later[3], Found *found)
{
    const Collider *collider = &search->body->colliders->item[slot];
    Face face = faceOf(collider, 0, now, -1), end = faceOf(collider, 1, later, -1);
    if (!(face.inner > 0))
        return false;
    double travel = 0;
    for (int i = 0; i < 3; ++i)
        travel = maxReal(travel, vecLength(vecSub(cornerOf(&end, i), cornerOf(&face, i))));
    FacePoint middle = { .share = { 1.0 / 3, 1.0 / 3, 1.0 / 3 } };
    sampleAt(&face, &middle);
    if (middle.sample.distance > face.size + travel + search->reach)
        return false;
    vvBox box = vvShape_GetBounds(collider->shape);
    found->point = deepestFrom(&face, nearestTo(&face, vecScale(0.5, vecAdd(box.lower, box.upper))));
    found->slot = slot;
    found->distance = found->point.sample.distance;
    if (found->distance > travel + search->reach)
        return false;
    return travel > face.size || isDeeper(&face, &found->point) || isDeeper(&end, &found->point);
}

// A corner is held to the rigid body of a collider: the others have elements of their own.
static bool isBonded(const FaceSearch *search, int triangle, int collider)
{
    const ContactBody *body = search->body;
    return bondedShare(body->bonded, body->slot, body->corner + 3 * (ptrdiff_t)triangle, NULL, 3,
                       bondedRigid(body->colliders->item[collider].rigid)) > 0;
}

// the nearest ones, at most as many as there are elements
static int findAll(const FaceSearch *search, int triangle, const Vec3 now[3], const Vec3 later[3],
                   Found found[CONTACT_SLOTS])
{
    int count = 0;
    vvBox swept = sweptBox(now[0], later[0], search->reach);
    for (int c = 1; c < 3; ++c)
    {
        vvBox other = sweptBox(now[c], later[c], search->reach);
        boxInclude(&swept, other.lower);
        boxInclude(&swept, other.upper);
    }
    for (int k = 0; k < search->candidateCount; ++k)
    {
        const Candidate *candidate = &contactCandidates(search->body)[k];
        Found next;
        if (!boxesOverlap(&swept, &candidate->box) || isBonded(search, triangle, candidate->slot) ||
            !mayMeet(search, candidate->slot, now, later, &next))
            continue;
        int at = count < CONTACT_SLOTS ? count++ : CONTACT_SLOTS;
        for (; at > 0 && found[at - 1].distance > next.distance; --at)
        {
            if (at < CONTACT_SLOTS)
                found[at] = found[at - 1];
        }
        if (at < CONTACT_SLOTS)
            found[at] = next;
    }
    return count;
}

static void hold(const FaceSearch *search, int element, const Found *found)
{
    const ContactBody *body = search->body;
    Energy *contact = search->contact;
    int slot = found != NULL ? found->slot : -1;
    bool other = (int)contactKept(contact, element, KEPT_COLLIDER) != slot;
    contactKeep(contact, element, KEPT_COLLIDER, slot);
    if (other)
        contactKeep(contact, element, KEPT_FORCE, 0);
    if (other || found != NULL)
        contactArm(contact, element);
    body->rests[element] = found == NULL;
    if (found == NULL)
        return;
    setShare(body, element, &found->point);
    contactKeep(contact, element, KEPT_START, found->distance - body->radius);
}

int contactFaceSearch(Energy *contact, const double *x, const double *v, const unsigned char *pinned, Vec3 gravity,
                      double h)
{
    const ContactBody *body = contact->context;
    FaceSearch search = { .contact = contact, .body = body, .reach = body->radius + MARGIN * contactSpacing(body) };
    search.candidateCount = contactCull(body, x, v, gravity, h, search.reach);
    if (search.candidateCount == 0 && contact->off)
        return 0;
    contactPutBy(contact);
    if (!body->hard)
        hardForget(contact);
    contactImpulseClear(contact);
    int on = 0;
    for (int t = 0; t < body->pointCount; ++t)
    {
        Vec3 now[3], later[3];
        Found found[CONTACT_SLOTS];
        int count = 0, fixed = 0;
        for (int c = 0; c < 3; ++c)
        {
            int vertex = body->corner[3 * t + c];
            fixed += pinned[vertex];
            now[c] = vecLoad(x + 3 * (ptrdiff_t)vertex);
            Vec3 way = vecAdd(vecScale(h, vecLoad(v + 3 * (ptrdiff_t)vertex)), vecScale(h * h, gravity));
            later[c] = vecAdd(now[c], way);
        }
        if (search.candidateCount > 0 && fixed < 3)
            count = findAll(&search, t, now, later, found);
        for (int k = 0; k < CONTACT_SLOTS; ++k)
            hold(&search, t * CONTACT_SLOTS + k, count == 1 ? &found[0] : k < count ? &found[k] : NULL);
        on += count == 1 ? CONTACT_SLOTS : count;
    }
    contact->off = on == 0;
    return on;
}
