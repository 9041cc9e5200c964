// Jacobi: division by the diagonal (Hauth 2004, section 3.5).
#include "linear/precondition.h"

static size_t size(const Graph *graph)
{
    return 3 * (size_t)graph->count;
}

static bool compute(Preconditioner *self)
{
    const Graph *graph = self->matrix->graph;
    for (int v = 0; v < graph->count; ++v)
    {
        const double *block = self->matrix->value + 9 * (size_t)graph->start[v];
        for (int a = 0; a < 3; ++a)
        {
            if (!(block[4 * a] > 0)) // NaN too
                return false;
            self->value[3 * (size_t)v + (size_t)a] = 1 / block[4 * a];
        }
    }
    return true;
}

static void apply(const Preconditioner *self, const double *r, double *z)
{
    size_t count = 3 * (size_t)self->matrix->graph->count;
    for (size_t i = 0; i < count; ++i)
        z[i] = self->value[i] * r[i];
}

const PreconditionerKind diagonalPreconditioner = { "diagonal", size, compute, apply };
