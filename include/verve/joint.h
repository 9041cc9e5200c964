// Verve: joints between two rigid bodies, or a rigid body and the world.
//
// A joint has a frame on either body and holds some of the six measures of how frame B stands in frame A: three lengths
// along the axes of frame A and three angles. All joints are solved together in every substep of rigid bodies: hard
// ones (compliance 0) hold to rounding, and chains and loops of them keep their energy. Chains whose joints are made
// one after the other cost least.
#ifndef VERVE_JOINT_H
#define VERVE_JOINT_H

#include <verve/rigid.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a joint holds. The axis is x of both frames.
typedef enum vvJointKind
{
    VV_JOINT_FIXED,      // everything
    VV_JOINT_BALL,       // the point; all turns are free
    VV_JOINT_HINGE,      // the point and the axis; free: the turn about it, rad, which counts whole turns
    VV_JOINT_SLIDER,     // all turns, and the axis; free: the travel along it, m
    VV_JOINT_DISTANCE,   // the distance of the points, m, between `lower` and `upper`; equal: a rod or a spring
    VV_JOINT_CONE_TWIST, // the point; the axes lean by at most `swing`; free: the twist about them, rad
    VV_JOINT_SIX_DEGREE, // each measure between its limits; the angles are the rotation vector of B in A, rad
    VV_JOINT_PULLEY,     // a rope from A over two points of space to B: its length, m, between `lower` and `upper`
} vvJointKind;

// What a motor does with the free measure of its joint.
typedef enum vvMotorKind
{
    VV_MOTOR_NONE,     // nothing
    VV_MOTOR_SPEED,    // keeps a speed
    VV_MOTOR_POSITION, // goes to a position and stays there; it brakes in time
} vvMotorKind;

// What a joint is made from. Start from vvDefaultJointDef().
typedef struct vvJointDef
{
    vvJointKind kind;      // default VV_JOINT_BALL
    vvRigidBodyId bodyA;   // default null: the world
    vvRigidBodyId bodyB;   // required
    vvPose frameA, frameB; // in the frames of the bodies (the world's without bodyA); rotations of any length above 0.
                           // vvJointDef_Place sets both. Default: not turned, at the origin

    // Of what is locked, and of limits: how far it gives way per force, and what damps it there and along free
    // measures. 0: hard, and no damping. Default 0
    double compliance, angularCompliance; // m/N; rad/(N m)
    double damping, angularDamping;       // N s/m; N m s/rad

    // Limits of the free measure: hinge, slider, distance, twist, pulley. Default -infinity and infinity: none (a
    // distance joint and a pulley need their own; of a rope `upper` alone).
    double lower, upper;
    double swing; // rad, (0, pi]: of a cone-twist. Default pi: none

    // VV_JOINT_PULLEY: where the rope leaves the wheels, m, in the world. Its length is that from A to pulleyA, and
    // `ratio` times that from pulleyB to B: a tackle, which pulls B with `ratio` times the force on A. The wheels have
    // no friction and no inertia. Default 0, and a ratio of 1.
    vvVec3 pulleyA, pulleyB;
    double ratio; // above 0

    // Limits of VV_JOINT_SIX_DEGREE, in frame A; equal ones lock. Default 0: all locked.
    vvVec3 linearLower, linearUpper;   // m
    vvVec3 angularLower, angularUpper; // rad, within [-pi, pi], or infinite: free

    vvMotorKind motor;  // default VV_MOTOR_NONE
    double motorTarget; // m/s or rad/s; m or rad. Default 0
    double motorLimit;  // N or N m, the largest force, at least 0. Default 0
    int motorAxis;      // of VV_JOINT_SIX_DEGREE: 0 to 2 a length, 3 to 5 an angle. Default 0

    double breakForce, breakTorque; // N, N m: means over a step, above which the joint breaks. Default infinity
    bool collide;                   // The two bodies collide with each other. Default false
    void *userData;                 // yours
    int cookie;                     // set by vvDefaultJointDef
} vvJointDef;

VV_API vvJointDef vvDefaultJointDef(void); // the defaults above

// Sets both frames to a point of the world, m, with x along `axis` (any length above 0), as the bodies stand now.
// The measures of the joint are then 0; a distance joint's points are set apart by hand.
VV_API vvResult vvJointDef_Place(vvJointDef *def, vvVec3 point, vvVec3 axis);

// What a compliant joint holds at the start is booked as added; when it is destroyed, as removed. Joints are destroyed
// with their bodies. What is hard and not in place yet comes together at 1 m/s and 3 rad/s, which is booked as added.
VV_API vvJointId vvCreateJoint(vvWorldId world, const vvJointDef *def, vvResult *result);
VV_API void vvDestroyJoint(vvJointId joint);  // null and stale ids are fine
VV_API bool vvJoint_IsValid(vvJointId joint); // false for null and stale ids
VV_API void *vvJoint_GetUserData(vvJointId joint);
VV_API vvResult vvJoint_GetDef(vvJointId joint, vvJointDef *def); // what would make it again

// On bodyB (bodyA takes the opposite; of a pulley the same over `ratio`, towards pulleyA), in the world, mean over the
// last step; 0 for a bad id.
VV_API vvVec3 vvJoint_GetForce(vvJointId joint);  // N, at the origin of frame B
VV_API vvVec3 vvJoint_GetTorque(vvJointId joint); // N m, without the moment of that force

// m or rad: one of the six measures of how frame B stands in frame A, 0 to 2 lengths, 3 to 5 angles. Of a hinge 3 is
// its angle; of a cone-twist 3 is the twist and 4 the swing; of a distance joint 0 is the distance, of a pulley the
// length of the rope. 0 for a bad id.
VV_API double vvJoint_GetMeasure(vvJointId joint, int axis);

// As in vvJointDef, from the next step on. What the motor does is booked as added.
VV_API vvResult vvJoint_SetMotor(vvJointId joint, vvMotorKind motor, double target, double limit);

// True: its force or torque went beyond breakForce or breakTorque, and it holds nothing any more.
VV_API bool vvJoint_IsBroken(vvJointId joint);

#ifdef __cplusplus
}
#endif

#endif
