// Text of others: what a terminal would obey is gone, everything else stays as it was.
#include "base/base.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

static void expectPlain(const char *text, const char *plain)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", text);
    textPlain(copy);
    assert_string_equal(copy, plain);
}

static void testText(void **state)
{
    (void)state;
    expectPlain("", "");
    expectPlain("plain ~ \xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "plain ~ \xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80");
    expectPlain("a\033[31mb\r\n\t\x7f", "a?[31mb????");
    expectPlain("\xc2\x9b"
                "2J",
                "??2J"); // the 8-bit CSI
    expectPlain("\xe2\x80\xaex\xe2\x81\xa6x", "???x???x");
    // cut, overlong, surrogates, beyond the last, a lone continuation
    expectPlain("\xc3", "?");
    expectPlain("\xe2\x82", "??");
    expectPlain("\xc0\xaf", "??");
    expectPlain("\xed\xa0\x80", "???");
    expectPlain("\xf4\x90\x80\x80", "????");
    expectPlain("\x9b", "?");
}

// every byte and pair of bytes: what is left is valid and has no control characters
static void testAllPairs(void **state)
{
    (void)state;
    for (int a = 1; a < 256; ++a)
    {
        for (int b = 0; b < 256; ++b)
        {
            char text[4] = { (char)a, (char)b, 0, 0 };
            size_t length = strlen(text);
            textPlain(text);
            assert_int_equal(strlen(text), length);
            for (const char *c = text; *c != 0; c += utf8Length(c))
            {
                assert_true(utf8Length(c) > 0);
                assert_false(utf8IsControl(c, utf8Length(c)));
            }
        }
    }
}

static void testResults(void **state)
{
    (void)state;
    vvResult result = resultMake(VV_BAD_INPUT, "do\033this", "name '%s'", "x\033[2J\n");
    assert_string_equal(result.message, "name 'x?[2J?'");
    assert_string_equal(result.remedy, "do?this");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testText),
        cmocka_unit_test(testAllPairs),
        cmocka_unit_test(testResults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
