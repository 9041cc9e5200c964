#include "shape/mass.h"

#include "base/quaternion.h"
#include "shape/kinds.h"

static Mat3 diagonal(double x, double y, double z)
{
    return (Mat3){ { { x, 0, 0 }, { 0, y, 0 }, { 0, 0, z } } };
}

static MassProperties ofBox(Vec3 half, double density)
{
    MassProperties out = { .volume = 8 * half.x * half.y * half.z };
    out.mass = density * out.volume;
    double x = half.x * half.x, y = half.y * half.y, z = half.z * half.z;
    out.inertia = diagonal(out.mass * (y + z) / 3, out.mass * (x + z) / 3, out.mass * (x + y) / 3);
    return out;
}

// a cylinder along y of half the length `half` with two half balls; a ball where the length is 0
static MassProperties ofCapsule(double radius, double half, double density)
{
    double square = radius * radius;
    double tube = 2 * PI * square * half, ball = 4 * PI / 3 * square * radius;
    MassProperties out = { .volume = tube + ball };
    out.mass = density * out.volume;
    double along = density * (tube * square / 2 + ball * 2 * square / 5);
    // a half ball has its centre 3/8 r from its flat side
    double caps = ball * (2 * square / 5 + half * half + 3 * half * radius / 4);
    double across = density * (tube * (square / 4 + half * half / 3) + caps);
    out.inertia = diagonal(across, along, across);
    return out;
}

// m += s a b^T
static void addOuter(Mat3 *m, double s, Vec3 a, Vec3 b)
{
    const double x[3] = { a.x, a.y, a.z }, y[3] = { b.x, b.y, b.z };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m->m[i][j] += s * x[i] * y[j];
}

// inertia += s (|r|^2 1 - r r^T): of a mass s at r
static void addPoint(Mat3 *inertia, double s, Vec3 r)
{
    double square = s * vecDot(r, r);
    addOuter(inertia, -s, r, r);
    for (int i = 0; i < 3; ++i)
        inertia->m[i][i] += square;
}

// The sum over the tetrahedra between the triangles and a point amid them: the volume integrals of 1, x and x x^T
// (Tonon 2004), exact for closed surfaces of any shape.
static MassProperties ofSurface(const Surface *surface, vvBox bounds, double density)
{
    Vec3 amid = vecScale(0.5, vecAdd(bounds.lower, bounds.upper));
    double volume = 0;
    Vec3 first = { 0, 0, 0 };
    Mat3 second = { { { 0 } } };
    for (int t = 0; t < surface->triangleCount; ++t)
    {
        const double *corners = surface->corners + 9 * (size_t)t;
        Vec3 a = vecSub(vecLoad(corners), amid), b = vecSub(vecLoad(corners + 3), amid);
        Vec3 c = vecSub(vecLoad(corners + 6), amid), sum = vecAdd(a, vecAdd(b, c));
        double v = vecDot(a, vecCross(b, c)) / 6;
        volume += v;
        first = vecAdd(first, vecScale(v / 4, sum));
        addOuter(&second, v / 20, sum, sum);
        addOuter(&second, v / 20, a, a);
        addOuter(&second, v / 20, b, b);
        addOuter(&second, v / 20, c, c);
    }
    MassProperties out = { .volume = volume, .mass = density * volume };
    Vec3 centre = vecScale(1 / volume, first);
    addOuter(&second, -volume, centre, centre);
    double trace = second.m[0][0] + second.m[1][1] + second.m[2][2];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.inertia.m[i][j] = density * ((i == j ? trace : 0) - 0.5 * (second.m[i][j] + second.m[j][i]));
    out.centre = vecAdd(amid, centre);
    return out;
}

bool massOfShape(const vvShape *shape, double density, MassProperties *out)
{
    if (shapeIs(shape, TAG_SPHERE))
        *out = ofCapsule(shape->radius, 0, density);
    else if (shapeIs(shape, TAG_BOX))
        *out = ofBox(shape->half, density);
    else if (shapeIs(shape, TAG_CAPSULE))
        *out = ofCapsule(shape->radius, shape->half.y, density);
    else if (shapeIs(shape, TAG_CONVEX) || shapeIs(shape, TAG_MESH))
        *out = ofSurface(&shape->surface, shape->bounds, density);
    else
        return false;
    return out->volume > 0;
}

MassProperties massMoved(const MassProperties *of, Vec3 position, vvQuat rotation)
{
    Mat3 turn = quatMatrix(rotation);
    MassProperties out = { .mass = of->mass, .volume = of->volume };
    out.centre = vecAdd(position, matApply(&turn, of->centre));
    Mat3 half = matMultiply(&turn, &of->inertia);
    out.inertia = matMultiplyTransposed(&half, &turn);
    return out;
}

MassProperties massSum(const MassProperties *a, const MassProperties *b)
{
    MassProperties out = { .mass = a->mass + b->mass, .volume = a->volume + b->volume };
    out.centre = vecScale(1 / out.mass, vecAdd(vecScale(a->mass, a->centre), vecScale(b->mass, b->centre)));
    for (int i = 0; i < 9; ++i)
        out.inertia.m[i / 3][i % 3] = a->inertia.m[i / 3][i % 3] + b->inertia.m[i / 3][i % 3];
    addPoint(&out.inertia, a->mass, vecSub(a->centre, out.centre));
    addPoint(&out.inertia, b->mass, vecSub(b->centre, out.centre));
    return out;
}
