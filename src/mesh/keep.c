#include "mesh/file.h"

static const char *const kindName[KINDS] = { [EDGE] = "edge", [TRIANGLE] = "triangle", [TET] = "tet" };

static bool elementFault(Reader *reader, int kind, int number, const char *remedy, int point, const char *why)
{
    const Naming naming = { .first = reader->first, .point = reader->pointTag };
    reader->what = NULL;
    reader->source.line = linesFind(&reader->elements[kind].lines, number);
    if (point < reader->pointCount)
        return readerFault(reader, remedy, "%s %d names point %lld %s", kindName[kind], reader->first + number,
                           pointName(&naming, point), why);
    return readerFault(reader, remedy, "%s %d names point %lld, the file has %lld to %lld", kindName[kind],
                       reader->first + number, (long long)reader->first + point, pointName(&naming, 0),
                       pointName(&naming, reader->pointCount - 1));
}

static bool checkCorners(Reader *reader, int kind, bool lenient)
{
    const Elements *elements = &reader->elements[kind];
    for (int e = 0; e < elements->count; ++e)
    {
        const int *corner = elements->corner + (size_t)kind * (size_t)e;
        for (int i = 0; i < kind; ++i)
        {
            if (corner[i] >= reader->pointCount)
                return elementFault(reader, kind, e, "repair the element, or add the points it needs", corner[i], "");
            for (int j = 0; j < i; ++j)
            {
                if (corner[i] == corner[j] && !lenient)
                    return elementFault(reader, kind, e,
                                        "remove the element, or let 'verve mesh doctor FILE --fix OUT' do it",
                                        corner[i], "twice");
            }
        }
    }
    return true;
}

static void forget(Reader *reader, int kind)
{
    Elements *elements = &reader->elements[kind];
    memoryRelease(reader->memory, elements->corner);
    memoryRelease(reader->memory, elements->lines.run);
    *elements = (Elements){ 0 };
    if (kind == TRIANGLE)
        faceListClose(reader->memory, &reader->faces);
}

// tets, else triangles, else lines: what is of a lower dimension bounds or marks the matter
static bool chooseMatter(Reader *reader)
{
    const Elements *elements = reader->elements;
    reader->what = NULL;
    if (reader->pointCount == 0)
        return readerFault(reader, "check that the file is what its ending or 'format' says",
                           "the file has no points: is it a %s file?", reader->format->title);
    if (elements[TET].count == 0 && elements[TRIANGLE].count == 0 && elements[EDGE].count == 0)
        return readerFault(reader, "write it with tetrahedra (a solid), triangles (a sheet) or lines (a rope)",
                           "the file has %d points, %lld elements of other kinds, and none that can be used",
                           reader->pointCount, reader->ignored);
    if (elements[TET].count > 0)
        forget(reader, TRIANGLE);
    if (elements[TET].count > 0 || (elements[TRIANGLE].count > 0 && !reader->format->springs))
        forget(reader, EDGE);
    return true;
}

// ---- points that nothing uses ---------------------------------------------------------------------------------------

static void markUsed(const Reader *reader, int *number)
{
    for (int kind = EDGE; kind < KINDS; ++kind)
    {
        const Elements *elements = &reader->elements[kind];
        for (size_t i = 0; i < (size_t)kind * (size_t)elements->count; ++i)
            number[elements->corner[i]] = 1;
    }
}

static void renumber(Reader *reader, const int *number)
{
    for (int kind = EDGE; kind < KINDS; ++kind)
    {
        Elements *elements = &reader->elements[kind];
        for (size_t i = 0; i < (size_t)kind * (size_t)elements->count; ++i)
            elements->corner[i] = number[elements->corner[i]];
    }
    IntList *drawn = &reader->faces.point;
    for (int i = 0; i < drawn->count; ++i)
        drawn->value[i] = number[drawn->value[i]];
}

// moves the used points together and keeps the file's names of them; returns how many there are
static int closeUp(Reader *reader, int *number, long long *name)
{
    const Naming naming = { .first = reader->first, .point = reader->pointTag };
    int kept = 0;
    for (int i = 0; i < reader->pointCount; ++i)
    {
        if (number[i] == 0)
            continue;
        name[kept] = pointName(&naming, i);
        vecStore(reader->point + 3 * (size_t)kept, cornerPoint(reader->point, i));
        number[i] = kept++;
    }
    return kept;
}

static bool dropUnused(Reader *reader, int *droppedCount)
{
    int *number = ALLOCATE(reader->memory, int, reader->pointCount);
    bool ok = number != NULL;
    int used = 0;
    if (ok)
    {
        markUsed(reader, number);
        for (int i = 0; i < reader->pointCount; ++i)
            used += number[i];
    }
    if (ok && used < reader->pointCount)
    {
        long long *name = ALLOCATE(reader->memory, long long, used);
        ok = name != NULL;
        if (ok)
        {
            closeUp(reader, number, name);
            renumber(reader, number);
            memoryRelease(reader->memory, reader->pointTag);
            reader->pointTag = name;
            *droppedCount = reader->pointCount - used;
            reader->pointCount = used;
        }
    }
    memoryRelease(reader->memory, number);
    if (!ok)
        reader->result = resultOutOfMemory("a mesh file");
    return ok;
}

// ---- into the arrays ------------------------------------------------------------------------------------------------

static int *take(Elements *elements)
{
    int *corner = elements->corner;
    elements->corner = NULL;
    return corner;
}

bool keepElements(Reader *reader, MeshArrays *arrays, int *droppedCount)
{
    if (!chooseMatter(reader) || !checkCorners(reader, TET, arrays->lenient) ||
        !checkCorners(reader, TRIANGLE, arrays->lenient) || !checkCorners(reader, EDGE, arrays->lenient) ||
        !dropUnused(reader, droppedCount))
        return false;
    Elements *elements = reader->elements;
    arrays->pointCount = reader->pointCount;
    arrays->tetCount = elements[TET].count;
    arrays->triangleCount = elements[TRIANGLE].count;
    arrays->edgeCount = elements[EDGE].count;
    vvResult result = arraysFit(arrays);
    if (result.code != VV_OK)
        return readerFault(reader, result.remedy, "%s", result.message);
    arrays->point = reader->point;
    arrays->tet = take(&elements[TET]);
    arrays->triangle = take(&elements[TRIANGLE]);
    arrays->edge = take(&elements[EDGE]);
    arrays->naming = (Naming){ .first = reader->first, .point = reader->pointTag };
    reader->point = NULL;
    reader->pointTag = NULL;
    arrays->edgeKind = ALLOCATE(arrays->memory, int, arrays->edgeCount); // zero: structural
    bool enough = faceListTake(arrays->memory, &reader->faces, arrays->triangleCount, &arrays->faces);
    enough = enough && arrays->edgeKind != NULL;
    if (!enough)
        reader->result = resultOutOfMemory("a mesh file");
    return enough;
}
