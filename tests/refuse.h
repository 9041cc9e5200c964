// An allocator hook that grants a number of requests and refuses the rest: `user` is an int that counts them down.
#ifndef TESTS_REFUSE_H
#define TESTS_REFUSE_H

#include "base/system.h"

#include <stddef.h>
#include <stdlib.h>

static inline void *refuseAfter(size_t size, size_t alignment, void *userData)
{
    int *left = userData;
    if (*left == 0)
        return NULL;
    *left -= 1;
    return systemAllocate(size, alignment);
}

static inline void giveBack(void *block, size_t size, void *userData)
{
    (void)size;
    (void)userData;
    systemRelease(block);
}

// How far apart the requests are that get refused one at a time: each of them, but every fourth under the sanitizers,
// where a world takes ten times as long. With VERVE_WHOLE set (make soak) each of them there too.
static inline int refusedApart(void)
{
#ifdef __SANITIZE_ADDRESS__
    return getenv("VERVE_WHOLE") == NULL ? 4 : 1;
#else
    return 1;
#endif
}

#endif
