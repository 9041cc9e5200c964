#include "solve/rows_table.h"

#include "base/simd.h"

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

int rowsLow(const ModalShape *shape)
{
    return (shape->count + RIGID + 7) / 8 * 8;
}

bool rowsMakeFirst(ModalShape *shape, const double *mass)
{
    int low = rowsLow(shape);
    if (shape->first != NULL)
        return true;
    size_t size = (size_t)shape->vertices * 3 * (size_t)low;
    size_t making = size + (size_t)shape->vertices * (size_t)shape->vertices;
    if (shape->making == NULL && !rowsIsLarge(shape))
        shape->making = ALLOCATE(shape->memory, float, making);
    shape->first = ALLOCATE(shape->memory, float, size);
    if ((shape->making == NULL && !rowsIsLarge(shape)) || shape->first == NULL)
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
        frontFactorSolve(source->factor, right, result, source->workers);
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

// B^-1 of some vertices, three at a time, one along each axis: B is the same along all. column: count x vertices
static void solveColumns(const Making *making, const int *vertex, int count, float *column)
{
    int vertices = making->shape->vertices;
    double *right = making->source->work[0], *result = making->source->work[1];
    for (int k = 0; k < count; k += 3)
    {
        int now = minInt(3, count - k);
        memset(right, 0, (size_t)making->size * sizeof(double));
        for (int a = 0; a < now; ++a)
            right[3 * (ptrdiff_t)(vertex ? vertex[k + a] : k + a) + a] = 1;
        frontFactorSolve(making->source->factor, right, result, making->source->workers);
        for (int a = 0; a < now; ++a)
        {
            float *own = column + (ptrdiff_t)(k + a) * vertices;
            for (int v = 0; v < vertices; ++v)
                own[v] = (float)result[3 * (ptrdiff_t)v + a];
        }
    }
}

// a.b + c.d
SIMD_INLINE float dots(const float *a, const float *b, const float *c, const float *d, int count)
{
    Float8 sum = float8Set(0);
    for (int i = 0; i < count; i += 8)
        sum += float8Load(a + i) * float8Load(b + i) + float8Load(c + i) * float8Load(d + i);
    return float8Sum(sum);
}

// Both ways the same number. There: the block of v and w, back: that of w and v. own: what B^-1 has between them.
static void fillPair(const Making *making, int v, int w, float own, float *there, float *back)
{
    int low = making->low;
    const float *first = making->shape->first, *second = making->second;
    for (int i = 0; i < 9; ++i)
    {
        int a = i / 3, b = i % 3;
        ptrdiff_t at = (3 * (ptrdiff_t)v + a) * low, to = (3 * (ptrdiff_t)w + b) * low;
        float sum = dots(first + at, second + to, second + at, first + to, low) + (a == b ? own : 0);
        there[4 * a + b] = sum;
        back[4 * b + a] = sum;
    }
}

static Making makingOf(const ModalShape *shape, const RowsSource *source, const RowsTable *table)
{
    return (Making){ .shape = shape,
                     .source = source,
                     .low = rowsLow(shape),
                     .size = 3 * shape->vertices,
                     .second = table->slotOf ? table->second : shape->making };
}

// all vertices
static void makeWhole(const ModalShape *shape, const RowsSource *source, RowsTable *table)
{
    Making making = makingOf(shape, source, table);
    float *column = shape->making + (ptrdiff_t)making.size * making.low;
    makeSecond(&making);
    solveColumns(&making, NULL, shape->vertices, column);
    for (int v = 0; v < shape->vertices; ++v)
    {
        for (int w = v; w < shape->vertices; ++w)
            fillPair(&making, v, w, column[(ptrdiff_t)v * shape->vertices + w], rowsBlock(table, v, w),
                     rowsBlock(table, w, v));
    }
}

void rowsForget(const ModalShape *shape, RowsTable *table)
{
    for (int v = 0; v < shape->vertices; ++v)
        table->slotOf[v] = -1;
    table->known = 0;
}

// no vertex yet
static void makeEmpty(const ModalShape *shape, const RowsSource *source, RowsTable *table)
{
    Making making = makingOf(shape, source, table);
    makeSecond(&making);
    rowsForget(shape, table);
}

#define PAIRS 16 // rows that a task fills up

typedef struct Filling
{
    const Making *making;
    RowsTable *table;
    int begin; // of the new rows
    int grain; // rows of one task
} Filling;

// some rows with all new ones
static void fillTask(void *context, int task)
{
    const Filling *filling = context;
    RowsTable *table = filling->table;
    int vertices = filling->making->shape->vertices, end = minInt((task + 1) * filling->grain, table->known);
    for (int t = task * filling->grain; t < end; ++t)
    {
        for (int s = maxInt(t, filling->begin); s < table->known; ++s)
        {
            bool ordered = table->vertex[s] <= table->vertex[t];
            int lower = ordered ? s : t, upper = ordered ? t : s, v = table->vertex[lower], w = table->vertex[upper];
            fillPair(filling->making, v, w, table->column[(ptrdiff_t)lower * vertices + w],
                     rowsBlock(table, lower, upper), rowsBlock(table, upper, lower));
        }
    }
}

// The rows of the last vertices of a table. Of a pair the column of the lower vertex counts, whichever came first, so
// that the numbers do not depend on what was known before.
void rowsMakeFrom(const ModalShape *shape, const RowsSource *source, RowsTable *table, int begin)
{
    Making making = makingOf(shape, source, table);
    Filling filling = { &making, table, begin, PAIRS };
    ptrdiff_t vertices = shape->vertices;
    solveColumns(&making, table->vertex + begin, table->known - begin, table->column + begin * vertices);
    workersRun(source->workers, (table->known + filling.grain - 1) / filling.grain, fillTask, &filling);
}

void rowsMake(const ModalShape *shape, const RowsSource *source, RowsTable *table)
{
    (table->slotOf ? makeEmpty : makeWhole)(shape, source, table);
    table->key = source->key;
    table->made = true;
}
