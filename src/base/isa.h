// Instruction sets. Kernel sources are compiled once per set and the table for a set is chosen when a world is created.
// Lanes have the same logical width in all of them and nothing is contracted, so all give the same bits.
#ifndef BASE_ISA_H
#define BASE_ISA_H

typedef enum Isa
{
    ISA_BASE,   // what the compiler targets anyway: SSE2 on x86-64, NEON on ARM, SIMD128 or scalar code in WebAssembly
    ISA_AVX2,   //
    ISA_AVX512, // F, DQ, BW, VL
    ISA_COUNT,
} Isa;

Isa isaBest(void);            // the best this machine and this build have
int isaAvailable(Isa isa);    // built in, and the machine has it
const char *isaName(Isa isa); // "base", "avx2", "avx512"

#endif
