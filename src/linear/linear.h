// The linear room: sparse symmetric matrices of 3x3 blocks over the vertices of a body, ordering, conjugate gradient;
// factors are in front.h. No allocation after creation.
#ifndef LINEAR_LINEAR_H
#define LINEAR_LINEAR_H

#include "base/base.h"

// Which vertices are coupled: the lower triangle by columns, rows ascending, the diagonal first in each column.
typedef struct Graph
{
    Memory *memory;
    int count;  // vertices
    int *start; // count + 1
    int *row;   // start[count]
} Graph;

// From unordered pairs (a != b; repetitions are fine), pairCount x 2. NULL when out of memory.
Graph *graphCreate(Memory *memory, int count, const int *pairs, int pairCount);
// After a change: vertices of `former` keep their numbers, new ones follow. `renewed` (count): pairs of two such
// vertices are those of `pairs` alone, all others are as they were. NULL when out of memory.
Graph *graphInherit(Memory *memory, const Graph *former, const bool *renewed, int count, const int *pairs,
                    int pairCount);
void graphMarkNeighbours(const Graph *graph, const bool *marked, bool *beside); // those of marked ones, and these too
void graphDestroy(Graph *graph);
int graphFind(const Graph *graph, int row, int column); // index into row[] for row >= column, or -1

// Values over a graph: block k (row-major 3x3) couples row[k] (its rows) with its column's vertex (its columns).
typedef struct BlockMatrix
{
    Memory *memory;
    const Graph *graph;
    double *value; // graph->start[count] x 9
} BlockMatrix;

BlockMatrix *matrixCreate(Memory *memory, const Graph *graph);
void matrixDestroy(BlockMatrix *matrix);
void matrixClear(BlockMatrix *matrix);
void matrixMultiply(const BlockMatrix *matrix, const double *x, double *y); // y = A x, both count x 3, distinct

// A fill-reducing order: order[k] is the vertex eliminated as number k. Approximate minimum degree, deterministic.
bool orderMinimumDegree(Memory *memory, const Graph *graph, int *order /* count */);

// The same with classes 0, 1, ...: all vertices of one before any of the next. Only vertices with more than 10
// sqrt(count) neighbours come last whatever their class.
bool orderByClass(Memory *memory, const Graph *graph, const int *class /* count */, int *order /* count */);

// Nested dissection: class[v] is 0 in a leaf, above in a separator; the deeper the separator the lower its class. A
// path between two leaves meets a vertex of a class above 0. With points (count x 3, rest positions) it cuts along the
// planes of the mesh's own lattice, without (NULL) by distances in the graph.
bool dissectGraph(Memory *memory, const Graph *graph, const double *points, int *class /* count */);

// The better of minimum degree and nested dissection by orderFlops. False: out of memory.
bool orderBest(Memory *memory, const Graph *graph, const double *points, int *order /* count */);

// Sum of the squared column counts of L in that order, the diagonal included; -1: out of memory. `entries` (may be
// NULL) gets the sum of the counts.
double orderFlops(Memory *memory, const Graph *graph, const int *order, long long *entries);

// Every vertex with its neighbours, both ways, without itself.
typedef struct Neighbours
{
    int *start;  // count + 1
    int *vertex; // start[count]
} Neighbours;

bool neighboursMake(Memory *memory, const Graph *graph, Neighbours *neighbours); // false: out of memory, nothing made
void neighboursFree(Memory *memory, Neighbours *neighbours);

// Which directions vertices are held in: symmetric projections S_i onto what is free (Baraff and Witkin 1998, section
// 5.3; Hauth 2004, section 4.2).
typedef enum HoldKind
{
    HOLD_FREE,  // S = I
    HOLD_FIXED, // S = 0
    HOLD_PLANE, // S = I - a a^T: moves in the plane across a
    HOLD_LINE,  // S = a a^T: moves along a
} HoldKind;

typedef struct Filter
{
    int count;                 // vertices
    const unsigned char *kind; // count: HoldKind
    const double *axis;        // count x 3: a, unit; read for planes and lines
} Filter;

void filterVertex(const Filter *filter, int vertex, double *x);             // x = S_vertex x
void filterApply(const Filter *filter, double *x);                          // count x 3
void filterBlock(const Filter *filter, int row, int column, double *block); // B = S_row B S_column

// Preconditioned conjugate gradient for A x = b on vectors of `size` reals. With a filter: for the components of x that
// it leaves free, the others are as given.
typedef struct CgProblem
{
    int size;
    void (*multiply)(void *user, const double *x, double *y);     // y = A x
    void (*precondition)(void *user, const double *r, double *z); // z ~ A^-1 r, symmetric positive definite
    void *user;
    const Filter *filter; // NULL: everything is free
    double tolerance;     // stop at sqrt(r'z) <= tolerance x its value at the start
    int iterationLimit;
    double *work; // 4 x size
} CgProblem;

typedef struct CgReport
{
    int iterations;         // steps taken
    double reduction;       // sqrt(r'z) at the end over the start
    bool negativeCurvature; // met p'Ap <= 0: x is the iterate before it (or the preconditioned right side at the first)
} CgReport;

CgReport cgSolve(const CgProblem *problem, const double *right, double *x); // starts from x = 0 where it is free

// What holds the held components after a solve: force = (I - S) (A x - b), exactly 0 where everything is free. One
// product with A; uses the work of the problem.
void cgConstraintForces(const CgProblem *problem, const double *right, const double *x, double *force);

#endif
