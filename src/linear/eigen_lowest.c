// The low end of a spectrum by Lanczos' iteration on a block of vectors with the inverse (A + shift M)^-1 M,
// orthogonalised in full and restarted thickly (Wu and Simon 2000; Ruhe 1979 for the band). The vectors of a block are
// multiplied and orthogonalised against all others together, so that these come from memory once for all of them;
// several equal eigenvalues, which symmetric bodies have, come with the block.
#include "linear/eigen.h"
#include "linear/eigen_kernels.h"

#include <math.h>
#include <string.h>

#define BLOCK 8     // vectors that the iteration starts with
#define NEAR 3      // blocks
#define SPARE 68    // vectors beside the wanted ones
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
    bool restarted;                   //
    double *basis;                    // most x size
    double *next;                     // BLOCK x size
    double *heavy;                    // BLOCK x size: M times vectors
    double *shrunk;                   // most x most: V^T M (A + shift M)^-1 M V, columns [0, done)
    double *small, *values, *vectors; // most x most, most, most x most
    double *overlap;                  // most + knownCount
    double *overlaps;                 // BLOCK x (most + knownCount)
    const double **other;             // most + knownCount
} Band;

static double *vectorAt(const Band *band, int k)
{
    return band->basis + (ptrdiff_t)k * band->size;
}

static void makeHeavy(const Band *band, const double *v, double *heavy)
{
    for (int i = 0; i < band->size; ++i)
        heavy[i] = band->problem->mass[i / 3] * v[i];
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

// the known vectors, then the basis, each from number `first` on; returns how many
static int listOthers(const Band *band, int first)
{
    for (int k = 0; k < band->knownCount; ++k)
        band->other[k] = band->known + (ptrdiff_t)k * band->size + first;
    for (int k = 0; k < band->count; ++k)
        band->other[band->knownCount + k] = vectorAt(band, k) + first;
    return band->knownCount + band->count;
}

// takes the others from number `from` on out of `next`, by their overlaps in the masses
static void takeOut(const Band *band, int from, double *next)
{
    const EigenKernels *kernel = kernels[band->problem->isa];
    int others = listOthers(band, 0) - from;
    makeHeavy(band, next, band->heavy);
    kernel->overlaps(band->other + from, others, band->heavy, band->size, band->overlap + from);
    kernel->combine(band->other + from, others, band->overlap + from, -1, band->size, next);
}

static double lengthOf(const Band *band, const double *v)
{
    makeHeavy(band, v, band->heavy);
    return sqrt(dot(band, v, band->heavy, band->size));
}

// what `next` has of the others from number `from` on, into the column of the shrunk matrix
static void note(const Band *band, int from, const double *overlap, double *column)
{
    for (int k = maxInt(from - band->knownCount, 0); k < band->count && column != NULL; ++k)
        column[k * band->most] += overlap[band->knownCount + k];
}

// `next` becomes a vector of the basis, unless nothing is left of it; column: of the shrunk matrix, what it has of the
// basis, or NULL. The others before number `from` were taken out of it, when it was `whole` long.
static void append(Band *band, int from, double whole, double *next, double *column)
{
    double before = lengthOf(band, next), length = 0;
    for (int pass = 0; pass < 2; ++pass)
    {
        int since = pass == 0 ? from : 0;
        takeOut(band, since, next);
        note(band, since, band->overlap, column);
        length = lengthOf(band, next);
        if (length > CLEAN * before)
            break;
    }
    if (!(length > LOST * maxReal(whole, before)) || !isfinite(1 / length) || band->count == band->most)
        return;
    double *v = vectorAt(band, band->count);
    for (int i = 0; i < band->size; ++i)
        v[i] = next[i] / length;
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
        append(band, 0, 0, band->next, NULL);
    }
}

// takes the others from number `from` on out of `count` vectors at once, a chunk at a time: the others come from memory
// once
static void takeOutBlock(const Band *band, int from, int count)
{
    const EigenKernels *kernel = kernels[band->problem->isa];
    int all = band->knownCount + band->count, others = all - from;
    memset(band->overlaps, 0, (size_t)count * (size_t)all * sizeof(double));
    for (int j = 0; j < count; ++j)
        makeHeavy(band, band->next + (ptrdiff_t)j * band->size, band->heavy + (ptrdiff_t)j * band->size);
    for (int i = 0; i < band->size; i += CHUNK)
    {
        listOthers(band, i);
        for (int j = 0; j < count; ++j)
        {
            const double *heavy = band->heavy + (ptrdiff_t)j * band->size + i;
            kernel->overlaps(band->other + from, others, heavy, minInt(CHUNK, band->size - i), band->overlap);
            for (int k = 0; k < others; ++k)
                band->overlaps[j * all + from + k] += band->overlap[k];
        }
    }
    for (int i = 0; i < band->size; i += CHUNK)
    {
        listOthers(band, i);
        for (int j = 0; j < count; ++j)
            kernel->combine(band->other + from, others, band->overlaps + j * all + from, -1,
                            minInt(CHUNK, band->size - i), band->next + (ptrdiff_t)j * band->size + i);
    }
}

// all vectors that are there and not multiplied yet
static void multiplyNext(Band *band)
{
    int count = minInt(minInt(BLOCK, band->count - band->done), band->most - band->count);
    int others = band->knownCount + band->count;
    double whole[BLOCK];
    for (int j = 0; j < count; ++j)
    {
        double *next = band->next + (ptrdiff_t)j * band->size;
        makeHeavy(band, vectorAt(band, band->done + j), band->heavy);
        band->problem->precondition(band->problem->user, band->heavy, next);
        for (int i = 0; i < band->size; ++i)
            next[i] = band->problem->fixed[i / 3] ? 0 : next[i];
        whole[j] = lengthOf(band, next);
        for (int k = 0; k < band->most; ++k)
            band->shrunk[k * band->most + band->done + j] = 0;
    }
    // the inverse leads to the last blocks only, and to what a restart kept; the rest is rounding, which goes after it
    int near = band->restarted ? 0 : maxInt(others - NEAR * BLOCK, 0);
    for (int pass = 0; pass < 2; ++pass)
    {
        int from = pass == 0 ? near : 0;
        takeOutBlock(band, from, count);
        for (int j = 0; j < count; ++j)
            note(band, from, band->overlaps + j * others, band->shrunk + band->done + j);
    }
    for (int j = 0; j < count; ++j)
        append(band, others, whole[j], band->next + (ptrdiff_t)j * band->size, band->shrunk + band->done + j);
    band->done += count;
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
    band->restarted = true;
}

static bool reserve(Band *band, Memory *memory)
{
    size_t size = (size_t)band->size, most = (size_t)band->most;
    band->basis = ALLOCATE(memory, double, most *size);
    band->next = ALLOCATE(memory, double, BLOCK *size);
    band->heavy = ALLOCATE(memory, double, BLOCK *size);
    band->shrunk = ALLOCATE(memory, double, most *most);
    band->small = ALLOCATE(memory, double, most *most);
    band->values = ALLOCATE(memory, double, most);
    band->vectors = ALLOCATE(memory, double, most *most);
    band->overlap = ALLOCATE(memory, double, most + (size_t)band->knownCount);
    band->overlaps = ALLOCATE(memory, double, BLOCK *(most + (size_t)band->knownCount));
    band->other = ALLOCATE(memory, const double *, most + (size_t)band->knownCount);
    return band->other && band->overlaps && band->basis && band->next && band->heavy && band->shrunk && band->small &&
           band->values && band->vectors && band->overlap;
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
    memoryRelease(memory, band->overlaps);
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
            if (band->done >= wanted + 2 * BLOCK && shrink(band, wanted) == 0)
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
