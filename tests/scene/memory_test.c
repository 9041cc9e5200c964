// Every allocation of reading and building a scene fails once: no crash, no leak, and the reason is memory.
#include "files.h"

#include "refuse.h"
#include "scene/scene.h"

#include <cjson/cJSON.h>

static int granted; // requests of cJSON that are still answered

static void *grant(size_t size)
{
    if (granted == 0)
        return NULL;
    granted -= 1;
    return malloc(size);
}

#define SMALL                                                                                                          \
    "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"box\", \"cells\": 1 }, \"material\": \"jelly\", "        \
    "\"pins\": [ { "                                                                                                   \
    "\"where\": { \"vertices\": [0] }, \"keyframes\": [ { \"time\": 1 } ] }, { \"where\": { \"vertices\": [7] }, "     \
    "\"stiffness\": 10 } ], \"forces\": [ { \"where\": { \"all\": true }, \"force\": [1, 0, 0] } ] } ] }"

static void testReading(void **state)
{
    (void)state;
    cJSON_Hooks hooks = { .malloc_fn = grant, .free_fn = free };
    static const char *const sets[] = { "bodies.0.material.young=2e4", "gravity.1=-5", "camera.eye=[0,0,1]" };
    Scene *scene = NULL;
    int count = 0;
    cJSON_InitHooks(&hooks);
    for (; scene == NULL && count < 10000; ++count)
    {
        vvResult result;
        granted = count;
        scene = sceneParse(SMALL, strlen(SMALL), "", sets, 3, &result);
        if (scene == NULL)
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
    }
    granted = 1000000;
    sceneDestroy(scene);
    assert_in_range(count, 100, 9999);
    char *schema = NULL;
    for (count = 0; schema == NULL && count < 10000; count += 7)
    {
        granted = count;
        schema = sceneSchema();
    }
    assert_non_null(schema);
    sceneFreeText(schema);
    cJSON_InitHooks(NULL);
}

static void testBuilding(void **state)
{
    (void)state;
    vvResult result;
    Scene *scene = sceneParse(SMALL, strlen(SMALL), "", NULL, 0, &result);
    assert_non_null(scene);
    SceneWorld *built = NULL;
    int left = 0, count = 0;
    SceneOptions options = { .threads = 1, .allocator = { refuseAfter, giveBack, &left } };
    for (; built == NULL && count < 10000; ++count)
    {
        left = count;
        built = sceneBuild(scene, &options, &result);
        if (built == NULL)
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
    }
    left = 1000000;
    assert_in_range(count, 10, 9999);
    assert_int_equal(sceneStep(built).code, VV_OK);
    sceneRelease(built);
    sceneDestroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testReading),
        cmocka_unit_test(testBuilding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
