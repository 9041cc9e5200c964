#include "shape/kinds.h"

static vvShapeKind kindOf(const vvShape *shape)
{
    switch (shape->kind->tag)
    {
    case TAG_PLANE:
        return VV_SHAPE_PLANE;
    case TAG_SPHERE:
        return VV_SHAPE_SPHERE;
    case TAG_BOX:
        return VV_SHAPE_BOX;
    case TAG_CAPSULE:
        return VV_SHAPE_CAPSULE;
    case TAG_CONVEX:
        return VV_SHAPE_CONVEX;
    case TAG_MESH:
    case TAG_SAMPLED:
        return VV_SHAPE_MESH;
    default:
        return VV_SHAPE_HEIGHTFIELD;
    }
}

ShapeForm shapeForm(const vvShape *shape)
{
    const Surface *surface = &shape->surface;
    return (ShapeForm){ .kind = kindOf(shape),
                        .radius = shape->radius,
                        .half = shape->half,
                        .normal = shape->normal,
                        .offset = shape->offset,
                        .sampled = shapeIs(shape, TAG_SAMPLED),
                        .faceCount = surface->triangleCount,
                        .corner = surface->corners,
                        .faceNormal = surface->faceNormal,
                        .point = surface->triangle,
                        .neighbour = surface->neighbour };
}

void shapeFacets(const vvShape *shape, vvBox near, FacetVisit visit, void *context)
{
    if (shape->kind->facets != NULL)
        shape->kind->facets(shape, near, visit, context);
}
