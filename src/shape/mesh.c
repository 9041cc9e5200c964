#include "shape/kinds.h"

vvBox surfaceBounds(const Surface *surface)
{
    vvBox box = { vecLoad(surface->corners), vecLoad(surface->corners) };
    for (int i = 0; i < 3 * surface->triangleCount; ++i)
    {
        Vec3 p = pointAt(surface->corners, i);
        box.lower = vec3(minReal(box.lower.x, p.x), minReal(box.lower.y, p.y), minReal(box.lower.z, p.z));
        box.upper = vec3(maxReal(box.upper.x, p.x), maxReal(box.upper.y, p.y), maxReal(box.upper.z, p.z));
    }
    return box;
}

static vvResult create(vvShape *shape, const vvShapeDef *def)
{
    const int most = 1 << 28;
    vvResult result = checkShapePoints(def, 4);
    if (result.code == VV_OK && (def->triangles == NULL || def->triangleCount < 4 || def->triangleCount > most))
        result = resultMake(VV_BAD_INPUT, "set triangles and triangleCount", "%s %d triangles, must be 4 to %d",
                            def->triangles == NULL ? "triangles is NULL with" : "there are", def->triangleCount, most);
    if (result.code == VV_OK && !(def->sampling >= 0 && def->sampling <= SHAPE_LARGEST))
        result = resultMake(VV_BAD_INPUT, "0 asks for exact distances", "sampling is %g m, must be 0 to %g",
                            def->sampling, SHAPE_LARGEST);
    if (result.code == VV_OK)
        result = surfaceBuild(&shape->memory, &shape->surface, def->points, def->pointCount, def->triangles,
                              def->triangleCount, false);
    if (result.code != VV_OK)
        return result;
    shape->bounds = surfaceBounds(&shape->surface);
    if (def->sampling == 0)
        return resultOk();
    shape->kind = &shapeSampled;
    return shape->kind->create(shape, def);
}

double boxGap(const vvBox *box, Vec3 p)
{
    double x = maxReal(0, maxReal(box->lower.x - p.x, p.x - box->upper.x));
    double y = maxReal(0, maxReal(box->lower.y - p.y, p.y - box->upper.y));
    double z = maxReal(0, maxReal(box->lower.z - p.z, p.z - box->upper.z));
    return sqrt(x * x + y * y + z * z);
}

ShapeSample closedSample(const vvShape *shape, Vec3 point, double limit, int hint)
{
    double gap = boxGap(&shape->bounds, point);
    if (gap > 0 && gap >= limit)
        return (ShapeSample){ .distance = gap, .feature = -1 };
    return surfaceSample(&shape->surface, point, hint);
}

void closedCurvature(const vvShape *shape, Vec3 point, double *out)
{
    ShapeSample s = surfaceSample(&shape->surface, point, -1);
    const double *own = shape->surface.corners + 9 * (size_t)s.feature;
    Region region;
    triangleNearest(own, point, &region);
    triangleCurvature(own, region, &s, pointAt(shape->surface.faceNormal, s.feature), out);
}

bool closedCast(const vvShape *shape, Vec3 origin, Vec3 direction, double farthest, double *distance)
{
    const Surface *surface = &shape->surface;
    return treeCast(&surface->tree, surface->corners, origin, direction, farthest, distance) >= 0;
}

typedef struct Visitor
{
    const Surface *surface;
    FacetVisit visit;
    void *context;
} Visitor;

static bool visitTriangle(int triangle, void *context)
{
    const Visitor *visitor = context;
    Facet facet = { .corners = 3, .number = triangle };
    for (int k = 0; k < 3; ++k)
        facet.corner[k] = pointAt(visitor->surface->corners, 3 * triangle + k);
    return visitor->visit(&facet, visitor->context);
}

void closedFacets(const vvShape *shape, vvBox near, FacetVisit visit, void *context)
{
    Visitor visitor = { &shape->surface, visit, context };
    treeVisit(&shape->surface.tree, near, visitTriangle, &visitor);
}

const ShapeKind shapeMesh = { TAG_MESH, create, closedSample, closedCurvature, closedCast, closedFacets };
