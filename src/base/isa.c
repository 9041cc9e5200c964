#include "base/isa.h"

int isaAvailable(Isa isa)
{
    switch (isa)
    {
    case ISA_BASE:
        return 1;
#if defined(VERVE_ISA_AVX2)
    case ISA_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#if defined(VERVE_ISA_AVX512)
    case ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
    default:
        return 0;
    }
}

Isa isaBest(void)
{
    Isa best = ISA_BASE;
    for (int isa = ISA_BASE; isa < ISA_COUNT; ++isa)
    {
        if (isaAvailable((Isa)isa))
            best = (Isa)isa;
    }
    return best;
}

const char *isaName(Isa isa)
{
    static const char *const names[ISA_COUNT] = { "base", "avx2", "avx512" };
    return isa >= 0 && isa < ISA_COUNT ? names[isa] : "unknown";
}
