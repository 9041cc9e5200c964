#include "contact/flat_kernels.h"

#include "base/simd.h"

#include <string.h>

_Static_assert(FLAT_LANES == 8, "facets fill a Float8");

static void gradient(const float *row, FlatPack *pack, float sum[6])
{
    Float8 at[3][4], by[3][4];
    int rows[FLAT_LANES];
    SIMD_UNROLL
    for (int c = 0; c < 3; ++c)
    {
        for (int i = 0; i < FLAT_LANES; ++i)
            rows[i] = 2 * pack->corner[c][i];
        float8LoadRows(row, rows, at[c]);
        float8LoadRows(row + 4, rows, by[c]);
    }
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a)
    {
        Float8 side[2] = { at[1][a] - at[0][a], at[2][a] - at[0][a] };
        Float8 move[2] = { by[1][a] - by[0][a], by[2][a] - by[0][a] };
        SIMD_UNROLL
        for (int k = 0; k < 2; ++k)
        {
            Float8 first = float8Load(pack->inverse[k]), second = float8Load(pack->inverse[2 + k]);
            Float8 from = side[0] * first + side[1] * second, to = from + (move[0] * first + move[1] * second);
            memcpy(pack->gradient[0][3 * k + a], &from, sizeof from);
            memcpy(pack->gradient[1][3 * k + a], &to, sizeof to);
            if (sum != NULL)
                sum[3 * k + a] += float8Sum(from);
        }
    }
}

SIMD_INLINE Int8 isAbove(const FlatQuestion *q, const float F[6][FLAT_LANES])
{
    Float8 first[3], second[3], least = float8Set(q->least), half = float8Set(0.5f);
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a)
    {
        first[a] = float8Load(F[a]);
        second[a] = float8Load(F[3 + a]);
    }
    const float *r = q->frame, *s = q->frame + 3;
    Float8 along = first[0] * float8Set(r[0]) + first[1] * float8Set(r[1]) + first[2] * float8Set(r[2]) - least;
    Float8 across = second[0] * float8Set(s[0]) + second[1] * float8Set(s[1]) + second[2] * float8Set(s[2]) - least;
    Float8 shear = half * (second[0] * float8Set(r[0]) + second[1] * float8Set(r[1]) + second[2] * float8Set(r[2]) +
                           first[0] * float8Set(s[0]) + first[1] * float8Set(s[1]) + first[2] * float8Set(s[2]));
    return (along > float8Set(0)) & (across > float8Set(0)) & (along * across > shear * shear);
}

static bool holds(const FlatQuestion *question, const FlatPack *pack, int count)
{
    Int8 all = { -1, -1, -1, -1, -1, -1, -1, -1 };
    for (int i = 0; i < count; ++i)
        all &= isAbove(question, pack[i].gradient[0]) & isAbove(question, pack[i].gradient[1]);
    return float8Lanes(all) == 0xffu;
}

const FlatKernels KERNEL(flatKernels) = { gradient, holds };
