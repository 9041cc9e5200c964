#include "shape/kinds.h"

static vvResult create(vvShape *shape, const vvShapeDef *def)
{
    double r = shape->radius = def->radius;
    double half = shape->half.y = 0.5 * def->size.y;
    shape->bounds = (vvBox){ { -r, -r - half, -r }, { r, r + half, r } };
    vvResult result = checkLength("radius", r);
    return result.code == VV_OK ? checkLength("size.y", def->size.y) : result;
}

// from the nearest point of the axis
static Vec3 fromAxis(const vvShape *shape, Vec3 point)
{
    double y = minReal(maxReal(point.y, -shape->half.y), shape->half.y);
    return vec3(point.x, point.y - y, point.z);
}

static ShapeSample sample(const vvShape *shape, Vec3 point, double limit, int hint)
{
    (void)limit;
    (void)hint;
    Vec3 away = fromAxis(shape, point);
    double length = vecLength(away);
    // on the axis all directions around it are equal
    Vec3 normal = length > 0 ? vecScale(1 / length, away) : vec3(1, 0, 0);
    return (ShapeSample){ length - shape->radius, normal, 0, -1 };
}

static void curvature(const vvShape *shape, Vec3 point, double *out)
{
    Vec3 away = fromAxis(shape, point);
    double length = vecLength(away);
    bool beside = fabs(point.y) < shape->half.y;
    if (length > 1e-9 * shape->radius)
        curvatureAdd(out, 1 / length, vecScale(1 / length, away), vec3(0, beside ? 1 : 0, 0));
}

// the ray against the ball about (0, y, 0), or the endless cylinder: first passage, or infinity
static double castRound(Vec3 origin, Vec3 direction, double radius)
{
    double square = vecDot(direction, direction);
    if (!(square > 0))
        return INFINITY;
    double along = -vecDot(origin, direction) / square;
    Vec3 nearest = vecAdd(origin, vecScale(along, direction));
    double room = radius * radius - vecDot(nearest, nearest);
    double first = along - sqrt(maxReal(room, 0) / square);
    return room < 0 || first < 0 ? INFINITY : first;
}

static bool cast(const vvShape *shape, Vec3 origin, Vec3 direction, double farthest, double *distance)
{
    double half = shape->half.y, r = shape->radius;
    double first = castRound(vec3(origin.x, 0, origin.z), vec3(direction.x, 0, direction.z), r);
    if (!(fabs(origin.y + first * direction.y) <= half)) // beyond the ends, or NaN from infinity
        first = INFINITY;
    first = minReal(first, castRound(vec3(origin.x, origin.y - half, origin.z), direction, r));
    first = minReal(first, castRound(vec3(origin.x, origin.y + half, origin.z), direction, r));
    *distance = first;
    return first <= farthest && first < INFINITY;
}

static void facets(const vvShape *shape, vvBox near, FacetVisit visit, void *context)
{
    (void)near;
    Facet axis = { .corner = { { 0, -shape->half.y, 0 }, { 0, shape->half.y, 0 } },
                   .corners = 2,
                   .radius = shape->radius };
    visit(&axis, context);
}

const ShapeKind shapeCapsule = { TAG_CAPSULE, create, sample, curvature, cast, facets };
