// Numbers as text: what is written reads back as the same bits, and is as short as it can be.
#include "check.h"
#include "record/record.h"

#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

static float floatOf(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void checkFloat(float value)
{
    char text[LONGEST_FLOAT + 1];
    char *end = textFloat(text, value);
    assert_true(end - text <= LONGEST_FLOAT);
    *end = 0;
    float back = strtof(text, NULL);
    if (memcmp(&back, &value, sizeof value) != 0)
        fail_msg("%.9g became %s", (double)value, text);
}

static void testFloatsReadBack(void **state)
{
    (void)state;
    const float special[] = { 0,           -0.0f,        1,        -1,       0.1f,         9.9999999e9f,
                              1e10f,       999999999.0f, 1e9f,     16777216, 16777218,     1e-5f,
                              9.9999e-6f,  FLT_MAX,      -FLT_MAX, FLT_MIN,  FLT_TRUE_MIN, 1.17549421e-38f,
                              8.5899346e9f };
    for (size_t i = 0; i < sizeof special / sizeof *special; ++i)
        checkFloat(special[i]);
    TestRandom random = { 7 };
    for (int i = 0; i < 200000; ++i)
    {
        uint32_t bits = (uint32_t)(randomUnit(&random) * 4294967296.0);
        if ((bits >> 23 & 255) != 255)
            checkFloat(floatOf(bits));
        checkFloat((float)randomBetween(&random, -10, 10));
    }
    // around powers of two the floats on the two sides lie differently far apart
    for (uint32_t exponent = 1; exponent < 255; ++exponent)
    {
        for (uint32_t offset = 0; offset < 5; ++offset)
            checkFloat(floatOf((exponent << 23) + offset - 2));
    }
}

static void testFloatsAreShort(void **state)
{
    (void)state;
    const struct
    {
        float value;
        const char *text;
    } cases[] = { { 0.1f, "0.1" },         { 0.3f, "0.3" },           { 100, "100" },
                  { -2.5f, "-2.5" },       { 1e-7f, "1e-7" },         { 1.5e20f, "1.5e20" },
                  { 0.00012f, "0.00012" }, { 123456.7f, "123456.7" }, { 1e8f, "100000000" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        char text[LONGEST_FLOAT + 1];
        *textFloat(text, cases[i].value) = 0;
        assert_string_equal(text, cases[i].text);
    }
    // no text is longer than the shortest of %g that reads back
    TestRandom random = { 11 };
    int longer = 0;
    for (int i = 0; i < 20000; ++i)
    {
        float value = (float)randomBetween(&random, 1, 10);
        char text[LONGEST_FLOAT + 1], other[32];
        *textFloat(text, value) = 0;
        for (int digits = 6; digits <= 9; ++digits)
        {
            snprintf(other, sizeof other, "%.*g", digits, (double)value);
            if (strtof(other, NULL) == value)
                break;
        }
        longer += strlen(text) > strlen(other);
    }
    assert_true(longer <= 2); // only where a decimal lies within a millionth of the edge
}

static void testRealsReadBack(void **state)
{
    (void)state;
    TestRandom random = { 3 };
    for (int i = 0; i < 20000; ++i)
    {
        double value = randomBetween(&random, -1, 1) * exp(randomBetween(&random, -200, 200));
        char text[32];
        *textReal(text, value) = 0;
        assert_true(strtod(text, NULL) == value);
    }
    char text[32];
    *textReal(text, 0.1) = 0;
    assert_string_equal(text, "0.1");
    *textReal(text, 1 / (1.0 / 60)) = 0;
    assert_string_equal(text, "60");
    *textReal(text, NAN) = 0;
    assert_string_equal(text, "nan");
    *textReal(text, -INFINITY) = 0;
    assert_string_equal(text, "-inf");
}

static void testLocaleDoesNotMatter(void **state)
{
    (void)state;
    static const char *const locales[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8" };
    bool found = false;
    for (size_t i = 0; i < sizeof locales / sizeof *locales && !found; ++i)
        found = setlocale(LC_NUMERIC, locales[i]) != NULL;
    if (!found)
        print_message("no locale with another decimal point is installed here\n");
    char text[64];
    *textReal(text, 0.5) = 0;
    assert_string_equal(text, "0.5");
    *textReal(text, -1.25e-300) = 0;
    assert_string_equal(text, "-1.25e-300");
    setlocale(LC_NUMERIC, "C");
}

static void testFloatsDoNotOverflow(void **state)
{
    (void)state;
    assert_true(toFloat(1e300) == FLT_MAX && toFloat(-1e300) == -FLT_MAX && toFloat(0.5) == 0.5f);
    char bytes[8];
    storeWhole(bytes, 0x0102030405060708ULL, 8);
    assert_int_equal(bytes[0], 8);
    assert_true(loadWhole(bytes, 8) == 0x0102030405060708ULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testFloatsReadBack),      cmocka_unit_test(testFloatsAreShort),
        cmocka_unit_test(testRealsReadBack),       cmocka_unit_test(testLocaleDoesNotMatter),
        cmocka_unit_test(testFloatsDoNotOverflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
