#define _DEFAULT_SOURCE // setrlimit

#include "check.h"

#include "base/system.h"
#include "base/team.h"
#include "base/workers.h"

#include <stdatomic.h>
#include <stdlib.h>
#if !defined(_WIN32) && !defined(__EMSCRIPTEN__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

// ---- tasks ----------------------------------------------------------------------------------------------------------

static _Thread_local char self; // its address tells threads apart

// What the tasks of one run leave behind. Each has its own entries, as the real ones do.
typedef struct Tally
{
    int times[WORKERS_MOST_TASKS];         // how often a task ran
    const char *where[WORKERS_MOST_TASKS]; // on which thread
    const char *caller;
    atomic_int byCaller;
} Tally;

static void count(void *context, int task)
{
    Tally *tally = context;
    tally->times[task] += 1;
    tally->where[task] = &self;
}

// the first tasks are a thousand times longer than the last
static void countUnevenly(void *context, int task)
{
    for (volatile int k = 0; k < 200000 / (1 + task * task); ++k)
        ;
    count(context, task);
}

// every thread but the caller is very slow
static void countSlowlyElsewhere(void *context, int task)
{
    Tally *tally = context;
    count(context, task);
    if (tally->caller == &self)
        atomic_fetch_add(&tally->byCaller, 1);
    else
        threadSleep(0.02);
}

static void checkOnce(const Tally *tally, int tasks, int times)
{
    for (int task = 0; task < WORKERS_MOST_TASKS; ++task)
        assert_int_equal(tally->times[task], task < tasks ? times : 0);
}

static Tally tally; // too large for the stack of a small thread

// ---- facts about the library's own threads --------------------------------------------------------------------------

static void every_task_runs_exactly_once(void **state)
{
    (void)state;
    static const int sizes[] = { 0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 100, 513, 1023, 1024 };
    Memory memory = memoryMake(NULL);
    for (int threads = 1; threads <= 8; ++threads)
    {
        Workers *workers = workersCreate(&memory, threads, NULL);
        assert_int_equal(workersCount(workers), threads);
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k)
        {
            memset(&tally, 0, sizeof tally);
            for (int round = 0; round < 20; ++round)
                workersRun(workers, sizes[k], count, &tally);
            checkOnce(&tally, sizes[k], 20);
        }
        workersDestroy(workers);
    }
    assert_int_equal(memory.blocks, 0);
}

static void nobody_and_one_thread_run_in_order(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Workers *alone = workersCreate(&memory, 1, NULL);
    Workers *two = workersCreate(&memory, 2, NULL);
    assert_int_equal(workersCount(NULL), 1);
    assert_int_equal(workersCount(alone), 1);
    memset(&tally, 0, sizeof tally);
    workersRun(NULL, 100, count, &tally);
    workersRun(alone, 100, count, &tally);
    checkOnce(&tally, 100, 2);
    workersRun(two, 1, count, &tally); // a single task is not worth a thread
    for (int task = 0; task < 100; ++task)
        assert_true(tally.where[task] == &self);
    workersDestroy(two);
    workersDestroy(alone);
    workersDestroy(NULL);
}

// Each run has its own function, context and number of tasks: a worker that wakes late and takes a task with what it
// knew of an earlier run would be seen.
typedef struct Round
{
    int number, tasks;
    int seen[16];
} Round;

static void evenRound(void *context, int task)
{
    Round *round = context;
    round->seen[task] += round->number % 2 == 0 ? 1 : 100;
}

static void oddRound(void *context, int task)
{
    Round *round = context;
    round->seen[task] += round->number % 2 == 1 ? 1 : 100;
}

static void runs_back_to_back_do_not_mix(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    for (int threads = 2; threads <= 8; threads += 3)
    {
        Workers *workers = workersCreate(&memory, threads, NULL);
        long long requests = memory.requests;
        for (int number = 0; number < 5000; ++number)
        {
            Round round = { .number = number, .tasks = 2 + number % 15 };
            if (number % 1000 == 999)
                threadSleep(1e-6 * 200); // long enough for the workers to fall asleep
            workersRun(workers, round.tasks, number % 2 == 0 ? evenRound : oddRound, &round);
            for (int task = 0; task < 16; ++task)
                assert_int_equal(round.seen[task], task < round.tasks ? 1 : 0);
        }
        assert_int_equal(memory.requests, requests);
        workersDestroy(workers);
    }
}

static void uneven_tasks_all_finish(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Workers *workers = workersCreate(&memory, 4, NULL);
    memset(&tally, 0, sizeof tally);
    for (int round = 0; round < 30; ++round)
        workersRun(workers, 64, countUnevenly, &tally);
    checkOnce(&tally, 64, 30);
    workersDestroy(workers);
}

// three workers can hold at most one task each for 20 ms: the caller does not wait for them to take the others
static void caller_does_what_slow_workers_do_not(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Workers *workers = workersCreate(&memory, 4, NULL);
    memset(&tally, 0, sizeof tally);
    tally.caller = &self;
    for (int round = 0; round < 5; ++round)
        workersRun(workers, 1000, countSlowlyElsewhere, &tally);
    checkOnce(&tally, 1000, 5);
    assert_in_range(atomic_load(&tally.byCaller), 5 * 1000 / 2, 5 * 1000);
    workersDestroy(workers);
}

// A task that waits for the other to begin; a thread alone gives up after two seconds.
typedef struct Meeting
{
    atomic_int arrived, missed;
} Meeting;

static void meet(void *context, int task)
{
    Meeting *meeting = context;
    (void)task;
    atomic_fetch_add(&meeting->arrived, 1);
    for (int k = 0; k < 20000 && atomic_load(&meeting->arrived) < 2; ++k)
        threadSleep(1e-6 * 100);
    if (atomic_load(&meeting->arrived) < 2)
        atomic_fetch_add(&meeting->missed, 1);
}

static void workers_do_take_part(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    for (int round = 0; round < 10; ++round)
    {
        Workers *workers = workersCreate(&memory, 2, NULL); // the first runs are the whole team's
        for (int k = 0; k < 2; ++k)
        {
            Meeting meeting = { 0 };
            threadSleep(k == 0 ? 0.001 : 0); // asleep or awake
            workersRun(workers, 2, meet, &meeting);
            assert_int_equal(meeting.missed, 0);
        }
        workersDestroy(workers);
    }
}

static void pools_die_idle_asleep_or_fresh(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    for (int round = 0; round < 60; ++round)
    {
        Workers *workers = workersCreate(&memory, 2 + round % 7, NULL);
        assert_non_null(workers);
        memset(&tally, 0, sizeof tally);
        if (round % 3 > 0)
            workersRun(workers, 50, count, &tally);
        if (round % 3 > 1)
            threadSleep(1e-6 * 500);
        workersDestroy(workers);
        checkOnce(&tally, round % 3 > 0 ? 50 : 0, 1);
    }
    assert_int_equal(memory.blocks, 0);
}

// two worlds on two threads, each with its own pool
static void useOwnPool(void *argument)
{
    Memory memory = memoryMake(NULL);
    Workers *workers = workersCreate(&memory, 3, NULL);
    for (int number = 0; number < 1000; ++number)
    {
        Round round = { .number = number };
        workersRun(workers, 16, number % 2 == 0 ? evenRound : oddRound, &round);
        for (int task = 0; task < 16; ++task)
            *(int *)argument += round.seen[task] != 1;
    }
    workersDestroy(workers);
}

static void pools_live_side_by_side(void **state)
{
    (void)state;
    Thread threads[3];
    int wrong[3] = { 0 };
    for (int k = 0; k < 3; ++k)
        assert_true(threadStart(&threads[k], useOwnPool, &wrong[k]));
    for (int k = 0; k < 3; ++k)
    {
        threadJoin(&threads[k]);
        assert_int_equal(wrong[k], 0);
    }
}

// ---- the caller's task system ---------------------------------------------------------------------------------------

typedef enum MockKind
{
    INLINE,   // enqueue runs everything before it returns
    THREADED, // a thread per item
    DELAYED,  // a thread per item that starts late
    LAZY,     // nothing runs before finish
} MockKind;

typedef struct MockSystem
{
    MockKind kind;
    void (*run)(void *context, int index);
    void *context;
    int items, enqueued, finished;
    Thread thread[WORKERS_MOST_THREADS];
    struct MockItem
    {
        struct MockSystem *system;
        int index;
    } item[WORKERS_MOST_THREADS];
} MockSystem;

static void runItem(void *argument)
{
    struct MockItem *item = argument;
    if (item->system->kind == DELAYED)
        threadSleep(0.0003);
    item->system->run(item->system->context, item->index);
}

static void *mockEnqueue(void (*run)(void *context, int index), void *context, int items, void *userData)
{
    MockSystem *mock = userData;
    assert_in_range(items, 1, WORKERS_MOST_THREADS);
    mock->enqueued += 1;
    mock->run = run;
    mock->context = context;
    mock->items = items;
    for (int k = 0; k < items; ++k)
    {
        mock->item[k] = (struct MockItem){ mock, k };
        if (mock->kind == INLINE)
            run(context, k);
        else if (mock->kind != LAZY)
            assert_true(threadStart(&mock->thread[k], runItem, &mock->item[k]));
    }
    return mock;
}

static void mockFinish(void *handle, void *userData)
{
    MockSystem *mock = userData;
    assert_ptr_equal(handle, mock);
    mock->finished += 1;
    for (int k = 0; k < mock->items; ++k)
    {
        if (mock->kind == LAZY)
            mock->run(mock->context, k);
        else if (mock->kind != INLINE)
            threadJoin(&mock->thread[k]);
    }
}

static void hooks_of_every_temper_run_each_task_once(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    for (MockKind kind = INLINE; kind <= LAZY; ++kind)
    {
        for (int threads = 1; threads <= 8; ++threads)
        {
            MockSystem mock = { .kind = kind };
            vvTaskHooks hooks = { mockEnqueue, mockFinish, &mock };
            Workers *workers = workersCreate(&memory, threads, &hooks);
            assert_int_equal(workersCount(workers), threads);
            memset(&tally, 0, sizeof tally);
            tally.caller = &self;
            for (int round = 0; round < 10; ++round)
                workersRun(workers, 1 + 100 * round, count, &tally);
            for (int task = 0; task < WORKERS_MOST_TASKS; ++task)
                assert_int_equal(tally.times[task], task > 900 ? 0 : 10 - (task + 99) / 100);
            // the run of one task and the single thread ask for nobody, nor may a slow team after some runs
            assert_in_range(mock.enqueued, threads > 1 ? TEAM_OFTEN : 0, threads > 1 ? 9 : 0);
            assert_int_equal(mock.finished, mock.enqueued);
            workersDestroy(workers);
        }
    }
}

// with a task system that does nothing before `finish` the caller has done it all by then
static void caller_needs_no_help_from_hooks(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    MockSystem mock = { .kind = LAZY };
    vvTaskHooks hooks = { mockEnqueue, mockFinish, &mock };
    Workers *workers = workersCreate(&memory, 8, &hooks);
    memset(&tally, 0, sizeof tally);
    tally.caller = &self;
    workersRun(workers, 500, countSlowlyElsewhere, &tally);
    assert_int_equal(atomic_load(&tally.byCaller), 500);
    workersDestroy(workers);
}

static void empty_hooks_mean_own_threads(void **state)
{
    (void)state;
    Memory memory = memoryMake(NULL);
    Workers *workers = workersCreate(&memory, 2, &(vvTaskHooks){ 0 });
    Meeting meeting = { 0 };
    workersRun(workers, 2, meet, &meeting);
    assert_int_equal(meeting.missed, 0);
    workersDestroy(workers);
}

// ---- failures -------------------------------------------------------------------------------------------------------

static void *refuse(size_t size, size_t alignment, void *userData)
{
    (void)size;
    (void)alignment;
    (void)userData;
    return NULL;
}

static void release(void *block, size_t size, void *userData)
{
    (void)size;
    (void)userData;
    free(block);
}

static void creation_without_memory_fails(void **state)
{
    (void)state;
    Memory memory = memoryMake(&(vvAllocator){ refuse, release, NULL });
    assert_null(workersCreate(&memory, 4, NULL));
    assert_int_equal(memory.blocks, 0);
}

#if !defined(_WIN32) && !defined(__EMSCRIPTEN__)
// in a child process that may not have threads, like a machine that has none
static void without_threads_the_caller_does_it_all(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
    {
        struct rlimit none = { 0, 0 };
        Thread thread;
        Memory memory = memoryMake(NULL);
        if ((getuid() == 0 && setuid(65534) != 0) || setrlimit(RLIMIT_NPROC, &none) != 0 ||
            threadStart(&thread, runItem, NULL))
            _exit(77); // this system does not limit us
        Workers *workers = workersCreate(&memory, 4, NULL);
        bool fine = workers != NULL && workersCount(workers) == 1;
        memset(&tally, 0, sizeof tally);
        workersRun(workers, 100, count, &tally);
        for (int task = 0; task < 100; ++task)
            fine = fine && tally.times[task] == 1;
        workersDestroy(workers);
        _exit(fine && memory.blocks == 0 ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if !defined(_WIN32) && !defined(__EMSCRIPTEN__)
        cmocka_unit_test(without_threads_the_caller_does_it_all), // first: it forks
#endif
        cmocka_unit_test(creation_without_memory_fails),
        cmocka_unit_test(every_task_runs_exactly_once),
        cmocka_unit_test(nobody_and_one_thread_run_in_order),
        cmocka_unit_test(runs_back_to_back_do_not_mix),
        cmocka_unit_test(uneven_tasks_all_finish),
        cmocka_unit_test(caller_does_what_slow_workers_do_not),
        cmocka_unit_test(workers_do_take_part),
        cmocka_unit_test(pools_die_idle_asleep_or_fresh),
        cmocka_unit_test(pools_live_side_by_side),
        cmocka_unit_test(hooks_of_every_temper_run_each_task_once),
        cmocka_unit_test(caller_needs_no_help_from_hooks),
        cmocka_unit_test(empty_hooks_mean_own_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
