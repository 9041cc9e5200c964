// Bodies whose mesh changes while they run: over real-time methods and sheets, solids and ropes, every change keeps
// mass and momenta and closes the books, states from between any two changes come back with the same bits in the same
// world and in another with another number of threads, and refused memory changes nothing.
#include "changes.h"
#include "refuse.h"

#define FRAMES 9

static void changesKeepWhatTheyMust(void **unused)
{
    (void)unused;
    for (int m = 0; m < METHODS; ++m)
    {
        for (int shape = 0; shape < SHAPES; ++shape)
        {
            run(methods[m], shape, (unsigned)(10 * m + shape), FRAMES);
        }
    }
}

// ---- refusals -------------------------------------------------------------------------------------------------------

static void refusedMemoryChangesNothing(void **unused)
{
    (void)unused;
    int left = -1;
    bool whole = false;
    for (int grant = 0; !whole; grant += refusedApart())
    {
        left = -1;
        vvWorldDef def = vvDefaultWorldDef();
        def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
        vvWorldId world = vvCreateWorld(&def, NULL);
        vvSoftBodyDef bodyDef = elasticDef(800, 2e5, 0.3);
        bodyDef.model = "triangle";
        bodyDef.material.thickness = 0.002;
        vvSoftBodyId body = makeBody(world, vvCreateSheetMesh(1, 1, 3, 3), bodyDef);
        attachToPoint(world, body, 1, 10);
        CHECK_OK(vvWorld_Step(world, 1.0 / 128));
        uint64_t hash = vvWorld_GetHash(world);
        int edges[4] = { 4, 5, 5, 6 };
        left = grant;
        vvResult result = vvSoftBody_Split(body, edges, 2);
        left = -1;
        whole = result.code == VV_OK;
        if (!whole)
        {
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
            assert_int_equal(vvWorld_GetHash(world), hash);
            assert_int_equal(vvSoftBody_GetChangeCount(body), 0);
        }
        CHECK_OK(vvWorld_Step(world, 1.0 / 128));
        vvDestroyWorld(world);
    }
}

static void badInputIsRefused(void **unused)
{
    (void)unused;
    Scene scene = makeScene("small-midpoint", 0, 1);
    uint64_t hash = vvWorld_GetHash(scene.world);
    int bad[2] = { 0, 1000000 }, element = 1000000;
    vvBlade blade = { .before = { { NAN, 0, 0 }, { 0, 0, 0 } } };
    assert_int_equal(vvSoftBody_Split(scene.body, bad, 1).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Split(scene.body, NULL, 1).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Split(scene.body, bad, -1).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Remove(scene.body, &element, 1).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Cut(scene.body, &blade).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Cut(scene.body, NULL).code, VV_BAD_INPUT);
    assert_int_equal(vvSoftBody_Split((vvSoftBodyId){ 0, 0, 0 }, bad, 1).code, VV_BAD_ID);
    assert_int_equal(vvSoftBody_GetChangeCount(scene.body), 0);
    assert_int_equal(vvWorld_GetHash(scene.world), hash);
    vvDestroyWorld(scene.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(badInputIsRefused),
        cmocka_unit_test(refusedMemoryChangesNothing),
        cmocka_unit_test(changesKeepWhatTheyMust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
