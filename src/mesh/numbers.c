#include "mesh/file.h"

#include <math.h>
#include <string.h>

static const unsigned char sizes[NUMBER_TYPES + 1] = { 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 0 };

size_t numberSize(NumberType type)
{
    return sizes[type];
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

static unsigned long long bitsOf(const unsigned char *bytes, size_t size, bool bigEndian)
{
    unsigned long long bits = 0;
    for (size_t i = 0; i < size; ++i)
        bits = bits << 8 | bytes[bigEndian ? i : size - 1 - i];
    return bits;
}

static double realOf(NumberType type, unsigned long long bits)
{
    if (type == NUMBER_FLOAT64)
    {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    unsigned int half = (unsigned int)bits;
    float value;
    memcpy(&value, &half, sizeof value);
    return (double)value;
}

bool numberInteger(NumberType type, const unsigned char *bytes, bool bigEndian, long long *value)
{
    size_t size = sizes[type];
    unsigned long long bits = bitsOf(bytes, size, bigEndian), sign = 1ull << (8 * size - 1);
    if (type == NUMBER_FLOAT32 || type == NUMBER_FLOAT64)
    {
        double real = realOf(type, bits);
        if (!(fabs(real) < 9e15) || floor(real) != real)
            return false;
        *value = (long long)real;
        return true;
    }
    bool isSigned = type == NUMBER_INT8 || type == NUMBER_INT16 || type == NUMBER_INT32 || type == NUMBER_INT64;
    if (!isSigned && size == 8 && bits >= sign)
        return false;
    // of a negative number: as many as are missing to -1
    *value = isSigned && bits >= sign ? -1 - (long long)(2 * sign - 1 - bits) : (long long)bits;
    return true;
}

bool numberReal(NumberType type, const unsigned char *bytes, bool bigEndian, double *value)
{
    if (type != NUMBER_FLOAT32 && type != NUMBER_FLOAT64)
    {
        long long whole = 0;
        bool ok = numberInteger(type, bytes, bigEndian, &whole);
        *value = (double)whole;
        return ok;
    }
    *value = realOf(type, bitsOf(bytes, sizes[type], bigEndian));
    return isfinite(*value);
}

// ---- from the file --------------------------------------------------------------------------------------------------

static bool numberFault(Reader *reader, const char *what)
{
    return readerFault(reader, "write the file again, or repair the number", "the number is not %s", what);
}

bool readRealOf(Reader *reader, NumberType type, double *value)
{
    unsigned char bytes[8];
    if (!reader->source.binary)
        return readReal(reader, value);
    if (!sourceBytes(&reader->source, bytes, sizes[type]))
        return readerEndFault(reader);
    return numberReal(type, bytes, reader->source.bigEndian, value) || numberFault(reader, "finite");
}

bool readIntegerOf(Reader *reader, NumberType type, long long *value)
{
    unsigned char bytes[8];
    if (!reader->source.binary)
        return readInteger(reader, value);
    if (!sourceBytes(&reader->source, bytes, sizes[type]))
        return readerEndFault(reader);
    return numberInteger(type, bytes, reader->source.bigEndian, value) || numberFault(reader, "whole");
}

bool skipNumbers(Reader *reader, NumberType type, long long count)
{
    char word[4];
    if (reader->source.binary)
    {
        long long left = (long long)(sourceBytesLeft(&reader->source) / sizes[type]);
        return (count <= left && sourceSkip(&reader->source, (size_t)count * sizes[type])) || readerEndFault(reader);
    }
    for (long long i = 0; i < count; ++i)
    {
        if (!readWord(reader, word, sizeof word))
            return false;
    }
    return true;
}

bool readByteOrder(Reader *reader)
{
    long long one;
    reader->source.bigEndian = false;
    if (!readIntegerOf(reader, NUMBER_INT32, &one))
        return false;
    reader->source.bigEndian = one == 1 << 24;
    return one == 1 || one == 1 << 24 ||
           readerFault(reader, "write the file again, or name its true format",
                       "the number %lld stands where 1 tells the order of bytes", one);
}
