#include "fluid/kernels.h"

#include "base/simd.h"

#include <stddef.h>

// Consecutive particles of a row of cells are a chunk, one particle in each lane. The chunk meets its candidates, what
// may be nearer than 1 to any of it, one after the other. Every particle sums in the order of its candidates, and one
// that is too far away adds 0: neither the width of vectors nor what else is in the chunk changes a bit.
#define BLOCK 1024 // candidates met at once at most
#define SUMS_MOST 6

#if defined(__AVX__)
#define LANES 8
typedef Float8 Lanes;
typedef Int8 Mask;
#else
#define LANES 4
typedef Float4 Lanes;
typedef int32_t Mask __attribute__((vector_size(16)));
#endif

_Static_assert(FLUID_CHUNK % LANES == 0 && FLUID_CHUNK == 8, "a chunk fills registers, and candidates are tested by 8");

SIMD_INLINE Lanes lanesLoad(const float *p)
{
    Lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

SIMD_INLINE void lanesStore(float *p, Lanes v)
{
    memcpy(p, &v, sizeof v);
}

SIMD_INLINE Lanes lanesSet(float x)
{
    return x - (Lanes){ 0 };
}

SIMD_INLINE Lanes aboveZero(Lanes v)
{
#if defined(__AVX__)
    return (Lanes)_mm256_max_ps((__m256)v, _mm256_setzero_ps());
#elif defined(__SSE2__)
    return (Lanes)_mm_max_ps((__m128)v, _mm_setzero_ps());
#else
    return (Lanes)((v > 0) & (Mask)v);
#endif
}

SIMD_INLINE unsigned lanesSigns(Lanes v) // a bit for each lane that has a sign
{
#if defined(__AVX__)
    return (unsigned)_mm256_movemask_ps((__m256)v);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)v);
#else
    unsigned signs = 0;
    for (int l = 0; l < LANES; ++l)
        signs |= (unsigned)(((Mask)v)[l] < 0) << l;
    return signs;
#endif
}

// 1 / sqrt(v), with the same bits everywhere and a finite result for 0: the square root of the instruction set takes as
// long as the rest of a pass. Both particles of a pair see the same value. A parabola in v y^2, of least error where a
// first guess y from the bits of v puts it; 0 to 6e-5 too large, so that what is farther than 1 never seems nearer.
SIMD_INLINE Lanes inverseRoot(Lanes v)
{
    Lanes y = (Lanes)(0x5f375a86 - ((Mask)v >> 1)), a = (v * y) * y;
    return y * (1.87637663f - a * (1.25158633f - 0.37523855f * a));
}

typedef struct Chunk
{
    int first, count;
    float at[3][FLUID_CHUNK]; // lanes without a particle have the place of the first one
    float lower[3], upper[3]; // the box around them
    float sum[SUMS_MOST][FLUID_CHUNK];
} Chunk;

typedef struct Pass
{
    const FluidCells *cells;
    const FluidDensity *density;
    // meets candidates; returns how many are to be kept for the next pass, moved to the front
    int (*meet)(const struct Pass *pass, Chunk *chunk, int *list, int count);
    void (*finish)(const struct Pass *pass, const Chunk *chunk);
    bool keeps; // the lists
} Pass;

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float largest(float a, float b)
{
    return a > b ? a : b;
}

static void setChunk(Chunk *chunk, const FluidCells *cells, int first, int end)
{
    chunk->first = first;
    chunk->count = end - first;
    for (int i = 0; i < SUMS_MOST * FLUID_CHUNK; i += LANES)
        lanesStore(&chunk->sum[i / FLUID_CHUNK][i % FLUID_CHUNK], (Lanes){ 0 });
    for (int a = 0; a < 3; ++a)
    {
        float *x = chunk->at[a], low[4], high[4];
        memcpy(x, cells->at[a] + first, sizeof chunk->at[a]);
        for (int i = chunk->count; i < FLUID_CHUNK; ++i)
            x[i] = x[0];
        for (int i = 0; i < 4; ++i)
        {
            low[i] = least(x[i], x[i + 4]);
            high[i] = largest(x[i], x[i + 4]);
        }
        chunk->lower[a] = least(least(low[0], low[1]), least(low[2], low[3]));
        chunk->upper[a] = largest(largest(high[0], high[1]), largest(high[2], high[3]));
    }
}

// ---- candidates -----------------------------------------------------------------------------------------------------

// how far each of eight is outside the box along an axis
SIMD_INLINE Float8 outside(const FluidCells *cells, const Chunk *chunk, int axis, int first)
{
    Float8 x = float8Load(cells->at[axis] + first);
    Float8 below = float8Set(chunk->lower[axis]) - x, above = x - float8Set(chunk->upper[axis]);
    return (Float8)((below > 0) & (Int8)below) + (Float8)((above > 0) & (Int8)above);
}

// writes eight numbers, the first ones are those of the lanes that are set
SIMD_INLINE void packedStore(int *list, const FluidPacking *packing, unsigned lanes, int first)
{
#if defined(__AVX2__)
    __m256i lane = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)packing->lane[lanes]));
    _mm256_storeu_si256((__m256i *)(void *)list, _mm256_add_epi32(lane, _mm256_set1_epi32(first)));
#else
    for (int l = 0; l < 8; ++l)
        list[l] = first + packing->lane[lanes][l];
#endif
}

// of a run of particles, those that are nearer than 1 to the box around the chunk
static int offer(const FluidCells *cells, const Chunk *chunk, const FluidPacking *packing, const int run[2], int *list)
{
    int count = 0;
    for (int i = run[0]; i < run[1]; i += 8)
    {
        Float8 x = outside(cells, chunk, 0, i), y = outside(cells, chunk, 1, i), z = outside(cells, chunk, 2, i);
        unsigned lanes = float8Lanes(x * x + y * y + z * z < 1);
        lanes &= run[1] - i < 8 ? (1u << (run[1] - i)) - 1 : 0xff;
        packedStore(list + count, packing, lanes, i);
        count += packing->count[lanes];
    }
    return count;
}

// Candidates of a chunk in the order of the table, met whenever the block is full.
typedef struct Search
{
    const Pass *pass;
    Chunk *chunk;
    int count, kept; // kept: -1 after a block was full
    int list[BLOCK + 8];
} Search;

static void meetBlock(Search *s)
{
    s->kept = s->pass->meet(s->pass, s->chunk, s->list, s->count);
    s->count = 0;
}

static void offerRun(Search *s, int first, int end)
{
    const int most = BLOCK / 2;
    for (int next; first < end; first = next)
    {
        next = end - first > most ? first + most : end;
        if (s->count > BLOCK - most)
        {
            meetBlock(s);
            s->kept = -1;
        }
        s->count +=
            offer(s->pass->cells, s->chunk, s->pass->cells->packing, (int[2]){ first, next }, s->list + s->count);
    }
}

// the cells from column `first` to `last` of a row, which may be beyond the ends of the table
static void offerRow(Search *s, int row, int first, int last)
{
    const FluidCells *cells = s->pass->cells;
    const int *start = cells->start + ((ptrdiff_t)row << cells->bits[0]);
    int width = 1 << cells->bits[0];
    if (last - first + 1 >= width)
    {
        offerRun(s, start[0], start[width]);
        return;
    }
    if (first < 0)
        offerRun(s, start[first + width], start[width]);
    offerRun(s, start[first < 0 ? 0 : first], start[last < width ? last + 1 : width]);
    if (last >= width)
        offerRun(s, start[0], start[last - width + 1]);
}

static void searchAround(Search *s)
{
    const FluidCells *cells = s->pass->cells;
    const int *bits = cells->bits;
    int width = 1 << bits[0], deep = bits[2] > 0; // 0: a fluid in 2D
    int cell = cells->cell[s->chunk->first], end = cells->cell[s->chunk->first + s->chunk->count - 1];
    int first = (cell & (width - 1)) - FLUID_COLUMNS, last = (end & (width - 1)) + FLUID_COLUMNS;
    int y = (cell >> bits[0]) & ((1 << bits[1]) - 1), z = cell >> (bits[0] + bits[1]);
    s->count = s->kept = 0;
    for (int k = z - deep; k <= z + deep; ++k)
    {
        for (int j = y - 1; j <= y + 1; ++j)
        {
            int row = ((k & ((1 << bits[2]) - 1)) << bits[1]) + (j & ((1 << bits[1]) - 1));
            offerRow(s, row, first, last);
        }
    }
    bool whole = s->kept == 0;
    meetBlock(s);
    s->kept = whole ? s->kept : -1;
}

// A list behind the others of the pass, from `*next` on, where it fits.
static void keepList(const Search *s, int *next, int end)
{
    const FluidCells *cells = s->pass->cells;
    bool fits = s->kept >= 0 && end - *next > s->kept;
    cells->listAt[s->chunk->first] = fits ? *next : -1;
    if (!fits)
        return;
    cells->list[*next] = s->kept;
    memcpy(cells->list + *next + 1, s->list, (size_t)s->kept * sizeof *s->list);
    *next += s->kept + 1;
}

static void run(const Pass *pass, int first, int end)
{
    const FluidCells *cells = pass->cells;
    Chunk chunk;
    Search search;
    search.pass = pass;
    search.chunk = &chunk;
    int room = FLUID_LISTED * first, next;
    for (int i = first; i < end; i = next)
    {
        int rowEnd = cells->start[((cells->cell[i] >> cells->bits[0]) + 1) << cells->bits[0]];
        next = i + FLUID_CHUNK < rowEnd ? i + FLUID_CHUNK : rowEnd;
        next = next < end ? next : end;
        setChunk(&chunk, cells, i, next);
        if (!pass->keeps && cells->listAt[i] >= 0)
        {
            int *list = cells->list + cells->listAt[i];
            pass->meet(pass, &chunk, list + 1, list[0]);
        }
        else
            searchAround(&search);
        if (pass->keeps)
            keepList(&search, &room, FLUID_LISTED * end);
        pass->finish(pass, &chunk);
    }
}

// ---- multipliers ----------------------------------------------------------------------------------------------------

// The sums of poly6, of the spiky gradients' squares, and of the spiky gradients. The particle itself is among its
// candidates: it adds 1 to the first two.
static int meetMultiplier(const Pass *pass, Chunk *chunk, int *list, int count)
{
    const float *x = pass->cells->at[0], *y = pass->cells->at[1], *z = pass->cells->at[2];
    int kept = 0;
    bool met[LANES < FLUID_CHUNK ? BLOCK + 8 : 1]; // by the first half
    for (int h = 0; h < FLUID_CHUNK; h += LANES)
    {
        Lanes px = lanesLoad(chunk->at[0] + h), py = lanesLoad(chunk->at[1] + h), pz = lanesLoad(chunk->at[2] + h);
        Lanes w = lanesLoad(chunk->sum[0] + h), squares = lanesLoad(chunk->sum[1] + h);
        Lanes gx = lanesLoad(chunk->sum[2] + h), gy = lanesLoad(chunk->sum[3] + h), gz = lanesLoad(chunk->sum[4] + h);
        for (int i = 0; i < count; ++i)
        {
            int j = list[i];
            Lanes dx = lanesSet(x[j]) - px, dy = lanesSet(y[j]) - py, dz = lanesSet(z[j]) - pz;
            Lanes r2 = dx * dx + dy * dy + dz * dz, inside = 1 - r2, t = aboveZero(inside), inverse = inverseRoot(r2);
            Lanes u = aboveZero(1 - r2 * inverse), uu = u * u, s = uu * inverse;
            w += t * t * t;
            squares += uu * uu;
            gx -= s * dx;
            gy -= s * dy;
            gz -= s * dz;
            bool near = lanesSigns(inside) != (1u << LANES) - 1 || (h > 0 && met[i]);
            list[h + LANES == FLUID_CHUNK ? kept : i] = j;
            kept += h + LANES == FLUID_CHUNK && near;
            if (h + LANES < FLUID_CHUNK)
                met[i] = near;
        }
        lanesStore(chunk->sum[0] + h, w);
        lanesStore(chunk->sum[1] + h, squares);
        lanesStore(chunk->sum[2] + h, gx);
        lanesStore(chunk->sum[3] + h, gy);
        lanesStore(chunk->sum[4] + h, gz);
    }
    return kept;
}

static const float *coverOf(const FluidDensity *density, int particle)
{
    static const float none[4];
    return density->cover != NULL ? density->cover + 4 * (ptrdiff_t)density->order[particle] : none;
}

static void finishMultiplier(const Pass *pass, const Chunk *chunk)
{
    const FluidDensity *density = pass->density;
    float scale = density->relaxation * density->gradient, square = density->gradient * density->gradient;
    for (int l = 0; l < chunk->count; ++l)
    {
        int particle = chunk->first + l;
        const float *cover = coverOf(density, particle);
        float c = (chunk->sum[0][l] + cover[0]) * density->perRest - 1, squares = chunk->sum[1][l] - 1;
        float x = chunk->sum[2][l] + cover[1], y = chunk->sum[3][l] + cover[2], z = chunk->sum[4][l] + cover[3];
        c = c > 0 ? c : 0;
        density->compression[particle] = c;
        density->multiplier[particle] = scale * c / (square * (squares + (x * x + y * y + z * z)) + density->softening);
    }
}

static void multipliers(const FluidCells *cells, const FluidDensity *density, int first, int end)
{
    Pass pass = { .cells = cells, .density = density, .keeps = true };
    pass.meet = meetMultiplier;
    pass.finish = finishMultiplier;
    run(&pass, first, end);
}

// ---- corrections ----------------------------------------------------------------------------------------------------

// a particle's own numbers in the lanes of its chunk
SIMD_INLINE Lanes ownLanes(const float *values, const Chunk *chunk, int from)
{
    float own[LANES];
    for (int l = 0; l < LANES; ++l)
        own[l] = values[from + l < chunk->count ? chunk->first + from + l : chunk->first];
    return lanesLoad(own);
}

// What a pair contributes to both of its particles is equal and opposite to the last bit.
static int meetCorrection(const Pass *pass, Chunk *chunk, int *list, int count)
{
    const float *x = pass->cells->at[0], *y = pass->cells->at[1], *z = pass->cells->at[2];
    const float *multiplier = pass->density->multiplier;
    for (int h = 0; h < FLUID_CHUNK; h += LANES)
    {
        Lanes px = lanesLoad(chunk->at[0] + h), py = lanesLoad(chunk->at[1] + h), pz = lanesLoad(chunk->at[2] + h);
        Lanes mx = lanesLoad(chunk->sum[0] + h), my = lanesLoad(chunk->sum[1] + h), mz = lanesLoad(chunk->sum[2] + h);
        Lanes own = ownLanes(multiplier, chunk, h);
        for (int i = 0; i < count; ++i)
        {
            int j = list[i];
            Lanes dx = lanesSet(x[j]) - px, dy = lanesSet(y[j]) - py, dz = lanesSet(z[j]) - pz;
            Lanes r2 = dx * dx + dy * dy + dz * dz, inverse = inverseRoot(r2);
            Lanes u = aboveZero(1 - r2 * inverse);
            Lanes s = (own + lanesSet(multiplier[j])) * (u * u * inverse);
            mx -= s * dx;
            my -= s * dy;
            mz -= s * dz;
        }
        lanesStore(chunk->sum[0] + h, mx);
        lanesStore(chunk->sum[1] + h, my);
        lanesStore(chunk->sum[2] + h, mz);
    }
    return 0;
}

// A wall presses back as hard as the particle presses on it: it has the particle's own multiplier.
static void finishCorrection(const Pass *pass, const Chunk *chunk)
{
    const FluidDensity *density = pass->density;
    for (int l = 0; l < chunk->count; ++l)
    {
        int particle = chunk->first + l;
        const float *cover = coverOf(density, particle);
        float both = 2 * density->multiplier[particle];
        for (int a = 0; a < 3; ++a)
            density->move[a][particle] = chunk->sum[a][l] + both * cover[1 + a];
    }
}

// ---- corrections with drag and cohesion -----------------------------------------------------------------------------

SIMD_INLINE int meetMoving(const Pass *pass, Chunk *chunk, const int *list, int count, bool coheres)
{
    const FluidCells *c = pass->cells;
    const FluidDrag *drag = &pass->density->drag;
    const float *multiplier = pass->density->multiplier;
    for (int h = 0; h < FLUID_CHUNK; h += LANES)
    {
        Lanes at[3], way[3], d[3], move[3], change[3], own = ownLanes(multiplier, chunk, h);
        Lanes pull = lanesSet(drag->pull), push = pull * drag->apart;
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
        {
            move[a] = lanesLoad(chunk->sum[a] + h);
            change[a] = lanesLoad(chunk->sum[3 + a] + h);
            at[a] = lanesLoad(chunk->at[a] + h);
            way[a] = ownLanes(drag->way[a], chunk, h);
        }
        for (int i = 0; i < count; ++i)
        {
            int j = list[i];
            SIMD_UNROLL
            for (int a = 0; a < 3; ++a)
                d[a] = lanesSet(c->at[a][j]) - at[a];
            Lanes r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], inverse = inverseRoot(r2);
            Lanes u = aboveZero(1 - r2 * inverse), uu = u * u;
            Lanes s = (own + lanesSet(multiplier[j])) * (uu * inverse);
            if (coheres)
                s -= uu * (pull - push * inverse);
            SIMD_UNROLL
            for (int a = 0; a < 3; ++a)
            {
                move[a] -= s * d[a];
                change[a] += u * (lanesSet(drag->way[a][j]) - way[a]);
            }
        }
        SIMD_UNROLL
        for (int a = 0; a < 3; ++a)
        {
            lanesStore(chunk->sum[a] + h, move[a]);
            lanesStore(chunk->sum[3 + a] + h, change[a]);
        }
    }
    return 0;
}

static int meetDrag(const Pass *pass, Chunk *chunk, int *list, int count)
{
    return meetMoving(pass, chunk, list, count, false);
}

static int meetCohesion(const Pass *pass, Chunk *chunk, int *list, int count)
{
    return meetMoving(pass, chunk, list, count, true);
}

static void finishDrag(const Pass *pass, const Chunk *chunk)
{
    const FluidDrag *drag = &pass->density->drag;
    finishCorrection(pass, chunk);
    for (int a = 0; a < 3; ++a)
    {
        for (int l = 0; l < chunk->count; ++l)
            drag->change[a][chunk->first + l] = drag->share * chunk->sum[3 + a][l];
    }
}

static void corrections(const FluidCells *cells, const FluidDensity *density, int first, int end)
{
    Pass pass = { .cells = cells, .density = density };
    pass.meet = !density->drag.acts ? meetCorrection : density->drag.pull > 0 ? meetCohesion : meetDrag;
    pass.finish = density->drag.acts ? finishDrag : finishCorrection;
    run(&pass, first, end);
}

const FluidKernels KERNEL(fluidKernels) = { multipliers, corrections };
