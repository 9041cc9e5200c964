#include "solve/smooth.h"

#include "solve/smooth_kernels.h"

#include <math.h>
#include <string.h>

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &smoothKernels_avx2
#else
#define TABLE_AVX2 &smoothKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &smoothKernels_avx512
#else
#define TABLE_AVX512 &smoothKernels_base
#endif

static const SmoothKernels *const kernels[ISA_COUNT] = { &smoothKernels_base, TABLE_AVX2, TABLE_AVX512 };

// ---- tasks ----------------------------------------------------------------------------------------------------------

#define PATCHES_OF_TASK 16
#define STALE 0.01      // of mass, that turned directions may leave uncovered
#define LEAST_RATE 3.0  // 1/s: what it may turn by that velocities do not tell yet
#define MOST_LASTING 64 // substeps

typedef struct Task
{
    const Smooth *smooth;
    const double *in, *mass;
    double *out;
    int first; // number of the first task of this run
} Task;

static int taskCount(const Smooth *smooth)
{
    return (smooth->blocks + SMOOTH_TASK - 1) / SMOOTH_TASK;
}

static void runTasks(Task *task, int count, TaskFunction function, Workers *workers)
{
    for (task->first = 0; task->first < count; task->first += WORKERS_MOST_TASKS)
        workersRun(workers, minInt(count - task->first, WORKERS_MOST_TASKS), function, task);
}

static void projectTask(void *context, int index)
{
    const Task *task = context;
    const Smooth *smooth = task->smooth;
    int number = task->first + index, begin = number * SMOOTH_TASK;
    kernels[smooth->isa]->project(smooth, task->in, task->mass, begin, minInt(begin + SMOOTH_TASK, smooth->blocks),
                                  smooth->sums + (ptrdiff_t)number * 3 * smooth->count);
}

static void expandTask(void *context, int index)
{
    const Task *task = context;
    int begin = (task->first + index) * SMOOTH_TASK;
    kernels[task->smooth->isa]->expand(task->smooth, task->in, begin, minInt(begin + SMOOTH_TASK, task->smooth->blocks),
                                       task->out);
}

static void tensorTask(void *context, int index)
{
    const Task *task = context;
    int begin = (task->first + index) * PATCHES_OF_TASK;
    kernels[task->smooth->isa]->tensors(task->smooth, task->in, begin,
                                        minInt(begin + PATCHES_OF_TASK, task->smooth->patchCount));
}

void smoothProject(const Smooth *smooth, const double *y, const double *mass, Workers *workers, double *q)
{
    Task task = { .smooth = smooth, .in = y, .mass = mass };
    runTasks(&task, taskCount(smooth), projectTask, workers);
    for (int k = 0; k < 3 * smooth->count; ++k)
    {
        q[k] = 0;
        for (int t = 0; t < taskCount(smooth); ++t)
            q[k] += smooth->sums[(ptrdiff_t)t * 3 * smooth->count + k];
    }
}

void smoothExpand(const Smooth *smooth, const double *r, Workers *workers, double *y)
{
    Task task = { .smooth = smooth, .in = r, .out = y };
    runTasks(&task, taskCount(smooth), expandTask, workers);
}

void smoothRest(const Smooth *smooth, const double *y, const double *mass, Workers *workers, double *rest)
{
    double part[3 * SMOOTH_MOST];
    smoothProject(smooth, y, mass, workers, part);
    for (int k = 0; k < 3 * smooth->count; ++k)
        part[k] = -part[k];
    memcpy(rest, y, 3 * (size_t)smooth->vertices * sizeof(double));
    smoothExpand(smooth, part, workers, rest);
}

// ---- F --------------------------------------------------------------------------------------------------------------

// the lower triangle of F: xx yy zz xy xz yz are blocks of count x count, each symmetric
static void fillBlock(Smooth *smooth, int which, double scale, const double *part)
{
    static const int rows[6] = { 0, 1, 2, 1, 2, 2 }, columns[6] = { 0, 1, 2, 0, 0, 1 };
    int count = smooth->count, width = 3 * count;
    double *block = smooth->matrix + (ptrdiff_t)rows[which] * count * width + columns[which] * count;
    for (int a = 0; a < count; ++a)
    {
        for (int b = 0; b <= a; ++b)
        {
            int k = a * count + b;
            double value = scale * (part[k] + (which < 3 ? smooth->still[k] + smooth->hold[k] : 0));
            block[a * width + b] = value;
            block[b * width + a] = value; // beyond the diagonal of F nothing is read
        }
    }
}

// Cholesky's factor in place; F is not below the identity
static void factor(double *matrix, int size)
{
    for (int i = 0; i < size; ++i)
    {
        double *row = matrix + (ptrdiff_t)i * size;
        for (int j = 0; j <= i; ++j)
        {
            const double *other = matrix + (ptrdiff_t)j * size;
            double sum = row[j], even = 0, odd = 0;
            int k = 0;
            for (; k + 2 <= j; k += 2)
            {
                even += row[k] * other[k];
                odd += row[k + 1] * other[k + 1];
            }
            if (k < j)
                even += row[k] * other[k];
            sum -= even + odd;
            row[j] = i == j ? sqrt(sum) : sum / other[j];
        }
    }
}

void smoothTurn(Smooth *smooth, const double *position, double quarter, double drag, Workers *workers)
{
    int count = smooth->count, width = 3 * count;
    double part[SMOOTH_MOST * SMOOTH_MOST];
    Task task = { .smooth = smooth, .in = position };
    runTasks(&task, (smooth->patchCount + PATCHES_OF_TASK - 1) / PATCHES_OF_TASK, tensorTask, workers);
    for (int which = 0; which < 6; ++which)
    {
        kernels[smooth->isa]->stiffness(smooth, which, part);
        fillBlock(smooth, which, smooth->excess * quarter, part);
    }
    for (int i = 0; i < width; ++i)
        smooth->matrix[(ptrdiff_t)i * width + i] += drag;
    factor(smooth->matrix, width);
    for (int k = 0; k < count * count; ++k)
    {
        double square = k / count == k % count ? smooth->square[k % count] : 0;
        smooth->own[k] = SMOOTH_MARGIN * quarter * (square + smooth->hold[k]) + (k / count == k % count ? drag : 0);
    }
    factor(smooth->own, count);
}

int smoothLasting(const Smooth *smooth, const double *velocity, const double *mass, double h, Workers *workers)
{
    int count = smooth->count;
    double q[3 * SMOOTH_MOST], stretch = 0, most = 0;
    smoothProject(smooth, velocity, mass, workers, q);
    for (int k = 0; k < 3 * count; ++k)
    {
        stretch += smooth->square[k % count] * q[k] * q[k];
        most = maxReal(most, smooth->square[k % count]);
    }
    double rate = LEAST_RATE + sqrt(stretch / smooth->whole),
           turn = sqrt(STALE / (smooth->excess * 0.25 * h * h * most));
    double substeps = turn / (rate * h);
    return substeps < MOST_LASTING ? maxInt((int)substeps, 1) : MOST_LASTING;
}

static void solve(const double *l, int size, const double *q, double *r)
{
    for (int i = 0; i < size; ++i)
    {
        double sum = q[i];
        for (int k = 0; k < i; ++k)
            sum -= l[(ptrdiff_t)i * size + k] * r[k];
        r[i] = sum / l[(ptrdiff_t)i * size + i];
    }
    for (int i = size - 1; i >= 0; --i)
    {
        r[i] /= l[(ptrdiff_t)i * size + i];
        for (int k = 0; k < i; ++k)
            r[k] -= l[(ptrdiff_t)i * size + k] * r[i];
    }
}

void smoothMove(const Smooth *smooth, const double *q, double *r)
{
    int count = smooth->count;
    double own[SMOOTH_MOST];
    solve(smooth->matrix, 3 * count, q, r);
    for (int axis = 0; axis < 3; ++axis)
    {
        solve(smooth->own, count, q + axis * count, own);
        for (int k = 0; k < count; ++k)
            r[axis * count + k] -= own[k];
    }
}

double smoothAdded(const Smooth *smooth, const double *q)
{
    int count = smooth->count, width = 3 * count;
    double a[3 * SMOOTH_MOST], sum = 0;
    for (int axis = 0; axis < 3; ++axis)
        solve(smooth->own, count, q + axis * count, a + axis * count);
    for (int i = 0; i < width; ++i)
    {
        double part = 0;
        for (int k = i; k < width; ++k)
            part += smooth->matrix[(ptrdiff_t)k * width + i] * a[k];
        sum += 0.5 * (part * part - q[i] * a[i]);
    }
    return sum;
}

void smoothHold(Smooth *smooth, int vertex, double stiffness)
{
    int count = smooth->count;
    const float *u = smooth->shape + (ptrdiff_t)(vertex / SMOOTH_BLOCK) * count * SMOOTH_BLOCK + vertex % SMOOTH_BLOCK;
    for (int k = 0; k < count * count; ++k)
        smooth->hold[k] += stiffness * (double)u[k / count * SMOOTH_BLOCK] * (double)u[k % count * SMOOTH_BLOCK];
}
