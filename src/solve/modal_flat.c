#include "solve/modal_flat.h"

#include "solve/solve.h"

#include <math.h>
#include <string.h>

// Estimates are too high, 5 to 200 times, where a flat tet follows rotations that are linear in space.
#define FLAT 2.0       // mean of the three stiffnesses of a tet over their geometric mean: it is flat from here on
#define SENSED 0.1     // of hs^2/4 times what a turn of all corners by 1 rad apart makes of it: it is listed
#define LONGEST 3.4e-3 // s, of a substep by the rule,
#define CROSSING 0.1   // of the time in which a wave crosses the body
#define LEAST_ALL 1.0  // of hs^2/4 times all estimates: modes stay as they are below it
#define LEAST_ONE 1e-2 // of that of one tet: it adds nothing below it
#define MOST 0.2       // of X: half of a mode is left there

// ---- flat tets of a shape -------------------------------------------------------------------------------------------

void modalFlatDestroy(Memory *memory, FlatTets *flat)
{
    if (flat == NULL)
        return;
    memoryRelease(memory, flat->vertex);
    memoryRelease(memory, flat->mean);
    memoryRelease(memory, flat->apart);
    memoryRelease(memory, flat->root);
    memoryRelease(memory, flat);
}

// h of a majorizer W = sum of h h^T, by Cholesky of what it is for corners 1 to 3: it does not see translations. False:
// it has no such factor, or its tet is not flat
static bool rootOf(const double *w, double h[3][4])
{
    double pivots = 4, trace = w[0] + w[5] + w[10] + w[15]; // the product of the stiffnesses is four times this minor
    for (int j = 0; j < 3; ++j)
    {
        double square = w[5 * (j + 1)];
        for (int k = 0; k < j; ++k)
            square -= h[k][j + 1] * h[k][j + 1];
        if (!(square > 0))
            return false;
        pivots *= square;
        double pivot = sqrt(square), whole = 0;
        for (int i = 0; i < 3; ++i)
        {
            double value = w[4 * (i + 1) + j + 1];
            for (int k = 0; k < j; ++k)
                value -= h[k][i + 1] * h[k][j + 1];
            h[j][i + 1] = i < j ? 0 : value / pivot;
            whole += h[j][i + 1];
        }
        h[j][0] = -whole;
    }
    double mean = trace / 3;
    return mean * mean * mean > FLAT * FLAT * FLAT * pivots;
}

// 1/kg, at each vertex: sum of the squares of all modes
static void squaresOf(const ModalShape *shape, double *square)
{
    memset(square, 0, (size_t)shape->vertices * sizeof(double));
    for (int k = 0; k < shape->count; ++k)
    {
        for (int i = 0; i < 3 * shape->vertices; ++i)
        {
            double u = modalAt(shape, k, i / 3, i % 3);
            square[i / 3] += u * u;
        }
    }
}

// 1/kg: the square of the mean of the modes over the corners, and that of what is beside it, all corners together
static void splitOf(const ModalShape *shape, const int vertex[4], double *mean, double *apart)
{
    double all = 0;
    *mean = 0;
    for (int i = 0; i < 3 * shape->count; ++i)
    {
        double sum = 0;
        for (int c = 0; c < 4; ++c)
        {
            double u = modalAt(shape, i / 3, vertex[c], i % 3);
            sum += 0.25 * u;
            all += u * u;
        }
        *mean += sum * sum;
    }
    *apart = maxReal(all - 4 * *mean, 0);
}

static bool mayBeFlat(const Energy *energy)
{
    return (energy->traits & TRAIT_INTERNAL) && !(energy->traits & TRAIT_DISSIPATIVE) && !energyIsDiagonal(energy) &&
           energy->kind->majorizer != NULL && energy->kind->corners == 4;
}

static void addTet(const ModalShape *shape, FlatTets *flat, const int vertex[4], double trace, double root[3][4])
{
    double mean, apart;
    splitOf(shape, vertex, &mean, &apart);
    int block = flat->count / FLAT_BLOCK, lane = flat->count % FLAT_BLOCK;
    for (int l = lane; l < FLAT_BLOCK; ++l) // copies, until others follow
    {
        for (int c = 0; c < 4; ++c)
            flat->vertex[(block * 4 + c) * FLAT_BLOCK + l] = vertex[c];
        for (int i = 0; i < 12; ++i)
            flat->root[(block * 12 + i) * FLAT_BLOCK + l] = (float)root[i / 4][i % 4];
        flat->mean[block * FLAT_BLOCK + l] = l == lane ? (float)mean : 0;
        flat->apart[block * FLAT_BLOCK + l] = l == lane ? (float)(trace * apart) : 0;
    }
    flat->count += 1;
    flat->blocks = block + 1;
}

// fills the list; counts alone where it is NULL
static int listFlat(const ModalShape *shape, const Energy *energy, const double *square, double least, FlatTets *flat)
{
    double weights[LANES * 16], root[3][4];
    int found = 0;
    for (int i = 0; i < energy->elementCount; ++i)
    {
        int vertex[4], lane = i % LANES;
        if (lane == 0)
            energy->kind->majorizer(energy, i / LANES, weights);
        for (int c = 0; c < 4; ++c)
            vertex[c] = laneVertices(energy, i / LANES)[c * LANES + lane];
        if (!rootOf(weights + 16 * lane, root))
            continue;
        double bound = 0, trace = 0;
        for (int c = 0; c < 4; ++c)
        {
            bound += weights[16 * lane + 5 * c] * square[vertex[c]];
            trace += weights[16 * lane + 5 * c];
        }
        if (!(bound > least) || !isfinite(bound))
            continue;
        found += 1;
        if (flat != NULL)
            addTet(shape, flat, vertex, trace, root);
    }
    return found;
}

static FlatTets *createFlat(Memory *memory, int count)
{
    FlatTets *flat = ALLOCATE(memory, FlatTets, 1);
    if (flat == NULL)
        return NULL;
    size_t lanes = ((size_t)count + FLAT_BLOCK - 1) / FLAT_BLOCK * FLAT_BLOCK;
    *flat = (FlatTets){ .vertex = ALLOCATE(memory, int, 4 * lanes),
                        .root = ALLOCATE(memory, float, 12 * lanes),
                        .mean = ALLOCATE(memory, float, lanes),
                        .apart = ALLOCATE(memory, float, lanes) };
    if (flat->vertex != NULL && flat->root != NULL && flat->mean != NULL && flat->apart != NULL)
        return flat;
    modalFlatDestroy(memory, flat);
    return NULL;
}

bool modalShapeFlat(ModalShape *shape, const ModesRecipe *recipe)
{
    double *square = shape->count > 0 ? ALLOCATE(shape->memory, double, shape->vertices) : NULL;
    if (square == NULL)
        return shape->count == 0;
    double longest = minReal(LONGEST, CROSSING / maxReal(recipe->slow, 1e-30));
    double least = SENSED / (0.25 * longest * longest);
    int count = 0;
    squaresOf(shape, square);
    for (int e = 0; e < recipe->energyCount; ++e)
        count += mayBeFlat(recipe->energy[e]) ? listFlat(shape, recipe->energy[e], square, least, NULL) : 0;
    shape->flat = count > 0 ? createFlat(shape->memory, count) : NULL;
    for (int e = 0; e < recipe->energyCount && shape->flat != NULL; ++e)
    {
        if (mayBeFlat(recipe->energy[e]))
            listFlat(shape, recipe->energy[e], square, least, shape->flat);
    }
    memoryRelease(shape->memory, square);
    return count == 0 || shape->flat != NULL;
}

// ---- of one body ----------------------------------------------------------------------------------------------------

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &modalFlatKernels_avx2
#else
#define TABLE_AVX2 &modalFlatKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &modalFlatKernels_avx512
#else
#define TABLE_AVX512 &modalFlatKernels_base
#endif

static const ModalFlatKernels *const kernels[ISA_COUNT] = { &modalFlatKernels_base, TABLE_AVX2, TABLE_AVX512 };

typedef struct Strain
{
    const Modal *modal;
    double quarter; // s^2, hs^2/4
} Strain;

static void estimateTask(void *context, int task)
{
    const Modal *modal = context;
    int blocks = modal->shape->flat->blocks, grain = (blocks + FLAT_TASKS - 1) / FLAT_TASKS;
    kernels[modal->isa]->estimate(modal, minInt(task * grain, blocks), minInt((task + 1) * grain, blocks),
                                  modal->flatStrain);
}

// Tets that strain much lie together: every task takes one of FLAT_TASKS.
static void strainTask(void *context, int task)
{
    const Strain *strain = context;
    const Modal *modal = strain->modal;
    float *sum = modalFlatSum(modal, task);
    memset(sum, 0, modalFlatSize(modal->shape) * sizeof(float));
    for (int t = task; t < modal->shape->flat->count; t += FLAT_TASKS)
    {
        if (strain->quarter * (double)modal->flatStrain[t] > LEAST_ONE)
            kernels[modal->isa]->add(modal, t, sum);
    }
}

// X/MOST, on and above its diagonal; false: it is too small to matter
static bool strainOf(Modal *modal, double quarter, Workers *workers, float *sum)
{
    const FlatTets *flat = modal->shape->flat;
    Strain strain = { modal, quarter };
    double all = 0;
    workersRun(workers, FLAT_TASKS, estimateTask, modal);
    for (int t = 0; t < flat->count; ++t)
        all += quarter * (double)modal->flatStrain[t];
    if (!(all > LEAST_ALL)) // as of what is not finite
        return false;
    workersRun(workers, FLAT_TASKS, strainTask, &strain);
    memset(sum, 0, modalFlatSize(modal->shape) * sizeof(float));
    for (int task = 0; task < FLAT_TASKS; ++task)
    {
        const float *part = modalFlatSum(modal, task);
        for (size_t i = 0; i < modalFlatSize(modal->shape); ++i)
            sum[i] += part[i];
    }
    return true;
}

// a = 1 + x^2, x symmetric with rows of `width`, of which those on and above the diagonal are given
static void squareOf(int n, float *x, int width, double scale, double *a)
{
    for (int i = 0; i < n; ++i)
    {
        for (int j = 0; j < i; ++j)
            x[i * width + j] = x[j * width + i];
    }
    for (int i = 0; i < n; ++i)
    {
        for (int j = 0; j <= i; ++j)
        {
            double sum = 0;
            for (int k = 0; k < n; ++k)
                sum += (double)x[i * width + k] * (double)x[j * width + k];
            a[i * n + j] = a[j * n + i] = scale * scale * sum + (i == j);
        }
    }
}

// a = a^-1, symmetric and not below 1, by elimination without pivots
static void invert(int n, double *a)
{
    for (int p = 0; p < n; ++p)
    {
        double pivot = 1 / a[p * n + p];
        a[p * n + p] = 1;
        for (int j = 0; j < n; ++j)
            a[p * n + j] *= pivot;
        for (int i = 0; i < n; ++i)
        {
            double factor = a[i * n + p];
            if (i == p)
                continue;
            a[i * n + p] = 0;
            for (int j = 0; j < n; ++j)
                a[i * n + j] -= factor * a[p * n + j];
        }
    }
}

void modalFlatten(Modal *modal, double h, Workers *workers)
{
    float sum[MODAL_MOST * MODAL_MOST];
    int n = modal->shape->count, width = modalFlatWidth(modal->shape);
    double quarter = 0.25 * h * h;
    modal->clipped = modal->shape->flat != NULL && strainOf(modal, quarter, workers, sum);
    if (!modal->clipped)
        return;
    squareOf(n, sum, width, quarter / MOST, modal->clip);
    invert(n, modal->clip);
    for (int i = 0; i < n; ++i)
    {
        for (int j = 0; j < i; ++j)
            modal->clip[i * n + j] = modal->clip[j * n + i] = 0.5 * (modal->clip[i * n + j] + modal->clip[j * n + i]);
    }
}

void modalClip(const Modal *modal, const double *q, double *out)
{
    int n = modal->shape->count;
    for (int i = 0; i < n; ++i)
        out[i] = 0;
    for (int j = 0; j < n; ++j) // rows one behind the other: C is symmetric
    {
        for (int i = 0; i < n; ++i)
            out[i] += modal->clip[j * n + i] * q[j];
    }
}
