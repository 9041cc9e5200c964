#include "linear/front_factor.h"

#include <math.h>
#include <string.h>

#define STRIP 48         // rows of a task of a large front
#define MOST_STRIPS 256  // tasks of one step of a large front
#define LARGE_FRONT 4e5  // multiply-adds: above it the rows of a front are shared
#define LARGE_UPDATE 2e5 // multiply-adds: below it other threads are not woken
#define SCALE_STEP 32    // the scale of a matrix is a multiple of so many powers of two

// ---- life -----------------------------------------------------------------------------------------------------------

static const FrontKernels *kernelsFor(bool single, Isa isa)
{
    switch (isa)
    {
#if defined(VERVE_ISA_AVX2)
    case ISA_AVX2:
        return single ? &frontSingle_avx2 : &frontDouble_avx2;
#endif
#if defined(VERVE_ISA_AVX512)
    case ISA_AVX512:
        return single ? &frontSingle_avx512 : &frontDouble_avx512;
#endif
    default:
        return single ? &frontSingle_base : &frontDouble_base;
    }
}

// D, its pivots, D^-T and B
static size_t scratchBytes(const FrontFactor *factor, const FrontTask *task)
{
    size_t columns = (size_t)task->mostColumns, reals = columns * (columns + 1 + FRONT_BLOCK) + task->mostBelow;
    return (reals * factor->kernels->realSize + 63) / 64 * 64;
}

FrontFactor *frontFactorCreate(Memory *memory, const FrontTree *tree, FrontPrecision precision, Isa isa)
{
    return frontFactorCreateFrom(memory, tree, precision, isa, NULL);
}

FrontFactor *frontFactorCreateFrom(Memory *memory, const FrontTree *tree, FrontPrecision precision, Isa isa,
                                   FrontFactor *former)
{
    FrontFactor *factor = ALLOCATE(memory, FrontFactor, 1);
    if (factor == NULL)
        return NULL;
    factor->memory = memory;
    factor->tree = tree;
    factor->kernels = kernelsFor(precision == FRONT_SINGLE, isa);
    const FrontKernels *solving = kernelsFor(precision != FRONT_DOUBLE, isa);
    factor->sweeps = tree->width == 1 ? &solving->points : &solving->line;
    factor->line = &solving->line;
    factor->rounded = precision == FRONT_ROUNDED;
    size_t scratch = 0;
    for (int p = 0; p <= tree->taskCount; ++p)
    {
        factor->scratchStart[p] = scratch;
        scratch += scratchBytes(factor, &tree->task[p]);
    }
    factor->vector = memoryAllocate(memory, (size_t)tree->vectorCount, factor->sweeps->placeSize);
    factor->scratch = ALLOCATE_BARE(memory, char, scratch);
    factor->values = ALLOCATE_BARE(memory, double, tree->width == 1 ? tree->columnStart[tree->count] : 0);
    factor->exponent = ALLOCATE(memory, int, tree->count);
    factor->marked = ALLOCATE(memory, bool, tree->frontCount);
    factor->onPath = ALLOCATE(memory, bool, tree->frontCount);
    // the places come last, for they take from the former factor
    if (factor->vector != NULL && factor->scratch != NULL && factor->values != NULL && factor->exponent != NULL &&
        factor->marked != NULL && factor->onPath != NULL && frontFactorPlace(factor, former))
        return factor;
    frontFactorDestroy(factor);
    return NULL;
}

void frontFactorDestroy(FrontFactor *factor)
{
    if (factor == NULL)
        return;
    Memory *memory = factor->memory;
    for (int b = 0; b < factor->blockCount; ++b)
        memoryRelease(memory, factor->block[b]);
    memoryRelease(memory, factor->panels);
    memoryRelease(memory, factor->remainder);
    memoryRelease(memory, factor->kept);
    memoryRelease(memory, factor->vector);
    memoryRelease(memory, factor->scratch);
    memoryRelease(memory, factor->values);
    memoryRelease(memory, factor->exponent);
    memoryRelease(memory, factor->marked);
    memoryRelease(memory, factor->onPath);
    memoryRelease(memory, factor);
}

size_t frontFactorBytes(const FrontFactor *factor)
{
    const FrontTree *tree = factor->tree;
    return tree->storage * factor->sweeps->realSize + (size_t)tree->front[tree->frontCount].slotStart * sizeof(int);
}

// ---- scale ----------------------------------------------------------------------------------------------------------

// The matrix is scaled so that the geometric mean of its diagonal is near 1: then float32 and the flushing of tiny
// entries suit any units. The mean moves little when a few vertices are held, and the step is coarse, so updates nearly
// never change it.
static int binaryExponent(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits >> 52 & 0x7ff) - 1023;
}

static int shiftFor(const FrontFactor *factor)
{
    double mean = (double)factor->exponentSum / factor->tree->unknowns;
    return SCALE_STEP * (int)floor(mean / SCALE_STEP + 0.5);
}

static void noteDiagonal(FrontFactor *factor, const double *values, int vertex)
{
    const FrontTree *tree = factor->tree;
    size_t width = (size_t)tree->width, first = width * width * (size_t)tree->columnStart[vertex];
    int exponent = 0;
    for (size_t a = 0; a < width; ++a)
        exponent += binaryExponent(values[first + (width + 1) * a]);
    factor->exponentSum += exponent - factor->exponent[vertex];
    factor->exponent[vertex] = exponent;
}

// ---- lost pivots ----------------------------------------------------------------------------------------------------

#define LOST_DOUBLE 1e14 // a pivot below its diagonal entry over this is rounding
#define LOST_SINGLE 1e6

// Of blocks, which come from second derivatives: what is singular but for rounding is refused. A scalar matrix has its
// mass.
static bool pivotsHold(const FrontFactor *factor, const Front *front, const DenseFront *dense, const double *values)
{
    const FrontTree *tree = factor->tree;
    bool single = factor->kernels->realSize == sizeof(float);
    double limit = (single ? LOST_SINGLE : LOST_DOUBLE) * ldexp(1, factor->shift);
    for (int c = 0; c < front->columns && tree->width > 1; ++c)
    {
        int column = front->first + c, vertex = tree->order[column / tree->width], axis = column % tree->width;
        double reciprocal = single ? (double)((const float *)dense->pivot)[c] : ((const double *)dense->pivot)[c];
        double entry = values[9 * (size_t)tree->columnStart[vertex] + 4 * (size_t)axis];
        if (!(entry * reciprocal * reciprocal < limit))
            return false;
    }
    return true;
}

// ---- one front ------------------------------------------------------------------------------------------------------

static void *realAt(const FrontFactor *factor, void *array, size_t index)
{
    return (char *)array + index * factor->kernels->realSize;
}

static DenseFront denseFront(const FrontFactor *factor, int f, void *scratch)
{
    const Front *front = &factor->tree->front[f];
    DenseFront dense = { .columns = front->columns,
                         .rows = front->rows,
                         .columnStride = (size_t)frontPad(front->columns),
                         .rowStride = (size_t)frontPad(front->rows),
                         .diagonal = scratch,
                         .remainder = factor->remainder[f] };
    size_t n = dense.columnStride;
    dense.pivot = realAt(factor, scratch, n * n);
    dense.upper = realAt(factor, dense.pivot, n);
    dense.below = realAt(factor, dense.upper, n * FRONT_BLOCK);
    return dense;
}

static DenseChild denseChild(const FrontFactor *factor, int child)
{
    const FrontTree *tree = factor->tree;
    const Front *front = &tree->front[child];
    return (DenseChild){ .remainder = factor->remainder[child],
                         .rows = front->rows,
                         .parentRows = front->parentRows,
                         .relative = tree->relative + front->rowStart };
}

double frontWork(const Front *front)
{
    double columns = front->columns, rows = front->rows;
    return columns * (columns * columns / 3 + rows * (columns + rows) / 2);
}

static int panelCount(const DenseFront *dense)
{
    return (dense->columns + FRONT_BLOCK - 1) / FRONT_BLOCK;
}

// Strips of rows of a large front.
typedef struct Strips
{
    const FrontFactor *factor;
    const DenseFront *front;
    void *tiles;
    int height;
    int count;
} Strips;

static void packPanels(const FrontFactor *factor, const DenseFront *dense, int begin, int end, void *tiles)
{
    if (factor->rounded)
        factor->kernels->packRounded(dense, begin, end, tiles);
    else
        factor->kernels->pack(dense, begin, end, tiles);
}

// B by strips, and D^-T
static void runPanelStrip(void *context, int task)
{
    const Strips *s = context;
    int begin = task * s->height;
    if (task < s->count)
        s->factor->kernels->factorRows(s->front, begin, minInt(begin + s->height, (int)s->front->rowStride));
    else
        s->factor->kernels->invertBlocks(s->front);
}

// C by strips, then the panels
static void runRemainderStrip(void *context, int task)
{
    const Strips *s = context;
    // the last rows have most columns
    int begin = (s->count - 1 - task) * s->height;
    if (task < s->count)
        s->factor->kernels->remainderRows(s->front, begin, minInt(begin + s->height, (int)s->front->rowStride));
    else
        packPanels(s->factor, s->front, task - s->count, task - s->count + 1, s->tiles);
}

static void eliminateTogether(const FrontFactor *factor, const DenseFront *dense, void *tiles, Workers *workers)
{
    int rows = (int)dense->rowStride, multiple = (rows / STRIP + MOST_STRIPS) / MOST_STRIPS;
    Strips strips = { factor, dense, tiles, STRIP * multiple, 0 };
    strips.count = (rows + strips.height - 1) / strips.height;
    workersRun(workers, strips.count + 1, runPanelStrip, &strips);
    workersRun(workers, strips.count + panelCount(dense), runRemainderStrip, &strips);
}

// Assembles and eliminates one front. False: a pivot is not positive, or lost.
static bool computeFront(const FrontFactor *factor, int f, const double *values, void *scratch, Workers *workers)
{
    const FrontTree *tree = factor->tree;
    const FrontKernels *kernels = factor->kernels;
    const Front *front = &tree->front[f];
    DenseFront dense = denseFront(factor, f, scratch);
    void *tiles = factor->panels[f];
    kernels->clear(&dense);
    (tree->width == 1 ? kernels->addEntries : kernels->addBlocks)(
        &dense, tree->entry + front->entryStart, front->entryBelow - front->entryStart,
        front[1].entryStart - front->entryStart, values, ldexp(1, -factor->shift));
    for (int c = front->childStart; c < front[1].childStart; ++c)
    {
        DenseChild child = denseChild(factor, tree->child[c]);
        kernels->addChild(&dense, &child);
    }
    if (!kernels->factorDiagonal(&dense) || !pivotsHold(factor, front, &dense, values))
        return false;
    if (workers != NULL && frontWork(front) > LARGE_FRONT)
    {
        eliminateTogether(factor, &dense, tiles, workers);
    }
    else
    {
        kernels->factorRows(&dense, 0, (int)dense.rowStride);
        kernels->invertBlocks(&dense);
        kernels->remainderRows(&dense, 0, (int)dense.rowStride);
        packPanels(factor, &dense, 0, panelCount(&dense), tiles);
    }
    for (int c = front->childStart; c < front[1].childStart; ++c)
    {
        DenseChild child = denseChild(factor, tree->child[c]);
        kernels->addRemainder(&dense, &child);
    }
    return true;
}

// ---- all marked fronts ----------------------------------------------------------------------------------------------

typedef struct Run
{
    const FrontFactor *factor;
    const double *values;
    Workers *workers; // for the rows of a front
    bool failed[FRONT_MOST_TASKS + 1];
} Run;

static void factorTask(void *context, int p)
{
    Run *run = context;
    const FrontFactor *factor = run->factor;
    const FrontTask *task = &factor->tree->task[p];
    for (int f = task->front; f < task->frontEnd && !run->failed[p]; ++f)
        if (factor->marked[f])
            run->failed[p] =
                !computeFront(factor, f, run->values, factor->scratch + factor->scratchStart[p], run->workers);
}

bool frontFactorRun(FrontFactor *factor, const double *values, Workers *workers)
{
    const FrontTree *tree = factor->tree;
    Run run = { .factor = factor, .values = values };
    workersRun(workers, tree->taskCount, factorTask, &run);
    bool fine = true;
    for (int p = 0; p < tree->taskCount; ++p)
        fine = fine && !run.failed[p];
    if (fine)
    {
        run.workers = workersCount(workers) > 1 ? workers : NULL;
        factorTask(&run, tree->taskCount);
        fine = !run.failed[tree->taskCount];
    }
    memset(factor->marked, 0, (size_t)tree->frontCount * sizeof *factor->marked);
    factor->valid = fine;
    return fine;
}

void frontFactorBegin(FrontFactor *factor, const double *values)
{
    const FrontTree *tree = factor->tree;
    if (tree->width == 1)
        memcpy(factor->values, values, (size_t)tree->columnStart[tree->count] * sizeof(double));
    for (int v = 0; v < tree->count; ++v)
        noteDiagonal(factor, values, v);
    factor->shift = shiftFor(factor);
}

bool frontFactorCompute(FrontFactor *factor, const double *values, Workers *workers)
{
    const FrontTree *tree = factor->tree;
    factor->valid = tree->count == 0;
    factor->former = NULL;
    if (factor->valid)
        return true;
    frontFactorBegin(factor, values);
    memset(factor->marked, 1, (size_t)tree->frontCount * sizeof *factor->marked);
    return frontFactorRun(factor, values, workers);
}

// the fronts on the way from f to the root, as far as they are not marked yet; returns the work in them
static double markPath(FrontFactor *factor, int f)
{
    double work = 0;
    for (; f != FRONT_NONE && !factor->marked[f]; f = factor->tree->front[f].parent)
    {
        factor->marked[f] = true;
        work += frontWork(&factor->tree->front[f]);
    }
    return work;
}

bool frontFactorUpdate(FrontFactor *factor, const double *values, const int *changed, int changedCount,
                       Workers *workers)
{
    const FrontTree *tree = factor->tree;
    if (!factor->valid || tree->width > 1)
        return frontFactorCompute(factor, values, workers);
    double work = 0;
    for (int c = 0; c < changedCount; ++c)
    {
        int v = changed[c];
        noteDiagonal(factor, values, v);
        for (int k = tree->columnStart[v]; k < tree->columnStart[v + 1]; ++k)
        {
            // an entry is assembled at the vertex that is eliminated first; compared by bits, so that -0 and NaN count
            if (memcmp(&factor->values[k], &values[k], sizeof(double)) == 0)
                continue;
            factor->values[k] = values[k];
            work += markPath(factor, tree->entryFront[k]);
        }
    }
    if (changedCount > 0 && factor->shift != shiftFor(factor))
        return frontFactorCompute(factor, values, workers);
    return frontFactorRun(factor, values, work > LARGE_UPDATE ? workers : NULL);
}
