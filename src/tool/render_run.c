#include "tool/render.h"

#include "base/system.h"

#include <stdlib.h>
#include <string.h>

static vvResult openBodies(Run *run)
{
    run->show.bodyCount = replayBodyCount(run->replay);
    run->show.body = ALLOCATE(run->show.memory, ShownBody, run->show.bodyCount);
    bool enough = run->show.body != NULL;
    for (int i = 0; i < run->show.bodyCount && enough; ++i)
        enough = shownBodyStart(run->show.memory, &run->show.body[i], replayBody(run->replay, i));
    return enough ? resultOk() : resultOutOfMemory("the bodies of a run");
}

static vvResult openSprings(Run *run)
{
    int count = sceneAttachmentCount(run->built);
    run->show.spring = ALLOCATE(run->show.memory, vvAttachmentDef, count);
    if (count > 0 && run->show.spring == NULL)
        return resultOutOfMemory("the springs of a run");
    for (int i = 0; i < count; ++i)
        run->show.spring[run->show.springCount++] = sceneAttachment(run->built, i);
    return resultOk();
}

// the scene of a folder, and the stem of its frames
static vvResult readScene(Run *run, const char *folder, char *stem, size_t stemSize)
{
    char path[1024];
    vvResult result = resultOk();
    if (snprintf(path, sizeof path, "%s/scene.json", folder) >= (int)sizeof path)
        return resultMake(VV_BAD_INPUT, "use a shorter path", "'%.100s...' has %zu letters", folder, strlen(folder));
    // what verve wrote names its files where they were; they were checked when it was recorded
    run->scene = sceneRead(path, true, NULL, 0, &result);
    if (run->scene == NULL && result.code != VV_INPUT_OUTPUT)
        return result;
    vvRecorderDef record = vvDefaultRecorderDef();
    snprintf(run->ledgerFile, sizeof run->ledgerFile, "%.800s/ledger.csv", folder);
    if (run->scene == NULL)
    {
        const char *name = pathLastSlash(folder);
        snprintf(run->label, sizeof run->label, "%s", name != NULL && name[1] != '\0' ? name + 1 : folder);
        run->scene = bareScene(folder, stem, stemSize, &result);
        return result;
    }
    snprintf(run->label, sizeof run->label, "%s", sceneMethod(run->scene));
    sceneRecord(run->scene, &record);
    snprintf(stem, stemSize, "%s", record.frames);
    if (record.ledger != NULL)
        snprintf(run->ledgerFile, sizeof run->ledgerFile, "%.800s/%.200s", folder, record.ledger);
    return resultOk();
}

vvResult runOpen(Run *run, Memory *memory, const char *folder)
{
    char stem[256];
    run->show.memory = memory;
    vvResult result = readScene(run, folder, stem, sizeof stem);
    if (result.code != VV_OK)
        return result;
    SceneOptions options = { .threads = 1 };
    run->built = sceneBuild(run->scene, &options, &result);
    if (run->built == NULL)
        return result;
    result = rigidRead(run, folder, stem);
    if (result.code == VV_OK)
        result = fluidsOpen(run, folder, stem);
    bool bodiless = sceneBodyCount(run->built) == 0 && (run->poseCount > 0 || run->fluidFrames > 0);
    if (result.code == VV_OK)
        run->replay = replayOpen(sceneWorldId(run->built), folder, stem, &result);
    if (result.code != VV_OK)
        return result;
    // soft bodies alone have a method
    int rigid = sceneRigidCount(run->built);
    if (sceneBodyCount(run->built) == 0)
        snprintf(run->label, sizeof run->label, "%s%s%s", rigid > 0 ? "rigid bodies" : "",
                 rigid > 0 && run->fluidFrames > 0 ? ", " : "", run->fluidFrames > 0 ? "fluid" : "");
    int loose = maxInt(run->poseCount, run->fluidFrames);
    run->frameCount = run->saneCount = bodiless ? loose : replayFrameCount(run->replay);
    run->timestep = sceneTimestep(run->scene);
    result = bodiless ? resultOk() : openBodies(run);
    if (result.code == VV_OK)
        result = openSprings(run);
    if (result.code == VV_OK)
        result = collidersOpen(run);
    if (result.code == VV_OK && !ropesFind(&run->show, sceneWorldId(run->built)))
        result = resultOutOfMemory("the ropes of a run");
    if (result.code == VV_OK)
        result = runLoad(run, 0, VV_COLOUR_PLAIN);
    if (result.code == VV_OK)
        surveyStart(run);
    return result;
}

void runClose(Run *run)
{
    for (int i = 0; i < run->show.bodyCount && run->show.body != NULL; ++i)
        replayMeshRelease(run->show.memory, &run->show.body[i].shown);
    if (run->show.memory != NULL)
    {
        memoryRelease(run->show.memory, run->pose);
        fluidFrameRelease(run->show.memory, &run->particles);
        ledgerRelease(run->show.memory, &run->ledger);
    }
    showRelease(&run->show);
    replayClose(run->replay);
    sceneRelease(run->built);
    sceneDestroy(run->scene);
    memset(run, 0, sizeof *run);
}

vvResult runLoad(Run *run, int frame, vvColouring colouring)
{
    // a run that ended early, or diverged, stays at its last frame that shows something
    int shown = minInt(frame, run->saneCount - 1);
    vvResult result = resultOk();
    for (int i = 0; i < run->show.bodyCount && result.code == VV_OK; ++i)
    {
        ShownBody *body = &run->show.body[i];
        result = runBodyLoad(run, i, shown);
        if (colouring == VV_COLOUR_STRAIN && result.code == VV_OK)
            fieldStrain(body);
        if (colouring != VV_COLOUR_SPEED || result.code != VV_OK)
            continue;
        // the first frame has the speed of the second
        int other = shown > 0 ? shown - 1 : minInt(1, run->frameCount - 1);
        result = runBodyLoadBefore(run, i, other);
        fieldSpeed(body, run->timestep);
    }
    collidersLoad(run, shown);
    run->show.trailShown = run->show.trailCount > 0 ? shown / run->trailStride + 1 : 0;
    return result.code == VV_OK ? fluidsLoad(run, shown) : result;
}
