// How far two trials of a scene are apart, beside what moved in them.
#include "lab/advise.h"

#include <math.h>

#define UNSEEN 1e-3 // of the size

// Sums of squares over looks and vertices: of the distance between two trials, and of the reference's from its start;
// of the centre of a body, and of vertices beside it.
typedef struct Squares
{
    double whole, wholeTravel, inner, innerTravel, count;
} Squares;

static vvVec3 centreOf(const double *x, int count)
{
    vvVec3 sum = { 0, 0, 0 };
    for (int v = 0; v < count; ++v)
    {
        sum.x += x[3 * (ptrdiff_t)v] / count;
        sum.y += x[3 * (ptrdiff_t)v + 1] / count;
        sum.z += x[3 * (ptrdiff_t)v + 2] / count;
    }
    return sum;
}

// of vertices beside the centre, summed, and of the centre
static void addSquares(const double *a, const double *b, int count, double *whole, double *inner)
{
    vvVec3 p = centreOf(a, count), q = centreOf(b, count);
    double shift[3] = { p.x - q.x, p.y - q.y, p.z - q.z };
    for (int i = 0; i < 3 * count; ++i)
    {
        double d = a[i] - b[i] - shift[i % 3];
        *inner += d * d;
    }
    for (int k = 0; k < 3; ++k)
        *whole += count * shift[k] * shift[k];
}

double trialApart(const Trial *trial, const Trial *reference, double size)
{
    if (trial->positions == NULL || reference->positions == NULL || trial->coordinates != reference->coordinates ||
        trial->looks != reference->looks)
        return -1;
    Squares sum = { 0 };
    for (int look = 1; look < reference->looks; ++look)
    {
        const double *x = trial->positions + look * trial->coordinates;
        const double *y = reference->positions + look * trial->coordinates, *start = reference->positions;
        for (int i = 0; i < reference->bodies; ++i)
        {
            int count = reference->vertices[i];
            addSquares(x, y, count, &sum.whole, &sum.inner);
            addSquares(y, start, count, &sum.wholeTravel, &sum.innerTravel);
            sum.count += count;
            x += 3 * (ptrdiff_t)count;
            y += 3 * (ptrdiff_t)count;
            start += 3 * (ptrdiff_t)count;
        }
    }
    double least = UNSEEN * size * UNSEEN * size * sum.count;
    double whole = sqrt(sum.whole / maxReal(sum.wholeTravel, least));
    double inner = sqrt(sum.inner / maxReal(sum.innerTravel, least));
    return maxReal(whole, inner);
}
