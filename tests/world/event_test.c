// Contact events: they begin, stay and end as bodies touch colliders, with the force that holds a body.
#include "check.h"
#include "undamped.h"

#include <math.h>
#include <string.h>
#include <verve/verve.h>

static vvWorldId makeWorld(vvLogger logger)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "backward-euler";
    def.logger = logger;
    return vvCreateWorld(&def, NULL);
}

static vvSoftBodyId addBody(vvWorldId world, vvMesh *mesh, vvVec3 position, double damping)
{
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.position = position;
    def.damping.mass = damping;
    def.material.young = 1e5;
    return vvCreateSoftBody(world, &def, NULL);
}

static vvColliderId addPlane(vvWorldId world, double offset)
{
    vvShapeDef shapeDef = vvDefaultShapeDef();
    shapeDef.offset = offset;
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = vvCreateShape(&shapeDef, NULL);
    vvColliderId collider = vvCreateCollider(world, &def, NULL);
    vvDestroyShape(def.shape);
    return collider;
}

static void step(vvWorldId world)
{
    vvResult result = vvWorld_Step(world, 1.0 / 120);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
}

// a cube falls, lands flat, and is lifted off again: one beginning, an unbroken stay, one end
static void testLife(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvLogger){ 0 });
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2);
    vvSoftBodyId body = addBody(world, mesh, (vvVec3){ 0.3, 0.12, -0.4 }, 20);
    vvColliderId plane = addPlane(world, 0);
    assert_int_equal(vvWorld_GetContactEvents(world, NULL, 0), 0);
    int count[3] = { 0 };
    vvContactEvent event;
    for (int i = 0; i < 480; ++i)
    {
        step(world);
        int events = vvWorld_GetContactEvents(world, &event, 1);
        assert_true(events <= 1);
        if (events == 0)
            continue;
        count[event.kind] += 1;
        assert_int_equal(event.kind, count[VV_CONTACT_STAY] == 0 && count[VV_CONTACT_BEGIN] == 1 ? VV_CONTACT_BEGIN
                                                                                                 : VV_CONTACT_STAY);
    }
    // at rest: nine vertices, the weight, the middle of the base
    double weight = 9.81 * vvSoftBody_GetMass(body);
    assert_int_equal(count[VV_CONTACT_BEGIN], 1);
    assert_true(count[VV_CONTACT_STAY] > 400);
    assert_int_equal(event.vertexCount, 9);
    CHECK_NEAR(event.force.y, weight, 1e-3 * weight);
    CHECK_NEAR(event.force.x, 0, 1e-3 * weight);
    CHECK_NEAR(event.normal.y, 1, 1e-12);
    CHECK_NEAR(event.point.x, 0.3, 1e-3);
    CHECK_NEAR(event.point.z, -0.4, 1e-3);
    assert_true(event.body.index1 == body.index1 && event.body.generation == body.generation);
    assert_true(event.collider.index1 == plane.index1 && event.collider.generation == plane.generation);
    assert_int_equal(event.other.index1, 0);

    // what touches is the same as the contacts say
    vvContact contacts[16];
    assert_int_equal(vvWorld_GetContacts(world, contacts, 16), event.vertexCount);
    double sum = 0;
    for (int i = 0; i < event.vertexCount; ++i)
        sum += contacts[i].force.y;
    CHECK_NEAR(sum, event.force.y, 1e-12 * weight);

    vvCollider_MoveTo(plane, (vvVec3){ 0, -1, 0 }, (vvQuat){ 1, 0, 0, 0 });
    step(world);
    assert_int_equal(vvWorld_GetContactEvents(world, &event, 1), 1);
    assert_int_equal(event.kind, VV_CONTACT_END);
    assert_int_equal(event.vertexCount, 0);
    step(world);
    assert_int_equal(vvWorld_GetContactEvents(world, &event, 1), 0);
    vvDestroyWorld(world);
    vvDestroyMesh(mesh);
}

// bodies by slot, each with its colliders by slot; what is destroyed ends
static void testOrder(void **state)
{
    (void)state;
    vvWorldId world = makeWorld((vvLogger){ 0 });
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 1, 1, 1);
    vvSoftBodyId bodies[3];
    for (int i = 0; i < 3; ++i)
        bodies[i] = addBody(world, mesh, (vvVec3){ 0.5 * i, 0.099, 0 }, 20);
    vvColliderId high = addPlane(world, 0), low = addPlane(world, -0.0001);
    step(world);
    vvContactEvent events[8];
    assert_int_equal(vvWorld_GetContactEvents(world, events, 8), 6);
    for (int i = 0; i < 6; ++i)
    {
        assert_int_equal(events[i].kind, VV_CONTACT_BEGIN);
        assert_int_equal(events[i].body.index1, bodies[i / 2].index1);
        assert_int_equal(events[i].collider.index1, i % 2 == 0 ? high.index1 : low.index1);
    }
    // a new body in the place of the old one: an end and a beginning, told apart by generation
    vvDestroySoftBody(bodies[1]);
    vvDestroyCollider(low);
    vvSoftBodyId fresh = addBody(world, mesh, (vvVec3){ 0.5, 0.099, 0 }, 20);
    assert_int_equal(fresh.index1, bodies[1].index1);
    step(world);
    static const vvContactEventKind want[] = { VV_CONTACT_STAY, VV_CONTACT_END,  VV_CONTACT_END, VV_CONTACT_BEGIN,
                                               VV_CONTACT_END,  VV_CONTACT_STAY, VV_CONTACT_END };
    assert_int_equal(vvWorld_GetContactEvents(world, events, 8), 7);
    for (int i = 0; i < 7; ++i)
        assert_int_equal(events[i].kind, want[i]);
    assert_int_equal(events[2].body.generation, bodies[1].generation);
    assert_int_equal(events[3].body.generation, fresh.generation);
    // after a restore to the same moment the pairs are known: they stay
    size_t size = vvWorld_GetStateSize(world);
    void *bytes = test_malloc(size);
    assert_int_equal(vvWorld_SaveState(world, bytes, size).code, VV_OK);
    vvSoftBody_SetPositions(bodies[0], vvSoftBody_GetPositions(bodies[0]));
    assert_int_equal(vvWorld_RestoreState(world, bytes, size).code, VV_OK);
    step(world);
    int count = vvWorld_GetContactEvents(world, events, 8);
    assert_int_equal(count, 3);
    for (int i = 0; i < count; ++i)
        assert_int_equal(events[i].kind, VV_CONTACT_STAY);
    test_free(bytes);
    vvDestroyWorld(world);
    vvDestroyMesh(mesh);
}

static void countWarnings(vvLogLevel level, const char *message, void *userData)
{
    *(int *)userData += level == VV_LOG_INFO && strstr(message, "contact events") != NULL;
}

// more pairs than there is room for: some begin a step later, which the log says; then no step asks for memory
static void testRoom(void **state)
{
    (void)state;
    enum
    {
        COUNT = 80
    };
    int warnings = 0;
    vvWorldId world = makeWorld((vvLogger){ countWarnings, &warnings });
    vvMeshDef meshDef = vvDefaultMeshDef();
    meshDef.shape = VV_MESH_BOX;
    meshDef.size = (vvVec3){ 0.1, 0.1, 0.1 };
    meshDef.cells[0] = meshDef.cells[1] = meshDef.cells[2] = 1;
    vvMesh *mesh = vvCreateMesh(&meshDef, NULL);
    addPlane(world, 0);
    for (int i = 0; i < COUNT; ++i)
        addBody(world, mesh, (vvVec3){ 0.5 * i, 0.0499, 0 }, 20);
    static const int begin[] = { 64, COUNT - 64, 0, 0 };
    for (int i = 0; i < 4; ++i)
    {
        long long before = vvWorld_GetStatistics(world).allocationCount;
        step(world);
        vvContactEvent events[COUNT];
        int count = vvWorld_GetContactEvents(world, events, COUNT), began = 0;
        assert_int_equal(count, i == 0 ? 64 : COUNT);
        for (int k = 0; k < count; ++k)
            began += events[k].kind == VV_CONTACT_BEGIN;
        assert_int_equal(began, begin[i]);
        assert_int_equal(warnings, i > 0);
        if (i > 1)
            assert_true(vvWorld_GetStatistics(world).allocationCount == before);
    }
    vvDestroyWorld(world);
    vvDestroyMesh(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testLife),
        cmocka_unit_test(testOrder),
        cmocka_unit_test(testRoom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
