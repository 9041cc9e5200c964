// The 2D stress test of Macklin et al. 2019, section 6.4: a column 100 layers deep collapses in a box. One iteration in
// each of ten substeps keeps the volume, ten iterations of one step do not. The walls only push here, and there is no
// drag, as in the reference implementation that the numbers are from.
#include "tank.h"

#define SPACING 0.02

typedef struct Outcome
{
    double worst, last; // largest compression of a frame, mean of the last second
    double volume;      // twice the height of the centre of mass over that of the settled fluid
} Outcome;

static Outcome collapse(int substeps, int iterations, double courant, int frames)
{
    Memory memory = memoryMake(NULL);
    FluidSettings settings = fluidDefaults(2);
    settings.spacing = SPACING;
    settings.substeps = settings.mostSubsteps = substeps;
    settings.iterations = iterations;
    settings.courant = courant;
    settings.smoothing = 0;
    Fluid *fluid = makeBlock(&memory, &settings, 20, 100, 1);
    Tank tank = { { 0, 0, -FAR_AWAY }, { 1, FAR_AWAY, FAR_AWAY } };
    FluidMotion motion = tankMotion(&tank, 1 / 60.0);
    motion.walls.cover = NULL;
    Outcome outcome = { 0 };
    for (int frame = 0; frame < frames; ++frame)
    {
        FluidBooks books = { 0 };
        assert_true(fluidStep(fluid, &motion, &books));
        outcome.worst = maxReal(outcome.worst, fluid->meanCompression);
        outcome.last += frame >= frames - 60 ? fluid->meanCompression / 60 : 0;
    }
    double settled = fluid->count * SPACING * SPACING;
    outcome.volume = 2 * meanOf(fluid->position, fluid->count).y / settled;
    fluidDestroy(fluid);
    assert_int_equal((int)memory.blocks, 0);
    return outcome;
}

static void testSubstepsKeepTheVolume(void **state)
{
    (void)state;
    Outcome outcome = collapse(10, 1, 0.3, 180);
    CHECK_BELOW(outcome.last, 0.02);
    CHECK_BELOW(0.95, outcome.volume);
}

static void testIterationsLoseIt(void **state)
{
    (void)state;
    Outcome outcome = collapse(1, 10, 1, 180);
    CHECK_BELOW(0.10, outcome.last);
    CHECK_BELOW(outcome.volume, 0.85);
}

// what is left of the constraint after one iteration is proportional to the square of the substep
static void testHalfTheSubstepQuartersTheCompression(void **state)
{
    (void)state;
    double coarse = collapse(10, 1, 0, 60).worst, fine = collapse(20, 1, 0, 60).worst;
    CHECK_NEAR(coarse / fine, 4, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSubstepsKeepTheVolume),
        cmocka_unit_test(testIterationsLoseIt),
        cmocka_unit_test(testHalfTheSubstepQuartersTheCompression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
