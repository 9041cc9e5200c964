// Verve shapes: rigid geometry that bodies collide with, by its signed distance.
//
// A shape is immutable geometry in its own frame and may be shared by any number of colliders and worlds; it lives
// until its creator has destroyed it and the last collider that uses it is gone. Any number of threads may
// query it.
//
// Lengths and coordinates: 1e-9 to 1e9 m. Distances are Euclidean and exact up to rounding, inside and outside, unless
// `sampling` is set.
#ifndef VERVE_SHAPE_H
#define VERVE_SHAPE_H

#include <verve/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct vvShape vvShape; // immutable; made by vvCreateShape

// What a shape is. The words below are fields of vvShapeDef.
typedef enum vvShapeKind
{
    VV_SHAPE_PLANE,   // normal . x = offset; solid below
    VV_SHAPE_SPHERE,  // radius, about the origin
    VV_SHAPE_BOX,     // size x, y, z, about the origin
    VV_SHAPE_CAPSULE, // radius, and size.y the length of the axis between the centres of its caps, along y
    VV_SHAPE_CONVEX,  // convex hull of `points`, at least 4 that span a volume; exact to 1e-9 of its size
    VV_SHAPE_MESH,    // closed surface of `triangles` over `points`: every edge belongs to 2 triangles that wind the
                      // same way. Winding is outward; a surface that winds inward all over is turned. Triangles
                      // that name a point twice are dropped, flat ones (area below 1e-12 x longest edge^2) refused.
                      // Self-intersection is not looked for: there the side may be wrong
    // columns x rows heights over a grid in the xz plane, centred at the origin, size.x by size.z; solid below, with
    // vertical walls around and no bottom. Each cell is two triangles, cut from its lowest x and z to its highest.
    VV_SHAPE_HEIGHTFIELD,
} vvShapeKind;

// Start from vvDefaultShapeDef().
typedef struct vvShapeDef
{
    vvShapeKind kind; // default VV_SHAPE_PLANE
    vvVec3 normal;    // any length above 0; default 0 1 0
    double offset;    // m, along the unit normal; default 0
    double radius;    // m, above 0; default 0.5
    vvVec3 size;      // m, above 0 where used; default 1 1 1

    const double *points;  // pointCount x 3, m; copied
    int pointCount;        // at least 4
    const int *triangles;  // triangleCount x 3; copied
    int triangleCount;     // at least 4
    const double *heights; // rows x columns, m, row by row along z; copied
    int columns, rows;     // at least 2

    // mesh: distances from a grid of samples instead of the triangles: cheap for any number of them, with a normal that
    // turns smoothly, and an error of up to a cell at edges. m, the cell, at most half the longest side and not below
    // what 2^26 samples of 4 bytes reach; creation measures every sample, microseconds each. 0: exact. Default 0
    double sampling;

    vvAllocator allocator; // default malloc and free
    int cookie;            // set by vvDefaultShapeDef
} vvShapeDef;

VV_API vvShapeDef vvDefaultShapeDef(void);                              // the defaults above
VV_API vvShape *vvCreateShape(const vvShapeDef *def, vvResult *result); // NULL on failure
VV_API void vvDestroyShape(vvShape *shape);                             // NULL is fine

// Signed distance of a point of the shape's own frame, negative inside, and the unit direction in which it grows; where
// many are equal (the centre of a sphere) always the same one. A point that is not finite is infinitely far: normal 0.
VV_API double vvShape_GetDistance(const vvShape *shape, vvVec3 point, vvVec3 *normal /* may be NULL */);
VV_API vvBox vvShape_GetBounds(const vvShape *shape); // a plane's and a heightfield's are infinite below

#ifdef __cplusplus
}
#endif

#endif
