// GIF89a by giflib, the only file that knows it: one palette for the movie, frames that hold only what changed. giflib
// brings LZW and the blocks of the file; colours and changes are ours (palette.c says why). A build without giflib has
// no such output and says so.
#include "draw/palette.h"

#ifdef VERVE_GIF

#include <gif_lib.h>

#define UNCHANGED PALETTE_MOST // the index that lets the last frame show through

struct Gif
{
    Memory *memory;
    int width, height;
    FILE *file;         // NULL: nothing is written any more
    GifFileType *coder; // NULL: not started, or finished; memory by malloc, giflib asks no hook
    bool failed;        // a write did not succeed
    int frames;
    double period; // s
    Palette palette;
    uint8_t *shown; // height x width: the indices on the screen
    uint8_t *next;  // height x width
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

static void closeCoder(Gif *gif)
{
    int error;
    if (gif->coder != NULL)
        EGifCloseFile(gif->coder, &error); // writes the end of the file
    gif->coder = NULL;
}

void gifDestroy(Gif *gif)
{
    if (gif == NULL)
        return;
    gif->file = NULL;
    closeCoder(gif);
    memoryRelease(gif->memory, gif->shown);
    memoryRelease(gif->memory, gif->next);
    memoryRelease(gif->memory, gif);
}

void gifSample(Gif *gif, const Picture *picture)
{
    paletteSample(&gif->palette, picture);
}

// giflib does not look at every count that it gets back, so that a failure is kept here
static int writeBytes(GifFileType *coder, const GifByteType *data, int count)
{
    Gif *gif = coder->UserData;
    if (gif->file != NULL && !gif->failed)
        gif->failed = fwrite(data, 1, (size_t)count, gif->file) != (size_t)count;
    return gif->failed ? 0 : count;
}

static vvResult outcome(const Gif *gif)
{
    if (gif->failed)
        return resultMake(VV_INPUT_OUTPUT, "make room on the disk", "a GIF file could not be written");
    return resultOk();
}

// the head of the file, and the sign that the movie starts again at its end
static bool putHead(Gif *gif, const ColorMapObject *colours)
{
    GifFileType *coder = gif->coder;
    EGifSetGifVersion(coder, true);
    return EGifPutScreenDesc(coder, gif->width, gif->height, 8, UNCHANGED, colours) == GIF_OK &&
           EGifPutExtensionLeader(coder, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(coder, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(coder, 3, "\x01\x00\x00") == GIF_OK && EGifPutExtensionTrailer(coder) == GIF_OK;
}

vvResult gifReady(void)
{
    return resultOk();
}

vvResult gifStart(Gif *gif, FILE *file, double period)
{
    gif->file = file;
    gif->period = period;
    paletteChoose(&gif->palette);
    GifColorType colour[PALETTE_MOST + 1];
    for (int i = 0; i <= PALETTE_MOST; ++i)
        colour[i] = (GifColorType){ gif->palette.rgb[i][0], gif->palette.rgb[i][1], gif->palette.rgb[i][2] };
    int error;
    gif->coder = EGifOpen(gif, writeBytes, &error);
    ColorMapObject *colours = GifMakeMapObject(PALETTE_MOST + 1, colour);
    bool good = gif->coder != NULL && colours != NULL && putHead(gif, colours);
    GifFreeMapObject(colours);
    // what is neither written nor refused lacked memory
    return good || gif->failed ? outcome(gif) : resultOutOfMemory("a GIF file");
}

// ---- frames ---------------------------------------------------------------------------------------------------------

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
    GraphicsControlBlock control = { .DisposalMode = DISPOSE_DO_NOT, .TransparentColor = UNCHANGED };
    control.DelayTime = minInt(maxInt(delay, 2), 65535); // viewers slow down what is faster than 1/50 s
    GifByteType block[4];
    EGifGCBToExtension(&control, block);
    bool good = EGifPutExtension(gif->coder, GRAPHICS_EXT_FUNC_CODE, 4, block) == GIF_OK &&
                EGifPutImageDesc(gif->coder, rect.x, rect.y, rect.width, rect.height, false, NULL) == GIF_OK;
    for (int y = 0; y < rect.height && good; ++y)
        good = EGifPutLine(gif->coder, gif->next + (size_t)(rect.y + y) * (size_t)gif->width + (size_t)rect.x,
                           rect.width) == GIF_OK;
    gif->failed = gif->failed || !good;
    return outcome(gif);
}

vvResult gifFinish(Gif *gif)
{
    closeCoder(gif);
    gif->failed = gif->failed || fflush(gif->file) != 0;
    return outcome(gif);
}

#else

vvResult gifReady(void)
{
    return resultMake(VV_BAD_INPUT,
                      "install giflib (Debian: libgif-dev) and build again, or choose a .mp4, which needs ffmpeg alone",
                      "this build has no giflib and writes no .gif");
}

// gifReady says it first; nothing else is ever called
Gif *gifCreate(Memory *memory, int width, int height)
{
    (void)memory;
    (void)width;
    (void)height;
    return NULL;
}

void gifSample(Gif *gif, const Picture *picture)
{
    (void)gif;
    (void)picture;
}

vvResult gifStart(Gif *gif, FILE *file, double period)
{
    (void)gif;
    (void)file;
    (void)period;
    return gifReady();
}

vvResult gifFrame(Gif *gif, const Picture *picture)
{
    (void)gif;
    (void)picture;
    return gifReady();
}

vvResult gifFinish(Gif *gif)
{
    (void)gif;
    return gifReady();
}

void gifDestroy(Gif *gif)
{
    (void)gif;
}

#endif
