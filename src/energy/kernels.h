// What a kind and its vector kernels share: the table of functions that is compiled once per instruction set and the
// params it reads. In a kernel a lane never looks at its neighbours, so an element has the same bits in every block, at
// every width of the vectors and however blocks are cut into ranges.
#ifndef ENERGY_KERNELS_H
#define ENERGY_KERNELS_H

#include "energy/sweep.h"

typedef struct ElementKernels
{
    void (*values)(Energy *energy, const double *x, int begin, int end);
    void (*gradient)(Energy *energy, const double *x, int begin, int end);
    void (*lineStart)(Energy *energy, const double *x, const double *d, int begin, int end);
    void (*lineValues)(Energy *energy, double alpha, int begin, int end);
    void (*project)(Energy *energy, const double *x, int begin, int end);
} ElementKernels;

extern const ElementKernels corotatedKernels_base, springKernels_base;
extern const SweepKernels springSweeps_base, squaredSpringSweeps_base, corotatedSweeps_base, linearTetSweeps_base,
    neoHookeanSweeps_base;
#if defined(VERVE_ISA_AVX2)
extern const ElementKernels corotatedKernels_avx2, springKernels_avx2;
extern const SweepKernels springSweeps_avx2, squaredSpringSweeps_avx2, corotatedSweeps_avx2, linearTetSweeps_avx2,
    neoHookeanSweeps_avx2;
#define KERNELS_AVX2(name) &name##_avx2
#else
#define KERNELS_AVX2(name) &name##_base
#endif
#if defined(VERVE_ISA_AVX512)
extern const ElementKernels corotatedKernels_avx512, springKernels_avx512;
extern const SweepKernels springSweeps_avx512, squaredSpringSweeps_avx512, corotatedSweeps_avx512,
    linearTetSweeps_avx512, neoHookeanSweeps_avx512;
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

// ---- constants of sweeps -----------------------------------------------------------------------------------------------

enum PairConstant
{
    PAIR_LENGTH,     // m
    PAIR_INVERSE,    // kg: 1 / ((1 + gamma) sum of w + compliance)
    PAIR_COMPLIANCE, // 1/kg, over h^2
    PAIR_GAMMA,      // 1
    PAIR_STIFFNESS,  // N/m, for the books of damping
    PAIR_CONSTANTS,
};

enum TetConstant
{
    CELL_INVERSE,                        // 9: of the rest edge matrix, row major
    CELL_BLOCK = CELL_INVERSE + 9,       // 21: inverse of the 6x6 block, upper triangle by rows
    CELL_COMPLIANCE = CELL_BLOCK + 21,   // 3: normal, between normals, shear; over V h^2
    CELL_GAMMA = CELL_COMPLIANCE + 3,    // 1
    CELL_STIFFNESS,                      // 2: V (lambda), V mu, for the books of damping
    CELL_CONSTANTS = CELL_STIFFNESS + 2, //
};

enum NeoHookeanConstant
{
    HOOKEAN_INVERSE,                    // 9
    HOOKEAN_REST = HOOKEAN_INVERSE + 9, // 1 + mu / lambda'
    HOOKEAN_VOLUME_COMPLIANCE,          // over V h^2
    HOOKEAN_SHEAR_COMPLIANCE,           //
    HOOKEAN_ACTS,                       // 0: off, or nothing can move
    HOOKEAN_CONSTANTS,
};

#endif
