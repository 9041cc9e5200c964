#include "linear/linear.h"

void filterVertex(const Filter *filter, int vertex, double *x)
{
    const double *a = filter->axis + 3 * (size_t)vertex;
    double along;
    switch ((HoldKind)filter->kind[vertex])
    {
    case HOLD_FREE:
        return;
    case HOLD_PLANE:
        along = a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
        for (int k = 0; k < 3; ++k)
            x[k] -= along * a[k];
        return;
    case HOLD_LINE:
        along = a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
        for (int k = 0; k < 3; ++k)
            x[k] = along * a[k];
        return;
    case HOLD_FIXED:
        x[0] = x[1] = x[2] = 0;
        return;
    }
}

void filterApply(const Filter *filter, double *x)
{
    for (int v = 0; v < filter->count; ++v)
    {
        if (filter->kind[v] != HOLD_FREE)
            filterVertex(filter, v, x + 3 * (size_t)v);
    }
}

// B = S_row B S_column, S symmetric
void filterBlock(const Filter *filter, int row, int column, double *block)
{
    for (int i = 0; i < 3 && filter->kind[column] != HOLD_FREE; ++i)
        filterVertex(filter, column, block + 3 * i);
    for (int j = 0; j < 3 && filter->kind[row] != HOLD_FREE; ++j)
    {
        double x[3] = { block[j], block[3 + j], block[6 + j] };
        filterVertex(filter, row, x);
        for (int i = 0; i < 3; ++i)
            block[3 * i + j] = x[i];
    }
}
