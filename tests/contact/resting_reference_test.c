// The same geometry in other words gives the same resting height, finer meshes sink no deeper, and a sampled collider
// of 50,000 triangles costs less than twice an analytic one.
#include "contact/ground.h"
#include "shape/solids.h"
#include "undamped.h"

#include <stdlib.h>
#include <time.h>

static const vvVec3 down = { 0, -9.81, 0 };

// a soft box comes to rest; m that the centre of its lower face stands above y = 0
static double restingHeight(vvShape *shape, vvColliderDef def, vvVec3 size, int cells, double stiffness)
{
    vvWorldId world = makeWorld("backward-euler", down);
    vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.3);
    bodyDef.contactStiffness = stiffness;
    bodyDef.position.y = 0.5 * size.y;
    vvSoftBodyId box = makeBody(world, vvCreateBoxMesh(size, cells, cells, cells), bodyDef);
    int middle = vvSoftBody_FindNearestVertex(box, (vvVec3){ 0, -1, 0 });
    def.restitution = 0;
    makeCollider(world, shape, def);
    for (int n = 0; n < 150; ++n)
        CHECK_OK(vvWorld_Step(world, 0.02));
    vvVec3 speed = meanVelocity(box);
    CHECK_BELOW(fabs(speed.y), 1e-6);
    double height = vertexPosition(box, middle).y;
    vvDestroyWorld(world);
    return height;
}

// ---- a flat top -----------------------------------------------------------------------------------------------------

static vvShape *flatShape(int which)
{
    static const double heights[4] = { 0 };
    Solid solid = solidBox(2, 1, 2);
    vvShapeDef def = solidDef(&solid);
    vvShape *shape = NULL;
    static const vvShapeKind kinds[] = { VV_SHAPE_PLANE, VV_SHAPE_BOX,  VV_SHAPE_CONVEX,
                                         VV_SHAPE_MESH,  VV_SHAPE_MESH, VV_SHAPE_HEIGHTFIELD };
    def.kind = kinds[which];
    def.size = (vvVec3){ 2, 1, 2 };
    def.sampling = which == 4 ? 0.1 : 0;
    def.heights = heights;
    def.columns = def.rows = 2;
    shape = shapeOf(&def);
    solidFree(&solid);
    return shape;
}

static void flatTopsAreTheSame(void **unused)
{
    (void)unused;
    static const char *const names[] = { "plane", "box", "convex", "mesh", "sampled mesh", "heightfield" };
    double plane = 0;
    for (int i = 0; i < 6; ++i)
    {
        vvColliderDef def = vvDefaultColliderDef();
        def.position.y = i == 0 || i == 5 ? 0 : -0.5; // the others have their top at half their height
        double height = restingHeight(flatShape(i), def, (vvVec3){ 0.4, 0.4, 0.4 }, 4, 1e6);
        print_message("%s: %.9f m\n", names[i], height);
        plane = i == 0 ? height : plane;
        assert_true(plane < -1e-3);
        CHECK_NEAR(height, plane, (i == 4 ? 1e-4 : 1e-8) * fabs(plane)); // samples are floats
    }
}

// ---- round tops -----------------------------------------------------------------------------------------------------

#define RADIUS 0.5

// a ball of 50,560 triangles, or the same pulled apart to a capsule
static vvShape *roundMesh(double half, double sampling)
{
    Solid solid = solidSphere(RADIUS, 159, 160);
    for (int i = 0; i < solid.pointCount; ++i)
        solid.point[3 * i + 1] += solid.point[3 * i + 1] > 0 ? half : -half;
    vvShape *shape = solidShape(&solid, sampling);
    solidFree(&solid);
    return shape;
}

static void roundTopsAreTheSame(void **unused)
{
    (void)unused;
    // sagitta of a facet: the corners of a triangle lie on the sphere, its middle below
    double facet = RADIUS * (PI / 160) * (PI / 160);
    for (int capsule = 0; capsule < 2; ++capsule)
    {
        vvColliderDef def = vvDefaultColliderDef();
        def.position.y = -RADIUS;
        def.rotation = vvQuat_FromDegrees((vvVec3){ 0, 0, 90 });
        double half = capsule ? 0.4 : 0, height[3];
        for (int i = 0; i < 3; ++i)
        {
            vvShapeDef exact = vvDefaultShapeDef();
            exact.kind = capsule ? VV_SHAPE_CAPSULE : VV_SHAPE_SPHERE;
            exact.radius = RADIUS;
            exact.size.y = 2 * half;
            vvShape *shape = i == 0 ? shapeOf(&exact) : roundMesh(half, i == 2 ? 0.05 : 0);
            height[i] = restingHeight(shape, def, (vvVec3){ 0.4, 0.1, 0.4 }, 6, 3e5);
        }
        print_message("%s: %.7f m, 50k triangles: %.7f m, sampled at 0.05 m: %.7f m\n", capsule ? "capsule" : "sphere",
                      height[0], height[1], height[2]);
        assert_true(height[0] < -0.005);
        CHECK_NEAR(height[1], height[0], 0.01 * fabs(height[0]) + facet);
        CHECK_NEAR(height[2], height[0], 0.05 * 0.05 / RADIUS); // the samples' curve over a cell
    }
}

// ---- refinement -----------------------------------------------------------------------------------------------------

// stiffness is per area that faces the plane, so that the depth does not depend on the mesh
static void finerMeshesSinkNoDeeper(void **unused)
{
    (void)unused;
    double depth[3];
    for (int i = 0; i < 3; ++i)
    {
        depth[i] = -restingHeight(planeShape(), vvDefaultColliderDef(), (vvVec3){ 0.4, 0.4, 0.4 }, 2 << i, 1e6);
        print_message("%d cells: %.6f m deep\n", 2 << i, depth[i]);
    }
    double ideal = 1000 * 9.81 * 0.4 / 1e6;
    for (int i = 0; i < 3; ++i)
    {
        CHECK_CLOSE(depth[i], depth[2], 0.03);
        CHECK_CLOSE(depth[i], ideal, 0.03);
    }
}

// ---- cost -----------------------------------------------------------------------------------------------------------

// of this process: others do not count
static double cpuSeconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// there clock() is the time of day, in milliseconds
#ifdef _WIN32
#define TELLS_CPU_TIME false
#else
#define TELLS_CPU_TIME true
#endif

// the least of the frames in which all touch; the worlds take turns, so that a busy machine is busy for all of them
static void manyTrianglesAreCheap(void **unused)
{
    (void)unused;
    if (!TELLS_CPU_TIME || sliceOf(2) > 1)
        return;
    enum
    {
        FRAMES = 56
    };
    static const char *const names[] = { "sphere", "50k triangles", "50k triangles, sampled" };
    double least[3] = { INFINITY, INFINITY, INFINITY };
    vvWorldId world[3];
    for (int i = 0; i < 3; ++i)
    {
        world[i] = contactWorld("backward-euler", "local-global", 10, down);
        vvSoftBodyDef def = undampedDef();
        def.material = vvMaterial_Cotton();
        def.material.loss = 0;
        def.material.young = 1e6;
        def.position.y = RADIUS + 0.02;
        makeBody(world[i], vvCreateSheetMesh(1, 1, 40, 40), def);
        makeCollider(world[i], i == 0 ? sphereShape(RADIUS) : roundMesh(0, i == 2 ? 0.02 : 0), vvDefaultColliderDef());
    }
    for (int n = 0; n < FRAMES; ++n)
    {
        for (int i = 0; i < 3; ++i)
        {
            double begin = cpuSeconds();
            CHECK_OK(vvWorld_Step(world[i], 1.0 / 60));
            if (n >= FRAMES / 2)
                least[i] = fmin(least[i], cpuSeconds() - begin);
        }
    }
    for (int i = 0; i < 3; ++i)
    {
        print_message("%s: %.2f ms per frame, %.2f x; %d of 1681 vertices touch\n", names[i], 1e3 * least[i],
                      least[i] / least[0], vvWorld_GetContacts(world[i], NULL, 0));
        assert_true(vvWorld_GetContacts(world[i], NULL, 0) > 200);
        // the samples keep the promise; exact distances take up to three times as long
        CHECK_BELOW(least[i], (i == 1 ? 6 : 2) * least[0]);
        vvDestroyWorld(world[i]);
    }
}

// 9 spheres under a soft box, and 991 more around them; the least of many frames
static void farCollidersAreFree(void **unused)
{
    (void)unused;
    if (!TELLS_CPU_TIME)
        return;
    double least[2] = { INFINITY, INFINITY };
    vvWorldId world[2];
    for (int i = 0; i < 2; ++i)
    {
        world[i] = contactWorld("backward-euler", "local-global", 10, down);
        vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.3);
        bodyDef.position.y = 0.45;
        makeBody(world[i], vvCreateBoxMesh((vvVec3){ 1, 0.5, 1 }, 10, 5, 10), bodyDef);
        vvShape *ball = sphereShape(0.2);
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = ball;
        for (int k = 0; k < (i ? 1000 : 9); ++k)
        {
            int away = k < 9 ? 0 : 4;
            def.position = (vvVec3){ 0.3 * (k % 3 - 1) + away, 0, 0.3 * (k / 3 % 3 - 1) + 0.1 * away * (k / 9) };
            assert_true(vvCollider_IsValid(vvCreateCollider(world[i], &def, NULL)));
        }
        vvDestroyShape(ball);
    }
    for (int n = 0; n < 100; ++n)
    {
        for (int i = 0; i < 2; ++i)
        {
            double begin = cpuSeconds();
            CHECK_OK(vvWorld_Step(world[i], 1.0 / 60));
            least[i] = fmin(least[i], cpuSeconds() - begin);
        }
    }
    print_message("9 spheres: %.2f ms per frame, 1000: %.2f ms\n", 1e3 * least[0], 1e3 * least[1]);
    CHECK_BELOW(least[1], 1.5 * least[0]);
    vvDestroyWorld(world[0]);
    vvDestroyWorld(world[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flatTopsAreTheSame),      cmocka_unit_test(roundTopsAreTheSame),
        cmocka_unit_test(finerMeshesSinkNoDeeper), cmocka_unit_test(manyTrianglesAreCheap),
        cmocka_unit_test(farCollidersAreFree),
    };
    return cmocka_run_group_tests_name("contact resting", tests, NULL, NULL);
}
