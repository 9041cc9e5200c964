// Contacts in lanes. A lane is up to RIGID_POINTS contacts of one pair of bodies, one behind the other; a batch is up
// to RIGID_LANES lanes that move no body in common. Batches are made such that whoever sweeps over them meets the
// contacts of every body in the order of the list: the bits are those of a sweep over the list itself (rows.c). Once
// per instruction set, with the same bits.
#ifndef RIGID_ROWS_H
#define RIGID_ROWS_H

#include <stdbool.h>

#define RIGID_LANES 8
#define RIGID_POINTS 4

typedef double RigidLanes[RIGID_LANES];

typedef struct RigidVectors
{
    RigidLanes x, y, z;
} RigidVectors;

// One contact of each lane. Lanes without one have a gap that never closes.
typedef struct RigidRow
{
    // of the step
    RigidVectors normal;         // unit, world, from b to a
    RigidVectors localA, localB; // m, points of the cores
    RigidLanes radiusA, radiusB; // m, around them
    RigidVectors axisA, axisB;   // local, unit: of capsules; else 0
    RigidLanes share;            // of the point on a in the one where both feel the impulse; the rest is b's
    RigidLanes depth;            // m, penetration when the step began
    RigidLanes friction, restitution;
    RigidLanes loaded; // m/s^2, by what soft bodies and fluids push with
    RigidVectors belt; // m/s, world: of the surface of b along itself

    // of the substep: where it acts, and what a unit along the normal does there
    RigidVectors armA, armB;     // m, from the centres
    RigidVectors crossA, crossB; // m: arm x normal
    RigidVectors turnA, turnB;   // 1/(kg m): inverse inertia times that
    RigidLanes ease;             // 1/kg, along the normal
    RigidLanes gap;              // m, at the start; then at the prediction, with what may be left of the depth
    RigidVectors ahead;          // m, slip at the prediction
    RigidLanes lambda;           // kg m, normal positional impulse
    RigidVectors slide;          // kg m, that of friction
    RigidVectors slip;           // m, of a against b, that friction has not taken back since the step began
    RigidVectors before;         // m/s, of a against b where it began
    RigidLanes hits;             // 1: they approach each other so fast that they rebound; else 0
    RigidLanes strike;           // m/s, speed with which they meet then
    RigidLanes push;             // N s, normal impulse of the velocities
    RigidVectors drag;           // N s, that of friction
    RigidVectors base;           // m/s, of a against b without these
    RigidLanes start, sum;       // N s: where the push started from, and what sweeps had to add to that so far
    RigidVectors whole;          // N s on a: push and drag
    RigidVectors impulse;        // N s on a, over the step
} RigidRow;

typedef struct RigidBatch
{
    int count;     // of lanes
    int row, rows; // the first, and how many
    bool crosses;  // round shapes of both bodies meet in a lane
    bool belts;    // a surface moves along itself
    int a[RIGID_LANES],
        b[RIGID_LANES]; // places of the bodies in RigidPass.motion; unused lanes have a body of their own
} RigidBatch;

// Of a body, MOTION_SIZE numbers: rows of four for the kernels.
enum
{
    MOTION_POSITION = 0, // m
    MOTION_TURN = 4,     // three rows of its rotation
    MOTION_WAY = 16,     // m, since the substep began
    MOTION_TURNED = 20,  // three rows of 1 minus the rotation back to the start of the substep
    MOTION_SHIFT = 32,   // m, or m/s: what a sweep changes; the fourth is the inverse mass, 1/kg
    MOTION_TWIRL = 36,   // rad, or rad/s; the fourth is 1 where the body was struck in this substep
    MOTION_TENSOR = 40,  // 1/(kg m^2): xx xy xz 0 yy yz zz 0, inverse inertia in the world
    MOTION_IMPULSE = 48, // kg m, or N s: sums over the contacts; the fourth is what they dissipated, J
    MOTION_COUPLE = 52,  // kg m^2, or N m s; the fourth is what they added, J
    MOTION_PULL = 56,    // m/s^2, what gravity and forces give; the fourth is not used
    MOTION_PULLED = 60,  // rad/s^2, what torques give
    MOTION_START = 64,   // N s, impulses that contacts start from; the fourth is their slope of energy, J
    MOTION_STARTED = 68, // N m s; the fourth is the share of them that is taken
    MOTION_SIZE = 72,
};

typedef struct RigidPass
{
    double *motion;
    RigidRow *row;
    const RigidBatch *batch;
    double h;         // s
    double recovered; // m, of the depths so far
    double slowest;   // m/s: slower approaches do not rebound
    double loaded;    // s: nor those slower by this times what they are loaded with
} RigidPass;

// Over the batches [first, end).
typedef void (*ContactKernel)(const RigidPass *pass, int first, int end);

typedef struct PushKernels
{
    ContactKernel place;    // arms and masses for the poses of now
    ContactKernel ahead;    // the same, with gap and slip of the prediction
    ContactKernel warm;     // displacements by the impulses that a substep starts from
    ContactKernel together; // those of an impact that rebound, at once
    ContactKernel normals;  // forward
    ContactKernel normalsBack;
    ContactKernel frictions;
    ContactKernel frictionsBack;
    ContactKernel keep; // what slip is left
} PushKernels;

typedef struct SettleKernels
{
    ContactKernel turn;     // couples that keep the angular momentum of what positions moved
    ContactKernel start;    // the impulses that the velocities start from, and their sums
    ContactKernel idle;     // of contacts that do not act
    ContactKernel share;    // the share of them that is taken
    ContactKernel together; // of those that rebound, at once
    ContactKernel normals;  // forward
    ContactKernel normalsBack;
    ContactKernel frictions;
    ContactKernel frictionsBack;
    ContactKernel struck[4]; // the same, of bodies that were struck
    ContactKernel sums;      // of moments, and of impulses over the step
    ContactKernel close;     // what was taken and given, then the impulses that the next substep starts from
    ContactKernel book;      // the first of these
    ContactKernel begin;     // the second
} SettleKernels;

extern const PushKernels pushKernels_base, pushKernels_avx2, pushKernels_avx512;
extern const SettleKernels settleKernels_base, settleKernels_avx2, settleKernels_avx512;

#endif
