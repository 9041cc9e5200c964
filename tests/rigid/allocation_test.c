// Rigid bodies with each allocation failing once: the call is refused for want of memory, the state stays, and the
// world goes on.
#include "refuse.h"
#include "rigid/rigid_scenes.h"

#include <limits.h>

static int left; // requests that are granted

static vvWorldId begin(void)
{
    left = INT_MAX;
    vvWorldDef def = vvDefaultWorldDef();
    def.allocator = (vvAllocator){ refuseAfter, giveBack, &left };
    vvWorldId world = vvCreateWorld(&def, NULL);
    addGround(world, 0.5, 0);
    return world;
}

static vvResult create(vvWorldId world, vvShape *shape, double x)
{
    vvRigidBodyDef def = vvDefaultRigidBodyDef();
    def.shape = shape;
    def.position = (vvVec3){ x, 0.5, 0 };
    vvResult result;
    vvCreateRigidBody(world, &def, &result);
    return result;
}

static void testCreation(void **state)
{
    (void)state;
    vvShape *shape = boxShape((vvVec3){ 1, 1, 1 });
    for (int granted = 0;; ++granted)
    {
        vvWorldId world = begin();
        uint64_t hash = vvWorld_GetHash(world);
        left = granted;
        vvResult result = create(world, shape, 0);
        left = INT_MAX;
        if (result.code == VV_OK)
        {
            assert_true(granted > 1);
            vvDestroyWorld(world);
            break;
        }
        assert_int_equal(result.code, VV_OUT_OF_MEMORY);
        assert_true(vvWorld_GetHash(world) == hash);
        assert_int_equal(vvWorld_GetRigidBodies(world, NULL, 0), 0);
        CHECK_OK(create(world, shape, 0));
        steps(world, 2);
        vvDestroyWorld(world);
    }
    vvDestroyShape(shape);
}

static void testStep(void **state)
{
    (void)state;
    vvShape *shape = boxShape((vvVec3){ 1, 1, 1 });
    uint64_t want = 0;
    for (int granted = INT_MAX, fails = -1;; granted = ++fails)
    {
        vvWorldId world = begin();
        for (int i = 0; i < 20; ++i)
            CHECK_OK(create(world, shape, 1.001 * i));
        uint64_t hash = vvWorld_GetHash(world);
        left = granted;
        vvResult result = vvWorld_Step(world, 1.0 / 60);
        bool done = result.code == VV_OK && fails >= 0;
        left = INT_MAX;
        if (result.code != VV_OK)
        {
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
            assert_true(vvWorld_GetHash(world) == hash);
            steps(world, 1);
        }
        want = fails < 0 ? vvWorld_GetHash(world) : want;
        assert_true(vvWorld_GetHash(world) == want);
        vvDestroyWorld(world);
        if (done)
        {
            assert_true(fails > 3);
            break;
        }
    }
    vvDestroyShape(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testCreation),
        cmocka_unit_test(testStep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
