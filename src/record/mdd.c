// MDD point caches, big endian: all times come before the first frame, so that the file is written when the record is
// closed.
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

static vvResult writeTimes(File *file, int frames, double frameTime)
{
    char bytes[4 * TIMES];
    vvResult result = resultOk();
    for (int frame = 0; frame < frames && result.code == VV_OK;)
    {
        char *out = bytes;
        for (; frame < frames && out < bytes + sizeof bytes; ++frame)
            out = storeFloat(out, toFloat(frame * frameTime));
        result = diskAppend(file, bytes, (size_t)(out - bytes));
    }
    return result;
}

static vvResult writeBody(Clip *clip, int number, File *file, char *bytes)
{
    const RecordBody *body = &clip->record->body[number];
    char *out = storeBig(storeBig(bytes, (uint32_t)clip->frameCount), (uint32_t)body->pointCount);
    vvResult result = diskAppend(file, bytes, (size_t)(out - bytes));
    if (result.code == VV_OK)
        result = writeTimes(file, clip->frameCount, clip->frameTime);
    for (int frame = 0; frame < clip->frameCount && result.code == VV_OK; ++frame)
    {
        result = clipRead(clip, number, frame, body->point);
        out = bytes;
        for (size_t i = 0; i < 3 * (size_t)body->pointCount; ++i)
            out = storeFloat(out, body->point[i]);
        if (result.code == VV_OK)
            result = diskAppend(file, bytes, (size_t)(out - bytes));
    }
    return result;
}

vvResult mddWrite(Clip *clip)
{
    vvRecorder *record = clip->record;
    vvResult result = resultOk();
    for (int i = 0; i < record->bodyCount && result.code == VV_OK; ++i)
    {
        Path path;
        File file = { .handle = -1 };
        char *bytes = ALLOCATE(&record->memory, char, 12 * (size_t)record->body[i].pointCount + 8);
        pathMake(record, &path, record->body[i].stem, ".mdd");
        result = bytes != NULL ? diskBegin(&file, &path) : resultOutOfMemory("a point cache");
        if (result.code == VV_OK)
            result = writeBody(clip, i, &file, bytes);
        result = diskFinish(&file, &path, &result);
        memoryRelease(&record->memory, bytes);
    }
    return result;
}
