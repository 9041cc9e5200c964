// Lanczos' iteration for the largest eigenvalue of M^-1/2 A M^-1/2 (Golub and Van Loan, section 10.1). Vectors lose
// their orthogonality in time; that makes copies of eigenvalues found already and does not move the largest.
#include "linear/eigen.h"

#include <math.h>
#include <string.h>

#define MOST_STEPS 400

// eigenvalues of the tridiagonal matrix above x: signs of the Sturm sequence
static int countAbove(const double *alpha, const double *beta, int size, double x)
{
    int count = 0;
    double d = 1;
    for (int i = 0; i < size; ++i)
    {
        d = alpha[i] - x - (i > 0 ? beta[i - 1] * beta[i - 1] / d : 0);
        if (d == 0)
            d = -1e-300;
        count += d > 0;
    }
    return count;
}

// largest eigenvalue of the tridiagonal matrix, by bisection
static double largestOf(const double *alpha, const double *beta, int size)
{
    double low = alpha[0], high = alpha[0];
    for (int i = 0; i < size; ++i)
    {
        low = maxReal(low, alpha[i]);
        double reach = (i > 0 ? fabs(beta[i - 1]) : 0) + (i < size - 1 ? fabs(beta[i]) : 0);
        high = maxReal(high, alpha[i] + reach);
    }
    for (int k = 0; k < 200 && high - low > 1e-14 * fabs(high); ++k)
    {
        double middle = low + 0.5 * (high - low);
        if (countAbove(alpha, beta, size, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double dot(const double *a, const double *b, int size)
{
    double sum = 0;
    for (int i = 0; i < size; ++i)
        sum += a[i] * b[i];
    return sum;
}

// next = M^-1/2 A M^-1/2 v
static void multiplyScaled(const EigenProblem *problem, const double *v, double *scaled, double *next)
{
    int size = 3 * problem->count;
    for (int i = 0; i < size; ++i)
        scaled[i] = v[i] / sqrt(problem->mass[i / 3]);
    problem->multiply(problem->user, scaled, next);
    for (int i = 0; i < size; ++i)
        next[i] /= sqrt(problem->mass[i / 3]);
}

void eigenStart(const EigenProblem *problem, double *x)
{
    uint64_t bits = 88172645463325252ULL;
    for (int i = 0; i < 3 * problem->count; ++i)
    {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        x[i] = problem->fixed[i / 3] ? 0 : (double)(bits >> 11) * 0x1p-52 - 1;
    }
}

double eigenLargest(const EigenProblem *problem)
{
    int size = 3 * problem->count, limit = minInt(minInt(problem->iterationLimit, MOST_STEPS), size);
    double *v = problem->work, *before = v + size, *next = before + size, *scaled = next + size;
    double alpha[MOST_STEPS], beta[MOST_STEPS], largest = 0, last = 0;
    eigenStart(problem, v);
    memset(before, 0, (size_t)size * sizeof(double));
    double norm = sqrt(dot(v, v, size));
    for (int i = 0; i < size && norm > 0; ++i)
        v[i] /= norm;
    for (int k = 0; k < limit && norm > 0; ++k)
    {
        multiplyScaled(problem, v, scaled, next);
        alpha[k] = dot(v, next, size);
        for (int i = 0; i < size; ++i)
            next[i] -= alpha[k] * v[i] + (k > 0 ? beta[k - 1] : 0) * before[i];
        beta[k] = sqrt(dot(next, next, size));
        bool end = k == limit - 1 || !(beta[k] > 1e-13 * (fabs(alpha[k]) + largest));
        if (end || k % 8 == 7)
        {
            largest = largestOf(alpha, beta, k + 1);
            // eight more steps that gain so little: the rest is less than the tolerance
            if (end || largest - last <= 0.02 * problem->tolerance * largest)
                break;
            last = largest;
        }
        for (int i = 0; i < size; ++i)
        {
            before[i] = v[i];
            v[i] = next[i] / beta[k];
        }
    }
    return maxReal(largest, 0);
}
