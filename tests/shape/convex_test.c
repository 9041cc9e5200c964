// Hulls: closed, convex, around all their points, whatever the points are.
#include "shape/kinds.h"
#include "solids.h"

// checks the triangles of a hull by themselves; returns how many corners it has
static int checkHull(const double *points, int count, double slack)
{
    Memory memory = memoryMake(NULL);
    int *triangle = NULL, triangleCount = 0;
    vvResult result = hullBuild(&memory, points, count, &triangle, &triangleCount);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);

    // closed and of one piece: every edge twice, and Euler's V - E + F = 2
    char *used = calloc((size_t)count, 1);
    int corners = 0;
    for (int i = 0; i < 3 * triangleCount; ++i)
    {
        corners += !used[triangle[i]];
        used[triangle[i]] = 1;
    }
    assert_int_equal(2 * corners - 4, triangleCount);
    Surface surface = { 0 };
    result = surfaceBuild(&memory, &surface, points, count, triangle, triangleCount, true);
    assert_int_equal(result.code, VV_OK);

    // all points are below all faces
    for (int t = 0; t < triangleCount; ++t)
    {
        Vec3 a = vecLoad(points + 3 * triangle[3 * t]), b = vecLoad(points + 3 * triangle[3 * t + 1]),
             c = vecLoad(points + 3 * triangle[3 * t + 2]);
        Vec3 n = vecCross(vecSub(b, a), vecSub(c, a));
        double area = vecLength(n);
        assert_true(area > 1e-10); // no sliver
        for (int i = 0; i<count; i += count> 2000 ? 7 : 1)
            CHECK_BELOW(vecDot(n, vecSub(vecLoad(points + 3 * i), a)) / area, slack);
    }
    surfaceFree(&memory, &surface);
    memoryRelease(&memory, triangle);
    assert_int_equal(memory.blocks, 0);
    free(used);
    return corners;
}

static void turn(double *p, double angle)
{
    double c = cos(angle), s = sin(angle), x = c * p[0] - s * p[1], y = s * p[0] + c * p[1];
    p[0] = x;
    p[1] = c * y - s * p[2];
    p[2] = s * y + c * p[2];
}

static void hullOfRandomPoints(void **state)
{
    (void)state;
    enum
    {
        MOST = 1000
    };
    double points[3 * MOST];
    for (int round = 0; round < 40; ++round)
    {
        TestRandom random = { (uint64_t)(round + 1) * 7919 };
        int count = 4 + round * round / 2;
        double flat = round % 3 == 0 ? 1e-3 : 1;
        for (int i = 0; i < count; ++i)
        {
            Vec3 p = round % 2 == 0 ? randomIn(&random, 1) : randomDirection(&random);
            vecStore(points + 3 * i, vec3(p.x, flat * p.y, p.z));
        }
        int corners = checkHull(points, count, 1e-8);
        if (round % 2 == 1 && flat == 1)
            assert_int_equal(corners, count); // every point of a sphere is a corner
    }
}

// a full grid in a cube, turned by several angles: coplanar, collinear, and noisy in the last digits
static void hullOfAGridIsTheCube(void **state)
{
    (void)state;
    enum
    {
        SIDE = 8,
        COUNT = SIDE * SIDE * SIDE
    };
    double points[3 * COUNT];
    for (int round = 0; round < 30; ++round)
    {
        for (int i = 0; i < COUNT; ++i)
        {
            points[3 * i] = i % SIDE / 7.0 - 0.5;
            points[3 * i + 1] = i / SIDE % SIDE / 7.0 * (round % 2 == 0 ? 1 : 0.01);
            points[3 * i + 2] = i / SIDE / SIDE / 7.0 + 3;
            turn(points + 3 * i, 0.1 * round);
        }
        int corners = checkHull(points, COUNT, 2e-9); // within the thickness of a hull
        assert_int_equal(corners, 8);
    }
}

// scattered over the faces of a box, turned: thousands of points that are coplanar but for the last digit
static void hullOfFacesIsTheBox(void **state)
{
    (void)state;
    enum
    {
        COUNT = 1500
    };
    double points[3 * COUNT];
    for (int round = 0; round < 40; ++round)
    {
        TestRandom random = { (uint64_t)round + 99 };
        for (int i = 0; i < COUNT; ++i)
        {
            double p[3];
            for (int a = 0; a < 3; ++a)
                p[a] = i < 8 ? (i >> a & 1) - 0.5 : randomBetween(&random, -0.5, 0.5);
            if (i >= 8)
                p[i % 3] = i % 2 - 0.5;
            vecStore(points + 3 * i, vec3(p[0] * (round % 4 == 0 ? 1e-3 : 1), p[1], p[2] + 0.1 * round));
            turn(points + 3 * i, 0.21 * round);
        }
        assert_int_equal(checkHull(points, COUNT, 3e-9), 8);
    }
}

// A cone over a polygon in the plane x + y + z = 0, in whole numbers that the grid of the hull keeps: exactly coplanar,
// while the volumes of its tetrahedra do not fit a double. Rounded signs would tear the base.
static void hullOfATiltedPolygonIsACone(void **state)
{
    (void)state;
    enum
    {
        AROUND = 1000,
        COUNT = AROUND + 4
    };
    double points[3 * COUNT];
    const double big = 1073741824; // 2^30: the sides of the bounds are 2^31
    for (int i = 0; i < 3; ++i)
        vecStore(points + 3 * i, vec3(i == 0 ? -big : big / 2, i == 1 ? -big : big / 2, i == 2 ? -big : big / 2));
    vecStore(points + 9, vec3(big, big, big));
    for (int i = 0; i < AROUND; ++i)
    {
        double a = 2 * PI * (i * 7 % AROUND) / AROUND, c = 0.99 * big * cos(a) * sqrt(0.75),
               s = 0.99 * big * sin(a) / 2;
        double x = floor(c + s), y = floor(s - c);
        vecStore(points + 12 + 3 * i, vec3(x, y, -x - y));
    }
    int corners = checkHull(points, COUNT, 1e-9 * 4 * big);
    assert_in_range(corners, AROUND * 8 / 10, COUNT); // around the three far corners some are covered
}

static void hullOfRepeatedPoints(void **state)
{
    (void)state;
    double points[3 * 400];
    for (int i = 0; i < 400; ++i)
        for (int a = 0; a < 3; ++a)
            points[3 * i + a] = (i * 37 % 8 >> a & 1) ? 1 : -1;
    assert_int_equal(checkHull(points, 400, 1e-12), 8);
}

// prisms and double cones: many coplanar points around a circle
static void hullOfCircles(void **state)
{
    (void)state;
    enum
    {
        AROUND = 200
    };
    double points[3 * (2 * AROUND + 2)];
    for (int round = 0; round < 10; ++round)
    {
        int count = 2 * AROUND;
        for (int i = 0; i < count; ++i)
        {
            double a = 2 * PI * (i / 2) / AROUND;
            vecStore(points + 3 * i, vec3(cos(a), i % 2, sin(a)));
        }
        if (round % 2 == 1)
        {
            vecStore(points + 3 * count++, vec3(0, 2, 0));
            vecStore(points + 3 * count++, vec3(0, -1, 0));
        }
        for (int i = 0; i < count; ++i)
            turn(points + 3 * i, 0.37 * round);
        assert_int_equal(checkHull(points, count, 2e-9), count);
    }
}

static void hullOfTenThousand(void **state)
{
    (void)state;
    enum
    {
        COUNT = 10000
    };
    double *points = malloc(sizeof(double) * 3 * COUNT);
    TestRandom random = { 17 };
    for (int i = 0; i < COUNT; ++i)
        vecStore(points + 3 * i, randomDirection(&random));
    Memory memory = memoryMake(NULL);
    int *triangle = NULL, triangleCount = 0;
    double start = clockSeconds();
    vvResult result = hullBuild(&memory, points, COUNT, &triangle, &triangleCount);
    print_message("hull of %d points on a sphere: %.3f s\n", COUNT, clockSeconds() - start);
    assert_int_equal(result.code, VV_OK);
    assert_int_equal(triangleCount, 2 * COUNT - 4);
    memoryRelease(&memory, triangle);
    free(points);
}

static vvShape *convexOf(const double *points, int count)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_CONVEX;
    def.points = points;
    def.pointCount = count;
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    if (shape == NULL)
        fail_msg("%s", result.message);
    return shape;
}

static void hullOfBoxCornersIsTheBox(void **state)
{
    (void)state;
    double points[24];
    for (int i = 0; i < 8; ++i)
        vecStore(points + 3 * i, vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.3 : -0.3, i & 4 ? 0.7 : -0.7));
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_BOX;
    def.size = vec3(1, 0.6, 1.4);
    vvShape *convex = convexOf(points, 8), *box = vvCreateShape(&def, NULL);
    TestRandom random = { 9 };
    for (int i = 0; i < 20000; ++i)
    {
        Vec3 p = randomIn(&random, 1.5), m, b;
        CHECK_NEAR(vvShape_GetDistance(convex, p, &m), vvShape_GetDistance(box, p, &b), 1e-14);
        CHECK_NEAR(vecLength(vecSub(m, b)), 0, 1e-10);
    }
    vvDestroyShape(convex);
    vvDestroyShape(box);
}

// inside a convex shape the distance is that of the nearest plane
static void insideIsTheLargestPlaneDistance(void **state)
{
    (void)state;
    double points[3 * 60];
    TestRandom random = { 23 };
    for (int i = 0; i < 60; ++i)
        vecStore(points + 3 * i, randomDirection(&random));
    vvShape *shape = convexOf(points, 60);
    const Surface *surface = &shape->surface;
    int inside = 0;
    for (int i = 0; i < 5000; ++i)
    {
        Vec3 p = randomIn(&random, 0.8);
        double largest = -INFINITY, distance = vvShape_GetDistance(shape, p, NULL);
        for (int t = 0; t < surface->triangleCount; ++t)
            largest = fmax(largest,
                           vecDot(vecLoad(surface->faceNormal + 3 * t), vecSub(p, vecLoad(surface->corners + 9 * t))));
        assert_true((distance < 0) == (largest < 0));
        if (largest < 0)
            CHECK_NEAR(distance, largest, 1e-13);
        else
            assert_true(distance >= largest - 1e-13);
        inside += largest < 0;
    }
    assert_true(inside > 1000);
    vvDestroyShape(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hullOfRandomPoints),
        cmocka_unit_test(hullOfAGridIsTheCube),
        cmocka_unit_test(hullOfFacesIsTheBox),
        cmocka_unit_test(hullOfATiltedPolygonIsACone),
        cmocka_unit_test(hullOfRepeatedPoints),
        cmocka_unit_test(hullOfCircles),
        cmocka_unit_test(hullOfTenThousand),
        cmocka_unit_test(hullOfBoxCornersIsTheBox),
        cmocka_unit_test(insideIsTheLargestPlaneDistance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
