// PLY, ascii and binary of either byte order: G. Turk, "The PLY Polygon File Format". A header lists elements and their
// properties; of vertices x, y and z are read, of faces the list of corners and their texture coordinates, of edges
// both ends, the rest is passed. Texture coordinates of vertices, s and t, are those of all their corners.
#include "mesh/file.h"

#include <string.h>

#define MOST_GROUPS 16
#define MOST_PROPERTIES 256

typedef enum Use // of a property
{
    USE_NONE,
    USE_X,
    USE_Y,
    USE_Z,
    USE_FIRST, // of an edge
    USE_SECOND,
    USE_CORNERS,
    USE_U, // of a vertex
    USE_V,
    USE_COORDINATES, // of the corners of a face, behind them: u and v of each
} Use;

typedef struct Property
{
    NumberType type;
    NumberType length; // of a list; NUMBER_TYPES: it is none
    Use use;
} Property;

typedef enum GroupKind
{
    GROUP_NONE,
    GROUP_POINTS,
    GROUP_FACES,
    GROUP_LINES,
    GROUP_OTHER, // that could carry matter
} GroupKind;

typedef struct Group // of elements
{
    GroupKind kind;
    int count;
    int first, properties; // in Ply.property
} Group;

typedef struct Ply
{
    Reader *reader;
    Group group[MOST_GROUPS];
    Property property[MOST_PROPERTIES];
    int groups, properties;
    int firstRow; // texture coordinates of the first vertex; -1: vertices have none
} Ply;

// ---- header ---------------------------------------------------------------------------------------------------------

static bool headerFault(Reader *reader, const char *word, const char *expected)
{
    return readerFault(reader, "repair the header, or write the file again", "'%.24s' stands where %s was expected",
                       word, expected);
}

static bool readType(Reader *reader, NumberType *type)
{
    static const char *const names[][2] = {
        [NUMBER_INT8] = { "char", "int8" },        [NUMBER_UINT8] = { "uchar", "uint8" },
        [NUMBER_INT16] = { "short", "int16" },     [NUMBER_UINT16] = { "ushort", "uint16" },
        [NUMBER_INT32] = { "int", "int32" },       [NUMBER_UINT32] = { "uint", "uint32" },
        [NUMBER_INT64] = { "int64", "long" },      [NUMBER_UINT64] = { "uint64", "ulong" },
        [NUMBER_FLOAT32] = { "float", "float32" }, [NUMBER_FLOAT64] = { "double", "float64" },
    };
    char word[24];
    if (!readWord(reader, word, sizeof word))
        return false;
    for (int i = 0; i < NUMBER_TYPES; ++i)
    {
        *type = (NumberType)i;
        if (strcmp(word, names[i][0]) == 0 || strcmp(word, names[i][1]) == 0)
            return true;
    }
    return headerFault(reader, word, "the type of a property");
}

static bool readFormat(Reader *reader, bool *binary)
{
    char word[32];
    if (!readWord(reader, word, sizeof word))
        return false;
    bool big = strcmp(word, "binary_big_endian") == 0;
    *binary = big || strcmp(word, "binary_little_endian") == 0;
    reader->source.bigEndian = big;
    return *binary || strcmp(word, "ascii") == 0 ||
           headerFault(reader, word, "ascii, binary_little_endian or binary_big_endian");
}

static bool readGroup(Ply *ply)
{
    static const struct
    {
        const char *name;
        GroupKind kind;
    } known[] = { { "vertex", GROUP_POINTS },
                  { "face", GROUP_FACES },
                  { "edge", GROUP_LINES },
                  { "tristrips", GROUP_OTHER },
                  { "tetrahedra", GROUP_OTHER } };
    Reader *reader = ply->reader;
    char name[24];
    if (!readWord(reader, name, sizeof name))
        return false;
    if (ply->groups == MOST_GROUPS)
        return readerFault(reader, "write the file with less in it", "more than %d kinds of elements", MOST_GROUPS);
    Group *group = &ply->group[ply->groups];
    *group = (Group){ .first = ply->properties };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        group->kind = strcmp(name, known[i].name) == 0 ? known[i].kind : group->kind;
    for (int i = 0; i < ply->groups; ++i)
    {
        if (group->kind == GROUP_POINTS && ply->group[i].kind == GROUP_POINTS)
            return readerFault(reader, "keep one of them", "a second 'element vertex'");
    }
    ply->groups += 1;
    bool points = group->kind == GROUP_POINTS;
    return readCount(reader, points ? "vertices" : "elements", points ? VV_MAX_VERTICES : MOST_ELEMENTS, &group->count);
}

static Use useOf(GroupKind kind, const char *name, bool list)
{
    static const struct
    {
        GroupKind kind;
        const char *name;
        Use use;
        bool list;
    } uses[] = {
        { GROUP_POINTS, "x", USE_X, false },
        { GROUP_POINTS, "y", USE_Y, false },
        { GROUP_POINTS, "z", USE_Z, false },
        { GROUP_LINES, "vertex1", USE_FIRST, false },
        { GROUP_LINES, "vertex2", USE_SECOND, false },
        { GROUP_FACES, "vertex_indices", USE_CORNERS, true },
        { GROUP_FACES, "vertex_index", USE_CORNERS, true },
        { GROUP_FACES, "texcoord", USE_COORDINATES, true },
        { GROUP_POINTS, "s", USE_U, false },
        { GROUP_POINTS, "t", USE_V, false },
        { GROUP_POINTS, "u", USE_U, false },
        { GROUP_POINTS, "v", USE_V, false },
        { GROUP_POINTS, "texture_u", USE_U, false },
        { GROUP_POINTS, "texture_v", USE_V, false },
    };
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; ++i)
    {
        if (uses[i].kind == kind && uses[i].list == list && strcmp(uses[i].name, name) == 0)
            return uses[i].use;
    }
    return USE_NONE;
}

// "property float x", "property list uchar int vertex_indices"
static bool readProperty(Ply *ply)
{
    Reader *reader = ply->reader;
    char name[24];
    if (ply->groups == 0)
        return readerFault(reader, "put 'element' before it", "a property before the first element");
    if (ply->properties == MOST_PROPERTIES)
        return readerFault(reader, "write the file with less in it", "more than %d properties", MOST_PROPERTIES);
    Group *group = &ply->group[ply->groups - 1];
    Property *property = &ply->property[ply->properties];
    property->length = NUMBER_TYPES;
    bool list = sourceSeek(&reader->source) && strncmp(reader->source.at, "list", 4) == 0;
    if (list && (!readWord(reader, name, sizeof name) || !readType(reader, &property->length)))
        return false;
    if (!readType(reader, &property->type) || !readWord(reader, name, sizeof name))
        return false;
    property->use = useOf(group->kind, name, list);
    group->properties += 1;
    ply->properties += 1;
    return true;
}

// every use once
static bool checkUses(Ply *ply, const Group *group, Use first, Use last, const char *what)
{
    for (Use use = first; use <= last; ++use)
    {
        int found = 0;
        for (int i = 0; i < group->properties; ++i)
            found += ply->property[group->first + i].use == use;
        if (found != 1)
            return readerFault(ply->reader, "write the file with what a mesh needs",
                               "%s: one of each is needed, the header has %d of one of them", what, found);
    }
    return true;
}

static bool checkHeader(Ply *ply)
{
    bool ok = true;
    for (int i = 0; i < ply->groups && ok; ++i)
    {
        const Group *group = &ply->group[i];
        if (group->kind == GROUP_POINTS)
            ok = checkUses(ply, group, USE_X, USE_Z, "properties x, y and z of vertices");
        if (group->kind == GROUP_FACES)
            ok = checkUses(ply, group, USE_CORNERS, USE_CORNERS, "list vertex_indices of faces");
        if (group->kind == GROUP_LINES)
            ok = checkUses(ply, group, USE_FIRST, USE_SECOND, "properties vertex1 and vertex2 of edges");
    }
    return ok;
}

static bool readHeader(Ply *ply)
{
    Reader *reader = ply->reader;
    char word[24];
    bool formatted = false, binary = false;
    if (!readWord(reader, word, sizeof word))
        return false;
    if (strcmp(word, "ply") != 0)
        return readerFault(reader, "check that the file is what its ending or 'format' says",
                           "the file does not begin with 'ply', as a PLY file does");
    for (;;)
    {
        sourceSkipLine(&reader->source);
        if (sourceAtEnd(&reader->source))
            return readerEndFault(reader);
        sourceWord(&reader->source, word, sizeof word);
        bool ok = true;
        if (strcmp(word, "end_header") == 0)
            break;
        if (strcmp(word, "format") == 0)
            ok = formatted = readFormat(reader, &binary);
        else if (strcmp(word, "element") == 0)
            ok = readGroup(ply);
        else if (strcmp(word, "property") == 0)
            ok = readProperty(ply);
        else if (strcmp(word, "comment") != 0 && strcmp(word, "obj_info") != 0)
            ok = headerFault(reader, word, "a word of a PLY header");
        if (!ok)
            return false;
    }
    if (!formatted)
        return readerFault(reader, "repair the header, or write the file again", "the header has no line 'format'");
    if (!checkHeader(ply))
        return false;
    // bytes begin behind the end of the line
    if (sourceSeek(&reader->source))
        return readerFault(reader, "repair the header", "something stands behind end_header");
    sourceSkipLine(&reader->source);
    reader->source.binary = binary;
    return true;
}

// ---- elements -------------------------------------------------------------------------------------------------------

static bool passProperty(Reader *reader, const Property *property)
{
    int count = 1;
    if (property->length != NUMBER_TYPES && !readCountOf(reader, property->length, "numbers", MOST_ELEMENTS, &count))
        return false;
    return skipNumbers(reader, property->type, count);
}

// a pair for every corner that was read, or something else
static bool readCoordinates(Reader *reader, const Property *property, int corners)
{
    FaceList *faces = &reader->faces;
    int count;
    if (!readCountOf(reader, property->length, "numbers", MOST_ELEMENTS, &count))
        return false;
    if (count != 2 * (long long)corners)
        return skipNumbers(reader, property->type, count);
    for (int i = 0; i < count; ++i)
    {
        double value;
        if (!readRealOf(reader, property->type, &value))
            return false;
        if (i % 2 == 0)
            faceListMap(faces, i / 2, faces->coordinateValue.count / 2);
        if (!faceListReal(reader->memory, &faces->coordinateValue, value))
            return readerOutOfMemory(reader);
    }
    return true;
}

// the texture coordinates of a vertex: both, or none
static bool addPair(Ply *ply, const double *pair, int numbers)
{
    RealList *list = &ply->reader->faces.coordinateValue;
    if (numbers != 2)
        return true;
    if (ply->firstRow < 0)
        ply->firstRow = list->count / 2;
    bool enough = faceListReal(ply->reader->memory, list, pair[0]) && faceListReal(ply->reader->memory, list, pair[1]);
    return enough || readerOutOfMemory(ply->reader);
}

static bool readElement(Ply *ply, const Group *group)
{
    Reader *reader = ply->reader;
    double point[3] = { 0 }, pair[2] = { 0 };
    int end[2] = { 0 }, count = 0, numbers = 0;
    for (int i = 0; i < group->properties; ++i)
    {
        const Property *property = &ply->property[group->first + i];
        bool ok;
        switch (property->use)
        {
        case USE_X:
        case USE_Y:
        case USE_Z:
            ok = readRealOf(reader, property->type, &point[property->use - USE_X]);
            break;
        case USE_FIRST:
        case USE_SECOND:
            ok = readCornersOf(reader, property->type, 1, 0, &end[property->use - USE_FIRST]);
            break;
        case USE_CORNERS:
            ok = readCountOf(reader, property->length, "corners", MOST_ELEMENTS, &count) &&
                 readPolygonOf(reader, property->type, count);
            break;
        case USE_U:
        case USE_V:
            ok = readRealOf(reader, property->type, &pair[property->use - USE_U]);
            numbers += 1;
            break;
        case USE_COORDINATES:
            ok = readCoordinates(reader, property, count);
            break;
        default:
            ok = passProperty(reader, property);
        }
        if (!ok)
            return false;
    }
    if (group->kind == GROUP_POINTS)
        return addPoint(reader, point) && addPair(ply, pair, numbers);
    return group->kind != GROUP_LINES || addElement(reader, EDGE, end);
}

static bool readElements(Ply *ply, const Group *group)
{
    static const char *const names[] = { "element", "vertex", "face", "edge", "element" };
    Reader *reader = ply->reader;
    bool room = group->kind == GROUP_POINTS  ? reservePoints(reader, group->count)
                : group->kind == GROUP_FACES ? reserveElements(reader, TRIANGLE, group->count)
                                             : true;
    if (group->kind == GROUP_OTHER)
        reader->ignored += group->count;
    reader->what = names[group->kind];
    reader->count = group->count;
    for (int i = 0; i < group->count && room && group->properties > 0; ++i)
    {
        reader->number = i;
        if (!readElement(ply, group))
            return false;
    }
    return room;
}

bool readPly(Reader *reader)
{
    Ply ply = { .reader = reader, .firstRow = -1 };
    reader->first = 0;
    reader->source.lines = true;
    if (!readHeader(&ply))
        return false;
    reader->source.lines = false;
    for (int i = 0; i < ply.groups; ++i)
    {
        if (!readElements(&ply, &ply.group[i]))
            return false;
    }
    // corners without texture coordinates of their own have those of their vertices
    FaceList *faces = &reader->faces;
    for (int c = 0; ply.firstRow >= 0 && c < faces->point.count; ++c)
    {
        if (faces->coordinate.value[c] < 0)
            faces->coordinate.value[c] = ply.firstRow + faces->point.value[c];
    }
    bool mapped = faces->coordinateValue.count > 0;
    return !mapped || faceListJoin(reader->memory, faces) || readerOutOfMemory(reader);
}
