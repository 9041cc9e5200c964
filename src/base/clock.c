#define _POSIX_C_SOURCE 199309L // clock_gettime
#include "base/base.h"

#include <time.h>

double clockSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double clockLap(double *since)
{
    double now = clockSeconds(), lap = now - *since;
    *since = now;
    return lap;
}
