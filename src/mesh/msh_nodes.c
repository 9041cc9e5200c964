#include "mesh/msh.h"

// ---- tags -----------------------------------------------------------------------------------------------------------

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
    if (!mshNextLine(msh) || !readCount(reader, "nodes", VV_MAX_VERTICES, &count) || !reservePoints(reader, count))
        return false;
    sourceSkipLine(&reader->source);
    reader->what = "node";
    reader->count = count;
    for (int i = 0; i < count; ++i)
    {
        long long tag;
        reader->number = i + 1;
        if (!mshNextLine(msh) || !readIntegerOf(reader, msh->tag, &tag) || !addTag(msh, tag, i) ||
            !readPointOf(reader, NUMBER_FLOAT64))
            return false;
        mshEndLine(msh);
    }
    return true;
}

// a block of 4.1: all tags, then all points; behind each the `parameters` numbers of its place on the geometry
static bool readBlock(Msh *msh, int count, int parameters)
{
    Reader *reader = msh->reader;
    int start = reader->pointCount;
    reader->what = "node";
    for (int i = 0; i < count; ++i)
    {
        long long tag;
        reader->number = start + i + 1;
        if (!mshNextLine(msh) || !readIntegerOf(reader, msh->tag, &tag) || !addTag(msh, tag, start + i))
            return false;
    }
    for (int i = 0; i < count; ++i)
    {
        reader->number = start + i + 1;
        if (!mshNextLine(msh) || !readPointOf(reader, NUMBER_FLOAT64) ||
            (reader->source.binary && !skipNumbers(reader, NUMBER_FLOAT64, parameters)))
            return false;
        mshEndLine(msh);
    }
    return true;
}

static bool readNodes4(Msh *msh)
{
    Reader *reader = msh->reader;
    int blocks, total, count;
    long long dimension, skipped, parametric;
    if (!mshNextLine(msh) || !readCountOf(reader, msh->tag, "blocks", MOST_ELEMENTS, &blocks) ||
        !readCountOf(reader, msh->tag, "nodes", VV_MAX_VERTICES, &total) || !reservePoints(reader, total) ||
        (reader->source.binary && !skipNumbers(reader, msh->tag, 2))) // the least and the largest tag
        return false;
    mshEndLine(msh);
    for (int b = 0; b < blocks; ++b)
    {
        reader->what = "block";
        reader->number = b + 1;
        reader->count = 0;
        if (!mshNextLine(msh) || !readIntegerOf(reader, NUMBER_INT32, &dimension) ||
            !readIntegerOf(reader, NUMBER_INT32, &skipped) || !readIntegerOf(reader, NUMBER_INT32, &parametric) ||
            !readCountOf(reader, msh->tag, "nodes", VV_MAX_VERTICES - reader->pointCount, &count))
            return false;
        mshEndLine(msh);
        reader->count = total;
        bool placed = parametric != 0 && dimension > 0 && dimension < 4;
        if (!readBlock(msh, count, placed ? (int)dimension : 0))
            return false;
    }
    reader->what = NULL;
    if (reader->pointCount != total)
        return readerFault(reader, "correct the count of the section", "the blocks have %d nodes, the section says %d",
                           reader->pointCount, total);
    return true;
}

bool mshNodes(Msh *msh)
{
    return (msh->modern ? readNodes4(msh) : readNodes2(msh)) && finishTags(msh);
}
