// Single particles: mass points without elements, which fall, swing on springs to anchors, and lie on the floor, under
// every method.
#include "base/base.h"
#include "world/scenes.h"
#include "undamped.h"

#include <string.h>

#define COUNT 5

static double draw(uint32_t *seed) // [0, 1)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

static vvMesh *makeParticles(const double *points, int count, const int *edges, int edgeCount, vvResult *result)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = count;
    def.edges = edges;
    def.edgeCount = edgeCount;
    def.particles = true;
    return vvCreateMesh(&def, result);
}

static vvSoftBodyId addParticles(vvWorldId world, vvMesh *mesh, const double *mass, double thickness, vvVec3 velocity)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.model = "spring";
    def.material.density = 1000;
    def.material.thickness = thickness;
    def.vertexMass = mass;
    def.velocity = velocity;
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(mesh);
    return body;
}

// Balls of the diameter of the material, or of the masses given; springs have the mass of ropes.
static void masses(void **state)
{
    (void)state;
    static const double points[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0, 2, 1, 0 }, given[] = { 1, 2, 3, 4 };
    static const int edge[] = { 2, 3 };
    for (int own = 0; own < 2; ++own)
    {
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
        vvMesh *mesh = makeParticles(points, 4, edge, 1, NULL);
        assert_non_null(mesh);
        assert_true(vvMesh_HasParticles(mesh));
        vvSoftBodyId body = addParticles(world, mesh, own ? given : NULL, 0.1, (vvVec3){ 0, 0, 0 });
        double ball = 1000 * PI / 6 * 1e-3, rope = 1000 * PI / 4 * 1e-2;
        CHECK_CLOSE(vvSoftBody_GetMass(body), own ? 10 : 2 * ball + rope, 1e-12);
        vvDestroyWorld(world);
    }
}

// Each on its own parabola, and on its own swing about its anchor: m w^2 = k. Momentum follows gravity.
static void fallAndSwing(void **state)
{
    (void)state;
    static const struct
    {
        const char *method;
        double off; // of the amplitude, after a period in 200 steps
    } rows[] = { { "small-midpoint", 2e-3 }, { "stabilized", 2e-3 }, { "implicit-midpoint", 2e-3 },
                 { "verlet", 2e-3 },         { "rk4", 1e-6 },        { "newmark", 2e-3 } };
    uint32_t seed = 7;
    for (int r = 0; r < 6; ++r)
    {
        double points[3 * COUNT], mass[COUNT];
        for (int i = 0; i < 3 * COUNT; ++i)
            points[i] = 10 * draw(&seed) - 5;
        for (int i = 0; i < COUNT; ++i)
            mass[i] = pow(10, 4 * draw(&seed) - 2);
        vvWorldId world = makeWorld(rows[r].method, (vvVec3){ 0, -9.81, 0 });
        vvSoftBodyId body =
            addParticles(world, makeParticles(points, COUNT, NULL, 0, NULL), mass, 0.05, (vvVec3){ 1, 2, 3 });
        // the last one hangs on a spring; it starts where the spring pulls nothing
        double stiffness = mass[COUNT - 1] * 25, period = 2 * PI / 5, h = period / 200;
        vvAttachmentDef def = vvDefaultAttachmentDef();
        def.bodyA = body;
        def.vertexA = COUNT - 1;
        def.stiffness = stiffness;
        def.target = (vvVec3){ points[12], points[13], points[14] };
        vvResult result;
        vvCreateAttachment(world, &def, &result);
        CHECK_OK(result);
        for (int s = 0; s < 200; ++s)
            CHECK_OK(vvWorld_Step(world, h));
        const double *x = vvSoftBody_GetPositions(body);
        for (int i = 0; i < COUNT - 1; ++i)
        {
            CHECK_NEAR(x[3 * i], points[3 * i] + period, 1e-9);
            CHECK_NEAR(x[3 * i + 1], points[3 * i + 1] + 2 * period - 0.5 * 9.81 * period * period,
                       strcmp(rows[r].method, "small-midpoint") == 0 ? 1e-3 : 1e-9);
        }
        // its amplitude is v / w; after a period it is back
        double amplitude = sqrt(14) / 5, off = 0;
        for (int k = 0; k < 3; ++k)
            off += pow(x[3 * (COUNT - 1) + k] - points[3 * (COUNT - 1) + k], 2);
        print_message("%-18s back within %.2g of its swing\n", rows[r].method, sqrt(off) / amplitude);
        CHECK_BELOW(sqrt(off), rows[r].off * amplitude);
        vvDestroyWorld(world);
    }
}

// They rest on the floor at their radius, without a spring anywhere, also where there is only one.
static void floorAndRadius(void **state)
{
    (void)state;
    for (int count = 1; count <= COUNT; count += COUNT - 1)
    {
        double points[3 * COUNT] = { 0 };
        for (int i = 0; i < count; ++i)
        {
            points[3 * i] = i;
            points[3 * i + 1] = 0.2 + 0.1 * i;
        }
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, -9.81, 0 });
        vvSoftBodyId body =
            addParticles(world, makeParticles(points, count, NULL, 0, NULL), NULL, 0.1, (vvVec3){ 0, 0, 0 });
        vvShapeDef plane = vvDefaultShapeDef();
        vvColliderDef floor = vvDefaultColliderDef();
        floor.shape = vvCreateShape(&plane, NULL);
        vvCreateCollider(world, &floor, NULL);
        for (int s = 0; s < 120; ++s)
            CHECK_OK(vvWorld_Step(world, 1 / 60.0));
        for (int i = 0; i < count; ++i)
            CHECK_NEAR(vvSoftBody_GetPositions(body)[3 * i + 1], 0.05, 1e-6);
        vvDestroyShape(floor.shape);
        vvDestroyWorld(world);
    }
}

// Without the flag a point that nothing uses is an error, as it was.
static void refusals(void **state)
{
    (void)state;
    static const double points[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0 };
    static const int edge[] = { 0, 1 };
    vvMeshDef def = vvDefaultMeshDef();
    vvResult result;
    def.shape = VV_MESH_ARRAYS;
    def.points = points;
    def.pointCount = 3;
    assert_null(vvCreateMesh(&def, &result));
    assert_non_null(strstr(result.message, "no elements"));
    def.edges = edge;
    def.edgeCount = 1;
    assert_null(vvCreateMesh(&def, &result));
    assert_non_null(strstr(result.message, "would have no mass"));
    vvMesh *mesh = makeParticles(points, 0, NULL, 0, &result);
    assert_null(mesh);
    assert_int_equal(result.code, VV_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses),
        cmocka_unit_test(fallAndSwing),
        cmocka_unit_test(floorAndRadius),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
