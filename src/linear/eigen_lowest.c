// The low end of a spectrum by Lanczos' iteration on a block of vectors with the inverse (A + shift M)^-1 M,
// orthogonalised in full and restarted thickly (Wu and Simon 2000; Ruhe 1979 for the band). One vector is multiplied at
// a time and orthogonalised against all others: several equal eigenvalues, which symmetric bodies have, come with the
// block.
#include "linear/eigen.h"
#include "linear/eigen_kernels.h"

#include <math.h>
#include <string.h>

#define BLOCK 8     // vectors that the iteration starts with
#define SPARE 60    // vectors beside the wanted ones
#define RESTARTS 30 // at most
#define CHUNK 512   // numbers of a vector that stay close while it meets the others
#define LOST 1e-10  // of a vector's length: what is left below it is rounding
#define CLEAN 0.7   // of its length: what is left above it is orthogonal to the others after one pass; with less the
                    // errors of one vector grow in the next ones
#define RANDOM_TURNS 3

typedef struct Band
{
    const EigenProblem *problem;
    int size;
    const double *known; // knownCount vectors
    int knownCount;
    int most;                         // vectors that there is room for
    int count;                        // vectors
    int done;                         // of them, multiplied already
    double *basis;                    // most x size
    double *next;                     // size
    double *heavy;                    // size: M times a vector
    double *shrunk;                   // most x most: V^T M (A + shift M)^-1 M V, columns [0, done)
    double *small, *values, *vectors; // most x most, most, most x most
    double *overlap;                  // most + knownCount
    const double **other;             // most + knownCount
} Band;

static double *vectorAt(const Band *band, int k)
{
    return band->basis + (ptrdiff_t)k * band->size;
}

static void makeHeavy(const Band *band, const double *v)
{
    for (int i = 0; i < band->size; ++i)
        band->heavy[i] = band->problem->mass[i / 3] * v[i];
}

#if defined(VERVE_ISA_AVX2)
#define TABLE_AVX2 &eigenKernels_avx2
#else
#define TABLE_AVX2 &eigenKernels_base
#endif
#if defined(VERVE_ISA_AVX512)
#define TABLE_AVX512 &eigenKernels_avx512
#else
#define TABLE_AVX512 &eigenKernels_base
#endif

static const EigenKernels *const kernels[ISA_COUNT] = { &eigenKernels_base, TABLE_AVX2, TABLE_AVX512 };

static double dot(const Band *band, const double *a, const double *b, int count)
{
    double sum;
    kernels[band->problem->isa]->overlaps(&a, 1, b, count, &sum);
    return sum;
}

// the known vectors, then the basis; returns how many
static int listOthers(const Band *band)
{
    for (int k = 0; k < band->knownCount; ++k)
        band->other[k] = band->known + (ptrdiff_t)k * band->size;
    for (int k = 0; k < band->count; ++k)
        band->other[band->knownCount + k] = vectorAt(band, k);
    return band->knownCount + band->count;
}

// takes all others out of `next`, by their overlaps in the masses
static void takeOut(const Band *band)
{
    const EigenKernels *kernel = kernels[band->problem->isa];
    int others = listOthers(band);
    makeHeavy(band, band->next);
    kernel->overlaps(band->other, others, band->heavy, band->size, band->overlap);
    kernel->combine(band->other, others, band->overlap, -1, band->size, band->next);
}

// `next` becomes a vector of the basis, unless nothing is left of it; column: of the shrunk matrix, what it has of the
// basis, or NULL
static void append(Band *band, double *column)
{
    makeHeavy(band, band->next);
    double before = sqrt(dot(band, band->next, band->heavy, band->size)), length = 0;
    for (int pass = 0; pass < 2; ++pass)
    {
        takeOut(band);
        for (int k = 0; k < band->count && column != NULL; ++k)
            column[k * band->most] += band->overlap[band->knownCount + k];
        makeHeavy(band, band->next);
        length = sqrt(dot(band, band->next, band->heavy, band->size));
        if (length > CLEAN * before)
            break;
    }
    if (!(length > LOST * before) || !isfinite(1 / length) || band->count == band->most)
        return;
    double *v = vectorAt(band, band->count);
    for (int i = 0; i < band->size; ++i)
        v[i] = band->next[i] / length;
    if (column != NULL)
        column[band->count * band->most] = length;
    band->count += 1;
}

static void start(Band *band)
{
    uint64_t bits = 88172645463325252ULL;
    for (int k = 0; k < BLOCK; ++k)
    {
        for (int i = 0; i < band->size; ++i)
        {
            for (int turn = 0; turn < RANDOM_TURNS; ++turn)
            {
                bits ^= bits << 13;
                bits ^= bits >> 7;
                bits ^= bits << 17;
            }
            band->heavy[i] = band->problem->fixed[i / 3] ? 0 : (double)(bits >> 11) * 0x1p-52 - 1;
        }
        for (int i = 0; i < band->size; ++i)
            band->heavy[i] *= band->problem->mass[i / 3];
        band->problem->precondition(band->problem->user, band->heavy, band->next); // the low end, mostly
        append(band, NULL);
    }
}

static void multiplyNext(Band *band)
{
    double *column = band->shrunk + band->done;
    makeHeavy(band, vectorAt(band, band->done));
    band->problem->precondition(band->problem->user, band->heavy, band->next);
    for (int i = 0; i < band->size; ++i)
        band->next[i] = band->problem->fixed[i / 3] ? 0 : band->next[i];
    for (int k = 0; k < band->most; ++k)
        column[k * band->most] = 0;
    append(band, column);
    band->done += 1;
}

// Eigenvectors of what is known of the inverse, the largest values last. Returns how many of the `wanted` largest are
// not within the tolerance
static int shrink(Band *band, int wanted)
{
    int size = band->done, missing = 0;
    for (int i = 0; i < size; ++i)
    {
        for (int j = 0; j < size; ++j)
            band->small[i * size + j] = 0.5 * (band->shrunk[i * band->most + j] + band->shrunk[j * band->most + i]);
    }
    eigenSymmetric(size, band->small, band->values, band->vectors, band->overlap);
    for (int k = maxInt(size - wanted, 0); k < size; ++k)
    {
        double square = 0;
        for (int i = size; i < band->count; ++i)
        {
            double sum = dot(band, band->shrunk + i * band->most, band->vectors + k * size, size);
            square += sum * sum;
        }
        missing += !(sqrt(square) <= band->problem->tolerance * band->values[k]);
    }
    return missing;
}

// out[k] = combination of the basis by the eigenvector that is number k from the end, for `kept` of them, a chunk at a
// time
static void combine(const Band *band, int kept, double *out, ptrdiff_t stride, double *room)
{
    int size = band->done;
    for (int i = 0; i < band->size; i += CHUNK)
    {
        int length = minInt(CHUNK, band->size - i);
        memset(room, 0, (size_t)kept * CHUNK * sizeof(double));
        for (int v = 0; v < size; ++v)
            band->other[v] = vectorAt(band, v) + i;
        for (int k = 0; k < kept; ++k)
            kernels[band->problem->isa]->combine(band->other, size, band->vectors + (size - 1 - k) * size, 1, length,
                                                 room + (ptrdiff_t)k * CHUNK);
        for (int k = 0; k < kept; ++k)
            memcpy(out + k * stride + i, room + (ptrdiff_t)k * CHUNK, (size_t)length * sizeof(double));
    }
}

// goes on with the best vectors and what is left to multiply
static void restart(Band *band, int kept, double *room)
{
    int size = band->done, left = band->count - size;
    combine(band, kept, band->basis, band->size, room);
    // the rows below, by the new vectors; `small` is free
    for (int i = 0; i < left; ++i)
    {
        for (int k = 0; k < kept; ++k)
            band->small[i * kept + k] =
                dot(band, band->shrunk + (size + i) * band->most, band->vectors + (size - 1 - k) * size, size);
    }
    memset(band->shrunk, 0, (size_t)band->most * (size_t)band->most * sizeof(double));
    for (int k = 0; k < kept; ++k)
        band->shrunk[k * band->most + k] = band->values[size - 1 - k];
    for (int i = 0; i < left; ++i)
    {
        memmove(vectorAt(band, kept + i), vectorAt(band, size + i), (size_t)band->size * sizeof(double));
        memcpy(band->shrunk + (kept + i) * band->most, band->small + i * kept, (size_t)kept * sizeof(double));
    }
    band->count = kept + left;
    band->done = kept;
}

static bool reserve(Band *band, Memory *memory)
{
    size_t size = (size_t)band->size, most = (size_t)band->most;
    band->basis = ALLOCATE(memory, double, most *size);
    band->next = ALLOCATE(memory, double, size);
    band->heavy = ALLOCATE(memory, double, size);
    band->shrunk = ALLOCATE(memory, double, most *most);
    band->small = ALLOCATE(memory, double, most *most);
    band->values = ALLOCATE(memory, double, most);
    band->vectors = ALLOCATE(memory, double, most *most);
    band->overlap = ALLOCATE(memory, double, most + (size_t)band->knownCount);
    band->other = ALLOCATE(memory, const double *, most + (size_t)band->knownCount);
    return band->other && band->basis && band->next && band->heavy && band->shrunk && band->small && band->values &&
           band->vectors && band->overlap;
}

static void release(Band *band, Memory *memory)
{
    memoryRelease(memory, band->basis);
    memoryRelease(memory, band->next);
    memoryRelease(memory, band->heavy);
    memoryRelease(memory, band->shrunk);
    memoryRelease(memory, band->small);
    memoryRelease(memory, band->values);
    memoryRelease(memory, band->vectors);
    memoryRelease(memory, band->overlap);
    memoryRelease(memory, (void *)band->other);
}

// until the wanted ones are found, or there are no more
static void iterate(Band *band, int wanted, double *room)
{
    start(band);
    for (int turn = 0; turn <= RESTARTS; ++turn)
    {
        while (band->done < band->count && band->count < band->most)
        {
            multiplyNext(band);
            if (band->done >= wanted + 2 * BLOCK && band->done % BLOCK == 0 && shrink(band, wanted) == 0)
                return;
        }
        if (shrink(band, wanted) == 0 || band->done == band->count || turn == RESTARTS)
            return;
        restart(band, minInt(wanted + BLOCK, band->done), room);
    }
}

int eigenLowest(const EigenProblem *problem, Memory *memory, double shift, const double *known, int knownCount,
                int wanted, double *values, double *vectors)
{
    Band band = {
        .problem = problem, .size = 3 * problem->count, .known = known, .knownCount = knownCount, .most = wanted + SPARE
    };
    double *room = ALLOCATE(memory, double, (size_t)(wanted + BLOCK) * CHUNK);
    int found = -1;
    if (reserve(&band, memory) && room != NULL)
    {
        iterate(&band, wanted, room);
        found = minInt(wanted, band.done);
        combine(&band, found, vectors, band.size, room);
        for (int k = 0; k < found; ++k)
            values[k] = 1 / band.values[band.done - 1 - k] - shift;
    }
    memoryRelease(memory, room);
    release(&band, memory);
    return found;
}
