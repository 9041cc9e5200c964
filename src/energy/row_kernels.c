// Rows of a sweep as a substep begins, WIDE numbers at a time: the displacement of the last substep once more, and what
// pulls. The fourth of a row stays: its displacement and its pull are 0.
#include "energy/kernels.h"

#include "base/simd.h"

static void ahead(double *restrict row, double *restrict before, const double *restrict pull, ptrdiff_t count)
{
    ptrdiff_t i = 0;
    for (; i + WIDE <= count; i += WIDE)
    {
        DoubleWide now = wideLoad(row + i), next = now + ((now - wideLoad(before + i)) + wideLoad(pull + i));
        wideStore(before + i, now);
        wideStore(row + i, next);
    }
    for (; i < count; ++i)
    {
        double now = row[i], next = now + ((now - before[i]) + pull[i]);
        before[i] = now;
        row[i] = next;
    }
}

static void aheadSingle(float *restrict row, float *restrict before, const float *restrict pull, ptrdiff_t count)
{
    for (ptrdiff_t i = 0; i < count; i += 4)
    {
        Float4 now = float4Load(row + i), next = now + ((now - float4Load(before + i)) + float4Load(pull + i));
        float4Store(before + i, now);
        float4Store(row + i, next);
    }
}

const RowKernels KERNEL(rowKernels) = { ahead, aheadSingle };
