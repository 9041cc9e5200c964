// The door to pictures: a world as pixels, pixels as a PNG file.
#include "studio/show.h"

#include <stdlib.h>
#include <string.h>

#define PICTURE_COOKIE 0x50564431
#define FIELD_OF_VIEW 35 // degrees
#define COLOURINGS 3

static const char *const colourings[COLOURINGS] = { "plain", "strain", "speed" };

const char *vvGetColouringName(int index)
{
    return index >= 0 && index < COLOURINGS ? colourings[index] : NULL;
}

vvPictureDef vvDefaultPictureDef(void)
{
    return (vvPictureDef){ .width = 640, .height = 480, .cookie = PICTURE_COOKIE };
}

static vvResult checkDef(vvWorldId world, const vvPictureDef *def, const uint8_t *rgba, size_t size)
{
    if (def == NULL || def->cookie != PICTURE_COOKIE)
        return resultMake(VV_BAD_INPUT, "start from vvDefaultPictureDef()", "the definition was not initialised");
    if (!vvWorld_IsValid(world))
        return resultMake(VV_BAD_ID, "make a world first", "the world is null or was destroyed");
    if (rgba == NULL || size != 4 * (size_t)maxInt(def->width, 0) * (size_t)maxInt(def->height, 0))
        return resultMake(VV_BAD_INPUT, "pass room for height x width x 4 bytes",
                          "%zu bytes for a picture of %d x %d pixels", rgba ? size : 0, def->width, def->height);
    if (def->colouring < VV_COLOUR_PLAIN || def->colouring > VV_COLOUR_SPEED)
        return resultMake(VV_BAD_INPUT, "choose one of vvColouring", "colouring is %d", (int)def->colouring);
    double angle = def->camera.fieldOfView;
    if (!(angle == 0 || (angle >= 1 && angle <= 150)))
        return resultMake(VV_BAD_INPUT, "choose one from 1 to 150 degrees, or 0 for 35", "fieldOfView is %g degrees",
                          angle);
    if (!(def->fieldMost >= 0 && def->fieldMost <= 1e300))
        return resultMake(VV_BAD_INPUT, "choose one above 0, or 0 for that of the picture", "fieldMost is %g",
                          def->fieldMost);
    if (def->colourCount < 0 || (def->colourCount > 0 && def->colours == NULL))
        return resultMake(VV_BAD_INPUT, "pass as many colours as colourCount says", "colourCount is %d, colours %s",
                          def->colourCount, def->colours ? "are given" : "is NULL");
    return resultOk();
}

// the camera, and what else one panel needs to know
static vvResult look(Show *show, const vvPictureDef *def, Look *out)
{
    double shape = (double)def->width / def->height;
    double angle = def->camera.fieldOfView > 0 ? def->camera.fieldOfView : FIELD_OF_VIEW;
    Seen seen = seenStart();
    *out = (Look){ .colouring = def->colouring,
                   .particles = def->particles,
                   .colours = def->colours,
                   .colourCount = def->colourCount };
    seenMeasure(&seen, show, def->colouring);
    seenFrom(&seen, vec3(0.55, 0.42, 1), shape, angle);
    seenFit(&seen, show);
    if (!seen.still.any) // nothing that moves
        cameraFitPoint(&seen.still, vec3(0, 0, 0));
    if (!seen.moving.any)
        seen.moving = seen.still;
    seenPlace(&seen, def->hasEye ? &def->camera.eye : NULL, def->hasTarget ? &def->camera.target : NULL, out);
    out->fieldMost = def->fieldMost > 0 ? def->fieldMost : seenFieldMost(&seen);
    if (!cameraGood(&out->camera))
        return resultMake(VV_BAD_INPUT, "choose an eye and a target that are finite and apart",
                          "the camera is at %g %g %g and looks at %g %g %g", out->camera.eye.x, out->camera.eye.y,
                          out->camera.eye.z, out->camera.target.x, out->camera.target.y, out->camera.target.z);
    glassFind(show, lookCamera(out, show).eye);
    return resultOk();
}

static vvResult paint(Show *show, const vvPictureDef *def, Picture *picture)
{
    Look how;
    Rect all = { 0, 0, picture->width, picture->height };
    Stage *stage = stageCreate(show->memory);
    vvResult result = stage != NULL ? look(show, def, &how) : resultOutOfMemory("a picture");
    if (result.code == VV_OK)
        result = panelShow(show, &how, stage, picture, all);
    if (result.code == VV_OK && (def->caption != NULL || def->note != NULL))
        panelCaption(picture, all, def->caption ? def->caption : "", def->note ? def->note : "");
    if (result.code == VV_OK && def->colouring != VV_COLOUR_PLAIN)
        panelScale(&how, picture, all);
    stageDestroy(stage);
    return result;
}

vvResult vvWorld_Paint(vvWorldId world, const vvPictureDef *def, uint8_t *rgba, size_t size)
{
    vvResult result = checkDef(world, def, rgba, size);
    if (result.code != VV_OK)
        return result;
    Memory memory = memoryMake(&def->allocator);
    Show show = { 0 };
    Picture *picture = pictureCreate(&memory, def->width, def->height, &result);
    if (picture != NULL)
        result = showWorld(&show, &memory, world, def->colouring);
    if (picture != NULL && result.code == VV_OK)
        result = paint(&show, def, picture);
    for (size_t i = 0; picture != NULL && result.code == VV_OK && i < size / 4; ++i)
    {
        memcpy(rgba + 4 * i, picture->rgb + 3 * i, 3);
        rgba[4 * i + 3] = 255;
    }
    showRelease(&show);
    pictureDestroy(picture);
    return result;
}

// ---- PNG ------------------------------------------------------------------------------------------------------------

typedef struct Bytes
{
    uint8_t *data; // capacity
    size_t count, capacity;
} Bytes;

static bool append(void *userData, const void *data, size_t count)
{
    Bytes *bytes = userData;
    if (bytes->count + count > bytes->capacity)
    {
        size_t capacity = 2 * (bytes->count + count);
        uint8_t *grown = realloc(bytes->data, capacity);
        if (grown == NULL)
            return false;
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
    return true;
}

uint8_t *vvCreatePng(const uint8_t *rgba, int width, int height, size_t *size, vvResult *out)
{
    Memory memory = memoryMake(NULL);
    Bytes bytes = { 0 };
    vvResult result = rgba != NULL ? pngReady() : resultMake(VV_BAD_INPUT, "pass the pixels", "rgba is NULL");
    Picture *picture = result.code == VV_OK ? pictureCreate(&memory, width, height, &result) : NULL;
    for (size_t i = 0; picture != NULL && i < (size_t)width * (size_t)height; ++i)
        memcpy(picture->rgb + 3 * i, rgba + 4 * i, 3);
    if (picture != NULL)
        result = pngPour(picture, append, &bytes);
    pictureDestroy(picture);
    if (size != NULL)
        *size = result.code == VV_OK ? bytes.count : 0;
    if (resultPass(out, &result))
        return bytes.data;
    free(bytes.data);
    return NULL;
}

void vvDestroyPng(uint8_t *png)
{
    free(png);
}
