#include "draw/draw.h"

Picture *pictureCreate(Memory *memory, int width, int height, vvResult *result)
{
    vvResult done = resultOk();
    Picture *picture = NULL;
    if (width < 1 || height < 1 || width > MOST_PIXELS || height > MOST_PIXELS)
    {
        done = resultMake(VV_BAD_INPUT, "ask for a picture such as 960x540",
                          "a picture of %d x %d pixels, each side must be from 1 to %d", width, height, MOST_PIXELS);
        resultPass(result, &done);
        return NULL;
    }
    picture = ALLOCATE(memory, Picture, 1);
    if (picture != NULL)
    {
        size_t pixels = (size_t)width * (size_t)height;
        *picture = (Picture){ memory, width, height, ALLOCATE(memory, uint8_t, 3 * pixels),
                              ALLOCATE(memory, uint8_t, pixels) };
    }
    if (picture == NULL || picture->rgb == NULL || picture->mask == NULL)
    {
        pictureDestroy(picture);
        picture = NULL;
        done = resultOutOfMemory("a picture");
    }
    resultPass(result, &done);
    return picture;
}

void pictureDestroy(Picture *picture)
{
    if (picture == NULL)
        return;
    memoryRelease(picture->memory, picture->rgb);
    memoryRelease(picture->memory, picture->mask);
    memoryRelease(picture->memory, picture);
}

void pictureFill(Picture *picture, Rect rect, Colour colour, double opacity)
{
    uint8_t bytes[3];
    colourBytes(colour, bytes);
    int share = (int)(256 * minReal(maxReal(opacity, 0), 1) + 0.5);
    int right = minInt(rect.x + rect.width, picture->width), bottom = minInt(rect.y + rect.height, picture->height);
    for (int y = maxInt(rect.y, 0); y < bottom; ++y)
    {
        for (int x = maxInt(rect.x, 0); x < right; ++x)
        {
            uint8_t *pixel = picture->rgb + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
            for (int c = 0; c < 3; ++c)
                pixel[c] = (uint8_t)((pixel[c] * (256 - share) + bytes[c] * share + 128) >> 8);
        }
    }
}
