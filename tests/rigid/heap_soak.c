// Heaps of rigid bodies stand for ten seconds.
#include "rigid/heaps.h"

#include <stdio.h>

static void check(const char *what, double drift, double most)
{
    printf("%-40s drifts by %.3g mm in 10 s\n", what, 1e3 * drift);
    CHECK_BELOW(drift, most);
}

static void testTenSeconds(void **state)
{
    (void)state;
    // 1 mm is what a stack may drift, a wall of 8 m too; a house of cards of 0.27 m a thousandth of that height
    check("tower of 10 boxes", towerDrift(10, 600), 1e-3);
    check("pyramid of 210 boxes", pyramidDrift(20, 600), 1e-3);
    check("house of 15 cards", cardDrift(600), 2.7e-4);
    check("1 kg on 18 capsules, 100 substeps", capsuleDrift(1, 0, 100, 600), 1e-3);
    check("100 kg on 18 capsules, rolling friction", capsuleDrift(100, 0.001, 100, 600), 1e-3);
    check("1000 kg on 18 capsules, rolling friction", capsuleDrift(1000, 0.001, 100, 600), 1e-3);
    check("1000 kg on 18 capsules, 100 substeps", capsuleDrift(1000, 0, 100, 600), 1e-3);
    check("1000 kg on 18 capsules, 50 substeps", capsuleDrift(1000, 0, 50, 600), 1e-3);
    check("100 kg on 18 capsules, 20 substeps", capsuleDrift(100, 0, 20, 600), 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testTenSeconds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
