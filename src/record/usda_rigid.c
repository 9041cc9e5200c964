// Rigid bodies as USD: a layer with a prim for each, whose translation and orientation have time samples, and with a
// reference to the layer of the soft bodies. It is written when the record is closed, from the poses that were
// recorded.
#include "record/record.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_LINE 256
#define CHUNK 65536

// text that goes to the file in chunks
typedef struct Text
{
    File *file;
    vvResult result;
    size_t size;
    char bytes[CHUNK + LONGEST_LINE];
} Text;

static void flush(Text *text, size_t limit)
{
    if (text->size < limit || text->result.code != VV_OK)
        return;
    text->result = diskAppend(text->file, text->bytes, text->size);
    text->size = 0;
}

static void addWord(Text *text, const char *word)
{
    text->size = (size_t)(textWord(text->bytes + text->size, word) - text->bytes);
    flush(text, CHUNK);
}

static void addInt(Text *text, int value)
{
    text->size = (size_t)(textInt(text->bytes + text->size, value) - text->bytes);
}

static void addTuple(Text *text, const double *value, int count)
{
    char *out = text->bytes + text->size;
    for (int k = 0; k < count; ++k)
        out = textFloat(textWord(out, k == 0 ? "(" : ", "), toFloat(value[k]));
    text->size = (size_t)(textWord(out, ")") - text->bytes);
    flush(text, CHUNK);
}

static void addHead(Text *text, const Clip *clip)
{
    char *out = textWord(text->bytes, "#usda 1.0\n(\n    defaultPrim = \"World\"\n    endTimeCode = ");
    out = textReal(textWord(textInt(out, clip->frameCount - 1), "\n    framesPerSecond = "), 1 / clip->frameTime);
    out = textReal(textWord(out, "\n    metersPerUnit = 1\n    startTimeCode = 0\n    timeCodesPerSecond = "),
                   1 / clip->frameTime);
    out = textWord(out, "\n    upAxis = \"Y\"\n)\n\ndef Xform \"World\"\n{\n");
    if (clip->record->bodyCount > 0)
    {
        out = textWord(
            textWord(out, "    def Xform \"soft\"\n    {\n        def \"bodies\" (\n            references = @./"),
            clip->record->frames);
        out = textWord(out, ".usda@\n        )\n        {\n        }\n    }\n");
    }
    text->size = (size_t)(out - text->bytes);
}

static void addShape(Text *text, const RecordBody *body)
{
    addWord(text, "        def Mesh \"shape\"\n        {\n            int[] faceVertexCounts = [");
    for (int t = 0; t < body->triangleCount; ++t)
        addWord(text, t > 0 ? ", 3" : "3");
    addWord(text, "]\n            int[] faceVertexIndices = [");
    for (int i = 0; i < 3 * body->triangleCount; ++i)
    {
        addWord(text, i > 0 ? ", " : "");
        addInt(text, body->triangle[i]);
    }
    addWord(text, "]\n            point3f[] points = [");
    for (int i = 0; i < body->pointCount; ++i)
    {
        const float *p = body->point + 3 * (size_t)i;
        addWord(text, i > 0 ? ", " : "");
        addTuple(text, (const double[]){ (double)p[0], (double)p[1], (double)p[2] }, 3);
    }
    addWord(text, "]\n            uniform token orientation = \"rightHanded\"\n"
                  "            uniform token subdivisionScheme = \"none\"\n        }\n");
}

static void addSamples(Text *text, const Clip *clip, int number, const char *heading, int first, int count)
{
    addWord(text, heading);
    for (int frame = 0; frame < clip->frameCount; ++frame)
    {
        addWord(text, "            ");
        addInt(text, frame);
        addWord(text, ": ");
        addTuple(text, clipPose(clip, number, frame) + first, count);
        addWord(text, ",\n");
    }
    addWord(text, "        }\n");
}

static void addBody(Text *text, const Clip *clip, int number)
{
    const RecordBody *body = &clip->record->rigid[number];
    addWord(text, "    def Xform \"");
    addWord(text, body->name);
    addWord(text, "\"\n    {\n");
    addSamples(text, clip, number, "        double3 xformOp:translate.timeSamples = {\n", 0, 3);
    addSamples(text, clip, number, "        quatf xformOp:orient.timeSamples = {\n", 3, 4);
    addWord(text, "        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n");
    if (body->triangleCount > 0)
        addShape(text, body);
    addWord(text, "    }\n");
}

vvResult usdaRigidWrite(Clip *clip)
{
    Path path;
    File file = { .handle = -1 };
    if (clip->pose == NULL)
        return resultMake(VV_BAD_INPUT, "'verve run --format usda' records soft bodies",
                          "the record has no poses of rigid bodies, which an export to usda is made of");
    Text *text = ALLOCATE(&clip->record->memory, Text, 1);
    if (text == NULL)
        return resultOutOfMemory("the USD layer of rigid bodies");
    pathMake(clip->record, &path, clip->record->frames, RECORD_RIGID_LAYER);
    text->file = &file;
    text->result = diskBegin(&file, &path);
    addHead(text, clip);
    for (int i = 0; i < clip->record->rigidCount; ++i)
        addBody(text, clip, i);
    addWord(text, "}\n");
    flush(text, 1);
    vvResult result = diskFinish(&file, &path, &text->result);
    memoryRelease(&clip->record->memory, text);
    return result;
}
