// Rows of sweeps against plain code: going ahead, and the sweep over springs. The kernels do the same operations in the
// same order: equal to the bit, for every instruction set.
#include "check.h"
#include "energy/kernels.h"

#include <math.h>
#include <string.h>

#define SPRINGS 45            // the last batch is incomplete
#define NUMBERS (8 * SPRINGS) // of the rows of both ends of each
#define ROWS_ODD (4 * 13)     // no multiple of any vector but the smallest

static void rowsGoAheadByWayAndPull(void **state)
{
    (void)state;
    for (int isa = 0; isa < ISA_COUNT; ++isa)
    {
        if (!isaAvailable((Isa)isa))
            continue;
        TestRandom numbers = { 5 };
        double row[ROWS_ODD + 1], before[ROWS_ODD + 1], pull[ROWS_ODD + 1], start[ROWS_ODD + 1], want[ROWS_ODD + 1];
        float single[3][ROWS_ODD + 1], startSingle[ROWS_ODD + 1], wantSingle[ROWS_ODD + 1];
        for (int i = 0; i <= ROWS_ODD; ++i)
        {
            start[i] = row[i] = randomBetween(&numbers, -1, 1);
            before[i] = randomBetween(&numbers, -1, 1);
            pull[i] = randomBetween(&numbers, -1e-3, 1e-3);
            want[i] = row[i] + ((row[i] - before[i]) + pull[i]);
            startSingle[i] = single[0][i] = (float)row[i];
            single[1][i] = (float)before[i];
            single[2][i] = (float)pull[i];
            wantSingle[i] = single[0][i] + ((single[0][i] - single[1][i]) + single[2][i]);
        }
        double last = before[ROWS_ODD];
        sweepAhead((Isa)isa, row, before, pull, ROWS_ODD);
        sweepSingleAhead((Isa)isa, single[0], single[1], single[2], ROWS_ODD);
        assert_memory_equal(row, want, ROWS_ODD * sizeof(double));
        assert_memory_equal(before, start, ROWS_ODD * sizeof(double));
        assert_memory_equal(single[0], wantSingle, ROWS_ODD * sizeof(float));
        assert_memory_equal(single[1], startSingle, ROWS_ODD * sizeof(float));
        // what lies behind is left alone
        assert_true(row[ROWS_ODD] == start[ROWS_ODD] && before[ROWS_ODD] == last);
    }
}

typedef struct Sample
{
    Memory memory;
    Energy *energy;
    double row[NUMBERS], want[NUMBERS], force[SPRINGS];
} Sample;

// springs of their own two vertices; some have no length, some ends cannot move
static void makeSample(Sample *sample, Isa isa)
{
    *sample = (Sample){ .memory = memoryMake(NULL) };
    TestRandom numbers = { 17 };
    int vertices[2 * SPRINGS];
    double rest[6 * SPRINGS], k[SPRINGS];
    for (int v = 0; v < 2 * SPRINGS; ++v)
    {
        vertices[v] = v;
        for (int a = 0; a < 3; ++a)
        {
            rest[3 * v + a] = randomBetween(&numbers, -1, 1);
            sample->row[4 * v + a] = randomBetween(&numbers, -1, 1);
        }
        sample->row[4 * v + 3] = v % 7 == 2 ? 0 : randomBetween(&numbers, 0.5, 2);
    }
    for (int e = 0; e < SPRINGS; ++e)
    {
        k[e] = randomBetween(&numbers, 1e3, 1e6);
        if (e % 6 == 1)
            memcpy(sample->row + 8 * e + 4, sample->row + 8 * e, 3 * sizeof(double));
    }
    Recipe recipe = { .rest = rest, .strength = k, .isa = isa };
    sample->energy = energyCreate(&sample->memory, &springKind, 2 * SPRINGS, SPRINGS, vertices, &recipe);
    assert_non_null(sample->energy);
    sample->energy->plan = sweepPlanCreate(sample->energy);
    assert_non_null(sample->energy->plan);
    sweepPlanLoad(sample->energy->plan, sample->row, &(SweepManner){ .h = 1e-3, .masses = 1, .damped = true });
}

// Macklin 2019, Eq 4, one after the other
static void solvePlainly(Sample *sample, const SweepPlan *plan)
{
    memcpy(sample->want, sample->row, sizeof sample->row);
    for (int i = 0; i < plan->batchCount * LANES; ++i)
    {
        if (i % LANES >= plan->used[i / LANES])
            continue;
        const double *constants = batchConstants(plan, i / LANES) + i % LANES;
        double *a = sample->want + 8 * plan->element[i], *b = a + 4;
        double d[3] = { b[0] - a[0], b[1] - a[1], b[2] - a[2] };
        double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), factor = r > 0 ? 1 / r : 1;
        d[0] = r > 0 ? d[0] : 1;
        double less = (r - constants[PAIR_LENGTH * LANES]) * constants[PAIR_INVERSE * LANES], push = less * factor;
        sample->force[plan->element[i]] = 0 - less;
        for (int c = 0; c < 3; ++c)
        {
            a[c] = a[c] + a[3] * push * d[c];
            b[c] = b[c] - b[3] * push * d[c];
        }
    }
}

static void springsAreSweptByThePlainFormula(void **state)
{
    (void)state;
    for (int run = 0; run < 2 * ISA_COUNT; ++run)
    {
        Isa isa = (Isa)(run / 2);
        bool keep = run % 2 == 1; // another loop of the kernel
        if (!isaAvailable(isa))
            continue;
        Sample sample;
        makeSample(&sample, isa);
        SweepPlan *plan = sample.energy->plan;
        solvePlainly(&sample, plan);
        SweepContext context = { .h = 1e-3, .row = sample.row, .before = sample.row, .keep = keep };
        sweepAll(plan, &context);
        assert_memory_equal(sample.row, sample.want, sizeof sample.row);
        for (int i = 0; i < plan->batchCount * LANES && keep; ++i)
            assert_true(i % LANES >= plan->used[i / LANES] || plan->lambda[i] == sample.force[plan->element[i]]);
        energyDestroy(sample.energy);
        assert_int_equal(sample.memory.blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rowsGoAheadByWayAndPull),
        cmocka_unit_test(springsAreSweptByThePlainFormula),
    };
    return cmocka_run_group_tests_name("row kernels", tests, NULL, NULL);
}
