// USD as text: a layer for every mesh of a body (usda_layer.c), and one layer that holds them all. Where there is one
// body that is the layer of its first mesh, and references to the others stand behind its frames.
#include "record/usda.h"

#include <stdio.h>
#include <string.h>

typedef struct Stage
{
    UsdaLayer *layer; // bodyCount: of the present meshes
    File file;        // the layer of all; closed while that is the only one
    char *head;       // its text, with several bodies
    size_t headSize;  //
    long long endAt;
    long long keep;     // bytes of the first layer of a single body to be resumed
    UsdaReader *reader; // of layers to be resumed
} Stage;

#define LONGEST_REFERENCE (4 * LONGEST_STEM + 128)

static char *writeReference(char *out, const RecordBody *body, int meshNumber, const char *indent)
{
    char stem[LONGEST_STEM];
    meshStem(body, meshNumber, stem);
    out = textWord(textWord(out, indent), body->triangleCount > 0 ? "def Mesh \"" : "def BasisCurves \"");
    out = textWord(textWord(textWord(usdaPrim(out, body, meshNumber), "\" (\n    "), indent), "references = @./");
    out = textWord(textWord(textWord(textWord(out, stem), ".usda@\n"), indent), ")\n");
    return textWord(textWord(textWord(textWord(out, indent), "{\n"), indent), "}\n");
}

// ---- the layer of several bodies ------------------------------------------------------------------------------------

// changed: with their later meshes
static bool stageMake(vvRecorder *recorder, Stage *stage, bool changed)
{
    size_t prims = 0;
    for (int i = 0; i < recorder->bodyCount; ++i)
        prims += (size_t)recorder->body[i].meshNumber + 1;
    memoryRelease(&recorder->memory, stage->head);
    stage->head = ALLOCATE(&recorder->memory, char, USDA_HEAD + prims * LONGEST_REFERENCE);
    if (stage->head == NULL)
        return false;
    char *out = usdaLayerHead(recorder, stage->head, "World", 0, stage->head, &stage->endAt);
    out = textWord(out, "def Xform \"World\"\n{\n");
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        for (int k = 0; k <= (changed ? recorder->body[i].meshNumber : 0); ++k)
            out = writeReference(out, &recorder->body[i], k, "    ");
    }
    out = textWord(out, "}\n");
    stage->headSize = (size_t)(out - stage->head);
    return true;
}

// leaves out references to later meshes, of five lines each; returns what is left
static size_t dropLater(char *bytes, size_t size)
{
    size_t kept = 0;
    int left = 0; // lines to be left out
    for (size_t at = 0, next; at < size; at = next)
    {
        const char *end = memchr(bytes + at, '\n', size - at), *mark = NULL;
        next = end != NULL ? (size_t)(end - bytes) + 1 : size;
        if (next - at > 8 && memcmp(bytes + at, "    def ", 8) == 0)
            mark = memchr(bytes + at, '"', next - at);
        const char *close = mark != NULL ? memchr(mark + 1, '"', (size_t)(bytes + next - mark - 1)) : NULL;
        if (close != NULL && meshIsNumbered(mark + 1, (size_t)(close - mark - 1)))
            left = 5;
        if (left-- > 0)
            continue;
        memmove(bytes + kept, bytes + at, next - at);
        kept += next - at;
    }
    return kept;
}

static vvResult stageCheck(vvRecorder *recorder, Stage *stage)
{
    Path path;
    pathMake(recorder, &path, recorder->frames, ".usda");
    if (!stageMake(recorder, stage, false))
        return resultOutOfMemory("the USD layers");
    vvResult result = resumeOpen(&stage->file, &path);
    if (result.code != VV_OK)
        return result;
    size_t size = (size_t)stage->file.size;
    char *bytes = ALLOCATE(&recorder->memory, char, size);
    if (bytes == NULL)
        return resultOutOfMemory("the check of a USD layer");
    bool isSame = diskRead(&stage->file, 0, bytes, size).code == VV_OK && dropLater(bytes, size) == stage->headSize;
    if (isSame)
    {
        memcpy(bytes + stage->endAt, stage->head + stage->endAt, USDA_END_WIDTH);
        isSame = memcmp(bytes, stage->head, stage->headSize) == 0;
    }
    memoryRelease(&recorder->memory, bytes);
    return isSame ? resultOk() : resumeRefused(&path, "holds other bodies, or another frame time");
}

// with the prims that there are now, for the frames so far
static vvResult stageWrite(vvRecorder *recorder, Stage *stage)
{
    Path path;
    char end[USDA_END_WIDTH + 2];
    snprintf(end, sizeof end, "%-*d", USDA_END_WIDTH, maxInt(recorder->frameCount - 1, 0));
    memcpy(stage->head + stage->endAt, end, USDA_END_WIDTH);
    diskClose(&stage->file);
    pathMake(recorder, &path, recorder->frames, ".usda");
    vvResult result = diskReplace(&path, stage->head, stage->headSize);
    return result.code == VV_OK ? diskOpen(&stage->file, &path) : result;
}

// ---- the layers of a single body ------------------------------------------------------------------------------------

// the first layer of a body that has another mesh by the resumed frame
static vvResult firstCheck(vvRecorder *recorder, Stage *stage)
{
    Path path;
    const RecordBody *body = &recorder->body[0];
    char head[USDA_HEAD + LONGEST_STEM] = "";
    usdaLayerPath(recorder, body, 0, &path);
    vvResult result = resumeOpen(&stage->file, &path);
    if (result.code != VV_OK)
        return result;
    size_t size = stage->file.size < (long long)sizeof head - 1 ? (size_t)stage->file.size : sizeof head - 1;
    const char *word = "endTimeCode = ", *at = NULL;
    if (diskRead(&stage->file, 0, head, size).code == VV_OK)
        at = strstr(head, word);
    stage->endAt = at != NULL ? at + strlen(word) - head : -1;
    stage->keep = usdaReferencesEnd(&stage->file, body, stage->reader);
    return stage->endAt >= 0 && stage->keep >= 0 ? resultOk()
                                                 : resumeRefused(&path, "does not refer to the present mesh");
}

// The reference is on one page: all of it is there, or blanks before it.
static vvResult firstFollow(Stage *stage, const RecordBody *body)
{
    char text[PAGE + LONGEST_REFERENCE], reference[LONGEST_REFERENCE];
    size_t size = (size_t)(writeReference(textWord(reference, "\n"), body, body->meshNumber, "") - reference);
    char *out = text;
    while ((stage->file.size + (out - text)) % PAGE > PAGE - (long long)size)
        *out++ = ' ';
    memcpy(out, reference, size);
    return diskAppend(&stage->file, text, (size_t)(out - text) + size);
}

// ---- the format -----------------------------------------------------------------------------------------------------

static vvResult layerOpen(vvRecorder *recorder, const RecordBody *body, UsdaLayer *layer, UsdaReader *reader)
{
    Path path;
    File file = { .handle = -1 };
    usdaLayerPath(recorder, body, body->meshNumber, &path);
    if (body->meshNumber > 0 && diskExists(&path) && diskOpenToRead(&file, &path).code == VV_OK)
        layer->since = maxInt(usdaFirst(&file), 0);
    diskClose(&file);
    if (!usdaLayerMake(recorder, body, layer))
        return resultOutOfMemory("the USD layers");
    return recorder->resumeFrame >= 0 ? usdaLayerCheck(recorder, body, layer, reader) : resultOk();
}

static vvResult usdaOpen(vvRecorder *recorder, void **self)
{
    Stage *stage = ALLOCATE(&recorder->memory, Stage, 1);
    *self = stage;
    if (stage == NULL)
        return resultOutOfMemory("the USD layers");
    stage->file.handle = -1;
    stage->layer = ALLOCATE(&recorder->memory, UsdaLayer, recorder->bodyCount);
    for (int i = 0; stage->layer != NULL && i < recorder->bodyCount; ++i)
        stage->layer[i].file.handle = -1;
    bool resumes = recorder->resumeFrame >= 0;
    stage->reader = resumes ? usdaReaderMake(&recorder->memory) : NULL;
    if (stage->layer == NULL || (resumes && stage->reader == NULL))
        return resultOutOfMemory("the USD layers");
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
        result = layerOpen(recorder, &recorder->body[i], &stage->layer[i], stage->reader);
    if (result.code == VV_OK && resumes && recorder->bodyCount != 1)
        result = stageCheck(recorder, stage);
    else if (result.code == VV_OK && resumes && recorder->body[0].meshNumber > 0)
        result = firstCheck(recorder, stage);
    if (result.code == VV_OK && recorder->bodyCount != 1 && !stageMake(recorder, stage, true))
        result = resultOutOfMemory("the USD layers");
    return result;
}

static vvResult layerStart(vvRecorder *recorder, const RecordBody *body, UsdaLayer *layer)
{
    Path path;
    usdaLayerPath(recorder, body, layer->meshNumber, &path);
    vvResult result = diskReplace(&path, layer->bytes, (size_t)layer->headSize);
    return result.code == VV_OK ? diskOpen(&layer->file, &path) : result;
}

static vvResult usdaStart(vvRecorder *recorder, void *self)
{
    Stage *stage = self;
    vvResult result = resultOk();
    bool resumes = recorder->resumeFrame >= 0, several = recorder->bodyCount != 1;
    // what refers to later meshes first
    if (resumes && several)
        result = stageWrite(recorder, stage);
    else if (resumes && stage->file.handle >= 0)
        result = diskCut(&stage->file, stage->keep);
    if (result.code == VV_OK && resumes && !several && stage->file.handle >= 0)
        result = usdaLayerEnd(&stage->file, stage->endAt, recorder->resumeFrame + 1);
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        UsdaLayer *layer = &stage->layer[i];
        result = resumes ? usdaLayerCut(layer, stage->reader, recorder->resumeFrame)
                         : layerStart(recorder, &recorder->body[i], layer);
        if (result.code == VV_OK)
            result = meshSweep(recorder, &recorder->body[i], ".usda");
    }
    return result.code == VV_OK && !resumes && several ? stageWrite(recorder, stage) : result;
}

static void layerRelease(Memory *memory, UsdaLayer *layer)
{
    diskClose(&layer->file);
    memoryRelease(memory, layer->bytes);
    memoryRelease(memory, layer->index);
}

// the mesh of the body has changed: another layer, then the one before is no longer visible
static vvResult layerFollow(vvRecorder *recorder, Stage *stage, const RecordBody *body, UsdaLayer *layer)
{
    UsdaLayer next = { .file = { .handle = -1 }, .since = recorder->frameCount };
    bool enough = usdaLayerMake(recorder, body, &next);
    vvResult result = enough ? layerStart(recorder, body, &next) : resultOutOfMemory("the USD layers");
    if (result.code == VV_OK)
        result = usdaLayerShow(layer, recorder->frameCount);
    if (result.code != VV_OK)
    {
        layerRelease(&recorder->memory, &next);
        return result;
    }
    if (recorder->bodyCount == 1 && stage->file.handle < 0)
    {
        stage->file = layer->file;
        stage->endAt = layer->endAt;
        layer->file.handle = -1;
    }
    layerRelease(&recorder->memory, layer);
    *layer = next;
    return recorder->bodyCount == 1 ? firstFollow(stage, body) : resultOk();
}

static vvResult usdaAdd(vvRecorder *recorder, void *self)
{
    Stage *stage = self;
    vvResult result = resultOk();
    bool changed = false;
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        if (recorder->body[i].meshNumber == stage->layer[i].meshNumber)
            continue;
        changed = true;
        result = layerFollow(recorder, stage, &recorder->body[i], &stage->layer[i]);
    }
    if (result.code == VV_OK && changed && recorder->bodyCount != 1)
        result = stageMake(recorder, stage, true) ? stageWrite(recorder, stage) : resultOutOfMemory("the USD layers");
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
    {
        UsdaLayer *layer = &stage->layer[i];
        result = usdaLayerAdd(layer, recorder->body[i].point, recorder->frameCount);
        if (result.code == VV_OK)
            result = usdaLayerEnd(&layer->file, layer->endAt, recorder->frameCount + 1);
    }
    if (result.code == VV_OK && stage->file.handle >= 0)
        result = usdaLayerEnd(&stage->file, stage->endAt, recorder->frameCount + 1);
    return result;
}

static vvResult usdaClose(vvRecorder *recorder, void *self)
{
    Stage *stage = self;
    if (stage == NULL)
        return resultOk();
    Memory *memory = &recorder->memory;
    for (int i = 0; stage->layer != NULL && i < recorder->bodyCount; ++i)
        layerRelease(memory, &stage->layer[i]);
    diskClose(&stage->file);
    memoryRelease(memory, stage->layer);
    memoryRelease(memory, stage->head);
    memoryRelease(memory, stage->reader);
    memoryRelease(memory, stage);
    bool alone = recorder->rigidCount + recorder->fluidCount == 0;
    return recorder->failed || alone ? resultOk() : finishNow(recorder, usdaGuestsWrite, false);
}

const Format usdaFormat = { "usda", false, usdaOpen, usdaStart, usdaAdd, usdaClose };
