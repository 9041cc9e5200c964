// Inside the multifrontal Cholesky: the analysis of a graph that front_*.c share. Callers use front.h.
#ifndef LINEAR_FRONT_TREE_H
#define LINEAR_FRONT_TREE_H

#include "linear/columns.h"
#include "linear/front.h"

#define FRONT_NONE COLUMNS_NONE
#define FRONT_PAD 16 // leading dimensions are multiples of it
#define FRONT_MOST_TASKS 8
#define FRONT_PANEL 8                 // groups of 4 columns that a solve takes together
#define FRONT_BLOCK (4 * FRONT_PANEL) // columns of a panel

static inline int frontPad(int count)
{
    return (count + FRONT_PAD - 1) / FRONT_PAD * FRONT_PAD;
}

static inline int frontGroups(int count)
{
    return (count + 3) / 4;
}

// reals of a panel in the solve: tiles of 4 x 4 entries, a triangle and the row groups below it
static inline size_t frontPanelReals(int columnGroups, int rowGroups)
{
    size_t columns = (size_t)columnGroups;
    return 16 * columns * (columns + 1) / 2 + 16 * columns * (size_t)rowGroups;
}

// Supernodes after merging, children before parents: scratch of the analysis.
typedef struct Groups
{
    int count;
    int *owner;   // of each column
    int *columns; // count
    int *rows;    // count: below
    int *parent;  // count, FRONT_NONE at a root
    int *task;    // count: which task works on it; taskCount: the top, after all tasks
    int taskCount;
} Groups;

// `width`: unknowns of a vertex, which are eliminated together
bool groupsMake(Memory *memory, const Columns *columns, int width, Groups *groups);
void groupsFree(Memory *memory, Groups *groups);
double groupCost(int columns, int rows, int width); // of a supernode of so many vertices, in units of about 3 ns
// `order`: the vertex of each column
bool groupsSplit(Memory *memory, int width, const int *order, int vertices, Groups *groups);

// An entry of the matrix, a number or a 3x3 block, and its place in the diagonal block or in the rows below. A block
// whose source is ~index is transposed on the way.
typedef struct FrontEntry
{
    uint32_t position;
    int source;
} FrontEntry;

// A supernode: dense columns `first` to `first + columns` of L, the diagonal block D and the rows below B. Columns and
// rows are unknowns: vertices, or three for each.
typedef struct Front
{
    int first;
    int columns;
    int rows;         // below
    int parent;       // FRONT_NONE at a root
    int parentRows;   // so many of the rows below are columns of the parent, the rest are rows below there too
    int vertex;       // `first` in the vector of its task
    int rowStart;     // into FrontTree.row and relative
    int slotStart;    // into FrontTree.slot; the next front's is the end
    int childStart;   // into FrontTree.child; the next front's is the end
    int entryStart;   // into FrontTree.entry: first those of D, then those of B; the next front's is the end
    int entryBelow;   //
    size_t tiles;     // panels of D and B, in reals from the start of the factor's arrays; the next front's is the end
    size_t remainder; // C, the contribution to the parent: rows x frontPad(rows); places are used again where width > 1
} Front;

// A set of subtrees that one task works on, with a vector of its own: the columns of its fronts, each front's filled up
// to a multiple of 4, then the columns of the top that it touches, then one place that fills up the rows of fronts and
// stays zero. The last task is the top, worked on after all others.
typedef struct FrontTask
{
    int front, frontEnd;
    int column;               // the first
    int touchStart, touchEnd; // into FrontTree.touch; empty for the top
    int vector;               // where its vector starts, in places
    int own;                  // places of its columns there
    int mostColumns;          // of its fronts, padded
    size_t mostBelow;         // largest B of its fronts
} FrontTask;

struct FrontTree
{
    Memory *memory;
    int count;    // vertices
    int width;    // unknowns of each: 1, or 3 whose couplings are 3x3 blocks
    int unknowns; // count x width
    int frontCount;
    int taskCount;     // without the top
    int touchCount;    //
    int vectorCount;   // places in the vectors of all tasks
    int *order;        // count: vertex of each column
    Front *front;      // frontCount + 1
    FrontTask *task;   // taskCount + 1
    int *row;          // rows below: columns of L
    int *slot;         // columns and rows of each front in the vector of its task, both filled up to multiples of 4
    int *vertex;       // vectorCount: unknown of the mesh of each place in the vectors, FRONT_NONE if it is no column
    int *relative;     // the same rows in the parent: its columns, then its rows
    int *child;        // children of all fronts
    int *touch;        // column of the top in the top's vector, for each one a task touches
    int *columnStart;  // count + 1: entries of the matrix by vertex, as in Graph
    int *entryFront;   // columnStart[count]: the front an entry of the matrix is assembled in
    FrontEntry *entry; // columnStart[count]
    size_t storage;    // reals in all panels
    size_t remainders; // reals in all C
    long long entries; // of L
    double flops;
};

// The vectors of the tasks: places of columns, rows and unknowns. False: out of memory, or too many.
bool vectorsMake(FrontTree *tree);

// From fronts of vertices to fronts of unknowns, and where their panels and remainders lie. False as above.
bool frontsPlace(FrontTree *tree);

#endif
