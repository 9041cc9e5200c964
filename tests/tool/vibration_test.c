// The frequencies that calibrate and the summary of a run tell, against those that are counted. The soak has more
// bodies.
#include "tool/vibration_bodies.h"

static void frequenciesAreThoseThatAreCounted(void **unused)
{
    (void)unused;
    for (unsigned number = 102; number < 106; ++number)
        checkCase(number);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(frequenciesAreThoseThatAreCounted) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
