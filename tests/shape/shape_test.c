// Creation: bad input is refused with a reason, memory may run out anywhere, shapes are shared; a few known numbers.
#include "refuse.h"
#include "shape/kinds.h"
#include "solids.h"

#include <limits.h>

static void checkRefused(vvShapeDef def, const char *words)
{
    vvResult result = { .code = VV_OK };
    vvShape *shape = vvCreateShape(&def, &result);
    assert_null(shape);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_true(strlen(result.remedy) > 0);
    if (strstr(result.message, words) == NULL)
        fail_msg("'%s' does not say '%s'", result.message, words);
    assert_null(vvCreateShape(&def, NULL));
}

static vvShapeDef kindDef(vvShapeKind kind)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = kind;
    return def;
}

static void badNumbersAreRefused(void **state)
{
    (void)state;
    vvShapeDef def = { 0 };
    checkRefused(def, "cookie is 0");
    assert_null(vvCreateShape(NULL, NULL));
    def = kindDef((vvShapeKind)7);
    checkRefused(def, "kind is 7");
    def = kindDef((vvShapeKind)-1);
    checkRefused(def, "kind is -1");
    def = kindDef(VV_SHAPE_PLANE);
    int left = 0;
    def.allocator = (vvAllocator){ refuseAfter, NULL, &left };
    checkRefused(def, "1 of its 2");

    def = kindDef(VV_SHAPE_PLANE);
    def.normal = vec3(0, 0, 0);
    checkRefused(def, "normal (0, 0, 0)");
    def.normal = vec3(NAN, 0, 0);
    checkRefused(def, "normal (");
    def = kindDef(VV_SHAPE_PLANE);
    def.offset = INFINITY;
    checkRefused(def, "offset is inf");

    const double bad[] = { 0, -1, NAN, INFINITY, 1e-30, 1e30 };
    for (int i = 0; i < 6; ++i)
    {
        def = kindDef(VV_SHAPE_SPHERE);
        def.radius = bad[i];
        checkRefused(def, "radius is");
        def = kindDef(VV_SHAPE_CAPSULE);
        def.radius = bad[i];
        checkRefused(def, "radius is");
        def = kindDef(VV_SHAPE_CAPSULE);
        def.size.y = bad[i];
        checkRefused(def, "size.y is");
        def = kindDef(VV_SHAPE_BOX);
        def.size.z = bad[i];
        checkRefused(def, "size.z is");
    }
}

static void badPointsAreRefused(void **state)
{
    (void)state;
    double flat[5 * 3] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0.5, 0.5, 0 };
    double line[4 * 3] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3 };
    double same[4 * 3] = { 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3 };
    vvShapeDef def = kindDef(VV_SHAPE_CONVEX);
    checkRefused(def, "points is NULL");
    def.points = flat;
    def.pointCount = 3;
    checkRefused(def, "there are 3 points, must be 4");
    def.pointCount = INT_MAX;
    checkRefused(def, "there are 2147483647 points");
    def.pointCount = 5;
    checkRefused(def, "in one plane");
    flat[14] = NAN;
    checkRefused(def, "point 4 is");
    flat[14] = 1e10;
    checkRefused(def, "point 4 is");
    flat[14] = 1e-12;
    checkRefused(def, "in one plane");
    def.pointCount = 4;
    def.points = line;
    checkRefused(def, "on one line");
    def.points = same;
    checkRefused(def, "in one place");
}

static void badMeshesAreRefused(void **state)
{
    (void)state;
    Solid box = solidBox(1, 1, 1);
    vvShapeDef def = solidDef(&box);
    def.triangles = NULL;
    checkRefused(def, "triangles is NULL");
    def = solidDef(&box);
    def.triangleCount = 3;
    checkRefused(def, "there are 3 triangles");
    def.triangleCount = INT_MAX;
    checkRefused(def, "2147483647 triangles");
    def.triangleCount = box.triangleCount - 1;
    checkRefused(def, "alone, must belong to 2");
    def = solidDef(&box);
    def.sampling = -1;
    checkRefused(def, "sampling is -1");
    def.sampling = NAN;
    checkRefused(def, "sampling is");
    for (double tiny = 1e-320; tiny < 1e-5; tiny *= 1e30)
    {
        def.sampling = tiny;
        checkRefused(def, "is enough");
    }
    def.sampling = 1e-4;
    checkRefused(def, "samples, must be at most");
    def.sampling = 0.6;
    checkRefused(def, "half the longest side");

    def = solidDef(&box);
    int keep = box.triangle[4];
    box.triangle[4] = 8;
    checkRefused(def, "triangle 1 names point 8, must be 0 to 7");
    box.triangle[4] = -1;
    checkRefused(def, "triangle 1 names point -1");
    box.triangle[4] = keep;
    int *v = box.triangle + 9, swap = v[0];
    v[0] = v[1];
    v[1] = swap;
    checkRefused(def, "must run opposite ways");
    v[1] = v[0];
    v[0] = swap;
    box.point[0] = NAN;
    checkRefused(def, "point 0 is");
    for (int i = 0; i < 24; ++i)
        box.point[i] = i % 3 == 0 ? 0 : i;
    checkRefused(def, "is flat");
    solidFree(&box);

    // two tetrahedra that share an edge; a sheet with two sides
    double points[6 * 3] = { 0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, -1, 0, 0, -1, -1, 0 };
    int touching[8 * 3] = { 0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2, 0, 1, 4, 0, 4, 5, 0, 5, 1, 1, 5, 4 };
    def = kindDef(VV_SHAPE_MESH);
    def.points = points;
    def.pointCount = 6;
    def.triangles = touching;
    def.triangleCount = 8;
    checkRefused(def, "belongs to 4 triangles");
    double square[4 * 3] = { 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1 };
    int sheet[4 * 3] = { 0, 1, 2, 0, 2, 3, 0, 2, 1, 0, 3, 2 };
    def.points = square;
    def.pointCount = 4;
    def.triangles = sheet;
    def.triangleCount = 4;
    checkRefused(def, "must");
}

static void badHeightsAreRefused(void **state)
{
    (void)state;
    double heights[6] = { 0, 0, 0, 0, 0, 0 };
    vvShapeDef def = kindDef(VV_SHAPE_HEIGHTFIELD);
    checkRefused(def, "0 columns and 0 rows");
    def.columns = 3;
    def.rows = 1;
    def.heights = heights;
    checkRefused(def, "3 columns and 1 rows, must be at least 2 x 2");
    def.columns = def.rows = INT_MAX;
    checkRefused(def, "at most");
    def.columns = 3;
    def.rows = 2;
    def.heights = NULL;
    checkRefused(def, "heights is NULL");
    def.heights = heights;
    def.size.x = 0;
    checkRefused(def, "size.x is 0");
    def.size.x = 1;
    heights[4] = NAN;
    checkRefused(def, "column 1, row 1");
}

// every allocation fails once: no leak, a clear code; then it works
static void memoryMayRunOut(void **state)
{
    (void)state;
    Solid ball = solidSphere(1, 6, 9);
    double heights[6] = { 0, 1, 0, 1, 0, 1 };
    for (int kind = 0; kind < 8; ++kind)
    {
        vvShapeDef def = solidDef(&ball);
        def.kind = (vvShapeKind)minInt(kind, VV_SHAPE_HEIGHTFIELD);
        def.heights = heights;
        def.columns = 3;
        def.rows = 2;
        if (kind == 7)
        {
            def.kind = VV_SHAPE_MESH;
            def.sampling = 0.2;
        }
        vvShape *shape = NULL;
        int grants = 0;
        for (; shape == NULL; ++grants)
        {
            int left = grants;
            vvResult result;
            def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
            shape = vvCreateShape(&def, &result);
            assert_true(shape != NULL || result.code == VV_OUT_OF_MEMORY);
            assert_true(grants < 1000);
            if (shape != NULL)
            {
                assert_true(vvShape_GetDistance(shape, vec3(0, 5, 0), NULL) > 3.5);
                vvDestroyShape(shape);
            }
        }
        assert_true(grants > (kind < 4 ? 1 : 3) - (kind == VV_SHAPE_HEIGHTFIELD ? 1 : 0));
    }
    solidFree(&ball);
}

static void lastOwnerFrees(void **state)
{
    (void)state;
    vvShapeDef def = kindDef(VV_SHAPE_SPHERE);
    vvShape *shape = vvCreateShape(&def, NULL);
    shapeRetain(shape);
    vvDestroyShape(shape);
    CHECK_NEAR(vvShape_GetDistance(shape, vec3(1, 0, 0), NULL), 0.5, 0);
    shapeRelease(shape); // the sanitizer sees a second free or a leak
    vvDestroyShape(NULL);
}

typedef struct Known
{
    vvShapeKind kind;
    Vec3 point;
    double distance;
    Vec3 normal;
} Known;

// by hand: plane y = 0; sphere of radius 0.5; unit cube; capsule of radius 0.5 and axis 1
static void knownDistances(void **state)
{
    (void)state;
    const double s = sqrt(0.5), t = 1 / sqrt(3);
    const Known known[] = {
        { VV_SHAPE_PLANE, { 3, 2, 1 }, 2, { 0, 1, 0 } },
        { VV_SHAPE_PLANE, { 3, -2, 1 }, -2, { 0, 1, 0 } },
        { VV_SHAPE_SPHERE, { 0, 0, 2 }, 1.5, { 0, 0, 1 } },
        { VV_SHAPE_SPHERE, { -0.1, 0, 0 }, -0.4, { -1, 0, 0 } },
        { VV_SHAPE_SPHERE, { 0, 0, 0 }, -0.5, { 0, 1, 0 } },
        { VV_SHAPE_BOX, { 2, 0, 0 }, 1.5, { 1, 0, 0 } },
        { VV_SHAPE_BOX, { 0.1, -0.3, 0 }, -0.2, { 0, -1, 0 } },
        { VV_SHAPE_BOX, { 1.5, 1.5, 0 }, sqrt(2), { s, s, 0 } },
        { VV_SHAPE_BOX, { -1.5, 1.5, -1.5 }, sqrt(3), { -t, t, -t } },
        { VV_SHAPE_BOX, { 0, 0, 0 }, -0.5, { 1, 0, 0 } },
        { VV_SHAPE_CAPSULE, { 2, 0.3, 0 }, 1.5, { 1, 0, 0 } },
        { VV_SHAPE_CAPSULE, { 0, 2, 0 }, 1, { 0, 1, 0 } },
        { VV_SHAPE_CAPSULE, { 1, -1.5, 0 }, sqrt(2) - 0.5, { s, -s, 0 } },
        { VV_SHAPE_CAPSULE, { 0, 0.2, 0 }, -0.5, { 1, 0, 0 } },
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    {
        vvShapeDef def = kindDef(known[i].kind);
        vvShape *shape = vvCreateShape(&def, NULL);
        Vec3 normal;
        CHECK_NEAR(vvShape_GetDistance(shape, known[i].point, &normal), known[i].distance, 1e-15);
        CHECK_NEAR(vecLength(vecSub(normal, known[i].normal)), 0, 1e-15);
        vvDestroyShape(shape);
    }
}

static void boundsAreTight(void **state)
{
    (void)state;
    vvShapeDef def = vvDefaultShapeDef();
    def.offset = 3;
    vvShape *shape = vvCreateShape(&def, NULL);
    vvBox box = vvShape_GetBounds(shape);
    assert_true(box.upper.y == 3 && box.lower.y == -INFINITY && box.upper.x == INFINITY);
    vvDestroyShape(shape);
    def.normal = vec3(0, 0, -2);
    shape = vvCreateShape(&def, NULL);
    box = vvShape_GetBounds(shape);
    assert_true(box.lower.z == -3 && box.upper.z == INFINITY);
    vvDestroyShape(shape);
    def = kindDef(VV_SHAPE_CAPSULE);
    shape = vvCreateShape(&def, NULL);
    box = vvShape_GetBounds(shape);
    assert_true(box.lower.y == -1 && box.upper.y == 1 && box.upper.x == 0.5);
    vvDestroyShape(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(badNumbersAreRefused), cmocka_unit_test(badPointsAreRefused),
        cmocka_unit_test(badMeshesAreRefused),  cmocka_unit_test(badHeightsAreRefused),
        cmocka_unit_test(memoryMayRunOut),      cmocka_unit_test(lastOwnerFrees),
        cmocka_unit_test(knownDistances),       cmocka_unit_test(boundsAreTight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
