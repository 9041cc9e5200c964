// PLY, binary and little endian: a file per body and frame with its points and faces, or the edges of a rope.
#include "record/record.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_HEAD 512

typedef struct PlyText
{
    char *bytes; // head, vertices, elements
    size_t headSize;
    char *elements; // copied behind the vertices
    size_t elementSize;
} PlyText;

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

static int writeHead(char *head, const RecordBody *body, int countBytes)
{
    int faces = body->faces != NULL ? body->faces->faceCount : body->triangleCount;
    int used = snprintf(head, LONGEST_HEAD,
                        "ply\nformat binary_little_endian 1.0\ncomment verve %.190s\nelement vertex %d\n"
                        "property float x\nproperty float y\nproperty float z\n",
                        body->name, body->pointCount);
    if (body->triangleCount > 0)
        used += snprintf(head + used, LONGEST_HEAD - (size_t)used,
                         "element face %d\nproperty list %s int vertex_indices\nend_header\n", faces,
                         countBytes == 1 ? "uchar" : "int");
    else
        used += snprintf(head + used, LONGEST_HEAD - (size_t)used,
                         "element edge %d\nproperty int vertex1\nproperty int vertex2\nend_header\n", body->lineCount);
    return used;
}

static bool textMake(Memory *memory, const RecordBody *body, PlyText *text)
{
    char head[LONGEST_HEAD];
    const vvFaces *faces = body->faces;
    int countBytes = mostCorners(body) < 256 ? 1 : 4;
    text->headSize = (size_t)writeHead(head, body, countBytes);
    size_t most = faces != NULL ? 4 * ((size_t)faces->faceCount + (size_t)facesCorners(faces))
                                : 16 * (size_t)body->triangleCount + 8 * (size_t)body->lineCount;
    text->elements = ALLOCATE(memory, char, most);
    text->bytes = ALLOCATE(memory, char, text->headSize + 12 * (size_t)body->pointCount + most);
    if (text->elements == NULL || text->bytes == NULL)
        return false;
    memcpy(text->bytes, head, text->headSize);
    char *out = text->elements;
    for (int f = 0; faces != NULL && f < faces->faceCount; ++f)
        out = storeRow(out, faces->points + faces->starts[f], faces->starts[f + 1] - faces->starts[f], countBytes);
    for (int t = 0; faces == NULL && t < body->triangleCount; ++t)
        out = storeRow(out, body->triangle + 3 * (size_t)t, 3, countBytes);
    for (int e = 0; body->triangleCount == 0 && e < body->lineCount; ++e)
        out = storeRow(out, body->line + 2 * (size_t)e, 2, 0);
    text->elementSize = (size_t)(out - text->elements);
    return true;
}

// the last frame to keep begins as ours would
static vvResult checkHead(const vvRecorder *recorder, const RecordBody *body, const PlyText *text)
{
    Path path;
    framePath(recorder, &path, body->stem, recorder->resumeFrame, ".ply");
    File file = { .handle = -1 };
    char head[LONGEST_HEAD];
    vvResult result = resumeOpen(&file, &path);
    if (result.code != VV_OK)
        return result;
    bool isSame = file.size >= (long long)text->headSize && diskRead(&file, 0, head, text->headSize).code == VV_OK &&
                  memcmp(head, text->bytes, text->headSize) == 0;
    diskClose(&file);
    return isSame ? resultOk() : resumeRefused(&path, "is of another body or mesh");
}

static vvResult plyOpen(vvRecorder *recorder, void **self)
{
    PlyText *texts = ALLOCATE(&recorder->memory, PlyText, recorder->bodyCount);
    *self = texts;
    if (texts == NULL)
        return resultOutOfMemory("the PLY files");
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        const RecordBody *body = &recorder->body[i];
        if (!textMake(&recorder->memory, body, &texts[i]))
            return resultOutOfMemory("the PLY files");
        if (recorder->resumeFrame < 0)
            continue;
        vvResult result = seriesCheck(recorder, body->stem, ".ply");
        if (result.code == VV_OK)
            result = checkHead(recorder, body, &texts[i]);
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}

static vvResult plyStart(vvRecorder *recorder, void *self)
{
    (void)self;
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
        result = seriesSweep(recorder, recorder->body[i].stem, ".ply");
    return result;
}

static vvResult plyAdd(vvRecorder *recorder, void *self)
{
    PlyText *texts = self;
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        const RecordBody *body = &recorder->body[i];
        PlyText *text = &texts[i];
        char *out = storeArray(text->bytes + text->headSize, body->point, 3 * (size_t)body->pointCount, sizeof(float));
        memcpy(out, text->elements, text->elementSize);
        Path path;
        framePath(recorder, &path, body->stem, recorder->frameCount, ".ply");
        vvResult result = diskReplace(&path, text->bytes, (size_t)(out - text->bytes) + text->elementSize);
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}

static vvResult plyClose(vvRecorder *recorder, void *self)
{
    PlyText *texts = self;
    for (int i = 0; texts != NULL && i < recorder->bodyCount; ++i)
    {
        memoryRelease(&recorder->memory, texts[i].bytes);
        memoryRelease(&recorder->memory, texts[i].elements);
    }
    memoryRelease(&recorder->memory, texts);
    return resultOk();
}

const Format plyFormat = { "ply", false, plyOpen, plyStart, plyAdd, plyClose };
