// Contact events, lists of contacts and queries of rigid bodies.
#include "rigid/rigid_scenes.h"
#include "undamped.h"

#include <stdlib.h>

#define DT (1.0 / 60)

static bool same(vvRigidBodyId a, vvRigidBodyId b)
{
    return vvStoreRigidBodyId(a) == vvStoreRigidBodyId(b);
}

// ---- events ---------------------------------------------------------------------------------------------------------

// A box falls on another that rests: one beginning, then stays with the weight of what is above; gone with the ground.
static void testEvents(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, -9.81, 0 });
    vvColliderId ground = addGround(world, 0.5, 0);
    vvShape *shape = boxShape((vvVec3){ 0.4, 0.4, 0.4 });
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = shape;
    def.mass = 2;
    vvRigidBodyId body[2];
    for (int i = 0; i < 2; ++i)
    {
        def.position = (vvVec3){ 0, i == 0 ? 1.2 : 0.2, 0 }; // the upper one is the first
        body[i] = vvCreateRigidBody(world, &def, NULL);
    }
    vvDestroyShape(shape);
    vvContactEvent events[4];
    int begun = 0;
    double hit = 0;
    for (int frame = 0; frame < 120; ++frame)
    {
        CHECK_OK(vvWorld_Step(world, DT));
        int count = vvWorld_GetContactEvents(world, events, 4);
        assert_true(count == 1 || count == 2);
        for (int i = 0; i < count; ++i)
        {
            assert_int_equal(vvStoreSoftBodyId(events[i].body) | vvStoreSoftBodyId(events[i].other), 0);
            assert_int_not_equal(events[i].kind, VV_CONTACT_END);
            begun += events[i].kind == VV_CONTACT_BEGIN;
        }
        if (count == 2 && events[0].kind == VV_CONTACT_BEGIN)
            hit = events[0].impulse.y;
    }
    assert_int_equal(begun, 2);
    CHECK_CLOSE(hit, 2 * sqrt(2 * 9.81 * 0.6), 0.1);
    // the pair first, for the upper one is the first body; forces are on it
    assert_true(same(events[0].rigid, body[0]) && same(events[0].otherRigid, body[1]));
    assert_true(same(events[1].rigid, body[1]) && events[1].collider.index1 == ground.index1);
    CHECK_CLOSE(events[0].force.y, 2 * 9.81, 0.01);
    CHECK_CLOSE(events[1].force.y, 4 * 9.81, 0.01);
    CHECK_CLOSE(events[1].impulse.y, 4 * 9.81 * DT, 0.01);
    for (int i = 0; i < 2; ++i)
    {
        assert_in_range(events[i].vertexCount, 3, 4); // three of the corners may carry all of it
        CHECK_NEAR(events[i].normal.y, 1, 1e-9);
        CHECK_NEAR(events[i].point.y, i == 0 ? 0.4 : 0, 1e-3);
    }
    // contacts say the same
    vvContact contacts[16];
    int count = vvWorld_GetContacts(world, contacts, 16);
    assert_int_equal(count, 8);
    assert_int_equal(vvWorld_GetStatistics(world).rigidContactCount, 8);
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += contacts[i].force.y;
    CHECK_NEAR(sum, events[0].force.y + events[1].force.y, 1e-9);
    // a state remembers who touches whom
    size_t size = vvWorld_GetStateSize(world);
    void *bytes = malloc(size);
    CHECK_OK(vvWorld_SaveState(world, bytes, size));
    CHECK_OK(vvWorld_RestoreState(world, bytes, size));
    free(bytes);
    assert_int_equal(vvWorld_GetContacts(world, contacts, 16), 0);
    CHECK_OK(vvWorld_Step(world, DT));
    assert_int_equal(vvWorld_GetContactEvents(world, events, 4), 2);
    assert_true(events[0].kind == VV_CONTACT_STAY && events[1].kind == VV_CONTACT_STAY);
    // what is destroyed is no contact any more, and ends
    vvDestroyRigidBody(body[0]);
    assert_int_equal(vvWorld_GetContacts(world, contacts, 16), 4);
    vvDestroyCollider(ground);
    assert_int_equal(vvWorld_GetContacts(world, contacts, 16), 0);
    CHECK_OK(vvWorld_Step(world, DT));
    assert_int_equal(vvWorld_GetContactEvents(world, events, 4), 2);
    assert_true(events[0].kind == VV_CONTACT_END && events[1].kind == VV_CONTACT_END);
    vvDestroyWorld(world);
}

// ---- queries --------------------------------------------------------------------------------------------------------

static vvVec3 randomVector(TestRandom *r, double size)
{
    vvVec3 v;
    v.x = randomBetween(r, -size, size);
    v.y = randomBetween(r, -size, size);
    v.z = randomBetween(r, -size, size);
    return v;
}

static vvShape *randomShape(TestRandom *r, int kind)
{
    double points[24];
    for (int i = 0; i < 24; ++i)
        points[i] = randomBetween(r, -0.5, 0.5);
    vvShapeDef convex = vvDefaultShapeDef();
    convex.kind = VV_SHAPE_CONVEX;
    convex.points = points;
    convex.pointCount = 8;
    return kind % 4 == 0   ? boxShape((vvVec3){ 0.4, 0.7, 1 })
           : kind % 4 == 1 ? sphereShape(0.4)
           : kind % 4 == 2 ? capsuleShape(0.2, 0.5)
                           : vvCreateShape(&convex, NULL);
}

static void samePick(const vvPick *rigid, const vvPick *collider, const vvRigidBodyId *body, const vvColliderId *twin)
{
    assert_int_equal(rigid->kind == VV_PICK_RIGID, collider->kind == VV_PICK_COLLIDER);
    if (rigid->kind == VV_PICK_NOTHING)
        return;
    int i = 0;
    while (!same(rigid->rigid, body[i]))
        i += 1;
    assert_true(twin[i].index1 == collider->collider.index1 && rigid->triangle == -1 && rigid->vertex == -1);
    CHECK_NEAR(rigid->distance, collider->distance, 1e-9);
    CHECK_NEAR(vecLength(vecSub(rigid->point, collider->point)), 0, 1e-9);
    CHECK_NEAR(vecLength(vecSub(rigid->normal, collider->normal)), 0, 1e-6);
}

// What is found of rigid bodies is what is found of colliders of the same shapes.
static void testQueries(void **state)
{
    (void)state;
    enum
    {
        COUNT = 8,
        ASKED = 400
    };
    TestRandom random = { 20 };
    vvWorldId world[2] = { makeWorld((vvVec3){ 0, 0, 0 }), makeWorld((vvVec3){ 0, 0, 0 }) };
    vvRigidBodyId body[COUNT];
    vvColliderId twin[COUNT];
    for (int i = 0; i < COUNT; ++i)
    {
        vvRigidBodyDef def = vvDefaultRigidBodyDef();
        vvColliderDef colliderDef = vvDefaultColliderDef();
        def.shape = colliderDef.shape = randomShape(&random, i);
        def.position = colliderDef.position = randomVector(&random, 2);
        def.rotation = colliderDef.rotation = vvQuat_FromDegrees(randomVector(&random, 180));
        body[i] = vvCreateRigidBody(world[0], &def, NULL);
        twin[i] = vvCreateCollider(world[1], &colliderDef, NULL);
        vvDestroyShape(def.shape);
    }
    int hits = 0, overlaps = 0;
    for (int k = 0; k < ASKED; ++k)
    {
        vvVec3 origin = randomVector(&random, 2), direction = randomVector(&random, 1);
        double radius = k % 2 == 0 ? 0 : randomBetween(&random, 0, 0.4), farthest = k % 3 == 0 ? INFINITY : 2;
        vvPick pick[2], near[2];
        vvOverlap found[2][COUNT];
        int count[2];
        for (int w = 0; w < 2; ++w)
        {
            pick[w] = vvWorld_CastSphere(world[w], origin, radius, direction, farthest);
            near[w] = vvWorld_FindNearest(world[w], origin, farthest);
            vvBox box = { vecSub(origin, vec3(radius, 0.3, 0.4)), vecAdd(origin, vec3(radius, 0.3, 0.4)) };
            count[w] = k % 2 == 0 ? vvWorld_OverlapBox(world[w], box, found[w], COUNT)
                                  : vvWorld_OverlapSphere(world[w], origin, radius, found[w], COUNT);
        }
        samePick(&pick[0], &pick[1], body, twin);
        samePick(&near[0], &near[1], body, twin);
        assert_int_equal(count[0], count[1]);
        for (int i = 0; i < count[0]; ++i)
            assert_int_equal(found[0][i].rigid.index1, found[1][i].collider.index1);
        hits += pick[0].kind == VV_PICK_RIGID;
        overlaps += count[0];
        // the ball that just touches what is nearest touches nothing else
        double distance = near[0].distance;
        if (near[0].kind == VV_PICK_RIGID && distance > 0)
        {
            assert_int_equal(vvWorld_OverlapSphere(world[0], origin, distance * (1 - 1e-6), NULL, 0), 0);
            assert_true(vvWorld_OverlapSphere(world[0], origin, distance * (1 + 1e-6), found[0], 1) >= 1);
            assert_true(same(found[0][0].rigid, near[0].rigid));
        }
    }
    assert_true(hits > 20 && overlaps > 20);
    vvDestroyWorld(world[0]);
    vvDestroyWorld(world[1]);
}

// The nearest of soft bodies: a solid, a sheet and a rope, at known places.
static void testNearest(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, 0, 0 });
    vvMesh *mesh[3] = { vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), vvCreateSheetMesh(1, 1, 2, 2),
                        vvCreateRopeMesh(1, 4) };
    const vvVec3 at[3] = { { 0, 0, 0 }, { 5, 0, 0 }, { 0, 5, 0 } };
    vvSoftBodyId body[3];
    for (int i = 0; i < 3; ++i)
    {
        vvSoftBodyDef def = undampedDef();
        def.mesh = mesh[i];
        def.position = at[i];
        def.model = i == 0 ? "corotated" : "spring";
        vvResult result;
        body[i] = vvCreateSoftBody(world, &def, &result);
        CHECK_OK(result);
    }
    vvPick pick = vvWorld_FindNearest(world, (vvVec3){ 0.1, 0.9, 0.2 }, INFINITY);
    assert_true(pick.kind == VV_PICK_BODY && pick.body.index1 == body[0].index1);
    CHECK_NEAR(pick.distance, 0.4, 1e-12);
    CHECK_NEAR(pick.point.y, 0.5, 1e-12);
    CHECK_NEAR(pick.normal.y, 1, 1e-12);
    CHECK_NEAR(pick.weights[0] + pick.weights[1] + pick.weights[2], 1, 1e-12);
    pick = vvWorld_FindNearest(world, (vvVec3){ 4.9, 3, 0 }, INFINITY); // the sheet may lie in any plane of its own
    assert_true(pick.kind == VV_PICK_BODY && pick.body.index1 == body[1].index1);
    pick = vvWorld_FindNearest(world, (vvVec3){ 0.1, 5, 0.3 }, INFINITY);
    assert_true(pick.kind == VV_PICK_BODY && pick.body.index1 == body[2].index1 && pick.vertices[2] == -1);
    assert_int_equal(vvWorld_FindNearest(world, (vvVec3){ 0, 2, 0 }, 1.4).kind, VV_PICK_NOTHING);
    assert_int_equal(vvWorld_FindNearest(world, (vvVec3){ 0, NAN, 0 }, 1.4).kind, VV_PICK_NOTHING);
    vvDestroyWorld(world);
    for (int i = 0; i < 3; ++i)
        vvDestroyMesh(mesh[i]);
}

// Soft bodies that touch the same rigid body are one island; the first of them may go.
static void testFirstGoes(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvVec3){ 0, -9.81, 0 });
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 1, 1, 1);
    vvSoftBodyDef def = undampedDef();
    vvSoftBodyId soft[2];
    def.mesh = mesh;
    addGround(world, 0.5, 0);
    addBox(world, (vvVec3){ 1, 0.1, 1 }, (vvVec3){ 0, 0.05, 0 });
    for (int i = 0; i < 2; ++i)
    {
        def.position = (vvVec3){ 0.5 * i - 0.25, 0.2, 0 };
        soft[i] = vvCreateSoftBody(world, &def, NULL);
    }
    steps(world, 3);
    assert_int_equal(vvSoftBody_GetIsland(soft[0]), vvSoftBody_GetIsland(soft[1]));
    vvContactEvent events[4];
    assert_int_equal(vvWorld_GetContactEvents(world, events, 4), 3);
    assert_true(events[0].body.index1 == soft[0].index1 && events[0].otherRigid.index1 == 1);
    vvDestroySoftBody(soft[0]);
    steps(world, 3);
    assert_int_equal(vvSoftBody_GetIsland(soft[1]), 0);
    vvDestroyWorld(world);
    vvDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testEvents), cmocka_unit_test(testQueries),
                                        cmocka_unit_test(testNearest), cmocka_unit_test(testFirstGoes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
