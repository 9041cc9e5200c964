// Object File Format, ascii and binary: Geomview manual, "OFF Files". Normals, colours and texture coordinates are left
// out. OpenMesh writes the binary form with the least significant byte first and without the counts of colours.
#include "mesh/file.h"

#include <string.h>

typedef struct Off
{
    Reader *reader;
    int extra;    // numbers behind the three of a point
    bool colours; // binary: behind each face stands how many numbers its colour has, and these
} Off;

// ---- points and faces -----------------------------------------------------------------------------------------------

static bool nextLine(Reader *reader)
{
    return reader->source.binary || !sourceAtEnd(&reader->source) || readerEndFault(reader);
}

// Text: whatever follows on the line. Bytes: `count` numbers.
static bool passRest(Reader *reader, int count)
{
    if (reader->source.binary)
        return skipNumbers(reader, NUMBER_FLOAT32, count);
    sourceSkipLine(&reader->source);
    return true;
}

static bool readPoints(Off *off, int count)
{
    Reader *reader = off->reader;
    reader->what = "vertex";
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        reader->number = i;
        if (!nextLine(reader) || !readPointOf(reader, NUMBER_FLOAT32) || !passRest(reader, off->extra))
            return false;
    }
    return true;
}

static bool readFaces(Off *off, int count)
{
    Reader *reader = off->reader;
    reader->what = "face";
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        int corners, colours = 0;
        reader->number = i;
        if (!nextLine(reader) || !readCountOf(reader, NUMBER_INT32, "corners", MOST_ELEMENTS, &corners) ||
            !readPolygonOf(reader, NUMBER_INT32, corners))
            return false;
        if (off->colours && !readCountOf(reader, NUMBER_INT32, "numbers of a colour", MOST_ELEMENTS, &colours))
            return false;
        if (!passRest(reader, colours))
            return false;
    }
    return true;
}

// ---- the file -------------------------------------------------------------------------------------------------------

// whether so many points and faces as the header says fit into what is left of the file
static bool headerFits(const Source *source, const unsigned char *header, bool bigEndian)
{
    long long points, faces;
    return numberInteger(NUMBER_INT32, header, bigEndian, &points) &&
           numberInteger(NUMBER_INT32, header + 4, bigEndian, &faces) && points >= 0 && faces >= 0 &&
           (unsigned long long)(12 * points + 16 * faces) <= sourceBytesLeft(source);
}

// big-endian, unless only the other order makes sense
static void findByteOrder(Off *off)
{
    Source *source = &off->reader->source;
    const unsigned char *header = (const unsigned char *)sourceLook(source, 12);
    bool other = header != NULL && !headerFits(source, header, true) && headerFits(source, header, false);
    source->binary = true;
    source->bigEndian = off->colours = !other;
}

// "OFF", or with letters before it that say what else a vertex has: [ST][C][N][4][n]OFF
static bool readKeyword(Off *off)
{
    Reader *reader = off->reader;
    char word[16];
    if (!nextLine(reader) || !readWord(reader, word, sizeof word))
        return false;
    const char *c = word;
    bool texture = strncmp(c, "ST", 2) == 0;
    c += texture ? 2 : 0;
    bool colour = *c == 'C';
    c += colour;
    bool normal = *c == 'N';
    c += normal;
    off->extra = (texture ? 2 : 0) + (colour ? 4 : 0) + (normal ? 3 : 0);
    if (strcmp(c, "4OFF") == 0 || strcmp(c, "nOFF") == 0 || strcmp(c, "4nOFF") == 0)
        return readerFault(reader, "write the mesh with three coordinates", "the points of %s have more than three", c);
    if (strcmp(c, "OFF") != 0)
        return readerFault(reader, "check that the file is what its ending or 'format' says",
                           "the file does not begin with OFF, as an OFF file does");
    if (sourceSeek(&reader->source) && *reader->source.at == 'B')
    {
        sourceWord(&reader->source, word, sizeof word);
        if (strcmp(word, "BINARY") != 0)
            return readerFault(reader, "write OFF or OFF BINARY", "'%s' stands behind OFF", word);
        sourceSkipLine(&reader->source);
        findByteOrder(off);
    }
    return true;
}

bool readOff(Reader *reader)
{
    Off off = { .reader = reader };
    int points, faces;
    reader->first = 0;
    if (!readKeyword(&off) || !nextLine(reader) ||
        !readCountOf(reader, NUMBER_INT32, "vertices", VV_MAX_VERTICES, &points) ||
        !readCountOf(reader, NUMBER_INT32, "faces", MOST_ELEMENTS, &faces) || !passRest(reader, 1) ||
        !reservePoints(reader, points) || !reserveElements(reader, TRIANGLE, faces))
        return false;
    return readPoints(&off, points) && readFaces(&off, faces);
}
