#include "mesh/inflate.h"

#include <stdbool.h>
#include <string.h>

#define LONGEST 15   // bits of a code
#define FAST 9       // bits that are looked up at once
#define SYMBOLS 288  // literals, the end of a block and lengths
#define DISTANCES 30 //

static const char cutOff[] = "the packed bytes end too early";
static const char badCode[] = "a code of the packed bytes is wrong";
static const char tooMuch[] = "the packed bytes are not as many as was said";

typedef struct Packed
{
    const unsigned char *at, *end;
    unsigned long hold; // bits that were read and not used, the next one lowest
    int held;
    unsigned char *out;
    size_t made, size;
    const char *fault;
} Packed;

// A code of Huffman in its canonical form: symbols in the order of their codes.
typedef struct Code
{
    unsigned short count[LONGEST + 1]; // of codes with so many bits
    unsigned short symbol[SYMBOLS];
    unsigned short fast[1 << FAST]; // by the next bits: symbol x 16 + its bits; 0: the code is longer
} Code;

static bool fail(Packed *packed, const char *fault)
{
    if (packed->fault == NULL)
        packed->fault = fault;
    return false;
}

// ---- bits -----------------------------------------------------------------------------------------------------------

// at least so many bits, where there are any
static void fill(Packed *packed, int count)
{
    for (; packed->held < count && packed->at < packed->end; packed->held += 8)
        packed->hold |= (unsigned long)*packed->at++ << packed->held;
}

static int take(Packed *packed, int count)
{
    fill(packed, count);
    if (packed->held < count)
    {
        fail(packed, cutOff);
        return 0;
    }
    int bits = (int)(packed->hold & ((1ul << count) - 1));
    packed->hold >>= count;
    packed->held -= count;
    return bits;
}

// ---- codes ----------------------------------------------------------------------------------------------------------

static int reversed(int code, int bits)
{
    int other = 0;
    for (int i = 0; i < bits; ++i)
        other |= (code >> i & 1) << (bits - 1 - i);
    return other;
}

static void makeFast(Code *code, const unsigned short *first, const unsigned char *length, int symbols)
{
    unsigned short next[LONGEST + 1];
    memcpy(next, first, sizeof next);
    memset(code->fast, 0, sizeof code->fast);
    for (int s = 0; s < symbols; ++s)
    {
        int bits = length[s];
        if (bits == 0 || bits > FAST)
            continue;
        for (int i = reversed(next[bits]++, bits); i < 1 << FAST; i += 1 << bits)
            code->fast[i] = (unsigned short)(s << 4 | bits);
    }
}

// False: more codes than there is room for, or fewer than there must be (one alone may be).
static bool makeCode(Code *code, const unsigned char *length, int symbols)
{
    unsigned short first[LONGEST + 1] = { 0 }, offset[LONGEST + 2] = { 0 };
    memset(code->count, 0, sizeof code->count);
    for (int s = 0; s < symbols; ++s)
        code->count[length[s]] += 1;
    code->count[0] = 0;
    int left = 1, used = 0;
    for (int bits = 1; bits <= LONGEST; ++bits)
    {
        left = 2 * left - code->count[bits];
        if (left < 0)
            return false;
        first[bits] = (unsigned short)((first[bits - 1] + code->count[bits - 1]) << 1);
        offset[bits + 1] = (unsigned short)(offset[bits] + code->count[bits]);
        used += code->count[bits];
    }
    for (int s = 0; s < symbols; ++s)
    {
        if (length[s] != 0)
            code->symbol[offset[length[s]]++] = (unsigned short)s;
    }
    makeFast(code, first, length, symbols);
    return left == 0 || used <= 1;
}

static int readSymbol(Packed *packed, const Code *code)
{
    fill(packed, LONGEST);
    int quick = code->fast[packed->hold & ((1 << FAST) - 1)];
    if (quick != 0 && (quick & 15) <= packed->held)
    {
        packed->hold >>= quick & 15;
        packed->held -= quick & 15;
        return quick >> 4;
    }
    int value = 0, first = 0, index = 0;
    for (int bits = 1; bits <= LONGEST; ++bits)
    {
        value |= take(packed, 1);
        int count = code->count[bits];
        if (packed->fault != NULL)
            return -1;
        if (value - first < count)
            return code->symbol[index + value - first];
        index += count;
        first = (first + count) << 1;
        value <<= 1;
    }
    fail(packed, badCode);
    return -1;
}

// ---- blocks ---------------------------------------------------------------------------------------------------------

static bool copyPlain(Packed *packed)
{
    take(packed, packed->held % 8);
    int size = take(packed, 16), other = take(packed, 16);
    if (packed->fault != NULL || size != (~other & 0xffff))
        return fail(packed, badCode);
    if ((size_t)size > packed->size - packed->made)
        return fail(packed, tooMuch);
    for (int i = 0; i < size; ++i)
        packed->out[packed->made++] = (unsigned char)take(packed, 8);
    return packed->fault == NULL;
}

// "go back so far and copy so much"
static bool copyBack(Packed *packed, int symbol, const Code *distances)
{
    static const unsigned short base[] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                           31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
    static const unsigned short away[] = { 1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                           33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                           1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577 };
    int row = symbol - 257;
    if (row >= 29)
        return fail(packed, badCode);
    int extra = row < 8 || row == 28 ? 0 : row / 4 - 1;
    size_t length = base[row] + (size_t)take(packed, extra);
    int place = readSymbol(packed, distances);
    if (place < 0 || place >= DISTANCES)
        return fail(packed, badCode);
    size_t distance = away[place] + (size_t)take(packed, place < 4 ? 0 : place / 2 - 1);
    if (packed->fault != NULL || distance > packed->made)
        return fail(packed, badCode);
    if (length > packed->size - packed->made)
        return fail(packed, tooMuch);
    for (size_t i = 0; i < length; ++i, ++packed->made)
        packed->out[packed->made] = packed->out[packed->made - distance];
    return true;
}

static bool readBlock(Packed *packed, const Code *literals, const Code *distances)
{
    for (;;)
    {
        int symbol = readSymbol(packed, literals);
        if (symbol < 0)
            return false;
        if (symbol == 256)
            return true;
        if (symbol > 256)
        {
            if (!copyBack(packed, symbol, distances))
                return false;
        }
        else if (packed->made == packed->size)
            return fail(packed, tooMuch);
        else
            packed->out[packed->made++] = (unsigned char)symbol;
    }
}

// the lengths of the codes, packed by a code of their own
static bool readLengths(Packed *packed, Code *code, unsigned char *length, int wanted)
{
    static const unsigned char order[] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    unsigned char own[19] = { 0 };
    int given = take(packed, 4) + 4;
    for (int i = 0; i < given; ++i)
        own[order[i]] = (unsigned char)take(packed, 3);
    if (packed->fault != NULL || !makeCode(code, own, 19))
        return fail(packed, badCode);
    for (int i = 0; i < wanted;)
    {
        int symbol = readSymbol(packed, code);
        if (symbol < 0 || (symbol == 16 && i == 0))
            return fail(packed, badCode);
        int value = symbol < 16 ? symbol : symbol == 16 ? length[i - 1] : 0;
        int times = symbol < 16    ? 1
                    : symbol == 16 ? 3 + take(packed, 2)
                    : symbol == 17 ? 3 + take(packed, 3)
                                   : 11 + take(packed, 7);
        if (times > wanted - i)
            return fail(packed, badCode);
        for (; times > 0; --times)
            length[i++] = (unsigned char)value;
    }
    return packed->fault == NULL;
}

static bool readOwnCodes(Packed *packed, Code *literals, Code *distances)
{
    unsigned char length[SYMBOLS + 32] = { 0 };
    int literalCount = take(packed, 5) + 257, distanceCount = take(packed, 5) + 1;
    if (packed->fault != NULL || literalCount > 286 || distanceCount > DISTANCES)
        return fail(packed, badCode);
    if (!readLengths(packed, literals, length, literalCount + distanceCount))
        return false;
    if (length[256] == 0 || !makeCode(literals, length, literalCount) ||
        !makeCode(distances, length + literalCount, distanceCount))
        return fail(packed, badCode);
    return readBlock(packed, literals, distances);
}

static bool readFixedCodes(Packed *packed, Code *literals, Code *distances)
{
    unsigned char length[SYMBOLS];
    for (int s = 0; s < SYMBOLS; ++s)
        length[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
    makeCode(literals, length, SYMBOLS);
    memset(length, 5, DISTANCES + 2);
    makeCode(distances, length, DISTANCES + 2);
    return readBlock(packed, literals, distances);
}

// ---- the whole ------------------------------------------------------------------------------------------------------

static unsigned long adler(const unsigned char *bytes, size_t size)
{
    unsigned long a = 1, b = 0;
    for (size_t i = 0; i < size; ++i)
    {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

const char *inflateZlib(const unsigned char *in, size_t inSize, unsigned char *out, size_t outSize)
{
    Packed packed = { .at = in + 2, .end = in + inSize, .out = out, .size = outSize };
    Code literals, distances;
    if (inSize < 6)
        return cutOff;
    if ((in[0] & 15) != 8 || (in[1] & 32) != 0 || (in[0] * 256 + in[1]) % 31 != 0)
        return "the packed bytes are not of zlib";
    for (bool last = false; !last;)
    {
        last = take(&packed, 1) == 1;
        int kind = take(&packed, 2);
        bool ok = packed.fault == NULL && (kind == 0   ? copyPlain(&packed)
                                           : kind == 1 ? readFixedCodes(&packed, &literals, &distances)
                                           : kind == 2 ? readOwnCodes(&packed, &literals, &distances)
                                                       : fail(&packed, badCode));
        if (!ok)
            return packed.fault;
    }
    if (packed.made != outSize)
        return tooMuch;
    take(&packed, packed.held % 8);
    unsigned long sum = 0;
    for (int i = 0; i < 4; ++i)
        sum = sum << 8 | (unsigned long)take(&packed, 8);
    return packed.fault != NULL         ? packed.fault
           : sum == adler(out, outSize) ? NULL
                                        : "the packed bytes have a wrong sum";
}
