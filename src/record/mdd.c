// MDD point caches, big endian: all times come before the first frame, so that the file is written when the record is
// closed. A body whose mesh changes has one for each mesh, as of PC2.
#include "record/record.h"

#include <string.h>

static char *storeBig(char *out, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
        *out++ = (char)(unsigned char)(value >> (24 - 8 * i));
    return out;
}

static char *storeFloat(char *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return storeBig(out, bits);
}

#define TIMES 4096 // written at once

static vvResult writeTimes(File *file, int begin, int end, double frameTime)
{
    char bytes[4 * TIMES];
    vvResult result = resultOk();
    for (int frame = begin; frame < end && result.code == VV_OK;)
    {
        char *out = bytes;
        for (; frame < end && out < bytes + sizeof bytes; ++frame)
            out = storeFloat(out, toFloat(frame * frameTime));
        result = diskAppend(file, bytes, (size_t)(out - bytes));
    }
    return result;
}

// the frames `begin` to `end` - 1, which have one mesh
static vvResult writeFrames(Clip *clip, int number, int begin, int end, File *file, char *bytes)
{
    int points = clip->body[number].pointCount[clipMeshAt(clip, number, begin)];
    char *out = storeBig(storeBig(bytes, (uint32_t)(end - begin)), (uint32_t)points);
    vvResult result = diskAppend(file, bytes, (size_t)(out - bytes));
    if (result.code == VV_OK)
        result = writeTimes(file, begin, end, clip->frameTime);
    for (int frame = begin; frame < end && result.code == VV_OK; ++frame)
    {
        result = clipRead(clip, number, frame, clip->point);
        out = bytes;
        for (size_t i = 0; result.code == VV_OK && i < 3 * (size_t)points; ++i)
            out = storeFloat(out, clip->point[i]);
        if (result.code == VV_OK)
            result = diskAppend(file, bytes, (size_t)(out - bytes));
    }
    return result;
}

static vvResult writeMesh(Clip *clip, int number, int mesh)
{
    vvRecorder *record = clip->record;
    const ClipBody *own = &clip->body[number];
    Path path;
    char stem[LONGEST_STEM];
    File file = { .handle = -1 };
    char *bytes = ALLOCATE(&record->memory, char, 12 * (size_t)own->pointCount[mesh] + 8);
    meshStem(&record->body[number], mesh, stem);
    pathMake(record, &path, stem, ".mdd");
    vvResult result = bytes != NULL ? diskBegin(&file, &path) : resultOutOfMemory("a point cache");
    if (result.code == VV_OK)
        result =
            writeFrames(clip, number, own->first[mesh], minInt(own->first[mesh + 1], clip->frameCount), &file, bytes);
    result = diskFinish(&file, &path, &result);
    memoryRelease(&record->memory, bytes);
    return result;
}

vvResult mddWrite(Clip *clip)
{
    vvResult result = clipFindMeshes(clip);
    for (int i = 0; i < clip->record->bodyCount && result.code == VV_OK; ++i)
    {
        for (int m = 0; m < clipMeshCount(clip, i, clip->frameCount) && result.code == VV_OK; ++m)
            result = writeMesh(clip, i, m);
    }
    return result;
}
