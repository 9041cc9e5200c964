// The frames of a record read back: from point caches, one for every mesh of a body, or an OBJ file per frame where
// there is none. Names of files come from the recorder's own code, so that both always agree.
#include "record/record.h"
#include "record/replay.h"

#include "base/decimal.h"

#include <string.h>

#define HEADER_SIZE 32 // as pc2.c writes it
#define POINTS_AT 16
#define COUNT_AT 28

static vvResult notThere(const Path *path, const char *why)
{
    size_t length = strlen(path->text), shown = 120;
    return resultMake(VV_INPUT_OUTPUT, "record the scene with 'verve run SCENE --out DIR --format pc2'", "'%s' %s",
                      length > shown ? path->text + length - shown : path->text, why);
}

// ---- an OBJ file per frame ------------------------------------------------------------------------------------------

// how many frames there are; 0: none
static int seriesLength(const Clip *clip, const RecordBody *body)
{
    int frames = 0;
    for (bool there = true; there; frames += there ? 1 : 0)
    {
        Path path;
        framePath(clip->record, &path, body->stem, frames, ".obj");
        there = diskExists(&path);
    }
    return frames;
}

// the points of lines "v x y z"; false: there are not as many as wanted
static bool parsePoints(const char *text, int wanted, float *point)
{
    int count = 0;
    for (const char *line = text; line != NULL; line = strchr(line, '\n'), line = line != NULL ? line + 1 : NULL)
    {
        if (line[0] != 'v' || line[1] != ' ')
            continue;
        if (count == wanted)
            return false;
        const char *at = line + 1;
        for (size_t c = 0; c < 3 && at != NULL; ++c)
        {
            double value = 0;
            at = *at == ' ' ? decimalRead(at + 1, &value) : NULL;
            point[3 * (size_t)count + c] = (float)value;
        }
        if (at == NULL)
            return false;
        count += 1;
    }
    return count == wanted;
}

static vvResult readSeries(Clip *clip, int frame, int number, float *point)
{
    const RecordBody *body = &clip->record->body[number];
    Path path;
    char *text = NULL;
    size_t size = 0;
    framePath(clip->record, &path, body->stem, frame, ".obj");
    vvResult result = frameRead(clip->record, body, frame, &text, &size);
    int wanted = clip->body[number].pointCount[clipMeshAt(clip, number, frame)];
    if (result.code == VV_OK && !parsePoints(text, wanted, point))
        result = frameIsOf(&clip->body[number].scene, text, size)
                     ? notThere(&path, "does not hold the points of the body")
                     : resultMake(VV_BAD_INPUT, "use the files of the frames, which have the mesh of each",
                                  "the mesh of body '%s' has changed by frame %d", body->name, frame);
    memoryRelease(&clip->record->memory, text);
    return result;
}

// ---- point caches ---------------------------------------------------------------------------------------------------

// opens the cache of a mesh; how many complete frames it has, and of how many points; 0 frames: none
static vvResult openCache(Clip *clip, int number, int mesh, int *frames, int *points)
{
    ClipBody *own = &clip->body[number];
    Path path;
    char header[HEADER_SIZE], stem[LONGEST_STEM];
    meshStem(&clip->record->body[number], mesh, stem);
    pathMake(clip->record, &path, stem, ".pc2");
    diskClose(&own->file);
    own->mesh = -1;
    vvResult result = diskOpenToRead(&own->file, &path);
    if (result.code != VV_OK)
        return result;
    File *file = &own->file;
    if (file->size < HEADER_SIZE || diskRead(file, 0, header, sizeof header).code != VV_OK ||
        memcmp(header, "POINTCACHE2", 12) != 0)
        return notThere(&path, "is no point cache");
    // the header says how many frames are complete; a file that was cut holds fewer
    long long count = (long long)loadWhole(header + COUNT_AT, 4), each = (long long)loadWhole(header + POINTS_AT, 4);
    long long whole = each > 0 ? (file->size - HEADER_SIZE) / (12 * each) : 0;
    *frames = (int)(count < whole ? count : whole);
    *points = (int)each;
    own->mesh = mesh;
    return resultOk();
}

bool clipAddMesh(Memory *memory, ClipBody *own, int points, int end)
{
    void *first = own->first, *count = own->pointCount;
    size_t old = (size_t)own->meshCount;
    bool enough = memoryGrow(memory, &first, old > 0 ? old + 1 : 0, old + 2, sizeof(int));
    own->first = first;
    enough = enough && memoryGrow(memory, &count, old, old + 1, sizeof(int));
    own->pointCount = count;
    if (!enough)
        return false;
    own->first[0] = 0;
    own->pointCount[old] = points;
    own->first[old + 1] = end;
    own->meshCount += 1;
    return true;
}

// a cache for every mesh, each from where the one before it ends
static vvResult openCaches(Clip *clip, int number)
{
    Memory *memory = &clip->record->memory;
    const RecordBody *body = &clip->record->body[number];
    ClipBody *own = &clip->body[number];
    int end = 0;
    own->cached = true;
    for (bool more = true; more;)
    {
        int frames = 0, points = 0;
        vvResult result = openCache(clip, number, own->meshCount, &frames, &points);
        if (result.code != VV_OK)
            return result;
        more = frames > 0 && pc2First(&own->file) == end && end <= INT32_MAX - frames;
        end += more ? frames : 0;
        if (more && !clipAddMesh(memory, own, points, end))
            return resultOutOfMemory("the frames of a record");
        Path path;
        char stem[LONGEST_STEM];
        meshStem(body, own->meshCount, stem);
        pathMake(clip->record, &path, stem, ".pc2");
        if (own->meshCount == 0)
            return notThere(&path, "holds no complete frame");
        more = more && diskExists(&path);
    }
    // the first is the body's, unless that has changed since
    if (body->meshNumber == 0 && own->pointCount[0] != body->pointCount)
        return resultMake(VV_BAD_INPUT, "keep scene.json and the frames of one run together",
                          "'%.100s.pc2' holds %d points, what is seen of the body has %d", body->stem,
                          own->pointCount[0], body->pointCount);
    return resultOk();
}

static vvResult openOne(Clip *clip, int number)
{
    Path path;
    const RecordBody *body = &clip->record->body[number];
    ClipBody *own = &clip->body[number];
    pathMake(clip->record, &path, body->stem, ".pc2");
    vvResult result = resultOk();
    if (diskExists(&path))
        result = openCaches(clip, number);
    else
    {
        int series = seriesLength(clip, body);
        if (series == 0)
            return notThere(&path, "is not there");
        if (!objTextMake(&clip->record->memory, body, &own->scene) ||
            !clipAddMesh(&clip->record->memory, own, body->pointCount, series))
            return resultOutOfMemory("the frames of a record");
    }
    if (result.code == VV_OK)
        clip->frameCount = minInt(clip->frameCount, own->first[own->meshCount]);
    return result;
}

vvResult clipReserve(Clip *clip)
{
    size_t most = 0;
    for (int i = 0; i < clip->record->bodyCount; ++i)
    {
        for (int m = 0; m < clip->body[i].meshCount; ++m)
            most = (size_t)maxInt((int)most, clip->body[i].pointCount[m]);
    }
    memoryRelease(&clip->record->memory, clip->bytes);
    memoryRelease(&clip->record->memory, clip->point);
    clip->bytes = ALLOCATE(&clip->record->memory, char, 12 * most);
    clip->point = ALLOCATE(&clip->record->memory, float, 3 * most);
    return clip->bytes != NULL && clip->point != NULL ? resultOk() : resultOutOfMemory("the frames of a record");
}

vvResult clipOpen(Clip *clip, vvRecorder *record, bool soft)
{
    *clip = (Clip){ .record = record, .frameCount = INT32_MAX, .frameTime = record->frameTime };
    clip->fewKeys = FEW_KEYS;
    clip->mostKeys = MOST_KEYS;
    int count = record->bodyCount, poses = 0;
    vvResult result =
        posesRead(&record->memory, record->folder, record->frames, record->rigidCount, &clip->pose, &poses);
    if (result.code != VV_OK)
        return result;
    clip->frameCount = poses > 0 ? poses : clip->frameCount;
    int fluids = record->fluidCount > 0 ? fluidFrameCount(record->folder, record->frames) : 0;
    clip->fluidCount = fluids > 0 ? record->fluidCount : 0;
    clip->frameCount = fluids > 0 ? minInt(clip->frameCount, fluids) : clip->frameCount;
    if (count == 0 && poses == 0 && fluids == 0)
        return resultMake(VV_BAD_INPUT, "put a body into the scene", "a world without bodies has no frames");
    clip->body = ALLOCATE(&record->memory, ClipBody, count);
    if (clip->body == NULL)
        return resultOutOfMemory("the frames of a record");
    for (int i = 0; i < count; ++i)
        clip->body[i].file.handle = -1;
    for (int i = 0; i < count && soft && result.code == VV_OK; ++i)
        result = openOne(clip, i);
    return result.code == VV_OK ? clipReserve(clip) : result;
}

void clipClose(Clip *clip)
{
    if (clip->record == NULL)
        return;
    Memory *memory = &clip->record->memory;
    for (int i = 0; clip->body != NULL && i < clip->record->bodyCount; ++i)
    {
        ClipBody *own = &clip->body[i];
        diskClose(&own->file);
        frameTextRelease(memory, &own->scene);
        memoryRelease(memory, own->first);
        memoryRelease(memory, own->pointCount);
    }
    void *const blocks[] = { clip->body, clip->bytes, clip->point, clip->pose };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
        memoryRelease(memory, blocks[i]);
    clipMeshRelease(clip);
    fluidFrameRelease(memory, &clip->particles);
    *clip = (Clip){ 0 };
}

const double *clipPose(const Clip *clip, int rigid, int frame)
{
    return clip->pose + POSE_NUMBERS * ((size_t)frame * (size_t)clip->record->rigidCount + (size_t)rigid);
}

int clipMeshAt(const Clip *clip, int body, int frame)
{
    const ClipBody *own = &clip->body[body];
    int low = 0, high = own->meshCount - 1;
    while (low < high)
    {
        int middle = (low + high + 1) / 2;
        low = own->first[middle] <= frame ? middle : low;
        high = own->first[middle] <= frame ? high : middle - 1;
    }
    return low;
}

vvResult clipRead(Clip *clip, int body, int frame, float *point)
{
    ClipBody *own = &clip->body[body];
    if (!own->cached)
        return readSeries(clip, frame, body, point);
    int mesh = clipMeshAt(clip, body, frame), frames = 0, points = 0;
    size_t count = 3 * (size_t)own->pointCount[mesh];
    vvResult result = own->mesh != mesh ? openCache(clip, body, mesh, &frames, &points) : resultOk();
    if (result.code == VV_OK)
        result = diskRead(&own->file, HEADER_SIZE + (long long)(frame - own->first[mesh]) * 4 * (long long)count,
                          clip->bytes, 4 * count);
    for (size_t i = 0; result.code == VV_OK && i < count; ++i)
    {
        uint32_t bits = (uint32_t)loadWhole(clip->bytes + 4 * i, 4);
        memcpy(&point[i], &bits, sizeof bits);
    }
    return result;
}
