#include "shape/kinds.h"

static vvResult create(vvShape *shape, const vvShapeDef *def)
{
    double length = vecLength(def->normal);
    if (!(length > 1e-150) || !isfinite(length)) // below, the square underflows
        return resultMake(VV_BAD_INPUT, "set normal to the direction that points out of the solid",
                          "normal (%g, %g, %g) has the length %g, must be above 0 and finite", def->normal.x,
                          def->normal.y, def->normal.z, length);
    if (!(fabs(def->offset) <= SHAPE_LARGEST))
        return resultMake(VV_BAD_INPUT, "the plane is normal . x = offset, in metres",
                          "offset is %g m, must be within %g", def->offset, SHAPE_LARGEST);
    Vec3 n = shape->normal = vecScale(1 / length, def->normal);
    double offset = shape->offset = def->offset;
    // bounded only along an axis
    Vec3 upper = { n.x == 1 ? offset : INFINITY, n.y == 1 ? offset : INFINITY, n.z == 1 ? offset : INFINITY };
    Vec3 lower = { n.x == -1 ? -offset : -INFINITY, n.y == -1 ? -offset : -INFINITY, n.z == -1 ? -offset : -INFINITY };
    shape->bounds = (vvBox){ lower, upper };
    return resultOk();
}

static ShapeSample sample(const vvShape *shape, Vec3 point, double limit, int hint)
{
    (void)limit;
    (void)hint;
    return (ShapeSample){ vecDot(shape->normal, point) - shape->offset, shape->normal, 0, -1 };
}

static void curvature(const vvShape *shape, Vec3 point, double *out)
{
    (void)shape;
    (void)point;
    (void)out;
}

static bool cast(const vvShape *shape, Vec3 origin, Vec3 direction, double farthest, double *distance)
{
    double slope = -vecDot(shape->normal, direction), gap = vecDot(shape->normal, origin) - shape->offset;
    if (!(slope > 0) || gap > farthest * slope)
        return false;
    *distance = gap / slope;
    return true;
}

const ShapeKind shapePlane = { TAG_PLANE, create, sample, curvature, cast, NULL };
