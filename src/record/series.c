// Formats with a file per body and frame; of some, OBJ and PLY, the vertices alone change from frame to frame
// until the mesh does.
#include "record/record.h"

#include <string.h>

// ---- files that are there -------------------------------------------------------------------------------------------

vvResult seriesCheck(const vvRecorder *recorder, const char *stem, const char *ending)
{
    for (int frame = 0; frame <= recorder->resumeFrame; ++frame)
    {
        Path path;
        framePath(recorder, &path, stem, frame, ending);
        if (!diskExists(&path))
            return resumeRefused(&path, "is not there");
    }
    return resultOk();
}

typedef struct Series
{
    const char *stem, *ending;
    int last; // the frame to keep
} Series;

// STEM_NUMBER.ENDING of a later frame, or any that was not finished
static bool isStale(const char *name, void *userData)
{
    const Series *series = userData;
    size_t length = strlen(series->stem);
    if (strncmp(name, series->stem, length) != 0 || name[length] != '_')
        return false;
    const char *digit = name + length + 1;
    long long frame = 0;
    int count = 0;
    for (; *digit >= '0' && *digit <= '9' && count < 10; ++digit, ++count)
        frame = 10 * frame + (*digit - '0');
    length = strlen(series->ending);
    if (count < 6 || strncmp(digit, series->ending, length) != 0)
        return false;
    return (digit[length] == 0 && frame > series->last) || strcmp(digit + length, PART_ENDING) == 0;
}

vvResult seriesSweep(const vvRecorder *recorder, const char *stem, const char *ending)
{
    Series series = { stem, ending, recorder->resumeFrame };
    return diskFolderSweep(recorder->folder, isStale, &series);
}

// ---- texts ----------------------------------------------------------------------------------------------------------

bool frameTextReserve(Memory *memory, FrameText *text, const char *head, size_t vertices, size_t elements)
{
    text->headSize = strlen(head);
    text->elements = ALLOCATE(memory, char, elements);
    text->bytes = ALLOCATE(memory, char, text->headSize + vertices + elements);
    if (text->elements == NULL || text->bytes == NULL)
        return false;
    memcpy(text->bytes, head, text->headSize);
    return true;
}

size_t frameTextEnd(FrameText *text, const char *vertexEnd)
{
    size_t used = (size_t)(vertexEnd - text->bytes);
    memcpy(text->bytes + used, text->elements, text->elementSize);
    return used + text->elementSize;
}

void frameTextRelease(Memory *memory, FrameText *text)
{
    memoryRelease(memory, text->bytes);
    memoryRelease(memory, text->elements);
}

// ---- the functions of a format --------------------------------------------------------------------------------------

// the last frame to keep begins as ours would
static vvResult checkHead(const vvRecorder *recorder, const FrameSeries *series, const char *stem,
                          const FrameText *text)
{
    Path path;
    framePath(recorder, &path, stem, recorder->resumeFrame, series->ending);
    File file = { .handle = -1 };
    char head[LONGEST_TEXT_HEAD];
    vvResult result = resumeOpen(&file, &path);
    if (result.code != VV_OK)
        return result;
    bool isSame = file.size >= (long long)text->headSize && diskRead(&file, 0, head, text->headSize).code == VV_OK &&
                  memcmp(head, text->bytes, text->headSize) == 0;
    diskClose(&file);
    return isSame ? resultOk() : resumeRefused(&path, "is of another body or mesh");
}

vvResult seriesOpen(vvRecorder *recorder, const FrameSeries *series, void **self)
{
    FrameText *texts = ALLOCATE(&recorder->memory, FrameText, recorder->bodyCount);
    *self = texts;
    if (texts == NULL)
        return resultOutOfMemory(series->what);
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        const RecordBody *body = &recorder->body[i];
        if (!series->make(&recorder->memory, body, &texts[i]))
            return resultOutOfMemory(series->what);
        texts[i].meshNumber = body->meshNumber;
        if (recorder->resumeFrame < 0)
            continue;
        vvResult result = seriesCheck(recorder, body->stem, series->ending);
        if (result.code == VV_OK)
            result = checkHead(recorder, series, body->stem, &texts[i]);
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}

vvResult seriesStart(vvRecorder *recorder, const FrameSeries *series)
{
    vvResult result = resultOk();
    for (int i = 0; i < recorder->bodyCount && result.code == VV_OK; ++i)
        result = seriesSweep(recorder, recorder->body[i].stem, series->ending);
    return result;
}

// the text of a body whose mesh has changed; false: out of memory
static bool textRemake(Memory *memory, const FrameSeries *series, const RecordBody *body, FrameText *text)
{
    frameTextRelease(memory, text);
    *text = (FrameText){ .meshNumber = body->meshNumber };
    return series->make(memory, body, text);
}

vvResult seriesAdd(vvRecorder *recorder, const FrameSeries *series, void *self)
{
    FrameText *texts = self;
    for (int i = 0; i < recorder->bodyCount; ++i)
    {
        const RecordBody *body = &recorder->body[i];
        if (texts[i].meshNumber != body->meshNumber && !textRemake(&recorder->memory, series, body, &texts[i]))
            return resultOutOfMemory(series->what);
        size_t size = series->fill(&texts[i], body, body->point);
        Path path;
        framePath(recorder, &path, body->stem, recorder->frameCount, series->ending);
        vvResult result = diskReplace(&path, texts[i].bytes, size);
        if (result.code != VV_OK)
            return result;
    }
    return resultOk();
}

vvResult seriesClose(vvRecorder *recorder, void *self)
{
    FrameText *texts = self;
    for (int i = 0; texts != NULL && i < recorder->bodyCount; ++i)
        frameTextRelease(&recorder->memory, &texts[i]);
    memoryRelease(&recorder->memory, texts);
    return resultOk();
}
