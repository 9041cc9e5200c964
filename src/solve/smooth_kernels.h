// The arithmetic of smooth motion, once per instruction set; blocks of SMOOTH_BLOCK vertices.
#ifndef SOLVE_SMOOTH_KERNELS_H
#define SOLVE_SMOOTH_KERNELS_H

#include "solve/smooth.h"

#define SMOOTH_TASK 64 // blocks of a task

typedef struct SmoothKernels
{
    void (*project)(const Smooth *smooth, const double *y, const double *mass, int begin, int end, double *q);
    void (*expand)(const Smooth *smooth, const double *r, int begin, int end, double *y);
    void (*tensors)(const Smooth *smooth, const double *x, int begin, int end); // of patches
    void (*stiffness)(const Smooth *smooth, int which, double *part);           // one block of H, from the tensors
} SmoothKernels;

extern const SmoothKernels smoothKernels_base, smoothKernels_avx2, smoothKernels_avx512;

#endif
