#include "fluid/surface.h"

#include <math.h>
#include <string.h>

#define CELLS 2           // of the grid per spacing
#define REACH (2 * CELLS) // cells: how far a particle is felt
// Cells: of a ball around the mean of the particles nearby. With 0.545 spacings a plane half a spacing above a lattice
// would be the surface; a little more makes up for what edges and corners of a box lose. An isolated particle is a ball
// of 0.4 of its volume.
#define RADIUS (0.57 * CELLS)
#define LEAST_WEIGHT 0.5f // below it a place is amid a few particles that are far away
#define FARTHEST 1e9      // spacings

// ---- blocks ---------------------------------------------------------------------------------------------------------

static int bucketOf(const Field *field, const int64_t *at)
{
    uint64_t hash = (uint64_t)at[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)at[1] * 0xc2b2ae3d27d4eb4fu ^
                    (uint64_t)at[2] * 0x165667b19e3779f9u;
    return (int)((hash ^ hash >> 29) & (uint64_t)(field->bucketCount - 1));
}

int fieldFind(const Field *field, const int64_t *at)
{
    if (field->bucketCount == 0)
        return -1;
    int b = field->bucket[bucketOf(field, at)];
    while (b >= 0 && memcmp(field->block[b].at, at, sizeof field->block[b].at) != 0)
        b = field->block[b].next;
    return b;
}

static bool grow(Field *field)
{
    int room = field->blockRoom > 0 ? 2 * field->blockRoom : 256;
    void *block = field->block;
    int *bucket = ALLOCATE(field->memory, int, (size_t)room);
    if (bucket == NULL ||
        !memoryGrow(field->memory, &block, (size_t)field->blockCount, (size_t)room, sizeof(FieldBlock)))
    {
        memoryRelease(field->memory, bucket);
        return false;
    }
    memoryRelease(field->memory, field->bucket);
    field->block = block;
    field->bucket = bucket;
    field->blockRoom = field->bucketCount = room;
    for (int i = 0; i < room; ++i)
        bucket[i] = -1;
    for (int b = 0; b < field->blockCount; ++b)
    {
        int *first = &bucket[bucketOf(field, field->block[b].at)];
        field->block[b].next = *first;
        *first = b;
    }
    return true;
}

// the block, made if there is none; -1: out of memory
static int demand(Field *field, const int64_t *at)
{
    int b = fieldFind(field, at);
    if (b >= 0)
        return b;
    if (field->blockCount == field->blockRoom && (field->blockRoom > INT32_MAX / 4 || !grow(field)))
        return -1;
    b = field->blockCount++;
    FieldBlock *block = &field->block[b];
    int *first = &field->bucket[bucketOf(field, at)];
    memset(block, 0, sizeof *block);
    memcpy(block->at, at, sizeof block->at);
    block->next = *first;
    *first = b;
    return b;
}

// ---- sums -----------------------------------------------------------------------------------------------------------

// what a particle at `x` (cells) adds to the nodes of one block
static void addToBlock(FieldBlock *block, const double *x)
{
    float from[3][FIELD_SIDE];
    for (int a = 0; a < 3; ++a)
    {
        for (int i = 0; i < FIELD_SIDE; ++i)
            from[a][i] = (float)(x[a] - (double)(block->at[a] * FIELD_SIDE + i));
    }
    for (int n = 0; n < FIELD_NODES; ++n)
    {
        float dx = from[0][n % FIELD_SIDE], dy = from[1][n / FIELD_SIDE % FIELD_SIDE];
        float dz = from[2][n / (FIELD_SIDE * FIELD_SIDE)];
        float t = 1 - (dx * dx + dy * dy + dz * dz) * (1.0f / (REACH * REACH)), w = t > 0 ? t * t * t : 0;
        float *sum = block->sum[n];
        sum[0] += w;
        sum[1] += w * dx;
        sum[2] += w * dy;
        sum[3] += w * dz;
    }
}

static bool addParticle(Field *field, const double *position)
{
    double x[3];
    int64_t low[3], high[3], at[3];
    for (int a = 0; a < 3; ++a)
    {
        x[a] = position[a] / field->cell;
        if (!(fabs(x[a]) < CELLS * FARTHEST))
            return true;
        low[a] = (int64_t)floor((x[a] - REACH) / FIELD_SIDE);
        high[a] = (int64_t)floor((x[a] + REACH) / FIELD_SIDE);
    }
    for (at[2] = low[2]; at[2] <= high[2]; ++at[2])
    {
        for (at[1] = low[1]; at[1] <= high[1]; ++at[1])
        {
            for (at[0] = low[0]; at[0] <= high[0]; ++at[0])
            {
                int b = demand(field, at);
                if (b < 0)
                    return false;
                addToBlock(&field->block[b], x);
            }
        }
    }
    return true;
}

// ---- distance -------------------------------------------------------------------------------------------------------

// From the mean of the particles around. Between a few that are far away that mean is no part of the fluid.
static float distanceOf(const float *sum)
{
    if (!(sum[0] > 0))
        return REACH;
    float length = sqrtf(sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]) / sum[0];
    return length - (float)RADIUS + (sum[0] < LEAST_WEIGHT ? REACH * (LEAST_WEIGHT - sum[0]) : 0);
}

// true: a node at a lower face is inside, so that cells of the blocks before it have a part of the surface
static bool setDistances(FieldBlock *block)
{
    bool reaches = false;
    for (int n = 0; n < FIELD_NODES; ++n)
    {
        block->distance[n] = distanceOf(block->sum[n]);
        bool face = n % FIELD_SIDE == 0 || n / FIELD_SIDE % FIELD_SIDE == 0 || n < FIELD_SIDE * FIELD_SIDE;
        reaches = reaches || (face && block->distance[n] < 0);
        block->wet = block->wet || block->distance[n] < 0;
    }
    return reaches;
}

static bool demandBefore(Field *field, int block)
{
    for (int k = 1; k < 8; ++k)
    {
        int64_t at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = field->block[block].at[a] - (k >> a & 1);
        if (demand(field, at) < 0)
            return false;
    }
    return true;
}

bool fieldMake(Field *field, Memory *memory, const double *position, int count, double spacing)
{
    *field = (Field){ .memory = memory, .cell = spacing / CELLS };
    bool good = true;
    for (int i = 0; i < count && good; ++i)
        good = addParticle(field, position + 3 * (ptrdiff_t)i);
    int filled = field->blockCount;
    for (int b = 0; b < filled && good; ++b)
        good = !setDistances(&field->block[b]) || demandBefore(field, b);
    for (int b = filled; b < field->blockCount; ++b)
        setDistances(&field->block[b]);
    return good;
}

void fieldRelease(Field *field)
{
    memoryRelease(field->memory, field->block);
    memoryRelease(field->memory, field->bucket);
}
