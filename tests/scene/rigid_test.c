// Rigid bodies and joints of a scene: built as in C, recorded, resumed, and refused where they contradict.
#define _XOPEN_SOURCE 700 // mkdtemp

#include "folders.h"
#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>

static SceneWorld *build(const char *text, Scene **scene, vvResult *result)
{
    *scene = sceneParse(text, strlen(text), "", NULL, 0, result);
    SceneWorld *built = *scene ? sceneBuild(*scene, NULL, result) : NULL;
    return built;
}

static const char machine[] =
    "{ \"verve\": 1, \"frames\": 5, \"integrator\": { \"rigidSubsteps\": 40 },"
    "  \"rigidBodies\": ["
    "    { \"shape\": \"plane\", \"kinematic\": true, \"offset\": -3 },"
    "    { \"name\": \"wheel\", \"shape\": \"capsule\", \"radius\": 0.2, \"length\": 0.5, \"mass\": 3 },"
    "    { \"name\": \"bob\", \"shape\": \"sphere\", \"radius\": 0.1, \"density\": 500, \"position\": [1, 0, 0] },"
    "    { \"name\": \"rock\", \"shape\": \"convex\", \"position\": [3, 0, 0], \"spin\": [0, 2, 0],"
    "      \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] } ],"
    "  \"joints\": ["
    "    { \"kind\": \"hinge\", \"b\": \"wheel\", \"point\": [0, 0, 0], \"axis\": [0, 0, 2], \"motor\": \"speed\","
    "      \"motorTarget\": 2, \"motorLimit\": 100 },"
    "    { \"kind\": \"distance\", \"a\": \"wheel\", \"b\": \"bob\", \"point\": [0, 0, 0], \"pointB\": [1, 0, 0] } ] }";

static void built(void **state)
{
    (void)state;
    Scene *scene;
    vvResult result;
    SceneWorld *world = build(machine, &scene, &result);
    if (world == NULL)
        fail_msg("%s", result.message);
    vvJointId joint[3];
    vvWorldId id = sceneWorldId(world);
    assert_int_equal(sceneRigidCount(world), 4);
    assert_int_equal(vvWorld_GetJoints(id, joint, 3), 2);
    CHECK_CLOSE(vvRigidBody_GetMass(sceneRigid(world, 1)), 3, 1e-12);
    CHECK_CLOSE(vvRigidBody_GetMass(sceneRigid(world, 2)), 500 * 4.0 / 3 * 3.14159265358979 * 0.001, 1e-9);
    for (int f = 0; f < 60; ++f)
        assert_int_equal(sceneStep(world).code, VV_OK);
    CHECK_NEAR(vvJoint_GetMeasure(joint[0], 3), 2, 0.05); // 2 rad/s for a second
    CHECK_NEAR(vvJoint_GetMeasure(joint[1], 0), 1, 1e-4); // it keeps its length
    sceneRelease(world);
    sceneDestroy(scene);
}

// of two balls that roll the one with rolling friction loses 5/7 of it times g in a second
static void rolls(void **state)
{
    (void)state;
    static const char balls[] = "{ \"verve\": 1, \"rigidBodies\": ["
                                "  { \"shape\": \"plane\", \"kinematic\": true },"
                                "  { \"shape\": \"sphere\", \"radius\": 0.5, \"position\": [0, 0.5, 0],"
                                "    \"velocity\": [1, 0, 0], \"spin\": [0, 0, -2] },"
                                "  { \"shape\": \"sphere\", \"radius\": 0.5, \"position\": [0, 0.5, 3],"
                                "    \"velocity\": [1, 0, 0], \"spin\": [0, 0, -2], \"rollingFriction\": 0.05 } ] }";
    Scene *scene;
    vvResult result;
    SceneWorld *world = build(balls, &scene, &result);
    if (world == NULL)
        fail_msg("%s", result.message);
    for (int f = 0; f < 60; ++f)
        assert_int_equal(sceneStep(world).code, VV_OK);
    CHECK_NEAR(vvRigidBody_GetVelocity(sceneRigid(world, 1)).x, 1, 0.01);
    CHECK_NEAR(vvRigidBody_GetVelocity(sceneRigid(world, 2)).x, 1 - 5.0 / 7 * 0.05 * 9.81, 0.02);
    sceneRelease(world);
    sceneDestroy(scene);
}

// ---- records --------------------------------------------------------------------------------------------------------

static char *readAll(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    *size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

// a record that was stopped and resumed has the bytes of one that was not
static void recorded(void **state)
{
    (void)state;
    char folder[64], path[512];
    folderNew(folder);
    char *bytes[2];
    size_t size[2];
    for (int stopped = 0; stopped < 2; ++stopped)
    {
        Scene *scene;
        vvResult result;
        SceneWorld *world = build(machine, &scene, &result);
        vvRecorderDef def = vvDefaultRecorderDef();
        def.folder = folder;
        def.formats = "pc2";
        vvRecorder *recorder = vvCreateRecorder(sceneWorldId(world), &def, &result);
        if (recorder == NULL)
            fail_msg("%s", result.message);
        for (int f = 0; f < 8; ++f)
        {
            assert_int_equal(vvRecorder_Add(recorder).code, VV_OK);
            if (stopped && f == 5)
            {
                vvRecorder_Close(recorder);
                def.resumeFrame = 5;
                recorder = vvCreateRecorder(sceneWorldId(world), &def, &result);
                if (recorder == NULL)
                    fail_msg("%s", result.message);
            }
            assert_int_equal(sceneStep(world).code, VV_OK);
        }
        assert_int_equal(vvRecorder_Close(recorder).code, VV_OK);
        sceneRelease(world);
        sceneDestroy(scene);
        snprintf(path, sizeof path, "%s/frames_rigid.csv", folder);
        bytes[stopped] = readAll(path, &size[stopped]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    int lines = 0;
    for (size_t i = 0; i < size[0]; ++i)
        lines += bytes[0][i] == '\n';
    assert_int_equal(lines, 9);
    assert_memory_equal(bytes[0], "frame,time,0.x,0.y,0.z,0.qw,0.qx,0.qy,0.qz,1.x", 46);
    free(bytes[0]);
    free(bytes[1]);
    folderRemove(folder);
}

// ---- mistakes -------------------------------------------------------------------------------------------------------

static void mistakes(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        // the list, its text, what the message says
        { "rigidBodies", "{ \"shape\": \"box\", \"radius\": 1 }", "rigidBodies[0].radius cannot be used" },
        { "rigidBodies", "{ \"shape\": \"plane\" }", "rigidBodies[0]: shape 0 of the body has no volume" },
        { "rigidBodies", "{ \"shape\": \"mesh\" }", "rigidBodies[0].file is missing" },
        { "rigidBodies", "{ \"shape\": \"figure\" }", "rigidBodies[0].shape" },
        { "rigidBodies", "{ \"name\": \"a\", \"shape\": \"box\" }, { \"name\": \"a\", \"shape\": \"box\" }",
          "rigidBodies[1].name is \"a\"" },
        { "joints", "{ \"kind\": \"ball\", \"b\": \"bax\", \"point\": [0, 0, 0] }", "joints[0].b is \"bax\"" },
        { "joints", "{ \"kind\": \"bull\", \"b\": \"box\", \"point\": [0, 0, 0] }", "joints[0].kind" },
        { "joints", "{ \"kind\": \"ball\", \"b\": \"box\", \"point\": [0, 0, 0], \"pointB\": [0, 0, 0] }",
          "joints[0].pointB cannot be used" },
        { "joints", "{ \"kind\": \"ball\", \"b\": \"box\", \"point\": [0, 0, 0], \"motor\": \"speed\" }",
          "joints[0]: " },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        char text[600];
        bool joint = strcmp(cases[i][0], "joints") == 0;
        snprintf(text, sizeof text, "{ \"verve\": 1, \"rigidBodies\": [ %s ], \"joints\": [ %s ] }",
                 joint ? "{ \"name\": \"box\", \"shape\": \"box\" }" : cases[i][1], joint ? cases[i][1] : "");
        Scene *scene;
        vvResult result;
        SceneWorld *world = build(text, &scene, &result);
        if (world != NULL || strstr(result.message, cases[i][2]) == NULL)
            fail_msg("'%s' says '%s', must say '%s'", cases[i][1], world ? "nothing" : result.message, cases[i][2]);
        sceneDestroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built),
        cmocka_unit_test(rolls),
        cmocka_unit_test(recorded),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
