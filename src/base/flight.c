// The rotation of a free body follows the midpoint rule of Euler's equations: with P the angular momentum in the body's
// frame, J the inverse inertia and m = (P_n + P_n+1) / 2,
//     P_n+1 - P_n = k m x J m.
// Its product with m is 0, so |P| is kept; its product with J m is 0, so the energy P . J P / 2 is kept; and the same
// P_n+1 is P_n seen from a frame turned by Cayley's map of k J m, so that the rotation with that increment keeps the
// angular momentum in the world. All three hold for any k. k = h is the plain rule; k = tan(h w / 2) / (w / 2), with
// w = |J m|, turns a steady rotation by exactly h w.
#include "base/base.h"
#include "base/quaternion.h"

#define NEWTON_LIMIT 12
#define CONVERGED 4e-16  // of the angular momentum
#define SMALL_TURN 0.05  // rad
#define LARGEST_TURN 2.0 // rad, in a substep, up to which k follows the tangent

static Vec3 scaled(Vec3 diagonal, Vec3 v)
{
    return vec3(diagonal.x * v.x, diagonal.y * v.y, diagonal.z * v.z);
}

// s: the k above for a spin of this size
static double turnScale(double speed, double h)
{
    double angle = minReal(h * speed, LARGEST_TURN);
    if (angle < SMALL_TURN) // the series of tan(x) / x, to rounding
    {
        double s = 0.25 * angle * angle;
        return h * (1 + s * (1 / 3.0 + s * (2 / 15.0 + s * (17 / 315.0 + s * 62 / 2835.0))));
    }
    double sine, cosine;
    sineCosine(0.5 * angle, &sine, &cosine);
    return h * sine / (cosine * 0.5 * angle);
}

// m above, by Newton's iteration. A spin too fast for it (more than about 1 rad in a substep) keeps the last iterate:
// the angular momentum in the world is kept for any.
static Vec3 middleMomentum(Vec3 inverseInertia, Vec3 start, double h)
{
    Vec3 m = start;
    double smallest = CONVERGED * vecLength(start);
    for (int i = 0; i < NEWTON_LIMIT; ++i)
    {
        Vec3 spin = scaled(inverseInertia, m);
        double half = 0.5 * turnScale(vecLength(spin), h);
        Vec3 residual = vecSub(vecSub(m, start), vecScale(half, vecCross(m, spin)));
        Vec3 j = inverseInertia;
        Mat3 slope = { { { 1, -half * (spin.z - m.z * j.y), -half * (m.y * j.z - spin.y) },
                         { -half * (m.z * j.x - spin.z), 1, -half * (spin.x - m.x * j.z) },
                         { -half * (spin.y - m.y * j.x), -half * (m.x * j.y - spin.x), 1 } } };
        Mat3 inverse = matInverse(&slope);
        Vec3 step = matApply(&inverse, residual);
        Vec3 next = vecSub(m, step);
        if (!vecFinite(next))
            break;
        m = next;
        if (vecLength(step) <= smallest)
            break;
    }
    return m;
}

vvQuat quatSpun(vvQuat q, Vec3 spin, double h)
{
    Vec3 by = vecScale(0.5 * turnScale(vecLength(spin), h), spin);
    return quatNormalized(quatMultiply(q, (vvQuat){ 1, by.x, by.y, by.z }));
}

vvQuat quatFlown(vvQuat q, Vec3 inverseInertia, Vec3 momentum, double h)
{
    Vec3 middle = middleMomentum(inverseInertia, quatRotateBack(q, momentum), h);
    return quatSpun(q, scaled(inverseInertia, middle), h);
}
