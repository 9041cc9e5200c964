// Inside the multifrontal Cholesky: the analysis of a graph that front_*.c share. Callers use front.h.
#ifndef LINEAR_FRONT_TREE_H
#define LINEAR_FRONT_TREE_H

#include "linear/columns.h"
#include "linear/front.h"

#define FRONT_NONE COLUMNS_NONE
#define FRONT_PAD 16 // leading dimensions are multiples of it
#define FRONT_MOST_PARTS 8

static inline int frontPad(int count)
{
    return (count + FRONT_PAD - 1) / FRONT_PAD * FRONT_PAD;
}

// Supernodes after merging, children before parents: scratch of the analysis.
typedef struct Groups
{
    int count;
    int *owner;   // of each column
    int *columns; // count
    int *rows;    // count: below
    int *parent;  // count, FRONT_NONE at a root
    int *part;    // count: which part works on it; partCount: the top, after all parts
    int partCount;
} Groups;

bool groupsMake(Memory *memory, const Columns *columns, Groups *groups);
void groupsFree(Memory *memory, Groups *groups);
double groupCost(int columns, int rows); // of a supernode in a solve, in units of about 0.3 ns
bool groupsSplit(Memory *memory, Groups *groups);

// An entry of the matrix and its place in the diagonal block or in the rows below.
typedef struct FrontEntry
{
    uint32_t position;
    int source;
} FrontEntry;

// A supernode: dense columns `first` to `first + columns` of L, the diagonal block D and the rows below B.
typedef struct Front
{
    int first;
    int columns;
    int rows;         // below
    int parent;       // FRONT_NONE at a root
    int parentRows;   // so many of the rows below are columns of the parent, the rest are rows below there too
    int vertex;       // `first` in the vector of its part
    int rowStart;     // into FrontTree.row and relative
    int childStart;   // into FrontTree.child; the next front's is the end
    int entryStart;   // into FrontTree.entry: first those of D, then those of B; the next front's is the end
    int entryBelow;   //
    size_t upper;     // D^-T: columns x frontPad(columns), in reals from the start of the factor's arrays
    size_t below;     // B: columns x frontPad(rows)
    size_t remainder; // C, the contribution to the parent: rows x frontPad(rows)
} Front;

// A set of subtrees that one task works on, with a vector of its own: its columns, then the columns of the top that it
// touches. The last part is the top, worked on after all others.
typedef struct FrontPart
{
    int front, frontEnd;
    int column, columnEnd;
    int touchStart, touchEnd; // into FrontTree.touch; empty for the top
    int vector;               // where its vector starts, in vertices
    int mostColumns;          // of its fronts, padded
    int mostRows;             // of its fronts, padded
    size_t mostBelow;         // largest B of its fronts
} FrontPart;

struct FrontTree
{
    Memory *memory;
    int count; // vertices
    int frontCount;
    int partCount;     // without the top
    int touchCount;    //
    int vectorCount;   // vertices in the vectors of all parts
    int *order;        // count: vertex of each column
    Front *front;      // frontCount + 1
    FrontPart *part;   // partCount + 1
    int *row;          // rows below, in the vector of the front's part
    int *relative;     // the same rows in the parent: its columns, then its rows
    int *child;        // children of all fronts
    int *touch;        // column of the top in the top's vector, for each one a part touches
    int *columnStart;  // count + 1: entries of the matrix by vertex, as in Graph
    int *entryFront;   // columnStart[count]: the front an entry of the matrix is assembled in
    FrontEntry *entry; // columnStart[count]
    size_t storage;    // reals in all D^-T and B
    size_t remainders; // reals in all C
    long long entries; // of L
    double flops;
};

#endif
