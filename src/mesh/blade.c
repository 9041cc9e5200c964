#include "mesh/blade.h"

#include "mesh/build.h"

#define LEAST_AREA 1e-12 // of a triangle over its longest edge squared
#define SLACK 1e-9       // of barycentric coordinates: points on the rim are reached

vvResult sweepMake(Sweep *sweep, const Blade *blade)
{
    const Vec3 *b = blade->before, *a = blade->after;
    const Vec3 corner[2][3] = { { b[0], b[1], a[1] }, { b[0], a[1], a[0] } };
    *sweep = (Sweep){ 0 };
    double longest = 0, area = 0;
    for (int i = 0; i < 4; ++i)
    {
        Vec3 p = i < 2 ? b[i] : a[i - 2];
        if (!(fabs(p.x) <= FARTHEST && fabs(p.y) <= FARTHEST && fabs(p.z) <= FARTHEST)) // NaN is refused too
            return resultMake(VV_BAD_INPUT, "give two positions of the edge of the blade, in metres",
                              "a corner of the blade is (%g, %g, %g), must be finite and within %g m", p.x, p.y, p.z,
                              FARTHEST);
        longest = maxReal(longest, maxReal(vecLength(vecSub(p, b[0])), vecLength(vecSub(p, b[1]))));
    }
    for (int i = 0; i < 2; ++i)
    {
        Vec3 cross = vecCross(vecSub(corner[i][1], corner[i][0]), vecSub(corner[i][2], corner[i][0]));
        double length = vecLength(cross);
        area = maxReal(area, length / 2);
        if (!(length > LEAST_AREA * longest * longest))
            continue;
        for (int c = 0; c < 3; ++c)
            sweep->corner[sweep->count][c] = corner[i][c];
        sweep->normal[sweep->count++] = vecScale(1 / length, cross);
    }
    if (sweep->count == 0)
        return resultMake(VV_BAD_INPUT, "move the blade across its edge between the two positions",
                          "the blade swept %g m^2, must sweep an area above %g (1e-12 x its size^2)", area,
                          LEAST_AREA * longest * longest);
    sweep->valley = sweep->count == 2 && vecDot(sweep->normal[0], vecSub(a[0], b[0])) > 0;
    return resultOk();
}

static double heightOver(const Sweep *sweep, int triangle, Vec3 point)
{
    return vecDot(sweep->normal[triangle], vecSub(point, sweep->corner[triangle][0]));
}

double sweepHeight(const Sweep *sweep, Vec3 point)
{
    double first = heightOver(sweep, 0, point);
    if (sweep->count == 1)
        return first;
    double second = heightOver(sweep, 1, point);
    return sweep->valley ? minReal(first, second) : maxReal(first, second);
}

bool sweepReaches(const Sweep *sweep, Vec3 point)
{
    for (int i = 0; i < sweep->count; ++i)
    {
        const Vec3 *c = sweep->corner[i];
        double whole = vecDot(sweep->normal[i], vecCross(vecSub(c[1], c[0]), vecSub(c[2], c[0])));
        bool inside = true;
        for (int k = 0; k < 3; ++k)
        {
            Vec3 side = vecSub(c[(k + 1) % 3], c[k]);
            inside = inside && vecDot(sweep->normal[i], vecCross(side, vecSub(point, c[k]))) >= -SLACK * whole;
        }
        if (inside)
            return true;
    }
    return false;
}

double sweepCrossing(const Sweep *sweep, Vec3 a, Vec3 b)
{
    double best = 0.5, least = INFINITY;
    for (int i = 0; i < sweep->count; ++i)
    {
        double first = heightOver(sweep, i, a), second = heightOver(sweep, i, b);
        double share = first / (first - second);
        if (!(share >= 0 && share <= 1))
            continue;
        double off = fabs(sweepHeight(sweep, vecAdd(a, vecScale(share, vecSub(b, a)))));
        if (off < least)
        {
            least = off;
            best = share;
        }
    }
    return best;
}
