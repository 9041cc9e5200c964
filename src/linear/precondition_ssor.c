// Symmetric successive over-relaxation with factor 1, by 3x3 blocks: M = (D + L) D^-1 (D + L^T) for A = D + L + L^T
// (Hauth 2004, Eq 54 with its misprint mended: the middle is D^-1, not D).
#include "linear/precondition.h"

#include <string.h>

static size_t size(const Graph *graph)
{
    return 9 * (size_t)graph->count;
}

static bool compute(Preconditioner *self)
{
    return invertDiagonal(self->matrix, self->value);
}

static void apply(const Preconditioner *self, const double *r, double *z)
{
    const Graph *graph = self->matrix->graph;
    const double *block = self->matrix->value;
    memcpy(z, r, sizeof(double) * 3 * (size_t)graph->count);
    // t = (D + L)^-1 r, column by column
    for (int j = 0; j < graph->count; ++j)
    {
        double t[3];
        blockTimes(self->value + 9 * (size_t)j, z + 3 * (size_t)j, t);
        memcpy(z + 3 * (size_t)j, t, sizeof t);
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
            blockSubtract(block + 9 * (size_t)k, t, z + 3 * (size_t)graph->row[k]);
    }
    // z = (D + L^T)^-1 D t = t - D^-1 L^T z
    for (int j = graph->count - 1; j >= 0; --j)
    {
        double sum[3] = { 0, 0, 0 }, t[3];
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
            blockSubtractTransposed(block + 9 * (size_t)k, z + 3 * (size_t)graph->row[k], sum);
        blockTimes(self->value + 9 * (size_t)j, sum, t);
        for (int a = 0; a < 3; ++a)
            z[3 * (size_t)j + (size_t)a] += t[a];
    }
}

const PreconditionerKind ssorPreconditioner = { "ssor", size, compute, apply };
