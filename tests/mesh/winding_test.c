// Winding numbers against sums over all triangles, and against what is known of closed surfaces.
#include "check.h"
#include "mesh/surfaces.h"
#include "mesh/winding.h"

// as far as the expansion of far triangles goes; what counts is the side of one half
#define ACCURACY 0.01

static double between(unsigned *seed, double low, double high)
{
    *seed = *seed * 1664525U + 1013904223U;
    return low + (high - low) * (double)(*seed >> 8) / (double)(1U << 24);
}

static double sumOfAll(const Soup *soup, Vec3 point)
{
    double sum = 0;
    for (int t = 0; t < soup->triangleCount; ++t)
    {
        double corners[9];
        for (int i = 0; i < 3; ++i)
            memcpy(corners + 3 * i, soup->point + 3 * (size_t)soup->triangle[3 * t + i], 3 * sizeof(double));
        sum += windingOfTriangle(corners, point);
    }
    return sum;
}

static void farTrianglesAreNearlyExact(void **state)
{
    (void)state;
    Soup soup = { 0 };
    soupBall(&soup, vec3(0, 0, 0), 1, 12);
    soupTorus(&soup, 1.2, 0.4, 30, 12);
    soupOpen(&soup, 0.7);
    Memory memory = memoryMake(NULL);
    Winding winding;
    assert_true(windingBuild(&memory, &winding, soup.point, soup.triangle, soup.triangleCount));
    unsigned seed = 1;
    for (int i = 0; i < 300; ++i)
    {
        Vec3 point = vec3(between(&seed, -2, 2), between(&seed, -2, 2), between(&seed, -2, 2));
        CHECK_NEAR(windingNumber(&winding, point), sumOfAll(&soup, point), ACCURACY);
    }
    windingFree(&memory, &winding);
    assert_int_equal(memory.blocks, 0);
    soupFree(&soup);
}

static void closedSurfacesCountTheirShells(void **state)
{
    (void)state;
    Soup soup = { 0 };
    soupBall(&soup, vec3(0, 0, 0), 1, 10);
    soupBall(&soup, vec3(0.5, 0, 0), 1, 10);
    Memory memory = memoryMake(NULL);
    Winding winding;
    assert_true(windingBuild(&memory, &winding, soup.point, soup.triangle, soup.triangleCount));
    CHECK_NEAR(windingNumber(&winding, vec3(0.25, 0.1, 0)), 2, ACCURACY);
    CHECK_NEAR(windingNumber(&winding, vec3(-0.8, 0, 0.1)), 1, ACCURACY);
    CHECK_NEAR(windingNumber(&winding, vec3(0, 1.5, 0)), 0, ACCURACY);
    // a line through both: in, in, out, out
    double place[8];
    int sign[8];
    assert_int_equal(windingCrossings(&winding, vec3(-2, 0.013, 0.021), vec3(2, 0.013, 0.021), place, sign, 8), 4);
    for (int i = 0; i < 4; ++i)
    {
        assert_int_equal(sign[i], i < 2 ? -1 : 1);
        assert_true(i == 0 || place[i] > place[i - 1]);
    }
    assert_int_equal(windingCrossings(&winding, vec3(-2, 0.013, 0.021), vec3(2, 0.013, 0.021), place, sign, 1), 4);
    windingFree(&memory, &winding);
    soupFree(&soup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(farTrianglesAreNearlyExact),
        cmocka_unit_test(closedSurfacesCountTheirShells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
