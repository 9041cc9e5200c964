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

static void testBagsUnderMethodsWithForces(void **state)
{
    (void)state;
    const char *const methods[] = { "small-midpoint", "small-steps", "backward-euler", "stabilized" };
    for (int m = 0; m < 4; ++m)
    {
        Bag bag = makeBag(methods[m], 1, false);
        double sum = 0;
        for (int step = 0; step < 180; ++step)
        {
            CHECK_OK(vvWorld_Step(bag.world, STEP));
            sum += step >= 60 ? pinForce(bag.sheet) / 120 : 0;
        }
        CHECK_NEAR(sum / weightOf(&bag), 1, 0.05);
        CHECK_BELOW(vvWorld_GetLedger(bag.world).kinetic, 0.01);
        assert_int_equal(countLeaks(bag.fluid, bag.sheet), 0);
        vvDestroyWorld(bag.world);
    }
}

// Under pbd a sheet is a trampoline: it throws 1.5 J of falling water back with 4 J. Two of 108 particles fly over its
// rim, 20 cm high, and fall; a tenth of them would be a bag that does not hold. Nothing goes through, and what stays
// comes to rest.
static void testBagUnderPbd(void **state)
{
    (void)state;
    Bag bag = makeBag("pbd", 1, false);
    for (int step = 0; step < 180; ++step)
    {
        CHECK_OK(vvWorld_Step(bag.world, STEP));
        assert_int_equal(countUnder(bag.fluid, bag.sheet), 0);
    }
    CHECK_BELOW(countLeaks(bag.fluid, bag.sheet), vvFluid_GetCount(bag.fluid) / 10);
    const double *p = vvFluid_GetPositions(bag.fluid), *v = vvFluid_GetVelocities(bag.fluid);
    double stays = 0; // J
    for (int i = 0; i < vvFluid_GetCount(bag.fluid); ++i)
    {
        double square = v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2];
        bool inside = highestAt(bag.sheet, p[3 * i], p[3 * i + 2]) > -1e30;
        stays += inside ? vvFluid_GetParticleMass(bag.fluid) / 2 * square : 0;
    }
    CHECK_BELOW(stays, 0.01);
    vvDestroyWorld(bag.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testNothingLeaksThroughACloth),
        cmocka_unit_test(testBagsUnderMethodsWithForces),
        cmocka_unit_test(testBagUnderPbd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
