// What the stabilized method is made of: it is the midpoint rule until it must not be, it knows the books, momentum
// follows the outer forces, islands are apart.
#include "integrate/watched.h"

#include <stdlib.h>

static const vvVec3 none = { 0, 0, 0 };

static void copyPositions(vvSoftBodyId body, double *x)
{
    memcpy(x, vvSoftBody_GetPositions(body), 3 * sizeof(double) * (size_t)vvSoftBody_GetVertexCount(body));
}

// inside the tolerance nothing is touched: the bits are the midpoint's, with both solvers
static void isMidpointInsideTheTolerance(void **unused)
{
    (void)unused;
    static const char *const solvers[2] = { "newton", "local-global" };
    for (int s = 0; s < 2; ++s)
    {
        double x[2][81];
        for (int m = 0; m < 2; ++m)
        {
            Watched w = { .method = m ? "stabilized" : "implicit-midpoint",
                          .solver = solvers[s],
                          .momentum = VV_MOMENTUM_FREE };
            vvWorldId world = watchedWorld(&w, (vvVec3){ 0, -9.81, 0 });
            vvSoftBodyId cube = spinningCube(world, 2, 1e5, 2);
            for (int n = 0; n < 50; ++n)
            {
                CHECK_OK(vvWorld_Step(world, 0.01));
                assert_true(vvWorld_GetStatistics(world).alpha == 0);
            }
            copyPositions(cube, x[m]);
            vvDestroyWorld(world);
        }
        assert_memory_equal(x[0], x[1], sizeof x[0]);
    }
}

// the tolerance refers to the motion, not to where height is counted from: a thousand metres up nothing changes
static void heightDoesNotMatter(void **unused)
{
    (void)unused;
    int blended[2] = { 0 };
    for (int k = 0; k < 2; ++k)
    {
        Watched w = { .method = "stabilized",
                      .solver = "local-global",
                      .iterations = 10,
                      .momentum = VV_MOMENTUM_FREE,
                      .tolerance = 1e-3 };
        vvWorldId world = watchedWorld(&w, (vvVec3){ 0, -9.81, 0 });
        vvSoftBodyDef def = elasticDef(1000, 1e4, 0);
        def.spin = (vvVec3){ 0, 0, 12.566 };
        def.position.y = k * 1000;
        makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), def);
        for (int n = 0; n < 60; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 0.033));
            blended[k] += vvWorld_GetStatistics(world).alpha != 0;
        }
        vvDestroyWorld(world);
    }
    print_message("blended %d of 60 at 0 m, %d at 1000 m\n", blended[0], blended[1]);
    assert_true(blended[0] > 5 && abs(blended[0] - blended[1]) <= 5); // rounding may move some
}

// One cube spins and blends, one rests and one spins slowly: what is at rest stays, to the bit, and the slow one is the
// midpoint's
static void islandsAreApart(void **unused)
{
    (void)unused;
    double calm[2][81];
    for (int m = 0; m < 2; ++m)
    {
        Watched w = { .method = m ? "stabilized" : "implicit-midpoint",
                      .solver = "local-global",
                      .iterations = 10,
                      .momentum = VV_MOMENTUM_FREE,
                      .tolerance = 1e-3 };
        vvWorldId world = watchedWorld(&w, none);
        if (m == 1)
            spinningCube(world, 2, 1e4, 12.566);
        vvSoftBodyDef def = elasticDef(1000, 1e5, 0);
        def.position.x = 5;
        vvSoftBodyId resting = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), def);
        def.position.x = 10;
        def.spin.y = 0.1;
        vvSoftBodyId slow = makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2), def);
        double before[81], after[81];
        int blended = 0;
        copyPositions(resting, before);
        for (int n = 0; n < 100; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 0.033));
            blended += vvWorld_GetStatistics(world).alpha != 0;
        }
        copyPositions(resting, after);
        copyPositions(slow, calm[m]);
        assert_memory_equal(before, after, sizeof before);
        assert_true(m == 0 || blended > 10);
        vvDestroyWorld(world);
    }
    assert_memory_equal(calm[0], calm[1], sizeof calm[0]);
}

// The slope of the error is known where a blend with backward Euler begins, and its curvature within a hundredth: the
// first trial is within the tolerance, a tenth of 1e-3 of an error that is some 1e-2. Towards forward Euler the slope
// is a guess from the forces before, which the first trial puts right
static void blendsAreFoundAtOnce(void **unused)
{
    (void)unused;
    Watched w = { .method = "stabilized",
                  .solver = "local-global",
                  .iterations = 10,
                  .momentum = VV_MOMENTUM_FREE,
                  .tolerance = 1e-3 };
    vvWorldId world = watchedWorld(&w, none);
    spinningCube(world, 4, 1e5, 12.566);
    int blends[2] = { 0 }, trials[2] = { 0 };
    for (int n = 0; n < 100; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 0.033));
        vvStatistics statistics = vvWorld_GetStatistics(world);
        bool forward = statistics.alpha < 0;
        blends[forward] += statistics.alpha != 0;
        trials[forward] += statistics.lineSearchSteps;
    }
    vvDestroyWorld(world);
    print_message("%d blends backward in %d trials, %d forward in %d\n", blends[0], trials[0], blends[1], trials[1]);
    assert_true(blends[0] > 20 && blends[1] > 20);
    assert_true(trials[0] >= blends[0] && trials[1] >= blends[1]);
    CHECK_BELOW(trials[0], 1.2 * blends[0]);
    CHECK_BELOW(trials[1], 2.5 * blends[1]);
}

// Gravity, a force on one vertex and drag, while nearly every step blends: P and L follow them exactly
static void momentumFollowsOuterForces(void **unused)
{
    (void)unused;
    const double h = 0.033;
    Watched w = { .method = "stabilized", .solver = "local-global", .iterations = 10, .tolerance = 1e-8 };
    vvWorldId world = watchedWorld(&w, (vvVec3){ 0.5, -9.81, 0 });
    vvSoftBodyId cube = spinningCube(world, 2, 1e4, 1); // slowly: a step is not divided
    double x[81];
    copyPositions(cube, x);
    for (int i = 0; i < 81; ++i)
        x[i] *= i % 3 == 0 ? 1.8 : 1;
    CHECK_OK(vvSoftBody_SetPositions(cube, x));
    vvVec3 force = { 0, 60, 100 };
    CHECK_OK(vvSoftBody_SetForce(cube, 3, force));
    double mass = vvSoftBody_GetMass(cube);
    int blended = 0;
    for (int n = 0; n < 100; ++n)
    {
        vvLedger before = vvWorld_GetLedger(world);
        vvVec3 centre = massCentre(cube), point = vertexPosition(cube, 3);
        CHECK_OK(vvWorld_Step(world, h));
        vvLedger after = vvWorld_GetLedger(world);
        blended += vvWorld_GetStatistics(world).alpha != 0;
        vvVec3 end = massCentre(cube), moved = vertexPosition(cube, 3);
        vvVec3 c = { 0.5 * (centre.x + end.x), 0.5 * (centre.y + end.y), 0.5 * (centre.z + end.z) };
        vvVec3 p = { 0.5 * (point.x + moved.x), 0.5 * (point.y + moved.y), 0.5 * (point.z + moved.z) };
        vvVec3 weight = { 0.5 * mass, -9.81 * mass, 0 };
        CHECK_NEAR(after.momentum.y - before.momentum.y, h * (weight.y + force.y), 1e-9 * mass);
        CHECK_NEAR(after.momentum.z - before.momentum.z, h * (weight.z + force.z), 1e-9 * mass);
        CHECK_NEAR(after.angularMomentum.x - before.angularMomentum.x,
                   h * (c.y * weight.z - c.z * weight.y + p.y * force.z - p.z * force.y), 1e-8 * mass);
        CHECK_NEAR(after.angularMomentum.z - before.angularMomentum.z,
                   h * (c.x * weight.y - c.y * weight.x + p.x * force.y - p.y * force.x), 1e-8 * mass);
    }
    assert_true(blended > 50);
    vvDestroyWorld(world);
}

// What is added and taken on the way is part of the target: a soft bar shaken by its attachments, dragged and pushed,
// stays within its tolerance, and at a tight one too, where every step blends
static void booksAreKnown(void **unused)
{
    (void)unused;
    for (int k = 0; k < 2; ++k)
    {
        double tolerance = k ? 1e-4 : 0.01;
        Watched w = { .method = "stabilized", .solver = k ? "newton" : "local-global", .tolerance = tolerance };
        vvWorldId world = watchedWorld(&w, (vvVec3){ 0, -9.81, 0 });
        vvSoftBodyDef def = elasticDef(1000, 2e4, 0);
        def.damping.mass = 0.4;
        vvSoftBodyId bar = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.5, 1, 0.5 }, 2, 4, 2), def);
        int top[9];
        vvAttachmentId hold[9];
        vvVec3 place[9];
        assert_int_equal(vvSoftBody_FindVertices(bar, planeBox(1, 0.5, 1e-6), top, 9), 9);
        for (int i = 0; i < 9; ++i)
        {
            place[i] = vertexPosition(bar, top[i]);
            hold[i] = attachToPoint(world, bar, top[i], 1e5);
        }
        CHECK_OK(vvSoftBody_SetForce(bar, 0, (vvVec3){ 100, 0, 50 }));
        double most = 0, worst = 0;
        int blended = 0;
        for (int n = 0; n < 150; ++n)
        {
            for (int i = 0; i < 9; ++i)
            {
                vvVec3 target = place[i];
                target.x += 0.2 * sin(0.3 * n);
                CHECK_OK(vvAttachment_MoveTarget(hold[i], target));
            }
            CHECK_OK(vvWorld_Step(world, 0.033));
            vvLedger ledger = vvWorld_GetLedger(world);
            most = fmax(most, ledger.kinetic + ledger.elastic);
            worst = fmax(worst, fabs(ledger.numerical));
            blended += vvWorld_GetStatistics(world).alpha != 0;
        }
        vvLedger ledger = vvWorld_GetLedger(world);
        print_message(
            "shaken, tolerance %g: numerical %.2e of %.0f J, added %.0f J, dissipated %.0f J, %d of 150 blended\n",
            tolerance, worst / most, most, ledger.added, ledger.dissipated, blended);
        CHECK_BELOW(worst, 1.2 * tolerance * most);
        assert_true(ledger.dissipated > 0.5 * most); // it was worth booking
        assert_true(k == 0 || blended > 50);
        vvDestroyWorld(world);
    }
}

// A box slides to rest on a plane: what friction takes is no error to be corrected
static void frictionIsNoError(void **unused)
{
    (void)unused;
    Watched w = { .method = "stabilized", .solver = "newton" };
    vvWorldId world = watchedWorld(&w, (vvVec3){ 0, -9.81, 0 });
    vvColliderDef ground = vvDefaultColliderDef();
    ground.friction = 0.3;
    makeCollider(world, planeShape(), ground);
    vvSoftBodyDef def = elasticDef(1000, 1e6, 0.3);
    def.position.y = 0.1;
    def.velocity.x = 2;
    def.damping.rigidPreserving = 20;
    makeBody(world, vvCreateBoxMesh((vvVec3){ 0.4, 0.2, 0.4 }, 2, 1, 2), def);
    double start = vvWorld_GetLedger(world).kinetic;
    for (int n = 0; n < 150; ++n)
    {
        CHECK_OK(vvWorld_Step(world, 0.01));
        CHECK_BELOW(fabs(vvWorld_GetLedger(world).numerical), 0.015 * start); // the tolerance of 1 %, and a step
    }
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_BELOW(ledger.kinetic, 0.001 * start);
    CHECK_BELOW(0.9 * start, ledger.dissipated);
    vvDestroyWorld(world);
}

// the share of short motion: none in a rigid spin, nearly all of random velocities, little of a slow bend
static void spectrumTellsNoiseFromMotion(void **unused)
{
    (void)unused;
    double measured[3];
    for (int k = 0; k < 3; ++k)
    {
        Watched w = { .method = "stabilized", .solver = "newton" };
        vvWorldId world = watchedWorld(&w, none);
        vvSoftBodyId cube = spinningCube(world, 6, 1e4, 1);
        TestRandom random = { 0 };
        double v[1029];
        for (int i = 0; i < 1029; ++i)
        {
            double bend = i % 3 == 1 ? vvSoftBody_GetPositions(cube)[i - 1] * vvSoftBody_GetPositions(cube)[i - 1] : 0;
            v[i] = k == 1 ? randomBetween(&random, -1, 1) : bend;
        }
        if (k > 0)
            CHECK_OK(vvSoftBody_SetVelocities(cube, v));
        CHECK_OK(vvWorld_Step(world, 1e-6));
        measured[k] = vvWorld_GetStatistics(world).spectrum;
        vvDestroyWorld(world);
    }
    print_message("short motion: %.2e in a spin, %.3f in noise, %.4f in a bend\n", measured[0], measured[1],
                  measured[2]);
    CHECK_BELOW(measured[0], 1e-9);
    CHECK_NEAR(measured[1], 1, 0.15); // 343 vertices: the spread is some percent
    CHECK_BELOW(measured[2], 0.1);
}

// Bodies that touch only each other, obliquely and with friction: both momenta of the two stay, whatever the solver
// leaves, and nothing is gained
static void bodiesThatMeetKeepTheirMomenta(void **unused)
{
    (void)unused;
    for (int i = 0; i < 6; ++i)
    {
        vvWorldDef def = vvDefaultWorldDef();
        def.method = "stabilized";
        def.solver = i % 2 ? "local-global" : "newton";
        def.softContact = true;
        def.gravity = none;
        vvResult result;
        vvWorldId world = vvCreateWorld(&def, &result);
        CHECK_OK(result);
        for (int k = 0; k < 2; ++k)
        {
            vvSoftBodyDef body = elasticDef(k ? 1000 : 400, i / 2 == 0 ? 2e4 : i / 2 == 1 ? 2e5 : 2e6, 0.3);
            body.position = (vvVec3){ k ? 0.62 : 0, k ? 0.27 : 0, k ? 0.11 : 0 };
            body.velocity = (vvVec3){ k ? -1.5 : 1.5, 0, 0 };
            body.spin = (vvVec3){ 0, k ? 2 : 0, 3 };
            makeBody(world, vvCreateBoxMesh((vvVec3){ 0.5, k ? 0.3 : 0.6, 0.4 }, 3, 3, 3), body);
        }
        vvLedger first = vvWorld_GetLedger(world);
        double most = 0, linear = 0, angular = 0;
        bool met = false;
        for (int n = 0; n < 60; ++n)
        {
            CHECK_OK(vvWorld_Step(world, 1.0 / 60));
            vvLedger now = vvWorld_GetLedger(world);
            met |= now.contact > 0;
            most = fmax(most, now.total / first.total - 1);
            linear = fmax(linear, fabs(now.momentum.x - first.momentum.x) + fabs(now.momentum.y - first.momentum.y) +
                                      fabs(now.momentum.z - first.momentum.z));
            angular = fmax(angular, fabs(now.angularMomentum.x - first.angularMomentum.x) +
                                        fabs(now.angularMomentum.y - first.angularMomentum.y) +
                                        fabs(now.angularMomentum.z - first.angularMomentum.z));
        }
        print_message("%s, %d: gained %.4f, momenta off by %.1e kg m/s, %.1e kg m^2/s\n", def.solver, i / 2, most,
                      linear, angular);
        assert_true(met);
        CHECK_BELOW(linear, 1e-9);
        CHECK_BELOW(angular, 1e-9);
        CHECK_BELOW(most, 0.03);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(isMidpointInsideTheTolerance),
        cmocka_unit_test(heightDoesNotMatter),
        cmocka_unit_test(islandsAreApart),
        cmocka_unit_test(blendsAreFoundAtOnce),
        cmocka_unit_test(momentumFollowsOuterForces),
        cmocka_unit_test(booksAreKnown),
        cmocka_unit_test(frictionIsNoError),
        cmocka_unit_test(bodiesThatMeetKeepTheirMomenta),
        cmocka_unit_test(spectrumTellsNoiseFromMotion),
    };
    return cmocka_run_group_tests_name("integrate stabilized", tests, NULL, NULL);
}
