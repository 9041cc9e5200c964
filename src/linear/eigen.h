// Frequencies in the linear room: the ends of the spectrum of A x = lambda M x, A symmetric and positive semidefinite,
// M the masses of vertices. Iterations over products with A; no libm but sqrt, starts from fixed numbers.
#ifndef LINEAR_EIGEN_H
#define LINEAR_EIGEN_H

#include "base/base.h"
#include "base/isa.h"

typedef struct EigenProblem
{
    int count;                  // vertices; vectors are count x 3
    const double *mass;         // count, above 0
    const unsigned char *fixed; // count: vertices that leave the unknowns; A has zeros there
    void (*multiply)(void *user, const double *x, double *y);     // y = A x
    void (*precondition)(void *user, const double *r, double *z); // z ~ A^-1 r, symmetric positive definite
    void *user;
    double tolerance; // of the result, relative
    int iterationLimit;
    Isa isa;      // of eigenLowest: speed only, the bits are the same
    double *work; // EIGEN_LARGEST_WORK or EIGEN_SMALLEST_WORK vectors
} EigenProblem;

#define EIGEN_LARGEST_WORK 4
#define EIGEN_SMALLEST_WORK 7

// Lanczos' iteration: never above the largest eigenvalue. Needs no preconditioner.
double eigenLargest(const EigenProblem *problem);

// The smallest eigenvalue among the vectors orthogonal to `known` (knownCount vectors, orthonormal in the masses), by
// locally optimal preconditioned conjugate gradients (Knyazev 2001); 0 when it is below `floor` or there are no
// such vectors. Never below the smallest.
double eigenSmallest(const EigenProblem *problem, const double *known, int knownCount, double floor);

// The `wanted` smallest eigenvalues, ascending, with their vectors (wanted x 3 count, orthonormal in the masses) among
// those orthogonal to `known`, by Lanczos' iteration on blocks of the inverse: `precondition` must be (A + shift M)^-1
// exactly but for rounding, with a shift not far above the first eigenvalue. `tolerance` is of the residuals of the
// inverse, so that eigenvalues are off by its square. Returns how many there are, fewer than wanted on few vertices;
// -1: no memory. Not from the problem's work.
int eigenLowest(const EigenProblem *problem, Memory *memory, double shift, const double *known, int knownCount,
                int wanted, double *values, double *vectors);

// The same for matrices too large to factor. Vectors lie side by side, count x 3 x width; the width is a multiple of 8
// and some more than the wanted ones.
typedef struct EigenBlockProblem
{
    int count, width;
    const double *mass;                                           // count, above 0
    const unsigned char *fixed;                                   // count: vertices that leave the unknowns
    void (*multiply)(void *user, const double *x, double *y);     // y = A x
    void (*precondition)(void *user, const double *r, double *z); // z ~ A^-1 r, symmetric positive definite
    void *user;
    double tolerance; // of vectors in the norm of A, relative: eigenvalues are off by its square
    Isa isa;          // speed only, the bits are the same
} EigenBlockProblem;

// From `first`, which the vectors wanted should be near to (Knyazev 2001); zeros are replaced by numbers without a
// pattern. Returns how many of the lowest are found; -1:
// no memory.
int eigenBlock(const EigenBlockProblem *problem, Memory *memory, const double *known, int knownCount,
               const double *first, int wanted, double *values, double *vectors);

// Householder's reduction and implicit QL for symmetric matrices of any size (row major, destroyed): the values
// ascending, the vectors as rows. `work`: size numbers.
void eigenSymmetric(int size, double *matrix, double *values, double *vectors, double *work);

// Jacobi's rotations for small symmetric matrices (size <= 8, row major, destroyed): the values ascending, the vectors
// as rows.
void eigenDense(int size, double *matrix, double *values, double *vectors);

// A fixed vector without symmetry, zero where `fixed`.
void eigenStart(const EigenProblem *problem, double *x);

#endif
