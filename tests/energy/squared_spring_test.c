#include "check.h"
#include "energy/energy.h"

// vertex 0 at the origin, rest length l
static Energy *makeSpring(Memory *memory, double k, double l)
{
    const double rest[6] = { 0, 0, 0, 0, 0, l };
    const int vertices[2] = { 0, 1 };
    Recipe recipe = { .rest = rest, .strength = &k };
    Energy *energy = energyCreate(memory, &squaredSpringKind, 2, 1, vertices, &recipe);
    assert_non_null(energy);
    return energy;
}

// Dinev 2018, Eq 7: E = k/2 (|x|^2 - 1)^2 with k = 1e5 is ours with 4e5 and l = 1
#define PAPER 1e5

static void valueOfThePaper(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Energy *energy = makeSpring(&memory, 4 * PAPER, 1);
    double x[6] = { 0, 0, 0, 1.5, 0, 0 };
    CHECK_CLOSE(energyValue(energy, x), 0.5 * 1e5 * (1.5 * 1.5 - 1) * (1.5 * 1.5 - 1), 1e-15); // all exact in binary
    CHECK_CLOSE(energyValue(energy, x), 78125, 1e-15);
    x[3] = 0;
    CHECK_CLOSE(energyValue(energy, x), 5e4, 1e-15); // the hill at zero length: k/2
    energyDestroy(energy);
}

// gradient 2 k (|x|^2 - 1) x and Hessian 2 k (|x|^2 - 1) I + 4 k x x^T, with the paper's k
static void derivativesOfThePaper(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Energy *energy = makeSpring(&memory, 4 * PAPER, 1);
    TestRandom numbers = { 3 };
    for (int trial = 0; trial < 20; ++trial)
    {
        double x[6] = { 0 }, d[6] = { 0 }, gradient[6] = { 0 }, product[6] = { 0 };
        for (int i = 0; i < 3 && trial > 0; ++i) // trial 0 is zero length
            x[3 + i] = randomBetween(&numbers, -1.5, 1.5);
        for (int i = 3; i < 6; ++i)
            d[i] = randomBetween(&numbers, -1, 1);
        Vec3 p = vecLoad(x + 3);
        double stretch = vecDot(p, p) - 1;
        energyAddGradient(energy, x, gradient);
        energyAddHessianTimes(energy, x, HESSIAN_EXACT, d, product);
        for (int a = 0; a < 3; ++a)
        {
            // a few roundings of numbers up to 12 k; the square of a root in |d|^2
            CHECK_NEAR(gradient[3 + a], 2 * PAPER * stretch * x[3 + a], 1e-14 * PAPER);
            double want = 2 * PAPER * stretch * d[3 + a] + 4 * PAPER * vecDot(p, vecLoad(d + 3)) * x[3 + a];
            CHECK_NEAR(product[3 + a], want, 1e-13 * PAPER);
            CHECK_NEAR(product[a], -want, 1e-13 * PAPER);
        }
    }
    energyDestroy(energy);
}

// k is the stiffness at rest, N/m, at every length
static void stiffnessAtRestIsK(void **state)
{
    (void)state;
    const double lengths[] = { 0.01, 1, 3 };
    for (int i = 0; i < 3; ++i)
    {
        Memory memory = memoryMake(NULL);
        double l = lengths[i], k = 250, step = 1e-3 * l;
        Energy *energy = makeSpring(&memory, k, l);
        double x[6] = { 0, 0, 0, 0, l, 0 }, d[6] = { 0, 0, 0, 1, 1, 0 }, product[6] = { 0 };
        energyAddHessianTimes(energy, x, HESSIAN_EXACT, d, product);
        CHECK_CLOSE(product[4], k, 1e-14);
        CHECK_NEAR(product[3], 0, 1e-14 * k); // no force across at rest, so no stiffness across
        // and by value: E = k/2 s^2 (1 + s/(2l))^2, the relative step is 1e-3
        x[4] = l + step;
        CHECK_CLOSE(energyValue(energy, x), 0.5 * k * step * step * (1 + 0.5e-3) * (1 + 0.5e-3), 1e-11);
        energyDestroy(energy);
    }
}

// Smooth through zero length and not convex: the clamped Hessian is what is left of it.
static void hillAtZeroLength(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Energy *energy = makeSpring(&memory, 4, 1);
    double x[6] = { 0 }, d[6] = { 0, 0, 0, 1, 2, 3 }, gradient[6] = { 0 }, exact[6] = { 0 }, clamped[6] = { 0 };
    energyAddGradient(energy, x, gradient);
    energyAddHessianTimes(energy, x, HESSIAN_EXACT, d, exact);
    energyAddHessianTimes(energy, x, HESSIAN_SEMIDEFINITE, d, clamped);
    for (int i = 0; i < 6; ++i)
    {
        assert_true(gradient[i] == 0);
        CHECK_NEAR(exact[i], i < 3 ? 2 * d[i + 3] : -2 * d[i], 1e-15); // -2 k I with the paper's k = 1
        assert_true(clamped[i] == 0);
    }
    energyDestroy(energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valueOfThePaper),
        cmocka_unit_test(derivativesOfThePaper),
        cmocka_unit_test(stiffnessAtRestIsK),
        cmocka_unit_test(hillAtZeroLength),
    };
    return cmocka_run_group_tests_name("squared_spring", tests, NULL, NULL);
}
