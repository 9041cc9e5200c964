// Pictures of worlds: every kind of thing is seen, the camera sees what it is told to, wrong requests are refused.
#include "check.h"
#include "undamped.h"

#include <verve/studio.h>

#include <stdlib.h>
#include <string.h>

#define WIDTH 96
#define HEIGHT 72
#define SIZE (4 * (size_t)WIDTH * HEIGHT)

static vvPictureDef small(void)
{
    vvPictureDef def = vvDefaultPictureDef();
    def.width = WIDTH;
    def.height = HEIGHT;
    return def;
}

static vvWorldId emptyWorld(void)
{
    vvWorldDef def = vvDefaultWorldDef();
    return vvCreateWorld(&def, NULL);
}

// a box of red, green or blue is a patch of that colour in the middle of the picture
static vvSoftBodyId addBox(vvWorldId world, vvVec3 position)
{
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.position = position;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, NULL);
    vvDestroyMesh(mesh);
    return body;
}

static int countOf(const uint8_t *rgba, int channel) // pixels in which one channel leads by far
{
    int count = 0;
    for (size_t i = 0; i < SIZE; i += 4)
    {
        int other = rgba[i + (size_t)(channel + 1) % 3] > rgba[i + (size_t)(channel + 2) % 3]
                        ? rgba[i + (size_t)(channel + 1) % 3]
                        : rgba[i + (size_t)(channel + 2) % 3];
        count += rgba[i + (size_t)channel] > other + 60 ? 1 : 0;
    }
    return count;
}

static void bodiesHaveTheirColours(void **state)
{
    (void)state;
    vvWorldId world = emptyWorld();
    addBox(world, (vvVec3){ 0, 0, 0 });
    addBox(world, (vvVec3){ 2, 0, 0 });
    const uint32_t colours[] = { 0xE02020, 0x2020E0 };
    vvPictureDef def = small();
    def.colours = colours;
    def.colourCount = 2;
    uint8_t rgba[SIZE];
    assert_int_equal(vvWorld_Paint(world, &def, rgba, SIZE).code, VV_OK);
    assert_true(countOf(rgba, 0) > 200);
    assert_true(countOf(rgba, 2) > 200);
    assert_int_equal(countOf(rgba, 1), 0);
    assert_int_equal(rgba[3], 255);
    // a camera that looks away sees neither
    def.hasEye = def.hasTarget = true;
    def.camera = (vvCamera){ { 0, 0, 10 }, { 0, 0, 20 }, 40 };
    assert_int_equal(vvWorld_Paint(world, &def, rgba, SIZE).code, VV_OK);
    assert_int_equal(countOf(rgba, 0) + countOf(rgba, 2), 0);
    // and one beside the first sees that one alone
    def.camera = (vvCamera){ { 0, 0, 5 }, { 0, 0, 0 }, 15 };
    assert_int_equal(vvWorld_Paint(world, &def, rgba, SIZE).code, VV_OK);
    assert_true(countOf(rgba, 0) > 500);
    assert_int_equal(countOf(rgba, 2), 0);
    vvDestroyWorld(world);
}

static int differing(const uint8_t *a, const uint8_t *b)
{
    int count = 0;
    for (size_t i = 0; i < SIZE; i += 4)
        count += memcmp(a + i, b + i, 3) != 0 ? 1 : 0;
    return count;
}

// each thing that is added changes the picture of a fixed camera, and the same world gives the same pixels
static void everyThingIsSeen(void **state)
{
    (void)state;
    vvWorldId world = emptyWorld();
    vvPictureDef def = small();
    def.hasEye = def.hasTarget = true;
    def.camera = (vvCamera){ { 0, 2, 9 }, { 0, 0, 0 }, 40 };
    uint8_t before[SIZE], after[SIZE];
    assert_int_equal(vvWorld_Paint(world, &def, before, SIZE).code, VV_OK); // nothing at all
    for (int thing = 0; thing < 5; ++thing)
    {
        vvShapeDef shapeDef = vvDefaultShapeDef();
        shapeDef.kind = thing == 1 ? VV_SHAPE_BOX : thing == 2 ? VV_SHAPE_PLANE : VV_SHAPE_SPHERE;
        shapeDef.offset = -1;
        vvShape *shape = vvCreateShape(&shapeDef, NULL);
        if (thing == 0)
            addBox(world, (vvVec3){ -2, 0, 0 });
        if (thing == 1 || thing == 2)
        {
            vvColliderDef collider = vvDefaultColliderDef();
            collider.shape = shape;
            assert_true(vvCollider_GetShape(vvCreateCollider(world, &collider, NULL)) == shape);
        }
        if (thing == 3)
        {
            vvRigidShape parts[] = { { shape, { 0, 1, 0 }, { 1, 0, 0, 0 }, 0 },
                                     { shape, { 0, -0.5, 0 }, { 1, 0, 0, 0 }, 3000 } };
            vvRigidBodyDef rigid = vvDefaultRigidBodyDef();
            rigid.shapes = parts;
            rigid.shapeCount = 2;
            rigid.position = (vvVec3){ 2, 1, 0 };
            vvRigidBodyId id = vvCreateRigidBody(world, &rigid, NULL);
            vvRigidShape told[2];
            assert_int_equal(vvRigidBody_GetShapes(id, told, 1), 2);
            assert_int_equal(vvRigidBody_GetShapes(id, told, 2), 2);
            for (int i = 0; i < 2; ++i) // from the principal frame and back
            {
                assert_true(told[i].shape == shape);
                CHECK_NEAR(told[i].position.y, parts[i].position.y, 1e-12);
                CHECK_NEAR(told[i].position.x, 0, 1e-12);
            }
        }
        if (thing == 4)
        {
            vvFluidDef fluid = vvDefaultFluidDef();
            fluid.spacing = 0.1;
            vvFluidId id = vvCreateFluid(world, &fluid, NULL);
            vvFluid_AddBox(id, (vvBox){ { -1, -1, 1 }, { 1, 0, 2 } }, (vvVec3){ 0, 0, 0 });
        }
        vvDestroyShape(shape);
        assert_int_equal(vvWorld_Paint(world, &def, after, SIZE).code, VV_OK);
        assert_true(differing(before, after) > 50);
        assert_int_equal(vvWorld_Paint(world, &def, before, SIZE).code, VV_OK);
        assert_int_equal(differing(before, after), 0);
    }
    assert_null(vvCollider_GetShape((vvColliderId){ 0 }));
    assert_int_equal(vvRigidBody_GetShapes((vvRigidBodyId){ 0 }, NULL, 0), 0);
    vvDestroyWorld(world);
}

static bool changedAt(const uint8_t *a, const uint8_t *b, int x, int y)
{
    return memcmp(a + 4 * ((size_t)y * WIDTH + (size_t)x), b + 4 * ((size_t)y * WIDTH + (size_t)x), 4) != 0;
}

// The rope of a pulley goes up from one body, which is turned and whose shape is beside its origin, over the wheels and
// down to the other; a rod goes from the world to a body.
static void ropesAreSeen(void **state)
{
    (void)state;
    vvWorldId world = emptyWorld();
    vvShapeDef shapeDef = vvDefaultShapeDef();
    shapeDef.kind = VV_SHAPE_SPHERE;
    shapeDef.radius = 0.2;
    vvShape *shape = vvCreateShape(&shapeDef, NULL);
    vvRigidShape part = { shape, { 0, 1, 0 }, { 1, 0, 0, 0 }, 0 };
    vvRigidBodyDef rigid = vvDefaultRigidBodyDef();
    rigid.shapes = &part;
    rigid.shapeCount = 1;
    rigid.rotation = (vvQuat){ 0, 0, 0, 1 }; // its shape hangs below
    vvJointDef pulley = vvDefaultJointDef();
    rigid.position = (vvVec3){ -2, 0, 0 };
    pulley.bodyA = vvCreateRigidBody(world, &rigid, NULL);
    rigid.position = (vvVec3){ 2, 0, 0 };
    pulley.bodyB = vvCreateRigidBody(world, &rigid, NULL);
    pulley.kind = VV_JOINT_PULLEY;
    pulley.pulleyA = (vvVec3){ -2, 2, 0 };
    pulley.pulleyB = (vvVec3){ 2, 2, 0 };
    pulley.upper = 4;
    vvPictureDef def = small(); // 10 pixels a metre, the origin in the middle
    def.hasEye = def.hasTarget = true;
    def.camera = (vvCamera){ { 0, 0, 10 }, { 0, 0, 0 }, 39.6 };
    uint8_t before[SIZE], after[SIZE];
    assert_int_equal(vvWorld_Paint(world, &def, before, SIZE).code, VV_OK);
    assert_true(vvJoint_IsValid(vvCreateJoint(world, &pulley, NULL)));
    vvJointDef rod = vvDefaultJointDef();
    rod.kind = VV_JOINT_DISTANCE;
    rod.bodyB = pulley.bodyB;
    rod.lower = rod.upper = 2;
    assert_true(vvJoint_IsValid(vvCreateJoint(world, &rod, NULL)));
    assert_int_equal(vvWorld_Paint(world, &def, after, SIZE).code, VV_OK);
    int seen[6] = { 0 };
    for (int k = -1; k <= 1; ++k) // lines of one or two pixels
    {
        seen[0] += changedAt(before, after, 28 + k, 26);
        seen[1] += changedAt(before, after, 68 + k, 26);
        seen[2] += changedAt(before, after, 48, 16 + k);
        seen[3] += changedAt(before, after, 58, 36 + k);
        seen[4] += changedAt(before, after, 38, 36 + k);
        seen[5] += changedAt(before, after, 48, 26 + k);
    }
    assert_true(seen[0] > 0 && seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
    assert_int_equal(seen[4] + seen[5], 0);
    vvDestroyShape(shape);
    vvDestroyWorld(world);
}

// a body that moves as a whole has one colour of speed, a stretched one other colours of strain than one at rest
static void fieldsColour(void **state)
{
    (void)state;
    vvWorldId world = emptyWorld();
    vvSoftBodyId body = addBox(world, (vvVec3){ 0, 0, 0 });
    vvPictureDef def = small();
    uint8_t calm[SIZE], other[SIZE];
    for (int colouring = VV_COLOUR_STRAIN; colouring <= VV_COLOUR_SPEED; ++colouring)
    {
        def.colouring = (vvColouring)colouring;
        def.fieldMost = 0.5;
        assert_int_equal(vvWorld_Paint(world, &def, calm, SIZE).code, VV_OK);
        double points[27 * 3];
        memcpy(points, vvSoftBody_GetPositions(body), sizeof points);
        for (int i = 0; i < 27 * 3; ++i)
            points[i] *= colouring == VV_COLOUR_STRAIN ? 1.5 : 1 / 1.5;
        vvSoftBody_SetPositions(body, points);
        for (int i = 0; i < 27 * 3; ++i)
            points[i] = 0.4;
        if (colouring == VV_COLOUR_SPEED)
            vvSoftBody_SetVelocities(body, points);
        assert_int_equal(vvWorld_Paint(world, &def, other, SIZE).code, VV_OK);
        assert_true(differing(calm, other) > 200);
    }
    vvDestroyWorld(world);
}

static void refuses(void **state)
{
    (void)state;
    uint8_t rgba[SIZE];
    vvWorldId world = emptyWorld();
    vvPictureDef good = small(), bad[8];
    for (int i = 0; i < 8; ++i)
        bad[i] = good;
    bad[0].cookie = 0;
    bad[1].width = 0;
    bad[2].height = -HEIGHT;
    bad[3].camera.fieldOfView = 170;
    bad[4].colouring = (vvColouring)3;
    bad[5].colourCount = 2;
    bad[6].hasEye = bad[6].hasTarget = true; // at the same place
    bad[7].fieldMost = -1;
    for (int i = 0; i < 8; ++i)
    {
        vvResult result = vvWorld_Paint(world, &bad[i], rgba, SIZE);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_true(result.remedy[0] != 0);
    }
    assert_int_equal(vvWorld_Paint(world, &good, rgba, SIZE - 1).code, VV_BAD_INPUT);
    assert_int_equal(vvWorld_Paint(world, &good, NULL, SIZE).code, VV_BAD_INPUT);
    assert_int_equal(vvWorld_Paint((vvWorldId){ 0 }, &good, rgba, SIZE).code, VV_BAD_ID);
    vvResult result;
    size_t size = 1;
    assert_null(vvCreatePng(NULL, 3, 3, &size, &result));
    assert_int_equal(size, 0);
    assert_null(vvCreatePng(rgba, -3, 3, &size, &result));
    assert_string_equal(vvGetColouringName(2), "speed");
    assert_null(vvGetColouringName(3));
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodiesHaveTheirColours), cmocka_unit_test(everyThingIsSeen), cmocka_unit_test(ropesAreSeen),
        cmocka_unit_test(fieldsColour),           cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
