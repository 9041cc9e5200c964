// Heaps of rigid bodies stand: the first second or two. heap_soak.c has ten.
#include "rigid/heaps.h"

#define UNSEEN 1e-4 // m in a second: 1 mm in ten

static void testTower(void **state)
{
    (void)state;
    CHECK_BELOW(towerDrift(10, 120), 2 * UNSEEN);
}

static void testPyramid(void **state)
{
    (void)state;
    CHECK_BELOW(pyramidDrift(8, 60), UNSEEN);
}

static void testCards(void **state)
{
    (void)state;
    CHECK_BELOW(cardDrift(120), 2 * UNSEEN); // without memory of the last step: 0.3 m
}

static void testCapsules(void **state)
{
    (void)state;
    CHECK_BELOW(capsuleDrift(1, 0, 20, 60), UNSEEN);
    // a ton on rollers of 1 kg, which nothing holds
    CHECK_BELOW(capsuleDrift(1000, 0, 100, 60), UNSEEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testTower),
        cmocka_unit_test(testPyramid),
        cmocka_unit_test(testCards),
        cmocka_unit_test(testCapsules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
