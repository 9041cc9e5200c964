// What keeps the particles of a fluid out in a world: colliders, and rigid bodies, which answer.
#ifndef WORLD_FLUID_WALLS_H
#define WORLD_FLUID_WALLS_H

#include "fluid/fluid.h"
#include "rigid/rigid.h"

struct Rigid;

// A rigid body in the substeps of a fluid: it falls, and what particles push with changes its velocity at once. The
// sum of the step is the reaction that the rigid step has to give it.
typedef struct FluidBody
{
    struct Rigid *rigid;  // of the world
    RigidBody *body;      // its own: as the step began
    RigidBody now;        // in the substep under way
    Vec3 impulse, moment; // N s, N m s about body->reactionPoint, since the step began
    Mat3 layer;           // kg: mass of the particles along it in the last substep, by the directions of their normals
} FluidBody;

// One shape of such a body in a substep.
typedef struct FluidShape
{
    const vvShape *shape;
    int body; // its place in FluidBodies.body
    int part; // of the body's shapes
    Pose to;  // where it is at the end of the substep
    Mat3 back;
    vvBox box; // m, world, then
} FluidShape;

typedef struct FluidSum
{
    Vec3 impulse, moment; // as in FluidBody, of the particles of one task in a substep
    Mat3 layer;           // likewise
} FluidSum;

// Scratch of the fluid under way; arrays only grow.
typedef struct FluidBodies
{
    int bodyCount, bodyRoom, shapeCount, shapeRoom, taskCount, sumRoom;
    FluidBody *body;
    FluidShape *shape;
    FluidSum *sum; // taskCount x bodyCount
    Vec3 gravity;  // m/s^2
    bool foreseen; // what else moves the bodies in this step (rigidsForesee)
} FluidBodies;

struct World;
struct WorldFluid;

// Bodies that may come near the fluid within the step; false: out of memory.
bool fluidBodiesLoad(struct World *world, const struct WorldFluid *item, double dt);
double fluidBodiesWay(const FluidBodies *bodies, double dt); // m, what the fastest moves in the step
void fluidBodiesGive(FluidBodies *bodies, double dt);        // what was summed, as reactions of the bodies
void fluidBodiesRelease(FluidBodies *bodies, Memory *memory);

// Hooks of FluidWalls.
void fluidBodiesBegin(FluidBodies *bodies, double dt);
void fluidBodiesCover(const FluidBodies *bodies, const FluidNear *near);
void fluidBodiesPress(const FluidBodies *bodies, const FluidPress *press);
void fluidBodiesPush(const FluidBodies *bodies, const FluidColliders *rules, const FluidPush *push);
void fluidBodiesEnd(FluidBodies *bodies, double dt);

// ---- fluid_walls.c --------------------------------------------------------------------------------------------------

typedef struct FluidContext
{
    FluidWalls fixed; // colliders
    const FluidColliders *rules;
    FluidBodies *bodies;
} FluidContext;

FluidWalls fluidWallsIn(FluidContext *context); // which stays as long as the walls

#endif
