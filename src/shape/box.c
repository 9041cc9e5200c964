#include "shape/kinds.h"

static vvResult create(vvShape *shape, const vvShapeDef *def)
{
    Vec3 half = shape->half = vecScale(0.5, def->size);
    shape->bounds = (vvBox){ vecScale(-1, half), half };
    vvResult result = checkLength("size.x", def->size.x);
    if (result.code == VV_OK)
        result = checkLength("size.y", def->size.y);
    if (result.code == VV_OK)
        result = checkLength("size.z", def->size.z);
    return result;
}

static ShapeSample sample(const vvShape *shape, Vec3 point, double limit, int hint)
{
    (void)limit;
    (void)hint;
    const double p[3] = { point.x, point.y, point.z };
    const double half[3] = { shape->half.x, shape->half.y, shape->half.z };
    double over[3], normal[3] = { 0, 0, 0 }, square = 0;
    int nearest = 0, outside = 0; // axis of the nearest face (of equals the first); axes the point is beyond
    for (int a = 0; a < 3; ++a)
    {
        over[a] = fabs(p[a]) - half[a];
        if (over[a] > over[nearest])
            nearest = a;
        outside += over[a] > 0;
        square += over[a] > 0 ? over[a] * over[a] : 0;
    }
    ShapeSample result = { over[nearest], { 0, 0, 0 }, 0, -1 };
    if (outside > 1)
    {
        double length = result.distance = sqrt(square);
        for (int a = 0; a < 3; ++a)
            normal[a] = over[a] > 0 ? (p[a] < 0 ? -over[a] : over[a]) / length : 0;
    }
    else
        normal[nearest] = p[nearest] < 0 ? -1 : 1;
    result.normal = vecLoad(normal);
    return result;
}

static void curvature(const vvShape *shape, Vec3 point, double *out)
{
    const double over[3] = { fabs(point.x) - shape->half.x, fabs(point.y) - shape->half.y,
                             fabs(point.z) - shape->half.z };
    double along[3] = { 0, 0, 0 };
    int outside = 0;
    for (int a = 0; a < 3; ++a)
    {
        outside += over[a] > 0;
        along[a] = over[a] > 0 ? 0 : 1;
    }
    // beside an edge the distance is that of a cylinder, beyond a corner that of a sphere
    if (outside < 2)
        return;
    ShapeSample s = sample(shape, point, INFINITY, -1);
    curvatureAdd(out, 1 / s.distance, s.normal, outside == 2 ? vecLoad(along) : vec3(0, 0, 0));
}

static bool cast(const vvShape *shape, Vec3 origin, Vec3 direction, double farthest, double *distance)
{
    double enter = 0, leave = farthest;
    for (int a = 0; a < 3; ++a)
    {
        double o = vecGet(origin, a), d = vecGet(direction, a), half = vecGet(shape->half, a);
        if (d == 0)
        {
            if (fabs(o) > half)
                return false;
            continue;
        }
        double first = (-half - o) / d, second = (half - o) / d;
        enter = maxReal(enter, minReal(first, second));
        leave = minReal(leave, maxReal(first, second));
    }
    *distance = enter;
    return enter <= leave;
}

// corner i has the signs of its bits: x 4, y 2, z 1
static void facets(const vvShape *shape, vvBox near, FacetVisit visit, void *context)
{
    static const int triangle[12][3] = { { 0, 1, 3 }, { 0, 3, 2 }, { 4, 6, 7 }, { 4, 7, 5 }, { 0, 4, 5 }, { 0, 5, 1 },
                                         { 2, 3, 7 }, { 2, 7, 6 }, { 0, 2, 6 }, { 0, 6, 4 }, { 1, 5, 7 }, { 1, 7, 3 } };
    (void)near;
    Vec3 half = shape->half;
    for (int t = 0; t < 12; ++t)
    {
        Facet facet = { .corners = 3 };
        for (int k = 0; k < 3; ++k)
        {
            int i = triangle[t][k];
            facet.corner[k] = vec3(i & 4 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 1 ? half.z : -half.z);
        }
        if (!visit(&facet, context))
            return;
    }
}

const ShapeKind shapeBox = { TAG_BOX, create, sample, curvature, cast, facets };
