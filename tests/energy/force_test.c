#include "check.h"
#include "energy/energy.h"

// A constant force: no force at first, then -f.x, and its work is f times the way, whatever the stage.
static void workIsForceTimesWay(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    const double rest[6] = { 0, 0, 0, 1, 0, 0 }, way[6] = { 1, 1, 1, 0.5, -2, 4 };
    double gradient[6] = { 0 };
    Recipe recipe = { .rest = rest };
    Energy *energy = energyCreate(&memory, &forceKind, 2, 2, NULL, &recipe);
    assert_non_null(energy);
    assert_true(energyValue(energy, way) == 0 && energyWork(energy, rest, way) == 0);
    for (int a = 0; a < 3; ++a)
        energySetParam(energy, 1, 1 + a, 2 + a);
    energyAddGradient(energy, rest, gradient);
    for (int i = 0; i < 6; ++i)
        CHECK_NEAR(gradient[i], i < 3 ? 0 : -(2.0 + i - 3), 0);
    CHECK_NEAR(energyWork(energy, rest, way), 2 * 0.5 - 3 * 2 + 4 * 4, 0); // whole numbers: exact
    CHECK_NEAR(energyWork(energy, way, way), 11, 0);
    // the potential falls by what is booked as work
    CHECK_NEAR(energyValue(energy, way), -11, 0);
    energyDestroy(energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(workIsForceTimesWay) };
    return cmocka_run_group_tests_name("force", tests, NULL, NULL);
}
