// Inside the world room: bodies whose mesh changes.
#ifndef WORLD_REMAKE_H
#define WORLD_REMAKE_H

#include "mesh/change.h"
#include "world/world.h"

// ---- remake.c -------------------------------------------------------------------------------------------------------

// A body and the one beside it that takes its place, or took it.
typedef struct Remake
{
    Body *body;
    Body *other; // owns all that a body owns but has no slot
    int *to;     // vertices of the body: their numbers in the other's mesh, -1: none; in the library's order
} Remake;

// With the mesh and the arrays of `def`, in the order of `heritage` (NULL: its own).
vvResult remakeCreate(Remake *remake, Body *body, const vvSoftBodyDef *def, const Heritage *heritage);
void remakeExchange(Remake *remake); // twice is as before
void remakeRelease(Remake *remake);

// ---- origin.c -------------------------------------------------------------------------------------------------------

typedef enum MeshStepKind
{
    MESH_SPLIT,
    MESH_CUT,
    MESH_REMOVE,
    MESH_STEP_KINDS
} MeshStepKind;

// One change of a mesh as it was asked for: what a saved state holds of it.
typedef struct MeshStep
{
    MeshStepKind kind;
    int itemCount, keptCount, numberCount;
    int *item;      // facets by their vertices; elements
    int *kept;      // facets that did not come apart, by their vertices in the new mesh: they go with the next ones
    double *number; // of a cut: the blade, then where the vertices were
    bool ordered;   // the mesh has an elimination order of its own, others the last one before
} MeshStep;

// For each vertex of the new mesh one of a mesh before: the origin of the nearer parent. `before`: origins of the old
// mesh's vertices, NULL: they are their own.
void originsFollow(const vvMesh *old, const MeshChange *change, const int *before, int *origin);

// The arrays of a definition, in the caller's order of a mesh. NULL: it has none.
typedef struct MeshArrays
{
    double *elementStiffness, *elementToughness, *elementWarp, *vertexMass, *vertexFriction, *example[VV_MAX_EXAMPLES];
} MeshArrays;

// What the two sides of a tear still owe for their surface.
typedef struct Debt
{
    int a, b;           // the caller's vertices, together at rest
    double owed, price; // J; the second: at first
} Debt;

// What a body was made from, and what has become of its mesh since.
struct Origin
{
    vvMesh *mesh;
    MeshArrays arrays;
    int stepCount, stepRoom;
    MeshStep *step;
    int debtCount, debtRoom;
    Debt *debt;
};

vvResult meshStepApply(const vvMesh *mesh, const MeshStep *step, MeshChange *change);
void meshStepRelease(Memory *memory, MeshStep *step);

// Those of the definition after a change of its mesh; false: out of memory.
bool defArraysFollow(Memory *memory, const vvSoftBodyDef *def, const MeshChange *change, MeshArrays *arrays);
void defArraysRelease(Memory *memory, MeshArrays *arrays);
void defArraysInto(const MeshArrays *arrays, vvSoftBodyDef *def);

bool originCreate(Body *body);               // if it has none; false: out of memory
bool originReserve(Body *body);              // room for one step more; false: out of memory
void originTake(Body *body, MeshStep *step); // takes it over
// Beside the body: what these steps make of its origin.
vvResult originReplay(Body *body, const MeshStep *steps, int count, Remake *remake);

// ---- facets.c -------------------------------------------------------------------------------------------------------

int facetCorners(const vvMesh *mesh);                                      // 1 to 3
bool facetsKeep(Memory *memory, MeshStep *step, const MeshChange *change); // into `step`; false: out of memory
const int *facetsKept(const Body *body, int *count);                       // by the last change: `count` vertices

// ---- change.c -------------------------------------------------------------------------------------------------------

// State of the vertices of the body beside it, by their parents.
void bodyCarryPlaces(const Body *body, const Body *fresh, const MeshChange *change);
vvResult bodySplit(Body *body, const int *vertices, int count); // `count` vertices of facets
vvResult bodyChange(Body *body, MeshStep *step); // takes the step over where it succeeds; else nothing has changed

// ---- saved_mesh.c ---------------------------------------------------------------------------------------------------

typedef struct ReshapedBody
{
    Remake remake;
    MeshStep *steps; // those of the other mesh
    int count;
    Debt *debt; // likewise
    int debtCount;
} ReshapedBody;

// Bodies on their way to the meshes of a saved state.
typedef struct Reshape
{
    ReshapedBody *item;
    int count;
    bool exchanged;
} Reshape;

bool worldIsChanged(const World *world); // some mesh is not that of a definition
// Bodies take the meshes that these bytes tell of (NULL: those of their definitions). A failure leaves all as it was.
vvResult reshapeCreate(World *world, const unsigned char *bytes, size_t size, Reshape *reshape);
void reshapeSteps(ReshapedBody *item);
void reshapeEnd(World *world, Reshape *reshape, bool keep); // or all goes back

#endif
