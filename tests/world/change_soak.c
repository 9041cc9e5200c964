// 10,000 random splits, cuts and removals of sheets, solids and ropes under six methods, in short runs and in long ones
// that leave little of a body: each keeps mass, momenta and the books, and from between any two a state comes back with
// the same bits, in the same world and in one with three threads.
#include "changes.h"

#include <stdio.h>

#define CHANGES 10000

static void manyChanges(void **unused)
{
    (void)unused;
    int changes = 0;
    for (unsigned seed = 100; changes < CHANGES; seed += 100)
    {
        for (int k = 0; k < METHODS * SHAPES; ++k)
        {
            int frames = (seed / 100 + (unsigned)k) % 7 == 0 ? 41 : 9;
            changes += run(methods[k / SHAPES], k % SHAPES, seed + (unsigned)k, frames);
        }
    }
    printf("%d changes\n", changes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(manyChanges) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
