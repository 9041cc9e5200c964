// Principal axes: they give the tensor back, in a right-handed frame, and leave symmetric frames alone.
#include "check.h"
#include "rigid/rigid.h"

static void testGivesTheTensorBack(void **state)
{
    (void)state;
    TestRandom r = { 11 };
    for (int trial = 0; trial < 200; ++trial)
    {
        // a body of points, some of them in a plane or on a line
        MassProperties of = { .mass = 1, .volume = 1 };
        int flat = trial % 3;
        for (int p = 0; p < 5; ++p)
        {
            double x[3];
            for (int i = 0; i < 3; ++i)
                x[i] = i < 3 - flat ? randomBetween(&r, -1, 1) : 0.5 * x[0];
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j)
                    of.inertia.m[i][j] += (i == j ? x[0] * x[0] + x[1] * x[1] + x[2] * x[2] : 0) - x[i] * x[j];
        }
        Vec3 inertia;
        vvQuat rotation;
        rigidPrincipal(&of, &inertia, &rotation);
        Mat3 axes = quatMatrix(rotation), half = axes;
        for (int i = 0; i < 3; ++i)
        {
            half.m[i][0] *= inertia.x;
            half.m[i][1] *= inertia.y;
            half.m[i][2] *= inertia.z;
        }
        Mat3 back = matMultiplyTransposed(&half, &axes);
        for (int k = 0; k < 9; ++k)
            CHECK_NEAR(back.m[k / 3][k % 3], of.inertia.m[k / 3][k % 3], 1e-13);
    }
}

static void testKeepsDiagonalFrames(void **state)
{
    (void)state;
    MassProperties of = { .mass = 1, .inertia = { { { 3, 0, 0 }, { 0, 1, 0 }, { 0, 0, 2 } } } };
    Vec3 inertia;
    vvQuat rotation;
    rigidPrincipal(&of, &inertia, &rotation);
    CHECK_NEAR(rotation.w, 1, 0);
    CHECK_NEAR(inertia.x, 3, 0);
    CHECK_NEAR(inertia.z, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testGivesTheTensorBack),
        cmocka_unit_test(testKeepsDiagonalFrames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
