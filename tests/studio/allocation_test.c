// Every allocation of a scene, its world and a picture of it fails once: no crash, no leak, and the reason is memory.
#include "check.h"
#include "refuse.h"

#include <verve/studio.h>

#include <string.h>

#define WIDTH 32
#define HEIGHT 24

static const char text[] = "{\"verve\": 1, \"bodies\": [{\"mesh\": {\"shape\": \"box\", \"cells\": [1, 1, 1]}},"
                           "{\"mesh\": {\"shape\": \"rope\", \"cells\": [3, 1, 1]}, \"position\": [3, 0, 0]}],"
                           "\"colliders\": [{\"shape\": \"plane\", \"offset\": -2}, {\"shape\": \"sphere\","
                           "\"position\": [0, -2, 0]}],"
                           "\"rigidBodies\": [{\"shape\": \"box\", \"position\": [0, 9, 0]}],"
                           "\"fluids\": [{\"spacing\": 0.2, \"blocks\": [{\"box\": [[4, 0, 0], [5, 1, 1]]}]}]}";

typedef struct Purse
{
    int left;   // requests until one is refused; those after it are granted again
    int blocks; // in use
} Purse;

static void *take(size_t size, size_t alignment, void *userData)
{
    Purse *purse = userData;
    int one = 1;
    void *memory = --purse->left == -1 ? NULL : refuseAfter(size, alignment, &one);
    purse->blocks += memory != NULL;
    return memory;
}

static void give(void *memory, size_t size, void *userData)
{
    Purse *purse = userData;
    purse->blocks -= 1;
    giveBack(memory, size, NULL);
}

static void check(const Purse *purse, bool made, const vvResult *result)
{
    if (!made && result->code != VV_OUT_OF_MEMORY)
        fail_msg("%s", result->message);
    assert_true(made || purse->left < 0);
}

static vvScene *read(vvAllocator hook, vvResult *result)
{
    vvSceneDef def = vvDefaultSceneDef();
    def.text = text;
    def.allocator = hook;
    return vvCreateScene(&def, result);
}

static void scenesAndWorlds(void **state)
{
    (void)state;
    Purse purse = { .left = 0 };
    vvAllocator hook = { take, give, &purse };
    vvResult result;
    vvScene *scene = NULL;
    for (int count = 0; scene == NULL; ++count)
    {
        purse = (Purse){ .left = count };
        scene = read(hook, &result);
        check(&purse, scene != NULL, &result);
        assert_true(scene != NULL || purse.blocks == 0);
    }
    int ofScene = purse.blocks;
    vvSceneWorldDef def = vvDefaultSceneWorldDef();
    def.allocator = hook;
    vvSceneWorld *world = NULL;
    for (int count = 0; world == NULL; ++count)
    {
        purse.left = count;
        world = vvCreateSceneWorld(scene, &def, &result);
        check(&purse, world != NULL, &result);
        assert_true(world != NULL || purse.blocks == ofScene);
        assert_true(count < 5000);
    }
    purse.left = 1 << 30;
    vvDestroyScene(scene);
    assert_int_equal(vvSceneWorld_Step(world).code, VV_OK);
    vvDestroySceneWorld(world);
    assert_int_equal(purse.blocks, 0);
}

static void pictures(void **state)
{
    (void)state;
    uint8_t rgba[4 * WIDTH * HEIGHT];
    vvResult result;
    vvScene *scene = read((vvAllocator){ 0 }, &result);
    vvSceneWorld *world = vvCreateSceneWorld(scene, NULL, &result);
    Purse purse;
    vvPictureDef def = vvDefaultPictureDef();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.colouring = VV_COLOUR_SPEED;
    def.caption = "all";
    def.allocator = (vvAllocator){ take, give, &purse };
    bool made = false;
    int count = 0;
    for (; !made; ++count)
    {
        purse = (Purse){ .left = count };
        result = vvWorld_Paint(vvSceneWorld_GetWorld(world), &def, rgba, sizeof rgba);
        made = result.code == VV_OK && purse.left >= 0;
        if (result.code != VV_OK)
            check(&purse, false, &result);
        assert_int_equal(purse.blocks, 0);
        assert_true(count < 5000);
    }
    assert_true(count > 40);
    vvDestroySceneWorld(world);
    vvDestroyScene(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(scenesAndWorlds), cmocka_unit_test(pictures) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
