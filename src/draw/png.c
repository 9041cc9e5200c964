#include "draw/deflate.h"
#include "draw/draw.h"

#include <stdlib.h>
#include <string.h>

// CRC-32 of ISO 3309, four bits at a time
static uint32_t checksum(uint32_t crc, const uint8_t *data, size_t count)
{
    static const uint32_t table[16] = { 0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c };
    for (size_t i = 0; i < count; ++i)
    {
        crc ^= data[i];
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return crc;
}

static uint32_t adler(const uint8_t *data, size_t count)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; ++i)
    {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void store32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

static bool writeChunk(FILE *file, const char *kind, const uint8_t *data, size_t count)
{
    uint8_t head[8], tail[4];
    store32(head, (uint32_t)count);
    memcpy(head + 4, kind, 4);
    uint32_t crc = checksum(0xffffffffu, head + 4, 4);
    store32(tail, ~checksum(crc, data, count));
    return fwrite(head, 1, 8, file) == 8 && fwrite(data, 1, count, file) == count && fwrite(tail, 1, 4, file) == 4;
}

// PNG specification 9.4
static int paeth(int a, int b, int c)
{
    int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static uint8_t filtered(int kind, const uint8_t *row, const uint8_t *above, size_t i)
{
    int a = i >= 3 ? row[i - 3] : 0, b = above != NULL ? above[i] : 0, c = i >= 3 && above != NULL ? above[i - 3] : 0;
    int guess = kind == 0 ? 0 : kind == 1 ? a : kind == 2 ? b : kind == 3 ? (a + b) / 2 : paeth(a, b, c);
    return (uint8_t)(row[i] - guess);
}

// the filter whose differences are smallest in sum
static void filterRow(const uint8_t *row, const uint8_t *above, size_t bytes, uint8_t *out, uint8_t *trial)
{
    long least = -1;
    for (int kind = 0; kind < 5; ++kind)
    {
        long sum = 0;
        for (size_t i = 0; i < bytes; ++i)
        {
            trial[i] = filtered(kind, row, above, i);
            sum += trial[i] < 128 ? trial[i] : 256 - trial[i];
        }
        if (least >= 0 && sum >= least)
            continue;
        least = sum;
        out[0] = (uint8_t)kind;
        memcpy(out + 1, trial, bytes);
    }
}

static bool compress(const Picture *picture, Bytes *out)
{
    size_t bytes = 3 * (size_t)picture->width, rows = (size_t)picture->height, total = rows * (bytes + 1);
    uint8_t *raw = ALLOCATE(picture->memory, uint8_t, total), *trial = ALLOCATE(picture->memory, uint8_t, bytes);
    bool good = raw != NULL && trial != NULL;
    for (size_t y = 0; good && y < rows; ++y)
    {
        const uint8_t *row = picture->rgb + y * bytes;
        filterRow(row, y > 0 ? row - bytes : NULL, bytes, raw + y * (bytes + 1), trial);
    }
    if (good)
    {
        bytesPut(out, 0x78); // zlib: deflate, window of 32 kB
        bytesPut(out, 0x9c);
        good = deflateBytes(out, raw, total);
        uint8_t tail[4];
        store32(tail, adler(raw, total));
        for (int i = 0; i < 4; ++i)
            bytesPut(out, tail[i]);
    }
    memoryRelease(picture->memory, raw);
    memoryRelease(picture->memory, trial);
    return good && !out->failed;
}

vvResult pngWrite(const Picture *picture, FILE *file)
{
    static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    uint8_t header[13] = { 0 };
    store32(header, (uint32_t)picture->width);
    store32(header + 4, (uint32_t)picture->height);
    header[8] = 8; // bits of a channel
    header[9] = 2; // red, green, blue
    Bytes data = { .memory = picture->memory };
    bool compressed = compress(picture, &data);
    bool written = compressed && fwrite(signature, 1, 8, file) == 8 && writeChunk(file, "IHDR", header, 13) &&
                   writeChunk(file, "sRGB", (const uint8_t[]){ 0 }, 1) &&
                   writeChunk(file, "IDAT", data.data, data.count) && writeChunk(file, "IEND", header, 0);
    memoryRelease(picture->memory, data.data);
    if (!compressed)
        return resultOutOfMemory("a PNG file");
    if (!written)
        return resultMake(VV_INPUT_OUTPUT, "make room on the disk", "a PNG file could not be written");
    return resultOk();
}
