#include "linear/eigen_kernels.h"

#include "base/simd.h"

#define CHUNK 512 // numbers of a vector that stay close while it meets the others
#define SUMS 8    // that do not wait for each other
#define GROUP 4   // vectors at once, for sums
#define TERMS 8    //   in a sum of them

// of up to GROUP vectors over `length` numbers, each in SUMS sums
SIMD_INLINE void overlapGroup(const double *const *other, int count, int first, const double *heavy, int length,
                              double *overlap)
{
    double sum[GROUP][SUMS] = { { 0 } };
    int i = 0;
    for (; i + SUMS <= length; i += SUMS)
    {
        for (int k = 0; k < count; ++k)
        {
            for (int s = 0; s < SUMS; ++s)
                sum[k][s] += other[k][first + i + s] * heavy[i + s];
        }
    }
    for (; i < length; ++i)
    {
        for (int k = 0; k < count; ++k)
            sum[k][0] += other[k][first + i] * heavy[i];
    }
    for (int k = 0; k < count; ++k)
        overlap[k] +=
            ((sum[k][0] + sum[k][4]) + (sum[k][2] + sum[k][6])) + ((sum[k][1] + sum[k][5]) + (sum[k][3] + sum[k][7]));
}

static void overlaps(const double *const *other, int count, const double *heavy, int size, double *overlap)
{
    for (int k = 0; k < count; ++k)
        overlap[k] = 0;
    for (int first = 0; first < size; first += CHUNK)
    {
        int length = minInt(CHUNK, size - first), k = 0;
        for (; k + GROUP <= count; k += GROUP)
            overlapGroup(other + k, GROUP, first, heavy + first, length, overlap + k);
        for (; k < count; ++k)
            overlapGroup(other + k, 1, first, heavy + first, length, overlap + k);
    }
}

// at += w . (TERMS vectors), `length` numbers, in steps that compilers turn into lanes
SIMD_INLINE void combineTerms(const double *const *other, int first, const double *w, int length, double *restrict at)
{
    const double *a[TERMS];
    for (int j = 0; j < TERMS; ++j)
        a[j] = other[j] + first;
    int i = 0;
    for (; i + SUMS <= length; i += SUMS)
    {
        double sum[SUMS];
        for (int s = 0; s < SUMS; ++s)
            sum[s] = at[i + s];
        for (int j = 0; j < TERMS; ++j)
        {
            for (int s = 0; s < SUMS; ++s)
                sum[s] += w[j] * a[j][i + s];
        }
        for (int s = 0; s < SUMS; ++s)
            at[i + s] = sum[s];
    }
    for (; i < length; ++i)
    {
        for (int j = 0; j < TERMS; ++j)
            at[i] += w[j] * a[j][i];
    }
}

static void combine(const double *const *other, int count, const double *weight, double scale, int size, double *sum)
{
    for (int first = 0; first < size; first += CHUNK)
    {
        int length = minInt(CHUNK, size - first), k = 0;
        double *restrict at = sum + first;
        for (; k + TERMS <= count; k += TERMS)
        {
            double w[TERMS];
            for (int j = 0; j < TERMS; ++j)
                w[j] = scale * weight[k + j];
            combineTerms(other + k, first, w, length, at);
        }
        for (; k < count; ++k)
        {
            const double *restrict a = other[k] + first;
            double wa = scale * weight[k];
            for (int i = 0; i < length; ++i)
                at[i] += wa * a[i];
        }
    }
}

const EigenKernels KERNEL(eigenKernels) = { overlaps, combine };
