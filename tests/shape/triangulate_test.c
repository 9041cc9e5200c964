// The triangles of shapes: on the boundary, closed and outward.
#include "check.h"

#include "shape/shape.h"

static double volumeOf(const ShapeTriangles *t)
{
    double sum = 0;
    for (int i = 0; i < t->triangleCount; ++i)
    {
        const int *corner = t->triangle + 3 * (size_t)i;
        Vec3 a = vecLoad(t->point + 3 * (size_t)corner[0]), b = vecLoad(t->point + 3 * (size_t)corner[1]);
        sum += vecDot(a, vecCross(b, vecLoad(t->point + 3 * (size_t)corner[2]))) / 6;
    }
    return sum;
}

// every edge has one triangle on each side
static void checkClosed(const ShapeTriangles *t)
{
    for (int i = 0; i < 3 * t->triangleCount; ++i)
    {
        int from = t->triangle[i], to = t->triangle[i % 3 == 2 ? i - 2 : i + 1], back = 0;
        for (int k = 0; k < 3 * t->triangleCount; ++k)
            back += t->triangle[k] == to && t->triangle[k % 3 == 2 ? k - 2 : k + 1] == from;
        assert_int_equal(back, 1);
    }
}

static void checkShape(const vvShapeDef *def, double volume, double tolerance)
{
    Memory memory = memoryMake(NULL);
    vvShape *shape = vvCreateShape(def, NULL);
    ShapeTriangles triangles;
    assert_non_null(shape);
    assert_true(shapeTriangulate(shape, &memory, &triangles));
    checkClosed(&triangles);
    for (int i = 0; i < triangles.pointCount; ++i)
        CHECK_NEAR(vvShape_GetDistance(shape, vecLoad(triangles.point + 3 * (size_t)i), NULL), 0, 1e-14);
    CHECK_NEAR(volumeOf(&triangles), volume, tolerance * volume);
    shapeTrianglesFree(&memory, &triangles);
    vvDestroyShape(shape);
    assert_int_equal(memory.blocks, 0);
}

static void testKinds(void **state)
{
    (void)state;
    static const double corners[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const int faces[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    vvShapeDef def = vvDefaultShapeDef();
    def.size = (vvVec3){ 1, 2, 3 };
    def.points = corners;
    def.pointCount = 4;
    def.triangles = faces;
    def.triangleCount = 4;
    def.kind = VV_SHAPE_BOX;
    checkShape(&def, 6, 1e-14);
    def.kind = VV_SHAPE_SPHERE; // facets are chords: less by about pi^2 / 6 (1 / rings^2 + 4 / around^2)
    checkShape(&def, PI / 6, 0.01);
    def.kind = VV_SHAPE_CAPSULE;
    checkShape(&def, PI / 6 + PI / 2, 0.01);
    def.kind = VV_SHAPE_CONVEX;
    checkShape(&def, 1.0 / 6, 1e-14);
    def.kind = VV_SHAPE_MESH;
    checkShape(&def, 1.0 / 6, 1e-14);
}

// a heightfield is open below: the top is where the heights are
static void testHeightfield(void **state)
{
    (void)state;
    static const double heights[] = { 0, 1, 0, 2, 3, 1, 0, 1, 4, 1, 1, 1 };
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_HEIGHTFIELD;
    def.heights = heights;
    def.columns = 3;
    def.rows = 4;
    Memory memory = memoryMake(NULL);
    vvShape *shape = vvCreateShape(&def, NULL);
    ShapeTriangles triangles;
    assert_true(shapeTriangulate(shape, &memory, &triangles));
    for (int i = 0; i < 12; ++i)
        CHECK_NEAR(vvShape_GetDistance(shape, vecLoad(triangles.point + 3 * (size_t)i), NULL), 0, 1e-14);
    // only the rim below has edges with one side
    int open = 0;
    for (int i = 0; i < 3 * triangles.triangleCount; ++i)
    {
        int from = triangles.triangle[i], to = triangles.triangle[i % 3 == 2 ? i - 2 : i + 1], back = 0;
        for (int k = 0; k < 3 * triangles.triangleCount; ++k)
            back += triangles.triangle[k] == to && triangles.triangle[k % 3 == 2 ? k - 2 : k + 1] == from;
        assert_true(back == 1 || (from >= 12 && to >= 12));
        open += back == 0;
    }
    assert_int_equal(open, 10);
    shapeTrianglesFree(&memory, &triangles);
    vvDestroyShape(shape);
}

static void testPlane(void **state)
{
    (void)state;
    vvShapeDef def = vvDefaultShapeDef();
    Memory memory = memoryMake(NULL);
    vvShape *shape = vvCreateShape(&def, NULL);
    ShapeTriangles triangles;
    Vec3 normal;
    double offset;
    assert_true(shapeTriangulate(shape, &memory, &triangles));
    assert_int_equal(triangles.triangleCount, 0);
    assert_true(shapeIsPlane(shape, &normal, &offset));
    vvDestroyShape(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testKinds),
        cmocka_unit_test(testHeightfield),
        cmocka_unit_test(testPlane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
