// PLY, binary and little endian: a file per body and frame with its points and faces, with the texture coordinates of
// their corners, or the edges of a rope.
#include "record/record.h"

#include <stdio.h>
#include <string.h>

// corners of the largest face
static int mostCorners(const RecordBody *body)
{
    int most = 3;
    for (int f = 0; body->faces != NULL && f < body->faces->faceCount; ++f)
        most = maxInt(most, body->faces->starts[f + 1] - body->faces->starts[f]);
    return most;
}

static char *storeRow(char *out, const int *corner, int count, int countBytes)
{
    if (countBytes > 0)
        out = storeWhole(out, (uint64_t)count, countBytes);
    for (int i = 0; i < count; ++i)
        out = storeWhole(out, (uint32_t)corner[i], 4);
    return out;
}

static bool isMapped(const RecordBody *body)
{
    return body->faces != NULL && body->faces->coordinates != NULL;
}

// two numbers for every corner
static char *storeCoordinates(char *out, const vvFaces *faces, int face, int countBytes)
{
    int first = faces->starts[face], end = faces->starts[face + 1];
    out = storeWhole(out, 2 * (uint64_t)(end - first), countBytes);
    for (int c = first; c < end; ++c)
    {
        int row = faces->coordinates[c];
        float pair[2] = { 0, 0 };
        for (int i = 0; i < 2 && row >= 0; ++i)
            pair[i] = toFloat(faces->coordinateValues[2 * (size_t)row + (size_t)i]);
        out = storeArray(out, pair, 2, sizeof(float));
    }
    return out;
}

static void writeHead(char *head, const RecordBody *body, int countBytes)
{
    int faces = body->faces != NULL ? body->faces->faceCount : body->triangleCount;
    int used = snprintf(head, LONGEST_TEXT_HEAD,
                        "ply\nformat binary_little_endian 1.0\ncomment verve %.190s\nelement vertex %d\n"
                        "property float x\nproperty float y\nproperty float z\n",
                        body->name, body->pointCount);
    if (body->triangleCount > 0)
        snprintf(head + used, LONGEST_TEXT_HEAD - (size_t)used,
                 "element face %d\nproperty list %s int vertex_indices\n%s%s%send_header\n", faces,
                 countBytes == 1 ? "uchar" : "int", isMapped(body) ? "property list " : "",
                 !isMapped(body)   ? ""
                 : countBytes == 1 ? "uchar"
                                   : "int",
                 isMapped(body) ? " float texcoord\n" : "");
    else
        snprintf(head + used, LONGEST_TEXT_HEAD - (size_t)used,
                 "element edge %d\nproperty int vertex1\nproperty int vertex2\nend_header\n", body->lineCount);
}

static bool plyTextMake(Memory *memory, const RecordBody *body, FrameText *text)
{
    char head[LONGEST_TEXT_HEAD];
    const vvFaces *faces = body->faces;
    int countBytes = mostCorners(body) < (isMapped(body) ? 128 : 256) ? 1 : 4;
    writeHead(head, body, countBytes);
    size_t most = faces != NULL ? 4 * ((size_t)faces->faceCount + (size_t)facesCorners(faces))
                                : 16 * (size_t)body->triangleCount + 8 * (size_t)body->lineCount;
    most += isMapped(body) ? 4 * ((size_t)faces->faceCount + 2 * (size_t)facesCorners(faces)) : 0;
    if (!frameTextReserve(memory, text, head, 12 * (size_t)body->pointCount, most))
        return false;
    char *out = text->elements;
    for (int f = 0; faces != NULL && f < faces->faceCount; ++f)
    {
        out = storeRow(out, faces->points + faces->starts[f], faces->starts[f + 1] - faces->starts[f], countBytes);
        out = isMapped(body) ? storeCoordinates(out, faces, f, countBytes) : out;
    }
    for (int t = 0; faces == NULL && t < body->triangleCount; ++t)
        out = storeRow(out, body->triangle + 3 * (size_t)t, 3, countBytes);
    for (int e = 0; body->triangleCount == 0 && e < body->lineCount; ++e)
        out = storeRow(out, body->line + 2 * (size_t)e, 2, 0);
    text->elementSize = (size_t)(out - text->elements);
    return true;
}

static size_t plyTextFill(FrameText *text, const RecordBody *body, const float *point)
{
    return frameTextEnd(text,
                        storeArray(text->bytes + text->headSize, point, 3 * (size_t)body->pointCount, sizeof(float)));
}

// ---- the format -----------------------------------------------------------------------------------------------------

static const FrameSeries plySeries = { ".ply", "the PLY files", plyTextMake, plyTextFill };

static vvResult plyOpen(vvRecorder *recorder, void **self)
{
    return seriesOpen(recorder, &plySeries, self);
}

static vvResult plyStart(vvRecorder *recorder, void *self)
{
    (void)self;
    return seriesStart(recorder, &plySeries);
}

static vvResult plyAdd(vvRecorder *recorder, void *self)
{
    return seriesAdd(recorder, &plySeries, self);
}

const Format plyFormat = { "ply", false, plyOpen, plyStart, plyAdd, seriesClose };
