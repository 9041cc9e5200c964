// PNG files by libpng, the only file that knows it. A build without libpng has no such output and says so.
#include "draw/draw.h"

#ifdef VERVE_PNG

#include <png.h>

// what libpng calls back: memory, bytes and errors
typedef struct Writer
{
    Memory *memory;
    PngPour *pour;
    void *userData;
    bool isStarved; // an allocation failed
} Writer;

static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
    Writer *writer = png_get_mem_ptr(png);
    void *block = memoryAllocate(writer->memory, size, 1);
    writer->isStarved = writer->isStarved || block == NULL;
    return block;
}

static void release(png_structp png, png_voidp block)
{
    Writer *writer = png_get_mem_ptr(png);
    memoryRelease(writer->memory, block);
}

static void writeBytes(png_structp png, png_bytep data, size_t count)
{
    Writer *writer = png_get_io_ptr(png);
    if (!writer->pour(writer->userData, data, count))
        png_error(png, "full"); // does not return
}

static void flushNothing(png_structp png)
{
    (void)png; // the caller flushes when it closes the file
}

static void stop(png_structp png, png_const_charp message)
{
    (void)message;
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

// False: libpng stopped, by a jump back to here. Nothing local changes after setjmp.
static bool writeAll(png_structp png, png_infop info, const Picture *picture)
{
    if (setjmp(png_jmpbuf(png)) != 0)
        return false;
    png_set_IHDR(png, info, (png_uint_32)picture->width, (png_uint_32)picture->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < picture->height; ++y)
        png_write_row(png, picture->rgb + 3 * (size_t)y * (size_t)picture->width);
    png_write_end(png, info);
    return true;
}

vvResult pngReady(void)
{
    return resultOk();
}

vvResult pngPour(const Picture *picture, PngPour *pour, void *userData)
{
    Writer writer = { picture->memory, pour, userData, false };
    png_structp png =
        png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &writer, stop, ignore, &writer, allocate, release);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    bool written = false;
    if (info != NULL)
    {
        png_set_write_fn(png, &writer, writeBytes, flushNothing);
        written = writeAll(png, info, picture);
    }
    png_destroy_write_struct(&png, &info);
    if (writer.isStarved)
        return resultOutOfMemory("a PNG file");
    if (!written)
        return resultMake(VV_INPUT_OUTPUT, "make room on the disk", "a PNG file could not be written");
    return resultOk();
}

#else

vvResult pngReady(void)
{
    return resultMake(VV_BAD_INPUT,
                      "install libpng (Debian: libpng-dev) and build again, or choose a .mp4, which needs ffmpeg alone",
                      "this build has no libpng and writes no .png");
}

vvResult pngPour(const Picture *picture, PngPour *pour, void *userData)
{
    (void)picture;
    (void)pour;
    (void)userData;
    return pngReady();
}

#endif

static bool toFile(void *userData, const void *bytes, size_t count)
{
    return fwrite(bytes, 1, count, userData) == count;
}

vvResult pngWrite(const Picture *picture, FILE *file)
{
    return pngPour(picture, toFile, file);
}
