// The frames of a record read back: from point caches, or from an OBJ file per frame where there is none. Names of
// files come from the recorder's own code, so that both always agree.
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
static bool parsePoints(const char *text, const RecordBody *body, float *point)
{
    int count = 0;
    for (const char *line = text; line != NULL; line = strchr(line, '\n'), line = line != NULL ? line + 1 : NULL)
    {
        if (line[0] != 'v' || line[1] != ' ')
            continue;
        if (count == body->pointCount)
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
    return count == body->pointCount;
}

static vvResult readSeries(Clip *clip, int frame, int number, float *point)
{
    const RecordBody *body = &clip->record->body[number];
    Path path;
    char *text = NULL;
    size_t size = 0;
    framePath(clip->record, &path, body->stem, frame, ".obj");
    vvResult result = frameRead(clip->record, body, frame, &text, &size);
    if (result.code == VV_OK && !parsePoints(text, body, point))
        result = frameIsOf(&clip->scene[number], text, size)
                     ? notThere(&path, "does not hold the points of the body")
                     : resultMake(VV_BAD_INPUT, "use the files of the frames, which have the mesh of each",
                                  "the mesh of body '%s' has changed by frame %d", body->name, frame);
    memoryRelease(&clip->record->memory, text);
    return result;
}

// ---- point caches ---------------------------------------------------------------------------------------------------

static vvResult openOne(Clip *clip, const RecordBody *body, File *file, FrameText *scene)
{
    Path path;
    char header[HEADER_SIZE];
    pathMake(clip->record, &path, body->stem, ".pc2");
    if (!diskExists(&path))
    {
        // its file stays closed
        int series = seriesLength(clip, body);
        clip->frameCount = series > 0 ? minInt(clip->frameCount, series) : clip->frameCount;
        if (series > 0 && !objTextMake(&clip->record->memory, body, scene))
            return resultOutOfMemory("the frames of a record");
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
    if (frames < clip->frameCount)
        clip->frameCount = (int)frames;
    return resultOk();
}

vvResult clipOpen(Clip *clip, vvRecorder *record, bool soft)
{
    *clip = (Clip){ .record = record, .frameCount = INT32_MAX, .frameTime = record->frameTime };
    clip->fewKeys = FEW_KEYS;
    clip->mostKeys = MOST_KEYS;
    int count = record->bodyCount, most = 0;
    int poses = 0;
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
    clip->file = ALLOCATE(&record->memory, File, count);
    for (int i = 0; i < count && clip->file != NULL; ++i)
    {
        clip->file[i].handle = -1;
        most = maxInt(most, record->body[i].pointCount);
    }
    clip->bytes = ALLOCATE(&record->memory, char, 12 * (size_t)most);
    clip->scene = ALLOCATE(&record->memory, FrameText, count);
    if (clip->file == NULL || clip->bytes == NULL || clip->scene == NULL)
        return resultOutOfMemory("the frames of a record");
    for (int i = 0; i < count && soft && result.code == VV_OK; ++i)
        result = openOne(clip, &record->body[i], &clip->file[i], &clip->scene[i]);
    return result;
}

void clipClose(Clip *clip)
{
    if (clip->record == NULL)
        return;
    for (int i = 0; clip->file != NULL && i < clip->record->bodyCount; ++i)
        diskClose(&clip->file[i]);
    for (int i = 0; clip->scene != NULL && i < clip->record->bodyCount; ++i)
        frameTextRelease(&clip->record->memory, &clip->scene[i]);
    memoryRelease(&clip->record->memory, clip->scene);
    memoryRelease(&clip->record->memory, clip->file);
    memoryRelease(&clip->record->memory, clip->bytes);
    memoryRelease(&clip->record->memory, clip->pose);
    fluidFrameRelease(&clip->record->memory, &clip->particles);
    *clip = (Clip){ 0 };
}

const double *clipPose(const Clip *clip, int rigid, int frame)
{
    return clip->pose + POSE_NUMBERS * ((size_t)frame * (size_t)clip->record->rigidCount + (size_t)rigid);
}

vvResult clipRead(Clip *clip, int body, int frame, float *point)
{
    const RecordBody *from = &clip->record->body[body];
    size_t size = 12 * (size_t)from->pointCount;
    if (clip->file[body].handle < 0)
        return readSeries(clip, frame, body, point);
    vvResult result = diskRead(&clip->file[body], HEADER_SIZE + (long long)frame * (long long)size, clip->bytes, size);
    for (size_t i = 0; result.code == VV_OK && i < 3 * (size_t)from->pointCount; ++i)
    {
        uint32_t bits = (uint32_t)loadWhole(clip->bytes + 4 * i, 4);
        memcpy(&point[i], &bits, sizeof bits);
    }
    return result;
}
