#include "shape/kinds.h"

static vvResult create(vvShape *shape, const vvShapeDef *def)
{
    double r = shape->radius = def->radius;
    shape->bounds = (vvBox){ { -r, -r, -r }, { r, r, r } };
    return checkLength("radius", r);
}

static ShapeSample sample(const vvShape *shape, Vec3 point, double limit, int hint)
{
    (void)limit;
    (void)hint;
    double length = vecLength(point);
    // the centre is equally far from all sides: up
    Vec3 normal = length > 0 ? vecScale(1 / length, point) : vec3(0, 1, 0);
    return (ShapeSample){ length - shape->radius, normal, 0, -1 };
}

static void curvature(const vvShape *shape, Vec3 point, double *out)
{
    double length = vecLength(point);
    if (length > 1e-9 * shape->radius)
        curvatureAdd(out, 1 / length, vecScale(1 / length, point), vec3(0, 0, 0));
}

static bool cast(const vvShape *shape, Vec3 origin, Vec3 direction, double farthest, double *distance)
{
    // nearest point of the line first: no cancellation however far the origin is
    double along = -vecDot(origin, direction);
    Vec3 nearest = vecAdd(origin, vecScale(along, direction));
    double room = shape->radius * shape->radius - vecDot(nearest, nearest);
    if (along < 0 || room < 0 || along - sqrt(room) > farthest)
        return false;
    *distance = maxReal(0, along - sqrt(room));
    return true;
}

static void facets(const vvShape *shape, vvBox near, FacetVisit visit, void *context)
{
    (void)near;
    Facet ball = { .corners = 1, .radius = shape->radius };
    visit(&ball, context);
}

const ShapeKind shapeSphere = { TAG_SPHERE, create, sample, curvature, cast, facets };
