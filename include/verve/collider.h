// Verve: colliders, the rigid shapes that bodies collide with.
#ifndef VERVE_COLLIDER_H
#define VERVE_COLLIDER_H

#include <verve/id.h>
#include <verve/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a collider is made from. Start from vvDefaultColliderDef().
typedef struct vvColliderDef
{
    vvShape *shape;     // required; shared, not copied: the collider keeps it alive
    vvVec3 position;    // m, of the shape's frame. Default 0
    vvQuat rotation;    // of the shape's frame, any length above 0. Default 1 0 0 0: none
    double friction;    // Coulomb's coefficient, at least 0. Default 0.5
    double restitution; // share of the approach speed with which a hard mass would leave, [0, 1]. Default 0: what
                        // touches stops, and a body rebounds by its own elasticity
    double stiffness;   // N/m^3. Default 0: the body's contactStiffness
    // N/m for every vertex, whatever its area; divided among samples. Default 0: by area.
    double vertexStiffness;
    bool deforms;            // a mesh with sampling 0: vvCollider_MovePoints can move its points, of which the collider
                             // has a copy. Default false
    bool sensor;             // contact events report what is inside, with force 0; it pushes nothing. Default false
    double adhesion;         // N/m^2, at least 0: with what a sticky surface pulls before it lets go. Default 0
    vvVec3 oneWay;           // direction in its frame, any length: it holds what comes against it, all else passes.
                             // Default 0: it holds everything
    vvVec3 surfaceVelocity;  // m/s in its frame, of the surface along itself: a conveyor belt. Default 0
    uint32_t category, mask; // bits, as for bodies. Default 1 and all
    void *userData;          // yours
    int cookie;              // set by vvDefaultColliderDef
} vvColliderDef;

VV_API vvColliderDef vvDefaultColliderDef(void); // the defaults above

// The contact energy of the penetration that a new collider starts with is booked as added; what is left when it is
// destroyed, as removed.
VV_API vvColliderId vvCreateCollider(vvWorldId world, const vvColliderDef *def, vvResult *result);
VV_API void vvDestroyCollider(vvColliderId collider);
VV_API bool vvCollider_IsValid(vvColliderId collider);
VV_API void *vvCollider_GetUserData(vvColliderId collider);
VV_API const vvShape *vvCollider_GetShape(vvColliderId collider); // as long as the collider lives; NULL for a bad id

// As in vvColliderDef; from the next step on, for what touches too. Getters return 0 for a bad id.
VV_API double vvCollider_GetFriction(vvColliderId collider);                          // Coulomb's coefficient
VV_API vvResult vvCollider_SetFriction(vvColliderId collider, double friction);       // at least 0
VV_API double vvCollider_GetRestitution(vvColliderId collider);                       // share of the approach speed
VV_API vvResult vvCollider_SetRestitution(vvColliderId collider, double restitution); // [0, 1]
VV_API bool vvCollider_IsSensor(vvColliderId collider);
VV_API vvResult vvCollider_SetSensor(vvColliderId collider, bool sensor);
VV_API double vvCollider_GetAdhesion(vvColliderId collider);                    // N/m^2
VV_API vvResult vvCollider_SetAdhesion(vvColliderId collider, double adhesion); // at least 0
VV_API vvVec3 vvCollider_GetOneWay(vvColliderId collider);
VV_API vvResult vvCollider_SetOneWay(vvColliderId collider, vvVec3 direction);         // 0: it holds everything
VV_API vvVec3 vvCollider_GetSurfaceVelocity(vvColliderId collider);                    // m/s
VV_API vvResult vvCollider_SetSurfaceVelocity(vvColliderId collider, vvVec3 velocity); // in its frame

// Where it stands now; at the origin and not turned for a bad id.
VV_API vvPose vvCollider_GetPose(vvColliderId collider);

// Teleports the collider, as if it were destroyed and created there: the jump of contact energy is booked as added, and
// friction starts anew. rotation: any length above 0.
VV_API vvResult vvCollider_SetPose(vvColliderId collider, vvPose pose);

// The collider travels there during the next step, in a straight line and by the shorter rotation; its work is booked
// as added. position: m; rotation: any length above 0.
VV_API vvResult vvCollider_MoveTo(vvColliderId collider, vvVec3 position, vvQuat rotation);

// Deforming colliders (vvColliderDef.deforms): a skinned character, a breathing chest. The points travel there during
// the next step, each in a straight line; what touches is pushed and dragged by the moving triangles, and their work is
// booked as added. Without a call a step leaves them where they are. points: pointCount x 3, m, in the collider's
// frame, all of the mesh in the order of its vvShapeDef; copied.
VV_API vvResult vvCollider_MovePoints(vvColliderId collider, const double *points, int pointCount);

// Puts the points there at once, as vvCollider_SetPose does for the whole.
VV_API vvResult vvCollider_SetPoints(vvColliderId collider, const double *points, int pointCount);

// Copies where they are now, at most `capacity` points, and returns how many there are; 0: it does not deform. points
// may be NULL.
VV_API int vvCollider_GetPoints(vvColliderId collider, double *points, int capacity);

#ifdef __cplusplus
}
#endif

#endif
