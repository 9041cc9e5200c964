// Team: how many threads take part in the runs of a pool. A thread may cost more than it gives: others use its core and
// everybody waits for the task it holds, or tasks are short. So the times of runs are measured, window after window,
// with all, half, a quarter, ... of the threads and the caller alone, and the fastest size is taken. Who runs a task
// changes no bits.
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include "base/workers.h"

#define TEAM_WINDOW 1e7   // ns of runs in one measurement
#define TEAM_SIZES 7      // 64, 32, ..., 1
#define TEAM_FUNCTIONS 48 // whose tasks are told apart
#define TEAM_LEARN 4      // runs from which the usual time of a task is taken
#define TEAM_COST 0.02    // of the time goes into looks at one size that is slower
#define TEAM_OFTEN 4      // windows between two looks at least
#define TEAM_SELDOM 50    // and at most
#define TEAM_DISTURBED 2  // cores lost in a window of a size, on average, from which it must be
#define TEAM_DOUBT 1.2    //   faster by as much: what it loses comes seldom, and much at a time

typedef struct TeamSize
{
    int threads;
    bool known;
    int looked;  // the window in which it was measured last
    double pace; // time over the usual time, of the latest windows
    double lost; // how often the process lost a core in them
} TeamSize;

typedef struct TeamFunction
{
    TaskFunction function; // NULL: free
    int runs, tasks;       // from which it was learnt
    double time;           // ns, of those
} TeamFunction;

typedef struct Team
{
    int sizeCount, now; // of `size`; [0] all
    TeamSize size[TEAM_SIZES];
    int window;            // its number
    double spent, usual;   // ns, of the runs in it
    long long preemptions; // at its begin
    double preempted;      // in a window, of the latest
    TeamFunction function[TEAM_FUNCTIONS];
} Team;

void teamInit(Team *team, int threads);                                   // 1 to WORKERS_MOST_THREADS
int teamThreads(const Team *team);                                        // that take part now
bool teamNote(Team *team, TaskFunction function, int tasks, double time); // a run, ns; true: the window is over
void teamJudge(Team *team, long long preemptions); // then; how often the process lost a core so far

#endif
