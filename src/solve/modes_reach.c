// Energies whose second derivatives reach beyond their elements (EnergyKind.beyondTimes), in the modes of a body: what
// no matrix over the elements has.
#include "solve/modes_reach.h"

#include "linear/eigen.h"

#include <math.h>
#include <string.h>

bool modesReaches(const ModesRecipe *recipe)
{
    for (int e = 0; e < recipe->energyCount; ++e)
    {
        if (modesEnters(recipe->energy[e]) && recipe->energy[e]->kind->beyondTimes != NULL)
            return true;
    }
    return false;
}

// rotations that a step left as a start must not be in it (modes.c)
bool modesReachStart(Memory *memory, const ModesRecipe *recipe)
{
    for (int e = 0; e < recipe->energyCount; ++e)
    {
        Energy *energy = recipe->energy[e];
        if (!modesEnters(energy) || energy->kind->beyondStart == NULL)
            continue;
        size_t count = (size_t)energy->blockCount * LANES * (size_t)energy->kind->keptCount;
        double *kept = ALLOCATE(memory, double, count);
        if (kept == NULL)
            return false;
        memcpy(kept, energy->kept, count * sizeof(double));
        for (int block = 0; block < energy->blockCount; ++block)
            energyStartKept(energy, block);
        energy->kind->beyondStart(energy, recipe->rest, HESSIAN_SEMIDEFINITE);
        memcpy(energy->kept, kept, count * sizeof(double));
        memoryRelease(memory, kept);
    }
    return true;
}

void modesReachAdd(const ModesRecipe *recipe, const double *x, double *sum)
{
    for (int e = 0; e < recipe->energyCount; ++e)
    {
        Energy *energy = recipe->energy[e];
        if (!modesEnters(energy) || energy->kind->beyondTimes == NULL)
            continue;
        energy->kind->beyondTimes(energy, x);
        energyGather(energy, sum, 0, recipe->graph->count);
    }
}

int modesReachDense(Memory *memory, const ModesRecipe *recipe, const BlockMatrix *elements, int rigidCount, int wanted,
                    double shift, Modes *modes)
{
    int size = 3 * recipe->graph->count, n = 0, found = -1;
    int *open = ALLOCATE(memory, int, size);
    double *matrix = ALLOCATE(memory, double, 2 * (size_t)(size * size) + 2 * (size_t)size);
    double *line = ALLOCATE(memory, double, 3 * (size_t)size);
    if (open != NULL && matrix != NULL && line != NULL && modesReachStart(memory, recipe))
    {
        double *unit = line, *column = line + size, *sum = line + 2 * (ptrdiff_t)size;
        for (int i = 0; i < size; ++i)
            open[n] = i, n += !recipe->pinned[i / 3];
        for (int a = 0; a < n; ++a)
        {
            memset(line, 0, 3 * (size_t)size * sizeof(double));
            unit[open[a]] = 1 / sqrt(recipe->mass[open[a] / 3]);
            matrixMultiply(elements, unit, column);
            modesReachAdd(recipe, unit, sum);
            for (int b = 0; b < n; ++b)
                matrix[a * n + b] = (column[open[b]] + sum[open[b]]) / sqrt(recipe->mass[open[b] / 3]);
        }
        for (int i = 0; i < n * n; ++i)
            matrix[i] = i % n < i / n ? matrix[i] : 0.5 * (matrix[i] + matrix[i % n * n + i / n]);
        for (int i = 0; i < n * n; ++i)
            matrix[i] = i % n < i / n ? matrix[i % n * n + i / n] : matrix[i];
        double *vectors = matrix + n * n, *values = vectors + n * n;
        eigenSymmetric(n, matrix, values, vectors, values + n);
        found = minInt(wanted, n - rigidCount);
        memset(modes->shape, 0, (size_t)found * (size_t)size * sizeof(double));
        for (int k = 0; k < found; ++k)
        {
            modes->square[k] = values[rigidCount + k] - shift;
            for (int a = 0; a < n; ++a)
                modes->shape[(ptrdiff_t)k * size + open[a]] =
                    vectors[(rigidCount + k) * n + a] / sqrt(recipe->mass[open[a] / 3]);
        }
    }
    memoryRelease(memory, line);
    memoryRelease(memory, matrix);
    memoryRelease(memory, open);
    return found;
}
