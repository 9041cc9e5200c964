#include "base/vec.h"

// a after b
static vvQuat multiply(vvQuat a, vvQuat b)
{
    return (vvQuat){ a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w };
}

vvQuat vvQuat_FromDegrees(vvVec3 degrees)
{
    vvQuat x = { 1, 0, 0, 0 }, y = x, z = x;
    sineCosine(degrees.x * PI / 360, &x.x, &x.w);
    sineCosine(degrees.y * PI / 360, &y.y, &y.w);
    sineCosine(degrees.z * PI / 360, &z.z, &z.w);
    return multiply(z, multiply(y, multiply(x, (vvQuat){ 1, 0, 0, 0 })));
}

bool quatUnit(vvQuat *rotation)
{
    double most = maxReal(maxReal(fabs(rotation->w), fabs(rotation->x)), maxReal(fabs(rotation->y), fabs(rotation->z)));
    if (!(most > 0) || !isfinite(most) || isnan(rotation->w + rotation->x + rotation->y + rotation->z))
        return false;
    // of four numbers whose squares are in range
    vvQuat q = { rotation->w / most, rotation->x / most, rotation->y / most, rotation->z / most };
    double length = most * sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (fabs(length - 1) > 1e-12) // one that is unit to rounding keeps its bits
        *rotation = (vvQuat){ rotation->w / length, rotation->x / length, rotation->y / length, rotation->z / length };
    return true;
}
