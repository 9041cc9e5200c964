// What every reader of meshes must survive: any bytes at all. A mesh that is accepted must keep its promises, and
// refusals must say why.
#ifndef TESTS_FUZZ_MESH_H
#define TESTS_FUZZ_MESH_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <verve/mesh.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// every number of the faces names something that is there
static inline void tryFaces(const vvFaces *faces, int vertices)
{
    for (int f = 0; faces != NULL && f < faces->faceCount; ++f)
    {
        if (faces->starts[f + 1] - faces->starts[f] < 3 ||
            (faces->groups != NULL && faces->groups[f] >= faces->groupCount) ||
            (faces->materials != NULL && faces->materials[f] >= faces->materialCount))
            abort();
        for (int c = faces->starts[f]; c < faces->starts[f + 1]; ++c)
        {
            if (faces->points[c] < 0 || faces->points[c] >= vertices ||
                (faces->coordinates != NULL && faces->coordinates[c] >= faces->coordinateCount) ||
                (faces->normals != NULL && faces->normals[c] >= faces->normalCount))
                abort();
        }
    }
}

static inline void tryMesh(const char *format, const uint8_t *data, size_t size)
{
    vvMeshDef def = vvDefaultMeshDef();
    def.shape = VV_MESH_FILE;
    def.format = format;
    def.data = size > 0 ? data : (const uint8_t *)"";
    def.dataSize = size;
    vvResult result;
    vvMesh *mesh = vvCreateMesh(&def, &result);
    if (mesh == NULL)
    {
        if (result.code != VV_BAD_INPUT || strlen(result.message) == 0 || strlen(result.remedy) == 0)
            abort();
        return;
    }
    const double *point = vvMesh_GetPoints(mesh);
    const int *tet = vvMesh_GetTets(mesh), *surface = vvMesh_GetSurface(mesh);
    int vertices = vvMesh_GetVertexCount(mesh);
    for (int i = 0; i < 3 * vertices; ++i)
    {
        if (!isfinite(point[i]))
            abort();
    }
    for (int i = 0; i < 4 * vvMesh_GetTetCount(mesh); ++i)
    {
        if (tet[i] < 0 || tet[i] >= vertices)
            abort();
    }
    for (int i = 0; i < 3 * vvMesh_GetSurfaceCount(mesh); ++i)
    {
        if (surface[i] < 0 || surface[i] >= vertices)
            abort();
    }
    tryFaces(vvMesh_GetFaces(mesh), vertices);
    vvDestroyMesh(mesh);
}

#endif
