#include "solve/modal.h"

#include "solve/modal_flat.h"
#include "solve/modal_kernels.h"
#include "solve/rows.h"

#include <string.h>

// ---- of one body ----------------------------------------------------------------------------------------------------

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &modalKernels_avx2
#else
#define TABLE_AVX2 &modalKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &modalKernels_avx512
#else
#define TABLE_AVX512 &modalKernels_base
#endif

static const ModalKernels *const kernels[ISA_COUNT] = { &modalKernels_base, TABLE_AVX2, TABLE_AVX512 };

static int piecesOf(int blocks, int grain)
{
    return (blocks + grain - 1) / grain;
}

static int grainOf(int blocks) // of one task, whole runs
{
    return workersGrain(blocks * MODAL_BLOCK) / MODAL_BLOCK;
}

static int tasksOf(int blocks)
{
    return piecesOf(blocks, grainOf(blocks));
}

static bool createFlat(Memory *memory, Modal *modal)
{
    const ModalShape *shape = modal->shape;
    if (shape->flat == NULL)
        return true;
    modal->clip = ALLOCATE(memory, double, (size_t)shape->count *(size_t)shape->count);
    modal->vertexTurn = ALLOCATE(memory, float, (size_t)shape->blocks * 4 * MODAL_BLOCK);
    modal->flatStrain = ALLOCATE(memory, float, (size_t)shape->flat->blocks *MODAL_BLOCK);
    modal->flatSum = ALLOCATE(memory, float, FLAT_TASKS *modalFlatSize(shape));
    return modal->clip != NULL && modal->vertexTurn != NULL && modal->flatStrain != NULL && modal->flatSum != NULL;
}

Modal *modalCreate(Memory *memory, ModalShape *shape, Isa isa)
{
    Modal *modal = ALLOCATE(memory, Modal, 1);
    if (modal == NULL)
        return NULL;
    size_t blocks = (size_t)shape->blocks;
    *modal = (Modal){ .shape = shape, .isa = isa };
    modal->point = ALLOCATE(memory, float, blocks * 4 * MODAL_BLOCK);
    modal->turn = ALLOCATE(memory, float, (size_t)maxInt(shape->knotBlocks, 1) * 4 * MODAL_BLOCK);
    modal->rotation = ALLOCATE(memory, float, blocks * 9 * MODAL_BLOCK);
    modal->sums = ALLOCATE(memory, double, (size_t)tasksOf(shape->blocks) * MODAL_MOST);
    if (shape->bound != NULL)
        modal->joint = ALLOCATE(memory, double, (size_t)MODAL_TIED *MODAL_TIED);
    if (modal->point != NULL && modal->turn != NULL && modal->rotation != NULL && modal->sums != NULL &&
        (modal->joint != NULL || shape->bound == NULL) && createFlat(memory, modal))
    {
        for (int i = 0; i < 4 * MODAL_BLOCK * maxInt(shape->knotBlocks, 1); ++i)
            modal->turn[i] = i % 4 == 0; // of a body without knots
        return modal;
    }
    modalDestroy(memory, modal);
    return NULL;
}

void modalDestroy(Memory *memory, Modal *modal)
{
    if (modal == NULL)
        return;
    memoryRelease(memory, modal->point);
    memoryRelease(memory, modal->turn);
    memoryRelease(memory, modal->rotation);
    memoryRelease(memory, modal->sums);
    memoryRelease(memory, modal->joint);
    memoryRelease(memory, modal->clip);
    memoryRelease(memory, modal->vertexTurn);
    memoryRelease(memory, modal->flatStrain);
    memoryRelease(memory, modal->flatSum);
    rowsDestroy(memory, modal->rows);
    memoryRelease(memory, modal);
}

#define KNOTS 4       // blocks of knots of one task,
#define KNOTS_COLD 32 // where a search starts from the block before it: each task begins with one from afar
#define TETS 64       // blocks of tets of one task

typedef struct Task
{
    const Modal *modal;
    const double *in, *mass, *q;
    double *out;
    int blocks; // of all tasks
    int grain;  // of one
    int first;  // number of the first task of this run
} Task;

static void runTasks(Task *task, int blocks, int grain, TaskFunction function, Workers *workers)
{
    int count = piecesOf(blocks, grain);
    task->blocks = blocks;
    task->grain = grain;
    for (task->first = 0; task->first < count; task->first += WORKERS_MOST_TASKS)
        workersRun(workers, minInt(count - task->first, WORKERS_MOST_TASKS), function, task);
}

static int blockBegin(const Task *task, int index)
{
    return (task->first + index) * task->grain;
}

static int blockEnd(const Task *task, int index)
{
    return minInt(blockBegin(task, index) + task->grain, task->blocks);
}

static void loadTask(void *context, int index)
{
    const Task *task = context;
    kernels[task->modal->isa]->load(task->modal, task->in, blockBegin(task, index), blockEnd(task, index));
}

static void smoothTask(void *context, int index)
{
    const Task *task = context;
    kernels[task->modal->isa]->smooth(task->modal, blockBegin(task, index), blockEnd(task, index));
}

static void turnTask(void *context, int index)
{
    const Task *task = context;
    kernels[task->modal->isa]->turn(task->modal, blockBegin(task, index), blockEnd(task, index));
}

static void projectTask(void *context, int index)
{
    const Task *task = context;
    kernels[task->modal->isa]->project(task->modal, task->in, task->mass, blockBegin(task, index),
                                       blockEnd(task, index),
                                       task->modal->sums + (ptrdiff_t)(task->first + index) * MODAL_MOST);
}

static void expandTask(void *context, int index)
{
    const Task *task = context;
    kernels[task->modal->isa]->expand(task->modal, task->q, task->mass, blockBegin(task, index), blockEnd(task, index),
                                      task->out);
}

void modalTurn(Modal *modal, const double *position, Workers *workers)
{
    Task task = { .modal = modal, .in = position };
    int blocks = modal->shape->blocks, knots = modal->shape->knotBlocks;
    runTasks(&task, blocks, grainOf(blocks), loadTask, workers);
    runTasks(&task, knots, modal->warm ? KNOTS : KNOTS_COLD, turnTask, workers);
    runTasks(&task, blocks, grainOf(blocks), smoothTask, workers);
    modal->warm = true;
    modal->clipped = false;
}

static void tornTask(void *context, int index)
{
    const Task *task = context;
    task->modal->sums[task->first + index] =
        kernels[task->modal->isa]->torn(task->modal, blockBegin(task, index), blockEnd(task, index));
}

double modalTorn(const Modal *modal, Workers *workers)
{
    Task task = { .modal = modal };
    int blocks = modal->shape->tetBlocks, grain = maxInt(TETS, piecesOf(blocks, MODAL_MOST));
    double sum = 0;
    runTasks(&task, blocks, grain, tornTask, workers);
    for (int t = 0; t < piecesOf(blocks, grain); ++t)
        sum += modal->sums[t];
    return sum;
}

void modalProject(const Modal *modal, const double *y, const double *mass, Workers *workers, double *q)
{
    Task task = { .modal = modal, .in = y, .mass = mass };
    runTasks(&task, modal->shape->blocks, grainOf(modal->shape->blocks), projectTask, workers);
    for (int k = 0; k < modal->shape->count; ++k)
    {
        q[k] = 0;
        for (int t = 0; t < tasksOf(modal->shape->blocks); ++t)
            q[k] += modal->sums[(ptrdiff_t)t * MODAL_MOST + k];
    }
    if (modal->clipped)
    {
        double whole[MODAL_MOST];
        memcpy(whole, q, (size_t)modal->shape->count * sizeof(double));
        modalClip(modal, whole, q);
    }
}

void modalExpand(const Modal *modal, const double *q, const double *mass, Workers *workers, double *y)
{
    double clipped[MODAL_MOST];
    if (modal->clipped)
        modalClip(modal, q, clipped);
    Task task = { .modal = modal, .q = modal->clipped ? clipped : q, .mass = mass, .out = y };
    runTasks(&task, modal->shape->blocks, grainOf(modal->shape->blocks), expandTask, workers);
}
