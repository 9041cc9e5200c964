// Friction: the law is continuous with its derivatives, bounded by the cone, and mixes as stated.
#include "check.h"

#include "contact/friction.h"

#include <math.h>

static const double weight = 250, limit = 3; // N/m, N: slips beyond 12 mm

// ---- the law --------------------------------------------------------------------------------------------------------

static double valueAt(Vec3 offset)
{
    Friction f = frictionAt(weight, limit, offset);
    return frictionValue(&f);
}

static Vec3 along(int axis, double length)
{
    return vec3(axis == 0 ? length : 0, axis == 1 ? length : 0, axis == 2 ? length : 0);
}

// both derivatives against differences, where it holds and where it slips; the normal is z
static void derivativesAgree(void **state)
{
    (void)state;
    static const double lengths[] = { 0.002, 0.011, 0.013, 0.4 };
    const double step = 1e-6;
    for (int k = 0; k < 4; ++k)
    {
        Vec3 offset = vecScale(lengths[k], vec3(0.6, 0.8, 0)), normal = vec3(0, 0, 1);
        Friction f = frictionAt(weight, limit, offset);
        double gradient[3], hessian[9] = { 0 };
        vecStore(gradient, frictionGradient(&f));
        frictionAddHessian(&f, normal, vecScale(1 / f.length, offset), hessian);
        for (int a = 0; a < 2; ++a)
        {
            double slope =
                (valueAt(vecAdd(offset, along(a, step))) - valueAt(vecSub(offset, along(a, step)))) / (2 * step);
            CHECK_NEAR(gradient[a], slope, 1e-6 * limit);
            Friction ahead = frictionAt(weight, limit, vecAdd(offset, along(a, step)));
            Friction behind = frictionAt(weight, limit, vecSub(offset, along(a, step)));
            double difference[3];
            vecStore(difference, vecScale(0.5 / step, vecSub(frictionGradient(&ahead), frictionGradient(&behind))));
            for (int b = 0; b < 2; ++b)
                CHECK_NEAR(hessian[3 * b + a], difference[b], 1e-4 * weight);
        }
        CHECK_NEAR(hessian[8], 0, 0); // nothing along the normal
    }
}

// the force never leaves the cone, and value and force are continuous where slipping begins
static void forceStaysInTheCone(void **state)
{
    (void)state;
    double slips = limit / weight;
    for (double length = 1e-4; length < 10; length *= 1.3)
    {
        Friction f = frictionAt(weight, limit, vec3(length, 0, 0));
        CHECK_BELOW(vecLength(frictionGradient(&f)), limit * (1 + 1e-14));
        assert_true(f.slips == (length > slips));
        // what is left of the offset after slipping is the most that holds
        CHECK_NEAR(frictionKept(&f) * length, fmin(length, slips), 1e-14 * length);
        CHECK_NEAR(length - frictionSlip(&f), fmin(length, slips), 1e-14 * length);
    }
    CHECK_NEAR(valueAt(vec3(slips * (1 + 1e-9), 0, 0)), valueAt(vec3(slips * (1 - 1e-9), 0, 0)), 1e-10);
}

static void withoutNormalForceThereIsNone(void **state)
{
    (void)state;
    Friction f = frictionAt(weight, 0, vec3(1, 2, 3));
    double hessian[9] = { 0 };
    frictionAddHessian(&f, vec3(0, 0, 1), vec3(1, 0, 0), hessian);
    assert_true(frictionValue(&f) == 0 && vecLength(frictionGradient(&f)) == 0 && !f.slips);
    for (int i = 0; i < 9; ++i)
        assert_true(hessian[i] == 0);
}

// ---- impulses and coefficients --------------------------------------------------------------------------------------

static void impulsesAreClampedToTheCone(void **state)
{
    (void)state;
    Vec3 inside = frictionClamp(vec3(0.3, 0.4, 0), 0.6), outside = frictionClamp(vec3(3, 4, 0), 0.5);
    CHECK_NEAR(vecLength(inside), 0.5, 1e-15);
    CHECK_NEAR(vecLength(outside), 0.5, 1e-15);
    CHECK_NEAR(outside.x, 0.3, 1e-15);
    assert_true(vecLength(frictionClamp(vec3(1, 0, 0), 0)) == 0);
}

static void coefficientsMix(void **state)
{
    (void)state;
    CHECK_NEAR(frictionMix(0.2, 0.8), 0.4, 1e-15);
    assert_true(frictionMix(0.2, 0.8) == frictionMix(0.8, 0.2));
    assert_true(frictionMix(0, 0.9) == 0); // ice stays ice
    assert_true(frictionMix(FRICTION_UNSTATED, 0.3) == 0.3 && frictionMix(0.3, FRICTION_UNSTATED) == 0.3);
    assert_true(frictionMix(FRICTION_UNSTATED, FRICTION_UNSTATED) == FRICTION_DEFAULT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivativesAgree),
        cmocka_unit_test(forceStaysInTheCone),
        cmocka_unit_test(withoutNormalForceThereIsNone),
        cmocka_unit_test(impulsesAreClampedToTheCone),
        cmocka_unit_test(coefficientsMix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
