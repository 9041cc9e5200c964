// Joints between two rigid bodies, or a body and the world: six measures of how frame B stands in frame A, each free,
// locked, limited or driven. All that a joint holds is solved at once, as one small system, with the generalized
// inverse masses of Müller 2020 (Eqs 2-18) and compliance as in XPBD (Macklin 2016).
//
// Directions and arms are those of the start of the substep, errors those of now: the scheme of SHAKE (Ryckaert 1977).
// Both bodies take a push at the same point and with the same arms about where they started, so that linear and angular
// momentum are kept to rounding, and a swing loses no energy to first order as it does with directions of the end.
#ifndef RIGID_JOINT_H
#define RIGID_JOINT_H

#include "rigid/rigid.h"

#define JOINT_AXES 6 // 3 lengths along the axes of frame A, 3 angles about them

typedef enum AxisState
{
    AXIS_FREE,    // damped or driven, where that is set
    AXIS_LOCKED,  // at `lower`
    AXIS_LIMITED, // between `lower` and `upper`; within them free
} AxisState;

typedef enum MotorKind
{
    MOTOR_NONE,
    MOTOR_SPEED,
    MOTOR_POSITION,
} MotorKind;

// What the three angles are.
typedef enum JointAngles
{
    ANGLES_NONE,   // nothing turns anything
    ANGLES_VECTOR, // the rotation vector of B in A, rad
    ANGLES_HINGE,  // the twist about x; how far x of B leans out of x of A, about y and z
    ANGLES_CONE,   // the twist about x; the angle between both x axes; the third is not used
} JointAngles;

typedef struct JointAxis
{
    AxisState state;
    double lower, upper;  // m or rad
    double compliance;    // m/N or rad/(N m), of locks and limits
    double damping;       // N s/m or N m s/rad
    MotorKind motor;      // of a free axis, or within limits
    double target, limit; // m/s, rad/s, m or rad; N or N m, the largest force
    double gap;           // m or rad: how far a hard lock or limit may be passed yet (jointYield)
    double closed;        // m or rad: what the substep takes off it

    double start, now; // m or rad, at the start of the substep and at its end; a twist counts whole turns
    double predicted;  // m or rad, where the prediction of the substep is
    double multiplier; // kg m or kg m^2, of locks, limits and dampers in the substep, along the measure
    double driven;     // the same of the motor
    double speed;      // m/s or rad/s, along the direction, of the prediction
    Vec3 direction;    // in the world, of the start: d(measure) / d(motion of B)
} JointAxis;

typedef struct Joint
{
    bool isDistance; // the first length is that between the anchors, the others are not used
    bool isPulley;   // with it: that of a rope from A over two points of space to B
    JointAngles angles;
    Vec3 anchorA, anchorB; // m, in the principal frames
    vvQuat frameA, frameB; // unit, likewise
    JointAxis axis[JOINT_AXES];
    Vec3 wheelA, wheelB; // m, in the world: of a pulley
    double ratio;        // 1: of its lengths, that on the side of B counts so much

    // within a substep: of its start
    Vec3 armA, armB; // m, from the centres to where the push acts
    Vec3 directionA; // of a pulley: - d(measure) / d(motion of A)

    // of the step so far; on B, A takes the opposite
    Vec3 impulse, couple;            // N s; N m s about anchor B
    double work, dissipated, energy; // J: of motors and kinematic bodies, of dampers, and held by compliance now
} Joint;

// What is beyond its locks and hard limits now need not be within them at once, which would throw the bodies: the gaps
// close at 1 m/s or 3 rad/s, as what overlaps is pushed apart. For a new joint, and after a body was put elsewhere.
void jointYield(Joint *joint, const RigidBody *a, const RigidBody *b);
void jointBegin(Joint *joint, const RigidBody *a, const RigidBody *b, double h); // after the prediction of a substep
// Directions of now where the substep turns a body too far for those of its start: damped, but stable. `turn`: sine of
// half the angle from which on it is too far.
void jointFollow(Joint *joint, const RigidBody *a, const RigidBody *b, double turn);
// False: the direction of a distance, a rope or the lean of a cone, which is not fixed in a body, is another one by
// now; `axis` says which measure that is.
bool jointIsSteady(const Joint *joint, const RigidBody *a, const RigidBody *b, int *axis);
#define JOINT_FOLLOW 0.02         // in sweeps, whose errors grow with such turns
#define JOINT_FOLLOW_TOGETHER 0.1 // where joints are solved together
void jointSolve(Joint *joint, RigidBody *a, RigidBody *b, double turn, double h); // a sweep
bool jointCloses(const Joint *joint);                                             // one of its gaps
void jointEnd(Joint *joint, RigidBody *a, RigidBody *b, double h);                // books

// One measure that the joint holds: (inverse mass + softness) x multiplier = -error, with the sum of its multipliers
// kept within two bounds. A spring and a damper of h^2 / compliance and h x damping kg act at the end of the substep.
typedef struct JointRow
{
    double error, softness; // m or rad; 1/kg or 1/(kg m^2)
    double least, most;     // of *total
    double *total;
    Vec3 linear, angularA, angularB; // motion of B along the measure; turns of both
    bool apart;                      // A is not moved against B, but along a direction of its own
    Vec3 linearA;                    // the opposite of that
} JointRow;

// The measures that the joint holds now, as bodies stand; at most JOINT_AXES. Returns how many.
int jointRows(Joint *joint, const RigidBody *a, const RigidBody *b, double h, JointRow *row);
// Pushes the bodies by so much more of the multiplier of each row, and adds it to its sum.
void jointApply(Joint *joint, RigidBody *a, RigidBody *b, const JointRow *row, const double *step, int count, double h);

// A joint and what it joins.
typedef struct RigidLink
{
    Joint *joint;
    RigidBody *a, *b;
    bool collide; // they meet each other
} RigidLink;

void linksBegin(const RigidLink *links, int count, double h);              // after the prediction
void linksSolve(const RigidLink *links, int count, double turn, double h); // one sweep, in their order
void linksEnd(const RigidLink *links, int count, double h);                // after the velocities

// Where B stands in A now: the measures.
void jointMeasure(const Joint *joint, const RigidBody *a, const RigidBody *b, double *measure /* JOINT_AXES */);
double jointEnergy(const Joint *joint, const RigidBody *a, const RigidBody *b); // J, held by compliance

#endif
