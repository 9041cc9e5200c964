// The mesh of a body, or the surface that it carries, as pictures show it.
#include "studio/show.h"

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

bool shownBodyStart(Memory *memory, ShownBody *body, vvSoftBodyId id)
{
    body->id = id;
    body->mesh = vvSoftBody_GetMesh(id);
    body->solid = isSolid(body->mesh);
    shownBodyMesh(body);
    return shownBodyReserve(memory, body, body->vertexCount);
}

void shownBodyMesh(ShownBody *body)
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

bool shownBodyReserve(Memory *memory, ShownBody *body, int count)
{
    if (count <= body->room)
        return true;
    shownBodyFree(memory, body);
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

void shownBodyFree(Memory *memory, ShownBody *body)
{
    double **blocks[] = { &body->points, &body->before, &body->restNow, &body->field, &body->weight };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
    {
        memoryRelease(memory, *blocks[i]);
        *blocks[i] = NULL;
    }
    body->room = 0;
}
