#include "mesh/faces.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- a caller's -----------------------------------------------------------------------------------------------------

static vvResult checkRows(const char *name, const int *row, size_t count, int rows)
{
    for (size_t i = 0; row != NULL && i < count; ++i)
    {
        if (row[i] < -1 || row[i] >= rows)
            return resultMake(VV_BAD_INPUT, "rows count from 0, -1 is none", "faces.%s[%zu] is %d, must be -1 to %d",
                              name, i, row[i], rows - 1);
    }
    return resultOk();
}

static vvResult checkValues(const char *name, const double *value, int count, int width)
{
    if (count < 0 || (count > 0 && value == NULL))
        return resultMake(VV_BAD_INPUT, "give the array, or set its count to 0", "faces.%sCount is %d and the array %s",
                          name, count, value != NULL ? "is there" : "is NULL");
    for (size_t i = 0; i < (size_t)count * (size_t)width; ++i)
    {
        if (!isfinite(value[i]))
            return resultMake(VV_BAD_INPUT, "repair the values", "faces.%sValues: row %zu is not finite", name,
                              i / (size_t)width);
    }
    return resultOk();
}

static vvResult checkNames(const char *name, const char *const *names, int count)
{
    bool given = count >= 0 && (count == 0 || names != NULL);
    for (int i = 0; given && i < count; ++i)
        given = names[i] != NULL;
    return given ? resultOk()
                 : resultMake(VV_BAD_INPUT, "give as many names as are counted",
                              "faces.%sCount is %d, and not as many names are there", name, count);
}

static vvResult checkCorners(const vvFaces *faces, int pointCount)
{
    if (faces->faceCount < 1 || faces->starts == NULL || faces->points == NULL || faces->starts[0] != 0)
        return resultMake(VV_BAD_INPUT, "give faceCount, starts and points, or no faces at all",
                          "faces has %d faces, and starts or points are NULL or do not begin with 0", faces->faceCount);
    for (int f = 0; f < faces->faceCount; ++f)
    {
        if (faces->starts[f + 1] - (long long)faces->starts[f] < 3)
            return resultMake(VV_BAD_INPUT, "give every face three corners at least",
                              "face %d has its corners from %d to %d", f, faces->starts[f], faces->starts[f + 1] - 1);
    }
    for (int c = 0; c < facesCorners(faces); ++c)
    {
        if (faces->points[c] < 0 || faces->points[c] >= pointCount)
            return resultMake(VV_BAD_INPUT, "indices count from 0", "faces.points[%d] is %d, must be 0 to %d", c,
                              faces->points[c], pointCount - 1);
    }
    return resultOk();
}

vvResult facesCheck(const vvFaces *faces, int pointCount)
{
    vvResult result = checkCorners(faces, pointCount);
    if (result.code == VV_OK)
        result = checkValues("coordinate", faces->coordinateValues, faces->coordinateCount, 2);
    if (result.code == VV_OK)
        result = checkValues("normal", faces->normalValues, faces->normalCount, 3);
    if (result.code == VV_OK)
        result = checkNames("group", faces->groupNames, faces->groupCount);
    if (result.code == VV_OK)
        result = checkNames("material", faces->materialNames, faces->materialCount);
    size_t corners = result.code == VV_OK ? (size_t)facesCorners(faces) : 0;
    if (result.code == VV_OK)
        result = checkRows("coordinates", faces->coordinates, corners, faces->coordinateCount);
    if (result.code == VV_OK)
        result = checkRows("normals", faces->normals, corners, faces->normalCount);
    if (result.code == VV_OK)
        result = checkRows("groups", faces->groups, (size_t)faces->faceCount, faces->groupCount);
    return result.code == VV_OK
               ? checkRows("materials", faces->materials, (size_t)faces->faceCount, faces->materialCount)
               : result;
}

// ---- one block ------------------------------------------------------------------------------------------------------

// Hands out pieces of a block; without one it only counts.
typedef struct Pieces
{
    char *block;
    size_t used;
} Pieces;

static void *piece(Pieces *pieces, const void *from, size_t count, size_t width)
{
    if (from == NULL)
        return NULL;
    size_t at = (pieces->used + 15) / 16 * 16;
    pieces->used = at + count * width;
    if (pieces->block != NULL && count > 0)
        memcpy(pieces->block + at, from, count * width);
    return pieces->block != NULL ? pieces->block + at : NULL;
}

static const char *const *namePieces(Pieces *pieces, const char *const *names, int count)
{
    const char **own = piece(pieces, count > 0 ? names : NULL, (size_t)count, sizeof *names);
    for (int i = 0; i < count; ++i)
    {
        const char *name = piece(pieces, names[i], strlen(names[i]) + 1, 1);
        if (own != NULL)
            own[i] = name;
    }
    return own;
}

static vvFaces *layOut(Pieces *pieces, const vvFaces *f)
{
    size_t faces = (size_t)f->faceCount, corners = (size_t)facesCorners(f);
    vvFaces own = *f, *place = piece(pieces, f, 1, sizeof *f);
    own.starts = piece(pieces, f->starts, faces + 1, sizeof(int));
    own.points = piece(pieces, f->points, corners, sizeof(int));
    own.coordinates = piece(pieces, f->coordinates, corners, sizeof(int));
    own.coordinateValues = piece(pieces, f->coordinateValues, 2 * (size_t)f->coordinateCount, sizeof(double));
    own.normals = piece(pieces, f->normals, corners, sizeof(int));
    own.normalValues = piece(pieces, f->normalValues, 3 * (size_t)f->normalCount, sizeof(double));
    own.groups = piece(pieces, f->groups, faces, sizeof(int));
    own.groupNames = namePieces(pieces, f->groupNames, f->groupCount);
    own.materials = piece(pieces, f->materials, faces, sizeof(int));
    own.materialNames = namePieces(pieces, f->materialNames, f->materialCount);
    own.materialFile = piece(pieces, f->materialFile, f->materialFile != NULL ? strlen(f->materialFile) + 1 : 0, 1);
    if (place != NULL)
        *place = own;
    return place;
}

vvFaces *facesCopy(Memory *memory, const vvFaces *faces, const int *number)
{
    Pieces pieces = { 0 };
    layOut(&pieces, faces);
    pieces = (Pieces){ .block = ALLOCATE(memory, char, pieces.used) };
    if (pieces.block == NULL)
        return NULL;
    vvFaces *copy = layOut(&pieces, faces);
    int *point = (int *)copy->points; // our own
    for (int c = 0; number != NULL && c < facesCorners(copy); ++c)
        point[c] = number[point[c]];
    return copy;
}

// ---- lists ----------------------------------------------------------------------------------------------------------

static bool grow(Memory *memory, void **block, int count, int *room, size_t size)
{
    if (count < *room)
        return true;
    int wanted = *room < INT_MAX / 4 ? maxInt(16, 2 * *room) : 0;
    if (wanted == 0 || !memoryGrow(memory, block, (size_t)count, (size_t)wanted, size))
        return false;
    *room = wanted;
    return true;
}

static bool addInt(Memory *memory, IntList *list, int value)
{
    void *block = list->value;
    bool ok = grow(memory, &block, list->count, &list->room, sizeof *list->value);
    list->value = block;
    if (ok)
        list->value[list->count++] = value;
    return ok;
}

bool faceListReal(Memory *memory, RealList *list, double value)
{
    void *block = list->value;
    bool ok = grow(memory, &block, list->count, &list->room, sizeof *list->value);
    list->value = block;
    if (ok)
        list->value[list->count++] = value;
    return ok;
}

char *faceListText(Memory *memory, const char *text)
{
    char *own = ALLOCATE(memory, char, strlen(text) + 1);
    if (own != NULL)
        strcpy(own, text);
    return own;
}

bool faceListName(Memory *memory, NameList *list, const char *name)
{
    list->current = -1;
    for (int i = 0; i < list->count; ++i)
    {
        if (strcmp(list->name[i], name) == 0)
            list->current = i;
    }
    if (list->current >= 0 || list->count == MOST_NAMES || name[0] == 0)
        return true;
    void *block = list->name;
    bool ok = grow(memory, &block, list->count, &list->room, sizeof *list->name);
    list->name = block;
    char *own = ok ? faceListText(memory, name) : NULL;
    if (own == NULL)
        return false;
    list->current = list->count;
    list->name[list->count++] = own;
    return true;
}

void faceListOpen(FaceList *list)
{
    *list = (FaceList){ .groups = { .current = -1 }, .materials = { .current = -1 } };
}

static void closeNames(Memory *memory, NameList *list)
{
    for (int i = 0; i < list->count; ++i)
        memoryRelease(memory, list->name[i]);
    memoryRelease(memory, list->name);
}

void faceListClose(Memory *memory, FaceList *list)
{
    void *const blocks[] = { list->start.value,           list->point.value,       list->coordinate.value,
                             list->normal.value,          list->group.value,       list->material.value,
                             list->coordinateValue.value, list->normalValue.value, list->materialFile };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; ++i)
        memoryRelease(memory, blocks[i]);
    closeNames(memory, &list->groups);
    closeNames(memory, &list->materials);
    faceListOpen(list);
}

bool faceListBegin(Memory *memory, FaceList *list)
{
    return addInt(memory, &list->start, list->point.count) && addInt(memory, &list->group, list->groups.current) &&
           addInt(memory, &list->material, list->materials.current);
}

bool faceListCorner(Memory *memory, FaceList *list, int point, int coordinate, int normal)
{
    return addInt(memory, &list->point, point) && addInt(memory, &list->coordinate, coordinate) &&
           addInt(memory, &list->normal, normal);
}

void faceListMap(FaceList *list, int corner, int row)
{
    int first = list->start.count > 0 ? list->start.value[list->start.count - 1] : 0;
    if (corner >= 0 && corner < list->coordinate.count - first)
        list->coordinate.value[first + corner] = row;
}

// ---- rows that say the same -----------------------------------------------------------------------------------------

typedef struct CoordinateRow
{
    double u, v;
    int number;
} CoordinateRow;

static int byCoordinate(const void *left, const void *right)
{
    const CoordinateRow *a = left, *b = right;
    if (a->u != b->u)
        return a->u < b->u ? -1 : 1;
    if (a->v != b->v)
        return a->v < b->v ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

bool faceListJoin(Memory *memory, FaceList *list)
{
    int rows = list->coordinateValue.count / 2, kept = 0;
    double *value = list->coordinateValue.value;
    CoordinateRow *row = ALLOCATE(memory, CoordinateRow, rows);
    int *first = ALLOCATE(memory, int, rows); // with the same values; then its new number
    bool ok = row != NULL && first != NULL;
    for (int i = 0; i < rows && ok; ++i)
        row[i] = (CoordinateRow){ value[2 * (size_t)i], value[2 * (size_t)i + 1], i };
    if (ok && rows > 0)
        qsort(row, (size_t)rows, sizeof *row, byCoordinate);
    for (int i = 0; i < rows && ok; ++i)
    {
        bool same = i > 0 && row[i].u == row[i - 1].u && row[i].v == row[i - 1].v;
        first[row[i].number] = same ? first[row[i - 1].number] : row[i].number;
    }
    for (int i = 0; i < rows && ok; ++i)
    {
        bool isFirst = first[i] == i;
        if (isFirst)
            memmove(value + 2 * (size_t)kept, value + 2 * (size_t)i, 2 * sizeof *value);
        first[i] = isFirst ? kept++ : first[first[i]]; // an earlier one has its number already
    }
    for (int c = 0; c < list->coordinate.count && ok; ++c)
    {
        if (list->coordinate.value[c] >= 0 && list->coordinate.value[c] < rows)
            list->coordinate.value[c] = first[list->coordinate.value[c]];
    }
    list->coordinateValue.count = ok ? 2 * kept : list->coordinateValue.count;
    memoryRelease(memory, row);
    memoryRelease(memory, first);
    return ok;
}

// ---- what is kept ---------------------------------------------------------------------------------------------------

// rows that are not there become none; false: there is none at all
static bool settle(IntList *list, int rows)
{
    bool any = false;
    for (int i = 0; i < list->count; ++i)
    {
        if (list->value[i] >= rows)
            list->value[i] = -1;
        any = any || list->value[i] >= 0;
    }
    return any;
}

bool faceListTake(Memory *memory, FaceList *list, int triangleCount, vvFaces **faces)
{
    *faces = NULL;
    int count = list->start.count, coordinates = list->coordinateValue.count / 2, normals = list->normalValue.count / 3;
    if (count == 0 || list->point.count - 2 * (long long)count != triangleCount)
        return true;
    bool mapped = settle(&list->coordinate, coordinates), shaded = settle(&list->normal, normals);
    bool grouped = settle(&list->group, list->groups.count), painted = settle(&list->material, list->materials.count);
    if (list->point.count == 3 * count && !mapped && !shaded && !grouped && !painted)
        return true;
    if (!addInt(memory, &list->start, list->point.count))
        return false;
    vvFaces view = { .faceCount = count, .starts = list->start.value, .points = list->point.value };
    if (mapped)
    {
        view.coordinates = list->coordinate.value;
        view.coordinateValues = list->coordinateValue.value;
        view.coordinateCount = coordinates;
    }
    if (shaded)
    {
        view.normals = list->normal.value;
        view.normalValues = list->normalValue.value;
        view.normalCount = normals;
    }
    if (grouped)
    {
        view.groups = list->group.value;
        view.groupNames = (const char *const *)list->groups.name;
        view.groupCount = list->groups.count;
    }
    if (painted)
    {
        view.materials = list->material.value;
        view.materialNames = (const char *const *)list->materials.name;
        view.materialCount = list->materials.count;
        view.materialFile = list->materialFile;
    }
    *faces = facesCopy(memory, &view, NULL);
    return *faces != NULL;
}
