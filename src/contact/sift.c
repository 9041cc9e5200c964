#include "contact/sift.h"

#include <string.h>

typedef struct Run
{
    Sift *sift;
    SiftTask task;
    const void *context;
} Run;

static void siftTask(void *context, int number)
{
    const Run *run = context;
    int begin = run->sift->begin + number * SIFT_TASK;
    run->task(run->context, begin, minInt(begin + SIFT_TASK, run->sift->end), run->sift->passes[number]);
}

void siftRun(Sift *sift, Workers *workers, int begin, int end, SiftTask task, const void *context)
{
    Run run = { sift, task, context };
    sift->begin = begin;
    sift->end = minInt(end, begin + SIFT_TASKS * SIFT_TASK);
    int tasks = (sift->end - begin + SIFT_TASK - 1) / SIFT_TASK;
    memset(sift->passes, 0, (size_t)tasks * sizeof sift->passes[0]);
    workersRun(workers, tasks, siftTask, &run);
}

int siftNext(const Sift *sift, int element)
{
    const uint64_t *words = sift->passes[0];
    int place = element - sift->begin, count = sift->end - sift->begin;
    while (place < count)
    {
        uint64_t word = words[place / 64] >> place % 64;
        if (word != 0)
            return sift->begin + place + __builtin_ctzll(word);
        place = (place / 64 + 1) * 64;
    }
    return sift->end;
}
