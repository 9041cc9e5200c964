// Which elements of a source may be contacts: all are looked at in tasks, and those that pass are taken one behind the
// other afterwards, so that their order is that of the elements.
#ifndef CONTACT_SIFT_H
#define CONTACT_SIFT_H

#include "base/workers.h"

#include <stdint.h>

#define SIFT_TASK 256  // elements
#define SIFT_TASKS 64  // of one run
#define SIFT_LEAST 768 // elements: fewer are looked at one behind the other sooner

// Elements of one run that passed.
typedef struct Sift
{
    int begin, end;
    uint64_t passes[SIFT_TASKS][SIFT_TASK / 64]; // a bit for each
} Sift;

// Sets the bits of those in [begin, end) that pass, counted from the first; all are clear.
typedef void (*SiftTask)(const void *context, int begin, int end, uint64_t *passes);

static inline bool siftPays(Workers *workers, int count)
{
    return count >= SIFT_LEAST && workersCount(workers) > 1;
}

// From `begin` on, at most up to `end`: sift->end says how far.
void siftRun(Sift *sift, Workers *workers, int begin, int end, SiftTask task, const void *context);
int siftNext(const Sift *sift, int element); // the first at or after one that passed, or the end of the run

static inline int siftCount(const Sift *sift, int task) // that passed, of those of a task
{
    int count = 0;
    for (int i = 0; i < SIFT_TASK / 64; ++i)
        count += __builtin_popcountll(sift->passes[task][i]);
    return count;
}

static inline void siftPass(uint64_t *passes, int place)
{
    passes[place / 64] |= (uint64_t)1 << place % 64;
}

#endif
