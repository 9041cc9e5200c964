// PNG files read back by a reader of our own: every pixel, every checksum.
#include "draw/deflate.h"
#include "inflate.h"
#include "pixels.h"

#include <stdlib.h>

static uint32_t load32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// bit by bit, straight from the definition
static uint32_t crcOf(const uint8_t *data, size_t count)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; ++i)
    {
        crc ^= data[i];
        for (int b = 0; b < 8; ++b)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

static uint8_t *writeAndLoad(const Picture *picture, size_t *size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(pngWrite(picture, file).code, VV_OK);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void undoFilter(uint8_t *row, const uint8_t *above, int kind, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i)
    {
        int a = i >= 3 ? row[i - 3] : 0, b = above ? above[i] : 0, c = i >= 3 && above ? above[i - 3] : 0;
        int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
        int guess[5] = { 0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : pb <= pc ? b : c };
        assert_true(kind >= 0 && kind < 5);
        row[i] = (uint8_t)(row[i] + guess[kind]);
    }
}

// writes the picture, reads it back and compares; returns the size of the file
static int roundTrip(const Picture *picture)
{
    size_t size, bytes = 3 * (size_t)picture->width, rows = (size_t)picture->height;
    uint8_t *file = writeAndLoad(picture, &size);
    assert_memory_equal(file, "\x89PNG\r\n\x1a\n", 8);
    const uint8_t *data = NULL;
    size_t dataSize = 0, at = 8;
    for (bool end = false; !end; at += 12 + load32(file + at))
    {
        size_t length = load32(file + at);
        assert_true(at + 12 + length <= size);
        assert_true(load32(file + at + 8 + length) == crcOf(file + at + 4, length + 4));
        end = memcmp(file + at + 4, "IEND", 4) == 0;
        if (memcmp(file + at + 4, "IHDR", 4) == 0)
            assert_true(load32(file + at + 8) == bytes / 3 && load32(file + at + 12) == rows);
        if (memcmp(file + at + 4, "IDAT", 4) == 0)
        {
            data = file + at + 8;
            dataSize = length;
        }
    }
    assert_int_equal(at, size);
    assert_non_null(data);
    assert_int_equal((data[0] * 256 + data[1]) % 31, 0);
    uint8_t *raw = malloc(rows * (bytes + 1));
    assert_int_equal(inflateAll(data + 2, dataSize - 6, raw, rows * (bytes + 1)), rows * (bytes + 1));
    for (size_t y = 0; y < rows; ++y)
    {
        uint8_t *row = raw + y * (bytes + 1);
        undoFilter(row + 1, y > 0 ? row - bytes : NULL, row[0], bytes);
        assert_memory_equal(row + 1, picture->rgb + y * bytes, bytes);
    }
    free(raw);
    free(file);
    return (int)size;
}

static void picturesComeBack(void **state)
{
    (void)state;
    const int sides[][2] = { { 1, 1 }, { 1, 97 }, { 97, 1 }, { 64, 64 }, { 257, 131 } };
    TestRandom random = { 3 };
    for (int s = 0; s < 5; ++s)
    {
        Studio studio;
        studioOpen(&studio, sides[s][0], sides[s][1]);
        int bytes = 3 * sides[s][0] * sides[s][1];
        for (int kind = 0; kind < 4; ++kind)
        {
            // flat, slope, noise, noise of two values
            for (int i = 0; i < bytes; ++i)
                studio.picture->rgb[i] = (uint8_t)(kind == 0   ? 77
                                                   : kind == 1 ? i / 7
                                                   : kind == 2 ? (int)(256 * randomUnit(&random))
                                                               : 255 * (int)(2 * randomUnit(&random)));
            roundTrip(studio.picture);
        }
        studioClose(&studio);
    }
}

static void smoothPicturesAreSmall(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 320, 200);
    Paint paint = paintSolid(colourOfSeries(0));
    stageGround(studio.stage, 0);
    assert_true(stageSphere(studio.stage, vec3(0, 0.5, 0), 0.5, &paint));
    Camera camera = cameraFrame(&(vvBox){ { -1, 0, -1 }, { 1, 1, 1 } }, 1.6, 35);
    drawAll(&studio, &camera);
    CHECK_BELOW(roundTrip(studio.picture), 320 * 200 * 3 / 6);
    // one colour: little more than a byte for every 258 of them
    pictureFill(studio.picture, (Rect){ 0, 0, 320, 200 }, colourHex(0x336699), 1);
    CHECK_BELOW(roundTrip(studio.picture), 900);
    studioClose(&studio);
}

static void deflateLengthsAndDistances(void **state)
{
    (void)state;
    // every length of match, at distances up to the window and beyond
    Memory memory = memoryMake(NULL);
    size_t count = 200000, filled = 0;
    uint8_t *data = malloc(count), *back = malloc(count);
    TestRandom random = { 11 };
    while (filled < count)
    {
        size_t length = 3 + (size_t)(300 * randomUnit(&random)), room = count - filled;
        size_t distance = 1 + (size_t)(40000 * randomUnit(&random) * randomUnit(&random));
        for (size_t i = 0; i < length && i < room; ++i, ++filled)
            data[filled] =
                distance <= filled && length % 3 != 0 ? data[filled - distance] : (uint8_t)(256 * randomUnit(&random));
    }
    for (size_t used = 0; used <= count; used = used * 3 + 1)
    {
        Bytes out = { .memory = &memory };
        assert_true(deflateBytes(&out, data, used));
        assert_int_equal(inflateAll(out.data, out.count, back, count), used);
        assert_memory_equal(back, data, used);
        memoryRelease(&memory, out.data);
    }
    free(data);
    free(back);
    assert_int_equal(memory.blocks, 0);
}

static void failuresAreSaid(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 300, 300);
    FILE *full = fopen("/dev/full", "wb");
    if (full != NULL)
    {
        setvbuf(full, NULL, _IONBF, 0);
        assert_int_equal(pngWrite(studio.picture, full).code, VV_INPUT_OUTPUT);
        fclose(full);
    }
    studioClose(&studio);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(picturesComeBack),
        cmocka_unit_test(smoothPicturesAreSmall),
        cmocka_unit_test(deflateLengthsAndDistances),
        cmocka_unit_test(failuresAreSaid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
