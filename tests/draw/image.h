// A PNG file read back without libpng: chunks and filters from the specification, the rest by zlib.
#ifndef TESTS_DRAW_IMAGE_H
#define TESTS_DRAW_IMAGE_H

#include "check.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct Image
{
    int width, height;
    uint8_t *rgb; // height x width x 3
} Image;

static inline uint32_t bigEndian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// PNG specification, section 9.4
static inline int paeth(int a, int b, int c)
{
    int pa = abs(b - c), pb = abs(a - c), pc = abs(a + b - 2 * c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static inline void unfilter(const uint8_t *raw, Image *image)
{
    size_t row = 3 * (size_t)image->width;
    for (int y = 0; y < image->height; ++y)
    {
        const uint8_t *from = raw + (row + 1) * (size_t)y;
        uint8_t *to = image->rgb + row * (size_t)y;
        for (size_t x = 0; x < row; ++x)
        {
            int a = x >= 3 ? to[x - 3] : 0, b = y > 0 ? to[x - row] : 0, c = x >= 3 && y > 0 ? to[x - row - 3] : 0;
            int guess[5] = { 0, a, b, (a + b) / 2, paeth(a, b, c) };
            assert_true(from[0] < 5);
            to[x] = (uint8_t)(from[x + 1] + guess[from[0]]);
        }
    }
}

// Joins the chunks "IDAT" in `data`; checks the head, every checksum, and that the file ends with its last chunk.
static inline size_t joinChunks(const uint8_t *bytes, size_t size, Image *image, uint8_t *data)
{
    size_t length = 0, at = 8;
    assert_true(size > 45);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", 16);
    assert_memory_equal(bytes + 24, "\x08\x02\0\0\0", 5); // 8 bits, red green blue, not interlaced
    *image = (Image){ (int)bigEndian(bytes + 16), (int)bigEndian(bytes + 20), NULL };
    for (bool end = false; !end;)
    {
        assert_true(at + 12 <= size);
        size_t count = bigEndian(bytes + at);
        assert_true(count <= size - at - 12);
        assert_true(bigEndian(bytes + at + 8 + count) == crc32(0, bytes + at + 4, (uInt)(count + 4)));
        if (memcmp(bytes + at + 4, "IDAT", 4) == 0)
        {
            memcpy(data + length, bytes + at + 8, count);
            length += count;
        }
        end = memcmp(bytes + at + 4, "IEND", 4) == 0;
        at += 12 + count;
    }
    assert_int_equal(at, size);
    return length;
}

static inline Image imageParse(const uint8_t *bytes, size_t size)
{
    Image image;
    uint8_t *data = malloc(size);
    size_t length = joinChunks(bytes, size, &image, data);
    uLong needed = (3 * (uLong)image.width + 1) * (uLong)image.height, found = needed;
    uint8_t *raw = malloc(needed);
    assert_int_equal(uncompress(raw, &found, data, (uLong)length), Z_OK);
    assert_int_equal(found, needed);
    image.rgb = malloc(3 * (size_t)image.width * (size_t)image.height);
    unfilter(raw, &image);
    free(data);
    free(raw);
    return image;
}

// from the beginning of a file to its end
static inline Image imageLoad(FILE *file, size_t *size)
{
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    Image image = imageParse(bytes, *size);
    free(bytes);
    return image;
}

static inline Image imageRead(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        fail_msg("cannot read %s", path);
    size_t size;
    Image image = imageLoad(file, &size);
    fclose(file);
    return image;
}

static inline void imageFree(Image *image)
{
    free(image->rgb);
    image->rgb = NULL;
}

static inline bool isPaper(const Image *image, int x, int y)
{
    static const uint8_t paper[3] = { 0xFB, 0xFB, 0xFA };
    return memcmp(image->rgb + 3 * ((size_t)y * (size_t)image->width + (size_t)x), paper, 3) == 0;
}

#endif
