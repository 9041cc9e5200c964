// The dense arithmetic of fronts and of the solve, once per precision and instruction set. All tables give the same
// bits: every entry is computed by the same operations in the same order, sums across lanes have 16 lanes in all of
// them.
#ifndef LINEAR_FRONT_KERNELS_H
#define LINEAR_FRONT_KERNELS_H

#include "linear/front_tree.h"

// A front under factorisation. The reals are float or double; strides are multiples of 16, arrays aligned to 64 bytes.
typedef struct DenseFront
{
    int columns, rows;
    size_t columnStride, rowStride; // frontPad(columns), frontPad(rows)
    void *diagonal;                 // columnStride x columnStride: D, lower triangle
    void *pivot;                    // columnStride: reciprocals of the diagonal of D
    void *upper;                    // columns x FRONT_BLOCK: D^-T of each diagonal block of D
    void *below;                    // columns x rowStride: B
    void *remainder;                // rows x rowStride: C, lower triangle
} DenseFront;

// What a child adds to a front.
typedef struct DenseChild
{
    const void *remainder;
    int rows, parentRows;
    const int *relative; // rows
} DenseChild;

// A front in a solve, of vectors with one or 4 reals per place.
typedef struct SolveFront
{
    int columnGroups, rowGroups; // of 4
    const void *tiles;           // its panels
    const void *tilesEnd;
    const int *slot; // columns and rows in the vector
    void *own;       // its columns in the vector
    void *vector;
} SolveFront;

// The two sweeps of a solve.
typedef struct FrontSweeps
{
    size_t realSize;
    size_t placeSize; // bytes: one or 4 reals

    // `order`: the vertex or unknown of each place, FRONT_NONE: none; `last`: the last there is
    void (*load)(const double *right, const int *order, int count, int last, double scale, void *vector);
    void (*store)(const void *vector, const int *order, int count, double scale, double *result);
    void (*addTouched)(const void *task, const int *touch, int count, void *top);
    void (*copyTouched)(const void *top, const int *touch, int count, void *task);
    void (*forward)(const SolveFront *front);
    void (*backward)(const SolveFront *front);
} FrontSweeps;

typedef struct FrontKernels
{
    size_t realSize;

    // numeric factorisation of a front, in this order; the Rows functions may be called for ranges of rows (multiples
    // of 16) in any order, of addRemainder for ranges of columns
    void (*clear)(const DenseFront *front);
    void (*addEntries)(const DenseFront *front, const FrontEntry *entry, int inside, int total, const double *values,
                       double scale);
    void (*addBlocks)(const DenseFront *front, const FrontEntry *entry, int inside, int total, const double *values,
                      double scale); // 3x3, row-major
    void (*addChild)(const DenseFront *front, const DenseChild *child);
    bool (*factorDiagonal)(const DenseFront *front); // false: a pivot is not positive
    void (*factorRows)(const DenseFront *front, int begin, int end);
    void (*invertBlocks)(const DenseFront *front);
    void (*remainderRows)(const DenseFront *front, int begin, int end);
    void (*addRemainder)(const DenseFront *front, const DenseChild *child);

    // panels `begin` to `end` from D, D^-T and B to the tiles of a solve in the same reals, or in float
    void (*pack)(const DenseFront *front, int begin, int end, void *tiles);
    void (*packRounded)(const DenseFront *front, int begin, int end, void *tiles);

    double (*largest)(const double *values, int count);
    FrontSweeps
        points; // three right-hand sides at once: x, y and z of a vertex. Places have a fourth real that nobody reads
    FrontSweeps line; // one right-hand side
} FrontKernels;

extern const FrontKernels frontSingle_base, frontDouble_base;
extern const FrontKernels frontSingle_avx2, frontDouble_avx2;
extern const FrontKernels frontSingle_avx512, frontDouble_avx512;

#endif
