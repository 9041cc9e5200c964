// A preconditioner for elastic matrices that are too large to factor: Gauss-Seidel on the vertices and a factor over
// aggregates of them, by smoothed aggregation with the rigid motions of each aggregate (Vanek, Mandel and Brezina
// 1996). Symmetric and positive definite.
#ifndef LINEAR_TWO_LEVEL_H
#define LINEAR_TWO_LEVEL_H

#include "linear/block_kernels.h"

typedef struct TwoLevel TwoLevel;

typedef struct TwoLevelRecipe
{
    const BlockMatrix *matrix;  // positive definite, stays as it is
    const double *points;       // count x 3, m
    const double *mass;         // count
    const unsigned char *fixed; // count: vertices that are coupled to nothing and stay out
    int corners;                // vertices of an element, at most
    int width;                  // vectors at once, a multiple of 8
    Isa isa;
} TwoLevelRecipe;

// NULL: out of memory, or a matrix that has no factor.
TwoLevel *twoLevelCreate(Memory *memory, const TwoLevelRecipe *recipe);
void twoLevelDestroy(TwoLevel *level);

void twoLevelApply(TwoLevel *level, const double *r, double *z); // z ~ A^-1 r, count x 3 x width
// `width` vectors near the lowest ones of A x = lambda M x, without the first `skipped`; zeros where the coarse level
// has no more. False: out of memory
bool twoLevelLowest(TwoLevel *level, int skipped, double *x);

#endif
