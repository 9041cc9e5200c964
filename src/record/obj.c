// Wavefront OBJ: a file per body and frame. Its vertices are those of a point cache.
#include "record/record.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_VERTEX (4 + 3 * (LONGEST_FLOAT + 1))     // "v x y z\n"
#define LONGEST_COORDINATE (5 + 2 * (LONGEST_FLOAT + 1)) // "vt u v\n"
#define LONGEST_CORNER 24                                // " 20000000/20000000"
#define LONGEST_ELEMENT 40                               // "f 20000000 20000000 20000000\n"

// ---- faces as they were drawn ---------------------------------------------------------------------------------------

static size_t namesSize(const char *const *names, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; ++i)
        size = strlen(names[i]) > size ? strlen(names[i]) : size;
    return count > 0 ? size + 16 : 0;
}

static size_t drawnSize(const vvFaces *faces)
{
    size_t names =
        namesSize(faces->groupNames, faces->groupCount) + namesSize(faces->materialNames, faces->materialCount);
    return LONGEST_COORDINATE * (size_t)faces->coordinateCount + LONGEST_CORNER * (size_t)facesCorners(faces) +
           (4 + names) * (size_t)faces->faceCount;
}

// a line where the name of the faces changes
static char *writeName(char *out, const char *word, const char *const *names, int row, int *now)
{
    if (names == NULL || row == *now)
        return out;
    *now = row;
    return textWord(textWord(textWord(out, word), row >= 0 ? names[row] : ""), "\n");
}

static char *writeDrawn(char *out, const vvFaces *faces)
{
    int group = -1, material = -1;
    for (size_t i = 0; i < (size_t)faces->coordinateCount; ++i)
    {
        out = textFloat(textWord(out, "vt "), toFloat(faces->coordinateValues[2 * i]));
        out = textFloat(textWord(out, " "), toFloat(faces->coordinateValues[2 * i + 1]));
        *out++ = '\n';
    }
    for (int f = 0; f < faces->faceCount; ++f)
    {
        out = writeName(out, "g ", faces->groupNames, faces->groups != NULL ? faces->groups[f] : -1, &group);
        out = writeName(out, "usemtl ", faces->materialNames, faces->materials != NULL ? faces->materials[f] : -1,
                        &material);
        *out++ = 'f';
        for (int c = faces->starts[f]; c < faces->starts[f + 1]; ++c)
        {
            *out++ = ' ';
            out = textInt(out, faces->points[c] + 1);
            if (faces->coordinates != NULL && faces->coordinates[c] >= 0)
                out = textInt(textWord(out, "/"), faces->coordinates[c] + 1);
        }
        *out++ = '\n';
    }
    return out;
}

// ---- the text -------------------------------------------------------------------------------------------------------

static char *writeElements(char *out, const RecordBody *body)
{
    int corners = body->triangleCount > 0 ? 3 : 2;
    int count = body->triangleCount > 0 ? body->triangleCount : body->lineCount;
    const int *element = body->triangleCount > 0 ? body->triangle : body->line;
    for (int e = 0; e < count; ++e)
    {
        *out++ = corners == 3 ? 'f' : 'l';
        for (int c = 0; c < corners; ++c)
        {
            *out++ = ' ';
            out = textInt(out, element[(size_t)corners * (size_t)e + (size_t)c] + 1);
        }
        *out++ = '\n';
    }
    return out;
}

bool objTextMake(Memory *memory, const RecordBody *body, FrameText *text)
{
    char head[LONGEST_TEXT_HEAD];
    snprintf(head, sizeof head, "# verve %s: %d vertices, %d faces, %d lines\no %s\n", body->name, body->pointCount,
             body->faces != NULL ? body->faces->faceCount : body->triangleCount, body->lineCount, body->name);
    size_t most = body->faces != NULL ? drawnSize(body->faces)
                                      : LONGEST_ELEMENT * ((size_t)body->triangleCount + (size_t)body->lineCount);
    if (!frameTextReserve(memory, text, head, LONGEST_VERTEX * (size_t)body->pointCount, most))
        return false;
    char *end = body->faces != NULL ? writeDrawn(text->elements, body->faces) : writeElements(text->elements, body);
    text->elementSize = (size_t)(end - text->elements);
    return true;
}

size_t objTextFill(FrameText *text, const RecordBody *body, const float *point)
{
    char *out = text->bytes + text->headSize;
    for (size_t v = 0; v < (size_t)body->pointCount; ++v)
    {
        *out++ = 'v';
        for (size_t c = 0; c < 3; ++c)
        {
            *out++ = ' ';
            out = textFloat(out, point[3 * v + c]);
        }
        *out++ = '\n';
    }
    return frameTextEnd(text, out);
}

// ---- the format -----------------------------------------------------------------------------------------------------

static const FrameSeries objSeries = { ".obj", "the OBJ files", objTextMake, objTextFill };

static vvResult objOpen(vvRecorder *recorder, void **self)
{
    return seriesOpen(recorder, &objSeries, self);
}

static vvResult objStart(vvRecorder *recorder, void *self)
{
    (void)self;
    return seriesStart(recorder, &objSeries);
}

static vvResult objAdd(vvRecorder *recorder, void *self)
{
    return seriesAdd(recorder, &objSeries, self);
}

const Format objFormat = { "obj", false, objOpen, objStart, objAdd, seriesClose };
