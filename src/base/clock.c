#include "base/base.h"
#include "base/system.h"

double clockSeconds(void)
{
    long long now = systemNanoseconds(), whole = now / 1000000000LL;
    return (double)whole + 1e-9 * (double)(now - whole * 1000000000LL);
}

double clockLap(double *since)
{
    double now = clockSeconds(), lap = now - *since;
    *since = now;
    return lap;
}
