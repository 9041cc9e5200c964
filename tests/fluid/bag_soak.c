// Nothing leaks through a cloth that is shaken with water in it (through a closed mesh: vessel_soak.c); and bags under
// all methods.
#include "bag.h"

#define SHAKEN 0.01 // m

static void moveRim(const Bag *bag, const double *rest, double time)
{
    double along = SHAKEN * sin(6 * time), up = SHAKEN * sin(10 * time);
    for (int v = 0; v < vvSoftBody_GetVertexCount(bag->sheet); ++v)
    {
        vvVec3 target = { rest[3 * v] + along, rest[3 * v + 1] + up, rest[3 * v + 2] };
        if (vvSoftBody_IsPinned(bag->sheet, v))
            CHECK_OK(vvSoftBody_MovePin(bag->sheet, v, target));
    }
}

static void testNothingLeaksThroughACloth(void **state)
{
    (void)state;
    Bag bag = makeBag("small-midpoint", 1, false);
    double rest[3 * 2000];
    memcpy(rest, vvSoftBody_GetPositions(bag.sheet), 3 * (size_t)vvSoftBody_GetVertexCount(bag.sheet) * sizeof *rest);
    for (int step = 0; step < 10000; ++step)
    {
        moveRim(&bag, rest, step * STEP);
        CHECK_OK(vvWorld_Step(bag.world, STEP));
        if (step % 100 == 99)
        {
            assert_int_equal(countLeaks(bag.fluid, bag.sheet), 0);
            CHECK_BELOW(vvWorld_GetLedger(bag.world).kinetic, 2);
        }
    }
    vvDestroyWorld(bag.world);
}

static void testBagsUnderAllMethods(void **state)
{
    (void)state;
    const char *const methods[] = { "small-midpoint", "small-steps", "backward-euler", "stabilized", "pbd" };
    for (int m = 0; m < 5; ++m)
    {
        Bag bag = makeBag(methods[m], 1, false);
        double sum = 0;
        for (int step = 0; step < 180; ++step)
        {
            CHECK_OK(vvWorld_Step(bag.world, STEP));
            sum += step >= 60 ? pinForce(bag.sheet) / 120 : 0;
        }
        if (m < 4) // pbd has no forces
            CHECK_NEAR(sum / weightOf(&bag), 1, 0.05);
        CHECK_BELOW(vvWorld_GetLedger(bag.world).kinetic, 0.01);
        assert_int_equal(countLeaks(bag.fluid, bag.sheet), 0);
        vvDestroyWorld(bag.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testNothingLeaksThroughACloth),
        cmocka_unit_test(testBagsUnderAllMethods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
