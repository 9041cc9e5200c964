// PC2 point caches: a file per body that grows by whole frames, and the body's topology at rest beside it as OBJ.
#include "record/record.h"

#include <string.h>

#define HEADER_SIZE 32 // "POINTCACHE2\0", version 1, points, start frame, sample rate, samples
#define COUNT_AT 28    // where the number of samples is

typedef struct Cache
{
    File file;
    char *bytes; // one frame
    size_t size; // of it
    FrameText text;
    size_t textSize;
} Cache;

static void header(char *out, const RecordBody *body, int sampleCount)
{
    const float start = 0, rate = 1; // in frames
    memcpy(out, "POINTCACHE2", 12);
    out = storeWhole(out + 12, 1, 4);
    out = storeWhole(out, (uint64_t)body->pointCount, 4);
    out = storeArray(out, &start, 1, sizeof start);
    out = storeArray(out, &rate, 1, sizeof rate);
    storeWhole(out, (uint64_t)sampleCount, 4);
}

// the topology file holds exactly what it would be written with
static vvResult checkTopology(vvRecorder *recorder, const RecordBody *body, const Cache *cache)
{
    Path path;
    pathMake(recorder, &path, body->stem, ".obj");
    File file = { .handle = -1 };
    vvResult result = resumeOpen(&file, &path);
    if (result.code != VV_OK)
        return result;
    bool isSame = file.size == (long long)cache->textSize;
    char *bytes = ALLOCATE(&recorder->memory, char, cache->textSize);
    if (bytes == NULL)
        result = resultOutOfMemory("the check of an OBJ file");
    else if (isSame)
        isSame = diskRead(&file, 0, bytes, cache->textSize).code == VV_OK &&
                 memcmp(bytes, cache->text.bytes, cache->textSize) == 0;
    if (result.code == VV_OK && !isSame)
        result = resumeRefused(&path, "is of another body or mesh");
    memoryRelease(&recorder->memory, bytes);
    diskClose(&file);
    return result;
}

static vvResult checkCache(const vvRecorder *recorder, const RecordBody *body, Cache *cache)
{
    Path path;
    pathMake(recorder, &path, body->stem, ".pc2");
    vvResult result = resumeOpen(&cache->file, &path);
    if (result.code != VV_OK)
        return result;
    char found[HEADER_SIZE], wanted[HEADER_SIZE];
    header(wanted, body, 0);
    if (cache->file.size < HEADER_SIZE || diskRead(&cache->file, 0, found, sizeof found).code != VV_OK ||
        memcmp(found, wanted, COUNT_AT) != 0)
        return resumeRefused(&path, "is no point cache of as many points");
    long long frames = (long long)loadWhole(found + COUNT_AT, 4), needed = (long long)recorder->resumeFrame + 1;
    if (frames < needed || cache->file.size < HEADER_SIZE + needed * (long long)cache->size)
        return resumeRefused(&path, "holds fewer frames");
    return resultOk();
}

static vvResult pc2Open(vvRecorder *recorder, void **self)
{
    Cache *caches = ALLOCATE(&recorder->memory, Cache, recorder->bodyCount);
    *self = caches;
    if (caches == NULL)
        return resultOutOfMemory("the point caches");
    for (int i = 0; i < recorder->bodyCount; ++i)
        caches[i].file.handle = -1;
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        RecordBody *body = &recorder->body[i];
        Cache *cache = &caches[i];
        cache->size = 12 * (size_t)body->pointCount;
        cache->bytes = ALLOCATE(&recorder->memory, char, cache->size);
        if (cache->bytes == NULL || !objTextMake(&recorder->memory, body, &cache->text))
            return resultOutOfMemory("the point caches");
        bodyRest(body);
        cache->textSize = objTextFill(&cache->text, body, body->point);
        vvResult result = resultOk();
        if (recorder->resumeFrame >= 0)
            result = checkTopology(recorder, body, cache);
        if (result.code == VV_OK && recorder->resumeFrame >= 0)
            result = checkCache(recorder, body, cache);
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}

static vvResult startOne(vvRecorder *recorder, const RecordBody *body, Cache *cache)
{
    char count[4];
    if (recorder->resumeFrame >= 0)
    {
        long long frames = (long long)recorder->resumeFrame + 1;
        storeWhole(count, (uint64_t)frames, 4);
        vvResult result = diskOverwrite(&cache->file, COUNT_AT, count, sizeof count);
        return result.code == VV_OK ? diskCut(&cache->file, HEADER_SIZE + frames * (long long)cache->size) : result;
    }
    Path path;
    char head[HEADER_SIZE];
    header(head, body, 0);
    pathMake(recorder, &path, body->stem, ".obj");
    vvResult result = diskReplace(&path, cache->text.bytes, cache->textSize);
    pathMake(recorder, &path, body->stem, ".pc2");
    if (result.code == VV_OK)
        result = diskReplace(&path, head, sizeof head);
    return result.code == VV_OK ? diskOpen(&cache->file, &path) : result;
}

static vvResult pc2Start(vvRecorder *recorder, void *self)
{
    Cache *caches = self;
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        result = startOne(recorder, &recorder->body[i], &caches[i]);
        frameTextRelease(&recorder->memory, &caches[i].text);
        caches[i].text = (FrameText){ 0 };
    }
    return result;
}

static vvResult pc2Add(vvRecorder *recorder, void *self)
{
    Cache *caches = self;
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        // points first: until the count says so, no reader looks at them
        const RecordBody *body = &recorder->body[i];
        Cache *cache = &caches[i];
        char count[4];
        storeArray(cache->bytes, body->point, 3 * (size_t)body->pointCount, sizeof(float));
        storeWhole(count, (uint64_t)recorder->frameCount + 1, 4);
        vvResult result = diskAppend(&cache->file, cache->bytes, cache->size);
        if (result.code == VV_OK)
            result = diskOverwrite(&cache->file, COUNT_AT, count, sizeof count);
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}

static vvResult pc2Close(vvRecorder *recorder, void *self)
{
    Cache *caches = self;
    for (int i = 0; caches != NULL && i < recorder->bodyCount; ++i)
    {
        diskClose(&caches[i].file);
        memoryRelease(&recorder->memory, caches[i].bytes);
        frameTextRelease(&recorder->memory, &caches[i].text);
    }
    memoryRelease(&recorder->memory, caches);
    return resultOk();
}

const Format pc2Format = { "pc2", false, true, pc2Open, pc2Start, pc2Add, pc2Close };
