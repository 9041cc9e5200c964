#include "contact/near_kernels.h"

#include "contact/lanes.h"

_Static_assert(NEAR_LANES == 8, "pairs fill a Float8");

// A direction that is too short or wrong by rounding is one that tells less, no error.

// from the second edge to the first
SIMD_INLINE Point8 betweenEdges(const Point8 at[4])
{
    Point8 d = minus(at[1], at[0]), e = minus(at[3], at[2]), r = minus(at[0], at[2]), n = cross(d, e);
    Float8 dd = dot(d, d), ee = dot(e, e), de = dot(d, e), dr = dot(d, r), er = dot(e, r), square = dot(n, n);
    Float8 s = de * er - ee * dr, t = dd * er - de * dr, none = float8Set(0);
    Int8 inside = (square > none) & (s >= none) & (s <= square) & (t >= none) & (t <= square);
    Point8 gap = shorter(fromEdge(e, r), fromEdge(e, minus(at[1], at[2])));
    Point8 back = shorter(fromEdge(d, minus(at[2], at[0])), fromEdge(d, minus(at[3], at[0])));
    gap = shorter(gap, times(float8Set(-1), back));
    return select(inside, times(dot(n, r) / square, n), gap);
}

SIMD_INLINE unsigned mayMeet(const NearField *field, const NearLanes *lanes, const int first)
{
    Point8 at[4], by[4];
    Float8 slack[4], time = float8Set(0);
    SIMD_UNROLL
    for (int k = 0; k < 4; ++k)
    {
        Float8 row[4];
        float8LoadRows(field->row, lanes->row[k], row);
        at[k] = (Point8){ row[0], row[1], row[2] };
        slack[k] = row[3];
        float8LoadRows(field->row + 4, lanes->row[k], row);
        by[k] = (Point8){ row[0], row[1], row[2] };
        time = k == 0 ? row[3] : least(time, row[3]);
    }
    Point8 along = first == 1 ? fromTriangle(at) : betweenEdges(at), origin = at[3];
    Float8 lowest = dot(along, minus(at[0], origin)), highest = float8Set(0); // of the first, of the second
    Float8 slowest = dot(along, by[0]), fastest = dot(along, by[3]), own = slack[0], other = slack[3];
    SIMD_UNROLL
    for (int k = 1; k < 3; ++k)
    {
        Float8 level = dot(along, minus(at[k], origin)), move = dot(along, by[k]);
        if (k < first)
        {
            lowest = least(lowest, level);
            slowest = least(slowest, move);
            own = most(own, slack[k]);
        }
        else
        {
            highest = most(highest, level);
            fastest = most(fastest, move);
            other = most(other, slack[k]);
        }
    }
    Float8 apart = lowest - highest - time * most(fastest - slowest, float8Set(0));
    Float8 near = float8Load(lanes->range) + own + other + float8Set(field->doubt);
    return ~float8Lanes(apart > near * float8Sqrt(dot(along, along))) & 0xffu;
}

static unsigned vertexTriangle(const NearField *field, const NearLanes *lanes)
{
    return mayMeet(field, lanes, 1);
}

static unsigned edges(const NearField *field, const NearLanes *lanes)
{
    return mayMeet(field, lanes, 2);
}

const NearKernels KERNEL(nearKernels) = { vertexTriangle, edges };
