// Random heaps of rigid bodies, a slice; heap_random_soak.c has more of them, for longer.
#include "rigid/random_checks.h"

static void testHeaps(void **state)
{
    (void)state;
    for (int seed = 0; seed < 12; ++seed)
        checkRandomHeap(seed, 90, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testHeaps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
