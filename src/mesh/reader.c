#include "mesh/file.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

// ---- faults ---------------------------------------------------------------------------------------------------------

void readerPlace(const Reader *reader, long long place, char *text, size_t size)
{
    const char *format = reader->source.binary ? "%s: byte %lld" : "%s:%lld";
    snprintf(text, size, format, reader->name, place);
}

bool readerFault(Reader *reader, const char *remedy, const char *format, ...)
{
    char text[160], where[64] = "", place[PLACE_SIZE];
    readerPlace(reader, reader->source.line, place, sizeof place);
    if (reader->source.failed)
    {
        reader->result = resultMake(VV_INPUT_OUTPUT, "check the disk or the connection, and try again",
                                    "%s: the file could not be read on", place);
        return false;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (reader->what != NULL && reader->count > 0)
        snprintf(where, sizeof where, "%s %lld of %lld: ", reader->what, reader->number, reader->count);
    else if (reader->what != NULL)
        snprintf(where, sizeof where, "%s %lld: ", reader->what, reader->number);
    reader->result = resultMake(VV_BAD_INPUT, remedy, "%s: %s%s", place, where, text);
    return false;
}

bool readerOutOfMemory(Reader *reader)
{
    reader->result = resultOutOfMemory("a mesh file");
    return false;
}

bool readerEndFault(Reader *reader)
{
    if (reader->source.at < reader->source.end && !reader->source.binary)
        return readerFault(reader, "complete the line", "the line ends too early");
    return readerFault(reader, "the file is cut off: write or copy it again", "the file ends too early");
}

static bool wordFault(Reader *reader, const char *what)
{
    char word[28];
    sourceShow(&reader->source, word, sizeof word);
    // before the first element a file may be anything, and what is in it is nobody's business
    bool number = word[0] != 0 && strchr("+-.0123456789", word[0]) != NULL;
    if (reader->what == NULL && !number)
        return readerFault(reader, "repair the file, or name its true format", "a word stands where %s belongs", what);
    return readerFault(reader, "repair the file, or name its true format", "'%s' is not %s", word, what);
}

// ---- words ----------------------------------------------------------------------------------------------------------

static bool seek(Reader *reader)
{
    bool found = sourceSeek(&reader->source);
    if (reader->source.binary) // words between bytes
        reader->source.line = (long long)sourceOffset(&reader->source);
    return found;
}

bool readReal(Reader *reader, double *value)
{
    if (!seek(reader))
        return readerEndFault(reader);
    return sourceReal(&reader->source, value) || wordFault(reader, "a finite number");
}

bool readInteger(Reader *reader, long long *value)
{
    if (!seek(reader))
        return readerEndFault(reader);
    return sourceInteger(&reader->source, value) || wordFault(reader, "a whole number");
}

bool readWord(Reader *reader, char *word, size_t size)
{
    if (!seek(reader))
        return readerEndFault(reader);
    sourceWord(&reader->source, word, size);
    return true;
}

static bool checkCount(Reader *reader, long long value, const char *things, long long most, int *count)
{
    if (value < 0 || value > most)
        return readerFault(reader, "repair the count, or split the mesh", "%lld %s, must be 0 to %lld", value, things,
                           most);
    *count = (int)value;
    return true;
}

bool readCount(Reader *reader, const char *things, long long most, int *count)
{
    long long value;
    return readInteger(reader, &value) && checkCount(reader, value, things, most, count);
}

bool readCountOf(Reader *reader, NumberType type, const char *things, long long most, int *count)
{
    long long value;
    return readIntegerOf(reader, type, &value) && checkCount(reader, value, things, most, count);
}

bool readPoint(Reader *reader)
{
    double point[3];
    return readReal(reader, &point[0]) && readReal(reader, &point[1]) && readReal(reader, &point[2]) &&
           addPoint(reader, point);
}

bool readPointOf(Reader *reader, NumberType type)
{
    double point[3];
    return readRealOf(reader, type, &point[0]) && readRealOf(reader, type, &point[1]) &&
           readRealOf(reader, type, &point[2]) && addPoint(reader, point);
}

bool readCorners(Reader *reader, int kind, int base, int *corner)
{
    return readCornersOf(reader, NUMBER_INT32, kind, base, corner);
}

bool readCornersOf(Reader *reader, NumberType type, int kind, int base, int *corner)
{
    for (int i = 0; i < kind; ++i)
    {
        long long value;
        if (!readIntegerOf(reader, type, &value))
            return false;
        if (value < base || value >= (long long)base + VV_MAX_VERTICES)
            return readerFault(reader, "repair the element: its corners are numbers of points",
                               "it names point %lld, must be %d or above", value, base);
        corner[i] = (int)(value - base);
    }
    return true;
}

// ---- growing arrays -------------------------------------------------------------------------------------------------

// at least `count` elements of `width` numbers
static bool makeRoom(Reader *reader, void **block, int *room, int used, int count, size_t size)
{
    if (count <= *room)
        return true;
    if (!memoryGrow(reader->memory, block, (size_t)used, (size_t)count, size))
        return readerOutOfMemory(reader);
    *room = count;
    return true;
}

// a header may claim anything: never more than the rest of the file can hold, two bytes a number
static int believable(const Reader *reader, int count, int numbers)
{
    size_t most = (sourceBytesLeft(&reader->source) + reader->unpacked) / (2 * (size_t)numbers) + 1;
    return (size_t)count < most ? count : (int)most;
}

static int doubled(int room)
{
    return maxInt(16, room < INT_MAX / 2 ? 2 * room : INT_MAX);
}

bool reservePoints(Reader *reader, int count)
{
    void *block = reader->point;
    int wanted = believable(reader, count, 3);
    wanted = wanted < INT_MAX - reader->pointCount ? reader->pointCount + wanted : INT_MAX;
    bool ok = makeRoom(reader, &block, &reader->pointRoom, reader->pointCount, wanted, 3 * sizeof(double));
    reader->point = block;
    return ok;
}

bool reserveElements(Reader *reader, int kind, int count)
{
    Elements *elements = &reader->elements[kind];
    void *block = elements->corner;
    int wanted = believable(reader, count, kind);
    wanted = wanted < INT_MAX - elements->count ? elements->count + wanted : INT_MAX;
    bool ok = makeRoom(reader, &block, &elements->room, elements->count, wanted, (size_t)kind * sizeof(int));
    elements->corner = block;
    return ok;
}

bool addPoint(Reader *reader, const double *point)
{
    if (reader->pointCount == VV_MAX_VERTICES)
        return readerFault(reader, "use a coarser mesh, or several", "more than %d points", VV_MAX_VERTICES);
    if (reader->pointCount == reader->pointRoom && !reservePoints(reader, doubled(reader->pointRoom)))
        return false;
    memcpy(reader->point + 3 * (size_t)reader->pointCount, point, 3 * sizeof(double));
    reader->pointCount += 1;
    return true;
}

bool addElement(Reader *reader, int kind, const int *corner)
{
    Elements *elements = &reader->elements[kind];
    if (elements->count == MOST_ELEMENTS)
        return readerFault(reader, "use a coarser mesh, or several", "more than %d elements", MOST_ELEMENTS);
    if (elements->count == elements->room && !reserveElements(reader, kind, doubled(elements->room)))
        return false;
    memcpy(elements->corner + (size_t)kind * (size_t)elements->count, corner, (size_t)kind * sizeof(int));
    if (!linesAdd(reader->memory, &elements->lines, elements->count, reader->source.line))
        return readerOutOfMemory(reader);
    elements->count += 1;
    return true;
}

bool addPolygon(Reader *reader, const int *corner, int count)
{
    bool enough = faceListBegin(reader->memory, &reader->faces);
    for (int i = 0; i < count && enough; ++i)
        enough = faceListCorner(reader->memory, &reader->faces, corner[i], -1, -1);
    if (!enough)
        return readerOutOfMemory(reader);
    for (int i = 2; i < count; ++i)
    {
        const int triangle[3] = { corner[0], corner[i - 1], corner[i] };
        if (!addElement(reader, TRIANGLE, triangle))
            return false;
    }
    return true;
}

bool readPolygonOf(Reader *reader, NumberType type, int count)
{
    int corner[3];
    if (count < 3)
        return readerFault(reader, "give at least three corners", "it has %d corners", count);
    long long place = 0;
    if (!faceListBegin(reader->memory, &reader->faces))
        return readerOutOfMemory(reader);
    for (int i = 0; i < count; ++i)
    {
        int *own = &corner[minInt(i, 2)];
        if (!readCornersOf(reader, type, 1, 0, own))
            return false;
        if (!faceListCorner(reader->memory, &reader->faces, *own, -1, -1))
            return readerOutOfMemory(reader);
        place = i == 0 ? reader->source.line : place;
        long long now = reader->source.line;
        reader->source.line = place;
        if (i >= 2 && !addElement(reader, TRIANGLE, corner))
            return false;
        reader->source.line = now;
        if (i >= 2)
            corner[1] = corner[2];
    }
    return true;
}

// the first of those at one place keeps its turn
static int joinPoints(Reader *reader, int *first)
{
    int kept = 0;
    for (int i = 0; i < reader->pointCount; ++i)
    {
        bool own = first[i] == i;
        if (own)
            memmove(reader->point + 3 * (size_t)kept, reader->point + 3 * (size_t)i, 3 * sizeof(double));
        if (own && reader->pointTag != NULL)
            reader->pointTag[kept] = reader->pointTag[i];
        first[i] = own ? kept++ : first[first[i]];
    }
    return kept;
}

bool weldPoints(Reader *reader)
{
    int *first = ALLOCATE(reader->memory, int, reader->pointCount);
    bool ok = first != NULL && repairWeld(reader->memory, reader->point, reader->pointCount, 0, first) >= 0;
    if (ok)
        reader->pointCount = joinPoints(reader, first);
    for (int kind = EDGE; kind < KINDS && ok; ++kind)
    {
        Elements *elements = &reader->elements[kind];
        for (size_t i = 0; i < (size_t)kind * (size_t)elements->count; ++i)
            elements->corner[i] = first[elements->corner[i]];
    }
    for (int i = 0; i < reader->faces.point.count && ok; ++i)
        reader->faces.point.value[i] = first[reader->faces.point.value[i]];
    memoryRelease(reader->memory, first);
    return ok || readerOutOfMemory(reader);
}
