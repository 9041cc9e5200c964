// small-midpoint: its identities, what it conserves, and the scenes of docs/notes/small-midpoint.md.
#include "integrate/small_midpoint.h"
#include "undamped.h"

#define REVERSIBLE 2e-8 // m: rotations, modes and factors are float32

static const vvVec3 DOWN = { 0, -9.81, 0 }, NONE = { 0, 0, 0 };
static const Setting HELD = { "small-midpoint", 12, 0, true }, FREE = { "small-midpoint", 12, 0, false };

// ---- one substep ----------------------------------------------------------------------------------------------------

typedef struct Island
{
    vvWorldId id;
    System *system;
    Stage stage;
} Island;

// tets, attachments and gravity, far from rest
static Island makeIsland(double h, int seed)
{
    Island island = { .id = makeSettingWorld(FREE, DOWN), .stage = stageMidpoint(h) };
    vvSoftBodyId body =
        makeBody(island.id, makeUnstructured((vvVec3){ 0.4, 0.4, 0.4 }, 2, 2, 2, 0.2), elasticDef(1000, 5e4, 0));
    attachToPoint(island.id, body, 3, 800);
    attachToPoint(island.id, body, 20, 5e4);
    CHECK_OK(vvWorld_Step(island.id, 1e-3));
    island.system = &worldFind(island.id)->system[0];
    State *s = &island.system->state;
    TestRandom random = { (uint64_t)seed + 1 };
    for (int i = 0; i < 3 * s->count; ++i)
    {
        s->start[i] += randomBetween(&random, -0.2, 0.2);
        s->startVelocity[i] = randomBetween(&random, -3, 3);
    }
    SolveReport report = { 0 };
    assert_true(prefactorsPrepare(island.system, &island.stage, &report));
    systemSetExternal(island.system);
    return island;
}

static double totalAt(Island *island, const double *x, const double *v)
{
    systemSetFraction(island->system, 1);
    Balance balance = balanceAt(island->system, x, v);
    return balanceTotal(&balance);
}

// gap(x) = E(z) + grad E(z).(x - z) + 1/2 |x - z|_L^2 - E(x), and L d into `product`
static double gapOf(Island *island, const double *z, const double *x, double *product)
{
    State *s = &island->system->state;
    const Member *member = island->system->member[0];
    int size = 3 * s->count;
    double gap = 0, *way = test_calloc((size_t)size, sizeof(double)),
           *slope = test_calloc((size_t)size, sizeof(double));
    memset(product, 0, (size_t)size * sizeof(double));
    for (int i = 0; i < size; ++i)
        way[i] = x[i] - z[i];
    for (int e = 0; e < member->energyCount; ++e)
    {
        Energy *energy = member->energy[e];
        gap += energyValue(energy, z) - energyValue(energy, x);
        energyAddGradient(energy, z, slope);
        if (energy->kind->majorizer != NULL)
            energyAddMajorizerTimes(energy, way, product);
    }
    for (int i = 0; i < size; ++i)
        gap += way[i] * (slope[i] + 0.5 * product[i]);
    test_free(way);
    test_free(slope);
    return gap;
}

// A d = gradient beyond the precision of the factor: refined with the matrix itself
static void solveExactly(Island *island, double *d)
{
    State *s = &island->system->state;
    int size = 3 * s->count;
    double *left = test_calloc((size_t)size, sizeof(double)), *more = test_calloc((size_t)size, sizeof(double));
    double *zero = test_calloc((size_t)size, sizeof(double)), quarter = 0.25 * island->stage.sigma;
    memset(d, 0, (size_t)size * sizeof(double));
    for (int k = 0; k < 12; ++k)
    {
        gapOf(island, zero, d, left); // L d
        for (int i = 0; i < size; ++i)
            left[i] = s->gradient[i] - s->mass[i / 3] * d[i] - quarter * left[i];
        globalStep(island->system, &island->stage, left, more);
        for (int i = 0; i < size; ++i)
            d[i] += more[i];
    }
    test_free(left);
    test_free(more);
    test_free(zero);
}

// H1 - H0 = gap(x0) - gap(x1) with all forces taken at one point z, whatever z and the step are. For projective
// energies gap is what the frozen projections cost more than the nearest ones, never below 0
static void energyChangesByTheGaps(void **state)
{
    (void)state;
    for (int k = 0; k < 24; ++k)
    {
        const double steps[] = { 1e-3, 1e-2, 0.1, 1 }, ahead = (k % 3) * 0.5;
        Island island = makeIsland(steps[k % 4], k);
        State *s = &island.system->state;
        int size = 3 * s->count;
        double *d = test_malloc((size_t)size * sizeof(double)), *z = test_malloc((size_t)size * sizeof(double));
        double *product = test_malloc((size_t)size * sizeof(double)), h = island.stage.h;
        systemSetMidpoint(island.system);
        stageInertia(island.system, h);
        for (int i = 0; i < size; ++i)
            s->position[i] = s->start[i] + ahead * h * s->startVelocity[i];
        systemSetStage(island.system, &island.stage);
        memcpy(z, s->stage, (size_t)size * sizeof(double));
        systemGradient(island.system, &island.stage);
        solveExactly(&island, d);
        for (int i = 0; i < size; ++i)
            s->position[i] -= d[i];
        stageVelocity(island.system, 2 / h, -1, h);
        double before = totalAt(&island, s->start, s->startVelocity),
               after = totalAt(&island, s->position, s->velocity);
        double first = gapOf(&island, z, s->start, product), last = gapOf(&island, z, s->position, product);
        double scale = fabs(before) + fabs(after) + fabs(first) + fabs(last);
        CHECK_NEAR(after - before, first - last, 1e-12 * scale);
        assert_true(first >= -1e-12 * scale && last >= -1e-12 * scale);
        test_free(d);
        test_free(z);
        test_free(product);
        vvDestroyWorld(island.id);
    }
}

// with forces at the start gap(x0) is 0: no step and no state can gain
static void frozenForcesNeverGain(void **state)
{
    (void)state;
    double least = 0;
    for (int k = 0; k < 50; ++k)
    {
        const double steps[] = { 1e-3, 1e-2, 0.1, 1, 30 };
        Island island = makeIsland(steps[k % 5], k);
        State *s = &island.system->state;
        double before = totalAt(&island, s->start, s->startVelocity);
        SolveReport report = { 0 };
        smallMidpointSubsteps(island.system, &island.stage, 1, 0, &report);
        double after = totalAt(&island, s->position, s->velocity);
        CHECK_BELOW(after, before + 1e-6 * fabs(before)); // the factor is rounded to float32
        least = fmin(least, (after - before) / fabs(before));
        vvDestroyWorld(island.id);
    }
    assert_true(least < -0.5); // it does something
}

// turn the velocity around and the film runs backwards, to what a float32 factor rounds
static void partsAreReversible(void **state)
{
    (void)state;
    Setting setting = FREE;
    setting.substeps = 10;
    vvWorldId world = makeSettingWorld(setting, DOWN);
    vvSoftBodyId body = spinningCube(world, 2, 1e4, 5);
    double x[81], v[81];
    memcpy(x, vvSoftBody_GetPositions(body), sizeof x);
    for (int half = 0; half < 2; ++half)
    {
        for (int n = 0; n < 10; ++n)
            CHECK_OK(vvWorld_Step(world, 0.02));
        for (int i = 0; i < 81; ++i)
            v[i] = -vvSoftBody_GetVelocities(body)[i];
        CHECK_OK(vvSoftBody_SetVelocities(body, v));
    }
    for (int i = 0; i < 81; ++i)
        CHECK_NEAR(vvSoftBody_GetPositions(body)[i], x[i], REVERSIBLE);
    vvDestroyWorld(world);
}

// ---- cloth ----------------------------------------------------------------------------------------------------------

// What is kept is H + Q, and kinetic energy with Q is that of small steps: three runs of symplectic-euler at h / 200
// and h / 400 differ by 1 % until 3 s, by 3 % later.
static void clothFalls(void **state)
{
    (void)state;
    const struct
    {
        Setting setting;
        double stiffness, truth[3], smooth; // J: kinetic; of motion over five cells, 1 to 3 s
    } rows[] = {
        { FREE, 1e3, { 2.33, 2.45, 2.65 }, 1.82 },
        { HELD, 1e3, { 2.33, 2.45, 2.65 }, 1.82 },
        { HELD, 1e4, { 2.24, 2.50, 2.72 }, 1.77 },
    };
    for (int i = 0; i < 3; ++i)
    {
        Cloth cloth = makeCloth(rows[i].setting, 31, rows[i].stiffness, 0);
        Course course = runCloth(&cloth, 300, false, NULL);
        CHECK_NEAR(course.unresolved, 0, rows[i].setting.energyReturn ? 0.2 : 0.3); // J, of about 5: H + Q
        CHECK_BELOW(course.most, 0.1);         // nothing is gained
        for (int k = 0; k < 3; ++k)
            CHECK_CLOSE(course.whole[k], rows[i].truth[k], 0.1);
        CHECK_CLOSE(course.smooth[1], rows[i].smooth, 0.1);
        assert_int_equal(course.failures, 0);
        CHECK_BELOW(course.solves, 12.5);
        double share = course.elastic[2] / (course.elastic[2] + course.whole[2]); // small steps: 0.32, 0.34
        assert_true(share > 0.15 && share < 0.4);
        vvDestroyWorld(cloth.world);
    }
}

// motion as short as the mesh, m/s: no substep resolves it, and the first steps gain
static void startWildly(const Cloth *cloth, double speed)
{
    double v[31 * 31 * 3];
    TestRandom random = { 7 };
    for (int i = 0; i < 31 * 31 * 3; ++i)
        v[i] = randomBetween(&random, -speed, speed);
    CHECK_OK(vvSoftBody_SetVelocities(cloth->body, v));
}

// Damping that takes next to nothing changes next to nothing, also in steps that are drawn back: they are taken twice,
// and what the first time came to must outlast the second, in which rates are kept too.
static void faintDampingDoesNotMatter(void **state)
{
    (void)state;
    Course course[2];
    double dissipated = 0;
    for (int damped = 0; damped < 2; ++damped)
    {
        Cloth cloth = makeCloth(HELD, 31, 1e4, damped * 1e-12);
        startWildly(&cloth, 10);
        course[damped] = runCloth(&cloth, 6, false, NULL);
        dissipated = vvWorld_GetLedger(cloth.world).dissipated;
        vvDestroyWorld(cloth.world);
    }
    CHECK_BELOW(12.5, course[0].solves); // some steps are drawn back, or there is nothing to see
    assert_true(dissipated > 0 && dissipated < 1e-9);
    CHECK_NEAR(course[1].least, course[0].least, 0.001); // J
    CHECK_CLOSE(course[1].kinetic[0], course[0].kinetic[0],
                0.01); // the end that cannot gain is B alone only without damping
}

// Dinev 2018, Fig 10: substeps by the rule; small steps as in small_midpoint_soak.c, which has more stiffnesses
static void shakenClothMovesAsItShould(void **state)
{
    (void)state;
    static const struct
    {
        double stiffness, truth[2], smooth[2]; // N/m; J: 0 to 1 s, 1 to 3 s
    } rows[] = {
        { 1e3, { 1.95, 2.02 }, { 1.87, 1.59 } },
        { 1e5, { 1.92, 2.64 }, { 1.72, 1.92 } }, // what control of H alone gives back makes its smooth motion 3.8 J
    };
    for (int i = 0; i < 2; ++i)
    {
        Setting setting = HELD;
        setting.substeps = 0;
        Cloth cloth = makeCloth(setting, 31, rows[i].stiffness, 0);
        Course course = runCloth(&cloth, 91, true, NULL);
        print_message("shaken, %g N/m: K with Q %.3f %.3f, smooth %.3f %.3f, H + Q within %.3f J\n", rows[i].stiffness,
                      course.whole[0], course.whole[1], course.smooth[0], course.smooth[1], course.unresolved);
        CHECK_NEAR(course.unresolved, 0, 0.2);
        for (int k = 0; k < 2; ++k)
        {
            CHECK_CLOSE(course.whole[k], rows[i].truth[k], 0.1);
            CHECK_CLOSE(course.smooth[k], rows[i].smooth[k], 0.1);
        }
        CHECK_BELOW(course.elastic[1], 1.2);
        assert_true(course.added > 0.5); // J, of the hand
        vvDestroyWorld(cloth.world);
    }
}

// a wave that crosses too much of a body in a substep is told once, and only then
static void countMessage(vvLogLevel level, const char *message, void *userData)
{
    (void)level;
    int *count = userData;
    *count += strstr(message, "substeps") != NULL;
}

static void stiffClothIsToldOnce(void **state)
{
    (void)state;
    for (int stiff = 0; stiff < 2; ++stiff)
    {
        int count = 0;
        vvWorldDef def = vvDefaultWorldDef();
        def.method = "small-midpoint";
        def.logger = (vvLogger){ .write = countMessage, .userData = &count };
        vvWorldId world = vvCreateWorld(&def, NULL);
        vvSoftBodyDef sheet = undampedDef();
        sheet.material.density = 1000;
        sheet.springStiffness[VV_EDGE_STRUCTURAL] = sheet.springStiffness[VV_EDGE_SHEAR] = stiff ? 1e6 : 1e4;
        makeBody(world, vvCreateSheetMesh(1, 1, 8, 8), sheet);
        for (int i = 0; i < 3; ++i)
            CHECK_OK(vvWorld_Step(world, 0.033));
        assert_int_equal(count, stiff);
        // 10 h c / size substeps, c = 100 m/s and 6 % more for the seams; at most 40, or 2 h c / size
        assert_int_equal(vvWorld_GetStatistics(world).iterations, stiff ? 71 : 36);
        vvDestroyWorld(world);
    }
}

// ---- solids ---------------------------------------------------------------------------------------------------------

static void spinningCubesNeedNoControl(void **state)
{
    (void)state;
    const double young[] = { 1e4, 1e5 }, share[] = { 0.343, 0.136 };
    for (int k = 0; k < 2; ++k)
    {
        vvWorldId world = makeSettingWorld(HELD, NONE);
        spinningCube(world, 4, young[k], 12.566);
        Spin spin = runSpin(world, 500);
        CHECK_NEAR(spin.least, 1, 0.002);
        CHECK_NEAR(spin.most, 1, 0.002);
        CHECK_NEAR(spin.leastAngular, 1, 0.001);
        CHECK_NEAR(spin.mostAngular, 1, 0.001);
        CHECK_NEAR(spin.share, share[k], 0.03); // of a converged run: means near 0.32 and 0.13
        assert_int_equal(spin.blends, 0);
        vvDestroyWorld(world);
    }
}

// not projective, through their majorizers: no identity, but the same picture
static void otherEnergiesHoldToo(void **state)
{
    (void)state;
    static const struct
    {
        const char *model;
        double poisson;
    } rows[] = { { "corotated", 0.3 }, { "corotated", 0.45 }, { "squared-spring", 0 } };
    for (int k = 0; k < 3; ++k)
    {
        vvWorldId world = makeSettingWorld(HELD, NONE);
        vvSoftBodyDef def = elasticDef(1000, 1e5, rows[k].poisson);
        def.model = rows[k].model;
        def.spin = (vvVec3){ 0, 0, 12.566 };
        makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 3, 3, 3), def);
        Spin spin = runSpin(world, 300);
        CHECK_NEAR(spin.least, 1, 0.01);
        CHECK_NEAR(spin.most, 1, 0.01);
        CHECK_NEAR(spin.leastAngular, 1, 0.003);
        vvDestroyWorld(world);
    }
}

// first apex of a cube that falls 1 m, against substeps of 10 us: the layer that touches stops, an eighth of the cube
static void droppedCubesRebound(void **state)
{
    (void)state;
    const double young[] = { 1e5, 1e6 }, expected[] = { 0.729, 0.723 };
    for (int k = 0; k < 2; ++k)
    {
        double apex, most = dropCube(HELD, young[k], 150, &apex);
        CHECK_CLOSE(apex, expected[k], 0.05);
        CHECK_BELOW(most, 0.02); // of M g drop above the target
    }
}

static void hangingBarReturns(void **state)
{
    (void)state;
    vvWorldId world = makeSettingWorld(HELD, DOWN);
    vvSoftBodyId bar = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.5, 2, 0.5 }, 3, 12, 3), elasticDef(1000, 1.6e4, 0));
    int top[16], bottom[16];
    assert_int_equal(vvSoftBody_FindVertices(bar, planeBox(1, 1, 1e-6), top, 16), 16);
    assert_int_equal(vvSoftBody_FindVertices(bar, planeBox(1, -1, 1e-6), bottom, 16), 16);
    for (int i = 0; i < 16; ++i)
        attachToPoint(world, bar, top[i], 1e6);
    double lowest = 0, best = -10;
    for (int frame = 1; frame <= 122; ++frame)
    {
        CHECK_OK(vvWorld_Step(world, 0.033));
        double y = meanCoordinate(bar, bottom, 16, 1) + 1;
        lowest = fmin(lowest, y);
        best = frame >= 120 ? fmax(best, y) : best;
    }
    CHECK_NEAR(lowest, -2.45, 0.02); // m
    CHECK_BELOW(-0.005 * 2.45, best);
    vvDestroyWorld(world);
}

// ---- scenes that nothing was tuned on -------------------------------------------------------------------------------

// where the centre is after the first second, from symplectic-euler in steps of h / 300; of the torus, which touches
// the ground, from 800 substeps
static void heldOutScenesFollowSmallSteps(void **state)
{
    (void)state;
    static const struct
    {
        HeldOut scene;
        Vec3 centre; // after 31 frames of 33 ms
        double near; // m
    } rows[] = {
        { HELD_SWING, { -0.489, -0.179, -0.005 }, 0.02 },
        { HELD_SHEET, { -1.443, -0.257, -0.473 }, 0.08 },
        { HELD_TORUS, { 1.993, 0.429, 0.010 }, 0.01 },
    };
    for (int k = 0; k < 3; ++k)
    {
        Setting setting = HELD;
        setting.substeps = 0;
        vvWorldId world = makeSettingWorld(setting, DOWN);
        vvSoftBodyId body = makeHeldOut(world, rows[k].scene);
        double largest = 0, motion = 0;
        for (int frame = 0; frame < 150; ++frame)
        {
            CHECK_OK(vvWorld_Step(world, 0.033));
            vvLedger ledger = vvWorld_GetLedger(world);
            double unresolved = rows[k].scene == HELD_SHEET ? vvWorld_GetStatistics(world).unresolved : 0;
            largest = fmax(largest, fabs(ledger.numerical + unresolved));
            motion = fmax(motion, ledger.kinetic + ledger.elastic + ledger.contact);
            if (frame == 30)
                CHECK_NEAR(vecLength(vecSub(centreOf(body), rows[k].centre)), 0, rows[k].near);
        }
        // of the sheet, where substeps become fewer again: what is not resolved grows fourfold, and is cut in some
        // steps
        CHECK_BELOW(largest, (rows[k].scene == HELD_SHEET ? 0.15 : 0.08) * motion);
        assert_int_equal(vvWorld_GetStatistics(world).blendFailures, 0);
        vvDestroyWorld(world);
    }
}

// a very soft body that is thrown down and rebounds through itself
static void invertedBodiesStayWithinTheirTarget(void **state)
{
    (void)state;
    Inversion run = runInversion(HELD, 300);
    assert_true(run.inverted > 50); // tets at a time, of 1440
    CHECK_NEAR(run.least, 0, 0.05);
    CHECK_NEAR(run.most, 0, 0.05);
    CHECK_BELOW(20, run.kinetic); // J, of about 60: it swings on
}

// ---- several bodies -------------------------------------------------------------------------------------------------

// links add mass to the vertices they act on; translations of bodies are free of it, so that a chain falls as fast as a
// stone
static void linkedBodiesFallFreely(void **state)
{
    (void)state;
    vvWorldId world = makeSettingWorld(HELD, DOWN);
    vvSoftBodyId body[3];
    for (int b = 0; b < 3; ++b)
    {
        vvSoftBodyDef def = elasticDef(1000, 1e5, 0);
        def.position = (vvVec3){ 0.5 * b, 0, 0 };
        body[b] = makeBody(world, vvCreateBoxMesh((vvVec3){ 0.3, 0.3, 0.3 }, 2, 2, 2), def);
    }
    for (int b = 0; b < 2; ++b)
    {
        vvAttachmentDef link = vvDefaultAttachmentDef();
        link.bodyA = body[b];
        link.vertexA = vvSoftBody_FindNearestVertex(body[b], (vvVec3){ 0.5 * b + 0.15, 0.15, 0.15 });
        link.bodyB = body[b + 1];
        link.vertexB = vvSoftBody_FindNearestVertex(body[b + 1], (vvVec3){ 0.5 * b + 0.35, 0.15, 0.15 });
        link.stiffness = 1e5;
        link.restLength = 0.15; // shorter than it is: pulls
        vvResult result;
        vvCreateAttachment(world, &link, &result);
        CHECK_OK(result);
    }
    double y[3];
    for (int b = 0; b < 3; ++b)
        y[b] = centreOf(body[b]).y;
    const int frames = 30;
    for (int i = 0; i < frames; ++i)
        CHECK_OK(vvWorld_Step(world, 0.02));
    double mean = 0, t = frames * 0.02;
    for (int b = 0; b < 3; ++b)
        mean += (centreOf(body[b]).y - y[b]) / 3;
    vvLedger ledger = vvWorld_GetLedger(world);
    CHECK_NEAR(ledger.momentum.y, -9.81 * t * 81, 1e-6 * 81 * 9.81 * t); // kg m/s of 81 kg
    CHECK_NEAR(mean, -0.5 * 9.81 * t * t, 2e-3);                         // m: vertices have masses of their own
    CHECK_NEAR(ledger.numerical, 0, 0.03 * ledger.kinetic);
    vvDestroyWorld(world);
}

// the solver does not matter, nor do threads; the method may come later, and go
static void solverAndThreadsDoNotMatter(void **state)
{
    (void)state;
    uint64_t hash[4];
    for (int k = 0; k < 4; ++k)
    {
        vvWorldDef def = vvDefaultWorldDef();
        def.method = k == 3 ? "implicit-midpoint" : "small-midpoint";
        def.solver = k == 1 ? "local-global" : "newton";
        def.threads = k == 2 ? 3 : 1;
        vvResult result;
        vvWorldId world = vvCreateWorld(&def, &result);
        CHECK_OK(result);
        vvSoftBodyDef body = elasticDef(1000, 1e5, 0.3);
        body.spin = (vvVec3){ 1, 2, 3 };
        makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 14, 14, 14), body);
        CHECK_OK(vvWorld_SetMethod(world, "small-midpoint"));
        for (int i = 0; i < 3; ++i)
            CHECK_OK(vvWorld_Step(world, 0.02));
        hash[k] = vvWorld_GetHash(world);
        CHECK_OK(vvWorld_SetMethod(world, "backward-euler"));
        CHECK_OK(vvWorld_Step(world, 0.02));
        vvDestroyWorld(world);
    }
    for (int k = 1; k < 4; ++k)
        assert_true(hash[k] == hash[0]);
}

// What is at rest has nothing but the rounding of its vertices: stiffness times the square of their place in the last
// bit, 1e-25 J. Steps so long that the rule of substeps does not resolve the body correct their energy in every step.
static void restStaysRest(void **state)
{
    (void)state;
    for (int i = 0; i < 12; ++i)
    {
        vvWorldId world = makeSettingWorld((Setting){ "small-midpoint", 0, 0, true }, NONE);
        vvSoftBodyDef body = elasticDef(i & 1 ? 930 : 1000, 1.5e6, i & 2 ? 0.49 : 0.45);
        makeBody(world, vvCreateBoxMesh((vvVec3){ 1, 0.2, 0.2 }, 5, 1, 1), body);
        for (int k = 0; k < 60; ++k)
            CHECK_OK(vvWorld_Step(world, i / 4 == 0 ? 0.1 : i / 4 == 1 ? 0.03 : 0.3));
        CHECK_BELOW(vvWorld_GetLedger(world).total, 1e-21);
        vvDestroyWorld(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energyChangesByTheGaps),
        cmocka_unit_test(frozenForcesNeverGain),
        cmocka_unit_test(partsAreReversible),
        cmocka_unit_test(clothFalls),
        cmocka_unit_test(faintDampingDoesNotMatter),
        cmocka_unit_test(shakenClothMovesAsItShould),
        cmocka_unit_test(stiffClothIsToldOnce),
        cmocka_unit_test(spinningCubesNeedNoControl),
        cmocka_unit_test(restStaysRest),
        cmocka_unit_test(otherEnergiesHoldToo),
        cmocka_unit_test(droppedCubesRebound),
        cmocka_unit_test(hangingBarReturns),
        cmocka_unit_test(heldOutScenesFollowSmallSteps),
        cmocka_unit_test(invertedBodiesStayWithinTheirTarget),
        cmocka_unit_test(linkedBodiesFallFreely),
        cmocka_unit_test(solverAndThreadsDoNotMatter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
