// The material of docs/materials-own.md, compiled as the page shows it: a spring that hardens as it is stretched.
#include "check.h"
#include "energy/pair.h"

// phi(r) = k/2 s^2 (1 + s^2 / l^2) with the stretch s = r - l: k is the stiffness at rest in N/m, at 50 % of stretch it
// is 2.5 k
static PairPoint hardeningLaw(const double *param, double r)
{
    double k = param[0], l = param[LANES], s = r - l, share = s * s / (l * l);
    double slope = k * s * (1 + 2 * share);
    return (PairPoint){
        .value = 0.5 * k * s * s * (1 + share),
        .slope = slope,
        .ratio = r > 0 ? slope / r : 0,
        .curvature = k * (1 + 6 * share),
    };
}

static void hardeningValues(Energy *energy, const double *x, int begin, int end)
{
    pairValues(energy, x, begin, end, hardeningLaw);
}

static void hardeningGradient(Energy *energy, const double *x, int begin, int end)
{
    pairGradient(energy, x, begin, end, hardeningLaw);
}

static void hardeningHessian(const Energy *energy, const double *x, int block, HessianMode mode, double *out)
{
    pairHessian(energy, x, block, mode, out, hardeningLaw);
}

static void hardeningLineValues(Energy *energy, double alpha, int begin, int end)
{
    pairLineValues(energy, alpha, begin, end, hardeningLaw);
}

// the curvature is 2.5 k at 50 % of stretch: local/global checks what lies beyond
static void hardeningMajorizer(const Energy *energy, int block, double *out)
{
    pairMajorizer(energy, block, out, 2.5);
}

static const EnergyKind hardeningSpringKind = {
    .name = "hardening-spring",
    .traits = TRAIT_INTERNAL,
    .column = COLUMN_ELASTIC,
    .corners = 2,
    .paramCount = PAIR_PARAMS,
    .lineCount = PAIR_LINE,
    .prepare = pairPrepare,
    .values = hardeningValues,
    .gradient = hardeningGradient,
    .lineStart = pairLineStart,
    .lineValues = hardeningLineValues,
    .hessian = hardeningHessian,
    .majorizer = hardeningMajorizer,
    .describe = pairDescribe,
};

// three springs of different length and stiffness around a triangle
static Energy *makeTriangle(Memory *memory, double *rest)
{
    static const double points[9] = { 0, 0, 0, 1, 0, 0, 0.3, 0.8, 0.1 };
    static const int vertices[6] = { 0, 1, 1, 2, 2, 0 };
    static const double strength[3] = { 100, 200, 50 };
    memcpy(rest, points, sizeof points);
    Recipe recipe = { .rest = points, .strength = strength };
    Energy *energy = energyCreate(memory, &hardeningSpringKind, 3, 3, vertices, &recipe);
    assert_non_null(energy);
    return energy;
}

static void restIsForceFree(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    double x[9], gradient[9] = { 0 };
    Energy *energy = makeTriangle(&memory, x);
    energyAddGradient(energy, x, gradient);
    CHECK_NEAR(energyValue(energy, x), 0, 1e-28);
    for (int i = 0; i < 9; ++i)
        CHECK_NEAR(gradient[i], 0, 1e-13); // rounding of 200 N/m times a metre
    energyDestroy(energy);
}

// value, gradient and Hessian are derivatives of each other: central differences, error of the order of the step
// squared
static void derivativesAgree(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    TestRandom numbers = { 5 };
    double x[9], d[9], step = 1e-5;
    Energy *energy = makeTriangle(&memory, x);
    for (int i = 0; i < 9; ++i)
    {
        x[i] += randomBetween(&numbers, -0.2, 0.2);
        d[i] = randomBetween(&numbers, -1, 1);
    }
    double ahead[9], behind[9], gradient[9] = { 0 }, after[9] = { 0 }, before[9] = { 0 }, product[9] = { 0 }, slope = 0;
    for (int i = 0; i < 9; ++i)
    {
        ahead[i] = x[i] + step * d[i];
        behind[i] = x[i] - step * d[i];
    }
    energyAddGradient(energy, x, gradient);
    energyAddGradient(energy, ahead, after);
    energyAddGradient(energy, behind, before);
    energyAddHessianTimes(energy, x, HESSIAN_EXACT, d, product);
    for (int i = 0; i < 9; ++i)
    {
        slope += gradient[i] * d[i];
        CHECK_NEAR(product[i], (after[i] - before[i]) / (2 * step), 1e-5);
    }
    CHECK_NEAR(slope, (energyValue(energy, ahead) - energyValue(energy, behind)) / (2 * step), 1e-6);
    energyLineStart(energy, x, d);
    CHECK_NEAR(energyLineValue(energy, step), energyValue(energy, ahead), 1e-12);
    energyDestroy(energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restIsForceFree),
        cmocka_unit_test(derivativesAgree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
