#include "fluid/kernels.h"

#include "base/simd.h"

#include <stddef.h>

// Candidates of the particles of one cell are copied one behind the other, in the order of the table: then all lanes
// are full but those of the last vector. A batch of particles meets a block of candidates at a time, and its sums are
// kept between blocks.
#define BLOCK 1024
#define BATCH 32
#define FARTHEST 1e4f // radii: where lanes without a candidate are
#define FIELDS_MOST 7
#define SUMS_MOST 6

_Static_assert(FLUID_LANES == 8, "candidates fill a Float8");

typedef struct Block
{
    int count;  // candidates
    int fields; // x y z and what else the pass wants of them
    float field[FIELDS_MOST][BLOCK];
} Block;

typedef struct Sums
{
    Float8 of[BATCH][SUMS_MOST];
} Sums;

typedef struct Pass
{
    const FluidCells *cells;
    const float *field[FIELDS_MOST]; // of the candidates
    int fields, sums;
    const void *constants;
    void (*meet)(const struct Pass *pass, const Block *block, int particle, Float8 *sum);
    void (*finish)(const struct Pass *pass, int particle, const float *sum);
} Pass;

// Particles of one cell, and the box around them.
typedef struct Batch
{
    int first, end;
    float lower[3], upper[3];
} Batch;

static Batch batchOf(const FluidCells *cells, int first, int end)
{
    Batch batch = { .first = first, .end = end };
    for (int a = 0; a < 3; ++a)
    {
        batch.lower[a] = batch.upper[a] = cells->at[a][first];
        for (int i = first + 1; i < end; ++i)
        {
            float x = cells->at[a][i];
            batch.lower[a] = x < batch.lower[a] ? x : batch.lower[a];
            batch.upper[a] = x > batch.upper[a] ? x : batch.upper[a];
        }
    }
    return batch;
}

SIMD_INLINE Float8 where(Int8 mask, Float8 v)
{
    return (Float8)(mask & (Int8)v);
}

// 1 / sqrt(v) to 5e-6, with the same bits everywhere and a finite result for 0: the square root of the instruction set
// takes as long as the rest of a pass. Both particles of a pair see the same value.
SIMD_INLINE Float8 inverseRoot(Float8 v)
{
    Float8 half = 0.5f * v, y = (Float8)(0x5f375a86 - ((Int8)v >> 1));
    y = y * (1.5f - (half * y) * y);
    return y * (1.5f - (half * y) * y);
}

static void meetBlock(const Pass *pass, Block *block, const Batch *batch, Sums *sums)
{
    while (block->count % FLUID_LANES != 0)
    {
        for (int f = 0; f < block->fields; ++f)
            block->field[f][block->count] = f < 3 ? FARTHEST : 0;
        block->count += 1;
    }
    for (int i = batch->first; i < batch->end; ++i)
        pass->meet(pass, block, i, sums->of[i - batch->first]);
    block->count = 0;
}

// the lanes of eight candidates that are nearer than 1 to the box around the batch
SIMD_INLINE unsigned nearLanes(const Pass *pass, const Batch *batch, int first)
{
    Float8 r2 = { 0 };
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a)
    {
        Float8 x = float8Load(pass->field[a] + first);
        Float8 below = float8Set(batch->lower[a]) - x, above = x - float8Set(batch->upper[a]);
        Float8 d = where(below > 0, below) + where(above > 0, above);
        r2 += d * d;
    }
    return float8Lanes(r2 < 1);
}

// Candidates of a run that may be neighbours of the batch, met whenever the block is full. Two in five are too far away
// from all of it: to leave them out here is cheaper than to meet them.
static void offer(const Pass *pass, Block *block, const int run[2], const Batch *batch, Sums *sums)
{
    for (int first = run[0]; first < run[1]; first += FLUID_LANES)
    {
        unsigned lanes = nearLanes(pass, batch, first);
        if (run[1] - first < FLUID_LANES)
            lanes &= (1u << (run[1] - first)) - 1;
        for (; lanes != 0; lanes &= lanes - 1)
        {
            int candidate = first + __builtin_ctz(lanes);
            for (int f = 0; f < block->fields; ++f)
                block->field[f][block->count] = pass->field[f][candidate];
            block->count += 1;
        }
        if (block->count > BLOCK - FLUID_LANES)
            meetBlock(pass, block, batch, sums);
    }
}

// the three cells about column x of a row: one run where the table does not end between them
static void offerRow(const Pass *pass, Block *block, int row, int x, const Batch *batch, Sums *sums)
{
    const int *start = pass->cells->start + ((ptrdiff_t)row << pass->cells->bits[0]);
    int last = (1 << pass->cells->bits[0]) - 1;
    if (x > 0 && x < last)
    {
        offer(pass, block, (int[2]){ start[x - 1], start[x + 2] }, batch, sums);
        return;
    }
    for (int i = x - 1; i <= x + 1; ++i)
        offer(pass, block, (int[2]){ start[i & last], start[(i & last) + 1] }, batch, sums);
}

static void runBatch(const Pass *pass, Block *block, int cell, const Batch *batch)
{
    const int *bits = pass->cells->bits;
    int x = cell & ((1 << bits[0]) - 1), y = (cell >> bits[0]) & ((1 << bits[1]) - 1), z = cell >> (bits[0] + bits[1]);
    int deep = bits[2] > 0; // 0: a fluid in 2D
    Sums sums;
    memset(&sums, 0, (size_t)(batch->end - batch->first) * sizeof sums.of[0]);
    block->count = 0;
    for (int k = z - deep; k <= z + deep; ++k)
    {
        for (int j = y - 1; j <= y + 1; ++j)
        {
            int row = ((k & ((1 << bits[2]) - 1)) << bits[1]) + (j & ((1 << bits[1]) - 1));
            offerRow(pass, block, row, x, batch, &sums);
        }
    }
    meetBlock(pass, block, batch, &sums);
    for (int i = batch->first; i < batch->end; ++i)
    {
        float sum[SUMS_MOST];
        for (int s = 0; s < pass->sums; ++s)
            sum[s] = float8Sum(sums.of[i - batch->first][s]);
        pass->finish(pass, i, sum);
    }
}

static void run(const Pass *pass, int first, int end)
{
    Block block = { .fields = pass->fields };
    for (int u = first; u < end; ++u)
    {
        int cell = pass->cells->cell[u], last = pass->cells->start[cell + 1];
        for (int i = pass->cells->start[cell]; i < last; i += BATCH)
        {
            Batch batch = batchOf(pass->cells, i, i + BATCH < last ? i + BATCH : last);
            runBatch(pass, &block, cell, &batch);
        }
    }
}

// ---- multipliers ----------------------------------------------------------------------------------------------------

// the sums of poly6, of the spiky gradients' squares, and of the spiky gradients
static void meetMultiplier(const Pass *pass, const Block *block, int particle, Float8 *sum)
{
    const FluidCells *c = pass->cells;
    Float8 px = float8Set(c->at[0][particle]), py = float8Set(c->at[1][particle]);
    Float8 pz = float8Set(c->at[2][particle]);
    Float8 w = sum[0], squares = sum[1], gx = sum[2], gy = sum[3], gz = sum[4];
    for (int i = 0; i < block->count; i += FLUID_LANES)
    {
        Float8 dx = px - float8Load(block->field[0] + i), dy = py - float8Load(block->field[1] + i);
        Float8 dz = pz - float8Load(block->field[2] + i), r2 = dx * dx + dy * dy + dz * dz;
        Int8 near = r2 < 1;
        Float8 t = where(near, 1 - r2), inverse = inverseRoot(r2);
        Float8 u = where(near & (r2 > 1e-12f), 1 - r2 * inverse), uu = u * u, s = uu * inverse;
        w += t * t * t;
        squares += uu * uu;
        gx += s * dx;
        gy += s * dy;
        gz += s * dz;
    }
    sum[0] = w;
    sum[1] = squares;
    sum[2] = gx;
    sum[3] = gy;
    sum[4] = gz;
}

static const float *coverOf(const FluidDensity *density, int particle)
{
    static const float none[4];
    return density->cover != NULL ? density->cover + 4 * (ptrdiff_t)density->order[particle] : none;
}

static void finishMultiplier(const Pass *pass, int particle, const float *sum)
{
    const FluidDensity *density = pass->constants;
    const float *cover = coverOf(density, particle);
    float c = (sum[0] + cover[0]) * density->perRest - 1, squares = sum[1];
    c = c > 0 ? c : 0;
    for (int a = 0; a < 3; ++a)
        squares += (sum[2 + a] + cover[1 + a]) * (sum[2 + a] + cover[1 + a]);
    density->compression[particle] = c;
    density->multiplier[particle] = c / (density->gradient * density->gradient * squares + density->softening);
}

static void multipliers(const FluidCells *cells, const FluidDensity *density, int first, int end)
{
    Pass pass = { .cells = cells, .field = { cells->at[0], cells->at[1], cells->at[2] }, .fields = 3, .sums = 5 };
    pass.constants = density;
    pass.meet = meetMultiplier;
    pass.finish = finishMultiplier;
    run(&pass, first, end);
}

// ---- corrections ----------------------------------------------------------------------------------------------------

// What a pair contributes to both of its particles is equal and opposite to the last bit.
static void meetCorrection(const Pass *pass, const Block *block, int particle, Float8 *sum)
{
    const FluidCells *c = pass->cells;
    const FluidDensity *density = pass->constants;
    Float8 px = float8Set(c->at[0][particle]), py = float8Set(c->at[1][particle]);
    Float8 pz = float8Set(c->at[2][particle]), own = float8Set(density->multiplier[particle]);
    Float8 x = sum[0], y = sum[1], z = sum[2];
    for (int i = 0; i < block->count; i += FLUID_LANES)
    {
        Float8 dx = px - float8Load(block->field[0] + i), dy = py - float8Load(block->field[1] + i);
        Float8 dz = pz - float8Load(block->field[2] + i), r2 = dx * dx + dy * dy + dz * dz;
        Float8 inverse = inverseRoot(r2), u = where((r2 < 1) & (r2 > 1e-12f), 1 - r2 * inverse);
        Float8 s = (own + float8Load(block->field[3] + i)) * (u * u * inverse);
        x += s * dx;
        y += s * dy;
        z += s * dz;
    }
    sum[0] = x;
    sum[1] = y;
    sum[2] = z;
}

// A wall presses back as hard as the particle presses on it: it has the particle's own multiplier.
static void finishCorrection(const Pass *pass, int particle, const float *sum)
{
    const FluidDensity *density = pass->constants;
    const float *cover = coverOf(density, particle);
    float both = 2 * density->multiplier[particle];
    for (int a = 0; a < 3; ++a)
        density->move[a][particle] = density->relaxation * density->gradient * (sum[a] + both * cover[1 + a]);
}

// ---- corrections with drag and cohesion -----------------------------------------------------------------------------

static void meetDrag(const Pass *pass, const Block *block, int particle, Float8 *sum)
{
    const FluidCells *c = pass->cells;
    const FluidDensity *density = pass->constants;
    const FluidDrag *drag = &density->drag;
    Float8 at[3], way[3], d[3], move[3], change[3], own = float8Set(density->multiplier[particle]);
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a)
    {
        move[a] = sum[a];
        change[a] = sum[3 + a];
        at[a] = float8Set(c->at[a][particle]);
        way[a] = float8Set(drag->way[a][particle]);
    }
    for (int i = 0; i < block->count; i += FLUID_LANES)
    {
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
            d[a] = at[a] - float8Load(block->field[a] + i);
        Float8 r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], inverse = inverseRoot(r2);
        Float8 u = where((r2 < 1) & (r2 > 1e-12f), 1 - r2 * inverse), uu = u * u, share = drag->share * u;
        Float8 s = (own + float8Load(block->field[3] + i)) * (uu * inverse), pull = drag->pull * uu;
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
        {
            move[a] += s * d[a];
            change[a] += share * (float8Load(block->field[4 + a] + i) - way[a]) - pull * d[a];
        }
    }
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a)
    {
        sum[a] = move[a];
        sum[3 + a] = change[a];
    }
}

static void finishDrag(const Pass *pass, int particle, const float *sum)
{
    const FluidDensity *density = pass->constants;
    finishCorrection(pass, particle, sum);
    for (int a = 0; a < 3; ++a)
        density->drag.change[a][particle] = sum[3 + a];
}

static void corrections(const FluidCells *cells, const FluidDensity *density, int first, int end)
{
    const FluidDrag *drag = &density->drag;
    Pass pass = { .cells = cells,
                  .field = { cells->at[0], cells->at[1], cells->at[2], density->multiplier, drag->way[0], drag->way[1],
                             drag->way[2] },
                  .fields = drag->acts ? 7 : 4,
                  .sums = drag->acts ? 6 : 3 };
    pass.constants = density;
    pass.meet = drag->acts ? meetDrag : meetCorrection;
    pass.finish = drag->acts ? finishDrag : finishCorrection;
    run(&pass, first, end);
}

const FluidKernels KERNEL(fluidKernels) = { multipliers, corrections };
