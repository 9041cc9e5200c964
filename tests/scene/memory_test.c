// Every allocation of reading and building a scene fails once: no crash, no leak, and the reason is memory.
#include "files.h"

#include "refuse.h"
#include "scene/scene.h"

#define SMALL                                                                                                          \
    "{ \"verve\": 1, \"bodies\": [ { \"mesh\": { \"shape\": \"box\", \"cells\": 1 }, \"material\": \"jelly\", "        \
    "\"pins\": [ { "                                                                                                   \
    "\"where\": { \"vertices\": [0] }, \"keyframes\": [ { \"time\": 1 } ] }, { \"where\": { \"vertices\": [7] }, "     \
    "\"stiffness\": 10 } ], \"forces\": [ { \"where\": { \"all\": true }, \"force\": [1, 0, 0] } ] } ], "              \
    "\"colliders\": [ { \"shape\": \"sphere\", \"radius\": 1, \"position\": [0, -2, 0], "                              \
    "\"keyframes\": [ { \"time\": 1 }, { \"time\": 2, \"rotate\": [0, 9, 0] } ] } ] }"

// `user`: one request is refused when it has come down to 0; those before and after are granted, so that a failure that
// was overlooked is not made good by the next one
static void *refuseOnce(size_t size, size_t alignment, void *userData)
{
    int *left = userData, all = 1;
    *left -= 1;
    return *left == -1 ? NULL : refuseAfter(size, alignment, &all);
}

// A tree takes memory in blocks. A description that gets longer moves the end of a block over every value of the scene,
// so that each of them once is the one that finds none.
static void testReading(void **state)
{
    (void)state;
    static const char *const sets[] = { "bodies.0.material.young=2e4", "gravity.1=-5", "camera.eye=[0,0,1]", "name=a" };
    enum
    {
        BLOCK = 4096,
        STEP = 8 // bytes: no string takes less
    };
    char text[BLOCK + sizeof SMALL + 64];
    int left, refusals = 0;
    vvAllocator hook = { refuseOnce, giveBack, &left };
    for (int turn = 0; turn < 2 * BLOCK / STEP; ++turn)
    {
        int length = turn / 2 * STEP, setCount = turn % 2 * 4;
        snprintf(text, sizeof text, "{ \"description\": \"%0*d\", %s", length + 1, 0, &SMALL[2]);
        Scene *scene = NULL;
        for (int count = 0; scene == NULL; ++count)
        {
            vvResult result;
            left = count;
            scene = sceneParseIn(&hook, text, strlen(text), "", sets, setCount, &result);
            assert_int_equal(result.code, left < 0 ? VV_OUT_OF_MEMORY : VV_OK);
            refusals += left < 0;
            assert_true(count < 100);
        }
        sceneDestroy(scene);
    }
    assert_true(refusals > 8 * BLOCK / STEP);
}

static void testSchema(void **state)
{
    (void)state;
    char *schema = NULL;
    int left;
    vvAllocator hook = { refuseOnce, giveBack, &left };
    for (int count = 0; schema == NULL; ++count)
    {
        left = count;
        schema = sceneSchema(&hook);
        assert_true((schema == NULL) == (left < 0));
        assert_true(count < 10000);
    }
    sceneFreeText(schema);
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
        cmocka_unit_test(testSchema),
        cmocka_unit_test(testBuilding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
