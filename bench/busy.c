#define _POSIX_C_SOURCE 200809L // fork, kill

#include "bench/busy.h"

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t loop[MOST_LOOPS];
static int loopCount;

void busyStart(int count)
{
    for (loopCount = 0; loopCount < count && loopCount < MOST_LOOPS; ++loopCount)
    {
        loop[loopCount] = fork();
        if (loop[loopCount] != 0)
            continue;
        pid_t parent = getppid();
        for (volatile unsigned n = 1;; ++n)
        {
            if (n == 0 && getppid() != parent)
                _exit(0); // left behind
        }
    }
}

void busyStop(void)
{
    for (int k = 0; k < loopCount; ++k)
    {
        if (loop[k] <= 0)
            continue;
        kill(loop[k], SIGKILL);
        waitpid(loop[k], NULL, 0);
    }
    loopCount = 0;
}
