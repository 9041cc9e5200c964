#include "shape/kinds.h"

// a convex shape is the closed surface of its hull
static vvResult create(vvShape *shape, const vvShapeDef *def)
{
    int *triangles = NULL, triangleCount = 0;
    vvResult result = checkShapePoints(def, 4);
    if (result.code == VV_OK)
        result = hullBuild(&shape->memory, def->points, def->pointCount, &triangles, &triangleCount);
    if (result.code == VV_OK)
        result =
            surfaceBuild(&shape->memory, &shape->surface, def->points, def->pointCount, triangles, triangleCount, true);
    if (result.code == VV_OK)
        shape->bounds = surfaceBounds(&shape->surface);
    memoryRelease(&shape->memory, triangles);
    return result;
}

const ShapeKind shapeConvex = { TAG_CONVEX, create, closedSample, closedCurvature, closedCast, closedFacets };
