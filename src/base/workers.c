#include "base/workers.h"

#include "base/system.h"
#include "base/team.h"

#include <stdatomic.h>

// One 64-bit ticket says everything about the open run: its generation (42 bits) and the tasks that nobody has taken,
// from `first` (11 bits) up to `end` (11 bits). The caller takes the first, helpers take the last: run after run two
// threads then meet the same tasks, and what those read is in their own caches. A task is taken by a compare-and-swap
// of the whole ticket. So a thread that comes late fails or takes a task of the run that is open now; and since that
// run cannot end before its task is done, `function` and `context` hold still from the swap on.
#define TASK_BITS 11
#define TASK_MASK ((1ULL << TASK_BITS) - 1)
#define GENERATION_SHIFT (2 * TASK_BITS)

_Static_assert(WORKERS_MOST_TASKS <= TASK_MASK, "the number of tasks fits in the ticket");

#define SPIN_PAUSES 64            // looks between two calls of the scheduler: 0.5 to 3 microseconds
#define SPIN_NANOSECONDS 300000LL // then sleep; longer than the serial stretches of a step: waking takes 20 to 50 us

typedef struct Helper
{
    Workers *workers;
    Thread thread;
    Condition wake; // a ticket with tasks, or the end
    atomic_bool sleeps;
} Helper;

struct Workers
{
    Memory *memory;
    vvTaskHooks hooks;
    bool hooked;
    bool crowded; // more threads than cores
    int count;    // threads, the caller included
    int started;  // of `helper`
    Helper helper[WORKERS_MOST_THREADS - 1];
    Team team;
    Lock lock;      // for sleeping only
    Condition done; // the last task

    _Alignas(64) _Atomic uint64_t ticket;
    TaskFunction function; // of the open run: beside the ticket, so that who sees that has them too
    void *context;

    _Alignas(64) atomic_int left;   // tasks of the open run that are not done
    _Alignas(64) atomic_int active; // helpers of the team: the first ones; the others sleep
    atomic_bool callerSleeps;
    atomic_bool quit;
};

// ---- waiting --------------------------------------------------------------------------------------------------------

static void pauseBriefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static uint64_t firstOf(uint64_t ticket)
{
    return ticket & TASK_MASK;
}

static uint64_t endOf(uint64_t ticket)
{
    return ticket >> TASK_BITS & TASK_MASK;
}

static bool isActive(const Helper *helper)
{
    return helper - helper->workers->helper < atomic_load(&helper->workers->active);
}

static bool hasWork(Workers *workers, const Helper *helper)
{
    uint64_t ticket = atomic_load(&workers->ticket);
    return (firstOf(ticket) < endOf(ticket) && isActive(helper)) || atomic_load(&workers->quit);
}

static bool isFinished(Workers *workers, const Helper *helper)
{
    (void)helper;
    return atomic_load(&workers->left) == 0;
}

typedef bool (*Ready)(Workers *workers, const Helper *helper);

// Looks for a short while; true if it became ready. With more threads than cores it gives the core away between looks:
// the thread waited for may need it. Else not: another process would keep the core for milliseconds.
static bool spin(Workers *workers, Ready ready, const Helper *helper)
{
    long long begin = systemNanoseconds();
    do
    {
        for (int k = 0; k < SPIN_PAUSES; ++k)
        {
            if (ready(workers, helper))
                return true;
            pauseBriefly();
        }
        if (workers->crowded)
            threadYield();
    } while (systemNanoseconds() - begin < SPIN_NANOSECONDS && (helper == NULL || isActive(helper)));
    return ready(workers, helper);
}

// The sleeper says so and looks again; the other side changes what it looks at and then reads who sleeps. Both in one
// total order, so one of the two notices the other.
static void sleepForWork(Helper *helper)
{
    Workers *workers = helper->workers;
    lockTake(&workers->lock);
    for (atomic_store(&helper->sleeps, true); !hasWork(workers, helper); atomic_store(&helper->sleeps, true))
        conditionWait(&helper->wake, &workers->lock);
    atomic_store(&helper->sleeps, false);
    lockGive(&workers->lock);
}

static void sleepUntilFinished(Workers *workers)
{
    lockTake(&workers->lock);
    atomic_store(&workers->callerSleeps, true);
    while (!isFinished(workers, NULL))
        conditionWait(&workers->done, &workers->lock);
    atomic_store(&workers->callerSleeps, false);
    lockGive(&workers->lock);
}

static void wakeHelpers(Workers *workers, int count)
{
    for (int k = 0; k < count; ++k)
    {
        Helper *helper = &workers->helper[k];
        // once until it has a core again, which may take many runs where others use the cores
        if (!atomic_load(&helper->sleeps) || !atomic_exchange(&helper->sleeps, false))
            continue;
        // who has looked is waiting now, who has not will see the ticket
        lockTake(&workers->lock);
        lockGive(&workers->lock);
        conditionWake(&helper->wake);
    }
}

// ---- tasks ----------------------------------------------------------------------------------------------------------

typedef enum Side
{
    SIDE_FIRST,
    SIDE_LAST
} Side;

// Takes a task of whatever run is open; -1 if there is none.
static int takeTask(Workers *workers, Side side)
{
    uint64_t ticket = atomic_load_explicit(&workers->ticket, memory_order_acquire);
    while (firstOf(ticket) < endOf(ticket))
    {
        uint64_t rest = side == SIDE_FIRST ? ticket + 1 : ticket - (1ULL << TASK_BITS);
        if (atomic_compare_exchange_weak_explicit(&workers->ticket, &ticket, rest, memory_order_acq_rel,
                                                  memory_order_acquire))
            return (int)(side == SIDE_FIRST ? firstOf(ticket) : endOf(rest));
    }
    return -1;
}

// Runs tasks until none is left. They are reported together: no other run can open in between.
static void runTasks(Workers *workers, Side side)
{
    int taken = 0;
    for (int task = takeTask(workers, side); task >= 0; task = takeTask(workers, side))
    {
        workers->function(workers->context, task);
        taken += 1;
    }
    if (taken == 0)
        return;
    bool last = atomic_fetch_sub(&workers->left, taken) == taken;
    if (last && atomic_load(&workers->callerSleeps))
    {
        lockTake(&workers->lock);
        conditionWake(&workers->done);
        lockGive(&workers->lock);
    }
}

static void helperMain(void *argument)
{
    Helper *helper = argument;
    Workers *workers = helper->workers;
    while (!atomic_load(&workers->quit))
    {
        if (isActive(helper))
            runTasks(workers, SIDE_LAST);
        if (!spin(workers, hasWork, helper))
            sleepForWork(helper);
    }
}

// What the caller's task system runs. The index means nothing: an item takes what is left, so one that comes late, or
// never, holds nobody up.
static void hookItem(void *context, int index)
{
    (void)index;
    runTasks(context, SIDE_LAST);
}

static void openRun(Workers *workers, int taskCount, TaskFunction function, void *context)
{
    uint64_t generation = (atomic_load(&workers->ticket) >> GENERATION_SHIFT) + 1;
    workers->function = function;
    workers->context = context;
    atomic_store(&workers->left, taskCount);
    atomic_store(&workers->ticket, generation << GENERATION_SHIFT | (uint64_t)taskCount << TASK_BITS);
}

static void runAlone(int taskCount, TaskFunction function, void *context)
{
    for (int task = 0; task < taskCount; ++task)
        function(context, task);
}

static void runTogether(Workers *workers, int helpers, int taskCount, TaskFunction function, void *context)
{
    ASSERT_CHEAP(isFinished(workers, NULL), "a task does not start another run");
    openRun(workers, taskCount, function, context);
    if (workers->hooked)
    {
        memoryEnterCall(workers->memory);
        void *handle = workers->hooks.enqueue(hookItem, workers, helpers, workers->hooks.userData);
        runTasks(workers, SIDE_FIRST);
        workers->hooks.finish(handle, workers->hooks.userData);
        memoryLeaveCall(workers->memory);
    }
    else
    {
        wakeHelpers(workers, helpers);
        runTasks(workers, SIDE_FIRST);
    }
    if (!isFinished(workers, NULL) && !spin(workers, isFinished, NULL))
        sleepUntilFinished(workers);
}

void workersRun(Workers *workers, int taskCount, TaskFunction function, void *context)
{
    ASSERT_CHEAP(taskCount >= 0 && taskCount <= WORKERS_MOST_TASKS, "a run has at most WORKERS_MOST_TASKS tasks");
    if (workers == NULL || workers->count == 1 || taskCount <= 1)
    {
        runAlone(taskCount, function, context);
        return;
    }
    long long begin = systemNanoseconds();
    int helpers = minInt(teamThreads(&workers->team), taskCount) - 1;
    if (helpers == 0)
        runAlone(taskCount, function, context);
    else
        runTogether(workers, helpers, taskCount, function, context);
    if (!teamNote(&workers->team, function, taskCount, (double)(systemNanoseconds() - begin)))
        return;
    teamJudge(&workers->team, systemPreemptions());
    atomic_store(&workers->active, teamThreads(&workers->team) - 1);
}

// ---- life -----------------------------------------------------------------------------------------------------------

static bool startHelper(Workers *workers, Helper *helper)
{
    helper->workers = workers;
    if (!conditionInit(&helper->wake))
        return false;
    if (threadStart(&helper->thread, helperMain, helper))
        return true;
    conditionDestroy(&helper->wake);
    return false;
}

// Stops at the first that cannot be started.
static void startThreads(Workers *workers)
{
    while (workers->started < workers->count - 1 && startHelper(workers, &workers->helper[workers->started]))
        workers->started += 1;
}

static bool makeLocks(Workers *workers)
{
    if (!lockInit(&workers->lock))
        return false;
    if (!conditionInit(&workers->done))
    {
        lockDestroy(&workers->lock);
        return false;
    }
    return true;
}

Workers *workersCreate(Memory *memory, int threads, const vvTaskHooks *hooks)
{
    ASSERT_CHEAP(threads >= 1 && threads <= WORKERS_MOST_THREADS, "1 to WORKERS_MOST_THREADS threads");
    Workers *workers = ALLOCATE(memory, Workers, 1);
    if (workers == NULL)
        return NULL;
    workers->memory = memory;
    workers->count = threads;
    workers->crowded = threads > systemCores();
    if (!makeLocks(workers))
    {
        memoryRelease(memory, workers);
        return NULL;
    }
    workers->hooked = hooks != NULL && hooks->enqueue != NULL && hooks->finish != NULL;
    if (workers->hooked)
    {
        workers->hooks = *hooks;
        teamInit(&workers->team, threads);
        return workers;
    }
    atomic_store(&workers->active, threads - 1);
    startThreads(workers);
    // fewer threads than asked for are fine. Not written while threads look on: only workersRun reads it
    workers->count = workers->started + 1;
    teamInit(&workers->team, workers->count);
    return workers;
}

void workersDestroy(Workers *workers)
{
    if (workers == NULL)
        return;
    atomic_store(&workers->quit, true);
    wakeHelpers(workers, workers->started);
    for (int k = 0; k < workers->started; ++k)
    {
        threadJoin(&workers->helper[k].thread);
        conditionDestroy(&workers->helper[k].wake);
    }
    conditionDestroy(&workers->done);
    lockDestroy(&workers->lock);
    memoryRelease(workers->memory, workers);
}

int workersCount(const Workers *workers)
{
    return workers != NULL ? workers->count : 1;
}
