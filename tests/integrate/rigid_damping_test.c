// Damping of what is not rigid motion: keeps both momenta, books what it takes, means the same at every step.
#include "methods.h"
#include "world/scenes.h"
#include "undamped.h"

static const vvVec3 NONE = { 0, 0, 0 };

// a cube that spins, flies and shakes
static vvSoftBodyId makeShaking(vvWorldId world, double young, double rigidDamping)
{
    vvSoftBodyDef def = elasticDef(1000, young, 0.3);
    def.damping.rigidPreserving = rigidDamping;
    def.velocity = (vvVec3){ 1, 2, -1 };
    def.spin = (vvVec3){ 1, -2, 3 };
    vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), def);
    double v[81];
    assert_int_equal(vvSoftBody_GetVertexCount(body), 27);
    memcpy(v, vvSoftBody_GetVelocities(body), sizeof v);
    TestRandom random = { 7 };
    for (int i = 0; i < 81; ++i)
        v[i] += randomBetween(&random, -1, 1);
    CHECK_OK(vvSoftBody_SetVelocities(body, v));
    return body;
}

static double distance(vvVec3 a, vvVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// ---- momenta --------------------------------------------------------------------------------------------------------

static void momentaAreKept(void **state)
{
    (void)state;
    for (int m = 0; vvGetMethodName(m) != NULL; ++m)
    {
        vvWorldId world = makeWorld(vvGetMethodName(m), NONE);
        makeShaking(world, 1e4, 5);
        vvLedger before = vvWorld_GetLedger(world);
        for (int i = 0; i < 100; ++i)
            CHECK_OK(vvWorld_Step(world, 0.002));
        vvLedger after = vvWorld_GetLedger(world);
        double scale = 1000 * 3; // kg m/s that moved about
        if (keepsMomentum(vvGetMethodName(m)))
            CHECK_NEAR(distance(before.momentum, after.momentum), 0, 1e-10 * scale);
        // these keep angular momentum by themselves, to the solver's tolerance; small-midpoint keeps that of the mass A
        static const char *const keeps[] = { "implicit-midpoint", "symplectic-euler", "verlet", NULL };
        if (strcmp(vvGetMethodName(m), "small-midpoint") == 0)
            CHECK_NEAR(distance(before.angularMomentum, after.angularMomentum), 0, 1e-5 * scale);
        if (isOneOf(vvGetMethodName(m), keeps))
            CHECK_NEAR(distance(before.angularMomentum, after.angularMomentum), 0, 1e-8 * scale);
        // J: the shaking had about 300; projections take it at once
        assert_true(after.dissipated > 100 || strcmp(vvGetMethodName(m), "pbd") == 0);
        vvDestroyWorld(world);
    }
}

// one step with and without it from the same state: the positions are the same, the velocity has the same momenta
static void oneStepKeepsMomentaToRounding(void **state)
{
    (void)state;
    vvLedger ledger[2];
    double x[2][81];
    for (int damped = 0; damped < 2; ++damped)
    {
        vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 });
        vvSoftBodyId body = makeShaking(world, 1e5, damped ? 20 : 0);
        int pins[3] = { 0, 1, 13 }; // momenta are those of the free vertices
        CHECK_OK(vvSoftBody_Pin(body, pins, 3));
        CHECK_OK(vvWorld_Step(world, 0.01));
        ledger[damped] = vvWorld_GetLedger(world);
        memcpy(x[damped], vvSoftBody_GetPositions(body), sizeof x[0]);
        vvDestroyWorld(world);
    }
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    CHECK_NEAR(distance(ledger[0].momentum, ledger[1].momentum), 0, 1e-12 * 3000);
    CHECK_NEAR(distance(ledger[0].angularMomentum, ledger[1].angularMomentum), 0, 1e-12 * 3000);
    // what is gone is booked: the integrator's own error is the same
    assert_true(ledger[1].dissipated > 10);
    CHECK_NEAR(ledger[1].dissipated, ledger[0].kinetic - ledger[1].kinetic, 1e-12 * ledger[0].kinetic);
    CHECK_NEAR(ledger[0].numerical, ledger[1].numerical, 1e-12 * ledger[0].kinetic);
}

static void spinGoesOn(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", NONE);
    vvSoftBodyDef def = elasticDef(1000, 1e6, 0);
    def.damping.rigidPreserving = 50;
    def.spin = (vvVec3){ 0, 0, 3 };
    makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), def);
    vvLedger before = vvWorld_GetLedger(world);
    for (int i = 0; i < 600; ++i)
        CHECK_OK(vvWorld_Step(world, 0.01));
    // it stretched a little and turns on: nine full turns later the spin is what it was
    vvLedger after = vvWorld_GetLedger(world);
    CHECK_CLOSE(after.angularMomentum.z, before.angularMomentum.z, 1e-9);
    CHECK_CLOSE(after.kinetic, before.kinetic, 0.01);
    CHECK_BELOW(after.dissipated, 0.01 * before.kinetic);
    vvDestroyWorld(world);
}

// ---- the rate -------------------------------------------------------------------------------------------------------

// matter that hardly resists: motion that is not rigid decays by exp(-rate t), whatever the steps
static void decayIsThatOfTheRate(void **state)
{
    (void)state;
    for (int steps = 1; steps <= 64; steps *= 4)
    {
        vvWorldId world = makeWorld("symplectic-euler", NONE);
        vvSoftBodyDef def = elasticDef(1000, 1e-6, 0);
        def.damping.rigidPreserving = 3;
        vvSoftBodyId body = makeBody(world, vvCreateRopeMesh(1, 1), def);
        CHECK_OK(vvSoftBody_SetVelocities(body, (const double[]){ 1, 2, 0, -1, 2, 0 }));
        for (int i = 0; i < steps; ++i)
            CHECK_OK(vvWorld_Step(world, 0.5 / steps));
        CHECK_NEAR(vvSoftBody_GetVelocities(body)[0], exp(-1.5), 1e-8); // the spring itself adds 1e-9 or so
        CHECK_NEAR(vvSoftBody_GetVelocities(body)[1], 2, 1e-12);
        vvDestroyWorld(world);
    }
}

// stretch of two masses on a spring, let go at rest: exp(-a t) (cos w t + a/w sin w t) with a = rate / 2
static double stretchAfter(double time, int steps, double rate, double stiffness, double *exact)
{
    vvWorldDef worldDef = vvDefaultWorldDef();
    worldDef.method = "implicit-midpoint";
    worldDef.gravity = NONE;
    vvWorldId world = vvCreateWorld(&worldDef, NULL);
    vvSoftBodyDef def = undampedDef();
    def.springStiffness[VV_EDGE_STRUCTURAL] = stiffness;
    def.material.thickness = 0.1;
    def.damping.rigidPreserving = rate;
    vvSoftBodyId body = makeBody(world, vvCreateRopeMesh(1, 1), def);
    double mass = vvSoftBody_GetMasses(body)[0], a = rate / 2, w = sqrt(2 * stiffness / mass - a * a);
    CHECK_OK(vvSoftBody_SetPositions(body, (const double[]){ -0.55, 0, 0, 0.55, 0, 0 }));
    for (int i = 0; i < steps; ++i)
        CHECK_OK(vvWorld_Step(world, time / steps));
    *exact = 0.1 * exp(-a * time) * (cos(w * time) + a / w * sin(w * time));
    double stretch = vertexPosition(body, 1).x - vertexPosition(body, 0).x - 1;
    vvDestroyWorld(world);
    return stretch;
}

static void oscillatorDecaysAsInTheBook(void **state)
{
    (void)state;
    double exact, error[4];
    for (int k = 0; k < 4; ++k)
        error[k] = fabs(stretchAfter(1, 100 << k, 2, 400, &exact) - exact);
    CHECK_BELOW(error[0], 0.05 * 0.1);
    for (int k = 0; k < 3; ++k) // second order: a quarter each time
        CHECK_NEAR(error[k] / error[k + 1], 4, 0.3);
}

// ---- bodies without a full set of axes ------------------------------------------------------------------------------

static void thinBodiesAreFine(void **state)
{
    (void)state;
    for (int freeCount = 0; freeCount <= 5; ++freeCount)
    {
        vvWorldId world = makeWorld("implicit-midpoint", (vvVec3){ 0, -9.81, 0 });
        vvSoftBodyDef def = undampedDef();
        def.material.young = 1e5;
        def.material.thickness = 0.01;
        def.damping.rigidPreserving = 10;
        def.spin = (vvVec3){ 4, 1, 2 }; // about its own axis too
        vvSoftBodyId body = makeBody(world, vvCreateRopeMesh(1, 4), def);
        int pins[5] = { 0, 1, 2, 3, 4 };
        CHECK_OK(vvSoftBody_Pin(body, pins + freeCount, 5 - freeCount));
        for (int i = 0; i < 20; ++i)
            CHECK_OK(vvWorld_Step(world, 0.01));
        vvLedger ledger = vvWorld_GetLedger(world);
        assert_true(isfinite(ledger.total) && ledger.dissipated >= -1e-15);
        // one vertex moves as a rigid whole
        if (freeCount <= 1)
            CHECK_NEAR(ledger.dissipated, 0, 1e-15);
        vvDestroyWorld(world);
    }
}

static void rodKeepsItsSpin(void **state)
{
    (void)state;
    vvWorldId world = makeWorld("implicit-midpoint", NONE);
    vvSoftBodyDef def = undampedDef();
    def.material.thickness = 0.01;
    def.damping.rigidPreserving = 100;
    def.spin = (vvVec3){ 0, 1, 2 };
    makeBody(world, vvCreateRopeMesh(1, 4), def);
    vvLedger before = vvWorld_GetLedger(world);
    for (int i = 0; i < 100; ++i)
        CHECK_OK(vvWorld_Step(world, 0.01));
    vvLedger after = vvWorld_GetLedger(world);
    double size = distance(before.angularMomentum, NONE);
    CHECK_NEAR(distance(before.angularMomentum, after.angularMomentum), 0, 1e-9 * size);
    CHECK_CLOSE(after.kinetic, before.kinetic, 1e-3);
    vvDestroyWorld(world);
}

// ---- the ledger -----------------------------------------------------------------------------------------------------

// two linked bodies, one damped: the books close as well as without damping
static void booksClose(void **state)
{
    (void)state;
    for (int solver = 0; vvGetSolverName(solver) != NULL; ++solver)
    {
        vvWorldDef worldDef = vvDefaultWorldDef();
        worldDef.method = "implicit-midpoint";
        worldDef.solver = vvGetSolverName(solver);
        worldDef.iterations = 60;
        vvWorldId world = vvCreateWorld(&worldDef, NULL);
        vvSoftBodyId first = makeShaking(world, 1e5, 5);
        vvSoftBodyDef def = elasticDef(500, 1e5, 0.1);
        def.position = (vvVec3){ 2, 0, 0 };
        def.damping.mass = 0.5;
        vvSoftBodyId second = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 1, 1, 1), def);
        vvAttachmentDef link = vvDefaultAttachmentDef();
        link.bodyA = first;
        link.vertexA = 22;
        link.bodyB = second;
        link.vertexB = 1;
        link.restLength = 1;
        assert_true(vvAttachment_IsValid(vvCreateAttachment(world, &link, NULL)));
        double scale = vvWorld_GetLedger(world).kinetic;
        for (int i = 0; i < 100; ++i)
            CHECK_OK(vvWorld_Step(world, 0.001));
        vvLedger ledger = vvWorld_GetLedger(world);
        assert_true(ledger.dissipated > 100);
        // the midpoint rule's own error at this step; what damping took is ten times more
        CHECK_NEAR(ledger.numerical, 0, 2e-3 * scale);
        vvDestroyWorld(world);
    }
}

// A vibration of half a turn in a step has no velocity wherever steps end: damping that acts only there takes nothing
// of it. A bar, stretched along its axis, of moduli around that where it swings 30 times a second.
static void vibrationsAtTheRateOfStepsDecay(void **state)
{
    (void)state;
    for (int i = 0; i < 12; ++i)
    {
        double young = 2e6 * pow(4, i / 11.0);
        vvWorldId world = makeWorld("small-midpoint", NONE);
        vvSoftBodyDef def = elasticDef(1000, young, 0);
        def.damping.rigidPreserving = 30;
        vvSoftBodyId body = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 0.2, 0.2 }, 10, 2, 2), def);
        int count = vvSoftBody_GetVertexCount(body);
        double *v = calloc(3 * (size_t)count, sizeof *v);
        for (int k = 0; k < count; ++k)
        {
            double along = vvSoftBody_GetPositions(body)[3 * (ptrdiff_t)k];
            v[3 * (ptrdiff_t)k] = sin(3.14159265 * along);
        }
        CHECK_OK(vvSoftBody_SetVelocities(body, v));
        free(v);
        double begun = vvWorld_GetLedger(world).total;
        for (int frame = 0; frame < 30; ++frame)
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
        CHECK_BELOW(vvWorld_GetLedger(world).total, 1e-4 * begun);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentaAreKept),
        cmocka_unit_test(oneStepKeepsMomentaToRounding),
        cmocka_unit_test(spinGoesOn),
        cmocka_unit_test(decayIsThatOfTheRate),
        cmocka_unit_test(oscillatorDecaysAsInTheBook),
        cmocka_unit_test(thinBodiesAreFine),
        cmocka_unit_test(rodKeepsItsSpin),
        cmocka_unit_test(booksClose),
        cmocka_unit_test(vibrationsAtTheRateOfStepsDecay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
