// Points in eight lanes of single precision, and what is nearest to them.
#ifndef CONTACT_LANES_H
#define CONTACT_LANES_H

#include "base/simd.h"

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

// from a triangle, corners 1 to 3, to a point, the first
SIMD_INLINE Point8 fromTriangle(const Point8 at[4])
{
    Point8 ab = minus(at[2], at[1]), ac = minus(at[3], at[1]), ap = minus(at[0], at[1]), n = cross(ab, ac);
    Float8 square = dot(n, n), b = dot(n, cross(ap, ac)), c = dot(n, cross(ab, ap));
    Int8 inside = (square > float8Set(0)) & (b >= float8Set(0)) & (c >= float8Set(0)) & (b + c <= square);
    Point8 gap = shorter(fromEdge(ab, ap), fromEdge(ac, ap));
    gap = shorter(gap, fromEdge(minus(at[3], at[2]), minus(at[0], at[2])));
    return select(inside, times(dot(n, ap) / square, n), gap);
}

#endif
