#include "base/base.h"

#include <math.h>
#include <string.h>

double sumPairwise(const double *values, int count)
{
    if (count <= 16)
    {
        double sum = 0;
        for (int i = 0; i < count; ++i)
            sum += values[i];
        return sum;
    }
    int half = count / 2;
    return sumPairwise(values, half) + sumPairwise(values + half, count - half);
}

double largestMagnitude(const double *values, int count)
{
    double largest = 0;
    for (int i = 0; i < count; ++i)
    {
        double magnitude = fabs(values[i]);
        if (!(magnitude <= largest))
            largest = magnitude;
        if (isnan(magnitude))
            return magnitude;
    }
    return largest;
}

bool allFinite(const double *values, int count)
{
    for (int i = 0; i < count; ++i)
    {
        if (!isfinite(values[i]))
            return false;
    }
    return true;
}

void sineCosine(double angle, double *sine, double *cosine)
{
    // quarter turns in two parts (Cody-Waite), then Taylor on [-pi/4, pi/4]: the terms end below 1e-17
    double turns = floor(angle * (2 / PI) + 0.5);
    double r = (angle - turns * 1.57079632673412561417) - turns * 6.07710050650619224932e-11;
    double s = r * r;
    double sinR = 0, cosR = 0;
    for (int k = 8; k >= 1; --k)
    {
        sinR = -s / ((2 * k) * (2 * k + 1)) * (1 + sinR);
        cosR = -s / ((2 * k - 1) * (2 * k)) * (1 + cosR);
    }
    sinR = r * (1 + sinR);
    cosR = 1 + cosR;
    int quarter = (int)(turns - 4 * floor(turns / 4));
    *sine = quarter == 0 ? sinR : quarter == 1 ? cosR : quarter == 2 ? -sinR : -cosR;
    *cosine = quarter == 0 ? cosR : quarter == 1 ? -sinR : quarter == 2 ? -cosR : sinR;
}

double decayOver(double x)
{
    if (!(x < 708))
        return isnan(x) ? x : 0;
    // x = n log 2 + r with |r| <= log(2) / 2; log 2 in two parts, the first with zeros at its end
    double n = floor(x * 1.4426950408889634 + 0.5);
    double r = (x - n * 0x1.62e42fefa0000p-1) - n * 0x1.cf79abc9e3b39p-40;
    double sum = 0;
    for (int k = 14; k > 0; --k)
        sum = -r / k * (1 + sum);
    uint64_t bits = (uint64_t)(1023 - (int)n) << 52; // 2^-n
    double power;
    memcpy(&power, &bits, sizeof power);
    return power * (1 + sum);
}

double logarithm(double value)
{
    const double ln2 = 0.69314718055994530942;
    if (!(value > 0) || !isfinite(value))
        return 0;
    double sum = 0;
    while (value < 0.70710678118654752)
    {
        value *= 2;
        sum -= ln2;
    }
    while (value > 1.4142135623730951)
    {
        value *= 0.5;
        sum += ln2;
    }
    // atanh's series: |t| < 0.1716, so that the terms fall by 34 each
    double t = (value - 1) / (value + 1), power = t, t2 = t * t;
    for (int k = 1; k < 25; k += 2)
    {
        sum += 2 * power / k;
        power *= t2;
    }
    return sum;
}

uint64_t hashBytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    while (size > 0)
    {
        size_t chunk = size < 8 ? size : 8;
        uint64_t word = 0;
        memcpy(&word, bytes, chunk);
        hash = (hash ^ word) * 0x100000001b3ULL;
        hash ^= hash >> 32;
        bytes += chunk;
        size -= chunk;
    }
    return hash;
}

uint64_t hashFinish(uint64_t hash)
{
    // the last bits must depend on every input bit (the finaliser of MurmurHash3)
    hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdULL;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return hash ^ (hash >> 33);
}
