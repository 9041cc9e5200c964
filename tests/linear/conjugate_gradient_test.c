#include "check.h"
#include "linear/front.h"

#include <string.h>

#define SIZE 63 // vertices x 3, and no multiple of 4

// A = H D H with H = I - 2 v v^T / v^T v: a full matrix whose eigenvalues are D. The preconditioner divides by `scale`.
typedef struct Spectrum
{
    double eigenvalue[SIZE];
    double mirror[SIZE]; // v
    double scale[SIZE];
    int products;
} Spectrum;

static void reflect(const Spectrum *s, const double *x, double *y)
{
    double square = 0, along = 0;
    for (int i = 0; i < SIZE; ++i)
    {
        square += s->mirror[i] * s->mirror[i];
        along += s->mirror[i] * x[i];
    }
    for (int i = 0; i < SIZE; ++i)
        y[i] = x[i] - 2 * along / square * s->mirror[i];
}

static void multiply(void *user, const double *x, double *y)
{
    Spectrum *s = user;
    double middle[SIZE];
    s->products += 1;
    reflect(s, x, middle);
    for (int i = 0; i < SIZE; ++i)
        middle[i] *= s->eigenvalue[i];
    reflect(s, middle, y);
}

static void precondition(void *user, const double *r, double *z)
{
    const Spectrum *s = user;
    for (int i = 0; i < SIZE; ++i)
        z[i] = r[i] / s->scale[i];
}

// `distinct` eigenvalues between 1 and 10
static Spectrum makeSpectrum(int distinct)
{
    Spectrum s = { .products = 0 };
    TestRandom random = { 31 };
    for (int i = 0; i < SIZE; ++i)
    {
        s.eigenvalue[i] = distinct == 1 ? 4 : 1 + 9.0 * (i % distinct) / (distinct - 1);
        s.mirror[i] = randomBetween(&random, -1, 1);
        s.scale[i] = 1;
    }
    return s;
}

static double work[4 * SIZE], right[SIZE], x[SIZE];

static CgProblem makeProblem(Spectrum *s)
{
    TestRandom random = { 77 };
    for (int i = 0; i < SIZE; ++i)
        right[i] = randomBetween(&random, -1, 1);
    CgProblem problem = { .size = SIZE,
                          .multiply = multiply,
                          .precondition = precondition,
                          .user = s,
                          .tolerance = 1e-10,
                          .iterationLimit = 200,
                          .work = work };
    return problem;
}

static double residual(Spectrum *s)
{
    double product[SIZE], sum = 0, whole = 0;
    multiply(s, x, product);
    for (int i = 0; i < SIZE; ++i)
    {
        sum += (right[i] - product[i]) * (right[i] - product[i]);
        whole += right[i] * right[i];
    }
    return sqrt(sum / whole);
}

// exact arithmetic ends after as many steps as there are different eigenvalues; so few steps keep the rounding small
static void steps_are_the_distinct_eigenvalues(void **state)
{
    (void)state;
    for (int distinct = 1; distinct <= 12; ++distinct)
    {
        Spectrum s = makeSpectrum(distinct);
        CgProblem problem = makeProblem(&s);
        CgReport report = cgSolve(&problem, right, x);
        assert_false(report.negativeCurvature);
        assert_int_equal(report.iterations, distinct);
        assert_int_equal(s.products, distinct);
        CHECK_BELOW(report.reduction, 1e-10);
        CHECK_BELOW(residual(&s), 2e-10);
    }
}

// the true inverse as the preconditioner leaves one step
static void perfect_preconditioner_needs_one_step(void **state)
{
    (void)state;
    Spectrum s = makeSpectrum(SIZE);
    memset(s.mirror, 0, sizeof s.mirror);
    s.mirror[4] = 1; // the reflection is diagonal, and so is A
    memcpy(s.scale, s.eigenvalue, sizeof s.scale);
    CgProblem problem = makeProblem(&s);
    CgReport report = cgSolve(&problem, right, x);
    assert_int_equal(report.iterations, 1);
    CHECK_BELOW(residual(&s), 1e-14);
}

// the reported reduction is sqrt(r'z) over its start, and the solver stops at the first step below the tolerance
static void tolerance_and_limit_are_kept(void **state)
{
    (void)state;
    Spectrum s = makeSpectrum(SIZE);
    CgProblem problem = makeProblem(&s);
    problem.tolerance = 1e-3;
    CgReport report = cgSolve(&problem, right, x);
    CHECK_BELOW(report.reduction, 1e-3);
    CHECK_NEAR(residual(&s), report.reduction, 1e-12);
    problem.iterationLimit = report.iterations - 1;
    CgReport shorter = cgSolve(&problem, right, x);
    assert_int_equal(shorter.iterations, report.iterations - 1);
    assert_true(shorter.reduction > 1e-3);
    CHECK_NEAR(residual(&s), shorter.reduction, 1e-12);
    problem.iterationLimit = 0;
    shorter = cgSolve(&problem, right, x);
    assert_int_equal(shorter.iterations, 0);
    assert_true(shorter.reduction == 1 && largestMagnitude(x, SIZE) == 0);
}

static void zero_right_side_gives_zero(void **state)
{
    (void)state;
    Spectrum s = makeSpectrum(5);
    CgProblem problem = makeProblem(&s);
    memset(right, 0, sizeof right);
    x[3] = 5;
    CgReport report = cgSolve(&problem, right, x);
    assert_int_equal(report.iterations, 0);
    assert_int_equal(s.products, 0);
    assert_true(report.reduction == 0 && largestMagnitude(x, SIZE) == 0 && !report.negativeCurvature);
}

// a negative definite matrix shows at the first step: the answer is the preconditioned right side
static void negative_curvature_at_the_start(void **state)
{
    (void)state;
    Spectrum s = makeSpectrum(5);
    for (int i = 0; i < SIZE; ++i)
    {
        s.eigenvalue[i] *= -1;
        s.scale[i] = 1 + i % 3;
    }
    CgProblem problem = makeProblem(&s);
    CgReport report = cgSolve(&problem, right, x);
    assert_true(report.negativeCurvature);
    assert_int_equal(report.iterations, 0);
    for (int i = 0; i < SIZE; ++i)
        assert_true(x[i] == right[i] / s.scale[i]);
}

// one negative eigenvalue is met later: x is the iterate before it, bit for bit
static void negative_curvature_on_the_way(void **state)
{
    (void)state;
    Spectrum s = makeSpectrum(20);
    s.eigenvalue[0] = -0.5;
    CgProblem problem = makeProblem(&s);
    CgReport report = cgSolve(&problem, right, x);
    assert_true(report.negativeCurvature);
    assert_in_range(report.iterations, 1, 20);
    double met[SIZE];
    memcpy(met, x, sizeof met);
    problem.iterationLimit = report.iterations;
    report = cgSolve(&problem, right, x);
    assert_false(report.negativeCurvature);
    assert_memory_equal(met, x, sizeof met);
    assert_true(report.reduction > problem.tolerance);
}

// NaN stops the solver at once instead of filling x with it
static void nan_stops_at_once(void **state)
{
    (void)state;
    Spectrum s = makeSpectrum(5);
    CgProblem problem = makeProblem(&s);
    right[7] = NAN;
    CgReport report = cgSolve(&problem, right, x);
    assert_int_equal(report.iterations, 0);
    assert_true(isnan(report.reduction) && largestMagnitude(x, SIZE) == 0);
    problem = makeProblem(&s);
    s.eigenvalue[3] = NAN;
    report = cgSolve(&problem, right, x);
    assert_int_equal(s.products, 1);
    assert_true(report.negativeCurvature && allFinite(x, SIZE));
}

// the factor of the same matrix is a perfect preconditioner, and a product through BlockMatrix agrees with it
typedef struct Chain
{
    BlockMatrix *matrix;
    FrontFactor *factor;
} Chain;

static void chainMultiply(void *user, const double *p, double *q)
{
    matrixMultiply(((Chain *)user)->matrix, p, q);
}

static void chainSolve(void *user, const double *r, double *z)
{
    frontFactorSolve(((Chain *)user)->factor, r, z, NULL);
}

static void factor_is_a_perfect_preconditioner(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    int pairs[2 * (SIZE / 3)];
    int count = SIZE / 3;
    for (int i = 0; i < count; ++i)
    {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = (i + 1) % count;
    }
    Graph *graph = graphCreate(&memory, count, pairs, count);
    FrontTree *tree = frontTreeCreateBlocks(&memory, graph, NULL);
    Chain chain = { matrixCreate(&memory, graph), frontFactorCreate(&memory, tree, FRONT_DOUBLE, isaBest()) };
    for (int k = 0; k < graph->start[count]; ++k)
        for (int e = 0; e < 9; ++e)
            chain.matrix->value[9 * k + e] = -0.1 * e;
    for (int j = 0; j < count; ++j)
        for (int e = 0; e < 9; ++e)
            chain.matrix->value[9 * graph->start[j] + e] = e % 4 == 0 ? 8 : 0.3;
    assert_true(frontFactorCompute(chain.factor, chain.matrix->value, NULL));
    Spectrum unused = makeSpectrum(1);
    CgProblem problem = makeProblem(&unused);
    problem.multiply = chainMultiply;
    problem.precondition = chainSolve;
    problem.user = &chain;
    CgReport report = cgSolve(&problem, right, x);
    assert_int_equal(report.iterations, 1);
    CHECK_BELOW(report.reduction, 1e-12);
    frontFactorDestroy(chain.factor);
    matrixDestroy(chain.matrix);
    frontTreeDestroy(tree);
    graphDestroy(graph);
    assert_int_equal(memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_the_distinct_eigenvalues),
        cmocka_unit_test(perfect_preconditioner_needs_one_step),
        cmocka_unit_test(tolerance_and_limit_are_kept),
        cmocka_unit_test(zero_right_side_gives_zero),
        cmocka_unit_test(negative_curvature_at_the_start),
        cmocka_unit_test(negative_curvature_on_the_way),
        cmocka_unit_test(nan_stops_at_once),
        cmocka_unit_test(factor_is_a_perfect_preconditioner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
