// Which colliders a body can meet at all within a step: boxes around both, before any vertex is looked at.
#include "contact/element.h"

#include <math.h>

static vvBox boxAround(Vec3 centre, double radius)
{
    Vec3 r = vec3(radius, radius, radius);
    return (vvBox){ vecSub(centre, r), vecAdd(centre, r) };
}

// a ball around the shape; one that moves turns about its frame's origin
static vvBox colliderBox(const Collider *collider)
{
    vvBox shape = shapeSweptBounds(collider->shape);
    Vec3 middle = vecScale(0.5, vecAdd(shape.lower, shape.upper));
    double radius = 0.5 * vecLength(vecSub(shape.upper, shape.lower));
    if (!vecFinite(middle) || !isfinite(radius))
        return (vvBox){ { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };
    if (!collider->moves)
        return boxAround(vecAdd(matApply(&collider->start.turn, middle), collider->start.position), radius);
    radius += vecLength(middle);
    vvBox box = boxAround(collider->start.position, radius), end = boxAround(collider->target.position, radius);
    boxInclude(&box, end.lower);
    boxInclude(&box, end.upper);
    return box;
}

bool boxesOverlap(const vvBox *a, const vvBox *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

bool contactMayTouch(const ContactBody *body, const Collider *collider)
{
    return ((collider->used && body->rests == NULL) || collider->rigid > 0) && (collider->category & body->mask) != 0 &&
           (body->category & collider->mask) != 0;
}

// around the path of a vertex, with a margin
vvBox sweptBox(Vec3 from, Vec3 to, double reach)
{
    vvBox box = boxAround(from, reach), end = boxAround(to, reach);
    boxInclude(&box, end.lower);
    boxInclude(&box, end.upper);
    return box;
}

// The shape itself, of a collider that stays: distances change no faster than points move, so that the middle of a box
// tells of all its points.
static bool reachesBox(const Collider *collider, const vvBox *box)
{
    Vec3 middle = vecScale(0.5, vecAdd(box->lower, box->upper));
    double radius = 0.5 * vecLength(vecSub(box->upper, box->lower));
    if (collider->moves || !isfinite(radius))
        return true;
    Mat3 back = matTranspose(&collider->start.turn);
    Vec3 local = matApply(&back, vecSub(middle, collider->start.position));
    return shapeSample(collider->shape, local, radius, -1).distance < radius;
}

// of a surface vertex, or of a point of a carried surface
static Vec3 placeOf(const ContactBody *body, int point, const double *x)
{
    if (body->corners < 4)
        return vecLoad(x + 3 * (ptrdiff_t)body->vertex[point]);
    Vec3 sum = vec3(0, 0, 0);
    for (int c = 4 * point; c < 4 * point + 4; ++c)
        sum = vecAdd(sum, vecScale(body->share[c], vecLoad(x + 3 * (ptrdiff_t)body->corner[c])));
    return sum;
}

static Vec3 lesser(Vec3 a, Vec3 b)
{
    return vec3(minReal(a.x, b.x), minReal(a.y, b.y), minReal(a.z, b.z));
}

static Vec3 greater(Vec3 a, Vec3 b)
{
    return vec3(maxReal(a.x, b.x), maxReal(a.y, b.y), maxReal(a.z, b.z));
}

int contactCull(const ContactBody *body, const double *x, const double *v, Vec3 gravity, double h, double reach)
{
    const Colliders *colliders = body->colliders;
    Vec3 lower = vec3(INFINITY, INFINITY, INFINITY), upper = vecScale(-1, lower), room = vec3(reach, reach, reach);
    Vec3 fall = vecScale(h * h, gravity);
    bool inner = body->corners == 4; // samples are within the triangles of the vertices
    for (int i = 0; i < (inner ? body->pointCount : body->surfaceCount); ++i)
    {
        Vec3 from = placeOf(body, i, x), to = vecAdd(from, vecAdd(vecScale(h, placeOf(body, i, v)), fall));
        lower = lesser(lesser(lower, from), to);
        upper = greater(greater(upper, from), to);
    }
    vvBox box = { vecSub(lower, room), vecAdd(upper, room) };
    int count = 0;
    for (int c = 0; c < colliders->slotCount; ++c)
    {
        if (!contactMayTouch(body, &colliders->item[c]))
            continue;
        vvBox other = colliderBox(&colliders->item[c]);
        if (boxesOverlap(&box, &other) && reachesBox(&colliders->item[c], &box))
            contactCandidates(body)[count++] = (Candidate){ c, other };
    }
    return count;
}
