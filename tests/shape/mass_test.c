// Mass, centre and inertia of shapes: closed forms, the distance sampled at random points, and how sums and frames go
// together.
#include "base/quaternion.h"
#include "shape/mass.h"
#include "shape/solids.h"

static vvShape *make(vvShapeDef def)
{
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    if (shape == NULL)
        fail_msg("%s", result.message);
    return shape;
}

static MassProperties massOf(vvShape *shape, double density)
{
    MassProperties mass;
    assert_true(massOfShape(shape, density, &mass));
    vvDestroyShape(shape);
    return mass;
}

static vvShape *box(Vec3 size)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_BOX;
    def.size = size;
    return make(def);
}

static vvShape *capsule(double radius, double length)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_CAPSULE;
    def.radius = radius;
    def.size.y = length;
    return make(def);
}

static vvShape *surface(const Solid *solid, vvShapeKind kind)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = kind;
    def.points = solid->point;
    def.pointCount = solid->pointCount;
    def.triangles = solid->triangle;
    def.triangleCount = solid->triangleCount;
    return make(def);
}

static void checkEqual(const MassProperties *a, const MassProperties *b, double relative)
{
    double size = cbrt(b->volume);
    CHECK_CLOSE(a->mass, b->mass, relative);
    CHECK_CLOSE(a->volume, b->volume, relative);
    CHECK_BELOW(vecLength(vecSub(a->centre, b->centre)), relative * size);
    for (int i = 0; i < 9; ++i)
        CHECK_NEAR(a->inertia.m[i / 3][i % 3], b->inertia.m[i / 3][i % 3], relative * b->mass * size * size);
}

static void testClosedForms(void **state)
{
    (void)state;
    MassProperties b = massOf(box(vec3(0.2, 0.4, 0.6)), 500);
    CHECK_CLOSE(b.mass, 24, 1e-14);
    CHECK_CLOSE(b.inertia.m[0][0], 24 * (0.16 + 0.36) / 12, 1e-14);
    CHECK_CLOSE(b.inertia.m[1][1], 24 * (0.04 + 0.36) / 12, 1e-14);
    CHECK_CLOSE(b.inertia.m[2][2], 24 * (0.04 + 0.16) / 12, 1e-14);

    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_SPHERE;
    def.radius = 0.3;
    MassProperties s = massOf(make(def), 1000);
    CHECK_CLOSE(s.mass, 4000 * PI / 3 * 0.027, 1e-14);
    for (int i = 0; i < 3; ++i)
        CHECK_CLOSE(s.inertia.m[i][i], 0.4 * s.mass * 0.09, 1e-14);

    // a capsule that is nearly a cylinder
    MassProperties c = massOf(capsule(1e-3, 2), 1000);
    CHECK_CLOSE(c.inertia.m[0][0], c.mass * 4 / 12.0, 3e-3);
    CHECK_CLOSE(c.inertia.m[1][1], c.mass * 1e-6 / 2, 1e-3);

    // no volume
    MassProperties none;
    vvShape *plane = make(vvDefaultShapeDef());
    assert_false(massOfShape(plane, 1000, &none));
    vvDestroyShape(plane);
}

// the mean over points spread evenly inside, by the distance that contact uses
static void checkByPoints(vvShape *shape)
{
    enum
    {
        COUNT = 60000
    };
    vvBox bounds = vvShape_GetBounds(shape);
    Vec3 size = vecSub(bounds.upper, bounds.lower);
    Vec3 first = { 0, 0, 0 };
    double second[9] = { 0 };
    int inside = 0;
    for (int i = 0; i < COUNT; ++i)
    {
        // Roberts' sequence in three dimensions: error about 1/count
        const double step[3] = { 0.8191725133961645, 0.6710436067037893, 0.5497004779019703 };
        double u[3];
        for (int k = 0; k < 3; ++k)
            u[k] = fmod(0.5 + step[k] * (i + 1), 1);
        Vec3 p = vec3(bounds.lower.x + u[0] * size.x, bounds.lower.y + u[1] * size.y, bounds.lower.z + u[2] * size.z);
        if (vvShape_GetDistance(shape, p, NULL) > 0)
            continue;
        ++inside;
        first = vecAdd(first, p);
        double c[3] = { p.x, p.y, p.z };
        for (int k = 0; k < 9; ++k)
            second[k] += c[k / 3] * c[k % 3];
    }
    double volume = size.x * size.y * size.z, share = (double)inside / COUNT;
    MassProperties want = { .volume = volume * share, .mass = volume * share };
    want.centre = vecScale(1.0 / inside, first);
    double c[3] = { want.centre.x, want.centre.y, want.centre.z }, trace = 0;
    for (int k = 0; k < 9; ++k)
        second[k] = volume * share * (second[k] / inside - c[k / 3] * c[k % 3]);
    for (int k = 0; k < 3; ++k)
        trace += second[4 * k];
    for (int k = 0; k < 9; ++k)
        want.inertia.m[k / 3][k % 3] = (k % 4 == 0 ? trace : 0) - second[k];
    MassProperties got = massOf(shape, 1);
    checkEqual(&got, &want, 3e-3);
}

static void testAgainstDistances(void **state)
{
    (void)state;
    checkByPoints(box(vec3(0.3, 1, 0.5)));
    checkByPoints(capsule(0.2, 0.5));
    Solid ball = solidSphere(0.5, 6, 7);
    for (int i = 0; i < ball.pointCount; ++i) // no symmetry, and away from the origin
    {
        double *p = ball.point + 3 * i;
        p[0] += 2 + 0.3 * p[1] * p[1];
        p[2] += 0.4 * p[0];
    }
    checkByPoints(surface(&ball, VV_SHAPE_CONVEX));
    checkByPoints(surface(&ball, VV_SHAPE_MESH));
    solidFree(&ball);
}

static void testParts(void **state)
{
    (void)state;
    // two boxes side by side are one box
    MassProperties half = massOf(box(vec3(0.5, 1, 2)), 700), whole = massOf(box(vec3(1, 1, 2)), 700);
    MassProperties left = massMoved(&half, vec3(-0.25, 0, 0), (vvQuat){ 1, 0, 0, 0 });
    MassProperties right = massMoved(&half, vec3(0.25, 0, 0), (vvQuat){ 1, 0, 0, 0 });
    MassProperties sum = massSum(&left, &right);
    checkEqual(&sum, &whole, 1e-14);

    // and in another frame too
    vvQuat turn = vvQuat_FromDegrees((vvVec3){ 20, -50, 130 });
    Vec3 at = { 3, -2, 1 };
    MassProperties outer = massMoved(&whole, at, turn);
    left = massMoved(&half, vecAdd(at, quatRotate(turn, vec3(-0.25, 0, 0))), turn);
    right = massMoved(&half, vecAdd(at, quatRotate(turn, vec3(0.25, 0, 0))), turn);
    sum = massSum(&left, &right);
    checkEqual(&sum, &outer, 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testClosedForms),
        cmocka_unit_test(testAgainstDistances),
        cmocka_unit_test(testParts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
