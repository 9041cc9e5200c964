// What keeps the particles of a fluid out in a world: colliders, and rigid and soft bodies, which answer.
#ifndef WORLD_FLUID_WALLS_H
#define WORLD_FLUID_WALLS_H

#include "fluid/fluid.h"
#include "integrate/integrate.h"
#include "rigid/rigid.h"
#include "solve/solve.h"

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
    Vec3 listedPosition;  // m, where it was when the list of pairs was made
    vvQuat listedRotation;
    double margin; // m, that the list allows its points to move by
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
    vvBox own; // m, in its own frame
} FluidShape;

typedef struct FluidSum
{
    Vec3 impulse, moment; // as in FluidBody, of the particles of one task in a substep
    Mat3 layer;           // likewise
    bool met;             // any of them
} FluidSum;

// A particle and a shape, in the substep under way.
typedef struct FluidMeeting
{
    int shape;       // its place in FluidBodies.shape
    double distance; // m; INFINITY: beyond reach
    Vec3 normal;     // unit, out of the shape
    double share;    // of the cover of a half space, less what the body gives way by
    double cover;    // that share by the shape alone; below 0: not known
    Vec3 place;      // m, in the shape's frame: where the particle was when it was found
} FluidMeeting;

// Which particles are near which shapes, for several substeps (fluid_pairs.c).
typedef struct FluidPairs
{
    Memory *memory;
    const Fluid *fluid;
    Workers *workers;
    int particleRoom, room, nearRoom;
    int *first;            // particles + 1: the pairs of each
    Vec3 *at;              // m: where the particles were when the list was made
    FluidMeeting *meeting; // the pairs of all particles
    int *near;             // tasks x shapes: scratch
    double margin, moved;  // m: what the list allows particles, and what bodies have used of it beyond their own
    double step;           // s
    int age;               // substeps
    bool holds, fills;
} FluidPairs;

// Scratch of the fluid under way; arrays only grow.
typedef struct FluidBodies
{
    FluidPairs pairs;
    int bodyCount, bodyRoom, shapeCount, shapeRoom, taskCount, sumRoom;
    FluidBody *body;
    FluidShape *shape;
    FluidSum *sum; // taskCount x bodyCount
    FluidBooks *books;
    Vec3 gravity;  // m/s^2
    bool foreseen; // what else moves the bodies in this step (rigidsForesee)
} FluidBodies;

struct World;
struct WorldFluid;

// ---- boxes around particles -----------------------------------------------------------------------------------------

#define FLUID_NOWHERE ((vvBox){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } })

static inline vvBox fluidBoxGrown(vvBox box, double by)
{
    return (vvBox){ vecSub(box.lower, vec3(by, by, by)), vecAdd(box.upper, vec3(by, by, by)) };
}

static inline bool fluidBoxesMeet(const vvBox *a, const vvBox *b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static inline bool fluidBoxNear(const vvBox *box, Vec3 point, double reach)
{
    return box->lower.x - reach <= point.x && point.x <= box->upper.x + reach && box->lower.y - reach <= point.y &&
           point.y <= box->upper.y + reach && box->lower.z - reach <= point.z && point.z <= box->upper.z + reach;
}

static inline vvBox fluidBoxOf(const double *position, int count)
{
    vvBox box = FLUID_NOWHERE;
    for (int i = 0; i < count; ++i)
        boxInclude(&box, vecLoad(position + 3 * (ptrdiff_t)i));
    return box;
}

// ---- fluid_bodies.c, fluid_rigid.c ----------------------------------------------------------------------------------

// Bodies that may come near the fluid within the step; false: out of memory.
bool fluidBodiesLoad(struct World *world, const struct WorldFluid *item, double dt);
double fluidBodiesWay(const FluidBodies *bodies, double dt); // m, what the fastest moves in the step
void fluidBodiesGive(FluidBodies *bodies, double dt);        // what was summed, as reactions of the bodies
void fluidBodiesRelease(FluidBodies *bodies, Memory *memory);

// ---- fluid_pairs.c --------------------------------------------------------------------------------------------------

struct Rigids;
// Room for what all bodies may meet; false: out of memory.
bool fluidPairsExpect(FluidPairs *pairs, Memory *memory, const struct Rigids *rigids, const Fluid *fluid);
// before the substeps of a step of dt seconds
void fluidPairsBegin(FluidBodies *bodies, const Fluid *fluid, Workers *workers, double dt);
void fluidPairsRenew(FluidBodies *bodies); // in a substep whose bodies are where they will be
void fluidPairsRelease(FluidPairs *pairs, Memory *memory);

// The pairs of a particle; false: it has moved too far, any shape may be near.
static inline bool fluidPairsOf(const FluidPairs *pairs, ptrdiff_t particle, Vec3 at, int *first, int *end)
{
    double left = pairs->margin - pairs->moved;
    Vec3 way = pairs->holds ? vecSub(at, pairs->at[particle]) : at;
    if (!pairs->holds || !(left >= 0 && vecDot(way, way) <= left * left))
        return false;
    *first = pairs->first[particle];
    *end = pairs->first[particle + 1];
    return true;
}

// ---------------------------------------------------------------------------------------------------------------------

void fluidBodiesWeigh(FluidBodies *bodies, const Fluid *fluid); // what lies along them before the first substep

// Hooks of FluidWalls.
void fluidBodiesBegin(FluidBodies *bodies, double dt);
void fluidBodiesCover(const FluidBodies *bodies, const FluidNear *near);
void fluidBodiesPress(const FluidBodies *bodies, const FluidPress *press);
void fluidBodiesPush(const FluidBodies *bodies, const FluidColliders *rules, const FluidPush *push);
void fluidBodiesEnd(FluidBodies *bodies, double dt);

// ---- fluid_soft.c ---------------------------------------------------------------------------------------------------

struct Body;

// A vertex of a soft solid in the substeps of a fluid.
typedef struct FluidVertex
{
    Vec3 start;   // m: where the step began
    Vec3 before;  // m: where the substep began
    Vec3 impulse; // N s, of the fluid, since the step began, or the substep of a body whose island is stepped in it
    Vec3 given;   // N s, to such a body, since the step began
    Vec3 kept;    // N, what its force was then
} FluidVertex;

// A soft solid: it moves as if it were rigid.
typedef struct FluidSoft
{
    struct Body *body;
    int first;           // its first vertex in FluidSofts.vertex
    const double *lent;  // what its collision mesh had as places of its vertices
    vvBox box;           // m
    Vec3 centre;         // m, of mass, when the step began
    Vec3 acceleration;   // m/s^2, of all else
    double inverseMass;  // 1/kg; 0: some of it is pinned
    Mat3 inverseInertia; // 1/(kg m^2), when the step began
    double ease;         // mass of the particles along it over its own
    Vec3 push, twist;    // N s, N m s, of the substep
    double wet;          // kg: of the particles that push in the substep
    double wetTime;      // kg s: of those of the step so far
    Vec3 rate, spin;     // m/s, rad/s
    Vec3 give;           // m, of the centre since the step began
    vvQuat rotation;     // about it, likewise
    double path;         // m, at most, that a point of it went since its vertices were placed
    double radius;       // m, about its centre
    bool parted;         // its island takes its step in the substeps
} FluidSoft;

#define SOFT_TOUCHES 4 // soft solids that one particle pushes in a substep, at most

// What a particle pushed with in a substep.
typedef struct FluidContact
{
    int surface, triangle; // surface -1: none
    double share[3];       // of the corners
    Vec3 impulse;          // N s, on the particle
} FluidContact;

// How far a particle is from all surfaces, outside of them: it need not ask again before it or they have moved so far.
typedef struct FluidClear
{
    Vec3 at;     // m, where it was when it asked
    double left; // m, and FluidSofts.moved then
} FluidClear;

// Scratch of the fluid under way; arrays only grow.
typedef struct FluidSofts
{
    int surfaceCount, surfaceRoom, vertexRoom, touchRoom;
    FluidSoft *surface;
    FluidVertex *vertex;
    double *position;    // vertexRoom x 3, m, at the end of the substep: the collision meshes have them
    FluidContact *touch; // touchRoom x SOFT_TOUCHES: of each particle, up to the first of none
    FluidClear *clear;   // touchRoom
    double moved;        // m, that the fastest points of surfaces have moved in the substeps so far
    const Fluid *fluid;
    FluidBooks *books;
    double farthest; // m, that a body moves in the step
    double step;     // s, the whole
} FluidSofts;

// 1/(kg m^2), of a body about its centre of mass as the step begins (fluid_force.c)
Mat3 fluidInverseInertia(const State *s, Vec3 centre);

// New forces on vertices (N, count x 3) after those of the step, or the part of a step, `before`.
void fluidSoothe(const struct Body *body, State *s, double *force, const double *before, double part);

// 1/s: what holds the vibrations of a body with this mass of fluid along it over its own (fluid_force.c)
double fluidWetDamping(double ratio, double dt);

// What a body got of the forces in a step, or a part of it, that ends: is taken from the fluid (fluid_force.c).
void fluidBookPress(struct World *world, const struct Body *body, const State *s);

// What such a body owes for the forces of the step that ends (fluid_force.c).
void fluidOwe(struct Body *body, State *s, double dt);

bool fluidSoftsLoad(struct World *world, const struct WorldFluid *item, double dt); // false: out of memory
void fluidSoftsGive(FluidSofts *surfaces, double dt); // what was summed, as forces of the bodies' next step
void fluidSoftsReturn(FluidSofts *surfaces);          // after a step, whether it failed or not
void fluidSoftsRelease(FluidSofts *surfaces, Memory *memory);
void fluidSoftsBegin(FluidSofts *surfaces, double dt);
void fluidSoftsPush(FluidSofts *surfaces, const FluidColliders *rules, const FluidPush *push);
void fluidSoftsEnd(FluidSofts *surfaces, double dt);
// An island that has a sheet in the fluid is stepped in its substeps: its solids get the forces of each, and are where
// that step has put them in the next.
void fluidSoftsPress(FluidSofts *surfaces, const struct World *world, int island, double dt);
void fluidSoftsBook(const FluidSofts *surfaces, struct World *world, int island); // what it got of the forces
void fluidSoftsFollow(FluidSofts *surfaces, const struct World *world, int island);

// ---- fluid_sheet.c, fluid_wet.c -------------------------------------------------------------------------------------

#define SHEET_TOUCHES 4 // places of sheets that one particle touches in a substep, at most

// A sheet or a rope in the substeps of a fluid, one of its islands.
typedef struct FluidSheet
{
    struct Body *body;
    int first;          // its first vertex in the arrays of FluidSheets
    const double *lent; // what its collision mesh had as places of its vertices
    double half;        // m, of its thickness
    vvBox box;          // m, where it is now
    double gained;      // J, kinetic energy, by what hit it in the substep
} FluidSheet;

// An island that is stepped in the substeps of a fluid.
typedef struct FluidIsland
{
    int island, first;  // its place in the rooms below, in vertices
    const double *mass; // kg, its own
    Divided divided;
} FluidIsland;

// Where a particle pushed on a sheet.
typedef struct FluidHold
{
    int sheet;
    int corner[3];   // vertices of the sheet; of a rope the third is the second
    double share[3]; // of the corners
    Vec3 normal;     // unit, towards the particle
    Vec3 impulse;    // N s, on the particle
} FluidHold;

// Scratch of the fluid under way; arrays only grow.
typedef struct FluidSheets
{
    int sheetCount, sheetRoom, islandCount, islandRoom, vertexRoom, touchRoom, wetRoom;
    FluidSheet *sheet;
    FluidIsland *island;
    double *from, *at; // vertexRoom x 3, m: where the substep began, and where it ends
    double *momentum;  // vertexRoom x 3, N s: that particles bring
    double *lent;      // vertexRoom, kg: mass of the particles that the vertices have to move
    double *room;      // wetRoom x 10: what divisions need, and masses
    FluidHold *touch;  // touchRoom x SHEET_TOUCHES: of each particle
    int *holds;        // touchRoom: how many of them there are
    struct World *world;
    struct WorldFluid *item;
    int substep, substeps;
    bool open;   // the islands are in the step
    double step; // s, the whole
} FluidSheets;

bool fluidMayMeetSheets(struct World *world, const struct WorldFluid *item, double dt); // wakes those
bool fluidSheetsLoad(struct World *world, struct WorldFluid *item, double dt);          // false: out of memory
double fluidSheetsWay(const FluidSheets *sheets, double dt);                            // m, what the fastest moves
void fluidSheetsReturn(FluidSheets *sheets); // after a step, whether it failed or not
void fluidSheetsRelease(FluidSheets *sheets, Memory *memory);
void fluidSheetsBegin(FluidSheets *sheets, double dt);
void fluidSheetsPush(FluidSheets *sheets, const FluidColliders *rules, const FluidPush *push);
void fluidSheetsEnd(FluidSheets *sheets, double dt);
void fluidSheetsPlace(FluidSheets *sheets);     // collision meshes to `at`
void fluidSheetsKeepApart(FluidSheets *sheets); // what ended on the other side of a sheet goes back

// ---- fluid_walls.c --------------------------------------------------------------------------------------------------

typedef struct FluidContext
{
    FluidWalls fixed; // colliders
    const FluidColliders *rules;
    FluidBodies *bodies;
    FluidSofts *surfaces;
    FluidSheets *sheets;
} FluidContext;

FluidWalls fluidWallsIn(FluidContext *context); // which stays as long as the walls

#endif
