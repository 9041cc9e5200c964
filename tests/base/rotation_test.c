#include "base/vec.h"
#include "check.h"

// A few roundings per rotation and some five sweeps of three rotations; errors are relative to the largest entry.
#define TOLERANCE 4e-15

static Mat3 randomMatrix(TestRandom *random)
{
    Mat3 a;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] = randomBetween(random, -1, 1);
    return a;
}

// uniform over all rotations: a random unit quaternion. In long double, so that each entry is rounded once
static Mat3 randomRotation(TestRandom *random)
{
    long double q[4], length;
    do
    {
        length = 0;
        for (int i = 0; i < 4; ++i)
        {
            q[i] = randomBetween(random, -1, 1);
            length += q[i] * q[i];
        }
    } while (length > 1 || length < 1e-3L);
    length = sqrtl(length);
    long double w = q[0] / length, x = q[1] / length, y = q[2] / length, z = q[3] / length;
    long double r[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y) };
    Mat3 rotation;
    for (int i = 0; i < 9; ++i)
        rotation.m[i / 3][i % 3] = (double)r[i];
    return rotation;
}

// U diag(a, b, c) V^T with random rotations
static Mat3 withStretches(TestRandom *random, double a, double b, double c)
{
    Mat3 u = randomRotation(random), v = randomRotation(random);
    double stretch[3] = { a, b, c };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            u.m[i][j] *= stretch[j];
    return matMultiplyTransposed(&u, &v);
}

static Mat3 scaled(double s, const Mat3 *a)
{
    Mat3 b;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            b.m[i][j] = s * a->m[i][j];
    return b;
}

static double largestDifference(const Mat3 *a, const Mat3 *b)
{
    double d[9];
    for (int i = 0; i < 9; ++i)
        d[i] = a->m[i / 3][i % 3] - b->m[i / 3][i % 3];
    return largestMagnitude(d, 9);
}

static void checkRotation(const Mat3 *r)
{
    Mat3 product = matMultiplyTransposed(r, r), identity = matIdentity();
    CHECK_BELOW(largestDifference(&product, &identity), TOLERANCE);
    CHECK_NEAR(matDeterminant(r), 1, TOLERANCE);
}

// all that vec.h promises of a decomposition
static Svd3 checkSvd(const Mat3 *f)
{
    Svd3 svd = svd3(f);
    checkRotation(&svd.u);
    checkRotation(&svd.v);
    assert_true(svd.sigma[0] >= svd.sigma[1]);
    assert_true(svd.sigma[1] >= fabs(svd.sigma[2]));

    Mat3 us;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            us.m[i][j] = svd.u.m[i][j] * svd.sigma[j];
    Mat3 again = matMultiplyTransposed(&us, &svd.v);
    CHECK_BELOW(largestDifference(&again, f), TOLERANCE * largestMagnitude(&f->m[0][0], 9));
    return svd;
}

static void checkStretches(const Svd3 *svd, double a, double b, double c)
{
    CHECK_NEAR(svd->sigma[0], a, TOLERANCE * a);
    CHECK_NEAR(svd->sigma[1], b, TOLERANCE * a);
    CHECK_NEAR(svd->sigma[2], c, TOLERANCE * a);
}

// ---- singular values ------------------------------------------------------------------------------------------------

static void svdOfRandomMatrices(void **state)
{
    (void)state;
    TestRandom random = { 1 };
    int inverted = 0;
    for (int i = 0; i < 50000; ++i)
    {
        Mat3 f = randomMatrix(&random);
        Svd3 svd = checkSvd(&f);
        double det = matDeterminant(&f);
        CHECK_NEAR(svd.sigma[0] * svd.sigma[1] * svd.sigma[2], det, TOLERANCE * 4);
        if (fabs(det) > 1e-12)
            assert_true((svd.sigma[2] < 0) == (det < 0));
        inverted += det < 0;
    }
    assert_in_range(inverted, 24000, 26000); // half of them
}

static void svdFindsGivenStretches(void **state)
{
    (void)state;
    static const double stretches[][3] = {
        { 3, 2, 1 },
        { 3, 2, -1 }, // plain and inverted
        { 2, 1, 1e-8 },
        { 2, 1, -1e-8 }, // nearly flat
        { 2, 1, 0 },
        { 1, 1, 0 }, // flat
        { 5, 0, 0 },
        { 1, 1e-9, 1e-9 }, // a line, nearly a line
        { 1, 1, 1 },
        { 1, 1, -1 }, // a rotation, a reflection
        { 4, 4, 1 },
        { 4, 1, 1 }, // two alike
        { 4, 4, -1 },
        { 4, 1, -1 },                //
        { 1, 1 - 1e-15, 1 - 2e-15 }, // nearly alike
        { 1, 1e-5, 1e-10 },
        { 1e3, 1, -1e-3 }, // graded
        { 1, 1e-100, 1e-200 },
        { 1, 1e-160, -1e-170 }, // squares vanish
    };
    TestRandom random = { 2 };
    for (size_t k = 0; k < sizeof stretches / sizeof stretches[0]; ++k)
    {
        const double *s = stretches[k];
        for (int i = 0; i < 2000; ++i)
        {
            Mat3 f = withStretches(&random, s[0], s[1], s[2]);
            Svd3 svd = checkSvd(&f);
            checkStretches(&svd, s[0], s[1], s[2]);
        }
    }
}

static void svdOfDiagonalsIsExact(void **state)
{
    (void)state;
    // nothing to rotate, so nothing is rounded: also for graded and signed values, in every order and sign
    static const double values[][3] = {
        { 3, 2, 1 }, { 1, 1e-5, 1e-10 }, { 1, 1e-100, 1e-120 }, { 2, 2, 2 }, { 7, 0, 0 }
    };
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (size_t k = 0; k < sizeof values / sizeof values[0]; ++k)
    {
        for (int order = 0; order < 6; ++order)
        {
            for (int signs = 0; signs < 8; ++signs)
            {
                Mat3 f = { 0 };
                double sign = 1;
                for (int j = 0; j < 3; ++j)
                {
                    double s = signs >> j & 1 ? -1 : 1;
                    f.m[j][j] = s * values[k][orders[order][j]];
                    sign *= s;
                }
                Svd3 svd = checkSvd(&f);
                assert_true(svd.sigma[0] == values[k][0]);
                assert_true(svd.sigma[1] == values[k][1]);
                assert_true(svd.sigma[2] == sign * values[k][2]);
            }
        }
    }
}

static void svdOfZeroAndOfOneEntry(void **state)
{
    (void)state;
    Mat3 zero = { 0 }, identity = matIdentity();
    Svd3 svd = checkSvd(&zero);
    checkStretches(&svd, 0, 0, 0);
    Mat3 r = nearestRotation(&zero);
    assert_true(largestDifference(&r, &identity) == 0);
    for (int i = 0; i < 9; ++i)
    {
        Mat3 f = { 0 };
        f.m[i / 3][i % 3] = -2.5;
        svd = checkSvd(&f);
        checkStretches(&svd, 2.5, 0, 0);
    }
}

static void svdOfRankOne(void **state)
{
    (void)state;
    TestRandom random = { 3 };
    for (int k = 0; k < 5000; ++k)
    {
        double a[3], b[3], lengthA = 0, lengthB = 0;
        for (int i = 0; i < 3; ++i)
        {
            a[i] = randomBetween(&random, -1, 1);
            b[i] = randomBetween(&random, -1, 1);
            lengthA += a[i] * a[i];
            lengthB += b[i] * b[i];
        }
        Mat3 f;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                f.m[i][j] = a[i] * b[j];
        Svd3 svd = checkSvd(&f);
        checkStretches(&svd, sqrt(lengthA * lengthB), 0, 0);
        Mat3 r = nearestRotation(&f);
        checkRotation(&r);
    }
}

static void svdScales(void **state)
{
    (void)state;
    // a power of two changes no bit of the directions; others only round
    TestRandom random = { 4 };
    static const double powers[] = { 0x1p-500, 0x1p-1, 0x1p+300, 0x1p+1000 };
    static const double others[] = { 1e-300, 1e-150, 1e-30, 1e30, 1e150, 1e300 };
    for (int k = 0; k < 2000; ++k)
    {
        Mat3 f = k % 2 ? randomMatrix(&random) : withStretches(&random, 1, 1e-3, k % 4 ? -1e-6 : 1e-6);
        Svd3 plain = svd3(&f);
        for (size_t i = 0; i < sizeof powers / sizeof powers[0]; ++i)
        {
            Mat3 g = scaled(powers[i], &f);
            Svd3 svd = svd3(&g);
            assert_true(largestDifference(&svd.u, &plain.u) == 0);
            assert_true(largestDifference(&svd.v, &plain.v) == 0);
            for (int j = 0; j < 3; ++j)
                assert_true(svd.sigma[j] == powers[i] * plain.sigma[j]);
        }
        for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        {
            Mat3 g = scaled(others[i], &f);
            Svd3 svd = checkSvd(&g);
            for (int j = 0; j < 3; ++j)
                CHECK_NEAR(svd.sigma[j] / others[i], plain.sigma[j], TOLERANCE);
        }
    }
}

static void denormalsAndNonsenseAreSafe(void **state)
{
    (void)state;
    TestRandom random = { 5 };
    for (int k = 0; k < 1000; ++k)
    {
        Mat3 f = randomMatrix(&random);
        f = scaled(1e-315, &f);
        Svd3 svd = svd3(&f);
        checkRotation(&svd.u);
        checkRotation(&svd.v);
    }
    for (int i = 0; i < 9; ++i)
    {
        Mat3 f = randomMatrix(&random);
        f.m[i / 3][i % 3] = i % 2 ? (double)NAN : (double)INFINITY;
        Mat3 r = nearestRotation(&f);
        checkRotation(&r);
    }
}

// ---- nearest rotation -----------------------------------------------------------------------------------------------

static double traceOfProduct(const Mat3 *r, const Mat3 *f) // tr(R^T F)
{
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            sum += r->m[i][j] * f->m[i][j];
    return sum;
}

// the rotation by `angle` radians (small) about a random axis, times r
static Mat3 nudged(TestRandom *random, const Mat3 *r, double angle)
{
    Mat3 spin = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    double s = sin(angle), c = cos(angle);
    int a = (int)randomBetween(random, 0, 3), b = (a + 1) % 3;
    spin.m[a][a] = spin.m[b][b] = c;
    spin.m[a][b] = -s;
    spin.m[b][a] = s;
    return matMultiply(&spin, r);
}

static void nearestRotationIsTheGlobalBest(void **state)
{
    (void)state;
    TestRandom random = { 6 };
    int inverted = 0;
    for (int k = 0; k < 300; ++k)
    {
        Mat3 f = k % 3 == 0   ? randomMatrix(&random)
                 : k % 3 == 1 ? withStretches(&random, 1.5, 1, -0.8)
                              : withStretches(&random, 2, k % 2 ? 0.1 : 0, -0.05);
        inverted += matDeterminant(&f) < 0;
        Mat3 best = nearestRotation(&f);
        checkRotation(&best);
        double most = traceOfProduct(&best, &f);
        for (int i = 0; i < 3000; ++i)
        {
            Mat3 r = randomRotation(&random);
            CHECK_BELOW(traceOfProduct(&r, &f), most + TOLERANCE);
        }
        for (int i = 0; i < 300; ++i)
        {
            Mat3 r = nudged(&random, &best, randomBetween(&random, -0.1, 0.1));
            CHECK_BELOW(traceOfProduct(&r, &f), most + TOLERANCE);
        }
        // the value of the maximum: the sum of the signed stretches (Twigg and Kacic-Alesic 2010)
        Svd3 svd = svd3(&f);
        CHECK_NEAR(most, svd.sigma[0] + svd.sigma[1] + svd.sigma[2], TOLERANCE);
    }
    assert_true(inverted > 150);
}

static void rotationIsItsOwnNearest(void **state)
{
    (void)state;
    TestRandom random = { 7 };
    for (int k = 0; k < 50000; ++k)
    {
        Mat3 r = randomRotation(&random), again = nearestRotation(&r);
        CHECK_BELOW(largestDifference(&r, &again), 1e-15);
        Mat3 larger = scaled(1e5, &r);
        again = nearestRotation(&larger);
        CHECK_BELOW(largestDifference(&r, &again), 1e-15);
    }
    Mat3 identity = matIdentity(), again = nearestRotation(&identity);
    assert_true(largestDifference(&identity, &again) == 0);
}

static void nearestRotationTurnsWithF(void **state)
{
    (void)state;
    // R(Q F) = Q R(F) and R(F Q) = R(F) Q: no direction in space or in the body is special
    TestRandom random = { 8 };
    for (int k = 0; k < 5000; ++k)
    {
        Mat3 f = withStretches(&random, 1.5, 1.2, k % 2 ? 0.7 : -0.7), q = randomRotation(&random);
        Mat3 r = nearestRotation(&f);
        Mat3 qf = matMultiply(&q, &f), fq = matMultiply(&f, &q);
        Mat3 left = nearestRotation(&qf), right = nearestRotation(&fq);
        Mat3 qr = matMultiply(&q, &r), rq = matMultiply(&r, &q);
        CHECK_BELOW(largestDifference(&left, &qr), 2 * TOLERANCE);
        CHECK_BELOW(largestDifference(&right, &rq), 2 * TOLERANCE);
    }
}

static void polarFactorIsSymmetric(void **state)
{
    (void)state;
    TestRandom random = { 9 };
    for (int k = 0; k < 5000; ++k)
    {
        Mat3 f = randomMatrix(&random), r = nearestRotation(&f), rt = matTranspose(&r);
        Mat3 s = matMultiply(&rt, &f), st = matTranspose(&s);
        CHECK_BELOW(largestDifference(&s, &st), TOLERANCE);
    }
}

static void rotationsHaveTheSameBitsEverywhere(void **state)
{
    (void)state;
    TestRandom random = { 10 };
    uint64_t hash = HASH_SEED;
    for (int k = 0; k < 1000; ++k)
    {
        Mat3 f = randomMatrix(&random), r = nearestRotation(&f);
        hash = hashBytes(hash, r.m, sizeof r.m);
    }
    assert_true(hashFinish(hash) == 0x60e82afa8d99c448ULL);
}

// ---- 3x3 matrices ---------------------------------------------------------------------------------------------------

static void inverseAndDeterminantAgree(void **state)
{
    (void)state;
    TestRandom random = { 11 };
    Mat3 identity = matIdentity();
    for (int k = 0; k < 5000; ++k)
    {
        Mat3 f = withStretches(&random, 2, 1, k % 2 ? 0.5 : -0.5), inverse = matInverse(&f);
        Mat3 product = matMultiply(&f, &inverse);
        CHECK_BELOW(largestDifference(&product, &identity), TOLERANCE);
        CHECK_NEAR(matDeterminant(&f), k % 2 ? 1 : -1, TOLERANCE);
    }
}

static void productsAgreeWithTheirTransposes(void **state)
{
    (void)state;
    TestRandom random = { 12 };
    for (int k = 0; k < 1000; ++k)
    {
        Mat3 a = randomMatrix(&random), b = randomMatrix(&random), bt = matTranspose(&b);
        Mat3 one = matMultiply(&a, &bt), two = matMultiplyTransposed(&a, &b);
        assert_true(largestDifference(&one, &two) == 0);
        Vec3 x = vec3(randomUnit(&random), randomUnit(&random), randomUnit(&random));
        Mat3 ab = matMultiply(&a, &b);
        Vec3 y = matApply(&ab, x), z = matApply(&a, matApply(&b, x));
        CHECK_BELOW(vecLength(vecSub(y, z)), TOLERANCE);
        // a cross product is orthogonal to its factors
        Vec3 c = vecCross(x, y);
        CHECK_NEAR(vecDot(c, x), 0, TOLERANCE);
        CHECK_NEAR(vecDot(c, y), 0, TOLERANCE);
    }
    Vec3 up = vecCross(vec3(0, 0, 1), vec3(1, 0, 0));
    assert_true(up.x == 0 && up.y == 1 && up.z == 0); // right-handed
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(svdOfRandomMatrices),
        cmocka_unit_test(svdFindsGivenStretches),
        cmocka_unit_test(svdOfDiagonalsIsExact),
        cmocka_unit_test(svdOfZeroAndOfOneEntry),
        cmocka_unit_test(svdOfRankOne),
        cmocka_unit_test(svdScales),
        cmocka_unit_test(denormalsAndNonsenseAreSafe),
        cmocka_unit_test(nearestRotationIsTheGlobalBest),
        cmocka_unit_test(rotationIsItsOwnNearest),
        cmocka_unit_test(nearestRotationTurnsWithF),
        cmocka_unit_test(polarFactorIsSymmetric),
        cmocka_unit_test(rotationsHaveTheSameBitsEverywhere),
        cmocka_unit_test(inverseAndDeterminantAgree),
        cmocka_unit_test(productsAgreeWithTheirTransposes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
