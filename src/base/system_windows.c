// Threads, clock and memory of Windows.
#include "base/system.h"

#if defined(_WIN32)

#include <windows.h>

#include <malloc.h>

_Static_assert(sizeof(SRWLOCK) == sizeof(Lock) && sizeof(CONDITION_VARIABLE) == sizeof(Condition), "one pointer each");

// ---- threads --------------------------------------------------------------------------------------------------------

bool lockInit(Lock *lock)
{
    InitializeSRWLock((SRWLOCK *)(void *)lock);
    return true;
}

void lockDestroy(Lock *lock)
{
    (void)lock;
}

void lockTake(Lock *lock)
{
    AcquireSRWLockExclusive((SRWLOCK *)(void *)lock);
}

void lockGive(Lock *lock)
{
    ReleaseSRWLockExclusive((SRWLOCK *)(void *)lock);
}

bool conditionInit(Condition *condition)
{
    InitializeConditionVariable((CONDITION_VARIABLE *)(void *)condition);
    return true;
}

void conditionDestroy(Condition *condition)
{
    (void)condition;
}

void conditionWait(Condition *condition, Lock *lock)
{
    SleepConditionVariableSRW((CONDITION_VARIABLE *)(void *)condition, (SRWLOCK *)(void *)lock, INFINITE, 0);
}

void conditionWake(Condition *condition)
{
    WakeConditionVariable((CONDITION_VARIABLE *)(void *)condition);
}

static DWORD WINAPI threadMain(void *argument)
{
    Thread *thread = argument;
    thread->function(thread->argument);
    return 0;
}

bool threadStart(Thread *thread, ThreadFunction function, void *argument)
{
    thread->function = function;
    thread->argument = argument;
    thread->native = CreateThread(NULL, 0, threadMain, thread, 0, NULL);
    return thread->native != NULL;
}

void threadJoin(Thread *thread)
{
    WaitForSingleObject(thread->native, INFINITE);
    CloseHandle(thread->native);
}

void threadYield(void)
{
    SwitchToThread();
}

void threadSleep(double seconds)
{
    Sleep((DWORD)(1e3 * seconds + 0.5));
}

int systemCores(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 1 ? (int)info.dwNumberOfProcessors : 1;
}

long long systemPreemptions(void)
{
    return 0;
}

long long systemNanoseconds(void)
{
    LARGE_INTEGER now, rate;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&rate);
    long long whole = now.QuadPart / rate.QuadPart;
    return whole * 1000000000LL + (now.QuadPart - whole * rate.QuadPart) * 1000000000LL / rate.QuadPart;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

void *systemAllocate(size_t size, size_t alignment)
{
    return _aligned_malloc(size, alignment);
}

void systemRelease(void *memory)
{
    _aligned_free(memory);
}

#endif
