#include "shape/kinds.h"

// the nearest of the three edges: for slivers, whose plane is not known
static Vec3 nearestEdge(const double *corners, Vec3 point, Region *region)
{
    Vec3 best = vecLoad(corners);
    double least = INFINITY;
    for (int e = 0; e < 3; ++e)
    {
        int f = (e + 1) % 3;
        Vec3 a = pointAt(corners, e), along = vecSub(pointAt(corners, f), a);
        double square = vecDot(along, along), t = vecDot(vecSub(point, a), along);
        bool start = !(t > 0), end = t >= square;
        Vec3 q = start ? a : end ? pointAt(corners, f) : vecAdd(a, vecScale(t / square, along));
        Vec3 gap = vecSub(point, q);
        double distance = vecDot(gap, gap);
        if (distance < least)
        {
            least = distance;
            best = q;
            *region = (Region)(start ? REGION_CORNER0 + e : end ? REGION_CORNER0 + f : REGION_EDGE0 + e);
        }
    }
    return best;
}

// Ericson 2005, Real-Time Collision Detection, 5.1.5: the Voronoi region of each feature in turn
Vec3 triangleNearest(const double *corners, Vec3 point, Region *region)
{
    Vec3 a = vecLoad(corners), b = vecLoad(corners + 3), c = vecLoad(corners + 6);
    Vec3 ab = vecSub(b, a), ac = vecSub(c, a), ap = vecSub(point, a);
    double d1 = vecDot(ab, ap), d2 = vecDot(ac, ap);
    if (d1 <= 0 && d2 <= 0)
    {
        *region = REGION_CORNER0;
        return a;
    }
    Vec3 bp = vecSub(point, b);
    double d3 = vecDot(ab, bp), d4 = vecDot(ac, bp);
    if (d3 >= 0 && d4 <= d3)
    {
        *region = REGION_CORNER1;
        return b;
    }
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0 && d1 - d3 > 0)
    {
        *region = REGION_EDGE0;
        return vecAdd(a, vecScale(d1 / (d1 - d3), ab));
    }
    Vec3 cp = vecSub(point, c);
    double d5 = vecDot(ab, cp), d6 = vecDot(ac, cp);
    if (d6 >= 0 && d5 <= d6)
    {
        *region = REGION_CORNER2;
        return c;
    }
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0 && d2 - d6 > 0)
    {
        *region = REGION_EDGE2;
        return vecAdd(a, vecScale(d2 / (d2 - d6), ac));
    }
    double va = d3 * d6 - d5 * d4, toward = d4 - d3, back = d5 - d6;
    if (va <= 0 && toward >= 0 && back >= 0 && toward + back > 0)
    {
        *region = REGION_EDGE1;
        return vecAdd(b, vecScale(toward / (toward + back), vecSub(c, b)));
    }
    // inside all three; a sliver may lose its area to rounding
    double area = va + vb + vc, longest = vecDot(ab, ab) + vecDot(ac, ac);
    if (!(area > 1e-18 * longest * longest) || va < 0 || vb < 0 || vc < 0)
        return nearestEdge(corners, point, region);
    *region = REGION_FACE;
    return vecAdd(a, vecAdd(vecScale(vb / area, ab), vecScale(vc / area, ac)));
}

Vec3 triangleCross(const double *corners)
{
    Vec3 a = vecLoad(corners);
    return vecCross(vecSub(vecLoad(corners + 3), a), vecSub(vecLoad(corners + 6), a));
}

double triangleLongest(const double *corners)
{
    double longest = 0;
    for (int e = 0; e < 3; ++e)
    {
        Vec3 along = vecSub(pointAt(corners, (e + 1) % 3), pointAt(corners, e));
        longest = maxReal(longest, vecDot(along, along));
    }
    return longest;
}

// Moeller and Trumbore 1997. Edges count twice, by a hair: a ray must not slip through between two triangles
bool triangleCast(const double *corners, Vec3 origin, Vec3 direction, double *distance)
{
    const double hair = 1e-12;
    Vec3 a = vecLoad(corners), ab = vecSub(vecLoad(corners + 3), a), ac = vecSub(vecLoad(corners + 6), a);
    Vec3 side = vecCross(direction, ac), from = vecSub(origin, a);
    double area = vecDot(ab, side); // above 0: against the normal
    if (!(area > 0))
        return false;
    double u = vecDot(from, side);
    if (u < -hair * area || u > (1 + hair) * area)
        return false;
    Vec3 turn = vecCross(from, ab);
    double v = vecDot(direction, turn);
    if (v < -hair * area || u + v > (1 + hair) * area)
        return false;
    *distance = vecDot(ac, turn) / area;
    return *distance >= 0;
}

ShapeSample triangleSample(const double *corners, Vec3 unitNormal, Vec3 point, Vec3 nearest, double side)
{
    Vec3 gap = vecSub(point, nearest);
    double length = vecLength(gap), rise = vecDot(gap, unitNormal);
    // straight above the face the plane is exact; on an edge, and where the gap is rounding, the face's normal is as
    // good as any
    double rounding = 1e-12 * (fabs(nearest.x) + fabs(nearest.y) + fabs(nearest.z));
    if (fabs(rise) >= (1 - 1e-12) * length || length <= rounding)
        return (ShapeSample){ vecDot(vecSub(point, vecLoad(corners)), unitNormal), unitNormal, 0, -1 };
    return (ShapeSample){ side * length, vecScale(side / length, gap), 0, -1 };
}

void triangleCurvature(const double *corners, Region region, const ShapeSample *sample, Vec3 unitNormal, double *out)
{
    // nothing to divide by on the feature itself, and nothing bends over a face
    double scale = sqrt(triangleLongest(corners));
    if (region == REGION_FACE || fabs(sample->distance) < 1e-9 * scale ||
        fabs(vecDot(sample->normal, unitNormal)) >= 1 - 1e-12)
        return;
    Vec3 along = vec3(0, 0, 0);
    if (region <= REGION_EDGE2)
    {
        int e = (int)region - REGION_EDGE0;
        along = vecSub(pointAt(corners, (e + 1) % 3), pointAt(corners, e));
        along = vecScale(1 / vecLength(along), along);
    }
    curvatureAdd(out, 1 / sample->distance, sample->normal, along);
}
