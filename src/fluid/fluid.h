// The fluid room: position-based fluids (Macklin and Mueller 2013) in small steps (Macklin et al. 2019, section 6.4).
// Particles are sorted into the cells of a hashed grid in every substep; neighbours are found cell by cell. Every
// particle gathers what its neighbours do to it from the places at the start of a pass: the bits do not depend on the
// number of workers.
#ifndef FLUID_FLUID_H
#define FLUID_FLUID_H

#include "base/isa.h"
#include "base/vec.h"
#include "base/workers.h"
#include "contact/contact.h"
#include "fluid/kernels.h"

typedef struct FluidSettings
{
    int dimensions;        // 3, or 2: z stays, and a particle stands for 1 m along it
    double spacing;        // m, between particles at rest
    double support;        // radius of the smoothing kernel over the spacing
    double density;        // kg/m^3
    double viscosity;      // Pa s
    double surfaceTension; // N/m
    double smoothing;      // share of what its velocity differs from those around it that a particle loses in a
                           // substep (XSPH): at 0 collisions of particles heat the fluid
    double relaxation;     // of a pass of corrections, (0, 1]; above about 0.5 it diverges
    double softening;      // of the multipliers, over the denominator of a particle amid others at rest
    double courant;        // radii (half a spacing) that a particle moves in a substep at most; 0: no limit
    int substeps;          // of a step, at least
    int mostSubsteps;      // taken where particles are fast, so that `courant` does not slow them down
    int iterations;        // of a substep
} FluidSettings;

FluidSettings fluidDefaults(int dimensions);

// What a fluid's energy was changed by, J.
typedef struct FluidBooks
{
    double added;      // by walls that move
    double dissipated; // by walls, viscosity and the limit of speed
} FluidBooks;

// A substep of some particles, for what keeps them out.
typedef struct FluidPush
{
    double *start;    // count x 3, m, where the substep began
    double *position; // count x 3, m, where it ends, to be corrected
    int count;
    int task;            // of the particles: the same ones for any number of workers
    double from, to;     // moments of the step, 0 to 1
    double dt;           // s, of the substep
    double mass, radius; // kg, m, of a particle
    FluidBooks *books;   // of this call
} FluidPush;

// A particle that is too near to a wall.
typedef struct FluidTouch
{
    double depth;    // m
    double deep;     // m: more than that, to be left without gaining speed
    Vec3 normal;     // unit, out of the wall
    Vec3 carry;      // m, what the wall moves there in the substep
    double friction; // Coulomb's coefficient
    double drag;     // 1: share of its way along the wall that it loses at least
} FluidTouch;

typedef struct FluidPushed
{
    Vec3 impulse; // N s, on the particle
    Vec3 moment;  // N m s, of its angular momentum about the origin
    double work;  // J, of the wall
} FluidPushed;

// Moves a particle out of a wall, without rebound, and books what that dissipates.
FluidPushed fluidPushOut(const FluidPush *push, int particle, const FluidTouch *touch);

// Particles whose multipliers are known, for walls that answer: each presses on what it covers.
typedef struct FluidPress
{
    const struct Fluid *fluid;
    const int *order;        // count: their places in the state
    const float *multiplier; // count
    int count;
    int task;
    double impulse; // N s on a particle: of a unit multiplier and a unit gradient of cover
    double reach;   // m: walls that are farther away take nothing
} FluidPress;

// Particles, for what walls take of the space around them.
typedef struct FluidNear
{
    const struct Fluid *fluid;
    const double *position; // count x 3, m
    float *cover;           // count x 4
    float *carry;           // count, m: sums of gradients along normals times what the wall moves in the substep
    int count, task;
    double from, to; // moments of the step, 0 to 1: of the substep
    double reach;    // m: walls that are farther away take nothing
} FluidNear;

// A wall at this distance (m, below 0 inside), its normal towards the particle, what it moves along it in the
// substep, m, and the share of the half space beyond it that it fills.
void fluidCover(const FluidNear *near, int particle, double distance, Vec3 normal, double carry, double share);
// The same for walls that do not answer, and so may have less where others are: space beyond several counts once. They
// come before those that answer.
void fluidCoverFixed(const FluidNear *near, int particle, double distance, Vec3 normal, double carry);
// What a wall at this distance adds to the sum of gradients along its normal.
double fluidCoverGradient(const struct Fluid *fluid, double distance);

// Tasks of a fluid: they depend on the number of particles alone.
int fluidTasks(int count);

typedef struct FluidWalls
{
    void *context;
    void (*begin)(void *context, double dt); // before a substep of dt s; NULL: nothing is to be done
    void (*end)(void *context, double dt);   // after it
    // Tells fluidCover about the walls near particles. NULL: there the space beyond a wall is empty, and the fluid
    // packs more densely along it.
    void (*cover)(void *context, const FluidNear *near);
    void (*press)(void *context, const FluidPress *press); // called by all workers; NULL: they do not answer
    void (*push)(void *context, const FluidPush *push);    // called by all workers; NULL: there are none
} FluidWalls;

typedef struct FluidMotion
{
    Vec3 gravity; // m/s^2
    double dt;    // s
    Isa isa;
    Workers *workers;
    FluidWalls walls;
    double wallWay; // m, that a wall moves in the step at most
} FluidMotion;

#define COVER_ROWS 64

// What is derived from the settings.
typedef struct FluidScale
{
    double radius; // m, of the smoothing kernel
    double mass;   // kg, of a particle
    float perRest, gradient, softening;
    double laplacian; // 1/m^2: the sum over neighbours of this times (1 - r) times differences is a Laplacian
    double nearness;  // sum of 1 - r on the rest lattice
    double cohesion;  // N: surface tension as a force between neighbours, per (r - `apart`) (1 - r)^2
    double apart;     // radii: where it neither pulls nor pushes
    float cover[COVER_ROWS + 1][2]; // of a wall at distances of 0 to 1 radius: density, gradient
} FluidScale;

typedef struct Fluid
{
    Memory *memory;
    FluidPacking packing;
    FluidSettings settings;
    FluidScale scale;

    // state; the order changes from step to step
    int count;
    double *position; // count x 3, m
    double *velocity; // count x 3, m/s
    uint32_t *id;     // count: of the particles, from 0 in the order in which they were added
    uint32_t nextId;

    // the state before the step under way
    struct
    {
        int count;
        double *position, *velocity;
        uint32_t *id;
        uint32_t nextId;
    } kept;

    // what a step computes
    int room, cellRoom;              // particles, cells that there is memory for
    double *start;                   // room x 3, m
    int *key;                        // room: the cell of each particle
    int *order, *cell;               // room: particles by cell, and their cells
    int *cellStart;                  // cellRoom + 1
    int *list, *listAt;              // room x FLUID_LISTED, room
    float *cover, *carry;            // room x 4, room, in the order of the state
    float *at[3], *move[3];          // room, in the order of cells
    float *way[3], *change[3];       // room
    float *compression, *multiplier; // room
    FluidCells cells;                //
    Vec3 origin;                     // m, of `at`
    FluidBooks *taskBooks;           // WORKERS_MOST_TASKS
    int substepsTaken;               // in the last step
    double meanCompression;          // at the end of the last step; of particles that others press, C
} Fluid;

Fluid *fluidCreate(Memory *memory, const FluidSettings *settings); // NULL: out of memory
void fluidDestroy(Fluid *fluid);

int fluidTableSize(int count);              // cells for so many particles
bool fluidReserve(Fluid *fluid, int count); // room for so many particles; false: out of memory, nothing changed
void fluidAdd(Fluid *fluid, Vec3 position, Vec3 velocity); // there must be room
void fluidRemove(Fluid *fluid, int particle);              // the last one takes its place

// A step. False: a number is not finite, or a particle is beyond 1e9 radii: the state is to be rewound.
bool fluidStep(Fluid *fluid, const FluidMotion *motion, FluidBooks *books);
void fluidKeep(Fluid *fluid);   // before a step
void fluidRewind(Fluid *fluid); // after one that failed

// ---- cover.c --------------------------------------------------------------------------------------------------------

void fluidTabulateCover(const FluidSettings *settings, float (*cover)[2]);

// ---- colliders.c: the colliders of a world as walls -----------------------------------------------------------------

typedef struct FluidColliders
{
    const Colliders *colliders;
    double friction;         // below 0: the collider's
    uint32_t category, mask; //
} FluidColliders;

FluidWalls fluidWallsOf(FluidColliders *colliders); // which stay as long as the walls
double fluidWallWay(const Colliders *colliders);    // m, what the fastest moves in the step

// ---- grid.c ---------------------------------------------------------------------------------------------------------

bool fluidKeys(Fluid *fluid, int first, int end);  // cells of some particles; false: a place is no number
void fluidShapeGrid(Fluid *fluid);                 // once a step: origin and size of the table
void fluidSort(Fluid *fluid);                      // by their keys
void fluidPlace(Fluid *fluid, int first, int end); // fills `at` and `way` in the order of cells
void fluidArrange(Fluid *fluid);                   // puts the state in the order of cells; `kept` is lost

#endif
