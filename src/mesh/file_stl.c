// STL, ascii and binary: 3D Systems, "StereoLithography Interface Specification". Every face has its own three corners;
// those that are equal become one.
#include "mesh/file.h"

#include <ctype.h>
#include <string.h>

#define HEADER 80 // bytes of title
#define FACET 50  // normal, three corners, two bytes of anything

// ---- binary ---------------------------------------------------------------------------------------------------------

// Titles of binary files may begin with "solid" too: the size tells, or a zero, which no text has.
static bool isBinary(Reader *reader)
{
    Source *source = &reader->source;
    long long facets = 0;
    const char *start = sourceLook(source, HEADER + 4 - sourceOffset(source));
    if (start == NULL)
        return false;
    numberInteger(NUMBER_UINT32, (const unsigned char *)start + HEADER - sourceOffset(source), false, &facets);
    if (source->size == HEADER + 4 + FACET * (size_t)facets)
        return true;
    bool solid = true;
    for (int i = 0; i < 5; ++i)
        solid = solid && tolower((unsigned char)start[i]) == "solid"[i];
    return memchr(start, 0, HEADER + 4 - sourceOffset(source)) != NULL || (!solid && !isspace((unsigned char)start[0]));
}

static bool readFacet(Reader *reader)
{
    unsigned char bytes[FACET];
    int corner[3];
    if (!sourceBytes(&reader->source, bytes, sizeof bytes))
        return readerEndFault(reader);
    for (int i = 0; i < 3; ++i)
    {
        double point[3];
        for (int c = 0; c < 3; ++c)
        {
            if (!numberReal(NUMBER_FLOAT32, bytes + 12 * (i + 1) + 4 * c, false, &point[c]))
                return readerFault(reader, "write the file again", "corner %d is not finite", i + 1);
        }
        corner[i] = reader->pointCount;
        if (!addPoint(reader, point))
            return false;
    }
    return addElement(reader, TRIANGLE, corner);
}

static bool readBinary(Reader *reader)
{
    int count;
    reader->source.binary = true;
    if (!sourceSkip(&reader->source, HEADER - sourceOffset(&reader->source)))
        return readerEndFault(reader);
    if (!readCountOf(reader, NUMBER_UINT32, "facets", VV_MAX_VERTICES / 3, &count) ||
        !reservePoints(reader, 3 * count) || !reserveElements(reader, TRIANGLE, count))
        return false;
    reader->what = "facet";
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        reader->number = i + 1;
        if (!readFacet(reader))
            return false;
    }
    return true;
}

// ---- ascii ----------------------------------------------------------------------------------------------------------

static bool readLowered(Reader *reader, char *word, size_t size)
{
    if (!readWord(reader, word, size))
        return false;
    for (char *c = word; *c != 0; ++c)
        *c = (char)tolower((unsigned char)*c);
    return true;
}

static bool expect(Reader *reader, const char *expected)
{
    char word[24];
    if (!readLowered(reader, word, sizeof word))
        return false;
    return strcmp(word, expected) == 0 ||
           readerFault(reader, "repair the facet", "'%s' stands where '%s' was expected", word, expected);
}

// behind "facet": "normal x y z outer loop", the corners, "endloop endfacet"
static bool readFacetText(Reader *reader)
{
    char word[24];
    int corner[3] = { reader->pointCount, reader->pointCount + 1, reader->pointCount + 2 };
    long long line = reader->source.line;
    if (!expect(reader, "normal") || !skipNumbers(reader, NUMBER_FLOAT32, 3) || !expect(reader, "outer") ||
        !expect(reader, "loop"))
        return false;
    int corners = 0;
    for (;; ++corners)
    {
        if (!readLowered(reader, word, sizeof word))
            return false;
        if (strcmp(word, "vertex") != 0)
            break;
        if (!readPoint(reader))
            return false;
    }
    if (corners != 3)
        return readerFault(reader, "give the facet three vertices", "it has %d vertices", corners);
    if (strcmp(word, "endloop") != 0)
        return readerFault(reader, "repair the facet", "'%s' stands where 'endloop' was expected", word);
    if (!expect(reader, "endfacet"))
        return false;
    long long end = reader->source.line;
    reader->source.line = line;
    bool ok = addElement(reader, TRIANGLE, corner);
    reader->source.line = end;
    return ok;
}

static bool readText(Reader *reader)
{
    char word[24];
    bool inside = false;
    while (!sourceAtEnd(&reader->source))
    {
        if (!readLowered(reader, word, sizeof word))
            return false;
        bool begins = strcmp(word, "solid") == 0, ends = strcmp(word, "endsolid") == 0;
        if (!inside && !begins && reader->pointCount == 0)
            return readerFault(reader, "check that the file is what its ending or 'format' says",
                               "the file does not begin with 'solid', as an ascii STL file does");
        if (begins != !inside || (inside && !ends && strcmp(word, "facet") != 0))
            return readerFault(reader, "repair the line", "'%s' stands where '%s' was expected", word,
                               inside ? "facet or endsolid" : "solid");
        reader->what = inside && !ends ? "facet" : NULL;
        reader->number = reader->elements[TRIANGLE].count + 1;
        if (begins || ends)
        {
            sourceSkipLine(&reader->source); // its name
            inside = begins;
        }
        else if (!readFacetText(reader))
            return false;
    }
    reader->what = NULL;
    return !inside || readerEndFault(reader);
}

bool readStl(Reader *reader)
{
    return (isBinary(reader) ? readBinary(reader) : readText(reader)) && weldPoints(reader);
}
