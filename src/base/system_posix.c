// Threads, clock and memory of POSIX systems; WebAssembly has one thread.
#define _POSIX_C_SOURCE 200809L // pthread_sigmask, clock_gettime, sysconf
#define _DEFAULT_SOURCE         // ru_nivcsw
#define _DARWIN_C_SOURCE        // _SC_NPROCESSORS_ONLN
#include "base/system.h"

#if !defined(_WIN32)

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// ---- threads --------------------------------------------------------------------------------------------------------

bool lockInit(Lock *lock)
{
    return pthread_mutex_init(lock, NULL) == 0;
}

void lockDestroy(Lock *lock)
{
    pthread_mutex_destroy(lock);
}

void lockTake(Lock *lock)
{
    pthread_mutex_lock(lock);
}

void lockGive(Lock *lock)
{
    pthread_mutex_unlock(lock);
}

bool conditionInit(Condition *condition)
{
    return pthread_cond_init(condition, NULL) == 0;
}

void conditionDestroy(Condition *condition)
{
    pthread_cond_destroy(condition);
}

void conditionWait(Condition *condition, Lock *lock)
{
    pthread_cond_wait(condition, lock);
}

void conditionWake(Condition *condition)
{
    pthread_cond_signal(condition);
}

static void *threadMain(void *argument)
{
    Thread *thread = argument;
    thread->function(thread->argument);
    return NULL;
}

bool threadStart(Thread *thread, ThreadFunction function, void *argument)
{
    thread->function = function;
    thread->argument = argument;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread->native, NULL, threadMain, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void threadJoin(Thread *thread)
{
    pthread_join(thread->native, NULL);
}

void threadYield(void)
{
    sched_yield();
}

void threadSleep(double seconds)
{
    time_t whole = (time_t)seconds;
    nanosleep(&(struct timespec){ .tv_sec = whole, .tv_nsec = (long)(1e9 * (seconds - (double)whole)) }, NULL);
}

int systemCores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 4096 ? 4096 : (int)cores;
}

long long systemPreemptions(void)
{
#if defined(__EMSCRIPTEN__)
    return 0;
#else
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
#endif
}

long long systemNanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

void *systemAllocate(size_t size, size_t alignment)
{
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void systemRelease(void *memory)
{
    free(memory);
}

#endif
