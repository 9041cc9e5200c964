// The fast path of the linear room, multifrontal Cholesky: scalar symmetric matrices over the vertices of a body (the
// same for x, y and z), three interleaved right-hand sides; and matrices of 3x3 blocks, one right-hand side. Analyse
// once per graph, factor when values change, solve hundreds of times a second.
#ifndef LINEAR_FRONT_H
#define LINEAR_FRONT_H

#include "base/isa.h"
#include "base/workers.h"
#include "linear/linear.h"

typedef enum FrontPrecision
{
    FRONT_SINGLE,  // factor and solve in float32
    FRONT_ROUNDED, // factor in double, keep it rounded to float32, solve in float32
    FRONT_DOUBLE,  // all in double: reference and cross-check
} FrontPrecision;

// Order, elimination tree, supernodes, where everything goes. Immutable; any number of factors share it.
typedef struct FrontTree FrontTree;

FrontTree *frontTreeCreate(Memory *memory, const Graph *graph, const double *points /* count x 3, or NULL */);
FrontTree *frontTreeCreateBlocks(Memory *memory, const Graph *graph, const double *points); // of matrices of 3x3 blocks
FrontTree *frontTreeCreateBlocksLike(Memory *memory, const Graph *graph, const FrontTree *tree); // in its order

// Of a graph that lost couplings and whose vertices split: the order and the fronts of an earlier graph, every vertex
// beside the one that it came from. `origin`: that one, for each vertex; each is named at least once. NULL: out of
// memory, or two vertices are coupled whose origins were not.
FrontTree *frontTreeInherit(Memory *memory, const Graph *graph, const FrontTree *base, const int *origin /* count */);
void frontTreeDestroy(FrontTree *tree);
long long frontTreeEntries(const FrontTree *tree); // of L, diagonal included, before supernodes are padded
double frontTreeFlops(const FrontTree *tree);      // multiply-adds: sum of squares of the column counts of L

typedef struct FrontFactor FrontFactor;

FrontFactor *frontFactorCreate(Memory *memory, const FrontTree *tree, FrontPrecision precision, Isa isa);
// For frontFactorComputeFrom: where `former` suits, its fronts are taken over, and it can only be destroyed after that.
FrontFactor *frontFactorCreateFrom(Memory *memory, const FrontTree *tree, FrontPrecision precision, Isa isa,
                                   FrontFactor *former);
void frontFactorDestroy(FrontFactor *factor);
size_t frontFactorBytes(const FrontFactor *factor); // read by one solve

// `values`: graph->start[count], lower triangle by columns as in Graph; of blocks x 9, as in BlockMatrix. False: a
// pivot is not positive, or of blocks lost to rounding (below 1e-14 of its diagonal entry, in float32 1e-6); the factor
// must then be computed anew before it is used. No allocation. `workers` may be NULL.
bool frontFactorCompute(FrontFactor *factor, const double *values, Workers *workers);

// The same after only the columns (diagonal or below) of some vertices changed since the last successful compute or
// update: redoes the supernodes on their paths to the root, or all of a matrix of blocks. Bit-identical to
// frontFactorCompute.
bool frontFactorUpdate(FrontFactor *factor, const double *values, const int *changed, int changedCount,
                       Workers *workers);

// The same as frontFactorCompute, bit by bit, with the fronts that the factor was created from: both trees were
// inherited from one base, or are it, and vertices kept their numbers. After some changes in a row fronts are copied:
// at most half as much memory is held in vain as the factor needs.
bool frontFactorComputeFrom(FrontFactor *factor, const double *values, const FrontFactor *former, Workers *workers);

// result = A^-1 right; count x 3 each, may be the same array. Same bits for any workers.
void frontFactorSolve(FrontFactor *factor, const double *right, double *result, Workers *workers);
// The same of one column, count each, of matrices of numbers alone.
void frontFactorSolveLine(FrontFactor *factor, const double *right, double *result, Workers *workers);

// The same at some vertices, where all other rows of `right` are zero: both sweeps need only the fronts on the paths
// from these to the root. Following them leaves the paths in the factor until the next call; returns the share of the
// factor on them, 1. Of the result the rows of these vertices have the bits of frontFactorSolve, others mean nothing.
double frontFactorFollow(FrontFactor *factor, const int *vertex, int count);
void frontFactorSolveAt(FrontFactor *factor, const int *vertex, int count, const double *right, double *result,
                        Workers *workers);
// At these vertices again, for a right-hand side that is nowhere zero, with right^T A^-1 right of its three columns. Of
// matrices of numbers alone.
void frontFactorSolveOnto(FrontFactor *factor, const double *right, double *result, double products[3][3],
                          Workers *workers);

#endif
