// Inside the world room: the springs that stand for joints in islands (machine.c), and those that stand for their
// limits (machine_limit.c).
#ifndef WORLD_MACHINE_H
#define WORLD_MACHINE_H

#include "world/world.h"

#define MACHINE_SOFTER 0.01 // of the springs of a joint: those that hold it at a limit

// ---- machine.c ------------------------------------------------------------------------------------------------------

bool machineMoves(const World *world, int slot);                 // a rigid body that is not kinematic
double machineSize(const World *world, const WorldJoint *joint); // m: how far from its anchor a joint is held
void machineLetGo(World *world, const WorldJoint *joint, Attachment *spring); // what it stores is dissipated
// a point of a joint on either side, in its frames and in units of its size
Endpoint machineEnd(const World *world, const WorldJoint *joint, Body *body, bool second, Vec3 point);

// ---- machine_limit.c ------------------------------------------------------------------------------------------------

bool jointIsLimited(const vvJointDef *def); // its free measure
bool jointIsRope(const vvJointDef *def);    // a distance that may vary
bool machineLimitsLink(World *world, int slot, Body *a, Body *b, vvResult *result);
void machineLimitsBegin(World *world, const WorldJoint *joint); // decides which act in the step

#endif
