// Medit .meshb, binary, versions 1 to 4: L. Marechal, "Handling unstructured meshes in GMF files", the manual of
// libMeshb. Every section has the number of its keyword, the place of the next section and a count; a reference stands
// behind every entity.
#include "mesh/file.h"

typedef struct Meshb
{
    Reader *reader;
    NumberType real, whole, place; // of coordinates, of numbers, of places in the file
    long long next;                // where the next section begins; 0: there is none
    bool points;                   // they were read
} Meshb;

enum
{
    KEYWORD_DIMENSION = 3,
    KEYWORD_VERTICES = 4,
    KEYWORD_EDGES = 5,
    KEYWORD_TRIANGLES = 6,
    KEYWORD_QUADRILATERALS = 7,
    KEYWORD_TETRAHEDRA = 8,
    KEYWORD_PRISMS = 9,
    KEYWORD_HEXAHEDRA = 10,
    KEYWORD_PYRAMIDS = 49,
    KEYWORD_END = 54,
};

// ---- sections -------------------------------------------------------------------------------------------------------

static bool readDimension(Meshb *meshb)
{
    long long dimension;
    if (!readIntegerOf(meshb->reader, NUMBER_INT32, &dimension))
        return false;
    return dimension == 3 || readerFault(meshb->reader, "write the mesh with three coordinates",
                                         "the dimension is %lld, must be 3", dimension);
}

static bool readVertices(Meshb *meshb)
{
    Reader *reader = meshb->reader;
    int count;
    if (meshb->points)
        return readerFault(reader, "keep one of them", "a second section of vertices");
    meshb->points = true;
    if (!readCountOf(reader, meshb->whole, "vertices", VV_MAX_VERTICES, &count) || !reservePoints(reader, count))
        return false;
    reader->what = "vertex";
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        reader->number = i + 1;
        if (!readPointOf(reader, meshb->real) || !skipNumbers(reader, meshb->whole, 1))
            return false;
    }
    return true;
}

static bool readElements(Meshb *meshb, int kind, const char *name, const char *plural)
{
    Reader *reader = meshb->reader;
    int count;
    if (!readCountOf(reader, meshb->whole, plural, MOST_ELEMENTS, &count) || !reserveElements(reader, kind, count))
        return false;
    reader->what = name;
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        int corner[4];
        long long place = (long long)sourceOffset(&reader->source);
        reader->number = i + 1;
        if (!readCornersOf(reader, meshb->whole, kind, 1, corner))
            return false;
        reader->source.line = place;
        if (!addElement(reader, kind, corner) || !skipNumbers(reader, meshb->whole, 1))
            return false;
    }
    return true;
}

static bool countOthers(Meshb *meshb)
{
    int count;
    if (!readCountOf(meshb->reader, meshb->whole, "elements", MOST_ELEMENTS, &count))
        return false;
    meshb->reader->ignored += count;
    return true;
}

static bool readSection(Meshb *meshb, long long keyword)
{
    switch (keyword)
    {
    case KEYWORD_DIMENSION:
        return readDimension(meshb);
    case KEYWORD_VERTICES:
        return readVertices(meshb);
    case KEYWORD_EDGES:
        return readElements(meshb, EDGE, "edge", "edges");
    case KEYWORD_TRIANGLES:
        return readElements(meshb, TRIANGLE, "triangle", "triangles");
    case KEYWORD_TETRAHEDRA:
        return readElements(meshb, TET, "tet", "tets");
    case KEYWORD_QUADRILATERALS:
    case KEYWORD_PRISMS:
    case KEYWORD_HEXAHEDRA:
    case KEYWORD_PYRAMIDS:
        return countOthers(meshb);
    default:
        return true;
    }
}

// ---- the file -------------------------------------------------------------------------------------------------------

static bool readHeader(Meshb *meshb)
{
    Reader *reader = meshb->reader;
    long long version;
    reader->source.binary = true;
    if (!readByteOrder(reader) || !readIntegerOf(reader, NUMBER_INT32, &version))
        return false;
    if (version < 1 || version > 4)
        return readerFault(reader, "write it as version 2, or as ascii (.mesh)", "the version is %lld, must be 1 to 4",
                           version);
    meshb->real = version == 1 ? NUMBER_FLOAT32 : NUMBER_FLOAT64;
    meshb->whole = version == 4 ? NUMBER_INT64 : NUMBER_INT32;
    meshb->place = version >= 3 ? NUMBER_INT64 : NUMBER_INT32;
    return true;
}

// to the next section: only forward
static bool moveOn(Meshb *meshb)
{
    Reader *reader = meshb->reader;
    long long at = (long long)sourceOffset(&reader->source);
    reader->what = NULL;
    reader->count = 0;
    reader->source.line = at;
    if (meshb->next < at)
        return readerFault(reader, "write the file again",
                           "the next section is said to begin at byte %lld, the one before ends behind it",
                           meshb->next);
    bool there = meshb->next - at <= (long long)sourceBytesLeft(&reader->source);
    return (there && sourceSkip(&reader->source, (size_t)(meshb->next - at))) || readerEndFault(reader);
}

bool readMeshb(Reader *reader)
{
    Meshb meshb = { .reader = reader };
    if (!readHeader(&meshb))
        return false;
    for (;;)
    {
        long long keyword;
        if (!readIntegerOf(reader, NUMBER_INT32, &keyword) || !readIntegerOf(reader, meshb.place, &meshb.next))
            return false;
        if (keyword == KEYWORD_END)
            return true;
        if (!readSection(&meshb, keyword) || !moveOn(&meshb))
            return false;
    }
}
