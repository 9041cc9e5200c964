// Bodies that were cut or torn: frames whose mesh is another one than the scene's.
#include "tool/render.h"

#include <string.h>

// Points of another frame, or at rest, for the vertices of this one, NaN where none is known. A tear leaves every
// triangle its number, so its corners say which vertex was which; a cut of a sheet leaves vertices theirs.
static void carryOver(const ShownBody *body, const double *from, int fromCount, const int *triangle, int triangleCount,
                      double *to)
{
    for (size_t i = 0; i < 3 * (size_t)body->vertexCount; ++i)
        to[i] = body->numbered && i < 3 * (size_t)fromCount ? from[i] : NAN;
    if (triangleCount != body->triangleCount)
        return;
    for (size_t c = 0; c < 3 * (size_t)triangleCount; ++c)
        memcpy(to + 3 * (size_t)body->triangle[c], from + 3 * (size_t)triangle[c], 3 * sizeof(double));
}

static vvResult showMesh(Run *run, ShownBody *body, const ReplayMesh *mesh)
{
    if (!shownBodyReserve(run->show.memory, body, mesh->pointCount))
        return resultOutOfMemory("the bodies of a run");
    shownBodyMesh(body);
    ShownBody scene = *body;
    body->changed = true;
    body->numbered = !scene.embedded && vvMesh_GetTetCount(body->mesh) == 0 && mesh->pointCount >= scene.vertexCount;
    body->embedded = false;
    body->vertexCount = mesh->pointCount;
    body->triangle = mesh->triangle;
    body->triangleCount = mesh->triangleCount;
    body->line = mesh->line;
    body->lineCount = mesh->lineCount;
    memcpy(body->points, mesh->point, 3 * (size_t)mesh->pointCount * sizeof(double));
    carryOver(body, scene.rest, scene.vertexCount, scene.triangle, scene.triangleCount, body->restNow);
    body->rest = body->restNow;
    return resultOk();
}

vvResult runBodyLoad(Run *run, int index, int frame)
{
    ShownBody *body = &run->show.body[index];
    bool changed = false;
    vvResult result = replayMesh(run->replay, run->show.memory, frame, index, &body->shown, &changed);
    if (result.code != VV_OK)
        return result;
    if (changed)
        return showMesh(run, body, &body->shown);
    shownBodyMesh(body);
    return replayPositions(run->replay, frame, index, body->points);
}

vvResult runBodyLoadBefore(Run *run, int index, int frame)
{
    ShownBody *body = &run->show.body[index];
    ReplayMesh other = { 0 };
    bool changed = false;
    vvResult result = replayMesh(run->replay, run->show.memory, frame, index, &other, &changed);
    if (result.code == VV_OK && !changed && !body->changed)
        return replayPositions(run->replay, frame, index, body->before);
    ShownBody scene = *body;
    shownBodyMesh(&scene);
    double *point = ALLOCATE(run->show.memory, double, 3 * (size_t)scene.vertexCount);
    if (result.code == VV_OK && point == NULL)
        result = resultOutOfMemory("the bodies of a run");
    if (result.code == VV_OK && !changed)
        result = replayPositions(run->replay, frame, index, point);
    if (result.code == VV_OK && changed)
        carryOver(body, other.point, other.pointCount, other.triangle, other.triangleCount, body->before);
    else if (result.code == VV_OK)
        carryOver(body, point, scene.vertexCount, scene.triangle, scene.triangleCount, body->before);
    memoryRelease(run->show.memory, point);
    replayMeshRelease(run->show.memory, &other);
    return result;
}
