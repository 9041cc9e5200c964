#define _POSIX_C_SOURCE 200809L // getpid
// Colliders of scenes: every shape is where the keys say, keyframes move them, bodies meet them.
#include "files.h"

#include "scene/scene.h"

#include <unistd.h>

static SceneWorld *start(const char *text, Scene **scene)
{
    vvResult result;
    *scene = sceneParse(text, strlen(text), "/", NULL, 0, &result);
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

#define CUBE "\"bodies\": [ { \"mesh\": { \"shape\": \"box\", \"size\": 0.5, \"cells\": 2 }, \"material\": \"jelly\", "
#define WITH(colliders) "{ \"verve\": 1, " CUBE "\"position\": [0, 0.25, 0] } ], \"colliders\": [ " colliders " ] }"

// the distance of a point that is known by hand, for every shape
static void testShapes(void **state)
{
    (void)state;
    static const struct
    {
        const char *text;
        vvVec3 point;
        double distance;
    } rows[] = {
        { WITH("{ \"shape\": \"plane\", \"normal\": [0, 2, 0], \"offset\": -1 }"), { 3, 1, 0 }, 2 },
        { WITH("{ \"shape\": \"sphere\", \"radius\": 0.25 }"), { 0, 2, 0 }, 1.75 },
        { WITH("{ \"shape\": \"box\", \"size\": [2, 4, 6] }"), { 0, 0, 5 }, 2 },
        { WITH("{ \"shape\": \"box\", \"size\": 2 }"), { 0, 3, 0 }, 2 },
        { WITH("{ \"shape\": \"capsule\", \"radius\": 0.5, \"length\": 2 }"), { 0, 3, 0 }, 1.5 },
        { WITH("{ \"shape\": \"convex\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }"),
          { -2, 0, 0 },
          2 },
        { WITH("{ \"shape\": \"heightfield\", \"size\": [4, 8], \"heights\": [[1, 1], [1, 1], [1, 1]] }"),
          { 1, 3, -3 },
          2 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        Scene *scene;
        SceneWorld *built = start(rows[i].text, &scene);
        assert_int_equal(sceneColliderCount(built), 1);
        assert_true(vvCollider_IsValid(sceneCollider(built, 0)));
        CHECK_NEAR(vvShape_GetDistance(sceneColliderShape(built, 0), rows[i].point, NULL), rows[i].distance, 1e-12);
        finish(built, scene);
    }
}

// a mesh collider is the surface of a file; the text of an understood scene names it by a path that works anywhere
static void testMeshFile(void **state)
{
    (void)state;
    char path[4096], text[8192];
    vvMesh *mesh = vvCreateBoxMesh((vvVec3){ 1, 1, 1 }, 2, 2, 2);
    snprintf(path, sizeof path, "%s/collider-%d.obj", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (int)getpid());
    assert_int_equal(vvWriteMesh(mesh, path, NULL).code, VV_OK);
    vvDestroyMesh(mesh);
    static const char *const kinds[] = { "\"mesh\"", "\"mesh\", \"sampling\": 0.1", "\"convex\"" };
    for (int i = 0; i < 3; ++i)
    {
        snprintf(text, sizeof text, WITH("{ \"shape\": %s, \"file\": \"%s\", \"scale\": 2 }"), kinds[i], path);
        Scene *scene;
        SceneWorld *built = start(text, &scene);
        CHECK_NEAR(vvShape_GetDistance(sceneColliderShape(built, 0), (vvVec3){ 0, 3, 0 }, NULL), 2,
                   i == 1 ? 0.1 : 1e-12);
        finish(built, scene);
    }
    remove(path);
}

// linear in between, still after the last; what a keyframe leaves out is as before
static void testPoses(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built =
        start(WITH("{ \"shape\": \"sphere\", \"position\": [0, -5, 0], \"keyframes\": [ { \"time\": 1, \"position\": "
                   "[2, -5, 0] }, { \"time\": 2, \"rotate\": [0, 90, 0] } ] }"),
              &scene);
    static const double want[][3] = { { 0, 0, 0 }, { 0.25, 0.5, 0 }, { 1, 2, 0 }, { 1.5, 2, 45 }, { 9, 2, 90 } };
    for (int i = 0; i < 5; ++i)
    {
        vvVec3 position, rotate;
        sceneColliderPose(built, 0, want[i][0], &position, &rotate);
        CHECK_NEAR(position.x, want[i][1], 1e-15);
        CHECK_NEAR(position.y, -5, 0);
        CHECK_NEAR(rotate.y, want[i][2], 1e-13);
    }
    finish(built, scene);
}

// a floor that rises 0.2 m under a heavily damped cube lifts it by as much; its work is booked and pays for the weight
static void testLift(void **state)
{
    (void)state;
    Scene *scene;
    SceneWorld *built = start("{ \"verve\": 1, \"integrator\": { \"method\": \"backward-euler\" }, " CUBE
                              "\"position\": [0, 0.25, 0], \"damping\": { \"mass\": 2, \"rigidPreserving\": 20 } } ], "
                              "\"colliders\": [ { \"shape\": \"box\", \"size\": [2, 1, 2], \"position\": [0, -0.5, 0], "
                              "\"keyframes\": [ { \"time\": 1 }, { \"time\": 2, \"position\": [0, -0.3, 0] } ] } ] }",
                              &scene);
    vvWorldId world = sceneWorldId(built);
    vvLedger before = { 0 };
    for (int i = 0; i < 180; ++i)
    {
        assert_int_equal(sceneStep(built).code, VV_OK);
        if (i == 59)
            before = vvWorld_GetLedger(world);
    }
    vvLedger after = vvWorld_GetLedger(world);
    double weight = 9.81 * vvSoftBody_GetMass(sceneBody(built, 0));
    assert_true(before.contact > 0 && after.contact > 0);
    CHECK_NEAR(before.added, 0, 1e-12);
    CHECK_NEAR(after.gravity - before.gravity, 0.2 * weight, 0.02 * 0.2 * weight); // it had not settled to the last
    assert_true(after.added > 0.97 * 0.2 * weight);
    assert_true(after.added < 1.5 * 0.2 * weight);
    finish(built, scene);
}

// category and mask let a body through
static void testMask(void **state)
{
    (void)state;
    for (int meets = 0; meets < 2; ++meets)
    {
        char text[1024];
        snprintf(text, sizeof text,
                 "{ \"verve\": 1, " CUBE "\"position\": [0, 0.25, 0], \"mask\": %d } ], \"colliders\": [ { \"shape\": "
                 "\"plane\", \"category\": 4 } ] }",
                 meets ? 4 : 3);
        Scene *scene;
        SceneWorld *built = start(text, &scene);
        for (int i = 0; i < 30; ++i)
            assert_int_equal(sceneStep(built).code, VV_OK);
        double y = vvSoftBody_GetPositions(sceneBody(built, 0))[1];
        assert_true(meets ? y > -0.2 : y < -1);
        finish(built, scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testShapes), cmocka_unit_test(testMeshFile), cmocka_unit_test(testPoses),
        cmocka_unit_test(testLift),   cmocka_unit_test(testMask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
