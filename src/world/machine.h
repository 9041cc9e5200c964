// Inside the world room: the springs that stand for joints in islands (machine.c), those that stand for their limits
// (machine_limit.c) and those that stand for motors and dampers (machine_motor.c).
#ifndef WORLD_MACHINE_H
#define WORLD_MACHINE_H

#include "world/world.h"

// ---- machine_hold.c ------------------------------------------------------------------------------------------------

// A spring of a joint between its frames. Places are in these frames, and in units of the size of the joint.
typedef struct MachineSpring
{
    SpringRole role;
    bool turns; // between directions
    Body *a, *b;
    Vec3 onA, onB;
} MachineSpring;

bool machineHolds(const WorldJoint *joint); // springs can stand for it
bool machineHoldLink(World *world, int slot, Body *a, Body *b, vvResult *result);
Attachment *machineAdd(World *world, int slot, const MachineSpring *spring, vvResult *result);   // NULL: out of memory
double machineHardness(World *world, const WorldJoint *joint, const Attachment *a, double hard); // N/m
Vec3 machineAxis(int k);                            // unit, in the frame of a joint: of one of its six measures
int machineFreeAxis(const Joint *joint, int first); // of the measures from 0 or 3 on: one that has limits or is free

// ---- machine_damp.c ------------------------------------------------------------------------------------------------

bool machineDampersLink(World *world, int slot, Body *a, Body *b, vvResult *result);
void machineDampersBegin(World *world, WorldJoint *joint, double dt);
void machineDampersEnd(World *world, const WorldJoint *joint);
void machineDampersRest(World *world, const WorldJoint *joint); // they hold nothing until the next step

// ---- machine.c ------------------------------------------------------------------------------------------------------

// One measure of a joint: the line of its spring, an angle, or a travel.
typedef struct Measure
{
    double now, rate; // m or rad; per s
    double pressed;   // N or N m along it, on B: by the spring
    Vec3 axis;        // unit, of an angle or a travel
} Measure;

bool machineMoves(const World *world, int slot);                    // a rigid body that is not kinematic
double machineSize(const World *world, const WorldJoint *joint);    // m: how far from its anchor a joint is held
double machineNow(World *world, const WorldJoint *joint, int axis); // m or rad: a measure; twists count whole turns
void machineLetGo(World *world, const WorldJoint *joint, Attachment *spring); // what it stores is dissipated
// a point of a joint on either side, in its frames and in units of its size, or a direction; and in principal frames
Endpoint machineEnd(const World *world, const WorldJoint *joint, Body *body, bool second, Vec3 point, bool turns);
Endpoint machineOn(const World *world, const WorldJoint *joint, const Body *body, bool second, Vec3 at, bool turns);

// ---- machine_limit.c ------------------------------------------------------------------------------------------------

bool machineLimitsLink(World *world, int slot, Body *a, Body *b, vvResult *result);
void machineLimitsBegin(World *world, const WorldJoint *joint, double dt); // decides which act in the step
Measure machineMeasure(World *world, const WorldJoint *joint, int axis, const Attachment *a);
Vec3 machineWorldAxis(World *world, const WorldJoint *joint, int axis);      // unit: along or about which it measures
Vec3 machineArm(World *world, const WorldJoint *joint, const Attachment *a); // m, from anchor B to its end on B
void machinePlaceAt(World *world, const WorldJoint *joint, Attachment *a, Vec3 at); // its end on A, in the world

// ---- machine_motor.c ------------------------------------------------------------------------------------------------

bool machineMotorLink(World *world, int slot, Body *a, Body *b, vvResult *result);
// kg, or kg m^2 about an axis through anchor B: of both sides of a joint against each other, with all that is attached
double machineInertia(World *world, const WorldJoint *joint, Vec3 axis, bool turns);
void machineMotorTune(World *world, WorldJoint *joint); // decides whether it acts in the step
void machineMotorStand(WorldJoint *joint, bool stands); // while its body takes its own step it acts in the island alone
void machineMotorBegin(World *world, WorldJoint *joint, double dt);
void machineMotorEnd(World *world, WorldJoint *joint, double dt);
void machineMotorRest(World *world, WorldJoint *joint); // its spring holds nothing until the next step

#endif
