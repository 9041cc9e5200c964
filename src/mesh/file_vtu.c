// VTU, unstructured grids of VTK as XML: "VTK XML Formats", docs.vtk.org. Arrays are words, base64 or raw bytes, inline
// or appended behind the tags, packed by zlib or not; a file may have several pieces.
#include "mesh/cells.h"
#include "mesh/vtu.h"
#include "mesh/xml.h"

#include <limits.h>
#include <string.h>

#define MOST_PIECES 4096

enum // arrays of a piece
{
    POINTS,
    CONNECTIVITY,
    OFFSETS,
    TYPES,
    ARRAYS,
};

static const char *const arrayName[ARRAYS] = { "points", "connectivity", "offsets", "types" };

typedef struct Piece
{
    int points, cells;
    VtuArray array[ARRAYS];
} Piece;

typedef struct Vtu
{
    Reader *reader;
    VtuCoding coding;
    Piece *piece;
    int pieces, pieceRoom;
    bool begun, ended;      // the first and the last tag
    bool inPoints, inCells; // tags that are open
    char unknown[XML_WORD]; // what the data are packed by, where it is not zlib
} Vtu;

// ---- what tags say --------------------------------------------------------------------------------------------------

static bool beginFile(Vtu *vtu, const XmlTag *tag)
{
    Reader *reader = vtu->reader;
    const char *type = xmlAttribute(tag, "type", ""), *compressor = xmlAttribute(tag, "compressor", "");
    vtu->begun = true;
    if (strcmp(type, "UnstructuredGrid") != 0)
        return readerFault(reader, "save as an unstructured grid (.vtu)",
                           "the VTK file is a '%.24s', must be an "
                           "UnstructuredGrid",
                           type);
    vtu->coding.zlib = compressor[0] != 0;
    if (vtu->coding.zlib && strcmp(compressor, "vtkZLibDataCompressor") != 0)
        snprintf(vtu->unknown, sizeof vtu->unknown, "%s", compressor);
    vtu->coding.bigEndian = strcmp(xmlAttribute(tag, "byte_order", ""), "BigEndian") == 0;
    vtu->coding.header =
        strcmp(xmlAttribute(tag, "header_type", "UInt32"), "UInt64") == 0 ? NUMBER_UINT64 : NUMBER_UINT32;
    return true;
}

static bool beginPiece(Vtu *vtu, const XmlTag *tag)
{
    Reader *reader = vtu->reader;
    long long points, cells;
    if (!xmlWhole(reader, tag, "NumberOfPoints", VV_MAX_VERTICES, &points) ||
        !xmlWhole(reader, tag, "NumberOfCells", MOST_ELEMENTS, &cells))
        return false;
    if (vtu->pieces == MOST_PIECES)
        return readerFault(reader, "merge the pieces: the filter 'Merge Blocks' of ParaView", "more than %d pieces",
                           MOST_PIECES);
    if (vtu->pieces == vtu->pieceRoom)
    {
        int room = 2 * vtu->pieceRoom + 1;
        void *block = vtu->piece;
        if (!memoryGrow(reader->memory, &block, (size_t)vtu->pieces, (size_t)room, sizeof(Piece)))
            return readerOutOfMemory(reader);
        vtu->piece = block;
        vtu->pieceRoom = room;
    }
    vtu->piece[vtu->pieces++] = (Piece){ .points = (int)points, .cells = (int)cells };
    return true;
}

static bool readType(Reader *reader, const char *name, NumberType *type)
{
    static const char *const names[NUMBER_TYPES] = { "Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                                     "UInt32", "Int64", "UInt64", "Float32", "Float64" };
    for (int i = 0; i < NUMBER_TYPES; ++i)
    {
        *type = (NumberType)i;
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return readerFault(reader, "write the file again", "'%.24s' is not a type of numbers", name);
}

// the array of the mesh that a tag begins; ARRAYS: none of them
static int roleOf(const Vtu *vtu, const XmlTag *tag)
{
    const char *name = xmlAttribute(tag, "Name", "");
    for (int role = CONNECTIVITY; role <= TYPES && vtu->inCells; ++role)
    {
        if (strcmp(name, arrayName[role]) == 0)
            return role;
    }
    return vtu->inPoints ? POINTS : ARRAYS;
}

// before bytes are read
static bool checkCompressor(Vtu *vtu)
{
    return vtu->unknown[0] == 0 ||
           readerFault(vtu->reader, "save it with zlib, or not packed",
                       "'%.32s' is not known: the data are packed by zlib or not at all", vtu->unknown);
}

static bool beginArray(Vtu *vtu, const XmlTag *tag)
{
    Reader *reader = vtu->reader;
    int role = roleOf(vtu, tag);
    if (role == ARRAYS || vtu->pieces == 0)
        return true;
    VtuArray *array = &vtu->piece[vtu->pieces - 1].array[role];
    const char *format = xmlAttribute(tag, "format", "ascii");
    if (array->present)
        return readerFault(reader, "keep one of them", "a second array of %s", arrayName[role]);
    *array = (VtuArray){ .present = true, .offset = -1, .line = reader->source.line };
    if (role == POINTS && strcmp(xmlAttribute(tag, "NumberOfComponents", "3"), "3") != 0)
        return readerFault(reader, "write points with three coordinates", "the points have not three coordinates");
    if (!readType(reader, xmlAttribute(tag, "type", ""), &array->type))
        return false;
    if (strcmp(format, "appended") == 0)
        return xmlWhole(reader, tag, "offset", 1ll << 50, &array->offset);
    if (tag->empty)
        return true;
    if (strcmp(format, "binary") == 0)
    {
        VtuCoding coding = vtu->coding;
        coding.base64 = true;
        return checkCompressor(vtu) && vtuBytes(reader, &coding, array);
    }
    return strcmp(format, "ascii") == 0
               ? vtuText(reader, array)
               : readerFault(reader, "write the file again", "the format '%.24s' is not known", format);
}

// ---- appended data --------------------------------------------------------------------------------------------------

// the array that begins next, at or behind `from`; NULL: no more
static VtuArray *nextArray(Vtu *vtu, long long from)
{
    VtuArray *first = NULL;
    for (int p = 0; p < vtu->pieces; ++p)
    {
        for (int role = 0; role < ARRAYS; ++role)
        {
            VtuArray *array = &vtu->piece[p].array[role];
            bool waits = array->present && array->offset >= from && array->bytes == NULL;
            if (waits && (first == NULL || array->offset < first->offset))
                first = array;
        }
    }
    return first;
}

static bool readAppended(Vtu *vtu, const XmlTag *tag)
{
    Reader *reader = vtu->reader;
    VtuCoding coding = vtu->coding;
    const char *encoding = xmlAttribute(tag, "encoding", "base64");
    coding.base64 = strcmp(encoding, "raw") != 0;
    if (coding.base64 && strcmp(encoding, "base64") != 0)
        return readerFault(reader, "write the file again", "the encoding '%.24s' is not known", encoding);
    if (!checkCompressor(vtu))
        return false;
    xmlSkipSpace(reader);
    if (sourceNext(&reader->source) != '_')
        return readerFault(reader, "write the file again", "the appended data do not begin with '_'");
    long long begin = (long long)sourceOffset(&reader->source);
    for (VtuArray *array; (array = nextArray(vtu, 0)) != NULL;)
    {
        long long at = (long long)sourceOffset(&reader->source) - begin;
        reader->source.line = array->line;
        if (array->offset < at)
            return readerFault(reader, "write the file again", "the array at offset %lld begins within another one",
                               array->offset);
        if (array->offset - at > (long long)sourceBytesLeft(&reader->source) ||
            !sourceSkip(&reader->source, (size_t)(array->offset - at)))
            return readerEndFault(reader);
        if (!vtuBytes(reader, &coding, array))
            return false;
    }
    vtu->ended = true;
    return true;
}

// ---- from arrays to elements ----------------------------------------------------------------------------------------

static bool wrongCount(Reader *reader, const VtuArray *array, int role, long long expected)
{
    reader->source.line = array->line;
    return readerFault(reader, "write the file again", "the array of %s has %zu numbers, must have %lld",
                       arrayName[role], vtuCount(array), expected);
}

static bool realAt(Reader *reader, const VtuArray *array, size_t index, double *value)
{
    size_t size = numberSize(array->type);
    return numberReal(array->type, array->bytes + size * index, array->bigEndian, value) ||
           readerFault(reader, "write the file again, or repair the number", "the number is not finite");
}

static bool wholeAt(Reader *reader, const VtuArray *array, size_t index, long long *value)
{
    size_t size = numberSize(array->type);
    return numberInteger(array->type, array->bytes + size * index, array->bigEndian, value) ||
           readerFault(reader, "write the file again, or repair the number", "the number is not whole");
}

static bool piecePoints(Reader *reader, const Piece *piece)
{
    const VtuArray *array = &piece->array[POINTS];
    if (vtuCount(array) != 3 * (size_t)piece->points)
        return wrongCount(reader, array, POINTS, 3 * (long long)piece->points);
    reader->what = "point";
    reader->count = piece->points;
    reader->source.line = array->line;
    if (!reservePoints(reader, piece->points))
        return false;
    for (int i = 0; i < piece->points; ++i)
    {
        double point[3];
        reader->number = i;
        for (size_t c = 0; c < 3; ++c)
        {
            if (!realAt(reader, array, 3 * (size_t)i + c, &point[c]))
                return false;
        }
        if (!addPoint(reader, point))
            return false;
    }
    return true;
}

// `base`: points of the pieces before
static bool fillCells(Reader *reader, const Piece *piece, int base, Cells *cells)
{
    const VtuArray *offsets = &piece->array[OFFSETS], *points = &piece->array[CONNECTIVITY];
    cells->start = ALLOCATE(reader->memory, int, (size_t)piece->cells + 1);
    cells->point = ALLOCATE(reader->memory, int, vtuCount(points) + 1);
    if (cells->start == NULL || cells->point == NULL || !cellsMark(reader, cells))
        return readerOutOfMemory(reader);
    cells->count = piece->cells;
    reader->what = "cell";
    for (int c = 0; c < piece->cells; ++c)
    {
        long long end, point;
        reader->number = c;
        if (!wholeAt(reader, offsets, (size_t)c, &end))
            return false;
        if (end < cells->start[c] || end > (long long)vtuCount(points))
            return readerFault(reader, "repair the offsets: each is where its cell ends, and none falls",
                               "the offset %lld follows %d, and there are %zu connections", end, cells->start[c],
                               vtuCount(points));
        for (int i = cells->start[c]; i < end; ++i)
        {
            if (!wholeAt(reader, points, (size_t)i, &point))
                return false;
            if (point < 0 || point >= piece->points)
                return readerFault(reader, "repair the cell", "it names point %lld, the piece has 0 to %d", point,
                                   piece->points - 1);
            cells->point[i] = base + (int)point;
        }
        cells->start[c + 1] = (int)end;
    }
    return true;
}

static bool pieceCells(Reader *reader, const Piece *piece, int base)
{
    Cells cells = { 0 };
    for (int role = OFFSETS; role <= TYPES; ++role)
    {
        if (vtuCount(&piece->array[role]) != (size_t)piece->cells)
            return wrongCount(reader, &piece->array[role], role, piece->cells);
    }
    if (vtuCount(&piece->array[CONNECTIVITY]) >= (size_t)INT_MAX)
        return wrongCount(reader, &piece->array[CONNECTIVITY], CONNECTIVITY, INT_MAX);
    reader->count = piece->cells;
    reader->source.line = piece->array[CONNECTIVITY].line;
    bool ok = fillCells(reader, piece, base, &cells);
    for (int c = 0; c < piece->cells && ok; ++c)
    {
        long long type;
        ok = wholeAt(reader, &piece->array[TYPES], (size_t)c, &type) && cellsPlace(reader, &cells, c, type);
    }
    cellsRelease(reader, &cells);
    return ok;
}

static bool placePieces(Vtu *vtu)
{
    Reader *reader = vtu->reader;
    for (int p = 0; p < vtu->pieces; ++p)
    {
        int base = reader->pointCount;
        reader->unpacked = 0;
        for (int role = 0; role < ARRAYS; ++role)
            reader->unpacked += vtu->piece[p].array[role].size;
        if (!piecePoints(reader, &vtu->piece[p]) || !pieceCells(reader, &vtu->piece[p], base))
            return false;
    }
    reader->what = NULL;
    return true;
}

// ---- the file -------------------------------------------------------------------------------------------------------

static bool readTags(Vtu *vtu)
{
    Reader *reader = vtu->reader;
    while (!vtu->ended)
    {
        XmlTag tag;
        if (!xmlTag(reader, &tag))
            return false;
        bool ok = true, ends = tag.name[0] == '/';
        const char *name = tag.name + ends;
        if (!vtu->begun && strcmp(name, "VTKFile") != 0)
            ok = readerFault(reader, "check that the file is what its ending or 'format' says",
                             "the first tag is not VTKFile, as in a VTU file");
        else if (strcmp(name, "VTKFile") == 0 && !ends)
            ok = beginFile(vtu, &tag);
        else if (strcmp(name, "VTKFile") == 0)
            vtu->ended = true;
        else if (strcmp(name, "Piece") == 0 && !ends)
            ok = beginPiece(vtu, &tag);
        else if (strcmp(name, "Points") == 0)
            vtu->inPoints = !ends && !tag.empty;
        else if (strcmp(name, "Cells") == 0)
            vtu->inCells = !ends && !tag.empty;
        else if (strcmp(name, "DataArray") == 0 && !ends)
            ok = beginArray(vtu, &tag);
        else if (strcmp(name, "AppendedData") == 0 && !ends)
            ok = readAppended(vtu, &tag);
        if (!ok)
            return false;
    }
    if (nextArray(vtu, 0) != NULL)
        return readerFault(reader, "write the file again", "arrays are appended, but the file has no AppendedData");
    return true;
}

bool readVtu(Reader *reader)
{
    Vtu vtu = { .reader = reader };
    reader->first = 0;
    bool ok = readTags(&vtu) && placePieces(&vtu);
    for (int p = 0; p < vtu.pieces; ++p)
    {
        for (int role = 0; role < ARRAYS; ++role)
            memoryRelease(reader->memory, vtu.piece[p].array[role].bytes);
    }
    memoryRelease(reader->memory, vtu.piece);
    return ok;
}
