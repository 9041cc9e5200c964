#include "shape/facet.h"
#include "shape/shape.h"

TurnedBox turnedBox(vvBox box)
{
    return (TurnedBox){ .centre = vecScale(0.5, vecAdd(box.lower, box.upper)),
                        .axes = matIdentity(),
                        .half = vecScale(0.5, vecSub(box.upper, box.lower)) };
}

vvBox turnedBounds(const TurnedBox *box)
{
    const double(*m)[3] = box->axes.m;
    Vec3 reach = { fabs(m[0][0]) * box->half.x + fabs(m[0][1]) * box->half.y + fabs(m[0][2]) * box->half.z,
                   fabs(m[1][0]) * box->half.x + fabs(m[1][1]) * box->half.y + fabs(m[1][2]) * box->half.z,
                   fabs(m[2][0]) * box->half.x + fabs(m[2][1]) * box->half.y + fabs(m[2][2]) * box->half.z };
    return (vvBox){ vecSub(box->centre, reach), vecAdd(box->centre, reach) };
}

// ---- nearest points -------------------------------------------------------------------------------------------------

static Vec3 nearestOnSegment(Vec3 a, Vec3 b, Vec3 point, double *share)
{
    Vec3 edge = vecSub(b, a);
    double at = vecDot(vecSub(point, a), edge) / vecDot(edge, edge);
    *share = at > 0 ? minReal(at, 1) : 0; // NaN too: both ends in one place
    return vecAdd(a, vecScale(*share, edge));
}

// weights of a point of the triangle: ratios of areas, along the axis on which the triangle is largest
static void barycentric(const Vec3 *corner, Vec3 point, double weight[3])
{
    Vec3 ab = vecSub(corner[1], corner[0]), ac = vecSub(corner[2], corner[0]), ap = vecSub(point, corner[0]);
    Vec3 normal = vecCross(ab, ac);
    double square = vecDot(normal, normal);
    weight[1] = square > 0 ? vecDot(vecCross(ap, ac), normal) / square : 0;
    weight[2] = square > 0 ? vecDot(vecCross(ab, ap), normal) / square : 0;
    weight[1] = minReal(maxReal(weight[1], 0), 1);
    weight[2] = minReal(maxReal(weight[2], 0), 1 - weight[1]);
    weight[0] = 1 - weight[1] - weight[2];
}

Vec3 facetNearest(const Facet *facet, Vec3 point, double weight[3])
{
    const Vec3 *p = facet->corner;
    double share;
    weight[0] = 1;
    weight[1] = weight[2] = 0;
    if (facet->corners == 1)
        return p[0];
    if (facet->corners == 2)
    {
        Vec3 nearest = nearestOnSegment(p[0], p[1], point, &share);
        weight[0] = 1 - share;
        weight[1] = share;
        return nearest;
    }
    const double corners[9] = { p[0].x, p[0].y, p[0].z, p[1].x, p[1].y, p[1].z, p[2].x, p[2].y, p[2].z };
    Region region;
    Vec3 nearest = triangleNearest(corners, point, &region);
    if (region >= REGION_CORNER0)
    {
        weight[0] = 0;
        weight[region - REGION_CORNER0] = 1;
    }
    else if (region >= REGION_EDGE0)
    {
        int a = (int)region - REGION_EDGE0, b = (a + 1) % 3;
        nearest = nearestOnSegment(p[a], p[b], point, &share);
        weight[0] = 0;
        weight[a] = 1 - share;
        weight[b] = share;
    }
    else
        barycentric(p, nearest, weight);
    return nearest;
}

// ---- balls that move ------------------------------------------------------------------------------------------------

// First passage through the ball of this radius about a point, or through the endless cylinder when both vectors have
// lost their part along its axis; infinite: none. By the closest approach, so that no digits are lost far away.
static double enterRound(Vec3 from, Vec3 direction, double radius)
{
    double square = vecDot(direction, direction);
    if (vecDot(from, from) <= radius * radius)
        return 0;
    double travel = -vecDot(from, direction) / square;
    Vec3 closest = vecAdd(from, vecScale(travel, direction));
    double room = radius * radius - vecDot(closest, closest);
    return !(travel >= 0) || room < 0 ? INFINITY : maxReal(travel - sqrt(room / square), 0);
}

static Vec3 across(Vec3 a, Vec3 axis)
{
    return vecSub(a, vecScale(vecDot(a, axis), axis));
}

// a capsule: the cylinder between its ends, or one of the balls
static double enterCapsule(Vec3 a, Vec3 b, Vec3 origin, Vec3 direction, double radius)
{
    Vec3 edge = vecSub(b, a), from = vecSub(origin, a);
    double length = vecLength(edge), first = INFINITY;
    if (length > 0)
    {
        Vec3 axis = vecScale(1 / length, edge);
        double side = enterRound(across(from, axis), across(direction, axis), radius);
        double place = side < INFINITY ? vecDot(vecAdd(from, vecScale(side, direction)), axis) : -1;
        first = place >= 0 && place <= length ? side : INFINITY;
    }
    first = minReal(first, enterRound(from, direction, radius));
    return minReal(first, enterRound(vecSub(origin, b), direction, radius));
}

// where the centre is above the inside of the triangle when the ball touches its plane
static double enterFace(const Vec3 *p, Vec3 origin, Vec3 direction, double radius)
{
    Vec3 normal = vecCross(vecSub(p[1], p[0]), vecSub(p[2], p[0]));
    double length = vecLength(normal);
    if (!(length > 0))
        return INFINITY;
    double gap = vecDot(vecSub(origin, p[0]), normal) / length, slope = vecDot(direction, normal) / length;
    if (gap < 0)
    {
        gap = -gap;
        slope = -slope;
    }
    if (!(slope < 0) || gap < radius)
        return INFINITY;
    double travel = (gap - radius) / -slope;
    Vec3 at = vecAdd(origin, vecScale(travel, direction));
    for (int k = 0; k < 3; ++k)
    {
        Vec3 edge = vecSub(p[(k + 1) % 3], p[k]);
        if (vecDot(vecCross(edge, vecSub(at, p[k])), normal) < 0)
            return INFINITY;
    }
    return travel;
}

double facetSweep(const Facet *facet, Vec3 centre, Vec3 direction, double radius)
{
    const Vec3 *p = facet->corner;
    double reach = radius + facet->radius;
    if (facet->corners == 1)
        return enterRound(vecSub(centre, p[0]), direction, reach);
    if (facet->corners == 2)
        return enterCapsule(p[0], p[1], centre, direction, reach);
    // the ball about a corner that holds all of it
    double size = maxReal(vecLength(vecSub(p[1], p[0])), vecLength(vecSub(p[2], p[0]))), weight[3];
    if (enterRound(vecSub(centre, p[0]), direction, (1 + 1e-9) * (size + reach)) == INFINITY)
        return INFINITY;
    if (vecLength(vecSub(facetNearest(facet, centre, weight), centre)) <= reach)
        return 0;
    double first = enterFace(p, centre, direction, reach);
    for (int k = 0; k < 3; ++k)
        first = minReal(first, enterCapsule(p[k], p[(k + 1) % 3], centre, direction, reach));
    return first;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

static Vec3 intoBox(const TurnedBox *box, Vec3 point)
{
    Mat3 back = matTranspose(&box->axes);
    return matApply(&back, vecSub(point, box->centre));
}

// m^2: square of the distance from the box [-half, half]
static double squareToBox(Vec3 half, Vec3 p)
{
    double x = maxReal(fabs(p.x) - half.x, 0), y = maxReal(fabs(p.y) - half.y, 0), z = maxReal(fabs(p.z) - half.z, 0);
    return x * x + y * y + z * z;
}

// The least of them over a segment: the square is convex along it and smooth, so that its slope has one zero.
static double segmentToBox(Vec3 half, Vec3 a, Vec3 b)
{
    double low = 0, high = 1, best = minReal(squareToBox(half, a), squareToBox(half, b));
    Vec3 edge = vecSub(b, a);
    for (int i = 0; i < 100 && best > 0; ++i)
    {
        double middle = 0.5 * (low + high), over[3], slope = 0;
        Vec3 p = vecAdd(a, vecScale(middle, edge));
        const double at[3] = { p.x, p.y, p.z }, side[3] = { half.x, half.y, half.z },
                     along[3] = { edge.x, edge.y, edge.z };
        for (int k = 0; k < 3; ++k)
        {
            over[k] = maxReal(fabs(at[k]) - side[k], 0);
            slope += copysign(over[k], at[k]) * along[k];
        }
        best = minReal(best, over[0] * over[0] + over[1] * over[1] + over[2] * over[2]);
        if (slope == 0 || middle == low || middle == high)
            break;
        *(slope > 0 ? &high : &low) = middle;
    }
    return best;
}

// whether the box [-half, half] and the points lie on different sides of a plane across `axis`
static bool axisParts(const Vec3 *point, int count, Vec3 half, Vec3 axis)
{
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < count; ++i)
    {
        double at = vecDot(point[i], axis);
        least = minReal(least, at);
        most = maxReal(most, at);
    }
    double reach = half.x * fabs(axis.x) + half.y * fabs(axis.y) + half.z * fabs(axis.z);
    return least > reach || most < -reach;
}

// Separating axes of a box and a simplex of 3 or 4 points: the directions of the box, the normals of the simplex, the
// products of their edges. Edges that are parallel to rounding part nothing.
static bool simplexOverlapsBox(const Vec3 *point, int count, Vec3 half)
{
    static const Vec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    for (int k = 0; k < 3; ++k)
    {
        if (axisParts(point, count, half, axes[k]))
            return false;
    }
    for (int skip = 0; skip < (count == 4 ? 4 : 1); ++skip)
    {
        Vec3 face[3];
        for (int i = 0, n = 0; n < 3; ++i)
        {
            if (count == 3 || i != skip)
                face[n++] = point[i];
        }
        if (axisParts(point, count, half, vecCross(vecSub(face[1], face[0]), vecSub(face[2], face[0]))))
            return false;
    }
    for (int i = 0; i < count; ++i)
    {
        for (int j = i + 1; j < count; ++j)
        {
            Vec3 edge = vecSub(point[j], point[i]);
            for (int k = 0; k < 3; ++k)
            {
                Vec3 axis = vecCross(edge, axes[k]);
                if (vecDot(axis, axis) > 1e-24 * vecDot(edge, edge) && axisParts(point, count, half, axis))
                    return false;
            }
        }
    }
    return true;
}

bool facetOverlapsBox(const Facet *facet, const TurnedBox *box)
{
    Vec3 p[3];
    for (int k = 0; k < facet->corners; ++k)
        p[k] = intoBox(box, facet->corner[k]);
    if (facet->corners == 3)
        return simplexOverlapsBox(p, 3, box->half);
    return segmentToBox(box->half, p[0], p[facet->corners - 1]) <= facet->radius * facet->radius;
}

bool tetOverlapsBox(const Vec3 corner[4], const TurnedBox *box)
{
    Vec3 p[4];
    for (int k = 0; k < 4; ++k)
        p[k] = intoBox(box, corner[k]);
    return simplexOverlapsBox(p, 4, box->half);
}

// inside a tet, turned inside out or not, all four volumes with its faces have one sign
bool tetOverlapsBall(const Vec3 corner[4], Vec3 centre, double radius)
{
    int above = 0, below = 0;
    for (int k = 0; k < 4; ++k)
    {
        Facet face = { .corner = { corner[(k + 1) % 4], corner[(k + 2) % 4], corner[(k + 3) % 4] }, .corners = 3 };
        double weight[3];
        if (vecLength(vecSub(facetNearest(&face, centre, weight), centre)) <= radius)
            return true;
        Vec3 normal = vecCross(vecSub(face.corner[1], face.corner[0]), vecSub(face.corner[2], face.corner[0]));
        double side = vecDot(normal, vecSub(centre, face.corner[0])) * (k % 2 ? 1 : -1);
        above += side > 0;
        below += side < 0;
    }
    return above == 4 || below == 4;
}
