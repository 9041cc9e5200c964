// Ranges of work that do not depend on each other, over all threads.
#include "rigid/system.h"

typedef struct Share
{
    RigidRange function;
    void *context;
    int count, tasks;
} Share;

static void shareTask(void *context, int task)
{
    const Share *share = context;
    long long count = share->count;
    share->function(share->context, (int)(count * task / share->tasks), (int)(count * (task + 1) / share->tasks));
}

void rigidShare(const RigidSystem *system, int count, int grain, RigidRange function, void *context)
{
    Share share = { function, context, count, minInt((count + grain - 1) / grain, WORKERS_MOST_TASKS) };
    if (workersCount(system->workers) == 1 || share.tasks < 2)
        function(context, 0, count);
    else
        workersRun(system->workers, share.tasks, shareTask, &share);
}
