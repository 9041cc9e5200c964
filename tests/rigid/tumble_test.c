// What tumbles at some m/s does not sink into each other: contacts are found anew within a step. tumble_soak.c has
// more.
#include "rigid/tumbles.h"

static void testTumbles(void **state)
{
    (void)state;
    for (int seed = 0; seed < 2; ++seed)
    {
        double deepest = runTumble(seed, 5, 8, 36).deepest;
        print_message("tumble %d: %.3f of the smallest half-width\n", seed, deepest);
        CHECK_BELOW(deepest, 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testTumbles) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
