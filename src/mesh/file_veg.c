// Vega .veg: J. Barbic, F. S. Sin, D. Schroeder, "Vega FEM Library", the format of its volumetric meshes. *VERTICES and
// *ELEMENTS as in TetGen's .node and .ele; materials, sets and regions are passed.
#include "mesh/file.h"

#include <string.h>

// ---- numbers in lines -----------------------------------------------------------------------------------------------

static bool nextLine(Reader *reader)
{
    return !sourceAtEnd(&reader->source) || readerEndFault(reader);
}

// the number of a point or an element: they count on from 0 or 1
static bool readNumber(Reader *reader, int place, long long *base)
{
    long long number;
    if (!readInteger(reader, &number))
        return false;
    if (place == 0)
        *base = number;
    if (*base != 0 && *base != 1)
        return readerFault(reader, "count from 0 or from 1", "it has the number %lld, the first is 0 or 1", number);
    return number == place + *base ||
           readerFault(reader, "number them one by one", "it has the number %lld, must be %lld", number, place + *base);
}

// ---- sections -------------------------------------------------------------------------------------------------------

// "8 3 0 0", then "1 x y z"
static bool readVertices(Reader *reader)
{
    int count;
    long long dimension, base = 1;
    if (reader->pointCount > 0)
        return readerFault(reader, "keep one of them", "a second section *VERTICES");
    if (!nextLine(reader) || !readCount(reader, "vertices", VV_MAX_VERTICES, &count) ||
        !readInteger(reader, &dimension) || !reservePoints(reader, count))
        return false;
    if (dimension != 3)
        return readerFault(reader, "write the mesh with three coordinates",
                           "the vertices have %lld coordinates, must be 3", dimension);
    sourceSkipLine(&reader->source);
    reader->what = "vertex";
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        reader->number = i + base;
        if (!nextLine(reader) || !readNumber(reader, i, &base) || !readPoint(reader))
            return false;
        sourceSkipLine(&reader->source);
    }
    reader->first = (int)base;
    return true;
}

// "TET", "5 4 0", then "1 1 2 3 4"; other kinds are counted
static bool readElements(Reader *reader)
{
    char word[16];
    int count;
    long long corners, base = 1;
    if (!nextLine(reader) || !readWord(reader, word, sizeof word))
        return false;
    bool tets = strcmp(word, "TET") == 0 || strcmp(word, "TETS") == 0;
    sourceSkipLine(&reader->source);
    if (!nextLine(reader) || !readCount(reader, "elements", MOST_ELEMENTS, &count) || !readInteger(reader, &corners))
        return false;
    if (tets && corners != 4)
        return readerFault(reader, "give the tets 4 points", "the tets have %lld points, must be 4", corners);
    if (tets && !reserveElements(reader, TET, count))
        return false;
    sourceSkipLine(&reader->source);
    reader->ignored += tets ? 0 : count;
    reader->what = "element";
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        int corner[4];
        reader->number = i + base;
        if (!nextLine(reader) || !readNumber(reader, i, &base) ||
            (tets && (!readCorners(reader, TET, reader->first, corner) || !addElement(reader, TET, corner))))
            return false;
        sourceSkipLine(&reader->source);
    }
    return true;
}

// ---- the file -------------------------------------------------------------------------------------------------------

bool readVeg(Reader *reader)
{
    bool points = false;
    while (!sourceAtEnd(&reader->source))
    {
        char word[24];
        bool ok = true;
        sourceWord(&reader->source, word, sizeof word);
        sourceSkipLine(&reader->source);
        if (strcmp(word, "*VERTICES") == 0)
            ok = points = readVertices(reader);
        else if (strcmp(word, "*ELEMENTS") == 0 && !points)
            ok = readerFault(reader, "put *VERTICES before *ELEMENTS", "*ELEMENTS come before *VERTICES");
        else if (strcmp(word, "*ELEMENTS") == 0)
            ok = readElements(reader);
        else if (strcmp(word, "*INCLUDE") == 0)
            ok = readerFault(reader, "put what it names into this file", "*INCLUDE of other files is not followed");
        else if (word[0] != '*' && !points)
            ok = readerFault(reader, "check that the file is what its ending or 'format' says",
                             "the file does not begin with a section *..., as a Vega file does");
        if (!ok)
            return false;
        reader->what = NULL;
        reader->count = 0;
    }
    return true;
}
