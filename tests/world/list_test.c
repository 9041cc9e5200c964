// What is in a world can be listed, and ids go through 64-bit integers and come back as they were.
#include "scenes.h"
#include "undamped.h"

static vvColliderId someCollider(vvWorldId world)
{
    vvShapeDef shape = vvDefaultShapeDef();
    vvColliderDef def = vvDefaultColliderDef();
    vvResult result;
    def.shape = vvCreateShape(&shape, &result);
    def.position.y = -10;
    vvColliderId collider = vvCreateCollider(world, &def, &result);
    CHECK_OK(result);
    vvDestroyShape(def.shape);
    return collider;
}

static vvHandleId someHandle(vvWorldId world, vvSoftBodyId body)
{
    vvHandleDef def = vvDefaultHandleDef();
    def.body = body;
    for (int k = 0; k < 3; ++k)
    {
        def.vertices[k] = k;
        def.weights[k] = k == 0 ? 0.5 : 0.25;
    }
    vvResult result;
    vvHandleId handle = vvCreateHandle(world, &def, &result);
    CHECK_OK(result);
    return handle;
}

static void everythingIsListed(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), undampedDef());
    vvAttachmentId attachment[3], attachments[4];
    vvColliderId collider[3], colliders[4];
    vvHandleId handle = someHandle(world, body), handles[2]; // its springs are no attachments of the caller
    for (int k = 0; k < 3; ++k)
    {
        attachment[k] = attachToPoint(world, body, k, 100);
        collider[k] = someCollider(world);
    }
    assert_int_equal(vvWorld_GetAttachments(world, attachments, 4), 3);
    assert_memory_equal(attachments, attachment, sizeof attachment);
    assert_int_equal(vvWorld_GetColliders(world, colliders, 4), 3);
    assert_memory_equal(colliders, collider, sizeof collider);
    assert_int_equal(vvWorld_GetHandles(world, handles, 2), 1);
    assert_memory_equal(handles, &handle, sizeof handle);
    vvSoftBodyId held = vvHandle_GetBody(handle);
    assert_memory_equal(&held, &body, sizeof body);

    // room for one, and what was destroyed
    vvDestroyAttachment(attachment[0]);
    vvDestroyCollider(collider[0]);
    vvDestroyHandle(handle);
    memset(attachments, 0, sizeof attachments);
    assert_int_equal(vvWorld_GetAttachments(world, attachments, 1), 2);
    assert_memory_equal(attachments, attachment + 1, sizeof attachment[0]);
    assert_int_equal(attachments[1].index1, 0);
    assert_int_equal(vvWorld_GetAttachments(world, NULL, 5), 2);
    assert_int_equal(vvWorld_GetColliders(world, NULL, 0), 2);
    assert_int_equal(vvWorld_GetHandles(world, NULL, 0), 0);
    assert_int_equal(vvHandle_GetBody(handle).index1, 0);
    vvDestroySoftBody(body);
    assert_int_equal(vvWorld_GetAttachments(world, attachments, 4), 0);
    vvDestroyWorld(world);
    assert_int_equal(vvWorld_GetAttachments(world, attachments, 4), 0);
    assert_int_equal(vvWorld_GetColliders(world, colliders, 4), 0);
    assert_int_equal(vvWorld_GetHandles(world, handles, 2), 0);
}

// an attachment made again from what it says of itself pulls as the first did
static void attachmentsSayWhatTheyAre(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 });
        vvSoftBodyId a = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), undampedDef());
        vvSoftBodyId b = makeBody(world, vvCreateRopeMesh(1, 3), undampedDef());
        vvAttachmentDef def = vvDefaultAttachmentDef(), found;
        def.bodyA = a;
        def.vertexA = 5;
        def.bodyB = k == 0 ? b : (vvSoftBodyId){ 0, 0, 0 };
        def.vertexB = k == 0 ? 2 : 0;
        def.target = k == 0 ? (vvVec3){ 0, 0, 0 } : (vvVec3){ 0.2, 3, 0.1 };
        def.restLength = k == 0 ? 0.3 : 0;
        def.stiffness = 345;
        vvResult result;
        vvAttachmentId attachment = vvCreateAttachment(world, &def, &result);
        CHECK_OK(result);
        CHECK_OK(vvWorld_Step(world, 0.01));
        CHECK_OK(vvAttachment_GetDef(attachment, &found));
        assert_memory_equal(&found, &def, sizeof def);
        double elastic = vvWorld_GetLedger(world).elastic;
        vvDestroyAttachment(attachment);
        assert_true(vvWorld_GetLedger(world).elastic < elastic);
        attachment = vvCreateAttachment(world, &found, &result);
        CHECK_OK(result);
        CHECK_CLOSE(vvWorld_GetLedger(world).elastic, elastic, 1e-14);
        assert_int_equal(vvAttachment_GetDef(attachment, NULL).code, VV_BAD_INPUT);
        vvDestroyWorld(world);
        assert_int_equal(vvAttachment_GetDef(attachment, &found).code, VV_BAD_ID);
    }
}

#define CHECK_ROUND(Type, store, load, id)                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        Type before = (id), after = load(store(before)), none = { 0 };                                                 \
        assert_memory_equal(&before, &after, sizeof before);                                                           \
        assert_true(store(before) != 0);                                                                               \
        assert_true(store(none) == 0);                                                                                 \
        after = load(0);                                                                                               \
        assert_memory_equal(&none, &after, sizeof none);                                                               \
        assert_true(store(load(0xfedcba9876543210u)) == 0xfedcba9876543210u);                                          \
    } while (0)

static void idsAreIntegers(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), undampedDef());
    CHECK_ROUND(vvWorldId, vvStoreWorldId, vvLoadWorldId, world);
    CHECK_ROUND(vvSoftBodyId, vvStoreSoftBodyId, vvLoadSoftBodyId, body);
    CHECK_ROUND(vvAttachmentId, vvStoreAttachmentId, vvLoadAttachmentId, attachToPoint(world, body, 0, 100));
    CHECK_ROUND(vvColliderId, vvStoreColliderId, vvLoadColliderId, someCollider(world));
    CHECK_ROUND(vvHandleId, vvStoreHandleId, vvLoadHandleId, someHandle(world, body));

    // an id that went through an integer is stale when its body is
    uint64_t integer = vvStoreSoftBodyId(body);
    assert_true(vvSoftBody_IsValid(vvLoadSoftBodyId(integer)));
    vvDestroySoftBody(body);
    assert_false(vvSoftBody_IsValid(vvLoadSoftBodyId(integer)));
    assert_false(vvSoftBody_IsValid(vvLoadSoftBodyId(0x0123456789abcdefu)));
    vvDestroyWorld(world);
}

static void bodiesKnowTheirWorld(void **state)
{
    (void)state;
    vvWorldId worlds[3];
    vvSoftBodyId body[3];
    for (int k = 0; k < 3; ++k)
    {
        worlds[k] = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
        body[k] = makeBody(worlds[k], vvCreateRopeMesh(1, 2), undampedDef());
    }
    for (int k = 0; k < 3; ++k)
    {
        vvWorldId found = vvSoftBody_GetWorld(body[k]);
        assert_memory_equal(&found, &worlds[k], sizeof found);
    }
    for (int k = 0; k < 3; ++k)
        vvDestroyWorld(worlds[k]);
    assert_int_equal(vvSoftBody_GetWorld(body[0]).index1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everythingIsListed),
        cmocka_unit_test(attachmentsSayWhatTheyAre),
        cmocka_unit_test(idsAreIntegers),
        cmocka_unit_test(bodiesKnowTheirWorld),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
