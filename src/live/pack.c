// Binary messages: a header, a table of sections, their contents. web/src/protocol.ts has the layout.
#include "live/session.h"

#include <string.h>

#define HEADER 24
#define ENTRY 16
#define MAGIC 0x31425656u // "VVB1"

static void putWord(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        at[i] = (unsigned char)(value >> 8 * i);
}

static uint32_t getWord(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static bool reserve(Live *live, Pack *pack, size_t size)
{
    if (size > UINT32_MAX)
        return false;
    if (size <= pack->capacity)
        return true;
    size_t capacity = size + size / 2 + 4096;
    void *block = pack->bytes;
    if (!memoryGrow(&live->memory, &block, pack->capacity, capacity, 1))
        return false;
    pack->bytes = block;
    pack->capacity = capacity;
    return true;
}

void packBegin(Live *live, Pack *pack, PackKind kind, int frame, double time, int mostSections)
{
    pack->size = HEADER + ENTRY * (size_t)mostSections;
    pack->sectionCount = 0;
    pack->mostSections = mostSections;
    pack->isStarved = !reserve(live, pack, pack->size);
    if (pack->isStarved)
        return;
    memset(pack->bytes, 0, pack->size);
    putWord(pack->bytes, MAGIC);
    putWord(pack->bytes + 4, (uint32_t)kind);
    putWord(pack->bytes + 12, (uint32_t)frame);
    memcpy(pack->bytes + 16, &time, sizeof time); // every machine that this is built for is little-endian
}

void *packSection(Live *live, Pack *pack, SectionKind kind, int object, int count, size_t width)
{
    size_t offset = (pack->size + 7) & ~(size_t)7, size = (size_t)count * width;
    if (pack->isStarved || pack->sectionCount == pack->mostSections || !reserve(live, pack, offset + size))
    {
        pack->isStarved = true;
        return NULL;
    }
    unsigned char *entry = pack->bytes + HEADER + ENTRY * (size_t)pack->sectionCount++;
    putWord(entry, (uint32_t)kind);
    putWord(entry + 4, (uint32_t)object);
    putWord(entry + 8, (uint32_t)count);
    putWord(entry + 12, (uint32_t)offset);
    memset(pack->bytes + pack->size, 0, offset + size - pack->size);
    pack->size = offset + size;
    return pack->bytes + offset;
}

void packSend(Live *live, Pack *pack)
{
    if (pack->isStarved)
    {
        vvResult result = resultOutOfMemory("a frame");
        liveError(live, "frame", NULL, &result);
        return;
    }
    putWord(pack->bytes + 8, (uint32_t)pack->sectionCount);
    live->options.send(live->options.context, true, pack->bytes, pack->size);
}

bool packIsUpload(const unsigned char *bytes, size_t size)
{
    return size >= HEADER && getWord(bytes) == MAGIC && getWord(bytes + 4) == PACK_UPLOAD;
}

const unsigned char *packFind(const unsigned char *bytes, size_t size, SectionKind kind, size_t *count)
{
    uint32_t sections = getWord(bytes + 8);
    for (uint32_t i = 0; i < sections && HEADER + ENTRY * ((size_t)i + 1) <= size; ++i)
    {
        const unsigned char *entry = bytes + HEADER + ENTRY * (size_t)i;
        size_t offset = getWord(entry + 12), length = getWord(entry + 8);
        if (getWord(entry) != (uint32_t)kind)
            continue;
        if (offset > size || length > size - offset)
            return NULL;
        *count = length;
        return bytes + offset;
    }
    return NULL;
}
