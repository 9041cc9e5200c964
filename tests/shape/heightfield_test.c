// Heightfields against all triangles of their top and their walls.
#include "solids.h"

enum
{
    COLUMNS = 12,
    ROWS = 9
};
#define DEEP 20.0 // the walls of the brute force end here

static vvShape *makeField(double *heights, double rough, uint64_t seed)
{
    TestRandom random = { seed };
    for (int i = 0; i < COLUMNS * ROWS; ++i)
        heights[i] = randomBetween(&random, -rough, rough);
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_HEIGHTFIELD;
    def.size = vec3(2.2, 1, 1.6);
    def.columns = COLUMNS;
    def.rows = ROWS;
    def.heights = heights;
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    if (shape == NULL)
        fail_msg("%s", result.message);
    return shape;
}

// the same solid as a closed mesh: top, bottom far below, walls
static Solid makeSolid(const double *heights)
{
    Solid s = solidMake(2 * COLUMNS * ROWS, 4 * COLUMNS * ROWS + 4 * (COLUMNS + ROWS));
    int n = COLUMNS * ROWS;
    for (int i = 0; i < 2 * n; ++i)
        solidPoint(&s, 2.2 * (i % COLUMNS) / (COLUMNS - 1) - 1.1, i < n ? heights[i] : -DEEP,
                   1.6 * (i % n / COLUMNS) / (ROWS - 1) - 0.8);
    for (int z = 0; z + 1 < ROWS; ++z)
        for (int x = 0; x + 1 < COLUMNS; ++x)
        {
            int a = z * COLUMNS + x, b = a + 1, c = a + COLUMNS, d = c + 1;
            solidQuad(&s, a, c, d, b);
            solidQuad(&s, n + a, n + b, n + d, n + c);
        }
    for (int x = 0; x + 1 < COLUMNS; ++x)
    {
        int a = x, b = x + 1, c = (ROWS - 1) * COLUMNS + x;
        solidQuad(&s, a, b, n + b, n + a);
        solidQuad(&s, c + 1, c, n + c, n + c + 1);
    }
    for (int z = 0; z + 1 < ROWS; ++z)
    {
        int a = z * COLUMNS, b = a + COLUMNS, c = a + COLUMNS - 1, d = b + COLUMNS - 1;
        solidQuad(&s, b, a, n + a, n + b);
        solidQuad(&s, c, d, n + d, n + c);
    }
    return s;
}

static void distanceEqualsBruteForce(void **state)
{
    (void)state;
    const double rough[3] = { 0, 0.1, 1 };
    for (int k = 0; k < 3; ++k)
    {
        double heights[COLUMNS * ROWS];
        vvShape *shape = makeField(heights, rough[k], 7 + (uint64_t)k);
        Solid solid = makeSolid(heights);
        TestRandom random = { 3 };
        int inside = 0;
        for (int i = 0; i < 4000; ++i)
        {
            Vec3 p = randomIn(&random, 2), normal;
            double want = bruteDistance(&solid, p), got = vvShape_GetDistance(shape, p, &normal);
            if (!(fabs(got - want) <= 1e-12))
                fail_msg("at (%g, %g, %g): %.17g, want %.17g", p.x, p.y, p.z, got, want);
            CHECK_NEAR(vecLength(normal), 1, 1e-12);
            inside += got < 0;
        }
        assert_true(inside > 400);
        vvDestroyShape(shape);
        solidFree(&solid);
    }
}

static void hintChangesNothing(void **state)
{
    (void)state;
    double heights[COLUMNS * ROWS];
    vvShape *shape = makeField(heights, 0.3, 4);
    TestRandom random = { 6 };
    for (int i = 0; i < 5000; ++i)
    {
        Vec3 p = randomIn(&random, 1.5);
        if (i % 3 == 0)
            p = vec3(2.2 / 11 * (i % 5), p.y, 0);
        ShapeSample cold = shapeSample(shape, p, INFINITY, -1);
        ShapeSample warm = shapeSample(shape, p, INFINITY, (int)(randomUnit(&random) * 300) - 2);
        assert_memory_equal(&cold.distance, &warm.distance, sizeof(double));
        assert_memory_equal(&cold.normal, &warm.normal, sizeof(Vec3));
        assert_int_equal(cold.feature, warm.feature);
    }
    vvDestroyShape(shape);
}

static void limitCulls(void **state)
{
    (void)state;
    double heights[COLUMNS * ROWS];
    vvShape *shape = makeField(heights, 0.3, 4);
    TestRandom random = { 6 };
    for (int i = 0; i < 5000; ++i)
    {
        Vec3 p = randomIn(&random, 2);
        double limit = randomBetween(&random, 0, 0.5), exact = vvShape_GetDistance(shape, p, NULL);
        ShapeSample s = shapeSample(shape, p, limit, -1);
        assert_true(exact < limit ? s.distance == exact : s.distance >= limit && vecLength(s.normal) == 0);
    }
    vvDestroyShape(shape);
}

// flat ground is a plane
static void flatIsAPlane(void **state)
{
    (void)state;
    double heights[COLUMNS * ROWS];
    vvShape *shape = makeField(heights, 0, 1);
    TestRandom random = { 8 };
    for (int i = 0; i < 1000; ++i)
    {
        Vec3 p = vecScale(0.2, randomIn(&random, 1)), normal;
        double h[9];
        CHECK_NEAR(vvShape_GetDistance(shape, p, &normal), p.y, 1e-15);
        CHECK_NEAR(normal.y, 1, 1e-15);
        shapeCurvature(shape, 0, p, h);
        CHECK_NEAR(largestMagnitude(h, 9), 0, 0);
    }
    vvDestroyShape(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distanceEqualsBruteForce),
        cmocka_unit_test(hintChangesNothing),
        cmocka_unit_test(limitCulls),
        cmocka_unit_test(flatIsAPlane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
