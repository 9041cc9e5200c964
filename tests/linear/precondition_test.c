// Preconditioners: each is what its formula says, symmetric, and saves steps in the order expected of it.
#include "check.h"

#include "base/system.h"
#include "linear/front.h"
#include "linear/precondition.h"

#include <stdlib.h>

#define SIDE 9
#define COUNT (SIDE * SIDE)
#define SIZE (3 * COUNT)

// springs of a bent sheet plus mass: blocks k d d^T that couple the axes, nearly singular across the springs
static Memory memory;

typedef struct Sheet
{
    Graph *graph;
    BlockMatrix *matrix;
} Sheet;

static void addSpring(BlockMatrix *matrix, int a, int b, const double *d, double k)
{
    const Graph *graph = matrix->graph;
    double *blocks[3] = { matrix->value + 9 * graph->start[a], matrix->value + 9 * graph->start[b],
                          matrix->value + 9 * graphFind(graph, a > b ? a : b, a > b ? b : a) };
    for (int i = 0; i < 9; ++i)
    {
        double value = k * d[i / 3] * d[i % 3];
        blocks[0][i] += value;
        blocks[1][i] += value;
        blocks[2][i] -= value;
    }
}

static Sheet makeSheet(double stiffness)
{
    memory = memoryMake(NULL);
    Sheet sheet = { 0 };
    int pairs[2 * 4 * COUNT], count = 0;
    for (int v = 0; v < COUNT; ++v)
    {
        static const int across[4][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { -1, 1 } };
        for (int k = 0; k < 4; ++k)
        {
            int x = v % SIDE + across[k][0], y = v / SIDE + across[k][1];
            if (x < 0 || x >= SIDE || y >= SIDE)
                continue;
            pairs[2 * count] = v;
            pairs[2 * count++ + 1] = y * SIDE + x;
        }
    }
    sheet.graph = graphCreate(&memory, COUNT, pairs, count);
    sheet.matrix = matrixCreate(&memory, sheet.graph);
    matrixClear(sheet.matrix);
    TestRandom random = { 9 };
    for (int k = 0; k < count; ++k)
    {
        int a = pairs[2 * k], b = pairs[2 * k + 1];
        double d[3] = { b % SIDE - a % SIDE, 0.3 * (randomUnit(&random) - 0.5), b / SIDE - a / SIDE };
        double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        for (int i = 0; i < 3; ++i)
            d[i] /= length;
        addSpring(sheet.matrix, a, b, d, stiffness * randomBetween(&random, 0.3, 3));
    }
    for (int v = 0; v < COUNT; ++v)
    {
        for (int i = 0; i < 3; ++i)
            sheet.matrix->value[9 * sheet.graph->start[v] + 4 * i] += 1;
    }
    return sheet;
}

static void freeSheet(Sheet *sheet)
{
    matrixDestroy(sheet->matrix);
    graphDestroy(sheet->graph);
    assert_int_equal(memory.blocks, 0);
}

static void fill(double *x, uint64_t seed)
{
    TestRandom random = { seed };
    for (int i = 0; i < SIZE; ++i)
        x[i] = randomBetween(&random, -1, 1);
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < SIZE; ++i)
        sum += a[i] * b[i];
    return sum;
}

typedef struct Both
{
    const BlockMatrix *matrix;
    const Preconditioner *preconditioner;
} Both;

static void multiply(void *user, const double *x, double *y)
{
    matrixMultiply(((Both *)user)->matrix, x, y);
}

static void precondition(void *user, const double *r, double *z)
{
    preconditionerApply(((Both *)user)->preconditioner, r, z);
}

static double work[4 * SIZE], right[SIZE], x[SIZE], z[SIZE], other[SIZE];

static void symmetricAndPositive(void **state)
{
    (void)state;
    Sheet sheet = makeSheet(200);
    for (int k = 0; k < preconditionerCount(); ++k)
    {
        Preconditioner *p = preconditionerCreate(&memory, preconditionerAt(k), sheet.matrix);
        assert_true(preconditionerCompute(p));
        fill(right, 1);
        fill(x, 2);
        preconditionerApply(p, right, z);
        preconditionerApply(p, x, other);
        assert_true(dot(right, z) > 0 && dot(x, other) > 0);
        CHECK_NEAR(dot(x, z), dot(right, other), 1e-12 * sqrt(dot(right, z) * dot(x, other)));
        preconditionerDestroy(p);
    }
    freeSheet(&sheet);
}

// the solution is the factor's, and every step up the list saves iterations
static void convergeToTheDirectSolution(void **state)
{
    (void)state;
    Sheet sheet = makeSheet(1000);
    FrontTree *tree = frontTreeCreateBlocks(&memory, sheet.graph, NULL);
    FrontFactor *factor = frontFactorCreate(&memory, tree, FRONT_DOUBLE, isaBest());
    assert_true(frontFactorCompute(factor, sheet.matrix->value, NULL));
    fill(right, 3);
    frontFactorSolve(factor, right, other, NULL);
    int last = 10 * SIZE;
    for (int k = 0; k < preconditionerCount(); ++k)
    {
        Preconditioner *p = preconditionerCreate(&memory, preconditionerAt(k), sheet.matrix);
        assert_true(preconditionerCompute(p));
        Both both = { sheet.matrix, p };
        CgProblem problem = { .size = SIZE,
                              .multiply = multiply,
                              .precondition = precondition,
                              .user = &both,
                              .tolerance = 1e-12,
                              .iterationLimit = 10 * SIZE,
                              .work = work };
        CgReport report = cgSolve(&problem, right, x);
        assert_false(report.negativeCurvature);
        for (int i = 0; i < SIZE; ++i)
            CHECK_NEAR(x[i], other[i], 1e-9); // condition 1e4 times the tolerance
        print_message("%-9s %d steps\n", p->kind->name, report.iterations);
        assert_true(report.iterations < last);
        last = report.iterations;
        preconditionerDestroy(p);
    }
    frontFactorDestroy(factor);
    frontTreeDestroy(tree);
    freeSheet(&sheet);
}

// (D + L) D^-1 (D + L^T) z gives the right side back: Hauth's Eq 54 as it should read
static void ssorIsItsFormula(void **state)
{
    (void)state;
    Sheet sheet = makeSheet(50);
    Preconditioner *p = preconditionerCreate(&memory, &ssorPreconditioner, sheet.matrix);
    assert_true(preconditionerCompute(p));
    fill(right, 4);
    preconditionerApply(p, right, z);
    const Graph *graph = sheet.graph;
    double upper[SIZE] = { 0 }, result[SIZE] = { 0 };
    for (int j = 0; j < COUNT; ++j)
    {
        // upper = (I + D^-1 L^T) z, by columns of L: rows of L^T
        double sum[3] = { 0, 0, 0 };
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
            for (int i = 0; i < 9; ++i)
                sum[i % 3] += sheet.matrix->value[9 * k + i] * z[3 * graph->row[k] + i / 3];
        // D^-1 by Cramer's rule
        const double *b = sheet.matrix->value + 9 * graph->start[j];
        double c[9];
        for (int i = 0; i < 9; ++i)
        {
            int r = i / 3, s = i % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3, s1 = (s + 1) % 3, s2 = (s + 2) % 3;
            c[3 * s + r] = b[3 * r1 + s1] * b[3 * r2 + s2] - b[3 * r1 + s2] * b[3 * r2 + s1];
        }
        double determinant = b[0] * c[0] + b[1] * c[3] + b[2] * c[6];
        for (int i = 0; i < 3; ++i)
            upper[3 * j + i] =
                z[3 * j + i] + (c[3 * i] * sum[0] + c[3 * i + 1] * sum[1] + c[3 * i + 2] * sum[2]) / determinant;
    }
    for (int j = 0; j < COUNT; ++j)
        for (int k = graph->start[j]; k < graph->start[j + 1]; ++k)
            for (int i = 0; i < 9; ++i)
                result[3 * graph->row[k] + i / 3] += sheet.matrix->value[9 * k + i] * upper[3 * j + i % 3];
    for (int i = 0; i < SIZE; ++i)
        CHECK_NEAR(result[i], right[i], 1e-11);
    preconditionerDestroy(p);
    freeSheet(&sheet);
}

// a chain has no fill: the incomplete factor is the complete one
static void incompleteIsCompleteWithoutFill(void **state)
{
    (void)state;
    memory = memoryMake(NULL);
    int pairs[2 * (COUNT - 1)];
    for (int i = 0; i < COUNT - 1; ++i)
    {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    Graph *graph = graphCreate(&memory, COUNT, pairs, COUNT - 1);
    BlockMatrix *matrix = matrixCreate(&memory, graph);
    matrixClear(matrix);
    TestRandom random = { 6 };
    for (int i = 0; i < COUNT - 1; ++i)
    {
        double d[3] = { randomBetween(&random, -1, 1), randomBetween(&random, -1, 1), 1 };
        addSpring(matrix, i, i + 1, d, 30);
    }
    for (int v = 0; v < COUNT; ++v)
        for (int i = 0; i < 3; ++i)
            matrix->value[9 * graph->start[v] + 4 * i] += 1;
    Preconditioner *p = preconditionerCreate(&memory, &incompletePreconditioner, matrix);
    assert_true(preconditionerCompute(p));
    fill(x, 5);
    matrixMultiply(matrix, x, right);
    preconditionerApply(p, right, z);
    for (int i = 0; i < SIZE; ++i)
        CHECK_NEAR(z[i], x[i], 1e-11);
    preconditionerDestroy(p);
    matrixDestroy(matrix);
    graphDestroy(graph);
}

// Kershaw's matrix (1978): positive definite, and incomplete Cholesky meets a negative pivot; the shift mends it
static void shiftMendsABreakdown(void **state)
{
    (void)state;
    memory = memoryMake(NULL);
    static const int pairs[] = { 0, 1, 1, 2, 2, 3, 0, 3 };
    static const double entries[] = { -2, -2, -2, 2 };
    Graph *graph = graphCreate(&memory, 4, pairs, 4);
    BlockMatrix *matrix = matrixCreate(&memory, graph);
    matrixClear(matrix);
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 3; ++i)
        {
            matrix->value[9 * graph->start[k] + 4 * i] = 3;
            int a = pairs[2 * k], b = pairs[2 * k + 1];
            matrix->value[9 * graphFind(graph, b > a ? b : a, b > a ? a : b) + 4 * i] = entries[k];
        }
    FrontTree *tree = frontTreeCreateBlocks(&memory, graph, NULL);
    FrontFactor *factor = frontFactorCreate(&memory, tree, FRONT_DOUBLE, isaBest());
    assert_true(frontFactorCompute(factor, matrix->value, NULL)); // it is positive definite
    Preconditioner *p = preconditionerCreate(&memory, &incompletePreconditioner, matrix);
    assert_true(preconditionerCompute(p));
    for (int i = 0; i < 12; ++i)
        right[i] = i % 5 - 2;
    preconditionerApply(p, right, z);
    double along = 0;
    for (int i = 0; i < 12; ++i)
        along += right[i] * z[i];
    assert_true(along > 0 && isfinite(along));
    preconditionerDestroy(p);
    frontFactorDestroy(factor);
    frontTreeDestroy(tree);
    matrixDestroy(matrix);
    graphDestroy(graph);
}

// a diagonal block that is not positive definite, or no number, is seen by all but "none"
static void indefiniteIsSeen(void **state)
{
    (void)state;
    Sheet sheet = makeSheet(10);
    for (int bad = 0; bad < 2; ++bad)
    {
        sheet.matrix->value[9 * sheet.graph->start[40] + 4] = bad ? NAN : -1;
        for (int k = 1; k < preconditionerCount(); ++k)
        {
            Preconditioner *p = preconditionerCreate(&memory, preconditionerAt(k), sheet.matrix);
            assert_false(preconditionerCompute(p));
            preconditionerDestroy(p);
        }
    }
    freeSheet(&sheet);
}

// ---- filters --------------------------------------------------------------------------------------------------------

static unsigned char kind[COUNT];
static double axis[SIZE];

static void holdSome(void)
{
    TestRandom random = { 12 };
    for (int v = 0; v < COUNT; ++v)
    {
        kind[v] = v % 7 == 0 ? HOLD_FIXED : v % 7 == 3 ? HOLD_PLANE : v % 7 == 5 ? HOLD_LINE : HOLD_FREE;
        double a[3] = { randomBetween(&random, -1, 1), randomBetween(&random, -1, 1), randomBetween(&random, -1, 1) };
        double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int i = 0; i < 3; ++i)
            axis[3 * v + i] = a[i] / length;
    }
}

static void filterIsAProjection(void **state)
{
    (void)state;
    holdSome();
    Filter filter = { COUNT, kind, axis };
    fill(x, 20);
    memcpy(z, x, sizeof x);
    filterApply(&filter, z);
    memcpy(other, z, sizeof z);
    filterApply(&filter, other);
    for (int v = 0; v < COUNT; ++v)
    {
        double lost[3], along = 0, left = 0;
        for (int i = 0; i < 3; ++i)
        {
            CHECK_NEAR(other[3 * v + i], z[3 * v + i], 1e-15); // S S = S
            lost[i] = x[3 * v + i] - z[3 * v + i];
            along += z[3 * v + i] * axis[3 * v + i];
            left += lost[i] * axis[3 * v + i];
        }
        if (kind[v] == HOLD_PLANE)
            CHECK_NEAR(along, 0, 1e-15);
        if (kind[v] == HOLD_LINE)
            CHECK_NEAR(left, 0, 1e-15);
        if (kind[v] == HOLD_FIXED)
            assert_true(z[3 * v] == 0 && z[3 * v + 1] == 0 && z[3 * v + 2] == 0);
        if (kind[v] == HOLD_FREE)
            assert_memory_equal(z + 3 * v, x + 3 * v, 3 * sizeof(double));
    }
}

// Filtered CG against elimination: the factor of S A S + (I - S), for held components that are prescribed and not zero
static void filteredEqualsElimination(void **state)
{
    (void)state;
    Sheet sheet = makeSheet(100);
    holdSome();
    Filter filter = { COUNT, kind, axis };
    fill(right, 21);
    double held[SIZE], eliminated[SIZE], free[SIZE];
    fill(held, 22);
    memcpy(free, held, sizeof held);
    filterApply(&filter, free);
    for (int i = 0; i < SIZE; ++i)
        held[i] -= free[i];
    // the right side without what the held components bring, filtered
    matrixMultiply(sheet.matrix, held, free);
    for (int i = 0; i < SIZE; ++i)
        free[i] = right[i] - free[i];
    filterApply(&filter, free);
    BlockMatrix *smaller = matrixCreate(&memory, sheet.graph);
    memcpy(smaller->value, sheet.matrix->value, sizeof(double) * 9 * (size_t)sheet.graph->start[COUNT]);
    for (int j = 0; j < COUNT; ++j)
        for (int k = sheet.graph->start[j]; k < sheet.graph->start[j + 1]; ++k)
            filterBlock(&filter, sheet.graph->row[k], j, smaller->value + 9 * k);
    for (int v = 0; v < COUNT; ++v)
        for (int i = 0; i < 3; ++i)
        {
            double unit[3] = { i == 0, i == 1, i == 2 };
            filterVertex(&filter, v, unit);
            for (int a = 0; a < 3; ++a)
                smaller->value[9 * sheet.graph->start[v] + 3 * a + i] += (a == i) - unit[a];
        }
    FrontTree *tree = frontTreeCreateBlocks(&memory, sheet.graph, NULL);
    FrontFactor *factor = frontFactorCreate(&memory, tree, FRONT_DOUBLE, isaBest());
    assert_true(frontFactorCompute(factor, smaller->value, NULL));
    frontFactorSolve(factor, free, eliminated, NULL);

    for (int k = 0; k < preconditionerCount(); ++k)
    {
        Preconditioner *p = preconditionerCreate(&memory, preconditionerAt(k), sheet.matrix);
        assert_true(preconditionerCompute(p));
        Both both = { sheet.matrix, p };
        CgProblem problem = { .size = SIZE,
                              .multiply = multiply,
                              .precondition = precondition,
                              .user = &both,
                              .filter = &filter,
                              .tolerance = 1e-14,
                              .iterationLimit = 4 * SIZE,
                              .work = work };
        memcpy(x, held, sizeof held);
        cgSolve(&problem, right, x);
        double far = 0, whole = 0;
        for (int i = 0; i < SIZE; ++i)
        {
            far = fmax(far, fabs(x[i] - held[i] - eliminated[i]));
            whole = fmax(whole, fabs(eliminated[i]));
            if (kind[i / 3] == HOLD_FIXED)
                assert_true(x[i] == held[i]); // exactly
        }
        CHECK_BELOW(far, 1e-10 * whole);

        // what holds: in held directions alone, and with it the whole system is in balance
        cgConstraintForces(&problem, right, x, z);
        matrixMultiply(sheet.matrix, x, other);
        for (int i = 0; i < SIZE; ++i)
        {
            CHECK_NEAR(other[i] - right[i], z[i], 1e-9);
            if (kind[i / 3] == HOLD_FREE)
                assert_true(z[i] == 0);
        }

        // held at zero: components exactly 0
        memset(x, 0, sizeof x);
        cgSolve(&problem, right, x);
        for (int i = 0; i < SIZE; ++i)
            assert_true(kind[i / 3] != HOLD_FIXED || x[i] == 0);
        preconditionerDestroy(p);
    }
    frontFactorDestroy(factor);
    frontTreeDestroy(tree);
    matrixDestroy(smaller);
    freeSheet(&sheet);
}

// every allocation may be refused
static long long refuseAt;

static void *refusing(size_t size, size_t alignment, void *user)
{
    (void)user;
    return --refuseAt == 0 ? NULL : systemAllocate(size, alignment);
}

static void giveBack(void *block, size_t size, void *user)
{
    (void)size;
    (void)user;
    systemRelease(block);
}

static void allocationsMayFail(void **state)
{
    (void)state;
    Sheet sheet = makeSheet(1);
    vvAllocator allocator = { refusing, giveBack, NULL };
    Memory refusingMemory = memoryMake(&allocator);
    for (int k = 0; k < preconditionerCount(); ++k)
    {
        for (int at = 1; at <= 2; ++at)
        {
            refuseAt = at;
            assert_null(preconditionerCreate(&refusingMemory, preconditionerAt(k), sheet.matrix));
            assert_int_equal(refusingMemory.blocks, 0);
        }
        refuseAt = 3;
        Preconditioner *p = preconditionerCreate(&refusingMemory, preconditionerAt(k), sheet.matrix);
        assert_non_null(p);
        preconditionerDestroy(p);
        assert_int_equal(refusingMemory.blocks, 0);
    }
    freeSheet(&sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetricAndPositive), cmocka_unit_test(convergeToTheDirectSolution),
        cmocka_unit_test(ssorIsItsFormula),     cmocka_unit_test(incompleteIsCompleteWithoutFill),
        cmocka_unit_test(shiftMendsABreakdown), cmocka_unit_test(indefiniteIsSeen),
        cmocka_unit_test(filterIsAProjection),  cmocka_unit_test(filteredEqualsElimination),
        cmocka_unit_test(allocationsMayFail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
