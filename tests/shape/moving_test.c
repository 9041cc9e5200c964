// Meshes whose points move in a step: distances at a moment are those of the mesh at that moment.
#include "refuse.h"
#include "shape/solids.h"

static vvShape *meshOf(const Solid *solid, const double *points)
{
    vvShapeDef def = vvDefaultShapeDef();
    def.kind = VV_SHAPE_MESH;
    def.points = points;
    def.pointCount = solid->pointCount;
    def.triangles = solid->triangle;
    def.triangleCount = solid->triangleCount;
    vvResult result;
    vvShape *shape = vvCreateShape(&def, &result);
    assert_int_equal(result.code, VV_OK);
    return shape;
}

static Vec3 anyPoint(TestRandom *random, double size)
{
    return vec3(randomBetween(random, -size, size), randomBetween(random, -size, size),
                randomBetween(random, -size, size));
}

// moves all points as a whole and each a little by itself
static void stir(const Solid *solid, TestRandom *random, const double *from, double *to)
{
    Vec3 all = anyPoint(random, 0.5);
    for (int p = 0; p < solid->pointCount; ++p)
        vecStore(to + 3 * p, vecAdd(vecLoad(from + 3 * p), vecAdd(all, anyPoint(random, 0.05))));
}

static void compare(const Solid *solid, const vvShape *moving, const double *start, const double *end, double moment,
                    TestRandom *random)
{
    double *points = malloc(3 * (size_t)solid->pointCount * sizeof(double));
    for (int i = 0; i < 3 * solid->pointCount; ++i)
        points[i] = (1 - moment) * start[i] + moment * end[i];
    vvShape *still = meshOf(solid, points);
    int hint = -1;
    for (int k = 0; k < 300; ++k)
    {
        Vec3 p = anyPoint(random, 2);
        if (k % 3 == 0) // next to a point, where corners and edges are nearest
            p = vecAdd(vecLoad(points + 3 * (k % solid->pointCount)), anyPoint(random, 0.02));
        ShapeSample a = shapeSampleAt(moving, moment, p, INFINITY, hint), b = shapeSample(still, p, INFINITY, -1);
        hint = a.feature;
        CHECK_NEAR(a.distance, b.distance, 1e-12);
        CHECK_BELOW(vecLength(vecSub(a.normal, b.normal)), 1e-9);
        double curveA[9], curveB[9];
        shapeCurvature(moving, moment, p, curveA);
        shapeCurvature(still, 0, p, curveB);
        for (int i = 0; i < 9; ++i)
            CHECK_NEAR(curveA[i], curveB[i], 1e-6 * (1 + fabs(curveB[i])));
        // no limit is passed unseen
        ShapeSample near = shapeSampleAt(moving, moment, p, 0.1, -1);
        assert_true(b.distance < 0.1 ? near.distance == a.distance : !(near.distance < 0.1));
    }
    vvDestroyShape(still);
    free(points);
}

static void distancesAtMoments(void **state)
{
    (void)state;
    static const double moments[] = { 0, 0.25, 0.5, 0.9, 1 };
    TestRandom random = { 7 };
    Solid solid = solidSphere(1, 8, 12);
    size_t bytes = 3 * (size_t)solid.pointCount * sizeof(double);
    double *start = malloc(bytes), *end = malloc(bytes);
    memcpy(start, solid.point, bytes);
    vvShape *mesh = meshOf(&solid, start);
    vvResult result;
    vvShape *moving = shapeCreateMoving(mesh, NULL, &result);
    assert_int_equal(result.code, VV_OK);
    for (int step = 0; step < 4; ++step)
    {
        stir(&solid, &random, start, end);
        shapeMovePoints(moving, end);
        assert_true(shapeIsMoving(moving) && shapeFarthest(moving) > 0);
        for (int m = 0; m < 5; ++m)
            compare(&solid, moving, start, end, moments[m], &random);
        shapeArrive(moving);
        assert_true(!shapeIsMoving(moving) && shapeFarthest(moving) == 0);
        memcpy(start, end, bytes);
        compare(&solid, moving, start, end, 0, &random);
    }
    vvDestroyShape(moving);
    vvDestroyShape(mesh);
    solidFree(&solid);
    free(start);
    free(end);
}

// what the surface under a point moves, of an affine motion: its own displacement there
static void surfacesCarry(void **state)
{
    (void)state;
    TestRandom random = { 3 };
    Solid solid = solidSphere(1, 8, 12);
    vvShape *mesh = meshOf(&solid, solid.point), *moving = shapeCreateMoving(mesh, NULL, NULL);
    double *end = malloc(3 * (size_t)solid.pointCount * sizeof(double));
    Mat3 map = { { { 1.1, 0.2, 0 }, { -0.1, 0.9, 0.3 }, { 0, 0.1, 1.2 } } };
    for (int p = 0; p < solid.pointCount; ++p)
        vecStore(end + 3 * p, matApply(&map, vecLoad(solid.point + 3 * p)));
    shapeMovePoints(moving, end);
    for (int k = 0; k < 200; ++k)
    {
        // a point of the surface where the step begins, seen where it is at some moment
        ShapeSample at = shapeSample(mesh, anyPoint(&random, 1.5), INFINITY, -1);
        Vec3 p = anyPoint(&random, 1.5);
        at = shapeSample(mesh, p, INFINITY, -1);
        p = vecSub(p, vecScale(at.distance, at.normal));
        Vec3 way = vecSub(matApply(&map, p), p);
        double moment = randomUnit(&random);
        Vec3 found = shapeCarry(moving, moment, vecAdd(p, vecScale(moment, way)), -1);
        CHECK_BELOW(vecLength(vecSub(found, way)), 1e-9);
        // its normal turns with it, but for shear
        Vec3 turned = shapeTurn(moving, at.feature, 0, 1, at.normal);
        CHECK_NEAR(vecLength(turned), 1, 1e-12);
    }
    vvDestroyShape(moving);
    vvDestroyShape(mesh);
    solidFree(&solid);
    free(end);
}

static void onlyMeshesMove(void **state)
{
    (void)state;
    vvShapeDef def = vvDefaultShapeDef();
    vvShape *plane = vvCreateShape(&def, NULL);
    vvResult result;
    assert_null(shapeCreateMoving(plane, NULL, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
    vvDestroyShape(plane);
}

// memory that is refused at any point leaves nothing behind
static void refusedMemoryDoesNoHarm(void **state)
{
    (void)state;
    Solid solid = solidSphere(1, 4, 6);
    vvShape *mesh = meshOf(&solid, solid.point), *moving = NULL;
    for (int granted = 0; moving == NULL; ++granted)
    {
        int left = granted;
        vvAllocator allocator = { refuseAfter, giveBack, &left };
        vvResult result;
        moving = shapeCreateMoving(mesh, &allocator, &result);
        assert_true(moving != NULL || result.code == VV_OUT_OF_MEMORY);
        assert_true(granted < 50);
    }
    vvDestroyShape(moving);
    vvDestroyShape(mesh);
    solidFree(&solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distancesAtMoments),
        cmocka_unit_test(surfacesCarry),
        cmocka_unit_test(onlyMeshesMove),
        cmocka_unit_test(refusedMemoryDoesNoHarm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
