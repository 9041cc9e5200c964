// Eigenvalues of dense symmetric matrices of some hundred rows: Householder's reduction to a tridiagonal matrix, then
// QL with implicit shifts (Golub and Van Loan, sections 8.3.1 and 8.3.3). Vectors are rows throughout, so that inner
// loops are contiguous.
#include "linear/eigen.h"

#include <math.h>

#define MOST_SWEEPS 60 // of QL for one value; 2 are usual

static double dotOf(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i)
        sum += a[i] * b[i];
    return sum;
}

// H = I - 2 u u^T with H a = (alpha, 0, ...) for a of `count` numbers; a becomes u. Returns alpha; u is zero where H is
// I
static double reflector(double *a, int count)
{
    double square = dotOf(a, a, count), rest = dotOf(a + 1, a + 1, count - 1);
    if (!(rest > 0))
    {
        double alpha = a[0];
        for (int i = 0; i < count; ++i)
            a[i] = 0;
        return alpha;
    }
    double length = sqrt(square), alpha = a[0] > 0 ? -length : length;
    a[0] -= alpha;
    double scale = 1 / sqrt(a[0] * a[0] + rest);
    for (int i = 0; i < count; ++i)
        a[i] *= scale;
    return alpha;
}

// A <- H A H on the rows and columns from `first` on, given u; p: room
static void reflectBoth(int size, double *a, int first, const double *u, double *p)
{
    int count = size - first;
    for (int i = 0; i < count; ++i)
        p[i] = 2 * dotOf(a + (first + i) * size + first, u, count);
    double k = dotOf(p, u, count);
    for (int i = 0; i < count; ++i)
        p[i] -= k * u[i];
    for (int i = 0; i < count; ++i)
    {
        double *row = a + (first + i) * size + first;
        for (int j = 0; j < count; ++j)
            row[j] -= u[i] * p[j] + p[i] * u[j];
    }
}

// to tridiagonal form: diagonal in `values`, beside[k] between k and k + 1; rows of `q` are the vectors it is in
static void tridiagonalise(int size, double *a, double *values, double *q, double *beside)
{
    for (int k = 0; k + 2 < size; ++k)
    {
        double *u = a + k * size + k + 1; // the row beyond the diagonal keeps u
        beside[k] = reflector(u, size - k - 1);
        reflectBoth(size, a, k + 1, u, values);
    }
    if (size > 1)
        beside[size - 2] = a[(size - 2) * size + size - 1];
    for (int k = 0; k < size; ++k)
        values[k] = a[k * (size + 1)];
    for (int i = 0; i < size * size; ++i)
        q[i] = i % (size + 1) == 0;
    // q = H_n ... H_1: each acts on what is below and beside its own corner
    for (int k = size - 3; k >= 0; --k)
    {
        const double *u = a + k * size + k + 1;
        for (int i = k + 1; i < size; ++i)
        {
            double *row = q + i * size + k + 1, sum = -2 * dotOf(row, u, size - k - 1);
            for (int j = 0; j < size - k - 1; ++j)
                row[j] += sum * u[j];
        }
    }
}

// one implicit QL step on [low, high], rotating rows of q along with it
static void stepQl(int size, double *d, double *e, double *q, int low, int high)
{
    double g = (d[low + 1] - d[low]) / (2 * e[low]), r = sqrt(g * g + 1);
    g = d[high] - d[low] + e[low] / (g + (g >= 0 ? r : -r));
    double s = 1, c = 1, p = 0;
    for (int i = high - 1; i >= low; --i)
    {
        double f = s * e[i], b = c * e[i];
        r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) // a value of its own: the matrix falls apart here
        {
            d[i + 1] -= p;
            e[high] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        double *lower = q + i * size, *upper = lower + size;
        for (int k = 0; k < size; ++k)
        {
            double x = lower[k], y = upper[k];
            upper[k] = s * x + c * y;
            lower[k] = c * x - s * y;
        }
    }
    d[low] -= p;
    e[low] = g;
    e[high] = 0;
}

static void sortRows(int size, double *values, double *vectors)
{
    for (int i = 0; i < size; ++i)
    {
        int least = i;
        for (int j = i + 1; j < size; ++j)
            least = values[j] < values[least] ? j : least;
        double value = values[i];
        values[i] = values[least];
        values[least] = value;
        for (int k = 0; k < size && least != i; ++k)
        {
            double x = vectors[i * size + k];
            vectors[i * size + k] = vectors[least * size + k];
            vectors[least * size + k] = x;
        }
    }
}

void eigenSymmetric(int size, double *matrix, double *values, double *vectors, double *work)
{
    tridiagonalise(size, matrix, values, vectors, work);
    if (size > 0)
        work[size - 1] = 0;
    for (int low = 0; low < size; ++low)
    {
        for (int sweep = 0; sweep < MOST_SWEEPS; ++sweep)
        {
            int high = low;
            while (high + 1 < size && fabs(work[high]) > 1e-16 * (fabs(values[high]) + fabs(values[high + 1])))
                high += 1;
            if (high == low)
                break;
            stepQl(size, values, work, vectors, low, high);
        }
    }
    sortRows(size, values, vectors);
}
