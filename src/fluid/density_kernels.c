#include "fluid/kernels.h"

#include "base/simd.h"

#include <stddef.h>

// Consecutive particles of a row of cells are a chunk, one particle in each lane. The chunk meets its candidates, what
// may be nearer than 1 to any of it, one after the other. Every particle sums over the first half of its candidates and
// over the second, each in their order, and one that is too far away adds 0: neither the width of vectors nor what else
// is in the chunk changes a bit. The widest vectors meet a candidate of either half at once.
#define BLOCK 1024 // candidates met at once at most
#define SUMS_MOST 6

#if defined(__AVX512F__)
#define LANES 8
#define BOTH 1
typedef Float16 Lanes;
typedef Int16 Mask;
#elif defined(__AVX__)
#define LANES 8
#define BOTH 0
typedef Float8 Lanes;
typedef Int8 Mask;
#else
#define LANES 4
#define BOTH 0
typedef Float4 Lanes;
typedef int32_t Mask __attribute__((vector_size(16)));
#endif
#define FAR_AWAY 1e9f // where nothing is

_Static_assert(FLUID_CHUNK % LANES == 0 && FLUID_CHUNK == 8, "a chunk fills registers, and candidates are tested by 8");

SIMD_INLINE Lanes lanesSet(float x)
{
    return x - (Lanes){ 0 };
}

// the particles of a chunk; where both halves are met at once, twice
SIMD_INLINE Lanes lanesLoad(const float *p)
{
#if defined(__AVX512F__)
    return (Lanes)_mm512_broadcast_f32x8(_mm256_loadu_ps(p));
#else
    Lanes v;
    memcpy(&v, p, sizeof v);
    return v;
#endif
}

// a candidate for all of them; where both halves are met at once, one of either
SIMD_INLINE Lanes lanesMeet(float first, float second)
{
#if defined(__AVX512F__)
    return (Lanes)_mm512_mask_broadcastss_ps(_mm512_set1_ps(first), 0xff00, _mm_set_ss(second));
#else
    (void)second;
    return lanesSet(first);
#endif
}

// what a sum starts from: nothing in the second half
SIMD_INLINE Lanes lanesBegin(const float *p, int half)
{
#if defined(__AVX512F__)
    (void)half;
    return (Lanes)_mm512_zextps256_ps512(_mm256_loadu_ps(p));
#else
    return half > 0 ? (Lanes){ 0 } : lanesLoad(p);
#endif
}

// adds up both halves
SIMD_INLINE void lanesEnd(float *p, Lanes v, int half)
{
#if defined(__AVX512F__)
    (void)half;
    _mm256_storeu_ps(p, _mm256_add_ps(_mm512_castps512_ps256((__m512)v), _mm512_extractf32x8_ps((__m512)v, 1)));
#else
    if (half > 0)
        v = lanesLoad(p) + v;
    memcpy(p, &v, sizeof v);
#endif
}

SIMD_INLINE Lanes aboveZero(Lanes v)
{
#if defined(__AVX512F__)
    return (Lanes)_mm512_max_ps((__m512)v, _mm512_setzero_ps());
#elif defined(__AVX__)
    return (Lanes)_mm256_max_ps((__m256)v, _mm256_setzero_ps());
#elif defined(__SSE2__)
    return (Lanes)_mm_max_ps((__m128)v, _mm_setzero_ps());
#else
    return (Lanes)((v > 0) & (Mask)v);
#endif
}

SIMD_INLINE unsigned lanesSigns(Lanes v) // a bit for each lane that has a sign
{
#if defined(__AVX512F__)
    return (unsigned)_mm512_movepi32_mask((__m512i)v);
#elif defined(__AVX__)
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
    memset(chunk->sum, 0, sizeof chunk->sum);
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

// ---- halves of the candidates ---------------------------------------------------------------------------------------

// Candidates of a list that are met at once, and those of half a chunk that a register holds.
typedef struct Met
{
    int first, second; // their numbers; second: only where both halves are met at once
    bool alone;        // there is no second
} Met;

// of a place, or anything that makes no difference where nothing is
SIMD_INLINE Lanes metBy(const float *values, Met met, float none)
{
    return lanesMeet(values[met.first], BOTH && !met.alone ? values[met.second] : none);
}

// for each candidate of one half of the list, or of both; `i` counts those of the half
#define FIRST_HALF(count) (((count) + 1) / 2)
#define FOR_HALVES(half) for (int half = 0; half < (BOTH ? 1 : 2); ++half)
#define HALF_BEGIN(half, count) ((half) > 0 ? FIRST_HALF(count) : 0)
#define HALF_END(half, count) ((half) > 0 ? (count) : BOTH ? (count) / 2 : FIRST_HALF(count))

// ---- multipliers ----------------------------------------------------------------------------------------------------

typedef struct Multiplying
{
    Lanes at[3];               // of the chunk
    Lanes w, squares, sums[3]; // of poly6, of the spiky gradients' squares, and of the spiky gradients
} Multiplying;

// returns the signs of the lanes that are too far away
SIMD_INLINE unsigned multiplyPair(const float *const at[3], Met met, Multiplying *m)
{
    Lanes d[3];
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a)
        d[a] = metBy(at[a], met, FAR_AWAY) - m->at[a];
    Lanes r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], inside = 1 - r2, t = aboveZero(inside);
    Lanes inverse = inverseRoot(r2), u = aboveZero(1 - r2 * inverse), uu = u * u, s = uu * inverse;
    m->w += t * t * t;
    m->squares += uu * uu;
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a)
        m->sums[a] -= s * d[a];
    return lanesSigns(inside);
}

SIMD_INLINE bool anyNear(unsigned signs)
{
    return (signs & ((1u << LANES) - 1)) != (1u << LANES) - 1;
}

// The particle itself is among its candidates: it adds 1 to the first two sums. Candidates that are near to any are
// kept, at the front of the list.
static int meetMultiplier(const Pass *pass, Chunk *chunk, int *list, int count)
{
    const bool inTurn = !BOTH && LANES == FLUID_CHUNK; // all lanes meet one candidate after the other
    int kept = 0, middle = FIRST_HALF(count);
    bool met[inTurn ? 1 : BLOCK + 8]; // by the lanes so far
    memset(met, 0, inTurn ? 1 : (size_t)count);
    for (int h = 0; h < FLUID_CHUNK; h += LANES)
    {
        FOR_HALVES(half)
        {
            Multiplying m = { .w = lanesBegin(chunk->sum[0] + h, half),
                              .squares = lanesBegin(chunk->sum[1] + h, half) };
            SIMD_UNROLL
            for (int a = 0; a < 3; ++a)
            {
                m.at[a] = lanesLoad(chunk->at[a] + h);
                m.sums[a] = lanesBegin(chunk->sum[2 + a] + h, half);
            }
            for (int i = HALF_BEGIN(half, count); i < HALF_END(half, count); ++i)
            {
                int first = list[i], second = BOTH ? middle + i : i;
                unsigned far = multiplyPair(pass->cells->at, (Met){ first, list[second], false }, &m);
                list[inTurn ? kept : i] = first;
                kept += inTurn && anyNear(far);
                met[inTurn ? 0 : i] |= anyNear(far);
                if (BOTH)
                    met[second] |= anyNear(far >> LANES);
            }
            if (BOTH && count % 2 > 0)
                met[middle - 1] |= anyNear(multiplyPair(pass->cells->at, (Met){ list[middle - 1], 0, true }, &m));
            lanesEnd(chunk->sum[0] + h, m.w, half);
            lanesEnd(chunk->sum[1] + h, m.squares, half);
            SIMD_UNROLL
            for (int a = 0; a < 3; ++a)
                lanesEnd(chunk->sum[2 + a] + h, m.sums[a], half);
        }
    }
    for (int i = 0; i < count && !inTurn; ++i)
    {
        int j = list[i];
        list[kept] = j;
        kept += met[i];
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

// What moves particles: the density, and with `drags` and `coheres` what neighbours do to each other's motion.
typedef struct Moving
{
    Lanes at[3], way[3], own; // of the chunk; own: multipliers
    Lanes move[3], change[3]; // sums
    Lanes pull, push;         // of cohesion
} Moving;

// What a pair contributes to both of its particles is equal and opposite to the last bit.
SIMD_INLINE void movePair(const Pass *pass, Met met, Moving *m, bool drags, bool coheres)
{
    Lanes d[3];
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a)
        d[a] = metBy(pass->cells->at[a], met, FAR_AWAY) - m->at[a];
    Lanes r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], inverse = inverseRoot(r2);
    Lanes u = aboveZero(1 - r2 * inverse), uu = u * u;
    Lanes s = (m->own + metBy(pass->density->multiplier, met, 0)) * (uu * inverse);
    if (coheres)
        s -= uu * (m->pull - m->push * inverse);
    SIMD_UNROLL
    for (int a = 0; a < 3; ++a)
        m->move[a] -= s * d[a];
    SIMD_UNROLL
    for (int a = 0; a < 3 && drags; ++a)
        m->change[a] += u * (metBy(pass->density->drag.way[a], met, 0) - m->way[a]);
}

SIMD_INLINE int meetMoving(const Pass *pass, Chunk *chunk, const int *list, int count, bool drags, bool coheres)
{
    const FluidDrag *drag = &pass->density->drag;
    int middle = FIRST_HALF(count);
    for (int h = 0; h < FLUID_CHUNK; h += LANES)
    {
        FOR_HALVES(half)
        {
            Moving m = { .own = ownLanes(pass->density->multiplier, chunk, h), .pull = lanesSet(drag->pull) };
            m.push = m.pull * drag->apart;
            SIMD_UNROLL
            for (int a = 0; a < 3; ++a)
            {
                m.at[a] = lanesLoad(chunk->at[a] + h);
                m.move[a] = lanesBegin(chunk->sum[a] + h, half);
                m.change[a] = lanesBegin(chunk->sum[3 + a] + h, half);
                m.way[a] = drags ? ownLanes(drag->way[a], chunk, h) : m.at[a];
            }
            for (int i = HALF_BEGIN(half, count); i < HALF_END(half, count); ++i)
                movePair(pass, (Met){ list[i], list[BOTH ? middle + i : i], false }, &m, drags, coheres);
            if (BOTH && count % 2 > 0)
                movePair(pass, (Met){ list[middle - 1], 0, true }, &m, drags, coheres);
            SIMD_UNROLL
            for (int a = 0; a < 3; ++a)
            {
                lanesEnd(chunk->sum[a] + h, m.move[a], half);
                lanesEnd(chunk->sum[3 + a] + h, m.change[a], half);
            }
        }
    }
    return 0;
}

static int meetCorrection(const Pass *pass, Chunk *chunk, int *list, int count)
{
    return meetMoving(pass, chunk, list, count, false, false);
}

static int meetDrag(const Pass *pass, Chunk *chunk, int *list, int count)
{
    return meetMoving(pass, chunk, list, count, true, false);
}

static int meetCohesion(const Pass *pass, Chunk *chunk, int *list, int count)
{
    return meetMoving(pass, chunk, list, count, true, true);
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
