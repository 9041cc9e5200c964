// Vibrations die as their damping ratio says under every real-time method: a random grid of shapes, Poisson's ratios,
// thicknesses, modes, steps, frequencies and ratios.
#include "world/decay_grid.h"

#define SEED 1
#define CASES 400

static void vibrationsDieAsTheirRatioSays(void **state)
{
    (void)state;
    TestRandom random = { SEED };
    int failures = 0;
    for (int i = 0; i < CASES; ++i)
    {
        DecayCase c = decayDraw(&random, i, false);
        failures += !decayCheck(&c, true);
    }
    assert_int_equal(failures, 0);
}

#define BEYOND 200

static void soDoesMotionBeyondTheModes(void **state)
{
    (void)state;
    TestRandom random = { SEED + 2 };
    int failures = 0;
    for (int i = 0; i < BEYOND; ++i)
    {
        DecayCase c = decayDrawBeyond(&random, i);
        failures += !decayBeyondCheck(&c, true);
    }
    assert_int_equal(failures, 0);
}

#define BENDING 200

// nine of ten within 2 %, all within 20 %
static void bendingDiesAtItsOwnPace(void **state)
{
    (void)state;
    TestRandom random = { SEED + 3 };
    int off = 0;
    for (int i = 0; i < BENDING; ++i)
    {
        DecayCase c = decayDrawBending(&random, i);
        double decay = decayOfBending(&c);
        assert_true(fabs(decay - 1) < 0.2);
        off += fabs(decay - 1) > 0.02;
    }
    print_message("%d of %d are off by more than 2 %%\n", off, BENDING);
    assert_true(off <= BENDING / 10);
}

#define FAST 120

// four of five within .0005 of where they began, all within .02
static void longStepsAreThoseOfTheClosedForm(void **state)
{
    (void)state;
    TestRandom random = { SEED + 4 };
    int off = 0;
    for (int i = 0; i < FAST; ++i)
    {
        DecayCase c = decayDrawFast(&random, i);
        double missing = decayOfSteps(&c);
        assert_true(missing < 0.02);
        off += missing > 5e-4;
    }
    print_message("%d of %d are off by more than .0005\n", off, FAST);
    assert_true(off <= FAST / 5);
}

#define DRIFTING 24
#define LYING 12

// while pins drift, or the ground holds a body
static void heldOnesDoToo(void **state)
{
    (void)state;
    TestRandom random = { SEED + 1 };
    int failures = 0;
    for (int i = 0; i < DRIFTING + LYING; ++i)
    {
        DecayCase c = decayDraw(&random, 2 + i % 2, false);
        c.shape = i < DRIFTING ? DECAY_BAR : DECAY_FREE_BAR;
        c.mode =
            i < DRIFTING ? c.mode % 2 : c.mode; // bending: what swings along the drift takes and gives work of pins
        c.thickness = decayBetween(&random, 0.08, 0.3);
        c.ratio = fmin(c.ratio, 0.2);
        c.drift = i < DRIFTING ? 1e-4 * c.turn / c.h * randomBetween(&random, 0.03, 0.1) : 0;
        c.solver =
            i < DRIFTING ? c.solver : "newton"; // ten iterations of local/global leave what lies another frequency
        failures += i < DRIFTING ? !decayCheck(&c, true) : !lyingCheck(&c, true);
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(vibrationsDieAsTheirRatioSays),
                                        cmocka_unit_test(soDoesMotionBeyondTheModes), cmocka_unit_test(heldOnesDoToo),
                                        cmocka_unit_test(bendingDiesAtItsOwnPace),
                                        cmocka_unit_test(longStepsAreThoseOfTheClosedForm) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
