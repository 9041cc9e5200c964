// Medit .mesh, ascii: keywords in any order, a count behind each, and a reference behind every entity. P. Frey, "MEDIT:
// an interactive mesh visualization software", INRIA RT-0253.
#include "mesh/file.h"

#include <string.h>

// ---- reading --------------------------------------------------------------------------------------------------------

static bool readVertices(Reader *reader)
{
    int count;
    if (reader->pointCount > 0)
        return readerFault(reader, "keep one of them", "a second section Vertices");
    if (!readCount(reader, "vertices", VV_MAX_VERTICES, &count) || !reservePoints(reader, count))
        return false;
    reader->what = "vertex";
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        long long reference;
        reader->number = i + 1;
        if (!readPoint(reader) || !readInteger(reader, &reference))
            return false;
    }
    return true;
}

static bool readElements(Reader *reader, int kind, const char *name, const char *plural)
{
    int count;
    if (!readCount(reader, plural, MOST_ELEMENTS, &count) || !reserveElements(reader, kind, count))
        return false;
    reader->what = name;
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        int corner[4];
        long long reference;
        reader->number = i + 1;
        if (!readCorners(reader, kind, 1, corner) || !addElement(reader, kind, corner) ||
            !readInteger(reader, &reference))
            return false;
    }
    return true;
}

static bool readDimension(Reader *reader)
{
    long long dimension;
    if (!readInteger(reader, &dimension))
        return false;
    if (dimension != 3)
        return readerFault(reader, "write the mesh with three coordinates", "Dimension is %lld, must be 3", dimension);
    return true;
}

static bool startsNumber(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

// other sections: all numbers up to the next keyword; solids and faces of other shapes are counted
static bool skipSection(Reader *reader, const char *word)
{
    static const char *const others[] = { "Hexahedra", "Quadrilaterals", "Prisms", "Pyramids", "Hexaedra" };
    long long count;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
    {
        if (strcmp(word, others[i]) != 0)
            continue;
        if (!readInteger(reader, &count))
            return false;
        reader->ignored += count > 0 && count < MOST_ELEMENTS ? count : 0;
    }
    while (sourceSeek(&reader->source) && startsNumber(*reader->source.at))
    {
        char skipped[4];
        sourceWord(&reader->source, skipped, sizeof skipped);
    }
    return true;
}

static bool readSection(Reader *reader, const char *word)
{
    if (strcmp(word, "Dimension") == 0)
        return readDimension(reader);
    if (strcmp(word, "Vertices") == 0)
        return readVertices(reader);
    if (strcmp(word, "Tetrahedra") == 0)
        return readElements(reader, TET, "tet", "tets");
    if (strcmp(word, "Triangles") == 0)
        return readElements(reader, TRIANGLE, "triangle", "triangles");
    if (strcmp(word, "Edges") == 0)
        return readElements(reader, EDGE, "edge", "edges");
    return skipSection(reader, word);
}

bool readMedit(Reader *reader)
{
    char word[40];
    if (!readWord(reader, word, sizeof word))
        return false;
    if (strcmp(word, "MeshVersionFormatted") != 0)
        return readerFault(reader, "check that the file is what its ending or 'format' says; binary Medit is .meshb",
                           "the file does not begin with MeshVersionFormatted, as a Medit file does");
    bool ended = false;
    while (!ended)
    {
        if (!readSection(reader, word))
            return false;
        reader->what = NULL;
        reader->count = 0;
        ended = !sourceSeek(&reader->source);
        if (ended)
            break;
        if (startsNumber(*reader->source.at))
            return readerFault(reader, "correct the count above, or remove the line",
                               "a number stands where a keyword was expected: the section has more than its count");
        sourceWord(&reader->source, word, sizeof word);
        ended = strcmp(word, "End") == 0;
    }
    return true;
}

// ---- writing --------------------------------------------------------------------------------------------------------

void writeMedit(Sink *sink, const vvMesh *mesh)
{
    static const char *const section[] = {
        [MATTER_SOLID] = "Tetrahedra\n", [MATTER_SHEET] = "Triangles\n", [MATTER_ROPE] = "Edges\n"
    };
    sinkText(sink, "MeshVersionFormatted 2\nDimension 3\nVertices\n");
    sinkInteger(sink, mesh->vertexCount);
    sinkText(sink, "\n");
    for (int v = 0; v < mesh->vertexCount; ++v)
        sinkPoint(sink, mesh->callerPoint + 3 * (size_t)v, " 0\n");
    WrittenSet set = writtenSet(mesh);
    sinkText(sink, section[mesh->matter]);
    sinkInteger(sink, set.count);
    sinkText(sink, "\n");
    for (int e = 0; e < set.rows; ++e)
    {
        if (isWritten(&set, e))
            sinkIndices(sink, set.corner + (size_t)set.width * (size_t)e, set.width, 1, " 0\n");
    }
    sinkText(sink, "End\n");
}
