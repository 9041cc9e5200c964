// The recorder: checks the definition, leads the formats through every frame, says what a failure leaves behind.
#include "record/usda.h"

#include <stdio.h>
#include <string.h>

// in the order in which a frame is written; the saved state comes last
static const Format *const formats[] = {
    &objFormat,          &pc2Format,       &vtuFormat, &usdaFormat,   &plyFormat,   &glbFormat,      &mddFormat,
    &rigidSurfaceFormat, &particlesFormat, &pvdFormat, &ledgerFormat, &rigidFormat, &snapshotFormat,
};

#define FORMAT_COUNT ((int)(sizeof formats / sizeof *formats))
#define NAMED_COUNT 7 // those that vvRecorderDef.formats may name
#define OBJ 0
#define PC2 1
#define VTU 2
#define USDA 3
#define PLY 4
#define GLB 5
#define MDD 6
#define SURFACES 7
#define PARTICLES 8
#define PVD 9
#define LEDGER 10
#define RIGID 11
#define SNAPSHOT 12

_Static_assert(FORMAT_COUNT <= MOST_FORMATS, "the recorder has a place for every format");

const char *vvGetRecordFormatName(int index)
{
    return index >= 0 && index < NAMED_COUNT ? formats[index]->name : NULL;
}

vvRecorderDef vvDefaultRecorderDef(void)
{
    vvRecorderDef def = { 0 };
    def.frames = "frames";
    def.formats = "";
    def.snapshotEvery = 50;
    def.frameTime = 1.0 / 60.0;
    def.resumeFrame = -1;
    def.cookie = RECORDER_COOKIE;
    return def;
}

int vvRecorder_GetFrameCount(const vvRecorder *recorder)
{
    return recorder != NULL ? recorder->frameCount : 0;
}

// ---- paths ----------------------------------------------------------------------------------------------------------

void pathMake(const vvRecorder *recorder, Path *path, const char *stem, const char *ending)
{
    snprintf(path->text, sizeof path->text, "%.700s/%.200s%s", recorder->folder, stem, ending);
}

void framePath(const vvRecorder *recorder, Path *path, const char *stem, int frame, const char *ending)
{
    snprintf(path->text, sizeof path->text, "%.700s/%.200s_%06d%s", recorder->folder, stem, frame, ending);
}

vvResult resumeRefused(const Path *path, const char *why)
{
    size_t length = strlen(path->text);
    const char *shown = length > 100 ? path->text + length - 100 : path->text;
    return resultMake(VV_BAD_INPUT,
                      "resume with the same scene and formats and at a frame that all files hold, or record anew",
                      "cannot resume: '%s%s' %s", shown == path->text ? "" : "...", shown, why);
}

vvResult resumeOpen(File *file, const Path *path)
{
    if (!diskExists(path))
        return resumeRefused(path, "is not there");
    return diskOpen(file, path);
}

// ---- the definition -------------------------------------------------------------------------------------------------

static vvResult checkFormats(vvRecorder *recorder, const char *words)
{
    const char *names[NAMED_COUNT];
    for (int i = 0; i < NAMED_COUNT; ++i)
        names[i] = formats[i]->name;
    while (words != NULL && *words != 0)
    {
        char word[32];
        size_t length = strcspn(words, ",");
        size_t begin = strspn(words, " "), end = length;
        while (end > begin && words[end - 1] == ' ')
            --end;
        snprintf(word, sizeof word, "%.*s", (int)(begin < end ? minInt((int)(end - begin), 31) : 0), words + begin);
        int found = 0;
        while (found < NAMED_COUNT && strcmp(names[found], word) != 0)
            ++found;
        if (found == NAMED_COUNT)
            return resultMake(VV_BAD_INPUT, "formats are obj, pc2, vtu, usda, ply, glb and mdd, separated by commas",
                              "unknown format '%s'; did you mean '%s'?", word, nearestWord(word, names, NAMED_COUNT));
        recorder->wanted[found] = true;
        words += length;
        if (*words == ',')
            ++words;
    }
    for (int i = 0; i < NAMED_COUNT; ++i)
        recorder->wanted[RIGID] =
            recorder->wanted[RIGID] || (recorder->wanted[i] && vvWorld_GetRigidBodies(recorder->world, NULL, 0) > 0);
    // those are made of the point caches when the record is closed
    recorder->wanted[PC2] = recorder->wanted[PC2] || recorder->wanted[GLB] || recorder->wanted[MDD];
    return resultOk();
}

static vvResult checkDef(vvRecorder *recorder, const vvRecorderDef *def)
{
    if (def->folder == NULL || def->folder[0] == 0 || strlen(def->folder) > 700)
        return resultMake(VV_BAD_INPUT, "name a folder; it is made if it is not there",
                          "folder is %s%.60s%s, must be a path of 1 to 700 bytes", def->folder != NULL ? "\"" : "",
                          def->folder != NULL ? def->folder : "NULL", def->folder != NULL ? "\"" : "");
    vvResult result = recordNames(def);
    if (result.code == VV_OK)
        result = checkFormats(recorder, def->formats);
    if (result.code != VV_OK)
        return result;
    if (def->snapshotEvery < 1)
        return resultMake(VV_BAD_INPUT, "50 saves a state every 50 frames", "snapshotEvery is %d, must be at least 1",
                          def->snapshotEvery);
    if (!(def->frameTime > 0 && def->frameTime <= 1e6 && def->frameTime >= 1e-9))
        return resultMake(VV_BAD_INPUT, "use the time between two frames, such as 1/60",
                          "frameTime is %g s, must be 1e-9 to 1e6", def->frameTime);
    if (def->resumeFrame < -1 || def->resumeFrame > 999999999)
        return resultMake(VV_BAD_INPUT, "-1 begins a new record, k goes on after frame k",
                          "resumeFrame is %d, must be -1 to 999999999", def->resumeFrame);
    return resultOk();
}

static void takeDef(vvRecorder *recorder, const vvRecorderDef *def)
{
    snprintf(recorder->folder, sizeof recorder->folder, "%s", def->folder);
    snprintf(recorder->frames, sizeof recorder->frames, "%s", def->frames);
    snprintf(recorder->ledger, sizeof recorder->ledger, "%s", def->ledger != NULL ? def->ledger : "");
    snprintf(recorder->snapshot, sizeof recorder->snapshot, "%s", def->snapshot != NULL ? def->snapshot : "");
    const bool *wanted = recorder->wanted;
    // glb and usda are made of the PLY files of fluids when the record is closed
    recorder->points[0] = wanted[PLY] || wanted[GLB] || wanted[USDA];
    recorder->points[1] = wanted[VTU];
    recorder->surfaces[0] = wanted[OBJ];
    recorder->surfaces[1] = wanted[PLY];
    recorder->surfaces[2] = wanted[VTU];
    fluidsFind(recorder);
    recorder->wanted[PARTICLES] = (recorder->points[0] || recorder->points[1]) && recorder->fluidCount > 0;
    recorder->wanted[SURFACES] = wanted[RIGID] && (wanted[OBJ] || wanted[PLY] || wanted[VTU]);
    recorder->wanted[PVD] = wanted[VTU];
    recorder->wanted[LEDGER] = def->ledger != NULL;
    recorder->wanted[SNAPSHOT] = def->snapshot != NULL;
    recorder->snapshotEvery = def->snapshotEvery;
    recorder->frameTime = def->frameTime;
    recorder->resumeFrame = def->resumeFrame;
    recorder->frameCount = def->resumeFrame + 1;
    for (int i = 0; i < FORMAT_COUNT; ++i)
        recorder->wantsFields = recorder->wantsFields || (recorder->wanted[i] && formats[i]->hasFields);
}

// ---- create, add, close ---------------------------------------------------------------------------------------------

// In two rounds, so that a refusal changes nothing.
static vvResult openAll(vvRecorder *recorder)
{
    vvResult result = bodiesFind(recorder);
    for (int i = 0; i < recorder->bodyCount && recorder->resumeFrame >= 0; ++i)
    {
        RecordBody *body = &recorder->body[i];
        if (recorder->wanted[PC2])
            body->meshNumber = meshFind(recorder, body, ".pc2", recorder->resumeFrame, pc2First);
        else if (recorder->wanted[USDA])
            body->meshNumber = meshFind(recorder, body, ".usda", recorder->resumeFrame, usdaFirst);
    }
    if (result.code == VV_OK && (recorder->wanted[GLB] || recorder->wanted[USDA] || recorder->wanted[SURFACES]))
        result = rigidsFind(recorder);
    for (int i = 0; i < FORMAT_COUNT && result.code == VV_OK; ++i)
    {
        if (recorder->wanted[i])
            result = formats[i]->open(recorder, &recorder->self[i]);
    }
    if (result.code == VV_OK)
        result = bodiesGather(recorder); // a body may go before the first frame
    if (result.code == VV_OK)
        result = diskFolderMake(recorder->folder);
    for (int i = FORMAT_COUNT - 1; i >= 0 && result.code == VV_OK; --i)
    {
        if (recorder->wanted[i])
            result = formats[i]->start(recorder, recorder->self[i]);
    }
    return result;
}

static vvResult closeAll(vvRecorder *recorder)
{
    vvResult result = resultOk();
    for (int i = 0; i < FORMAT_COUNT; ++i)
    {
        vvResult closed = formats[i]->close(recorder, recorder->self[i]);
        if (result.code == VV_OK)
            result = closed;
    }
    bodiesRelease(recorder);
    rigidsRelease(recorder);
    Memory memory = recorder->memory;
    memoryRelease(&memory, recorder);
    return result;
}

static vvRecorder *create(vvWorldId world, const vvRecorderDef *def, vvResult *result)
{
    if (def == NULL || def->cookie != RECORDER_COOKIE)
    {
        *result = resultMake(VV_BAD_INPUT, "start from vvDefaultRecorderDef()", "the recorder definition %s",
                             def == NULL ? "is NULL" : "was not initialised");
        return NULL;
    }
    if (!vvWorld_IsValid(world))
    {
        *result = resultMake(VV_BAD_ID, "keep ids only as long as the object lives; IsValid tells",
                             "the world id is null, or its world was destroyed");
        return NULL;
    }
    Memory memory = memoryMake(&def->allocator);
    vvRecorder *recorder = ALLOCATE(&memory, vvRecorder, 1);
    if (recorder == NULL)
    {
        *result = resultOutOfMemory("a recorder");
        return NULL;
    }
    recorder->memory = memory;
    recorder->world = world;
    *result = checkDef(recorder, def);
    if (result->code == VV_OK)
    {
        takeDef(recorder, def);
        *result = openAll(recorder);
    }
    if (result->code == VV_OK)
        return recorder;
    closeAll(recorder);
    return NULL;
}

vvRecorder *vvCreateRecorder(vvWorldId world, const vvRecorderDef *def, vvResult *result)
{
    vvResult own;
    vvRecorder *recorder = create(world, def, &own);
    resultPass(result, &own);
    return recorder;
}

static vvResult describeFailure(const vvRecorder *recorder, const vvResult *inner)
{
    return resultMake(inner->code, inner->remedy, "%s; %d frames are complete", inner->message, recorder->frameCount);
}

vvResult recorderAdd(vvRecorder *recorder, const vvLedger *now)
{
    if (recorder == NULL)
        return resultMake(VV_BAD_INPUT, "vvCreateRecorder makes one and says why it could not", "the recorder is NULL");
    if (recorder->failed)
        return resultMake(VV_INPUT_OUTPUT, "close it, remove the cause, and create one that resumes",
                          "the recorder failed before and takes no more frames; %d are complete", recorder->frameCount);
    if (!vvWorld_IsValid(recorder->world))
        return resultMake(VV_BAD_ID, "close the recorder before the world is destroyed",
                          "the recorded world was destroyed");
    vvResult result = bodiesGather(recorder);
    if (result.code != VV_OK)
        return result;
    recorder->now = now;
    for (int i = 0; i < FORMAT_COUNT; ++i)
    {
        if (!recorder->wanted[i])
            continue;
        result = formats[i]->add(recorder, recorder->self[i]);
        if (result.code != VV_OK)
        {
            recorder->failed = true;
            return describeFailure(recorder, &result);
        }
    }
    recorder->frameCount += 1;
    return result;
}

vvResult vvRecorder_Add(vvRecorder *recorder)
{
    return recorderAdd(recorder, NULL);
}

vvResult vvRecorder_Close(vvRecorder *recorder)
{
    return recorder != NULL ? closeAll(recorder) : resultOk();
}
