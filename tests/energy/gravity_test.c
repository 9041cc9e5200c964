#include "check.h"
#include "energy/energy.h"

static const double places[9] = { 0, 2, 0, 1, -3, 5, 4, 0.5, -1 };
static const double masses[3] = { 1, 2, 0.25 };

static Energy *makeGravity(Memory *memory)
{
    Recipe recipe = { .rest = places, .strength = masses, .gravity = { 0, -10, 0 } };
    Energy *energy = energyCreate(memory, &gravityKind, 3, 3, NULL, &recipe);
    assert_non_null(energy);
    return energy;
}

static void weightTimesHeight(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Energy *energy = makeGravity(&memory);
    double gradient[9] = { 0 };
    CHECK_CLOSE(energyValue(energy, places), 10 * (1 * 2.0 - 2 * 3.0 + 0.25 * 0.5), 1e-15); // exact in binary
    energyAddGradient(energy, places, gradient);
    for (int i = 0; i < 9; ++i) // uphill, by the weight
        CHECK_NEAR(gradient[i], i % 3 == 1 ? 10 * masses[i / 3] : 0, 0);
    assert_true(energyWork(energy, places, places) == 0); // a potential: booked as one, never as work
    energyDestroy(energy);
}

static void turnedGravityFollowsItsParams(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Energy *energy = makeGravity(&memory);
    for (int v = 0; v < 3; ++v)
    {
        energySetParam(energy, v, 1, 3);
        energySetParam(energy, v, 2, 0);
    }
    CHECK_CLOSE(energyValue(energy, places), -3 * (2 * 1.0 + 0.25 * 4), 1e-15);
    energyDestroy(energy);
}

// free flight by the midpoint rule is exact: kinetic energy and height exchange to rounding
static void midpointFlightKeepsTheEnergy(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Energy *energy = makeGravity(&memory);
    double x[9], v[9], h = 0.1, start = 0;
    for (int i = 0; i < 9; ++i)
    {
        x[i] = places[i];
        v[i] = 0.3 * i - 1;
        start += 0.5 * masses[i / 3] * v[i] * v[i];
    }
    start += energyValue(energy, x);
    for (int step = 0; step < 100; ++step)
    {
        double gradient[9] = { 0 };
        energyAddGradient(energy, x, gradient);
        for (int i = 0; i < 9; ++i)
        {
            double next = v[i] - h * gradient[i] / masses[i / 3];
            x[i] += 0.5 * h * (v[i] + next);
            v[i] = next;
        }
    }
    double total = energyValue(energy, x);
    for (int i = 0; i < 9; ++i)
        total += 0.5 * masses[i / 3] * v[i] * v[i];
    CHECK_NEAR(total, start, 1e-10); // 16 kJ in motion, 100 steps of rounding
    energyDestroy(energy);
}

// the direction changes while running, the mass does not
static void stateIsHashed(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Energy *energy = makeGravity(&memory);
    for (int p = 0; p < 4; ++p)
    {
        uint64_t before = energyHashState(energy, HASH_SEED);
        energySetParam(energy, 0, p, 77);
        assert_int_equal(energyHashState(energy, HASH_SEED) != before, p > 0);
    }
    energyDestroy(energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weightTimesHeight),
        cmocka_unit_test(turnedGravityFollowsItsParams),
        cmocka_unit_test(midpointFlightKeepsTheEnergy),
        cmocka_unit_test(stateIsHashed),
    };
    return cmocka_run_group_tests_name("gravity", tests, NULL, NULL);
}
