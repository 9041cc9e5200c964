// What tests that go through all methods ask of them.
#ifndef TESTS_METHODS_H
#define TESTS_METHODS_H

#include <verve/verve.h>

#include <math.h>
#include <string.h>

// methods that are not stable at any step take the small one
static inline double stepFor(const char *method, double step, double small)
{
    return vvMethod_GetLimit(method) < INFINITY ? small : step;
}

static inline bool isOneOf(const char *word, const char *const *words) // NULL past the last
{
    for (; *words != NULL; ++words)
    {
        if (strcmp(word, *words) == 0)
            return true;
    }
    return false;
}

// comparators that pay for what they do with momentum: scaled velocities, a multiplier, Jacobi's iteration cut short
static inline bool keepsMomentum(const char *method)
{
    static const char *const others[] = { "energy-budget", "energy-multiplier", "pd-jacobi", NULL };
    return !isOneOf(method, others);
}

#endif
