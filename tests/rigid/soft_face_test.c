// Rigid bodies smaller than the triangles of a soft surface: they rest on faces and edges of it as on its vertices.
#include "rigid/soft_scenes.h"
#include "undamped.h"

#define EDGE 0.1 // m, of the triangles

static const vvVec3 none = { 0, 0, 0 }, earth = { 0, -9.81, 0 };
static const char *const methods[] = { "small-midpoint", "small-steps", "backward-euler", "implicit-midpoint" };
#define METHODS (int)(sizeof methods / sizeof *methods)

typedef enum Surface
{
    PLATE,
    CLOTH,
    BLOCK,
    SURFACES,
} Surface;

// its top is at y = 0; plate and block stand on the ground, corners of the cloth are held
static vvSoftBodyId addSurface(vvWorldId world, Surface surface, double damping)
{
    vvSoftBodyDef def = undampedDef();
    double height = surface == PLATE ? EDGE : 3 * EDGE;
    int layers = surface == PLATE ? 1 : 3;
    def.mesh = surface == CLOTH ? vvCreateSheetMesh(4 * EDGE, 4 * EDGE, 4, 4)
                                : vvCreateBoxMesh((vvVec3){ 4 * EDGE, height, 4 * EDGE }, 4, layers, 4);
    def.material.young = 1e6;
    def.material.poisson = 0.3;
    def.material.density = 1000;
    if (surface == CLOTH)
        def.material.thickness = 1e-3;
    def.damping.stiffness = damping;
    def.position.y = surface == CLOTH ? 0 : -height / 2;
    vvResult result;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, &result);
    CHECK_OK(result);
    vvDestroyMesh(def.mesh);
    return body;
}

static void holdCorners(vvSoftBodyId cloth)
{
    float x[3 * 25];
    CHECK_OK(vvSoftBody_CopyPositions(cloth, 0, x, 3 * (int)sizeof *x));
    for (int i = 0; i < 25; ++i)
    {
        if (fabs(x[3 * i]) > 1.9 * EDGE && fabs(x[3 * i + 2]) > 1.9 * EDGE)
            CHECK_OK(vvSoftBody_Pin(cloth, &i, 1));
    }
}

// m, how far a ball is in the surface; solids are below it
static double overlapOf(vvSoftBodyId soft, vvVec3 centre, double radius)
{
    vvPick pick = vvSoftBody_FindNearest(soft, centre, 1);
    assert_true(pick.kind == VV_PICK_BODY);
    return radius - pick.distance;
}

static void standOnGround(vvWorldId world, Surface surface)
{
    vvPose pose = { { 0, surface == PLATE ? -EDGE : -3 * EDGE, 0 }, { 1, 0, 0, 0 } };
    CHECK_OK(vvCollider_SetPose(addGround(world, 0.5, 0), pose));
}

// a ball of a quarter of an edge, dropped on the middle of a triangle, or of an edge
static void testRests(void **state)
{
    (void)state;
    const double radius = EDGE / 4;
    for (int i = 0; i < METHODS * SURFACES; ++i)
    {
        Surface surface = (Surface)(i % SURFACES);
        vvWorldId world = makeWorldOf(methods[i / SURFACES], earth, 1);
        vvSoftBodyId soft = addSurface(world, surface, 0.01);
        if (surface == CLOTH)
            holdCorners(soft);
        else
            standOnGround(world, surface);
        vvVec3 place = { i % 2 ? 0.33 * EDGE : 0.5 * EDGE, radius + 0.02, i % 2 ? 0.66 * EDGE : 0 };
        vvRigidBodyId ball = addRigid(world, sphereShape(radius), place, 0.1);
        double deepest = 0;
        for (int k = 0; k < 40; ++k)
        {
            steps(world, 1);
            deepest = fmax(deepest, overlapOf(soft, vvRigidBody_GetPose(ball).position, radius));
        }
        CHECK_BELOW(deepest, 5e-3 * EDGE);
        double y = vvRigidBody_GetPose(ball).position.y;
        assert_true(surface == CLOTH ? y > -EDGE : fabs(y - radius) < 0.02 * EDGE);
        vvDestroyWorld(world);
    }
}

// a box that lies within a triangle stands on its face, and stays
static void testLies(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m)
    {
        vvWorldId world = makeWorldOf(methods[m], earth, 1);
        addSurface(world, PLATE, 0.01);
        standOnGround(world, PLATE);
        vvVec3 place = { 0.3 * EDGE, 0.016, 0.7 * EDGE };
        vvRigidBodyId box = addRigid(world, boxShape((vvVec3){ 0.02, 0.03, 0.02 }), place, 0.1);
        steps(world, 60);
        vvPose pose = vvRigidBody_GetPose(box);
        CHECK_NEAR(pose.position.y, 0.015, 3e-4);
        assert_true(away(pose.position, place) < 2e-3);
        assert_true(fabs(pose.rotation.w) > 0.9999);
        vvDestroyWorld(world);
    }
}

static vvShape *smallShape(int kind)
{
    return kind == 0   ? sphereShape(EDGE / 4)
           : kind == 1 ? boxShape((vvVec3){ 0.04, 0.03, 0.05 })
                       : capsuleShape(0.01, 0.03);
}

// small bodies that fly at a free one: both momenta stay, no energy comes, and none passes, however fast
static void throwAt(int i)
{
    vvWorldId world = makeWorldOf("small-midpoint", none, 1);
    vvSoftBodyId soft = addSurface(world, (Surface)(i % SURFACES), 0);
    Random random = { (uint32_t)i + 1 };
    vvVec3 place = vectorWithin(&random, EDGE), velocity = vectorWithin(&random, 0.5);
    place.y = 0.06;
    velocity.y = i % 2 ? -2 : -10;
    vvRigidBodyId body = addRigid(world, smallShape(i / SURFACES % 3), place, 0.3);
    CHECK_OK(vvRigidBody_SetVelocity(body, velocity));
    CHECK_OK(vvRigidBody_SetSpin(body, vectorWithin(&random, 5)));
    vvLedger before = vvWorld_GetLedger(world);
    double scale = sqrt(2 * before.kinetic * 0.3);
    for (int k = 0; k < 16; ++k)
    {
        steps(world, 1);
        vvLedger now = vvWorld_GetLedger(world);
        CHECK_BELOW(away(now.momentum, before.momentum) / scale, 1e-9);
        CHECK_BELOW(away(now.angularMomentum, before.angularMomentum) / scale, 1e-9);
        CHECK_BELOW(now.total / before.total - 1, 1e-9);
    }
    // a cloth wraps around what hits it
    if (i % SURFACES == CLOTH)
        assert_true(vvRigidBody_GetVelocity(body).y > 0.75 * velocity.y);
    else
        assert_true(vvRigidBody_GetPose(body).position.y > vvSoftBody_GetCentreOfMass(soft).y + 0.8 * EDGE);
    vvDestroyWorld(world);
}

// The first nine are every shape on every surface. Of the others two cloths that wrap a capsule, which gained when its
// own step did not follow the island's, a ball that a step with early forces turned, and a block and a cloth that held
// it back from passing.
static void testMomenta(void **state)
{
    (void)state;
    static const int known[] = { 16, 52, 55, 86, 151 };
    for (int i = 0; i < 9; ++i)
        throwAt(i);
    for (int i = 0; i < 5; ++i)
        throwAt(known[i]);
    for (int i = 9; i < 180 && sliceOf(2) == 1; ++i)
        throwAt(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testRests),
        cmocka_unit_test(testLies),
        cmocka_unit_test(testMomenta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
