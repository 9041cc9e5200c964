// JSON text: what is not JSON is refused with its place; what is, comes back with the same bits.
#include "files.h"

#include "scene/json.h"

static void testRefused(void **state)
{
    (void)state;
    static const struct
    {
        const char *text;
        const char *named; // in the message
    } cases[] = {
        { "", "t:1:1: the text ends" },
        { "   \n ", "t:2:2: the text ends" },
        { "{", "t:1:2: the text ends" },
        { "{\"a\" 1}", "t:1:6: '1' stands where ':'" },
        { "{\"a\": 1,}", "t:1:8: a comma behind the last entry" },
        { "[1, 2,\n]", "t:1:6: a comma behind the last entry" },
        { "{\"a\": 1 \"b\": 2}", "t:1:9: '\"' stands where ',' or '}'" },
        { "{\n  a: 1}", "t:2:3: 'a' stands where a key in double quotes" },
        { "{'a': 1}", "single quotes" },
        { "{\"a\": 1} // end", "t:1:10: text behind the end" },
        { "{\"a\": /* one */ 1}", "t:1:7: JSON has no comments" },
        { "{\"a\": 1} {}", "t:1:10: text behind the end" },
        { "[1e999]", "t:1:2: 1e999 is beyond the largest number" },
        { "[-1e999]", "-1e999 is beyond" },
        { "[NaN]", "NaN is neither" },
        { "[Infinity]", "Infinity is neither" },
        { "[-Infinity]", "a number JSON does not know" },
        { "[tru]", "tru is neither" },
        { "[01]", "a number JSON does not know" },
        { "[1.]", "a number JSON does not know" },
        { "[.5]", "no number begins so" },
        { "[+1]", "no number begins so" },
        { "[1e]", "a number JSON does not know" },
        { "[0x10]", "',' or ']'" },
        { "[1,,2]", "a value" },
        { "[\"a\nb\"]", "closing quote" },
        { "[\"a\tb\"]", "control character" },
        { "[\"\\q\"]", "an escape" },
        { "[\"\\u12\"]", "an escape" },
        { "[\"\\u0000\"]", "an escape" },
        { "[\"\\ud800\"]", "an escape" },
        { "[\"\\udc00\"]", "an escape" },
        { "[\"open", "closing quote" },
        { "[\"\xff\"]", "byte 0xff is not UTF-8" },
        { "[\"\xc0\xaf\"]", "byte 0xc0 is not UTF-8" },     // overlong
        { "[\"\xed\xa0\x80\"]", "byte 0xed is not UTF-8" }, // surrogate
        { "[\"\xf4\x90\x80\x80\"]", "byte 0xf4 is not UTF-8" },
        { "[\"\xe2\x82\"]", "byte 0xe2 is not UTF-8" },
        { "\xef\xbb\xbf{}", "byte order mark" },
        { "\xff\xfe{", "UTF-16" },
        { "[\"\xc3\xa4\", x]", "t:1:7: x is neither" }, // columns count characters
        { "[1111111111111111111111111111111111111111111111111111111111111111111111]", "more than 60 characters" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        vvResult result = jsonCheck(cases[i].text, strlen(cases[i].text), "t");
        if (result.code != VV_BAD_INPUT || strstr(result.message, cases[i].named) == NULL)
            fail_msg("%s: want '%s', got code %d: %s", cases[i].text, cases[i].named, (int)result.code, result.message);
        assert_true(strlen(result.remedy) > 5);
    }
    vvResult zero = jsonCheck("{}\0", 3, "t");
    assert_int_equal(zero.code, VV_BAD_INPUT);
}

static void testAccepted(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{}",
        " [ ] ",
        "[1, -0, 0.5, 1e5, 1E-5, -1.25e+3]",
        "\"\\ud83d\\ude00 \\u00e4 \\n\"",
        "null",
        "[true, false, {\"a\": {\"b\": [[[]]]}}]",
        "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"",
        "1e-999",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
    {
        vvResult result = jsonCheck(texts[i], strlen(texts[i]), "t");
        if (result.code != VV_OK)
            fail_msg("%s: %s", texts[i], result.message);
        cJSON *tree = cJSON_ParseWithLength(texts[i], strlen(texts[i])); // what passes, cJSON can read
        assert_non_null(tree);
        char *text = jsonPrint(tree);
        assert_int_equal(jsonCheck(text, strlen(text), "t").code, VV_OK);
        cJSON *again = cJSON_Parse(text);
        assert_true(cJSON_Compare(tree, again, true));
        free(text);
        cJSON_Delete(tree);
        cJSON_Delete(again);
    }
}

// brackets beyond any scene are refused before anything recurses
static void testDepthAndSize(void **state)
{
    (void)state;
    size_t size = (size_t)1 << 20;
    char *deep = malloc(size);
    assert_non_null(deep);
    memset(deep, '[', size);
    vvResult result = jsonCheck(deep, size, "t");
    assert_non_null(strstr(result.message, "more than 64 levels"));
    free(deep);
    size = 2 * (size_t)JSON_MOST_VALUES + 3;
    char *many = malloc(size);
    assert_non_null(many);
    for (size_t i = 0; i < size; ++i)
        many[i] = i % 2 ? '0' : ',';
    many[0] = '[';
    many[size - 1] = ']';
    result = jsonCheck(many, size, "t");
    assert_non_null(strstr(result.message, "more than 4000000 values"));
    free(many);
    result = jsonCheck("", JSON_MOST_BYTES + 1, "t"); // not looked at
    assert_non_null(strstr(result.message, "67108864"));
}

static void testNumbers(void **state)
{
    (void)state;
    TestRandom random = { 7 };
    for (int i = 0; i < 2000; ++i)
    {
        char text[JSON_NUMBER_SIZE];
        double number = (randomUnit(&random) - 0.5) * pow(10, 40 * randomUnit(&random) - 20);
        jsonNumber(number, text);
        assert_true(strtod(text, NULL) == number);
    }
}

static void testShort(void **state)
{
    (void)state;
    char text[16];
    cJSON *item = cJSON_Parse("\"aaaaaa\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"");
    jsonShort(item, text, sizeof text);
    assert_string_equal(text, "\"aaaaaa...");
    cJSON_Delete(item);
    item = cJSON_Parse("[1, 2, 3]");
    jsonShort(item, text, sizeof text);
    assert_string_equal(text, "[1, 2, 3]");
    cJSON_Delete(item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(testRefused), cmocka_unit_test(testAccepted), cmocka_unit_test(testDepthAndSize),
        cmocka_unit_test(testNumbers), cmocka_unit_test(testShort),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
