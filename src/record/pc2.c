// PC2 point caches: a file per body that grows by whole frames, and the body's topology at rest beside it as OBJ. From
// the frame on at which its mesh changes there is another pair, STEM_mesh1, ..., whose cache begins there.
#include "record/record.h"

#include <string.h>

#define HEADER_SIZE 32 // "POINTCACHE2\0", version 1, points, start frame, sample rate, samples
#define START_AT 20    // where the start frame is
#define COUNT_AT 28    // where the number of samples is

typedef struct Cache
{
    int meshNumber; // of the body's mesh
    int first;      // frame
    File file;
    char *bytes; // one frame
    size_t size; // of it
    FrameText text;
    size_t textSize;
} Cache;

static void header(char *out, const RecordBody *body, int first, int sampleCount)
{
    const float start = (float)first, rate = 1; // in frames
    memcpy(out, "POINTCACHE2", 12);
    out = storeWhole(out + 12, 1, 4);
    out = storeWhole(out, (uint64_t)body->pointCount, 4);
    out = storeArray(out, &start, 1, sizeof start);
    out = storeArray(out, &rate, 1, sizeof rate);
    storeWhole(out, (uint64_t)sampleCount, 4);
}

int pc2First(const File *file)
{
    char head[HEADER_SIZE];
    float start;
    if (file->size < HEADER_SIZE || diskRead(file, 0, head, sizeof head).code != VV_OK ||
        memcmp(head, "POINTCACHE2", 12) != 0)
        return -1;
    uint32_t bits = (uint32_t)loadWhole(head + START_AT, 4);
    memcpy(&start, &bits, sizeof bits);
    return start >= 0 && start < 1e9F ? (int)start : -1; // not a number: neither
}

static void cachePath(const vvRecorder *recorder, const RecordBody *body, const Cache *cache, const char *ending,
                      Path *path)
{
    char stem[LONGEST_STEM];
    meshStem(body, cache->meshNumber, stem);
    pathMake(recorder, path, stem, ending);
}

// the topology file holds exactly what it would be written with
static vvResult checkTopology(vvRecorder *recorder, const RecordBody *body, const Cache *cache)
{
    Path path;
    cachePath(recorder, body, cache, ".obj", &path);
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
    cachePath(recorder, body, cache, ".pc2", &path);
    vvResult result = resumeOpen(&cache->file, &path);
    if (result.code != VV_OK)
        return result;
    char found[HEADER_SIZE], wanted[HEADER_SIZE];
    cache->first = cache->meshNumber > 0 ? maxInt(pc2First(&cache->file), 0) : 0;
    header(wanted, body, cache->first, 0);
    if (cache->file.size < HEADER_SIZE || diskRead(&cache->file, 0, found, sizeof found).code != VV_OK ||
        memcmp(found, wanted, COUNT_AT) != 0)
        return resumeRefused(&path, "is no point cache of as many points");
    long long frames = (long long)loadWhole(found + COUNT_AT, 4);
    long long needed = (long long)recorder->resumeFrame + 1 - cache->first;
    if (frames < needed || cache->file.size < HEADER_SIZE + needed * (long long)cache->size)
        return resumeRefused(&path, "holds fewer frames");
    return resultOk();
}

// room for frames of the body's mesh, and its topology file; false: out of memory
static bool cacheMake(Memory *memory, const RecordBody *body, Cache *cache)
{
    cache->meshNumber = body->meshNumber;
    cache->size = 12 * (size_t)body->pointCount;
    cache->bytes = ALLOCATE(memory, char, cache->size);
    float *rest = ALLOCATE(memory, float, 3 * (size_t)body->pointCount);
    bool enough = cache->bytes != NULL && rest != NULL && objTextMake(memory, body, &cache->text);
    if (enough)
    {
        bodyRest(body, rest);
        cache->textSize = objTextFill(&cache->text, body, rest);
    }
    memoryRelease(memory, rest);
    return enough;
}

static void cacheRelease(Memory *memory, Cache *cache)
{
    diskClose(&cache->file);
    memoryRelease(memory, cache->bytes);
    frameTextRelease(memory, &cache->text);
    *cache = (Cache){ .file = { .handle = -1 } };
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
        if (!cacheMake(&recorder->memory, body, &caches[i]))
            return resultOutOfMemory("the point caches");
        vvResult result = resultOk();
        if (recorder->resumeFrame >= 0)
            result = checkTopology(recorder, body, &caches[i]);
        if (result.code == VV_OK && recorder->resumeFrame >= 0)
            result = checkCache(recorder, body, &caches[i]);
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}

// makes the pair of files, without a frame
static vvResult cacheStart(vvRecorder *recorder, const RecordBody *body, Cache *cache)
{
    Path path;
    char head[HEADER_SIZE];
    header(head, body, cache->first, 0);
    cachePath(recorder, body, cache, ".obj", &path);
    vvResult result = diskReplace(&path, cache->text.bytes, cache->textSize);
    cachePath(recorder, body, cache, ".pc2", &path);
    if (result.code == VV_OK)
        result = diskReplace(&path, head, sizeof head);
    if (result.code == VV_OK)
        result = diskOpen(&cache->file, &path);
    frameTextRelease(&recorder->memory, &cache->text);
    cache->text = (FrameText){ 0 };
    return result;
}

static vvResult cacheCut(const vvRecorder *recorder, Cache *cache)
{
    char count[4];
    long long frames = (long long)recorder->resumeFrame + 1 - cache->first;
    storeWhole(count, (uint64_t)frames, 4);
    vvResult result = diskOverwrite(&cache->file, COUNT_AT, count, sizeof count);
    return result.code == VV_OK ? diskCut(&cache->file, HEADER_SIZE + frames * (long long)cache->size) : result;
}

static vvResult pc2Start(vvRecorder *recorder, void *self)
{
    Cache *caches = self;
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        const RecordBody *body = &recorder->body[i];
        // caches first, so that none is without its topology
        static const char *const endings[] = { ".pc2", ".obj", ".mdd" };
        for (int k = 0; k < 3 && result.code == VV_OK; ++k)
            result = meshSweep(recorder, body, endings[k]);
        if (result.code == VV_OK)
            result =
                recorder->resumeFrame < 0 ? cacheStart(recorder, body, &caches[i]) : cacheCut(recorder, &caches[i]);
    }
    return result;
}

// the mesh of the body has changed
static vvResult cacheFollow(vvRecorder *recorder, const RecordBody *body, Cache *cache)
{
    cacheRelease(&recorder->memory, cache);
    cache->first = recorder->frameCount;
    return cacheMake(&recorder->memory, body, cache) ? cacheStart(recorder, body, cache)
                                                     : resultOutOfMemory("the point caches");
}

static vvResult cacheAdd(const vvRecorder *recorder, const RecordBody *body, Cache *cache)
{
    // points first: until the count says so, no reader looks at them
    char count[4];
    storeArray(cache->bytes, body->point, 3 * (size_t)body->pointCount, sizeof(float));
    storeWhole(count, (uint64_t)(recorder->frameCount + 1 - cache->first), 4);
    vvResult result = diskAppend(&cache->file, cache->bytes, cache->size);
    return result.code == VV_OK ? diskOverwrite(&cache->file, COUNT_AT, count, sizeof count) : result;
}

static vvResult pc2Add(vvRecorder *recorder, void *self)
{
    Cache *caches = self;
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        if (caches[i].meshNumber != recorder->body[i].meshNumber)
            result = cacheFollow(recorder, &recorder->body[i], &caches[i]);
        if (result.code == VV_OK)
            result = cacheAdd(recorder, &recorder->body[i], &caches[i]);
    }
    return result;
}

static vvResult pc2Close(vvRecorder *recorder, void *self)
{
    Cache *caches = self;
    for (int i = 0; caches != NULL && i < recorder->bodyCount; ++i)
        cacheRelease(&recorder->memory, &caches[i]);
    memoryRelease(&recorder->memory, caches);
    return resultOk();
}

const Format pc2Format = { "pc2", false, pc2Open, pc2Start, pc2Add, pc2Close };
