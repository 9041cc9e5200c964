// What a kind and its vector kernels share: the table of functions that is compiled once per instruction set and the
// params it reads. In a kernel a lane never looks at its neighbours, so an element has the same bits in every block, at
// every width of the vectors and however blocks are cut into ranges.
#ifndef ENERGY_KERNELS_H
#define ENERGY_KERNELS_H

#include "energy/energy.h"

typedef struct ElementKernels
{
    void (*values)(Energy *energy, const double *x, int begin, int end);
    void (*gradient)(Energy *energy, const double *x, int begin, int end);
    void (*lineStart)(Energy *energy, const double *x, const double *d, int begin, int end);
    void (*lineValues)(Energy *energy, double alpha, int begin, int end);
    void (*project)(Energy *energy, const double *x, int begin, int end);
} ElementKernels;

extern const ElementKernels corotatedKernels_base, springKernels_base;
#if defined(VERVE_ISA_AVX2)
extern const ElementKernels corotatedKernels_avx2, springKernels_avx2;
#define KERNELS_AVX2(name) &name##_avx2
#else
#define KERNELS_AVX2(name) &name##_base
#endif
#if defined(VERVE_ISA_AVX512)
extern const ElementKernels corotatedKernels_avx512, springKernels_avx512;
#define KERNELS_AVX512(name) &name##_avx512
#else
#define KERNELS_AVX512(name) &name##_base
#endif

// initialiser of an array by Isa
#define KERNELS_BY_ISA(name)                                                                                           \
    {                                                                                                                  \
        &name##_base, KERNELS_AVX2(name), KERNELS_AVX512(name)                                                         \
    }

// ---- params and what is kept, by kind --------------------------------------------------------------------------------

enum CorotatedParam
{
    TET_VOLUME,
    TET_MU,
    TET_LAMBDA,
    TET_INVERSE, // of the rest edge matrix, 9 numbers row major
    TET_PARAMS = TET_INVERSE + 9,
    TET_LINE = 18,    // F and its change along the line, 9 numbers column major each
    TET_ROTATION = 4, // kept: the quaternion w, x, y, z of the rotation found last
};

#define PAIR_PARAMS 2 // weight N/m, rest length m
#define PAIR_LINE 6   // x1 - x0 at the start, and its change

#endif
