// Modes in motion: the rest modes of a body, turned at each vertex by the rotation of the matter around it.
//
// Rotations are found at knots, some vertices of which every other one has one beside it: the one nearest to the
// deformation gradient of the tets there. R_i is a mean of those at the knots around vertex i. It depends on positions
// alone. R is block-diagonal, so R U stays orthonormal in the masses.
#ifndef SOLVE_MODAL_H
#define SOLVE_MODAL_H

#include "base/isa.h"
#include "base/vec.h"
#include "base/workers.h"
#include "solve/modes.h"

#define MODAL_BLOCK 16              // vertices side by side
#define MODAL_RUN 8                 // blocks whose modes lie together
#define MODAL_MOST 64               // modes
#define MODAL_TIED (MODAL_MOST + 6) // and rigid motions
#define MODAL_MEANS 8               // knots around a vertex, at most
#define MODAL_GROUP 4               // their number is a multiple of it; the last ones may be zero

// What equal bodies share.
typedef struct ModalShape
{
    Memory *memory;
    struct ModalShape *next; // of the owner's list
    int references;          //
    uint64_t key;            // of what it was made from
    int vertices, blocks;    // blocks of MODAL_BLOCK vertices
    int count;               // modes, a multiple of MODAL_GROUP
    bool tied;               // something is pinned or held
    double *tie;             // vertices, N/m: attachments that the modes know; NULL: none
    double *square;          // count: w^2, 1/s^2; infinite where there is no mode
    double *bound;           // count^2: U^T L U with L the majorizer, 1/s^2; NULL: not asked for
    double whole;            // N m: sum of its weights over the body, what L makes of a turn of 1 rad
    float *shape;            // u, 1/sqrt(kg): by runs, groups, blocks of the run, modes of the group, x y z, lanes
    int knots, knotBlocks;   // vertices where rotations are found, in blocks of MODAL_BLOCK
    int *knot;               // knotBlocks x MODAL_BLOCK: which
    int *slotStart;          // knotBlocks + 1
    int *neighbour;          // slots x MODAL_BLOCK: one of each knot of a block; those that have no more, themselves
    int16_t *weight;         // slots x 3 x MODAL_BLOCK: x y z of the distance to it, on a scale of each knot
    int *meanKnot;           // blocks x MODAL_MEANS x MODAL_BLOCK: knots around each vertex, the nearest first
    int16_t *meanShare;      // the same: of its rotation in the mean, on a scale of each vertex
    int tetBlocks;           // of MODAL_BLOCK tets
    int *tet;                // tetBlocks x 5 x MODAL_BLOCK: vertices, the knot nearest to the first
    float *tetInverse;       // tetBlocks x 9 x MODAL_BLOCK: F = sum of edges times its rows, 1/m
    float *tetShare;         // tetBlocks x MODAL_BLOCK: 1, of the volume
    double *rest;            // vertices x 3, m
    struct FlatTets *flat;   // tets that unequal rotations strain much (modal_flat.h); NULL: none

    // rows of W (rows.h); NULL: not asked for
    float *first;             // P
    float *making;            // room to make a table in
    struct RowsTable *tables; //
    unsigned frame;           // counts steps
    atomic_bool busy;         // a thread looks for a table or makes one
} ModalShape;

// where the modes of a group begin in `shape`, at a block: MODAL_GROUP x 3 x MODAL_BLOCK numbers
static inline ptrdiff_t modalPlace(const ModalShape *shape, int block, int group)
{
    int groups = shape->count / MODAL_GROUP;
    return (((ptrdiff_t)(block / MODAL_RUN) * groups + group) * MODAL_RUN + block % MODAL_RUN) * MODAL_GROUP * 3 *
           MODAL_BLOCK;
}

// u of a vertex, along x, y or z
static inline double modalAt(const ModalShape *shape, int mode, int vertex, int axis)
{
    ptrdiff_t place = modalPlace(shape, vertex / MODAL_BLOCK, mode / MODAL_GROUP);
    return (double)shape->shape[place + (mode % MODAL_GROUP * 3 + axis) * MODAL_BLOCK + vertex % MODAL_BLOCK];
}

// Tets and the points of the rest shape, for the averages.
typedef struct ModalMesh
{
    int tetCount;
    const int *tet;     // tetCount x 4
    const double *rest; // vertices x 3, m
} ModalMesh;

// From modes, which may be destroyed afterwards. NULL: out of memory.
ModalShape *modalShapeCreate(Memory *memory, const Modes *modes, const ModalMesh *mesh);
void modalShapeDestroy(ModalShape *shape);

// A body as a whole, where a step is.
typedef struct ModalFrame
{
    double mass;     // kg
    Vec3 centre;     // m
    Mat3 inverse;    // of its inertia, 1/(kg m^2)
    Mat3 axes;       // of inertia, columns
    double quick[3]; // 1 / root of the moment about each; 0: it has none
} ModalFrame;

// Of one body.
typedef struct Modal
{
    ModalShape *shape;
    Isa isa;
    bool current;            // made for the pins, masses and stiffness that the body has
    bool used;               // in the step under way
    bool torn;               // else because too much of it is turned against its surroundings, or while strain relaxes
    bool loose;              // nothing is pinned or joined in it
    double viscosity;        // s, of damping in proportion to the stiffness
    bool tied;               // something holds or touches it, in the step of local/global
    double *joint;           // MODAL_TIED^2: what modes and rigid motions of a tied body lack; NULL: not local/global's
    double drag;             // 1: by which drag resists more than the mass alone, of local/global
    ModalFrame frame;        // of a loose body, likewise
    Vec3 push[2];            // the rigid part of the right side of its iteration, linear and angular
    double heldRate;         // 1/s^2, of the stiffest exact motion on what holds or touches the body
    double gain[MODAL_MOST]; // 1: of a force along each mode, in its substeps
    double undamped[MODAL_MOST];    // the same without damping of strain rates
    double viscousGain[MODAL_MOST]; // the same of the forces of this damping
    double force[MODAL_MOST];       // along each mode
    double pace[MODAL_MOST];        // 1/S - 1 of mode_pace.c,
    double lag[MODAL_MOST];         //   what comes back of an error of `moved` in a round,
    double moved[MODAL_MOST];       //   how far each mode goes in the step, as foreseen
    double viscous[MODAL_MOST];     // of these, forces of damping
    double rate[MODAL_MOST];        // velocity along each mode where the substep began
    double elastic[MODAL_MOST];     // 1/s^2: of w^2, what the body itself has of it and attachments do not
    bool elasticKnown;              //
    double loss;                    // J, that damping took from modes in the substep, as far as it is counted by itself
    double spread, highest;         // 1, 1/s^2: of the highest mode, how much stiffer the majorizer is; w^2; 0: unknown
    bool warm;                      // `turn` holds rotations of this step, where the next search starts
    float *point;                   // blocks x MODAL_BLOCK x 4: positions from that of the first vertex, m
    float *turn;                    // knotBlocks x MODAL_BLOCK x 4: quaternions of the matter at each knot
    float *rotation;                // blocks x 9 x MODAL_BLOCK, row major
    double *sums;                   // tasks x MODAL_MOST
    bool clipped;                   // modes go on as R U C, until they are turned again:
    double *clip;                   // count^2: C (modal_flat.h); NULL: the shape has no flat tets
    float *vertexTurn;              // blocks x MODAL_BLOCK x 4: R as quaternions, likewise
    float *flatStrain;              // a number of each flat tet, likewise
    float *flatSum;                 // FLAT_TASKS x numbers of X: what each task finds, likewise
    struct Rows *rows;              // of W, for contacts (rows.h); NULL: not asked for
} Modal;

Modal *modalCreate(Memory *memory, ModalShape *shape, Isa isa); // NULL: out of memory
void modalDestroy(Memory *memory, Modal *modal);                // not its shape

// All arrays are of the body's vertices alone, x 3. Same bits for any workers.
void modalTurn(Modal *modal, const double *position, Workers *workers);
// After a turn: takes out of the modes what flat tets make too stiff for a substep of h seconds, until the next turn.
void modalFlatten(Modal *modal, double h, Workers *workers);
// 1: share of the volume in tets whose F is further from the rotation at a knot beside them than one turned by 75
// degrees
double modalTorn(const Modal *modal, Workers *workers);
// With C = 1 where modes are not clipped: q = C U^T R^T y, or C U^T R^T M y where there is a mass
void modalProject(const Modal *modal, const double *y, const double *mass, Workers *workers, double *q);
// y += R U C q, or y += M R U C q
void modalExpand(const Modal *modal, const double *q, const double *mass, Workers *workers, double *y);

#endif
