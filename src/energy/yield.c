// What all kinds that yield share: room, marks, and the majorizer that follows.
#include "energy/yield.h"

#include <math.h>
#include <string.h>

#define MOST_BEYOND 1.2 // of the square of the largest gradient over that of which the majorizer is made

static size_t lanesOf(const Energy *energy)
{
    return (size_t)energy->blockCount * LANES;
}

double *yieldParams(const Energy *energy, int block)
{
    return laneParams(energy, block) + energy->kind->yields->first * LANES;
}

static size_t blockNumbers(const Energy *energy)
{
    return (size_t)energy->kind->yields->count * LANES;
}

// params of all blocks out of the batch or into it
static void copyOut(const Energy *energy, double *target)
{
    size_t count = blockNumbers(energy);
    for (int block = 0; block < energy->blockCount; ++block)
        memcpy(target + (size_t)block * count, yieldParams(energy, block), count * sizeof(double));
}

bool yieldCreate(Energy *energy, const Recipe *recipe)
{
    const YieldKind *kind = energy->kind->yields;
    if (kind == NULL || !(recipe->yield > 0))
        return true;
    Memory *memory = energy->memory;
    Yield *yield = energy->yield = ALLOCATE(memory, Yield, 1);
    if (yield == NULL)
        return false;
    size_t lanes = lanesOf(energy), moving = lanes * (size_t)kind->count;
    *yield = (Yield){ .memory = memory,
                      .rate = recipe->flowRate,
                      .limit = recipe->flowLimit,
                      .threshold = ALLOCATE(memory, double, lanes),
                      .strain = ALLOCATE(memory, double, lanes),
                      .rest = ALLOCATE(memory, double, moving),
                      .bound = kind->bounds ? ALLOCATE(memory, double, moving) : NULL,
                      .marked = ALLOCATE(memory, double, moving + lanes) };
    if (!yield->threshold || !yield->strain || !yield->rest || !yield->marked || (kind->bounds && !yield->bound))
        return false;
    memset(yield->strain, 0, lanes * sizeof(double));
    copyOut(energy, yield->rest);
    if (kind->bounds)
    {
        copyOut(energy, yield->bound);
        energy->traits &= ~(unsigned)TRAIT_PROJECTIVE; // the set moves, the matrix does not
    }
    kind->prepare(energy, recipe);
    for (int e = 0; e < energy->elementCount && recipe->yieldFactor != NULL; ++e)
        yield->threshold[e] *= recipe->yieldFactor[e];
    yieldMark(energy);
    return true;
}

void yieldDestroy(Yield *yield)
{
    if (yield == NULL)
        return;
    Memory *memory = yield->memory;
    memoryRelease(memory, yield->threshold);
    memoryRelease(memory, yield->strain);
    memoryRelease(memory, yield->rest);
    memoryRelease(memory, yield->bound);
    memoryRelease(memory, yield->marked);
    memoryRelease(memory, yield);
}

void yieldMark(Energy *energy)
{
    Yield *yield = energy->yield;
    copyOut(energy, yield->marked);
    memcpy(yield->marked + (size_t)energy->blockCount * blockNumbers(energy), yield->strain,
           lanesOf(energy) * sizeof(double));
}

void yieldRewind(Energy *energy)
{
    Yield *yield = energy->yield;
    size_t count = blockNumbers(energy), bytes = lanesOf(energy) * sizeof(double);
    const double *strain = yield->marked + (size_t)energy->blockCount * count;
    if (memcmp(yield->strain, strain, bytes) == 0)
        return;
    for (int block = 0; block < energy->blockCount; ++block)
        memcpy(yieldParams(energy, block), yield->marked + (size_t)block * count, count * sizeof(double));
    memcpy(yield->strain, strain, bytes);
    yield->flows += 1;
}

void yieldAssign(Energy *energy, const Energy *other)
{
    Yield *to = energy->yield;
    const Yield *from = other->yield;
    to->rate = from->rate;
    to->hardening = from->hardening;
    to->limit = from->limit;
    to->ratio = from->ratio;
    memcpy(to->threshold, from->threshold, lanesOf(energy) * sizeof(double));
}

uint64_t yieldHash(const Energy *energy, uint64_t hash)
{
    const Yield *yield = energy->yield;
    int count = energy->kind->yields->count;
    for (int e = 0; e < energy->elementCount; ++e)
    {
        hash = hashBytes(hash, yield->strain + e, sizeof(double));
        for (int k = 0; k < count; ++k)
        {
            hash = hashBytes(hash, yieldParams(energy, e / LANES) + k * LANES + e % LANES, sizeof(double));
            if (yield->bound != NULL)
                hash = hashBytes(hash, yieldBound(energy, e / LANES) + k * LANES + e % LANES, sizeof(double));
        }
    }
    return hash;
}

void yieldFlowBlocks(Energy *energy, const double *x, double seconds, int begin, int end)
{
    const YieldKind *kind = energy->kind->yields;
    double share = 1 - decayOver(energy->yield->rate * seconds);
    energy->kind->values(energy, x, begin, end);
    for (int block = begin; block < end; ++block)
    {
        double before[LANES], *value = energy->value + (ptrdiff_t)block * LANES;
        bool flows[LANES], any = false;
        for (int lane = 0; lane < LANES; ++lane)
        {
            int e = block * LANES + lane;
            before[lane] = value[lane];
            flows[lane] = value[lane] > 0 && (kind->may == NULL || kind->may(energy, e, value[lane])) &&
                          kind->flow(energy, x, e, share);
            any |= flows[lane];
        }
        if (any)
            energy->kind->values(energy, x, block, block + 1);
        for (int lane = 0; lane < LANES; ++lane)
            value[lane] = flows[lane] ? before[lane] - value[lane] : 0;
    }
}

double yieldBook(Energy *energy)
{
    double lost = energySum(energy);
    energy->yield->flows += lost != 0;
    return lost;
}

void yieldEnterRest(Energy *energy, int block, double *room)
{
    size_t count = blockNumbers(energy);
    memcpy(room, yieldParams(energy, block), count * sizeof(double));
    memcpy(yieldParams(energy, block), energy->yield->rest + (size_t)block * count, count * sizeof(double));
}

void yieldLeaveRest(Energy *energy, int block, const double *room)
{
    memcpy(yieldParams(energy, block), room, blockNumbers(energy) * sizeof(double));
}

// ---- the majorizer --------------------------------------------------------------------------------------------------

double *yieldBound(const Energy *energy, int block)
{
    return energy->yield != NULL ? energy->yield->bound + (size_t)block * blockNumbers(energy)
                                 : yieldParams(energy, block);
}

// 2x2 or 3x3, as the upper left of a unit matrix; rows of triangles are columns of tets
static Mat3 squareOf(const double *numbers, int lane, int count)
{
    int width = count == 4 ? 2 : 3;
    Mat3 m = matIdentity();
    for (int k = 0; k < count; ++k)
        m.m[width == 2 ? k % width : k / width][width == 2 ? k / width : k % width] = numbers[k * LANES + lane];
    return m;
}

// the square of the largest gradient over that of the bound: of bound^-1 now
static bool straysFrom(const Energy *energy, int element)
{
    int block = element / LANES, lane = element % LANES, count = energy->kind->yields->count;
    Mat3 now = squareOf(yieldParams(energy, block), lane, count);
    Mat3 bound = squareOf(yieldBound(energy, block), lane, count), back = matInverse(&bound);
    Mat3 change = matMultiply(&back, &now);
    double largest = svd3(&change).sigma[0];
    return largest * largest > MOST_BEYOND;
}

void yieldFollow(Energy *energy)
{
    Yield *yield = energy->yield;
    if (yield->bound == NULL || yield->checked == yield->flows)
        return;
    yield->checked = yield->flows;
    const double *before = yield->marked + (size_t)energy->blockCount * blockNumbers(energy);
    for (int e = 0; e < energy->elementCount; ++e)
    {
        if (yield->strain[e] == before[e] || !straysFrom(energy, e))
            continue;
        copyOut(energy, yield->bound);
        energy->version += 1;
        return;
    }
}
