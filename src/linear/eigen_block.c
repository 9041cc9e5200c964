// The low end of a spectrum without a factor: locally optimal preconditioned conjugate gradients on a block of vectors
// (Knyazev 2001). Ritz vectors X, their preconditioned residuals W and the last changes P span the space of the next
// ones.
#include "linear/block_kernels.h"
#include "linear/eigen.h"

#include <math.h>
#include <string.h>

#define ITERATIONS 40
#define BLOCKS 3
#define DEPENDENT 1e-9 // of a pivot: what is left below it is rounding

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &blockKernels_avx2
#else
#define TABLE_AVX2 &blockKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &blockKernels_avx512
#else
#define TABLE_AVX512 &blockKernels_base
#endif

const BlockKernels *blockKernels(Isa isa)
{
    static const BlockKernels *const kernels[ISA_COUNT] = { &blockKernels_base, TABLE_AVX2, TABLE_AVX512 };
    return kernels[isa];
}

typedef struct Search
{
    const EigenBlockProblem *problem;
    const BlockKernels *kernels;
    Memory *memory;
    int rows, width;
    int dependent;            // a vector that the last projection could not use
    double *known;            // rows x width: the known vectors, then zeros
    double *basis[BLOCKS];    // rows x width: X, W, P
    double *product[BLOCKS];  //   and A times them
    double *spare;            // rows x width
    double *mass, *stiffness; // (3 width)^2: of the basis
    double *vectors;          // (3 width)^2
    double *values, *scale;   // 3 width
    double *part;             // width x width
    double *error;            // width: of each Ritz vector in the norm of A, estimated
} Search;

// ---- small matrices -------------------------------------------------------------------------------------------------

// Cholesky in place, lower triangle; returns the first column that depends on those before it, or size
static int factorSmall(double *a, int size)
{
    for (int j = 0; j < size; ++j)
    {
        for (int i = j; i < size; ++i)
        {
            double sum = a[i * size + j];
            for (int k = 0; k < j; ++k)
                sum -= a[i * size + k] * a[j * size + k];
            if (i == j && !(sum > DEPENDENT))
                return j;
            a[i * size + j] = i == j ? sqrt(sum) : sum / a[j * size + j];
        }
    }
    return size;
}

// stiffness v = value mass v over `blocks` blocks: the lowest first, as rows of `vectors`. Returns the first
// vector that depends on those before it, or how many there are
static int solveSmall(Search *s, int blocks)
{
    int size = blocks * s->width;
    double *l = s->mass, *k = s->stiffness;
    for (int i = 0; i < size; ++i)
        s->scale[i] = l[i * size + i] > 0 ? 1 / sqrt(l[i * size + i]) : 0;
    for (int i = 0; i < size * size; ++i)
    {
        l[i] *= s->scale[i / size] * s->scale[i % size];
        k[i] *= s->scale[i / size] * s->scale[i % size];
    }
    int independent = factorSmall(l, size);
    if (independent < size)
        return independent;
    for (int turn = 0; turn < 2; ++turn) // L^-1 K, transposed, once more
    {
        for (int i = 0; i < size; ++i)
        {
            for (int j = 0; j < i; ++j)
            {
                for (int c = 0; c < size; ++c)
                    k[i * size + c] -= l[i * size + j] * k[j * size + c];
            }
            for (int c = 0; c < size; ++c)
                k[i * size + c] /= l[i * size + i];
        }
        for (int i = 0; i < size * size; ++i)
        {
            int a = i / size, b = i % size;
            double swapped = k[b * size + a];
            if (a < b)
            {
                k[b * size + a] = k[i];
                k[i] = swapped;
            }
        }
    }
    for (int i = 0; i < size * size; ++i)
        k[i] = i / size > i % size ? 0.5 * (k[i] + k[i % size * size + i / size]) : k[i];
    for (int i = 0; i < size * size; ++i)
        k[i] = i / size < i % size ? k[i % size * size + i / size] : k[i];
    eigenSymmetric(size, k, s->values, s->vectors, s->error);
    for (int v = 0; v < s->width; ++v)
    {
        double *x = s->vectors + (ptrdiff_t)v * size;
        for (int i = size - 1; i >= 0; --i)
        {
            for (int j = i + 1; j < size; ++j)
                x[i] -= l[j * size + i] * x[j];
            x[i] /= l[i * size + i];
        }
        for (int i = 0; i < size; ++i)
            x[i] *= s->scale[i];
    }
    return size;
}

// ---- the basis ------------------------------------------------------------------------------------------------------

static void placePart(const Search *s, double *matrix, int blocks, int a, int b)
{
    int size = blocks * s->width, width = s->width;
    for (int i = 0; i < width * width; ++i)
    {
        int row = a * width + i / width, column = b * width + i % width;
        matrix[row * size + column] = matrix[column * size + row] = s->part[i];
    }
}

static void meetBlocks(Search *s, int blocks)
{
    for (int a = 0; a < blocks; ++a)
    {
        for (int b = a; b < blocks; ++b)
        {
            s->kernels->gram(s->basis[a], s->basis[b], s->problem->mass, s->rows, s->width, s->part);
            placePart(s, s->mass, blocks, a, b);
            s->kernels->gram(s->basis[a], s->product[b], NULL, s->rows, s->width, s->part);
            placePart(s, s->stiffness, blocks, a, b);
        }
    }
}

// `field` without its part along orthonormal vectors
static void takeOut(Search *s, const double *vectors, double *field)
{
    s->kernels->gram(vectors, field, s->problem->mass, s->rows, s->width, s->part);
    for (int i = 0; i < s->width * s->width; ++i)
        s->part[i] = -s->part[i];
    s->kernels->mix(vectors, s->part, s->rows, s->width, field);
}

static void addBlock(Search *s, const double *from, int block, int blocks, double *to)
{
    int size = blocks * s->width;
    for (int i = 0; i < s->width * s->width; ++i)
        s->part[i] = s->vectors[(ptrdiff_t)(i % s->width) * size + block * s->width + i / s->width];
    s->kernels->mix(from, s->part, s->rows, s->width, to);
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

// P = W b + P c, X = X a + P, of the vectors or of their products
static void combine(Search *s, double **of, int blocks)
{
    size_t bytes = (size_t)s->rows * (size_t)s->width * sizeof(double);
    memset(s->spare, 0, bytes);
    for (int block = 1; block < blocks; ++block)
        addBlock(s, of[block], block, blocks, s->spare);
    swap(&of[2], &s->spare);
    memcpy(s->spare, of[2], bytes);
    addBlock(s, of[0], 0, blocks, s->spare);
    swap(&of[0], &s->spare);
}

// Rayleigh and Ritz over X, W and P, or with fewer of them where they depend on each other; false: not even X is good
static bool project(Search *s, int blocks)
{
    for (; blocks > 0; --blocks)
    {
        meetBlocks(s, blocks);
        s->dependent = solveSmall(s, blocks);
        if (s->dependent == blocks * s->width)
        {
            combine(s, s->basis, blocks);
            combine(s, s->product, blocks);
            return true;
        }
    }
    return false;
}

// ---- the iteration --------------------------------------------------------------------------------------------------

// W = T (A X - M X values), and the errors
static void makeResiduals(Search *s)
{
    const double *mass = s->problem->mass;
    int width = s->width;
    for (int row = 0; row < s->rows; ++row)
    {
        ptrdiff_t at = (ptrdiff_t)row * width;
        for (int k = 0; k < width; ++k)
            s->product[1][at + k] = s->product[0][at + k] - mass[row / 3] * s->values[k] * s->basis[0][at + k];
    }
    s->problem->precondition(s->problem->user, s->product[1], s->basis[1]);
    for (int k = 0; k < width; ++k)
        s->error[k] = 0;
    for (int row = 0; row < s->rows; ++row)
    {
        for (int k = 0; k < width; ++k)
            s->error[k] += s->product[1][(ptrdiff_t)row * width + k] * s->basis[1][(ptrdiff_t)row * width + k];
    }
    for (int k = 0; k < width; ++k)
        s->error[k] = sqrt(fmax(s->error[k], 0) / s->values[k]);
}

// how many of the first ones are within the tolerance
static int goodOnes(const Search *s, int wanted, double tolerance)
{
    int count = 0;
    while (count < wanted && s->error[count] <= tolerance)
        count += 1;
    return count;
}

// numbers without a pattern
static void renew(Search *s, int column)
{
    uint64_t bits = (uint64_t)88172645463325252 + (uint64_t)column;
    for (int row = 0; row < s->rows; ++row)
    {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        s->basis[0][(ptrdiff_t)row * s->width + column] =
            s->problem->fixed[row / 3] ? 0 : (double)(bits >> 11) * 0x1p-52 - 1;
    }
}

// X becomes Ritz vectors; those that depend on others are replaced. False: there are not so many
static bool begin(Search *s)
{
    for (int turn = 0; turn <= s->width; ++turn)
    {
        takeOut(s, s->known, s->basis[0]);
        s->problem->multiply(s->problem->user, s->basis[0], s->product[0]);
        if (project(s, 1))
            return true;
        renew(s, s->dependent);
    }
    return false;
}

static int iterate(Search *s, int wanted)
{
    if (!begin(s))
        return 0;
    for (int turn = 0; turn < ITERATIONS; ++turn)
    {
        makeResiduals(s);
        if (goodOnes(s, wanted, s->problem->tolerance) == wanted || turn == ITERATIONS - 1)
            break;
        takeOut(s, s->known, s->basis[1]);
        takeOut(s, s->basis[0], s->basis[1]);
        s->problem->multiply(s->problem->user, s->basis[1], s->product[1]);
        if (!project(s, turn == 0 ? 2 : BLOCKS))
            break;
    }
    int good = goodOnes(s, wanted, 3 * s->problem->tolerance);
    return project(s, 1) ? good : 0; // orthonormal to rounding
}

static bool reserve(Search *s)
{
    size_t all = (size_t)s->rows * (size_t)s->width, size = BLOCKS * (size_t)s->width;
    for (int k = 0; k < BLOCKS; ++k)
    {
        s->basis[k] = ALLOCATE(s->memory, double, all);
        s->product[k] = ALLOCATE(s->memory, double, all);
        if (s->basis[k] == NULL || s->product[k] == NULL)
            return false;
    }
    s->known = ALLOCATE(s->memory, double, all);
    s->spare = ALLOCATE(s->memory, double, all);
    s->mass = ALLOCATE(s->memory, double, size *size);
    s->stiffness = ALLOCATE(s->memory, double, size *size);
    s->vectors = ALLOCATE(s->memory, double, size *size);
    s->values = ALLOCATE(s->memory, double, size);
    s->scale = ALLOCATE(s->memory, double, size);
    s->error = ALLOCATE(s->memory, double, size);
    s->part = ALLOCATE(s->memory, double, size *size);
    return s->known && s->spare && s->mass && s->stiffness && s->vectors && s->values && s->scale && s->error &&
           s->part;
}

static void release(Search *s)
{
    for (int k = 0; k < BLOCKS; ++k)
    {
        memoryRelease(s->memory, s->basis[k]);
        memoryRelease(s->memory, s->product[k]);
    }
    memoryRelease(s->memory, s->known);
    memoryRelease(s->memory, s->spare);
    memoryRelease(s->memory, s->mass);
    memoryRelease(s->memory, s->stiffness);
    memoryRelease(s->memory, s->vectors);
    memoryRelease(s->memory, s->values);
    memoryRelease(s->memory, s->scale);
    memoryRelease(s->memory, s->error);
    memoryRelease(s->memory, s->part);
}

int eigenBlock(const EigenBlockProblem *problem, Memory *memory, const double *known, int knownCount,
               const double *first, int wanted, double *values, double *vectors)
{
    Search s = { .problem = problem,
                 .kernels = blockKernels(problem->isa),
                 .memory = memory,
                 .rows = 3 * problem->count,
                 .width = problem->width };
    int found = -1;
    if (reserve(&s))
    {
        memset(s.known, 0, (size_t)s.rows * (size_t)s.width * sizeof(double));
        for (int k = 0; k < knownCount; ++k)
        {
            for (int i = 0; i < s.rows; ++i)
                s.known[(ptrdiff_t)i * s.width + k] = known[(ptrdiff_t)k * s.rows + i];
        }
        memcpy(s.basis[0], first, (size_t)s.rows * (size_t)s.width * sizeof(double));
        found = iterate(&s, wanted);
        for (int k = 0; k < found; ++k)
        {
            values[k] = s.values[k];
            for (int i = 0; i < s.rows; ++i)
                vectors[(ptrdiff_t)k * s.rows + i] = s.basis[0][(ptrdiff_t)i * s.width + k];
        }
    }
    release(&s);
    return found;
}
