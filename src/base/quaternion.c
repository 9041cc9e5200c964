#include "base/quaternion.h"

vvQuat vvQuat_FromDegrees(vvVec3 degrees)
{
    vvQuat x = { 1, 0, 0, 0 }, y = x, z = x;
    sineCosine(degrees.x * PI / 360, &x.x, &x.w);
    sineCosine(degrees.y * PI / 360, &y.y, &y.w);
    sineCosine(degrees.z * PI / 360, &z.z, &z.w);
    return quatMultiply(z, quatMultiply(y, quatMultiply(x, (vvQuat){ 1, 0, 0, 0 })));
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

// The largest of the four squares is at least 1/4: dividing by its root loses nothing (Shepperd 1978).
vvQuat quatOfMatrix(const Mat3 *m)
{
    double trace = m->m[0][0] + m->m[1][1] + m->m[2][2];
    double square[4] = { 1 + trace, 1 + 2 * m->m[0][0] - trace, 1 + 2 * m->m[1][1] - trace,
                         1 + 2 * m->m[2][2] - trace };
    int best = 0;
    for (int i = 1; i < 4; ++i)
        if (square[i] > square[best])
            best = i;
    double a = m->m[2][1] - m->m[1][2], b = m->m[0][2] - m->m[2][0], c = m->m[1][0] - m->m[0][1];
    double d = m->m[1][0] + m->m[0][1], e = m->m[0][2] + m->m[2][0], f = m->m[2][1] + m->m[1][2];
    vvQuat row[4] = { { square[0], a, b, c }, { a, square[1], d, e }, { b, d, square[2], f }, { c, e, f, square[3] } };
    return quatNormalized(row[best]);
}

double angleOf(double y, double x)
{
    double length = sqrt(x * x + y * y);
    if (!(length > 0))
        return 0;
    // a guess within 0.02 in the first eighth of the circle, then twice the sine of what is left
    double ax = fabs(x), ay = fabs(y), ratio = minReal(ax, ay) / maxReal(ax, ay);
    double angle = ratio * (PI / 4 + 0.273 * (1 - ratio));
    angle = ay > ax ? PI / 2 - angle : angle;
    for (int i = 0; i < 2; ++i)
    {
        double sine, cosine;
        sineCosine(angle, &sine, &cosine);
        double left = (ay * cosine - ax * sine) / length;
        angle += left * (1 + left * left / 6);
    }
    angle = x < 0 ? PI - angle : angle;
    return y < 0 ? -angle : angle;
}
