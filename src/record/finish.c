// Formats that can only be written when all frames are known. Until then the frames are in the point caches, which are
// recorded with them: a killed process leaves those, and 'verve export' does what was left to do.
#include "record/record.h"
#include "record/replay.h"

#include <math.h>

typedef struct Finish
{
    bool started;
} Finish;

int clipFinite(Clip *clip, vvResult *result)
{
    for (int frame = 0; frame < clip->frameCount; ++frame)
    {
        for (int i = 0; i < clip->record->bodyCount; ++i)
        {
            size_t numbers = 3 * (size_t)clip->body[i].pointCount[clipMeshAt(clip, i, frame)];
            *result = clipRead(clip, i, frame, clip->point);
            bool finite = result->code == VV_OK;
            for (size_t k = 0; k < numbers && finite; ++k)
                finite = isfinite(clip->point[k]);
            if (!finite)
                return frame;
        }
        for (int k = 0; clip->pose != NULL && k < POSE_NUMBERS * clip->record->rigidCount; ++k)
        {
            if (!isfinite(clipPose(clip, 0, frame)[k]))
                return frame;
        }
    }
    return clip->frameCount;
}

static vvResult finishOpen(vvRecorder *recorder, void **self)
{
    *self = ALLOCATE(&recorder->memory, Finish, 1);
    return *self != NULL ? resultOk() : resultOutOfMemory("a record");
}

static vvResult finishStart(vvRecorder *recorder, void *self)
{
    (void)recorder;
    ((Finish *)self)->started = true;
    return resultOk();
}

static vvResult finishAdd(vvRecorder *recorder, void *self)
{
    (void)recorder;
    (void)self;
    return resultOk();
}

vvResult finishNow(vvRecorder *recorder, FinishRecord *write, bool soft)
{
    Clip clip;
    if (recorder->frameCount == 0 || recorder->bodyCount + recorder->rigidCount + recorder->fluidCount == 0)
        return resultOk();
    vvResult result = clipOpen(&clip, recorder, soft);
    if (result.code == VV_OK)
        result = write(&clip);
    clipClose(&clip);
    return result;
}

static vvResult finish(vvRecorder *recorder, Finish *self, FinishRecord *write)
{
    vvResult result = self != NULL && self->started ? finishNow(recorder, write, true) : resultOk();
    memoryRelease(&recorder->memory, self);
    return result;
}

static vvResult glbClose(vvRecorder *recorder, void *self)
{
    return finish(recorder, self, glbWrite);
}

static vvResult mddClose(vvRecorder *recorder, void *self)
{
    return finish(recorder, self, mddWrite);
}

const Format glbFormat = { "glb", false, finishOpen, finishStart, finishAdd, glbClose };
const Format mddFormat = { "mdd", false, finishOpen, finishStart, finishAdd, mddClose };
