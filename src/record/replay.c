// Point caches read back, or an OBJ file per frame where there is none. Names of files come from the recorder's own
// code, so that both always agree.
#include "record/replay.h"

#include "base/decimal.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER_SIZE 32 // as pc2.c writes it
#define POINTS_AT 16
#define COUNT_AT 28

struct Replay
{
    vvRecorder record; // only its bodies and paths
    File *file;        // bodyCount
    char *bytes;       // a frame of the largest body
    int frameCount;
};

static vvResult notThere(const Path *path, const char *why)
{
    size_t length = strlen(path->text), shown = 120;
    return resultMake(VV_INPUT_OUTPUT, "record the scene with 'verve run SCENE --out DIR --format pc2'", "'%s' %s",
                      length > shown ? path->text + length - shown : path->text, why);
}

// ---- an OBJ file per frame ------------------------------------------------------------------------------------------

// how many frames there are; 0: none
static int seriesLength(const Replay *replay, const RecordBody *body)
{
    int frames = 0;
    for (bool there = true; there; frames += there ? 1 : 0)
    {
        Path path;
        framePath(&replay->record, &path, body->stem, frames, ".obj");
        there = diskExists(&path);
    }
    return frames;
}

// the points of lines "v x y z"; false: there are not as many as wanted
static bool parsePoints(const char *text, const RecordBody *body, double *target)
{
    int count = 0;
    for (const char *line = text; line != NULL; line = strchr(line, '\n'), line = line != NULL ? line + 1 : NULL)
    {
        if (line[0] != 'v' || line[1] != ' ' || count == body->pointCount)
            continue;
        const char *at = line + 1;
        for (size_t c = 0; c < 3 && at != NULL; ++c)
            at = *at == ' ' ? decimalRead(at + 1, &target[3 * (size_t)body->vertex[count] + c]) : NULL;
        if (at == NULL)
            return false;
        count += 1;
    }
    return count == body->pointCount;
}

static vvResult readSeries(Replay *replay, int frame, const RecordBody *body, double *target)
{
    Path path;
    File file = { .handle = -1 };
    framePath(&replay->record, &path, body->stem, frame, ".obj");
    vvResult result = diskOpenToRead(&file, &path);
    if (result.code != VV_OK)
        return result;
    char *text = ALLOCATE(&replay->record.memory, char, file.size + 1); // ends with 0
    if (text == NULL)
        result = resultOutOfMemory("a frame of a record");
    else
        result = diskRead(&file, 0, text, (size_t)file.size);
    if (result.code == VV_OK && !parsePoints(text, body, target))
        result = notThere(&path, "does not hold the points of the body");
    memoryRelease(&replay->record.memory, text);
    diskClose(&file);
    return result;
}

// ---- point caches ---------------------------------------------------------------------------------------------------

static vvResult openOne(Replay *replay, const RecordBody *body, File *file)
{
    Path path;
    char header[HEADER_SIZE];
    pathMake(&replay->record, &path, body->stem, ".pc2");
    if (!diskExists(&path))
    {
        // its file stays closed
        int series = seriesLength(replay, body);
        replay->frameCount = series > 0 ? minInt(replay->frameCount, series) : replay->frameCount;
        return series > 0 ? resultOk() : notThere(&path, "is not there");
    }
    vvResult result = diskOpenToRead(file, &path);
    if (result.code != VV_OK)
        return result;
    if (file->size < HEADER_SIZE || diskRead(file, 0, header, sizeof header).code != VV_OK ||
        memcmp(header, "POINTCACHE2", 12) != 0)
        return notThere(&path, "is no point cache");
    long long points = (long long)loadWhole(header + POINTS_AT, 4), count = (long long)loadWhole(header + COUNT_AT, 4);
    if (points != body->pointCount)
        return resultMake(VV_BAD_INPUT, "keep scene.json and the frames of one run together",
                          "'%.100s.pc2' holds %lld points, what is seen of the body has %d", body->stem, points,
                          body->pointCount);
    // the header says how many frames are complete; a file that was cut holds fewer
    long long whole = (file->size - HEADER_SIZE) / (12 * points);
    long long frames = count < whole ? count : whole;
    if (frames < 1)
        return notThere(&path, "holds no complete frame");
    if (frames < replay->frameCount)
        replay->frameCount = (int)frames;
    return resultOk();
}

static vvResult openAll(Replay *replay)
{
    vvResult result = bodiesFind(&replay->record);
    int count = replay->record.bodyCount, most = 0;
    if (result.code != VV_OK)
        return result;
    if (count == 0)
        return resultMake(VV_BAD_INPUT, "put a body into the scene", "a world without bodies has no frames");
    replay->file = ALLOCATE(&replay->record.memory, File, count);
    for (int i = 0; i < count && replay->file != NULL; ++i)
    {
        replay->file[i].handle = -1;
        most = maxInt(most, replay->record.body[i].pointCount);
    }
    replay->bytes = ALLOCATE(&replay->record.memory, char, 12 * (size_t)most);
    if (replay->file == NULL || replay->bytes == NULL)
        return resultOutOfMemory("the frames of a record");
    for (int i = 0; i < count && result.code == VV_OK; ++i)
        result = openOne(replay, &replay->record.body[i], &replay->file[i]);
    return result;
}

Replay *replayOpen(vvWorldId world, const char *folder, const char *frames, vvResult *out)
{
    Memory memory = memoryMake(NULL);
    Replay *replay = ALLOCATE(&memory, Replay, 1);
    vvResult result = resultOutOfMemory("a record");
    if (replay != NULL)
    {
        replay->record.memory = memory;
        replay->record.world = world;
        replay->frameCount = INT32_MAX;
        snprintf(replay->record.folder, sizeof replay->record.folder, "%s", folder);
        snprintf(replay->record.frames, sizeof replay->record.frames, "%s", frames);
        result = openAll(replay);
    }
    if (resultPass(out, &result))
        return replay;
    replayClose(replay);
    return NULL;
}

void replayClose(Replay *replay)
{
    if (replay == NULL)
        return;
    Memory *memory = &replay->record.memory;
    for (int i = 0; replay->file != NULL && i < replay->record.bodyCount; ++i)
        diskClose(&replay->file[i]);
    memoryRelease(memory, replay->file);
    memoryRelease(memory, replay->bytes);
    bodiesRelease(&replay->record);
    Memory last = *memory;
    memoryRelease(&last, replay);
}

int replayFrameCount(const Replay *replay)
{
    return replay->frameCount;
}

int replayBodyCount(const Replay *replay)
{
    return replay->record.bodyCount;
}

vvSoftBodyId replayBody(const Replay *replay, int body)
{
    return replay->record.body[body].id;
}

vvResult replayPositions(Replay *replay, int frame, int body, double *target)
{
    const RecordBody *from = &replay->record.body[body];
    size_t size = 12 * (size_t)from->pointCount;
    for (size_t i = 0; i < 3 * (size_t)from->seenCount; ++i)
        target[i] = NAN;
    if (replay->file[body].handle < 0)
        return readSeries(replay, frame, from, target);
    vvResult result =
        diskRead(&replay->file[body], HEADER_SIZE + (long long)frame * (long long)size, replay->bytes, size);
    if (result.code != VV_OK)
        return result;
    for (size_t i = 0; i < 3 * (size_t)from->pointCount; ++i)
    {
        uint32_t bits = (uint32_t)loadWhole(replay->bytes + 4 * i, 4);
        float value;
        memcpy(&value, &bits, sizeof value);
        target[3 * (size_t)from->vertex[i / 3] + i % 3] = (double)value;
    }
    return result;
}
