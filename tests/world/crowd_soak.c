// Worlds of many bodies at length: the properties of crowd_test.c over many seeds, methods and numbers of bodies.
#include "crowd.h"

static const char *const methods[] = { "small-midpoint", "stabilized", "backward-euler", "small-steps",
                                       "implicit-midpoint" };

#define METHODS ((int)(sizeof methods / sizeof methods[0]))

static void sameBitsInManyWorlds(void **state)
{
    (void)state;
    for (int seed = 0; seed < 100; ++seed)
        checkSameBits((CrowdDef){ .seed = 100 + (unsigned)seed,
                                  .bodies = 2 + seed % 19,
                                  .method = methods[seed % METHODS],
                                  .softContact = seed % 4 != 0,
                                  .links = seed % 3 == 0,
                                  .room = 0.5 + 0.1 * (seed % 4),
                                  .sleepEnergy = seed % 2 ? 1e-3 : 0 },
                      60);
}

// a thousand bodies: the search between them does not look at all pairs
static void manyBodies(void **state)
{
    (void)state;
    CrowdDef crowd = {
        .seed = 1, .bodies = 1000, .threads = 2, .method = "small-midpoint", .softContact = true, .room = 0.8
    };
    vvWorldId world = makeCrowd(&crowd);
    assert_int_equal(stepCrowd(world, 30), VV_OK);
    vvDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sameBitsInManyWorlds),
        cmocka_unit_test(manyBodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
