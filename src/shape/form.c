#include "shape/kinds.h"

static vvShapeKind kindOf(const vvShape *shape)
{
    const ShapeKind *kind = shape->kind;
    return kind == &shapePlane     ? VV_SHAPE_PLANE
           : kind == &shapeSphere  ? VV_SHAPE_SPHERE
           : kind == &shapeBox     ? VV_SHAPE_BOX
           : kind == &shapeCapsule ? VV_SHAPE_CAPSULE
           : kind == &shapeConvex  ? VV_SHAPE_CONVEX
           : kind == &shapeMesh    ? VV_SHAPE_MESH
           : kind == &shapeSampled ? VV_SHAPE_MESH
                                   : VV_SHAPE_HEIGHTFIELD;
}

ShapeForm shapeForm(const vvShape *shape)
{
    const Surface *surface = &shape->surface;
    return (ShapeForm){ .kind = kindOf(shape),
                        .radius = shape->radius,
                        .half = shape->half,
                        .normal = shape->normal,
                        .offset = shape->offset,
                        .sampled = shape->kind == &shapeSampled,
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
