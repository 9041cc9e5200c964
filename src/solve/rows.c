#include "solve/rows.h"

#include "base/simd.h"
#include "base/system.h"

#include <string.h>

#define LOW ((MODAL_MOST + RIGID + 7) / 8 * 8) // most columns of P
#define RIGID 6                                // of them, before the modes
#define FLAT 1e-12 // of the greatest moment of inertia: axes with less have no spin of their own

// ---- P --------------------------------------------------------------------------------------------------------------

// rigid motions of the rest shape, vertices x 3 x low, orthonormal in the masses one after the other
static void fillRigid(const ModalShape *shape, const double *mass, int low, float *first)
{
    double sum = 0, most = 0, centre[3] = { 0, 0, 0 };
    for (int i = 0; i < 3 * shape->vertices; ++i)
    {
        sum += i % 3 == 0 ? mass[i / 3] : 0;
        centre[i % 3] += mass[i / 3] * shape->rest[i];
    }
    for (int k = 0; k < RIGID; ++k)
    {
        double square = 0;
        for (int v = 0; v < shape->vertices; ++v)
        {
            Vec3 r = vecSub(vecLoad(shape->rest + 3 * (ptrdiff_t)v), vecScale(1 / sum, vecLoad(centre)));
            Vec3 axis = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
            double u[3];
            vecStore(u, k < 3 ? axis : vecCross(axis, r));
            for (int a = 0; a < 3; ++a)
                first[(3 * (ptrdiff_t)v + a) * low + k] = (float)u[a];
        }
        for (int l = 3; l < k; ++l) // translations have no part in turns about the centre
        {
            double along = 0;
            for (int i = 0; i < 3 * shape->vertices; ++i)
                along += mass[i / 3] * (double)first[(ptrdiff_t)i * low + l] * (double)first[(ptrdiff_t)i * low + k];
            for (int i = 0; i < 3 * shape->vertices; ++i)
                first[(ptrdiff_t)i * low + k] -= (float)along * first[(ptrdiff_t)i * low + l];
        }
        for (int i = 0; i < 3 * shape->vertices; ++i)
            square += mass[i / 3] * (double)first[(ptrdiff_t)i * low + k] * (double)first[(ptrdiff_t)i * low + k];
        most = maxReal(most, k < 3 ? 0 : square);
        double scale = square > FLAT * most ? 1 / sqrt(square) : 0;
        for (int i = 0; i < 3 * shape->vertices; ++i)
            first[(ptrdiff_t)i * low + k] *= (float)scale;
    }
}

static int lowOf(const ModalShape *shape) // columns of P, a multiple of 8
{
    return (shape->count + RIGID + 7) / 8 * 8;
}

static bool makeFirst(ModalShape *shape, const double *mass)
{
    int low = lowOf(shape);
    if (shape->first != NULL)
        return true;
    size_t size = (size_t)shape->vertices * 3 * (size_t)low;
    size_t making = size + (size_t)shape->vertices * (size_t)shape->vertices;
    if (shape->making == NULL)
        shape->making = ALLOCATE(shape->memory, float, making);
    shape->first = ALLOCATE(shape->memory, float, size);
    if (shape->making == NULL || shape->first == NULL)
        return false;
    memset(shape->first, 0, size * sizeof(float));
    fillRigid(shape, mass, low, shape->first);
    for (int k = 0; k < shape->count; ++k)
    {
        for (int i = 0; i < 3 * shape->vertices; ++i)
            shape->first[(ptrdiff_t)i * low + RIGID + k] = (float)modalAt(shape, k, i / 3, i % 3);
    }
    return true;
}

// ---- the table ------------------------------------------------------------------------------------------------------

typedef struct Making
{
    const ModalShape *shape;
    const RowsSource *source;
    int low, size; // columns of P; 3 x vertices
    float *second; // size x low: S
    float *column; // vertices^2: B^-1
} Making;

// y += scale x, of a multiple of 8 numbers
SIMD_INLINE void addScaled(int count, float scale, const float *x, float *y)
{
    for (int i = 0; i < count; i += 8)
    {
        Float8 sum = float8Load(y + i) + float8Set(scale) * float8Load(x + i);
        memcpy(y + i, &sum, sizeof sum);
    }
}

// second = -Y, column by column; sum (low x low) = P^T M Y
static void solveFirst(const Making *making, float *sum)
{
    const RowsSource *source = making->source;
    int low = making->low;
    double *right = source->work[0], *result = source->work[1];
    for (int k = source->key.loose ? 0 : RIGID; k < RIGID + making->shape->count; ++k)
    {
        for (int i = 0; i < making->size; ++i)
            right[i] = source->mass[i / 3] * (double)making->shape->first[(ptrdiff_t)i * low + k];
        frontFactorSolve(source->factor, right, result, NULL);
        for (int i = 0; i < making->size; ++i)
        {
            float weight = (float)(source->mass[i / 3] * result[i]);
            making->second[(ptrdiff_t)i * low + k] = -(float)result[i];
            addScaled(low, weight, making->shape->first + (ptrdiff_t)i * low, sum + (ptrdiff_t)k * low);
        }
    }
}

static void makeSecond(const Making *making)
{
    const RowsKey *key = &making->source->key;
    int low = making->low, begin = key->loose ? 0 : RIGID, end = RIGID + making->shape->count;
    float sum[LOW * LOW] = { 0 };
    memset(making->second, 0, (size_t)making->size * (size_t)low * sizeof(float));
    solveFirst(making, sum);
    for (int k = RIGID; k < end; ++k)
        sum[k * (low + 1)] += (float)key->gain[k - RIGID];
    for (int i = 0; i < making->size; ++i)
    {
        float *second = making->second + (ptrdiff_t)i * low;
        for (int k = begin; k < end; ++k)
            addScaled(low, 0.5f * making->shape->first[(ptrdiff_t)i * low + k], sum + (ptrdiff_t)k * low, second);
        for (int k = 0; k < begin; ++k) // a body that is tied has no rigid motion of its own
            second[k] = 0;
    }
}

// three at a time, one along each axis: B is the same along all
static void solveColumns(const Making *making)
{
    int vertices = making->shape->vertices;
    double *right = making->source->work[0], *result = making->source->work[1];
    for (int k = 0; k < vertices; k += 3)
    {
        int count = minInt(3, vertices - k);
        memset(right, 0, (size_t)making->size * sizeof(double));
        for (int a = 0; a < count; ++a)
            right[3 * (ptrdiff_t)(k + a) + a] = 1;
        frontFactorSolve(making->source->factor, right, result, NULL);
        for (int i = 0; i < vertices * count; ++i)
            making->column[(ptrdiff_t)(k + i % count) * vertices + i / count] =
                (float)result[3 * (ptrdiff_t)(i / count) + i % count];
    }
}

SIMD_INLINE float dot(const float *a, const float *b, int count)
{
    Float8 sum = float8Set(0);
    for (int i = 0; i < count; i += 8)
        sum += float8Load(a + i) * float8Load(b + i);
    return float8Sum(sum);
}

// both ways the same number
static void fillPair(const Making *making, int v, int w, float *block)
{
    int low = making->low, vertices = making->shape->vertices;
    float own = making->column[(ptrdiff_t)v * vertices + w];
    for (int i = 0; i < 9; ++i)
    {
        int a = i / 3, b = i % 3;
        ptrdiff_t at = (3 * (ptrdiff_t)v + a) * low, to = (3 * (ptrdiff_t)w + b) * low;
        const float *first = making->shape->first, *second = making->second;
        float sum = dot(first + at, second + to, low) + dot(second + at, first + to, low) + (a == b ? own : 0);
        block[((ptrdiff_t)v * vertices + w) * ROWS_BLOCK + 4 * a + b] = sum;
        block[((ptrdiff_t)w * vertices + v) * ROWS_BLOCK + 4 * b + a] = sum;
    }
}

static void makeTable(const ModalShape *shape, const RowsSource *source, RowsTable *table)
{
    size_t vertices = (size_t)shape->vertices;
    Making making = { .shape = shape, .source = source, .low = lowOf(shape), .size = 3 * shape->vertices };
    making.second = shape->making;
    making.column = shape->making + 3 * vertices * (size_t)making.low;
    makeSecond(&making);
    solveColumns(&making);
    for (int v = 0; v < shape->vertices; ++v)
    {
        for (int w = v; w < shape->vertices; ++w)
            fillPair(&making, v, w, table->block);
    }
    table->key = source->key;
    table->made = true;
}

// ---- tables of a shape ----------------------------------------------------------------------------------------------

static bool sameKey(const ModalShape *shape, const RowsKey *a, const RowsKey *b)
{
    return a->content == b->content && a->loose == b->loose &&
           memcmp(a->gain, b->gain, (size_t)shape->count * sizeof(double)) == 0;
}

static RowsTable *addTable(ModalShape *shape)
{
    size_t vertices = (size_t)shape->vertices;
    RowsTable *table = ALLOCATE(shape->memory, RowsTable, 1);
    if (table == NULL)
        return NULL;
    *table = (RowsTable){ .next = shape->tables };
    table->block = ALLOCATE(shape->memory, float, vertices *vertices *ROWS_BLOCK);
    if (table->block == NULL)
    {
        memoryRelease(shape->memory, table);
        return NULL;
    }
    memset(table->block, 0, vertices * vertices * ROWS_BLOCK * sizeof(float));
    return shape->tables = table;
}

// the one for a key, or one that nobody uses in this step; NULL: out of memory
static RowsTable *findTable(ModalShape *shape, const RowsKey *key)
{
    RowsTable *spare = NULL;
    for (RowsTable *table = shape->tables; table != NULL; table = table->next)
    {
        if (table->made && sameKey(shape, &table->key, key))
            return table;
        if (!table->made || table->frame != shape->frame)
            spare = table;
    }
    if (spare == NULL)
        spare = addTable(shape);
    if (spare != NULL)
        spare->made = false;
    return spare;
}

static const RowsTable *acquireTable(ModalShape *shape, const RowsSource *source)
{
    while (atomic_exchange_explicit(&shape->busy, true, memory_order_acquire))
        threadYield();
    RowsTable *table = findTable(shape, &source->key);
    if (table != NULL && !table->made)
        makeTable(shape, source, table);
    if (table != NULL)
        table->frame = shape->frame;
    atomic_store_explicit(&shape->busy, false, memory_order_release);
    return table;
}

void rowsDestroyTables(ModalShape *shape)
{
    while (shape->tables != NULL)
    {
        RowsTable *table = shape->tables;
        shape->tables = table->next;
        memoryRelease(shape->memory, table->block);
        memoryRelease(shape->memory, table);
    }
    memoryRelease(shape->memory, shape->first);
    memoryRelease(shape->memory, shape->making);
}

void rowsFrame(ModalShape *shape)
{
    shape->frame += 1;
}

// ---- of one body ----------------------------------------------------------------------------------------------------

bool rowsFit(const Modal *modal)
{
    return modal->shape->vertices <= ROWS_VERTICES;
}

Rows *rowsCreate(Memory *memory, Modal *modal, const double *mass)
{
    ModalShape *shape = modal->shape;
    if (!makeFirst(shape, mass) || (shape->tables == NULL && addTable(shape) == NULL))
        return NULL;
    Rows *rows = ALLOCATE(memory, Rows, 1);
    if (rows == NULL)
        return NULL;
    *rows = (Rows){ .modal = modal, .placeOf = ALLOCATE(memory, int, shape->vertices) };
    if (rows->placeOf != NULL)
    {
        for (int v = 0; v < shape->vertices; ++v)
            rows->placeOf[v] = -1;
        return rows;
    }
    rowsDestroy(memory, rows);
    return NULL;
}

void rowsDestroy(Memory *memory, Rows *rows)
{
    if (rows == NULL)
        return;
    memoryRelease(memory, rows->placeOf);
    memoryRelease(memory, rows);
}

bool rowsBegin(Rows *rows, const RowsSource *source, const RowsFrame *frame)
{
    ModalShape *shape = rows->modal->shape;
    bool held =
        rows->table != NULL && rows->held == shape->frame; // by an earlier solve of this step: nobody makes it anew
    if (!held || !sameKey(shape, &rows->table->key, &source->key))
        rows->table = acquireTable(shape, source);
    rows->held = shape->frame;
    for (int k = 0; k < rows->count; ++k)
        rows->placeOf[rows->vertex[k]] = -1;
    rows->count = 0;
    rows->frame = *frame;
    rows->begun = rows->table != NULL;
    return rows->begun;
}

int rowsPlace(Rows *rows, int vertex, const double *position)
{
    int place = rows->placeOf[vertex];
    if (place >= 0 || rows->count == ROWS_MOST)
        return place;
    place = rows->placeOf[vertex] = rows->count++;
    rows->vertex[place] = vertex;
    rows->arm[place] = rows->frame.loose ? vecSub(vecLoad(position), rows->frame.centre) : vec3(0, 0, 0);
    const float *r = rows->modal->rotation + (ptrdiff_t)(vertex / MODAL_BLOCK) * 9 * MODAL_BLOCK + vertex % MODAL_BLOCK;
    for (int i = 0; i < 9; ++i)
        rows->turn[place].m[i / 3][i % 3] = (double)r[i * MODAL_BLOCK];
    return place;
}

// ---- impulses -------------------------------------------------------------------------------------------------------

static const float *blocksFrom(const Rows *rows, int place)
{
    return rows->table->block + (ptrdiff_t)rows->vertex[place] * rows->modal->shape->vertices * ROWS_BLOCK;
}

void rowsRest(Rows *rows)
{
    memset(rows->moved, 0, (size_t)rows->count * sizeof rows->moved[0]);
    rows->linear = rows->spin = vec3(0, 0, 0);
}

static Vec3 turnedBack(const Mat3 *r, Vec3 a)
{
    return vec3(r->m[0][0] * a.x + r->m[1][0] * a.y + r->m[2][0] * a.z,
                r->m[0][1] * a.x + r->m[1][1] * a.y + r->m[2][1] * a.z,
                r->m[0][2] * a.x + r->m[1][2] * a.y + r->m[2][2] * a.z);
}

void rowsPush(Rows *rows, int place, Vec3 impulse)
{
    const float *from = blocksFrom(rows, place);
    Vec3 own = turnedBack(&rows->turn[place], impulse);
    Float4 x = float4Set((float)own.x), y = float4Set((float)own.y), z = float4Set((float)own.z);
    for (int k = 0; k < rows->count; ++k)
    {
        const float *block = from + (ptrdiff_t)rows->vertex[k] * ROWS_BLOCK;
        Float4 sum = x * float4Load(block) + y * float4Load(block + 4) + z * float4Load(block + 8);
        float4Store(rows->moved[k], float4Load(rows->moved[k]) + sum);
    }
    if (!rows->frame.loose)
        return;
    rows->linear = vecAdd(rows->linear, vecScale(1 / rows->frame.mass, impulse));
    rows->spin = vecAdd(rows->spin, matApply(&rows->frame.inverse, vecCross(rows->arm[place], impulse)));
}

Vec3 rowsBetween(const Rows *rows, int pushed, Vec3 impulse, int place)
{
    const float *block = blocksFrom(rows, pushed) + (ptrdiff_t)rows->vertex[place] * ROWS_BLOCK;
    double f[3], u[3] = { 0, 0, 0 };
    vecStore(f, turnedBack(&rows->turn[pushed], impulse));
    for (int i = 0; i < 9; ++i)
        u[i % 3] += f[i / 3] * (double)block[4 * (i / 3) + i % 3];
    return matApply(&rows->turn[place], vecLoad(u));
}
