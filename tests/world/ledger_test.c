// The ledger against closed forms it does not use itself: exact on quadratic energies, right to the method's order on
// all others, with everything a caller can do going on at once.
#include "world/scenes.h"

#include "world/world.h"
#include "undamped.h"

// ---- a world whose energy is quadratic: springs of rest length zero, attachments, gravity ---------------------------

static vvSoftBodyId quadraticRope(vvWorldId world, double damping)
{
    vvSoftBodyDef def = undampedDef();
    def.material = (vvMaterial){ .density = 1000, .young = 1e5, .poisson = 0, .thickness = 0.05 };
    def.springStiffness[VV_EDGE_STRUCTURAL] = 300;
    def.velocity = (vvVec3){ 0.3, 1, -0.2 };
    def.damping.mass = damping;
    vvSoftBodyId id = makeBody(world, vvCreateRopeMesh(1, 12), def);
    Body *body = bodyFind(id);
    for (int e = 0; e < body->elastic->elementCount; ++e)
        energySetParam(body->elastic, e, 1, 0); // the rest length
    body->account.opening = bodyTotal(body);
    return id;
}

static double largestTerm(const vvLedger *l)
{
    return fmax(fabs(l->kinetic), fmax(fabs(l->elastic), fmax(fabs(l->gravity), fabs(l->added))));
}

// moved attachment, moved pin, forces and drag, all booked: midpoint has no error of its own, per step and in sum
static void midpointBooksQuadraticsExactly(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 1 });
    vvSoftBodyId rope = quadraticRope(world, 0.7);
    vvAttachmentId handle = attachToPoint(world, rope, 12, 500);
    attachToPoint(world, rope, 6, 50);
    int pin = 0;
    CHECK_OK(vvSoftBody_Pin(rope, &pin, 1));
    vvVec3 a = vertexPosition(rope, 12), b = vertexPosition(rope, 0);
    double scale = 0;
    for (int n = 1; n <= 200; ++n)
    {
        double t = n * 0.02;
        CHECK_OK(vvAttachment_MoveTarget(handle, (vvVec3){ a.x + 0.4 * sin(3 * t), a.y + 0.2 * t, a.z }));
        CHECK_OK(vvSoftBody_MovePin(rope, 0, (vvVec3){ b.x, b.y + 0.3 * sin(5 * t), b.z - 0.1 * t }));
        CHECK_OK(vvSoftBody_SetForce(rope, 4, (vvVec3){ 5 * cos(7 * t), 3, -2 }));
        CHECK_OK(vvWorld_Step(world, 0.02));
        vvLedger ledger = vvWorld_GetLedger(world);
        scale = fmax(scale, largestTerm(&ledger));
        CHECK_BELOW(fabs(ledger.numerical), 1e-12 * scale);
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    assert_true(fabs(ledger.added) > 1 && ledger.dissipated > 1); // it was not a quiet scene
    vvDestroyWorld(world);
}

// Dinev 2018, Eq 45: backward Euler loses 1/2 |dv|^2_M + 1/2 dx^T K dx in each step
static void backwardEulerLosesWhatTheorySays(void **unused)
{
    (void)unused;
    enum
    {
        MOST = 64
    };
    vvWorldId world = makeWorld("backward-euler", (vvVec3){ 0, -9.81, 0 });
    vvSoftBodyId rope = quadraticRope(world, 0);
    attachToPoint(world, rope, 12, 500);
    int pin = 0, count = vvSoftBody_GetVertexCount(rope);
    CHECK_OK(vvSoftBody_Pin(rope, &pin, 1));
    Body *body = bodyFind(rope);
    double lost = 0, scale = 0;
    for (int n = 0; n < 50; ++n)
    {
        double x[3 * MOST], v[3 * MOST], product[3 * MOST] = { 0 };
        const State *s = &body->world->state;
        memcpy(x, s->start, (size_t)count * 3 * sizeof(double));
        memcpy(v, s->startVelocity, (size_t)count * 3 * sizeof(double));
        CHECK_OK(vvWorld_Step(world, 0.03));
        for (int i = 0; i < 3 * count; ++i)
        {
            x[i] = s->start[i] - x[i];
            v[i] = s->startVelocity[i] - v[i];
        }
        for (int e = 0; e < body->member.energyCount; ++e)
            energyAddHessianTimes(body->member.energy[e], s->start, HESSIAN_EXACT, x, product);
        for (int i = 0; i < 3 * count; ++i)
            lost += 0.5 * x[i] * product[i] + (s->pinned[i / 3] ? 0 : 0.5 * s->mass[i / 3] * v[i] * v[i]);
        vvLedger ledger = vvWorld_GetLedger(world);
        scale = fmax(scale, largestTerm(&ledger));
        CHECK_NEAR(ledger.numerical, -lost, 1e-10 * scale);
    }
    assert_true(lost > 0.01 * scale);
    vvDestroyWorld(world);
}

// ---- a nonlinear world ----------------------------------------------------------------------------------------------

// numerical error after one second of a pinned, pushed, pulled and damped bar
static double numericalAfter(const char *method, int steps)
{
    vvWorldId world = makeWorld(method, (vvVec3){ 0, -9.81, 0 });
    vvSoftBodyDef def = elasticDef(1000, 3e4, 0.3);
    def.damping.mass = 0.5;
    vvSoftBodyId bar = makeBody(world, vvCreateBarMesh(1, 0.25, 4, 1), def);
    int pins[4];
    assert_int_equal(vvSoftBody_FindVertices(bar, planeBox(0, -0.5, 1e-6), pins, 4), 4);
    CHECK_OK(vvSoftBody_Pin(bar, pins, 4));
    int end = vvSoftBody_FindNearestVertex(bar, (vvVec3){ 0.5, 0.125, 0.125 });
    vvAttachmentId handle = attachToPoint(world, bar, end, 2000);
    vvVec3 point = vertexPosition(bar, end), pin[4];
    for (int i = 0; i < 4; ++i)
        pin[i] = vertexPosition(bar, pins[i]);
    double h = 1.0 / steps;
    for (int n = 1; n <= steps; ++n)
    {
        double t = n * h;
        CHECK_OK(
            vvAttachment_MoveTarget(handle, (vvVec3){ point.x, point.y + 0.3 * sin(6 * t), point.z + 0.1 * t * t }));
        for (int i = 0; i < 4; ++i)
            CHECK_OK(
                vvSoftBody_MovePin(bar, pins[i], (vvVec3){ pin[i].x + 0.05 * (1 - cos(4 * t)), pin[i].y, pin[i].z }));
        CHECK_OK(vvSoftBody_SetForce(bar, end, (vvVec3){ 20 * sin(9 * (t - h / 2)), 0, 10 }));
        CHECK_OK(vvWorld_Step(world, h));
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    assert_true(ledger.dissipated > 1 && fabs(ledger.added) > 1);
    double numerical = ledger.numerical;
    vvDestroyWorld(world);
    return numerical;
}

static void numericalVanishesAtTheMethodsOrder(void **unused)
{
    (void)unused;
    static const struct
    {
        const char *method;
        int order, steps;
    } rows[] = { { "implicit-midpoint", 2, 100 }, { "backward-euler", 1, 200 }, { "symplectic-euler", 1, 2000 } };
    for (int i = 0; i < 3; ++i)
    {
        double coarse = numericalAfter(rows[i].method, rows[i].steps);
        double fine = numericalAfter(rows[i].method, 2 * rows[i].steps);
        double finest = numericalAfter(rows[i].method, 4 * rows[i].steps);
        print_message("%s: %g %g %g J\n", rows[i].method, coarse, fine, finest);
        // halving the step divides the error by 2^order, within a quarter of an order on the finer pair
        double order = log2(fabs(fine / finest));
        CHECK_NEAR(order, rows[i].order, rows[i].order == 2 ? 0.6 : 0.3);
        CHECK_BELOW(fabs(finest), fabs(coarse));
    }
}

// ---- the columns ----------------------------------------------------------------------------------------------------

static void freeFallTradesGravityForSpeed(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 });
    vvSoftBodyId ball = makeBody(world, vvCreateSphereMesh(0.3, 2), elasticDef(1000, 1e5, 0.3));
    double mass = vvSoftBody_GetMass(ball);
    for (int n = 0; n < 60; ++n)
        CHECK_OK(vvWorld_Step(world, 1.0 / 60));
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_CLOSE(ledger.kinetic, 0.5 * mass * 9.81 * 9.81, 1e-10);
    CHECK_CLOSE(ledger.gravity, -0.5 * mass * 9.81 * 9.81, 1e-10);
    CHECK_NEAR(ledger.elastic, 0, 1e-10 * ledger.kinetic);
    CHECK_NEAR(ledger.numerical, 0, 1e-10 * ledger.kinetic);
    CHECK_NEAR(ledger.total, ledger.kinetic + ledger.elastic + ledger.gravity + ledger.contact, 1e-12 * ledger.kinetic);
    vvDestroyWorld(world);
}

// drag alone: v decays by (1 - c h/2) / (1 + c h/2) a step under midpoint, and what it loses is dissipated
static void dragTakesWhatMotionLoses(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = elasticDef(1000, 1e5, 0.3);
    def.damping.mass = 2;
    def.velocity = (vvVec3){ 3, 0, 0 };
    makeBody(world, vvCreateBoxMesh((vvVec3){ 0.2, 0.2, 0.2 }, 2, 2, 2), def);
    vvLedger before = vvWorld_GetLedger(world);
    double h = 0.01, factor = pow((1 - h) / (1 + h), 100);
    for (int n = 0; n < 100; ++n)
        CHECK_OK(vvWorld_Step(world, h));
    vvLedger after = vvWorld_GetLedger(world);
    CHECK_CLOSE(after.momentum.x, before.momentum.x * factor, 1e-10);
    CHECK_CLOSE(after.dissipated, before.kinetic * (1 - factor * factor), 1e-10);
    CHECK_NEAR(after.numerical, 0, 1e-10 * before.kinetic);
    vvDestroyWorld(world);
}

// round trip of a handle at quasi-static speed gives the work back
static void closedLoopBooksLittle(void **unused)
{
    (void)unused;
    vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, 0, 0 });
    vvSoftBodyDef def = elasticDef(1000, 3e4, 0);
    def.damping.mass = 20; // the handle's end is slow, so drag takes next to nothing
    vvSoftBodyId bar = makeBody(world, vvCreateBarMesh(0.4, 0.1, 4, 1), def);
    int pins[4], end = vvSoftBody_FindNearestVertex(bar, (vvVec3){ 0.2, 0.05, 0.05 });
    assert_int_equal(vvSoftBody_FindVertices(bar, planeBox(0, -0.2, 1e-6), pins, 4), 4);
    CHECK_OK(vvSoftBody_Pin(bar, pins, 4));
    vvAttachmentId handle = attachToPoint(world, bar, end, 1e3);
    vvVec3 point = vertexPosition(bar, end);
    double peak = 0;
    for (int n = 1; n <= 1000; ++n)
    {
        double reach = 0.05 * (1 - fabs(n / 500.0 - 1));
        CHECK_OK(vvAttachment_MoveTarget(handle, (vvVec3){ point.x + reach, point.y, point.z }));
        CHECK_OK(vvWorld_Step(world, 0.05));
        peak = fmax(peak, vvWorld_GetLedger(world).elastic);
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    assert_true(peak > 0.1);
    CHECK_BELOW(fabs(ledger.added), 0.01 * peak);
    CHECK_BELOW(fabs(ledger.numerical), 1e-6 * peak);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(midpointBooksQuadraticsExactly),     cmocka_unit_test(backwardEulerLosesWhatTheorySays),
        cmocka_unit_test(numericalVanishesAtTheMethodsOrder), cmocka_unit_test(freeFallTradesGravityForSpeed),
        cmocka_unit_test(dragTakesWhatMotionLoses),           cmocka_unit_test(closedLoopBooksLittle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
