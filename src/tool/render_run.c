#include "tool/render.h"

#include <stdlib.h>
#include <string.h>

static vvResult openBodies(Run *run)
{
    run->bodyCount = replayBodyCount(run->replay);
    run->body = ALLOCATE(run->memory, RunBody, run->bodyCount);
    bool enough = run->body != NULL;
    for (int i = 0; i < run->bodyCount && enough; ++i)
    {
        RunBody *body = &run->body[i];
        body->id = replayBody(run->replay, i);
        body->mesh = vvSoftBody_GetMesh(body->id);
        body->vertexCount = vvMesh_GetVertexCount(body->mesh);
        size_t count = (size_t)body->vertexCount;
        body->points = ALLOCATE(run->memory, double, 3 * count);
        body->before = ALLOCATE(run->memory, double, 3 * count);
        body->field = ALLOCATE(run->memory, double, count);
        body->weight = ALLOCATE(run->memory, double, count);
        enough = body->points != NULL && body->before != NULL && body->field != NULL && body->weight != NULL;
    }
    return enough ? resultOk() : resultOutOfMemory("the bodies of a run");
}

vvResult runOpen(Run *run, Memory *memory, const char *folder)
{
    char path[1024];
    vvResult result = resultOk();
    run->memory = memory;
    if (snprintf(path, sizeof path, "%s/scene.json", folder) >= (int)sizeof path)
        return resultMake(VV_BAD_INPUT, "use a shorter path", "'%.100s...' has %zu letters", folder, strlen(folder));
    // what verve wrote names its files where they were; they were checked when it was recorded
    run->scene = sceneRead(path, true, NULL, 0, &result);
    if (run->scene == NULL && result.code == VV_INPUT_OUTPUT)
        return resultMake(VV_INPUT_OUTPUT, "name a folder that 'verve run SCENE --out DIR' has written",
                          "'%.120s' cannot be read", path);
    if (run->scene == NULL)
        return result;
    SceneOptions options = { .threads = 1 };
    run->built = sceneBuild(run->scene, &options, &result);
    if (run->built == NULL)
        return result;
    vvRecorderDef record = vvDefaultRecorderDef();
    sceneRecord(run->scene, &record);
    run->replay = replayOpen(sceneWorldId(run->built), folder, record.frames, &result);
    if (run->replay == NULL)
        return result;
    run->frameCount = replayFrameCount(run->replay);
    run->timestep = sceneTimestep(run->scene);
    snprintf(run->label, sizeof run->label, "%s", vvWorld_GetMethod(sceneWorldId(run->built)));
    snprintf(run->ledgerFile, sizeof run->ledgerFile, "%.800s/%.200s", folder,
             record.ledger != NULL ? record.ledger : "ledger.csv");
    result = openBodies(run);
    return result.code == VV_OK ? collidersOpen(run) : result;
}

void runClose(Run *run)
{
    for (int i = 0; i < run->bodyCount && run->body != NULL; ++i)
    {
        memoryRelease(run->memory, run->body[i].points);
        memoryRelease(run->memory, run->body[i].before);
        memoryRelease(run->memory, run->body[i].field);
        memoryRelease(run->memory, run->body[i].weight);
    }
    if (run->memory != NULL)
    {
        memoryRelease(run->memory, run->body);
        collidersClose(run);
        ledgerRelease(run->memory, &run->ledger);
    }
    replayClose(run->replay);
    sceneRelease(run->built);
    sceneDestroy(run->scene);
    memset(run, 0, sizeof *run);
}

vvResult runLoad(Run *run, int frame, Colouring colouring)
{
    // a run that ended early stays at its last frame
    int shown = minInt(frame, run->frameCount - 1);
    vvResult result = resultOk();
    for (int i = 0; i < run->bodyCount && result.code == VV_OK; ++i)
    {
        RunBody *body = &run->body[i];
        result = replayPositions(run->replay, shown, i, body->points);
        if (colouring == COLOUR_STRAIN)
            fieldStrain(body);
        if (colouring != COLOUR_SPEED || result.code != VV_OK)
            continue;
        // the first frame has the speed of the second
        int other = shown > 0 ? shown - 1 : minInt(1, run->frameCount - 1);
        result = replayPositions(run->replay, other, i, body->before);
        fieldSpeed(body, run->timestep);
    }
    collidersLoad(run, shown);
    return result;
}

void runBounds(const Run *run, vvBox *box)
{
    for (int i = 0; i < run->bodyCount; ++i)
    {
        for (int v = 0; v < run->body[i].vertexCount; ++v)
        {
            Vec3 p = vecLoad(run->body[i].points + 3 * (size_t)v);
            if (!vecFinite(p))
                continue;
            box->lower = vec3(minReal(box->lower.x, p.x), minReal(box->lower.y, p.y), minReal(box->lower.z, p.z));
            box->upper = vec3(maxReal(box->upper.x, p.x), maxReal(box->upper.y, p.y), maxReal(box->upper.z, p.z));
        }
    }
}
