// A column of 100,000 particles at rest in a tank.
#include "tank.h"

static void testColumnOfManyParticles(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    FluidSettings settings = fluidDefaults(3);
    Fluid *fluid = makeBlock(&memory, &settings, 46, 48, 46);
    double height = 48 * settings.spacing, width = 46 * settings.spacing, mean = 0, volume = 0;
    Tank tank = { { 0, 0, 0 }, { width, FAR_AWAY, width } };
    FluidMotion motion = tankMotion(&tank, 1 / 60.0);
    motion.workers = workersCreate(&memory, 2, NULL);
    FluidBooks books = { 0 };
    for (int step = 0; step < 120; ++step)
    {
        assert_true(fluidStep(fluid, &motion, &books));
        if (step < 60)
            continue;
        mean += fluid->meanCompression / 60;
        volume += 2 * meanOf(fluid->position, fluid->count).y / height / 60;
    }
    print_message("%d particles: mean compression %.4f, volume %.4f\n", fluid->count, mean, volume);
    CHECK_BELOW(mean, 0.03);
    CHECK_NEAR(volume, 1, 0.05);
    workersDestroy(motion.workers);
    fluidDestroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testColumnOfManyParticles) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
