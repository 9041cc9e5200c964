// The whole table of filled rods: 3 % by eight cells across, or by the model smoothed and four, whatever the method.
#include "lab/calibrate_bodies.h"

static void rodsHaveTheirModulus(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "small-midpoint", "implicit-midpoint", "small-steps" };
    for (int i = 0; i < 3; ++i)
    {
        int substeps = i == 2 ? 80 : 6;
        Calibration fine = calibrateFilled(8, "corotated", methods[i], 1.0 / 60, substeps);
        checkModulus(&fine);
        if (i == 2) // takes smoothed as corotated
            continue;
        Calibration smoothed = calibrateFilled(4, "smoothed", methods[i], 1.0 / 60, substeps);
        checkModulus(&smoothed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rodsHaveTheirModulus) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
