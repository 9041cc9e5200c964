// 60 random tumbles at 2 to 10 m/s.
#include "rigid/tumbles.h"

static void testTumbles(void **state)
{
    (void)state;
    for (int seed = 0; seed < 60; ++seed)
    {
        double speed = 2 * (1 + seed % 5), deepest = runTumble(100 + seed, speed, 2 * speed, 120).deepest;
        print_message("tumble %d at %g m/s: %.3f of the smallest half-width\n", seed, speed, deepest);
        CHECK_BELOW(deepest, 0.2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testTumbles) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
