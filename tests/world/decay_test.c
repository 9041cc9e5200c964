// A slice of decay_soak.c: vibrations die as their damping ratio says, momenta stay, and what was lost is booked.
#include "world/decay_grid.h"

#define SEED 17
#define CASES 14

static void vibrationsDieAsTheirRatioSays(void **state)
{
    (void)state;
    TestRandom random = { SEED };
    for (int i = 0; i < CASES; ++i)
    {
        DecayCase c = decayDraw(&random, i, true);
        decayCheck(&c, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(vibrationsDieAsTheirRatioSays) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
