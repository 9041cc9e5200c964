// The long sums of Lanczos' iteration, once per instruction set, with the same bits in all of them.
#ifndef LINEAR_EIGEN_KERNELS_H
#define LINEAR_EIGEN_KERNELS_H

#include "base/base.h"

typedef struct EigenKernels
{
    // overlap[k] = other[k] . heavy
    void (*overlaps)(const double *const *other, int count, const double *heavy, int size, double *overlap);
    // sum += scale times the sum of weight[k] other[k]
    void (*combine)(const double *const *other, int count, const double *weight, double scale, int size, double *sum);
} EigenKernels;

extern const EigenKernels eigenKernels_base, eigenKernels_avx2, eigenKernels_avx512;

#endif
