// Unit quaternions as rotations (vvQuat: w x y z).
#ifndef BASE_QUATERNION_H
#define BASE_QUATERNION_H

#include "base/vec.h"

// The rotation a after b.
static inline vvQuat quatMultiply(vvQuat a, vvQuat b)
{
    return (vvQuat){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}

// The inverse rotation.
static inline vvQuat quatConjugate(vvQuat q)
{
    return (vvQuat){ q.w, -q.x, -q.y, -q.z };
}

// q v q^-1
static inline Vec3 quatRotate(vvQuat q, Vec3 v)
{
    Vec3 axis = vec3(q.x, q.y, q.z);
    Vec3 twice = vecScale(2, vecCross(axis, v));
    return vecAdd(v, vecAdd(vecScale(q.w, twice), vecCross(axis, twice)));
}

// q^-1 v q: from the world into the turned frame
static inline Vec3 quatRotateBack(vvQuat q, Vec3 v)
{
    return quatRotate(quatConjugate(q), v);
}

static inline Mat3 quatMatrix(vvQuat q)
{
    double w = q.w, x = q.x, y = q.y, z = q.z;
    return (Mat3){ { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                     { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                     { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } } };
}

// Scaled to length 1; for one that is near it (quatUnit takes any).
static inline vvQuat quatNormalized(vvQuat q)
{
    double scale = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (vvQuat){ scale * q.w, scale * q.x, scale * q.y, scale * q.z };
}

// q turned by the small vector `turn` (rad, world): Cayley's map, whose angle is 2 atan(|turn| / 2).
static inline vvQuat quatTurned(vvQuat q, Vec3 turn)
{
    vvQuat by = { 1, 0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z };
    return quatNormalized(quatMultiply(by, q));
}

// flight.c: q, the principal frame of a body, after h s of free flight with this angular momentum (kg m^2/s, world),
// and of a steady spin (rad/s, in the frame itself).
vvQuat quatFlown(vvQuat q, Vec3 inverseInertia, Vec3 momentum, double h);
vvQuat quatSpun(vvQuat q, Vec3 spin, double h);

// rad in (-pi, pi]: the angle of (x, y), without libm; |error| < 1e-15; 0 for (0, 0).
double angleOf(double y, double x);

// The rotation of a matrix that is one (row major, determinant 1).
vvQuat quatOfMatrix(const Mat3 *m);

#endif
