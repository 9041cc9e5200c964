// A slice of decay_soak.c: vibrations die as their damping ratio says, momenta stay, and what was lost is booked.
#include "world/decay_strays.h"
#include "world/decay_together.h"

#define SEED 17
#define CASES 14

static void vibrationsDieAsTheirRatioSays(void **state)
{
    (void)state;
    TestRandom random = { SEED };
    for (int i = 0; i < CASES; ++i)
    {
        DecayCase c = decayDraw(&random, i, true);
        decayCheck(&c, false);
    }
}

static void soDoesMotionBeyondTheModes(void **state)
{
    (void)state;
    DecayCase bar = { "small-midpoint", NULL, DECAY_FREE_BAR, 0.45, 0.138, 24, 1.0 / 60, 0.5, 0.5, 0, 0 };
    decayBeyondCheck(&bar, false);
    TestRandom random = { SEED };
    for (int i = 0; i < 3; ++i)
    {
        DecayCase c = decayDrawBeyond(&random, i);
        decayBeyondCheck(&c, false);
    }
}

static void bendingDiesAtItsOwnPace(void **state)
{
    (void)state;
    TestRandom random = { SEED };
    for (int i = 0; i < 4; ++i)
    {
        DecayCase c = decayDrawBending(&random, i);
        CHECK_CLOSE(decayOfBending(&c), 1, 0.02);
    }
}

static void longStepsAreThoseOfTheClosedForm(void **state)
{
    (void)state;
    TestRandom random = { SEED };
    for (int i = 0; i < 4; ++i)
    {
        DecayCase c = decayDrawFast(&random, i);
        assert_true(decayOfSteps(&c) < 0.02);
    }
}

// while its pins drift, and while it lies on the ground
static void heldOnesDoToo(void **state)
{
    (void)state;
    DecayCase drifting = { "stabilized", "newton", DECAY_BAR, 0.3, 0.25, 2, 1.0 / 60, 1.5, 0.1, 0.001, 0 };
    decayCheck(&drifting, false);
    DecayCase lying = { "stabilized", "newton", DECAY_FREE_BAR, 0.3, 0.2, 0, 1.0 / 60, 1.5, 0.1, 0, 0 };
    lyingCheck(&lying, false);
}

// while pins move otherwise than as one rigid body, and when they have stopped
static void soDoesWhatPinsDistort(void **state)
{
    (void)state;
    static const char *const solvers[] = { "newton", "local-global", "newton" };
    for (int i = 0; i < DRIVES; ++i)
    {
        DecayCase c = { "stabilized", solvers[i], DECAY_BAR, 0.3, 0.28, i, 1.0 / 60, 1.5, 0.1, 0, 0 };
        strayCheck(&c, (Drive)i, 0.05, false);
        DecayCase d = {
            i % 2 ? "small-steps" : "small-midpoint", NULL, DECAY_BAR, 0.3, 0.28, i, 1.0 / 60, 1.5, 0.1, 0, 0
        };
        strayCheck(&d, (Drive)i, 0.05, false);
    }
}

// bonded, one on the other, one beside the other; and bonded under the methods with substeps
static void soDoTwoTogether(void **state)
{
    (void)state;
    static const char *const substeps[] = { "small-midpoint", "small-steps" };
    for (int i = 0; i < MEETINGS + 2; ++i)
    {
        Together c = { .meeting = (Meeting)(i % MEETINGS), .method = "stabilized", .solver = "newton" };
        if (i >= MEETINGS)
            c = (Together){ .meeting = MEETING_BONDED, .method = substeps[i - MEETINGS] };
        c.poisson = 0.3;
        c.bond = 1;
        c.thickness = 0.3;
        c.h = 1.0 / 60;
        c.turn = 1.5;
        c.ratio = 0.1;
        togetherCheck(&c, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(vibrationsDieAsTheirRatioSays),
                                        cmocka_unit_test(soDoesMotionBeyondTheModes),
                                        cmocka_unit_test(heldOnesDoToo),
                                        cmocka_unit_test(soDoesWhatPinsDistort),
                                        cmocka_unit_test(soDoTwoTogether),
                                        cmocka_unit_test(bendingDiesAtItsOwnPace),
                                        cmocka_unit_test(longStepsAreThoseOfTheClosedForm) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
