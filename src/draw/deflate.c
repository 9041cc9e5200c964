// Deflate (RFC 1951): matches found through hash chains, chosen lazily, coded in blocks with Huffman codes of their own.
#include "draw/deflate.h"

#include <string.h>

#define WINDOW 32768
#define HASH_SIZE 32768
#define SHORTEST 3
#define LONGEST 258
#define CHAIN 64            // candidates looked at per place
#define GOOD_LENGTH 64      // long enough to stop looking
#define BLOCK_SYMBOLS 32768 // literals and matches of one block
#define LITERALS 286
#define DISTANCES 30
#define LENGTH_CODES 19

void bytesPut(Bytes *bytes, uint8_t value)
{
    if (bytes->count == bytes->capacity && !bytes->failed)
    {
        size_t wanted = bytes->capacity > 0 ? 2 * bytes->capacity : 4096;
        void *block = bytes->data;
        bytes->failed = !memoryGrow(bytes->memory, &block, bytes->count, wanted, 1);
        bytes->data = block;
        bytes->capacity = bytes->failed ? bytes->capacity : wanted;
    }
    if (!bytes->failed)
        bytes->data[bytes->count++] = value;
}

typedef struct Symbol
{
    uint16_t length;   // 0: a literal
    uint16_t distance; // or the literal
} Symbol;

typedef struct Deflater
{
    Bytes *out;
    uint32_t bits; // not yet written, lowest first
    int bitCount;
    const uint8_t *data;
    size_t count;
    int64_t head[HASH_SIZE]; // latest place with this hash, -1: none
    int64_t chain[WINDOW];   // the place before, for the places of the window
    Symbol symbols[BLOCK_SYMBOLS];
    int symbolCount;
} Deflater;

static void putBits(Deflater *d, uint32_t value, int count)
{
    d->bits |= value << d->bitCount;
    d->bitCount += count;
    for (; d->bitCount >= 8; d->bitCount -= 8, d->bits >>= 8)
        bytesPut(d->out, (uint8_t)d->bits);
}

// ---- Huffman codes ---------------------------------------------------------------------------------------------------

typedef struct Code
{
    int count;
    uint32_t weight[LITERALS];
    uint8_t length[LITERALS];
    uint16_t bits[LITERALS]; // reversed, as they are written
} Code;

// lengths by merging the two lightest nodes; weights are halved until no length exceeds `most`
static void chooseLengths(Code *code, int most)
{
    uint32_t weight[2 * LITERALS];
    int parent[2 * LITERALS], used = 0;
    for (int i = 0; i < code->count; ++i)
        used += code->weight[i] > 0;
    // a decoder expects at least two codes
    for (int i = 0; used < 2 && i < code->count; ++i)
    {
        used += code->weight[i] == 0;
        code->weight[i] = code->weight[i] > 0 ? code->weight[i] : 1;
    }
    for (int longest = most + 1; longest > most;)
    {
        int nodes = code->count, left = used;
        bool open[2 * LITERALS] = { false };
        for (int i = 0; i < code->count; ++i)
        {
            weight[i] = code->weight[i];
            open[i] = weight[i] > 0;
        }
        for (; left > 1; --left)
        {
            int a = -1, b = -1;
            for (int i = 0; i < nodes; ++i)
            {
                if (!open[i])
                    continue;
                if (a < 0 || weight[i] < weight[a])
                {
                    b = a;
                    a = i;
                }
                else if (b < 0 || weight[i] < weight[b])
                    b = i;
            }
            weight[nodes] = weight[a] + weight[b];
            parent[a] = parent[b] = nodes;
            open[a] = open[b] = false;
            open[nodes++] = true;
        }
        longest = 0;
        for (int i = 0; i < code->count; ++i)
        {
            int length = 0;
            for (int node = i; code->weight[i] > 0 && node != nodes - 1; node = parent[node])
                ++length;
            code->length[i] = (uint8_t)length;
            longest = maxInt(longest, length);
        }
        for (int i = 0; i < code->count && longest > most; ++i)
            code->weight[i] = code->weight[i] > 0 ? code->weight[i] / 2 + 1 : 0;
    }
}

// RFC 1951, 3.2.2: codes in the order of length, then of symbol
static void assignBits(Code *code)
{
    int ofLength[17] = { 0 };
    uint32_t next[17] = { 0 }, value = 0;
    for (int i = 0; i < code->count; ++i)
        ofLength[code->length[i]] += 1;
    ofLength[0] = 0;
    for (int length = 1; length <= 16; ++length)
        next[length] = value = (value + (uint32_t)ofLength[length - 1]) << 1;
    for (int i = 0; i < code->count; ++i)
    {
        uint32_t bits = code->length[i] > 0 ? next[code->length[i]]++ : 0, reversed = 0;
        for (int b = 0; b < code->length[i]; ++b)
            reversed = reversed << 1 | (bits >> b & 1);
        code->bits[i] = (uint16_t)reversed;
    }
}

static void makeCode(Code *code, int most)
{
    chooseLengths(code, most);
    assignBits(code);
}

static void putCode(Deflater *d, const Code *code, int symbol)
{
    putBits(d, code->bits[symbol], code->length[symbol]);
}

// ---- lengths and distances as symbols with extra bits ----------------------------------------------------------------

typedef struct Coded
{
    int symbol, extraBits;
    uint32_t extra;
} Coded;

// RFC 1951, 3.2.5: ranges double after every `perOctave` symbols
static Coded codeRange(int value, int perOctaveBits, int first)
{
    int extraBits = 0;
    while (value >> (perOctaveBits + 1 + extraBits) != 0)
        ++extraBits;
    int low = value >> extraBits;
    int symbol = first + (extraBits << perOctaveBits) + low;
    return (Coded){ symbol, extraBits, (uint32_t)(value - (low << extraBits)) };
}

static Coded codeLength(int length)
{
    if (length == LONGEST)
        return (Coded){ 285, 0, 0 };
    return codeRange(length - SHORTEST, 2, 257);
}

static Coded codeDistance(int distance)
{
    return codeRange(distance - 1, 1, 0);
}

// ---- blocks ----------------------------------------------------------------------------------------------------------

static void countSymbols(const Deflater *d, Code *literal, Code *distance)
{
    literal->weight[256] = 1;
    for (int i = 0; i < d->symbolCount; ++i)
    {
        const Symbol *s = &d->symbols[i];
        literal->weight[s->length == 0 ? s->distance : codeLength(s->length).symbol] += 1;
        if (s->length > 0)
            distance->weight[codeDistance(s->distance).symbol] += 1;
    }
}

// the lengths of both codes, repeats shortened (RFC 1951, 3.2.7): pairs of symbol and extra bits
static int packLengths(const uint8_t *lengths, int count, Coded *out)
{
    int packed = 0;
    for (int i = 0; i < count;)
    {
        int run = 1;
        while (i + run < count && lengths[i + run] == lengths[i])
            ++run;
        if (lengths[i] == 0 && run >= 11)
            out[packed++] = (Coded){ 18, 7, (uint32_t)((run = minInt(run, 138)) - 11) };
        else if (lengths[i] == 0 && run >= 3)
            out[packed++] = (Coded){ 17, 3, (uint32_t)(run - 3) };
        else if (run >= 4)
        {
            out[packed++] = (Coded){ lengths[i], 0, 0 };
            out[packed++] = (Coded){ 16, 2, (uint32_t)((run = minInt(run, 7)) - 4) };
        }
        else
        {
            out[packed++] = (Coded){ lengths[i], 0, 0 };
            run = 1;
        }
        i += run;
    }
    return packed;
}

static void putHeader(Deflater *d, const Code *literal, const Code *distance)
{
    static const uint8_t order[LENGTH_CODES] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    uint8_t lengths[LITERALS + DISTANCES];
    Coded packed[LITERALS + DISTANCES];
    int literals = LITERALS, distances = DISTANCES, codes = LENGTH_CODES;
    while (literals > 257 && literal->length[literals - 1] == 0)
        --literals;
    while (distances > 1 && distance->length[distances - 1] == 0)
        --distances;
    memcpy(lengths, literal->length, (size_t)literals);
    memcpy(lengths + literals, distance->length, (size_t)distances);
    int count = packLengths(lengths, literals + distances, packed);
    Code header = { .count = LENGTH_CODES };
    for (int i = 0; i < count; ++i)
        header.weight[packed[i].symbol] += 1;
    makeCode(&header, 7);
    while (codes > 4 && header.length[order[codes - 1]] == 0)
        --codes;
    putBits(d, (uint32_t)(literals - 257), 5);
    putBits(d, (uint32_t)(distances - 1), 5);
    putBits(d, (uint32_t)(codes - 4), 4);
    for (int i = 0; i < codes; ++i)
        putBits(d, header.length[order[i]], 3);
    for (int i = 0; i < count; ++i)
    {
        putCode(d, &header, packed[i].symbol);
        putBits(d, packed[i].extra, packed[i].extraBits);
    }
}

static void putBlock(Deflater *d, bool last)
{
    Code literal = { .count = LITERALS }, distance = { .count = DISTANCES };
    countSymbols(d, &literal, &distance);
    makeCode(&literal, 15);
    makeCode(&distance, 15);
    putBits(d, last ? 1 : 0, 1);
    putBits(d, 2, 2); // codes of its own
    putHeader(d, &literal, &distance);
    for (int i = 0; i < d->symbolCount; ++i)
    {
        const Symbol *s = &d->symbols[i];
        if (s->length == 0)
        {
            putCode(d, &literal, s->distance);
            continue;
        }
        Coded length = codeLength(s->length), back = codeDistance(s->distance);
        putCode(d, &literal, length.symbol);
        putBits(d, length.extra, length.extraBits);
        putCode(d, &distance, back.symbol);
        putBits(d, back.extra, back.extraBits);
    }
    putCode(d, &literal, 256);
    d->symbolCount = 0;
}

// ---- matches ---------------------------------------------------------------------------------------------------------

static int64_t hashAt(const uint8_t *p)
{
    return (int64_t)(((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]) * 2654435761u >> 17);
}

static void remember(Deflater *d, size_t at)
{
    if (at + SHORTEST > d->count)
        return;
    int64_t hash = hashAt(d->data + at);
    d->chain[at % WINDOW] = d->head[hash];
    d->head[hash] = (int64_t)at;
}

// the longest match for the bytes at `at`, longer than `least`; length 0: none
static Symbol findMatch(const Deflater *d, size_t at, int least)
{
    Symbol best = { 0, 0 };
    if (at + SHORTEST > d->count)
        return best;
    const uint8_t *here = d->data + at;
    int room = d->count - at < LONGEST ? (int)(d->count - at) : LONGEST, longest = maxInt(least, SHORTEST - 1);
    int64_t place = d->head[hashAt(here)];
    for (int tries = 0; tries < CHAIN && longest < room; ++tries)
    {
        if (place < 0 || (size_t)place + WINDOW <= at)
            break;
        const uint8_t *there = d->data + place;
        if (there[longest] == here[longest])
        {
            int length = 0;
            while (length < room && there[length] == here[length])
                ++length;
            if (length > longest)
            {
                longest = length;
                best = (Symbol){ (uint16_t)length, (uint16_t)(at - (size_t)place) };
                if (length >= GOOD_LENGTH)
                    break;
            }
        }
        int64_t before = d->chain[(size_t)place % WINDOW];
        if (before >= place) // overwritten by a later place
            break;
        place = before;
    }
    return best;
}

static void putSymbol(Deflater *d, Symbol symbol)
{
    if (d->symbolCount == BLOCK_SYMBOLS)
        putBlock(d, false);
    d->symbols[d->symbolCount++] = symbol;
}

bool deflateBytes(Bytes *out, const uint8_t *data, size_t count)
{
    Deflater *d = ALLOCATE(out->memory, Deflater, 1);
    if (d == NULL)
        return false;
    d->out = out;
    d->data = data;
    d->count = count;
    for (int i = 0; i < HASH_SIZE; ++i)
        d->head[i] = -1;
    for (int i = 0; i < WINDOW; ++i)
        d->chain[i] = -1;
    for (size_t at = 0; at < count;)
    {
        Symbol here = findMatch(d, at, 0);
        remember(d, at);
        // a literal first, where the match one byte later is longer
        Symbol later = { 0, 0 };
        if (here.length > 0 && here.length < GOOD_LENGTH)
            later = findMatch(d, at + 1, here.length);
        if (here.length == 0 || later.length > 0)
        {
            putSymbol(d, (Symbol){ 0, data[at] });
            at += 1;
            continue;
        }
        putSymbol(d, here);
        for (size_t i = 1; i < here.length; ++i)
            remember(d, at + i);
        at += here.length;
    }
    putBlock(d, true);
    if (d->bitCount > 0)
        putBits(d, 0, 8 - d->bitCount);
    memoryRelease(out->memory, d);
    return !out->failed;
}
