#include "tool/render.h"

#include "base/system.h"

#include <stdlib.h>
#include <string.h>

// every edge of a closed surface has two triangles
static bool isSolid(const vvMesh *mesh)
{
    const int *kind = vvMesh_GetEdgeKinds(mesh);
    int edges = 0;
    for (int e = 0; e < vvMesh_GetEdgeCount(mesh); ++e)
        edges += kind[e] == VV_EDGE_STRUCTURAL ? 1 : 0;
    return vvMesh_GetTetCount(mesh) > 0 ||
           (vvMesh_GetSurfaceCount(mesh) > 0 && 2 * edges == 3 * vvMesh_GetSurfaceCount(mesh));
}

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
        body->solid = isSolid(body->mesh);
        runBodyShow(body);
        enough = runBodyReserve(run->memory, body, body->vertexCount);
    }
    return enough ? resultOk() : resultOutOfMemory("the bodies of a run");
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
    run->memory = memory;
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
    if (result.code == VV_OK && (!bodiless || run->poseCount > 0))
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
        result = collidersOpen(run);
    if (result.code == VV_OK)
        result = runLoad(run, 0, COLOUR_PLAIN);
    if (result.code == VV_OK)
        surveyStart(run);
    return result;
}

void runClose(Run *run)
{
    for (int i = 0; i < run->bodyCount && run->body != NULL; ++i)
    {
        runBodyFree(run->memory, &run->body[i]);
        replayMeshRelease(run->memory, &run->body[i].shown);
    }
    if (run->memory != NULL)
    {
        memoryRelease(run->memory, run->body);
        collidersClose(run);
        fluidsClose(run);
        memoryRelease(run->memory, run->pose);
        ledgerRelease(run->memory, &run->ledger);
    }
    replayClose(run->replay);
    sceneRelease(run->built);
    sceneDestroy(run->scene);
    memset(run, 0, sizeof *run);
}

vvResult runLoad(Run *run, int frame, Colouring colouring)
{
    // a run that ended early, or diverged, stays at its last frame that shows something
    int shown = minInt(frame, run->saneCount - 1);
    vvResult result = resultOk();
    for (int i = 0; i < run->bodyCount && result.code == VV_OK; ++i)
    {
        RunBody *body = &run->body[i];
        result = runBodyLoad(run, i, shown);
        if (colouring == COLOUR_STRAIN && result.code == VV_OK)
            fieldStrain(body);
        if (colouring != COLOUR_SPEED || result.code != VV_OK)
            continue;
        // the first frame has the speed of the second
        int other = shown > 0 ? shown - 1 : minInt(1, run->frameCount - 1);
        result = runBodyLoadBefore(run, i, other);
        fieldSpeed(body, run->timestep);
    }
    collidersLoad(run, shown);
    return result.code == VV_OK ? fluidsLoad(run, shown) : result;
}

int bodyBounds(const RunBody *body, vvBox *box)
{
    int finite = 0;
    for (int v = 0; v < body->vertexCount; ++v)
    {
        Vec3 p = vecLoad(body->points + 3 * (size_t)v);
        if (!vecFinite(p))
            continue;
        box->lower = vec3(minReal(box->lower.x, p.x), minReal(box->lower.y, p.y), minReal(box->lower.z, p.z));
        box->upper = vec3(maxReal(box->upper.x, p.x), maxReal(box->upper.y, p.y), maxReal(box->upper.z, p.z));
        finite += 1;
    }
    return finite;
}

bool runPoints(const Run *run, int index, const double **points, int *count)
{
    if (index < run->bodyCount)
    {
        *points = run->body[index].points;
        *count = run->body[index].vertexCount;
        return true;
    }
    int place = sceneColliderCount(run->built) + index - run->bodyCount;
    if (place >= run->colliderCount)
    {
        int fluid = place - run->colliderCount;
        if (fluid >= run->fluidCount)
            return false;
        *points = run->fluid[fluid].points;
        *count = run->fluid[fluid].count;
        return true;
    }
    const RunCollider *rigid = &run->collider[place];
    *points = rigid->points;
    *count = rigid->plane ? 0 : rigid->shape.pointCount;
    return true;
}

void runBounds(const Run *run, vvBox *box)
{
    RunBody part = { .vertexCount = 0 };
    const double *points;
    for (int i = 0; runPoints(run, i, &points, &part.vertexCount); ++i)
    {
        part.points = (double *)points;
        bodyBounds(&part, box);
    }
}

Vec3 runMiddle(const Run *run)
{
    Vec3 sum = vec3(0, 0, 0);
    double finite = 0;
    const double *points;
    int count;
    for (int i = 0; runPoints(run, i, &points, &count); ++i)
    {
        for (int v = 0; v < count; ++v)
        {
            Vec3 p = vecLoad(points + 3 * (size_t)v);
            if (!vecFinite(p))
                continue;
            sum = vecAdd(sum, p);
            finite += 1;
        }
    }
    return vecScale(1 / maxReal(finite, 1), sum);
}
