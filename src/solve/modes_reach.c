// Modes of energies whose second derivatives reach beyond their elements (EnergyKind.beyondTimes): those of the
// elements alone, then rounds of Rayleigh and Ritz over them, what a solve with the factor of the elements makes of
// their residuals, and those of the round before (Knyazev 2001).
#include "solve/modes_reach.h"

#include "linear/eigen.h"

#include <math.h>
#include <string.h>

#define ROUNDS 4 // the lowest frequencies come within 0.3 %, the highest of those asked for within 3 %
#define BLOCKS 3
#define DEPENDENT 1e-10 // of a vector's square: what is left of one that the others span

typedef struct Reach
{
    const ModesReach *in;
    int size, count; // numbers of a vector; vectors of the basis
    double *basis;   // BLOCKS x modes x size, orthonormal in the masses
    double *product; // the same, times the stiffness
    double *sum;     // size
    double *last;    // modes x size: of the round before
    int lastCount;   // modes
} Reach;

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

static void multiply(const Reach *reach, const double *x, double *y)
{
    const ModesRecipe *recipe = reach->in->recipe;
    matrixMultiply(reach->in->matrix, x, y);
    memset(reach->sum, 0, (size_t)reach->size * sizeof(double));
    modesReachAdd(recipe, x, reach->sum);
    for (int i = 0; i < reach->size; ++i)
        y[i] = recipe->pinned[i / 3] ? 0 : y[i] + reach->sum[i] - reach->in->shift * recipe->mass[i / 3] * x[i];
}

static double massDot(const Reach *reach, const double *x, const double *y)
{
    const double *mass = reach->in->recipe->mass;
    double sum[3] = { 0, 0, 0 };
    for (int i = 0; i < reach->size; ++i)
        sum[i % 3] += mass[i / 3] * x[i] * y[i];
    return sum[0] + sum[1] + sum[2];
}

static void takeOut(const Reach *reach, const double *from, int count, double *x)
{
    for (int k = 0; k < count; ++k)
    {
        const double *other = from + (ptrdiff_t)k * reach->size;
        double overlap = massDot(reach, x, other);
        for (int i = 0; i < reach->size; ++i)
            x[i] -= overlap * other[i];
    }
}

// x, the next of the basis, if the others leave something of it
static void enter(Reach *reach)
{
    double *x = reach->basis + (ptrdiff_t)reach->count * reach->size, before = massDot(reach, x, x);
    for (int pass = 0; pass < 2; ++pass)
    {
        takeOut(reach, reach->in->rigid, reach->in->rigidCount, x);
        takeOut(reach, reach->basis, reach->count, x);
    }
    double square = massDot(reach, x, x);
    if (!(square > DEPENDENT * before) || !isfinite(1 / square))
        return;
    for (int i = 0; i < reach->size; ++i)
        x[i] /= sqrt(square);
    multiply(reach, x, reach->product + (ptrdiff_t)reach->count * reach->size);
    reach->count += 1;
}

static void enterAll(Reach *reach, const double *from, int count)
{
    for (int k = 0; k < count; ++k)
    {
        memcpy(reach->basis + (ptrdiff_t)reach->count * reach->size, from + (ptrdiff_t)k * reach->size,
               (size_t)reach->size * sizeof(double));
        enter(reach);
    }
}

// the modes, a solve for the residual of each, and what they were before
static void fillBasis(Reach *reach, const Modes *modes)
{
    const ModesReach *in = reach->in;
    reach->count = 0;
    enterAll(reach, modes->shape, modes->count);
    int first = reach->count;
    for (int k = 0; k < first; ++k)
    {
        const double *u = reach->basis + (ptrdiff_t)k * reach->size;
        const double *product = reach->product + (ptrdiff_t)k * reach->size;
        double square = 0, *residual = reach->sum;
        for (int i = 0; i < reach->size; ++i)
            square += u[i] * product[i];
        for (int i = 0; i < reach->size; ++i)
            residual[i] = in->recipe->pinned[i / 3] ? 0 : product[i] - square * in->recipe->mass[i / 3] * u[i];
        frontFactorSolve(in->factor, residual, reach->basis + (ptrdiff_t)reach->count * reach->size, NULL);
        enter(reach);
    }
    enterAll(reach, reach->last, reach->lastCount);
    memcpy(reach->last, modes->shape, (size_t)modes->count * (size_t)reach->size * sizeof(double));
    reach->lastCount = modes->count;
}

// the lowest of what the basis spans
static void project(const Reach *reach, double *small, Modes *modes)
{
    int n = reach->count, size = reach->size;
    double *matrix = small, *vectors = matrix + n * n, *values = vectors + n * n, *work = values + n;
    for (int a = 0; a < n; ++a)
    {
        for (int b = 0; b <= a; ++b)
        {
            const double *x = reach->basis + (ptrdiff_t)a * size, *y = reach->product + (ptrdiff_t)b * size;
            double sum[3] = { 0, 0, 0 };
            for (int i = 0; i < size; ++i)
                sum[i % 3] += x[i] * y[i];
            matrix[a * n + b] = matrix[b * n + a] = sum[0] + sum[1] + sum[2];
        }
    }
    eigenSymmetric(n, matrix, values, vectors, work);
    modes->count = minInt(modes->count, n);
    for (int k = 0; k < modes->count; ++k)
    {
        double *u = modes->shape + (ptrdiff_t)k * size;
        modes->square[k] = values[k];
        memset(u, 0, (size_t)size * sizeof(double));
        for (int a = 0; a < n; ++a)
        {
            const double *x = reach->basis + (ptrdiff_t)a * size;
            for (int i = 0; i < size; ++i)
                u[i] += vectors[k * n + a] * x[i];
        }
    }
}

bool modesReachBeyond(Memory *memory, const ModesReach *in, Modes *modes)
{
    Reach reach = { .in = in, .size = 3 * in->recipe->graph->count };
    size_t most = BLOCKS * (size_t)modes->count, size = (size_t)reach.size;
    reach.basis = ALLOCATE(memory, double, most *size);
    reach.product = ALLOCATE(memory, double, most *size);
    reach.sum = ALLOCATE(memory, double, size);
    reach.last = ALLOCATE(memory, double, (size_t)modes->count *size);
    double *small = ALLOCATE(memory, double, 2 * most * most + 2 * most);
    bool ok = reach.basis && reach.product && reach.sum && reach.last && small && modesReachStart(memory, in->recipe);
    for (int round = 0; round < ROUNDS && ok && modes->count > 0; ++round)
    {
        fillBasis(&reach, modes);
        project(&reach, small, modes);
    }
    memoryRelease(memory, small);
    memoryRelease(memory, reach.last);
    memoryRelease(memory, reach.sum);
    memoryRelease(memory, reach.product);
    memoryRelease(memory, reach.basis);
    return ok;
}
