// TetGen .node and .ele: H. Si, "TetGen, a quality tetrahedral mesh generator", section 5.2. Points and tets are
// numbered from 0 or 1, and the first number says which.
#include "mesh/file.h"

// ---- reading --------------------------------------------------------------------------------------------------------

// "count and a second number"; what follows on the line are attributes and markers
static bool readHeader(Reader *reader, const char *things, long long most, int *count, long long *second)
{
    reader->what = NULL;
    reader->count = 0;
    if (sourceAtEnd(&reader->source))
        return readerFault(reader, "give .node and .ele; in memory one behind the other", "the file ends before its %s",
                           things);
    bool ok = readCount(reader, things, most, count) && readInteger(reader, second);
    sourceSkipLine(&reader->source);
    return ok;
}

// the number that begins a line must count on from the first
static bool readNumber(Reader *reader, const char *what, int place, int count)
{
    reader->what = what;
    reader->number = place + 1;
    reader->count = count;
    long long number;
    if (sourceAtEnd(&reader->source))
        return readerFault(reader, "the file is cut off: write or copy it again", "the file ends too early");
    if (!readInteger(reader, &number))
        return false;
    if (place == 0 && reader->pointCount == 0)
    {
        if (number != 0 && number != 1)
            return readerFault(reader, "count from 0 or from 1", "it has the number %lld, the first is 0 or 1", number);
        reader->first = (int)number;
    }
    if (number != (long long)reader->first + place)
        return readerFault(reader, "number points and tets one by one, both from 0 or both from 1",
                           "it has the number %lld, must be %d", number, reader->first + place);
    return true;
}

static bool readNodes(Reader *reader)
{
    int count;
    long long dimension;
    if (!readHeader(reader, "points", VV_MAX_VERTICES, &count, &dimension))
        return false;
    if (dimension != 3)
        return readerFault(reader, "write points with three coordinates", "the points have %lld coordinates, must be 3",
                           dimension);
    if (!reservePoints(reader, count))
        return false;
    for (int i = 0; i < count; ++i)
    {
        if (!readNumber(reader, "point", i, count) || !readPoint(reader))
            return false;
        sourceSkipLine(&reader->source);
    }
    return true;
}

static bool readTets(Reader *reader)
{
    int count;
    long long corners;
    if (!readHeader(reader, "tets", MOST_ELEMENTS, &count, &corners))
        return false;
    if (corners != 4 && corners != 10) // 10: corners first, then the middles of edges
        return readerFault(reader, "write tetrahedra of 4 or 10 points", "the tets have %lld points, must be 4 or 10",
                           corners);
    if (!reserveElements(reader, TET, count))
        return false;
    for (int i = 0; i < count; ++i)
    {
        int corner[4];
        if (!readNumber(reader, "tet", i, count) || !readCorners(reader, TET, reader->first, corner) ||
            !addElement(reader, TET, corner))
            return false;
        sourceSkipLine(&reader->source);
    }
    return true;
}

bool readNode(Reader *reader)
{
    if (!readNodes(reader))
        return false;
    reader->what = NULL;
    return readerOpen(reader, 1) && readTets(reader);
}

// ---- writing --------------------------------------------------------------------------------------------------------

void writeNode(Sink *sink, const vvMesh *mesh)
{
    sinkInteger(&sink[0], mesh->vertexCount);
    sinkText(&sink[0], " 3 0 0\n");
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        sinkInteger(&sink[0], v + 1);
        sinkText(&sink[0], " ");
        sinkPoint(&sink[0], mesh->callerPoint + 3 * (size_t)v, "\n");
    }
    sinkInteger(&sink[1], mesh->tetCount);
    sinkText(&sink[1], " 4 0\n");
    for (int t = 0; t < mesh->tetCount; ++t)
    {
        sinkInteger(&sink[1], t + 1);
        sinkText(&sink[1], " ");
        sinkIndices(&sink[1], mesh->callerTet + 4 * (size_t)t, 4, 1, "\n");
    }
}
