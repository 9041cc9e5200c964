// Vibrations die as their damping ratio says under every real-time method: a random grid of shapes, Poisson's ratios,
// thicknesses, modes, steps, frequencies and ratios.
#include "world/decay_grid.h"

#define SEED 1
#define CASES 400

static void vibrationsDieAsTheirRatioSays(void **state)
{
    (void)state;
    TestRandom random = { SEED };
    int failures = 0;
    for (int i = 0; i < CASES; ++i)
    {
        DecayCase c = decayDraw(&random, i, false);
        failures += !decayCheck(&c, true);
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(vibrationsDieAsTheirRatioSays) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
