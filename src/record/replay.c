#include "record/replay.h"

#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct Replay
{
    vvRecorder record; // only its bodies and paths
    Clip clip;
};

Replay *replayOpen(vvWorldId world, const char *folder, const char *frames, vvResult *out)
{
    Memory memory = memoryMake(NULL);
    Replay *replay = ALLOCATE(&memory, Replay, 1);
    vvResult result = resultOutOfMemory("a record");
    if (replay != NULL)
    {
        replay->record.memory = memory;
        replay->record.world = world;
        snprintf(replay->record.folder, sizeof replay->record.folder, "%s", folder);
        snprintf(replay->record.frames, sizeof replay->record.frames, "%s", frames);
        fluidsFind(&replay->record);
        result = bodiesFind(&replay->record);
        if (result.code == VV_OK)
            result = rigidsFind(&replay->record);
        if (result.code == VV_OK)
            result = clipOpen(&replay->clip, &replay->record, true);
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
    clipClose(&replay->clip);
    bodiesRelease(&replay->record);
    rigidsRelease(&replay->record);
    Memory last = replay->record.memory;
    memoryRelease(&last, replay);
}

int replayFrameCount(const Replay *replay)
{
    return replay->clip.frameCount;
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
    for (size_t i = 0; i < 3 * (size_t)from->seenCount; ++i)
        target[i] = NAN;
    vvResult result = clipRead(&replay->clip, body, frame, from->point);
    for (size_t i = 0; result.code == VV_OK && i < 3 * (size_t)from->pointCount; ++i)
        target[3 * (size_t)from->vertex[i / 3] + i % 3] = (double)from->point[i];
    return result;
}

// another mesh than the first of the point caches, with the points of the frame
static vvResult cachedMesh(Clip *clip, Memory *memory, int frame, int body, ReplayMesh *mesh)
{
    vvResult result = replayMeshLoad(clip, memory, body, clipMeshAt(clip, body, frame), mesh);
    if (result.code == VV_OK && mesh->pointCount != clip->body[body].pointCount[clipMeshAt(clip, body, frame)])
        result = resultMake(VV_BAD_INPUT, "keep the OBJ files and the point caches of one run together",
                            "the mesh of frame %d has %d points, the frame has others", frame, mesh->pointCount);
    if (result.code == VV_OK)
        result = clipRead(clip, body, frame, clip->point);
    for (size_t i = 0; result.code == VV_OK && i < 3 * (size_t)mesh->pointCount; ++i)
        mesh->point[i] = (double)clip->point[i];
    return result;
}

vvResult replayMesh(Replay *replay, Memory *memory, int frame, int body, ReplayMesh *mesh, bool *changed)
{
    vvRecorder *record = &replay->record;
    Clip *clip = &replay->clip;
    char *text = NULL;
    size_t size = 0;
    *changed = clip->body[body].cached && clipMeshAt(clip, body, frame) > 0;
    if (clip->body[body].cached)
        return *changed ? cachedMesh(clip, memory, frame, body, mesh) : resultOk();
    vvResult result = frameRead(record, &record->body[body], frame, &text, &size);
    *changed = result.code == VV_OK && !frameIsOf(&clip->body[body].scene, text, size);
    if (*changed)
        result = replayMeshRead(memory, text, false, mesh);
    memoryRelease(&record->memory, text);
    return result;
}

vvResult replayExport(Replay *replay, const char *formats, double frameTime, int *keys, double *within)
{
    static const struct
    {
        const char *name;
        FinishRecord *write;
    } known[] = { { "glb", glbWrite }, { "mdd", mddWrite }, { "usda", usdaGuestsWrite } };
    vvResult result = resultOk();
    replay->clip.frameTime = frameTime;
    replay->clip.fewKeys = *keys > 0 ? *keys : FEW_KEYS;
    replay->clip.mostKeys = *keys > 0 ? *keys : MOST_KEYS;
    for (const char *word = formats; *word != 0 && result.code == VV_OK;)
    {
        size_t length = strcspn(word, ",");
        FinishRecord *write = NULL;
        for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        {
            if (strlen(known[i].name) == length && strncmp(word, known[i].name, length) == 0)
                write = known[i].write;
        }
        if (write == NULL)
            return resultMake(
                VV_BAD_INPUT,
                "use glb or mdd, or usda for rigid bodies and fluids; 'verve run --format' records the others",
                "'%.*s' is no format of an export", (int)length, word);
        result = write(&replay->clip);
        word += length + (word[length] == ',');
    }
    *within = replay->clip.within;
    *keys = replay->clip.keys;
    return result;
}
