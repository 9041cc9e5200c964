// Block Jacobi: the 3x3 blocks of the vertices, inverted.
#include "linear/precondition.h"

#include <math.h>

// by Cholesky: L L^T = B, then L^-T L^-1. Only the lower triangle is read
static bool invertBlock(const double *b, double *inverse)
{
    double d0 = b[0];
    if (!(d0 > 0))
        return false;
    double l0 = sqrt(d0), l10 = b[3] / l0, l20 = b[6] / l0, d1 = b[4] - l10 * l10;
    if (!(d1 > 0))
        return false;
    double l1 = sqrt(d1), l21 = (b[7] - l20 * l10) / l1, d2 = b[8] - l20 * l20 - l21 * l21;
    if (!(d2 > 0))
        return false;
    double l2 = sqrt(d2);
    double m00 = 1 / l0, m11 = 1 / l1, m22 = 1 / l2, m10 = -l10 * m00 * m11, m21 = -l21 * m11 * m22;
    double m20 = -(l20 * m00 + l21 * m10) * m22;
    inverse[0] = m00 * m00 + m10 * m10 + m20 * m20;
    inverse[1] = inverse[3] = m10 * m11 + m20 * m21;
    inverse[2] = inverse[6] = m20 * m22;
    inverse[4] = m11 * m11 + m21 * m21;
    inverse[5] = inverse[7] = m21 * m22;
    inverse[8] = m22 * m22;
    return true;
}

bool invertDiagonal(const BlockMatrix *matrix, double *inverse)
{
    const Graph *graph = matrix->graph;
    for (int v = 0; v < graph->count; ++v)
    {
        if (!invertBlock(matrix->value + 9 * (size_t)graph->start[v], inverse + 9 * (size_t)v))
            return false;
    }
    return true;
}

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
    for (size_t v = 0; v < (size_t)self->matrix->graph->count; ++v)
        blockTimes(self->value + 9 * v, r + 3 * v, z + 3 * v);
}

const PreconditionerKind blockPreconditioner = { "block", size, compute, apply };
