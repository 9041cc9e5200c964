#include "draw/stage.h"

#include <string.h>

Paint paintSolid(Colour colour)
{
    return (Paint){ .front = colour, .back = colourMix(colour, (Colour){ 0.1f, 0.1f, 0.1f }, 0.5), .gloss = 0.8f };
}

Paint paintCloth(Colour colour)
{
    Colour back = colourMix(colour, (Colour){ 0.85f, 0.80f, 0.70f }, 0.62);
    return (Paint){ .front = colour, .back = back, .gloss = 0.15f, .thin = true };
}

Stage *stageCreate(Memory *memory)
{
    Stage *stage = ALLOCATE(memory, Stage, 1);
    if (stage == NULL)
        return NULL;
    stage->memory = memory;
    for (int i = 0; i < 256; ++i)
        stage->map[i] = colourOfField(i / 255.0);
    for (int i = 0; i < ROOT_LEVELS; ++i)
    {
        double root = i / (double)(ROOT_LEVELS - 1);
        stage->byteOfRoot[i] = (uint8_t)(255 * colourEncode(root * root) + 0.5);
    }
    return stage;
}

void stageDestroy(Stage *stage)
{
    if (stage == NULL)
        return;
    Memory *memory = stage->memory;
    memoryRelease(memory, stage->triangles);
    memoryRelease(memory, stage->paints);
    memoryRelease(memory, stage->depth);
    memoryRelease(memory, stage->colour);
    memoryRelease(memory, stage->scratch);
    shadowRelease(memory, &stage->shadow);
    memoryRelease(memory, stage);
}

void stageClear(Stage *stage)
{
    stage->triangleCount = 0;
    stage->paintCount = 0;
    stage->hasGround = false;
}

void stageGround(Stage *stage, double height)
{
    stage->hasGround = isfinite(height);
    stage->groundHeight = height;
}

// room for `more` behind `count`, doubled as it grows
static bool reserve(Memory *memory, void **block, int count, int *capacity, int more, size_t size)
{
    if (more > INT32_MAX / 4 || count > INT32_MAX / 4)
        return false;
    if (count + more <= *capacity)
        return true;
    int wanted = maxInt(count + more, 2 * *capacity);
    if (!memoryGrow(memory, block, (size_t)*capacity, (size_t)wanted, size))
        return false;
    *capacity = wanted;
    return true;
}

bool stageReserve(Stage *stage, int triangles)
{
    void *block = stage->triangles;
    bool good =
        reserve(stage->memory, &block, stage->triangleCount, &stage->triangleCapacity, triangles, sizeof(Triangle));
    stage->triangles = block;
    return good;
}

static bool sameColour(Colour a, Colour b)
{
    return a.r == b.r && a.g == b.g && a.b == b.b;
}

static bool samePaint(const Paint *a, const Paint *b)
{
    return sameColour(a->front, b->front) && sameColour(a->back, b->back) && a->gloss == b->gloss &&
           a->wire == b->wire && a->thin == b->thin && a->field == b->field && a->glass == b->glass &&
           a->shadowless == b->shadowless;
}

int stagePaint(Stage *stage, const Paint *paint)
{
    // a row of spheres or tubes shares one
    if (stage->paintCount > 0 && samePaint(&stage->paints[stage->paintCount - 1], paint))
        return stage->paintCount - 1;
    void *block = stage->paints;
    bool good = reserve(stage->memory, &block, stage->paintCount, &stage->paintCapacity, 1, sizeof(Paint));
    stage->paints = block;
    if (!good)
        return -1;
    stage->paints[stage->paintCount] = *paint;
    return stage->paintCount++;
}

static bool reserveFilm(Stage *stage, size_t pixels)
{
    if (pixels <= stage->pixelCapacity)
        return true;
    memoryRelease(stage->memory, stage->depth);
    memoryRelease(stage->memory, stage->colour);
    stage->depth = ALLOCATE(stage->memory, float, pixels *SAMPLES);
    stage->colour = ALLOCATE(stage->memory, uint32_t, pixels * SAMPLES);
    bool good = stage->depth != NULL && stage->colour != NULL;
    stage->pixelCapacity = good ? pixels : 0;
    return good;
}

vvResult stageDraw(Stage *stage, const Camera *camera, Picture *picture, Rect rect)
{
    if (rect.width < 1 || rect.height < 1 || rect.x < 0 || rect.y < 0 || rect.width > picture->width - rect.x ||
        rect.height > picture->height - rect.y)
        return resultMake(VV_BAD_INPUT, "draw into a rectangle that lies in the picture",
                          "a rectangle of %d x %d pixels at %d, %d in a picture of %d x %d", rect.width, rect.height,
                          rect.x, rect.y, picture->width, picture->height);
    if (!cameraGood(camera))
        return resultMake(VV_BAD_INPUT, "give finite points that are apart and an angle such as 35",
                          "the camera at %g %g %g looks at %g %g %g with %g degrees (1 to 150)", camera->eye.x,
                          camera->eye.y, camera->eye.z, camera->target.x, camera->target.y, camera->target.z,
                          camera->fieldOfView);
    size_t pixels = (size_t)rect.width * (size_t)rect.height;
    stage->view = viewMake(camera, rect);
    stage->ground = (float)((stage->groundHeight - stage->view.eye.y) * stage->view.scale);
    if (!reserveFilm(stage, pixels) || !shadowPrepare(stage))
        return resultOutOfMemory("the samples and shadows of a picture");
    memset(stage->depth, 0, pixels * SAMPLES * sizeof stage->depth[0]);
    for (int i = 0; i < stage->triangleCount; ++i)
        rasterTriangle(stage, &stage->triangles[i]);
    backdropDraw(stage);
    filmResolve(stage, picture);
    return resultOk();
}
