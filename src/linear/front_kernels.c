#include "linear/front_kernels.h"
#include "base/simd.h"

#include <math.h>

// registers of this instruction set; double on the smallest one is split in two by the compiler
#if defined(__AVX512F__)
#define SINGLE_WIDTH 16
#define DOUBLE_WIDTH 8
#define TILE_LANES 3 // 24 sums of 32 registers
#elif defined(__AVX2__)
#define SINGLE_WIDTH 8
#define DOUBLE_WIDTH 4
#define TILE_LANES 1
#else
#define SINGLE_WIDTH 4
#define DOUBLE_WIDTH 4
#define TILE_LANES 1
#endif
#define TILE_COLUMNS 8

typedef double Double4 __attribute__((vector_size(32)));

#define UNROLL SIMD_UNROLL

#define STRIP 48 // rows that are taken together: a whole number of tiles in every set

// Products of two entries that are not flushed are normal numbers: nothing here ever meets a denormal one, whose
// arithmetic is a hundred times slower and which not every instruction set can switch off.
#define FLUSH_SINGLE 1.0842021724855044e-19f // 2^-63
#define FLUSH_DOUBLE 3.0549363634996047e-151 // 2^-500

#define REAL float
#define WIDTH SINGLE_WIDTH
#define INTEGER int32_t
#define SIGN INT32_MIN
#define TYPED(name) name##Single
#define FLUSH FLUSH_SINGLE
#define SQRT __builtin_sqrtf
#include "linear/front_dense.inc"
#include "linear/front_sweep.inc"
#include "linear/front_sweep_line.inc"
#define OUT float
#define OUT_ROUNDS 0
#define PACKED(name) name##Single
#include "linear/front_pack.inc"
#undef OUT
#undef PACKED
#undef REAL
#undef WIDTH
#undef INTEGER
#undef SIGN
#undef TYPED
#undef FLUSH
#undef SQRT

#define REAL double
#define WIDTH DOUBLE_WIDTH
#define INTEGER int64_t
#define SIGN INT64_MIN
#define TYPED(name) name##Double
#define FLUSH FLUSH_DOUBLE
#define SQRT __builtin_sqrt
#include "linear/front_dense.inc"
#include "linear/front_sweep.inc"
#include "linear/front_sweep_line.inc"
#define OUT double
#define PACKED(name) name##Double
#include "linear/front_pack.inc"
#undef OUT
#undef OUT_ROUNDS
#undef PACKED
#define OUT float
#define OUT_ROUNDS 1
#define PACKED(name) name##Rounded
#include "linear/front_pack.inc"

#define SWEEPS(real, place, type)                                                                                      \
    {                                                                                                                  \
        .realSize = sizeof(real), .placeSize = place, .load = load##type, .store = store##type,                        \
        .addTouched = addTouched##type, .copyTouched = copyTouched##type, .forward = forward##type,                    \
        .backward = backward##type                                                                                     \
    }

#define TABLE(type, real, rounded)                                                                                     \
    {                                                                                                                  \
        .realSize = sizeof(real), .clear = clear##type, .addEntries = addEntries##type, .addBlocks = addBlocks##type,  \
        .addChild = addChild##type, .factorDiagonal = factorDiagonal##type, .factorRows = factorRows##type,            \
        .invertBlocks = invertBlocks##type, .remainderRows = remainderRows##type, .addRemainder = addRemainder##type,  \
        .pack = pack##type, .packRounded = rounded, .largest = largestOf##type,                                        \
        .points = SWEEPS(real, 4 * sizeof(real), type), .line = SWEEPS(real, sizeof(real), Line##type),                \
    }

const FrontKernels KERNEL(frontSingle) = TABLE(Single, float, packSingle);
const FrontKernels KERNEL(frontDouble) = TABLE(Double, double, packRounded);
