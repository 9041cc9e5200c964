#include "contact/box_kernels.h"

#include "base/simd.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

_Static_assert(BOX_LANES == 8, "boxes fill a Float8");

// lanes that nobody uses have boxes that nothing overlaps
static void refitPack(const float *box, BoxPack *pack)
{
    Float8 lower[4], upper[4], at[4];
    Int8 first, unused;
    int row[BOX_LANES];
    memcpy(&first, pack->corner[0], sizeof first);
    unused = first < 0;
    // all features of a pack have as many corners as the first
    for (int k = 0; k < 3 && pack->corner[k][0] >= 0; ++k)
    {
        for (int i = 0; i < BOX_LANES; ++i)
            row[i] = pack->corner[k][i] >= 0 ? 2 * pack->corner[k][i] : 0;
        float8LoadRows(box, row, k == 0 ? lower : at);
        for (int a = 0; a < 3 && k > 0; ++a)
            lower[a] = float8Select(at[a] < lower[a], at[a], lower[a]);
        float8LoadRows(box + 4, row, k == 0 ? upper : at);
        for (int a = 0; a < 3 && k > 0; ++a)
            upper[a] = float8Select(at[a] > upper[a], at[a], upper[a]);
    }
    for (int a = 0; a < 3; ++a)
    {
        lower[a] = float8Select(unused, float8Set(INFINITY), lower[a]);
        upper[a] = float8Select(unused, float8Set(-INFINITY), upper[a]);
        memcpy(pack->lower[a], &lower[a], sizeof lower[a]);
        memcpy(pack->upper[a], &upper[a], sizeof upper[a]);
    }
}

static void refit(const float *box, BoxPack *pack, int count)
{
    for (int i = 0; i < count; ++i)
        refitPack(box, &pack[i]);
}

SIMD_INLINE Int8 overlap(const BoxPack *pack, const float lower[3], const float upper[3])
{
    Int8 meets = { -1, -1, -1, -1, -1, -1, -1, -1 };
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a)
        meets &=
            (float8Set(lower[a]) <= float8Load(pack->upper[a])) & (float8Load(pack->lower[a]) <= float8Set(upper[a]));
    return meets;
}

SIMD_INLINE Int8 shareCorner(const BoxPack *pack, const int corner[3])
{
    Int8 shares = { 0 };
    for (int i = 0; i < 3 && corner[i] >= 0; ++i)
    {
        Int8 own = { 0 }, other;
        own += corner[i];
        SIMD_UNROLL
        for (int k = 0; k < 3; ++k)
        {
            memcpy(&other, pack->corner[k], sizeof other);
            shares |= other == own;
        }
    }
    return shares;
}

// of one lane
static int meetLane(const BoxQuery *query, int pack, int lane, BoxPair *pair)
{
    const BoxPack *own = &query->a[pack];
    float lower[3], upper[3];
    for (int a = 0; a < 3; ++a)
    {
        lower[a] = own->lower[a][lane] + query->closer;
        upper[a] = own->upper[a][lane] - query->closer;
    }
    const int corner[3] = { own->corner[0][lane], own->corner[1][lane], own->corner[2][lane] };
    bool same = query->a == query->b, all = !query->marked || (own->marks >> lane & 1) != 0;
    int count = 0;
    for (int i = same ? pack : 0; i < query->countB; ++i)
    {
        const BoxPack *other = &query->b[i];
        if (!all && other->marks == 0)
            continue;
        unsigned lanes = float8Lanes(overlap(other, lower, upper));
        lanes &= all ? ~0u : other->marks;
        if (same && i == pack)
            lanes &= ~0u << (lane + 1);
        if (lanes != 0 && query->within)
            lanes &= ~float8Lanes(shareCorner(other, corner));
        for (; lanes != 0; lanes &= lanes - 1)
            pair[count++] = (BoxPair){ own->number[lane], other->number[__builtin_ctz(lanes)] };
    }
    return count;
}

static int meet(const BoxQuery *query, BoxPair *pair)
{
    int count = 0;
    unsigned marks = query->marked ? 0 : ~0u;
    float lower[3], upper[3];
    for (int a = 0; a < 3; ++a)
    {
        lower[a] = query->lowerB[a] + query->closer;
        upper[a] = query->upperB[a] - query->closer;
    }
    for (int i = 0; i < query->countB; ++i)
        marks |= query->b[i].marks;
    for (int i = 0; i < query->countA; ++i)
    {
        unsigned lanes = marks != 0 || query->a[i].marks != 0 ? ~0u : 0;
        if (lanes != 0)
            lanes = float8Lanes(overlap(&query->a[i], lower, upper));
        lanes &= marks != 0 ? ~0u : query->a[i].marks;
        for (; lanes != 0; lanes &= lanes - 1)
            count += meetLane(query, i, __builtin_ctz(lanes), pair + count);
    }
    return count;
}

const BoxKernels KERNEL(boxKernels) = { refit, meet };
