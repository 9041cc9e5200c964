// Smooth motion of sheets and ropes: polynomials of the rest shape that vanish at pins, each for x, y and z.
//
// A sheet moves mostly without stretching, along directions that change with its shape, while the majorizer L resists
// all directions alike. In the span of few smooth functions u_a (orthonormal in the masses, u_a^T L u_b = 0 for a != b)
// the true stiffness at hand is cheap: H = sum over edges of k (du_a du_b) [n n^T + tension (1 - n n^T)]. With
//
//   B = M + 3/2 s (L + C),   F = 1 + 3 s (H + U^T C U),   C: attachments,
//   d = B^-1 g + U (F^-1 - (U^T B U)^-1) U^T g
//
// the matrix of g -> d is symmetric and positive, and its inverse is not below s times the Hessian K of springs: a
// motion is U a + y with y orthogonal to U in B, and K(U a + y) <= 3 K(U a) + 3/2 K(y). Motion in the span that does
// not stretch keeps its mass.
#ifndef SOLVE_SMOOTH_H
#define SOLVE_SMOOTH_H

#include "energy/energy.h"
#include "linear/front.h"

#define SMOOTH_BLOCK 8    // vertices side by side
#define SMOOTH_MOST 16    // functions
#define SMOOTH_GROUP 8    // their number is a multiple of it; the last ones may be zero
#define SMOOTH_MARGIN 1.5 // of L in B
#define SMOOTH_EXCESS 3 // of H in F: 1 / SMOOTH_MARGIN + 1 / SMOOTH_EXCESS = 1; 1 where the functions are all there is
#define SMOOTH_TENSORS 18 // of a patch: xx xy yy of the rest shape, each times xx yy zz xy xz yz
#define SMOOTH_PATCHES 64 // at most
#define SMOOTH_SAMPLES 32 // edges of a patch that are looked at, at most

typedef struct SmoothEdge
{
    int vertex[2];
    double weight[3]; // N m: stiffness times xx xy yy of its rest vector in the frame of the patch
    double rest;      // m
} SmoothEdge;

// What making them takes; kept, so that other pins need no memory.
typedef struct SmoothWork
{
    int made;            // functions
    double *u;           // count + 1 functions x vertices
    double *value;       // entries of the graph: L without pins
    double *vector[2];   // vertices, vertices x 3
    FrontFactor *factor; //
    int edgeCount, edgeRoom;
    struct SmoothSpring *edge; //
} SmoothWork;

typedef struct Smooth
{
    Memory *memory;
    Isa isa;
    int vertices, blocks; // blocks of SMOOTH_BLOCK vertices
    int count;            // functions, a multiple of SMOOTH_GROUP
    double *square;       // count: u^T L u, 1/s^2, ascending; where there is no function, 0
    float *shape;         // blocks x count x SMOOTH_BLOCK: u, 1/sqrt(kg)
    int patchCount;
    int *patchStart;  // patchCount + 1: edges
    SmoothEdge *edge; //
    double *slope;    // patchCount x 2 x count: of u in the frame of the patch, 1/(m sqrt(kg))
    double *
        // patchCount x count x count: what a slope leaves of du_a du_b, over the squares of the edges, 1/(m^2 kg)
        uneven;
    double *tensor; // patchCount x SMOOTH_TENSORS, N/m
    double *still;  // count x count: u^T L u of what has no edges (bending), 1/s^2
    double *matrix; // (3 count)^2: the factor of F
    double *hold;   // count x count: u^T (stiffness of attachments) u, 1/s^2, in the step under way
    double *own;    // count x count: the factor of U^T B U
    double *sums;   // tasks x 3 count
    double whole;   // N m: sum over the edges of k dX^2
    double excess;  // SMOOTH_EXCESS, or 1
    bool used;      // in the step under way
    bool keeps;     // what substeps do not resolve counts as kept: it moves by itself, with or without functions
    int every;      // substeps for which F stays
    double force[3 * SMOOTH_MOST]; // along each function
    SmoothWork work;
} Smooth;

typedef struct SmoothRecipe
{
    const Graph *graph;
    const FrontTree *tree;
    const double *majorizer; // entries of the graph: L, N/m
    const double *rest;      // vertices x 3, m
    const double *mass;      // vertices
    const unsigned char *pinned;
    int energyCount;
    Energy *const *energy;
    int wanted; // functions, at most SMOOTH_MOST
    Isa isa;
} SmoothRecipe;

Smooth *smoothCreate(Memory *memory, const SmoothRecipe *recipe); // NULL: out of memory
void smoothRenew(Smooth *smooth, const SmoothRecipe *recipe);     // after pins, masses or constants changed
int smoothEdges(const SmoothRecipe *recipe);                      // that there must be room for
double smoothWork(const SmoothRecipe *recipe);                    // multiply-adds of making them, about
bool smoothExists(const Smooth *smooth);                          // some vertex is free
void smoothDestroy(Smooth *smooth);

// All arrays are of the body's vertices alone, x 3; q and r are 3 x count. Same bits for any workers.
// F for s = `quarter` (s^2) and a mass that drag makes `drag` times what it is
void smoothTurn(Smooth *smooth, const double *position, double quarter, double drag, Workers *workers);
void smoothProject(const Smooth *smooth, const double *y, const double *mass, Workers *workers, double *q); // U^T (M) y
void smoothHold(Smooth *smooth, int vertex,
                double stiffness); // an attachment, N/m; `hold` was cleared before the first
// substeps of h for which F may stay, given velocities: directions turn by little
int smoothLasting(const Smooth *smooth, const double *velocity, const double *mass, double h, Workers *workers);
void smoothMove(const Smooth *smooth, const double *q, double *r); // (F^-1 - (U^T B U)^-1) q
void smoothRest(const Smooth *smooth, const double *y, const double *mass, Workers *workers,
                double *rest);                             // y - U U^T M y
double smoothAdded(const Smooth *smooth, const double *q); // 1/2 a^T (F - U^T B U) a, U^T B U a = q
void smoothExpand(const Smooth *smooth, const double *r, Workers *workers, double *y); // y += U r

#endif
