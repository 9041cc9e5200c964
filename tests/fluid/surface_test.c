// The surface of particles as a mesh.
#include "fluid/surface.h"
#include "tank.h"

#include <stdlib.h>

static Memory memory;

static double volumeOf(const FluidSurface *s)
{
    double volume = 0;
    for (int t = 0; t < s->triangleCount; ++t)
    {
        Vec3 x[3];
        for (int k = 0; k < 3; ++k)
            x[k] = vecLoad(s->point + 3 * (ptrdiff_t)s->triangle[3 * t + k]);
        volume += vecDot(x[0], vecCross(x[1], x[2])) / 6;
    }
    return volume;
}

static int compareEdges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int));
}

// every edge is in two triangles, once in each direction
static void checkClosed(const FluidSurface *s)
{
    int count = 3 * s->triangleCount, *there = malloc(2 * sizeof(int) * (size_t)count + 1);
    int *back = malloc(2 * sizeof(int) * (size_t)count + 1);
    assert_non_null(there);
    assert_non_null(back);
    for (int e = 0; e < count; ++e)
    {
        int from = s->triangle[e], to = s->triangle[e - e % 3 + (e + 1) % 3];
        there[2 * e] = back[2 * e + 1] = from;
        there[2 * e + 1] = back[2 * e] = to;
        assert_true(from != to);
    }
    qsort(there, (size_t)count, 2 * sizeof(int), compareEdges);
    qsort(back, (size_t)count, 2 * sizeof(int), compareEdges);
    assert_memory_equal(there, back, 2 * sizeof(int) * (size_t)count);
    for (int e = 1; e < count; ++e)
        assert_true(compareEdges(there + 2 * (ptrdiff_t)e - 2, there + 2 * (ptrdiff_t)e) != 0);
    assert_true(allFinite(s->point, 3 * s->pointCount));
    free(there);
    free(back);
}

static void testVolumeOfABoxAtRest(void **state)
{
    (void)state;
    FluidSettings settings = fluidDefaults(3);
    FluidSurface surface = { 0 };
    Fluid *fluid = makeBlock(&memory, &settings, 12, 12, 12);
    double whole = 12 * 12 * 12 * pow(settings.spacing, 3);
    assert_true(fluidSurfaceMake(&memory, fluid->position, fluid->count, settings.spacing, &surface));
    checkClosed(&surface);
    CHECK_CLOSE(volumeOf(&surface), whole, 0.05);
    // a fluid that has come to rest in a tank is no lattice
    Tank tank = { { 0, 0, 0 }, { 12 * settings.spacing, FAR_AWAY, 12 * settings.spacing } };
    FluidMotion motion = tankMotion(&tank, 1 / 60.0);
    FluidBooks books = { 0 };
    for (int step = 0; step < 20; ++step)
        assert_true(fluidStep(fluid, &motion, &books));
    assert_true(fluidSurfaceMake(&memory, fluid->position, fluid->count, settings.spacing, &surface));
    checkClosed(&surface);
    CHECK_CLOSE(volumeOf(&surface), whole, 0.05);
    fluidSurfaceRelease(&memory, &surface);
    fluidDestroy(fluid);
}

static void testFewParticles(void **state)
{
    (void)state;
    FluidSurface surface = { 0 };
    const double d = 0.02;
    double x[] = { 0, 0, 0, 5, 1, -2, NAN, 0, 0, 1e300, 0, 0 };
    assert_true(fluidSurfaceMake(&memory, x, 0, d, &surface));
    assert_int_equal(surface.triangleCount, 0);
    for (int count = 1; count <= 4; ++count)
    {
        int balls = count < 2 ? 1 : 2;
        assert_true(fluidSurfaceMake(&memory, x, count, d, &surface));
        checkClosed(&surface);
        CHECK_NEAR(volumeOf(&surface) / (balls * d * d * d), 0.42, 0.1);
    }
    // one drop as long as two are near, then two, and nothing between them
    for (double apart = 0; apart < 6; apart += 0.3)
    {
        double pair[] = { 0, 0, 0, apart * d, 0.3 * apart * d, 0 };
        assert_true(fluidSurfaceMake(&memory, pair, 2, d, &surface));
        checkClosed(&surface);
        CHECK_BELOW(0.25 * d * d * d, volumeOf(&surface));
        CHECK_BELOW(volumeOf(&surface), 3 * d * d * d);
    }
    fluidSurfaceRelease(&memory, &surface);
}

// clouds of any density, and sheets as a fluid in 2D is
static void testCloudsAreClosed(void **state)
{
    (void)state;
    FluidSurface surface = { 0 }, again = { 0 };
    static double x[3 * 200];
    int held = (int)memory.blocks;
    TestRandom random = { 3 };
    for (int round = 0; round < 8; ++round)
    {
        double edge = 0.05 * pow(1.7, round);
        for (int i = 0; i < 3 * 200; ++i)
            x[i] = i % 3 == 2 && round % 4 == 3 ? 1 : randomBetween(&random, -edge, edge);
        assert_true(fluidSurfaceMake(&memory, x, 200, 0.02, &surface));
        checkClosed(&surface);
        CHECK_BELOW(0, volumeOf(&surface));
        assert_true(fluidSurfaceMake(&memory, x, 200, 0.02, &again));
        assert_int_equal(again.triangleCount, surface.triangleCount);
        assert_memory_equal(again.point, surface.point, 3 * sizeof(double) * (size_t)surface.pointCount);
        assert_memory_equal(again.triangle, surface.triangle, 3 * sizeof(int) * (size_t)surface.triangleCount);
    }
    fluidSurfaceRelease(&memory, &surface);
    fluidSurfaceRelease(&memory, &again);
    assert_int_equal((int)memory.blocks, held);
}

int main(void)
{
    memory = memoryMake(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testVolumeOfABoxAtRest),
        cmocka_unit_test(testFewParticles),
        cmocka_unit_test(testCloudsAreClosed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
