// Bodies that were cut or torn: frames whose mesh is another one than the scene's.
#include "tool/render.h"

#include <string.h>

void runBodyShow(RunBody *body)
{
    const vvMesh *mesh = body->mesh;
    const vvEmbedding *carried = vvMesh_GetEmbedding(mesh);
    body->changed = false;
    body->embedded = carried != NULL;
    body->vertexCount = carried ? vvEmbedding_GetPointCount(carried) : vvMesh_GetVertexCount(mesh);
    body->rest = carried ? vvEmbedding_GetPoints(carried) : vvMesh_GetPoints(mesh);
    body->triangle = carried ? vvEmbedding_GetTriangles(carried) : vvMesh_GetSurface(mesh);
    body->triangleCount = carried ? vvEmbedding_GetTriangleCount(carried) : vvMesh_GetSurfaceCount(mesh);
    body->line = vvMesh_GetEdges(mesh);
    body->lineCount = vvMesh_GetEdgeCount(mesh);
}

bool runBodyReserve(Memory *memory, RunBody *body, int count)
{
    if (count <= body->room)
        return true;
    runBodyFree(memory, body);
    body->points = ALLOCATE(memory, double, 3 * (size_t)count);
    body->before = ALLOCATE(memory, double, 3 * (size_t)count);
    body->restNow = ALLOCATE(memory, double, 3 * (size_t)count);
    body->field = ALLOCATE(memory, double, count);
    body->weight = ALLOCATE(memory, double, count);
    bool enough = body->points != NULL && body->before != NULL && body->restNow != NULL && body->field != NULL &&
                  body->weight != NULL;
    body->room = enough ? count : 0;
    return enough;
}

void runBodyFree(Memory *memory, RunBody *body)
{
    double **blocks[] = { &body->points, &body->before, &body->restNow, &body->field, &body->weight };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
    {
        memoryRelease(memory, *blocks[i]);
        *blocks[i] = NULL;
    }
    body->room = 0;
}

// Points of another frame, or at rest, for the vertices of this one, NaN where none is known. A tear leaves every
// triangle its number, so its corners say which vertex was which; a cut of a sheet leaves vertices theirs.
static void carryOver(const RunBody *body, const double *from, int fromCount, const int *triangle, int triangleCount,
                      double *to)
{
    for (size_t i = 0; i < 3 * (size_t)body->vertexCount; ++i)
        to[i] = body->numbered && i < 3 * (size_t)fromCount ? from[i] : NAN;
    if (triangleCount != body->triangleCount)
        return;
    for (size_t c = 0; c < 3 * (size_t)triangleCount; ++c)
        memcpy(to + 3 * (size_t)body->triangle[c], from + 3 * (size_t)triangle[c], 3 * sizeof(double));
}

static vvResult showMesh(Run *run, RunBody *body, const ReplayMesh *mesh)
{
    if (!runBodyReserve(run->memory, body, mesh->pointCount))
        return resultOutOfMemory("the bodies of a run");
    runBodyShow(body);
    RunBody scene = *body;
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
    RunBody *body = &run->body[index];
    bool changed = false;
    vvResult result = replayMesh(run->replay, run->memory, frame, index, &body->shown, &changed);
    if (result.code != VV_OK)
        return result;
    if (changed)
        return showMesh(run, body, &body->shown);
    runBodyShow(body);
    return replayPositions(run->replay, frame, index, body->points);
}

vvResult runBodyLoadBefore(Run *run, int index, int frame)
{
    RunBody *body = &run->body[index];
    ReplayMesh other = { 0 };
    bool changed = false;
    vvResult result = replayMesh(run->replay, run->memory, frame, index, &other, &changed);
    if (result.code == VV_OK && !changed && !body->changed)
        return replayPositions(run->replay, frame, index, body->before);
    RunBody scene = *body;
    runBodyShow(&scene);
    double *point = ALLOCATE(run->memory, double, 3 * (size_t)scene.vertexCount);
    if (result.code == VV_OK && point == NULL)
        result = resultOutOfMemory("the bodies of a run");
    if (result.code == VV_OK && !changed)
        result = replayPositions(run->replay, frame, index, point);
    if (result.code == VV_OK && changed)
        carryOver(body, other.point, other.pointCount, other.triangle, other.triangleCount, body->before);
    else if (result.code == VV_OK)
        carryOver(body, point, scene.vertexCount, scene.triangle, scene.triangleCount, body->before);
    memoryRelease(run->memory, point);
    replayMeshRelease(run->memory, &other);
    return result;
}
