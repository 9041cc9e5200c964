// Ten thousand random splits, cuts and removals, in chains of ten.
#include "mesh/changes.h"

static void manyChanges(void **state)
{
    (void)state;
    int changes = 0;
    for (int seed = 0; changes < 10000; ++seed)
        changes += changeChain(seed, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(manyChanges) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
