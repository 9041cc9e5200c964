// Wavefront OBJ, as much of it as meshes of matter use: v, f and l.
#include "mesh/file.h"

#include <string.h>

// ---- reading --------------------------------------------------------------------------------------------------------

// "7", "7/1", "7//3", "7/1/3": from 1 on, or back from the last point so far
static bool readIndex(Reader *reader, int *corner)
{
    long long value;
    if (!sourceIndex(&reader->source, &value))
    {
        char word[28];
        sourceShow(&reader->source, word, sizeof word);
        return readerFault(reader, "write corners as 7, 7/1, 7//3 or 7/1/3", "'%s' is not a corner", word);
    }
    long long place = value < 0 ? reader->pointCount + value : value - 1;
    if (value == 0 || place < 0 || place >= VV_MAX_VERTICES)
        return readerFault(reader, "count points from 1, or back from -1", "it names point %lld, of %d points so far",
                           value, reader->pointCount);
    *corner = (int)place;
    return true;
}

// a fan from the first corner, cut while it is read
static bool readFace(Reader *reader, int number)
{
    reader->what = "face";
    reader->number = number;
    int corner[3], count = 0;
    while (sourceSeek(&reader->source))
    {
        if (!readIndex(reader, &corner[count < 2 ? count : 2]))
            return false;
        ++count;
        if (count >= 3)
        {
            if (!addElement(reader, TRIANGLE, corner))
                return false;
            corner[1] = corner[2];
        }
    }
    return count >= 3 || readerFault(reader, "give at least three corners", "it has %d corners", count);
}

static bool readLine(Reader *reader, int number)
{
    reader->what = "line";
    reader->number = number;
    int corner[2], count = 0;
    while (sourceSeek(&reader->source))
    {
        if (!readIndex(reader, &corner[count < 1 ? 0 : 1]))
            return false;
        ++count;
        if (count >= 2)
        {
            if (!addElement(reader, EDGE, corner))
                return false;
            corner[0] = corner[1];
        }
    }
    return count >= 2 || readerFault(reader, "give at least two points", "it has %d points", count);
}

bool readObj(Reader *reader)
{
    Source *source = &reader->source;
    source->joins = true;
    int faces = 0, polylines = 0;
    while (!sourceAtEnd(source))
    {
        char word[4];
        sourceWord(source, word, sizeof word);
        reader->what = NULL;
        bool ok = true;
        if (strcmp(word, "v") == 0)
        {
            reader->what = "vertex";
            reader->number = reader->pointCount + 1;
            ok = readPoint(reader);
        }
        else if (strcmp(word, "f") == 0)
            ok = readFace(reader, ++faces);
        else if (strcmp(word, "l") == 0)
            ok = readLine(reader, ++polylines);
        if (!ok)
            return false;
        sourceSkipLine(source);
    }
    return true;
}

// ---- writing --------------------------------------------------------------------------------------------------------

// numbers from 1 for the points of the surface, 0 for those inside; NULL: out of memory
static int *surfaceNumbers(Memory *memory, const vvMesh *mesh)
{
    int *number = ALLOCATE(memory, int, mesh->vertexCount), next = 0;
    if (number == NULL)
        return NULL;
    for (int i = 0; i < 3 * mesh->surfaceCount; ++i)
        number[mesh->callerSurface[i]] = 1;
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        if (number[v] > 0 || mesh->matter != MATTER_SOLID)
            number[v] = ++next;
    }
    return number;
}

static void writeElement(Sink *sink, const char *word, const int *number, const int *corner, int width)
{
    int own[3];
    for (int i = 0; i < width; ++i)
        own[i] = number[corner[i]];
    sinkText(sink, word);
    sinkIndices(sink, own, width, 0, "\n");
}

void writeObj(Sink *sink, const vvMesh *mesh)
{
    int *number = surfaceNumbers(sink->memory, mesh);
    if (number == NULL)
    {
        sink->outOfMemory = true;
        return;
    }
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        if (number[v] == 0)
            continue;
        sinkText(sink, "v ");
        sinkPoint(sink, mesh->callerPoint + 3 * (size_t)v, "\n");
    }
    for (int t = 0; t < mesh->surfaceCount; ++t)
        writeElement(sink, "f ", number, mesh->callerSurface + 3 * (size_t)t, 3);
    WrittenSet set = writtenSet(mesh);
    for (int e = 0; e < set.rows && mesh->matter == MATTER_ROPE; ++e)
    {
        if (isWritten(&set, e))
            writeElement(sink, "l ", number, set.corner + 2 * (size_t)e, 2);
    }
    memoryRelease(sink->memory, number);
}
