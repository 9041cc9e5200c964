// Nearest points of vertices and triangles and of edges, against many points of both; parallel and degenerate ones too.
#include "check.h"

#include "contact/proximity.h"
#include "contact/tree_kernels.h"

static Vec3 randomPoint(TestRandom *random, bool coarse)
{
    double x[3];
    for (int k = 0; k < 3; ++k)
        x[k] = coarse ? floor(randomBetween(random, 0, 3)) : randomBetween(random, -1, 1);
    return vec3(x[0], x[1], x[2]);
}

static Vec3 weighted(const Vec3 corner[4], const double *weight)
{
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 4; ++k)
        sum = vecAdd(sum, vecScale(weight[k], corner[k]));
    return sum;
}

static void checkClosest(const Vec3 corner[4], int first, const Closest *closest, TestRandom *random)
{
    double sum[2] = { 0, 0 };
    for (int k = 0; k < 4; ++k)
    {
        sum[k >= first] += closest->weight[k];
        CHECK_BELOW(k < first ? -closest->weight[k] : closest->weight[k], 1e-12);
    }
    CHECK_NEAR(sum[0], 1, 1e-12);
    CHECK_NEAR(sum[1], -1, 1e-12);
    CHECK_NEAR(vecLength(weighted(corner, closest->weight)), closest->distance, 1e-9);
    CHECK_NEAR(vecDot(weighted(corner, closest->weight), closest->normal), closest->distance, 1e-9);
    for (int n = 0; n < 200; ++n) // no other two points are nearer
    {
        double weight[4], part[2] = { 0, 0 };
        for (int k = 0; k < 4; ++k)
            part[k >= first] += weight[k] = n % 3 == 0 && randomUnit(random) < 0.5 ? 1e-9 : randomUnit(random) + 1e-9;
        for (int k = 0; k < 4; ++k)
            weight[k] /= k < first ? part[0] : -part[1];
        CHECK_BELOW(closest->distance, vecLength(weighted(corner, weight)) + 1e-9);
    }
    for (int k = 0; k < 4 && closest->distance > 1e-9; ++k) // the plane between them has each on one side
    {
        double weight[4] = { closest->weight[0], closest->weight[1], closest->weight[2], closest->weight[3] };
        for (int i = 0; i < 4; ++i)
            weight[i] = (i >= first) == (k >= first) ? (i == k ? (k < first ? 1 : -1) : 0) : weight[i];
        CHECK_BELOW(closest->distance, vecDot(closest->normal, weighted(corner, weight)) + 1e-9);
    }
}

static void nearest_points_are_nearest(void **state)
{
    (void)state;
    TestRandom random = { 5 };
    for (int n = 0; n < 3000; ++n)
    {
        Vec3 corner[4];
        for (int k = 0; k < 4; ++k)
            corner[k] = randomPoint(&random, n % 2 == 0); // points of a small grid: parallel, flat, touching
        Closest closest = closestVertexTriangle(corner);
        checkClosest(corner, 1, &closest, &random);
        closest = closestEdges(corner);
        checkClosest(corner, 2, &closest, &random);
    }
}

// however close: the direction is that of the plane
static void close_ones_have_a_normal(void **state)
{
    (void)state;
    for (double d = 1e-1; d > 1e-14; d *= 0.1)
    {
        const Vec3 edges[4] = { vec3(-1, d, 0.1), vec3(1, d, 0), vec3(0, 0, -1), vec3(0.1, 0, 1) };
        Closest closest = closestEdges(edges);
        CHECK_CLOSE(closest.distance, d, 1e-12);
        CHECK_NEAR(closest.normal.y, 1, 1e-12);
        const Vec3 triangle[4] = { vec3(0.2, -d, 0.2), vec3(0, 0, 0), vec3(1, 0, 0), vec3(0, 0, 1) };
        closest = closestVertexTriangle(triangle);
        CHECK_CLOSE(closest.distance, d, 1e-12);
        CHECK_NEAR(closest.normal.y, -1, 1e-12);
    }
}

// The tree leaves out what lanes say is farther than its limit by a thousandth of an edge: slivers of any height too.
static void lanes_tell_how_far_triangles_are(void **state)
{
    (void)state;
    TestRandom random = { 9 };
    for (int n = 0; n < 3000; ++n)
    {
        LeafPack pack;
        Vec3 point = randomPoint(&random, false), corner[LEAF_LANES][4];
        for (int i = 0; i < LEAF_LANES; ++i)
        {
            double height = pow(0.1, randomBetween(&random, 0, 8));
            corner[i][0] = point;
            corner[i][1] = randomPoint(&random, n % 2 == 0);
            corner[i][2] = randomPoint(&random, n % 2 == 0);
            Vec3 along = vecAdd(corner[i][1], vecScale(randomUnit(&random), vecSub(corner[i][2], corner[i][1])));
            corner[i][3] = vecAdd(along, vecScale(height, randomPoint(&random, n % 2 == 0)));
            for (int k = 0; k < 9; ++k)
            {
                double x[3];
                vecStore(x, corner[i][1 + k / 3]);
                pack.corner[k / 3][k % 3][i] = (float)x[k % 3];
            }
        }
        float at[3] = { (float)point.x, (float)point.y, (float)point.z }, square[LEAF_LANES];
        leafKernels_base.squares(&pack, at, square);
        for (int i = 0; i < LEAF_LANES; ++i)
            CHECK_NEAR(sqrt((double)square[i]), closestVertexTriangle(corner[i]).distance, 1e-3);
    }
}

#define PLANES 24 // three for each lane

// Planes of lanes are those of one pair at a time, bit by bit, whichever kinds come in whatever order.
static void planes_of_lanes_have_the_same_bits(void **state)
{
    (void)state;
    TestRandom random = { 11 };
    CollisionMesh mesh = { .features = &(Features){ .isa = isaBest() } };
    ProximityBody body = { .mesh = &mesh };
    for (int n = 0; n < 600; ++n)
    {
        double x[12 * PLANES];
        NearName name[PLANES];
        bool passes[PLANES];
        Plane plane[PLANES];
        Proximity proximity = { .bodyCount = 1, .body = &body, .name = name };
        int made = 0;
        for (int i = 0; i < PLANES; ++i)
        {
            name[i] = (NearName){ .vertex = { 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3 },
                                  .first = randomUnit(&random) < 0.5 ? 1 : 2,
                                  .radius = randomUnit(&random) };
            passes[i] = randomUnit(&random) < 0.7;
            for (int k = 0; k < 4; ++k)
                vecStore(x + 12 * i + 3 * k, randomPoint(&random, n % 2 == 0));
        }
        int count = planesMake(&proximity, x, 0, PLANES, passes, plane);
        for (int i = 0; i < PLANES; ++i)
        {
            Vec3 at[4] = { vecLoad(x + 12 * i), vecLoad(x + 12 * i + 3), vecLoad(x + 12 * i + 6),
                           vecLoad(x + 12 * i + 9) };
            Closest closest = name[i].first == 1 ? closestVertexTriangle(at) : closestEdges(at);
            if (!passes[i] || !(closest.distance > 0))
                continue;
            Plane one = planeBetween(&proximity, i, at, &closest, 0.5);
            assert_true(made < count);
            assert_int_equal(plane[made].pair, i);
            for (int k = 0; k < 4; ++k)
            {
                assert_true(plane[made].at.weight[k] == one.at.weight[k]);
                assert_true(plane[made].slack[k] == one.slack[k]);
            }
            assert_true(plane[made].at.distance == one.at.distance);
            assert_memory_equal(&plane[made].at.normal, &one.at.normal, sizeof one.at.normal);
            made += 1;
        }
        assert_int_equal(made, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_points_are_nearest),
        cmocka_unit_test(close_ones_have_a_normal),
        cmocka_unit_test(lanes_tell_how_far_triangles_are),
        cmocka_unit_test(planes_of_lanes_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
