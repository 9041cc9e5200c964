// Decimal text: the same bits as strtod of the C locale, and back.
#include "check.h"

#include "base/decimal.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t bitsOf(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void checkText(const char *text)
{
    char *end;
    double expected = strtod(text, &end), value = 0;
    const char *stop = decimalRead(text, &value);
    assert_non_null(stop);
    assert_int_equal(stop - text, end - text);
    if (bitsOf(value) != bitsOf(expected))
        fail_msg("'%s' is read as %.17g, strtod has %.17g", text, value, expected);
}

static uint64_t randomBits(TestRandom *r)
{
    return (uint64_t)(randomUnit(r) * 4294967296.0) << 32 | (uint64_t)(randomUnit(r) * 4294967296.0);
}

static void hardCasesHaveTheBitsOfStrtod(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "0",
        "-0",
        "+0.0",
        "1",
        "-1.5",
        ".5",
        "5.",
        "1e5",
        "1E+5",
        "1e-5",
        "123456789012345678901234567890",
        "9007199254740993",
        "9007199254740993.0000000000000000000000000000001",
        "9007199254740992.9999999999999999",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e400",
        "1e-400",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0e999999",
        "0.000000000000000000000000000000000000000000000000001e51",
        "100000000000000000000000000000e-29",
        "8.5e22",
        "1e22",
        "1e23",
        "3.518437208883201171875e13",
        "6929495644600919.5",
        "7.3177701707893310e+15",
        "2e",
        "2e+",
        "7x",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977"
        "587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817"
        "711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508"
        "093042880",
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        checkText(cases[i]);
    double value;
    static const char *const none[] = { "", "-", ".", "+.", "e5", "x", "nan", "inf", "--1", "-.e1" };
    for (size_t i = 0; i < sizeof none / sizeof none[0]; ++i)
        assert_null(decimalRead(none[i], &value));
    assert_non_null(decimalRead("1.5D+3", &value)); // Fortran
    CHECK_NEAR(value, 1500, 0);
}

// a tie that only the 900th digit breaks, and one that 900 zeros leave alone
static void farDigitsDecideTies(void **state)
{
    (void)state;
    char text[1200];
    for (int last = 0; last < 2; ++last)
    {
        int n = snprintf(text, sizeof text, "9007199254740993.");
        memset(text + n, '0', 900);
        text[n + 900] = (char)('0' + last);
        text[n + 901] = 0;
        double value;
        assert_non_null(decimalRead(text, &value));
        CHECK_NEAR(value, last ? 9007199254740994.0 : 9007199254740992.0, 0);
        checkText(text);
    }
}

static void randomTextHasTheBitsOfStrtod(void **state)
{
    (void)state;
    TestRandom r = { 7 };
    char text[128];
    for (int i = 0; i < 50000; ++i)
    {
        // every double, subnormals among them, at every precision
        uint64_t bits = randomBits(&r);
        if (i % 8 == 0)
            bits &= 0x800fffffffffffffULL;
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        snprintf(text, sizeof text, "%.*e", (int)randomBetween(&r, 0, 32), value);
        checkText(text);
        // coordinates as people write them
        snprintf(text, sizeof text, "%.*f", (int)randomBetween(&r, 0, 24), randomBetween(&r, -2000, 2000));
        checkText(text);
        // digits by chance: up to 30 of them, any exponent
        int n = 0, digits = (int)randomBetween(&r, 1, 31), point = (int)randomBetween(&r, 0, digits);
        for (int k = 0; k < digits; ++k)
        {
            text[n++] = (char)('0' + (int)randomBetween(&r, 0, 10));
            if (k == point)
                text[n++] = '.';
        }
        snprintf(text + n, sizeof text - (size_t)n, "e%d", (int)randomBetween(&r, -345, 330));
        checkText(text);
    }
}

// 17 to 19 digits within 10^27: one in 4096 of them is a tie but for what is left of a division
static void quotientsAreRoundedOnce(void **state)
{
    (void)state;
    TestRandom r = { 13 };
    char text[64];
    for (int i = 0; i < 200000; ++i)
    {
        unsigned long long mantissa = randomBits(&r) >> (int)randomBetween(&r, 0, 8);
        snprintf(text, sizeof text, "%llue%d", mantissa % 10000000000000000000ULL, (int)randomBetween(&r, -28, 28));
        checkText(text);
    }
}

// halfway between neighbours: 17 digits do not show the tie, 30 do
static void neighboursOfTiesAreTold(void **state)
{
    (void)state;
    TestRandom r = { 9 };
    char text[1300];
    for (int i = 0; i < 20000; ++i)
    {
        uint64_t bits = randomBits(&r) & 0x7fffffffffffffffULL;
        if (i % 2 == 0)
            bits = (bits & 0x000fffffffffffffULL) | (1000 + (uint64_t)randomBetween(&r, 0, 60)) << 52;
        double low, high;
        memcpy(&low, &bits, sizeof low);
        bits += 1;
        memcpy(&high, &bits, sizeof high);
        if (!isfinite(high) || high > 1e300)
            continue;
        // long double holds the middle exactly on x86; elsewhere this is just another number
        long double middle = ((long double)low + (long double)high) / 2;
        snprintf(text, sizeof text, "%.*Le", i % 4 == 0 ? 780 : 30, middle);
        checkText(text);
    }
}

static void numbersComeBackBitForBit(void **state)
{
    (void)state;
    TestRandom r = { 11 };
    char text[DECIMAL_SIZE];
    for (int i = 0; i < 50000; ++i)
    {
        uint64_t bits = randomBits(&r);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 2 == 0)
            value = randomBetween(&r, -10, 10);
        if (!isfinite(value))
            continue;
        char *end = decimalWrite(text, value);
        assert_true(end - text < DECIMAL_SIZE);
        *end = 0;
        double back = 0;
        assert_ptr_equal(decimalRead(text, &back), end);
        assert_true(bitsOf(back) == bitsOf(value));
        assert_true(bitsOf(strtod(text, NULL)) == bitsOf(value));
    }
}

static void numbersAreWrittenShort(void **state)
{
    (void)state;
    static const struct
    {
        double value;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { -0.0, "-0" },
        { 1, "1" },
        { -2.5, "-2.5" },
        { 0.1, "0.1" },
        { 1.0 / 3, "0.3333333333333333" },
        { 100, "100" },
        { 12345.678, "12345.678" },
        { 0.00012, "0.00012" },
        { 1.2e-7, "1.2e-07" },
        { 1e22, "1e+22" },
        { 0.1 + 0.2, "0.30000000000000004" },
        { 9.9999999999999999e22, "1e+23" },
        { 1e-300, "1e-300" },
        { 4.9406564584124654e-324, "4.94065645841247e-324" },
        { 1.7976931348623157e308, "1.7976931348623157e+308" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        char text[DECIMAL_SIZE];
        *decimalWrite(text, cases[i].value) = 0;
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hardCasesHaveTheBitsOfStrtod), cmocka_unit_test(farDigitsDecideTies),
        cmocka_unit_test(randomTextHasTheBitsOfStrtod), cmocka_unit_test(quotientsAreRoundedOnce),
        cmocka_unit_test(neighboursOfTiesAreTold),      cmocka_unit_test(numbersComeBackBitForBit),
        cmocka_unit_test(numbersAreWrittenShort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
