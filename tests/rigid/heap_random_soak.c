// 220 random heaps of rigid bodies, 10 s each.
#include "rigid/random_checks.h"

static void testHeaps(void **state)
{
    (void)state;
    for (int seed = 0; seed < 220; ++seed)
        checkRandomHeap(seed, 600, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testHeaps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
