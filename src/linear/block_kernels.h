// Products of matrices of 3x3 blocks with many vectors at once, and of the vectors with each other, once per
// instruction set, with the same bits in all of them. Vectors lie side by side: rows x width, width a multiple of 8.
#ifndef LINEAR_BLOCK_KERNELS_H
#define LINEAR_BLOCK_KERNELS_H

#include "base/isa.h"
#include "linear/linear.h"

#define BLOCK_WIDEST 64 // vectors, at most

typedef struct BlockKernels
{
    void (*multiply)(const BlockMatrix *a, int width, const double *x, double *y); // y = A x
    // Gauss-Seidel, A = D + E + E^T: z = (D + E)^-1 r, r is overwritten; y = -E^T z; z += (D + E^T)^-1 r. `inverse`: of
    // the blocks of D, count x 9
    void (*forward)(const BlockMatrix *a, const double *inverse, int width, double *r, double *z);
    void (*above)(const BlockMatrix *a, int width, const double *z, double *y);
    void (*lower)(const BlockMatrix *a, int width, const double *x, double *y); // y -= A x
    void (*backward)(const BlockMatrix *a, const double *inverse, int width, double *r, double *z);
    // out (width x width) = a^T b, or a^T M b with the masses of vertices
    void (*gram)(const double *a, const double *b, const double *mass, int rows, int width, double *out);
    // out += in c, c: width x width
    void (*mix)(const double *in, const double *c, int rows, int width, double *out);
    // y (3 x width) += a x, and y (6 x width) += a^T x, a: 3 x 6
    void (*spread)(const double *a, int width, const double *x, double *y);
    void (*collect)(const double *a, int width, const double *x, double *y);
} BlockKernels;

const BlockKernels *blockKernels(Isa isa); // eigen_block.c
extern const BlockKernels blockKernels_base, blockKernels_avx2, blockKernels_avx512;

#endif
