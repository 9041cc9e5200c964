#include "contact/friction.h"

#include <math.h>

// the geometric mean of two stated coefficients: ice stays ice, whatever lies on it
double frictionMix(double a, double b)
{
    if (a >= 0 && b >= 0)
        return sqrt(a * b);
    return a >= 0 ? a : b >= 0 ? b : FRICTION_DEFAULT;
}

Friction frictionAt(double weight, double limit, Vec3 offset)
{
    Friction f = { .weight = weight, .limit = limit, .offset = limit > 0 ? offset : vec3(0, 0, 0) };
    f.length = vecLength(f.offset);
    f.slips = weight * f.length > limit;
    return f;
}

double frictionValue(const Friction *f)
{
    return f->slips ? f->limit * (f->length - 0.5 * f->limit / f->weight) : 0.5 * f->weight * f->length * f->length;
}

double frictionStiffness(const Friction *f)
{
    return f->slips ? f->limit / f->length : f->weight;
}

Vec3 frictionGradient(const Friction *f)
{
    return vecScale(frictionStiffness(f), f->offset);
}

double frictionSlip(const Friction *f)
{
    return f->slips ? f->length - f->limit / f->weight : 0;
}

double frictionKept(const Friction *f)
{
    return f->slips ? f->limit / (f->weight * f->length) : 1;
}

// w in the tangent plane while it holds; while it slips mu N / u across the offset and nothing along it
void frictionAddHessian(const Friction *f, Vec3 normal, Vec3 direction, double out[9])
{
    if (!(f->limit > 0))
        return;
    double stiffness = frictionStiffness(f), n[3], a[3];
    vecStore(n, normal);
    vecStore(a, f->slips ? direction : vec3(0, 0, 0));
    for (int i = 0; i < 9; ++i)
        out[i] += stiffness * ((i % 4 == 0) - n[i / 3] * n[i % 3] - a[i / 3] * a[i % 3]);
}

Vec3 frictionClamp(Vec3 impulse, double limit)
{
    double length = vecLength(impulse);
    return length > limit ? vecScale(limit / length, impulse) : impulse;
}
