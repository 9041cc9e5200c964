// Vibrations die as their damping ratio says under every real-time method: a random grid of shapes, Poisson's ratios,
// thicknesses, modes, steps, frequencies and ratios.
#include "world/decay_strays.h"
#include "world/decay_together.h"

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

#define STRAYS 24

// speed: of the fastest of the vibration
static DecayCase strayDraw(TestRandom *random, const char *method, const char *solver, double *speed)
{
    DecayCase c = decayDraw(random, 0, false);
    c.method = method;
    c.solver = solver;
    c.thickness = randomBetween(random, 0.12, 0.3);
    c.turn = exp(randomBetween(random, log(0.3), log(2)));
    c.ratio = exp(randomBetween(random, log(0.02), log(0.2)));
    *speed = randomBetween(
        random, 0.02, 0.06); // beyond, what stretches is all of the energy, and its tolerance as much as the vibration
    return c;
}

// while pins move otherwise than as one rigid body, and when they have stopped
static void soDoesWhatPinsDistort(void **state)
{
    (void)state;
    TestRandom random = { SEED + 5 };
    int failures = 0;
    for (int i = 0; i < STRAYS; ++i)
    {
        double speed;
        DecayCase c = strayDraw(&random, "stabilized", i / DRIVES % 2 ? "local-global" : "newton", &speed);
        failures += !strayCheck(&c, (Drive)(i % DRIVES), speed, true);
    }
    assert_int_equal(failures, 0);
}

#define TOGETHER 18

static Together togetherDraw(TestRandom *random, int index, const char *method, const char *solver)
{
    static const double poisson[] = { 0, 0.3, 0.45 };
    Together c = { .meeting = (Meeting)(index % MEETINGS), .method = method, .solver = solver };
    c.poisson = poisson[(int)randomBetween(random, 0, 2.999)];
    c.thickness = randomBetween(random, 0.15, 0.3);
    c.mode = (int)randomBetween(random, 0, 2.999);
    c.h = exp(randomBetween(random, log(1.0 / 240), log(1.0 / 30)));
    c.turn = exp(randomBetween(random, log(0.3), log(2)));
    c.ratio = exp(randomBetween(random, log(0.02), log(0.3)));
    c.bond = exp(randomBetween(random, log(0.5), log(5)));
    return c;
}

// bonded, one on the other, one beside the other: with newton, for ten iterations of local/global have another
// frequency
static void soDoTwoTogether(void **state)
{
    (void)state;
    TestRandom random = { SEED + 6 };
    int failures = 0;
    for (int i = 0; i < TOGETHER; ++i)
    {
        Together c = togetherDraw(&random, i, "stabilized", "newton");
        failures += !togetherCheck(&c, true);
    }
    assert_true(failures <= 1); // a bond that gives way, 1.059
}

#define SWEPT 24

// Bonded under small-steps: both damped, or one alone, where a ratio above .15 would be no vibration of a single mode.
static void soDoBondedUnderSmallSteps(void **state)
{
    (void)state;
    TestRandom random = { SEED + 7 };
    int failures = 0;
    for (int i = 0; i < SWEPT; ++i)
    {
        Together c = togetherDraw(&random, MEETING_BONDED, "small-steps", NULL);
        c.half = i % 2 == 1;
        c.ratio = fmin(c.ratio, c.half ? 0.15 : 1);
        failures += !togetherCheck(&c, true);
    }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(vibrationsDieAsTheirRatioSays),
                                        cmocka_unit_test(soDoesMotionBeyondTheModes),
                                        cmocka_unit_test(heldOnesDoToo),
                                        cmocka_unit_test(soDoesWhatPinsDistort),
                                        cmocka_unit_test(soDoTwoTogether),
                                        cmocka_unit_test(soDoBondedUnderSmallSteps),
                                        cmocka_unit_test(bendingDiesAtItsOwnPace),
                                        cmocka_unit_test(longStepsAreThoseOfTheClosedForm) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
