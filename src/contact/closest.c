#include "contact/proximity.h"

static Vec3 pointOf(const Vec3 corner[4], const double *weight, int begin, int end)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int k = begin; k < end; ++k)
        sum = vecAdd(sum, vecScale(fabs(weight[k]), corner[k]));
    return sum;
}

// Given the weights. `across`: a common normal of both, exact however close they are; 0: there is none
static Closest finish(const Vec3 corner[4], int first, const double *weight, Vec3 across)
{
    Closest closest = { .weight = { weight[0], weight[1], weight[2], weight[3] } };
    // relative to a corner: differences of large numbers are small
    Vec3 local[4] = { vec3(0, 0, 0) };
    for (int k = 1; k < 4; ++k)
        local[k] = vecSub(corner[k], corner[0]);
    Vec3 gap = vecSub(pointOf(local, weight, 0, first), pointOf(local, weight, first, 4));
    double length = vecLength(across);
    if (length > 0)
    {
        double along = vecDot(gap, across) / length;
        closest.distance = fabs(along);
        closest.normal = vecScale((along < 0 ? -1 : 1) / length, across);
        return closest;
    }
    closest.distance = vecLength(gap);
    if (closest.distance > 0)
        closest.normal = vecScale(1 / closest.distance, gap);
    return closest;
}

// the nearest point of an edge, as a share of its second end
static double alongEdge(Vec3 a, Vec3 b, Vec3 p)
{
    Vec3 along = vecSub(b, a);
    double square = vecDot(along, along), t = vecDot(vecSub(p, a), along);
    return !(t > 0) ? 0 : t >= square ? 1 : t / square;
}

static double distance2(Vec3 a, Vec3 b, double t, Vec3 p)
{
    Vec3 gap = vecSub(p, vecAdd(a, vecScale(t, vecSub(b, a))));
    return vecDot(gap, gap);
}

Closest closestVertexTriangle(const Vec3 corner[4])
{
    Vec3 p = corner[0], ab = vecSub(corner[2], corner[1]), ac = vecSub(corner[3], corner[1]);
    Vec3 n = vecCross(ab, ac), ap = vecSub(p, corner[1]);
    double square = vecDot(n, n);
    if (square > PLANE_FLAT * vecDot(ab, ab) * vecDot(ac, ac))
    {
        double c = vecDot(n, vecCross(ab, ap)) / square, b = vecDot(n, vecCross(ap, ac)) / square, a = 1 - b - c;
        if (a >= 0 && b >= 0 && c >= 0)
            return finish(corner, 1, (double[4]){ 1, -a, -b, -c }, n);
    }
    double best = INFINITY, weight[4] = { 1, 0, 0, 0 };
    for (int e = 0; e < 3; ++e)
    {
        int i = 1 + e, j = 1 + (e + 1) % 3;
        double t = alongEdge(corner[i], corner[j], p), square2 = distance2(corner[i], corner[j], t, p);
        if (!(square2 < best))
            continue;
        best = square2;
        weight[1] = weight[2] = weight[3] = 0;
        weight[i] = t - 1;
        weight[j] = -t;
    }
    return finish(corner, 1, weight, vec3(0, 0, 0));
}

// One end of one edge is nearest, or both are nearest within; all are tried, so that parallel edges are no exception.
Closest closestEdges(const Vec3 corner[4])
{
    Vec3 d = vecSub(corner[1], corner[0]), e = vecSub(corner[3], corner[2]), r = vecSub(corner[0], corner[2]);
    Vec3 n = vecCross(d, e);
    double dd = vecDot(d, d), ee = vecDot(e, e), de = vecDot(d, e), square = vecDot(n, n);
    if (square > PLANE_FLAT * dd * ee)
    {
        double dr = vecDot(d, r), er = vecDot(e, r);
        double s = (de * er - ee * dr) / square, t = (dd * er - de * dr) / square;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1)
            return finish(corner, 2, (double[4]){ 1 - s, s, t - 1, -t }, n);
    }
    double best = INFINITY, s = 0, t = 0;
    for (int k = 0; k < 4; ++k)
    {
        bool first = k < 2; // an end of the first, along the second
        int i = first ? 2 : 0;
        double u = alongEdge(corner[i], corner[i + 1], corner[k]),
               square2 = distance2(corner[i], corner[i + 1], u, corner[k]);
        if (!(square2 < best))
            continue;
        best = square2;
        s = first ? k : u;
        t = first ? u : k - 2;
    }
    return finish(corner, 2, (double[4]){ 1 - s, s, t - 1, -t }, vec3(0, 0, 0));
}
