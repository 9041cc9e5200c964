// Distances from samples: near the exact ones, smooth, and cheap in memory.
#include "shape/kinds.h"
#include "solids.h"

// on faces, away from edges, a spline over a linear function is exact but for float
static void flatFacesAreExact(void **state)
{
    (void)state;
    Solid solid = solidBox(1, 1, 1);
    vvShape *shape = solidShape(&solid, 0.05);
    TestRandom random = { 2 };
    for (int i = 0; i < 3000; ++i)
    {
        double u = randomBetween(&random, -0.25, 0.25), v = randomBetween(&random, -0.25, 0.25);
        double d = randomBetween(&random, -0.1, 0.1);
        Vec3 normal;
        CHECK_NEAR(vvShape_GetDistance(shape, vec3(u, 0.5 + d, v), &normal), d, 1e-7);
        CHECK_NEAR(normal.y, 1, 1e-9);
        CHECK_NEAR(vvShape_GetDistance(shape, vec3(-0.5 - d, u, v), &normal), d, 1e-7);
        CHECK_NEAR(normal.x, -1, 1e-9);
    }
    vvDestroyShape(shape);
    solidFree(&solid);
}

// a spline takes a weighted mean of the samples around: at most a cell and a half away along each axis, half a cell rms
static void errorIsBelowACell(void **state)
{
    (void)state;
    Solid solids[] = { solidTorus(0.8, 0.3, 30, 20), solidAngle(), solidWedge(), solidBox(1, 0.6, 1.4) };
    for (int k = 0; k < 4; ++k)
    {
        vvShape *exact = solidShape(&solids[k], 0);
        vvBox box = vvShape_GetBounds(exact);
        for (int fine = 0; fine < 2; ++fine)
        {
            double cell = fine ? 0.025 : 0.1, worst = 0;
            vvShape *shape = solidShape(&solids[k], cell);
            TestRandom random = { 19 };
            for (int i = 0; i < 4000; ++i)
            {
                Vec3 u = randomIn(&random, 1); // within the bounds and a cell around them
                Vec3 p = vec3(0.5 * (box.lower.x + box.upper.x) + u.x * (0.5 * (box.upper.x - box.lower.x) + cell),
                              0.5 * (box.lower.y + box.upper.y) + u.y * (0.5 * (box.upper.y - box.lower.y) + cell),
                              0.5 * (box.lower.z + box.upper.z) + u.z * (0.5 * (box.upper.z - box.lower.z) + cell));
                worst = fmax(worst, fabs(vvShape_GetDistance(shape, p, NULL) - vvShape_GetDistance(exact, p, NULL)));
            }
            CHECK_BELOW(worst, cell);
            vvDestroyShape(shape);
        }
        vvDestroyShape(exact);
        solidFree(&solids[k]);
    }
}

// a smooth surface: the error falls with the square of the cell
static void errorFallsQuadratically(void **state)
{
    (void)state;
    Solid solid = solidSphere(1, 40, 80);
    vvShape *exact = solidShape(&solid, 0), *coarse = solidShape(&solid, 0.2), *fine = solidShape(&solid, 0.1);
    double worst[2] = { 0, 0 };
    TestRandom random = { 5 };
    for (int i = 0; i < 3000; ++i)
    {
        Vec3 p = vecScale(randomBetween(&random, 0.9, 1.1), randomDirection(&random));
        double want = vvShape_GetDistance(exact, p, NULL);
        worst[0] = fmax(worst[0], fabs(vvShape_GetDistance(coarse, p, NULL) - want));
        worst[1] = fmax(worst[1], fabs(vvShape_GetDistance(fine, p, NULL) - want));
    }
    CHECK_BELOW(worst[1], 0.4 * worst[0]);
    CHECK_BELOW(worst[1], 0.1 * 0.1 / 4 * 1.5); // h^2 / 4r, and facets
    vvDestroyShape(exact);
    vvDestroyShape(coarse);
    vvDestroyShape(fine);
    solidFree(&solid);
}

// no step in value or normal anywhere, also across the border of the grid for the value
static void valueAndNormalAreContinuous(void **state)
{
    (void)state;
    Solid solid = solidAngle();
    const double cell = 0.1, step = 1e-7;
    vvShape *shape = solidShape(&solid, cell);
    TestRandom random = { 15 };
    for (int i = 0; i < 20000; ++i)
    {
        Vec3 p = randomIn(&random, 1.5), d = randomDirection(&random), n, m;
        // every second point at the border between two patches of the spline
        if (i % 2 == 0)
            p.x = shape->samples.origin.x + cell * (floor(p.x / cell) + 20.5);
        double a = vvShape_GetDistance(shape, p, &n);
        double b = vvShape_GetDistance(shape, vecAdd(p, vecScale(step, d)), &m);
        CHECK_NEAR(a, b, 2 * step);
        // within the grid the normal turns by the curvature, at most about 2 per cell where the slope is not tiny
        bool inside = fabs(p.x) < 1.15 && fabs(p.y) < 1.15 && fabs(p.z) < 0.5 && fabs(a) < 0.2;
        if (inside)
            CHECK_BELOW(vecLength(vecSub(n, m)), 1e-4);
    }
    vvDestroyShape(shape);
    solidFree(&solid);
}

// far away the distance is right within the size of the grid's margin
static void farAwayIsNearlyRight(void **state)
{
    (void)state;
    Solid solid = solidBox(1, 1, 1);
    vvShape *shape = solidShape(&solid, 0.05), *exact = solidShape(&solid, 0);
    TestRandom random = { 25 };
    for (int i = 0; i < 2000; ++i)
    {
        Vec3 p = vecScale(randomBetween(&random, 1, 50), randomDirection(&random));
        double want = vvShape_GetDistance(exact, p, NULL), got = vvShape_GetDistance(shape, p, NULL);
        assert_true(got >= want - 0.05 && got <= want + 4 * 0.05 * sqrt(3));
    }
    vvDestroyShape(shape);
    vvDestroyShape(exact);
    solidFree(&solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flatFacesAreExact),       cmocka_unit_test(errorIsBelowACell),
        cmocka_unit_test(errorFallsQuadratically), cmocka_unit_test(valueAndNormalAreContinuous),
        cmocka_unit_test(farAwayIsNearlyRight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
