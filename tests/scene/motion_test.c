// What a scene tells its world over time: keyframes, releases, forces; and that all of it goes on from a saved state.
#include "files.h"

#include "scene/scene.h"

static SceneWorld *start(const char *text, Scene **scene)
{
    vvResult result;
    *scene = sceneParse(text, strlen(text), "", NULL, 0, &result);
    if (*scene == NULL)
        fail_msg("%s; %s", result.message, result.remedy);
    SceneWorld *built = sceneBuild(*scene, NULL, &result);
    if (built == NULL)
        fail_msg("%s; %s", result.message, result.remedy);
    return built;
}

static void finish(SceneWorld *built, Scene *scene)
{
    sceneRelease(built);
    sceneDestroy(scene);
}

static void run(SceneWorld *built, int frames)
{
    for (int i = 0; i < frames; ++i)
        assert_int_equal(sceneStep(built).code, VV_OK);
}

#define PINNED(keys)                                                                                                   \
    "{ \"verve\": 1, \"gravity\": [0, 0, 0], \"timestep\": 0.1, \"bodies\": [ { \"mesh\": { \"shape\": \"box\", "      \
    "\"cells\": 1 }, \"position\": [10, 0, 0], \"pins\": [ { \"where\": { \"vertices\": [0, 1] }, " keys " } ] } ] }"

// box order: z fastest, then y, then x; vertex 0 is the lower corner, vertex 1 its neighbour along z
static void testKeyframesExact(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built = start(PINNED("\"keyframes\": [ { \"time\": 0.3, \"move\": [0.25, 0, 0] }, { \"time\": 0.5, "
                                     "\"move\": [0.25, 0.5, 0] } ]"),
                              &scene);
    // s of the way at the end of each step; halves and quarters add without rounding
    static const double want[][2] = { { 0.25 / 3, 0 }, { 0.5 / 3, 0 }, { 0.25, 0 },
                                      { 0.25, 0.25 },  { 0.25, 0.5 },  { 0.25, 0.5 } };
    for (int n = 0; n < 6; ++n)
    {
        run(built, 1);
        const double *x = vvSoftBody_GetPositions(sceneBody(built, 0));
        bool key = n == 2 || n >= 4; // at and after a keyframe: the very number
        CHECK_NEAR(x[0], 9.5 + want[n][0], key ? 0 : 4e-15);
        CHECK_NEAR(x[1], -0.5 + want[n][1], key ? 0 : 4e-15);
        CHECK_NEAR(x[2], -0.5, 0);
        CHECK_NEAR(x[5], 0.5, 0);
    }
    finish(built, scene);
}

// a quarter turn about y through the middle of the two vertices: z to x
static void testRotation(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built = start(PINNED("\"keyframes\": [ { \"time\": 0.1, \"rotate\": [0, 90, 0] } ]"), &scene);
    run(built, 1);
    const double *x = vvSoftBody_GetPositions(sceneBody(built, 0));
    CHECK_NEAR(x[0], 9.0, 1e-14);
    CHECK_NEAR(x[2], 0, 1e-14);
    CHECK_NEAR(x[3], 10.0, 1e-14);
    CHECK_NEAR(x[5], 0, 1e-14);
    finish(built, scene);
    built = start(
        PINNED("\"centre\": [-0.5, -0.5, -0.5], \"keyframes\": [ { \"time\": 0.1, \"rotate\": [0, 90, 0] } ]"), &scene);
    run(built, 1);
    x = vvSoftBody_GetPositions(sceneBody(built, 0));
    CHECK_NEAR(x[0], 9.5, 0); // the centre itself stays
    CHECK_NEAR(x[3], 10.5, 1e-14);
    CHECK_NEAR(x[5], -0.5, 1e-14);
    finish(built, scene);
}

static void testRelease(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built = start(PINNED("\"release\": 0.3"), &scene);
    for (int n = 0; n < 5; ++n)
    {
        run(built, 1);
        assert_int_equal(vvSoftBody_IsPinned(sceneBody(built, 0), 1), n < 3);
    }
    finish(built, scene);
}

// a soft pin pulls its vertices along and books the work
static void testSoftPin(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built =
        start(PINNED("\"stiffness\": 1e9, \"keyframes\": [ { \"time\": 1, \"move\": [0.1, 0, 0] } ]"), &scene);
    run(built, 10);
    const double *x = vvSoftBody_GetPositions(sceneBody(built, 0));
    assert_false(vvSoftBody_IsPinned(sceneBody(built, 0), 0));
    CHECK_NEAR(x[0], 9.6, 1e-3); // 1e9 N/m against the weight of a rubber cube
    assert_true(vvWorld_GetLedger(sceneWorldId(built)).added > 0);
    finish(built, scene);
}

// the impulse of a force is force x time, whatever the step: momentum grows by it to rounding
static void testForceImpulse(void **state)
{
    (void)state;
    static const int substeps[] = { 1, 3, 7 };
    for (int i = 0; i < 3; ++i)
    {
        char text[512];
        snprintf(
            text, sizeof text,
            "{ \"verve\": 1, \"gravity\": [0, 0, 0], \"timestep\": 0.1, \"integrator\": { \"substeps\": %d }, "
            "\"bodies\": [ "
            "{ \"mesh\": { \"shape\": \"box\", \"cells\": 2 }, \"forces\": [ { \"where\": { \"all\": true }, "
            "\"force\": "
            "[30, 0, -6], \"from\": 0.13, \"to\": 0.42 }, { \"where\": { \"vertices\": [3] }, \"force\": [0, 2, 0], "
            "\"to\": 0.05 } ] } ] }",
            substeps[i]);
        Scene *scene;
        SceneWorld *built = start(text, &scene);
        run(built, 6);
        vvVec3 p = vvWorld_GetLedger(sceneWorldId(built)).momentum;
        CHECK_NEAR(p.x, 30 * 0.29, 1e-8);
        CHECK_NEAR(p.y, 2 * 0.05, 1e-8);
        CHECK_NEAR(p.z, -6 * 0.29, 1e-8);
        finish(built, scene);
    }
}

// a uniform body under a force shared by mass does not deform
static void testForceSharedByMass(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built =
        start("{ \"verve\": 1, \"gravity\": [0, 0, 0], \"bodies\": [ { \"mesh\": { \"shape\": \"sphere\", \"cells\": 2 "
              "}, \"forces\": [ { \"where\": { \"all\": true }, \"force\": [100, 0, 0] } ] } ] }",
              &scene);
    run(built, 20);
    vvLedger ledger = vvWorld_GetLedger(sceneWorldId(built));
    assert_true(ledger.kinetic > 0.01);
    CHECK_BELOW(ledger.elastic, 1e-12 * ledger.kinetic);
    finish(built, scene);
}

// pins, keyframes, release and forces go on from a saved state as if nothing had happened
static void testResume(void **state)
{
    (void)state;
    char *base = readSource("tests/scene/base.json", NULL);
    for (int saved = 0; saved <= 4; ++saved)
    {
        Scene *scene, *other;
        SceneWorld *straight = start(base, &scene), *resumed = start(base, &other);
        run(straight, saved);
        vvWorldId world = sceneWorldId(straight);
        size_t size = vvWorld_GetStateSize(world);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(vvWorld_SaveState(world, bytes, size).code, VV_OK);
        assert_int_equal(vvWorld_RestoreState(sceneWorldId(resumed), bytes, size).code, VV_OK);
        run(straight, 6 - saved);
        run(resumed, 6 - saved);
        assert_true(vvWorld_GetHash(world) == vvWorld_GetHash(sceneWorldId(resumed)));
        free(bytes);
        finish(straight, scene);
        finish(resumed, other);
    }
    free(base);
}

// ten thousand steps later, time is still that of the frame count
static void testLongTime(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built = start("{ \"verve\": 1, \"gravity\": [0, 0, 0], \"timestep\": 0.1, \"integrator\": { "
                              "\"method\": \"symplectic-euler\" }, "
                              "\"bodies\": [ { \"mesh\": { \"shape\": \"tet\" }, \"material\": { \"young\": 100 }, "
                              "\"pins\": [ { \"where\": { "
                              "\"all\": true }, \"keyframes\": [ { \"time\": 999.9, \"move\": [2, 0, 0] } ] } ] } ] }",
                              &scene);
    double before = vvSoftBody_GetPositions(sceneBody(built, 0))[0];
    run(built, 9999);
    CHECK_NEAR(vvSoftBody_GetPositions(sceneBody(built, 0))[0], before + 2, 0);
    finish(built, scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testKeyframesExact), cmocka_unit_test(testRotation),
        cmocka_unit_test(testRelease),        cmocka_unit_test(testSoftPin),
        cmocka_unit_test(testForceImpulse),   cmocka_unit_test(testForceSharedByMass),
        cmocka_unit_test(testResume),         cmocka_unit_test(testLongTime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
