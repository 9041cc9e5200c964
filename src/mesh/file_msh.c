// Gmsh MSH 2.2 and 4.1, ascii and binary: Gmsh reference manual, "MSH file format". Nodes have tags in any order, with
// gaps.
#include "mesh/msh.h"

#include <string.h>

// what an element is, by Gmsh's number of its type: corners come first whatever its order
static int kindOf(long long type)
{
    switch (type)
    {
    case 4:
    case 11:
    case 29:
    case 30:
    case 31:
        return TET;
    case 2:
    case 9:
    case 21:
    case 23:
    case 25:
        return TRIANGLE;
    case 1:
    case 8:
    case 26:
    case 27:
    case 28:
        return EDGE;
    default:
        return 0;
    }
}

// how many nodes an element of a type has; 0: unknown
static int nodesOf(long long type)
{
    static const unsigned char nodes[] = { 0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                           8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56 };
    if (type == 92 || type == 93)
        return type == 92 ? 64 : 125;
    return type > 0 && type < (long long)sizeof nodes ? nodes[type] : 0;
}

// ---- lines ----------------------------------------------------------------------------------------------------------

// the next line that holds something
bool mshNextLine(Msh *msh)
{
    if (!msh->reader->source.binary && sourceAtEnd(&msh->reader->source))
        return readerFault(msh->reader, "the file is cut off: write or copy it again", "the file ends too early");
    return true;
}

void mshEndLine(Msh *msh)
{
    if (!msh->reader->source.binary)
        sourceSkipLine(&msh->reader->source);
}

// passes the rest of a section, which ends with $End...
static bool skipSection(Msh *msh, const char *name)
{
    char word[5], end[48];
    msh->reader->what = NULL;
    if (msh->reader->source.binary)
    {
        snprintf(end, sizeof end, "$End%s", name + 1);
        return sourceFind(&msh->reader->source, end) || readerEndFault(msh->reader);
    }
    for (;;)
    {
        if (!mshNextLine(msh))
            return false;
        sourceWord(&msh->reader->source, word, sizeof word);
        sourceSkipLine(&msh->reader->source);
        if (strcmp(word, "$End") == 0)
            return true;
    }
}

static bool endSection(Msh *msh, const char *expected)
{
    char word[40];
    msh->reader->what = NULL;
    msh->reader->count = 0;
    if (sourceAtEnd(&msh->reader->source))
        return readerEndFault(msh->reader);
    sourceWord(&msh->reader->source, word, sizeof word);
    if (strcmp(word, expected) != 0)
        return readerFault(msh->reader, "correct the count of the section", "'%.24s' stands where %s was expected",
                           word, expected);
    sourceSkipLine(&msh->reader->source);
    return true;
}

// ---- elements -------------------------------------------------------------------------------------------------------

static bool readTagged(Msh *msh, long long type)
{
    Reader *reader = msh->reader;
    int corner[4], kind = kindOf(type);
    long long place = reader->source.line;
    for (int i = 0; i < kind; ++i)
    {
        long long tag;
        if (!readIntegerOf(reader, msh->tag, &tag))
            return false;
        long long found = msh->plain ? tag - 1 : tagsFind(&msh->tags, reader->pointTag, tag);
        if (found < 0 || found >= reader->pointCount)
            return readerFault(reader, "repair the element, or add the node it needs",
                               "it names node %lld, which the file does not have", tag);
        corner[i] = (int)found;
    }
    if (reader->source.binary)
    {
        reader->source.line = place; // of its own tag
        return addElement(reader, kind, corner) && skipNumbers(reader, msh->tag, nodesOf(type) - kind);
    }
    return addElement(reader, kind, corner);
}

// points carry no matter, and say nothing about what was left out
static void ignore(Reader *reader, long long type, long long count)
{
    if (type != 15)
        reader->ignored += count;
}

static bool readElement2(Msh *msh)
{
    Reader *reader = msh->reader;
    long long tag, type, tagCount, skipped;
    if (!mshNextLine(msh) || !readInteger(reader, &tag) || !readInteger(reader, &type) ||
        !readInteger(reader, &tagCount))
        return false;
    int kind = kindOf(type);
    if (kind == 0)
        ignore(reader, type, 1);
    for (long long i = 0; i < tagCount && kind > 0; ++i)
    {
        if (!readInteger(reader, &skipped))
            return false;
    }
    if (kind > 0 && !readTagged(msh, type))
        return false;
    sourceSkipLine(&reader->source);
    return true;
}

static bool typeFault(Reader *reader, long long type)
{
    return readerFault(reader, "save as ascii: gmsh without -bin, or Mesh.Binary = 0",
                       "elements of type %lld are unknown, their size too", type);
}

// Elements of one type one behind the other, each with its own tag and `tags` more numbers.
static bool readRun(Msh *msh, long long type, int count, long long tags)
{
    Reader *reader = msh->reader;
    int kind = kindOf(type), nodes = nodesOf(type);
    long long tag;
    if (nodes == 0 && count > 0)
        return typeFault(reader, type);
    if (kind == 0)
        ignore(reader, type, count);
    if (kind > 0 && !reserveElements(reader, kind, count))
        return false;
    for (int i = 0; i < count; ++i)
    {
        reader->number += 1;
        if (!readIntegerOf(reader, msh->tag, &tag) || !skipNumbers(reader, msh->tag, tags) ||
            !(kind > 0 ? readTagged(msh, type) : skipNumbers(reader, msh->tag, nodes)))
            return false;
    }
    return true;
}

// runs of one type, until there are as many as the section says
static bool readRuns2(Msh *msh, int total)
{
    Reader *reader = msh->reader;
    for (int done = 0, count; done < total; done += count)
    {
        long long type, tags;
        if (!readIntegerOf(reader, NUMBER_INT32, &type) ||
            !readCountOf(reader, NUMBER_INT32, "elements", total - done, &count) ||
            !readIntegerOf(reader, NUMBER_INT32, &tags))
            return false;
        if (tags < 0 || count == 0)
            return readerFault(reader, "write the file again", "a run of %d elements with %lld tags", count, tags);
        if (!readRun(msh, type, count, tags))
            return false;
    }
    return true;
}

static bool readElements2(Msh *msh)
{
    Reader *reader = msh->reader;
    int count;
    if (!mshNextLine(msh) || !readCount(reader, "elements", MOST_ELEMENTS, &count))
        return false;
    sourceSkipLine(&reader->source);
    reader->what = "element";
    reader->count = count;
    reader->number = 0;
    if (reader->source.binary)
        return readRuns2(msh, count);
    for (int i = 0; i < count; ++i)
    {
        reader->number = i + 1;
        if (!readElement2(msh))
            return false;
    }
    return true;
}

// a block of text: an element a line
static bool readBlock4(Msh *msh, long long type, int count)
{
    Reader *reader = msh->reader;
    int kind = kindOf(type);
    long long tag;
    if (kind == 0)
        ignore(reader, type, count);
    if (kind > 0 && !reserveElements(reader, kind, count))
        return false;
    for (int i = 0; i < count; ++i)
    {
        reader->number += 1;
        if (!mshNextLine(msh) || (kind > 0 && (!readInteger(reader, &tag) || !readTagged(msh, type))))
            return false;
        sourceSkipLine(&reader->source);
    }
    return true;
}

static bool readElements4(Msh *msh)
{
    Reader *reader = msh->reader;
    int blocks, total, count;
    long long skipped, type;
    if (!mshNextLine(msh) || !readCountOf(reader, msh->tag, "blocks", MOST_ELEMENTS, &blocks) ||
        !readCountOf(reader, msh->tag, "elements", MOST_ELEMENTS, &total) ||
        (reader->source.binary && !skipNumbers(reader, msh->tag, 2))) // the least and the largest tag
        return false;
    mshEndLine(msh);
    long long done = 0;
    for (int b = 0; b < blocks; ++b)
    {
        reader->what = "block";
        reader->number = b + 1;
        reader->count = 0;
        if (!mshNextLine(msh) || !readIntegerOf(reader, NUMBER_INT32, &skipped) ||
            !readIntegerOf(reader, NUMBER_INT32, &skipped) || !readIntegerOf(reader, NUMBER_INT32, &type) ||
            !readCountOf(reader, msh->tag, "elements", total - done, &count))
            return false;
        mshEndLine(msh);
        reader->what = "element";
        reader->number = done;
        reader->count = total;
        if (!(reader->source.binary ? readRun(msh, type, count, 0) : readBlock4(msh, type, count)))
            return false;
        done += count;
    }
    return true;
}

// ---- the file -------------------------------------------------------------------------------------------------------

static bool readFormat(Msh *msh)
{
    Reader *reader = msh->reader;
    char version[16];
    long long binary;
    if (!mshNextLine(msh) || !readWord(reader, version, sizeof version) || !readInteger(reader, &binary))
        return false;
    msh->modern = strcmp(version, "4.1") == 0;
    bool classic = strcmp(version, "2") == 0 || strncmp(version, "2.", 2) == 0;
    if (!msh->modern && !classic)
        return readerFault(reader, "save as version 2.2 or 4.1: gmsh -format msh41",
                           "the MSH version is %s, must be 2.2 or 4.1", version);
    long long size;
    if (!readInteger(reader, &size))
        return false;
    if (binary != 0 && size != 8)
        return readerFault(reader, "save as ascii: gmsh without -bin, or Mesh.Binary = 0",
                           "the sizes in the MSH file have %lld bytes, must be 8", size);
    sourceSkipLine(&reader->source);
    reader->source.binary = binary != 0;
    msh->tag = msh->modern ? NUMBER_UINT64 : NUMBER_INT32;
    if (binary != 0 && !readByteOrder(reader))
        return false;
    return endSection(msh, "$EndMeshFormat");
}

static bool readSection(Msh *msh, const char *word)
{
    Reader *reader = msh->reader;
    if (strcmp(word, "$Nodes") == 0)
    {
        if (msh->nodesRead)
            return readerFault(reader, "keep one of them", "a second section $Nodes");
        return mshNodes(msh) && endSection(msh, "$EndNodes");
    }
    if (strcmp(word, "$Elements") == 0)
    {
        if (!msh->nodesRead)
            return readerFault(reader, "put $Nodes before $Elements", "$Elements come before $Nodes");
        return (msh->modern ? readElements4(msh) : readElements2(msh)) && endSection(msh, "$EndElements");
    }
    return skipSection(msh, word);
}

static bool readSections(Msh *msh)
{
    Reader *reader = msh->reader;
    bool formatted = false;
    while (!sourceAtEnd(&reader->source))
    {
        char word[40];
        sourceWord(&reader->source, word, sizeof word);
        if (word[0] != '$' && !formatted)
            return readerFault(reader, "check that the file is what its ending or 'format' says",
                               "the file does not begin with a section $..., as a Gmsh file does");
        if (word[0] != '$')
            return readerFault(reader, "check that the file is what its ending or 'format' says",
                               "'%.24s' stands where a section of a Gmsh file, $..., was expected", word);
        bool format = strcmp(word, "$MeshFormat") == 0;
        bool data = strcmp(word, "$Nodes") == 0 || strcmp(word, "$Elements") == 0 || strcmp(word, "$NOD") == 0;
        if (data && !formatted)
            return readerFault(reader, "save as version 2.2 or 4.1: gmsh -format msh41",
                               "the file has no $MeshFormat before %s", word);
        sourceSkipLine(&reader->source);
        if (!(format ? readFormat(msh) : readSection(msh, word)))
            return false;
        formatted |= format;
        reader->what = NULL;
        reader->count = 0;
    }
    return true;
}

bool readMsh(Reader *reader)
{
    Msh msh = { .reader = reader, .plain = true };
    bool ok = readSections(&msh);
    tagsRelease(&msh.tags, reader->memory);
    return ok;
}

// ---- writing: 2.2, which the most programs read ---------------------------------------------------------------------

void writeMsh(Sink *sink, const vvMesh *mesh)
{
    static const char *const type[] = { [EDGE] = " 1 2 1 1 ", [TRIANGLE] = " 2 2 1 1 ", [TET] = " 4 2 1 1 " };
    sinkText(sink, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n");
    sinkInteger(sink, mesh->vertexCount);
    sinkText(sink, "\n");
    for (int v = 0; v < mesh->vertexCount; ++v)
    {
        sinkInteger(sink, v + 1);
        sinkText(sink, " ");
        sinkPoint(sink, mesh->callerPoint + 3 * (size_t)v, "\n");
    }
    WrittenSet set = writtenSet(mesh);
    sinkText(sink, "$EndNodes\n$Elements\n");
    sinkInteger(sink, set.count);
    sinkText(sink, "\n");
    for (int e = 0, number = 0; e < set.rows; ++e)
    {
        if (!isWritten(&set, e))
            continue;
        sinkInteger(sink, ++number);
        sinkText(sink, type[set.width]);
        sinkIndices(sink, set.corner + (size_t)set.width * (size_t)e, set.width, 1, "\n");
    }
    sinkText(sink, "$EndElements\n");
}
