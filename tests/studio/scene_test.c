// Scenes by the public door: what is refused and how, lifetimes, and that a world of a scene takes the tool's steps.
#include "check.h"
#include "scene/scene.h"

#include <verve/studio.h>

#include <stdio.h>
#include <string.h>

static const char text[] = "{\"verve\": 1, \"name\": \"two\", \"frames\": 7, \"timestep\": 0.02, \"bodies\": ["
                           "{\"name\": \"left\", \"mesh\": {\"shape\": \"box\", \"cells\": [1, 1, 1]}},"
                           "{\"name\": \"right\", \"mesh\": {\"shape\": \"box\", \"cells\": [1, 1, 1]},"
                           " \"position\": [3, 0, 0]}],"
                           "\"rigidBodies\": [{\"name\": \"ball\", \"shape\": \"sphere\", \"position\": [0, 9, 0]}]}";

static vvScene *sceneOfText(const char *const *sets, int setCount, vvResult *result)
{
    vvSceneDef def = vvDefaultSceneDef();
    def.text = text;
    def.sets = sets;
    def.setCount = setCount;
    return vvCreateScene(&def, result);
}

static void saysWhatItRead(void **state)
{
    (void)state;
    vvResult result;
    vvScene *scene = sceneOfText((const char *[]){ "frames=9", "integrator.method=verlet" }, 2, &result);
    assert_non_null(scene);
    assert_string_equal(vvScene_GetName(scene), "two");
    assert_string_equal(vvScene_GetMethod(scene), "verlet");
    assert_int_equal(vvScene_GetFrames(scene), 9);
    CHECK_NEAR(vvScene_GetTimestep(scene), 0.02, 0);
    char *whole = vvScene_CreateText(scene);
    assert_non_null(strstr(whole, "\"frames\": 9"));
    vvDestroyText(whole);
    vvCamera camera = { .fieldOfView = 7 };
    assert_false(vvScene_GetCamera(scene, &camera));
    CHECK_NEAR(camera.fieldOfView, 7, 0);
    vvDestroyScene(scene);
}

static void refusesWithARemedy(void **state)
{
    (void)state;
    vvResult result;
    vvSceneDef def = vvDefaultSceneDef();
    assert_null(vvCreateScene(&def, &result));
    assert_int_equal(result.code, VV_BAD_INPUT);
    def.file = def.text = text;
    assert_null(vvCreateScene(&def, &result));
    assert_null(vvCreateScene(NULL, &result));
    assert_null(vvCreateScene(&(vvSceneDef){ .text = text }, &result)); // no cookie
    assert_null(sceneOfText((const char *[]){ NULL }, 1, &result));
    assert_null(sceneOfText(NULL, 3, &result));
    assert_null(sceneOfText((const char *[]){ "bodies.1.material.young=-1" }, 1, &result));
    assert_non_null(strstr(result.message, "bodies[1].material.young"));
    assert_true(result.remedy[0] != 0);
    def = vvDefaultSceneDef();
    def.file = "swign";
    assert_null(vvCreateScene(&def, &result));
    assert_int_equal(result.code, VV_INPUT_OUTPUT);
    assert_non_null(strstr(result.remedy, "swing"));
    assert_null(vvCreateSceneWorld(NULL, NULL, &result));
    assert_int_equal(vvSceneWorld_Step(NULL).code, VV_BAD_INPUT);
    assert_int_equal(vvScene_GetFrames(NULL), 0);
}

// the world lives on without the scene that it came from, and its bodies are found by their names
static void worldKeepsItsScene(void **state)
{
    (void)state;
    vvResult result;
    vvScene *scene = sceneOfText(NULL, 0, &result);
    vvSceneWorld *built = vvCreateSceneWorld(scene, NULL, &result);
    vvDestroyScene(scene);
    assert_int_equal(vvSceneWorld_Step(built).code, VV_OK);
    vvWorldId world = vvSceneWorld_GetWorld(built);
    CHECK_NEAR(vvWorld_GetTime(world), 0.02, 1e-15);
    vvSoftBodyId right = vvSceneWorld_FindBody(built, "right"), second = vvSceneWorld_GetBody(built, 1);
    assert_memory_equal(&right, &second, sizeof right);
    assert_false(vvSoftBody_IsValid(vvSceneWorld_FindBody(built, "middle")));
    assert_false(vvSoftBody_IsValid(vvSceneWorld_GetBody(built, 2)));
    assert_false(vvSoftBody_IsValid(vvSceneWorld_GetBody(built, -1)));
    assert_true(vvRigidBody_IsValid(vvSceneWorld_FindRigidBody(built, "ball")));
    assert_string_equal(vvSceneWorld_GetRigidName(built, 0), "ball");
    assert_false(vvCollider_IsValid(vvSceneWorld_GetCollider(built, 0)));
    vvDestroyWorld(world); // not ours to destroy, but no crash
    assert_int_equal(vvSceneWorld_Step(built).code, VV_BAD_ID);
    vvDestroySceneWorld(built);
    assert_false(vvWorld_IsValid(world));
}

// every keyframe and force included: the same bits as the room's own functions, which the tool calls
static void stepsAsTheTool(void **state)
{
    (void)state;
    vvResult result;
    char name[256];
    int seen = 0;
    for (int i = 0; vvGetSceneName(SOURCE_FOLDER "/scenes", i, name, sizeof name); ++i)
    {
        seen += 1;
        if (i % 16 != 3)
            continue;
        char path[1024];
        snprintf(path, sizeof path, SOURCE_FOLDER "/scenes/%s.json", name);
        vvSceneDef def = vvDefaultSceneDef();
        def.file = path;
        vvScene *scene = vvCreateScene(&def, &result);
        vvSceneWorld *built = vvCreateSceneWorld(scene, NULL, &result);
        Scene *other = sceneRead(path, false, NULL, 0, &result);
        SceneWorld *twin = sceneBuild(other, NULL, &result);
        for (int k = 0; k < 2; ++k)
            assert_int_equal(vvSceneWorld_Step(built).code, sceneStep(twin).code);
        assert_true(vvWorld_GetHash(vvSceneWorld_GetWorld(built)) == vvWorld_GetHash(sceneWorldId(twin)));
        sceneRelease(twin);
        sceneDestroy(other);
        vvDestroySceneWorld(built);
        vvDestroyScene(scene);
    }
    assert_true(seen > 30);
    assert_false(vvGetSceneName(SOURCE_FOLDER "/scenes", -1, name, sizeof name));
    assert_false(vvGetSceneName("/nowhere/at/all", 0, name, sizeof name));
    assert_false(vvGetSceneName(SOURCE_FOLDER "/scenes", 0, name, 2)); // no room
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saysWhatItRead),
        cmocka_unit_test(refusesWithARemedy),
        cmocka_unit_test(worldKeepsItsScene),
        cmocka_unit_test(stepsAsTheTool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
