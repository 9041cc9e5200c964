// VTK legacy files, ascii and binary: "VTK File Formats", www.vtk.org. Unstructured grids and poly data; cells as one
// list of counts and points (up to version 4) or as offsets and connectivity (from 5.0 on). Binary files have the same
// words, and behind the line of a section its numbers, the most significant byte first.
#include "mesh/cells.h"

#include <limits.h>
#include <string.h>

typedef struct Vtk
{
    Reader *reader;
    double version;
    bool poly;
    Cells cells; // the unstructured grid waits for its types
    bool cellsRead;
} Vtk;

// ---- numbers --------------------------------------------------------------------------------------------------------

// the type of the numbers of a section; text needs none
static bool readType(Reader *reader, NumberType *type)
{
    static const struct
    {
        const char *name;
        NumberType type;
    } types[] = {
        { "float", NUMBER_FLOAT32 },         { "double", NUMBER_FLOAT64 },      { "int", NUMBER_INT32 },
        { "vtktypeint64", NUMBER_INT64 },    { "vtkIdType", NUMBER_INT32 },     { "long", NUMBER_INT64 },
        { "unsigned_char", NUMBER_UINT8 },   { "char", NUMBER_INT8 },           { "short", NUMBER_INT16 },
        { "unsigned_short", NUMBER_UINT16 }, { "unsigned_int", NUMBER_UINT32 }, { "unsigned_long", NUMBER_UINT64 },
        { "vtktypeuint64", NUMBER_UINT64 },  { "signed_char", NUMBER_INT8 },
    };
    char word[24];
    if (!readWord(reader, word, sizeof word))
        return false;
    *type = NUMBER_TYPES;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        *type = strcmp(word, types[i].name) == 0 ? types[i].type : *type;
    return *type != NUMBER_TYPES || !reader->source.binary ||
           readerFault(reader, "write the file again, as numbers, or as ascii", "'%s' is not a type of numbers", word);
}

// bytes begin behind the end of the line
static void beginNumbers(Reader *reader)
{
    if (reader->source.binary)
        sourceSkipLine(&reader->source);
}

static bool readPointNumber(Reader *reader, NumberType type, Cells *cells)
{
    int corner;
    return readCornersOf(reader, type, 1, 0, &corner) && cellsPoint(reader, cells, corner);
}

// ---- cells ----------------------------------------------------------------------------------------------------------

// "CELLS 2 10", then a count and the points of each cell
static bool readClassic(Reader *reader, Cells *cells, int count)
{
    reader->what = "cell";
    reader->count = count;
    beginNumbers(reader);
    for (int c = 0; c < count; ++c)
    {
        int corners;
        reader->number = c;
        if (!readCountOf(reader, NUMBER_INT32, "points", MOST_ELEMENTS, &corners) || !cellsMark(reader, cells))
            return false;
        for (int i = 0; i < corners; ++i)
        {
            if (!readPointNumber(reader, NUMBER_INT32, cells))
                return false;
        }
        if (!cellsStart(reader, cells, cells->points))
            return false;
        cells->count += 1;
    }
    return true;
}

static bool expectWord(Reader *reader, const char *expected, NumberType *type)
{
    char word[24];
    reader->what = NULL;
    if (!readWord(reader, word, sizeof word))
        return false;
    if (strcmp(word, expected) != 0)
        return readerFault(reader, "write the file again", "'%s' stands where %s was expected", word, expected);
    if (!readType(reader, type))
        return false;
    beginNumbers(reader);
    return true;
}

// "CELLS 3 8", "OFFSETS vtktypeint64", 3 numbers, "CONNECTIVITY vtktypeint64", 8 numbers
static bool readModern(Reader *reader, Cells *cells, int offsets, int points)
{
    NumberType type;
    if (!expectWord(reader, "OFFSETS", &type))
        return false;
    reader->what = "offset";
    reader->count = offsets;
    cells->starts = 0;
    for (int i = 0; i < offsets; ++i)
    {
        int offset;
        reader->number = i;
        if (!readCountOf(reader, type, "points before a cell", points, &offset))
            return false;
        if (offset < (i > 0 ? cells->start[i - 1] : 0) || (i == 0 && offset != 0))
            return readerFault(reader, "repair the offsets: they begin with 0 and never fall",
                               "the offset %d follows %d", offset, i > 0 ? cells->start[i - 1] : 0);
        if (!cellsStart(reader, cells, offset))
            return false;
    }
    if (!expectWord(reader, "CONNECTIVITY", &type))
        return false;
    reader->what = "connection";
    reader->count = points;
    for (int i = 0; i < points; ++i)
    {
        reader->number = i;
        for (; cells->count < offsets - 1 && cells->start[cells->count] <= i; cells->count += 1)
        {
            if (!cellsMark(reader, cells))
                return false;
        }
        if (!readPointNumber(reader, type, cells))
            return false;
    }
    cells->count = maxInt(0, offsets - 1);
    if (offsets > 0 && cells->start[offsets - 1] != points)
        return readerFault(reader, "repair the offsets: the last is the number of connections",
                           "the last offset is %d, must be %d", cells->start[offsets - 1], points);
    return true;
}

static bool readCells(Vtk *vtk, Cells *cells)
{
    Reader *reader = vtk->reader;
    int count, size;
    if (!readCount(reader, "cells", MOST_ELEMENTS, &count) || !readCount(reader, "numbers", INT_MAX - 1, &size))
        return false;
    reader->number = 0;
    if (vtk->version >= 5)
        return readModern(reader, cells, count, size);
    return cellsStart(reader, cells, 0) && readClassic(reader, cells, count);
}

// ---- unstructured grids, poly data ----------------------------------------------------------------------------------

static bool readTypes(Vtk *vtk)
{
    Reader *reader = vtk->reader;
    int count;
    if (!vtk->cellsRead)
        return readerFault(reader, "put CELLS before CELL_TYPES", "CELL_TYPES come before CELLS");
    if (!readCount(reader, "cell types", MOST_ELEMENTS, &count))
        return false;
    if (count != vtk->cells.count)
        return readerFault(reader, "give every cell one type", "%d cell types, but %d cells", count, vtk->cells.count);
    beginNumbers(reader);
    for (int c = 0; c < count; ++c)
    {
        long long type;
        reader->what = "cell type";
        reader->number = c;
        reader->count = count;
        if (!readIntegerOf(reader, NUMBER_INT32, &type) || !cellsPlace(reader, &vtk->cells, c, type))
            return false;
    }
    cellsRelease(reader, &vtk->cells);
    vtk->cellsRead = false;
    return true;
}

// a section of poly data: all cells are of one type
static bool readPoly(Vtk *vtk, int type)
{
    Cells cells = { 0 };
    bool ok = readCells(vtk, &cells);
    for (int c = 0; c < cells.count && ok; ++c)
        ok = cellsPlace(vtk->reader, &cells, c, type);
    cellsRelease(vtk->reader, &cells);
    return ok;
}

// ---- sections -------------------------------------------------------------------------------------------------------

static bool readPoints(Vtk *vtk)
{
    Reader *reader = vtk->reader;
    int count;
    NumberType type;
    if (reader->pointCount > 0)
        return readerFault(reader, "keep one of them", "a second section POINTS");
    if (!readCount(reader, "points", VV_MAX_VERTICES, &count) || !readType(reader, &type) ||
        !reservePoints(reader, count))
        return false;
    beginNumbers(reader);
    reader->what = "point";
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        reader->number = i;
        if (!readPointOf(reader, type))
            return false;
    }
    return true;
}

// "FIELD name n", then n arrays "name components tuples type values"
static bool skipField(Reader *reader)
{
    char word[24];
    int arrays, components, tuples;
    NumberType type;
    if (!readWord(reader, word, sizeof word) || !readCount(reader, "arrays", MOST_ELEMENTS, &arrays))
        return false;
    for (int a = 0; a < arrays; ++a)
    {
        if (!readWord(reader, word, sizeof word) || !readCount(reader, "components", INT_MAX, &components) ||
            !readCount(reader, "tuples", INT_MAX, &tuples) || !readType(reader, &type))
            return false;
        beginNumbers(reader);
        if (!skipNumbers(reader, type, (long long)components * tuples))
            return false;
    }
    return true;
}

// up to the next empty line
static void skipMetadata(Reader *reader)
{
    Source *source = &reader->source;
    source->lines = true;
    do
        sourceSkipLine(source);
    while (sourceSeek(source));
    source->lines = false;
}

static bool unsupported(Reader *reader, const char *word)
{
    return readerFault(reader, "save as an unstructured grid or as poly data",
                       "'%.24s' is not a section of an unstructured grid or of poly data", word);
}

static bool readSection(Vtk *vtk, const char *word)
{
    Reader *reader = vtk->reader;
    if (strcmp(word, "POINTS") == 0)
        return readPoints(vtk);
    if (strcmp(word, "FIELD") == 0)
        return skipField(reader);
    if (strcmp(word, "METADATA") == 0)
    {
        skipMetadata(reader);
        return true;
    }
    if (!vtk->poly && strcmp(word, "CELLS") == 0 && !vtk->cellsRead)
    {
        vtk->cellsRead = true;
        return readCells(vtk, &vtk->cells);
    }
    if (!vtk->poly && strcmp(word, "CELL_TYPES") == 0)
        return readTypes(vtk);
    if (vtk->poly && strcmp(word, "POLYGONS") == 0)
        return readPoly(vtk, 7);
    if (vtk->poly && strcmp(word, "LINES") == 0)
        return readPoly(vtk, 4);
    if (vtk->poly && strcmp(word, "VERTICES") == 0)
        return readPoly(vtk, 2);
    if (vtk->poly && strcmp(word, "TRIANGLE_STRIPS") == 0)
        return readPoly(vtk, 6);
    return unsupported(reader, word);
}

// "# vtk DataFile Version 3.0", a title, "ASCII" or "BINARY", "DATASET kind"
static bool readHeader(Vtk *vtk)
{
    Reader *reader = vtk->reader;
    static const char *const expected[] = { "#", "vtk", "DataFile", "Version" };
    char word[32];
    for (int i = 0; i < 4; ++i)
    {
        if (!readWord(reader, word, sizeof word))
            return false;
        if (strcmp(word, expected[i]) != 0)
            return readerFault(reader, "check that the file is what its ending or 'format' says",
                               "the file does not begin with '# vtk DataFile Version', as a VTK legacy file does");
    }
    if (!readReal(reader, &vtk->version))
        return false;
    sourceSkipLine(&reader->source);
    sourceSkipLine(&reader->source); // the title
    if (!readWord(reader, word, sizeof word))
        return false;
    bool binary = strcmp(word, "BINARY") == 0;
    if (!binary && strcmp(word, "ASCII") != 0)
        return readerFault(reader, "write ASCII or BINARY in line 3",
                           "'%.24s' stands where ASCII or BINARY was expected", word);
    reader->source.binary = reader->source.bigEndian = binary;
    if (!readWord(reader, word, sizeof word))
        return false;
    if (strcmp(word, "DATASET") != 0)
        return readerFault(reader, "write DATASET in line 4", "'%.24s' stands where DATASET was expected", word);
    if (!readWord(reader, word, sizeof word))
        return false;
    vtk->poly = strcmp(word, "POLYDATA") == 0;
    return vtk->poly || strcmp(word, "UNSTRUCTURED_GRID") == 0 || unsupported(reader, word);
}

static bool readSections(Vtk *vtk)
{
    Reader *reader = vtk->reader;
    reader->first = 0;
    if (!readHeader(vtk))
        return false;
    while (sourceSeek(&reader->source))
    {
        char word[32];
        sourceWord(&reader->source, word, sizeof word);
        // values on points and cells: the mesh is complete
        if (strcmp(word, "POINT_DATA") == 0 || strcmp(word, "CELL_DATA") == 0)
            break;
        if (!readSection(vtk, word))
            return false;
        reader->what = NULL;
        reader->count = 0;
    }
    if (vtk->cellsRead)
        return readerFault(reader, "the file is cut off: write or copy it again", "CELLS without CELL_TYPES");
    return true;
}

bool readVtk(Reader *reader)
{
    Vtk vtk = { .reader = reader };
    bool ok = readSections(&vtk);
    cellsRelease(reader, &vtk.cells);
    return ok;
}

// ---- writing: the classic form, which every version reads -----------------------------------------------------------

void writeVtk(Sink *sink, const vvMesh *mesh)
{
    static const char *const count[] = { [EDGE] = "2 ", [TRIANGLE] = "3 ", [TET] = "4 " };
    static const char *const type[] = { [EDGE] = "3\n", [TRIANGLE] = "5\n", [TET] = "10\n" };
    WrittenSet set = writtenSet(mesh);
    sinkText(sink, "# vtk DataFile Version 3.0\nverve\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS ");
    sinkInteger(sink, mesh->vertexCount);
    sinkText(sink, " double\n");
    for (int v = 0; v < mesh->vertexCount; ++v)
        sinkPoint(sink, mesh->callerPoint + 3 * (size_t)v, "\n");
    sinkText(sink, "CELLS ");
    sinkInteger(sink, set.count);
    sinkText(sink, " ");
    sinkInteger(sink, (long long)set.count * (set.width + 1));
    sinkText(sink, "\n");
    for (int e = 0; e < set.rows; ++e)
    {
        if (!isWritten(&set, e))
            continue;
        sinkText(sink, count[set.width]);
        sinkIndices(sink, set.corner + (size_t)set.width * (size_t)e, set.width, 0, "\n");
    }
    sinkText(sink, "CELL_TYPES ");
    sinkInteger(sink, set.count);
    sinkText(sink, "\n");
    for (int e = 0; e < set.count; ++e)
        sinkText(sink, type[set.width]);
}
