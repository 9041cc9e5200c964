#include "tank.h"

// Two blocks meet without gravity and walls: drag, cohesion and density only pass momentum on.
static void testMomentumIsKept(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    FluidSettings settings = fluidDefaults(3);
    settings.viscosity = 0.5;
    settings.surfaceTension = 0.07;
    settings.courant = 0;
    Fluid *fluid = makeBlock(&memory, &settings, 20, 10, 10);
    double scale = 0;
    for (int i = 0; i < fluid->count; ++i)
    {
        double side = fluid->position[3 * i] < 0.2 ? 1 : -0.4;
        vecStore(fluid->velocity + 3 * (ptrdiff_t)i, vec3(side, 0.3 * side, 0.1));
        scale += vecLength(vecLoad(fluid->velocity + 3 * (ptrdiff_t)i)) / fluid->count;
    }
    Vec3 before = meanOf(fluid->velocity, fluid->count);
    FluidMotion motion = { .dt = 1 / 60.0, .isa = isaBest() };
    FluidBooks books = { 0 };
    for (int step = 0; step < 30; ++step)
        assert_true(fluidStep(fluid, &motion, &books));
    // pairs push each other equally to the last bit; what is left is the rounding of single precision sums
    CHECK_BELOW(vecLength(vecSub(meanOf(fluid->velocity, fluid->count), before)), 3e-9 * scale);
    CHECK_BELOW(0, books.dissipated);
    fluidDestroy(fluid);
}

// A block in a tank that it fills: it compresses under its own weight, most at the bottom, and comes to rest.
static void testColumnAtRestKeepsItsVolume(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    FluidSettings settings = fluidDefaults(3);
    Fluid *fluid = makeBlock(&memory, &settings, 8, 24, 8);
    double height = 24 * settings.spacing, width = 8 * settings.spacing;
    Tank tank = { { 0, 0, 0 }, { width, FAR_AWAY, width } };
    FluidMotion motion = tankMotion(&tank, 1 / 60.0);
    FluidBooks books = { 0 };
    for (int step = 0; step < 90; ++step)
        assert_true(fluidStep(fluid, &motion, &books));
    double volume = 2 * meanOf(fluid->position, fluid->count).y / height, motionLeft = 0;
    for (int i = 0; i < 3 * fluid->count; ++i)
        motionLeft += fluid->velocity[i] * fluid->velocity[i] / fluid->count;
    CHECK_BELOW(fluid->meanCompression, 0.03);
    CHECK_NEAR(volume, 1, 0.05);
    CHECK_BELOW(sqrt(motionLeft), 0.2);
    fluidDestroy(fluid);
}

// A block that fills the corner of a tank is at rest there: space beyond two walls is not counted twice. With more and
// shorter substeps it falls no otherwise: what it is compressed by at the start would be a velocity that grows with
// their number (at 80 substeps a column then has risen at first, and its centre is 1.1 of where it should be).
static void testMoreSubstepsFallTheSame(void **state)
{
    (void)state;
    double height[3], total[3];
    for (int run = 0; run < 3; ++run)
    {
        Memory memory = memoryMake(NULL);
        FluidSettings settings = fluidDefaults(3);
        settings.spacing = 0.0375;
        settings.substeps = settings.mostSubsteps = run == 0 ? 10 : run == 1 ? 40 : 80;
        settings.smoothing *= 10.0 / settings.substeps; // the same viscosity
        Fluid *fluid = makeBlock(&memory, &settings, 8, 16, 6);
        Tank tank = { { 0, 0, 0 }, { FAR_AWAY, FAR_AWAY, 6 * settings.spacing } };
        FluidMotion motion = tankMotion(&tank, 1 / 60.0);
        FluidBooks books = { 0 };
        for (int step = 0; step < 12; ++step)
            assert_true(fluidStep(fluid, &motion, &books));
        double energy = 0;
        for (int i = 0; i < 3 * fluid->count; ++i)
            energy += fluid->velocity[i] * fluid->velocity[i] / 2 + (i % 3 == 1 ? 9.81 * fluid->position[i] : 0);
        height[run] = meanOf(fluid->position, fluid->count).y;
        total[run] = energy / fluid->count;
        CHECK_BELOW(total[run], 9.81 * 0.3); // of when it began, J/kg
        fluidDestroy(fluid);
    }
    CHECK_CLOSE(height[1], height[0], 0.01);
    CHECK_CLOSE(height[2], height[0], 0.01);
    CHECK_CLOSE(total[2], total[0], 0.02);
}

// The front of a column 2 a high and a wide on a dry floor: J. C. Martin and W. J. Moyce, An experimental study of the
// collapse of liquid columns on a rigid horizontal plane, Phil. Trans. R. Soc. A 244, 312-324 (1952), n^2 = 2, a = 2.25
// in: T = t sqrt(2 g / a), Z = front / a.
static const double martinMoyce[][2] = {
    { 0.41, 1.11 }, { 0.84, 1.22 }, { 1.19, 1.44 }, { 1.43, 1.67 }, { 1.63, 1.89 },
    { 1.83, 2.11 }, { 1.98, 2.33 }, { 2.20, 2.56 }, { 2.32, 2.78 }, { 2.51, 3.00 }
};
#define ACROSS 8      // particles
#define AHEAD 12      // particles that are drops ahead of the front: one and a half rows across
#define WIDTH 0.05715 // m

static double frontOf(const Fluid *fluid)
{
    double farthest[AHEAD] = { 0 };
    for (int i = 0; i < fluid->count; ++i)
    {
        double x = fluid->position[3 * i];
        for (int k = 0; k < AHEAD; ++k)
        {
            double next = farthest[k];
            if (x > next)
            {
                farthest[k] = x;
                x = next;
            }
        }
    }
    return farthest[AHEAD - 1] + fluid->settings.spacing / 2;
}

static void testDamBreakFollowsMartinAndMoyce(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    FluidSettings settings = fluidDefaults(3);
    settings.spacing = WIDTH / 16;
    Fluid *fluid = makeBlock(&memory, &settings, 16, 32, ACROSS);
    Tank tank = { { 0, 0, 0 }, { FAR_AWAY, FAR_AWAY, ACROSS * settings.spacing } };
    FluidMotion motion = tankMotion(&tank, 1 / 240.0);
    FluidBooks books = { 0 };
    double unit = sqrt(2 * 9.81 / WIDTH), time = 0, front = 1;
    for (int row = 0; row < (int)(sizeof martinMoyce / sizeof *martinMoyce);)
    {
        double before = front, since = time;
        assert_true(fluidStep(fluid, &motion, &books));
        time += motion.dt * unit;
        front = frontOf(fluid) / WIDTH;
        for (; row < (int)(sizeof martinMoyce / sizeof *martinMoyce) && martinMoyce[row][0] <= time; ++row)
        {
            double share = (martinMoyce[row][0] - since) / (time - since);
            CHECK_CLOSE(before + share * (front - before), martinMoyce[row][1], 0.1);
        }
    }
    fluidDestroy(fluid);
}

// the velocity of the lowest standing wave of a basin, at the surface; `set`: the fluid gets it
static double waveOf(Fluid *fluid, double k, double depth, double set)
{
    double sum = 0, norm = 0;
    for (int i = 0; i < fluid->count; ++i)
    {
        const double *x = fluid->position + 3 * (ptrdiff_t)i;
        double *v = fluid->velocity + 3 * (ptrdiff_t)i;
        double shape[2] = { sin(k * x[0]) * cosh(k * x[1]) / sinh(k * depth),
                            -cos(k * x[0]) * sinh(k * x[1]) / sinh(k * depth) };
        for (int a = 0; a < 2; ++a)
        {
            v[a] = set > 0 ? set * shape[a] : v[a];
            sum += v[a] * shape[a];
            norm += shape[a] * shape[a];
        }
    }
    return sum / norm;
}

// The angular frequency of a basin that sloshes over that of gravity waves in water of finite depth,
// omega^2 = g k tanh(k d).
// shift: of the places that it starts from.
static double sloshing(double shift)
{
    Memory memory = memoryMake(NULL);
    FluidSettings settings = fluidDefaults(2);
    Fluid *fluid = makeBlock(&memory, &settings, 50, 25, 1);
    Tank tank = { { 0, 0, -FAR_AWAY }, { 1, FAR_AWAY, FAR_AWAY } };
    FluidMotion motion = tankMotion(&tank, 1 / 60.0);
    FluidBooks books = { 0 };
    for (int i = 0; i < fluid->count; ++i)
        fluid->position[3 * i] += shift * (i * 7919 % 13 - 6);
    for (int step = 0; step < 60; ++step)
        assert_true(fluidStep(fluid, &motion, &books));
    double depth = 2 * meanOf(fluid->position, fluid->count).y, k = PI, first = waveOf(fluid, k, depth, 0.15);
    double crossing[4], before = first, most = 0;
    int count = 0;
    for (int step = 1; step < 300 && count < 4; ++step)
    {
        assert_true(fluidStep(fluid, &motion, &books));
        double wave = waveOf(fluid, k, depth, 0);
        most = count == 3 ? maxReal(most, fabs(wave)) : 0;
        if (wave * before < 0)
            crossing[count++] = motion.dt * (step - wave / (wave - before));
        before = wave;
    }
    assert_int_equal(count, 4);
    CHECK_BELOW(0.4 * first, most); // after a period and a half
    fluidDestroy(fluid);
    return 3 * PI / (crossing[3] - crossing[0]) / sqrt(9.81 * k * tanh(k * depth));
}

// One basin says it to 1 % only: what begins a nanometre elsewhere mixes otherwise.
static void testBasinSloshes(void **state)
{
    (void)state;
    double sum = 0;
    for (int i = 0; i < 6; ++i)
        sum += sloshing(1e-9 * i);
    CHECK_CLOSE(sum / 6, 1, 0.05);
}

// In a parabolic shear flow v = y^2 viscosity accelerates every particle by 2 nu.
static void testViscosityIsALaplacian(void **state)
{
    (void)state;
    for (int dimensions = 2; dimensions <= 3; ++dimensions)
    {
        Memory memory = memoryMake(NULL);
        FluidSettings settings = fluidDefaults(dimensions);
        settings.viscosity = 3;
        settings.smoothing = 0;
        settings.relaxation = 0; // a density that is too high by rounding would push
        settings.courant = 0;
        settings.substeps = settings.mostSubsteps = 1;
        int deep = dimensions == 3 ? 11 : 1;
        Fluid *fluid = makeBlock(&memory, &settings, 11, 11, deep);
        for (int i = 0; i < fluid->count; ++i)
            fluid->velocity[3 * i] = fluid->position[3 * i + 1] * fluid->position[3 * i + 1];
        double dt = 1e-4, nu = settings.viscosity / settings.density, middle = 5.5 * settings.spacing;
        FluidMotion motion = { .dt = dt, .isa = isaBest() };
        FluidBooks books = { 0 };
        assert_true(fluidStep(fluid, &motion, &books));
        int seen = 0;
        for (int i = 0; i < fluid->count; ++i)
        {
            const double *x = fluid->position + 3 * (ptrdiff_t)i;
            if (fabs(x[0] - middle) > 0.01 || fabs(x[1] - middle) > 0.01 ||
                (dimensions == 3 && fabs(x[2] - middle) > 0.01))
                continue;
            CHECK_CLOSE((fluid->velocity[3 * i] - middle * middle) / dt, 2 * nu, 0.01);
            seen += 1;
        }
        assert_int_equal(seen, 1);
        CHECK_BELOW(0, books.dissipated);
        fluidDestroy(fluid);
    }
}

// what a drop extends farther across z than along it, as a share
static double flatnessOf(const Fluid *fluid)
{
    double flat = 0, all = 0;
    for (int i = 0; i < fluid->count; ++i)
    {
        const double *x = fluid->position + 3 * (ptrdiff_t)i;
        flat += x[0] * x[0] + x[1] * x[1] - 2 * x[2] * x[2];
        all += x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    }
    return flat / all;
}

// A cube without weight becomes a ball.
static void testSurfaceTensionMakesDropsRound(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    FluidSettings settings = fluidDefaults(3);
    settings.spacing = 0.002;
    settings.surfaceTension = 0.072;
    Fluid *fluid = makeBlock(&memory, &settings, 10, 10, 10);
    FluidMotion motion = { .dt = 1 / 240.0, .isa = isaBest() };
    FluidBooks books = { 0 };
    for (int step = 0; step < 60; ++step)
        assert_true(fluidStep(fluid, &motion, &books));
    Vec3 middle = meanOf(fluid->position, fluid->count);
    double farthest = 0, ball = 0.002 * 10 * cbrt(3 / (4 * PI));
    for (int i = 0; i < fluid->count; ++i)
        farthest = maxReal(farthest, vecLength(vecSub(vecLoad(fluid->position + 3 * (ptrdiff_t)i), middle)));
    // the corners of the cube were 1.4 of the ball's radius away
    CHECK_NEAR(farthest / ball, 1, 0.12);
    fluidDestroy(fluid);
}

// A drop that was stretched gets round again in half the period of Rayleigh's lowest mode, omega^2 = 8 sigma / (rho
// R^3).
static void testDropOscillates(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    FluidSettings settings = fluidDefaults(3);
    double d = settings.spacing = 0.002, sigma = settings.surfaceTension = 0.072;
    settings.courant = 0;
    settings.smoothing = 0.3; // until it is at rest
    Fluid *fluid = fluidCreate(&memory, &settings);
    assert_true(fluid != NULL && fluidReserve(fluid, 13 * 13 * 13));
    for (int i = 0; i < 13 * 13 * 13; ++i)
    {
        Vec3 x = vec3(i % 13 - 5.69, i / 13 % 13 - 5.83, i / 169 - 5.59);
        if (vecDot(x, x) < 36)
            fluidAdd(fluid, vecScale(d, x), vec3(0, 0, 0));
    }
    double volume = fluid->count * d * d * d, omega = sqrt(8 * sigma / (settings.density * volume * 3 / (4 * PI)));
    FluidMotion motion = { .dt = 1 / 240.0, .isa = isaBest() };
    FluidBooks books = { 0 };
    for (int step = 0; step < 40; ++step)
        assert_true(fluidStep(fluid, &motion, &books));
    fluid->settings.smoothing = 0.01;
    for (int i = 0; i < fluid->count; ++i)
    {
        const double *x = fluid->position + 3 * (ptrdiff_t)i;
        vecStore(fluid->velocity + 3 * (ptrdiff_t)i, vecScale(0.12 * omega, vec3(x[0], x[1], -2 * x[2])));
    }
    double base = flatnessOf(fluid), flat = 0, before = 0, time = 0;
    for (; time < 2 * PI / omega && !(flat < 0); time += motion.dt)
    {
        assert_true(fluidStep(fluid, &motion, &books));
        before = flat;
        flat = flatnessOf(fluid) - base;
    }
    CHECK_CLOSE(time - motion.dt * flat / (flat - before), PI / omega, 0.2);
    fluidDestroy(fluid);
}

static void testWhatIsNoNumberIsRefused(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    FluidSettings settings = fluidDefaults(3);
    Fluid *fluid = makeBlock(&memory, &settings, 4, 4, 4);
    FluidMotion motion = { .gravity = vec3(0, -9.81, 0), .dt = 1 / 60.0, .isa = isaBest() };
    FluidBooks books = { 0 };
    const double wrong[] = { NAN, INFINITY, 1e300 };
    for (int i = 0; i < 3; ++i)
    {
        fluidKeep(fluid);
        fluid->position[7] = wrong[i];
        fluid->velocity[8] = i == 0 ? NAN : 0;
        assert_false(fluidStep(fluid, &motion, &books));
        fluidRewind(fluid);
        assert_true(allFinite(fluid->position, 3 * fluid->count) && allFinite(fluid->velocity, 3 * fluid->count));
    }
    assert_true(fluidStep(fluid, &motion, &books));
    fluidDestroy(fluid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testMomentumIsKept),
        cmocka_unit_test(testColumnAtRestKeepsItsVolume),
        cmocka_unit_test(testMoreSubstepsFallTheSame),
        cmocka_unit_test(testDamBreakFollowsMartinAndMoyce),
        cmocka_unit_test(testBasinSloshes),
        cmocka_unit_test(testViscosityIsALaplacian),
        cmocka_unit_test(testSurfaceTensionMakesDropsRound),
        cmocka_unit_test(testDropOscillates),
        cmocka_unit_test(testWhatIsNoNumberIsRefused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
