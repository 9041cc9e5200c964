// cmocka with its required headers, or our own runner where there is none, and the few checks it lacks. Every failure
// prints both numbers.
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#if defined(VERVE_OWN_RUNNER)
#include "runner.h"
#else
#include <cmocka.h>
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

// every how many rows of a table a test looks at: all of them in make soak
static inline int sliceOf(int stride)
{
    return getenv("VERVE_WHOLE") != NULL ? 1 : stride;
}

// |a - b| <= tolerance, NaN fails
#define CHECK_NEAR(a, b, tolerance)                                                                                    \
    do                                                                                                                 \
    {                                                                                                                  \
        double checkA = (a), checkB = (b), checkT = (tolerance);                                                       \
        if (!(fabs(checkA - checkB) <= checkT))                                                                        \
            fail_msg("%s = %.17g, want %s = %.17g within %.3g (off by %.3g)", #a, checkA, #b, checkB, checkT,          \
                     fabs(checkA - checkB));                                                                           \
    } while (0)

// |a - b| <= tolerance * |b|
#define CHECK_CLOSE(a, b, relative) CHECK_NEAR(a, b, (relative)*fabs((double)(b)))

// a <= limit, NaN fails
#define CHECK_BELOW(a, limit)                                                                                          \
    do                                                                                                                 \
    {                                                                                                                  \
        double checkA = (a), checkL = (limit);                                                                         \
        if (!(checkA <= checkL))                                                                                       \
            fail_msg("%s = %.17g, must not exceed %s = %.17g", #a, checkA, #limit, checkL);                            \
    } while (0)

// A small generator of test numbers with the same sequence everywhere (xorshift64*).
typedef struct TestRandom
{
    uint64_t state;
} TestRandom;

static inline double randomUnit(TestRandom *r) // in [0, 1)
{
    uint64_t s = r->state ? r->state : 88172645463325252ULL;
    s ^= s >> 12;
    s ^= s << 25;
    s ^= s >> 27;
    r->state = s;
    return (double)((s * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
}

static inline double randomBetween(TestRandom *r, double low, double high)
{
    return low + (high - low) * randomUnit(r);
}

#endif
