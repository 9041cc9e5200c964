#include "contact/plane_kernels.h"

#include "base/simd.h"

#include <math.h>

typedef struct Points
{
    DoubleWide x, y, z;
} Points;

SIMD_INLINE Points minus(Points a, Points b)
{
    return (Points){ a.x - b.x, a.y - b.y, a.z - b.z };
}

SIMD_INLINE Points plus(Points a, Points b)
{
    return (Points){ a.x + b.x, a.y + b.y, a.z + b.z };
}

SIMD_INLINE Points times(DoubleWide s, Points a)
{
    return (Points){ s * a.x, s * a.y, s * a.z };
}

SIMD_INLINE DoubleWide dot(Points a, Points b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

SIMD_INLINE Points cross(Points a, Points b)
{
    return (Points){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

SIMD_INLINE Points choose(LongWide mask, Points a, Points b)
{
    return (Points){ wideSelect(mask, a.x, b.x), wideSelect(mask, a.y, b.y), wideSelect(mask, a.z, b.z) };
}

SIMD_INLINE DoubleWide least(DoubleWide a, DoubleWide b)
{
    return wideSelect(a < b, a, b);
}

SIMD_INLINE DoubleWide most(DoubleWide a, DoubleWide b)
{
    return wideSelect(a > b, a, b);
}

SIMD_INLINE DoubleWide size(DoubleWide a) // without its sign
{
    return (DoubleWide)((LongWide)a & INT64_MAX);
}

SIMD_INLINE Points zero(void)
{
    return (Points){ wideSet(0), wideSet(0), wideSet(0) };
}

SIMD_INLINE Points gather(const double *x, const int *row)
{
    DoubleWide out[3];
    wideGather3(x, row, out);
    return (Points){ out[0], out[1], out[2] };
}

// ---- nearest points: as closest.c has them, operation by operation --------------------------------------------------

typedef struct Nearest
{
    DoubleWide weight[4], distance;
    Points normal;
} Nearest;

// the sum of corners, by the sizes of their weights
SIMD_INLINE Points sumOf(const Points *corner, const DoubleWide *weight, const int begin, const int end)
{
    Points sum = zero();
    SIMD_UNROLL
    for (int k = begin; k < end; ++k)
        sum = plus(sum, times(size(weight[k]), corner[k]));
    return sum;
}

// `inside`: lanes with a common normal `across`
SIMD_INLINE Nearest finish(const Points at[4], const int first, const DoubleWide weight[4], LongWide inside,
                           Points across)
{
    Points local[4] = { zero(), minus(at[1], at[0]), minus(at[2], at[0]), minus(at[3], at[0]) };
    Points gap = minus(sumOf(local, weight, 0, first), sumOf(local, weight, first, 4));
    DoubleWide length = wideSqrt(dot(across, across)), along = dot(gap, across) / length;
    DoubleWide sign = wideSelect(along < wideSet(0), wideSet(-1), wideSet(1));
    DoubleWide distance = wideSqrt(dot(gap, gap));
    Points apart = choose(distance > wideSet(0), times(wideSet(1) / distance, gap), zero());
    Nearest nearest = { .distance = wideSelect(inside, size(along), distance),
                        .normal = choose(inside, times(sign / length, across), apart) };
    SIMD_UNROLL
    for (int k = 0; k < 4; ++k)
        nearest.weight[k] = weight[k];
    return nearest;
}

// the nearest point of an edge, as a share of its second end, and the square of its distance
SIMD_INLINE DoubleWide alongEdge(Points a, Points b, Points p, DoubleWide *square)
{
    Points along = minus(b, a);
    DoubleWide whole = dot(along, along), t = dot(minus(p, a), along), share = t / whole;
    share = wideSelect(t >= whole, wideSet(1), share);
    share = wideSelect(t > wideSet(0), share, wideSet(0));
    Points gap = minus(p, plus(a, times(share, along)));
    *square = dot(gap, gap);
    return share;
}

SIMD_INLINE Nearest ofTriangle(const Points at[4])
{
    const DoubleWide none = wideSet(0), one = wideSet(1);
    Points ab = minus(at[2], at[1]), ac = minus(at[3], at[1]), n = cross(ab, ac), ap = minus(at[0], at[1]);
    DoubleWide square = dot(n, n), best = wideSet(INFINITY), weight[4] = { one, none, none, none };
    DoubleWide c = dot(n, cross(ab, ap)) / square, b = dot(n, cross(ap, ac)) / square, a = one - b - c;
    LongWide inside = (square > wideSet(PLANE_FLAT) * dot(ab, ab) * dot(ac, ac)) & (a >= none) & (b >= none);
    inside &= c >= none;
    SIMD_UNROLL
    for (int e = 0; e < 3; ++e)
    {
        const int i = 1 + e, j = 1 + (e + 1) % 3, k = 1 + (e + 2) % 3;
        DoubleWide away, t = alongEdge(at[i], at[j], at[0], &away);
        LongWide nearer = away < best;
        best = wideSelect(nearer, away, best);
        weight[i] = wideSelect(nearer, t - one, weight[i]);
        weight[j] = wideSelect(nearer, -t, weight[j]);
        weight[k] = wideSelect(nearer, none, weight[k]);
    }
    weight[1] = wideSelect(inside, -a, weight[1]);
    weight[2] = wideSelect(inside, -b, weight[2]);
    weight[3] = wideSelect(inside, -c, weight[3]);
    return finish(at, 1, weight, inside, n);
}

SIMD_INLINE Nearest ofEdges(const Points at[4])
{
    const DoubleWide none = wideSet(0), one = wideSet(1);
    Points d = minus(at[1], at[0]), e = minus(at[3], at[2]), r = minus(at[0], at[2]), n = cross(d, e);
    DoubleWide dd = dot(d, d), ee = dot(e, e), de = dot(d, e), square = dot(n, n), dr = dot(d, r), er = dot(e, r);
    DoubleWide s = (de * er - ee * dr) / square, t = (dd * er - de * dr) / square;
    LongWide inside = (square > wideSet(PLANE_FLAT) * dd * ee) & (s >= none) & (s <= one) & (t >= none) & (t <= one);
    DoubleWide best = wideSet(INFINITY), sBest = none, tBest = none;
    SIMD_UNROLL
    for (int k = 0; k < 4; ++k)
    {
        const int i = k < 2 ? 2 : 0; // an end of the first, along the second
        DoubleWide away, u = alongEdge(at[i], at[i + 1], at[k], &away);
        LongWide nearer = away < best;
        best = wideSelect(nearer, away, best);
        sBest = wideSelect(nearer, k < 2 ? wideSet(k) : u, sBest);
        tBest = wideSelect(nearer, k < 2 ? u : wideSet(k - 2), tBest);
    }
    s = wideSelect(inside, s, sBest);
    t = wideSelect(inside, t, tBest);
    DoubleWide weight[4] = { one - s, s, t - one, -t };
    return finish(at, 2, weight, inside, n);
}

// ---- planes ---------------------------------------------------------------------------------------------------------

SIMD_INLINE void makePlanes(const double *x, const PlaneLanes *lanes, double *plane, const int first)
{
    for (int lane = 0; lane < PLANE_LANES; lane += WIDE)
    {
        Points at[4], foot = zero();
        DoubleWide slack[4];
        SIMD_UNROLL
        for (int k = 0; k < 4; ++k)
            at[k] = gather(x, lanes->vertex[k] + lane);
        Nearest nearest = first == 1 ? ofTriangle(at) : ofEdges(at);
        SIMD_UNROLL
        for (int k = first; k < 4; ++k)
            foot = plus(foot, times(-nearest.weight[k], minus(at[k], at[first])));
        DoubleWide level = wideSet(0.5) * nearest.distance;
        SIMD_UNROLL
        for (int k = 0; k < 4; ++k)
        {
            DoubleWide above = dot(nearest.normal, minus(minus(at[k], at[first]), foot)) - level;
            slack[k] = most(k < first ? above : -above, wideSet(0));
        }
        DoubleWide normal[4] = { nearest.normal.x, nearest.normal.y, nearest.normal.z, nearest.distance };
        wideStorePlaces(plane + PLANE_WEIGHT, lanes->place + lane, nearest.weight);
        wideStorePlaces(plane + PLANE_NORMAL, lanes->place + lane, normal);
        wideStorePlaces(plane + PLANE_SLACK, lanes->place + lane, slack);
    }
}

static void vertexTriangle(const double *x, const PlaneLanes *lanes, double *plane)
{
    makePlanes(x, lanes, plane, 1);
}

static void edges(const double *x, const PlaneLanes *lanes, double *plane)
{
    makePlanes(x, lanes, plane, 2);
}

static void reach(const double *z, const double *velocity, double h, const PlaneLanes *lanes, const double *plane,
                  double *gap, double *ahead)
{
    for (int lane = 0; lane < PLANE_LANES; lane += WIDE)
    {
        DoubleWide weight[4], normal[4], kept[4];
        Points apart = zero(), rate = zero();
        wideLoadPlaces(plane + PLANE_WEIGHT, lanes->place + lane, weight);
        wideLoadPlaces(plane + PLANE_NORMAL, lanes->place + lane, normal);
        wideLoadPlaces(plane + PLANE_SHIFT, lanes->place + lane, kept);
        SIMD_UNROLL
        for (int k = 0; k < 4; ++k)
        {
            apart = plus(apart, times(weight[k], gather(z, lanes->vertex[k] + lane)));
            rate = plus(rate, times(weight[k], gather(velocity, lanes->vertex[k] + lane)));
        }
        Points n = { normal[0], normal[1], normal[2] };
        DoubleWide here = dot(n, apart) - kept[2];
        wideStore(gap + lane, here);
        wideStore(ahead + lane, here + wideSet(h) * least(dot(n, rate), wideSet(0)));
    }
}

static void place(const double *move, const double *second, const PlaneLanes *lanes, const double *plane, double *shift,
                  double *beyond)
{
    for (int lane = 0; lane < PLANE_LANES; lane += WIDE)
    {
        DoubleWide weight[4], normal[4], slack[4], kept[4], along[4], sum = wideSet(0), over = wideSet(-INFINITY);
        wideLoadPlaces(plane + PLANE_WEIGHT, lanes->place + lane, weight);
        wideLoadPlaces(plane + PLANE_NORMAL, lanes->place + lane, normal);
        wideLoadPlaces(plane + PLANE_SLACK, lanes->place + lane, slack);
        wideLoadPlaces(plane + PLANE_SHIFT, lanes->place + lane, kept);
        Points n = { normal[0], normal[1], normal[2] };
        SIMD_UNROLL
        for (int k = 0; k < 4; ++k)
        {
            along[k] = dot(n, gather(move, lanes->vertex[k] + lane));
            sum += size(weight[k]) * along[k];
        }
        DoubleWide by = wideSet(0.5) * sum, side = wideLoad(second + lane);
        wideStore(shift + lane, by);
        SIMD_UNROLL
        for (int k = 0; k < 4; ++k)
        {
            DoubleWide sign = k == 0 ? wideSet(-1) : k == 1 ? side : wideSet(1);
            DoubleWide left = least(slack[k], most(wideSet(PLANE_KEPT) * slack[k], wideSet(PLANE_FLOOR) * kept[2]));
            over = most(over, sign * (along[k] - by) - (slack[k] - left));
        }
        wideStore(beyond + lane, over);
    }
}

const PlaneKernels KERNEL(planeKernels) = { vertexTriangle, edges, reach, place };
