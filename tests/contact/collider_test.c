// Colliders as objects: definitions, ids, memory, masks, and the books when they come and go.
#include "contact/ground.h"

#include "base/system.h"

#include <stdlib.h>

static const vvVec3 down = { 0, -9.81, 0 };

static vvSoftBodyId cubeAt(vvWorldId world, double bottom)
{
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.2);
    def.position.y = bottom + 0.5;
    return makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), def);
}

// ---- definitions ----------------------------------------------------------------------------------------------------

typedef void Spoil(vvColliderDef *def);

static void noShape(vvColliderDef *def)
{
    def->shape = NULL;
}
static void noCookie(vvColliderDef *def)
{
    def->cookie = 0;
}
static void nanPosition(vvColliderDef *def)
{
    def->position.y = NAN;
}
static void infiniteTurn(vvColliderDef *def)
{
    def->rotation.x = INFINITY;
}
static void noTurn(vvColliderDef *def)
{
    def->rotation = (vvQuat){ 0, 0, 0, 0 };
}
static void negativeFriction(vvColliderDef *def)
{
    def->friction = -0.1;
}
static void bouncy(vvColliderDef *def)
{
    def->restitution = 1.01;
}
static void sticky(vvColliderDef *def)
{
    def->restitution = -0.01;
}
static void pulling(vvColliderDef *def)
{
    def->stiffness = -1;
}
static void nanStiffness(vvColliderDef *def)
{
    def->vertexStiffness = NAN;
}

static void badDefinitionsAreRefused(void **state)
{
    (void)state;
    static const struct
    {
        Spoil *spoil;
        const char *says;
    } rows[] = { { noShape, "shape is NULL" },      { noCookie, "not initialised" },
                 { nanPosition, "position" },       { infiniteTurn, "rotation is 1 inf 0 0" },
                 { noTurn, "rotation is 0 0 0 0" }, { negativeFriction, "friction is -0.1" },
                 { bouncy, "restitution is 1.01" }, { sticky, "restitution is -0.01" },
                 { pulling, "stiffness is -1" },    { nanStiffness, "vertexStiffness is nan" } };
    vvWorldId world = makeWorld("implicit-midpoint", down);
    vvShape *shape = planeShape();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = shape;
        rows[i].spoil(&def);
        vvResult result;
        assert_false(vvCollider_IsValid(vvCreateCollider(world, &def, &result)));
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_true(strlen(result.remedy) > 0);
        if (strstr(result.message, rows[i].says) == NULL)
            fail_msg("'%s' does not say '%s'", result.message, rows[i].says);
    }
    vvResult result;
    assert_false(vvCollider_IsValid(vvCreateCollider(world, NULL, &result)));
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_int_equal(vvWorld_GetStatistics(world).colliderCount, 0);
    vvDestroyShape(shape);
    vvDestroyWorld(world);
}

// x' = q x q*, by the product of quaternions with a vector
static vvVec3 turned(vvQuat q, vvVec3 v)
{
    vvVec3 u = { q.x, q.y, q.z };
    vvVec3 t = { 2 * (u.y * v.z - u.z * v.y), 2 * (u.z * v.x - u.x * v.z), 2 * (u.x * v.y - u.y * v.x) };
    return (vvVec3){ v.x + q.w * t.x + u.y * t.z - u.z * t.y, v.y + q.w * t.y + u.z * t.x - u.x * t.z,
                     v.z + q.w * t.z + u.x * t.y - u.y * t.x };
}

// degrees about x, then y, then z; any length is the same rotation; a pose is where the collider has arrived
static void posesAreQuaternions(void **state)
{
    (void)state;
    vvVec3 v = turned(vvQuat_FromDegrees((vvVec3){ 90, 0, 0 }), (vvVec3){ 0, 1, 0 });
    CHECK_NEAR(v.z, 1, 1e-15);
    v = turned(vvQuat_FromDegrees((vvVec3){ 90, 90, 0 }), (vvVec3){ 0, 1, 0 }); // y to z, then z to x
    CHECK_NEAR(v.x, 1, 1e-15);
    v = turned(vvQuat_FromDegrees((vvVec3){ 90, 90, 90 }), (vvVec3){ 0, 1, 0 }); // then x to y
    CHECK_NEAR(v.y, 1, 1e-15);
    vvWorldId world = makeWorld("implicit-midpoint", down);
    vvColliderDef def = vvDefaultColliderDef();
    def.position = (vvVec3){ 1, 2, 3 };
    def.rotation = vvQuat_FromDegrees((vvVec3){ 20, -40, 70 });
    vvColliderId plain = makeCollider(world, planeShape(), def);
    vvPose pose = vvCollider_GetPose(plain);
    assert_memory_equal(&pose.rotation, &def.rotation, sizeof(vvQuat)); // unit to rounding: the same bits
    assert_memory_equal(&pose.position, &def.position, sizeof(vvVec3));
    static const double lengths[] = { 7, -2, 1e-200, 1e200 };
    for (int k = 0; k < 4; ++k)
    {
        vvColliderDef scaled = def;
        double s = lengths[k];
        scaled.rotation = (vvQuat){ s * def.rotation.w, s * def.rotation.x, s * def.rotation.y, s * def.rotation.z };
        vvQuat q = vvCollider_GetPose(makeCollider(world, planeShape(), scaled)).rotation;
        CHECK_NEAR(q.w * def.rotation.w + q.x * def.rotation.x + q.y * def.rotation.y + q.z * def.rotation.z,
                   s > 0 ? 1 : -1, 1e-14);
    }
    vvQuat there = vvQuat_FromDegrees((vvVec3){ 0, 90, 0 });
    CHECK_OK(vvCollider_MoveTo(plain, (vvVec3){ 4, 5, 6 }, there));
    CHECK_NEAR(vvCollider_GetPose(plain).position.x, 1, 0); // it travels during the step
    CHECK_OK(vvWorld_Step(world, 0.01));
    pose = vvCollider_GetPose(plain);
    CHECK_NEAR(pose.position.x, 4, 0);
    assert_memory_equal(&pose.rotation, &there, sizeof(vvQuat));
    assert_int_equal(vvCollider_MoveTo(plain, def.position, (vvQuat){ 0, NAN, 0, 1 }).code, VV_BAD_INPUT);
    assert_int_equal(vvCollider_MoveTo(plain, def.position, (vvQuat){ 0, 0, 0, 0 }).code, VV_BAD_INPUT);
    vvDestroyWorld(world);
    CHECK_NEAR(vvCollider_GetPose(plain).rotation.w, 1, 0);
}

static void idsGoStale(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", down);
    int mine = 0;
    vvColliderDef def = vvDefaultColliderDef();
    def.userData = &mine;
    vvColliderId first = makeCollider(world, planeShape(), def), null = { 0, 0, 0 };
    assert_true(vvCollider_IsValid(first) && !vvCollider_IsValid(null));
    assert_ptr_equal(vvCollider_GetUserData(first), &mine);
    assert_int_equal(vvCollider_MoveTo(first, (vvVec3){ NAN, 0, 0 }, vvQuat_FromDegrees(down)).code, VV_BAD_INPUT);
    vvDestroyCollider(first);
    vvDestroyCollider(first);
    vvDestroyCollider(null);
    vvColliderId second = makeCollider(world, planeShape(), def);
    assert_true(!vvCollider_IsValid(first) && vvCollider_IsValid(second));
    assert_null(vvCollider_GetUserData(first));
    assert_int_equal(vvCollider_MoveTo(first, down, vvQuat_FromDegrees(down)).code, VV_BAD_ID);
    vvDestroyWorld(world);
    assert_false(vvCollider_IsValid(second));
    assert_int_equal(vvWorld_GetContacts(world, NULL, 0), 0);
    vvResult result;
    assert_false(vvCollider_IsValid(vvCreateCollider(world, &def, &result)));
    assert_int_equal(result.code, VV_BAD_ID);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

typedef struct Bank
{
    long long calls, refuse, blocks;
} Bank;

static void *bankAllocate(size_t size, size_t alignment, void *userData)
{
    Bank *bank = userData;
    if (++bank->calls == bank->refuse)
        return NULL;
    bank->blocks += 1;
    return systemAllocate(size, alignment);
}

static void bankRelease(void *memory, size_t size, void *userData)
{
    (void)size;
    ((Bank *)userData)->blocks -= 1;
    systemRelease(memory);
}

// every request of a first collider, of a body that comes later, and of the step after them is refused once
static void refusedMemoryDoesNoHarm(void **state)
{
    (void)state;
    int refused = 0;
    uint64_t want = 0;
    for (long long k = 0, last = -1; k == 0 || refused != last; ++k)
    {
        last = k == 0 ? -1 : refused;
        Bank bank = { 0 };
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.method = "implicit-midpoint";
        worldDef.allocator = (vvAllocator){ bankAllocate, bankRelease, &bank };
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        cubeAt(world, -0.01);
        cubeAt(world, 3);
        vvShape *shape = planeShape();
        vvColliderDef def = vvDefaultColliderDef();
        def.shape = shape;
        bank.refuse = k == 0 ? 0 : bank.calls + k;
        vvResult result;
        vvColliderId collider = vvCreateCollider(world, &def, &result);
        if (!vvCollider_IsValid(collider))
        {
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
            refused += 1;
            collider = vvCreateCollider(world, &def, &result);
            assert_true(vvCollider_IsValid(collider));
        }
        result = vvWorld_Step(world, 0.01);
        if (result.code != VV_OK)
        {
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
            refused += 1;
            CHECK_OK(vvWorld_Step(world, 0.01));
        }
        want = k == 0 ? vvWorld_GetHash(world) : want;
        assert_true(vvWorld_GetHash(world) == want);
        vvDestroyWorld(world);
        vvDestroyShape(shape);
        assert_int_equal(bank.blocks, 0);
    }
    assert_true(refused > 20);
}

// ---- the books ------------------------------------------------------------------------------------------------------

// the overlap a collider starts with is added, what is left when it goes is taken
static void comingAndGoingIsBooked(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", down);
    cubeAt(world, -0.02);
    vvColliderDef def = vvDefaultColliderDef();
    def.stiffness = 1e6;
    vvColliderId collider = makeCollider(world, planeShape(), def);
    vvLedger ledger = vvWorld_GetLedger(world);
    // the bottom is 1 m^2, its vertices stand for 1 m^2 and their share of the sides
    assert_true(ledger.contact > 0.5 * 1e6 * 0.02 * 0.02);
    CHECK_CLOSE(ledger.added, ledger.contact, 1e-12);
    CHECK_NEAR(ledger.numerical, 0, 1e-9);
    for (int n = 0; n < 5; ++n)
        CHECK_OK(vvWorld_Step(world, 0.002));
    ledger = vvWorld_GetLedger(world);
    CHECK_NEAR(ledger.numerical, 0, 1e-3);
    vvDestroyCollider(collider);
    vvLedger after = vvWorld_GetLedger(world);
    assert_true(after.contact == 0);
    CHECK_NEAR(after.added, ledger.added - ledger.contact, 1e-9);
    CHECK_NEAR(after.numerical, ledger.numerical, 1e-9);
    vvDestroyWorld(world);
}

// a body that is made, put or let go inside a collider: its overlap is there at once and no step invents it
static void bodiesMayStartInside(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", down);
    makeCollider(world, planeShape(), vvDefaultColliderDef());
    vvSoftBodyId cube = cubeAt(world, -0.01);
    vvLedger ledger = vvWorld_GetLedger(world);
    assert_true(ledger.contact > 0);
    CHECK_NEAR(ledger.numerical, 0, 1e-9);
    int bottom[9];
    assert_int_equal(vvSoftBody_FindVertices(cube, planeBox(1, -0.5, 1e-6), bottom, 9), 9);
    CHECK_OK(vvSoftBody_Pin(cube, bottom, 9));
    CHECK_NEAR(vvWorld_GetLedger(world).contact, 0, 0);
    CHECK_NEAR(vvWorld_GetLedger(world).numerical, 0, 1e-9);
    CHECK_OK(vvWorld_Step(world, 0.001));
    double before = vvWorld_GetLedger(world).numerical;
    CHECK_OK(vvSoftBody_Unpin(cube, bottom, 9));
    CHECK_CLOSE(vvWorld_GetLedger(world).contact, ledger.contact, 1e-9);
    CHECK_NEAR(vvWorld_GetLedger(world).numerical, before, 1e-9);
    double x[81];
    memcpy(x, vvSoftBody_GetPositions(cube), sizeof x);
    for (int v = 0; v < 27; ++v)
        x[3 * v + 1] += 0.5;
    CHECK_OK(vvSoftBody_SetPositions(cube, x));
    CHECK_NEAR(vvWorld_GetLedger(world).contact, 0, 0);
    CHECK_NEAR(vvWorld_GetLedger(world).numerical, before, 1e-9);
    vvDestroyWorld(world);
}

// ---- who meets whom -------------------------------------------------------------------------------------------------

static void masksDecideWhoMeets(void **state)
{
    (void)state;
    static const struct
    {
        uint32_t bodyCategory, bodyMask, category, mask;
        bool meet;
    } rows[] = { { 1, UINT32_MAX, 1, UINT32_MAX, true },
                 { 2, 4, 4, 2, true },
                 { 2, 4, 4, 1, false },
                 { 2, 1, 4, 2, false },
                 { 6, 8, 24, 4, true },
                 { 0, UINT32_MAX, 1, UINT32_MAX, false } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        vvWorldId world = makeWorld("implicit-midpoint", down);
        vvSoftBodyDef bodyDef = elasticDef(1000, 1e5, 0.2);
        bodyDef.category = rows[i].bodyCategory;
        bodyDef.mask = rows[i].bodyMask;
        vvSoftBodyId cube = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), bodyDef);
        vvColliderDef def = vvDefaultColliderDef();
        def.category = rows[i].category;
        def.mask = rows[i].mask;
        def.position.y = -0.49;
        vvColliderId plane = makeCollider(world, planeShape(), def);
        vvContact contacts[8];
        assert_int_equal(vvWorld_GetContacts(world, contacts, 8), rows[i].meet ? 4 : 0);
        assert_int_equal(vvWorld_GetContacts(world, contacts, 1), rows[i].meet ? 4 : 0);
        if (rows[i].meet)
        {
            assert_memory_equal(&contacts[0].body, &cube, sizeof cube);
            assert_memory_equal(&contacts[0].collider, &plane, sizeof plane);
            CHECK_NEAR(contacts[0].overlap, 0.01, 1e-12);
            CHECK_NEAR(contacts[0].normal.y, 1, 1e-12);
            CHECK_NEAR(contacts[0].point.y, -0.5, 1e-12);
            assert_true(contacts[0].force.y > 0 && contacts[0].vertex >= 0 && contacts[0].vertex < 8);
        }
        vvDestroyWorld(world);
    }
}

// a step that diverges leaves contacts as they were
static void failedStepsLeaveContactsAlone(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("symplectic-euler", down);
    vvSoftBodyId cube = cubeAt(world, -0.01);
    makeCollider(world, planeShape(), vvDefaultColliderDef());
    for (int n = 0; n < 20; ++n)
        CHECK_OK(vvWorld_Step(world, 1e-4));
    uint64_t hash = 0;
    vvCode code = VV_OK;
    for (int n = 0; n < 200 && code == VV_OK; ++n)
    {
        hash = vvWorld_GetHash(world);
        code = vvWorld_Step(world, 0.2).code;
    }
    assert_int_equal(code, VV_DIVERGED);
    assert_true(vvWorld_GetHash(world) == hash);
    assert_true(vvSoftBody_IsValid(cube));
    vvDestroyWorld(world);
}

// A vertex has room for few colliders. Three walls that it merely passes may not keep the floor out.
static void closestCollidersAreMet(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("small-midpoint", down);
    vvSoftBodyId cube = cubeAt(world, 0.5);
    vvShapeDef wall = vvDefaultShapeDef();
    wall.normal = (vvVec3){ 1, 0, 0 };
    wall.offset = -0.52;
    for (int i = 0; i < 3; ++i)
        makeCollider(world, shapeOf(&wall), vvDefaultColliderDef());
    makeCollider(world, planeShape(), vvDefaultColliderDef());
    double lowest = 1;
    for (int n = 0; n < 60; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 0.01));
        for (int v = 0; v < vvSoftBody_GetVertexCount(cube); ++v)
            lowest = fmin(lowest, vvSoftBody_GetPositions(cube)[3 * v + 1]);
    }
    CHECK_BELOW(lowest, 0);     // it came down
    CHECK_BELOW(-0.15, lowest); // and did not fall through: 0.06 m into the soft default, half a cell is 0.25 m
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(badDefinitionsAreRefused),
        cmocka_unit_test(posesAreQuaternions),
        cmocka_unit_test(idsGoStale),
        cmocka_unit_test(refusedMemoryDoesNoHarm),
        cmocka_unit_test(comingAndGoingIsBooked),
        cmocka_unit_test(bodiesMayStartInside),
        cmocka_unit_test(masksDecideWhoMeets),
        cmocka_unit_test(failedStepsLeaveContactsAlone),
        cmocka_unit_test(closestCollidersAreMet),
    };
    return cmocka_run_group_tests_name("collider", tests, NULL, NULL);
}
