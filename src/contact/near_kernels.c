#include "contact/near_kernels.h"

#include "base/simd.h"

_Static_assert(NEAR_LANES == 8, "pairs fill a Float8");

typedef struct Point8
{
    Float8 x, y, z;
} Point8;

SIMD_INLINE Point8 minus(Point8 a, Point8 b)
{
    return (Point8){ a.x - b.x, a.y - b.y, a.z - b.z };
}

SIMD_INLINE Point8 times(Float8 s, Point8 a)
{
    return (Point8){ s * a.x, s * a.y, s * a.z };
}

SIMD_INLINE Float8 dot(Point8 a, Point8 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SIMD_INLINE Point8 cross(Point8 a, Point8 b)
{
    return (Point8){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

SIMD_INLINE Float8 least(Float8 a, Float8 b)
{
    return float8Select(a < b, a, b);
}

SIMD_INLINE Float8 most(Float8 a, Float8 b)
{
    return float8Select(a > b, a, b);
}

SIMD_INLINE Point8 select(Int8 mask, Point8 a, Point8 b)
{
    return (Point8){ float8Select(mask, a.x, b.x), float8Select(mask, a.y, b.y), float8Select(mask, a.z, b.z) };
}

// A direction that is too short or wrong by rounding is one that tells less, no error.

// from an edge at the origin to a point
SIMD_INLINE Point8 fromEdge(Point8 edge, Point8 p)
{
    Float8 share = dot(p, edge) / dot(edge, edge);
    share = least(most(share, float8Set(0)), float8Set(1));
    return minus(p, times(share, edge));
}

SIMD_INLINE Point8 shorter(Point8 a, Point8 b)
{
    return select(dot(a, a) < dot(b, b), a, b);
}

// from a triangle to a point
SIMD_INLINE Point8 fromTriangle(const Point8 at[4])
{
    Point8 ab = minus(at[2], at[1]), ac = minus(at[3], at[1]), ap = minus(at[0], at[1]), n = cross(ab, ac);
    Float8 square = dot(n, n), b = dot(n, cross(ap, ac)), c = dot(n, cross(ab, ap));
    Int8 inside = (square > float8Set(0)) & (b >= float8Set(0)) & (c >= float8Set(0)) & (b + c <= square);
    Point8 gap = shorter(fromEdge(ab, ap), fromEdge(ac, ap));
    gap = shorter(gap, fromEdge(minus(at[3], at[2]), minus(at[0], at[2])));
    return select(inside, times(dot(n, ap) / square, n), gap);
}

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
