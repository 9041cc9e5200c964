// Incomplete Cholesky without fill, by 3x3 blocks: L L^T = A on the pattern of A. Where a pivot breaks down the whole
// is done again with the diagonal raised (Manteuffel 1980).
#include "linear/precondition.h"

#include <math.h>
#include <string.h>

#define FIRST_SHIFT 1e-3 // of the diagonal
#define MOST_SHIFT 10.0

static size_t size(const Graph *graph)
{
    return 9 * (size_t)graph->start[graph->count];
}

// the diagonal block becomes the inverse of its Cholesky factor, a lower triangle
static bool pivot(double *b)
{
    if (!(b[0] > 0))
        return false;
    double l0 = sqrt(b[0]), l10 = b[3] / l0, l20 = b[6] / l0, d1 = b[4] - l10 * l10;
    if (!(d1 > 1e-14 * b[4]))
        return false;
    double l1 = sqrt(d1), l21 = (b[7] - l20 * l10) / l1, d2 = b[8] - l20 * l20 - l21 * l21;
    if (!(d2 > 1e-14 * b[8]))
        return false;
    double l2 = sqrt(d2);
    b[1] = b[2] = b[5] = 0;
    b[0] = 1 / l0;
    b[4] = 1 / l1;
    b[8] = 1 / l2;
    b[3] = -l10 * b[0] * b[4];
    b[7] = -l21 * b[4] * b[8];
    b[6] = -(l20 * b[0] + l21 * b[3]) * b[8];
    return true;
}

// c -= a b^T
static void subtractProduct(const double *a, const double *b, double *c)
{
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
            c[3 * i + j] -= a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
    }
}

// what column j takes from the columns of its rows, where those have the row too
static void subtractOuter(const Graph *graph, double *value, int j)
{
    for (int b = graph->start[j] + 1; b < graph->start[j + 1]; ++b)
    {
        int column = graph->row[b], target = graph->start[column], end = graph->start[column + 1];
        for (int a = b; a < graph->start[j + 1]; ++a)
        {
            while (target < end && graph->row[target] < graph->row[a])
                target += 1;
            if (target < end && graph->row[target] == graph->row[a])
                subtractProduct(value + 9 * (size_t)a, value + 9 * (size_t)b, value + 9 * (size_t)target);
        }
    }
}

static bool factorShifted(const Graph *graph, const double *source, double shift, double *value)
{
    memcpy(value, source, sizeof(double) * size(graph));
    for (int j = 0; j < graph->count; ++j)
    {
        for (int a = 0; a < 3; ++a)
            value[9 * (size_t)graph->start[j] + 4 * (size_t)a] *= 1 + shift;
    }
    for (int j = 0; j < graph->count; ++j)
    {
        double *diagonal = value + 9 * (size_t)graph->start[j];
        if (!pivot(diagonal))
            return false;
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            // L_kj = A_kj D^-T
            double *block = value + 9 * (size_t)k, result[9] = { 0 }, negative[9];
            for (int i = 0; i < 9; ++i)
                negative[i] = -block[i];
            subtractProduct(negative, diagonal, result);
            memcpy(block, result, sizeof result);
        }
        subtractOuter(graph, value, j);
    }
    return true;
}

static bool compute(Preconditioner *self)
{
    bool ok = factorShifted(self->matrix->graph, self->matrix->value, 0, self->value);
    for (double shift = FIRST_SHIFT; !ok && shift <= MOST_SHIFT; shift *= 4)
        ok = factorShifted(self->matrix->graph, self->matrix->value, shift, self->value);
    return ok;
}

static void apply(const Preconditioner *self, const double *r, double *z)
{
    const Graph *graph = self->matrix->graph;
    memcpy(z, r, sizeof(double) * 3 * (size_t)graph->count);
    for (int j = 0; j < graph->count; ++j)
    {
        double t[3];
        blockTimes(self->value + 9 * (size_t)graph->start[j], z + 3 * (size_t)j, t);
        memcpy(z + 3 * (size_t)j, t, sizeof t);
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
            blockSubtract(self->value + 9 * (size_t)k, t, z + 3 * (size_t)graph->row[k]);
    }
    for (int j = graph->count - 1; j >= 0; --j)
    {
        double *own = z + 3 * (size_t)j, t[3] = { 0, 0, 0 };
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
            blockSubtractTransposed(self->value + 9 * (size_t)k, z + 3 * (size_t)graph->row[k], own);
        // own = D^-T own
        blockSubtractTransposed(self->value + 9 * (size_t)graph->start[j], own, t);
        for (int a = 0; a < 3; ++a)
            own[a] = -t[a];
    }
}

const PreconditionerKind incompletePreconditioner = { "ic", size, compute, apply };
