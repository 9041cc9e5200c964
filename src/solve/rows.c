#include "base/simd.h"
#include "base/system.h"
#include "solve/rows_table.h"

#include <string.h>

// ---- tables of a shape or a body ------------------------------------------------------------------------------------

static bool sameKey(const ModalShape *shape, const RowsKey *a, const RowsKey *b)
{
    return a->content == b->content && a->loose == b->loose &&
           memcmp(a->gain, b->gain, (size_t)shape->count * sizeof(double)) == 0;
}

static void destroyTables(Memory *memory, RowsTable *table)
{
    while (table != NULL)
    {
        RowsTable *next = table->next;
        memoryRelease(memory, table->block);
        memoryRelease(memory, table->slotOf);
        memoryRelease(memory, table->vertex);
        memoryRelease(memory, table->second);
        memoryRelease(memory, table->column);
        memoryRelease(memory, table);
        table = next;
    }
}

// what tables of larger bodies have beside blocks
static bool reserveLarge(Memory *memory, const ModalShape *shape, RowsTable *table)
{
    size_t vertices = (size_t)shape->vertices;
    table->slotOf = ALLOCATE(memory, int, vertices);
    table->vertex = ALLOCATE(memory, int, ROWS_KNOWN);
    table->second = ALLOCATE(memory, float, vertices * 3 * (size_t)rowsLow(shape));
    table->column = ALLOCATE(memory, float, vertices *ROWS_KNOWN);
    return table->slotOf != NULL && table->vertex != NULL && table->second != NULL && table->column != NULL;
}

static RowsTable *addTable(Memory *memory, const ModalShape *shape, RowsTable **list)
{
    RowsTable *table = ALLOCATE(memory, RowsTable, 1);
    if (table == NULL)
        return NULL;
    *table = (RowsTable){ .room = rowsIsLarge(shape) ? ROWS_KNOWN : shape->vertices };
    size_t blocks = (size_t)table->room * (size_t)table->room * ROWS_BLOCK;
    table->block = ALLOCATE(memory, float, blocks);
    if (table->block == NULL || (rowsIsLarge(shape) && !reserveLarge(memory, shape, table)))
    {
        destroyTables(memory, table);
        return NULL;
    }
    memset(table->block, 0, blocks * sizeof(float));
    table->next = *list;
    return *list = table;
}

// the one for a key, or one that nobody uses in this step; NULL: there is none
static RowsTable *findTable(const ModalShape *shape, RowsTable *list, const RowsKey *key)
{
    RowsTable *spare = NULL;
    for (RowsTable *table = list; table != NULL; table = table->next)
    {
        if (table->made && sameKey(shape, &table->key, key))
            return table;
        if (!table->made || table->frame != shape->frame)
            spare = table;
    }
    if (spare != NULL)
        spare->made = false;
    return spare;
}

static RowsTable *acquireTable(ModalShape *shape, const RowsSource *source)
{
    while (atomic_exchange_explicit(&shape->busy, true, memory_order_acquire))
        threadYield();
    RowsTable *table = findTable(shape, shape->tables, &source->key);
    if (table == NULL)
        table = addTable(shape->memory, shape, &shape->tables);
    if (table != NULL && !table->made)
        rowsMake(shape, source, table);
    if (table != NULL)
        table->frame = shape->frame;
    atomic_store_explicit(&shape->busy, false, memory_order_release);
    return table;
}

// of a larger body: the one for a key, or that which was not used for the longest time
static RowsTable *ownTable(Rows *rows, const RowsSource *source)
{
    ModalShape *shape = rows->modal->shape;
    RowsTable *oldest = rows->own;
    rows->uses += 1;
    for (RowsTable *table = rows->own; table != NULL; table = table->next)
    {
        if (table->made && sameKey(shape, &table->key, &source->key))
        {
            table->frame = rows->uses;
            return table;
        }
        oldest = table->frame < oldest->frame ? table : oldest;
    }
    rowsMake(shape, source, oldest);
    oldest->frame = rows->uses;
    return oldest;
}

void rowsDestroyTables(ModalShape *shape)
{
    destroyTables(shape->memory, shape->tables);
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
    return modal->shape->vertices <= ROWS_LARGEST;
}

static bool reserveTables(Memory *memory, Rows *rows)
{
    ModalShape *shape = rows->modal->shape;
    if (!rowsIsLarge(shape))
        return shape->tables != NULL || addTable(shape->memory, shape, &shape->tables) != NULL;
    for (int k = 0; k < ROWS_TABLES; ++k)
    {
        if (addTable(memory, shape, &rows->own) == NULL)
            return false;
    }
    return true;
}

Rows *rowsCreate(Memory *memory, Modal *modal, const double *mass)
{
    ModalShape *shape = modal->shape;
    Rows *rows = rowsMakeFirst(shape, mass) ? ALLOCATE(memory, Rows, 1) : NULL;
    if (rows == NULL)
        return NULL;
    *rows = (Rows){ .modal = modal, .placeOf = ALLOCATE(memory, int, shape->vertices) };
    if (rows->placeOf != NULL && reserveTables(memory, rows))
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
    destroyTables(memory, rows->own);
    memoryRelease(memory, rows->placeOf);
    memoryRelease(memory, rows);
}

bool rowsBegin(Rows *rows, const RowsSource *source, const RowsFrame *frame)
{
    ModalShape *shape = rows->modal->shape;
    // by an earlier solve of this step: nobody makes it anew
    bool held = rows->table != NULL && rows->held == shape->frame && !rowsIsLarge(shape);
    if (!held || !sameKey(shape, &rows->table->key, &source->key))
        rows->table = rowsIsLarge(shape) ? ownTable(rows, source) : acquireTable(shape, source);
    rows->source = *source;
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
    rows->vertex[place] = rows->slot[place] = vertex;
    rows->arm[place] = rows->frame.loose ? vecSub(vecLoad(position), rows->frame.centre) : vec3(0, 0, 0);
    const float *r = rows->modal->rotation + (ptrdiff_t)(vertex / MODAL_BLOCK) * 9 * MODAL_BLOCK + vertex % MODAL_BLOCK;
    for (int i = 0; i < 9; ++i)
        rows->turn[place].m[i / 3][i % 3] = (double)r[i * MODAL_BLOCK];
    return place;
}

void rowsLearn(Rows *rows)
{
    const ModalShape *shape = rows->modal->shape;
    RowsTable *table = rows->own;
    while (table != NULL && table != rows->table)
        table = table->next;
    if (table == NULL) // it knows all vertices
        return;
    int unknown = 0;
    for (int k = 0; k < rows->count; ++k)
        unknown += table->slotOf[rows->vertex[k]] < 0;
    if (table->known + unknown > table->room)
        rowsForget(shape, table);
    int before = table->known;
    for (int k = 0; k < rows->count; ++k)
    {
        int *slot = &table->slotOf[rows->vertex[k]];
        if (*slot < 0)
        {
            table->vertex[table->known] = rows->vertex[k];
            *slot = table->known++;
        }
        rows->slot[k] = *slot;
    }
    if (table->known == before)
        return;
    rowsMakeFrom(shape, &rows->source, table, before);
}

// ---- impulses -------------------------------------------------------------------------------------------------------

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
    const float *from = rowsBlock(rows->table, rows->slot[place], 0);
    Vec3 own = turnedBack(&rows->turn[place], impulse);
    Float4 x = float4Set((float)own.x), y = float4Set((float)own.y), z = float4Set((float)own.z);
    for (int k = 0; k < rows->count; ++k)
    {
        const float *block = from + (ptrdiff_t)rows->slot[k] * ROWS_BLOCK;
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
    const float *block = rowsBlock(rows->table, rows->slot[pushed], rows->slot[place]);
    double f[3], u[3] = { 0, 0, 0 };
    vecStore(f, turnedBack(&rows->turn[pushed], impulse));
    for (int i = 0; i < 9; ++i)
        u[i % 3] += f[i / 3] * (double)block[4 * (i / 3) + i % 3];
    return matApply(&rows->turn[place], vecLoad(u));
}
