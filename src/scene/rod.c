// A shape as a rod that is stretched and turned along its length: for examples, and for how a body starts.
#include "scene/built.h"

#include <math.h>

static Vec3 toVec(vvVec3 v)
{
    return vec3(v.x, v.y, v.z);
}

static double component(Vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

Rod rodOf(const Json *example, const double *rest, const unsigned char *chosen, int count)
{
    Vec3 low = vec3(INFINITY, INFINITY, INFINITY), high = vecScale(-1, low);
    Vec3 turn = toVec(treeVector(example, "turn"));
    for (int v = 0; v < count; ++v)
    {
        if (chosen != NULL && !chosen[v])
            continue;
        Vec3 p = vecLoad(rest + 3 * (ptrdiff_t)v);
        low = vec3(minReal(low.x, p.x), minReal(low.y, p.y), minReal(low.z, p.z));
        high = vec3(maxReal(high.x, p.x), maxReal(high.y, p.y), maxReal(high.z, p.z));
    }
    Vec3 size = vecSub(high, low);
    Rod rod = { .middle = vecScale(0.5, vecAdd(low, high)), .stretch = vec3(1, 1, 1) };
    if (treeItem(example, "stretch") != NULL)
        rod.stretch = toVec(treeVector(example, "stretch"));
    if (treeItem(example, "centre") != NULL)
        rod.middle = toVec(treeVector(example, "centre"));
    rod.axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    if (treeString(example, "along") != NULL)
        rod.axis = treeString(example, "along")[0] - 'x';
    rod.tangent = vec3(rod.axis == 0, rod.axis == 1, rod.axis == 2);
    double whole = vecLength(turn), length = component(size, rod.axis) * component(rod.stretch, rod.axis);
    rod.pole = whole > 0 ? vecScale(1 / whole, turn) : rod.tangent;
    rod.rate = length > 0 ? whole * (PI / 180) / length : 0;
    rod.straight = vecScale(vecDot(rod.pole, rod.tangent), rod.pole);
    rod.round = vecSub(rod.tangent, rod.straight);
    rod.aside = vecCross(rod.pole, rod.tangent);
    return rod;
}

// Constant curvature and twist: the cross-section at s from the middle is turned by rate s, and the centre line is the
// integral of the turned tangent.
Vec3 rodBent(const Rod *rod, Vec3 p)
{
    Vec3 q = vecSub(p, rod->middle);
    q = vec3(rod->stretch.x * q.x, rod->stretch.y * q.y, rod->stretch.z * q.z);
    if (rod->rate == 0)
        return vecAdd(rod->middle, q);
    double s = component(q, rod->axis), sine, cosine;
    sineCosine(rod->rate * s, &sine, &cosine);
    Vec3 centre = vecAdd(vecScale(s, rod->straight),
                         vecScale(1 / rod->rate, vecAdd(vecScale(sine, rod->round), vecScale(1 - cosine, rod->aside))));
    Vec3 off = vecSub(q, vecScale(s, rod->tangent)), along = vecScale(vecDot(rod->pole, off), rod->pole);
    Vec3 turned = vecAdd(along, vecAdd(vecScale(cosine, vecSub(off, along)), vecScale(sine, vecCross(rod->pole, off))));
    return vecAdd(rod->middle, vecAdd(centre, turned));
}
