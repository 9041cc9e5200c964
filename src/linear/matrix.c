#include "linear/linear.h"

#include <string.h>

BlockMatrix *matrixCreate(Memory *memory, const Graph *graph)
{
    BlockMatrix *matrix = ALLOCATE(memory, BlockMatrix, 1);
    if (matrix == NULL)
        return NULL;
    matrix->memory = memory;
    matrix->graph = graph;
    matrix->value = ALLOCATE(memory, double, (size_t)graph->start[graph->count] * 9);
    if (matrix->value != NULL)
        return matrix;
    matrixDestroy(matrix);
    return NULL;
}

void matrixDestroy(BlockMatrix *matrix)
{
    if (matrix == NULL)
        return;
    Memory *memory = matrix->memory;
    memoryRelease(memory, matrix->value);
    memoryRelease(memory, matrix);
}

void matrixClear(BlockMatrix *matrix)
{
    memset(matrix->value, 0, sizeof(double) * 9 * (size_t)matrix->graph->start[matrix->graph->count]);
}

void matrixMultiply(const BlockMatrix *matrix, const double *x, double *y)
{
    const Graph *graph = matrix->graph;
    ASSERT(x != y, "a product does not overwrite its factor");
    memset(y, 0, sizeof(double) * 3 * (size_t)graph->count);
    for (int j = 0; j < graph->count; ++j)
    {
        // the diagonal block, then each block below it and its mirror image
        const double *b = matrix->value + 9 * (size_t)graph->start[j];
        double x0 = x[3 * (size_t)j], x1 = x[3 * (size_t)j + 1], x2 = x[3 * (size_t)j + 2];
        double y0 = b[0] * x0 + b[1] * x1 + b[2] * x2;
        double y1 = b[3] * x0 + b[4] * x1 + b[5] * x2;
        double y2 = b[6] * x0 + b[7] * x1 + b[8] * x2;
        for (int k = graph->start[j] + 1; k < graph->start[j + 1]; ++k)
        {
            b += 9;
            const double *u = x + 3 * (size_t)graph->row[k];
            double *v = y + 3 * (size_t)graph->row[k];
            v[0] += b[0] * x0 + b[1] * x1 + b[2] * x2;
            v[1] += b[3] * x0 + b[4] * x1 + b[5] * x2;
            v[2] += b[6] * x0 + b[7] * x1 + b[8] * x2;
            y0 += b[0] * u[0] + b[3] * u[1] + b[6] * u[2];
            y1 += b[1] * u[0] + b[4] * u[1] + b[7] * u[2];
            y2 += b[2] * u[0] + b[5] * u[1] + b[8] * u[2];
        }
        y[3 * (size_t)j] += y0;
        y[3 * (size_t)j + 1] += y1;
        y[3 * (size_t)j + 2] += y2;
    }
}
