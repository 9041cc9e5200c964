// GIF89a: one palette for the movie, frames that hold only what changed, LZW.
#include "draw/palette.h"

#include <string.h>

#define UNCHANGED 255 // the index that lets the last frame show through
#define MOST_CODES 4096
#define CLEAR 256
#define END 257

struct Gif
{
    Memory *memory;
    int width, height;
    FILE *file;
    bool failed; // a write did not succeed
    int frames;
    double period; // s
    Palette palette;
    uint8_t *shown; // height x width: the indices on the screen
    uint8_t *next;  // height x width
    // LZW: children of a code by their byte, as lists
    uint16_t child[MOST_CODES], sibling[MOST_CODES];
    uint8_t letter[MOST_CODES];
    uint8_t block[255]; // a sub-block being filled
    int blockCount;
    uint32_t bits;
    int bitCount;
};

Gif *gifCreate(Memory *memory, int width, int height)
{
    Gif *gif = ALLOCATE(memory, Gif, 1);
    if (gif == NULL)
        return NULL;
    gif->memory = memory;
    gif->width = width;
    gif->height = height;
    gif->shown = ALLOCATE(memory, uint8_t, (size_t)width * (size_t)height);
    gif->next = ALLOCATE(memory, uint8_t, (size_t)width * (size_t)height);
    if (gif->shown != NULL && gif->next != NULL)
        return gif;
    gifDestroy(gif);
    return NULL;
}

void gifDestroy(Gif *gif)
{
    if (gif == NULL)
        return;
    memoryRelease(gif->memory, gif->shown);
    memoryRelease(gif->memory, gif->next);
    memoryRelease(gif->memory, gif);
}

void gifSample(Gif *gif, const Picture *picture)
{
    paletteSample(&gif->palette, picture);
}

static void put(Gif *gif, const void *data, size_t count)
{
    gif->failed = gif->failed || fwrite(data, 1, count, gif->file) != count;
}

static void put16(Gif *gif, int value)
{
    put(gif, (const uint8_t[]){ (uint8_t)(value & 255), (uint8_t)(value >> 8) }, 2);
}

static vvResult outcome(const Gif *gif)
{
    if (gif->failed)
        return resultMake(VV_INPUT_OUTPUT, "make room on the disk", "a GIF file could not be written");
    return resultOk();
}

vvResult gifStart(Gif *gif, FILE *file, double period)
{
    gif->file = file;
    gif->period = period;
    paletteChoose(&gif->palette);
    put(gif, "GIF89a", 6);
    put16(gif, gif->width);
    put16(gif, gif->height);
    put(gif, (const uint8_t[]){ 0xf7, UNCHANGED, 0 }, 3); // a palette of 256, 8 bits a channel
    put(gif, gif->palette.rgb, 3 * 256);
    put(gif, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 19); // for ever
    return outcome(gif);
}

// ---- LZW -------------------------------------------------------------------------------------------------------------

static void flushBlock(Gif *gif)
{
    uint8_t count = (uint8_t)gif->blockCount;
    if (count > 0)
    {
        put(gif, &count, 1);
        put(gif, gif->block, count);
    }
    gif->blockCount = 0;
}

static void putBits(Gif *gif, int code, int count)
{
    gif->bits |= (uint32_t)code << gif->bitCount;
    gif->bitCount += count;
    for (; gif->bitCount >= 8; gif->bitCount -= 8, gif->bits >>= 8)
    {
        gif->block[gif->blockCount++] = (uint8_t)gif->bits;
        if (gif->blockCount == 255)
            flushBlock(gif);
    }
}

static int findChild(const Gif *gif, int code, uint8_t letter)
{
    int child = gif->child[code];
    while (child != 0 && gif->letter[child] != letter)
        child = gif->sibling[child];
    return child;
}

static void forget(Gif *gif)
{
    memset(gif->child, 0, sizeof gif->child);
}

static void compress(Gif *gif, Rect rect)
{
    int size = 9, codes = END + 1, current = -1;
    put(gif, (const uint8_t[]){ 8 }, 1);
    forget(gif);
    putBits(gif, CLEAR, size);
    for (int i = 0; i < rect.width * rect.height; ++i)
    {
        int x = rect.x + i % rect.width, y = rect.y + i / rect.width;
        uint8_t letter = gif->next[(size_t)y * (size_t)gif->width + (size_t)x];
        int longer = current < 0 ? letter : findChild(gif, current, letter);
        if (current < 0 || longer != 0)
        {
            current = longer;
            continue;
        }
        putBits(gif, current, size);
        if (codes < MOST_CODES)
        {
            // a new code is known to the reader one code later
            gif->letter[codes] = letter;
            gif->sibling[codes] = gif->child[current];
            gif->child[current] = (uint16_t)codes;
            size += codes == 1 << size && size < 12;
            codes += 1;
        }
        else
        {
            putBits(gif, CLEAR, size);
            forget(gif);
            size = 9;
            codes = END + 1;
        }
        current = letter;
    }
    putBits(gif, current, size);
    // the reader adds a last code before it reads the end
    size += codes == 1 << size && size < 12;
    putBits(gif, END, size);
    if (gif->bitCount > 0)
        putBits(gif, 0, 8 - gif->bitCount);
    flushBlock(gif);
    put(gif, (const uint8_t[]){ 0 }, 1);
}

// ---- frames ----------------------------------------------------------------------------------------------------------

// fills `next` with what changed and UNCHANGED elsewhere; returns where that is
static Rect findChanges(Gif *gif, const Picture *picture)
{
    int left = gif->width, right = -1, top = gif->height, bottom = -1;
    for (int y = 0; y < gif->height; ++y)
    {
        for (int x = 0; x < gif->width; ++x)
        {
            size_t at = (size_t)y * (size_t)gif->width + (size_t)x;
            uint8_t index = paletteIndex(&gif->palette, picture->rgb + 3 * at, x, y);
            bool same = gif->frames > 0 && index == gif->shown[at];
            gif->next[at] = same ? UNCHANGED : index;
            gif->shown[at] = index;
            if (same)
                continue;
            left = minInt(left, x);
            right = maxInt(right, x);
            top = minInt(top, y);
            bottom = maxInt(bottom, y);
        }
    }
    if (right < 0)
        return (Rect){ 0, 0, 1, 1 };
    return (Rect){ left, top, right - left + 1, bottom - top + 1 };
}

vvResult gifFrame(Gif *gif, const Picture *picture)
{
    if (picture->width != gif->width || picture->height != gif->height)
        return resultMake(VV_BAD_INPUT, "give every frame the size of the movie",
                          "a frame of %d x %d in a GIF of %d x %d", picture->width, picture->height, gif->width,
                          gif->height);
    Rect rect = findChanges(gif, picture);
    gif->frames += 1;
    // rounding is carried on, so that the movie as a whole has its length
    int delay = (int)(100 * gif->period * gif->frames + 0.5) - (int)(100 * gif->period * (gif->frames - 1) + 0.5);
    put(gif, (const uint8_t[]){ 0x21, 0xf9, 4, 1 << 2 | 1 }, 4); // leave it there, with a transparent index
    put16(gif, minInt(maxInt(delay, 2), 65535));                 // viewers slow down what is faster than 1/50 s
    put(gif, (const uint8_t[]){ UNCHANGED, 0, 0x2c }, 3);
    put16(gif, rect.x);
    put16(gif, rect.y);
    put16(gif, rect.width);
    put16(gif, rect.height);
    put(gif, (const uint8_t[]){ 0 }, 1);
    compress(gif, rect);
    return outcome(gif);
}

vvResult gifFinish(Gif *gif)
{
    put(gif, ";", 1);
    gif->failed = gif->failed || fflush(gif->file) != 0;
    return outcome(gif);
}
