// Wavefront OBJ, as much of it as meshes of matter use: v, f and l; and what is kept of faces: vt, vn, g and usemtl.
#include "mesh/file.h"

#include <string.h>

#define LONGEST_NAME 256

// ---- reading --------------------------------------------------------------------------------------------------------

// from 1 on, or back from the last row so far; -1: none
static int rowOf(long long value, int count)
{
    long long row = value < 0 ? count + value : value - 1;
    return value == 0 || row < 0 || row > VV_MAX_VERTICES * 8LL ? -1 : (int)row;
}

// "7", "7/1", "7//3", "7/1/3"; rows may be NULL
static bool readIndex(Reader *reader, int *corner, int *rows)
{
    long long value[3];
    if (!sourceIndices(&reader->source, value))
    {
        char word[28];
        sourceShow(&reader->source, word, sizeof word);
        return readerFault(reader, "write corners as 7, 7/1, 7//3 or 7/1/3", "'%s' is not a corner", word);
    }
    long long place = value[0] < 0 ? reader->pointCount + value[0] : value[0] - 1;
    if (value[0] == 0 || place < 0 || place >= VV_MAX_VERTICES)
        return readerFault(reader, "count points from 1, or back from -1", "it names point %lld, of %d points so far",
                           value[0], reader->pointCount);
    *corner = (int)place;
    if (rows != NULL)
    {
        rows[0] = rowOf(value[1], reader->faces.coordinateValue.count / 2);
        rows[1] = rowOf(value[2], reader->faces.normalValue.count / 3);
    }
    return true;
}

// a fan from the first corner, cut while it is read
static bool readFace(Reader *reader, int number)
{
    reader->what = "face";
    reader->number = number;
    int corner[3], rows[2], count = 0;
    if (!faceListBegin(reader->memory, &reader->faces))
        return readerOutOfMemory(reader);
    while (sourceSeek(&reader->source))
    {
        int *own = &corner[count < 2 ? count : 2];
        if (!readIndex(reader, own, rows))
            return false;
        if (!faceListCorner(reader->memory, &reader->faces, *own, rows[0], rows[1]))
            return readerOutOfMemory(reader);
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

// a row of texture coordinates or of a normal; numbers that are not there are 0
static bool readRow(Reader *reader, RealList *list, int width, const char *what)
{
    reader->what = what;
    reader->number = list->count / width + 1;
    for (int i = 0; i < width; ++i)
    {
        double value = 0;
        if ((i == 0 || sourceSeek(&reader->source)) && !readReal(reader, &value))
            return false;
        if (!faceListReal(reader->memory, list, value))
            return readerOutOfMemory(reader);
    }
    return true;
}

// the rest of the line, with one blank between its words
static void readName(Reader *reader, char *name)
{
    size_t length = 0;
    name[0] = 0;
    while (sourceSeek(&reader->source))
    {
        if (length > 0 && length + 1 < LONGEST_NAME)
            name[length++] = ' ';
        sourceWord(&reader->source, name + length, LONGEST_NAME - length);
        length += strlen(name + length);
    }
}

static bool readNamed(Reader *reader, const char *word)
{
    char name[LONGEST_NAME];
    FaceList *faces = &reader->faces;
    bool group = strcmp(word, "g") == 0;
    readName(reader, name);
    if (strcmp(word, "mtllib") != 0)
        return faceListName(reader->memory, group ? &faces->groups : &faces->materials, name) ||
               readerOutOfMemory(reader);
    if (faces->materialFile != NULL || name[0] == 0)
        return true;
    faces->materialFile = faceListText(reader->memory, name);
    return faces->materialFile != NULL || readerOutOfMemory(reader);
}

static bool readLine(Reader *reader, int number)
{
    reader->what = "line";
    reader->number = number;
    int corner[2], count = 0;
    while (sourceSeek(&reader->source))
    {
        if (!readIndex(reader, &corner[count < 1 ? 0 : 1], NULL))
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
        char word[8];
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
        else if (strcmp(word, "vt") == 0)
            ok = readRow(reader, &reader->faces.coordinateValue, 2, "texture coordinate");
        else if (strcmp(word, "vn") == 0)
            ok = readRow(reader, &reader->faces.normalValue, 3, "normal");
        else if (strcmp(word, "g") == 0 || strcmp(word, "usemtl") == 0 || strcmp(word, "mtllib") == 0)
            ok = readNamed(reader, word);
        if (!ok)
            return false;
        sourceSkipLine(source);
    }
    return true;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static void writeElement(Sink *sink, const char *word, const int *number, const int *corner, int width)
{
    int own[3];
    for (int i = 0; i < width; ++i)
        own[i] = number[corner[i]];
    sinkText(sink, word);
    sinkIndices(sink, own, width, 0, "\n");
}

static void writeRows(Sink *sink, const char *word, const double *value, int count, int width)
{
    for (int i = 0; i < count; ++i)
    {
        sinkText(sink, word);
        for (int c = 0; c < width; ++c)
        {
            sinkReal(sink, value[(size_t)i * (size_t)width + (size_t)c]);
            sinkText(sink, c + 1 < width ? " " : "\n");
        }
    }
}

// a line where the name of the faces changes; the first that have none again get an empty one
static void writeName(Sink *sink, const char *word, const char *const *names, int row, int *now)
{
    if (names == NULL || row == *now)
        return;
    *now = row;
    sinkText(sink, word);
    sinkText(sink, row >= 0 ? names[row] : "");
    sinkText(sink, "\n");
}

static void writeDrawnCorner(Sink *sink, const vvFaces *faces, int c)
{
    int uv = faces->coordinates != NULL ? faces->coordinates[c] : -1;
    int normal = faces->normals != NULL ? faces->normals[c] : -1;
    sinkText(sink, " ");
    sinkInteger(sink, faces->points[c] + 1LL);
    if (uv >= 0 || normal >= 0)
        sinkText(sink, "/");
    if (uv >= 0)
        sinkInteger(sink, uv + 1LL);
    if (normal >= 0)
    {
        sinkText(sink, "/");
        sinkInteger(sink, normal + 1LL);
    }
}

static void writeDrawn(Sink *sink, const vvFaces *faces)
{
    int group = -1, material = -1;
    if (faces->materialFile != NULL)
    {
        sinkText(sink, "mtllib ");
        sinkText(sink, faces->materialFile);
        sinkText(sink, "\n");
    }
    writeRows(sink, "vt ", faces->coordinateValues, faces->coordinateCount, 2);
    writeRows(sink, "vn ", faces->normalValues, faces->normalCount, 3);
    for (int f = 0; f < faces->faceCount; ++f)
    {
        writeName(sink, "g ", faces->groupNames, faces->groups != NULL ? faces->groups[f] : -1, &group);
        writeName(sink, "usemtl ", faces->materialNames, faces->materials != NULL ? faces->materials[f] : -1,
                  &material);
        sinkText(sink, "f");
        for (int c = faces->starts[f]; c < faces->starts[f + 1]; ++c)
            writeDrawnCorner(sink, faces, c);
        sinkText(sink, "\n");
    }
}

void writeObj(Sink *sink, const vvMesh *mesh)
{
    int points, *number = surfaceNumbers(sink->memory, mesh, &points);
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
    if (mesh->faces != NULL)
        writeDrawn(sink, mesh->faces);
    for (int t = 0; t < mesh->surfaceCount && mesh->faces == NULL; ++t)
        writeElement(sink, "f ", number, mesh->callerSurface + 3 * (size_t)t, 3);
    WrittenSet set = writtenSet(mesh);
    for (int e = 0; e < set.rows && mesh->matter == MATTER_ROPE; ++e)
    {
        if (isWritten(&set, e))
            writeElement(sink, "l ", number, set.corner + 2 * (size_t)e, 2);
    }
    memoryRelease(sink->memory, number);
}
