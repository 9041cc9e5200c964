// Ends of spectra that are known in advance.
#include "check.h"
#include "linear/eigen.h"

#define COUNT 40
#define SIZE (3 * COUNT)

// ---- small dense matrices -------------------------------------------------------------------------------------------

static void denseVectorsDiagonalise(void **state)
{
    (void)state;
    TestRandom random = { 2 };
    for (int size = 1; size <= 8; ++size)
    {
        double a[64] = { 0 }, copy[64], values[8], vectors[64];
        for (int i = 0; i < size; ++i)
        {
            for (int j = 0; j <= i; ++j)
                a[i * size + j] = a[j * size + i] = randomBetween(&random, -1, 1);
        }
        memcpy(copy, a, sizeof a);
        eigenDense(size, copy, values, vectors);
        for (int k = 0; k < size; ++k)
        {
            assert_true(k == 0 || values[k - 1] <= values[k]);
            for (int i = 0; i < size; ++i)
            {
                double product = 0, overlap = 0;
                for (int j = 0; j < size; ++j)
                {
                    product += a[i * size + j] * vectors[k * size + j];
                    overlap += vectors[i * size + j] * vectors[k * size + j];
                }
                CHECK_NEAR(product, values[k] * vectors[k * size + i], 1e-14);
                CHECK_NEAR(overlap, i == k, 1e-14);
            }
        }
    }
}

// ---- a chain in x, y and z with stiffness 1, 2 and 3 and masses of its own ------------------------------------------

typedef struct Chain
{
    double mass[COUNT];
    unsigned char fixed[COUNT];
    double work[EIGEN_SMALLEST_WORK * SIZE];
} Chain;

static void multiplyChain(void *user, const double *x, double *y)
{
    const Chain *chain = user;
    for (int i = 0; i < SIZE; ++i)
        y[i] = 0;
    for (int v = 0; v + 1 < COUNT; ++v)
    {
        for (int a = 0; a < 3; ++a)
        {
            int i = 3 * v + a, j = i + 3;
            double force = (a + 1) * (x[j] - x[i]);
            y[i] -= chain->fixed[v] ? 0 : force;
            y[j] += chain->fixed[v + 1] ? 0 : force;
        }
    }
}

// the masses alone: a poor preconditioner, but one
static void divideByMass(void *user, const double *r, double *z)
{
    const Chain *chain = user;
    for (int i = 0; i < SIZE; ++i)
        z[i] = r[i] / chain->mass[i / 3];
}

static EigenProblem problemOf(Chain *chain)
{
    for (int v = 0; v < COUNT; ++v)
        chain->mass[v] = v == 0 || v == COUNT - 1 ? 1 : 2; // ends halved: closed forms
    return (EigenProblem){ .count = COUNT,
                           .mass = chain->mass,
                           .fixed = chain->fixed,
                           .multiply = multiplyChain,
                           .precondition = divideByMass,
                           .user = chain,
                           .tolerance = 1e-6,
                           .iterationLimit = 400,
                           .work = chain->work };
}

static double chainValue(double k, double angle)
{
    return 2 * k / 2 * (1 - cos(angle)); // 2 k/m (1 - cos)
}

static void largestOfAChain(void **state)
{
    (void)state;
    Chain chain = { 0 };
    EigenProblem problem = problemOf(&chain);
    CHECK_CLOSE(eigenLargest(&problem), chainValue(3, acos(-1)), 1e-6);
    chain.fixed[0] = 1;
    CHECK_CLOSE(eigenLargest(&problem), chainValue(3, acos(-1) * (2 * COUNT - 3) / (2 * COUNT - 2)), 1e-6);
    memset(chain.fixed, 1, COUNT);
    assert_true(eigenLargest(&problem) == 0);
}

static void smallestOfAChain(void **state)
{
    (void)state;
    Chain chain = { 0 };
    EigenProblem problem = problemOf(&chain);
    // free: the three translations are known, the next is that along x
    double known[3 * SIZE] = { 0 };
    for (int i = 0; i < SIZE; ++i)
        known[(i % 3) * SIZE + i] = 1 / sqrt(2.0 * COUNT - 2);
    CHECK_CLOSE(eigenSmallest(&problem, known, 3, 1e-12), chainValue(1, acos(-1) / (COUNT - 1)), 1e-5);
    // one known translation less: that one costs nothing
    assert_true(eigenSmallest(&problem, known, 2, 1e-8) == 0);
    chain.fixed[0] = 1;
    CHECK_CLOSE(eigenSmallest(&problem, NULL, 0, 1e-12), chainValue(1, acos(-1) / (2 * COUNT - 2)), 1e-5);
    memset(chain.fixed, 1, COUNT);
    assert_true(eigenSmallest(&problem, NULL, 0, 1e-12) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(denseVectorsDiagonalise),
        cmocka_unit_test(largestOfAChain),
        cmocka_unit_test(smallestOfAChain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
