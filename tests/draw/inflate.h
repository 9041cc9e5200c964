// A slow and simple reader of RFC 1951, written from the RFC alone, to check the writer against.
#ifndef TESTS_DRAW_INFLATE_H
#define TESTS_DRAW_INFLATE_H

#include "check.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct Inflater
{
    const uint8_t *data;
    size_t count, at; // at: in bits
    uint8_t *out;
    size_t outCount, outCapacity;
} Inflater;

typedef struct InflateCode
{
    int ofLength[16];
    int symbol[288];
} InflateCode;

static inline int inflateBits(Inflater *in, int count)
{
    int value = 0;
    for (int i = 0; i < count; ++i, ++in->at)
    {
        assert_true(in->at / 8 < in->count);
        value |= (in->data[in->at / 8] >> (in->at % 8) & 1) << i;
    }
    return value;
}

static inline void inflateCode(InflateCode *code, const uint8_t *lengths, int count)
{
    int next[16] = { 0 }, space = 1;
    memset(code, 0, sizeof *code);
    for (int i = 0; i < count; ++i)
        code->ofLength[lengths[i]] += 1;
    code->ofLength[0] = 0;
    for (int l = 1; l < 16; ++l)
    {
        space = 2 * space - code->ofLength[l];
        assert_true(space >= 0); // more codes than fit
        next[l] = next[l - 1] + code->ofLength[l - 1];
    }
    assert_int_equal(space, 0); // every sequence of bits means something
    for (int i = 0; i < count; ++i)
    {
        if (lengths[i] > 0)
            code->symbol[next[lengths[i]]++] = i;
    }
}

static inline int inflateSymbol(Inflater *in, const InflateCode *code)
{
    int value = 0, first = 0, index = 0;
    for (int length = 1; length < 16; ++length)
    {
        value = value << 1 | inflateBits(in, 1);
        int count = code->ofLength[length];
        if (value - first < count)
            return code->symbol[index + value - first];
        index += count;
        first = (first + count) << 1;
    }
    fail_msg("no code has these bits");
    return 0;
}

static inline void inflateHeader(Inflater *in, InflateCode *literal, InflateCode *distance)
{
    static const int order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    int literals = inflateBits(in, 5) + 257, distances = inflateBits(in, 5) + 1, codes = inflateBits(in, 4) + 4;
    uint8_t lengths[320] = { 0 };
    assert_true(literals <= 286 && distances <= 30);
    for (int i = 0; i < codes; ++i)
        lengths[order[i]] = (uint8_t)inflateBits(in, 3);
    InflateCode header;
    inflateCode(&header, lengths, 19);
    memset(lengths, 0, sizeof lengths);
    for (int i = 0; i < literals + distances;)
    {
        int symbol = inflateSymbol(in, &header);
        int repeat = symbol == 16   ? 3 + inflateBits(in, 2)
                     : symbol == 17 ? 3 + inflateBits(in, 3)
                     : symbol == 18 ? 11 + inflateBits(in, 7)
                                    : 1;
        assert_true(i + repeat <= literals + distances && !(symbol == 16 && i == 0));
        uint8_t length = symbol == 16 ? lengths[i - 1] : symbol > 16 ? 0 : (uint8_t)symbol;
        while (repeat-- > 0)
            lengths[i++] = length;
    }
    inflateCode(literal, lengths, literals);
    inflateCode(distance, lengths + literals, distances);
}

static inline void inflateBlock(Inflater *in, const InflateCode *literal, const InflateCode *distance)
{
    static const int lengthBase[29] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                        31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
    static const int lengthBits[29] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                        2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
    static const int distanceBase[30] = { 1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                          33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                          1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577 };
    for (int symbol; (symbol = inflateSymbol(in, literal)) != 256;)
    {
        if (symbol < 256)
        {
            assert_true(in->outCount < in->outCapacity);
            in->out[in->outCount++] = (uint8_t)symbol;
            continue;
        }
        int length = lengthBase[symbol - 257] + inflateBits(in, lengthBits[symbol - 257]);
        int code = inflateSymbol(in, distance);
        size_t back = (size_t)(distanceBase[code] + inflateBits(in, code < 2 ? 0 : code / 2 - 1));
        assert_true(back <= in->outCount && in->outCount + (size_t)length <= in->outCapacity);
        for (; length > 0; --length, ++in->outCount)
            in->out[in->outCount] = in->out[in->outCount - back];
    }
}

// Blocks with codes of their own only: all that our writer makes.
static inline size_t inflateAll(const uint8_t *data, size_t count, uint8_t *out, size_t capacity)
{
    Inflater in = { data, count, 0, out, 0, capacity };
    for (bool last = false; !last;)
    {
        InflateCode literal, distance;
        last = inflateBits(&in, 1) == 1;
        assert_int_equal(inflateBits(&in, 2), 2);
        inflateHeader(&in, &literal, &distance);
        inflateBlock(&in, &literal, &distance);
    }
    assert_int_equal((in.at + 7) / 8, count);
    return in.outCount;
}

#endif
