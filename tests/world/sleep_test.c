// Sleeping: what has come to rest costs nothing and changes by no bit, and whatever touches it wakes it.
#include "check.h"
#include "undamped.h"

#include <math.h>
#include <string.h>
#include <verve/verve.h>

static const double step = 1.0 / 60;

typedef struct Scene
{
    vvWorldId world;
    vvSoftBodyId body;
    vvColliderId floor, far; // the cube stands on the first
} Scene;

static vvColliderId addBox(vvWorldId world, vvVec3 position)
{
    vvShapeDef shapeDef = vvDefaultShapeDef();
    shapeDef.kind = VV_SHAPE_BOX;
    vvColliderDef def = vvDefaultColliderDef();
    def.shape = vvCreateShape(&shapeDef, NULL);
    def.position = position;
    vvColliderId collider = vvCreateCollider(world, &def, NULL);
    vvDestroyShape(def.shape);
    return collider;
}

static vvSoftBodyId addCube(vvWorldId world, vvVec3 position)
{
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2);
    vvSoftBodyDef def = undampedDef();
    def.mesh = mesh;
    def.position = position;
    def.material.young = 1e5;
    def.damping.rigidPreserving = 10;
    vvSoftBodyId body = vvCreateSoftBody(world, &def, NULL);
    vvDestroyMesh(mesh);
    return body;
}

static Scene makeScene(double sleepEnergy)
{
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "backward-euler";
    def.sleepEnergy = sleepEnergy;
    Scene scene = { .world = vvCreateWorld(&def, NULL) };
    scene.body = addCube(scene.world, (vvVec3){ 0, 0.12, 0 });
    scene.floor = addBox(scene.world, (vvVec3){ 0, -0.5, 0 });
    scene.far = addBox(scene.world, (vvVec3){ 9, 0, 0 });
    return scene;
}

static void run(vvWorldId world, int steps)
{
    for (int i = 0; i < steps; ++i)
    {
        vvResult result = vvWorld_Step(world, step);
        if (result.code != VV_OK)
            fail_msg("%s", result.message);
    }
}

static Scene asleep(void)
{
    Scene scene = makeScene(1e-5);
    for (int i = 0; i < 600 && vvSoftBody_IsAwake(scene.body); ++i)
        run(scene.world, 1);
    assert_false(vvSoftBody_IsAwake(scene.body));
    return scene;
}

// beside a twin that never sleeps: the same steps up to the moment, then the kinetic energy is dissipated and all
// stands still
static void testFallsAsleep(void **state)
{
    (void)state;
    Scene tired = makeScene(1e-5), twin = makeScene(0);
    int steps = 0;
    do
    {
        run(tired.world, 1);
        run(twin.world, 1);
        steps += 1;
    } while (vvSoftBody_IsAwake(tired.body) && steps < 600);
    assert_true(steps > 30 && steps < 600); // half a second at the least
    vvLedger a = vvWorld_GetLedger(tired.world), b = vvWorld_GetLedger(twin.world);
    assert_true(b.kinetic > 0 && b.kinetic < 1e-5 * vvSoftBody_GetMass(twin.body));
    CHECK_NEAR(a.kinetic, 0, 0);
    CHECK_NEAR(a.dissipated - b.dissipated, b.kinetic, 1e-13);
    CHECK_NEAR(a.numerical, b.numerical, 1e-13);
    CHECK_NEAR(a.elastic, b.elastic, 0);
    assert_int_equal(vvWorld_GetStatistics(tired.world).sleepingCount, 1);

    double before[81];
    memcpy(before, vvSoftBody_GetPositions(tired.body), sizeof before);
    double time = vvWorld_GetTime(tired.world);
    run(tired.world, 60);
    vvLedger after = vvWorld_GetLedger(tired.world);
    assert_memory_equal(before, vvSoftBody_GetPositions(tired.body), sizeof before);
    assert_memory_equal(&a, &after, sizeof a);
    CHECK_NEAR(vvWorld_GetTime(tired.world), time + 1, 1e-12);
    assert_int_equal(vvWorld_GetStatistics(tired.world).iterations, 0);
    // it still stands on the floor
    vvContactEvent event;
    assert_int_equal(vvWorld_GetContactEvents(tired.world, &event, 1), 1);
    assert_int_equal(event.kind, VV_CONTACT_STAY);
    CHECK_NEAR(event.force.y, 9.81 * vvSoftBody_GetMass(tired.body), 0.1 * vvSoftBody_GetMass(tired.body));
    vvDestroyWorld(tired.world);
    vvDestroyWorld(twin.world);
}

// a body that drifts slowly is stopped after the first step: all its kinetic energy is dissipated
static void testBooked(void **state)
{
    (void)state;
    vvWorldDef def = vvDefaultWorldDef();
    def.method = "implicit-midpoint";
    def.gravity = (vvVec3){ 0, 0, 0 };
    def.sleepEnergy = 1e-3;
    def.sleepTime = 0;
    vvWorldId world = vvCreateWorld(&def, NULL);
    vvSoftBodyId body = addCube(world, (vvVec3){ 0, 0, 0 });
    double velocities[81], energy = 0.5 * vvSoftBody_GetMass(body) * 0.03 * 0.03; // 4.5e-4 J/kg
    for (int i = 0; i < 81; ++i)
        velocities[i] = i % 3 == 0 ? 0.03 : 0;
    vvSoftBody_SetVelocities(body, velocities);
    run(world, 1);
    assert_false(vvSoftBody_IsAwake(body));
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_NEAR(ledger.added, energy, 1e-12 * energy);
    CHECK_NEAR(ledger.dissipated, energy, 1e-9 * energy);
    CHECK_NEAR(ledger.numerical, 0, 1e-9 * energy);
    CHECK_NEAR(ledger.momentum.x, 0, 0);
    vvDestroyWorld(world);
}

// ---- what wakes -----------------------------------------------------------------------------------------------------

static void wakeCall(Scene *s)
{
    vvSoftBody_Wake(s->body);
}

static void wakeForce(Scene *s)
{
    vvSoftBody_SetForce(s->body, 3, (vvVec3){ 0, 1, 0 });
}

static void wakeVelocity(Scene *s)
{
    static const double still[81];
    vvSoftBody_SetVelocities(s->body, still);
}

static void wakePosition(Scene *s)
{
    vvSoftBody_SetPositions(s->body, vvSoftBody_GetPositions(s->body));
}

static void wakePin(Scene *s)
{
    vvSoftBody_Pin(s->body, (int[]){ 0 }, 1);
}

static void wakeGravity(Scene *s)
{
    vvWorld_SetGravity(s->world, (vvVec3){ 0, -9.8, 0 });
}

static void wakeHandle(Scene *s)
{
    vvHandleDef def = vvDefaultHandleDef();
    def.body = s->body;
    def.vertices[0] = 0;
    vvCreateHandle(s->world, &def, NULL);
}

static void wakeFloorMoves(Scene *s)
{
    vvCollider_MoveTo(s->floor, (vvVec3){ 0, -0.6, 0 }, (vvQuat){ 1, 0, 0, 0 });
}

static void wakeFloorGoes(Scene *s)
{
    vvDestroyCollider(s->floor);
}

static void wakeVisitor(Scene *s)
{
    vvCollider_MoveTo(s->far, (vvVec3){ 0.55, 0.4, 0 }, (vvQuat){ 1, 0, 0, 0 });
}

static void leaveFar(Scene *s)
{
    vvCollider_MoveTo(s->far, (vvVec3){ 8, 0, 0 }, vvQuat_FromDegrees((vvVec3){ 0, 45, 0 }));
}

static void leaveSameForce(Scene *s)
{
    vvSoftBody_SetForce(s->body, 3, (vvVec3){ 0, 0, 0 });
    vvSoftBody_ClearForces(s->body);
}

static void testWakes(void **state)
{
    (void)state;
    static const struct
    {
        void (*touch)(Scene *scene);
        bool wakes;
    } rows[] = {
        { wakeCall, true },      { wakeForce, true },   { wakeVelocity, true }, { wakePosition, true },
        { wakePin, true },       { wakeGravity, true }, { wakeHandle, true },   { wakeFloorMoves, true },
        { wakeFloorGoes, true }, { wakeVisitor, true }, { leaveFar, false },    { leaveSameForce, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        Scene scene = asleep();
        rows[i].touch(&scene);
        run(scene.world, 1);
        if (vvSoftBody_IsAwake(scene.body) != rows[i].wakes)
            fail_msg("row %d: %s", (int)i, rows[i].wakes ? "sleeps on" : "woke");
        vvDestroyWorld(scene.world);
    }
}

// where the support is gone the body falls, and on the new one it sleeps again
static void testFalls(void **state)
{
    (void)state;
    Scene scene = asleep();
    vvDestroyCollider(scene.floor);
    run(scene.world, 60);
    assert_true(vvSoftBody_GetPositions(scene.body)[1] < -3);
    vvDestroyWorld(scene.world);
}

// an island sleeps as one: while a tied body swings, the other stays awake
static void testIsland(void **state)
{
    (void)state;
    Scene scene = makeScene(1e-5);
    vvSoftBodyId other = addCube(scene.world, (vvVec3){ 5, 5, 0 });
    vvSoftBodyId lonely = addCube(scene.world, (vvVec3){ 0.3, 0.12, 0.3 });
    vvSoftBody_Pin(other, (int[]){ 0 }, 1);
    vvAttachmentDef tie = vvDefaultAttachmentDef();
    tie.bodyA = scene.body;
    tie.bodyB = other;
    tie.stiffness = 1e-6;
    vvCreateAttachment(scene.world, &tie, NULL);
    run(scene.world, 240);
    assert_true(vvSoftBody_IsAwake(scene.body) && vvSoftBody_IsAwake(other));
    assert_false(vvSoftBody_IsAwake(lonely));
    vvDestroyWorld(scene.world);
}

// saved in the middle of getting tired, and asleep: both go on alike, bit for bit
static void testSaved(void **state)
{
    (void)state;
    int whole = 0;
    Scene first = makeScene(1e-5);
    while (vvSoftBody_IsAwake(first.body))
    {
        run(first.world, 1);
        whole += 1;
    }
    vvDestroyWorld(first.world);
    for (int early = -10; early <= 10; early += 20)
    {
        Scene a = makeScene(1e-5), b = makeScene(1e-5);
        run(a.world, whole + early);
        size_t size = vvWorld_GetStateSize(a.world);
        void *bytes = test_malloc(size);
        assert_int_equal(vvWorld_SaveState(a.world, bytes, size).code, VV_OK);
        assert_int_equal(vvWorld_RestoreState(b.world, bytes, size).code, VV_OK);
        assert_int_equal(vvSoftBody_IsAwake(b.body), early < 0);
        assert_true(vvWorld_GetHash(a.world) == vvWorld_GetHash(b.world));
        run(a.world, -early + 1 > 0 ? -early + 1 : 1);
        run(b.world, -early + 1 > 0 ? -early + 1 : 1);
        assert_false(vvSoftBody_IsAwake(a.body));
        assert_false(vvSoftBody_IsAwake(b.body));
        assert_true(vvWorld_GetHash(a.world) == vvWorld_GetHash(b.world));
        test_free(bytes);
        vvDestroyWorld(a.world);
        vvDestroyWorld(b.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testFallsAsleep), cmocka_unit_test(testBooked), cmocka_unit_test(testWakes),
        cmocka_unit_test(testFalls),       cmocka_unit_test(testIsland), cmocka_unit_test(testSaved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
