// The accessors of a glTF file: rows of numbers in its buffers.
#include "mesh/gltf.h"

#include <math.h>
#include <string.h>

static const char *const again = "repair the file, or export it again";

static NumberType typeOf(long long component)
{
    static const struct
    {
        int component;
        NumberType type;
    } known[] = { { 5120, NUMBER_INT8 },   { 5121, NUMBER_UINT8 },  { 5122, NUMBER_INT16 },
                  { 5123, NUMBER_UINT16 }, { 5125, NUMBER_UINT32 }, { 5126, NUMBER_FLOAT32 } };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    {
        if (known[i].component == component)
            return known[i].type;
    }
    return NUMBER_TYPES;
}

// the bytes of a view, and how far apart its rows are
static bool findView(Gltf *gltf, const Json *accessor, long long *stride, const unsigned char **bytes, size_t *size)
{
    long long view, buffer, offset, length, most = (long long)1 << 40;
    if (!gltfWhole(gltf, accessor, "bufferView", gltf->views.count - 1, -1, &view))
        return false;
    const Json *entry = gltf->views.entry[view];
    if (!gltfWhole(gltf, entry, "buffer", gltf->buffers.count - 1, -1, &buffer) ||
        !gltfWhole(gltf, entry, "byteOffset", most, 0, &offset) ||
        !gltfWhole(gltf, entry, "byteLength", most, -1, &length) ||
        !gltfWhole(gltf, entry, "byteStride", 252, 0, stride))
        return false;
    const GltfBuffer *own = &gltf->buffer[buffer];
    if (offset > (long long)own->size || length > (long long)own->size - offset)
        return gltfFault(gltf, "repair the file, or export it again", "bufferView %lld ends behind its buffer", view);
    *bytes = own->bytes != NULL ? own->bytes + offset : NULL;
    *size = (size_t)length;
    return true;
}

static long long sparseRow(const GltfNumbers *numbers, int place)
{
    long long row = 0;
    numberInteger(numbers->indexType, numbers->index + (size_t)place * numberSize(numbers->indexType), false, &row);
    return row;
}

// rows that are listed one by one, in rising order; the others are those of the view, or 0
static bool readSparse(Gltf *gltf, long long accessor, const Json *sparse, GltfNumbers *numbers)
{
    const Json *indices = jsonFind(sparse, "indices"), *values = jsonFind(sparse, "values");
    long long count, component, stride, indexAt, valueAt, far = (long long)1 << 40;
    size_t indexSize, valueSize;
    if (!gltfWhole(gltf, sparse, "count", numbers->count, -1, &count) ||
        !gltfWhole(gltf, indices, "componentType", 65535, -1, &component) ||
        !gltfWhole(gltf, indices, "byteOffset", far, 0, &indexAt) ||
        !gltfWhole(gltf, values, "byteOffset", far, 0, &valueAt) ||
        !findView(gltf, indices, &stride, &numbers->index, &indexSize) ||
        !findView(gltf, values, &stride, &numbers->value, &valueSize))
        return false;
    NumberType type = typeOf(component);
    if (type != NUMBER_UINT8 && type != NUMBER_UINT16 && type != NUMBER_UINT32)
        return gltfFault(gltf, again, "the rows of sparse accessor %lld have componentType %lld", accessor, component);
    long long needed = count * (long long)numberSize(type);
    long long more = count * (long long)numberSize(numbers->type) * numbers->width;
    if (indexAt > (long long)indexSize || needed > (long long)indexSize - indexAt || valueAt > (long long)valueSize ||
        more > (long long)valueSize - valueAt)
        return gltfFault(gltf, again, "sparse accessor %lld lists %lld rows, its views are shorter", accessor, count);
    numbers->index = numbers->index != NULL ? numbers->index + indexAt : NULL;
    numbers->value = numbers->value != NULL ? numbers->value + valueAt : NULL;
    numbers->indexType = type;
    numbers->sparse = (int)count;
    for (int i = 0; i < numbers->sparse; ++i)
    {
        if (sparseRow(numbers, i) >= numbers->count || (i > 0 && sparseRow(numbers, i) <= sparseRow(numbers, i - 1)))
            return gltfFault(gltf, again, "the rows of sparse accessor %lld do not rise up to %d", accessor,
                             numbers->count - 1);
    }
    return true;
}

// rows without a view cost a file nothing: never more of them than it has bytes
static bool checkRows(Gltf *gltf, long long accessor, const GltfNumbers *numbers)
{
    size_t most = 0;
    for (int i = 0; i < gltf->buffers.count; ++i)
        most += gltf->buffer[i].size;
    return (size_t)numbers->count <= most ||
           gltfFault(gltf, again,
                     "sparse accessor %lld has %d rows and no view, the buffers of the file only %zu bytes", accessor,
                     numbers->count, most);
}

// what an accessor says of its numbers, without their bytes
static bool readKind(Gltf *gltf, long long accessor, int width, GltfNumbers *numbers)
{
    static const char *const names[] = { "", "SCALAR", "VEC2", "VEC3", "VEC4", [16] = "MAT4" };
    const Json *entry = gltf->accessors.entry[accessor], *type = jsonFind(entry, "type");
    long long component, count;
    *numbers = (GltfNumbers){ .width = width };
    if (!gltfWhole(gltf, entry, "componentType", 65535, -1, &component) ||
        !gltfWhole(gltf, entry, "count", MOST_ELEMENTS, -1, &count))
        return false;
    numbers->type = typeOf(component);
    numbers->count = (int)count;
    numbers->normalized = jsonIs(jsonFind(entry, "normalized"), JSON_TRUE);
    if (numbers->type == NUMBER_TYPES || !jsonIs(type, JSON_STRING) || strcmp(type->string, names[width]) != 0)
        return gltfFault(gltf, again, "accessor %lld has componentType %lld and type '%.12s', must be %s", accessor,
                         component, jsonIs(type, JSON_STRING) ? type->string : "", names[width]);
    return true;
}

bool gltfNumbers(Gltf *gltf, long long accessor, int width, GltfNumbers *numbers)
{
    const Json *entry = gltf->accessors.entry[accessor], *sparse = jsonFind(entry, "sparse");
    long long offset, stride;
    size_t size = 0;
    if (!readKind(gltf, accessor, width, numbers))
        return false;
    if (sparse != NULL && !readSparse(gltf, accessor, sparse, numbers))
        return false;
    if (sparse != NULL && jsonFind(entry, "bufferView") == NULL)
        return checkRows(gltf, accessor, numbers);
    if (!gltfWhole(gltf, entry, "byteOffset", (long long)1 << 40, 0, &offset) ||
        !findView(gltf, entry, &stride, &numbers->bytes, &size))
        return false;
    size_t row = (size_t)width * numberSize(numbers->type);
    long long count = numbers->count;
    numbers->stride = stride > 0 ? (size_t)stride : row;
    long long needed = count > 0 ? (count - 1) * (long long)numbers->stride + (long long)row : 0;
    if (offset > (long long)size || needed > (long long)size - offset || numbers->stride < row)
        return gltfFault(gltf, again, "accessor %lld needs %lld bytes from %lld on, its view has %zu", accessor, needed,
                         offset, size);
    numbers->bytes = numbers->bytes != NULL ? numbers->bytes + offset : NULL;
    return true;
}

static const unsigned char *placeOf(const GltfNumbers *numbers, int row, int column)
{
    static const unsigned char zero[8] = { 0 };
    size_t size = numberSize(numbers->type), place = (size_t)column * size;
    int low = 0, high = numbers->sparse;
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        *(sparseRow(numbers, middle) < row ? &low : &high) = sparseRow(numbers, middle) < row ? middle + 1 : middle;
    }
    if (low < numbers->sparse && sparseRow(numbers, low) == row)
        return numbers->value + (size_t)low * (size_t)numbers->width * size + place;
    return numbers->bytes != NULL ? numbers->bytes + (size_t)row * numbers->stride + place : zero;
}

double gltfReal(const GltfNumbers *numbers, int row, int column)
{
    static const double most[NUMBER_TYPES + 1] = {
        [NUMBER_INT8] = 127, [NUMBER_UINT8] = 255, [NUMBER_INT16] = 32767, [NUMBER_UINT16] = 65535
    };
    double value = 0;
    numberReal(numbers->type, placeOf(numbers, row, column), false, &value);
    return numbers->normalized && most[numbers->type] > 0 ? maxReal(value / most[numbers->type], -1) : value;
}

long long gltfIndex(const GltfNumbers *numbers, int row, int column)
{
    long long value = -1;
    numberInteger(numbers->type, placeOf(numbers, row, column), false, &value);
    return value;
}

double gltfLargest(const GltfNumbers *numbers)
{
    double most = 0;
    for (int row = 0; row < numbers->count; ++row)
    {
        for (int column = 0; column < numbers->width; ++column)
        {
            double value = fabs(gltfReal(numbers, row, column));
            if (!isfinite(value))
                return -1;
            most = maxReal(most, value);
        }
    }
    return most;
}
