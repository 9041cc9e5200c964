// The sums of the kernels against plain ones over all pairs, in double precision.
#include "tank.h"

#define COUNT 700

static FluidSettings settingsOf(int dimensions)
{
    FluidSettings settings = fluidDefaults(dimensions);
    settings.substeps = settings.mostSubsteps = 1;
    settings.courant = 0;
    settings.viscosity = 2;
    settings.surfaceTension = 0.05;
    return settings;
}

// crowded, some on a heap, some in one place, and with a few so far away that the grid is folded
static Fluid *makeCloud(Memory *memory, int dimensions, double far)
{
    FluidSettings settings = settingsOf(dimensions);
    Fluid *fluid = fluidCreate(memory, &settings);
    assert_non_null(fluid);
    assert_true(fluidReserve(fluid, COUNT));
    TestRandom random = { 7 };
    double edge = dimensions == 3 ? 0.16 : 0.5;
    for (int i = 0; i < COUNT; ++i)
    {
        double scale = i < COUNT - 20 ? edge : far, x[3], v[3];
        for (int a = 0; a < 3; ++a)
        {
            x[a] = a < dimensions ? randomBetween(&random, 0, i % 5 == 0 ? scale / 3 : scale) : 0;
            v[a] = a < dimensions ? randomBetween(&random, -1, 1) : 0;
        }
        fluidAdd(fluid, i % 97 == 1 ? vecLoad(fluid->position + 3 * (ptrdiff_t)(i - 1)) : vecLoad(x), vecLoad(v));
    }
    return fluid;
}

typedef struct Plain
{
    double multiplier[COUNT], move[COUNT][3], change[COUNT][3];
} Plain;

static double spiky(const double *a, const double *b, double radius, double *d)
{
    double r2 = 0;
    for (int k = 0; k < 3; ++k)
    {
        d[k] = (a[k] - b[k]) / radius;
        r2 += d[k] * d[k];
    }
    return sqrt(r2);
}

static void plainMultipliers(const Fluid *fluid, const double *x, double *multiplier)
{
    const FluidScale *s = &fluid->scale;
    for (int i = 0; i < COUNT; ++i)
    {
        double sum = 0, squares = 0, g[3] = { 0, 0, 0 }, d[3];
        for (int j = 0; j < COUNT; ++j)
        {
            double r = spiky(x + 3 * i, x + 3 * j, s->radius, d), t = 1 - r * r, u = 1 - r;
            if (r >= 1)
                continue;
            sum += t * t * t;
            squares += j != i ? u * u * u * u : 0;
            if (r < 1e-6)
                continue;
            for (int k = 0; k < 3; ++k)
                g[k] += u * u * d[k] / r;
        }
        double c = maxReal(sum * (double)s->perRest - 1, 0);
        squares += g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        multiplier[i] = c / ((double)s->gradient * (double)s->gradient * squares + (double)s->softening);
    }
}

// `way`: of each particle before the corrections, m
static void plainMoves(const Fluid *fluid, const double *x, const double *way, double dt, Plain *out)
{
    const FluidScale *s = &fluid->scale;
    const FluidSettings *set = &fluid->settings;
    double share = dt * set->viscosity / set->density * s->laplacian + set->smoothing / s->nearness;
    double pull = dt * dt * s->cohesion / s->mass;
    for (int i = 0; i < COUNT; ++i)
    {
        for (int j = 0; j < COUNT; ++j)
        {
            double d[3], r = spiky(x + 3 * i, x + 3 * j, s->radius, d), u = 1 - r;
            if (r >= 1 || r < 1e-6)
                continue;
            double both = out->multiplier[i] + out->multiplier[j];
            for (int k = 0; k < 3; ++k)
            {
                out->move[i][k] += set->relaxation * (double)s->gradient * s->radius * both * u * u * d[k] / r;
                out->change[i][k] +=
                    share * u * (way[3 * j + k] - way[3 * i + k]) - pull * u * u * d[k] * (1 - s->apart / r);
            }
        }
    }
}

static void checkCloud(int dimensions, double far, Isa isa)
{
    Memory memory = memoryMake(NULL);
    Fluid *fluid = makeCloud(&memory, dimensions, far);
    static double x[3 * COUNT], way[3 * COUNT];
    static Plain plain;
    memset(&plain, 0, sizeof plain);
    double dt = 1e-3, largest = 0;
    FluidMotion motion = { .dt = dt, .isa = isa };
    FluidBooks books = { 0 };
    // in the caller's order, which the ids are
    for (int i = 0; i < 3 * COUNT; ++i)
    {
        way[i] = dt * fluid->velocity[i];
        x[i] = fluid->position[i] + way[i];
    }
    assert_true(fluidStep(fluid, &motion, &books));
    plainMultipliers(fluid, x, plain.multiplier);
    plainMoves(fluid, x, way, dt, &plain);
    for (int i = 0; i < COUNT; ++i)
    {
        for (int k = 0; k < 3; ++k)
            largest = maxReal(largest, fabs(plain.move[i][k]));
    }
    assert_true(largest > 0.01 * fluid->scale.radius);
    // places are single precision from the origin, 1e-6 of a radius here; gradients of coincident particles are not
    // defined and few
    for (int i = 0; i < COUNT; ++i)
    {
        uint32_t id = fluid->id[i];
        for (uint32_t k = 0; k < 3; ++k)
            CHECK_NEAR(fluid->position[3 * i + (int)k], x[3 * id + k] + plain.move[id][k] + plain.change[id][k],
                       3e-4 * largest);
    }
    fluidDestroy(fluid);
}

static void testSumsAreThoseOverAllPairs(void **state)
{
    (void)state;
    for (int isa = 0; isa < ISA_COUNT; ++isa)
    {
        if (!isaAvailable((Isa)isa))
            continue;
        checkCloud(3, 0.16, (Isa)isa);
        checkCloud(2, 0.5, (Isa)isa);
        checkCloud(3, 30, (Isa)isa);
        checkCloud(2, 3000, (Isa)isa);
    }
}

static uint64_t runHash(Isa isa, int threads)
{
    Memory memory = memoryMake(NULL);
    Fluid *fluid = makeCloud(&memory, 3, 0.5);
    Workers *workers = workersCreate(&memory, threads, NULL);
    Tank tank = { { -0.1, -0.1, -0.1 }, { 0.3, FAR_AWAY, 0.3 } };
    FluidMotion motion = tankMotion(&tank, 1 / 240.0);
    motion.isa = isa;
    motion.workers = workers;
    fluid->settings.substeps = 4;
    FluidBooks books = { 0 };
    for (int step = 0; step < 10; ++step)
        assert_true(fluidStep(fluid, &motion, &books));
    uint64_t hash = hashBytes(HASH_SEED, fluid->position, sizeof(double) * 3 * COUNT);
    hash = hashBytes(hash, fluid->id, sizeof(uint32_t) * COUNT);
    hash = hashFinish(hashBytes(hash, &books, sizeof books));
    workersDestroy(workers);
    fluidDestroy(fluid);
    return hash;
}

static void testSameBitsForEveryWorkerCountAndInstructionSet(void **state)
{
    (void)state;
    uint64_t hash = runHash(ISA_BASE, 1);
    const int threads[] = { 2, 3, 7 };
    for (int i = 0; i < 3; ++i)
        assert_true(runHash(ISA_BASE, threads[i]) == hash);
    for (int isa = 0; isa < ISA_COUNT; ++isa)
        assert_true(!isaAvailable((Isa)isa) || runHash((Isa)isa, 2) == hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testSumsAreThoseOverAllPairs),
        cmocka_unit_test(testSameBitsForEveryWorkerCountAndInstructionSet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
