// Handles: they hold where they are set, drag with the force of one spring, and book what they do.
#include "check.h"

#include "base/system.h"
#include "undamped.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <verve/verve.h>

static const double weights[3] = { 0.2, 0.3, 0.5 };

static vvWorldId makeWorld(double gravity, const char *method)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.gravity = (vvVec3){ 0, gravity, 0 };
    def.method = method;
    vvWorldId world = vvCreateWorld(&def, NULL);
    assert_true(vvWorld_IsValid(world));
    return world;
}

static vvSoftBodyId addBar(vvWorldId world, double damping)
{
    vvMesh *mesh = vvCreateBarMesh(1, 0.25, 6, 1);
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.material.young = 1e5;
    def.damping.rigidPreserving = damping;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, NULL);
    vvDestroyMesh(mesh);
    return body;
}

// at a point inside a triangle of the bar's end
static vvHandleId addHandle(vvWorldId world, vvSoftBodyId body, double stiffness, vvVec3 *point)
{
    vvPick pick = vvWorld_CastRay(world, (vvVec3){ 2, 0.03, 0.05 }, (vvVec3){ -1, 0, 0 }, 10);
    vvHandleDef def = vvDefaultHandleDef();
    def.body = body;
    def.stiffness = stiffness;
    *point = (vvVec3){ 0, 0, 0 };
    for (int k = 0; k < 3; ++k)
    {
        const double *x = vvSoftBody_GetPositions(body) + 3 * pick.vertices[k];
        def.vertices[k] = pick.vertices[k];
        def.weights[k] = weights[k];
        *point = (vvVec3){ point->x + weights[k] * x[0], point->y + weights[k] * x[1], point->z + weights[k] * x[2] };
    }
    vvResult result;
    vvHandleId handle = vvCreateHandle(world, &def, &result);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
    return handle;
}

static void step(vvWorldId world, double dt)
{
    vvResult result = vvWorld_Step(world, dt);
    if (result.code != VV_OK)
        fail_msg("%s", result.message);
}

// 1 m in half a second and back; returns what the numerics lost, over the most energy there was
static double drag(int steps)
{
    vvWorldId world = makeWorld(0, "implicit-midpoint");
    vvSoftBodyId bar = addBar(world, 0);
    vvVec3 point;
    vvHandleId handle = addHandle(world, bar, 0, &point);
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_NEAR(ledger.added, 0, 1e-28);
    CHECK_NEAR(vvHandle_GetTarget(handle).x, point.x, 1e-15);
    double impulse = 0, most = 0, h = 1.0 / steps;
    for (int i = 0; i < steps; ++i)
    {
        double s = 2.0 * (i < steps / 2 ? i + 1 : steps - 1 - i) / steps, before = vvHandle_GetForce(handle).y;
        assert_int_equal(vvHandle_MoveTo(handle, (vvVec3){ point.x, point.y + s, point.z }).code, VV_OK);
        step(world, h);
        // midpoint takes the mean of the spring's force at both ends of a step, exactly
        impulse += 0.5 * h * (before + vvHandle_GetForce(handle).y);
        ledger = vvWorld_GetLedger(world);
        CHECK_NEAR(ledger.momentum.y, impulse, 1e-9 * (1 + fabs(impulse)));
        most = fmax(most, ledger.total);
    }
    assert_true(most > 10 && fabs(ledger.added) > 0.01 * most);
    vvDestroyHandle(handle);
    assert_false(vvHandle_IsValid(handle));
    vvLedger after = vvWorld_GetLedger(world);
    CHECK_NEAR(after.numerical, ledger.numerical, 1e-9 * most);
    assert_true(after.added < ledger.added); // what the spring still held is gone
    vvDestroyWorld(world);
    return fabs(ledger.numerical) / most;
}

// the work is booked: what is left is the midpoint rule's error in the material, of second order
static void testDrag(void **state)
{
    (void)state;
    double coarse = drag(120), fine = drag(480);
    CHECK_BELOW(coarse, 1e-2);
    CHECK_BELOW(fine, 0.15 * coarse);
}

// slowly there and back: the work of the way out comes back
static void testClosedLoop(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(0, "implicit-midpoint");
    vvSoftBodyId bar = addBar(world, 3);
    int vertices[200],
        count = vvSoftBody_FindVertices(bar, (vvBox){ { -0.51, -1, -1 }, { -0.49, 1, 1 } }, vertices, 200);
    assert_int_equal(vvSoftBody_Pin(bar, vertices, count).code, VV_OK);
    vvVec3 point;
    vvHandleId handle = addHandle(world, bar, 2e3, &point);
    double peak = 0, added = 0;
    const int steps = 400;
    for (int i = 0; i <= 2 * steps; ++i)
    {
        // smooth at both ends, so that nothing starts to swing
        double s = i < steps       ? (i + 1.0) / steps
                   : i < 2 * steps ? 2 - (i + 1.0) / steps
                                   : 0,
               smooth = s * s * (3 - 2 * s);
        vvHandle_MoveTo(handle, (vvVec3){ point.x, point.y + 0.3 * smooth, point.z });
        step(world, 1.0 / 30);
        vvLedger ledger = vvWorld_GetLedger(world);
        peak = fmax(peak, ledger.elastic);
        added = ledger.added;
    }
    assert_true(peak > 1);
    CHECK_NEAR(added, 0, 0.01 * peak);
    vvDestroyWorld(world);
}

// without a stiffness of its own a handle carries the body: it hangs m g / k below
static void testCarries(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(-9.81, "backward-euler");
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2);
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.damping.mass = 5;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, NULL);
    vvDestroyMesh(mesh);
    vvHandleDef handleDef = vvDefaultHandleDef();
    handleDef.body = body;
    handleDef.vertices[0] = vvSoftBody_FindNearestVertex(body, (vvVec3){ 0, 0.1, 0 });
    vvHandleId handle = vvCreateHandle(world, &handleDef, NULL);
    for (int i = 0; i < 600; ++i)
        step(world, 1.0 / 60);
    double weight = 9.81 * vvSoftBody_GetMass(body);
    CHECK_NEAR(vvHandle_GetForce(handle).y, weight, 1e-3 * weight);
    CHECK_NEAR(vvSoftBody_GetPositions(body)[3 * handleDef.vertices[0] + 1], 0.1 - 9.81 / 3600, 1e-5);
    // a body takes its handles along, and the place is free again
    vvDestroySoftBody(body);
    assert_false(vvHandle_IsValid(handle));
    assert_int_equal(vvHandle_MoveTo(handle, (vvVec3){ 0, 0, 0 }).code, VV_BAD_ID);
    vvDestroyHandle(handle);
    vvDestroyWorld(world);
}

static void testRefused(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(0, "backward-euler");
    vvSoftBodyId bar = addBar(world, 0);
    const struct
    {
        int vertices[3];
        double weights[3], stiffness;
    } bad[] = {
        { { -1, -1, -1 }, { 1, 0, 0 }, 0 },       { { 100000, 0, 0 }, { 1, 0, 0 }, 0 },
        { { 0, 1, 2 }, { 0.5, 0.6, 0 }, 0 },      { { 0, 1, 2 }, { -0.5, 1, 0.5 }, 0 },
        { { 0, 0, 2 }, { 0.5, 0.5, 0 }, 0 },      { { 0, 1, 2 }, { NAN, 0.5, 0.5 }, 0 },
        { { 0, 1, 2 }, { 0.25, 0.25, 0.5 }, -1 }, { { 0, 1, 2 }, { 0.25, 0.25, 0.5 }, INFINITY },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        vvHandleDef def = vvDefaultHandleDef();
        vvResult result;
        def.body = bar;
        memcpy(def.vertices, bad[i].vertices, sizeof def.vertices);
        memcpy(def.weights, bad[i].weights, sizeof def.weights);
        def.stiffness = bad[i].stiffness;
        vvHandleId handle = vvCreateHandle(world, &def, &result);
        assert_int_equal(handle.index1, 0);
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_true(strlen(result.message) > 5 && strlen(result.remedy) > 5);
    }
    vvHandleDef empty = { 0 };
    assert_int_equal(vvCreateHandle(world, &empty, NULL).index1, 0);
    assert_int_equal(vvWorld_GetStatistics(world).attachmentCount, 0);
    vvDestroyWorld(world);
}

typedef struct Hook
{
    int calls, refuse; // the call with this number gets NULL; 0: none
} Hook;

static void *hookAllocate(size_t size, size_t alignment, void *userData)
{
    Hook *hook = userData;
    return ++hook->calls == hook->refuse ? NULL : systemAllocate(size, alignment);
}

static void hookRelease(void *memory, size_t size, void *userData)
{
    (void)size;
    (void)userData;
    systemRelease(memory);
}

// whichever request is refused, no half handle is left
static void testOutOfMemory(void **state)
{
    (void)state;
    bool done = false;
    int refused = 0;
    for (int n = 1; !done; ++n)
    {
        Hook hook = { 0, 0 };
        vvWorldDef def = vvDefaultWorldDef();
        def.method = "implicit-midpoint";
        def.allocator = (vvAllocator){ hookAllocate, hookRelease, &hook };
        vvWorldId world = vvCreateWorld(&def, NULL);
        vvHandleDef handleDef = vvDefaultHandleDef();
        handleDef.body = addBar(world, 0);
        for (int k = 0; k < 3; ++k)
        {
            handleDef.vertices[k] = k;
            handleDef.weights[k] = weights[k];
        }
        vvResult result;
        hook.refuse = hook.calls + n;
        vvHandleId handle = vvCreateHandle(world, &handleDef, &result);
        done = result.code == VV_OK;
        refused += !done;
        assert_int_equal(result.code, done ? VV_OK : VV_OUT_OF_MEMORY);
        assert_int_equal(vvHandle_IsValid(handle), done);
        assert_int_equal(vvWorld_GetStatistics(world).attachmentCount, done ? 3 : 0);
        vvDestroyWorld(world);
    }
    assert_true(refused > 3);
}

// a ray that hit nothing gives no handle, and the message says so, with the pick's body and with another
static void aMissGivesNoHandle(void **state)
{
    (void)state;
    vvWorldId world = makeWorld(0, "small-midpoint");
    vvSoftBodyId body = addBar(world, 0);
    vvPick pick = vvWorld_CastRay(world, (vvVec3){ 2, 5, 0 }, (vvVec3){ -1, 0, 0 }, 10);
    assert_int_equal(pick.kind, VV_PICK_NOTHING);
    for (int k = 0; k < 2; ++k)
    {
        vvResult result;
        vvHandleDef def = vvDefaultHandleDef();
        def.body = k == 0 ? pick.body : body;
        memcpy(def.vertices, pick.vertices, sizeof def.vertices);
        memcpy(def.weights, pick.weights, sizeof def.weights);
        assert_false(vvHandle_IsValid(vvCreateHandle(world, &def, &result)));
        assert_int_equal(result.code, VV_BAD_INPUT);
        assert_non_null(strstr(result.message, "pick that hit no"));
        assert_non_null(strstr(result.remedy, "VV_PICK_BODY"));
    }
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aMissGivesNoHandle), cmocka_unit_test(testDrag),    cmocka_unit_test(testClosedLoop),
        cmocka_unit_test(testCarries),        cmocka_unit_test(testRefused), cmocka_unit_test(testOutOfMemory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
