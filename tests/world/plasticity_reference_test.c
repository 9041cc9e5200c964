// Bodies that yield against closed forms: a pull along one axis, its creep, limit and volume, and a bar that springs
// back.
#include "world/pulled.h"
#include "world/springback.h"

// that follow a load at rest exactly; the default method, which takes longer, is in plasticity_soak.c
static const char *const methods[] = { "backward-euler", "implicit-midpoint", "stabilized" };

static void pullFollowsTwoSlopes(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
        checkSlopes(methods[i]);
}

// beyond the limit the body is elastic again
static void limitHolds(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
        checkLimit(methods[i]);
}

static void creepHasItsRate(void **state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
        checkCreep(methods[i]);
}

static void barSpringsBack(void **state)
{
    (void)state;
    double want = bentStays(4 * BENT_FIRST), got = bentMeasure("corotated", 4 * BENT_FIRST, 48, 12, 0.025);
    print_message("bent to 4 times the first yield: %.4f stays, closed form %.4f\n", got, want);
    CHECK_NEAR(got, want, 0.05 * want);
    CHECK_NEAR(1 - got, 1 - want, 0.05 * (1 - want));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pullFollowsTwoSlopes),
        cmocka_unit_test(limitHolds),
        cmocka_unit_test(creepHasItsRate),
        cmocka_unit_test(barSpringsBack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
