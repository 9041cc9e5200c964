#include "vessel.h"

static void testNothingLeaksThroughAClosedMesh(void **state)
{
    (void)state;
    assert_int_equal(shakeVessel(5, 10000), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(testNothingLeaksThroughAClosedMesh) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
