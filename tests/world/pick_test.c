// Rays find what is in front: triangles of bodies from both sides, ropes, colliders.
#include "check.h"
#include "undamped.h"

#include <math.h>
#include <string.h>

#include <verve/verve.h>

static vvSoftBodyId addBody(vvWorldId world, vvMesh *mesh, vvVec3 position)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.position = position;
    def.material.thickness = 0.1;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, NULL);
    vvDestroyMesh(mesh);
    assert_true(vvSoftBody_IsValid(body));
    return body;
}

static vvColliderId addSphere(vvWorldId world, vvVec3 position, double radius)
{
    vvShapeDef shapeDef = vvDefaultShapeDef();
    shapeDef.kind = VV_SHAPE_SPHERE;
    shapeDef.radius = radius;
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = vvCreateShape(&shapeDef, NULL);
    def.position = position;
    vvColliderId collider = vvCreateCollider(world, &def, NULL);
    vvDestroyShape(def.shape);
    return collider;
}

static bool same(vvSoftBodyId a, vvSoftBodyId b)
{
    return a.index1 == b.index1 && a.world1 == b.world1 && a.generation == b.generation;
}

// the point is where the ray is, where the weights say, and on the triangle
static void checkPoint(const vvPick *pick, vvVec3 origin, vvVec3 unit, double tolerance)
{
    const double *x = vvSoftBody_GetPositions(pick->body);
    double sum[3] = { 0, 0, 0 }, weights = 0, least = 1e300;
    int nearest = -1;
    const double at[3] = { pick->point.x, pick->point.y, pick->point.z };
    for (int k = 0; k < 3; ++k)
    {
        weights += pick->weights[k];
        assert_true(pick->weights[k] >= 0);
        double away = 0;
        for (int a = 0; a < 3 && pick->vertices[k] >= 0; ++a)
        {
            sum[a] += pick->weights[k] * x[3 * pick->vertices[k] + a];
            away += (x[3 * pick->vertices[k] + a] - at[a]) * (x[3 * pick->vertices[k] + a] - at[a]);
        }
        if (pick->vertices[k] >= 0 && away < least)
        {
            least = away;
            nearest = pick->vertices[k];
        }
    }
    CHECK_NEAR(weights, 1, 1e-15);
    assert_int_equal(nearest, pick->vertex);
    CHECK_NEAR(pick->point.x, origin.x + pick->distance * unit.x, 1e-13);
    CHECK_NEAR(pick->point.y, origin.y + pick->distance * unit.y, 1e-13);
    CHECK_NEAR(pick->point.z, origin.z + pick->distance * unit.z, 1e-13);
    for (int a = 0; a < 3; ++a)
        CHECK_NEAR(sum[a], at[a], tolerance);
}

static void testNearestWins(void **state)
{
    (void)state;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyId near = addBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 3, 3, 3), (vvVec3){ 0, 0, 0 });
    vvSoftBodyId far = addBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), (vvVec3){ 3, 0, 0 });
    vvColliderId ball = addSphere(world, (vvVec3){ 6, 0, 0 }, 0.5);
    const vvVec3 along = { 1, 0, 0 };

    vvPick pick = vvWorld_CastRay(world, (vvVec3){ -2, 0.1, 0.2 }, (vvVec3){ 5, 0, 0 }, INFINITY);
    assert_int_equal(pick.kind, VV_PICK_BODY);
    assert_true(same(pick.body, near));
    CHECK_NEAR(pick.distance, 1.5, 1e-14);
    CHECK_NEAR(pick.normal.x, -1, 1e-14);
    checkPoint(&pick, (vvVec3){ -2, 0.1, 0.2 }, along, 1e-13);
    // the triangle is the one of the mesh
    const int *surface = vvMesh_GetSurface(vvSoftBody_GetMesh(near)) + 3 * pick.triangle;
    for (int k = 0; k < 3; ++k)
        assert_int_equal(surface[k], pick.vertices[k]);

    // from inside: the other side; behind it the next body; then the collider; then nothing
    pick = vvWorld_CastRay(world, (vvVec3){ 0.1, 0.1, 0.2 }, along, INFINITY);
    assert_true(same(pick.body, near));
    CHECK_NEAR(pick.distance, 0.4, 1e-14);
    pick = vvWorld_CastRay(world, (vvVec3){ 1, 0.1, 0.2 }, along, INFINITY);
    assert_true(same(pick.body, far));
    pick = vvWorld_CastRay(world, (vvVec3){ 4, 0, 0.3 }, along, INFINITY);
    assert_int_equal(pick.kind, VV_PICK_COLLIDER);
    assert_true(pick.collider.index1 == ball.index1 && pick.collider.generation == ball.generation);
    CHECK_NEAR(pick.distance, 2 - 0.4, 1e-14); // 3-4-5
    CHECK_NEAR(pick.normal.x, -0.8, 1e-14);
    CHECK_NEAR(pick.normal.z, 0.6, 1e-14);
    assert_int_equal(pick.vertex, -1);
    CHECK_NEAR(vvWorld_CastRay(world, (vvVec3){ 6, 0.1, 0 }, along, INFINITY).distance, 0, 0);
    assert_int_equal(vvWorld_CastRay(world, (vvVec3){ 7, 0, 0 }, along, INFINITY).kind, VV_PICK_NOTHING);

    // beyond the limit nothing counts; nonsense hits nothing
    assert_int_equal(vvWorld_CastRay(world, (vvVec3){ -2, 0.1, 0.2 }, along, 1.4).kind, VV_PICK_NOTHING);
    assert_int_equal(vvWorld_CastRay(world, (vvVec3){ -2, 0, 0 }, (vvVec3){ 0, 0, 0 }, 9).kind, VV_PICK_NOTHING);
    assert_int_equal(vvWorld_CastRay(world, (vvVec3){ NAN, 0, 0 }, along, 9).kind, VV_PICK_NOTHING);
    assert_int_equal(vvWorld_CastRay(world, (vvVec3){ -2, 0, 0 }, along, NAN).kind, VV_PICK_NOTHING);
    vvDestroyWorld(world);
    assert_int_equal(vvWorld_CastRay(world, (vvVec3){ -2, 0, 0 }, along, 9).kind, VV_PICK_NOTHING);
}

// no ray from the centre leaves a closed body unseen, also through its edges and corners
static void testWatertight(void **state)
{
    (void)state;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyId ball = addBody(world, vvCreateSphereMesh(1, 3), (vvVec3){ 0.3, 0.2, 0.1 });
    const double *x = vvSoftBody_GetPositions(ball);
    const vvMesh *mesh = vvSoftBody_GetMesh(ball);
    const vvVec3 centre = { 0.31, 0.22, 0.13 };
    for (int t = 0; t < vvMesh_GetSurfaceCount(mesh); ++t)
    {
        const int *corner = vvMesh_GetSurface(mesh) + 3 * t;
        const double *a = x + 3 * corner[0], *b = x + 3 * corner[1];
        for (int k = 0; k < 2; ++k)
        {
            double s = 0.5 * k; // at a corner, and in the middle of an edge
            vvVec3 direction = { a[0] + s * (b[0] - a[0]) - centre.x, a[1] + s * (b[1] - a[1]) - centre.y,
                                 a[2] + s * (b[2] - a[2]) - centre.z };
            vvPick pick = vvWorld_CastRay(world, centre, direction, 10);
            assert_int_equal(pick.kind, VV_PICK_BODY);
            CHECK_NEAR(pick.distance,
                       sqrt(direction.x * direction.x + direction.y * direction.y + direction.z * direction.z), 1e-12);
        }
    }
    vvDestroyWorld(world);
}

static void testSheetAndRope(void **state)
{
    (void)state;
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyId sheet = addBody(world, vvCreateSheetMesh(1, 1, 4, 4), (vvVec3){ 0, 0, 0 });
    vvSoftBodyId rope = addBody(world, vvCreateRopeMesh(1, 4), (vvVec3){ 0, 0, 5 });
    for (int side = -1; side <= 1; side += 2)
    {
        vvPick pick = vvWorld_CastRay(world, (vvVec3){ 0.1, 2.0 * side, 0.2 }, (vvVec3){ 0, -side, 0 }, 10);
        assert_true(same(pick.body, sheet));
        CHECK_NEAR(pick.distance, 2, 1e-14);
        CHECK_NEAR(pick.normal.y, side, 1e-14);
    }
    // the rope is 0.1 m thick: 0.03 m beside its axis the ray enters 0.04 m above it
    vvPick pick = vvWorld_CastRay(world, (vvVec3){ 0.1, 2, 5.03 }, (vvVec3){ 0, -1, 0 }, 10);
    assert_true(same(pick.body, rope));
    CHECK_NEAR(pick.distance, 2 - 0.04, 1e-13);
    CHECK_NEAR(pick.normal.y, 0.8, 1e-12);
    CHECK_NEAR(pick.normal.z, 0.6, 1e-12);
    assert_int_equal(pick.vertices[2], -1);
    checkPoint(&pick, (vvVec3){ 0.1, 2, 5.03 }, (vvVec3){ 0, -1, 0 }, 0.05 + 1e-12); // weights are of the axis
    assert_int_equal(vvWorld_CastRay(world, (vvVec3){ 0.1, 2, 5.0501 }, (vvVec3){ 0, -1, 0 }, 10).kind,
                     VV_PICK_NOTHING);
    // its end is round
    pick = vvWorld_CastRay(world, (vvVec3){ 2, 0, 5.03 }, (vvVec3){ -1, 0, 0 }, 10);
    CHECK_NEAR(pick.distance, 1.5 - 0.04, 1e-13);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testNearestWins),
        cmocka_unit_test(testWatertight),
        cmocka_unit_test(testSheetAndRope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
