// JSON text: what is not JSON is refused with its place; what is, comes back with the same bits.
#include "scene/files.h"

#include "base/json.h"

static JsonTree tree;

static int openTree(void **state)
{
    (void)state;
    jsonOpen(&tree, NULL);
    return 0;
}

static int closeTree(void **state)
{
    (void)state;
    jsonClose(&tree);
    return tree.memory.blocks != 0;
}

static Json *read(const char *text, vvResult *result)
{
    return jsonRead(&tree, text, strlen(text), "t", result);
}

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
        { "{\"a\": 1, \"a\": 2}", "t:1:10: a is given twice, the second time as 2" },
        { "{\"a\": 1,\n \"b\": {\"a\": 2, \"\\u0061\": [3, 4]}}",
          "t:2:16: b.a is given twice, the second time as [3, 4]" },
        { "[0, {\"a\": [[], {\"b\": 1, \"b\": null}]}]", "[1].a[1].b is given twice" },
        { "[1111111111111111111111111111111111111111111111111111111111111111111111]", "more than 60 characters" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        vvResult result;
        assert_null(read(cases[i].text, &result));
        if (result.code != VV_BAD_INPUT || strstr(result.message, cases[i].named) == NULL)
            fail_msg("%s: want '%s', got code %d: %s", cases[i].text, cases[i].named, (int)result.code, result.message);
        assert_true(strlen(result.remedy) > 5);
    }
    vvResult zero;
    assert_null(jsonRead(&tree, "{}\0", 3, "t", &zero));
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
        vvResult result;
        const Json *value = read(texts[i], &result);
        if (value == NULL)
            fail_msg("%s: %s", texts[i], result.message);
        char *text = jsonPrint(value);
        assert_true(jsonEqual(value, read(text, NULL)));
        free(text);
    }
}

// what a text means, value by value
static void testValues(void **state)
{
    (void)state;
    const Json *all = read("{ \"a\": [true, false, null, 1.5e-3, \"x\"],\n\t\"\\u0062\\n\": {}, \"\xc3\xa4\": "
                           "\"\\ud83d\\ude00 \\u00e4\\u20ac"
                           "\\\"\\\\\\/\\b\\f\\n\\r\\t\\u007F.\", \"c\": -0 }",
                           NULL);
    assert_true(jsonIs(all, JSON_OBJECT) && jsonCount(all) == 4);
    const Json *a = jsonFind(all, "a"), *b = jsonFind(all, "b\n"), *c = jsonFind(all, "c");
    static const JsonKind kinds[] = { JSON_TRUE, JSON_FALSE, JSON_NULL, JSON_NUMBER, JSON_STRING };
    assert_true(jsonIs(a, JSON_LIST) && jsonCount(a) == 5);
    for (int i = 0; i < 5; ++i)
        assert_true(jsonIs(jsonEntry(a, i), kinds[i]));
    assert_null(jsonEntry(a, 5));
    assert_true(jsonEntry(a, 3)->number == 1.5e-3);
    assert_string_equal(jsonEntry(a, 4)->string, "x");
    assert_true(jsonIs(b, JSON_OBJECT) && jsonCount(b) == 0);
    assert_true(c->number == 0 && signbit(c->number));
    assert_string_equal(jsonFind(all, "\xc3\xa4")->string, "\xf0\x9f\x98\x80 \xc3\xa4\xe2\x82\xac\"\\/\b\f\n\r\t\x7f.");
    // places: lines and columns from 1, in characters
    assert_true(all->line == 1 && all->column == 1 && a->column == 8 && jsonEntry(a, 3)->column == 28);
    assert_true(b->line == 2 && b->column == 14 && jsonFind(all, "\xc3\xa4")->column == 23 && c->line == 2);
    assert_int_equal(c->column, 80);
}

// numbers of any form against the C library's reader
static void testNumberTexts(void **state)
{
    (void)state;
    TestRandom random = { 23 };
    for (int i = 0; i < 5000; ++i)
    {
        char text[64];
        int length = 0;
        int digits = (int)(18 * randomUnit(&random)), point = (int)(20 * randomUnit(&random));
        if (randomUnit(&random) < 0.5)
            text[length++] = '-';
        text[length++] = (char)('1' + (int)(9 * randomUnit(&random)));
        for (int k = 0; k < digits; ++k)
        {
            if (k == point)
                text[length++] = '.';
            text[length++] = (char)('0' + (int)(10 * randomUnit(&random)));
        }
        length += snprintf(text + length, sizeof text - (size_t)length, "e%d", (int)(600 * randomUnit(&random)) - 320);
        const Json *value = read(text, NULL);
        double wanted = strtod(text, NULL);
        assert_true(value != NULL ? value->number == wanted : isinf(wanted));
    }
}

// values are added, changed and taken out at every place
static void testChanges(void **state)
{
    (void)state;
    Json *list = read("[0, 1, 2]", NULL);
    char text[64];
    jsonUnlink(list, jsonEntry(list, 2));
    jsonAddNumber(list, NULL, 3);
    jsonUnlink(list, jsonEntry(list, 0));
    jsonReplace(list, jsonEntry(list, 1), jsonMake(&tree, JSON_TRUE));
    jsonAddString(list, NULL, "end");
    jsonReplace(list, jsonEntry(list, 0), jsonMake(&tree, JSON_NULL));
    jsonShort(list, text, sizeof text);
    assert_string_equal(text, "[null, true, \"end\"]");
    for (int left = 3; left > 0; --left)
        jsonUnlink(list, jsonEntry(list, left / 2));
    assert_true(list->first == NULL && list->last == NULL);
    Json *object = jsonAdd(list, NULL, JSON_OBJECT);
    assert_non_null(jsonAddText(object, "a", "{ \"b\": [1, \"x\"] }"));
    assert_non_null(jsonAddCopy(object, "c", jsonFind(object, "a")));
    assert_true(jsonEqual(jsonFind(object, "a"), jsonFind(object, "c")));
    jsonReplace(object, jsonFind(object, "a"), jsonMake(&tree, JSON_FALSE));
    jsonShort(list, text, sizeof text);
    assert_string_equal(text, "[{ \"a\": false, \"c\": { \"b\": [1, \"x\"] } }]");
    assert_false(jsonEqual(jsonFind(object, "a"), jsonFind(object, "c")));
    assert_null(jsonAdd(NULL, "a", JSON_TRUE));
}

static void testPlaces(void **state)
{
    (void)state;
    Json *root = read("{\n \"a\": [\n  { \"b\": 1 } ]\n}", NULL);
    Json *made = jsonAddText(jsonEntry(jsonFind(root, "a"), 0), "c", "[0, 0]");
    assert_int_equal(jsonPlace(root, "a[0].b")->column, 10);
    assert_int_equal(jsonPlace(root, "a[0].c[1]")->column, 3); // the object that it was added to
    assert_int_equal(jsonPlace(root, "a[0].d")->column, 3);
    assert_int_equal(jsonPlace(root, "a[7]")->line, 2);
    assert_ptr_equal(jsonPlace(root, "the"), root);
    assert_ptr_equal(jsonPlace(root, ""), root);
    assert_ptr_equal(jsonPlace(root, "[99999999999999999999]"), root);
    made->isTyped = true;
    assert_null(jsonPlace(root, "a[0].c"));
}

// brackets beyond any scene are refused before anything recurses
static void testDepthAndSize(void **state)
{
    (void)state;
    size_t size = (size_t)1 << 20;
    char *deep = malloc(size);
    assert_non_null(deep);
    memset(deep, '[', size);
    vvResult result;
    assert_null(jsonRead(&tree, deep, size, "t", &result));
    assert_non_null(strstr(result.message, "more than 64 levels"));
    free(deep);
    size = 2 * (size_t)JSON_MOST_VALUES + 3;
    char *many = malloc(size);
    assert_non_null(many);
    for (size_t i = 0; i < size; ++i)
        many[i] = i % 2 ? '0' : ',';
    many[0] = '[';
    many[size - 1] = ']';
    assert_null(jsonRead(&tree, many, size, "t", &result));
    assert_non_null(strstr(result.message, "more than 4000000 values"));
    free(many);
    assert_null(jsonRead(&tree, "", JSON_MOST_BYTES + 1, "t", &result)); // not looked at
    assert_non_null(strstr(result.message, "67108864"));
    char keys[8 * JSON_MOST_KEYS + 32] = "{";
    for (int i = 0, length = 1; i <= JSON_MOST_KEYS; ++i)
        length += snprintf(keys + length, sizeof keys - (size_t)length, "%s\"%03x\":0", i > 0 ? "," : "", (unsigned)i);
    strcat(keys, "}");
    assert_null(read(keys, &result));
    assert_non_null(strstr(result.message, "more than 256 keys"));
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
    const Json *item = read("\"aaaaaa\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"", NULL);
    jsonShort(item, text, sizeof text);
    assert_string_equal(text, "\"aaaaaa...");
    item = read("[1, 2, 3]", NULL);
    jsonShort(item, text, sizeof text);
    assert_string_equal(text, "[1, 2, 3]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(testRefused, openTree, closeTree),
        cmocka_unit_test_setup_teardown(testAccepted, openTree, closeTree),
        cmocka_unit_test_setup_teardown(testValues, openTree, closeTree),
        cmocka_unit_test_setup_teardown(testNumberTexts, openTree, closeTree),
        cmocka_unit_test_setup_teardown(testChanges, openTree, closeTree),
        cmocka_unit_test_setup_teardown(testPlaces, openTree, closeTree),
        cmocka_unit_test_setup_teardown(testDepthAndSize, openTree, closeTree),
        cmocka_unit_test(testNumbers),
        cmocka_unit_test_setup_teardown(testShort, openTree, closeTree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
