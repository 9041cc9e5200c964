// The vector kernels of springs against plain code. Both do the same operations in the same order: equal to the bit.
#include "check.h"
#include "energy/kernels.h"

#include <string.h>

#define SPRINGS 45 // the last block is incomplete
#define DOF (6 * SPRINGS)

typedef struct Sample
{
    Memory memory;
    Energy *energy;
    double rest[DOF], x[DOF], d[DOF], k[SPRINGS], l[SPRINGS];
} Sample;

static Vec3 differenceOf(const double *x, int e)
{
    return vecSub(vecLoad(x + 6 * e + 3), vecLoad(x + 6 * e));
}

// springs of their own two vertices; some have no rest length, some no length, some neither
static void makeSample(Sample *sample, Isa isa)
{
    *sample = (Sample){ .memory = memoryMake(NULL) };
    TestRandom numbers = { 9 };
    int vertices[2 * SPRINGS];
    for (int i = 0; i < 2 * SPRINGS; ++i)
        vertices[i] = i;
    for (int i = 0; i < DOF; ++i)
    {
        sample->rest[i] = randomBetween(&numbers, -1, 1);
        sample->x[i] = randomBetween(&numbers, -1, 1);
        sample->d[i] = randomBetween(&numbers, -1, 1);
    }
    for (int e = 0; e < SPRINGS; ++e)
    {
        sample->k[e] = randomBetween(&numbers, 1, 1000);
        if (e % 5 == 1)
            memcpy(sample->rest + 6 * e + 3, sample->rest + 6 * e, 3 * sizeof(double));
        if (e % 3 == 1)
            memcpy(sample->x + 6 * e + 3, sample->x + 6 * e, 3 * sizeof(double));
        sample->l[e] = vecLength(differenceOf(sample->rest, e));
    }
    Recipe recipe = { .rest = sample->rest, .strength = sample->k, .isa = isa };
    sample->energy = energyCreate(&sample->memory, &springKind, 2 * SPRINGS, SPRINGS, vertices, &recipe);
    assert_non_null(sample->energy);
}

static void checkForce(const Sample *sample, int e, Vec3 force)
{
    const double *slots = elementSlots(sample->energy, e);
    double want[3];
    vecStore(want, force);
    for (int a = 0; a < 3; ++a)
    {
        assert_true(slots[3 + a] == want[a]);
        assert_true(slots[a] == -want[a]);
    }
}

static void checkAll(Sample *sample)
{
    Energy *energy = sample->energy;
    energyValue(energy, sample->x);
    energyGradientBlocks(energy, sample->x, 0, energy->blockCount);
    for (int e = 0; e < SPRINGS; ++e)
    {
        Vec3 d = differenceOf(sample->x, e);
        double r = vecLength(d), stretch = r - sample->l[e], k = sample->k[e];
        assert_true(energy->value[e] == 0.5 * k * stretch * stretch);
        checkForce(sample, e, r > 0 ? vecScale(k * (1 - sample->l[e] / r), d) : vec3(k * stretch, 0, 0));
    }
    energyProjectionBlocks(energy, sample->x, 0, energy->blockCount);
    for (int e = 0; e < SPRINGS; ++e)
    {
        Vec3 d = differenceOf(sample->x, e);
        double r = vecLength(d), pull = sample->k[e] * sample->l[e];
        checkForce(sample, e, r > 0 ? vecScale(pull / r, d) : vec3(pull, 0, 0));
    }
    energyLineStart(energy, sample->x, sample->d);
    energyLineValue(energy, 0.3);
    for (int e = 0; e < SPRINGS; ++e)
    {
        Vec3 way = vecScale(0.3, differenceOf(sample->d, e)), d = vecAdd(differenceOf(sample->x, e), way);
        double stretch = vecLength(d) - sample->l[e];
        assert_true(energy->value[e] == 0.5 * sample->k[e] * stretch * stretch);
    }
}

static void kernelsAreThePlainFormulas(void **state)
{
    (void)state;
    for (int isa = 0; isa < ISA_COUNT; ++isa)
    {
        if (!isaAvailable((Isa)isa))
            continue;
        Sample sample;
        makeSample(&sample, (Isa)isa);
        checkAll(&sample);
        energyDestroy(sample.energy);
        assert_int_equal(sample.memory.blocks, 0);
    }
}

static void rangesHaveTheSameBits(void **state)
{
    (void)state;
    for (int isa = 0; isa < ISA_COUNT; ++isa)
    {
        if (!isaAvailable((Isa)isa))
            continue;
        Sample sample;
        double whole[DOF];
        makeSample(&sample, (Isa)isa);
        energyGradientBlocks(sample.energy, sample.x, 0, sample.energy->blockCount);
        memcpy(whole, sample.energy->slot, sizeof whole);
        memset(sample.energy->slot, 0, sizeof whole);
        for (int block = sample.energy->blockCount; block-- > 0;)
            energyGradientBlocks(sample.energy, sample.x, block, block + 1);
        assert_memory_equal(whole, sample.energy->slot, sizeof whole);
        energyDestroy(sample.energy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernelsAreThePlainFormulas),
        cmocka_unit_test(rangesHaveTheSameBits),
    };
    return cmocka_run_group_tests_name("spring kernels", tests, NULL, NULL);
}
