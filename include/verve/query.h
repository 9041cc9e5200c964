// Verve: what is where. Rays, spheres that move, and what overlaps a box or a sphere.
//
// Queries look at the present state and change nothing. They test every element of the world: for picking, sensors and
// tools, not for thousands of calls a frame. What they are given must be finite; otherwise they find nothing.
#ifndef VERVE_QUERY_H
#define VERVE_QUERY_H

#include <verve/id.h>

#ifdef __cplusplus
extern "C" {
#endif

// =====================================================================================================================
// What is hit first
// =====================================================================================================================

// What was hit.
typedef enum vvPickKind
{
    VV_PICK_NOTHING,  // nothing within reach
    VV_PICK_BODY,     // the surface of a body, or a rope
    VV_PICK_COLLIDER, // a collider
    VV_PICK_RIGID,    // a rigid body
} vvPickKind;

// Where it was hit.
typedef struct vvPick
{
    vvPickKind kind;       // what was hit
    vvSoftBodyId body;     // null: not a body
    vvColliderId collider; // null: not a collider
    vvRigidBodyId rigid;   // null: not a rigid body
    int triangle;          // triangle of vvMesh_GetSurface; for a rope, edge of vvMesh_GetEdges; -1: no body
    int vertex;            // vertex of the triangle or edge nearest to the point; -1: no body
    int vertices[3];       // vertices of the triangle; for an edge the third is -1
    double weights[3]; // barycentric, at least 0, sum 1: the point is the sum of weight x vertex (a rope: on its axis)
    vvVec3 point;      // m
    vvVec3 normal;     // unit, outward from what was hit; for a sheet, towards the origin of the ray
    double distance;   // m
} vvPick;

// Returns what a ray from `origin` along `direction` (any length above 0) hits first, up to `farthest` m (may be
// infinite). Surfaces of bodies are hit from both sides, ropes as thick as their material says; from inside a collider
// or a rigid body the distance is 0. It tests every triangle of the world: for picking, not for thousands of rays a
// frame.
VV_API vvPick vvWorld_CastRay(vvWorldId world, vvVec3 origin, vvVec3 direction, double farthest);

// The same for a sphere of `radius` m, at least 0, whose centre moves along the ray: `distance` is how far it comes
// until it touches, `point` is where, `normal` points from there to its centre. Distance 0: it touches at the start; of
// several things that it does, the first body, rigid body or collider counts. Within a solid without touching its
// surface it is free.
VV_API vvPick vvWorld_CastSphere(vvWorldId world, vvVec3 origin, double radius, vvVec3 direction, double farthest);

// =====================================================================================================================
// What overlaps
// =====================================================================================================================

// A body or a collider that a region overlaps: one of the ids is not null.
typedef struct vvOverlap
{
    vvSoftBodyId body;     // a soft body
    vvRigidBodyId rigid;   // a rigid body
    vvColliderId collider; // a collider
    int elementCount;      // how many elements of the soft body overlap; 0 for the others
} vvOverlap;

// Everything that a region overlaps or touches, soft bodies, then rigid ones, then colliders, in a fixed order: writes
// at most `capacity`, returns how many there are. Solids, rigid bodies and colliders are filled; sheets are as thin as
// their triangles, ropes as thick as their material says. Shapes with `sampling` are exact to a cell.
VV_API int vvWorld_OverlapBox(vvWorldId world, vvBox box, vvOverlap *overlaps, int capacity);
VV_API int vvWorld_OverlapSphere(vvWorldId world, vvVec3 centre, double radius, vvOverlap *overlaps, int capacity);

// The elements of a body that a region overlaps: tets of a solid, triangles of vvMesh_GetSurface of a sheet, structural
// edges of vvMesh_GetEdges of a rope, rising. Writes at most `capacity`, returns how many there are.
VV_API int vvSoftBody_OverlapBox(vvSoftBodyId body, vvBox box, int *elements, int capacity);
VV_API int vvSoftBody_OverlapSphere(vvSoftBodyId body, vvVec3 centre, double radius, int *elements, int capacity);

// =====================================================================================================================
// What is nearest
// =====================================================================================================================

// Returns what is nearest to `point` of the surfaces of bodies, ropes, rigid bodies and colliders, up to `farthest` m
// (may be infinite). `point` of the pick is on the surface; `normal` points from there to `point` for soft bodies, and
// out of the shape for others; `distance` is negative inside a rope, a rigid body or a collider, and within a solid
// that to its surface. Of several that are equally near, the first soft body, rigid body or collider counts.
VV_API vvPick vvWorld_FindNearest(vvWorldId world, vvVec3 point, double farthest);
VV_API vvPick vvSoftBody_FindNearest(vvSoftBodyId body, vvVec3 point, double farthest); // the same of one body

#ifdef __cplusplus
}
#endif

#endif
