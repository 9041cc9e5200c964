#include "base/base.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

static void successIsZeroAndSilent(void **state)
{
    (void)state;
    vvResult result = resultOk();
    assert_int_equal(result.code, 0);
    assert_string_equal(result.message, "");
    assert_string_equal(result.remedy, "");
}

static void messageNamesTheValue(void **state)
{
    (void)state;
    vvResult result = resultMake(VV_BAD_INPUT, "use a positive number", "young is %g Pa, must be above %d", -1.5, 0);
    assert_int_equal(result.code, VV_BAD_INPUT);
    assert_string_equal(result.message, "young is -1.5 Pa, must be above 0");
    assert_string_equal(result.remedy, "use a positive number");
}

static void longTextIsCutNotSpilled(void **state)
{
    (void)state;
    char endless[1000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    struct
    {
        vvResult result;
        char guard[16];
    } box;
    memset(&box, 'g', sizeof box);
    box.result = resultMake(VV_LIMIT, endless, "begin %s", endless);
    assert_int_equal(strlen(box.result.message), sizeof box.result.message - 1);
    assert_int_equal(strlen(box.result.remedy), sizeof box.result.remedy - 1);
    assert_memory_equal(box.result.message, "begin xxx", 9);
    for (size_t i = 0; i < sizeof box.guard; ++i)
        assert_int_equal(box.guard[i], 'g');

    // a text that just fits is whole
    endless[sizeof box.result.remedy - 1] = 0;
    vvResult whole = resultMake(VV_LIMIT, endless, "%s", "");
    assert_string_equal(whole.remedy, endless);
}

static void percentSignsInARemedyAreText(void **state)
{
    (void)state;
    vvResult result = resultMake(VV_BAD_INPUT, "use 50%s %n of it", "100%%");
    assert_string_equal(result.message, "100%");
    assert_string_equal(result.remedy, "use 50%s %n of it");
}

static void outOfMemoryNamesWhat(void **state)
{
    (void)state;
    vvResult result = resultOutOfMemory("the factor");
    assert_int_equal(result.code, VV_OUT_OF_MEMORY);
    assert_non_null(strstr(result.message, "the factor"));
    assert_true(strlen(result.remedy) > 0);
    assert_true(strlen(result.remedy) < sizeof result.remedy - 1); // not cut
}

static void passHandsOutThroughAnOptionalPointer(void **state)
{
    (void)state;
    vvResult good = resultOk(), bad = resultMake(VV_BAD_ID, "keep the id", "id %d", 3), out;
    assert_true(resultPass(NULL, &good));
    assert_false(resultPass(NULL, &bad));
    assert_false(resultPass(&out, &bad));
    assert_int_equal(out.code, VV_BAD_ID);
    assert_string_equal(out.message, "id 3");
    assert_true(resultPass(&out, &good));
    assert_int_equal(out.code, VV_OK);
}

static void everyCodeHasItsOwnName(void **state)
{
    (void)state;
    assert_string_equal(vvCode_GetName(VV_OK), "ok");
    for (int a = VV_OK; a <= VV_INPUT_OUTPUT; ++a)
    {
        assert_string_not_equal(vvCode_GetName((vvCode)a), "unknown code");
        for (int b = VV_OK; b < a; ++b)
            assert_string_not_equal(vvCode_GetName((vvCode)a), vvCode_GetName((vvCode)b));
    }
    assert_string_equal(vvCode_GetName((vvCode)(VV_INPUT_OUTPUT + 1)), "unknown code");
}

static void versionIsThatOfTheHeader(void **state)
{
    (void)state;
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", VV_VERSION_MAJOR, VV_VERSION_MINOR, VV_VERSION_PATCH);
    assert_string_equal(vvGetVersion(), version);
}

static void nearestWordIsFewestEditsAway(void **state)
{
    (void)state;
    static const char *const names[] = { "stabilized", "backward-euler", "bdf2", "bdf3", "implicit-midpoint", "rk4" };
    assert_string_equal(nearestWord("stabilised", names, 6), "stabilized");
    assert_string_equal(nearestWord("backwards-euler", names, 6), "backward-euler");
    assert_string_equal(nearestWord("implicit midpoint", names, 6), "implicit-midpoint");
    assert_string_equal(nearestWord("rk", names, 6), "rk4");
    assert_string_equal(nearestWord("bdf3", names, 6), "bdf3");
    assert_string_equal(nearestWord("bdf7", names, 6), "bdf2"); // a tie: the first
    assert_string_equal(nearestWord("", names, 6), "rk4");      // nothing typed: the shortest
    assert_null(nearestWord("rk4", names, 0));
}

static void endlessWordsAreSafe(void **state)
{
    (void)state;
    char endless[1000], other[64];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    memset(other, 'x', sizeof other - 1);
    other[sizeof other - 1] = 0; // 63 letters, the most that are compared
    const char *names[] = { "short", endless, other };
    assert_ptr_equal(nearestWord(endless, names, 3), endless);
    assert_string_equal(nearestWord("shirt", names, 3), "short");
}

typedef struct Heard
{
    int times;
    vvLogLevel level;
    char message[1024];
} Heard;

static void hear(vvLogLevel level, const char *message, void *userData)
{
    Heard *heard = userData;
    heard->times += 1;
    heard->level = level;
    snprintf(heard->message, sizeof heard->message, "%s", message);
}

static void logGoesToTheHookOrNowhere(void **state)
{
    Memory memory = memoryMake(NULL);
    (void)state;
    vvLogger silent = { NULL, NULL };
    logWrite(&memory, &silent, VV_LOG_WARNING, "nobody hears %d", 1);

    Heard heard = { 0 };
    vvLogger logger = { hear, &heard };
    logWrite(&memory, &logger, VV_LOG_WARNING, "step %d took %s", 3, "long");
    assert_int_equal(heard.times, 1);
    assert_int_equal(heard.level, VV_LOG_WARNING);
    assert_string_equal(heard.message, "step 3 took long");

    char endless[2000];
    memset(endless, 'x', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    logWrite(&memory, &logger, VV_LOG_INFO, "%s", endless);
    assert_int_equal(heard.times, 2);
    assert_true(strlen(heard.message) > 100 && strlen(heard.message) < sizeof endless - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(successIsZeroAndSilent),       cmocka_unit_test(messageNamesTheValue),
        cmocka_unit_test(longTextIsCutNotSpilled),      cmocka_unit_test(percentSignsInARemedyAreText),
        cmocka_unit_test(outOfMemoryNamesWhat),         cmocka_unit_test(passHandsOutThroughAnOptionalPointer),
        cmocka_unit_test(everyCodeHasItsOwnName),       cmocka_unit_test(versionIsThatOfTheHeader),
        cmocka_unit_test(nearestWordIsFewestEditsAway), cmocka_unit_test(endlessWordsAreSafe),
        cmocka_unit_test(logGoesToTheHookOrNowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
