// Rods among others: loops and branches, floors, saved states, free flight.
#include "world/rods.h"

#include <string.h>

static const RodCase base = { 1e7, 0.3, 1000, 0.005, 0.5, 12 };

static double ropeLength(const double *points, const int *edges, int count)
{
    double sum = 0;
    for (int e = 0; e < count; ++e)
        sum += vecLength(vecSub(vecLoad(points + 3 * edges[2 * e + 1]), vecLoad(points + 3 * edges[2 * e])));
    return sum;
}

// what is no rope makes no rod
static void solidsAndSheetsMakeNoRods(void **unused)
{
    (void)unused;
    static const vvMeshShape shapes[] = { VV_MESH_BOX, VV_MESH_SHEET };
    for (int k = 0; k < 2; ++k)
    {
        vvMeshDef def = vvDefaultMeshDef();
        def.shape = shapes[k];
        def.rod = true;
        vvResult result;
        assert_null(vvCreateMesh(&def, &result));
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, k == 0 ? "a solid" : "a sheet"));
    }
}

// A ring and a star: every two segments that meet are joined, and the shape at rest has no energy.
static void loopsAndBranchesAreAtRest(void **unused)
{
    (void)unused;
    static const int ring[] = { 0, 1, 2, 1, 2, 3, 4, 3, 4, 0 }, star[] = { 0, 1, 2, 0, 0, 3, 0, 4 };
    double points[15];
    for (int v = 0; v < 5; ++v)
        vecStore(points + 3 * v, vec3(cos(1.2566 * v), 0.2 * v * v, sin(1.2566 * v)));
    for (int k = 0; k < 2; ++k)
    {
        vvMeshDef def = vvDefaultMeshDef();
        def.shape = VV_MESH_ARRAYS;
        def.points = points;
        def.pointCount = 5;
        def.edges = k == 0 ? ring : star;
        def.edgeCount = k == 0 ? 5 : 4;
        def.rod = true;
        vvResult result;
        vvMesh *mesh = vvCreateMesh(&def, &result);
        CHECK_OK(result);
        assert_int_equal(vvMesh_GetVertexCount(mesh), k == 0 ? 10 : 9);
        vvWorldId world = makeWorld("small-midpoint", (vvVec3){ 0, 0, 0 });
        vvSoftBodyDef body = elasticDef(1000, 1e6, 0.3);
        body.material.thickness = 0.02;
        vvSoftBodyId rod = makeBody(world, mesh, body);
        CHECK_NEAR(vvSoftBody_GetMass(rod),
                   1000 * PI * 1e-4 * (k == 0 ? ropeLength(points, ring, 5) : ropeLength(points, star, 4)), 1e-9);
        for (int n = 0; n < 10; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        for (int v = 0; v < 5; ++v)
            CHECK_NEAR(vertexPosition(rod, v).x, points[3 * v], 1e-10);
        vvExamination seen;
        CHECK_OK(vvSoftBody_Examine(rod, &seen));
        assert_true(seen.lowestFrequency > 1e-3); // no joint is loose
        vvDestroyWorld(world);
    }
}

// a rod that lies on a floor touches it with its own surface: vertices beside it go where they like
static void floorHoldsTheAxisAlone(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "small-midpoint", "small-steps", "stabilized" };
    RodCase rod = base;
    for (int m = 0; m < 3; ++m)
    {
        vvWorldId world = makeWorld(methods[m], (vvVec3){ 0, -9.81, 0 });
        vvResult result;
        vvColliderDef ground = vvDefaultColliderDef();
        vvShapeDef plane = vvDefaultShapeDef();
        plane.kind = VV_SHAPE_PLANE;
        ground.shape = vvCreateShape(&plane, NULL);
        vvCreateCollider(world, &ground, &result);
        CHECK_OK(result);
        vvDestroyShape(ground.shape);
        vvSoftBodyDef def = elasticDef(rod.density, rod.young, rod.poisson);
        def.material.thickness = 2 * rod.radius;
        def.position.y = 0.01;
        def.damping.mass = 5;
        vvSoftBodyId body = makeBody(world, rodMesh(&rod, NULL), def);
        double x[3 * 25];
        for (int v = 0; v < 25; ++v) // upside down
        {
            vvVec3 at = vertexPosition(body, v);
            vecStore(x + 3 * v, vec3(at.x, 0.02 - at.y, at.z));
        }
        CHECK_OK(vvSoftBody_SetPositions(body, x));
        for (int n = 0; n < 90; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        for (int v = 0; v <= rod.segments; ++v)
            CHECK_NEAR(vertexPosition(body, v).y, rod.radius, 0.3 * rod.radius);
        assert_true(vertexPosition(body, sideOf(&rod, 5)).y < 0);
        vvDestroyWorld(world);
    }
}

// a saved state goes on bit for bit, whatever the number of threads
static void savedRodGoesOn(void **unused)
{
    (void)unused;
    RodCase rod = base;
    rod.segments = 60;
    uint64_t hash[2];
    static unsigned char state[200000];
    for (int threads = 1; threads <= 2; ++threads)
    {
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.threads = threads;
        vvResult result;
        vvWorldId world = vvCreateWorld(&worldDef, &result);
        CHECK_OK(result);
        vvSoftBodyId body = makeRod(world, &rod, NULL);
        clampSegment(body, &rod, 0);
        size_t size = vvWorld_GetStateSize(world);
        assert_true(size <= sizeof state);
        for (int n = 0; n < 20; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        if (threads == 1)
            CHECK_OK(vvWorld_SaveState(world, state, size));
        for (int n = 0; n < 20; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        hash[threads - 1] = vvWorld_GetHash(world);
        CHECK_OK(vvWorld_RestoreState(world, state, size));
        for (int n = 0; n < 20; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        assert_true(vvWorld_GetHash(world) == hash[0]);
        vvDestroyWorld(world);
    }
    assert_true(hash[0] == hash[1]);
}

// bent, twisted and spinning: nothing but itself acts on it
static void freeRodKeepsMomenta(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "small-midpoint", "stabilized" };
    RodCase rod = base;
    for (int m = 0; m < 2; ++m)
    {
        vvWorldId world = makeWorld(methods[m], (vvVec3){ 0, 0, 0 });
        vvSoftBodyId body = makeRod(world, &rod, NULL);
        double x[3 * 25], v[3 * 25];
        for (int k = 0; k < 25; ++k)
        {
            vvVec3 at = vertexPosition(body, k);
            double s = at.x / rod.length, turn = 2 * s;
            Vec3 place = vec3(at.x, 0.1 * s * s + at.y * cos(turn), at.y * sin(turn));
            Vec3 speed = vecAdd(vecCross(vec3(3, 1, 5), place), vec3(0.2, 0.3 * sin(9 * s), 0.1));
            vecStore(x + 3 * k, place);
            vecStore(v + 3 * k, speed);
        }
        CHECK_OK(vvSoftBody_SetPositions(body, x));
        CHECK_OK(vvSoftBody_SetVelocities(body, v));
        vvVec3 p = vvSoftBody_GetMomentum(body), l = vvSoftBody_GetAngularMomentum(body);
        int steps = m == 0 ? 60 : 12; // stabilized takes .2 s for each
        for (int n = 0; n < steps; ++n)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        vvVec3 q = vvSoftBody_GetMomentum(body), k = vvSoftBody_GetAngularMomentum(body);
        double whole = sqrt(p.x * p.x + p.y * p.y + p.z * p.z), spin = sqrt(l.x * l.x + l.y * l.y + l.z * l.z);
        CHECK_NEAR(fabs(q.x - p.x) + fabs(q.y - p.y) + fabs(q.z - p.z), 0, 1e-9 * whole);
        CHECK_NEAR(fabs(k.x - l.x) + fabs(k.y - l.y) + fabs(k.z - l.z), 0, 1e-9 * spin);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solidsAndSheetsMakeNoRods), cmocka_unit_test(loopsAndBranchesAreAtRest),
        cmocka_unit_test(floorHoldsTheAxisAlone),    cmocka_unit_test(savedRodGoesOn),
        cmocka_unit_test(freeRodKeepsMomenta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
