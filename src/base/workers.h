// Workers: a pool of threads, or the caller's own task system, that runs numbered tasks. What a task computes must not
// depend on who runs it or when, so the bits are the same for any number of workers.
#ifndef BASE_WORKERS_H
#define BASE_WORKERS_H

#include "base/base.h"

#define WORKERS_MOST_THREADS 64
#define WORKERS_MOST_TASKS 1024 // of one run

typedef struct Workers Workers;
typedef void (*TaskFunction)(void *context, int task);

// `threads` counts the caller; 1 makes no thread. `hooks` without both functions, or NULL: own threads; if the system
// grants only some of them, those, and if it has none (WebAssembly), the caller alone; workersCount tells. NULL: out of
// memory.
Workers *workersCreate(Memory *memory, int threads, const vvTaskHooks *hooks);
void workersDestroy(Workers *workers);
int workersCount(const Workers *workers); // 1 for NULL

// Runs function(context, 0 .. taskCount - 1), each exactly once, and returns when all are done. The calling thread
// takes tasks too, so a run always ends, even if no worker ever wakes. `workers` NULL: the caller alone, in order. No
// allocation. Tasks must not call workersRun themselves. Threads that make runs slower rest for a while (team.h).
void workersRun(Workers *workers, int taskCount, TaskFunction function, void *context);

#define WORKERS_ALONE 768 // vertices that one thread passes over
#define WORKERS_GRAIN 256 // of one task, where there are several, at least

// Vertices of one task, of so many: for all passes over a body the same, so that each thread meets again those that it
// wrote, and a multiple of four tasks, nearly. What another thread wrote takes ten times as long to read.
static inline int workersGrain(int vertices)
{
    int tasks = 4 * ((vertices + 4 * WORKERS_ALONE - 1) / (4 * WORKERS_ALONE));
    return vertices <= WORKERS_ALONE ? WORKERS_ALONE : ((vertices + tasks - 1) / tasks + 127) / 128 * 128;
}

#endif
