#define _POSIX_C_SOURCE 200809L // pthread_sigmask, clock_gettime, sysconf

#include "base/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

// One 64-bit ticket says everything about the open run: its generation (42 bits) and the tasks that nobody has taken, from
// `first` (11 bits) up to `end` (11 bits). The caller takes the first, helpers take the last: run after run two threads then
// meet the same tasks, and what those read is in their own caches. A task is taken by a compare-and-swap of the whole ticket. So
// a thread that comes late fails or takes a task of the run that is open now; and since that run cannot end before its task
// is done, `function` and `context` hold still from the swap on.
#define TASK_BITS 11
#define TASK_MASK ((1ULL << TASK_BITS) - 1)
#define GENERATION_SHIFT (2 * TASK_BITS)

_Static_assert(WORKERS_MOST_TASKS <= TASK_MASK, "the number of tasks fits in the ticket");

#define SPIN_PAUSES 64            // looks between two calls of the scheduler: 0.5 to 3 microseconds
#define SPIN_NANOSECONDS 300000LL // then sleep; longer than the serial stretches of a step: waking takes 20 to 50 us

struct Workers
{
    Memory *memory;
    vvTaskHooks hooks;
    bool hooked;
    bool crowded; // more threads than cores
    int count;    // threads, the caller included
    int started;  // of `thread`
    pthread_t thread[WORKERS_MOST_THREADS];
    pthread_mutex_t mutex; // for sleeping only
    pthread_cond_t wake;   // a ticket with tasks, or the end
    pthread_cond_t done;   // the last task

    TaskFunction function; // of the open run
    void *context;

    _Alignas(64) _Atomic uint64_t ticket;
    _Alignas(64) atomic_int left; // tasks of the open run that are not done
    _Alignas(64) atomic_int sleepers;
    atomic_bool callerSleeps;
    atomic_bool quit;
};

// ---- waiting ---------------------------------------------------------------------------------------------------------

static void pauseBriefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static long long nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

typedef bool (*Ready)(Workers *workers);

// Looks for a short while; true if it became ready. With more threads than cores it gives the core away between looks: the
// thread waited for may need it. Else not: another process would keep the core for milliseconds.
static bool spin(Workers *workers, Ready ready)
{
    long long begin = nanoseconds();
    do
    {
        for (int k = 0; k < SPIN_PAUSES; ++k)
        {
            if (ready(workers))
                return true;
            pauseBriefly();
        }
        if (workers->crowded)
            sched_yield();
    } while (nanoseconds() - begin < SPIN_NANOSECONDS);
    return ready(workers);
}

static uint64_t firstOf(uint64_t ticket)
{
    return ticket & TASK_MASK;
}

static uint64_t endOf(uint64_t ticket)
{
    return ticket >> TASK_BITS & TASK_MASK;
}

static bool hasWork(Workers *workers)
{
    uint64_t ticket = atomic_load(&workers->ticket);
    return firstOf(ticket) < endOf(ticket) || atomic_load(&workers->quit);
}

static bool isFinished(Workers *workers)
{
    return atomic_load(&workers->left) == 0;
}

// The sleeper counts itself and looks again; the other side changes what it looks at and then reads the count. Both in
// one total order, so one of the two notices the other.
static void sleepForWork(Workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    atomic_fetch_add(&workers->sleepers, 1);
    while (!hasWork(workers))
        pthread_cond_wait(&workers->wake, &workers->mutex);
    atomic_fetch_sub(&workers->sleepers, 1);
    pthread_mutex_unlock(&workers->mutex);
}

static void sleepUntilFinished(Workers *workers)
{
    pthread_mutex_lock(&workers->mutex);
    atomic_store(&workers->callerSleeps, true);
    while (!isFinished(workers))
        pthread_cond_wait(&workers->done, &workers->mutex);
    atomic_store(&workers->callerSleeps, false);
    pthread_mutex_unlock(&workers->mutex);
}

static void wakeSleepers(Workers *workers, int most)
{
    int sleepers = atomic_load(&workers->sleepers);
    if (sleepers == 0)
        return;
    // who has looked is waiting now, who has not will see the ticket
    pthread_mutex_lock(&workers->mutex);
    pthread_mutex_unlock(&workers->mutex);
    if (most >= sleepers)
        pthread_cond_broadcast(&workers->wake);
    else
        for (int k = 0; k < most; ++k)
            pthread_cond_signal(&workers->wake);
}

// ---- tasks -----------------------------------------------------------------------------------------------------------

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
        pthread_mutex_lock(&workers->mutex);
        pthread_cond_signal(&workers->done);
        pthread_mutex_unlock(&workers->mutex);
    }
}

static void *threadMain(void *argument)
{
    Workers *workers = argument;
    while (!atomic_load(&workers->quit))
    {
        runTasks(workers, SIDE_LAST);
        if (!spin(workers, hasWork))
            sleepForWork(workers);
    }
    return NULL;
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

void workersRun(Workers *workers, int taskCount, TaskFunction function, void *context)
{
    ASSERT_CHEAP(taskCount >= 0 && taskCount <= WORKERS_MOST_TASKS, "a run has at most WORKERS_MOST_TASKS tasks");
    if (workers == NULL || workers->count == 1 || taskCount <= 1)
    {
        for (int task = 0; task < taskCount; ++task)
            function(context, task);
        return;
    }
    ASSERT_CHEAP(isFinished(workers), "a task does not start another run");
    openRun(workers, taskCount, function, context);
    int helpers = minInt(workers->count, taskCount) - 1;
    if (workers->hooked)
    {
        void *handle = workers->hooks.enqueue(hookItem, workers, helpers, workers->hooks.user);
        runTasks(workers, SIDE_FIRST);
        workers->hooks.finish(handle, workers->hooks.user);
    }
    else
    {
        wakeSleepers(workers, helpers);
        runTasks(workers, SIDE_FIRST);
    }
    if (!isFinished(workers) && !spin(workers, isFinished))
        sleepUntilFinished(workers);
}

// ---- life ------------------------------------------------------------------------------------------------------------

// Threads that take no signals: those are for the threads of the host. Stops at the first that cannot be started.
static void startThreads(Workers *workers)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (workers->started < workers->count - 1 &&
           pthread_create(&workers->thread[workers->started], NULL, threadMain, workers) == 0)
        workers->started += 1;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool makeLocks(Workers *workers)
{
    if (pthread_mutex_init(&workers->mutex, NULL) != 0)
        return false;
    if (pthread_cond_init(&workers->wake, NULL) != 0)
    {
        pthread_mutex_destroy(&workers->mutex);
        return false;
    }
    if (pthread_cond_init(&workers->done, NULL) != 0)
    {
        pthread_cond_destroy(&workers->wake);
        pthread_mutex_destroy(&workers->mutex);
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
    workers->crowded = threads > sysconf(_SC_NPROCESSORS_ONLN);
    if (!makeLocks(workers))
    {
        memoryRelease(memory, workers);
        return NULL;
    }
    workers->hooked = hooks != NULL && hooks->enqueue != NULL && hooks->finish != NULL;
    if (workers->hooked)
    {
        workers->hooks = *hooks;
        return workers;
    }
    startThreads(workers);
    // fewer threads than asked for are fine. Not written while threads look on: only workersRun reads it
    workers->count = workers->started + 1;
    return workers;
}

void workersDestroy(Workers *workers)
{
    if (workers == NULL)
        return;
    atomic_store(&workers->quit, true);
    wakeSleepers(workers, workers->started);
    for (int k = 0; k < workers->started; ++k)
        pthread_join(workers->thread[k], NULL);
    pthread_cond_destroy(&workers->done);
    pthread_cond_destroy(&workers->wake);
    pthread_mutex_destroy(&workers->mutex);
    memoryRelease(workers->memory, workers);
}

int workersCount(const Workers *workers)
{
    return workers != NULL ? workers->count : 1;
}
