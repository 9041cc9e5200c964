// Points that move by a file: glTF, a PC2 or MDD point cache, or a mesh file for every frame.
#include "scene/built.h"

#include "base/system.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PC2_HEADER 32            // bytes
#define MOST_FRAMES 100000       //
#define MOST_NUMBERS (1LL << 29) // of all frames: 2 GiB
#define SNAP 1e-9                // of a frame: times closer than this are meant to be equal
#define CLOSED 1e-3              // of the size: a motion that ends so near to where it began goes round
#define PATH_SIZE 4200

// ---- a file for every frame -----------------------------------------------------------------------------------------

bool animationFrameFile(const char *pattern, int frame, char *path, size_t size)
{
    const char *first = strchr(pattern, '#');
    if (first == NULL)
        return false;
    int width = (int)strspn(first, "#");
    int length = snprintf(path, size, "%.*s%0*d%s", (int)(first - pattern), pattern, width, frame, first + width);
    return length >= 0 && (size_t)length < size;
}

// the number of the first frame: 0 or 1; -1: there is none
int animationFirstFrame(const char *pattern)
{
    char path[PATH_SIZE];
    for (int frame = 0; frame < 2; ++frame)
    {
        if (animationFrameFile(pattern, frame, path, sizeof path) && systemStatus(path).kind == FILE_REGULAR)
            return frame;
    }
    return -1;
}

static int countFrames(const char *pattern, int first)
{
    char path[PATH_SIZE];
    int count = 0;
    while (count < MOST_FRAMES && animationFrameFile(pattern, first + count, path, sizeof path) &&
           systemStatus(path).kind == FILE_REGULAR)
        count += 1;
    return count;
}

static bool reserve(SceneWorld *built, Animation *animation)
{
    animation->point =
        ALLOCATE(&built->memory, float, 3 * (size_t)animation->pointCount * (size_t)animation->frameCount);
    return animation->point != NULL;
}

static vvResult tooLarge(const char *name, long long frames, long long points)
{
    return resultMake(VV_BAD_INPUT, "cut the animation, or leave out frames and say so with fps",
                      "%.150s has %lld frames of %lld points, must have at most %d frames and %lld coordinates", name,
                      frames, points, MOST_FRAMES, MOST_NUMBERS);
}

static vvResult addFrame(SceneWorld *built, Animation *animation, const char *path, int frame)
{
    vvMeshDef def = vvDefaultMeshDef();
    vvResult result = resultOk();
    def.shape = VV_MESH_FILE;
    def.allocator = built->memory.hook;
    def.file = path;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    if (mesh == NULL)
        return result;
    int count = vvMesh_GetVertexCount(mesh);
    if (frame == 0)
    {
        animation->pointCount = count;
        result = 3LL * count * animation->frameCount > MOST_NUMBERS ? tooLarge(path, animation->frameCount, count)
                 : reserve(built, animation)                        ? result
                                                                    : resultOutOfMemory("an animation");
    }
    else if (count != animation->pointCount)
        result =
            resultMake(VV_BAD_INPUT, "save every frame with the same points in the same order",
                       "%.150s has %d points, must have the %d of the first frame", path, count, animation->pointCount);
    const double *points = vvMesh_GetPoints(mesh);
    for (int i = 0; i < 3 * count && result.code == VV_OK; ++i)
        animation->point[3 * (size_t)count * (size_t)frame + (size_t)i] = (float)points[i];
    vvDestroyMesh(mesh);
    return result;
}

static vvResult readSequence(SceneWorld *built, const char *pattern, Animation *animation)
{
    char path[PATH_SIZE];
    int first = animationFirstFrame(pattern);
    if (first < 0)
        return resultMake(VV_INPUT_OUTPUT, "# stands for the digits of a frame's number, which counts from 0 or 1",
                          "there is no frame 0 or 1 of %.150s", pattern);
    animation->frameCount = countFrames(pattern, first);
    vvResult result = resultOk();
    for (int frame = 0; frame < animation->frameCount && result.code == VV_OK; ++frame)
    {
        animationFrameFile(pattern, first + frame, path, sizeof path);
        result = addFrame(built, animation, path, frame);
    }
    return result;
}

// ---- point caches ---------------------------------------------------------------------------------------------------

// A file of frames, one behind the other, of single precision.
typedef struct Cache
{
    const char *name;
    int handle;
    bool big;                 // the first byte of a number is the highest
    long long offset;         // bytes before the first frame
    long long points, frames; //
} Cache;

static uint32_t word(const unsigned char *bytes, bool big)
{
    uint32_t sum = 0;
    for (int i = 0; i < 4; ++i)
        sum |= (uint32_t)bytes[i] << (big ? 24 - 8 * i : 8 * i);
    return sum;
}

static float real(const unsigned char *bytes, bool big)
{
    uint32_t bits = word(bytes, big);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static vvResult readFrames(SceneWorld *built, const Cache *cache, Animation *animation)
{
    size_t count = 3 * (size_t)animation->pointCount;
    unsigned char *bytes = ALLOCATE(&built->memory, unsigned char, 4 * count);
    vvResult result = bytes == NULL || !reserve(built, animation) ? resultOutOfMemory("an animation") : resultOk();
    for (int frame = 0; frame < animation->frameCount && result.code == VV_OK; ++frame)
    {
        long long at = cache->offset + 4LL * (long long)count * frame;
        if (systemReadAt(cache->handle, bytes, 4 * count, at) != (long long)(4 * count))
            result = resultMake(VV_INPUT_OUTPUT, "export it again", "%.150s ends within frame %d of %d", cache->name,
                                frame, animation->frameCount);
        float *out = animation->point + count * (size_t)frame;
        for (size_t i = 0; i < count && result.code == VV_OK; ++i)
        {
            out[i] = real(bytes + 4 * i, cache->big);
            if (!isfinite((double)out[i]))
                result = resultMake(VV_BAD_INPUT, "repair what made the animation",
                                    "%.150s: a coordinate of point %d in frame %d is %g, must be finite", cache->name,
                                    (int)(i / 3), frame, (double)out[i]);
        }
    }
    memoryRelease(&built->memory, bytes);
    return result;
}

// PC2: "POINTCACHE2\0", version 1, points, start frame, sample rate, samples. MDD: frames, points, the time of each
// frame; big-endian.
static vvResult readHeader(Cache *cache)
{
    unsigned char head[PC2_HEADER] = { 0 };
    const char *ending = strrchr(cache->name, '.');
    cache->big = ending != NULL && strcmp(ending, ".mdd") == 0;
    long long size = cache->big ? 8 : PC2_HEADER;
    bool whole = systemReadAt(cache->handle, head, (size_t)size, 0) == size;
    if (!whole || (!cache->big && memcmp(head, "POINTCACHE2", 12) != 0))
        return resultMake(VV_BAD_INPUT, "export the animation as PC2, version 1, or as MDD",
                          "%.150s is no point cache: it does not begin with %s", cache->name,
                          cache->big ? "two counts" : "POINTCACHE2");
    cache->frames = word(head + (cache->big ? 0 : 28), cache->big);
    cache->points = word(head + (cache->big ? 4 : 16), cache->big);
    cache->offset = size + (cache->big ? 4 * cache->frames : 0);
    return resultOk();
}

static vvResult checkCounts(const Cache *cache, long long size)
{
    long long points = cache->points, frames = cache->frames;
    if (points < 1 || frames < 1)
        return resultMake(VV_BAD_INPUT, "export it again", "%.150s has %lld frames of %lld points", cache->name, frames,
                          points);
    if (points > VV_MAX_VERTICES || frames > MOST_FRAMES || 3 * points * frames > MOST_NUMBERS)
        return tooLarge(cache->name, frames, points);
    long long wanted = cache->offset + 12 * points * frames;
    if (size < wanted)
        return resultMake(VV_BAD_INPUT, "export it again; a copy may have been cut off",
                          "%.150s has %lld bytes, must have %lld for %lld frames of %lld points", cache->name, size,
                          wanted, frames, points);
    return resultOk();
}

static vvResult readCache(SceneWorld *built, const char *name, Animation *animation)
{
    FileStatus status = systemStatus(name);
    Cache cache = { .name = name, .handle = status.kind == FILE_REGULAR ? systemOpen(name, FILE_TO_READ) : -1 };
    if (cache.handle < 0)
        return resultMake(VV_INPUT_OUTPUT, "check the name", "%.150s cannot be opened: %s", name,
                          status.kind == FILE_MISSING ? strerror(errno) : "it is no file");
    vvResult result = readHeader(&cache);
    if (result.code == VV_OK)
        result = checkCounts(&cache, status.size);
    if (result.code == VV_OK)
    {
        animation->pointCount = (int)cache.points;
        animation->frameCount = (int)cache.frames;
        result = readFrames(built, &cache, animation);
    }
    systemClose(cache.handle);
    return result;
}

// ---- glTF -----------------------------------------------------------------------------------------------------------

// within its keys; how far it is on its way back, [0, 1)
static double motionTime(const Animation *animation, double time, double *back)
{
    double end = meshMotionEnd(animation->motion), all = end + animation->back;
    *back = 0;
    if (animation->loop && all > 0)
        time -= all * floor((time + SNAP * all) / all);
    if (animation->loop && time > end && animation->back > 0)
        *back = (time - end) / animation->back;
    return maxReal(minReal(time, end), 0);
}

static void motionPoints(const Animation *animation, double time, double *out)
{
    double back;
    meshMotionAt(animation->motion, motionTime(animation, time, &back), out);
    for (size_t i = 0; i < 3 * (size_t)animation->pointCount; ++i)
    {
        out[i] *= animation->scale;
        out[i] += back > 0 ? back * (animation->standing[i] - out[i]) : 0;
    }
}

// does the last pose differ from the first?
static bool isOpen(const double *first, const double *last, int count)
{
    double size = 0, gap = 0;
    for (int i = 0; i < 3 * count; ++i)
    {
        size = maxReal(size, fabs(first[i] - first[i % 3]));
        gap = maxReal(gap, fabs(first[i] - last[i]));
    }
    return gap > CLOSED * size;
}

static vvResult readMotion(SceneWorld *built, const char *file, const char *clip, Animation *animation)
{
    vvResult result = resultOk();
    animation->motion = meshMotionOpen(&built->memory, file, clip, &result);
    if (animation->motion == NULL)
        return result;
    animation->pointCount = meshMotionPoints(animation->motion);
    animation->standing = ALLOCATE(&built->memory, double, 3 * (size_t)animation->pointCount);
    double *last = ALLOCATE(&built->memory, double, 3 * (size_t)animation->pointCount);
    if (animation->standing == NULL || last == NULL)
        result = resultOutOfMemory("an animation");
    else
    {
        meshMotionAt(animation->motion, 0, animation->standing);
        meshMotionAt(animation->motion, meshMotionEnd(animation->motion), last);
        bool open = isOpen(animation->standing, last, animation->pointCount);
        animation->back = open && animation->rate > 0 ? 1 / animation->rate : 0;
    }
    memoryRelease(&built->memory, last);
    return result;
}

// ---- what scenes ask ------------------------------------------------------------------------------------------------

vvResult animationLoad(SceneWorld *built, const char *file, const char *clip, Animation *animation)
{
    bool many = strchr(file, '#') != NULL;
    animation->scale = 1;
    if (!many && meshMotionIs(file))
        return readMotion(built, file, clip, animation);
    if (clip != NULL)
        return resultMake(VV_BAD_INPUT, "remove clip", "clip is \"%.40s\", and only glTF files have clips", clip);
    return many ? readSequence(built, file, animation) : readCache(built, file, animation);
}

vvResult animationRead(SceneWorld *built, const Json *tree, double scale, Animation *animation)
{
    animation->rate = treeNumber(tree, "fps", 24);
    animation->loop = treeSwitch(tree, "loop");
    vvResult result = animationLoad(built, treeString(tree, "file"), treeString(tree, "clip"), animation);
    if (result.code != VV_OK || scale == 1)
        return result;
    animation->scale = scale;
    for (size_t i = 0; animation->motion != NULL && i < 3 * (size_t)animation->pointCount; ++i)
        animation->standing[i] *= scale;
    for (size_t i = 0; i < 3 * (size_t)animation->pointCount * (size_t)animation->frameCount; ++i)
        animation->point[i] = (float)(scale * (double)animation->point[i]);
    return result;
}

void animationRelease(SceneWorld *built, Animation *animation)
{
    meshMotionClose(animation->motion);
    memoryRelease(&built->memory, animation->point);
    memoryRelease(&built->memory, animation->standing);
    *animation = (Animation){ 0 };
}

// which frame a time is in, and how far, [0, 1)
static double frameAt(const Animation *animation, double time, int *frame)
{
    double at = time * animation->rate, count = animation->frameCount;
    if (fabs(at - round(at)) < SNAP * maxReal(at, 1))
        at = round(at);
    if (animation->loop)
        at -= count * floor(at / count);
    at = minReal(at, animation->loop ? count : count - 1);
    *frame = minInt((int)floor(at), animation->frameCount - 1);
    return at - *frame;
}

bool animationMoves(const Animation *animation, double begin, double end)
{
    if (animation->figure > 0)
        return true;
    if (animation->motion != NULL)
        return animation->loop || begin < meshMotionEnd(animation->motion);
    int first, last;
    double from = frameAt(animation, begin, &first), to = frameAt(animation, end, &last);
    return animation->frameCount > 1 && (first != last || from != to);
}

void animationAt(const Animation *animation, double time, double *out)
{
    if (animation->figure > 0)
    {
        vvWalkFigure(animation->figure, time, animation->standing, animation->pointCount, out);
        return;
    }
    if (animation->motion != NULL)
    {
        motionPoints(animation, time, out);
        return;
    }
    int frame;
    double s = frameAt(animation, time, &frame);
    size_t count = 3 * (size_t)animation->pointCount;
    const float *a = animation->point + count * (size_t)frame;
    const float *b = animation->point + count * (size_t)((frame + 1) % animation->frameCount);
    for (size_t i = 0; i < count; ++i)
        out[i] = s > 0 ? (double)a[i] + s * ((double)b[i] - (double)a[i]) : (double)a[i];
}
