#include "linear/eigen.h"

#include <math.h>

// rotates rows and columns p and q so that entry (p, q) vanishes (Golub and Van Loan, section 8.5)
static void rotate(int size, double *a, double *vectors, int p, int q)
{
    double apq = a[p * size + q];
    if (apq == 0)
        return;
    double theta = (a[q * size + q] - a[p * size + p]) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    if (!isfinite(theta * theta)) // far apart: the angle is nearly zero
        t = 0.5 / theta;
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < size; ++k)
    {
        double x = a[k * size + p], y = a[k * size + q];
        a[k * size + p] = c * x - s * y;
        a[k * size + q] = s * x + c * y;
    }
    for (int k = 0; k < size; ++k)
    {
        double x = a[p * size + k], y = a[q * size + k];
        a[p * size + k] = c * x - s * y;
        a[q * size + k] = s * x + c * y;
        x = vectors[p * size + k];
        y = vectors[q * size + k];
        vectors[p * size + k] = c * x - s * y;
        vectors[q * size + k] = s * x + c * y;
    }
}

static void swapRows(int size, double *values, double *vectors, int i, int j)
{
    double value = values[i];
    values[i] = values[j];
    values[j] = value;
    for (int k = 0; k < size; ++k)
    {
        double x = vectors[i * size + k];
        vectors[i * size + k] = vectors[j * size + k];
        vectors[j * size + k] = x;
    }
}

void eigenDense(int size, double *matrix, double *values, double *vectors)
{
    for (int i = 0; i < size * size; ++i)
        vectors[i] = i % (size + 1) == 0;
    for (int sweep = 0; sweep < 12; ++sweep) // converges quadratically: 6 are usual
    {
        for (int p = 0; p < size; ++p)
        {
            for (int q = p + 1; q < size; ++q)
                rotate(size, matrix, vectors, p, q);
        }
    }
    for (int i = 0; i < size; ++i)
        values[i] = matrix[i * (size + 1)];
    for (int i = 0; i < size; ++i)
    {
        for (int j = i + 1; j < size; ++j)
        {
            if (values[j] < values[i])
                swapRows(size, values, vectors, i, j);
        }
    }
}
