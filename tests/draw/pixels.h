// What the draw tests share: a picture and a stage that clean up after themselves, and looks at pixels.
#ifndef TESTS_DRAW_PIXELS_H
#define TESTS_DRAW_PIXELS_H

#include "check.h"
#include "draw/draw.h"

typedef struct Studio
{
    Memory memory;
    Picture *picture;
    Stage *stage;
} Studio;

static inline void studioOpen(Studio *studio, int width, int height)
{
    studio->memory = memoryMake(NULL);
    studio->picture = pictureCreate(&studio->memory, width, height, NULL);
    studio->stage = stageCreate(&studio->memory);
    assert_non_null(studio->picture);
    assert_non_null(studio->stage);
}

static inline void studioClose(Studio *studio)
{
    pictureDestroy(studio->picture);
    stageDestroy(studio->stage);
    assert_int_equal(studio->memory.blocks, 0);
}

static inline const uint8_t *pixelAt(const Picture *picture, int x, int y)
{
    return picture->rgb + 3 * ((size_t)y * (size_t)picture->width + (size_t)x);
}

static inline int brightness(const Picture *picture, int x, int y)
{
    const uint8_t *p = pixelAt(picture, x, y);
    return p[0] + p[1] + p[2];
}

static inline void drawAll(Studio *studio, const Camera *camera)
{
    Rect all = { 0, 0, studio->picture->width, studio->picture->height };
    vvResult result = stageDraw(studio->stage, camera, studio->picture, all);
    assert_int_equal(result.code, VV_OK);
}

#endif
