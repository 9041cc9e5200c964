// Thirty random bodies, free and held, under five methods: see vibration_bodies.h.
#include "tool/vibration_bodies.h"

static void frequenciesAreThoseThatAreCounted(void **unused)
{
    (void)unused;
    for (unsigned number = 100; number < 130; ++number)
        checkCase(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(frequenciesAreThoseThatAreCounted) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
