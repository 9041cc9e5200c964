// Changing a world by hand: every jump of energy is booked as added, and what the integrator lost stays what it was.
#include "check.h"
#include "methods.h"
#include "undamped.h"

#include <verve/verve.h>

#include <string.h>

#define DT (1.0 / 60.0)
#define COUNT 27 // vertices of the box

// ---- scenes ---------------------------------------------------------------------------------------------------------

typedef struct Scene
{
    vvWorldId world;
    vvSoftBodyId body;
} Scene;

static Scene makeScene(const char *method, vvVec3 gravity)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = method;
    worldDef.gravity = gravity;
    Scene scene = { .world = vvCreateWorld(&worldDef, NULL) };
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    vvSoftBodyDef bodyDef = undampedDef();
    bodyDef.mesh = mesh;
    bodyDef.material = vvMaterial_Jelly();
    bodyDef.material.loss = 0;
    vvResult result;
    scene.body = vvCreateSoftBody(scene.world, &bodyDef, &result);
    assert_int_equal(result.code, VV_OK);
    vvDestroyMesh(mesh);
    return scene;
}

// hanging from one corner and swinging; backward Euler has lost something already
static Scene makeSwinging(void)
{
    Scene scene = makeScene("backward-euler", (vvVec3){ 0, -9.81, 0 });
    int pin = 26;
    assert_int_equal(vvSoftBody_Pin(scene.body, &pin, 1).code, VV_OK);
    for (int i = 0; i < 10; ++i)
        assert_int_equal(vvWorld_Step(scene.world, DT).code, VV_OK);
    assert_true(vvWorld_GetLedger(scene.world).numerical < -1);
    return scene;
}

static void step(Scene scene, int count, double dt)
{
    for (int i = 0; i < count; ++i)
        assert_int_equal(vvWorld_Step(scene.world, dt).code, VV_OK);
}

// J, the size of the numbers in a ledger: what rounding is measured by
static double scaleOf(const vvLedger *ledger)
{
    return ledger->kinetic + fabs(ledger->elastic) + fabs(ledger->gravity) + fabs(ledger->added) + 1;
}

// between the two ledgers a change by hand was made
static void checkJump(const vvLedger *before, const vvLedger *after)
{
    double rounding = 1e-12 * (scaleOf(before) + scaleOf(after));
    CHECK_NEAR(after->added - before->added, after->total - before->total, rounding);
    CHECK_NEAR(after->numerical, before->numerical, rounding);
    assert_true(after->dissipated == before->dissipated);
    assert_true(fabs(after->total - before->total) > 1e-3); // there was a jump
}

// ---- teleports ------------------------------------------------------------------------------------------------------

static void setPositionsBooksTheJump(void **state)
{
    (void)state;
    Scene scene = makeSwinging();
    double x[3 * COUNT];
    memcpy(x, vvSoftBody_GetPositions(scene.body), sizeof x);
    for (int i = 0; i < 3 * COUNT; ++i)
        x[i] = 1.1 * x[i] + (i % 3 == 1 ? 2 : 0); // stretched and lifted
    vvLedger before = vvWorld_GetLedger(scene.world);
    assert_int_equal(vvSoftBody_SetPositions(scene.body, x).code, VV_OK);
    vvLedger after = vvWorld_GetLedger(scene.world);
    checkJump(&before, &after);
    CHECK_NEAR(after.kinetic, before.kinetic, 1e-12 * scaleOf(&before));
    assert_true(after.elastic > before.elastic && after.gravity > before.gravity);

    // the pin moved along: it does not pull back
    step(scene, 1, DT);
    assert_memory_equal(vvSoftBody_GetPositions(scene.body) + 3 * 26, x + 3 * 26, 3 * sizeof(double));
    CHECK_NEAR(vvWorld_GetLedger(scene.world).added, after.added, 1e-12 * scaleOf(&after));

    // a renderer that interpolates does not see a flight to the new place
    for (int i = 0; i < 3 * COUNT; ++i)
        x[i] += 1;
    assert_int_equal(vvSoftBody_SetPositions(scene.body, x).code, VV_OK);
    float copy[3 * COUNT];
    assert_int_equal(vvSoftBody_CopyPositions(scene.body, 0, copy, 12).code, VV_OK);
    for (int i = 0; i < 3 * COUNT; ++i)
        assert_true(copy[i] == (float)x[i]);
    vvDestroyWorld(scene.world);
}

static void setVelocitiesBooksTheJump(void **state)
{
    (void)state;
    Scene scene = makeSwinging();
    double v[3 * COUNT];
    TestRandom random = { 3 };
    for (int i = 0; i < 3 * COUNT; ++i)
        v[i] = randomBetween(&random, -2, 2);
    vvLedger before = vvWorld_GetLedger(scene.world);
    assert_int_equal(vvSoftBody_SetVelocities(scene.body, v).code, VV_OK);
    vvLedger after = vvWorld_GetLedger(scene.world);
    checkJump(&before, &after);
    assert_true(after.elastic == before.elastic && after.gravity == before.gravity);
    double kinetic = 0;
    const double *mass = vvSoftBody_GetMasses(scene.body), *stored = vvSoftBody_GetVelocities(scene.body);
    for (int i = 0; i < 3 * COUNT; ++i)
    {
        bool pinned = i / 3 == 26; // a pinned vertex stays where it is
        assert_true(stored[i] == (pinned ? 0 : v[i]));
        kinetic += pinned ? 0 : 0.5 * mass[i / 3] * v[i] * v[i];
    }
    CHECK_CLOSE(after.kinetic, kinetic, 1e-12);
    vvDestroyWorld(scene.world);
}

static void setGravityBooksTheJump(void **state)
{
    (void)state;
    Scene scene = makeSwinging();
    vvLedger before = vvWorld_GetLedger(scene.world);
    assert_int_equal(vvWorld_SetGravity(scene.world, (vvVec3){ 1, -3, 0.5 }).code, VV_OK);
    assert_true(vvWorld_GetGravity(scene.world).x == 1 && vvWorld_GetGravity(scene.world).y == -3);
    vvLedger after = vvWorld_GetLedger(scene.world);
    checkJump(&before, &after);
    assert_true(after.kinetic == before.kinetic && after.elastic == before.elastic);
    double potential = 0;
    const double *x = vvSoftBody_GetPositions(scene.body), *mass = vvSoftBody_GetMasses(scene.body);
    for (int v = 0; v < COUNT; ++v)
        potential -= mass[v] * (x[3 * v] - 3 * x[3 * v + 1] + 0.5 * x[3 * v + 2]);
    CHECK_NEAR(after.gravity, potential, 1e-9 * scaleOf(&after));
    vvDestroyWorld(scene.world);

    // and it acts: a free body follows the new gravity, also one created after the change
    Scene fresh = makeScene("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    assert_int_equal(vvWorld_SetGravity(fresh.world, (vvVec3){ 2, 0, 0 }).code, VV_OK);
    step(fresh, 30, DT);
    CHECK_NEAR(vvSoftBody_GetVelocities(fresh.body)[3 * 13], 1, 1e-9);
    vvDestroyWorld(fresh.world);
}

static void attachmentsBookTheirEnergy(void **state)
{
    (void)state;
    Scene scene = makeSwinging();
    const double *x = vvSoftBody_GetPositions(scene.body);
    vvAttachmentDef def = vvDefaultAttachmentDef();
    def.bodyA = scene.body;
    def.vertexA = 5;
    def.stiffness = 700;
    def.target = (vvVec3){ x[15] + 0.3, x[16], x[17] + 0.4 };
    vvLedger before = vvWorld_GetLedger(scene.world);
    vvAttachmentId attachment = vvCreateAttachment(scene.world, &def, NULL);
    assert_true(vvAttachment_IsValid(attachment));
    vvLedger after = vvWorld_GetLedger(scene.world);
    checkJump(&before, &after);
    CHECK_CLOSE(after.added - before.added, 0.5 * 700 * 0.25, 1e-9);

    // moving the point books nothing until it travels
    assert_int_equal(vvAttachment_MoveTarget(attachment, (vvVec3){ 5, 5, 5 }).code, VV_OK);
    vvLedger moved = vvWorld_GetLedger(scene.world);
    assert_true(moved.total == after.total && moved.added == after.added);
    step(scene, 2, DT);
    before = vvWorld_GetLedger(scene.world);
    assert_true(before.added > after.added + 1);
    vvDestroyAttachment(attachment);
    after = vvWorld_GetLedger(scene.world);
    checkJump(&before, &after);
    assert_true(after.added < before.added);
    vvDestroyWorld(scene.world);
}

// a point that travels, in the only method and energy where its work is exact
static void workOfATravellingPoint(void **state)
{
    (void)state;
    Scene scene = makeScene("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    // every vertex tied to its own point with a stiffness in proportion to its mass: the body stays rigid
    vvAttachmentId tie[COUNT];
    const double *x = vvSoftBody_GetPositions(scene.body), *mass = vvSoftBody_GetMasses(scene.body);
    double start[3 * COUNT];
    memcpy(start, x, sizeof start);
    for (int v = 0; v < COUNT; ++v)
    {
        vvAttachmentDef def = vvDefaultAttachmentDef();
        def.bodyA = scene.body;
        def.vertexA = v;
        def.stiffness = 50 * mass[v];
        def.target = (vvVec3){ start[3 * v], start[3 * v + 1], start[3 * v + 2] };
        tie[v] = vvCreateAttachment(scene.world, &def, NULL);
    }
    // an oscillator of frequency sqrt(50) whose anchor moves: x'' = -50 (x - a), by the midpoint rule
    double place = 0, velocity = 0, anchor = 0, work = 0;
    for (int i = 1; i <= 40; ++i)
    {
        double next = 0.02 * i * (i % 7);
        for (int v = 0; v < COUNT; ++v)
            vvAttachment_MoveTarget(tie[v], (vvVec3){ start[3 * v] + next, start[3 * v + 1], start[3 * v + 2] });
        step(scene, 1, DT);
        double middle = 0.5 * (anchor + next);
        double end = (place + DT * velocity - 12.5 * DT * DT * place + 25 * DT * DT * middle) / (1 + 12.5 * DT * DT);
        work += -50 * (0.5 * (place + end) - middle) * (next - anchor);
        velocity = 2 * (end - place) / DT - velocity;
        place = end;
        anchor = next;
        CHECK_NEAR(vvSoftBody_GetPositions(scene.body)[3 * 13] - start[3 * 13], place, 1e-8);
    }
    vvLedger ledger = vvWorld_GetLedger(scene.world);
    CHECK_CLOSE(ledger.added, work * vvSoftBody_GetMass(scene.body), 1e-7);
    CHECK_NEAR(ledger.numerical, 0, 1e-7 * ledger.added);
    vvDestroyWorld(scene.world);
}

// ---- pins -----------------------------------------------------------------------------------------------------------

static void pinningBooksKineticEnergy(void **state)
{
    (void)state;
    Scene scene = makeScene("backward-euler", (vvVec3){ 0, -9.81, 0 });
    step(scene, 6, DT);
    vvLedger before = vvWorld_GetLedger(scene.world);
    const double *v = vvSoftBody_GetVelocities(scene.body), *mass = vvSoftBody_GetMasses(scene.body);
    int pins[2] = { 3, 17 };
    double kinetic = 0;
    for (int k = 0; k < 2; ++k)
    {
        for (int c = 0; c < 3; ++c)
            kinetic += 0.5 * mass[pins[k]] * v[3 * pins[k] + c] * v[3 * pins[k] + c];
    }
    assert_false(vvSoftBody_IsPinned(scene.body, 3));
    assert_int_equal(vvSoftBody_Pin(scene.body, pins, 2).code, VV_OK);
    assert_true(vvSoftBody_IsPinned(scene.body, 3) && vvSoftBody_IsPinned(scene.body, 17));
    assert_false(vvSoftBody_IsPinned(scene.body, 4) || vvSoftBody_IsPinned(scene.body, -1));
    vvLedger after = vvWorld_GetLedger(scene.world);
    checkJump(&before, &after);
    CHECK_CLOSE(before.added - after.added, kinetic, 1e-9);
    CHECK_CLOSE(before.kinetic - after.kinetic, kinetic, 1e-9);

    // twice is once
    assert_int_equal(vvSoftBody_Pin(scene.body, pins, 2).code, VV_OK);
    assert_true(vvWorld_GetLedger(scene.world).added == after.added);
    vvDestroyWorld(scene.world);
}

static void pinnedVerticesStand(void **state)
{
    (void)state;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        Scene scene = makeScene(vvGetMethodName(m), (vvVec3){ 0, -9.81, 0 });
        int pins[2] = { 0, 26 };
        double stood[6];
        vvSoftBody_Pin(scene.body, pins, 2);
        memcpy(stood, vvSoftBody_GetPositions(scene.body), 3 * sizeof(double));
        memcpy(stood + 3, vvSoftBody_GetPositions(scene.body) + 78, 3 * sizeof(double));
        vvSoftBody_SetForce(scene.body, 0, (vvVec3){ 1000, 0, 0 }); // a force on a pin does nothing
        double added = vvWorld_GetLedger(scene.world).added;
        for (int i = 0; i < 20; ++i)
        {
            step(scene, 1, 0.002);
            assert_memory_equal(vvSoftBody_GetPositions(scene.body), stood, 3 * sizeof(double));
            assert_memory_equal(vvSoftBody_GetPositions(scene.body) + 78, stood + 3, 3 * sizeof(double));
            assert_true(vvSoftBody_GetVelocities(scene.body)[0] == 0);
        }
        assert_true(vvWorld_GetLedger(scene.world).added == added);
        vvDestroyWorld(scene.world);
    }
}

static void movedPinsArrive(void **state)
{
    (void)state;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        Scene scene = makeScene(vvGetMethodName(m), (vvVec3){ 0, 0, 0 });
        int pin = 26;
        vvSoftBody_Pin(scene.body, &pin, 1);
        for (int i = 1; i <= 10; ++i)
        {
            vvVec3 target = { 0.5 + 0.001 * i, 0.5, 0.5 - 0.0007 * i };
            assert_int_equal(vvSoftBody_MovePin(scene.body, pin, target).code, VV_OK);
            assert_true(vvSoftBody_GetPositions(scene.body)[78] != target.x); // not before the step
            step(scene, 1, 0.002);
            const double *x = vvSoftBody_GetPositions(scene.body) + 78;
            assert_true(x[0] == target.x && x[1] == target.y && x[2] == target.z);
            CHECK_NEAR(vvSoftBody_GetVelocities(scene.body)[78], 0.5, 1e-9);
        }
        // it drags the body along, and the work is in the books; pins carry no kinetic energy
        vvLedger ledger = vvWorld_GetLedger(scene.world);
        assert_true(ledger.kinetic > 0);
        // pbd: projections hold no energy that would tell the force on a pin
        if (strcmp(vvGetMethodName(m), "pbd") != 0)
        {
            assert_true(ledger.added > 0);
            CHECK_NEAR(ledger.numerical, 0, 0.2 * ledger.added);
        }

        // let go: the vertex goes on as it was moved, and its kinetic energy is a gift
        double energy = 0, mass = vvSoftBody_GetMasses(scene.body)[pin];
        double x[3], v[3];
        memcpy(x, vvSoftBody_GetPositions(scene.body) + 78, sizeof x);
        memcpy(v, vvSoftBody_GetVelocities(scene.body) + 78, sizeof v);
        for (int c = 0; c < 3; ++c)
            energy += 0.5 * mass * v[c] * v[c];
        assert_int_equal(vvSoftBody_Unpin(scene.body, &pin, 1).code, VV_OK);
        vvLedger after = vvWorld_GetLedger(scene.world);
        checkJump(&ledger, &after);
        CHECK_CLOSE(after.added - ledger.added, energy, 1e-9);
        assert_false(vvSoftBody_IsPinned(scene.body, pin));
        step(scene, 1, 1e-6);
        const double *now = vvSoftBody_GetPositions(scene.body) + 78;
        for (int c = 0; c < 3; ++c)
        {
            // the tets pull by less than 2000 m/s^2; projections pull at once
            double pulled = strcmp(vvGetMethodName(m), "pbd") == 0 ? 1e-7 : 2e-9;
            CHECK_NEAR(now[c] - x[c], 1e-6 * v[c], pulled);
        }
        assert_true(now[0] > x[0]);

        // a pin that is not sent again comes to rest
        vvSoftBody_Pin(scene.body, &pin, 1);
        step(scene, 1, 0.002);
        assert_true(vvSoftBody_GetVelocities(scene.body)[78] == 0);
        vvDestroyWorld(scene.world);
    }
}

// a whole body carried by its pins: no free vertex, no energy, no trouble
static void everythingPinned(void **state)
{
    (void)state;
    Scene scene = makeScene("implicit-midpoint", (vvVec3){ 0, -9.81, 0 });
    int all[COUNT];
    for (int v = 0; v < COUNT; ++v)
        all[v] = v;
    assert_int_equal(vvSoftBody_Pin(scene.body, all, COUNT).code, VV_OK);
    double lift = 0.25, weight = 9.81 * vvSoftBody_GetMass(scene.body);
    vvLedger before = vvWorld_GetLedger(scene.world);
    for (int v = 0; v < COUNT; ++v)
    {
        const double *x = vvSoftBody_GetPositions(scene.body) + 3 * v;
        vvSoftBody_MovePin(scene.body, v, (vvVec3){ x[0], x[1] + lift, x[2] });
    }
    step(scene, 1, DT);
    vvLedger after = vvWorld_GetLedger(scene.world);
    CHECK_CLOSE(after.added - before.added, weight * lift, 1e-9);
    CHECK_CLOSE(after.gravity - before.gravity, weight * lift, 1e-9);
    assert_true(after.kinetic == 0);
    CHECK_NEAR(after.numerical, 0, 1e-9 * weight);
    vvDestroyWorld(scene.world);
}

// ---- forces ---------------------------------------------------------------------------------------------------------

// a force in proportion to the mass of each vertex: the box accelerates like a point
static void pushEverywhere(Scene scene, double acceleration)
{
    const double *mass = vvSoftBody_GetMasses(scene.body);
    for (int v = 0; v < COUNT; ++v)
        assert_int_equal(vvSoftBody_SetForce(scene.body, v, (vvVec3){ acceleration * mass[v], 0, 0 }).code, VV_OK);
}

static void forcesPersistUntilCleared(void **state)
{
    (void)state;
    Scene scene = makeScene("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    double mass = vvSoftBody_GetMass(scene.body);
    assert_int_equal(vvSoftBody_SetForce(scene.body, 7, (vvVec3){ 60, 0, 0 }).code, VV_OK);
    step(scene, 30, DT);
    CHECK_CLOSE(vvWorld_GetLedger(scene.world).momentum.x, 60 * 30 * DT, 1e-8);
    // set again replaces, it does not add
    vvSoftBody_SetForce(scene.body, 7, (vvVec3){ 0, 120, 0 });
    step(scene, 30, DT);
    CHECK_CLOSE(vvWorld_GetLedger(scene.world).momentum.x, 60 * 30 * DT, 1e-8);
    CHECK_CLOSE(vvWorld_GetLedger(scene.world).momentum.y, 120 * 30 * DT, 1e-8);
    pushEverywhere(scene, 1);
    assert_int_equal(vvSoftBody_ClearForces(scene.body).code, VV_OK);
    vvLedger before = vvWorld_GetLedger(scene.world);
    step(scene, 30, DT);
    vvLedger after = vvWorld_GetLedger(scene.world);
    CHECK_NEAR(after.momentum.x, before.momentum.x, 1e-8 * mass);
    assert_true(after.added == before.added);
    vvDestroyWorld(scene.world);
}

static void workOfAConstantForce(void **state)
{
    (void)state;
    const double a = 3;
    const int steps = 25;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        if (strcmp(vvGetMethodName(m), "stabilized-explicit") == 0)
            continue; // blends
        Scene scene = makeScene(vvGetMethodName(m), (vvVec3){ 0, 0, 0 });
        double mass = vvSoftBody_GetMass(scene.body), x = vvSoftBody_GetPositions(scene.body)[39];
        static const char *const eulers[] = {
            "backward-euler", "symplectic-euler", "linear-implicit-euler", "pbd", "pd-jacobi", NULL
        };
        static const char *const starts[] = { "bdf2", "bdf2-variable", NULL };
        const char *method = vvGetMethodName(m);
        if (strcmp(method, "pd-jacobi") == 0)
        {
            vvDestroyWorld(scene.world);
            continue; // a consensus moves the whole only when it has converged
        }
        const double h = stepFor(method, DT, DT / 16);
        pushEverywhere(scene, a);
        step(scene, steps, h);
        // v = n h a for all; the way is n^2/2 h^2 a where it is of second order, a step more or less by the Eulers, and
        // by those that start with one it is in between
        int more = isOneOf(method, eulers) ? 1 : strcmp(method, "forward-euler") == 0 ? -1 : 0;
        double way = 0.5 * a * h * h * steps * (steps + more), speed = steps * h * a;
        if (isOneOf(method, starts))
        {
            double whole = vvSoftBody_GetPositions(scene.body)[39] - x;
            assert_true(whole > way && whole < way + a * h * h);
            way = whole;
        }
        if (strcmp(vvGetMethodName(m), "small-steps") == 0) // as many steps of Euler as it took substeps
        {
            int all = steps * vvWorld_GetStatistics(scene.world).iterations;
            way = 0.5 * a * h * h * steps * steps * (all + 1) / all;
        }
        // a factor rounded to float32 moves all vertices alike but for its rounding
        double exact = strcmp(method, "small-midpoint") == 0 ? 1e-6 : 1e-9;
        CHECK_NEAR(vvSoftBody_GetPositions(scene.body)[39] - x, way, exact * way + 1e-12);
        vvLedger ledger = vvWorld_GetLedger(scene.world);
        CHECK_CLOSE(ledger.momentum.x, mass * speed, 1e-8); // what solvers leave, over h, times the weights of a start
        CHECK_CLOSE(ledger.added, mass * a * way, 1e-8);
        CHECK_CLOSE(ledger.kinetic, 0.5 * mass * speed * speed, 1e-8);
        CHECK_NEAR(ledger.elastic, 0, exact * ledger.kinetic);
        CHECK_NEAR(ledger.numerical, 0.5 * mass * speed * speed - mass * a * way, 1e-8 * ledger.kinetic);
        vvDestroyWorld(scene.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setPositionsBooksTheJump), cmocka_unit_test(setVelocitiesBooksTheJump),
        cmocka_unit_test(setGravityBooksTheJump),   cmocka_unit_test(attachmentsBookTheirEnergy),
        cmocka_unit_test(workOfATravellingPoint),   cmocka_unit_test(pinningBooksKineticEnergy),
        cmocka_unit_test(pinnedVerticesStand),      cmocka_unit_test(movedPinsArrive),
        cmocka_unit_test(everythingPinned),         cmocka_unit_test(forcesPersistUntilCleared),
        cmocka_unit_test(workOfAConstantForce),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
