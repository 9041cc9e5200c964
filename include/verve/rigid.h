// Verve: rigid bodies, shapes that move as a whole: by gravity, forces and impulses.
//
// They are stepped inside vvWorld_Step under every method, in `rigidSubsteps` substeps (vvWorldDef). Free flight is
// exact up to rounding: the parabola of the centre of mass, and for the rotation angular momentum and energy.
// They touch each other, colliders, soft bodies and fluids.
#ifndef VERVE_RIGID_H
#define VERVE_RIGID_H

#include <verve/id.h>
#include <verve/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

// One of the shapes that a body consists of.
typedef struct vvRigidShape
{
    vvShape *shape;  // shared, not copied: the body keeps it alive
    vvVec3 position; // m, of the shape's frame in the body's
    vvQuat rotation; // likewise, any length above 0; 0 0 0 0: none
    double density;  // kg/m^3; 0: the body's
} vvRigidShape;

// What a rigid body is made from. Start from vvDefaultRigidBodyDef().
typedef struct vvRigidBodyDef
{
    vvShape *shape;             // in the body's frame; shared, not copied. Default NULL: `shapes` alone
    const vvRigidShape *shapes; // shapeCount: more of them. Where two overlap, the matter counts twice. Default NULL
    int shapeCount;             // [0, 1000]. Default 0
    double density;             // kg/m^3, above 0. Default 1000
    double mass;                // kg. Default 0: by density; else the densities are scaled to it
    vvVec3 position;            // m, of the body's frame. Default 0
    vvQuat rotation;            // of the body's frame, any length above 0. Default 1 0 0 0: none
    vvVec3 velocity;            // m/s, of the centre of mass. Default 0
    vvVec3 spin;                // rad/s, in the world. Default 0
    bool kinematic;             // moves by its velocity and spin alone: nothing pushes it. It needs no volume then:
                                // planes and heightfields are allowed. Default false
    double friction;            // Coulomb's coefficient, at least 0. Default 0.5
    double restitution;         // share of the approach speed with which it leaves, [0, 1]. Default 0
    double rollingFriction;     // share of the radius by which the load of something round leads it, [0, 1]: steel on
                                // steel 0.001, a tyre 0.01. Default 0: it rolls for ever
    uint32_t category, mask;    // bits, as for soft bodies. Default 1 and all
    void *userData;             // yours
    int cookie;                 // set by vvDefaultRigidBodyDef
} vvRigidBodyDef;

VV_API vvRigidBodyDef vvDefaultRigidBodyDef(void); // the defaults above

// Mass, centre of mass and inertia follow from the shapes: exact for boxes, spheres and capsules, convex hulls and
// closed meshes without sampling. Its energy is booked with the body: nothing is added.
VV_API vvRigidBodyId vvCreateRigidBody(vvWorldId world, const vvRigidBodyDef *def, vvResult *result);
VV_API void vvDestroyRigidBody(vvRigidBodyId body);  // null and stale ids are fine
VV_API bool vvRigidBody_IsValid(vvRigidBodyId body); // false for null and stale ids
VV_API void *vvRigidBody_GetUserData(vvRigidBodyId body);

// What it consists of, in the frame of the body: writes at most `capacity` shapes, returns how many there are; 0 for a
// bad id. The shapes live as long as the body; `density` is 0.
VV_API int vvRigidBody_GetShapes(vvRigidBodyId body, vvRigidShape *shapes, int capacity);

VV_API double vvRigidBody_GetMass(vvRigidBodyId body);         // kg; 0: kinematic, or a bad id
VV_API vvVec3 vvRigidBody_GetCentreOfMass(vvRigidBodyId body); // m, in the world

// kg m^2, about the centre of mass, in the world: row major, 9 numbers. VV_BAD_INPUT: it is kinematic.
VV_API vvResult vvRigidBody_CopyInertia(vvRigidBodyId body, double *inertia);

// Where the body's frame is. SetPose teleports: the jump of potential energy is booked as added. rotation: any length
// above 0.
VV_API vvPose vvRigidBody_GetPose(vvRigidBodyId body); // at the origin and not turned for a bad id
VV_API vvResult vvRigidBody_SetPose(vvRigidBodyId body, vvPose pose);

// The jump of kinetic energy is booked as added.
VV_API vvVec3 vvRigidBody_GetVelocity(vvRigidBodyId body); // m/s, of the centre of mass; 0 for a bad id
VV_API vvResult vvRigidBody_SetVelocity(vvRigidBodyId body, vvVec3 velocity);
VV_API vvVec3 vvRigidBody_GetSpin(vvRigidBodyId body); // rad/s, in the world; 0 for a bad id
VV_API vvResult vvRigidBody_SetSpin(vvRigidBodyId body, vvVec3 spin);
VV_API vvVec3 vvRigidBody_GetAngularMomentum(vvRigidBodyId body); // kg m^2/s, about its centre of mass
VV_API double vvRigidBody_GetKineticEnergy(vvRigidBodyId body);   // J

// Forces add up and act during the next step alone, constant in the world; their work is booked as added. A kinematic
// body ignores forces and impulses.
VV_API vvResult vvRigidBody_ApplyForce(vvRigidBodyId body, vvVec3 force, vvVec3 point); // N, at a point of the world, m
VV_API vvResult vvRigidBody_ApplyTorque(vvRigidBodyId body, vvVec3 torque);             // N m

// At once; the jump of kinetic energy is booked as added.
VV_API vvResult vvRigidBody_ApplyImpulse(vvRigidBodyId body, vvVec3 impulse, vvVec3 point); // N s, at a point, m
VV_API vvResult vvRigidBody_ApplyAngularImpulse(vvRigidBodyId body, vvVec3 impulse);        // N m s

// Sleeping (sleepEnergy of the world): bodies that touch or that joints hold together sleep and wake together. What a
// force, an impulse or a new pose or velocity acts on wakes, and so does what something that moves comes near.
VV_API bool vvRigidBody_IsAwake(vvRigidBodyId body); // false for a bad id
VV_API void vvRigidBody_Wake(vvRigidBodyId body);    // wakes its whole island

// As in vvRigidBodyDef; from the next step on. Getters return 0 for a bad id.
VV_API double vvRigidBody_GetFriction(vvRigidBodyId body);
VV_API vvResult vvRigidBody_SetFriction(vvRigidBodyId body, double friction); // at least 0
VV_API double vvRigidBody_GetRestitution(vvRigidBodyId body);
VV_API vvResult vvRigidBody_SetRestitution(vvRigidBodyId body, double restitution); // [0, 1]

#ifdef __cplusplus
}
#endif

#endif
