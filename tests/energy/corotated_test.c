#include "check.h"
#include "energy/energy.h"

#include <string.h>

static const double shape[12] = { 0.1, 0, -0.1, 1.2, 0.1, 0, 0.2, 0.9, 0.1, 0, 0.2, 1.1 };

typedef struct Tet
{
    Memory memory;
    Energy *energy;
    double rest[12], volume, mu, lambda;
} Tet;

static void makeTet(Tet *tet, double young, double poisson, double size)
{
    const int vertices[4] = { 0, 1, 2, 3 };
    *tet = (Tet){ .memory = memoryMake(NULL) };
    for (int i = 0; i < 12; ++i)
        tet->rest[i] = size * shape[i];
    Recipe recipe = { .rest = tet->rest, .young = young, .poisson = poisson };
    tet->energy = energyCreate(&tet->memory, &corotatedKind, 4, 1, vertices, &recipe);
    assert_non_null(tet->energy);
    Mat3 edges;
    for (int c = 0; c < 3; ++c)
        for (int a = 0; a < 3; ++a)
            edges.m[a][c] = tet->rest[3 * c + 3 + a] - tet->rest[a];
    tet->volume = matDeterminant(&edges) / 6;
    tet->mu = young / (2 * (1 + poisson));
    tet->lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
}

// x = F rest
static void apply(const Tet *tet, const Mat3 *f, double *x)
{
    for (int v = 0; v < 4; ++v)
        vecStore(x + 3 * v, matApply(f, vecLoad(tet->rest + 3 * v)));
}

static Mat3 diagonal(double a, double b, double c)
{
    return (Mat3){ { { a, 0, 0 }, { 0, b, 0 }, { 0, 0, c } } };
}

// J/m^3 in a uniform deformation
static double densityAt(const Tet *tet, const Mat3 *f)
{
    double x[12];
    apply(tet, f, x);
    return energyValue(tet->energy, x) / tet->volume;
}

// d^T H d / V for the direction d = G rest, at F = I
static double curvatureAlong(const Tet *tet, const Mat3 *g)
{
    double d[12], product[12] = { 0 }, sum = 0;
    apply(tet, g, d);
    energyAddHessianTimes(tet->energy, tet->rest, HESSIAN_EXACT, d, product);
    for (int i = 0; i < 12; ++i)
        sum += d[i] * product[i];
    return sum / tet->volume;
}

// the rotation of the polar decomposition by Newton's iteration R <- (R + R^-T)/2 (Higham 1986); det F > 0
static Mat3 polarRotation(const Mat3 *f)
{
    Mat3 r = *f;
    for (int iteration = 0; iteration < 30; ++iteration)
    {
        Mat3 inverse = matInverse(&r);
        for (int i = 0; i < 9; ++i)
            r.m[i / 3][i % 3] = 0.5 * (r.m[i / 3][i % 3] + inverse.m[i % 3][i / 3]);
    }
    return r;
}

static Mat3 randomMatrix(TestRandom *numbers, double spread)
{
    Mat3 f = matIdentity();
    for (int i = 0; i < 9; ++i)
        f.m[i / 3][i % 3] += randomBetween(numbers, -spread, spread);
    return f;
}

static void poissonZeroIsTheDistanceToTheRotations(void **state)
{
    (void)state;
    TestRandom numbers = { 17 };
    Tet tet;
    makeTet(&tet, 3000, 0, 1);
    assert_true(tet.energy->traits & TRAIT_PROJECTIVE);
    for (int trial = 0; trial < 50; ++trial)
    {
        Mat3 f = randomMatrix(&numbers, 0.6);
        if (matDeterminant(&f) < 0.05)
            continue;
        Mat3 r = polarRotation(&f);
        double distance = 0;
        for (int i = 0; i < 9; ++i)
            distance += (f.m[i / 3][i % 3] - r.m[i / 3][i % 3]) * (f.m[i / 3][i % 3] - r.m[i / 3][i % 3]);
        // w/2 V |F - R|^2 with w = E; F is recovered from x with a few roundings
        CHECK_CLOSE(densityAt(&tet, &f), 0.5 * 3000 * distance, 1e-12);
    }
    energyDestroy(tet.energy);
}

static void onlyPoissonZeroIsProjective(void **state)
{
    (void)state;
    const double poissons[] = { 0.3, 0.45, -0.3 };
    for (int i = 0; i < 3; ++i)
    {
        Tet tet;
        makeTet(&tet, 1000, poissons[i], 1);
        assert_false(tet.energy->traits & TRAIT_PROJECTIVE);
        assert_true(tet.energy->traits & TRAIT_INTERNAL);
        energyDestroy(tet.energy);
    }
}

// The constants of an engineer. For a symmetric F near I the rotation is I and the energy is exactly quadratic, so the
// only error is rounding: 1e-16 / strain, doubled by the square.
static void smallStrainIsHooke(void **state)
{
    (void)state;
    const double poissons[] = { 0, 0.3, 0.45, -0.3 };
    for (int i = 0; i < 4; ++i)
    {
        double young = 1000, nu = poissons[i], e = 0.01;
        Tet tet;
        makeTet(&tet, young, nu, 1);

        // pulled along one axis, free to contract across
        for (int axis = 0; axis < 3; ++axis)
        {
            double s[3] = { 1 - nu * e, 1 - nu * e, 1 - nu * e };
            s[axis] = 1 + e;
            Mat3 pulled = diagonal(s[0], s[1], s[2]);
            CHECK_CLOSE(densityAt(&tet, &pulled), 0.5 * young * e * e, 1e-11);
        }
        // held across: the contraction -nu e is the one of least energy, 1 % of it more or less costs
        Mat3 less = diagonal(1 + e, 1 - nu * e + 1e-4, 1 - nu * e + 1e-4);
        Mat3 more = diagonal(1 + e, 1 - nu * e - 1e-4, 1 - nu * e - 1e-4);
        assert_true(densityAt(&tet, &less) > 0.5 * young * e * e);
        assert_true(densityAt(&tet, &more) > 0.5 * young * e * e);

        // pressed from all sides: K = E / (3 (1 - 2 nu)), energy K/2 (3e)^2
        double bulk = young / (3 * (1 - 2 * nu));
        Mat3 pressed = diagonal(1 - e, 1 - e, 1 - e);
        CHECK_CLOSE(densityAt(&tet, &pressed), 0.5 * bulk * 9 * e * e, 1e-11);

        // sheared by the angle 2e without turning: mu/2 (2e)^2
        double mu = young / (2 * (1 + nu));
        Mat3 sheared = matIdentity();
        sheared.m[0][1] = sheared.m[1][0] = e;
        CHECK_CLOSE(densityAt(&tet, &sheared), 0.5 * mu * 4 * e * e, 1e-11);

        // simple shear turns too: the same to the order of angle^2 (times lambda/mu, 9 at 0.45)
        Mat3 simple = matIdentity();
        simple.m[0][2] = e;
        CHECK_CLOSE(densityAt(&tet, &simple), 0.5 * mu * e * e, 2 * e * e);
        energyDestroy(tet.energy);
    }
}

// at rest: 2 mu for shear, 2 mu + 3 lambda for dilation, 0 for rotation, per unit of |dF|^2
static void eigenvaluesAtRest(void **state)
{
    (void)state;
    const double poissons[] = { 0, 0.3, 0.45, -0.3 };
    for (int i = 0; i < 4; ++i)
    {
        Tet tet;
        makeTet(&tet, 1000, poissons[i], 1);
        double mu = tet.mu, lambda = tet.lambda, scale = 1e-12 * (2 * mu + 3 * fabs(lambda)); // sums of 144 terms
        Mat3 dilation = matIdentity();
        CHECK_NEAR(curvatureAlong(&tet, &dilation), 3 * (2 * mu + 3 * lambda), 3 * scale);
        Mat3 shear = { { { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 0 } } };
        CHECK_NEAR(curvatureAlong(&tet, &shear), 2 * (2 * mu), 2 * scale);
        Mat3 flatten = diagonal(1, -2, 1);
        CHECK_NEAR(curvatureAlong(&tet, &flatten), 6 * (2 * mu), 6 * scale);
        Mat3 turn = { { { 0, -1, 2 }, { 1, 0, -3 }, { -2, 3, 0 } } };
        CHECK_NEAR(curvatureAlong(&tet, &turn), 0, 28 * scale);
        energyDestroy(tet.energy);
    }
}

static bool finiteEverywhere(Tet *tet, const double *x)
{
    double gradient[12] = { 0 }, exact[12] = { 0 }, clamped[12] = { 0 }, d[12];
    for (int i = 0; i < 12; ++i)
        d[i] = shape[(i + 5) % 12];
    energyAddGradient(tet->energy, x, gradient);
    energyAddHessianTimes(tet->energy, x, HESSIAN_EXACT, d, exact);
    energyAddHessianTimes(tet->energy, x, HESSIAN_SEMIDEFINITE, d, clamped);
    // at the jump of the rotation the exact Hessian is huge, never more than 2 (2 mu + |bend|) / floor
    return isfinite(energyValue(tet->energy, x)) && allFinite(gradient, 12) && allFinite(exact, 12) &&
           allFinite(clamped, 12);
}

static void invertedIsPushedBack(void **state)
{
    (void)state;
    const double poissons[] = { 0, 0.3, 0.45, -0.3 };
    for (int i = 0; i < 4; ++i)
    {
        Tet tet;
        makeTet(&tet, 1000, poissons[i], 1);
        // vertex 3 pushed through the opposite face, from a little to all the way
        for (double depth = 0.1; depth < 0.95; depth += 0.2)
        {
            double x[12], gradient[12] = { 0 }, after[12];
            memcpy(x, tet.rest, sizeof x);
            Vec3 a = vecLoad(x), n = vecCross(vecSub(vecLoad(x + 3), a), vecSub(vecLoad(x + 6), a));
            n = vecScale(1 / vecLength(n), n);
            double height = vecDot(n, vecSub(vecLoad(x + 9), a));
            vecStore(x + 9, vecSub(vecLoad(x + 9), vecScale((1 + depth) * height, n)));
            assert_true(finiteEverywhere(&tet, x));
            double value = energyValue(tet.energy, x);
            energyAddGradient(tet.energy, x, gradient);
            assert_true(-vecDot(vecLoad(gradient + 9), n) > 0); // the force lifts it back

            // downhill: a step small against 1 / stiffness lowers the energy by about step |gradient|^2
            double step = 1e-7, square = 0;
            for (int k = 0; k < 12; ++k)
            {
                after[k] = x[k] - step * gradient[k];
                square += gradient[k] * gradient[k];
            }
            CHECK_CLOSE(value - energyValue(tet.energy, after), step * square, 1e-2);
        }
        energyDestroy(tet.energy);
    }
}

static void collapsedIsFinite(void **state)
{
    (void)state;
    const double poissons[] = { 0, 0.3, 0.45, -0.3 };
    for (int i = 0; i < 4; ++i)
    {
        Tet tet;
        makeTet(&tet, 1000, poissons[i], 1);
        double mu = tet.mu, lambda = tet.lambda;
        // to a plane, a line, a point; mirrored, where the nearest rotation is not unique; and shrunk by 1e-160
        const double stretch[][3] = { { 1, 1, 0 },  { 1, 0, 0 },    { 0, 0, 0 },
                                      { 1, 1, -1 }, { -1, -1, -1 }, { 1e-160, 1e-160, -1e-160 } };
        for (int k = 0; k < 6; ++k)
        {
            double x[12], s = stretch[k][0], t = stretch[k][1], u = stretch[k][2];
            Mat3 f = diagonal(s, t, u);
            apply(&tet, &f, x);
            assert_true(finiteEverywhere(&tet, x));
            // by singular values, the signs in pairs: sum of mu (sigma - 1)^2 + lambda/2 (sum sigma - 3)^2
            double a = fabs(s), b = fabs(t), c = s * t * u < 0 ? -fabs(u) : fabs(u), trace = a + b + c - 3;
            double want =
                mu * ((a - 1) * (a - 1) + (b - 1) * (b - 1) + (c - 1) * (c - 1)) + 0.5 * lambda * trace * trace;
            CHECK_CLOSE(densityAt(&tet, &f), want, 1e-13); // numbers of the size of E, a few roundings
        }
        energyDestroy(tet.energy);
    }
}

// the same deformation of a larger tet: energy with the volume, force with the area, stiffness with the length
static void sizeScales(void **state)
{
    (void)state;
    TestRandom numbers = { 23 };
    const double sizes[] = { 1e-3, 0.37, 50 };
    Mat3 f = randomMatrix(&numbers, 0.3);
    for (int i = 0; i < 3; ++i)
    {
        Tet one, other;
        double s = sizes[i], x[12], y[12], gx[12] = { 0 }, gy[12] = { 0 }, hx[12] = { 0 }, hy[12] = { 0 };
        makeTet(&one, 1000, 0.3, 1);
        makeTet(&other, 1000, 0.3, s);
        apply(&one, &f, x);
        apply(&other, &f, y);
        CHECK_CLOSE(energyValue(other.energy, y), s * s * s * energyValue(one.energy, x), 1e-12);
        energyAddGradient(one.energy, x, gx);
        energyAddGradient(other.energy, y, gy);
        energyAddHessianTimes(one.energy, x, HESSIAN_EXACT, shape, hx);
        energyAddHessianTimes(other.energy, y, HESSIAN_EXACT, shape, hy);
        double force = largestMagnitude(gx, 12), product = largestMagnitude(hx, 12);
        for (int k = 0; k < 12; ++k) // a dozen roundings
        {
            CHECK_NEAR(gy[k], s * s * gx[k], 1e-12 * s * s * force);
            CHECK_NEAR(hy[k], s * hx[k], 1e-12 * s * product);
        }
        energyDestroy(one.energy);
        energyDestroy(other.energy);
    }
}

// a description says that a tet is inside out
static void descriptionNamesInversion(void **state)
{
    (void)state;
    Tet tet;
    char text[300];
    double x[12];
    makeTet(&tet, 1000, 0.3, 1);
    energyDescribe(tet.energy, tet.rest, 0, text, sizeof text);
    assert_null(strstr(text, "inverted"));
    Mat3 mirror = diagonal(1.2, 1, -0.5);
    apply(&tet, &mirror, x);
    energyDescribe(tet.energy, x, 0, text, sizeof text);
    assert_non_null(strstr(text, "inverted"));
    energyDestroy(tet.energy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poissonZeroIsTheDistanceToTheRotations),
        cmocka_unit_test(onlyPoissonZeroIsProjective),
        cmocka_unit_test(smallStrainIsHooke),
        cmocka_unit_test(eigenvaluesAtRest),
        cmocka_unit_test(invertedIsPushedBack),
        cmocka_unit_test(collapsedIsFinite),
        cmocka_unit_test(sizeScales),
        cmocka_unit_test(descriptionNamesInversion),
    };
    return cmocka_run_group_tests_name("corotated", tests, NULL, NULL);
}
