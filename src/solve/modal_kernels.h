// The arithmetic of modes in motion, once per instruction set; blocks of MODAL_BLOCK vertices.
#ifndef SOLVE_MODAL_KERNELS_H
#define SOLVE_MODAL_KERNELS_H

#include "solve/modal.h"

typedef struct ModalKernels
{
    void (*load)(const Modal *modal, const double *x, int begin, int end); // the points of blocks
    void (*turn)(const Modal *modal, int begin, int end); // the rotations at their vertices, once all points are known
    void (*smooth)(const Modal *modal, int begin, int end); // and the means of these, once all rotations are
    double (*torn)(const Modal *modal, int begin, int end); // of blocks of tets, once all rotations are known
    void (*project)(const Modal *modal, const double *y, const double *mass, int begin, int end, double *q);
    void (*expand)(const Modal *modal, const double *q, const double *mass, int begin, int end, double *y);
} ModalKernels;

extern const ModalKernels modalKernels_base, modalKernels_avx2, modalKernels_avx512;

#endif
