// GIF files read back without giflib: frames over frames, delays, the colours that come out.
#define _POSIX_C_SOURCE 200809L // fmemopen
#include "pixels.h"

#include <stdlib.h>

typedef struct Reader
{
    uint8_t *bytes;
    size_t size, at;
    int width, height, frames, delay; // delay: 1/100 s, sum
    uint8_t palette[256][3];
    uint8_t *screen; // height x width: indices
    int touched;     // pixels the last frame's rectangle holds
} Reader;

static int next8(Reader *r)
{
    assert_true(r->at < r->size);
    return r->bytes[r->at++];
}

static int next16(Reader *r)
{
    int low = next8(r);
    return low | next8(r) << 8;
}

// the sub-blocks from here on, joined
static uint8_t *nextBlocks(Reader *r, size_t *count)
{
    uint8_t *joined = malloc(r->size);
    *count = 0;
    for (int length; (length = next8(r)) > 0;)
    {
        for (int i = 0; i < length; ++i)
            joined[(*count)++] = (uint8_t)next8(r);
    }
    return joined;
}

// LZW as the GIF89a specification describes the reader
static void unpack(const uint8_t *data, size_t count, uint8_t *out, int outCount)
{
    static int prefix[4096], length[4096];
    static uint8_t last[4096], first[4096];
    size_t bit = 0;
    int size = 9, codes = 258, previous = -1, filled = 0;
    for (;;)
    {
        int code = 0;
        for (int i = 0; i < size; ++i, ++bit)
        {
            assert_true(bit / 8 < count);
            code |= (data[bit / 8] >> (bit % 8) & 1) << i;
        }
        if (code == 257)
            break;
        if (code == 256)
        {
            size = 9;
            codes = 258;
            previous = -1;
            continue;
        }
        for (int i = 0; i < 256 && previous < 0; ++i)
        {
            length[i] = 1;
            first[i] = last[i] = (uint8_t)i;
        }
        assert_true(code < codes || (code == codes && previous >= 0));
        if (previous >= 0 && codes < 4096)
        {
            prefix[codes] = previous;
            length[codes] = length[previous] + 1;
            first[codes] = first[previous];
            last[codes] = code == codes ? first[previous] : first[code];
            codes += 1;
            if (codes == 1 << size && size < 12)
                ++size;
        }
        assert_true(filled + length[code] <= outCount);
        for (int c = code, i = length[code] - 1; i >= 0; --i, c = length[c] > 1 ? prefix[c] : c)
            out[filled + i] = last[c];
        filled += length[code];
        previous = code;
    }
    assert_int_equal(filled, outCount);
}

static void readHeader(Reader *r)
{
    assert_memory_equal(r->bytes, "GIF89a", 6);
    r->at = 6;
    r->width = next16(r);
    r->height = next16(r);
    assert_int_equal(next8(r), 0xf7);
    r->at += 2;
    memcpy(r->palette, r->bytes + r->at, 768);
    r->at += 768;
    r->screen = calloc((size_t)r->width * (size_t)r->height, 1);
}

// up to and with the next frame; false: the file has ended, properly
static bool readFrame(Reader *r)
{
    int transparent = -1;
    for (int kind; (kind = next8(r)) != 0x2c;)
    {
        size_t count;
        if (kind == 0x3b)
        {
            assert_int_equal(r->at, r->size);
            return false;
        }
        assert_int_equal(kind, 0x21);
        int label = next8(r);
        uint8_t *block = nextBlocks(r, &count);
        if (label == 0xf9)
        {
            assert_int_equal(block[0] >> 2 & 7, 1); // left in place
            transparent = block[0] & 1 ? block[3] : -1;
            r->delay += block[1] | block[2] << 8;
        }
        free(block);
    }
    int left = next16(r), top = next16(r), width = next16(r), height = next16(r);
    assert_true(left + width <= r->width && top + height <= r->height && width > 0 && height > 0);
    assert_int_equal(next8(r), 0);
    assert_int_equal(next8(r), 8);
    size_t count;
    uint8_t *data = nextBlocks(r, &count), *indices = malloc((size_t)(width * height));
    unpack(data, count, indices, width * height);
    for (int i = 0; i < width * height; ++i)
    {
        if (indices[i] != transparent)
            r->screen[(top + i / width) * r->width + left + i % width] = indices[i];
    }
    free(data);
    free(indices);
    r->frames += 1;
    r->touched = width * height;
    return true;
}

static void loadFile(Reader *r, FILE *file)
{
    memset(r, 0, sizeof *r);
    r->size = (size_t)ftell(file);
    rewind(file);
    r->bytes = malloc(r->size);
    assert_int_equal(fread(r->bytes, 1, r->size, file), r->size);
    fclose(file);
    readHeader(r);
}

static void dropReader(Reader *r)
{
    free(r->bytes);
    free(r->screen);
}

// a disc that wanders over a slope of colours
static void paintFrame(Picture *picture, int frame)
{
    for (int i = 0; i < picture->width * picture->height; ++i)
    {
        uint8_t *p = picture->rgb + 3 * i;
        p[0] = (uint8_t)(150 + i / picture->width);
        p[1] = (uint8_t)(100 + i % picture->width / 2);
        p[2] = 200;
    }
    Rect all = { 0, 0, picture->width, picture->height };
    strokeDisc(picture, all, 15 + 5 * frame, 30, 9, colourHex(0xE01010), 1);
}

static double meanError(const Reader *r, const Picture *picture)
{
    double sum = 0;
    int pixels = r->width * r->height;
    for (int i = 0; i < pixels; ++i)
        for (int c = 0; c < 3; ++c)
            sum += abs(r->palette[r->screen[i]][c] - picture->rgb[3 * i + c]);
    return sum / (3 * pixels);
}

static void moviesComeBack(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 100, 60);
    Gif *gif = gifCreate(&studio.memory, 100, 60);
    FILE *file = tmpfile();
    paintFrame(studio.picture, 0);
    gifSample(gif, studio.picture);
    assert_int_equal(gifStart(gif, file, 1.0 / 30).code, VV_OK);
    for (int frame = 0; frame < 12; ++frame)
    {
        paintFrame(studio.picture, frame);
        assert_int_equal(gifFrame(gif, studio.picture).code, VV_OK);
    }
    assert_int_equal(gifFinish(gif).code, VV_OK);
    gifDestroy(gif);
    Reader reader;
    loadFile(&reader, file);
    assert_true(reader.width == 100 && reader.height == 60);
    for (int frame = 0; readFrame(&reader); ++frame)
    {
        paintFrame(studio.picture, frame);
        CHECK_BELOW(meanError(&reader, studio.picture), 3); // of 255, dither included
        // only what the disc touched is written again: two discs of 20 pixels, 5 apart
        if (frame > 0)
            CHECK_BELOW(reader.touched, 26 * 21);
    }
    assert_int_equal(reader.frames, 12);
    assert_int_equal(reader.delay, 40); // 12 / 30 s
    dropReader(&reader);
    studioClose(&studio);
}

static void flatColoursAreExact(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 64, 64);
    for (int i = 0; i < 4; ++i)
        pictureFill(studio.picture, (Rect){ 16 * i, 0, 16, 64 }, colourHex(0xFBFBFA - 0x203040u * (unsigned)i), 1);
    Gif *gif = gifCreate(&studio.memory, 64, 64);
    FILE *file = tmpfile();
    gifSample(gif, studio.picture);
    assert_int_equal(gifStart(gif, file, 0.1).code, VV_OK);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(gifFrame(gif, studio.picture).code, VV_OK);
    assert_int_equal(gifFinish(gif).code, VV_OK);
    gifDestroy(gif);
    Reader reader;
    loadFile(&reader, file);
    assert_true(readFrame(&reader));
    CHECK_NEAR(meanError(&reader, studio.picture), 0, 0);
    assert_true(readFrame(&reader));
    assert_int_equal(reader.touched, 1); // nothing moved
    CHECK_NEAR(meanError(&reader, studio.picture), 0, 0);
    assert_false(readFrame(&reader));
    dropReader(&reader);
    studioClose(&studio);
}

static void noiseFillsTheTable(void **state)
{
    (void)state;
    // so many different pairs that the table of codes overflows and starts again, many times
    Studio studio;
    studioOpen(&studio, 200, 200);
    TestRandom random = { 5 };
    for (int i = 0; i < 200 * 200 * 3; ++i)
        studio.picture->rgb[i] = (uint8_t)(256 * randomUnit(&random));
    Gif *gif = gifCreate(&studio.memory, 200, 200);
    FILE *file = tmpfile();
    gifSample(gif, studio.picture);
    assert_int_equal(gifStart(gif, file, 0.04).code, VV_OK);
    assert_int_equal(gifFrame(gif, studio.picture).code, VV_OK);
    assert_int_equal(gifFinish(gif).code, VV_OK);
    gifDestroy(gif);
    Reader reader;
    loadFile(&reader, file);
    assert_true(readFrame(&reader));
    CHECK_BELOW(meanError(&reader, studio.picture), 30); // 255 colours for all there are
    assert_false(readFrame(&reader));
    dropReader(&reader);
    studioClose(&studio);
}

static void wrongFramesAreRefused(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 20, 20);
    Gif *gif = gifCreate(&studio.memory, 30, 20);
    FILE *file = tmpfile();
    assert_int_equal(gifStart(gif, file, 0.04).code, VV_OK); // no samples: one colour
    assert_int_equal(gifFrame(gif, studio.picture).code, VV_BAD_INPUT);
    gifDestroy(gif);
    fclose(file);
    studioClose(&studio);
}

static void fullDisksAreSaid(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 40, 30);
    FILE *full = fopen("/dev/full", "wb");
    if (full != NULL)
    {
        setvbuf(full, NULL, _IONBF, 0);
        Gif *gif = gifCreate(&studio.memory, 40, 30);
        vvResult result = gifStart(gif, full, 0.04);
        assert_int_equal(result.code, VV_INPUT_OUTPUT);
        assert_non_null(strstr(result.message, "could not be written"));
        // and it stays so
        assert_int_equal(gifFrame(gif, studio.picture).code, VV_INPUT_OUTPUT);
        assert_int_equal(gifFinish(gif).code, VV_INPUT_OUTPUT);
        gifDestroy(gif);
        fclose(full);
    }
    studioClose(&studio);
}

// the disk becomes full in the middle of a frame, after `room` bytes: a file that takes no more
static vvResult writeInto(Studio *studio, char *room, size_t size)
{
    FILE *file = fmemopen(room, size, "wb");
    setvbuf(file, NULL, _IONBF, 0);
    Gif *gif = gifCreate(&studio->memory, studio->picture->width, studio->picture->height);
    gifSample(gif, studio->picture);
    vvResult result = gifStart(gif, file, 0.04);
    if (result.code == VV_OK)
        result = gifFrame(gif, studio->picture);
    if (result.code == VV_OK)
        result = gifFinish(gif);
    gifDestroy(gif);
    fclose(file);
    return result;
}

static void everyWriteMayFail(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 40, 30);
    paintFrame(studio.picture, 0);
    char room[8000];
    size_t size = 1;
    for (; size < sizeof room; size += 37)
    {
        int code = writeInto(&studio, room, size).code;
        if (code == VV_OK)
            break;
        assert_int_equal(code, VV_INPUT_OUTPUT);
    }
    // the palette alone has 768 bytes
    assert_true(size > 1000 && size < sizeof room);
    studioClose(&studio);
}

#if defined __GLIBC__ && !defined __clang__ && !defined __SANITIZE_ADDRESS__
#define MALLOC_IS_OURS
// giflib allocates by malloc and calloc: here they can be refused, one after the other
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
__attribute__((visibility("default"))) void *malloc(size_t size); // giflib is to see them
__attribute__((visibility("default"))) void *calloc(size_t count, size_t size);
static int mallocsLeft = -1; // -1: as many as there are

static bool isGranted(void)
{
    if (mallocsLeft == 0)
        return false;
    mallocsLeft -= mallocsLeft > 0;
    return true;
}

void *malloc(size_t size)
{
    return isGranted() ? __libc_malloc(size) : NULL;
}

void *calloc(size_t count, size_t size)
{
    return isGranted() ? __libc_calloc(count, size) : NULL;
}

static void everyAllocationOfTheLibraryMayFail(void **state)
{
    (void)state;
    Studio studio;
    studioOpen(&studio, 40, 30);
    FILE *file = tmpfile();
    fputc(0, file); // the file has its buffer
    int granted = 0;
    for (bool good = false; !good; ++granted)
    {
        Gif *gif = gifCreate(&studio.memory, 40, 30);
        mallocsLeft = granted;
        vvResult result = gifStart(gif, file, 0.04);
        mallocsLeft = -1;
        good = result.code == VV_OK;
        if (!good)
            assert_int_equal(result.code, VV_OUT_OF_MEMORY);
        gifDestroy(gif);
        assert_true(granted < 50);
    }
    assert_true(granted > 4); // the coder, its table, two palettes of two blocks
    fclose(file);
    studioClose(&studio);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moviesComeBack),
        cmocka_unit_test(flatColoursAreExact),
        cmocka_unit_test(noiseFillsTheTable),
        cmocka_unit_test(wrongFramesAreRefused),
        cmocka_unit_test(fullDisksAreSaid),
        cmocka_unit_test(everyWriteMayFail),
#ifdef MALLOC_IS_OURS
        cmocka_unit_test(everyAllocationOfTheLibraryMayFail),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
