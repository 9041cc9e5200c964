// Cutting a list of things in two by where their middles are: how every tree of boxes is planted.
#include "shape/shape.h"

#include <math.h>

typedef struct Split
{
    const double *middle; // count x 3
    int *order;           // things, rearranged
    int axis;
} Split;

// by the middle along the axis, of equals by number: every order is strict
static bool before(const Split *split, int s, int t)
{
    double p = split->middle[3 * (size_t)s + (size_t)split->axis];
    double q = split->middle[3 * (size_t)t + (size_t)split->axis];
    return p < q || (p == q && s < t);
}

// Hoare's selection: the thing at `wanted` is the one a sort would put there, lower ones before it
static void selectMiddle(const Split *split, int first, int end, int wanted)
{
    int low = first, high = end - 1, *order = split->order;
    while (low < high)
    {
        int pivot = order[low + (high - low) / 2], i = low, j = high;
        while (i <= j)
        {
            while (before(split, order[i], pivot))
                ++i;
            while (before(split, pivot, order[j]))
                --j;
            if (i > j)
                break;
            int swap = order[i];
            order[i++] = order[j];
            order[j--] = swap;
        }
        if (wanted <= j)
            high = j;
        else if (wanted >= i)
            low = i;
        else
            return;
    }
}

// the axis along which the middles spread most
static int widestAxis(const double *middle, const int *order, int first, int end)
{
    double lower[3] = { INFINITY, INFINITY, INFINITY }, upper[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (int i = first; i < end; ++i)
    {
        const double *m = middle + 3 * (size_t)order[i];
        for (int a = 0; a < 3; ++a)
        {
            lower[a] = minReal(lower[a], m[a]);
            upper[a] = maxReal(upper[a], m[a]);
        }
    }
    int axis = 0;
    for (int a = 1; a < 3; ++a)
        axis = upper[a] - lower[a] > upper[axis] - lower[axis] ? a : axis;
    return axis;
}

int splitAtMedian(const double *middle, int *order, int first, int end)
{
    Split split = { .middle = middle, .order = order, .axis = widestAxis(middle, order, first, end) };
    int cut = first + (end - first) / 2;
    selectMiddle(&split, first, end, cut);
    return cut;
}
