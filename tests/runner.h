// What the tests use of cmocka, for targets that have none (Windows, WebAssembly): the same words, one file, no
// library. A test ends at its first failure; blocks of test_malloc that it leaves behind are a failure too.
#ifndef TESTS_RUNNER_H
#define TESTS_RUNNER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int RunnerFixture(void **state);

struct CMUnitTest
{
    const char *name;
    void (*function)(void **state);
    RunnerFixture *begin, *end;
};

#define cmocka_unit_test(function) cmocka_unit_test_setup_teardown(function, NULL, NULL)
#define cmocka_unit_test_setup_teardown(function, begin, end)                                                          \
    {                                                                                                                  \
#function, function, begin, end                                                                                \
    }

typedef enum RunnerEnd
{
    RUNNER_PASSED,
    RUNNER_FAILED,
    RUNNER_SKIPPED,
} RunnerEnd;

static struct
{
    jmp_buf back;
    int blocks; // of test_malloc that are in use
} runner;

static inline _Noreturn void runnerLeave(RunnerEnd end)
{
    fflush(stdout);
    longjmp(runner.back, (int)end);
}

static inline void runnerPlace(const char *file, int line)
{
    printf("%s:%d: error: failure\n", file, line);
}

#define print_message(...) printf(__VA_ARGS__)
#define print_error(...) printf(__VA_ARGS__)

#define fail_msg(...)                                                                                                  \
    do                                                                                                                 \
    {                                                                                                                  \
        printf("ERROR: " __VA_ARGS__);                                                                                 \
        printf("\n");                                                                                                  \
        fail();                                                                                                        \
    } while (0)
#define fail() (runnerPlace(__FILE__, __LINE__), runnerLeave(RUNNER_FAILED))
#define skip() runnerLeave(RUNNER_SKIPPED)

// ---- asserts --------------------------------------------------------------------------------------------------------

static inline void runnerTruth(int holds, const char *words, const char *file, int line)
{
    if (holds)
        return;
    printf("%s\n", words);
    runnerPlace(file, line);
    runnerLeave(RUNNER_FAILED);
}

static inline void runnerIntegers(uintmax_t a, uintmax_t b, int equal, const char *file, int line)
{
    if ((a == b) == equal)
        return;
    printf("%#llx %s %#llx\n", (unsigned long long)a, equal ? "!=" : "==", (unsigned long long)b);
    runnerPlace(file, line);
    runnerLeave(RUNNER_FAILED);
}

static inline void runnerRange(uintmax_t value, uintmax_t least, uintmax_t most, const char *file, int line)
{
    if (value >= least && value <= most)
        return;
    printf("%llu is not within the range %llu-%llu\n", (unsigned long long)value, (unsigned long long)least,
           (unsigned long long)most);
    runnerPlace(file, line);
    runnerLeave(RUNNER_FAILED);
}

static inline void runnerStrings(const char *a, const char *b, int equal, const char *file, int line)
{
    if ((strcmp(a, b) == 0) == equal)
        return;
    printf("\"%s\" %s \"%s\"\n", a, equal ? "!=" : "==", b);
    runnerPlace(file, line);
    runnerLeave(RUNNER_FAILED);
}

static inline void runnerBytes(const void *a, const void *b, size_t size, int equal, const char *file, int line)
{
    const unsigned char *x = a, *y = b;
    size_t at = 0;
    while (at < size && x[at] == y[at])
        ++at;
    if ((at == size) == equal)
        return;
    if (equal)
        printf("byte %llu of %llu: %#04x != %#04x\n", (unsigned long long)at, (unsigned long long)size, x[at], y[at]);
    else
        printf("all %llu bytes are equal\n", (unsigned long long)size);
    runnerPlace(file, line);
    runnerLeave(RUNNER_FAILED);
}

#define assert_true(condition) runnerTruth(!!(condition), #condition, __FILE__, __LINE__)
#define assert_false(condition) runnerTruth(!(condition), "!(" #condition ")", __FILE__, __LINE__)
#define assert_null(pointer) runnerTruth((pointer) == NULL, #pointer " is NULL", __FILE__, __LINE__)
#define assert_non_null(pointer) runnerTruth((pointer) != NULL, #pointer " is not NULL", __FILE__, __LINE__)
#define assert_ptr_equal(a, b)                                                                                         \
    runnerIntegers((uintmax_t)(uintptr_t)(a), (uintmax_t)(uintptr_t)(b), 1, __FILE__, __LINE__)
#define assert_int_equal(a, b) runnerIntegers((uintmax_t)(a), (uintmax_t)(b), 1, __FILE__, __LINE__)
#define assert_int_not_equal(a, b) runnerIntegers((uintmax_t)(a), (uintmax_t)(b), 0, __FILE__, __LINE__)
#define assert_in_range(value, least, most)                                                                            \
    runnerRange((uintmax_t)(value), (uintmax_t)(least), (uintmax_t)(most), __FILE__, __LINE__)
#define assert_string_equal(a, b) runnerStrings((a), (b), 1, __FILE__, __LINE__)
#define assert_string_not_equal(a, b) runnerStrings((a), (b), 0, __FILE__, __LINE__)
#define assert_memory_equal(a, b, size) runnerBytes((a), (b), (size), 1, __FILE__, __LINE__)
#define assert_memory_not_equal(a, b, size) runnerBytes((a), (b), (size), 0, __FILE__, __LINE__)

// ---- memory ---------------------------------------------------------------------------------------------------------

static inline void *runnerAllocate(size_t count, size_t size)
{
    runner.blocks += 1;
    return calloc(count, size);
}

static inline void runnerRelease(void *memory)
{
    runner.blocks -= memory != NULL;
    free(memory);
}

#define test_malloc(size) runnerAllocate(1, (size))
#define test_calloc(count, size) runnerAllocate((count), (size))
#define test_free(memory) runnerRelease(memory)

// ---- a group --------------------------------------------------------------------------------------------------------

static inline RunnerEnd runnerBody(const struct CMUnitTest *test, void **state)
{
    int end = setjmp(runner.back);
    if (end != RUNNER_PASSED)
        return (RunnerEnd)end;
    if (test->begin != NULL && test->begin(state) != 0)
        return RUNNER_FAILED;
    test->function(state);
    return RUNNER_PASSED;
}

static inline RunnerEnd runnerOne(const struct CMUnitTest *test, void **state)
{
    printf("[ RUN      ] %s\n", test->name);
    fflush(stdout);
    runner.blocks = 0;
    RunnerEnd end = runnerBody(test, state);
    if (test->end != NULL && test->end(state) != 0)
        end = RUNNER_FAILED;
    if (end == RUNNER_PASSED && runner.blocks != 0)
    {
        printf("%d blocks of test_malloc were not given back\n", runner.blocks);
        end = RUNNER_FAILED;
    }
    return end;
}

static inline int runnerGroup(const char *name, const struct CMUnitTest *tests, int count, RunnerFixture *begin,
                              RunnerFixture *end)
{
    static const char *const words[] = { "[       OK ]", "[  FAILED  ]", "[  SKIPPED ]" };
    void *state = NULL;
    int ends[3] = { 0 };
    printf("[==========] %s: %d test(s)\n", name, count);
    if (begin != NULL && begin(&state) != 0)
    {
        printf("[  FAILED  ] GROUP SETUP\n");
        return 1;
    }
    for (int i = 0; i < count; ++i)
    {
        RunnerEnd how = runnerOne(&tests[i], &state);
        ends[how] += 1;
        printf("%s %s\n", words[how], tests[i].name);
    }
    int left = end != NULL ? end(&state) : 0;
    if (left != 0)
        printf("[  FAILED  ] GROUP TEARDOWN\n");
    printf("[==========] %d passed, %d failed, %d skipped\n", ends[RUNNER_PASSED], ends[RUNNER_FAILED],
           ends[RUNNER_SKIPPED]);
    return ends[RUNNER_FAILED] + (left != 0);
}

#define cmocka_run_group_tests_name(name, tests, begin, end)                                                           \
    runnerGroup(name, tests, (int)(sizeof(tests) / sizeof(tests)[0]), begin, end)
#define cmocka_run_group_tests(tests, begin, end) cmocka_run_group_tests_name(#tests, tests, begin, end)

#endif
