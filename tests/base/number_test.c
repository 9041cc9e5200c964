#include "base/base.h"
#include "base/quaternion.h"
#include "check.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 4097

static uint64_t bitsOf(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// ---- sums -----------------------------------------------------------------------------------------------------------

// the promised tree, written a second time: halves down to runs of at most 16, added left to right
static double treeSum(const double *values, int from, int to)
{
    if (to - from > 16)
    {
        int middle = from + (to - from) / 2;
        double left = treeSum(values, from, middle), right = treeSum(values, middle, to);
        return left + right;
    }
    double sum = 0;
    for (int i = from; i < to; ++i)
        sum = sum + values[i];
    return sum;
}

static void sumOfIntegersIsExact(void **state)
{
    (void)state;
    double values[COUNT];
    for (int i = 0; i < COUNT; ++i)
        values[i] = i + 1;
    for (int count = 0; count <= COUNT; ++count)
        assert_true(sumPairwise(values, count) == 0.5 * count * (count + 1));
}

static void sumHasTheFixedTree(void **state)
{
    (void)state;
    TestRandom random = { 1 };
    double values[COUNT];
    for (int i = 0; i < COUNT; ++i)
    {
        int exponent = (int)floor(randomBetween(&random, -30, 30));
        values[i] = ldexp(randomBetween(&random, -1, 1), exponent);
    }
    for (int count = 0; count <= COUNT; ++count)
        assert_true(bitsOf(sumPairwise(values, count)) == bitsOf(treeSum(values, 0, count)));
    // the same bits from every compiler and machine
    assert_true(bitsOf(sumPairwise(values, COUNT)) == 0xc1d39dd5ce39df2cULL);
}

static void roundingOfSumsStaysSmall(void **state)
{
    (void)state;
    // a million times 0.1: each value passes 15 additions of its run and 16 levels of the tree
    int count = 1000000;
    double *values = malloc((size_t)count * sizeof(double));
    assert_non_null(values);
    for (int i = 0; i < count; ++i)
        values[i] = 0.1;
    CHECK_NEAR(sumPairwise(values, count), 1e5, 1e5 * 31 * DBL_EPSILON / 2);
    free(values);
}

// ---- extremes -------------------------------------------------------------------------------------------------------

static void largestMagnitudeSeesEveryPlace(void **state)
{
    (void)state;
    double values[9] = { 0 };
    assert_true(largestMagnitude(values, 9) == 0);
    assert_true(largestMagnitude(values, 0) == 0);
    for (int i = 0; i < 9; ++i)
    {
        for (int j = 0; j < 9; ++j)
            values[j] = j % 2 ? -0.5 : 0.25;
        values[i] = -3;
        assert_true(largestMagnitude(values, 9) == 3);
        assert_true(allFinite(values, 9));
        values[i] = (double)-INFINITY;
        assert_true(largestMagnitude(values, 9) == (double)INFINITY);
        assert_false(allFinite(values, 9));
        values[(i + 1) % 9] = (double)NAN;
        assert_true(isnan(largestMagnitude(values, 9)));
        values[i] = 1e300;
        assert_true(isnan(largestMagnitude(values, 9)));
        assert_false(allFinite(values, 9));
    }
    assert_true(allFinite(values, 0));
}

// ---- sine and cosine ------------------------------------------------------------------------------------------------

#define SINE_TOLERANCE 4e-16 // what base.h promises

static void checkAngle(double angle)
{
    double s, c;
    sineCosine(angle, &s, &c);
    if (!(fabs(s - sin(angle)) <= SINE_TOLERANCE && fabs(c - cos(angle)) <= SINE_TOLERANCE))
        fail_msg("angle %.17g: sine off by %.3g, cosine off by %.3g", angle, s - sin(angle), c - cos(angle));
}

static void sineAndCosineAgreeWithLibm(void **state)
{
    (void)state;
    TestRandom random = { 2 };
    for (int i = 0; i < 300000; ++i)
    {
        checkAngle(randomBetween(&random, -1000, 1000));
        checkAngle(randomBetween(&random, -PI, PI));
    }
    // where the octants meet, and near the zeros
    for (int k = -1270; k <= 1270; ++k)
    {
        double edge = k * (PI / 4);
        checkAngle(edge);
        checkAngle(nextafter(edge, 2000));
        checkAngle(nextafter(edge, -2000));
        checkAngle(edge + 1e-8);
        checkAngle(edge - 1e-8);
    }
    checkAngle(1000);
    checkAngle(-1000);
}

static void smallAnglesAreKept(void **state)
{
    (void)state;
    for (double angle = 1e-8; angle > 1e-300; angle /= 10)
    {
        double s, c;
        sineCosine(angle, &s, &c);
        CHECK_CLOSE(s, angle, 2 * DBL_EPSILON); // relative: the series begins with the angle
        assert_true(c == 1);
        sineCosine(-angle, &c, &s);
        CHECK_CLOSE(c, -angle, 2 * DBL_EPSILON);
    }
    double s, c;
    sineCosine(0, &s, &c);
    assert_true(s == 0 && c == 1);
}

static void turnsKeepTheirLength(void **state)
{
    (void)state;
    TestRandom random = { 3 };
    for (int i = 0; i < 100000; ++i)
    {
        double s, c;
        sineCosine(randomBetween(&random, -1000, 1000), &s, &c);
        CHECK_NEAR(s * s + c * c, 1, 2 * SINE_TOLERANCE);
    }
}

static void sineHasTheSameBitsEverywhere(void **state)
{
    (void)state;
    TestRandom random = { 4 };
    uint64_t hash = HASH_SEED;
    for (int i = 0; i < 1000; ++i)
    {
        double pair[2];
        sineCosine(randomBetween(&random, -1000, 1000), &pair[0], &pair[1]);
        hash = hashBytes(hash, pair, sizeof pair);
    }
    assert_true(hashFinish(hash) == 0x78b4861ad467f1a6ULL);
}

// ---- hash -----------------------------------------------------------------------------------------------------------

static uint64_t hashOf(const void *data, size_t size)
{
    return hashFinish(hashBytes(HASH_SEED, data, size));
}

static void hashHasGoldenValues(void **state)
{
    (void)state;
    unsigned char bytes[64];
    for (int i = 0; i < 64; ++i)
        bytes[i] = (unsigned char)(i * 7 + 1);
    double numbers[3] = { 1.0, -0.5, 1e-300 };
    assert_true(hashOf(bytes, 0) == 0xefd01f60ba992926ULL);
    assert_true(hashOf(bytes, 1) == 0x98f5789d166cb124ULL);
    assert_true(hashOf(bytes, 13) == 0xb2117e8de534a4f2ULL);
    assert_true(hashOf(bytes, 64) == 0x558c97b0caa9e670ULL);
    assert_true(hashOf(numbers, sizeof numbers) == 0x0071e343e7af2d9dULL);
}

static void hashChainsAtWholeWords(void **state)
{
    (void)state;
    double values[32];
    TestRandom random = { 5 };
    for (int i = 0; i < 32; ++i)
        values[i] = randomUnit(&random);
    uint64_t whole = hashBytes(HASH_SEED, values, sizeof values);
    for (size_t cut = 0; cut <= 32; ++cut)
    {
        uint64_t first = hashBytes(HASH_SEED, values, cut * sizeof(double));
        assert_true(hashBytes(first, values + cut, (32 - cut) * sizeof(double)) == whole);
    }
    // the order of the pieces matters
    uint64_t turned = hashBytes(hashBytes(HASH_SEED, values + 16, 128), values, 128);
    assert_true(turned != whole);
}

static void hashSeesEveryBit(void **state)
{
    (void)state;
    // every step is a bijection of the state, so one changed word cannot be lost: not a matter of luck
    unsigned char bytes[45] = { 0 };
    for (size_t size = 1; size <= sizeof bytes; ++size)
    {
        uint64_t before = hashOf(bytes, size);
        for (size_t bit = 0; bit < size * 8; ++bit)
        {
            bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
            assert_true(hashOf(bytes, size) != before);
            bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        }
        assert_true(hashOf(bytes, size) == before);
    }
    double zero = 0.0, minusZero = -0.0;
    assert_true(hashOf(&zero, 8) != hashOf(&minusZero, 8));
}

static int bitCount(uint64_t word)
{
    int count = 0;
    for (; word != 0; word &= word - 1)
        ++count;
    return count;
}

static void hashAvalanches(void **state)
{
    (void)state;
    // one input bit, in the first or the last of four words, flips half of the 64 output bits
    TestRandom random = { 6 };
    int trials = 500;
    for (size_t place = 0; place < 4; ++place)
    {
        double flips = 0;
        int outputs[64] = { 0 };
        for (int trial = 0; trial < trials; ++trial)
        {
            uint64_t words[4];
            for (int i = 0; i < 4; ++i)
                words[i] = bitsOf(randomBetween(&random, -1, 1));
            uint64_t before = hashOf(words, sizeof words);
            for (int bit = 0; bit < 64; ++bit)
            {
                words[place] ^= 1ULL << bit;
                uint64_t change = before ^ hashOf(words, sizeof words);
                words[place] ^= 1ULL << bit;
                flips += bitCount(change);
                assert_in_range(bitCount(change), 6, 58); // 6.5 standard deviations of a fair coin
                for (int k = 0; k < 64; ++k)
                    outputs[k] += (int)(change >> k & 1);
            }
        }
        CHECK_NEAR(flips / (64 * trials), 32, 0.15);
        // and no output bit is lazy: 32000 throws, 6 standard deviations are 0.017
        for (int k = 0; k < 64; ++k)
            CHECK_NEAR(outputs[k] / (64.0 * trials), 0.5, 0.02);
    }
}

// ---- decay ----------------------------------------------------------------------------------------------------------

static void decayAgreesWithLibm(void **state)
{
    (void)state;
    assert_true(decayOver(0) == 1);
    for (double x = 1e-12; x < 707; x = x * 1.003 + 1e-4)
        CHECK_CLOSE(decayOver(x), exp(-x), 4e-16);
    assert_true(decayOver(708) == 0 && decayOver(INFINITY) == 0 && isnan(decayOver(NAN)));
    // the same bits from every compiler and machine
    assert_true(bitsOf(decayOver(0.3)) == 0x3fe7b4c869c37c05ULL);
}

static void logarithmAgreesWithLibm(void **state)
{
    (void)state;
    TestRandom numbers = { 9 };
    for (int k = 0; k < 1000; ++k)
    {
        double x = exp(randomBetween(&numbers, -30, 30));
        CHECK_NEAR(logarithm(x), log(x), 2e-15 * (1 + 30));
    }
    assert_true(logarithm(1) == 0 && logarithm(0) == 0 && logarithm(NAN) == 0);
}

// all around the circle, at its axes, and at any length
static void anglesOfPoints(void **state)
{
    (void)state;
    TestRandom random = { 3 };
    for (int i = 0; i < 10000; ++i)
    {
        double x = randomBetween(&random, -1, 1), y = randomBetween(&random, -1, 1) * pow(10, i % 9 - 4);
        CHECK_NEAR(angleOf(y, x), atan2(y, x), 1e-15);
    }
    assert_true(angleOf(0, 0) == 0 && angleOf(0, 2) == 0);
    CHECK_NEAR(angleOf(0, -2), PI, 1e-15);
    CHECK_NEAR(angleOf(-3, 0), -PI / 2, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sumOfIntegersIsExact),
        cmocka_unit_test(sumHasTheFixedTree),
        cmocka_unit_test(roundingOfSumsStaysSmall),
        cmocka_unit_test(largestMagnitudeSeesEveryPlace),
        cmocka_unit_test(sineAndCosineAgreeWithLibm),
        cmocka_unit_test(smallAnglesAreKept),
        cmocka_unit_test(turnsKeepTheirLength),
        cmocka_unit_test(sineHasTheSameBitsEverywhere),
        cmocka_unit_test(hashHasGoldenValues),
        cmocka_unit_test(hashChainsAtWholeWords),
        cmocka_unit_test(hashSeesEveryBit),
        cmocka_unit_test(hashAvalanches),
        cmocka_unit_test(decayAgreesWithLibm),
        cmocka_unit_test(logarithmAgreesWithLibm),
        cmocka_unit_test(anglesOfPoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
