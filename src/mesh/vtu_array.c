#include "mesh/vtu.h"

#include "base/decimal.h"
#include "mesh/inflate.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static bool arrayFault(Reader *reader, const char *what)
{
    return readerFault(reader, "write the file again", "%s", what);
}

static bool makeBytes(Reader *reader, VtuArray *array, size_t size)
{
    array->bytes = ALLOCATE(reader->memory, unsigned char, size > 0 ? size : 1);
    array->size = array->room = size;
    return array->bytes != NULL || readerOutOfMemory(reader);
}

// ---- words ----------------------------------------------------------------------------------------------------------

static bool addReal(Reader *reader, VtuArray *array, double value)
{
    unsigned long long bits;
    if (array->size + sizeof value > array->room)
    {
        size_t room = 2 * array->room + 1024;
        void *block = array->bytes;
        if (!memoryGrow(reader->memory, &block, array->size, room, 1))
            return readerOutOfMemory(reader);
        array->bytes = block;
        array->room = room;
    }
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 8; ++i)
        array->bytes[array->size++] = (unsigned char)(bits >> 8 * i);
    return true;
}

bool vtuText(Reader *reader, VtuArray *array)
{
    Source *source = &reader->source;
    array->type = NUMBER_FLOAT64;
    array->bigEndian = false;
    while (sourceSeek(source) && *source->at != '<')
    {
        double value;
        const char *end = decimalRead(source->at, &value);
        if (end == NULL || !isfinite(value) || strchr(" \t\r\n<", *end) == NULL)
        {
            char word[28];
            sourceShow(source, word, sizeof word);
            return readerFault(reader, "repair the file", "'%s' is not a finite number", word);
        }
        source->at = end;
        if (!addReal(reader, array, value))
            return false;
    }
    return true;
}

// ---- bytes, as they are or four signs for three ---------------------------------------------------------------------

typedef struct Feed
{
    Reader *reader;
    const VtuCoding *coding;
    unsigned char bytes[3];
    int at, count;
} Feed;

static int sixBits(char c)
{
    static const char signs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c != 0 ? strchr(signs, c) : NULL;
    return found != NULL ? (int)(found - signs) : -1;
}

static bool decodeGroup(Feed *feed)
{
    Source *source = &feed->reader->source;
    int value = 0, signs = 0;
    for (int i = 0; i < 4; ++i)
    {
        if (!sourceSeek(source))
            return readerEndFault(feed->reader);
        char c = *source->at;
        int bits = c == '=' && i >= 2 ? 0 : sixBits(c);
        if (bits < 0 || (c != '=' && signs < i))
            return arrayFault(feed->reader, "the data are no base64, or fewer than they say");
        signs += c != '=';
        value = value << 6 | bits;
        source->at += 1;
    }
    for (int i = 0; i < 3; ++i)
        feed->bytes[i] = (unsigned char)(value >> (16 - 8 * i));
    feed->at = 0;
    feed->count = signs - 1;
    return true;
}

static bool feedBytes(Feed *feed, unsigned char *bytes, size_t size)
{
    if (!feed->coding->base64)
        return sourceBytes(&feed->reader->source, bytes, size) || readerEndFault(feed->reader);
    for (size_t i = 0; i < size; ++i)
    {
        if (feed->at == feed->count && !decodeGroup(feed))
            return false;
        bytes[i] = feed->bytes[feed->at++];
    }
    return true;
}

static bool feedSize(Feed *feed, size_t *size)
{
    unsigned char bytes[8];
    long long value;
    if (!feedBytes(feed, bytes, numberSize(feed->coding->header)))
        return false;
    if (!numberInteger(feed->coding->header, bytes, feed->coding->bigEndian, &value))
        return arrayFault(feed->reader, "the size of the data is wrong");
    *size = (size_t)value;
    return (unsigned long long)value <= SIZE_MAX || arrayFault(feed->reader, "the data are larger than the memory");
}

// a header may claim anything: never more than is left of the file
static bool checkLeft(Feed *feed, size_t size)
{
    size_t left = sourceBytesLeft(&feed->reader->source);
    return size <= left || readerFault(feed->reader, "the file is cut off: write or copy it again",
                                       "the data have %zu bytes, %zu are left in the file", size, left);
}

// ---- blocks of zlib -------------------------------------------------------------------------------------------------

typedef struct Blocks
{
    size_t count, size, last; // blocks; bytes in each, and in the last
    size_t *packed;           // bytes of each in the file
    unsigned char *room;      // for the largest
} Blocks;

static bool readSizes(Feed *feed, Blocks *blocks)
{
    Reader *reader = feed->reader;
    size_t total = 0, largest = 0;
    if (!feedSize(feed, &blocks->count) || blocks->count == 0)
        return reader->result.code == VV_OK;
    if (!feedSize(feed, &blocks->size) || !feedSize(feed, &blocks->last) || !checkLeft(feed, blocks->count))
        return false;
    if (blocks->last > blocks->size)
        return arrayFault(reader, "the last block of the data is larger than the others");
    blocks->last = blocks->last > 0 ? blocks->last : blocks->size;
    blocks->packed = ALLOCATE(reader->memory, size_t, blocks->count);
    if (blocks->packed == NULL)
        return readerOutOfMemory(reader);
    for (size_t i = 0; i < blocks->count; ++i)
    {
        size_t *packed = &blocks->packed[i], size = i + 1 < blocks->count ? blocks->size : blocks->last;
        if (!feedSize(feed, packed) || !checkLeft(feed, *packed))
            return false;
        total += *packed;
        largest = *packed > largest ? *packed : largest;
        if (size / INFLATE_MOST > *packed || !checkLeft(feed, total))
            return reader->result.code == VV_OK ? arrayFault(reader, "a block of the data is too small for its bytes")
                                                : false;
    }
    blocks->room = ALLOCATE(reader->memory, unsigned char, largest + 1);
    return blocks->room != NULL || readerOutOfMemory(reader);
}

static bool unpackBlocks(Feed *feed, const Blocks *blocks, VtuArray *array)
{
    Reader *reader = feed->reader;
    size_t whole = blocks->count > 0 ? blocks->count - 1 : 0;
    if (whole > 0 && blocks->size > (SIZE_MAX - blocks->last) / whole)
        return arrayFault(reader, "the data are larger than the memory");
    if (!makeBytes(reader, array, whole * blocks->size + blocks->last))
        return false;
    feed->at = feed->count = 0; // the blocks are base64 of their own
    for (size_t i = 0; i < blocks->count; ++i)
    {
        size_t size = i + 1 < blocks->count ? blocks->size : blocks->last;
        if (!feedBytes(feed, blocks->room, blocks->packed[i]))
            return false;
        const char *fault = inflateZlib(blocks->room, blocks->packed[i], array->bytes + i * blocks->size, size);
        if (fault != NULL)
            return arrayFault(reader, fault);
    }
    return true;
}

bool vtuBytes(Reader *reader, const VtuCoding *coding, VtuArray *array)
{
    Feed feed = { .reader = reader, .coding = coding };
    array->bigEndian = coding->bigEndian;
    if (!coding->zlib)
    {
        size_t size;
        return feedSize(&feed, &size) && checkLeft(&feed, size) && makeBytes(reader, array, size) &&
               feedBytes(&feed, array->bytes, size);
    }
    Blocks blocks = { 0 };
    bool ok = readSizes(&feed, &blocks) && unpackBlocks(&feed, &blocks, array);
    memoryRelease(reader->memory, blocks.packed);
    memoryRelease(reader->memory, blocks.room);
    return ok;
}
