#include "check.h"
#include "linear/front.h"
#include "refuse.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST 216
#define SIZE (3 * LARGEST)

// ---- matrices -------------------------------------------------------------------------------------------------------

#define KINDS 9 // one vertex, islands, chain, star, clique, grid with 7 points, with 27, random, random with full rows
static Graph *makeGraph(Memory *memory, int kind)
{
    static int pairs[2 * LARGEST * LARGEST];
    const int counts[KINDS] = { 1, 40, 50, 150, 30, 216, 216, 90, 120 };
    int count = counts[kind], used = 0;
    TestRandom random = { 17 };
    for (int a = 0; a < count; ++a)
    {
        for (int b = 0; b < a; ++b)
        {
            int dx = abs(a % 6 - b % 6), dy = abs(a / 6 % 6 - b / 6 % 6), dz = abs(a / 36 - b / 36);
            bool chance = randomUnit(&random) < 0.04;
            bool coupled[KINDS] = { false,
                                    a / 7 == b / 7,
                                    a - b == 1,
                                    b == 0,
                                    true,
                                    dx + dy + dz == 1,
                                    maxInt(dx, maxInt(dy, dz)) == 1,
                                    chance,
                                    chance || b == 3 || a == 64 };
            if (!coupled[kind])
                continue;
            pairs[2 * used] = a;
            pairs[2 * used + 1] = b;
            used += 1;
        }
    }
    return graphCreate(memory, count, pairs, used);
}

// Random and symmetric; `margin` 1 makes every row dominated by its diagonal with room to spare, so it is positive
// definite with a condition number of about 10.
static void fillMatrix(BlockMatrix *matrix, uint64_t seed, double margin)
{
    const Graph *graph = matrix->graph;
    TestRandom random = { seed };
    static double weight[SIZE];
    memset(weight, 0, sizeof weight);
    for (int j = 0; j < graph->count; ++j)
    {
        for (int k = graph->start[j]; k < graph->start[j + 1]; ++k)
        {
            double *b = matrix->value + 9 * (size_t)k;
            for (int e = 0; e < 9; ++e)
            {
                b[e] = randomBetween(&random, -1, 1);
                weight[3 * graph->row[k] + e / 3] += fabs(b[e]);
                weight[3 * j + e % 3] += fabs(b[e]);
            }
        }
    }
    for (int j = 0; j < graph->count; ++j)
    {
        double *b = matrix->value + 9 * (size_t)graph->start[j];
        b[1] = b[3];
        b[2] = b[6];
        b[5] = b[7];
        for (int c = 0; c < 3; ++c)
            b[4 * c] = margin * 1.2 * weight[3 * j + c] + 0.1;
    }
}

typedef struct Case
{
    Memory memory;
    Graph *graph;
    BlockMatrix *matrix;
    FrontTree *tree;
    FrontFactor *factor;
} Case;

static void openCase(Case *c, int kind)
{
    c->memory = memoryMake(NULL);
    c->graph = makeGraph(&c->memory, kind);
    c->matrix = matrixCreate(&c->memory, c->graph);
    c->tree = frontTreeCreateBlocks(&c->memory, c->graph, NULL);
    c->factor = frontFactorCreate(&c->memory, c->tree, FRONT_DOUBLE, isaBest());
    assert_non_null(c->factor);
    fillMatrix(c->matrix, (uint64_t)kind + 1, 1);
}

static void closeCase(Case *c)
{
    frontFactorDestroy(c->factor);
    frontTreeDestroy(c->tree);
    matrixDestroy(c->matrix);
    graphDestroy(c->graph);
    assert_int_equal(c->memory.blocks, 0);
}

// ---- the dense reference --------------------------------------------------------------------------------------------

static double dense[SIZE][SIZE];

static void expand(const BlockMatrix *matrix)
{
    const Graph *graph = matrix->graph;
    memset(dense, 0, sizeof dense);
    for (int j = 0; j < graph->count; ++j)
    {
        for (int k = graph->start[j]; k < graph->start[j + 1]; ++k)
        {
            for (int e = 0; e < 9; ++e)
            {
                int r = 3 * graph->row[k] + e / 3, c = 3 * j + e % 3;
                dense[r][c] = dense[c][r] = matrix->value[9 * k + e];
            }
        }
    }
}

// x = A^-1 x by the textbook, the factor left in the lower triangle
static void denseFactor(int size)
{
    for (int j = 0; j < size; ++j)
    {
        for (int i = j; i < size; ++i)
        {
            double sum = dense[i][j];
            for (int k = 0; k < j; ++k)
                sum -= dense[i][k] * dense[j][k];
            dense[i][j] = i == j ? sqrt(sum) : sum / dense[j][j];
        }
    }
}

static void denseSolve(int size, double *x)
{
    for (int i = 0; i < size; ++i)
    {
        for (int k = 0; k < i; ++k)
            x[i] -= dense[i][k] * x[k];
        x[i] /= dense[i][i];
    }
    for (int i = size - 1; i >= 0; --i)
    {
        for (int k = i + 1; k < size; ++k)
            x[i] -= dense[k][i] * x[k];
        x[i] /= dense[i][i];
    }
}

static void checkSame(const double *a, const double *b, int size, double relative)
{
    double scale = largestMagnitude(b, size);
    for (int i = 0; i < size; ++i)
        CHECK_NEAR(a[i], b[i], relative * scale);
}

// The factor solves like the dense reference, and undoes A on every unit vector: L L^T is P A P^T in every entry.
static void checkSolves(Case *c, uint64_t seed)
{
    int size = 3 * c->graph->count;
    static double x[SIZE], y[SIZE], unit[SIZE];
    TestRandom random = { seed };
    for (int i = 0; i < size; ++i)
        x[i] = y[i] = randomBetween(&random, -1, 1);
    expand(c->matrix);
    denseFactor(size);
    denseSolve(size, y);
    frontFactorSolve(c->factor, x, x, NULL);
    checkSame(x, y, size, 1e-12);
    memset(unit, 0, sizeof unit);
    for (int k = 0; k < size; ++k)
    {
        unit[k] = 1;
        matrixMultiply(c->matrix, unit, y);
        frontFactorSolve(c->factor, y, x, NULL);
        checkSame(x, unit, size, 1e-12);
        unit[k] = 0;
    }
}

// ---- facts ----------------------------------------------------------------------------------------------------------

static void solves_match_the_dense_reference(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind)
    {
        Case c;
        openCase(&c, kind);
        assert_true(frontFactorCompute(c.factor, c.matrix->value, NULL));
        checkSolves(&c, 5);
        closeCase(&c);
    }
}

// new values, and values scaled to the ends of the range, need nothing but a new compute
static void values_may_change(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind)
    {
        Case c;
        openCase(&c, kind);
        const double scales[] = { 1, 1e-120, 1e120, 3 };
        long long requests = c.memory.requests;
        for (int round = 0; round < 4; ++round)
        {
            fillMatrix(c.matrix, 40 + (uint64_t)round, 1);
            for (int k = 0; k < 9 * c.graph->start[c.graph->count]; ++k)
                c.matrix->value[k] *= scales[round];
            assert_true(frontFactorCompute(c.factor, c.matrix->value, NULL));
            if (kind != 6)
                checkSolves(&c, 6);
        }
        assert_int_equal(c.memory.requests, requests); // and no memory
        closeCase(&c);
    }
}

static void two_factors_share_an_analysis(void **state)
{
    (void)state;
    Case c;
    openCase(&c, 7);
    FrontFactor *other = frontFactorCreate(&c.memory, c.tree, FRONT_DOUBLE, isaBest());
    assert_true(frontFactorCompute(c.factor, c.matrix->value, NULL));
    BlockMatrix *matrix = matrixCreate(&c.memory, c.graph);
    fillMatrix(matrix, 99, 1);
    assert_true(frontFactorCompute(other, matrix->value, NULL));
    checkSolves(&c, 7);
    frontFactorDestroy(other);
    matrixDestroy(matrix);
    closeCase(&c);
}

// Refused: an indefinite matrix, a singular one, NaN or infinity anywhere. The factor is as good as new afterwards.
static void bad_matrices_are_refused(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind)
    {
        Case c;
        openCase(&c, kind);
        int count = c.graph->count, blocks = c.graph->start[count];
        const double poisons[] = { NAN, INFINITY, -INFINITY };
        for (int p = 0; p < 30; ++p)
        {
            // entry 0 of a block lies in the part that is read, also in a diagonal block
            fillMatrix(c.matrix, 50, 1);
            c.matrix->value[9 * (p * 7919 % blocks)] = poisons[p % 3];
            assert_false(frontFactorCompute(c.factor, c.matrix->value, NULL));
        }
        for (int v = kind % 5; v < count; v += 5) // every component, zero and negative
        {
            fillMatrix(c.matrix, 51, 1);
            c.matrix->value[9 * c.graph->start[v] + 4 * (v % 3)] *= v % 2 ? -1 : 0;
            assert_false(frontFactorCompute(c.factor, c.matrix->value, NULL));
        }
        fillMatrix(c.matrix, 52, 1);
        assert_true(frontFactorCompute(c.factor, c.matrix->value, NULL));
        checkSolves(&c, 8);
        closeCase(&c);
    }
}

// A chain of springs that holds on to nothing has a null space of rigid shifts: its last pivots are rounding. A touch
// of support makes it positive definite again.
static void singular_matrices_are_refused(void **state)
{
    (void)state;
    Case c;
    openCase(&c, 2);
    for (int round = 0; round < 2; ++round)
    {
        matrixClear(c.matrix);
        for (int j = 0; j < c.graph->count; ++j)
        {
            for (int k = c.graph->start[j] + 1; k < c.graph->start[j + 1]; ++k)
            {
                for (int e = 0; e < 9; e += 4)
                {
                    double stiffness = 1 + 0.37 * (j % 5);
                    c.matrix->value[9 * k + e] -= stiffness;
                    c.matrix->value[9 * c.graph->start[j] + e] += stiffness;
                    c.matrix->value[9 * c.graph->start[c.graph->row[k]] + e] += stiffness;
                }
            }
        }
        for (int e = 0; e < 9 && round == 1; e += 4)
            c.matrix->value[e] += 1e-6;
        assert_int_equal(frontFactorCompute(c.factor, c.matrix->value, NULL), round == 1);
    }
    closeCase(&c);
}

// A pivot is lost below 1e-14 of the entry it started from, whatever the scale. The entries are exact, so the second
// pivot is 2^-bits exactly.
static void lost_pivots_are_refused(void **state)
{
    (void)state;
    Case c;
    openCase(&c, 0);
    const double scales[] = { 1, 0x1p-300, 0x1p300 };
    for (int k = 0; k < 3; ++k)
    {
        const double lost[9] = { 1, 1, 0, 1, 1 + 0x1p-50, 0, 0, 0, 1 },
                     kept[9] = { 1, 1, 0, 1, 1 + 0x1p-40, 0, 0, 0, 1 };
        for (int e = 0; e < 9; ++e)
            c.matrix->value[e] = scales[k] * lost[e];
        assert_false(frontFactorCompute(c.factor, c.matrix->value, NULL));
        for (int e = 0; e < 9; ++e)
            c.matrix->value[e] = scales[k] * kept[e];
        assert_true(frontFactorCompute(c.factor, c.matrix->value, NULL));
    }
    closeCase(&c);
}

// positive definite or not is decided as by the dense reference when shifted through the smallest eigenvalue
static void definiteness_changes_at_the_smallest_eigenvalue(void **state)
{
    (void)state;
    Case c;
    openCase(&c, 2);
    int count = c.graph->count;
    // the chain 2 -1 -1 with fixed ends: its smallest eigenvalue is 2 - 2 cos(pi / (count + 1))
    double sine, cosine;
    sineCosine(PI / (count + 1), &sine, &cosine);
    double smallest = 2 - 2 * cosine;
    for (int side = -1; side <= 1; side += 2)
    {
        matrixClear(c.matrix);
        for (int j = 0; j < count; ++j)
            for (int k = c.graph->start[j]; k < c.graph->start[j + 1]; ++k)
                for (int e = 0; e < 9; e += 4)
                    c.matrix->value[9 * k + e] = c.graph->row[k] == j ? 2 - smallest * (1 + side * 1e-9) : -1;
        assert_int_equal(frontFactorCompute(c.factor, c.matrix->value, NULL), side < 0);
    }
    closeCase(&c);
}

static void results_have_the_same_bits(void **state)
{
    (void)state;
    static double first[SIZE], second[SIZE];
    for (int kind = 0; kind < KINDS; ++kind)
    {
        for (int run = 0; run < 2; ++run)
        {
            Case c;
            double *x = run == 0 ? first : second;
            openCase(&c, kind);
            if (run == 1) // a failure in between leaves no trace
            {
                fillMatrix(c.matrix, 3, -1);
                assert_false(frontFactorCompute(c.factor, c.matrix->value, NULL));
                fillMatrix(c.matrix, (uint64_t)kind + 1, 1);
            }
            assert_true(frontFactorCompute(c.factor, c.matrix->value, NULL));
            for (int i = 0; i < SIZE; ++i)
                x[i] = i % 7 - 2.5;
            frontFactorSolve(c.factor, x, x, NULL);
            closeCase(&c);
        }
        assert_memory_equal(first, second, sizeof first);
    }
}

static void factor_survives_every_refused_allocation(void **state)
{
    (void)state;
    Case c;
    openCase(&c, 7);
    int granted = 0;
    for (bool fine = false; !fine; ++granted)
    {
        int left = granted;
        Memory memory = memoryMake(&(vvAllocator){ refuseAfter, giveBack, &left });
        FrontFactor *factor = frontFactorCreate(&memory, c.tree, FRONT_DOUBLE, isaBest());
        fine = factor != NULL;
        frontFactorDestroy(factor);
        assert_int_equal(memory.blocks, 0);
    }
    assert_true(granted > 2);
    closeCase(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_match_the_dense_reference),
        cmocka_unit_test(values_may_change),
        cmocka_unit_test(two_factors_share_an_analysis),
        cmocka_unit_test(bad_matrices_are_refused),
        cmocka_unit_test(singular_matrices_are_refused),
        cmocka_unit_test(lost_pivots_are_refused),
        cmocka_unit_test(definiteness_changes_at_the_smallest_eigenvalue),
        cmocka_unit_test(results_have_the_same_bits),
        cmocka_unit_test(factor_survives_every_refused_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
