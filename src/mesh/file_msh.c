// Gmsh MSH 2.2 and 4.1, ascii: Gmsh reference manual, "MSH file format". Nodes have tags in any order, with gaps.
#include "mesh/file.h"
#include "mesh/tags.h"

#include <string.h>

typedef struct Msh
{
    Reader *reader;
    bool modern;    // 4.1
    bool plain;     // tags count up one by one from 1
    int tagRoom;    // of reader->pointTag
    Tags tags;      // where they do not
    bool nodesRead; //
} Msh;

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

// ---- lines ----------------------------------------------------------------------------------------------------------

// the next line that holds something
static bool nextLine(Msh *msh)
{
    if (sourceAtEnd(&msh->reader->source))
        return readerFault(msh->reader, "the file is cut off: write or copy it again", "the file ends too early");
    return true;
}

// passes the rest of a section, which ends with $End...
static bool skipSection(Msh *msh)
{
    char word[5];
    msh->reader->what = NULL;
    for (;;)
    {
        if (!nextLine(msh))
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
    if (!nextLine(msh))
        return false;
    sourceWord(&msh->reader->source, word, sizeof word);
    if (strcmp(word, expected) != 0)
        return readerFault(msh->reader, "correct the count of the section", "'%.24s' stands where %s was expected",
                           word, expected);
    sourceSkipLine(&msh->reader->source);
    return true;
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

// tags are kept only from the first that does not count on
static bool addTag(Msh *msh, long long tag, int place)
{
    Reader *reader = msh->reader;
    if (msh->plain && tag == place + 1)
        return true;
    if (place >= msh->tagRoom)
    {
        int room = maxInt(maxInt(64, reader->pointRoom), place + place / 2 + 1);
        void *block = reader->pointTag;
        if (!memoryGrow(reader->memory, &block, (size_t)msh->tagRoom, (size_t)room, sizeof(long long)))
        {
            reader->result = resultOutOfMemory("the tags of a Gmsh file");
            return false;
        }
        reader->pointTag = block;
        msh->tagRoom = room;
    }
    for (int i = 0; i < place && msh->plain; ++i)
        reader->pointTag[i] = i + 1;
    msh->plain = false;
    reader->pointTag[place] = tag;
    return true;
}

static bool finishTags(Msh *msh)
{
    Reader *reader = msh->reader;
    msh->nodesRead = true;
    reader->what = NULL;
    reader->count = 0;
    if (msh->plain)
        return true;
    int twice;
    if (!tagsBuild(&msh->tags, reader->memory, reader->pointTag, reader->pointCount, &twice))
    {
        reader->result = resultOutOfMemory("the tags of a Gmsh file");
        return false;
    }
    if (twice >= 0)
        return readerFault(reader, "renumber the mesh in Gmsh", "two nodes have the tag %lld", reader->pointTag[twice]);
    return true;
}

static bool readNodes2(Msh *msh)
{
    Reader *reader = msh->reader;
    int count;
    if (!nextLine(msh) || !readCount(reader, "nodes", VV_MAX_VERTICES, &count) || !reservePoints(reader, count))
        return false;
    reader->what = "node";
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        long long tag;
        reader->number = i + 1;
        if (!nextLine(msh) || !readInteger(reader, &tag) || !addTag(msh, tag, i) || !readPoint(reader))
            return false;
        sourceSkipLine(&reader->source);
    }
    return true;
}

// a block of 4.1: all tags, then all points
static bool readBlock(Msh *msh, int count)
{
    Reader *reader = msh->reader;
    int start = reader->pointCount;
    reader->what = "node";
    for (int i = 0; i < count; ++i)
    {
        long long tag;
        reader->number = start + i + 1;
        if (!nextLine(msh) || !readInteger(reader, &tag) || !addTag(msh, tag, start + i))
            return false;
    }
    for (int i = 0; i < count; ++i)
    {
        reader->number = start + i + 1;
        if (!nextLine(msh) || !readPoint(reader))
            return false;
        sourceSkipLine(&reader->source); // parameters on the geometry may follow
    }
    return true;
}

static bool readNodes4(Msh *msh)
{
    Reader *reader = msh->reader;
    int blocks, total, count;
    long long skipped;
    if (!nextLine(msh) || !readCount(reader, "blocks", MOST_ELEMENTS, &blocks) ||
        !readCount(reader, "nodes", VV_MAX_VERTICES, &total) || !reservePoints(reader, total))
        return false;
    sourceSkipLine(&reader->source);
    for (int b = 0; b < blocks; ++b)
    {
        reader->what = "block";
        reader->number = b + 1;
        reader->count = 0;
        if (!nextLine(msh) || !readInteger(reader, &skipped) || !readInteger(reader, &skipped) ||
            !readInteger(reader, &skipped) || !readCount(reader, "nodes", VV_MAX_VERTICES - reader->pointCount, &count))
            return false;
        sourceSkipLine(&reader->source);
        reader->count = total;
        if (!readBlock(msh, count))
            return false;
    }
    reader->what = NULL;
    if (reader->pointCount != total)
        return readerFault(reader, "correct the count of the section", "the blocks have %d nodes, the section says %d",
                           reader->pointCount, total);
    return true;
}

// ---- elements -------------------------------------------------------------------------------------------------------

static bool readTagged(Msh *msh, int kind)
{
    Reader *reader = msh->reader;
    int corner[4];
    for (int i = 0; i < kind; ++i)
    {
        long long tag;
        if (!readInteger(reader, &tag))
            return false;
        long long place = msh->plain ? tag - 1 : tagsFind(&msh->tags, reader->pointTag, tag);
        if (place < 0 || place >= reader->pointCount)
            return readerFault(reader, "repair the element, or add the node it needs",
                               "it names node %lld, which the file does not have", tag);
        corner[i] = (int)place;
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
    if (!nextLine(msh) || !readInteger(reader, &tag) || !readInteger(reader, &type) || !readInteger(reader, &tagCount))
        return false;
    int kind = kindOf(type);
    if (kind == 0)
        ignore(reader, type, 1);
    for (long long i = 0; i < tagCount && kind > 0; ++i)
    {
        if (!readInteger(reader, &skipped))
            return false;
    }
    if (kind > 0 && !readTagged(msh, kind))
        return false;
    sourceSkipLine(&reader->source);
    return true;
}

static bool readElements2(Msh *msh)
{
    Reader *reader = msh->reader;
    int count;
    if (!nextLine(msh) || !readCount(reader, "elements", MOST_ELEMENTS, &count))
        return false;
    reader->what = "element";
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        reader->number = i + 1;
        if (!readElement2(msh))
            return false;
    }
    return true;
}

static bool readElements4(Msh *msh)
{
    Reader *reader = msh->reader;
    int blocks, total, count;
    long long skipped, type;
    if (!nextLine(msh) || !readCount(reader, "blocks", MOST_ELEMENTS, &blocks) ||
        !readCount(reader, "elements", MOST_ELEMENTS, &total))
        return false;
    sourceSkipLine(&reader->source);
    long long done = 0;
    for (int b = 0; b < blocks; ++b)
    {
        reader->what = "block";
        reader->number = b + 1;
        reader->count = 0;
        if (!nextLine(msh) || !readInteger(reader, &skipped) || !readInteger(reader, &skipped) ||
            !readInteger(reader, &type) || !readCount(reader, "elements", total - done, &count))
            return false;
        sourceSkipLine(&reader->source);
        int kind = kindOf(type);
        if (kind > 0 && !reserveElements(reader, kind, count))
            return false;
        reader->what = "element";
        reader->count = total;
        for (int i = 0; i < count; ++i)
        {
            reader->number = ++done;
            if (!nextLine(msh) || (kind > 0 && (!readInteger(reader, &skipped) || !readTagged(msh, kind))))
                return false;
            sourceSkipLine(&reader->source);
        }
        if (kind == 0)
            ignore(reader, type, count);
    }
    return true;
}

// ---- the file -------------------------------------------------------------------------------------------------------

static bool readFormat(Msh *msh)
{
    Reader *reader = msh->reader;
    char version[16];
    long long binary;
    if (!nextLine(msh) || !readWord(reader, version, sizeof version) || !readInteger(reader, &binary))
        return false;
    msh->modern = strcmp(version, "4.1") == 0;
    bool classic = strcmp(version, "2") == 0 || strncmp(version, "2.", 2) == 0;
    if (!msh->modern && !classic)
        return readerFault(reader, "save as version 2.2 or 4.1: gmsh -format msh41",
                           "the MSH version is %s, must be 2.2 or 4.1", version);
    if (binary != 0)
        return readerFault(reader, "save as ascii: gmsh without -bin, or Mesh.Binary = 0", "the MSH file is binary");
    sourceSkipLine(&reader->source);
    return endSection(msh, "$EndMeshFormat");
}

static bool readSection(Msh *msh, const char *word)
{
    Reader *reader = msh->reader;
    if (strcmp(word, "$Nodes") == 0)
    {
        if (msh->nodesRead)
            return readerFault(reader, "keep one of them", "a second section $Nodes");
        return (msh->modern ? readNodes4(msh) : readNodes2(msh)) && finishTags(msh) && endSection(msh, "$EndNodes");
    }
    if (strcmp(word, "$Elements") == 0)
    {
        if (!msh->nodesRead)
            return readerFault(reader, "put $Nodes before $Elements", "$Elements come before $Nodes");
        return (msh->modern ? readElements4(msh) : readElements2(msh)) && endSection(msh, "$EndElements");
    }
    return skipSection(msh);
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
