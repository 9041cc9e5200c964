// Exact distances to closed meshes, against every triangle in turn.
#include "solids.h"

static void checkBrute(const Solid *solid, double size, int count)
{
    vvShape *shape = solidShape(solid, 0);
    TestRandom random = { 11 };
    for (int i = 0; i < count; ++i)
    {
        Vec3 p = randomIn(&random, size), normal;
        double want = bruteDistance(solid, p), got = vvShape_GetDistance(shape, p, &normal);
        CHECK_NEAR(got, want, 1e-12);
        CHECK_NEAR(vecLength(normal), 1, 1e-12);
        // the foot of the point lies on the surface
        CHECK_NEAR(fabs(bruteDistance(solid, vecSub(p, vecScale(got, normal)))), 0, 1e-7);
    }
    vvDestroyShape(shape);
}

static void distanceEqualsBruteForce(void **state)
{
    (void)state;
    Solid solids[] = { solidSphere(0.9, 8, 12), solidTorus(0.8, 0.3, 14, 9), solidAngle(), solidWedge(), solidSpike(),
                       solidBox(1, 0.6, 1.4) };
    for (size_t i = 0; i < sizeof solids / sizeof solids[0]; ++i)
    {
        checkBrute(&solids[i], 1.6, 3000);
        solidFree(&solids[i]);
    }
}

// points close to sharp edges and corners, where a face's own normal would give the wrong side
static void signHoldsBesideSharpEdges(void **state)
{
    (void)state;
    Solid solids[] = { solidWedge(), solidSpike(), solidAngle() };
    for (size_t i = 0; i < 3; ++i)
    {
        vvShape *shape = solidShape(&solids[i], 0);
        TestRandom random = { 5 };
        for (int k = 0; k < 6000; ++k)
        {
            Vec3 corner = vecLoad(solids[i].point + 3 * (k % solids[i].pointCount));
            Vec3 p = vecAdd(corner, randomIn(&random, k % 2 == 0 ? 0.2 : 0.01));
            CHECK_NEAR(vvShape_GetDistance(shape, p, NULL), bruteDistance(&solids[i], p), 1e-12);
        }
        vvDestroyShape(shape);
        solidFree(&solids[i]);
    }
}

static void hintChangesNothing(void **state)
{
    (void)state;
    Solid solid = solidTorus(0.8, 0.3, 40, 25);
    vvShape *shape = solidShape(&solid, 0);
    TestRandom random = { 3 };
    for (int i = 0; i < 20000; ++i)
    {
        // also points with ties: on planes of symmetry, at corners, in the middle
        Vec3 p = randomIn(&random, 1.3);
        if (i % 4 == 0)
            p.y = 0;
        if (i % 16 == 1)
            p = vecLoad(solid.point + 3 * (i % solid.pointCount));
        if (i % 64 == 2)
            p = vec3(0, p.y, 0);
        ShapeSample cold = shapeSample(shape, p, INFINITY, -1);
        int hint = (int)(randomUnit(&random) * solid.triangleCount);
        ShapeSample warm = shapeSample(shape, p, INFINITY, hint), again = shapeSample(shape, p, INFINITY, cold.feature);
        ShapeSample odd = shapeSample(shape, p, INFINITY, 1 << 30);
        assert_memory_equal(&cold.distance, &warm.distance, sizeof(double));
        assert_memory_equal(&cold.normal, &warm.normal, sizeof(Vec3));
        assert_int_equal(cold.feature, warm.feature);
        assert_memory_equal(&cold.normal, &again.normal, sizeof(Vec3));
        assert_int_equal(cold.feature, again.feature);
        assert_int_equal(cold.feature, odd.feature);
        assert_memory_equal(&cold.distance, &odd.distance, sizeof(double));
    }
    vvDestroyShape(shape);
    solidFree(&solid);
}

static void boxOfTrianglesIsTheBox(void **state)
{
    (void)state;
    Solid solid = solidBox(1, 0.5, 2);
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_BOX;
    def.size = vec3(1, 0.5, 2);
    vvShape *mesh = solidShape(&solid, 0), *box = vvCreateShape(&def, NULL);
    TestRandom random = { 9 };
    for (int i = 0; i < 20000; ++i)
    {
        Vec3 p = randomIn(&random, 1.5), m, b;
        CHECK_NEAR(vvShape_GetDistance(mesh, p, &m), vvShape_GetDistance(box, p, &b), 1e-15 * 8);
        CHECK_NEAR(vecLength(vecSub(m, b)), 0, 1e-10);
    }
    vvDestroyShape(mesh);
    vvDestroyShape(box);
    solidFree(&solid);
}

static void sphereOfTrianglesIsNearTheSphere(void **state)
{
    (void)state;
    Solid solid = solidSphere(1, 60, 120);
    vvShape *mesh = solidShape(&solid, 0);
    TestRandom random = { 9 };
    // a facet of angle a sags by 1 - cos(a / 2) = 3.4e-4, along its diagonal twice that
    for (int i = 0; i < 20000; ++i)
    {
        Vec3 p = vecScale(randomBetween(&random, 0.2, 2), randomDirection(&random)), normal;
        double distance = vvShape_GetDistance(mesh, p, &normal), want = vecLength(p) - 1;
        CHECK_NEAR(distance, want, 7e-4);
        assert_true(distance >= want - 1e-12);
        CHECK_BELOW(0.99, vecDot(normal, p) / vecLength(p)); // facets meet at 3 degrees
    }
    vvDestroyShape(mesh);
    solidFree(&solid);
}

// large, small, and far from the origin: the error is rounding at that scale
static void scaleDoesNotMatter(void **state)
{
    (void)state;
    const double scale[3] = { 1e-8, 1e8, 1 }, shift[3] = { 0, 0, 1e6 };
    for (int k = 0; k < 3; ++k)
    {
        Solid solid = solidTorus(0.8, 0.3, 14, 9);
        for (int i = 0; i < 3 * solid.pointCount; ++i)
            solid.point[i] = scale[k] * solid.point[i] + shift[k];
        vvShape *shape = solidShape(&solid, 0);
        TestRandom random = { 14 };
        for (int i = 0; i < 1000; ++i)
        {
            Vec3 p = vecAdd(vecScale(scale[k], randomIn(&random, 1.5)), vec3(shift[k], shift[k], shift[k]));
            double want = bruteDistance(&solid, p);
            CHECK_NEAR(vvShape_GetDistance(shape, p, NULL), want, 1e-12 * scale[k] + 1e-15 * shift[k]);
            ShapeSample cold = shapeSample(shape, p, INFINITY, -1), warm = shapeSample(shape, p, INFINITY, i % 200);
            assert_true(cold.distance == warm.distance && cold.feature == warm.feature);
        }
        vvDestroyShape(shape);
        solidFree(&solid);
    }
}

static void inwardWindingIsTurned(void **state)
{
    (void)state;
    Solid solid = solidTorus(0.8, 0.3, 14, 9);
    vvShape *outward = solidShape(&solid, 0);
    for (int t = 0; t < solid.triangleCount; ++t)
    {
        int *v = solid.triangle + 3 * t, swap = v[0];
        v[0] = v[2];
        v[2] = swap;
    }
    vvShape *inward = solidShape(&solid, 0);
    TestRandom random = { 4 };
    for (int i = 0; i < 2000; ++i)
    {
        Vec3 p = randomIn(&random, 1.3);
        CHECK_NEAR(vvShape_GetDistance(inward, p, NULL), vvShape_GetDistance(outward, p, NULL), 1e-14);
    }
    vvDestroyShape(inward);
    vvDestroyShape(outward);
    solidFree(&solid);
}

// a shell: a ball with a hollow whose surface winds the other way
static void hollowIsOutside(void **state)
{
    (void)state;
    Solid outer = solidSphere(1, 16, 24), inner = solidSphere(0.5, 16, 24);
    Solid both = solidMake(2 * outer.pointCount, 2 * outer.triangleCount);
    for (int i = 0; i < outer.pointCount; ++i)
        solidPoint(&both, outer.point[3 * i], outer.point[3 * i + 1], outer.point[3 * i + 2]);
    for (int i = 0; i < inner.pointCount; ++i)
        solidPoint(&both, inner.point[3 * i], inner.point[3 * i + 1], inner.point[3 * i + 2]);
    int n = outer.pointCount;
    for (int t = 0; t < outer.triangleCount; ++t)
    {
        const int *v = outer.triangle + 3 * t;
        solidTriangle(&both, v[0], v[1], v[2]);
        solidTriangle(&both, n + v[0], n + v[2], n + v[1]);
    }
    vvShape *shape = solidShape(&both, 0);
    assert_true(vvShape_GetDistance(shape, vec3(0, 0.1, 0), NULL) > 0.35);
    assert_true(vvShape_GetDistance(shape, vec3(0, 0.75, 0), NULL) < -0.2);
    assert_true(vvShape_GetDistance(shape, vec3(0, 1.2, 0), NULL) > 0.19);
    vvDestroyShape(shape);
    solidFree(&outer);
    solidFree(&inner);
    solidFree(&both);
}

// a triangle that names a point twice adds nothing
static void repeatedCornersAreDropped(void **state)
{
    (void)state;
    Solid solid = solidBox(1, 1, 1), more = solidMake(8, 40);
    for (int i = 0; i < 8; ++i)
        solidPoint(&more, solid.point[3 * i], solid.point[3 * i + 1], solid.point[3 * i + 2]);
    for (int t = 0; t < solid.triangleCount; ++t)
    {
        const int *v = solid.triangle + 3 * t;
        solidTriangle(&more, v[0], v[1], v[2]);
        solidTriangle(&more, v[0], v[0], v[1]);
    }
    vvShape *shape = solidShape(&more, 0);
    CHECK_NEAR(vvShape_GetDistance(shape, vec3(0.2, 0.9, 0.1), NULL), 0.4, 1e-15);
    vvDestroyShape(shape);
    solidFree(&solid);
    solidFree(&more);
}

// what is beyond the limit comes back early, and never below the limit; what is inside comes back whatever the limit
static void limitCulls(void **state)
{
    (void)state;
    Solid solid = solidTorus(0.8, 0.3, 14, 9);
    vvShape *shape = solidShape(&solid, 0);
    TestRandom random = { 21 };
    for (int i = 0; i < 5000; ++i)
    {
        Vec3 p = randomIn(&random, 2);
        double limit = randomBetween(&random, 0, 0.5), exact = vvShape_GetDistance(shape, p, NULL);
        ShapeSample s = shapeSample(shape, p, limit, -1);
        if (exact < limit)
            assert_true(s.distance == exact && s.feature >= 0);
        else
            assert_true(s.distance >= limit && s.feature == -1 && vecLength(s.normal) == 0);
    }
    vvDestroyShape(shape);
    solidFree(&solid);
}

// Every edge of a triangle of the solid gets a sliver, a triangle of hardly more area than the least, between it and
// its neighbour, which is cut in two there.
static Solid solidWithSlivers(const Solid *solid)
{
    Solid s = solidMake(solid->pointCount + 3, solid->triangleCount + 6);
    memcpy(s.point, solid->point, (size_t)solid->pointCount * 3 * sizeof(double));
    memcpy(s.triangle, solid->triangle, (size_t)solid->triangleCount * 3 * sizeof(int));
    s.pointCount = solid->pointCount;
    s.triangleCount = solid->triangleCount;
    for (int e = 0; e < 3; ++e)
    {
        int a = s.triangle[e], b = s.triangle[(e + 1) % 3], cut = -1;
        for (int k = 3; k < 3 * s.triangleCount; ++k)
        {
            if (s.triangle[k] == b && s.triangle[k / 3 * 3 + (k + 1) % 3] == a)
                cut = k;
        }
        assert_true(cut >= 0);
        int across = s.triangle[cut / 3 * 3 + (cut + 2) % 3];
        const double *p = s.point + 3 * (ptrdiff_t)a, *q = s.point + 3 * (ptrdiff_t)b;
        Vec3 along = vecSub(vecLoad(q), vecLoad(p)), third = vecLoad(s.point + 3 * (ptrdiff_t)s.triangle[(e + 2) % 3]);
        Vec3 middle = vecAdd(vecLoad(p), vecScale(0.4, along));
        // away from the triangle, by so much of the edge
        Vec3 away = vecSub(middle, third);
        away = vecSub(away, vecScale(vecDot(away, along) / vecDot(along, along), along));
        middle = vecAdd(middle, vecScale(1e-11 * vecLength(along) / vecLength(away), away));
        int m = solidPoint(&s, middle.x, middle.y, middle.z);
        int *half = s.triangle + (ptrdiff_t)(cut / 3) * 3;
        half[0] = b;
        half[1] = m;
        half[2] = across;
        solidTriangle(&s, m, a, across);
        solidTriangle(&s, b, a, m);
    }
    return s;
}

static void sliversChangeNothing(void **state)
{
    (void)state;
    Solid solids[] = { solidBox(1, 0.6, 1.4), solidSphere(0.9, 8, 12), solidWedge() };
    for (size_t i = 0; i < sizeof solids / sizeof solids[0]; ++i)
    {
        Solid cut = solidWithSlivers(&solids[i]);
        vvShape *plain = solidShape(&solids[i], 0), *shape = solidShape(&cut, 0);
        TestRandom random = { 21 };
        for (int k = 0; k < 4000; ++k)
        {
            // anywhere, and close to the slivers
            Vec3 corner = vecLoad(cut.point + 3 * (ptrdiff_t)(cut.pointCount - 1 - k % 3)), normal;
            Vec3 p = k % 2 == 0 ? randomIn(&random, 1.5) : vecAdd(corner, randomIn(&random, 0.05));
            CHECK_NEAR(vvShape_GetDistance(shape, p, &normal), vvShape_GetDistance(plain, p, NULL), 1e-9);
            CHECK_NEAR(vecLength(normal), 1, 1e-12);
        }
        vvDestroyShape(plain);
        vvDestroyShape(shape);
        solidFree(&cut);
        solidFree(&solids[i]);
    }
}

static void refuseSolid(const Solid *solid, const char *words)
{
    vvShapeDef def = solidDef(solid);
    vvResult result;
    assert_null(vvCreateShape(&def, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
    if (strstr(result.message, words) == NULL)
        fail_msg("'%s' does not say '%s'", result.message, words);
}

static void surfacesNeedAnInside(void **state)
{
    (void)state;
    static const int twoSides[4][3] = { { 0, 1, 2 }, { 0, 2, 3 }, { 0, 3, 1 }, { 1, 3, 2 } };
    Solid flat = solidMake(4, 4), tiny = solidBox(1e-10, 1e-10, 1e-10);
    for (int k = 0; k < 4; ++k)
        solidPoint(&flat, k == 1 || k == 2, k / 2, 0);
    for (int k = 0; k < 4; ++k)
        solidTriangle(&flat, twoSides[k][0], twoSides[k][1], twoSides[k][2]);
    refuseSolid(&flat, "encloses");
    refuseSolid(&tiny, "m large");
    solidFree(&flat);
    solidFree(&tiny);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distanceEqualsBruteForce),
        cmocka_unit_test(signHoldsBesideSharpEdges),
        cmocka_unit_test(hintChangesNothing),
        cmocka_unit_test(boxOfTrianglesIsTheBox),
        cmocka_unit_test(sphereOfTrianglesIsNearTheSphere),
        cmocka_unit_test(scaleDoesNotMatter),
        cmocka_unit_test(inwardWindingIsTurned),
        cmocka_unit_test(hollowIsOutside),
        cmocka_unit_test(repeatedCornersAreDropped),
        cmocka_unit_test(limitCulls),
        cmocka_unit_test(sliversChangeNothing),
        cmocka_unit_test(surfacesNeedAnInside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
